"""Lighthouse's marks for the built site, but for performance, which is time: ``make bench PART=site`` has that."""

from __future__ import annotations

import pytest

from tests.browser import lighthouse
from tests.browser.server import serve
from tests.conftest import ROOT

pytestmark = pytest.mark.hangs_on("_build/html/{page}", "_build/html/_static/**")


@pytest.fixture(scope="module")
def address():
    if reason := lighthouse.missing():
        pytest.skip(reason)
    with serve(ROOT / "_build" / "html") as found:
        yield found


@pytest.mark.parametrize("page", lighthouse.PAGES)
def test_lighthouse_is_content(page, address):
    found = lighthouse.scores(address + page, ("accessibility", "best-practices", "seo"))
    assert found["accessibility"] == 100
    assert found["best-practices"] == 100
    assert found["seo"] >= 95
