"""Where the course lives: the folders of a checkout, and the addresses that follow from _config.yml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

COLAB = "https://colab.research.google.com/github"
PAGES_BRANCH = "gh-pages"


class CourseError(ValueError):
    """Something in the course's sources is wrong: the message names the file and the remedy."""


@dataclass(frozen=True)
class Course:
    """A checkout of the course at ``root``."""

    root: Path

    @classmethod
    def here(cls, start: Path | None = None) -> Course:
        """Find the checkout that holds ``start`` (the working directory); raises CourseError outside one."""
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / "_config.yml").is_file() and (folder / "labs").is_dir():
                return cls(folder)
        raise CourseError(f"{start} is not in a checkout of the course (no _config.yml and labs/ above it)")

    @cached_property
    def config(self) -> dict[str, Any]:
        import yaml

        return yaml.safe_load((self.root / "_config.yml").read_text(encoding="utf-8"))

    @cached_property
    def version(self) -> str:
        return tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

    @cached_property
    def repository(self) -> str:
        """The address of the course's repository: the one setting that a fork changes."""
        url = str(self.config.get("repository", {}).get("url", "")).rstrip("/").removesuffix(".git")
        if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", url):
            raise CourseError(
                f"_config.yml: repository.url is {url!r}; set it to https://github.com/<owner>/<repository>"
            )
        return url

    @property
    def site(self) -> str:
        """The published site's address, with a slash at the end (GitHub Pages of the repository)."""
        owner, name = self.repository.split("/")[-2:]
        host = f"{owner.lower()}.github.io"
        return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"

    @property
    def wheel(self) -> str:
        return f"labkit-{self.version}-py3-none-any.whl"

    def labs(self) -> list[str]:
        """The stems of all labs, in order."""
        return sorted(path.stem for path in (self.root / "labs").glob("[0-9][0-9]_*.ipynb"))

    def lab(self, stem: str) -> Path:
        """The master of lab ``stem``; raises CourseError with the names that exist."""
        path = self.root / "labs" / f"{stem}.ipynb"
        if not path.is_file():
            raise CourseError(f"there is no lab {stem!r}; there are: {', '.join(self.labs())}")
        return path

    def addresses(self, stem: str) -> dict[str, str]:
        """What the placeholders of lab ``stem`` become when it is released."""
        owner_and_name = self.repository.removeprefix("https://github.com/")
        return {
            "LABKIT_CHAPTER": f"{self.site}book/{stem}.html",
            "LABKIT_COLAB": f"{COLAB}/{owner_and_name}/blob/{PAGES_BRANCH}/labs/{stem}.ipynb",
            "LABKIT_WHEEL": f"{self.site}{self.wheel}",
        }
