"""Measure the experiments of chapters and store what they find: make experiments CHAPTER=07_transformers.

Only what is missing or stale is measured, unless ``--fresh``.
"""

from __future__ import annotations

import argparse
import sys

import torch

from support import BOOK, experiments, stems

sys.path.insert(0, str(BOOK / "_extension"))
from measured import machine


def main() -> None:
    command = argparse.ArgumentParser(prog="python -m support", description=__doc__)
    command.add_argument("chapter", nargs="?", help="a stem, or its number; all, if none is given")
    command.add_argument("--only", metavar="NAME", help="one experiment")
    command.add_argument("--fresh", action="store_true", help="measure also what is not stale")
    options = command.parse_args()
    chosen = [stem for stem in stems() if stem.startswith(options.chapter or "")]
    if not chosen:
        command.error(f"no chapter {options.chapter} has a support module; there are {', '.join(stems())}")
    torch.set_num_threads(1)
    for stem in chosen:
        for name, part in experiments(stem).items():
            if options.only in (None, name) and (options.fresh or not part.fresh):
                print(f"{stem}, {name}: {part.seeds} seeds", flush=True)
                part.measure(f"make experiments CHAPTER={stem}", machine())


if __name__ == "__main__":
    main()
