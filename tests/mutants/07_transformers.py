"""Lab 07's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

CHECK = "if mask is not None and not mask.any(-1).all():"
CLEAN = "key, value = without_padding(key, mask), without_padding(value, mask)"
SCORES = "scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])"
FILL = 'scores = scores.masked_fill(~mask, float("-inf"))'
SOFTMAX = "weights = scores.softmax(dim=-1)"
MEAN = "return weights @ value, weights"

SPLIT = "return x.unflatten(-1, (heads, d // heads)).transpose(1, 2)"
JOIN = 'return mixed.transpose(1, 2).flatten(2) @ p["W_O"] + p["b_O"], weights'
HEADS = "mask.unsqueeze(-3)"

ANGLES = "angles = torch.arange(length, dtype=torch.float64)[:, None] / wavelengths"
WAVES = "wavelengths = 10_000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)"
TABLE = "return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()"
LONGER = "if X.shape[1] > len(table) or X.shape[2] != table.shape[1]:"
ADD = "return X + table[: X.shape[1]].to(X)"

VARIANCE = "variance = (centered**2).mean(dim=-1, keepdim=True)"
NORMED = "return gamma * centered / (variance + eps).sqrt() + beta"
FEED = "return (x @ W_1 + b_1).relu() @ W_2 + b_2"
CLEAN_X = "X = X.masked_fill(~mask[:, :, None], 0.0)\n"
RESIDUAL = "X = X + part(layer_norm(X, **norm)) if pre_norm else layer_norm(X + part(X), **norm)"
ENCODER_SELF = 'multi_head(x, x, x, p["self"], heads, allowed)[0]'

CAUSAL = "torch.ones(X.shape[1], X.shape[1], dtype=torch.bool, device=X.device).tril()"
DECODER_SELF = 'multi_head(x, x, x, p["self"], heads, allowed)'
CROSS = 'multi_head(x, memory, memory, p["cross"], heads, memory_mask)'
NEW = "part(layer_norm(X, **norm) if pre_norm else X)"
ADDED = "X = X + new if pre_norm else layer_norm(X + new, **norm)"

LOSS = "return -((1 - smoothing) * right + smoothing * log_p.mean(dim=1)).mean()"
REFUSED = "if not 0 <= smoothing < 1 or not mask.any():"
RATE = "return d**-0.5 * min(step**-0.5, step * warmup**-1.5)"
STEPS = "if step < 1 or warmup < 1:"

NEXT = "new = logits_of(prefix)[:, -1].argmax(dim=-1).masked_fill(ended, 0)"
ENDED = "ended = ended | (new == end)"
STOP = "        if ended.all():\n            break\n"

QUESTIONS = {
    "q1": Question(
        right={
            "exponentials, the maximum taken off": """
def attention(query, key, value, mask=None):
    if mask is not None:
        if not bool(mask.any(dim=-1).all()):
            raise ValueError("a row is all False")
        nobody = ~mask.any(dim=-2).unsqueeze(-1)
        key = key.masked_fill(nobody, 0)
        value = value.masked_fill(nobody, 0)
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-torch.inf, dtype=scores.dtype))
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ value, weights
""",
            "the query scaled, torch.where for padding, a list": """
def attention(query, key, value, mask=None):
    if mask is not None:
        if (mask.sum(-1) == 0).any():
            raise ValueError("a row is all False")
        seen = mask.sum(-2, keepdim=True).transpose(-1, -2) > 0
        key, value = torch.where(seen, key, 0.0), torch.where(seen, value, 0.0)
    scores = (query / query.shape[-1] ** 0.5) @ key.mT
    if mask is not None:
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    weights = F.softmax(scores, -1)
    return [torch.matmul(weights, value), weights]
""",
            "the least number instead of minus infinity": """
def attention(query, key, value, mask=None):
    if mask is None:
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
    if not mask.any(-1).all():
        raise ValueError("a row is all False")
    key, value = without_padding(key, mask), without_padding(value, mask)
    scores = query @ key.transpose(-1, -2) * key.shape[-1] ** -0.5
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    return weights @ value, weights
""",
            "two calls of torch": """
