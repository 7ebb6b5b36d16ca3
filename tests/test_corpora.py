from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading

import pooch
import pytest

from labkit import corpora
from labkit.course.cli import main
from tests.conftest import ROOT
from tests.hub import COMMIT, serve

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
                assert source.revision == "main" or len(source.revision) == 40


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
    ("rows", "message"),
    [
        ([{"_id": "1", "title": "A", "text": None}], "line 1, has None for 'text', not a string"),
        ([{"_id": "1", "title": "A", "text": ["cats"]}], "for 'text', not a string"),
        ([{"_id": "1", "title": "A", "text": "x"}] * 2, "an _id occurs twice in its corpus"),
        ([], "has no documents"),
    ],
)
def test_documents_that_are_no_text_are_one_clear_error(folder, rows, message):
    (folder / "scifact" / "corpus.jsonl.gz").write_bytes(gzip.compress(lines(rows)))
    with pytest.raises(ValueError, match=message):
        corpora.retrieval("scifact")


def test_a_wrong_labkit_data_is_an_error_even_for_bundled_text(monkeypatch, tmp_path):
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(corpora.DataError, match=r"LABKIT_DATA is .*nowhere.*mend the path or unset it"):
        corpora.load("lee", "corpus")


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
        source = corpora.PublicFile(f"http://127.0.0.1:{port}/input.txt", sha256, corpora._read_text_lines)
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


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), corpora.replacing(path) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
