"""The course's look: one matplotlib style, one Altair theme, and ``show``, which never drops the alt text."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.figure import Figure

# Okabe and Ito's palette (2008), told apart by readers with any common color blindness. Never the only
# carrier of a meaning: lines also differ in dashes and are labeled.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def style() -> None:
    """Set matplotlib to the course's style and Altair to its theme; call once a notebook."""
    import matplotlib as mpl
    from cycler import cycler

    lines = cycler(color=PALETTE[:4]) + cycler(linestyle=["-", "--", ":", "-."])
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.prop_cycle": lines,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.3,
            "lines.linewidth": 2,
            "svg.hashsalt": "labkit",
            "svg.fonttype": "path",
        }
    )
    _altair_theme()


def _altair_theme() -> None:
    import altair as alt

    @alt.theme.register("labkit", enable=True)
    def theme() -> alt.theme.ThemeConfig:
        return alt.theme.ThemeConfig(
            background="white",
            config={
                "axis": {"labelFontSize": 12, "titleFontSize": 13, "gridOpacity": 0.5},
                "legend": {
                    "labelFontSize": 12,
                    "titleFontSize": 13,
                    "symbolStrokeWidth": 3,
                    "symbolSize": 300,
                },
                "title": {"fontSize": 14, "anchor": "start"},
                "range": {"category": list(PALETTE)},
                "view": {"strokeWidth": 0},
            },
        )


@dataclass(frozen=True)
class Shown:
    """A figure ready for any front end: HTML with alt text and caption, and the alt text as plain text."""

    body: str
    alt: str
    caption: str

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        caption = f"<figcaption>{self.caption}</figcaption>" if self.caption else ""
        markup = f'<figure class="labkit-figure">{self.body}{caption}</figure>'
        return {"text/html": markup, "text/plain": f"Figure: {self.alt}"}


def show(figure: Figure | alt.TopLevelMixin, *, alt: str, caption: str = "") -> Shown:
    """Return ``figure``, of matplotlib or Altair, as a cell's last value shows it.

    ``alt`` says in words what the figure shows, for those who do not see it; ``caption`` (HTML) stands
    below it. An Altair chart is a picture until the site's own Vega takes it over (labkit serves Vega with
    the site, so nothing is asked of another server). In a notebook it stays a picture: what is live there
    is an explorer (``labkit.explorers``).
    Raises ValueError for an empty ``alt``.
    """
    if not alt.strip():
        raise ValueError("alt is empty; say in a sentence what the figure shows")
    if hasattr(figure, "savefig"):
        return Shown(_image(_matplotlib_svg(figure), alt), alt, caption)
    spec = figure.properties(description=alt).to_dict()
    return Shown(_vega(spec, alt), alt, caption)


def _matplotlib_svg(figure: Figure) -> str:
    import matplotlib.pyplot as plt

    stream = io.StringIO()
    # No date in the file: the same figure gives the same bytes.
    figure.savefig(stream, format="svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)
    return stream.getvalue()


def _image(svg: str, alt: str) -> str:
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f'<img class="labkit-image" alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def _vega(spec: dict[str, Any], alt: str) -> str:
    import vl_convert

    picture = _image(vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version()), alt)
    # "</" inside a script element would end it.
    text = json.dumps(spec, sort_keys=True).replace("</", "<\\/")
    name = "vega-" + hashlib.sha256(text.encode()).hexdigest()[:12]
    return (
        f'<div class="labkit-sheet"><div class="labkit-vega" id="{name}">{picture}</div></div>'
        f'<script type="application/json" id="{name}-spec">{text}</script>'
    )


def vega_lite_version() -> str:
    """The version of Vega-Lite that the installed Altair writes, as vl_convert names it: "6.1"."""
    import altair as alt

    return alt.SCHEMA_VERSION.lstrip("v").rsplit(".", 1)[0]
