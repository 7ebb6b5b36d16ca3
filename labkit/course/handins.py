"""Which student handed in what: names out of file names, folders and zip archives as learning systems export them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from labkit.course.settings import CourseError

LARGEST = 200 << 20  # bytes of one hand-in: outputs of pictures are large, but not that large
# Canvas: lastfirst_LATE_4711_98765_01_ranking-2.ipynb; Moodle: First Last_4711_assignsubmission_file/01_ranking.ipynb
_CANVAS = re.compile(r"(?P<who>[^_]+)_(?P<late>LATE_)?(?P<user>\d+)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL)
_MOODLE = re.compile(r"(?P<who>.+)_(?P<user>\d+)_assignsubmission_file_?")
_COPY = re.compile(r" ?\((\d+)\)$")  # a browser's second download: "01_ranking (2)"


@dataclass(frozen=True)
class HandIn:
    """One file: the student it is by, where it lies, its version and time (the larger is the later), and remarks."""

    student: str
    where: str
    data: bytes
    order: tuple[float, ...]
    late: bool = False
    remarks: str = ""

    @property
    def when(self) -> str:
        """The file's time, local, as ISO 8601; "" where the archive has none."""
        return datetime.fromtimestamp(self.order[-1]).isoformat(timespec="seconds") if self.order[-1] else ""


@dataclass(frozen=True)
class _File:
    """A notebook as it was found: its folders and name below what was named."""

    parts: tuple[str, ...]
    data: bytes
    when: float
    where: str
    remarks: str = ""


def collect(paths: list[Path], stem: str) -> list[HandIn]:
    """Return the latest hand-in of each student in ``paths`` (notebooks, folders, zip archives), by name.

    Raises CourseError for a path that does not exist, a broken archive that was named, and where nothing was handed in.
    """
    files: list[_File] = []
    for path in paths:
        if not path.exists():
            raise CourseError(
                f"{path} does not exist; name a notebook, a folder or a zip archive of hand-ins"
            )
        files += _read(path)
    if not files:
        raise CourseError(f"there is no notebook (.ipynb) in {', '.join(map(str, paths))}")
    found: dict[str, list[HandIn]] = {}
    for hand_in in _named(files, stem):
        found.setdefault(hand_in.student.casefold(), []).append(hand_in)
    chosen = []
    for several in found.values():
        latest = max(several, key=lambda h: (h.order, h.where))
        if len(several) > 1:
            others = ", ".join(sorted(h.where for h in several if h is not latest))
            remark = f"{len(several)} hand-ins; the latest was taken, {latest.where}, not {others}"
            latest = replace(latest, remarks="; ".join(filter(None, (latest.remarks, remark))))
        chosen.append(latest)
    return sorted(chosen, key=lambda h: h.student.casefold())


def _read(path: Path) -> Iterator[_File]:
    if path.is_dir():
        for file in sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p.relative_to(path))):
            parts = file.relative_to(path).parts
            if file.suffix.lower() == ".zip":
                try:
                    inside = list(_read_zip(file))
                except CourseError as error:  # one student's: the others are graded
                    inside = [_File((file.name,), b"", file.stat().st_mtime, str(file), str(error))]
                # The archive of one student has the student's name, whatever the notebook in it is called.
                one = (
                    len(inside) == 1
                    and not _CANVAS.fullmatch(inside[0].parts[-1])
                    and not _moodle(inside[0].parts)
                )
                for found in inside:
                    yield replace(found, parts=parts if one else (*parts[:-1], file.stem, *found.parts))
            elif file.suffix.lower() == ".ipynb":
                yield _File(parts, _content(file), file.stat().st_mtime, str(file))
    elif path.suffix.lower() == ".zip":
        yield from _read_zip(path)
    else:
        yield _File((path.name,), _content(path), path.stat().st_mtime, str(path))


def _read_zip(path: Path) -> Iterator[_File]:
    """Read an archive in memory: nothing of it is ever written to the disk, whatever its names say."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                names = PurePosixPath(entry.filename.replace("\\", "/")).parts
                parts = tuple(p for p in names if p not in ("/", "..", "."))
                if (
                    entry.is_dir()
                    or not parts
                    or not parts[-1].lower().endswith(".ipynb")
                    or _hidden(Path(*parts))
                ):
                    continue
                large = entry.file_size > LARGEST
                try:
                    when = datetime(*entry.date_time).timestamp()
                except ValueError:  # archives may carry the 0th of month 0
                    when = 0.0
                remarks = f"larger than {LARGEST >> 20} MB" if large else ""
                yield _File(
                    parts, b"" if large else archive.read(entry), when, f"{path}:{entry.filename}", remarks
                )
    except (
        Exception
    ) as error:  # a damaged archive raises many kinds: BadZipFile, LZMAError, RuntimeError (password) …
        raise CourseError(f"{path} is not a whole zip archive ({error}); download it again") from error


def _content(path: Path) -> bytes:
    return b"" if path.stat().st_size > LARGEST else path.read_bytes()


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "__MACOSX")) or part == "feedback" for part in path.parts)


def _moodle(parts: tuple[str, ...]) -> re.Match[str] | None:
    return next((m for part in reversed(parts[:-1]) if (m := _MOODLE.fullmatch(part))), None)


def _named(files: list[_File], stem: str) -> Iterator[HandIn]:
    """Say whose each file is: by the learning system's own names, else by the file's name, else by its folder."""
    plain = re.compile(rf"[-_ ]*{re.escape(stem)}(-\d{{1,2}})?$", re.IGNORECASE)
    guesses: list[str] = []
    for file in files:
        name = _COPY.sub("", Path(file.parts[-1]).stem.strip())
        guesses.append(plain.sub("", name) or (file.parts[-2] if len(file.parts) > 1 else name))
    folders: dict[str, set[tuple[str, ...]]] = {}
    for file, guess in zip(files, guesses, strict=True):
        folders.setdefault(guess.casefold(), set()).add(file.parts[:-1])
    for file, guess in zip(files, guesses, strict=True):
        name, late, number, student = file.parts[-1], False, 0.0, guess
        if canvas := _CANVAS.fullmatch(name):
            student, late, name = f"{canvas['who']}_{canvas['user']}", bool(canvas["late"]), canvas["file"]
            number = float(canvas["number"])
        elif moodle := _moodle(file.parts):
            student = f"{moodle['who']}_{moodle['user']}"
        elif len(folders[guess.casefold()]) > 1 and len(file.parts) > 1:
            student = file.parts[0]  # the same name in many folders: the folders are the students'
        copy = _COPY.search(Path(name).stem) or re.search(r"-(\d{1,2})$", Path(name).stem)
        again = float(copy[1]) if copy else 0.0
        yield HandIn(_clean(student), file.where, file.data, (number, again, file.when), late, file.remarks)


def _clean(name: str) -> str:
    """A name without control characters and path marks, at most 80 characters, accents composed."""
    text = "".join(c for c in unicodedata.normalize("NFC", name) if c.isprintable() and c not in "/\\:")
    # A name that begins with = is a formula to a spreadsheet.
    return (
        text.strip().lstrip("=+-@")[:80]
        or f"unnamed {hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"
    )
