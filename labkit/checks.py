"""What an exercise's checks call a student's functions through: an endless loop becomes an error, an error a value."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def limited(function: Callable[..., Any], lines: int = 1_000_000) -> Callable[..., Any]:
    """The same function, which raises an AssertionError after so many lines of Python, in all that it calls.

    Lines are counted by ``sys.settrace``. A loop on a single line (``while True: pass``) is no new line, and is not
    stopped.
    """

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        left -= 1
        assert left > 0, f"{function.__name__} ran {lines:,} lines of Python: an endless loop?"
        return trace

    def run(*args: Any, **kwargs: Any) -> Any:
        nonlocal left
        left, before = lines, sys.gettrace()
        sys.settrace(trace)
        try:
            return function(*args, **kwargs)
        finally:
            sys.settrace(before)

    left = lines
    return run


def attempt(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a call through ``limited`` returns, or the error that it raises."""
    try:
        return limited(function)(*args, **kwargs)
    except Exception as error:
        return error
