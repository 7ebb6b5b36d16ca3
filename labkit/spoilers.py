"""Book reviews: the Goodreads spoiler file (Wan et al. 2019, arXiv 1905.13416) as a stream, or made-up ones."""

from __future__ import annotations

import gzip
import json
import os
import random
import zlib
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from labkit.catalogue import DataError, DataUnavailable

COLUMNS = ("user_id", "timestamp", "review_sentences", "rating", "has_spoiler", "book_id", "review_id")
FILE = "goodreads_reviews_spoiler.json.gz"
ADDRESS = f"https://mcauleylab.ucsd.edu/public_datasets/gdrive/goodreads/{FILE}"  # not verified


def reviews(
    path: str | Path | None = None, *, limit: int | None = None, download: bool = False, skip: bool = False
) -> Iterator[dict[str, Any]]:
    """Stream reviews, dicts with ``COLUMNS``, at most ``limit``, one in memory at a time; print where they are from.

    Their ``review_sentences`` are pairs [label, sentence], 1 for a spoiler. Sources: ``path`` (gzip, a JSON object a
    line), else goodreads_spoilers/train.jsonl.gz in ``LABKIT_DATA``, else the public file in labkit's cache, fetched
    (it is large) only with ``download``, else ``limit`` (or 3,000) made-up ones. ``skip`` leaves out those without
    sentences. Raises ValueError (a limit below 1), DataError (no file, or a broken one), DataUnavailable (no answer).
    """
    if limit is not None and (not hasattr(limit, "__index__") or limit < 1):
        raise ValueError(f"limit is {limit!r}; give 1 or more, a whole number, or None for all reviews")
    file = Path(path).expanduser() if path is not None else _find(download)
    if file and not file.is_file():
        raise DataError(f"there is no file {file}; put the public file {FILE} in its place, or mend the path")
    made = f"MADE UP, as there is no {FILE} here; no number from them is about real reviews"
    print(f"spoilers: the reviews are {f'from {file.name}, no checksum known' if file else made}")
    return islice(_read(file, skip), limit) if file else made_up(limit or 3000)


def _find(download: bool) -> Path | None:
    local = os.environ.get("LABKIT_DATA")
    if local and not Path(local).is_dir():
        raise DataError(f"LABKIT_DATA is {local!r}, which is not a folder; mend the path or unset it")
    if local and (Path(local) / "goodreads_spoilers").is_dir():
        return Path(local) / "goodreads_spoilers" / "train.jsonl.gz"
    import pooch

    cached = Path(pooch.os_cache("labkit")) / FILE
    if download and not cached.is_file():
        try:
            pooch.retrieve(ADDRESS, None, fname=FILE, path=cached.parent, progressbar=True)
        except OSError as error:  # as those of requests are
            what = f"no answer from {ADDRESS} ({type(error).__name__}); get the file by hand and give its path, or"
            raise DataUnavailable(f"{what} leave out download=True for made-up reviews") from error
    return cached if cached.is_file() else None


def _read(path: Path, skip: bool) -> Iterator[dict[str, Any]]:
    count = kept = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for count, line in enumerate(iter(lambda: stream.readline(2_000_000), ""), 1):  # bounded
                row, wrong = _record(line)
                if wrong and not (skip and row.get("review_sentences") == []):
                    raise DataError(f"{path}, line {count}, {wrong}; mend or remove that line")
                if not wrong:
                    kept += 1
                    yield row
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as err:
        raise DataError(f"{path} is broken after {count} records ({err}); fetch or copy it again") from err
    if not kept:
        raise DataError(f"{path} is empty, or no review has sentences; put the public file {FILE} there")


def _record(line: str) -> tuple[dict[str, Any], str]:
    try:
        row = dict(json.loads(line))
    except (ValueError, TypeError, RecursionError) as error:
        return {}, f"is not a JSON object ({error})"
    bad = [c for c in COLUMNS if c not in row or (c in COLUMNS[-2:] and not isinstance(row[c], str))]
    if bad:
        return {}, f"lacks the column {bad[0]!r}, or a text in it"
    said = row["review_sentences"]
    for pair in said if isinstance(said, list) else [said]:
        if not (isinstance(pair, list) and len(pair) == 2 and pair[0] in (0, 1) and isinstance(pair[1], str)):
            return row, f"has {pair!r:.60} in 'review_sentences', not [0 or 1, a sentence]"
    return row, "" if said else "has no sentences in 'review_sentences'"


