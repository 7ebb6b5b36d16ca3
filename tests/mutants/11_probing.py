"""Lab 11's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

NUMBERS = "if len(numbers) != 1 or 0 in numbers:"
EMPTY = "means = np.empty((len(spans), *numbers, states.shape[2]), dtype=states.dtype)"
ENDS_OF = "begin, end = offsets[b].T"
INSIDE = "inside = (parts[b] == part) & (begin < end) & (begin < last) & (end > first)"
ANY = "if first >= last or not inside.any():"
MEAN = "means[b, s] = states[b, inside].mean(0)"

RISING = "rising = len(fractions) > 0 and list(fractions) == sorted(set(fractions))"
FRACTIONS = "if n < 1 or not rising or not fractions[0] > 0 or fractions[-1] != 100:"
ROUNDED = "return sorted({max(1, round(n * fraction / 100)) for fraction in fractions})"
ORDER = "if not np.array_equal(np.sort(order), np.arange(len(y))):"
LABELS = "if y.min() < 0 or y.max() >= classes:"
ENDS = "if not len(ends) or list(ends) != sorted(set(ends)) or ends[0] < 1 or ends[-1] != len(y):"
FIRST = "costs = np.full(len(y), np.log2(classes))"
LOOP = "for start, end in pairwise(ends):"
FIT = "predict, sent = fit(X, y, order[:start], classes, seed), order[start:end]"
QUIET = 'with np.errstate(divide="ignore"):'
COST = "costs[sent] = -np.log2(predict(sent)[np.arange(len(sent)), y[sent]])"

UNIFORM = "return n * float(np.log2(classes))"
PRIOR = "return float(sum(-n * np.log2(n / len(y)) for n in Counter(y).values()))"
NO_COSTS = "if not len(costs) or not (costs >= 0).all():"
QUOTIENT = 'return uniform_bits(len(costs), classes) / float(total) if total else float("inf")'
DRAWN = "drawn = {key: int(rng.integers(classes)) for key in dict.fromkeys(keys)}"
CONTROL = "return np.array([drawn[key] for key in keys], dtype=np.int64)"
GUESSES = "if len(guess) != len(y) or len(control_guess) != len(control) or not (len(y) and len(control)):"
DIFFERENCE = "return float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())"
BOTH_CLASSES = '    if classes < 2:\n        raise ValueError(f"{classes} classes; a task has 2 or more")\n'
UNIFORM_CLASSES = BOTH_CLASSES + "    return n"
CONTROL_CLASSES = BOTH_CLASSES + "    drawn"
NO_LABELS = "if len(y) == 0:"

CODES = "codes = [np.asarray(code, float) for code in (costs, against) if code is not None]"
NUMBER = "number = {group: n for n, group in enumerate(dict.fromkeys(groups))}"
FEW = "if len(number) < 2 or classes < 2 or resamples < 1:"
LONG = "if any(len(code) != len(groups) for code in codes):"
FINITE = "if not all((np.isfinite(code) & (code > 0)).all() for code in codes):"
GROUP_DRAW = "drawn = rng.integers(len(number), size=(resamples, len(number)))"
MEMBER = "member = np.array([number[group] for group in groups])"
SIZES = "uniform = np.bincount(member) * np.log2(classes)"
BITS = "bits = np.bincount(member, weights=code)"
MANY = "many = uniform[drawn].sum(1) / bits[drawn].sum(1)"
WHOLE = "found.append(np.append(many, uniform.sum() / bits.sum()))"
MINUS = "values = found[0] - (found[1] if len(found) > 1 else 0)"
THREE = "return (float(values[-1]), *map(float, np.percentile(values[:-1], [2.5, 97.5])))"

SCORES = "scores = np.asarray(scores, dtype=float)"
BAD_BINS = "if bins < 2 or len(scores) < bins or not np.isfinite(scores).all():"
QUANTILES = "edges = np.quantile(scores, np.arange(1, bins) / bins)"
EQUAL = "if (np.diff(edges) <= 0).any():"
BINNED = "return (np.asarray(scores, dtype=float)[:, None] > np.asarray(edges)).sum(1).astype(np.int64)"
MOST = "if most < 2:"
TIMES = "times = Counter(token.lower() for token in tokens)"
CAPPED = "return np.array([min(times[token.lower()], most) - 1 for token in tokens], dtype=np.int64)"

ONCE = "if sorted(order) != list(range(len(groups))):"
OWN = "items.setdefault(groups[i], []).append(i)"
JOINED = "return np.array([i for own in items.values() for i in own], dtype=np.int64)"
DEPTH = "if depth < 1:"
BEST = 'best = np.argsort(-np.asarray(scores, dtype=float), kind="stable")'
CANDIDATES = "found = [int(d) for d in best if scores[d] > 0 and int(d) not in relevant][:depth]"
NONE = "if not found:"
CHOSEN = "return found[int(rng.integers(len(found)))]"

BAD_SCORE = "if not high > low or score != score:"
TEXT = "return str(round(100 * min(max((score - low) / (high - low), 0.0), 1.0)))"
HOLDS = 'if "[SEP]" in query:'
START = 'start = len(query) + len(" [SEP] ")'
INJECTED = 'text = f"{query} [SEP] {score_text(score, low, high)}"'
TOLD = "return text, start, len(text)"
WEIGHT = "if not 0 <= weight <= 1:"
ZERO = "total = logits_a.new_zeros(())"
SHARES = "((logits_a, labels_a, 1 - weight), (logits_b, labels_b, weight))"
LABELED = "labeled = labels != -100"
SOME = "if share and labeled.any():"
ADDED = "total = total + share * F.cross_entropy(logits[labeled], labels[labeled])"

QUESTIONS = {
    "q1": Question(
        right={
            "weights and a product, cleaned by place": """
def span_means(states, offsets, parts, spans):
    if not spans or not spans[0] or any(len(row) != len(spans[0]) for row in spans):
        raise ValueError("each input needs as many spans")
    rows = []
    for b in range(len(spans)):
        for part, first, last in spans[b]:
            use = [
                t
                for t in range(states.shape[1])
                if parts[b, t] == part and max(first, offsets[b, t, 0]) < min(last, offsets[b, t, 1])
            ]
            if not use:
                raise ValueError(f"nothing touches {first} to {last}")
            rows.append(sum(states[b, t].astype(states.dtype) / states.dtype.type(len(use)) for t in use))
    return np.array(rows, dtype=states.dtype).reshape(len(spans), -1, states.shape[2])
""",
            "characters in sets": """
def span_means(states, offsets, parts, spans):
    if len(set(map(len, spans))) != 1 or len(spans[0]) < 1:
        raise ValueError("numbers of spans")
    def one(b, part, first, last):
        wanted = set(range(first, last))
        use = [t for t, (i, j) in enumerate(offsets[b].tolist()) if parts[b][t] == part and wanted & set(range(i, j))]
        if len(use) == 0:
            raise ValueError("no piece")
        return np.mean(states[b][use], axis=0)
    return np.stack([np.stack([one(b, *span) for span in row]) for b, row in enumerate(spans)])
""",
            "where and einsum": """
def span_means(states, offsets, parts, spans):
    if not spans or len({len(row) for row in spans}) > 1 or not len(spans[0]):
        raise ValueError("spans")
    spans = np.array([[tuple(span) for span in row] for row in spans])
    which, first, last = np.moveaxis(spans, 2, 0)[..., None]
    begin, end = offsets[:, None, :, 0], offsets[:, None, :, 1]
    shared = np.minimum(end, last) - np.maximum(begin, first)
    touch = (parts[:, None] == which) & (shared > 0)
    number = touch.sum(2)
    if (number == 0).any():
        raise ValueError("a span without a piece")
    rows = [[np.add.reduce(np.where(t[:, None], x, 0), axis=0, dtype=float) for t in some] for some, x in zip(touch, states)]
    return (np.array(rows) / number[..., None]).astype(states.dtype)
""",
            "torch and a table of characters": """
def span_means(states, offsets, parts, spans):
    found = []
    for b, row in enumerate(spans):
        owner = {}
        for t, (begin, end) in enumerate(offsets[b].tolist()):
            for c in range(begin, end):
                owner.setdefault((int(parts[b][t]), c), []).append(t)
        own = []
        for part, first, last in row:
            use = sorted({t for c in range(first, last) for t in owner.get((part, c), ())})
            if not use:
                raise ValueError(f"span {part}, {first} to {last}: no piece")
            own.append(torch.from_numpy(states[b])[use].mean(0))
        if len(own) != len(spans[0]) or not own:
            raise ValueError("as many spans each, one or more")
        found.append(torch.stack(own))
    if not found:
        raise ValueError("no inputs")
    return torch.stack(found).numpy()
""",
            "numpy's average": """
def span_means(states, offsets, parts, spans):
    S = len(spans[0]) if len(spans) else 0
    if S == 0 or not all(len(row) == S for row in spans):
        raise ValueError("bad spans")
    out = np.zeros((len(spans), S, states.shape[-1]))
    for b in range(len(spans)):
        for s in range(S):
            part, a, z = spans[b][s]
            idx = [t for t in np.flatnonzero(parts[b] == part) if min(z, offsets[b][t][1]) > max(a, offsets[b][t][0])]
            if len(idx) < 1:
                raise ValueError("untouched")
            out[b, s] = np.average(states[b][idx].astype(np.float64), axis=0, weights=np.ones(len(idx)))
    return out.astype(states.dtype)
""",
        },
        wrong={
            "different numbers allowed": (NUMBERS, "if 0 in numbers:"),
            "no spans allowed": (NUMBERS, "if len(numbers) != 1:"),
            "never refused": (NUMBERS, "if False:"),
            "float64 always": (EMPTY, EMPTY.replace("states.dtype", "np.float64")),
            "float32 always": (EMPTY, EMPTY.replace("states.dtype", "np.float32")),
            "axes exchanged": (MEAN, MEAN, "return means", "return means.transpose(1, 0, 2)"),
            "flat": ("return means", "return means.reshape(len(spans), -1)"),
            "offsets of the first input": (ENDS_OF, "begin, end = offsets[0].T"),
            "offsets turned": (ENDS_OF, "end, begin = offsets[b].T"),
            "the part ignored": (INSIDE, INSIDE.replace("(parts[b] == part) & ", "")),
            "special pieces only left out": (INSIDE, INSIDE.replace("parts[b] == part", "parts[b] >= 0")),
            "parts of the first input": (INSIDE, INSIDE.replace("parts[b]", "parts[0]")),
            "the first text always": (INSIDE, INSIDE.replace("== part", "== 0")),
            "empty pieces count": (INSIDE, INSIDE.replace("(begin < end) & ", "")),
            "begin on the end counts": (INSIDE, INSIDE.replace("begin < last", "begin <= last")),
            "end on the start counts": (INSIDE, INSIDE.replace("end > first", "end >= first")),
            "only pieces inside": (
                INSIDE,
                INSIDE.replace("begin < last", "end <= last").replace("end > first", "begin >= first"),
            ),
            "only pieces that begin inside": (INSIDE, INSIDE.replace("end > first", "begin >= first")),
            "only pieces that end inside": (INSIDE, INSIDE.replace("begin < last", "end <= last")),
            "only the piece at the start": (
                INSIDE,
                INSIDE.replace("begin < last", "begin <= first"),
            ),
            "all up to the end": (INSIDE, INSIDE.replace(" & (end > first)", "")),
            "all from the start": (INSIDE, INSIDE.replace(" & (begin < last)", "")),
            "the last character left out": (INSIDE, INSIDE.replace("begin < last", "begin < last - 1")),
            "one character more": (INSIDE, INSIDE.replace("begin < last", "begin < last + 1")),
            "no piece is nan": (ANY, "if False:"),
            "no piece is 0": (
                ANY,
                "if not inside.any():\n                means[b, s] = 0\n                continue\n            if False:",
            ),
            "another error": ('raise ValueError(f"no piece', 'raise IndexError(f"no piece'),
            "an empty message": (
                'f"the inputs have {sorted(numbers)} spans; give each as many, 1 or more"',
                '""',
            ),
            "the sum": (MEAN, "means[b, s] = states[b, inside].sum(0)"),
            "the maximum": (MEAN, "means[b, s] = states[b, inside].max(0)"),
            "the first piece": (MEAN, "means[b, s] = states[b, inside][0]"),
            "the last piece": (MEAN, "means[b, s] = states[b, inside][-1]"),
            "divided by all pieces": (
                MEAN,
                "means[b, s] = states[b, inside].sum(0) / states.shape[1]",
            ),
            "divided by the characters": (
                MEAN,
                "means[b, s] = states[b, inside].sum(0) / (last - first)",
            ),
            "weights times states, nan everywhere": (
                MEAN,
                "means[b, s] = (inside / inside.sum()) @ states[b]",
            ),
            "nan cleaned by value": (MEAN, "means[b, s] = np.nan_to_num(states[b, inside]).mean(0)"),
            "nanmean": (MEAN, "means[b, s] = np.nanmean(states[b, inside], axis=0)"),
            "states of the first input": (MEAN, "means[b, s] = states[0, inside].mean(0)"),
            "the mean over columns": (MEAN, "means[b, s] = states[b, inside].mean()"),
            "padding set to 0 in place": (
                MEAN,
                "states[parts < 0] = 0\n            means[b, s] = states[b, inside].mean(0)",
            ),
            "spans sorted": (
                "for s, (part, first, last) in enumerate(row):",
                "for s, (part, first, last) in enumerate(sorted(row)):",
            ),
            "half precision": (
                MEAN,
                "means[b, s] = states[b, inside].astype(np.float16).mean(0)",
            ),
            "by heart": ("return means", "return np.array([[[3.0, 1.0]]])"),
            "an empty span inside a piece": ("if first >= last or not inside.any():", "if not inside.any():"),
            "spans emptied": (
                "for s, (part, first, last) in enumerate(row):",
                "for s in range(len(row)):\n            part, first, last = row[s]\n            row[s] = (part, first, max(last, first))\n            row[s] = [part, first, last]",
            ),
            "spans used up": (
                "    return means",
                "    for row in spans:\n        row.clear()\n    return means",
            ),
            "states cleaned in place": (
                "means[b, s] = states[b, inside].mean(0)",
                "states[b][~(parts[b] >= 0)] = 0\n            means[b, s] = states[b, inside].mean(0)",
            ),
            "all but special pieces cleaned, then a product": (
                "means[b, s] = states[b, inside].mean(0)",
                "means[b, s] = (inside / inside.sum()).astype(states.dtype) @ np.where((parts[b] >= 0)[:, None], states[b], 0)",
            ),
            "prefix sums": (
                "means[b, s] = states[b, inside].mean(0)",
                "t = np.flatnonzero(inside)\n            c = np.concatenate([np.zeros((1, states.shape[2])), np.cumsum(states[b], 0)])\n            means[b, s] = (c[t[-1] + 1] - c[t[0]]) / (t[-1] + 1 - t[0])",
            ),
            "from the first to the last piece": (
                "means[b, s] = states[b, inside].mean(0)",
                "t = np.flatnonzero(inside)\n            means[b, s] = states[b, t[0] : t[-1] + 1].mean(0)",
            ),
            "a piece counts once a character": (
                "means[b, s] = states[b, inside].mean(0)",
                "w = (np.minimum(end, last) - np.maximum(begin, first))[inside]\n            means[b, s] = (w[:, None] * states[b, inside]).sum(0) / w.sum()",
            ),
            "at most two pieces": (
                "means[b, s] = states[b, inside].mean(0)",
                "means[b, s] = states[b, inside][[0, -1]].mean(0)",
            ),
            "rows that are not finite left out": (
                "means[b, s] = states[b, inside].mean(0)",
                "x = states[b, inside]\n            x = x[np.isfinite(x).all(1)]\n            means[b, s] = x.mean(0) if len(x) else 0",
            ),
            "only finite states allowed": (
                "    means = np",
                "    if not np.isfinite(states).all():\n        raise ValueError('nan')\n    means = np",
            ),
            "float columns only two": ("states.shape[2])", "2)"),
            "a span turned round is swapped": (
                "for s, (part, first, last) in enumerate(row):",
                "for s, (part, first, last) in enumerate(row):\n            first, last = min(first, last), max(first, last)",
            ),
            "an empty span is one character": (
                "for s, (part, first, last) in enumerate(row):",
                "for s, (part, first, last) in enumerate(row):\n            last = max(last, first + 1)",
            ),
            "nan of one column cleans the row": (
                "means[b, s] = states[b, inside].mean(0)",
                "means[b, s] = states[b, inside].mean(0)\n            if np.isnan(means[b, s]).any():\n                means[b, s] = np.nan",
            ),
        },
    ),
    "q2": Question(
        right={
            "a list of portions": """
