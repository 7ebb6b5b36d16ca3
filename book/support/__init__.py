"""What the chapters' support modules share: experiments, measured once and stored, and the code that a page shows.

The plumbing of a chapter lives in the module of its stem, such as ``support/07_transformers.py``: its experiments,
its figures, and the checks of the numbers in its prose. The page says ``page = support.of("07_transformers")`` in a
hidden cell, and then one line per figure.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import io
import json
import re
import symtable
import time
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from labkit.files import replacing

BOOK = Path(__file__).resolve().parents[1]
RESULTS = BOOK / "results"
HIDDEN = {"remove-cell", "remove-input", "hide-cell", "hide-input"}


def of(stem: str) -> ModuleType:
    """Return the support module of a chapter, such as "07_transformers"."""
    return importlib.import_module(f"support.{stem}")


# What a page shows


def visible_cells(text: str) -> list[str]:
    """Return the code cells of a page's Markdown that its readers see, without their tags."""
    cells = []
    for cell in re.findall(r"^```\{code-cell\}.*?\n(.*?)^```$", text, re.M | re.S):
        tags = re.match(r":tags: \[(.*)\]\n", cell)
        if not tags or HIDDEN.isdisjoint(re.split(r",\s*", tags[1])):
            cells.append(cell[tags.end() if tags else 0 :].strip("\n"))
    return cells


class Shown:
    """Definitions that a page shows, for its experiments: ``Shown("07_transformers", "greedy").greedy``.

    What an experiment measures is then the code that readers see. The definitions are run, with the page's imports
    and with all that they use of each other, when one of them is first asked for.
    """

    def __init__(self, stem: str, *names: str) -> None:
        self._stem, self._names = stem, names

    @cached_property
    def _source(self) -> str:
        text = "\n".join(visible_cells((BOOK / f"{self._stem}.md").read_text(encoding="utf-8")))
        return _reached(text, self._names, imports=True)

    @cached_property
    def _space(self) -> SimpleNamespace:
        space = {"__name__": f"{self._stem}.md"}
        exec(self._source, space)
        return SimpleNamespace(**space)

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            raise AttributeError(f"{name} is not among the names taken from the page: {self._names}")
        return getattr(self._space, name)


def _reached(text: str, names: Iterable[str], imports: bool = False) -> str:
    """Return the source of the top-level statements that define ``names``, and of all that these use.

    Comments on their own lines, blank lines and docstrings are left out, so that better words change nothing. With
    ``imports`` the imports come too. Raises ValueError for a name that is not defined.
    """
    tree = ast.parse(text)
    defining: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            defining.setdefault(statement.name, []).append(statement)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    defining.setdefault(node.id, []).append(statement)
    todo, taken = list(names), set()
    if missing := set(todo) - defining.keys():
        raise ValueError(f"{sorted(missing)} not defined by a statement at the top level")
    while todo:
        for statement in defining[todo.pop()]:
            if statement not in taken:
                taken.add(statement)
                todo += sorted(_globals(ast.get_source_segment(text, statement)) & defining.keys())
    if imports:
        taken |= {s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))}
    lines = text.splitlines()
    kept = []
    for statement in sorted(taken, key=lambda s: s.lineno):
        told: set[int] = set()
        for node in ast.walk(statement):
            if (
                isinstance(node, (ast.FunctionDef, ast.ClassDef))
                and ast.get_docstring(node)
                and node.body[1:]
            ):
                told |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        begin = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        span = range(begin, statement.end_lineno + 1)
        kept += [lines[i - 1].rstrip() for i in span if i not in told]
    return "\n".join(line for line in kept if line and not line.lstrip().startswith(("#", "@experiment(")))


def _globals(statement: str) -> set[str]:
    """Return the names of its module that a statement uses, its functions' local names left out."""

    def walk(table: symtable.SymbolTable) -> Iterator[str]:
        at_top = table.get_type() == "module"
        yield from (
            s.get_name() for s in table.get_symbols() if s.is_referenced() and (at_top or s.is_global())
        )
        for child in table.get_children():
            yield from walk(child)

    return set(walk(symtable.symtable(statement, "statement", "exec")))


