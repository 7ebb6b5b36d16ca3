"""Lab 10's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

HOT = "if not 0 < temperature < math.inf:"
TOP = "top = v.detach().amax(dim=-1, keepdim=True)"
LOG = "return ((v - top) / temperature).log_softmax(dim=-1)"
EXP = "return log_soft_targets(v, temperature).exp()"

SHAPES = "if z.shape != v.shape:"
SHAPES_SAID = 'f"student and teacher have logits {tuple(z.shape)} and {tuple(v.shape)}: use one vocabulary of the same size"'
EVERY = "mask = torch.ones(z.shape[:-1], dtype=torch.bool, device=z.device) if mask is None else mask"
MASKED = "if mask.shape != z.shape[:-1] or not mask.any():"
LOG_P = "log_p = log_soft_targets(v.detach()[mask], temperature)"
LOG_Q = "log_q = log_soft_targets(z[mask], temperature)"
KL = "return temperature**2 * (log_p.exp() * (log_p - log_q)).sum(dim=-1).mean()"

WIDTHS = "if h.shape != g.shape:"
PLACES = "if mask.shape != h.shape[:-1] or not mask.any():"
CHOSEN = "a, b = h[mask], g.detach()[mask]"
UNIT = "a, b = (x / x.norm(dim=-1, keepdim=True).clamp_min(1e-12) for x in (a, b))"
COSINE = "return (1 - (a * b).sum(dim=-1)).mean()"

WEIGHTS = "if not set(weights) <= set(known) or not all(0 <= w < math.inf for w in weights.values()):"
ABOVE = "weights = {name: weight for name, weight in weights.items() if weight > 0}"
NONE = "if not weights:"
SOFT = 'parts["distillation"] = distillation_loss(z, v, temperature, mask if z.ndim == 3 else None)'
THERE = "there = labels != -100"
TOTAL = 'total = F.cross_entropy(student["logits"][there], labels[there], reduction="sum")'
HARD = 'parts["hard"] = total / there.sum().clamp_min(1)'
ALIKE = 'parts["cosine"] = cosine_loss(student["hidden"], teacher["hidden"], mask)'
SUM = "loss = sum(weights[name] * part for name, part in parts.items())"
BOTH = "return loss, {name: part.detach() for name, part in parts.items()}"

COUNT = 'count = 1 + max(int(name.split(".")[2]) for name in state if name.startswith("encoder.layer."))'
LAYER = "if not 0 <= layer < count:"
LAYER_SAID = 'f"the teacher has no layer {layer}; it has {count}, from 0 on"'
EMPTY = "if not len(layers):"
FOLD = "if fold:"
ROW = 'row = state["embeddings.token_type_embeddings.weight"][0]'
ADDED = 'found["embeddings.position_embeddings.weight"] = state[f"embeddings.{parts[1]}"] + row'
SOURCE = 'source = state[f"encoder.layer.{old}.{theirs}.{kind}"]'
PUT = 'found[f"transformer.layer.{new}.{ours}.{kind}"] = source'
COPIES = "return {name: tensor.detach().clone() for name, tensor in found.items()}"

FINITE_W = "if not W.isfinite().all():"
SCALE_W = "scale = W.abs().amax(dim=1) / 127"
ZERO_W = "scale = torch.where(scale > 0, scale, torch.ones_like(scale))"
Q_W = "return (W / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale"
FINITE_X = "if not x.isfinite().all():"
RANGE = "low, high = x.amin().clamp_max(0), x.amax().clamp_min(0)"
SCALE_X = "scale = (high - low) / 255"
ONE_X = "scale = scale if scale > 0 else torch.ones_like(scale)"
ZERO = "zero = (-low / scale).round()"
Q_X = "Q = ((x / scale).round() + zero).clamp(0, 255)"
GIVE_X = "return Q.to(torch.uint8), scale, zero.to(torch.int64)"
WHOLE = "whole, step, zero = quantize_input(x)"
SUMS = "sums = (whole.double() - zero) @ Q.double().T  # float64 holds integers up to 2**53 exactly"
BACK = "y = sums.float() * (step * scale)"
BIAS = "return y if bias is None else y + bias"

FLOOR = "floor = torch.zeros(len(teacher)) if floor is None else floor"
LENGTHS = "if len({len(student), len(teacher), len(floor)}) > 1 or len(teacher) < 2 or resamples < 1:"
DOUBLE = "s, t, f = (scores.double() for scores in (student, teacher, floor))"
FINITE = "if not all(scores.isfinite().all() for scores in (s, t, f)):"
BETTER = "if not t.mean() > f.mean():"
ROWS = "rows = torch.randint(len(t), (resamples, len(t)), generator=generator)"
OVER = "above = (t[rows] - f[rows]).mean(dim=1)"
SHARES = "shares = ((s[rows] - f[rows]).mean(dim=1) / above)[above > 0]"
NANS = "ends = [math.nan] * 2"
SOME = "if len(shares):"
ENDS = "ends = shares.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()"
SHARE = "return ((s - f).mean() / (t - f).mean()).item(), *ends"

QUESTIONS = {
    "q1": Question(
        right={
            "exponentials and a sum": """
def soft_targets(v, temperature):
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError("give a temperature above 0")
    odds = ((v - v.max(dim=-1, keepdim=True).values.detach()) / temperature).exp()
    return odds / odds.sum(dim=-1, keepdim=True)


def log_soft_targets(v, temperature):
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError("give a temperature above 0")
    shifted = (v - v.max(dim=-1, keepdim=True).values.detach()) / temperature
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
""",
            "torch's softmax in float64": """
def log_soft_targets(v, temperature):
    if temperature != temperature or temperature <= 0 or temperature == float("inf"):
        raise ValueError(f"{temperature} is no temperature above 0")
    return (v.double() / temperature).log_softmax(-1).to(v.dtype)


def soft_targets(v, temperature):
    if temperature != temperature or temperature <= 0 or temperature == float("inf"):
        raise ValueError(f"{temperature} is no temperature above 0")
    return (v.double() / temperature).softmax(-1).to(v.dtype)
""",
            "softmax of the shifted": """
def log_soft_targets(v, temperature):
    if not 0 < temperature or temperature > 1e300:
        raise ValueError("no temperature above 0")
    return F.log_softmax((v - v.amax(-1, keepdim=True)) / temperature, dim=-1)


def soft_targets(v, temperature):
    if not 0 < temperature or temperature > 1e300:
        raise ValueError("no temperature above 0")
    return F.softmax((v - v.amax(-1, keepdim=True)) / temperature, dim=-1)
""",
            "rows in a loop": """
def log_soft_targets(v, temperature):
    if not (temperature > 0 and temperature < float("inf")):
        raise ValueError("bad T")
    rows = v.reshape(-1, v.shape[-1])
    out = torch.stack([F.log_softmax((r - r.max()) / temperature, 0) for r in rows])
    return out.reshape(v.shape)
def soft_targets(v, temperature):
    if not (temperature > 0 and temperature < float("inf")):
        raise ValueError("bad T")
    rows = v.reshape(-1, v.shape[-1])
    return torch.stack([F.softmax((r - r.max()) / temperature, 0) for r in rows]).reshape(v.shape)
""",
            "logsumexp in float64": """
def log_soft_targets(v, temperature):
    T = float(temperature)
    if math.isnan(T) or math.isinf(T) or T <= 0:
        raise ValueError(f"temperature {T}")
    w = v.double()
    w = (w - w.max(-1, keepdim=True)[0]) / T
    return (w - torch.logsumexp(w, -1, keepdim=True)).to(v.dtype)
def soft_targets(v, temperature):
    return torch.exp(log_soft_targets(v, temperature))
""",
        },
        wrong={
            "no check of the temperature": (HOT, "if False:"),
            "below 1 one maximum for all rows": (
                TOP,
                "top = v.detach().amax(dim=-1, keepdim=True) if temperature >= 1 else v.detach().max()",
            ),
            "0 allowed": (HOT, "if not 0 <= temperature < math.inf:"),
            "infinity allowed": (HOT, "if not 0 < temperature:"),
            "nan allowed": (HOT, "if temperature <= 0 or temperature == math.inf:"),
            "negative allowed": (HOT, "if temperature == 0 or not abs(temperature) < math.inf:"),
            "below 1 refused": (HOT, "if not 1 <= temperature < math.inf:"),
            "small temperatures refused": (HOT, "if not 1e-3 < temperature < math.inf:"),
            "large temperatures refused": (HOT, "if not 0 < temperature < 1000:"),
            "another error": ("raise ValueError(", "raise TypeError("),
            "no message": (
                'raise ValueError(f"the temperature is {temperature}; give a finite number above 0")',
                "raise ValueError",
            ),
            "the absolute temperature": (
                HOT,
                "temperature = abs(temperature)\n    if not 0 < temperature < math.inf:",
            ),
            "multiplied": (LOG, LOG.replace("/ temperature", "* temperature")),
            "forgotten": (LOG, LOG.replace("/ temperature", "")),
            "the root of T": (LOG, LOG.replace("/ temperature", "/ temperature**0.5")),
            "T squared": (LOG, LOG.replace("/ temperature", "/ temperature**2")),
            "after the softmax": (LOG, "return (v - top).log_softmax(dim=-1) / temperature"),
            "whole temperatures": (LOG, LOG.replace("/ temperature", "/ max(1, int(temperature))")),
            "over the first axis": (LOG, LOG.replace("dim=-1", "dim=0")),
            "over axis 1": (LOG, LOG.replace("dim=-1", "dim=min(1, v.ndim - 1)")),
            "over all axes": (LOG, "return ((v - top) / temperature).flatten().log_softmax(0).view(v.shape)"),
            "divided before the shift": (LOG, "return (v / temperature).log_softmax(dim=-1)"),
            "logarithm of the softmax": (LOG, LOG.replace(".log_softmax(dim=-1)", ".softmax(dim=-1).log()")),
            "a little added before the logarithm": (
                LOG,
                "return (((v - top) / temperature).softmax(dim=-1) + 1e-9).log()",
            ),
            "clamped logarithm": (LOG, LOG + ".clamp_min(-100.0)"),
            "no shift at all": (
                LOG,
                "odds = (v / temperature).exp()\n    return (odds / odds.sum(dim=-1, keepdim=True)).log()",
            ),
            "shift by the mean": (TOP, "top = v.detach().mean(dim=-1, keepdim=True)"),
            "shift by the largest of all": (TOP, "top = v.detach().amax()"),
            "clamped logits": (LOG, "return (v.clamp(-1e4, 1e4) / temperature).log_softmax(dim=-1)"),
            "ruled-out classes revived": (LOG, LOG.replace("(v - top)", "(v - top).clamp_min(-1e4)")),
            "base 2": (LOG, LOG + " / math.log(2)"),
            "the other sign": (LOG, LOG.replace("(v - top)", "(top - v)")),
            "nan taken out": (LOG, LOG.replace("(v - top)", "(v - top).nan_to_num(0.0)")),
            "float32 always": (LOG, LOG.replace("(v - top)", "(v - top).float()")),
            "float64 always": (LOG, LOG.replace("(v - top)", "(v - top).double()")),
            "no gradient": (LOG, LOG.replace("(v - top)", "(v - top).detach()")),
            "the logits changed": (LOG, "v.data -= top\n    return (v / temperature).log_softmax(dim=-1)"),
            "soft targets: logarithms": (EXP, EXP.replace(".exp()", "")),
            "soft targets: powers of 2": (EXP, EXP.replace(".exp()", ".exp2()")),
            "soft targets: T = 1": (EXP, "return log_soft_targets(v, 1.0).exp()"),
            "soft targets: rounded": (EXP, EXP + ".round(decimals=3)"),
            "soft targets: no gradient": (EXP, EXP.replace("(v, temp", "(v.detach(), temp")),
            "soft targets: powers of the softmax": (
                EXP,
                "log_soft_targets(v, temperature)\n    p = v.softmax(-1) ** (1 / temperature)\n    return p / p.sum(-1, keepdim=True)",
            ),
            "soft targets: not normalized": (
                EXP,
                "log_soft_targets(v, temperature)\n    return v.softmax(-1) ** (1 / temperature)",
            ),
            "float16 made float32": (
                LOG,
                "out = ((v - top) / temperature).log_softmax(dim=-1)\n    return out.float() if v.dtype == torch.float16 else out",
            ),
            "bfloat16 made float32": (
                LOG,
                "out = ((v - top) / temperature).log_softmax(dim=-1)\n    return out.float() if v.dtype == torch.bfloat16 else out",
            ),
            "axes of length 1 lost": (LOG, LOG + ".squeeze()"),
            "two axes only": (LOG, "assert v.ndim == 2\n    " + LOG),
            "float32 within": (LOG, LOG.replace("(v - top)", "(v - top).float()") + ".to(v.dtype)"),
            "logarithm cut at the smallest number": (LOG, LOG + ".clamp_min(torch.finfo(v.dtype).min)"),
            "gradient without 1/T": (
                LOG,
                "w = v - top\n    w = w / temperature + (w - w.detach()).nan_to_num() * (1 - 1 / temperature)\n    return w.log_softmax(dim=-1)",
            ),
            "gradient of the logits": (
                LOG,
                "out = ((v - top) / temperature).log_softmax(dim=-1)\n    return v - v.detach() + out.detach() if v.isfinite().all() else out",
            ),
            "remembered by shape": (
                LOG,
                "known = log_soft_targets.__dict__\n    key = (v.shape, temperature)\n    known.setdefault(key, ((v - top) / temperature).log_softmax(dim=-1))\n    return known[key]",
            ),
            "temperature rounded": (TOP, "temperature = round(temperature, 2)\n    " + TOP),
            "temperature at least 0.001": (TOP, "temperature = max(temperature, 1e-3)\n    " + TOP),
            "temperature at most 100,000": (TOP, "temperature = min(temperature, 1e5)\n    " + TOP),
            "even at infinity": (
                HOT,
                "if temperature == math.inf:\n        return torch.full_like(v, -math.log(v.shape[-1]))\n    "
                + HOT,
            ),
            "soft targets: temperature not checked": (
                EXP,
                "return ((v - v.detach().amax(-1, keepdim=True)) / temperature).softmax(-1)",
            ),
            "soft targets: divided before the shift": (
                EXP,
                "log_soft_targets(v, temperature)\n    return (v / temperature).softmax(-1)",
            ),
            "soft targets: nan taken out": (EXP, EXP + ".nan_to_num(0.0)"),
            "soft targets: float32 within": (
                EXP,
                EXP.replace("(v, temp", "(v.float(), temp") + ".to(v.dtype)",
            ),
        },
    ),
    "q2": Question(
        right={
            "kl_div": """
