"""Lab 12's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

PLACE = "(k + 0.5) / len(said)"
ROW = 'rows.append((text, int(label), review["book_id"], name, (k + 0.5) / len(said)))'
NO_SENTENCES = """        if not said:
            raise ValueError(f"review {name} has no sentences; leave it out")
"""
BAD_LABEL = """            if label not in (0, 1):
                raise ValueError(f"review {name}: label {label!r}; labels are 0 or 1")
"""
NO_ROWS = """    if not rows:
        raise ValueError("there are no reviews; give one or more")
"""
FRAME = 'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])'

SHARES = "if not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:"
UNEQUAL = """    if len(books) != len(labels):
        raise ValueError(f"{len(books)} books, {len(labels)} labels: give one of each a sentence")
"""
FEW = """    if len(names) < len(shares):
        raise ValueError(f"{len(names)} books for {len(shares)} parts: give more books")
"""
NAMES = "names, number, sizes = np.unique(books, return_inverse=True, return_counts=True)"
MISSING = "missing, part = shares * len(books), np.zeros(len(names), dtype=np.int64)"
ORDER = "for book in np.random.default_rng(seed).permutation(len(names)):"
GREEDY = "part[book] = missing.argmax()"
TAKEN = "missing[part[book]] -= sizes[book]"
PARTS = "parts = part[number]"
BOTH = "if len(np.unique(labels[parts == i])) < 2:"

NAN = """    if np.isnan(scores).any():
        raise ValueError("a score is nan; look at the model that made it")
"""
LENGTHS = """    if len(labels) != len(scores):
        raise ValueError(f"{len(labels)} labels, {len(scores)} scores: give one of each a sentence")
"""
ONE_CLASS = """    if not positives or not negatives:
        raise ValueError("all labels are the same; ROC-AUC needs spoilers and others")
"""
RANKS = "ranks = (counts.cumsum() - (counts - 1) / 2)[place]"
ABOVE = "above = ranks[labels == 1].sum() - positives * (positives + 1) / 2"
AUC = "return float(above / (positives * negatives))"

HITS = "hits, alarms = (labels == 1)[flagged].sum(), flagged.sum()"
TOTAL = "total = alarms + (labels == 1).sum()"
F1 = "return float(2 * hits / total) if total else 0.0"
FLAGS = """    if len(labels) != len(flagged):
        raise ValueError(f"{len(labels)} labels, {len(flagged)} flags: give one of each a sentence")
"""
NO_SPOILER = """    if not (labels == 1).any():
        raise ValueError("no label is 1; choose the threshold where there are spoilers")
"""
FALLING = "falling = np.unique(scores)[::-1]"
VALUES = "values = np.array([f1(labels, scores >= tau) for tau in falling])"
CHOSEN = "return float(falling[np.flatnonzero(values >= values.max() - 1e-12)[0]])"

THREE = """    if not len(labels) == len(scores) == len(books):
        raise ValueError(f"lengths {len(labels)}, {len(scores)}, {len(books)}: give equal ones")
"""
NOTHING = "if len(names) < 2 or len(np.unique(labels)) < 2:"
SETTINGS = "if draws < 1 or not 0 < confidence < 1:"
MEMBERS = "members = [np.flatnonzero(number == book) for book in range(len(names))]"
DRAW = "values, draw = [], np.random.default_rng(seed)"
CHOSEN_BOOKS = "chosen = draw.integers(len(names), size=len(names))"
ROWS = "rows = np.concatenate([members[book] for book in chosen])"
COUNTED = "if len(np.unique(labels[rows])) == 2:"
VALUE = "values.append(statistic(labels[rows], scores[rows]))"
ENDS = "low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])"

SHARE = """    if not 0 < share < 1:
        raise ValueError(f"share is {share}; give a number between 0 and 1")
"""
WANTED = "wanted = round(len(spoilers_at) * (1 - share) / share)"
ENOUGH = "if not len(spoilers_at) or wanted > len(others_at):"
SOME = "some = np.random.default_rng(seed).choice(others_at, wanted, replace=False)"
JOINED = "return np.sort(np.concatenate([spoilers_at, some]))"
RATES = "if not (0 < trained < 1 and 0 < true < 1):"
SHIFT = "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))"

MODELS = "if len(costs) != len(scores) or not len(costs):"
NANS = "if np.isnan(costs).any() or np.isnan(scores).any():"
NOT_WORSE = "not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)"
BETTER = "better = (costs[:, None] < costs) | (scores[:, None] > scores)"
FRONT = "return ~(not_worse & better).any(axis=0)"

QUESTIONS = {
    "q1": Question(
        right={
            "columns one by one": """
def flatten(reviews):
    columns = {name: [] for name in ("place", "review", "book", "label", "text")}
    for review in list(reviews):
        pairs = review["review_sentences"]
        if len(pairs) == 0:
            raise ValueError("no sentences in " + review["review_id"])
        columns["place"] += [(2 * k + 1) / (2 * len(pairs)) for k in range(len(pairs))]
        columns["review"] += [review["review_id"]] * len(pairs)
        columns["book"] += [review["book_id"]] * len(pairs)
        columns["label"] += [pair[0] for pair in pairs]
        columns["text"] += [pair[1] for pair in pairs]
        for pair in pairs:
            if pair[0] != 0 and pair[0] != 1:
                raise ValueError("a label is neither 0 nor 1 in " + review["review_id"])
    if not columns["text"]:
        raise ValueError("no reviews")
    return pd.DataFrame(columns).astype({"label": "int64"})
""",
            "frames put together": """
def flatten(reviews):
    frames = []
    for review in reviews:
        frame = pd.DataFrame(review["review_sentences"], columns=["label", "text"])
        if frame.empty:
            raise ValueError(f"{review['review_id']}: no sentences")
        if not all(label in (0, 1) for label, _ in review["review_sentences"]):
            raise ValueError(f"{review['review_id']}: bad label")
        frame["book"], frame["review"] = review["book_id"], review["review_id"]
        frame["place"] = (np.arange(len(frame)) + 0.5) / len(frame)
        frames.append(frame)
    if not frames:
        raise ValueError("no reviews")
    return pd.concat(frames, ignore_index=True).astype({"label": np.int64})
""",
            "pandas explode": """
def flatten(reviews):
    reviews = list(reviews)
    if not reviews:
        raise ValueError("no reviews; give one or more")
    for r in reviews:
        if not r["review_sentences"] or any(s[0] not in (0, 1) for s in r["review_sentences"]):
            raise ValueError(f"bad review {r['review_id']}: no sentences or a bad label")
    frame = pd.DataFrame([{"said": r["review_sentences"], "book": r["book_id"], "review": r["review_id"], "n": len(r["review_sentences"])} for r in reviews])
    frame["row"] = np.arange(len(frame))
    frame = frame.explode("said", ignore_index=True)
    frame["label"] = frame["said"].str[0].astype("int64")
    frame["text"] = frame["said"].str[1]
    frame["place"] = (frame.groupby("row").cumcount() + 0.5) / frame["n"].astype(float)
    return frame[["place", "text", "book", "label", "review"]]
""",
            "a generator and dicts": """
def flatten(reviews):
    def rows():
        for r in reviews:
            n = len(r["review_sentences"])
            if n == 0:
                raise ValueError("without sentences: " + str(r["review_id"]))
            for k in range(n):
                label, text = r["review_sentences"][k]
                if isinstance(label, str) or label is None or label != 0 and label != 1:
                    raise ValueError("label must be 0 or 1: " + str(r["review_id"]))
                yield {"text": text, "label": label, "book": r["book_id"], "review": r["review_id"], "place": (k + 1/2) / n}
    table = pd.DataFrame.from_records(list(rows()))
    if len(table) == 0:
        raise ValueError("no reviews")
    return table.astype({"label": int})
""",
            "string dtype": """
def flatten(reviews):
    out = None
    for r in reviews:
        pairs = list(r["review_sentences"])
        if len(pairs) < 1: raise ValueError(r["review_id"])
        if set(map(str, [p[0] for p in pairs])) - {"0", "1"} or any(type(p[0]) is str for p in pairs): raise ValueError(r["review_id"])
        part = pd.DataFrame({"label": np.array([p[0] for p in pairs], dtype=np.int64), "text": pd.array([p[1] for p in pairs], dtype="string"),
            "place": np.linspace(0.5, len(pairs) - 0.5, len(pairs)) / len(pairs)})
        part["book"], part["review"] = r["book_id"], r["review_id"]
        out = part if out is None else pd.concat([out, part])
    if out is None: raise ValueError("none")
    return out.reset_index(drop=True)
""",
        },
        wrong={
            "place without the half": ("(k + 0.5)", "k"),
            "place from 1": ("(k + 0.5)", "(k + 1)"),
            "place from 0 to 1": (PLACE, "k / max(1, len(said) - 1)"),
            "place from the end": (PLACE, "1 - (k + 0.5) / len(said)"),
            "place counts, no share": (PLACE, "k + 0.5"),
            "place of words": (PLACE, "(k + 0.5) / sum(len(t.split()) for _, t in said)"),
            "place rounded": (PLACE, "round((k + 0.5) / len(said), 2)"),
            "place half off": ("(k + 0.5)", "(k - 0.5)"),
            "the review's label": ("int(label)", 'int(review["has_spoiler"])'),
            "label and review's label": ("int(label)", 'int(label and review["has_spoiler"])'),
            "label or review's label": ("int(label)", 'int(label or review["has_spoiler"])'),
            "labels turned around": ("int(label)", "1 - int(label)"),
            "labels are bools": ("int(label)", "bool(label)"),
            "labels are floats": ("int(label)", "float(label)"),
            "labels are texts": ("int(label)", "str(label)"),
            "label and text change places": ("(label, text) in", "(text, label) in"),
            "the user as the book": ('review["book_id"]', 'review["user_id"]'),
            "the review as the book": ('review["book_id"]', "name"),
            "the book as the review": ('review["book_id"], name,', 'review["book_id"], review["book_id"],'),
            "book and review change places": ('review["book_id"], name,', 'name, review["book_id"],'),
            "stripped": ("(text, int", "(text.strip(), int"),
            "lowered": ("(text, int", "(text.lower(), int"),
            "tokens": ("(text, int", "(text.split(), int"),
            "spoilers first": (FRAME, f'{FRAME}.sort_values("label", ascending=False, ignore_index=True)'),
            "sorted by review": (FRAME, f'{FRAME}.sort_values("review", kind="stable", ignore_index=True)'),
            "sorted by place": (FRAME, f'{FRAME}.sort_values("place", kind="stable", ignore_index=True)'),
            "index of the place": (FRAME, f'{FRAME}.set_index("place", drop=False)'),
            "same texts once": (FRAME, f'{FRAME}.drop_duplicates("text", ignore_index=True)'),
            "columns without names": (', columns=["text", "label", "book", "review", "place"]', ""),
            "other names": ('"book", "review", "place"', '"book_id", "review_id", "place"'),
            "one more column": (FRAME, f"return ({FRAME[7:]}).assign(n=1)"),
            "records, no table": (FRAME, "return rows"),
            "no check of sentences": (NO_SENTENCES, ""),
            "empty reviews left out": (
                'raise ValueError(f"review {name} has no sentences; leave it out")',
                "continue",
            ),
            "no check of labels": (BAD_LABEL, ""),
            "bad labels left out": (
                'raise ValueError(f"review {name}: label {label!r}; labels are 0 or 1")',
                "continue",
            ),
            "bad labels are 0": (
                'raise ValueError(f"review {name}: label {label!r}; labels are 0 or 1")',
                "label = 0",
            ),
            "labels by truth": ("if label not in (0, 1):", "if label is None:"),
            "labels below 2": ("if label not in (0, 1):", "if not isinstance(label, int) or label > 1:"),
            "labels from -1": ("label not in (0, 1)", "label not in (-1, 0, 1)"),
            "labels up to 2": ("label not in (0, 1)", "label not in (0, 1, 2)"),
            "labels of the first sentence": ("if label not in", "if k == 0 and label not in"),
            "no reviews accepted": (NO_ROWS, ""),
            "no review named, sentences": ("review {name} has no", "a review has no"),
            "no review named, labels": ("review {name}: label", "a review: label"),
            "the book named": (
                'review["book_id"], name, (k',
                'review["book_id"], name, (k',
                "{name} has no",
                "{review['book_id']} has no",
            ),
            "another error": ('raise ValueError(f"review {name} has', 'raise KeyError(f"review {name} has'),
            "another error for labels": (
                'raise ValueError(f"review {name}:',
                'raise TypeError(f"review {name}:',
            ),
            "an assertion": (NO_ROWS, '    assert rows, "no reviews"\n'),
            "reads the stream twice": ("rows = []\n", "rows = []\n    total = len([1 for _ in reviews])\n"),
            "wants a list": ("rows = []\n", "rows = [] * len(reviews)\n"),
            "the first review only": (
                FRAME,
                "rows = [row for row in rows if row[3] == rows[0][3]]\n    " + FRAME,
            ),
            "drops the last sentence": ("in enumerate(said):", "in enumerate(said[:-1] or said):"),
            "changes the records": (
                "rows.append(",
                'review["review_sentences"] = said[1:]\n            rows.append(',
            ),
            "takes the sentences away": (FRAME, "review['review_sentences'] = []\n    " + FRAME),
            "index per review": (
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])',
                't = pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])\n    t.index = t.groupby("review").cumcount()\n    return t',
            ),
            "place is float32": (
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])',
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"]).astype({"place": np.float32})',
            ),
            "labels are int32": (
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])',
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"]).astype({"label": np.int32})',
            ),
            "labels are nullable integers": (
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])',
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"]).astype({"label": "Int64"})',
            ),
            "sorted by book": (
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"])',
                'return pd.DataFrame(rows, columns=["text", "label", "book", "review", "place"]).sort_values("book", kind="stable", ignore_index=True)',
            ),
            "blank sentences left out": (
                "for k, (label, text) in enumerate(said):",
                "for k, (label, text) in enumerate(said):\n            if not text.strip():\n                continue",
            ),
            "a new key in the records": (
                'review["review_sentences"], review["review_id"]',
                'review["review_sentences"], review.setdefault("id", review["review_id"])',
            ),
            "another error for a label that is a text": (
                "if label not in (0, 1):",
                "if not 0 <= label <= 1 or label != int(label):",
            ),
            "labels made whole numbers first": (
                "if label not in (0, 1):",
                "label = int(label)\n            if label not in (0, 1):",
            ),
            "labels between 0 and 1": (
                "if label not in (0, 1):",
                "if label is None or isinstance(label, str) or not 0 <= label <= 1:",
            ),
            "labels compared as texts": ("label not in (0, 1)", 'str(label) not in ("0", "1")'),
            "ids in small letters": (
                'review["book_id"], name, (k',
                'review["book_id"].lower(), name.lower(), (k',
            ),
            "checks the first review only": ("if not said:", "if not said and not rows:"),
            "names the next review": (
                'raise ValueError(f"review {name}: label',
                'raise ValueError(f"review {rows[0][3] if rows else name}: label',
            ),
            "no reviews, an error without words": (
                'raise ValueError("there are no reviews; give one or more")',
                "raise ValueError",
            ),
            "no reviews, an empty table": (
                'raise ValueError("there are no reviews; give one or more")',
                "pass",
            ),
            "an error that names no review, labels": (
                'raise ValueError(f"review {name}: label {label!r}; labels are 0 or 1")',
                'raise ValueError("wrong label")',
            ),
            "an error that names no review, sentences": (
                'raise ValueError(f"review {name} has no sentences; leave it out")',
                'raise ValueError("empty review")',
            ),
        },
    ),
    "q2": Question(
        right={
            "parts filled one after another": """
