"""The pages that make the site a course, as they are built: glossary links, start page, plan, footer."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from bs4 import NavigableString, Tag
from glossary_links import OTHER_SENSE, terms  # book/_extension

from tests.conftest import ROOT
from tests.test_site import HTML, STEMS, each_chapter, soup

TERMS = terms((ROOT / "book" / "glossary.md").read_text())
# What a reader meets as text that runs: not these.
APART = re.compile("h[1-4]|table|figcaption|caption|code|pre|summary|script|style")
APART_CLASSES = re.compile("math|cell_output|cell_input|admonition-title|rubric|headerlink|labkit-buttons")


def apart(tag: Tag) -> bool:
    return bool(APART.fullmatch(tag.name) or any(map(APART_CLASSES.fullmatch, tag.get("class", []))))


def running_text(tag: Tag, link: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Each piece of running text, with the address of the link it stands in."""
    for child in tag.children:
        if type(child) is NavigableString:
            yield str(child), link
        elif isinstance(child, Tag) and not apart(child):
            yield from running_text(child, child.get("href") if child.name == "a" else link)


def first_uses(stem: str) -> dict[str, tuple[str, bool]]:
    """For each term that the chapter uses: its surroundings, and whether it links to the glossary.

    Slow and plain on purpose, another way than the extension's: the longest terms first, and what was found
    is blotted out, so that "language model" is not found in "masked language model".
    """
    pieces = list(running_text(soup(HTML / "book" / f"{stem}.html").article))
    text = "".join(piece for piece, _ in pieces)
    places = [link for piece, link in pieces for _ in piece]
    linked = {}
    for at, link in enumerate(places):
        if link and "glossary.html#term-" in link:
            linked.setdefault(link.split("#term-")[1], at)
    entries = {entry["id"] for entry in soup(HTML / "book" / "glossary.html").select("dt[id]")}
    found = {}
    for term in sorted(TERMS, key=len, reverse=True):
        anchor = re.sub(r"[^\w]+", "-", term).strip("-")
        assert f"term-{anchor}" in entries, term
        first = re.escape(term[0].lower()) + term[0].upper() if term[0].islower() else re.escape(term[0])
        rest = r"\s+".join(map(re.escape, term[1:].split(" ")))
        plural = "(es|s)?" if term[-1].isalnum() else ""
        if term.endswith("y"):
            rest, plural = rest[:-1], "(y|ies)"
        uses = [m.span() for m in re.finditer(rf"(?<![\w-])[{first}]{rest}{plural}(?![\w-])", text)]
        # Words in a link to something else (a citation, another term) are that link's.
        uses = [u for u in uses if not places[u[0]] or places[u[0]].endswith(f"#term-{anchor}")]
        if uses:
            start, end = uses[0]
            found[term] = (text[max(0, start - 30) : end + 30], linked.get(anchor, len(text)) <= start)
        elif anchor in linked:
            found[term] = ("", True)
        for start, end in uses:
            text = text[:start] + "\0" * (end - start) + text[end:]
    return found


@each_chapter
def test_the_first_use_of_every_term_leads_to_the_glossary(stem):
    uses = first_uses(stem)
    assert len(uses) >= 15, "a chapter uses terms"
    unlinked = {term: place for term, (place, is_link) in uses.items() if not is_link}
    excepted = {term for term, chapters in OTHER_SENSE.items() if stem[:2] in chapters.split()}
    assert set(unlinked) == excepted, {t: p for t, p in unlinked.items() if t not in excepted}


def test_every_term_of_the_glossary_is_used_by_a_chapter():
    used = {term for stem in STEMS for term in first_uses(stem)}
    assert len(TERMS) == len(set(TERMS)) >= 181
    assert not set(TERMS) - used


def test_an_exception_names_a_term_and_chapters():
    for term, chapters in OTHER_SENSE.items():
        assert term in TERMS
        assert set(chapters.split()) <= {stem[:2] for stem in STEMS}


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("saddle point", "Saddle\npoints abound", "Saddle\npoints"),
        ("query", "two queries", "queries"),
        ("softmax", "softmaxes", "softmaxes"),
        ("BERT", "BERT's, not bert", "BERT"),
        ("attention", "self-attention", None),
        ("[CLS]", "from [CLS] on", "[CLS]"),
        ("key", "the monkeys", None),
    ],
)
def test_what_counts_as_a_use_of_a_term(term, text, found):
    from glossary_links import finder

    match = finder([term]).search(text)
    assert (match and match[0]) == found
