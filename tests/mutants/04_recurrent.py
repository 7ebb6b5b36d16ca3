"""Lab 04's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

LOSS_MASK = (
    "mask = torch.arange(logits.shape[1], device=logits.device) < lengths.to(logits.device)[:, None]\n"
)
STEP = "new = cell(x, state)\n"
LOOP = "for x, real in zip(X.unbind(1), mask.T[:, :, None], strict=True):\n"
CLEAN = "X = X.masked_fill(~mask[:, :, None], 0.0)\n"
GATES = "i, f, g, o = (x @ W_x.T + h @ W_h.T + b).chunk(4, dim=1)"
NEW_C = "c = f.sigmoid() * c + i.sigmoid() * g.tanh()"
NEW_H = "return o.sigmoid() * c.tanh(), c"
SPANS = """
def spans(tags):
    found, start = [], None
    for place, tag in enumerate([*tags, "O"]):
        if start is not None and tag != "I":
            found.append((start, place))
            start = None
        if tag == "B" or (tag == "I" and start is None):
            start = place
    return found
"""

QUESTIONS = {
    "q1": Question(
        right={
            "functional linear, in float32 and float64": """
def rnn_cell(x, h, W_x, W_h, b):
    if x.shape[0] != h.shape[0]:
        raise ValueError("rows")
    return (F.linear(x, W_x, b) + F.linear(h, W_h)).tanh()
""",
            "one matrix": """
def rnn_cell(x, h, W_x, W_h, b):
    if x.size(0) != h.size(0):
        raise ValueError("rows")
    both = torch.cat([x, h], dim=1)
    return torch.tanh(torch.einsum("bd,hd->bh", both, torch.cat([W_x, W_h], dim=1)) + b)
""",
            "tanh from sigmoid": """
def rnn_cell(x, h, W_x, W_h, b):
    if len(x) != len(h):
        raise ValueError("rows")
    return 2 * torch.sigmoid(2 * (x @ W_x.t() + h @ W_h.t() + b)) - 1
""",
        },
        wrong={
            "tanh by exponentials, which overflow": (
                "return torch.tanh(x @ W_x.T + h @ W_h.T + b)",
                "a = x @ W_x.T + h @ W_h.T + b\n    return (a.exp() - (-a).exp()) / (a.exp() + (-a).exp())",
            ),
            "one text, many states": ("if len(x) != len(h):", "if len(x) > 1 and len(x) != len(h):"),
            "no tanh": ("torch.tanh(x @ W_x.T + h @ W_h.T + b)", "x @ W_x.T + h @ W_h.T + b"),
            "sigmoid": ("torch.tanh(", "torch.sigmoid("),
            "relu": ("torch.tanh(", "torch.relu("),
            "no bias": ("h @ W_h.T + b", "h @ W_h.T"),
            "bias twice": ("h @ W_h.T + b", "h @ W_h.T + b + b"),
            "bias after tanh": ("h @ W_h.T + b)", "h @ W_h.T) + b"),
            "no input": ("x @ W_x.T + h", "h"),
            "no memory": ("x @ W_x.T + h @ W_h.T + b", "x @ W_x.T + 0 * h @ W_h.T + b"),
            "W_h not transposed": ("h @ W_h.T", "h @ W_h"),
            "tanh of the parts": (
                "torch.tanh(x @ W_x.T + h @ W_h.T + b)",
                "torch.tanh(x @ W_x.T + b) + torch.tanh(h @ W_h.T)",
            ),
            "old state added": ("return torch.tanh(x", "return h + torch.tanh(x"),
            "state changed in place": (
                "return torch.tanh(x @ W_x.T + h @ W_h.T + b)",
                "new = torch.tanh(x @ W_x.T + h @ W_h.T + b)\n    with torch.no_grad():\n        h.copy_(new)\n    return new",
            ),
            "no gradient to the weights": ("x @ W_x.T", "x @ W_x.detach().T"),
            "no gradient to the state": ("h @ W_h.T", "h.detach() @ W_h.T"),
            "no gradient at all": (
                "torch.tanh(x @ W_x.T + h @ W_h.T + b)",
                "torch.tanh(x @ W_x.T + h @ W_h.T + b).detach()",
            ),
            "float32 always": (
                "torch.tanh(x @ W_x.T + h @ W_h.T + b)",
                "torch.tanh(x @ W_x.T + h @ W_h.T + b).float()",
            ),
            "rows not checked": ("if len(x) != len(h):", "if False:"),
            "columns checked instead": ("if len(x) != len(h):", "if x.shape[1] != W_x.shape[1]:"),
            "one state for all allowed": ("if len(x) != len(h):", "if len(h) not in (1, len(x)):"),
            "another error": ("raise ValueError(", "raise IndexError("),
            "clamped": ("return torch.tanh(x", "return torch.nn.functional.hardtanh(x"),
        },
    ),
    "q2": Question(
        right={
            "gate by gate": """
def lstm_cell(x, state, W_x, W_h, b):
    h, c = state
    if len({len(x), len(h), len(c)}) > 1:
        raise ValueError("rows")
    H = h.shape[1]
    a = F.linear(x, W_x, b) + F.linear(h, W_h)
    i, f, o = (torch.sigmoid(a[:, k * H : (k + 1) * H]) for k in (0, 1, 3))
    g = torch.tanh(a[:, 2 * H : 3 * H])
    new = torch.addcmul(f * c, i, g)
    return (o * torch.tanh(new), new)
