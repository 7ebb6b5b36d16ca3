from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from labkit import corpora, glove, meter
from labkit.text import Vocabulary, tokenize

pytestmark = pytest.mark.hangs_on("labkit/**")

# --- counting


def brute_force(sequences, size, window):
    counts = np.zeros((size, size))
    for ids in sequences:
        for i in range(len(ids)):
            for j in range(len(ids)):
                if i != j and abs(i - j) <= window:
                    counts[ids[i], ids[j]] += 1 / abs(i - j)
    return counts


@given(st.lists(st.lists(st.integers(0, 6), max_size=15), max_size=6), st.integers(1, 20))
def test_counts_equal_a_double_loop(sequences, window):
    counts = glove.cooccurrences(sequences, 7, window)
    assert counts.shape == (7, 7)
    assert counts.dtype == np.float64
    np.testing.assert_allclose(counts.toarray(), brute_force(sequences, 7, window), rtol=1e-12)
    assert (counts != counts.T).nnz == 0


def test_counts_by_example():
    # "a b a", and "b" alone: a-b at distance 1 twice, a-a at distance 2, seen from both sides.
    counts = glove.cooccurrences([[0, 1, 0], np.array([1])], 2, window=2)
    assert counts.toarray().tolist() == [[1, 2], [2, 0]]
    assert glove.cooccurrences([[0, 1, 0], [1]], 2, window=1).toarray().tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("sequences", "size", "window", "error", "message"),
    [
        ([[0, 1], [2, 7]], 3, 10, ValueError, "ids from 2 to 7; give 0 to 2"),
        ([[0, -1]], 3, 10, ValueError, "ids from -1 to 0; give 0 to 2"),
        ([["the", "cat"]], 3, 10, TypeError, "'the', not an id; turn words into ids"),
        ([[0.5, 1.0]], 3, 10, TypeError, "not an id"),
        ([[0, 1]], 3, 0, ValueError, "window is 0"),
        ([[0, 1]], 0, 10, ValueError, "size is 0"),
    ],
)
def test_counts_of_what_cannot_be_counted(sequences, size, window, error, message):
    with pytest.raises(error, match=message):
        glove.cooccurrences(sequences, size, window)


# --- training


@pytest.fixture
def tables(monkeypatch):
    """The two tables of parameters that a training has: each word's vector, and its bias behind it."""
    found = []

    class Adagrad(torch.optim.Adagrad):
        def __init__(self, parameters, **options):
            found[:] = parameters
            super().__init__(found, **options)

    monkeypatch.setattr(torch.optim, "Adagrad", Adagrad)
    return lambda: [table.detach().numpy().astype(float) for table in found]


def start(size, dimensions, seed):
    """What the vectors and biases are before the first step: uniform within half of 1 / dimensions."""
    generator = torch.Generator().manual_seed(seed)
    shape = (size, dimensions + 1)
    return [((torch.rand(shape, generator=generator) - 0.5) / dimensions).double().numpy() for _ in range(2)]


def objective(w, c, counts, x_max, alpha):
    """J and its gradients, written out from equations 8 and 9, in float64."""
    total, gw, gc = 0.0, np.zeros_like(w), np.zeros_like(c)
    for i, j in zip(*np.nonzero(counts), strict=True):
        weight = min(1, (counts[i, j] / x_max) ** alpha)
        error = w[i, :-1] @ c[j, :-1] + w[i, -1] + c[j, -1] - np.log(counts[i, j])
        total += weight * error**2
        gw[i] += 2 * weight * error * np.append(c[j, :-1], 1)
        gc[j] += 2 * weight * error * np.append(w[i, :-1], 1)
    return total, gw, gc


def test_one_step_equals_adagrad_on_the_written_out_gradient(tables):
    counts = np.array([[4.0, 2, 0.5], [2, 0, 9], [0.5, 9, 300]])
    glove.train(sparse.csr_matrix(counts), 2, epochs=1, lr=0.1, x_max=10, alpha=0.5, seed=5)
    before = start(3, 2, seed=5)
    _, *gradients = objective(*before, counts, 10, 0.5)
    for after, table, gradient in zip(tables(), before, gradients, strict=True):
        np.testing.assert_allclose(after, table - 0.1 * gradient / np.abs(gradient), atol=1e-6)


