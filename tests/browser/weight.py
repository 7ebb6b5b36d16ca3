"""What a page weighs over the wire, in a real browser: at first, and read to its end."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable

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


def wire(tab: Page, address: str) -> Callable[[], dict[str, int]]:
    """Listen to the network from now on; return a function that tells the bytes of each file of ``address`` so far."""
    network = tab.context.new_cdp_session(tab)
    network.send("Network.enable")
    names: dict[str, str] = {}
    sizes: dict[str, int] = {}
    network.on("Network.responseReceived", lambda e: names.update({e["requestId"]: e["response"]["url"]}))
    network.on("Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]}))
    return lambda: {
        names[i].removeprefix(address): n for i, n in sizes.items() if names.get(i, "").startswith(address)
    }


def without_bundle(loaded: dict[str, int]) -> dict[str, int]:
    """All but the charts' bundle, which comes when a chart is near."""
    return {name: n for name, n in loaded.items() if "vega.js" not in name}


def _visit(tab: Page, address: str, page: str) -> tuple[int, int]:
    loaded = wire(tab, address)
    tab.goto(address + page, wait_until="networkidle")
    first = sum(without_bundle(loaded()).values())
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
    return first, sum(loaded().values())