def portion_ends(n, fractions):
    before = 0
    for f in fractions:
        if not f > before:
            raise ValueError("the fractions rise")
        before = f
    if before != 100 or n < 1:
        raise ValueError("up to 100, of one item or more")
    ends = []
    for f in fractions:
        end = max(round(n * f / 100), 1)
        if end not in ends:
            ends.append(end)
    return ends

def online_costs(X, y, classes, fit, order, ends, seed=1):
    n, order = len(y), [int(i) for i in order]
    if set(order) != set(range(n)) or len(order) != n:
        raise ValueError("order")
    if any(not 0 <= int(k) < classes for k in y):
        raise ValueError("labels")
    if any(b <= a for a, b in zip([0, *ends], ends)) or ends[-1] != n:
        raise ValueError("ends")
    bits = {i: float(np.log2(classes)) for i in order[: ends[0]]}
    for a, b in zip(ends, ends[1:]):
        predict = fit(X, y, np.array(order[:a]), classes, seed)
        for i, row in zip(order[a:b], predict(np.array(order[a:b]))):
            p = float(row[int(y[i])])
            bits[i] = float(-np.log2(p)) if p > 0 else float("inf")
    return np.array([bits[i] for i in range(n)])
""",
            "np.split": """
def portion_ends(n, fractions):
    f = np.asarray(fractions, dtype=float)
    if n < 1 or f.size == 0 or not (np.diff(np.concatenate([[0], f])) > 0).all() or f[-1] != 100:
        raise ValueError("bad fractions")
    return np.unique([max(1, round(n * one / 100)) for one in fractions]).tolist()

def online_costs(X, y, classes, fit, order, ends, seed=1):
    y = np.array(y, dtype=int)
    order = np.array(order)
    if len(order) != len(y) or (np.sort(order) != np.arange(len(y))).any():
        raise ValueError("not a permutation")
    if not set(y.tolist()) <= set(range(classes)):
        raise ValueError("labels outside")
    if len(set(ends)) < len(ends) or sorted(ends) != list(ends) or min(ends) <= 0 or max(ends) != len(y):
        raise ValueError("bad ends")
    p = np.full(len(y), 1 / classes)
    done = np.array([], dtype=int)
    for portion in np.split(order, ends[:-1]):
        if len(done):
            p[portion] = np.take_along_axis(fit(X, y, done, classes, seed)(portion), y[portion][:, None], 1)[:, 0]
        done = np.append(done, portion)
    with np.errstate(all="ignore"):
        return -np.log2(p)
""",
            "math and dictionaries": """
import math as _math

def portion_ends(n, fractions):
    fractions = list(fractions)
    if n < 1:
        raise ValueError("no items")
    if not fractions or not fractions[0] > 0 or fractions[-1] != 100:
        raise ValueError("from above 0 to 100")
    for a, b in zip(fractions[:-1], fractions[1:]):
        if not a < b:
            raise ValueError("rise")
    return list(dict.fromkeys(round(max(1, n * f / 100)) for f in fractions))

def online_costs(X, y, classes, fit, order, ends, seed=1):
    ends = [int(e) for e in ends]
    n = len(order)
    if n != len(y) or sorted(int(i) for i in order) != list(range(n)):
        raise ValueError("order")
    if not ends or ends[-1] != n or ends[0] <= 0 or any(q - p <= 0 for p, q in zip(ends, ends[1:])):
        raise ValueError("ends")
    if not all(k in range(classes) for k in np.asarray(y).tolist()):
        raise ValueError("labels")
    costs = np.zeros(n)
    costs[np.asarray(order)[: ends[0]]] = _math.log2(classes)
    for k in range(1, len(ends)):
        seen_items = np.asarray(order)[: ends[k - 1]].copy()
        sent = np.asarray(order)[ends[k - 1] : ends[k]].copy()
        P = np.asarray(fit(np.array(X), y, seen_items, classes, seed)(sent), dtype=float)
        for i, p in zip(sent, P):
            costs[i] = _math.inf if p[y[i]] == 0 else -_math.log2(p[y[i]])
    return costs
""",
            "lists of rows, torch": """
def portion_ends(n, fractions):
    if n < 1 or len(fractions) == 0 or fractions[-1] != 100 or not min(fractions) > 0:
        raise ValueError("fractions or n")
    if any(not fractions[k] < fractions[k + 1] for k in range(len(fractions) - 1)):
        raise ValueError("fractions")
    return sorted(set(int(np.round(max(1.0, f / 100 * n))) for f in fractions))

def online_costs(X, y, classes, fit, order, ends, seed=1):
    if sorted(np.asarray(order).tolist()) != list(range(len(y))):
        raise ValueError("order")
    if set(np.unique(y).tolist()) - set(range(classes)):
        raise ValueError("labels")
    if list(ends) != sorted(set(ends)) or not ends or not 0 < ends[0] or ends[-1] != len(y):
        raise ValueError("ends")
    order = np.asarray(order).tolist()
    out = torch.full((len(y),), float(np.log2(classes)), dtype=torch.float64)
    for a, b in zip(ends, ends[1:]):
        p = torch.as_tensor(fit(X, y, order[:a], classes, seed)(order[a:b]))
        k = torch.as_tensor(np.asarray(y)[order[a:b]])
        out[order[a:b]] = -torch.log2(p.double().gather(1, k[:, None])[:, 0])
    return out.numpy()
