from __future__ import annotations

import bz2
import functools
import gzip
import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from xml.sax.saxutils import escape

import datasets
import pooch
import pytest

from labkit import catalogue, corpora
from labkit.course.cli import main
from tests.conftest import ROOT
from tests.hub import COMMIT, serve

pytestmark = pytest.mark.hangs_on("labkit/**")

JSON = {
    "corpus": [{"_id": "1", "title": "A", "text": "cats"}, {"_id": "2", "title": "", "text": "dogs"}],
    "queries": [{"_id": "q1", "text": "cat"}, {"_id": "q2", "text": "unjudged"}],
    "qrels_test": [{"query-id": "q1", "corpus-id": "1", "score": 2}],
}


def lines(rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A LABKIT_DATA folder with a tiny scifact."""
    (tmp_path / "scifact").mkdir()
    for split, rows in JSON.items():
        (tmp_path / "scifact" / f"{split}.jsonl.gz").write_bytes(gzip.compress(lines(rows)))
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    return tmp_path


# --- the catalogue and the bundled text


def test_every_entry_says_what_it_must():
    for name, entry in corpora.CATALOGUE.items():
        assert entry.name == name
        assert all((entry.title, entry.license, entry.size, entry.citation, entry.splits))
        assert entry.stand_in is None or corpora.CATALOGUE[entry.stand_in].splits == entry.splits
        for source in entry.sources:
            if isinstance(source, corpora.PublicFile):
                assert len(source.sha256) == 64
                assert any(len(part) == 40 for part in source.url.split("/")), (
                    f"{name} is not pinned to a commit"
                )
            if isinstance(source, corpora.Hub):
                assert set(source.splits) == set(entry.splits)
                # A branch of the hub's, whose commit is printed at run time, or a commit that was verified.
                branch = source.revision in ("main", "refs/convert/parquet")
                assert branch or re.fullmatch("[0-9a-f]{40}", source.revision)
                assert not branch or "not verified" in entry.note


def test_wikipedia_is_prose_with_titles_and_sections():
    rows = corpora.load("wikipedia", "paragraphs")
    assert len(rows) == 5635
    assert len({row["title"] for row in rows}) == 103
    assert [row["_id"] for row in rows[:2]] == ["p0", "p1"]
    text = "\n".join(corpora.texts(rows))
    for markup in ("[[", "]]", "{{", "<ref", "'''", "\n==", "\n* ", "\nFile:"):
        assert markup not in text
    assert rows[0]["title"] == "Anarchism"
    assert str(rows[0]["text"]).startswith(
        "Anarchism is a political philosophy that advocates self-governed societies"
    )


def test_sentences_are_the_paragraphs_prose_with_their_links():
    rows = corpora.load("wikipedia", "sentences")
    assert len(rows) == len({row["_id"] for row in rows}) == 18_686
    joined: dict[str, str] = {}
    spans = inside = 0
    for row in rows:
        paragraph = row["_id"].split("s")[0]
        joined[paragraph] = joined.get(paragraph, "") + "".join(row["tokens"])
        assert len(row["tokens"]) == len(row["links"]) > 0
        assert "OI" not in "".join(["O", *row["links"]])
        spans += row["links"].count("B")
        inside += len(row["links"]) - row["links"].count("O")
    for row in corpora.load("wikipedia", "paragraphs"):
        assert joined.pop(row["_id"]) == re.sub(r"\s", "", row["text"])
    assert not joined
    tokens = sum(len(row["tokens"]) for row in rows)
    assert (tokens, spans, inside) == (471_872, 19_637, 37_651)
    first = " ".join(map("/".join, zip(rows[0]["tokens"], rows[0]["links"], strict=True)))
    assert first.startswith(
        "Anarchism/O is/O a/O political/B philosophy/I that/O advocates/O self-governed/B"
    )


MARKUP = """
'''Ada''' met [[Charles Babbage|Mr. Babbage]]'s [[engine]]s in the U.S.<ref>[[Paper]]. Not here.</ref> in May 1833. She
[[File:Ada.jpg|thumb|A [[portrait]] that Chalon painted. It hangs in London today.]]
Dr. King and J. R. King wrote ''[[Note G|"Note G. The end"]]'' for 1,000.5 pounds (e.g. by hand!). Is "it" '[[poetry|''art'']]'? Yes, it is.
It is in [[wikt:ada|a dictionary]], [[:Category:Women|a category]] and [[Star Trek: The Movie]], {{lang|fr|[[Paris]]}} [[Mile|{{convert|1|mi}}]]too.
* [[A list]] of eight words or more is not prose at all here.
[[Category:Mathematicians]]
[[de:Ada Lovelace]]
"""


@pytest.fixture
def tiny_wikipedia(tmp_path, monkeypatch):
    page = f"<page><title>Ada</title><ns>0</ns><id>1</id><revision><text>{escape(MARKUP)}</text></revision></page>"
    dump = f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/"><siteinfo/>{page}</mediawiki>'
    (tmp_path / "dump.bz2").write_bytes(bz2.compress(dump.encode()))
    monkeypatch.setattr(catalogue, "_bundled_path", lambda file: tmp_path / "dump.bz2")
    catalogue._wikipedia_paragraphs.cache_clear()
    yield
    catalogue._wikipedia_paragraphs.cache_clear()


def test_sentences_of_every_kind_of_markup(tiny_wikipedia):
    shown = []
    for row in corpora.load("wikipedia", "sentences"):
        pairs = zip(row["tokens"], row["links"], strict=True)
        shown.append(" ".join(token if tag == "O" else f"{token}/{tag}" for token, tag in pairs))
    assert shown == [
        "Ada met Mr/B ./I Babbage/I 's engines/B in the U.S. in May 1833 .",
        "She",
        "A portrait/B that Chalon painted .",
        "It hangs in London today .",
        'Dr . King and J . R . King wrote "/B Note/I G/I ./I The/I end/I "/I for 1,000.5 pounds ( e.g. by hand ! ) .',
        'Is " it " art/B ?',
        "Yes , it is .",
        "It is in a dictionary , a category and Star/B Trek/I :/I The/I Movie/I , too .",
    ]
    paragraphs = corpora.texts(corpora.load("wikipedia", "paragraphs"))
    assert [p.split()[0] for p in paragraphs] == ["Ada", "A", "Dr.", "It"]


def test_word_pairs_and_analogies():
    pairs = corpora.load("wordsim353", "test")
    assert len(pairs) == 353
    assert pairs[1] == {"word1": "tiger", "word2": "cat", "score": 7.35}
    pairs = corpora.load("simlex999", "test")
    assert len(pairs) == 999
    assert pairs[0] == {"word1": "old", "word2": "new", "score": 1.58}
    questions = corpora.load("analogies", "test")
    assert (len(questions), len({row["category"] for row in questions})) == (19_544, 14)
    assert sum(not row["category"].startswith("gram") for row in questions) == 8_869  # the semantic ones
    first = {
        "category": "capital-common-countries",
        "a": "Athens",
        "b": "Greece",
        "c": "Baghdad",
        "d": "Iraq",
    }
    assert questions[0] == first


def test_lee_is_symmetric_and_graded_by_people():
    lee = corpora.retrieval("lee")
    assert (len(lee.documents), len(lee.queries), sum(map(len, lee.qrels.values()))) == (50, 50, 2450)
    assert {g for grades in lee.qrels.values() for g in grades.values()} == {0, 1, 2, 3, 4}
    assert all(
        lee.qrels[f"q{i}"][f"d{j}"] == lee.qrels[f"q{j}"][f"d{i}"] for i in range(50) for j in range(i)
    )
    assert len(corpora.load("lee_background", "train")) == 300


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corpora.load("lea", "corpus"), "no data set 'lea'.*wikipedia, lee"),
        (
            lambda: corpora.load("lee", "train"),
            "'lee' has no split 'train'; there are: corpus, queries, qrels_test",
        ),
        (lambda: corpora.retrieval("wikipedia"), "no queries and judgments; test collections: lee"),
    ],
)
def test_unknown_names_are_one_clear_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_collection_refuses_judgments_of_unknown_ids_and_no_documents():
    with pytest.raises(ValueError, match="unknown query 'q9'"):
        corpora.Retrieval("x", {"d": "text"}, {"q": "text"}, {"q9": {"d": 1}})
    with pytest.raises(ValueError, match="unknown document 'd9'"):
        corpora.Retrieval("x", {"d": "text"}, {"q": "text"}, {"q": {"d9": 1}})
    with pytest.raises(ValueError, match="has no documents"):
        corpora.Retrieval("x", {}, {"q": "text"}, {})


# --- LABKIT_DATA


def test_a_local_folder_comes_first(folder):
    found = corpora.retrieval("scifact")
    assert found.name == "scifact"
    assert found.documents == {"1": "A cats", "2": "dogs"}
    assert found.queries == {"q1": "cat"}
    assert found.qrels == {"q1": {"1": 2}}


def test_a_local_folder_without_the_set_leaves_the_other_sources(folder):
    assert len(corpora.load("lee_background", "train")) == 300


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "qrels_test.jsonl.gz is missing"),
        (b"not gzip", "broken after 0 rows"),
        (gzip.compress(lines(JSON["qrels_test"] * 500))[:-20], "broken after"),
        (gzip.compress(lines(JSON["qrels_test"]) + b"{oops\n"), "broken after 1 rows"),
        (gzip.compress(b'{"query-id": "q1", "score": 1}\n'), "line 1, lacks the column 'corpus-id'"),
        (gzip.compress(b"\xff\xfe\n"), "broken after 0 rows"),
        (gzip.compress(b"3\n"), "line 1, is 3, not an object with the columns"),
        (gzip.compress(b'"text"\n'), "not an object with the columns"),
        (
            gzip.compress(b'{"query-id": "q1", "corpus-id": "1", "score": -1}\n'),
            "grade -1, not an integer of 0",
        ),
        (
            gzip.compress(b'{"query-id": "q1", "corpus-id": "1", "score": 0.5}\n'),
            "grade 0.5, not an integer of 0",
        ),
        (
            gzip.compress(b'{"query-id": "q1", "corpus-id": "1", "score": "two"}\n'),
            "grade 'two', not an integer",
        ),
        (
            gzip.compress(b'{"query-id": "q1", "corpus-id": "1", "score": true}\n'),
            "grade True, not an integer",
        ),
        (gzip.compress(b'{"query-id": "q1", "corpus-id": "1", "score": NaN}\n'), "grade nan, not an integer"),
    ],
)
def test_a_broken_folder_is_one_clear_error(folder, data, message):
    path = folder / "scifact" / "qrels_test.jsonl.gz"
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(corpora.DataError, match=message) as caught:
        corpora.retrieval("scifact")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"tokens": ["a"], "pos": ["DT"], "ner": []},
            r"has \[\] for 'ner', not a list with one entry for each",
        ),
        ({"tokens": "a", "pos": "b", "ner": "c"}, "has 'a' for 'tokens', not a list"),
    ],
)
def test_tags_that_do_not_fit_their_tokens_are_one_clear_error(row, message, tmp_path, monkeypatch):
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    (tmp_path / "conll2003").mkdir()
    (tmp_path / "conll2003" / "test.jsonl.gz").write_bytes(gzip.compress(lines([row])))
    with pytest.raises(corpora.DataError, match=f"line 1, {message}"):
        corpora.load("conll2003", "test")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"_id": "1", "title": "A", "text": None}], "line 1, has None for 'text', not a string"),
        ([{"_id": "1", "title": "A", "text": ["cats"]}], "for 'text', not a string"),
        ([{"_id": "1", "title": "A", "text": "x"}] * 2, "an _id occurs twice in its corpus"),
        ([], "corpus.jsonl.gz has no rows"),
    ],
)
def test_documents_that_are_no_text_are_one_clear_error(folder, rows, message):
    (folder / "scifact" / "corpus.jsonl.gz").write_bytes(gzip.compress(lines(rows)))
    with pytest.raises(ValueError, match=message):
        corpora.retrieval("scifact")


def test_a_pair_that_is_judged_twice_differently_is_an_error(folder):
    path = folder / "scifact" / "qrels_test.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    path.write_bytes(gzip.compress(lines([*rows, {**rows[0], "score": 7}])))
    with pytest.raises(corpora.DataError, match="is judged twice, differently"):
        corpora.retrieval("scifact")
    path.write_bytes(gzip.compress(lines([*rows, rows[0]])))
    corpora.retrieval("scifact")  # twice alike says no more than once


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("sst2", {"sentence": "fine", "label": None}, "has the label None"),
        ("sst2", {"sentence": "fine", "label": float("nan")}, "has the label nan"),
        ("sst2", {"sentence": "fine", "label": True}, "has the label True"),
    ],
)
def test_a_label_that_is_none_is_an_error(tmp_path, monkeypatch, name, row, message):
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    (tmp_path / name).mkdir()
    (tmp_path / name / "test.jsonl.gz").write_bytes(gzip.compress(lines([row])))
    with pytest.raises(corpora.DataError, match=message):
        corpora.load(name, "test")


@pytest.mark.parametrize("tokens", [[], [None], [1]])
def test_tokens_are_strings(tmp_path, monkeypatch, tokens):
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    (tmp_path / "conll2003").mkdir()
    columns = corpora.CATALOGUE["conll2003"].splits["test"]
    row = {column: tokens if column == "tokens" else ["O"] * len(tokens) for column in columns}
    (tmp_path / "conll2003" / "test.jsonl.gz").write_bytes(gzip.compress(lines([row])))
    with pytest.raises(corpora.DataError, match="for 'tokens', not one or more strings"):
        corpora.load("conll2003", "test")


def test_json_nested_too_deeply_and_a_file_of_no_bytes_are_errors(folder):
    path = folder / "scifact" / "corpus.jsonl.gz"
    path.write_bytes(gzip.compress(b"[" * 100_000))
    with pytest.raises(corpora.DataError, match="is broken after 0 rows"):
        corpora.load("scifact", "corpus")
    path.write_bytes(b"")
    with pytest.raises(corpora.DataError, match="has no rows"):
        corpora.load("scifact", "corpus")


def test_texts_of_a_column_that_a_row_lacks():
    with pytest.raises(ValueError, match="a row has no column 'sentence'; it has: text"):
        corpora.texts([{"text": "a"}], "sentence")


def test_a_wrong_labkit_data_is_an_error_even_for_bundled_text(monkeypatch, tmp_path):
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(corpora.DataError, match=r"LABKIT_DATA is .*nowhere.*mend the path or unset it"):
        corpora.load("lee", "corpus")


TASKS = {
    "sst2": [6920, 872, 1821],
    "conll2003": [14_041, 3250, 3453],
    "ud_english_ewt": [12_544, 2001, 2077],
    "wikitext2": [36_718, 3760, 4358],
}


def test_real_data_in_the_local_form(monkeypatch):
    """The course's own data folder, where a checkout has one beside it; the tests above need none."""
    real = ROOT.parent / "shared" / "data" / "labkit"
    if not real.is_dir():
        pytest.skip("no folder of real data beside this checkout")
    monkeypatch.setenv("LABKIT_DATA", str(real))
    for name, documents, queries in (("scifact", 5183, 300), ("cranfield", 1400, 225)):
        found = corpora.retrieval(name)
        assert (found.name, len(found.documents), len(found.queries)) == (name, documents, queries)
    assert len(corpora.load("tinyshakespeare", "train")) == 40_000
    for name, numbers in TASKS.items():
        assert [len(corpora.load(name, split)) for split in ("train", "validation", "test")] == numbers
        assert corpora.CATALOGUE[name].size.startswith(" / ".join(f"{number:,}" for number in numbers))
    assert not [wrong for _, wrong in corpora.verify(real) if wrong]


# --- public files, by pooch


@pytest.fixture
def public(tmp_path, monkeypatch):
    """A public file on loopback, in the place of tinyshakespeare's; pooch's cache in a folder of its own."""
    data = "First line\nsecond — line\n".encode()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "input.txt").write_bytes(data)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    cache = tmp_path / "cache"
    monkeypatch.setattr(pooch, "os_cache", lambda project: cache / project)

    def use(sha256=hashlib.sha256(data).hexdigest(), port=server.server_port):  # noqa: B008
        source = corpora.PublicFile(f"http://127.0.0.1:{port}/input.txt", sha256, catalogue._read_text_lines)
        entry = corpora.Dataset("tinyshakespeare", "t", "l", "s", "c", {"train": ("text",)}, (source,))
        monkeypatch.setitem(corpora.CATALOGUE, "tinyshakespeare", entry)
        return cache

    def stop():
        server.shutdown()
        server.server_close()

    use.stop = stop
    yield use
    stop()


