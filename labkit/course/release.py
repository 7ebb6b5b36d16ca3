"""From the masters in labs/ to what students and graders get.

``release`` makes, under ``_build/release``:

- ``public/labs/NN_name.ipynb``: the student notebooks, without outputs;
- ``public/labkit-VERSION-py3-none-any.whl``: the labkit that they install, public tests inside;
- ``site/NN_name.ipynb``: the pages of the site: the student notebook with the outputs of all but the answers;
- ``private/NN_name-autograder.zip``: the archive for Otter and Gradescope, hidden tests inside;
- ``manifest.json``: size and sha256 of every file.

The same sources give the same bytes. It lands whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import nbformat

from labkit.course import notebooks
from labkit.course.settings import Course, CourseError
from labkit.files import digest

# The moment that every file of a release is dated to, so that its bytes do not depend on the clock.
EPOCH = (2020, 1, 1, 0, 0, 0)
WIDGET = "application/vnd.jupyter.widget-view+json"


def fingerprint(course: Course) -> str:
    """Digest of all that a release of all labs is made of."""
    names = ("_config.yml", "pyproject.toml", "README.md", "LICENSE")
    sources = [course.root / name for name in names] + list((course.root / "labs").glob("*.ipynb"))
    sources += [
        p for p in (course.root / "labkit").rglob("*") if p.is_file() and "__pycache__" not in p.parts
    ]
    return f"otter {version('otter-grader')}, {digest(course.root, sources)}"


def existing(course: Course) -> Path | None:
    """The release of all labs in ``_build/release`` if it was made from the sources as they are now."""
    out = course.root / "_build" / "release"
    with contextlib.suppress(OSError, ValueError):
        manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        return out if manifest.get("sources") == fingerprint(course) else None


def release(course: Course, labs: list[str] | None = None, out: Path | None = None) -> Path:
    """Release ``labs`` (all of them unless named) into ``out`` and return it.

    Raises CourseError for an unknown lab, an unset address, a master that Otter does not take, a folder that
    is no release, and for a solution or hidden test that would leak; ``out`` is then as it was.
    """
    stems = labs or course.labs()
    for stem in stems:
        course.lab(stem)
    if labs and out is None:
        raise CourseError("name the folder (--out) for a release of some labs: _build/release is for all")
    out = (out or course.root / "_build" / "release").resolve()
    if out.exists() and any(out.iterdir()) and not (out / "manifest.json").is_file():
        raise CourseError(f"{out} is not empty and not a release; name another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".release-") as folder:
        new = Path(folder) / "release"
        for part in ("public/labs", "site", "private"):
            (new / part).mkdir(parents=True)
        tests = Path(folder) / "public_tests"
        work = Path(folder) / "work"
        prepared = {stem: _prepare(course, stem, work / stem) for stem in stems}
        _assign(course, stems, work)
        for stem in stems:
            _finish(course, stem, prepared[stem], work / stem, new, tests)
        _build_wheel(course, tests, new / "public", Path(folder) / "stage")
        _write_manifest(course, stems, new)
        if out.exists():
            out.replace(Path(folder) / "old")  # gone with the temporary folder, once the new one is in place
        new.replace(out)
    return out


def _prepare(course: Course, stem: str, work: Path) -> nbformat.NotebookNode:
    """Write the master into ``work`` as Otter shall read it, with this course's addresses; return it."""
    work.mkdir(parents=True)
    prepared = nbformat.read(course.lab(stem), as_version=4)
    for cell in prepared.cells:
        for placeholder, address in course.addresses(stem).items():
            cell.source = cell.source.replace(placeholder, address)
    config = next(c for c in prepared.cells if c.cell_type == "raw" and "ASSIGNMENT CONFIG" in c.source)
    config.source += f"\nrequirements:\n    - {_requirement(prepared)}"
    nbformat.write(prepared, work / f"{stem}.ipynb")
    return prepared


