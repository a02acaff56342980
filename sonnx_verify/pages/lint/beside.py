"""The formal text beside a page: the file of the same name, with another ending."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sonnx_verify.errors import UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.parser import parse
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.source_files import read_source


def formal_path(page: Page) -> Path | None:
    """The path of the formal text beside a page, None where there is none."""
    # An editor checks pages that were never saved: they stand nowhere.
    if page.path is None:
        return None
    beside = page.path.with_suffix(".sonnx")
    return beside if beside.is_file() else None


def formal_beside(page: Page) -> s.File | None:
    """The formal text beside a page, where there is one that names it. What is wrong with it, `check` says."""
    beside = formal_path(page)
    if beside is None or page.path is None:
        return None
    with suppress(UserError):
        file = parse(read_source(beside))
        # A formal text may stand beside a page and name another one, or none, as that of the standard does.
        if file.page is not None and file.page.name == page.path.name:
            return file
    return None
