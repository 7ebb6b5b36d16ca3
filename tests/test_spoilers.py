"""labkit.spoilers: where reviews come from, files that are broken, the stream's memory, the made-up reviews."""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
from collections import Counter
from importlib.resources import files
from itertools import islice, pairwise

import numpy as np
import pooch
import pytest

from labkit import spoilers
from labkit.catalogue import DataError, DataUnavailable

pytestmark = pytest.mark.hangs_on("labkit/**")

MADE = list(spoilers.made_up(3000))
LINES = (files("labkit") / "spoilers.txt").read_text(encoding="utf-8").splitlines()
LISTS = {name: some for name, *some in (line.split("|") for line in LINES)}
# What is left of a form when the names and verbs are gone: its longest piece.
HALVES = {which: [max(form.split("{}"), key=len) for form in LISTS[which] if len(form) > 8] for which in ("fears", "facts")}  # fmt: skip


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache instead of this machine's."""
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "labkit" / spoilers.FILE


def write(path, rows=MADE[:5]):
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def test_a_file_that_is_named(tmp_path, capsys):
    path = write(tmp_path / "some.json.gz")
    assert list(spoilers.reviews(path)) == MADE[:5]
    assert capsys.readouterr().out == "spoilers: the reviews are from some.json.gz, no checksum known\n"
    assert list(spoilers.reviews(path, limit=2)) == MADE[:2]
    assert list(spoilers.reviews(str(path), limit=9)) == MADE[:5]


def test_the_order_of_sources(tmp_path, monkeypatch, cache, capsys):
    assert list(spoilers.reviews(limit=3)) == MADE[:3]
    assert "MADE UP, as there is no goodreads_reviews_spoiler.json.gz here" in capsys.readouterr().out
    assert sum(1 for _ in spoilers.reviews()) == 3000
    write(cache, MADE[5:6])
    assert list(spoilers.reviews()) == MADE[5:6]
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    assert list(spoilers.reviews()) == MADE[5:6]
    write(tmp_path / "goodreads_spoilers" / "train.jsonl.gz", MADE[7:8])
    capsys.readouterr()
    assert list(spoilers.reviews()) == MADE[7:8]
    assert "from train.jsonl.gz" in capsys.readouterr().out
    assert list(spoilers.reviews(cache)) == MADE[5:6]


def test_folders_and_files_that_are_not_there(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"there is no file .*none\.gz; put the public file"):
        spoilers.reviews(tmp_path / "none.gz")
    with pytest.raises(DataError, match=r"there is no file .*; put the public file"):
        spoilers.reviews(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "some.gz")
    assert list(spoilers.reviews("~/some.gz")) == MADE[:5]
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"LABKIT_DATA is .* not a folder"):
        spoilers.reviews()
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    (tmp_path / "goodreads_spoilers").mkdir()
    with pytest.raises(DataError, match=r"there is no file .*train\.jsonl\.gz;"):
        spoilers.reviews()


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one(limit):
    with pytest.raises(ValueError, match=f"limit is {limit}; give 1 or more"):
        spoilers.reviews(limit=limit)
    with pytest.raises(ValueError, match=f"{limit} reviews of 250 books"):
        next(spoilers.made_up(limit))


@pytest.mark.parametrize("limit", [1.5, float("nan"), "3"])
def test_a_limit_that_is_no_whole_number(limit):
    with pytest.raises(ValueError, match=rf"limit is {limit!r}; give 1 or more, a whole number"):
        spoilers.reviews(limit=limit)


def test_the_download_is_asked_for_and_kept(tmp_path, monkeypatch, cache, capsys):
    asked = []

    def retrieve(url, known_hash, fname, path, progressbar):
        asked.append((url, known_hash))
        write(path / fname, MADE[:1])

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    assert next(spoilers.reviews()) == MADE[0]
    assert not asked, "nothing is fetched unless it is asked for"
    assert list(spoilers.reviews(download=True)) == list(spoilers.reviews(download=True)) == MADE[:1]
    assert asked == [(spoilers.ADDRESS, None)]
    assert "no checksum known" in capsys.readouterr().out


def test_a_download_without_a_network(monkeypatch, cache):
    monkeypatch.setattr(spoilers, "ADDRESS", "http://127.0.0.1:9/none.gz")
    with pytest.raises(DataUnavailable, match=r"no answer from http.* by hand .* leave out download=True"):
        spoilers.reviews(download=True)
    assert not cache.exists()


