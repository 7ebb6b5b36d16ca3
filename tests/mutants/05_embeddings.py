"""Lab 05's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

# Pieces of the solutions that many mutants change.
COUNTS_T = "    share = counts / counts.sum()\n"
SQRT = "np.sqrt(t / np.maximum(share, t))"
WEIGHTS = "np.where(counts > 0, counts**power, 0.0)"
LOSS = "-F.logsigmoid(true) - F.logsigmoid(-false).sum(dim=1)"
GRADIENTS = "true * u + (false * negatives).sum(dim=1), true * v, false * v.unsqueeze(1)"
MEAN = "total / mask.sum(dim=1, keepdim=True)"
FILLED = "context.masked_fill(~mask.unsqueeze(2), 0).sum(dim=1)"
PMI = "np.log(cells.data * pairs.sum() / (of_words * of_contexts))"
ERROR = "(w * c).sum(dim=1) + b_w + b_c - x.log()"
WEIGHT = "(x / x_max).pow(alpha).clamp(max=1)"
NEAR = 'left[np.argsort(-cosines, kind="stable")[:number]]'
TARGET = "unit(vectors[b] - vectors[a] + vectors[c]) @ vectors.T"
OUT = "    for words in (a, b, c):\n        scores[np.arange(len(scores)), words] = -np.inf\n"

QUESTIONS = {
    "q1": Question(
        right={
            "loops over places": """
def window_pairs(ids, window):
    if window < 1:
        raise ValueError("window")
    centers, contexts = [], []
    for i in range(len(ids)):
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if i != j:
                centers.append(int(ids[i]))
                contexts.append(int(ids[j]))
    return np.array(centers, dtype=np.int64), np.array(contexts, dtype=np.int64)
""",
            "a padded line of windows": """
def window_pairs(ids, window):
    if window < 1:
        raise ValueError("window")
    ids = np.array(ids, dtype=np.int64)
    n = len(ids)
    i = np.repeat(np.arange(n), 2 * window)
    j = i + np.tile(np.r_[-window:0, 1:window + 1], n)
    inside = (j >= 0) & (j < n)
    return ids[i[inside]], ids[j[inside]]
""",
            "a table of distances, contexts first": """
def window_pairs(ids, window):
    if not window >= 1:
        raise ValueError("window")
    ids = np.array(ids, dtype="int64")
    place = np.arange(len(ids))
    apart = np.abs(place[:, None] - place)
    i, j = np.nonzero((apart > 0) & (apart <= window))
    return ids[j], ids[i]
""",
        },
        wrong={
            "contexts to the right only": (
                "np.concatenate(left + right), np.concatenate(right + left)",
                "np.concatenate(left), np.concatenate(right)",
            ),
            "contexts to the left only": (
                "np.concatenate(left + right), np.concatenate(right + left)",
                "np.concatenate(right), np.concatenate(left)",
            ),
            "not aligned": ("np.concatenate(right + left)", "np.concatenate(left + right)"),
            "a window too narrow": ("len(ids) - 1) + 1)", "len(ids) - 1))"),
            "a window too wide": ("min(window, len(ids) - 1) + 1", "min(window + 1, len(ids) - 1) + 1"),
            "the window counts both sides": ("min(window,", "min(max(1, window // 2),"),
            "a word is its own neighbor": ("range(1, min(", "range(0, min("),
            "only the largest distance": ("range(1, min(", "range(min(window, max(len(ids) - 1, 0)), min("),
            "only neighbors": ("min(window, len(ids) - 1)", "min(1, len(ids) - 1)"),
            "long windows are cut to half the text": (
                "min(window, len(ids) - 1)",
                "min(window, len(ids) // 2)",
            ),
            "nothing where the window is longer than the text": (
                "min(window, len(ids) - 1) + 1",
                "(window if window < len(ids) else 0) + 1",
            ),
            "each pair once": (
                "    return np.concatenate(left + right), np.concatenate(right + left)",
                "    both = sorted(set(zip(np.concatenate(left + right).tolist(), np.concatenate(right + left).tolist())))\n"
                "    return np.array([p[0] for p in both], dtype=np.int64), np.array([p[1] for p in both], dtype=np.int64)",
            ),
            "no word with itself": (
                "    return np.concatenate(left + right), np.concatenate(right + left)",
                "    a, b = np.concatenate(left + right), np.concatenate(right + left)\n    return a[a != b], b[a != b]",
            ),
            "round the end": (
                "*(ids[:-distance] for distance in distances)",
                "*(ids for distance in distances)",
                "*(ids[distance:] for distance in distances)",
                "*(np.roll(ids, -distance) for distance in distances)",
            ),
            "windows do not overlap": (
                "ids[:-distance] for",
                "ids[:-distance][:: distance] for",
                "ids[distance:] for",
                "ids[distance:][:: distance] for",
            ),
            "a random window": (
                "distances = range(1, min(window, len(ids) - 1) + 1)",
                "distances = range(1, min(np.random.default_rng(0).integers(1, window + 1), len(ids) - 1) + 1)",
            ),
            "windows of a place shrink at the end of the text": (
                "ids[:-distance] for",
                "ids[: max(0, len(ids) - window)] for",
                "ids[distance:] for",
                "ids[distance : distance + max(0, len(ids) - window)] for",
            ),
            "a matrix": (
                "return np.concatenate(left + right), np.concatenate(right + left)",
                "return np.stack([np.concatenate(left + right), np.concatenate(right + left)], axis=1)",
            ),
            "lists": (
                "np.concatenate(left + right), np.concatenate(right + left)",
                "np.concatenate(left + right).tolist(), np.concatenate(right + left).tolist()",
            ),
            "the text's dtype": (
                "np.asarray(ids, dtype=np.int64)",
                "np.asarray(ids)",
                "np.empty(0, np.int64), *(ids[:-distance]",
                "np.empty(0, ids.dtype), *(ids[:-distance]",
                "np.empty(0, np.int64), *(ids[distance:]",
                "np.empty(0, ids.dtype), *(ids[distance:]",
            ),
            "int32": (
                "dtype=np.int64)",
                "dtype=np.int32)",
                "np.empty(0, np.int64), *(ids[:-distance]",
                "np.empty(0, np.int32), *(ids[:-distance]",
                "np.empty(0, np.int64), *(ids[distance:]",
                "np.empty(0, np.int32), *(ids[distance:]",
            ),
            "empty results are floats": (
                "    ids = np.asarray",
                "    if len(ids) < 2:\n        return np.array([]), np.array([])\n    ids = np.asarray",
            ),
            "one array for both, where there are none": (
                "    ids = np.asarray",
                "    if len(ids) < 2:\n        return None\n    ids = np.asarray",
            ),
            "views of the text": (
                "    distances",
                "    if window == 1 and len(ids) > 1:\n        return ids[:-1], ids[1:]\n    distances",
            ),
            "the text is sorted": ("    distances", "    ids.sort()\n    distances"),
            "the text is returned, one side": (
                "return np.concatenate(left + right), np.concatenate(right + left)",
                "return np.concatenate(left + right)[: len(ids)], np.concatenate(right + left)",
            ),
            "a window of 0 gives nothing": ("if window < 1:", "if window < 0:"),
            "a negative window gives nothing": ("if window < 1:", "if window == 0:"),
            "the window is not checked": ("if window < 1:", "if False:"),
            "not checked for short texts": ("if window < 1:", "if len(ids) > 1 and window < 1:"),
            "another error": ("raise ValueError", "raise IndexError"),
            "short texts are errors": ("if window < 1:", "if window < 1 or len(ids) < 2:"),
            "windows longer than the text are errors": (
                "if window < 1:",
                "if window < 1 or window >= max(len(ids), 3):",
            ),
        },
    ),
    "q2": Question(
        right={
            "word by word": """
