"""A lab as the grader knows it, read from its release: tests, points, known wrong answers, what students get whole."""

from __future__ import annotations

import ast
import hashlib
import importlib
import io
import json
import random
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from labkit.course.release import existing, release
from labkit.course.settings import Course

HEADER = 'from otter.test_files import test_case\n\nOK_FORMAT = False\nname = "question"\npoints = None\n'


@dataclass(frozen=True)
class Case:
    """One test: its points, whether it is hidden, what a student is told of it, its source."""

    points: float
    hidden: bool
    message: str
    source: str

    @property
    def of_errors(self) -> bool:
        """Whether it asks for an error: what an answer that only raises would pass."""
        return "except ValueError" in self.source


@dataclass(frozen=True)
class Assignment:
    """A lab as the grader knows it: tests by question, known wrong answers, and the released functions that tests use."""

    stem: str
    cases: dict[str, tuple[Case, ...]] = field(repr=False)
    wrong: dict[str, list[str]] = field(repr=False)
    given: dict[str, str] = field(repr=False)
    names: frozenset[str] = field(repr=False)  # of the classes that the lab itself has
    imports: tuple[str, ...] = field(repr=False)  # the import statements of the lab and its tests
    answers: frozenset[str] = field(repr=False)  # what the tests call
    points: dict[str, float]
    released: frozenset[str] = field(repr=False)  # cells that students get whole
    archive: bytes = field(repr=False)  # what Gradescope and Otter take
    digest: str

    @classmethod
    def of(cls, course: Course, stem: str) -> Assignment:
        """Read what the release of lab ``stem`` says; one is made for it where ``_build/release`` is not of these sources."""
        course.lab(stem)
        with tempfile.TemporaryDirectory() as folder:
            out = existing(course) or release(course, [stem], Path(folder) / "release")
            archive = (out / "private" / f"{stem}-autograder.zip").read_bytes()
            with zipfile.ZipFile(io.BytesIO(archive)) as inside:
                names = sorted(n for n in inside.namelist() if re.fullmatch(r"tests/\w+\.py", n))
                tests = {Path(name).stem: inside.read(name).decode() for name in names}
            student = nbformat.read(out / "public" / "labs" / f"{stem}.ipynb", as_version=4)
        from otter.test_files.exception_test import ExceptionTestFile

        found = {name: ExceptionTestFile.from_string(source).test_cases for name, source in tests.items()}
        asked = {a for cases in found.values() for case in cases for a in case.body._get_func_params()}
        cases = {
            name: tuple(
                Case(float(c.points or 0), bool(c.hidden), str(c.failure_message or ""), source)
                for c, source in zip(found[name], _cases(text), strict=True)
            )
            for name, text in tests.items()
        }
        code_cells = [c for c in student.cells if c.cell_type == "code"]
        open_cells = [c for c in code_cells if "otter_answer_cell" not in c.metadata.get("tags", [])]
        given = {name: source for c in open_cells for name, source in _named(c.source) if name in asked}
        released = frozenset(c.source.strip() for c in open_cells)
        text = "\n".join(c.source for c in student.cells)
        names = frozenset(re.findall(r"^class (\w+)", text, re.MULTILINE))
        code = [*(c.source for c in code_cells), *tests.values()]
        imports = sorted({statement for source in code for statement in _imported(source)})
        points = {name: sum(case.points for case in several) for name, several in cases.items()}
        wrong = known_wrong(course, stem)
        digest = hashlib.sha256(json.dumps([tests, wrong, given], sort_keys=True).encode()).hexdigest()[:16]
        answers = frozenset(asked - set(given))
        return cls(
            stem, cases, wrong, given, names, tuple(imports), answers, points, released, archive, digest
        )

    def tests(self, question: str, draw: random.Random) -> tuple[str, list[int]]:
        """The source of a question's tests with a decoy among them, and the decoys' places.

        A decoy is a copy of a test that fails at its end: it passes only where something makes tests pass.
        """
        cases = self.cases[question]
        tree = ast.parse(draw.choice(cases).source)
        test = tree.body[0]
        failure = ast.parse(f"raise AssertionError({draw.choice(cases).message!r})").body
        # Whatever the copy does, also where it returns early, its end is a failure.
        test.body = [ast.Try(body=test.body, handlers=[], orelse=[], finalbody=failure)]
        test.name += f"_{draw.randrange(9)}"  # Otter keeps one test of a name
        place = draw.randrange(len(cases) + 1)
        sources = [case.source for case in cases]
        sources.insert(place, ast.unparse(ast.fix_missing_locations(tree)))
        return "\n\n\n".join([HEADER, *sources]), [place]


def _cases(text: str) -> Iterator[str]:
    """The source of each test in a file of Otter's."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            yield ast.unparse(node)


def _tree(source: str) -> ast.Module:
    """The syntax tree of a cell or a test; an empty one for a cell with IPython's own syntax."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)


def _named(source: str) -> Iterator[tuple[str, str]]:
    """The functions that a cell defines, with decorators, or imports: name and source."""
    for node in _tree(source).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.unparse(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, ast.unparse(ast.ImportFrom(node.module, [alias], 0))


def known_wrong(course: Course, stem: str) -> dict[str, list[str]]:
    """Wrong answers to each question, from the course's own tests: in no honest environment do they score full."""
    sys.path.insert(0, str(course.root))
    try:
        questions = importlib.import_module(f"tests.mutants.{stem}").QUESTIONS
        apply = importlib.import_module("tests.mutants").apply
        exercises = importlib.import_module("tests.exercises").exercises(course.lab(stem))
    finally:
        sys.path.remove(str(course.root))
    solutions = {exercise.name: "\n\n".join(exercise.solution) for exercise in exercises}
    return {
        q: [apply(solutions[q], change) for change in found.wrong.values()] for q, found in questions.items()
    }
