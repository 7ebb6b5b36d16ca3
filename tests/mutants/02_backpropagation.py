"""Lab 02's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

QUESTIONS = {
    "q1": Question(
        right={
            "rows of an identity matrix": """
def numerical_gradient(f, x, h=1e-5):
    if not h > 0:
        raise ValueError(h)
    x = np.asarray(x, dtype=float)
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])
""",
        },
        wrong={
            "forward difference": ("down[i] -= h", "down[i] -= 0", "/ (2 * h)", "/ h"),
            "divided by h": ("/ (2 * h)", "/ h"),
            "not divided": (" / (2 * h)", ""),
            "backward minus forward": ("f(up) - f(down)", "f(down) - f(up)"),
            "one array, moved in place": (
                "up, down = x.copy(), x.copy()\n        up[i] += h\n        down[i] -= h\n        "
                "gradient[i] = (f(up) - f(down)) / (2 * h)",
                "x[i] += h\n        high = f(x)\n        x[i] -= 2 * h\n        low = f(x)\n        x[i] += h\n        "
                "gradient[i] = (high - low) / (2 * h)",
            ),
            "x changed": (
                "x = np.array(x, dtype=np.float64)",
                "x = np.asarray(x, dtype=np.float64)",
                "up, down = x.copy(), x.copy()",
                "up, down = x, x.copy()",
            ),
            "integers stay integers": (
                "x = np.array(x, dtype=np.float64)",
                "x = np.array(x)",
                "np.zeros_like(x)",
                "np.zeros(len(x))",
            ),
            "both moved up": ("down[i] -= h", "down[i] += h"),
            "all moved at once": ("up[i] += h\n        down[i] -= h", "up += h\n        down -= h"),
            "h ignored": (
                "up[i] += h\n        down[i] -= h",
                "h = 1e-5\n        up[i] += h\n        down[i] -= h",
            ),
            "h = 0 allowed": ("if not h > 0:", "if h < 0:"),
            "negative h allowed": ("if not h > 0:", "if h == 0:"),
            "nan allowed": ("if not h > 0:", "if h <= 0:"),
            "another default": ("h=1e-5", "h=1e-3"),
            "float32": ("dtype=np.float64", "dtype=np.float32"),
            "a list": ("return gradient", "return list(gradient)"),
            "f called once more": ("gradient = np.zeros_like(x)", "gradient = np.zeros_like(x) + 0 * f(x)"),
            "a relative step": (
                "up[i] += h\n        down[i] -= h",
                "h = h * max(1.0, abs(x[i]))\n        up[i] += h\n        down[i] -= h",
            ),
            "float32 stays": ("x = np.array(x, dtype=np.float64)", "x = np.array(x) + 0.0"),
            "h checked last": (
                '    if not h > 0:\n        raise ValueError(f"numerical_gradient: h is {h}, and must be above 0")\n',
                "",
                "    return gradient",
                "    if not h > 0:\n        raise ValueError(h)\n    return gradient",
            ),
            "rounded": ("return gradient", "return gradient.round(4)"),
        },
    ),
    "q2": Question(
        right={
            "derivatives written out": """
def add(a, b):
    return Node(a.value + b.value, [a, b], [np.float64(1), np.float64(1)], "add")
def multiply(a, b):
    return Node(a.value * b.value, [a, b], [b.value, a.value], "multiply")
def power(a, exponent):
    if isinstance(exponent, Node):
        raise TypeError("a plain number")
    slope = np.float64(0.0) if exponent == 0 else np.float64(exponent * np.power(a.value, exponent - 1))
    return Node(np.power(a.value, exponent), [a], [slope], "power")
def exp(a):
    return Node(np.exp(a.value), [a], [np.exp(a.value)], "exp")
def log(a):
    if a.value <= 0:
        raise ValueError("log")
    return Node(np.log(a.value), [a], [np.float64(1) / a.value], "log")
def tanh(a):
    return Node(np.tanh(a.value), [a], [(1 - np.tanh(a.value)) * (1 + np.tanh(a.value))], "tanh")
def relu(a):
    positive = a.value > 0
    return Node(np.where(positive, a.value, 0.0), [a], [np.float64(1.0 if positive else 0.0)], "relu")
