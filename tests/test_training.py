from __future__ import annotations

import ast
import inspect
import io
import math
import os
import random
import signal
import subprocess
import sys
import threading
import tokenize
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup

from labkit import training

pytestmark = pytest.mark.hangs_on("labkit/**")

EXAMPLES, WIDTH, CLASSES, SIZE, EPOCHS = 14, 5, 3, 4, 3
STEPS = EPOCHS * math.ceil(EXAMPLES / SIZE)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def examples() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    inputs = torch.randn(EXAMPLES, WIDTH, generator=generator)
    return inputs, inputs[:, :CLASSES].argmax(1)


def seed(number: int) -> None:
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002
    torch.manual_seed(number)


def network() -> nn.Module:
    return nn.Sequential(
        nn.Linear(WIDTH, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, CLASSES)
    )


def classify(model, batch) -> torch.Tensor:
    inputs, labels = batch
    return cross_entropy(model(inputs), labels)


def adam(model) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=0.05)


def momentum(model) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)


class Shuffled:
    """Batches in an order that a global generator gives, as a caller may write it."""

    def __init__(self, shuffle):
        self.shuffle = shuffle

    def __len__(self):
        return math.ceil(EXAMPLES / SIZE)

    def __iter__(self):
        inputs, labels = examples()
        order = list(range(EXAMPLES))
        self.shuffle(order)
        for begin in range(0, EXAMPLES, SIZE):
            yield inputs[order[begin : begin + SIZE]], labels[order[begin : begin + SIZE]]


DATA = {
    "batches": lambda: training.batches(*examples(), size=SIZE),
    "fixed order": lambda: training.batches(*examples(), size=SIZE, shuffle=False),
    "DataLoader": lambda: DataLoader(TensorDataset(*examples()), batch_size=SIZE, shuffle=True),
    "python": lambda: Shuffled(random.shuffle),
    "numpy": lambda: Shuffled(np.random.shuffle),
    "list": lambda: list(training.batches(*examples(), size=SIZE)),
}


def train(number=1, *, data="batches", make=adam, schedule=True, **options):
    """A run from scratch with seed ``number``: the model and its history."""
    seed(number)
    model = network()
    optimizer = make(model)
    found = DATA[data]()
    options = {"epochs": EPOCHS, "clip": 0.5, "bar": False, **options}
    if schedule:
        options["scheduler"] = get_linear_schedule_with_warmup(optimizer, 2, STEPS)
    return model, training.fit(model, found, classify, optimizer, **options)


def same(model, other) -> bool:
    ours, theirs = model.state_dict(), other.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


# What it computes


def test_a_run_is_the_loop_that_everybody_writes():
    model, history = train(data="fixed order")
    seed(1)
    plain = network()
    optimizer = adam(plain)
    scheduler = get_linear_schedule_with_warmup(optimizer, 2, STEPS)
    losses = []
    plain.train()
    for _ in range(EPOCHS):
        for batch in DATA["fixed order"]():
            value = classify(plain, batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
            optimizer.step()
            scheduler.step()
            losses.append(value.item())
    assert history.losses == losses
    assert same(model, plain)
    assert (history.steps, history.epochs, history.stopped) == (STEPS, EPOCHS, "epochs")
    assert history.seconds > 0
    assert not model.training


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_clip_bounds_the_update(precision):
    seed(1)
    model = nn.Linear(WIDTH, CLASSES)
    before = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    options = {"epochs": 1, "clip": 0.01, "precision": precision, "bar": False}
    training.fit(model, [examples()], classify, optimizer, **options)
    moved = [p.detach() - q for p, q in zip(model.parameters(), before, strict=True)]
    assert math.sqrt(sum(float(m.square().sum()) for m in moved)) == pytest.approx(0.01, rel=1e-3)


def test_it_learns_to_tell_two_classes_apart():
    seed(1)
    inputs = torch.randn(300, 2)
    labels = (inputs[:, 0] * inputs[:, 1] > 0).long()
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
    accuracy = lambda m: float((m(inputs).argmax(1) == labels).float().mean())  # noqa: E731
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    data = training.batches(inputs, labels, size=32)
    history = training.fit(
        model, data, classify, optimizer, epochs=30, metric=accuracy, maximize=True, bar=False
    )
    assert history.best == max(history.metrics) == accuracy(model) > 0.95
    assert history.losses[-1] < history.losses[0]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda x, y: {"inputs": x, "more": [y, "text", None]},
        lambda x, y: (x, {"labels": y}),
        lambda x, y: x,
    ],
)
def test_a_batch_may_be_nested(wrap):
    inputs, labels = examples()
    seen = []

    def loss(model, batch):
        seen.append(batch)
        return model(inputs).square().mean()

    model = nn.Linear(WIDTH, 1)
    training.fit(model, [wrap(inputs, labels)], loss, adam(model), epochs=1, bar=False)
    assert str(seen) == str([wrap(inputs, labels)])


