"""The kind that hover shows of an expression is the one that the elaborator finds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest

from sonnx_verify.kernel.values import Value, kind_of
from sonnx_verify.language import syntax as s
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.kinds import Kind, Kinds
from sonnx_verify.language.parser import parse_expression
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import ELEMENT, ELEMENT_TYPES
from sonnx_verify.lsp.documents import Desk, uri_of
from sonnx_verify.lsp.names import Formal, _nodes, _shown, _values
from sonnx_verify.lsp.symbols import items_of
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.work import Work
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
EXPRESSIONS = get_args(s.Expression)
_ELEMENTS = re.compile(rf"\b({'|'.join([*ELEMENT_TYPES, ELEMENT.name])})\b")


@pytest.mark.parametrize("name", ["sonnx/max/max", "common/broadcast", "common/axes", "sonnx/reducesum/reducesum"])
def test_kinds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each expression of a text that both know."""
    found: dict[tuple[object, ...], set[str]] = {}
    elaborate = Elaborator.value

    def noted(self: Elaborator, node: s.Expression, scope: Mapping[str, Value]) -> Value:
        made = elaborate(self, node, scope)
        found.setdefault(_key(node), set()).add(str(kind_of(made)))
        return made

    monkeypatch.setattr(Elaborator, "value", noted)
    path = ROOT / "spec" / f"{name}.sonnx"
    project = Project.open(ROOT)
    for unit in (u for u in project.units if u.path == path):
        for obligation in of_unit(project, unit):
            if obligation.build is not None and obligation.types:
                Work(obligation).on(obligation.types[0])
    desk = Desk()
    formal = Formal.of(desk, desk.put(uri_of(path), "sonnx", 1, path.read_text("utf-8")))
    assert formal is not None
    compared = 0

    for item in items_of(formal.tree):
        for node in (n for top in _nodes(item) for n in s.every(top) if isinstance(n, EXPRESSIONS)):
            place = (node.span.line, node.span.column)
            known = formal.results.having(_values({**formal.known, **formal.locals(place)}))
            said = _shown(known.of(node))
            kinds = found.get(_key(node), set())
            if said and kinds:
                compared += 1
                same = {kind if kind == said else _ELEMENTS.sub("T", kind) for kind in kinds}
                assert said in same or any("set of results" in kind for kind in kinds), (name, place, type(node))

    assert compared > 20


def _key(node: s.Node) -> tuple[object, ...]:
    return (node.span.source.name, node.span.line, node.span.column, node.span.length, type(node))


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("1 + X[i]", "T"),
        ("0.5 * X[i]", "T"),
        ("if i = i then 0 else X[i]", "T"),
        ("if i = i then X[i] else -1", "T"),
        ("1 + 2", "int"),
        ("0.5 + 0.5", "real"),
        ("if i = i then 0 else 2^7", "int"),
        ("X[i] < 0", "bool"),
        ("if i = i then true else p", "bool"),
    ],
)
def test_kinds_of_numbers(written: str, kind: str) -> None:
    """A number beside an element is an element, on either side."""
    known = Kinds({"X": Kind("tensor", Kind("T")), "i": Kind("index")})

    assert str(known.of(parse_expression(Source("a text", written)))) == kind
