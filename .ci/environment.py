"""Keep the environment that make uses at the versions that the sources ask for, without ever breaking one that works.

``python3 .ci/environment.py .venv`` does nothing while ``.venv/.ready`` holds the digest of what is asked for. When
versions change, a new environment is built beside the old one and takes its place once it is whole; when only labkit
itself changes (its version, its commands), it is registered anew in the environment that is there. A ``.ready`` that says
"as it is" keeps an environment of one's own. Only Python's own library is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

EXTRAS = "course,elmo,offline,scale,test"


def asked(root: Path) -> tuple[str, str]:
    """Digests of what the sources ask for: the versions, and labkit's own entry."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [project["requires-python"], project["dependencies"], project["optional-dependencies"]]
    versions += [(root / "constraints.txt").read_text(encoding="utf-8"), list(sys.version_info[:2])]
    own = [project["version"], project["scripts"]]
    return tuple(hashlib.sha256(json.dumps(part).encode()).hexdigest()[:16] for part in (versions, own))


def install(python: Path, root: Path, *arguments: str) -> None:
    """Install labkit from the checkout into the environment of ``python``."""
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *arguments], cwd=root, check=True)


def create(folder: Path) -> None:
    """Make an empty environment."""
    prompt = folder.name.removesuffix(".new")
    subprocess.run([sys.executable, "-m", "venv", "--prompt", prompt, str(folder)], check=True)


def move(new: Path, place: Path) -> None:
    """Put environment ``new`` in its ``place``, where its programs then look for their Python."""
    old = place.with_name(f"{place.name}.old")
    for path in [new / "pyvenv.cfg", *(new / "bin").iterdir()]:
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes().replace(os.fsencode(new), os.fsencode(place)))
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def keep(root: Path, place: Path) -> str:
    """Bring the environment in ``place`` to what ``root`` asks for; return what was done, or "" for nothing.

    Raises SystemExit, before anything is changed, where ``place`` is a link or a folder that is no environment.
    """
    ready, old = place / ".ready", place.with_name(f"{place.name}.old")
    if old.exists() and not place.exists():
        old.rename(place)  # the power went between the two renamings of a swap
    shutil.rmtree(old, ignore_errors=True)
    versions, own = asked(root)
    there = ready.read_text(encoding="utf-8").split() if ready.is_file() else []
    if there in (["as", "it", "is"], [versions, own]):
        return ""
    done = "labkit registered anew"
    if place.is_symlink():
        sys.exit(
            f"{place} is a link to {place.resolve()}, whose versions or labkit are others, and which is not changed: "
            f"remove the link, say make VENV=folder, or write 'as it is' into its .ready"
        )
    if there[:1] == [versions]:
        install(place / "bin" / "python", root, "--no-deps", "--no-build-isolation", "-e", ".")
    elif place.exists() and not (place / "pyvenv.cfg").is_file():
        sys.exit(f"{place} is no Python environment, and is left alone: move it, or say make VENV=folder")
    else:
        new = place.with_name(f"{place.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        try:
            create(new)
            install(new / "bin" / "python", root, "-c", "constraints.txt", "-e", f".[{EXTRAS}]")
            move(new, place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        done = "made"
    ready.write_text(f"{versions}\n{own}\n", encoding="utf-8")
    return done


if __name__ == "__main__":
    if done := keep(Path(__file__).resolve().parents[1], Path(sys.argv[1]).absolute()):
        print(f"{sys.argv[1]}: {done}")
