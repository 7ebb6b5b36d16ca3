"""Grading a class: honest marks under attack, a row for every hand-in, nothing lost when the power goes."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import nbformat
import pytest

from labkit.course import grading, sandbox
from labkit.course.assignment import Assignment
from labkit.course.cli import main
from labkit.course.grading import Ledger, cells_of, grade, grade_one
from labkit.course.handins import HandIn, collect
from labkit.course.marks import write_feedback
from labkit.course.settings import CourseError
from tests.attacks import ATTACKS, attack, notebook
from tests.conftest import ROOT, by_lab
from tests.exercises import solved

STEM = "01_ranking"
FULL = 41.0
LIMITS = sandbox.Limits(seconds=120, memory=2 << 30)
# Attacks that wait until a limit ends them: `make proof` lets them wait as long as a class would.
WAITING = {"builtins", "channel_stolen", "crash", "loop", "loop_in_a_test"}
# Attacks on the hand-ins beside theirs, and on the machine.
NEIGHBORS = ("reads_other_hand_ins", "disk", "exit")
PROOF = bool(os.environ.get("PROOF"))
SHORT = LIMITS if PROOF else sandbox.Limits(seconds=20, memory=2 << 30)
needs_bubblewrap = pytest.mark.skipif(
    not sandbox._runs(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]),
    reason="bubblewrap is not installed",
)


def labkit(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from labkit.course.cli import main; sys.exit(main())"
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=900
    )


def by_name(path: Path) -> dict[str, dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return {row["student"]: row for row in csv.DictReader(stream)}


pytestmark = pytest.mark.hangs_on("labs/01_ranking.ipynb", "tests/mutants/01_ranking.py", "labkit/**")


@pytest.fixture(scope="module")
def assignment(course) -> Assignment:
    return Assignment.of(course, STEM)


@pytest.fixture(scope="module")
def student(released) -> Path:
    return released / "public" / "labs" / f"{STEM}.ipynb"


@pytest.fixture(scope="module")
def honest(student, course) -> nbformat.NotebookNode:
    return solved(student, course.lab(STEM))


# What some attacks hand over when their trick is undone; handed in honestly, without the trick, it sets what they may earn.
PLAIN_ANSWERS = {
    "always_equal": "return 0.0",
    "class_of_a_library": "return 0.0",
    "frozen_objects": "return 0.0",
    "partial": "return 0.0",
    "code_of_numpy": "import numpy\n    return numpy.zeros(3)",
}
BY_HEART = "public_answers_by_heart"  # has no trick: what it earns are the public checks that it answers


def text_of(notebook: nbformat.NotebookNode) -> bytes:
    return nbformat.writes(notebook).encode()


def without_checks(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    copy = nbformat.from_dict(notebook)
    copy.cells = [c for c in copy.cells if "grader.check(" not in c.source]
    return copy


def broken(honest: nbformat.NotebookNode, course) -> dict[str, tuple[bytes, float, str]]:
    """File name → bytes, the mark, and words of the reason."""
    whole = text_of(honest)
    python2 = nbformat.from_dict(honest)
    python2.cells.insert(1, nbformat.v4.new_code_cell("print 'the answer is', 42\nexec 'x = 1'"))
    renamed = nbformat.from_dict(honest)
    for cell in renamed.cells:
        cell.source = cell.source.replace("build_index", "make_the_index")
    shuffled = nbformat.from_dict(honest)
    shuffled.cells = shuffled.cells[::-1]
    loud = nbformat.from_dict(honest)
    loud.cells[-1] = nbformat.v4.new_code_cell("1")
    loud.cells[-1].outputs = [nbformat.v4.new_output("stream", text="x" * 100_000_000)]
    other = nbformat.read(course.lab("02_backpropagation"), as_version=4)
    return {
        "not json.ipynb": (b"\x89PNG\r\n not a notebook", 0, "not a Jupyter notebook"),
        "a list.ipynb": (b"[1, 2]", 0, "not a Jupyter notebook"),
        "truncated.ipynb": (whole[: len(whole) // 2], 0, "not a Jupyter notebook"),
        "empty.ipynb": (b"", 0, "empty"),
        "no cells.ipynb": (text_of(nbformat.v4.new_notebook()), 0, "no code"),
        "python 2.ipynb": (text_of(python2), FULL, ""),
        "renamed functions.ipynb": (text_of(renamed), 36, ""),
        "out of order.ipynb": (text_of(shuffled), 0, "ended in an error"),
        "another lab.ipynb": (text_of(other), 0, "this is lab 02_backpropagation"),
        "Žofie Ångström 李雷 (2).ipynb": (text_of(loud), FULL, ""),  # and outputs of 100 MB
    }


@pytest.fixture(scope="module")
def run(honest, course, tmp_path_factory):
    """An honest student, attacks on the neighbors, and broken notebooks, graded together: rows by student, and the folder."""
    folder = tmp_path_factory.mktemp("class")
    hand_ins = folder / "hand-ins"
    hand_ins.mkdir()
    for name in NEIGHBORS:
        (hand_ins / f"{name}.ipynb").write_bytes(text_of(attack(name)))
    (hand_ins / "honest.ipynb").write_bytes(text_of(honest))
    for name, (data, *_) in broken(honest, course).items():
        (hand_ins / name).write_bytes(data)
    with zipfile.ZipFile(hand_ins / "slip.zip", "w") as archive:
        archive.writestr("../../../escaped.ipynb", text_of(without_checks(honest)))
    before = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in hand_ins.iterdir()}
    rows = grade(course, STEM, [hand_ins], folder / "marks.csv", jobs=2, limits=LIMITS)
    assert {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in hand_ins.iterdir()} == before
    return {row["student"]: row for row in rows}, folder


# --- honest marks


def test_there_are_at_least_25_attacks():
    assert len(ATTACKS) >= 25
    assert set(ATTACKS) > {*WAITING, *NEIGHBORS, *PLAIN_ANSWERS, BY_HEART}


def first_questions(assignment: Assignment) -> Assignment:
    """The same assignment with its first two questions alone."""
    few = dict(list(assignment.cases.items())[:2])
    return replace(assignment, cases=few, points={q: assignment.points[q] for q in few})


def graded(name: str, notebook: nbformat.NotebookNode, assignment: Assignment) -> grading.Row:
    limits = SHORT if name in WAITING else LIMITS
    return grade_one(HandIn(name, name, text_of(notebook), (0,)), assignment, "bubblewrap", limits)


@pytest.fixture(scope="module")
def attacked(assignment) -> Assignment:
    """What is attacked: the first two questions without the lab's other libraries, which take seconds to load.

    `make proof` takes the whole lab.
    """
    if PROOF:
        return assignment
    imports = ("import numpy as np", "import torch", "import labkit")
    return replace(first_questions(assignment), imports=imports)


@pytest.fixture(scope="module")
def plain_mark(attacked):
    """What a hand-in earns whose functions all honestly answer with a body."""

    @cache
    def mark(body: str) -> float:
        answers = notebook(answer=f"def {{name}}(*args, **kwargs):\n    {body}")
        return graded("plain", answers, attacked)["mark"]

    return mark


def each_attack(test):
    """One test an attack, spread over the processes."""
    names = [
        pytest.param(name, marks=pytest.mark.xdist_group(f"attack-{number % 8}"))
        for number, name in enumerate(ATTACKS)
    ]
    return pytest.mark.parametrize("name", names)(test)


@needs_bubblewrap
@each_attack
def test_an_attack_earns_nothing_and_is_flagged(name, attacked, plain_mark):
    row, earned = graded(name, attack(name), attacked), 0.0
    if name in PLAIN_ANSWERS:
        earned = plain_mark(PLAIN_ANSWERS[name])
    if name == BY_HEART:
        tests = row["questions"]["q1"]["tests"]
        earned = sum(t["points"] for t in tests if not t["hidden"])
    assert row["mark"] <= earned, row["questions"]
    assert row["flags"] or row["notes"] or row["status"] != "graded", "nobody would look at this one"
    assert row["status"] in ("graded", "stopped", "held")
    assert "READ " not in " ".join(row["errors"]), "it saw the tests"


@needs_bubblewrap
def test_the_honest_student_beside_them_gets_all(run, report):
    rows, folder = run
    assert rows["honest"]["mark"] == FULL
    assert rows["honest"]["flags"] == []
    assert rows["honest"]["status"] == "graded"
    lines = [
        f"{n:28} {rows[n]['mark']:4g}  {rows[n]['status']:8} {'; '.join(rows[n]['flags'] + rows[n]['notes'])[:110]}"
        for n in sorted(rows)
    ]
    report("attacks", "\n".join(lines))
    assert not list(folder.glob("**/large")), "a hand-in wrote outside its sandbox"
    for name in NEIGHBORS:
        assert rows[name]["mark"] == 0
        assert "READ " not in " ".join(rows[name]["errors"]), "it saw another hand-in"


@needs_bubblewrap
def test_an_answer_of_another_shape_is_right_and_a_blank_one_is_not(assignment, student, tmp_path):
    row = grade_one(HandIn("blank", "blank", student.read_bytes(), (0,)), assignment, "bubblewrap", LIMITS)
    assert (row["mark"], row["status"], row["flags"]) == (0.0, "graded", [])
    page = write_feedback(row, STEM, tmp_path).read_text()
    assert "hidden check" in page
    assert "build_index(" in page, "the public checks' messages are shown"
    for cases in assignment.cases.values():
        lines = [line.strip() for case in cases if case.hidden for line in case.source.splitlines()]
        shown = [line for line in lines if len(line) > 30 and "def test" not in line and line in page]
        assert not shown, "feedback shows how a test works"


def with_own_habits(honest: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """What honest students do: a check before the answer and one with a comment, magics, programs, other libraries."""
    copy = nbformat.from_dict(honest)
    habits = (
        "%matplotlib inline\n!ls\nimport matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig('mine.png')",
        'grader.check("q1")',
        "f_back = 1\nimport builtins, functools\nbuiltins.print = functools.partial(print, flush=True)",
        "from sklearn.linear_model import LogisticRegression\nLogisticRegression().fit([[0], [1]], [0, 1])",
        "from joblib import Parallel, delayed\nParallel(2, prefer='threads')(delayed(abs)(x) for x in range(4))",
        "try:\n    import urllib.request; urllib.request.urlopen('http://192.0.2.1/')\nexcept OSError:\n    pass",
        "class Posting(tuple):\n    def __lt__(self, other):\n        return self[0] < other[0]",
    )
    copy.cells[2:2] = [nbformat.v4.new_code_cell(source) for source in habits]
    for cell in copy.cells:
        if cell.source.strip() == 'grader.check("q2")':
            cell.source = 'grader.check("q2")  # passed'
        if "def build_index" in cell.source:
            cell.source += (
                "\n\n_plain_index = build_index\n\ndef build_index(documents):\n"
                "    return {t: [Posting(p) for p in ps] for t, ps in _plain_index(documents).items()}"
            )
    return copy


@needs_bubblewrap
@by_lab("labs/{stem}.ipynb", "tests/mutants/{stem}.py", "labkit/**")
def test_the_solutions_of_every_lab_get_all_and_no_flag(stem, course, released):
    """Decoys, limits on files, refused events: none of them may touch an honest answer, in any lab."""
    notebook = solved(released / "public" / "labs" / f"{stem}.ipynb", course.lab(stem))
    known = Assignment.of(course, stem)
    row = grade_one(HandIn("honest", "x", text_of(notebook), (0,)), known, "bubblewrap", sandbox.Limits())
    missing = {q: v["tests"] for q, v in row["questions"].items() if v["points"] < v["of"]}
    assert row["mark"] == sum(known.points.values()), missing
    assert (row["status"], row["flags"], row["errors"]) == ("graded", [], [])


@needs_bubblewrap
@pytest.mark.hangs_on("labs/12_capstone.ipynb", "tests/mutants/12_capstone.py", "labkit/**")
@pytest.mark.xdist_group("lab-12_capstone")
def test_an_endless_loop_is_wrong_and_no_more(course, released):
    """The error of ``limited`` takes a tracer away, which a hand-in may not do itself."""
    stem = "12_capstone"
    notebook = solved(released / "public" / "labs" / f"{stem}.ipynb", course.lab(stem))
    (cell,) = (c for c in notebook.cells if c.source.startswith("def flatten("))
    cell.source = "def flatten(reviews):\n    n = 0\n    while True:\n        n += 1\n"
    known = first_questions(Assignment.of(course, stem))
    limits = sandbox.Limits() if PROOF else sandbox.Limits(seconds=80)
    row = grade_one(HandIn("honest", "x", text_of(notebook), (0,)), known, "bubblewrap", limits)
    assert (row["status"], row["flags"], row["questions"]["q1"]["points"]) == ("graded", [], 0)
    assert row["questions"]["q2"]["points"] == known.points["q2"], "the other questions are graded"


@needs_bubblewrap
def test_honest_habits_cost_no_points(assignment, honest):
    hand_in = HandIn("habits", "habits", text_of(with_own_habits(honest)), (0,))
    row = grade_one(hand_in, assignment, "bubblewrap", LIMITS)
    assert row["mark"] == FULL, (row["errors"], row["questions"]["q1"])
    assert row["status"] == "graded"
    assert [f for f in row["flags"] if "Posting" not in f] == []
    assert row["errors"] == []


def test_rows_that_a_judge_sends_are_taken_for_pass_or_fail_only(assignment):
    """Points come from the assignment; one row more or less, or a decoy that passes, and nothing counts."""

    def mark(change) -> float:
        row = grading._blank(HandIn("x", "x", b"", (0,)), assignment)
        asked = {name: [1] for name in assignment.cases}
        for name, cases in assignment.cases.items():
            rows = [[place != 1, ""] for place in range(len(cases) + 1)]
            row["questions"][name] = {"rows": change(rows), "points": 1e6}
        grading._verdict(row, assignment, asked)
        return row["mark"]

    assert mark(lambda rows: rows) == FULL
    assert mark(lambda rows: rows[:-1]) == 0
    assert mark(lambda rows: [*rows, [True, ""]]) == 0
    assert mark(lambda rows: [[True, ""] for _ in rows]) == 0


# --- broken notebooks


@needs_bubblewrap
def test_every_broken_notebook_gets_a_row_and_a_reason(run, honest, course):
    rows, folder = run
    for name, (_, mark, words) in broken(honest, course).items():
        row = rows[Path(name).stem.removesuffix(" (2)")]
        assert words in row["reason"], name
        assert "Traceback" not in json.dumps(row)
        assert row["mark"] == mark, (name, row["errors"])
        assert (folder / "feedback" / f"{row['student']}.html").is_file()
    assert any("SyntaxError" in error for error in rows["python 2"]["errors"])
    assert rows["slip"]["mark"] == FULL, (
        "a student's archive has the student's name, and checks may be deleted"
    )
    assert not (folder.parent / "escaped.ipynb").exists()


@needs_bubblewrap
def test_the_table_has_a_line_for_everyone(run):
    rows, folder = run
    table = by_name(folder / "marks.csv")
    assert set(table) == set(rows)
    assert table["honest"]["mark"] == "41"
    assert table["honest"]["q1"] == "5"
    assert float(table["honest"]["seconds"]) > 0
    assert float(table["honest"]["memory MB"]) > 100
    assert not [line for line in table.values() if any(v[:1] in "=+@" for v in line.values() if v)]


# --- who handed in what


def test_names_as_learning_systems_write_them(tmp_path):
    names = {
        "curiemarie_4711_98765_01_ranking.ipynb": "curiemarie_4711",
        "noetheremmy_LATE_4712_98766_01_ranking-2.ipynb": "noetheremmy_4712",
        "Lise Meitner_123_assignsubmission_file/01_ranking.ipynb": "Lise Meitner_123",
        "grace/01_ranking.ipynb": "grace",
        "hopper 01_ranking.ipynb": "hopper",
        "01_ranking_ada.ipynb": "01_ranking_ada",
        "Sofja Kowalewskaja.ipynb": "Sofja Kowalewskaja",
    }
    for name in names:
        (tmp_path / "h" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "h" / name).write_text("{}")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in names:
            archive.write(tmp_path / "h" / name, name)
    for source in (tmp_path / "h", tmp_path / "all.zip"):
        found = collect([source], STEM)
        assert {h.student for h in found} == set(names.values())
        assert {h.student for h in found if h.late} == {"noetheremmy_4712"}


def test_a_zip_of_one_student_has_the_students_name(tmp_path):
    for name, inside in (("ada.zip", "01_ranking.ipynb"), ("eve.zip", "ada.ipynb")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(inside, "{}")
    assert [h.student for h in collect([tmp_path], STEM)] == ["ada", "eve"]


def test_students_are_not_merged(tmp_path):
    for name in (
        "a/lab1.ipynb",
        "b/lab1.ipynb",
        "team-1.ipynb",
        "team-2.ipynb",
        "stud-4711.ipynb",
        "stud-4712.ipynb",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    for name in ("c/submission/01_ranking.ipynb", "d/submission/01_ranking.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("{}")
    names = ["a", "b", "c", "d", "stud-4711", "stud-4712", "team-1", "team-2"]
    assert [h.student for h in collect([tmp_path], STEM)] == names


def test_one_broken_archive_is_one_row(tmp_path):
    (tmp_path / "ada.ipynb").write_text("{}")
    (tmp_path / "eve.zip").write_bytes(b"PK\x03\x04 and then nothing")
    _ada, eve = collect([tmp_path], STEM)
    assert eve.data == b""
    assert "not a whole zip archive" in eve.remarks


def test_feedback_pages_of_two_students_are_two(tmp_path, assignment):
    pages = {
        write_feedback(grading._blank(HandIn(name, name, b"", (0,)), assignment), STEM, tmp_path).name
        for name in ("a!b", "a?b", "a_b", "<script>x")
    }
    assert len(pages) == 4
    assert not [p for p in tmp_path.glob("*.html") if "<script>x" in p.read_text()]


def test_the_latest_of_several_is_taken_and_said(tmp_path):
    for age, name in enumerate(
        ("ada 01_ranking.ipynb", "ada 01_ranking (1).ipynb", "ada 01_ranking (2).ipynb")
    ):
        (tmp_path / name).write_text(json.dumps({"n": age}))
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))  # a browser's number says more than a copy's time
    [found] = collect([tmp_path], STEM)
    assert json.loads(found.data) == {"n": 2}
    assert "3 hand-ins; the latest was taken" in found.remarks
    assert "(2)" in found.remarks.split(" not ")[0]


def test_what_cannot_be_collected_is_one_clear_error(tmp_path):
    with pytest.raises(CourseError, match="does not exist"):
        collect([tmp_path / "none"], STEM)
    with pytest.raises(CourseError, match="no notebook"):
        collect([tmp_path], STEM)
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(CourseError, match="not a whole zip archive"):
        collect([tmp_path / "half.zip"], STEM)


def test_cells_below_the_last_check_are_left_out(assignment, honest):
    found = cells_of(HandIn("x", "x", text_of(honest), (0,)), assignment)
    assert found[-1][1] == max(assignment.cases)
    assert len(found) < sum(c.cell_type == "code" for c in honest.cells)


# --- machines without bubblewrap


def test_without_a_sandbox_it_refuses_and_names_the_remedy(monkeypatch, tmp_path, student, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["grade", STEM, str(student), "--out", str(tmp_path / "marks.csv")]) == 1
    said = capsys.readouterr().err
    assert "apt-get install bubblewrap" in said
    assert "--trust" in said
    assert not list(tmp_path.glob("marks*"))
    assert sandbox.choose(trust=True) == "none"


def test_trusted_hand_ins_are_graded_without_a_sandbox(assignment, honest):
    row = grade_one(HandIn("trusted", "x", text_of(honest), (0,)), assignment, "none", LIMITS)
    assert (row["mark"], row["status"], row["flags"]) == (FULL, "graded", [])


STAND_IN = """#!{python}
# Stands in for Docker: keeps the command, and runs what would run in the container.
import os, subprocess, sys
with open({log!r}, "a") as log:
    log.write("\\n".join(sys.argv[1:]) + "\\n--\\n")
