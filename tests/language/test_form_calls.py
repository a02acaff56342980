"""What the kernel is told of a text, call by call, gives its terms and conditions again, without the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel import guards
from sonnx_verify.kernel.values import Shape, Value, of_axes
from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.context import UNTYPED, Context, Library
from sonnx_verify.language.declare import declare
from sonnx_verify.language.elaborate import Elaborator
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.sorts import BOOL, ELEMENT
from sonnx_verify.logic.terms import ZERO, integer, numbered, run_of_numbers
from sonnx_verify.obligations.section import sorts
from tests.language.form_calls import Call, Log, Replay, Unmade, forms, logged

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
BESIDE = {
    "conversions.constants_of", "conversions.of_number", "sections.member_name",
    "sections.outcome_of", "states.unknown_layout", "variables.typed", "variables.same_constant",
    "variables.meanings_of", "variables.kind_says", "arithmetic.number_of_integers", "functions.undefined",
}  # fmt: skip  # a table
"""Functions of form modules that forms and obligations call, and the elaborator in some texts alone."""


def in_forms(calls: Iterable[Call]) -> Iterator[str]:
    """The names of the forms that are called, one inside the other."""
    for call in calls:
        yield call.form
        for _, _, inner, _ in call.inside:
            yield from in_forms(inner)


def replayed(context: Context, elaborate: Callable[[], object]) -> Log:
    """Elaborate, and make the same of the calls alone: each gives the terms that it gave, and what was asked, and the
    branches, are those that were."""
    run = run_of_numbers()
    family, element, types = context.family, context.element, context.types
    with logged() as log, numbered(run):
        # What the text means, as a whole, is of values that may be handed on.
        log.encoded(elaborate(), [])
    again = Replay(family, element)
    again.kernel.types = types
    with numbered(run):
        again.calls(log.calls)

    assert again.differences == []
    for asked, told in ((context.sides, again.kernel.sides), (context.branches, again.kernel.branches)):
        assert len(asked) == len(told)
    assert [(x.kind, x.formula, x.place) for x in context.sides] == [
        (x.kind, x.formula, x.place) for x in again.kernel.sides
    ]
    assert [(x.never_then, x.never_else) for x in context.branches] == [
        (x.never_then, x.never_else) for x in again.kernel.branches
    ]
    assert context.restrictions == again.kernel.restrictions
    return log


def of_operators(project: Project) -> Iterator[tuple[str, Context, Callable[[], object]]]:
    """Each operator of a project, in each family that it is for."""
    for unit in project.units:
        if unit.file is None or unit.file.version is None:
            continue
        for x in {one.family: one for one in reversed(list(instances(unit.file)))}.values():
            context = Context(x.family, ELEMENT, variables=x.variables, types=sorts(x.types))
            yield unit.operator, context, partial(meant, unit.file, project.library(unit), context)


def meant(file: s.File, library: Library, context: Context) -> Meaning:
    """The meaning of an operator, which has to see to the restrictions of those that it applies."""
    made = meaning_of(file, library, context)
    assert context.restrictions == [], "a restriction is supposed"
    return made


def of_theorems(project: Project) -> Iterator[tuple[str, Context, Callable[[], object]]]:
    """The declarations, the assumption and the body of each theorem."""
    for unit in project.units:
        if unit.file is None:
            continue
        sections = list(instances(unit.file)) if unit.file.types else []
        family, element = (sections[0].family, ELEMENT) if sections else UNTYPED
        variables = sections[0].variables if sections else {}
        for theorem in unit.file.theorems:
            context = Context(family, element, variables=variables, universal=True)
            yield f"{unit.file.name}/{theorem.name}", context, stated(project, unit, theorem, context)


def stated(project: Project, unit: Unit, theorem: s.Theorem, context: Context) -> Callable[[], object]:
    def state() -> list[object]:
        context.supposing = True
        elaborator = Elaborator(project.library(unit), context, unit.file.index_base if unit.file else 0)
        scope: dict[str, Value] = {}
        made: list[object] = [*declare(list(theorem.declarations), elaborator, scope, [], VariableRole.THEOREM)]
        if theorem.assuming is not None:
            made.append(elaborator.condition(theorem.assuming, scope))
        if theorem.induction is None:
            made.append(elaborator.condition(theorem.body, scope))
        return made

    return state


def share(found: Iterable[tuple[str, Context, Callable[[], object]]], one_in: int) -> Counter[str]:
    """The forms that are called by some of the texts, each of which is replayed."""
    seen = Counter[str]()
    for number, (name, context, elaborate) in enumerate(found):
        if number % one_in:
            continue
        try:
            seen.update(in_forms(replayed(context, elaborate).calls))
        except SpecificationError:
            seen["refused"] += 1  # of abstract elements: `any NaN` has a meaning of each type alone
        except Unmade as problem:
            raise AssertionError(f"{name}: {problem}") from None
    return seen


@pytest.mark.parametrize("one_in", [12, pytest.param(1, marks=pytest.mark.soak)])
def test_a_log_of_calls_is_all_that_the_kernel_is_told(one_in: int) -> None:
    """Of the library's operators and theorems, and of the texts here: replayed, each call gives what it gave."""
    library = Project.open(ROOT)
    seen = share(of_operators(library), one_in)
    seen += share(of_theorems(library), one_in)
    for folder in sorted({path.parent for path in HERE.rglob("*.sonnx")}):
        seen += share(of_operators(Project.open(folder)), one_in)

    assert seen.total() > 5_000 / one_in
    if one_in == 1:
        called = {name for *_, name, _ in forms() if not name.startswith(("values.", "Abstraction", "Entries"))}
        assert called - set(seen) - BESIDE == set()


def test_a_value_that_no_form_gave_is_noticed() -> None:
    """A term that the elaborator would build itself, alone or inside a value."""
    own = integer(7), Shape(ZERO, of_axes(lambda q: q))
    with logged() as log:
        for made in own:
            with pytest.raises(Unmade, match="no form gave"):
                guards.both([made])  # type: ignore[list-item]

    assert log.calls == []


def test_another_call_gives_another_term() -> None:
    """The replay is of the calls: one that was changed, or left out, is seen."""
    project = Project.open(ROOT)
    (elaborate,) = (made for name, context, made in of_operators(project) if name == "sonnx.Not-1")
    run = run_of_numbers()
    with logged() as log, numbered(run):
        elaborate()
    changed = next(call for call in log.calls if call.form == "variables.declared_value")
    changed.digests[0] += 1
    again = Replay("bool", BOOL)
    with numbered(run):
        again.calls(log.calls)
    assert again.differences == ["variables.declared_value"]
    log.calls.remove(changed)
    with pytest.raises(KeyError), numbered(run):
        Replay("bool", BOOL).calls(log.calls)
