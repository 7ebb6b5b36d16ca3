"""ELMo's bidirectional language model: allennlp-light's parts put together, and its published files read.

Peters et al. (2018), Deep contextualized word representations, NAACL. No maintained library offers it. It needs
the extra ``elmo``, so ``import labkit`` leaves this module out: say ``from labkit import elmo``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import h5py
    import torch
    from allennlp_light.modules.highway import Highway
    from allennlp_light.modules.lstm_cell_with_projection import LstmCellWithProjection
except ModuleNotFoundError as error:
    raise ImportError(f"labkit.elmo needs {error.name}: pip install 'labkit[elmo]'") from error
from torch import nn

CHARACTERS = 50  # ids a token: its bytes, between two markers, and padding
BEGIN_SENTENCE, END_SENTENCE, BEGIN_TOKEN, END_TOKEN, PADDING = range(
    256, 261
)  # ids after those of the bytes

# The options of the three published models: size of the cell, of its projection, and highway layers.
OPTIONS: dict[str, dict[str, Any]] = {
    name: {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": projection,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": cell,
            "n_layers": 2,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]],
            "n_highway": highways,
            "embedding": {"dim": 16},
            "n_characters": 262,
            "max_characters_per_token": CHARACTERS,
        },
    }
    for name, cell, projection, highways in [
        ("small", 1024, 128, 1),
        ("medium", 2048, 256, 1),
        ("original", 4096, 512, 2),
    ]
}

State = tuple[torch.Tensor, torch.Tensor]


def character_ids(sentences: Sequence[Sequence[str]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Spell tokens for a BiLM: ids (B, T, 50) int64, and lengths (B,), with a marker before and after a sentence.

    A character is its bytes in UTF-8 (none, if it is half of a surrogate pair); of a token, 48 bytes are kept. Raises ValueError for no sentences, a
    sentence without tokens and an empty token, TypeError for a string in the place of a list of tokens.
    """
    if not len(sentences):
        raise ValueError("there are no sentences; give one or more")
    for number, sentence in enumerate(sentences):
        if isinstance(sentence, str):
            raise TypeError(f"sentence {number} is the string {sentence!r:.40}; give a list of its tokens")
        if not len(sentence) or not all(sentence):
            raise ValueError(
                f"sentence {number} is {list(sentence)!r:.40}; give one or more tokens, none empty"
            )
    lengths = torch.tensor([len(sentence) + 2 for sentence in sentences])
    ids = np.full((len(sentences), lengths.max().item(), CHARACTERS), PADDING)
    for row, sentence in zip(ids, sentences, strict=True):
        spelled = [list(token.encode(errors="ignore")[: CHARACTERS - 2]) for token in sentence]
        for place, token in zip(row, [[BEGIN_SENTENCE], *spelled, [END_SENTENCE]], strict=False):
            place[: len(token) + 2] = [BEGIN_TOKEN, *token, END_TOKEN]
    return torch.from_numpy(ids), lengths


