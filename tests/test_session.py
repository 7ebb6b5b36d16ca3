from __future__ import annotations

import random
import sys

import numpy as np
import pytest
import torch

import labkit
from labkit import session

pytestmark = pytest.mark.hangs_on("labkit/**")


def test_start_prints_one_line_and_seeds_everything(capsys):
    lab = labkit.start("04_recurrent", seed=5)
    first = random.random(), np.random.rand(), torch.rand(1).item()  # noqa: NPY002
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert printed.startswith(f"04_recurrent: profile {lab.profile}, ")
    assert "seed 5" in printed
    labkit.start("04_recurrent", seed=5)
    assert first == (random.random(), np.random.rand(), torch.rand(1).item())  # noqa: NPY002


@pytest.mark.parametrize("profile", ["laptop", "gpu", "grade"])
def test_the_profile_comes_from_the_environment_and_picks(profile, monkeypatch):
    monkeypatch.setenv("LABKIT_PROFILE", profile)
    lab = labkit.start("x")
    assert lab.profile == profile
    assert lab.pick(laptop="laptop", gpu="gpu", grade="grade") == profile


def test_the_default_profile_follows_the_device(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert labkit.start("x").profile == "laptop"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    lab = labkit.start("x")
    assert (lab.profile, lab.device) == ("gpu", "cuda")
    monkeypatch.setattr(session, "_grading", lambda: True)
    assert labkit.start("x").profile == "grade"


def test_an_unknown_profile_is_one_clear_error(monkeypatch):
    monkeypatch.setenv("LABKIT_PROFILE", "desktop")
    with pytest.raises(ValueError, match=r"'desktop'; set it to one of laptop, gpu, grade"):
        labkit.start("x")


def test_without_installed_tests_the_grader_says_how_to_get_them():
    grader = labkit.start("01_ranking").grader()
    with pytest.raises(FileNotFoundError, match="install the released wheel"):
        grader.check("q1")


def test_without_otter_the_checks_say_what_to_install(monkeypatch, tmp_path):
    (tmp_path / "public_tests" / "01_ranking").mkdir(parents=True)
    monkeypatch.setattr(session, "files", lambda package: tmp_path)
    monkeypatch.setitem(sys.modules, "otter", None)
    with pytest.raises(ImportError, match="pip install --no-deps 'otter-grader>=7,<8'"):
        labkit.start("01_ranking").grader()