def keep_probability(counts, t):
    counts = check_counts(counts)
    if not (t > 0 and math.isfinite(t)):
        raise ValueError("t")
    total = sum(counts)
    return np.array([min(1.0, (t * total / n) ** 0.5) if n else 1.0 for n in counts])
def noise_distribution(counts, power=0.75):
    counts = check_counts(counts)
    weights = [n ** power if n else 0.0 for n in counts]
    return np.array(weights) / sum(weights)
""",
            "powers of shares, through logarithms": """
def keep_probability(counts, t):
    if not 0 < t < np.inf:
        raise ValueError("t")
    counts = check_counts(counts)
    with np.errstate(divide="ignore"):
        return np.clip((t / (counts / counts.sum())) ** 0.5, 0, 1)
def noise_distribution(counts, power=0.75):
    counts = check_counts(counts)
    out = np.zeros(len(counts))
    seen = counts > 0
    share = counts[seen] / counts.sum()
    out[seen] = np.exp(power * np.log(share))
    return out / out.sum()
""",
        },
        wrong={
            "keep: the probability to drop": (SQRT, f"1 - {SQRT}"),
            "keep: the authors' program's form": (
                SQRT,
                "np.minimum(1, np.sqrt(t / np.maximum(share, 1e-300)) + t / np.maximum(share, 1e-300))",
            ),
            "keep: above 1": (SQRT, "np.where(share > 0, np.sqrt(t / np.maximum(share, 1e-300)), 1.0)"),
            "keep: no root": (SQRT, "t / np.maximum(share, t)"),
            "keep: upside down": (SQRT, "np.sqrt(np.minimum(1, share / t))"),
            "keep: counts, not shares": (COUNTS_T, "    share = counts\n"),
            "keep: share of the most frequent": (COUNTS_T, "    share = counts / counts.max()\n"),
            "keep: share of the words": (COUNTS_T, "    share = counts / len(counts)\n"),
            "keep: cubic root": (SQRT, "np.cbrt(t / np.maximum(share, t))"),
            "keep: unseen words get 0": (SQRT, f"{SQRT} * (counts > 0)"),
            "keep: unseen words get nan": (
                SQRT,
                "np.where(share > 0, np.sqrt(t / np.maximum(share, t)), np.nan)",
            ),
            "keep: hard cut": (SQRT, "(share <= t).astype(float)"),
            "keep: a draw": (SQRT, f"(np.random.default_rng(0).random(len(share)) < {SQRT}).astype(float)"),
            "keep: float32": (SQRT, f"{SQRT}.astype(np.float32)"),
            "keep: a list": (SQRT, f"{SQRT}.tolist()"),
            "keep: t = 0 allowed": (
                "0 < t < math.inf",
                "0 <= t < math.inf",
                "np.maximum(share, t)",
                "np.maximum(share, max(t, 1e-300))",
            ),
            "keep: negative t allowed": (
                "0 < t < math.inf",
                "t != 0 and t < math.inf",
                "np.maximum(share, t)",
                "np.maximum(share, abs(t))",
            ),
            "keep: nan allowed": ("not 0 < t < math.inf", "t <= 0 or t == math.inf"),
            "keep: inf allowed": ("0 < t < math.inf", "0 < t"),
            "keep: t above 1 refused": ("0 < t < math.inf", "0 < t < 1"),
            "keep: counts not checked": (
                "    counts = check_counts(counts)\n    if not",
                "    counts = np.array(counts, dtype=float)\n    if not",
            ),
            "keep: the counts changed": (
                "    counts = check_counts(counts)\n    if not",
                "    counts, given = check_counts(counts), counts\n    if isinstance(given, np.ndarray):\n        given += 1\n    if not",
            ),
            "keep: smoothed": (COUNTS_T, "    share = (counts + 1) / (counts + 1).sum()\n"),
            "keep: a fixed t": (SQRT, "np.sqrt(1e-2 / np.maximum(share, 1e-2))"),
            "keep: share of the others": (
                COUNTS_T,
                "    share = counts / np.maximum(counts.sum() - counts, 1)\n",
            ),
            "noise: not normalized": ("weights / weights.sum()", "weights"),
            "noise: normalized before the power": (
                "    weights = " + WEIGHTS + "\n    return weights / weights.sum()",
                "    return np.where(counts > 0, (counts / counts.sum()) ** power, 0.0)",
            ),
            "noise: the largest is 1": ("weights / weights.sum()", "weights / weights.max()"),
            "noise: the shares": (WEIGHTS, "counts"),
            "noise: uniform": (WEIGHTS, "(counts > 0) * 1.0"),
            "noise: always 3/4": ("counts**power", "counts**0.75"),
            "noise: another default": ("power=0.75", "power=0.5"),
            "noise: default 1": ("power=0.75", "power=1"),
            "noise: unseen words drawn at power 0": (WEIGHTS, "counts**power"),
            "noise: smoothed": (WEIGHTS, "(counts + 1) ** power"),
            "noise: logarithms": (WEIGHTS, "np.log1p(counts)"),
            "noise: softmax": (WEIGHTS, "np.exp(counts - counts.max())"),
            "noise: inverse": (WEIGHTS, "np.where(counts > 0, np.maximum(counts, 1e-300) ** -power, 0.0)"),
            "noise: cumulative": ("weights / weights.sum()", "np.cumsum(weights) / weights.sum()"),
            "noise: sorted": (WEIGHTS, "np.sort(np.where(counts > 0, counts**power, 0.0))"),
            "noise: integer power": ("counts**power", "counts ** int(power + 0.5)"),
            "noise: float32": ("weights / weights.sum()", "(weights / weights.sum()).astype(np.float32)"),
            "noise: in the counts' integers": (
                "    weights = ",
                "    counts = counts.astype(np.int32)\n    weights = ",
            ),
            "noise: the counts changed": (
                "    counts = check_counts(counts)\n    weights = " + WEIGHTS,
                "    given, counts = counts, check_counts(counts)\n    weights = "
                + WEIGHTS
                + "\n    if isinstance(given, np.ndarray):\n        given[0] = 1",
            ),
            "noise: counts not checked": (
                "    counts = check_counts(counts)\n    weights",
                "    counts = np.array(counts, dtype=float)\n    weights",
            ),
            "noise: the top is capped": ("counts**power", "np.minimum(counts, 10_000) ** power"),
            "both: another error": (
                "def keep_probability",
                "def check_counts(counts):\n    counts = np.array(counts, dtype=np.float64)\n    if not (counts >= 0).all() or not counts.sum() > 0:\n"
                "        raise ZeroDivisionError\n    return counts\n\n\ndef keep_probability",
            ),
        },
    ),
    "q3": Question(
        right={
            "matrix products and softplus": """
def sgns_loss(v, u, negatives):
    check_shapes(v, u, negatives)
    true = torch.einsum("bd,bd->b", v, u)
    false = torch.bmm(negatives, v.unsqueeze(2)).squeeze(2)
    return F.softplus(-true) + F.softplus(false).sum(1)
