"""Records as texts: in lines that a reviewer reads, with every value as it was."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sonnx_verify.results.written import json_wrapped

SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=30)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=9), inner))


@given(VALUES, st.integers(0, 4))
def test_nothing_is_lost(made: Any, opened: int) -> None:
    """In no line more than there is room for, if no text and no nesting is longer than that."""
    text = json_wrapped(made, opened)

    assert json.loads(text) == made
    assert json.dumps(json.loads(text)) == json.dumps(made)


def test_lines_are_filled() -> None:
    """What fits stands together; the outer levels have a line for each member, so that a diff shows which changed."""
    row = {"name": "X", "value": {"dtype": "float16", "elements": list(range(70, 100))}, "seen": True}
    made = {"few": {"a": 1, "b": [2]}, "rows": [row, {"name": "Y"}], "none": [], "long": "x" * 130}

    assert json_wrapped(made, 1) == (
        "{\n"
        ' "few": {"a": 1, "b": [2]},\n'
        ' "rows": [{"name": "X",\n'
        '   "value": {"dtype": "float16",\n'
        f'    "elements": [{", ".join(map(str, range(70, 95)))},\n'
        f"     {', '.join(map(str, range(95, 100)))}]}},\n"
        '   "seen": true},\n'
        '  {"name": "Y"}],\n'
        ' "none": [],\n'
        f' "long": "{"x" * 130}"\n'
        "}\n"
    )
    assert json_wrapped({"few": {"a": 1, "b": [2]}}, 2) == '{\n "few": {\n  "a": 1,\n  "b": [2]\n }\n}\n'
    assert json_wrapped({"few": {"a": 1, "b": 2}}, 2) == '{\n "few": {"a": 1, "b": 2}\n}\n'
