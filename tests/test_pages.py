"""The pages that make the site a course, as they are built: glossary links, start page, plan, footer."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
import yaml
from bs4 import NavigableString, Tag
from course_plan import load  # book/_extension
from glossary_links import OTHER_SENSE, finder, terms

from labkit.course.settings import Course, CourseError
from tests.conftest import ROOT
from tests.test_site import HTML, STEMS, each_chapter, name, pages, soup

pytestmark = pytest.mark.hangs_on("_build/html/**", "book/**", "labs/*", "labkit/**")

BOOK = HTML / "book"
TERMS = terms((ROOT / "book" / "glossary.md").read_text())
# What a reader meets as text that runs: not these.
APART = re.compile("h[1-4]|table|figcaption|caption|code|pre|summary|script|style")
APART_CLASSES = re.compile("math|cell_output|cell_input|admonition-title|rubric|headerlink|labkit-buttons")


def apart(tag: Tag) -> bool:
    return bool(APART.fullmatch(tag.name) or any(map(APART_CLASSES.fullmatch, tag.get("class", []))))


def running_text(tag: Tag, link: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Each piece of running text, with the address of the link it stands in."""
    for child in tag.children:
        if type(child) is NavigableString:
            yield str(child), link
        elif isinstance(child, Tag) and not apart(child):
            yield from running_text(child, child.get("href") if child.name == "a" else link)


def first_uses(stem: str) -> dict[str, tuple[str, bool]]:
    """For each term that the chapter uses: its surroundings, and whether it links to the glossary.

    Slow and plain on purpose, another way than the extension's: the longest terms first, and what was found
    is blotted out, so that "language model" is not found in "masked language model".
    """
    pieces = list(running_text(soup(BOOK / f"{stem}.html").article))
    text = "".join(piece for piece, _ in pieces)
    places = [link for piece, link in pieces for _ in piece]
    linked = {}
    for at, link in enumerate(places):
        if link and "glossary.html#term-" in link:
            linked.setdefault(link.split("#term-")[1], at)
    entries = {entry["id"] for entry in soup(BOOK / "glossary.html").select("dt[id]")}
    found = {}
    for term in sorted(TERMS, key=len, reverse=True):
        anchor = re.sub(r"[^\w]+", "-", term).strip("-")
        assert f"term-{anchor}" in entries, term
        first = re.escape(term[0].lower()) + term[0].upper() if term[0].islower() else re.escape(term[0])
        rest = r"\s+".join(map(re.escape, term[1:].split(" ")))
        plural = "(es|s)?" if term[-1].isalnum() else ""
        if term.endswith("y"):
            rest, plural = rest[:-1], "(y|ies)"
        uses = [m.span() for m in re.finditer(rf"(?<![\w-])[{first}]{rest}{plural}(?![\w-])", text)]
        # Words in a link to something else (a citation, another term) are that link's.
        uses = [u for u in uses if not places[u[0]] or places[u[0]].endswith(f"#term-{anchor}")]
        if uses:
            start, end = uses[0]
            found[term] = (text[max(0, start - 30) : end + 30], linked.get(anchor, len(text)) <= start)
        elif anchor in linked:
            found[term] = ("", True)
        for start, end in uses:
            text = text[:start] + "\0" * (end - start) + text[end:]
    return found


@each_chapter
def test_the_first_use_of_every_term_leads_to_the_glossary(stem):
    uses = first_uses(stem)
    assert len(uses) >= 15, "a chapter uses terms"
    unlinked = {term: place for term, (place, is_link) in uses.items() if not is_link}
    excepted = {term for term, chapters in OTHER_SENSE.items() if stem[:2] in chapters.split()}
    assert set(unlinked) == excepted, {t: p for t, p in unlinked.items() if t not in excepted}


def test_every_term_of_the_glossary_is_used_by_a_chapter():
    used = {term for stem in STEMS for term in first_uses(stem)}
    assert len(TERMS) == len(set(TERMS)) >= 181
    assert not set(TERMS) - used