""",
            "reshaped": """
def lstm_cell(x, state, W_x, W_h, b):
    if not (x.size(0) == state[0].size(0) == state[1].size(0)):
        raise ValueError("rows")
    a = (x @ W_x.t() + state[0] @ W_h.t() + b).reshape(len(x), 4, -1)
    s = a.sigmoid()
    c = s[:, 1] * state[1] + s[:, 0] * a[:, 2].tanh()
    return s[:, 3] * c.tanh(), c
""",
        },
        wrong={
            "gates by exponentials, which overflow": ("f.sigmoid() * c", "f.exp() / (1 + f.exp()) * c"),
            "cell clipped": (NEW_C, NEW_C + "\n    c = c.clamp(-3, 3)"),
            "one text, many states": (
                "if not len(x) == len(h) == len(c):",
                "if len(h) != len(c) or len(x) > 1 and len(x) != len(h):",
            ),
            "c compared with one row only": (
                "if not len(x) == len(h) == len(c):",
                "if len(x) != len(h) or len(c) == 1 and len(x) != 1:",
            ),
            "order i, f, o, g": ("i, f, g, o =", "i, f, o, g ="),
            "order f, i, g, o": ("i, f, g, o =", "f, i, g, o ="),
            "order of another library: i, g, f, o": ("i, f, g, o =", "i, g, f, o ="),
            "candidate by a sigmoid": ("g.tanh()", "g.sigmoid()"),
            "candidate bare": ("g.tanh()", "g"),
            "input gate forgotten": ("i.sigmoid() * g.tanh()", "g.tanh()"),
            "forget gate forgotten": ("f.sigmoid() * c +", "c +"),
            "forget gate upside down": ("f.sigmoid() * c", "(1 - f.sigmoid()) * c"),
            "coupled gates": ("i.sigmoid() * g.tanh()", "(1 - f.sigmoid()) * g.tanh()"),
            "output gate forgotten": (NEW_H, "return c.tanh(), c"),
            "no tanh at the output": ("o.sigmoid() * c.tanh(), c", "o.sigmoid() * c, c"),
            "output from the old cell": (
                NEW_C,
                "old = c\n    " + NEW_C,
                NEW_H,
                "return o.sigmoid() * old.tanh(), c",
            ),
            "c and h change places": (NEW_H, "return c, o.sigmoid() * c.tanh()"),
            "hidden state in the sum": (NEW_C, "c = f.sigmoid() * h + i.sigmoid() * g.tanh()"),
            "a list": (NEW_H, "return [o.sigmoid() * c.tanh(), c]"),
            "only h": (NEW_H, "return o.sigmoid() * c.tanh()"),
            "no bias": ("h @ W_h.T + b", "h @ W_h.T"),
            "no memory": ("+ h @ W_h.T", "+ 0 * (h @ W_h.T)"),
            "gates by tanh": ("i.sigmoid()", "i.tanh()"),
            "forget bias of 1 added": ("f.sigmoid() * c", "(f + 1).sigmoid() * c"),
            "cell changed in place": (
                NEW_C,
                "new = f.sigmoid() * c + i.sigmoid() * g.tanh()\n    with torch.no_grad():\n        state[1].copy_(new)\n    c = new",
            ),
            "no gradient through the cell": ("f.sigmoid() * c", "f.sigmoid() * c.detach()"),
            "no gradient through h": ("h @ W_h.T", "h.detach() @ W_h.T"),
            "no gradient through the gates": ("i.sigmoid() *", "i.sigmoid().detach() *"),
            "float32 always": (NEW_H, "return (o.sigmoid() * c.tanh()).float(), c.float()"),
            "rows of h not checked": ("if not len(x) == len(h) == len(c):", "if len(x) != len(c):"),
            "rows of c not checked": ("if not len(x) == len(h) == len(c):", "if len(x) != len(h):"),
            "rows compared with each other only": (
                "if not len(x) == len(h) == len(c):",
                "if len(h) != len(c):",
            ),
            "another error": ("raise ValueError(", "raise TypeError("),
            "interleaved gates": (".chunk(4, dim=1)", ".reshape(len(x), -1, 4).unbind(2)"),
        },
    ),
    "q3": Question(
        right={
            "only real positions are kept, no multiplication": """
def unroll(cell, X, lengths, state):
    check_lengths(X, lengths)
    B, T, _ = X.shape
    outputs, pair = [], isinstance(state, tuple)
    for t in range(T):
        real = (t < lengths)[:, None]
        x = torch.where(real, X[:, t], torch.zeros_like(X[:, t]))
        after = cell(x, state)
        if pair:
            state = tuple(torch.where(real, a, s) for a, s in zip(after, state))
            h = state[0]
        else:
            state = h = torch.where(real, after, state)
        outputs.append(torch.where(real, h, torch.zeros_like(h)))
    return torch.stack(outputs, 1), state
""",
            "every state kept, the last one gathered": """
