"""The built site in a real browser: Debian's chromium, driven by Playwright. Skipped where there is none.

axe-core comes from npm (``make test`` fetches it into _build/browser); its tests are skipped without it.
"""

from __future__ import annotations

import io
import re
import shutil
import unicodedata
from pathlib import Path
from urllib.parse import urljoin

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

from labkit.course.settings import Course
from tests.browser.server import serve
from tests.conftest import ROOT

HTML = ROOT / "_build" / "html"
AXE = ROOT / "_build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
STEMS = Course(ROOT).labs()
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
# Over the wire, without Vega (the interactive bundle).
FIRST_LOAD = 1_500_000
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
each_chapter = pytest.mark.parametrize("stem", STEMS)


def pages() -> list[str]:
    found = [path for path in HTML.rglob("*.html") if "_static" not in path.parts]
    assert found, "there is no site in _build/html; run `make site`"
    return sorted(path.relative_to(HTML).as_posix() for path in found)


@pytest.fixture(scope="module")
def browser():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address():
    with serve(HTML) as found:
        yield found


def opened(browser, address: str, page: str, **settings):
    tab = browser.new_page(**{"viewport": DESKTOP, **settings})
    tab.goto(address + page, wait_until="load")
    return tab


def enliven(tab) -> None:
    """Scroll to every chart, so that Vega takes each over."""
    for chart in tab.locator(".labkit-vega").all():
        chart.scroll_into_view_if_needed()
    tab.wait_for_function(
        "document.querySelectorAll('.labkit-live').length == document.querySelectorAll('.labkit-vega').length"
    )


def laid_out(tab) -> None:
    """Lay out every section, near the window or not: what is far has no text to select and no width to tell."""
    tab.add_style_tag(content="section { content-visibility: visible !important; }")


def read_through(tab) -> None:
    """Scroll from the top to the bottom: a section is laid out, and its parts looked at, when it comes near."""
    tab.evaluate(
        """async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) { scrollTo(0, y); await frame(); }
        scrollTo(0, 0); await frame();
        }"""
    )


def test_every_page_loads_without_errors_outside_requests_or_sideways_scroll(browser, address):
    wrong = []
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport=PHONE, color_scheme=scheme)
        for page in pages():
            tab = context.new_page()
            tab.on("pageerror", lambda e, page=page: wrong.append(f"{page}: {e}"))
            tab.on("console", lambda m, page=page: m.type == "error" and wrong.append(f"{page}: {m.text}"))
            tab.on(
                "request",
                lambda r, page=page: (
                    r.url.startswith("http")
                    and not r.url.startswith(address)
                    and wrong.append(f"{page}: {r.url}")
                ),
            )
            tab.goto(address + page, wait_until="networkidle")
            enliven(tab)
            laid_out(tab)
            width = tab.evaluate("document.documentElement.scrollWidth")
            if width > PHONE["width"]:
                wrong.append(f"{page}: {width} pixels wide on a phone")
            cut = "[...document.querySelectorAll('.prev-next-area a')].filter((a) => a.scrollWidth > a.clientWidth)"
            if cut := tab.evaluate(f"{cut}.map((a) => a.innerText)"):
                wrong.append(f"{page}: cut off on a phone: {cut}")
            # A formula within a line has no bar to scroll it by, but for those in tables.
            cut = tab.evaluate(
                """[...document.querySelectorAll("article span.math math")].filter((formula) => {
                const right = (box) => box.getBoundingClientRect().right;
                return !formula.closest("table") && right(formula) > right(formula.closest("p, li, dd, div")) + 1;
                }).map((formula) => formula.textContent)"""
            )
            if cut:
                wrong.append(f"{page}: wider than a phone: {cut}")
            tab.close()
        context.close()
    assert not wrong, "\n".join(wrong)


def test_the_front_door_opens_on_the_start_page(browser, address):
    tab = opened(browser, address, "")
    tab.wait_for_url("**/book/index.html")
    tab.close()


