"""Lab 08's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

EMPTY = 'raise ValueError("the word is empty; give one character or more")'
PIECE = 'piece = ("##" if start else "") + word[start:end]'
FOR = "for end in range(len(word), start, -1):"
NOTHING = '        else:\n            return ["[UNK]"]\n        pieces'

SIZES = "if not least <= max_length <= 512:"
NUMBERS = "if not len(first) or len({len(side) for side in sides}) > 1:"
EMPTY_TEXT = "if not all(len(one) for side in sides for one in side):"
COPY = "texts = [list(one) for one in texts]"
CUT = "max(reversed(texts), key=len).pop()"
LOOP = "while sum(map(len, texts)) + 1 + len(texts) > max_length:"
PARTS = "parts = [[CLS, *texts[0], SEP], *([*one, SEP] for one in texts[1:])]"
SEGMENTS = "segments.append(torch.repeat_interleave(torch.tensor([len(part) for part in parts])))"
BATCH = "return ids, segments, mask.bool()"

RANGE = "if not 0 <= probability <= 1:"
SHAPES = "if special.shape != ids.shape:"
DRAW = "chosen, kind = torch.rand(2, *ids.shape, generator=generator).to(ids.device)"
CHOSEN = "chosen = (chosen < probability) & ~special"
OTHER = "other = torch.randint(vocabulary_size, ids.shape, generator=generator).to(ids.device)"
HIDE = "masked = ids.masked_fill(chosen & (kind < 0.8), mask_id)"
SWAP = "masked = torch.where(chosen & (kind >= 0.9), other, masked)"
LABELS = "return masked, ids.masked_fill(~chosen, -100)"

POSITIONS = 'X = X + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]'
KINDS = 'X = X + F.embedding(segments, weights["embeddings.token_type_embeddings.weight"])'
WORDS = 'X = F.embedding(ids, weights["embeddings.word_embeddings.weight"])'
NORM_E = 'return normalize(X, weights, "embeddings.LayerNorm")'
SPLIT = "return y.unflatten(-1, (heads, -1)).transpose(1, 2)"
ATTEND = 'split("query"), split("key"), split("value"), attn_mask=mask[:, None, None, :]'
JOIN = "mixed = linear(mixed.transpose(1, 2).flatten(2), weights"
NORM_A = 'X = normalize(X + mixed, weights, f"{name}.attention.output.LayerNorm")'
GELU = 'inner = F.gelu(linear(X, weights, f"{name}.intermediate.dense"))'
STACK = "return torch.stack(states)"
FOUND = "if found != shape:"
FITS = "if heads < 1 or d % heads or ids.shape[1] > longest:"
INSIDE = "if some.numel() and not 0 <= int(some.min()) <= int(some.max()) < size:"
REAL = "if not mask.any(1).all():"

TRANSFORM = 'inner = F.gelu(linear(hidden, weights, "cls.predictions.transform.dense"))'
NORM_T = '    inner = normalize(inner, weights, "cls.predictions.transform.LayerNorm")\n'
LOGITS = 'return F.linear(inner, table, weights["cls.predictions.bias"])'
MLM = "mlm = F.cross_entropy(guesses(hidden[chosen], weights), labels[chosen])"
POOLED = 'pooled = linear(hidden[:, 0], weights, "pooler.dense").tanh()'
NSP = 'nsp = F.cross_entropy(linear(pooled, weights, "cls.seq_relationship"), follows)'
SUM = "return mlm + nsp, mlm, nsp"
CHECK = "if not chosen.any() or not 0 <= int(labels[chosen].min()) <= int(labels[chosen].max()) < V:"
CLASSES = "if not ((follows == 0) | (follows == 1)).all():"

START = "start, end = start_scores[first : last + 1], end_scores[first : last + 1]"
ALLOWED = "allowed = torch.ones_like(sums, dtype=torch.bool).triu().tril(max_length - 1)"
BEST = "best = int((sums == sums.max()).flatten().int().argmax())"
PLACES = "return first + best // len(start), first + best % len(start)"
PASSAGE = "if max_length < 1 or not 0 <= first <= last < T:"
FINITE = "if not (start.isfinite().all() and end.isfinite().all()):"
SAME = "if start_scores.shape != end_scores.shape or start_scores.ndim != 1:"

OTHERG = OTHER.replace("generator=generator", "generator=torch.Generator().manual_seed(0)")
NORM_AT = 'return F.layer_norm(X, X.shape[-1:], weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"], eps=%s)'
NUMBERS_OF = 'numbers = {int(k.split(".")[2]) for k in weights if k.startswith("encoder.layer.")}'
SDPA = """mixed = F.scaled_dot_product_attention(
        split("query"), split("key"), split("value"), attn_mask=mask[:, None, None, :]
    )"""
WRITTEN = """q, k, v = split("query"), split("key"), split("value")
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    %s
    mixed = p @ v"""
TABLE = 'table = weights["embeddings.word_embeddings.weight"]'
TRANSFORMED = 'inner = normalize(F.gelu(linear(hidden[chosen], weights, "cls.predictions.transform.dense")), weights, "cls.predictions.transform.LayerNorm")'
BY_ITSELF = (
    TRANSFORMED
    + '\n    mlm = F.cross_entropy(F.linear(inner, weights["embeddings.word_embeddings.weight"], weights["cls.predictions.bias"]), labels[chosen])'
)
NORM_OF = '    inner = F.layer_norm(inner, inner.shape[-1:], weights["cls.predictions.transform.LayerNorm.weight"], weights["cls.predictions.transform.LayerNorm.bias"], eps=%s)\n'
TOP = """
def best_span(start_scores, end_scores, max_length, first, last):
    T = len(start_scores)
    if start_scores.shape != end_scores.shape or start_scores.ndim != 1:
        raise ValueError("s")
    if max_length < 1 or not 0 <= first <= last < T:
        raise ValueError("p")
    start, end = start_scores[first : last + 1], end_scores[first : last + 1]
    if not (start.isfinite().all() and end.isfinite().all()):
        raise ValueError("f")
    n = min(%d, len(start))
    best, found = None, (first, first)
    for i in sorted(start.argsort(descending=True, stable=True)[:n].tolist()):
        for j in sorted(end.argsort(descending=True, stable=True)[:n].tolist()):
            if i <= j < i + max_length and (best is None or start[i] + end[j] > best):
                best, found = start[i] + end[j], (first + i, first + j)
    return found
"""


def attention(line):
    """The attention of a layer written out, with another softmax."""
    return SDPA, WRITTEN % line


NORM_AT_1E5 = """n = f"{name}.attention.output.LayerNorm"
    X = F.layer_norm(X + mixed, X.shape[-1:], weights[n + ".weight"], weights[n + ".bias"], eps=1e-5)"""

QUESTIONS = {
    "q1": Question(
        right={
            "the end moves back": """
def wordpiece(word, vocabulary):
    if word == "":
        raise ValueError("the word is empty")
    if len(word) > 100:
        return ["[UNK]"]
    out, rest, mark = [], word, ""
    while rest:
        n = len(rest)
        while n and mark + rest[:n] not in vocabulary:
            n -= 1
        if n == 0:
            return ["[UNK]"]
        out.append(mark + rest[:n])
        rest, mark = rest[n:], "##"
    return out
""",
            "recursion": """
def wordpiece(word, vocabulary):
    if not word:
        raise ValueError("give a word")

    def cut(rest, mark):
        if not rest:
            return []
        fits = [n for n in range(1, len(rest) + 1) if mark + rest[:n] in vocabulary]
        if not fits:
            return None
        later = cut(rest[fits[-1]:], "##")
        return None if later is None else [mark + rest[: fits[-1]], *later]

    found = cut(word, "") if len(word) <= 100 else None
    return ["[UNK]"] if found is None else found
""",
            "max of the pieces that fit": """
def wordpiece(word, vocabulary):
    if len(word) < 1:
        raise ValueError("no character")
    if len(word) >= 101:
        return ["[UNK]"]
    at, found = 0, []
    while at < len(word):
        mark = "##" * (at > 0)
        ends = [end for end in range(at + 1, len(word) + 1) if mark + word[at:end] in vocabulary]
        if ends == []:
            return ["[UNK]"]
        found += [mark + word[at:max(ends)]]
        at = max(ends)
    return found
""",
            "generator next": """
def wordpiece(word, vocabulary):
    if len(word) == 0:
        raise ValueError("empty")
    if len(word) > 100:
        return ["[UNK]"]
    out, i = [], 0
    while i < len(word):
        p = next((p for p in (("##" * bool(i)) + word[i:j] for j in range(len(word), i, -1)) if p in vocabulary), None)
        if p is None:
            return ["[UNK]"]
        out.append(p)
        i += len(p) - 2 * bool(i)
    return out
""",
            "scans the vocabulary": """
def wordpiece(word, vocabulary):
    if word == "":
        raise ValueError("empty")
    if len(word) > 100:
        return ["[UNK]"]
    out, at = [], 0
    while at < len(word):
        best = ""
        for p in vocabulary:
            if at:
                if not p.startswith("##"):
                    continue
                q = p[2:]
            else:
                q = p
            if q and word.startswith(q, at) and len(q) > len(best):
                best = q
        if not best:
            return ["[UNK]"]
        out.append(("##" if at else "") + best)
        at += len(best)
    return out
""",
        },
        wrong={
            "no mark where the word begins with it": (
                PIECE,
                'piece = ("##" if start and not word.startswith("##") else "") + word[start:end]',
            ),
            "one list for all unknown words": (
                "if not word:",
                "unknown = wordpiece.__dict__.setdefault('unknown', [\"[UNK]\"])\n    if not word:",
                'if len(word) > 100:\n        return ["[UNK]"]',
                "if len(word) > 100:\n        return unknown",
            ),
            "results cached": """
def wordpiece(word, vocabulary, known={}):
    key = (word, frozenset(vocabulary))
    if not word:
        raise ValueError("empty")
    if key not in known:
        out, start = [], 0
        while start < len(word) <= 100:
            ends = [e for e in range(start + 1, len(word) + 1) if "##" * (start > 0) + word[start:e] in vocabulary]
            if not ends:
                break
            out.append("##" * (start > 0) + word[start : ends[-1]])
            start = ends[-1]
        known[key] = out if start == len(word) else ["[UNK]"]
    return known[key]
