"""make bench: the numbers that the course promises and those it compares with papers, measured in this one run.

``make bench`` measures all parts, ``make bench PART=site`` one, ``make bench PART=labs LAB=01_ranking`` one lab.
What a part found goes to book/results, from where the site shows it. Not a test: nothing here fails a build.
Run it on an idle machine; the load that it met is written down.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import operator
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import bm25s
import nbclient
import nbformat
import numpy as np
import torch
from rank_bm25 import BM25Okapi
from torch import nn
from transformers import Trainer, TrainingArguments

from labkit import corpora, glove, meter, training
from labkit.course import grading
from labkit.course.release import release
from labkit.course.settings import Course
from labkit.text import Vocabulary, tokenize

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_extension")]

from measured import RESULTS, RUN_TIME, claims, machine, told  # noqa: E402

from tests.browser import lighthouse, weight  # noqa: E402
from tests.browser.server import serve  # noqa: E402
from tests.exercises import set_up, solved  # noqa: E402

rows: list[dict[str, object]] = []  # of the part that is being measured


def seconds(command: list[str], cwd: Path = ROOT, **environment: str) -> float:
    begin = time.perf_counter()
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.perf_counter() - begin


def row(what: str, value: float | str | None, unit: str = "", digits: int = 0, target: str = "") -> None:
    """Print a result and keep it; whether it meets its target (``"≥ 50"``) is computed, not said."""
    met = None
    if target:
        sign, bound = target.split()
        compare = {"≥": operator.ge, "≤": operator.le, "<": operator.lt}[sign]
        met = bool(compare(value, float(bound)))
    if isinstance(value, float):
        value = round(value, digits) if digits else round(value)
    rows.append({"what": what, "value": value, "unit": unit, "target": target, "met": met})
    shown = f"{value:,}" if isinstance(value, (int, float)) else str(value)
    print(
        f"{what:58} {shown:>14} {unit:8} {target:>8} {'' if met is None else 'yes' if met else 'NO'}",
        flush=True,
    )


def measured(name: str, command: str, part: Callable[[], None]) -> None:
    """Run ``part`` and write its rows to book/results/NAME.json, whole or not at all."""
    rows.clear()
    if os.environ.get("LABKIT_DATA"):  # a folder of data sets, whose place is nobody's concern
        command = f"LABKIT_DATA=FOLDER {command}"
    here = machine() | ({"gpu": torch.cuda.get_device_name()} if torch.cuda.is_available() else {})
    found = {"machine": here, "command": command, "date": time.strftime("%Y-%m-%d")}
    print(f"\n{name}: {told(here)}", flush=True)
    part()
    path = RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    text = json.dumps(found | {"rows": rows}, indent=1, ensure_ascii=False, allow_nan=False)
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)


def fast_bm25(copies: int) -> None:
    """Lab 01's solution against rank_bm25 and bm25s: queries a second over the Wikipedia paragraphs."""
    lab = set_up(ROOT / "labs" / "01_ranking.ipynb")["q5"].environment
    documents = [tokenize(str(r["text"])) for r in corpora.load("wikipedia", "paragraphs")] * copies
    rng = np.random.default_rng(1)
    queries = [
        [str(t) for t in rng.choice(sorted(set(documents[i])), 4)]
        for i in rng.integers(0, len(documents), 200)
    ]
    index = lab["build_index"](documents)
    matrix = lab["bm25_matrix"](index, lab["bm25_idf"](index, len(documents)), [len(d) for d in documents])
    rows = {term: i for i, term in enumerate(sorted(index))}
    textbook, library = BM25Okapi(documents), bm25s.BM25(method="lucene")
    library.index(documents, show_progress=False)
    few = queries[:20]
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "rank_bm25": (lambda: [textbook.get_top_n(q, documents, 10) for q in few], len(few)),
        "bm25s": (lambda: library.retrieve(queries, k=10, show_progress=False, n_threads=0), len(queries)),
        "lab 01": (lambda: [lab["search"](matrix, rows, q) for q in queries], len(queries)),
    }
    found = {name: meter.rate(call, items, at_least=2).per_second for name, (call, items) in calls.items()}
    for name, per_second in found.items():
        row(f"{name}: queries over {len(documents):,} paragraphs", per_second, "a second")
    ratio = found["lab 01"] / found["rank_bm25"]
    row(f"lab 01 / rank_bm25, {copies} × the paragraphs", ratio, "×", target="≥ 50")
    row(f"lab 01 / bm25s, {copies} × the paragraphs", found["lab 01"] / found["bm25s"], "×", 2)


