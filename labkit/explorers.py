"""Live explorers (ipywidgets) for notebooks; where no kernel runs, each shows its first picture."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

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
        """Draw the picture again from the controls' values; an error becomes its message."""
        try:
            self._picture.value = self._draw(**{name: c.value for name, c in self.controls.items()})
        except ValueError as error:
            self._picture.value = f"<p><strong>{html.escape(str(error))}</strong></p>"

    @property
    def picture(self) -> str:
        """The HTML now shown."""
        return str(self._picture.value)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        still = (
            f'<figure class="labkit-figure">{self.picture}'
            f"<figcaption>{html.escape(self.alt)} Run the notebook to move the controls.</figcaption></figure>"
        )
        return {
            "application/vnd.jupyter.widget-view+json": self.widget._repr_mimebundle_()[
                "application/vnd.jupyter.widget-view+json"
            ],
            "text/html": still,
            "text/plain": f"Explorer: {self.alt}",
        }


def search(find: Callable[[str, float, float], Sequence[Hit]], *, query: str, alt: str) -> Explorer:
    """Explore a search function: a query box, sliders for k1 and b, and the hits as a table.

    ``find(query, k1, b)`` returns hits, best first: (document id, score, text).
    """
    import ipywidgets as widgets

    def draw(query: str, k1: float, b: float) -> str:
        return _table(find(query, k1, b), caption=f"“{query}”, k1 = {k1:.1f}, b = {b:.2f}")

    wide = {"style": {"description_width": "4em"}, "layout": widgets.Layout(width="28em")}
    controls = {
        "query": widgets.Text(query, description="query", continuous_update=False, **wide),
        "k1": widgets.FloatSlider(1.5, min=0, max=5, step=0.1, description="k1", **wide),
        "b": widgets.FloatSlider(0.75, min=0, max=1, step=0.05, description="b", **wide),
    }
    return Explorer(draw, controls, alt)


def _table(hits: Sequence[Hit], *, caption: str) -> str:
    rows = "".join(
        f"<tr><td>{rank}</td><td>{html.escape(name)}</td><td>{score:.2f}</td>"
        f'<td style="text-align:left">{html.escape(text[:140])}{"…" if len(text) > 140 else ""}</td></tr>'
        for rank, (name, score, text) in enumerate(hits, 1)
    )
    head = "".join(f'<th scope="col">{h}</th>' for h in ("rank", "document", "score", "text"))
    body = rows or '<tr><td colspan="4">no document contains a word of the query</td></tr>'
    return f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
