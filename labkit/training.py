"""One training loop for every lab: ``batches`` cuts tensors into batches, ``fit`` trains a model on them."""

from __future__ import annotations

import math
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch.utils.data import DataLoader

# To read a number makes the CPU wait for the GPU, which then idles until the CPU has sent it new work.
# So on a GPU losses are read every 16 steps. On a CPU nothing waits, and a bad loss never meets the weights.
READ_EVERY = {"cpu": 1, "cuda": 16}
PRECISIONS = ("auto", "float32", "bfloat16", "float16")


@dataclass
class History:
    """What ``fit`` did, earlier calls that it resumed included.

    ``losses`` has one number per step, ``metrics`` one per epoch. ``stopped`` says why the run ended: "epochs"
    (all are done), "patience" or "max_steps".
    """

    losses: list[float] = field(default_factory=list)
    metrics: list[float] = field(default_factory=list)
    best: float | None = None
    steps: int = 0
    epochs: int = 0
    seconds: float = 0.0
    stopped: str = ""


def batches(*tensors: Any, size: int, shuffle: bool = True, drop_last: bool = False) -> DataLoader:
    """Cut tensors (or arrays) of equal length into batches: lists with one tensor, (size, ...), for each.

    The order is drawn from PyTorch's global generator, anew each epoch. It takes one indexing per tensor,
    where DataLoader's own way takes ``size`` of them and a stack. Raises ValueError for no tensors, for unequal
    lengths, and for a size below 1.
    """
    import torch
    from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset

    lengths = [len(tensor) for tensor in tensors]
    if size < 1 or not lengths or 0 in lengths or len(set(lengths)) > 1:
        raise ValueError(f"size is {size}, the tensors have {lengths} examples; give one length, 1 or more")
    data = TensorDataset(*(torch.as_tensor(tensor) for tensor in tensors))
    order = RandomSampler(data) if shuffle else SequentialSampler(data)
    return DataLoader(data, sampler=BatchSampler(order, size, drop_last), batch_size=None)


def fit(
    model: torch.nn.Module,
    data: Any,
    loss: Callable[[Any, Any], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    *,
    epochs: int,
    scheduler: Any = None,
    clip: float | None = None,
    metric: Callable[[Any], float] | None = None,
    maximize: bool = False,
    patience: int | None = None,
    checkpoint: str | Path | None = None,
    save_every: int | None = None,
    max_steps: int | None = None,
    precision: str = "auto",
    bar: bool = True,
) -> History:
    """Train ``model`` on the device where it is; return the History, and leave the model in eval mode.

    ``data`` has a length and yields batches: tensors, or tuples, lists or dicts of them, which are moved to
    the model's device. ``loss(model, batch)`` returns a scalar tensor. ``scheduler`` is stepped after each
    step. ``clip`` is the largest norm of the gradient of all parameters together. ``precision`` is
    "float32", "bfloat16", "float16" or "auto": on a GPU the 16 bits that it computes in, else float32.

    ``metric(model)`` is called after each epoch, in eval mode and without gradients; lower is better, unless
    ``maximize``. At the end the model has the weights of the best epoch. ``patience`` epochs without a better
    metric end the run. ``max_steps`` ends this call after so many steps, with the latest weights.

    ``checkpoint`` names a file, written after each epoch, every ``save_every`` steps, on Ctrl-C and at the
    end, never half. If it is there, the run goes on from it, with the optimizer's state and learning rate
    of the file, and ends with the very weights of a run that was never stopped. For that, ``data`` draws its
    order at the start of an epoch, from the global generators of Python, NumPy or PyTorch.

    Raises ValueError or TypeError for bad input, and FloatingPointError for a loss that is not finite: on a
    CPU before the update, on a GPU up to 16 steps later; the checkpoint is good on both.
    """
    import torch
    from tqdm.auto import tqdm

    _check(epochs, patience, metric, clip, max_steps, precision)
    run = _Run(model, data, loss, optimizer, scheduler, checkpoint, precision)
    history, scaler, limits = run.history, run.scaler, (epochs, patience, max_steps)
    show = {"total": epochs * run.per_epoch, "initial": history.steps, "disable": not bar}
    with tqdm(**show, unit="step") as run.bar, ExitStack() as at_end:
        at_end.callback(model.eval)
        if threading.current_thread() is threading.main_thread():  # only this one may handle signals
            at_end.callback(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, run.press))
        while not run.ending(*limits):
            for batch in run.rest_of_epoch():
                value = run.forward(batch)
                optimizer.zero_grad()
                scaler.scale(value).backward()
                if clip:
                    scaler.unscale_(optimizer)
                    torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
                scale = scaler.get_scale()
                scaler.step(optimizer)
                scaler.update()
                if scheduler is not None and scaler.get_scale() >= scale:  # smaller: an overflow, no update
                    scheduler.step()
                history.steps += 1
                run.bar.update()
                if save_every and history.steps % save_every == 0:
                    run.save()
                if run.ending(*limits):
                    break
            if history.steps == (history.epochs + 1) * run.per_epoch:
                with torch.no_grad():
                    run.end_epoch(metric, maximize)
        history.stopped = run.ending(*limits)
        run.save()
        if run.best and history.stopped in ("epochs", "patience"):
            model.load_state_dict(run.best)
    if run.pressed:
        raise KeyboardInterrupt(f"stopped after step {history.steps}; a call with its checkpoint goes on")
    return history


