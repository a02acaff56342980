"""What names and expressions stand for, as far as a formula is written differently for it: `S[k]` is an item of a list
and has an index, `X[i]` is an element of a tensor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sonnx_verify.language import syntax as s

_ITEMS = {"shape": "int", "index": "int", "ints": "int", "floats": "float"}
_LISTS = ("list of ", "set of ")
_FUNCTIONS = {"axes": "set of int", "indices": "set of index"} | dict.fromkeys(("rank", "count", "div", "mod"), "int")


@dataclass(frozen=True, slots=True)
class Scope:
    """The kinds of the names that can be used at a place, and of what definitions give. A kind is a type as it is
    written; empty where nothing is known."""

    names: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, str] = field(default_factory=dict)

    def having(self, names: Mapping[str, str]) -> Scope:
        """The same with further names."""
        return Scope({**self.names, **names}, self.results)

    def kind(self, node: s.Node) -> str:
        """The kind of an expression."""
        match node.kind:
            case "name":
                return self.names.get(node.text[0], "")
            case "group" | "slice":
                return self.kind(node.parts[0])
            case "member":
                return "shape" if node.text[0] == "shape" else ""
            case "read":
                return item_of(self.kind(node.parts[0]))
            case "listed":
                return f"list of {self.kind(node.parts[0].parts[0])}"
            case "replaced":
                return "index"
            case "make":
                return self._made(node)
            case "set":
                return f"set of {self.within(node.parts[1]).kind(node.parts[0])}"
            case "if_":
                return self.kind(node.parts[1]) or self.kind(node.parts[2])
            case "call" | "call_with":
                return self._called(node.parts[0].text[0]) if node.parts[0].kind == "name" else ""
            case "call_set":
                return self._called(node.text[0])
            case _:
                return ""

    def within(self, binders: s.Node) -> Scope:
        """The scope of what binders range over."""
        return self.having({name: self.member(domain) for name, domain in ranges(binders)})

    def member(self, domain: s.Node) -> str:
        """The kind of a variable that ranges over this: a position of a list, an index of a tensor or a shape."""
        kind = self.kind(domain)
        if domain.kind == "range" or kind.startswith("list of ") or kind in ("ints", "floats"):
            return "int"
        if kind.startswith("tensor") or kind == "shape":
            return "index"
        return item_of(kind)

    def _called(self, name: str) -> str:
        return self.results.get(name) or _FUNCTIONS.get(name, "")

    def _made(self, node: s.Node) -> str:
        maker = node.text[0]
        if maker != "list":
            return "tensor of T" if maker == "tensor" else maker
        inner = self.having({node.text[1]: self.member(node.parts[0])})
        return f"list of {inner.kind(node.parts[-1])}"


def ranges(binders: s.Node) -> Iterator[tuple[str, s.Node]]:
    """The variables of binders with what they range over."""
    for part in binders.parts:
        if part.kind == "binder":
            yield part.text[0], part.parts[0]


def item_of(kind: str) -> str:
    """The kind of an item of this; an element of a tensor has none of its own."""
    for begin in _LISTS:
        if kind.startswith(begin):
            return kind.removeprefix(begin)
    return _ITEMS.get(kind, "")


def scope_of(file: s.File, definitions: Iterable[s.Definition]) -> Scope:
    """The scope of a file's items: its declarations, families as lists, and each `let`."""
    results = {d.name: str(d.result) for d in definitions}
    names = {d.name: declared(d) for d in (*file.inputs, *file.attributes, *file.outputs)}
    scope = Scope(names, results)
    for let in file.lets:
        scope = scope.having({let.name: scope.kind(let.body)})
    return scope


def declared(declaration: s.Declaration) -> str:
    """The kind of what is declared."""
    kind = str(declaration.type)
    return kind if declaration.high is None else f"list of {kind}"