LAST = MADE[4]


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("{'book_id': 1}", "line 5, is not a JSON object"),
        ("", "line 5, is not a JSON object"),
        ("[1, 2]", "line 5, is not a JSON object"),
        ("null", "line 5, is not a JSON object"),
        ('"user_id, book_id"', "line 5, is not a JSON object"),
        (json.dumps(LAST)[:60], "line 5, is not a JSON object"),
        ("[" * 100_000, "line 5, is not a JSON object"),
        (json.dumps(LAST)[:-1] + ', "n": ' + "9" * 5000 + "}", "line 5, is not a JSON object"),
        (LAST | {"book_id": None}, "line 5, lacks the column 'book_id', or a text in it; mend or remove"),
        (LAST | {"book_id": 17}, "line 5, lacks the column 'book_id', or a text in it"),
        (LAST | {"review_id": [1]}, "line 5, lacks the column 'review_id', or a text in it"),
        ({k: v for k, v in LAST.items() if k != "review_sentences"}, "line 5, lacks the column 'review_sent"),
        ({k: v for k, v in LAST.items() if k != "book_id"}, "line 5, lacks the column 'book_id'"),
        (LAST | {"review_sentences": []}, "line 5, has no sentences in 'review_sentences'; mend or remove"),
        (
            LAST | {"review_sentences": None},
            r"line 5, has None in 'review_sentences', not \[0 or 1, a sentence",
        ),
        (LAST | {"review_sentences": "He dies."}, "line 5, has 'He dies.' in 'review_sentences'"),
        (LAST | {"review_sentences": [[2, "He dies."]]}, r"line 5, has \[2, 'He dies.'\] in"),
        (LAST | {"review_sentences": [["He dies.", 1]]}, r"line 5, has \['He dies.', 1\] in"),
        (LAST | {"review_sentences": [[1]]}, r"line 5, has \[1\] in"),
        (LAST | {"review_sentences": [[1, None]]}, r"line 5, has \[1, None\] in"),
        (LAST | {"review_sentences": [["1", "He dies."]]}, r"line 5, has \['1', 'He dies.'\] in"),
        (LAST | {"review_sentences": {}}, r"line 5, has \{\} in 'review_sentences'"),
    ],
)
def test_bad_records(tmp_path, last, message):
    path = write(tmp_path / "bad.gz", [*MADE[:4], last])
    stream = spoilers.reviews(path)
    assert [next(stream) for _ in range(4)] == MADE[:4]
    with pytest.raises(DataError, match=rf"bad\.gz, {message}"):
        next(stream)


def test_reviews_without_sentences_are_left_out_on_demand(tmp_path):
    path = write(tmp_path / "some.gz", [MADE[0], LAST | {"review_sentences": []}, MADE[1]])
    assert list(spoilers.reviews(path, skip=True)) == MADE[:2]
    write(path, [MADE[0], LAST | {"review_sentences": [[1]]}])
    with pytest.raises(DataError, match="line 2"):
        list(spoilers.reviews(path, skip=True))
    for wrong in ({"book_id": None}, {"review_sentences": None}):
        write(path, [MADE[0], LAST | {"review_sentences": []} | wrong])
        with pytest.raises(DataError, match="line 2"):
            list(spoilers.reviews(path, skip=True))
    write(path, [LAST | {"review_sentences": []}] * 3)
    with pytest.raises(DataError, match=r"some\.gz is empty, or no review has sentences; put the"):
        list(spoilers.reviews(path, skip=True))


def test_broken_files(tmp_path):
    path = write(tmp_path / "cut.gz", MADE[:1000])
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    read = []
    with pytest.raises(
        DataError, match=r"cut\.gz is broken after \d+ records .*fetch or copy it again"
    ) as error:
        read.extend(spoilers.reviews(path))  # what came before the error is kept
    assert f"after {len(read)} records" in str(error.value)
    assert len(read) > 100
    whole = gzip.compress("".join(json.dumps(row) + "\n" for row in MADE[:5]).encode())
    for content in (whole[:-1], whole[:-6] + bytes([whole[-6] ^ 255]) + whole[-5:], whole + b"garbage"):
        path.write_bytes(content)  # the end is missing, the checksum is wrong, there is more than a gzip file
        assert list(spoilers.reviews(path, limit=5)) == MADE[:5]
        with pytest.raises(DataError, match="broken after 5 records"):
            list(spoilers.reviews(path))
    for content in (b"this is no gzip file\n", b"\x1f", whole[:5], gzip.compress(b"\xff\xfe\n")):
        path.write_bytes(content)
        with pytest.raises(DataError, match="broken after 0 records"):
            list(spoilers.reviews(path))
    for content in (b"", gzip.compress(b"")):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"cut\.gz is empty"):
            list(spoilers.reviews(path))