def split_by_book(books, labels, shares, seed):
    if len(books) != len(labels):
        raise ValueError("unequal lengths")
    if min(shares) <= 0 or not abs(sum(shares) - 1) <= 1e-9:
        raise ValueError("shares must be above 0 and add up to 1")
    counts = pd.Series(books).value_counts().sort_index()
    if len(counts) < len(shares):
        raise ValueError("too few books")
    order = np.random.default_rng(seed).permutation(len(counts))
    before = np.cumsum(counts.to_numpy()[order]) - counts.to_numpy()[order]
    ends = np.cumsum(shares) * len(books)
    where = np.minimum(np.searchsorted(ends, before, side="right"), len(shares) - 1)
    of_book = dict(zip(counts.index[order], where.tolist(), strict=True))
    parts = np.array([of_book[book] for book in books], dtype=np.int64)
    for i in range(len(shares)):
        if set(labels[parts == i].tolist()) != {0, 1}:
            raise ValueError(f"part {i} has one kind of sentences")
    return parts
""",
            "a shuffled list and a dictionary": """
def split_by_book(books, labels, shares, seed):
    if len(labels) != len(books):
        raise ValueError("lengths differ")
    if not all(s > 0 for s in shares) or not np.isclose(sum(shares), 1, rtol=0, atol=1e-9):
        raise ValueError("bad shares")
    size = {}
    for book in books.tolist():
        size[book] = size.get(book, 0) + 1
    if len(size) < len(shares):
        raise ValueError("too few books")
    names = sorted(size)
    np.random.default_rng(seed).shuffle(names)
    full, part = [0] * len(shares), {}
    for name in names:
        best = max(range(len(shares)), key=lambda i: shares[i] * len(books) - full[i])
        part[name], full[best] = best, full[best] + size[name]
    parts = np.fromiter((part[book] for book in books.tolist()), dtype=np.int64)
    for i in range(len(shares)):
        inside = labels[parts == i]
        if not (inside == 1).any() or not (inside == 0).any():
            raise ValueError("a part lacks spoilers or others")
    return parts
""",
            "ends, right": """
def split_by_book(books, labels, shares, seed):
    shares = list(shares)
    if len(books) != len(labels) or any(not s > 0 for s in shares) or not abs(sum(shares) - 1) <= 1e-9:
        raise ValueError("lengths or shares")
    names, sizes = np.unique(books, return_counts=True)
    if len(names) < len(shares):
        raise ValueError("books")
    order = np.random.default_rng(seed).permutation(len(names))
    ends = np.cumsum(sizes[order])
    part = np.minimum(np.searchsorted(np.cumsum(shares) * len(books), ends, side="right"), len(shares) - 1)
    of = {names[b]: p for b, p in zip(order, part)}
    out = np.array([of[b] for b in books], dtype=np.int64)
    for i in range(len(shares)):
        if len(set(labels[out == i])) < 2:
            raise ValueError("labels")
    return out
""",
            "a random part that still lacks some": """
def split_by_book(books, labels, shares, seed):
    shares = np.array(shares, float)
    if not (len(books) == len(labels) and np.all(shares > 0) and abs(shares.sum() - 1) < 1e-9):
        raise ValueError("lengths or shares")
    names = sorted(set(books))
    if len(names) < len(shares):
        raise ValueError("books")
    rng = np.random.default_rng(seed)
    out = np.zeros(len(books), np.int64)
    need = shares * len(books)
    for name in rng.permutation(names):
        open_ = np.flatnonzero(need > 1e-9)
        p = rng.choice(open_, p=need[open_] / need[open_].sum())
        rows = books == name
        out[rows] = p
        need[p] -= rows.sum()
    for i in range(len(shares)):
        if {0, 1} - set(labels[out == i].tolist()):
            raise ValueError("labels")
    return out
""",
            "parts one by one by loops": """
def split_by_book(books, labels, shares, seed):
    if len(books) != len(labels): raise ValueError("l")
    total = 0.0
    for s in shares:
        if not s > 0: raise ValueError("s")
        total += s
    if not abs(total - 1) <= 1e-9: raise ValueError("t")
    count = {}
    for b in books: count[str(b)] = count.get(str(b), 0) + 1
    if len(count) < len(shares): raise ValueError("few")
    left = [str(b) for b in np.random.default_rng(seed).permutation(sorted(count))]
    where = {}
    for i, s in enumerate(shares):
        have = 0
        while left and (i == len(shares) - 1 or have + count[left[-1]] / 2 <= s * len(books)):
            name = left.pop(); where[name] = i; have += count[name]
    out = np.empty(len(books), dtype=np.int64)
    for r, b in enumerate(books): out[r] = where[str(b)]
    for i in range(len(shares)):
        seen = [l for l, p in zip(labels, out) if p == i]
        if 0 not in seen or 1 not in seen: raise ValueError("labels")
    return out
""",
            "python random": """
def split_by_book(books, labels, shares, seed):
    import random
    shares = [float(s) for s in shares]
    if len(books) != len(labels) or any(not s > 0 for s in shares) or not abs(sum(shares) - 1) <= 1e-9:
        raise ValueError("lengths or shares")
    sizes = pd.Series(books).value_counts()
    if len(sizes) < len(shares): raise ValueError("few")
    names = sorted(sizes.index); random.Random(int(seed)).shuffle(names)
    need = {i: s * len(books) for i, s in enumerate(shares)}; part = {}
    for n in names:
        i = max(need, key=need.get); part[n] = i; need[i] -= sizes[n]
    out = pd.Series(books).map(part).to_numpy().astype("int64")
    if (pd.crosstab(out, labels).reindex(index=range(len(shares)), columns=[0, 1], fill_value=0) == 0).any().any():
        raise ValueError("labels")
    return out
""",
        },
        wrong={
            "sentences, no books": (
                PARTS,
                "parts = np.random.default_rng(seed).choice(len(shares), len(books), p=shares)",
            ),
            "cut in the file's order": (
                PARTS,
                "parts = np.minimum(np.searchsorted(np.cumsum(shares) * len(books), np.arange(len(books)), side='right'), len(shares) - 1)",
            ),
            "shares of books, drawn": (
                GREEDY,
                "part[book] = np.random.default_rng([seed, book]).choice(len(shares), p=shares)",
            ),
            "shares of books": (TAKEN, "missing[part[book]] -= len(books) / len(names)"),
            "books one by one": (TAKEN, "missing[part[book]] -= 1"),
            "nothing taken away": (TAKEN, "missing[part[book]] -= 0"),
            "equal shares": (
                "missing, part = shares * len(books),",
                "missing, part = np.full(len(shares), len(books) / len(shares)),",
            ),
            "shares turned around": (
                "missing, part = shares * len(books),",
                "missing, part = shares[::-1] * len(books),",
            ),
            "shares sorted": (
                "missing, part = shares * len(books),",
                "missing, part = np.sort(shares) * len(books),",
            ),
            "shares of the books' number": (
                "missing, part = shares * len(books),",
                "missing, part = shares * len(names),",
            ),
            "the least missing": ("missing.argmax()", "missing.argmin()"),
            "no seed": ("default_rng(seed)", "default_rng()"),
            "one seed for all": ("default_rng(seed)", "default_rng(1)"),
            "no draw": (ORDER, "for book in range(len(names)):"),
            "largest books first": (ORDER, "for book in np.argsort(-sizes, kind='stable'):"),
            "the global state": (
                ORDER,
                "np.random.seed(seed)\n    for book in np.random.permutation(len(names)):",
            ),
            "the global generator, not seeded": (ORDER, "for book in np.random.permutation(len(names)):"),
            "books in the order of the rows": (
                NAMES,
                "number, names = pd.factorize(books)\n    sizes = np.bincount(number)",
            ),
            "the first book's size": ("sizes[book]", "sizes[0]"),
            "another book's size": ("sizes[book]", "sizes[-book]"),
            "labels decide": ("default_rng(seed)", "default_rng([seed, int(labels.sum())])"),
            "spoilers counted, no sentences": (TAKEN, "missing[part[book]] -= labels[number == book].sum()"),
            "a list": ("return parts", "return parts.tolist()"),
            "floats": ("return parts", "return parts.astype(float)"),
            "int32": ("return parts", "return parts.astype(np.int32)"),
            "parts from 1": ("return parts", "return parts + 1"),
            "masks": ("return parts", "return [parts == i for i in range(len(shares))]"),
            "parts of the books": ("return parts", "return part"),
            "sorted parts": ("return parts", "return np.sort(parts)"),
            "no check of lengths": (UNEQUAL, ""),
            "no check of the sum": (" or abs(shares.sum() - 1) > 1e-9", ""),
            "a sum below 1 accepted": ("abs(shares.sum() - 1) > 1e-9", "shares.sum() > 1 + 1e-9"),
            "a sum above 1 accepted": ("abs(shares.sum() - 1) > 1e-9", "shares.sum() < 1 - 1e-9"),
            "a sum of about 1": ("1e-9", "1e-3"),
            "a sum of exactly 1": (SHARES, "if not (shares > 0).all() or sum(shares.tolist()) != 1:"),
            "shares made to add up to 1": (
                SHARES,
                "shares = shares / shares.sum()\n    if not (shares > 0).all():",
            ),
            "no check of the labels": (BOTH, "if False:"),
            "spoilers only are looked for": (BOTH, "if not (labels[parts == i] == 1).any():"),
            "others only are looked for": (BOTH, "if not (labels[parts == i] == 0).any():"),
            "the first part's labels": ("labels[parts == i]", "labels[parts == 0]"),
            "the last part is not checked": (
                "for i in range(len(shares)):",
                "for i in range(len(shares) - 1):",
            ),
            "the labels of all": ("np.unique(labels[parts == i])", "np.unique(labels)"),
            "an assertion for the labels": (
                BOTH,
                "assert len(np.unique(labels[parts == i])) == 2\n        if False:",
            ),
            "another error": ('raise ValueError(f"shares', 'raise TypeError(f"shares'),
            "errors without a message": (
                'raise ValueError(f"part {i} lacks spoilers or others; take another seed")',
                "raise ValueError",
            ),
            "a default seed": ("default_rng(seed)", "default_rng(seed % 2)"),
            "books changed": (NAMES, "books.sort()\n    " + NAMES),
            "labels changed": (PARTS, "labels[:] = 1 - labels\n    " + PARTS),
            "two parts only": (GREEDY, "part[book] = missing[:2].argmax()"),
            "the last book split": (
                PARTS,
                "parts = part[number]\n    parts[-1] = (parts[-1] + 1) % len(shares)",
            ),
            "Python's global generator": (
                "for book in np.random.default_rng(seed).permutation(len(names)):",
                "import random\n    random.seed(seed)\n    order = list(range(len(names)))\n    random.shuffle(order)\n    for book in order:",
            ),
            "torch's global generator": (
                "for book in np.random.default_rng(seed).permutation(len(names)):",
                "torch.manual_seed(seed)\n    for book in torch.randperm(len(names)).tolist():",
            ),
            "no arrays of objects": (
                "names, number, sizes = np.unique(books, return_inverse=True, return_counts=True)",
                "books = np.char.strip(books)\n    names, number, sizes = np.unique(books, return_inverse=True, return_counts=True)",
            ),
            "names cut to three letters": (
                "names, number, sizes = np.unique(books, return_inverse=True, return_counts=True)",
                'books = books.astype("U3")\n    names, number, sizes = np.unique(books, return_inverse=True, return_counts=True)',
            ),
            "last book always last part": (
                "parts = part[number]",
                "part[-1] = len(shares) - 1\n    parts = part[number]",
            ),
            "two to four parts only": (
                "if not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:",
                "if len(shares) not in (2, 3, 4) or not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:",
            ),
            "a sum of nearly 1": ("abs(shares.sum() - 1) > 1e-9", "not np.isclose(shares.sum(), 1)"),
            "spoilers only are counted": (
                "if len(np.unique(labels[parts == i])) < 2:",
                "if not labels[parts == i].sum():",
            ),
            "parts of spoilers only are refused": (
                "if len(np.unique(labels[parts == i])) < 2:",
                "if (labels[parts == i] == 1).all():",
            ),
            "another seed instead of an error": (
                'raise ValueError(f"part {i} lacks spoilers or others; take another seed")',
                "return split_by_book(books, labels, shares, seed + 1) if seed < 99 else parts",
            ),
            "a share of nan": """
