"""The Sphinx extension that makes the book this course's site.

It keys the cache of executed chapters on what they run with, serves Vega from the site itself (loaded when
a chart comes into view), copies the released labs, and adds two directives: ``lab`` (the four buttons) and
``quiz``. What else a page loads is in assets.py; formulas are in formulas.py.
"""

from __future__ import annotations

import html
import os
import shutil
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

from labkit.course.settings import COLAB, Course
from labkit.figures import vega_lite_version
from labkit.files import cached, digest


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("config-inited", _configure)
    app.connect("html-page-context", _page_scripts, priority=900)
    app.connect("build-finished", _finish, priority=900)
    app.add_directive("lab", LabButtons)
    app.add_directive("quiz", Quiz)
    app.add_css_file("labkit.css", priority=900)  # the last word
    app.add_js_file("reader.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def cache_key(root: Path) -> str:
    """Digest of what an executed chapter depends on besides its own text: versions and labkit's sources."""
    sources = [p for p in (root / "labkit").rglob("*.py") if "course" not in p.relative_to(root).parts]
    return digest(root, [root / "constraints.txt", *sources])[:16]


def _configure(app: Sphinx, config: Config) -> None:
    course = Course.here(Path(app.srcdir))
    # jupyter-cache looks at code cells only; a folder of their own for each state of the rest.
    config.nb_execution_cache_path = str(course.root / "_build" / "cache" / cache_key(course.root))
    os.environ.setdefault("LABKIT_PROFILE", "laptop")
    # The chapters' matrices are small: on a busy machine two threads of BLAS wait for each other for minutes.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    static = course.root / "_build" / "site-static"
    static.mkdir(parents=True, exist_ok=True)
    for source, name in (("site.css", "labkit.css"), ("charts.js", "charts.js"), ("reader.js", "reader.js")):
        _write_if_new(static / name, (Path(__file__).parent / source).read_text(encoding="utf-8"))
    _write_if_new(static / "vega.js", _vega_bundle())
    config.html_static_path.append(str(static))
    config.html_baseurl = config.html_baseurl or course.site


def _vega_bundle() -> str:
    import vl_convert

    wanted = vega_lite_version()
    return cached(
        f"vega-{vl_convert.__version__}-{wanted}",
        lambda: vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", wanted),
    )


def _write_if_new(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _page_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if 'class="labkit-vega"' in context.get("body", ""):
        app.add_js_file("charts.js", type="module")


KAGGLE = "https://www.kaggle.com/kernels/welcome?src="
# The front door: the root page lives in book/, and a bare redirect would have no title and no icon.
FRONT_DOOR = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="icon" href="_static/favicon.svg">
<meta http-equiv="refresh" content="0; url={root}.html">
</head>
<body><a href="{root}.html">{title}</a></body>
</html>
"""


def _finish(app: Sphinx, error: Exception | None) -> None:
    """Put the public part of the release (student notebooks, wheel) and the front door beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    public = Course.here(Path(app.srcdir)).root / "_build" / "release" / "public"
    if public.is_dir():
        shutil.copytree(public, Path(app.outdir), dirs_exist_ok=True)
    door = FRONT_DOOR.format(title=html.escape(app.config.html_title), root=app.config.root_doc)
    (Path(app.outdir) / "index.html").write_text(door, encoding="utf-8")


class LabButtons(SphinxDirective):
    """``lab`` with a stem: links that open the lab in Colab or on Kaggle, show it on the site, and download it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        course = Course.here(Path(self.env.srcdir))
        stem = self.arguments[0]
        course.lab(stem)
        up = "../" * self.env.docname.count("/")
        colab = course.addresses(stem)["LABKIT_COLAB"]
        links = (
            ("Open in Colab", colab),
            ("Open on Kaggle", colab.replace(COLAB, f"{KAGGLE}https://github.com")),
            ("View", f"{up}book/labs/{stem}.html"),
            ("Download", f"{up}labs/{stem}.ipynb"),
        )
        buttons = "".join(
            f'<a class="labkit-button" href="{address}"{" download" if label == "Download" else ""}>'
            f'{label}<span class="labkit-hidden"> lab {stem}</span></a>'
            for label, address in links
            if not (label == "View" and self.env.docname.endswith(f"labs/{stem}"))
        )
        return [nodes.raw("", f'<p class="labkit-buttons">{buttons}</p>', format="html")]


class Quiz(SphinxDirective):
    """``quiz``: a question and answers, each of which opens and says whether and why it is right.

    The content is YAML: ``question``, and ``answers``, a list of ``{right|wrong: text, because: text}``;
    all texts are MyST. It needs no script, and works by keyboard.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        data = yaml.safe_load("\n".join(self.content))
        answers = data["answers"]
        texts = [data["question"], *(text for answer in answers for text in answer.values())]
        if not all(isinstance(text, str) for text in texts):
            raise self.error(
                f"a quiz's texts are strings; put quotes around {[t for t in texts if type(t) is not str]}"
            )
        if sum("right" in answer for answer in answers) != 1 or any("because" not in a for a in answers):
            raise self.error("a quiz needs exactly one right answer, and a 'because' for every answer")
        box = nodes.container(classes=["labkit-quiz"])
        box += self._parsed(data["question"])
        for number, answer in enumerate(answers, 1):
            right = "right" in answer
            # Hidden words name an answer that is a formula alone.
            name = f'<span class="labkit-hidden">Answer {number}: </span>'
            box += nodes.raw("", f'<details class="labkit-answer"><summary>{name}', format="html")
            # A summary holds inline content only.
            paragraphs = self._parsed(answer["right" if right else "wrong"])
            box += nodes.inline("", "", *(node for paragraph in paragraphs for node in paragraph.children))
            verdict = "Right." if right else "Not this one."
            kind = "right" if right else "wrong"
            box += nodes.raw(
                "", f'</summary><div class="labkit-{kind}"><strong>{verdict}</strong>', format="html"
            )
            box += self._parsed(answer["because"])
            box += nodes.raw("", "</div></details>", format="html")
        return [box]

    def _parsed(self, text: str) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(text.splitlines(), self.content_offset, holder)
        return holder.children
