"""A lab's session: which device, which size of experiment, which seed."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

PROFILES = ("laptop", "gpu", "grade")
GET_OTTER = "pip install --no-deps 'otter-grader>=7,<8'"


@dataclass(frozen=True)
class Lab:
    """What ``start`` found: the lab's name, its profile, the device ("cpu" or "cuda") and the seed."""

    name: str
    profile: str
    device: str
    seed: int

    def pick(self, *, laptop: T, gpu: T, grade: T) -> T:
        """Return the value that belongs to this session's profile."""
        return {"laptop": laptop, "gpu": gpu, "grade": grade}[self.profile]

    def grader(self) -> Any:
        """Return the checker of this lab's public tests: ``grader.check("q1")``.

        The public tests travel inside the released labkit wheel. In a source checkout they are not
        there, and ``check`` then raises FileNotFoundError with the remedy. Raises ImportError, with the remedy,
        where Otter is not installed.
        """
        tests = Path(str(files("labkit"))) / "public_tests" / self.name
        if not tests.is_dir() and not _grading():
            return _NoTests(self.name)
        try:
            import otter
        except ModuleNotFoundError as error:
            raise ImportError(f"the checks need {error.name}: {GET_OTTER}") from error
        return otter.Notebook(tests_dir=str(tests))


def start(name: str, seed: int = 1) -> Lab:
    """Begin lab ``name``: choose the profile, seed Python, NumPy and PyTorch, print one line.

    The profile is ``LABKIT_PROFILE`` (laptop, gpu or grade) where that is set; otherwise "grade" while
    Otter grades, "gpu" on a machine with a CUDA device, and "laptop" on any other. The profile chooses sizes only: "gpu" runs
    on a CPU too, slowly. Raises ValueError for an unknown profile.
    """
    import numpy as np
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = "grade" if _grading() else "gpu" if device == "cuda" else "laptop"
    profile = os.environ.get("LABKIT_PROFILE") or found
    if profile not in PROFILES:
        raise ValueError(f"LABKIT_PROFILE is {profile!r}; set it to one of {', '.join(PROFILES)}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (libraries that the labs call still draw from it)
    torch.manual_seed(seed)
    lab = Lab(name, profile, device, seed)
    hardware = torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"{name}: profile {profile}, {hardware}, seed {seed}, torch {torch.__version__}")
    return lab


def _grading() -> bool:
    """Whether Otter is grading this notebook; it then brings its own tests folder."""
    import sys

    otter = sys.modules.get("otter")
    return otter is not None and otter.Notebook._grading_mode


class _NoTests:
    """Stands in for the grader where no public tests are installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def check(self, question: str) -> None:
        raise FileNotFoundError(
            f"the public tests of {self.name} (asked for {question}) are not in this labkit: install the "
            "released wheel from the course's site, or run `make release` in a checkout and install "
            "_build/release/labkit-*.whl"
        )
