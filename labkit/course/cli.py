"""The command ``labkit``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path

from labkit import corpora


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit status. Errors of the user's are one line on stderr."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.call(options) or 0)
    except KeyboardInterrupt:
        print("labkit: stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"labkit: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="labkit", description="The course's tools.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("release", help="make student notebooks, autograder archives and the wheel")
    command.add_argument("labs", nargs="*", metavar="LAB", help="stems, e.g. 01_ranking (default: all)")
    command.add_argument("--out", type=Path, help="where to (default: _build/release)")
    command.set_defaults(call=_release)

    command = commands.add_parser("run", help="run labs from top to bottom and store their outputs")
    command.add_argument("labs", nargs="*", metavar="LAB", help="stems (default: all)")
    command.set_defaults(call=_run)

    command = commands.add_parser("grade", help="grade hand-ins, each in a sandbox; stop it and run it again")
    command.add_argument("lab", metavar="LAB")
    command.add_argument("paths", nargs="+", type=Path, metavar="FOLDER-OR-FILE")
    command.add_argument("--out", type=Path, required=True, metavar="MARKS.csv")
    command.add_argument(
        "--trust", action="store_true", help="run hand-ins unprotected where there is no sandbox"
    )
    command.add_argument("--jobs", type=int, metavar="N", help="hand-ins at a time (default: one a core)")
    command.add_argument("--dask", metavar="ADDRESS", help="send the jobs to a Dask cluster")
    command.add_argument("--again", nargs="*", default=[], metavar="STUDENT", help="grade these again")
    command.add_argument(
        "--seconds", type=float, default=300, metavar="S", help="time limit a hand-in (default: 300)"
    )
    command.add_argument(
        "--memory", type=float, default=4, metavar="GiB", help="memory limit a hand-in (default: 4)"
    )
    command.set_defaults(call=_grade)

    command = commands.add_parser("export", help="fill a learning system's own table with the marks")
    command.add_argument("marks", type=Path, metavar="MARKS.csv")
    command.add_argument("--canvas", type=Path, metavar="GRADEBOOK.csv", help="as Canvas exports it")
    command.add_argument(
        "--moodle", type=Path, metavar="WORKSHEET.csv", help="the grading worksheet of Moodle"
    )
    command.add_argument(
        "--column", default="", metavar="NAME", help="Canvas's assignment (default: the file's name)"
    )
    command.add_argument("--due", metavar="TIME", help='e.g. "2027-02-01 23:59"; with --late')
    command.add_argument("--late", type=float, metavar="PERCENT", help="lost for each day begun after --due")
    command.add_argument(
        "--grace", type=float, default=0, metavar="MINUTES", help="minutes that cost nothing"
    )
    command.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    command.set_defaults(call=_export)

    command = commands.add_parser(
        "report", help="what the class did not get: question statistics, hidden checks"
    )
    command.add_argument("marks", type=Path, metavar="MARKS.csv")
    command.add_argument("--out", type=Path, required=True, metavar="FILE.html")
    command.set_defaults(call=_report)

    command = commands.add_parser(
        "doctor", help="check this machine; --instructor: for grading and publishing too"
    )
    command.add_argument("--instructor", action="store_true")
    command.set_defaults(call=_doctor)

    data = commands.add_parser("data", help="list, mirror and check the data sets")
    actions = data.add_subparsers(required=True, metavar="ACTION")
    actions.add_parser("list", help="show the catalogue").set_defaults(call=_data_list)
    action = actions.add_parser("fetch", help="copy data sets into a folder for LABKIT_DATA")
    action.add_argument("names", nargs="+", metavar="NAME")
    action.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    action.set_defaults(call=_data_fetch)
    action = actions.add_parser("verify", help="check a folder for LABKIT_DATA")
    action.add_argument("folder", type=Path, metavar="FOLDER")
    action.set_defaults(call=_data_verify)
    return parser


def _release(options: argparse.Namespace) -> int:
    from labkit.course.release import release
    from labkit.course.settings import Course

    out = release(Course.here(), options.labs, options.out)
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        print(f"{path.stat().st_size:9,}  {path.relative_to(out)}")
    if "/OWNER/" in Course.here().repository + "/":
        print(
            "note: repository.url in _config.yml is still the placeholder; Colab will not find this release"
        )
    return 0


def _grade(options: argparse.Namespace) -> int:
    from labkit.course.grading import grade
    from labkit.course.sandbox import Limits
    from labkit.course.settings import Course

    limits = Limits(seconds=options.seconds, memory=int(options.memory * (1 << 30)))
    how = {
        "trust": options.trust,
        "jobs": options.jobs,
        "dask": options.dask,
        "again": options.again,
        "limits": limits,
    }
    rows = grade(Course.here(), options.lab, options.paths, options.out, **how)
    counts = Counter(row["status"] for row in rows)
    print(
        f"{len(rows)} hand-ins: "
        + ", ".join(f"{n} {status}" for status, n in counts.items())
        + f"; marks in {options.out}"
    )
    for row in rows:
        if row["flags"]:
            print(f"  look at {row['student']}: {'; '.join(row['flags'])}")
    return 0


def _export(options: argparse.Namespace) -> int:
    from labkit.course.gradebook import LatePolicy, export

    if (options.canvas is None) == (options.moodle is None):
        raise ValueError("name one of --canvas GRADEBOOK.csv and --moodle WORKSHEET.csv")
    if (options.due is None) != (options.late is None):
        raise ValueError("--due and --late belong together: a time, and the percent lost a day")
    policy = None
    if options.due:
        policy = LatePolicy(datetime.fromisoformat(options.due), options.late, options.grace)
    system, roster = ("canvas", options.canvas) if options.canvas else ("moodle", options.moodle)
    remarks = export(options.marks, roster, options.out, system=system, column=options.column, policy=policy)
    print(f"{options.out}: import it into {system.title()}; {len(remarks)} remarks")
    for remark in remarks:
        print(f"  {remark}")
    return 0


def _report(options: argparse.Namespace) -> int:
    from labkit.course.questions import write_report

    print(f"{'question':10} {'points':>6} {'mean':>6} {'full':>6} {'none':>6} {'discrimination':>14}")
    for q in write_report(options.marks, options.out):
        print(f"{q.name:10} {q.points:6g} {q.mean:6.0%} {q.full:6.0%} {q.none:6.0%} {q.discrimination:14.2f}")
    print(f"written to {options.out}")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from labkit.course.doctor import examine

    ill = 0
    for name, found, wrong in examine(instructor=options.instructor):
        print(f"[OK]   {name}: {found}" if found else f"[FAIL] {name}: {wrong}", flush=True)
        ill += not found
    return int(ill > 0)


def _run(options: argparse.Namespace) -> int:
    from nbclient.exceptions import CellExecutionError

    from labkit.course.notebooks import execute
    from labkit.course.settings import Course, CourseError

    course = Course.here()
    for stem in options.labs or course.labs():
        try:
            print(f"{stem}: {execute(course.lab(stem)):.0f} s", flush=True)
        except CellExecutionError as error:
            where = (error.traceback.strip().splitlines() or [""])[-1]
            raise CourseError(f"{stem} failed, nothing was stored: {where}") from error
    return 0


def _data_list(options: argparse.Namespace) -> int:
    for entry in corpora.CATALOGUE.values():
        places = ", ".join(map(str, entry.sources)) or "LABKIT_DATA only"
        print(f"{entry.name}: {entry.title}\n  size      {entry.size}\n  license   {entry.license}")
        print(f"  cite      {entry.citation}\n  from      {places}")
        if entry.note:
            print(f"  note      {entry.note}")
        for split, columns in entry.splits.items():
            print(f"  {split:9} {', '.join(columns)}")
    return 0


def _data_fetch(options: argparse.Namespace) -> int:
    for name in options.names:
        for path in corpora.fetch(name, options.to):
            print(path)
    return 0


def _data_verify(options: argparse.Namespace) -> int:
    results = list(corpora.verify(options.folder))
    for path, wrong in results:
        print(f"[FAIL] {path}: {wrong}" if wrong else f"[OK]   {path}")
    if not results:
        raise ValueError(f"{options.folder} holds no data set of the catalogue (see `labkit data list`)")
    return int(any(wrong for _, wrong in results))