def _bare(source: str) -> str:
    """Return Python code without comments, spaces and line breaks inside brackets: what a formatter may change."""
    marks = {
        tokenize.INDENT: "{",
        tokenize.DEDENT: "}",
        tokenize.NEWLINE: "\n",
        tokenize.COMMENT: "",
        tokenize.NL: "",
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "".join(marks.get(token.type, "".join(token.string.split())) for token in tokens)


# Experiments


class Stale(Exception):
    """What is stored was measured by other code, or was never measured."""


@dataclass(frozen=True)
class Experiment:
    """A function of a seed that takes too long for a page, and what it found when it was measured.

    It returns a dictionary. Its numbers are measured for several seeds: their range says what a repetition may give.
    Its other values (lists, texts, and arrays of numpy) are kept for the first seed, which is the page's.
    """

    run: Callable[[int], dict[str, Any]]
    seeds: int
    slack: float
    least: float

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def path(self) -> Path:
        """The file of what was measured; arrays lie beside it, in a file of the same name."""
        return RESULTS / self.run.__module__.removeprefix("support.") / f"{self.name}.json"

    @property
    def digest(self) -> str:
        """What the result hangs on: the function, all that it uses of its module, and of the page."""
        module = inspect.getmodule(self.run)
        source = _reached(inspect.getsource(module), [self.name])
        pages = [
            part for name in sorted(_globals(source)) if isinstance(part := vars(module).get(name), Shown)
        ]
        sources = [source, *(page._source for page in pages)]
        return hashlib.sha256("\n".join(map(_bare, sources)).encode()).hexdigest()[:16]

    @cached_property
    def stored(self) -> dict[str, Any]:
        """Return what was measured, numbers and lists and arrays by their names. Raises Stale."""
        found = self._read()
        remedy = f"run: make experiments CHAPTER={self.path.parent.name}"
        if found is None:
            raise Stale(f"{self.name} was never measured; {remedy}")
        if found["digest"] != self.digest:
            raise Stale(f"{self.name} was measured by other code than there is now; {remedy}")
        arrays = self.path.with_suffix(".npz")
        if arrays.exists():
            with np.load(arrays) as file:
                found["values"] |= {name: file[name] for name in file.files}
        return found["values"]

    def ends(self, name: str) -> tuple[float, float]:
        """Return the smallest and the largest value of a number over the seeds."""
        found = self._read()["seeds"][name]
        return min(found), max(found)

    @property
    def fresh(self) -> bool:
        """Whether there is a result, and it is of the code as it is."""
        found = self._read()
        return found is not None and found["digest"] == self.digest and found["of"] == self.seeds

    def measure(self, command: str, machine: dict[str, Any]) -> None:
        """Run it for all seeds, and store what comes."""
        begin = time.perf_counter()
        runs = [self.run(seed) for seed in range(1, self.seeds + 1)]
        seconds = (time.perf_counter() - begin) / self.seeds
        arrays = {name: value for name, value in runs[0].items() if isinstance(value, np.ndarray)}
        values = {name: value for name, value in runs[0].items() if name not in arrays}
        found = {
            "values": values,
            "seeds": {name: [run[name] for run in runs] for name in _numbers(values)},
            "of": self.seeds,
            "command": command,
            "date": date.today().isoformat(),
            "seconds_per_seed": round(seconds, 1),
            "machine": machine,
            "digest": self.digest,
        }
        if arrays:
            with replacing(self.path.with_suffix(".npz")) as new, new.open("wb") as file:
                np.savez_compressed(file, **arrays)
        with replacing(self.path) as new:
            new.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def differences(self) -> list[str]:
        """Run it again for the page's seed; return what lies outside of what ``experiment`` allows."""
        again, wrong = self.run(1), []
        for name in _numbers(self.stored):
            low, high = self.ends(name)
            room = max(self.slack * (high - low), self.least * abs(high))
            if not low - room <= again[name] <= high + room:
                wrong.append(f"{self.name}, {name}: {again[name]:.4g}, but {low:.4g} to {high:.4g} before")
        return wrong

    def _read(self) -> dict[str, Any] | None:
        return json.loads(self.path.read_text(encoding="utf-8")) if self.path.is_file() else None


def experiment(seeds: int = 10, slack: float = 0.5, least: float = 1e-3) -> Callable[[Callable], Experiment]:
    """Make a function of a seed an experiment.

    A repetition may leave the seeds' range by ``slack`` times its width, and at the least by ``least`` times the number.
    """
    return lambda run: Experiment(run, seeds, slack, least)


def experiments(stem: str) -> dict[str, Experiment]:
    """Return the experiments of a chapter, by name."""
    return {name: part for name, part in vars(of(stem)).items() if isinstance(part, Experiment)}


def stems() -> list[str]:
    """Return the chapters that have a support module."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[0-9][0-9]_*.py"))


def _numbers(values: dict[str, Any]) -> list[str]:
    return [
        name
        for name, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
