"""The catalogue of data sets, and the loading of them from the nearest place that has them.

Order: the folder ``LABKIT_DATA``, then the data set's own sources (text bundled with gensim, a public
file at a fixed commit by pooch, the Hugging Face hub by datasets, each with its local cache). Where
none can be had, the bundled data set that the entry names as its stand-in, with one printed line.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import json
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from unittest import mock

Row = dict[str, object]

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
    """A data set of the Hugging Face hub: configuration and split on the hub for each of our splits."""

    repository: str
    revision: str
    splits: dict[str, tuple[str, str]]

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


@dataclass(frozen=True)
class Retrieval:
    """A test collection: documents, queries, and graded judgments by query id and document id.

    Raises ValueError where a judgment names a query or a document that is not in the collection.
    """

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.documents:
            raise ValueError(f"collection {self.name!r} has no documents")
        for query, grades in self.qrels.items():
            if query not in self.queries:
                raise ValueError(f"collection {self.name!r}: judgments for unknown query {query!r}")
            for document in grades:
                if document not in self.documents:
                    raise ValueError(
                        f"collection {self.name!r}: query {query!r} has a judgment of unknown document "
                        f"{document!r}"
                    )


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


@lru_cache(maxsize=1)
def _wikipedia_paragraphs() -> tuple[tuple[str, str, str], ...]:
    from gensim.corpora import wikicorpus

    dump = _bundled_path("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
    rows = []
    with bz2.open(dump, "rb") as stream:
        for title, markup, _ in wikicorpus.extract_pages(stream, ("0",)):
            if markup.lstrip().lower().startswith("#redirect"):
                continue
            section = ""
            for raw in wikicorpus.filter_wiki(markup).splitlines():
                line = re.sub(r"'{2,}", "", raw).strip()
                heading = re.fullmatch(r"=+\s*(.*?)\s*=+", line)
                if heading:
                    section = heading[1]
                elif _PROSE.match(line) and len(re.findall(r"\w+", line)) >= 8:
                    rows.append((title, section, line))
    return tuple(rows)


def _read_wikipedia(split: str) -> list[Row]:
    return [
        {"_id": f"p{i}", "title": title, "section": section, "text": text}
        for i, (title, section, text) in enumerate(_wikipedia_paragraphs())
    ]


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


def _read_text_lines(path: Path) -> list[Row]:
    return [{"text": line} for line in path.read_text(encoding="utf-8").splitlines()]


# --- the catalogue -----------------------------------------------------------------------------------

_MTEB = "revision as pinned in MTEB's source code; not resolved by us"
_LEE = (
    "Lee, Pincombe and Welsh (2005), An empirical evaluation of models of text document similarity, "
    "Proceedings of the Cognitive Science Society 27"
)


def _beir(name: str, title: str, license: str, size: str, citation: str, revision: str) -> Dataset:
    hub = Hub(
        f"mteb/{name}",
        revision,
        {
            "corpus": ("corpus", "corpus"),
            "queries": ("queries", "queries"),
            "qrels_test": ("default", "test"),
        },
    )
    return Dataset(name, title, license, size, citation, RETRIEVAL, (hub,), stand_in="lee", note=_MTEB)


CATALOGUE: dict[str, Dataset] = {
    entry.name: entry
    for entry in (
        Dataset(
            "wikipedia",
            "Paragraphs of English Wikipedia articles (titles A)",
            "CC BY-SA 3.0 / GFDL (Wikipedia)",
            "5,635 paragraphs of 103 articles, 2.6 MB of text",
            "Wikipedia contributors; the slice that gensim uses in its tests",
            {"paragraphs": ("_id", "title", "section", "text")},
            (Bundled(_read_wikipedia),),
        ),
        Dataset(
            "lee",
            "Lee's 50 news items with human judgments of every pair",
            "not stated by its authors; shipped with gensim (LGPL 2.1)",
            "50 documents, 2,450 judgments, 33 kB",
            _LEE,
            RETRIEVAL,
            (Bundled(_read_lee),),
            note="every document is a query for the other 49; grade = the mean human rating (1 to 5, stored as a fifth) "
            "rounded, minus 1",
        ),
        Dataset(
            "lee_background",
            "Lee's background corpus of news items",
            "not stated by its authors; shipped with gensim (LGPL 2.1)",
            "300 documents, 360 kB",
            _LEE,
            {"train": ("text",)},
            (Bundled(_read_lee_background),),
        ),
        _beir(
            "scifact",
            "SciFact in BEIR's form: scientific claims and the abstracts that settle them",
            "claims CC BY 4.0, abstracts ODC-By 1.0",
            "5,183 documents, 300 judged test queries",
            "Wadden et al. (2020), Fact or Fiction: Verifying Scientific Claims, EMNLP; Thakur et al. (2021), BEIR",
            "0228b52cf27578f30900b9e5271d331663a030d7",
        ),
        _beir(
            "nfcorpus",
            "NFCorpus in BEIR's form: questions of lay people, medical articles",
            "not verified; see the hub's page",
            "3,633 documents, 323 judged test queries (as BEIR states)",
            "Boteva et al. (2016), A Full-Text Learning to Rank Dataset for Medical Information Retrieval, ECIR",
            "ec0fa4fe99da2ff19ca1214b7966684033a58814",
        ),
        Dataset(
            "cranfield",
            "Cranfield 1400: abstracts on aerodynamics, with graded judgments",
            "not stated; local only, we name no public address for it",
            "1,400 documents, 225 queries, 1,837 judgments",
            "Cleverdon (1967), The Cranfield tests on index language devices, Aslib Proceedings 19(6)",
            RETRIEVAL,
            stand_in="lee",
        ),
        Dataset(
            "tinyshakespeare",
            "Forty thousand lines of Shakespeare",
            "MIT (repository); the text is in the public domain",
            "40,000 lines, 1.1 MB",
            "Karpathy (2015), The Unreasonable Effectiveness of Recurrent Neural Networks",
            {"train": ("text",)},
            (
                PublicFile(
                    "https://raw.githubusercontent.com/karpathy/char-rnn/"
                    "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/input.txt",
                    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
                    _read_text_lines,
                ),
            ),
        ),
    )
}


# --- loading -----------------------------------------------------------------------------------------


def load(name: str, split: str) -> list[Row]:
    """Return the rows of one split of data set ``name``, each a dict with the catalogue's columns.

    Raises ValueError for an unknown name or split, DataError for a broken file or a wrong checksum,
    DataUnavailable where no source answers and the entry has no stand-in.
    """
    return _with_stand_in(name, (split,))[1][split]


def retrieval(name: str, *, split: str = "test") -> Retrieval:
    """Return data set ``name`` as a test collection; title and text of a document become one text.

    Only queries with a judgment are kept. Raises what ``load`` raises, and ValueError for a data set
    that is not a test collection. All parts come from one data set: never a mixture with a stand-in.
    """
    judged = f"qrels_{split}"
    entry = _entry(name)
    if "corpus" not in entry.splits:
        raise ValueError(
            f"{name!r} has no queries and judgments; test collections: {', '.join(_collections())}"
        )
    found, parts = _with_stand_in(name, ("corpus", "queries", judged))
    documents = {str(r["_id"]): f"{r['title']} {r['text']}".strip() for r in parts["corpus"]}
    for part in ("corpus", "queries"):
        if len({row["_id"] for row in parts[part]}) < len(parts[part]):
            raise DataError(f"{found}: an _id occurs twice in its {part}")
    qrels: dict[str, dict[str, int]] = {}
    for row in parts[judged]:
        qrels.setdefault(str(row["query-id"]), {})[str(row["corpus-id"])] = int(float(str(row["score"])))
    queries = {str(r["_id"]): str(r["text"]) for r in parts["queries"] if str(r["_id"]) in qrels}
    return Retrieval(found, documents, queries, qrels)


def fetch(name: str, folder: str | Path) -> list[Path]:
    """Write every split of ``name`` under ``folder`` in the local form, with a sha256 list; return the paths.

    The data set lands whole or not at all. Nothing is written from a stand-in. Raises what ``load`` raises,
    and DataError where ``folder`` has the data set already.
    """
    entry = _entry(name)
    target = Path(folder) / name
    if target.exists():
        raise DataError(f"{target} exists; remove it first, or fetch into another folder")
    splits = _read_all(entry, tuple(entry.splits))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}-") as temporary:
        new = Path(temporary) / name
        new.mkdir()
        for split, rows in splits.items():
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (new / f"{split}.jsonl.gz").write_bytes(gzip.compress(lines.encode("utf-8"), mtime=0))
        sums = "".join(f"{_sha256(path)}  {path.name}\n" for path in sorted(new.iterdir()))
        (new / "SHA256SUMS").write_text(sums)
        new.replace(target)
    return [target / f"{split}.jsonl.gz" for split in splits]


def verify(folder: str | Path) -> Iterator[tuple[str, str]]:
    """Check every data set of the catalogue that lies under ``folder``; yield (file, "" or what is wrong).

    Rows and columns are always checked, the sha256 where the data set has a file SHA256SUMS.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; set LABKIT_DATA, or name the folder to check")
    for entry in CATALOGUE.values():
        if not (folder / entry.name).is_dir():
            continue
        sums = folder / entry.name / "SHA256SUMS"
        found = re.findall(r"^([0-9a-f]{64})  (\S+)$", sums.read_text(), re.M) if sums.is_file() else []
        listed = {file: digest for digest, file in found}
        if sums.is_file() and not listed:
            yield str(sums), "it lists no sha256; fetch the data set again"
        for split in entry.splits:
            path = folder / entry.name / f"{split}.jsonl.gz"
            try:
                _read_local(folder, entry, split)
                wrong = listed.get(path.name, "") not in ("", _sha256(path))
                yield str(path), f"its sha256 is not the one in {sums}; fetch it again" if wrong else ""
            except DataError as error:
                yield str(path), str(error)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _entry(name: str) -> Dataset:
    if name not in CATALOGUE:
        raise ValueError(f"no data set {name!r} in the catalogue; there are: {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def _collections() -> list[str]:
    return [name for name, entry in CATALOGUE.items() if "corpus" in entry.splits]


def _with_stand_in(name: str, splits: tuple[str, ...]) -> tuple[str, dict[str, list[Row]]]:
    entry = _entry(name)
    for split in splits:
        if split not in entry.splits:
            raise ValueError(f"{name!r} has no split {split!r}; there are: {', '.join(entry.splits)}")
    try:
        return name, _read_all(entry, splits)
    except DataUnavailable as error:
        if entry.stand_in is None:
            raise
        print(f"{error}\nUsing {entry.stand_in!r} in its place: {CATALOGUE[entry.stand_in].title}.")
        return entry.stand_in, _read_all(CATALOGUE[entry.stand_in], splits)


def _read_all(entry: Dataset, splits: tuple[str, ...]) -> dict[str, list[Row]]:
    """Read all ``splits`` from the first source that has them."""
    failures = []
    local = os.environ.get("LABKIT_DATA")
    if local:
        if not Path(local).is_dir():
            raise DataError(f"LABKIT_DATA is {local!r}, which is not a folder; mend the path or unset it")
        if (Path(local) / entry.name).is_dir():
            return {split: _read_local(Path(local), entry, split) for split in splits}
        failures.append(f"no folder {entry.name} in LABKIT_DATA")
    for source in entry.sources:
        try:
            return {split: _read_source(source, split, entry.splits[split]) for split in splits}
        except DataUnavailable as error:
            failures.append(str(error))
    raise DataUnavailable(
        f"{entry.name} could not be had ({'; '.join(failures) or 'it has no public source'}). Connect to the "
        f"network, or put it into a folder and set LABKIT_DATA (`labkit data fetch {entry.name}` makes one)."
    )


def _read_local(folder: Path, entry: Dataset, split: str) -> list[Row]:
    path = folder / entry.name / f"{split}.jsonl.gz"
    if not path.is_file():
        raise DataError(
            f"{path} is missing; add it, or remove the folder {path.parent} to use another source"
        )
    rows: list[Row] = []
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                rows.append(json.loads(line))
                wrong = _what_is_wrong(rows[-1], entry.splits[split])
                if wrong:
                    raise DataError(f"{path}, line {number}, {wrong}; mend it, or fetch or copy it again")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DataError(
            f"{path} is broken after {len(rows)} rows ({error}); fetch or copy it again"
        ) from error
    return rows


def _what_is_wrong(row: object, columns: tuple[str, ...]) -> str:
    """Say what keeps ``row`` from being one of a split with ``columns``, or return ""."""
    if not isinstance(row, dict):
        return f"is {row!r:.60}, not an object with the columns {', '.join(columns)}"
    for column in columns:
        if column not in row:
            return f"lacks the column {column!r}"
        value = row[column]
        if column in ("text", "title", "_id") and not isinstance(value, str):
            return f"has {value!r:.60} for {column!r}, not a string"
        # Some keep their grades as floats: 1.0 is a grade, 0.5 is none.
        if column == "score" and "corpus-id" in columns and not _is_grade(value):
            return f"has the grade {value!r:.60}, not an integer of 0 or more"
    return ""


def _is_grade(value: object) -> bool:
    return type(value) in (int, float) and value >= 0 and value % 1 == 0  # type() leaves out True and False


def _read_source(source: Bundled | PublicFile | Hub, split: str, columns: tuple[str, ...]) -> list[Row]:
    if isinstance(source, Bundled):
        return source.read(split)
    if isinstance(source, PublicFile):
        return _read_public(source)
    return _read_hub(source, split, columns)


def _read_public(source: PublicFile) -> list[Row]:
    import pooch
    import requests

    try:
        path = pooch.retrieve(
            source.url, f"sha256:{source.sha256}", path=pooch.os_cache("labkit"), progressbar=True
        )
    except requests.RequestException as error:
        raise DataUnavailable(f"no answer from {source.url} ({type(error).__name__})") from error
    except ValueError as error:
        raise DataError(
            f"{source.url} does not have the sha256 {source.sha256} that the catalogue lists; nothing was kept. "
            "Try again later, or report it"
        ) from error
    return source.read(Path(path))


def _read_hub(source: Hub, split: str, columns: tuple[str, ...]) -> list[Row]:
    import datasets
    import httpx
    from datasets.exceptions import DatasetsError
    from huggingface_hub import constants, errors

    configuration, hub_split = source.splits[split]
    try:
        commit, reached = _resolve(source.repository, source.revision), True
    except Exception:  # any failure to reach the hub: its local cache may still have the data
        commit, reached = source.revision, False
    try:
        with contextlib.ExitStack() as stack:
            if not reached:  # ask the cache only; the libraries would retry the network for half a minute
                stack.enter_context(mock.patch.object(constants, "HF_HUB_OFFLINE", True))
                stack.enter_context(mock.patch.object(datasets.config, "HF_HUB_OFFLINE", True))
            table = datasets.load_dataset(source.repository, configuration, split=hub_split, revision=commit)
    except (httpx.HTTPError, OSError, errors.HfHubHTTPError, DatasetsError, ValueError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise DataUnavailable(f"{source} did not answer ({type(error).__name__}: {first[:120]})") from error
    if not reached:
        # datasets names the folder of a cached table by its commit; it may hold another than was asked for.
        held = Path(table.cache_files[0]["filename"]).parent.name if table.cache_files else "unknown"
        print(f"{source.repository} {configuration}: no hub; from the local cache, commit {held}")
    rows = [dict(row) for row in table]
    wrong = next(filter(None, (_what_is_wrong(row, columns) for row in rows)), "")
    if wrong:
        raise DataError(f"{source}, {configuration}: a row {wrong}; the hub's form of this set has changed")
    return rows


@lru_cache(maxsize=64)
def _resolve(repository: str, revision: str) -> str:
    """Ask the hub which commit ``revision`` is, and print it once."""
    from huggingface_hub import HfApi

    commit = str(HfApi().dataset_info(repository, revision=revision, timeout=10).sha)
    print(f"{repository} at {commit} (hub)")
    return commit


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def texts(rows: Iterable[Row], column: str = "text") -> list[str]:
    """Return one column of ``rows`` as a list of strings."""
    return [str(row[column]) for row in rows]