def test_forced_precision_computes_in_it_and_keeps_float32_weights():
    kinds = []

    def loss(model, batch):
        output = model(batch[0])
        kinds.append(output.dtype)
        return cross_entropy(output, batch[1])

    for precision in ("auto", "float32", "bfloat16", "float16"):
        model = nn.Linear(WIDTH, CLASSES)
        before = model.weight.detach().clone()
        history = training.fit(
            model, [examples()] * 3, loss, adam(model), epochs=1, precision=precision, bar=False
        )
        assert all(map(math.isfinite, history.losses))
        assert model.weight.dtype is torch.float32
        assert not torch.equal(model.weight, before)
    assert kinds[::3] == [torch.float32, torch.float32, torch.bfloat16, torch.float16]


def test_float16_leaves_out_an_overflowed_step_and_its_scheduler_step():
    def loss(model, batch):
        return classify(model, batch) * (1e36 if len(kept) == 0 else 1.0)  # times the scale: infinite

    kept: list[int] = []
    model = nn.Linear(WIDTH, CLASSES)
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    options = {"epochs": 1, "scheduler": scheduler, "precision": "float16", "bar": False}
    training.fit(model, [examples()], loss, optimizer, **options)
    assert torch.equal(model.weight, before)
    assert optimizer.param_groups[0]["lr"] == 0.1
    kept.append(1)
    training.fit(model, [examples()], loss, optimizer, **options)
    assert not torch.equal(model.weight, before)
    assert optimizer.param_groups[0]["lr"] == 0.05


def test_the_bar_shows_steps_and_loss_and_can_be_silenced(capsys):
    train(bar=True)
    shown = capsys.readouterr().err
    assert f"{STEPS}/{STEPS}" in shown
    assert "loss" in shown
    train(bar=False)
    assert capsys.readouterr() == ("", "")


# Metric, patience, best weights


def scripted(values):
    """A metric that reads its values from a list, and remembers the weights it was called with."""
    seen, left = [], iter(values)

    def metric(model):
        assert not model.training
        assert not torch.is_grad_enabled()
        seen.append({name: tensor.clone() for name, tensor in model.state_dict().items()})
        return next(left)

    return metric, seen


@pytest.mark.parametrize(
    ("values", "maximize", "patience", "epochs", "kept", "stopped"),
    [
        ([3.0, 1.0, 2.0, 2.5, 0.0], False, 2, 4, 1, "patience"),
        ([3.0, 1.0, 2.0, 2.5, 0.0], False, None, 5, 4, "epochs"),
        ([3.0, 1.0, 2.0], True, 1, 2, 0, "patience"),
        ([1.0, 1.0, 1.0, 0.0], False, 2, 3, 0, "patience"),  # as good is not better
        ([math.inf, 5.0, 6.0], False, 2, 3, 1, "epochs"),
        ([0.0, 0.1, 0.2], True, 1, 3, 2, "epochs"),
    ],
)
def test_patience_and_best_weights(values, maximize, patience, epochs, kept, stopped):
    metric, seen = scripted(values)
    model, history = train(metric=metric, maximize=maximize, patience=patience, epochs=len(values))
    assert history.metrics == values[:epochs]
    assert (history.epochs, history.stopped, history.best) == (epochs, stopped, values[kept])
    assert all(torch.equal(tensor, seen[kept][name]) for name, tensor in model.state_dict().items())


