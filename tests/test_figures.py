from __future__ import annotations

import base64
import json
import re

import altair as alt
import matplotlib.pyplot as plt
import pytest
from bs4 import BeautifulSoup

from labkit import explorers, figures


def chart():
    k = alt.param(name="k", value=1, bind=alt.binding_range(min=0, max=3, step=1, name="k"))
    data = alt.sequence(0, 5, 1, as_="x")
    return (
        alt.Chart(data)
        .transform_calculate(y="datum.x * k")
        .mark_line()
        .encode(x="x:Q", y="y:Q")
        .add_params(k)
    )


def plot():
    figures.style()
    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4])
    return figure


def test_a_matplotlib_figure_becomes_an_svg_with_alt_text_and_caption():
    bundle = figures.show(plot(), alt='a "line" < rises', caption="A <em>line</em>.")._repr_mimebundle_()
    page = BeautifulSoup(bundle["text/html"], "html.parser")
    assert page.img["alt"] == 'a "line" < rises'
    assert page.figcaption.em.text == "line"
    kind, data = page.img["src"].split(",", 1)
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode().rstrip().endswith("</svg>")
    assert bundle["text/plain"] == 'Figure: a "line" < rises'


def test_the_same_figure_gives_the_same_bytes_and_is_closed():
    first, second = (figures.show(plot(), alt="a line") for _ in range(2))
    assert first == second
    assert plt.get_fignums() == []


def test_a_chart_carries_its_description_and_a_picture_for_pages_without_scripts():
    bundle = figures.show(chart(), alt="y rises with x", caption="c")._repr_mimebundle_()
    page = BeautifulSoup(bundle["text/html"], "html.parser")
    holder = page.find(class_="labkit-vega")
    spec = json.loads(page.find(id=holder["id"] + "-spec").string)
    assert spec["description"] == holder.img["alt"] == "y rises with x"
    assert spec["params"][0]["bind"]["name"] == "k"
    assert spec["background"] == "white"
    assert not re.search(r'(src|href)="http', bundle["text/html"])


@pytest.mark.parametrize("alt_text", ["", "  "])
def test_no_figure_without_alt_text(alt_text):
    with pytest.raises(ValueError, match="say in a sentence"):
        figures.show(chart(), alt=alt_text)
    with pytest.raises(ValueError, match="say in a sentence"):
        explorers.search(lambda query, k1, b: [], query="cat", alt=alt_text)


def find(query, k1, b):
    if query == "bad":
        raise ValueError("a bad query")
    if query == "none":
        return {}["student"]
    return [("d1", k1 + b, "x " * 200 + f"about <{query}>")] if query else []


def test_the_search_explorer_follows_its_controls():
    explorer = explorers.search(find, query="cat", alt="a search")
    assert "2.25" in explorer.picture
    # The snippet begins where the query's word is, escapes the text, and marks the word.
    assert "…<strong>cat</strong>&gt;</td>" in explorer.picture
    explorer.controls["k1"].value = 3.0
    assert "3.75" in explorer.picture
    explorer.controls["query"].value = ""
    assert "no document contains a word of the query" in explorer.picture
    explorer.controls["query"].value = "bad"
    assert "ValueError: a bad query" in explorer.picture
    explorer.controls["query"].value = "none"
    assert "KeyError: &#x27;student&#x27;" in explorer.picture


def test_an_explorer_has_a_picture_for_where_no_kernel_runs():
    bundle = explorers.search(find, query="cat", alt="a search")._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    page = BeautifulSoup(bundle["text/html"], "html.parser")
    assert page.find("td", string="d1")
    assert page.figcaption.text.startswith("a search")