# Otter changes the working directory and leaves logging set up, so it gets a process of its own; one for all
# labs, for its start takes six times as long as a lab.
ASSIGN = """
import os, sys
from otter.assign import main
for stem in sys.argv[1:]:
    print(stem, flush=True)
    os.chdir(stem)
    main(f"{stem}.ipynb", "out", no_run_tests=True, no_pdfs=True)
    os.chdir("..")
"""


def _assign(course: Course, stems: list[str], work: Path) -> None:
    """Run ``otter assign`` on the masters in ``work``; raises CourseError, naming the lab that it does not take."""
    command = [sys.executable, "-c", ASSIGN, *stems]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode:
        begun = [line for line in done.stdout.splitlines() if line in stems]
        master = course.lab(begun[-1]) if begun else work
        raise CourseError(f"{master}: otter assign failed\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def _finish(
    course: Course, stem: str, prepared: nbformat.NotebookNode, work: Path, new: Path, tests: Path
) -> None:
    """Take what Otter made of a lab into the release, and look for leaks."""
    master, addresses = course.lab(stem), course.addresses(stem)
    student = notebooks.tidy(nbformat.read(work / "out" / "student" / master.name, as_version=4))
    _number_cells(student)
    notebooks.write(student, new / "public" / "labs" / master.name)
    _show_outputs(student, prepared)
    first = next(cell for cell in student.cells if cell.cell_type == "markdown")
    first.source = first.source.replace(addresses["LABKIT_CHAPTER"], f"../{stem}.md")
    first.source += f"\n\n```{{lab}} {stem}\n```"
    notebooks.write(student, new / "site" / master.name)
    shutil.copytree(work / "out" / "student" / "tests", tests / stem)
    [archive] = (work / "out" / "autograder").glob("*.zip")
    _zip_again(archive, new / "private" / f"{stem}-autograder.zip")
    given = [new / "public" / "labs" / master.name, new / "site" / master.name]
    check_leaks(nbformat.read(master, as_version=4), [*given, *sorted((tests / stem).iterdir())], stem)


def _requirement(notebook: nbformat.NotebookNode) -> str:
    """What the lab's set-up cell installs: the machine that grades needs the same, with the same extras."""
    lines = re.findall(r"%pip install -q (?!--no-deps)(.+)", "\n".join(c.source for c in notebook.cells))
    if len(lines) != 1:
        raise CourseError(f"the lab has {len(lines)} lines '%pip install -q …'; its set-up cell needs one")
    wanted = lines[0].strip(" \"'")
    return wanted if "@" in wanted else f"labkit @ {wanted}"


def _number_cells(notebook: nbformat.NotebookNode) -> None:
    """Otter draws new random ids for the cells it makes; number them, so that a release repeats."""
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03}"
        if cell.cell_type == "code":
            cell.execution_count = None


def _show_outputs(student: nbformat.NotebookNode, master: nbformat.NotebookNode) -> None:
    """Give each cell that students get unchanged the outputs it has in the master; widgets as pictures."""
    outputs = {cell.source: cell.outputs for cell in master.cells if cell.cell_type == "code"}
    for cell in student.cells:
        if cell.cell_type == "code":
            cell.outputs = outputs.get(cell.source, [])
            for output in cell.outputs:
                output.get("data", {}).pop(WIDGET, None)