class CharacterCNN(nn.Module):
    """A vector for each token, from its characters alone: convolutions, highway layers and a projection to R^d."""

    def __init__(self, options: Mapping[str, Any], dimensions: int) -> None:
        super().__init__()
        width, filters = options["embedding"]["dim"], options["filters"]
        self.activation = {"relu": torch.relu, "tanh": torch.tanh}[options["activation"]]
        self.embedding = nn.Embedding(PADDING + 1, width)
        self.convolutions = nn.ModuleList(nn.Conv1d(width, count, size) for size, count in filters)
        channels = sum(count for _, count in filters)
        self.highway = Highway(channels, options["n_highway"], torch.relu)
        self.projection = nn.Linear(channels, dimensions)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Turn character ids (..., 50) into vectors (..., d)."""
        spelled = self.embedding(ids.flatten(0, -2)).transpose(1, 2)
        largest = [convolution(spelled).amax(2) for convolution in self.convolutions]
        vectors = self.highway(self.activation(torch.cat(largest, 1)))
        return self.projection(vectors).unflatten(0, ids.shape[:-1])


class BiLM(nn.Module):
    """The network of section 3.1, for options as in ``OPTIONS``: L layers of LSTMs in each direction.

    ``characters`` is the CharacterCNN; ``directions`` holds the LSTMs of the forward direction, then those of
    the backward one. Raises ValueError for options that lack a part.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        try:
            lstm, characters = options["lstm"], options["char_cnn"]
            if characters["max_characters_per_token"] != CHARACTERS:
                raise ValueError(f"max_characters_per_token is not {CHARACTERS}, as in all published models")
            size, self.skip = lstm["projection_dim"], lstm["use_skip_connections"]
            self.characters = CharacterCNN(characters, size)
            clips = {
                "memory_cell_clip_value": lstm["cell_clip"],
                "state_projection_clip_value": lstm["proj_clip"],
            }
            self.directions = nn.ModuleList(
                nn.ModuleList(
                    LstmCellWithProjection(size, size, lstm["dim"], go_forward=forward, **clips)
                    for _ in range(lstm["n_layers"])
                )
                for forward in (True, False)
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"the options lack {error}; give those of a biLM, as in elmo.OPTIONS") from error

    def forward(
        self, ids: torch.Tensor, lengths: torch.Tensor, state: State | None = None
    ) -> tuple[torch.Tensor, State]:
        """Read B sentences: character ids (B, T, 50) and lengths (B,), from 1 to T.

        Returns the layers (L + 1, B, T, 2d) and the state. A layer has the forward direction's d numbers, then
        the backward's (layer 0: the token's vector twice); zeros behind the end of a sentence.
        The state is that of the LSTMs behind their last tokens, h (2L, B, d) and c (2L, B, cell). Nothing is
        kept between calls: to go on from an earlier batch, as bilm-tf does, give its state, detached in training.
        Raises ValueError for shapes that do not fit.
        """
        if ids.shape[:1] != lengths.shape or lengths.min() < 1 or lengths.max() > ids.shape[1]:
            raise ValueError(f"lengths is {lengths.tolist()}; give {len(ids)}, from 1 to {ids.shape[1]}")
        count = sum(map(len, self.directions))
        if state is not None and any(part.shape[:2] != (count, len(ids)) for part in state):
            raise ValueError(
                f"the state is not one of {len(ids)} sentences: its shapes begin with ({count}, B)"
            )
        order = lengths.argsort(descending=True, stable=True)  # the LSTM wants the longest first
        sorted_lengths, back = lengths[order].tolist(), order.argsort()
        mask = torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device)[:, None]
        tokens = (self.characters(ids) * mask[..., None])[order]
        by_direction, ends = [], []
        for direction in self.directions:
            layers = [tokens]
            for number, lstm in enumerate(direction):
                start = state and tuple(part[len(ends)][None, order] for part in state)
                output, end = lstm(layers[-1], sorted_lengths, start)
                layers.append(output + layers[-1] if self.skip and number else output)
                ends.append(end)
            by_direction.append(layers)
        both = torch.stack([torch.cat(pair, -1) for pair in zip(*by_direction, strict=True)])
        hidden, cells = (torch.cat(part) for part in zip(*ends, strict=True))
        return both[:, back], (hidden[:, back], cells[:, back])


def load(options_file: str | Path, weights_file: str | Path) -> BiLM:
    """Read a published biLM, options (JSON) and weights (HDF5), as bilm-tf writes them; return it in eval mode.

    Raises FileNotFoundError for a file that is not there, and ValueError for one that is not JSON or HDF5, is
    cut short, or does not fit the other.
    """
    for path in (Path(options_file), Path(weights_file)):
        if not path.is_file():
            raise FileNotFoundError(
                f"there is no file {path}; give the options (JSON) and the weights (HDF5)"
            )
    try:
        options = json.loads(Path(options_file).read_text(encoding="utf-8"))
        model = BiLM(options)
    except ValueError as error:  # of JSON, of Unicode, and BiLM's own
        raise ValueError(f"{options_file} holds no options of a biLM: {error}") from error
    try:
        with h5py.File(weights_file, "r") as file:
            arrays: dict[str, np.ndarray] = {}
            file.visititems(
                lambda name, item: arrays.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None
            )
    except OSError as error:
        raise ValueError(f"{weights_file} is no whole HDF5 file ({error}); fetch it again") from error
    wanted = _shapes(options)
    for name in sorted(wanted.keys() | arrays.keys()):
        found = arrays[name].shape if name in arrays else "nothing"
        if found != wanted.get(name, "nothing"):
            raise ValueError(
                f"{weights_file} does not fit {options_file}: as {name} it has {found}, and the options ask for "
                f"{wanted.get(name, 'nothing')}; take both files from one model"
            )
    model.load_state_dict(_weights(arrays, options))
    return model.eval()


