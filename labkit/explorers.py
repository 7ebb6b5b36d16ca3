"""Live explorers (ipywidgets) for notebooks; where no kernel runs, each shows its first picture."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from typing import Any

from labkit.text import tokenize

Hit = tuple[str, float, str]


class Explorer:
    """Labeled controls and the HTML that ``draw`` makes of their values."""

    def __init__(self, draw: Callable[..., str], controls: dict[str, Any], alt: str) -> None:
        import ipywidgets as widgets

        if not alt.strip():
            raise ValueError("alt is empty; say in a sentence what the explorer shows")
        self.alt = alt
        self.controls = controls
        self._draw = draw
        self._picture = widgets.HTML()
        self.widget = widgets.VBox([*controls.values(), self._picture])
        for control in controls.values():
            control.observe(lambda change: self.refresh(), names="value")
        self.refresh()

    def refresh(self) -> None:
        """Draw the picture again from the controls' values; an error of the student's becomes its message."""
        try:
            self._picture.value = self._draw(**{name: c.value for name, c in self.controls.items()})
        except Exception as error:  # raised in a callback it would be lost, and the picture stale
            message = f"{type(error).__name__}: {error}"
            self._picture.value = f"<p><strong>{html.escape(message)}</strong></p>"

    @property
    def picture(self) -> str:
        """The HTML now shown."""
        return str(self._picture.value)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        still = (
            f'<figure class="labkit-figure">{self.picture}'
            f"<figcaption>{html.escape(self.alt)} Run the notebook to move the controls.</figcaption></figure>"
        )
        # By hand: Colab's ipywidgets is version 7, which cannot say this of itself.
        view = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            "text/html": still,
            "text/plain": f"Explorer: {self.alt}",
        }


def search(find: Callable[[str, float, float], Sequence[Hit]], *, query: str, alt: str) -> Explorer:
    """Explore a search function: a query box, sliders for k1 and b, and the hits as a table.

    ``find(query, k1, b)`` returns hits, best first: (document id, score, text).
    """
    import ipywidgets as widgets

    def draw(query: str, k1: float, b: float) -> str:
        return _table(find(query, k1, b), set(tokenize(query)), f"“{query}”, k1 = {k1:.1f}, b = {b:.2f}")

    wide = {"style": {"description_width": "4em"}, "layout": widgets.Layout(width="28em")}
    controls = {
        "query": widgets.Text(query, description="query", continuous_update=False, **wide),
        "k1": widgets.FloatSlider(1.5, min=0, max=5, step=0.1, description="k1", **wide),
        "b": widgets.FloatSlider(0.75, min=0, max=1, step=0.05, description="b", **wide),
    }
    return Explorer(draw, controls, alt)


def graph(describe: Callable[[str], dict[str, Any]], *, expression: str, alt: str) -> Explorer:
    """Explore a computation graph: a box for the expression, and a slider through its two passes.

    ``describe(expression)`` returns the arguments of ``figures.graph``: labels, parents, values, adjoints, and
    local where there is one. The slider runs from the bare graph to the end of the reverse pass.
    """
    import ipywidgets as widgets

    from labkit import figures

    def draw(expression: str, done: int) -> str:
        seen = describe(expression)
        last = 2 * len(seen["labels"])
        step = round(done / 100 * last)
        words = f"{expression}, step {step} of {last}"
        return f"{figures.picture(figures.graph(**seen, step=step), alt=words)}<p>{html.escape(words)}</p>"

    wide = {"style": {"description_width": "6em"}, "layout": widgets.Layout(width="32em")}
    controls = {
        "expression": widgets.Text(expression, description="expression", continuous_update=False, **wide),
        "done": widgets.IntSlider(100, min=0, max=100, step=2, description="done, in %", **wide),
    }
    return Explorer(draw, controls, alt)


def _table(hits: Sequence[Hit], words: set[str], caption: str) -> str:
    rows = "".join(
        f"<tr><td>{rank}</td><td>{html.escape(str(name))}</td><td>{score:.2f}</td>"
        f'<td style="text-align:left">{_snippet(text, words)}</td></tr>'
        for rank, (name, score, text) in enumerate(hits, 1)
    )
    head = "".join(f'<th scope="col">{h}</th>' for h in ("rank", "document", "score", "text"))
    body = rows or '<tr><td colspan="4">no document contains a word of the query</td></tr>'
    return f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _snippet(text: str, words: set[str], width: int = 160) -> str:
    """The part of ``text`` that has most different query words, those in bold, as HTML."""
    tokens = [(m.start(), m.end(), m[0].lower()) for m in re.finditer(r"\w+", text)]
    starts = [start for start, _, token in tokens if token in words] or [0]
    begin = max(
        starts, key=lambda s: len({t for a, e, t in tokens if t in words and s <= a and e <= s + width})
    )
    begin = 0 if begin < width // 2 else begin
    parts, at = [], begin
    for start, end, token in tokens:
        if token in words and begin <= start and end <= begin + width:
            parts += [html.escape(text[at:start]), f"<strong>{html.escape(text[start:end])}</strong>"]
            at = end
    parts.append(html.escape(text[at : begin + width]))
    return ("…" if begin else "") + "".join(parts) + ("…" if begin + width < len(text) else "")