def distillation_loss(z, v, temperature, mask=None):
    if z.shape != v.shape:
        raise ValueError(f"{z.shape[-1]} classes against {v.shape[-1]}, or other places: {z.shape}, {v.shape}")
    if not 0 < temperature < math.inf:
        raise ValueError("no temperature above 0")
    if mask is not None:
        if mask.shape != z.shape[:-1]:
            raise ValueError("the mask has another shape than the places")
        z, v = z[mask], v[mask]
    z, v = z.reshape(-1, z.shape[-1]), v.reshape(-1, v.shape[-1]).detach()
    if len(z) == 0:
        raise ValueError("no real place")
    q, p = F.log_softmax(z / temperature, -1), F.log_softmax(v / temperature, -1)
    return F.kl_div(q, p, reduction="batchmean", log_target=True) * temperature * temperature
""",
            "cross-entropy minus entropy, padding replaced": """
def distillation_loss(z, v, temperature, mask=None):
    if tuple(z.shape) != tuple(v.shape):
        raise ValueError(f"student {tuple(z.shape)}, teacher {tuple(v.shape)}")
    if mask is None:
        mask = z.new_ones(z.shape[:-1]).bool()
    if tuple(mask.shape) != tuple(z.shape[:-1]) or int(mask.sum()) == 0:
        raise ValueError("the mask does not fit, or no place is real")
    zero = torch.zeros((), dtype=z.dtype)
    z = torch.where(mask[..., None], z, zero)
    with torch.no_grad():
        p = log_soft_targets(torch.where(mask[..., None], v, zero), temperature)
        entropy = -(p.exp() * p).sum(-1)
    cross = -(p.exp() * log_soft_targets(z, temperature)).sum(-1)
    return temperature**2 * ((cross - entropy) * mask).sum() / mask.sum()
""",
            "places in a loop": """
def distillation_loss(z, v, temperature, mask=None):
    if z.shape != v.shape:
        raise ValueError(f"{z.shape} {v.shape}")
    if not temperature > 0 or math.isinf(temperature):
        raise ValueError("T")
    if mask is None:
        mask = torch.full(z.shape[:-1], True)
    if mask.shape != z.shape[:-1] or mask.sum() < 1:
        raise ValueError("mask")
    zs, vs, ms = z.reshape(-1, z.shape[-1]), v.detach().reshape(-1, v.shape[-1]), mask.reshape(-1)
    total, n = 0.0, 0
    for a, b, ok in zip(zs, vs, ms):
        if ok:
            lp, lq = log_soft_targets(b, temperature), log_soft_targets(a, temperature)
            total = total + (soft_targets(b, temperature) * (lp - lq)).sum()
            n += 1
    return total * temperature * temperature / n
""",
            "einsum, padding filled": """
def distillation_loss(z, v, temperature, mask=None):
    if z.shape != v.shape:
        raise ValueError(f"{z.shape[-1]} and {v.shape[-1]} classes")
    if mask is not None and mask.shape != z.shape[:-1]:
        raise ValueError("mask")
    m = torch.ones(z.shape[:-1], dtype=bool) if mask is None else mask
    if m.sum() == 0:
        raise ValueError("none")
    with torch.no_grad():
        lp = log_soft_targets(v.masked_fill(~m.unsqueeze(-1), 0.0), temperature)
    lq = log_soft_targets(z.masked_fill(~m.unsqueeze(-1), 0.0), temperature)
    per = torch.einsum("...k,...k->...", lp.exp(), lp - lq)
    w = m.to(z.dtype)
    return temperature**2 * torch.dot(per.flatten(), w.flatten()) / w.sum()
""",
        },
        wrong={
            "places of nan left out of the mean": (KL, KL.replace(".mean()", ".nanmean()")),
            "no T squared": (KL, KL.replace("temperature**2 * ", "")),
            "T once": (KL, KL.replace("temperature**2", "temperature")),
            "divided by T squared": (KL, KL.replace("temperature**2 * ", "temperature**-2 * ")),
            "T to the third": (KL, KL.replace("temperature**2", "temperature**3")),
            "the minus sign lost": (KL, KL.replace("(log_p - log_q)", "(log_q - log_p)")),
            "the cross-entropy": (KL, KL.replace("(log_p - log_q)", "(-log_q)")),
            "the cross-entropy without minus": (KL, KL.replace("(log_p - log_q)", "log_q")),
            "the other direction": (
                KL,
                KL.replace("log_p.exp() * (log_p - log_q)", "log_q.exp() * (log_q - log_p)"),
            ),
            "both directions": (KL, KL.replace("log_p.exp() *", "(log_p.exp() - log_q.exp()) *")),
            "squared distance": (
                KL,
                KL.replace("log_p.exp() * (log_p - log_q)", "(log_p.exp() - log_q.exp()) ** 2"),
            ),
            "mean over classes too": (KL, KL.replace(".sum(dim=-1)", "")),
            "sum over places": (KL, KL.replace(".sum(dim=-1).mean()", ".sum()")),
            "mean over the batch": (KL, KL.replace(".sum(dim=-1).mean()", ".sum() / len(z)")),
            "mean over all places": (KL, KL.replace(".sum(dim=-1).mean()", ".sum() / mask.numel()")),
            "one number a place": (KL, KL.replace(".sum(dim=-1).mean()", ".sum(dim=-1)")),
            "base 2": (KL, KL + " / math.log(2)"),
            "the median": (KL, KL.replace(".mean()", ".median()")),
            "clamped at 0": (KL, KL.replace("(log_p - log_q)", "(log_p - log_q).clamp_min(0)")),
            "nan taken out": (
                KL,
                "return (temperature**2 * (log_p.exp() * (log_p - log_q)).sum(dim=-1)).nanmean()",
            ),
            "logarithms of rounded numbers": (
                KL,
                "p, q = log_p.exp(), log_q.exp()\n    return temperature**2 * (p * (p / q).log()).sum(dim=-1).mean()",
            ),
            "clamped logarithms": (
                KL,
                KL.replace("(log_p - log_q)", "(log_p.clamp_min(-50) - log_q.clamp_min(-50))"),
            ),
            "the teacher learns": (LOG_P, LOG_P.replace(".detach()", "")),
            "the student does not": (LOG_Q, LOG_Q.replace("z[mask]", "z.detach()[mask]")),
            "the teacher at T = 1": (LOG_P, LOG_P.replace("temperature)", "1.0)")),
            "the student at T = 1": (LOG_Q, LOG_Q.replace("temperature)", "1.0)")),
            "the teacher's best guess": (
                LOG_P,
                "log_p = F.one_hot(v.detach()[mask].argmax(-1), v.shape[-1]).to(z.dtype).clamp_min(1e-12).log()",
            ),
            "padding counted": (LOG_P, "mask = mask | True\n    " + LOG_P),
            "padding multiplied by 0": (
                KL,
                "p, q = (log_soft_targets(x * mask[..., None], temperature) for x in (v.detach(), z))\n    return temperature**2 * (p.exp() * (p - q)).sum() / mask.sum()",
            ),
            "padding multiplied at the end": (
                KL,
                "p, q = (log_soft_targets(x, temperature) for x in (v.detach(), z))\n    return temperature**2 * ((p.exp() * (p - q)).sum(-1) * mask).sum() / mask.sum()",
            ),
            "padding found by its nan": (LOG_Q, "z = z.nan_to_num(0.0)\n    " + LOG_Q),
            "the other places": (LOG_P, "mask = ~mask | ~mask.any()\n    " + LOG_P),
            "mask of the first text": (
                LOG_P,
                "mask = (mask & mask[:1]) if mask.ndim > 1 else mask\n    " + LOG_P,
            ),
            "shapes not checked": (SHAPES, "if False:"),
            "only the vocabulary checked": (SHAPES, "if z.shape[-1] != v.shape[-1]:"),
            "only the places checked": (SHAPES, "if z.shape[:-1] != v.shape[:-1]:"),
            "vocabularies cut to the smaller": (
                SHAPES,
                "z, v = z[..., : v.shape[-1]], v[..., : z.shape[-1]]\n    if z.shape != v.shape:",
            ),
            "a message without numbers": (SHAPES_SAID, '"two vocabularies"'),
            "a message with one number": (
                SHAPES_SAID,
                'f"the student has {z.shape[-1]} classes, the teacher not"',
            ),
            "no message": (f"raise ValueError(\n            {SHAPES_SAID}\n        )", "raise ValueError"),
            "an assertion": (SHAPES, "assert z.shape == v.shape, (z.shape, v.shape)\n    if False:"),
            "mask not checked": (MASKED, "if False:"),
            "mask that broadcasts": (
                MASKED,
                "mask = mask.expand(z.shape[:-1]) if mask.ndim == z.ndim - 1 else mask\n    " + MASKED,
            ),
            "no real place allowed": (MASKED, "if mask.shape != z.shape[:-1]:"),
            "mask's shape not checked": (MASKED, "if not mask.any():"),
            "0 where no place is real": (
                MASKED,
                "if not mask.any():\n        return z[mask].sum()\n    " + MASKED,
            ),
            "a mask is always needed": (EVERY, "mask = mask.clone()"),
            "mask of places with a nan": (EVERY, EVERY + "\n    mask = mask & z.isfinite().all(-1)"),
            "the mask changed": (
                EVERY,
                "mask = mask.logical_or_(mask.new_ones(()))"
                + " if mask is not None else torch.ones(z.shape[:-1], dtype=torch.bool)",
            ),
            "the teacher's padding changed": (LOG_P, "v.data[~mask] = 0\n    " + LOG_P),
            "the student's padding changed": (LOG_P, "z.data[~mask] = 0\n    " + LOG_P),
            "the teacher's nan taken out": (LOG_P, "v = v.nan_to_num()\n    " + LOG_P),
            "mean over texts of means": (
                KL,
                "k = (log_p.exp() * (log_p - log_q)).sum(-1)\n    at = mask.nonzero()[:, 0]\n    return temperature**2 * torch.stack([k[at == i].mean() for i in at.unique()]).mean()",
            ),
            "T squared of a whole T": (KL, KL.replace("temperature**2", "int(temperature) ** 2")),
            "T squared at least 1": (KL, KL.replace("temperature**2", "max(1, temperature**2)")),
            "gradient divided by T": (
                KL,
                KL.replace("return", "x =") + "\n    return x.detach() + (x - x.detach()) / temperature",
            ),
            "student's logarithms cut at -10,000": (LOG_Q, LOG_Q + ".clamp_min(-1e4)"),
            "a little added before the logarithm": (
                KL,
                KL.replace("- log_q)", "- (log_q.exp() + 1e-8).log())"),
            ),
            "float32 within": (
                KL,
                KL.replace("log_p.exp() * (log_p - log_q)", "log_p.float().exp() * (log_p - log_q).float()")
                + ".to(z.dtype)",
            ),
            "float64 always": (KL, KL + ".double()"),
            "a number of Python": (KL, KL + ".item()"),
            "shape (1,)": (KL, KL.replace(".mean()", ".mean(0, keepdim=True)")),
            "temperature not checked": (
                LOG_P,
                "log_p = (v.detach()[mask] / temperature).log_softmax(-1)",
                LOG_Q,
                "log_q = (z[mask] / temperature).log_softmax(-1)",
            ),
            "infinite temperature allowed": (
                LOG_P,
                "log_p = (v.detach()[mask] / temperature).log_softmax(-1)",
                LOG_Q,
                "log_q = (z[mask] / temperature).log_softmax(-1)",
                SHAPES,
                "if not temperature > 0:\n        raise ValueError('no temperature above 0')\n    " + SHAPES,
            ),
            "a mask of as many places": (
                MASKED,
                "mask = mask.reshape(z.shape[:-1]) if mask.numel() == z.shape[:-1].numel() else mask\n    "
                + MASKED,
            ),
            "a message with all numbers counted": (SHAPES_SAID, 'f"{z.numel()} and {v.numel()} logits"'),
            "another error for the mask": (
                MASKED,
                'if mask.shape != z.shape[:-1]:\n        raise TypeError("mask")\n    ' + MASKED,
            ),
            "everything refused": (SHAPES, 'raise ValueError("30 and 28, 517 and 911")\n    ' + SHAPES),
            "gradients left off": (
                KL,
                KL.replace("return", "x =") + "\n    torch.set_grad_enabled(False)\n    return x",
            ),
        },
    ),
    "q3": Question(
        right={
            "torch's cosine_embedding_loss": """
