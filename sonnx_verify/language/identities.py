"""What the items of a text are called, so that a difference can name them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s

Identity = tuple[str, str, str]
"""What an item is called: its kind, its name and its family of types, each of the last two perhaps empty."""


def lists(file: s.File) -> dict[str, list[Any]]:
    """The items that stand in lists, by their kind; a rule says itself of which kind it is."""
    return {
        "input": file.inputs,
        "output": file.outputs,
        "attribute": file.attributes,
        "clause": file.clauses,
        "let": file.lets,
        "rule": file.rules,
        "define": file.definitions,
        "order": file.orders,
        "theorem": file.theorems,
        "undefined": file.undefined,
        "reading": file.readings,
        "expect": file.expectations,
    }


def identity_in(kind: str, item: Any) -> Identity:
    """What an item that stands in the list of a kind is called."""
    match item:
        case s.Clause(tag=tag, family=family):
            return (kind, tag, family)
        case s.Rule(what=what, tag=tag, family=family) if tag and what.startswith("unspecified"):
            return ("unspecified", tag, family)
        case s.Rule(what=what, output=output, family=family):
            return (what, output, family)
        case s.Definition(name=name, family=family):
            return (kind, name, family)
        case s.Reading(what=what):
            return (kind, what, "")
        case s.Expectation(path=path, family=family):
            return (kind, path, family)
        case _:
            return (kind, item.name, "")


_KINDS: dict[type, str] = {
    s.Clause: "clause",
    s.Let: "let",
    s.Rule: "rule",
    s.Definition: "define",
    s.OrderDefinition: "order",
    s.Theorem: "theorem",
    s.Undefined: "undefined",
    s.Reading: "reading",
    s.Expectation: "expect",
}


def identity_of(item: Any) -> Identity:
    """What an item, as the parser hands it over, is called."""
    match item:
        case (("input" | "output" | "attribute") as kind, declaration):
            return identity_in(kind, declaration)
        case ("indices", _):
            return ("reading", "indices", "")
        case ("refines" | "page" as kind, *_):
            return (kind, "", "")
        case (str() as kind, str() as name, *_):
            return (kind, name, "")
        case _:
            return identity_in(_KINDS[type(item)], item)


def known_in(file: s.File) -> list[Identity]:
    """What the items of the file are called."""
    found = [identity_in(kind, item) for kind, items in lists(file).items() for item in items]
    named: dict[str, Iterable[str]]
    named = {"types": file.types, "fact": file.facts, "general": file.generals, "use": [n for n, _ in file.uses]}
    found += [(kind, name, "") for kind, names in named.items() for name in names]
    found += [(kind, "", "") for kind, item in (("refines", file.refines), ("page", file.page)) if item is not None]
    return found


def called(identity: Identity) -> str:
    """The identity in words."""
    kind, name, family = identity
    return " ".join(part for part in (kind, f"`{name}`" if name else "", f"for {family}" if family else "") if part)


def missing(file: s.File, identity: Identity, span: Span, message: str, instead: str) -> SpecificationError:
    """An error that names what is nearest to what is missing, else what there is of its kind."""
    known = known_in(file)
    alike = [k for k in known if k[0] == identity[0]]
    same = [k for k in known if k[1] == identity[1] and k != identity]
    close = difflib.get_close_matches(identity[1], [k[1] for k in alike], 3)
    near = [k for k in alike if k[1] in close] or same or alike
    cures = []
    if near:
        cures.append("there is " + ", ".join(dict.fromkeys(called(k) for k in near[:6])))
    if instead:
        cures.append(f"write `{instead}` if it is new")
    return SpecificationError(message, span, "; ".join(cures) or "leave it out")