if sys.argv[1] == "run":
    words = sys.argv[2:]
    settings = dict(words[i + 1].split("=", 1) for i, w in enumerate(words) if w == "--env")
    code = words[-1]
    os.execve({python!r}, [{python!r}, "-s", "-c", code], {{**os.environ, **settings, "HOME": os.getcwd(), "PYTHONPATH": {root!r}}})
"""


def test_otters_containers_run_the_same_judge(monkeypatch, tmp_path, course, honest):
    """No daemon is needed here: a stand-in takes Docker's place, and the test reads what it was told."""
    log = tmp_path / "log"
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(python=sys.executable, log=str(log), root=str(ROOT)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert sandbox.choose() == "docker"
    built = []
    monkeypatch.setattr(
        sandbox,
        "build_image",
        lambda archive, stem: built.append(archive.read_bytes()) or f"otter-grade:{stem}",
    )
    (tmp_path / "ada.ipynb").write_bytes(text_of(honest))
    [row] = grade(course, STEM, [tmp_path / "ada.ipynb"], tmp_path / "marks.csv", jobs=1, limits=LIMITS)
    assert (row["mark"], row["flags"]) == (FULL, [])
    assert built[0][:2] == b"PK"
    told = next(c.splitlines() for c in log.read_text().split("--\n") if c.startswith("run\n"))
    for first, second in (
        ("--network", "none"),
        ("--cap-drop", "ALL"),
        ("--memory", str(2 << 30)),
        ("--pids-limit", "64"),
    ):
        assert told[told.index(first) + 1] == second
    assert "/autograder" in told, "the tests that lie in Otter's image are covered"
    assert f"otter-grade:{STEM}" in told


# --- nothing is lost


@needs_bubblewrap
def test_killed_and_run_again_nothing_is_graded_twice_or_lost(tmp_path, student, honest):
    hand_ins = tmp_path / "hand-ins"
    hand_ins.mkdir()
    for name in "ab":
        (hand_ins / f"{name}.ipynb").write_bytes(student.read_bytes())
    (hand_ins / "c.ipynb").write_bytes(text_of(honest))
    out, ledger = tmp_path / "marks.csv", tmp_path / "marks.ledger.jsonl"
    code = "import sys; from labkit.course.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "grade", STEM, str(hand_ins), "--out", str(out), "--jobs", "2"]
    child = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while not (ledger.exists() and ledger.read_text().count("\n") >= 1):
        assert time.monotonic() < deadline
        assert child.poll() is None, "it was done before it could be killed"
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    kept = ledger.read_text().splitlines()
    assert 1 <= len(kept) < 3
    with ledger.open("a") as stream:
        stream.write('{"student": "half a li')  # the power went
    done = labkit("grade", STEM, hand_ins, "--out", out, "--jobs", 2)
    assert done.returncode == 0, done.stderr
    lines = ledger.read_text().splitlines()
    assert lines[: len(kept)] == kept
    assert sorted(json.loads(line)["student"] for line in lines) == list("abc")
    marks = {name: row["mark"] for name, row in by_name(out).items()}
    assert marks == {"a": "0", "b": "0", "c": "41"}


@pytest.fixture
def quick(monkeypatch):
    """Hand-ins are not run: what is tested is what happens around."""
    ran = []

    def instead(hand_in, assignment, kind, limits):
        ran.append(hand_in.student)
        tests = [
            {"name": q, "points": p, "hidden": False, "passed": True, "message": ""}
            for q, p in assignment.points.items()
        ]
        questions = {t["name"]: {"points": t["points"], "of": t["points"], "tests": [t]} for t in tests}
        row = {
            "student": hand_in.student,
            "file": hand_in.where,
            "late": hand_in.late,
            "handed in": hand_in.when,
        }
        row |= {
            "remarks": hand_in.remarks,
            "sha256": hashlib.sha256(hand_in.data).hexdigest(),
            "tests": assignment.digest,
        }
        return row | {
            "flags": [], "notes": [], "errors": [], "status": "graded", "reason": "", "seconds": 0.1, "memory": 1, "mark": FULL,
            "questions": questions,
        }  # fmt: skip

    monkeypatch.setattr(grading, "_run", lambda todo, *rest: (instead(h, *rest[:3]) for h in todo))
    monkeypatch.setattr(sandbox, "choose", lambda trust=False: "none")
    return ran


def test_only_what_is_new_is_graded(tmp_path, course, quick):
    hand_ins = tmp_path / "hand-ins"
    hand_ins.mkdir()
    for name in ("ada", "grace"):
        (hand_ins / f"{name}.ipynb").write_text(f'{{"by": "{name}"}}')
    grade(course, STEM, [hand_ins], tmp_path / "marks.csv")
    assert sorted(quick) == ["ada", "grace"]
    (hand_ins / "grace.ipynb").write_text('{"by": "grace", "version": 2}')
    grade(course, STEM, [hand_ins], tmp_path / "marks.csv")
    assert sorted(quick) == ["ada", "grace", "grace"]
    grade(course, STEM, [hand_ins], tmp_path / "marks.csv", again=["ada"])
    assert quick[-1] == "ada"
    assert len(quick) == 4
    with pytest.raises(CourseError, match="Emmy"):
        grade(course, STEM, [hand_ins], tmp_path / "marks.csv", again=["Emmy"])


def test_two_runs_cannot_write_the_same_marks(tmp_path, course, quick):
    (tmp_path / "ada.ipynb").write_text("{}")
    ledger = Ledger(tmp_path / "marks.ledger.jsonl")
    with pytest.raises(CourseError, match="another run"):
        grade(course, STEM, [tmp_path / "ada.ipynb"], tmp_path / "marks.csv")
    ledger.close()
    grade(course, STEM, [tmp_path / "ada.ipynb"], tmp_path / "marks.csv")


def test_where_the_grader_itself_fails_the_row_says_so_and_is_tried_again(
    tmp_path, course, monkeypatch, quick
):
    (tmp_path / "ada.ipynb").write_text("{}")
    grade(course, STEM, [tmp_path / "ada.ipynb"], tmp_path / "marks.csv")
    path = tmp_path / "marks.ledger.jsonl"
    path.write_text(path.read_text().replace('"graded"', '"failed"'))
    grade(course, STEM, [tmp_path / "ada.ipynb"], tmp_path / "marks.csv")
    assert quick == ["ada", "ada"]
    assert by_name(tmp_path / "marks.csv")["ada"]["status"] == "graded"


def test_the_same_jobs_run_on_a_dask_cluster(tmp_path, course, student, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the worker is a new process
    (tmp_path / "ada.ipynb").write_bytes(student.read_bytes())
    settings = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**settings) as cluster:
        [row] = grade(
            course,
            STEM,
            [tmp_path / "ada.ipynb"],
            tmp_path / "marks.csv",
            trust=True,
            dask=cluster.scheduler_address,
        )
    assert (row["student"], row["mark"], row["status"]) == ("ada", 0.0, "graded")
    assert row["questions"]["q1"]["tests"], "its tests were run"