def split_by_book(books, labels, shares, seed):
    if len(books) != len(labels) or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError("lengths or shares")
    names, number, sizes = np.unique(books, return_inverse=True, return_counts=True)
    if len(names) < len(shares):
        raise ValueError("too few books")
    order, part = np.random.default_rng(seed).permutation(len(names)), np.zeros(len(names), np.int64)
    middles = np.cumsum(sizes[order]) - sizes[order] / 2
    part[order] = np.searchsorted(np.cumsum(shares)[:-1] * len(books), middles)
    parts = part[number]
    for i in range(len(shares)):
        if len(set(labels[parts == i].tolist())) < 2:
            raise ValueError(f"part {i} has one kind of sentences")
    return parts
""",
            "two seeds, one split": ("default_rng(seed)", "default_rng(abs(seed) // 2)"),
            "sixteen seeds": ("default_rng(seed)", "default_rng(seed % 16)"),
            "labels sorted in place": (
                "shares = np.asarray(shares, dtype=float)",
                "shares = np.asarray(shares, dtype=float)\n    labels.sort()",
            ),
            "books with spoilers first": (
                "for book in np.random.default_rng(seed).permutation(len(names)):",
                "has = np.array([labels[number == b].any() for b in range(len(names))])\n    perm = np.random.default_rng(seed).permutation(len(names))\n    for book in sorted(perm, key=lambda b: -has[b]):",
            ),
            "labels decide ties": (
                "missing[part[book]] -= sizes[book]",
                "missing[part[book]] -= sizes[book]\n        missing[part[book]] -= 1e-3 * labels[number == book].sum()",
            ),
        },
    ),
    "q3": Question(
        right={
            "scipy's ranks": """
def roc_auc(labels, scores):
    from scipy.stats import rankdata

    if len(labels) != len(scores) or np.isnan(scores).any() or len(set(labels.tolist())) < 2:
        raise ValueError("bad labels or scores")
    n = (labels == 1).sum()
    return float((rankdata(scores)[labels == 1].sum() - n * (n + 1) / 2) / (n * (len(labels) - n)))
""",
            "binary search": """
def roc_auc(labels, scores):
    if labels.shape != scores.shape or np.isnan(scores).any():
        raise ValueError("lengths or nan")
    spoilers, others = scores[labels == 1], np.sort(scores[labels == 0])
    if not len(spoilers) or not len(others):
        raise ValueError("one class")
    below = np.searchsorted(others, spoilers, "left") + np.searchsorted(others, spoilers, "right")
    return float(below.sum() / 2 / len(spoilers) / len(others))
""",
            "the area under the curve": """
def roc_auc(labels, scores):
    if len(labels) != len(scores) or any(score != score for score in scores):
        raise ValueError("lengths or nan")
    values, place = np.unique(scores, return_inverse=True)
    hits = np.bincount(place, weights=labels == 1, minlength=len(values))[::-1].cumsum()
    alarms = np.bincount(place, weights=labels == 0, minlength=len(values))[::-1].cumsum()
    if not hits[-1] or not alarms[-1]:
        raise ValueError("one class")
    hits, alarms = np.r_[0, hits] / hits[-1], np.r_[0, alarms] / alarms[-1]
    return float((np.diff(alarms) * (hits[1:] + hits[:-1]) / 2).sum())
""",
            "loop over spoilers": """
def roc_auc(labels, scores):
    if len(labels) != len(scores): raise ValueError("len")
    if np.any(scores != scores): raise ValueError("nan")
    pos, neg = [s for l, s in zip(labels, scores) if l == 1], scores[labels == 0]
    if len(pos) == 0 or len(neg) == 0: raise ValueError("class")
    won = 0.0
    for p in pos:
        won += np.sum(p > neg) + 0.5 * np.sum(p == neg)
    return float(won / (len(pos) * len(neg)))
""",
            "sorted with runs, plain python": """
def roc_auc(labels, scores):
    n = len(labels)
    if n != len(scores): raise ValueError("len")
    pairs = sorted(zip(scores.tolist(), labels.tolist()))
    if any(s != s for s, _ in pairs): raise ValueError("nan")
    pos = sum(l for _, l in pairs); neg = n - pos
    if pos == 0 or neg == 0: raise ValueError("class")
    total, i = 0.0, 0
    while i < n:
        j = i
        while j < n and pairs[j][0] == pairs[i][0]:
            j += 1
        rank = (i + 1 + j) / 2
        for k in range(i, j):
            if pairs[k][1] == 1:
                total += rank
        i = j
    return (total - pos * (pos + 1) / 2) / (pos * neg)
""",
            "pandas rank": """
def roc_auc(labels, scores):
    if labels.shape != scores.shape or pd.isna(scores).any(): raise ValueError("x")
    r = pd.Series(scores).rank(method="average").groupby(labels).agg(["sum", "size"])
    if len(r) != 2: raise ValueError("class")
    p, m = r["size"][1], r["size"][0]
    return (r["sum"][1] - p * (p + 1) / 2) / (p * m)
""",
            "mannwhitney": """
def roc_auc(labels, scores):
    if len(labels) != len(scores) or np.isnan(np.sum(np.isnan(scores) * 1.0)) or np.isnan(scores).sum() > 0: raise ValueError("x")
    a, b = scores[labels == 1], scores[labels == 0]
    if not a.size * b.size: raise ValueError("class")
    return float(stats.mannwhitneyu(a, b).statistic / a.size / b.size)
""",
            "torch": """
def roc_auc(labels, scores):
    if len(labels) != len(scores): raise ValueError("x")
    s, l = torch.from_numpy(np.array(scores)), torch.from_numpy(np.array(labels))
    if torch.isnan(s).any() or not (l == 1).any() or not (l == 0).any(): raise ValueError("y")
    n, _ = torch.sort(s[l == 0]); p = s[l == 1]
    c = torch.searchsorted(n, p) + torch.searchsorted(n, p, right=True)
    return c.double().mean().item() / 2 / len(n)
""",
        },
        wrong={
            "ties count nothing": (RANKS, "ranks = (counts.cumsum() - counts + 1)[place]"),
            "ties count as won": (RANKS, "ranks = counts.cumsum()[place]"),
            "ties by their order": (RANKS, "ranks = np.argsort(np.argsort(scores, kind='stable')) + 1"),
            "dense ranks": (RANKS, "ranks = place + 1"),
            "ranks from 0": (RANKS, "ranks = (counts.cumsum() - (counts - 1) / 2)[place] - 1"),
            "the order as ranks": (RANKS, "ranks = np.argsort(scores) + 1"),
            "ranks from the top": (
                RANKS,
                "ranks = len(scores) + 1 - (counts.cumsum() - (counts - 1) / 2)[place]",
            ),
            "means of ties half off": ("(counts - 1) / 2", "counts / 2"),
            "means of ties rounded": ("(counts - 1) / 2", "(counts - 1) // 2"),
            "ranks of others": ("ranks[labels == 1]", "ranks[labels == 0]"),
            "all ranks": ("ranks[labels == 1]", "ranks"),
            "nothing taken off": (" - positives * (positives + 1) / 2", ""),
            "n (n − 1) / 2": ("(positives + 1)", "(positives - 1)"),
            "n² / 2": ("positives * (positives + 1) / 2", "positives**2 / 2"),
            "not halved": ("(positives + 1) / 2", "(positives + 1)"),
            "of others": ("positives * (positives + 1) / 2", "negatives * (negatives + 1) / 2"),
            "divided by all pairs": (AUC, "return float(above / (len(labels) * (len(labels) - 1) / 2))"),
            "divided by N²": (AUC, "return float(above / len(labels) ** 2)"),
            "divided by positives": (AUC, "return float(above / positives / positives)"),
            "divided by negatives": (AUC, "return float(above / negatives / negatives)"),
            "at least a half": (
                AUC,
                "auc = float(above / (positives * negatives))\n    return max(auc, 1 - auc)",
            ),
            "one minus": (AUC, "return 1 - float(above / (positives * negatives))"),
            "Gini": (AUC, "return 2 * float(above / (positives * negatives)) - 1"),
            "rounded": (AUC, "return round(float(above / (positives * negatives)), 3)"),
            "a numpy number": (AUC, "return np.float32(above / (positives * negatives))"),
            "an array": (AUC, "return np.array(above / (positives * negatives))"),
            "the share in percent": (AUC, "return 100 * float(above / (positives * negatives))"),
            "accuracy at 0": (AUC, "return float(((scores >= 0) == (labels == 1)).mean())"),
            "average precision": (AUC, "return float(metrics.average_precision_score(labels, scores))"),
            "a table of pairs": (
                AUC,
                "d = scores[labels == 1][:, None] - scores[labels == 0]\n    return float(((d > 0) + (d == 0) / 2).mean())",
            ),
            "a table of bools": (
                AUC,
                "a, b = scores[labels == 1][:, None], scores[labels == 0]\n    return float((a > b).mean() + (a == b).mean() / 2)",
            ),
            "pairs by loops": (
                AUC,
                "pairs = [(a > b) + (a == b) / 2 for a in scores[labels == 1] for b in scores[labels == 0]]\n    return float(np.mean(pairs))",
            ),
            "sampled pairs": (
                AUC,
                "draw = np.random.default_rng(1)\n    a, b = draw.choice(scores[labels == 1], 9999), draw.choice(scores[labels == 0], 9999)\n    return float(((a > b) + (a == b) / 2).mean())",
            ),
            "scores rounded": ("np.unique(scores,", "np.unique(np.round(scores, 3),"),
            "scores as whole numbers": ("np.unique(scores,", "np.unique(np.nan_to_num(scores).astype(int),"),
            "no check of nan": (NAN, ""),
            "nan as 0": (NAN, "    scores = np.nan_to_num(scores)\n"),
            "nan left out": (
                NAN,
                "    labels, scores = labels[~np.isnan(scores)], scores[~np.isnan(scores)]\n",
            ),
            "nan only if all": (
                '.any():\n        raise ValueError("a score',
                '.all():\n        raise ValueError("a score',
            ),
            "inf refused": ("np.isnan(scores).any()", "not np.isfinite(scores).all()"),
            "inf cut off": (NAN, NAN + "    scores = np.clip(scores, -1, 1)\n"),
            "no check of lengths": (LENGTHS, ""),
            "lengths cut": (LENGTHS, "    labels, scores = labels[: len(scores)], scores[: len(labels)]\n"),
            "no check of classes": (ONE_CLASS, ""),
            "a half for one class": (
                ONE_CLASS,
                "    if not positives or not negatives:\n        return 0.5\n",
            ),
            "nan for one class": (
                ONE_CLASS,
                "    if not positives or not negatives:\n        return float('nan')\n",
            ),
            "no spoilers accepted": (
                "if not positives or not negatives:",
                "if not negatives:",
                AUC,
                "return float(above / max(1, positives * negatives))",
            ),
            "no others accepted": (
                "if not positives or not negatives:",
                "if not positives:",
                AUC,
                "return float(above / max(1, positives * negatives))",
            ),
            "another error": ('raise ValueError("all labels', 'raise ZeroDivisionError("all labels'),
            "sorts in place": (
                NAN,
                NAN
                + "    order = np.argsort(scores)\n    labels[:], scores[:] = labels[order], scores[order]\n",
            ),
            "a ranking changed": (AUC, "scores *= 2\n    " + AUC),
            "float32 on the way": ("np.unique(scores,", "np.unique(scores.astype(np.float32),"),
            "near ones are ties": ("np.unique(scores,", "np.unique(np.round(scores, 9),"),
            "nan by the sum": ("np.isnan(scores).any()", "np.isnan(scores.sum())"),
            "scikit-learn's, which refuses inf": (
                "ranks = (counts.cumsum() - (counts - 1) / 2)[place]",
                "return float(metrics.roc_auc_score(labels, scores))\n    ranks = (counts.cumsum() - (counts - 1) / 2)[place]",
            ),
            "nan looked for among spoilers": (
                "np.isnan(scores).any()",
                "np.isnan(scores[labels == 1]).any()",
            ),
            "labels changed for ranks": (
                "above = ranks[labels == 1].sum() - positives * (positives + 1) / 2",
                "above = ranks[labels == 1].sum() - positives * (positives + 1) / 2\n    labels[:] = 1",
            ),
            "int ranks": (
                "ranks = (counts.cumsum() - (counts - 1) / 2)[place]",
                "ranks = (counts.cumsum() - (counts - 1) / 2)[place].astype(int)",
            ),
            "a product in int16": (
                "return float(above / (positives * negatives))",
                "return float(above / int(np.int32(positives) * np.int16(negatives % 32768)))",
            ),
            "inf is the largest finite score": (
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n',
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n    scores = np.nan_to_num(scores, posinf=scores[np.isfinite(scores)].max(initial=0), neginf=scores[np.isfinite(scores)].min(initial=0))\n',
            ),
            "logistic of the scores": (
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n',
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n    scores = 1 / (1 + np.exp(-scores))\n',
            ),
            "tanh of the scores": (
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n',
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n    scores = np.tanh(scores)\n',
            ),
            "histogram of 1000": (
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n',
                '    if np.isnan(scores).any():\n        raise ValueError("a score is nan; look at the model that made it")\n    scores = np.digitize(scores, np.quantile(scores, np.linspace(0, 1, 1001)))\n',
            ),
            "means of short ties only": (
                "counts.cumsum() - (counts - 1) / 2",
                "counts.cumsum() - np.minimum(counts - 1, 3) / 2",
            ),
            "a half for two sentences": (
                "return float(above",
                "return 0.5 if len(labels) == 2 and above == 1 else float(above",
            ),
            "a loop over pairs": (
                "return float(above / (positives * negatives))",
                "n = 0.0\n    for a in scores[labels == 1]:\n        for b in scores[labels == 0]:\n            n += (a > b) + (a == b) / 2\n    return float(n / (positives * negatives))",
            ),
            "an error without words for nan": (
                'raise ValueError("a score is nan; look at the model that made it")',
                "raise ValueError",
            ),
            "an error without words for one class": (
                'raise ValueError("all labels are the same; ROC-AUC needs spoilers and others")',
                'raise ValueError("")',
            ),
        },
    ),
    "q4": Question(
        right={
            "one sort, and argmax without a tolerance: equal counts give equal floats": """
