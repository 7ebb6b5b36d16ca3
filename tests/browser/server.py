"""A small web server on loopback that compresses what it sends, as the hosts of static sites do."""

from __future__ import annotations

import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path

COMPRESSED = (".html", ".css", ".js", ".json", ".svg", ".ipynb", ".txt", ".md", ".xml")


@lru_cache(maxsize=256)
def _packed(path: Path, changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if path.suffix not in COMPRESSED or not path.is_file():
            return super().do_GET()
        body = _packed(path, path.stat().st_mtime_ns)
        self.send_response(200)
        kind = self.guess_type(str(path))
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):  # a tab was closed before all had come
            super().handle()

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve ``folder`` on a free port of loopback; yields the address, with a slash at its end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