def sgns_gradient(v, u, negatives):
    check_shapes(v, u, negatives)
    all_u = torch.cat([u.unsqueeze(1), negatives], dim=1)
    scores = (all_u @ v.unsqueeze(2)).squeeze(2)
    error = torch.sigmoid(scores)
    error = error - torch.nn.functional.one_hot(torch.zeros(len(v), dtype=torch.int64), scores.shape[1]).to(v)
    of_u = error.unsqueeze(2) * v.unsqueeze(1)
    return (error.unsqueeze(1) @ all_u).squeeze(1), of_u[:, 0].clone(), of_u[:, 1:].clone()
""",
            "pair by pair": """
def sgns_loss(v, u, negatives):
    check_shapes(v, u, negatives)
    rows = []
    for b in range(len(v)):
        row = -F.logsigmoid(v[b] @ u[b])
        for n in negatives[b]:
            row = row - F.logsigmoid(-(v[b] @ n))
        rows.append(row)
    return torch.stack(rows)
def sgns_gradient(v, u, negatives):
    check_shapes(v, u, negatives)
    of_v, of_u, of_n = torch.zeros_like(v), torch.zeros_like(u), torch.zeros_like(negatives)
    for b in range(len(v)):
        s = torch.sigmoid(v[b] @ u[b]) - 1
        of_v[b] += s * u[b]
        of_u[b] = s * v[b]
        for j in range(negatives.shape[1]):
            s = torch.sigmoid(v[b] @ negatives[b, j])
            of_v[b] += s * negatives[b, j]
            of_n[b, j] = s * v[b]
    return of_v, of_u, of_n
""",
            "binary cross-entropy": """
def sgns_loss(v, u, negatives):
    check_shapes(v, u, negatives)
    scores = torch.cat([u[:, None], negatives], 1) @ v[..., None]
    target = torch.zeros_like(scores)
    target[:, 0] = 1
    return F.binary_cross_entropy_with_logits(scores, target, reduction="none").sum(dim=(1, 2))
def sgns_gradient(v, u, negatives):
    check_shapes(v, u, negatives)
    g = torch.special.expit((v * u).sum(-1)) - 1
    h = torch.special.expit(torch.einsum("bkd,bd->bk", negatives, v))
    return (torch.einsum("b,bd->bd", g, u) + torch.einsum("bk,bkd->bd", h, negatives),
            torch.einsum("b,bd->bd", g, v), torch.einsum("bk,bd->bkd", h, v))
""",
        },
        wrong={
            "loss: mean over the batch": (LOSS, f"({LOSS}).mean()"),
            "loss: sum over the batch": (LOSS, f"({LOSS}).sum()"),
            "loss: mean over the negatives": (
                "F.logsigmoid(-false).sum(dim=1)",
                "F.logsigmoid(-false).mean(dim=1)",
            ),
            "loss: mean of all terms": (LOSS, f"({LOSS}) / (1 + false.shape[1])"),
            "loss: negatives are pulled": ("F.logsigmoid(-false)", "F.logsigmoid(false)"),
            "loss: negatives counted with the other sign": (
                "- F.logsigmoid(-false)",
                "+ F.logsigmoid(-false)",
            ),
            "loss: a likelihood": (LOSS, "F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=1)"),
            "loss: the true pair pushed": ("-F.logsigmoid(true)", "-F.logsigmoid(-true)"),
            "loss: no negatives": (LOSS, "-F.logsigmoid(true) + 0 * false.sum(dim=1)"),
            "loss: one negative": ("F.logsigmoid(-false).sum(dim=1)", "F.logsigmoid(-false)[:, 0]"),
            "loss: negatives of u": (
                "negatives * v.unsqueeze(1)).sum(dim=2)\n    return",
                "negatives * u.unsqueeze(1)).sum(dim=2)\n    return",
            ),
            "loss: log of sigmoid as it stands": (
                LOSS,
                "-torch.sigmoid(true).log() - (1 - torch.sigmoid(false)).log().sum(dim=1)",
            ),
            "loss: something added": (
                LOSS,
                "-(torch.sigmoid(true) + 1e-10).log() - (1 - torch.sigmoid(false) + 1e-10).log().sum(dim=1)",
            ),
            "loss: products are clamped": (
                LOSS,
                "-F.logsigmoid(true.clamp(-6, 6)) - F.logsigmoid(-false.clamp(-6, 6)).sum(dim=1)",
            ),
            "loss: log(1 + exp)": (
                LOSS,
                "(1 + torch.exp(-true)).log() + (1 + torch.exp(false)).log().sum(dim=1)",
            ),
            "loss: base 2": (LOSS, f"({LOSS}) / math.log(2)"),
            "loss: softmax over the true and the false": (
                LOSS,
                "torch.logsumexp(torch.cat([true.unsqueeze(1), false], 1), 1) - true",
            ),
            "loss: hinge": (LOSS, "F.relu(1 - true) + F.relu(1 + false).sum(dim=1)"),
            "loss: scaled by the root of d": (
                "(v * u).sum(dim=1)\n",
                "(v * u).sum(dim=1) / v.shape[1] ** 0.5\n",
            ),
            "loss: cosines": ("(v * u).sum(dim=1)\n", "F.cosine_similarity(v, u)\n"),
            "loss: v detached": (
                "true = (v * u).sum(dim=1)\n",
                "v = v.detach()\n    true = (v * u).sum(dim=1)\n",
            ),
            "loss: negatives detached": (
                "false = (negatives * v.unsqueeze(1)).sum(dim=2)\n",
                "false = (negatives.detach() * v.unsqueeze(1)).sum(dim=2)\n",
            ),
            "loss: in float32": (LOSS, f"({LOSS}).float()"),
            "loss: in float64": (LOSS, f"({LOSS}).double()"),
            "loss: all negatives of all pairs": (
                LOSS,
                "-F.logsigmoid(true) - F.logsigmoid(-(v @ negatives.flatten(0, 1).T)).sum(dim=1)",
            ),
            "loss: negatives changed": (
                "    true = (v * u).sum(dim=1)\n",
                "    with torch.no_grad():\n        negatives.mul_(1.0001)\n    true = (v * u).sum(dim=1)\n",
            ),
            "loss: shapes not checked": (
                "check_shapes(v, u, negatives)\n    true = (v * u).sum(dim=1)\n",
                "true = (v * u).sum(dim=1)\n",
            ),
            "loss: a column": (LOSS, f"({LOSS}).unsqueeze(1)"),
            "loss: a batch of one squeezed": (LOSS, f"({LOSS}).squeeze()"),
            "gradient: target forgotten": (
                "-torch.sigmoid(-(v * u).sum(dim=1, keepdim=True))",
                "torch.sigmoid((v * u).sum(dim=1, keepdim=True))",
            ),
            "gradient: the other sign": (
                GRADIENTS,
                "-(true * u + (false * negatives).sum(dim=1)), -true * v, -false * v.unsqueeze(1)",
            ),
            "gradient: v from the true pair alone": ("true * u + (false * negatives).sum(dim=1)", "true * u"),
            "gradient: v from the false pairs alone": (
                "true * u + (false * negatives).sum(dim=1)",
                "(false * negatives).sum(dim=1)",
            ),
            "gradient: mean over negatives": (
                "(false * negatives).sum(dim=1)",
                "(false * negatives).mean(dim=1)",
            ),
            "gradient: one negative": ("(false * negatives).sum(dim=1)", "(false * negatives)[:, 0]"),
            "gradient: negatives of a pair are averaged first": (
                "(false * negatives).sum(dim=1)",
                "false.sum(dim=1) * negatives.mean(dim=1)",
            ),
            "gradient: of the mean over the batch": (
                GRADIENTS,
                "(true * u + (false * negatives).sum(dim=1)) / len(v), true * v / len(v), false * v.unsqueeze(1) / len(v)",
            ),
            "gradient: u by u": ("true * v, false", "true * u, false"),
            "gradient: negatives by themselves": ("false * v.unsqueeze(1)", "false * negatives"),
            "gradient: negatives of the others' sign": (
                "true * v, false * v.unsqueeze(1)",
                "true * v, -false * v.unsqueeze(1)",
            ),
            "gradient: summed over negatives": (
                "false * v.unsqueeze(1)",
                "(false * v.unsqueeze(1)).sum(dim=1)",
            ),
            "gradient: u and v swapped": (
                GRADIENTS,
                "true * v, true * u + (false * negatives).sum(dim=1), false * v.unsqueeze(1)",
            ),
            "gradient: two results": (GRADIENTS, "true * u + (false * negatives).sum(dim=1), true * v"),
            "gradient: derivative of the sigmoid": (
                "-torch.sigmoid(-(v * u).sum(dim=1, keepdim=True))",
                "-torch.sigmoid(-(v * u).sum(dim=1, keepdim=True)) * torch.sigmoid((v * u).sum(dim=1, keepdim=True))",
            ),
            "gradient: step function": (
                "torch.sigmoid((negatives * v.unsqueeze(1)).sum(dim=2, keepdim=True))",
                "((negatives * v.unsqueeze(1)).sum(dim=2, keepdim=True) > 0).to(v)",
            ),
            "gradient: exp over 1 + exp": (
                "torch.sigmoid((negatives * v.unsqueeze(1)).sum(dim=2, keepdim=True))",
                "(lambda e: e / (1 + e))(torch.exp((negatives * v.unsqueeze(1)).sum(dim=2, keepdim=True)))",
            ),
            "gradient: updated along the way": (
                "    return " + GRADIENTS,
                "    of_u = true * v\n    of_v = true * (u - 0.025 * of_u) + (false * negatives).sum(dim=1)\n    return of_v, of_u, false * v.unsqueeze(1)",
            ),
            "gradient: float64": (
                GRADIENTS,
                "(true * u + (false * negatives).sum(dim=1)).double(), (true * v).double(), (false * v.unsqueeze(1)).double()",
            ),
            "gradient: v changed in place": (
                "    return " + GRADIENTS,
                "    out = (" + GRADIENTS + ")\n    v -= 0.01 * out[0]\n    return out",
            ),
            "gradient: written into the arguments": (
                "    return " + GRADIENTS,
                "    out = ("
                + GRADIENTS
                + ")\n    negatives.copy_(out[2])\n    return out[0], out[1], negatives",
            ),
            "gradient: by autograd": """