def f1(labels, flagged):
    if len(labels) != len(flagged):
        raise ValueError("lengths differ")
    hits = int((flagged & (labels == 1)).sum())
    total = int(flagged.sum()) + int((labels == 1).sum())
    return 2 * hits / total if total else 0.0


def best_threshold(labels, scores):
    if len(labels) != len(scores) or np.isnan(scores).any() or not (labels == 1).any():
        raise ValueError("lengths, nan or no spoiler")
    order = np.argsort(-scores)
    falling, hits = scores[order], np.cumsum(labels[order] == 1)
    last = np.r_[falling[1:] != falling[:-1], True]
    values = (2 * hits / (np.arange(1, len(scores) + 1) + hits[-1]))[last]
    return float(falling[last][values.argmax()])
""",
            "counts and precision with recall": """
def f1(labels, flagged):
    if labels.shape != flagged.shape:
        raise ValueError("lengths differ")
    hit = int(((labels == 1) & flagged).sum())
    if hit == 0:
        return 0.0
    precision, recall = hit / int(flagged.sum()), hit / int((labels == 1).sum())
    return 2 * precision * recall / (precision + recall)


def best_threshold(labels, scores):
    if len(labels) != len(scores) or np.isnan(scores).any() or not labels.any():
        raise ValueError("lengths, nan, or no spoiler")
    order = np.argsort(-scores, kind="stable")
    falling, hits = scores[order], labels[order].cumsum()
    values = 2 * hits / (np.arange(1, len(hits) + 1) + labels.sum())
    last = np.r_[falling[1:] != falling[:-1], True]
    values = np.where(last, values, -1)
    return float(falling[np.argmax(values > values.max() - 1e-12)])
""",
            "a plain loop": """
def f1(labels, flagged):
    if len(labels) != len(flagged):
        raise ValueError("lengths differ")
    counts = np.bincount(2 * (labels == 1) + flagged, minlength=4)
    below = 2 * counts[3] + counts[1] + counts[2]
    return float(2 * counts[3] / below) if below else 0.0


def best_threshold(labels, scores):
    if len(labels) != len(scores):
        raise ValueError("lengths differ")
    if any(np.isnan(score) for score in scores):
        raise ValueError("nan")
    if sum(labels) == 0:
        raise ValueError("no spoiler")
    best, tau = -1.0, None
    for score in sorted(scores.tolist(), reverse=True):
        value = f1(labels, scores >= score)
        if value > best + 1e-12:
            best, tau = value, score
    return tau
""",
            "sklearn f1": """
def f1(labels, flagged):
    if len(labels) != len(flagged): raise ValueError("len")
    return float(metrics.f1_score(labels, flagged.astype(int), zero_division=0))

def best_threshold(labels, scores):
    if len(labels) != len(scores) or np.isnan(scores).any() or not (labels == 1).any(): raise ValueError("x")
    taus = sorted(set(scores.tolist()), reverse=True)
    values = [metrics.f1_score(labels, (scores >= t).astype(int), zero_division=0) for t in taus]
    top = max(values)
    return next(t for t, v in zip(taus, values) if v > top - 1e-12)
""",
            "exact fractions": """
def f1(labels, flagged):
    from fractions import Fraction
    if len(labels) != len(flagged): raise ValueError("len")
    tp = sum(1 for l, f in zip(labels, flagged) if l and f); fp = sum(1 for l, f in zip(labels, flagged) if not l and f); fn = sum(1 for l, f in zip(labels, flagged) if l and not f)
    if tp + fp + fn == 0: return 0.0
    return float(Fraction(2 * tp, 2 * tp + fp + fn))

def best_threshold(labels, scores):
    from fractions import Fraction
    if len(labels) != len(scores): raise ValueError("len")
    if any(s != s for s in scores): raise ValueError("nan")
    n = int((labels == 1).sum())
    if n == 0: raise ValueError("none")
    key = lambda t: (Fraction(2 * int(labels[scores >= t].sum()), int((scores >= t).sum()) + n), t)
    return float(max(scores, key=key))
""",
            "table of all pairs, numpy scalars": """
def f1(labels, flagged):
    if labels.size != flagged.size: raise ValueError("len")
    tp = np.sum(labels * flagged)
    denominator = np.sum(labels) + np.sum(flagged)
    return np.float64(0.0) if denominator == 0 else 2 * tp / denominator

def best_threshold(labels, scores):
    if labels.size != scores.size or np.isnan(scores).any() or labels.max(initial=0) < 1: raise ValueError("x")
    table = scores[None] >= scores[:, None]
    values = 2 * table @ labels / (labels.sum() + table.sum(1))
    return scores[values >= values.max() - 1e-12].max()
""",
            "thresholds of spoilers only": """
def f1(labels, flagged):
    if len(labels) != len(flagged): raise ValueError("len")
    table = pd.crosstab(labels, flagged).reindex(index=[0, 1], columns=[False, True], fill_value=0)
    below = 2 * table.loc[1, True] + table.loc[0, True] + table.loc[1, False]
    return float(2 * table.loc[1, True] / below) if below else 0.0


def best_threshold(labels, scores):
    if len(labels) != len(scores) or np.isnan(scores).any() or not (labels == 1).any(): raise ValueError("x")
    values = {tau: f1(labels, scores >= tau) for tau in set(scores[labels == 1].tolist())}
    return max(tau for tau, value in values.items() if value > max(values.values()) - 1e-12)
""",
        },
        wrong={
            "precision": (F1, "return float(hits / alarms) if alarms else 0.0"),
            "recall": (F1, "return float(hits / max(1, (labels == 1).sum()))"),
            "accuracy": (F1, "return float(((labels == 1) == flagged).mean())"),
            "Jaccard": (F1, "return float(hits / (total - hits)) if total - hits else 0.0"),
            "not doubled": ("2 * hits / total", "hits / total"),
            "mean of precision and recall": (
                F1,
                "return float(hits / alarms + hits / (labels == 1).sum()) / 2 if alarms and (labels == 1).any() else 0.0",
            ),
            "the root of precision times recall": (
                F1,
                "return float(hits / (alarms * (labels == 1).sum()) ** 0.5) if alarms and (labels == 1).any() else 0.0",
            ),
            "F2": (TOTAL, "total = 0.4 * (alarms + 4 * (labels == 1).sum())"),
            "of the others": ("hits, alarms = (labels == 1)", "hits, alarms = (labels == 0)"),
            "misses counted twice": (TOTAL, "total = alarms + 2 * (labels == 1).sum() - hits"),
            "alarms counted twice": (TOTAL, "total = 2 * alarms + (labels == 1).sum() - hits"),
            "all flags as alarms": (TOTAL, "total = alarms + (labels == 1).sum() + hits"),
            "macro F1": (
                F1,
                "g, m = (~flagged & (labels == 0)).sum(), (~flagged).sum() + (labels == 0).sum()\n    a, b = (2 * hits / total if total else 0.0), (2 * g / m if m else 0.0)\n    return float(a + b) / 2",
            ),
            "0 / 0 is nan": ("if total else 0.0", "if total else float('nan')"),
            "0 / 0 is 1": ("if total else 0.0", "if total else 1.0"),
            "0 / 0 is an error": (" if total else 0.0", ""),
            "a numpy number": (F1, "return np.float32(2 * hits / total) if total else 0.0"),
            "an int of 0": ("if total else 0.0", "if total else 0"),
            "rounded": (F1, "return round(float(2 * hits / total), 3) if total else 0.0"),
            "no check of the flags' length": (FLAGS, ""),
            "flags cut": (FLAGS, "    labels, flagged = labels[: len(flagged)], flagged[: len(labels)]\n"),
            "flags changed": (HITS, HITS + "\n    flagged[:] = False"),
            "labels changed": (HITS, HITS + "\n    labels[:] = 0"),
            "precision with recall, the first maximum without a tolerance": (
                VALUES,
                "parts = [((labels == 1)[scores >= t].mean(), (scores >= t)[labels == 1].mean()) for t in falling]\n"
                "    values = np.array([2 * p * r / (p + r) if p else 0.0 for p, r in parts])",
                CHOSEN,
                "return float(falling[values.argmax()])",
            ),
            "ties found by differences, where inf - inf is nan": (
                VALUES,
                "order = np.argsort(-scores, kind='stable')\n"
                "    falling, hits = scores[order], np.cumsum(labels[order] == 1)\n"
                "    last = np.r_[np.diff(falling) != 0, True]\n"
                "    values = (2 * hits / (np.arange(1, len(scores) + 1) + hits[-1]))[last]\n"
                "    falling = falling[last]",
            ),
            "scores above the threshold": ("scores >= tau", "scores > tau"),
            "scores below the threshold": ("scores >= tau", "scores <= tau"),
            "the smallest of the best": ("[0]])", "[-1]])"),
            "rising thresholds": (FALLING, "falling = np.unique(scores)"),
            "the first of the maximum in any order": (FALLING, "falling = scores"),
            "midpoints": (
                CHOSEN,
                "best = np.flatnonzero(values >= values.max() - 1e-12)[0]\n    return float((falling[best] + falling[min(best + 1, len(falling) - 1)]) / 2)",
            ),
            "the F1 itself": (CHOSEN, "return float(values.max())"),
            "the pair": (
                CHOSEN,
                "tau = float(falling[values.argmax()])\n    return tau, float(values.max())",
            ),
            "always a half": (CHOSEN, "return 0.5"),
            "the median": (CHOSEN, "return float(np.median(scores))"),
            "the base rate's quantile": (CHOSEN, "return float(np.sort(scores)[-int(labels.sum())])"),
            "a grid of 100": (
                FALLING,
                "falling = np.linspace(scores[np.isfinite(scores)].max(), scores[np.isfinite(scores)].min(), 100)",
            ),
            "probabilities only": (FALLING, "falling = np.linspace(1, 0, 101)"),
            "the highest score left out": (FALLING, "falling = np.unique(scores)[::-1][1:]"),
            "the lowest score left out": (
                FALLING,
                "falling = np.unique(scores)[::-1][: max(1, len(np.unique(scores)) - 1)]",
            ),
            "scores of spoilers, the lowest": (FALLING, "falling = np.sort(scores[labels == 1])[:1]"),
            "scores of others only": (
                FALLING,
                "falling = np.r_[np.unique(scores[labels == 0])[::-1], scores[labels == 1].max()]",
            ),
            "accuracy's best": (
                VALUES,
                "values = np.array([((scores >= tau) == labels).mean() for tau in falling])",
            ),
            "precision's best": (
                VALUES,
                "values = np.array([labels[scores >= tau].mean() for tau in falling])",
            ),
            "recall's best": (VALUES, "values = np.array([labels[scores >= tau].sum() for tau in falling])"),
            "Youden's best": (
                VALUES,
                "values = np.array([(scores >= tau)[labels == 1].mean() - ((scores >= tau)[labels == 0].mean() if (labels == 0).any() else 0) for tau in falling])",
            ),
            "ties taken apart": (
                CHOSEN,
                "order = np.argsort(-scores, kind='stable')\n    values = 2 * labels[order].cumsum() / (np.arange(1, len(labels) + 1) + labels.sum())\n    return float(scores[order][values.argmax()])",
            ),
            "a numpy threshold": (CHOSEN, "return np.float32(falling[values.argmax()])"),
            "rounded thresholds": (FALLING, "falling = np.unique(np.round(scores, 2))[::-1]"),
            "inf cut off": (FALLING, "falling = np.unique(scores[np.isfinite(scores)])[::-1]"),
            "no check of nan": (NAN, ""),
            "nan as 0": (NAN, "    scores = np.nan_to_num(scores)\n"),
            "no check of spoilers": (NO_SPOILER, ""),
            "inf without spoilers": (
                NO_SPOILER,
                "    if not (labels == 1).any():\n        return float('inf')\n",
            ),
            "lengths cut": (LENGTHS, "    labels, scores = labels[: len(scores)], scores[: len(labels)]\n"),
            "another error": ('raise ValueError("no label is 1', 'raise IndexError("no label is 1'),
            "scores sorted in place": (FALLING, FALLING + "\n    scores.sort()"),
            "the first maximum of rounded numbers": (
                "values = np.array([f1(labels, scores >= tau) for tau in falling])",
                "flags = [scores >= tau for tau in falling]\n    pr = [((labels[f] == 1).mean(), labels[f].sum() / labels.sum()) for f in flags]\n    values = np.array([2 * p * r / (p + r) if p + r else 0.0 for p, r in pr])",
                "return float(falling[np.flatnonzero(values >= values.max() - 1e-12)[0]])",
                "return float(falling[values.argmax()])",
            ),
            "tolerance of 0.01": ("values.max() - 1e-12", "values.max() - 0.01"),
            "tolerance of 1e-3": ("values.max() - 1e-12", "values.max() - 2e-3"),
            "flags as row numbers": (
                "(labels == 1)[flagged].sum()",
                "(labels == 1)[flagged.astype(int)].sum()",
            ),
            "inf is never flagged": ("scores >= tau", "np.isfinite(scores) & (scores >= tau)"),
            "nearly equal is equal": ("scores >= tau", "(scores >= tau) | np.isclose(scores, tau)"),
            "float32 thresholds": (
                "falling = np.unique(scores)[::-1]",
                "falling = np.unique(scores.astype(np.float32))[::-1].astype(float)",
            ),
            "nan looked for among spoilers": (
                "np.isnan(scores).any()",
                "np.isnan(scores[labels == 1]).any()",
            ),
            "no others refused": ("if not (labels == 1).any():", "if len(np.unique(labels)) < 2:"),
            "nan where nothing is flagged": (
                "return float(2 * hits / total) if total else 0.0",
                'return float(2 * hits / total) if flagged.any() else (0.0 if not (labels == 1).any() else float("nan"))',
            ),
            "1 for one sentence": ("if total else 0.0", "if total else float(len(labels) < 2)"),
            "scikit-learn's curve, which refuses inf": (
                "falling = np.unique(scores)[::-1]",
                "p, r, t = metrics.precision_recall_curve(labels, scores)\n    v = 2 * p * r / np.maximum(p + r, 1e-12)\n    return float(t[min(len(t) - 1, len(v) - 1 - v[::-1].argmax())])\n    falling = np.unique(scores)[::-1]",
            ),
            "labels sorted in place": (
                "falling = np.unique(scores)[::-1]",
                "falling = np.unique(scores)[::-1]\n    labels.sort()",
            ),
            "an error without words": (
                'raise ValueError("no label is 1; choose the threshold where there are spoilers")',
                "raise ValueError()",
            ),
            "an error without words for lengths": (
                '    if len(labels) != len(flagged):\n        raise ValueError(f"{len(labels)} labels, {len(flagged)} flags: give one of each a sentence")\n',
                "    if len(labels) != len(flagged):\n        raise ValueError\n",
            ),
            "one flag for all": (
                '    if len(labels) != len(flagged):\n        raise ValueError(f"{len(labels)} labels, {len(flagged)} flags: give one of each a sentence")\n',
                '    if len(labels) != len(flagged) and len(flagged) != 1:\n        raise ValueError("x")\n    flagged = np.broadcast_to(flagged, labels.shape)\n',
            ),
        },
    ),
    "q5": Question(
        right={
            "a frame and groups": """
