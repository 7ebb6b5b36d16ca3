"""A plugin for pytest: a test that passed is not run again until something that its verdict hangs on has changed.

``make test`` and ``make check`` load it (``-p tests.verdicts``); pytest by hand runs whatever it is asked to.

A test says by the marker ``hangs_on`` which files its verdict hangs on: patterns from the repository's root, in which
``{stem}`` and the names of other parameters stand for their values. A test without the marker hangs on every file. To
these come its own module, the modules of ``tests`` that it imports, the installed versions, and Python. The verdicts
lie in pytest's own cache, so ``--cache-clear`` (``make test FRESH=1``) forgets them all.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KEPT = "verdicts/passed"  # in pytest's cache: the test's name → digest of what it hung on when it passed
GROUPS = (
    "verdicts/groups"  # the test's name → its group: from the workers, which have the marks, to the scheduler
)
TOOK = "verdicts/seconds"  # group of tests → seconds that it took, for the order only
EVERYTHING = ("**",)
# What runs in a lab's notebook: labkit, but not the instructor's side in labkit/course.
NOTEBOOK = (
    "labs/{stem}.ipynb",
    "labkit/*",
    "tests/nbval.cfg",
    "tests/hosted/colab-3.13.txt",
    "tests/verdicts.py",
)
DIGEST = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("verdicts", "tests by what their verdict hangs on")
    group.addoption("--touching", action="append", default=[], metavar="FILE", help="on this file")
    group.addoption("--lab", metavar="STEM", help="on this lab, and not on the built site")
    group.addoption("--chapter", metavar="STEM", help="on this chapter, or its page on the built site")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ledger(config), "verdicts-ledger")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give whole groups to the processes (xdist's own ``loadgroup`` does not know this pytest's names)."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        groups: dict[str, str] | None = None

        def _split_scope(self, nodeid: str) -> str:
            if self.groups is None:  # the workers have collected by now
                self.groups = config.cache.get(GROUPS, {})
            return self.groups[nodeid]

    return ByGroup(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what need not run, and put the rest into an order: a group after the other, the longest first."""
    kept, took = config.cache.get(KEPT, {}), config.cache.get(TOOK, {})
    units: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        # The cells of a notebook stand or fall together; other tests each for itself.
        units[item.nodeid.split("::")[0] if is_notebook(item) else item.nodeid].append(item)
    chosen, again, elsewhere = [], [], []
    for unit in units.values():
        patterns = inputs(unit[0])
        digest = digest_of(patterns)
        for item in unit:
            item.stash[DIGEST] = digest
        if not asked_for(config, patterns):
            elsewhere += unit
        elif all(kept.get(item.nodeid) == digest for item in unit):
            again += unit
        else:
            chosen += unit
    # What has no time yet keeps its place; a group's tests stay together.
    order = {group: place for place, group in enumerate(dict.fromkeys(map(group_of, chosen)))}
    chosen.sort(key=lambda item: (-took.get(group_of(item), 0), order[group_of(item)]))
    items[:] = chosen
    config.hook.pytest_deselected(items=again + elsewhere)
    if hasattr(config, "workeroutput"):
        config.workeroutput["kept"] = len(again)
        config.cache.set(GROUPS, {item.nodeid: group_of(item) for item in items})
    else:
        config.pluginmanager.get_plugin("verdicts-ledger").kept = len(again)


def asked_for(config: pytest.Config, patterns: tuple[str, ...]) -> bool:
    """Whether the command line asks for tests whose verdict hangs on ``patterns``."""
    touching, lab, chapter = map(config.getoption, ("touching", "lab", "chapter"))
    if lab:
        on_site = any(pattern.startswith("_build/") for pattern in patterns)
        return f"labs/{lab}.ipynb" in patterns and not on_site
    if chapter:
        return not {f"book/{chapter}.md", f"_build/html/book/{chapter}.html"}.isdisjoint(patterns)
    return not touching or not files(patterns).isdisjoint(touching)


def is_notebook(item: pytest.Item) -> bool:
    """Whether ``item`` is a cell that nbval runs."""
    return item.path.suffix == ".ipynb"


def group_of(item: pytest.Item) -> str:
    """The tests that one process runs one after another: by default those of a file."""
    mark = item.get_closest_marker("xdist_group")
    return str(mark.args[0]) if mark else item.nodeid.split("::")[0]


