"""The guides, done: every command in them is run on a copy of the course with a made-up class."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from labkit.course import sandbox
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
    "python3 -m venv course": "tests/hosted makes one",
    "course/bin/pip install jupyterlab": "needs a registry; tests/hosted runs the notebook with what is there",
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