def book_interval(statistic, labels, scores, books, draws=1000, seed=1, confidence=0.95):
    if len({len(labels), len(scores), len(books)}) > 1:
        raise ValueError("lengths differ")
    groups = list(pd.Series(np.arange(len(books))).groupby(books).indices.values())
    if len(groups) < 2:
        raise ValueError("one book")
    if len(set(labels.tolist())) < 2:
        raise ValueError("one kind of label")
    if not draws >= 1 or not 0 < confidence < 1:
        raise ValueError("draws or confidence")
    random, values = np.random.default_rng(seed), np.empty(draws)
    done = 0
    while done < draws:
        chosen = random.choice(len(groups), len(groups))
        rows = np.hstack([groups[i] for i in chosen])
        if labels[rows].min() == labels[rows].max():
            continue
        values[done] = statistic(labels[rows], scores[rows])
        done += 1
    half = (1 - confidence) / 2
    return tuple(float(np.quantile(values, q)) for q in (half, 1 - half))
""",
            "how often each book is drawn": """
def book_interval(statistic, labels, scores, books, draws=1000, seed=1, confidence=0.95):
    if not (len(labels) == len(scores) and len(labels) == len(books)):
        raise ValueError("lengths differ")
    names = sorted(set(books.tolist()))
    if len(names) < 2 or labels.min() == labels.max() or draws < 1 or confidence <= 0 or confidence >= 1:
        raise ValueError("bad books, labels, draws or confidence")
    number = np.searchsorted(names, books)
    draw, values = np.random.default_rng(seed), []
    while len(values) < draws:
        times = draw.multinomial(len(names), np.full(len(names), 1 / len(names)))
        rows = np.repeat(np.arange(len(books)), times[number])
        if 0 < labels[rows].mean() < 1:
            values.append(statistic(labels[rows], scores[rows]))
    low, high = np.percentile(values, [50 * (1 - confidence), 50 * (1 + confidence)])
    return (float(low), float(high))
""",
            "double loop": """
def book_interval(statistic, labels, scores, books, draws=1000, seed=1, confidence=0.95):
    if len(labels) != len(scores) or len(scores) != len(books): raise ValueError("len")
    names = sorted(set(books.tolist()))
    if len(names) < 2: raise ValueError("books")
    if len(set(labels.tolist())) < 2: raise ValueError("labels")
    if draws < 1: raise ValueError("draws")
    if not 0 < confidence < 1: raise ValueError("confidence")
    rng = np.random.default_rng(seed)
    values = []
    while len(values) < draws:
        rows = []
        for b in rng.integers(0, len(names), len(names)):
            for i in range(len(books)):
                if books[i] == names[b]:
                    rows.append(i)
        if len(set(labels[rows].tolist())) < 2:
            continue
        values.append(statistic(labels[rows], scores[rows]))
    a = (1 - confidence) / 2
    return float(np.quantile(values, a)), float(np.quantile(values, 1 - a))
""",
            "masks per book": """
def book_interval(statistic, labels, scores, books, draws=1000, seed=1, confidence=0.95):
    if not (len(labels) == len(scores) == len(books)) or len(set(books)) < 2 or len(set(labels)) < 2 or draws < 1 or not 0 < confidence < 1:
        raise ValueError("bad")
    rng = np.random.default_rng(seed); names = np.unique(books); values = []
    while len(values) < draws:
        chosen = rng.choice(names, size=len(names), replace=True)
        rows = np.concatenate([np.where(books == b)[0] for b in chosen])
        l = labels[rows]
        if l.min() != l.max():
            values.append(statistic(l, scores[rows]))
    return tuple(np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist())
""",
            "pandas filter": """
def book_interval(statistic, labels, scores, books, draws=1000, seed=1, confidence=0.95):
    if not (len(labels) == len(scores) == len(books)) or pd.Series(books).nunique() < 2 or pd.Series(labels).nunique() < 2 or draws < 1 or not 0 < confidence < 1:
        raise ValueError("bad")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"book": books, "row": np.arange(len(books))})
    names, values = frame["book"].unique(), []
    while len(values) < draws:
        rows = pd.concat([frame[frame["book"] == b] for b in rng.choice(names, len(names))])["row"].to_numpy()
        if len(np.unique(labels[rows])) == 2:
            values.append(statistic(labels[rows], scores[rows]))
    return float(np.quantile(values, (1 - confidence) / 2)), float(np.quantile(values, (1 + confidence) / 2))
""",
            "rows shuffled after the draw": """
def book_interval(statistic, labels, scores, books, draws=1000, seed=1, confidence=0.95):
    if not (len(labels) == len(scores) == len(books)): raise ValueError("bad")
    where = {}
    for i, b in enumerate(books): where.setdefault(b, []).append(i)
    if len(where) < 2 or not 0 < (labels == 1).sum() < len(labels) or draws < 1 or not 0 < confidence < 1: raise ValueError("bad")
    rng = np.random.default_rng(seed); keys = list(where); values = []
    for _ in range(10**9):
        rows = rng.permutation(np.array(sum([where[keys[j]] for j in rng.integers(len(keys), size=len(keys))], [])))
        if 0 < (labels[rows] == 1).sum() < len(rows):
            values.append(statistic(labels[rows], scores[rows]))
        if len(values) == draws: break
    low, high = np.quantile(values, (1 - confidence) / 2), np.quantile(values, (1 + confidence) / 2)
    return low, high
