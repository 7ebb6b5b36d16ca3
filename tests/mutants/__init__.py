"""What each lab's mutants are made of, and how one is scored."""

from __future__ import annotations

from dataclasses import dataclass, field

Change = str | tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """Answers to one question, by name.

    ``textbook`` is the short, clean answer that a good textbook or the paper's own code would print, and ``right``
    holds right answers of other shapes: texts of code, which score full. The others are a text of code, or pairs of
    replacements in the solution, (old, new) or (old, new, old, new, …), where each ``old`` stands exactly once in it:

    - ``method``: errors of method; each loses at least 40 % of the question's points.
    - ``careless``: answers that are right in method and careless at the edges; each keeps at least 90 %.
    - ``wrong``: all other known wrong answers; each loses a point.
    """

    right: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, Change] = field(default_factory=dict)
    textbook: str | None = None
    method: dict[str, Change] = field(default_factory=dict)
    careless: dict[str, Change] = field(default_factory=dict)


def apply(solution: str, change: Change) -> str:
    """Return the text of a mutant; raises ValueError where a replacement does not fit the solution."""
    if isinstance(change, str):
        return change
    for old, new in zip(change[::2], change[1::2], strict=True):
        if solution.count(old) != 1:
            raise ValueError(f"{old!r} stands {solution.count(old)} times in the solution, not once")
        solution = solution.replace(old, new)
    return solution