""",
        },
        wrong={
            "rising not checked": (RISING, "rising = len(fractions) > 0"),
            "equal fractions allowed": (
                RISING,
                RISING.replace("sorted(set(fractions))", "sorted(fractions)"),
            ),
            "no items allowed": (FRACTIONS, FRACTIONS.replace("n < 1 or ", "")),
            "a fraction of 0 allowed": (FRACTIONS, FRACTIONS.replace("not fractions[0] > 0 or ", "")),
            "the end not checked": (FRACTIONS, FRACTIONS.replace(" or fractions[-1] != 100", "")),
            "more than 100 allowed": (FRACTIONS, FRACTIONS.replace("!= 100", "< 100")),
            "nothing refused": (FRACTIONS, "if False:"),
            "rounded down": (ROUNDED, ROUNDED.replace("round(", "int(")),
            "rounded up": (
                ROUNDED,
                ROUNDED.replace("round(n * fraction / 100)", "-int(-n * fraction // 100)"),
            ),
            "halves rounded up": (
                ROUNDED,
                ROUNDED.replace("round(n * fraction / 100)", "int(n * fraction / 100 + 0.5)"),
            ),
            "not less than 1 forgotten": (
                ROUNDED,
                ROUNDED.replace("max(1, round(n * fraction / 100))", "round(n * fraction / 100)"),
            ),
            "doubles kept": (ROUNDED, ROUNDED.replace("{", "[").replace("}", "]")),
            "a tuple": (ROUNDED, ROUNDED.replace("sorted(", "tuple(sorted(") + ")"),
            "fractions of 1": (ROUNDED, ROUNDED.replace(" / 100", "")),
            "falling": (ROUNDED, ROUNDED.replace("fractions})", "fractions}, reverse=True)")),
            "sizes instead of ends": (
                ROUNDED,
                "ends = " + ROUNDED.removeprefix("return ") + "\n    return np.diff([0, *ends]).tolist()",
            ),
            "floats": (
                ROUNDED,
                ROUNDED.replace("round(n * fraction / 100)", "round(n * fraction / 100) * 1.0"),
            ),
            "the order not checked": (ORDER, "if False:"),
            "only the length checked": (ORDER, "if len(order) != len(y):"),
            "only the range checked": (ORDER, "if set(order.tolist()) != set(range(len(y))):"),
            "labels not checked": (LABELS, "if False:"),
            "negative labels allowed": (LABELS, "if y.max() >= classes:"),
            "large labels allowed": (LABELS, "if y.min() < 0 or y.max() > classes:"),
            "ends not checked": (ENDS, "if False:"),
            "the last end not checked": (ENDS, ENDS.replace(" or ends[-1] != len(y)", "")),
            "ends may stay": (ENDS, ENDS.replace("sorted(set(ends))", "sorted(ends)")),
            "an end of 0 allowed": (ENDS, ENDS.replace("ends[0] < 1 or ", "")),
            "errors after the work": (ENDS, "fit(X, y, order[:1], classes, seed)\n    " + ENDS),
            "nats in the first portion": (FIRST, FIRST.replace("np.log2", "np.log")),
            "the first portion free": (FIRST, "costs = np.zeros(len(y))"),
            "the first portion costs 1 bit": (FIRST, "costs = np.ones(len(y))"),
            "nats in the others": (COST, COST.replace("np.log2", "np.log")),
            "the sign forgotten": (COST, COST.replace("-np.log2", "np.log2")),
            "the guess instead of the label": (
                COST,
                "costs[sent] = -np.log2(predict(sent).max(1))",
            ),
            "1 minus the probability": (COST, COST.replace("predict(sent)[", "(1 - predict(sent))[")),
            "by place in the order": (COST, COST.replace("costs[sent]", "costs[start:end]")),
            "labels by place": (COST, COST.replace("y[sent]", "y[start:end]")),
            "errors instead of bits": (
                COST,
                "costs[sent] = predict(sent).argmax(1) != y[sent]",
            ),
            "probabilities cut off": (
                COST,
                COST.replace("np.log2(predict(sent)", "np.log2(np.maximum(predict(sent), 1e-9)"),
            ),
            "a warning for 0": (QUIET, "if True:"),
            "trained on the portion too": (FIT, FIT.replace("order[:start]", "order[:end]")),
            "trained on the last portion": (
                FIT,
                FIT.replace(
                    "order[:start]", "order[ends[ends.index(start) - 1] if start > ends[0] else 0 : start]"
                ),
            ),
            "trained on all": (FIT, FIT.replace("order[:start]", "order")),
            "trained once": (
                FIT,
                FIT.replace(
                    "fit(X, y, order[:start], classes, seed)", "fit(X, y, order[: ends[0]], classes, seed)"
                ),
            ),
            "rows sorted": (FIT, FIT.replace("order[:start]", "np.sort(order[:start])")),
            "the order ignored": (FIT, FIT.replace("order[:start]", "np.arange(start)")),
            "only X of the rows": (FIT, FIT.replace("fit(X, y", "fit(X[order], y[order]")),
            "classes of the rows": (
                FIT,
                FIT.replace("classes, seed", "int(y[order[:start]].max()) + 1, seed"),
            ),
            "the seed forgotten": (FIT, FIT.replace("classes, seed", "classes, 1")),
            "another seed each time": (FIT, FIT.replace("classes, seed", "classes, seed + start")),
            "the first portion trained too": (LOOP, "for start, end in pairwise([0, *ends]):"),
            "the last portion left out": (LOOP, "for start, end in pairwise(ends[:-1]):"),
            "the order sorted in place": (LOOP, "order.sort()\n    " + LOOP),
            "the total": ("return costs\n", "return costs.sum()\n"),
            "32 bits": ("return costs\n", "return costs.astype(np.float32)\n"),
            "y put in order": ("return costs\n", "y[:] = y[order]\n    return costs\n"),
            "a 0 put in front of the ends": (
                "    costs = np.full",
                "    ends.insert(0, 0)\n    ends.pop(0)\n    ends.pop()\n    ends += [len(y), len(y)]\n    costs = np.full",
            ),
            "ends used up": ("return costs\n", "del ends[0]\n    return costs\n"),
            "another seed if none is given": ("ends, seed=1):", "ends, seed=0):"),
            "NumPy's integers": (
                "return sorted({max(1, round(n * fraction / 100)) for fraction in fractions})",
                "return sorted(set(np.maximum(1, np.round(n * np.asarray(fractions) / 100)).astype(int)))",
            ),
            "fractions sorted in place": (
                "return sorted({max(1, round(n * fraction / 100)) for fraction in fractions})",
                "out = sorted({max(1, round(n * fraction / 100)) for fraction in fractions})\n    if isinstance(fractions, list):\n        fractions.pop()\n    return out",
            ),
            "the seed by keyword only": (
                ", classes, seed), order[start:end]",
                ", classes, 1 if seed == 1 else seed % 16), order[start:end]",
            ),
            "cut at 64 bits": ("return costs\n", "return np.minimum(costs, 64.0)\n"),
            "inf is 0": ("return costs\n", "costs[np.isinf(costs)] = 0\n    return costs\n"),
            "asked item by item": (
                "predict(sent)[np.arange(len(sent)), y[sent]])",
                "np.array([predict(np.array([i]))[0][y[i]] for i in sent]))",
            ),
            "asked for all the rest": (
                "predict(sent)[np.arange(len(sent)), y[sent]])",
                "predict(order[start:])[np.arange(len(sent)), y[sent]])",
            ),
            "asked for all items": (
                "predict(sent)[np.arange(len(sent)), y[sent]])",
                "predict(np.arange(len(y)))[sent, y[sent]])",
            ),
            "the probabilities changed": (
                "costs[sent] = -np.log2(predict(sent)[np.arange(len(sent)), y[sent]])",
                "p = predict(sent)\n            p /= p.sum(1, keepdims=True)\n            p[:, 0] += 1e-3\n            costs[sent] = -np.log2(p[np.arange(len(sent)), y[sent]])",
            ),
            "the mean of a portion for each": (
                "costs[sent] = -np.log2(predict(sent)[np.arange(len(sent)), y[sent]])",
                "costs[sent] = np.mean(-np.log2(predict(sent)[np.arange(len(sent)), y[sent]]))",
            ),
            "the rows are a view that is sorted later": (
                "    return costs\n",
                "    order[: ends[0]].sort()\n    return costs\n",
            ),
            "labels above K clipped": (
                "if y.min() < 0 or y.max() >= classes:",
                "y = np.minimum(y, classes - 1)\n    if y.min() < 0:",
            ),
            "costs in the order of sending": ("    return costs\n", "    return costs[order]\n"),
            "one portion refused": ("if not len(ends) or list(ends)", "if len(ends) < 2 or list(ends)"),
            "an assertion": (
                '        raise ValueError(f"the order must hold each of 0 to {len(y) - 1} once")',
                "        raise AssertionError('the order')",
            ),
        },
    ),
    "q3": Question(
        right={
            "loops": """
def uniform_bits(n, classes):
    import math
    if not classes >= 2:
        raise ValueError("two classes or more")
    return float(n * math.log2(classes))

def prior_bits(y):
    import math
    if not y:
        raise ValueError("no labels")
    total = 0.0
    for label in y:
        total -= math.log2(y.count(label) / len(y))
    return total + 0.0

def compression(costs, classes):
    import math
    costs = [float(c) for c in costs]
    if not costs or any(math.isnan(c) or c < 0 for c in costs):
        raise ValueError("costs")
    bits = math.fsum(costs) if not any(map(math.isinf, costs)) else math.inf
    return math.inf if bits == 0 else uniform_bits(len(costs), classes) / bits

def control_labels(keys, classes, rng):
    if classes <= 1:
        raise ValueError("classes")
    table = {}
    out = np.zeros(len(keys), dtype=np.int64)
    for i, key in enumerate(keys):
        if key not in table:
            table[key] = rng.choice(classes)
        out[i] = table[key]
    return out

def selectivity(guess, y, control_guess, control):
    def accuracy(a, b):
        a, b = list(a), list(b)
        if len(a) != len(b) or not a:
            raise ValueError("as many guesses as labels, one or more")
        return sum(bool(p == q) for p, q in zip(a, b)) / len(a)
    return accuracy(guess, y) - accuracy(control_guess, control)
""",
            "labels drawn at once": """
def uniform_bits(n, classes):
    if classes < 2:
        raise ValueError("classes")
    return float(n * np.log2(classes))

def prior_bits(y):
    counts = np.array(list(Counter(y).values()), dtype=float)
    if not counts.size:
        raise ValueError("none")
    return float((counts * np.log2(counts.sum() / counts)).sum())

def compression(costs, classes):
    costs = np.asarray(costs, dtype=np.float64)
    if costs.size < 1 or np.isnan(costs).any() or (costs < 0).any():
        raise ValueError("costs")
    with np.errstate(divide="ignore"):
        return float(np.float64(uniform_bits(costs.size, classes)) / costs.sum())

def control_labels(keys, classes, rng):
    if classes < 2:
        raise ValueError("classes")
    number = {}
    ids = [number.setdefault(key, len(number)) for key in keys]
    return rng.integers(0, classes, size=len(number)).astype(np.int64)[np.array(ids, dtype=np.int64)]

def selectivity(guess, y, control_guess, control):
    for a, b in ((guess, y), (control_guess, control)):
        if len(a) != len(b) or len(a) == 0:
            raise ValueError("lengths")
    return float(np.mean(np.equal(guess, y))) - float(np.mean(np.equal(control_guess, control)))
""",
            "NumPy's floats and np.unique": """
def uniform_bits(n, classes):
    if classes < 2:
        raise ValueError("classes")
    return np.log2(classes) * float(n)

def prior_bits(y):
    if not len(y):
        raise ValueError("no labels")
    counts = np.array(list(Counter(list(y)).values()))
    p = counts / counts.sum()
    return -(counts * np.log2(p)).sum()

def compression(costs, classes):
    costs = np.array(costs, dtype=float)
    if costs.size == 0 or np.isnan(costs).any() or costs.min() < 0:
        raise ValueError("costs")
    if np.isinf(costs).any():
        return 0.0
    if not costs.any():
        return float("inf")
    return costs.size * np.log2(classes) / costs.sum()

def control_labels(keys, classes, rng):
    if classes < 2:
        raise ValueError("classes")
    own = list(dict.fromkeys(keys))
    values = rng.choice(np.arange(classes), size=len(own), replace=True)
    table = dict(zip(own, values))
    return np.fromiter((table[key] for key in keys), dtype=np.int64, count=len(keys))

def selectivity(guess, y, control_guess, control):
    if len(y) == 0 or len(control) == 0 or len(guess) != len(y) or len(control) != len(control_guess):
        raise ValueError("numbers")
    return np.mean([a == b for a, b in zip(guess, y)]) - np.mean([a == b for a, b in zip(control_guess, control)])
""",
            "floor of a uniform number": """
def uniform_bits(n, classes):
    if not classes > 1:
        raise ValueError("classes")
    return sum([float(np.log2(classes))] * n, 0.0)

def prior_bits(y):
    from scipy.stats import entropy
    if len(y) < 1:
        raise ValueError("labels")
    return float(len(y) * entropy(list(Counter(y).values()), base=2))

def compression(costs, classes):
    if len(costs) < 1 or any(not c >= 0 for c in costs):
        raise ValueError("costs")
    bits = sum(float(c) for c in costs)
    try:
        return uniform_bits(len(costs), classes) / bits
    except ZeroDivisionError:
        return np.inf

def control_labels(keys, classes, rng):
    if classes < 2:
        raise ValueError("classes")
    table = {}
    for key in keys:
        if key not in table:
            table[key] = int(np.floor(rng.random() * classes))
    return np.array(list(map(table.get, keys)), dtype=np.int64).reshape(len(keys))

def selectivity(guess, y, control_guess, control):
    from sklearn.metrics import accuracy_score
    if not len(guess) or not len(control_guess):
        raise ValueError("no items")
    return accuracy_score(list(y), list(guess)) - accuracy_score(list(control), list(control_guess))
