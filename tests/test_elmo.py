from __future__ import annotations

import copy
import json
import subprocess
import sys

import h5py
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labkit import elmo
from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on("labkit/**")

FIXTURE = ROOT.parent / "shared" / "data" / "elmo_fixture"
TINY = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 6,
        "cell_clip": 0.2,  # small, so that clipping happens
        "proj_clip": 0.15,
        "dim": 9,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 3], [2, 4], [3, 5]],
        "n_highway": 2,
        "embedding": {"dim": 4},
        "n_characters": 262,
        "max_characters_per_token": 50,
    },
}
SENTENCES = [["The", "cat", "sat", "."], ["naïve", "x" * 80], ["a"]]


def with_skips(skip):
    options = copy.deepcopy(TINY)
    options["lstm"]["use_skip_connections"] = skip
    return options


def random_arrays(seed=1):
    """Weights under the names that bilm-tf gives them, written down here once more by hand."""
    rng = np.random.default_rng(seed)
    shapes = {"char_embed": (261, 4), "CNN_proj/W_proj": (12, 6), "CNN_proj/b_proj": (6,)}
    shapes |= {"CNN/W_cnn_0": (1, 1, 4, 3), "CNN/W_cnn_1": (1, 2, 4, 4), "CNN/W_cnn_2": (1, 3, 4, 5)}
    shapes |= {"CNN/b_cnn_0": (3,), "CNN/b_cnn_1": (4,), "CNN/b_cnn_2": (5,)}
    for layer in "01":
        for part in ("carry", "transform"):
            shapes |= {f"CNN_high_{layer}/W_{part}": (12, 12), f"CNN_high_{layer}/b_{part}": (12,)}
        for direction in "01":
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes |= {f"{cell}/W_0": (12, 36), f"{cell}/B": (36,), f"{cell}/W_P_0": (9, 6)}
    return {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def write(folder, options, arrays):
    (folder / "options.json").write_text(json.dumps(options))
    with h5py.File(folder / "weights.hdf5", "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return folder / "options.json", folder / "weights.hdf5"


# --- an oracle in NumPy, one token and one sentence at a time, from the paper and bilm-tf's conventions


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def token_by_hand(ids, w):
    spelled, found = w["char_embed"][ids], []
    for k in range(3):
        kernel = w[f"CNN/W_cnn_{k}"][0]
        places = [spelled[p : p + len(kernel)] for p in range(len(ids) - len(kernel) + 1)]
        found.append(
            np.max([np.einsum("pc,pcf->f", place, kernel) for place in places], 0) + w[f"CNN/b_cnn_{k}"]
        )
    x = np.maximum(np.concatenate(found), 0)
    for k in range(2):
        share = sigmoid(x @ w[f"CNN_high_{k}/W_carry"] + w[f"CNN_high_{k}/b_carry"])
        new = np.maximum(x @ w[f"CNN_high_{k}/W_transform"] + w[f"CNN_high_{k}/b_transform"], 0)
        x = share * new + (1 - share) * x
    return x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]


def lstm_by_hand(xs, w, name, options):
    h, c, outputs = np.zeros(6), np.zeros(9), []
    for x in xs:
        i, j, f, o = np.split(np.concatenate([x, h]) @ w[f"{name}/W_0"] + w[f"{name}/B"], 4)
        c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
        c = np.clip(c, -options["lstm"]["cell_clip"], options["lstm"]["cell_clip"])
        h = (sigmoid(o) * np.tanh(c)) @ w[f"{name}/W_P_0"]
        h = np.clip(h, -options["lstm"]["proj_clip"], options["lstm"]["proj_clip"])
        outputs.append(h)
    return np.array(outputs)


def layers_by_hand(ids, w, options):
    tokens = np.array([token_by_hand(token, w) for token in ids])
    by_direction = []
    for direction, step in ((0, 1), (1, -1)):
        layers = [tokens]
        for k in range(2):
            name = f"RNN_{direction}/RNN/MultiRNNCell/Cell{k}/LSTMCell"
            output = lstm_by_hand(layers[-1][::step], w, name, options)[::step]
            layers.append(output + layers[-1] if k and options["lstm"]["use_skip_connections"] else output)
        by_direction.append(layers)
    return [np.concatenate(pair, -1) for pair in zip(*by_direction, strict=True)]


@pytest.mark.parametrize("skip", [True, False])
def test_published_weights_give_the_vectors_of_an_oracle_in_numpy(tmp_path, skip):
    arrays = random_arrays()
    model = elmo.load(*write(tmp_path, with_skips(skip), arrays))
    ids, lengths = elmo.character_ids(SENTENCES)
    with torch.no_grad():
        layers, _ = model(ids, lengths)
    assert layers.shape == (3, 3, 6, 12)
    for row, length in enumerate(lengths.tolist()):
        wanted = layers_by_hand(ids[row, :length].numpy(), arrays, with_skips(skip))
        for got, want in zip(layers[:, row, :length].numpy(), wanted, strict=True):
            np.testing.assert_allclose(got, want, atol=2e-5)
        assert not layers[:, row, length:].any()
    assert not model.training


@pytest.mark.parametrize("kind", ["skip_connections", "no_skip_connections"])
def test_the_published_fixture(kind, report):
    folder = FIXTURE / kind
    if not folder.is_dir():
        pytest.skip(
            "the fixture of the published biLM is not here (shared/data/elmo_fixture beside the repository): "
            "the oracle in NumPy stands for it"
        )
    model = elmo.load(folder / "options.json", folder / "lm_weights.hdf5")
    lists = json.loads(next(folder.glob("*sentences.json")).read_text())
    largest, tokens, state = 0.0, 0, None
    with np.load(folder / "lm_embeddings.npz") as wanted, torch.no_grad():
        for number in range(10):
            ids, lengths = elmo.character_ids([sentences[number].split() for sentences in lists])
            layers, state = model(ids, lengths, state)
            for row, length in enumerate(lengths.tolist()):
                both = torch.stack(layers[-1, row, 1 : length - 1].chunk(2, -1)).numpy()
                largest = max(largest, np.abs(both - wanted[f"{row}/{number}"]).max())
                tokens += both.shape[1]
    assert tokens == 744
    assert largest < 1e-4
    text = f"top layer, 744 tokens: {largest:.1e}"
    if (folder / "elmo_token_embeddings.npz").exists():
        words = (folder / "vocab_test.txt").read_text(encoding="utf-8").splitlines()
        ids = elmo.character_ids([words])[0][0, 1:-1]
        # The list's first markers of a sentence are no words: bilm-tf spells them by one id each.
        for word, marker in (("<S>", elmo.BEGIN_SENTENCE), ("</S>", elmo.END_SENTENCE)):
            ids[words.index(word)] = elmo.PADDING
            ids[words.index(word), :3] = torch.tensor([elmo.BEGIN_TOKEN, marker, elmo.END_TOKEN])
        with np.load(folder / "elmo_token_embeddings.npz") as wanted, torch.no_grad():
            difference = np.abs(model.characters(ids).numpy() - wanted["embedding"]).max()
        assert difference < 1e-4
        text += f"; token layer, {len(words)} words: {difference:.1e}"
    report(f"elmo_{kind}", f"largest difference from the published fixture, {kind}: {text}")


# --- the network's properties


@pytest.fixture
def model():
    torch.manual_seed(1)
    return elmo.BiLM(TINY).eval()


def test_the_published_models_have_as_many_parameters_as_published():
    with torch.device("meta"):
        counts = {name: elmo.BiLM(options) for name, options in elmo.OPTIONS.items()}
    counts = {name: sum(p.numel() for p in model.parameters()) for name, model in counts.items()}
    assert {name: round(count / 1e6, 1) for name, count in counts.items()} == {
        "small": 13.6,
        "medium": 28.0,
        "original": 93.6,
    }


def test_a_sentence_has_the_same_vectors_alone_and_in_any_batch(model):
    ids, lengths = elmo.character_ids(SENTENCES)
    layers, (h, c) = model(ids, lengths)
    for row, sentence in enumerate(SENTENCES):
        alone, (h_alone, c_alone) = model(*elmo.character_ids([sentence]))
        torch.testing.assert_close(layers[:, row, : lengths[row]], alone[:, 0])
        torch.testing.assert_close((h[:, row], c[:, row]), (h_alone[:, 0], c_alone[:, 0]))
    order = [2, 0, 1]
    torch.testing.assert_close(model(ids[order], lengths[order])[0], layers[:, order])


def test_the_forward_direction_does_not_see_the_future_nor_the_backward_one_the_past(model):
    ids, lengths = elmo.character_ids([["a", "b", "c", "d"], ["a", "b", "x", "d"]])
    one, other = model(ids, lengths)[0].unbind(1)
    forward, backward = (one - other).abs().amax(0).chunk(2, -1)
    forward, backward = forward.amax(-1), backward.amax(-1)  # place 3 is "c" or "x": a marker stands before
    assert forward[:3].max() < 1e-6
    assert forward[3:].min() > 1e-4
    assert backward[4:].max() < 1e-6
    assert backward[:4].min() > 1e-4


def test_padding_may_hold_anything(model):
    ids, lengths = elmo.character_ids(SENTENCES)
    layers, _ = model(ids, lengths)
    other = ids.clone()
    other[1, lengths[1] :] = 7
    torch.testing.assert_close(model(other, lengths)[0], layers)


def test_the_state_goes_on_where_the_last_batch_ended_and_nothing_is_kept_otherwise(model):
    first, n = elmo.character_ids(SENTENCES)
    again = model(first, n)[0]
    layers, state = model(first, n)
    torch.testing.assert_close(layers, again)
    second, m = elmo.character_ids([["on", "it"], ["b"], ["c", "d", "e"]])
    going_on, _ = model(second, m, state)
    for row in range(3):
        joined = torch.cat([first[row, : n[row]], second[row, : m[row]]])[None]
        whole = model(joined, torch.tensor([joined.shape[1]]))[0][:, 0, n[row] :, :6]
        torch.testing.assert_close(going_on[:, row, : m[row], :6], whole)  # the forward direction
    assert not torch.allclose(going_on, model(second, m)[0])
    with pytest.raises(ValueError, match="state is not one of 2 sentences"):
        model(second[:2], m[:2], state)


def test_it_learns(model):
    ids, lengths = elmo.character_ids(SENTENCES)
    model(ids, lengths)[0].square().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    assert all(p.grad.any() for p in model.parameters())


@pytest.mark.parametrize("lengths", [[6, 4], [6, 4, 0], [7, 4, 3]])
def test_lengths_that_do_not_fit_are_refused(model, lengths):
    ids, _ = elmo.character_ids(SENTENCES)
    with pytest.raises(ValueError, match="from 1 to 6"):
        model(ids, torch.tensor(lengths))


# --- spelling


def test_spelling_by_example():
    ids, lengths = elmo.character_ids([["né", "x" * 60], ["日"]])
    assert ids.shape == (2, 4, 50)
    assert ids.dtype == torch.int64
    assert lengths.tolist() == [4, 3]
    assert ids[0, 0, :4].tolist() == [258, 256, 259, 260]
    assert ids[0, 1, :6].tolist() == [258, ord("n"), 0xC3, 0xA9, 259, 260]
    assert ids[0, 2].tolist() == [258, *[ord("x")] * 48, 259]
    assert ids[0, 3, :4].tolist() == [258, 257, 259, 260]
    assert ids[1, 1, :6].tolist() == [258, *"日".encode(), 259, 260]
    assert (ids[1, 3] == 260).all()


@given(
    st.lists(
        st.lists(st.text(st.characters(), min_size=1, max_size=60), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_any_text_can_be_spelled(sentences):
    ids, lengths = elmo.character_ids(sentences)
    assert 0 <= ids.min() <= ids.max() <= 260
    assert lengths.tolist() == [len(sentence) + 2 for sentence in sentences]


@pytest.mark.parametrize(
    ("sentences", "error", "message"),
    [
        ([], ValueError, "no sentences"),
        ([["a"], []], ValueError, r"sentence 1 is \[\]"),
        ([["a", ""]], ValueError, "none empty"),
        (["a cat"], TypeError, "list of its tokens"),
    ],
)
def test_what_cannot_be_spelled_is_refused(sentences, error, message):
    with pytest.raises(error, match=message):
        elmo.character_ids(sentences)


# --- files that do not fit


def test_a_file_that_is_cut_short_or_no_hdf5_is_refused(tmp_path):
    options, weights = write(tmp_path, TINY, random_arrays())
    whole = weights.read_bytes()
    for part in (whole[: len(whole) // 2], whole[:100], b"", b"<html>not found</html>"):
        weights.write_bytes(part)
        with pytest.raises(ValueError, match=r"weights\.hdf5 is no whole HDF5 file"):
            elmo.load(options, weights)


def test_weights_of_another_model_are_refused(tmp_path):
    arrays = random_arrays()
    cell = "RNN_0/RNN/MultiRNNCell/Cell1/LSTMCell/W_0"
    missing = {name: array for name, array in arrays.items() if name != cell}
    for wrong, message in [
        (missing, f"as {cell} it has nothing, and the options ask for \\(12, 36\\)"),
        (arrays | {cell: arrays[cell][:, :20]}, f"as {cell} it has \\(12, 20\\)"),
        (arrays | {"softmax/W": arrays["char_embed"]}, "as softmax/W it has .* ask for nothing"),
    ]:
        with pytest.raises(ValueError, match=message):
            elmo.load(*write(tmp_path, TINY, wrong))


def test_options_that_are_none_are_refused(tmp_path):
    options, weights = write(tmp_path, TINY, random_arrays())
    incomplete = copy.deepcopy(TINY)
    del incomplete["lstm"]["dim"]
    longer = copy.deepcopy(TINY)
    longer["char_cnn"]["max_characters_per_token"] = 30
    strange = copy.deepcopy(TINY)
    strange["char_cnn"]["activation"] = "gelu"
    for text in ["{", "[]", "{}", *map(json.dumps, (incomplete, longer, strange))]:
        options.write_text(text)
        with pytest.raises(ValueError, match=r"options\.json holds no options of a biLM"):
            elmo.load(options, weights)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        elmo.load(tmp_path / "nothing.json", weights)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        elmo.load(options, tmp_path / "nothing.hdf5")


def test_everything_else_works_without_the_extra():
    code = """
import sys
sys.modules["{missing}"] = None
import labkit
assert "labkit.elmo" not in sys.modules
try:
    from labkit import elmo
except ImportError as error:
    print(error)
"""
    for missing in ("allennlp_light", "h5py"):
        done = subprocess.run(
            [sys.executable, "-c", code.replace("{missing}", missing)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "pip install 'labkit[elmo]'" in done.stdout