def sgns_loss(v, u, negatives):
    check_shapes(v, u, negatives)
    return -F.logsigmoid((v * u).sum(1)) - F.logsigmoid(-(negatives * v.unsqueeze(1)).sum(2)).sum(1)
def sgns_gradient(v, u, negatives):
    with torch.enable_grad():
        parts = [part.detach().clone().requires_grad_() for part in (v, u, negatives)]
        return torch.autograd.grad(sgns_loss(*parts).sum(), parts)
""",
            "gradient: shapes not checked": (
                "    check_shapes(v, u, negatives)\n    # Prediction",
                "    # Prediction",
            ),
            "both: shapes by assert": (
                "def sgns_loss",
                "def check_shapes(v, u, negatives):\n    assert u.shape == v.shape and negatives.ndim == 3\n    assert (negatives.shape[0], negatives.shape[2]) == tuple(v.shape)\n\n\ndef sgns_loss",
            ),
        },
    ),
    "q4": Question(
        right={
            "where, and a loss of its own": """
def cbow_loss(context, mask, target, negatives):
    B, W, d = context.shape
    if mask.shape != (B, W) or (mask.sum(1) == 0).any():
        raise ValueError("mask")
    if target.shape != (B, d) or negatives.ndim != 3 or negatives.shape[0] != B or negatives.shape[2] != d:
        raise ValueError("shapes")
    kept = torch.where(mask[..., None], context, torch.zeros((), dtype=context.dtype))
    mean = kept.sum(1) / mask.sum(1)[:, None]
    true = (mean * target).sum(-1)
    false = (negatives @ mean[..., None])[..., 0]
    return F.softplus(-true) + F.softplus(false).sum(-1)
""",
            "nan_to_num": """
def cbow_loss(context, mask, target, negatives):
    if mask.shape != context.shape[:2] or not mask.any(dim=1).all():
        raise ValueError("mask")
    kept = torch.nan_to_num(context * mask.unsqueeze(2), 0, 0, 0)
    return sgns_loss(kept.sum(dim=1) / mask.sum(dim=1).unsqueeze(1), target, negatives)
""",
            "row by row": """
def cbow_loss(context, mask, target, negatives):
    if mask.shape != context.shape[:2]:
        raise ValueError("mask")
    means = []
    for row, real in zip(context, mask):
        if not real.any():
            raise ValueError("no context")
        means.append(row[real].mean(dim=0))
    return sgns_loss(torch.stack(means), target, negatives)