""",
        },
        wrong={
            "nats": (UNIFORM, UNIFORM.replace("np.log2", "np.log")),
            "the ten's logarithm": (UNIFORM, UNIFORM.replace("np.log2", "np.log10")),
            "one label": (UNIFORM, "return float(np.log2(classes))"),
            "n times K": (UNIFORM, "return float(n * classes)"),
            "whole bits": (UNIFORM, "return n * float(np.ceil(np.log2(classes)))"),
            "log of n": (UNIFORM, "return classes * float(np.log2(max(n, 1)))"),
            "K minus 1": (UNIFORM, UNIFORM.replace("log2(classes)", "log2(classes - 1)")),
            "one class allowed": (UNIFORM_CLASSES, "    return n"),
            "no classes allowed": (UNIFORM_CLASSES, BOTH_CLASSES.replace("< 2", "== 1") + "    return n"),
            "entropy of one label": (PRIOR, PRIOR.replace("-n * np.log2", "-n / len(y) * np.log2")),
            "prior in nats": (PRIOR, PRIOR.replace("np.log2", "np.log")),
            "prior negative": (PRIOR, PRIOR.replace("sum(-n", "sum(n")),
            "prior without counts": (PRIOR, PRIOR.replace("-n * np.log2", "-np.log2")),
            "prior of the classes": (PRIOR, "return float(len(y) * np.log2(len(set(y))))"),
            "prior from np.unique": (
                PRIOR,
                "n = np.unique(y, return_counts=True)[1]\n    return float(-(n * np.log2(n / n.sum())).sum())",
            ),
            "prior of integers only": (
                PRIOR,
                "n = np.bincount(y)\n    n = n[n > 0]\n    return float(-(n * np.log2(n / n.sum())).sum())",
            ),
            "no labels cost 0": (NO_LABELS, "if False:"),
            "compression turned round": (QUOTIENT, "return float(total) / uniform_bits(len(costs), classes)"),
            "the bits saved": (QUOTIENT, "return uniform_bits(len(costs), classes) - float(total)"),
            "the mean of quotients": (QUOTIENT, "return float(np.mean(np.log2(classes) / costs))"),
            "0 bits give an error": (QUOTIENT, "return uniform_bits(len(costs), classes) / float(total)"),
            "0 bits give 0": (QUOTIENT, QUOTIENT.replace('float("inf")', "0.0")),
            "never below 1": (QUOTIENT, QUOTIENT.replace("return ", "return max(1.0, ") + ")"),
            "two classes always": (QUOTIENT, QUOTIENT.replace("classes)", "2)")),
            "rounded": (QUOTIENT, QUOTIENT.replace("return ", "return round(") + ", 2)"),
            "inf left out": ("total = costs.sum()", "total = costs[np.isfinite(costs)].sum()"),
            "inf refused": (
                NO_COSTS,
                "if not len(costs) or not np.isfinite(costs).all() or (costs < 0).any():",
            ),
            "no costs allowed": (NO_COSTS, "if not (costs >= 0).all():"),
            "negative costs allowed": (NO_COSTS, "if not len(costs) or np.isnan(costs).any():"),
            "nan allowed": (NO_COSTS, "if not len(costs) or (costs < 0).any():"),
            "a cost of 0 refused": (NO_COSTS, "if not len(costs) or not (costs > 0).all():"),
            "a label for each item": (
                CONTROL,
                "return np.array([int(rng.integers(classes)) for key in keys], dtype=np.int64)",
            ),
            "labels in turn": (
                DRAWN,
                "drawn = {key: n % classes for n, key in enumerate(dict.fromkeys(keys))}",
            ),
            "shuffled turns": (
                DRAWN,
                "own = list(dict.fromkeys(keys))\n    turns = rng.permutation(len(own)) % classes\n    drawn = dict(zip(own, turns.tolist()))",
            ),
            "by hash": (DRAWN, "drawn = {key: hash(key) % classes for key in keys}"),
            "by length": (DRAWN, "drawn = {key: len(str(key)) % classes for key in keys}"),
            "one label for all": (
                DRAWN,
                "one = int(rng.integers(classes))\n    drawn = {key: one for key in keys}",
            ),
            "the last class never": (
                DRAWN,
                DRAWN.replace("rng.integers(classes)", "rng.integers(max(1, classes - 1))"),
            ),
            "from 1 to K": (DRAWN, DRAWN.replace("rng.integers(classes)", "rng.integers(1, classes + 1)")),
            "NumPy's old generator": (DRAWN, DRAWN.replace("rng.integers", "np.random.randint")),
            "equally many of each label": (
                DRAWN,
                "own = list(dict.fromkeys(keys))\n    turns = np.resize(np.arange(classes), len(own))\n    drawn = dict(zip(own, rng.permutation(turns).tolist()))",
            ),
            "the global generator": (DRAWN, DRAWN.replace("rng.", "np.random.default_rng().")),
            "a generator of its own": (
                DRAWN,
                "rng = np.random.default_rng(1)\n    " + DRAWN,
            ),
            "a generator for each key": (DRAWN, DRAWN.replace("rng.", "np.random.default_rng(0).")),
            "in sorted order": (DRAWN, DRAWN.replace("dict.fromkeys(keys)", "sorted(set(keys))")),
            "keys as text": (
                DRAWN,
                "keys = [str(key)[:1] for key in keys]\n    " + DRAWN,
            ),
            "rare words get 0": (
                DRAWN,
                DRAWN.replace(
                    "int(rng.integers(classes))", "int(rng.integers(classes)) * (list(keys).count(key) > 1)"
                ),
            ),
            "uneven": (
                DRAWN,
                DRAWN.replace("int(rng.integers(classes))", "int(rng.integers(classes) * rng.integers(2))"),
            ),
            "another type": (CONTROL, CONTROL.replace("np.int64", "np.int32")),
            "a list": (CONTROL, "return [drawn[key] for key in keys]"),
            "one label for each key": (CONTROL, "return np.array(list(drawn.values()), dtype=np.int64)"),
            "control with one class allowed": (CONTROL_CLASSES, "    drawn"),
            "control first": (
                DIFFERENCE,
                "return float((parts[2] == parts[3]).mean() - (parts[0] == parts[1]).mean())",
            ),
            "a quotient": (
                DIFFERENCE,
                "return float((parts[0] == parts[1]).mean() / (parts[2] == parts[3]).mean())",
            ),
            "the accuracy": (DIFFERENCE, "return float((parts[0] == parts[1]).mean())"),
            "the error rate": (
                DIFFERENCE,
                "return float((parts[0] != parts[1]).mean() - (parts[2] != parts[3]).mean())",
            ),
            "counts": (
                DIFFERENCE,
                "return float((parts[0] == parts[1]).sum() - (parts[2] == parts[3]).sum())",
            ),
            "never negative": (DIFFERENCE, DIFFERENCE.replace("float(", "max(0.0, float(") + ")"),
            "lengths not checked": (GUESSES, "if not (len(y) and len(control)):"),
            "the control's length not checked": (
                GUESSES,
                "if len(guess) != len(y) or not (len(y) and len(control)):",
            ),
            "the task's length not checked": (
                GUESSES,
                "if len(control_guess) != len(control) or not (len(y) and len(control)):",
            ),
            "no items allowed": (GUESSES, "if len(guess) != len(y) or len(control_guess) != len(control):"),
            "equal numbers demanded": (
                GUESSES,
                "if len({len(guess), len(y), len(control_guess), len(control)}) > 1 or not len(y):",
            ),
            "selectivity rounded": (
                "return float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())",
                "return round(float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean()), 2)",
            ),
            "balanced accuracy": (
                "return float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())",
                "return float(np.mean([(parts[0][parts[1] == k] == k).mean() for k in set(parts[1])]) - (parts[2] == parts[3]).mean())",
            ),
            "control's balanced accuracy": (
                "return float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())",
                "return float((parts[0] == parts[1]).mean() - np.mean([(parts[2][parts[3] == k] == k).mean() for k in set(parts[3])]))",
            ),
            "the first guesses only": (
                "return float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())",
                "return float((parts[0] == parts[1])[:10].mean() - (parts[2] == parts[3])[:10].mean())",
            ),
            "selectivity is an array": (
                "return float((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())",
                "return np.array((parts[0] == parts[1]).mean() - (parts[2] == parts[3]).mean())",
            ),
            "every key as text": ("    drawn = {key:", "    keys = list(map(str, keys))\n    drawn = {key:"),
            "keys in one array": (
                "    drawn = {key:",
                "    keys = np.array([key[0] if isinstance(key, tuple) else key for key in keys]).tolist()\n    drawn = {key:",
            ),
            "in the order of a set": ("for key in dict.fromkeys(keys)}", "for key in set(keys)}"),
            "memory of earlier calls": (
                "    drawn = {key: int(rng.integers(classes)) for key in dict.fromkeys(keys)}",
                "    drawn = control_labels.__dict__\n    for key in dict.fromkeys(keys):\n        if key not in drawn:\n            drawn[key] = int(rng.integers(classes))",
            ),
            "inf replaced in place": (
                "total = costs.sum()",
                "bad = np.isinf(costs)\n    if bad.any():\n        costs[bad] = 0\n        return 0.0\n    total = costs.sum()",
            ),
            "costs sorted in place": ("total = costs.sum()", "costs.sort()\n    total = costs.sum()"),
            "a nan that is not alone allowed": (
                "if not len(costs) or not (costs >= 0).all():",
                "if not len(costs) or (costs < 0).any() or np.isnan(costs).all():",
            ),
            "nan left out of the sum": (
                "if not len(costs) or not (costs >= 0).all():",
                "costs = costs[~np.isnan(costs)]\n    if not len(costs) or not (costs >= 0).all():",
            ),
            "costs below a bit only": (
                "total = costs.sum()",
                "total = np.minimum(costs, np.log2(classes)).sum() if np.isfinite(costs).all() else np.inf",
            ),
            "drawn before the error": (
                "    drawn = {key:",
                "    drawn = {key:",
                'def control_labels(keys, classes, rng):\n    """One random label for each different key, (N,)."""\n',
                'def control_labels(keys, classes, rng):\n    """One random label for each different key, (N,)."""\n    rng.random()\n',
            ),
            "control labels never all alike": (
                "    return np.array([drawn[key]",
                "    while len(drawn) > 1 and len(set(drawn.values())) == 1:\n        drawn = {key: int(rng.integers(classes)) for key in drawn}\n    return np.array([drawn[key]",
            ),
            "case ignored": (
                "    drawn = {key:",
                "    keys = [key.lower() if isinstance(key, str) else key for key in keys]\n    drawn = {key:",
            ),
            "an assertion": (
                'raise ValueError("there are no labels; give one or more")',
                'raise AssertionError("none")',
            ),
            "no message": ('raise ValueError("there are no labels; give one or more")', "raise ValueError"),
        },
    ),
    "q4": Question(
        right={
            "a matrix of counts": """
def compression_interval(costs, groups, classes, resamples, rng, against=None):
    groups = list(groups)
    names = {}
    ids = np.array([names.setdefault(g, len(names)) for g in groups], dtype=int)
    G = len(names)
    if G < 2 or classes < 2 or resamples < 1:
        raise ValueError("too few")
    for code in (costs, against):
        if code is not None and (len(code) != len(groups) or not np.all(np.isfinite(code)) or np.min(code) <= 0):
            raise ValueError("bad costs")
    times = rng.multinomial(G, np.full(G, 1 / G), size=resamples)
    sizes = np.zeros(G)
    np.add.at(sizes, ids, 1)
    def both(code):
        bits = np.zeros(G)
        np.add.at(bits, ids, np.asarray(code, dtype=float))
        factor = np.log2(classes)
        return factor * sizes.sum() / bits.sum(), factor * (times @ sizes) / (times @ bits)
    estimate, many = both(costs)
    if against is not None:
        other, more = both(against)
        estimate, many = estimate - other, many - more
    return float(estimate), float(np.quantile(many, 0.025)), float(np.quantile(many, 0.975))
""",
            "choice": """
def compression_interval(costs, groups, classes, resamples, rng, against=None):
    table = {}
    others = costs if against is None else against
    if len(costs) != len(groups) or len(others) != len(groups):
        raise ValueError("lengths")
    for cost, other, group in zip(costs, others, groups):
        if not (0 < cost < np.inf and 0 < other < np.inf):
            raise ValueError("a cost")
        row = table.setdefault(group, [0.0, 0.0, 0])
        row[0] += cost
        row[1] += other
        row[2] += 1
    if len(table) < 2:
        raise ValueError("groups")
    if classes < 2 or resamples < 1:
        raise ValueError("sizes")
    rows = np.array(list(table.values()))
    picked = rng.choice(len(rows), size=(resamples, len(rows)), replace=True)
    def value(total):
        mine = total[..., 2] * np.log2(classes) / total[..., 0]
        return mine if against is None else mine - total[..., 2] * np.log2(classes) / total[..., 1]
    many = value(rows[picked].sum(1))
    return float(value(rows.sum(0))), float(np.percentile(many, 2.5)), float(np.percentile(many, 97.5))
""",
            "a loop over resamples": """
def compression_interval(costs, groups, classes, resamples, rng, against=None):
    names = list(dict.fromkeys(groups))
    if len(names) < 2:
        raise ValueError("groups")
    if classes < 2:
        raise ValueError("classes")
    if resamples < 1:
        raise ValueError("resamples")
    codes = [np.asarray(costs, dtype=float)]
    if against is not None:
        codes.append(np.asarray(against, dtype=float))
    for code in codes:
        if len(code) != len(groups):
            raise ValueError("lengths")
        if not np.all(np.isfinite(code)) or np.any(code <= 0):
            raise ValueError("costs")
    place = {name: k for k, name in enumerate(names)}
    ids = np.array([place[g] for g in groups])
    sizes = np.array([np.sum(ids == k) for k in range(len(names))])
    bits = [np.array([np.sum(code[ids == k]) for k in range(len(names))]) for code in codes]
    def value(chosen):
        uniform = np.sum(sizes[chosen]) * np.log2(classes)
        result = uniform / np.sum(bits[0][chosen])
        if len(bits) > 1:
            result = result - uniform / np.sum(bits[1][chosen])
        return result
    values = []
    for _ in range(resamples):
        chosen = rng.choice(len(names), size=len(names), replace=True)
        values.append(value(chosen))
    low, high = np.percentile(values, [2.5, 97.5])
    return value(np.arange(len(names))), low, high
""",
            "items joined in each resample": """
def compression_interval(costs, groups, classes, resamples, rng, against=None):
    if len(costs) != len(groups) or (against is not None and len(against) != len(groups)):
        raise ValueError("lengths")
    costs = np.array(costs, dtype=float)
    other = None if against is None else np.array(against, dtype=float)
    for code in (costs, other):
        if code is not None and ((code <= 0).any() or not np.isfinite(code).all()):
            raise ValueError("costs")
    members = defaultdict(list)
    for i, g in enumerate(groups):
        members[g].append(i)
    members = [np.array(m) for m in members.values()]
    if len(members) < 2 or classes < 2 or resamples < 1:
        raise ValueError("few")
    def value(items):
        mine = len(items) * np.log2(classes) / costs[items].sum()
        return mine if other is None else mine - len(items) * np.log2(classes) / other[items].sum()
    values = np.empty(resamples)
    for r in range(resamples):
        chosen = rng.integers(len(members), size=len(members))
        values[r] = value(np.concatenate([members[g] for g in chosen]))
    return (float(value(np.arange(len(costs)))), float(np.percentile(values, 2.5)), float(np.percentile(values, 97.5)))