def training_loops(steps: int = 150, rounds: int = 8) -> None:
    """``fit`` against the bare loop and against transformers' Trainer: lab 03's model, random words."""
    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    words, context, width, size = 6_000, 4, 100, 512
    contexts = torch.randint(words, (steps * size, context))
    targets = torch.randint(words, (steps * size,))

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(
                nn.Embedding(words, width),
                nn.Flatten(),
                nn.Linear(context * width, 100),
                nn.Tanh(),
                nn.Linear(100, words),
            )

        def forward(self, contexts: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"loss": nn.functional.cross_entropy(self.layers(contexts), labels)}

    def bare(model: Model) -> None:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        model.train()
        for batch in training.batches(contexts, targets, size=size):
            value = model(*(part.to(device) for part in batch))["loss"]
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

    def fitted(model: Model) -> None:
        training.fit(
            model,
            training.batches(contexts, targets, size=size),
            lambda model, batch: model(*batch)["loss"],
            torch.optim.Adam(model.parameters(), lr=1e-3),
            epochs=1,
            clip=1.0,
            precision="float32",
        )

    def trainer(model: Model) -> None:
        rows = [{"contexts": c, "labels": t} for c, t in zip(contexts, targets, strict=True)]
        with tempfile.TemporaryDirectory() as folder:
            options = TrainingArguments(
                folder,
                num_train_epochs=1,
                per_device_train_batch_size=size,
                learning_rate=1e-3,
                max_grad_norm=1.0,
                lr_scheduler_type="constant",
                save_strategy="no",
                report_to="none",
                logging_strategy="no",
                use_cpu=device == "cpu",
            )
            optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
            loop = Trainer(model, options, train_dataset=rows, optimizers=(optimizer, None))
            begin.append(time.perf_counter())  # its set-up is not training
            loop.train()

    begin: list[float] = []
    taken: dict[str, list[float]] = {"bare": [], "fit": [], "Trainer": []}
    loops = [("bare", bare), ("fit", fitted), ("Trainer", trainer)]
    for _ in range(rounds):  # by turns, there and back, so that a busy moment of the machine meets them all
        loops.reverse()
        for name, loop in loops:
            model = Model().to(device)
            begin.append(time.perf_counter())
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):  # bars are drawn, not shown
                loop(model)
            if device == "cuda":
                torch.cuda.synchronize()
            taken[name].append(time.perf_counter() - begin[-1])
    for name, found in taken.items():
        row(f"{name}: steps of lab 03's model, batch {size}", float(steps / np.median(found)), "a second", 1)
    overhead = 100 * (float(np.median(np.divide(taken["fit"], taken["bare"]))) - 1)
    row("fit over the bare loop (median of rounds)", overhead, "%", 1, "≤ 3")
    ratio = float(np.median(np.divide(taken["Trainer"], taken["fit"])))
    row("fit / Trainer, steps a second (median of rounds)", ratio, "×", 2)


def glove_counts() -> None:
    """Counting the co-occurrences of the whole Wikipedia text, and training on them, on one core."""
    texts = [tokenize(str(r["text"])) for r in corpora.load("wikipedia", "paragraphs")]
    vocabulary = Vocabulary(texts)
    sequences, words = [vocabulary.ids(text) for text in texts], sum(map(len, texts))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    begin = time.perf_counter()
    counts = glove.cooccurrences(sequences, len(vocabulary))
    taken = time.perf_counter() - begin
    row(f"glove: counting {words:,} words, window 10", taken, "s", 2, "< 10")
    begin = time.perf_counter()
    glove.train(counts, epochs=2, bar=False)
    rate = 2 * counts.nnz / (time.perf_counter() - begin)
    row(f"glove: training on {counts.nnz:,} counts, 50 wide", rate, "a second")
    torch.set_num_threads(threads)


