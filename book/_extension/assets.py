"""What a page loads besides its text: one style sheet, the signs of two fonts that the site uses, few scripts.

The theme and the extensions bring a dozen style sheets, every icon there is as a script of 1.5 MB, and the
search index, on every page. Here the rules go into one file, without those that match nothing on the site;
the fonts are cut down to the signs in use; a script is loaded where a page has what it works on.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import tinycss2
from fontTools import subset
from sphinx.application import Sphinx

HERE = Path(__file__).parent
SHEET = "styles/course.css"  # beside the theme's sheets, so that most addresses in them stay right
MATH, ICONS = "math.woff", "icons.woff"
# The theme's own, named in its layout; the extensions' come from Sphinx.
FIRST = ("styles/theme.css", "styles/pydata-sphinx-theme.css")
# A script is of use only on a page that has one of these words.
NEEDED_BY = {
    "clipboard": ("highlight",),
    "copybutton": ("highlight",),
    "togglebutton": ("toggle", "dropdown", "tag_hide"),
    "design-tabs": ("sd-tab",),
    "thebe": (),  # Jupyter Book always loads it; this site has no use for it
}
# Sphinx's templates with a script of their own that builds on those of every page.
AT_ONCE = ("search.html", "domainindex.html")
# At load the theme measures every code block and output, which lays out the whole page; reader.js measures
# each when it comes near.
THEME_SCRIPT = Path("scripts") / "pydata-sphinx-theme.js"
MEASURES_ALL = re.compile(
    r'"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)
LEFT_OUT = "void 0/* tab stops: reader.js */"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("config-inited", _templates)
    app.connect("html-page-context", _page, priority=950)
    app.connect("build-finished", _finish, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _templates(app: Sphinx, config: Any) -> None:
    config.templates_path.insert(0, str(HERE.parent / "_templates"))


def _page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    body = context.get("body", "")
    context["labkit_fonts"] = [MATH] if "<math" in body else []
    context["script_files"][:] = [
        script if template in AT_ONCE else _later(script)
        for script in context["script_files"]
        if not any(
            name in str(script.attributes) + str(script.filename) and not any(word in body for word in words)
            for name, words in NEEDED_BY.items()
        )
    ]


def _later(script: Any) -> Any:
    """``script`` run after the page is read, so that none holds back its first sight; their order stays."""
    if script.filename:
        more = {} if script.attributes.get("type") == "module" else {"defer": "defer"}
    else:  # a module's text waits, too, but for its names: those that others read stay as they are
        more = {"type": "module"} if "DOCUMENTATION_OPTIONS" in script.attributes.get("body", "") else {}
    return type(script)(script.filename, priority=script.priority, **{**script.attributes, **more})


def _finish(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    static = out / "_static"
    pages = [path.read_text(encoding="utf-8") for path in out.rglob("*.html") if static not in path.parents]
    names = dict.fromkeys(
        [*FIRST, *(str(sheet.filename).removeprefix("_static/") for sheet in app.builder.css_files)]
    )
    rules = "".join(_with_addresses(static, name) for name in names)
    scripts = [path.read_text(encoding="utf-8") for path in static.rglob("*.js")]
    sheet = prune(rules, used_names(pages, scripts))
    icons = {sign for sign in sheet if "\ue000" <= sign <= "\uf8ff"}  # Font Awesome's are in the private area
    signs = {sign for page in pages for sign in _formula_signs(page)}
    theme_icons = static / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.ttf"
    cut(theme_icons, icons, static / "styles" / ICONS)
    cut(math_font(), signs, static / "styles" / MATH)
    (static / SHEET).write_text(sheet, encoding="utf-8")
    script = static / THEME_SCRIPT
    script.write_text(without_measuring(script.read_text(encoding="utf-8")), encoding="utf-8")


def without_measuring(script: str) -> str:
    """The theme's script without its last call, which measures all at load; a second time changes nothing.

    Raises ``ValueError`` where the call is not found: another version of the theme.
    """
    shorter, found = MEASURES_ALL.subn(LEFT_OUT, script)
    if found != 1 and LEFT_OUT not in script:
        raise ValueError(
            f"{THEME_SCRIPT.name} has {found} calls that measure all at load, expected 1: the theme has changed. "
            "Look at the end of the script, then set MEASURES_ALL in book/_extension/assets.py"
        )
    return shorter


def math_font() -> Path:
    """Path of STIX Two Math (SIL Open Font License), which the package ziamath carries."""
    package = find_spec("ziamath")
    return Path(package.submodule_search_locations[0]) / "fonts" / "STIXTwoMath-Regular.ttf"


def cut(font: Path, signs: Iterable[str], to: Path) -> None:
    """Write ``font`` with the glyphs of ``signs`` only, and what MathML stretches them with, as WOFF."""
    options = subset.Options(flavor="woff", layout_features=["ssty"], hinting=False, notdef_outline=True)
    loaded = subset.load_font(str(font), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[ord(sign) for sign in signs])
    cutter.subset(loaded)
    subset.save_font(loaded, str(to), options)


def _formula_signs(page: str) -> Iterator[str]:
    if "<msqrt" in page or "<mroot" in page:
        yield "√"  # drawn by the element, not written in it
    for formula in re.findall(r"<math.*?</math>", page, flags=re.DOTALL):
        text = html.unescape(re.sub(r"<[^>]+>", "", formula))
        yield from text
        # A browser draws a variable of one letter with its italic form.
        for sign in text:
            if sign in ITALIC:
                yield ITALIC[sign]


def _italics() -> dict[str, str]:
    latin = [*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]
    greek = [
        *range(0x391, 0x3AA),
        0x2207,
        *range(0x3B1, 0x3CA),
        0x2202,
        0x3F5,
        0x3D1,
        0x3F0,
        0x3D5,
        0x3F1,
        0x3D6,
    ]
    pairs = [
        *zip(latin, range(0x1D434, 0x1D468), strict=True),
        *zip(greek, range(0x1D6E2, 0x1D71C), strict=True),
    ]
    return {chr(plain): chr(italic) for plain, italic in pairs} | {"h": "ℎ"}


ITALIC = _italics()  # Unicode's mathematical italic letters, as MathML Core maps them


def _with_addresses(static: Path, name: str) -> str:
    """The style sheet ``name`` with those it imports, its relative addresses told from where the one sheet lies."""
    path = static / name
    up = os.path.relpath(path.parent, (static / SHEET).parent) + "/"
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"url\((['\"]?)(?!data:|['\"])", rf"url(\1{up}", text)
    return re.sub(
        r"@import \"(?!\w+:)([^\"]+)\";",
        lambda match: _with_addresses(static, os.path.relpath(path.parent / match[1], static)),
        text + "\n",
    )


def used_names(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Every class on ``pages``, and every word of ``scripts``, which may set a class."""
    names: set[str] = set()
    for page in pages:
        for attribute in re.findall(r'class="([^"]*)"', page):
            names.update(html.unescape(attribute).split())
    for script in scripts:
        names.update(re.findall(r"[\w-]+", script))
    return names


