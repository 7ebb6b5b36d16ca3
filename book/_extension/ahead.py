"""Chapters are run ahead of the reading, as many at a time as there are cores.

Sphinx reads one page after another, and myst-nb runs a page when it is read. Here those that are not in the cache are
run before, by myst-nb's own client, which puts them there; the reading then finds them.

The cache knows a page by its code alone. A page whose support module or stored results have changed is therefore
taken out of it, and read again.
"""

from __future__ import annotations

import contextlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.cache.main import JupyterCacheBase
from myst_nb.core.execute import create_client
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

from labkit.files import digest

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("env-get-outdated", _with_other_support)
    app.connect("env-before-read-docs", _run_ahead)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _with_other_support(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """The pages whose support has changed since they were run; what is kept of their runs is forgotten."""
    book = Path(app.srcdir) / "book"
    cache = get_cache(env.mystnb_config.execution_cache_path)
    ledger = Path(env.mystnb_config.execution_cache_path) / "support.json"
    before = json.loads(ledger.read_text(encoding="utf-8")) if ledger.is_file() else {}
    now = {}
    for module in sorted((book / "support").glob("[0-9][0-9]_*.py")):
        parts = [book / "support" / "__init__.py", module, *(book / "results" / module.stem).glob("*")]
        now[f"book/{module.stem}"] = digest(book, parts)
    outdated = [page for page in now if now[page] != before.get(page) and page in env.found_docs]
    for page in outdated:
        _forget(cache, *_reader(env, page))
    ledger.parent.mkdir(parents=True, exist_ok=True)
    ledger.write_text(json.dumps(now), encoding="utf-8")
    return outdated


def _forget(cache: JupyterCacheBase, reader: Any, text: str) -> None:
    with contextlib.suppress(KeyError):  # it was never run, or its code has changed too
        cache.remove_cache(cache.match_cache_notebook(reader.read(text)).pk)


def _reader(env: BuildEnvironment, page: str) -> tuple[Any, str]:
    """What reads a page's notebook out of its text, None for a page without code; and the text."""
    path = env.doc2path(page)
    text = Path(path).read_text(encoding="utf-8")
    return create_nb_reader(str(path), env.myst_config, env.mystnb_config, text), text


def _run_ahead(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    def run(docname: str) -> None:
        """Run the page if it has code and is not in the cache."""
        reader, text = _reader(env, docname)
        if reader is None:
            return
        path = str(env.doc2path(docname))
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