def test_steps_equal_adagrad_on_the_written_out_gradient(tables):
    rng = np.random.default_rng(1)
    counts = rng.exponential(20, (6, 6)).round(1)
    counts += counts.T
    vectors = glove.train(sparse.csr_matrix(counts), 3, epochs=30, x_max=40, seed=2)
    expected = start(6, 3, seed=2)
    squares = [0.0, 0.0]
    for _ in range(30):
        _, *gradients = objective(*expected, counts, 40, 0.75)
        squares = [s + g**2 for s, g in zip(squares, gradients, strict=True)]
        expected = [e - 0.05 * g / np.sqrt(s) for e, g, s in zip(expected, gradients, squares, strict=True)]
    for table, found in zip(expected, tables(), strict=True):
        np.testing.assert_allclose(found, table, atol=1e-4)
    np.testing.assert_allclose(vectors, sum(expected)[:, :-1], atol=1e-4)


def test_in_batches_too_every_count_is_met_once_an_epoch(tables, monkeypatch):
    """With a batch of one, one epoch is one AdaGrad step for each count, in the seed's order."""
    monkeypatch.setattr(glove, "BATCH", 1)
    counts = np.array([[0.0, 3, 5], [3, 0, 7], [5, 7, 0]])
    glove.train(sparse.csr_matrix(counts), 2, epochs=1, x_max=10, seed=4)
    generator = torch.Generator().manual_seed(4)
    for _ in range(2):
        torch.rand(3, 3, generator=generator)
    cells = np.argwhere(counts)[torch.randperm(6, generator=generator).numpy()]
    expected, squares = start(3, 2, seed=4), [np.zeros((3, 3)), np.zeros((3, 3))]
    for i, j in cells:
        one = np.zeros((3, 3))
        one[i, j] = counts[i, j]
        _, *gradients = objective(*expected, one, 10, 0.75)
        for table, square, gradient in zip(expected, squares, gradients, strict=True):
            square += gradient**2
            table -= 0.05 * gradient / (np.sqrt(square) + 1e-10)
    for table, found in zip(expected, tables(), strict=True):
        np.testing.assert_allclose(found, table, atol=1e-5)


def test_two_words_by_hand(tables):
    """X_01 = X_10 = e², one dimension: at the optimum w_0 w̃_1 + b_0 + b̃_1 = w_1 w̃_0 + b_1 + b̃_0 = 2."""
    counts = sparse.csr_matrix(np.array([[0, np.e**2], [np.e**2, 0]]))
    vectors = glove.train(counts, dimensions=1, epochs=2000, lr=0.1, x_max=1)
    (w, b), (c, d) = (table.T for table in tables())
    assert w[0] * c[1] + b[0] + d[1] == pytest.approx(2, abs=1e-4)
    assert w[1] * c[0] + b[1] + d[0] == pytest.approx(2, abs=1e-4)
    assert vectors[:, 0] == pytest.approx(w + c, abs=1e-6)


def test_with_dimensions_enough_the_products_are_the_logarithms(tables):
    rng = np.random.default_rng(3)
    counts = rng.exponential(30, (8, 8)) + 0.5
    counts += counts.T
    glove.train(sparse.csr_matrix(counts), dimensions=10, epochs=2000, lr=0.3, bar=False)
    w, c = tables()
    # Over ten seeds J is 3e-7 at most, and no logarithm is missed by more than 0.0005.
    assert objective(w, c, counts, 100, 0.75)[0] < 1e-4
    fitted = w[:, :-1] @ c[:, :-1].T + w[:, -1:] + c[:, -1]
    np.testing.assert_allclose(fitted, np.log(counts), atol=0.01)


def test_the_seed_decides_and_nothing_else():
    counts = glove.cooccurrences([[0, 1, 2, 3, 4, 2, 1]], 5)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first = glove.train(counts, 3, epochs=4, seed=1)
    assert torch.equal(torch.get_rng_state(), state)  # the caller's generator is left alone
    torch.manual_seed(2)
    np.testing.assert_array_equal(glove.train(counts, 3, epochs=4, seed=1), first)
    assert not np.allclose(glove.train(counts, 3, epochs=4, seed=2), first)
    assert first.shape == (5, 3)
    assert first.dtype == np.float32


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        (np.zeros((3, 3)), {}, "have no entry above 0"),
        ([[0, -1], [-1, 0]], {}, "negative"),
        ([[0, np.nan], [np.nan, 0]], {}, "not finite"),
        ([[0, np.inf], [np.inf, 0]], {}, "not finite"),
        ([[0, 1], [2, 0]], {}, "not symmetric"),
        ([[0, 1, 1], [1, 0, 1]], {}, "not symmetric"),
        ([[0, 1], [1, 0]], {"x_max": 0}, "x_max is 0; give a number above 0"),
        ([[0, 1], [1, 0]], {"x_max": -1}, "x_max is -1"),
        ([[0, 1], [1, 0]], {"dimensions": 0}, "dimensions is 0"),
        ([[0, 1], [1, 0]], {"epochs": 0}, "epochs is 0"),
        ([[0, 1], [1, 0]], {"lr": float("nan")}, "lr is nan"),
    ],
)
def test_what_cannot_be_trained_on_is_one_clear_error(counts, options, message):
    with pytest.raises(ValueError, match=message):
        glove.train(sparse.csr_matrix(np.array(counts)), **options)