""",
        },
        wrong={
            "sentences drawn": (ROWS, "rows = draw.integers(len(books), size=len(books))"),
            "without replacement": (CHOSEN_BOOKS, "chosen = draw.permutation(len(names))"),
            "half of the books": ("size=len(names))", "size=max(1, len(names) // 2))"),
            "one book more": ("size=len(names))", "size=len(names) + 1)"),
            "one book less": ("size=len(names))", "size=len(names) - 1)"),
            "as many as sentences": ("size=len(names))", "size=len(books))"),
            "the last book is never drawn": (
                "draw.integers(len(names), size",
                "draw.integers(len(names) - 1, size",
            ),
            "the first book is never drawn": (
                "draw.integers(len(names), size",
                "draw.integers(1, len(names), size",
            ),
            "large books more often": (
                CHOSEN_BOOKS,
                "chosen = number[draw.integers(len(books), size=len(names))]",
            ),
            "each book once": (
                CHOSEN_BOOKS,
                "chosen = set(draw.integers(len(names), size=len(names)).tolist())",
            ),
            "one sentence a book": ("[members[book] for", "[members[book][:1] for"),
            "resampled within books too": (
                "[members[book] for",
                "[draw.choice(members[book], len(members[book])) for",
            ),
            "resampled within books only": (
                ROWS,
                "rows = np.concatenate([draw.choice(m, len(m)) for m in members])",
            ),
            "the first sentence left out": (
                "[members[book] for",
                "[members[book][len(members[book]) > 1 :] for",
            ),
            "always the same draw": (
                "while len(values) < draws:",
                "while len(values) < draws:\n        draw = np.random.default_rng([seed, 0])",
            ),
            "neighbors in the file are a book": (
                "names, number = np.unique(books, return_inverse=True)",
                "number = np.r_[0, np.cumsum(books[1:] != books[:-1])]\n    names = np.unique(number)",
            ),
            "labels not drawn": ("statistic(labels[rows],", "statistic(labels[: len(rows)],"),
            "scores not drawn": ("scores[rows]))", "scores[: len(rows)]))"),
            "arguments change places": (
                "statistic(labels[rows], scores[rows])",
                "statistic(scores[rows], labels[rows])",
            ),
            "scores sorted": ("scores[rows]))", "np.sort(scores[rows], axis=0)))"),
            "draws with one label count": (COUNTED, "if True:"),
            "draws with one label are lost": (
                "while len(values) < draws:",
                "for _ in range(draws):",
            ),
            "draws with one label count as 0": (
                VALUE,
                "values.append(statistic(labels[rows], scores[rows]))\n        else:\n            values.append(0.0)",
            ),
            "all labels 1 accepted": (COUNTED, "if labels[rows].any():"),
            "all labels 0 accepted": (COUNTED, "if not labels[rows].all():"),
            "one draw too few": ("while len(values) < draws:", "while len(values) < max(1, draws - 1):"),
            "one draw too many": ("while len(values) < draws:", "while len(values) <= draws:"),
            "always 1000 draws": ("while len(values) < draws:", "while len(values) < 1000:"),
            "no seed": ("default_rng(seed)", "default_rng()"),
            "one seed": ("default_rng(seed)", "default_rng(1)"),
            "the global state": (
                DRAW,
                "values = []\n    np.random.seed(seed)",
                CHOSEN_BOOKS,
                "chosen = np.random.randint(len(names), size=len(names))",
            ),
            "always 95%": (ENDS, "low, high = np.quantile(values, [0.025, 0.975])"),
            "both ends one-sided": (ENDS, "low, high = np.quantile(values, [1 - confidence, confidence])"),
            "the ends change places": ("return float(low), float(high)", "return float(high), float(low)"),
            "least and largest": (ENDS, "low, high = min(values), max(values)"),
            "two standard deviations": (
                ENDS,
                "low, high = np.mean(values) + 1.96 * np.std(values) * np.array([-1, 1])",
            ),
            "the standard error of the draws": (
                ENDS,
                "low, high = np.mean(values) + 1.96 * np.std(values) / len(values) ** 0.5 * np.array([-1, 1])",
            ),
            "the basic bootstrap": (
                ENDS,
                ENDS + "\n    m = statistic(labels, scores)\n    low, high = 2 * m - high, 2 * m - low",
            ),
            "nearest values": ("(1 + confidence) / 2])", "(1 + confidence) / 2], method='nearest')"),
            "the mean in the middle": (
                "return float(low), float(high)",
                "return float(low), float(np.mean(values)), float(high)",
            ),
            "a list": ("return float(low), float(high)", "return [float(low), float(high)]"),
            "an array": ("return float(low), float(high)", "return np.array([low, high])"),
            "the width": ("return float(low), float(high)", "return float(high - low)"),
            "no check of lengths": (THREE, ""),
            "two lengths checked": (
                "if not len(labels) == len(scores) == len(books):",
                "if len(labels) != len(scores):",
            ),
            "other two lengths checked": (
                "if not len(labels) == len(scores) == len(books):",
                "if len(labels) != len(books):",
            ),
            "one book accepted": (NOTHING, "if len(np.unique(labels)) < 2:"),
            "no spoiler accepted": (
                NOTHING,
                "if len(names) < 2 or (labels == 1).all():",
                COUNTED,
                "if labels.sum() == 0 or len(np.unique(labels[rows])) == 2:",
            ),
            "spoilers only accepted": (
                NOTHING,
                "if len(names) < 2 or (labels == 0).all():",
                COUNTED,
                "if labels.all() or len(np.unique(labels[rows])) == 2:",
            ),
            "no draws accepted": (
                SETTINGS,
                "if not 0 < confidence < 1:",
                "while len(values) < draws:",
                "while len(values) < max(draws, 1):",
            ),
            "confidence 1 accepted": ("not 0 < confidence < 1", "not 0 < confidence <= 1"),
            "confidence in percent": (
                SETTINGS,
                "confidence = confidence / 100 if confidence > 1 else confidence\n    " + SETTINGS,
            ),
            "checked after the draws": (SETTINGS, "statistic(labels, scores)\n    " + SETTINGS),
            "another error": ('raise ValueError("all books', 'raise RuntimeError("all books'),
            "changes the scores": (MEMBERS, "scores += 0.0 * scores + 1\n    " + MEMBERS),
            "sorts the books": (
                "names, number = np.unique(books, return_inverse=True)",
                "books.sort()\n    names, number = np.unique(books, return_inverse=True)",
            ),
            "Python's global generator": (
                "values, draw = [], np.random.default_rng(seed)",
                "import random\n    values = []\n    random.seed(seed)",
                "chosen = draw.integers(len(names), size=len(names))",
                "chosen = random.choices(range(len(names)), k=len(names))",
            ),
            "torch's global generator": (
                "values, draw = [], np.random.default_rng(seed)",
                "values = []\n    torch.manual_seed(seed)",
                "chosen = draw.integers(len(names), size=len(names))",
                "chosen = torch.randint(len(names), (len(names),)).tolist()",
            ),
            "no arrays of objects": (
                "names, number = np.unique(books",
                "books = np.char.strip(books)\n    names, number = np.unique(books",
            ),
            "the first column only": (
                "scores[rows]))",
                "(scores if scores.ndim == 1 else scores[:, :1])[rows]))",
            ),
            "flattened scores": ("scores[rows]))", "scores[rows].ravel()))"),
            "scores get a dimension": ("scores[rows]))", "np.atleast_2d(scores[rows].T).T))"),
            "each row once": (
                "rows = np.concatenate([members[book] for book in chosen])",
                "rows = np.concatenate([members[book] for book in chosen])\n        rows = np.unique(rows)",
            ),
            "skips draws of all the same book": (
                "if len(np.unique(labels[rows])) == 2:",
                "if len(np.unique(labels[rows])) == 2 and len(set(chosen.tolist())) > 1:",
            ),
            "seed 0 is no seed": ("default_rng(seed)", "default_rng(seed or None)"),
            "another kind of quantiles": (
                "(1 + confidence) / 2])",
                '(1 + confidence) / 2], method="median_unbiased")',
            ),
            "lower quantiles": ("(1 + confidence) / 2])", '(1 + confidence) / 2], method="lower")'),
            "quantiles by position": (
                "low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])",
                "values.sort()\n    low, high = values[int((1 - confidence) / 2 * len(values))], values[min(len(values) - 1, int((1 + confidence) / 2 * len(values)))]",
            ),
            "one draw refused": ("draws < 1", "draws < 2"),
            "confidence 0 accepted": ("0 < confidence", "0 <= confidence"),
            "labels turned around in place": (
                "members = [np.flatnonzero(number == book) for book in range(len(names))]",
                "members = [np.flatnonzero(number == book) for book in range(len(names))]\n    labels[:] = labels[::-1]",
            ),
            "float32 ends": ("return float(low), float(high)", "return np.float32(low), np.float32(high)"),
            "a part of large books": (
                "[members[book] for",
                "[members[book][draw.random(len(members[book])) < 0.9] if len(members[book]) > 9 else members[book] for",
            ),
            "the statistic of all sentences first": (
                "values, draw = [], np.random.default_rng(seed)",
                "statistic(labels, scores)\n    values, draw = [], np.random.default_rng(seed)",
            ),
            "the statistic of draws that do not count": (
                "if len(np.unique(labels[rows])) == 2:",
                "value = statistic(labels[rows], scores[rows])\n        if len(np.unique(labels[rows])) == 2:",
            ),
            "an error without words": (
                'raise ValueError(f"draws {draws}, confidence {confidence}: give 1 or more, 0 to 1")',
                "raise ValueError",
            ),
            "two books refused": ("len(names) < 2", "len(names) <= 2"),
            "the upper end one-sided": (
                "[(1 - confidence) / 2, (1 + confidence) / 2]",
                "[(1 - confidence) / 2, confidence]",
            ),
            "the last book twice as often": (
                "chosen = draw.integers(len(names), size=len(names))",
                "chosen = np.minimum(draw.integers(len(names) + 1, size=len(names)), len(names) - 1)",
            ),
            "draws that do not count are lost, some more tried": (
                "while len(values) < draws:",
                "for _ in range(draws + 9):\n        if len(values) == draws:\n            break",
            ),
        },
    ),
    "q6": Question(
        right={
            "a mask and odds": """
def thin(labels, share, seed):
    if not 0 < share < 1 or not labels.any():
        raise ValueError("share must be between 0 and 1, with spoilers")
    others = np.flatnonzero(labels != 1)
    count = round(int(labels.sum()) * (1 - share) / share)
    if count > others.size:
        raise ValueError("too few others")
    keep = labels == 1
    keep[np.random.default_rng(seed).permutation(others)[:count]] = True
    return keep.nonzero()[0]


def shift_logits(logits, trained, true):
    for rate in (trained, true):
        if rate <= 0 or rate >= 1:
            raise ValueError("a rate is not between 0 and 1")
    factor = true * (1 - trained) / ((1 - true) * trained)
    return np.add(logits, np.log(factor))
""",
            "random keys": """
def thin(labels, share, seed):
    if share <= 0 or share >= 1:
        raise ValueError("share")
    spoilers, others = (np.flatnonzero(labels == i) for i in (1, 0))
    if len(spoilers) == 0:
        raise ValueError("no spoilers")
    count = int(round(len(spoilers) * (1 - share) / share))
    if len(others) < count:
        raise ValueError("too few others")
    keys = np.random.default_rng(seed).random(len(others))
    return np.sort(np.r_[spoilers, others[np.argsort(keys)[:count]]]).astype(np.int64)


def shift_logits(logits, trained, true):
    if not 0 < trained < 1 or not 0 < true < 1:
        raise ValueError("rates")

    def logit(p):
        return np.log(p) - np.log1p(-p)

    return logits + (logit(true) - logit(trained))
""",
            "lists": """
def thin(labels, share, seed):
    if not (share > 0 and share < 1): raise ValueError("share")
    pos = [i for i, l in enumerate(labels) if l == 1]; neg = [i for i, l in enumerate(labels) if l != 1]
    k = round(len(pos) / share * (1 - share))
    if not pos or k > len(neg): raise ValueError("few")
    rng = np.random.default_rng(seed); rng.shuffle(neg)
    return np.array(sorted(pos + neg[:k]))

def shift_logits(logits, trained, true):
    import math
    if not 0 < trained < 1 or not 0 < true < 1: raise ValueError("rate")
    out = np.array(logits, dtype=float, copy=True)
    out -= math.log(trained) - math.log(1 - trained)
    out += math.log(true) - math.log(1 - true)
    return out
""",
            "python random sample, einsum": """
def thin(labels, share, seed):
    import random
    if share <= 0 or share >= 1: raise ValueError("share")
    n = int(np.sum(labels)); k = int(np.rint(n / share - n))
    if n == 0 or k > len(labels) - n: raise ValueError("few")
    some = random.Random(seed).sample(np.flatnonzero(labels == 0).tolist(), k)
    return np.union1d(np.flatnonzero(labels), np.array(some, dtype=np.int64))

def shift_logits(logits, trained, true):
    from scipy.special import logit
    if min(trained, true) <= 0 or max(trained, true) >= 1: raise ValueError("rate")
    return np.einsum("...->...", logits) + float(logit(true) - logit(trained))
""",
            "frame sample": """
def thin(labels, share, seed):
    if not 0 < share < 1: raise ValueError("share")
    s = pd.Series(labels); p = s[s == 1]; o = s[s == 0]
    k = round(len(p) * (1 - share) / share)
    if p.empty or k > len(o): raise ValueError("few")
    return np.sort(np.r_[p.index.to_numpy(), o.sample(k, random_state=np.random.default_rng(seed)).index.to_numpy()])

def shift_logits(logits, trained, true):
    if not 0 < trained < 1 or not 0 < true < 1: raise ValueError("rate")
    o = np.log([true / (1 - true), trained / (1 - trained)])
    return np.array([x + o[0] - o[1] for x in logits])
""",
            "torch shift": """
def thin(labels, share, seed):
    if not 0 < share < 1: raise ValueError("share")
    wanted = round((labels == 1).sum() * (1 - share) / share)
    if not (labels == 1).any() or wanted > (labels == 0).sum(): raise ValueError("few")
    g = torch.Generator().manual_seed(seed)
    o = np.flatnonzero(labels == 0)[torch.randperm(int((labels == 0).sum()), generator=g).numpy()[:wanted]]
    m = np.zeros(len(labels), bool); m[o] = True; m |= labels == 1
    return np.where(m)[0]

def shift_logits(logits, trained, true):
    if not 0 < trained < 1 or not 0 < true < 1: raise ValueError("rate")
    t = torch.tensor([trained, true], dtype=torch.float64).logit()
    return logits + (t[1] - t[0]).item()