def test_a_public_file_is_fetched_once_and_then_read_from_the_cache(public):
    cache = public()
    assert corpora.texts(corpora.load("tinyshakespeare", "train")) == ["First line", "second — line"]
    assert len([p for p in cache.rglob("*") if p.is_file()]) == 1
    public.stop()
    assert corpora.texts(corpora.load("tinyshakespeare", "train")) == ["First line", "second — line"]


def test_a_wrong_checksum_is_an_error_and_leaves_nothing(public):
    cache = public(sha256="0" * 64)
    with pytest.raises(corpora.DataError, match="does not have the sha256 0000"):
        corpora.load("tinyshakespeare", "train")
    assert [p for p in cache.rglob("*") if p.is_file()] == []


def test_no_network_is_one_clear_error_with_the_remedies(public):
    public(port=9)  # nobody listens there
    with pytest.raises(corpora.DataUnavailable, match=r"no answer from http://127.0.0.1:9/.*set LABKIT_DATA"):
        corpora.load("tinyshakespeare", "train")


# --- the hub, in a process of its own: its libraries read their settings when they are imported

CARD = b"""---
configs:
- config_name: corpus
  data_files: [{split: corpus, path: corpus.jsonl}]
- config_name: queries
  data_files: [{split: queries, path: queries.jsonl}]
- config_name: default
  data_files: [{split: test, path: qrels/test.jsonl}]
---
"""
SHOW = (
    "from labkit import corpora; r = corpora.retrieval('scifact'); print(r.name, len(r.documents), r.qrels)"
)