def test_a_text_without_two_known_words_is_an_error_and_one_shorter_than_the_window_is_not():
    with pytest.raises(ValueError, match="no entry above 0"):
        glove.train(glove.cooccurrences([[0], [], [1]], 2))
    assert np.isfinite(glove.train(glove.cooccurrences([[0, 1]], 2), 2, epochs=1)).all()


def test_zeros_that_are_stored_count_for_nothing():
    stored = sparse.csr_matrix((np.array([0.0, 2, 2, 0]), (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))))
    assert stored.nnz == 4
    plain = glove.train(sparse.csr_matrix(stored.toarray()), 2, epochs=3)
    np.testing.assert_array_equal(glove.train(stored, 2, epochs=3), plain)
    assert stored.nnz == 4  # and the caller's matrix is left as it was


# --- real text, and its size


@pytest.fixture(scope="module")
def wikipedia():
    texts = [tokenize(text) for text in corpora.texts(corpora.load("wikipedia", "paragraphs"))]
    vocabulary = Vocabulary(texts, min_count=20)
    return vocabulary, [vocabulary.ids(text) for text in texts]


def test_months_are_neighbors_of_months(wikipedia):
    vocabulary, sequences = wikipedia
    counts = glove.cooccurrences(sequences, len(vocabulary))
    vectors = glove.train(counts, dimensions=25, epochs=3, lr=0.2, x_max=10)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -1)
    names = "january february march april june july august september october november december"
    months = vocabulary.ids(names.split())
    assert len(months) == 11
    nearest = np.argsort(-similarity[months])[:, :10]
    # Ten seeds: 0.55 to 0.74; by chance it would be 0.004.
    assert np.isin(nearest, months).mean() > 0.4


def test_counting_takes_no_time_and_memory_to_speak_of(wikipedia):
    vocabulary, sequences = wikipedia
    words = sum(map(len, sequences))
    rate = meter.rate(lambda: glove.cooccurrences(sequences, len(vocabulary)), words, at_least=0)
    assert (
        rate.per_second > 45_000
    )  # ten seconds for the text's 450,000 words; a laptop counts ten times as fast
    with meter.peak_memory() as peak:
        counts = glove.cooccurrences(sequences, len(vocabulary))
    assert peak.bytes < 200 * counts.nnz  # 2 GiB for ten million


@pytest.mark.skipif(sys.platform != "linux", reason="reads a process's peak memory as Linux tells it")
def test_training_on_ten_million_counts_would_need_less_than_two_gib(tmp_path):
    """A tenth of them, in a process of its own: its peak, above what it held with the counts loaded."""
    rng = np.random.default_rng(1)
    cells = rng.choice(5000 * 5000, 500_000, replace=False)
    half = sparse.csr_matrix((rng.exponential(5, 500_000), np.divmod(cells, 5000)), shape=(5000, 5000))
    counts = half + half.T
    sparse.save_npz(tmp_path / "counts.npz", counts, compressed=False)
    code = (
        "import re, sys, torch; from pathlib import Path; from scipy import sparse; from labkit import glove\n"
        "peak = lambda: 1024 * int(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "glove.train(sparse.csr_matrix([[0, 1], [1, 0]]), epochs=1, bar=False)\n"  # loads what PyTorch loads late
        "counts = sparse.load_npz(sys.argv[1]); before = peak()\n"
        "glove.train(counts, epochs=1, bar=False); print(counts.nnz, peak() - before)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "counts.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found, grown = map(int, done.stdout.split())
    assert found > 950_000
    assert 0 < grown < 0.1 * 2**31