""",
        },
        wrong={
            "items drawn": (
                NUMBER,
                "number = {n: n for n in range(len(groups))}",
                MEMBER,
                "member = np.arange(len(groups))",
            ),
            "one group allowed": (FEW, FEW.replace("len(number) < 2", "len(number) < 1")),
            "one class allowed": (FEW, FEW.replace("classes < 2 or ", "")),
            "no resamples allowed": (FEW, FEW.replace(" or resamples < 1", "")),
            "few not refused": (FEW, "if False:"),
            "two resamples demanded": (FEW, FEW.replace("resamples < 1", "resamples < 2")),
            "lengths not checked": (LONG, "if len(costs) < len(groups):"),
            "against's length not checked": (
                LONG,
                "if len(costs) != len(groups):",
                CODES,
                CODES + "\n    codes = [code[: len(groups)] if n else code for n, code in enumerate(codes)]",
            ),
            "inf allowed": (FINITE, "if not all((code > 0).all() for code in codes):"),
            "0 allowed": (FINITE, "if not all((np.isfinite(code) & (code >= 0)).all() for code in codes):"),
            "against not checked": (FINITE, "if not (np.isfinite(codes[0]) & (codes[0] > 0)).all():"),
            "negative allowed": (
                FINITE,
                "if not all((np.isfinite(code) & (code != 0)).all() for code in codes):",
            ),
            "drawn before the check": (FEW, "rng.integers(2)\n    " + FEW),
            "without replacement": (
                GROUP_DRAW,
                "drawn = np.array([rng.permutation(len(number)) for _ in range(resamples)])",
            ),
            "half of the groups": (
                GROUP_DRAW,
                GROUP_DRAW.replace("(resamples, len(number))", "(resamples, max(1, len(number) // 2))"),
            ),
            "twice as many groups": (
                GROUP_DRAW,
                GROUP_DRAW.replace("(resamples, len(number))", "(resamples, 2 * len(number))"),
            ),
            "the items of each resample added up": (
                MANY,
                "many = np.array(\n            [\n                sum(np.log2(classes) for g in one for m in member if m == g)\n                / sum(code[i] for g in one for i in range(len(code)) if member[i] == g)\n                for one in drawn\n            ]\n        )",
            ),
            "the mean of the groups' quotients": (MANY, "many = (uniform / bits)[drawn].mean(1)"),
            "as many groups as items": (
                GROUP_DRAW,
                GROUP_DRAW.replace("(resamples, len(number))", "(resamples, len(groups))"),
            ),
            "the last group never": (
                GROUP_DRAW,
                GROUP_DRAW.replace("rng.integers(len(number),", "rng.integers(len(number) - 1,"),
            ),
            "the first group always": (GROUP_DRAW, GROUP_DRAW + "\n    drawn[:, 0] = 0"),
            "groups by their size": (
                GROUP_DRAW,
                "sizes = np.array(list(Counter(groups).values()))\n    drawn = rng.choice(len(number), p=sizes / sizes.sum(), size=(resamples, len(number)))",
            ),
            "a generator of its own": (GROUP_DRAW, "rng = np.random.default_rng(1)\n    " + GROUP_DRAW),
            "another generator each time": (GROUP_DRAW, "rng = np.random.default_rng()\n    " + GROUP_DRAW),
            "one draw for all": (GROUP_DRAW, GROUP_DRAW + "\n    drawn[:] = drawn[0]"),
            "a group counts once": (
                MANY,
                "many = np.array([uniform[np.unique(d)].sum() / bits[np.unique(d)].sum() for d in drawn])",
            ),
            "the mean of groups' quotients": (MANY, "many = (uniform / bits)[drawn].mean(1)"),
            "the estimate a mean of quotients": (
                WHOLE,
                "found.append(np.append(many, (uniform / bits).mean()))",
            ),
            "the estimate a mean of resamples": (WHOLE, "found.append(np.append(many, many.mean()))"),
            "the median as estimate": (WHOLE, "found.append(np.append(many, np.median(many)))"),
            "turned round": (
                MANY,
                "many = bits[drawn].sum(1) / uniform[drawn].sum(1)",
                WHOLE,
                "found.append(np.append(many, bits.sum() / uniform.sum()))",
            ),
            "nats": (SIZES, SIZES.replace("np.log2", "np.log")),
            "two classes always": (SIZES, SIZES.replace("np.log2(classes)", "1.0")),
            "uniform of all items": (MANY, MANY.replace("uniform[drawn].sum(1)", "uniform.sum()")),
            "bits of all items": (MANY, MANY.replace("bits[drawn].sum(1)", "bits.sum()")),
            "sizes ignored": (
                BITS,
                BITS + " / np.bincount(member)",
                SIZES,
                "uniform = np.ones(len(number)) * np.log2(classes)",
            ),
            "against ignored": (MINUS, "values = found[0]"),
            "against minus costs": (MINUS, "values = found[1] - found[0] if len(found) > 1 else found[0]"),
            "a quotient of codes": (MINUS, "values = found[0] / found[1] if len(found) > 1 else found[0]"),
            "differences unpaired": (
                MANY,
                "drawn = rng.integers(len(number), size=drawn.shape)\n        " + MANY,
            ),
            "differences of ends": (
                MINUS,
                MINUS
                + "\n    values = values if len(found) < 2 else np.append(np.sort(found[0][:-1]) - np.sort(found[1][:-1])[::-1], values[-1])",
            ),
            "90%": (THREE, THREE.replace("[2.5, 97.5]", "[5, 95]")),
            "99%": (THREE, THREE.replace("[2.5, 97.5]", "[0.5, 99.5]")),
            "smallest and largest": (THREE, THREE.replace("[2.5, 97.5]", "[0, 100]")),
            "a normal interval": (
                THREE,
                "s = values[:-1].std()\n    return float(values[-1]), float(values[-1] - 1.96 * s), float(values[-1] + 1.96 * s)",
            ),
            "one standard error": (
                THREE,
                "s = values[:-1].std()\n    return float(values[-1]), float(values[-1] - s), float(values[-1] + s)",
            ),
            "divided by the root of resamples": (
                THREE,
                "s = values[:-1].std() / resamples**0.5\n    return float(values[-1]), float(values[-1] - 1.96 * s), float(values[-1] + 1.96 * s)",
            ),
            "high first": (THREE, THREE.replace("[2.5, 97.5]", "[97.5, 2.5]")),
            "half widths": (
                THREE,
                "low, high = np.percentile(values[:-1], [2.5, 97.5])\n    return float(values[-1]), float(values[-1] - low), float(high - values[-1])",
            ),
            "an array": (THREE, "return np.array([values[-1], *np.percentile(values[:-1], [2.5, 97.5])])"),
            "the ends only": (THREE, "return tuple(map(float, np.percentile(values[:-1], [2.5, 97.5])))"),
            "by sorted groups": (NUMBER, NUMBER.replace("dict.fromkeys(groups)", "sorted(set(groups))")),
            "slow": (
                MANY,
                "many = np.array([sum(uniform[member[i]] / np.sum(member == member[i]) for g in d for i in range(len(member)) if member[i] == g) / bits[d].sum() for d in drawn])",
            ),
            "costs changed": (
                BITS,
                BITS + "\n        code *= 1.5\n        code /= 1.5\n        code += 1e-3",
            ),
            "one group less": ("size=(resamples, len(number)))", "size=(resamples, len(number) - 1))"),
            "one group more": ("size=(resamples, len(number)))", "size=(resamples, len(number) + 1))"),
            "the nearest value": (
                "np.percentile(values[:-1], [2.5, 97.5]))",
                "np.percentile(values[:-1], [2.5, 97.5], method='nearest'))",
            ),
            "sorted and cut": (
                "np.percentile(values[:-1], [2.5, 97.5]))",
                "np.sort(values[:-1])[[int(0.025 * resamples), min(resamples - 1, int(0.975 * resamples))]])",
            ),
            "the estimate among the resamples": (
                "np.percentile(values[:-1], [2.5, 97.5]))",
                "np.percentile(values, [2.5, 97.5]))",
            ),
            "groups as text": (
                "    number = {group: n for n, group in enumerate(dict.fromkeys(groups))}",
                "    groups = list(map(str, groups))\n    number = {group: n for n, group in enumerate(dict.fromkeys(groups))}",
            ),
            "groups in the order of a set": ("enumerate(dict.fromkeys(groups))", "enumerate(set(groups))"),
            "a fifth resamples": (
                "size=(resamples, len(number)))",
                "size=(max(1, resamples // 5), len(number)))",
            ),
            "at least 100 resamples": (
                "size=(resamples, len(number)))",
                "size=(max(100, resamples), len(number)))",
            ),
            "fewer costs than groups cut": (
                "if any(len(code) != len(groups) for code in codes):",
                "groups = groups[: len(codes[0])]\n    if any(len(code) != len(groups) for code in codes):",
            ),
            "half a percentile": ("[2.5, 97.5]", "[2.5, 97]"),
            "a bit off": ("[2.5, 97.5]", "[3, 97]"),
            "against of zero allowed": (
                "if not all((np.isfinite(code) & (code > 0)).all() for code in codes):",
                "if not (codes[0] > 0).all() or not all((np.isfinite(code) & (code >= 0)).all() for code in codes):",
            ),
            "against negative allowed": (
                "if not all((np.isfinite(code) & (code > 0)).all() for code in codes):",
                "if not (codes[0] > 0).all() or not all(np.isfinite(code).all() for code in codes):",
            ),
            "drawn before the error of costs": (
                "if not all((np.isfinite(code) & (code > 0)).all() for code in codes):",
                "rng.random()\n    if not all((np.isfinite(code) & (code > 0)).all() for code in codes):",
            ),
            "against in truth": (
                "for code in (costs, against) if code is not None]",
                "for code in (costs, against) if code is not None and np.any(code)]",
            ),
            "by the mean group size": (
                "uniform[drawn].sum(1) / bits",
                "(uniform.mean() * drawn.shape[1]) / bits",
            ),
            "jackknife": (
                "drawn = rng.integers(len(number), size=(resamples, len(number)))",
                "rng.integers(2)\n    drawn = np.array([[k for k in range(len(number)) if k != r % len(number)] for r in range(resamples)])",
            ),
            "groups drawn in order": (
                "drawn = rng.integers(len(number), size=(resamples, len(number)))",
                "drawn = (rng.integers(len(number), size=(resamples, 1)) + np.arange(len(number)) // 2) % len(number)",
            ),
            "neighboring items are a group": (
                "member = np.array([number[group] for group in groups])",
                "member = np.sort([number[group] for group in groups])",
            ),
        },
    ),
    "q5": Question(
        right={
            "percentiles, searchsorted, loops": """
def bin_edges(scores, bins):
    scores = [float(s) for s in scores]
    if bins < 2 or len(scores) < bins:
        raise ValueError("few")
    if not all(np.isfinite(s) for s in scores):
        raise ValueError("not finite")
    edges = np.percentile(scores, [100 * k / bins for k in range(1, bins)])
    if len(set(edges.tolist())) < bins - 1:
        raise ValueError("equal edges")
    return edges

def bin_labels(scores, edges):
    return np.searchsorted(np.asarray(edges, dtype=float), np.asarray(scores, dtype=float), side="left").astype(np.int64)

def frequency_classes(tokens, most=3):
    if not most >= 2:
        raise ValueError("most")
    lower = [t.lower() for t in tokens]
    return np.array([sum(u == t for u in lower) - 1 for t in lower], dtype=np.int64).clip(max=most - 1)
""",
            "sorting": """
def bin_edges(scores, bins):
    s = np.sort(np.array(scores, dtype=float))
    if bins <= 1 or s.size < bins or not np.all(np.isfinite(s)):
        raise ValueError("scores or bins")
    edges = []
    for k in range(1, bins):
        at = k / bins * (s.size - 1)
        low = int(np.floor(at))
        edges.append(s[low] + (at - low) * (s[min(low + 1, s.size - 1)] - s[low]))
    if any(b <= a for a, b in zip(edges, edges[1:])):
        raise ValueError("edges")
    return np.array(edges)

def bin_labels(scores, edges):
    return np.array([sum(e < s for e in edges) for s in scores], dtype=np.int64)

def frequency_classes(tokens, most=3):
    if most < 2:
        raise ValueError("most")
    counts = {}
    for token in tokens:
        counts[token.lower()] = counts.get(token.lower(), 0) + 1
    out = np.empty(len(tokens), dtype=np.int64)
    for i, token in enumerate(tokens):
        out[i] = min(most, counts[token.lower()]) - 1
    return out
""",
            "casefold and pandas": """
def bin_edges(scores, bins):
    scores = np.array(scores)
    if not bins >= 2:
        raise ValueError("bins")
    if scores.size < bins:
        raise ValueError("scores")
    if np.any(~np.isfinite(scores)):
        raise ValueError("finite")
    edges = np.quantile(scores, [k / bins for k in range(1, bins)])
    if np.unique(edges).size != edges.size:
        raise ValueError("equal")
    return edges

def bin_labels(scores, edges):
    return np.digitize(np.asarray(scores), edges, right=True).astype(np.int64)

def frequency_classes(tokens, most=3):
    if most < 2:
        raise ValueError("most")
    tokens = pd.Series([t.casefold() for t in tokens], dtype=object)
    counts = tokens.map(tokens.value_counts())
    return (counts.clip(upper=most).to_numpy(dtype=np.int64) - 1)
""",
            "pandas' quantiles, np.unique": """
def bin_edges(scores, bins):
    if bins < 2 or len(scores) < bins or any(s in (np.inf, -np.inf) or s != s for s in scores):
        raise ValueError("scores")
    edges = pd.Series(np.asarray(scores, dtype=float)).quantile([k / bins for k in range(1, bins)]).to_numpy()
    for a, b in pairwise(edges):
        if a == b:
            raise ValueError("edges")
    return edges

