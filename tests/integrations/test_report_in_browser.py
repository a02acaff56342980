"""The report in headless Chromium, from files: nothing on the console, the filter filters, links resolve, keyboard and
screen readers find their way, and nothing sticks out of a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

api = pytest.importorskip("playwright.sync_api", reason="an extra: make test-integrations installs it")
pytestmark = pytest.mark.integrations

ROOT = Path(__file__).parents[2]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
MAX, DRAFT = "texts/sonnx.Max-13/clauses-int.html", "texts/drafts.Max-13/obligations-int.html"
RUNTIME = "runtimes/onnxruntime/sonnx.Max-13.html"
ERRORS = "accuracy/onnx.reference/sonnx.ReduceSum-13.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on one operator, its draft and what the standard says of it."""
    made = tmp_path_factory.mktemp("report") / "report"
    texts = ["spec/sonnx/max", "onnx.Max-13", "spec/drafts/max_001.sonnx"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        done = CliRunner().invoke(main, ["report", "--out", str(made), *texts], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return made


@pytest.fixture
def said() -> list[str]:
    """What the console says, and errors of scripts."""
    return []


@pytest.fixture
def page(browser: Browser, said: list[str]) -> Iterator[Browser]:
    context = browser.new_context(viewport=DESKTOP)
    made = context.new_page()
    made.on("console", lambda message: said.append(message.text))
    made.on("pageerror", lambda error: said.append(str(error)))
    made.on("requestfailed", lambda request: said.append(request.url))
    yield made
    context.close()
    assert said == []


def address(report: Path, name: str) -> str:
    return (report / name).as_uri()


def test_every_page_in_both_themes_and_sizes(report: Path, browser: Browser, said: list[str]) -> None:
    """No message on the console, no request to elsewhere, nothing wider than the window."""
    names = [path.relative_to(report).as_posix() for path in sorted(report.rglob("*.html"))]
    assert {"index.html", MAX, DRAFT, RUNTIME, ERRORS} <= set(names)
    for size in (DESKTOP, PHONE):
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=size, color_scheme=scheme)
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
            for name in names:
                page.goto(address(report, name))
                assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], (name, size)
            context.close()
    assert said == []


def test_search(report: Path, page: Page) -> None:
    """Words, verdict and kind together; the address holds them, and brings them back."""
    page.goto(address(report, "index.html"))
    found, status = page.locator("#found li"), page.get_by_role("status")
    every = page.evaluate("OBLIGATIONS.length")
    assert status.inner_text() == f"{every} of {every} obligations"
    assert not page.locator("#found").is_visible()
    page.locator("#verdict").select_option("refuted")
    refuted = found.count()
    assert 0 < refuted < every
    assert set(found.locator(".verdict").all_inner_texts()) == {"refuted"}
    page.get_by_label("Search").fill("max-13 FLOAT")
    assert 0 < found.count() < refuted
    page.locator("#kind").select_option("determined")
    assert found.count() == 1

    kept = page.url
    assert "#q=max-13+FLOAT&verdict=refuted&kind=determined" in kept
    page.goto("about:blank")
    page.goto(kept)
    assert found.count() == 1
    assert page.get_by_label("Search").input_value() == "max-13 FLOAT"
    name = found.get_by_role("link").inner_text()
    found.get_by_role("link").click()
    assert page.locator("article:target").get_attribute("id") == name
    page.goto(kept)
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.querySelector('#found').hidden")
    assert "#" not in page.url
    page.get_by_label("Search").fill("nothing has this name")
    assert found.count() == 0
    assert status.inner_text() == f"0 of {every} obligations"


def test_a_cell_leads_to_its_obligation(report: Path, page: Page) -> None:
    """The one that a reader has to see, which is marked and in sight."""
    page.goto(address(report, "index.html"))
    page.locator(".matrix a.cell.expected").first.click()
    target = page.locator("article:target")
    assert target.count() == 1
    assert "as expected" in target.inner_text()
    assert target.locator("details").first.evaluate("e => e.open")
    assert target.evaluate("e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.top < innerHeight }")


