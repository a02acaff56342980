"""Pages for tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.read import page_from


@pytest.fixture
def page() -> Callable[[str], Page]:
    """Makes a page of a text."""
    return lambda text: page_from("page.md", text.encode())