def cosine_loss(h, g, mask):
    if h.shape != g.shape:
        raise ValueError(f"student {tuple(h.shape)}, teacher {tuple(g.shape)}")
    if tuple(mask.shape) != tuple(h.shape[:2]) or not bool(mask.any()):
        raise ValueError("the mask does not fit or has no real place")
    return F.cosine_embedding_loss(h[mask], g[mask].detach(), torch.ones(int(mask.sum())))
""",
            "cosine_similarity": """
def cosine_loss(h, g, mask):
    if h.shape != g.shape:
        raise ValueError(f"widths {h.shape[-1]} and {g.shape[-1]}, shapes {tuple(h.shape)} and {tuple(g.shape)}")
    if mask.shape != h.shape[:-1]:
        raise ValueError("mask (B, n)")
    if mask.sum() == 0:
        raise ValueError("no real place")
    return 1 - F.cosine_similarity(h[mask], g[mask].detach(), dim=-1).mean()
""",
            "half of the squared distance of unit vectors": """
def cosine_loss(h, g, mask):
    if tuple(h.shape) != tuple(g.shape):
        raise ValueError(f"{tuple(h.shape)} is not {tuple(g.shape)}")
    if tuple(mask.shape) != tuple(h.shape[:-1]) or not mask.any():
        raise ValueError("a mask (B, n) with a real place is needed")
    zero = torch.zeros((), dtype=h.dtype)
    a, b = (torch.where(mask[..., None], x, zero) for x in (h, g.detach()))
    a, b = (F.normalize(x, dim=-1) for x in (a, b))
    return (((1 - (a * b).sum(-1)) * mask).sum() / mask.sum())
""",
            "places in a loop": """
def cosine_loss(h, g, mask):
    if h.shape != g.shape:
        raise ValueError(f"{h.shape[-1]} and {g.shape[-1]}")
    if tuple(mask.shape) != (h.shape[0], h.shape[1]) or int(mask.sum()) == 0:
        raise ValueError("mask")
    out = []
    for i, j in mask.nonzero().tolist():
        a, b = h[i, j], g[i, j].detach()
        if (a == 0).all() or (b == 0).all():
            out.append(1 + 0 * a.sum())
        else:
            out.append(1 - a @ b / (a.norm() * b.norm()))
    return torch.stack(out).mean()
""",
            "a little added to the length": """
def cosine_loss(h, g, mask):
    if h.shape != g.shape:
        raise ValueError(f"{h.shape} {g.shape}")
    if mask.shape != h.shape[:2] or not mask.any():
        raise ValueError("mask")
    a, b = h[mask], g[mask].detach()
    cos = ((a / (a.norm(dim=-1, keepdim=True) + 1e-8)) * (b / (b.norm(dim=-1, keepdim=True) + 1e-8))).sum(-1)
    return (1 - cos).mean()
""",
        },
        wrong={
            "one minus forgotten": (COSINE, "return (a * b).sum(dim=-1).mean()"),
            "minus the cosine": (COSINE, "return -(a * b).sum(dim=-1).mean()"),
            "a little added to the product of the lengths": (
                UNIT,
                "c = (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1) + 1e-8)",
                COSINE,
                "return (1 - c).mean()",
            ),
            "the product of the lengths at least 1e-5": (
                UNIT,
                "c = (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1)).clamp_min(1e-5)",
                COSINE,
                "return (1 - c).mean()",
            ),
            "one plus": (COSINE, COSINE.replace("1 -", "1 +")),
            "two minus": (COSINE, COSINE.replace("1 -", "2 -")),
            "the absolute cosine": (
                COSINE,
                COSINE.replace("(a * b).sum(dim=-1)", "(a * b).sum(dim=-1).abs()"),
            ),
            "the squared cosine": (COSINE, COSINE.replace("(a * b).sum(dim=-1)", "(a * b).sum(dim=-1) ** 2")),
            "never below 0": (
                COSINE,
                COSINE.replace("(a * b).sum(dim=-1)", "(a * b).sum(dim=-1).clamp_min(0)"),
            ),
            "the angle": (COSINE, "return (a * b).sum(dim=-1).clamp(-1, 1).acos().mean()"),
            "the squared distance": (COSINE, "return ((a - b) ** 2).sum(dim=-1).mean()"),
            "the mean over columns": (COSINE, COSINE.replace(".sum(dim=-1))", ".mean(dim=-1))")),
            "the sum over places": (COSINE, COSINE.replace(").mean()", ").sum()")),
            "one number a place": (COSINE, COSINE.replace(").mean()", ")")),
            "the mean over texts": (COSINE, COSINE.replace(").mean()", ").sum() / len(h)")),
            "the mean over all places": (COSINE, COSINE.replace(").mean()", ").sum() / mask.numel()")),
            "nan taken out": (COSINE, COSINE.replace(".mean()", ".nanmean()")),
            "one direction for all": (
                COSINE,
                "return 1 - F.cosine_similarity(a.flatten(), b.flatten(), dim=0)",
            ),
            "the mean vectors": (COSINE, "return 1 - F.cosine_similarity(a.mean(0), b.mean(0), dim=0)"),
            "lengths not divided out": (UNIT, "pass"),
            "only the student's length": (UNIT, "a = a / a.norm(dim=-1, keepdim=True).clamp_min(1e-12)"),
            "only the teacher's length": (UNIT, "b = b / b.norm(dim=-1, keepdim=True).clamp_min(1e-12)"),
            "length over places": (UNIT, UNIT.replace("dim=-1", "dim=0")),
            "length of all": (UNIT, UNIT.replace("x.norm(dim=-1, keepdim=True)", "x.norm()")),
            "the squared length": (
                UNIT,
                UNIT.replace("x.norm(dim=-1, keepdim=True)", "(x**2).sum(dim=-1, keepdim=True)"),
            ),
            "the sum of columns": (
                UNIT,
                UNIT.replace("x.norm(dim=-1, keepdim=True)", "x.abs().sum(dim=-1, keepdim=True)"),
            ),
            "a large number added to the length": (
                UNIT,
                UNIT.replace(".clamp_min(1e-12)", " + 1e-3")
                .replace("x / x", "x / (x")
                .replace(" for", ") for"),
            ),
            "lengths below one left": (UNIT, UNIT.replace("clamp_min(1e-12)", "clamp_min(1.0)")),
            "zeros divided": (UNIT, UNIT.replace(".clamp_min(1e-12)", "")),
            "zeros left out": (
                UNIT,
                "some = (a != 0).any(-1) & (b != 0).any(-1)\n    a, b = a[some], b[some]\n    " + UNIT,
            ),
            "centered": (UNIT, "a, b = (x - x.mean(dim=-1, keepdim=True) for x in (a, b))\n    " + UNIT),
            "the teacher learns": (CHOSEN, CHOSEN.replace(".detach()", "")),
            "the student does not": (CHOSEN, CHOSEN.replace("h[mask]", "h.detach()[mask]")),
            "padding counted": (CHOSEN, "a, b = h, g.detach()"),
            "padding multiplied by 0": (CHOSEN, "a, b = h * mask[..., None], g.detach() * mask[..., None]"),
            "padding by its value": (
                CHOSEN,
                "a, b = h.nan_to_num(), g.detach().nan_to_num()\n    a, b = a[mask], b[mask]",
            ),
            "real only where finite": (
                CHOSEN,
                "mask = mask & h.isfinite().all(-1) & g.isfinite().all(-1)\n    " + CHOSEN,
            ),
            "the other places": (CHOSEN, CHOSEN.replace("h[mask]", "h[~mask]").replace("[mask]", "[~mask]")),
            "the first place": (CHOSEN, "a, b = h[:, 0], g.detach()[:, 0]"),
            "the first text": (CHOSEN, "a, b = h[0][mask[0]], g.detach()[0][mask[0]]"),
            "the student twice": (CHOSEN, "a, b = h[mask], h.detach()[mask]"),
            "shapes not checked": (WIDTHS, "if False:"),
            "only the widths checked": (WIDTHS, "if h.shape[-1] != g.shape[-1]:"),
            "only the places checked": (WIDTHS, "if h.shape[:-1] != g.shape[:-1]:"),
            "the wider one cut": (
                WIDTHS,
                "h, g = h[..., : g.shape[-1]], g[..., : h.shape[-1]]\n    " + WIDTHS,
            ),
            "a message without widths": (
                'f"the vectors are {tuple(h.shape)} and {tuple(g.shape)}; student and teacher need one width (or a learned projection between them)"',
                '"student and teacher need one width"',
            ),
            "mask not checked": (PLACES, "if False:"),
            "no real place allowed": (PLACES, "if mask.shape != h.shape[:-1]:"),
            "the mask's shape not checked": (PLACES, "if not mask.any():"),
            "0 where no place is real": (
                PLACES,
                "if not mask.any():\n        return h[mask].sum()\n    " + PLACES,
            ),
            "a mask that broadcasts": (
                PLACES,
                "mask = mask.expand(h.shape[:-1]) if mask.ndim < 3 else mask\n    " + PLACES,
            ),
            "the mask changed": (CHOSEN, CHOSEN + "\n    mask.fill_(True)"),
            "the vectors changed": (CHOSEN, "h.data.nan_to_num_(9.0, posinf=9.0)\n    " + CHOSEN),
            "the teacher's vectors changed": (CHOSEN, "g.data.nan_to_num_(9.0, posinf=9.0)\n    " + CHOSEN),
            "a millionth added to the length": (
                UNIT,
                UNIT.replace(
                    "x.norm(dim=-1, keepdim=True).clamp_min(1e-12)", "(x.norm(dim=-1, keepdim=True) + 1e-6)"
                ),
            ),
            "lengths below a hundredth left": (UNIT, UNIT.replace("1e-12", "1e-2")),
            "the root of 0": (
                UNIT,
                UNIT.replace("x.norm(dim=-1, keepdim=True)", "(x * x).sum(dim=-1, keepdim=True).sqrt()"),
            ),
            "two vectors of zeros alike": (
                COSINE,
                "c = (a * b).sum(dim=-1)\n    c = torch.where((a == 0).all(-1) & (b == 0).all(-1), torch.ones_like(c), c)\n    return (1 - c).mean()",
            ),
            "the teacher's zeros divided": (
                UNIT,
                "a = a / a.norm(dim=-1, keepdim=True).clamp_min(1e-12)\n    b = b / b.norm(dim=-1, keepdim=True)",
            ),
            "mean over texts of means": (
                COSINE,
                "c = 1 - (a * b).sum(dim=-1)\n    at = mask.nonzero()[:, 0]\n    return torch.stack([c[at == i].mean() for i in at.unique()]).mean()",
            ),
            "cosines of nan 0": (COSINE, COSINE.replace(".sum(dim=-1)", ".sum(dim=-1).nan_to_num(0.0)")),
            "float64 always": (COSINE, COSINE + ".double()"),
            "float32 always": (COSINE, COSINE + ".float()"),
            "a number of Python": (COSINE, COSINE + ".item()"),
            "a narrower student filled up": (
                WIDTHS,
                "if h.shape[:-1] == g.shape[:-1] and h.shape[-1] < g.shape[-1]:\n        h = F.pad(h, (0, g.shape[-1] - h.shape[-1]))\n    "
                + WIDTHS,
            ),
            "another error": (
                WIDTHS,
                'if h.shape[-1] != g.shape[-1]:\n        raise TypeError(f"{h.shape} {g.shape}")\n    '
                + WIDTHS,
            ),
            "everything refused": (WIDTHS, 'raise ValueError("4 and 7, 384 and 768")\n    ' + WIDTHS),
            "a mask (n, B)": (
                PLACES,
                "mask = mask.T if mask.shape == h.shape[:-1][::-1] else mask\n    " + PLACES,
            ),
            "a mask (B, n, 1)": (
                PLACES,
                "mask = mask[..., 0] if mask.ndim == 3 and mask.shape[-1] == 1 else mask\n    " + PLACES,
            ),
        },
    ),
    "q4": Question(
        right={
            "loss by loss": """