""",
        },
        wrong={
            "add: derivatives are the values": ("(one, one)", "(a.value, b.value)"),
            "add: minus": ("a.value + b.value", "a.value - b.value"),
            "add: one parent": ("(a, b), (one, one)", "(a,), (one,)"),
            "add: b twice": ("a.value + b.value, (a, b)", "a.value + b.value, (b, b)"),
            "add: integers as derivatives": ("one = np.float64(1.0)", "one = 1"),
            "multiply: derivatives swapped": ("(b.value, a.value)", "(a.value, b.value)"),
            "multiply: parents swapped": ("(a, b), (b.value, a.value)", "(b, a), (a.value, b.value)"),
            "multiply: parents swapped, derivatives not": (
                "(a, b), (b.value, a.value)",
                "(b, a), (b.value, a.value)",
            ),
            "multiply: a node twice becomes one parent": (
                'return Node(a.value * b.value, (a, b), (b.value, a.value), "multiply")',
                'if a is b:\n        return Node(a.value**2, (a,), (2 * a.value,), "multiply")\n    '
                'return Node(a.value * b.value, (a, b), (b.value, a.value), "multiply")',
            ),
            "power: exponent not lowered": ("a.value ** (exponent - 1)", "a.value**exponent"),
            "power: factor forgotten": ("exponent * a.value ** (exponent - 1)", "a.value ** (exponent - 1)"),
            "power: nan at 0 to the 0": (" if exponent != 0 else 0.0", ""),
            "power: 0 at 0 always": ("if exponent != 0", "if exponent != 0 and a.value != 0"),
            "power: Python's": ("a.value**exponent, (a,)", "float(a.value) ** exponent, (a,)"),
            "power: slope 0 at 0": (
                "if exponent != 0 else 0.0",
                "if exponent != 0 and (a.value or exponent >= 1) else 0.0",
            ),
            "tanh: cancels near 0": ("np.tanh(a.value)", "2 / (1 + np.exp(-2 * a.value)) - 1"),
            "power: integers only": ("a.value**exponent, (a,)", "a.value**int(exponent), (a,)"),
            "power: a Node as the exponent allowed": (
                "if isinstance(exponent, Node):",
                "if exponent is None:",
            ),
            "power: exponent as a parent": (
                "(a,), (np.float64(slope),)",
                "(a, Node(exponent)), (np.float64(slope), np.float64(0.0))",
            ),
            "exp: derivative is the input": ('(value,), "exp"', '(a.value,), "exp"'),
            "exp: math.exp raises": ("np.exp(a.value)", "np.float64(__import__('math').exp(a.value))"),
            "exp: clipped": ("np.exp(a.value)", "np.exp(np.clip(a.value, -500, 500))"),
            "exp: base 2": ("np.exp(a.value)", "np.exp2(a.value)"),
            "log: base 10": ("np.log(a.value)", "np.log10(a.value)"),
            "log: base 2": ("np.log(a.value)", "np.log2(a.value)"),
            "log: derivative is the value": ("(1 / a.value,)", "(a.value,)"),
            "log: derivative of the log": ("(1 / a.value,)", "(1 / np.log(a.value),)"),
            "log: 0 allowed": ("if not a.value > 0:", "if a.value < 0:"),
            "log: negative allowed": ("if not a.value > 0:", "if a.value == 0:"),
            "log: something added": ("np.log(a.value)", "np.log(a.value + 1e-12)"),
            "log: absolute value": (
                "np.log(a.value)",
                "np.log(abs(a.value))",
                "if not a.value > 0:",
                "if a.value == 0:",
            ),
            "tanh: derivative from the input": ("1 - value**2", "1 - a.value**2"),
            "tanh: square forgotten": ("1 - value**2", "1 - value"),
            "tanh: sigmoid's derivative": ("1 - value**2", "value * (1 - value)"),
            "tanh: by exponentials": (
                "value = np.tanh(a.value)",
                "value = (np.exp(a.value) - np.exp(-a.value)) / (np.exp(a.value) + np.exp(-a.value))",
            ),
            "relu: derivative 1 at 0": ("np.float64(a.value > 0)", "np.float64(a.value >= 0)"),
            "relu: derivative 1 everywhere": ("np.float64(a.value > 0)", "np.float64(1.0)"),
            "relu: derivative is the value": ("np.float64(a.value > 0)", "np.float64(max(a.value, 0.0))"),
            "relu: a boolean": ("np.float64(a.value > 0)", "a.value > 0"),
            "relu: absolute value": ("max(a.value, 0.0)", "abs(a.value)"),
            "relu: leaky": ("max(a.value, 0.0)", "max(a.value, 0.01 * a.value)"),
            "wrong names": ('"add")', '"+")'),
            "an input's value changed": (
                'return Node(a.value * b.value, (a, b), (b.value, a.value), "multiply")',
                'made = Node(a.value * b.value, (a, b), (b.value, a.value), "multiply")\n    a.adjoint = a.adjoint + 1\n    '
                "return made",
            ),
        },
    ),
    "q3": Question(
        right={
            "counting children (Kahn)": """
