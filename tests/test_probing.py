"""labkit.probing: the vectors are the network's, and the online code costs what it should."""

import math
import tracemalloc

import numpy as np
import pytest
import torch

from labkit import pretrained, probing
from labkit.probing import Item

pytestmark = pytest.mark.hangs_on("labkit/**")


@pytest.fixture(scope="module")
def small():
    """A tokenizer and a BERT with random weights, d = 32, two layers."""
    from transformers import AutoModel

    tokenizer, model = pretrained.encoder(pretrained.MINILM)
    torch.manual_seed(1)
    config = model.config.__class__(
        vocab_size=model.config.vocab_size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
    )
    return tokenizer, AutoModel.from_config(config).eval()


ITEMS = [
    Item("The cat sat on the mat.", 0, ((0, 4, 7),)),
    Item("Unaffable philosophers argue about transcendental idealism all night.", 1, ((0, 0, 9),)),
    Item("Yes.", 0, ((0, 0, 3),)),
]


def test_vectors_are_means_of_the_networks_states(small):
    tokenizer, model = small
    found = probing.activations(small, ITEMS, batch_size=2)
    assert found.values.shape == (3, 3, 32)
    for i, item in enumerate(ITEMS):
        encoded = tokenizer(item.text, return_tensors="pt", return_offsets_mapping=True)
        (_, start, end), offsets = item.spans[0], encoded.pop("offset_mapping")[0].tolist()
        inside = [k for k, (a, b) in enumerate(offsets) if a < b and a < end and b > start]
        with torch.inference_mode():
            states = model(**encoded, output_hidden_states=True).hidden_states
        for j, state in enumerate(states):
            np.testing.assert_allclose(found.layer(j)[i], state[0, inside].mean(0), atol=1e-5)
    whole = probing.activations(small, [item._replace(spans=()) for item in ITEMS])
    np.testing.assert_allclose(whole.layer(2)[2], states[2][0].mean(0), atol=1e-5)


def test_spans_of_a_pair_lie_side_by_side(small):
    items = [
        Item("a cat", 0, ((0, 2, 5), (1, 4, 7)), pair="the cat sat"),
        Item("cats", 1, ((0, 0, 4), (1, 0, 2)), pair="no"),
    ]
    found = probing.activations(small, items)
    assert found.values.shape == (3, 2, 64)
    left = probing.activations(small, [item._replace(spans=item.spans[:1]) for item in items])
    right = probing.activations(small, [item._replace(spans=item.spans[1:]) for item in items])
    np.testing.assert_allclose(found.values, np.concatenate([left.values, right.values], axis=2), atol=1e-6)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "no items"),
        ([ITEMS[0], ITEMS[1]._replace(spans=())], "first item has 1 spans"),
        ([Item("cat", 0, ((0, 1, 1),))], "holds no piece"),
        ([Item("cat " * 200 + "dog", 0, ((0, 800, 803),))], "behind max_length"),
    ],
)
def test_bad_items_are_named(small, items, message):
    with pytest.raises(ValueError, match=message):
        probing.activations(small, items)


def test_a_layer_that_does_not_exist(small):
    found = probing.activations(small, ITEMS)
    for j in (-1, 3):
        with pytest.raises(ValueError, match=f"no layer {j}; this network has the layers 0 to 2"):
            found.layer(j)


def test_memory_does_not_grow_with_the_items(small):
    """3,000 items of 3 layers and 64 numbers are 2.3 MB; of them, a batch at a time is held."""
    items = [Item(f"number {i} of many", 0, ((0, 0, 6), (0, 7, 8))) for i in range(3000)]
    probing.activations(small, items[:64])
    peaks = []
    for some in (items[:300], items):
        tracemalloc.start()
        probing.activations(small, some)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_000_000, f"{peaks} bytes: the vectors of all items were held"


def data(n=1200, d=16, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)).astype(np.float32), rng


def uniform(X, y, rows, classes, seed):
    return lambda chosen: np.full((len(chosen), classes), 1 / classes)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_a_uniform_probe_costs_exactly_the_uniform_code(classes):
    X, rng = data()
    y = rng.integers(classes, size=len(X))
    code = probing.online_code(X, y, classes, fit=uniform)
    assert code.bits == pytest.approx(len(y) * np.log2(classes), rel=1e-12)
    assert code.compression == pytest.approx(1, rel=1e-12)
    ends = [end for _, end, _ in code.portions]
    assert ends == [1, 2, 5, 10, 19, 38, 75, 150, 300, 600, 1200]
    assert [start for start, *_ in code.portions] == [0, *ends[:-1]]