def unroll(cell, X, lengths, state):
    check_lengths(X, lengths)
    pair = isinstance(state, tuple)
    mask = torch.arange(X.shape[1])[None] < lengths[:, None]
    X = X.masked_fill(~mask.unsqueeze(-1), 0)
    states, now = [], state
    for t in range(X.shape[1]):
        now = cell(X[:, t], now)
        states.append(now if pair else (now,))
    rows = torch.arange(len(X))
    last = [torch.stack([s[k] for s in states], 1)[rows, lengths - 1] for k in range(len(states[0]))]
    outputs = torch.stack([s[0] for s in states], 1).masked_fill(~mask.unsqueeze(-1), 0)
    return outputs, tuple(last) if pair else last[0]
""",
        },
        wrong={
            "no gradient to the inputs": (CLEAN, "X = X.detach().masked_fill(~mask[:, :, None], 0.0)\n"),
            "no gradient to the first state": (
                "outputs = []\n",
                "outputs = []\n    state = tuple(s.detach() for s in state) if isinstance(state, tuple) else state.detach()\n",
            ),
            "cleaned by value": (CLEAN, "X = X.nan_to_num(0.0, 0.0, 0.0)\n"),
            "blended by multiplication": (
                "state = tuple(torch.where(real, n, s) for n, s in zip(new, state, strict=True))",
                "state = tuple(real * n + ~real * s for n, s in zip(new, state, strict=True))",
                "state = torch.where(real, new, state)",
                "state = real * new + ~real * state",
            ),
            "outputs multiplied by the mask": (
                "torch.stack(outputs, dim=1).masked_fill(~mask[:, :, None], 0.0)",
                "torch.stack(outputs, dim=1) * mask[:, :, None]",
            ),
            "outputs only": (
                "torch.stack(outputs, dim=1).masked_fill(~mask[:, :, None], 0.0), state",
                "torch.stack(outputs, dim=1).masked_fill(~mask[:, :, None], 0.0)",
            ),
            "padding not cleaned (nan in the gradient)": (CLEAN, "X = X + 0\n"),
            "padding multiplied by 0 (nan · 0)": (CLEAN, "X = X * mask[:, :, None]\n"),
            "outputs not zeroed": (
                "return torch.stack(outputs, dim=1).masked_fill(~mask[:, :, None], 0.0), state",
                "return torch.stack(outputs, dim=1), state",
            ),
            "state goes on over padding": (
                "state = tuple(torch.where(real, n, s) for n, s in zip(new, state, strict=True))",
                "state = new",
                "state = torch.where(real, new, state)",
                "state = new",
            ),
            "tensor state goes on over padding": ("state = torch.where(real, new, state)", "state = new"),
            "tuple state goes on over padding": (
                "state = tuple(torch.where(real, n, s) for n, s in zip(new, state, strict=True))",
                "state = new",
            ),
            "only the first part is held": (
                "tuple(torch.where(real, n, s) for n, s in zip(new, state, strict=True))",
                "(torch.where(real, new[0], state[0]), *new[1:])",
            ),
            "state zeroed at the end": (
                "state = torch.where(real, new, state)",
                "state = torch.where(real, new, torch.zeros_like(new))",
            ),
            "one position short": (
                "< lengths.to(X.device)[:, None]\n",
                "< lengths.to(X.device)[:, None] - 1\n",
            ),
            "one position too many": (
                "< lengths.to(X.device)[:, None]\n",
                "<= lengths.to(X.device)[:, None]\n",
            ),
            "lengths not checked": ("check_lengths(X, lengths)\n", "pass\n"),
            "lengths checked at the end": (
                "check_lengths(X, lengths)\n",
                "pass\n",
                "return torch.stack(outputs, dim=1)",
                "check_lengths(X, lengths)\n    return torch.stack(outputs, dim=1)",
            ),
            "outputs before the step": (
                STEP,
                STEP + "        outputs.append(state[0] if isinstance(state, tuple) else state)\n",
                "        outputs.append(state[0] if isinstance(state, tuple) else state)\n    return",
                "    return",
            ),
            "state of the padded end": (
                ".masked_fill(~mask[:, :, None], 0.0), state",
                ".masked_fill(~mask[:, :, None], 0.0), (new if lengths.min() == X.shape[1] or True else state)",
            ),
            "time first": (
                "torch.stack(outputs, dim=1).masked_fill(~mask[:, :, None], 0.0)",
                "torch.stack(outputs, dim=0).masked_fill(~mask.T[:, :, None], 0.0)",
            ),
            "starts from zero": (
                "outputs = []\n",
                "outputs = []\n    state = tuple(torch.zeros_like(s) for s in state) if isinstance(state, tuple) else torch.zeros_like(state)\n",
            ),
            "backward": (LOOP, "for x, real in list(zip(X.unbind(1), mask.T[:, :, None]))[::-1]:\n"),
            "a list instead of a tuple": (
                "state = tuple(torch.where(real, n, s) for n, s in zip(new, state, strict=True))",
                "state = [torch.where(real, n, s) for n, s in zip(new, state, strict=True)]",
            ),
            "detached": (
                STEP,
                "new = cell(x, state)\n        new = tuple(n.detach() for n in new) if isinstance(new, tuple) else new.detach()\n",
            ),
            "X changed": (CLEAN, "X.masked_fill_(~mask[:, :, None], 0.0)\n"),
            "a text at a time": """
