"""A lab's exercises, taken from its master: the solutions, and a namespace to try answers in."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from unittest import mock

import nbformat
import yaml
from IPython.core.inputtransformer2 import TransformerManager


@dataclass
class Exercise:
    """One question of a master: its configuration, its solution's cells, its tests' cells."""

    name: str
    config: dict
    solution: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    environment: dict = field(default_factory=dict)

    @property
    def manual(self) -> bool:
        return bool(self.config.get("manual"))


def cells(master: Path) -> Iterator[tuple[Exercise | None, str, nbformat.NotebookNode]]:
    """Yield each cell of a master with its question (None outside) and its block: "", SOLUTION or TESTS."""
    exercise, block = None, ""
    for cell in nbformat.read(master, as_version=4).cells:
        text = cell.source.strip()
        if cell.cell_type == "raw" and text.startswith("# BEGIN QUESTION"):
            config = yaml.safe_load(text.replace("# BEGIN QUESTION", ""))
            exercise = Exercise(config["name"], config)
        elif cell.cell_type == "raw" and text.startswith("# END QUESTION"):
            exercise = None
        elif cell.cell_type == "raw" and text.startswith("# BEGIN"):
            block = text.split()[-1]
        elif cell.cell_type == "raw" and text.startswith("# END"):
            block = ""
        else:
            yield exercise, block, cell


def exercises(master: Path) -> list[Exercise]:
    """The exercises of a master, in order; nothing is run."""
    found: dict[str, Exercise] = {}
    for exercise, block, cell in cells(master):
        if exercise is None:
            continue
        exercise = found.setdefault(exercise.name, exercise)
        if cell.cell_type == "code" and block in ("SOLUTION", "TESTS"):
            (exercise.solution if block == "SOLUTION" else exercise.tests).append(cell.source)
    return list(found.values())


@lru_cache(maxsize=1)  # the tests of a lab follow each other, and a lab's namespace is large
def set_up(master: Path) -> dict[str, Exercise]:
    """The exercises with tests, by name, each with the namespace as it was right after its solution.

    The master's cells are run up to the last question with tests, at the size ``grade``.
    """
    found = {exercise.name: exercise for exercise in exercises(master) if not exercise.manual}
    todo = [(e, block, cell.source) for e, block, cell in cells(master) if cell.cell_type == "code"]
    last = max(i for i, (_, block, _) in enumerate(todo) if block == "TESTS")
    environment: dict = {"__name__": "__main__"}
    with at_grade(master.parent) as run:
        for exercise, block, source in todo[:last]:
            if block != "TESTS":
                run(source, environment)
            if block == "SOLUTION" and exercise is not None and exercise.name in found:
                found[exercise.name].environment = dict(environment)
    return found


@contextlib.contextmanager
def at_grade(folder: Path) -> Iterator[Callable[[str, dict], None]]:
    """Give a function that runs a notebook's cell in a namespace, quietly, in ``folder``, at the size ``grade``."""
    transform = TransformerManager().transform_cell
    with (
        mock.patch.dict(os.environ, LABKIT_PROFILE="grade"),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        yield lambda source, environment: exec(transform(source), environment)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def untouched(student: Path) -> dict:
    """The namespace of a student's notebook in which nothing is answered: cells that end in errors are passed over."""
    environment: dict = {"__name__": "__main__"}
    with at_grade(student.parent) as run:
        for cell in nbformat.read(student, as_version=4).cells:
            if cell.cell_type == "code":
                with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                    run(cell.source, environment)
    return environment


def solved(student: Path, master: Path) -> nbformat.NotebookNode:
    """The student notebook with the master's solutions in the blanks."""
    notebook = nbformat.read(student, as_version=4)
    answers = [c.source for e, block, c in cells(master) if block == "SOLUTION" and c.cell_type == "code"]
    blanks = [
        c
        for c in notebook.cells
        if c.cell_type == "code" and "otter_answer_cell" in c.metadata.get("tags", [])
    ]
    for blank, answer in zip(blanks, answers, strict=True):
        blank.source = answer
    return notebook