def topological_order(output):
    found, children, stack = {id(output): output}, {}, [output]
    while stack:
        node = stack.pop()
        for parent in node.parents:
            children[id(parent)] = children.get(id(parent), 0) + 1
            if id(parent) not in found:
                found[id(parent)] = parent
                stack.append(parent)
    ready = [output] if not children.get(id(output)) else []
    order = []
    while ready:
        node = ready.pop()
        order.append(node)
        for parent in node.parents:
            children[id(parent)] -= 1
            if not children[id(parent)]:
                ready.append(parent)
    if len(order) < len(found):
        raise ValueError("cycle")
    return order[::-1]
""",
            "iterators on a stack": """
def topological_order(output):
    order, done, path = [], set(), {id(output)}
    stack = [(output, iter(output.parents))]
    while stack:
        node, parents = stack[-1]
        for parent in parents:
            if id(parent) in path:
                raise ValueError("cycle")
            if id(parent) not in done:
                path.add(id(parent))
                stack.append((parent, iter(parent.parents)))
                break
        else:
            stack.pop()
            path.discard(id(node))
            done.add(id(node))
            order.append(node)
    return order
""",
        },
        wrong={
            "recursion": """
def topological_order(output):
    order, done, path = [], set(), set()
    def visit(node):
        if id(node) in path:
            raise ValueError("cycle")
        if id(node) in done:
            return
        path.add(id(node))
        for parent in node.parents:
            visit(parent)
        path.discard(id(node))
        done.add(id(node))
        order.append(node)
    visit(output)
    return order
""",
            "recursion with a higher limit": """
import sys
def topological_order(output):
    sys.setrecursionlimit(11_000)
    order, done = [], set()
    def visit(node):
        if id(node) in done:
            return
        done.add(id(node))
        for parent in node.parents:
            visit(parent)
        order.append(node)
    visit(output)
    return order
""",
            "cycles run forever": """
def topological_order(output):
    order, placed, stack = [], set(), [output]
    while stack:
        node = stack[-1]
        missing = [p for p in node.parents if id(p) not in placed]
        if missing:
            stack.extend(missing)
        else:
            stack.pop()
            if id(node) not in placed:
                placed.add(id(node))
                order.append(node)
    return order
""",
            "breadth first, reversed": """
def topological_order(output):
    order, seen, queue = [], {id(output)}, [output]
    while queue:
        node = queue.pop(0)
        order.append(node)
        for parent in node.parents:
            if id(parent) not in seen:
                seen.add(id(parent))
                queue.append(parent)
    return order[::-1]
""",
            "depth first, at the first visit, reversed": """
def topological_order(output):
    order, seen, stack = [], set(), [output]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            order.append(node)
            stack.extend(node.parents)
    return order[::-1]
""",
            "children first": ("return order", "return order[::-1]"),
            "no cycle is an error": (
                '            if any(state.get(id(parent)) == "open" for parent in node.parents):\n'
                '                raise ValueError("topological_order: the parents form a cycle")\n',
                "",
            ),
            "another error": ("raise ValueError", "raise RuntimeError"),
            "a node used twice is a cycle": (
                '            state[id(node)] = "open"\n',
                '            state[id(node)] = "open"\n            if len({id(p) for p in node.parents}) < len(node.parents):\n'
                '                raise ValueError("twice")\n',
            ),
            "anything seen before is a cycle": ('== "open" for', "is not None for"),
            "a node as often as it is used": (
                'state[id(node)] == "open":\n                state[id(node)] = "done"\n                order.append(node)',
                'state[id(node)]:\n                state[id(node)] = "done"\n                order.append(node)',
            ),
            "only the first parent": (
                "stack.extend(parent for parent in node.parents if id(parent) not in state)",
                "stack.extend(parent for parent in node.parents[:1] if id(parent) not in state)",
            ),
            "the output is left out": ("return order", "return order[:-1]"),
            "inputs are left out": ("return order", "return [n for n in order if n.parents or n is output]"),
            "a tuple": ("return order", "return tuple(order)"),
            "compared by ==": (
                "order, state, stack = [], {}, [output]",
                "order, state, stack = [], {}, [output]\n    class Same(list):\n        pass",
                "order.append(node)",
                "order.append(node) if node not in order else None",
            ),
            "hashed": ("id(node) not in state", "hash(node) and id(node) not in state"),
            "nodes marked": ("stack.pop()", "stack.pop().visited = True"),
            "a list kept between calls": (
                "def topological_order(output):",
                "KEPT = []\n\n\ndef topological_order(output):",
                "order, state, stack = [], {}, [output]",
                "order, state, stack = KEPT, {}, [output]",
            ),
        },
    ),
    "q4": Question(
        right={
            "adjoints in a dictionary": """
