"""The command ``labkit``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from labkit import corpora


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit status. Errors of the user's are one line on stderr."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.call(options) or 0)
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