def _cells(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The name of each LSTM: bilm-tf's, and ours."""
    return [
        (f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell", f"directions.{direction}.{layer}")
        for direction in (0, 1)
        for layer in range(options["lstm"]["n_layers"])
    ]


def _shapes(options: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The arrays of a file of weights, and their shapes."""
    characters, lstm = options["char_cnn"], options["lstm"]
    width, size, cell = characters["embedding"]["dim"], lstm["projection_dim"], lstm["dim"]
    channels = sum(count for _, count in characters["filters"])
    shapes = {
        "char_embed": (PADDING + 1, width),
        "CNN_proj/W_proj": (channels, size),
        "CNN_proj/b_proj": (size,),
    }
    for k, (places, count) in enumerate(characters["filters"]):
        shapes |= {f"CNN/W_cnn_{k}": (1, places, width, count), f"CNN/b_cnn_{k}": (count,)}
    for k in range(characters["n_highway"]):
        for part in ("carry", "transform"):
            shapes |= {f"CNN_high_{k}/W_{part}": (channels, channels), f"CNN_high_{k}/b_{part}": (channels,)}
    for name, _ in _cells(options):
        shapes |= {
            f"{name}/W_0": (2 * size, 4 * cell),
            f"{name}/B": (4 * cell,),
            f"{name}/W_P_0": (cell, size),
        }
    return shapes


def _weights(arrays: Mapping[str, np.ndarray], options: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """The state dict of a BiLM from bilm-tf's arrays, whose matrices have inputs as rows."""
    file = {name: torch.from_numpy(np.asarray(array)) for name, array in arrays.items()}
    weights = {
        "characters.embedding.weight": file["char_embed"],
        "characters.projection.weight": file["CNN_proj/W_proj"].T,
        "characters.projection.bias": file["CNN_proj/b_proj"],
    }
    for k in range(len(options["char_cnn"]["filters"])):
        weights[f"characters.convolutions.{k}.weight"] = file[f"CNN/W_cnn_{k}"][0].permute(2, 1, 0)
        weights[f"characters.convolutions.{k}.bias"] = file[f"CNN/b_cnn_{k}"]
    for k in range(options["char_cnn"]["n_highway"]):
        # What bilm-tf calls carry is the share of the new value; Highway's gate is that of the old: 1 - sigmoid(z) =
        # sigmoid(-z).
        for ours, w in (("weight", "W"), ("bias", "b")):
            parts = [file[f"CNN_high_{k}/{w}_transform"], -file[f"CNN_high_{k}/{w}_carry"]]
            weights[f"characters.highway._layers.{k}.{ours}"] = torch.cat(parts, -1).t()
    size, cell = options["lstm"]["projection_dim"], options["lstm"]["dim"]
    for name, ours in _cells(options):
        # Gates: input, candidate, forget, output there; input, forget, candidate, output here.
        gates = torch.cat([file[f"{name}/W_0"], file[f"{name}/B"][None]]).unflatten(1, (4, cell))[
            :, [0, 2, 1, 3]
        ]
        gates[-1, 1] += 1  # there the forget gate adds 1 to its bias when it runs
        gates = gates.flatten(1).T
        weights[f"{ours}.input_linearity.weight"] = gates[:, :size]
        weights[f"{ours}.state_linearity.weight"] = gates[:, size:-1]
        weights[f"{ours}.state_linearity.bias"] = gates[:, -1]
        weights[f"{ours}.state_projection.weight"] = file[f"{name}/W_P_0"].T
    return weights
