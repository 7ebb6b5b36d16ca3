"""The built site in a real browser: Debian's chromium, driven by Playwright. Skipped where there is none.

A page is visited once for each size and scheme (``tests/browser/visit.py``); the tests read what that visit saw.
axe-core comes from npm (``make test`` fetches it into _build/browser); without it, it looks at nothing, and says so.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from urllib.parse import urljoin

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

from labkit.course.settings import Course
from tests.browser.server import serve
from tests.browser.visit import AXE, DESKTOP, PHONE, Visit, laid_out, visit
from tests.browser.weight import FLAGS, chromium
from tests.conftest import ROOT, STEMS, by_lab

HTML = ROOT / "_build" / "html"
# Over the wire, without Vega (the interactive bundle).
FIRST_LOAD = 1_500_000
MODES = {
    "desktop-light": (DESKTOP, "light"),
    "desktop-dark": (DESKTOP, "dark"),
    "phone-light": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
# One page of each kind: axe-core looks at these in every mode, at all others in the first.
TEMPLATES = {
    "book/index.html",
    "book/07_transformers.html",
    "book/labs/07_transformers.html",
    "book/glossary.html",
    "book/results.html",
    "book/prerequisites.html",
    "genindex.html",
    "search.html",
}
# A word that the chapter explains and that search must find in it.
TERMS = {
    "01_ranking": "BM25",
    "02_backpropagation": "adjoint",
    "03_optimization": "AdamW",
    "04_recurrent": "BiLSTM",
    "05_embeddings": "GloVe",
    "06_elmo": "ELMo",
    "07_transformers": "attention",
    "08_bert": "BERT",
    "09_variants": "DeBERTa",
    "10_distillation": "DistilBERT",
    "11_probing": "selectivity",
    "12_capstone": "spoiler",
}


def pages() -> list[str]:
    found = [path for path in HTML.rglob("*.html") if "_static" not in path.parts]
    return sorted(path.relative_to(HTML).as_posix() for path in found if path != HTML / "index.html")


CHAPTERS = [f"book/{stem}.html" for stem in STEMS]


def each(pages: list[str]) -> Callable:
    """A test for each page whose verdict hangs on that page; the tests of a page share its visits."""

    def mark(test: Callable) -> Callable:
        found = [pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in pages]
        hangs_on = pytest.mark.hangs_on("_build/html/{page}", "_build/html/_static/**")
        return hangs_on(pytest.mark.parametrize("page", found)(test))

    return mark


each_chapter = each(CHAPTERS)


def modes_of(page: str) -> list[str]:
    """In which modes a page is visited: dark on a desktop only where pictures or a template are looked at."""
    dark = page in TEMPLATES or page in CHAPTERS
    return [mode for mode in MODES if mode != "desktop-dark" or dark]


@pytest.fixture(scope="session")
def browser():
    program = chromium()
    if program is None:
        pytest.skip("there is no chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def address():
    with serve(HTML) as found:
        yield found


@pytest.fixture(scope="session")
def seen(browser, address):
    """What a visit to a page in a mode saw; each is made once."""

    @lru_cache(maxsize=len(MODES))
    def see(page: str, mode: str) -> Visit:
        with_axe = mode == "desktop-light" or page in TEMPLATES
        return visit(browser, address, page, *MODES[mode], with_axe)

    return lambda page, mode="desktop-light": see(page, mode)


def opened(browser, address: str, page: str, **settings):
    tab = browser.new_page(**{"viewport": DESKTOP, **settings})
    tab.goto(address + page, wait_until="load")
    return tab


@pytest.mark.hangs_on("_build/html/**")
def test_there_is_a_site():
    assert {*CHAPTERS, *TEMPLATES} <= set(pages()), "the site in _build/html is not whole; run `make site`"


@each(pages())
def test_a_page_is_right_in_every_mode(page, seen):
    """No error, no request to others, no sideways scroll, nothing cut off, and nothing for axe-core to find."""
    # Each is a fault that a visit notes: what else it notes has a test of its own.
    faults = (
        "errors",
        "requests to others",
        "the page scrolls sideways",
        "cut off on a phone",
        "a wide formula is cut off",
        "axe",
    )
    wrong = [
        f"{page}, {mode}, {fault}: {what}"
        for mode in modes_of(page)
        for fault in faults
        for what in seen(page, mode).wrong[fault]
    ]
    assert not wrong, "\n".join(wrong)
    if not AXE.is_file():
        pytest.skip("axe-core is not here, all else was seen (make test fetches it where npm is)")


@pytest.mark.hangs_on("_build/html/index.html", "_build/html/book/index.html")
def test_the_front_door_opens_on_the_start_page(browser, address):
    tab = opened(browser, address, "")
    tab.wait_for_url("**/book/index.html")
    tab.close()


@each_chapter
def test_every_formula_is_drawn(page, seen):
    assert seen(page).found["formulas"] > 10
    assert not seen(page).wrong["formulas"], seen(page).wrong["formulas"][:3]


@pytest.mark.hangs_on("_build/html/book/07_transformers.html", "_build/html/_static/**")
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_address_of_a_part_leads_to_it_though_what_is_above_was_never_laid_out(size, browser, address):
    tab = opened(browser, address, "book/07_transformers.html", viewport=size)
    parts = tab.evaluate(
        "[...document.querySelectorAll('article > section > section')].map((part) => part.id)"
    )
    tab.close()
    for part in parts[1::4]:
        tab = opened(browser, address, f"book/07_transformers.html#{part}", viewport=size)
        tab.wait_for_function(
            "(part) => Math.abs(document.getElementById(part).getBoundingClientRect().top - 64) < 40",
            arg=part,
        )
        tab.close()


@each_chapter
def test_each_control_changes_what_its_figure_draws(page, seen):
    assert seen(page).found["charts"]
    assert not seen(page).wrong["controls"]


@each_chapter
def test_figures_read_alike_in_the_dark(page, seen):
    """Each picture keeps its own white sheet in dark mode: it looks as it does in the light."""
    light, dark = (seen(page, f"desktop-{scheme}").found for scheme in ("light", "dark"))
    assert (light["theme"], dark["theme"]) == ("light", "dark")
    assert light["sheets"] == dark["sheets"]
    assert set(dark["sheets"]) == {"rgb(255, 255, 255)"}


@each_chapter
def test_a_quiz_answers_by_keyboard(page, seen):
    reasons = seen(page).found["reasons"]
    assert len(reasons) >= 15
    assert not seen(page).wrong["quiz"]
    assert all(re.match(r"(Right|Not this one)\. ?\S", reason) for reason in reasons), reasons


@each_chapter
def test_the_tab_key_reaches_every_control_and_shows_where_it_is(page, seen):
    assert seen(page).found["things to use"] > 15
    assert not seen(page).wrong["not reached by the tab key"]
    assert not seen(page).wrong["focus does not show"]


@pytest.mark.hangs_on("_build/html/**")
@pytest.mark.parametrize("stem", STEMS)
def test_search_finds_a_term_of_the_chapter(stem, browser, address):
    tab = opened(browser, address, "book/index.html")
    tab.keyboard.press("Control+k")
    tab.keyboard.type(TERMS[stem])
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=*")
    hit = tab.locator(f"#search-results a[href*='{stem}.html']").first
    hit.wait_for(timeout=20_000)
    hit.click()
    tab.wait_for_url(f"**/{stem}.html*")
    laid_out(tab)
    assert TERMS[stem].lower() in tab.locator("article").inner_text().lower()
    tab.close()


@by_lab(
    "_build/html/book/{stem}.html",
    "_build/html/book/labs/{stem}.html",
    "_build/html/labs/{stem}.ipynb",
    group="buttons",
)
def test_the_buttons_of_a_lab_lead_to_it(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    colab, _kaggle, view, download = (
        tab.locator(".labkit-buttons a").nth(i).get_attribute("href") for i in range(4)
    )
    assert colab == Course(ROOT).addresses(stem)["LABKIT_COLAB"]
    assert colab.startswith("https://colab.research.google.com/")
    with tab.expect_download() as waiting:
        tab.locator(".labkit-buttons a").nth(3).click()
    notebook = nbformat.read(waiting.value.path(), as_version=4)
    title = notebook.cells[0].source.split("\n")[0].lstrip("# ")
    assert waiting.value.suggested_filename == f"{stem}.ipynb" == Path(download).name
    tab.goto(urljoin(f"{address}book/{stem}.html", view))
    assert title in tab.locator("h1").first.inner_text()
    tab.close()


def letters(text: str) -> str:
    """``text`` without spaces, signs and ligatures, which a PDF may set otherwise."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text)).lower()


