"""``labkit doctor``: what a machine lacks to work through the labs, or to grade them."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from labkit.course.settings import Course

Check = tuple[str, Callable[[], str], str]


def examine(*, instructor: bool = False) -> Iterator[tuple[str, str, str]]:
    """Check this machine; yield each check's name, what was found ("" where it failed), and what is wrong with its remedy."""
    for name, look, remedy in [*BOTH, *(INSTRUCTOR if instructor else STUDENT)]:
        try:
            yield name, look(), ""
        except Exception as error:  # a broken package may raise anything while it is imported
            yield name, "", f"{error!s:.200}: {remedy}"


def _requirements() -> str:
    """What the installed labkit says it needs, against what is installed."""
    from packaging.requirements import Requirement

    wrong, count = [], 0
    for line in importlib.metadata.requires("labkit") or []:
        needed = Requirement(line)
        if needed.marker and not needed.marker.evaluate({"extra": ""}):
            continue
        count += 1
        try:
            version = importlib.metadata.version(needed.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{needed.name} is missing")
            continue
        if not needed.specifier.contains(version, prereleases=True):
            wrong.append(f"{needed.name} {version} is not {needed.specifier}")
    if wrong:
        raise ImportError("; ".join(wrong))
    return f"{count} packages, all in their ranges"


def _imports() -> str:
    names = ("torch", "transformers", "gensim", "otter", "ipywidgets")
    for name in names:
        importlib.import_module(name)
    return ", ".join(names)


def _text() -> str:
    from labkit import corpora

    return f"{sum(1 for _ in corpora.load('wikipedia', 'paragraphs')):,} paragraphs of Wikipedia"


def _public_tests() -> str:
    folder = Path(__file__).parents[1] / "public_tests"
    labs = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    if not labs:
        raise FileNotFoundError("this labkit has no public tests")
    return f"{len(labs)} labs"


def _memory() -> str:
    import psutil

    return _enough(psutil.virtual_memory().available / 1e9, 3)


def _disk() -> str:
    return f"{_enough(shutil.disk_usage(Path.home()).free / 1e9, 2)} in the home folder"


def _enough(free: float, needed: int) -> str:
    if free < needed:
        raise OSError(f"{free:.1f} GB are free")
    return f"{free:.1f} GB free"


def _cache() -> str:
    import pooch

    folder = Path(pooch.os_cache("labkit"))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return str(folder)


def _device() -> str:
    import torch

    gpu = torch.cuda.is_available()
    torch.ones(2, device="cuda" if gpu else "cpu").sum().item()
    return torch.cuda.get_device_name() if gpu else "no GPU: labs run at their laptop size"


def _sandbox() -> str:
    from labkit.course import sandbox

    return sandbox.choose()


def _checkout() -> str:
    return str(Course.here().root)


def _repository() -> str:
    url = Course.here().repository
    if url.split("/")[-2] == "OWNER":
        raise ValueError(f"repository.url in _config.yml is still {url}")
    return url


def _program(name: str, oldest: int = 0) -> Callable[[], str]:
    def look() -> str:
        path = shutil.which(name)
        if not path:
            raise FileNotFoundError(f"there is no {name} on the PATH")
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        found = re.search(r"\d+", said)
        if oldest and (not found or int(found[0]) < oldest):
            raise RuntimeError(f"this is {name} {said.strip()}")
        return said.strip().splitlines()[0]

    return look


PIP = "run the two lines %pip install of a lab's first cell"
BOTH: list[Check] = [
    ("packages", _requirements, PIP),
    ("imports", _imports, f"reinstall the package that is named; then {PIP}"),
    ("bundled text", _text, "reinstall gensim: the text is part of it"),
    ("memory", _memory, "close programs: the labs need 3 GB"),
    ("disk", _disk, "free 2 GB"),
    ("cache folder", _cache, "make it writable: data sets are kept there"),
    ("device", _device, "restart the kernel; if the GPU stays broken, set CUDA_VISIBLE_DEVICES to nothing"),
]
STUDENT: list[Check] = [("public tests", _public_tests, PIP)]
INSTRUCTOR: list[Check] = [
    ("checkout", _checkout, "run this in a clone of the course"),
    ("repository", _repository, "set repository.url in _config.yml to your fork's address"),
    ("sandbox", _sandbox, "Debian: apt-get install bubblewrap; elsewhere Docker"),
    ("node", _program("node", 20), "install Node 20 or newer (nodejs.org): jupyter-book needs it"),
    ("git", _program("git"), "install git"),
]
