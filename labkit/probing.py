"""Probing: the vectors of every layer of an encoder, small classifiers on them, and how many bits their labels cost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Percent of the items at which the online code trains anew (Voita and Titov, 2020, section 2.2).
FRACTIONS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.25, 12.5, 25, 50, 100)

# fit(X, y, rows, classes, seed) trains on X[rows], y[rows]; what it returns gives P (n, classes) for other rows of X.
Predict = Callable[[np.ndarray], np.ndarray]
Fit = Callable[[np.ndarray, np.ndarray, np.ndarray, int, int], Predict]


class Item(NamedTuple):
    """One labeled item of a probing task.

    ``spans`` are (part, start, end): characters start … end − 1 of ``text`` (part 0) or of ``pair`` (part 1).
    Each span gives one vector, the mean over the pieces that it touches; no spans: the mean over all pieces.
    ``group`` names what the item was taken from (an article, a query).
    """

    text: str
    label: Hashable
    spans: tuple[tuple[int, int, int], ...] = ()
    pair: str | None = None
    group: Hashable = None


@dataclass(frozen=True)
class Activations:
    """Vectors of N items in all layers, in a file of their own: ``values`` (L + 1, N, D), float32, mapped."""

    values: np.ndarray

    def layer(self, j: int) -> np.ndarray:
        """Return layer j, (N, D), still in the file; layer 0 is the embedding. Raises ValueError if there is none."""
        if not 0 <= j < len(self.values):
            raise ValueError(
                f"there is no layer {j}; this network has the layers 0 to {len(self.values) - 1}"
            )
        return self.values[j]


def activations(
    encoder: tuple[PreTrainedTokenizerBase, PreTrainedModel],
    items: Sequence[Item],
    *,
    batch_size: int = 32,
    max_length: int = 128,
) -> Activations:
    """Run the encoder once over the items, and keep the vectors of their spans from every layer.

    ``encoder`` is what ``pretrained.encoder`` returns. Texts are cut to ``max_length`` pieces, the longer one of
    a pair first. Only one batch is held in memory: the vectors go to a temporary file, which goes with the result.
    D is the network's width times the number of spans. Raises ValueError for no items, items with different
    numbers of spans, and a span that no piece of the cut text touches.
    """
    import torch
    from tqdm.auto import tqdm

    from .text import by_length

    tokenizer, model = encoder
    if not items:
        raise ValueError("there are no items to probe; give one or more")
    spans = len(items[0].spans)
    if any(len(item.spans) != spans for item in items):
        raise ValueError(
            f"the first item has {spans} spans, another has more or fewer; give each item as many"
        )
    layers, width = model.config.num_hidden_layers + 1, model.config.hidden_size
    shape = (layers, len(items), width * max(1, spans))
    with tempfile.TemporaryFile() as file:  # without a name; the mapping keeps it alive
        values = np.memmap(file, dtype=np.float32, mode="w+", shape=shape)
    order = by_length(
        [1 + len(item.text) + len(item.pair or "") for item in items], batch_size, shuffle=False
    )
    settings = {"truncation": "longest_first", "max_length": max_length, "padding": True}
    for chosen in tqdm(order, "activations", unit="batch", delay=2):
        batch = [items[i] for i in chosen]
        pairs = None if batch[0].pair is None else [item.pair for item in batch]
        encoded = tokenizer(
            [item.text for item in batch], pairs, return_tensors="pt", return_offsets_mapping=True, **settings
        )
        weights = torch.from_numpy(_weights(encoded, batch)).to(model.device)  # (B, max(1, spans), T)
        del encoded["offset_mapping"]
        with torch.inference_mode():
            states = model(**encoded.to(model.device), output_hidden_states=True).hidden_states
            for j, state in enumerate(states):
                values[j, chosen] = (weights @ state.float()).flatten(1).cpu().numpy()
    return Activations(values)


def _weights(encoded: Any, batch: Sequence[Item]) -> np.ndarray:
    """Weights (B, max(1, spans), T) that turn pieces into the means of spans, float32."""
    offsets, real = encoded["offset_mapping"].numpy(), encoded["attention_mask"].numpy()
    if not batch[0].spans:
        return (real / real.sum(1, keepdims=True))[:, None].astype(np.float32)
    weights = np.zeros((len(batch), len(batch[0].spans), real.shape[1]), dtype=np.float32)
    for b, item in enumerate(batch):
        part = np.array([-1 if k is None else k for k in encoded.sequence_ids(b)])
        for s, (which, start, end) in enumerate(item.spans):
            inside = (start < end) & (part == which) & (offsets[b, :, 0] < end) & (offsets[b, :, 1] > start)
            if not inside.any():
                raise ValueError(
                    f"span {(which, start, end)} of {item.text[:40]!r} … holds no piece; is it empty, or behind max_length?"
                )
            weights[b, s] = inside / inside.sum()
    return weights


def probe(hidden: int = 0, *, penalty: float = 3.0, steps: int = 100, patience: int = 10) -> Fit:
    """Return how to train a probe: linear, or with one layer of ``hidden`` ReLU units (Hewitt and Liang, 2019).

    It starts at the uniform distribution and takes L-BFGS steps on standardized vectors; to the sum of the losses
    comes ``penalty`` / 2 times the squares of all weights but the biases. The last fifth of its rows is held out (so
    give them in random order, a group's together): a step is kept if the loss there is below that of the kept one by
    more than two standard errors, and training ends when ``patience`` steps bring nothing. With fewer than 20 rows it
    stays uniform. Its probabilities are mixed with the uniform ones as n to K, for n rows and K classes: no label is
    impossible. 65,536 vectors are read at a time.
    """

    def fit(X: np.ndarray, y: np.ndarray, rows: np.ndarray, classes: int, seed: int) -> Predict:
        import torch

        if len(rows) < 20:
            return lambda chosen: np.full((len(chosen), classes), 1 / classes)
        learn, held = np.split(rows, [len(rows) - len(rows) // 5])
        mean = sum(X[some].sum(0, dtype=float) for some in _chunks(learn)) / len(learn)
        spread = sum(((X[some] - mean) ** 2).sum(0, dtype=float) for some in _chunks(learn)) / len(learn)
        scale = np.sqrt(np.maximum(spread, 1e-6))
        sizes = [(X.shape[1], hidden), (hidden, classes)] if hidden else [(X.shape[1], classes)]
        weights = [torch.zeros(shape) for size in sizes for shape in (size, size[1:])]
        if hidden:
            weights[0].normal_(0, X.shape[1] ** -0.5, generator=torch.Generator().manual_seed(seed))

        def logits(some: np.ndarray) -> torch.Tensor:
            x = torch.from_numpy(((X[some] - mean) / scale).astype(np.float32))
            for k in range(0, len(weights), 2):
                x = (x.relu() if k else x) @ weights[k] + weights[k + 1]
            return x

        def losses(some: np.ndarray) -> torch.Tensor:
            return torch.nn.functional.cross_entropy(
                logits(some), torch.from_numpy(y[some]), reduction="none"
            )

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            whole = sum(weight.square().sum() for weight in weights[::2]) * penalty / 2 / len(learn)
            whole.backward()
            whole = whole.detach().clone()
            for some in _chunks(learn):
                part = losses(some).sum() / len(learn)
                part.backward()
                whole += part.detach()
            return whole

        optimizer = torch.optim.LBFGS(
            [w.requires_grad_() for w in weights], max_iter=2, line_search_fn="strong_wolfe"
        )
        best, kept, waited = torch.full((len(held),), float(np.log(classes))), None, 0
        for _ in range(steps):
            optimizer.step(closure)
            with torch.no_grad():
                now = torch.cat([losses(some) for some in _chunks(held)])
            gain, waited = best - now, waited + 1
            if gain.mean() > 2 * gain.std() / len(held) ** 0.5:
                best, kept, waited = now, [weight.detach().clone() for weight in weights], 0
            if waited == patience:
                break
        weights = kept or [torch.zeros_like(weight) for weight in weights]

        def predict(chosen: np.ndarray) -> np.ndarray:
            found = [logits(some).double().softmax(1).numpy() for some in _chunks(np.asarray(chosen))]
            return (len(rows) * np.concatenate(found) + 1) / (len(rows) + classes)

        return predict

    return fit


_CHUNK = 65_536  # rows that are read at a time: 200 MB, if a vector has 768 numbers


def _chunks(rows: np.ndarray) -> list[np.ndarray]:
    return [rows[k : k + _CHUNK] for k in range(0, len(rows), _CHUNK)]


@dataclass(frozen=True)
class Code:
    """What N labels cost: ``bits`` by the online code, ``uniform`` = N log2 K, and ``portions`` (start, end, bits)."""

    bits: float
    uniform: float
    portions: tuple[tuple[int, int, float], ...]

    @property
    def compression(self) -> float:
        """How many times shorter than the uniform code: 1 says that nothing was found (Voita and Titov, 2020)."""
        return self.uniform / self.bits


def online_code(
    X: np.ndarray,
    y: Sequence[int],
    classes: int,
    *,
    fit: Fit | None = None,
    groups: Sequence[Hashable] | None = None,
    fractions: Sequence[float] = FRACTIONS,
    seed: int = 1,
) -> Code:
    """Bits to send the labels y (N,) to someone who has the vectors X (N, D): the online code, Voita and Titov (2020).

    The items are put in an order drawn by ``seed``. The first portion costs log2 K bits a label; each later one costs
    −log2 of the probability that a probe gives to the label, after training on all portions before. Items of one group stay together in
    that order, so that a portion's article is not already known (only one group may lie across a border). ``fit`` is
    ``probe()`` if None. Raises ValueError for fewer than two classes, labels that are not 0 … K − 1 or of which
    only one occurs, vectors that are not finite, sizes that differ, and fractions that do not rise to 100.
    """
    given, y = np.asarray(y), np.asarray(y, dtype=np.int64)
    if (given != y).any() or not np.isfinite(X).all():
        raise ValueError("a label is no integer, or a number of the vectors is not finite")
    if classes < 2 or len(np.unique(y)) < 2:
        raise ValueError(
            f"{classes} classes, of which {len(np.unique(y))} occur: a probe needs two or more to tell apart"
        )
    if (
        len(y) != len(X)
        or y.min() < 0
        or y.max() >= classes
        or (groups is not None and len(groups) != len(y))
    ):
        raise ValueError(
            f"{len(X)} vectors, {len(y)} labels from {y.min()} to {y.max()}, {classes} classes: give each vector a label "
            "from 0 to K − 1 (and each a group)"
        )
    if (
        not fractions
        or list(fractions) != sorted(set(fractions))
        or fractions[0] <= 0
        or fractions[-1] != 100
    ):
        raise ValueError(f"the fractions {fractions} are percents: let them rise from above 0 to 100")
    order = np.random.default_rng(seed).permutation(len(y))
    if groups is not None:
        first: dict[Hashable, int] = {}
        for place, i in enumerate(order):
            first.setdefault(groups[i], place)
        order = order[np.argsort([first[groups[i]] for i in order], kind="stable")]
    ends = sorted({max(1, round(len(y) * fraction / 100)) for fraction in fractions})
    portions = [(0, ends[0], ends[0] * float(np.log2(classes)))]
    for start, end in pairwise(ends):
        predict, sent = (fit or probe())(X, y, order[:start], classes, seed), order[start:end]
        portions.append((start, end, float(-np.log2(predict(sent)[np.arange(len(sent)), y[sent]]).sum())))
    return Code(sum(bits for *_, bits in portions), len(y) * float(np.log2(classes)), tuple(portions))


def control_labels(keys: Sequence[Hashable], classes: int, *, seed: int = 1) -> np.ndarray:
    """Labels (N,) of a control task: every different key gets one label, drawn at random (Hewitt and Liang, 2019).

    With words as keys, a probe can only learn the words by heart; with ``range(N)``, there is nothing to learn.
    """
    rng = np.random.default_rng(seed)
    drawn = {key: int(rng.integers(classes)) for key in dict.fromkeys(keys)}
    return np.array([drawn[key] for key in keys], dtype=np.int64)