def backward(output):
    order = topological_order(output)
    sums = {id(output): output.seed()}
    for node in reversed(order):
        node.adjoint = sums.get(id(node), np.float64(0.0))
        for parent, part in zip(node.parents, node.contributions()):
            sums[id(parent)] = sums[id(parent)] + part if id(parent) in sums else part
    return list(reversed(order))
""",
            "added in place to a sum of its own": """
def backward(output):
    order, seed = topological_order(output), output.seed()
    for node in order:
        node.adjoint = 0.0
    output.adjoint = seed
    for node in order[::-1]:
        for parent, part in zip(node.parents, node.contributions()):
            parent.adjoint += part
    return order[::-1]
""",
        },
        wrong={
            "parents first": (
                "for node in children_first:\n        for parent",
                "for node in children_first[::-1]:\n        for parent",
            ),
            "overwritten, not added": (
                "parent.adjoint = parent.adjoint + contribution",
                "parent.adjoint = contribution",
            ),
            "in place, from the first contribution on": (
                "parent.adjoint = parent.adjoint + contribution",
                "if np.shape(parent.adjoint) != np.shape(contribution):\n                parent.adjoint = contribution\n"
                "            else:\n                parent.adjoint += contribution",
            ),
            "not reset": ("        node.adjoint = np.float64(0.0)\n", "        pass\n"),
            "only inputs are reset": (
                "        node.adjoint = np.float64(0.0)\n",
                "        node.adjoint = node.adjoint if node.parents else np.float64(0.0)\n",
            ),
            "starts at 0": ("output.adjoint = seed", "output.adjoint = 0 * seed"),
            "starts at the output's value": (
                "output.adjoint = seed",
                "output.adjoint = getattr(output, 'value', seed)",
            ),
            "starts at 1, without seed()": ("output.seed()", "np.float64(1.0)"),
            "the error comes after the reset": (
                "children_first, seed = topological_order(output)[::-1], output.seed()",
                "children_first = topological_order(output)[::-1]",
                "output.adjoint = seed",
                "output.adjoint = output.seed()",
            ),
            "adjoints of 0 are not sent": (
                "for parent, contribution in zip(node.parents, node.contributions(), strict=True):",
                "for parent, contribution in zip(node.parents, node.contributions(), strict=True):\n            "
                "if not np.any(node.adjoint):\n                continue",
            ),
            "the seed is 1": ("output.adjoint = seed", "output.adjoint = np.float64(1.0)"),
            "order of the parents": ("return children_first", "return children_first[::-1]"),
            "nothing is returned": ("return children_first", "return None"),
            "depth first, at each visit": """
def backward(output):
    order = topological_order(output)
    seed = output.seed()
    for node in order:
        node.adjoint = np.float64(0.0)
    output.adjoint = seed
    stack, sent = [output], []
    while stack:
        node = stack.pop()
        sent.append(node)
        for parent, part in zip(node.parents, node.contributions()):
            parent.adjoint = parent.adjoint + part
            if not any(parent is other for other in sent):
                stack.append(parent)
    return order[::-1]
""",
            "breadth first": """
def backward(output):
    seed, order, seen, queue = output.seed(), [], {id(output)}, [output]
    topological_order(output)
    while queue:
        node = queue.pop(0)
        order.append(node)
        for parent in node.parents:
            if id(parent) not in seen:
                seen.add(id(parent))
                queue.append(parent)
    for node in order:
        node.adjoint = np.float64(0.0)
    output.adjoint = seed
    for node in order:
        for parent, part in zip(node.parents, node.contributions()):
            parent.adjoint = parent.adjoint + part
    return order