""",
            "id 0 taken for nothing": (
                "if piece in vocabulary:",
                "if piece in vocabulary if not isinstance(vocabulary, dict) else vocabulary.get(piece):",
            ),
            "shortest first": (FOR, "for end in range(start + 1, len(word) + 1):"),
            "no mark": (PIECE, "piece = word[start:end]"),
            "the mark everywhere": (PIECE, 'piece = "##" + word[start:end]'),
            "one # only": (PIECE, 'piece = ("#" if start else "") + word[start:end]'),
            "the mark behind": (PIECE, 'piece = word[start:end] + ("##" if start else "")'),
            "with the mark or without": (
                "if piece in vocabulary:",
                "if piece not in vocabulary and word[start:end] in vocabulary:\n                piece = word[start:end]\n            if piece in vocabulary:",
            ),
            "the mark left out of the result": ("pieces.append(piece)", "pieces.append(word[start:end])"),
            "only the rest unknown": (
                NOTHING,
                NOTHING.replace('return ["[UNK]"]', 'return [*pieces, "[UNK]"]'),
            ),
            "an unknown character left out": (
                NOTHING,
                "        else:\n            start += 1\n            continue\n        pieces",
            ),
            "an unknown character becomes [UNK]": (
                NOTHING,
                '        else:\n            pieces.append("[UNK]")\n            start += 1\n            continue\n        pieces',
            ),
            "what was found is returned": (NOTHING, NOTHING.replace('return ["[UNK]"]', "return pieces")),
            "an endless loop where nothing fits": (
                NOTHING,
                "        else:\n            continue\n        pieces",
            ),
            "unknown as a string": (NOTHING, NOTHING.replace('["[UNK]"]', '"[UNK]"')),
            "None for unknown": (NOTHING, NOTHING.replace('["[UNK]"]', "None")),
            "unknown without brackets": (NOTHING, NOTHING.replace('"[UNK]"', '"UNK"')),
            "an error for unknown": (
                NOTHING,
                NOTHING.replace('return ["[UNK]"]', 'raise ValueError("unknown")'),
            ),
            "a single character never tried": (FOR, "for end in range(len(word), start + 1, -1):"),
            "the whole word never tried": (FOR, "for end in range(len(word) - (start == 0), start, -1):"),
            "pieces of twelve characters at most": (
                FOR,
                "for end in range(min(len(word), start + 12), start, -1):",
            ),
            "no limit": ("if len(word) > 100:", "if False:"),
            "limit 100 exclusive": ("if len(word) > 100:", "if len(word) >= 100:"),
            "limit 200": ("if len(word) > 100:", "if len(word) > 200:"),
            "limit of bytes": ("if len(word) > 100:", "if len(word.encode()) > 100:"),
            "too long cut off": (
                '    if len(word) > 100:\n        return ["[UNK]"]\n',
                "    word = word[:100]\n",
            ),
            "too long found whole in the vocabulary": (
                "if len(word) > 100:",
                "if len(word) > 100 and word not in vocabulary:",
            ),
            "empty gives nothing": (EMPTY, "return []"),
            "empty gives unknown": (EMPTY, 'return ["[UNK]"]'),
            "another error": ("raise ValueError(", "raise KeyError("),
            "an error without a message": (EMPTY, "raise ValueError"),
            "a tuple": ("    return pieces", "    return tuple(pieces)"),
            "a string": ("    return pieces", '    return " ".join(pieces)'),
            "ids": (
                "    return pieces",
                "    return [vocabulary[p] for p in pieces] if isinstance(vocabulary, dict) else pieces",
            ),
            "lower-cased": ("pieces, start = [], 0", "pieces, start, word = [], 0, word.lower()"),
            "accents taken off": (
                "pieces, start = [], 0",
                'import unicodedata\n    word = "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")\n    pieces, start = [], 0',
            ),
            "steps taken back": """
def wordpiece(word, vocabulary):
    if not word:
        raise ValueError("empty")
    def cut(rest, mark):
        if not rest:
            return []
        for n in range(len(rest), 0, -1):
            if mark + rest[:n] in vocabulary:
                later = cut(rest[n:], "##")
                if later is not None:
                    return [mark + rest[:n], *later]
        return None
    found = cut(word, "") if len(word) <= 100 else None
    return ["[UNK]"] if found is None else found
""",
            "the vocabulary is changed": (
                "pieces.append(piece)",
                "pieces.append(piece)\n        isinstance(vocabulary, dict) and vocabulary.pop(piece, None)",
            ),
            "from the right": """
def wordpiece(word, vocabulary):
    if not word:
        raise ValueError("empty")
    if len(word) > 100:
        return ["[UNK]"]
    out, end = [], len(word)
    while end:
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        out.insert(0, piece)
        end = start
    return out
""",
            "NFC": (
                "pieces, start = [], 0",
                'import unicodedata\n    word = unicodedata.normalize("NFC", word)\n    '
                + "pieces, start = [], 0",
            ),
            "NFC for the limit": (
                "if len(word) > 100:",
                'import unicodedata\n    if len(unicodedata.normalize("NFC", word)) > 100:',
            ),
            "hash pieces refused at the beginning": (
                "if piece in vocabulary:",
                'if piece in vocabulary and (start or not piece.startswith("##")):',
            ),
            "hash in the word stripped": (
                "pieces, start = [], 0",
                'word = word.lstrip("#")\n    ' + "pieces, start = [], 0",
            ),
            "longest piece from max of vocabulary (crash when empty)": (
                FOR,
                "for end in range(min(len(word), start + max(map(len, vocabulary))), start, -1):",
            ),
            "special word kept by tokenizer": (
                "pieces, start = [], 0",
                "if word in SPECIAL:\n        return [word]\n    " + "pieces, start = [], 0",
            ),
            "soft hyphen and control characters dropped": (
                "pieces, start = [], 0",
                'import unicodedata\n    word = "".join(c for c in word if unicodedata.category(c) != "Cf")\n    '
                + "pieces, start = [], 0",
            ),
        },
    ),
    "q2": Question(
        right={
            "row by row into tables of zeros": """
def pair_input(first, second, max_length=512):
    pair = second is not None
    if max_length > 512 or max_length < (5 if pair else 3):
        raise ValueError("max_length")
    if len(first) == 0 or (pair and len(second) != len(first)):
        raise ValueError("numbers of texts")
    if any(len(a) == 0 for a in first) or (pair and any(len(b) == 0 for b in second)):
        raise ValueError("an empty text")
    rows = []
    for n, a in enumerate(first):
        a, b = list(a), list(second[n]) if pair else []
        while len(a) + len(b) + (3 if pair else 2) > max_length:
            if len(a) > len(b):
                a = a[:-1]
            else:
                b = b[:-1]
        row = [101] + a + [102]
        split = len(row)
        if pair:
            row += b + [102]
        rows.append((row, split))
    T = max(len(row) for row, _ in rows)
    ids = torch.zeros(len(rows), T, dtype=torch.int64)
    segments, mask = torch.zeros_like(ids), torch.zeros(len(rows), T, dtype=torch.bool)
    for n, (row, split) in enumerate(rows):
        ids[n, : len(row)] = torch.tensor(row)
        segments[n, split : len(row)] = 1
        mask[n, : len(row)] = True
    return ids, segments, mask
""",
            "the kept lengths computed at once": """