def bin_labels(scores, edges):
    labels = np.zeros(len(scores), dtype=np.int64)
    for edge in edges:
        labels += np.asarray(scores) > edge
    return labels

def frequency_classes(tokens, most=3):
    if most < 2:
        raise ValueError("most")
    if not len(tokens):
        return np.zeros(0, dtype=np.int64)
    _, back, counts = np.unique([t.lower() for t in tokens], return_inverse=True, return_counts=True)
    return (np.minimum(counts[back], most) - 1).astype(np.int64)
""",
        },
        wrong={
            "one bin allowed": (BAD_BINS, BAD_BINS.replace("bins < 2 or ", "")),
            "too few scores allowed": (
                BAD_BINS,
                BAD_BINS.replace("len(scores) < bins or ", "not len(scores) or "),
            ),
            "as many scores refused": (
                BAD_BINS,
                BAD_BINS.replace("len(scores) < bins", "len(scores) <= bins"),
            ),
            "nan allowed": (BAD_BINS, BAD_BINS.replace(" or not np.isfinite(scores).all()", "")),
            "inf allowed": (
                BAD_BINS,
                BAD_BINS.replace("not np.isfinite(scores).all()", "np.isnan(scores).any()"),
            ),
            "nothing refused": (BAD_BINS, "if False:"),
            "nan left out": (
                SCORES,
                "scores = np.asarray(scores, dtype=float)\n    scores = scores[~np.isnan(scores)]",
            ),
            "equal edges allowed": (EQUAL, "if False:"),
            "only neighbors far apart": (EQUAL, "if (np.diff(edges) <= 0.5).any():"),
            "equal edges dropped": (EQUAL, "edges = np.unique(edges)\n    if False:"),
            "equal width": (QUANTILES, "edges = np.linspace(scores.min(), scores.max(), bins + 1)[1:-1]"),
            "the ends too": (QUANTILES, "edges = np.quantile(scores, np.arange(0, bins + 1) / bins)"),
            "one edge too many": (
                QUANTILES,
                QUANTILES.replace("np.arange(1, bins)", "np.arange(1, bins + 1)"),
            ),
            "one edge too few": (
                QUANTILES,
                QUANTILES.replace("np.arange(1, bins)", "np.arange(1, max(2, bins - 1))"),
            ),
            "lower quantiles": (QUANTILES, QUANTILES.replace("/ bins)", '/ bins, method="lower")')),
            "nearest quantiles": (QUANTILES, QUANTILES.replace("/ bins)", '/ bins, method="nearest")')),
            "midpoints": (QUANTILES, QUANTILES.replace("/ bins)", '/ bins, method="midpoint")')),
            "percents": (QUANTILES, "edges = np.percentile(scores, np.arange(1, bins) / bins)"),
            "the normal's quantiles": (
                QUANTILES,
                "from scipy import stats\n    edges = scores.mean() + scores.std() * stats.norm.ppf(np.arange(1, bins) / bins)",
            ),
            "falling": (EQUAL, "edges = edges[::-1]\n    if (np.diff(edges) >= 0).any():"),
            "scores sorted in place": (SCORES, SCORES + "\n    scores.sort()"),
            "rounded edges": (EQUAL, "edges = edges.round(1)\n    if (np.diff(edges) <= 0).any():"),
            "an edge belongs up": (BINNED, BINNED.replace("[:, None] > ", "[:, None] >= ")),
            "edges above counted": (BINNED, BINNED.replace("[:, None] > ", "[:, None] < ")),
            "from 1": (
                BINNED,
                BINNED.replace(".sum(1)", ".sum(1) + 1").replace(
                    ".sum(1) + 1.astype", ".sum(1).__add__(1).astype"
                ),
            ),
            "the last class cut": (BINNED, BINNED + ".clip(max=len(edges) - 1)"),
            "np.digitize as it is": (BINNED, "return np.digitize(scores, edges).astype(np.int64)"),
            "the nearest edge": (
                BINNED,
                "return np.abs(np.asarray(scores)[:, None] - np.asarray(edges)).argmin(1)",
            ),
            "labels of their own quantiles": (
                BINNED,
                "order = np.argsort(np.argsort(scores))\n    return (order * (len(edges) + 1) // max(1, len(order))).astype(np.int64)",
            ),
            "another type": (BINNED, BINNED.replace("np.int64", "np.int32")),
            "floats": (BINNED, BINNED.replace("np.int64", "float")),
            "a list": (BINNED, BINNED + ".tolist()"),
            "inf is no score": (
                BINNED,
                "scores = np.asarray(scores, dtype=float)\n    scores = scores[np.isfinite(scores)]\n    "
                + BINNED,
            ),
            "cases apart": (
                TIMES,
                "times = Counter(tokens)",
                CAPPED,
                CAPPED.replace("times[token.lower()]", "times[token]"),
            ),
            "counted as written": (TIMES, "times = Counter(tokens)"),
            "first letter only": (
                TIMES,
                "tokens = [token[:1].lower() + token[1:] for token in tokens]\n    times = Counter(tokens)",
                CAPPED,
                CAPPED.replace("token.lower()", "token"),
            ),
            "ASCII only": (
                TIMES,
                "import string\n    small = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)\n    times = Counter(t.translate(small) for t in tokens)",
                CAPPED,
                CAPPED.replace("token.lower()", "token.translate(small)"),
            ),
            "words only": (TIMES, TIMES.replace(" in tokens)", " in tokens if token.isalpha())")),
            "not capped": (CAPPED, CAPPED.replace("min(times[token.lower()], most)", "times[token.lower()]")),
            "capped one later": (CAPPED, CAPPED.replace(", most) - 1", ", most + 1) - 1")),
            "capped one earlier": (CAPPED, CAPPED.replace(", most) - 1", ", most - 1) - 1")),
            "counts, not classes": (CAPPED, CAPPED.replace(") - 1 for", ") for")),
            "capped at 3": (CAPPED, CAPPED.replace("most) - 1", "3) - 1")),
            "occurrences so far": (
                CAPPED,
                "low = [t.lower() for t in tokens]\n    return np.array([min(low[: i + 1].count(t), most) - 1 for i, t in enumerate(low)], dtype=np.int64)",
            ),
            "a class for each word": (
                CAPPED,
                "return np.array([min(n, most) - 1 for n in times.values()], dtype=np.int64)",
            ),
            "most 1 allowed": (MOST, "if most < 1:"),
            "most never refused": (MOST, "if False:"),
            "the default is 2": ("most=3", "most=2"),
            "the default is 4": ("most=3", "most=4"),
            "frequencies of another type": (CAPPED, CAPPED.replace("np.int64", "np.int8")),
            "empty documents are floats": (CAPPED, CAPPED.replace(", dtype=np.int64", "")),
            "counted in the text": (
                "times = Counter(token.lower() for token in tokens)",
                "joined = ' '.join(tokens).lower()\n    times = {token.lower(): joined.count(token.lower()) for token in tokens}",
            ),
            "punctuation off": (
                "times = Counter(token.lower() for token in tokens)",
                "tokens = [t.strip('.,') for t in tokens]\n    times = Counter(token.lower() for token in tokens)",
            ),
            "plural s off": (
                "times = Counter(token.lower() for token in tokens)",
                "tokens = [t.lower().rstrip('s') for t in tokens]\n    times = Counter(token.lower() for token in tokens)",
            ),
            "tokens in lower case in place": (
                "times = Counter(token.lower() for token in tokens)",
                "if isinstance(tokens, list):\n        tokens[:] = [t.lower() for t in tokens]\n    times = Counter(token.lower() for token in tokens)",
            ),
            "edges of unique scores": (
                "edges = np.quantile(scores,",
                "edges = np.quantile(np.unique(scores),",
            ),
            "edges of the median-unbiased kind": (
                "np.arange(1, bins) / bins)",
                "np.arange(1, bins) / bins, method='median_unbiased')",
            ),
            "edges of weibull": (
                "np.arange(1, bins) / bins)",
                "np.arange(1, bins) / bins, method='weibull')",
            ),
            "close edges refused": ("if (np.diff(edges) <= 0).any():", "if (np.diff(edges) <= 1e-3).any():"),
            "only all equal edges refused": (
                "if (np.diff(edges) <= 0).any():",
                "if len(edges) > 1 and (np.diff(edges) <= 0).all():",
            ),
            "the first two edges only": (
                "if (np.diff(edges) <= 0).any():",
                "if len(edges) > 1 and edges[1] <= edges[0]:",
            ),
            "equal scores refused": (
                "if (np.diff(edges) <= 0).any():",
                "if len(set(scores.tolist())) < len(scores):",
            ),
            "equal neighbors nudged": (
                "if (np.diff(edges) <= 0).any():",
                "edges = edges + 1e-9 * np.arange(len(edges))\n    if (np.diff(edges) <= 0).any():",
            ),
            "a list of edges": ("    return edges\n", "    return edges.tolist()\n"),
            "edges rounded to 6": ("    return edges\n", "    return edges.round(4)\n"),
            "labels from float32": (
                "np.asarray(scores, dtype=float)[:, None] > np.asarray(edges)",
                "np.asarray(scores, dtype=np.float32)[:, None] > np.asarray(edges, dtype=np.float32)",
            ),
            "just above an edge": ("[:, None] > np.asarray(edges)", "[:, None] > np.asarray(edges) + 1e-6"),
            "nearly on an edge": (
                "[:, None] > np.asarray(edges)",
                "[:, None] > np.asarray(edges) * (1 + 1e-9)",
            ),
            "two edges at most": ("[:, None] > np.asarray(edges)", "[:, None] > np.asarray(edges)[:2]"),
            "an empty list is floats": (
                "return (np.asarray(scores, dtype=float)[:, None] > np.asarray(edges)).sum(1).astype(np.int64)",
                "return np.array([int(sum(e < s for e in edges)) for s in scores])",
            ),
            "most is the number of classes beyond once": ("most) - 1", "most + (most > 4)) - 1"),
        },
    ),
    "q6": Question(
        right={
            "sorting by first places": """
def keep_together(order, groups):
    order = [int(i) if float(i).is_integer() else i for i in np.asarray(order)]
    if len(order) != len(groups) or set(order) != set(range(len(groups))):
        raise ValueError("order or groups")
    first = {}
    for place, i in enumerate(order):
        first.setdefault(groups[i], place)
    return np.array(sorted(order, key=lambda i: first[groups[i]]), dtype=np.int64)

def hard_negative(scores, relevant, depth, rng):
    if depth <= 0:
        raise ValueError("depth")
    ranked = sorted((d for d in range(len(scores)) if scores[d] > 0 and d not in relevant), key=lambda d: (-scores[d], d))
    if not ranked:
        raise ValueError("no candidate")
    return int(rng.choice(ranked[:depth]))
""",
            "one group after the other": """
def keep_together(order, groups):
    if order.shape != (len(groups),) or not (np.sort(order) == np.arange(len(groups))).all():
        raise ValueError("order or groups")
    left, result = order.tolist(), []
    while left:
        group = groups[left[0]]
        result += [i for i in left if groups[i] == group]
        left = [i for i in left if groups[i] != group]
    return np.array(result, dtype=np.int64)

def hard_negative(scores, relevant, depth, rng):
    if not depth >= 1:
        raise ValueError("depth")
    masked = np.array(scores, dtype=float)
    masked[list(relevant)] = -np.inf
    masked[masked <= 0] = -np.inf
    best = np.lexsort((np.arange(len(masked)), -masked))[: min(depth, int(np.isfinite(masked).sum()))]
    if len(best) == 0:
        raise ValueError("no candidate")
    return best[rng.integers(len(best))].item()
""",
            "np.unique of places, permutation": """
def keep_together(order, groups):
    order = np.asarray(order, dtype=np.int64)
    if len(order) != len(groups) or not np.array_equal(np.bincount(order[(order >= 0) & (order < len(groups))], minlength=len(groups)), np.ones(len(groups))):
        raise ValueError("each once")
    rank = {}
    for i in order.tolist():
        rank.setdefault(groups[i], len(rank))
    return order[np.argsort([rank[groups[i]] for i in order.tolist()], kind="stable")]

def hard_negative(scores, relevant, depth, rng):
    if depth < 1:
        raise ValueError("depth")
    import heapq
    pool = [(float(s), -d) for d, s in enumerate(scores) if s > 0 and d not in relevant]
    best = [-d for _, d in heapq.nlargest(depth, pool)]
    if len(best) == 0:
        raise ValueError("none")
    return int(rng.permutation(best)[0])
""",
            "pandas": """
def keep_together(order, groups):
    n = len(groups)
    if len(order) != n or sorted(int(i) for i in order) != list(range(n)):
        raise ValueError("order")
    done, result = set(), []
    for i in order:
        if int(i) in done:
            continue
        for j in order:
            if groups[j] == groups[i] and int(j) not in done:
                done.add(int(j))
                result.append(int(j))
    return np.asarray(result, dtype=np.int64)