def _zip_again(source: Path, target: Path) -> None:
    """Copy a zip archive with sorted names, fixed dates and fixed rights."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            runs = name.endswith(".sh") or name == "run_autograder"
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            new.writestr(entry, old.read(name))


def _build_wheel(course: Course, tests: Path, out: Path, stage: Path) -> None:
    """Build the labkit wheel from a copy of the package that has the public tests inside."""
    stage.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(course.root / name, stage)
    skip = shutil.ignore_patterns("__pycache__", "public_tests")
    shutil.copytree(course.root / "labkit", stage / "labkit", ignore=skip)
    shutil.copytree(tests, stage / "labkit" / "public_tests")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1577836800"}
    done = subprocess.run(command, cwd=stage, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or not (out / course.wheel).is_file():
        raise CourseError(f"the labkit wheel could not be built\n{done.stdout[-1000:]}{done.stderr[-2000:]}")


def secrets(master: nbformat.NotebookNode) -> set[str]:
    """The lines that no student may get: of solutions and of hidden tests.

    Lines that also stand outside of them (in prompts, public tests, other cells), and lines that give nothing
    away (imports, bare loops, seeds, short ones) are left out. Raises CourseError for a code cell in a SOLUTION block that
    marks no solution: Otter would give it to students as it is.
    """
    secret, open_ = set(), set()
    block = ""
    for cell in master.cells:
        if cell.cell_type == "raw":
            begun = re.match(r"\s*#\s*BEGIN (SOLUTION|TESTS)", cell.source)
            block = begun[1] if begun else "" if "# END" in cell.source else block
            continue
        lines = [line.strip() for line in cell.source.splitlines()]
        if block == "TESTS":
            (secret if _is_hidden(cell.source) else open_).update(lines)
        elif block == "SOLUTION" and cell.cell_type == "markdown":
            secret.update(lines)
        else:
            marked = _solution_lines(lines)
            if block == "SOLUTION" and not marked:
                raise CourseError(
                    f"a cell of a solution marks none of its lines as the solution: {lines[:1]}"
                )
            secret |= set(marked.values())
            open_ |= set(lines) - set(marked)
    shown = "\n".join(open_)
    dull = re.compile(r"(import|from) .*|for _ in range\(\w+\):|rng = np\.random\.default_rng\(\d+\)")
    return {s for s in secret if len(s) >= 16 and s not in shown and not dull.fullmatch(s)}


def _solution_lines(lines: list[str]) -> dict[str, str]:
    """The lines that Otter takes out of a solution's cell: as they stand there → without their marks."""
    found, inside = {}, False
    for line in lines:
        if line.startswith("# BEGIN SOLUTION"):
            inside = True
        elif line.startswith("# END SOLUTION"):
            inside = False
        elif inside or re.search(r"# ?SOLUTION( NO PROMPT)?$", line):
            found[line] = re.sub(r"\s*# ?SOLUTION( NO PROMPT)?$", "", line)
    return found


def _is_hidden(test: str) -> bool:
    """Whether a test cell is hidden, by its configuration as Otter reads it."""
    import yaml

    config = re.search(r"BEGIN TEST CONFIG\n(.*?)\n\"\"\"", test, re.DOTALL)
    return bool(config and (yaml.safe_load(config[1]) or {}).get("hidden"))


def check_leaks(master: nbformat.NotebookNode, given: list[Path], stem: str) -> None:
    """Raise CourseError, naming file and line, if a file that students are given has a secret line of ``master``."""
    hidden = sorted(secrets(master))
    for path in given:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            # JSON writes a cell's lines with escapes; compare with the strings as they are read.
            text = "\n".join(_strings(nbformat.reads(text, as_version=4)))
        for line in hidden:
            if line in text:
                raise CourseError(f"{stem}: a solution or hidden test would leak into {path.name}: {line!r}")
        if "hidden=True" in text:
            raise CourseError(f"{stem}: {path.name} holds a hidden test")


def _strings(value: object) -> list[str]:
    """All strings in nested dicts and lists."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inside for text in _strings(part)]


def _write_manifest(course: Course, stems: list[str], new: Path) -> None:
    files = {
        path.relative_to(new).as_posix(): {
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(new.rglob("*"))
        if path.is_file()
    }
    manifest = {"labkit": course.version, "repository": course.repository, "labs": stems, "files": files}
    if stems == course.labs():
        manifest["sources"] = fingerprint(course)
    (new / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