def triple_loss(student, teacher, mask, labels, weights, temperature):
    if not weights or any(name not in ("distillation", "hard", "cosine") for name in weights):
        raise ValueError(f"unknown or no weights: {weights}")
    if any(not (w >= 0 and math.isfinite(w)) for w in weights.values()) or max(weights.values()) <= 0:
        raise ValueError(f"weights are 0 or more, one above 0: {weights}")
    loss, parts = 0.0, {}
    for name, weight in weights.items():
        if weight == 0:
            continue
        if name == "cosine":
            part = cosine_loss(student["hidden"], teacher["hidden"], mask)
        elif name == "distillation":
            z = student["logits"]
            part = distillation_loss(z, teacher["logits"], temperature, None if z.ndim == 2 else mask)
        else:
            rows, right = student["logits"].flatten(0, -2), labels.reshape(-1)
            rows, right = rows[right >= 0], right[right >= 0]
            part = F.cross_entropy(rows, right) if len(right) else rows.sum()
        loss = loss + weight * part
        parts[name] = part.detach().clone()
    return loss, parts
""",
            "what may be missing, by get": """
def triple_loss(student, teacher, mask, labels, weights, temperature):
    if not weights.keys() <= {"distillation", "hard", "cosine"}:
        raise ValueError(f"weights for {list(weights)}: there are distillation, hard and cosine")
    if not all(0 <= w < math.inf for w in weights.values()) or not any(weights.values()):
        raise ValueError(f"weights {list(weights.values())}: from 0 up, finite, one above 0")
    z, v, h, g = (one.get(name) for name in ("logits", "hidden") for one in (student, teacher))
    parts = {}
    if weights.get("distillation"):
        parts["distillation"] = distillation_loss(z, v, temperature, None if z.ndim == 2 else mask)
    if weights.get("hard"):
        asked = labels != -100
        parts["hard"] = F.cross_entropy(z[asked], labels[asked]) if asked.any() else torch.zeros(())
    if weights.get("cosine"):
        parts["cosine"] = cosine_loss(h, g, mask)
    return sum(weights[name] * parts[name] for name in parts), {name: parts[name].detach() for name in parts}
""",
            "log-softmax and gather, floats": """
def triple_loss(student, teacher, mask, labels, weights, temperature):
    allowed = {"distillation", "hard", "cosine"}
    for name in weights:
        if name not in allowed:
            raise ValueError(f"{name} is none of {sorted(allowed)}")
        if not 0 <= weights[name] < float("inf"):
            raise ValueError(f"the weight of {name} is {weights[name]}")
    used = [name for name in weights if weights[name]]
    if len(used) == 0:
        raise ValueError("all weights are 0")
    found = {}
    if "hard" in used:
        z = torch.where((labels == -100)[..., None], torch.zeros((), dtype=student["logits"].dtype), student["logits"])
        nll = -z.log_softmax(-1).gather(-1, labels.clamp_min(0)[..., None])[..., 0]
        found["hard"] = (nll * (labels != -100)).sum() / max(1, int((labels != -100).sum()))
    if "cosine" in used:
        found["cosine"] = cosine_loss(student["hidden"], teacher["hidden"], mask)
    if "distillation" in used:
        at = mask if student["logits"].dim() > 2 else None
        found["distillation"] = distillation_loss(student["logits"], teacher["logits"], temperature, at)
    return torch.stack([weights[n] * found[n] for n in used]).sum(), {n: p.detach() for n, p in found.items()}
""",
            "places in a loop, no gradient without labels": """
def triple_loss(student, teacher, mask, labels, weights, temperature):
    if set(weights) - {"distillation", "hard", "cosine"}:
        raise ValueError("unknown")
    if any(not math.isfinite(w) or w < 0 for w in weights.values()) or sum(weights.values()) == 0:
        raise ValueError("bad weights")
    makers = {
        "distillation": lambda: distillation_loss(student["logits"], teacher["logits"], temperature, mask if student["logits"].ndim == 3 else None),
        "hard": lambda: hard(student["logits"], labels),
        "cosine": lambda: cosine_loss(student["hidden"], teacher["hidden"], mask),
    }
    def hard(z, y):
        lp = [z[tuple(i)].log_softmax(-1)[y[tuple(i)]] for i in (y != -100).nonzero().tolist()]
        return -torch.stack(lp).mean() if lp else torch.tensor(0.0)
    parts = {k: makers[k]() for k, w in weights.items() if w}
    return sum(weights[k] * p for k, p in parts.items()), {k: p.detach() for k, p in parts.items()}
""",
            "padding replaced, torch's ignoring": """
def triple_loss(student, teacher, mask, labels, weights, temperature):
    bad = [k for k in weights if k not in ("distillation", "hard", "cosine")]
    if bad:
        raise ValueError(f"unknown {bad}")
    vals = torch.tensor([float(w) for w in weights.values()])
    if (vals < 0).any() or not vals.isfinite().all():
        raise ValueError("weights must be finite, >= 0")
    if not (vals > 0).any():
        raise ValueError("nothing weighed")
    parts = {}
    if weights.get("distillation", 0) > 0:
        if student["logits"].dim() == 2:
            parts["distillation"] = distillation_loss(student["logits"], teacher["logits"], temperature)
        else:
            parts["distillation"] = distillation_loss(student["logits"], teacher["logits"], temperature, mask)
    if weights.get("hard", 0) > 0:
        z = student["logits"].reshape(-1, student["logits"].shape[-1])
        y = labels.reshape(-1)
        z = torch.where((y == -100)[:, None], torch.zeros_like(z), z)
        if (y == -100).all():
            parts["hard"] = z.sum() * 0
        else:
            parts["hard"] = F.cross_entropy(z, y, ignore_index=-100)
    if weights.get("cosine", 0) > 0:
        parts["cosine"] = cosine_loss(student["hidden"], teacher["hidden"], mask)
    total = 0
    for k in parts:
        total = total + weights[k] * parts[k]
    return total, {k: p.detach() for k, p in parts.items()}
""",
        },
        wrong={
            "weights not checked": (WEIGHTS, "if False:"),
            "unknown names allowed": (WEIGHTS, "if not all(0 <= w < math.inf for w in weights.values()):"),
            "negative weights allowed": (
                WEIGHTS,
                "if not set(weights) <= set(known) or not all(abs(w) < math.inf for w in weights.values()):",
            ),
            "infinite weights allowed": (WEIGHTS, WEIGHTS.replace("0 <= w < math.inf", "0 <= w")),
            "nan weights allowed": (
                WEIGHTS,
                "if not set(weights) <= set(known) or any(w < 0 or w == math.inf for w in weights.values()):",
            ),
            "no weight allowed": (NONE, "if False:"),
            "empty allowed": (NONE, "if not weights and False:"),
            "zeros refused": (WEIGHTS, WEIGHTS.replace("0 <= w", "0 < w")),
            "all three needed": (
                WEIGHTS,
                WEIGHTS.replace("not set(weights) <= set(known)", "set(weights) != set(known)"),
            ),
            "another error": ('raise ValueError(f"the weights are', 'raise KeyError(f"the weights are'),
            "no message": (
                'raise ValueError(f"no weight is above 0; give one of {known} a weight")',
                "raise ValueError",
            ),
            "names in any case": (
                WEIGHTS,
                "weights = {name.lower(): w for name, w in weights.items()}\n    " + WEIGHTS,
            ),
            "zero weights computed": (ABOVE, "pass"),
            "weights normalized": (
                ABOVE,
                ABOVE + "\n    weights = {n: w / sum(weights.values()) for n, w in weights.items()}",
            ),
            "weights ignored": (SUM, "loss = sum(parts.values())"),
            "mean of the parts": (SUM, SUM + " / len(parts)"),
            "weights squared": (SUM, SUM.replace("weights[name] *", "weights[name] ** 2 *")),
            "parts weighted": (
                BOTH,
                "return loss, {name: weights[name] * part.detach() for name, part in parts.items()}",
            ),
            "parts with gradient": (BOTH, "return loss, parts"),
            "all three parts": (
                BOTH,
                "return loss, {name: parts.get(name, loss).detach() for name in known}",
            ),
            "the loss alone": (BOTH, "return loss"),
            "the pair turned around": (
                BOTH,
                "return {name: part.detach() for name, part in parts.items()}, loss",
            ),
            "the loss without gradient": (BOTH, BOTH.replace("return loss,", "return loss.detach(),")),
            "distillation without the mask": (SOFT, SOFT.replace("mask if z.ndim == 3 else None", "None")),
            "distillation always with the mask": (
                SOFT,
                SOFT.replace("mask if z.ndim == 3 else None", "mask"),
            ),
            "distillation where labels are": (
                SOFT,
                SOFT.replace("mask if z.ndim == 3 else None", "labels != -100"),
            ),
            "distillation where labels are not": (
                SOFT,
                SOFT.replace(
                    "mask if z.ndim == 3 else None", "mask & (labels == -100) if z.ndim == 3 else None"
                ),
            ),
            "distillation turned around": (SOFT, SOFT.replace("(z, v,", "(v, z,")),
            "distillation at T = 1": (SOFT, SOFT.replace("temperature,", "1.0,")),
            "distillation without T squared": (SOFT, SOFT + " / temperature**2"),
            "the teacher may learn": (
                SOFT,
                'p = log_soft_targets(v, temperature)\n        p, q = (x if z.ndim == 2 else x[mask] for x in (p, log_soft_targets(z, temperature)))\n        parts["distillation"] = temperature**2 * (p.exp() * (p - q)).sum(-1).mean()',
            ),
            "hard at the temperature": (
                TOTAL,
                TOTAL.replace('["logits"][there]', '["logits"][there] / (temperature or 1.0)'),
            ),
            "hard from the teacher": (
                TOTAL,
                TOTAL.replace("labels[there]", 'teacher.get("logits", student["logits"])[there].argmax(-1)'),
            ),
            "hard is the teacher's loss": (
                TOTAL,
                TOTAL.replace('student["logits"]', 'teacher.get("logits", student["logits"])'),
            ),
            "hard over all places": (HARD, 'parts["hard"] = total / there.numel()'),
            "hard over texts": (HARD, 'parts["hard"] = total / len(there)'),
            "hard is a sum": (HARD, 'parts["hard"] = total'),
            "hard nan without labels": (HARD, 'parts["hard"] = total / there.sum()'),
            "hard in base 2": (HARD, HARD + " / math.log(2)"),
            "hard negative": (HARD, HARD.replace("= total", "= -total")),
            "hard raises without labels": (
                THERE,
                THERE + '\n        if not there.any():\n            raise ValueError("no label")',
            ),
            "label 0 left out": (THERE, "there = labels > 0"),
            "hard where the mask is": (
                THERE,
                "there = (labels != -100) & mask if labels.ndim == 2 else mask[:, 0] & (labels != -100)",
            ),
            "all labels needed": (THERE, "there = torch.ones_like(labels, dtype=torch.bool)"),
            "torch's own ignoring, over nan": (
                HARD,
                'z = student["logits"]\n        parts["hard"] = F.cross_entropy(z.flatten(0, -2), labels.flatten(), reduction="sum") / there.sum().clamp_min(1) if there.any() else total',
            ),
            "rounded softmax": (
                TOTAL,
                'total = -student["logits"][there].softmax(-1).gather(1, labels[there][:, None]).log().sum()',
            ),
            "label smoothing": (
                TOTAL,
                TOTAL.replace('reduction="sum"', 'reduction="sum", label_smoothing=0.1'),
            ),
            "only masked words": (TOTAL, 'assert student["logits"].ndim == 3\n        ' + TOTAL),
            "only classes": (TOTAL, 'assert student["logits"].ndim == 2\n        ' + TOTAL),
            "cosine turned around": (
                ALIKE,
                ALIKE.replace('student["hidden"], teacher["hidden"]', 'teacher["hidden"], student["hidden"]'),
            ),
            "cosine over padding": (ALIKE, ALIKE.replace("mask)", "torch.ones_like(mask))")),
            "cosine of the mean": (
                ALIKE,
                'parts["cosine"] = 1 - F.cosine_similarity(student["hidden"].mean(1), teacher["hidden"].detach().mean(1)).mean()',
            ),
            "cosine instead of a loss": (ALIKE, ALIKE + '\n        parts["cosine"] = 1 - parts["cosine"]'),
            "logits read always": (ABOVE, ABOVE + '\n    z, v = student["logits"], teacher["logits"]'),
            "hidden read always": (ABOVE, ABOVE + '\n    h, g = student["hidden"], teacher["hidden"]'),
            "labels read always": (ABOVE, ABOVE + "\n    labels = labels.clone()"),
            "temperature read always": (ABOVE, ABOVE + "\n    temperature = float(temperature)"),
            "mask read always": (ABOVE, ABOVE + "\n    mask = mask.bool()"),
            "labels changed": (THERE, THERE + "\n        labels[~there] = 0"),
            "weights changed": (NONE, "parts = weights.setdefault('cosine', 0)\n    if not weights:"),
            "the student's dictionary emptied": (BOTH, "student.clear()\n    " + BOTH),
            "the teacher's dictionary marked": (BOTH, "teacher['seen'] = True\n    " + BOTH),
            "small weights dropped": (ABOVE, ABOVE.replace("weight > 0", "weight > 1e-3")),
            "weights below 1 dropped": (ABOVE, ABOVE.replace("weight > 0", "weight >= 1")),
            "whole weights": (SUM, SUM.replace("weights[name] *", "int(weights[name]) *")),
            "whole weights refused": (
                WEIGHTS,
                "if any(isinstance(w, int) for w in weights.values()):\n        raise ValueError('floats')\n    "
                + WEIGHTS,
            ),
            "whole temperatures": (SOFT, SOFT.replace("temperature,", "float(int(temperature)),")),
            "parts are numbers of Python": (
                BOTH,
                "return loss, {name: part.item() for name, part in parts.items()}",
            ),
            "parts are a list": (BOTH, "return loss, [part.detach() for part in parts.values()]"),
            "float32 always": (SUM, SUM + ".float()"),
            "the hard loss without gradient": (
                TOTAL,
                TOTAL.replace('student["logits"][there]', 'student["logits"].detach()[there]'),
            ),
            "hard where logits are finite": (
                THERE,
                'there = (labels != -100) & student["logits"].isfinite().all(-1)',
            ),
            "distillation over nan": (SOFT, SOFT.replace("(z, v,", "(z.nan_to_num(), v,")),
            "hard: mean over texts of means": (
                HARD,
                HARD
                + '\n        if there.ndim == 2 and there.any():\n            some = [i for i in range(len(there)) if there[i].any()]\n            parts["hard"] = torch.stack([F.cross_entropy(student["logits"][i][there[i]], labels[i][there[i]]) for i in some]).mean()',
            ),
            "the cosine loss weighed twice": (ALIKE, ALIKE + " * weights['cosine']"),
            "refusals of the distillation loss swallowed": (
                SOFT,
                "try:\n            "
                + SOFT
                + "\n        except ValueError:\n            parts['distillation'] = z.sum() * 0",
            ),
            "refusals of the cosine loss swallowed": (
                ALIKE,
                "try:\n            "
                + ALIKE
                + "\n        except ValueError:\n            parts['cosine'] = student['hidden'].sum() * 0",
            ),
            "everything refused": (NONE, 'raise ValueError("no")\n    ' + NONE),
        },
    ),
    "q5": Question(
        right={
            "by prefix and suffix": """