def prune(sheet: str, used: set[str]) -> str:
    """Return ``sheet`` without the rules whose every selector needs a class that is not in ``used``."""
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return '@charset "utf-8";\n' + "".join(_kept(rules, used))


def _kept(rules: list[Any], used: set[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [s for s in _selectors(rule.prelude) if _classes(s) <= used]
            if selectors:
                yield f"{','.join(tinycss2.serialize(s).strip() for s in selectors)}{{{_body(rule)}}}\n"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports", "container", "layer"):
            if rule.content is None:
                yield tinycss2.serialize([rule]) + "\n"
                continue
            inside = "".join(_kept(tinycss2.parse_rule_list(rule.content, True, True), used))
            if inside:
                yield f"@{rule.lower_at_keyword}{tinycss2.serialize(rule.prelude)}{{{inside}}}\n"
        elif rule.type == "at-rule":
            # The theme's whole icon fonts; icons.woff, named in site.css, takes their place.
            if rule.lower_at_keyword == "font-face" and "fontawesome" in _body(rule):
                continue
            yield tinycss2.serialize([rule]) + "\n"


def _body(rule: Any) -> str:
    return re.sub(r"\s+", " ", tinycss2.serialize(rule.content)).strip()


def _selectors(prelude: list[Any]) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _classes(selector: list[Any]) -> set[str]:
    """The classes that ``selector`` asks for; what stands in :not() or :is() is not asked of every match."""
    return {
        after.value
        for token, after in pairwise(selector)
        if token.type == "literal" and token.value == "." and after.type == "ident"
    }
