"""The exercises' tests are tested: right answers score full, wrong ones lose points, errors of method lose many."""

from __future__ import annotations

import importlib
import re
import shutil
import time
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import torch
from otter.test_files.abstract_test import TestCase
from otter.test_files.exception_test import ExceptionTestFile

import labkit
from labkit import session
from tests.conftest import NOT_REWRITTEN, ROOT, by_lab
from tests.exercises import set_up, untouched
from tests.mutants import apply

LAB = ("labs/{stem}.ipynb", "labkit/**")


def run(answer: str, environment: dict, cases: list[TestCase]) -> Iterator[tuple[TestCase, bool, float]]:
    """Run tests on ``answer`` (in a copy of ``environment``), one at a time: each with whether it passed, and its seconds."""
    environment = dict(environment)
    # A wrong answer may leave gradients switched off; the next one must not pay for that.
    with warnings.catch_warnings(), torch.enable_grad():
        warnings.simplefilter("ignore")
        exec(answer, environment)
        for case in cases:
            begin = time.perf_counter()
            try:
                case.body.call_func(environment)
                passed = True
            except Exception:
                passed = False
            yield case, passed, time.perf_counter() - begin


def score(answer: str, environment: dict, cases: list[TestCase]) -> float:
    """The points of an answer, all tests run."""
    return sum(case.points for case, passed, _ in run(answer, environment, cases) if passed)


def killer(answer: str, environment: dict, cases: list[TestCase]) -> str | None:
    """The name of the first test that takes points from an answer; None where it scores full."""
    return next((case.name for case, passed, _ in run(answer, environment, cases) if not passed), None)


@by_lab(*LAB, "tests/mutants/{stem}.py")
def test_all_mutants_are_killed_and_all_right_answers_accepted(stem, released, report, request):
    questions = importlib.import_module(f"tests.mutants.{stem}").QUESTIONS
    tested = set_up(ROOT / "labs" / f"{stem}.ipynb")
    assert set(questions) == set(tested), "each question with tests has mutants"
    # Which test killed a mutant last time: that one first. A hint only; where it passes, the others run.
    hints = request.config.cache.get(f"killers/{stem}", {})
    killers: dict[str, str] = {}
    archive = zipfile.ZipFile(released / "private" / f"{stem}-autograder.zip")
    rows = [
        f"{'question':10} {'tests':>5} {'points':>6} {'right':>5} {'accepted':>8} {'mutants':>7} {'killed':>6} "
        f"{'method':>6} {'careless':>8}"
    ]
    losses, faults = [], []
    for name, exercise in tested.items():
        question = questions[name]
        cases = ExceptionTestFile.from_string(archive.read(f"tests/{name}.py").decode()).test_cases
        solution = "\n\n".join(exercise.solution)
        results = list(run(solution, exercise.environment, cases))
        full = sum(case.points for case in cases)
        if not all(passed for _, passed, _ in results):
            faults.append(f"{name}: the solution fails {[c.name for c, passed, _ in results if not passed]}")
        assert question.right, f"{name} has no right answer of another shape"
        right = question.right | ({"textbook": question.textbook} if question.textbook else {})
        accepted = 0
        for what, answer in right.items():
            got = score(answer, exercise.environment, cases)
            accepted += got == full
            if got != full:
                faults.append(f"{name}: the right answer {what!r} scores {got} of {full}")
        # One failing test decides, so the quick ones come first. A test without points kills nobody.
        cheap = [case for case, _, _ in sorted(results, key=lambda result: result[2]) if case.points]
        killed = 0
        for what, change in question.wrong.items():
            hint = hints.get(f"{name}: {what}")
            order = sorted(cheap, key=lambda case: case.name != hint)
            by = killer(apply(solution, change), exercise.environment, order)
            killed += by is not None
            if by is None:
                faults.append(f"{name}: the wrong answer {what!r} scores full")
            else:
                killers[f"{name}: {what}"] = by
        # Errors of method and carelessness are weighed by what they cost, so all tests run.
        if stem not in NOT_REWRITTEN:
            assert question.textbook, f"{name} has no textbook answer"
            assert question.method, f"{name} names no error of method"
        for kind in ("method", "careless"):
            for what, change in getattr(question, kind).items():
                lost = full - score(apply(solution, change), exercise.environment, cases)
                losses.append(f"{name} {kind:8} {lost:3.0f} of {full:2.0f}  {what}")
                if kind == "method" and lost < 0.4 * full:
                    faults.append(f"{name}: the error of method {what!r} loses only {lost} of {full}")
                if kind == "careless" and lost > 0.1 * full:
                    faults.append(f"{name}: the careless answer {what!r} loses {lost} of {full}")
        rows.append(
            f"{name:10} {len(cases):5} {full:6.0f} {len(right):5} {accepted:8} {len(question.wrong):7} {killed:6} "
            f"{len(question.method):6} {len(question.careless):8}"
        )
    request.config.cache.set(f"killers/{stem}", killers)
    report(f"mutants-{stem}", "\n".join(rows + (["points lost:", *losses] if losses else [])))
    assert not faults, "\n".join(faults)


@by_lab(*LAB)
def test_the_released_wheel_checks_a_students_answers(stem, released, tmp_path, monkeypatch):
    """The public tests of the wheel, found as a student's session finds them: nothing answered, then all."""
    with zipfile.ZipFile(next((released / "public").glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path)
    monkeypatch.setattr(session, "files", lambda package: tmp_path / package)
    monkeypatch.chdir(tmp_path)  # Otter keeps a log
    grader = labkit.start(stem).grader()
    for name, exercise in set_up(ROOT / "labs" / f"{stem}.ipynb").items():
        unanswered = [r.passed for r in grader.check(name, global_env={}).test_case_results]
        assert unanswered, name
        assert not any(unanswered), name
        answered = grader.check(name, global_env=dict(exercise.environment)).test_case_results
        assert all(r.passed for r in answered), (name, [r.message for r in answered if not r.passed])


@by_lab(*LAB)
def test_the_untouched_notebook_scores_nothing(stem, released, tmp_path):
    """Its cells are run as Otter runs them, errors and all; then the archive's tests. (test_release.py asks Otter.)"""
    student = shutil.copy(released / "public" / "labs" / f"{stem}.ipynb", tmp_path)
    environment = untouched(Path(student))
    assert "lab" in environment, "its set-up runs"
    with zipfile.ZipFile(released / "private" / f"{stem}-autograder.zip") as archive:
        questions = [name for name in archive.namelist() if re.fullmatch(r"tests/q\d+\.py", name)]
        assert len(questions) >= 5
        for question in questions:
            cases = ExceptionTestFile.from_string(archive.read(question).decode()).test_cases
            assert sum(case.points for case in cases) > 0
            assert score("", environment, cases) == 0, question
