"""Marks into Canvas and Moodle, the late policy, the statistics of questions, and labkit doctor."""

from __future__ import annotations

import csv
import json
import math
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from labkit.course import doctor, questions
from labkit.course.cli import main
from labkit.course.gradebook import LatePolicy, export, read_table
from labkit.course.settings import CourseError

pytestmark = pytest.mark.hangs_on("labkit/**")

COLUMNS = ["student", "mark", "of", "q1", "status", "reason", "flags", "late", "handed in", "hand-in"]
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Lab 01 (555),Lab 02 (556)
Points Possible,,,,,41,34
"Curie, Marie",4711,u1,curie,A,,7
"Noether, Emmy",4712,u2,noether,A,3,
"Müller, Ann",4713,u3,amueller,B,,
"Müller, Ann",4714,u4,amueller2,B,,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments
Participant 4711,Marie Curie,m@example.org,Submitted for grading,,41.00,Yes,"Tuesday, 2 February 2027, 12:30 AM",-,
Participant 4712,Emmy Noether,e@example.org,Submitted for grading,,41.00,Yes,"Monday, 1 February 2027, 9:00 AM",-,
"""


def marks(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "lab01.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.DictWriter(stream, COLUMNS, restval="")
        table.writeheader()
        table.writerows({"of": "41", "status": "graded", **row} for row in rows)
    return path


def roster(folder: Path, text: str) -> Path:
    path = folder / "roster.csv"
    path.write_text("\ufeff" + text, encoding="utf-8")  # as Excel saves it
    return path


def test_canvas_gets_its_own_table_back_with_the_marks(tmp_path):
    table = marks(
        tmp_path,
        {"student": "curiemarie_4711", "mark": "38.5"},
        {"student": "Emmy Noether", "mark": "41"},
        {"student": "Ann Müller", "mark": "20"},  # there are two of them
        {"student": "Lise Meitner", "mark": "12"},
    )
    out = tmp_path / "canvas.csv"
    remarks = export(table, roster(tmp_path, CANVAS), out, system="canvas", column="Lab 01")
    columns, people = read_table(out)
    assert columns == [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Lab 01 (555)",
        "Lab 02 (556)",
    ]
    assert [p["Lab 01 (555)"] for p in people] == ["41", "38.5", "41", "", ""]
    assert [p["Lab 02 (556)"] for p in people] == ["34", "7", "", "", ""], "other columns stay as they were"
    assert [r.split(":")[0] for r in remarks] == ["Ann Müller", "Lise Meitner"]


def test_a_new_assignment_gets_a_column_and_its_points(tmp_path):
    table = marks(tmp_path, {"student": "curiemarie_4711", "mark": "38"})
    export(table, roster(tmp_path, CANVAS), tmp_path / "out.csv", system="canvas", column="Ranking")
    columns, people = read_table(tmp_path / "out.csv")
    assert columns[-1] == "Ranking"
    assert [p["Ranking"] for p in people] == ["41", "38", "", "", ""]


def test_moodle_gets_its_worksheet_back(tmp_path):
    table = marks(
        tmp_path,
        {"student": "Marie Curie_4711", "mark": "40"},
        {
            "student": "Emmy Noether_4712",
            "mark": "0",
            "status": "stopped",
            "reason": "it ran for more than 300 s",
        },
    )
    policy = LatePolicy(datetime(2027, 2, 1, 23, 59), percent=10, grace=15)
    out = tmp_path / "moodle.csv"
    remarks = export(table, roster(tmp_path, MOODLE), out, system="moodle", policy=policy)
    columns, people = read_table(out)
    assert columns == MOODLE.splitlines()[0].split(",")
    assert [p["Grade"] for p in people] == ["36", "0"]
    assert "1 day(s) late: 40 becomes 36" in people[0]["Feedback comments"]
    assert people[1]["Feedback comments"] == "it ran for more than 300 s"
    assert len(remarks) == 1


@pytest.mark.parametrize(
    ("when", "marked", "days"),
    [
        ("2027-02-01T23:59:00", False, 0),
        ("2027-02-02T00:13:00", False, 0),  # within the free minutes
        ("2027-02-02T00:15:00", False, 1),
        ("2027-02-02T23:59:00", False, 1),
        ("2027-02-03T00:00:00", False, 2),
        ("2027-01-20T12:00:00", True, 1),  # the learning system knows better
        (None, True, 1),
        (None, False, 0),
    ],
)
def test_days_late(when, marked, days):
    policy = LatePolicy(datetime(2027, 2, 1, 23, 59), percent=10, grace=15)
    assert policy.days(datetime.fromisoformat(when) if when else None, marked) == days


def test_a_late_mark_never_falls_below_zero():
    policy = LatePolicy(datetime(2027, 2, 1), percent=30)
    assert [policy.apply(40, days) for days in range(5)] == [40, 28, 16, 4, 0]


@pytest.mark.parametrize(
    ("system", "text", "named"),
    [("canvas", MOODLE, "'Student'"), ("moodle", CANVAS, "'Identifier'"), ("canvas", "", "'Student'")],
)
def test_a_table_of_another_system_is_one_clear_error(tmp_path, system, text, named):
    table = marks(tmp_path, {"student": "x", "mark": "1"})
    with pytest.raises(CourseError, match=named):
        export(table, roster(tmp_path, text), tmp_path / "out.csv", system=system)
    assert not (tmp_path / "out.csv").exists()


def test_the_command_says_which_options_belong_together(tmp_path, capsys):
    table = marks(tmp_path, {"student": "x", "mark": "1"})
    assert main(["export", str(table), "--out", str(tmp_path / "o.csv")]) == 1
    assert "--canvas" in capsys.readouterr().err
    sheet = str(roster(tmp_path, MOODLE))
    assert (
        main(["export", str(table), "--moodle", sheet, "--late", "10", "--out", str(tmp_path / "o.csv")]) == 1
    )
    assert "--due" in capsys.readouterr().err
    assert main(["export", sheet, "--moodle", sheet, "--out", str(tmp_path / "o.csv")]) == 1
    assert "labkit grade" in capsys.readouterr().err


# --- statistics


def row(student: str, *points: float) -> dict:
    def question(got: float) -> dict:
        tests = [
            {
                "name": "t",
                "points": 1,
                "hidden": False,
                "passed": got >= 1,
                "message": "" if got >= 1 else "expected 3",
            },
            {
                "name": "t",
                "points": 1,
                "hidden": True,
                "passed": got >= 2,
                "message": "hidden check: <ties> & order",
            },
        ]
        return {"points": got, "of": 2.0, "tests": tests}

    found = {f"q{i}": question(got) for i, got in enumerate(points, 1)}
    return {"student": student, "sha256": student * 12, "status": "graded", "questions": found}


CLASS = [row("a", 2, 2, 2), row("b", 2, 1, 2), row("c", 1, 1, 2), row("d", 0, 0, 2)]


def test_statistics_against_the_definition():
    first, second, third = questions.statistics(CLASS)
    assert (first.mean, first.full, first.none) == (5 / 8, 1 / 2, 1 / 4)
    expected = np.corrcoef([2, 2, 1, 0], [4, 3, 3, 2])[0, 1]  # the rest is q2 + q3
    assert first.discrimination == pytest.approx(expected)
    assert second.full == 1 / 4
    assert third.full == 1
    assert math.isnan(third.discrimination), "nobody differs: there is nothing to tell apart"


def test_the_hidden_checks_that_failed_most_come_first():
    found = questions.failed_checks(CLASS)
    assert [(name, share) for name, _, share in found] == [("q2", 3 / 4), ("q1", 1 / 2)]
    assert found[0][1] == "<ties> & order"


def test_the_report_shows_them(tmp_path, capsys):
    table = marks(
        tmp_path, *({"student": r["student"], "mark": "1", "hand-in": r["sha256"][:12]} for r in CLASS)
    )
    out = tmp_path / "report.html"
    assert main(["report", str(table), "--out", str(out)]) == 1
    assert "keep it beside" in capsys.readouterr().err
    changed = [json.dumps(row("a", 0, 0, 0)), *map(json.dumps, CLASS)]  # graded twice: the later row stands
    table.with_suffix(".ledger.jsonl").write_text("\n".join(changed) + "\n")
    assert main(["report", str(table), "--out", str(out)]) == 0
    page = out.read_text()
    assert "&lt;ties&gt; &amp; order" in page
    assert "data:image/png;base64," in page
    assert "4 students" in page
    assert "62%" in capsys.readouterr().out  # q1: 5 of 8 points


# --- doctor


def test_the_doctor_says_what_is_well(capsys):
    assert main(["doctor"]) in (0, 1)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("[OK]", "[FAIL]")) for line in lines)
    assert any(line.startswith("[OK]   packages: 2") for line in lines)
    assert any("5,635 paragraphs" in line for line in lines)


def test_the_doctor_names_each_remedy(monkeypatch, tmp_path, capsys):
    def broken() -> str:
        raise ImportError("libcudart.so is missing")

    monkeypatch.setattr(doctor, "BOTH", [("imports", broken, "reinstall it")])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--instructor"]) == 1
    said = capsys.readouterr().out
    assert "[FAIL] imports: libcudart.so is missing: reinstall it" in said
    for remedy in (
        "in a clone of the course",
        "apt-get install bubblewrap",
        "install Node 20",
        "install git",
    ):
        assert remedy in said


def test_the_doctor_finds_a_package_out_of_its_range(monkeypatch):
    wanted = ["torch>=2", "numpy<1.0", "no-such-package", "otherwise; extra == 'course'"]
    monkeypatch.setattr(doctor.importlib.metadata, "requires", lambda name: wanted)
    with pytest.raises(ImportError, match=r"numpy [\d.]+ is not <1.0; no-such-package is missing"):
        doctor._requirements()
