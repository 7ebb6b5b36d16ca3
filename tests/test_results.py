"""What is measured and what is claimed: the files of book/results, and the two pages that show them."""

from __future__ import annotations

import ast
import builtins
import json
import re
import sys
from datetime import date

import measured  # book/_extension
import nbformat
import pytest
from bs4 import BeautifulSoup

from labkit.course.settings import Course
from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on(
    "_build/html/book/results.html",
    "_build/html/book/status.html",
    "book/results/**",
    "book/results.md",
    "book/references.bib",
    "book/_extension/**",
    "labs/*",
)

HTML = ROOT / "_build" / "html" / "book"
STEMS = Course(ROOT).labs()
CLAIMS = measured.claims()
# What experiments of chapters found lies in a folder of each chapter (tests/test_chapters.py).
FILES = sorted([*measured.RESULTS.glob("*.json"), *measured.RESULTS.glob("labs/*.json")])
ids = [claim["id"] for claim in CLAIMS]
each_claim = pytest.mark.parametrize("claim", CLAIMS, ids=ids)


def test_every_chapter_has_claims_and_every_claim_its_own_name():
    assert {claim["stem"] for claim in CLAIMS} == set(STEMS)
    assert len(set(ids)) == len(ids)
    for stem in STEMS:
        assert 4 <= sum(claim["stem"] == stem for claim in CLAIMS) <= 8, stem


@each_claim
def test_a_claim_is_complete_and_cites_what_there_is(claim):
    texts = {"id", "stem", "claim", "published", "cite", "where", "expression", "unit", "differs"}
    assert set(claim) == texts | {"digits"}
    assert all(isinstance(claim[name], str) and claim[name].strip() for name in texts)
    assert isinstance(claim["digits"], int)
    assert claim["differs"].endswith(".")
    known = re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(), re.MULTILINE)
    assert claim["cite"] in known


def defined(stem: str) -> set[str]:
    """Every name that a lab's code binds at its top level, where an expression is evaluated."""
    names: set[str] = set()
    for cell in nbformat.read(ROOT / "labs" / f"{stem}.ipynb", as_version=4).cells:
        if cell.cell_type != "code" or "BEGIN TEST CONFIG" in cell.source:
            continue
        source = re.sub(r"^(\s*)[%!].*$", r"\1pass", cell.source, flags=re.MULTILINE)
        names |= bound(ast.parse(source).body)
    return names


def bound(body: list[ast.stmt]) -> set[str]:
    """Names bound by statements, but not inside functions, classes and comprehensions."""
    names: set[str] = set()
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            todo += ast.iter_child_nodes(node)
    return names


def free(expression: str) -> set[str]:
    """Names that an expression takes from outside."""
    tree = ast.parse(expression, mode="eval")
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - own - set(dir(builtins))


def test_names_are_found_where_they_are_bound():
    source = (
        "import a.b as c\nd, *e = 1, 2\ndef f(g): h = 1\nfor i in []: j = [k for k in i]\nwith l as m: n = o"
    )
    assert bound(ast.parse(source).body) == {"c", "d", "e", "f", "i", "j", "m", "n"}
    assert free("(lambda p: p + q)(r[0]) + sum(s for s in t)") == {"q", "r", "t"}


@pytest.mark.parametrize("stem", STEMS)
def test_an_expression_uses_names_of_its_lab_only(stem):
    there = defined(stem)
    for claim in CLAIMS:
        if claim["stem"] == stem:
            assert free(claim["expression"]) <= there, claim["id"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_results_is_well_formed(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    assert set(found) == {"machine", "command", "date", "rows"}
    assert set(found["machine"]) - {"gpu"} == set(measured.machine())
    name = path.relative_to(measured.RESULTS).with_suffix("").as_posix()
    part, _, lab = name.partition("/")
    wanted = f"make bench PART={part}" + (f" LAB={lab}" if lab else "")
    assert found["command"].removeprefix("LABKIT_DATA=FOLDER ") == wanted
    assert date.fromisoformat(found["date"])
    assert found["rows"]
    for row in found["rows"]:
        assert {"what", "value", "unit", "target", "met"} <= set(row)
        assert isinstance(row["value"], int | float | str | None)
        assert (row["met"] is None) == (row["target"] == "")
        if "low" in row:
            assert row["low"] <= row["value"] <= row["high"]
    if lab:
        assert found["rows"][0]["what"] == measured.RUN_TIME
        # A claim may have been taken back since; then its row is shown nowhere.
        assert {row["what"] for row in found["rows"][1:]} & set(ids)


def page(name: str) -> BeautifulSoup:
    path = HTML / f"{name}.html"
    assert path.is_file(), "there is no site in _build/html; run `make site`"
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def plain(text: str) -> str:
    """``text`` without the quotes and dashes that a typesetter may change."""
    return re.sub(r"[\s\"'“”‘’–-]+", "", text)


def test_the_page_shows_every_claim_with_what_was_measured():
    rows = [[plain(cell.get_text()) for cell in row.find_all("td")] for row in page("results").select("tr")]
    for claim in CLAIMS:
        mine = [row for row in rows if row and row[0] == plain(claim["claim"])]
        wanted = plain(measured.measured(claim, measured.results(f"labs/{claim['stem']}")))
        assert any(row[2] == wanted and plain(claim["published"]) in row[1] for row in mine), claim["id"]


def test_no_number_of_the_page_is_typed_by_hand():
    text = (ROOT / "book" / "results.md").read_text(encoding="utf-8")
    assert "\n|" not in text, "tables come from the directives"
    assert not re.search(r"\d", re.sub(r"\d\d_[a-z]+", "", text))


def test_a_claim_that_was_not_measured_says_so():
    claim = {"id": "some", "expression": "1 + 1", "digits": 1, "unit": "points"}
    row = {"what": "some", "expression": "1 + 1", "value": -2.0, "low": -3.0, "high": -1.5}
    assert measured.measured(claim, None) == "not measured yet"
    assert measured.measured(claim, {"rows": []}) == "not measured yet"
    assert measured.measured(claim, {"rows": [row]}) == "−2.0 [−3.0, −1.5] points"
    assert measured.measured(claim, {"rows": [row | {"expression": "2"}]}) == "not measured yet"
    assert "data" in measured.measured(claim, {"rows": [row | {"value": None}]})


def test_status_tells_this_build_and_every_version_and_run_time():
    shown = page("status").get_text(" ")
    assert re.search(r"Built \d{4}-\d\d-\d\d \d\d:\d\d UTC", shown)
    for name, version, _ in measured.packages():
        assert name in shown
        assert version in shown
    assert f"Python {sys.version.split()[0]}" in shown
    for stem in STEMS:
        assert page("status").select(f"a[href*='labs/{stem}']"), f"no run time of lab {stem}"
        assert page("status").select(f"a[href$='{stem}.html']:not([href*='labs/'])"), f"no run time of {stem}"


def test_every_page_that_tells_the_time_is_read_again():
    class Environment:
        metadata = {"a": {}, "b": {"says-when": True}}  # noqa: RUF012

    assert measured._always(None, Environment, set(), set(), set()) == ["b"]
