"""From text to tokens and from tokens to numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

_WORD = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    """Split ``text`` into lower-case runs of letters, digits and underscores, in order.

    "BM25's k1, b!" gives ["bm25", "s", "k1", "b"]. The empty string gives []. Raises TypeError for
    anything that is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(
            f"tokenize takes one string, not {type(text).__name__} ({text!r:.60}); for a list of texts "
            "write [tokenize(text) for text in texts]"
        )
    return _WORD.findall(text.lower())


class Vocabulary:
    """A two-way table of tokens and ids 0 … V−1, most frequent first, ties in alphabetical order.

    ``specials`` (padding, unknown, …) come before all tokens, in the order given. Tokens seen fewer
    than ``min_count`` times are left out, and the rarest go where more than ``max_size`` entries, specials
    included, would be left. Raises ValueError if that leaves nothing or a special is there twice, TypeError for documents
    that are no lists of strings.
    """

    def __init__(
        self,
        documents: Iterable[Sequence[str]],
        *,
        min_count: int = 1,
        max_size: int | None = None,
        specials: Sequence[str] = (),
    ) -> None:
        documents = list(documents)
        for document in documents:
            if isinstance(document, str) or not isinstance(document, Iterable):
                raise TypeError(f"a document is a list of tokens, not {document!r:.60}; tokenize it first")
        if isinstance(specials, str) or len(set(specials)) < len(specials):
            raise ValueError(f"specials is {specials!r}; give a list of different strings")
        counts = Counter(token for document in documents for token in document)
        other = next((token for token in counts if not isinstance(token, str)), "")
        if not isinstance(other, str):
            raise TypeError(f"a token is a string, not {other!r:.60}")
        kept = sorted((t for t, n in counts.items() if n >= min_count), key=lambda t: (-counts[t], t))
        if not kept or (max_size is not None and max_size <= len(specials)):
            raise ValueError(
                f"the vocabulary is empty: {len(counts)} different tokens, seen {min_count} times or more: {len(kept)}, "
                f"max_size {max_size}; give more text, a smaller min_count or a larger max_size"
            )
        self.tokens: list[str] = [*specials, *(t for t in kept if t not in specials)][:max_size]
        self.counts = counts
        self._ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __getitem__(self, token: str) -> int:
        """Return the id of ``token``; raises KeyError for a token that is not in the table."""
        return self._ids[token]

    def ids(self, tokens: Iterable[str], *, unknown: str | None = None) -> np.ndarray:
        """Return the ids of ``tokens`` as int64.

        Tokens outside the table become the id of ``unknown``, or are left out where ``unknown`` is None. Raises
        TypeError for a string instead of a list of tokens, ValueError for an ``unknown`` that is not in the table.
        """
        if isinstance(tokens, str):
            raise TypeError(f"give a list of tokens, not the string {tokens!r:.60}; tokenize it first")
        if unknown is not None and unknown not in self:
            raise ValueError(f"{unknown!r} is not in the vocabulary; name it in specials=")
        if unknown is None:
            found = [self._ids[t] for t in tokens if t in self._ids]
        else:
            found = [self._ids.get(t, self._ids[unknown]) for t in tokens]
        return np.array(found, dtype=np.int64)


class _ByLength:
    def __init__(self, lengths: np.ndarray, size: int, shuffle: bool) -> None:
        self.lengths, self.size, self.shuffle = lengths, size, shuffle

    def __len__(self) -> int:
        return -(-len(self.lengths) // self.size)

    def __iter__(self) -> Iterator[list[int]]:
        import torch

        draw = torch.randperm if self.shuffle else torch.arange
        order = draw(len(self.lengths)).numpy()  # sorted stably: those of one length keep a random order
        order = order[np.argsort(self.lengths[order], kind="stable")]
        for k in draw(len(self)).tolist():
            yield order[k * self.size : (k + 1) * self.size].tolist()


def by_length(lengths: Sequence[int], size: int, *, shuffle: bool = True) -> _ByLength:
    """Cut 0 … N−1 into batches of ``size`` sequences of similar length, so that little of a batch is padding.

    The result has a length and gives lists of indices, each index once: iterate over it, or give it to
    DataLoader as ``batch_sampler``. The batches come in an order drawn from PyTorch's global generator when an
    iteration begins; with ``shuffle=False``, shortest first. Raises ValueError for no lengths, a length below 1
    or a size below 1.
    """
    array = np.asarray(lengths)
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size or array.min() < 1 or size < 1:
        raise ValueError(
            f"lengths is {lengths!r:.60} and size is {size}; give the length of each sequence, one or more integers "
            "above 0 (leave empty sequences out), and a size above 0"
        )
    return _ByLength(array, size, shuffle)


def pad(sequences: Sequence[Any], value: int = 0) -> tuple[Any, Any]:
    """Stack B sequences of ids into one tensor, filled up with ``value`` behind their ends.

    Returns two int64 tensors: the ids, (B, T) with T the longest length, and the lengths, (B,). Raises
    ValueError for no sequences, an empty one, and one that holds something else than integers.
    """
    import torch

    for i, row in enumerate(sequences):
        if np.ndim(row) != 1 or len(row) == 0 or np.asarray(row).dtype.kind not in "iu":
            raise ValueError(
                f"sequence {i} is {row!r:.60}, not one or more ids; leave empty sequences out, and turn words into "
                "ids (Vocabulary.ids)"
            )
    if len(sequences) == 0:
        raise ValueError("there are no sequences to pad; give one or more")
    rows = [torch.as_tensor(row, dtype=torch.int64) for row in sequences]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=value)
    return ids, torch.tensor([len(row) for row in rows])
