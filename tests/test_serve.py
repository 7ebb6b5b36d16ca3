"""``make serve``: a page that is saved is drawn again, and a page that breaks the build takes nothing down."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on("book/_extension/serve.py")


@pytest.fixture
def book(tmp_path) -> Path:
    """A book of two pages, in the form of this one."""
    files = {
        "_config.yml": "title: A book\nonly_build_toc_files: true\n",
        "_toc.yml": "format: jb-book\nroot: book/index\nchapters:\n  - file: book/one\n",
        "book/index.md": "# A book\n",
        "book/one.md": "# One\n\nAs it was.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def seen(address: str, words: str, seconds: float = 90) -> str:
    """The page at ``address`` as soon as it has ``words``."""
    end, page = time.monotonic() + seconds, ""
    while time.monotonic() < end:
        try:
            page = urllib.request.urlopen(address).read().decode()
        except OSError:
            page = ""
        if words in page:
            return page
        time.sleep(0.2)
    raise AssertionError(f"{words!r} is not on {address} after {seconds} s: {page[-500:]}")


def test_a_saved_page_is_drawn_again(book):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, ROOT / "book" / "_extension" / "serve.py", book, "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = f"http://127.0.0.1:{port}/book/one.html"
        page = seen(address, "As it was.")
        assert "livereload.js" in page, "the page asks whether it has changed"
        (book / "book" / "one.md").write_text("# One\n\nAs it is now.\n")
        seen(address, "As it is now.")
        (book / "_toc.yml").write_text("no table of contents\n")
        assert any("NOT built" in line for line in iter(server.stdout.readline, ""))
        seen(address, "As it is now.")
    finally:
        server.kill()
        server.wait()
