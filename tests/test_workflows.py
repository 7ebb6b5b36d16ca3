"""What runs on GitHub, and what it may do; the script that reports; the citation file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on(
    ".github/**",
    "pyproject.toml",
    "_config.yml",
    "CITATION.cff",
    "Makefile",
    ".ci/*",
    ".devcontainer/*",
    "tests/hosted/*",
    "labs/01_ranking.ipynb",
)

FOLDER = ROOT / ".github" / "workflows"
READ = {"contents": "read"}
REPORTS = {"contents": "read", "issues": "write"}
# name: (what starts it, what it may do)
EXPECTED = {
    "links": ({"schedule", "workflow_dispatch"}, REPORTS),
    "preview": ({"pull_request"}, READ),
    "proof": ({"schedule", "workflow_dispatch"}, REPORTS),
    "publish": ({"push"}, {"contents": "write"}),
    "test": ({"push", "pull_request"}, READ),
    "weekly": ({"schedule", "workflow_dispatch"}, REPORTS),
}
each_workflow = pytest.mark.parametrize("name", EXPECTED)


def workflow(name: str) -> dict:
    loaded = yaml.safe_load((FOLDER / f"{name}.yml").read_text())
    # YAML 1.1 reads the key "on" as true.
    starts = loaded.pop(True)
    loaded["on"] = {starts: None} if isinstance(starts, str) else starts
    return loaded


def steps(name: str) -> list[dict]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


def test_every_workflow_is_known_here():
    assert {path.stem for path in FOLDER.iterdir()} == set(EXPECTED)


@each_workflow
def test_what_starts_a_workflow_and_what_it_may_do(name):
    starts, rights = EXPECTED[name]
    loaded = workflow(name)
    assert loaded["name"] == name
    assert set(loaded["on"]) == starts
    assert loaded.get("permissions") == rights
    for job in loaded["jobs"].values():
        assert "permissions" not in job
        assert 10 <= job["timeout-minutes"] <= 120


@each_workflow
def test_an_action_is_pinned_to_a_version(name):
    for step in steps(name):
        if "uses" in step:
            assert re.fullmatch(r"(actions/[\w-]+@v\d+|[\w-]+/[\w-]+@v\d+\.\d+\.\d+)", step["uses"]), step[
                "uses"
            ]


def test_only_a_tag_publishes():
    assert workflow("publish")["on"] == {"push": {"tags": ["v*"]}}
    pushing = {path.stem for path in FOLDER.iterdir() if "git push" in path.read_text()}
    assert pushing == {"publish"}


def test_a_pull_request_meets_no_secret():
    """Its code may be a stranger's: no token in a step or left in the checkout, and never the base's rights."""
    text = (FOLDER / "preview.yml").read_text()
    assert not re.search(r"secrets\.\w|github\.token|GH_TOKEN|pull_request_target", text)
    (checkout,) = [step for step in steps("preview") if step.get("uses", "").startswith("actions/checkout")]
    assert checkout["with"]["persist-credentials"] is False
    kept = [step["with"]["path"] for step in steps("preview") if "upload-artifact" in step.get("uses", "")]
    assert kept == ["_build/html"]


@pytest.mark.parametrize(("name", "days"), [("links", "[0-6]"), ("weekly", "[0-6]"), ("proof", r"\*")])
def test_a_scheduled_run_comes_once_a_week_or_a_night_and_reports_its_failure(name, days):
    (when,) = workflow(name)["on"]["schedule"]
    assert re.fullmatch(rf"\d+ \d+ \* \* {days}", when["cron"])
    last = steps(name)[-1]
    assert last["if"] == "failure()"
    assert ".github/report " in last["run"]
    assert set(last["env"]) == {"GH_TOKEN", "RUN"}


@pytest.mark.parametrize("name", ["proof", "publish"])
def test_a_night_and_a_tag_prove_everything_from_nothing(name):
    assert any("bash .ci/run FRESH=1 PROOF=1" in step.get("run", "") for step in steps(name))


def test_every_lab_runs_at_night_on_each_kept_list_and_on_the_lowest_versions():
    job = workflow("proof")["jobs"]["hosted"]
    rows = job["strategy"]["matrix"]["include"]
    lists = {path.stem for path in (ROOT / "tests" / "hosted").glob("*.txt")}
    assert {row["packages"] for row in rows} == {*lists, "lowest"}
    assert {row["python"] for row in rows} == {"3.11", "3.12", "3.13"}
    assert any(
        "python -m tests.hosted ${{ matrix.packages }}" in step.get("run", "") for step in job["steps"]
    )


def test_the_weekly_run_compares_the_kept_list_with_the_published_one(tmp_path):
    (compare,) = [
        step["run"] for step in workflow("weekly")["jobs"]["colab"]["steps"] if "curl" in step.get("run", "")
    ]
    assert "googlecolab/backend-info/main/pip-freeze.gpu.txt" in compare
    kept, published = tmp_path / "kept.txt", tmp_path / "published.txt"
    kept.write_text("# from\nipywidgets==7.7.1\nhuggingface_hub==1.2\ngone==1\n")
    published.write_text("huggingface-hub==1.2\nipywidgets==8.1.9\ntorch==2.11.0+cu128\n")
    script = ROOT / "tests" / "hosted" / "compare.py"
    done = subprocess.run(
        [sys.executable, script, kept, published], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "- ipywidgets: 7.7.1 is kept, 8.1.9 is published",
        "- gone: 1 is kept, nothing is published",
    ]


def test_a_codespace_installs_what_there_is():
    settings = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert settings["image"].startswith("mcr.microsoft.com/devcontainers/python:3.1")
    makes, labkit, otter = settings["postCreateCommand"].split(" && ")
    assert makes == "make release"
    assert "release:" in (ROOT / "Makefile").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.search(r"labkit\[([\w,]+)\]", labkit)[1].split(",")) <= set(extras)
    first = json.loads((ROOT / "labs" / "01_ranking.ipynb").read_text())
    set_up = next("".join(c["source"]) for c in first["cells"] if c["cell_type"] == "code")
    assert otter.removeprefix("pip install --no-deps ").strip("'") in set_up


def test_the_weekly_run_takes_the_newest_versions_and_no_cuda():
    (install,) = [step["run"] for step in steps("weekly") if "pip install" in step.get("run", "")]
    assert "constraints" not in install
    assert "download.pytorch.org/whl/cpu" in install
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert f".[{','.join(sorted(extras))}]" in install
    assert install.rstrip().split("\n")[-1].startswith("echo as it is > .venv/.ready")


def test_the_parts_of_the_test_workflow_run_every_test_once():
    """What the jobs name, and what the last job leaves to them, is the same; and all jobs but one wait for nothing."""
    jobs = workflow("test")["jobs"]
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        "site": None,
        "parts": None,
        "rest": "site",
    }
    parts, (browser, rest) = (
        jobs["parts"]["strategy"]["matrix"]["tests"],
        jobs["rest"]["strategy"]["matrix"]["tests"],
    )
    named = [word for part in [*parts, browser] for word in part.split()]
    labs = [path for word in named if word.startswith("labs/") for path in ROOT.glob(word)]
    assert sorted(labs) == sorted((ROOT / "labs").glob("*.ipynb"))
    files = [word for word in named if word.startswith("tests/")]
    assert all((ROOT / file).is_file() for file in files)
    assert re.findall(r"--ignore (\S+)", rest) == [*browser.split(), *(f for f in files if f not in browser)]
    for name in ("parts", "rest"):
        assert jobs[name]["steps"][-1]["run"].startswith('bash .ci/run TESTS="${{ matrix.tests }}" SITE=')


@pytest.mark.parametrize(
    ("open_issue", "expected"), [("", "issue create --title A title"), ("7", "issue comment 7")]
)
def test_a_report_opens_an_issue_or_adds_to_the_open_one(tmp_path, open_issue, expected):
    (tmp_path / "gh").write_text(
        f'#!/bin/sh\necho "$*" >> {tmp_path}/calls\n[ "$2" = list ] && echo "{open_issue}" || true\n'
    )
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "body.md").write_text("what happened")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(
        [ROOT / ".github" / "report", "A title", tmp_path / "body.md"], check=True, env=environment
    )
    asked, did = (tmp_path / "calls").read_text().splitlines()
    assert '--state open --search "A title" in:title' in asked
    assert did == f"{expected} --body-file {tmp_path}/body.md"


def test_the_citation_names_this_course_and_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["title"] == config["title"]
    assert citation["authors"] == [{"name": config["author"]}]
    assert citation["version"] == project["version"]
    assert citation["license"] == [project["license"], "CC-BY-4.0"]
    assert not {"doi", "url", "repository-code", "date-released"} & set(citation), "nothing that is not known"
