"""A release: complete, repeatable, without leaks; graded by Otter, untouched notebooks 0 and solutions full."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from labkit.course.cli import main
from labkit.course.release import check_leaks, release, secrets
from labkit.course.settings import Course, CourseError
from tests.conftest import ROOT, STEMS, by_lab
from tests.exercises import exercises

pytestmark = pytest.mark.hangs_on(
    "labs/*", "labkit/**", "_config.yml", "pyproject.toml", "README.md", "LICENSE"
)
each_lab = by_lab("labs/{stem}.ipynb", "labkit/**", "_config.yml", "pyproject.toml", group="release")


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def copy(tmp_path, course) -> Course:
    """A checkout of the course, with two of its labs, that a test may break."""
    shutil.copytree(ROOT / "labkit", tmp_path / "labkit", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "labs").mkdir()
    for stem in STEMS[:2]:
        shutil.copy(course.lab(stem), tmp_path / "labs")
    for name in ("_config.yml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    return Course(tmp_path)


def change(course: Course, stem: str, old: str, new: str) -> None:
    path = course.lab(stem)
    notebook = nbformat.read(path, as_version=4)
    assert sum(old in cell.source for cell in notebook.cells)
    for cell in notebook.cells:
        cell.source = cell.source.replace(old, new)
    nbformat.write(notebook, path)


def test_the_manifest_lists_every_file_with_its_checksum(released, course):
    manifest = json.loads((released / "manifest.json").read_text())
    files = contents(released)
    del files["manifest.json"]
    assert manifest["labs"] == STEMS
    assert manifest["labkit"] == course.version
    assert manifest["files"] == {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()
    }
    expected = {f"public/{course.wheel}"}
    for stem in STEMS:
        expected |= {f"public/labs/{stem}.ipynb", f"site/{stem}.ipynb", f"private/{stem}-autograder.zip"}
    assert set(files) == expected


def test_the_same_sources_give_the_same_bytes(released, course, tmp_path):
    again = release(course, out=tmp_path / "again")
    assert contents(again) == contents(released)


@each_lab
def test_the_students_notebook_has_blanks_and_nothing_else_missing(stem, released, course):
    student = nbformat.read(released / "public" / "labs" / f"{stem}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in student.cells)
    for marker in (
        "# BEGIN",
        "SOLUTION",
        "# IGNORE",
        "LABKIT_CHAPTER",
        "LABKIT_COLAB",
        "LABKIT_WHEEL",
        "hidden check:",
    ):
        assert marker not in text
    assert course.addresses(stem)["LABKIT_WHEEL"] in text
    assert course.addresses(stem)["LABKIT_COLAB"] in text
    assert not [cell for cell in student.cells if cell.get("outputs")]
    for exercise in exercises(course.lab(stem)):
        if exercise.manual:
            continue
        assert f'grader.check("{exercise.name}")' in text
        heads = [line for part in exercise.solution for line in part.splitlines() if line.startswith("def ")]
        for head in heads:
            assert f"{head}\n" in text, f"the blank of {head} is not in the student's notebook"


@each_lab
def test_the_site_shows_the_outputs_of_all_but_the_answers(stem, released, course):
    page = nbformat.read(released / "site" / f"{stem}.ipynb", as_version=4)
    master = nbformat.read(course.lab(stem), as_version=4)
    shown = [cell for cell in page.cells if cell.get("outputs")]
    assert len(shown) == len([cell for cell in master.cells if cell.get("outputs")])
    assert "widget-view" not in json.dumps(page)
    assert f"```{{lab}} {stem}" in page.cells[0].source


def plain_search(texts: list[str], hidden: set[str]) -> set[str]:
    """Secret lines that stand in ``texts``: written apart from check_leaks, which it checks."""
    lines = set()
    for text in texts:
        for line in text.splitlines():
            # A line of a notebook's JSON: "    code\\n",
            bare = re.sub(r'(\\n)?",?$', "", line.strip().removeprefix('"')).strip()
            lines |= {line.strip(), bare.replace('\\"', '"').replace("\\\\", "\\")}
    return lines & hidden


@each_lab
def test_no_secret_line_is_in_anything_that_a_student_gets(stem, released, course):
    master = course.lab(stem)
    hidden = secrets(nbformat.read(master, as_version=4))
    assert len(plain_search([master.read_text()], hidden)) > 0.9 * len(hidden) > 100, (
        "the search finds what is there"
    )
    public = [path.read_text() for path in (released / "public").rglob("*.ipynb")]
    public += [path.read_text() for path in (released / "site").rglob("*.ipynb")]
    with zipfile.ZipFile(next((released / "public").glob("*.whl"))) as wheel:
        tests = [name for name in wheel.namelist() if f"public_tests/{stem}/" in name]
        assert len(tests) == len([e for e in exercises(course.lab(stem)) if not e.manual])
        public += [wheel.read(name).decode() for name in tests]
    assert not [text for text in public if "hidden=True" in text or "hidden check:" in text]
    assert not plain_search(public, hidden)


@each_lab
def test_a_leak_stops_the_release_and_names_the_line(stem, course, tmp_path):
    master = nbformat.read(course.lab(stem), as_version=4)
    for line in sorted(secrets(master))[::40]:
        leaked = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(f"x = 1\n    {line}")])
        nbformat.write(leaked, tmp_path / "leak.ipynb")
        with pytest.raises(CourseError) as caught:
            check_leaks(master, [tmp_path / "leak.ipynb"], stem)
        message = str(caught.value)
        assert "would leak into leak.ipynb: " in message
        assert ast.literal_eval(message.split("leak.ipynb: ", 1)[1]) in line


def test_what_is_secret():
    def notebook(*cells):
        made = {"raw": nbformat.v4.new_raw_cell, "code": nbformat.v4.new_code_cell}
        return nbformat.v4.new_notebook(cells=[made[kind](source) for kind, source in cells])

    begin, end = ("raw", "# BEGIN SOLUTION"), ("raw", "# END SOLUTION")
    marked = "shown = 'to all of the students'\nanswer = compute(the, secret)  # SOLUTION\nmore_of_it = 1 + 2 + 3  # SOLUTION NO PROMPT"
    assert secrets(notebook(begin, ("code", marked), end)) == {
        "answer = compute(the, secret)",
        "more_of_it = 1 + 2 + 3",
    }
    for hidden in ("true", "True", "yes"):
        test = f'""" # BEGIN TEST CONFIG\nhidden: {hidden}\n""" # END TEST CONFIG\ndef test_x(x):\n    assert x == 123456789'
        assert "assert x == 123456789" in secrets(
            notebook(("raw", "# BEGIN TESTS"), ("code", test), ("raw", "# END TESTS"))
        )
    with pytest.raises(CourseError, match="marks none of its lines as the solution"):
        secrets(notebook(begin, ("code", "answer = compute(the, secret)"), end))