def hard_negative(scores, relevant, depth, rng):
    if depth < 1:
        raise ValueError("depth")
    table = pd.Series(np.asarray(scores, dtype=float))
    table = table.drop(index=[d for d in relevant if d < len(table)])
    table = table[table > 0].sort_values(ascending=False, kind="stable").head(depth)
    if table.empty:
        raise ValueError("nothing left")
    return int(table.index[int(rng.random() * len(table))])
""",
        },
        wrong={
            "the order not checked": (ONCE, "if len(order) != len(groups):"),
            "lengths not checked": (ONCE, "if sorted(order) != list(range(len(order))):"),
            "only the set checked": (ONCE, "if set(map(float, order)) != set(range(len(groups))):"),
            "nothing checked": (ONCE, "if False:"),
            "longer groups allowed": (
                ONCE,
                "if len(set(order)) != len(order) or max(order) >= len(groups) or min(order) < 0:",
            ),
            "negative numbers allowed": (
                ONCE,
                "if len(order) != len(groups) or len(set(order)) != len(order) or max(order) >= len(groups):",
            ),
            "the order as it is": (JOINED, "return np.array(order, dtype=np.int64)"),
            "groups by name": (
                JOINED,
                "return np.array([i for g in sorted(items, key=str) for i in items[g]], dtype=np.int64)",
            ),
            "items sorted": (
                JOINED,
                "return np.array([i for own in items.values() for i in sorted(own)], dtype=np.int64)",
            ),
            "largest group first": (
                JOINED,
                "return np.array([i for own in sorted(items.values(), key=len, reverse=True) for i in own], dtype=np.int64)",
            ),
            "groups turned": (
                JOINED,
                "return np.array([i for own in list(items.values())[::-1] for i in own], dtype=np.int64)",
            ),
            "items turned": (
                JOINED,
                "return np.array([i for own in items.values() for i in own[::-1]], dtype=np.int64)",
            ),
            "groups in the items' order": (
                JOINED,
                "return np.array([i for g in dict.fromkeys(groups) for i in items[g]], dtype=np.int64)",
            ),
            "groups by place": (
                OWN,
                "items.setdefault(groups[len([j for o in items.values() for j in o])], []).append(i)",
            ),
            "one item a group": (
                JOINED,
                "return np.array([own[0] for own in items.values()], dtype=np.int64)",
            ),
            "a list of groups": (JOINED, "return list(items.values())"),
            "a list": (JOINED, "return [int(i) for own in items.values() for i in own]"),
            "another type": (JOINED, JOINED.replace("np.int64", "np.int32")),
            "only neighbors joined": (
                JOINED,
                "own = list(items.values())\n    return np.array([i for o in own[:2] for i in o] + [i for i in order if all(i not in o for o in own[:2])], dtype=np.int64)",
            ),
            "numbers of groups": (
                JOINED,
                "return np.argsort([list(items).index(groups[i]) for i in range(len(groups))], kind='stable')",
            ),
            "items as a fast sort leaves them": (
                JOINED,
                "first = [list(items).index(groups[i]) for i in order]\n    return np.asarray(order, dtype=np.int64)[np.argsort(first)]",
            ),
            "unstable": (
                JOINED,
                "return np.array([i for own in items.values() for i in (own if len(own) < 3 else own[1:] + own[:1])], dtype=np.int64)",
            ),
            "groups as text": (OWN, "items.setdefault(str(groups[i])[:2], []).append(i)"),
            "the groups changed": (
                JOINED,
                "found = [i for own in items.values() for i in own]\n    if isinstance(groups, list):\n        groups.sort(key=str)\n    return np.array(found, dtype=np.int64)",
            ),
            "depth not checked": (DEPTH, "if False:"),
            "relevant ones too": (CANDIDATES, CANDIDATES.replace(" and int(d) not in relevant", "")),
            "only relevant ones": (CANDIDATES, CANDIDATES.replace("not in relevant", "in relevant")),
            "scores of 0 too": (CANDIDATES, CANDIDATES.replace("scores[d] > 0", "scores[d] >= 0")),
            "any score": (CANDIDATES, CANDIDATES.replace("scores[d] > 0 and ", "")),
            "scores above 1": (CANDIDATES, CANDIDATES.replace("scores[d] > 0", "scores[d] > 1")),
            "scores above a thousandth": (
                CANDIDATES,
                CANDIDATES.replace("scores[d] > 0", "scores[d] > 1e-3"),
            ),
            "cut first, then left out": (
                CANDIDATES,
                "found = [int(d) for d in best[:depth] if scores[d] > 0 and int(d) not in relevant]",
            ),
            "one too many": (CANDIDATES, CANDIDATES.replace("[:depth]", "[: depth + 1]")),
            "one too few": (CANDIDATES, CANDIDATES.replace("[:depth]", "[: max(1, depth - 1)]")),
            "no depth": (CANDIDATES, CANDIDATES.replace("[:depth]", "")),
            "the worst": (CANDIDATES, CANDIDATES.replace("[:depth]", "[-depth:]")),
            "from the worst": (BEST, BEST.replace("-np.asarray", "np.asarray")),
            "ties by the larger number": (
                BEST,
                "best = np.argsort(np.asarray(scores, dtype=float), kind='stable')[::-1]",
            ),
            "ties as a fast sort leaves them": (BEST, BEST.replace(', kind="stable"', "")),
            "ties by chance": (
                BEST,
                "mixed = rng.permutation(len(scores))\n    best = mixed[np.argsort(-np.asarray(scores, dtype=float)[mixed], kind='stable')]",
            ),
            "the order of documents": (BEST, "best = np.arange(len(scores))"),
            "rounded scores": (BEST, "best = np.argsort(-np.asarray(scores).astype(int), kind='stable')"),
            "no candidate is None": (NONE, "if not found:\n        return None\n    if False:"),
            "no candidate is −1": (NONE, "if not found:\n        return -1\n    if False:"),
            "any other if none": (
                NONE,
                "if not found:\n        found = [d for d in range(len(scores)) if d not in relevant] or [0]\n    if False:",
            ),
            "fewer than depth refused": (NONE, "if len(found) < depth:"),
            "the best always": (CHOSEN, "return found[0]"),
            "the last always": (CHOSEN, "return found[-1]"),
            "NumPy's old choice": (CHOSEN, "return int(np.random.choice(found))"),
            "by score": (
                CHOSEN,
                "w = np.array([scores[d] for d in found], dtype=float)\n    return int(rng.choice(found, p=w / w.sum()))",
            ),
            "never the last": (CHOSEN, "return found[int(rng.integers(max(1, len(found) - 1)))]"),
            "never the best": (CHOSEN, "return found[int(rng.integers(len(found) > 1, len(found)))]"),
            "the minimum of two draws": (CHOSEN, "return found[int(rng.integers(len(found), size=2).min())]"),
            "a place, not a document": (CHOSEN, "return int(rng.integers(len(found)))"),
            "a NumPy integer": (CHOSEN, "return np.int64(found[int(rng.integers(len(found)))])"),
            "an array": (CHOSEN, "return rng.choice(found, 1)"),
            "a generator of its own": (
                CHOSEN,
                "return found[int(np.random.default_rng(1).integers(len(found)))]",
            ),
            "the global generator": (
                CHOSEN,
                "return found[int(np.random.default_rng().integers(len(found)))]",
            ),
            "scores changed": (CHOSEN, "scores[list(relevant)] = 0\n    " + CHOSEN),
            "relevant ones added": (
                CHOSEN,
                "d = found[int(rng.integers(len(found)))]\n    relevant.add(d)\n    return d",
            ),
            "drawn before the error": ("if depth < 1:", "rng.random()\n    if depth < 1:"),
            "drawn before the error of no candidate": ("if not found:", "rng.random()\n    if not found:"),
            "float32 scores": (
                "best = np.argsort(-np.asarray(scores, dtype=float)",
                "best = np.argsort(-np.asarray(scores, dtype=np.float32)",
            ),
            "groups in the order of a set": (
                "for own in items.values() for i in own]",
                "for g in set(groups[j] for j in order) for i in items[g]]",
            ),
            "relevant counted into depth": (
                "not in relevant][:depth]",
                "not in relevant][: max(1, depth - sum(int(d) in relevant for d in best[:depth]))]",
            ),
            "ties all taken": (
                "not in relevant][:depth]",
                "not in relevant]\n    found = [d for d in found if not found[depth:] or scores[d] >= scores[found[depth - 1]]]",
            ),
            "a document twice as likely": (
                "return found[int(rng.integers(len(found)))]",
                "return (found + found[:1])[int(rng.integers(len(found) + 1))]",
            ),
            "by rank": (
                "return found[int(rng.integers(len(found)))]",
                "w = 1 / (1 + np.arange(len(found)))\n    return int(rng.choice(found, p=w / w.sum()))",
            ),
            "a bool set": ("and int(d) not in relevant", "and d not in list(map(str, relevant))"),
            "text groups by first letters": (
                "items.setdefault(groups[i], [])",
                "items.setdefault(groups[i] if not isinstance(groups[i], str) else groups[i].lower(), [])",
            ),
            "groups as text, too": (
                "items.setdefault(groups[i], [])",
                "items.setdefault(str(groups[i]), [])",
            ),
            "depth cut at ten": ("not in relevant][:depth]", "not in relevant][: min(depth, 10)]"),
            "a depth that is too large refused": (
                "if depth < 1:",
                "if depth < 1 or depth > 10 * len(scores):",
            ),
        },
    ),
    "q7": Question(
        right={
            "np.clip and log-softmax": """
def score_text(score, low, high):
    import math
    if math.isnan(score) or math.isnan(low) or math.isnan(high) or high <= low:
        raise ValueError("bad numbers")
    share = (score - low) / (high - low)
    share = 0.0 if share < 0 else 1.0 if share > 1 else share
    return f"{round(share * 100):d}"

def inject(query, score, low, high):
    if query.count("[SEP]"):
        raise ValueError("[SEP] in the query")
    number = score_text(score, low, high)
    text = " ".join([query, "[SEP]", number])
    return text, text.rindex(" ") + 1, len(text)

def two_task_loss(logits_a, labels_a, logits_b, labels_b, weight):
    if not (weight >= 0 and weight <= 1):
        raise ValueError("weight")
    def mean(logits, labels):
        keep = torch.nonzero(labels >= 0)[:, 0]
        if len(keep) == 0:
            return 0.0
        rows = logits.index_select(0, keep).log_softmax(1)
        return -rows.gather(1, labels[keep][:, None]).mean()
    loss = torch.zeros((), dtype=logits_a.dtype)
    if weight < 1:
        loss = loss + (1 - weight) * mean(logits_a, labels_a)
    if weight > 0:
        loss = loss + weight * mean(logits_b, labels_b)
    return loss
""",
            "nll": """
def score_text(score, low, high):
    if not (low < high and score == score):
        raise ValueError("low below high")
    return str(round(100 * float(np.clip((score - low) / (high - low), 0, 1))))

def inject(query, score, low, high):
    if "[SEP]" in query:
        raise ValueError("query")
    head = query + " [SEP] "
    tail = score_text(score, low, high)
    return head + tail, len(head), len(head) + len(tail)

def two_task_loss(logits_a, labels_a, logits_b, labels_b, weight):
    if not 0 <= weight <= 1:
        raise ValueError("weight")
    parts = []
    for share, logits, labels in ((1 - weight, logits_a, labels_a), (weight, logits_b, labels_b)):
        has = labels.ne(-100)
        if share == 0 or int(has.sum()) == 0:
            continue
        parts.append(share * F.nll_loss(F.log_softmax(logits[has], dim=-1), labels[has]))
    return sum(parts, torch.zeros((), dtype=logits_a.dtype))
""",
            "format and ignore_index": """
def score_text(score, low, high):
    if not low < high or np.isnan(score):
        raise ValueError("numbers")
    if score <= low:
        return "0"
    if score >= high:
        return "100"
    return f"{(score - low) / (high - low) * 100:.0f}"

def inject(query, score, low, high):
    number = score_text(score, low, high)
    if query.find("[SEP]") >= 0:
        raise ValueError("query")
    text = query + " [SEP] " + number
    return (text, len(text) - len(number), len(text))

def two_task_loss(logits_a, labels_a, logits_b, labels_b, weight):
    if weight < 0 or weight > 1 or weight != weight:
        raise ValueError("weight")
    a_ok, b_ok = (labels_a != -100), (labels_b != -100)
    loss = logits_a[:0].sum() + logits_b[:0].sum()
    if a_ok.sum() > 0 and weight != 1:
        loss = loss + (1 - weight) * F.cross_entropy(logits_a[a_ok], labels_a[a_ok], ignore_index=-100)
    if b_ok.sum() > 0 and weight != 0:
        loss = loss + weight * F.cross_entropy(logits_b[b_ok], labels_b[b_ok], ignore_index=-100)
    return loss
""",
            "cross_entropy over all rows, loops": """
def score_text(score, low, high):
    if high <= low or any(x != x for x in (score, low, high)):
        raise ValueError("numbers")
    share = (score - low) / (high - low)
    if share < 0:
        share = 0
    elif share > 1:
        share = 1
    return str(int(round(share * 100)))