def test_every_link_resolves(report: Path, page: Page) -> None:
    for name in ("index.html", "open.html", "runtimes.html", RUNTIME, "accuracy.html", ERRORS, MAX, DRAFT):
        page.goto(address(report, name))
        links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
        for link in sorted(set(links)):
            file = re.sub(r"#.*", "", link)
            assert file.startswith(report.as_uri()), link
            assert Path(api_path(file)).is_file(), link


def api_path(uri: str) -> str:
    """The path of the address of a file."""
    from urllib.parse import unquote

    return unquote(uri.removeprefix("file://"))


def test_keyboard(report: Path, page: Page) -> None:
    """The first key leads past the navigation, a slash to the search, and what is focused is seen to be."""
    page.goto(address(report, "index.html"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "words"
    assert page.locator("#words").input_value() == ""
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_roles(report: Path, page: Page) -> None:
    """Landmarks, one heading of the first level, tables with heads, and controls with names."""
    page.goto(address(report, "index.html"))
    for role in ("banner", "main", "contentinfo", "search"):
        assert page.get_by_role(role).count() == 1, role
    assert page.get_by_role("navigation", name="Pages of the report").count() == 1
    assert page.get_by_role("heading", level=1).all_inner_texts() == ["Overview"]
    assert page.get_by_role("columnheader").count() > 10
    assert page.get_by_role("rowheader").count() > 5
    unnamed = page.eval_on_selector_all(
        "a, button, input, select",
        "all => all.filter(e => !(e.innerText || e.textContent || e.labels?.length || e.ariaLabel)).length",
    )
    assert unnamed == 0
    assert page.get_by_role("link", name=re.compile("in-bounds, proved")).count() > 0
    page.goto(address(report, MAX))
    assert page.get_by_role("math").count() > 10
    assert page.get_by_role("navigation", name="Pages about sonnx.Max-13").count() == 1
    assert page.get_by_role("navigation", name="Breadcrumb").count() == 1
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map((e) => Number(e.tagName[1]))")
    assert levels[:2] == [1, 2]
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", MAX, DRAFT, RUNTIME, ERRORS])
def test_contrast(
    report: Path, browser: Browser, low_contrast: Callable[..., list[str]], scheme: str, name: str
) -> None:
    context = browser.new_context(viewport=DESKTOP, color_scheme=scheme)
    page = context.new_page()
    page.goto(address(report, name))
    low = low_contrast(page)
    context.close()
    assert low == []


def test_theme(report: Path, page: Page) -> None:
    """The button changes it, and the next page has it."""
    ground = "getComputedStyle(document.body).backgroundColor"
    page.goto(address(report, "index.html"))
    before = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(ground) != before
    page.goto(address(report, MAX))
    assert page.get_by_role("button", name="Light").count() == 1


def test_counterexample_is_drawn(report: Path, page: Page) -> None:
    """Both results, and what differs is marked, for eyes and for readers aloud."""
    page.goto(f"{address(report, DRAFT)}#drafts.Max-13.int/Y/determined")
    target = page.locator("article:target")
    assert target.locator(".differs").all_inner_texts() == ["()", "(0)"]
    assert target.get_by_text("another shape", exact=True).count() == 2
    page.goto(address(report, RUNTIME))
    marked = page.locator("td.differs").first
    assert marked.text_content().endswith(" (differs)")


def test_print(report: Path, page: Page) -> None:
    """On paper there is no navigation, and nothing stays folded."""
    page.goto(address(report, RUNTIME))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not page.get_by_role("navigation").first.is_visible()
    assert page.locator("details:not([open])").count() == 0
    assert page.pdf()[:5] == b"%PDF-"


def test_without_scripts(report: Path, browser: Browser) -> None:
    """Everything is there to be read; what needs a script is not shown."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address(report, "index.html"))
    assert not page.locator("#filter").is_visible()
    assert not page.locator("#theme").is_visible()
    assert page.locator(".matrix tr.row").count() == 3
    page.locator(".matrix a.cell").first.click()
    assert page.locator("article:target").count() == 1
    context.close()
