"""The exercises' tests are tested: right answers of another shape score full, known wrong ones lose points."""

from __future__ import annotations

import importlib
import warnings
import zipfile

import pytest
import torch
from otter.test_files.exception_test import ExceptionTestFile

from tests.conftest import ROOT
from tests.exercises import exercises
from tests.mutants import apply

STEMS = sorted(path.stem for path in (ROOT / "labs").glob("[0-9][0-9]_*.ipynb"))


def points(tests: str, environment: dict, answer: str) -> tuple[float, float]:
    """Run a question's tests on ``answer`` (in a copy of ``environment``): points scored, points in all."""
    environment = dict(environment)
    # A wrong answer may leave gradients switched off; the next one must not pay for that.
    with warnings.catch_warnings(), torch.enable_grad():
        warnings.simplefilter("ignore")
        exec(answer, environment)
        file = ExceptionTestFile.from_string(tests)
        file.run(environment)
    results = file.test_case_results
    return sum(r.test_case.points for r in results if r.passed), sum(r.test_case.points for r in results)


@pytest.mark.parametrize("stem", STEMS)
def test_all_mutants_are_killed_and_all_right_answers_accepted(stem, released, report):
    questions = importlib.import_module(f"tests.mutants.{stem}").QUESTIONS
    tested = {e.name: e for e in exercises(ROOT / "labs" / f"{stem}.ipynb", run=True) if not e.manual}
    assert set(questions) == set(tested), "each question with tests has mutants"
    archive = zipfile.ZipFile(released / "private" / f"{stem}-autograder.zip")
    rows = [
        f"{'question':10} {'tests':>5} {'points':>6} {'right':>5} {'accepted':>8} {'mutants':>7} {'killed':>6}"
    ]
    wrongs = []
    for name, exercise in tested.items():
        tests = archive.read(f"tests/{name}.py").decode()
        solution = "\n\n".join(exercise.solution)
        full = points(tests, exercise.environment, solution)
        if full[0] != full[1]:
            wrongs.append(f"{name}: the solution scores {full[0]} of {full[1]}")
        accepted = killed = 0
        for what, answer in questions[name].right.items():
            got = points(tests, exercise.environment, answer)
            accepted += got == full
            if got != full:
                wrongs.append(f"{name}: the right answer {what!r} scores {got[0]} of {got[1]}")
        for what, change in questions[name].wrong.items():
            got = points(tests, exercise.environment, apply(solution, change))
            killed += got[0] < got[1]
            if got[0] >= got[1]:
                wrongs.append(f"{name}: the wrong answer {what!r} scores full")
        right, wrong = len(questions[name].right), len(questions[name].wrong)
        assert right >= 1, f"{name} has no right answer of another shape"
        row = f"{name:10} {len(exercise.tests):5} {full[1]:6.0f} {right:5} {accepted:8} {wrong:7} {killed:6}"
        rows.append(row)
    report(f"mutants-{stem}", "\n".join(rows))
    assert not wrongs, "\n".join(wrongs)