def on_paper(part: Tag, printed: str) -> float:
    """The share of the runs of three words in ``part`` that are printed; a page may end within one."""
    runs = []
    for text in part.find_all(string=True):  # formulas, which were taken out, stand between
        words = text.split()
        runs += [letters("".join(words[i : i + 3])) for i in range(max(1, len(words) - 2))]
    runs = [run for run in runs if len(run) > 5]
    return sum(run in printed for run in runs) / len(runs) if runs else 1.0


@each_chapter
def test_a_chapter_prints_all_of_it(page, seen):
    assert not seen(page).wrong["printing"]
    paper = PdfReader(io.BytesIO(seen(page).found["paper"]))
    printed = letters("\n".join(sheet.extract_text() for sheet in paper.pages))
    article = BeautifulSoup((HTML / page).read_text(encoding="utf-8"), "html.parser").article
    for part in article.select("script, math, img, .headerlink, .labkit-hidden, .expanded, .collapsed"):
        part.decompose()
    # Paragraphs, quiz answers and their reasons, solutions, code behind a toggle: all on paper.
    parts = article.select("h2, h3, p, summary, figcaption, .highlight pre")
    assert len(parts) > 100
    missing = [part.get_text()[:200] for part in parts if on_paper(part, printed) < 0.9]
    assert not missing, f"{len(missing)} of {len(parts)} are not on paper: {missing[:10]}"


@each([*CHAPTERS, *(f"book/labs/{stem}.html" for stem in STEMS)])
def test_a_first_visit_is_light(page, seen):
    loaded = seen(page).found["first load"]
    assert 20_000 < sum(loaded.values()) <= FIRST_LOAD, sorted(loaded.items(), key=lambda item: -item[1])[:5]


@pytest.mark.hangs_on("_build/html/book/01_ranking.html", "_build/html/_static/**")
def test_nothing_moves_for_those_who_ask_for_less_motion(browser, address):
    tab = opened(browser, address, "book/01_ranking.html", reduced_motion="reduce")
    moving = tab.evaluate(
        """[...document.querySelectorAll("*")].filter((e) => {
        const s = getComputedStyle(e);
        return s.animationName != "none" || parseFloat(s.transitionDuration) > 0 || s.scrollBehavior == "smooth";
        }).map((e) => e.tagName + "." + e.className)"""
    )
    assert not moving, moving[:5]
    tab.close()