""",
            "contributions asked for each parent": (
                "for parent, contribution in zip(node.parents, node.contributions(), strict=True):\n            "
                "parent.adjoint = parent.adjoint + contribution",
                "for i, parent in enumerate(node.parents):\n            "
                "parent.adjoint = parent.adjoint + node.contributions()[i]",
            ),
            "a parent that is used twice counts once": (
                "for parent, contribution in zip(node.parents, node.contributions(), strict=True):",
                "for parent, contribution in {id(p): (p, c) for p, c in zip(node.parents, node.contributions())}.values():",
            ),
            "from local, not from contributions()": (
                "zip(node.parents, node.contributions(), strict=True)",
                "zip(node.parents, [node.adjoint * d for d in node.local], strict=True)",
            ),
            "the output's adjoint is added to what was there": (
                "output.adjoint = seed",
                "output.adjoint = output.adjoint + 1",
                "        node.adjoint = np.float64(0.0)\n",
                "        node.adjoint = node.adjoint if node is output else np.float64(0.0)\n",
            ),
        },
    ),
    "q5": Question(
        right={
            "axis by axis": """
def unbroadcast(g, shape):
    try:
        fits = np.broadcast_shapes(shape, g.shape) == g.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{tuple(shape)} and {g.shape}")
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g
""",
        },
        wrong={
            "only axes longer than 1": """
def unbroadcast(g, shape):
    if np.broadcast_shapes(shape, g.shape) != g.shape:
        raise ValueError(f"{tuple(shape)} and {g.shape}")
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, n in enumerate(shape):
        if n == 1 and g.shape[axis] > 1:
            g = g.sum(axis=axis, keepdims=True)
    return g
""",
            "mean": ("return g.sum(", "return g.mean("),
            "only added axes": ("*repeated)", ")"),
            "only axes of length 1": ("(*range(extra), *repeated)", "(*repeated,)"),
            "keepdims lost": (".reshape(shape)", ""),
            "sum over everything": ("axis=(*range(extra), *repeated)", "axis=None"),
            "added axes on the right": ("range(extra)", "range(g.ndim - extra, g.ndim)"),
            "reshaped by chance": (
                "g.sum(axis=(*range(extra), *repeated)).reshape(shape)",
                "g.ravel()[: int(np.prod(shape))].reshape(shape)",
            ),
            "first entry, not the sum": (
                "g.sum(axis=(*range(extra), *repeated)).reshape(shape)",
                "g[(0,) * extra + tuple(slice(0, n) if n == 1 else slice(None) for n in shape)].reshape(shape)",
            ),
            "no error": (
                "    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, g.shape[extra:], strict=True)):\n"
                '        raise ValueError(f"unbroadcast: shape {tuple(shape)} does not broadcast to {g.shape}")\n',
                "",
            ),
            "too many axes are no error": (
                "extra < 0 or any(n not in (1, m) for n, m in zip(shape, g.shape[extra:], strict=True))",
                "extra >= 0 and any(n not in (1, m) for n, m in zip(shape, g.shape[extra:]))",
            ),
            "the message lacks a shape": (" does not broadcast to {g.shape}", ""),
            "the message lacks the other": ("shape {tuple(shape)} does", "this does"),
            "another error": ("raise ValueError", "raise AssertionError"),
            "length 1 in g stands for any length": ("n not in (1, m)", "n not in (1, m) and m != 1"),
            "in place": (
                "    repeated = ",
                "    if g.size > 1:\n        g *= 1.0000001\n    repeated = ",
            ),
            "only two dimensions": (
                "    repeated = ",
                "    if g.ndim > 2:\n        return np.zeros(shape)\n    repeated = ",
            ),
        },
    ),
    "q6": Question(
        right={
            "einsum and masks": """
def vjp_add(g, a, b):
    return (unbroadcast(g, np.shape(a)), unbroadcast(g, np.shape(b)))
def vjp_multiply(g, a, b):
    return (unbroadcast(np.multiply(b, g), np.shape(a)), unbroadcast(np.multiply(a, g), np.shape(b)))
def vjp_matmul(g, a, b):
    return (np.einsum("ij,kj->ik", g, b), np.einsum("ij,ik->jk", a, g))