""",
        },
        wrong={
            "mean over all places": (MEAN, "total / mask.shape[1]"),
            "a sum, no mean": (MEAN, "total"),
            "divided by the root of the number": (MEAN, "total / mask.sum(dim=1, keepdim=True) ** 0.5"),
            "the mask ignored": (FILLED, "context.sum(dim=1)", MEAN, "total / mask.shape[1]"),
            "the mask ignored in the sum": (FILLED, "context.sum(dim=1)"),
            "the mask upside down": ("masked_fill(~mask", "masked_fill(mask"),
            "times the mask": (FILLED, "(context * mask.unsqueeze(2)).sum(dim=1)"),
            "times the mask, nan made 0 in the result": (
                FILLED,
                "(context * mask.unsqueeze(2)).sum(dim=1).nan_to_num(0)",
            ),
            "padding filled with 1": ("mask.unsqueeze(2), 0)", "mask.unsqueeze(2), 1)"),
            "the largest entries": (
                FILLED,
                "context.masked_fill(~mask.unsqueeze(2), -1e9).amax(dim=1)",
                MEAN,
                "total",
            ),
            "the first real place": (
                FILLED,
                "context[torch.arange(len(context)), mask.float().argmax(dim=1)]",
                MEAN,
                "total",
            ),
            "real places lie in front": (
                FILLED,
                "context.masked_fill(torch.arange(context.shape[1]).expand(mask.shape).ge(mask.sum(1, keepdim=True)).unsqueeze(2), 0).sum(dim=1)",
            ),
            "one number for the whole batch": (MEAN, "total / mask.sum() * len(mask)"),
            "the number of the first row": (MEAN, "total / mask[0].sum()"),
            "mean of the losses, as skip-gram": (
                "    return sgns_loss(" + MEAN + ", target, negatives)",
                "    W = context.shape[1]\n    kept = context.masked_fill(~mask.unsqueeze(2), 0)\n"
                "    each = torch.stack([sgns_loss(kept[:, i], target, negatives) for i in range(W)], dim=1)\n"
                "    return (each * mask).sum(dim=1) / mask.sum(dim=1)",
            ),
            "target and mean change places": (
                "sgns_loss(" + MEAN + ", target, negatives)",
                "sgns_loss(target, " + MEAN + ", negatives)",
            ),
            "mean over the batch": (
                "return sgns_loss(" + MEAN + ", target, negatives)",
                "return sgns_loss(" + MEAN + ", target, negatives).mean()",
            ),
            "sum over the batch": (
                "return sgns_loss(" + MEAN + ", target, negatives)",
                "return sgns_loss(" + MEAN + ", target, negatives).sum()",
            ),
            "no negatives": (
                "return sgns_loss(" + MEAN + ", target, negatives)",
                "return -F.logsigmoid((" + MEAN + " * target).sum(dim=1)) + 0 * negatives.sum()",
            ),
            "unit length": ("sgns_loss(" + MEAN, "sgns_loss(F.normalize(total, dim=1)"),
            "context changed in place": ("context.masked_fill(", "context.detach().masked_fill_("),
            "context overwritten in place": (
                "    total =",
                "    with torch.no_grad():\n        context[~mask] = 0\n    total =",
            ),
            "the mask changed": ("    total =", "    mask |= False\n    mask[:] = True\n    total ="),
            "the mean detached": ("sgns_loss(" + MEAN, "sgns_loss((" + MEAN + ").detach()"),
            "the target detached": (
                "keepdim=True), target, negatives)",
                "keepdim=True), target.detach(), negatives)",
            ),
            "float32": (
                "return sgns_loss(" + MEAN + ", target, negatives)",
                "return sgns_loss(" + MEAN + ", target, negatives).float()",
            ),
            "no context gives something": (
                " or not mask.any(dim=1).all()",
                "",
                "mask.sum(dim=1, keepdim=True)",
                "mask.sum(dim=1, keepdim=True).clamp(min=1)",
            ),
            "no context gives nan": (" or not mask.any(dim=1).all()", ""),
            "only a mask of all zeros is an error": ("not mask.any(dim=1).all()", "not mask.any()"),
            "full windows are wanted": ("not mask.any(dim=1).all()", "not mask.all()"),
            "the mask's shape is not checked": ("mask.shape != context.shape[:2] or ", ""),
            "another error": ('raise ValueError(f"cbow_loss', 'raise RuntimeError(f"cbow_loss'),
            "shapes of the rest not checked": (
                "    return sgns_loss(" + MEAN + ", target, negatives)",
                "    v = "
                + MEAN
                + "\n    return -F.logsigmoid((v * target).sum(1)) - F.logsigmoid(-(negatives * v.unsqueeze(1)).sum(-1)).sum(-1)",
            ),
            "the last two places": (FILLED, "context.masked_fill(~mask.unsqueeze(2), 0)[:, -2:].sum(dim=1)"),
            "weights by distance": (
                FILLED,
                "(context.masked_fill(~mask.unsqueeze(2), 0) * torch.linspace(0.5, 1.5, context.shape[1]).to(context).view(1, -1, 1)).sum(dim=1)",
            ),
        },
    ),
    "q5": Question(
        right={
            "diagonal matrices": """
def ppmi(counts):
    C = sparse.coo_matrix(counts).astype(np.float64).tocsr()
    C.sum_duplicates()
    if C.nnz and C.data.min() < 0:
        raise ValueError("negative")
    total = C.sum() if C.nnz else 0
    if total <= 0:
        raise ValueError("empty")
    rows, columns = np.asarray(C.sum(1)).ravel(), np.asarray(C.sum(0)).ravel()
    with np.errstate(divide="ignore"):
        P = sparse.diags(1 / np.maximum(rows, 1e-300)) @ C @ sparse.diags(1 / np.maximum(columns, 1e-300)) * total
    P = sparse.csr_matrix(P)
    P.data = np.where(P.data > 1, np.log(np.maximum(P.data, 1)), 0)
    P.eliminate_zeros()
    return P
""",
            "entry by entry": """
def ppmi(counts):
    cells, rows, columns, total = {}, {}, {}, 0.0
    found = sparse.coo_array(counts)
    for i, j, n in zip(found.row.tolist(), found.col.tolist(), found.data.tolist()):
        if n < 0:
            raise ValueError("negative")
        cells[i, j] = cells.get((i, j), 0) + n
        rows[i] = rows.get(i, 0) + n
        columns[j] = columns.get(j, 0) + n
        total += n
    if total <= 0:
        raise ValueError("empty")
    values = {k: math.log(n * total / (rows[k[0]] * columns[k[1]])) for k, n in cells.items() if n > 0}
    kept = [(k, v) for k, v in values.items() if v > 0]
    at = np.array([k for k, _ in kept], dtype=int).reshape(-1, 2)
    return sparse.csr_array((np.array([v for _, v in kept], dtype=float), (at[:, 0], at[:, 1])), shape=counts.shape)