def with_hub(endpoint, home, code=SHOW):
    environment = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_hub_then_its_cache_then_the_stand_in(tmp_path):
    files = {
        "README.md": CARD,
        "corpus.jsonl": lines(JSON["corpus"]),
        "queries.jsonl": lines(JSON["queries"]),
        "qrels/test.jsonl": lines(JSON["qrels_test"]),
    }
    revision = corpora.CATALOGUE["scifact"].sources[0].revision
    with serve("mteb/scifact", files) as (address, log):
        done = with_hub(address, tmp_path / "home")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [f"mteb/scifact at {COMMIT} (hub)", "scifact 2 {'q1': {'1': 2}}"]
    assert f"GET /api/datasets/mteb/scifact/revision/{revision}" in log

    # The hub is gone: the local cache answers, and says which commit it holds.
    done = with_hub("http://127.0.0.1:9", tmp_path / "home")
    assert f"mteb/scifact corpus: no hub; from the local cache, commit {COMMIT}" in done.stdout
    assert done.stdout.splitlines()[-1] == "scifact 2 {'q1': {'1': 2}}", done.stderr[-2000:]

    # No hub and no cache: the stand-in, in one message, and quickly.
    done = with_hub("http://127.0.0.1:9", tmp_path / "empty")
    assert done.returncode == 0, done.stderr[-2000:]
    first, second, third = done.stdout.splitlines()
    assert first.startswith("scifact could not be had (hub:mteb/scifact@")
    assert "set LABKIT_DATA" in first
    assert second.startswith("Using 'lee' in its place")
    assert third.startswith("lee 50")
    assert "Traceback" not in done.stdout + done.stderr