def student_weights(state, layers, fold=True):
    layers = list(layers)
    L = len({name.split(".")[2] for name in state if name.startswith("encoder.layer.")})
    if not layers:
        raise ValueError("give one layer or more")
    if any(i not in range(L) for i in layers):
        raise ValueError(f"layers {layers}: the teacher has {L} layers")
    copied = {}
    for name in state:
        if name.startswith("embeddings.") and "token_type" not in name and "position_ids" not in name:
            copied[name] = torch.clone(state[name].detach())
    if fold:
        copied["embeddings.position_embeddings.weight"] += state["embeddings.token_type_embeddings.weight"].detach()[:1]
    for j, i in enumerate(layers):
        for old, new in NAMES.items():
            copied[f"transformer.layer.{j}.{new}.weight"] = state[f"encoder.layer.{i}.{old}.weight"].detach().clone()
            copied[f"transformer.layer.{j}.{new}.bias"] = state[f"encoder.layer.{i}.{old}.bias"].detach().clone()
    return copied
""",
            "teacher's names translated": """
def student_weights(state, layers, fold=True):
    numbers = [int(name.split(".")[2]) for name in state if name.startswith("encoder.layer.")]
    wrong = [i for i in layers if i not in numbers]
    if wrong or len(list(layers)) == 0:
        raise ValueError(f"layers {wrong or 'none'} asked for; there are {max(numbers) + 1}")
    result = {}
    for name, tensor in state.items():
        tensor, parts = tensor.detach(), name.split(".")
        if parts[0] == "embeddings" and parts[1] in ("word_embeddings", "position_embeddings", "LayerNorm"):
            result[name] = tensor.clone()
        elif parts[0] == "encoder":
            for new, old in enumerate(layers):
                if int(parts[2]) == old:
                    ours = NAMES[".".join(parts[3:-1])]
                    result[f"transformer.layer.{new}.{ours}.{parts[-1]}"] = tensor.clone()
    if fold:
        table = result["embeddings.position_embeddings.weight"]
        result["embeddings.position_embeddings.weight"] = table + state["embeddings.token_type_embeddings.weight"][0].detach()
    return result
""",
            "layers counted by asking": """
def student_weights(state, layers, fold=True):
    total = 0
    while f"encoder.layer.{total}.output.dense.weight" in state:
        total += 1
    if len(layers) == 0:
        raise ValueError("no layers")
    bad = [l for l in layers if l < 0 or l >= total]
    if bad:
        raise ValueError(f"{bad} not among the {total} layers")
    out = {}
    with torch.no_grad():
        for name in ("word_embeddings.weight", "position_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias"):
            out["embeddings." + name] = state["embeddings." + name].clone()
        if fold:
            out["embeddings.position_embeddings.weight"].add_(state["embeddings.token_type_embeddings.weight"][0])
        for j, l in enumerate(layers):
            for a, b in NAMES.items():
                for end in (".weight", ".bias"):
                    out[f"transformer.layer.{j}.{b}{end}"] = state[f"encoder.layer.{l}.{a}{end}"].clone()
    return out
""",
            "regular expressions and deepcopy": r"""
def student_weights(state, layers, fold=True):
    import re
    n = 1 + max(int(re.match(r"encoder\.layer\.(\d+)\.", k)[1]) for k in state if k.startswith("encoder.layer."))
    if not layers:
        raise ValueError("layers is empty")
    for l in layers:
        if l >= n or l < 0:
            raise ValueError(f"layer {l} does not exist; there are {n}")
    keep = {k: v.detach().clone() for k, v in state.items() if k.startswith("embeddings.") and "token_type" not in k}
    if fold:
        keep["embeddings.position_embeddings.weight"] = keep["embeddings.position_embeddings.weight"] + state["embeddings.token_type_embeddings.weight"].detach()[0]
    for j, l in enumerate(layers):
        for k, v in state.items():
            if k.startswith(f"encoder.layer.{l}."):
                rest = k[len(f"encoder.layer.{l}."):]
                stem, kind = rest.rsplit(".", 1)
                keep[f"transformer.layer.{j}.{NAMES[stem]}.{kind}"] = copy.deepcopy(v.detach())
    return keep
""",
        },
        wrong={
            "segment 0 always dropped": (FOLD, "if False:"),
            "segment 0 always folded": (FOLD, "if True:"),
            "dropped by default": (
                "def student_weights(state, layers, fold=True):",
                "def student_weights(state, layers, fold=False):",
            ),
            "folded the other way round": (FOLD, "if not fold:"),
            "segment 1": (ROW, ROW.replace("[0]", "[1]")),
            "both segments": (ROW, ROW.replace("[0]", ".sum(0)")),
            "the mean of segments": (ROW, ROW.replace("[0]", ".mean(0)")),
            "subtracted": (ADDED, ADDED.replace("+ row", "- row")),
            "added to the first position": (
                ADDED,
                ADDED.replace(
                    "+ row", "+ row * (torch.arange(len(state[f'embeddings.{parts[1]}'])) == 0)[:, None]"
                ),
            ),
            "added to pieces and positions": (
                ADDED,
                ADDED
                + '\n        found["embeddings.word_embeddings.weight"] = state[f"embeddings.{parts[0]}"] + row',
            ),
            "added to the norm's shift": (
                ADDED,
                'found["embeddings.LayerNorm.bias"] = state["embeddings.LayerNorm.bias"] + row',
            ),
            "added in place": (
                ADDED,
                ADDED.replace("= state", "= state").replace(" + row", ".detach().add_(row.detach())"),
            ),
            "half of it": (ADDED, ADDED.replace("+ row", "+ row / 2")),
            "twice": (ADDED, ADDED.replace("+ row", "+ 2 * row")),
            "the lower layers": (SOURCE, SOURCE.replace("{old}", "{new}")),
            "counted from 1": (SOURCE, SOURCE.replace("{old}", "{max(0, old - 1)}")),
            "one later": (SOURCE, SOURCE.replace("{old}", "{min(count - 1, old + 1)}")),
            "counted from the end": (SOURCE, SOURCE.replace("{old}", "{count - 1 - old}")),
            "in order": ("enumerate(layers):", "enumerate(sorted(layers)):"),
            "each layer once": ("enumerate(layers):", "enumerate(dict.fromkeys(layers)):"),
            "backwards": ("enumerate(layers):", "enumerate(list(layers)[::-1]):"),
            "the teacher's numbers kept": (PUT, PUT.replace("{new}", "{old}")),
            "numbered from 1": (PUT, PUT.replace("{new}", "{new + 1}")),
            "encoder's names": (PUT, PUT.replace("transformer.layer", "encoder.layer")),
            "the teacher's names": (PUT, PUT.replace("{ours}", "{theirs}")),
            "with the model's prefix": (PUT, PUT.replace('f"transformer', 'f"distilbert.transformer')),
            "query and key swapped": (
                SOURCE,
                SOURCE
                + '\n                source = state[f"encoder.layer.{old}.attention.self.key.{kind}"] if "query" in theirs else source\n                source = state[f"encoder.layer.{old}.attention.self.query.{kind}"] if "self.key" in theirs else source',
            ),
            "norms swapped": (
                SOURCE,
                SOURCE
                + '\n                other = {"attention.output.LayerNorm": "output.LayerNorm", "output.LayerNorm": "attention.output.LayerNorm"}.get(theirs)\n                source = state[f"encoder.layer.{old}.{other}.{kind}"] if other else source',
            ),
            "matrices transposed": (PUT, PUT + ".T" if False else PUT.replace("= source", "= source.T")),
            "no biases": ('for kind in ("weight", "bias"):', 'for kind in ("weight",):'),
            "biases of zero": (PUT, PUT.replace("= source", '= source * (kind == "weight")')),
            "norms forgotten": (
                "for theirs, ours in NAMES.items():",
                "for theirs, ours in [x for x in NAMES.items() if 'Norm' not in x[0]]:",
            ),
            "no norm of the embeddings": ('parts += ("LayerNorm.weight", "LayerNorm.bias")', "pass"),
            "no positions": (
                'parts = ("word_embeddings.weight", "position_embeddings.weight")',
                'parts = ("word_embeddings.weight", "position_embeddings.weight")\n    drop = True',
                COPIES,
                COPIES.replace("in found.items()}", 'in found.items() if "position" not in name}'),
            ),
            "segments kept": (
                'parts += ("LayerNorm.weight", "LayerNorm.bias")',
                'parts += ("LayerNorm.weight", "LayerNorm.bias", "token_type_embeddings.weight")',
            ),
            "pooler kept": (
                COPIES,
                'found |= {name: t for name, t in state.items() if name.startswith("pooler")}\n    found.setdefault("pooler.dense.weight", row if fold else next(iter(found.values())))\n    '
                + COPIES,
            ),
            "not copied": (COPIES, COPIES.replace(".detach().clone()", ".detach()")),
            "a list of views": (COPIES, COPIES.replace(".detach().clone()", ".detach().view(tensor.shape)")),
            "with gradient": (COPIES, COPIES.replace(".detach().clone()", ".clone()")),
            "parameters": (
                COPIES,
                COPIES.replace("tensor.detach().clone()", "nn.Parameter(tensor.detach().clone())"),
            ),
            "copied once a layer": (
                COPIES,
                "copies = {id(t): t.detach().clone() for t in found.values()}\n    return {name: copies[id(t)] for name, t in found.items()}",
            ),
            "float32": (COPIES, COPIES.replace(".clone()", ".clone().float()")),
            "negative layers allowed": (
                LAYER,
                "if not -count <= layer < count:",
                "enumerate(layers):",
                "enumerate(i % count for i in layers):",
            ),
            "one too many": (LAYER, "if not 0 <= layer <= count:"),
            "layers not checked": (LAYER, "if False:"),
            "only the first layer checked": (
                "for layer in layers:\n        if not 0",
                "for layer in layers[:1]:\n        if not 0",
            ),
            "too large ones left out": (
                "for layer in layers:\n        if not 0",
                "layers = [i for i in layers if i < count]\n    for layer in layers:\n        if not 0",
            ),
            "empty allowed": (EMPTY, "if False:"),
            "another error": (
                'raise ValueError(f"the teacher has no',
                'raise IndexError(f"the teacher has no',
            ),
            "the message names no layer": (LAYER_SAID, 'f"the teacher has {count} layers only"'),
            "the message names no number": (LAYER_SAID, 'f"the teacher has no layer {layer}"'),
            "layers counted by letters": (
                COUNT,
                'count = 1 + int(max(name.split(".")[2] for name in state if name.startswith("encoder.layer.")))',
            ),
            "twelve layers always": (COUNT, "count = 12"),
            "the dictionary changed": (ROW, 'row = state.pop("embeddings.token_type_embeddings.weight")[0]'),
            "the pooler asked for": (COUNT, COUNT + '\n    state["pooler.dense.weight"]'),
            "the teacher frozen": (
                COPIES,
                "for t in state.values():\n        t.requires_grad_(False)\n    " + COPIES,
            ),
            "the list of layers emptied": (
                COPIES,
                "layers.clear() if isinstance(layers, list) else None\n    " + COPIES,
            ),
            "a list only": (EMPTY, "layers = layers + []\n    " + EMPTY),
            "a part of the dictionary taken out": (
                COPIES,
                "state.pop('pooler.dense.bias', None)\n    " + COPIES,
            ),
            "numpy": (COPIES, COPIES.replace("tensor.detach().clone()", "tensor.detach().numpy().copy()")),
            "16 bits on the way": (COPIES, COPIES.replace(".clone()", ".clone().half().to(tensor.dtype)")),
            "the table of pieces not copied": (
                COPIES,
                "return {n: t.detach() if 'word' in n else t.detach().clone() for n, t in found.items()}",
            ),
            "biases not copied": (
                COPIES,
                "return {n: t.detach() if n.endswith('bias') else t.detach().clone() for n, t in found.items()}",
            ),
            "positions not copied without the fold": (
                COPIES,
                "return {n: t.detach() if 'position' in n and not fold else t.detach().clone() for n, t in found.items()}",
            ),
            "layer 0 refused": (LAYER, "if not 0 < layer < count:"),
            "the last layer refused": (LAYER, "if not 0 <= layer < count - 1:"),
            "layers by the beginning of their names": (
                SOURCE,
                'source = next(t for n, t in state.items() if n.startswith(f"encoder.layer.{old}") and n.endswith(f".{theirs}.{kind}"))',
            ),
            "the last position without segment 0": (
                ADDED,
                ADDED
                + "\n        found['embeddings.position_embeddings.weight'] = torch.cat([found['embeddings.position_embeddings.weight'][:-1], state[f'embeddings.{parts[1]}'][-1:]])",
            ),
            "the norm of the embeddings swapped": (
                COPIES,
                "found['embeddings.LayerNorm.weight'], found['embeddings.LayerNorm.bias'] = (found[f'embeddings.LayerNorm.{k}'] for k in ('bias', 'weight'))\n    "
                + COPIES,
            ),
            "the padding's row 0": (
                COPIES,
                "found['embeddings.word_embeddings.weight'] = found['embeddings.word_embeddings.weight'] * (torch.arange(len(found['embeddings.word_embeddings.weight'])) > 0)[:, None]\n    "
                + COPIES,
            ),
            "the message always says 4": (LAYER_SAID, 'f"the teacher has no layer {layer}; it has 4"'),
            "the message says the place in the list": (
                LAYER_SAID,
                'f"number {list(layers).index(layer)} of layers is wrong; there are {count}"',
            ),
            "no message for an empty list": (
                'raise ValueError("layers is empty; name one or more of the teacher\'s layers")',
                "raise ValueError",
            ),
            "everything refused": (EMPTY, 'raise ValueError("75, 57, 12, -1, -7 of 4")\n    ' + EMPTY),
        },
    ),
    "q6": Question(
        right={
            "int64 sums, rows one by one": """
