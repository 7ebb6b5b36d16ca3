"""Fixtures that many tests share, and the reports printed at the end of a run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.course.release import existing, release
from labkit.course.settings import Course

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "_build" / "reports"
STEMS = Course(ROOT).labs()
# Chapters and labs of the first edition: what the second one asks for is not asked of them. The list may only shrink:
# a chapter or a lab that has the new form fails while it is named here.
NOT_REWRITTEN = (
    "01_ranking",
    "02_backpropagation",
    "03_optimization",
    "04_recurrent",
    "05_embeddings",
    "06_elmo",
    "08_bert",
    "09_variants",
    "10_distillation",
    "11_probing",
    "12_capstone",
)


def by_lab(*files: str, group: str = "lab") -> Callable:
    """A test for each lab whose verdict hangs on ``files``; the tests of a lab run one after another in one process."""

    def mark(test: Callable) -> Callable:
        stems = [pytest.param(stem, marks=pytest.mark.xdist_group(f"{group}-{stem}")) for stem in STEMS]
        return pytest.mark.hangs_on(*files)(pytest.mark.parametrize("stem", stems)(test))

    return mark


@pytest.fixture(scope="session")
def course() -> Course:
    return Course(ROOT)


@pytest.fixture(scope="session")
def released(course, tmp_path_factory) -> Path:
    """The release of all labs as they are now: make's, or one made for this run."""
    return existing(course) or release(course, out=tmp_path_factory.mktemp("release") / "release")


@pytest.fixture(scope="session")
def report():
    """Write a report that is printed when all tests are done (workers cannot print)."""

    def write(name: str, text: str) -> None:
        REPORTS.mkdir(parents=True, exist_ok=True)
        (REPORTS / f"{name}.txt").write_text(text.rstrip() + "\n", encoding="utf-8")

    return write


@pytest.fixture(autouse=True)
def _no_outside_settings(monkeypatch):
    """Tests see no LABKIT settings of the person who runs them."""
    for name in ("LABKIT_DATA", "LABKIT_PROFILE"):
        monkeypatch.delenv(name, raising=False)


def pytest_make_parametrize_id(val, argname) -> str | None:
    """Bytes are named by their argument: what gzip writes holds the second, and two workers begin in two."""
    return argname if isinstance(val, bytes) else None


def pytest_sessionstart(session) -> None:
    """Forget the reports of earlier runs; workers begin later than the session that started them."""
    if not hasattr(session.config, "workerinput"):
        shutil.rmtree(REPORTS, ignore_errors=True)


def pytest_terminal_summary(terminalreporter) -> None:
    for path in sorted(REPORTS.glob("*.txt")) if REPORTS.is_dir() else []:
        terminalreporter.write_sep("-", path.stem)
        terminalreporter.write_line(path.read_text(encoding="utf-8").rstrip())
