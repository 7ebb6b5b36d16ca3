"""One visit to a page in a real browser: all that the tests look at, seen in one go."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.weight import wire, without_bundle

AXE = Path(__file__).resolve().parents[2] / "_build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@dataclass
class Visit:
    """What was seen of a page, and what was wrong, by the name of the check."""

    page: str
    size: dict[str, int]
    scheme: str
    axe: bool  # whether axe-core looks at it
    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    found: dict[str, Any] = field(default_factory=dict)

    @property
    def on_phone(self) -> bool:
        return self.size == PHONE

    @property
    def chapter(self) -> bool:
        """Whether it is a chapter, whose figures, formulas, quiz and printing are looked at."""
        folder, _, name = self.page.rpartition("/")
        return folder == "book" and name[:2].isdigit()


def visit(browser: Browser, address: str, page: str, size: dict[str, int], scheme: str, axe: bool) -> Visit:
    """Visit a page once: load it, print it, read it to its end, use its controls, and let axe-core look at it.

    What changes the page comes after what looks at it as it came.
    """
    seen = Visit(page, size, scheme, axe)
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    tab = context.new_page()
    first = not seen.on_phone and scheme == "light"  # the visit that also weighs, prints and uses the page
    listen(tab, seen, address)
    loaded = wire(tab, address)
    tab.goto(address + page, wait_until="networkidle" if first else "load")
    tab.wait_for_load_state("domcontentloaded")
    if first:
        seen.found["first load"] = without_bundle(loaded())
        if seen.chapter:
            printed(tab, seen)
    enliven(tab)
    read_through(tab)
    if seen.on_phone:
        seen.wrong["a wide formula is cut off"] = tab.evaluate(WIDE_FORMULAS)
    laid_out(tab)
    width = tab.evaluate("document.documentElement.scrollWidth")
    if width > size["width"]:
        seen.wrong["the page scrolls sideways"].append(f"{width} pixels")
    if seen.on_phone:
        seen.wrong["cut off on a phone"] = tab.evaluate(CUT_LINKS) + tab.evaluate(CUT_FORMULAS)
    seen.found["theme"] = tab.evaluate("document.documentElement.dataset.theme")
    if seen.chapter and not seen.on_phone:
        figures = tab.locator("article img.labkit-image:visible, article .labkit-live svg:visible").all()
        seen.found["sheets"] = [figure.evaluate(SHEET) for figure in figures]
    if axe and AXE.is_file():
        look_with_axe(tab, seen)
    if first and seen.chapter:
        step_through(tab, seen)
        use_controls(tab, seen)
        answer_quiz(tab, seen)
        read_formulas(tab, seen)
    context.close()
    return seen


def listen(tab: Page, seen: Visit, address: str) -> None:
    """Note errors and requests to others from now on."""
    errors, outside = seen.wrong["errors"], seen.wrong["requests to others"]
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: message.type == "error" and errors.append(message.text))
    tab.on(
        "request",
        lambda request: (
            request.url.startswith("http")
            and not request.url.startswith(address)
            and outside.append(request.url)
        ),
    )


def printed(tab: Page, seen: Visit) -> None:
    """Print the page as it came: the paper, and whether a second printing shows more."""
    tab.wait_for_timeout(300)
    seen.found["paper"] = tab.pdf()
    # Figures far down come when they are near, and all of them on paper.
    if not tab.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth > 0)"):
        seen.wrong["printing"].append("an image is missing")
    if abs(len(tab.pdf()) - len(seen.found["paper"])) >= 1_000:
        seen.wrong["printing"].append("a figure came after the first printing")


def enliven(tab: Page) -> None:
    """Scroll to every chart, so that Vega takes each over."""
    for chart in tab.locator(".labkit-vega").all():
        chart.scroll_into_view_if_needed()
    tab.wait_for_function(
        "document.querySelectorAll('.labkit-live').length == document.querySelectorAll('.labkit-vega').length"
    )


def laid_out(tab: Page) -> None:
    """Lay out every section, near the window or not: what is far has no text to select and no width to tell."""
    tab.add_style_tag(content="section { content-visibility: visible !important; }")


def read_through(tab: Page) -> None:
    """Scroll from the top to the bottom: a section is laid out, and its parts looked at, when it comes near."""
    tab.evaluate(
        """async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) { scrollTo(0, y); await frame(); }
        scrollTo(0, 0); await frame();
        }"""
    )


WIDE_FORMULAS = """[...document.querySelectorAll("article div.math")].filter((box) => {
  const math = box.querySelector("math").getBoundingClientRect(), at = box.getBoundingClientRect();
  const reaches = box.scrollWidth > math.width - 1 && (box.scrollWidth <= box.clientWidth || box.tabIndex == 0);
  return at.width > 0 && (math.left < at.left - 1 || !reaches);
}).map((box) => box.innerText)"""
CUT_LINKS = """[...document.querySelectorAll('.prev-next-area a')].filter((a) => a.scrollWidth > a.clientWidth)
.map((a) => a.innerText)"""
# A formula within a line has no bar to scroll it by, but for those in tables.
CUT_FORMULAS = """[...document.querySelectorAll("article span.math math")].filter((formula) => {
  const right = (box) => box.getBoundingClientRect().right;
  return !formula.closest("table") && right(formula) > right(formula.closest("p, li, dd, div")) + 1;
}).map((formula) => formula.textContent)"""
# The color that a figure really stands on: the first background from it upward that is not transparent;
# or the filter that changes it.
SHEET = """(figure) => {
  for (let at = figure; at; at = at.parentElement) {
    const { backgroundColor: color, filter } = getComputedStyle(at);
    if (filter != "none") return filter;
    if (!color.startsWith("rgba(0, 0, 0, 0")) return color;
  }
}"""


def look_with_axe(tab: Page, seen: Visit) -> None:
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    for rule in tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]:
        where = rule["nodes"][0]
        seen.wrong["axe"].append(
            f"{rule['id']} ({len(rule['nodes'])}): {where['html'][:160]}: {where['failureSummary']}"
        )


def step_through(tab: Page, seen: Visit) -> None:
    """Go from one thing to use to the next by the tab key, until each was reached."""
    wanted = "article a.labkit-button, article summary, article input, article select"
    tab.evaluate(f"document.querySelectorAll('{wanted}').forEach((e, i) => (e.dataset.wanted = i))")
    waiting = {e.get_attribute("data-wanted") for e in tab.locator(wanted).locator("visible=true").all()}
    # Radio buttons of one name are one stop.
    waiting -= set(
        tab.evaluate(
            "[...document.querySelectorAll('input[type=radio]:not(:checked)')].map((e) => e.dataset.wanted)"
        )
    )
    seen.found["things to use"] = len(waiting)
    tab.evaluate("document.querySelector('article').tabIndex = -1; document.querySelector('article').focus()")
    for _ in range(600):
        tab.keyboard.press("Tab")
        at, marked = tab.evaluate(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
            return [e.dataset.wanted, s.outlineStyle != "none" || s.boxShadow != "none"] }"""
        )
        if at in waiting and not marked:
            seen.wrong["focus does not show"].append(at)
        waiting.discard(at)
        if not waiting:
            break
    outer = "(e) => e.outerHTML.slice(0, 120)"
    seen.wrong["not reached by the tab key"] = [
        tab.locator(f"[data-wanted='{i}']").first.evaluate(outer) for i in waiting
    ]