def unroll(cell, X, lengths, state):
    check_lengths(X, lengths)
    pair = isinstance(state, tuple)
    outputs, ends = [], []
    for i, n in enumerate(lengths.tolist()):
        one = tuple(s[i : i + 1] for s in state) if pair else state[i : i + 1]
        row = []
        for t in range(n):
            one = cell(X[i : i + 1, t], one)
            row.append(one[0] if pair else one)
        row += [torch.zeros_like(row[0])] * (X.shape[1] - n)
        outputs.append(torch.stack(row, 1))
        ends.append(one)
    end = tuple(torch.cat([e[k] for e in ends]) for k in range(len(state))) if pair else torch.cat(ends)
    return torch.cat(outputs), end
""",
            "pairs only": (
                "state = torch.where(real, new, state)",
                "state = (torch.where(real, new, state),)",
            ),
            "called twice": (STEP, "cell(x, state)\n        new = cell(x, state)\n"),
            "float32 outputs": (
                "torch.stack(outputs, dim=1).masked",
                "torch.stack(outputs, dim=1).float().masked",
            ),
            "first text's length for all": (
                "lengths.to(X.device)[:, None]\n",
                "lengths[:1].to(X.device)[:, None].expand(len(X), 1)\n",
            ),
            "the cell state is shown": ("outputs.append(state[0] if", "outputs.append(state[-1] if"),
        },
    ),
    "q4": Question(
        right={
            "a loop over texts": """
def reverse(X, lengths):
    check_lengths(X, lengths)
    rows = []
    for row, n in zip(X, lengths.tolist()):
        rest = torch.zeros_like(row[n:])
        rows.append(torch.cat([row[:n].flip(0), rest]))
    return torch.stack(rows)
def bidirectional(cells, X, lengths, states):
    a, s = unroll(cells[0], X, lengths, states[0])
    turned = reverse(X, lengths)
    b, r = unroll(cells[1], turned, lengths, states[1])
    return torch.cat((a, reverse(b, lengths)), dim=-1), (s, r)
""",
            "advanced indexing": """
def reverse(X, lengths):
    check_lengths(X, lengths)
    t = torch.arange(X.shape[1])[None]
    n = lengths[:, None]
    where = torch.where(t < n, n - 1 - t, t)
    turned = X[torch.arange(len(X))[:, None], where]
    return torch.where((t < n)[..., None], turned, torch.zeros_like(turned))
def bidirectional(cells, X, lengths, states):
    check_lengths(X, lengths)
    found = []
    for k, view in enumerate((lambda Z: Z, lambda Z: reverse(Z, lengths))):
        out, end = unroll(cells[k], view(X), lengths, states[k])
        found.append((view(out), end))
    return torch.cat([found[0][0], found[1][0]], 2), (found[0][1], found[1][1])
""",
        },
        wrong={
            "cut to the longest text": (
                "return turned.masked_fill((places >= lengths)[:, :, None], 0.0)",
                "return turned.masked_fill((places >= lengths)[:, :, None], 0.0)[:, : lengths.max()]",
            ),
            "cleaned by value": ("turned = X.gather", "turned = X.nan_to_num().gather"),
            "no gradient backward": (
                "unroll(cells[1], reverse(X, lengths)",
                "unroll(cells[1], reverse(X.detach(), lengths)",
            ),
            "no gradient at all": ("dim=2), (ahead", "dim=2).detach(), (ahead"),
            "outputs only": (", (ahead, behind)", ""),
            "the whole batch flipped": (
                "turned = X.gather(1, mirrored[:, :, None].expand_as(X))",
                "turned = X.flip(1)",
            ),
            "the whole batch flipped, everything kept": (
                "return turned.masked_fill((places >= lengths)[:, :, None], 0.0)",
                "return X.flip(1)",
            ),
            "off by one": ("(lengths - 1 - places)", "(lengths - places).clamp(max=X.shape[1] - 1)"),
            "padding not zeroed": (
                "return turned.masked_fill((places >= lengths)[:, :, None], 0.0)",
                "return turned",
            ),
            "one too many zeros": ("(places >= lengths)", "(places >= lengths - 1)"),
            "lengths not checked": ("check_lengths(X, lengths)\n    places", "places"),
            "not turned": ("turned = X.gather(1, mirrored[:, :, None].expand_as(X))", "turned = X"),
            "no gradient": ("turned = X.gather", "turned = X.detach().gather"),
            "X changed": (
                "return turned.masked_fill(",
                "X.data.masked_fill_((places >= lengths)[:, :, None], 0.0)\n    return turned.masked_fill(",
            ),
            "float32": ("turned = X.gather", "turned = X.float().gather"),
            "columns too": (
                "return turned.masked_fill(",
                "turned = turned.flip(2)\n    return turned.masked_fill(",
            ),
            "backward outputs not turned back": ("reverse(backward, lengths)]", "backward]"),
            "input not turned": (
                "unroll(cells[1], reverse(X, lengths), lengths",
                "unroll(cells[1], X, lengths",
            ),
            "input flipped with its padding": (
                "unroll(cells[1], reverse(X, lengths), lengths",
                "unroll(cells[1], X.flip(1), lengths",
            ),
            "outputs flipped with their padding": ("reverse(backward, lengths)]", "backward.flip(1)]"),
            "added instead of put side by side": (
                "torch.cat([forward, reverse(backward, lengths)], dim=2)",
                "forward + reverse(backward, lengths)",
            ),
            "backward first": (
                "[forward, reverse(backward, lengths)]",
                "[reverse(backward, lengths), forward]",
            ),
            "one cell for both": ("unroll(cells[1],", "unroll(cells[0],"),
            "one state for both": ("lengths, states[1])", "lengths, states[0])"),
            "the backward run goes on from the forward one": ("lengths, states[1])", "lengths, ahead)"),
            "states change places": ("(ahead, behind)", "(behind, ahead)"),
            "states left out": (", (ahead, behind)", ", ahead"),
            "along time": ("dim=2)", "dim=1)"),
            "numbers alternate": (
                "torch.cat([forward, reverse(backward, lengths)], dim=2)",
                "torch.stack([forward, reverse(backward, lengths)], dim=3).flatten(2)",
            ),
            "the backward half sees the position before": (
                "reverse(backward, lengths)]",
                "reverse(backward, lengths).roll(1, 1)]",
            ),
        },
    ),
    "q5": Question(
        right={
            "slices and a generator, strided": """