def test_a_hub_without_the_data_set_is_no_traceback(tmp_path):
    with serve("somebody/else", {"README.md": b""}) as (address, _):
        done = with_hub(address, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Using 'lee' in its place" in done.stdout


def test_grades_may_be_kept_as_floats(tmp_path):
    files = {
        "README.md": CARD,
        "corpus.jsonl": lines(JSON["corpus"]),
        "queries.jsonl": lines(JSON["queries"]),
        "qrels/test.jsonl": b'{"query-id": "q1", "corpus-id": "1", "score": 2.0}\n',
    }
    with serve("mteb/scifact", files) as (address, _):
        done = with_hub(address, tmp_path)
    assert done.stdout.splitlines()[-1] == "scifact 2 {'q1': {'1': 2}}", done.stderr[-2000:]


def parquet(path, rows, **features) -> bytes:
    datasets.Dataset.from_list(rows, features=datasets.Features(features)).to_parquet(path)
    return path.read_bytes()


def test_the_hubs_columns_become_ours(tmp_path):
    """Repositories as the hub keeps them: other names, numbers for tags, contractions, ends of lines."""
    text, whole = datasets.Value("string"), datasets.Value("int32")
    sentences = lines([{"text": "a fine film", "label": 1, "label_text": "positive"}])
    tags = {"pos_tags": ["NN", "VBZ"], "ner_tags": ["O", "B-PER"]}
    lists = {name: datasets.Sequence(datasets.ClassLabel(names=names)) for name, names in tags.items()}
    row = {"id": "0", "tokens": ["Ada", "writes"], "pos_tags": [0, 1], "ner_tags": [1, 0]}
    tagged = parquet(tmp_path / "a", [row], id=text, tokens=datasets.Sequence(text), **lists)
    upos = datasets.Sequence(datasets.ClassLabel(names=["AUX", "_", "PART"]))
    row = {"tokens": ["don't", "do", "n't"], "upos": [1, 0, 2]}
    words = parquet(tmp_path / "d", [row], tokens=datasets.Sequence(text), upos=upos)
    both = parquet(tmp_path / "b", [{"text": " = Ada = \n"}, {"text": ""}], text=text)
    card = "---\nconfigs:\n- config_name: wikitext-2-v1\n  data_files:\n  - {split: test, path: wikitext-2-v1/test-00000-of-00001.parquet}\n---\n"
    hubs = {
        "sst2": {"train.jsonl": sentences, "dev.jsonl": sentences, "test.jsonl": sentences},
        "conll2003": {f"conll2003/{split}/0000.parquet": tagged for split in ("train", "validation", "test")},
        "ud_english_ewt": {
            f"en_ewt/{split}/0000.parquet": words for split in ("train", "validation", "test")
        },
        "wikitext2": {"README.md": card.encode(), "wikitext-2-v1/test-00000-of-00001.parquet": both},
    }
    ours = {
        "sst2": [{"sentence": "a fine film", "label": 1}],
        "conll2003": [{"tokens": ["Ada", "writes"], "pos": ["NN", "VBZ"], "ner": ["B-PER", "O"]}],
        "ud_english_ewt": [{"tokens": ["do", "n't"], "upos": ["AUX", "PART"]}],
        "wikitext2": [{"text": " = Ada = "}, {"text": " "}],
    }
    for name, files in hubs.items():
        source = corpora.CATALOGUE[name].sources[0]
        with serve(source.repository, files) as (address, _):
            code = f"from labkit import corpora; print(corpora.load({name!r}, 'test'))"
            done = with_hub(address, tmp_path / name, code)
        assert done.returncode == 0, done.stderr[-2000:]
        assert done.stdout.splitlines() == [f"{source.repository} at {COMMIT} (hub)", str(ours[name])]

    # A hub that renamed a column is one clear error.
    renamed = parquet(tmp_path / "c", [{"line": 1}], line=whole)
    files = {"README.md": card.encode(), "wikitext-2-v1/test-00000-of-00001.parquet": renamed}
    code = "from labkit import corpora\ntry:\n    corpora.load('wikitext2', 'test')\nexcept corpora.DataError as e:\n    print(e)"
    with serve("Salesforce/wikitext", files) as (address, _):
        done = with_hub(address, tmp_path / "renamed", code)
    assert "lacks the column 'text'; the hub's form of this set has changed" in done.stdout


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (b'{"_id": "1", "title": "A"', "did not answer (DatasetGenerationError"),
        (
            b'{"_id": "1", "text": "cats"}\n',
            "lacks the column 'title'; the hub's form of this set has changed",
        ),
    ],
)
def test_a_broken_file_on_the_hub_is_one_clear_message(corpus, message, tmp_path):
    files = {"README.md": CARD, "corpus.jsonl": corpus, "queries.jsonl": b"", "qrels/test.jsonl": b""}
    code = f"from labkit import corpora\ntry:\n    {SHOW.split('; ')[1]}\nexcept corpora.DataError as e:\n    print(e)"
    with serve("mteb/scifact", files) as (address, _):
        done = with_hub(address, tmp_path, code)
    assert done.returncode == 0, done.stderr[-2000:]
    assert message in done.stdout


