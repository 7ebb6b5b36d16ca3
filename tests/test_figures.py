from __future__ import annotations

import base64
import json
import re

import altair as alt
import matplotlib.pyplot as plt
import pytest
from bs4 import BeautifulSoup

from labkit import explorers, figures

pytestmark = pytest.mark.hangs_on("labkit/**")


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


DIAMOND = (["x", "a", "b", "f"], [[], [0], [0], [1, 2]], [2.0, 4.0, 6.0, 24.0], [24.0, 6.0, 4.0, 1.0])
LOCAL = [[], [2.0], [3.0], [6.0, 4.0]]


def shown_texts(chart):
    import vl_convert

    svg = vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=figures.vega_lite_version())
    return {text.get_text() for text in BeautifulSoup(svg, "html.parser").find_all("text")} - {""}


@pytest.mark.parametrize(
    ("step", "values", "adjoints"),
    [
        (0, set(), set()),
        (2, {"2", "4"}, set()),
        (4, {"2", "4", "6", "24"}, set()),
        (5, {"2", "4", "6", "24"}, {"1", "×6", "×4"}),
        (8, {"2", "4", "6", "24"}, {"1", "×6", "×4", "×3", "×2"}),
    ],
)
def test_a_graph_shows_values_forward_and_adjoints_backward(step, values, adjoints):
    seen = shown_texts(figures.graph(*DIAMOND, local=LOCAL, step=step))
    assert seen == {"x", "a", "b", "f"} | values | adjoints


def test_the_graphs_slider_runs_through_both_passes():
    chart = figures.graph(*DIAMOND).to_dict()
    (slider,) = [p for p in chart["params"] if p["name"] == "step"]
    assert slider["bind"] == {"input": "range", "min": 0, "max": 8, "step": 1, "name": "step"}
    assert slider["value"] == 0
    assert "×2" not in shown_texts(figures.graph(*DIAMOND, step=8)), "no local derivatives were given"


def test_nodes_of_a_graph_lie_apart_and_edges_run_to_the_right():
    labels = ["x", "y", "a", "b", "c", "f"]
    parents = [[], [], [0, 1], [2, 0], [1], [3, 4]]
    chart = figures.graph(labels, parents, [1.0] * 6, [1.0] * 6, step=0).to_dict()
    points = [row for rows in chart["datasets"].values() for row in rows] if "datasets" in chart else []
    points = points or [row for layer in chart["layer"] for row in layer["data"]["values"]]
    places = {row["label"]: (row["x"], row["y"]) for row in points if "label" in row}
    assert len(set(places.values())) == 6
    for child, them in enumerate(parents):
        assert all(places[labels[p]][0] < places[labels[child]][0] for p in them)
    # The edge from x to b passes the column of a and c, and meets neither.
    bends = {(row["x"], row["y"]) for row in points if row.get("edge") == "0-3"}
    assert len(bends) == 3
    assert not bends & {places["a"], places["c"]}


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (([], [], [], []), "at least one node"),
        ((["a"], [[]], [1.0], []), "1 values, 0 adjoints"),
        ((["a", "b"], [[1], []], [1.0, 1.0], [1.0, 1.0]), "node 0 has parent 1"),
        ((["a"], [[-1]], [1.0], [1.0]), "node 0 has parent -1"),
    ],
)
def test_a_graph_that_is_none_is_an_error(graph, said):
    with pytest.raises(ValueError, match=said):
        figures.graph(*graph)


def test_the_graph_explorer_steps_through_what_it_is_given():
    def describe(expression):
        if expression == "bad":
            raise ValueError("no such <name>")
        return dict(zip(("labels", "parents", "values", "adjoints"), DIAMOND, strict=True))

    explorer = explorers.graph(describe, expression="2 * x", alt="a graph")
    assert 'alt="2 * x, step 8 of 8"' in explorer.picture
    explorer.controls["done"].value = 50
    assert "step 4 of 8" in explorer.picture
    explorer.controls["expression"].value = "bad"
    assert "ValueError: no such &lt;name&gt;" in explorer.picture