class _Run:
    """What surrounds the steps of ``fit``: place in the data, losses, best weights, checkpoint."""

    def __init__(self, model, data, loss, optimizer, scheduler, checkpoint, precision) -> None:
        import torch

        self.model, self.data, self.loss, self.optimizer = model, data, loss, optimizer
        self.per_epoch = len(data)
        if not self.per_epoch:
            raise ValueError("data has 0 batches; give 1 or more")
        if set(model.parameters()).isdisjoint(p for group in optimizer.param_groups for p in group["params"]):
            raise ValueError("the optimizer has no parameter of this model; make it from model.parameters()")
        self.device = next(model.parameters()).device
        if precision == "auto" and self.device.type == "cuda":
            # From Ampere (8.0) on a GPU computes in bfloat16; an older one, as Colab's T4, only emulates it.
            modern = torch.cuda.get_device_capability(self.device) >= (8, 0)
            precision = "bfloat16" if modern else "float16"
        dtype = None if precision in ("auto", "float32") else getattr(torch, precision)
        self.autocast = torch.autocast(self.device.type, dtype, enabled=dtype is not None)
        # Small gradients are 0 in float16: the scaler multiplies the loss, and divides the gradients again.
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=precision == "float16")
        parts = {"optimizer": optimizer, "model": model, "scheduler": scheduler, "scaler": self.scaler}
        self.parts = {name: part for name, part in parts.items() if part is not None}
        names = " + ".join(type(part).__name__ for part in self.parts.values())
        sizes = [tensor.numel() for tensor in model.state_dict().values()]
        self.kind = f"{names}: {len(sizes)} tensors, {sum(sizes):,} numbers, {self.per_epoch} steps an epoch"
        self.history, self.best, self.begun, self.unread = History(), None, None, []
        self.pressed = False  # Ctrl-C
        self.path = Path(checkpoint) if checkpoint else None
        if self.path and self.path.exists():
            self.resume()
        self.first, self.clock = self.history.steps, time.perf_counter() - self.history.seconds

    def press(self, *_: Any) -> None:
        """Ctrl-C: finish the step first. Another one raises at once."""
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True

    def place(self, step: int) -> str:
        epoch, batch = divmod(step, self.per_epoch)
        return f"step {step + 1} (epoch {epoch + 1}, batch {batch + 1} of {self.per_epoch})"

    def ending(self, epochs: int, patience: int | None, max_steps: int | None) -> str:
        """Why the run should end now, between two steps; empty if it should not."""
        if self.history.epochs >= epochs:
            return "epochs"
        if patience and self.history.best in self.history.metrics[:-patience]:
            return "patience"
        if self.history.steps - self.first == max_steps:
            return "max_steps"
        return "interrupt" if self.pressed else ""

    def rest_of_epoch(self) -> Iterator[Any]:
        """The batches of this epoch that are still to do; those that are done are drawn again and skipped."""
        self.model.train()
        skip = self.history.steps - self.history.epochs * self.per_epoch
        now = _random_states(self.device)
        if skip == 0:
            self.begun = now
        _set_random_states(self.begun, self.device)
        for number, batch in enumerate(islice(self.data, self.per_epoch)):
            if number == skip - 1:
                _set_random_states(now, self.device)
            if number >= skip:
                yield batch
        if self.history.steps < (self.history.epochs + 1) * self.per_epoch:
            raise ValueError(f"data ended before {self.place(self.history.steps)}; its length is wrong")

    def forward(self, batch: Any) -> torch.Tensor:
        """The loss of a batch, which is also kept to be read."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if not all(0 <= rate < math.inf for rate in rates):
            raise ValueError(f"the learning rates are {rates}; give numbers, 0 or more")
        try:
            with self.autocast:
                value = self.loss(self.model, _move(batch, self.device))
            if not hasattr(value, "backward") or value.numel() != 1:
                raise TypeError(f"loss returned {getattr(value, 'shape', value)}; return a scalar tensor")
        except Exception as error:
            error.add_note(f"at {self.place(self.history.steps)}")
            raise
        self.unread.append(value.detach())
        if len(self.unread) >= READ_EVERY.get(self.device.type, 1):
            self.read_losses()
        return value

    def read_losses(self) -> None:
        """Read the losses that are still on the device; stop at one that is not finite."""
        losses = self.history.losses
        for value in [value.item() for value in self.unread]:
            if not math.isfinite(value):
                rate = self.optimizer.param_groups[0]["lr"]
                what = f"the loss is {value} at {self.place(len(losses))}, learning rate {rate:.3g}"
                raise FloatingPointError(f"{what}; lower it, set clip=1.0, or look at that batch")
            losses.append(value)
            self.bar.set_postfix_str(f"loss {value:.4f}", refresh=False)
        self.unread = []

    def end_epoch(self, metric: Any, maximize: bool) -> None:
        self.save()  # before the metric, which is the caller's code and may fail
        if metric:
            value = float(metric(self.model.eval()))
            if math.isnan(value):
                raise ValueError(f"metric returned nan after epoch {self.history.epochs + 1}")
            self.history.metrics.append(value)
            best = (max if maximize else min)(self.history.metrics)
            if best != self.history.best:
                self.history.best = best
                self.best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        self.history.epochs += 1

    def save(self) -> None:
        """Write the checkpoint beside the old one, then replace that: at any time one of them is whole."""
        import torch

        self.read_losses()
        if not all(parameter.isfinite().all() for parameter in self.model.parameters()):
            raise FloatingPointError(f"the weights are not finite after {self.place(self.history.steps - 1)}")
        self.history.seconds = time.perf_counter() - self.clock
        if self.path:
            state = {name: part.state_dict() for name, part in self.parts.items()}
            state |= {"kind": self.kind, "history": vars(self.history), "best": self.best}
            state |= {"begun": self.begun, "now": _random_states(self.device)}
            self.path.parent.mkdir(parents=True, exist_ok=True)
            torch.save(state, f"{self.path}.part")
            os.replace(f"{self.path}.part", self.path)

    def resume(self) -> None:
        """Go on from the checkpoint, if it is one of this run."""
        import torch

        try:
            saved = torch.load(self.path, map_location="cpu", weights_only=True)
            if saved["kind"] != self.kind:
                raise ValueError(f"it is from a run of {saved['kind']}; this one is of {self.kind}")
            for name, tensor in self.model.state_dict().items():
                if name not in saved["model"] or saved["model"][name].shape != tensor.shape:
                    raise ValueError(f"it has no {name} of shape {tuple(tensor.shape)}")
            for name, part in self.parts.items():
                if saved[name]:  # a scaler that was not used has no state
                    part.load_state_dict(saved[name])
        except Exception as error:
            remedy = "name another, or delete this file to begin anew"
            raise ValueError(f"{self.path} is not a checkpoint of this run; {remedy}: {error}") from error
        self.history, self.best, self.begun = History(**saved["history"]), saved["best"], saved["begun"]
        _set_random_states(saved["now"], self.device)
        print(f"{self.path}: going on after step {self.history.steps}")


def _check(epochs, patience, metric, clip, max_steps, precision) -> None:
    """Raise ValueError for settings of ``fit`` that mean nothing."""
    if not epochs >= 1 or epochs % 1 or (patience and not metric):
        raise ValueError("give epochs=, 1 or more whole ones, and with patience= also metric=, a function")
    if (clip is not None and not clip > 0) or (max_steps is not None and max_steps < 1):
        raise ValueError(f"clip is {clip} and max_steps is {max_steps}; give numbers above 0, or None")
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}; give one of {', '.join(PRECISIONS)}")


def _random_states(device: torch.device) -> list[Any]:
    """The states of the global random generators, as plain types and tensors."""
    import torch

    kind, key, *rest = np.random.get_state()  # noqa: NPY002 (what callers may draw from)
    cuda = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
    return [random.getstate(), (kind, key.tolist(), *rest), torch.get_rng_state(), cuda]


def _set_random_states(states: list[Any], device: torch.device) -> None:
    import torch

    random.setstate(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
    torch.set_rng_state(states[2])
    if device.type == "cuda" and states[3] is not None:
        torch.cuda.set_rng_state(states[3], device)


def _move(batch: Any, device: torch.device) -> Any:
    """The batch with its tensors on ``device``."""
    if hasattr(batch, "to"):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {name: _move(part, device) for name, part in batch.items()}
    return type(batch)(_move(p, device) for p in batch) if isinstance(batch, (tuple, list)) else batch
