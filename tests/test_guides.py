"""The guides, done: every command in them is run on a copy of the course with a made-up class; and a lab in Colab."""

from __future__ import annotations

import functools
import http.server
import os
import re
import shlex
import shutil
import socketserver
import subprocess
import sys
import threading
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest

from labkit.course import sandbox
from labkit.course.release import release
from labkit.course.settings import Course
from tests.conftest import ROOT
from tests.test_gradebook import CANVAS, MOODLE

pytestmark = pytest.mark.hangs_on(
    "book/guides/*",
    "labs/*",
    "labkit/**",
    "tests/**",
    "_config.yml",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "Makefile",
)

GUIDES = ROOT / "book" / "guides"
# What needs the network or is this test suite itself: each with the reason why it is not run here.
NOT_RUN = {
    "make site": "tests/test_site.py looks at its result",
    "make test": "this is it",
    "make lab LAB=01_ranking": "tests/test_labs.py runs every lab",
    "python3 -m venv course": "test_a_lab_in_colab makes one",
    'course/bin/pip install jupyterlab "ADDRESS_OF_THE_WHEEL"': "needs a registry; test_a_lab_in_colab installs the wheel",
    "course/bin/jupyter lab": "a server that does not end",
}


def commands(guide: str) -> list[str]:
    blocks = re.findall(r"```bash\n(.*?)```", (GUIDES / guide).read_text(encoding="utf-8"), re.DOTALL)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def on_path() -> str:
    """The programs of this environment first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.skipif(
    not sandbox._runs(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]), reason="no bubblewrap"
)
def test_the_instructors_semester(tmp_path):
    """A fork, its release, a class of three, their marks in Canvas and Moodle, and the report: as the guide says."""
    fork = tmp_path / "fork"
    fork.mkdir()
    for name in ("labs", "labkit", "tests"):
        shutil.copytree(ROOT / name, fork / name, ignore=shutil.ignore_patterns("__pycache__", "attacks"))
    for name in ("_config.yml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, fork)
    config = (fork / "_config.yml").read_text()
    (fork / "_config.yml").write_text(config.replace("github.com/OWNER/", "github.com/physics-school/"))
    (fork / "gradebook.csv").write_text(CANVAS)
    (fork / "worksheet.csv").write_text(MOODLE)
    program = fork / ".venv" / "bin" / "labkit"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom labkit.course.cli import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    environment = {**os.environ, "PATH": on_path(), "PYTHONPATH": str(fork)}
    ran = []
    for command in commands("instructor.md"):
        if command in NOT_RUN:
            continue
        if command.startswith(".venv/bin/labkit grade"):
            student = fork / "_build" / "release" / "public" / "labs" / "01_ranking.ipynb"
            with zipfile.ZipFile(fork / "submissions.zip", "w") as archive:
                for name in ("curiemarie_4711_98_", "noetheremmy_LATE_4712_99_"):
                    archive.write(student, f"{name}01_ranking.ipynb")
        done = subprocess.run(
            shlex.split(command),
            cwd=fork,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        ran.append(command)
    assert len(ran) >= 8
    assert (
        "physics-school.github.io"
        in (fork / "_build" / "release" / "public" / "labs" / "01_ranking.ipynb").read_text()
    )
    assert {p.name for p in (fork / "marks").rglob("*") if p.is_file()} == {
        "lab01.csv",
        "lab01.ledger.jsonl",
        "lab01.html",
        "curiemarie_4711.html",
        "noetheremmy_4712.html",
    }
    assert "4711,u1,curie,A,0" in (fork / "canvas.csv").read_text()
    assert "Participant 4712" in (fork / "late.csv").read_text()


def test_every_command_of_the_guides_is_run_or_says_why_not():
    for guide in ("instructor.md", "student.md"):
        for command in commands(guide):
            assert command in NOT_RUN or re.match(r"(\.venv|course)/bin/labkit |make release", command), (
                command
            )
    said = set(commands("instructor.md")) | set(commands("student.md"))
    assert set(NOT_RUN) <= said, "a reason for a command that no guide has"


# --- a student in Colab


@pytest.fixture
def served(course, tmp_path):
    """A release whose addresses lie on loopback; yields the folder of what is public."""
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "release" / "public")
    )
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        fork = Course(tmp_path / "fork")
        fork.root.mkdir()
        for name in ("labs", "labkit", "_config.yml", "pyproject.toml", "README.md", "LICENSE"):
            (fork.root / name).symlink_to(ROOT / name)
        out = release(fork, ["01_ranking"], tmp_path / "release")
        yield out / "public", f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_a_lab_in_colab(served, tmp_path, course):
    """A fresh environment with a stub google.colab and everything but labkit installed; the wheel comes over loopback."""
    public, address = served
    venv.create(tmp_path / "colab", symlinks=True)
    python = tmp_path / "colab" / "bin" / "python"
    [site] = (tmp_path / "colab").glob("lib/python*/site-packages")
    import torch

    libraries = tmp_path / "libraries"  # torch, numpy, … as Colab has them: all but labkit
    libraries.mkdir()
    for path in Path(torch.__file__).parents[1].iterdir():
        if "labkit" not in path.name and path.suffix != ".pth":
            (libraries / path.name).symlink_to(path)
    (site / "preinstalled.pth").write_text(f"{libraries}\n")
    stub = site / "google" / "colab"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("")
    notebook = nbformat.read(public / "labs" / "01_ranking.ipynb", as_version=4)
    set_up = next(c for c in notebook.cells if "google.colab" in c.source)
    wheel = re.search(r"https://[^\s\"']+\.whl", set_up.source)[0]
    cells = [
        "import google.colab  # Colab's kernel has it loaded",
        set_up.source.replace(wheel, address + wheel.rsplit("/", 1)[1]),
    ]
    cells += [
        'print("check", [r.passed for r in grader.check("q1").test_case_results])',
        "import torch, labkit; print('where', torch.__file__, labkit.__file__)",
    ]
    script = tmp_path / "colab.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells]), script)
    run = (
        "import sys, nbformat; from nbclient import NotebookClient\n"
        "from jupyter_client import KernelManager\n"
        "nb = nbformat.read(sys.argv[1], 4)\n"
        "from jupyter_client.kernelspec import KernelSpec\n"
        "manager = KernelManager()\n"
        "manager._kernel_spec = KernelSpec(argv=[sys.argv[2], '-m', 'ipykernel_launcher', '-f', '{connection_file}'])\n"
        "NotebookClient(nb, km=manager, timeout=300).execute()\n"
        "print(*[o.get('text', '') for c in nb.cells for o in c.outputs])\n"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= {"LABKIT_PROFILE": "laptop", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [sys.executable, "-c", run, str(script), str(python)], env=environment, cwd=tmp_path, capture_output=True,
        text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "check [False" in done.stdout
    where = re.search(r"where (\S+) (\S+)", done.stdout)
    assert Path(where[1]).is_relative_to(libraries), "Colab's own torch was replaced"
    assert where[2].startswith(str(site)), "labkit is not the released one"
    assert not (site / "torch").exists()