def streams(ids, batch):
    n = len(ids) // batch if batch >= 1 else 0
    if n < 2:
        raise ValueError("too short")
    return torch.stack([ids[i * n : (i + 1) * n] for i in range(batch)])
def segments(rows, length):
    if length < 1:
        raise ValueError("length")
    n = rows.shape[1] - 1
    return [(rows[:, i : min(i + length, n)], rows[:, i + 1 : min(i + length, n) + 1]) for i in range(0, n, length)]
def detach(state):
    if torch.is_tensor(state):
        return state.detach().clone()
    return tuple(map(detach, state))
""",
        },
        wrong={
            "segments: a zip": (
                "list(zip(inputs, targets, strict=True))",
                "zip(inputs, targets, strict=True)",
            ),
            "segments: a generator": (
                "return list(zip(inputs, targets, strict=True))",
                "yield from zip(inputs, targets, strict=True)",
            ),
            "segments: an endless loop at length 0": """
def streams(ids, batch):
    if batch < 1 or len(ids) // batch < 2:
        raise ValueError("too short")
    size = len(ids) // batch
    return ids[: batch * size].reshape(batch, size)
def segments(rows, length):
    out, i = [], 0
    while i < rows.shape[1] - 1:
        end = min(i + length, rows.shape[1] - 1)
        out.append((rows[:, i:end], rows[:, i + 1 : end + 1]))
        i += length
    return out
def detach(state):
    return tuple(detach(part) for part in state) if isinstance(state, tuple) else state.detach()
""",
            "detach: two levels only": (
                "tuple(detach(part) for part in state)",
                "tuple(s.detach() if torch.is_tensor(s) else tuple(p.detach() for p in s) for s in state)",
            ),
            "detach: asks for a gradient": (
                "return state.detach()",
                "return state.detach().requires_grad_()",
            ),
            "columns instead of rows": ("reshape(batch, size)", "reshape(size, batch).T"),
            "the rest is kept in one stream": (
                "return ids[: batch * size].reshape(batch, size)",
                "size = -(-len(ids) // batch)\n    return torch.cat([ids, ids[: batch * size - len(ids)]]).reshape(batch, size)",
            ),
            "the beginning is dropped": ("ids[: batch * size]", "ids[len(ids) - batch * size :]"),
            "a stream of one id allowed": ("// batch < 2", "// batch < 1"),
            "a stream of two ids refused": ("// batch < 2", "// batch < 3"),
            "batch not checked": ("if batch < 1 or len(ids)", "if len(ids)"),
            "short text not checked": (" or len(ids) // batch < 2", ""),
            "another error for zero streams": ("if batch < 1 or len", "if 1 // batch < 0 or len"),
            "batch and size change places": ("reshape(batch, size)", "reshape(size, batch)"),
            "targets not shifted": ("rows[:, 1:].split", "rows[:, :-1].split"),
            "targets shifted within the segment": (
                "return list(zip(inputs, targets, strict=True))",
                "return [(s[:, :-1], s[:, 1:]) for s in rows.split(length + 1, dim=1) if s.shape[1] > 1]",
            ),
            "segments of length - 1 pairs": (
                "return list(zip(inputs, targets, strict=True))",
                "return [(s[:, :-1], s[:, 1:]) for s in rows.split(length, dim=1) if s.shape[1] > 1]",
            ),
            "segments overlap": (
                "inputs, targets = rows[:, :-1].split(length, dim=1), rows[:, 1:].split(length, dim=1)\n    return list(zip(inputs, targets, strict=True))",
                "n = rows.shape[1] - 1\n    return [(rows[:, i : i + length], rows[:, i + 1 : i + 1 + length]) for i in range(0, max(1, n - length + 1))]",
            ),
            "the last segment dropped": (
                "return list(zip(inputs, targets, strict=True))",
                "return [(i, t) for i, t in zip(inputs, targets, strict=True) if i.shape[1] == length]",
            ),
            "targets two ahead": (
                "rows[:, 1:].split(length, dim=1)",
                "rows.roll(-2, 1)[:, :-1].split(length, dim=1)",
            ),
            "targets wrap around": (
                "inputs, targets = rows[:, :-1].split(length, dim=1), rows[:, 1:].split(length, dim=1)",
                "inputs, targets = rows.split(length, dim=1), rows.roll(-1, 1).split(length, dim=1)",
            ),
            "cut along the batch": ("rows[:, :-1].split(length, dim=1)", "rows[:, :-1].split(length, dim=0)"),
            "targets first": (
                "list(zip(inputs, targets, strict=True))",
                "list(zip(targets, inputs, strict=True))",
            ),
            "reversed order": (
                "list(zip(inputs, targets, strict=True))",
                "list(zip(inputs, targets, strict=True))[::-1]",
            ),
            "length not checked": ("if length < 1:", "if False:"),
            "negative length not checked": ("if length < 1:", "if length == 0:"),
            "detach: nothing": ("return state.detach()", "return state"),
            "detach: a copy with history": ("return state.detach()", "return state.clone()"),
            "detach: in place": ("return state.detach()", "return state.detach_()"),
            "detach: zeros": ("return state.detach()", "return torch.zeros_like(state)"),
            "detach: one level only": (
                "tuple(detach(part) for part in state)",
                "tuple(part.detach() if isinstance(part, torch.Tensor) else part for part in state)",
            ),
            "detach: only the hidden state": (
                "tuple(detach(part) for part in state)",
                "(detach(state[0]), *state[1:])",
            ),
            "detach: a list": ("tuple(detach(part) for part in state)", "[detach(part) for part in state]"),
            "detach: float32": ("return state.detach()", "return state.detach().float()"),
        },
    ),
    "q6": Question(
        right={
            "gathered log softmax of clean logits": """
