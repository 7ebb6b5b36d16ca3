"""The footer names the licenses, with links to their texts, which the site carries."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from labkit.course.settings import Course

# What it is for, its name, the file in the checkout, and on the site.
LICENSES = (
    ("Text", "CC BY 4.0", "LICENSE-TEXT", "license-text.txt"),
    ("code", "MIT", "LICENSE", "license.txt"),
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("html-page-context", _footer)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _footer(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    up = "../" * page.count("/")
    links = [f'{what} <a href="{up}{there}" rel="license">{name}</a>' for what, name, _, there in LICENSES]
    context["theme_extra_footer"] = f"<p>{', '.join(links)}.</p>"


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        root = Course.here(Path(app.srcdir)).root
        for _, _, here, there in LICENSES:
            shutil.copy(root / here, Path(app.outdir) / there)
