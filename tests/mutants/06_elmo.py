"""Lab 06's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

SPELLED = "spelled = [BEGIN_TOKEN, *token.encode()[: CHARACTERS - 2], END_TOKEN]"
PADDED = "return torch.tensor(spelled + [PADDING] * (CHARACTERS - len(spelled)))"
CNN = "found = torch.cat([F.conv1d(spelled, W, b).amax(2) for W, b in convolutions], dim=1)"
GATE = "return gate * x + (1 - gate) * new.relu()"
CELL = "c = (f.sigmoid() * c + i.sigmoid() * g.tanh()).clamp(-clip, clip)"
SHOWN = "return F.linear(o.sigmoid() * c.tanh(), W_p).clamp(-clip, clip), c"
CLEAN = "X, outputs = X.masked_fill(~real, 0.0), [None] * len(order)"
HOLD = "state = tuple(torch.where(real[:, t], *both) for both in zip(new, state, strict=True))"
ENDS = "return torch.stack(outputs, dim=1).masked_fill(~real, 0.0)"
START = "state = (torch.zeros_like(X[:, 0]), X.new_zeros(len(X), weights[3].shape[1]))"
BOTTOM = "layers = [X.masked_fill(behind[:, :, None], 0.0)]"
ABOVE = "layers.append(above + layers[-1] if len(layers) > 1 else above)"
WANTED = "wanted = (places > 0) & (places < lengths[:, None] - 1) & (targets >= 0)"
BESIDE = "beside = torch.cat([top[:, :-2, :d][wanted], top[:, 2:, d:][wanted]])"
LOSS = "return F.cross_entropy(F.linear(beside, W, b), targets[wanted].repeat(2))"
FIRST_CLEAN = "layers = layers.masked_fill(~mask[:, :, None], 0.0)\n        real"
LAST_CLEAN = "layers = layers.masked_fill(~mask[:, :, None], 0.0)\n    return"
MIX = 'torch.einsum("j,jbtd->btd", weights.softmax(0), layers)'
MOMENTS = "variance, mean = torch.var_mean(real, dim=1, correction=0)"
MERGE = 'merged[i][t] = "-".join(pairs[pair])'
DRAWN = "drawn = np.random.default_rng(seed).choice(different, size=count, replace=False)"
COSINES = "cosines = queries @ (vectors / np.where(lengths > 0, lengths, 1)).T"
ANSWER = "return np.asarray(senses)[cosines.argmax(axis=1)]"

QUESTIONS = {
    "q1": Question(
        right={
            "byte by byte": """
def character_ids(token):
    if len(token) == 0:
        raise ValueError("empty")
    ids = torch.full((50,), 260, dtype=torch.int64)
    ids[0] = 258
    kept = bytearray(token, "utf-8")[:48]
    for k, byte in enumerate(kept):
        ids[k + 1] = byte
    ids[len(kept) + 1] = 259
    return ids


def batch_ids(sentences):
    if len(sentences) == 0:
        raise ValueError("none")
    for s in sentences:
        if isinstance(s, str):
            raise TypeError("a string")
        if len(s) == 0 or "" in s:
            raise ValueError("empty")
    def mark(m):
        return torch.tensor([258, m, 259] + [260] * 47)
    rows = [torch.stack([mark(256), *(character_ids(t) for t in s), mark(257)]) for s in sentences]
    lengths = torch.tensor([len(r) for r in rows])
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=260), lengths
""",
            "a while loop": """
def character_ids(token):
    if token == "":
        raise ValueError("empty")
    spelled = [BEGIN_TOKEN] + list(token.encode("utf8"))[:48] + [END_TOKEN]
    while len(spelled) < 50:
        spelled.append(PADDING)
    return torch.LongTensor(spelled)


def batch_ids(sentences):
    if any(isinstance(s, str) for s in sentences):
        raise TypeError("a string")
    if not sentences or any(not len(s) for s in sentences) or any(t == "" for s in sentences for t in s):
        raise ValueError("empty")
    T = max(map(len, sentences)) + 2
    out = []
    for s in sentences:
        row = [[258, 256, 259] + [260] * 47] + [character_ids(t).tolist() for t in s] + [[258, 257, 259] + [260] * 47]
        out.append(row + [[260] * 50] * (T - len(row)))
    return torch.tensor(out), torch.tensor([len(s) + 2 for s in sentences])
""",
        },
        wrong={
            "one byte too few": ("[: CHARACTERS - 2]", "[: CHARACTERS - 3]"),
            "49 bytes, the end mark falls off": (
                SPELLED,
                "spelled = [BEGIN_TOKEN, *token.encode(), END_TOKEN][:CHARACTERS]",
            ),
            "characters, not bytes": (
                "*token.encode()[: CHARACTERS - 2]",
                "*map(ord, token[: CHARACTERS - 2])",
            ),
            "cut by characters, then encoded": (
                "*token.encode()[: CHARACTERS - 2]",
                "*token[: CHARACTERS - 2].encode()",
            ),
            "latin-1 with question marks": (
                "*token.encode()[: CHARACTERS - 2]",
                '*token.encode("latin-1", "replace")[: CHARACTERS - 2]',
            ),
            "a cut letter is dropped": (
                "*token.encode()[: CHARACTERS - 2]",
                '*token.encode()[: CHARACTERS - 2].decode(errors="ignore").encode()',
            ),
            "the last bytes are kept": ("[: CHARACTERS - 2]", "[-(CHARACTERS - 2) :]"),
            "lower case": ("token.encode()", "token.lower().encode()"),
            "no end mark": (SPELLED, "spelled = [BEGIN_TOKEN, *token.encode()[: CHARACTERS - 2]]"),
            "no begin mark": (SPELLED, "spelled = [*token.encode()[: CHARACTERS - 2], END_TOKEN]"),
            "marks changed over": (
                SPELLED,
                "spelled = [END_TOKEN, *token.encode()[: CHARACTERS - 2], BEGIN_TOKEN]",
            ),
            "padding is 0": (PADDED, "return torch.tensor(spelled + [0] * (CHARACTERS - len(spelled)))"),
            "padding in front": (
                PADDED,
                "return torch.tensor([PADDING] * (CHARACTERS - len(spelled)) + spelled)",
            ),
            "no padding": (PADDED, "return torch.tensor(spelled)"),
            "int32": (PADDED, PADDED + ".int()"),
            "a list": (PADDED, "return spelled + [PADDING] * (CHARACTERS - len(spelled))"),
            "an endless loop on long tokens": (
                SPELLED,
                "spelled = [BEGIN_TOKEN, *token.encode(), END_TOKEN]\n    while len(spelled) != CHARACTERS:\n        spelled = [*spelled[:60], PADDING]",
            ),
            "the empty token allowed": ("if not token:", "if token is None:"),
            "the empty token allowed in a batch": (
                "or not all(sentence)",
                "or False",
                "if not token:",
                "if token is None:",
            ),
            "another error": ('raise ValueError("the token', 'raise IndexError("the token'),
            "no sentences allowed": (
                "if not sentences:\n        raise ValueError",
                "if not sentences:\n        return torch.zeros(0, 0, 50).long(), torch.zeros(0).long()\n        raise ValueError",
            ),
            "a string is a sentence": ("if isinstance(sentence, str):", "if False:"),
            "ValueError for a string": ('raise TypeError(f"sentence', 'raise ValueError(f"sentence'),
            "an empty sentence allowed": (
                "if not len(sentence) or not all(sentence):",
                "if not all(sentence):",
                "row[1 : length - 1] = torch.stack([character_ids(token) for token in sentence])",
                "row[1 : length - 1] = torch.stack([character_ids(t) for t in sentence]) if len(sentence) else 0",
            ),
            "only the first sentence is looked at": (
                "if not len(sentence) or not all(sentence):",
                "if number == 0 and (not len(sentence) or not all(sentence)):",
                "row[1 : length - 1] = torch.stack([character_ids(token) for token in sentence])",
                "row[1 : length - 1] = torch.stack([character_ids(t) for t in sentence]) if len(sentence) else 0",
                "if not token:",
                "if False:",
            ),
            "lengths without markers": ("return ids, lengths", "return ids, lengths - 2"),
            "markers left out": (
                "row[0, :3] = torch.tensor([BEGIN_TOKEN, BEGIN_SENTENCE, END_TOKEN])\n",
                "pass\n",
            ),
            "the same marker twice": (
                "[BEGIN_TOKEN, END_SENTENCE, END_TOKEN]",
                "[BEGIN_TOKEN, BEGIN_SENTENCE, END_TOKEN]",
            ),
            "markers without token marks": (
                "row[0, :3] = torch.tensor([BEGIN_TOKEN, BEGIN_SENTENCE, END_TOKEN])",
                "row[0, 0] = BEGIN_SENTENCE",
            ),
            "end marker at the end of the batch": ("row[length - 1, :3]", "row[-1, :3]"),
            "the longest sentence fixed": ("int(lengths.max())", "max(20, int(lengths.max()))"),
            "padding of sentences is 0": ("CHARACTERS), PADDING)", "CHARACTERS), 0)"),
            "sentences changed": (
                "return ids, lengths",
                "for sentence in sentences:\n        sentence.append('</s>')\n    return ids, lengths",
            ),
            "letters in two parts put together": (
                "*token.encode()[: CHARACTERS - 2]",
                '*__import__("unicodedata").normalize("NFC", token).encode()[: CHARACTERS - 2]',
            ),
            "ligatures taken apart": (
                "*token.encode()[: CHARACTERS - 2]",
                '*__import__("unicodedata").normalize("NFKC", token).encode()[: CHARACTERS - 2]',
            ),
            "blank tokens refused": ("if not token:", "if not token.strip():"),
            "blank tokens refused in a batch": ("not all(sentence)", "not all(t.strip() for t in sentence)"),
            "blank tokens left out of a batch": (
                "    lengths = torch.tensor([len",
                "    sentences = [[t for t in s if t.strip()] for s in sentences]\n    lengths = torch.tensor([len",
            ),
            "the end of a line cut off": ("token.encode()", 'token.rstrip("\\n").encode()'),
            "marks written out become marks": (
                SPELLED,
                'if token in ("<S>", "</S>"):\n        return torch.tensor([258, 256 + (token != "<S>"), 259] + [260] * 47)\n    '
                + SPELLED,
            ),
            "what cannot be spelled is left out": ("token.encode()", 'token.encode("utf-8", "ignore")'),
            "what cannot be spelled is spelled": ("token.encode()", 'token.encode("utf-8", "surrogatepass")'),
            "sentences cut to 20 tokens": (
                "    lengths = torch.tensor([len",
                "    sentences = [s[:20] for s in sentences]\n    lengths = torch.tensor([len",
            ),
            "sentences cut to 48 tokens": (
                "    lengths = torch.tensor([len",
                "    sentences = [s[:48] for s in sentences]\n    lengths = torch.tensor([len",
            ),
            "one tensor for all calls": (
                PADDED,
                PADDED.replace("return ", "found = ")
                + "\n    return character_ids.__dict__.setdefault(token, found)",
            ),
            "an empty string is an empty sentence": (
                "    for number, sentence in enumerate(sentences):",
                "    if not all(len(s) for s in sentences):\n        raise ValueError('empty')\n"
                "    for number, sentence in enumerate(sentences):",
            ),
            "lists, not tensors": ("return ids, lengths", "return ids.tolist(), lengths.tolist()"),
        },
    ),
    "q2": Question(
        right={
            "unfolded": """