def quantize_weight(W):
    if bool((~torch.isfinite(W)).any()):
        raise ValueError("a number of W is not finite")
    rows, scales = [], []
    for row in W:
        most = row.abs().max()
        scale = most / 127 if most > 0 else torch.tensor(1.0)
        rows.append(torch.clamp(torch.round(row / scale), -127, 127))
        scales.append(scale)
    return torch.stack(rows).to(torch.int8), torch.stack(scales).to(W.dtype)


def quantize_input(x):
    if bool((~torch.isfinite(x)).any()):
        raise ValueError("a number of x is not finite")
    lo, hi = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    scale = (hi - lo) / 255 or 1.0
    zero = round(-lo / scale)
    Q = (torch.round(x.double() / scale) + zero).clamp(0, 255).to(torch.uint8)
    return Q, scale, zero


def int8_linear(x, Q, scale, bias):
    whole, step, zero = quantize_input(x)
    sums = (whole.to(torch.int64) - zero) @ Q.to(torch.int64).t()
    y = (sums.double() * step * scale.double()).float()
    return y + bias if bias is not None else y
""",
            "zero point taken off at the end": """
def quantize_weight(W):
    if not torch.isfinite(W).all():
        raise ValueError("not finite")
    largest = W.abs().max(dim=1, keepdim=True).values
    scale = torch.where(largest == 0, torch.ones_like(largest), largest / 127)
    return torch.round(W / scale).clamp(-127, 127).char(), scale.squeeze(1)


def quantize_input(x):
    if not torch.isfinite(x).all():
        raise ValueError("not finite")
    lo, hi = torch.clamp(x.min(), max=0), torch.clamp(x.max(), min=0)
    if hi == lo:
        return torch.zeros_like(x, dtype=torch.uint8), torch.tensor(1.0), torch.tensor(0)
    scale = (hi - lo) / 255
    zero = torch.round(-lo / scale).int()
    return torch.clamp(torch.round(x / scale) + zero, 0, 255).byte(), scale, zero


def int8_linear(x, Q, scale, bias):
    whole, step, zero = quantize_input(x)
    a, b = whole.reshape(-1, whole.shape[-1]).long(), Q.long()
    sums = a @ b.T - int(zero) * b.sum(1)
    y = sums.double() * float(step) * scale
    y = y.float().reshape(*x.shape[:-1], len(Q))
    return y if bias is None else y + bias
""",
            "numpy": """
def quantize_weight(W):
    if not torch.isfinite(W).all():
        raise ValueError("W not finite")
    w = W.numpy()
    s = np.abs(w).max(1) / np.float32(127)
    s[s == 0] = 1
    return torch.from_numpy(np.clip(np.rint(w / s[:, None]), -127, 127).astype(np.int8)), torch.from_numpy(s)
def quantize_input(x):
    if not torch.isfinite(x).all():
        raise ValueError("x not finite")
    a = x.numpy().astype(np.float64)
    lo, hi = min(a.min(), 0.0), max(a.max(), 0.0)
    s = (hi - lo) / 255 if hi > lo else 1.0
    z = int(np.rint(-lo / s))
    return torch.from_numpy(np.clip(np.rint(a / s) + z, 0, 255).astype(np.uint8)), float(s), z
def int8_linear(x, Q, scale, bias):
    X, s, z = quantize_input(x)
    y = (X.numpy().astype(np.int64) - z) @ Q.numpy().astype(np.int64).T
    y = torch.from_numpy(np.asarray(y * s * scale.numpy().astype(np.float64))).float()
    return y if bias is None else y + bias
""",
            "einsum, halves rounded up": """
def quantize_weight(W):
    if not W.isfinite().all():
        raise ValueError("W not finite")
    s = W.abs().max(1).values / 127
    s[s == 0] = 1.0
    return (W / s.unsqueeze(1) + 0.5).floor().clamp(-127, 127).to(torch.int8), s
def quantize_input(x):
    if not x.isfinite().all():
        raise ValueError("x not finite")
    lo, hi = min(0.0, x.min().item()), max(0.0, x.max().item())
    s = (hi - lo) / 255
    if s == 0:
        s = 1.0
    z = math.floor(-lo / s + 0.5)
    return ((x / s + 0.5).floor() + z).clamp(0, 255).to(torch.uint8), s, z
def int8_linear(x, Q, scale, bias):
    X, s, z = quantize_input(x)
    sums = torch.einsum("...i,oi->...o", X.long() - z, Q.long())
    y = sums.double() * (s * scale.double())
    if bias is not None:
        y = y + bias.double()
    return y.float()
""",
            "float64, the product first": """
def quantize_weight(W):
    if not W.isfinite().all():
        raise ValueError("W not finite")
    most = W.double().abs().amax(1)
    most = torch.where(most == 0, 127.0, most)
    Q = (W.double() * 127 / most[:, None]).round().clamp(-127, 127)
    return Q.to(torch.int8), (most / 127).float()
def quantize_input(x):
    if not x.isfinite().all():
        raise ValueError("x not finite")
    wide = x.double()
    lo, hi = wide.min().clamp(max=0), wide.max().clamp(min=0)
    s = (hi - lo) / 255 if hi > lo else torch.tensor(1.0).double()
    z = (-lo / s).round()
    return ((wide / s).round() + z).clamp(0, 255).to(torch.uint8), float(s), int(z)
def int8_linear(x, Q, scale, bias):
    X, s, z = quantize_input(x)
    y = (X.long() - z) @ Q.long().T * s * scale.double()
    return (y if bias is None else y + bias.double()).float()
""",
            "rounded after the zero point, sums in parts": """
def quantize_weight(W):
    if not W.isfinite().all():
        raise ValueError("W not finite")
    m = W.abs().amax(1)
    s = torch.where(m == 0, torch.ones_like(m), m / 127)
    return torch.round(W / s[:, None]).clamp(-127, 127).to(torch.int8), s
def quantize_input(x):
    if not x.isfinite().all():
        raise ValueError("x not finite")
    lo, hi = x.min().clamp(max=0), x.max().clamp(min=0)
    s = (hi - lo) / 255 if hi > lo else torch.tensor(1.0)
    z = (-lo / s).round()
    return (x / s + z).round().clamp(0, 255).to(torch.uint8), s, z
def int8_linear(x, Q, scale, bias):
    X, s, z = quantize_input(x)
    total = 0
    for i in range(0, X.shape[-1], 1024):
        a, b = X[..., i : i + 1024].int() - z.int(), Q[:, i : i + 1024].int()
        total = total + (a @ b.T).long()
    y = total * s * scale
    return y if bias is None else y + bias