""",
        },
        wrong={
            "base 2": (PMI, PMI.replace("np.log(", "np.log2(")),
            "log(1 + x)": (PMI, PMI.replace("np.log(", "np.log1p(")),
            "no maximum": (f"np.maximum({PMI}, 0)", PMI),
            "negative values turned": (f"np.maximum({PMI}, 0)", f"np.abs({PMI})"),
            "cut at 1": (f"np.maximum({PMI}, 0)", f"np.maximum({PMI}, 1)"),
            "shifted by log 5": (PMI, PMI + " - np.log(5)"),
            "no |D|": ("cells.data * pairs.sum() /", "cells.data /"),
            "|D| is the number of cells": ("cells.data * pairs.sum() /", "cells.data * pairs.nnz /"),
            "probabilities of words among words": ("pairs.sum() /", "np.sqrt(pairs.sum()) /"),
            "contexts to the power 3/4": (
                "pairs.sum() / (of_words * of_contexts)",
                "(pairs.sum(axis=0) ** 0.75).sum() / (of_words * of_contexts**0.75)",
            ),
            "rows only": ("(of_words * of_contexts)", "of_words"),
            "columns only": ("(of_words * of_contexts)", "of_contexts"),
            "as if symmetric": (
                "pairs.sum(axis=0)[cells.col]",
                "np.resize(pairs.sum(axis=1), pairs.shape[1])[cells.col]",
            ),
            "sums swapped": (
                "pairs.sum(axis=1)[cells.row], pairs.sum(axis=0)[cells.col]",
                "np.resize(pairs.sum(axis=0), pairs.shape[0])[cells.row], np.resize(pairs.sum(axis=1), pairs.shape[1])[cells.col]",
            ),
            "sums swapped, places kept": (
                "pairs.sum(axis=1)[cells.row], pairs.sum(axis=0)[cells.col]",
                "pairs.sum(axis=0)[np.minimum(cells.row, pairs.shape[1] - 1)], pairs.sum(axis=1)[np.minimum(cells.col, pairs.shape[0] - 1)]",
            ),
            "numbers of cells, not sums": (
                "pairs.sum(axis=1)[cells.row], pairs.sum(axis=0)[cells.col]",
                "np.bincount(cells.row, minlength=pairs.shape[0])[cells.row], np.bincount(cells.col, minlength=pairs.shape[1])[cells.col]",
            ),
            "counts are binary": (
                "    pairs.eliminate_zeros()\n",
                "    pairs.eliminate_zeros()\n    pairs.data[:] = 1\n",
            ),
            "smoothed": (
                "    pairs.eliminate_zeros()\n",
                "    pairs.eliminate_zeros()\n    pairs.data += 1\n",
            ),
            "normalized PMI": (
                f"np.maximum({PMI}, 0)",
                f"np.maximum({PMI}, 0) / -np.log(cells.data / pairs.sum() / 2)",
            ),
            "no logarithm": (
                f"np.maximum({PMI}, 0)",
                "np.maximum(cells.data * pairs.sum() / (of_words * of_contexts) - 1, 0)",
            ),
            "the diagonal is left out": (
                "    cells.eliminate_zeros()\n",
                "    cells.data[cells.row == cells.col] = 0\n    cells.eliminate_zeros()\n",
            ),
            "zeros are stored": ("    cells.eliminate_zeros()\n", ""),
            "dense": ("return cells.tocsr()", "return cells.toarray()"),
            "dense on the way": (
                "    pairs.eliminate_zeros()\n",
                "    pairs = sparse.csr_array(pairs.toarray())\n",
            ),
            "COO": ("return cells.tocsr()", "return cells"),
            "CSC": ("return cells.tocsr()", "return cells.tocsc()"),
            "transposed": ("return cells.tocsr()", "return cells.T.tocsr()"),
            "float32": ("return cells.tocsr()", "return cells.tocsr().astype(np.float32)"),
            "in the counts' own integers": (
                "sparse.csr_array(counts, dtype=np.float64, copy=True)",
                "sparse.csr_array(counts, copy=True)",
                f"np.maximum({PMI}, 0)",
                f"np.maximum({PMI}, 0).astype(pairs.dtype)",
            ),
            "in 32 bits": (
                "dtype=np.float64, copy=True)",
                "dtype=np.int32, copy=True)",
                "(of_words * of_contexts)",
                "(of_words.astype(np.int32) * of_contexts.astype(np.int32)).astype(float)",
            ),
            "the argument's zeros are dropped": (
                "    pairs.sum_duplicates()\n",
                "    pairs.sum_duplicates()\n    if hasattr(counts, 'eliminate_zeros'):\n        counts.eliminate_zeros()\n",
            ),
            "the argument's values are overwritten": (
                "dtype=np.float64, copy=True)",
                "dtype=np.float64)",
                "return cells.tocsr()",
                "pairs.data[:] = np.resize(cells.data, pairs.nnz) if cells.nnz else 0\n    return cells.tocsr()",
            ),
            "the argument's duplicates are summed": (
                "    pairs.sum_duplicates()\n",
                "    pairs.sum_duplicates()\n    if hasattr(counts, 'sum_duplicates'):\n        counts.sum_duplicates()\n",
            ),
            "duplicates apart": """
def ppmi(counts):
    found = sparse.coo_array(counts, copy=True)
    row, col, data = found.row, found.col, found.data.astype(float)
    if (data < 0).any() or not data.sum() > 0:
        raise ValueError("counts")
    row, col, data = row[data > 0], col[data > 0], data[data > 0]
    of_words = np.bincount(row, data, found.shape[0])[row]
    of_contexts = np.bincount(col, data, found.shape[1])[col]
    values = np.maximum(np.log(data * data.sum() / (of_words * of_contexts)), 0)
    out = sparse.csr_array((values, (row, col)), shape=found.shape)
    out.eliminate_zeros()
    return out
""",
            "duplicates: the last one counts": """
def ppmi(counts):
    found = sparse.coo_array(counts)
    cells = {(i, j): n for i, j, n in zip(found.row.tolist(), found.col.tolist(), found.data.tolist())}
    if not cells or min(cells.values()) < 0 or not sum(cells.values()) > 0:
        raise ValueError("counts")
    rows, columns, total = Counter(), Counter(), sum(cells.values())
    for (i, j), n in cells.items():
        rows[i] += n
        columns[j] += n
    kept = [(i, j, math.log(n * total / rows[i] / columns[j])) for (i, j), n in cells.items() if n > 0]
    kept = [k for k in kept if k[2] > 0]
    return sparse.csr_array(([k[2] for k in kept], ([k[0] for k in kept], [k[1] for k in kept])), shape=counts.shape)
""",
            "negative counts allowed": (
                "(pairs.data < 0).any() or ",
                "",
                f"np.maximum({PMI}, 0)",
                f"np.nan_to_num(np.maximum({PMI}, 0), nan=0, posinf=0, neginf=0)",
            ),
            "no counts allowed": (" or not pairs.sum() > 0", ""),
            "another error": ("raise ValueError", "raise ArithmeticError"),
            "words without contexts are errors": (
                "not pairs.sum() > 0:",
                "not pairs.sum() > 0 or not pairs.sum(axis=1).all():",
            ),
        },
    ),
    "q6": Question(
        right={
            "where, and einsum": """
def glove_weight(x, x_max=100, alpha=0.75):
    if not x_max > 0:
        raise ValueError("x_max")
    return torch.where(x < x_max, (x / x_max) ** alpha, torch.ones_like(x))
def glove_loss(w, c, b_w, b_c, x, x_max=100, alpha=0.75):
    if w.dim() != 2 or w.shape != c.shape or any(t.shape != (len(w),) for t in (b_w, b_c, x)):
        raise ValueError("shapes")
    if bool((~(x > 0)).any()):
        raise ValueError("x")
    fit = torch.einsum("bd,bd->b", w, c)
    return glove_weight(x, x_max=x_max, alpha=alpha) * (fit + b_w + b_c - torch.log(x)).square()
""",
            "cell by cell": """
def glove_weight(x, x_max=100, alpha=0.75):
    if not x_max > 0:
        raise ValueError("x_max")
    return torch.minimum((x / x_max).pow(alpha), torch.ones_like(x))
def glove_loss(w, c, b_w, b_c, x, x_max=100, alpha=0.75):
    shapes = {tuple(b_w.shape), tuple(b_c.shape), tuple(x.shape)}
    if w.ndim != 2 or w.shape != c.shape or shapes != {(w.shape[0],)}:
        raise ValueError("shapes")
    if not min(x.tolist()) > 0 or x.isnan().any():
        raise ValueError("x")
    f = glove_weight(x, x_max, alpha)
    return torch.stack([f[i] * (w[i] @ c[i] + b_w[i] + b_c[i] - x[i].log()) ** 2 for i in range(len(x))])