@each_chapter
def test_every_formula_is_drawn(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    # What is folded away is drawn when it is opened.
    tab.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    tab.evaluate(
        "document.querySelectorAll('.toggle-hidden').forEach((d) => d.classList.remove('toggle-hidden'))"
    )
    assert tab.locator("article .math").count() > 10
    assert tab.locator("article .math:not(:has(math))").count() == 0
    assert tab.locator("merror").count() == 0
    laid_out(tab)
    empty = tab.evaluate(
        "[...document.querySelectorAll('article math')].filter((m) => m.getBoundingClientRect().width < 3)"
        ".map((m) => m.outerHTML)"
    )
    assert not empty, empty[:3]
    assert tab.evaluate("document.fonts.check('16px \"STIX Two Math\"', '∑')"), "the site's font is loaded"
    tab.evaluate("document.querySelectorAll('article pre, article code').forEach((code) => code.remove())")
    left = tab.evaluate("document.querySelector('article').innerText.match(/\\\\\\(|\\$[^$\\n]+\\$/g)")
    assert not left, f"TeX is left as it was typed: {left[:3]}"
    tab.close()


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
def test_a_wide_formula_can_be_read_from_its_start_on_a_phone(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html", viewport=PHONE)
    read_through(tab)
    cut = tab.evaluate(
        """[...document.querySelectorAll("article div.math")].filter((box) => {
        const math = box.querySelector("math").getBoundingClientRect(), at = box.getBoundingClientRect();
        const reaches = box.scrollWidth > math.width - 1 && (box.scrollWidth <= box.clientWidth || box.tabIndex == 0);
        return at.width > 0 && (math.left < at.left - 1 || !reaches);
        }).map((box) => box.innerText)"""
    )
    assert not cut, cut[:3]
    tab.close()


@each_chapter
def test_each_control_changes_what_its_figure_draws(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    enliven(tab)
    laid_out(tab)
    drawn = "(chart) => [...chart.querySelectorAll('svg [class*=mark-]')].map((m) => m.outerHTML).join()"
    charts = tab.locator(".labkit-vega").all()
    assert charts
    for i, chart in enumerate(charts):
        controls = chart.locator("input, select").all()
        assert controls, f"{stem}, figure {i}: an interactive figure needs a control"
        for j, control in enumerate(controls):
            what = f"{stem}, figure {i}, control {j}"
            assert control.evaluate("(c) => c.labels.length && c.labels[0].innerText.trim()"), (
                f"{what}: no label"
            )
            if control.evaluate("(c) => c.type == 'radio' && c.checked"):
                continue  # one of the others moves it
            before = chart.evaluate(drawn)
            value = control.input_value()
            control.focus()
            # By keyboard, as a reader without a mouse would.
            kind = control.evaluate("(c) => c.type")
            keys = {
                "range": ["End", "Home"],
                "select-one": ["ArrowDown", "ArrowUp"],
                "text": ["Backspace"] * len(value),
            }
            changed = False
            for key in keys.get(kind, [" "]):
                tab.keyboard.press(key)
                tab.wait_for_timeout(120)
                changed = changed or chart.evaluate(drawn) != before
            # As it was: with another control at its end, this one may have nothing to say.
            control.evaluate(
                "(c, v) => { c.value = v; c.dispatchEvent(new Event('input', { bubbles: true })) }", value
            )
            tab.wait_for_timeout(120)
            assert changed, f"{what} ({kind}) moves nothing"
    tab.close()


@each_chapter
def test_figures_read_alike_in_the_dark(stem, browser, address):
    """Each picture keeps its own white sheet in dark mode: it looks as it does in the light."""
    pictures = {}
    for scheme in ("light", "dark"):
        tab = opened(browser, address, f"book/{stem}.html", color_scheme=scheme, reduced_motion="reduce")
        enliven(tab)
        assert tab.evaluate("document.documentElement.dataset.theme") == scheme
        found = tab.locator("article img.labkit-image:visible, article .labkit-live svg:visible").all()
        pictures[scheme] = [figure.evaluate(SHEET) for figure in found]
        tab.close()
    assert pictures["light"] == pictures["dark"]
    assert set(pictures["dark"]) == {"rgb(255, 255, 255)"}


# The color that a figure really stands on: the first background from it upward that is not transparent;
# or the filter that changes it.
SHEET = """(figure) => {
  for (let at = figure; at; at = at.parentElement) {
    const { backgroundColor: color, filter } = getComputedStyle(at);
    if (filter != "none") return filter;
    if (!color.startsWith("rgba(0, 0, 0, 0")) return color;
  }
}"""


@each_chapter
def test_a_quiz_answers_by_keyboard(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    answers = tab.locator(".labkit-answer").all()
    assert len(answers) >= 15
    for answer in answers:
        reason = answer.locator("> div")
        assert not reason.is_visible()
        answer.locator("summary").focus()
        tab.keyboard.press("Enter")
        assert reason.is_visible()
        assert re.match(r"(Right|Not this one)\. ?\S", reason.inner_text().replace("\n", ""))
    tab.close()


@each_chapter
def test_the_tab_key_reaches_every_control_and_shows_where_it_is(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    enliven(tab)
    wanted = "article a.labkit-button, article summary, article input, article select"
    tab.evaluate(f"document.querySelectorAll('{wanted}').forEach((e, i) => (e.dataset.wanted = i))")
    waiting = {e.get_attribute("data-wanted") for e in tab.locator(wanted).locator("visible=true").all()}
    # Radio buttons of one name are one stop.
    waiting -= set(
        tab.evaluate(
            "[...document.querySelectorAll('input[type=radio]:not(:checked)')].map((e) => e.dataset.wanted)"
        )
    )
    assert len(waiting) > 15
    tab.evaluate("document.querySelector('article').tabIndex = -1; document.querySelector('article').focus()")
    unmarked = []
    for _ in range(600):
        tab.keyboard.press("Tab")
        at, marked = tab.evaluate(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
            return [e.dataset.wanted, s.outlineStyle != "none" || s.boxShadow != "none"] }"""
        )
        if at in waiting and not marked:
            unmarked.append(at)
        waiting.discard(at)
        if not waiting:
            break
    assert not waiting, [
        tab.locator(f"[data-wanted='{i}']").first.evaluate("(e) => e.outerHTML")[:120] for i in waiting
    ]
    assert not unmarked, "focus does not show"
    tab.close()


@each_chapter
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


@each_chapter
def test_the_buttons_of_a_lab_lead_to_it(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    colab, view, download = (tab.locator(".labkit-buttons a").nth(i).get_attribute("href") for i in range(3))
    assert colab == Course(ROOT).addresses(stem)["LABKIT_COLAB"]
    assert colab.startswith("https://colab.research.google.com/")
    with tab.expect_download() as waiting:
        tab.locator(".labkit-buttons a").nth(2).click()
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
def test_a_chapter_prints_all_of_it(stem, browser, address):
    tab = opened(browser, address, f"book/{stem}.html")
    tab.wait_for_timeout(300)
    paper = tab.pdf()
    # Figures far down come when they are near, and all of them on paper.
    assert tab.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
    assert abs(len(tab.pdf()) - len(paper)) < 1_000, "a figure came after the first printing"
    tab.close()
    printed = letters("\n".join(page.extract_text() for page in PdfReader(io.BytesIO(paper)).pages))
    article = BeautifulSoup(
        (HTML / "book" / f"{stem}.html").read_text(encoding="utf-8"), "html.parser"
    ).article
    for part in article.select("script, math, img, .headerlink, .labkit-hidden, .expanded, .collapsed"):
        part.decompose()
    # Paragraphs, quiz answers and their reasons, solutions, code behind a toggle: all on paper.
    parts = article.select("h2, h3, p, summary, figcaption, .highlight pre")
    assert len(parts) > 100
    missing = [part.get_text()[:200] for part in parts if on_paper(part, printed) < 0.9]
    assert not missing, f"{len(missing)} of {len(parts)} are not on paper: {missing[:10]}"


@each_chapter
def test_a_first_visit_is_light(stem, browser, address):
    for page in (f"book/{stem}.html", f"book/labs/{stem}.html"):
        context = browser.new_context(viewport=DESKTOP)
        tab = context.new_page()
        wire = context.new_cdp_session(tab)
        wire.send("Network.enable")
        sizes: dict[str, int] = {}
        names: dict[str, str] = {}
        wire.on(
            "Network.responseReceived",
            lambda e, names=names: names.update({e["requestId"]: e["response"]["url"]}),
        )
        wire.on(
            "Network.loadingFinished",
            lambda e, sizes=sizes: sizes.update({e["requestId"]: e["encodedDataLength"]}),
        )
        tab.goto(address + page, wait_until="networkidle")
        loaded = {names[i].removeprefix(address): n for i, n in sizes.items() if i in names}
        first = sum(n for name, n in loaded.items() if "vega.js" not in name)
        assert 20_000 < first <= FIRST_LOAD, (page, sorted(loaded.items(), key=lambda item: -item[1])[:5])
        context.close()


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing(scheme, size, browser, address):
    if not AXE.is_file():
        pytest.skip(
            "axe-core is not here (npm install --prefix _build/browser; make test does it where npm is)"
        )
    axe = AXE.read_text(encoding="utf-8")
    found = []
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    for page in pages():
        if page == "index.html":
            continue  # it leads on at once
        tab = context.new_page()
        tab.goto(address + page, wait_until="load")
        enliven(tab)
        read_through(tab)
        laid_out(tab)
        tab.evaluate(axe)
        for rule in tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]:
            where = rule["nodes"][0]
            found.append(
                f"{page}: {rule['id']} ({len(rule['nodes'])}): {where['html'][:160]}: {where['failureSummary']}"
            )
        tab.close()
    context.close()
    assert not found, "\n".join(found)