# Resume


def norm(model) -> float:
    return float(model[0].weight.square().sum())


@pytest.mark.parametrize("data", DATA)
def test_a_run_stopped_at_every_step_and_resumed_is_the_same_run(data, tmp_path, capsys):
    whole, history = train(data=data)
    after = torch.rand(1), random.random(), np.random.rand()  # noqa: NPY002
    for stop in range(1, STEPS):
        path = tmp_path / f"{stop}.pt"
        part, early = train(data=data, checkpoint=path, max_steps=stop)
        assert (early.steps, early.stopped) == (stop, "max_steps")
        assert not same(part, whole)
        # Another seed: weights, order and dropout must all come from the checkpoint. A list is drawn by the caller.
        model, resumed = train(1 if data == "list" else 99, data=data, checkpoint=path)
        assert same(model, whole), f"stopped after step {stop}"
        assert resumed.losses == history.losses
        assert (torch.rand(1), random.random(), np.random.rand()) == after  # noqa: NPY002
    assert f"going on after step {STEPS - 1}\n" in capsys.readouterr().out


@pytest.mark.parametrize(("maximize", "stopped"), [(False, "patience"), (True, "epochs")])
@pytest.mark.parametrize("make", [adam, momentum])
def test_so_is_one_with_early_stopping_and_best_weights(make, maximize, stopped, tmp_path):
    options = {"make": make, "metric": norm, "maximize": maximize, "patience": 1, "schedule": False}
    whole, history = train(**options)
    assert history.stopped == stopped
    for stop in range(1, history.steps):
        path = tmp_path / f"{stop}.pt"
        train(**options, checkpoint=path, max_steps=stop)
        model, resumed = train(99, **options, checkpoint=path)
        assert same(model, whole)
        assert (resumed.losses, resumed.metrics, resumed.best) == (
            history.losses,
            history.metrics,
            history.best,
        )


def test_a_run_of_one_step_a_call_is_the_same_run(tmp_path):
    whole, history = train(metric=norm)
    for call in range(STEPS):
        model, last = train(99 if call else 1, metric=norm, checkpoint=tmp_path / "run.pt", max_steps=1)
    assert same(model, whole)
    assert (last.losses, last.metrics, last.stopped) == (history.losses, history.metrics, "epochs")


def test_a_finished_run_is_given_back_at_once_and_can_be_made_longer(tmp_path):
    path = tmp_path / "new folder" / "run.pt"
    model, history = train(metric=norm, schedule=False, checkpoint=path)
    again, found = train(99, metric=norm, schedule=False, checkpoint=path)
    assert same(again, model)
    assert (found.losses, found.metrics, found.stopped) == (history.losses, history.metrics, "epochs")
    longer, _ = train(99, metric=norm, schedule=False, checkpoint=path, epochs=EPOCHS + 2)
    whole, _ = train(metric=norm, schedule=False, epochs=EPOCHS + 2)
    assert same(longer, whole)
    assert [p.name for p in path.parent.iterdir()] == ["run.pt"]


def test_a_metric_that_fails_costs_nothing(tmp_path):
    def broken(model):
        raise ZeroDivisionError

    whole, history = train(metric=norm)
    with pytest.raises(ZeroDivisionError):
        train(metric=broken, checkpoint=tmp_path / "run.pt")
    with pytest.raises(ValueError, match="metric returned nan after epoch 1"):
        train(99, metric=lambda model: math.nan, checkpoint=tmp_path / "run.pt")
    model, resumed = train(99, metric=norm, checkpoint=tmp_path / "run.pt")
    assert same(model, whole)
    assert resumed.metrics == history.metrics


