"""The catalogue of data sets: what each is, where it comes from, and how its text is read."""

from __future__ import annotations

import bz2
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

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
def _wikipedia_paragraphs() -> tuple[tuple[str, str, str], ...]:
    """Title, section and text of each paragraph, the text with its links between marks."""
    from gensim.corpora import wikicorpus

    dump = _bundled_path("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
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
                    rows.append((title, section, marked))
    return tuple(rows)


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

_LEE = (
    "Lee, Pincombe and Welsh (2005), An empirical evaluation of models of text document similarity, "
    "Proceedings of the Cognitive Science Society 27"
)
_THREE = ("train", "validation", "test")


def _beir(name: str, title: str, license: str, size: str, citation: str, revision: str) -> Dataset:
    parts = {
        "corpus": ("corpus", "corpus"),
        "queries": ("queries", "queries"),
        "qrels_test": ("default", "test"),
    }
    note = "revision as pinned in MTEB's source code; not resolved by us"
    hub = Hub(f"mteb/{name}", revision, parts)
    return Dataset(name, title, license, size, citation, RETRIEVAL, (hub,), stand_in="lee", note=note)


# A table: name, title, license, size / citation / splits and columns, sources / note.
# fmt: off
_ENTRIES = (
    Dataset(
        "wikipedia", "Paragraphs of English Wikipedia articles (titles A)", "CC BY-SA 3.0 / GFDL (Wikipedia)",
        "5,635 paragraphs (18,686 sentences) of 103 articles, 2.6 MB of text",
        "Wikipedia contributors; the slice that gensim uses in its tests",
        {"paragraphs": ("_id", "title", "section", "text"), "sentences": ("_id", "title", "tokens", "links")},
        (Bundled(_read_wikipedia),), note="links: the spans of links to other articles, as tags B, I and O",
    ),
    Dataset(
        "lee", "Lee's 50 news items with human judgments of every pair",
        "not stated by its authors; shipped with gensim (LGPL 2.1)", "50 documents, 2,450 judgments, 33 kB",
        _LEE, RETRIEVAL, (Bundled(_read_lee),),
        note="every document is a query for the other 49; grade = the mean human rating (1 to 5, stored as a fifth) "
        "rounded, minus 1",
    ),
    Dataset(
        "lee_background", "Lee's background corpus of news items",
        "not stated by its authors; shipped with gensim (LGPL 2.1)", "300 documents, 360 kB",
        _LEE, {"train": ("text",)}, (Bundled(_read_lee_background),),
    ),
    _beir(
        "scifact", "SciFact in BEIR's form: scientific claims and the abstracts that settle them",
        "claims CC BY 4.0, abstracts ODC-By 1.0", "5,183 documents, 300 judged test queries",
        "Wadden et al. (2020), Fact or Fiction: Verifying Scientific Claims, EMNLP; Thakur et al. (2021), BEIR",
        "0228b52cf27578f30900b9e5271d331663a030d7",
    ),
    _beir(
        "nfcorpus", "NFCorpus in BEIR's form: questions of lay people, medical articles",
        "not verified; see the hub's page", "3,633 documents, 323 judged test queries (as BEIR states)",
        "Boteva et al. (2016), A Full-Text Learning to Rank Dataset for Medical Information Retrieval, ECIR",
        "ec0fa4fe99da2ff19ca1214b7966684033a58814",
    ),
    Dataset(
        "cranfield", "Cranfield 1400: abstracts on aerodynamics, with graded judgments",
        "not stated; local only, we name no public address for it", "1,400 documents, 225 queries, 1,837 judgments",
        "Cleverdon (1967), The Cranfield tests on index language devices, Aslib Proceedings 19(6)",
        RETRIEVAL, stand_in="lee",
    ),
    Dataset(
        "tinyshakespeare", "Forty thousand lines of Shakespeare",
        "MIT (repository); the text is in the public domain", "40,000 lines, 1.1 MB",
        "Karpathy (2015), The Unreasonable Effectiveness of Recurrent Neural Networks",
        {"train": ("text",)}, (PublicFile(
            "https://raw.githubusercontent.com/karpathy/char-rnn/"
            "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/input.txt",
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed", _read_text_lines,
        ),),
    ),
    Dataset(
        "wordsim353", "WordSim-353: pairs of words, and how related people find them (0 to 10)",
        "not verified; shipped with gensim (LGPL 2.1)", "353 pairs",
        "Finkelstein et al. (2002), Placing Search in Context: The Concept Revisited, ACM TOIS 20(1)",
        {"test": ("word1", "word2", "score")}, (Bundled(partial(_read_word_pairs, "wordsim353.tsv")),),
        note="one pair (money, cash) is there twice, as in the original",
    ),
    Dataset(
        "simlex999", "SimLex-999: pairs of words, and how similar people find them (0 to 10)",
        "not verified; shipped with gensim (LGPL 2.1)", "999 pairs",
        "Hill, Reichart and Korhonen (2015), SimLex-999: Evaluating Semantic Models with (Genuine) Similarity "
        "Estimation, Computational Linguistics 41(4)",
        {"test": ("word1", "word2", "score")}, (Bundled(partial(_read_word_pairs, "simlex999.txt")),),
    ),
    Dataset(
        "analogies", "Google's analogy questions: a is to b as c is to d",
        "not verified; shipped with gensim (LGPL 2.1)", "19,544 questions in 14 categories",
        "Mikolov et al. (2013), Efficient Estimation of Word Representations in Vector Space, arXiv:1301.3781",
        {"test": ("category", "a", "b", "c", "d")}, (Bundled(_read_analogies),),
    ),
    Dataset(
        "sst2", "SST-2: sentences of film reviews, positive (1) or negative (0)",
        "not stated", "6,920 / 872 / 1,821 sentences",
        "Socher et al. (2013), Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank, EMNLP",
        dict.fromkeys(_THREE, ("sentence", "label")), (Hub(
            "SetFit/sst2", "00ea8ccb7a54b4e3780a3e51aa3f80361ff849c0", {s: ("default", s) for s in _THREE},
            lambda row: {"sentence": row["text"], "label": row["label"]},
        ),),
        note="whole sentences, with the labels of the test split; GLUE's form has phrases and hides them",
    ),
    Dataset(
        "conll2003", "CoNLL-2003: English news with part-of-speech tags and named entities, as BIO tags",
        "not stated; the news text is Reuters's, licensed for research", "14,041 / 3,250 / 3,453 sentences",
        "Tjong Kim Sang and De Meulder (2003), Introduction to the CoNLL-2003 Shared Task, CoNLL",
        dict.fromkeys(_THREE, ("tokens", "pos", "ner")), (Hub(
            "eriktks/conll2003", CONVERTED, {s: ("conll2003", s) for s in _THREE},
            lambda row: {"tokens": row["tokens"], "pos": row["pos_tags"], "ner": row["ner_tags"]},
        ),),
        note="the revision is the hub's own conversion to Parquet; its commit was not verified, and is printed",
    ),
    Dataset(
        "ud_english_ewt", "English Web Treebank of Universal Dependencies: web text with universal parts of speech",
        "CC BY-SA 4.0", "12,544 / 2,001 / 2,077 sentences",
        "Silveira et al. (2014), A Gold Standard Dependency Corpus for English, LREC",
        dict.fromkeys(_THREE, ("tokens", "upos")), (Hub(
            "universal-dependencies/universal_dependencies", CONVERTED,
            {s: ("en_ewt", s) for s in _THREE}, _words,
        ),),
        note="the hub's is an older release, whose commit was not verified, and is printed",
    ),
    Dataset(
        "wikitext2", "WikiText-2: good and featured articles of Wikipedia, in tokens, rare words as <unk>",
        "CC BY-SA 3.0 / GFDL, as its page on the hub states", "36,718 / 3,760 / 4,358 lines",
        "Merity et al. (2016), Pointer Sentinel Mixture Models, arXiv:1609.07843",
        dict.fromkeys(_THREE, ("text",)), (Hub(
            "Salesforce/wikitext", "b08601e04326c79dfdd32d625aee71d232d685c3",
            {s: ("wikitext-2-v1", s) for s in _THREE},
            # The hub keeps the end of each line, and leaves a blank line empty.
            lambda row: {"text": str(row["text"]).rstrip("\n") or " "},
        ),),
        note="one row is one line of the original file: a heading, a paragraph, or a blank",
    ),
)
# fmt: on
CATALOGUE: dict[str, Dataset] = {entry.name: entry for entry in _ENTRIES}
