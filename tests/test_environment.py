"""The script that keeps make's environment: nothing that works is taken away before its successor is whole."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on(".ci/environment.py", "pyproject.toml", "constraints.txt")


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("environment", ROOT / ".ci" / "environment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path) -> Path:
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.fixture
def asked(script, monkeypatch) -> list[tuple[str, ...]]:
    """What pip was asked for; nothing is installed but a program that pip would write, with its environment's path."""
    calls = []

    def install(python: Path, root: Path, *arguments: str) -> None:
        calls.append(arguments)
        program = python.parent / "labkit"
        program.write_text(f"#!{python}\nprint('labkit runs')\n")
        program.chmod(0o755)

    def create(folder: Path) -> None:
        subprocess.run([script.sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)

    monkeypatch.setattr(script, "install", install)
    monkeypatch.setattr(script, "create", create)
    return calls


def change(root: Path, old: str, new: str) -> None:
    path = root / "pyproject.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def runs(place: Path) -> bool:
    done = subprocess.run([place / "bin" / "labkit"], capture_output=True, text=True, check=False)
    return done.stdout == "labkit runs\n"


def test_an_environment_is_made_once_and_left_alone(script, root, asked):
    place = root / ".venv"
    assert script.keep(root, place) == "made"
    assert asked == [("-c", "constraints.txt", "-e", f".[{script.EXTRAS}]")]
    assert runs(place), "programs find their Python where the environment lies now"
    (root / "pyproject.toml").touch()
    assert script.keep(root, place) == ""
    assert len(asked) == 1


def test_another_version_of_labkit_installs_no_library(script, root, asked):
    place = root / ".venv"
    script.keep(root, place)
    (place / "mine").write_text("kept")
    change(root, 'version = "0.1.0"', 'version = "0.2.0"')
    assert script.keep(root, place) == "labkit registered anew"
    assert asked[1:] == [("--no-deps", "--no-build-isolation", "-e", ".")]
    assert (place / "mine").is_file()


def test_other_versions_make_another_beside_it_which_takes_its_place(script, root, asked):
    place = root / ".venv"
    script.keep(root, place)
    (place / "mine").write_text("old")
    change(root, '"numpy>=1.26"', '"numpy>=2"')
    assert script.keep(root, place) == "made"
    assert not (place / "mine").exists()
    assert runs(place)
    assert sorted(path.name for path in root.glob(".venv*")) == [".venv"]


def test_where_the_new_one_fails_the_old_one_stays(script, root, asked, monkeypatch):
    place = root / ".venv"
    script.keep(root, place)

    def fails(*arguments):
        raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(script, "install", fails)
    change(root, '"numpy>=1.26"', '"numpy>=2"')
    with pytest.raises(subprocess.CalledProcessError):
        script.keep(root, place)
    assert runs(place)
    assert sorted(path.name for path in root.glob(".venv*")) == [".venv"]


def test_where_the_power_went_between_the_two_the_old_one_is_put_back(script, root, asked):
    place = root / ".venv"
    script.keep(root, place)
    place.rename(root / ".venv.old")
    assert script.keep(root, place) == ""
    assert runs(place)
    assert sorted(path.name for path in root.glob(".venv*")) == [".venv"]


def test_what_is_somebodys_own_is_refused(script, root, asked):
    place = root / "own"
    script.keep(root, place)
    (root / ".venv").symlink_to(place)
    change(root, 'version = "0.1.0"', 'version = "0.2.0"')
    with pytest.raises(SystemExit, match="is a link to"):
        script.keep(root, root / ".venv")
    change(root, '"numpy>=1.26"', '"numpy>=2"')
    with pytest.raises(SystemExit, match="is a link to"):
        script.keep(root, root / ".venv")
    (root / "thesis").mkdir()
    with pytest.raises(SystemExit, match="no Python environment"):
        script.keep(root, root / "thesis")
    (place / ".ready").write_text("as it is\n")
    assert script.keep(root, root / ".venv") == ""
    assert len(asked) == 1
