"""What a page weighs over the wire, in a real browser, without and with the interactive bundle."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from playwright.sync_api import Page, sync_playwright

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]


def chromium() -> str | None:
    """Path of the machine's Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def weights(address: str, pages: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Bytes of each page's first visit, and of it with every chart alive (scripts and all, compressed).

    Raises RuntimeError where there is no Chromium.
    """
    program = chromium()
    if program is None:
        raise RuntimeError("there is no chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        found = {}
        for page in pages:
            context = browser.new_context(viewport={"width": 1280, "height": 900})  # with a cold cache
            found[page] = _visit(context.new_page(), address, page)
            context.close()
        browser.close()
    return found


def _visit(tab: Page, address: str, page: str) -> tuple[int, int]:
    wire = tab.context.new_cdp_session(tab)
    wire.send("Network.enable")
    names: dict[str, str] = {}
    sizes: dict[str, int] = {}
    wire.on("Network.responseReceived", lambda e: names.update({e["requestId"]: e["response"]["url"]}))
    wire.on("Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]}))
    tab.goto(address + page, wait_until="networkidle")
    charts = tab.locator(".labkit-vega").all()
    for chart in charts:
        chart.scroll_into_view_if_needed()
    if charts:
        tab.wait_for_selector(".labkit-live", state="attached")
    tab.wait_for_load_state("networkidle")
    loaded = [(names[i], size) for i, size in sizes.items() if names.get(i, "").startswith(address)]
    bundle = sum(size for name, size in loaded if "vega.js" in name)
    total = sum(size for _, size in loaded)
    return total - bundle, total