def test_an_exception_names_a_term_and_chapters():
    for term, chapters in OTHER_SENSE.items():
        assert term in TERMS
        assert set(chapters.split()) <= {stem[:2] for stem in STEMS}


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("saddle point", "Saddle\npoints abound", "Saddle\npoints"),
        ("query", "two queries", "queries"),
        ("softmax", "softmaxes", "softmaxes"),
        ("BERT", "BERT's, not bert", "BERT"),
        ("attention", "self-attention", None),
        ("[CLS]", "from [CLS] on", "[CLS]"),
        ("key", "the monkeys", None),
    ],
)
def test_what_counts_as_a_use_of_a_term(term, text, found):
    match = finder([term]).search(text)
    assert (match and match[0]) == found


# --- start page


@each_chapter
def test_a_card_shows_the_chapters_own_first_figure(stem):
    cards = [
        card for card in soup(BOOK / "index.html").select(".sd-card") if card.select(f'a[href="{stem}.html"]')
    ]
    assert len(cards) == 1
    (picture,) = cards[0].select("img")
    assert picture["alt"] == soup(BOOK / f"{stem}.html").select("img.labkit-image")[0]["alt"]
    data = (BOOK / picture["src"]).read_bytes()
    assert data[8:12] == b"WEBP"
    assert 1_000 < len(data) < 25_000


@each_chapter
def test_figures_are_files_of_a_known_size_and_come_when_they_are_near(stem):
    for page in (BOOK / f"{stem}.html", BOOK / "labs" / f"{stem}.html"):
        first, *others = soup(page).select("img.labkit-image")
        assert all(other["loading"] == "lazy" for other in others)
        assert "loading" not in first.attrs
        for image in (first, *others):
            assert (page.parent / image["src"]).read_text(encoding="utf-8").rstrip().endswith("</svg>")
            assert min(int(image["width"]), int(image["height"])) > 30


def test_nothing_but_one_style_sheet_holds_back_a_page():
    for path in (BOOK / "index.html", *(BOOK / f"{stem}.html" for stem in STEMS)):
        page = soup(path)
        waiting = [
            s["src"]
            for s in page.select("script[src]")
            if not ("defer" in s.attrs or s.get("type") == "module")
        ]
        assert not waiting, path
        assert len(page.select("link[rel=stylesheet]")) == 1, path
    assert "@import" not in (HTML / "_static" / "styles" / "course.css").read_text(encoding="utf-8")


def test_the_start_pages_pictures_are_light():
    pictures = [BOOK / picture["src"] for picture in soup(BOOK / "index.html").select("article img")]
    assert len({path.read_bytes() for path in pictures}) == len(STEMS)
    assert sum(path.stat().st_size for path in pictures) < 180_000


def test_the_start_page_says_what_one_will_be_able_to_do():
    heading = soup(BOOK / "index.html").find(id="what-you-will-be-able-to-do")
    assert len(heading.find_all("li")) >= 6
    assert all(item.p.contents[0].name == "strong" for item in heading.find_all("li")), (
        "each begins with its verb"
    )


# --- map and schedules

PLAN = yaml.safe_load((ROOT / "book" / "plan.yml").read_text())


def relations(kind: str) -> list[tuple[str, str]]:
    return [(stem[:2], other[:2]) for stem, c in PLAN["chapters"].items() for other in c.get(kind, {})]


def test_the_map_draws_and_says_every_relation():
    (drawn,) = soup(BOOK / "prerequisites.html").select("svg.course-map")
    assert drawn["role"] == "img"
    said = {
        m[1]: (m[2], m[3])
        for m in re.finditer(r"(\d\d) [^:]+: needs (.+?); easier after (.+?)\.", drawn["aria-label"])
    }
    assert sorted(said) == [stem[:2] for stem in STEMS]
    for column, kind in enumerate(("needs", "helps")):
        assert len(drawn.select(f"path.{kind}")) == len(relations(kind)) > 10
        in_words = [
            (later, e) for later, texts in said.items() for e in texts[column].split(", ") if e != "none"
        ]
        assert in_words == relations(kind)
    # A curve goes three quarters of the way to its control points; a line is 1.5 wide.
    width = float(drawn["viewbox"].split()[2])
    for path in drawn.select("path.needs, path.helps"):
        edge, away = map(float, re.match(r"M(\S+) \S+ C(\S+)", path["d"]).groups())
        assert 1 <= edge + 0.75 * (away - edge) <= width - 1, "cut off at the map's edge"


