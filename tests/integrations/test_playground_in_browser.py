"""The playground in headless Chromium: a counterexample is seen and repaired, mistakes are marked, questions answered,
links opened; nothing on the console, nothing from elsewhere, nothing wider than a phone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

api = pytest.importorskip("playwright.sync_api", reason="an extra: make test-integrations installs it")
pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]
Start = Callable[[Path], tuple[subprocess.Popen[str], str]]
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PATIENCE = 120_000
"""Milliseconds that an answer may take: a machine may have much else to do."""


@pytest.fixture(scope="module")
def url(start_playground: Start) -> Iterator[str]:
    """The address of a playground, until Ctrl-C."""
    process, address = start_playground(ROOT)
    yield address
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """A tab with the playground, in which nothing may be said on the console or asked of elsewhere."""
    said: list[str] = []
    context = browser.new_context(viewport=DESKTOP)
    context.set_default_timeout(PATIENCE)
    made = context.new_page()
    made.on("console", lambda message: said.append(message.text))
    made.on("pageerror", lambda error: said.append(str(error)))
    made.on("request", lambda request: said.append(request.url) if not request.url.startswith(url) else None)
    made.goto(url)
    yield made
    context.close()
    assert said == []


def ended(page: Page, state: str) -> str:
    """The line at the end of a check that ends like this."""
    api.expect(page.locator("#banner")).to_have_class(f"banner {state}", timeout=PATIENCE)
    return str(page.locator("#banner").inner_text())


def change(page: Page, before: str, after: str) -> None:
    """Type something in place of a piece of the text."""
    text = page.locator("#text").input_value()
    assert before in text
    page.locator("#text").fill(text.replace(before, after))


def test_a_counterexample_is_repaired(page: Page) -> None:
    """The lesson of the first example: what fails is shown at its line; repaired, all is proved; undone, it fails
    again."""
    assert ended(page, "finding") == "37 obligations: 19 proved, 15 holds, 3 refuted."
    finding = page.locator("article", has_text="user.Clamp-1.float/C2/covered")
    assert "high = float16 () nan" in finding.inner_text()
    assert page.locator(".numbers .finding").all_inner_texts() == ["17", "19"]
    finding.get_by_role("button", name="line 17").click()
    chosen = page.locator("#text").evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)")
    assert chosen.startswith("[C2] constraint")

    change(page, "when only(low) > only(high)", "when C2 fails")

    assert ended(page, "good") == "33 obligations: 18 proved, 15 holds."
    assert "every rank" in page.locator("#scope").inner_text()
    assert page.locator("article").count() == 0
    assert page.locator(".numbers .finding").count() == 0
    page.get_by_text("All 33 obligations").click()
    assert page.locator("#rows tr").count() == 33
    assert set(page.locator("#rows .verdict").all_inner_texts()) == {"proved", "holds"}

    change(page, "when C2 fails", "when only(low) > only(high)")
    assert "3 refuted" in ended(page, "finding")


def test_old_verdicts_are_marked(page: Page) -> None:
    """From the first keystroke on nothing says that the new text is proved."""
    page.get_by_label("Example").select_option(label="A theorem")
    ended(page, "good")
    page.locator("#text").press("Control+End")
    page.locator("#text").press("Enter")
    assert page.locator("#banner.good").count() == 0
    assert page.locator("#verdicts.old").count() == 1
    ended(page, "good")
    assert page.locator("#verdicts.old").count() == 0


def test_a_mistake_is_marked(page: Page) -> None:
    page.get_by_label("Example").select_option(label="A mistake in a text")
    assert ended(page, "mistake") == "1 mistake in the text."
    assert page.locator(".numbers .mistake").all_inner_texts() == ["8"]
    assert "To fix:" in page.locator("article").inner_text()
    change(page, "X.shap\n", "X.shape\n")
    ended(page, "good")
    page.locator("#text").press("Control+z")
    assert "X.shap\n" in page.locator("#text").input_value()


def test_questions(page: Page) -> None:
    """Evaluate, shapes, and the layout."""
    page.get_by_label("Example").select_option(label="A size below zero")
    ended(page, "finding")
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_role("button", name="Evaluate", exact=True).click()
    api.expect(page.locator("#evaluate-answer")).to_have_text("Y = int32 (3) [3, 5, 7]", timeout=PATIENCE)
    page.get_by_label("Inputs and attributes").fill('{"X": [[1]]}')
    page.get_by_role("button", name="Evaluate", exact=True).click()
    api.expect(page.locator("#evaluate-answer")).to_have_class("answer bad", timeout=PATIENCE)
    assert "X is a vector" in page.locator("#evaluate-answer").inner_text()

    page.get_by_role("tab", name="Evaluate").press("ArrowRight")
    page.get_by_role("button", name="Infer shapes").click()
    api.expect(page.locator("#shape-answer")).to_have_text("Y : [N - 1]", timeout=PATIENCE)

    change(page, "input  X :", "input X:")
    api.expect(page.get_by_role("button", name="Format", exact=True)).to_be_enabled(timeout=PATIENCE)
    page.get_by_role("button", name="Format", exact=True).click()
    assert "input  X : tensor" in page.locator("#text").input_value()


def test_a_link(page: Page, url: str) -> None:
    """It holds the text behind its #, and another tab opens it; one without a readable text is said to be so."""
    marked = "-- Größe ≥ 0\n" + page.locator("#text").input_value()
    page.locator("#text").fill(marked)
    page.get_by_role("button", name="Copy link").click()
    api.expect(page.locator("#note")).to_contain_text("#", timeout=PATIENCE)
    link = page.url
    assert link.startswith(f"{url}#text=")
    other = page.context.new_page()
    other.goto(link)
    api.expect(other.locator("#text")).to_have_value(marked, timeout=PATIENCE)
    other.goto("about:blank")
    other.goto(f"{url}#text=!")
    api.expect(other.locator("#note")).to_contain_text("no readable text", timeout=PATIENCE)


