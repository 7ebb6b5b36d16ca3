"""What each lab's mutants are made of, and how one is scored."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Question:
    """Answers to one question, by name.

    ``right`` answers are texts of code. A ``wrong`` answer is a text of code, or pairs of replacements in
    the solution: (old, new) or (old, new, old, new, …); each ``old`` stands exactly once in it.
    """

    right: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str | tuple[str, ...]] = field(default_factory=dict)


def apply(solution: str, change: str | tuple[str, ...]) -> str:
    """Return the text of a mutant; raises ValueError where a replacement does not fit the solution."""
    if isinstance(change, str):
        return change
    for old, new in zip(change[::2], change[1::2], strict=True):
        if solution.count(old) != 1:
            raise ValueError(f"{old!r} stands {solution.count(old)} times in the solution, not once")
        solution = solution.replace(old, new)
    return solution
