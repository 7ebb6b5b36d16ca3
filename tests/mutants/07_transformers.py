"""Lab 07's known wrong answers, right answers of another shape, method errors and careless answers."""

from __future__ import annotations

from tests.mutants import Question

FILL = 'scores = scores.masked_fill(~mask, float("-inf"))'
SOFTMAX = "weights = scores.softmax(dim=-1)"
MEAN = "return weights @ V, weights"

SPLIT = "return x.view(B, -1, self.heads, d // self.heads).transpose(1, 2)"
JOIN = "output = output.transpose(1, 2).reshape(B, T, d)"
MIXED = "return self.W_O(output), weights"
ATTEND = "output, weights = self.attend(Q, K, V, mask)"
HEADS = "mask.unsqueeze(1)"
KEYS, VALUES = "split(self.W_K(memory))", "split(self.W_V(memory))"

DIVISORS = "divisors = 10_000 ** (torch.arange(0, d, 2) / d)"
SINES, COSINES = "table[:, 0::2] = angles.sin()", "table[:, 1::2] = angles.cos()"

CENTERED = "centered = x - x.mean(dim=-1, keepdim=True)"
VARIANCE = "variance = (centered**2).mean(dim=-1, keepdim=True)"
NORMED = "return gamma * centered / (variance + eps).sqrt() + beta"
ENCODER = """        Y = self.norm_1(X)
        X = X + self.attention(Y, Y, mask[:, None, :])[0]
        return X + self.feed_forward(self.norm_2(X))"""
ENCODER_MASK = "mask[:, None, :]"

CAUSAL = "causal & mask[:, None, :]"
CROSS = "self.cross(self.norm_2(X), memory, memory_mask[:, None, :])"
DECODER = """        Y = self.norm_1(X)
        X = X + self.attention(Y, Y, causal & mask[:, None, :])[0]
        found, weights = self.cross(self.norm_2(X), memory, memory_mask[:, None, :])
        X = X + found
        return X + self.feed_forward(self.norm_3(X)), weights"""

NEXT = "new = logits_of(prefix)[:, -1].argmax(dim=-1)"
ZEROS = "new = new.masked_fill(ended, 0)"
ENDED = "ended = ended | (new == end)"
STOP = "        if ended.all():\n            break\n"

MULTI_HEAD = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.attend = heads, attention
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d, d) for _ in range(4))
"""
LAYER_NORM = """
class LayerNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return layer_norm(x, self.gamma, self.beta)


class EncoderLayer(nn.Module):
    def __init__(self, d, heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d, heads)
        self.feed_forward = nn.Sequential(nn.Linear(d, d_ff), nn.ReLU(), nn.Linear(d_ff, d))
        self.norm_1, self.norm_2 = LayerNorm(d), LayerNorm(d)
"""
DECODER_LAYER = """
class DecoderLayer(nn.Module):
    def __init__(self, d, heads, d_ff):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(d, heads), MultiHeadAttention(d, heads)
        self.feed_forward = nn.Sequential(nn.Linear(d, d_ff), nn.ReLU(), nn.Linear(d_ff, d))
        self.norm_1, self.norm_2, self.norm_3 = LayerNorm(d), LayerNorm(d), LayerNorm(d)
"""

QUESTIONS = {
    "q1": Question(
        # Annotated Transformer (2022), without its dropout.
        textbook="""
def attention(Q, K, V, mask=None):
    d_k = Q.size(-1)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, V), p_attn
""",
        right={
            "exponentials, the maximum taken off": """
