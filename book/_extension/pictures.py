"""Figures as files beside the pages, and the start page's pictures: a chapter's own first figure.

A notebook carries its figures within; a page that did would be three times as heavy, and shown late.

The directive ``chapter-picture`` with a stem takes the figure out of the built chapter, with its text
alternative, makes it small, and writes it beside the site's other images. Nothing is stored in the sources.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from labkit.files import cached

logger = logging.getLogger(__name__)

WIDTH = 640  # a card is about half as wide; a phone's screen has two to three dots a pixel
# As labkit.figures.show writes it.
FIGURE = re.compile(r'<img class="labkit-image" alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">')


class chapter_picture(nodes.General, nodes.Element):
    """Stands for the picture until all chapters are read."""


class ChapterPicture(SphinxDirective):
    """``chapter-picture`` with a stem: the chapter's first figure, small."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [chapter_picture(stem=self.arguments[0])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_node(chapter_picture)
    app.add_directive("chapter-picture", ChapterPicture)
    # Any chapter may have a new figure, so the start page is written in every build.
    app.connect("env-updated", lambda app, env: [app.config.root_doc])
    app.connect("doctree-resolved", _insert)
    app.connect("html-page-context", _page, priority=940)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _insert(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(chapter_picture)):
        stem = node["stem"]
        found = first_figure(app.env.get_doctree(f"book/{stem}"))
        if found is None:
            logger.warning("book/%s has no figure for the page %s", stem, docname)
            node.parent.remove(node)
            continue
        alternative, svg = found
        name = f"picture-{version('vl-convert-python')}-{hashlib.sha256(svg.encode()).hexdigest()[:16]}"
        text, width, height = cached(name, lambda svg=svg: small(svg))
        data = base64.b64decode(text)
        folder = Path(app.outdir) / "_images"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"chapter-{stem}.webp").write_bytes(data)
        up = "../" * docname.count("/")
        image = (
            f'<img class="labkit-card-picture" src="{up}_images/chapter-{stem}.webp" width="{width}" '
            f'height="{height}" alt="{html.escape(alternative)}" loading="lazy">'
        )
        node.replace_self(nodes.raw("", image, format="html"))


def _page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    folder, up = Path(app.outdir) / "_images", "../" * page.count("/")
    seen = 0

    def as_file(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        drawn = base64.b64decode(match[2])
        name = f"figure-{hashlib.sha256(drawn).hexdigest()[:16]}.svg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(drawn)
        width, height = size(drawn.decode("utf-8"))
        later = ' loading="lazy"' if seen > 1 else ""  # the first one is what a reader sees at once
        return (
            f'<img class="labkit-image" alt="{match[1]}" src="{up}_images/{name}" '
            f'width="{width}" height="{height}"{later}>'
        )

    if "body" in context:
        context["body"] = FIGURE.sub(as_file, context["body"])


def size(svg: str) -> tuple[int, int]:
    """Width and height of a drawing in pixels, from its root element; points are what matplotlib writes."""
    root = re.search(r"<svg[^>]*>", svg)[0]
    found = (re.search(rf'\b{side}="([\d.]+)(pt|px)?"', root) for side in ("width", "height"))
    width, height = (round(float(m[1]) * (4 / 3 if m[2] == "pt" else 1)) for m in found)
    return width, height


def first_figure(chapter: nodes.document) -> tuple[str, str] | None:
    """The text alternative and the SVG of the first figure in a chapter's outputs; None without one."""
    for output in chapter.findall(nodes.raw):
        if match := FIGURE.search(output.astext()):
            return html.unescape(match[1]), base64.b64decode(match[2]).decode("utf-8")
    return None


def small(svg: str) -> tuple[str, int, int]:
    """Return a picture ``WIDTH`` pixels wide, as WebP in base 64, with its width and height."""
    import vl_convert
    from PIL import Image

    drawn = Image.open(io.BytesIO(vl_convert.svg_to_png(svg, scale=2))).convert("RGB")
    height = round(drawn.height * WIDTH / drawn.width)
    stream = io.BytesIO()
    drawn.resize((WIDTH, height), Image.Resampling.LANCZOS).save(stream, "WEBP", quality=70, method=6)
    return base64.b64encode(stream.getvalue()).decode("ascii"), WIDTH, height
