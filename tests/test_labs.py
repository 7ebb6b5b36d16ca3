"""What a lab is: its form, its stored outputs, and how much of them nbval compares."""

from __future__ import annotations

import re

import nbformat
import pytest

from labkit.course import notebooks
from tests.conftest import NOT_REWRITTEN, ROOT
from tests.exercises import cells, exercises

MASTERS = sorted((ROOT / "labs").glob("[0-9][0-9]_*.ipynb"))
IGNORED = "nbval-ignore-output"

pytestmark = [
    pytest.mark.parametrize("master", MASTERS, ids=lambda path: path.stem),
    pytest.mark.hangs_on("labs/{stem}.ipynb", "book/{stem}.md", "labkit/*", "labkit/course/notebooks.py"),
]


def test_every_output_is_stored_and_none_is_an_error(master):
    for cell in nbformat.read(master, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.execution_count, f"not run: {cell.source[:60]!r}"
            assert not [o for o in cell.outputs if o.output_type == "error"]
            assert not [o for o in cell.outputs if o.get("name") == "stderr"], "warnings in a stored output"


def test_nbval_compares_at_least_half_of_the_cells_that_print(master, report):
    loud = [c for c in nbformat.read(master, as_version=4).cells if c.get("outputs")]
    strict = [c for c in loud if IGNORED not in c.metadata.get("tags", [])]
    share = f"{len(strict)} of {len(loud)} cells with outputs ({len(strict) / len(loud):.0%}) are compared strictly"
    report(f"nbval-{master.stem}", share)
    assert len(strict) >= len(loud) / 2, share


def test_the_form_of_a_lab(master):
    notebook = nbformat.read(master, as_version=4)
    prose = [c.source for c in notebook.cells if c.cell_type == "markdown"]
    assert prose[0].startswith("# Lab ")
    for needed in ("`laptop`", "`gpu`", "LABKIT_CHAPTER", "LABKIT_COLAB"):
        assert needed in prose[0], f"the first cell lacks {needed}"
    set_up = next(c.source for c in notebook.cells if c.cell_type == "code")
    assert 'find_spec("labkit") is None' in set_up
    assert f'labkit.start("{master.stem}")' in set_up
    for heading in ("## Check against the libraries", "## Explore", "## What you found", "## Hand in"):
        assert any(text.startswith(heading) for text in prose), f"there is no {heading!r}"


def test_the_questions(master):
    found = exercises(master)
    tested = [e for e in found if not e.manual]
    assert 5 <= len(tested) <= 8
    assert len(found) - len(tested) == 2, "two written questions"
    for exercise in tested:
        hidden = ["hidden: true" in text for text in exercise.tests]
        assert any(hidden), f"{exercise.name} has no hidden test"
        assert not all(hidden), f"{exercise.name} has no public check"
        for text, is_hidden in zip(exercise.tests, hidden, strict=True):
            name = re.search(r"def (test_\w+)", text)[1]
            assert "points:" in text, f"{exercise.name}, {name}: no points"
            assert re.search(rf"^{name}\(.*\)  # IGNORE$", text, re.M), f"{name} is not run in the master"
            message = 'failure_message: "hidden check: ' in text
            assert message == is_hidden, (
                f"{exercise.name}, {name}: say what a hidden test tests, and of no other"
            )
            if not is_hidden:
                assert "chapter " in text or "contract" in text, f"{exercise.name}, {name}: say where to look"


HEADING = re.compile(r"^## Question \d+ · .+ \((\d+) points?, \d+ minutes\)$", re.MULTILINE)
HINTS = ("<summary>Hint 1: what to look at</summary>", "<summary>Hint 2: the shape of the solution</summary>")


def words(text: str) -> int:
    """The number of words of a notebook's text; formulas, tables and tags are not counted, folded hints are."""
    text = re.sub(r"\$\$.*?\$\$|<[^>\n]+>", " ", text, flags=re.DOTALL)
    text = re.sub(r"\$[^$\n]+\$|^\|.*$", " ", text, flags=re.MULTILINE)
    return sum(any(letter.isalpha() for letter in word) for word in text.split())


def settings(test: str) -> tuple[str, int]:
    """The name and the points of a test's cell."""
    return re.search(r"def (test_\w+)", test)[1], int(re.search(r"^points: (\d+)$", test, re.MULTILINE)[1])


def lacking(master, student) -> list[str]:
    """What a lab lacks of the second edition's form: its master, and the notebook that students get."""
    text = "\n\n".join(c.source for c in student.cells if c.cell_type == "markdown")
    questions, found = re.split(r"^(?=## Question )", text, flags=re.MULTILINE)[1:], exercises(master)
    lacks = {
        f"{len(student.cells)} cells for students, at most 85": len(student.cells) > 85,
        f"{words(text)} words for students, at most 2,800": words(text) > 2800,
        "five to seven questions with tests": not 5 <= sum(not e.manual for e in found) <= 7,
        f"{len(found)} questions have {len(questions)} headings": len(questions) != len(found),
    }
    for exercise, question in zip(found, questions, strict=False):
        name, tests = exercise.name, [settings(test) for test in exercise.tests]
        points = exercise.config.get("points") if exercise.manual else sum(points for _, points in tests)
        heading = HEADING.match(question)
        lacks[f"{name}: a heading with its {points} points, and minutes"] = (
            not heading or int(heading[1]) != points
        )
        lacks[f"{name}: two folded hints"] = not exercise.manual and not all(
            hint in question for hint in HINTS
        )
        errors = [points for test, points in tests if test.startswith("test_errors")]
        lacks[f"{name}: at most one test of errors, of one point"] = len(errors) > 1 or sum(errors) > 1
    return [lack for lack, true in lacks.items() if true]


@pytest.mark.hangs_on("labs/{stem}.ipynb", "labkit/**")
def test_the_form_of_the_second_edition(master, released, report):
    student = nbformat.read(released / "public" / "labs" / master.name, as_version=4)
    lacks = lacking(master, student)
    if master.stem in NOT_REWRITTEN:
        assert lacks, f"{master.stem} has the new form: take it off NOT_REWRITTEN in tests/conftest.py"
        return
    text = "\n\n".join(c.source for c in student.cells if c.cell_type == "markdown")
    report(f"form-{master.stem}", f"{len(student.cells)} cells and {words(text):,} words for students")
    assert not lacks, "\n".join(lacks)


def test_checks_send_students_to_sections_that_exist(master):
    chapter = (ROOT / "book" / f"{master.stem}.md").read_text()
    # A check is read as plain text: "Why divide by the root of $d_k$" is named without the dollars.
    headings = {heading.replace("$", "") for heading in re.findall(r"^#+ (.+)$", chapter, re.M)}
    for exercise in exercises(master):
        # Adjacent strings are joined first: a place may be named across two lines.
        text = re.sub(r'"\s*\n\s*f?"', "", "\n".join(exercise.tests))
        places = re.findall(r"chapter (\d\d), '([^']+)'", text)
        assert places or exercise.manual, f"{exercise.name} sends nobody to the chapter"
        for number, heading in places:
            assert master.stem.startswith(number)
            assert heading in headings, f"{exercise.name}: there is no section {heading!r}"


def test_cells_are_short_enough_to_read(master):
    for _, block, cell in cells(master):
        if cell.cell_type == "code":
            limit = 40 if block == "TESTS" else 25
            count = len(cell.source.splitlines())
            assert count <= limit, f"{count} lines: {cell.source[:60]!r}"


def test_the_stored_file_is_tidy(master, tmp_path):
    """It holds nothing that changes from run to run by itself: tidying it again changes nothing."""
    notebook = nbformat.read(master, as_version=4)
    notebooks.write(notebooks.tidy(notebook), tmp_path / "again.ipynb")
    assert (tmp_path / "again.ipynb").read_text() == master.read_text()


def test_tidying_takes_progress_bars_and_leaves_warnings(master):
    bars = "k1:   0%|          | 0/5 [00:00<?, ?it/s]\rk1: 100%|██████████| 5/5 [00:01<00:00, 4.2it/s]\n"
    outputs = [
        nbformat.v4.new_output("stream", name="stderr", text=bars + "RuntimeWarning: a real one\n"),
        nbformat.v4.new_output("stream", name="stderr", text=bars),
        nbformat.v4.new_output("display_data", {"text/plain": "  0%|          | 0/3 [00:00<?, ?it/s]"}),
        nbformat.v4.new_output("stream", name="stdout", text="50%| is printed\n"),
    ]
    cell = nbformat.v4.new_code_cell("x", outputs=outputs)
    kept = notebooks.tidy(nbformat.v4.new_notebook(cells=[cell])).cells[0].outputs
    assert [output.text for output in kept] == ["RuntimeWarning: a real one\n", "50%| is printed\n"]
