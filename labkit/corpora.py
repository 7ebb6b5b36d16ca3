"""The loading of the catalogue's data sets from the nearest place that has them.

Order: the folder ``LABKIT_DATA``, then the data set's own sources (text bundled with gensim, a public
file at a fixed commit by pooch, the Hugging Face hub by datasets, each with its local cache). Where
none can be had, the bundled data set that the entry names as its stand-in, with one printed line.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from unittest import mock

from labkit.catalogue import (
    CATALOGUE,
    CONVERTED,
    Bundled,
    DataError,
    Dataset,
    DataUnavailable,
    Hub,
    PublicFile,
    Row,
)


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


def load(name: str, split: str) -> list[Row]:
    """Return the rows of one split of data set ``name``, each a dict with the catalogue's columns.

    Raises ValueError for an unknown name or split, DataError for a broken file, for one without rows, and for a public
    file with a wrong checksum (those of a folder of your own are checked by ``verify``), DataUnavailable where no source answers and the entry has no stand-in.
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
        grades, document = qrels.setdefault(str(row["query-id"]), {}), str(row["corpus-id"])
        grade = int(float(str(row["score"])))
        if grades.setdefault(document, grade) != grade:
            raise DataError(
                f"{found}: query {row['query-id']}, document {document} is judged twice, differently"
            )
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
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DataError(
            f"{path} is broken after {len(rows)} rows ({error}); fetch or copy it again"
        ) from error
    if not rows:
        raise DataError(f"{path} has no rows; fetch or copy it again")
    return rows


def _what_is_wrong(row: object, columns: tuple[str, ...]) -> str:
    """Say what keeps ``row`` from being one of a split with ``columns``, or return ""."""
    if not isinstance(row, dict):
        return f"is {row!r:.60}, not an object with the columns {', '.join(columns)}"
    for column in columns:
        if column not in row:
            return f"lacks the column {column!r}"
        value = row[column]
        if column in ("text", "title", "_id", "sentence") and not isinstance(value, str):
            return f"has {value!r:.60} for {column!r}, not a string"
        aligned = isinstance(value, list) and len(value) == len(row.get("tokens", value))
        if column in ("tokens", "links", "pos", "ner", "upos") and not aligned:
            return f"has {value!r:.60} for {column!r}, not a list with one entry for each token"
        if column == "tokens" and not (value and all(isinstance(token, str) for token in value)):
            return f"has {value!r:.60} for 'tokens', not one or more strings"
        if column == "label" and not (type(value) is int or (isinstance(value, str) and value)):
            return f"has the label {value!r:.60}, not an integer or a word"
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
            where = {"data_dir" if source.revision == CONVERTED else "name": configuration}
            table = datasets.load_dataset(source.repository, split=hub_split, revision=commit, **where)
    except (httpx.HTTPError, OSError, errors.HfHubHTTPError, DatasetsError, ValueError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise DataUnavailable(f"{source} did not answer ({type(error).__name__}: {first[:120]})") from error
    if not reached:
        # datasets names the folder of a cached table by its commit; it may hold another than was asked for.
        held = Path(table.cache_files[0]["filename"]).parent.name if table.cache_files else "unknown"
        print(f"{source.repository} {configuration}: no hub; from the local cache, commit {held}")
    lists = {column: getattr(kind, "feature", None) for column, kind in table.features.items()}
    names = {column: kind.names for column, kind in lists.items() if isinstance(kind, datasets.ClassLabel)}
    tagged = ({**row, **{c: [names[c][i] for i in row[c]] for c in names}} for row in table)
    try:
        rows = [{column: row[column] for column in columns} for row in map(source.convert, tagged)]
        wrong = next(filter(None, (_what_is_wrong(row, columns) for row in rows)), "")
    except KeyError as error:
        wrong = f"lacks the column {error}"
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
    """Return one column of ``rows`` as a list of strings; raises ValueError where a row lacks it."""
    rows = list(rows)
    lacking = next((row for row in rows if column not in row), None)
    if lacking is not None:
        raise ValueError(f"a row has no column {column!r}; it has: {', '.join(lacking)}")
    return [str(row[column]) for row in rows]
