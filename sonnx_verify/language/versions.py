"""The versions and texts of an operator: a file, and each difference applied to what stands before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from sonnx_verify.errors import Span, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.identities import Identity, called, identity_in, identity_of, known_in, lists, missing
from sonnx_verify.language.parser import put


def editions(file: s.File) -> list[s.File]:
    """Every version and text of a file, complete, in order. SpecificationError for a difference that does not fit."""
    if not file.differences:
        return [file]
    made = [replace(_copy(file), differences=[], edition=_edition(file.version, file.text))]
    for difference in file.differences:
        _check_order(made, difference)
        made.append(_changed(_base(made), difference))
    return made


def _base(before: list[s.File]) -> s.File:
    """What a difference is one to: the first text of the version before it, for a further text that of its version."""
    last = before[-1].version
    return next(f for f in before if f.version == last)


def _edition(version: int | None, text: str) -> str:
    return f"version {version}, text {text}" if text else f"version {version}"


_PREFIX = re.compile(r"^in version \d+(, text [\w.-]+)?: ")


@contextmanager
def told_of(file: s.File) -> Iterator[None]:
    """A mistake in the text of a file with several versions says in which of them it is one."""
    try:
        yield
    except SpecificationError as error:
        here = error.span is not None and error.span.source.name == file.path
        if file.edition and here and not _PREFIX.match(error.message):
            error.message = f"in {file.edition}: {error.message}"
        raise


def _check_order(before: list[s.File], difference: s.Difference) -> None:
    """Versions rise; the texts of one version differ, and each but the first has a name."""
    last, version, text = before[-1].version, difference.version, difference.text
    assert last is not None
    if version < last:
        raise SpecificationError(
            f"version {version} comes after version {last}", difference.span, "write the versions from old to new"
        )
    texts = [f.text for f in before if f.version == version]
    if texts and (not text or text in texts):
        raise SpecificationError(
            f"{_edition(version, text)} is there twice",
            difference.span,
            f"write a higher number, or name another text of it: `version {version} text NAME`",
        )
    for other in texts[1:]:
        # `Op-1@a.int` would be both the text `a.int` and the section `int` of the text `a`.
        if text.startswith(f"{other}.") or other.startswith(f"{text}."):
            raise SpecificationError(
                f"the texts {other} and {text} cannot be told apart in identities",
                difference.span,
                "choose a name that does not begin with that of another text and a point",
            )


def _changed(file: s.File, difference: s.Difference) -> s.File:
    new = replace(
        _copy(file),
        version=difference.version,
        text=difference.text,
        span=difference.span,
        edition=_edition(difference.version, difference.text),
    )
    with told_of(new):
        for change in difference.changes:
            _CHANGES[change.what](new, change.item, change.span)
    return new


def _copy(file: s.File) -> s.File:
    """The file with lists of its own."""
    found = {f.name: getattr(file, f.name) for f in fields(file)}
    lists: Any = {name: value.copy() for name, value in found.items() if isinstance(value, (list, dict))}
    return replace(file, **lists)


# -------------------------------------------------------------------------------------------------------------- changes


def _add(file: s.File, item: Any, span: Span) -> None:
    match item:
        case ("types", name, members, _, _) if name in file.types:
            _add_types(file, name, members, span)
            return
    identity = identity_of(item)
    if identity in known_in(file) and not identity[0].startswith("unspecified "):
        raise SpecificationError(f"there is {called(identity)} already", span, "write `replace` instead of `add`")
    put(file, item, 1 + max([*(c.place for c in file.clauses), *(x.place for x in file.lets)], default=0))


def _add_types(file: s.File, name: str, members: list[str], span: Span) -> None:
    for n, member in enumerate(members):
        if member in file.types[name] or member in members[:n]:
            raise SpecificationError(f"`types {name}` has {member} already", span, "leave it out")
    file.types[name] = [*file.types[name], *members]


def _replace(file: s.File, item: Any, span: Span) -> None:
    """What has the item's identity is exchanged where it stands: the order of the items stays."""
    identity = identity_of(item)
    if identity not in known_in(file):
        raise missing(file, identity, span, f"there is no {called(identity)} to replace", "add")
    match item:
        case ("refines", refines):
            file.refines = refines
        case ("page", name, place):
            file.page = (name, place)
        case ("types", name, members, variable, place):
            file.types[name], file.type_variables[name], file.type_spans[name] = members, variable, place
        case ("fact", name, title, _):
            file.facts[name] = title
        case ("general", name, general, _):
            file.generals[name] = general
        case ("use", *_):
            pass  # the library stays
        case _:
            _exchange(file, item, identity, span)


def _exchange(file: s.File, item: Any, identity: Identity, span: Span) -> None:
    new: Any = item
    match item:
        case (("input" | "output" | "attribute"), declaration):
            new = declaration
        case ("indices", (base, reading)):
            file.index_base, new = base, reading
    for kind, items in lists(file).items():
        places = [n for n, old in enumerate(items) if identity_in(kind, old) == identity]
        if len(places) > 1:
            raise SpecificationError(
                f"there are {len(places)} of {called(identity)}", span, "one of them cannot be told from the others"
            )
        for n in places:
            old = items[n]
            items[n] = replace(new, place=old.place) if isinstance(new, (s.Clause, s.Let)) else new


def _remove(file: s.File, item: Any, span: Span) -> None:
    """What is named goes, for all families."""
    if item[0] == "types":
        _, name, members = item
        _remove_types(file, name, members, span)
        return
    kind, name = item
    if not any(known[:2] == (kind, name) for known in known_in(file)):
        raise missing(file, (kind, name, ""), span, f"there is no {called((kind, name, ''))} to remove", "")
    for where, items in lists(file).items():
        items[:] = [x for x in items if identity_in(where, x)[:2] != (kind, name)]


def _remove_types(file: s.File, name: str, members: list[str], span: Span) -> None:
    if name not in file.types:
        identity = ("types", name, "")
        raise missing(file, identity, span, f"there are no types {name} to remove from", "")
    for n, member in enumerate(members):
        if member not in file.types[name] or member in members[:n]:
            raise SpecificationError(
                f"`types {name}` has no {member}" + (" twice" if member in members[:n] else ""),
                span,
                "it has " + " ".join(file.types[name]),
            )
    file.types[name] = [t for t in file.types[name] if t not in members]
    if not file.types[name]:
        for kept in (file.types, file.type_variables, file.type_spans):
            del kept[name]


def _move(file: s.File, item: Any, span: Span) -> None:
    """The attribute goes, and an input of its name comes last."""
    identity = ("attribute", item.name, "")
    if identity not in known_in(file):
        raise missing(file, identity, span, f"there is no attribute {item.name} to move", "")
    if ("input", item.name, "") in known_in(file):
        raise SpecificationError(f"there is an input {item.name} already", span, "remove the attribute instead")
    file.attributes[:] = [d for d in file.attributes if d.name != item.name]
    file.inputs.append(item)


_CHANGES: dict[str, Callable[[s.File, Any, Span], None]] = {
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "move": _move,
}
