"""Run every lab, or some, in an environment made for it, and print a row for each; see the package."""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from labkit.course.settings import Course
from tests.hosted import REPLACED, ROOT, Run, environment, pins, run, served, set_up, student


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hosted", description=__doc__)
    parser.add_argument("what", help="a list of tests/hosted, such as colab-3.13, or lowest")
    parser.add_argument("--python", default=sys.executable, help="which Python the environment gets")
    parser.add_argument("--lab", action="append", help="one lab; may be said again")
    parser.add_argument("--keep", type=Path, help="the environment's folder; one that is there is used again")
    given = parser.parse_args()
    stems = given.lab or Course(ROOT).labs()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = given.keep or folder / "environment"
        python = place / "bin" / "python"
        if not python.is_file():
            environment(place, given.python, given.what)
        with served(folder / "served") as (public, address):
            labs = {stem: student(public, address, stem) for stem in stems}
            # The first lab of each kind of set-up installs, one after another: two at once would meet.
            installing = {set_up(notebook): stem for stem, notebook in reversed(labs.items())}
            order = sorted(stems, key=lambda stem: stem not in installing.values())
            runs = {}
            with ThreadPoolExecutor(2) as pool:
                for stem in order:
                    runs[stem] = pool.submit(run, python, labs[stem], stem, folder / "runs" / stem)
                    if stem in installing.values():
                        runs[stem].result()
    return report([runs[stem].result() for stem in stems], {} if given.what == "lowest" else pins(given.what))


def report(runs: list[Run], wanted: dict[str, str]) -> int:
    """Print a row for each lab, and below it what was wrong; 1 if anything was."""
    wrong = 0
    print(
        "| lab | checks passed | errors | warnings | widgets | set-up | seconds |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for seen in runs:
        asked = seen.passed + len(seen.failed)
        print(
            f"| {seen.stem} | {seen.passed} of {asked} | {len(seen.errors)} | {len(seen.warnings)} "
            f"| {seen.widgets} | {seen.set_up:.0f} | {seen.seconds:.0f} |"
        )
        changed = {
            p: now for p, v in wanted.items() if (now := seen.installed.get(p)) != v and p not in REPLACED
        }
        for what in (
            *seen.errors,
            *seen.warnings,
            *seen.failed,
            *([f"replaced: {changed}"] if changed else []),
        ):
            print(f"    {seen.stem}: {what}")
        wrong += bool(seen.errors or seen.failed or changed)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
