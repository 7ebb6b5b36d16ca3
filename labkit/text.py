"""From text to tokens and from tokens to numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

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
    included, would be left. Raises ValueError if that leaves nothing, TypeError for documents that are strings
    instead of lists of tokens.
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
        text = next((document for document in documents if isinstance(document, str)), None)
        if text is not None:
            raise TypeError(f"a document is a list of tokens, not the string {text!r:.60}; tokenize it first")
        counts = Counter(token for document in documents for token in document)
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

        Tokens outside the table become the id of ``unknown``, or are left out where ``unknown`` is None.
        """
        if unknown is None:
            found = [self._ids[t] for t in tokens if t in self._ids]
        else:
            found = [self._ids.get(t, self._ids[unknown]) for t in tokens]
        return np.array(found, dtype=np.int64)
