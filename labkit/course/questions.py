"""What a class did not get: statistics of questions and hidden checks."""

from __future__ import annotations

import base64
import html
import io
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit.course.gradebook import read_marks
from labkit.course.marks import PAGE
from labkit.course.settings import CourseError
from labkit.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """One question over a class: shares in [0, 1]; discrimination in [-1, 1], NaN where it is not defined."""

    name: str
    points: float
    mean: float  # share of the points that the class got
    full: float  # share of students with all points
    none: float  # share of students with no point
    discrimination: float


def graded_rows(marks: Path) -> list[Row]:
    """The whole rows behind the table ``marks``, out of the ledger beside it; only those that were graded."""
    ledger = marks.with_suffix(".ledger.jsonl")
    if not ledger.is_file():
        raise CourseError(f"{ledger} is missing: it holds the tests' results; keep it beside {marks.name}")
    wanted = {
        (row["student"], row["hand-in"])
        for row in read_marks(marks)
        if row["status"] in ("graded", "stopped")
    }
    found = {}
    for line in ledger.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if (row["student"], row["sha256"][:12]) in wanted:
            found[row["student"]] = row  # graded again with changed tests: the later one stands
    if not found:
        raise CourseError(f"{marks} has no graded hand-in")
    return list(found.values())


def statistics(rows: list[Row]) -> list[Question]:
    """Difficulty and discrimination of each question.

    Discrimination is the corrected item-total correlation (Crocker & Algina 1986, chapter 14): Pearson's correlation, over
    the students, of the points in this question with the sum of the points in all others.
    """
    names = sorted(rows[0]["questions"])
    got = np.array(
        [[row["questions"].get(n, {}).get("points", 0.0) for n in names] for row in rows], dtype=float
    )
    of = np.array([rows[0]["questions"][n]["of"] for n in names], dtype=float)
    found = []
    for column, name in enumerate(names):
        own, rest = got[:, column], np.delete(got, column, axis=1).sum(1)
        varies = len(rows) > 2 and own.std() > 0 and rest.std() > 0
        discrimination = float(np.corrcoef(own, rest)[0, 1]) if varies else float("nan")
        shares = own / max(of[column], 1e-9)
        full, none = float((shares >= 1).mean()), float((shares <= 0).mean())
        found.append(Question(name, float(of[column]), float(shares.mean()), full, none, discrimination))
    return found


def failed_checks(rows: list[Row]) -> list[tuple[str, str, float]]:
    """The hidden checks that the class failed most: question, what it tests, share of those who got to it."""
    failed: dict[tuple[str, int], list[bool]] = defaultdict(list)
    said: dict[tuple[str, int], str] = {}
    for row in rows:
        for name, question in row["questions"].items():
            for number, test in enumerate(t for t in question["tests"] if t["hidden"]):
                failed[name, number].append(not test["passed"])
                said[name, number] = str(test["message"] or "").removeprefix("hidden check: ")
    shares = [(key[0], said[key], sum(each) / len(each)) for key, each in failed.items() if any(each)]
    return sorted(shares, key=lambda found: (-found[2], found[0], found[1]))


def plot(questions: list[Question], students: int) -> Figure:
    """A figure: each question's mean share of its points, and its discrimination."""
    from matplotlib.figure import Figure

    from labkit.figures import style

    style()
    figure = Figure(figsize=(7.5, 0.45 * len(questions) + 1.4))
    left, right = figure.subplots(1, 2, sharey=True)
    names = [q.name for q in questions]
    left.barh(names, [q.mean for q in questions], color="C0", label="mean share of the points")
    left.plot([q.full for q in questions], names, "o", color="C1", label="share with full marks")
    left.set(xlim=(0, 1), xlabel=f"share, {students} students")
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize="small")
    right.barh(names, [0 if np.isnan(q.discrimination) else q.discrimination for q in questions], color="C2")
    right.set(xlim=(-1, 1), xlabel="discrimination (below 0.2: look again)")
    right.axvline(0.2, color="gray", lw=1, ls=":")
    left.invert_yaxis()
    return figure


def write_report(marks: Path, out: Path) -> list[Question]:
    """Write the report on the class behind ``marks`` to ``out`` (HTML, the plot inside); return the statistics."""
    rows = graded_rows(marks)
    questions = statistics(rows)
    picture = io.BytesIO()
    plot(questions, len(rows)).savefig(picture, format="png", dpi=150, bbox_inches="tight")
    lines = [
        f"<tr><td>{q.name}<td>{q.points:g}<td>{q.mean:.0%}<td>{q.full:.0%}<td>{q.none:.0%}<td>{_show(q.discrimination)}"
        for q in questions
    ]
    hidden = [
        f"<tr><td>{name}<td>{html.escape(what)}<td>{share:.0%}"
        for name, what, share in failed_checks(rows)[:15]
    ]
    body = f"""<p>{len(rows)} students. Discrimination is the correlation of a question's points with the points of all others:
below 0.2 the question does not tell who understood the lab.</p>
<table><tr><th>question<th>points<th>mean<th>full marks<th>no point<th>discrimination{"".join(lines)}</table>
<p><img style="max-width:100%;background:#fff" alt="Bars: the mean share of its points that each question got, and its discrimination"
src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"></p>
<h2>Hidden checks that failed most: the next lecture</h2>
<table><tr><th>question<th>what it tests<th>failed{"".join(hidden)}</table>"""
    with replacing(out) as new:
        new.write_text(
            PAGE.format(title=f"The class: {html.escape(marks.stem)}", body=body), encoding="utf-8"
        )
    return questions


def _show(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"