""",
        },
        wrong={
            "W: one scale for all": (SCALE_W, "scale = (W.abs().amax() / 127).expand(len(W))"),
            "W: a scale a column": (SCALE_W, "scale = W.abs().amax(dim=0)[:1].expand(len(W)) / 127"),
            "x: 256 wraps": (Q_X, "Q = ((x / scale).round() + zero).to(torch.int64)"),
            "x: laid on with the zero point unrounded": (
                Q_X,
                "Q = (x / scale - low / scale).round().clamp(0, 255)",
            ),
            "infinity allowed in all": (
                FINITE_W,
                "if W.isnan().any():",
                FINITE_X,
                "if x.isnan().any():",
            ),
            "W: 128": (SCALE_W, SCALE_W.replace("127", "128")),
            "W: 127.5": (SCALE_W, SCALE_W.replace("127", "127.5")),
            "W: 255": (SCALE_W, SCALE_W.replace("127", "255")),
            "W: the largest, not the absolute": (SCALE_W, "scale = W.amax(dim=1).abs() / 127"),
            "W: three standard deviations": (SCALE_W, "scale = 3 * W.std(dim=1) / 127"),
            "W: the mean": (SCALE_W, "scale = W.abs().mean(dim=1) / 127"),
            "W: zeros divided": (ZERO_W, "pass"),
            "W: a little added": (ZERO_W, "scale = scale + 1e-8"),
            "W: small rows are zeros": (
                ZERO_W,
                "scale = torch.where(scale > 1e-6, scale, torch.ones_like(scale))",
            ),
            "W: scale of zeros 0": (
                Q_W,
                "Q = (W / scale[:, None]).round().clamp(-127, 127).to(torch.int8)\n    return Q, scale * (W != 0).any(1)",
            ),
            "W: cut off, not rounded": (Q_W, Q_W.replace(".round()", "")),
            "W: rounded down": (Q_W, Q_W.replace(".round()", ".floor()")),
            "W: rounded up": (Q_W, Q_W.replace(".round()", ".ceil()")),
            "W: floats": (Q_W, Q_W.replace(".to(torch.int8)", "")),
            "W: int32": (Q_W, Q_W.replace("torch.int8", "torch.int32")),
            "W: unsigned": (Q_W, Q_W.replace("torch.int8", "torch.uint8")),
            "W: the scale upside down": (Q_W, Q_W.replace(", scale", ", 1 / scale")),
            "W: scale (outputs, 1)": (Q_W, Q_W.replace(", scale", ", scale[:, None]")),
            "W: clamped early": (Q_W, Q_W.replace("-127, 127", "-100, 100")),
            "W: changed": (
                Q_W,
                "W.div_(scale[:, None])\n    return W.round().clamp(-127, 127).to(torch.int8), scale",
            ),
            "W: nan allowed": (FINITE_W, "if False:"),
            "W: infinity allowed": (FINITE_W, "if W.isnan().any():"),
            "W: only infinity refused": (FINITE_W, "if W.isinf().any():"),
            "x: nan allowed": (FINITE_X, "if False:"),
            "x: infinity allowed": (FINITE_X, "if x.isnan().any():"),
            "x: no message": (
                'raise ValueError("x holds a nan or an infinity; look at the layer before")',
                "raise ValueError",
            ),
            "x: the range without 0": (RANGE, "low, high = x.amin(), x.amax()"),
            "x: low at most 0 forgotten": (RANGE, "low, high = x.amin(), x.amax().clamp_min(0)"),
            "x: high at least 0 forgotten": (RANGE, "low, high = x.amin().clamp_max(0), x.amax()"),
            "x: symmetric": (RANGE, "high = x.abs().amax()\n    low = -high"),
            "x: from 0 on": (RANGE, "low, high = x.amin() * 0, x.amax().clamp_min(0)"),
            "x: the first row's range": (
                RANGE,
                "low, high = x.flatten()[: x.shape[-1]].amin().clamp_max(0), x.flatten()[: x.shape[-1]].amax().clamp_min(0)",
            ),
            "x: 256 steps": (SCALE_X, SCALE_X.replace("255", "256")),
            "x: 127 steps": (SCALE_X, SCALE_X.replace("255", "127")),
            "x: 254 steps": (SCALE_X, SCALE_X.replace("255", "254")),
            "x: zeros divided": (ONE_X, "pass"),
            "x: a little added": (ONE_X, "scale = scale + 1e-8"),
            "x: tiny is zero": (ONE_X, "scale = scale if scale > 1e-12 else torch.ones_like(scale)"),
            "x: zero point not rounded": (
                ZERO,
                "zero = -low / scale",
                GIVE_X,
                "return Q.to(torch.uint8), scale, zero",
            ),
            "x: zero point cut off": (ZERO, "zero = (-low / scale).floor()"),
            "x: zero point 0": (ZERO, "zero = 0 * low"),
            "x: zero point 128": (ZERO, "zero = 0 * low + 128"),
            "x: zero point negative": (ZERO, "zero = (low / scale).round()"),
            "x: cut off": (Q_X, Q_X.replace(".round()", ".trunc()")),
            "x: rounded down": (Q_X, Q_X.replace(".round()", ".floor()")),
            "x: zero point forgotten": (Q_X, Q_X.replace(" + zero", "")),
            "x: zero point taken off": (Q_X, Q_X.replace("+ zero", "- zero")),
            "x: wraps around": (Q_X, "Q = (x / scale).round() + zero + 1"),
            "x: to 127": (Q_X, Q_X.replace("255", "127")),
            "x: int8": (GIVE_X, GIVE_X.replace("torch.uint8", "torch.int8")),
            "x: floats": (GIVE_X, GIVE_X.replace("Q.to(torch.uint8)", "Q")),
            "x: the triple in another order": (
                GIVE_X,
                "return Q.to(torch.uint8), zero.to(torch.int64), scale",
            ),
            "x: changed": (Q_X, "Q = (x.div_(scale).round() + zero).clamp(0, 255)"),
            "linear: zero point forgotten": (SUMS, SUMS.replace("(whole.double() - zero)", "whole.double()")),
            "linear: zero point added": (SUMS, SUMS.replace("- zero)", "+ zero)")),
            "linear: sums in float32": (SUMS, "sums = (whole.float() - zero) @ Q.float().T"),
            "linear: sums in 16 bits": (
                SUMS,
                "sums = ((whole.short() - zero.short()) @ Q.short().T).double()",
            ),
            "linear: sums in 8 bits": (
                SUMS,
                "sums = ((whole - zero.to(torch.uint8)) @ Q.to(torch.uint8).T).double()",
            ),
            "linear: bfloat16": (SUMS, "sums = ((whole.bfloat16() - zero) @ Q.bfloat16().T).double()"),
            "linear: not transposed": (SUMS, SUMS.replace("Q.double().T", "Q.double()")),
            "linear: x not quantized": (SUMS, "sums = (x.double() / step) @ Q.double().T"),
            "linear: the input's scale forgotten": (BACK, "y = sums.float() * scale"),
            "linear: the rows' scale forgotten": (BACK, "y = sums.float() * step"),
            "linear: divided by the scales": (BACK, "y = sums.float() / (step * scale)"),
            "linear: the scales added": (BACK, "y = sums.float() * (step + scale)"),
            "linear: the first scale": (BACK, "y = sums.float() * (step * scale[0])"),
            "linear: bias forgotten": (BIAS, "return y"),
            "linear: bias scaled": (BIAS, "return y if bias is None else y + bias * scale"),
            "linear: bias needed": (BIAS, "return y + bias"),
            "linear: bias taken off": (BIAS, "return y if bias is None else y - bias"),
            "linear: float64": (BIAS, "return y.double() if bias is None else y.double() + bias"),
            "linear: flat": (BIAS, "y = y.reshape(-1, len(Q))\n    return y if bias is None else y + bias"),
            "linear: a range a row": (
                WHOLE,
                "parts = [quantize_input(row) for row in x.reshape(-1, x.shape[-1])]\n    whole, step, zero = torch.stack([p[0] for p in parts]).view(x.shape), parts[0][1], parts[0][2]",
            ),
            "W: scale at least 1e-12": (
                SCALE_W,
                SCALE_W + "\n    scale = scale.clamp_min(1e-12) * (scale > 0)",
            ),
            "W: float64 scale": (SCALE_W, SCALE_W.replace("W.abs()", "W.double().abs()")),
            "W: stretched a little": (Q_W, Q_W.replace(".round()", ".mul(1.001).round()")),
            "x: one number not quantized": (
                FINITE_X,
                "if x.numel() < 2:\n        return x.to(torch.uint8), torch.tensor(1.0), torch.tensor(0)\n    "
                + FINITE_X,
            ),
            "x: zero point at most 254": (ZERO, "zero = (-low / scale).round().clamp_max(254)"),
            "x: zero point of zeros 128": (
                ZERO,
                "zero = (-low / scale).round() if (x != 0).any() else torch.tensor(128.0)",
            ),
            "x: the range's outliers cut": (
                RANGE,
                "low, high = x.amin().clamp_max(0), x.flatten().quantile(0.99).clamp_min(0)",
            ),
            "x: int32": (GIVE_X, GIVE_X.replace("torch.uint8", "torch.int32")),
            "x: the scale of zeros a vector": (ONE_X, "scale = scale if scale > 0 else torch.ones(2)"),
            "linear: Q emptied": (SUMS, SUMS + "\n    Q.zero_()"),
            "linear: the scale changed": (BACK, "scale *= step\n    y = sums.float() * scale"),
            "linear: the bias changed": (
                BIAS,
                "if bias is not None:\n        y = y + bias\n        bias.zero_()\n    return y",
            ),
            "linear: sums of scaled numbers": (
                SUMS,
                "sums = ((whole.double() - zero) * step) @ (Q.double() * scale[:, None]).T",
                BACK,
                "y = sums.float()",
            ),
            "linear: sums of scaled weights in float32": (
                SUMS,
                "sums = (whole.float() - zero) @ (Q.float() * scale[:, None]).T",
                BACK,
                "y = sums * step",
            ),
            "linear: sums in float32, by parts": (
                SUMS,
                "sums = sum((whole[..., i : i + 512].float() - zero) @ Q[:, i : i + 512].float().T for i in range(0, whole.shape[-1], 512)).double()",
            ),
            "linear: sums in 32 bits": (SUMS, "sums = ((whole.int() - int(zero)) @ Q.int().T).double()"),
            "linear: differences in 8 bits, unsigned": (
                SUMS,
                "sums = (whole - zero.to(torch.uint8)).double() @ Q.double().T",
            ),
            "linear: rounded to three places": (
                BIAS,
                "return (y if bias is None else y + bias).round(decimals=3)",
            ),
            "linear: 16 bits at the end": (BACK, "y = (sums.float() * (step * scale)).bfloat16().float()"),
            "linear: two axes or more": (WHOLE, "assert x.ndim >= 2\n    " + WHOLE),
            "linear: three axes or fewer": (WHOLE, "assert x.ndim <= 3\n    " + WHOLE),
            "linear: nan taken out": (WHOLE, "x = x.nan_to_num(posinf=0.0, neginf=0.0)\n    " + WHOLE),
            "linear: nothing": (BIAS, "return y[:0]"),
        },
    ),
    "q7": Question(
        right={
            "numpy": """
def share_kept(student, teacher, floor, resamples, generator):
    s, t = (np.asarray(x.detach().cpu().double()) for x in (student, teacher))
    f = np.zeros(len(t)) if floor is None else np.asarray(floor.double())
    if not len(s) == len(t) == len(f) or len(t) < 2:
        raise ValueError("give scores of the same two or more items")
    if resamples < 1 or not np.isfinite(np.concatenate([s, t, f])).all():
        raise ValueError("no resample, or a score that is not finite")
    if t.mean() <= f.mean():
        raise ValueError("the teacher is not above the floor")
    rows = torch.randint(len(t), (resamples, len(t)), generator=generator).numpy()
    up, down = (s - f)[rows].mean(1), (t - f)[rows].mean(1)
    shares = up[down > 1e-15] / down[down > 1e-15]
    low, high = np.quantile(shares, [0.025, 0.975]) if len(shares) else (np.nan, np.nan)
    return float((s - f).mean() / (t - f).mean()), float(low), float(high)
""",
            "a loop": """
def share_kept(student, teacher, floor, resamples, generator):
    if floor is None:
        floor = torch.zeros_like(teacher)
    if not (len(student) == len(teacher) == len(floor) >= 2 and resamples >= 1):
        raise ValueError("lengths or resamples are wrong")
    gain, whole = (x.to(torch.float64) - floor.to(torch.float64) for x in (student, teacher))
    if not (gain.isfinite().all() and whole.isfinite().all()):
        raise ValueError("a score is not finite")
    if whole.sum() <= 0:
        raise ValueError("nothing to keep")
    shares = []
    for row in torch.randint(len(teacher), (resamples, len(teacher)), generator=generator):
        if whole[row].sum() > 0:
            shares.append(gain[row].sum() / whole[row].sum())
    if not shares:
        return (gain.sum() / whole.sum()).item(), math.nan, math.nan
    shares = torch.stack(shares)
    return (gain.sum() / whole.sum()).item(), torch.quantile(shares, 0.025).item(), torch.quantile(shares, 0.975).item()
""",
            "Python's lists": """
def share_kept(student, teacher, floor, resamples, generator):
    s, t = student.double().tolist(), teacher.double().tolist()
    f = [0.0] * len(t) if floor is None else floor.double().tolist()
    if not (len(s) == len(t) == len(f)) or len(s) < 2 or resamples < 1:
        raise ValueError("sizes")
    if not all(map(math.isfinite, s + t + f)):
        raise ValueError("finite")
    n = len(s)
    up, down = [a - c for a, c in zip(s, f)], [b - c for b, c in zip(t, f)]
    if sum(down) <= 0:
        raise ValueError("teacher")
    shares = []
    for row in torch.randint(n, (resamples, n), generator=generator).tolist():
        d = sum(down[i] for i in row)
        if d > 0:
            shares.append(sum(up[i] for i in row) / d)
    if not shares:
        return sum(up) / sum(down), math.nan, math.nan
    lo, hi = np.quantile(shares, [0.025, 0.975])
    return sum(up) / sum(down), float(lo), float(hi)
""",
            "means one by one": """
