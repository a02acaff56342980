"""Reports of divergences: what people wrote of them, and the place of what is wrong."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from sonnx_verify.conformance.records.reported import Report, State, reports
from sonnx_verify.errors import UserError

ROW = {"url": "https://example.org/1", "date": "2026-11-30", "state": "open"}
OWN, OTHER = "t/sonnx.Max-13/value/1/a", "t/user.Foo-1/value/1/b"
KNOWN = {OWN, OTHER, "t/sonnx.Min-13/value/1/c"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with the folders of two operators."""
    for name in ("spec/sonnx/max", "spec/sonnx/min", "proofs"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def write(root: Path, place: str, text: str) -> Path:
    """A file of reports."""
    path = root / place / "reported.json"
    path.write_text(text, "utf-8")
    return path


def test_reports_are_read_by_identity(root: Path) -> None:
    """From the folder of an operator, and from the shared one for those that have none."""
    write(root, "spec/sonnx/max", json.dumps({OWN: ROW}))
    write(root, "proofs", json.dumps({OTHER: {**ROW, "state": "fixed"}}))
    made = reports(root, KNOWN)

    assert made[OWN] == Report("https://example.org/1", date(2026, 11, 30), State.OPEN)
    assert made[OTHER].words == "[reported on 2026-11-30](https://example.org/1), fixed"
    assert reports(root / "spec", KNOWN) == {}


WRONG = {
    "not json": ("{", ":1:2", "this is not JSON", "correct it"),
    "a list": ("[]", ":1:1", "not reports of divergences", "correct it"),
    "twice": (f'{{"{OWN}": {{}},\n"{OWN}": {{}}}}', ":2:1", "there twice", "correct it"),
    "a state": (
        f'{{\n"{OWN}": {json.dumps({**ROW, "state": "new"})}}}',
        ":2:1",
        "not a report: Invalid enum value",
        "one of open, confirmed, fixed, declined",
    ),
    "a date": (f'{{\n"{OWN}": {json.dumps({**ROW, "date": "30.11."})}}}', ":2:1", "not a report", '"date": "2026'),
    "a link": (f'{{\n"{OWN}": {json.dumps({**ROW, "url": "mail"})}}}', ":2:1", "not a report", '"url": "https'),
    "more": (f'{{\n"{OWN}": {json.dumps({**ROW, "who": "me"})}}}', ":2:1", "not a report", "write"),
    "foreign": (
        f'{{\n"t/sonnx.Min-13/value/1/c": {json.dumps(ROW)}}}',
        ":2:1",
        "`sonnx.Min-13` is not of this folder",
        "move it to spec/sonnx/min/reported.json",
    ),
    "gone": (
        f'{{\n"t/sonnx.Max-13/value/1/z": {json.dumps(ROW)}}}',
        ":2:1",
        "there is no divergence `t/sonnx.Max-13/value/1/z`",
        "name a divergence of sonnx.Max-13",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_an_error_with_its_line(name: str, root: Path) -> None:
    """Nothing of it is decided in silence."""
    text, place, problem, cure = WRONG[name]
    path = write(root, "spec/sonnx/max", text)
    with pytest.raises(UserError) as caught:
        reports(root, KNOWN)

    said = str(caught.value)
    assert f"{path}{place}" in said
    assert problem in said
    assert cure in said