def made_up(reviews: int = 3000, seed: int = 1, *, books: int = 250) -> Iterator[dict[str, Any]]:
    """Make up ``reviews`` reviews of ``books`` books in the file's columns; about 3 % of the sentences are spoilers.

    As in the file: that share, 12 to 13 sentences a review, spoilers late and in runs (with remarks between them),
    books and users that differ. A spoiler mostly tells a late event as a fact; users forget tags; the rest tells
    early events, or fears about any event, in the same words. Not as there: 7 to 9 % of the reviews have spoilers
    (6.5 % there) in shorter runs, users write little, words and plots come from short lists, so that sentences
    repeat, and ratings and dates say nothing. Raises ValueError for numbers below 1.
    """
    if reviews < 1 or books < 1:
        raise ValueError(f"{reviews} reviews of {books} books: give 1 or more of each")
    draw, lists = random.Random(seed), (files("labkit") / "spoilers.txt").read_text(encoding="utf-8")
    words = {name: some for name, *some in (line.split("|") for line in lists.splitlines())}
    shelf = [_Book(draw, words) for _ in range(books)]
    habits = [draw.betavariate(1, 0.5) for _ in range(150)]  # how often a user tells the end, and tags it
    for count in range(reviews):
        number = draw.choices(range(books), [1 / (rank + 10) for rank in range(books)])[0]
        said = shelf[number].review(draw, habits[user := draw.randrange(150)])
        head = (f"made-up-{user}", f"{draw.randint(2010, 2017)}-01-01", said)
        tail = (draw.randint(1, 5), any(label for label, _ in said), f"made-up-{number}", f"made-up-{count}")
        yield dict(zip(COLUMNS, head + tail, strict=True))


class _Book:  # who is in it, what happens early (0) and late (1), how often its reviews tell the end
    def __init__(self, draw: random.Random, words: dict[str, list[str]]) -> None:
        self.names = ["".join(map(draw.choice, list(words.values())[-3:])) for _ in range(4)]
        self.opinion = ([*words["parts"], *self.names], words["copula"], words["kinds"])
        self.words, self.spoiled, self.events = words, draw.betavariate(0.8, 7.5), ([], [])
        for late in (0, 1) * 6:
            verb = draw.choice(words["late" if (draw.random() < 0.8) == bool(late) else "early"])
            who = draw.choice((2, 3) if (draw.random() < 0.9) == bool(late) else (0, 1))  # hidden until late
            self.events[late].append((verb, who, (who + draw.randint(1, 3)) % 4))

    def plot(self, draw: random.Random, late: int) -> list[str]:  # a fact, a fear (seldom if late), or both
        said, other = [], late if draw.random() < 0.3 else 1 - late
        for forms, event, when in (("facts", late, late), ("fears", draw.randint(0, 1), other)):
            verb, who, whom = draw.choice(self.events[event])
            verb = verb if forms == "fears" else f"{verb} ".replace(" ", "s ", 1).strip()
            told = draw.choice(self.words[forms]).format(self.names[who], verb, self.names[whom])
            told += f" {draw.choice(self.words['where'])}" if draw.random() < 0.5 else ""
            time = [draw.choice(self.words["end" if when else "start"])] if draw.random() < 0.6 else []
            said.append(" ".join(draw.sample([told, *time], 1 + len(time))))
        return draw.choices((said[:1], said[1:], said), (0.35, 0.05 if late else 0.25, 0.4))[0]

    def review(self, draw: random.Random, habit: float) -> list[list[Any]]:
        length, tagged = 5 + min(int(draw.expovariate(1 / 8)), 40), []
        begin = int(length * (draw.betavariate(2, 1.6) if draw.random() < 1.5 * habit * self.spoiled else 1))
        end, tags = begin + 4 + int(draw.expovariate(0.1)), draw.random() < habit
        for late in [begin <= place < end for place in range(length)]:
            kind = draw.choices((0, 1, 2), (0.15, 0.1 if late else 0.35, 0.5))[0]  # remark, opinion, plot
            opinions = [" ".join(map(draw.choice, self.opinion)) for _ in range(2)]
            said = [draw.choice(self.words["remarks"]), *opinions]
            part = late != (draw.random() < (0.04 if late else 0.015))  # seldom the other part of the plot
            said = self.plot(draw, int(part)) if kind == 2 else said[kind : kind + draw.choice((1, 1, 2))]
            text = f"{draw.choice(self.words['links'])} ".join(draw.sample(said, len(said)))
            text = f"{draw.choice(self.words['asides'])}, {text}" if draw.random() < 0.3 else text
            tagged.append([int(late and tags), f"{text[0].upper()}{text[1:]}."])
        return tagged