def attention(Q, K, V, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", Q, K) * Q.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-torch.inf, dtype=scores.dtype))
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ V, weights
""",
            "the query scaled, infinity added, a list": """
def attention(Q, K, V, mask=None):
    scores = (Q / Q.shape[-1] ** 0.5) @ K.mT
    if mask is not None:
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    weights = F.softmax(scores, -1)
    return [torch.matmul(weights, V), weights]
""",
            "two calls of torch": """
def attention(Q, K, V, mask=None):
    weights = Q @ K.transpose(-1, -2) / math.sqrt(K.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(mask.logical_not(), -math.inf)
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=mask), torch.softmax(weights, -1)
""",
            "masked after the softmax, normalized again": """
def attention(Q, K, V, mask=None):
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(-1, keepdim=True)
    return weights @ V, weights
""",
        },
        method={
            "not scaled": (" / math.sqrt(Q.shape[-1])", ""),
            "scaled by d_k": ("/ math.sqrt(Q.shape[-1])", "/ Q.shape[-1]"),
            "multiplied instead": ("/ math.sqrt", "* math.sqrt"),
            "softmax over the queries": ("softmax(dim=-1)", "softmax(dim=-2)"),
            "softmax over the wrong axis of two": ("softmax(dim=-1)", "softmax(dim=0)"),
            "no softmax": (SOFTMAX, "weights = scores"),
            "mask upside down": ("masked_fill(~mask,", "masked_fill(mask,"),
            "mask ignored": (FILL, "pass"),
            "mask added as 0 and 1": (FILL, "scores = scores + mask.to(scores)"),
            "masked scores 0": ('float("-inf")', "0.0"),
            "masked after the softmax, not normalized": (
                FILL,
                "pass",
                SOFTMAX,
                "weights = scores.softmax(-1)\n    weights = weights if mask is None else weights * mask",
            ),
            "the keys averaged": (MEAN, "return weights @ K, weights"),
        },
        careless={
            "exponentials that overflow": """
def attention(Q, K, V, mask=None):
    powers = (Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).exp()
    if mask is not None:
        powers = powers * mask
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ V, weights
""",
            "the least number instead of minus infinity": (
                'float("-inf")',
                "torch.finfo(scores.dtype).min",
            ),
            "masked scores -1e4": ('float("-inf")', "-1e4"),
            "float64 inside and out": (
                "scores = Q @",
                "Q, K, V = Q.double(), K.double(), V.double()\n    scores = Q @",
            ),
            "float32 inside and out": (
                "scores = Q @",
                "Q, K, V = Q.float(), K.float(), V.float()\n    scores = Q @",
            ),
            "a query with no key gives zeros": (SOFTMAX, SOFTMAX + ".nan_to_num()"),
            "weights returned without gradient": (MEAN, "return weights @ V, weights.detach()"),
        },
        wrong={
            "scaled twice": ("/ math.sqrt(Q.shape[-1])", "/ math.sqrt(Q.shape[-1]) ** 2"),
            "scaled by the number of keys": ("Q.shape[-1])", "K.shape[-2])"),
            "scaled by d_v": ("Q.shape[-1])", "V.shape[-1])"),
            "sigmoid": ("scores.softmax(dim=-1)", "scores.sigmoid()"),
            "hardmax": (SOFTMAX, "weights = F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)"),
            "softmax of the negative": ("scores.softmax", "(-scores).softmax"),
            "masked scores -10": ('float("-inf")', "-10.0"),
            "weights and output change places": (MEAN, "return weights, weights @ V"),
            "only the output": (MEAN, "return weights @ V"),
            "scores returned": (MEAN, "return weights @ V, scores"),
            "transposed for three dimensions only": ("K.transpose(-2, -1)", "K.transpose(1, 2)"),
            "all dimensions transposed": ("K.transpose(-2, -1)", "K.permute(*range(K.ndim)[::-1])"),
            "always causal": (
                SOFTMAX,
                "scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)\n    "
                + SOFTMAX,
            ),
            "the mask of two dimensions only": (
                FILL,
                FILL.replace("~mask", "~mask.reshape(-1, *mask.shape[-2:])[0]"),
            ),
        },
    ),
    "q2": Question(
        # Annotated Transformer (2022), with its four linear layers named.
        textbook=MULTI_HEAD
        + """
    def forward(self, X, memory, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches, d_k = X.size(0), X.size(-1) // self.heads
        query, key, value = [
            lin(x).view(nbatches, -1, self.heads, d_k).transpose(1, 2)
            for lin, x in zip((self.W_Q, self.W_K, self.W_V), (X, memory, memory))
        ]
        x, attn = self.attend(query, key, value, mask)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.heads * d_k)
        return self.W_O(x), attn
""",
        right={
            "head by head": MULTI_HEAD
            + """
    def forward(self, X, memory, mask=None):
        Q, K, V = self.W_Q(X), self.W_K(memory), self.W_V(memory)
        n = Q.size(2) // self.heads
        found = [
            self.attend(*(x[..., i * n : (i + 1) * n] for x in (Q, K, V)), mask) for i in range(self.heads)
        ]
        output = torch.cat([one for one, _ in found], dim=-1)
        return self.W_O(output), torch.stack([weights for _, weights in found], dim=1)
""",
            "view, permute, the mask expanded": MULTI_HEAD
            + """
    def forward(self, X, memory, mask=None):
        B, T, d = X.shape

        def project(linear, x):
            return linear(x).view(B, x.size(1), self.heads, d // self.heads).permute(0, 2, 1, 3)

        if mask is not None:
            mask = mask.expand(B, T, memory.size(1))[:, None].expand(-1, self.heads, -1, -1)
        mixed, weights = self.attend(
            project(self.W_Q, X), project(self.W_K, memory), project(self.W_V, memory), mask
        )
        return self.W_O(mixed.permute(0, 2, 1, 3).reshape(B, T, d)), weights
""",
            "heads in the batch": MULTI_HEAD
            + """
    def forward(self, X, memory, mask=None):
        (B, T, d), S, h = X.shape, memory.shape[1], self.heads
        if mask is not None:
            mask = mask.expand(B, T, S).repeat_interleave(h, 0)

        def split(x):
            return x.view(B, -1, h, d // h).transpose(1, 2).reshape(B * h, -1, d // h)

        o, w = self.attend(split(self.W_Q(X)), split(self.W_K(memory)), split(self.W_V(memory)), mask)
        o = o.view(B, h, T, d // h).transpose(1, 2).flatten(2)
        return self.W_O(o), w.view(B, h, T, S)
""",
        },
        method={
            "split without the transposition": (
                SPLIT,
                "return x.reshape(B, self.heads, -1, d // self.heads)",
            ),
            "split without the transposition, joined alike": (
                SPLIT,
                "return x.reshape(B, self.heads, -1, d // self.heads)",
                JOIN,
                "output = output.reshape(B, T, d)",
            ),
            "joined without the transposition": (JOIN, "output = output.reshape(B, T, d)"),
            "no output matrix": (MIXED, "return output, weights"),
            "mask not for all heads": (HEADS, "mask"),
            "mask unsqueezed in front": (HEADS, "mask.unsqueeze(0)"),
            "mask ignored": (ATTEND, "output, weights = self.attend(Q, K, V)"),
            "values from the target": (VALUES, "split(self.W_V(X))"),
            "keys from the target": (KEYS, "split(self.W_K(X))"),
            "keys and values from the target": (KEYS, "split(self.W_K(X))", VALUES, "split(self.W_V(X))"),
            "query and memory change places": (
                "Q, K, V = split(self.W_Q(X))",
                "X, memory = memory, X\n        Q, K, V = split(self.W_Q(X))",
            ),
            "one head": (
                SPLIT,
                "return x.unsqueeze(1)",
                JOIN,
                "output = output[:, 0]",
            ),
        },
        careless={
            "attention called by its name": (ATTEND, "output, weights = attention(Q, K, V, mask)"),
            "weights without gradient": (MIXED, "return self.W_O(output), weights.detach()"),
            "float32 always": (MIXED, "return self.W_O(output).float(), weights.float()"),
            "a list": (MIXED, "return [self.W_O(output), weights]"),
            "heads that do not divide": (
                'if d % heads:\n            raise ValueError(f"d = {d} does not divide into {heads} heads; choose a multiple")\n        ',
                "",
            ),
        },
        wrong={
            "mask of the first text for all": (HEADS, "mask[:1].unsqueeze(1)"),
            "scaled by the root of d in place of d_k": (
                ATTEND,
                "output, weights = self.attend(Q / math.sqrt(self.heads), K, V, mask)",
            ),
            "scaled twice": (
                ATTEND,
                "output, weights = self.attend(Q / math.sqrt(Q.shape[-1]), K, V, mask)",
            ),
            "heads interleaved": (
                SPLIT,
                "return x.view(B, -1, d // self.heads, self.heads).permute(0, 3, 1, 2)",
                JOIN,
                "output = output.permute(0, 2, 3, 1).reshape(B, T, d)",
            ),
            "no output bias": (MIXED, "return output @ self.W_O.weight.T, weights"),
            "keys by W_Q": (KEYS, "split(self.W_Q(memory))"),
            "values by W_K": (VALUES, "split(self.W_K(memory))"),
            "output matrix transposed": (
                MIXED,
                "return output @ self.W_O.weight + self.W_O.bias, weights",
            ),
            "weights averaged over the heads": (MIXED, "return self.W_O(output), weights.mean(1)"),
            "each head's weights their mean": (
                MIXED,
                "return self.W_O(output), weights.mean(1, keepdim=True).expand_as(weights)",
            ),
            "heads of the weights flipped": (MIXED, "return self.W_O(output), weights.flip(1)"),
            "only the output": (MIXED, "return self.W_O(output)"),
            "residual added": (MIXED, "return X + self.W_O(output), weights"),
        },
    ),
    "q3": Question(
        # Annotated Transformer (2022).
        textbook="""
def positions(length, d):
    pe = torch.zeros(length, d)
    position = torch.arange(0, length).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe
""",
        right={
            "filled entry by entry": """
def positions(length, d):
    table = torch.empty(length, d)
    for p in range(length):
        for i in range(d // 2):
            angle = p / 10000 ** (2 * i / d)
            table[p, 2 * i], table[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table
""",
            "NumPy": """
def positions(length, d):
    columns = np.arange(d)
    angles = np.arange(length)[:, None] / 10_000 ** ((columns - columns % 2) / d)
    return torch.from_numpy(np.where(columns % 2, np.cos(angles), np.sin(angles))).float()
""",
            "stacked": """
def positions(length, d):
    angles = torch.outer(torch.arange(length).float(), 10_000 ** (-torch.arange(0, d, 2) / d))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
""",
        },
        method={
            "sines in the first half": (
                SINES,
                "table[:, : d // 2] = angles.sin()",
                COSINES,
                "table[:, d // 2 :] = angles.cos()",
            ),
            "exponent i/d": (DIVISORS, "divisors = 10_000 ** (torch.arange(d // 2) / d)"),
            "exponent of its own in each column": (
                DIVISORS,
                "divisors = 10_000 ** (torch.arange(d) / d)",
                SINES,
                "table[:, 0::2] = angles.sin()[:, 0::2]",
                COSINES,
                "table[:, 1::2] = angles.cos()[:, 1::2]",
            ),
            "multiplied by the divisor": ("[:, None] / divisors", "[:, None] * divisors"),
            "sine and cosine change places": (
                "angles.sin()",
                "(angles + math.pi / 2).sin()",
                "angles.cos()",
                "angles.sin()",
            ),
            "only sines": ("angles.cos()", "angles.sin()"),
        },
        careless={
            "float64": ("return table", "return table.double()"),
            "a table that is learned": ("return table", "return nn.Parameter(table)"),
        },
        wrong={
            "positions from 1": ("torch.arange(length)", "torch.arange(1, length + 1)"),
            "base 1000": ("10_000", "1_000"),
            "exponent 2i/(d - 2)": ("/ d)", "/ max(1, d - 2))"),
            "columns are positions": ("return table", "return table.T"),
            "a row too many": ("return table", "return torch.cat([table, table[-1:]])"),
        },
    ),
    "q4": Question(
        # The norm as in Raschka (2024), the layer as in nanoGPT's Block.
        textbook="""
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    norm_x = (x - mean) / torch.sqrt(var + eps)
    return gamma * norm_x + beta
"""
        + LAYER_NORM
        + """
    def forward(self, X, mask):
        normed = self.norm_1(X)
        attended, _ = self.attention(normed, normed, mask.unsqueeze(1))
        X = X + attended
        X = X + self.feed_forward(self.norm_2(X))
        return X
""",
        right={
            "torch's norm, padding cleaned, the mask expanded": """
def layer_norm(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)
"""
            + LAYER_NORM
            + """
    def forward(self, X, mask):
        B, T, d = X.shape
        X = X.masked_fill(~mask[..., None], 0.0)
        allowed = mask[:, None, :].expand(B, T, T)
        Y = self.norm_1(X)
        X = self.attention(Y, Y, allowed)[0] + X
        return self.feed_forward(self.norm_2(X)) + X
""",
            "queries at the padding see the real keys and themselves": """
def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.sum(-1, keepdim=True) / x.shape[-1]
    variance = ((x - mu) ** 2).sum(-1, keepdim=True) / x.shape[-1]
    return (x - mu) * (variance + eps) ** -0.5 * gamma + beta
"""
            + LAYER_NORM
            + """
    def forward(self, X, mask):
        both = mask[:, None, :] & mask[:, :, None]
        both = both | torch.eye(X.shape[1], dtype=torch.bool)
        H = X + self.attention(self.norm_1(X), self.norm_1(X), mask=both)[0]
        return H + self.feed_forward(self.norm_2(H))
""",
        },
        method={
            "always post-norm": (
                ENCODER,
                """        X = self.norm_1(X + self.attention(X, X, mask[:, None, :])[0])
        return self.norm_2(X + self.feed_forward(X))""",
            ),
            "pre-norm without residual": ("X = X + self.attention", "X = self.attention"),
            "no residual at all": (
                "X = X + self.attention",
                "X = self.attention",
                "return X + self.feed_forward",
                "return self.feed_forward",
            ),
            "pre-norm adds to the normed": (
                "X = X + self.attention",
                "X = Y + self.attention",
            ),
            "no norm": ("self.norm_1(X)", "X", "self.norm_2(X)", "X"),
            "norm of the part only": (
                ENCODER,
                """        X = X + self.norm_1(self.attention(X, X, mask[:, None, :])[0])
        return X + self.norm_2(self.feed_forward(X))""",
            ),
            "feed-forward first": (
                ENCODER,
                """        X = X + self.feed_forward(self.norm_2(X))
        Y = self.norm_1(X)
        return X + self.attention(Y, Y, mask[:, None, :])[0]""",
            ),
            "both parts from the same input": (
                "return X + self.feed_forward(self.norm_2(X))",
                "return X + self.feed_forward(Y)",
            ),
            "no feed-forward": ("return X + self.feed_forward(self.norm_2(X))", "return X"),
            "mask ignored": (ENCODER_MASK, "torch.ones_like(mask)[:, None, :]"),
            "mask upside down": (ENCODER_MASK, "~mask[:, None, :]"),
            "mask of the queries": (ENCODER_MASK, "mask[:, :, None]"),
            "the mask of texts given to attention as it is": (ENCODER_MASK, "mask"),
            "padding set to 0 and attended to": (
                "        Y = self.norm_1(X)",
                "        Y = self.norm_1(X * mask[..., None])",
                ENCODER_MASK,
                "torch.ones_like(mask)[:, None, :]",
            ),
        },
        careless={
            "zeros written into X": (
                "        Y = self.norm_1(X)",
                "        X[~mask] = 0.0\n        Y = self.norm_1(X)",
            ),
            "X changed in place": ("X = X + self.attention", "X += self.attention"),
            "padding made 0 at the end": (
                "return X + self.feed_forward(self.norm_2(X))",
                "return (X + self.feed_forward(self.norm_2(X))) * mask[..., None]",
            ),
            "variance in one pass": (
                VARIANCE,
                "variance = (x**2).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2",
            ),
            "float32 always": (
                NORMED,
                NORMED.replace("return ", "return (") + ").float()",
            ),
        },
        wrong={
            "variance with n - 1": (VARIANCE, "variance = x.var(dim=-1, keepdim=True)"),
            "epsilon outside the root": ("(variance + eps).sqrt()", "(variance.sqrt() + eps)"),
            "no epsilon": ("(variance + eps)", "variance"),
            "epsilon fixed": ("(variance + eps)", "(variance + 1e-5)"),
            "no root": ("(variance + eps).sqrt()", "(variance + eps)"),
            "mean not taken off": (CENTERED, "centered = x"),
            "over the positions": (
                CENTERED,
                "centered = x - x.mean(dim=0, keepdim=True)",
                VARIANCE,
                "variance = (centered**2).mean(dim=0, keepdim=True)",
            ),
            "over all but the batch": (
                CENTERED,
                "axes = tuple(range(1, x.ndim))\n    centered = x - x.mean(dim=axes, keepdim=True)",
                VARIANCE,
                "variance = (centered**2).mean(dim=axes, keepdim=True)",
            ),
            "no gamma": ("gamma * centered", "centered"),
            "no beta": (".sqrt() + beta", ".sqrt()"),
            "gamma on beta too": (NORMED, "return gamma * (centered / (variance + eps).sqrt() + beta)"),
            "one norm for both": ("self.norm_2(X)", "self.norm_1(X)"),
            "norms change places": ("self.norm_1(X)", "self.norm_2(X)", "self.norm_2(X))", "self.norm_1(X))"),
            "keys and values not normed": ("self.attention(Y, Y,", "self.attention(Y, X,"),
            "no attention": ("X = X + self.attention(Y, Y, mask[:, None, :])[0]", "pass"),
            "a third norm at the end": (
                "return X + self.feed_forward(self.norm_2(X))",
                "return self.norm_2(X + self.feed_forward(self.norm_2(X)))",
            ),
            "causal": (
                ENCODER_MASK,
                "mask[:, None, :] & torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).tril()",
            ),
            "mask taken as a length": (
                "        Y = self.norm_1(X)",
                "        mask = torch.arange(X.shape[1]) < mask.sum(1, keepdim=True)\n        Y = self.norm_1(X)",
            ),
            "the pair added": (ENCODER_MASK + ")[0]", ENCODER_MASK + ")[1].mean(1) @ X"),
        },
    ),
    "q5": Question(
        # The decoder of the Annotated Transformer (2022), which is pre-norm, with its masks built inside.
        textbook=DECODER_LAYER
        + """
    def forward(self, X, memory, mask, memory_mask):
        T = X.size(1)
        subsequent = torch.tril(torch.ones(T, T)).bool()
        tgt_mask = mask.unsqueeze(1) & subsequent
        x = self.norm_1(X)
        X = X + self.attention(x, x, tgt_mask)[0]
        x, weights = self.cross(self.norm_2(X), memory, memory_mask.unsqueeze(1))
        X = X + x
        X = X + self.feed_forward(self.norm_3(X))
        return X, weights
""",
        right={
            "indices compared, masks expanded": DECODER_LAYER
            + """
    def forward(self, X, memory, mask, memory_mask):
        B, T, d = X.shape
        S = memory.shape[1]
        at = torch.arange(T, device=X.device)
        allowed = (at[None, :] <= at[:, None])[None].expand(B, T, T) * mask[:, None, :]
        normed = self.norm_1(X)
        X = self.attention(normed, normed, mask=allowed)[0] + X
        there = memory_mask[:, None].expand(B, T, S)
        more, weights = self.cross(self.norm_2(X), memory, mask=there)
        X = more + X
        return self.feed_forward(self.norm_3(X)) + X, weights
""",
            "the upper triangle turned around, padding cleaned, a list": DECODER_LAYER
            + """
    def forward(self, X, memory, mask, memory_mask):
        X, memory = X * mask[..., None], memory.masked_fill(~memory_mask[..., None], 0)
        future = torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).triu(1)
        forbidden = future | ~mask[:, None, :]
        Y = self.norm_1(X)
        A = X + self.attention(Y, Y, ~forbidden)[0]
        C, weights = self.cross(self.norm_2(A), memory, memory_mask[:, None, :])
        return [A + C + self.feed_forward(self.norm_3(A + C)), weights]
""",
        },
        method={
            "not causal": (".tril()", ""),
            "only padding masked": (CAUSAL, "mask[:, None, :]"),
            "no mask for the target": (CAUSAL, "torch.ones_like(mask)[:, None, :]"),
            "causal the other way": (".tril()", ".triu()"),
            "itself not seen": (".tril()", ".tril(-1)"),
            "one ahead": (".tril()", ".tril(1)"),
            "causal mask upside down": (CAUSAL, "~causal & mask[:, None, :]"),
            "self-attention twice": (
                CROSS,
                "self.cross(self.norm_2(X), self.norm_2(X), mask[:, None, :])",
            ),
            "query and memory change places": (
                CROSS,
                "self.cross(memory, self.norm_2(X), mask[:, None, :])",
            ),
            "memory's mask ignored": (CROSS, "self.cross(self.norm_2(X), memory)"),
            "memory's mask upside down": ("memory_mask[:, None, :]", "~memory_mask[:, None, :]"),
        },
        careless={
            "padding of the target attended to": (CAUSAL, "causal[None].expand(len(X), T, T)"),
            "zeros written into X": (
                "        Y = self.norm_1(X)",
                "        X[~mask] = 0.0\n        Y = self.norm_1(X)",
            ),
            "in place": ("X = X + found", "X += found"),
            "padding made 0 at the end": (
                "return X + self.feed_forward(self.norm_3(X)), weights",
                "return (X + self.feed_forward(self.norm_3(X))) * mask[..., None], weights",
            ),
            "weights without gradient": (
                "self.feed_forward(self.norm_3(X)), weights",
                "self.feed_forward(self.norm_3(X)), weights.detach()",
            ),
            "a mask on the CPU always": (", device=X.device", ""),
        },
        wrong={
            "no cross-attention": ("X = X + found", "pass"),
            "itself not seen but the first": (
                ".tril()",
                ".tril(-1) | (torch.arange(T) + torch.arange(T)[:, None] == 0)",
            ),
            "cross-attention is causal too": (
                CROSS,
                "self.cross(self.norm_2(X), memory, memory_mask[:, None, :] & torch.ones(T, memory.shape[1], dtype=torch.bool).tril())",
            ),
            "mask of the target upside down": (CAUSAL, "causal & ~mask[:, None, :]"),
            "either instead of both": (CAUSAL, "causal | mask[:, None, :]"),
            "mask of the target's queries": (CAUSAL, "causal & mask[:, :, None]"),
            "target's mask in the place of the memory's": (
                "memory_mask[:, None, :])",
                "mask[:, None, :])",
            ),
            "the target's mask given to attention as it is": (CAUSAL, "causal & mask"),
            "the memory's mask given to attention as it is": ("memory_mask[:, None, :]", "memory_mask"),
            "feed-forward before cross-attention": (
                DECODER,
                """        Y = self.norm_1(X)
        X = X + self.attention(Y, Y, causal & mask[:, None, :])[0]
        X = X + self.feed_forward(self.norm_3(X))
        found, weights = self.cross(self.norm_2(X), memory, memory_mask[:, None, :])
        return X + found, weights""",
            ),
            "cross-attention first": (
                DECODER,
                """        found, weights = self.cross(self.norm_2(X), memory, memory_mask[:, None, :])
        X = X + found
        Y = self.norm_1(X)
        X = X + self.attention(Y, Y, causal & mask[:, None, :])[0]
        return X + self.feed_forward(self.norm_3(X)), weights""",
            ),
            "first norm used twice": ("self.norm_2(X)", "self.norm_1(X)"),
            "second norm used twice": ("self.norm_3(X)", "self.norm_2(X)"),
            "weights None": (
                "self.feed_forward(self.norm_3(X)), weights",
                "self.feed_forward(self.norm_3(X)), None",
            ),
            "memory normed": ("self.norm_2(X), memory,", "self.norm_2(X), self.norm_2(memory),"),
            "pre-norm forgotten": ("self.cross(self.norm_2(X)", "self.cross(X"),
            "post-norm in both": (
                DECODER,
                """        X = self.norm_1(X + self.attention(X, X, causal & mask[:, None, :])[0])
        found, weights = self.cross(X, memory, memory_mask[:, None, :])
        X = self.norm_2(X + found)
        return self.norm_3(X + self.feed_forward(X)), weights""",
            ),
            "no residual": (
                "X = X + self.attention",
                "X = self.attention",
                "X = X + found",
                "X = found",
                "return X + self.feed_forward",
                "return self.feed_forward",
            ),
            "no residual around cross-attention": ("X = X + found", "X = found"),
            "norms of cross and feed-forward change places": (
                "self.norm_2(X)",
                "self.norm_3(X)",
                "self.feed_forward(self.norm_3(X))",
                "self.feed_forward(self.norm_2(X))",
            ),
            "no feed-forward": ("return X + self.feed_forward(self.norm_3(X)), weights", "return X, weights"),
            "no self-attention": (
                "X = X + self.attention(Y, Y, causal & mask[:, None, :])[0]",
                "pass",
            ),
            "cross-attention by the self's parameters": (
                "self.cross(self.n",
                "self.attention(self.n",
            ),
            "weights of self-attention": (
                "X = X + self.attention(Y, Y, causal & mask[:, None, :])[0]",
                "new, own = self.attention(Y, Y, causal & mask[:, None, :])\n        X = X + new",
                "self.feed_forward(self.norm_3(X)), weights",
                "self.feed_forward(self.norm_3(X)), own",
            ),
            "weights averaged": ("self.norm_3(X)), weights", "self.norm_3(X)), weights.mean(1)"),
            "weights left out": ("self.norm_3(X)), weights", "self.norm_3(X))"),
            "weights uniform": (
                "self.norm_3(X)), weights",
                "self.norm_3(X)), torch.ones_like(weights) / weights.shape[-1]",
            ),
        },
    ),
    "q6": Question(
        # The Annotated Transformer's greedy_decode, for a batch that ends.
        textbook="""
@torch.no_grad()
def greedy(logits_of, first, end, longest):
    ys = first
    done = torch.zeros(first.shape[0], dtype=torch.bool)
    for _ in range(longest):
        next_word = logits_of(ys)[:, -1].argmax(dim=1)
        next_word[done] = 0
        ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
        done |= next_word == end
        if done.all():
            break
    return ys[:, 1:]
""",
        right={
            "a list of columns": """
def greedy(logits_of, first, end, longest):
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
            "0 and the end both read from the last column": """
@torch.no_grad()
def greedy(logits_of, first, end, longest):
    prefix = first
    while prefix.shape[1] <= longest:
        last = prefix[:, -1]
        ended = ((last == end) | (last == 0)) & (prefix.shape[1] > 1)
        if ended.all():
            break
        new = torch.where(ended, 0, logits_of(prefix)[:, -1].argmax(-1))
        prefix = torch.cat([prefix, new[:, None]], 1)
    return prefix[:, 1:]
""",
            "argmax of the probabilities": (
                """
@torch.inference_mode()
def greedy(logits_of, first, end, longest):
    written, ended = first.clone(), torch.zeros(len(first), dtype=torch.bool, device=first.device)
    while written.shape[1] <= longest and not ended.all():
        new = logits_of(written)[:, -1].softmax(-1).argmax(-1) * ~ended
        written, ended = torch.cat([written, new[:, None]], 1), ended | (new == end)
    return written[:, 1:]
"""
            ),
        },
        method={
            "the first position's logits": ("logits_of(prefix)[:, -1]", "logits_of(prefix)[:, 0]"),
            "the end never looked at": (STOP, ""),
            "no limit and no end": (STOP, "", "for _ in range(longest):", "while True:"),
            "stops with the first text": ("if ended.all():", "if ended.any():"),
            "no zeros behind the end": (ZEROS, "pass"),
            "end repeated behind the end": (ZEROS, ZEROS.replace("0)", "end)")),
            "ended only where the last token is the end": (ENDED, "ended = new == end"),
            "argmax over the positions": (
                NEXT,
                "new = logits_of(prefix)[:, -1].argmax(dim=0)[: len(first)]",
            ),
            "only the last token is read": ("logits_of(prefix)", "logits_of(prefix[:, -1:])"),
            "only the first token is read": ("logits_of(prefix)", "logits_of(first)"),
            "the least likely": (".argmax(dim=-1)", ".argmin(dim=-1)"),
        },
        careless={
            "with a graph": ("@torch.no_grad()\n", ""),
            "int32": ("return prefix[:, 1:]", "return prefix[:, 1:].int()"),
            "a mask on the CPU always": (", device=first.device", ""),
            "text by text in Python": """
def greedy(logits_of, first, end, longest):
    texts, prefix = [[] for _ in first], first
    for _ in range(longest):
        best = logits_of(prefix)[:, -1].argmax(-1).tolist()
        for text, token in zip(texts, best):
            text.append(0 if end in text else token)
        prefix = torch.cat([prefix, torch.tensor([[text[-1]] for text in texts])], dim=1)
        if all(end in text for text in texts):
            break
    return torch.tensor(texts)
""",
        },
        wrong={
            "first kept": ("return prefix[:, 1:]", "return prefix"),
            "end cut off": (
                "return prefix[:, 1:]",
                "return prefix[:, 1:].masked_fill(prefix[:, 1:] == end, 0)",
            ),
            "no limit": ("for _ in range(longest):", "while True:"),
            "one too few": ("range(longest)", "range(longest - 1)"),
            "one too many": ("range(longest)", "range(longest + 1)"),
            "-1 behind the end": (ZEROS, ZEROS.replace("0)", "-1)")),
            "drawn at random": (
                NEXT,
                "new = torch.multinomial(logits_of(prefix)[:, -1].softmax(-1), 1)[:, 0]",
            ),
            "called once more": ("return prefix[:, 1:]", "logits_of(prefix)\n    return prefix[:, 1:]"),
            "called twice": (NEXT, "logits_of(prefix)\n        " + NEXT),
            "one turn more than needed": (
                STOP,
                "",
                "        " + NEXT,
                "        stop = ended.all()\n        " + NEXT,
                ENDED,
                ENDED + "\n        if stop:\n            return prefix[:, 1:-1]",
            ),
            "text by text": (
                NEXT,
                "new = torch.cat([logits_of(row[None])[:, -1].argmax(-1) for row in prefix])",
            ),
            "filled up to longest": (
                "return prefix[:, 1:]",
                "return F.pad(prefix[:, 1:], (0, longest + 1 - prefix.shape[1]))",
            ),
            "texts in another order": ("return prefix[:, 1:]", "return prefix[:, 1:].flip(0)"),
        },
    ),
}