def mean_nll(logits, targets, lengths):
    check_lengths(logits, lengths)
    mask = torch.arange(logits.shape[1])[None] < lengths[:, None]
    clean = logits.masked_fill(~mask[..., None], 0)
    chosen = clean.log_softmax(2).gather(2, targets.masked_fill(~mask, 0)[..., None])[..., 0]
    return -(chosen * mask).sum() / lengths.sum()
def mean_pool(outputs, lengths):
    check_lengths(outputs, lengths)
    return torch.stack([row[:n].sum(0) / n for row, n in zip(outputs, lengths.tolist())])
""",
            "a loop over texts": """
def mean_nll(logits, targets, lengths):
    check_lengths(logits, lengths)
    total = 0
    for row, t, n in zip(logits, targets, lengths.tolist()):
        total = total + F.cross_entropy(row[:n], t[:n], reduction="sum")
    return total / int(lengths.sum())
def mean_pool(outputs, lengths):
    check_lengths(outputs, lengths)
    mask = torch.arange(outputs.shape[1]) < lengths[:, None]
    weights = (mask / lengths[:, None]).to(outputs.dtype)
    return torch.einsum("bth,bt->bh", torch.where(mask[..., None], outputs, 0.0), weights)
""",
        },
        wrong={
            "loss: mask as long as the longest text": (
                LOSS_MASK,
                LOSS_MASK.replace("logits.shape[1]", "int(lengths.max())"),
            ),
            "pool: mask as long as the longest text": (
                "torch.arange(outputs.shape[1], device",
                "torch.arange(int(lengths.max()), device",
            ),
            "loss: cleaned by value": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "F.cross_entropy(logits.nan_to_num().transpose(1, 2), targets.masked_fill(~mask, -100))",
            ),
            "loss: the mean leaves nan out": (
                "F.cross_entropy(logits[mask], targets[mask])",
                'F.cross_entropy(logits[mask], targets[mask], reduction="none").nanmean()',
            ),
            "loss: logits changed": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                "logits.data[~mask] = 0\n    return F.cross_entropy(logits[mask], targets[mask])",
            ),
            "pool: cleaned by value": (
                "outputs.masked_fill(~mask[:, :, None], 0.0).sum",
                "(outputs.nan_to_num(0, 0, 0) * mask[:, :, None]).sum",
            ),
            "pool: outputs changed": (
                "return outputs.masked_fill(",
                "outputs.data.masked_fill_(~mask[:, :, None], 0.0)\n    return outputs.masked_fill(",
            ),
            "padding counted in the loss": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "F.cross_entropy(logits.transpose(1, 2), targets.clamp(0, logits.shape[2] - 1))",
            ),
            "sum over real, mean over all": (
                "F.cross_entropy(logits[mask], targets[mask])",
                'F.cross_entropy(logits[mask], targets[mask], reduction="sum") / mask.numel()',
            ),
            "sum instead of mean": (
                "F.cross_entropy(logits[mask], targets[mask])",
                'F.cross_entropy(logits[mask], targets[mask], reduction="sum")',
            ),
            "a mean of means": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                "return torch.stack([F.cross_entropy(l[m], t[m]) for l, t, m in zip(logits, targets, mask)]).mean()",
            ),
            "divided by the texts": (
                "F.cross_entropy(logits[mask], targets[mask])",
                'F.cross_entropy(logits[mask], targets[mask], reduction="sum") / len(logits)',
            ),
            "bits": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "F.cross_entropy(logits[mask], targets[mask]) / math.log(2)",
            ),
            "no minus": ("return F.cross", "return -F.cross"),
            "multiplied by the mask (nan · 0)": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                'losses = F.cross_entropy(logits.transpose(1, 2), targets.masked_fill(~mask, 0), reduction="none")\n'
                "    return (losses * mask).sum() / mask.sum()",
            ),
            "where after the softmax (nan in the gradient)": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                'losses = F.cross_entropy(logits.transpose(1, 2), targets.masked_fill(~mask, 0), reduction="none")\n'
                "    return torch.where(mask, losses, torch.zeros_like(losses)).sum() / mask.sum()",
            ),
            "ignores -100 only": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "F.cross_entropy(logits.transpose(1, 2), targets)",
            ),
            "targets filled in place": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                "targets[~mask] = -100\n    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())",
            ),
            "exponentials": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "-(logits[mask].exp() / logits[mask].exp().sum(1, keepdim=True)).gather(1, targets[mask][:, None]).log().mean()",
            ),
            "softmax over the positions": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "F.nll_loss(logits[mask].log_softmax(0), targets[mask])",
            ),
            "probabilities in": (
                "F.cross_entropy(logits[mask], targets[mask])",
                "F.cross_entropy(logits[mask].softmax(1), targets[mask])",
            ),
            "loss: one position short": (
                LOSS_MASK,
                LOSS_MASK.replace("[:, None]\n", "[:, None] - 1\n"),
            ),
            "loss: one position too many": (LOSS_MASK, LOSS_MASK.replace("<", "<=")),
            "loss: lengths not checked": ("check_lengths(logits, lengths)\n", "pass\n"),
            "loss: float32": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                "return F.cross_entropy(logits[mask], targets[mask]).float()",
            ),
            "loss: a number": (
                "return F.cross_entropy(logits[mask], targets[mask])",
                "return F.cross_entropy(logits[mask], targets[mask]).detach()",
            ),
            "pool: mean over all": (
                "return outputs.masked_fill(~mask[:, :, None], 0.0).sum(dim=1) / lengths",
                "return outputs.mean(dim=1)",
            ),
            "pool: divided by T": (".sum(dim=1) / lengths", ".mean(dim=1)"),
            "pool: a sum": (".sum(dim=1) / lengths", ".sum(dim=1)"),
            "pool: multiplied by the mask": (
                "outputs.masked_fill(~mask[:, :, None], 0.0).sum",
                "(outputs * mask[:, :, None]).sum",
            ),
            "pool: the last position": (
                "return outputs.masked_fill(~mask[:, :, None], 0.0).sum(dim=1) / lengths",
                "return outputs[torch.arange(len(outputs)), lengths[:, 0] - 1]",
            ),
            "pool: the maximum": (
                "outputs.masked_fill(~mask[:, :, None], 0.0).sum(dim=1) / lengths",
                "outputs.masked_fill(~mask[:, :, None], float('-inf')).amax(dim=1)",
            ),
            "pool: over the batch": (".sum(dim=1) / lengths", ".sum(dim=0) / lengths[0]"),
            "pool: lengths not checked": ("check_lengths(outputs, lengths)\n", "pass\n"),
            "pool: no gradient": ("return outputs.masked_fill", "return outputs.detach().masked_fill"),
            "pool: one too many": (
                "device=outputs.device) < lengths",
                "device=outputs.device) <= lengths",
            ),
            "pool: float32": (".sum(dim=1) / lengths", ".sum(dim=1).float() / lengths"),
        },
    ),
    "q7": Question(
        right={
            "by regular expression": """
