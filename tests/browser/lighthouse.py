"""Lighthouse (npm's, fetched by make) with the machine's Chromium: its four marks for a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.browser.weight import FLAGS, chromium

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "_build" / "browser" / "node_modules" / "lighthouse" / "cli" / "index.js"
PAGES = ("book/index.html", "book/01_ranking.html", "book/07_transformers.html")
TARGETS = {"performance": "≥ 95", "accessibility": "≥ 100", "best-practices": "≥ 100", "seo": "≥ 95"}


def missing() -> str:
    """What Lighthouse lacks on this machine, in words; empty where it can run."""
    if chromium() is None:
        return "there is no chromium on this machine (Debian: apt-get install chromium)"
    if shutil.which("node") is None or not PROGRAM.is_file():
        return "Lighthouse is not here (make test fetches it where npm is)"
    return ""


def scores(address: str, categories: tuple[str, ...] = tuple(TARGETS)) -> dict[str, int]:
    """Marks from 0 to 100 for the page at ``address``, with Lighthouse's own settings for a phone.

    Raises RuntimeError where Lighthouse cannot run, or when it fails.
    """
    if reason := missing():
        raise RuntimeError(reason)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            *("node", str(PROGRAM), address, "--quiet", "--output=json", f"--output-path={report}"),
            f"--only-categories={','.join(categories)}",
            f"--chrome-flags={' '.join(['--headless=new', *FLAGS])}",
        ]
        environment = {**os.environ, "CHROME_PATH": str(chromium()), "TMPDIR": folder}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or not report.is_file():
            raise RuntimeError(f"Lighthouse failed: {done.stderr[-2000:]}")
        found = json.loads(report.read_text(encoding="utf-8"))["categories"]
    return {name: round(100 * found[name]["score"]) for name in categories}
