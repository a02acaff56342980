"""Changes of a text that no input of both states could show: of declarations and of sentences.

In: a text and what it was, paired. Out: a line for each difference: of inputs and outputs by their order, of types,
defaults, bounds of families and `optional`, of the `refines` line, and of every sentence that alone says what a clause
outside the model, a fact or an undefined function means. Types of T and of other type variables, and what a `where`
demands, are not here: obligations/difference.py asks for them. What is missing from both is said to be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import written_out
from sonnx_verify.language.context import Library
from sonnx_verify.language.syntax import text_of
from sonnx_verify.obligations.difference import Pair

_LONG = {"ints": "list of int", "floats": "list of float", "strings": "list of string"}
"""Types of attributes that have a short name."""


def redeclared(pair: Pair, libraries: tuple[Library, Library]) -> Iterator[str]:
    """A line for each difference, the base being the new text; the libraries are those of the base and of the other."""
    now, then = pair.base.file, pair.other.file
    assert now is not None
    assert then is not None
    yield from _listed("inputs", now.inputs, then.inputs, pair.names)
    yield from _listed("outputs", now.outputs, then.outputs, pair.names)
    yield from _redeclared(now, then, pair.names)
    yield from _otherwise("it", _refined(now), _refined(then))
    # Of a clause without a formal text, or of a fact, nothing is asked of solvers: another sentence is another meaning.
    unsaid, were = _unmodelled(now, libraries[0]), _unmodelled(then, libraries[1])
    for line in unsaid:
        if line not in were:
            yield f"now says outside the model: {line}"
    for line in were:
        if line not in unsaid:
            yield f"no longer says outside the model: {line}"
    sentences, before = _sentences(libraries[0]), _sentences(libraries[1])
    for name in dict.fromkeys((*sentences, *before)):
        yield from _otherwise(f"`{name}`", sentences.get(name, "not there"), before.get(name, "not there"))


def _redeclared(now: s.File, then: s.File, names: Mapping[str, str]) -> Iterator[str]:
    """Attributes that are new or moved, then each declaration of the old text beside that of the new one."""
    here, there = {d.name for d in now.attributes}, {d.name for d in then.attributes}
    known = {names[name] for name in there}
    for name in sorted(here - known):
        yield f"`{name}` is a new attribute"
    mine = {d.name: d for d in (*now.inputs, *now.attributes, *now.outputs)}
    for old in (*then.inputs, *then.attributes, *then.outputs):
        new = mine[names[old.name]]
        if old.name in there and new.name not in here:
            yield f"`{new.name}` is no longer an attribute"
        yield from _otherwise(f"`{new.name}`", _declared(new), _declared(old))


def _listed(what: str, now: list[s.Declaration], then: list[s.Declaration], names: Mapping[str, str]) -> Iterator[str]:
    """A line where things given by position are others now, or in another order."""
    # A model gives inputs by their position: in another order they are others.
    new, old = [d.name for d in now], [names[d.name] for d in then]
    if new != old:
        yield f"its {what} are now {', '.join(new)}, and were {', '.join(old)}"


def _otherwise(whose: str, now: str, then: str) -> Iterator[str]:
    if now != then:
        yield f"{whose} is now {now}, and was {then}"


def _declared(declaration: s.Declaration) -> str:
    """The text of a declaration without its name and its `where`, which an input can meet or not."""
    said = []
    if declaration.optional:
        said.append("optional")
    if declaration.low is not None and declaration.high is not None:
        said.append(f"[{text_of(declaration.low)} .. {text_of(declaration.high)}] of")
    # ONNX writes `ints` for a list of integers, and so may a text: both are one type.
    said.append(_LONG.get(str(declaration.type), str(declaration.type)))
    if declaration.default is not None:
        said.append(f"default {_default(declaration.default)}")
    return " ".join(said)


def _default(node: s.Expression) -> str:
    """A default: numbers by their value, however they are written. 1.0 and 1 are one default."""
    node = s.bare(node)
    if isinstance(node, s.Listed):
        return f"[{', '.join(map(_default, node.items))}]"
    value = written_out(node)
    if isinstance(value, Fraction):
        return str(value)
    return text_of(node)


def _refined(file: s.File) -> str:
    if file.refines is None:
        return "no refinement"
    renamed = ", ".join(f"{mine} = {standard}" for mine, standard in sorted(file.refines.renaming.items()))
    return f"a refinement of {file.refines.namespace}.{file.refines.operator}-{file.refines.version} by {renamed}"


def _unmodelled(file: s.File, library: Library) -> list[str]:
    """The clauses without a formal text: their sentences are all that they say."""
    lines = []
    for clause in file.clauses:
        if clause.body is not None:
            continue
        titles = [clause.title]
        # A restriction that comes from a general one says what that says.
        if clause.origin in library.generals:
            titles.append(library.generals[clause.origin].title)
        sentences = ", ".join(f'"{title}"' for title in titles if title)
        family = f" {clause.family}" if clause.family else ""
        lines.append(f"{clause.kind}{family} {sentences}")
    return lines


def _sentences(library: Library) -> dict[str, str]:
    """The sentences of facts and undefined functions, by name."""
    found = {name: f'"{sentence}"' for name, sentence in library.facts.items()}
    for undefined in library.undefined.values():
        arguments = ", ".join(map(str, undefined.arguments))
        found[undefined.name] = f'({arguments}) : {undefined.result} "{undefined.title}"'
    return found