def test_save_every_saves_between_epochs(tmp_path):
    class Lost(Exception):
        pass

    def loss(model, batch):
        calls.append(1)
        if len(calls) == 7:
            raise Lost
        return classify(model, batch)

    calls: list[int] = []
    whole, _ = train(schedule=False)
    seed(1)
    model = network()
    data, path = DATA["batches"](), tmp_path / "run.pt"
    with pytest.raises(Lost):
        training.fit(
            model, data, loss, adam(model), epochs=3, clip=0.5, checkpoint=path, save_every=3, bar=False
        )
    assert torch.load(path, weights_only=True)["history"]["steps"] == 6
    model, _ = train(99, schedule=False, checkpoint=path)
    assert same(model, whole)


def test_resume_under_float16_keeps_the_scale(tmp_path):
    whole, history = train(precision="float16")
    for stop in (1, 6):
        train(precision="float16", checkpoint=tmp_path / f"{stop}.pt", max_steps=stop)
        model, resumed = train(99, precision="float16", checkpoint=tmp_path / f"{stop}.pt")
        assert same(model, whole)
        assert resumed.losses == history.losses
    # A machine without float16's scaler goes on in its own precision.
    train(precision="float32", checkpoint=tmp_path / "other.pt", max_steps=2)
    assert train(precision="float16", checkpoint=tmp_path / "other.pt")[1].steps == STEPS


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(WIDTH, CLASSES)

    def forward(self, inputs):
        return self.layer(inputs)


FIRST = "Adam + Linear + GradScaler: 2 tensors, 18 numbers, 4 steps an epoch"


@pytest.mark.parametrize(
    ("model", "make", "rows", "difference"),
    [
        (
            lambda: nn.Linear(WIDTH, 4),
            adam,
            SIZE,
            "Adam + Linear + GradScaler: 2 tensors, 24 numbers, 4 steps",
        ),
        (Deep, adam, SIZE, "Adam + Deep + GradScaler"),
        (lambda: nn.Linear(WIDTH, CLASSES), momentum, SIZE, "SGD + Linear + GradScaler"),
        (
            lambda: nn.Linear(WIDTH, CLASSES),
            lambda m: torch.optim.Adam([m.weight], lr=0.05),
            SIZE,
            "doesn't match the size of optimizer's group",
        ),
        (lambda: nn.Linear(WIDTH, CLASSES), adam, SIZE + 1, "2 tensors, 18 numbers, 3 steps an epoch"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_and_nothing_changes(model, make, rows, difference, tmp_path):
    path = tmp_path / "run.pt"
    first = nn.Linear(WIDTH, CLASSES)
    data = training.batches(*examples(), size=SIZE)
    training.fit(first, data, classify, adam(first), epochs=1, checkpoint=path, bar=False)
    written = path.read_bytes()

    other = model()
    optimizer = make(other)
    before = {name: tensor.clone() for name, tensor in other.state_dict().items()}
    state, random_state = str(optimizer.state_dict()), torch.get_rng_state()
    data = training.batches(*examples(), size=rows)
    with pytest.raises(ValueError, match="is not a checkpoint of this run") as error:
        training.fit(other, data, classify, optimizer, epochs=1, checkpoint=path, bar=False)
    assert difference in str(error.value)
    assert FIRST in str(error.value) or "optimizer's group" in difference
    assert str(path) in str(error.value)
    assert "delete this file to begin anew" in str(error.value)
    assert all(torch.equal(before[name], tensor) for name, tensor in other.state_dict().items())
    assert str(optimizer.state_dict()) == state
    assert torch.equal(torch.get_rng_state(), random_state)
    assert path.read_bytes() == written


def test_the_learning_rate_of_the_checkpoint_wins(tmp_path):
    path = tmp_path / "run.pt"
    whole, _ = train(schedule=False)
    train(schedule=False, checkpoint=path, max_steps=5)
    model, _ = train(
        99, schedule=False, checkpoint=path, make=lambda m: torch.optim.Adam(m.parameters(), lr=9.0)
    )
    assert same(model, whole)


def test_a_scheduler_more_is_another_run(tmp_path):
    train(schedule=True, checkpoint=tmp_path / "run.pt", max_steps=2)
    with pytest.raises(
        ValueError, match=r"Adam \+ Sequential \+ LambdaLR .* this one is of Adam \+ Sequential \+ Grad"
    ):
        train(schedule=False, checkpoint=tmp_path / "run.pt")


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("no checkpoint"),
        lambda path: torch.save(network().state_dict(), path),
        lambda path: torch.save({"kind": "", "model": os.getcwd}, path),
        lambda path: path.mkdir(),
    ],
)
def test_a_file_that_is_no_checkpoint_is_refused(write, tmp_path):
    write(tmp_path / "run.pt")
    with pytest.raises(ValueError, match=r"run\.pt is not a checkpoint of this run; name another"):
        train(checkpoint=tmp_path / "run.pt")


def test_a_checkpoint_cut_short_is_refused(tmp_path):
    path = tmp_path / "run.pt"
    train(checkpoint=path, max_steps=2)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="is not a checkpoint of this run"):
        train(checkpoint=path)


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    def full(state, path):
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    whole, _ = train()
    path = tmp_path / "run.pt"
    train(checkpoint=path, max_steps=3)
    written = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", full)
        with pytest.raises(OSError, match="No space left"):
            train(checkpoint=path)
    assert path.read_bytes() == written
    model, _ = train(checkpoint=path)
    assert same(model, whole)
    assert [p.name for p in tmp_path.iterdir()] == ["run.pt"]


