from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from labkit import meter

pytestmark = pytest.mark.hangs_on("labkit/**")


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


def test_flops_of_a_product_and_of_its_backward_pass():
    m, k, n = 30, 40, 50
    left, right = torch.randn(m, k, requires_grad=True), torch.randn(k, n, requires_grad=True)
    assert meter.flops(lambda: left @ right) == 2 * m * n * k
    # The gradient of each factor is a product of the same size.
    assert meter.flops(lambda: (left @ right).sum().backward()) == 3 * 2 * m * n * k
    assert meter.flops(lambda: left.detach() @ left.detach().T) == 2 * m * m * k


def test_flops_of_layers_convolutions_and_what_is_not_counted():
    batch, width, classes, kernel, length = 8, 20, 6, 3, 12
    inputs = torch.randn(batch, width)
    layer = torch.nn.Linear(width, classes)
    assert meter.flops(lambda: layer(inputs)) == 2 * batch * width * classes
    convolution = torch.nn.Conv1d(width, classes, kernel)
    windows = length - kernel + 1
    found = meter.flops(lambda: convolution(torch.randn(batch, width, length)))
    assert found == 2 * batch * windows * width * kernel * classes
    assert (
        meter.flops(lambda: torch.tanh(inputs).sum() + torch.nn.Embedding(9, 4)(torch.tensor([1])).sum()) == 0
    )
    assert meter.flops(lambda: np.zeros((9, 9)) @ np.zeros((9, 9))) == 0


def test_flops_of_attention():
    heads, length, width = 2, 16, 8
    q, k, v = (torch.randn(1, heads, length, width) for _ in range(3))
    found = meter.flops(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v))
    products = 2 * (2 * heads * length * length * width)
    assert found == products
    # A layer adds four projections and two feed-forward products; it counts alike with and without gradients.
    size, inner = heads * width, 24
    layer = torch.nn.TransformerEncoderLayer(size, heads, inner, batch_first=True)
    inputs = torch.randn(1, length, size)
    expected = products + 2 * length * size * (4 * size + 2 * inner)
    assert meter.flops(lambda: layer(inputs)) == expected
    with torch.no_grad():
        assert meter.flops(lambda: layer.eval()(inputs)) == expected


def test_saved_bytes_counts_each_storage_once():
    x = torch.randn(100, requires_grad=True)
    assert meter.saved_bytes(lambda: x * 2) == 0, "the slope of x · 2 needs no tensor"
    assert meter.saved_bytes(lambda: x.exp()) == 400
    assert meter.saved_bytes(lambda: x * x) == 400, "one storage, kept twice"
    assert meter.saved_bytes(lambda: x.exp() * x.sin()) == 1200, (
        "exp(x), for itself and for the product; x; sin(x)"
    )


def test_the_measured_peak_is_a_speed_that_no_smaller_product_passes():
    peak = meter.peak_flops()
    assert 1e8 < peak < 1e15
    small = torch.randn(64, 64)
    reached = (
        meter.flops(lambda: small @ small) * meter.rate(lambda: small @ small, 1, at_least=0.2).per_second
    )
    assert 0 < reached < 1.5 * peak  # 1.5: other programs may run beside this one
    assert meter.peak_flops("cpu", torch.float64) < 1.5 * peak
