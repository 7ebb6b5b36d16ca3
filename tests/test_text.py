from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from torch.utils.data import DataLoader

from labkit import training
from labkit.text import Vocabulary, by_length, pad, tokenize

pytestmark = pytest.mark.hangs_on("labkit/**")


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
    with pytest.raises(TypeError, match="a list of tokens, not 'the cat'"):
        Vocabulary(["the cat", "sat"])


@pytest.mark.parametrize(
    ("documents", "specials", "error", "message"),
    [
        ([["a"], None], (), TypeError, "a list of tokens, not None"),
        ([["a", 1]], (), TypeError, "a token is a string, not 1"),
        ([["a"]], "<unk>", ValueError, "specials is '<unk>'"),
        ([["a"]], ("<s>", "<s>"), ValueError, "give a list of different strings"),
    ],
)
def test_bad_documents_and_specials_are_one_clear_error(documents, specials, error, message):
    with pytest.raises(error, match=message):
        Vocabulary(documents, specials=specials)


def test_ids_of_a_string_and_of_an_unknown_that_is_unknown_are_errors():
    vocabulary = Vocabulary([["a", "b"]])
    with pytest.raises(TypeError, match="not the string 'ab'"):
        vocabulary.ids("ab")
    with pytest.raises(ValueError, match="'<unk>' is not in the vocabulary; name it in specials="):
        vocabulary.ids(["a"], unknown="<unk>")


def test_a_vocabulary_of_limited_size_keeps_the_most_frequent_tokens():
    documents = [["b", "a", "b", "c", "a", "b"]]
    assert Vocabulary(documents, max_size=2).tokens == ["b", "a"]
    assert Vocabulary(documents, max_size=3, specials=["<unk>"]).tokens == ["<unk>", "b", "a"]
    assert Vocabulary(documents, max_size=9).tokens == ["b", "a", "c"]
    assert "c" not in Vocabulary(documents, max_size=2)
    with pytest.raises(ValueError, match="max_size 1"):
        Vocabulary(documents, max_size=1, specials=["<unk>"])


# --- batches of similar length


@given(st.lists(st.integers(1, 60), min_size=1, max_size=200), st.integers(1, 40), st.booleans())
def test_every_index_once_in_full_batches_but_one(lengths, size, shuffle):
    batches = by_length(lengths, size, shuffle=shuffle)
    found = list(batches)
    assert sorted(i for batch in found for i in batch) == list(range(len(lengths)))
    assert len(found) == len(batches)
    assert sorted(map(len, found))[1:] == [size] * (len(found) - 1)
    if not shuffle:
        assert [lengths[i] for batch in found for i in batch] == sorted(lengths)


def test_little_of_a_batch_is_padding():
    lengths = np.random.default_rng(1).geometric(0.05, 3000)

    def padding(batches) -> float:
        total = sum(len(batch) * lengths[batch].max() for batch in batches)
        return 1 - lengths.sum() / total

    at_random = [list(batch) for batch in np.split(np.random.default_rng(2).permutation(3000), 3000 // 30)]
    assert padding(at_random) > 0.7
    assert padding(by_length(lengths, 30)) < 0.05


def test_a_fresh_order_each_time_from_pytorchs_seed():
    batches = by_length([3, 1, 2] * 40, 8)
    torch.manual_seed(1)
    first, second = list(batches), list(batches)
    torch.manual_seed(1)
    assert list(batches) == first
    assert second != first
    # Neither the order of the batches nor what is in them stays, and they do not come shortest first.
    shortest = [min([3, 1, 2][i % 3] for i in batch) for batch in first]
    assert shortest != sorted(shortest)
    assert {tuple(sorted(batch)) for batch in first} != {tuple(sorted(batch)) for batch in second}


def test_a_resumed_fit_sees_the_same_batches(tmp_path):
    texts = [list(range(1, 2 + i % 7)) for i in range(50)]

    def run(checkpoint, *limits):
        torch.manual_seed(3)
        model = torch.nn.EmbeddingBag(9, 1)
        data = DataLoader(texts, batch_sampler=by_length([len(t) for t in texts], 4), collate_fn=pad)
        assert len(data) == 13
        for limit in limits:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            training.fit(
                model,
                data,
                lambda model, batch: (model(batch[0]) - batch[1][:, None]).square().mean(),
                optimizer,
                epochs=3,
                max_steps=limit,
                checkpoint=checkpoint,
                bar=False,
            )
        return model.weight.detach()

    whole, parts = run(tmp_path / "a", None), run(tmp_path / "b", 5, 17, None)
    assert torch.equal(whole, parts)


@pytest.mark.parametrize(
    ("lengths", "size"),
    [
        ([], 4),
        (np.array([], dtype=int), 4),
        ([3, 0, 2], 4),
        ([1, 2], 0),
        ([1, 2], -3),
        ([1.5, 2], 4),
        (["ab"], 4),
        (7, 4),
    ],
)
def test_lengths_that_are_none_are_one_clear_error(lengths, size):
    with pytest.raises(ValueError, match=f"size is {size}; give the length of each sequence"):
        by_length(lengths, size)


def test_pad_by_example():
    ids, lengths = pad([[5, 6, 7], np.array([8], dtype=np.int32), torch.tensor([9, 1])], value=-1)
    assert ids.tolist() == [[5, 6, 7], [8, -1, -1], [9, 1, -1]]
    assert lengths.tolist() == [3, 1, 2]
    assert ids.dtype == lengths.dtype == torch.int64


@pytest.mark.parametrize(
    ("sequences", "message"),
    [
        ([], "there are no sequences to pad"),
        ([[1], []], r"sequence 1 is \[\], not one or more ids; leave empty sequences out"),
        ([[1], torch.tensor([])], "sequence 1 is"),
        ([["the", "cat"]], r"sequence 0 is \['the', 'cat'\].*turn words into ids"),
        (["cat"], "sequence 0 is 'cat'"),
        ([[1.5]], "sequence 0 is"),
        ([[[1], [2]]], "sequence 0 is"),
    ],
)
def test_sequences_that_cannot_be_padded_are_one_clear_error(sequences, message):
    with pytest.raises(ValueError, match=message):
        pad(sequences)
