"""Show the site while it is written: the page in the browser is drawn again when its file changes.

``make serve`` starts it. Every build runs in a fork of this process, which has loaded all that a build needs: the
seconds that loading takes are spent once.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from functools import partial
from pathlib import Path

from jupyter_book.cli.main import main as jupyter_book
from livereload import Server

ROOT = Path(__file__).resolve().parents[2]
WATCHED = (
    "_config.yml",
    "_toc.yml",
    "book/*.*",
    "book/_extension/",
    "book/_templates/",
    "book/guides/",
    "book/results/",
    "book/support/",
)


def build(root: Path) -> None:
    """Build the site as ``make site`` does; a warning is shown, and stops nothing."""
    jupyter_book(["build", str(root), "-n", "--keep-going", "-q"], standalone_mode=False)


def rebuild(root: Path) -> None:
    """Build in a fork, which a broken page may end."""
    begin = time.perf_counter()
    fork = multiprocessing.get_context("fork").Process(target=build, args=(root,))
    fork.start()
    fork.join()
    print(
        f"{'built' if fork.exitcode == 0 else 'NOT built'} in {time.perf_counter() - begin:.1f} s", flush=True
    )


def serve(root: Path, port: int) -> None:
    """Build the site of ``root``, serve it on loopback, and build it anew when a source changes."""
    build(root)  # in this process, so that the forks find everything loaded
    server = Server()
    for pattern in WATCHED:
        server.watch(str(root / pattern), partial(rebuild, root))
    server.serve(root=str(root / "_build" / "html"), port=port, host="127.0.0.1")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("root", nargs="?", type=Path, default=ROOT, help="a checkout; this one by default")
    options.add_argument("--port", type=int, default=8000)
    serve(**vars(options.parse_args()))