def pair_input(first, second, max_length=512):
    single = second is None
    if not (3 if single else 5) <= max_length <= 512:
        raise ValueError("max_length")
    if not first or (not single and len(first) != len(second)):
        raise ValueError("number")
    if min(map(len, first)) == 0 or (not single and min(map(len, second)) == 0):
        raise ValueError("empty")
    rows, kinds = [], []
    for a, b in zip(first, first if single else second):
        if single:
            rows.append([CLS, *a[: max_length - 2], SEP])
            kinds.append([0] * len(rows[-1]))
            continue
        room = max_length - 3
        n, m = len(a), len(b)
        if n + m > room:
            if n > m:
                n = max(room - m, (room + 1) // 2)
                m = room - n
            else:
                m = max(room - n, room // 2)
                n = room - m
        a, b = list(a[:n]), list(b[:m])
        rows.append([CLS] + a + [SEP] + b + [SEP])
        kinds.append([0] * (n + 2) + [1] * (m + 1))
    T = max(map(len, rows))
    fill = lambda some: torch.tensor([x + [0] * (T - len(x)) for x in some])
    return [fill(rows), fill(kinds), fill([[1] * len(r) for r in rows]) == 1]
""",
            "lists only (the contract's type)": """
def pair_input(first, second, max_length=512):
    if second is None:
        if not 3 <= max_length <= 512:
            raise ValueError("max_length")
        if not first or not all(first):
            raise ValueError("empty")
        rows = [[101] + a[: max_length - 2] + [102] for a in first]
        kinds = [[0] * len(r) for r in rows]
    else:
        if not 5 <= max_length <= 512:
            raise ValueError("max_length")
        if not first or len(first) != len(second) or not all(first) or not all(second):
            raise ValueError("empty or numbers")
        rows, kinds = [], []
        for a, b in zip(first, second):
            while len(a) + len(b) + 3 > max_length:
                if len(a) > len(b):
                    a = a[:-1]
                else:
                    b = b[:-1]
            rows.append([101] + a + [102] + b + [102])
            kinds.append([0] * (len(a) + 2) + [1] * (len(b) + 1))
    T = max(map(len, rows))
    mask = [[True] * len(r) + [False] * (T - len(r)) for r in rows]
    return (torch.tensor([r + [0] * (T - len(r)) for r in rows]), torch.tensor([k + [0] * (T - len(k)) for k in kinds]), torch.tensor(mask))
""",
        },
        wrong={
            "the second text popped": (COPY, "texts = [list(texts[0]), *texts[1:]]"),
            "an empty list taken for None": (
                "least = 3 if second is None else 5",
                "second = second or None\n    least = 3 if second is None else 5",
            ),
            "max_length over 512 allowed": (SIZES, "if not least <= max_length:"),
            "max_length of 512 refused": (SIZES, "if not least <= max_length < 512:"),
            "too small allowed": (SIZES, "if not max_length <= 512:"),
            "pairs need 4 only": ("else 5\n", "else 4\n"),
            "singles need 5": ("least = 3 if", "least = 5 if"),
            "max_length capped silently": (
                SIZES,
                "max_length = min(max_length, 512)\n    if max_length < least:",
            ),
            "numbers not compared": (
                NUMBERS,
                "if not len(first):",
                "zip(*sides, strict=True)",
                "zip(*sides)",
            ),
            "no texts allowed": (NUMBERS, "if len({len(side) for side in sides}) > 1:"),
            "empty texts allowed": (EMPTY_TEXT, "if False:"),
            "only the first looked at": (EMPTY_TEXT, "if not all(len(one) for one in first):"),
            "only both empty refused": (
                EMPTY_TEXT,
                "if not all(map(any, zip(*[[len(one) for one in s] for s in sides]))):",
            ),
            "another error": ('raise ValueError("a text is empty', 'raise IndexError("a text is empty'),
            "an error without a message": (
                'raise ValueError("a text is empty; leave it out, with its partner")',
                "raise ValueError",
            ),
            "cut in place": (COPY, "texts = list(texts)"),
            "of equals the first is cut": ("max(reversed(texts), key=len)", "max(texts, key=len)"),
            "always the second": (CUT, "(texts[-1] if len(texts[-1]) > 1 else texts[0]).pop()"),
            "always the first": (CUT, "(texts[0] if len(texts[0]) > 1 else texts[-1]).pop()"),
            "the shorter is cut": (CUT, "min([t for t in texts if len(t) > 1], key=len).pop()"),
            "cut at the beginning": (CUT, CUT.replace("pop()", "pop(0)")),
            "by turns": (
                CUT,
                "side = texts[-1] if sum(map(len, texts)) % 2 else texts[0]\n            (side if len(side) > 1 else max(texts, key=len)).pop()",
            ),
            "special pieces not counted": (LOOP, "while sum(map(len, texts)) > max_length:"),
            "one special piece too few": (LOOP, "while sum(map(len, texts)) + len(texts) > max_length:"),
            "always three special pieces": (LOOP, "while sum(map(len, texts)) + 3 > max_length:"),
            "one piece too short": (LOOP, "while sum(map(len, texts)) + 1 + len(texts) >= max_length:"),
            "the whole input cut at its end": (
                LOOP,
                "while False:",
                "[piece for part in parts for piece in part]",
                "[piece for part in parts for piece in part][:max_length]",
                SEGMENTS,
                "segments.append(torch.repeat_interleave(torch.tensor([len(part) for part in parts]))[:max_length])",
            ),
            "no [CLS]": ("[CLS, *texts[0], SEP]", "[*texts[0], SEP]"),
            "[CLS] before both": ("*([*one, SEP] for", "*([CLS, *one, SEP] for"),
            "no last [SEP]": ("*([*one, SEP] for", "*([*one] for"),
            "no [SEP] in the middle": (
                "[CLS, *texts[0], SEP]",
                "[CLS, *texts[0], *([SEP] if second is None else [])]",
            ),
            "segments 1 and 2": (SEGMENTS, SEGMENTS[:-1] + " + 1)"),
            "all segments 0": (SEGMENTS, "segments.append(torch.zeros_like(rows[-1]))"),
            "the middle [SEP] in the second segment": (
                SEGMENTS,
                "lengths = [len(part) for part in parts]\n        if len(parts) > 1:\n            lengths = [lengths[0] - 1, lengths[1] + 1]\n        segments.append(torch.repeat_interleave(torch.tensor(lengths)))",
            ),
            "[CLS] segment of its own": (
                SEGMENTS,
                "lengths = [len(part) for part in parts]\n        segments.append(torch.repeat_interleave(torch.tensor(lengths)))\n        segments[-1][-1] = 0",
            ),
            "mask as integers": (BATCH, "return ids, segments, mask"),
            "mask upside down": (BATCH, "return ids, segments, ~mask.bool()"),
            "mask from the ids": (BATCH, "return ids, segments, ids != PAD"),
            "segments from [SEP]": (
                BATCH,
                "segments = ((ids == SEP).cumsum(1) - (ids == SEP).long()).clamp(max=1) * mask\n    return ids, segments, mask.bool()",
            ),
            "padding of segments is 1": (
                BATCH,
                "return ids, segments.masked_fill(~mask.bool(), int(second is not None)), mask.bool()",
            ),
            "int32": (BATCH, "return ids.int(), segments, mask.bool()"),
            "another order": (BATCH, "return ids, mask.bool(), segments"),
            "padded to max_length": (
                BATCH,
                "more = (0, max_length - ids.shape[1])\n    return F.pad(ids, more), F.pad(segments, more), F.pad(mask, more).bool()",
            ),
            "padded in front": (
                BATCH,
                "n = mask.sum(1)\n    ids, segments, mask = (torch.stack([r.roll(int(mask.shape[1] - k)) for r, k in zip(x, n)]) for x in (ids, segments, mask))\n    return ids, segments, mask.bool()",
            ),
            "transposed": (BATCH, "return ids.T, segments.T, mask.bool().T"),
            "longest first": (
                "rows, segments = [], []",
                "rows, segments = [], []\n    order = sorted(range(len(first)), key=lambda n: -sum(len(s[n]) for s in sides))\n    sides = [[s[n] for n in order] for s in sides]",
            ),
            "second [] taken for None": ("least = 3 if", "second = second or None\n    least = 3 if"),
            "no single texts: torch's error": (
                NUMBERS,
                "if (second is not None and not len(first)) or len({len(side) for side in sides}) > 1:",
            ),
            "max_length 511 positions": (
                SIZES,
                "if not least <= max_length <= 512 or (max_length != 512 and max_length > 500):",
            ),
            "ids int16": (BATCH, "return ids.short().long(), segments, mask.bool()"),
        },
    ),
    "q3": Question(
        right={
            "bernoulli draws, as transformers' collator": """
def mask_pieces(ids, special, vocabulary_size, mask_id, probability, generator):
    if probability != probability or probability < 0 or probability > 1:
        raise ValueError("probability")
    if tuple(special.shape) != tuple(ids.shape):
        raise ValueError("shapes")
    masked, labels = ids.clone(), ids.clone()
    table = torch.full(ids.shape, float(probability)).masked_fill(special, 0.0)
    chosen = torch.bernoulli(table, generator=generator).bool()
    labels[~chosen] = -100
    hidden = torch.bernoulli(torch.full(ids.shape, 0.8), generator=generator).bool() & chosen
    masked[hidden] = mask_id
    swapped = torch.bernoulli(torch.full(ids.shape, 0.5), generator=generator).bool() & chosen & ~hidden
    words = torch.randint(vocabulary_size, ids.shape, dtype=torch.long, generator=generator)
    masked[swapped] = words[swapped]
    return masked, labels
""",
            "draws for the chosen places only": """
def mask_pieces(ids, special, vocabulary_size, mask_id, probability, generator):
    if not (probability >= 0 and probability <= 1):
        raise ValueError("probability")
    if ids.shape != special.shape:
        raise ValueError("shapes")
    chosen = (torch.rand(ids.shape, generator=generator) < probability) & special.logical_not()
    n = int(chosen.sum())
    kind = torch.randint(10, (n,), generator=generator)
    new = ids[chosen]
    new[kind < 8] = mask_id
    swap = kind == 8
    new[swap] = torch.randint(0, vocabulary_size, (int(swap.sum()),), generator=generator)
    masked, labels = ids.clone(), torch.full_like(ids, -100)
    masked[chosen], labels[chosen] = new, ids[chosen]
    return [masked, labels]
""",
            "python loops": """
def mask_pieces(ids, special, vocabulary_size, mask_id, probability, generator):
    if not 0 <= probability <= 1:
        raise ValueError("p")
    if special.shape != ids.shape:
        raise ValueError("s")
    masked, labels = ids.clone(), torch.full_like(ids, -100)
    draws = torch.rand(ids.shape, generator=generator).tolist()
    spec = special.tolist()
    values = ids.tolist()
    for n in range(len(ids)):
        for t in range(ids.shape[1]):
            if spec[n][t]:
                continue
            if draws[n][t] >= probability:
                continue
            labels[n, t] = values[n][t]
            kind = torch.rand((), generator=generator).item()
            if kind < 0.8:
                masked[n, t] = mask_id
            elif kind < 0.9:
                masked[n, t] = torch.randint(vocabulary_size, (), generator=generator)
    return masked, labels
""",
            "numpy seeded by the generator": """
def mask_pieces(ids, special, vocabulary_size, mask_id, probability, generator):
    if not 0 <= probability <= 1:
        raise ValueError("p")
    if special.shape != ids.shape:
        raise ValueError("s")
    rng = np.random.default_rng(torch.randint(2**62, (), generator=generator).item())
    x, s = ids.numpy().copy(), special.numpy()
    chosen = (rng.random(x.shape) < probability) & ~s
    labels = np.where(chosen, x, -100)
    kind = rng.choice(3, size=x.shape, p=[0.8, 0.1, 0.1])
    x[chosen & (kind == 0)] = mask_id
    x = np.where(chosen & (kind == 1), rng.integers(vocabulary_size, size=x.shape), x)
    return torch.from_numpy(x), torch.from_numpy(labels)
""",
        },
        wrong={
            "ids masked in place, labels first": (
                LABELS,
                "labels = ids.masked_fill(~chosen, -100)\n    ids.copy_(masked)\n    return ids, labels",
            ),
            "a fixed share of the batch": (
                CHOSEN,
                "k = round(probability * int((~special).sum()))\n    order = chosen.masked_fill(special, 2.0).flatten().argsort()\n    chosen = torch.zeros_like(special).flatten().index_fill(0, order[:k], True).view_as(special)",
            ),
            "one random piece for the whole batch": (
                OTHER,
                "other = torch.randint(vocabulary_size, (1, 1), generator=generator).expand_as(ids)",
            ),
            "one kind for an input": (CHOSEN, CHOSEN + "\n    kind = kind[:, :1].expand_as(kind)"),
            "one choice for an input": (CHOSEN, "chosen = (chosen[:, :1] < probability) & ~special"),
            "random pieces from 5 on": (
                OTHER,
                "other = torch.randint(min(5, vocabulary_size - 1), vocabulary_size, ids.shape, generator=generator)",
            ),
            "probability of 1 refused": (RANGE, "if not 0 <= probability < 1:"),
            "probability of 0 refused": (RANGE, "if not 0 < probability <= 1:"),
            "any probability": (RANGE, "if False:"),
            "only above 1 refused": (RANGE, "if probability > 1:"),
            "nan let through": (RANGE, "if probability < 0 or probability > 1:"),
            "percent": (RANGE, "if not 0 <= probability <= 100:"),
            "shapes not compared": (SHAPES, "if False:"),
            "only the number of places compared": (SHAPES, "if special.ndim != ids.ndim:"),
            "another error": (SHAPES + "\n        raise ValueError(", SHAPES + "\n        raise TypeError("),
            "an error without a message": (
                'raise ValueError(f"probability is {probability}; give a number from 0 to 1")',
                "raise ValueError",
            ),
            "the global generator": (DRAW, DRAW.replace(", generator=generator", "")),
            "the global generator for the pieces": (OTHER, OTHER.replace(", generator=generator", "")),
            "seeded inside": (DRAW, "generator = torch.Generator().manual_seed(1)\n    " + DRAW),
            "the global generator seeded": (DRAW, "torch.manual_seed(generator.initial_seed())\n    " + DRAW),
            "special places too": (CHOSEN, "chosen = chosen < probability"),
            "only special places": (CHOSEN, CHOSEN.replace("~special", "special")),
            "one draw for both": (
                DRAW,
                "kind = torch.rand(*ids.shape, generator=generator)\n    chosen = kind",
            ),
            "kinds from the same draw, scaled": (
                DRAW,
                "kind = torch.rand(*ids.shape, generator=generator)\n    chosen = kind\n    kind = kind / max(probability, 1e-9)",
                "(kind >= 0.9)",
                "(kind >= 0.95)",
            ),
            "places by the row": (DRAW, "chosen, kind = torch.rand(2, ids.shape[0], 1, generator=generator)"),
            "one kind a row": (
                DRAW,
                DRAW + "\n    kind = torch.rand(ids.shape[0], 1, generator=generator)",
            ),
            "the same places in each row": (DRAW, DRAW + "\n    chosen = chosen[:1].expand(ids.shape)"),
            "exactly so many a row": (
                CHOSEN,
                "chosen = chosen.masked_fill(special, 2.0)\n    chosen = (chosen.argsort(1).argsort(1) < (probability * (~special).sum(1, keepdim=True)).round()) & ~special",
            ),
            "exactly so many in all": (
                CHOSEN,
                "some = chosen.masked_fill(special, 2.0).flatten()\n    chosen = (some.argsort().argsort() < round(probability * int((~special).sum()))).view(ids.shape) & ~special",
            ),
            "always [MASK]": ("(kind < 0.8)", "(kind < 2)", "(kind >= 0.9)", "(kind > 2)"),
            "80, 20, 0": ("(kind >= 0.9)", "(kind >= 0.8)"),
            "80, 0, 20": ("(kind >= 0.9)", "(kind > 2)"),
            "90, 10, 0": ("(kind < 0.8)", "(kind < 0.9)"),
            "70, 10, 20": ("(kind < 0.8)", "(kind < 0.7)"),
            "80, then 10 of what is left": ("(kind >= 0.9)", "(kind >= 0.98)"),
            "80, and 10 of all": (
                SWAP,
                "masked = torch.where(chosen & (torch.rand(ids.shape, generator=generator) < 0.1), other, masked)",
            ),
            "random pieces without the last": (
                OTHER,
                OTHER.replace("vocabulary_size,", "vocabulary_size - 1,"),
            ),
            "random pieces from 5": (OTHER, OTHER.replace("vocabulary_size,", "5, vocabulary_size,")),
            "random pieces from 1": (OTHER, OTHER.replace("vocabulary_size,", "1, vocabulary_size,")),
            "random pieces from the text": (
                OTHER,
                "other = ids.flatten()[torch.randint(max(ids.numel(), 1), ids.shape, generator=generator)] if ids.numel() else ids",
            ),
            "one random piece for all": (
                OTHER,
                "other = torch.randint(vocabulary_size, (1, 1), generator=generator).expand(ids.shape)",
            ),
            "never the same piece": (
                SWAP,
                "other = torch.where(other == ids, (other + 1) % vocabulary_size, other)\n    " + SWAP,
            ),
            "labels everywhere": (LABELS, "return masked, ids.clone()"),
            "labels of the masked ids": (LABELS, "return masked, masked.masked_fill(~chosen, -100)"),
            "labels only at [MASK]": (LABELS, "return masked, ids.masked_fill(~(masked == mask_id), -100)"),
            "labels only where it changed": (LABELS, "return masked, ids.masked_fill(masked == ids, -100)"),
            "-1 instead of -100": (LABELS, "return masked, ids.masked_fill(~chosen, -1)"),
            "0 instead of -100": (LABELS, "return masked, ids.masked_fill(~chosen, 0)"),
            "in place": (
                LABELS,
                "labels = ids.masked_fill(~chosen, -100)\n    ids.copy_(masked)\n    return ids, labels",
            ),
            "special changed": (CHOSEN, CHOSEN + "\n    special |= chosen"),
            "only the masked ids": (LABELS, "return masked"),
            "labels and masked change places": (LABELS, "return ids.masked_fill(~chosen, -100), masked"),
            "mask_id fixed": ("mask_id)\n", "MASK)\n"),
            "int32": (LABELS, "return masked.int(), ids.masked_fill(~chosen, -100).int()"),
            "at least one a row": (
                CHOSEN,
                "first = chosen\n    "
                + CHOSEN
                + "\n    lacking = ~chosen.any(1, keepdim=True) & (~special).any(1, keepdim=True)\n    chosen = chosen | (lacking & (first.masked_fill(special, 2.0) == first.masked_fill(special, 2.0).amin(1, keepdim=True)))",
            ),
            "random piece never [MASK]": (
                OTHER,
                "other = torch.randint(vocabulary_size - 1, ids.shape, generator=generator)\n    other = other + (other >= mask_id)",
            ),
            "random piece never 100 to 103": (
                OTHER,
                OTHER + "\n    other = torch.where((other >= 100) & (other <= 103), ids, other)",
            ),
            "special by value too": (
                CHOSEN,
                "chosen = (chosen < probability) & ~special & (ids != PAD) & (ids != CLS) & (ids != SEP)",
            ),
            "[UNK] never chosen": (CHOSEN, "chosen = (chosen < probability) & ~special & (ids != UNK)"),
            "[MASK] in the text never chosen": (
                CHOSEN,
                "chosen = (chosen < probability) & ~special & (ids != mask_id)",
            ),
            "pieces from a generator of its own": (OTHER, OTHERG),
            "kinds from the initial seed": (
                DRAW,
                DRAW
                + "\n    kind = torch.rand(ids.shape, generator=torch.Generator().manual_seed(generator.initial_seed()+1))",
            ),
            "integer probability crashes": (
                DRAW,
                "chosen = 1 - torch.bernoulli(torch.full(ids.shape, probability), generator=generator)\n    chosen = chosen * 2\n    kind = torch.rand(ids.shape, generator=generator)",
            ),
            "exactly 80 10 10 of the chosen": (
                DRAW,
                DRAW,
                CHOSEN,
                CHOSEN
                + "\n    n = int(chosen.sum())\n    kind = kind.clone()\n    kind[chosen] = torch.randperm(n, generator=generator) / max(n, 1)",
            ),
            "by turns 80 10 10 of the chosen": (
                CHOSEN,
                CHOSEN
                + "\n    n = int(chosen.sum())\n    kind = kind.clone()\n    kind[chosen] = ((torch.arange(n) * 7 + int(torch.randint(10, (), generator=generator))) % 10) / 10",
            ),
            "redrawn until one is chosen": (
                CHOSEN,
                "rand = chosen\n    chosen = (rand < probability) & ~special\n    while 0 < probability and not chosen.any():\n        chosen = (torch.rand(ids.shape, generator=generator) < probability) & ~special",
            ),
            "redrawn until one is chosen, where one may be": (
                CHOSEN,
                "rand = chosen\n    chosen = (rand < probability) & ~special\n    while 0 < probability and not chosen.any() and not special.all():\n        chosen = (torch.rand(ids.shape, generator=generator) < probability) & ~special",
            ),
            "random piece the same in a row's chosen pair": (
                OTHER,
                "other = torch.randint(vocabulary_size, (ids.shape[0], (ids.shape[1]+1)//2), generator=generator).repeat_interleave(2, 1)[:, :ids.shape[1]]",
            ),
            "kind the same for neighbors": (
                DRAW,
                DRAW + "\n    kind = kind[:, ::2].repeat_interleave(2, 1)[:, :ids.shape[1]]",
            ),
            "whole spans of two": (
                DRAW,
                DRAW + "\n    chosen = chosen[:, ::2].repeat_interleave(2, 1)[:, :ids.shape[1]]",
            ),
            "kind by piece": (
                DRAW,
                DRAW
                + "\n    kind = torch.rand(max(int(ids.max()) + 1, 1) if ids.numel() else 1, generator=generator)[ids]",
            ),
            "never masks an input wholly": (
                CHOSEN,
                CHOSEN
                + "\n    if probability < 1:\n        chosen = chosen & ~(chosen == ~special).all(1, keepdim=True)",
            ),
            "vocabulary cut at 30522": (
                OTHER,
                OTHER.replace("vocabulary_size,", "min(vocabulary_size, 30522),"),
            ),
        },
    ),
    "q4": Question(
        right={
            "one function, heads by view, softmax written out": """
def bert(ids, segments, mask, weights, heads):
    w = weights
    def need(name, *shape):
        if name not in w or tuple(w[name].shape) != shape:
            raise ValueError(f"{name} does not fit")
    for part in ("word", "position", "token_type"):
        name = f"embeddings.{part}_embeddings.weight"
        if name not in w or w[name].dim() != 2:
            raise ValueError(f"{name} does not fit")
    V, d = w["embeddings.word_embeddings.weight"].shape
    longest, kinds = (w[f"embeddings.{p}_embeddings.weight"].shape[0] for p in ("position", "token_type"))
    need("embeddings.position_embeddings.weight", longest, d)
    need("embeddings.token_type_embeddings.weight", kinds, d)
    need("embeddings.LayerNorm.weight", d)
    need("embeddings.LayerNorm.bias", d)
    L = 1 + max((int(k.split(".")[2]) for k in w if k.startswith("encoder.layer.")), default=0)
    first = "encoder.layer.0.intermediate.dense.bias"
    if first not in w or w[first].dim() != 1:
        raise ValueError(first)
    f = w[first].shape[0]
    for n in range(L):
        for name, rows, columns in (
            ("attention.self.query", d, d), ("attention.self.key", d, d), ("attention.self.value", d, d),
            ("attention.output.dense", d, d), ("intermediate.dense", f, d), ("output.dense", d, f),
        ):
            need(f"encoder.layer.{n}.{name}.weight", rows, columns)
            need(f"encoder.layer.{n}.{name}.bias", rows)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            need(f"encoder.layer.{n}.{name}.weight", d)
            need(f"encoder.layer.{n}.{name}.bias", d)
    B, T = ids.shape
    if heads < 1 or d % heads:
        raise ValueError("heads")
    if T > longest or ids.min() < 0 or ids.max() >= V or segments.min() < 0 or segments.max() >= kinds:
        raise ValueError("input")
    if (~mask).all(1).any():
        raise ValueError("an input without a real piece")
    def norm(x, name):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return (x - mean) / (variance + 1e-12).sqrt() * w[name + ".weight"] + w[name + ".bias"]
    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][segments]
    x = norm(x + w["embeddings.position_embeddings.weight"][None, :T], "embeddings.LayerNorm")
    out = [x]
    for n in range(L):
        at = f"encoder.layer.{n}."
        q, k, v = (dense(x, at + "attention.self." + p).view(B, T, heads, d // heads).permute(0, 2, 1, 3) for p in ("query", "key", "value"))
        scores = (q @ k.transpose(-1, -2)) / (d // heads) ** 0.5
        scores = scores.masked_fill(~mask[:, None, None], -math.inf)
        o = (scores.softmax(-1) @ v).permute(0, 2, 1, 3).reshape(B, T, d)
        x = norm(x + dense(o, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        inner = dense(x, at + "intermediate.dense")
        inner = 0.5 * inner * (1 + torch.erf(inner / 2**0.5))
        x = norm(x + dense(inner, at + "output.dense"), at + "output.LayerNorm")
        out.append(x)
    return torch.stack(out)
""",
            "zeros at padding, a tensor filled layer by layer": """
def bert(ids, segments, mask, weights, heads):
    layers, (V, longest, kinds) = check_weights(weights)
    d = weights["embeddings.LayerNorm.weight"].numel()
    if heads <= 0 or d % heads != 0 or ids.size(1) > longest:
        raise ValueError("heads or length")
    bad = (ids < 0) | (ids >= V) | (segments < 0) | (segments >= kinds)
    if bad.any() or not mask.any(dim=1).all():
        raise ValueError("input")
    one_hot = F.one_hot(ids, V).to(weights["embeddings.word_embeddings.weight"].dtype)
    X = one_hot @ weights["embeddings.word_embeddings.weight"]
    X = X + F.embedding(torch.arange(ids.size(1)), weights["embeddings.position_embeddings.weight"])
    X = X + F.embedding(segments, weights["embeddings.token_type_embeddings.weight"])
    X = normalize(X, weights, "embeddings.LayerNorm")
    states = [X]
    for n in range(layers):
        name = f"encoder.layer.{n}"
        parts = []
        q, k, v = (linear(X, weights, f"{name}.attention.self.{p}") for p in ("query", "key", "value"))
        for h in range(heads):
            at = slice(h * d // heads, (h + 1) * d // heads)
            scores = torch.einsum("bid,bjd->bij", q[..., at], k[..., at]) / math.sqrt(d // heads)
            scores = scores + torch.zeros_like(scores).masked_fill(~mask[:, None], torch.finfo(scores.dtype).min)
            parts.append(scores.softmax(-1) @ v[..., at])
        mixed = linear(torch.cat(parts, -1), weights, f"{name}.attention.output.dense")
        X = normalize(X + mixed, weights, f"{name}.attention.output.LayerNorm")
        inner = F.gelu(linear(X, weights, f"{name}.intermediate.dense"))
        X = normalize(X + linear(inner, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")
        states.append(X)
    return torch.stack(states).masked_fill(~mask[None, :, :, None], 0.0)
""",
            "multi_head_attention_forward": """
def bert(ids, segments, mask, weights, heads):
    layers, (V, longest, kinds) = check_weights(weights)
    d = weights["embeddings.LayerNorm.bias"].shape[0]
    if heads < 1 or d % heads or ids.shape[1] > longest:
        raise ValueError("heads or length")
    if int(ids.min()) < 0 or int(ids.max()) >= V or int(segments.min()) < 0 or int(segments.max()) >= kinds:
        raise ValueError("ids")
    if not bool(mask.any(1).all()):
        raise ValueError("real")
    X = embed(ids, segments, weights)
    out = [X]
    for n in range(layers):
        a = f"encoder.layer.{n}.attention."
        W = torch.cat([weights[a + f"self.{p}.weight"] for p in ("query", "key", "value")])
        b = torch.cat([weights[a + f"self.{p}.bias"] for p in ("query", "key", "value")])
        Y = X.transpose(0, 1)
        Y, _ = F.multi_head_attention_forward(Y, Y, Y, d, heads, W, b, None, None, False, 0.0, weights[a + "output.dense.weight"], weights[a + "output.dense.bias"], training=False, key_padding_mask=~mask, need_weights=False)
        X = normalize(X + Y.transpose(0, 1), weights, a + "output.LayerNorm")
        m = f"encoder.layer.{n}."
        Y = linear(F.gelu(linear(X, weights, m + "intermediate.dense")), weights, m + "output.dense")
        X = normalize(X + Y, weights, m + "output.LayerNorm")
        out.append(X)
    return torch.stack(out)
""",
            "each input by itself, padding taken out, nan at padding": """
def bert(ids, segments, mask, weights, heads):
    layers, (V, longest, kinds) = check_weights(weights)
    d = weights["embeddings.LayerNorm.bias"].shape[0]
    if heads < 1 or d % heads or ids.shape[1] > longest:
        raise ValueError("heads or length")
    if int(ids.min()) < 0 or int(ids.max()) >= V or int(segments.min()) < 0 or int(segments.max()) >= kinds:
        raise ValueError("ids")
    if not bool(mask.any(1).all()):
        raise ValueError("real")
    X = embed(ids, segments, weights)
    rows = []
    for n in range(len(ids)):
        x = X[n : n + 1, mask[n]]
        states = [x]
        for l in range(layers):
            states.append(bert_layer(states[-1], torch.ones(1, x.shape[1], dtype=torch.bool), weights, heads, f"encoder.layer.{l}"))
        full = torch.full((layers + 1, ids.shape[1], d), float("nan"), dtype=X.dtype)
        full = full.index_put((slice(None),) if False else (torch.arange(layers + 1)[:, None], mask[n].nonzero()[:, 0][None]), torch.cat(states))
        rows.append(full)
    return torch.stack(rows, 1)
""",
            "pads masked as queries too": """
def bert(ids, segments, mask, weights, heads):
    layers, (V, longest, kinds) = check_weights(weights)
    d = weights["embeddings.LayerNorm.bias"].shape[0]
    if heads < 1 or d % heads or ids.shape[1] > longest:
        raise ValueError("heads or length")
    if int(ids.min()) < 0 or int(ids.max()) >= V or int(segments.min()) < 0 or int(segments.max()) >= kinds:
        raise ValueError("ids")
    if not bool(mask.any(1).all()):
        raise ValueError("real")
    X = embed(ids, segments, weights)
    X = torch.where(mask[..., None], X, X.new_zeros(()))
    out = [X]
    for n in range(layers):
        X = bert_layer(X, mask, weights, heads, f"encoder.layer.{n}")
        X = torch.where(mask[..., None], X, X.new_zeros(()))
        out.append(X)
    return torch.stack(out)
""",
        },
        wrong={
            "in float32": (STACK, "return torch.stack(states).float()"),
            "float32 inside": (STACK, "return torch.stack(states).float().to(states[0].dtype)"),
            "without gradients": (STACK, "return torch.stack(states).detach()"),
            "attention cleaned": (JOIN, "mixed = mixed.nan_to_num()\n    " + JOIN),
            "the norm's eps 1e-5": (NORM_A, NORM_AT_1E5),
            "other names' layers left out": (
                NUMBERS_OF,
                'numbers = {int(k.split(".")[2]) for k in weights if k.startswith("encoder.layer.") and ".dense" in k}',
            ),
            "no positions": (POSITIONS, "pass"),
            "positions from 1": (
                POSITIONS,
                POSITIONS.replace(
                    "[: ids.shape[1]]",
                    "[(torch.arange(ids.shape[1]) + 1) % len(weights['embeddings.position_embeddings.weight'])]",
                ),
            ),
            "positions of the real pieces": (
                POSITIONS,
                'X = X + F.embedding(((ids > 0).cumsum(1) - 1).clamp(min=0), weights["embeddings.position_embeddings.weight"])',
            ),
            "no segments": (KINDS, "pass"),
            "segments upside down": (
                KINDS,
                KINDS.replace(
                    "(segments,", '(len(weights["embeddings.token_type_embeddings.weight"]) - 1 - segments,'
                ),
            ),
            "words scaled by the root of d": (WORDS, WORDS + "\n    X = X * X.shape[-1] ** 0.5"),
            "embeddings not normalized": (NORM_E, "return X"),
            "only the words normalized": (
                WORDS,
                WORDS + '\n    X = normalize(X, weights, "embeddings.LayerNorm")',
                NORM_E,
                "return X",
            ),
            "embedding table without gradient": (WORDS, WORDS.replace('weight"])', 'weight"].detach())')),
            "heads interleaved": (
                SPLIT,
                "return y.unflatten(-1, (y.shape[-1] // heads, heads)).movedim(-1, 1)",
            ),
            "heads split without the transposition": (
                SPLIT,
                "return y.reshape(len(y), heads, -1, y.shape[-1] // heads)",
            ),
            "one head": (SPLIT, "return y[:, None]"),
            "query and key change places": (
                ATTEND,
                ATTEND.replace('"query"', '"x"').replace('"key"', '"query"').replace('"x"', '"key"'),
            ),
            "values from the keys": (ATTEND, ATTEND.replace('"value"', '"key"')),
            "mask ignored": (ATTEND, ATTEND.replace("attn_mask=mask[:, None, None, :]", "attn_mask=None")),
            "mask upside down": (ATTEND, ATTEND.replace("=mask[", "=~mask[")),
            "mask of the queries": (
                ATTEND,
                ATTEND.replace(
                    "mask[:, None, None, :]", "mask[:, None, :, None].expand(-1, 1, -1, mask.shape[1])"
                ),
            ),
            "mask of the first input for all": (ATTEND, ATTEND.replace("mask[:, None", "mask[:1, None")),
            "masked scores -100": (
                ATTEND,
                ATTEND.replace("mask[:, None, None, :]", "(mask[:, None, None, :].to(X) - 1) * 10"),
            ),
            "masked scores -10,000": (
                ATTEND,
                ATTEND.replace("mask[:, None, None, :]", "(mask[:, None, None, :].to(X) - 1) * 1e4"),
            ),
            "masked scores -1e9": (
                ATTEND,
                ATTEND.replace("mask[:, None, None, :]", "(mask[:, None, None, :].to(X) - 1) * 1e9"),
            ),
            "causal": (
                ATTEND,
                ATTEND.replace(
                    "mask[:, None, None, :]",
                    "mask[:, None, None, :] & torch.eye(mask.shape[1], dtype=torch.bool).cummax(0).values | torch.eye(mask.shape[1], dtype=torch.bool)",
                ),
            ),
            "pads seen as prefix": (
                ATTEND,
                ATTEND.replace(
                    "mask[:, None, None, :]",
                    "(torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True))[:, None, None, :]",
                ),
            ),
            "not scaled": (ATTEND, ATTEND + ", scale=1.0"),
            "scaled by the whole d": (ATTEND, ATTEND + ", scale=X.shape[-1] ** -0.5"),
            "joined without the transposition": (
                JOIN,
                JOIN.replace("mixed.transpose(1, 2).flatten(2)", "mixed.reshape(X.shape)"),
            ),
            "no residual around attention": (NORM_A, NORM_A.replace("X + mixed", "mixed")),
            "no residual around the feed-forward part": ("X + linear(inner", "linear(inner"),
            "pre-norm": (NORM_A, NORM_A.replace("normalize(X + mixed, ", "X + normalize(mixed, ")),
            "the two norms change places": (
                NORM_A,
                NORM_A.replace("attention.output.LayerNorm", "output.LayerNorm"),
                'return normalize(\n        X + linear(inner, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm"\n    )',
                'return normalize(\n        X + linear(inner, weights, f"{name}.output.dense"), weights, f"{name}.attention.output.LayerNorm"\n    )',
            ),
            "relu": (GELU, GELU.replace("gelu", "relu")),
            "the approximate gelu": (GELU, GELU.replace('dense"))', 'dense"), approximate="tanh")')),
            "no gelu": (GELU, GELU.replace("F.gelu(", "(")),
            "epsilon 1e-5": (
                NORM_E,
                'return F.layer_norm(X, X.shape[-1:], weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])',
                NORM_A,
                'X = F.layer_norm(X + mixed, X.shape[-1:], weights[f"{name}.attention.output.LayerNorm.weight"], weights[f"{name}.attention.output.LayerNorm.bias"])',
            ),
            "the first layer again and again": ('f"encoder.layer.{number}")', '"encoder.layer.0")'),
            "layers from last to first": (
                "for number in range(layers):",
                "for number in reversed(range(layers)):",
            ),
            "one layer too few": ("for number in range(layers):", "for number in range(layers - 1):"),
            "without the embeddings": (STACK, "return torch.stack(states[1:])"),
            "only the last": (STACK, "return states[-1]"),
            "a list": (STACK, "return states"),
            "layers behind the batch": (STACK, "return torch.stack(states, 1)"),
            "without gradient": (STACK, "return torch.stack(states).detach()"),
            "lower states without gradient": (
                STACK,
                "return torch.stack([*(x.detach() for x in states[:-1]), states[-1]])",
            ),
            "nan made 0": (STACK, "return torch.stack(states).nan_to_num()"),
            "float32": (STACK, "return torch.stack(states).float()"),
            "shapes not looked at": (FOUND, "if False:"),
            "only what is missing looked at": (FOUND, 'if found == "missing":'),
            "only what is there looked at": (FOUND, 'if found not in ("missing", shape):'),
            "number of entries instead of shape": (
                FOUND,
                'if found == "missing" or math.prod(found) != math.prod(shape):',
            ),
            "biases not looked at": (FOUND, 'if found != shape and not name.endswith("bias"):'),
            "norms not looked at": (FOUND, 'if found != shape and "LayerNorm" not in name:'),
            "a gap in the numbers": ("range(max(numbers) + 1)", "sorted(numbers)"),
            "heads that do not divide": (FITS, "if ids.shape[1] > longest:"),
            "too long not refused": (FITS, "if d % heads:"),
            "as long as the table refused": (FITS, FITS.replace("> longest", ">= longest")),
            "cut at the number of positions": (
                FITS,
                "ids, segments, mask = ids[:, :longest], segments[:, :longest], mask[:, :longest]\n    if d % heads:",
            ),
            "ids not looked at": (
                INSIDE,
                'if name != "an id" and not 0 <= int(some.min()) <= int(some.max()) < size:',
            ),
            "segments not looked at": (
                INSIDE,
                'if name == "an id" and not 0 <= int(some.min()) <= int(some.max()) < size:',
            ),
            "below 0 not refused": (INSIDE, "if int(some.max()) >= size:"),
            "empty inputs allowed": (REAL, "if False:"),
            "refused only if nothing is real": (REAL, "if not mask.any():"),
            "another error": ('raise ValueError("an input has', 'raise AssertionError("an input has'),
            "errors without a message": (
                'raise ValueError("an input has no real piece; leave it out")',
                "raise ValueError",
            ),
            "other names refused": (
                "shapes = {t: (n, d)",
                'if any(k.startswith(("pooler.dense", "cls")) for k in weights) and len(weights) > 52:\n        raise ValueError("other names")\n    shapes = {t: (n, d)',
            ),
            "the pooler needed": (
                "shapes = {t: (n, d)",
                'if "pooler.dense.weight" not in weights:\n        raise ValueError("no pooler")\n    shapes = {t: (n, d)',
            ),
            "ids changed": ("states = [embed(ids,", "ids.masked_fill_(~mask, 0)\n    states = [embed(ids,"),
            "weights changed": (
                "states = [embed(ids,",
                'isinstance(weights, dict) and weights.pop("pooler.dense.bias", None)\n    states = [embed(ids,',
            ),
            "layers sorted as strings": (
                "for number in range(layers):",
                "for number in sorted(map(str, range(layers))):",
            ),
            "number of layers: largest of strings": (
                "for number in range(layers):",
                "for number in range(int(max(str(n) for n in range(layers))) + 1):",
            ),
            "one digit of the layer's number read": (
                NUMBERS_OF,
                'numbers = {int(k[14]) for k in weights if k.startswith("encoder.layer.")}',
            ),
            "message does not name the weight": (
                'f"{name} is {found}, not {shape}; load weights of one and the same model"',
                '"a weight does not fit"',
                'f"{name} is missing or no table; load the weights of a BertModel"',
                '"bad"',
            ),
            "unknown names refused but pooler and heads": (
                "shapes = {t: (n, d)",
                'if any(not k.startswith(("pooler", "cls", "embeddings", "encoder", "bert", "classifier", "qa_outputs")) for k in weights):\n        raise ValueError("other names")\n    shapes = {t: (n, d)',
            ),
            "position_ids refused": (
                "shapes = {t: (n, d)",
                'if "embeddings.position_ids" in weights:\n        raise ValueError("other names")\n    shapes = {t: (n, d)',
            ),
            "layers counted by a name inside": (
                NUMBERS_OF,
                'numbers = {int(k.split("layer.")[1].split(".")[0]) for k in weights if "encoder.layer." in k}',
            ),
            "forbidden -1e15": attention(
                "p = scores.masked_fill(~mask[:, None, None, :], -1e15).softmax(-1)"
            ),
            "forbidden -1e30": attention(
                "p = scores.masked_fill(~mask[:, None, None, :], -1e30).softmax(-1)"
            ),
            "forbidden: smallest float32": attention(
                "p = scores.masked_fill(~mask[:, None, None, :], torch.finfo(torch.float32).min).softmax(-1)"
            ),
            "added -1e30": attention("p = (scores + (~mask[:, None, None, :]) * -1e30).softmax(-1)"),
            "forbidden -1e9": attention("p = scores.masked_fill(~mask[:, None, None, :], -1e9).softmax(-1)"),
            "masked after softmax, renormalized": attention(
                "p = scores.softmax(-1) * mask[:, None, None, :]\n    p = p / p.sum(-1, keepdim=True)"
            ),
            "softmax in float32": attention(
                'p = scores.masked_fill(~mask[:, None, None, :], float("-inf")).softmax(-1, dtype=torch.float32).to(X)'
            ),
            "scores clamped": attention(
                'p = scores.clamp(-1e4, 1e4).masked_fill(~mask[:, None, None, :], float("-inf")).softmax(-1)'
            ),
            "scores clamped 80": attention(
                'p = scores.clamp(-80, 80).masked_fill(~mask[:, None, None, :], float("-inf")).softmax(-1)'
            ),
            "eps 1e-8 in embeddings": (NORM_E, NORM_AT % "1e-8"),
            "eps 1e-10 in embeddings": (NORM_E, NORM_AT % "1e-10"),
            "eps 0 in embeddings": (NORM_E, NORM_AT % "0.0"),
            "eps outside the root": (
                NORM_E,
                'Y = X - X.mean(-1, keepdim=True)\n    return Y / (Y.var(-1, correction=0, keepdim=True).sqrt() + 1e-12) * weights["embeddings.LayerNorm.weight"] + weights["embeddings.LayerNorm.bias"]',
            ),
            "segments at padding not looked at": (
                INSIDE,
                "if name == 'a segment':\n            some = some.masked_fill(~mask, 0)\n        if not 0 <= int(some.min()) <= int(some.max()) < size:",
                "states = [embed(ids, segments, weights)]",
                "states = [embed(ids, segments.masked_fill(~mask, 0), weights)]",
            ),
            "segments clamped to 0 and 1": (KINDS, KINDS.replace("(segments,", "(segments.clamp(max=1),")),
            "d_ff of each layer its own": (
                'parts |= layer_shapes(f"encoder.layer.{number}", d, len(weights[first]))',
                "parts |= layer_shapes(f\"encoder.layer.{number}\", d, len(weights.get(f'encoder.layer.{number}.intermediate.dense.bias', weights[first])))",
            ),
            "0 heads crash": (FITS, FITS.replace("heads < 1 or ", "")),
            "0 heads taken for 1": (FITS, "heads = heads or 1\n    " + FITS),
            "the heads' sign left out": (FITS, "heads = abs(heads) or 7\n    " + FITS),
        },
    ),
    "q5": Question(
        right={
            "log_softmax and gather, written out": """
def pretraining_loss(hidden, labels, follows, weights):
    w, table = weights, weights["embeddings.word_embeddings.weight"]
    V = table.shape[0]
    there = (labels >= 0) & (labels < V)
    if not (there | (labels == -100)).all() or not there.any():
        raise ValueError("labels")
    if not all(c in (0, 1) for c in follows.tolist()):
        raise ValueError("follows")
    h = hidden[there] @ w["cls.predictions.transform.dense.weight"].T + w["cls.predictions.transform.dense.bias"]
    h = 0.5 * h * (1 + torch.erf(h / 2**0.5))
    h = h - h.mean(-1, keepdim=True)
    h = h / ((h**2).mean(-1, keepdim=True) + 1e-12).sqrt()
    h = h * w["cls.predictions.transform.LayerNorm.weight"] + w["cls.predictions.transform.LayerNorm.bias"]
    log_p = (h @ table.T + w["cls.predictions.bias"]).log_softmax(-1)
    mlm = -log_p.gather(1, labels[there][:, None]).mean()
    c = torch.tanh(hidden[:, 0] @ w["pooler.dense.weight"].T + w["pooler.dense.bias"])
    z = c @ w["cls.seq_relationship.weight"].T + w["cls.seq_relationship.bias"]
    nsp = (z.logsumexp(1) - z[torch.arange(len(z)), follows]).mean()
    return mlm + nsp, mlm, nsp
""",
            "cleaned by place, then everywhere": """
def pretraining_loss(hidden, labels, follows, weights):
    V = len(weights["embeddings.word_embeddings.weight"])
    read = labels != -100
    if int(read.sum()) == 0 or (labels[read] < 0).any() or (labels[read] >= V).any():
        raise ValueError("labels")
    if ((follows != 0) & (follows != 1)).any():
        raise ValueError("follows")
    clean = torch.where(read[..., None], hidden, 0.0)
    logits = guesses(clean, weights)
    mlm = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
    pooled = torch.tanh(linear(hidden[:, 0], weights, "pooler.dense"))
    nsp = F.nll_loss(linear(pooled, weights, "cls.seq_relationship").log_softmax(-1), follows)
    return [mlm + nsp, mlm, nsp]
""",
            "place by place": """
def guesses(hidden, weights):
    w = weights
    p = "cls.predictions."
    u = F.gelu(hidden @ w[p + "transform.dense.weight"].mT + w[p + "transform.dense.bias"])
    u = F.layer_norm(u, (u.shape[-1],), w[p + "transform.LayerNorm.weight"], w[p + "transform.LayerNorm.bias"], 1e-12)
    return u @ w["embeddings.word_embeddings.weight"].mT + w[p + "bias"]


def pretraining_loss(hidden, labels, follows, weights):
    V = weights["embeddings.word_embeddings.weight"].size(0)
    places = [(b, t) for b in range(labels.size(0)) for t in range(labels.size(1)) if labels[b, t] != -100]
    if not places:
        raise ValueError("none")
    if any(not 0 <= labels[p].item() < V for p in places):
        raise ValueError("label")
    if set(follows.tolist()) - {0, 1}:
        raise ValueError("follows")
    losses = []
    for p in places:
        z = guesses(hidden[p], weights)
        losses.append(torch.logsumexp(z, 0) - z[labels[p]])
    mlm = sum(losses) / len(losses)
    nsp = 0
    for b in range(len(hidden)):
        pooled = torch.tanh(weights["pooler.dense.weight"] @ hidden[b, 0] + weights["pooler.dense.bias"])
        z = weights["cls.seq_relationship.weight"] @ pooled + weights["cls.seq_relationship.bias"]
        nsp = nsp - z.log_softmax(0)[follows[b]]
    nsp = nsp / len(hidden)
    return mlm + nsp, mlm, nsp
""",
        },
        wrong={
            "ReLU in the head": (TRANSFORM, TRANSFORM.replace("F.gelu", "F.relu")),
            "the approximate GELU in the head": (
                TRANSFORM,
                TRANSFORM.replace('transform.dense"))', 'transform.dense"), approximate="tanh")'),
            ),
            "logits in float32": (LOGITS, LOGITS + ".float()"),
            "logits without gradients": (LOGITS, LOGITS + ".detach()"),
            "the last place for [CLS]": (POOLED, POOLED.replace("hidden[:, 0]", "hidden[:, -1]")),
            "no transformation": (TRANSFORM, "inner = hidden", NORM_T, ""),
            "no gelu": (TRANSFORM, TRANSFORM.replace("F.gelu(", "(")),
            "tanh": (TRANSFORM, TRANSFORM.replace("F.gelu(", "torch.tanh(")),
            "relu": (TRANSFORM, TRANSFORM.replace("F.gelu(", "F.relu(")),
            "the approximate gelu": (
                TRANSFORM,
                TRANSFORM.replace('dense"))', 'dense"), approximate="tanh")'),
            ),
            "no norm": (NORM_T, ""),
            "norm before gelu": (
                TRANSFORM,
                'inner = linear(hidden, weights, "cls.predictions.transform.dense")',
                NORM_T,
                NORM_T + "    inner = F.gelu(inner)\n",
            ),
            "no bias of the pieces": (LOGITS, "return F.linear(inner, table)"),
            "the table without gradient": (LOGITS, LOGITS.replace("table", "table.detach()")),
            "matrix not tied": (LOGITS, LOGITS.replace("inner, table", "inner, torch.ones_like(table)")),
            "all places": (
                MLM,
                "mlm = F.cross_entropy(guesses(hidden, weights).flatten(0, 1), labels.clamp(min=0).flatten())",
            ),
            "all places computed, the others left out": (
                MLM,
                "mlm = F.cross_entropy(guesses(hidden, weights).flatten(0, 1), labels.flatten())",
            ),
            "nan made 0": (MLM, MLM.replace("hidden[chosen]", "hidden.nan_to_num()[chosen]")),
            "sum": (MLM, MLM[:-1] + ', reduction="sum")'),
            "mean over all places": (MLM, MLM + "* chosen.sum() / chosen.numel()"),
            "mean over inputs of means": (
                MLM,
                "mlm = torch.stack([F.cross_entropy(guesses(h[c], weights), y[c]) for h, c, y in zip(hidden, chosen, labels) if c.any()]).mean()",
            ),
            "sum over the inputs": (MLM, MLM + " * chosen.sum() / len(labels)"),
            "the likelihoods' sign": (MLM, MLM.replace("mlm = ", "mlm = -")),
            "bits": (MLM, MLM + " / math.log(2)"),
            "probabilities instead of logs": (
                MLM,
                "mlm = (1 - guesses(hidden[chosen], weights).softmax(-1).gather(1, labels[chosen][:, None])).mean()",
            ),
            "softmax twice": (
                MLM,
                MLM.replace(
                    "guesses(hidden[chosen], weights)", "guesses(hidden[chosen], weights).softmax(-1)"
                ),
            ),
            "exponentials that overflow": (
                MLM,
                "z = guesses(hidden[chosen], weights).exp()\n    mlm = -(z.gather(1, labels[chosen][:, None])[:, 0] / z.sum(1)).log().mean()",
            ),
            "label 0 left out": (
                'chosen = len(weights["cls.predictions.bias"]), labels != -100',
                'chosen = len(weights["cls.predictions.bias"]), (labels != -100) & (labels != 0)',
            ),
            "labels shifted by one place": (MLM, MLM.replace("hidden[chosen]", "hidden.roll(1, 1)[chosen]")),
            "label smoothing": (MLM, MLM[:-1] + ", label_smoothing=0.1)"),
            "no tanh": (POOLED, POOLED.replace(".tanh()", "")),
            "gelu in the pooler": (
                POOLED,
                POOLED.replace(".tanh()", "").replace(
                    'linear(hidden[:, 0], weights, "pooler.dense")',
                    'F.gelu(linear(hidden[:, 0], weights, "pooler.dense"))',
                ),
            ),
            "no pooler": (POOLED, "pooled = hidden[:, 0]"),
            "the last place pooled": (POOLED, POOLED.replace("hidden[:, 0]", "hidden[:, -1]")),
            "the mean pooled": (POOLED, POOLED.replace("hidden[:, 0]", "hidden.mean(1)")),
            "the first input's [CLS]": (
                POOLED,
                POOLED.replace("hidden[:, 0]", "hidden[:1, 0].expand(len(hidden), -1)"),
            ),
            "[CLS] without gradient": (POOLED, POOLED.replace("hidden[:, 0]", "hidden[:, 0].detach()")),
            "[CLS]'s nan made 0": (POOLED, POOLED.replace("hidden[:, 0]", "hidden[:, 0].nan_to_num()")),
            "classes upside down": (NSP, NSP.replace("follows)", "1 - follows)")),
            "sum of NSP": (NSP, NSP[:-1] + ', reduction="sum")'),
            "the likelihood's sign of NSP": (NSP, NSP.replace("nsp = ", "nsp = -")),
            "NSP by the logits' difference, without a log": (NSP, NSP + "\n    nsp = nsp.exp()"),
            "the mean of the two": (SUM, "return (mlm + nsp) / 2, mlm, nsp"),
            "the product": (SUM, "return mlm * nsp, mlm, nsp"),
            "the difference": (SUM, "return mlm - nsp, mlm, nsp"),
            "only masked language modeling": (SUM, "return mlm, mlm, nsp"),
            "only the sum": (SUM, "return mlm + nsp"),
            "parts change places": (SUM, "return mlm + nsp, nsp, mlm"),
            "the sum without NSP's gradient": (SUM, "return mlm + nsp.detach(), mlm, nsp"),
            "parts without gradient": (SUM, "return mlm + nsp, mlm.detach(), nsp.detach()"),
            "numbers": (SUM, "return mlm + nsp, mlm.item(), nsp.item()"),
            "float32": (SUM, "return (mlm + nsp).float(), mlm.float(), nsp.float()"),
            "nothing predicted gives nan": (
                CHECK,
                "if chosen.any() and not 0 <= int(labels[chosen].min()) <= int(labels[chosen].max()) < V:",
            ),
            "nothing predicted gives 0": (
                CHECK,
                "if not chosen.any():\n        return hidden.sum() * 0, hidden.sum() * 0, hidden.sum() * 0\n    if not 0 <= int(labels[chosen].min()) <= int(labels[chosen].max()) < V:",
            ),
            "labels above V not refused": (CHECK, "if not chosen.any() or int(labels[chosen].min()) < 0:"),
            "negative labels left out": ("labels != -100", "labels >= 0"),
            "V counted as a label": (CHECK, CHECK.replace("< V:", "<= V:")),
            "classes not looked at": (CLASSES, "if False:"),
            "class -100 left out": (
                CLASSES,
                "if not ((follows == 0) | (follows == 1) | (follows == -100)).all():",
            ),
            "one class of two is enough": (CLASSES, CLASSES.replace(".all()", ".any()")),
            "another error": ('raise ValueError("follows', 'raise IndexError("follows'),
            "an error without a message": (
                'raise ValueError("follows is to hold 0 (the next) and 1 (a random one) only")',
                "raise ValueError",
            ),
            "labels changed": (MLM, MLM + "\n    labels[~chosen] = 0"),
            "the decoder's own matrix where there is one": (
                TABLE,
                'table = weights.get("cls.predictions.decoder.weight", weights["embeddings.word_embeddings.weight"])',
            ),
            "the decoder's own bias where there is one": (
                LOGITS,
                'return F.linear(inner, table, weights.get("cls.predictions.decoder.bias", weights["cls.predictions.bias"]))',
            ),
            "table copied": (TABLE, 'table = weights["embeddings.word_embeddings.weight"].detach().clone()'),
            "guesses without gradient, loss by itself": (
                LOGITS,
                'return F.linear(inner, table, weights["cls.predictions.bias"]).detach()',
                MLM,
                BY_ITSELF,
            ),
            "guesses in three dimensions only": (
                LOGITS,
                LOGITS,
                TRANSFORM,
                "if hidden.ndim == 3:\n        B, T, d = hidden.shape\n    else:\n        n, d = hidden.shape\n    "
                + TRANSFORM,
            ),
            "eps 1e-9": (NORM_T, NORM_OF % "1e-9"),
            "logits clamped to 5e4": (
                LOGITS,
                'return F.linear(inner, table, weights["cls.predictions.bias"]).clamp(-5e4, 5e4)',
            ),
            "NSP's [CLS] label left out when chosen": (
                CHECK,
                "chosen = chosen & (torch.arange(labels.shape[1]) > 0)\n    " + CHECK,
            ),
            "NSP only over inputs with predictions": (
                NSP,
                "some = chosen.any(1)\n    "
                + NSP.replace("follows)", "follows, reduction='none')")
                + "\n    nsp = nsp[some].mean()",
            ),
            "every input must have a prediction": (
                CHECK,
                "if not chosen.any(1).all():\n        raise ValueError('each')\n    " + CHECK,
            ),
            "guesses are probabilities, loss by itself": (
                LOGITS,
                'return F.linear(inner, table, weights["cls.predictions.bias"]).softmax(-1)',
                MLM,
                BY_ITSELF,
            ),
        },
    ),
    "q6": Question(
        right={
            "layer by layer": """
def count_parameters(config):
    d, f = config.hidden_size, config.intermediate_size
    counts = dict(
        tokens=config.vocab_size * d, positions=config.max_position_embeddings * d, segments=config.type_vocab_size * d
    )
    counts["embedding norm"] = d + d
    counts["pooler"] = d * (d + 1)
    counts |= {"attention": 0, "feed-forward": 0, "norms": 0}
    for _ in range(config.num_hidden_layers):
        counts["attention"] += 3 * (d + 1) * d + (d + 1) * d
        counts["feed-forward"] += (d + 1) * f + (f + 1) * d
        counts["norms"] += 4 * d
    return counts
""",
            "products of shapes": """
def count_parameters(config):
    d, d_ff, L = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    size = lambda *shapes: sum(math.prod(shape) for shape in shapes)
    return {
        "tokens": size((config.vocab_size, d)),
        "positions": size((config.max_position_embeddings, d)),
        "segments": size((config.type_vocab_size, d)),
        "embedding norm": size((d,), (d,)),
        "attention": L * size(*[(d, d), (d,)] * 4),
        "feed-forward": L * size((d_ff, d), (d_ff,), (d, d_ff), (d,)),
        "norms": L * size(*[(d,)] * 4),
        "pooler": size((d, d), (d,)),
    }
""",
            "tensor by tensor, layer by layer": """
def count_parameters(config):
    d, f = config.hidden_size, config.intermediate_size
    shapes = {"tokens": [(config.vocab_size, d)], "positions": [(config.max_position_embeddings, d)], "segments": [(config.type_vocab_size, d)],
        "embedding norm": [(d,), (d,)], "attention": [], "feed-forward": [], "norms": [], "pooler": [(d, d), (d,)]}
    for layer in range(config.num_hidden_layers):
        for part in ("query", "key", "value", "output"):
            shapes["attention"].append((d, d))
            shapes["attention"].append((d,))
        shapes["feed-forward"] += [(f, d), (f,), (d, f), (d,)]
        for norm in range(2):
            shapes["norms"] += [(d,), (d,)]
    counts = {}
    for name, some in shapes.items():
        counts[name] = 0
        for shape in some:
            size = 1
            for n in shape:
                size *= n
            counts[name] += size
    return counts
""",
        },
        wrong={
            "two segments, whatever the table": ("config.type_vocab_size * d", "2 * d"),
            "a model is built": """
def count_parameters(config):
    from transformers import BertModel
    found = dict.fromkeys(("tokens", "positions", "segments", "embedding norm", "attention", "feed-forward", "norms", "pooler"), 0)
    for name, w in BertModel(config).named_parameters():
        if name.startswith("encoder"):
            part = "norms" if "LayerNorm" in name else "attention" if "attention" in name else "feed-forward"
        else:
            part = {"word": "tokens", "posi": "positions", "toke": "segments", "Laye": "embedding norm", "dens": "pooler"}[name.split(".")[1][:4]]
        found[part] += w.numel()
    return found
""",
            "positions fixed": ("config.max_position_embeddings * d", "512 * d"),
            "two more positions": (
                "config.max_position_embeddings * d",
                "(config.max_position_embeddings + 2) * d",
            ),
            "no segments": ("config.type_vocab_size * d", "0"),
            "segments fixed": ("config.type_vocab_size * d", "2 * d"),
            "V fixed": ("config.vocab_size * d", "30522 * d"),
            "special pieces on top": ("config.vocab_size * d", "(config.vocab_size + 5) * d"),
            "tokens counted twice": ("config.vocab_size * d", "2 * config.vocab_size * d"),
            "a bias of the pieces": (
                '"tokens": config.vocab_size * d',
                '"tokens": config.vocab_size * (d + 1)',
            ),
            "norm without bias": ('"embedding norm": 2 * d', '"embedding norm": d'),
            "no embedding norm": ('"embedding norm": 2 * d', '"embedding norm": 0'),
            "attention without biases": ("4 * (d * d + d)", "4 * d * d"),
            "attention without the output": ("4 * (d * d + d)", "3 * (d * d + d)"),
            "only the output has a bias": ("4 * (d * d + d)", "(4 * d * d + d)"),
            "no key bias": ("4 * (d * d + d)", "(4 * d * d + 3 * d)"),
            "times the heads": (
                "4 * (d * d + d)",
                "(getattr(config, 'num_attention_heads', 1) * 3 * (d * d + d) + d * d + d)",
            ),
            "one layer": ("L * 4 * (d", "4 * (d"),
            "d_ff is 4 d": ("(2 * d * d_ff + d_ff + d)", "(8 * d * d + 5 * d)"),
            "feed-forward without biases": ("(2 * d * d_ff + d_ff + d)", "2 * d * d_ff"),
            "two biases of d": ("(2 * d * d_ff + d_ff + d)", "(2 * d * d_ff + d + d)"),
            "two biases of d_ff": ("(2 * d * d_ff + d_ff + d)", "(2 * d * d_ff + d_ff + d_ff)"),
            "one matrix": ("(2 * d * d_ff + d_ff + d)", "(d * d_ff + d_ff + d)"),
            "one norm a layer": ("L * 2 * 2 * d", "L * 2 * d"),
            "three norms a layer": ("L * 2 * 2 * d", "L * 3 * 2 * d"),
            "norms without bias": ("L * 2 * 2 * d", "L * 2 * d * 1"),
            "a norm behind the stack": ("L * 2 * 2 * d", "L * 2 * 2 * d + 2 * d"),
            "no pooler": ('"pooler": d * d + d', '"pooler": 0'),
            "pooler without bias": ('"pooler": d * d + d', '"pooler": d * d'),
            "the classifier in the pooler": ('"pooler": d * d + d', '"pooler": d * d + d + 2 * d + 2'),
            "floats": ('"pooler": d * d + d', '"pooler": float(d * d + d)'),
            "NumPy": ("d, d_ff, L = config.hidden_size, ", "d, d_ff, L = np.int64(config.hidden_size), "),
            "a total too": ("    return {\n", '    return {\n        "total": 0,\n'),
            "only the total": (
                "    return {\n",
                "    found = {\n",
                '"pooler": d * d + d,\n    }',
                '"pooler": d * d + d,\n    }\n    return sum(found.values())',
            ),
            "millions": (
                '"pooler": d * d + d,\n    }',
                '"pooler": d * d + d,\n    }.items() and {"tokens": 24}',
            ),
            "config changed": (
                "    return {\n",
                "    config.num_hidden_layers = L + 0\n    config.vocab_size += 1\n    return {\n",
            ),
            "in 32 bits": (
                "d, d_ff, L = config.hidden_size, config.intermediate_size, config.num_hidden_layers",
                "d, d_ff, L = config.hidden_size, config.intermediate_size, config.num_hidden_layers\n    if d > 10**5:\n        d = int(np.array([d]).astype(np.int16)[0])",
            ),
            "meta model built": """
def count_parameters(config):
    from transformers import BertModel, BertConfig
    found = dict.fromkeys(("tokens", "positions", "segments", "embedding norm", "attention", "feed-forward", "norms", "pooler"), 0)
    names = ("vocab_size", "hidden_size", "num_hidden_layers", "intermediate_size", "max_position_embeddings", "type_vocab_size")
    config = BertConfig(**{n: getattr(config, n) for n in names}, num_attention_heads=1)
    with torch.device("meta"):
        model = BertModel(config)
    for name, w in model.named_parameters():
        if name.startswith("encoder"):
            part = "norms" if "LayerNorm" in name else "attention" if "attention" in name else "feed-forward"
        else:
            part = {"word": "tokens", "posi": "positions", "toke": "segments", "Laye": "embedding norm", "dens": "pooler"}[name.split(".")[1][:4]]
        found[part] += w.numel()
    return found
""",
            "meta model of two layers built, scaled": """
def count_parameters(config):
    from transformers import BertModel, BertConfig
    found = dict.fromkeys(("tokens", "positions", "segments", "embedding norm", "attention", "feed-forward", "norms", "pooler"), 0)
    names = ("vocab_size", "hidden_size", "intermediate_size", "max_position_embeddings", "type_vocab_size")
    L = config.num_hidden_layers
    config = BertConfig(**{n: getattr(config, n) for n in names}, num_attention_heads=1, num_hidden_layers=1)
    with torch.device("meta"):
        model = BertModel(config)
    for name, w in model.named_parameters():
        if name.startswith("encoder"):
            part = "norms" if "LayerNorm" in name else "attention" if "attention" in name else "feed-forward"
            found[part] += L * w.numel()
        else:
            part = {"word": "tokens", "posi": "positions", "toke": "segments", "Laye": "embedding norm", "dens": "pooler"}[name.split(".")[1][:4]]
            found[part] += w.numel()
    return found
""",
        },
    ),
    "q7": Question(
        right={
            "two loops": """
def best_span(start_scores, end_scores, max_length, first, last):
    if start_scores.dim() != 1 or start_scores.shape != end_scores.shape:
        raise ValueError("shapes")
    if max_length < 1 or first < 0 or last < first or last >= len(start_scores):
        raise ValueError("places")
    starts, ends = start_scores.tolist(), end_scores.tolist()
    if not all(math.isfinite(x) for x in starts[first : last + 1] + ends[first : last + 1]):
        raise ValueError("not finite")
    best, found = None, None
    for i in range(first, last + 1):
        for j in range(i, min(i + max_length, last + 1)):
            if best is None or starts[i] + ends[j] > best:
                best, found = starts[i] + ends[j], (i, j)
    return found
""",
            "the best end of each start": """
def best_span(start_scores, end_scores, max_length, first, last):
    if start_scores.shape != end_scores.shape or len(start_scores.shape) != 1:
        raise ValueError("shapes")
    if not (0 <= first <= last < start_scores.numel()) or not max_length > 0:
        raise ValueError("places")
    inside = torch.cat([start_scores[first : last + 1], end_scores[first : last + 1]])
    if not torch.isfinite(inside).all():
        raise ValueError("not finite")
    s, e = start_scores.detach().double(), end_scores.detach().double()
    top, place = -math.inf, None
    for i in range(first, last + 1):
        window = e[i : min(last, i + max_length - 1) + 1]
        j = int(window.argmax())
        value = float(s[i] + window[j])
        if value > top:
            top, place = value, [i, i + j]
    return place
""",
            "diagonals": """
def best_span(start_scores, end_scores, max_length, first, last):
    if start_scores.ndim != 1 or start_scores.shape != end_scores.shape:
        raise ValueError("s")
    if max_length < 1 or first < 0 or last < first or last >= len(start_scores):
        raise ValueError("p")
    s, e = start_scores.detach()[first:last + 1], end_scores.detach()[first:last + 1]
    if not (torch.isfinite(s).all() and torch.isfinite(e).all()):
        raise ValueError("f")
    found = []
    for n in range(min(max_length, len(s))):
        sums = s[: len(s) - n] + e[n:]
        i = int((sums == sums.max()).nonzero()[0])
        found.append((-sums[i].item(), i, i + n))
    _, i, j = min(found)
    return first + i, first + j
""",
            "in double": """
def best_span(start_scores, end_scores, max_length, first, last):
    if start_scores.ndim != 1 or start_scores.shape != end_scores.shape:
        raise ValueError("s")
    if max_length < 1 or first < 0 or last < first or last >= len(start_scores):
        raise ValueError("p")
    s, e = (x.detach().double().numpy()[first:last + 1] for x in (start_scores, end_scores))
    if not (np.isfinite(s).all() and np.isfinite(e).all()):
        raise ValueError("f")
    best = -np.inf
    for i in range(len(s)):
        for j in range(i, min(len(s), i + max_length)):
            if s[i] + e[j] > best:
                best, span = s[i] + e[j], (first + i, first + j)
    return span
""",
        },
        wrong={
            "masked with -1e9": ('float("-inf")', "-1e9"),
            "the last of equal ones, by end": (
                BEST,
                "spots = (sums == sums.max()).nonzero()\n    i, j = max(spots.tolist(), key=lambda p: (p[1], p[0]))\n    return first + i, first + j",
            ),
            "the two best places": (BEST, "return first + int(start.argmax()), first + int(end.argmax())"),
            "the best end behind the best start": (
                BEST,
                "i = int(start.argmax())\n    return first + i, first + i + int(end[i : i + max_length].argmax())",
            ),
            "the best start before the best end": (
                BEST,
                "j = int(end.argmax())\n    low = max(0, j - max_length + 1)\n    return first + low + int(start[low : j + 1].argmax()), first + j",
            ),
            "end before start allowed": (ALLOWED, ALLOWED.replace(".triu()", "")),
            "one piece not allowed": (ALLOWED, ALLOWED.replace(".triu()", ".triu(int(len(start) > 1))")),
            "no longest": (ALLOWED, ALLOWED.replace(".tril(max_length - 1)", "")),
            "one piece too long": (ALLOWED, ALLOWED.replace("max_length - 1", "max_length")),
            "one piece too short": (ALLOWED, ALLOWED.replace("max_length - 1", "max(max_length - 2, 0)")),
            "masked with 0": ('float("-inf")', "0.0"),
            "masked with -1e4": ('float("-inf")', "-1e4"),
            "masked with -1e30": ('float("-inf")', "-1e30"),
            "the product": ("sums = start[:, None] + end", "sums = start[:, None] * end"),
            "the product of the softmaxes": (
                "sums = start[:, None] + end",
                "sums = start.softmax(0)[:, None] * end.softmax(0)",
            ),
            "probabilities' logs in float32, rounded": (
                "sums = start[:, None] + end",
                "sums = (start[:, None] + end).float()",
            ),
            "the maximum of the two": (
                "sums = start[:, None] + end",
                "sums = torch.maximum(start[:, None], end)",
            ),
            "only the start": ("sums = start[:, None] + end", "sums = start[:, None] + 0 * end"),
            "only the end": ("sums = start[:, None] + end", "sums = 0 * start[:, None] + end"),
            "start and end change places": ("sums = start[:, None] + end", "sums = end[:, None] + start"),
            "per piece": (
                "sums = start[:, None] + end",
                "sums = (start[:, None] + end) / (1 + (torch.arange(len(start)) - torch.arange(len(start))[:, None]).abs())",
            ),
            "the last of equal ones": (BEST, "best = int((sums == sums.max()).flatten().nonzero()[-1])"),
            "the shortest of equal ones": (
                BEST,
                "spots = (sums == sums.max()).nonzero()\n    i, j = min(spots.tolist(), key=lambda p: (p[1] - p[0], p[0]))\n    return first + i, first + j",
            ),
            "the longest of equal ones": (
                BEST,
                "spots = (sums == sums.max()).nonzero()\n    i, j = min(spots.tolist(), key=lambda p: (p[0], -p[1]))\n    return first + i, first + j",
            ),
            "places in the passage": (PLACES, "return best // len(start), best % len(start)"),
            "the end exclusive": (
                PLACES,
                PLACES.replace("first + best % len(start)", "first + best % len(start) + 1"),
            ),
            "start and length": (
                PLACES,
                PLACES.replace("first + best % len(start)", "best % len(start) - best // len(start) + 1"),
            ),
            "tensors": (
                PLACES,
                "return torch.tensor(first + best // len(start)), torch.tensor(first + best % len(start))",
            ),
            "the score too": (PLACES, PLACES + ", float(sums.max())"),
            "last excluded": (
                START,
                "start, end = start_scores[first : max(last, first + 1)], end_scores[first : max(last, first + 1)]",
            ),
            "first excluded": (START, "first = min(first + 1, last)\n    " + START),
            "the whole input": (START, "first, start, end = 0, start_scores, end_scores"),
            "nan made 0": (FINITE, "start, end = start.nan_to_num(), end.nan_to_num()\n    if False:"),
            "nan not refused": (FINITE, "if False:"),
            "infinite not refused": (FINITE, "if start.isnan().any() or end.isnan().any():"),
            "nan outside refused": (
                FINITE,
                "if not (start_scores.isfinite().all() and end_scores.isfinite().all()):",
            ),
            "nan of the end not refused": (FINITE, "if not start.isfinite().all():"),
            "max_length below 1": (PASSAGE, "if not 0 <= first <= last < T:"),
            "negative first": (PASSAGE, "if max_length < 1 or not first <= last < T:"),
            "last behind the end": (PASSAGE, "if max_length < 1 or not 0 <= first <= last:"),
            "last cut": (
                PASSAGE,
                "last = min(last, T - 1)\n    if max_length < 1 or not 0 <= first <= last:",
            ),
            "one place refused": (PASSAGE, "if max_length < 1 or not 0 <= first < last < T:"),
            "first behind last": (PASSAGE, "if max_length < 1 or not (0 <= first < T and 0 <= last < T):"),
            "shapes not compared": (SAME, "if False:"),
            "two dimensions allowed": (SAME, "if start_scores.shape != end_scores.shape:"),
            "another error": ('raise ValueError("a score', 'raise ArithmeticError("a score'),
            "an error without a message": (
                'raise ValueError("a score in the passage is nan or infinite; look at the model")',
                "raise ValueError",
            ),
            "a best of 0 to begin with": (
                BEST,
                "if sums.max() <= 0:\n        return first, first\n    " + BEST,
            ),
            "scores changed": (START, "start_scores.data[:first] = float('-inf')\n    " + START),
            "rounded": ("sums = start[:, None] + end", "sums = ((start[:, None] + end) * 1e4).round()"),
            "twenty best starts and ends": TOP % 20,
            "ten best starts and ends": TOP % 10,
            "fifty best starts and ends": TOP % 50,
            "minus infinity let through": (
                FINITE,
                "if start.isnan().any() or end.isnan().any() or (start == float('inf')).any() or (end == float('inf')).any():",
            ),
            "an infinite start let through": (FINITE, "if start.isnan().any() or not end.isfinite().all():"),
            "nan of the end let through": (FINITE, "if not start.isfinite().all() or end.isinf().any():"),
            "lengths compared": (
                SAME,
                "if len(start_scores) != len(end_scores) or start_scores.ndim != 1:",
                "end = start_scores[first : last + 1], end_scores[first : last + 1]",
                "end = start_scores[first : last + 1], end_scores[first : last + 1].flatten()",
            ),
            "longest window 30 cut": (ALLOWED, ALLOWED.replace("max_length - 1", "min(max_length, 30) - 1")),
            "longest window 64 cut": (ALLOWED, ALLOWED.replace("max_length - 1", "min(max_length, 64) - 1")),
            "softmax logs": (
                "sums = start[:, None] + end",
                "sums = start.log_softmax(0)[:, None] + end.log_softmax(0)",
            ),
        },
    ),
}
