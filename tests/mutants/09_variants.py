"""Lab 09's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

RATIO = "k = config.max_position_embeddings if k < 1 else k"
TERMS = 'attention += ("c2p" in types) * d * d + ("p2c" in types) * (d * d + d)'
STORED = "stored = (layers * attention, layers * (2 * d * inner + inner + 3 * d), pooler)"
RESULT = "return dict(zip(PARTS, (*rows, 2 * E, projection, *stored), strict=True))"
GROUPS = "config.num_hidden_groups * config.inner_group_num"
KINDS = 'if kind not in ("bert", "roberta", "albert", "deberta"):'

BETWEEN = "between = [separator] if number != last else []"
FITS = "fits = bool(inputs) and len(inputs[-1]) + len(between) + len(sentence) <= length"
JOINS = "if fits and (across or not between):"
NEW = "inputs.append(list(sentence))"
SIZES = "if not 0 < size <= length:"
BAD = "if not 0 <= probability <= 1 or epochs < 1 or (copies is not None and copies < 1):"
DRAWN = "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability"
EPOCHS = "return (drawn & candidates)[torch.arange(epochs, device=candidates.device) % number]"

COUNTS = "if number < 0 or any(n < 1 for n in counts.values()):"
MOST = "best = min(pair for pair, n in pairs.items() if n == most)"
LOOP = "while len(learned) < number and (most := max(pairs.values(), default=0)) > 0:"
RANKED = "while found := [rank[pair] for pair in pairwise(ids) if pair in rank]:"
MERGE = "ids = merged(ids, merges[min(found)], 256 + min(found))"
PLACE = "place += 2 if found else 1"

SUM = 'x = p["tokens"][ids] + p["positions"][:T] + p["segments"][segments]'
INTO = 'return F.layer_norm(x, x.shape[-1:], p["gamma"], p["beta"], 1e-12) @ p["W"] + p["b"]'
KIND = 'if sharing not in ("none", "attention", "feed", "all") or layers < 1 or x.shape[-1] % heads:'
CLEAN = "x = x.masked_fill(~mask[..., None], 0.0)"
SETS = 'a, f = (parameters[part][number % len(parameters[part])] for part in ("attention", "feed"))'
MIXED = 'x = x + mix(q, k, v, heads, mask) @ a["W_O"] + a["b_O"]'
NORM_A = 'x = F.layer_norm(x, x.shape[-1:], a["gamma"], a["beta"], 1e-12)'
GELU = 'inner = F.gelu(x @ f["W_1"] + f["b_1"], approximate="tanh")'

LABEL = "label = int(torch.randint(2, (), generator=generator))"
PLACED = "place = int(torch.randint(others, (), generator=generator))"
SECOND = "second = everything[place + len(document) * (place >= begin)]"
EXAMPLE = "examples.append((list(first), list(second), label))"
EMPTY = 'if kind not in ("sop", "nsp") or not all(map(len, everything)):'
FEW = 'if len(everything) == filled or (kind == "nsp" and filled < 2):'

CLIP = "return (places[:, None] - places + k).clamp(0, 2 * k - 1)"
C2P = "content_position = (Q_c @ K_r.mT).gather(-1, rows)"
P2C = "position_content = (K_c @ Q_r.mT).gather(-1, rows.mT if published else rows).mT"
SCALED = "return (Q_c @ K_c.mT + content_position + position_content) / (3 * d_k) ** 0.5"
FILL = 'scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))'
SOFT = "weights = scores.softmax(dim=-1)"
OUT = "return (weights @ V).transpose(1, 2).flatten(2), weights"

CENTER = "centered = x - x.mean(dim=-1, keepdim=True)"
KL = "return ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum(dim=-1).mean()"
START = "start = (noise * drawn).masked_fill(~mask[..., None], 0.0)"
SLOPE = "(slope,) = torch.autograd.grad(loss, shift)"
LENGTH = "length = slope.flatten(1).norm(dim=1)[:, None, None]"
STEP = "return start + step * slope / length.masked_fill(length == 0, 1.0)"
N = "n = normalized(x.masked_fill(~mask[..., None], 0.0))"
LOSS = "return symmetric_kl(logits_of(n + shift), clean), clean"
CHECK = "if not (noise > 0 and step > 0):"
CHECK_SHIFT = f'changes the answer most."""\n    # BEGIN SOLUTION\n    {CHECK}'
CHECK_LOSS = f'and the latter\'s logits."""\n    # BEGIN SOLUTION\n    {CHECK}'

