"""Chapters are run ahead of the reading, as many at a time as there are cores.

Sphinx reads one page after another, and myst-nb runs a page when it is read. Here those that are not in the cache are
run before, by myst-nb's own client, which puts them there; the reading then finds them.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from myst_nb.core.execute import create_client
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", _run_ahead)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _run_ahead(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    def run(docname: str) -> None:
        """Run the page if it has code and is not in the cache."""
        path = str(env.doc2path(docname))
        text = Path(path).read_text(encoding="utf-8")
        reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
        if reader is None:
            return  # a page without code
        with create_client(reader.read(text), path, env.mystnb_config, logger, reader.read_fmt):
            pass

    get_cache(env.mystnb_config.execution_cache_path).db  # noqa: B018 (made here, for two threads cannot make it at once)
    # A kernel is a process of its own, so threads that wait for them are enough. The later chapters take longer.
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = {docname: pool.submit(run, docname) for docname in sorted(docnames, reverse=True)}
    failed = {docname: future.exception() for docname, future in running.items() if future.exception()}
    if failed:
        reasons = "\n".join(f"{docname}: {error.__cause__ or error}" for docname, error in failed.items())
        raise ExtensionError(f"these pages do not run:\n{reasons}")