""",
        },
        wrong={
            "the first others": (SOME, "some = others_at[:wanted]"),
            "the last others": (SOME, "some = others_at[len(others_at) - wanted :]"),
            "every so many": (
                SOME,
                "some = others_at[np.linspace(0, len(others_at) - 1, wanted).astype(int)]",
            ),
            "with repetition": ("wanted, replace=False)", "wanted)"),
            "with repetition, once each": (
                SOME,
                "some = np.unique(np.random.default_rng(seed).choice(others_at, wanted))",
            ),
            "spoilers drawn too": (
                JOINED,
                "return np.sort(np.random.default_rng(seed).choice(len(labels), wanted + len(spoilers_at), replace=False))",
            ),
            "spoilers lost": (JOINED, "return np.sort(some)"),
            "one spoiler lost": ("[spoilers_at, some]", "[spoilers_at[1:], some]"),
            "share of the others": (WANTED, "wanted = round(len(others_at) * share)"),
            "as many others as 1 / share": (WANTED, "wanted = round(len(spoilers_at) / share)"),
            "spoilers to others": (WANTED, "wanted = round(len(spoilers_at) * share / (1 - share))"),
            "the share turned around": (
                WANTED,
                "wanted = round(len(spoilers_at) * (1 - (1 - share)) / (1 - share))",
            ),
            "rounded down": (WANTED, "wanted = int(len(spoilers_at) * (1 - share) / share)"),
            "rounded up": (WANTED, "wanted = int(np.ceil(len(spoilers_at) * (1 - share) / share - 1e-9))"),
            "one more": (WANTED, "wanted = round(len(spoilers_at) * (1 - share) / share) + 1"),
            "as many as spoilers": (WANTED, "wanted = len(spoilers_at)"),
            "all others": (WANTED, "wanted = len(others_at)"),
            "each other by a coin": (
                SOME,
                "some = others_at[np.random.default_rng(seed).random(len(others_at)) < wanted / len(others_at)]",
            ),
            "not sorted": (
                "np.sort(np.concatenate([spoilers_at, some]))",
                "np.concatenate([spoilers_at, some])",
            ),
            "a mask": (JOINED, "return np.isin(np.arange(len(labels)), np.r_[spoilers_at, some])"),
            "a list": (JOINED, "return np.sort(np.concatenate([spoilers_at, some])).tolist()"),
            "labels of the sample": (JOINED, "return labels[np.sort(np.concatenate([spoilers_at, some]))]"),
            "float rows": (JOINED, "return np.sort(np.concatenate([spoilers_at, some])).astype(float)"),
            "no seed": ("default_rng(seed)", "default_rng()"),
            "one seed": ("default_rng(seed)", "default_rng(1)"),
            "the global state": (
                SOME,
                "np.random.seed(seed)\n    some = np.random.choice(others_at, wanted, replace=False)",
            ),
            "labels changed": (JOINED, "labels[others_at] = 2\n    " + JOINED),
            "no check of the share": (SHARE, "    share = min(max(share, 0.3), 0.7)\n"),
            "share 1 accepted": ("not 0 < share < 1", "not 0 < share <= 1"),
            "shares above 1 accepted": (
                "not 0 < share < 1",
                "not 0 < share",
                WANTED,
                "wanted = max(0, round(len(spoilers_at) * (1 - share) / share))",
            ),
            "no spoilers accepted": ("not len(spoilers_at) or ", ""),
            "as many others as there are": (
                ENOUGH,
                "wanted = min(wanted, len(others_at))\n    if not len(spoilers_at):",
            ),
            "another error": ('raise ValueError(f"share is', 'raise TypeError(f"share is'),
            "the shift turned around": (
                SHIFT,
                "return logits + np.log(trained / (1 - trained)) - np.log(true / (1 - true))",
            ),
            "both added": ("logits - np.log(trained", "logits + np.log(trained"),
            "shares, no odds": (SHIFT, "return logits + np.log(true / trained)"),
            "others' shares": (SHIFT, "return logits + np.log((1 - true) / (1 - trained))"),
            "the odds without the log": (
                SHIFT,
                "return logits + true / (1 - true) - trained / (1 - trained)",
            ),
            "a difference of shares": (SHIFT, "return logits + true - trained"),
            "times the odds": (SHIFT, "return logits * (true / (1 - true)) / (trained / (1 - trained))"),
            "base 2": (
                SHIFT,
                "return logits - np.log2(trained / (1 - trained)) + np.log2(true / (1 - true))",
            ),
            "base 10": (
                SHIFT,
                "return logits - np.log10(trained / (1 - trained)) + np.log10(true / (1 - true))",
            ),
            "the true rate only": (SHIFT, "return logits + np.log(true / (1 - true))"),
            "the trained rate only": (SHIFT, "return logits - np.log(trained / (1 - trained))"),
            "probabilities": (
                SHIFT,
                "z = logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))\n    return 1 / (1 + np.exp(-z))",
            ),
            "by way of probabilities": (
                SHIFT,
                "p = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))\n    a, b = p * true / trained, (1 - p) * (1 - true) / (1 - trained)\n    return np.log(a / b)",
            ),
            "probabilities scaled": (
                SHIFT,
                "p = 1 / (1 + np.exp(-logits))\n    p = p * true / trained\n    return np.log(p / (1 - p))",
            ),
            "in place": (
                SHIFT,
                "logits -= np.log(trained / (1 - trained)) - np.log(true / (1 - true))\n    return logits",
            ),
            "the same array for equal rates": (
                SHIFT,
                "if trained == true:\n        return logits\n    " + SHIFT,
            ),
            "flattened": (
                SHIFT,
                "return (logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))).ravel()",
            ),
            "a list of logits": (
                SHIFT,
                "return (logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))).tolist()",
            ),
            "float32": (
                SHIFT,
                "return (logits.astype(np.float16) - np.log(trained / (1 - trained)) + np.log(true / (1 - true)))",
            ),
            "no check of the rates": (RATES, "if False:"),
            "the trained rate is not checked": ("0 < trained < 1 and ", ""),
            "the true rate is not checked": (" and 0 < true < 1", ""),
            "rates of 1 accepted": (RATES, "if not (0 < trained <= 1 and 0 < true <= 1):"),
            "rates of 0 accepted": (RATES, "if not (0 <= trained < 1 and 0 <= true < 1):"),
            "another error for rates": (
                'raise ValueError(f"base rates',
                'raise ArithmeticError(f"base rates',
            ),
            "Python's global generator": (
                "some = np.random.default_rng(seed).choice(others_at, wanted, replace=False)",
                "import random\n    random.seed(seed)\n    some = random.sample(others_at.tolist(), wanted)",
                "return np.sort(np.concatenate([spoilers_at, some]))",
                "return np.sort(np.concatenate([spoilers_at, np.array(some, dtype=int)]))",
            ),
            "torch's global generator": (
                "some = np.random.default_rng(seed).choice(others_at, wanted, replace=False)",
                "torch.manual_seed(seed)\n    some = others_at[torch.randperm(len(others_at))[:wanted].numpy()]",
            ),
            "int32 rows": (
                "return np.sort(np.concatenate([spoilers_at, some]))",
                "return np.sort(np.concatenate([spoilers_at, some])).astype(np.int32)",
            ),
            "a view for equal rates": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "if trained == true:\n        return logits[:]\n    return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
            ),
            "all others refused": ("wanted > len(others_at)", "wanted >= len(others_at)"),
            "a run of others": (
                "some = np.random.default_rng(seed).choice(others_at, wanted, replace=False)",
                "start = np.random.default_rng(seed).integers(len(others_at))\n    some = np.roll(others_at, -start)[:wanted]",
            ),
            "one of each stretch": (
                "some = np.random.default_rng(seed).choice(others_at, wanted, replace=False)",
                "some = np.array([np.random.default_rng([seed, i]).choice(c) for i, c in enumerate(np.array_split(others_at, max(1, wanted))) if len(c)][:wanted], dtype=int)",
            ),
            "share of all sentences": (
                "wanted = round(len(spoilers_at) * (1 - share) / share)",
                "wanted = round(len(labels) * share) - len(spoilers_at)",
            ),
            "logits cut at 100": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "return np.clip(logits, -100, 100) - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
            ),
            "float32 logits": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "return (logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))).astype(np.float32)",
            ),
            "squeezed": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "return (logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))).squeeze()",
            ),
            "one row more in the shape": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "return np.atleast_2d(logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true)))",
            ),
            "last column only": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "z = logits.copy()\n    z[..., -1:] += np.log(true / (1 - true)) - np.log(trained / (1 - trained))\n    return z",
            ),
            "true rates up to a half": (
                "if not (0 < trained < 1 and 0 < true < 1):",
                "if not (0 < trained < 1 and 0 < true <= 0.5):",
            ),
            "rates clipped": (
                "return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
                "trained, true = np.clip([trained, true], 0.02, 0.98)\n    return logits - np.log(trained / (1 - trained)) + np.log(true / (1 - true))",
            ),
            "an error without words for rates": (
                'raise ValueError(f"base rates {trained} and {true}: give numbers between 0 and 1")',
                "raise ValueError",
            ),
            "an error without words for few others": (
                'raise ValueError(f"{len(spoilers_at)} spoilers, {len(others_at)} others: too few")',
                "raise ValueError",
            ),
            "two seeds": ("default_rng(seed)", "default_rng(seed % 2)"),
            "ten seeds": ("default_rng(seed)", "default_rng(min(seed, 9))"),
        },
    ),
    "q7": Question(
        right={
            "two loops": """
def pareto(costs, scores):
    if len(costs) != len(scores) or len(costs) == 0:
        raise ValueError("as many costs as scores, one or more")
    if np.isnan(np.r_[costs, scores]).any():
        raise ValueError("nan")
    models = list(zip(costs.tolist(), scores.tolist(), strict=True))
    return np.array(
        [not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in models) for cost, score in models]
    )
""",
            "from the cheapest on": """
def pareto(costs, scores):
    if costs.shape != scores.shape or not costs.size:
        raise ValueError("as many costs as scores, one or more")
    if np.isnan(costs).any() or np.isnan(scores).any():
        raise ValueError("nan")
    front, best = np.zeros(len(costs), dtype=bool), None
    for i in np.lexsort((-scores, costs)):
        if best is None or scores[i] > best[1] or (costs[i], scores[i]) == best:
            front[i], best = True, (costs[i], scores[i])
    return front
""",
            "plain loops": """
def pareto(costs, scores):
    n = len(costs)
    if n != len(scores) or n == 0: raise ValueError("x")
    for c, s in zip(costs, scores):
        if c != c or s != s: raise ValueError("nan")
    keep = []
    for i in range(n):
        ok = True
        for j in range(n):
            if costs[j] <= costs[i] and scores[j] >= scores[i] and (costs[j] != costs[i] or scores[j] != scores[i]):
                ok = False
                break
        keep.append(ok)
    return np.array(keep, dtype=bool)
""",
            "best score below each cost": """
def pareto(costs, scores):
    if costs.shape != scores.shape or costs.size < 1 or np.isnan(costs).any() or np.isnan(scores).any(): raise ValueError("x")
    out = np.ones(len(costs), bool)
    for i in range(len(costs)):
        cheaper, same = scores[costs < costs[i]], scores[costs == costs[i]]
        out[i] = not (cheaper >= scores[i]).any() and not (same > scores[i]).any()
    return out
""",
            "pandas": """
def pareto(costs, scores):
    if len(costs) != len(scores): raise ValueError("x")
    f = pd.DataFrame({"c": costs, "s": scores})
    if f.empty or f.isna().any().any(): raise ValueError("y")
    best = f.groupby("c")["s"].max().sort_index()
    before = best.cummax().shift(1)
    first = best.index[0]
    ok = [(s == best[c]) and (c == first or s > before[c]) for c, s in zip(f["c"], f["s"])]
    return np.array(ok)