# Bad numbers


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_stops_with_the_batch_named(bad, tmp_path):
    inputs, labels = examples()
    data = [(inputs, labels)] * 3 + [(inputs * bad, labels)]
    path = tmp_path / "run.pt"
    seed(1)
    model = nn.Linear(WIDTH, CLASSES)
    good = []

    def loss(model, batch):
        good.append(model.weight.detach().clone())
        return classify(model, batch)

    with pytest.raises(FloatingPointError) as error:
        training.fit(model, data, loss, adam(model), epochs=2, checkpoint=path, save_every=2, bar=False)
    assert "the loss is nan at step 4 (epoch 1, batch 4 of 4), learning rate 0.05" in str(error.value)
    assert "clip=1.0" in str(error.value)
    assert torch.equal(model.weight, good[-1])
    assert model.weight.isfinite().all()
    assert not model.training
    saved = torch.load(path, weights_only=True)
    assert saved["history"]["steps"] == 2
    assert torch.equal(saved["model"]["weight"], good[2])


def test_on_a_gpu_a_bad_loss_is_found_before_it_is_saved(tmp_path, monkeypatch):
    """Losses are read late there; here the reading is late, and the device still a CPU."""
    monkeypatch.setitem(training.READ_EVERY, "cpu", 16)
    inputs, labels = examples()
    data = [(inputs, labels)] * 5 + [(inputs * math.nan, labels)] + [(inputs, labels)] * 4
    model = nn.Linear(WIDTH, CLASSES)
    path = tmp_path / "run.pt"
    with pytest.raises(FloatingPointError, match=r"the loss is nan at step 6 \(epoch 1, batch 6 of 10\)"):
        training.fit(model, data, classify, adam(model), epochs=2, checkpoint=path, save_every=4, bar=False)
    saved = torch.load(path, weights_only=True)
    assert saved["history"]["steps"] == len(saved["history"]["losses"]) == 4
    assert saved["model"]["weight"].isfinite().all()


