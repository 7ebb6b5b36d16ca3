"""Formulas are typeset when the site is built: TeX becomes MathML, which every browser of today draws itself.

No page needs a script for its formulas, a screen reader reads them, and they print. One font, cut down to
the signs that formulas use, comes from the site itself, so that they look alike everywhere.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_display, None))
    app.connect("config-inited", _choose)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _choose(app: Sphinx, config: Any) -> None:
    config.html_math_renderer = "mathml"


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


def mathml(tex: str, *, display: bool) -> str:
    """Return ``tex`` as a MathML Core element.

    Raises ValueError, with the formula and the place in it, for what the converter does not know.
    """
    try:
        return _converter().convert_with_local_state(tex.strip(), displaystyle=display)
    except LatexError as error:
        raise ValueError(f"the formula {tex!r}: {error}") from None


def _typeset(writer: Any, node: nodes.Element, *, display: bool) -> str:
    tex = node.astext()
    if display and "\\\\" in tex and "\\begin" not in tex:
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    try:
        return mathml(tex, display=display)
    except ValueError as error:
        logger.warning("%s", error, location=node)  # with -W, a warning ends the build
        return f"<code>{writer.encode(tex)}</code>"


def _visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(writer.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    writer.body.append(_typeset(writer, node, display=False) + "</span>")
    raise nodes.SkipNode


def _visit_display(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(_typeset(writer, node, display=True) + "</div>\n")
    raise nodes.SkipNode
