"""Throughput, latency and peak memory, measured the same way everywhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Rate:
    """Items a second, with what was counted: ``items`` done in ``seconds``."""

    items: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.items / self.seconds

    def __str__(self) -> str:
        return f"{self.per_second:,.0f}/s"


def rate(call: Callable[[], object], items: int, *, at_least: float = 0.5, warm_up: bool = True) -> Rate:
    """Repeat ``call``, which handles ``items`` items, for ``at_least`` seconds; return the rate.

    One call goes before the clock starts, so that lazy set-up is not timed (``warm_up=False`` leaves it
    out: for calls that take seconds). Raises ValueError for ``items`` below 1.
    """
    if items < 1:
        raise ValueError(f"items is {items}; a rate needs at least one item a call")
    if warm_up:
        call()
    _synchronize()
    begin, calls = time.perf_counter(), 0
    while True:
        call()
        calls += 1
        _synchronize()
        seconds = time.perf_counter() - begin
        if seconds >= at_least:
            return Rate(items * calls, seconds)


def saved_bytes(call: Callable[[], object]) -> int:
    """The bytes that autograd keeps for the backward pass of ``call``, each storage counted once."""
    import torch

    kept = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = call()  # alive to the end, so that no address is used twice
    del result
    return sum(kept.values())


def latency(call: Callable[[], object], *, repeats: int = 20) -> dict[str, float]:
    """Time ``call`` ``repeats`` times, after one warm-up; return seconds: "median" and "p95"."""
    call()
    taken = []
    for _ in range(repeats):
        _synchronize()
        begin = time.perf_counter()
        call()
        _synchronize()
        taken.append(time.perf_counter() - begin)
    return {"median": float(np.median(taken)), "p95": float(np.quantile(taken, 0.95))}


class PeakMemory:
    """Bytes at the highest point of a ``peak_memory`` block, above what was held when it began."""

    bytes: int = 0

    def __str__(self) -> str:
        return f"{self.bytes / 2**20:,.1f} MiB"


@contextmanager
def peak_memory(device: str = "cpu") -> Iterator[PeakMemory]:
    """Measure the peak memory of a block: PyTorch's allocator on "cuda", tracemalloc on "cpu".

    tracemalloc sees Python's and NumPy's memory, not PyTorch's, and slows a block down: never time
    and measure memory in the same run. Blocks must not be nested.
    """
    peak = PeakMemory()
    if str(device).startswith("cuda"):
        import torch

        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        yield peak
        torch.cuda.synchronize()
        peak.bytes = torch.cuda.max_memory_allocated() - before
        return
    import tracemalloc

    tracemalloc.start()
    try:
        yield peak
        peak.bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def flops(call: Callable[[], object]) -> int:
    """Count the floating-point operations of one ``call``, the backward pass too where it does one.

    PyTorch's matrix products, convolutions and attention are counted: 2mnk for (m, k) times (k, n), a
    multiplication and an addition each. Attention counts as its two products, masked parts included.
    Element by element operations, look-ups and reductions are not counted; beside large products they
    are few. What NumPy does is not seen. The call runs slower than usual: do not time it here.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    # The counter does not know the fused attention kernels of every device: take attention apart.
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
            call()
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    return int(counter.get_total_flops())


def peak_flops(device: str = "cpu", dtype: torch.dtype | None = None) -> float:
    """FLOP/s that this device reaches in a large square matrix product of ``dtype`` (default: float32).

    It is the best of many products, measured. A data sheet's number is reached by no program, and which
    device Colab or a laptop has is not known beforehand. A program's share of the peak is then
    ``flops(call) / seconds / peak_flops(device, dtype)``.
    """
    import torch

    size = 8192 if str(device).startswith("cuda") else 1024
    left, right = (torch.randn(size, size, device=device).to(dtype or torch.float32) for _ in range(2))
    best, products, end = math.inf, 0, time.perf_counter() + 0.5
    while products < 5 or time.perf_counter() < end:  # a processor takes a while to reach its speed
        _synchronize()
        begin = time.perf_counter()
        torch.mm(left, right)
        _synchronize()
        best, products = min(best, time.perf_counter() - begin), products + 1
    return 2 * size**3 / best


def _synchronize() -> None:
    """Wait for the GPU, whose work is asynchronous; nothing to wait for unless torch is loaded."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