def test_late_reading_changes_no_number(monkeypatch, tmp_path):
    whole, history = train(epochs=6)
    monkeypatch.setitem(training.READ_EVERY, "cpu", 16)
    late, found = train(epochs=6)
    assert found.losses == history.losses
    assert same(late, whole)
    train(epochs=6, checkpoint=tmp_path / "run.pt", max_steps=19)
    model, found = train(99, epochs=6, checkpoint=tmp_path / "run.pt")
    assert found.losses == history.losses
    assert same(model, whole)


def test_a_bad_gradient_under_a_good_loss_is_not_saved(tmp_path):
    """The gradient of the square root at 0 is infinite; times 0 it is nan."""
    data = [(torch.ones(1, 1),), (torch.zeros(1, 1),)]
    model = nn.Linear(1, 1, bias=False)
    nn.init.ones_(model.weight)
    path = tmp_path / "run.pt"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loss = lambda model, batch: model(batch[0]).abs().sqrt().sum()  # noqa: E731
    with pytest.raises(
        FloatingPointError, match=r"weights are not finite after step 2 \(epoch 1, batch 2 of 2\)"
    ):
        training.fit(model, data, loss, optimizer, epochs=1, checkpoint=path, save_every=1, bar=False)
    assert torch.load(path, weights_only=True)["history"]["steps"] == 1


# Ctrl-C


def test_ctrl_c_ends_the_step_saves_and_raises(tmp_path):
    def pressed(model, batch):
        calls.append(1)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return classify(model, batch)

    calls: list[int] = []
    whole, history = train(schedule=False)
    before = signal.getsignal(signal.SIGINT)
    seed(1)
    model = network()
    data, path = DATA["batches"](), tmp_path / "run.pt"
    with pytest.raises(KeyboardInterrupt, match="stopped after step 5"):
        training.fit(model, data, pressed, adam(model), epochs=3, clip=0.5, checkpoint=path, bar=False)
    assert signal.getsignal(signal.SIGINT) is before
    assert torch.load(path, weights_only=True)["history"]["steps"] == 5
    resumed, found = train(99, schedule=False, checkpoint=path)
    assert same(resumed, whole)
    assert found.losses == history.losses


def test_ctrl_c_in_the_metric_loses_nothing(tmp_path):
    def pressed(model):
        signal.raise_signal(signal.SIGINT)
        return norm(model)

    whole, history = train(metric=norm)
    with pytest.raises(KeyboardInterrupt, match="stopped after step 4"):
        train(metric=pressed, checkpoint=tmp_path / "run.pt")
    model, found = train(99, metric=norm, checkpoint=tmp_path / "run.pt")
    assert same(model, whole)
    assert found.metrics == history.metrics