def test_the_grading_machine_installs_what_the_students_notebook_does(copy):
    wheel = copy.addresses(STEMS[0])["LABKIT_WHEEL"]
    lines = {
        "LABKIT_WHEEL": f"labkit @ {wheel}",
        '"labkit[elmo] @ LABKIT_WHEEL"': f"labkit[elmo] @ {wheel}",
    }
    before = "LABKIT_WHEEL"
    for line, wanted in lines.items():
        change(copy, STEMS[0], f"install -q {before}", f"install -q {line}")
        before = line
        with zipfile.ZipFile(release(copy) / "private" / f"{STEMS[0]}-autograder.zip") as archive:
            assert f"- {wanted}\n" in archive.read("environment.yml").decode() + "\n"
    change(copy, STEMS[0], f"%pip install -q {before}", "")
    with pytest.raises(CourseError, match="0 lines '%pip install"):
        release(copy)


def test_a_solution_without_marks_stops_the_release(copy):
    notebook = nbformat.read(copy.lab(STEMS[0]), as_version=4)
    cell = next(
        cell for cell in notebook.cells if "# BEGIN SOLUTION" in cell.source and cell.cell_type == "code"
    )
    cell.source = cell.source.replace("    # BEGIN SOLUTION\n", "").replace("    # END SOLUTION", "")
    nbformat.write(notebook, copy.lab(STEMS[0]))
    with pytest.raises(CourseError, match="marks none of its lines"):
        release(copy)
    assert not (copy.root / "_build" / "release").exists()