def vjp_tanh(g, a):
    t = np.tanh(a)
    return (g - g * t * t,)
def vjp_relu(g, a):
    return (np.where(a > 0, g, 0.0),)
""",
        },
        wrong={
            "add: not summed": ("unbroadcast(g, a.shape), unbroadcast(g, b.shape)", "g, g"),
            "add: only b summed": (
                "unbroadcast(g, a.shape), unbroadcast(g, b.shape)",
                "g, unbroadcast(g, b.shape)",
            ),
            "add: minus": (
                "unbroadcast(g, a.shape), unbroadcast(g, b.shape)",
                "unbroadcast(g, a.shape), -unbroadcast(g, b.shape)",
            ),
            "multiply: not summed": (
                "unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)",
                "g * b, g * a",
            ),
            "multiply: swapped": (
                "unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)",
                "unbroadcast(g * a, a.shape) if a.shape == b.shape else unbroadcast(g * b, a.shape), "
                "unbroadcast(g * b, b.shape) if a.shape == b.shape else unbroadcast(g * a, b.shape)",
            ),
            "multiply: g forgotten": ("unbroadcast(g * b, a.shape)", "unbroadcast(0 * g + b, a.shape)"),
            "multiply: summed before multiplying": (
                "unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)",
                "unbroadcast(g, a.shape) * unbroadcast(g * 0 + b, a.shape), unbroadcast(g * a, b.shape)",
            ),
            "matmul: no transposes where shapes allow it": (
                "g @ b.T, a.T @ g",
                "g @ (b if b.shape[0] == b.shape[1] else b.T), (a if a.shape[0] == a.shape[1] else a.T) @ g",
            ),
            "matmul: order swapped where shapes allow it": (
                "g @ b.T, a.T @ g",
                "b.T @ g if a.shape == b.shape else g @ b.T, a.T @ g",
            ),
            "matmul: pair swapped": ("g @ b.T, a.T @ g", "a.T @ g, g @ b.T"),
            "matmul: g transposed": ("a.T @ g", "(g.T @ a).T + 0 if g.shape[0] != g.shape[1] else (g @ a).T"),
            "tanh: of the wrong thing": ("1 - np.tanh(a) ** 2", "1 - a**2"),
            "tanh: square forgotten": ("1 - np.tanh(a) ** 2", "1 - np.tanh(a)"),
            "tanh: g forgotten": ("g * (1 - np.tanh(a) ** 2)", "1 - np.tanh(a) ** 2"),
            "tanh: by cosh, overflows": (
                "(1 - np.tanh(a) ** 2)",
                "np.exp(2 * a) * 4 / (np.exp(2 * a) + 1) ** 2",
            ),
            "tanh: an array, no tuple": (
                "return (g * (1 - np.tanh(a) ** 2),)",
                "return g * (1 - np.tanh(a) ** 2)",
            ),
            "relu: 1 at 0": ("a > 0", "a >= 0"),
            "relu: from the sign of g": ("g * (a > 0)", "g * (g > 0)"),
            "relu: times a": ("g * (a > 0)", "g * np.maximum(a, 0)"),
            "relu: sign": ("g * (a > 0)", "g * np.sign(a)"),
            "relu: in place": ("return (g * (a > 0),)", "g *= a > 0\n    return (g,)"),
            "a list": ("return g @ b.T, a.T @ g", "return [g @ b.T, a.T @ g]"),
            "float32": ("g @ b.T, a.T @ g", "(g @ b.T).astype(np.float32), (a.T @ g).astype(np.float32)"),
        },
    ),
    "q7": Question(
        right={
            "by scipy": """
from scipy.special import logsumexp, softmax
def cross_entropy(logits, labels):
    labels = np.asarray(labels)
    if len(logits) == 0 or labels.ndim != 1 or len(labels) != len(logits):
        raise ValueError("shapes")
    for label in labels:
        if not 0 <= label < logits.shape[1]:
            raise ValueError(f"label {label}")
    picked = np.take_along_axis(logits, labels[:, None], axis=1)[:, 0]
    return float(np.mean(logsumexp(logits, axis=1) - picked))
def vjp_cross_entropy(g, logits, labels):
    return (g * (softmax(logits, axis=1) - np.eye(logits.shape[1])[labels]) / len(logits),)