def highway(x, W, b):
    m = x.shape[-1]
    z = x @ W.t() + b
    g = torch.sigmoid(z[..., m:])
    y = torch.clamp(z[..., :m], min=0)
    return y + g * (x - y)


def character_encode(ids, embedding, convolutions, highways, projection):
    if ((ids < 0) | (ids >= embedding.shape[0])).any():
        raise ValueError("ids")
    x = embedding[ids]
    out = []
    for W, b in convolutions:
        windows = x.unfold(-2, W.shape[2], 1)
        out.append((torch.einsum("...ek,nek->...n", windows, W) + b).max(dim=-2).values)
    x = F.relu(torch.cat(out, dim=-1))
    for W, b in highways:
        x = highway(x, W, b)
    return x @ projection[0].T + projection[1]
""",
            "token by token": """
def highway(x, W, b):
    W_1, W_2 = W.chunk(2)
    b_1, b_2 = b.chunk(2)
    gate = torch.sigmoid(F.linear(x, W_2, b_2))
    return torch.lerp(F.relu(F.linear(x, W_1, b_1)), x, gate)


def character_encode(ids, embedding, convolutions, highways, projection):
    if not bool(((0 <= ids) & (ids < len(embedding))).all()):
        raise ValueError("ids")
    rows = []
    for row in ids.reshape(-1, ids.shape[-1]):
        x = embedding[row].T[None]
        x = torch.cat([F.relu(F.conv1d(x, W, b)).amax(-1) for W, b in convolutions], 1)[0]
        for pair in highways:
            x = highway(x, *pair)
        rows.append(F.linear(x, *projection))
    return torch.stack(rows).reshape(*ids.shape[:-1], -1)
""",
            "one-hot vectors times the table": """
def highway(x, W, b):
    m = x.shape[-1]
    gate = (x @ W[m:].T + b[m:]).sigmoid()
    return gate * x + (1 - gate) * (x @ W[:m].T + b[:m]).relu()


def character_encode(ids, embedding, convolutions, highways, projection):
    if ids.min() < 0 or ids.max() >= len(embedding):
        raise ValueError("ids")
    spelled = F.one_hot(ids.flatten(0, -2), len(embedding)).to(embedding.dtype) @ embedding
    pooled = [F.adaptive_max_pool1d(F.conv1d(spelled.mT, W, b), 1)[:, :, 0] for W, b in convolutions]
    x = torch.cat(pooled, 1).relu()
    for W, b in highways:
        x = highway(x, W, b)
    return (x @ projection[0].T + projection[1]).reshape(*ids.shape[:-1], -1)
""",
        },
        wrong={
            "gate upside down": (GATE, "return (1 - gate) * x + gate * new.relu()"),
            "halves changed over": ("new, gate = F.linear", "gate, new = F.linear"),
            "no relu in the highway": (GATE, "return gate * x + (1 - gate) * new"),
            "tanh in the highway": ("* new.relu()", "* new.tanh()"),
            "no gate on the old value": (GATE, "return x + (1 - gate) * new.relu()"),
            "a residual": (GATE, "return x + new.relu()"),
            "gate without sigmoid": ("gate = gate.sigmoid()", "gate = gate"),
            "sigmoid by exponentials, which overflow": (
                "gate = gate.sigmoid()",
                "gate = gate.exp() / (1 + gate.exp())",
            ),
            "no bias in the highway": ("F.linear(x, W, b).chunk", "F.linear(x, W).chunk"),
            "gate without gradient": ("gate = gate.sigmoid()", "gate = gate.sigmoid().detach()"),
            "new value without gradient": ("* new.relu()", "* new.relu().detach()"),
            "x changed in place": (
                GATE,
                "with torch.no_grad():\n        x *= 1.5\n    return gate * x / 1.5 + (1 - gate) * new.relu()",
            ),
            "split along the wrong dimension": (".chunk(2, dim=-1)", ".chunk(2, dim=0)"),
            "float32 always": (GATE, "return (gate * x + (1 - gate) * new.relu()).float()"),
            "negative ids allowed": (
                "if ids.min() < 0 or ids.max()",
                "if ids.max()",
                "F.embedding(ids.flatten(0, -2), embedding)",
                "embedding[ids.flatten(0, -2)]",
            ),
            "large ids give another error": (
                "if ids.min() < 0 or ids.max() >= len(embedding)",
                "if ids.min() < 0",
            ),
            "one id too many allowed": (
                "ids.max() >= len(embedding)",
                "ids.max() > len(embedding)",
                "F.embedding(ids.flatten(0, -2), embedding)",
                "F.embedding(ids.flatten(0, -2).clamp(max=len(embedding) - 1), embedding)",
            ),
            "only the first token is looked at": (
                "ids.max() >= len(embedding)",
                "ids.flatten()[0] >= len(embedding)",
            ),
            "ids clamped": (
                "if ids.min() < 0 or ids.max() >= len(embedding):",
                "ids = ids.clamp(0, len(embedding) - 1)\n    if False:",
            ),
            "the mean, not the maximum": (".amax(2)", ".mean(2)"),
            "the sum": (".amax(2)", ".sum(2)"),
            "the first place": (".amax(2)", "[:, :, 0]"),
            "the maximum over channels": (CNN, CNN.replace("amax(2)", "amax(1)")),
            "padding does not count": (
                "spelled = F.embedding(ids.flatten(0, -2), embedding).transpose(1, 2)",
                "spelled = F.embedding(ids.flatten(0, -2), embedding).masked_fill((ids.flatten(0, -2) == 260)[..., None], 0.0).transpose(1, 2)",
            ),
            "padding cut off": (
                "spelled = F.embedding(ids.flatten(0, -2), embedding)",
                "ids = ids[..., : max(9, int((ids != 260).sum(-1).max()))]\n    spelled = F.embedding(ids.flatten(0, -2), embedding)",
            ),
            "padding row without gradient": (
                "F.embedding(ids.flatten(0, -2), embedding)",
                "F.embedding(ids.flatten(0, -2), embedding, padding_idx=260)",
            ),
            "same padding": ("F.conv1d(spelled, W, b)", "F.conv1d(spelled, W, b, padding=W.shape[2] // 2)"),
            "no bias of the filters": ("F.conv1d(spelled, W, b)", "F.conv1d(spelled, W)"),
            "filters turned around": ("F.conv1d(spelled, W, b)", "F.conv1d(spelled, W.flip(2), b)"),
            "order of filters changed": ("for W, b in convolutions]", "for W, b in convolutions[::-1]]"),
            "only the first width": ("for W, b in convolutions]", "for W, b in convolutions[:1]]"),
            "no relu": ("x = found.relu()", "x = found"),
            "tanh for relu": ("x = found.relu()", "x = found.tanh()"),
            "relu after the highways": (
                "x = found.relu()",
                "x = found",
                "return F.linear(x, *projection)",
                "return F.linear(x.relu(), *projection)",
            ),
            "highways left out": ("x = highway(x, W, b)", "pass"),
            "one highway for all": ("for W, b in highways:", "for W, b in highways[:1]:"),
            "no projection": ("F.linear(x, *projection)", "x"),
            "projection without bias": ("F.linear(x, *projection)", "F.linear(x, projection[0])"),
            "flat result": (".unflatten(0, ids.shape[:-1])", ""),
            "table without gradient": (
                "F.embedding(ids.flatten(0, -2), embedding)",
                "F.embedding(ids.flatten(0, -2), embedding.detach())",
            ),
            "normalized over the batch": ("x = found.relu()", "x = (found - found.mean(0)).relu()"),
            "nan hidden": ("x = found.relu()", "x = found.nan_to_num().relu()"),
            "the last window is missed": (CNN, CNN.replace(".amax(2)", "[:, :, :-1].amax(2)")),
            "the first window is missed": (CNN, CNN.replace(".amax(2)", "[:, :, 1:].amax(2)")),
            "the first 40 ids only": (
                "F.embedding(ids.flatten(0, -2), embedding)",
                "F.embedding(ids.flatten(0, -2)[:, :40], embedding)",
            ),
            "stride 2": ("F.conv1d(spelled, W, b)", "F.conv1d(spelled, W, b, stride=2)"),
            "ids changed in place": ("    spelled = F.emb", "    ids[..., -1] = 260\n    spelled = F.emb"),
            "the list of highways is emptied": (
                "for W, b in highways:",
                "while highways:\n        W, b = highways.pop(0)",
            ),
            "the list of filters is emptied": (
                "    x = found.relu()",
                "    convolutions.clear()\n    x = found.relu()",
            ),
            "an endless loop": (
                "for W, b in highways:",
                "while convolutions:\n        W, b = convolutions[0]\n        continue",
            ),
            "an endless loop in the highway": (
                "    gate = gate.sigmoid()",
                "    gate = gate.sigmoid()\n    while True:\n        m = x.shape[-1]",
            ),
            "50 places in any case": (
                "F.embedding(ids.flatten(0, -2), e",
                "F.embedding(ids.reshape(-1, 50), e",
            ),
            "fewer than 50 places refused": (
                "if ids.min() < 0 or",
                "if ids.shape[-1] != 50 or ids.min() < 0 or",
            ),
            "the last highway layer only": ("for W, b in highways:", "for W, b in highways[-1:]:"),
            "padding is never the maximum": (
                ".transpose(1, 2)",
                ".transpose(1, 2)\n    real = (ids.flatten(0, -2) != 260).sum(1)",
                CNN,
                CNN.replace(
                    "F.conv1d(spelled, W, b).amax(2)",
                    "torch.stack([F.conv1d(x[:, : max(n, W.shape[2])], W, b).amax(1) for x, n in zip(spelled, real.tolist())])",
                ),
            ),
            "an IndexError for a bad id": (
                'raise ValueError(\n            f"ids go',
                'raise IndexError(\n            f"ids go',
            ),
        },
    ),
    "q3": Question(
        right={
            "gate by gate, packed by hand": """
