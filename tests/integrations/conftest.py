"""A browser without a screen, and what is measured in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CONTRAST = """(ignored) => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).slice(0, 3).map((n) => n / 255)
      .map((n) => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if ((numbers(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set();
  for (const e of document.querySelectorAll("main *, header *, footer *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.checkVisibility() || (ignored && e.matches(ignored))) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.add(`${e.tagName}.${e.className}`);
  }
  return [...found];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or what has that name. Where there is none the test fails: it is what this stage is for."""
    # Here, since other tests of this folder do without it.
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert path is not None, "Chromium is not installed: apt-get install chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def low_contrast() -> Callable[..., list[str]]:
    """A function from a page to the elements whose text does not stand out from its ground as WCAG 2.2 asks of small
    text: 4.5 to 1. Those that match the selector `ignored` are left out."""

    def found(page: Page, ignored: str = "") -> list[str]:
        return [str(name) for name in page.evaluate(CONTRAST, ignored)]

    return found
