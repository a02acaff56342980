"""All mistakes of a text that cannot be elaborated: the rest is tried again, without the item of each and its users.

Not trusted: a text with a mistake has no obligations, whatever is found here. The text is elaborated as ever, up to the
first mistake; so each that is told is one of the text, if the items that are gone are not missed elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sonnx_verify.errors import SpecificationError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.identities import lists
from sonnx_verify.language.project import Project
from sonnx_verify.language.recovery import MOST, extent, in_whole, recovered, text_of, words_in
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.sources import Source


def mistakes_of(project: Project, unit: Unit, first: UserError) -> list[UserError]:
    """The mistakes of a text of which the first is known, by their places. A name that could not be declared is no
    mistake where it is used."""
    found = list(_found(project, unit, first))
    return sorted(found, key=lambda error: (error.span.line, error.span.column) if error.span else (0, 0))


def _found(project: Project, unit: Unit, first: UserError) -> Iterator[UserError]:
    if not isinstance(first, SpecificationError) or first.span is None or first.span.source.name != unit.shown:
        yield first
        return
    file, count = unit.file, 0
    problem: UserError | None = first
    source = first.span.source
    if file is None:
        read = recovered(source)
        yield from read.mistakes or [first]
        if read.file is None:
            return
        file, count = _without(read.file, read.lost, source), len(read.mistakes)
        problem = _mistake_in(project, unit, file)
    while problem is not None and count < MOST:
        in_whole(source, problem)
        told = problem
        smaller = _smaller(file, problem, source)
        # A mistake of the whole text, or of another one, may be there because of what was left out.
        if count == 0 or smaller is not None:
            yield told
            count += 1
        if smaller is None:
            return
        file = smaller
        problem = _mistake_in(project, unit, file)


def _mistake_in(project: Project, unit: Unit, file: s.File) -> UserError | None:
    """The first mistake of a file in place of that of the unit."""
    trial = replace(unit, file=file, error=None)
    other = Project(project.root, [trial if one is unit else one for one in project.units], project.instead)
    other.closed, other.files = project.closed, project.files
    try:
        of_unit(other, trial)
    except UserError as problem:
        return problem
    return None


def _smaller(file: s.File, problem: UserError, source: Source) -> s.File | None:
    """The file without the item that a mistake is in, and without what uses it; None where there is no such item."""
    span = problem.span
    if span is None or span.source.name != file.path:
        return None
    inside: list[tuple[int, object]] = []
    for items in lists(file).values():
        for item in items:
            begin, end = extent(item, file.path)
            if begin <= span.start < max(end, begin + 1):
                inside.append((end - begin, item))
    if not inside:
        return None
    _, wrong = min(inside, key=lambda one: one[0])
    return _without(_kept(file, lambda item: item is not wrong), _names(wrong), source)


def _without(file: s.File, names: set[str], source: Source) -> s.File:
    """The file without the items in whose text one of the names stands, and what uses these: nobody knows what they
    say."""
    gone: list[object] = []

    def is_kept(item: object) -> bool:
        if words_in(text_of(item, source)).isdisjoint(names):
            return True
        gone.append(item)
        return False

    smaller = _kept(file, is_kept)
    if further := set().union(*map(_names, gone)) - names:
        return _without(smaller, names | further, source)
    if smaller.refines is not None and not words_in(text_of(smaller.refines, source)).isdisjoint(names):
        smaller = replace(smaller, refines=None)
    used = [one for one in smaller.using if words_in(text_of(one, source)).isdisjoint(names)]
    return replace(smaller, using=used)


def _kept(file: s.File, is_kept: Callable[[object], bool]) -> s.File:
    """The file with some of its items. What a draft expects of all of them is not asked."""
    smaller = replace(
        file,
        inputs=file.inputs.copy(), outputs=file.outputs.copy(), attributes=file.attributes.copy(),
        clauses=file.clauses.copy(), lets=file.lets.copy(), rules=file.rules.copy(),
        definitions=file.definitions.copy(), orders=file.orders.copy(), theorems=file.theorems.copy(),
        examples=file.examples.copy(),
        undefined=file.undefined.copy(), readings=file.readings.copy(), expectations=[],
    )  # fmt: skip  # a table
    for items in lists(smaller).values():
        items[:] = [item for item in items if is_kept(item)]
    return smaller


def _names(item: object) -> set[str]:
    """The names that an item gives."""
    match item:
        case s.Declaration(name=name, high=s.Name(name=last)):
            return {name, last}
        case s.Clause():
            return {tag.strip() for tag in item.tags.split(",")}
        case s.Declaration() | s.Let() | s.Definition() | s.OrderDefinition() | s.Theorem() | s.Undefined():
            return {item.name}
        case s.Reading():
            return {item.what}
        case _:
            return set()


def add_once(errors: list[UserError], error: UserError) -> None:
    """Add an error, unless there is one of its place: what is wrong there is told of one version and section alone."""
    if _place(error) not in map(_place, errors):
        errors.append(error)


def _place(error: UserError) -> object:
    span = error.span
    if span is None:
        return error.message
    return span.source.name, span.line, span.column
