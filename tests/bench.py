"""make bench: the numbers that the course promises, each a ratio or a time measured in this one run.

Not a test: nothing here fails a build. Run it on an idle machine.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
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
sys.path.insert(0, str(ROOT))

from tests.exercises import exercises, solved  # noqa: E402


def seconds(command: list[str], cwd: Path = ROOT, **environment: str) -> float:
    begin = time.perf_counter()
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.perf_counter() - begin


def row(what: str, measured: str, target: str = "", met: bool | None = None) -> None:
    print(
        f"{what:58} {measured:>16} {target:>10} {'' if met is None else 'yes' if met else 'NO'}", flush=True
    )


def fast_bm25(copies: int) -> None:
    """Lab 01's solution against rank_bm25 and bm25s: queries a second over the Wikipedia paragraphs."""
    lab = {e.name: e.environment for e in exercises(ROOT / "labs" / "01_ranking.ipynb", run=True)}["q5"]
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
        row(f"{name}: queries/s over {len(documents):,} paragraphs", f"{per_second:,.0f}/s")
    ratio = found["lab 01"] / found["rank_bm25"]
    row("lab 01 / rank_bm25", f"{ratio:.0f} ×", "≥ 50 ×", ratio >= 50)
    row("lab 01 / bm25s", f"{found['lab 01'] / found['bm25s']:.2f} ×")


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
        row(f"{name}: steps/s of lab 03's model, batch {size}", f"{steps / np.median(found):.1f}/s")
    overhead = 100 * (float(np.median(np.divide(taken["fit"], taken["bare"]))) - 1)
    row("fit over the bare loop (median of rounds)", f"{overhead:+.1f} %", "≤ 3 %", overhead <= 3)
    ratio = float(np.median(np.divide(taken["Trainer"], taken["fit"])))
    row("fit / Trainer, steps/s (median of rounds)", f"{ratio:.2f} ×")


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
    row(f"glove: counting {words:,} words, window 10", f"{taken:.2f} s", "< 10 s", taken < 10)
    begin = time.perf_counter()
    glove.train(counts, epochs=2, bar=False)
    rate = 2 * counts.nnz / (time.perf_counter() - begin)
    row(f"glove: counts/s of training, {counts.nnz:,} counts, 50 wide", f"{rate:,.0f}/s")
    torch.set_num_threads(threads)


def word_vectors() -> None:
    """Lab 05's skip-gram against gensim's with one worker, both with their score: the lab's own cells, run here."""
    notebook = nbformat.read(ROOT / "labs/05_embeddings.ipynb", as_version=4)
    asked = "print(*speeds['words/s'], *speeds['WordSim-353'], sep='|')"
    notebook.cells.append(nbformat.v4.new_code_cell(asked))
    os.environ["LABKIT_PROFILE"] = "laptop"
    with redirect_stderr(io.StringIO()):
        done = nbclient.NotebookClient(notebook).execute()
    mine, theirs, score, reference = done.cells[-1].outputs[0].text.strip().split("|")
    row("lab 05, skip-gram: words/s, WordSim-353", f"{float(mine):,.0f}/s", score)
    row("gensim, skip-gram, one worker: words/s, WordSim-353", f"{float(theirs):,.0f}/s", reference)
    row("lab 05 / gensim, words/s", f"{float(mine) / float(theirs):.2f} ×")


def a_class(students: int = 40, few: int = 6, rows: int = 1000) -> None:
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
        if any(row["mark"] != full or row["flags"] for row in graded):
            sys.exit("an honest hand-in did not get full marks")
        row(f"otter run, one after another, {few} hand-ins", f"{60 * one_after_another:.1f}/min")
        row(f"labkit grade, 2 at a time, {students} hand-ins", f"{60 * ours:.1f}/min")
        row(
            "labkit grade / otter run",
            f"{ours / one_after_another:.2f} ×",
            "≥ 1.8 ×",
            ours >= 1.8 * one_after_another,
        )
        row("peak memory of a hand-in", f"{max(row['memory'] for row in graded) / 1e9:.2f} GB")

        ledger = folder / "many.ledger.jsonl"
        with ledger.open("w") as stream:
            for number in range(rows):
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
        if len(again) != rows:
            sys.exit("the resumed class lost rows")
        row(f"a class of {rows} again, all rows there", f"{taken:.1f} s", "< 5 s", taken < 5)


def main() -> None:
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    row("what", "measured", "target")
    fast_bm25(copies=1)
    fast_bm25(copies=10)
    training_loops()
    glove_counts()
    word_vectors()
    a_class()

    blank = min(seconds([sys.executable, "-c", "pass"]) for _ in range(5))
    taken = min(seconds([sys.executable, "-c", "import labkit"]) for _ in range(5)) - blank
    row("import labkit", f"{taken:.2f} s", "< 0.5 s", taken < 0.5)

    for stem in [path.stem for path in sorted((ROOT / "labs").glob("[0-9][0-9]_*.ipynb"))]:
        nbval = [sys.executable, "-m", "pytest", "--nbval", "--nbval-sanitize-with", "tests/nbval.cfg"]
        taken = seconds([*nbval, f"labs/{stem}.ipynb"], LABKIT_PROFILE="laptop")
        row(f"{stem} under nbval (laptop)", f"{taken:.0f} s", "< 60 s", taken < 60)
        run = "import nbformat, nbclient; nbclient.NotebookClient(nbformat.read('{}', 4)).execute()"
        taken = seconds([sys.executable, "-c", run.format(f"labs/{stem}.ipynb")], LABKIT_PROFILE="grade")
        row(f"{stem} at grade", f"{taken:.0f} s", "< 20 s", taken < 20)

    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        seconds(["git", "clone", "--quiet", str(ROOT), str(clone)])
        # The clone is newer than the environment; -o tells make not to build the environment again.
        venv = Path(sys.prefix)
        make = ["make", "site", f"VENV={venv}", "-o", f"{venv}/.ready"]
        taken = seconds(make, cwd=clone)
        row("make site, cold cache (release, all chapters)", f"{taken:.0f} s", "< 60 s", taken < 60)
        taken = seconds(make, cwd=clone)
        row("make site again, nothing changed", f"{taken:.1f} s", "< 30 s", taken < 30)
        (clone / "book" / "index.md").touch()
        taken = seconds(make, cwd=clone)
        row("make site after a touched page", f"{taken:.1f} s", "< 30 s", taken < 30)

    taken = seconds(["make", "test"])
    row("make test, everything installed", f"{taken:.0f} s", "< 360 s", taken < 360)


if __name__ == "__main__":
    main()