@pytest.mark.parametrize("hidden", [0, 32])
def test_random_labels_compress_to_one_and_separable_ones_far_above(hidden):
    X, rng = data()
    nothing = probing.online_code(X, rng.integers(2, size=len(X)), 2, fit=probing.probe(hidden))
    assert 0.98 < nothing.compression < 1.02
    plain = probing.online_code(X, (X[:, 0] > 0).astype(int), 2, fit=probing.probe(hidden))
    assert plain.compression > 3.5
    assert sum(bits for *_, bits in plain.portions) == pytest.approx(plain.bits)


def test_an_mlp_finds_what_a_line_cannot():
    X, _ = data(3000, 4)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    linear, mlp = (probing.online_code(X, y, 2, fit=probing.probe(h)) for h in (0, 64))
    assert linear.compression < 1.02
    assert mlp.compression > 1.5


def test_the_probe_reads_only_its_rows():
    X, _rng = data(400)
    y = (X[:, 0] > 0).astype(int)
    rows, rest = np.arange(300), np.arange(300, 400)
    broken = X.copy()
    broken[300:] = np.nan
    first = probing.probe()(X, y, rows, 2, 1)(rows)
    again = probing.probe()(broken, np.where(np.arange(400) < 300, y, 1 - y), rows, 2, 1)(rows)
    np.testing.assert_array_equal(first, again)
    predicted = probing.probe()(X, y, rows, 2, 1)(rest)
    assert (predicted.argmax(1) == y[300:]).mean() > 0.9
    np.testing.assert_allclose(predicted.sum(1), 1)
    assert predicted.min() >= 1 / 302


def test_the_global_generator_is_left_alone():
    X, rng = data(200)
    before = torch.get_rng_state().clone()
    probing.online_code(X, rng.integers(2, size=200), 2, fit=probing.probe(4))
    assert (torch.get_rng_state() == before).all()


def test_groups_stay_together():
    """Groups give their label away, and nothing else does: together in the order, that helps nobody."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(60), 20)
    X = rng.normal(size=(60, 60))[groups].astype(np.float32)
    y = rng.integers(2, size=60)[groups]
    apart = probing.online_code(X, y, 2, groups=groups.tolist())
    leaked = probing.online_code(X, y, 2)
    assert leaked.compression > 1.3 > 1.05 > apart.compression


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": 1}, "two or more"),
        ({"y": np.zeros(50, int)}, "of which 1 occur"),
        ({"y": np.full(50, 2) - np.arange(50) % 2}, "labels from 1 to 2, 2 classes"),
        ({"y": np.arange(49) % 2}, "50 vectors, 49 labels"),
        ({"groups": ["a"]}, "each a group"),
        ({"fractions": (50, 10, 100)}, "rise"),
        ({"fractions": (10, 50)}, "rise"),
    ],
)
def test_bad_input_of_the_code_is_named(change, message):
    given = {"y": np.arange(50) % 2, "classes": 2} | change
    with pytest.raises(ValueError, match=message):
        probing.online_code(data(50)[0], **given)


def test_control_labels_belong_to_the_keys():
    keys = [f"w{i % 50}" for i in range(1000)]
    labels = probing.control_labels(keys, 5)
    assert labels.dtype == np.int64
    assert set(labels) <= set(range(5))
    assert len(set(zip(keys, labels, strict=True))) == 50
    assert (labels == probing.control_labels(keys, 5)).all()
    assert (labels != probing.control_labels(keys, 5, seed=2)).any()
    counts = np.bincount(probing.control_labels(range(10_000), 5), minlength=5)
    assert abs(counts - 2000).max() < 200


@pytest.mark.parametrize(
    ("X", "y", "fractions", "message"),
    [
        ([[0.0], [1.0], [math.nan]], [0, 1, 1], (50, 100), "is not finite"),
        ([[0.0], [1.0], [2.0]], [0, 1, 1.5], (50, 100), "a label is no integer"),
        ([[0.0], [1.0], [2.0]], [0, 1, 1], (), "let them rise from above 0 to 100"),
    ],
)
def test_the_online_code_of_what_is_no_number_is_an_error(X, y, fractions, message):
    with pytest.raises(ValueError, match=message):
        probing.online_code(np.array(X), y, 2, fractions=fractions)