def attention(query, key, value, mask=None):
    if mask is not None and (~mask).all(-1).any():
        raise ValueError("a row is all False")
    key, value = without_padding(key, mask), without_padding(value, mask)
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    weights = query @ key.transpose(-1, -2) / math.sqrt(key.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(mask.logical_not(), -math.inf)
    return output, torch.softmax(weights, -1)
""",
            "logsumexp, in float64": """
def attention(query, key, value, mask=None):
    out = query.dtype
    if mask is not None:
        if not mask.any(-1).all():
            raise ValueError("a query has no key")
        key, value = without_padding(key, mask), without_padding(value, mask)
    query, key, value = query.double(), key.double(), value.double()
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("...qk,...kv->...qv", weights, value).to(out), weights.to(out)
""",
        },
        wrong={
            "not scaled": (" / math.sqrt(query.shape[-1])", ""),
            "scaled by d_k": ("/ math.sqrt(query.shape[-1])", "/ query.shape[-1]"),
            "scaled twice": ("/ math.sqrt(query.shape[-1])", "/ math.sqrt(query.shape[-1]) ** 2"),
            "scaled by the number of keys": ("query.shape[-1])", "key.shape[-2])"),
            "scaled by d_v": ("query.shape[-1])", "value.shape[-1])"),
            "multiplied instead": ("/ math.sqrt", "* math.sqrt"),
            "softmax over the queries": ("softmax(dim=-1)", "softmax(dim=-2)"),
            "softmax over the wrong axis of two": ("softmax(dim=-1)", "softmax(dim=0)"),
            "sigmoid": ("scores.softmax(dim=-1)", "scores.sigmoid()"),
            "no softmax": (SOFTMAX, "weights = scores"),
            "hardmax": (SOFTMAX, "weights = F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)"),
            "softmax of the negative": ("scores.softmax", "(-scores).softmax"),
            "exponentials that overflow": (
                SOFTMAX,
                "weights = scores.exp() / scores.exp().sum(-1, keepdim=True)",
            ),
            "scores clamped": (SOFTMAX, "weights = scores.clamp(-1e30, 50).softmax(-1)"),
            "mask upside down": ("masked_fill(~mask,", "masked_fill(mask,"),
            "mask ignored": (FILL, "pass"),
            "mask added as 0 and 1": (FILL, "scores = scores + mask.to(scores)"),
            "masked scores 0": ('float("-inf")', "0.0"),
            "masked scores -10": ('float("-inf")', "-10.0"),
            "masked scores -1e9": ('float("-inf")', "-1e9"),
            "masked after the softmax, not normalized": (
                FILL,
                "pass",
                SOFTMAX,
                "weights = scores.softmax(-1)\n    weights = weights if mask is None else weights * mask",
            ),
            "masked after the softmax, normalized": (
                FILL,
                "pass",
                SOFTMAX,
                "weights = scores.softmax(-1)\n    weights = weights if mask is None else weights * mask / (weights * mask).sum(-1, keepdim=True)",
            ),
            "padding not cleaned": (CLEAN, "pass"),
            "only the keys cleaned": (CLEAN, "key = without_padding(key, mask)"),
            "only the values cleaned": (CLEAN, "value = without_padding(value, mask)"),
            "nan made 0 everywhere": (CLEAN, "key, value = key.nan_to_num(), value.nan_to_num()"),
            "nan and inf made 0, then cleaned": (
                CLEAN,
                CLEAN + "\n    key, value = key.nan_to_num(0, 0, 0), value.nan_to_num(0, 0, 0)",
            ),
            "the output's nan made 0": (MEAN, "return (weights @ value).nan_to_num(), weights"),
            "cleaned where a query may not attend": (
                CLEAN,
                "if mask is not None:\n        some = ~mask.all(-2)[..., None]\n        key, value = key.masked_fill(some, 0.0), value.masked_fill(some, 0.0)",
            ),
            "cleaned in place": (
                CLEAN,
                "if mask is not None:\n        with torch.no_grad():\n            for x in (key, value):\n                x.masked_fill_(~mask.any(-2)[..., None].expand(x.shape), 0.0)",
            ),
            "empty rows not refused": (CHECK, "if False:"),
            "empty rows give zeros": (
                CHECK,
                "if False:",
                SOFTMAX,
                SOFTMAX + ".nan_to_num()",
            ),
            "refused only if the whole mask is False": (CHECK, "if mask is not None and not mask.any():"),
            "columns checked instead of rows": (
                CHECK,
                "if mask is not None and not mask.any(-2).all():",
            ),
            "another error": ("raise ValueError(", "raise RuntimeError("),
            "weights and output change places": (MEAN, "return weights, weights @ value"),
            "only the output": (MEAN, "return weights @ value"),
            "the keys averaged": (MEAN, "return weights @ key, weights"),
            "weights without gradient": (MEAN, "return weights.detach() @ value, weights"),
            "values without gradient": (MEAN, "return weights @ value.detach(), weights"),
            "scores returned": (MEAN, "return weights @ value, scores"),
            "float32 always": (MEAN, "return (weights @ value).float(), weights.float()"),
            "query scaled in place": (
                SCORES,
                "query.data.div_(math.sqrt(query.shape[-1]))\n    scores = query @ key.transpose(-2, -1)",
            ),
            "transposed for three dimensions only": ("key.transpose(-2, -1)", "key.transpose(1, 2)"),
            "always causal": (
                SOFTMAX,
                "scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)\n    "
                + SOFTMAX,
            ),
            "returned weights without gradient": (MEAN, "return weights @ value, weights.detach()"),
            "masked scores -1e10": ('float("-inf")', "-1e10"),
            "masked scores -1e12": ('float("-inf")', "-1e12"),
            "masked scores -1e20": ('float("-inf")', "-1e20"),
            "all dimensions transposed": ("key.transpose(-2, -1)", "key.T"),
            "masked scores -1e30": ('float("-inf")', "-1e30"),
            "query's gradient lost": (CLEAN, CLEAN + "\n    query = query.detach()"),
            "the mask checked only with two dimensions": (
                CHECK,
                "if mask is not None and mask.ndim == 2 and not mask.any(-1).all():",
            ),
            "value's nan made 0": (
                CLEAN,
                "key = without_padding(key, mask)\n    value = value if mask is None else value.nan_to_num(0, 0, 0)",
            ),
            "value's nan made 0, then cleaned": (
                CLEAN,
                CLEAN + "\n    value = torch.where(value.isnan(), 0.0, value)",
            ),
            "query's nan made 0": (CLEAN, CLEAN + "\n    query = query.nan_to_num()"),
            "key's nan made 0 without a mask": (
                CLEAN,
                CLEAN + "\n    key = key.nan_to_num() if mask is None else key",
            ),
            "an error without a message": (
                'raise ValueError("a row of mask is all False; let each query attend to one key or more")',
                "raise ValueError",
            ),
            "float32 inside": (
                SCORES,
                "out = query.dtype\n    query, key, value = query.float(), key.float(), value.float()\n    "
                + SCORES,
                MEAN,
                "return (weights @ value).to(out), weights.to(out)",
            ),
        },
    ),
    "q2": Question(
        right={
            "head by head": """
def multi_head(query, key, value, p, heads, mask=None):
    d = query.size(2)
    if d % heads != 0:
        raise ValueError("d is not a multiple of heads")
    key, value = without_padding(key, mask), without_padding(value, mask)
    Q, K, V = query @ p["W_Q"] + p["b_Q"], key @ p["W_K"] + p["b_K"], value @ p["W_V"] + p["b_V"]
    n = d // heads
    found = [attention(*(x[..., i * n : (i + 1) * n] for x in (Q, K, V)), mask) for i in range(heads)]
    output = torch.cat([one for one, _ in found], dim=-1)
    return output @ p["W_O"] + p["b_O"], torch.stack([weights for _, weights in found], dim=1)
""",
            "view, permute, einsum": """
def multi_head(query, key, value, p, heads, mask=None):
    B, T, d = query.shape
    if d // heads * heads != d:
        raise ValueError("d is not a multiple of heads")
    if mask is not None and mask.dim() == 2:
        mask = mask[None]
    key, value = without_padding(key, mask), without_padding(value, mask)
    def project(x, name):
        y = F.linear(x, p["W_" + name].T, p["b_" + name])
        return y.view(x.size(0), x.size(1), heads, d // heads).permute(0, 2, 1, 3)
    mixed, weights = attention(
        project(query, "Q"), project(key, "K"), project(value, "V"),
        None if mask is None else mask[:, None].expand(-1, heads, -1, -1),
    )
    output = mixed.permute(0, 2, 1, 3).reshape(B, T, d)
    return torch.einsum("btd,de->bte", output, p["W_O"]) + p["b_O"], weights
""",
            "heads in the batch": """
def multi_head(query, key, value, p, heads, mask=None):
    B, T_q, d = query.shape
    T_k = key.shape[1]
    if d % heads:
        raise ValueError("heads")
    if mask is not None:
        mask = mask.expand(B, T_q, T_k)
        gone = ~mask.any(1)[..., None]
        key, value = key.masked_fill(gone, 0), value.masked_fill(gone, 0)
        mask = mask.repeat_interleave(heads, 0)
    def split(x, name):
        x = (x @ p["W_" + name] + p["b_" + name]).view(B, -1, heads, d // heads)
        return x.transpose(1, 2).reshape(B * heads, -1, d // heads)
    o, w = attention(split(query, "Q"), split(key, "K"), split(value, "V"), mask)
    o = o.view(B, heads, T_q, -1).transpose(1, 2).reshape(B, T_q, d)
    return o @ p["W_O"] + p["b_O"], w.view(B, heads, T_q, T_k)
""",
        },
        wrong={
            "mask not for all heads": (HEADS, "mask"),
            "mask unsqueezed in front": (HEADS, "mask.unsqueeze(0)"),
            "mask of the first text for all": (HEADS, "mask.reshape(-1, *mask.shape[-2:])[:1]"),
            "a mask of two dimensions taken for three": (HEADS, "mask[:, None]"),
            "scaled by the root of d in place of d_k": (
                "mixed, weights = attention(Q, K, V,",
                "mixed, weights = attention(Q * heads**-0.5, K, V,",
            ),
            "cleaned in place": (
                CLEAN,
                "if mask is not None:\n        for x in (key, value):\n            x.data.masked_fill_(~mask.any(-2)[..., None].expand(x.shape), 0.0)",
            ),
            "mask ignored": ("None if mask is None else mask.unsqueeze(-3)", "None"),
            "heads interleaved": (
                SPLIT,
                "return x.unflatten(-1, (d // heads, heads)).movedim(-1, 1)",
            ),
            "split without the transposition": (
                SPLIT,
                "return x.reshape(len(x), heads, -1, d // heads)",
            ),
            "joined without the transposition": (
                JOIN,
                'return mixed.reshape(len(query), -1, d) @ p["W_O"] + p["b_O"], weights',
            ),
            "one head": (
                SPLIT,
                "return x[:, None]",
            ),
            "scaled by the whole d": (
                'Q = split(query @ p["W_Q"] + p["b_Q"])',
                'Q = split((query @ p["W_Q"] + p["b_Q"]) / heads**0.5)',
            ),
            "no output matrix": (' @ p["W_O"] + p["b_O"], weights', ", weights"),
            "no output bias": (' + p["b_O"], weights', ", weights"),
            "no bias of the keys' queries": (' + p["b_Q"])', ")"),
            "no bias of the values": (' + p["b_V"])', ")"),
            "weights transposed": ('query @ p["W_Q"]', 'query @ p["W_Q"].T'),
            "output matrix transposed": ('@ p["W_O"]', '@ p["W_O"].T'),
            "keys by W_Q": ('key @ p["W_K"]', 'key @ p["W_Q"]'),
            "values from the keys": ('value @ p["W_V"]', 'key @ p["W_V"]'),
            "keys from the query": ('key @ p["W_K"]', 'query @ p["W_K"]'),
            "weights averaged over the heads": (JOIN, JOIN.replace(", weights", ", weights.mean(1)")),
            "weights summed to one head": (JOIN, JOIN.replace(", weights", ", weights[:, :1]")),
            "only the output": (JOIN, JOIN.replace(", weights", "")),
            "heads that do not divide": ("if d % heads:", "if False:"),
            "more heads than columns only": ("if d % heads:", "if heads > d:"),
            "odd d refused": ("if d % heads:", "if d % 2:"),
            "another error": ("raise ValueError(", "raise AssertionError("),
            "padding not cleaned": (CLEAN, "pass"),
            "only the keys cleaned": (CLEAN, "key = without_padding(key, mask)"),
            "nan made 0": (CLEAN, "key, value = key.nan_to_num(0, 0, 0), value.nan_to_num(0, 0, 0)"),
            "residual added": (JOIN, JOIN.replace("return ", "return query + ")),
            "no gradient to the output matrix": ('@ p["W_O"]', '@ p["W_O"].detach()'),
            "no gradient to the keys": ('key @ p["W_K"]', 'key.detach() @ p["W_K"]'),
            "mixed in place": (
                "d = query.shape[-1]",
                'd = query.shape[-1]\n    with torch.no_grad():\n        p["W_Q"] /= 1.5',
            ),
            "float32 always": (
                JOIN,
                JOIN.replace("return ", "return (").replace(", weights", ").float(), weights"),
            ),
            "weights without gradient": (JOIN, JOIN.replace(", weights", ", weights.detach()")),
            "value's nan made 0": (
                CLEAN,
                "key = without_padding(key, mask)\n    value = value.nan_to_num(0, 0, 0)",
            ),
            "value's nan made 0 under a mask": (
                CLEAN,
                "key = without_padding(key, mask)\n    value = value if mask is None else value.nan_to_num(0, 0, 0)",
            ),
            "query's nan made 0": (CLEAN, CLEAN + "\n    query = query.nan_to_num(0, 0, 0)"),
            "no bias of the keys": (' @ p["W_K"] + p["b_K"])', ' @ p["W_K"])'),
            "an error without a message": (
                'raise ValueError(f"{d} columns do not divide into {heads} heads; choose d as a multiple")',
                "raise ValueError",
            ),
        },
    ),
    "q3": Question(
        right={
            "filled column by column": """
def positions(length, d):
    if d % 2 == 1:
        raise ValueError("d is odd")
    places = torch.arange(length).double().unsqueeze(1)
    factor = torch.exp(-math.log(10000.0) * torch.arange(0, d, 2).double() / d)
    table = torch.zeros(length, d, dtype=torch.float64)
    table[:, 0::2] = torch.sin(places * factor)
    table[:, 1::2] = torch.cos(places * factor)
    return table.to(torch.float32)

def add_positions(X, table):
    B, T, d = X.shape
    if T > table.size(0):
        raise ValueError("too long")
    if d != table.size(1):
        raise ValueError("another d")
    return X + table[None, :T].type(X.dtype).to(X.device)
""",
            "NumPy": """
def positions(length, d):
    if d % 2:
        raise ValueError("d is odd")
    columns = np.arange(d)
    angles = np.arange(length)[:, None] / 10000.0 ** ((columns - columns % 2) / d)
    return torch.from_numpy(np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))).float()

def add_positions(X, table):
    if X.shape[1] > table.shape[0] or X.shape[2] != table.shape[1]:
        raise ValueError("too long")
    return X + F.embedding(torch.arange(X.shape[1], device=X.device), table.to(X))
""",
            "added, then cast": """
def positions(length, d):
    if d & 1:
        raise ValueError("odd")
    table, places = np.empty((length, d), dtype=np.float32), np.arange(length, dtype=np.float64)
    for i in range(d // 2):
        angles = places / 10000 ** (2 * i / d)
        table[:, 2 * i], table[:, 2 * i + 1] = np.sin(angles), np.cos(angles)
    return torch.from_numpy(table)

def add_positions(X, table):
    T = X.shape[1]
    if T > len(table) or X.shape[2] != table.shape[1]:
        raise ValueError("does not fit")
    return (X + table[:T].to(X.device)).to(X.dtype)
""",
        },
        wrong={
            "angles in float32": (
                ANGLES,
                "angles = torch.arange(length).float()[:, None] / wavelengths.float()",
            ),
            "positions from 1": ("torch.arange(length, dtype", "torch.arange(1, length + 1, dtype"),
            "sine and cosine change places": ("[angles.sin(), angles.cos()]", "[angles.cos(), angles.sin()]"),
            "only sines": ("angles.cos()", "angles.sin()"),
            "sines in the first half": (TABLE, "return torch.cat([angles.sin(), angles.cos()], 1).float()"),
            "base 1000": ("10_000", "1_000"),
            "exponent i/d": (
                "torch.arange(0, d, 2, dtype=torch.float64) / d",
                "torch.arange(d // 2, dtype=torch.float64) / d",
            ),
            "exponent of its own in each column": (
                WAVES,
                "wavelengths = 10_000 ** (torch.arange(d, dtype=torch.float64) / d)",
                TABLE,
                "return torch.where(torch.arange(d) % 2 == 0, angles.sin(), angles.cos()).float()",
            ),
            "exponent 2i/(d - 2)": ("dtype=torch.float64) / d)", "dtype=torch.float64) / max(1, d - 2))"),
            "multiplied by the divisor": ("[:, None] / wavelengths", "[:, None] * wavelengths"),
            "columns are positions": (TABLE, TABLE.replace(".float()", ".T.float()")),
            "float64": (TABLE, TABLE.replace(".float()", "")),
            "odd d not refused": ("if d % 2:", "if False:"),
            "a row too many": ("torch.arange(length, dtype", "torch.arange(length + 1, dtype"),
            "a parameter": (TABLE, TABLE + ".requires_grad_()"),
            "scaled by the root of d": (ADD, "return X * X.shape[2] ** 0.5 + table[: X.shape[1]].to(X)"),
            "positions of the texts, not of the words": (ADD, "return X + table[: len(X), None].to(X)"),
            "too long not refused": (LONGER, "if X.shape[2] != table.shape[1]:"),
            "one too long": ("X.shape[1] > len(table)", "X.shape[1] > len(table) + 1"),
            "as long as the table refused": ("X.shape[1] > len(table)", "X.shape[1] >= len(table)"),
            "cut off": (
                LONGER,
                "if X.shape[2] != table.shape[1]:",
                ADD,
                "return X[:, : len(table)] + table[: X.shape[1]].to(X)",
            ),
            "around again": (
                LONGER,
                "if X.shape[2] != table.shape[1]:",
                ADD,
                "return X + table[torch.arange(X.shape[1]) % len(table)].to(X)",
            ),
            "d not compared": (LONGER, "if X.shape[1] > len(table):"),
            "last rows": (ADD, "return X + table[-X.shape[1] :].to(X)"),
            "in place": (ADD, "X.data += table[: X.shape[1]].to(X)\n    return X"),
            "the table's dtype": (ADD, "return X + table[: X.shape[1]]"),
            "the table has no gradient": (ADD, "return X + table[: X.shape[1]].detach().to(X)"),
            "X has no gradient": (ADD, "return X.detach() + table[: X.shape[1]].to(X)"),
            "subtracted": (ADD, "return X - table[: X.shape[1]].to(X)"),
            "divisors in float32": (WAVES, "wavelengths = 10_000 ** (torch.arange(0, d, 2) / d)"),
            "exponents in float32": (WAVES, "wavelengths = 10_000 ** (torch.arange(0, d, 2) / d).double()"),
            "a table of one row broadcasts": (
                LONGER,
                "if 1 < len(table) < X.shape[1] or X.shape[2] != table.shape[1]:",
            ),
            "a table of one column broadcasts": (
                LONGER,
                "if X.shape[1] > len(table) or table.shape[1] not in (1, X.shape[2]):",
            ),
            "added to X itself": (ADD, "X += table[: X.shape[1]].to(X)\n    return X"),
            "positions in float32 from the divisors on": (
                ANGLES,
                "angles = (torch.arange(length, dtype=torch.float64)[:, None] / wavelengths).float()",
            ),
            "the table's device": (ADD, "return X + table[: X.shape[1]].to(X.dtype)"),
            "no message": (
                'raise ValueError(f"d is {d}; sines and cosines come in pairs, choose an even d")',
                "raise ValueError",
            ),
        },
    ),
    "q4": Question(
        right={
            "torch's layer norm, both kinds written out": """
def layer_norm(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x, (x.shape[-1],), gamma, beta, eps)

def feed_forward(x, W_1, b_1, W_2, b_2):
    return F.linear(F.relu(F.linear(x, W_1.t(), b_1)), W_2.t(), b_2)

def encoder_layer(X, p, heads, mask=None, pre_norm=False):
    if mask is not None:
        X = torch.where(mask.unsqueeze(-1), X, 0.0)
        mask = mask.unsqueeze(1)
    def one(x):
        return layer_norm(x, p["norm_self"]["gamma"], p["norm_self"]["beta"])
    def two(x):
        return layer_norm(x, p["norm_feed"]["gamma"], p["norm_feed"]["beta"])
    if pre_norm:
        x = one(X)
        X = X + multi_head(x, x, x, p["self"], heads, mask)[0]
        return X + feed_forward(two(X), **p["feed"])
    X = one(X + multi_head(X, X, X, p["self"], heads, mask)[0])
    return two(X + feed_forward(X, **p["feed"]))
""",
            "variance of torch, zeros behind the end": """
def layer_norm(x, gamma, beta, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) * torch.rsqrt(variance + eps) * gamma + beta

def feed_forward(x, W_1, b_1, W_2, b_2):
    return torch.clamp(x @ W_1 + b_1, min=0) @ W_2 + b_2

def encoder_layer(X, p, heads, mask=None, pre_norm=False):
    if mask is None:
        mask = torch.ones(X.shape[:2], dtype=torch.bool)
    X = X.masked_fill(~mask[..., None], 0)
    allowed = mask[:, None].expand(-1, X.shape[1], -1)
    for name in ("self", "feed"):
        norm = lambda x: layer_norm(x, **p["norm_" + name])
        inner = norm(X) if pre_norm else X
        new = multi_head(inner, inner, inner, p["self"], heads, allowed)[0] if name == "self" else feed_forward(inner, **p["feed"])
        X = X + new
        if not pre_norm:
            X = norm(X)
    return X.masked_fill(~mask[..., None], 0)
""",
            "a split of its own, torch's attention": """
def layer_norm(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)

def feed_forward(x, W_1, b_1, W_2, b_2):
    return torch.maximum(x @ W_1 + b_1, torch.zeros((), dtype=x.dtype)) @ W_2 + b_2

def encoder_layer(X, p, heads, mask=None, pre_norm=False):
    if X.shape[2] % heads:
        raise ValueError("heads do not divide d")
    if mask is not None:
        if not mask.any(1).all():
            raise ValueError("a text without a real position")
        X = X.masked_fill(~mask[..., None], 0.0)
    def attend(x):
        q, (B, T, d) = p["self"], x.shape
        Q, K, V = ((x @ q["W_" + n] + q["b_" + n]).view(B, T, heads, d // heads).transpose(1, 2) for n in "QKV")
        o = F.scaled_dot_product_attention(Q, K, V, attn_mask=None if mask is None else mask[:, None, None])
        return o.transpose(1, 2).reshape(B, T, d) @ q["W_O"] + q["b_O"]
    if pre_norm:
        X = X + attend(layer_norm(X, **p["norm_self"]))
        return X + feed_forward(layer_norm(X, **p["norm_feed"]), **p["feed"])
    X = layer_norm(X + attend(X), **p["norm_self"])
    return layer_norm(X + feed_forward(X, **p["feed"]), **p["norm_feed"])
""",
        },
        wrong={
            "variance with n - 1": (VARIANCE, "variance = x.var(dim=-1, keepdim=True)"),
            "epsilon outside the root": ("(variance + eps).sqrt()", "(variance.sqrt() + eps)"),
            "no epsilon": ("(variance + eps)", "variance"),
            "epsilon fixed": ("(variance + eps)", "(variance + 1e-5)"),
            "no root": ("(variance + eps).sqrt()", "(variance + eps)"),
            "mean not taken off": ("centered = x - x.mean(dim=-1, keepdim=True)", "centered = x"),
            "over the positions": (
                "centered = x - x.mean(dim=-1, keepdim=True)",
                "centered = x - x.mean(dim=0, keepdim=True)",
                "(centered**2).mean(dim=-1, keepdim=True)",
                "(centered**2).mean(dim=0, keepdim=True)",
            ),
            "over all but the batch": (
                "centered = x - x.mean(dim=-1, keepdim=True)",
                "dims = tuple(range(1, x.ndim)) or (0,)\n    centered = x - x.mean(dim=dims, keepdim=True)",
                "(centered**2).mean(dim=-1, keepdim=True)",
                "(centered**2).mean(dim=dims, keepdim=True)",
            ),
            "no gamma": ("gamma * centered", "centered"),
            "no beta": (".sqrt() + beta", ".sqrt()"),
            "gamma on beta too": (NORMED, "return gamma * (centered / (variance + eps).sqrt() + beta)"),
            "normed in place": (
                "centered = x - x.mean(dim=-1, keepdim=True)",
                "centered = x - x.mean(dim=-1, keepdim=True)\n    x.data.copy_(centered)",
            ),
            "mean without gradient": (
                "x.mean(dim=-1, keepdim=True)",
                "x.mean(dim=-1, keepdim=True).detach()",
            ),
            "variance without gradient": ("(variance + eps).sqrt()", "(variance + eps).sqrt().detach()"),
            "no relu": (FEED, "return (x @ W_1 + b_1) @ W_2 + b_2"),
            "gelu": ("(x @ W_1 + b_1).relu()", "F.gelu(x @ W_1 + b_1)"),
            "no first bias": ("(x @ W_1 + b_1)", "(x @ W_1)"),
            "no second bias": ("@ W_2 + b_2", "@ W_2"),
            "relu at the end": (FEED, "return ((x @ W_1 + b_1).relu() @ W_2 + b_2).relu()"),
            "relu before the bias": ("(x @ W_1 + b_1).relu()", "((x @ W_1).relu() + b_1)"),
            "always post-norm": (
                "if pre_norm else layer_norm(X + part(X), **norm)",
                "if False else layer_norm(X + part(X), **norm)",
            ),
            "always pre-norm": (
                "if pre_norm else layer_norm(X + part(X), **norm)",
                "if True else layer_norm(X + part(X), **norm)",
            ),
            "kinds change places": (
                "if pre_norm else layer_norm(X + part(X), **norm)",
                "if not pre_norm else layer_norm(X + part(X), **norm)",
            ),
            "pre-norm adds to the normed": (
                "X = X + part(layer_norm(X, **norm)) if",
                "X = layer_norm(X, **norm) + part(layer_norm(X, **norm)) if",
            ),
            "pre-norm without residual": (
                "X = X + part(layer_norm(X, **norm)) if",
                "X = part(layer_norm(X, **norm)) if",
            ),
            "post-norm without residual": ("layer_norm(X + part(X), **norm)", "layer_norm(part(X), **norm)"),
            "norm of the part only": ("layer_norm(X + part(X), **norm)", "X + layer_norm(part(X), **norm)"),
            "one norm for both": ('norm = p[f"norm_{name}"]', 'norm = p["norm_self"]'),
            "norms change places": (
                'norm = p[f"norm_{name}"]',
                'norm = p["norm_feed" if name == "self" else "norm_self"]',
            ),
            "feed-forward first": (
                "for name, part in parts.items():",
                "for name, part in reversed(parts.items()):",
            ),
            "no feed-forward": (
                "for name, part in parts.items():",
                "for name, part in list(parts.items())[:1]:",
            ),
            "no attention": (
                "for name, part in parts.items():",
                "for name, part in list(parts.items())[1:]:",
            ),
            "both parts from the same input": (
                RESIDUAL,
                "before = X if name == 'self' else before\n        X = X + part(layer_norm(before, **norm)) if pre_norm else layer_norm(X + part(before), **norm)",
            ),
            "the mask of texts given to attention as it is": ("allowed = mask[:, None, :]", "allowed = mask"),
            "zeros written into X": (CLEAN_X, "X[~mask] = 0.0\n"),
            "mask ignored": (ENCODER_SELF, ENCODER_SELF.replace("allowed", "None")),
            "mask upside down": ("allowed = mask[:, None, :]", "allowed = ~mask[:, None, :]"),
            "mask of the queries": ("allowed = mask[:, None, :]", "allowed = mask[:, :, None]"),
            "padding not cleaned": (CLEAN_X, "pass\n"),
            "nan made 0": (CLEAN_X, "X = X.nan_to_num()\n"),
            "cleaned in place": (CLEAN_X, "X.data.masked_fill_(~mask[:, :, None], 0.0)\n"),
            "causal": (
                ENCODER_SELF,
                ENCODER_SELF.replace(
                    "allowed",
                    "torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril() & (True if allowed is None else allowed)",
                ),
            ),
            "one head": (ENCODER_SELF, ENCODER_SELF.replace("heads", "1")),
            "X without gradient": (
                "    return X\n",
                "    return X - X.detach() + X.detach()\n",
                "allowed = None\n",
                "allowed = None\n    X = X.detach() + 0 * X\n",
            ),
            "variance in one pass": (
                VARIANCE,
                "variance = ((x**2).mean(dim=-1, keepdim=True) - x.mean(dim=-1, keepdim=True) ** 2).clamp(min=0)",
            ),
            "relu that loses nan": (
                FEED,
                "h = x @ W_1 + b_1\n    return torch.where(h > 0, h, 0.0) @ W_2 + b_2",
            ),
            "nan in the feed-forward part made 0": (
                FEED,
                "return (x @ W_1 + b_1).relu().nan_to_num() @ W_2 + b_2",
            ),
            "nan in the norm made 0": (NORMED, NORMED.replace("return ", "return (") + ").nan_to_num()"),
            "mask taken as a length": (
                "allowed = None\n",
                "allowed = None\n    if mask is not None:\n        mask = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)\n",
            ),
            "nan made 0 without a mask": (
                "allowed = None\n",
                "allowed = None\n    X = X.nan_to_num() if mask is None else X\n",
            ),
        },
    ),
    "q5": Question(
        right={
            "part by part": """
def decoder_layer(X, memory, p, heads, mask=None, memory_mask=None, pre_norm=False):
    B, T, d = X.shape
    places = torch.arange(T, device=X.device)
    allowed = (places[None, :] <= places[:, None]).expand(B, T, T)
    if mask is not None:
        X = torch.where(mask[..., None], X, 0.0)
        allowed = allowed & mask.unsqueeze(1)
    seen = None if memory_mask is None else memory_mask.unsqueeze(1)
    def norm(name, x):
        return F.layer_norm(x, (d,), p["norm_" + name]["gamma"], p["norm_" + name]["beta"])
    if pre_norm:
        x = norm("self", X)
        X = X + multi_head(x, x, x, p["self"], heads, allowed)[0]
        new, weights = multi_head(norm("cross", X), memory, memory, p["cross"], heads, seen)
        X = X + new
        return X + feed_forward(norm("feed", X), **p["feed"]), weights
    X = norm("self", X + multi_head(X, X, X, p["self"], heads, allowed)[0])
    new, weights = multi_head(X, memory, memory, p["cross"], heads, seen)
    X = norm("cross", X + new)
    return norm("feed", X + feed_forward(X, **p["feed"])), weights
""",
            "masks always made, padding zeros": """
def decoder_layer(X, memory, p, heads, mask=None, memory_mask=None, pre_norm=False):
    if mask is None:
        mask = torch.ones(X.shape[:2], dtype=torch.bool)
    if memory_mask is None:
        memory_mask = torch.ones(memory.shape[:2], dtype=torch.bool)
    if not memory_mask.any(1).all():
        raise ValueError("nothing to attend to")
    T = X.shape[1]
    X = X.masked_fill(~mask[:, :, None], 0)
    memory = memory.masked_fill(~memory_mask[:, :, None], 0)
    later = torch.triu(torch.ones(T, T), diagonal=1).bool()
    rows = {
        "self": (None, mask[:, None] & ~later),
        "cross": (memory, memory_mask[:, None].repeat(1, T, 1)),
    }
    for name in ("self", "cross", "feed"):
        x = layer_norm(X, **p["norm_" + name]) if pre_norm else X
        if name == "feed":
            new = feed_forward(x, **p["feed"])
        else:
            other, allowed = rows[name]
            other = x if other is None else other
            new, weights = multi_head(x, other, other, p[name], heads, allowed)
        X = X + new if pre_norm else layer_norm(X + new, **p["norm_" + name])
    return X.masked_fill(~mask[:, :, None], 0), weights
""",
            "causal alone, nan at the padding of the result": """
def decoder_layer(X, memory, p, heads, mask=None, memory_mask=None, pre_norm=False):
    T, d = X.shape[1:]
    if d % heads:
        raise ValueError("heads do not divide d")
    causal = torch.ones(T, T, dtype=torch.bool, device=X.device).tril()
    if mask is not None:
        X = X.masked_fill(~mask[..., None], 0.0)
    seen = None if memory_mask is None else memory_mask[:, None]
    for name in ("self", "cross", "feed"):
        norm = p["norm_" + name]
        x = layer_norm(X, **norm) if pre_norm else X
        if name == "self":
            new, _ = multi_head(x, x, x, p["self"], heads, causal)
        elif name == "cross":
            new, weights = multi_head(x, memory, memory, p["cross"], heads, seen)
        else:
            new = feed_forward(x, **p["feed"])
        X = X + new if pre_norm else layer_norm(X + new, **norm)
    return (X if mask is None else X.masked_fill(~mask[..., None], float("nan"))), weights
""",
        },
        wrong={
            "not causal": (".tril()", ""),
            "causal the other way": (".tril()", ".triu()"),
            "itself not seen": (".tril()", ".tril(-1)"),
            "one ahead": (".tril()", ".tril(1)"),
            "itself not seen but the first": (
                ".tril()",
                ".tril(-1) | torch.eye(X.shape[1], dtype=torch.bool)[:1]",
            ),
            "causal over texts": (
                CAUSAL,
                "torch.ones(len(X), len(X), dtype=torch.bool).tril()[:, :1, None] | " + CAUSAL,
            ),
            "cross-attention is causal too": (
                CROSS,
                CROSS.replace(
                    "memory_mask)",
                    "torch.ones(x.shape[1], memory.shape[1], dtype=torch.bool).tril() & (True if memory_mask is None else memory_mask))",
                ),
            ),
            "padding of the target not cleaned": (CLEAN_X, "pass\n"),
            "padding of the target attended to": (
                "allowed = allowed & mask[:, None, :]",
                "pass",
                CLEAN_X,
                "pass\n",
            ),
            "mask of the target upside down": (
                "allowed = allowed & mask[:, None, :]",
                "allowed = allowed & ~mask[:, None, :]",
            ),
            "target's mask in the place of the memory's": (
                CROSS,
                CROSS.replace("memory_mask)", "None if mask is None else mask[:, None, :])"),
            ),
            "the target's mask given to attention as it is": (
                "allowed = allowed & mask[:, None, :]",
                "allowed = allowed & mask",
            ),
            "the memory's mask given to attention as it is": (
                "memory_mask = memory_mask[:, None, :]",
                "pass",
            ),
            "memory cleaned in place": (
                "weights = {}",
                "memory.data.masked_fill_(~memory_mask[:, 0, :, None], 0.0) if memory_mask is not None else None\n    weights = {}",
            ),
            "feed-forward before cross-attention": (
                "for name, part in parts.items():",
                "for name, part in [(n, parts[n]) for n in ('self', 'feed', 'cross')]:",
            ),
            "memory's mask ignored": (CROSS, CROSS.replace("memory_mask)", "None)")),
            "memory's mask upside down": (
                "memory_mask = memory_mask[:, None, :]",
                "memory_mask = ~memory_mask[:, None, :]",
            ),
            "memory's nan made 0": (
                CROSS,
                CROSS.replace("memory, memory", "memory.nan_to_num(), memory.nan_to_num()").replace(
                    "memory_mask)", "None)"
                ),
            ),
            "memory normed": (
                CROSS,
                CROSS.replace(
                    "memory, memory",
                    "layer_norm(memory, **p['norm_cross']), layer_norm(memory, **p['norm_cross'])",
                ),
            ),
            "values from the target": (
                CROSS,
                'multi_head(x, memory, memory, p["cross"] | {"b_V": p["cross"]["b_V"] * 0}, heads, memory_mask)',
            ),
            "query and memory change places": (CROSS, CROSS.replace("(x, memory, memory", "(memory, x, x")),
            "self-attention twice": (
                CROSS,
                CROSS.replace("memory, memory", "x, x").replace("memory_mask", "allowed"),
            ),
            "cross-attention by the self's parameters": ('p["cross"], heads', 'p["self"], heads'),
            "self-attention by the cross's parameters": ('p["self"], heads', 'p["cross"], heads'),
            "weights of self-attention": ('return X, weights["cross"]', 'return X, weights["self"]'),
            "weights averaged": ('return X, weights["cross"]', 'return X, weights["cross"].mean(1)'),
            "weights left out": ('return X, weights["cross"]', "return X"),
            "pre-norm forgotten": (NEW, "part(X)"),
            "post-norm in both": (ADDED, "X = layer_norm(X + new, **norm)"),
            "no norm in post-norm": (ADDED, "X = X + new"),
            "no residual": (ADDED, "X = new if pre_norm else layer_norm(new, **norm)"),
            "kinds change places": ("pre_norm=False):", "pre_norm=False):\n    pre_norm = not pre_norm"),
            "norms of cross and feed-forward change places": (
                'norm = p[f"norm_{name}"]',
                'norm = p["norm_" + {"self": "self", "cross": "feed", "feed": "cross"}[name]]',
            ),
            "cross-attention first": (
                "for name, part in parts.items():",
                "for name, part in [(n, parts[n]) for n in ('cross', 'self', 'feed')]:",
            ),
            "no feed-forward": (
                "for name, part in parts.items():",
                "for name, part in list(parts.items())[:2]:",
            ),
            "no self-attention": (
                "for name, part in parts.items():",
                "for name, part in list(parts.items())[1:]:",
            ),
            "memory without gradient": (
                CROSS,
                CROSS.replace("memory, memory", "memory.detach(), memory.detach()"),
            ),
            "cleaned in place": (CLEAN_X, "X.data.masked_fill_(~mask[:, :, None], 0.0)\n"),
            "one head": (DECODER_SELF, DECODER_SELF.replace("heads", "1")),
            "weights detached": ('return X, weights["cross"]', 'return X, weights["cross"].detach()'),
            "each head's weights their mean": (
                'return X, weights["cross"]',
                'w = weights["cross"]\n    return X, w.mean(1, keepdim=True).expand_as(w)',
            ),
            "heads of the weights flipped": (
                'return X, weights["cross"]',
                'return X, weights["cross"].flip(1)',
            ),
            "weights of the result": (
                'return X, weights["cross"]',
                'return X, multi_head(X, memory, memory, p["cross"], heads, memory_mask)[1]',
            ),
            "weights uniform": (
                'return X, weights["cross"]',
                'w = (weights["cross"] > 0).to(X)\n    return X, w / w.sum(-1, keepdim=True)',
            ),
            "target's nan made 0": (CLEAN_X, "X = X.nan_to_num(0, 0, 0)\n"),
            "memory's nan made 0, the mask kept": (
                "weights = {}",
                "memory = memory.nan_to_num(0, 0, 0)\n    weights = {}",
            ),
            "both nan made 0": (
                "weights = {}",
                "memory, X = memory.nan_to_num(0, 0, 0), X.nan_to_num(0, 0, 0)\n    weights = {}",
            ),
            "the result's nan made 0": (
                'return X, weights["cross"]',
                'return X.nan_to_num(), weights["cross"].nan_to_num()',
            ),
        },
    ),
    "q6": Question(
        right={
            "torch's cross_entropy; a branch": """
def smoothed_loss(logits, targets, mask, smoothing):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    if mask.sum() == 0:
        raise ValueError("nothing real")
    return F.cross_entropy(logits[mask], targets[mask], label_smoothing=smoothing)

def learning_rate(step, d, warmup):
    if min(step, warmup) < 1:
        raise ValueError("steps count from 1")
    if step < warmup:
        return step / (math.sqrt(d) * warmup * math.sqrt(warmup))
    return 1 / math.sqrt(d * step)
""",
            "the smoothed target written out": """
def smoothed_loss(logits, targets, mask, smoothing):
    if not (0 <= smoothing < 1) or not bool(mask.any()):
        raise ValueError("smoothing or mask")
    rows, labels = logits[mask], targets[mask]
    K = rows.shape[1]
    q = torch.full_like(rows, smoothing / K).scatter(1, labels[:, None], 1 - smoothing + smoothing / K)
    log_p = rows - rows.logsumexp(1, keepdim=True)
    return -(q * log_p).sum() / mask.sum()

def learning_rate(step, d, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("steps count from 1")
    return float(min(1 / math.sqrt(step), step / warmup**1.5) / math.sqrt(d))
""",
            "zeros at the padding, one target a row; integers compared with 0": """
def smoothed_loss(logits, targets, mask, smoothing):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    n, V = mask.sum(), logits.shape[-1]
    if n == 0:
        raise ValueError("nothing real")
    log_p = F.log_softmax(logits.masked_fill(~mask[..., None], 0.0), -1)
    q = F.one_hot(targets.masked_fill(~mask, 0), V) * (1 - smoothing) + smoothing / V
    return (-(q.to(log_p) * log_p).sum(-1) * mask).sum() / n

def learning_rate(step, d, warmup):
    if step <= 0 or warmup <= 0:
        raise ValueError("steps count from 1")
    return min(1, step / warmup * (step / warmup) ** 0.5) / (d * step) ** 0.5
""",
        },
        wrong={
            "no smoothing": (LOSS, "return -right.mean()"),
            "all smoothing": (LOSS, "return -log_p.mean()"),
            "spread over the others only": (
                LOSS,
                "K = log_p.shape[1]\n    return -((1 - smoothing) * right + smoothing * (log_p.sum(1) - right) / (K - 1)).mean()",
            ),
            "a sum instead of a mean over the classes": ("log_p.mean(dim=1)", "log_p.sum(dim=1)"),
            "added, not mixed": ("(1 - smoothing) * right", "right"),
            "weights change places": (
                "(1 - smoothing) * right + smoothing * log_p",
                "smoothing * right + (1 - smoothing) * log_p",
            ),
            "sum over the positions": (LOSS, LOSS.replace(".mean()", ".sum()")),
            "mean over all positions, padding too": (LOSS, LOSS.replace(".mean()", ".sum() / mask.numel()")),
            "mean over texts": (
                LOSS,
                "losses = -((1 - smoothing) * right + smoothing * log_p.mean(dim=1))\n    return torch.stack([part.mean() for part in losses.split(mask.sum(1)[mask.any(1)].tolist())]).mean()",
            ),
            "sign": ("return -((1", "return ((1"),
            "bits": (LOSS, LOSS + " / math.log(2)"),
            "softmax without the logarithm": (".log_softmax(dim=-1)", ".softmax(dim=-1)"),
            "logarithm of the softmax, which underflows": (".log_softmax(dim=-1)", ".softmax(dim=-1).log()"),
            "clamped": (".log_softmax(dim=-1)", ".log_softmax(dim=-1).clamp(min=-50)"),
            "no softmax": (".log_softmax(dim=-1)", ""),
            "padding counted": (
                "logits[mask].log_softmax",
                "logits.flatten(0, 1).log_softmax",
                "targets[mask]",
                "targets.flatten()",
            ),
            "nan made 0": ("logits[mask]", "logits[mask].nan_to_num()"),
            "a 0 for padding": (LOSS, LOSS.replace(".mean()", ".nan_to_num().mean()")),
            "torch's ignore_index": (
                "log_p = logits[mask].log_softmax(dim=-1)\n    right = log_p.gather(1, targets[mask][:, None])[:, 0]\n    "
                + LOSS,
                "return F.cross_entropy(logits.flatten(0, 1), targets.masked_fill(~mask, -100).flatten(), label_smoothing=smoothing)",
            ),
            "targets of -100 are padding": (
                "log_p = logits[mask].log_softmax(dim=-1)\n    right = log_p.gather(1, targets[mask][:, None])[:, 0]\n    "
                + LOSS,
                "return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=smoothing)",
            ),
            "a rate that is a tensor": (RATE, RATE.replace("return ", "return torch.tensor(") + ")"),
            "padding multiplied by 0": (
                "log_p = logits[mask].log_softmax(dim=-1)\n    right = log_p.gather(1, targets[mask][:, None])[:, 0]\n    "
                + LOSS,
                "log_p = logits.log_softmax(dim=-1)\n    right = log_p.gather(2, targets.clamp(0, logits.shape[2] - 1)[..., None])[..., 0]\n"
                "    return -(((1 - smoothing) * right + smoothing * log_p.mean(-1)) * mask).sum() / mask.sum()",
            ),
            "no gradient": (LOSS, LOSS + ".detach()"),
            "no gradient through the spread": ("log_p.mean(dim=1)", "log_p.detach().mean(dim=1)"),
            "float32 always": (LOSS, LOSS + ".float()"),
            "a number, not a tensor": (LOSS, LOSS + ".item()"),
            "targets changed in place": ("log_p = logits", "targets[~mask] = 0\n    log_p = logits"),
            "smoothing 1 allowed": ("0 <= smoothing < 1", "0 <= smoothing <= 1"),
            "negative smoothing allowed": ("0 <= smoothing < 1", "smoothing < 1"),
            "no smoothing refused": ("0 <= smoothing < 1", "0 < smoothing < 1"),
            "nothing real allowed": (" or not mask.any()", ""),
            "nothing checked": (REFUSED, "if False:"),
            "all must be real": ("not mask.any()", "not mask.all()"),
            "steps from 0": ("return d**-0.5", "step = step + 1\n    return d**-0.5"),
            "step 0 allowed": (STEPS, "if step < 0 or warmup < 1:"),
            "warmup 0 allowed": (STEPS, "if step < 1:"),
            "a maximum": ("* min(", "* max("),
            "no warm-up": (RATE, "return d**-0.5 * step**-0.5"),
            "no fall": (RATE, "return d**-0.5 * min(warmup**-0.5, step * warmup**-1.5)"),
            "d not in the root": ("d**-0.5", "1 / d"),
            "d left out": ("d**-0.5 * ", ""),
            "exponent of the warm-up": ("warmup**-1.5", "warmup**-1"),
            "linear fall": ("step**-0.5", "warmup**0.5 / step"),
            "an off-by-one at the peak": ("step * warmup**-1.5", "(step - 1) * warmup**-1.5"),
            "mask taken as a length": (
                "if not 0 <= smoothing",
                "mask = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)\n    if not 0 <= smoothing",
            ),
            "an error without a message": (
                'f"smoothing is {smoothing}, {int(mask.sum())} positions are real; give a number in [0, 1) and one real position or more"',
                "",
            ),
            "a rate's error without a message": (
                'f"step is {step} and warmup {warmup}; both count from 1"',
                "",
            ),
        },
    ),
    "q7": Question(
        right={
            "a list of columns": """
def greedy(logits_of, first, end, longest):
    if longest <= 0:
        raise ValueError("longest")
    columns = [first]
    running = torch.ones(len(first), dtype=torch.bool, device=first.device)
    with torch.no_grad():
        while len(columns) <= longest and running.any():
            logits = logits_of(torch.cat(columns, dim=1))
            best = logits[:, -1, :].max(dim=-1).indices
            best = torch.where(running, best, torch.zeros_like(best))
            columns.append(best.unsqueeze(1))
            running = running & best.ne(end)
    return torch.cat(columns[1:], dim=1)
""",
            "zeros afterward": """
def greedy(logits_of, first, end, longest):
    if longest < 1:
        raise ValueError("longest")
    B = first.size(0)
    written = torch.zeros(B, longest + 1, dtype=torch.int64)
    written[:, :1] = first
    length = torch.full((B,), longest)
    for t in range(longest):
        with torch.inference_mode(False), torch.no_grad():
            best = logits_of(written[:, : t + 1].clone())[:, t].argmax(1)
        written[:, t + 1] = best
        length = torch.where((best == end) & (length > t), torch.minimum(length, torch.tensor(t + 1)), length)
        if (length <= t + 1).all():
            break
    L = int(length.max())
    out = written[:, 1 : L + 1]
    return out * (torch.arange(L) < length[:, None])
""",
            "ended rows write on": """
def greedy(logits_of, first, end, longest):
    if longest < 1:
        raise ValueError("longest")
    prefix = first
    with torch.no_grad():
        for _ in range(longest):
            prefix = torch.cat([prefix, logits_of(prefix)[:, -1].argmax(-1, keepdim=True)], 1)
            if (prefix[:, 1:] == end).any(1).all():
                break
    out = prefix[:, 1:]
    behind = (out == end).cumsum(1) - (out == end).long() > 0
    return out.masked_fill(behind, 0)
""",
            "inference mode": """
@torch.inference_mode()
def greedy(logits_of, first, end, longest):
    if longest < 1:
        raise ValueError("longest")
    written, ended = first.clone(), torch.zeros(len(first), dtype=torch.bool, device=first.device)
    while written.shape[1] <= longest and not ended.all():
        new = logits_of(written)[:, -1].topk(1, dim=-1).indices[:, 0] * ~ended
        written, ended = torch.cat([written, new[:, None]], 1), ended | (new == end)
    return written[:, 1:]
""",
        },
        wrong={
            "first kept": ("return prefix[:, 1:]", "return prefix"),
            "end cut off": (
                "return prefix[:, 1:]",
                "return prefix[:, 1:].masked_fill(prefix[:, 1:] == end, 0)",
            ),
            "the end never looked at": (STOP, ""),
            "stops with the first text": ("if ended.all():", "if ended.any():"),
            "no limit": ("for _ in range(longest):", "while True:"),
            "one too few": ("range(longest)", "range(longest - 1)"),
            "one too many": ("range(longest)", "range(longest + 1)"),
            "no zeros behind the end": (".masked_fill(ended, 0)", ""),
            "end repeated behind the end": (".masked_fill(ended, 0)", ".masked_fill(ended, end)"),
            "-1 behind the end": (".masked_fill(ended, 0)", ".masked_fill(ended, -1)"),
            "ended only where the last token is the end": (ENDED, "ended = new == end"),
            "the end among the first tokens counts": (
                "torch.zeros_like(first[:, 0], dtype=torch.bool)",
                "first[:, 0] == end",
            ),
            "the least likely": (".argmax(dim=-1)", ".argmin(dim=-1)"),
            "drawn at random": (
                "logits_of(prefix)[:, -1].argmax(dim=-1)",
                "torch.multinomial(logits_of(prefix)[:, -1].softmax(-1), 1)[:, 0]",
            ),
            "last of equals": (
                "logits_of(prefix)[:, -1].argmax(dim=-1)",
                "(lambda x: x.shape[1] - 1 - x.flip(1).argmax(dim=-1))(logits_of(prefix)[:, -1])",
            ),
            "the first position's logits": ("logits_of(prefix)[:, -1]", "logits_of(prefix)[:, 0]"),
            "only the last token is read": ("logits_of(prefix)", "logits_of(prefix[:, -1:])"),
            "only the first token is read": ("logits_of(prefix)", "logits_of(first)"),
            "with a graph": ("@torch.no_grad()\n", ""),
            "longest 0 allowed": ("if longest < 1:", "if longest < 0:"),
            "another error": ("raise ValueError(", "raise IndexError("),
            "called once more": ("return prefix[:, 1:]", "logits_of(prefix)\n    return prefix[:, 1:]"),
            "called twice": ("new = logits_of(prefix)", "logits_of(prefix)\n        new = logits_of(prefix)"),
            "text by text": (
                NEXT,
                "new = torch.cat([logits_of(row[None])[:, -1].argmax(-1) for row in prefix]).masked_fill(ended, 0)",
            ),
            "filled up to longest": (
                "return prefix[:, 1:]",
                "return F.pad(prefix[:, 1:], (0, longest + 1 - prefix.shape[1]))",
            ),
            "probabilities": (
                "return prefix[:, 1:]",
                "return prefix[:, 1:].float()",
            ),
            "a list": ("return prefix[:, 1:]", "return prefix[:, 1:].tolist()"),
            "int32": ("return prefix[:, 1:]", "return prefix[:, 1:].int()"),
            "a 0 ends a text": (ENDED, "ended = ended | (new == end) | (new == 0)"),
            "an end of 0 is not looked at": (ENDED, "ended = ended | ((new == end) & (new > 0))"),
            "first changed in place": (
                "prefix, ended = first,",
                "first[:] = first.flip(0)\n    prefix, ended = first.flip(0),",
            ),
            "texts in another order": ("return prefix[:, 1:]", "return prefix[:, 1:].flip(0)"),
            "gradients switched off for good": (
                "@torch.no_grad()\n",
                "",
                "prefix, ended =",
                "torch.set_grad_enabled(False)\n    prefix, ended =",
            ),
            "only longest 0 refused": ("if longest < 1:", "if longest == 0:"),
            "argmax of the probabilities": ("[:, -1].argmax", "[:, -1].softmax(-1).argmax"),
            "argmax of rounded logits": ("[:, -1].argmax", "[:, -1].round(decimals=3).argmax"),
        },
    ),
}
