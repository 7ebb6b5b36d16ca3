"""A small Hugging Face hub on loopback: enough of its interface to load one data set or one model."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@contextmanager
def serve(
    repository: str, files: dict[str, bytes], kind: str = "datasets"
) -> Iterator[tuple[str, list[str]]]:
    """Serve ``repository`` of ``kind`` (datasets or models) with ``files``; yield the address and its log."""
    log: list[str] = []
    folders = {str(folder) for name in files for folder in PurePosixPath(name).parents} - {"."}
    everything = sorted(folders) + list(files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(
            self, body: bytes, kind: str = "application/json", status: int = 200, **headers: str
        ) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def entry(self, path: str) -> dict:
            kind, data = ("file", files[path]) if path in files else ("directory", b"")
            return {"type": kind, "path": path, "size": len(data), "oid": blob_id(data)}

        def handle_request(self) -> None:
            path = unquote(urlsplit(self.path).path)
            query = parse_qs(urlsplit(self.path).query)
            log.append(f"{self.command} {path}")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            api, resolve = f"/api/{kind}/{repository}", f"/{kind}/{repository}/resolve/"
            if kind == "models":  # the hub's addresses of models do not name their kind
                resolve = f"/{repository}/resolve/"
            if path == api or (path.startswith(f"{api}/revision/") and not path.endswith("/unknown")):
                siblings = [{"rfilename": name} for name in files]
                info = {"id": repository, "sha": COMMIT, "private": False, "tags": [], "downloads": 0}
                self.answer(json.dumps({**info, "siblings": siblings}).encode())
            elif path.startswith(f"{api}/tree/"):
                folder = path.removeprefix(f"{api}/tree/{COMMIT}").strip("/")
                inside = [name for name in everything if name.startswith(f"{folder}/" if folder else "")]
                if query.get("recursive") not in (["True"], ["true"], ["1"]):
                    inside = [name for name in inside if "/" not in name[len(folder) :].strip("/")]
                self.answer(json.dumps([self.entry(name) for name in inside]).encode())
            elif path.startswith(f"{api}/paths-info/"):
                wanted = (
                    json.loads(body)["paths"]
                    if body[:1] == b"{"
                    else parse_qs(body.decode()).get("paths", [])
                )
                self.answer(json.dumps([self.entry(name) for name in wanted if name in everything]).encode())
            elif path.startswith(resolve) and path.removeprefix(resolve).split("/", 1)[1] in files:
                data = files[path.removeprefix(resolve).split("/", 1)[1]]
                headers = {"ETag": f'"{blob_id(data)}"', "X_Repo_Commit": COMMIT}
                self.answer(data, "application/octet-stream", **headers)
            elif path.startswith(f"{api}/revision/"):
                self.answer(b'{"error": "Invalid rev id"}', status=404, X_Error_Code="RevisionNotFound")
            elif path.startswith("/api/models/") and not path.startswith(api):
                self.answer(b'{"error": "Repository not found"}', status=404, X_Error_Code="RepoNotFound")
            else:
                self.answer(b'{"error": "Entry not found"}', status=404, X_Error_Code="EntryNotFound")

        do_GET = do_HEAD = do_POST = handle_request

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", log
    finally:
        server.shutdown()
        server.server_close()