# --- the command line


def test_fetch_writes_a_folder_that_load_and_verify_accept(tmp_path, monkeypatch, capsys):
    assert main(["data", "fetch", "lee", "lee_background", "--to", str(tmp_path)]) == 0
    assert main(["data", "verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("[OK]") == 4
    bundled = corpora.retrieval("lee")
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    assert corpora.retrieval("lee") == bundled


def test_fetch_gives_the_same_bytes_twice(tmp_path):
    first, second = (corpora.fetch("lee", tmp_path / name) for name in ("a", "b"))
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_a_fetch_that_is_broken_off_leaves_nothing(tmp_path, monkeypatch):
    def broken(data, mtime):
        raise KeyboardInterrupt

    monkeypatch.setattr(gzip, "compress", broken)
    with pytest.raises(KeyboardInterrupt):
        corpora.fetch("lee", tmp_path / "data")
    assert list((tmp_path / "data").iterdir()) == []


def test_verify_says_when_the_list_of_checksums_is_broken(tmp_path, capsys):
    corpora.fetch("lee_background", tmp_path)
    (tmp_path / "lee_background" / "SHA256SUMS").write_text("nonsense\n")
    assert main(["data", "verify", str(tmp_path)]) == 1
    assert "it lists no sha256" in capsys.readouterr().out


def test_verify_names_the_file_that_was_changed(tmp_path, capsys):
    corpora.fetch("lee_background", tmp_path)
    path = tmp_path / "lee_background" / "train.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "another"}\n'))
    assert main(["data", "verify", str(tmp_path)]) == 1
    assert f"[FAIL] {path}: its sha256 is not the one in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data", "fetch", "nothing", "--to", "x"], "no data set 'nothing'"),
        (["data", "fetch", "cranfield", "--to", "x"], "it has no public source"),
        (["data", "verify", "nowhere"], "nowhere is not a folder"),
    ],
)
def test_the_command_line_ends_in_one_line_and_writes_nothing(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_catalogue_is_listed(capsys):
    assert main(["data", "list"]) == 0
    printed = capsys.readouterr().out
    assert all(f"{name}: " in printed for name in corpora.CATALOGUE)
