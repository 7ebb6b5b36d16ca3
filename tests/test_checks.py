"""labkit.checks: what exercises' checks call a student's functions through."""

from __future__ import annotations

import sys

import pytest

from labkit.checks import attempt, limited

pytestmark = pytest.mark.hangs_on("labkit/**")


def endless():
    n = 0
    while True:
        n += 1


def test_an_endless_loop_becomes_an_error_that_names_the_function():
    with pytest.raises(AssertionError, match="endless ran 1,000 lines of Python: an endless loop"):
        limited(endless, 1_000)()
    with pytest.raises(AssertionError, match="1,000,000 lines"):
        limited(endless)()


def test_what_it_calls_counts_too_and_each_call_has_its_own_limit():
    def ten(depth=9):
        return ten(depth - 1) + 1 if depth else 1

    few = limited(ten, 60)
    assert [few(), few(), few()] == [10, 10, 10]
    with pytest.raises(AssertionError):
        few(40)
    assert few() == 10, "after an error the count begins anew"


def test_arguments_results_and_the_tracer_before_are_kept():
    seen = []

    def other(frame, event, arg):
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(other)
    try:
        got = limited(lambda *a, **k: (a, k))(1, b=2)
        kept = sys.gettrace()
    finally:
        sys.settrace(before)
    assert got == ((1,), {"b": 2})
    assert kept is other
    assert sys.gettrace() is before


def test_attempt_returns_the_result_or_the_error():
    assert attempt(max, 1, 3) == 3
    error = attempt(int, "x")
    assert isinstance(error, ValueError)
    assert "'x'" in str(error)
    assert isinstance(attempt(endless), AssertionError)
    with pytest.raises(KeyboardInterrupt):
        attempt(interrupted)


def interrupted():
    raise KeyboardInterrupt
