"""The catalogue of data sets (catalogue.toml says what each is and where it comes from), and how bundled text is read."""

from __future__ import annotations

import bz2
import hashlib
import inspect
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from labkit.files import cached

Row = dict[str, object]
CONVERTED = "refs/convert/parquet"  # the hub's own conversion of sets that only a program could read

RETRIEVAL = {
    "corpus": ("_id", "title", "text"),
    "queries": ("_id", "text"),
    "qrels_test": ("query-id", "corpus-id", "score"),
}


class DataError(ValueError):
    """Data that is there but broken: the message names the file and the remedy."""


class DataUnavailable(OSError):
    """Data that no source could give: the message names the data set and the remedies."""


@dataclass(frozen=True)
class Bundled:
    """A reader of text that comes with the installed package gensim."""

    read: Callable[[str], list[Row]]

    def __str__(self) -> str:
        return "bundled with gensim"


@dataclass(frozen=True)
class PublicFile:
    """One file at a public address at a fixed commit, checked against its sha256, kept by pooch."""

    url: str
    sha256: str
    read: Callable[[Path], list[Row]]

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class Hub:
    """A data set of the Hugging Face hub: configuration (CONVERTED: folder) and split there for each of our splits.

    ``convert`` makes our columns from a row of the hub's, in which tags are names already, not numbers.
    """

    repository: str
    revision: str
    splits: dict[str, tuple[str, str]]
    convert: Callable[[Row], Row] = dict

    def __str__(self) -> str:
        return f"hub:{self.repository}@{self.revision}"


@dataclass(frozen=True)
class Dataset:
    """One entry of the catalogue. ``splits`` maps each split to its columns."""

    name: str
    title: str
    license: str
    size: str
    citation: str
    splits: dict[str, tuple[str, ...]]
    sources: tuple[Bundled | PublicFile | Hub, ...] = ()
    stand_in: str | None = None
    note: str = ""


# --- readers of the bundled text ---------------------------------------------------------------------


def _bundled_path(file: str) -> Path:
    from gensim.test.utils import datapath

    path = Path(datapath(file))
    if not path.is_file():
        raise DataUnavailable(
            f"{file} is missing from the installed gensim; reinstall it: pip install --force-reinstall gensim"
        )
    return path


# Lists, tables, galleries and left-over markup begin with one of these; prose does not.
_PROSE = re.compile(r"(?![*#|:;{!<=]|File:|Image:)")
# A link to another article, [[text]] or [[target|text]]. Files, categories and other wikis have a prefix.
_PREFIX = r"\s*:|[a-z][a-z-]+:|(?i:file|image|category|wikipedia|template|help|portal|special|user|talk):"
_LINK = re.compile(rf"(\[\[(?!{_PREFIX})(?:[^][{{}}\n]*\|)?)([^][{{}}|\n]+)(?=\]\])")
_MARK = "\ue000"  # put before and behind the visible text of each link; Unicode leaves it to private use