def test_a_second_ctrl_c_raises_at_once():
    def stuck(model, batch):
        signal.raise_signal(signal.SIGINT)
        calls.append("first")
        signal.raise_signal(signal.SIGINT)
        calls.append("never")

    calls: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    model = nn.Linear(WIDTH, CLASSES)
    with pytest.raises(KeyboardInterrupt):
        training.fit(model, [examples()], stuck, adam(model), epochs=1, bar=False)
    assert calls == ["first"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_thread_can_train_too():
    found = []
    thread = threading.Thread(target=lambda: found.append(train()[1].steps))
    thread.start()
    thread.join()
    assert found == [STEPS]


RUN = """
import sys, time, torch
from labkit import training
torch.set_num_threads(1)
torch.manual_seed(int(sys.argv[2]))
inputs = torch.randn(40, 3, generator=torch.Generator().manual_seed(5))
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
def loss(model, batch):
    time.sleep(float(sys.argv[3]))
    print("step", flush=True)
    return model(batch[0]).square().mean()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
data = training.batches(inputs, size=4)
training.fit(model, data, loss, optimizer, epochs=3, checkpoint=sys.argv[1] or None, bar=False)
print("weights", [p.tolist() for p in model.parameters()])
"""


def test_ctrl_c_of_a_program_leaves_a_checkpoint_that_goes_on(tmp_path):
    def command(path, number, pause):
        return [sys.executable, "-c", RUN, str(path), str(number), str(pause)]

    whole = subprocess.run(command("", 1, 0), capture_output=True, text=True, check=True).stdout
    path = tmp_path / "run.pt"
    with subprocess.Popen(
        command(path, 1, 0.05), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        for _ in range(13):
            run.stdout.readline()
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=60)
    assert "KeyboardInterrupt: stopped after step 1" in errors
    assert run.returncode != 0
    done = torch.load(path, weights_only=True)["history"]["steps"]
    assert 13 <= done < 30
    assert [p.name for p in tmp_path.iterdir()] == ["run.pt"]
    rest = subprocess.run(command(path, 2, 0), capture_output=True, text=True, check=True).stdout
    assert rest.count("step\n") == 30 - done
    assert rest.splitlines()[-1] == whole.splitlines()[-1]


# Bad input


def run(**changes):
    model = changes.pop("model", None) or nn.Linear(WIDTH, CLASSES)
    optimizer = changes.pop("optimizer", None) or adam(model)
    data = changes.pop("data", [examples()])
    loss = changes.pop("loss", classify)
    return training.fit(model, data, loss, optimizer, **{"epochs": 1, "bar": False, **changes})


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("epochs", 0, "give epochs=, 1 or more"),
        ("epochs", -1, "give epochs=, 1 or more"),
        ("epochs", math.nan, "give epochs=, 1 or more"),
        ("epochs", 1.5, "give epochs=, 1 or more whole ones"),
        ("clip", -1.0, "clip is -1.0"),
        ("clip", 0, "clip is 0"),
        ("clip", math.nan, "clip is nan"),
        ("max_steps", 0, "max_steps is 0"),
        ("max_steps", -1, "max_steps is -1"),
        ("precision", "bf16", "precision is 'bf16'; give one of auto, float32, bfloat16, float16"),
        ("patience", 1, "with patience= also metric="),
        ("data", [], "data has 0 batches"),
    ],
)
def test_bad_options_are_named(option, value, message):
    with pytest.raises(ValueError, match=message):
        run(**{option: value})


@pytest.mark.parametrize("rate", [math.nan, -0.1, math.inf])
def test_bad_learning_rates_are_named(rate):
    model = nn.Linear(WIDTH, CLASSES)
    optimizer = torch.optim.SGD([{"params": [model.weight]}, {"params": [model.bias]}], lr=0.1)
    optimizer.param_groups[1]["lr"] = rate
    with pytest.raises(ValueError, match=rf"the learning rates are \[0\.1, {rate}\]"):
        run(model=model, optimizer=optimizer)


def test_a_scheduler_that_goes_wrong_is_stopped_before_the_update():
    model = nn.Linear(WIDTH, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: math.nan if step == 2 else 1.0)
    with pytest.raises(ValueError, match=r"the learning rates are \[nan\]"):
        run(model=model, optimizer=optimizer, scheduler=scheduler, data=[examples()] * 5)
    assert model.weight.isfinite().all()


def test_data_that_is_shorter_than_its_length_is_an_error():
    class Short(list):
        def __len__(self):
            return 5

    with pytest.raises(ValueError, match=r"data ended before step 3 \(epoch 1, batch 3 of 5\)"):
        run(data=Short([examples()] * 2))


