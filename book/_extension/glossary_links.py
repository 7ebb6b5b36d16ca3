"""Links the first use of each glossary term in each chapter to its entry.

An author writes plain words. A term that the author linked by ``{term}`` at its first use counts as linked.
Headings, code, formulas, links, captions and the answers of a quiz stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

CHAPTER = re.compile(r"book/\d\d_\w+")

# Words with another meaning, too, and the chapters whose first use has it ("Usual values are", a mask of
# dropout). There the words stay as they are; an author who means the term writes {term}.
OTHER_SENSE = {
    "decoder": "08",
    "head": "07 09",
    "leak": "11",
    "mask": "03 04 09",
    "parameter": "01",
    "perplexity": "05",
    "precision": "02 10",
    "probe": "05",
    "threshold": "05",
    "transformer": "09",
    "value": "01 02 03 04 05 06",
}

# Text in these is not running text. A quiz's answers are summaries that open: no place for a link.
SKIPPED = (
    nodes.title,
    nodes.rubric,
    nodes.caption,
    nodes.table,
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
    nodes.Invisible,
    nodes.citation,
    nodes.footnote,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_transform(LinkFirstUses)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def terms(glossary: str) -> list[str]:
    """The terms of a glossary page's source, in its order: the lines of the directive that are not indented."""
    body = re.search(r"^```\{glossary\}\n(.*?)^```", glossary, re.DOTALL | re.MULTILINE)
    if body is None:
        raise ValueError("there is no {glossary} directive on the glossary's page")
    return [line.strip() for line in body[1].splitlines() if line.strip() and not line.startswith(" ")]


def pattern(term: str) -> str:
    """Return a regular expression for ``term`` as running text has it.

    It may be a plural; one that begins with a small letter may begin a sentence; a space may be a line's end.
    """
    words = r"\s+".join(re.escape(word) for word in term.split())
    if term[0].islower():
        words = f"[{term[0]}{term[0].upper()}]{words[1:]}"
    if not term[-1].isalnum():
        return words
    if re.search("[^aeiou]y$", term):
        return f"{words[:-1]}(?:y|ies)"
    return f"{words}(?:es|s)?" if re.search("(s|x|ch|sh)$", term) else f"{words}s?"


def finder(wanted: list[str]) -> re.Pattern[str]:
    """One expression for all terms, whole words only, the longest first; the group ``t<i>`` tells which."""
    longest = sorted(range(len(wanted)), key=lambda i: -len(wanted[i]))
    either = "|".join(f"(?P<t{i}>{pattern(wanted[i])})" for i in longest)
    return re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")


class LinkFirstUses(SphinxTransform):
    """Makes links of the words; Sphinx resolves them like those that an author wrote."""

    default_priority = 880

    def apply(self, **kwargs: Any) -> None:
        if not CHAPTER.fullmatch(self.env.docname):
            return
        page = Path(self.env.srcdir) / "book" / "glossary.md"
        self.env.note_dependency(str(page))  # a new term makes every chapter new
        chapter = self.env.docname.removeprefix("book/")[:2]
        listed = terms(page.read_text(encoding="utf-8"))
        find = finder(listed)
        to_link = {t for t in listed if chapter not in OTHER_SENSE.get(t, "").split()}
        for node in list(_running_text(self.document)):
            if isinstance(node, addnodes.pending_xref):
                to_link -= {t for t in to_link if t.lower() == node["reftarget"].lower()}
            else:
                self._link(node, find, listed, to_link)

    def _link(self, text: nodes.Text, find: re.Pattern[str], listed: list[str], to_link: set[str]) -> None:
        """Replace ``text`` by itself with links, and take what was linked out of ``to_link``."""
        pieces: list[nodes.Node] = []
        end = 0
        for match in find.finditer(text):
            term = listed[int(match.lastgroup[1:])]
            if term in to_link:
                to_link.remove(term)
                pieces += [nodes.Text(text[end : match.start()]), self._reference(term, match[0])]
                end = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[end:])])

    def _reference(self, term: str, words: str) -> addnodes.pending_xref:
        shown = nodes.inline("", words, classes=["xref", "std", "std-term"])
        return addnodes.pending_xref(
            "", shown, refdomain="std", reftype="term", reftarget=term, refdoc=self.env.docname, refwarn=True
        )


def _running_text(node: nodes.Node) -> Iterator[nodes.Text | addnodes.pending_xref]:
    """The texts in which a term may be linked, and the links to terms, in the order of reading."""
    in_quiz = "labkit-quiz" in node.get("classes", [])
    for child in node.children:
        if isinstance(child, nodes.Text):
            yield child
        elif isinstance(child, addnodes.pending_xref):
            if child["reftype"] == "term":
                yield child
        elif not (
            isinstance(child, SKIPPED)
            or child.get("nb_element")
            or (in_quiz and isinstance(child, nodes.inline))
        ):
            yield from _running_text(child)
