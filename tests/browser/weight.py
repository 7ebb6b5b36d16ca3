"""What a page weighs over the wire, in a real browser: at first, and read to its end."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from playwright.sync_api import Page, sync_playwright

FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]


def chromium() -> str | None:
    """Path of the machine's Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def weights(address: str, pages: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Bytes of each page's first load without the charts' bundle, and of all of it, read to its end, charts alive.

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
    first = sum(size for name, size in _loaded(names, sizes, address) if "vega.js" not in name)
    # Figures and charts come when they are near: read to the end, a window at a time.
    tab.evaluate(
        """async () => {
        for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
            scrollTo(0, y); await new Promise((done) => setTimeout(done, 50));
        }}"""
    )
    if tab.locator(".labkit-vega").count():
        tab.wait_for_selector(".labkit-live", state="attached")
    tab.wait_for_load_state("networkidle")
    tab.wait_for_function("[...document.images].every((image) => image.complete)")
    return first, sum(size for _, size in _loaded(names, sizes, address))


def _loaded(names: dict[str, str], sizes: dict[str, int], address: str) -> list[tuple[str, int]]:
    return [(names[i], size) for i, size in sizes.items() if names.get(i, "").startswith(address)]
