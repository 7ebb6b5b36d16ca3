"""What the benches measured, as tables: beside what papers and sources state, and how fresh all of it is.

``make bench`` writes book/results; nothing here, and nothing on the pages that use these directives, is a number
typed by hand. They are directives, not cells, because a cell's output would come from the cache of runs.
"""

from __future__ import annotations

import json
import os
import platform
import re
import tomllib
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "book" / "results"
RUN_TIME = "run time, laptop profile"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("claims", Claims)
    app.add_directive("bench", Bench)
    app.add_directive("status", Status)
    app.connect("env-get-outdated", _always)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}


def _always(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """The pages that say when the site was built are read again in every build."""
    return [page for page, facts in env.metadata.items() if "says-when" in facts]


def claims() -> list[dict[str, Any]]:
    """The entries of book/results/claims.yml."""
    return _claims((RESULTS / "claims.yml").read_text(encoding="utf-8"))


@cache
def _claims(text: str) -> list[dict[str, Any]]:
    return yaml.safe_load(text)  # a quarter of a second, and a dozen directives ask


def results(name: str) -> dict[str, Any] | None:
    """What the bench wrote for a part, such as "site" or "labs/01_ranking"; None if it has not run."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def machine() -> dict[str, Any]:
    """This machine, as far as it matters to a number, and how busy it is."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": version("torch"),
        "load_at_start": round(os.getloadavg()[0], 1),
    }


def told(found: dict[str, Any]) -> str:
    """A machine in words."""
    gpu = f", {found['gpu']}" if found.get("gpu") else ""
    return (
        f"{found['processor']}, {found['cores']} cores, {found['memory_gb']} GB{gpu}, {found['system']}, "
        f"Python {found['python']}, torch {found['torch']}, load {found['load_at_start']} at the start"
    )


def shown(row: dict[str, Any], digits: int | None = None) -> str:
    """A row's value, with its interval if it has one."""

    def one(value: Any) -> str:
        if isinstance(value, str):
            return value
        return f"{value:,.{digits}f}" if digits is not None else f"{value:,}"

    ends = f" [{one(row['low'])}, {one(row['high'])}]" if "low" in row else ""
    return (one(row["value"]) + ends).replace("-", "−")


def measured(claim: dict[str, Any], found: dict[str, Any] | None) -> str:
    """What the lab measured for a claim, or why there is nothing."""
    rows = {row["what"]: row for row in found["rows"]} if found else {}
    row = rows.get(claim["id"])
    if row is None or row["expression"] != claim["expression"]:
        return "not measured yet"
    if row["value"] is None:
        return "not measured: the data was not there"
    return f"{shown(row, claim['digits'])} {claim['unit']}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


class _Tables(SphinxDirective):
    """A directive that writes Markdown."""

    def run(self) -> list[nodes.Node]:
        holder = nodes.Element()
        self.state.nested_parse(self.lines(), self.content_offset, holder)
        return holder.children

    def lines(self) -> list[str]:
        raise NotImplementedError

    def read(self, name: str) -> dict[str, Any] | None:
        """Results of a part; the page is read again when they change."""
        self.env.note_dependency(str(RESULTS / f"{name}.json"))
        return results(name)


def _how(found: dict[str, Any] | None, command: str) -> list[str]:
    if found is None:
        return [f"Not measured yet; `{command}` does it.", ""]
    return [f"Measured by `{found['command']}` on {found['date']}: {told(found['machine'])}.", ""]


class Claims(_Tables):
    """``claims`` with a stem: what is published beside what the lab of that stem measured."""

    required_arguments = 1

    def lines(self) -> list[str]:
        stem = self.arguments[0]
        self.env.note_dependency(str(RESULTS / "claims.yml"))
        found = self.read(f"labs/{stem}")
        rows = [
            [
                claim["claim"],
                f"{claim['published']} ({{cite:t}}`{claim['cite']}`, {claim['where']})",
                measured(claim, found),
                claim["differs"],
            ]
            for claim in claims()
            if claim["stem"] == stem
        ]
        if not rows:
            raise self.error(f"there is no claim of {stem!r} in book/results/claims.yml")
        head = ["claim", "published", "measured here", "what differs"]
        where = [f"{{doc}}`{stem}` and {{doc}}`labs/{stem}`.", ""]
        return [*where, *_how(found, f"make bench PART=labs LAB={stem}"), *table(head, rows)]


class Bench(_Tables):
    """``bench`` with a part: all that this part of the bench measured, and whether it met its target."""

    required_arguments = 1

    def lines(self) -> list[str]:
        part = self.arguments[0]
        found = self.read(part)
        lines = _how(found, f"make bench PART={part}")
        if found is None:
            return lines
        met = {None: "", True: "yes", False: "**no**"}
        rows = [
            [row["what"], f"{shown(row)} {row['unit']}", row["target"], met[row["met"]]]
            for row in found["rows"]
        ]
        return [*lines, *table(["what", "measured", "target", "met"], rows)]


class Status(_Tables):
    """``status``: machine and date of this build, run time of every lab, version of every package."""

    def lines(self) -> list[str]:
        self.env.metadata[self.env.docname]["says-when"] = True
        built = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        labs = []
        for path in sorted((ROOT / "labs").glob("[0-9][0-9]_*.ipynb")):
            found = self.read(f"labs/{path.stem}")
            if found is None:
                labs.append([f"{{doc}}`labs/{path.stem}`", "not measured yet", "", ""])
                continue
            row = next(row for row in found["rows"] if row["what"] == RUN_TIME)
            where = found["machine"]
            busy = f"{where['cores']} cores, load {where['load_at_start']} at the start"
            versions = f"Python {where['python']}, torch {where['torch']}"
            labs.append(
                [
                    f"{{doc}}`labs/{path.stem}`",
                    f"{shown(row)} {row['unit']}",
                    f"{found['date']}, {busy}",
                    versions,
                ]
            )
        return [
            f"Built {built}: {told(machine())}.",
            "",
            *table(["lab, laptop profile", "run time", "measured", "with"], labs),
            "",
            *table(["package", "version of this build", "asked for"], packages()),
        ]


def packages() -> list[list[str]]:
    """Name, version and range of every package that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    rows = {}
    for requirement in wanted:
        name, _, bounds = re.fullmatch(r"([\w.-]+)(\[\w+\])?(.*)", requirement).groups()
        try:
            rows.setdefault(name.lower(), [name, version(name), bounds])
        except PackageNotFoundError:
            rows.setdefault(name.lower(), [name, "not installed", bounds])
    return [rows[name] for name in sorted(rows)]