def test_the_table_gives_a_reason_for_every_relation():
    rows = soup(BOOK / "prerequisites.html").select("article tbody tr")
    found = {"needs": [], "helps": []}
    for row in rows:
        chapter, *columns = row.find_all("td")
        for kind, cell in zip(found, columns, strict=True):
            found[kind] += [(chapter.get_text()[:2], link.get_text()) for link in cell.find_all("a")]
            assert all(len(reason) > 5 for reason in re.findall(r"\d\d: ([^;]+)", cell.get_text()))
    assert found == {kind: relations(kind) for kind in found}


@pytest.mark.parametrize("weeks", [12, 6])
def test_a_schedule_shows_its_weeks_and_what_the_labs_state(weeks):
    section = soup(BOOK / "schedule.html").find(id={12: "twelve-weeks", 6: "six-weeks"}[weeks])
    rows = section.select("tbody tr")
    assert len(rows) == weeks
    for row, week in zip(rows, PLAN["schedules"][weeks], strict=True):
        _, read, labs = row.find_all("td")
        assert [a["href"] for a in read.find_all("a")] == [f"{stem}.html" for stem in week["read"]]
        assert [a["href"] for a in labs.find_all("a")] == [f"labs/{stem}.html" for stem in week["labs"]]
        for stem in week["labs"]:
            page = soup(BOOK / "labs" / f"{stem}.html")
            (time,) = [
                r.find_all("td")[2].get_text()
                for r in page.select("tr")
                if r.td and r.td.get_text() == "laptop"
            ]
            assert labs.get_text().replace("\N{NO-BREAK SPACE}", " ").endswith(f", {time}")


def test_six_weeks_leave_out_what_the_page_says():
    kept = {stem for week in PLAN["schedules"][6] for stem in week["read"]}
    said = soup(BOOK / "schedule.html").find("strong", string="Left out").parent.get_text()
    assert re.findall(r"\d\d", said.split(".")[0]) == sorted(stem[:2] for stem in set(STEMS) - kept)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  03_optimization:\n    name", "  03_other:\n    name", "in this order"),
        ("      07_transformers: its body", "      09_variants: its body", "no earlier chapter"),
        ("[02_backpropagation, 03_optimization]", "[03_optimization]", "comes before"),
        (
            "read: [09_variants], labs: [09_variants]",
            "read: [09_variants], labs: [12_capstone]",
            "its chapter",
        ),
        ("    - {read: [12_capstone], labs: [12_capstone]}\n  6:", "  6:", "12 weeks has 11"),
    ],
)
def test_a_wrong_plan_is_refused(tmp_path, old, new, message):
    text = (ROOT / "book" / "plan.yml").read_text()
    assert old in text
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "plan.yml").write_text(text.replace(old, new, 1))
    shutil.copytree(ROOT / "labs", tmp_path / "labs")
    with pytest.raises(CourseError, match=message):
        load(Course(tmp_path))


# --- footer


def test_every_page_names_the_licenses_and_leads_to_their_texts():
    texts = {"CC BY 4.0": "Creative Commons Attribution 4.0 International", "MIT": "MIT License"}
    for page in pages():
        if page == HTML / "index.html":  # the front door, which leads on at once
            continue
        links = soup(page).select('footer a[rel="license"]')
        assert [link.get_text() for link in links] == list(texts), name(page)
        for link in links:
            assert texts[link.get_text()] in (page.parent / link["href"]).read_text(), name(page)
