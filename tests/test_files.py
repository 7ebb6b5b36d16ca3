"""Files that are whole or not there, and the cache of what is slow to make."""

from __future__ import annotations

import pooch
import pytest

from labkit.files import cached, replacing

pytestmark = pytest.mark.hangs_on("labkit/**")


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_cached_is_made_once_and_again_where_its_file_is_broken(tmp_path, monkeypatch):
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / name)
    made = []

    def make():
        made.append(len(made))
        return [["é", len(made)]]

    assert cached("thing", make) == [["é", 1]]
    assert cached("thing", make) == [["é", 1]]
    (kept,) = (tmp_path / "labkit").iterdir()
    kept.write_bytes(kept.read_bytes()[:20])
    assert cached("thing", make) == [["é", 2]]
    assert cached("another", make) == [["é", 3]]


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "file" / name)
    assert [cached("thing", lambda: 1), cached("thing", lambda: 2)] == [1, 2]