def test_a_folder_that_is_no_release_is_left_alone(copy, tmp_path, monkeypatch):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").write_text("text")
    with pytest.raises(CourseError, match="not empty and not a release"):
        release(copy, out=tmp_path / "precious")
    with pytest.raises(CourseError, match="not empty and not a release"):
        release(copy, out=copy.root)
    assert (tmp_path / "precious" / "thesis.tex").read_text() == "text"
    with pytest.raises(CourseError, match="name the folder"):
        release(copy, [STEMS[0]])
    monkeypatch.chdir(tmp_path)
    assert (release(copy, [STEMS[0]], Path("some")) / "manifest.json").is_file()
    assert (release(copy, [STEMS[0]], Path("some")) / "manifest.json").is_file(), "a release may be replaced"


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://github.com/Acme/nlp", "https://acme.github.io/nlp/"),
        ("https://github.com/Acme/nlp.git", "https://acme.github.io/nlp/"),
        ("https://github.com/acme/acme.github.io/", "https://acme.github.io/"),
    ],
)
def test_all_addresses_follow_from_the_repositorys(copy, url, site):
    config = copy.root / "_config.yml"
    config.write_text(re.sub(r"url: https://github\.com/\S+", f"url: {url}", config.read_text()))
    course = Course(copy.root)
    assert course.site == site
    assert course.addresses("01_ranking")["LABKIT_WHEEL"] == f"{site}{course.wheel}"
    assert ".git/" not in course.addresses("01_ranking")["LABKIT_COLAB"]


def test_a_release_that_fails_leaves_the_last_one_as_it_was(copy):
    out = release(copy)
    before = contents(out)
    # A secret shown to students: a solution's line printed as an output of another cell.
    notebook = nbformat.read(copy.lab(STEMS[0]), as_version=4)
    secret = sorted(secrets(notebook))[0]
    first = next(cell for cell in notebook.cells if cell.get("outputs"))
    first.outputs = [nbformat.v4.new_output("stream", name="stdout", text=secret + "\n")]
    nbformat.write(notebook, copy.lab(STEMS[0]))
    with pytest.raises(CourseError, match="would leak"):
        release(copy)
    assert contents(out) == before
    assert [p.name for p in out.parent.iterdir()] == ["release"]


def test_a_master_that_otter_refuses_is_named(copy):
    change(copy, STEMS[0], "# END QUESTION", "# END SOMETHING")
    with pytest.raises(CourseError, match=rf"{STEMS[0]}.ipynb: otter assign failed"):
        release(copy)


def test_an_address_that_is_none_and_a_lab_that_is_none(copy):
    with pytest.raises(CourseError, match="there is no lab '99_none'; there are: 01_ranking"):
        release(copy, ["99_none"])
    config = copy.root / "_config.yml"
    config.write_text(config.read_text().replace("https://github.com/", "https://example.org/"))
    with pytest.raises(CourseError, match=r"_config.yml: repository.url is 'https://example.org/"):
        release(Course(copy.root))


def test_the_command_outside_a_checkout_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["release"]) == 1
    assert "is not in a checkout of the course" in capsys.readouterr().err


# --- graded by Otter, as Gradescope would


def grade(archive: Path, notebook: Path, folder: Path, **settings: str) -> dict[str, tuple[float, float]]:
    """Run Otter on one hand-in: question → points scored, points in all."""
    results = folder / "results"
    results.mkdir(parents=True)
    shutil.copy(notebook, folder / notebook.name)
    command = [sys.executable, "-m", "otter", "run", "-a", str(archive), "-o", str(results), notebook.name]
    run = {"cwd": folder, "env": {**os.environ, **settings}, "capture_output": True, "text": True}
    done = subprocess.run(command, timeout=300, check=False, **run)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    tests = json.loads((results / "results.json").read_text())["tests"]
    return {t["name"]: (t["score"], t["max_score"]) for t in tests if "max_score" in t}


def test_otter_gives_an_untouched_notebook_nothing(released, tmp_path):
    """Of one lab; test_mutants.py runs the same tests for all, without Otter's kernels."""
    stem = STEMS[0]
    archive = released / "private" / f"{stem}-autograder.zip"
    marks = grade(archive, released / "public" / "labs" / f"{stem}.ipynb", tmp_path)
    assert len(marks) >= 5
    assert not {q: m for q, m in marks.items() if m[0] > 0 or m[1] <= 0}, "nobody earned these points"


@each_lab
def test_the_solutions_score_full_with_the_released_wheel(stem, released, tmp_path, course):
    """The wheel unpacked stands in for an installed labkit."""
    with zipfile.ZipFile(next((released / "public").glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    with (tmp_path / "site" / "labkit" / "__init__.py").open("a") as module:
        module.write(f"\nopen({str(tmp_path / 'imported')!r}, 'w').close()\n")
    archive = released / "private" / f"{stem}-autograder.zip"
    marks = grade(archive, course.lab(stem), tmp_path / "run", PYTHONPATH=str(tmp_path / "site"))
    assert all(score == most > 0 for score, most in marks.values()), marks
    assert (tmp_path / "imported").is_file(), "another labkit was imported"
