"""What kind of thing an expression is, by its form and the kinds of the names in it: for readers, not for proofs.

The elaborator decides what is right, and takes a good part of a second for it. This reads no more than the syntax, so
it answers at once, and of texts that are not finished; what it does not know is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.language.words import TYPES

_CONDITIONS = frozenset(
    ("relation", "member_of", "is_", "is_not", "fails", "for_all", "exists", "implies", "iff")
    + ("conjunction", "disjunction", "not_")
)
_NUMBERS = frozenset(("rank", "count", "div", "mod", "floor", "ceil"))
_REALS = frozenset(("roundoff", "overflow", "least"))


@dataclass(frozen=True)
class Kinds:
    """Kinds by names: of what names stand for, and of what definitions, functions and operators give."""

    results: Mapping[str, str]

    def of(self, node: s.Node, scope: Mapping[str, str]) -> str:
        """The kind of an expression where names have the kinds of `scope`; empty where it is not known."""
        kind, parts = node.kind, node.parts
        if kind in _CONDITIONS:
            return "bool"
        match kind:
            case "name":
                return scope.get(node.text[0], "")
            case "integer" | "power":
                return "int"
            case "decimal":
                return "real"
            case "text_value":
                return "string"
            case "if_":
                return self.of(parts[1], scope) or self.of(parts[2], scope)
            case "group" | "replaced" | "slice":
                return self.of(parts[0], scope)
            case "sum" | "product" | "negative":
                return self._arithmetic([self.of(p, scope) for p in parts])
            case "listed":
                return _made_of("list", self.of(parts[0].parts[0], scope))
            case "set":
                return _made_of("set", self.of(parts[0], {**scope, **self.bound(parts[1], scope)}))
            case "make":
                return self._make(node, scope)
            case "fold":
                return self._fold(node, scope)
            case "read":
                return _element(self.of(parts[0], scope))
            case "call" | "call_with":
                return self._call(parts[0].text[0], parts[1].parts, scope) if parts[0].kind == "name" else ""
            case "call_set":
                return self._call(node.text[0], parts, scope)
            case "member":
                return self._member(node)
            case "any_" | "within":
                return "set of results"
            case _:
                return ""

    def bound(self, node: s.Node, scope: Mapping[str, str]) -> dict[str, str]:
        """The names that a node binds for what stands in it, with their kinds."""
        match node.kind:
            case "set" | "for_all" | "exists":
                return next((self.bound(p, scope) for p in node.parts if p.kind == "binders"), {})
            case "binders":
                found: dict[str, str] = {}
                for part in node.parts:
                    found |= self.bound(part, {**scope, **found})
                return found
            case "binder":
                return {node.text[0]: self._ranging(node.parts[0], scope)}
            case "make":
                return {node.text[1]: self._ranging(node.parts[0], scope)}
            case _:
                return {}

    def _ranging(self, domain: s.Node, scope: Mapping[str, str]) -> str:
        """The kind of a variable over a domain."""
        if domain.kind == "range":
            return "int"
        if domain.kind == "call" and domain.parts[0].kind == "name" and domain.parts[0].text[0] in ("axes", "indices"):
            return "int" if domain.parts[0].text[0] == "axes" else "index"
        kind = self.of(domain, scope)
        if kind.startswith("set of "):
            return kind.removeprefix("set of ")
        if kind.startswith("list of "):
            return "int"
        return "index" if kind.startswith(("tensor", "shape")) else ""

    def _arithmetic(self, kinds: list[str]) -> str:
        return next((k for k in kinds if k not in ("", "int")), "int" if all(kinds) else "")

    def _make(self, node: s.Node, scope: Mapping[str, str]) -> str:
        what = node.text[0]
        body = self.of(node.parts[-1], {**scope, **self.bound(node, scope)})
        return what if what in ("shape", "index") else _made_of(what, body)

    def _fold(self, node: s.Node, scope: Mapping[str, str]) -> str:
        match node.text[0]:
            case "count":
                return "int"
            case "all" | "any":
                return "bool"
            case _:
                return self.of(node.parts[0], scope).removeprefix("set of ")

    def _call(self, name: str, arguments: tuple[s.Node, ...], scope: Mapping[str, str]) -> str:
        if name in _NUMBERS:
            return "int"
        if name in TYPES:
            return name
        return self.results.get(name, "")

    def _member(self, node: s.Node) -> str:
        if node.text[0] == "shape":
            return "shape"
        head = node.parts[0]
        return "real" if node.text[0] in _REALS else head.text[0] if head.kind == "name" else ""


def _made_of(what: str, kind: str) -> str:
    return f"{what} of {kind}" if kind else ""


def _element(kind: str) -> str:
    """What is read from a thing."""
    for what in ("tensor of ", "list of "):
        if kind.startswith(what):
            return kind.removeprefix(what)
    return "int" if kind in ("shape", "index") else ""
