"""Files that are whole: written beside their place and moved there, and a cache of what is slow to make."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def digest(root: Path, paths: Iterable[Path]) -> str:
    """Return the sha256 of some files below ``root``, of their names and of what is in them, in the names' order."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def cached(name: str, make: Callable[[], Any]) -> Any:
    """Return what ``make`` returns, kept as JSON in labkit's cache folder (``pooch.os_cache``) under ``name``.

    ``name`` must say all that the value depends on. A file that cannot be read is made again; where none can be
    written, the value is made each time. Tuples come back as lists.
    """
    import pooch

    path = Path(pooch.os_cache("labkit")) / f"{name}.json.gz"
    with contextlib.suppress(OSError, EOFError, ValueError):
        return json.loads(gzip.decompress(path.read_bytes()))
    value = make()
    with contextlib.suppress(OSError), replacing(path) as new:
        new.write_bytes(gzip.compress(json.dumps(value).encode(), 1))
    return value