def test_a_reload_keeps_the_text(page: Page) -> None:
    page.locator("#text").fill('theory own "My own"\n')
    page.reload()
    api.expect(page.locator("#text")).to_have_value('theory own "My own"\n', timeout=PATIENCE)
    assert page.get_by_label("Example").input_value() == ""


def test_nothing_typed_is_overwritten(page: Page) -> None:
    """Until the page has its first text, it takes no other."""
    held = []
    page.route("**/facts.json", lambda route: held.append(route))
    page.reload(wait_until="commit")
    api.expect(page.locator("#text")).to_have_attribute("readonly", "")
    assert page.locator("#text").input_value() == ""
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    api.expect(page.locator("#text")).to_be_editable(timeout=PATIENCE)
    assert page.locator("#text").input_value().startswith("-- Keep")


def test_colours_follow_the_text(page: Page) -> None:
    """Behind each character stands the same one, also after edits and in long lines; and both scroll together."""
    lines = [f'value Y[i] = "a text of {n}" -- {"x" * n}' for n in range(200)]
    page.locator("#text").fill("\n".join(lines))
    page.locator("#text").fill("\n".join([*lines[:50], "new <b>line</b>", *lines[60:]]))
    painted = page.locator(".paint div").all_text_contents()
    assert painted == page.locator("#text").input_value().split("\n")
    assert page.locator(".numbers div").count() == len(painted)
    page.locator("#text").evaluate("e => { e.scrollTop = 700; e.scrollLeft = 90 }")
    page.wait_for_timeout(200)
    assert page.locator(".paint").evaluate("e => [e.scrollTop, e.scrollLeft]") == [700, 90]
    assert page.locator(".numbers").evaluate("e => e.scrollTop") == 700
    assert page.locator(".paint b").count() == 0


def test_keyboard_and_roles(page: Page) -> None:
    """The first key leads to the text; controls have names, and there is one heading of the first level."""
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "text"
    assert page.get_by_role("heading", level=1).count() == 1
    for role in ("banner", "main", "contentinfo", "tablist", "tabpanel"):
        assert page.get_by_role(role).count() == 1, role
    unnamed = page.eval_on_selector_all(
        "button, select, textarea", "all => all.filter(e => !(e.innerText || e.labels?.length || e.ariaLabel)).length"
    )
    assert unnamed == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_sizes_and_contrast(
    browser: Browser, url: str, low_contrast: Callable[..., list[str]], scheme: str, size: dict[str, int]
) -> None:
    """Nothing is wider than the window, and every text stands out as WCAG 2.2 asks of small text: 4.5 to 1."""
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    page.goto(url)
    ended(page, "finding")
    # Where pictures are wanted, such as those of docs/playground.md.
    if folder := os.environ.get("SONNX_PICTURES"):
        page.screenshot(path=f"{folder}/playground-{scheme}-{size['width']}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert low_contrast(page, "option, :disabled, #text") == []
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name=re.compile("^(Dark|Light)$")).click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    context.close()


def test_the_server_ends(browser: Browser, start_playground: Start) -> None:
    """The page says so, and what to look at."""
    process, address = start_playground(ROOT)
    page = browser.new_page()
    page.goto(address)
    ended(page, "finding")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    page.locator("#text").fill("")
    assert "Is sonnx-verify serve still running?" in ended(page, "failed")
    page.close()