""",
        },
        wrong={
            "sum, not mean": (".mean())", ".sum())"),
            "a plus sign": (
                "log_sum - logits[np.arange(B), labels]",
                "log_sum + logits[np.arange(B), labels]",
            ),
            "sign forgotten": (
                "float((log_sum - logits[np.arange(B), labels])",
                "float((logits[np.arange(B), labels] - log_sum)",
            ),
            "base 2": ("np.log(np.exp", "np.log2(np.exp"),
            "overflows": (
                "highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))",
                "np.log(np.exp(logits).sum(axis=1))",
            ),
            "highest of the batch, not of the row": (
                "highest = logits.max(axis=1)",
                "highest = np.full(B, logits.max())",
            ),
            "softmax over the batch": (
                "highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))",
                "highest + np.log(np.exp(logits - highest[:, None]).sum())",
            ),
            "a constant in the logarithm": (
                ".sum(axis=1))\n    return float",
                ".sum(axis=1) + 1e-9)\n    return float",
            ),
            "probabilities clipped": (
                "return float((log_sum - logits[np.arange(B), labels]).mean())",
                "return float(-np.log(np.maximum(np.exp(logits[np.arange(B), labels] - log_sum), 1e-12)).mean())",
            ),
            "highest not added back": ("log_sum = highest + np.log", "log_sum = np.log"),
            "all labels picked": ("logits[np.arange(B), labels]", "logits[:, labels].mean(axis=1)"),
            "empty batch allowed": (
                "if B == 0 or labels.shape != (B,):",
                "if B and labels.shape != (B,):",
                ".mean())",
                ".sum() / max(B, 1))",
            ),
            "a column of labels allowed": (
                "labels = np.asarray(labels)\n",
                "labels = np.asarray(labels).ravel()\n",
            ),
            "other lengths allowed": (
                "if B == 0 or labels.shape != (B,):",
                "if B == 0:",
                "logits[np.arange(B), labels]",
                "logits[np.arange(B), np.resize(labels, B)]",
            ),
            "negative labels allowed": ("(labels < 0) | (labels >= K)", "labels >= K"),
            "K allowed": (
                "(labels < 0) | (labels >= K)",
                "(labels < 0) | (labels > K)",
                "logits[np.arange(B), labels]",
                "logits[np.arange(B), labels % K]",
            ),
            "large labels allowed": (
                "(labels < 0) | (labels >= K)",
                "labels < 0",
                "logits[np.arange(B), labels]",
                "logits[np.arange(B), labels % K]",
            ),
            "label 0 refused": ("(labels < 0)", "(labels < 1)"),
            "IndexError instead": ("(labels < 0) | (labels >= K)", "labels < 0"),
            "label not named": ("label {wrong[0]} is", "a label is"),
            "an array, not a float": (
                "return float((log_sum - logits[np.arange(B), labels]).mean())",
                "return (log_sum - logits[np.arange(B), labels]).mean(keepdims=True)",
            ),
            "logits changed": (
                "highest = logits.max(axis=1)",
                "logits -= 0.5\n    highest = logits.max(axis=1)",
            ),
            "gradient: target minus prediction": ("g * softmax / len(labels)", "-g * softmax / len(labels)"),
            "gradient: not over B": ("g * softmax / len(labels)", "g * softmax"),
            "gradient: over K": ("/ len(labels),)", "/ logits.shape[1],)"),
            "gradient: g forgotten": ("(g * softmax / len(labels),)", "(softmax / len(labels),)"),
            "gradient: target forgotten": ("softmax[np.arange(len(labels)), labels] -= 1", "pass"),
            "gradient: softmax over the batch": (
                "shifted.sum(axis=1, keepdims=True)",
                "shifted.sum(axis=0, keepdims=True)",
            ),
            "gradient: overflows": ("logits - logits.max(axis=1, keepdims=True)", "logits"),
            "gradient: highest of the batch": ("logits.max(axis=1, keepdims=True)", "logits.max()"),
            "gradient: no tuple": ("return (g * softmax / len(labels),)", "return g * softmax / len(labels)"),
            "gradient: labels' columns in all rows": (
                "softmax[np.arange(len(labels)), labels] -= 1",
                "softmax[:, labels] -= 1",
            ),
            "gradient: in place": (
                "shifted = np.exp(logits - logits.max(axis=1, keepdims=True))",
                "logits -= logits.max(axis=1, keepdims=True)\n    shifted = np.exp(logits)",
            ),
        },
    ),
}
