from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from labkit.text import Vocabulary, tokenize


def test_tokenize_by_example():
    assert tokenize("BM25's k1, b!") == ["bm25", "s", "k1", "b"]
    assert tokenize("") == []
    assert tokenize("Ünïcode ЁЖ 東京") == ["ünïcode", "ёж", "東京"]


@given(st.text())
def test_tokenize_equals_scikit_learn(text):
    oracle = CountVectorizer(token_pattern=r"(?u)\w+").build_analyzer()
    assert tokenize(text) == oracle(text)


@pytest.mark.parametrize("thing", [None, 3, b"bytes", ["a", "list"]])
def test_only_strings_are_tokenized(thing):
    with pytest.raises(TypeError, match=f"one string, not {type(thing).__name__}"):
        tokenize(thing)


def test_vocabulary_order_ids_and_unknown_tokens():
    vocabulary = Vocabulary([["b", "a", "b"], ["c", "a"]], specials=["<pad>", "<unk>"])
    assert vocabulary.tokens == ["<pad>", "<unk>", "a", "b", "c"]
    assert len(vocabulary) == 5
    assert "c" in vocabulary
    assert "z" not in vocabulary
    np.testing.assert_array_equal(vocabulary.ids(["b", "z", "a"]), [3, 2])
    np.testing.assert_array_equal(vocabulary.ids(["b", "z", "a"], unknown="<unk>"), [3, 1, 2])
    assert vocabulary.ids([]).dtype == np.int64
    with pytest.raises(KeyError):
        vocabulary["z"]


@pytest.mark.parametrize(("documents", "min_count"), [([], 1), ([[]], 1), ([["a", "b"]], 2)])
def test_an_empty_vocabulary_is_an_error(documents, min_count):
    with pytest.raises(ValueError, match="the vocabulary is empty"):
        Vocabulary(documents, min_count=min_count)


def test_a_document_that_is_a_string_is_an_error():
    with pytest.raises(TypeError, match="not the string 'the cat'"):
        Vocabulary(["the cat", "sat"])


def test_a_vocabulary_of_limited_size_keeps_the_most_frequent_tokens():
    documents = [["b", "a", "b", "c", "a", "b"]]
    assert Vocabulary(documents, max_size=2).tokens == ["b", "a"]
    assert Vocabulary(documents, max_size=3, specials=["<unk>"]).tokens == ["<unk>", "b", "a"]
    assert Vocabulary(documents, max_size=9).tokens == ["b", "a", "c"]
    assert "c" not in Vocabulary(documents, max_size=2)
    with pytest.raises(ValueError, match="max_size 1"):
        Vocabulary(documents, max_size=1, specials=["<unk>"])