import re
def spans(tags):
    return [m.span() for m in re.finditer("BI*|(?<![BI])I+", "".join(tags))]
def span_scores(gold, predicted):
    if len(gold) != len(predicted) or any(len(a) != len(b) for a, b in zip(gold, predicted)):
        raise ValueError("sizes")
    right = wanted = given = 0
    for a, b in zip(gold, predicted):
        a, b = spans(a), spans(b)
        right += sum(s in a for s in b)
        wanted += len(a)
        given += len(b)
    p, r = (right / given if given else 0.0), (right / wanted if wanted else 0.0)
    return p, r, (2 * p * r / (p + r) if p + r else 0.0)
""",
            "lists as spans": """
def spans(tags):
    found = []
    for i, tag in enumerate(tags):
        if tag == "B" or (tag == "I" and (i == 0 or tags[i - 1] == "O")):
            found.append([i, i + 1])
        elif tag == "I":
            found[-1][1] = i + 1
    return [tuple(s) for s in found]
def span_scores(gold, predicted):
    if list(map(len, gold)) != list(map(len, predicted)):
        raise ValueError("sizes")
    pairs = [(set(spans(g)), set(spans(p))) for g, p in zip(gold, predicted)]
    right = sum(len(g & p) for g, p in pairs)
    def share(n):
        return right / n if n else 0.0
    wanted, given = sum(len(g) for g, _ in pairs), sum(len(p) for _, p in pairs)
    return share(given), share(wanted), share((wanted + given) / 2)
""",
        },
        wrong={
            "a generator": ("return found\n", "return (span for span in found)\n"),
            "a tuple": ("return found\n", "return tuple(found)\n"),
            "spans as lists": ("found.append((start, place))", "found.append([start, place])"),
            "texts taken off the lists": (
                "return right / max(1, len(given))",
                "gold.clear()\n    return right / max(1, len(given))",
            ),
            "an endless loop at a stray I": """
