"""Running the labs' masters and storing their outputs in a form whose diffs can be read."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import nbformat

from labkit.files import replacing

KEPT_CELL_METADATA = ("tags",)


def execute(path: Path, *, timeout: int = 600) -> float:
    """Run every cell of notebook ``path`` in its own folder and store the outputs in place; return seconds.

    A cell that fails raises nbclient's CellExecutionError and leaves the file as it was. What differs
    from run to run without meaning (execution times, kernel version, widget state) is not stored.
    """
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    begin = time.perf_counter()
    client = NotebookClient(notebook, timeout=timeout, resources={"metadata": {"path": str(path.parent)}})
    # Stored outputs are those of the laptop size, whatever this machine has.
    client.execute(env={"LABKIT_PROFILE": "laptop", **os.environ})
    seconds = time.perf_counter() - begin
    write(tidy(notebook), path)
    return seconds


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drop metadata and progress bars, and join split stream outputs; return the notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})
    for number, cell in enumerate(notebook.cells):
        cell.metadata = nbformat.from_dict(
            {k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA}
        )
        cell.setdefault("id", f"cell-{number:03}")
        if cell.cell_type != "code":
            continue
        joined: list[nbformat.NotebookNode] = []
        for output in map(_without_progress_bars, cell.outputs):
            if output is None:
                continue
            if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
                joined[-1].text += output.text
            else:
                joined.append(output)
        cell.outputs = joined
    return notebook


# What tqdm draws: "k1:  12%|█▏   | 3/25 [00:01<00:07, 2.9it/s]", or "3it [00:01, 2.9it/s]".
_BAR = re.compile(r"\d+%\||\d+it \[")


def _without_progress_bars(output: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    """Return ``output`` without tqdm's bars (widgets, or lines on stderr), or None if nothing is left."""
    if output.get("name") == "stderr":
        output.text = "".join(
            t for t in re.split(r"(?<=[\n\r])", output.text) if t.strip() and not _BAR.search(t)
        )
        return output if output.text else None
    return None if _BAR.search(output.get("data", {}).get("text/plain", "")) else output


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write ``notebook`` to ``path``, whole or not at all."""
    nbformat.validate(notebook)
    with replacing(path) as temporary:
        nbformat.write(notebook, temporary)
