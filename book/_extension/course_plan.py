"""The map of prerequisites, its table, and the schedules: three directives, all from ``book/plan.yml``.

A lab's time and number of questions are read from the lab itself.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import nbformat
import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from labkit.course.settings import Course, CourseError

# The map's measures, in its own units; it is drawn as wide as a phone.
LEFT, BOX, RIGHT, ROW, HEIGHT = 80, 214, 72, 44, 30


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("prerequisite-map", Map)
    app.add_directive("prerequisite-table", Table)
    app.add_directive("schedule", Schedule)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def load(course: Course) -> dict[str, Any]:
    """Read the plan; raises CourseError unless it names the course's chapters and keeps their order."""
    plan = yaml.safe_load((course.root / "book" / "plan.yml").read_text(encoding="utf-8"))
    chapters = plan["chapters"]
    if list(chapters) != course.labs():
        raise CourseError(f"book/plan.yml: the chapters are {', '.join(course.labs())}, in this order")
    for stem, chapter in chapters.items():
        for kind in ("needs", "helps"):
            for other in chapter.setdefault(kind, {}):
                if other not in chapters or other >= stem:
                    raise CourseError(f"book/plan.yml: {stem} {kind} {other}, which is no earlier chapter")
    for weeks, schedule in plan["schedules"].items():
        read: list[str] = []
        for week in schedule:
            read += week["read"]
            if missing := {n for stem in week["read"] for n in chapters[stem]["needs"]} - set(read):
                raise CourseError(f"book/plan.yml: {weeks} weeks: {week['read']} comes before {missing}")
            if not set(week["labs"]) <= set(read):
                raise CourseError(f"book/plan.yml: {weeks} weeks: {week['labs']} comes before its chapter")
        if len(schedule) != weeks:
            raise CourseError(f"book/plan.yml: the plan for {weeks} weeks has {len(schedule)}")
    return plan


def lab_facts(path: Path) -> tuple[str, int, int]:
    """Of a lab's master: the laptop profile's time as the lab states it, its coding and its written questions."""
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    time = next(
        (m[1] for cell in cells if (m := re.search(r"^\| `laptop` \|.*\| (.+?) \|$", cell, re.M))), None
    )
    if time is None:
        raise CourseError(f"{path.name}: no line of its first table says how long `laptop` takes")
    names = [m[1] for cell in cells if "# BEGIN QUESTION" in cell and (m := re.search(r"name: (\w)", cell))]
    return time, names.count("q"), names.count("w")


class _Planned(SphinxDirective):
    """What the three have in common: they read the plan, and are made anew when it changes."""

    def plan(self) -> dict[str, Any]:
        self.course = Course.here(Path(self.env.srcdir))
        self.env.note_dependency(str(self.course.root / "book" / "plan.yml"))
        return load(self.course)

    def table(self, head: list[str], rows: list[list[str]]) -> list[nodes.Node]:
        """A table whose cells are MyST."""
        lines = [head, ["---"] * len(head), *rows]
        holder = nodes.Element()
        text = [f"| {' | '.join(line)} |" for line in lines]
        self.state.nested_parse(text, self.content_offset, holder)
        return holder.children


def _number(stem: str) -> str:
    return stem[:2]


def _links(stems: list[str]) -> str:
    return ", ".join(f"{{doc}}`{_number(stem)} <{stem}>`" for stem in stems)


class Table(_Planned):
    """``prerequisite-table``: for each chapter what it needs, what helps, and why."""

    def run(self) -> list[nodes.Node]:
        def reasons(others: dict[str, str]) -> str:
            return "; ".join(f"{_links([stem])}: {why}" for stem, why in others.items()) or "–"

        rows = [
            [f"{{doc}}`{_number(stem)} {c['name']} <{stem}>`", reasons(c["needs"]), reasons(c["helps"])]
            for stem, c in self.plan()["chapters"].items()
        ]
        return self.table(["chapter", "needs", "is easier after"], rows)


class Schedule(_Planned):
    """``schedule`` with a number of weeks: what is read and handed in, week by week, and what is left out."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        plan = self.plan()
        chapters, weeks = plan["chapters"], plan["schedules"][int(self.arguments[0])]
        rows = []
        for number, week in enumerate(weeks, 1):
            read = [f"{{doc}}`{_number(stem)} {chapters[stem]['name']} <{stem}>`" for stem in week["read"]]
            labs = []
            for lab in week["labs"]:
                time, coded, written = lab_facts(self.course.lab(lab))
                time = time.replace(" ", "\N{NO-BREAK SPACE}")
                labs.append(
                    f"{{doc}}`lab {_number(lab)} <labs/{lab}>`: {coded} + {written} questions, {time}"
                )
            rows.append([str(number), "; ".join(read), "; ".join(labs)])
        return self.table(["week", "read", "hand in at its end"], rows)


class Map(_Planned):
    """``prerequisite-map``: the chapters one below the other, and arcs to those that need or are helped."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", drawing(self.plan()["chapters"]), format="html")]


def in_words(chapters: dict[str, Any]) -> str:
    """The map's text alternative: every arc, in words."""
    parts = []
    for stem, chapter in chapters.items():
        needs, helps = (", ".join(map(_number, chapter[kind])) or "none" for kind in ("needs", "helps"))
        parts.append(f"{_number(stem)} {chapter['name']}: needs {needs}; easier after {helps}.")
    return "Map of the chapters, one below the other. " + " ".join(parts)


def drawing(chapters: dict[str, Any]) -> str:
    """Draw the map as SVG. Colors are the page's, so that light and dark both work.

    Whole arcs on the left: needs. Dashed arcs on the right: helps. Each leaves the lower half of the earlier
    chapter's box and ends, with an arrowhead, at the upper half of the later one's.
    """
    stems = list(chapters)
    width, height = LEFT + BOX + RIGHT, ROW * len(stems)
    parts = []
    for row, (stem, chapter) in enumerate(chapters.items()):
        top = row * ROW + (ROW - HEIGHT) / 2
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{BOX}" height="{HEIGHT}" rx="5"/>')
        label = html.escape(f"{_number(stem)}  {chapter['name']}")
        parts.append(f'<text x="{LEFT + 8}" y="{top + 20}">{label}</text>')
        for kind, edge, side in (("needs", LEFT, -1), ("helps", LEFT + BOX, 1)):
            for other in chapter[kind]:
                span = row - stems.index(other)
                start, end = (row - span) * ROW + ROW / 2 + 5, row * ROW + ROW / 2 - 5
                away = edge + side * (14 + 8 * span)
                parts.append(
                    f'<path class="{kind}" d="M{edge} {start} C{away} {start} {away} {end} {edge + side * 5} {end}"/>'
                    f'<path class="head" d="M{edge} {end} l{side * 8} -4 v8 z"/>'
                )
    return (
        f'<svg class="course-map" role="img" viewBox="0 0 {width} {height}" '
        f'aria-label="{html.escape(in_words(chapters))}">{"".join(parts)}</svg>'
    )
