"""What two texts of one operator say otherwise where no input of both could show it: what they declare, what lies
outside the model, and sentences that alone say what a name means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from sonnx_verify.language import syntax as s
from sonnx_verify.language.constants import written_out
from sonnx_verify.language.context import Library
from sonnx_verify.language.syntax import text_of

_LONG = {"ints": "list of int", "floats": "list of float"}
"""Types of attributes that have a short name."""


def redeclared(
    now: s.File, then: s.File, names: Mapping[str, str], libraries: tuple[Library, Library]
) -> Iterator[str]:
    """A line for each difference. `names` gives what each thing that the old text declares is called in the new one;
    the libraries are those of the new and of the old text."""
    yield from _listed("inputs", now.inputs, then.inputs, names)
    yield from _listed("outputs", now.outputs, then.outputs, names)
    here, there = ({d.name for d in file.attributes} for file in (now, then))
    known = {names[name] for name in there}
    yield from (f"`{name}` is a new attribute" for name in sorted(here - known))
    mine = {d.name: d for d in (*now.inputs, *now.attributes, *now.outputs)}
    for old in (*then.inputs, *then.attributes, *then.outputs):
        new = mine[names[old.name]]
        if old.name in there and new.name not in here:
            yield f"`{new.name}` is no attribute any more"
        yield from _otherwise(f"`{new.name}`", _declared(new), _declared(old))
    yield from _otherwise("it", _refined(now), _refined(then))
    unsaid, were = (_unmodelled(file, library) for file, library in zip((now, then), libraries, strict=True))
    yield from (f"says outside the model now: {line}" for line in unsaid if line not in were)
    yield from (f"says outside the model no more: {line}" for line in were if line not in unsaid)
    sentences, before = (_sentences(library) for library in libraries)
    for name in dict.fromkeys((*sentences, *before)):
        yield from _otherwise(f"`{name}`", sentences.get(name, "not there"), before.get(name, "not there"))


def _listed(
    what: str, now: list[s.Declaration], then: list[s.Declaration], names: Mapping[str, str]
) -> Iterator[str]:
    """What is given by position: which there are, and in which order."""
    new, old = [d.name for d in now], [names[d.name] for d in then]
    if new != old:
        yield f"its {what} are now {', '.join(new)}, and were {', '.join(old)}"


def _otherwise(whose: str, now: str, then: str) -> Iterator[str]:
    if now != then:
        yield f"{whose} is now {now}, and was {then}"


def _declared(declaration: s.Declaration) -> str:
    """What a declaration says, but for its name and its `where`, which an input can meet or not."""
    said = ["optional"] if declaration.optional else []
    if declaration.low is not None and declaration.high is not None:
        said.append(f"[{text_of(declaration.low)} .. {text_of(declaration.high)}] of")
    said.append(_LONG.get(str(declaration.type), str(declaration.type)))
    if declaration.default is not None:
        said.append(f"default {_default(declaration.default)}")
    return " ".join(said)


def _default(node: s.Expression) -> str:
    """A default: numbers by their value, however they are written."""
    node = s.bare(node)
    if isinstance(node, s.Listed):
        return f"[{', '.join(map(_default, node.items))}]"
    value = written_out(node)
    return str(value) if isinstance(value, Fraction) else text_of(node)


def _refined(file: s.File) -> str:
    if file.refines is None:
        return "no refinement"
    renamed = ", ".join(f"{mine} = {standard}" for mine, standard in sorted(file.refines.renaming.items()))
    return f"a refinement of {file.refines.namespace}.{file.refines.operator}-{file.refines.version} by {renamed}"


def _unmodelled(file: s.File, library: Library) -> list[str]:
    """The clauses without a formal text: their sentences are all that they say."""
    lines = []
    for clause in file.clauses:
        if clause.body is None:
            general = library.generals.get(clause.origin)
            sentences = [f'"{title}"' for title in (clause.title, general.title if general else "") if title]
            family = f" {clause.family}" if clause.family else ""
            lines.append(f"{clause.kind}{family} {', '.join(sentences)}")
    return lines


def _sentences(library: Library) -> dict[str, str]:
    """What facts and undefined functions stand for, in words."""
    undefined = {
        u.name: f'({", ".join(map(str, u.arguments))}) : {u.result} "{u.title}"' for u in library.undefined.values()
    }
    return {**{name: f'"{sentence}"' for name, sentence in library.facts.items()}, **undefined}