def spans(tags):
    found, i = [], 0
    while i < len(tags):
        if tags[i] == "O":
            i += 1
        elif tags[i] == "B":
            start = i
            i += 1
            while i < len(tags) and tags[i] == "I":
                i += 1
            found.append((start, i))
    return found
def span_scores(gold, predicted):
    if [len(tags) for tags in gold] != [len(tags) for tags in predicted]:
        raise ValueError("sizes")
    wanted = {(i, *span) for i, tags in enumerate(gold) for span in spans(tags)}
    given = {(i, *span) for i, tags in enumerate(predicted) for span in spans(tags)}
    right = len(wanted & given)
    f1 = 2 * right / max(1, len(wanted) + len(given))
    return right / max(1, len(given)), right / max(1, len(wanted)), f1
""",
            "the last span forgotten": ('enumerate([*tags, "O"])', "enumerate(tags)"),
            "end included": ("found.append((start, place))", "found.append((start, place - 1))"),
            "start and length": ("found.append((start, place))", "found.append((start, place - start))"),
            "a stray I is outside": ('if tag == "B" or (tag == "I" and start is None):', 'if tag == "B":'),
            "B goes on": ('tag != "I":', 'tag == "O":'),
            "B B is one span": (
                'if start is not None and tag != "I":',
                'if start is not None and tag == "O":',
                'if tag == "B" or',
                'if tag == "B" and start is None or',
            ),
            "each I its own span": (
                'if tag == "B" or (tag == "I" and start is None):',
                'if tag == "B" or tag == "I":',
            ),
            "a dictionary order": ("return found\n", "return sorted(found, key=lambda s: s[0] - s[1])\n"),
            "a set": ("return found\n", "return set(found)\n"),
            "single tokens forgotten": (
                "found.append((start, place))",
                "found.append((start, place)) if place - start > 1 else None",
            ),
            "tags changed": ("found, start = [], None", 'found, start = [], None\n    tags.append("O")'),
            "sizes not checked": (
                "if [len(tags) for tags in gold] != [len(tags) for tags in predicted]:",
                "if False:",
            ),
            "only the number of texts checked": (
                "if [len(tags) for tags in gold] != [len(tags) for tags in predicted]:",
                "if len(gold) != len(predicted):",
            ),
            "only the sum of tags checked": (
                "if [len(tags) for tags in gold] != [len(tags) for tags in predicted]:",
                "if sum(map(len, gold)) != sum(map(len, predicted)):",
            ),
            "texts mixed": (
                "{(i, *span) for i, tags in enumerate(predicted) for span in spans(tags)}",
                "{(0, *span) for i, tags in enumerate(predicted) for span in spans(tags)}",
                "{(i, *span) for i, tags in enumerate(gold) for span in spans(tags)}",
                "{(0, *span) for i, tags in enumerate(gold) for span in spans(tags)}",
            ),
            "precision and recall change places": (
                "return right / max(1, len(given)), right / max(1, len(wanted)), f1",
                "return right / max(1, len(wanted)), right / max(1, len(given)), f1",
            ),
            "the mean instead of F1": (
                "f1 = 2 * right / max(1, len(wanted) + len(given))",
                "f1 = (right / max(1, len(given)) + right / max(1, len(wanted))) / 2",
            ),
            "F1 without the 2": ("f1 = 2 * right", "f1 = right"),
            "0/0 is 1": (
                "f1 = 2 * right / max(1, len(wanted) + len(given))",
                "f1 = 2 * right / (len(wanted) + len(given)) if wanted or given else 1.0",
            ),
            "0/0 is an error": ("right / max(1, len(given))", "right / len(given)"),
            "recall 0/0 is an error": ("right / max(1, len(wanted))", "right / len(wanted)"),
            "starts only": (
                "right = len(wanted & given)",
                "right = len({w[:2] for w in wanted} & {g[:2] for g in given})",
            ),
            "overlap counts": (
                "right = len(wanted & given)",
                "right = sum(any(w[0] == g[0] and w[1] < g[2] and g[1] < w[2] for w in wanted) for g in given)",
            ),
            "tokens instead of spans": SPANS
            + """
def span_scores(gold, predicted):
    if [len(t) for t in gold] != [len(t) for t in predicted]:
        raise ValueError("sizes")
    pairs = [(a, b) for g, p in zip(gold, predicted) for a, b in zip(g, p)]
    right = sum(a == b != "O" for a, b in pairs)
    given, wanted = sum(b != "O" for _, b in pairs), sum(a != "O" for a, _ in pairs)
    return right / max(1, given), right / max(1, wanted), 2 * right / max(1, given + wanted)
""",
            "a mean over texts": SPANS
            + """
def span_scores(gold, predicted):
    if [len(t) for t in gold] != [len(t) for t in predicted]:
        raise ValueError("sizes")
    rows = []
    for g, p in zip(gold, predicted):
        g, p = set(spans(g)), set(spans(p))
        r = len(g & p)
        rows.append((r / max(1, len(p)), r / max(1, len(g)), 2 * r / max(1, len(g) + len(p))))
    return tuple(sum(c) / max(1, len(rows)) for c in zip(*rows)) or (0, 0, 0)
""",
            "percent": (
                "return right / max(1, len(given)), right / max(1, len(wanted)), f1",
                "return 100 * right / max(1, len(given)), 100 * right / max(1, len(wanted)), 100 * f1",
            ),
        },
    ),
}
