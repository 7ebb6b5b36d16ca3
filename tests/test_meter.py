from __future__ import annotations

import time

import numpy as np
import pytest

from labkit import meter


def test_rate_counts_items_and_warms_up_once():
    calls = []
    found = meter.rate(lambda: calls.append(time.sleep(0.01)), 7, at_least=0.05)
    assert found.items == 7 * (len(calls) - 1)
    assert found.seconds >= 0.05
    assert found.per_second == pytest.approx(found.items / found.seconds)
    assert str(meter.Rate(1234, 1.0)) == "1,234/s"
    calls.clear()
    assert meter.rate(lambda: calls.append(1), 1, at_least=0, warm_up=False).items == len(calls) == 1


def test_a_rate_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="items is 0"):
        meter.rate(lambda: None, 0)


def test_slower_calls_have_lower_rates_and_longer_latencies():
    fast = meter.latency(lambda: time.sleep(0.001), repeats=5)
    slow = meter.latency(lambda: time.sleep(0.02), repeats=5)
    assert fast["median"] < slow["median"]
    assert slow["median"] <= slow["p95"]


def test_peak_memory_sees_an_array_that_is_gone_at_the_end():
    with meter.peak_memory() as peak:
        np.zeros(2_000_000)
    assert 16_000_000 <= peak.bytes < 17_000_000
    assert str(peak).endswith("MiB")
