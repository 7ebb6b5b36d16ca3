"""Throughput, latency and peak memory, measured the same way everywhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np


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


def _synchronize() -> None:
    """Wait for the GPU, whose work is asynchronous; nothing to wait for unless torch is loaded."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
