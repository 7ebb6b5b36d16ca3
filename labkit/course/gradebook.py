"""Marks as learning systems import them, with a late policy."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from labkit.course.settings import CourseError
from labkit.files import replacing

Table = list[dict[str, str]]


@dataclass(frozen=True)
class LatePolicy:
    """``percent`` of the mark is lost for each day begun after ``due``, once ``grace`` minutes have gone by."""

    due: datetime
    percent: float
    grace: float = 0.0

    def days(self, when: datetime | None, marked_late: bool) -> int:
        """Days begun after the date; a hand-in that only the learning system calls late counts as one day."""
        late = when - self.due if when else timedelta()
        if late <= timedelta(minutes=self.grace):
            return int(marked_late)
        return math.ceil(late / timedelta(days=1))

    def apply(self, mark: float, days: int) -> float:
        return round(mark * max(0.0, 1 - days * self.percent / 100), 2)


def read_table(path: Path) -> tuple[list[str], Table]:
    """The columns and rows of a CSV file; raises CourseError where there is none."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream)
            rows = [{k: v or "" for k, v in row.items() if k is not None} for row in reader]
            return list(reader.fieldnames or []), rows
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(
            f"{path} cannot be read as a table ({error}); export it again as CSV (UTF-8)"
        ) from error


def read_marks(path: Path) -> Table:
    """The rows that ``labkit grade`` wrote to ``path``."""
    columns, rows = read_table(path)
    missing = [c for c in ("student", "mark", "of", "status") if c not in columns]
    if missing:
        raise CourseError(
            f"{path} has no column {missing[0]!r}: name the file that `labkit grade --out` wrote"
        )
    return rows


def export(
    marks: Path, roster: Path, out: Path, *, system: str, column: str = "", policy: LatePolicy | None = None
) -> list[str]:
    """Copy ``roster`` to ``out`` with the marks in it; return remarks, one a line, on late and unmatched hand-ins.

    ``roster`` is what the learning system exports: Canvas's gradebook (``system="canvas"``; ``column`` is the assignment's,
    added if it is new) or Moodle's grading worksheet (``system="moodle"``). Students without a hand-in keep what the roster
    says. Raises CourseError for other files, and for two students who cannot be told apart.
    """
    columns, people = read_table(roster)
    rows = read_marks(marks)
    needed = {
        "canvas": ("Student", "ID", "SIS Login ID", "Section"),
        "moodle": ("Identifier", "Full name", "Grade"),
    }
    for name in needed[system]:
        if name not in columns:
            raise CourseError(f"{roster} has no column {name!r}: it is not what {system.title()} exports")
    remarks: list[str] = []
    if system == "canvas":
        columns, column = _canvas_column(columns, people, column or marks.stem, rows)
    else:
        column = "Grade"
    known = {key: person for person in people for key in _keys(person, system)}
    twice = [key for key in known if sum(key in _keys(person, system) for person in people) > 1]
    for row in rows:
        found = [known[key] for key in _names(row["student"]) if key in known and key not in twice]
        if not found:
            remarks.append(f"{row['student']}: not in {roster.name}; enter {row['mark']} by hand")
            continue
        mark, note = _mark(row, policy, found[0].get("Last modified (submission)", ""))
        found[0][column] = f"{mark:g}"
        if note:
            remarks.append(f"{row['student']}: {note}")
        if "Feedback comments" in columns and (row["status"] != "graded" or note):
            found[0]["Feedback comments"] = "; ".join(filter(None, (row.get("reason", ""), note)))
    with replacing(out) as new, new.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(people)
    return remarks


def _canvas_column(columns: list[str], people: Table, column: str, rows: Table) -> tuple[list[str], str]:
    """The assignment's column: Canvas writes "Name (123)"; a new one gets the points possible in Canvas's second row."""
    for name in columns:
        if name == column or re.fullmatch(rf"{re.escape(column)} \(\d+\)", name):
            return columns, name
    possible = next((p for p in people if p["Student"].strip().casefold() == "points possible"), None)
    if possible is not None and rows:
        possible[column] = rows[0]["of"]
    return [*columns, column], column


def _keys(person: dict[str, str], system: str) -> set[str]:
    """What a hand-in's file name may call this person."""
    if system == "moodle":
        return {f"id:{_digits(person['Identifier'])}", _letters(person["Full name"])} - {"id:", ""}
    last, _, first = person["Student"].partition(",")
    return {
        f"id:{person['ID'].strip()}", _letters(person["Student"]), _letters(first + last),
        _letters(person.get("SIS Login ID", "")), _letters(person.get("SIS User ID", "")),
    } - {"id:", ""}  # fmt: skip


def _names(student: str) -> list[str]:
    """What a row's student may be in a roster, the surest first: the system's number, then the name."""
    name, _, number = student.rpartition("_")
    return [f"id:{number}", _letters(name)] if name and number.isdigit() else [_letters(student)]


def _digits(text: str) -> str:
    return "".join(re.findall(r"\d+", text))


def _letters(text: str) -> str:
    return re.sub(r"\W|_", "", text.casefold())


def _mark(row: dict[str, str], policy: LatePolicy | None, handed_in: str) -> tuple[float, str]:
    mark = float(row["mark"] or 0)
    if policy is None:
        return mark, ""
    when = _time(handed_in) or _time(row.get("handed in", ""))
    days = policy.days(when, bool(row.get("late")))
    if not days:
        return mark, ""
    after = policy.apply(mark, days)
    said = (
        f"handed in {when:%Y-%m-%d %H:%M}"
        if when and when > policy.due
        else "marked late by the learning system"
    )
    return after, f"{said}, {days} day(s) late: {mark:g} becomes {after:g}"


def _time(text: str) -> datetime | None:
    """A time as labkit or an English Moodle writes it; None for any other text."""
    for form in ("%Y-%m-%dT%H:%M:%S", "%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M"):
        try:
            return datetime.strptime(text.strip(), form)
        except ValueError:
            continue
    return None
