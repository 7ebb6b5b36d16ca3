"""GloVe: counts of which words stand near which, and vectors fitted to the logarithms of these counts.

Pennington, Socher and Manning (2014), GloVe: Global Vectors for Word Representation, EMNLP.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

BATCH = 32_768  # smaller ones need fewer epochs and yet more time: 2,048 about twice as much


def cooccurrences(sequences: Iterable[Sequence[int]], size: int, window: int = 10) -> sparse.csr_matrix:
    """Count how often word i stands near word j: X, (size, size) float64, symmetric.

    ``sequences`` holds word ids from 0 to size − 1. Two words at distance d ≤ ``window`` in one sequence add
    1/d to X_ij and to X_ji (section 4.2); nothing is counted from one sequence to the next. Raises ValueError
    for an id out of range, or a window or size below 1, and TypeError for words instead of ids.
    """
    from scipy import sparse

    arrays = [np.asarray(sequence) for sequence in sequences if len(sequence)]
    if size < 1 or window < 1:
        raise ValueError(f"size is {size} and window is {window}; both must be 1 or more")
    for array in arrays:
        if array.dtype.kind not in "iu":
            raise TypeError(
                f"a sequence has {array.tolist()[0]!r}, not an id; turn words into ids (Vocabulary.ids)"
            )
        if array.min() < 0 or array.max() >= size:
            raise ValueError(f"a sequence has ids from {array.min()} to {array.max()}; give 0 to {size - 1}")
    ids = np.concatenate([np.empty(0, np.int64), *arrays])
    owner = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays])
    counts = sparse.csr_matrix((size, size))
    for distance in range(1, min(window, len(ids) - 1) + 1):
        same = owner[:-distance] == owner[distance:]
        left, right = ids[:-distance][same], ids[distance:][same]
        counts += sparse.csr_matrix((np.full(len(left), 1 / distance), (left, right)), shape=(size, size))
    return counts + counts.T


def train(
    counts: sparse.csr_matrix,
    dimensions: int = 50,
    epochs: int = 50,
    lr: float = 0.05,
    x_max: float = 100,
    alpha: float = 0.75,
    seed: int = 1,
    bar: bool = True,
    device: str = "cpu",
) -> np.ndarray:
    """Return one vector a word, (size, dimensions) float32, for ``counts``, the X of ``cooccurrences``.

    Minimizes J = Σ f(X_ij) (w_i·w̃_j + b_i + b̃_j − log X_ij)² over all X_ij > 0 (equation 8), with the weight
    f(x) = min(1, (x/x_max)^alpha) (equation 9), by AdaGrad with learning rate ``lr`` on batches in random
    order, and returns w + w̃ (section 4.2). The same seed gives the same vectors; on a GPU nearly so, as it
    adds up in any order. Raises ValueError for counts that are empty, negative, not finite or not symmetric,
    and for settings that are not above 0.
    """
    import torch
    from scipy import sparse
    from torch.nn.functional import embedding
    from tqdm.auto import tqdm

    settings = {"dimensions": dimensions, "epochs": epochs, "lr": lr, "x_max": x_max, "alpha": alpha}
    for name, value in settings.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} is {value}; give a number above 0")
    counts = sparse.csr_matrix(counts)
    if counts.nnz == 0 or not np.isfinite(counts.data).all() or counts.data.min() < 0 or counts.max() == 0:
        raise ValueError(
            f"the counts, {counts.shape}, have no entry above 0, or one that is negative or not finite; give "
            "those of `cooccurrences`, of text where two words of the vocabulary stand near each other"
        )
    if counts.shape[0] != counts.shape[1] or abs(counts - counts.T).max() > 1e-6 * counts.max():
        raise ValueError(f"the counts, {counts.shape}, are not symmetric; give those of `cooccurrences`")
    entries = counts.tocoo()
    above = entries.data > 0
    i, j, x = (torch.from_numpy(part[above]).to(device) for part in (entries.row, entries.col, entries.data))
    weights, logs = (x / x_max).pow(alpha).clamp(max=1).float(), x.log().float()
    generator, shape = torch.Generator().manual_seed(seed), (counts.shape[0], dimensions + 1)
    # Row i holds the vector of word i, and behind it its bias.
    start = [(torch.rand(shape, generator=generator) - 0.5) / dimensions for _ in range(2)]
    words, contexts = (table.to(device).requires_grad_() for table in start)
    optimizer = torch.optim.Adagrad([words, contexts], lr=lr)
    # delay: no bar for what takes less than two seconds
    for _ in tqdm(range(epochs), "GloVe", unit="epoch", disable=not bar, delay=2):
        for batch in torch.randperm(len(x), generator=generator).split(BATCH):
            batch = batch.to(device)
            w, c = embedding(i[batch], words), embedding(j[batch], contexts)
            fitted = (w[:, :-1] * c[:, :-1]).sum(1) + w[:, -1] + c[:, -1]
            loss = (weights[batch] * (fitted - logs[batch]) ** 2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return (words + contexts).detach()[:, :-1].cpu().numpy()
