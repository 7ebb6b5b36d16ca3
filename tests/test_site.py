"""The built site (``make site`` builds it), read as files: pages, links, alt texts. test_browser.py opens it."""

from __future__ import annotations

import html
import re
import shutil
import unicodedata
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from course_site import cache_key  # book/_extension
from fontTools.ttLib import TTFont
from support import visible_cells  # book/support

from labkit.course.release import secrets
from labkit.course.settings import Course
from tests.conftest import NOT_REWRITTEN, ROOT

pytestmark = pytest.mark.hangs_on(
    "_build/html/**", "book/**", "labs/*", "labkit/**", "_toc.yml", "_config.yml", "constraints.txt"
)

HTML = ROOT / "_build" / "html"
STEMS = Course(ROOT).labs()
each_chapter = pytest.mark.parametrize("stem", STEMS)


def pages() -> list[Path]:
    found = sorted(path for path in HTML.rglob("*.html") if "_static" not in path.parts)
    assert found, "there is no site in _build/html; run `make site`"
    return found


@lru_cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def name(path: Path) -> str:
    return path.relative_to(HTML).as_posix()


def test_every_page_of_the_contents_is_built():
    listed = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())
    assert {f"{page}.html" for page in listed} <= {name(path) for path in pages()}


def test_every_internal_link_leads_somewhere():
    broken = []
    for page in pages():
        for link in soup(page).find_all("a", href=True):
            target, anchor = urldefrag(link["href"])
            if urlsplit(target).scheme or target.startswith("//"):
                continue
            path = (page.parent / unquote(target)).resolve() if target else page
            if not path.exists():
                broken.append(f"{name(page)}: {link['href']}")
            elif anchor and path.suffix == ".html" and not soup(path).find(id=unquote(anchor)):
                broken.append(f"{name(page)}: {link['href']} (no such place on that page)")
    assert not broken, "\n".join(sorted(set(broken))[:20])


def test_every_image_has_a_text_alternative():
    missing = []
    for page in pages():
        for image in soup(page).find_all("img"):
            if not (image.get("alt") or "").strip() and image.get("role") != "presentation":
                missing.append(f"{name(page)}: {str(image)[:80]}")
        for figure in soup(page).select("figure.labkit-figure"):
            if not figure.figcaption:
                missing.append(f"{name(page)}: a figure without a caption")
    assert not missing, "\n".join(missing)


def test_nothing_is_asked_of_another_host():
    asked = []
    for page in pages():
        for tag, attribute in (
            ("script", "src"),
            ("link", "href"),
            ("img", "src"),
            ("iframe", "src"),
            ("source", "src"),
        ):
            for element in soup(page).find_all(tag, **{attribute: True}):
                if urlsplit(element[attribute]).netloc and "canonical" not in (element.get("rel") or []):
                    asked.append(f"{name(page)}: {element[attribute]}")
    assert not asked, "\n".join(sorted(set(asked)))


def test_a_page_loads_the_scripts_that_it_needs():
    with_charts = 0
    for page in pages():
        charts = soup(page).select(".labkit-vega")
        scripts = {Path(urlsplit(s["src"]).path).name for s in soup(page).find_all("script", src=True)}
        assert ("charts.js" in scripts) == bool(charts), name(page)
        assert not scripts & {"vega.js", "fontawesome.js"}, f"{name(page)} loads what it may not need"
        assert ("searchindex.js" in scripts) == (page.stem == "search"), name(page)
        with_charts += bool(charts)
    assert with_charts >= len(STEMS)


def test_the_sites_font_draws_every_sign_of_every_formula():
    has = set(TTFont(HTML / "_static" / "styles" / "math.woff").getBestCmap())
    missing = set()
    for page in pages():
        for formula in soup(page).find_all("math"):
            signs = set(formula.get_text()) | ({"√"} if formula.find(["msqrt", "mroot"]) else set())
            # No font draws spaces, what is invisible, and what only chooses a form.
            missing |= {
                s
                for s in signs
                if ord(s) not in has and unicodedata.category(s) not in ("Cf", "Zs", "Cc", "Mn")
            }
    assert not missing, f"{sorted(missing)} will look different on every machine"


