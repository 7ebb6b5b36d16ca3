"""The labs where students open them: an environment like Colab's, or of the lowest versions, and a released notebook in it.

``python -m tests.hosted --python python3.13 colab-3.13`` makes the environment and runs every lab there, solved, at the
size ``grade``; ``lowest`` instead of a list takes the lowest version of everything that pyproject.toml names.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import os
import re
import subprocess
import sysconfig
import threading
import time
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpec
from nbclient import NotebookClient

from labkit.course.release import release
from labkit.course.settings import Course
from tests.exercises import solved

ROOT = Path(__file__).resolve().parents[2]
LISTS = Path(__file__).parent
# The extra elmo brings allennlp-light, which asks for an older version (the set-up text of lab 06 says so).
REPLACED = {"more-itertools"}
WIDGET = "application/vnd.jupyter.widget-view+json"
# What Colab does before the first cell: its own package loads ipywidgets, which so is in memory when pip runs.
BEFORE = "import ipywidgets"
# Of two distributions with one name, the first on the path counts, so it is put in last.
AFTER = """
import importlib.metadata as metadata, json, ipywidgets, labkit
found = reversed(list(metadata.distributions()))
print("seen", json.dumps({d.metadata["Name"].lower().replace("_", "-"): d.version for d in found}))
print("labkit", labkit.__file__)
"""


@dataclass
class Run:
    """What was seen of a notebook: checks that passed and failed, errors, warnings, widgets drawn, and what was installed."""

    stem: str
    seconds: float = 0.0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    widgets: int = 0
    set_up: float = 0.0
    installed: dict[str, str] = field(default_factory=dict)
    labkit: str = ""


def pins(name: str) -> dict[str, str]:
    """Package → version of a kept list."""
    text = (LISTS / f"{name}.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {
        package.lower().replace("_", "-"): version
        for package, version in (line.split("==") for line in lines)
    }


@contextlib.contextmanager
def served(folder: Path, stems: list[str] | None = None) -> Iterator[tuple[Path, str]]:
    """A release of labs made in ``folder``; yields the folder of what is public, and its address on loopback."""
    fork = Course(folder / "fork")
    fork.root.mkdir(parents=True)
    for name in ("labs", "labkit", "_config.yml", "pyproject.toml", "README.md", "LICENSE"):
        (fork.root / name).symlink_to(ROOT / name)
    public = release(fork, stems, folder / "release") / "public"
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(public))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield public, f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def student(public: Path, address: str, stem: str) -> nbformat.NotebookNode:
    """A released notebook, solved, whose first cell installs the wheel from loopback."""
    notebook = solved(public / "labs" / f"{stem}.ipynb", ROOT / "labs" / f"{stem}.ipynb")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.source = re.sub(r"https://[^\s\"']+/(labkit-[^/\s\"']+\.whl)", rf"{address}\1", cell.source)
    ends = [nbformat.v4.new_code_cell(source) for source in (BEFORE, AFTER)]
    return nbformat.v4.new_notebook(cells=[ends[0], *cells, ends[1]])


def set_up(notebook: nbformat.NotebookNode) -> str:
    """The line of a notebook that installs labkit."""
    return re.search(r"%pip install -q (?!--no-deps).+", "\n".join(c.source for c in notebook.cells))[0]


def run(python: Path, notebook: nbformat.NotebookNode, stem: str, folder: Path, **settings: str) -> Run:
    """Run a notebook to its end by the kernel of ``python``, in an empty ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    manager = KernelManager()
    manager._kernel_spec = KernelSpec(
        argv=[str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    )
    outside = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", "LABKIT_DATA")}
    environment = {
        **outside,
        "LABKIT_PROFILE": "grade",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        **settings,
    }
    client = NotebookClient(notebook, km=manager, timeout=900, allow_errors=True, record_timing=True)
    begin = time.monotonic()
    client.execute(cwd=str(folder), env=environment)
    seen = Run(stem, seconds=time.monotonic() - begin)
    for cell in notebook.cells:
        read(cell, seen)
    return seen


def read(cell: nbformat.NotebookNode, seen: Run) -> None:
    """Note what a cell printed and drew."""
    check = re.search(r'grader\.check\("(\w+)"\)', cell.source)
    if "%pip install" in cell.source:
        begin, end = (cell.metadata.execution[at] for at in ("iopub.execute_input", "shell.execute_reply"))
        seen.set_up = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
    text = ""
    for output in cell.outputs:
        data = output.get("data", {})
        text += output.get("text", "") + str(data.get("text/plain", ""))
        seen.widgets += WIDGET in data
        if output.output_type == "error":
            seen.errors.append(f"{output.ename}: {output.evalue:.200} in {cell.source[:60]!r}")
        if output.get("name") == "stderr" and "Warning" in output.text:
            seen.warnings.append(f"{output.text.strip()[:300]} in {cell.source[:60]!r}")
    if check and "passed" in text:
        seen.passed += 1
    elif check:
        seen.failed.append(check[1])
    if found := re.search(r"^seen (.+)$", text, re.M):
        seen.installed = json.loads(found[1])
        seen.labkit = re.search(r"^labkit (.+)$", text, re.M)[1]


def environment(folder: Path, python: str, what: str) -> Path:
    """Make an environment of a kept list, or of the lowest versions, without labkit; return its Python."""
    uv = ["uv", "--quiet", "--no-progress"]
    subprocess.run([*uv, "venv", "--clear", "--seed", "--python", python, str(folder)], check=True)
    inside = folder / "bin" / "python"
    install = [*uv, "pip", "install", "--python", str(inside), f"torch=={tested('torch')}"]
    if what == "lowest":
        extras = [f"{ROOT}[elmo,offline]", "ipykernel>=6.17", "otter-grader>=7.0,<8"]
        subprocess.run([*install, "--resolution", "lowest-direct", *extras], check=True)
        subprocess.run(
            [*uv, "pip", "uninstall", "--python", str(inside), "labkit", "otter-grader"], check=True
        )
    else:
        subprocess.run([*install, "setuptools", "-r", str(LISTS / f"{what}.txt")], check=True)
    return inside


def overlay(folder: Path, packages: Path) -> Path:
    """An environment of this Python in which ``packages`` hide those of the same name; return its Python.

    All else is what this Python has, but for labkit. It costs a second, and so serves the ordinary tests.
    """
    venv.create(folder, symlinks=True)
    others = folder / "others"
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "labkit" not in path.name and path.suffix != ".pth":
            (others / path.name).symlink_to(path)
    [site] = folder.glob("lib/python*/site-packages")
    (site / "preinstalled.pth").write_text(f"{packages}\n{others}\n")
    return folder / "bin" / "python"


def tested(package: str) -> str:
    """The version in constraints.txt."""
    return re.search(rf"^{package}==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M)[1]
