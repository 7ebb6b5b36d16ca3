"""The house's own rules: rooms, stems, sizes, names, documentation."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys

import pytest

import labkit
from tests.conftest import ROOT

TOP = {
    *(
        "_config.yml",
        "_toc.yml",
        "pyproject.toml",
        "constraints.txt",
        "Makefile",
        "README.md",
        "LICENSE",
        "LICENSE-TEXT",
        "CITATION.cff",
        "CONTRIBUTING.md",
    ),
    *("book", "labs", "labkit", "tests"),
}


def tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_the_top_level_holds_the_rooms_and_nothing_else():
    top = {name.split("/")[0] for name in tracked()}
    assert {name for name in top if not name.startswith(".")} == TOP


def test_every_stem_has_its_chapter_lab_mutants_and_toc_entry():
    def stems(folder, pattern):
        return {p.stem for p in (ROOT / folder).glob(pattern) if re.match(r"\d\d_", p.stem)}

    chapters = stems("book", "*.md")
    assert chapters, "there are no chapters"
    assert chapters == stems("labs", "*.ipynb") == stems("tests/mutants", "*.py")
    toc = (ROOT / "_toc.yml").read_text()
    for stem in chapters:
        assert f"book/{stem}\n" in toc, f"{stem} is not in _toc.yml"
        assert f"book/labs/{stem}\n" in toc, f"the lab of {stem} is not in _toc.yml"


def test_labkit_stays_small():
    """What notebooks import has a limit, and so has the instructor's side, which no notebook imports."""
    lines = {path: len(path.read_text().splitlines()) for path in (ROOT / "labkit").rglob("*.py")}
    course = sum(count for path, count in lines.items() if path.parent.name == "course")
    assert sum(lines.values()) - course <= 3000, (
        f"labkit has {sum(lines.values()) - course} lines without course/"
    )
    assert course <= 2700, f"labkit/course has {course} lines"


def test_importing_labkit_loads_nothing_heavy():
    heavy = [
        "torch",
        "transformers",
        "datasets",
        "gensim",
        "matplotlib",
        "altair",
        "pandas",
        "sklearn",
        "otter",
        "scipy",
    ]
    code = f"import sys, labkit; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def public_functions():
    for module in [
        m.name for m in pkgutil.walk_packages(labkit.__path__, "labkit.") if not m.name.endswith("__main__")
    ]:
        loaded = importlib.import_module(module)
        for name, thing in vars(loaded).items():
            if inspect.isfunction(thing) and thing.__module__ == module and not name.startswith("_"):
                yield f"{module}.{name}", thing


@pytest.mark.parametrize(("name", "function"), list(public_functions()))
def test_public_functions_are_typed_and_documented(name, function):
    assert function.__doc__, f"{name} has no docstring"
    signature = inspect.signature(function)
    untyped = [p for p in signature.parameters.values() if p.annotation is inspect.Parameter.empty]
    assert not untyped, f"{name}: {untyped[0].name} has no type hint"
    assert signature.return_annotation is not inspect.Signature.empty, f"{name} has no return type"


def test_constraints_pin_every_version_once():
    pins = [line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if line.strip()]
    assert all(len(pin) == 2 for pin in pins)
    names = [re.sub(r"[-_.]+", "-", name).lower() for name, _ in pins]
    assert len(names) == len(set(names))
    assert ["torch", "2.13.0"] in pins


def test_no_path_of_somebodys_machine_and_no_large_file():
    # Spelled in two halves, so that this test does not find itself.
    private = re.compile(r"(?<![\w.])/(wo" + r"rk|ro" + r"ot|ho" + r"me)/")
    for name in tracked():
        path = ROOT / name
        assert path.stat().st_size < 1_500_000, f"{name} is large"
        text = path.read_text(encoding="utf-8", errors="ignore")
        assert not private.search(text), f"{name} names a path of somebody's machine"


def test_the_repositorys_address_is_set_in_one_place():
    config = (ROOT / "_config.yml").read_text()
    address = re.search(r"url: (https://github\.com/\S+)", config)[1]
    owner_and_name = address.removeprefix("https://github.com/")
    elsewhere = [
        n for n in tracked() if n != "_config.yml" and owner_and_name in (ROOT / n).read_text(errors="ignore")
    ]
    assert elsewhere == []


def test_notebooks_are_plain_json_that_git_can_compare():
    for path in (ROOT / "labs").glob("*.ipynb"):
        notebook = json.loads(path.read_text())
        assert set(notebook["metadata"]) <= {"kernelspec", "language_info"}, f"run `make lab LAB={path.stem}`"
        for cell in notebook["cells"]:
            assert set(cell["metadata"]) <= {"tags"}, f"{path.name}: run `make lab LAB={path.stem}`"
