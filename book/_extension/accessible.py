"""What the theme and the extensions leave unsaid to a screen reader, said; axe-core finds nothing after it.

The two templates beside layout.html in book/_templates belong to it, too.
"""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; late, so that what other extensions put into a page is there."""
    app.connect("html-page-context", _page, priority=960)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = repaired(context["body"])
        context["metatags"] = context.get("metatags", "") + _description(context["body"])
    draw = context.get("generate_toctree_html")
    if draw is not None:
        context["generate_toctree_html"] = lambda *args, **kwargs: named_toggles(str(draw(*args, **kwargs)))


def repaired(body: str) -> str:
    """Return a page's text with names that say what is there."""
    # The summary of a hidden cell says what it holds; the label would hide that.
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    # docutils' role for a reference is deprecated; each list of them asks for items.
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    # The empty corner of a table heads nothing.
    return re.sub(r"<th(\b[^>]*)>(?:\s|&nbsp;|\xa0|</?p>)*</th>", r"<td\1></td>", body)


def named_toggles(contents: str) -> str:
    """Name each toggle of the table of contents by the page whose parts it shows."""
    soup = BeautifulSoup(contents, "html.parser")
    for summary in soup.select("li > details > summary"):
        link = summary.find_parent("li").find("a")
        summary["aria-label"] = f"Parts of {link.get_text(' ', strip=True)}"
    return str(soup)


def _description(body: str) -> str:
    """The page's first paragraph of some length, for search engines and for links to it."""
    # Paragraph by paragraph: to parse the whole page takes a second, and the first ones do.
    for match in re.finditer(r"<p\b.*?</p>", body, re.DOTALL):
        paragraph = BeautifulSoup(match[0], "html.parser")
        for formula in paragraph.select("math, script"):
            formula.decompose()
        text = re.sub(r"\s+", " ", paragraph.get_text()).strip()
        if len(text) > 60:
            break
    else:
        return ""
    if len(text) > 155:
        text = text[:155].rsplit(" ", 1)[0] + " …"
    tag = BeautifulSoup("", "html.parser").new_tag("meta", attrs={"name": "description", "content": text})
    return f"\n{tag}\n"
