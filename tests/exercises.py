"""A lab's exercises, taken from its master: the solutions, and a namespace to try answers in."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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


def exercises(master: Path, *, run: bool = False) -> list[Exercise]:
    """Return the exercises of a master, in order.

    With ``run``, the master's cells are run up to the last question with tests, at the size ``grade``, and
    each exercise gets the namespace as it was right after its solution.
    """
    found: dict[str, Exercise] = {}
    environment: dict = {"__name__": "__main__"}
    todo = []
    for exercise, block, cell in cells(master):
        if exercise is not None:
            exercise = found.setdefault(exercise.name, exercise)
        if cell.cell_type != "code":
            continue
        if exercise is not None and block in ("SOLUTION", "TESTS"):
            (exercise.solution if block == "SOLUTION" else exercise.tests).append(cell.source)
        todo.append((exercise, block, cell.source))
    if run:
        last = max(i for i, (exercise, block, _) in enumerate(todo) if block == "TESTS")
        transform = TransformerManager().transform_cell
        here = Path.cwd()
        os.environ["LABKIT_PROFILE"] = "grade"
        try:
            os.chdir(master.parent)
            with contextlib.redirect_stdout(io.StringIO()):
                for exercise, block, source in todo[:last]:
                    if block != "TESTS":
                        exec(transform(source), environment)
                    if block == "SOLUTION" and exercise is not None:
                        exercise.environment = dict(environment)
        finally:
            os.chdir(here)
            del os.environ["LABKIT_PROFILE"]
    return list(found.values())


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