def test_a_large_file_is_read_in_little_memory(tmp_path):
    block = "".join(json.dumps(row) + "\n" for row in MADE[:500]).encode()
    repeats = 50_000_000 // len(block) + 1
    with gzip.open(tmp_path / "large.gz", "wb", compresslevel=1) as stream:
        for _ in range(repeats):
            stream.write(block)
    tracemalloc.start()
    try:
        count = sum(1 for _ in spoilers.reviews(tmp_path / "large.gz"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 500 * repeats
    assert peak < 3_000_000, f"{peak:,} bytes for a file of {repeats * len(block):,}"


def test_a_line_without_an_end_is_read_in_little_memory(tmp_path):
    with gzip.open(tmp_path / "long.gz", "wb", compresslevel=1) as stream:
        for _ in range(60):
            stream.write(b" " * 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"long\.gz, line 1, is not a JSON object"):
            next(spoilers.reviews(tmp_path / "long.gz"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000, f"{peak:,} bytes"


def test_made_up_reviews_have_the_files_columns_and_no_randomness_of_their_own():
    assert all(tuple(row) == spoilers.COLUMNS for row in MADE)
    assert list(islice(spoilers.made_up(9000), 3000)) == MADE
    assert list(spoilers.made_up(3000, seed=2)) != MADE
    assert {row["book_id"] for row in spoilers.made_up(200, books=3)} == {f"made-up-{i}" for i in range(3)}
    assert all(row["has_spoiler"] == any(label for label, _ in row["review_sentences"]) for row in MADE)
    assert len({row["review_id"] for row in MADE}) == 3000


WORLDS = [MADE, *(list(spoilers.made_up(3000, seed=seed)) for seed in (2, 3))]


def flat(rows):
    """Arrays of a table with one sentence a row: text, names covered, label, place, book, review."""
    names = re.compile(r"(?<=[a-z,;] )(?!I\b)[A-Z]\w+")
    inner = {name for row in rows for _, text in row["review_sentences"] for name in names.findall(text)}

    def cover(text):
        return re.sub(r"\w+", lambda word: "NAME" if word[0] in inner else word[0], text)

    table = [
        (text, cover(text), label, (i + 0.5) / len(row["review_sentences"]), row["book_id"], row["review_id"])
        for row in rows
        for i, (label, text) in enumerate(row["review_sentences"])
    ]
    return [np.array(column) for column in zip(*table, strict=True)]


def test_made_up_spoilers_are_few_late_and_in_runs():
    for rows in WORLDS:  # seeds 1 to 10: 2.7 to 3.7 % of the sentences, 6.9 to 9.0 % of the reviews
        labels = [[label for label, _ in row["review_sentences"]] for row in rows]
        assert 0.02 < np.mean(np.concatenate(labels)) < 0.045
        assert 0.055 < np.mean([row["has_spoiler"] for row in rows]) < 0.1
        assert 4 < np.mean([sum(said) for said in labels if any(said)]) < 6
        places = [i / len(said) for said in labels for i, label in enumerate(said) if label]
        assert 0.6 < np.mean(places) < 0.75
        assert 0.08 < np.mean(np.array(places) < 0.5) < 0.3, "the place must not decide"
        after = [b for said in labels for a, b in pairwise(said) if a]
        assert np.mean(after) > 0.6
        for unit, spread in (("book_id", 0.04), ("user_id", 0.02)):  # beyond the luck of the draw
            spoiled = {}
            for row in rows:
                spoiled.setdefault(row[unit], []).append(row["has_spoiler"])
            shares = np.array([(np.mean(them), len(them)) for them in spoiled.values() if len(them) >= 15])
            luck = np.mean(shares[:, 0]) * (1 - np.mean(shares[:, 0])) * np.mean(1 / shares[:, 1])
            assert np.var(shares[:, 0]) > luck + spread**2, f"{unit}: {np.std(shares[:, 0])}, {luck**0.5}"


def test_no_form_of_a_made_up_sentence_gives_the_label_away():
    found, marked = Counter(), Counter()
    for _, covered, labels, places, _, _ in map(flat, WORLDS):
        for text, label, place in zip(covered, labels, places, strict=True):
            forms = {f"place {int(10 * place)}", *re.findall(r"\w+", text.lower())}
            forms |= {f"{end}, {kind}" for end in LISTS["start"] + LISTS["end"] if end in text.lower()
                      for kind in ("fear", "fact") if any(f in text for f in HALVES["fears"]) == (kind == "fear")}  # fmt: skip
            forms |= {form for forms in HALVES.values() for form in forms if form in text}
            found.update(forms)
            marked.update(forms if label else ())
    shares = {form: marked[form] / n for form, n in found.items() if n >= 200 * len(WORLDS)}
    assert len(shares) > 150
    assert min(shares.values()) > 0, min(shares, key=shares.get)
    assert max(shares.values()) < 0.6, max(shares, key=shares.get)


def test_most_made_up_sentences_of_new_books_are_new():
    for _, covered, _, _, books, _ in map(flat, WORLDS):
        train = np.isin(books, np.unique(books)[::2])
        assert np.isin(covered[~train], covered[train]).mean() < 1 / 3


def test_words_help_and_books_that_leak_help_more():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    texts, _, labels, places, books, reviews = flat(MADE)

    def scored(groups, seed):
        names = np.random.default_rng(seed).permutation(np.unique(groups))
        test = np.isin(groups, names[: len(names) // 5])
        leaks = bool({*books[test]} & {*books[~test]})
        assert leaks == (groups is reviews), "by reviews books are on two sides, by books none is"
        tfidf = TfidfVectorizer(sublinear_tf=True)
        model = LogisticRegression(C=10, max_iter=1000)
        model.fit(tfidf.fit_transform(texts[~test]), labels[~test])
        return roc_auc_score(labels[test], model.decision_function(tfidf.transform(texts[test])))

    fair, leaky = (np.array([scored(groups, seed) for seed in range(3)]) for groups in (books, reviews))
    assert ((fair > 0.65) & (fair < 0.85)).all(), fair
    assert leaky.mean() > fair.mean() + 0.02, (fair, leaky)
    assert roc_auc_score(labels, places) < 0.8