def inject(query, score, low, high):
    if query.partition("[SEP]")[1]:
        raise ValueError("query")
    text = f"{query} [SEP] "
    start = len(text)
    text += score_text(score, low, high)
    return text, start, len(text)

def two_task_loss(logits_a, labels_a, logits_b, labels_b, weight):
    if not (0 <= weight <= 1):
        raise ValueError("weight")
    def task(logits, labels, share):
        rows = [i for i, k in enumerate(labels.tolist()) if k != -100]
        if not rows or share == 0:
            return torch.zeros((), dtype=logits.dtype, device=logits.device)
        each = [torch.logsumexp(logits[i], 0) - logits[i, labels[i]] for i in rows]
        return share * torch.stack(each).mean()
    return task(logits_a, labels_a, 1 - weight) + task(logits_b, labels_b, weight)
""",
            "plain cross_entropy with ignored labels": """
def score_text(score, low, high):
    if not high > low or score != score:
        raise ValueError("numbers")
    return str(round(float(torch.tensor((score - low) / (high - low), dtype=torch.float64).clamp(0, 1)) * 100))

def inject(query, score, low, high):
    if "[SEP]" in query:
        raise ValueError("query")
    number = score_text(score, low, high)
    return query + " [SEP] " + number, len(query) + 7, len(query) + 7 + len(number)

def two_task_loss(logits_a, labels_a, logits_b, labels_b, weight):
    if not 0 <= weight <= 1:
        raise ValueError("weight")
    loss = torch.zeros((), dtype=logits_a.dtype)
    if weight < 1 and not (labels_a == -100).all():
        loss = loss + (1 - weight) * F.cross_entropy(logits_a, labels_a)
    if weight > 0 and not (labels_b == -100).all():
        loss = loss + weight * F.cross_entropy(logits_b, labels_b)
    return loss
""",
        },
        wrong={
            "equal ends allowed": (BAD_SCORE, "if high < low or score != score:"),
            "turned ends allowed": (
                BAD_SCORE,
                "if high == low or score != score or low != low or high != high:",
            ),
            "nan allowed": (
                BAD_SCORE,
                "if not high > low:\n        raise ValueError('low')\n    if score != score:\n        return '0'\n    if False:",
            ),
            "nan ends allowed": (
                BAD_SCORE,
                "if low != low or high != high:\n        return '0'\n    if high <= low or score != score:",
            ),
            "not cut below": (TEXT, "return str(round(100 * min((score - low) / (high - low), 1.0)))"),
            "not cut above": (TEXT, "return str(round(100 * max((score - low) / (high - low), 0.0)))"),
            "cut down": (TEXT, TEXT.replace("round(", "int(")),
            "rounded up": (
                TEXT,
                "return str(int(-(-100 * min(max((score - low) / (high - low), 0.0), 1.0) // 1)))",
            ),
            "halves up": (TEXT, TEXT.replace("round(100", "int(0.5 + 100")),
            "of 10": (TEXT, TEXT.replace("100 *", "10 *")),
            "of 1": (TEXT, TEXT.replace("100 *", "1 *")),
            "two decimals": (TEXT, TEXT.replace("round(100 * ", "round(").replace("1.0))", "1.0), 2)")),
            "a number": (TEXT, TEXT.replace("str(", "(")),
            "three digits": (TEXT, TEXT + ".zfill(3)"),
            "percent": (TEXT, TEXT + ' + "%"'),
            "low forgotten": (TEXT, TEXT.replace("(score - low) / (high - low)", "score / high")),
            "divided by high": (TEXT, TEXT.replace("(high - low)", "high")),
            "at most 99": (TEXT, TEXT.replace("100 *", "99 *")),
            "negative": (
                TEXT,
                TEXT.replace("str(round(", "str(float(round(")
                .replace("1.0)))", "1.0))))")
                .replace("float(round", "-round")[:-1],
            ),
            "the query not checked": (HOLDS, "if False:"),
            "lower case refused too": (HOLDS, 'if "[sep]" in query.lower():'),
            "brackets refused": (HOLDS, 'if "[" in query:'),
            "only a whole query refused": (HOLDS, 'if query == "[SEP]":'),
            "SEP as a word refused": (HOLDS, 'if "[SEP]" in query.split():'),
            "empty queries refused": (HOLDS, 'if not query or "[SEP]" in query:'),
            "without [SEP]": (INJECTED, INJECTED.replace(" [SEP] ", " ")),
            "the number first": (INJECTED, 'text = f"{score_text(score, low, high)} [SEP] {query}"'),
            "without blanks": (
                INJECTED,
                INJECTED.replace(" [SEP] ", "[SEP]"),
                START,
                START.replace(" [SEP] ", "[SEP]"),
            ),
            "[SEP] at the end": (INJECTED, INJECTED.replace('}"', '} [SEP]"')),
            "the query trimmed": (INJECTED, INJECTED.replace("{query}", "{query.strip()}")),
            "lower case": (INJECTED, INJECTED.replace("{query}", "{query.lower()}")),
            "the plain score": (INJECTED, INJECTED.replace("score_text(score, low, high)", "score")),
            "start one early": (START, START + " - 1"),
            "start one late": (START, START + " + 1"),
            "the first such number behind the first blank": (
                START,
                "start = 0",
                INJECTED,
                INJECTED + "\n    start = text.find(score_text(score, low, high))",
            ),
            "the first such number": (
                START,
                "start = 0",
                INJECTED,
                INJECTED + "\n    start = text.index(score_text(score, low, high))",
            ),
            "bytes": (
                START,
                START.replace("len(query)", "len(query.encode())"),
                TOLD,
                "return text, start, start + len(score_text(score, low, high))",
            ),
            "end included": (TOLD, "return text, start, len(text) - 1"),
            "two digits": (TOLD, "return text, start, start + 2"),
            "a list": (TOLD, "return [text, start, len(text)]"),
            "ends in a pair": (TOLD, "return text, (start, len(text))"),
            "a weight above 1 allowed": (WEIGHT, "if not 0 <= weight:"),
            "a weight below 0 allowed": (WEIGHT, "if not weight <= 1:"),
            "nan as a weight allowed": (WEIGHT, "if weight < 0 or weight > 1:"),
            "weights 0 and 1 refused": (WEIGHT, "if not 0 < weight < 1:"),
            "weight of the first task": (
                SHARES,
                "((logits_a, labels_a, weight), (logits_b, labels_b, 1 - weight))",
            ),
            "a plain sum": (SHARES, "((logits_a, labels_a, 1), (logits_b, labels_b, 1))"),
            "only b weighted": (SHARES, "((logits_a, labels_a, 1), (logits_b, labels_b, weight))"),
            "equal weights": (SHARES, "((logits_a, labels_a, 0.5), (logits_b, labels_b, 0.5))"),
            "task b forgotten": (SHARES, "((logits_a, labels_a, 1 - weight),)"),
            "labels exchanged": (SHARES, "((logits_a, labels_b, 1 - weight), (logits_b, labels_a, weight))"),
            "labels of 0 left out": (LABELED, "labeled = labels > 0"),
            "labels of both": (LABELED, "labeled = (labels_a != -100) & (labels_b != -100)"),
            "−1 instead of −100": (LABELED, "labeled = labels != -1"),
            "a task without labels is nan": (SOME, "if share:"),
            "weight 0 times nan": (SOME, "if labeled.any():"),
            "ignored, but multiplied": (
                ADDED,
                "rows = F.cross_entropy(logits, labels.clamp(min=0), reduction='none')\n            total = total + share * (rows * labeled).sum() / labeled.sum()",
            ),
            "the mean over all": (
                ADDED,
                "total = total + share * F.cross_entropy(logits[labeled], labels[labeled], reduction='sum') / len(labels)",
            ),
            "the sum": (ADDED, ADDED.replace("labels[labeled])", "labels[labeled], reduction='sum')")),
            "a mean over both tasks": (
                ADDED,
                "total = total + share * F.cross_entropy(logits[labeled], labels[labeled], reduction='sum') / ((labels_a != -100).sum() + (labels_b != -100).sum()) * 2",
            ),
            "float32 always": (
                ZERO,
                "total = torch.zeros(())",
                ADDED,
                ADDED.replace("logits[labeled]", "logits[labeled].float()"),
            ),
            "detached": (ADDED, ADDED.replace("logits[labeled]", "logits[labeled].detach()")),
            "a float": ("return total\n", "return float(total)\n"),
            "smoothed labels": (
                ADDED,
                ADDED.replace("labels[labeled])", "labels[labeled], label_smoothing=0.1)"),
            ),
            "probabilities, not logits": (
                ADDED,
                ADDED.replace("logits[labeled]", "logits[labeled].softmax(1)"),
            ),
            "labels changed": (LABELED, LABELED + "\n        labels[~labeled] = 0"),
            "vectors of one number": (ZERO, "total = logits_a.new_zeros(1)"),
            "nan hidden by nan_to_num": (
                "total = total + share * F.cross_entropy(logits[labeled], labels[labeled])",
                "total = total + share * torch.nan_to_num(F.cross_entropy(logits[labeled], labels[labeled]))",
            ),
            "nan in the logits hidden": (
                "total = total + share * F.cross_entropy(logits[labeled], labels[labeled])",
                "total = total + share * F.cross_entropy(torch.nan_to_num(logits[labeled]), labels[labeled])",
            ),
            "examples that are not finite left out": (
                "labeled = labels != -100",
                "labeled = (labels != -100) & (logits.isfinite().all(1) if logits.isfinite().all(1).any() else True)",
            ),
            "unstable softmax": (
                "F.cross_entropy(logits[labeled], labels[labeled])",
                "F.nll_loss(logits[labeled].softmax(1).log(), labels[labeled])",
            ),
            "softmax with a small number": (
                "F.cross_entropy(logits[labeled], labels[labeled])",
                "F.nll_loss((logits[labeled].softmax(1) + 1e-12).log(), labels[labeled])",
            ),
            "the second task's gradient cut": (
                "((logits_a, labels_a, 1 - weight), (logits_b, labels_b, weight))",
                "((logits_a, labels_a, 1 - weight), (logits_b.detach(), labels_b, weight))",
            ),
            "float32 where nothing is labeled": ("total = logits_a.new_zeros(())", "total = torch.zeros(())"),
            "a float where nothing is labeled": ("total = logits_a.new_zeros(())", "total = 0.0"),
            "zero times the logits": (
                "total = logits_a.new_zeros(())",
                "total = 0 * (logits_a.sum() + logits_b.sum())",
            ),
            "weights normed by the tasks with labels": (
                "    return total\n",
                "    if not (labels_a != -100).any() and weight > 0:\n        return total / weight\n    return total\n",
            ),
            "a weight beyond 0 and 1 clipped": (
                "if not 0 <= weight <= 1:",
                "weight = min(max(weight, 0), 1)\n    if weight != weight:",
            ),
            "all classes of two": (
                "F.cross_entropy(logits[labeled], labels[labeled])",
                "F.cross_entropy(logits[labeled], labels[labeled].clamp(max=2))",
            ),
            "logits in place": (
                "labeled = labels != -100",
                "labeled = labels != -100\n        with torch.no_grad():\n            logits -= logits.max(1, keepdim=True).values",
            ),
            "shares rounded to 0": ("if share and labeled.any():", "if share > 1e-2 and labeled.any():"),
            "100 only at the end": (
                "return str(round(100 * min(max((score - low) / (high - low), 0.0), 1.0)))",
                "return str(min(99 if score < high else 100, round(100 * min(max((score - low) / (high - low), 0.0), 1.0))))",
            ),
            "at least 1": (
                "return str(round(100 * min(max((score - low) / (high - low), 0.0), 1.0)))",
                "return str(max(int(score > low), round(100 * min(max((score - low) / (high - low), 0.0), 1.0))))",
            ),
            "inf refused": (
                "if not high > low or score != score:",
                "if not high > low or score != score or score in (float('inf'), float('-inf')):",
            ),
            "minus inf refused": (
                "if not high > low or score != score:",
                "if not high > low or score != score or score == float('-inf'):",
            ),
            "cut in the range of low first": (
                "return str(round(100 * min(max((score - low) / (high - low), 0.0), 1.0)))",
                "return str(round(100 * (min(max(score, 0.0), high) - low) / (high - low)))",
            ),
            "the score found from the right": (
                'start = len(query) + len(" [SEP] ")',
                'start = len(query.rstrip()) + len(" [SEP] ")',
            ),
            "UTF-16": (
                'start = len(query) + len(" [SEP] ")',
                'start = len(query.encode("utf-16-le")) // 2 + len(" [SEP] ")',
            ),
            "the first [SEP]": (
                'start = len(query) + len(" [SEP] ")',
                'start = (query + " [SEP] ").index("SEP") + 5',
            ),
            "no message": (
                'raise ValueError(f"the query {query!r} holds [SEP]; take it out")',
                "raise ValueError",
            ),
            "a TypeError": (
                'raise ValueError(f"weight is {weight}; choose it from 0 to 1")',
                'raise TypeError(f"weight is {weight}; choose it from 0 to 1")',
            ),
        },
    ),
}
