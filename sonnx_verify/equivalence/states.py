"""Two states of one project: which unit of the one is which of the other, and what differs between them.

In: a project, and a unit or an obligation of another state of it, as where a clause was edited. Nothing is decided.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.hashes import statement_hash
from sonnx_verify.solving.check.work import Work
from sonnx_verify.sources import Span


def counterpart(project: Project, unit: Unit) -> Unit:
    """The same version and text of the same file in another state of its project. Raises the error of a text that
    cannot be read, UsageError where there is none."""
    for one in project.units:
        # A file that cannot be read is one unit without a version, which stands for all that were in it.
        if one.place == unit.place and one.error is not None:
            raise one.error
        if one.key == unit.key:
            return one
    # A version without a text of its own is made of the text as it is in that state.
    if unit.note and unit.file is not None:
        found = project.find(unit.namespace, unit.file.name, unit.file.version)
        if found is not None:
            return found
    raise UsageError(f"{unit.shown} is not part of this project", cure="name an operator of this folder")


def mistake_in(project: Project, unit: Unit) -> UserError | None:
    """The mistake in the text of a unit, if there is one."""
    try:
        if unit.error is not None:
            raise unit.error
        of_unit(project, unit)
    except UserError as error:
        return error
    return None


def stated_by(obligation: Obligation) -> object:
    """The thing that an obligation states, to be compared with that of another state of its text: the hash of its
    statement, or the verdict that the text itself has given."""
    if obligation.build is None:
        return obligation.answer
    return statement_hash(Work(obligation))


def same_text(one: s.File, other: s.File) -> bool:
    """Return whether two texts differ in the places of their parts alone."""
    return _same(one, other)


def _same(one: object, other: object) -> bool:
    if isinstance(one, Span):
        return isinstance(other, Span)
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, dict) and isinstance(other, dict):
        return [*one] == [*other] and _same([*one.values()], [*other.values()])
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other