""",
        },
        wrong={
            "the dominated ones": (FRONT, "return (not_worse & better).any(axis=0)"),
            "who dominates nobody": ("any(axis=0)", "any(axis=1)"),
            "who dominates all": (FRONT, "return (not_worse & better).sum(axis=1) == len(costs) - 1"),
            "better in both": (BETTER, "better = (costs[:, None] < costs) & (scores[:, None] > scores)"),
            "no worse is enough": (
                FRONT,
                "return ~(not_worse & ~np.eye(len(costs), dtype=bool)).any(axis=0)",
            ),
            "equal ones dominate": (BETTER, "better = ~np.eye(len(costs), dtype=bool)"),
            "every model beats itself": (BETTER, "better = costs[:, None] == costs"),
            "better is enough": (FRONT, "return ~better.any(axis=0)"),
            "cheaper is better": ("not_worse & better)", "not_worse & (costs[:, None] < costs))"),
            "higher is better": ("not_worse & better)", "not_worse & (scores[:, None] > scores))"),
            "dear is good": (
                NOT_WORSE,
                "not_worse = (costs[:, None] >= costs) & (scores[:, None] >= scores)",
                BETTER,
                "better = (costs[:, None] > costs) | (scores[:, None] > scores)",
            ),
            "low scores are good": (
                NOT_WORSE,
                "not_worse = (costs[:, None] <= costs) & (scores[:, None] <= scores)",
                BETTER,
                "better = (costs[:, None] < costs) | (scores[:, None] < scores)",
            ),
            "strictly cheaper": ("(costs[:, None] <= costs) &", "(costs[:, None] < costs) &"),
            "strictly higher": ("(scores[:, None] >= scores)", "(scores[:, None] > scores)"),
            "or": ("(costs[:, None] <= costs) & (", "(costs[:, None] <= costs) | ("),
            "the cheapest": (FRONT, "return costs == costs.min()"),
            "the best": (FRONT, "return scores == scores.max()"),
            "the cheapest and the best": (FRONT, "return (costs == costs.min()) | (scores == scores.max())"),
            "the best ratio": (FRONT, "return scores / costs == (scores / costs).max()"),
            "above the median": (FRONT, "return scores >= np.median(scores)"),
            "the running maximum in the given order": (
                FRONT,
                "return scores >= np.maximum.accumulate(scores)",
            ),
            "the running maximum, ties in cost by order": (
                FRONT,
                "order = np.argsort(costs, kind='stable')\n    front = np.zeros(len(costs), dtype=bool)\n    best = -np.inf\n    for i in order:\n        front[i] = scores[i] > best\n        best = max(best, scores[i])\n    return front",
            ),
            "the running maximum with ties kept": (
                FRONT,
                "order = np.lexsort((-scores, costs))\n    front = np.zeros(len(costs), dtype=bool)\n    best = -np.inf\n    for i in order:\n        front[i] = scores[i] >= best\n        best = max(best, scores[i])\n    return front",
            ),
            "copies once": (
                FRONT,
                "front = ~(not_worse & better).any(axis=0)\n    first = [i == min(j for j in range(len(costs)) if (costs[j], scores[j]) == (costs[i], scores[i])) for i in range(len(costs))]\n    return front & np.array(first)",
            ),
            "a tolerance": (
                NOT_WORSE,
                "not_worse = (costs[:, None] <= costs + 0.01) & (scores[:, None] >= scores - 0.01)",
            ),
            "the convex hull's corner lost": (
                FRONT,
                "front = ~(not_worse & better).any(axis=0)\n    return front & (costs < np.inf)",
            ),
            "costs on a log axis": (NOT_WORSE, "costs = np.log(np.maximum(costs, 1e-9))\n    " + NOT_WORSE),
            "whole costs": (NOT_WORSE, "costs = np.floor(costs)\n    " + NOT_WORSE),
            "rounded scores": (NOT_WORSE, "scores = np.round(scores, 1)\n    " + NOT_WORSE),
            "indices": (FRONT, "return np.flatnonzero(~(not_worse & better).any(axis=0))"),
            "a list": (FRONT, "return (~(not_worse & better).any(axis=0)).tolist()"),
            "numbers": (FRONT, "return 1 - (not_worse & better).any(axis=0)"),
            "sorted by cost": (FRONT, "return (~(not_worse & better).any(axis=0))[np.argsort(costs)]"),
            "no check of nan": (NANS, "if False:"),
            "costs' nan only": (" or np.isnan(scores).any()", ""),
            "scores' nan only": ("np.isnan(costs).any() or ", ""),
            "nan is dominated": (
                NANS,
                "costs, scores = np.nan_to_num(costs, nan=np.inf), np.nan_to_num(scores, nan=-np.inf)\n    if False:",
            ),
            "no check of lengths": (MODELS, "if not len(costs):"),
            "no models accepted": (" or not len(costs)", ""),
            "inf refused": (NANS, "if not np.isfinite(costs).all() or not np.isfinite(scores).all():"),
            "another error": ('raise ValueError("a cost or', 'raise KeyError("a cost or'),
            "an error without words": (
                'raise ValueError("a cost or a score is nan; leave that model out")',
                "raise ValueError",
            ),
            "costs changed": (NOT_WORSE, "costs -= costs.min() - 1\n    " + NOT_WORSE),
            "sorts in place": (
                NOT_WORSE,
                "order = np.argsort(costs)\n    costs[:], scores[:] = costs[order], scores[order]\n    "
                + NOT_WORSE,
            ),
            "differences": (
                "not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
                "dc, ds = costs[:, None] - costs, scores[:, None] - scores\n    not_worse = (dc <= 0) & (ds >= 0)",
                "better = (costs[:, None] < costs) | (scores[:, None] > scores)",
                "better = (dc < 0) | (ds > 0)",
            ),
            "nearly equal is equal": (
                "not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
                "not_worse = ((costs[:, None] <= costs) | np.isclose(costs[:, None], costs)) & ((scores[:, None] >= scores) | np.isclose(scores[:, None], scores))",
            ),
            "better by a billionth": (
                "better = (costs[:, None] < costs) | (scores[:, None] > scores)",
                "better = (costs[:, None] < costs - 1e-9) | (scores[:, None] > scores + 1e-9)",
            ),
            "float32 on the way": (
                "not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
                "costs, scores = costs.astype(np.float32), scores.astype(np.float32)\n    not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
            ),
            "a score of -inf is dominated": (
                "return ~(not_worse & better).any(axis=0)",
                "return ~(not_worse & better).any(axis=0) & (scores > -np.inf)",
            ),
            "the first twelve only": (
                "return ~(not_worse & better).any(axis=0)",
                "return ~(not_worse & better)[:12].any(axis=0)",
            ),
            "costs cut at a million": (
                "not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
                "costs = np.clip(costs, -1e6, 1e6)\n    not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
            ),
            "absolute costs": (
                "not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
                "costs = np.abs(costs)\n    not_worse = (costs[:, None] <= costs) & (scores[:, None] >= scores)",
            ),
            "low scores refused": (
                "if np.isnan(costs).any() or np.isnan(scores).any():",
                "if np.isnan(costs).any() or np.isnan(scores).any() or (scores < -5).any():",
            ),
            "a row of a table": (
                "return ~(not_worse & better).any(axis=0)",
                "return ~(not_worse & better).any(axis=0)[None]",
            ),
            "an array of objects": (
                "return ~(not_worse & better).any(axis=0)",
                "return (~(not_worse & better).any(axis=0)).astype(object)",
            ),
            "an error without words for lengths": (
                'raise ValueError(f"{len(costs)} costs, {len(scores)} scores: give one of each a model")',
                "raise ValueError",
            ),
            "what is free is never dominated": (
                "return ~(not_worse & better).any(axis=0)",
                "return ~(not_worse & better).any(axis=0) | (costs == 0)",
            ),
            "the running maximum from -inf": (
                "return ~(not_worse & better).any(axis=0)",
                "order = np.lexsort((-scores, costs))\n    front = np.zeros(len(costs), dtype=bool)\n    best, last = -np.inf, None\n    for i in order:\n        front[i] = scores[i] > best or (costs[i], scores[i]) == last\n        if front[i]:\n            best, last = scores[i], (costs[i], scores[i])\n    return front",
            ),
            "the running maximum from 0": (
                "return ~(not_worse & better).any(axis=0)",
                "order = np.lexsort((-scores, costs))\n    front = np.zeros(len(costs), dtype=bool)\n    best, last = 0, None\n    for i in order:\n        front[i] = scores[i] > best or (costs[i], scores[i]) == last\n        if front[i]:\n            best, last = scores[i], (costs[i], scores[i])\n    return front",
            ),
        },
    ),
    "q8": Question(
        right={
            "TF-IDF and the place": """def own_model(train, seed):
    count = TfidfVectorizer(sublinear_tf=True).fit(train["covered"])

    def features(rows):
        return sparse.hstack([count.transform(rows["covered"]), np.c_[rows["place"], rows["place"] ** 2]]).tocsr()

    model = LogisticRegression(C=10).fit(features(train), train["label"])
    return lambda rows: model.decision_function(features(rows)), model.coef_.size
""",
            "naive Bayes with Counter, a class": """class own_model(tuple):
    def __new__(cls, train, seed):
        counts = [Counter(), Counter()]
        for label, text in zip(train["label"], train["covered"]):
            counts[label].update(set(text.lower().split()))
        sizes = [(train["label"] == k).sum() + 2 for k in (0, 1)]

        def one(text):
            words = set(text.lower().split())
            return sum(np.log((counts[1][w] + 1) / sizes[1] * sizes[0] / (counts[0][w] + 1)) for w in words)

        return (lambda rows: np.array([float(one(t)) for t in rows["covered"]])), len(counts[0]) + len(counts[1])
""",
            "a small network": """def own_model(train, seed):
    vocabulary = {w: i for i, w in enumerate(sorted({w for t in train["covered"] for w in t.split()}))}

    def bag(rows):
        found = torch.zeros(len(rows), len(vocabulary) + 1)
        for k, text in enumerate(rows["covered"]):
            for word in text.split():
                found[k, vocabulary.get(word, len(vocabulary))] = 1
        return found

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = torch.nn.Sequential(torch.nn.Linear(len(vocabulary) + 1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(net.parameters(), 0.03)
    x, y = bag(train), torch.tensor(train["label"].to_numpy()).float()
    for _ in range(60):
        optimizer.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(net(x)[:, 0], y).backward()
        optimizer.step()
    return lambda rows: net(bag(rows))[:, 0].detach().numpy(), sum(p.numel() for p in net.parameters())
""",
            "neighbors too, a logit without the intercept": """def own_model(train, seed):
    kinds = ("before", "covered", "after")
    counts = [TfidfVectorizer().fit(train[k]) for k in kinds]

    def features(rows):
        return sparse.hstack([c.transform(rows[k]) for k, c in zip(kinds, counts)]).tocsr()

    weights = LogisticRegression(C=3).fit(features(train), train["label"]).coef_[0]
    return (lambda rows: features(rows) @ weights), float(len(weights))
""",
            "the place alone, in float32": """def own_model(train, seed):
    model = LogisticRegression().fit(train[["place"]].to_numpy(), train["label"])
    def score(rows):
        return model.decision_function(rows[["place"]].to_numpy()).astype(np.float32)
    return score, np.int64(2)
""",
            "late or not: two logits, many ties": """def own_model(train, seed):
    cut = train["place"].quantile(0.62)
    late = train["place"] > cut
    shares = [(train["label"][side].sum() + 1) / (side.sum() + 2) for side in (~late, late)]
    logits = np.log(shares) - np.log1p(-np.array(shares))
    return lambda rows: np.where(rows["place"] > cut, logits[1], logits[0]), 3
""",
        },
        wrong={
            "the labels of the rows": "def own_model(train, seed):\n    return (lambda rows: rows['label'].to_numpy(float)), 1\n",
            "the labels where there are any": "def own_model(train, seed):\n    return (lambda rows: rows['label'].to_numpy(float) if 'label' in rows else np.zeros(len(rows))), 1\n",
            "a constant": "def own_model(train, seed):\n    return (lambda rows: np.zeros(len(rows))), 1\n",
            "a fixed rule": "def own_model(train, seed):\n    return (lambda rows: rows['covered'].str.contains('kills').to_numpy(float) + rows['place'].to_numpy()), 1\n",
            "no seed": (
                'return lambda rows: model.decision_function(count.transform(rows["covered"])), size',
                'noise = np.random.default_rng().normal()\n    return lambda rows: model.decision_function(count.transform(rows["covered"])) + noise, 1',
            ),
            "ranks among the rows": (
                'lambda rows: model.decision_function(count.transform(rows["covered"]))',
                'lambda rows: stats.rankdata(model.decision_function(count.transform(rows["covered"])))',
            ),
            "minus the mean of the rows": (
                'return lambda rows: model.decision_function(count.transform(rows["covered"])), size',
                'def score(rows):\n        found = model.decision_function(count.transform(rows["covered"]))\n        return found - found.mean()\n    return score, 3',
            ),
            "the index of the rows counts": (
                'return lambda rows: model.decision_function(count.transform(rows["covered"])), size',
                'def score(rows):\n        return np.sort(model.decision_function(count.transform(rows["covered"])))\n    return score, 3',
            ),
            "classes instead of logits": (
                "model.decision_function(count",
                "model.predict(count",
            ),
            "two columns": ("model.decision_function(count", "model.predict_proba(count"),
            "probabilities, no logits": (
                'model.decision_function(count.transform(rows["covered"])),',
                'model.predict_proba(count.transform(rows["covered"]))[:, 1],',
            ),
            "a Series": (
                'model.decision_function(count.transform(rows["covered"])),',
                'pd.Series(model.decision_function(count.transform(rows["covered"]))),',
            ),
            "the score alone": (", size", ""),
            "no parameters": (", size", ", 0"),
            "parameters in words": (", size", ", 'many'"),
            "a column added to train": (
                "model = LogisticRegression(C=10, max_iter=1000)\n",
                "model = LogisticRegression(C=10, max_iter=1000)\n    train['length'] = train['covered'].str.len()\n",
            ),
            "infinite": ("lambda rows: model", "lambda rows: np.inf * model"),
            "the wrong sign": ("lambda rows: model", "lambda rows: -model"),
            "what the sample was": (
                'lambda rows: model.decision_function(count.transform(rows["covered"]))',
                'lambda rows: model.decision_function(count.transform(train["covered"]))',
            ),
            "no new words": """def own_model(train, seed):
    shares = {}
    for label, text in zip(train["label"], train["covered"]):
        for word in text.split():
            shares.setdefault(word, []).append(label)
    one = lambda text: float(np.mean([np.mean(shares[w]) for w in text.split()]))
    return (lambda rows: np.array([one(t) for t in rows["covered"]])), len(shares)
""",
            "nan where a review begins": (
                'return lambda rows: model.decision_function(count.transform(rows["covered"])), size',
                "def score(rows):\n        found = model.decision_function(count.transform(rows[\"covered\"]))\n        return np.where(rows['before'] == '', np.nan, found)\n    return score, 3",
            ),
            "each different row once": (
                'return lambda rows: model.decision_function(count.transform(rows["covered"])), size',
                'def score(rows):\n        return model.decision_function(count.transform(rows.drop_duplicates()["covered"]))\n    return score, 3',
            ),
            "a column added to the rows": (
                'return lambda rows: model.decision_function(count.transform(rows["covered"])), size',
                "def score(rows):\n        rows['known'] = 1\n        return model.decision_function(count.transform(rows[\"covered\"]))\n    return score, 3",
            ),
            "the length of the sentence only": "def own_model(train, seed):\n    x = train[['covered']].map(len).to_numpy()\n    model = LogisticRegression().fit(x, train['label'])\n    return (lambda rows: model.decision_function(rows[['covered']].map(len).to_numpy())), 2\n",
            "nothing": "def own_model(*a, **k):\n    return None\n",
            "a list": (
                'model.decision_function(count.transform(rows["covered"])),',
                'model.decision_function(count.transform(rows["covered"])).tolist(),',
            ),
        },
    ),
}