def inputs(item: pytest.Item) -> tuple[str, ...]:
    """Patterns of the files that the verdict of ``item`` hangs on."""
    if is_notebook(item):
        return tuple(pattern.format(stem=item.path.stem) for pattern in NOTEBOOK)
    mark = item.get_closest_marker("hangs_on")  # a function's own instead of its module's
    if mark is None:
        return EVERYTHING
    values = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    values |= {name: value.stem for name, value in values.items() if isinstance(value, Path)}
    values.setdefault("stem", values.get("master"))
    patterns = [pattern.format(**values) for pattern in mark.args]
    module = item.path.relative_to(ROOT).as_posix()
    return tuple(sorted({*patterns, *imported(module), "tests/conftest.py", "tests/verdicts.py"}))


@cache
def imported(module: str) -> frozenset[str]:
    """A module of ``tests`` and those that it imports, as paths from the root."""
    found, todo = set(), [module]
    while todo:
        path = todo.pop()
        if path in found or not (ROOT / path).is_file():
            continue
        found.add(path)
        source = (ROOT / path).read_text(encoding="utf-8")
        for package, names in re.findall(r"^\s*from (tests[\w.]*) import ([\w, ]+)", source, re.MULTILINE):
            folder = package.replace(".", "/")
            todo += [f"{folder}.py", f"{folder}/__init__.py"]
            todo += [f"{folder}/{name.split()[0]}.py" for name in names.split(",") if name.strip()]
    return frozenset(found)


@cache
def listed() -> tuple[str, ...]:
    """Every file of the sources that git knows or would add, and of the built site."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    sources = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    html = (ROOT / "_build" / "html").rglob("*")
    site = (path.relative_to(ROOT).as_posix() for path in html if path.is_file())
    return tuple(sorted({*(name for name in sources if name and (ROOT / name).is_file()), *site}))


@cache
def matching(pattern: str) -> frozenset[str]:
    """The files of a pattern: ``*`` stands for part of a name, ``**`` for folders too."""
    parts = re.split(r"(\*\*/?|\*)", pattern)
    signs = {"**": ".*", "**/": "(.*/)?", "*": "[^/]*"}
    found = re.compile("".join(signs.get(part) or re.escape(part) for part in parts))
    return frozenset(name for name in listed() if found.fullmatch(name))


@cache
def files(patterns: tuple[str, ...]) -> frozenset[str]:
    """All files of some patterns."""
    return frozenset().union(*map(matching, patterns))


@cache
def content(name: str) -> str:
    """Digest of a file."""
    return hashlib.blake2b((ROOT / name).read_bytes(), digest_size=16).hexdigest()


@cache
def machine() -> str:
    """Python, the installed versions, labkit's settings in the environment, and whether all is to be proved."""
    installed = sorted({f"{d.metadata['Name']}=={d.version}" for d in distributions()})
    settings = sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("LABKIT_") or k == "PROOF")
    return "\n".join([sys.version, *installed, *settings])


@cache
def digest_of(patterns: tuple[str, ...]) -> str:
    """Digest of all that a verdict hangs on."""
    whole = hashlib.blake2b(machine().encode(), digest_size=16)
    for name in sorted(files(patterns)):
        whole.update(f"\0{name}\0{content(name)}".encode())
    return whole.hexdigest()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    report.user_properties += [("digest", item.stash[DIGEST]), ("group", group_of(item))]
    return report


class Ledger:
    """Keeps the verdicts that come in, in the process that the workers report to."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.passed: dict[str, str] = config.cache.get(KEPT, {})
        self.took: dict[str, float] = config.cache.get(TOOK, {})
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.kept, self.written = 0, time.monotonic()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        facts = dict(report.user_properties)
        self.seconds[facts["group"]] += report.duration
        if report.outcome != "passed":  # a test that was skipped is asked again
            self.failed.add(report.nodeid)
            self.passed.pop(report.nodeid, None)
        elif report.when == "teardown" and report.nodeid not in self.failed:
            self.passed[report.nodeid] = facts["digest"]
        if time.monotonic() - self.written > 20:
            self.write()

    def write(self) -> None:
        self.written = time.monotonic()
        self.config.cache.set(KEPT, self.passed)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        self.kept = max(self.kept, getattr(node, "workeroutput", {}).get("kept", 0))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self.write()
        self.config.cache.set(TOOK, {**self.took, **{k: round(v, 1) for k, v in self.seconds.items()}})
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.kept:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.kept:
            terminalreporter.write_line(
                f"{self.kept} verdicts are kept from earlier runs: nothing that they hang on has changed"
            )
