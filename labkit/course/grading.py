"""Grade a class: every hand-in alone in a sandbox, every row kept as soon as it is known."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import random
import re
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import nbformat

from labkit.course import sandbox
from labkit.course.assignment import Assignment
from labkit.course.handins import HandIn, collect
from labkit.course.marks import write_feedback, write_marks
from labkit.course.settings import Course, CourseError

CHECK = re.compile(r"""grader\.check\(\s*["'](\w+)["']\s*\)\s*;?\s*(?:#.*)?""")
START = re.compile(r"""labkit\.start\(\s*["']([^"']+)["']""")
Row = dict[str, Any]


def cells_of(hand_in: HandIn, assignment: Assignment) -> list[tuple[str, str]]:
    """The hand-in's code cells as (source, "") or, for a check of a question with tests, ("", question).

    Cells below the last check are left out: the experiments that nothing tests. Raises CourseError, with the reason that
    the student is told, for a file that is no notebook, one of another lab, and one without code.
    """
    if not hand_in.data:
        raise CourseError(hand_in.remarks or "the file is empty")
    try:
        notebook = nbformat.reads(hand_in.data.decode("utf-8-sig"), as_version=4)
        sources = [str(c.source) for c in notebook.cells if c.cell_type == "code"]
    except Exception as error:  # nbformat raises many kinds for what is no notebook
        raise CourseError(
            f"the file is not a Jupyter notebook ({type(error).__name__}: {error!s:.200})"
        ) from error
    labs = {name for source in sources for name in START.findall(source)}
    if labs and assignment.stem not in labs:
        raise CourseError(f"this is lab {', '.join(sorted(labs))}, not {assignment.stem}")
    if not any(source.strip() for source in sources):
        raise CourseError("the notebook has no code")
    checks = [CHECK.fullmatch(source.strip()) for source in sources]
    asked = [check[1] if check and check[1] in assignment.cases else "" for check in checks]
    # A question is judged at its last check: some check before they answer, or answer again below.
    cells = [
        ("", question) if question else (source, "")
        for place, (source, question) in enumerate(zip(sources, asked, strict=True))
        if not question or question not in asked[place + 1 :]
    ]
    if {question for _, question in cells if question} == set(assignment.cases):
        cells = cells[: 1 + max(i for i, (_, question) in enumerate(cells) if question)]
    return cells


def grade_one(hand_in: HandIn, assignment: Assignment, kind: str, limits: sandbox.Limits) -> Row:
    """Grade one hand-in; whatever is in it, the result is a row."""
    try:
        return _clean(_grade_one(hand_in, assignment, kind, limits))
    except Exception as error:  # ours: the class goes on, and the next run tries this one again
        reason = f"the grader failed: {type(error).__name__}: {error!s:.300}"
        return _clean({**_blank(hand_in, assignment), "status": "failed", "reason": reason})


def _clean(value: Any) -> Any:
    """The same row with text that any file can hold: no halves of surrogate pairs, no control characters but line ends."""
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean(v) for v in value]
    if not isinstance(value, str):
        return value
    text = value.encode("utf-8", "replace").decode()
    return "".join(c for c in text if c in "\n\t" or c.isprintable())


def _blank(hand_in: HandIn, assignment: Assignment) -> Row:
    return {
        "student": hand_in.student, "file": hand_in.where, "late": hand_in.late, "handed in": hand_in.when,
        "remarks": hand_in.remarks, "sha256": hashlib.sha256(hand_in.data).hexdigest(), "tests": assignment.digest,
        "flags": [], "notes": [], "errors": [], "status": "not graded", "reason": "", "seconds": 0.0, "memory": 0,
        "mark": 0.0, "questions": {},
    }  # fmt: skip


def _grade_one(hand_in: HandIn, assignment: Assignment, kind: str, limits: sandbox.Limits) -> Row:
    row = _blank(hand_in, assignment)
    try:
        cells = cells_of(hand_in, assignment)
    except CourseError as error:
        return {**row, "reason": str(error)}
    asked: dict[str, list[int]] = {}
    # Never from the hand-in: who can foresee where the decoys are can spare them. No honest mark depends on it.
    draw = random.SystemRandom()

    def answer(message: Row) -> Row | None:
        question = str(message.get("ask", ""))
        if question in assignment.cases:
            if question in asked:
                return {"tests": "", "wrong": [], "decoys": 0}
            tests, asked[question] = assignment.tests(question, draw)
            wrong = assignment.wrong.get(question, [])
            return {
                "tests": tests,
                "wrong": draw.sample(wrong, min(1, len(wrong))),
                "decoys": len(asked[question]),
            }
        if "cell" in message and len(row["errors"]) < 20:
            row["errors"].append(f"cell {message['cell'] + 1}: {message.get('error', '')!s:.300}")
        if "failed" in message:
            row["failed"] = (
                f"the grader failed at {message['failed']!s:.20}: {message.get('error', '')!s:.300}"
            )
        for what in message.get("noted", []):
            row["noted"] = sorted({*row.get("noted", []), str(what)})
        question = str(message.get("question", ""))
        if question in asked:
            row["questions"].setdefault(question, message)
        return None

    own = [source for source, _ in cells if source.strip() not in assignment.released]
    job = {
        "cells": cells,
        "questions": sorted(assignment.cases),
        "given": assignment.given,
        "names": sorted(assignment.names),
        "answers": sorted(assignment.answers),
        "imports": [*assignment.imports, "import otter.test_files.exception_test"],
    }
    job |= {"cell_seconds": limits.seconds / 4, "test_seconds": limits.seconds / 10}
    with tempfile.TemporaryDirectory(prefix="labkit-") as folder:
        outcome = sandbox.run(job, answer, kind=kind, folder=Path(folder), limits=limits)
    row |= {"seconds": round(outcome.seconds, 1), "memory": outcome.memory, "status": "graded"}
    if row["errors"]:
        row["reason"] = f"{len(row['errors'])} cell(s) ended in an error; the first: {row['errors'][0]:.150}"
    if "failed" in row:
        row |= {"status": "failed", "reason": row.pop("failed")}
    if outcome.end != "done":
        row |= {"status": "stopped", "reason": ENDS[outcome.end].format(limits=limits)}
    _verdict(row, assignment, asked)
    _strange(row, asked, outcome)
    if any("labkit.course" in source for source in own):
        row["flags"].append("names labkit.course, the instructor's side")
    insides = sorted({word for source in own for word in INSIDES.findall(source)})
    if insides:
        # From frames an answer reads what the tests expect. No honest answer needs them; a lecturer decides.
        row["flags"].append(f"names {', '.join(insides)}: a way to the tests' own variables")
        row |= {
            "status": "held",
            "reason": f"{row['mark']:g} points are held back until a lecturer has read it",
            "mark": 0.0,
        }
        row["questions"] = {name: {**found, "points": 0.0} for name, found in row["questions"].items()}
    return row


INSIDES = re.compile(
    r"""(?:(?<=\.)|(?<=["']))(?:_getframe|_current_frames|currentframe|f_back|f_locals|tb_frame|gi_frame|cr_frame|ag_frame|"""
    r"getouterframes|walk_stack|settrace|setprofile|_orig_sys_modules_main_mod|register_at_fork|fork_exec)\b"
)
LOUD = 10_000_000  # bytes printed: no lab prints a thousandth of it
LIMIT = r"File too large|MemoryError|it ran for more than"
# What honest programs try as well: !pip, a download, a library that loads another.
_ORDINARY = "os.fork os.posix_spawn os.system subprocess. pty. socket. ctypes.dlopen sys.setprofile os.listdir os.scandir"
ORDINARY = tuple(_ORDINARY.split())
ENDS = {
    "exited": "it ended the grader's process; questions below that cell were not judged",
    "time": "it ran for more than {limits.seconds:.0f} s; questions below that cell were not judged",
    "memory": "it took more than {limits.memory:,} bytes of memory; questions below that cell were not judged",
    "processes": "it started more than {limits.processes} processes",
    "noise": "it sent the grader more than a report",
}


def _verdict(row: Row, assignment: Assignment, asked: dict[str, list[int]]) -> None:
    """Turn the judge's messages into marks: from a message only whether tests passed, all else from the assignment."""
    found, rigged, changed, met = {}, [], set(), set()
    for name, cases in assignment.cases.items():
        message, decoys = row["questions"].get(name, {}), asked.get(name, [])
        rows = [(bool(passed), str(wrong)) for passed, wrong in message.get("rows", [])]
        found[name] = {"points": 0.0, "of": assignment.points[name], "tests": []}
        changed |= set(map(str, message.get("changed", [])))
        met |= set(map(str, message.get("met", [])))
        if not rows:
            found[name]["reason"] = "not judged"
            continue
        if len(rows) != len(cases) + len(decoys) or message.get("fooled") or any(rows[d][0] for d in decoys):
            rigged.append(name)
        results = [result for place, result in enumerate(rows) if place not in decoys]
        for case, (passed, wrong) in zip(cases, results, strict=False):
            said = "" if passed else case.message if case.hidden else wrong
            test = {"points": case.points, "hidden": case.hidden, "passed": passed, "message": said}
            found[name]["tests"].append(test)
        only_raises = all(
            case.of_errors if passed else "ValueError" in wrong
            for case, (passed, wrong) in zip(cases, results, strict=False)
        )
        if only_raises and any(passed for passed, _ in results):
            found[name]["reason"] = (
                "it raises ValueError for valid input too: no points for the checks of errors"
            )
        else:
            found[name]["points"] = sum(t["points"] for t in found[name]["tests"] if t["passed"])
    if changed:
        row["flags"].append(f"replaced {', '.join(sorted(changed)[:8])} (undone before the tests)")
    if met:
        row["flags"].append(f"answers with objects that compare themselves: {', '.join(sorted(met))}")
    if rigged:
        row["flags"].append(
            f"tests that must fail pass in {', '.join(rigged)}: the session is rigged, no points"
        )
        for question in found.values():
            question["points"] = 0.0
    row["questions"] = found
    row["mark"] = float(sum(q["points"] for q in found.values()))


def _strange(row: Row, asked: dict[str, list[int]], outcome: sandbox.Outcome) -> None:
    """Add to the row's flags what a lecturer should look at, and to its notes what honest programs do as well."""
    flags = row["flags"]
    noted = row.pop("noted", [])
    row["notes"] = [what for what in noted if what.startswith(ORDINARY)]
    if others := [what for what in noted if what not in row["notes"]]:
        flags.append(f"tried {', '.join(others)}")
    if outcome.forged:
        flags.append(f"wrote {outcome.forged} lines to the grader's own channel (ignored)")
    if outcome.printed > LOUD:
        flags.append(f"printed {outcome.printed / 1e6:.0f} MB")
    if silent := [name for name in asked if not row["questions"][name]["tests"]]:
        flags.append(f"ended the tests of {', '.join(sorted(silent))}")
    if any("\ud800" <= c <= "\udfff" for error in row["errors"] for c in error):
        flags.append("an error's text that no file can hold")
    flags += [f"hit a limit: {error}" for error in row["errors"] if re.search(LIMIT, error)][:3]
    for name, question in row["questions"].items():
        tests = question["tests"]
        public, hidden = ({t["passed"] for t in tests if t["hidden"] is which} for which in (False, True))
        if public == {True} and hidden == {False}:
            flags.append(f"{name} passes every public check and no hidden one")
        if any("SystemExit" in str(t["message"]) for t in tests):
            flags.append(f"SystemExit in {name}")
        if question.get("reason", "").startswith("it raises"):
            flags.append(f"{name} raises ValueError for everything")


# --- a class ------------------------------------------------------------------------------------------


class Ledger:
    """The rows of finished hand-ins: a file of JSON lines beside the marks, each on the disk before the next begins."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CourseError(f"another run writes to {path}; wait for it, or name another --out") from error
        self.file.seek(0)
        self.rows: dict[tuple[str, str, str], Row] = {}
        whole = 0
        for line in self.file:
            try:
                row = json.loads(line if line.endswith("\n") else "")
            except ValueError:
                break  # the power went while this line was written
            whole += len(line.encode())
            self.rows[_key(row)] = row
        self.file.truncate(whole)
        self.file.seek(0, os.SEEK_END)

    def add(self, row: Row) -> None:
        """Keep ``row``: after this call it survives whatever happens."""
        self.file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.rows[_key(row)] = row

    def close(self) -> None:
        self.file.close()


def _key(row: Row) -> tuple[str, str, str]:
    return row["student"].casefold(), row["sha256"], row["tests"]


def grade(
    course: Course,
    stem: str,
    paths: list[Path],
    out: Path,
    *,
    trust: bool = False,
    jobs: int | None = None,
    dask: str | None = None,
    again: Collection[str] = (),
    limits: sandbox.Limits | None = None,
) -> list[Row]:
    """Grade the hand-ins in ``paths``; write ``out`` (CSV), its ledger and the feedback pages beside it; return the rows.

    Rows that the ledger has for the same student, hand-in and tests are not graded again, but where the grader itself
    failed, or ``again`` names the student. Raises CourseError for
    wrong names, SandboxError without a sandbox.
    """
    from tqdm.auto import tqdm

    limits = limits or sandbox.Limits()
    hand_ins = collect(paths, stem)
    kind = sandbox.choose(trust)
    assignment = Assignment.of(course, stem)
    if kind == "docker":
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / f"{stem}-autograder.zip"
            archive.write_bytes(assignment.archive)
            kind = f"docker:{sandbox.build_image(archive, stem)}"
    ledger = Ledger(out.with_suffix(".ledger.jsonl"))
    try:
        keys = {
            h: (h.student.casefold(), hashlib.sha256(h.data).hexdigest(), assignment.digest) for h in hand_ins
        }
        unknown = set(again) - {h.student for h in hand_ins}
        if unknown:
            raise CourseError(f"--again names {', '.join(sorted(unknown))}, who handed nothing in")
        done = {k for k, row in ledger.rows.items() if row["status"] != "failed"}
        todo = [h for h in hand_ins if keys[h] not in done or h.student in again]
        with tqdm(total=len(hand_ins), initial=len(hand_ins) - len(todo), desc=stem, unit="hand-in") as bar:
            for row in _run(todo, assignment, kind, limits, jobs, dask):
                ledger.add(row)
                bar.update()
    finally:
        rows = [ledger.rows[k] for k in keys.values() if k in ledger.rows]
        write_marks(rows, assignment.points, out)
        ledger.close()
    for row in rows:
        write_feedback(row, stem, out.parent / "feedback")
    return rows


def _run(
    todo: list[HandIn],
    assignment: Assignment,
    kind: str,
    limits: sandbox.Limits,
    jobs: int | None,
    dask: str | None,
) -> Iterator[Row]:
    """Grade in parallel, each in a process of its own; rows come as they are finished."""
    import joblib

    with contextlib.ExitStack() as stack:
        if dask:
            from dask.distributed import Client

            stack.enter_context(Client(dask))
            stack.enter_context(joblib.parallel_config("dask"))
        parallel = joblib.Parallel(
            n_jobs=jobs or (-1 if dask else max(1, os.cpu_count() or 1)), return_as="generator_unordered"
        )
        yield from parallel(joblib.delayed(grade_one)(h, assignment, kind, limits) for h in todo)
