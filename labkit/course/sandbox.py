"""A process that can harm nothing: where a hand-in runs, and how long, how large and how loud it may be."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import resource
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pooch

from labkit.course.judge import sign, veil

HEARD = 20_000  # bytes of what a hand-in prints that are kept
LINE = 4_000_000  # longest line that a judge may send
OUT_OF_MEMORY = 137  # a container's exit status when its memory limit killed it
INSIDE = "/hand-in"  # the hand-in's folder, as it sees it
PACKAGE = Path(__file__).parents[1]
CACHE = Path(pooch.os_cache("labkit"))
# Otter's image keeps its Python in its user's home.
IN_OTTERS_IMAGE = 'exec ~root/miniforge3/envs/otter-env/bin/python -s -c "$0"'
# No name of it stays where a hand-in could find it.
JUDGE = "__import__('labkit.course.judge', fromlist=['main']).main()"


class SandboxError(OSError):
    """This machine cannot run hand-ins as asked: the message says what to install or to pass."""


@dataclass(frozen=True)
class Limits:
    """What one hand-in may use: seconds in all, bytes of memory, processes, bytes of one file."""

    seconds: float = 300.0
    memory: int = 4 << 30
    processes: int = 64
    file: int = 100 << 20


def choose(trust: bool = False) -> str:
    """What this machine has to run strangers' programs in: "bubblewrap" or "docker"; "none" only with ``trust``.

    Raises SandboxError where there is neither and no trust.
    """
    if _runs(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]):
        return "bubblewrap"
    if _runs(["docker", "info"]):
        return "docker"
    if trust:
        return "none"
    raise SandboxError(
        "no sandbox: hand-ins are programs of strangers. Install bubblewrap (Debian: apt-get install bubblewrap) or "
        "Docker, or pass --trust to run them unprotected"
    )


def _runs(command: list[str]) -> bool:
    """Whether a program is installed and does its work here (bubblewrap may be forbidden to make name spaces)."""
    if not shutil.which(command[0]):
        return False
    with contextlib.suppress(subprocess.TimeoutExpired):
        return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    return False


def build_image(archive: Path, stem: str) -> str:
    """Build Otter's container image for a lab's autograder archive (many minutes, once); return its name."""
    from otter.grade.containers import build_image as build
    from otter.run import AutograderConfig

    return build(str(archive), "ubuntu:22.04", stem, AutograderConfig({}))


def _variables(home: str) -> dict[str, str]:
    """The environment of a hand-in: the grader's own settings and keys stay outside."""
    return {
        "PATH": os.defpath, "HOME": home, "LANG": "C.UTF-8", "LABKIT_PROFILE": "grade", "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "MPLBACKEND": "agg",
        "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TQDM_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


def _bubblewrap(folder: Path) -> list[str]:
    system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/fonts"]
    seen = set(map(Path, system))
    # The interpreter, what is installed beside it, and labkit: not the checkout that labkit may stand in.
    seen |= {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parents[1], PACKAGE}
    if os.environ.get("LABKIT_DATA"):
        seen.add(Path(os.environ["LABKIT_DATA"]).resolve())
    arguments = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in sorted(path for path in seen if path.exists()):
        arguments += ["--ro-bind", str(path.resolve()), str(path)]
    arguments += ["--bind", str(folder), INSIDE]
    if CACHE.is_dir():  # texts that take seconds to read anew; a hand-in cannot change them
        arguments += ["--ro-bind", str(CACHE), f"{INSIDE}/.cache/labkit"]
    return [*arguments, "--chdir", INSIDE, "--", sys.executable, "-s", "-c", JUDGE]


def _docker(image: str, name: str, limits: Limits) -> list[str]:
    """In Otter's image, but with labkit's judge: results come as text on a pipe, never as a pickle that a hand-in wrote."""
    arguments = ["docker", "run", "--rm", "--interactive", "--name", name, "--network", "none", "--read-only"]
    arguments += f"--cap-drop ALL --security-opt no-new-privileges --pids-limit {limits.processes}".split()
    arguments += f"--memory {limits.memory} --memory-swap {limits.memory}".split()
    arguments += f"--ulimit fsize={limits.file} --ulimit cpu={int(2 * limits.seconds)}".split()
    # Otter's image holds the tests: an empty folder hides them.
    arguments += f"--tmpfs /autograder --tmpfs /tmp --tmpfs {INSIDE} --workdir {INSIDE}".split()
    arguments += ["--volume", f"{PACKAGE}:/labkit/labkit:ro"]
    if data := os.environ.get("LABKIT_DATA"):
        arguments += ["--volume", f"{Path(data).resolve()}:/data:ro", "--env", "LABKIT_DATA=/data"]
    for key, value in {**_variables(INSIDE), "PYTHONPATH": "/labkit"}.items():
        arguments += ["--env", f"{key}={value}"]
    return [*arguments, image, "bash", "-c", IN_OTTERS_IMAGE, JUDGE]


def _limit(limits: Limits) -> Callable[[], None]:
    def apply() -> None:  # in the child, before the program
        for which, value in (
            (resource.RLIMIT_DATA, limits.memory),
            (resource.RLIMIT_FSIZE, limits.file),
            (resource.RLIMIT_CPU, int(2 * limits.seconds)),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(which, (value, value))

    return apply


@dataclass
class Outcome:
    """How a run ended: "done", "exited", "time", "memory", "processes", "noise"; what it printed (the beginning, and bytes
    in all); and how many lines it wrote to the grader that the judge had not signed."""

    end: str
    seconds: float
    memory: int
    text: str
    printed: int
    forged: int


def run(
    job: dict[str, Any],
    answer: Callable[[dict[str, Any]], dict[str, Any] | None],
    *,
    kind: str,
    folder: Path,
    limits: Limits,
) -> Outcome:
    """Run the judge on ``job`` in a sandbox; call ``answer`` with each message, and send back what it returns.

    ``kind`` is what ``choose`` returns, "docker" with its image: "docker:NAME". ``folder`` is the only place that the
    hand-in can write to. ``memory`` of the outcome is the largest sum, in bytes,
    of what its processes held (looked at ten times a second).
    """
    started = time.monotonic()
    name = f"labkit-{secrets.token_hex(8)}"
    if kind.startswith("docker:"):
        command, environment, limit = _docker(kind.removeprefix("docker:"), name, limits), None, None
    else:
        command = [sys.executable, "-s", "-c", JUDGE] if kind == "none" else _bubblewrap(folder)
        data = {k: v for k, v in os.environ.items() if k == "LABKIT_DATA"}
        variables = _variables(str(folder) if kind == "none" else INSIDE)
        environment = {**variables, "PYTHONPATH": str(PACKAGE.parent), **data}
        limit = _limit(limits)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    child = subprocess.Popen(
        command, **pipes, cwd=folder, env=environment, preexec_fn=limit, start_new_session=True
    )
    talk = _Talk(child, limits, started)
    try:
        talk.send(job)
        for message in talk.messages():
            reply = answer(message)
            if reply is not None:
                talk.send(reply)
    finally:
        talk.kill()
        if kind.startswith("docker:"):
            subprocess.run(["docker", "kill", name], capture_output=True, check=False)
    if talk.end == "exited" and child.returncode == OUT_OF_MEMORY:
        talk.end = "memory"
    text = talk.heard.decode(errors="replace")
    return Outcome(talk.end, time.monotonic() - started, talk.peak, text, talk.printed, talk.forged)


class _Talk:
    """Both directions of the talk with a judge, with an eye on the clock, the memory and the noise."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Limits, started: float) -> None:
        self.child, self.limits, self.deadline = child, limits, started + limits.seconds
        self.heard, self.end, self.peak, self.looked = b"", "exited", 0, 0.0
        self.printed, self.forged = 0, 0
        self.key = secrets.token_bytes(32)
        self._write(self.key)

    def send(self, message: dict[str, Any]) -> None:
        number = secrets.token_bytes(16)
        self._write(number + veil(number + json.dumps(message).encode(), self.key))

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has ended; messages() will see
            self.child.stdin.write(data.hex().encode() + b"\n")
            self.child.stdin.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the judge sends, until it ends or must be ended; what it prints is kept in ``heard`` or thrown away."""
        with selectors.DefaultSelector() as selector:
            for stream in (self.child.stdout, self.child.stderr):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            line = b""
            while selector.get_map():
                ready = selector.select(0.1)
                if self._too_much(line):
                    return
                for key, _ in ready:
                    data = key.fileobj.read1(1 << 20)
                    if not data:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self.child.stderr:
                        self.heard += data[: HEARD - len(self.heard)]
                        self.printed += len(data)
                    else:
                        *whole, line = (line + data).split(b"\n")
                        for text in whole:
                            data = text.partition(b" ")[2]
                            if not hmac.compare_digest(sign(data, self.key), text):
                                self.forged += 1
                                continue
                            message = json.loads(data)
                            if message.get("done"):
                                self.end = "done"
                            yield message

    def _too_much(self, line: bytes) -> bool:
        if time.monotonic() > self.deadline:
            self.end = "time"
        elif len(line) > LINE:
            self.end = "noise"
        elif time.monotonic() - self.looked > 0.1:
            self.looked = time.monotonic()
            sizes = list(_sizes(self.child.pid))
            held = sum(sizes)
            if len(sizes) > 1 and held > max(self.peak, self.limits.memory / 2):
                held = sum(_sizes(self.child.pid, shared=True))
            self.peak = max(self.peak, held)
            if held > self.limits.memory:
                self.end = "memory"
            elif len(sizes) > self.limits.processes:
                self.end = "processes"
        return self.end not in ("exited", "done")

    def kill(self) -> None:
        """End all its processes: with bubblewrap's first one its whole name space goes."""
        import psutil

        try:
            tree = psutil.Process(self.child.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            tree = []
        for process in (self.child, *tree):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _sizes(pid: int, *, shared: bool = False) -> Iterator[int]:
    """What each process of the tree under ``pid`` holds in memory, in bytes; ``shared`` pages counted once, more slowly."""
    import psutil

    try:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            try:
                yield process.memory_full_info().pss if shared else process.memory_info().rss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
    except psutil.NoSuchProcess:
        return