def use_controls(tab: Page, seen: Visit) -> None:
    """Move every control of every chart by keyboard, as a reader without a mouse would, and look whether it draws."""
    drawn = "(chart) => [...chart.querySelectorAll('svg [class*=mark-]')].map((m) => m.outerHTML).join()"
    charts = tab.locator(".labkit-vega").all()
    seen.found["charts"] = len(charts)
    wrong = seen.wrong["controls"]
    for i, chart in enumerate(charts):
        controls = chart.locator("input, select").all()
        if not controls:
            wrong.append(f"figure {i}: an interactive figure needs a control")
        for j, control in enumerate(controls):
            what = f"figure {i}, control {j}"
            if not control.evaluate("(c) => c.labels.length && c.labels[0].innerText.trim()"):
                wrong.append(f"{what}: no label")
            if control.evaluate("(c) => c.type == 'radio' && c.checked"):
                continue  # one of the others moves it
            before, value = chart.evaluate(drawn), control.input_value()
            control.focus()
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
                if changed := chart.evaluate(drawn) != before:
                    break
            # As it was: with another control at its end, this one may have nothing to say.
            control.evaluate(
                "(c, v) => { c.value = v; c.dispatchEvent(new Event('input', { bubbles: true })) }", value
            )
            tab.wait_for_timeout(120)
            if not changed:
                wrong.append(f"{what} ({kind}) moves nothing")


def answer_quiz(tab: Page, seen: Visit) -> None:
    """Open every answer of the quiz by keyboard; keep what it then says."""
    reasons = []
    for answer in tab.locator(".labkit-answer").all():
        reason = answer.locator("> div")
        if reason.is_visible():
            seen.wrong["quiz"].append("an answer is open before it is chosen")
        answer.locator("summary").focus()
        tab.keyboard.press("Enter")
        reasons.append(reason.inner_text().replace("\n", "") if reason.is_visible() else "")
    seen.found["reasons"] = reasons


def read_formulas(tab: Page, seen: Visit) -> None:
    """Open all that is folded away, and look at every formula. It takes the code off the page, so it comes last."""
    tab.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    tab.evaluate(
        "document.querySelectorAll('.toggle-hidden').forEach((d) => d.classList.remove('toggle-hidden'))"
    )
    wrong = seen.wrong["formulas"]
    seen.found["formulas"] = tab.locator("article .math").count()
    if tab.locator("article .math:not(:has(math))").count() or tab.locator("merror").count():
        wrong.append("a formula is not drawn")
    wrong += tab.evaluate(
        "[...document.querySelectorAll('article math')].filter((m) => m.getBoundingClientRect().width < 3)"
        ".map((m) => m.outerHTML)"
    )
    if not tab.evaluate("document.fonts.check('16px \"STIX Two Math\"', '∑')"):
        wrong.append("the site's font is not loaded")
    tab.evaluate("document.querySelectorAll('article pre, article code').forEach((code) => code.remove())")
    left = tab.evaluate("document.querySelector('article').innerText.match(/\\\\\\(|\\$[^$\\n]+\\$/g)")
    wrong += [f"TeX is left as it was typed: {tex}" for tex in left or []]