def projected_cell(x, state, W_x, W_h, b, W_p, clip=3.0):
    if len({x.shape[0], state[0].shape[0], state[1].shape[0]}) != 1:
        raise ValueError("rows")
    a = x @ W_x.T + state[0] @ W_h.T + b
    C = W_p.shape[1]
    i, f, o = (torch.sigmoid(a[:, k * C : (k + 1) * C]) for k in (0, 1, 3))
    c = torch.clamp(f * state[1] + i * torch.tanh(a[:, 2 * C : 3 * C]), min=-clip, max=clip)
    return (torch.clamp((o * torch.tanh(c)) @ W_p.T, -clip, clip), c)


def run_lstm(X, lengths, weights, backward=False):
    check_lengths(X, lengths)
    rows = []
    for sentence, n in zip(X, lengths.tolist()):
        state = (X.new_zeros(1, X.shape[2]), X.new_zeros(1, weights[3].shape[1]))
        out = [None] * n
        for t in (range(n - 1, -1, -1) if backward else range(n)):
            state = projected_cell(sentence[t : t + 1], state, *weights)
            out[t] = state[0][0]
        rows.append(torch.stack(out + [X.new_zeros(X.shape[2])] * (X.shape[1] - n)))
    return torch.stack(rows)


def bilm_layers(X, lengths, forward, backward):
    check_lengths(X, lengths)
    if len(forward) != len(backward) or not forward:
        raise ValueError("stacks")
    mask = (torch.arange(X.shape[1]) < lengths[:, None])[..., None]
    left = right = torch.where(mask, X, torch.zeros((), dtype=X.dtype))
    found = [torch.cat([left, right], 2)]
    for k, (f, b) in enumerate(zip(forward, backward)):
        new = run_lstm(left, lengths, f), run_lstm(right, lengths, b, True)
        left, right = (new[0] + left, new[1] + right) if k else new
        found.append(torch.cat([left, right], 2))
    return torch.stack(found)
""",
            "turned around by an index": """
def projected_cell(x, state, W_x, W_h, b, W_p, clip=3.0):
    h, c = state
    if x.size(0) != h.size(0) or h.size(0) != c.size(0):
        raise ValueError("rows")
    i, f, g, o = (F.linear(x, W_x, b) + F.linear(h, W_h)).chunk(4, -1)
    c = torch.minimum(torch.maximum(torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g), -torch.full_like(c, clip)), torch.full_like(c, clip))
    h = F.hardtanh((torch.sigmoid(o) * torch.tanh(c)) @ W_p.T, -clip, clip)
    return h, c


def run_lstm(X, lengths, weights, backward=False):
    check_lengths(X, lengths)
    places = torch.arange(X.shape[1])
    mask = (places < lengths[:, None])[..., None]
    index = (lengths[:, None] - 1 - places).clamp(min=0)[..., None].expand_as(X)
    X = X.masked_fill(~mask, 0)
    if backward:
        X = X.gather(1, index)
    state, out, t = (torch.zeros_like(X[:, 0]), X.new_zeros(len(X), weights[3].size(1))), [], 0
    while t < X.shape[1]:
        state = projected_cell(X[:, t], state, *weights)
        out.append(state[0])
        t += 1
    out = torch.stack(out, 1)
    if backward:
        out = out.gather(1, index)
    return out.masked_fill(~mask, 0)


def bilm_layers(X, lengths, forward, backward):
    check_lengths(X, lengths)
    if len(forward) != len(backward) or len(forward) == 0:
        raise ValueError("stacks")
    clean = X.masked_fill((torch.arange(X.shape[1]) >= lengths[:, None])[..., None], 0)
    def stack(cells, back):
        layers = [clean]
        for k, cell in enumerate(cells):
            out = run_lstm(layers[-1], lengths, cell, backward=back)
            layers.append(out if k == 0 else out + layers[-1])
        return torch.stack(layers)
    return torch.cat((stack(forward, False), stack(backward, True)), 3)