""",
        },
        wrong={
            "weight: no limit": (WEIGHT, "(x / x_max).pow(alpha)"),
            "weight: no power": (WEIGHT, "(x / x_max).clamp(max=1)"),
            "weight: always 3/4": ("pow(alpha)", "pow(0.75)"),
            "weight: always 100": ("(x / x_max)", "(x / 100)"),
            "weight: at least 1": ("clamp(max=1)", "clamp(min=1)"),
            "weight: 0 above x_max": (WEIGHT, "(x / x_max).pow(alpha) * (x < x_max)"),
            "weight: limit before the division": (WEIGHT, "x.clamp(max=1).div(x_max).pow(alpha)"),
            "weight: power of x alone": (WEIGHT, "(x.pow(alpha) / x_max).clamp(max=1)"),
            "weight: 1": (WEIGHT, "torch.ones_like(x)"),
            "weight: logarithm": (WEIGHT, "(torch.log1p(x) / math.log1p(x_max)).clamp(max=1)"),
            "weight: upside down": (WEIGHT, "(x_max / x).pow(alpha).clamp(max=1)"),
            "weight: another alpha": (
                "def glove_weight(x, x_max=100, alpha=0.75)",
                "def glove_weight(x, x_max=100, alpha=0.5)",
            ),
            "weight: another x_max": ("def glove_weight(x, x_max=100,", "def glove_weight(x, x_max=10,"),
            "weight: settings swapped": (
                "def glove_weight(x, x_max=100, alpha=0.75)",
                "def glove_weight(x, alpha=0.75, x_max=100)",
            ),
            "weight: x changed": (WEIGHT, "x.div_(x_max).pow(alpha).clamp(max=1)"),
            "weight: x clamped in place": (WEIGHT, "(x.clamp_(max=x_max) / x_max).pow(alpha)"),
            "weight: float64": (WEIGHT, f"{WEIGHT}.double()"),
            "weight: a vector always": (WEIGHT, f"{WEIGHT}.reshape(-1)"),
            "weight: 0 / 0 at 0": (WEIGHT, "(x * (x / x_max).pow(alpha) / x).clamp(max=1)"),
            "weight: x_max not checked": ("if not x_max > 0:", "if False:"),
            "weight: nan allowed": ("if not x_max > 0:", "if x_max <= 0:"),
            "weight: x itself where nothing changes": (
                "    return " + WEIGHT,
                "    if x_max == alpha == 1 and (x <= 1).all():\n        return x\n    return " + WEIGHT,
            ),
            "loss: a sum": (
                "return glove_weight(x, x_max, alpha) * error**2",
                "return (glove_weight(x, x_max, alpha) * error**2).sum()",
            ),
            "loss: a mean": (
                "return glove_weight(x, x_max, alpha) * error**2",
                "return (glove_weight(x, x_max, alpha) * error**2).mean()",
            ),
            "loss: half": (
                "glove_weight(x, x_max, alpha) * error**2",
                "0.5 * glove_weight(x, x_max, alpha) * error**2",
            ),
            "loss: no weight": ("glove_weight(x, x_max, alpha) * error**2", "error**2"),
            "loss: not squared": ("error**2", "error"),
            "loss: absolute": ("error**2", "error.abs()"),
            "loss: the weight squared too": (
                "glove_weight(x, x_max, alpha) * error**2",
                "(glove_weight(x, x_max, alpha) * error) ** 2",
            ),
            "loss: settings not passed on": ("glove_weight(x, x_max, alpha) *", "glove_weight(x) *"),
            "loss: settings of its own swapped": (
                "c, b_w, b_c, x, x_max=100, alpha=0.75)",
                "c, b_w, b_c, x, alpha=0.75, x_max=100)",
            ),
            "loss: alpha not passed on": ("glove_weight(x, x_max, alpha) *", "glove_weight(x, x_max) *"),
            "loss: count, not its logarithm": ("- x.log()", "- x"),
            "loss: log(1 + x)": ("- x.log()", "- torch.log1p(x)"),
            "loss: base 2": ("- x.log()", "- x.log2()"),
            "loss: base 10": ("- x.log()", "- x.log10()"),
            "loss: plus the logarithm": ("- x.log()", "+ x.log()"),
            "loss: no bias of the word": ("+ b_w + b_c", "+ b_c"),
            "loss: no bias of the context": ("+ b_w + b_c", "+ b_w"),
            "loss: bias subtracted": ("+ b_w + b_c", "+ b_w - b_c"),
            "loss: biases multiplied": ("+ b_w + b_c", "+ b_w * b_c"),
            "loss: biases detached": ("+ b_w + b_c", "+ (b_w + b_c).detach()"),
            "loss: contexts detached": ("(w * c)", "(w * c.detach())"),
            "loss: mean over dimensions": ("(w * c).sum(dim=1)", "(w * c).mean(dim=1)"),
            "loss: all with all": ("(w * c).sum(dim=1)", "(w @ c.T).sum(dim=1)"),
            "loss: distance": ("(w * c).sum(dim=1)", "-((w - c) ** 2).sum(dim=1)"),
            "loss: float32": (
                "return glove_weight(x, x_max, alpha) * error**2",
                "return (glove_weight(x, x_max, alpha) * error**2).float()",
            ),
            "loss: zeros allowed": ("if not (x > 0).all():", "if not (x >= 0).all():"),
            "loss: nan allowed": ("if not (x > 0).all():", "if (x <= 0).any():"),
            "loss: zeros skipped": (
                "if not (x > 0).all():",
                "if False:",
                "- x.log()",
                "- x.clamp(min=1e-8).log()",
            ),
            "loss: shapes of vectors not checked": (
                "w.ndim != 2 or c.shape != w.shape or not b_w.shape",
                "not b_w.shape",
            ),
            "loss: shapes of biases not checked": (
                " or not b_w.shape == b_c.shape == x.shape == w.shape[:1]",
                "",
            ),
            "loss: x changed": (
                "- x.log()",
                "- x.log_()",
                "glove_weight(x, x_max, alpha) * error",
                "glove_weight(x.exp(), x_max, alpha) * error",
            ),
            "loss: another error": (
                'raise ValueError("glove_loss: a',
                'raise FloatingPointError("glove_loss: a',
            ),
        },
    ),
    "q7": Question(
        right={
            "sorted, one question at a time": """
def nearest(vectors, query, number=10, exclude=()):
    if number < 1 or not np.any(query):
        raise ValueError("query or number")
    out = {int(i) for i in exclude}
    scores = unit(vectors) @ unit(query)
    order = sorted((i for i in range(len(vectors)) if i not in out), key=lambda i: (-scores[i], i))
    return np.array(order[:number], dtype=np.int64)
def analogy(vectors, a, b, c):
    if len({len(a), len(b), len(c)}) != 1:
        raise ValueError("lengths")
    rows, answers = unit(vectors), []
    for i, j, k in zip(a, b, c):
        scores = rows @ (rows[j] - rows[i] + rows[k])
        scores[[i, j, k]] = -np.inf
        answers.append(int(scores.argmax()))
    return np.array(answers, dtype=np.int64)
""",
            "lexsort and put_along_axis": """