def a_class(students: int = 40, few: int = 6, known: int = 1000) -> None:
    """Grade a class at lab 01, against one `otter run` after another; then a class whose rows are all there."""
    stem, course = "01_ranking", Course(ROOT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = release(course, [stem], folder / "release")
        archive = out / "private" / f"{stem}-autograder.zip"
        notebook = solved(out / "public" / "labs" / f"{stem}.ipynb", course.lab(stem))
        hand_ins = folder / "hand-ins"
        hand_ins.mkdir()
        for number in range(students):
            notebook.cells[0].source = f"student {number}"
            nbformat.write(notebook, hand_ins / f"student {number}.ipynb")
        otter = [sys.executable, "-m", "otter", "run", "-a", str(archive)]
        begin = time.perf_counter()
        for number in range(few):
            seconds(
                [*otter, "-o", str(folder), str(hand_ins / f"student {number}.ipynb")], LABKIT_PROFILE="grade"
            )
        one_after_another = few / (time.perf_counter() - begin)
        begin = time.perf_counter()
        graded = grading.grade(course, stem, [hand_ins], folder / "marks.csv", jobs=2)
        ours = students / (time.perf_counter() - begin)
        full = sum(grading.Assignment.of(course, stem).points.values())
        if any(one["mark"] != full or one["flags"] for one in graded):
            sys.exit("an honest hand-in did not get full marks")
        row(f"otter run, one after another, {few} hand-ins", 60 * one_after_another, "a minute", 1)
        row(f"labkit grade, 2 at a time, {students} hand-ins", 60 * ours, "a minute", 1)
        row("labkit grade / otter run", ours / one_after_another, "×", 2, "≥ 1.8")
        row("peak memory of a hand-in", max(one["memory"] for one in graded) / 1e9, "GB", 2)

        ledger = folder / "many.ledger.jsonl"
        with ledger.open("w") as stream:
            for number in range(known):
                path = hand_ins / f"resumed {number}.ipynb"
                path.write_text(f"{{}}  {' ' * number}")
                facts = {
                    "student": f"resumed {number}",
                    "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                }
                stream.write(json.dumps(graded[0] | facts) + "\n")
        for path in hand_ins.glob("student *.ipynb"):
            path.unlink()
        begin = time.perf_counter()
        again = grading.grade(course, stem, [hand_ins], folder / "many.csv", jobs=2)
        taken = time.perf_counter() - begin
        if len(again) != known:
            sys.exit("the resumed class lost rows")
        row(f"a class of {known} again, all rows there", taken, "s", 1, "< 5")


def loops() -> None:
    """The library's own loops against the bare ones, and what importing it takes."""
    fast_bm25(copies=1)
    fast_bm25(copies=10)
    training_loops()
    glove_counts()
    blank = min(seconds([sys.executable, "-c", "pass"]) for _ in range(5))
    taken = min(seconds([sys.executable, "-c", "import labkit"]) for _ in range(5)) - blank
    row("import labkit", taken, "s", 2, "< 0.5")


# The last cell of a lab that is measured: each expression's value, or estimate, low and high end.
ASK = r"""
import json as _json
def _plain(value):
    if hasattr(value, "estimate"):
        value = (value.estimate, value.low, value.high)
    if isinstance(value, (tuple, list)):
        return [float(part) for part in value]
    if value is None or isinstance(value, str):
        return value
    return float(value) if value == value else "nan"
print("\nasked:" + _json.dumps([_plain(eval(_e, globals())) for _e in _json.loads({expressions!r})]))
"""


def one_lab(stem: str) -> None:
    """Run the lab's master at the laptop profile, then ask it for what claims.yml compares with papers."""
    notebook = nbformat.read(ROOT / "labs" / f"{stem}.ipynb", as_version=4)
    asked = [claim for claim in claims() if claim["stem"] == stem]
    expressions = json.dumps([claim["expression"] for claim in asked])
    notebook.cells.append(nbformat.v4.new_code_cell(ASK.format(expressions=expressions)))
    os.environ["LABKIT_PROFILE"] = "laptop"
    starts: list[float] = []  # of each cell; the last is not the lab's
    client = nbclient.NotebookClient(
        notebook, timeout=600, on_cell_start=lambda cell, cell_index: starts.append(time.perf_counter())
    )
    begin = time.perf_counter()
    with redirect_stderr(io.StringIO()):
        done = client.execute()
    row(RUN_TIME, starts[-1] - begin, "s", target="< 90")
    printed = "".join(output.get("text", "") for output in done.cells[-1].outputs)
    values = json.loads(printed.split("\nasked:")[-1])
    for claim, value in zip(asked, values, strict=True):
        found = value if isinstance(value, list) else [value]
        ends = [round(one, claim["digits"]) if isinstance(one, float) else one for one in found]
        row(claim["id"], ends[0], claim["unit"], claim["digits"])
        rows[-1] |= {"expression": claim["expression"]}
        if len(ends) == 3:
            rows[-1] |= {"low": ends[1], "high": ends[2]}


def checks(stems: list[str]) -> None:
    """What the tests take: each lab under nbval and at the profile of the grader, then make test."""
    for stem in stems:
        nbval = [sys.executable, "-m", "pytest", "--nbval", "--nbval-sanitize-with", "tests/nbval.cfg"]
        taken = seconds([*nbval, f"labs/{stem}.ipynb"], LABKIT_PROFILE="laptop")
        row(f"{stem} under nbval (laptop)", taken, "s", target="< 60")
        run = "import nbformat, nbclient; nbclient.NotebookClient(nbformat.read('{}', 4)).execute()"
        taken = seconds([sys.executable, "-c", run.format(f"labs/{stem}.ipynb")], LABKIT_PROFILE="grade")
        row(f"{stem} at grade", taken, "s", target="< 20")
    row("make test, everything installed", seconds(["make", "test"]), "s", target="< 360")


def site(stems: list[str]) -> None:
    """Weight of pages over the wire, and Lighthouse's marks."""
    html = ROOT / "_build" / "html"
    chapters = [f"book/{stem}.html" for stem in stems]
    pages = ["book/index.html", *chapters, *(f"book/labs/{stem}.html" for stem in stems)]
    with serve(html) as address:
        for page, (first, all_of_it) in weight.weights(address, pages).items():
            row(f"{page}, first load", first / 1000, "kB", target="≤ 1500")
            if all_of_it > first:
                row(f"{page}, read to its end, charts alive", all_of_it / 1000, "kB")
        for page in lighthouse.PAGES:
            marks = lighthouse.scores(address + page)
            # Performance is time, so one visit's mark hangs on what else the machine does.
            others = [lighthouse.scores(address + page, ("performance",))["performance"] for _ in range(4)]
            marks["performance"] = int(np.median([marks["performance"], *others]))
            for category, mark in marks.items():
                of = " (median of 5 visits)" if category == "performance" else ""
                row(
                    f"Lighthouse, {page}: {category}{of}", mark, "of 100", target=lighthouse.TARGETS[category]
                )


def builds() -> None:
    """make site in a fresh clone: cold, again, after a touched page."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        seconds(["git", "clone", "--quiet", str(ROOT), str(clone)])
        # The clone is newer than the environment; -o tells make not to build the environment again.
        venv = Path(sys.prefix)
        make = ["make", "site", f"VENV={venv}", "-o", f"{venv}/.ready"]
        row("make site, cold cache (release, all chapters)", seconds(make, cwd=clone), "s", target="< 60")
        row("make site again, nothing changed", seconds(make, cwd=clone), "s", 1, "< 30")
        (clone / "book" / "index.md").touch()
        row("make site after a touched page", seconds(make, cwd=clone), "s", 1, "< 30")


def main() -> None:
    """Measure the parts that were asked for, all by default."""
    stems = [path.stem for path in sorted((ROOT / "labs").glob("[0-9][0-9]_*.ipynb"))]
    parts: dict[str, Callable[[], None]] = {
        "loops": loops,
        "grading": a_class,
        "site": lambda: site(stems),
        "builds": builds,
        "checks": lambda: checks(stems),
    }
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("parts", nargs="*", metavar="PART", help=f"labs, {', '.join(parts)}; all by default")
    options.add_argument("--lab", choices=stems, help="measure this lab only")
    asked = options.parse_args()
    if unknown := set(asked.parts) - {"labs", *parts}:
        options.error(f"there is no part {', '.join(sorted(unknown))}")
    if "labs" in asked.parts or not asked.parts:
        for stem in [asked.lab] if asked.lab else stems:
            measured(f"labs/{stem}", f"make bench PART=labs LAB={stem}", partial(one_lab, stem))
    for name in asked.parts or parts:
        if name in parts:
            measured(name, f"make bench PART={name}", parts[name])


if __name__ == "__main__":
    main()
