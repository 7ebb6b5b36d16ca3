"""Lab 03's known wrong answers, and right answers of another shape."""

from __future__ import annotations

from tests.mutants import Question

QUESTIONS = {
    "q1": Question(
        right={
            "in place on copies": """
def sgd_step(theta, gradient, state, lr):
    check_rate(lr)
    new = theta.clone()
    new -= lr * gradient
    return new
def momentum_step(theta, gradient, state, lr, beta=0.9):
    check_rate(lr)
    if "velocity" not in state:
        state["velocity"] = gradient.clone()
    else:
        state["velocity"].mul_(beta).add_(gradient)
    return torch.sub(theta, state["velocity"], alpha=lr)
""",
        },
        wrong={
            "sgd: uphill": ("theta - lr * gradient", "theta + lr * gradient"),
            "sgd: rate forgotten": ("theta - lr * gradient", "theta - gradient"),
            "sgd: the sign only": ("theta - lr * gradient", "theta - lr * gradient.sign()"),
            "sgd: in place": ("return theta - lr * gradient", "theta -= lr * gradient\n    return theta"),
            "sgd: rate not checked": (
                "check_rate(lr)\n    return theta - lr * gradient",
                "return theta - lr * gradient",
            ),
            "sgd: remembers": (
                "return theta - lr * gradient",
                'state["step"] = 1\n    return theta - lr * gradient',
            ),
            "momentum: beta on the new gradient (a source's form)": (
                'beta * state.get("velocity", torch.zeros_like(theta)) + gradient',
                '(1 - beta) * state.get("velocity", gradient) + beta * gradient',
            ),
            "momentum: a running mean": (
                "torch.zeros_like(theta)) + gradient",
                "torch.zeros_like(theta)) + (1 - beta) * gradient",
            ),
            "momentum: the rate in the velocity twice": (
                "torch.zeros_like(theta)) + gradient",
                "torch.zeros_like(theta)) + lr * gradient",
            ),
            "momentum: the rate in the velocity": (
                "torch.zeros_like(theta)) + gradient",
                "torch.zeros_like(theta)) + lr * gradient",
                'theta - lr * state["velocity"]',
                'theta - state["velocity"]',
            ),
            "momentum: float32 memory": (
                "torch.zeros_like(theta)) + gradient",
                "torch.zeros(theta.shape)) + gradient",
            ),
            "momentum: a memory before the check": (
                "check_rate(lr)\n    state[",
                'state.setdefault("velocity", torch.zeros_like(theta))\n    check_rate(lr)\n    state[',
            ),
            "momentum: the gradient changed": (
                'state["velocity"] = beta * state.get("velocity", torch.zeros_like(theta)) + gradient',
                'gradient += beta * state.get("velocity", 0)\n    state["velocity"] = gradient.clone()',
            ),
            "momentum: forgets": (
                'beta * state.get("velocity", torch.zeros_like(theta)) + gradient',
                "gradient.clone()",
            ),
            "momentum: the old velocity is used": (
                'state["velocity"] = beta * state.get("velocity", torch.zeros_like(theta)) + gradient\n    '
                'return theta - lr * state["velocity"]',
                'old = state.get("velocity", torch.zeros_like(theta))\n    state["velocity"] = beta * old + gradient\n    '
                "return theta - lr * old",
            ),
            "momentum: Nesterov's": ('lr * state["velocity"]', 'lr * (gradient + beta * state["velocity"])'),
            "momentum: the gradient is kept, not a copy": (
                'beta * state.get("velocity", torch.zeros_like(theta)) + gradient',
                'gradient if "velocity" not in state else beta * state["velocity"] + gradient',
            ),
            "momentum: beta = 0.9 always": ("beta * state", "0.9 * state"),
            "momentum: another default": ("beta=0.9", "beta=0.99"),
            "momentum: rate not checked": ('check_rate(lr)\n    state["velocity"]', 'state["velocity"]'),
            "momentum: rate checked late": (
                'check_rate(lr)\n    state["velocity"] = beta * state.get("velocity", torch.zeros_like(theta)) + gradient\n',
                'state["velocity"] = beta * state.get("velocity", torch.zeros_like(theta)) + gradient\n    check_rate(lr)\n',
            ),
            "momentum: one memory for all": (
                "def momentum_step(",
                "MEMORY = {}\n\n\ndef momentum_step(",
                'state["velocity"] = beta * state.get("velocity", torch.zeros_like(theta)) + gradient',
                'state["velocity"] = MEMORY["v"] = beta * MEMORY.get("v", torch.zeros_like(theta)) + gradient',
            ),
            "momentum: returns the velocity": (
                'return theta - lr * state["velocity"]',
                'return state["velocity"]',
            ),
            "momentum: another name": (
                'state["velocity"] = beta * state.get("velocity", torch.zeros_like(theta)) + gradient\n    '
                'return theta - lr * state["velocity"]',
                'state["v"] = beta * state.get("v", torch.zeros_like(theta)) + gradient\n    return theta - lr * state["v"]',
            ),
            "momentum: float64 memory": (
                "torch.zeros_like(theta)) + gradient",
                "torch.zeros_like(theta)) + gradient.double()",
            ),
        },
    ),
    "q2": Question(
        right={
            "powers and in place on the state": """
def adagrad_step(theta, gradient, state, lr, eps=1e-10):
    check_rate(lr)
    s = state.setdefault("second", torch.zeros_like(theta))
    s.addcmul_(gradient, gradient)
    return theta - lr * gradient / (s ** 0.5 + eps)
def rmsprop_step(theta, gradient, state, lr, alpha=0.99, eps=1e-8):
    check_rate(lr)
    s = state.setdefault("second", torch.zeros_like(theta))
    s.mul_(alpha).addcmul_(gradient, gradient, value=1 - alpha)
    return torch.addcdiv(theta, gradient, s.sqrt() + eps, value=-lr)
""",
        },
        wrong={
            "adagrad: no root (a source's form)": (
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / (state["second"] + eps)',
            ),
            "adagrad: no ε": (
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / state["second"].sqrt()',
            ),
            "adagrad: ε in the root": (
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / (state["second"] + eps).sqrt()',
            ),
            "adagrad: gradients not squared": (
                "torch.zeros_like(theta)) + gradient**2",
                "torch.zeros_like(theta)) + gradient.abs()",
            ),
            "adagrad: forgets": ('state.get("second", torch.zeros_like(theta)) + gradient**2', "gradient**2"),
            "adagrad: one sum for all": (
                "torch.zeros_like(theta)) + gradient**2",
                "torch.zeros_like(theta)) + (gradient**2).sum()",
            ),
            "adagrad: another default ε": ("eps=1e-10", "eps=1e-8"),
            "adagrad: a mean": (
                "torch.zeros_like(theta)) + gradient**2",
                "torch.zeros_like(theta)) * 0.9 + gradient**2",
            ),
            "adagrad: rate not checked": ('check_rate(lr)\n    state["second"]', 'state["second"]'),
            "adagrad: uphill": (
                "torch.zeros_like(theta)) + gradient**2\n    return theta - lr",
                "torch.zeros_like(theta)) + gradient**2\n    return theta + lr",
            ),
            "adagrad: theta in place": (
                'torch.zeros_like(theta)) + gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                'torch.zeros_like(theta)) + gradient**2\n    theta -= lr * gradient / (state["second"].sqrt() + eps)\n    return theta',
            ),
            "rmsprop: no root (a source's form)": (
                '(1 - alpha) * gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                '(1 - alpha) * gradient**2\n    return theta - lr * gradient / (state["second"] + eps)',
            ),
            "rmsprop: no ε": (
                '(1 - alpha) * gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                '(1 - alpha) * gradient**2\n    return theta - lr * gradient / state["second"].sqrt()',
            ),
            "rmsprop: ε in the root": (
                '(1 - alpha) * gradient**2\n    return theta - lr * gradient / (state["second"].sqrt() + eps)',
                '(1 - alpha) * gradient**2\n    return theta - lr * gradient / (state["second"] + eps).sqrt()',
            ),
            "rmsprop: alpha on the new": (
                "alpha * before + (1 - alpha) * gradient**2",
                "(1 - alpha) * before + alpha * gradient**2",
            ),
            "rmsprop: starts at the square (a source's form)": (
                'before = state.get("second", torch.zeros_like(theta))',
                'before = state.get("second", gradient**2)',
            ),
            "rmsprop: alpha twice": ("(1 - alpha) * gradient**2", "gradient**2"),
            "rmsprop: bias correction": (
                "alpha * before + (1 - alpha) * gradient**2",
                "(alpha * before + (1 - alpha) * gradient**2) / (1 - alpha)",
            ),
            "rmsprop: another alpha": ("alpha=0.99", "alpha=0.9"),
            "rmsprop: another ε": ("eps=1e-8", "eps=1e-6"),
            "rmsprop: settings swapped": ("alpha=0.99, eps=1e-8", "eps=1e-8, alpha=0.99"),
            "rmsprop: gradient scaled in place": (
                "    before = state",
                "    gradient *= 1.0001\n    before = state",
            ),
            "rmsprop: float32 memory": (
                'before = state.get("second", torch.zeros_like(theta))',
                'before = state.get("second", torch.zeros(theta.shape))',
            ),
            "rmsprop: rate checked late": (
                "    check_rate(lr)\n    before =",
                "    before =",
                "(1 - alpha) * gradient**2\n",
                "(1 - alpha) * gradient**2\n    check_rate(lr)\n",
            ),
        },
    ),
    "q3": Question(
        right={
            "corrections in the step size": """
def adam_step(theta, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
    check_rate(lr)
    if not state:
        state.update(step=0, first=torch.zeros_like(theta), second=torch.zeros_like(theta))
    state["step"] += 1
    t, (b1, b2) = state["step"], betas
    state["first"] = torch.lerp(state["first"], gradient, 1 - b1)
    state["second"] = b2 * state["second"] + (1 - b2) * gradient * gradient
    root = state["second"].sqrt() / (1 - b2 ** t) ** 0.5 + eps
    return theta * (1 - lr * weight_decay) - lr / (1 - b1 ** t) * state["first"] / root
def adamw_step(theta, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
    return adam_step(theta, gradient, state, lr, betas, eps, weight_decay)
""",
        },
        wrong={
            "no root, no ε's floor (a source's form)": (
                "(corrected_second.sqrt() + eps)",
                "(corrected_second + eps)",
            ),
            "float32 memory": ("torch.zeros_like(theta)", "torch.zeros(theta.shape)"),
            "gradient changed in place": (
                "    corrected_first =",
                "    gradient.mul_(1 - beta1)\n    corrected_first =",
            ),
            "no bias correction": (
                'state["first"] / (1 - beta1**t)',
                'state["first"]',
                'state["second"] / (1 - beta2**t)',
                'state["second"]',
            ),
            "only the first corrected": ('state["second"] / (1 - beta2**t)', 'state["second"]'),
            "only the second corrected": ('state["first"] / (1 - beta1**t)', 'state["first"]'),
            "correction counts from 0": (
                'state.get("step", 0) + 1',
                'state.get("step", 0) + 1\n    t = max(1, t - 1)',
            ),
            "correction of the first step always": (
                "t = state.get",
                "state.get",
                "beta1**t",
                "beta1",
                "beta2**t",
                "beta2",
            ),
            "corrected values are kept": (
                'corrected_first = state["first"] / (1 - beta1**t)',
                'corrected_first = state["first"] = state["first"] / (1 - beta1**t)',
            ),
            "starts at the gradient (a source's form)": (
                'state.get("first", zeros)',
                'state.get("first", gradient)',
                'state.get("second", zeros)',
                'state.get("second", gradient**2)',
            ),
            "betas swapped": ("(beta1, beta2), zeros = betas", "(beta2, beta1), zeros = betas"),
            "beta1 on the new gradient": ("(1 - beta1) * gradient", "beta1 * gradient"),
            "ε in the root": ("(corrected_second.sqrt() + eps)", "(corrected_second + eps).sqrt()"),
            "ε before the correction": (
                "(corrected_second.sqrt() + eps)",
                '((state["second"].sqrt() + eps) / (1 - beta2**t) ** 0.5)',
            ),
            "no ε": ("(corrected_second.sqrt() + eps)", "corrected_second.sqrt()"),
            "AMSGrad": (
                "(corrected_second.sqrt() + eps)",
                "(torch.maximum(corrected_second, gradient**2).sqrt() + eps)",
            ),
            "the square of the mean": ("(1 - beta2) * gradient**2", '(1 - beta2) * state["first"] ** 2'),
            "the absolute value": ("(1 - beta2) * gradient**2", "(1 - beta2) * gradient.abs()"),
            "uphill": ("theta - lr * corrected_first", "theta + lr * corrected_first"),
            "a tensor as the step": (
                'state["step"] = t = state.get("step", 0) + 1',
                't = state.get("step", 0) + 1\n    state["step"] = torch.tensor(t)',
            ),
            "the step counts twice": (
                'state["step"] = t = state.get("step", 0) + 1',
                'state["step"] = t = state.get("step", 0) + 2',
            ),
            "rate not checked": ("    check_rate(lr)\n", ""),
            "rate checked late": (
                "    check_rate(lr)\n",
                "",
                "    corrected_first = ",
                "    check_rate(lr)\n    corrected_first = ",
            ),
            "theta in place": (
                "return theta - lr * corrected_first / (corrected_second.sqrt() + eps)",
                "theta -= lr * corrected_first / (corrected_second.sqrt() + eps)\n    return theta",
            ),
            "other betas": (
                "state, lr, betas=(0.9, 0.999), eps=1e-8):",
                "state, lr, betas=(0.9, 0.99), eps=1e-8):",
            ),
            "another ε": (
                "state, lr, betas=(0.9, 0.999), eps=1e-8):",
                "state, lr, betas=(0.9, 0.999), eps=1e-7):",
            ),
            "AdamW: L2 in the gradient": (
                "adam_step(theta, gradient, state, lr, betas, eps) - lr * weight_decay * theta",
                "adam_step(theta, gradient + weight_decay * theta, state, lr, betas, eps)",
            ),
            "AdamW: decay without the rate": ("- lr * weight_decay * theta", "- weight_decay * theta"),
            "AdamW: decays the new theta": (
                "return adam_step(theta, gradient, state, lr, betas, eps) - lr * weight_decay * theta",
                "return adam_step(theta, gradient, state, lr, betas, eps) * (1 - lr * weight_decay)",
            ),
            "AdamW: grows": ("- lr * weight_decay * theta", "+ lr * weight_decay * theta"),
            "AdamW: no decay": (" - lr * weight_decay * theta", ""),
            "AdamW: another default": ("weight_decay=0.01", "weight_decay=0.1"),
            "AdamW: settings dropped": ("state, lr, betas, eps) -", "state, lr) -"),
            "AdamW: decays to the sign": ("weight_decay * theta", "weight_decay * theta.sign()"),
        },
    ),
    "q4": Question(
        right={
            "minimum of two lines, one long vector": """
def warmup_linear(step, warmup, total):
    if warmup < 0 or warmup >= total:
        raise ValueError("warmup")
    up = step / warmup if warmup else 1.0
    return float(max(0.0, min(up, (total - step) / (total - warmup))))
def clip_by_norm(gradients, max_norm):
    n = torch.linalg.vector_norm(torch.cat([g.flatten().double() for g in gradients])).item()
    if not (max_norm > 0 and n < float("inf")):
        raise ValueError("norm")
    if n <= max_norm:
        return [g.clone() for g in gradients], n
    return [g * (max_norm / n) for g in gradients], n
""",
        },
        wrong={
            "schedule: starts at 1 / warmup": ("return step / warmup", "return (step + 1) / warmup"),
            "schedule: no warm-up": ("return step / warmup", "return 1.0"),
            "schedule: decay from the first step": (
                "(total - step) / (total - warmup)",
                "(total - step) / total",
            ),
            "schedule: reaches 0 a step late": (
                "(total - step) / (total - warmup)",
                "(total + 1 - step) / (total + 1 - warmup)",
            ),
            "schedule: reaches 0 a step early": (
                "(total - step) / (total - warmup)",
                "(total - 1 - step) / max(1, total - 1 - warmup)",
            ),
            "schedule: below 0": (
                "max(0.0, (total - step) / (total - warmup))",
                "(total - step) / (total - warmup)",
            ),
            "schedule: constant after the warm-up": ("max(0.0, (total - step) / (total - warmup))", "1.0"),
            "schedule: cosine": (
                "max(0.0, (total - step) / (total - warmup))",
                "max(0.0, 0.5 * (1 + math.cos(math.pi * min(1, (step - warmup) / (total - warmup)))))",
            ),
            "schedule: warm-up of 0 fails": ("if step < warmup:", "if step <= warmup:"),
            "schedule: integers": (
                "return max(0.0, (total - step) / (total - warmup))",
                "return max(0, (total - step) / (total - warmup))",
            ),
            "schedule: no error": ("if not 0 <= warmup < total:", "if total == warmup == None:"),
            "schedule: warmup = total allowed": (
                "0 <= warmup < total",
                "0 <= warmup <= total",
                "(total - warmup))",
                "max(1, total - warmup))",
            ),
            "schedule: negative warm-up allowed": ("0 <= warmup < total", "warmup < total"),
            "schedule: warm-up of 0 refused": ("0 <= warmup < total", "0 < warmup < total"),
            "clip: each by itself": (
                "return [factor * gradient for gradient in gradients], norm",
                "return [g * min(1.0, max_norm / max(float(g.norm()), 1e-12)) for g in gradients], norm",
            ),
            "clip: by value": (
                "return [factor * gradient for gradient in gradients], norm",
                "return [g.clamp(-max_norm, max_norm) for g in gradients], norm",
            ),
            "clip: always to the limit": ("min(1.0, max_norm / norm)", "max_norm / norm"),
            "clip: root forgotten": ("math.sqrt(sum(", "(sum("),
            "clip: largest entry": (
                "math.sqrt(sum(float((gradient.double() ** 2).sum()) for gradient in gradients))",
                "max(float(gradient.abs().max()) for gradient in gradients)",
            ),
            "clip: sum of norms": (
                "math.sqrt(sum(float((gradient.double() ** 2).sum()) for gradient in gradients))",
                "sum(float(gradient.norm()) for gradient in gradients)",
            ),
            "clip: mean square": (".sum()) for gradient", ".mean()) for gradient"),
            "clip: norm after clipping": (
                "for gradient in gradients], norm",
                "for gradient in gradients], min(norm, max_norm)",
            ),
            "clip: divides by zero": (" if norm else 1.0", ""),
            "clip: gradients of 0 come back as they are": (
                "    factor = min",
                "    if norm == 0:\n        return gradients, norm\n    factor = min",
            ),
            "clip: a limit of inf refused": ("if not max_norm > 0 or", "if not 0 < max_norm < math.inf or"),
            "clip: in place": (
                "return [factor * gradient for gradient in gradients], norm",
                "return [gradient.mul_(factor) for gradient in gradients], norm",
            ),
            "clip: the same tensors below the limit": (
                "return [factor * gradient for gradient in gradients], norm",
                "return [factor * gradient if factor < 1 else gradient for gradient in gradients], norm",
            ),
            "clip: nan passes": (" or not math.isfinite(norm)", " or norm == math.inf"),
            "clip: inf passes": (" or not math.isfinite(norm)", " or norm != norm"),
            "clip: limit 0 allowed": ("if not max_norm > 0 or", "if max_norm < 0 or"),
            "clip: limit not checked": ("if not max_norm > 0 or not math", "if not math"),
            "clip: limit nan allowed": ("if not max_norm > 0 or", "if max_norm <= 0 or"),
            "clip: a tensor as the norm": (
                "for gradient in gradients], norm",
                "for gradient in gradients], torch.tensor(norm)",
            ),
            "clip: a tuple of gradients": (
                "return [factor * gradient for gradient in gradients], norm",
                "return tuple(factor * gradient for gradient in gradients), norm",
            ),
            "clip: float64 gradients": ("[factor * gradient for", "[factor * gradient.double() for"),
        },
    ),
    "q5": Question(
        right={
            "bernoulli": """
def dropout(x, p, training=True, generator=None):
    if not 0.0 <= p < 1.0:
        raise ValueError("p")
    if training:
        mask = torch.full_like(x, 1 - p, requires_grad=False).bernoulli(generator=generator)
        return x * (mask / (1 - p))
    return x * 1
""",
        },
        wrong={
            "not scaled": ("return x * kept / (1 - p)", "return x * kept"),
            "a float mask": ("x * kept / (1 - p)", "x * kept.float() / (1 - p)"),
            "p = 0 returns x": (
                "    if not training:",
                "    if p == 0:\n        return x\n    if not training:",
            ),
            "the last two axes": ("torch.rand(x.shape, generator", "torch.rand(x.shape[-2:], generator"),
            "draws at test time": (
                "        return x.clone()",
                "        torch.rand(1, generator=generator)\n        return x.clone()",
            ),
            "scaled by p": ("return x * kept / (1 - p)", "return x * kept / p if p else x * kept"),
            "scaled at test time": ("return x.clone()", "return x * (1 - p)"),
            "scaled at test time, not in training": (
                "return x * kept / (1 - p)",
                "return x * kept",
                "return x.clone()",
                "return x * (1 - p)",
            ),
            "keeps with probability p": (">= p", "< p"),
            "drops at test time": ("    if not training:\n        return x.clone()\n", ""),
            "never drops": ("if not training:", "if True:"),
            "training the other way round": ("if not training:", "if training:"),
            "whole rows": (
                "torch.rand(x.shape, generator",
                "torch.rand(x.shape[:1] + (1,) * (x.dim() - 1), generator",
            ),
            "whole columns": ("torch.rand(x.shape, generator", "torch.rand(x.shape[-1:], generator"),
            "a fixed share": (
                "kept = torch.rand(x.shape, generator=generator, device=x.device) >= p",
                "kept = (torch.arange(x.numel()) >= p * x.numel()).reshape(x.shape)",
            ),
            "the same mask at each call": (
                "kept = torch.rand(x.shape, generator=generator, device=x.device) >= p",
                "kept = torch.rand(x.shape, generator=torch.Generator().manual_seed(0)) >= p",
            ),
            "a seed set inside": ("kept = torch.rand", "torch.manual_seed(0)\n    kept = torch.rand"),
            "the generator is ignored": ("generator=generator, device", "device"),
            "NumPy's numbers": (
                "torch.rand(x.shape, generator=generator, device=x.device) >= p",
                "torch.from_numpy(np.random.rand(*x.shape)) >= p",
            ),
            "torch's own dropout, generator ignored": ("return x * kept / (1 - p)", "return F.dropout(x, p)"),
            "in place": ("return x * kept / (1 - p)", "x.data *= kept / (1 - p)\n    return x"),
            "the same tensor at test time": ("return x.clone()", "return x"),
            "no gradient at test time": ("return x.clone()", "return x.detach().clone()"),
            "no gradient in training": ("return x * kept", "return x.detach() * kept"),
            "p = 1 allowed": ("if not 0 <= p < 1:", "if not 0 <= p <= 1:"),
            "p below 0 allowed": ("if not 0 <= p < 1:", "if not p < 1:"),
            "nan allowed": ("if not 0 <= p < 1:", "if p < 0 or p >= 1:"),
            "p checked in training only": ("if not 0 <= p < 1:", "if training and not 0 <= p < 1:"),
            "noise, not zeros": (
                "return x * kept / (1 - p)",
                "return x * (1 + (kept.to(x) - (1 - p)) * 0.5)",
            ),
            "drops large values only": (">= p", ">= p * (x.abs() > 0.5)"),
            "drops positive values only": (">= p", ">= p * (x >= 0)"),
            "float32": ("return x * kept / (1 - p)", "return (x * kept / (1 - p)).float()"),
            "p twice": (">= p", ">= p * p"),
            "draws twice": ("kept = torch.rand", "torch.rand(3)\n    kept = torch.rand"),
        },
    ),
    "q6": Question(
        right={
            "torch's dropout": """
class NeuralLM(nn.Module):
    def __init__(self, words, dimensions, context, hidden, direct=False, p=0.0):
        super().__init__()
        self.context, self.p = context, p
        wide = context * dimensions
        self.C = nn.Parameter(torch.randn(words, dimensions) / 10)
        self.H = nn.Parameter(torch.randn(hidden, wide) / math.sqrt(wide))
        self.d = nn.Parameter(torch.zeros(hidden))
        self.U = nn.Parameter(torch.randn(words, hidden) / 20)
        self.b = nn.Parameter(torch.zeros(words))
        self.W = nn.Parameter(torch.zeros(words, wide)) if direct else None
    def forward(self, contexts):
        B, n = contexts.shape
        if n != self.context:
            raise ValueError("context")
        x = F.dropout(self.C[contexts].reshape(B, -1), self.p, self.training)
        y = self.b + torch.tanh(self.d + x @ self.H.T) @ self.U.T
        return y if self.W is None else y + x @ self.W.T
def parameter_count(words, dimensions, context, hidden, direct):
    n = context + 1
    with_direct = words * (1 + n * dimensions + hidden) + hidden * (1 + (n - 1) * dimensions)
    return with_direct if direct else with_direct - words * context * dimensions
""",
            "functional": """
class NeuralLM(nn.Module):
    def __init__(self, words, dimensions, context, hidden, direct=False, p=0.0):
        super().__init__()
        self.context, self.p = context, p
        wide = context * dimensions
        self.C = nn.Parameter(torch.randn(words, dimensions) / 10)
        self.H = nn.Parameter(torch.randn(hidden, wide) / math.sqrt(wide))
        self.d = nn.Parameter(torch.zeros(hidden))
        self.U = nn.Parameter(torch.randn(words, hidden) / 20)
        self.b = nn.Parameter(torch.zeros(words))
        self.W = nn.Parameter(torch.zeros(words, wide)) if direct else None
    def forward(self, contexts):
        if contexts.size(1) != self.context:
            raise ValueError("context")
        x = F.embedding(contexts, self.C).view(len(contexts), -1)
        x = dropout(x, self.p, training=self.training)
        y = F.linear(torch.tanh(F.linear(x, self.H, self.d)), self.U, self.b)
        if self.W is not None:
            y = y + F.linear(x, self.W)
        return y
def parameter_count(words, dimensions, context, hidden, direct):
    C = words * dimensions
    H = hidden * context * dimensions
    W = words * context * dimensions if direct else 0
    return C + H + hidden + words * hidden + words + W
""",
        },
        wrong={
            "relu for tanh": ("torch.tanh(x @", "torch.relu(x @"),
            "no nonlinearity": ("torch.tanh(x @ self.H.T + self.d)", "(x @ self.H.T + self.d)"),
            "d outside": ("torch.tanh(x @ self.H.T + self.d)", "(torch.tanh(x @ self.H.T) + self.d)"),
            "d forgotten": ("x @ self.H.T + self.d", "x @ self.H.T"),
            "b forgotten": ("@ self.U.T + self.b", "@ self.U.T"),
            "context in reverse": ("self.C[contexts]", "self.C[contexts.flip(1)]"),
            "mean of the embeddings": (
                "self.C[contexts].flatten(1)",
                "self.C[contexts].mean(dim=1).repeat(1, self.context)",
            ),
            "interleaved, not side by side": (
                "self.C[contexts].flatten(1)",
                "self.C[contexts].transpose(1, 2).flatten(1)",
            ),
            "batch of one squeezed": ("return y if", "y = y.squeeze(0)\n        return y if"),
            "probabilities": (
                "return y if self.W is None else y + x @ self.W.T",
                "return (y if self.W is None else y + x @ self.W.T).softmax(1)",
            ),
            "log probabilities": (
                "return y if self.W is None else y + x @ self.W.T",
                "return (y if self.W is None else y + x @ self.W.T).log_softmax(1)",
            ),
            "direct connection forgotten": ("return y if self.W is None else y + x @ self.W.T", "return y"),
            "direct connection through tanh": ("y + x @ self.W.T", "y + torch.tanh(x) @ self.W.T"),
            "no dropout": (
                "dropout(self.C[contexts].flatten(1), self.p, self.training)",
                "self.C[contexts].flatten(1)",
            ),
            "no dropout on the direct connection": (
                "y + x @ self.W.T",
                "y + self.C[contexts].flatten(1) @ self.W.T",
            ),
            "a second mask on the direct connection": (
                "y + x @ self.W.T",
                "y + dropout(self.C[contexts].flatten(1), self.p, self.training) @ self.W.T",
            ),
            "p = 0.5 always": ("self.p, self.training)", "0.5 if self.p else 0.0, self.training)"),
            "count: builds the model": (
                "    wide = context * dimensions\n    output",
                "    return sum(p.numel() for p in NeuralLM(words, dimensions, context, hidden, direct).parameters())\n    "
                "wide = context * dimensions\n    output",
            ),
            "dropout always": ("self.p, self.training)", "self.p)"),
            "dropout on the hidden units": (
                "dropout(self.C[contexts].flatten(1), self.p, self.training)",
                "self.C[contexts].flatten(1)",
                "torch.tanh(x @ self.H.T + self.d) @",
                "dropout(torch.tanh(x @ self.H.T + self.d), self.p, self.training) @",
            ),
            "no error": (
                "if contexts.shape[1] != self.context:",
                "if False:",
                "flatten(1)",
                "flatten(1)[:, : self.H.shape[1]]",
            ),
            "too few words are padded": (
                "if contexts.shape[1] != self.context:",
                "if contexts.shape[1] > self.context:",
                "self.C[contexts].flatten(1)",
                "F.pad(self.C[contexts].flatten(1), (0, self.H.shape[1] - self.C.shape[1] * contexts.shape[1]))",
            ),
            "RuntimeError of the product": ("            raise ValueError", "            raise RuntimeError"),
            "embeddings detached": ("self.C[contexts]", "self.C.detach()[contexts]"),
            "contexts changed": (
                "        x = dropout",
                "        contexts.clamp_(max=3)\n        x = dropout",
            ),
            "U and H swapped where shapes allow": ("x @ self.H.T + self.d", "x @ self.H.T + self.d * 2"),
            "count: d forgotten": ("hidden * (wide + 1)", "hidden * wide"),
            "count: b forgotten": ("hidden + 1 + (wide", "hidden + (wide"),
            "count: C forgotten": ("return words * dimensions + hidden", "return hidden"),
            "count: W always": ("(wide if direct else 0)", "wide"),
            "count: W never": ("(wide if direct else 0)", "0"),
            "count: one embedding of context": (
                "wide = context * dimensions\n    output",
                "wide = dimensions\n    output",
            ),
            "count: a float": ("return words * dimensions", "return 1.0 * words * dimensions"),
            "count: C for each place": ("return words * dimensions", "return words * wide"),
        },
    ),
    "q7": Question(
        right={
            "scipy's and a dot product": """
def perplexity(probabilities):
    p = np.array(probabilities, dtype=float)
    if p.size == 0 or not np.all((p > 0) & (p <= 1)):
        raise ValueError("probabilities")
    return float(2 ** (-np.log2(p).sum() / p.size))
def mixture_weights(components, steps=50):
    P = np.array(components, dtype=float)
    if P.size == 0 or P.min() < 0 or (P.sum(axis=1) == 0).any():
        raise ValueError("components")
    lam = np.ones(P.shape[1]) / P.shape[1]
    for _ in range(steps):
        lam = lam * (P / (P @ lam)[:, None]).mean(axis=0)
    return lam
""",
        },
        wrong={
            "perplexity: sign": ("np.exp(-np.log", "np.exp(np.log"),
            "perplexity: base 2 and e": ("np.log(probabilities)", "np.log2(probabilities)"),
            "perplexity: sum": ("np.log(probabilities).mean()", "np.log(probabilities).sum()"),
            "perplexity: arithmetic mean": (
                "np.exp(-np.log(probabilities).mean())",
                "1 / probabilities.mean()",
            ),
            "perplexity: mean of 1 / p": (
                "np.exp(-np.log(probabilities).mean())",
                "(1 / probabilities).mean()",
            ),
            "perplexity: cross-entropy": (
                "np.exp(-np.log(probabilities).mean())",
                "-np.log(probabilities).mean()",
            ),
            "perplexity: a product": (
                "np.exp(-np.log(probabilities).mean())",
                "np.prod(probabilities) ** (-1 / len(probabilities))",
            ),
            "perplexity: clipped": ("np.log(probabilities)", "np.log(np.maximum(probabilities, 1e-12))"),
            "perplexity: something added": ("np.log(probabilities)", "np.log(probabilities + 1e-10)"),
            "perplexity: 0 allowed": ("(probabilities > 0)", "(probabilities >= 0)"),
            "perplexity: above 1 allowed": (
                "((probabilities > 0) & (probabilities <= 1))",
                "(probabilities > 0)",
            ),
            "perplexity: 1 refused": ("(probabilities <= 1)", "(probabilities < 1)"),
            "perplexity: none allowed": ("if not len(probabilities) or not", "if len(probabilities) and not"),
            "perplexity: nan allowed": (
                "not ((probabilities > 0) & (probabilities <= 1)).all()",
                "(probabilities <= 0).any() or (probabilities > 1).any()",
            ),
            "perplexity: float32 sums": (
                "np.asarray(probabilities, dtype=np.float64)",
                "np.asarray(probabilities, dtype=np.float16)",
            ),
            "em: equal weights": ("    for _ in range(steps):\n", "    for _ in range(0):\n"),
            "em: one round": ("for _ in range(steps)", "for _ in range(min(steps, 1))"),
            "em: a round too many": ("range(steps)", "range(steps + 1)"),
            "em: another default": ("steps=50", "steps=5"),
            "em: shares without the weights": (
                "shares = components * weights",
                "shares = components + 0 * weights",
            ),
            "em: shares not normalized": (
                "(shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)",
                "shares.sum(axis=0) / shares.sum()",
            ),
            "em: normalized over words": (
                "shares.sum(axis=1, keepdims=True)",
                "shares.sum(axis=0, keepdims=True)",
            ),
            "em: summed": (".mean(axis=0)\n    return weights", ".sum(axis=0)\n    return weights"),
            "em: a random start": (
                "np.full(components.shape[1], 1 / components.shape[1])",
                "np.random.default_rng(0).dirichlet(np.ones(components.shape[1]))",
            ),
            "em: stops early": (
                "        weights = (shares",
                "        before = weights\n        weights = (shares",
                ".mean(axis=0)\n    return weights",
                ".mean(axis=0)\n        if abs(weights - before).max() < 1e-6:\n            break\n    return weights",
            ),
            "em: float32 weights": ("return weights", "return weights.astype(np.float32)"),
            "em: winner takes all": (
                "    return weights",
                "    return np.eye(len(weights))[weights.argmax()]",
            ),
            "em: votes": (
                "weights = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)",
                "weights = np.bincount(shares.argmax(axis=1), minlength=len(weights)) / len(shares)",
            ),
            "em: smoothed": (".sum(axis=1, keepdims=True))", ".sum(axis=1, keepdims=True) + 1e-9)"),
            "em: rows of zeros allowed": (
                " or not components.any(axis=1).all()",
                "",
                "shares.sum(axis=1, keepdims=True)",
                "np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)",
            ),
            "em: single zeros refused": ("not components.any(axis=1).all()", "not components.all()"),
            "em: negative entries allowed": (" or (components < 0).any()", ""),
            "em: an empty array allowed": (
                "if not components.size or (components",
                "if (components",
                "for _ in range(steps)",
                "for _ in range(steps * (len(components) > 0))",
            ),
            "em: integers stay integers": (
                "components = np.asarray(components, dtype=np.float64)",
                "components = np.asarray(components)",
                "weights = np.full(",
                "weights = components.dtype.type(1) * np.full(",
                "shares = components * weights",
                "shares = (components * weights).astype(components.dtype)",
            ),
            "em: the argument changed": (
                "shares = components * weights",
                "components *= 1.0001\n        shares = components * weights",
            ),
        },
    ),
}
