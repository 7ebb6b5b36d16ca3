"""What a lecturer does with the rows: the table of marks, pages of feedback, exports, and what the class did not get."""

from __future__ import annotations

import csv
import hashlib
import html
import re
from pathlib import Path
from typing import Any

from labkit.files import replacing

Row = dict[str, Any]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;
color:#1b1b1b;background:#fff}}pre{{background:#f4f4f4;padding:.6rem;overflow:auto;white-space:pre-wrap}}
table{{border-collapse:collapse}}td,th{{padding:.2rem .8rem;border-bottom:1px solid #ccc;text-align:left}}
@media(prefers-color-scheme:dark){{body{{color:#eee;background:#16181c}}pre{{background:#26292f}}}}</style>
<h1>{title}</h1>{body}</html>
"""


def write_marks(rows: list[Row], points: dict[str, float], out: Path) -> None:
    """Write one line a student to ``out``: mark, points a question, status, reason, flags, how it ran, and what it is."""
    lines = [_line(row, points) for row in sorted(rows, key=lambda r: r["student"].casefold())]
    with replacing(out) as new, new.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(lines[0] if lines else ["student", "mark"])
        table.writerows([_plain(value) for value in line.values()] for line in lines)


def _line(row: Row, points: dict[str, float]) -> dict[str, Any]:
    each = {name: _number(row["questions"].get(name, {}).get("points", 0)) for name in points}
    return {
        "student": row["student"], "mark": _number(row["mark"]), "of": _number(sum(points.values())), **each,
        "status": row["status"], "reason": row["reason"], "flags": "; ".join(row["flags"]), "notes": "; ".join(row["notes"]),
        "late": "late" if row["late"] else "", "handed in": row["handed in"], "seconds": row["seconds"],
        "memory MB": round(row["memory"] / 1e6), "hand-in": row["sha256"][:12], "file": row["file"], "remarks": row["remarks"],
    }  # fmt: skip


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)


def _plain(value: Any) -> Any:
    """One line, and nothing that a spreadsheet takes for a formula."""
    value = " ".join(value.split()) if isinstance(value, str) else value
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def write_feedback(row: Row, stem: str, folder: Path) -> Path:
    """Write a student's page: what failed of the public checks with their messages, hidden ones by what they test."""
    parts = [
        f"<p><b>{_number(row['mark'])}</b> points of {_number(sum(q['of'] for q in row['questions'].values()))}</p>"
    ]
    if row["reason"]:
        parts.append(f"<p>{html.escape(row['reason'])}</p>")
    if row["remarks"]:
        parts.append(f"<p>{html.escape(row['remarks'])}</p>")
    for name, question in sorted(row["questions"].items()):
        parts.append(f"<h2>{name}: {_number(question['points'])} of {_number(question['of'])}</h2>")
        failed = [t for t in question["tests"] if not t["passed"]]
        if question.get("reason"):
            parts.append(f"<p>{html.escape(question['reason'])}</p>")
        if not failed and not question.get("reason"):
            parts.append("<p>All checks passed.</p>")
        for test in failed:
            kind = "hidden check" if test["hidden"] else "public check"
            message = re.sub(r"^hidden check: ", "", str(test["message"] or "no message"))
            parts.append(
                f"<p>{kind}, {_number(test['points'])} point(s)</p><pre>{html.escape(message)}</pre>"
            )
    if row["errors"]:
        parts.append(
            "<h2>Cells that ended in an error</h2><pre>" + html.escape("\n".join(row["errors"])) + "</pre>"
        )
    name = re.sub(r"[^\w.@ -]", "_", row["student"])
    if name != row["student"]:  # two students may now have the same one
        name += f"-{hashlib.sha256(row['student'].encode()).hexdigest()[:8]}"
    path = folder / f"{name}.html"
    with replacing(path) as new:
        new.write_text(
            PAGE.format(title=f"{html.escape(row['student'])}: lab {stem}", body="\n".join(parts)),
            encoding="utf-8",
        )
    return path