def nearest(vectors, query, number=10, exclude=()):
    query = np.asarray(query, dtype=float)
    if number < 1 or np.linalg.norm(query) == 0:
        raise ValueError("query or number")
    lengths = np.linalg.norm(vectors, axis=1)
    scores = np.divide(vectors @ query, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    keep = np.ones(len(vectors), dtype=bool)
    keep[[int(i) for i in exclude]] = False
    order = np.lexsort((np.arange(len(vectors)), -scores))
    return order[keep[order]][:number]
def analogy(vectors, a, b, c):
    a, b, c = map(np.asarray, (a, b, c))
    if not a.shape == b.shape == c.shape:
        raise ValueError("lengths")
    rows = unit(vectors)
    scores = rows @ (rows[b] - rows[a] + rows[c]).T
    np.put_along_axis(scores, np.stack([a, b, c]), -np.inf, axis=0)
    return scores.argmax(axis=0)
""",
        },
        wrong={
            "nearest: dot products": ("unit(vectors)[left] @", "vectors[left] @"),
            "nearest: distance": (
                "unit(vectors)[left] @ unit(query)",
                "-np.linalg.norm(vectors[left] - query, axis=1)",
            ),
            "nearest: absolute cosines": (
                "unit(vectors)[left] @ unit(query)",
                "np.abs(unit(vectors)[left] @ unit(query))",
            ),
            "nearest: 0 is nearest (a source's reading)": (
                "unit(vectors)[left] @ unit(query)",
                "-np.abs(unit(vectors)[left] @ unit(query))",
            ),
            "nearest: cosine of the dot product": (
                "unit(vectors)[left] @ unit(query)",
                "np.cos(vectors[left] @ query)",
            ),
            "nearest: farthest first": ("np.argsort(-cosines", "np.argsort(cosines"),
            "nearest: worst of the best first": (NEAR, NEAR + "[::-1]"),
            "nearest: of equals the higher id": (
                NEAR,
                'left[np.argsort(cosines, kind="stable")[::-1][:number]]',
            ),
            "nearest: nothing left out": ("list(exclude))", "[])"),
            "nearest: only the first left out": ("list(exclude))", "list(exclude)[:1])"),
            "nearest: left out after the cut": (
                "left = np.setdiff1d(np.arange(len(vectors)), list(exclude))",
                "left = np.arange(len(vectors))",
                "    return " + NEAR,
                "    found = " + NEAR + "\n    return found[~np.isin(found, list(exclude))]",
            ),
            "nearest: left out come last": (
                "left = np.setdiff1d(np.arange(len(vectors)), list(exclude))",
                "left = np.arange(len(vectors))",
                "    return " + NEAR,
                "    cosines[list(exclude)] = -np.inf\n    return " + NEAR,
            ),
            "nearest: sets are no collections": ("list(exclude))", "np.asarray(exclude, dtype=int))"),
            "nearest: np.isin of a set": (
                "np.setdiff1d(np.arange(len(vectors)), list(exclude))",
                "np.arange(len(vectors))[~np.isin(np.arange(len(vectors)), exclude)]",
            ),
            "nearest: places, not ids": (NEAR, 'np.argsort(-cosines, kind="stable")[:number]'),
            "nearest: the best is skipped": (NEAR, NEAR.replace("[:number]", "[1 : number + 1]")),
            "nearest: one too many": (NEAR, NEAR.replace("[:number]", "[: number + 1]")),
            "nearest: always ten": (NEAR, NEAR.replace("[:number]", "[:10]")),
            "nearest: another default": ("number=10", "number=5"),
            "nearest: cosines": (NEAR, "np.sort(cosines)[::-1][:number]"),
            "nearest: a list": (NEAR, NEAR + ".tolist()"),
            "nearest: int32": (NEAR, NEAR + ".astype(np.int32)"),
            "nearest: zeros are nan": (
                "unit(vectors)[left] @",
                "(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))[left] @",
            ),
            "nearest: zeros come last": (
                NEAR,
                NEAR.replace("-cosines", "-np.where(vectors[left].any(axis=1), cosines, -2)"),
            ),
            "nearest: vectors changed": (
                "    cosines = ",
                "    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)\n    cosines = ",
            ),
            "nearest: query changed": (
                "    cosines = ",
                "    query /= np.linalg.norm(query)\n    cosines = ",
            ),
            "nearest: a query of zeros allowed": ("not query.any() or ", ""),
            "nearest: 0 allowed": (" or number < 1", " or number < 0"),
            "nearest: numbers not checked": (" or number < 1", ""),
            "nearest: too large a number is an error": (
                " or number < 1",
                " or number < 1 or number > len(vectors)",
            ),
            "analogy: a − b + c": (
                "vectors[b] - vectors[a] + vectors[c]",
                "vectors[a] - vectors[b] + vectors[c]",
            ),
            "analogy: b − a − c": (
                "vectors[b] - vectors[a] + vectors[c]",
                "vectors[b] - vectors[a] - vectors[c]",
            ),
            "analogy: b + c": ("vectors[b] - vectors[a] + vectors[c]", "vectors[b] + vectors[c]"),
            "analogy: the neighbor of c": ("vectors[b] - vectors[a] + vectors[c]", "vectors[c]"),
            "analogy: the neighbor of b": ("vectors[b] - vectors[a] + vectors[c]", "vectors[b]"),
            "analogy: c − a": ("vectors[b] - vectors[a] + vectors[c]", "vectors[c] - vectors[a]"),
            "analogy: lengths of the rows count": ("    vectors = unit(vectors)\n", ""),
            "analogy: lengths count in the sum": (
                "    vectors = unit(vectors)\n",
                "",
                TARGET,
                "unit(vectors[b] - vectors[a] + vectors[c]) @ unit(vectors).T",
            ),
            "analogy: nothing left out": (OUT, ""),
            "analogy: c alone left out": ("for words in (a, b, c):", "for words in (c,):"),
            "analogy: a stays": ("for words in (a, b, c):", "for words in (b, c):"),
            "analogy: b stays": ("for words in (a, b, c):", "for words in (a, c):"),
            "analogy: c stays": ("for words in (a, b, c):", "for words in (a, b):"),
            "analogy: words of all questions left out": (
                "scores[np.arange(len(scores)), words] = -np.inf",
                "scores[:, words] = -np.inf",
            ),
            "analogy: left out by 0": ("words] = -np.inf", "words] = 0"),
            "analogy: distance": (
                TARGET,
                "-((vectors[None] - unit(vectors[b] - vectors[a] + vectors[c])[:, None]) ** 2).sum(-1) * (1 + 0 * vectors.any()) + 2 * (~vectors.any(axis=1))",
            ),
            "analogy: 3CosMul": (
                TARGET,
                "(lambda s: s(b) * s(c) / (s(a) + 0.001))(lambda words: (vectors[words] @ vectors.T + 1) / 2)",
            ),
            "analogy: absolute cosines": (TARGET, f"np.abs({TARGET})"),
            "analogy: farthest": (
                "scores.argmax(axis=1)",
                "np.where(np.isinf(scores), np.inf, scores).argmin(axis=1)",
            ),
            "analogy: second best": ("scores.argmax(axis=1)", "np.argsort(-scores, axis=1)[:, 1]"),
            "analogy: of equals the higher id": (
                "scores.argmax(axis=1)",
                "scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1)",
            ),
            "analogy: a list": ("scores.argmax(axis=1)", "scores.argmax(axis=1).tolist()"),
            "analogy: int32": ("scores.argmax(axis=1)", "scores.argmax(axis=1).astype(np.int32)"),
            "analogy: a column": ("scores.argmax(axis=1)", "scores.argmax(axis=1, keepdims=True)"),
            "analogy: zeros are nan": (
                "    vectors = unit(vectors)\n",
                "    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)\n",
            ),
            "analogy: vectors changed": ("    vectors = unit(vectors)\n", "    vectors[:] = unit(vectors)\n"),
            "analogy: lengths not checked": ("if not len(a) == len(b) == len(c):", "if False:"),
            "analogy: two lengths checked": ("if not len(a) == len(b) == len(c):", "if len(a) != len(c):"),
            "analogy: half precision": (TARGET, f"({TARGET}).round(2)"),
        },
    ),
}