""",
        },
        wrong={
            "order i, f, o, g": ("i, f, g, o =", "i, f, o, g ="),
            "order i, g, f, o, as bilm-tf": ("i, f, g, o =", "i, g, f, o ="),
            "forget bias added": (CELL, CELL.replace("f.sigmoid()", "(f + 1).sigmoid()")),
            "coupled gates": (CELL, CELL.replace("i.sigmoid()", "(1 - f.sigmoid())")),
            "candidate by a sigmoid": (CELL, CELL.replace("g.tanh()", "g.sigmoid()")),
            "cell not clipped": (CELL, "c = f.sigmoid() * c + i.sigmoid() * g.tanh()"),
            "output not clipped": (SHOWN, "return F.linear(o.sigmoid() * c.tanh(), W_p), c"),
            "clipped before the projection": (
                SHOWN,
                "return F.linear((o.sigmoid() * c.tanh()).clamp(-clip, clip), W_p), c",
            ),
            "clipped from above only": (CELL, CELL.replace(".clamp(-clip, clip)", ".clamp(max=clip)")),
            "output clipped from above only": (
                SHOWN,
                SHOWN.replace(".clamp(-clip, clip)", ".clamp(max=clip)"),
            ),
            "always clipped at 3": (
                CELL,
                CELL.replace("(-clip, clip)", "(-3, 3)"),
                SHOWN,
                SHOWN.replace("(-clip, clip)", "(-3, 3)"),
            ),
            "another default": ("clip=3.0", "clip=1.0"),
            "no clip by default": ("clip=3.0", "clip=1e9"),
            "the clipped cell is not kept": (
                CELL,
                "c = f.sigmoid() * c + i.sigmoid() * g.tanh()\n    kept, c = c, c.clamp(-clip, clip)",
                SHOWN,
                SHOWN[:-1] + "kept",
            ),
            "no projection": (SHOWN, "return (o.sigmoid() * c.tanh())[:, : len(W_p)].clamp(-clip, clip), c"),
            "no tanh at the output": (SHOWN, SHOWN.replace("c.tanh()", "c")),
            "output gate after the projection": (
                SHOWN,
                "return (F.linear(c.tanh(), W_p) * o.sigmoid()[:, :1]).clamp(-clip, clip), c",
            ),
            "sigmoid by exponentials, which overflow": (
                CELL,
                CELL.replace("f.sigmoid()", "(f.exp() / (1 + f.exp()))"),
            ),
            "no bias": ("F.linear(x, W_x, b)", "F.linear(x, W_x)"),
            "state without gradient": ("W_x, b), h, W_h.T)", "W_x, b), h.detach(), W_h.T)"),
            "projection without gradient": (SHOWN, SHOWN.replace("W_p)", "W_p.detach())")),
            "old cell changed in place": (CELL, "c.data.mul_(0.999)\n    " + CELL),
            "rows not checked": ("if not len(x) == len(h) == len(c):", "if False:"),
            "one state for all": (
                "if not len(x) == len(h) == len(c):",
                "if len(h) != len(c) or len(h) not in (1, len(x)):",
            ),
            "a list": (SHOWN, SHOWN.replace("return F", "return [F") + "]"),
            "backward forgotten": ("[:: -1 if backward else 1]", ""),
            "always backward": ("-1 if backward else 1", "-1"),
            "backward from the end of the batch, through padding": (HOLD, "state = new"),
            "outputs left turned around": ("outputs[t] = state[0]", "outputs[order.index(t)] = state[0]"),
            "padding not cleaned": (CLEAN, "outputs = [None] * len(order)", BOTTOM, "layers = [X]"),
            "padding not cleaned in run_lstm": (CLEAN, "outputs = [None] * len(order)"),
            "padding multiplied by 0": (CLEAN, "X, outputs = X * real, [None] * len(order)"),
            "cleaned by value": (CLEAN, "X, outputs = X.nan_to_num(0.0, 0.0, 0.0), [None] * len(order)"),
            "nan hidden everywhere": (
                BOTTOM,
                "layers = [X.nan_to_num().masked_fill(behind[:, :, None], 0.0)]",
            ),
            "outputs not zeroed": (ENDS, "return torch.stack(outputs, dim=1)"),
            "one position short": ("< lengths[:, None])[:, :, None]", "< lengths[:, None] - 1)[:, :, None]"),
            "one position too many": ("< lengths[:, None])[:, :, None]", "<= lengths[:, None])[:, :, None]"),
            "begins with ones": (START, START.replace("torch.zeros_like", "torch.ones_like")),
            "state not carried": (
                HOLD,
                "state = state\n        h = torch.where(real[:, t], new[0], 0.0)",
                "outputs[t] = state[0]",
                "outputs[t] = h",
            ),
            "cell state not carried": (HOLD, "state = (torch.where(real[:, t], new[0], state[0]), state[1])"),
            "inputs without gradient": (
                CLEAN,
                "X, outputs = X.detach().masked_fill(~real, 0.0), [None] * len(order)",
            ),
            "X changed in place": (CLEAN, "X.data[:] = X.data.masked_fill(~real, 0.0)\n    " + CLEAN),
            "lengths not checked in run_lstm": (
                'one direction."""\n    # BEGIN SOLUTION\n    check_lengths(X, lengths)\n',
                'one direction."""\n    # BEGIN SOLUTION\n',
            ),
            "lengths not checked in either": (
                'one direction."""\n    # BEGIN SOLUTION\n    check_lengths(X, lengths)\n',
                'one direction."""\n    # BEGIN SOLUTION\n',
                "check_lengths(X, lengths)\n    if not len(forward)",
                "if not len(forward)",
            ),
            "an endless loop": (
                "for t in order:\n",
                "t = order[0]\n    while t < len(order):\n        t = t % len(order)\n        t = min(t, len(order) - 1)\n",
            ),
            "no residual": (ABOVE, "layers.append(above)"),
            "a residual around the first LSTM too": (ABOVE, "layers.append(above + layers[-1])"),
            "residual of the tokens": (
                ABOVE,
                "layers.append(above + layers[0] if len(layers) > 1 else above)",
            ),
            "the residual is not passed on": (
                "above = run_lstm(layers[-1], lengths, weights, direction)\n            " + ABOVE,
                "below = above if len(layers) > 1 else layers[-1]\n            above = run_lstm(below, lengths, weights, direction)\n            "
                + ABOVE,
            ),
            "both directions forward": ("(backward, True)", "(backward, False)"),
            "the forward weights twice": ("(backward, True)", "(forward, True)"),
            "halves changed over": ("torch.cat(halves, dim=-1)", "torch.cat(halves[::-1], dim=-1)"),
            "halves added": ("torch.cat(halves, dim=-1)", "halves[0] + halves[1]"),
            "layer 0 is not cleaned": (BOTTOM, "layers = [X]"),
            "without layer 0": (
                "halves.append(torch.stack(layers))",
                "halves.append(torch.stack(layers[1:]))",
            ),
            "layers in reverse": (
                "halves.append(torch.stack(layers))",
                "halves.append(torch.stack(layers[::-1]))",
            ),
            "the first LSTM's weights for all": (
                "run_lstm(layers[-1], lengths, weights, direction)",
                "run_lstm(layers[-1], lengths, stack[0], direction)",
            ),
            "each LSTM reads the tokens": (
                "run_lstm(layers[-1], lengths, weights, direction)",
                "run_lstm(layers[0], lengths, weights, direction)",
            ),
            "unequal stacks allowed": (
                "if not len(forward) == len(backward) > 0:",
                "n = min(len(forward), len(backward))\n    forward, backward = forward[:n], backward[:n]\n    if not n:",
            ),
            "empty stacks allowed": ("== len(backward) > 0:", "== len(backward):"),
            "float32 always": (
                "return torch.cat(halves, dim=-1)",
                "return torch.cat(halves, dim=-1).float()",
            ),
            "run_lstm does not clip": (
                "projected_cell(X[:, t], state, *weights)",
                "projected_cell(X[:, t], state, *weights, clip=1e9)",
            ),
            "run_lstm clips at 1.5": (
                "projected_cell(X[:, t], state, *weights)",
                "projected_cell(X[:, t], state, *weights, clip=1.5)",
            ),
            "torch's LSTM, which does not clip": """
def projected_cell(x, state, W_x, W_h, b, W_p, clip=3.0):
    h, c = state
    if not len(x) == len(h) == len(c):
        raise ValueError("rows")
    i, f, g, o = (F.linear(x, W_x, b) + h @ W_h.T).chunk(4, dim=1)
    c = (f.sigmoid() * c + i.sigmoid() * g.tanh()).clamp(-clip, clip)
    return F.linear(o.sigmoid() * c.tanh(), W_p).clamp(-clip, clip), c


def run_lstm(X, lengths, weights, backward=False):
    check_lengths(X, lengths)
    W_x, W_h, b, W_p = weights
    places = torch.arange(X.shape[1])
    mask = (places < lengths[:, None])[..., None]
    index = (lengths[:, None] - 1 - places).clamp(min=0)[..., None].expand_as(X)
    X = X.masked_fill(~mask, 0.0)
    X = X.gather(1, index) if backward else X
    state = X.new_zeros(1, len(X), X.shape[2]), X.new_zeros(1, len(X), W_p.shape[1])
    weights = [W_x, W_h, b, torch.zeros_like(b), W_p]
    out = torch._VF.lstm(X, state, weights, True, 1, 0.0, True, False, True)[0]
    out = out.gather(1, index) if backward else out
    return out.masked_fill(~mask, 0.0)


def bilm_layers(X, lengths, forward, backward):
    check_lengths(X, lengths)
    if len(forward) != len(backward) or len(forward) == 0:
        raise ValueError("stacks")
    clean = X.masked_fill((torch.arange(X.shape[1]) >= lengths[:, None])[..., None], 0)
    halves = []
    for cells, back in ((forward, False), (backward, True)):
        layers = [clean]
        for k, cell in enumerate(cells):
            out = run_lstm(layers[-1], lengths, cell, backward=back)
            layers.append(out + layers[-1] if k else out)
        halves.append(torch.stack(layers))
    return torch.cat(halves, 3)
""",
            "slopes through the cell's clip": (
                CELL,
                "c = f.sigmoid() * c + i.sigmoid() * g.tanh()\n    c = c + (c.clamp(-clip, clip) - c).detach()",
            ),
            "the cell's numbers clipped behind its back": (
                CELL,
                "c = f.sigmoid() * c + i.sigmoid() * g.tanh()\n    c.data.clamp_(-clip, clip)",
            ),
            "slopes through the output's clip": (
                SHOWN,
                "h = F.linear(o.sigmoid() * c.tanh(), W_p)\n    h.data.clamp_(-clip, clip)\n    return h, c",
            ),
            "zeros in torch's default dtype": (
                START,
                "state = (torch.zeros(len(X), X.shape[2]), torch.zeros(len(X), weights[3].shape[1]))",
            ),
            "lengths not checked in bilm_layers, nor in run_lstm backward": (
                "    check_lengths(X, lengths)\n    order",
                "    if not backward:\n        check_lengths(X, lengths)\n    order",
                "check_lengths(X, lengths)\n    if not len(forward)",
                "if not len(forward)",
            ),
            "an endless loop in the cell": (CELL, "while clip > 0:\n        rows = len(x)\n    " + CELL),
            "inputs after the first without gradient": (
                "projected_cell(X[:, t], state",
                "projected_cell(X[:, t] if t == 0 else X[:, t].detach(), state",
            ),
            "infinity cleaned": (
                BOTTOM,
                BOTTOM.replace("behind[:, :, None]", "behind[:, :, None] | X.isinf()"),
            ),
            "infinity cleaned in run_lstm": (
                CLEAN,
                CLEAN.replace("~real", "~real | X.isinf()"),
            ),
            "the residual is clipped": (
                ABOVE,
                "layers.append((above + layers[-1]).clamp(-3, 3) if len(layers) > 1 else above)",
            ),
            "residual without gradient": (
                ABOVE,
                ABOVE.replace("+ layers[-1] if", "+ layers[-1].detach() if"),
            ),
            "output without gradient": (
                ABOVE,
                ABOVE.replace("above + layers[-1] if", "above.detach() + layers[-1] if"),
            ),
            "residual's gradient twice": (
                ABOVE,
                ABOVE.replace("+ layers[-1] if", "+ layers[-1] * 2 - layers[-1].detach() if"),
            ),
            "an upper LSTM's input without gradient": (
                "run_lstm(layers[-1], lengths",
                "run_lstm(layers[-1].detach() if len(layers) > 1 else layers[-1], lengths",
            ),
            "no gradient to the tokens": (
                "run_lstm(layers[-1], lengths",
                "run_lstm(layers[-1].detach() if len(layers) == 1 else layers[-1], lengths",
            ),
            "layer 0 without gradient": (
                "halves.append(torch.stack(layers))",
                "halves.append(torch.stack([layers[0].detach(), *layers[1:]]))",
            ),
        },
    ),
    "q4": Question(
        right={
            "word by word": """
def bilm_loss(top, targets, lengths, W, b):
    check_lengths(top, lengths)
    d, losses = W.shape[1], []
    for row, words, n in zip(top, targets.tolist(), lengths.tolist()):
        for t in range(1, n - 1):
            if words[t] >= 0:
                losses.append(-F.log_softmax(W @ row[t - 1, :d] + b, 0)[words[t]])
                losses.append(-F.log_softmax(W @ row[t + 1, d:] + b, 0)[words[t]])
    if not losses:
        raise ValueError("nothing")
    return sum(losses) / len(losses)
""",
            "two losses, halved": """
def bilm_loss(top, targets, lengths, W, b):
    check_lengths(top, lengths)
    n, d = top.shape[1], W.shape[1]
    mask = torch.zeros_like(targets, dtype=torch.bool)
    for i, length in enumerate(lengths.tolist()):
        mask[i, 1 : max(1, length - 1)] = True
    mask = mask & (targets > -1)
    if int(mask.sum()) == 0:
        raise ValueError("nothing")
    row, column = mask.nonzero(as_tuple=True)
    wanted = targets[row, column]
    ahead = F.cross_entropy(top[row, column - 1, :d] @ W.T + b, wanted)
    back = F.cross_entropy(top[row, column + 1, d:] @ W.T + b, wanted)
    return (ahead + back) / 2
""",
        },
        wrong={
            "lengths not checked": ("check_lengths(top, lengths)\n", "pass\n"),
            "the begin marker is predicted": (
                "(places > 0) & ",
                "",
                "wanted[:, 1:-1]",
                "wanted[:, :-2]",
                "targets[:, 1:-1]",
                "targets[:, :-2]",
            ),
            "the end marker is predicted": ("lengths[:, None] - 1)", "lengths[:, None])"),
            "the last word is not predicted": ("lengths[:, None] - 1)", "lengths[:, None] - 2)"),
            "the first word is not predicted": ("(places > 0)", "(places > 1)"),
            "padding is predicted": ("(places < lengths[:, None] - 1)", "(places < top.shape[1] - 1)"),
            "unknown words are predicted as word 0": (
                " & (targets >= 0)",
                "",
                "targets[wanted].repeat(2)",
                "targets[wanted].clamp(min=0).repeat(2)",
            ),
            "only −100 is left out": ("(targets >= 0)", "(targets != -100)"),
            "word 0 is left out": ("(targets >= 0)", "(targets > 0)"),
            "each predicts its own word": (
                BESIDE,
                "beside = torch.cat([top[:, 1:-1, :d][wanted], top[:, 1:-1, d:][wanted]])",
            ),
            "directions changed over": (
                BESIDE,
                "beside = torch.cat([top[:, 2:, :d][wanted], top[:, :-2, d:][wanted]])",
            ),
            "halves changed over": (
                BESIDE,
                "beside = torch.cat([top[:, :-2, d:][wanted], top[:, 2:, :d][wanted]])",
            ),
            "both from the left": (
                BESIDE,
                "beside = torch.cat([top[:, :-2, :d][wanted], top[:, :-2, d:][wanted]])",
            ),
            "forward alone": (BESIDE, "beside = top[:, :-2, :d][wanted]", ".repeat(2)", ""),
            "backward alone": (BESIDE, "beside = top[:, 2:, d:][wanted]", ".repeat(2)", ""),
            "a sum": ("repeat(2))", 'repeat(2), reduction="sum")'),
            "not halved": (
                LOSS,
                "return 2 * F.cross_entropy(F.linear(beside, W, b), targets[wanted].repeat(2))",
            ),
            "in bits": (
                LOSS,
                "return F.cross_entropy(F.linear(beside, W, b), targets[wanted].repeat(2)) / math.log(2)",
            ),
            "no bias": ("F.linear(beside, W, b)", "F.linear(beside, W)"),
            "classifier without gradient": ("F.linear(beside, W, b)", "F.linear(beside, W.detach(), b)"),
            "bias without gradient": ("F.linear(beside, W, b)", "F.linear(beside, W, b.detach())"),
            "forward half without gradient": (
                BESIDE,
                BESIDE.replace("top[:, :-2, :d][wanted]", "top[:, :-2, :d][wanted].detach()"),
            ),
            "targets in the wrong order": (".repeat(2)", ".repeat_interleave(2)"),
            "nothing to predict gives 0": (
                'raise ValueError("there is no word to predict; give a sentence with a known word")',
                "return top.sum() * 0",
            ),
            "nothing to predict gives nan": ("if not wanted.any():", "if False:"),
            "another error": ('raise ValueError("there', 'raise RuntimeError("there'),
            "mean of means": (
                LOSS,
                "logits = F.linear(torch.cat([top[:, :-2, :d], top[:, 2:, d:]]), W, b).masked_fill(~wanted.repeat(2, 1)[..., None], 0.0)\n"
                "    nll = -logits.log_softmax(2).gather(2, targets.where(wanted, 0).repeat(2, 1)[..., None])[..., 0].where(wanted.repeat(2, 1), 0.0)\n"
                "    n = wanted.repeat(2, 1).sum(1)\n    return (nll.sum(1)[n > 0] / n[n > 0]).mean()",
            ),
            "softmax by exponentials, which overflow": (
                LOSS,
                "p = F.linear(beside, W, b).exp()\n    p = p / p.sum(1, keepdim=True)\n    return -p[torch.arange(len(p)), targets[wanted].repeat(2)].log().mean()",
            ),
            "targets changed": (
                "d, wanted, targets = W.shape[1], wanted[:, 1:-1], targets[:, 1:-1]",
                "targets[:, 0] = 0\n    d, wanted, targets = W.shape[1], wanted[:, 1:-1], targets[:, 1:-1]",
            ),
            "nan hidden": ("F.linear(beside, W, b)", "F.linear(beside.nan_to_num(), W, b)"),
            "float32 always": (LOSS, LOSS + ".float()"),
            "an endless loop": (
                "    places = torch.arange",
                "    while len(lengths) > 0:\n        rows = len(top)\n    places = torch.arange",
            ),
            "lengths changed": (
                "    places = torch.arange",
                "    lengths.clamp_(min=2)\n    places = torch.arange",
            ),
            "a Python number": (LOSS, LOSS + ".item()"),
        },
    ),
    "q5": Question(
        right={
            "layer by layer": """
def scalar_mix(layers, weights, gamma, mask=None):
    if weights.ndim != 1 or len(weights) != len(layers):
        raise ValueError("weights")
    if mask is not None and (tuple(mask.shape) != tuple(layers.shape[1:3]) or mask.sum() == 0):
        raise ValueError("mask")
    s = torch.exp(F.log_softmax(weights, dim=0))
    total = torch.zeros_like(layers[0])
    for share, h in zip(s, layers):
        if mask is not None:
            h = h.masked_fill(~mask.unsqueeze(-1), 0)
            n = mask.sum() * h.shape[-1]
            mean = h.sum() / n
            h = (h - mean).masked_fill(~mask.unsqueeze(-1), 0)
            h = h / torch.sqrt((h * h).sum() / n + 1e-13)
        total = total + share * h
    return gamma * total
""",
            "real positions alone": """
def scalar_mix(layers, weights, gamma, mask=None):
    if weights.shape != (layers.shape[0],):
        raise ValueError("weights")
    s = weights.softmax(dim=-1)
    if mask is None:
        return gamma * (s[:, None, None, None] * layers).sum(dim=0)
    if mask.shape != layers[0].shape[:2] or not bool(mask.any()):
        raise ValueError("mask")
    real = layers[:, mask]
    real = (real - real.mean((1, 2), keepdim=True)) / (real.var((1, 2), correction=0, keepdim=True) + 1e-13) ** 0.5
    out = torch.zeros_like(layers[0])
    out[mask] = gamma * torch.einsum("j,jnd->nd", s, real)
    return out
""",
            "a weight for each number": """
def scalar_mix(layers, weights, gamma, mask=None):
    if weights.shape != layers.shape[:1]:
        raise ValueError("weights")
    if mask is not None:
        if mask.shape != layers.shape[1:3] or not mask.any():
            raise ValueError("mask")
        layers = layers.masked_fill(~mask[:, :, None], 0.0)
        m = (mask / mask.sum() / layers.shape[3]).to(layers.dtype)[..., None]
        mean = (m * layers).sum((1, 2, 3), keepdim=True)
        variance = (m * (layers - mean) ** 2).sum((1, 2, 3), keepdim=True)
        layers = ((layers - mean) / (variance + 1e-13).sqrt()).masked_fill(~mask[:, :, None], 0.0)
    return gamma * torch.tensordot(weights.softmax(0), layers, 1)
""",
            "torch's layer norm over all numbers": """
def scalar_mix(layers, weights, gamma, mask=None):
    if tuple(weights.shape) != (len(layers),):
        raise ValueError("weights")
    if mask is not None:
        if mask.shape != layers.shape[1:3] or not mask.any():
            raise ValueError("mask")
        real, out = layers[:, mask], torch.zeros_like(layers)
        out[:, mask] = F.layer_norm(real.flatten(1), (real[0].numel(),), eps=1e-13).view_as(real)
        layers = out
    return gamma * torch.einsum("j,jbtd->btd", weights.softmax(0), layers)
""",
        },
        wrong={
            "no softmax": ("weights.softmax(0)", "weights"),
            "sum to one without exponentials": ("weights.softmax(0)", "weights / weights.sum()"),
            "softmax by exponentials, which overflow": (
                "weights.softmax(0)",
                "weights.exp() / weights.exp().sum()",
            ),
            "equal weights": ("weights.softmax(0)", "torch.zeros_like(weights).softmax(0)"),
            "weights in reverse": ("weights.softmax(0)", "weights.softmax(0).flip(0)"),
            "no gamma": ("gamma * torch.einsum", "torch.einsum"),
            "gamma within the softmax": ("weights.softmax(0)", "(gamma * weights).softmax(0)"),
            "gamma added": ("gamma * torch.einsum", "gamma + torch.einsum"),
            "gamma without gradient": ("gamma * torch.einsum", "gamma.detach() * torch.einsum"),
            "weights without gradient": ("weights.softmax(0)", "weights.detach().softmax(0)"),
            "layers without gradient": (MIX, MIX.replace("layers)", "layers.detach())")),
            "a list of layers": (MIX, MIX.replace("jbtd->btd", "jbtd->jbtd")),
            "the best layer only": (MIX, "layers[weights.argmax()] + 0 * weights.sum()"),
            "weights not checked": ("if weights.shape != layers.shape[:1]:", "if False:"),
            "one weight for all allowed": (
                "if weights.shape != layers.shape[:1]:",
                "if weights.shape != layers.shape[:1] and weights.numel() > 1:",
                MIX,
                "(weights.softmax(0).view(-1, 1, 1, 1) * layers).sum(0)",
            ),
            "fewer weights allowed": (
                "if weights.shape != layers.shape[:1]:",
                "if weights.ndim != 1 or len(weights) > len(layers):",
                MIX,
                "sum(s * h for s, h in zip(weights.softmax(0), layers))",
            ),
            "a mask of all False allowed": (" or not mask.any():", ":"),
            "a mask of all False gives zeros": (
                "if mask.shape != layers.shape[1:3] or not mask.any():",
                "if not mask.any():\n            return torch.zeros_like(layers[0])\n        if mask.shape != layers.shape[1:3]:",
            ),
            "the mask's shape not checked": (
                "mask.shape != layers.shape[1:3] or not mask.any()",
                "not mask.any()",
                "layers = layers.masked_fill(~mask[:, :, None], 0.0)\n        real",
                "mask = mask.reshape(mask.shape[0], -1).expand(layers.shape[1:3])\n        layers = layers.masked_fill(~mask[:, :, None], 0.0)\n        real",
            ),
            "not normalized": ("layers = (layers - mean.view(shape)) / scale.view(shape)", "pass"),
            "always normalized": (
                "if mask is not None:",
                "mask = torch.ones(layers.shape[1:3], dtype=torch.bool) if mask is None else mask\n    if True:",
            ),
            "mean not taken away": ("(layers - mean.view(shape)) / scale", "layers / scale"),
            "not divided": ("(layers - mean.view(shape)) / scale.view(shape)", "layers - mean.view(shape)"),
            "divided by the variance": ("(variance + 1e-13).sqrt(), (-1", "(variance + 1e-13), (-1"),
            "n − 1": (MOMENTS, "variance, mean = torch.var_mean(real, dim=1)"),
            "1e-5 under the root, and one layer is small": ("1e-13", "1e-5"),
            "no small number": ("(variance + 1e-13)", "variance"),
            "one mean for all layers": (
                MOMENTS,
                "variance, mean = (m.expand(len(layers)) for m in torch.var_mean(real, correction=0))",
            ),
            "each token by itself": (
                "layers = (layers - mean.view(shape)) / scale.view(shape)",
                "layers = F.layer_norm(layers, layers.shape[-1:], eps=1e-13)",
            ),
            "padding in the mean": ("real = layers[:, mask].flatten(1)", "real = layers.flatten(1)"),
            "padding not cleaned first": (FIRST_CLEAN, "real"),
            "padding multiplied by 0": (FIRST_CLEAN, "layers = layers * mask[:, :, None]\n        real"),
            "cleaned by value": (FIRST_CLEAN, "layers = layers.nan_to_num(0.0, 0.0, 0.0)\n        real"),
            "padding not zero after": (LAST_CLEAN, "pass\n    return"),
            "the mask upside down": (
                "~mask[:, :, None], 0.0)\n        real = layers[:, mask]",
                "mask[:, :, None], 0.0)\n        real = layers[:, ~mask]",
            ),
            "moments without gradient": (
                "real = layers[:, mask].flatten(1)",
                "real = layers[:, mask].flatten(1).detach()",
            ),
            "layers changed": (
                FIRST_CLEAN,
                "layers.data[:] = layers.data.masked_fill(~mask[:, :, None], 0.0)\n        real",
            ),
            "float32 always": (f"gamma * {MIX}", f"(gamma * {MIX}).float()"),
            **{
                f"{small} under the root": ("1e-13", small)
                for small in ("1e-8", "1e-9", "1e-10", "1e-11", "1e-12")
            },
            "the small number outside the root": ("(variance + 1e-13).sqrt()", "(variance.sqrt() + 1e-13)"),
            "1e-6 outside the root": ("(variance + 1e-13).sqrt()", "(variance.sqrt() + 1e-6)"),
            "clamped, not added": ("(variance + 1e-13).sqrt()", "variance.sqrt().clamp(min=1e-13)"),
            "no variance, no division": (
                "(variance + 1e-13).sqrt()",
                "torch.where(variance > 0, variance.sqrt(), 1.0)",
            ),
            "mean of squares minus square of the mean": (
                MOMENTS,
                "mean = real.mean(1)\n        variance = (real**2).mean(1) - mean**2",
            ),
            "the same, never below 0": (
                MOMENTS,
                "mean = real.mean(1)\n        variance = ((real**2).mean(1) - mean**2).clamp(min=0)",
            ),
            "the mask changed": (
                "    return gamma",
                "    if mask is not None:\n        mask.fill_(True)\n    return gamma",
            ),
            "an endless loop": (
                "    return gamma",
                "    while len(layers):\n        rows = len(layers)\n    return gamma",
            ),
        },
    ),
    "q6": Question(
        right={
            "two dictionaries": """
def pseudo_words(sentences, pairs):
    words = [w for pair in pairs for w in pair]
    if len(set(words)) != len(words):
        raise ValueError("twice")
    number = {w: k for k, w in enumerate(words)}
    out = [[("-".join(pairs[number[t.lower()] // 2]) if t.lower() in number else t) for t in s] for s in sentences]
    found = [(i, j, number[t.lower()] // 2, number[t.lower()] % 2) for i, s in enumerate(sentences) for j, t in enumerate(s) if t.lower() in number]
    return out, found


def split_by_paragraph(paragraphs, share, seed):
    names = np.array(sorted(set(np.asarray(paragraphs).tolist())))
    n = int(round(share * len(names)))
    if n <= 0 or n >= len(names):
        raise ValueError("a side is empty")
    test = set(np.random.default_rng(seed).permutation(names)[:n].tolist())
    return np.array([p in test for p in np.asarray(paragraphs).tolist()])
""",
            "pair by pair": """
def pseudo_words(sentences, pairs):
    seen = set()
    for pair in pairs:
        for word in pair:
            if word in seen:
                raise ValueError("twice")
            seen.add(word)
    merged, found = [list(s) for s in sentences], []
    for k, (first, second) in enumerate(pairs):
        for i, sentence in enumerate(sentences):
            for t, token in enumerate(sentence):
                for sense, word in enumerate((first, second)):
                    if token.lower() == word:
                        merged[i][t] = f"{first}-{second}"
                        found.append((i, t, k, sense))
    return merged, sorted(found)


def split_by_paragraph(paragraphs, share, seed):
    import random

    names = sorted({int(p) for p in paragraphs})
    n = round(share * len(names))
    if n < 1 or n > len(names) - 1:
        raise ValueError("a side is empty")
    return np.isin(np.asarray(paragraphs), random.Random(seed).sample(names, n))
""",
            "casts of dice, sorted": """
def pseudo_words(sentences, pairs):
    words = {}
    for k, pair in enumerate(pairs):
        for sense in (0, 1):
            if pair[sense] in words:
                raise ValueError("twice")
            words[pair[sense]] = (k, sense)
    merged, occurrences = [], []
    for i, sentence in enumerate(sentences):
        row = []
        for t, token in enumerate(sentence):
            hit = words.get(token.lower())
            if hit is not None:
                occurrences.append((i, t, *hit))
                token = pairs[hit[0]][0] + "-" + pairs[hit[0]][1]
            row.append(token)
        merged.append(row)
    return merged, occurrences


def split_by_paragraph(paragraphs, share, seed):
    different, which = np.unique(paragraphs, return_inverse=True)
    n = round(share * len(different))
    if n < 1 or n >= len(different):
        raise ValueError("a side is empty")
    order = np.random.RandomState(seed).random_sample(len(different)).argsort()
    test = np.zeros(len(different), dtype=bool)
    test[order[:n]] = True
    return test[which]
""",
        },
        wrong={
            "capitals kept apart": (
                "if token.lower() in places:\n                pair, sense = places[token.lower()]",
                "if token in places:\n                pair, sense = places[token]",
            ),
            "capitals kept in the pseudo-word": (
                MERGE,
                MERGE + ".capitalize() if token[:1].isupper() else " + '"-".join(pairs[pair])',
            ),
            "all in lower case": (
                "merged.append(list(sentence))",
                "merged.append([token.lower() for token in sentence])",
            ),
            "parts of words replaced": (
                "if token.lower() in places:\n                pair, sense = places[token.lower()]",
                "hit = next((w for w in places if w in token.lower()), None)\n            if hit:\n                pair, sense = places[hit]",
            ),
            "the sense is in the text": (
                MERGE,
                'merged[i][t] = "-".join(pairs[pair]) if sense == 0 else "-".join(pairs[pair][::-1])',
            ),
            "no hyphen": (MERGE, 'merged[i][t] = "".join(pairs[pair])'),
            "an underscore": (MERGE, 'merged[i][t] = "_".join(pairs[pair])'),
            "not merged": (MERGE, "pass"),
            "the sentences changed": ("merged.append(list(sentence))", "merged.append(sentence)"),
            "the first in a sentence only": (
                "occurrences.append((i, t, pair, sense))",
                "occurrences.append((i, t, pair, sense))\n                break",
            ),
            "senses changed over": (
                "occurrences.append((i, t, pair, sense))",
                "occurrences.append((i, t, pair, 1 - sense))",
            ),
            "position from 1": (
                "occurrences.append((i, t, pair, sense))",
                "occurrences.append((i, t + 1, pair, sense))",
            ),
            "pair and sense changed over": ("(i, t, pair, sense)", "(i, t, sense, pair)"),
            "by pair, not in reading order": (
                "return merged, occurrences",
                "return merged, sorted(occurrences, key=lambda o: o[2])",
            ),
            "occurrences alone": ("return merged, occurrences", "return occurrences"),
            "a word twice allowed": ("if len(places) < 2 * len(pairs):", "if False:"),
            "only pairs compared": (
                "if len(places) < 2 * len(pairs):",
                "if len({tuple(p) for p in pairs}) < len(pairs):",
            ),
            "a pair of the same word allowed": (
                "if len(places) < 2 * len(pairs):",
                "if len(places) < sum(len(set(p)) for p in pairs):",
            ),
            "an endless loop": (
                "for t, token in enumerate(sentence):\n",
                "t = 0\n        while t < len(sentence):\n            token = sentence[t]\n            t += token.lower() not in places\n",
            ),
            "examples split, not paragraphs": (
                "drawn = np.random.default_rng(seed).choice(different, size=count, replace=False)\n    return np.isin(paragraphs, drawn)",
                "n = len(paragraphs)\n    return np.random.default_rng(seed).permutation(n) < round(share * n)",
            ),
            "a share of the examples": (
                DRAWN,
                "order = np.random.default_rng(seed).permutation(different)\n    sizes = np.cumsum([(np.asarray(paragraphs) == p).sum() for p in order])\n    drawn = order[: max(1, int((sizes <= share * len(paragraphs)).sum()))]",
            ),
            "with replacement": ("replace=False", "replace=True"),
            "the seed is forgotten": ("default_rng(seed)", "default_rng(1)"),
            "no seed": ("default_rng(seed)", "default_rng()"),
            "the first paragraphs": (DRAWN, "drawn = different[:count]"),
            "each n-th paragraph": (DRAWN, "drawn = np.roll(different, seed)[:count]"),
            "the order of examples decides": (
                "different = np.unique(paragraphs)",
                "different = np.array(list(dict.fromkeys(np.asarray(paragraphs).tolist())))",
            ),
            "the number of examples decides": ("default_rng(seed)", "default_rng(seed + len(paragraphs))"),
            "frequent paragraphs more often": (
                DRAWN,
                "sizes = np.array([(np.asarray(paragraphs) == p).sum() for p in different])\n    drawn = np.random.default_rng(seed).choice(different, size=count, replace=False, p=sizes / sizes.sum())",
            ),
            "train and test changed over": (
                "return np.isin(paragraphs, drawn)",
                "return ~np.isin(paragraphs, drawn)",
            ),
            "numbers, not a mask": (
                "return np.isin(paragraphs, drawn)",
                "return np.flatnonzero(np.isin(paragraphs, drawn))",
            ),
            "a list": ("return np.isin(paragraphs, drawn)", "return np.isin(paragraphs, drawn).tolist()"),
            "rounded down": ("count = round(share * len(different))", "count = int(share * len(different))"),
            "rounded up": (
                "count = round(share * len(different))",
                "count = math.ceil(share * len(different))",
            ),
            "one of each side at least": (
                "if not 0 < count < len(different):",
                "count = max(1, min(len(different) - 1, count))\n    if False:",
            ),
            "no test allowed": ("if not 0 < count < len(different):", "if not 0 <= count < len(different):"),
            "no train allowed": ("if not 0 < count < len(different):", "if not 0 < count <= len(different):"),
            "the share checked, not the sides": (
                "if not 0 < count < len(different):",
                "if not 0 < share < 1:",
            ),
            "the global generator": (
                DRAWN,
                "np.random.seed(seed)\n    drawn = np.random.choice(different, size=count, replace=False)",
            ),
            "ValueError only for what occurs": """
def pseudo_words(sentences, pairs):
    merged, occurrences = [], []
    for i, sentence in enumerate(sentences):
        row = []
        for t, token in enumerate(sentence):
            hits = [(k, s) for k, p in enumerate(pairs) for s, w in enumerate(p) if w == token.lower()]
            if len(hits) > 1:
                raise ValueError("twice")
            occurrences += [(i, t, k, s) for k, s in hits]
            row.append("-".join(pairs[hits[0][0]]) if hits else token)
        merged.append(row)
    return merged, occurrences


def split_by_paragraph(paragraphs, share, seed):
    different = np.unique(paragraphs)
    count = round(share * len(different))
    if not 0 < count < len(different):
        raise ValueError("a side is empty")
    drawn = np.random.default_rng(seed).choice(different, size=count, replace=False)
    return np.isin(paragraphs, drawn)
""",
            "the first letter's capital only": (
                "if token.lower() in places:",
                "if token in places or token[:1].lower() + token[1:] in places:",
            ),
            "ß is ss": (
                "if token.lower() in places:\n                pair, sense = places[token.lower()]",
                "if token.casefold() in places:\n                pair, sense = places[token.casefold()]",
            ),
            "a dot stands for any letter": (
                "if token.lower() in places:\n                pair, sense = places[token.lower()]",
                "import re\n            hit = next((w for w in places if re.fullmatch(w, token.lower())), None)\n            if hit:\n                pair, sense = places[hit]",
            ),
            "joined and split again": (
                "        merged.append(list(sentence))",
                '        sentence = " ".join(sentence).split()\n        merged.append(list(sentence))',
            ),
            "empty tokens left out": (
                "        merged.append(list(sentence))",
                "        sentence = [t for t in sentence if t]\n        merged.append(list(sentence))",
            ),
            "lists, not tuples": (
                "occurrences.append((i, t, pair, sense))",
                "occurrences.append([i, t, pair, sense])",
            ),
            "occurrences can be read once": (
                "return merged, occurrences",
                "return merged, iter(occurrences)",
            ),
            "occurrences as an array": ("return merged, occurrences", "return merged, np.array(occurrences)"),
            "the order in a set decides": (
                "different = np.unique(paragraphs)",
                "different = np.array(list(set(np.asarray(paragraphs).tolist())))",
            ),
            "a table, where negative numbers fall on others": (
                "return np.isin(paragraphs, drawn)",
                "table = np.zeros(np.max(paragraphs) + 1, bool)\n    table[drawn] = True\n    return table[np.asarray(paragraphs)]",
            ),
            "two bytes a paragraph": (
                "different = np.unique(paragraphs)",
                "paragraphs = np.asarray(paragraphs).astype(np.int16)\n    different = np.unique(paragraphs)",
            ),
            "halves rounded up": ("round(share * len(different))", "int(share * len(different) + 0.5)"),
            "nothing is split into nothing": (
                "    different = np",
                "    if len(paragraphs) == 0:\n        return np.zeros(0, bool)\n    different = np",
            ),
            "a number from the global generator": (DRAWN, "np.random.rand()\n    " + DRAWN),
            "a naive shuffle": (
                DRAWN,
                "r, drawn = np.random.default_rng(seed), different.copy()\n    for k in range(len(drawn)):\n        j = r.integers(len(drawn))\n        drawn[[k, j]] = drawn[[j, k]]\n    drawn = drawn[:count]",
            ),
            "half from either end": (
                DRAWN,
                "r = np.random.default_rng(seed)\n    halves = zip(np.array_split(different, 2), (count - count // 2, count // 2))\n    drawn = np.concatenate([r.choice(part, size=n, replace=False) for part, n in halves])",
            ),
        },
    ),
    "q7": Question(
        right={
            "both normalized": """
def nearest_sense(vectors, senses, queries):
    if len(vectors) == 0 or len(vectors) != len(senses) or vectors.shape[1] != queries.shape[1]:
        raise ValueError("shapes")
    if np.isnan(vectors).any() or np.isnan(queries).any() or np.isinf(vectors).any() or np.isinf(queries).any():
        raise ValueError("nan or inf")
    def unit(rows):
        rows = rows.astype(np.float64)
        return rows / np.maximum(np.sqrt((rows**2).sum(1, keepdims=True)), 1e-300)
    return senses[np.argmax(unit(queries) @ unit(vectors).T, axis=1)]
""",
            "query by query": """
def nearest_sense(vectors, senses, queries):
    if not len(vectors) or len(senses) != len(vectors) or vectors.shape[1] != queries.shape[1]:
        raise ValueError("shapes")
    if not np.isfinite(vectors).all() or not np.isfinite(queries).all():
        raise ValueError("nan or inf")
    answers = []
    for q in queries:
        best, answer = -2.0, 0
        for v, s in zip(vectors, senses):
            length = np.linalg.norm(v) * np.linalg.norm(q)
            cosine = float(v @ q) / length if length else 0.0
            if cosine > best:
                best, answer = cosine, s
        answers.append(answer)
    return np.array(answers, dtype=np.int64)
""",
            "torch normalizes, and compares angles": """
def nearest_sense(vectors, senses, queries):
    if len(vectors) == 0 or len(vectors) != len(senses) or vectors.shape[1] != queries.shape[1]:
        raise ValueError("shapes")
    if not np.isfinite(vectors).all() or not np.isfinite(queries).all():
        raise ValueError("nan or inf")
    a, b = F.normalize(torch.tensor(vectors), dim=1), F.normalize(torch.tensor(queries), dim=1)
    return senses[np.arccos(np.clip((b @ a.T).numpy(), -1, 1)).argmin(1)]
""",
            "torch normalizes": """
def nearest_sense(vectors, senses, queries):
    if len(vectors) == 0 or len(vectors) != len(senses) or vectors.shape[1] != queries.shape[1]:
        raise ValueError("shapes")
    if not np.isfinite(vectors).all() or not np.isfinite(queries).all():
        raise ValueError("nan or inf")
    a, b = F.normalize(torch.tensor(vectors), dim=1), F.normalize(torch.tensor(queries), dim=1)
    return senses[(b @ a.T).argmax(1).numpy()]
""",
        },
        wrong={
            "dot product, no lengths": (COSINES, "cosines = queries @ vectors.T"),
            "squared lengths": (
                "lengths = np.linalg.norm(vectors, axis=1, keepdims=True)",
                "lengths = (vectors**2).sum(axis=1, keepdims=True)",
            ),
            "lengths over the wrong axis": ("axis=1, keepdims=True)", "axis=0, keepdims=True)"),
            "Euclidean distance": (COSINES, "cosines = -((queries[:, None] - vectors[None]) ** 2).sum(-1)"),
            "the farthest": ("cosines.argmax(axis=1)", "cosines.argmin(axis=1)"),
            "opposite vectors are near": ("cosines.argmax(axis=1)", "np.abs(cosines).argmax(axis=1)"),
            "nearest query for each vector": ("cosines.argmax(axis=1)", "cosines.argmax(axis=0)"),
            "indices, not senses": (ANSWER, "return cosines.argmax(axis=1)"),
            "of equals the last": (
                "cosines.argmax(axis=1)",
                "cosines.shape[1] - 1 - cosines[:, ::-1].argmax(axis=1)",
            ),
            "the sense that is most frequent": (
                ANSWER,
                "return np.full(len(queries), np.bincount(np.abs(senses)).argmax())",
            ),
            "zeros divide": ("np.where(lengths > 0, lengths, 1)", "lengths"),
            "zeros are never near": (ANSWER, "cosines[:, lengths[:, 0] == 0] = -2\n    " + ANSWER),
            "means taken away": (
                COSINES,
                "vectors = vectors - vectors.mean(0)\n    queries = queries - vectors.mean(0)\n    "
                + COSINES,
            ),
            "lengths rounded": ("keepdims=True)\n", "keepdims=True).round()\n"),
            "nan allowed": (
                "if not (np.isfinite(vectors).all() and np.isfinite(queries).all()):",
                "if False:",
            ),
            "nan in the vectors allowed": ("np.isfinite(vectors).all() and ", ""),
            "nan in the queries allowed": (" and np.isfinite(queries).all()", ""),
            "infinity allowed": (
                "np.isfinite(vectors).all() and np.isfinite(queries).all()",
                "not np.isnan(vectors).any() and not np.isnan(queries).any()",
            ),
            "no vectors give 0": (
                "    if not len(vectors) == len(senses) > 0",
                "    if not len(vectors):\n        return np.zeros(len(queries), int)\n    if not len(vectors) == len(senses) > 0",
            ),
            "more senses allowed": (
                "if not len(vectors) == len(senses) > 0",
                "if not 0 < len(vectors) <= len(senses)",
            ),
            "fewer senses allowed": (
                "if not len(vectors) == len(senses) > 0",
                "if not len(vectors) >= len(senses) > 0",
                ANSWER,
                "return np.resize(senses, len(vectors))[cosines.argmax(axis=1)]",
            ),
            "dimensions cut": (
                " or vectors.shape[1:] != queries.shape[1:]:",
                ":",
                "    lengths = np.linalg",
                "    D = min(vectors.shape[1], queries.shape[1])\n    vectors, queries = vectors[:, :D], queries[:, :D]\n    lengths = np.linalg",
            ),
            "vectors changed": (
                COSINES,
                "vectors /= np.where(lengths > 0, lengths, 1)\n    cosines = queries @ vectors.T",
            ),
            "queries changed": ("    lengths = np.linalg", "    queries *= 2\n    lengths = np.linalg"),
            "a list": (ANSWER, "return np.asarray(senses)[cosines.argmax(axis=1)].tolist()"),
            "floats": (ANSWER, "return np.asarray(senses)[cosines.argmax(axis=1)].astype(float)"),
            "a mean over each sense": (
                ANSWER,
                "kinds = np.unique(senses)\n    return kinds[np.stack([cosines[:, senses == k].mean(1) for k in kinds], 1).argmax(1)]",
            ),
            "half precision": (
                COSINES,
                COSINES.replace("queries @", "queries.astype(np.float16) @").replace(
                    ").T", ").astype(np.float16).T"
                ),
            ),
            "lengths below 1e-9 clipped": ("np.where(lengths > 0, lengths, 1)", "lengths.clip(1e-9)"),
            "1e-8 added to lengths": ("np.where(lengths > 0, lengths, 1)", "(lengths + 1e-8)"),
            "1e-8 added to both lengths": (
                COSINES,
                "both = np.linalg.norm(queries, axis=1)[:, None] * lengths[:, 0]\n    cosines = queries @ vectors.T / (both + 1e-8)",
            ),
            "sorted, with equals in any order": (
                "cosines.argmax(axis=1)",
                "np.argsort(-cosines, axis=1)[:, 0]",
            ),
            "cosines rounded": (
                "cosines.argmax(axis=1)",
                "(cosines / np.maximum(np.linalg.norm(queries, axis=1, keepdims=True), 1e-300)).round(5).argmax(axis=1)",
            ),
            "nearly equal is equal": (
                "cosines.argmax(axis=1)",
                "(cosines >= cosines.max(1, keepdims=True) - 1e-6 * np.linalg.norm(queries, axis=1, keepdims=True)).argmax(axis=1)",
            ),
        },
    ),
}