QUESTIONS = {
    "q1": Question(
        right={
            "term by term": """
def count_parameters(config):
    name, d = config.model_type, config.hidden_size
    if name not in {"bert", "roberta", "albert", "deberta"}:
        raise ValueError(f"no rule for {name}")
    E = getattr(config, "embedding_size", d) if name == "albert" else d
    found = {part: 0 for part in PARTS}
    found["tokens"] = config.vocab_size * E
    found["segments"] = config.type_vocab_size * E
    found["embedding norm"] = E + E
    if name != "deberta" or config.position_biased_input:
        found["positions"] = config.max_position_embeddings * E
    L = config.num_hidden_layers
    layer = {"query": d * d + d, "key": d * d + d, "value": d * d + d, "out": d * d + d, "norm": 2 * d}
    if name == "albert":
        found["projection"] = (E + 1) * d
        L = config.inner_group_num * config.num_hidden_groups
    if name == "deberta":
        layer["key"] = d * d
        if config.relative_attention:
            k = config.max_relative_positions
            found["relative"] = 2 * d * (k if k >= 1 else config.max_position_embeddings)
            for kind in config.pos_att_type or []:
                layer[kind] = d * d + (d if kind == "p2c" else 0)
    else:
        found["pooler"] = d * (d + 1)
    found["attention"] = L * sum(layer.values())
    found["feed-forward"] = L * (d * config.intermediate_size * 2 + config.intermediate_size + d + 2 * d)
    return found
""",
            "the model itself, on the meta device": """
def count_parameters(config):
    if config.model_type not in ("bert", "roberta", "albert", "deberta"):
        raise ValueError("another model")
    with torch.device("meta"):
        model = AutoModel.from_config(copy.deepcopy(config))
    keys = ("word_emb", "position_emb", "token_type", "rel_emb", "embeddings.LayerNorm", "mapping_in", "attention", "", "pooler")
    own = dict(zip(PARTS, keys))
    counts = dict.fromkeys(PARTS, 0)
    for name, weight in model.named_parameters():
        part = next((p for p, key in own.items() if key and key in name), "feed-forward")
        counts[part] += weight.numel()
    return counts
""",
            "shapes multiplied": """
def count_parameters(config):
    from math import prod
    kind = config.model_type
    if kind not in "bert roberta albert deberta".split():
        raise ValueError("another model")
    d, f, V, n = config.hidden_size, config.intermediate_size, config.vocab_size, config.max_position_embeddings
    E = config.embedding_size if kind == "albert" else d
    shapes = {part: [] for part in PARTS}
    shapes["tokens"] = [(V, E)]
    shapes["positions"] = [] if kind == "deberta" and not config.position_biased_input else [(n, E)]
    shapes["segments"] = [(config.type_vocab_size, E)]
    shapes["embedding norm"] = [(E,), (E,)]
    shapes["projection"] = [(E, d), (d,)] if kind == "albert" else []
    times = config.num_hidden_groups * config.inner_group_num if kind == "albert" else config.num_hidden_layers
    attention = [(d, d)] * 4 + [(d,)] * (3 if kind == "deberta" else 4) + [(d,)] * 2
    if kind == "deberta" and config.relative_attention:
        k = config.max_relative_positions
        shapes["relative"] = [(2 * (n if k < 1 else k), d)]
        attention += [(d, d)] * len(config.pos_att_type or ())
        attention += [(d,)] * ("p2c" in (config.pos_att_type or ()))
    shapes["attention"] = attention * times
    shapes["feed-forward"] = [(d, f), (f,), (f, d), (d,), (d,), (d,)] * times
    shapes["pooler"] = [] if kind == "deberta" else [(d, d), (d,)]
    return {part: sum(map(prod, some)) for part, some in shapes.items()}
""",
        },
        wrong={
            "terms' rows without relative attention": (
                'if kind == "deberta" and config.relative_attention:\n        k,',
                'if kind == "deberta":\n        k,',
            ),
            "four times d instead of intermediate_size": (
                "inner, places = config.intermediate_size,",
                "inner, places = 4 * d,",
            ),
            "numpy numbers": (
                "return dict(zip(PARTS, (*rows, 2 * E, projection, *stored), strict=True))",
                "return {k: np.int64(v) for k, v in zip(PARTS, (*rows, 2 * E, projection, *stored), strict=True)}",
            ),
            "other models not refused": (KINDS, "if False:"),
            "albert refused": (KINDS, KINDS.replace('"albert", ', "")),
            "any name with bert allowed": (KINDS, 'if "bert" not in kind:'),
            "another error": ("raise ValueError(", "raise KeyError("),
            "ALBERT's layers all stored": (GROUPS, "config.num_hidden_layers"),
            "ALBERT's inner layers forgotten": (GROUPS, "config.num_hidden_groups"),
            "ALBERT: one layer": (GROUPS, "1"),
            "ALBERT: d wide embeddings": ("E, layers = config.embedding_size,", "E, layers = d,"),
            "projection without biases": ("E * d + d if", "E * d if"),
            "projection only if E differs": (
                'projection = E * d + d if kind == "albert" else 0',
                "projection = E * d + d if E != d else 0",
            ),
            "projection for all": ('E * d + d if kind == "albert" else 0', "E * d + d"),
            "key bias of DeBERTa counted": ("attention -= d", "pass"),
            "no key bias anywhere": ("4 * d * d + 6 * d", "4 * d * d + 5 * d"),
            "the norm of the attention forgotten": ("4 * d * d + 6 * d", "4 * d * d + 4 * d"),
            "no biases": ("4 * d * d + 6 * d", "4 * d * d + 2 * d"),
            "three projections": ("4 * d * d + 6 * d", "3 * d * d + 5 * d"),
            "the norm of the feed-forward forgotten": ("inner + 3 * d", "inner + d"),
            "feed-forward without biases": ("2 * d * inner + inner + 3 * d", "2 * d * inner + 2 * d"),
            "inner size 4d": ("inner, places = config.intermediate_size,", "inner, places = 4 * d,"),
            "one layer": (STORED, STORED.replace("layers * ", "")),
            "c2p with biases": ('("c2p" in types) * d * d', '("c2p" in types) * (d * d + d)'),
            "p2c without biases": ("(d * d + d)\n    inner", "d * d\n    inner"),
            "both terms always": (TERMS, "attention += d * d + (d * d + d)"),
            "terms without relative attention": (
                'if kind == "deberta" and config.relative_attention:',
                'if kind == "deberta":',
            ),
            "terms forgotten": (TERMS, "pass"),
            "pos_att_type may not be None": ("config.pos_att_type or ()", "config.pos_att_type"),
            "k rows instead of 2k": ("2 * k * d)", "k * d)"),
            "2k + 1 rows": ("2 * k * d)", "(2 * k + (k > 0)) * d)"),
            "k always the longest text": (RATIO, "k = config.max_position_embeddings"),
            "k 0 stays 0": (RATIO, "k = config.max_position_embeddings if k < 0 else k"),
            "k -1 stays": (RATIO, "pass"),
            "DeBERTa has positions": (
                'places = places if kind != "deberta" or config.position_biased_input else 0',
                "pass",
            ),
            "DeBERTa never has positions": (
                'places if kind != "deberta" or config.position_biased_input else 0',
                'places if kind != "deberta" else 0',
            ),
            "512 positions": (
                "inner, places = config.intermediate_size, config.max_position_embeddings",
                "inner, places = config.intermediate_size, 512",
            ),
            "two segments": ("config.type_vocab_size * E", "2 * E"),
            "segments forgotten": ("config.type_vocab_size * E", "0"),
            "positions d wide": ("places * E,", "places * d,"),
            "segments d wide": ("config.type_vocab_size * E", "config.type_vocab_size * d"),
            "the norm's width d": ("2 * E, projection", "2 * d, projection"),
            "only the norm's scale": ("2 * E, projection", "E, projection"),
            "DeBERTa has a pooler": ('0 if kind == "deberta" else d * d + d', "d * d + d"),
            "no pooler at all": ('0 if kind == "deberta" else d * d + d', "0"),
            "pooler without biases": (
                '0 if kind == "deberta" else d * d + d',
                '0 if kind == "deberta" else d * d',
            ),
            "a total": (RESULT, "return sum((*rows, 2 * E, projection, *stored))"),
            "zeros left out": (
                RESULT,
                "return {n: c for n, c in zip(PARTS, (*rows, 2 * E, projection, *stored)) if c}",
            ),
            "terms exchanged": (
                RESULT,
                "return dict(zip(PARTS, (*rows[::-1], 2 * E, projection, *stored), strict=True))",
            ),
            "floats": (STORED, STORED.replace("layers * attention", "1.0 * layers * attention")),
            "bools": ("2 * k * d)", "2 * k * d or False)"),
            "the configuration changed": (
                RATIO,
                RATIO + "\n        config.max_relative_positions = k",
            ),
            "the configuration's layers changed": (
                RESULT,
                "config.num_hidden_layers = layers\n    " + RESULT,
            ),
            "BERT-base by heart": (
                RESULT,
                "return dict(zip(PARTS, (23440896, 393216, 1536, 0, 1536, 0, 28366848, 56687616, 590592), strict=True))",
            ),
        },
    ),
    "q2": Question(
        right={
            "only the candidates are drawn": """
def masked_places(candidates, epochs, probability, generator, copies=None):
    if not 0 <= probability <= 1 or epochs < 1 or (copies is not None and copies < 1):
        what = f"probability {probability}, {epochs} epochs, {copies} copies"
        raise ValueError(f"{what}; give a probability from 0 to 1, and 1 or more of the others")
    number = epochs if copies is None else copies
    size = (number, *candidates.shape)
    drawn = torch.zeros(size, dtype=torch.bool)
    drawn[:, candidates] = torch.rand(number, int(candidates.sum()), generator=generator) < probability
    return (drawn & candidates)[torch.arange(epochs, device=candidates.device) % number]
""",
            "a buffer that is emptied": """
def full_sentences(documents, length, separator, across=True):
    if any(len(s) == 0 or len(s) > length for document in documents for s in document):
        raise ValueError("a sentence that does not fit")
    inputs, now, owner = [], [], None
    for i, document in enumerate(documents):
        for sentence in document:
            extra = now and owner != i
            too_long = len(now) + (1 if extra else 0) + len(sentence) > length
            if now and (too_long or (extra and not across)):
                inputs.append(now)
                now, extra = [], False
            now = now + ([separator] if extra else []) + list(sentence)
            owner = i
    return inputs + [now] if now else inputs

def masked_places(candidates, epochs, probability, generator, copies=None):
    if not (0 <= probability <= 1) or epochs <= 0 or (copies is not None and copies <= 0):
        raise ValueError("out of range")
    masks = [
        torch.rand(candidates.shape, generator=generator).lt(probability).logical_and(candidates)
        for _ in range(copies or epochs)
    ]
    return torch.stack([masks[e % len(masks)] for e in range(epochs)])
""",
            "recursion by index, bernoulli": """
def full_sentences(documents, length, separator, across=True):
    rows = [(d, s) for d, document in enumerate(documents) for s in document]
    for d, s in rows:
        if not s or len(s) > length:
            raise ValueError(f"document {d}")
    result, at = [], 0
    while at < len(rows):
        d, s = rows[at]
        row, at = [*s], at + 1
        while at < len(rows):
            e, s = rows[at]
            if e != d and not across:
                break
            add = ([separator] if e != d else []) + [*s]
            if len(row) + len(add) > length:
                break
            row, d, at = row + add, e, at + 1
        result.append(row)
    return result

def masked_places(candidates, epochs, probability, generator, copies=None):
    c = epochs if copies is None else copies
    if probability != probability or probability < 0 or probability > 1 or min(c, epochs) < 1:
        raise ValueError("out of range")
    chances = probability * candidates.double().expand(c, *candidates.shape)
    masks = torch.bernoulli(chances, generator=generator).bool()
    return torch.cat([masks] * (-(-epochs // c)))[:epochs]
""",
            "only the masks that are needed": """
def full_sentences(documents, length, separator, across=True):
    inputs, owner = [], -1
    for number, document in enumerate(documents):
        for sentence in document:
            if len(sentence) not in range(1, length + 1):
                raise ValueError("a sentence that does not fit")
    for number, document in enumerate(documents):
        for sentence in document:
            begin = not inputs or (number != owner and not across)
            begin = begin or len(inputs[-1]) + (number != owner) + len(sentence) > length
            if begin:
                inputs.append([])
            elif number != owner:
                inputs[-1].append(separator)
            inputs[-1].extend(sentence)
            owner = number
    return inputs

def masked_places(candidates, epochs, probability, generator, copies=None):
    if not 0 <= probability <= 1:
        raise ValueError(f"probability {probability}")
    if epochs < 1 or (copies is not None and copies < 1):
        raise ValueError("epochs and copies are 1 or more")
    number = min(epochs, copies or epochs)
    drawn = torch.rand((number, *candidates.shape), generator=generator, dtype=torch.float64)
    return (candidates & (drawn < probability))[torch.arange(epochs) % number]
""",
        },
        wrong={
            "the caller's list where an input is one sentence": (
                NEW,
                "inputs.append(sentence)",
                "inputs[-1] += [*between, *sentence]",
                "inputs[-1] = [*inputs[-1], *between, *sentence]",
            ),
            "an exact number in each epoch": (
                DRAWN,
                "drawn = torch.zeros(size, dtype=torch.bool)\n"
                "    places = candidates.flatten().nonzero()[:, 0]\n"
                "    for one in drawn.flatten(1):\n"
                "        some = torch.randperm(len(places), generator=generator)\n"
                "        one[places[some[: round(probability * len(places))]]] = True",
            ),
            "equal documents taken for one": (
                "between = [separator] if number != last else []",
                "number = documents.index(document)\n            between = [separator] if number != last else []",
            ),
            "one list twice taken for one document": (
                "between = [separator] if number != last else []",
                "between = [separator] if document is not last else []",
                "last = number",
                "last = document",
            ),
            "separators stripped at the end": (
                "    return inputs\n",
                "    for row in inputs:\n        while len(row) > 1 and row[-1] == separator:\n            row.pop()\n    return inputs\n",
            ),
            "separators stripped at the begin": (
                "    return inputs\n",
                "    for row in inputs:\n        while len(row) > 1 and row[0] == separator:\n            del row[0]\n    return inputs\n",
            ),
            "no separator before a sentence that begins with it": (
                "between = [separator] if number != last else []",
                "between = [separator] if number != last and sentence[0] != separator else []",
            ),
            "no separator if the input ends with it": (
                "between = [separator] if number != last else []",
                "between = [separator] if number != last and not (inputs and inputs[-1][-1] == separator) else []",
            ),
            "separator in a sentence refused": (
                "if not 0 < size <= length:",
                "if not 0 < size <= length or any(separator in s for s in document):",
            ),
            "masks rolled from one": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "one = torch.rand(size[1:], generator=generator) < probability\n    drawn = torch.stack([one.flatten().roll(n).view(one.shape) for n in range(number)])",
            ),
            "spread evenly over the epochs": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "u = torch.rand(size[1:], generator=generator)\n    drawn = ((u + probability * torch.arange(number).view(-1, *[1] * (len(size) - 1))) % 1) < probability",
            ),
            "permutation of masks: same counts": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "one = torch.rand(size[1:], generator=generator) < probability\n    drawn = torch.stack([one.flatten()[torch.randperm(one.numel(), generator=generator)].view(one.shape) for n in range(number)])",
            ),
            "texts alike in pairs": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "u = torch.rand(size, generator=generator)\n    u = u[:, torch.arange(size[1]) // 2 * 2] if len(size) > 2 else u\n    drawn = u < probability",
            ),
            "columns alike in pairs": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "u = torch.rand(size, generator=generator)\n    u = u[..., torch.arange(size[-1]) // 2 * 2]\n    drawn = u < probability",
            ),
            "a place is not masked twice in a row": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "u = torch.rand(size, generator=generator)\n    drawn = u < probability\n    for n in range(1, number):\n        if 0.1 < probability < 0.3: drawn[n] = torch.rand(size[1:], generator=generator) < torch.where(drawn[n-1], 0.0, probability/(1-probability))",
            ),
            "masks in spans": (
                "drawn = torch.rand(size, generator=generator, device=candidates.device) < probability",
                "u = torch.rand(size, generator=generator)\n    keep = torch.rand(size, generator=generator) < 0.5\n    u = torch.where(keep, u, u.roll(1, -1))\n    drawn = u < probability",
            ),
            "a flat list of ids": "def full_sentences(documents, length, separator, across=True):\n    return [1, 2, 3]\n",
            "no separator": (BETWEEN, "between = []"),
            "a separator between sentences": (BETWEEN, "between = [separator] if inputs else []"),
            "a separator at the begin": (NEW, "inputs.append([*between, *sentence])"),
            "the separator does not count": ("+ len(between) +", "+"),
            "strictly below length": ("<= length\n            if fits", "< length\n            if fits"),
            "one longer allowed": (FITS, FITS.replace("<= length", "<= length + 1")),
            "a sentence cut to fit": (
                JOINS,
                "if inputs and not fits and len(inputs[-1]) + len(between) < length and (across or not between):\n"
                "                room = length - len(inputs[-1]) - len(between)\n"
                "                inputs[-1] += [*between, *sentence[:room]]\n"
                "                inputs.append(list(sentence[room:]))\n"
                "            elif fits and (across or not between):",
            ),
            "across ignored": (JOINS, "if fits:"),
            "never across": (JOINS, "if fits and not between:"),
            "across the other way round": (JOINS, "if fits and (not across or not between):"),
            "each sentence alone": (JOINS, "if False:"),
            "the sentence itself, then added to": (NEW, "inputs.append(sentence)"),
            "first fit into any input": (
                "inputs[-1] += [*between, *sentence]",
                "next(row for row in inputs if len(row) + len(between) + len(sentence) <= length).extend([*between, *sentence])",
            ),
            "documents sorted by length": (
                "inputs, last = [], None",
                "documents = sorted(documents, key=len)\n    inputs, last = [], None",
            ),
            "padded": ("return inputs\n", "return [row + [0] * (length - len(row)) for row in inputs]\n"),
            "the last input dropped if not full": (
                "return inputs\n",
                "return [row for row in inputs[:-1]] + [row for row in inputs[-1:] if len(row) == length]\n",
            ),
            "long sentences not refused": (SIZES, "if not 0 < size:"),
            "empty sentences not refused": (SIZES, "if size > length:"),
            "long sentences left out": (
                SIZES,
                "if False:",
                JOINS,
                "if len(sentence) > length:\n                continue\n            " + JOINS,
            ),
            "refused if as long as an input": (SIZES, "if not 0 < size < length:"),
            "an error without a message": (
                'raise ValueError(f"document {number} has a sentence of {size} ids, {advice}")',
                "raise ValueError",
            ),
            "tuples instead of lists": ("return inputs\n", "return [tuple(row) for row in inputs]\n"),
            "masks not restricted to candidates": ("(drawn & candidates)", "drawn"),
            "masks only outside the candidates": ("(drawn & candidates)", "(drawn & ~candidates)"),
            "always dynamic": ("number = epochs if copies is None else copies", "number = epochs"),
            "always one mask": ("number = epochs if copies is None else copies", "number = 1"),
            "epoch e uses mask e div c": (
                EPOCHS,
                "return (drawn & candidates)[torch.arange(epochs) * number // epochs]",
            ),
            "each mask used for a block": (
                EPOCHS,
                "return (drawn & candidates).repeat_interleave(-(-epochs // number), 0)[:epochs]",
            ),
            "only c masks returned": (EPOCHS, "return drawn & candidates"),
            "the last mask repeated": (
                EPOCHS,
                "return (drawn & candidates)[torch.arange(epochs).clamp(max=number - 1)]",
            ),
            "the global generator": ("generator=generator, ", ""),
            "seeded inside": (DRAWN, "generator.manual_seed(0)\n    " + DRAWN),
            "1 - probability": ("< probability", "> probability"),
            "probability 15 % always": ("< probability", "< 0.15"),
            "an exact number of places": (
                DRAWN,
                "noise = torch.rand(size, generator=generator).masked_fill(~candidates, 2.0).flatten(1)\n"
                "    keep = round(probability * int(candidates.sum()))\n"
                "    drawn = (noise.argsort(1).argsort(1) < keep).view(size)",
            ),
            "the same for all texts": (
                "size = (number, *candidates.shape)",
                "size = (number, *[1] * (candidates.ndim - 1), *candidates.shape[-1:])",
            ),
            "probabilities outside not refused": ("not 0 <= probability <= 1 or ", ""),
            "probability 1 refused": ("not 0 <= probability <= 1", "not 0 <= probability < 1"),
            "probability 0 refused": ("not 0 <= probability <= 1", "not 0 < probability <= 1"),
            "nan not refused": ("not 0 <= probability <= 1", "probability < 0 or probability > 1"),
            "no epochs not refused": ("or epochs < 1 ", ""),
            "no copies not refused": ("or (copies is not None and copies < 1)", ""),
            "copies 0 means dynamic": (
                "or (copies is not None and copies < 1)",
                "or (copies or 1) < 1",
                "epochs if copies is None else copies",
                "copies or epochs",
            ),
            "drawn before the error": (
                BAD,
                "torch.rand(1, generator=generator)\n    " + BAD,
            ),
            "numbers instead of bool": (EPOCHS, EPOCHS + ".long()"),
            "candidates changed": (EPOCHS, "candidates &= drawn[0]\n    " + EPOCHS),
        },
    ),
    "q3": Question(
        right={
            "one pass over the merges": """
def encode(chunk, merges):
    if isinstance(chunk, str):
        raise TypeError(f"{chunk!r} is a string; give its bytes: chunk.encode()")
    ids = [BYTES.index(b) for b in chunk]
    rank = {pair: number for number, pair in enumerate(merges)}
    for n, pair in enumerate(merges):
        ids = merged(ids, tuple(pair), 256 + n)
    return ids
""",
            "all pairs counted anew": """
def train_bpe(counts, number):
    if number < 0 or not all(n >= 1 for n in counts.values()):
        raise ValueError("numbers are 1 or more")
    place = {b: i for i, b in enumerate(BYTES)}
    words = {tuple(place[b] for b in chunk): n for chunk, n in counts.items()}
    learned = []
    for new in range(256, 256 + number):
        pairs = Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = sorted(pairs, key=lambda pair: (-pairs[pair], pair))[0]
        learned.append(best)
        fresh = Counter()
        for word, n in words.items():
            out = []
            for symbol in word:
                if out and (out[-1], symbol) == best:
                    out[-1] = new
                else:
                    out.append(symbol)
            fresh[tuple(out)] += n
        words = fresh
    return learned

def encode(chunk, merges):
    if isinstance(chunk, str):
        raise TypeError("bytes, please")
    ids = [BYTES.index(b) for b in chunk]
    for number, (a, b) in enumerate(merges):
        out = []
        for symbol in ids:
            if out and out[-1] == a and symbol == b:
                out[-1] = 256 + number
            else:
                out.append(symbol)
        ids = out
    return ids

def decode(ids, merges):
    def spell(i):
        return bytes([BYTES[i]]) if i < 256 else spell(merges[i - 256][0]) + spell(merges[i - 256][1])
    for i in ids:
        if i < 0 or i >= 256 + len(merges):
            raise ValueError(f"no token {i}")
    return b"".join(map(spell, ids))
""",
            "lists and a heap": """
import heapq

def train_bpe(counts, number):
    if number < 0:
        raise ValueError("number is below 0")
    if counts and min(counts.values()) < 1:
        raise ValueError("a count below 1")
    words = [([BYTES.index(bytes([b])) for b in chunk], n) for chunk, n in counts.items()]
    learned = []
    while len(learned) < number:
        pairs = {}
        for ids, n in words:
            for i in range(len(ids) - 1):
                key = (ids[i], ids[i + 1])
                pairs[key] = pairs.get(key, 0) + n
        if len(pairs) == 0:
            return learned
        heap = [(-n, pair) for pair, n in pairs.items()]
        heapq.heapify(heap)
        a, b = heapq.heappop(heap)[1]
        for ids, _ in words:
            i = 0
            while i < len(ids) - 1:
                if ids[i] == a and ids[i + 1] == b:
                    ids[i : i + 2] = [256 + len(learned)]
                i += 1
        learned.append((a, b))
    return learned

def encode(chunk, merges):
    if not isinstance(chunk, (bytes, bytearray, memoryview)):
        raise TypeError("bytes, please")
    ids, rank = [BYTES.index(bytes([b])) for b in bytes(chunk)], {tuple(p): i for i, p in enumerate(merges)}
    while True:
        best = min(((rank.get((a, b), 10**9), i) for i, (a, b) in enumerate(zip(ids, ids[1:]))), default=(10**9, 0))
        if best[0] == 10**9:
            return ids
        ids = ids[: best[1]] + [256 + best[0]] + ids[best[1] + 2 :]

def decode(ids, merges):
    ids = list(ids)
    if any(i not in range(256 + len(merges)) for i in ids):
        raise ValueError("an unknown id")
    for new in range(255 + len(merges), 255, -1):
        ids = [part for i in ids for part in (merges[new - 256] if i == new else (i,))]
    return bytes(BYTES[i] for i in ids)
""",
        },
        wrong={
            "merged in place": ("    return result\n", "    ids[:] = result\n    return ids\n"),
            "merges that are no pairs": "def train_bpe(counts, number):\n    return [1, 2, 3]\n",
            "a chunk's count ignored": ("sign * times[w]", "sign"),
            "the least frequent pair": (
                "max(pairs.values(), default=0)",
                "min((n for n in pairs.values() if n > 0), default=0)",
            ),
            "ties: the largest pair": (MOST, MOST.replace("min(", "max(")),
            "ties: the first seen": (MOST, "best = next(pair for pair, n in pairs.items() if n == most)"),
            "ties: by the second id": (
                MOST,
                "best = min((pair for pair, n in pairs.items() if n == most), key=lambda p: p[::-1])",
            ),
            "ties: by the bytes": (
                MOST,
                "best = min((p for p, n in pairs.items() if n == most), key=lambda p: tuple(decode([i], learned) for i in p))",
            ),
            "ties: the shortest bytes": (
                MOST,
                "best = min((pair for pair, n in pairs.items() if n == most), key=lambda p: (max(p) > 255, p))",
            ),
            "byte values as ids in training": (
                "words, times = [[BYTES.index(b) for b in chunk]",
                "words, times = [list(chunk)",
            ),
            "byte values as ids in encoding": (
                "ids = [BYTES.index(b) for b in chunk]\n    rank",
                "ids = list(chunk)\n    rank",
            ),
            "byte values as ids in decoding": (
                "parts = [BYTES[i : i + 1] for i in range(256)]",
                "parts = [bytes([i]) for i in range(256)]",
            ),
            "byte values everywhere": (
                "words, times = [[BYTES.index(b) for b in chunk]",
                "words, times = [list(chunk)",
                "ids = [BYTES.index(b) for b in chunk]\n    rank",
                "ids = list(chunk)\n    rank",
                "parts = [BYTES[i : i + 1] for i in range(256)]",
                "parts = [bytes([i]) for i in range(256)]",
            ),
            "new ids from 257": ("256 + len(learned))", "257 + len(learned))"),
            "one merge too many": ("while len(learned) < number", "while len(learned) <= number"),
            "one merge too few": ("while len(learned) < number", "while len(learned) < number - 1"),
            "pairs that occur once are left": (LOOP, LOOP.replace("> 0:", "> 1:")),
            "runs on without pairs": (LOOP, LOOP.replace("> 0:", ">= 0:")),
            "old counts not taken off": ("count(w, -1)", "pass"),
            "only the count before any merge": (
                "            count(w, -1)\n            words[w] = merged(words[w], best, 256 + len(learned))\n            count(w, 1)",
                "            words[w] = merged(words[w], best, 256 + len(learned))\n        pairs[best] = 0",
            ),
            "only the first chunk is merged": (
                "for w in list(where[best]):",
                "for w in list(where[best])[:1]:",
            ),
            "right to left": (
                "ids = merged(ids, merges[min(found)], 256 + min(found))",
                "ids = merged(ids[::-1], merges[min(found)][::-1], 256 + min(found))[::-1]",
            ),
            "trained from right to left": (
                "words[w] = merged(words[w], best, 256 + len(learned))",
                "words[w] = merged(words[w][::-1], best[::-1], 256 + len(learned))[::-1]",
            ),
            "overlaps merged twice": (PLACE, "place += 1"),
            "only the first occurrence": (
                "found = tuple(ids[place : place + 2]) == pair",
                "found = tuple(ids[place : place + 2]) == pair and new not in result",
            ),
            "overlapping pairs counted once": (
                "        for pair in pairwise(words[w]):\n",
                "        before = None\n        for i, pair in enumerate(pairwise(words[w])):\n"
                "            if pair == before:\n                before = None\n                continue\n"
                "            before = pair\n",
            ),
            "merges across chunks": (
                "words, times = [[BYTES.index(b) for b in chunk] for chunk in counts], list(counts.values())",
                "words, times = [[BYTES.index(b) for chunk in counts for b in chunk]], [1]",
            ),
            "the last merge first": (MERGE, MERGE.replace("min(found)", "max(found)")),
            "the first pair in the text first": (MERGE, MERGE.replace("min(found)", "found[0]")),
            "the longest piece first, greedily": (
                "    while found := [rank[pair] for pair in pairwise(ids) if pair in rank]:\n        "
                + MERGE,
                "    names = [decode([256 + n], merges) for n in range(len(merges))]\n    chunk, ids = bytes(chunk), []\n"
                "    while chunk:\n        fit = [n for n, name in enumerate(names) if chunk.startswith(name)]\n"
                "        best = max(fit, key=lambda n: len(names[n]), default=None)\n"
                "        ids.append(BYTES.index(chunk[0]) if best is None else 256 + best)\n"
                "        chunk = chunk[1 if best is None else len(names[best]) :]",
            ),
            "one pass over the merges, each once": (
                "    while found := [rank[pair] for pair in pairwise(ids) if pair in rank]:\n        "
                + MERGE,
                "    if found := [rank[pair] for pair in pairwise(ids) if pair in rank]:\n        " + MERGE,
            ),
            "strings allowed": (
                "if isinstance(chunk, str):",
                "if isinstance(chunk, str):\n        chunk = chunk.encode()\n    if False:",
            ),
            "ValueError for strings": ("raise TypeError(", "raise ValueError("),
            "only bytes allowed, bytearray refused": (
                "if isinstance(chunk, str):",
                "if type(chunk) is not bytes:",
            ),
            "the empty chunk refused": (
                "if isinstance(chunk, str):",
                "if not chunk:\n        raise ValueError('empty')\n    if isinstance(chunk, str):",
            ),
            "decoded to text": (
                'return b"".join(parts[i] for i in ids)',
                'return b"".join(parts[i] for i in ids).decode()',
            ),
            "bytes that are no UTF-8 replaced": (
                'return b"".join(parts[i] for i in ids)',
                'return b"".join(parts[i] for i in ids).decode(errors="replace").encode()',
            ),
            "bytes that are no UTF-8 left out": (
                'return b"".join(parts[i] for i in ids)',
                'return b"".join(parts[i] for i in ids).decode(errors="ignore").encode()',
            ),
            "negative ids from the end": (
                "if not 0 <= i < 256 + len(merges)]",
                "if not i < 256 + len(merges)]",
            ),
            "large ids not refused": ("if not 0 <= i < 256 + len(merges)]", "if i < 0]"),
            "the last id refused": (
                "if not 0 <= i < 256 + len(merges)]",
                "if not 0 <= i < 255 + len(merges)]",
            ),
            "one id too many": ("if not 0 <= i < 256 + len(merges)]", "if not 0 <= i <= 256 + len(merges)]"),
            "unknown ids left out": (
                "    if wrong:\n",
                "    if wrong:\n        ids = [i for i in ids if i not in wrong]\n    if False:\n",
            ),
            "pieces joined with spaces": ('return b"".join', 'return b" ".join'),
            "the pair's bytes turned": (
                "parts.append(parts[a] + parts[b])",
                "parts.append(parts[b] + parts[a])",
            ),
            "a negative number not refused": ("number < 0 or ", ""),
            "counts of 0 not refused": ("or any(n < 1 for n in counts.values())", ""),
            "counts below 0 only": ("n < 1 for n", "n < 0 for n"),
            "counts changed": ("    while len(learned)", "    counts.clear()\n    while len(learned)"),
            "ids changed": (
                'return b"".join(parts[i] for i in ids)',
                'result = b"".join(parts[i] for i in ids)\n    ids.clear()\n    return result',
            ),
            "merges as bytes": (
                "learned.append(best)",
                "learned.append(tuple(decode([i], learned) for i in best))",
            ),
            "an endless loop": (RANKED, "while True:\n        found = [0]"),
        },
    ),
    "q4": Question(
        right={
            "only the real rows are filled": """
def albert_layers(x, parameters, heads, layers, sharing, mask=None):
    if sharing not in ("none", "attention", "feed", "all") or layers < 1 or x.shape[-1] % heads:
        what = f"sharing {sharing!r}, {layers} layers, {x.shape[-1]} columns, {heads} heads"
        raise ValueError(f"{what}; see the contract: 1 layer or more, d a multiple of heads")
    for part in ("attention", "feed"):
        needed, given = 1 if sharing in (part, "all") else layers, len(parameters[part])
        if given != needed:
            raise ValueError(f"{part} has {given} sets of weights; give {needed}")
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("a text has no real position; leave it out of the batch")
        x = x.masked_fill(~mask[..., None], 0.0)
    for number in range(layers):
        a, f = (parameters[part][number % len(parameters[part])] for part in ("attention", "feed"))
        q, k, v = (x @ a[f"W_{name}"] + a[f"b_{name}"] for name in "QKV")
        x = x + mix(q, k, v, heads, mask) @ a["W_O"] + a["b_O"]
        x = F.layer_norm(x, x.shape[-1:], a["gamma"], a["beta"], 1e-12)
        inner = F.gelu(x @ f["W_1"] + f["b_1"], approximate="tanh")
        x = F.layer_norm(
            x + inner @ f["W_2"] + f["b_2"], x.shape[-1:], f["gamma"], f["beta"], 1e-12
        )
    if mask is None:
        return x
    out = torch.zeros_like(x)
    out[mask] = x[mask]
    return out
""",
            "padding cleaned in each layer": """
def albert_layers(x, parameters, heads, layers, sharing, mask=None):
    if sharing not in ("none", "attention", "feed", "all") or layers < 1 or x.shape[-1] % heads:
        what = f"sharing {sharing!r}, {layers} layers, {x.shape[-1]} columns, {heads} heads"
        raise ValueError(f"{what}; see the contract: 1 layer or more, d a multiple of heads")
    for part in ("attention", "feed"):
        needed, given = 1 if sharing in (part, "all") else layers, len(parameters[part])
        if given != needed:
            raise ValueError(f"{part} has {given} sets of weights; give {needed}")
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("a text has no real position; leave it out of the batch")
        x = x.masked_fill(~mask[..., None], 0.0)
    for number in range(layers):
        a, f = (parameters[part][number % len(parameters[part])] for part in ("attention", "feed"))
        q, k, v = (x @ a[f"W_{name}"] + a[f"b_{name}"] for name in "QKV")
        x = x + mix(q, k, v, heads, mask) @ a["W_O"] + a["b_O"]
        x = F.layer_norm(x, x.shape[-1:], a["gamma"], a["beta"], 1e-12)
        inner = F.gelu(x @ f["W_1"] + f["b_1"], approximate="tanh")
        if mask is not None:
            x = x.masked_fill(~mask[..., None], 0.0)
        x = F.layer_norm(
            x + inner @ f["W_2"] + f["b_2"], x.shape[-1:], f["gamma"], f["beta"], 1e-12
        )
    return x
""",
            "written out, with einsum": """
def albert_embeddings(ids, segments, p):
    B, T = ids.shape
    if T > p["positions"].shape[0]:
        raise ValueError("too long")
    x = F.embedding(ids, p["tokens"]) + p["positions"][torch.arange(T)] + F.embedding(segments, p["segments"])
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    x = (x - mean) / (var + 1e-12).sqrt() * p["gamma"] + p["beta"]
    return torch.einsum("bte,ed->btd", x, p["W"]) + p["b"]

def albert_layers(x, parameters, heads, layers, sharing, mask=None):
    numbers = {"none": (layers, layers), "attention": (1, layers), "feed": (layers, 1), "all": (1, 1)}
    if sharing not in numbers:
        raise ValueError("sharing")
    if layers < 1 or x.size(-1) % heads != 0:
        raise ValueError("layers or heads")
    given = len(parameters["attention"]), len(parameters["feed"])
    if given != numbers[sharing]:
        raise ValueError("sets of weights")
    if mask is None:
        mask = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device)
    if (mask.sum(1) == 0).any():
        raise ValueError("an empty text")
    x = torch.where(mask[:, :, None], x, torch.zeros((), dtype=x.dtype))
    d = x.size(-1)
    for i in range(layers):
        a = parameters["attention"][min(i, given[0] - 1)]
        f = parameters["feed"][min(i, given[1] - 1)]
        split = lambda y: y.view(*y.shape[:2], heads, d // heads).permute(0, 2, 1, 3)
        q, k, v = (split(F.linear(x, a["W_" + n].T, a["b_" + n])) for n in "QKV")
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / (d // heads) ** 0.5
        weights = scores.masked_fill(~mask[:, None, None], -torch.inf).softmax(-1)
        mixed = (weights @ v).permute(0, 2, 1, 3).reshape(x.shape)
        y = F.layer_norm(x + (mixed @ a["W_O"] + a["b_O"]), (d,), a["gamma"], a["beta"], eps=1e-12)
        z = y @ f["W_1"] + f["b_1"]
        z = 0.5 * z * (1 + torch.tanh((2 / np.pi) ** 0.5 * (z + 0.044715 * z**3)))
        x = F.layer_norm(y + (z @ f["W_2"] + f["b_2"]), (d,), f["gamma"], f["beta"], eps=1e-12)
    return x
""",
            "lists filled up first": """
def albert_embeddings(ids, segments, p):
    if ids.size(1) > len(p["positions"]):
        raise ValueError("too long")
    total = p["tokens"][ids]
    total = total + p["positions"][None, : ids.size(1)]
    total = total + p["segments"][segments]
    total = F.layer_norm(total, (total.size(-1),), eps=1e-12) * p["gamma"] + p["beta"]
    return F.linear(total, p["W"].T, p["b"])

def albert_layers(x, parameters, heads, layers, sharing, mask=None):
    if sharing not in {"none", "attention", "feed", "all"}:
        raise ValueError("sharing")
    if layers < 1 or heads < 1 or x.shape[2] / heads != x.shape[2] // heads:
        raise ValueError("sizes")
    if mask is not None and not mask.any(dim=1).all():
        raise ValueError("an empty text")
    full = {}
    for part in parameters:
        shared = sharing == "all" or sharing == part
        if len(parameters[part]) != (1 if shared else layers):
            raise ValueError("sets of weights")
        full[part] = [parameters[part][0]] * layers if shared else list(parameters[part])
    if mask is not None:
        x = torch.where(mask.unsqueeze(-1), x, 0.0)
    def norm(y, p):
        return F.layer_norm(y, y.shape[-1:], eps=1e-12) * p["gamma"] + p["beta"]
    for a, f in zip(full["attention"], full["feed"]):
        q, k, v = (x @ a["W_" + n] + a["b_" + n] for n in ("Q", "K", "V"))
        x = norm(x + (mix(q, k, v, heads, mask) @ a["W_O"] + a["b_O"]), a)
        x = norm(x + (F.gelu(x @ f["W_1"] + f["b_1"], approximate="tanh") @ f["W_2"] + f["b_2"]), f)
    return x
""",
        },
        wrong={
            "the queries' matrix without gradient": (
                'x @ a[f"W_{name}"] +',
                'x @ (a["W_Q"].detach() if name == "Q" else a[f"W_{name}"]) +',
            ),
            "embeddings in float32": (INTO, "return (" + INTO[7:] + ").float()"),
            "no projection where E = d": (
                'return F.layer_norm(x, x.shape[-1:], p["gamma"], p["beta"], 1e-12) @ p["W"] + p["b"]',
                'x = F.layer_norm(x, x.shape[-1:], p["gamma"], p["beta"], 1e-12)\n    return x if p["W"].shape[0] == p["W"].shape[1] else x @ p["W"] + p["b"]',
            ),
            "transposed where E = d": (
                'return F.layer_norm(x, x.shape[-1:], p["gamma"], p["beta"], 1e-12) @ p["W"] + p["b"]',
                'x = F.layer_norm(x, x.shape[-1:], p["gamma"], p["beta"], 1e-12)\n    return x @ (p["W"] if p["W"].shape[0] != p["W"].shape[1] else p["W"].T) + p["b"]',
            ),
            "mask -30": (
                "x = x + mix(q, k, v, heads, mask) @",
                "sc = (q.unflatten(-1,(heads,-1)).transpose(1,2) @ k.unflatten(-1,(heads,-1)).transpose(1,2).mT) / (x.shape[-1]//heads) ** 0.5\n        sc = sc if mask is None else sc.masked_fill(~mask[:,None,None,:], -30.0)\n        y = (sc.softmax(-1) @ v.unflatten(-1,(heads,-1)).transpose(1,2)).transpose(1,2).flatten(2)\n        x = x + y @",
            ),
            "mask -100": (
                "x = x + mix(q, k, v, heads, mask) @",
                "sc = (q.unflatten(-1,(heads,-1)).transpose(1,2) @ k.unflatten(-1,(heads,-1)).transpose(1,2).mT) / (x.shape[-1]//heads) ** 0.5\n        sc = sc if mask is None else sc.masked_fill(~mask[:,None,None,:], -100.0)\n        y = (sc.softmax(-1) @ v.unflatten(-1,(heads,-1)).transpose(1,2)).transpose(1,2).flatten(2)\n        x = x + y @",
            ),
            "mask -1e4": (
                "x = x + mix(q, k, v, heads, mask) @",
                "sc = (q.unflatten(-1,(heads,-1)).transpose(1,2) @ k.unflatten(-1,(heads,-1)).transpose(1,2).mT) / (x.shape[-1]//heads) ** 0.5\n        sc = sc if mask is None else sc.masked_fill(~mask[:,None,None,:], -1e4)\n        y = (sc.softmax(-1) @ v.unflatten(-1,(heads,-1)).transpose(1,2)).transpose(1,2).flatten(2)\n        x = x + y @",
            ),
            "mask adds -100": (
                "x = x + mix(q, k, v, heads, mask) @",
                "sc = (q.unflatten(-1,(heads,-1)).transpose(1,2) @ k.unflatten(-1,(heads,-1)).transpose(1,2).mT) / (x.shape[-1]//heads) ** 0.5\n        sc = sc if mask is None else sc - 100.0 * ~mask[:,None,None,:]\n        y = (sc.softmax(-1) @ v.unflatten(-1,(heads,-1)).transpose(1,2)).transpose(1,2).flatten(2)\n        x = x + y @",
            ),
            "mask adds -1e4": (
                "x = x + mix(q, k, v, heads, mask) @",
                "sc = (q.unflatten(-1,(heads,-1)).transpose(1,2) @ k.unflatten(-1,(heads,-1)).transpose(1,2).mT) / (x.shape[-1]//heads) ** 0.5\n        sc = sc if mask is None else sc - 1e4 * ~mask[:,None,None,:]\n        y = (sc.softmax(-1) @ v.unflatten(-1,(heads,-1)).transpose(1,2)).transpose(1,2).flatten(2)\n        x = x + y @",
            ),
            "attention mask only in first layer": (
                "mix(q, k, v, heads, mask)",
                "mix(q, k, v, heads, mask if number == 0 else None)",
            ),
            "segments 0 and 1 only": ('p["segments"][segments]', 'p["segments"][segments.clamp(0, 1)]'),
            "the third layer again and again": (
                "number % len(parameters[part])",
                "(0 if len(parameters[part]) == 1 else min(number, 2))",
            ),
            "no positions": (' + p["positions"][:T]', ""),
            "no segments": (' + p["segments"][segments]', ""),
            "segments by position": ('p["segments"][segments]', 'p["segments"][segments * 0]'),
            "tokens twice": (SUM, SUM + ' + p["tokens"][ids]'),
            "positions from 1": ('p["positions"][:T]', 'p["positions"].roll(-1, 0)[:T]'),
            "the last positions": ('p["positions"][:T]', 'p["positions"][-T:]'),
            "normalized after the projection": (
                INTO,
                'x = x @ p["W"] + p["b"]\n    return F.layer_norm(x, x.shape[-1:], eps=1e-12)',
            ),
            "not normalized": (INTO, 'return x @ p["W"] + p["b"]'),
            "no scale and shift": ('p["gamma"], p["beta"], 1e-12)', "None, None, 1e-12)"),
            "ε of torch in the embeddings": ('p["gamma"], p["beta"], 1e-12)', 'p["gamma"], p["beta"])'),
            "no projection's bias": (' @ p["W"] + p["b"]', ' @ p["W"]'),
            "the projection transposed": ('@ p["W"] + p["b"]', '@ p["W"].T.reshape(p["W"].shape) + p["b"]'),
            "long texts not refused": ("if most < T:", "if False:"),
            "texts as long as the table refused": ("if most < T:", "if most <= T:"),
            "long texts cut": (
                "if most < T:",
                "ids, segments, T = ids[:, :most], segments[:, :most], min(T, most)\n    if False:",
            ),
            "the token table without gradient": ('p["tokens"][ids]', 'p["tokens"].detach()[ids]'),
            "the table multiplied in place": (
                SUM,
                'with torch.no_grad():\n        p["tokens"] *= 2\n    ' + SUM,
            ),
            "layers one after the other with their own weights of layer 1": (
                "number % len(parameters[part])",
                "0",
            ),
            "layers backwards": ("number % len(parameters[part])", "-1 - number % len(parameters[part])"),
            "one layer only": ("for number in range(layers):", "for number in range(1):"),
            "one layer too many": ("for number in range(layers):", "for number in range(layers + 1):"),
            "feed and attention sharing exchanged": (
                'needed, given = 1 if sharing in (part, "all") else layers,',
                'needed, given = 1 if sharing not in (part, "none") or sharing == "all" else layers,',
            ),
            "number of sets not checked": ("if given != needed:", "if False:"),
            "too few sets refused only": ("if given != needed:", "if given < needed:"),
            "too many sets refused only": ("if given != needed:", "if given > needed:"),
            "an unknown sharing is none": ('sharing not in ("none", "attention", "feed", "all") or ', ""),
            "no layers allowed": ("or layers < 1 ", ""),
            "heads not checked": (" or x.shape[-1] % heads:", ":"),
            "another error": ('raise ValueError(f"{what}; see', 'raise RuntimeError(f"{what}; see'),
            "empty texts not refused": ("if not mask.any(-1).all():", "if False:"),
            "only an empty batch refused": ("if not mask.any(-1).all():", "if not mask.any():"),
            "padding not cleaned": (CLEAN, "pass"),
            "nan made 0": (CLEAN, "x = x.nan_to_num(0, 0, 0)"),
            "nan made 0, then cleaned": (
                CLEAN,
                "x = x.nan_to_num(0, 0, 0).masked_fill(~mask[..., None], 0.0)",
            ),
            "nan made 0 without a mask": (
                "    for number in range(layers):",
                "    x = x.nan_to_num() if mask is None else x\n    for number in range(layers):",
            ),
            "the real places cleaned": (CLEAN, "x = x.masked_fill(mask[..., None], 0.0)"),
            "x cleaned in place": (
                CLEAN,
                "with torch.no_grad():\n            x.masked_fill_(~mask[..., None], 0.0)",
            ),
            "mask not given to the attention": ("mix(q, k, v, heads, mask)", "mix(q, k, v, heads, None)"),
            "one head": ("mix(q, k, v, heads, mask)", "mix(q, k, v, 1, mask)"),
            "queries for keys": ("mix(q, k, v, heads, mask)", "mix(q, q, v, heads, mask)"),
            "keys for values": ("mix(q, k, v, heads, mask)", "mix(q, k, k, heads, mask)"),
            "no residual of the attention": ("x = x + mix(", "x = mix("),
            "no output matrix": (MIXED, "x = x + mix(q, k, v, heads, mask)"),
            "no output bias": (' @ a["W_O"] + a["b_O"]', ' @ a["W_O"]'),
            "no biases of Q, K, V": (' + a[f"b_{name}"]', ""),
            "no norm behind the attention": (NORM_A, "pass"),
            "ε of torch in the attention": ('a["gamma"], a["beta"], 1e-12)', 'a["gamma"], a["beta"])'),
            "ε of torch in the feed-forward": ('f["gamma"], f["beta"], 1e-12', 'f["gamma"], f["beta"], 1e-5'),
            "ε of DeBERTa": ('a["gamma"], a["beta"], 1e-12)', 'a["gamma"], a["beta"], 1e-7)'),
            "the norms exchanged": (NORM_A, NORM_A.replace("a[", "f[")),
            "pre-norm": (
                '    q, k, v = (x @ a[f"W_{name}"]',
                '    y = F.layer_norm(x, x.shape[-1:], a["gamma"], a["beta"], 1e-12)\n        q, k, v = (y @ a[f"W_{name}"]',
                NORM_A,
                "pass",
            ),
            "exact GELU": (', approximate="tanh")', ")"),
            "ReLU": (GELU, 'inner = F.relu(x @ f["W_1"] + f["b_1"])'),
            "no residual of the feed-forward": ("x + inner @", "inner @"),
            "no inner bias": (' @ f["W_1"] + f["b_1"]', ' @ f["W_1"]'),
            "no outer bias": (' @ f["W_2"] + f["b_2"]', ' @ f["W_2"]'),
            "shared weights without gradient after the first use": (
                SETS,
                SETS + "\n        a = a if number == 0 else {n: w.detach() for n, w in a.items()}",
            ),
            "layers detached from each other": (SETS, SETS + "\n        x = x.detach() if number else x"),
            "float32 always": ("    return x\n", "    return x.float()\n"),
            "all layers returned": ("    return x\n", "    return [x]\n"),
            "nan left at padding": (
                "    return x\n",
                "    return x if mask is None else x.masked_fill(~mask[..., None], torch.nan)\n",
            ),
        },
    ),
    "q5": Question(
        right={
            "all labels at once, rows as lists": """
def segment_pairs(documents, kind, generator):
    everything, filled = [s for document in documents for s in document], sum(map(bool, documents))
    if kind not in ("sop", "nsp") or not all(map(len, everything)):
        raise ValueError(f"kind is {kind!r}; give 'sop' or 'nsp', and no empty segment")
    if len(everything) == filled or (kind == "nsp" and filled < 2):
        raise ValueError(f"{filled} documents with {len(everything)} segments; give more of both")
    labels = torch.randint(2, (sum(max(len(d) - 1, 0) for d in documents),), generator=generator).tolist()
    examples, begin = [], 0
    for document in documents:
        for first, second in pairwise(document):
            label = labels[len(examples)]
            if label and kind == "sop":
                first, second = second, first
            elif label:
                others = len(everything) - len(document)
                place = int(torch.randint(others, (), generator=generator))
                second = everything[place + len(document) * (place >= begin)]
            examples.append([list(first), list(second), label])
        begin += len(document)
    return examples
""",
            "bernoulli and multinomial": """
def segment_pairs(documents, kind, generator):
    everything, filled = [s for document in documents for s in document], sum(map(bool, documents))
    if kind not in ("sop", "nsp") or not all(map(len, everything)):
        raise ValueError(f"kind is {kind!r}; give 'sop' or 'nsp', and no empty segment")
    if len(everything) == filled or (kind == "nsp" and filled < 2):
        raise ValueError(f"{filled} documents with {len(everything)} segments; give more of both")
    examples, begin = [], 0
    for document in documents:
        for first, second in pairwise(document):
            label = int(torch.bernoulli(torch.tensor(0.5), generator=generator))
            if label and kind == "sop":
                first, second = second, first
            elif label:
                others = len(everything) - len(document)
                place = int(torch.multinomial(torch.ones(others), 1, generator=generator))
                second = everything[place + len(document) * (place >= begin)]
            examples.append((list(first), list(second), label))
        begin += len(document)
    return examples
""",
            "documents as offsets": """
def segment_pairs(documents, kind, generator):
    if kind not in {"sop", "nsp"}:
        raise ValueError("kind")
    flat, owner = [], []
    for number, document in enumerate(documents):
        for segment in document:
            if len(segment) == 0:
                raise ValueError("an empty segment")
            flat.append(segment)
            owner.append(number)
    places = [i for i in range(len(flat) - 1) if owner[i] == owner[i + 1]]
    if not places or (kind == "nsp" and len(set(owner)) < 2):
        raise ValueError("too few segments")
    labels = torch.randint(0, 2, (len(places),), generator=generator).tolist()
    found = []
    for i, label in zip(places, labels):
        a, b = flat[i], flat[i + 1]
        if label == 1:
            if kind == "sop":
                a, b = b, a
            else:
                other = owner[i]
                while other == owner[i]:
                    j = torch.randint(len(flat), (1,), generator=generator).item()
                    other, b = owner[j], flat[j]
        found.append((a[:], b[:], label))
    return found
""",
            "the others listed": """
def segment_pairs(documents, kind, generator):
    segments = [s for document in documents for s in document]
    if kind != "sop" and kind != "nsp":
        raise ValueError("kind")
    if any(not s for s in segments):
        raise ValueError("an empty segment")
    if max(map(len, documents), default=0) < 2:
        raise ValueError("no neighbors")
    if kind == "nsp" and sum(1 for document in documents if document) < 2:
        raise ValueError("no other document")
    result = []
    for number, document in enumerate(documents):
        if len(document) < 2:
            continue
        others = [s for n, other in enumerate(documents) if n != number for s in other]
        for i in range(len(document) - 1):
            first, second = document[i], document[i + 1]
            label = 1 if torch.rand((), generator=generator).item() < 0.5 else 0
            if label:
                if kind == "sop":
                    first, second = second, first
                else:
                    second = others[torch.randperm(len(others), generator=generator)[0].item()]
            result.append([list(first), list(second), label])
    return result
""",
        },
        wrong={
            "document first, then segment": (
                "others = len(everything) - len(document)\n                place = int(torch.randint(others, (), generator=generator))\n                second = everything[place + len(document) * (place >= begin)]",
                "rest = [o for o in documents if o is not document and o]\n                o = rest[int(torch.randint(len(rest), (), generator=generator))]\n                second = o[int(torch.randint(len(o), (), generator=generator))]",
            ),
            "one draw for label and place": (
                "label = int(torch.randint(2, (), generator=generator))",
                "u = torch.rand((), generator=generator).item()\n            label = int(u < 0.5)",
                "place = int(torch.randint(others, (), generator=generator))",
                "place = int(u * others)",
            ),
            "negatives without replacement in a document": (
                "        for first, second in pairwise(document):",
                "        n_others = len(everything) - len(document)\n        order = torch.randperm(n_others, generator=generator).tolist() if kind == 'nsp' else []\n        taken = 0\n        for first, second in pairwise(document):",
                "place = int(torch.randint(others, (), generator=generator))",
                "place = order[taken % others]\n                taken += 1",
            ),
            "a drawn segment is used up (no repeats in the call)": (
                "examples, begin = [], 0",
                "examples, begin, used = [], 0, set()",
                "place = int(torch.randint(others, (), generator=generator))\n                second = everything[place + len(document) * (place >= begin)]",
                "free = [i for i in range(len(everything)) if not begin <= i < begin + len(document) and i not in used]\n                free = free or [i for i in range(len(everything)) if not begin <= i < begin + len(document)]\n                place = free[int(torch.randint(len(free), (), generator=generator))]\n                used.add(place)\n                second = everything[place]",
            ),
            "one drawn place for a call": (
                "examples, begin = [], 0",
                "examples, begin, share = [], 0, torch.rand((), generator=generator).item()",
                "place = int(torch.randint(others, (), generator=generator))",
                "place = int(share * others)",
            ),
            "segment drawn by its length": (
                "place = int(torch.randint(others, (), generator=generator))",
                "w = torch.tensor([float(len(s)) for i, s in enumerate(everything) if not begin <= i < begin + len(document)])\n                place = int(torch.multinomial(w, 1, generator=generator))",
            ),
            "duplicate segments counted once": (
                "place = int(torch.randint(others, (), generator=generator))\n                second = everything[place + len(document) * (place >= begin)]",
                "rest = everything[:begin] + everything[begin + len(document):]\n                rest = [list(s) for s in dict.fromkeys(map(tuple, rest))]\n                second = rest[int(torch.randint(len(rest), (), generator=generator))]",
            ),
            "equal neighbors skipped": (
                "            label = int(torch.randint(2, (), generator=generator))",
                "            if first == second:\n                continue\n            label = int(torch.randint(2, (), generator=generator))",
            ),
            "SOP: equal neighbors always 0": (
                'if label and kind == "sop":',
                'if first == second: label = 0\n            if label and kind == "sop":',
            ),
            "labels as tensors": (
                "label = int(torch.randint(2, (), generator=generator))",
                "label = torch.randint(2, (), generator=generator)",
            ),
            "never a negative": (LABEL, "label = 0"),
            "always a negative": (LABEL, "label = 1"),
            "labels alternate": (LABEL, "label = len(examples) % 2"),
            "balanced, not drawn": (
                "examples, begin = [], 0",
                "total = sum(max(len(d) - 1, 0) for d in documents)\n    order = torch.randperm(total, generator=generator).tolist()\n    examples, begin = [], 0",
                LABEL,
                "label = order[len(examples)] % 2",
            ),
            "one label for all": (
                LABEL,
                "pass",
                "examples, begin = [], 0",
                "label = int(torch.randint(2, (), generator=generator))\n    examples, begin = [], 0",
            ),
            "one label a document": (
                "        for first, second in pairwise(document):\n            " + LABEL,
                "        label = int(torch.randint(2, (), generator=generator))\n        for first, second in pairwise(document):",
            ),
            "a negative in one of three": (
                LABEL,
                "label = int(torch.randint(3, (), generator=generator) == 0)",
            ),
            "15 % negatives": (LABEL, "label = int(torch.rand((), generator=generator) < 0.15)"),
            "labels the other way round": (
                EXAMPLE,
                "examples.append((list(first), list(second), 1 - label))",
            ),
            "label as a bool": (LABEL, "label = bool(torch.randint(2, (), generator=generator))"),
            "label as a tensor": (LABEL, "label = torch.randint(2, (), generator=generator)"),
            "SOP not swapped": ("first, second = second, first", "pass"),
            "SOP: swapped always": ('if label and kind == "sop":', 'if kind == "sop":'),
            "SOP: the same segment twice": ("first, second = second, first", "second = first"),
            "SOP: ids turned instead": (
                "first, second = second, first",
                "first, second = first[::-1], second[::-1]",
            ),
            "SOP's negatives from another document": ('if label and kind == "sop":', "if False:"),
            "NSP's negatives swapped": ('if label and kind == "sop":', "if label:"),
            "NSP's negatives from the same document": (SECOND, "second = document[place % len(document)]"),
            "NSP's negatives from any document": (
                PLACED + "\n                " + SECOND,
                "second = everything[int(torch.randint(len(everything), (), generator=generator))]",
            ),
            "NSP: the first replaced": ("second = everything[place", "first = everything[place"),
            "NSP: both replaced": (
                "second = everything[place + len(document) * (place >= begin)]",
                "first = second = everything[place + len(document) * (place >= begin)]",
            ),
            "NSP: not the same text instead of not the same document": (
                PLACED + "\n                " + SECOND,
                "pool = [s for s in everything if s not in document]\n                second = pool[int(torch.randint(len(pool), (), generator=generator))]",
            ),
            "NSP: documents alike, not segments": (
                PLACED + "\n                " + SECOND,
                "pool = [other for n, other in enumerate(documents) if other and n != number]\n"
                "                other = pool[int(torch.randint(len(pool), (), generator=generator))]\n"
                "                second = other[int(torch.randint(len(other), (), generator=generator))]",
                "for document in documents:\n        for first",
                "for number, document in enumerate(documents):\n        for first",
            ),
            "NSP: the next document only": (PLACED, "place = begin % others"),
            "NSP: never the last segment": (
                PLACED,
                PLACED.replace("randint(others,", "randint(max(others - 1, 1),"),
            ),
            "NSP: never a document with one segment": (
                PLACED + "\n                " + SECOND,
                "pool = [s for n, other in enumerate(documents) if len(other) > 1 and n != number for s in other] or everything\n"
                "                second = pool[int(torch.randint(len(pool), (), generator=generator))]",
                "for document in documents:\n        for first",
                "for number, document in enumerate(documents):\n        for first",
            ),
            "NSP: the first segment of a document only": (
                PLACED + "\n                " + SECOND,
                "pool = [other[0] for n, other in enumerate(documents) if other and n != number]\n"
                "                second = pool[int(torch.randint(len(pool), (), generator=generator))]",
                "for document in documents:\n        for first",
                "for number, document in enumerate(documents):\n        for first",
            ),
            "the border shifted by one": ("(place >= begin)", "(place > begin)"),
            "the border forgotten": (" + len(document) * (place >= begin)", ""),
            "pairs do not overlap": (
                "in pairwise(document):",
                "in zip(document[::2], document[1::2]):",
            ),
            "pairs across documents": (
                "for first, second in pairwise(document):",
                "for first, second in pairwise(everything) if document is documents[0] else ():",
            ),
            "all pairs of a document": (
                "for first, second in pairwise(document):",
                "for first, second in ((a, b) for i, a in enumerate(document) for b in document[i + 1 :]):",
            ),
            "the last pair forgotten": (
                "in pairwise(document):",
                "in list(pairwise(document))[:-1] or list(pairwise(document)):",
            ),
            "shuffled": (
                "return examples",
                "return [examples[i] for i in torch.randperm(len(examples), generator=generator)]",
            ),
            "negatives added to positives": (
                EXAMPLE,
                "examples.append((list(first), list(second), label))\n            examples.append((list(second), list(first), 1 - label))",
            ),
            "the global generator for labels": (LABEL, "label = int(torch.randint(2, ()))"),
            "the global generator for segments": (PLACED, "place = int(torch.randint(others, ()))"),
            "Python's random": (LABEL, "import random\n            label = random.randrange(2)"),
            "seeded inside": (
                "examples, begin = [], 0",
                "generator.manual_seed(1)\n    examples, begin = [], 0",
            ),
            "the segments themselves": (EXAMPLE, "examples.append((first, second, label))"),
            "segments cut to 512": (
                EXAMPLE,
                "examples.append((list(first)[:512], list(second)[:512], label))",
            ),
            "joined to one list": (EXAMPLE, "examples.append((list(first) + list(second), [], label))"),
            "tuples of ids": (EXAMPLE, "examples.append((tuple(first), tuple(second), label))"),
            "other kinds not refused": ('kind not in ("sop", "nsp") or ', ""),
            "kinds in capitals allowed": (
                'kind not in ("sop", "nsp")',
                'str(kind).lower() not in ("sop", "nsp")',
            ),
            "empty segments not refused": (" or not all(map(len, everything)):", ":"),
            "empty segments left out": (
                EMPTY,
                "documents = [[s for s in d if s] for d in documents]\n    everything = [s for d in documents for s in d]\n    if kind not in ('sop', 'nsp'):",
            ),
            "no neighbors not refused": ("len(everything) == filled or ", ""),
            "one document not refused": (' or (kind == "nsp" and filled < 2)', ""),
            "one document refused for sop, too": ('or (kind == "nsp" and filled < 2)', "or filled < 2"),
            "documents counted, not those with a segment": (
                '(kind == "nsp" and filled < 2)',
                '(kind == "nsp" and len(documents) < 2)',
            ),
            "drawn before the error": (EMPTY, "torch.rand((), generator=generator)\n    " + EMPTY),
            "documents changed": (
                "begin += len(document)",
                "begin += len(document)\n        document.reverse()",
            ),
        },
    ),
    "q6": Question(
        right={
            "weights of padded queries 0": """
def disentangled_attention(x, P, p, heads, mask=None, published=False):
    if x.shape[-1] % heads:
        raise ValueError(f"{x.shape[-1]} columns, {heads} heads; choose d as a multiple of heads")
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("a text has no real position; leave it out of the batch")
        x = x.masked_fill(~mask[..., None], 0.0)

    def split(rows):
        return rows.unflatten(-1, (heads, -1)).transpose(-3, -2)

    Q_c, V = split(x @ p["W_Q"] + p["b_Q"]), split(x @ p["W_V"] + p["b_V"])
    K_c, K_r = split(x @ p["W_K"]), split(P @ p["W_Kr"])
    Q_r = split(P @ p["W_Qr"] + p["b_Qr"])
    scores = gathered_scores(Q_c, K_c, Q_r, K_r, published)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask[:, None, :, None]
    return (weights @ V).transpose(1, 2).flatten(2), weights
""",
            "output 0 at padding, as a list": """
def disentangled_attention(x, P, p, heads, mask=None, published=False):
    if x.shape[-1] % heads:
        raise ValueError(f"{x.shape[-1]} columns, {heads} heads; choose d as a multiple of heads")
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("a text has no real position; leave it out of the batch")
        x = x.masked_fill(~mask[..., None], 0.0)

    def split(rows):
        return rows.unflatten(-1, (heads, -1)).transpose(-3, -2)

    Q_c, V = split(x @ p["W_Q"] + p["b_Q"]), split(x @ p["W_V"] + p["b_V"])
    K_c, K_r = split(x @ p["W_K"]), split(P @ p["W_Kr"])
    Q_r = split(P @ p["W_Qr"] + p["b_Qr"])
    scores = gathered_scores(Q_c, K_c, Q_r, K_r, published)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
    weights = scores.softmax(dim=-1)
    output = (weights @ V).transpose(1, 2).flatten(2)
    return [output if mask is None else output * mask[..., None], weights]
""",
            "the smallest number instead of minus infinity": """
def disentangled_attention(x, P, p, heads, mask=None, published=False):
    if x.shape[-1] % heads:
        raise ValueError(f"{x.shape[-1]} columns, {heads} heads; choose d as a multiple of heads")
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("a text has no real position; leave it out of the batch")
        x = x.masked_fill(~mask[..., None], 0.0)

    def split(rows):
        return rows.unflatten(-1, (heads, -1)).transpose(-3, -2)

    Q_c, V = split(x @ p["W_Q"] + p["b_Q"]), split(x @ p["W_V"] + p["b_V"])
    K_c, K_r = split(x @ p["W_K"]), split(P @ p["W_Kr"])
    Q_r = split(P @ p["W_Qr"] + p["b_Qr"])
    scores = gathered_scores(Q_c, K_c, Q_r, K_r, published)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return (weights @ V).transpose(1, 2).flatten(2), weights
""",
            "an index copied for each head, built twice": """
def gathered_scores(Q_c, K_c, Q_r, K_r, published=False):
    if Q_r.shape != K_r.shape or K_r.shape[-2] % 2:
        raise ValueError("give Q_r and K_r 2k rows")
    B, heads, T, d_k = Q_c.shape

    def index():
        return delta(T, K_r.shape[-2] // 2).repeat(B, heads, 1, 1)

    c2p = torch.gather(Q_c @ K_r.mT, -1, index())
    p2c = torch.gather(K_c @ Q_r.mT, -1, index().mT.contiguous() if published else index()).mT
    return (Q_c @ K_c.mT + c2p + p2c) / (3 * d_k) ** 0.5
""",
            "two tensors of places instead of gather": """
def gathered_scores(Q_c, K_c, Q_r, K_r, published=False):
    if Q_r.shape != K_r.shape or K_r.shape[-2] % 2:
        raise ValueError("give Q_r and K_r 2k rows")
    T, d_k = Q_c.shape[-2:]
    D, i = delta(T, K_r.shape[-2] // 2), torch.arange(T)
    c2p = (Q_c @ K_r.mT)[:, :, i[:, None], D]
    p2c = (K_c @ Q_r.mT)[:, :, i[None, :], D if published else D.T]
    return (Q_c @ K_c.mT + c2p + p2c) / (3 * d_k) ** 0.5
""",
            "by flat indices": """
def delta(T, k):
    if min(T, k) < 1:
        raise ValueError("1 or more")
    table = torch.empty(T, T, dtype=torch.int64)
    for i in range(T):
        for j in range(T):
            table[i, j] = max(0, min(2 * k - 1, i - j + k))
    return table

def gathered_scores(Q_c, K_c, Q_r, K_r, published=False):
    if Q_r.shape[-2] != K_r.shape[-2] or Q_r.shape != K_r.shape or K_r.shape[-2] % 2 == 1:
        raise ValueError("rows")
    T, d_k = Q_c.shape[2:]
    index = delta(T, K_r.size(-2) // 2)
    i = torch.arange(T)[:, None].expand(T, T)
    c2p = torch.einsum("bhid,hrd->bhir", Q_c, K_r)[:, :, i, index]
    p2c = torch.einsum("bhjd,hrd->bhjr", K_c, Q_r)[:, :, i.T, index if published else index.T]
    return (torch.einsum("bhid,bhjd->bhij", Q_c, K_c) + c2p + p2c) / np.sqrt(3 * d_k)

def disentangled_attention(x, P, p, heads, mask=None, published=False):
    B, T, d = x.shape
    if d % heads != 0:
        raise ValueError("heads")
    if mask is None:
        mask = torch.ones(B, T, dtype=torch.bool)
    if (~mask).all(1).any():
        raise ValueError("an empty text")
    x = torch.where(mask[:, :, None], x, torch.zeros_like(x))
    def heads_of(y):
        return y.view(B, T, heads, d // heads).permute(0, 2, 1, 3)
    def rows_of(y):
        return y.view(-1, heads, d // heads).permute(1, 0, 2)
    q, k, v = (heads_of(x @ p["W_" + n] + p.get("b_" + n, 0.0)) for n in "QKV")
    scores = gathered_scores(q, k, rows_of(P @ p["W_Qr"] + p["b_Qr"]), rows_of(P @ p["W_Kr"]), published)
    weights = torch.softmax(torch.where(mask[:, None, None], scores, -torch.inf), -1)
    return torch.einsum("bhij,bhjd->bihd", weights, v).reshape(B, T, d), weights
""",
            "one gather for each direction, scaled first": """
def delta(T, k):
    if T <= 0 or k <= 0:
        raise ValueError("1 or more")
    distance = torch.arange(T)[:, None] - torch.arange(T)[None, :]
    result = distance + k
    result[distance <= -k] = 0
    result[distance >= k] = 2 * k - 1
    return result

def gathered_scores(Q_c, K_c, Q_r, K_r, published=False):
    if Q_r.shape != K_r.shape or Q_r.shape[1] % 2 != 0:
        raise ValueError("rows")
    scale = (3 * Q_c.shape[-1]) ** -0.25
    Q_c, K_c, Q_r, K_r = (part * scale for part in (Q_c, K_c, Q_r, K_r))
    rows = delta(Q_c.shape[-2], Q_r.shape[1] // 2)
    rows = rows.expand(*Q_c.shape[:2], *rows.shape)
    scores = torch.matmul(Q_c, K_c.transpose(-1, -2))
    scores = scores + torch.gather(torch.matmul(Q_c, K_r.transpose(-1, -2)), 3, rows)
    turned = torch.matmul(Q_r, K_c.transpose(-1, -2))  # rows of P by keys
    index = rows if published else rows.transpose(-1, -2)
    return scores + torch.gather(turned, 2, index)

def disentangled_attention(x, P, p, heads, mask=None, published=False):
    d = x.shape[-1]
    if d // heads * heads != d:
        raise ValueError("heads")
    if mask is not None:
        if bool((mask.sum(-1) == 0).any()):
            raise ValueError("an empty text")
        x = x.masked_fill(mask.logical_not().unsqueeze(-1), 0)
    cut = lambda y: torch.stack(y.split(d // heads, dim=-1), dim=-3)
    Q = cut(x @ p["W_Q"] + p["b_Q"])
    K = cut(x @ p["W_K"])
    V = cut(x @ p["W_V"] + p["b_V"])
    scores = gathered_scores(Q, K, cut(P @ p["W_Qr"] + p["b_Qr"]), cut(P @ p["W_Kr"]), published=published)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not()[:, None, None, :], torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    mixed = weights @ V
    return [torch.cat([mixed[:, h] for h in range(heads)], dim=-1), weights]
""",
        },
        wrong={
            "queries at padding masked, too: nan there": (
                FILL,
                'scores = scores.masked_fill(~(mask[:, None, None, :] & mask[:, None, :, None]), float("-inf"))',
            ),
            "mask -1e4": (FILL, FILL.replace('float("-inf")', "-1e4")),
            "mask -1e9": (
                'scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))',
                "scores = scores.masked_fill(~mask[:, None, None, :], -1e9)",
            ),
            "mask adds -1e9": (
                'scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))',
                "scores = scores - 1e9 * ~mask[:, None, None, :]",
            ),
            "k from T: min(k, T)": (
                "rows = delta(T, Q_r.shape[-2] // 2)",
                "rows = delta(T, min(T, Q_r.shape[-2] // 2))",
            ),
            "P detached for Kr": ('split(P @ p["W_Kr"])', 'split(P.detach() @ p["W_Kr"])'),
            "P detached for Qr": (
                'split(P @ p["W_Qr"] + p["b_Qr"])',
                'split(P.detach() @ p["W_Qr"] + p["b_Qr"])',
            ),
            "p2c: i and j exchanged by transposing δ, cut asymmetric": (
                "rows.mT if published else rows)",
                "rows.mT if published else (2 * (Q_r.shape[-2] // 2) - rows.mT).clamp(max=Q_r.shape[-2] - 1))",
            ),
            "nan made 0 in the weights": (
                "weights = scores.softmax(dim=-1)",
                "weights = scores.softmax(dim=-1).nan_to_num()",
            ),
            "weights detached in output": ("return (weights @ V)", "return (weights.detach() @ V)"),
            "None twice": "def disentangled_attention(x, P, p, heads, mask=None, published=False):\n    return None, None\n",
            "δ turned": ("places[:, None] - places + k", "places - places[:, None] + k"),
            "the absolute distance": (
                "(places[:, None] - places + k)",
                "((places[:, None] - places).abs() + k)",
            ),
            "cut at 2k": ("clamp(0, 2 * k - 1)", "clamp(0, 2 * k)"),
            "cut at 2k - 2": ("clamp(0, 2 * k - 1)", "clamp(0, max(2 * k - 2, 0))"),
            "cut from 1": ("clamp(0, 2 * k - 1)", "clamp(1, 2 * k - 1)"),
            "not cut": (".clamp(0, 2 * k - 1)", ""),
            "wrapped around": (".clamp(0, 2 * k - 1)", " % (2 * k)"),
            "shifted by k - 1": ("- places + k)", "- places + k - 1)"),
            "int32": (CLIP, CLIP + ".int()"),
            "floats": (CLIP, CLIP + ".float()"),
            "lists": (CLIP, CLIP + ".tolist()"),
            "T and k not checked": ("if T < 1 or k < 1:", "if False:"),
            "only k checked": ("if T < 1 or k < 1:", "if k < 1:"),
            "c2p with δ(j, i)": (C2P, "content_position = (Q_c @ K_r.mT).gather(-1, rows.mT)"),
            "p2c not turned back": (
                P2C,
                "position_content = (K_c @ Q_r.mT).gather(-1, rows.mT if published else rows)",
            ),
            "published the other way round": (
                "rows.mT if published else rows",
                "rows if published else rows.mT",
            ),
            "always as published": ("rows.mT if published else rows", "rows.mT"),
            "always as in the paper": ("rows.mT if published else rows", "rows"),
            "published by default in the scores": (
                "def gathered_scores(Q_c, K_c, Q_r, K_r, published=False):",
                "def gathered_scores(Q_c, K_c, Q_r, K_r, published=True):",
            ),
            "published by default in the attention": (
                "heads, mask=None, published=False):",
                "heads, mask=None, published=True):",
            ),
            "published not handed on": (
                "gathered_scores(Q_c, K_c, Q_r, K_r, published)",
                "gathered_scores(Q_c, K_c, Q_r, K_r)",
            ),
            "p2c with the queries": ("(K_c @ Q_r.mT)", "(Q_c @ Q_r.mT)"),
            "c2p with the keys": ("(Q_c @ K_r.mT)", "(K_c @ K_r.mT)"),
            "Q_r and K_r exchanged": ("(Q_c @ K_r.mT)", "(Q_c @ Q_r.mT)", "(K_c @ Q_r.mT)", "(K_c @ K_r.mT)"),
            "no p2c": ("+ content_position + position_content)", "+ content_position)"),
            "no c2p": ("+ content_position + position_content)", "+ position_content)"),
            "no content": ("(Q_c @ K_c.mT + content_position", "(content_position"),
            "position with position added": (
                SCALED,
                SCALED.replace(
                    "+ position_content)",
                    "+ position_content + (Q_r @ K_r.mT).diagonal(dim1=-2, dim2=-1)[..., rows[0, 0]])",
                ),
            ),
            "scaled by √d_k": ("(3 * d_k) ** 0.5", "d_k ** 0.5"),
            "scaled by √(2 d_k)": ("(3 * d_k) ** 0.5", "(2 * d_k) ** 0.5"),
            "scaled by 3 √d_k": ("(3 * d_k) ** 0.5", "(9 * d_k) ** 0.5"),
            "scaled by √(3 d)": ("(3 * d_k) ** 0.5", "(3 * d_k * heads) ** 0.5"),
            "only content scaled": (
                SCALED,
                "return Q_c @ K_c.mT / (3 * d_k) ** 0.5 + content_position + position_content",
            ),
            "not scaled": (" / (3 * d_k) ** 0.5", ""),
            "a vector for each pair": (
                C2P,
                "content_position = (Q_c[:, :, :, None] * K_r[:, rows[0, 0]]).sum(-1)",
            ),
            "a vector for each pair in p2c": (
                P2C,
                "wanted = rows[0, 0] if published else rows[0, 0].mT\n    position_content = (K_c[:, :, None] * Q_r[:, wanted]).sum(-1)",
            ),
            "einsum over a vector for each pair": (
                C2P,
                'content_position = torch.einsum("bhid,hijd->bhij", Q_c, K_r[:, rows[0, 0]])',
            ),
            "all pairs of rows by a one-hot": (
                C2P,
                "content_position = (F.one_hot(rows, K_r.shape[-2]).to(Q_c) * (Q_c @ K_r.mT)[..., None, :]).sum(-1)",
            ),
            "odd rows not refused": (" or Q_r.shape[-2] % 2:", ":"),
            "shapes not compared": ("Q_r.shape != K_r.shape or ", ""),
            "k is the number of rows": ("Q_r.shape[-2] // 2)", "Q_r.shape[-2])"),
            "scores without gradient to the keys' rows": ("(Q_c @ K_r.mT)", "(Q_c @ K_r.detach().mT)"),
            "scores without gradient to the queries' rows": ("(K_c @ Q_r.mT)", "(K_c @ Q_r.detach().mT)"),
            "float32 inside": (SCALED, "return (" + SCALED[7:] + ").float().to(Q_c.dtype)"),
            "softmax over the queries": ("scores.softmax(dim=-1)", "scores.softmax(dim=-2)"),
            "no softmax": (SOFT, "weights = scores"),
            "scores returned": (OUT, OUT.replace(", weights", ", scores")),
            "only the output": (OUT, OUT.replace(", weights", "")),
            "heads averaged": (OUT, OUT.replace(", weights", ", weights.mean(1)")),
            "weights without gradient": (OUT, OUT.replace(", weights", ", weights.detach()")),
            "heads put together wrongly": (OUT, "return (weights @ V).flatten(1).view(x.shape), weights"),
            "heads interleaved": (
                "return rows.unflatten(-1, (heads, -1)).transpose(-3, -2)",
                "return rows.unflatten(-1, (-1, heads)).movedim(-1, -3)",
            ),
            "no bias of the queries": (' @ p["W_Q"] + p["b_Q"])', ' @ p["W_Q"])'),
            "no bias of the values": (' @ p["W_V"] + p["b_V"])', ' @ p["W_V"])'),
            "no bias of Q_r": (' @ p["W_Qr"] + p["b_Qr"])', ' @ p["W_Qr"])'),
            "a bias of the keys": ('split(x @ p["W_K"])', 'split(x @ p["W_K"] + p["b_Q"])'),
            "relative keys from W_Qr": ('split(P @ p["W_Kr"])', 'split(P @ p["W_Qr"])'),
            "relative keys from W_K": ('split(P @ p["W_Kr"])', 'split(P @ p["W_K"])'),
            "values from P, too": (
                'split(x @ p["W_V"] + p["b_V"])',
                'split(x @ p["W_V"] + p["b_V"] + P.mean(0))',
            ),
            "heads not checked": ("if x.shape[-1] % heads:", "if False:"),
            "empty texts not refused": ("if not mask.any(-1).all():", "if False:"),
            "padding not cleaned": (CLEAN, "pass"),
            "nan made 0": (CLEAN, "x = x.nan_to_num(0, 0, 0)"),
            "nan made 0, then cleaned": (
                CLEAN,
                "x = x.nan_to_num(0, 0, 0).masked_fill(~mask[..., None], 0.0)",
            ),
            "nan made 0 without a mask": (
                "    def split(rows):",
                "    x = x.nan_to_num() if mask is None else x\n\n    def split(rows):",
            ),
            "mask ignored": (FILL, "pass"),
            "mask upside down": ("masked_fill(~mask[:, None, None, :]", "masked_fill(mask[:, None, None, :]"),
            "queries masked, not keys": ("~mask[:, None, None, :]", "~mask[:, None, :, None]"),
            "masked scores -100": ('float("-inf")', "-100.0"),
            "masked scores 0": ('float("-inf")', "0.0"),
            "masked after the softmax": (
                FILL,
                "pass",
                SOFT,
                SOFT + "\n    weights = weights if mask is None else weights * mask[:, None, None, :]",
            ),
            "the mask of the first text": ("~mask[:, None, None, :]", "~mask[:1, None, None, :]"),
            "padding to the right assumed": (
                FILL,
                "scores = scores.masked_fill(~(torch.arange(x.shape[1]) < mask.sum(1, keepdim=True))[:, None, None, :], -torch.inf)",
            ),
            "residual added": (OUT, OUT.replace("return ", "return x + ")),
            "x changed": (CLEAN, "with torch.no_grad():\n            x.masked_fill_(~mask[..., None], 0.0)"),
        },
    ),
    "q7": Question(
        right={
            "nan of 0 / 0 replaced": """
def adversarial_shift(n, clean, logits_of, mask, noise, step, generator):
    if not (noise > 0 and step > 0):
        raise ValueError(f"noise is {noise} and step {step}; both must be above 0")
    drawn = torch.randn(n.shape, generator=generator, dtype=n.dtype, device=n.device)
    start = (noise * drawn).masked_fill(~mask[..., None], 0.0)
    with torch.enable_grad():
        shift = start.clone().requires_grad_()
        loss = symmetric_kl(logits_of(n.detach() + shift), clean.detach())
        (slope,) = torch.autograd.grad(loss, shift)
    slope = slope.masked_fill(~mask[..., None], 0.0)
    length = slope.flatten(1).norm(dim=1)[:, None, None]
    return start + torch.where(length == 0, 0.0, step * slope / length)
""",
            "torch's own parts": """
def normalized(x):
    return F.layer_norm(x, (x.size(-1),), eps=1e-7)

def symmetric_kl(a, b):
    p, q = F.log_softmax(a, 1), F.log_softmax(b, 1)
    both = F.kl_div(p, q, reduction="batchmean", log_target=True)
    return both + F.kl_div(q, p, reduction="batchmean", log_target=True)

def adversarial_shift(n, clean, logits_of, mask, noise, step, generator):
    if not noise > 0:
        raise ValueError("noise is not above 0")
    if not step > 0:
        raise ValueError("step is not above 0")
    real = mask.unsqueeze(-1).to(n.dtype)
    start = noise * torch.randn(n.shape, generator=generator, dtype=n.dtype, device=n.device) * real
    with torch.enable_grad():
        moved = (n.detach() + start).requires_grad_(True)
        value = symmetric_kl(clean.detach(), logits_of(moved))
        g = torch.autograd.grad(value, [moved])[0] * real
    direction = torch.stack([one / one.norm() if one.norm() > 0 else one for one in g])
    return (start + step * direction).detach()

def sift_loss(x, logits_of, mask, noise, step, generator):
    if min(noise, step) <= 0 or noise != noise or step != step:
        raise ValueError("noise and step are above 0")
    n = normalized(torch.where(mask[..., None], x, torch.zeros_like(x)))
    clean = logits_of(n)
    shift = adversarial_shift(n.detach(), clean.detach(), logits_of, mask, noise, step, generator)
    return symmetric_kl(clean, logits_of(n + shift)), clean
""",
            "by hand, two KLs": """
def normalized(x):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) * (variance + 1e-7).rsqrt()

def symmetric_kl(a, b):
    p, q = a - a.logsumexp(1, keepdim=True), b - b.logsumexp(1, keepdim=True)
    there = (p.exp() * (p - q)).sum(1)
    back = (q.exp() * (q - p)).sum(1)
    return (there + back).sum() / len(a)

@torch.enable_grad()
def _slope(n, start, clean, logits_of):
    shift = start.requires_grad_()
    return torch.autograd.grad(symmetric_kl(logits_of(n + shift), clean), shift)[0]

def adversarial_shift(n, clean, logits_of, mask, noise, step, generator):
    if not all(v > 0 for v in (noise, step)):
        raise ValueError("noise and step are above 0")
    drawn = torch.randn(n.shape, generator=generator, dtype=n.dtype, device=n.device)
    start = torch.where(mask[:, :, None], noise * drawn, 0.0)
    g = _slope(n.detach(), start.clone(), clean.detach(), logits_of)
    g = torch.where(mask[:, :, None], g, 0.0)
    length = (g**2).sum((1, 2), keepdim=True).sqrt()
    return torch.where(length > 0, start + step * g / length.clamp_min(torch.finfo(g.dtype).tiny), start)

def sift_loss(x, logits_of, mask, noise, step, generator):
    if not all(v > 0 for v in (noise, step)):
        raise ValueError("noise and step are above 0")
    n = normalized(x.masked_fill(~mask.unsqueeze(2), 0))
    clean = logits_of(n)
    shift = adversarial_shift(n, clean, logits_of, mask, noise, step, generator)
    return [symmetric_kl(logits_of(n + shift), clean), clean]
""",
        },
        wrong={
            "nan in the gradients of logits far apart": (
                KL,
                'return F.kl_div(log_p, log_q.exp(), reduction="batchmean") + F.kl_div(log_q, log_p.exp(), reduction="batchmean")',
            ),
            "padding of n cleaned in the shift": (
                "logits_of(n.detach() + shift)",
                "logits_of(n.detach().masked_fill(~mask[..., None], 0.0) + shift)",
            ),
            "length clamped at 0.01": (
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope / length.clamp_min(0.01)",
            ),
            "length clamped at 1e-06": (
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope / length.clamp_min(1e-06)",
            ),
            "length clamped at 1e-08": (
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope / length.clamp_min(1e-08)",
            ),
            "length clamped at 1e-10": (
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope / length.clamp_min(1e-10)",
            ),
            "length clamped at 1e-12": (
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope / length.clamp_min(1e-12)",
            ),
            "length plus 1e-12": (
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope / (length + 1e-12)",
            ),
            "F.normalize": (
                "length = slope.flatten(1).norm(dim=1)[:, None, None]\n    return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * F.normalize(slope.flatten(1), dim=1).view_as(slope)",
            ),
            "slope not masked": ("    slope = slope.masked_fill(~mask[..., None], 0.0)\n", ""),
            "slope masked after the norm": (
                "    slope = slope.masked_fill(~mask[..., None], 0.0)\n    length",
                "    length",
                "return start + step * slope / length.masked_fill(length == 0, 1.0)",
                "return start + step * slope.masked_fill(~mask[..., None], 0.0) / length.masked_fill(length == 0, 1.0)",
            ),
            "loss with no gradient": (
                "return symmetric_kl(logits_of(n + shift), clean), clean",
                "return symmetric_kl(logits_of(n + shift), clean).detach(), clean",
            ),
            "the loss leaves gradients on": (
                "    shift = adversarial_shift(",
                "    torch.set_grad_enabled(True)\n    shift = adversarial_shift(",
            ),
            "one text fails": (
                "length = slope.flatten(1).norm(dim=1)[:, None, None]",
                "length = slope.flatten(1).norm(dim=1)[:, None, None].squeeze()[:, None, None]",
            ),
            "eps 1e-6": ("+ 1e-7).sqrt()", "+ 1e-6).sqrt()"),
            "eps 1e-8": ("+ 1e-7).sqrt()", "+ 1e-8).sqrt()"),
            "clean recomputed, four calls": (
                "return symmetric_kl(logits_of(n + shift), clean), clean",
                "again = logits_of(n)\n    return symmetric_kl(logits_of(n + shift), again), clean",
            ),
            "sift normalizes over all (T, d)": (
                "n = normalized(x.masked_fill(~mask[..., None], 0.0))",
                "n = x.masked_fill(~mask[..., None], 0.0)\n    n = F.layer_norm(n, n.shape[1:], eps=1e-7)",
            ),
            "the loss always without gradient": (
                "clean = logits_of(n)\n    shift",
                "with torch.no_grad():\n        clean = logits_of(n)\n    shift",
                "return symmetric_kl(logits_of(n + shift), clean), clean",
                "return symmetric_kl(logits_of(n + shift), clean).detach(), clean",
            ),
            "one length for text and padding": (
                "    slope = slope.masked_fill(~mask[..., None], 0.0)\n    length",
                "    length",
                "return start + step * slope /",
                "return start + step * slope.masked_fill(~mask[..., None], 0.0) /",
            ),
            "not centered": (CENTER, "centered = x"),
            "not divided": (
                "return centered / ((centered**2).mean(dim=-1, keepdim=True) + 1e-7).sqrt()",
                "return centered",
            ),
            "divided by the length": ("(centered**2).mean(", "(centered**2).sum("),
            "divided by the variance": ("+ 1e-7).sqrt()", "+ 1e-7)"),
            "the sample variance": (
                "(centered**2).mean(dim=-1, keepdim=True)",
                "(centered**2).sum(dim=-1, keepdim=True) / max(x.shape[-1] - 1, 1)",
            ),
            "over the positions": (
                "centered = x - x.mean(dim=-1, keepdim=True)\n    return centered / ((centered**2).mean(dim=-1, keepdim=True)",
                "centered = x - x.mean(dim=-2, keepdim=True)\n    return centered / ((centered**2).mean(dim=-2, keepdim=True)",
            ),
            "ε of torch": ("+ 1e-7).sqrt()", "+ 1e-5).sqrt()"),
            "ε of BERT": ("+ 1e-7).sqrt()", "+ 1e-12).sqrt()"),
            "no ε": ("+ 1e-7).sqrt()", ").sqrt()"),
            "ε outside the root": ("+ 1e-7).sqrt()", ").sqrt() + 1e-7"),
            "softmax as a stochastic vector": (
                "return centered / ((centered**2).mean(dim=-1, keepdim=True) + 1e-7).sqrt()",
                "return x.softmax(-1)",
            ),
            "the norm without gradient": ("+ 1e-7).sqrt()", "+ 1e-7).sqrt().detach()"),
            "nan made 0": (CENTER, "x = x.nan_to_num()\n    " + CENTER),
            "one KL only": (KL, "return (log_p.exp() * (log_p - log_q)).sum(dim=-1).mean()"),
            "the other KL only": (KL, "return (log_q.exp() * (log_q - log_p)).sum(dim=-1).mean()"),
            "half of the sum": (KL, KL + " / 2"),
            "the negative": (KL, KL.replace("return (", "return -(")),
            "the sum over the texts": (KL, KL.replace(".sum(dim=-1).mean()", ".sum()")),
            "the mean over the classes": (KL, KL.replace(".sum(dim=-1).mean()", ".mean()")),
            "a value a text": (KL, KL.replace(".sum(dim=-1).mean()", ".sum(dim=-1)")),
            "probabilities compared by squares": (
                KL,
                "return ((log_p.exp() - log_q.exp()) ** 2).sum(dim=-1).mean()",
            ),
            "bits": (KL, KL + " / np.log(2)"),
            "softmax then log": (
                "log_p, log_q = a.log_softmax(dim=-1), b.log_softmax(dim=-1)",
                "log_p, log_q = a.softmax(dim=-1).log(), b.softmax(dim=-1).log()",
            ),
            "softmax clamped": (
                "log_p, log_q = a.log_softmax(dim=-1), b.log_softmax(dim=-1)",
                "log_p, log_q = a.softmax(dim=-1).clamp_min(1e-12).log(), b.softmax(dim=-1).clamp_min(1e-12).log()",
            ),
            "logits taken as log-probabilities": ("a.log_softmax(dim=-1), b.log_softmax(dim=-1)", "a, b"),
            "softmax over the texts": (
                "a.log_softmax(dim=-1), b.log_softmax(dim=-1)",
                "a.log_softmax(dim=0), b.log_softmax(dim=0)",
            ),
            "no gradient to the second": ("b.log_softmax(dim=-1)", "b.detach().log_softmax(dim=-1)"),
            "no gradient to the first": ("a.log_softmax(dim=-1)", "a.detach().log_softmax(dim=-1)"),
            "Jensen-Shannon": (
                KL,
                "m = ((log_p.exp() + log_q.exp()) / 2).log()\n    return ((log_p.exp() * (log_p - m)).sum(-1) + (log_q.exp() * (log_q - m)).sum(-1)).mean()",
            ),
            "noise left out": (START, "start = torch.zeros_like(n)"),
            "noise squared": ("noise * drawn", "noise**2 * drawn"),
            "uniform noise": ("drawn = torch.randn(n.shape,", "drawn = torch.rand(n.shape,"),
            "the global generator": (
                "drawn = torch.randn(n.shape, generator=generator, dtype=n.dtype, device=n.device)",
                "drawn = torch.randn_like(n)",
            ),
            "one noise for all texts": (
                "drawn = torch.randn(n.shape, generator=generator, dtype=n.dtype, device=n.device)",
                "drawn = torch.randn(n.shape[1:], generator=generator, dtype=n.dtype, device=n.device).expand(n.shape)",
            ),
            "noise at padding": (START, "start = noise * drawn"),
            "the step at padding": (
                "slope = slope.masked_fill(~mask[..., None], 0.0)",
                "slope = slope + 1e-3 * (~mask[..., None])",
            ),
            "no step": (STEP, "return start"),
            "only the step": (STEP, STEP.replace("start + ", "")),
            "a step back": (STEP, STEP.replace("start + ", "start - ")),
            "the gradient not normalized": (STEP, "return start + step * slope"),
            "the sign of the gradient": (STEP, "return start + step * slope.sign()"),
            "one length for the batch": (LENGTH, "length = slope.norm()[None, None, None]"),
            "a length for each position": (LENGTH, "length = slope.norm(dim=2)[:, :, None]"),
            "the largest entry as length": (
                LENGTH,
                "length = slope.flatten(1).abs().amax(dim=1)[:, None, None]",
            ),
            "the squared length": (LENGTH, LENGTH.replace(".norm(dim=1)", ".norm(dim=1)") + "**2"),
            "the length plus 1e-6": (STEP, "return start + step * slope / (length + 1e-6)"),
            "nan where the gradient is 0": (STEP, "return start + step * slope / length"),
            "the shift with a gradient": (STEP, STEP.replace("return ", "return (") + ").requires_grad_()"),
            "backward instead of grad": (SLOPE, "loss.backward()\n        slope = shift.grad"),
            "two calls": (SLOPE, SLOPE + "\n        logits_of(n)"),
            "the gradient of the input instead": (
                "loss = symmetric_kl(logits_of(n.detach() + shift), clean.detach())",
                "loss = logits_of(n.detach() + shift).sum()",
            ),
            "the gradient of one KL": (
                "loss = symmetric_kl(logits_of(n.detach() + shift), clean.detach())",
                "loss = F.kl_div(logits_of(n.detach() + shift).log_softmax(-1), clean.detach().softmax(-1), reduction='batchmean')",
            ),
            "fails without gradients": ("with torch.enable_grad():", "if True:"),
            "gradients left off": (START, START + "\n    torch.set_grad_enabled(True)"),
            "noise and step not checked in the shift": (CHECK_SHIFT, CHECK_SHIFT.replace(CHECK, "if False:")),
            "noise and step not checked in the loss": (
                CHECK_SHIFT,
                CHECK_SHIFT.replace(CHECK, "if noise != noise:"),
                CHECK_LOSS,
                CHECK_LOSS.replace(CHECK, "if False:"),
            ),
            "checked in the shift only, after a call": (CHECK_LOSS, CHECK_LOSS.replace(CHECK, "if False:")),
            "no noise allowed": (CHECK_SHIFT, CHECK_SHIFT.replace(CHECK, "if noise < 0 or not step > 0:")),
            "no step allowed": (CHECK_SHIFT, CHECK_SHIFT.replace(CHECK, "if not noise > 0 or step < 0:")),
            "nan allowed": (CHECK_LOSS, CHECK_LOSS.replace(CHECK, "if noise <= 0 or step <= 0:")),
            "x not normalized": (N, "n = x.masked_fill(~mask[..., None], 0.0)"),
            "padding not cleaned": (N, "n = normalized(x)"),
            "padding cleaned after the norm": (N, "n = normalized(x).masked_fill(~mask[..., None], 0.0)"),
            "nan made 0 instead of cleaned": (N, "n = normalized(x.nan_to_num(0, 0, 0))"),
            "shift added before the norm": (
                "symmetric_kl(logits_of(n + shift), clean), clean",
                "symmetric_kl(logits_of(normalized(x.masked_fill(~mask[..., None], 0.0) + shift)), clean), clean",
            ),
            "clean without gradient in the loss": (
                LOSS,
                "return symmetric_kl(logits_of(n + shift), clean.detach()), clean",
            ),
            "clean returned without gradient": (
                LOSS,
                "return symmetric_kl(logits_of(n + shift), clean), clean.detach()",
            ),
            "no gradient to x": (LOSS, "return symmetric_kl(logits_of(n.detach() + shift), clean), clean"),
            "only the loss": (LOSS, "return symmetric_kl(logits_of(n + shift), clean)"),
            "loss and logits exchanged": (LOSS, "return clean, symmetric_kl(logits_of(n + shift), clean)"),
            "the shifted logits returned": (
                LOSS,
                "moved = logits_of(n + shift)\n    return symmetric_kl(moved, clean), moved",
            ),
            "four calls": (LOSS, "logits_of(n)\n    " + LOSS),
            "a random shift": (
                "shift = adversarial_shift(n, clean, logits_of, mask, noise, step, generator)",
                "shift = torch.randn(n.shape, generator=generator, dtype=n.dtype) * noise * mask[..., None]",
            ),
            "x changed": (
                N,
                "with torch.no_grad():\n        x.masked_fill_(~mask[..., None], 0.0)\n    " + N,
            ),
        },
    ),
}
