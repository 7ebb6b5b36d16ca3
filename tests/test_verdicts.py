"""The plugin that keeps verdicts, on a small repository: what has not changed is not run, whatever has is."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on("tests/verdicts.py")

TESTS = """
import pathlib
import pytest
from tests import helper

@pytest.mark.hangs_on("data/{stem}.txt")
@pytest.mark.parametrize("stem", ["a", "b"])
def test_one(stem):
    assert "wrong" not in pathlib.Path(f"data/{stem}.txt").read_text()

def test_all():
    assert helper.fine

@pytest.mark.hangs_on("data/a.txt")
def test_skipped():
    pytest.skip("a program is missing")
"""


@pytest.fixture
def repository(tmp_path) -> Path:
    files = {
        "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = ["hangs_on"]\n',
        "tests/__init__.py": "",
        "tests/conftest.py": "",
        "tests/helper.py": "fine = True\n",
        "tests/test_it.py": TESTS,
        "data/a.txt": "a",
        "data/b.txt": "b",
        ".gitignore": ".pytest_cache/\n__pycache__/\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(ROOT / "tests" / "verdicts.py", tmp_path / "tests")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def run(repository: Path, *arguments: str) -> tuple[set[str], int, int]:
    """Names of the tests that ran, how many verdicts were kept, and the exit code."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.verdicts", "-v", "-p", "no:randomly", *arguments]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    ran = set(re.findall(r"test_it\.py::(\S+?) (?:PASSED|FAILED|SKIPPED)", done.stdout))
    ran |= set(re.findall(r"(?:PASSED|FAILED|SKIPPED) tests/test_it\.py::(\S+)", done.stdout))
    kept = re.search(r"(\d+) verdicts are kept", done.stdout)
    return ran, int(kept[1]) if kept else 0, done.returncode


ALL = {"test_one[a]", "test_one[b]", "test_all", "test_skipped"}
BOTH_WAYS = pytest.mark.parametrize(
    "way", [(), ("-n", "2", "--dist", "loadscope", "--no-loadscope-reorder")], ids=["one", "workers"]
)


@BOTH_WAYS
def test_only_what_has_changed_is_run_again(repository, way):
    assert run(repository, *way) == (ALL, 0, 0)
    assert run(repository, *way) == ({"test_skipped"}, 3, 0), "what was skipped is asked again"
    (repository / "data" / "b.txt").write_text("c")
    assert run(repository, *way) == ({"test_one[b]", "test_all", "test_skipped"}, 1, 0)
    (repository / "data" / "b.txt").write_text("wrong")
    for _ in range(2):
        ran, _, code = run(repository, *way)
        assert ("test_one[b]" in ran, code) == (True, 1), "a failure is never kept"
    (repository / "data" / "b.txt").write_text("c")
    assert "test_one[b]" in run(repository, *way)[0], "what failed since is asked again"
    assert run(repository, *way, "--cache-clear") == (ALL, 0, 0)


def test_where_all_is_kept_the_run_succeeds(repository):
    (repository / "tests" / "test_it.py").write_text(TESTS.split('@pytest.mark.hangs_on("data/a.txt")')[0])
    assert run(repository, "-n", "2", "--dist", "loadscope") == (ALL - {"test_skipped"}, 0, 0)
    assert run(repository, "-n", "2", "--dist", "loadscope") == (set(), 3, 0)
    assert run(repository) == (set(), 3, 0)


def test_a_module_that_a_test_imports_counts(repository):
    run(repository)
    (repository / "tests" / "helper.py").write_text("fine = 1\n")
    assert run(repository)[0] == ALL


def test_tests_are_chosen_by_what_they_hang_on(repository):
    assert run(repository, "--touching", "data/a.txt")[0] == {"test_one[a]", "test_all", "test_skipped"}
    assert run(repository, "--touching", "data/none.txt")[0] == set()


def test_the_tests_of_a_file_and_of_a_group_run_in_one_process(repository):
    for name, mark in (("one", ""), ("two", ""), ("three", '@pytest.mark.xdist_group("{n}")')):
        test = "import os, pathlib, pytest, time\n" + "\n".join(
            f"{mark.format(n=n % 2)}\ndef test_{n}():\n    time.sleep(0.05)\n"
            f"    place = pathlib.Path('seen-{name}{n % 2 if mark else ''}-' + os.environ['PYTEST_XDIST_WORKER'])\n"
            f"    place.write_text('')"
            for n in range(6)
        )
        (repository / "tests" / f"test_{name}.py").write_text(test)
    assert run(repository, "-n", "2", "--dist", "loadscope", "--no-loadscope-reorder")[2] == 0
    seen = [path.name.rsplit("-", 1)[0] for path in repository.glob("seen-*")]
    assert sorted(seen) == ["seen-one", "seen-three0", "seen-three1", "seen-two"]