@each_chapter
def test_a_chapter_has_its_parts(stem):
    page = soup(HTML / "book" / f"{stem}.html")
    headings = [h.get_text().strip("#\n ") for h in page.select("article h2")]
    for needed in (
        "Where the sources slip" if stem in NOT_REWRITTEN else "Common mistakes",
        "Think, then open",
        "Quiz",
        "Exercises",
        "What to remember",
        "Further reading",
    ):
        assert needed in headings, f"{stem} lacks {needed!r}"
    assert "After this chapter you can" in page.get_text()
    quizzes = page.select(".labkit-quiz")
    assert len(quizzes) == 5
    for quiz in quizzes:
        assert len(quiz.select(".labkit-right")) == 1
        assert len(quiz.select(".labkit-wrong")) >= 2
    assert len(page.select(".labkit-vega")) >= 1
    assert page.select("a.reference.internal span.std-term"), "terms are linked to the glossary"


@each_chapter
def test_the_buttons_of_a_lab(stem):
    course = Course(ROOT)
    buttons = soup(HTML / "book" / f"{stem}.html").select(".labkit-buttons")[0].find_all("a")
    colab, kaggle, view, download = (button["href"] for button in buttons)
    assert colab == course.addresses(stem)["LABKIT_COLAB"]
    branch = f"{course.repository}/blob/gh-pages"
    assert kaggle == f"https://www.kaggle.com/kernels/welcome?src={branch}/labs/{stem}.ipynb"
    assert (HTML / "book" / view).resolve() == HTML / "book" / "labs" / f"{stem}.html"
    assert (HTML / "book" / download).resolve() == HTML / "labs" / f"{stem}.ipynb"
    assert (HTML / course.wheel).is_file(), "the site carries the wheel that its notebooks install"
    assert not list(HTML.rglob("*autograder*")), "nothing private is on the site"


@each_chapter
def test_no_secret_line_is_on_the_site(stem):
    """Every text file of the site, its page sources included, tags taken off.

    The chapter may teach a short line, and what its visible code says is no secret.
    """
    taught = "\n".join(visible_cells((ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")))
    hidden = {
        line
        for line in secrets(nbformat.read(ROOT / "labs" / f"{stem}.ipynb", as_version=4))
        if len(line) > 24 and line not in taught
    }
    assert len(hidden) > 100
    for path in HTML.rglob("*"):
        if path.suffix in (".html", ".ipynb", ".md", ".txt", ".js"):
            text = path.read_text(encoding="utf-8", errors="replace")
            shown = html.unescape(re.sub(r"<[^>]+>", "", text)).replace('\\"', '"')
            found = [line for line in hidden if line in shown]
            assert not found, f"{path.relative_to(HTML)}: {found[0]!r}"


@each_chapter
def test_a_labs_page_shows_blanks_and_outputs(stem):
    page = soup(HTML / "book" / "labs" / f"{stem}.html")
    text = page.get_text()
    assert "grader.check(" in text
    assert re.search(r"def \w+\([^)]*\):\n    \"\"\".*\"\"\"\n    \.\.\.", text), "no blank is shown"
    assert len(page.select(".cell_output")) >= 10
    assert page.select("figure.labkit-figure img")


def test_chapters_have_two_to_four_thousand_words():
    """Those of the first edition; tests/test_chapters.py counts the others'."""
    for stem in NOT_REWRITTEN:
        article = BeautifulSoup((HTML / "book" / f"{stem}.html").read_text(), "html.parser").article
        for part in article.select(".cell, .math, script, .headerlink, .labkit-hidden"):
            part.decompose()
        assert 2000 <= len(article.get_text().split()) <= 4000, stem


def test_the_cache_is_keyed_on_versions_and_labkit(tmp_path):
    shutil.copytree(ROOT / "labkit", tmp_path / "labkit")
    shutil.copy(ROOT / "constraints.txt", tmp_path)
    first = cache_key(tmp_path)
    assert first == cache_key(tmp_path)
    (tmp_path / "constraints.txt").write_text("numpy==1.0\n")
    second = cache_key(tmp_path)
    (tmp_path / "labkit" / "text.py").write_text("")
    assert len({first, second, cache_key(tmp_path)}) == 3
