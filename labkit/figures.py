"""The course's look: one matplotlib style, one Altair theme, tables, and ``show``, which never drops the alt text."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    from IPython.display import HTML
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


def table(frame: pd.DataFrame, caption: str, *, digits: int = 3, index: bool = True) -> HTML:
    """Return a data frame as a table with a caption; numbers have ``digits`` decimals, rows their names if ``index``."""
    from IPython.display import HTML

    style = frame.style.set_caption(caption).format(precision=digits).set_table_attributes('class="table"')
    return HTML((style if index else style.hide(axis="index")).to_html(sparse_index=False))


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


def picture(chart: alt.TopLevelMixin, *, alt: str) -> str:
    """Return an Altair chart as an HTML image with its text alternative, for a widget to show."""
    return _picture(chart.to_dict(), alt)


def _picture(spec: dict[str, Any], alt: str) -> str:
    import vl_convert

    return _image(vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version()), alt)


def _vega(spec: dict[str, Any], alt: str) -> str:
    picture = _picture(spec, alt)
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


def graph(
    labels: Sequence[str],
    parents: Sequence[Sequence[int]],
    values: Sequence[float],
    adjoints: Sequence[float],
    *,
    local: Sequence[Sequence[float]] | None = None,
    step: int | None = None,
) -> alt.LayerChart:
    """Draw a computation graph of n nodes, its forward pass and its reverse pass, as an Altair chart.

    Nodes come in topological order: ``parents[i]`` holds indices below i, and ``labels[i]``, ``values[i]`` and
    ``adjoints[i]`` belong to node i; ``local[i]`` holds its derivative with respect to each parent, shown on the
    edges. At step 0 the graph is bare; at step k ≤ n the first k nodes have values; at step n + k the last k
    nodes have adjoints too. With ``step`` None a slider steps through. Edges run from left to right.
    Raises ValueError for no nodes, lists of different lengths, and a parent that does not come before its child.
    """
    import altair as alt

    n = len(labels)
    if n == 0 or not n == len(parents) == len(values) == len(adjoints):
        raise ValueError(
            f"{n} labels, {len(parents)} lists of parents, {len(values)} values, {len(adjoints)} adjoints: "
            "give one of each a node, and at least one node"
        )
    late = [(i, j) for i, them in enumerate(parents) for j in them if not 0 <= j < i]
    if late:
        raise ValueError(f"node {late[0][0]} has parent {late[0][1]}; a parent comes before its child")
    x, y, bends = _layers(parents)
    when = [{"first": i + 1, "then": 2 * n - i} for i in range(n)]
    nodes = [
        {
            "x": x[i],
            "y": y[i],
            "label": labels[i],
            "value": f"{values[i]:.4g}",
            "adjoint": f"{adjoints[i]:.4g}",
        }
        | when[i]
        for i in range(n)
    ]
    edges = []
    for (j, i), bend in bends.items():
        ends = [(x[j], y[j]), *bend, (x[i], y[i])]
        weights = [local[i][k] for k, parent in enumerate(parents[i]) if parent == j] if local else []
        shown = ", ".join(f"×{weight:.4g}" for weight in weights)
        at = {"at_x": (ends[0][0] + ends[1][0]) / 2, "at_y": (ends[0][1] + ends[1][1]) / 2}
        for place, end in enumerate(ends):
            edge = {"edge": f"{j}-{i}", "place": place, "x": end[0], "y": end[1], **when[i]}
            edges.append(edge | (at | {"weight": shown} if place == 0 else {"weight": ""}))
    slider = alt.binding_range(min=0, max=2 * n, step=1, name="step")
    now = alt.param(name="step", value=step or 0, **({} if step is not None else {"bind": slider}))
    return _graph_layers(nodes, edges, now)


def _layers(
    parents: Sequence[Sequence[int]],
) -> tuple[list[float], list[float], dict[tuple[int, int], list[tuple[float, float]]]]:
    """Where to draw: x and y of each node, and where each edge (parent, child) bends on its way.

    Columns follow the longest path from an input; an edge that passes a column gets a place of its own there, so
    that it runs around the nodes (Sugiyama's layered drawing, with one sweep of barycenters from left to right).
    """
    column: list[int] = []
    for them in parents:
        column.append(1 + max((column[j] for j in them), default=-1))
    for i, them in enumerate(parents):
        users = [column[c] for c, used in enumerate(parents) if i in used]
        if not them and users:  # an input stands right before its first child
            column[i] = min(users) - 1
    edges = sorted({(j, i) for i, them in enumerate(parents) for j in them})
    passing = {(edge, c): edge for edge in edges for c in range(column[edge[0]] + 1, column[edge[1]])}
    y: dict[object, float] = {}
    for c in sorted(set(column)):
        wanted: dict[object, float] = {}
        for i in (i for i in range(len(parents)) if column[i] == c):
            before = [y.get(((j, i), c - 1), y[j]) for j in parents[i]]
            wanted[i] = sum(before) / len(before) if before else -i
        for (edge, at), (j, _) in passing.items():
            if at == c:
                wanted[edge, c] = y.get((edge, c - 1), y[j])
        for row, who in enumerate(sorted(wanted, key=lambda w: -wanted[w])):
            y[who] = (len(wanted) - 1) / 2 - row
    bends = {
        edge: [(float(c), y[edge, c]) for c in range(column[edge[0]] + 1, column[edge[1]])] for edge in edges
    }
    return [float(c) for c in column], [y[i] for i in range(len(parents))], bends


def _graph_layers(nodes: list[dict], edges: list[dict], now: alt.Parameter) -> alt.LayerChart:
    import altair as alt

    columns, rows = {node["x"] for node in nodes}, [place["y"] for place in nodes + edges]
    wide = alt.Scale(domain=[-0.5, max(columns) + 0.5], nice=False)
    high = alt.Scale(domain=[min(rows) - 0.7, max(rows) + 0.7], nice=False)
    at_x, at_y = alt.X("x:Q", axis=None, scale=wide), alt.Y("y:Q", axis=None, scale=high)
    lines = alt.Chart(alt.Data(values=edges)).encode(at_x, at_y)
    dots = alt.Chart(alt.Data(values=nodes)).encode(at_x, at_y)
    ahead, back, turn = (
        "datum.first <= step",
        "datum.then <= step",
        "datum.first == step || datum.then == step",
    )

    def text(field: str, shown: str, dy: int, color: str, weight: str = "normal") -> alt.Chart:
        shown_text = f"{shown} ? {field} : ''"
        mark = dots.transform_calculate(shown=shown_text).mark_text(
            dy=dy, fontSize=14, color=color, fontWeight=weight
        )
        return mark.encode(text="shown:N")

    layers = [
        lines.mark_line(strokeWidth=2).encode(
            detail="edge:N",
            order="place:Q",
            color=alt.condition(back, alt.value(PALETTE[1]), alt.value("#999999")),
        ),
        lines.transform_calculate(shown=f"{back} ? datum.weight : ''")
        .mark_text(fontSize=12, color="#8a3c00", dy=-8)
        .encode(alt.X("at_x:Q", axis=None), alt.Y("at_y:Q", axis=None), text="shown:N"),
        dots.mark_circle(size=1500, opacity=1, strokeWidth=3).encode(
            color=alt.condition(ahead, alt.value("#d6e9f5"), alt.value("#f2f2f2")),
            stroke=alt.condition(turn, alt.value("#000000"), alt.value("#999999")),
        ),
        text("datum.label", "true", -30, "black", "bold"),
        text("datum.value", ahead, 0, "#004c78"),
        text("datum.adjoint", back, 31, "#a34700", "bold"),
    ]
    height = 110 * (max(rows) - min(rows) + 1.2)
    chart = alt.layer(*layers).add_params(now).properties(width="container", height=height)
    return chart.configure_view(continuousWidth=520, strokeWidth=0)