@lru_cache(maxsize=1)
def _wikipedia_paragraphs() -> list[list[str]]:
    """Title, section and text of each paragraph, the text with its links between marks."""
    dump = _bundled_path("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
    # Reading the markup takes seconds, so what was read is kept, under all that it depends on.
    made_of = [dump.read_bytes(), version("gensim").encode(), inspect.getsource(_read_markup).encode()]
    made_of += [pattern.pattern.encode() for pattern in (_PROSE, _LINK)]
    digest = hashlib.sha256(b"\0".join(made_of)).hexdigest()[:16]
    return cached(f"wikipedia-{digest}", lambda: _read_markup(dump))


def _read_markup(dump: Path) -> list[list[str]]:
    from gensim.corpora import wikicorpus

    rows = []
    with bz2.open(dump, "rb") as stream:
        for title, markup, _ in wikicorpus.extract_pages(stream, ("0",)):
            if markup.lstrip().lower().startswith("#redirect"):
                continue
            section = ""
            for raw in wikicorpus.filter_wiki(_LINK.sub(rf"\1{_MARK}\2{_MARK}", markup)).splitlines():
                # Two or more quotes are bold or italic, also where a link begins between them.
                marked = re.sub(f"'(?:{_MARK}*')+", lambda quotes: _MARK * quotes[0].count(_MARK), raw)
                line = marked.replace(_MARK, "").strip()
                heading = re.fullmatch(r"=+\s*(.*?)\s*=+", line)
                if heading:
                    section = heading[1]
                elif _PROSE.match(line) and len(re.findall(r"\w+", line)) >= 8:
                    rows.append([title, section, marked])
    return rows


def _read_wikipedia(split: str) -> list[Row]:
    if split == "sentences":
        return list(_wikipedia_sentences())
    return [
        {"_id": f"p{i}", "title": title, "section": section, "text": marked.replace(_MARK, "").strip()}
        for i, (title, section, marked) in enumerate(_wikipedia_paragraphs())
    ]


# Numbers, initials (U.S., e.g.), words with their hyphens and apostrophes, 's by itself, and any other sign.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|\b(?:[^\W\d_]\.){2,}|\w+(?:(?!['’]s\b)['’-]\w+)*|['’]s\b|[^\w\s]")
# A sentence ends at . ! or ? and a space before a capital or a digit, not behind these or an initial.
_END = re.compile(r"(\S*)[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]*([^\W_]))")
_ABBREVIATIONS = re.compile(
    "adm|al|approx|apr|aug|brig|ca|capt|cf|ch|col|dec|dr|eds?|feb|fig|fl|ft|gen|gov|hon|jan|jul|jun|lit|lt|maj|mar|mrs?|"
    r"ms|mt|nos?|nov|oct|op|pp|prof|rep|rev|sec|sen|sept?|sgt|ste?|trans|viz|vols?|vs|(?:[^\W\d_]\.)*[^\W\d_]"
)


def _wikipedia_sentences() -> Iterator[Row]:
    """The paragraphs' sentences; a token that a link touches is in its span, and no sentence ends in a link."""
    for i, (title, _, marked) in enumerate(_wikipedia_paragraphs()):
        text, link = "", []  # link[k]: which link character k is in; 0 for none
        for number, piece in enumerate(marked.split(_MARK)):
            text += piece
            link += [number if number % 2 else 0] * len(piece)
        ends = []
        for found in _END.finditer(text):
            short = _ABBREVIATIONS.fullmatch(found[1].strip("\"'“‘([").lower())
            if not (short or found[2].islower() or link[found.end() - 1]):
                ends.append(found.end())
        for k, (begin, end) in enumerate(zip([0, *ends], [*ends, len(text)], strict=True)):
            tokens, links, last = [], [], 0
            for token in _TOKEN.finditer(text, begin, end):
                number = next(filter(None, link[token.start() : token.end()]), 0)
                tokens.append(token[0])
                links.append("O" if not number else "I" if number == last else "B")
                last = number
            yield {"_id": f"p{i}s{k}", "title": title, "tokens": tokens, "links": links}


def _lines(file: str) -> list[str]:
    return _bundled_path(file).read_text(encoding="latin-1").splitlines()


def _read_lee(split: str) -> list[Row]:
    texts = [line for line in _lines("lee.cor") if line.strip()]
    if split == "corpus":
        return [{"_id": f"d{i}", "title": "", "text": text} for i, text in enumerate(texts)]
    if split == "queries":
        return [{"_id": f"q{i}", "text": text} for i, text in enumerate(texts)]
    numbers = [[float(x) for x in line.split()] for line in _lines("similarities0-1.txt")]
    pairs = [(i, j, numbers[min(i, j)][max(i, j)]) for i in range(50) for j in range(50) if i != j]
    return [{"query-id": f"q{i}", "corpus-id": f"d{j}", "score": round(5 * s) - 1} for i, j, s in pairs]


def _read_lee_background(split: str) -> list[Row]:
    return [{"text": line} for line in _lines("lee_background.cor") if line.strip()]


def _read_word_pairs(file: str, split: str) -> list[Row]:
    pairs = [line.split("\t") for line in _lines(file) if not line.startswith("#")]
    return [{"word1": first, "word2": second, "score": float(score)} for first, second, score in pairs]


def _read_analogies(split: str) -> list[Row]:
    groups = "\n".join(_lines("questions-words.txt")).split(": ")[1:]
    return [
        {"category": name, **dict(zip("abcd", line.split(), strict=True))}
        for name, *questions in map(str.splitlines, groups)
        for line in questions
    ]


def _read_text_lines(path: Path) -> list[Row]:
    return [{"text": line} for line in path.read_text(encoding="utf-8").splitlines()]


def _words(row: Row) -> Row:
    """The words of a CoNLL-U sentence: a contraction ("don't", without a tag) stands there beside its parts."""
    words = [(token, tag) for token, tag in zip(row["tokens"], row["upos"], strict=True) if tag != "_"]
    return {"tokens": [token for token, _ in words], "upos": [tag for _, tag in words]}


# --- the catalogue -----------------------------------------------------------------------------------

_BUNDLED: dict[str, Callable[[str], list[Row]]] = {
    "wikipedia": _read_wikipedia,
    "lee": _read_lee,
    "lee_background": _read_lee_background,
    "analogies": _read_analogies,
}
# Where the hub's columns are not ours.
_CONVERT: dict[str, Callable[[Row], Row]] = {
    "sst2": lambda row: {"sentence": row["text"], "label": row["label"]},
    "conll2003": lambda row: {"tokens": row["tokens"], "pos": row["pos_tags"], "ner": row["ner_tags"]},
    "ud_english_ewt": _words,
    # The hub keeps the end of each line, and leaves a blank line empty.
    "wikitext2": lambda row: {"text": str(row["text"]).rstrip("\n") or " "},
}


def _dataset(
    name: str,
    *,
    columns: dict[str, list[str]] | None = None,
    bundled: str = "",
    file: dict[str, str] | None = None,
    hub: dict[str, Any] | None = None,
    **facts: Any,
) -> Dataset:
    """The entry of a table of catalogue.toml; without ``columns`` it is a retrieval set."""
    splits = {split: tuple(given) for split, given in columns.items()} if columns else RETRIEVAL
    sources: list[Bundled | PublicFile | Hub] = []
    if bundled:
        sources.append(Bundled(_BUNDLED.get(bundled) or partial(_read_word_pairs, bundled)))
    if file:
        sources.append(PublicFile(**file, read=_read_text_lines))
    if hub:
        there = {split: tuple(where) for split, where in hub.pop("splits").items()}
        sources.append(Hub(**hub, splits=there, convert=_CONVERT.get(name, dict)))
    return Dataset(name, splits=splits, sources=tuple(sources), **facts)


CATALOGUE: dict[str, Dataset] = {
    name: _dataset(name, **table)
    for name, table in tomllib.loads((files("labkit") / "catalogue.toml").read_text(encoding="utf-8")).items()
}