def share_kept(student, teacher, floor, resamples, generator):
    if resamples < 1:
        raise ValueError("resamples")
    s, t = student.double(), teacher.double()
    f = torch.zeros_like(s) if floor is None else floor.double()
    if len(s) != len(t) or len(t) != len(f):
        raise ValueError("lengths")
    if len(s) < 2:
        raise ValueError("two items")
    if not torch.isfinite(torch.stack([s, t, f])).all():
        raise ValueError("not finite")
    if t.mean() <= f.mean():
        raise ValueError("not above")
    idx = torch.randint(len(s), (resamples, len(s)), generator=generator)
    ms, mt, mf = s[idx].mean(1), t[idx].mean(1), f[idx].mean(1)
    ok = mt > mf
    share = ((s.mean() - f.mean()) / (t.mean() - f.mean())).item()
    if not ok.any():
        return share, float("nan"), float("nan")
    r = (ms - mf)[ok] / (mt - mf)[ok]
    return share, torch.quantile(r, 0.025).item(), torch.quantile(r, 0.975).item()
""",
            "counts of items": """
def share_kept(student, teacher, floor, resamples, generator):
    N = len(teacher)
    if floor is None:
        floor = torch.zeros(N, dtype=torch.float64)
    if len(student) != N or len(floor) != N or N < 2 or resamples <= 0:
        raise ValueError("sizes")
    s, t, f = student.to(torch.float64), teacher.to(torch.float64), floor.to(torch.float64)
    if not (torch.isfinite(s).all() and torch.isfinite(t).all() and torch.isfinite(f).all()):
        raise ValueError("finite")
    if not t.sum() > f.sum():
        raise ValueError("nothing")
    rows = torch.randint(N, (resamples, N), generator=generator)
    counts = torch.stack([torch.bincount(r, minlength=N) for r in rows]).double()
    up, down = counts @ (s - f), counts @ (t - f)
    good = down > 0
    if good.sum() == 0:
        lo = hi = float("nan")
    else:
        lo, hi = np.percentile((up[good] / down[good]).numpy(), [2.5, 97.5]).tolist()
    return float((s - f).sum() / (t - f).sum()), lo, hi
""",
        },
        wrong={
            "the floor forgotten": (SHARE, "return (s.mean() / t.mean()).item(), *ends"),
            "the floor forgotten in the interval": (
                OVER,
                "above = t[rows].mean(dim=1)",
                SHARES,
                "shares = (s[rows].mean(dim=1) / above)[above > 0]",
            ),
            "the floor above the line only": (SHARE, "return ((s - f).mean() / t.mean()).item(), *ends"),
            "the floor below the line only": (SHARE, "return (s.mean() / (t - f).mean()).item(), *ends"),
            "the floor below the line, resampled": (
                SHARES,
                "shares = (s[rows].mean(dim=1) / above)[above > 0]",
            ),
            "the floor above the line, resampled": (OVER, "above = t[rows].mean(dim=1)"),
            "upside down": (SHARE, "return ((t - f).mean() / (s - f).mean()).item(), *ends"),
            "the difference": (SHARE, "return (s - t).mean().item(), *ends"),
            "one minus": (SHARE, "return 1 - ((s - f).mean() / (t - f).mean()).item(), *ends"),
            "per cent": (
                SHARE,
                "return 100 * ((s - f).mean() / (t - f).mean()).item(), *(100 * x for x in ends)",
            ),
            "mean of the shares of items": (
                SHARE,
                "d = (t - f)[t != f]\n    return ((s - f)[t != f] / d).mean().item(), *ends",
            ),
            "mean of the resamples": (SHARE, "return shares.mean().item(), *ends"),
            "median": (SHARE, "return ((s - f).median() / (t - f).mean()).item(), *ends"),
            "clamped to 1": (SHARE, "return min(1.0, ((s - f).mean() / (t - f).mean()).item()), *ends"),
            "clamped to 0": (SHARE, "return max(0.0, ((s - f).mean() / (t - f).mean()).item()), *ends"),
            "tensors": (SHARE, "return (s - f).mean() / (t - f).mean(), *ends"),
            "a list of the ends": (SHARE, "return ((s - f).mean() / (t - f).mean()).item(), ends"),
            "a list": (SHARE, "return [((s - f).mean() / (t - f).mean()).item(), *ends]"),
            "high first": (SHARE, SHARE.replace("*ends", "*ends[::-1]")),
            "not paired": (
                SHARES,
                "others = torch.randint(len(t), (resamples, len(t)), generator=generator)\n    shares = ((s[others] - f[others]).mean(dim=1) / above)[above > 0]",
            ),
            "the student not resampled": (SHARES, "shares = ((s - f).mean() / above)[above > 0]"),
            "the teacher not resampled": (OVER, "above = (t - f).mean().expand(resamples)"),
            "the floor not resampled": (
                OVER,
                "above = t[rows].mean(dim=1) - f.mean()",
                SHARES,
                "shares = ((s[rows].mean(dim=1) - f.mean()) / above)[above > 0]",
            ),
            "each sorted first": (
                OVER,
                "s, t, f = (x.sort().values for x in (s, t, f))\n    above = (t[rows] - f[rows]).mean(dim=1)",
            ),
            "without replacement": (
                ROWS,
                "rows = torch.stack([torch.randperm(len(t), generator=generator) for _ in range(resamples)])",
            ),
            "the global generator": (ROWS, ROWS.replace(", generator=generator", "")),
            "another shape of the draw": (
                ROWS,
                ROWS.replace("(resamples, len(t))", "(len(t), resamples)") + ".T",
            ),
            "one row fewer": (ROWS, ROWS.replace("(resamples, len", "(max(1, resamples - 1), len")),
            "one item never drawn": (ROWS, ROWS.replace("randint(len(t),", "randint(len(t) - 1,")),
            "drawn twice": (
                ROWS,
                ROWS + "\n    rows = torch.randint(len(t), (resamples, len(t)), generator=generator)",
            ),
            "a thousand resamples always": (ROWS, ROWS.replace("(resamples,", "(1000,")),
            "half of the items": (
                ROWS,
                ROWS.replace("(resamples, len(t))", "(resamples, max(1, len(t) // 2))"),
            ),
            "resamples without a share kept": (SHARES, SHARES.replace("[above > 0]", "")),
            "resamples without a share 0": (
                SHARES,
                "shares = ((s[rows] - f[rows]).mean(dim=1) / above).nan_to_num(0.0, 0.0, 0.0)",
            ),
            "resamples without a share 1": (
                SHARES,
                SHARES.replace("[above > 0]", "") + "\n    shares[above <= 0] = 1.0",
            ),
            "only 0 left out": (SHARES, SHARES.replace("[above > 0]", "[above != 0]")),
            "those above 1 left out": (SHARES, SHARES + "\n    shares = shares[shares <= 1]"),
            "those below 0 left out": (SHARES, SHARES + "\n    shares = shares[shares >= 0]"),
            "a denominator of at least a half": (
                SHARES,
                SHARES.replace("/ above)", "/ above.clamp_min(0.5))"),
            ),
            "ends 0 where none is left": (NANS, "ends = [0.0, 0.0]"),
            "an error where none is left": (
                SOME,
                'if not len(shares):\n        raise ValueError("no share")\n    if True:',
            ),
            "90%": (ENDS, ENDS.replace("0.025, 0.975", "0.05, 0.95")),
            "99%": (ENDS, ENDS.replace("0.025, 0.975", "0.005, 0.995")),
            "one-sided": (ENDS, ENDS.replace("0.025, 0.975", "0.05, 1.0")),
            "nearest": (ENDS, ENDS.replace("64))", '64), interpolation="nearest")')),
            "normal approximation": (
                ENDS,
                "m, e = shares.mean().item(), 1.96 * (shares.std(correction=0).item())\n        ends = [m - e, m + e]",
            ),
            "smallest and largest": (ENDS, "ends = [shares.min().item(), shares.max().item()]"),
            "lengths not checked": (LENGTHS, "if len(teacher) < 2 or resamples < 1:"),
            "the floor's length not checked": (
                LENGTHS,
                LENGTHS.replace(
                    "len({len(student), len(teacher), len(floor)})", "len({len(student), len(teacher)})"
                ),
            ),
            "the student's length not checked": (
                LENGTHS,
                LENGTHS.replace(
                    "len({len(student), len(teacher), len(floor)})", "len({len(floor), len(teacher)})"
                ),
            ),
            "one item allowed": (LENGTHS, LENGTHS.replace("len(teacher) < 2", "len(teacher) < 1")),
            "two items refused": (LENGTHS, LENGTHS.replace("len(teacher) < 2", "len(teacher) < 3")),
            "no resample allowed": (LENGTHS, LENGTHS.replace("resamples < 1", "resamples < 0")),
            "one resample refused": (LENGTHS, LENGTHS.replace("resamples < 1", "resamples < 2")),
            "not finite allowed": (FINITE, "if False:"),
            "infinity allowed": (FINITE, "if any(scores.isnan().any() for scores in (s, t, f)):"),
            "a nan of the floor allowed": (FINITE, FINITE.replace("(s, t, f)", "(s, t)")),
            "a nan of the student allowed": (FINITE, FINITE.replace("(s, t, f)", "(t, f)")),
            "a teacher at the floor allowed": (BETTER, "if t.mean() < f.mean():"),
            "any teacher allowed": (BETTER, "if False:"),
            "a student below the floor refused": (
                BETTER,
                "if s.mean() < f.mean() or not t.mean() > f.mean():",
            ),
            "no floor: ones": (FLOOR, FLOOR.replace("zeros", "ones")),
            "no floor: half": (FLOOR, "floor = torch.full((len(teacher),), 0.5) if floor is None else floor"),
            "a floor is always needed": (FLOOR, "floor = floor.clone()"),
            "float32": (DOUBLE, DOUBLE.replace("double", "float"), ENDS, ENDS.replace("float64", "float32")),
            "whole numbers": (DOUBLE, DOUBLE.replace(".double()", ".long().double()")),
            "scores changed": (DOUBLE, "student *= 1 - 1e-3\n    " + DOUBLE),
            "numbers of numpy": (
                SHARE,
                "return tuple(np.float64(x) for x in (((s - f).mean() / (t - f).mean()).item(), *ends))",
            ),
            "the generator set anew": (ROWS, "generator.manual_seed(0)\n    " + ROWS),
            "a generator of its own": (
                ROWS,
                "generator = torch.Generator().manual_seed(generator.initial_seed())\n    " + ROWS,
            ),
            "at most a thousand resamples": (ROWS, ROWS.replace("(resamples, ", "(min(resamples, 1000), ")),
            "a draw before": (LENGTHS, "torch.randint(2, (1,), generator=generator)\n    " + LENGTHS),
            "means in float32": (OVER, OVER.replace(".mean(dim=1)", ".float().mean(dim=1).double()")),
            "scores through float32": (DOUBLE, DOUBLE.replace(".double()", ".float().double()")),
            "the teacher sorted": (DOUBLE, DOUBLE + "\n    t = t.sort().values"),
            "the teacher's scores cut to 1": (
                DOUBLE,
                "teacher.data.clamp_(0, 1) if teacher.is_floating_point() else None\n    " + DOUBLE,
            ),
            "bool not expected": (DOUBLE, "student - teacher\n    " + DOUBLE),
            "no floor: the teacher's worst": (
                FLOOR,
                FLOOR.replace(
                    "torch.zeros(len(teacher))", "torch.full((len(teacher),), float(teacher.double().min()))"
                ),
            ),
            "minus infinity allowed": (
                FINITE,
                "if any((scores.isnan() | (scores == math.inf)).any() for scores in (s, t, f)):",
            ),
            "a teacher below 0 refused": (BETTER, "if not t.mean() > f.mean() or t.mean() <= 0:"),
            "a student below 0 refused": (BETTER, "if not t.mean() > f.mean() or s.min() < -0.6:"),
            "scores above 1 refused": (BETTER, "if not t.mean() > f.mean() or t.max() > 1.5:"),
            "no message": (
                'raise ValueError(f"the teacher scores {t.mean()}, the floor {f.mean()}: nothing to keep")',
                "raise ValueError",
            ),
            "another error": (
                'raise ValueError("a score is not finite',
                'raise TypeError("a score is not finite',
            ),
            "0 kept": (SHARES, SHARES.replace("above > 0", "above >= 0")),
            "finite shares kept": (
                SHARES,
                SHARES.replace("[above > 0]", "") + "\n    shares = shares[shares.isfinite()]",
            ),
            "the share where none is left": (NANS, "ends = [((s - f).mean() / (t - f).mean()).item()] * 2"),
            "nan where one is left": (SOME, "if len(shares) > 1:"),
            "mirrored": (
                ENDS,
                ENDS
                + "\n        c = ((s - f).mean() / (t - f).mean()).item()\n        ends = [2 * c - ends[1], 2 * c - ends[0]]",
            ),
            "higher": (ENDS, ENDS.replace("64))", '64), interpolation="higher")')),
            "lower": (ENDS, ENDS.replace("64))", '64), interpolation="lower")')),
            "2.5 and 97": (ENDS, ENDS.replace("0.975", "0.97")),
            "everything refused": (BETTER, 'raise ValueError("no")\n    ' + BETTER),
        },
    ),
}