def test_an_optimizer_of_something_else_is_an_error():
    with pytest.raises(ValueError, match="the optimizer has no parameter of this model"):
        run(optimizer=adam(nn.Linear(WIDTH, CLASSES)))
    with pytest.raises(ValueError, match="the optimizer has no parameter of this model"):
        run(model=nn.Tanh(), optimizer=adam(nn.Linear(WIDTH, CLASSES)))


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (lambda m, b: classify(m, b).item(), TypeError, r"loss returned \d+\.\d+; return a scalar tensor"),
        (lambda m, b: None, TypeError, "loss returned None"),
        (lambda m, b: m(b[0]), TypeError, r"loss returned torch\.Size\(\[14, 3\]\)"),
        (lambda m, b: cross_entropy(m(b[0]), b[1] + 9), IndexError, "out of bounds"),
        (lambda m, b: m(b[0][:, 1:]), RuntimeError, "shapes cannot be multiplied"),
    ],
)
def test_an_error_of_the_loss_names_its_batch(loss, error, message):
    def second(model, batch):
        calls.append(1)
        return (loss if len(calls) == 2 else classify)(model, batch)

    calls: list[int] = []
    model = nn.Linear(WIDTH, CLASSES)
    with pytest.raises(error, match=message) as raised:
        run(model=model, loss=second, data=[examples()] * 3)
    assert raised.value.__notes__ == ["at step 2 (epoch 1, batch 2 of 3)"]
    assert not model.training


def test_a_batch_of_one_and_a_loss_of_shape_one():
    inputs, labels = examples()
    data = training.batches(inputs[:1], labels[:1], size=1)
    history = run(data=data, loss=lambda m, b: classify(m, b).reshape(1))
    assert history.steps == len(history.losses) == 1


# batches


def test_batches_hold_every_example_once_in_a_new_order_each_epoch():
    inputs, labels = torch.arange(10), np.arange(10) * 2
    torch.manual_seed(1)
    data = training.batches(inputs, labels, size=4)
    epochs = [list(data) for _ in range(2)]
    assert len(data) == 3
    for batches in epochs:
        assert [len(x) for x, _ in batches] == [4, 4, 2]
        assert sorted(torch.cat([x for x, _ in batches]).tolist()) == list(range(10))
        assert all(torch.equal(2 * x, y) for x, y in batches)
    assert str(epochs[0]) != str(epochs[1])
    fixed = training.batches(inputs, labels, size=4, shuffle=False, drop_last=True)
    assert [x.tolist() for x, _ in fixed] == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize(
    ("tensors", "size", "message"),
    [
        ([], 4, "the tensors have .* examples"),
        ([torch.zeros(0, 2)], 4, r"the tensors have \[0\] examples"),
        ([torch.zeros(3), torch.zeros(4)], 4, r"the tensors have \[3, 4\] examples"),
        ([torch.zeros(3)], 0, "size is 0, .* 1 or more"),
        ([torch.zeros(3)], -2, "size is -2"),
    ],
)
def test_batches_of_nothing_or_of_unequal_lengths_are_errors(tensors, size, message):
    with pytest.raises(ValueError, match=message):
        training.batches(*tensors, size=size)


# The house


def code_lines(source):
    """How many lines of ``source`` hold code: no docstring, comment or blank line."""
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (*skipped, tokenize.ENDMARKER):
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def test_the_module_stays_short_enough_to_be_read():
    source = inspect.getsource(training)
    assert len(source.splitlines()) <= 330
    assert code_lines(source) <= 245
    assert code_lines(inspect.getsource(training.fit)) < 60


def test_a_checkpoint_of_a_model_with_as_many_numbers_is_refused_before_anything_changes(tmp_path):
    def run(*sizes):
        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(*sizes), torch.nn.Linear(*sizes[::-1]))
        optimizer = torch.optim.Adam(model.parameters())
        data = training.batches(torch.randn(8, sizes[0]), size=4)
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        return before, model, optimizer, data

    def square(model, batch):
        return model(batch[0]).square().mean()

    _, model, optimizer, data = run(4, 6)
    training.fit(model, data, square, optimizer, epochs=1, checkpoint=tmp_path / "run.pt", bar=False)
    before, model, optimizer, data = run(6, 4)
    with pytest.raises(ValueError, match=r"run\.pt is not a checkpoint .* no 0\.weight of shape \(4, 6\)"):
        training.fit(model, data, square, optimizer, epochs=1, checkpoint=tmp_path / "run.pt", bar=False)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert not optimizer.state
