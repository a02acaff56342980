"""The operators that a text applies: the outcome of each of them there. Trusted.

`Op(X)` means the text of Op, elaborated on X: no more is known of it than what its clauses give. A circle of operators
would have no meaning, or several, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sonnx_verify.kernel import applications, sections
from sonnx_verify.kernel.values import Outcome
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import supplied
from sonnx_verify.language.clauses import meaning_of
from sonnx_verify.language.complaints import items as complaints
from sonnx_verify.language.context import Call, Context, Library
from sonnx_verify.language.families import families
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.paths import resolved
from sonnx_verify.sources import Span


class Operators:
    """Operators by their names, each with its library."""

    def __init__(self, named: Callable[[str], Unit | None], library: Callable[[Unit], Library]) -> None:
        self._named, self._library = named, library
        self._applying: list[tuple[Unit, Span]] = []

    def usable_in(self, path: Path, file: s.File) -> Callable[[Call, Context], Outcome | None]:
        """Operators that a text applies: the newest of the profile, else of the user's, but not its own."""

        def apply(call: Call, context: Context) -> Outcome | None:
            unit = self._named(call.name)
            if unit is None or unit.file is None:
                return None
            if resolved(unit.path) == resolved(path):
                raise complaints.of_itself(call.name, file.path, call.span)
            return applications.on_results(
                context, call.values, lambda values: self._applied(unit, replace(call, values=values), context)
            )

        return apply

    def _applied(self, unit: Unit, call: Call, context: Context) -> Outcome:
        assert unit.file is not None

        def text() -> Meaning:
            assert unit.file is not None
            given = supplied(unit.file, call, context)
            types = tuple(t for _, _, listed in families(unit.file) for t in listed)
            if types and s.TypeWord.T not in given.variables:
                context.applications.setdefault(unit.operator, (types, call.span))
            return meaning_of(unit.file, self._library(unit), context, given, call.span)

        def sentence(meaning: sections.Section[s.Clause, s.Rule]) -> str:
            # Whoever wrote no restriction is not to look for one.
            if meaning.restrictions:
                return f"the restrictions of {unit.operator} hold"
            return f"the inputs and attributes of {unit.operator} are as it declares them"

        with context.calling(call.span), self._inside(unit, call):
            outcome, meaning = applications.operator(context, text, sentence, call.span)
        if outcome is not None:
            return outcome
        if sum(not d.optional for d in unit.file.outputs) > 1:
            raise complaints.several_outputs(unit.operator, call.span)
        if meaning.has_sets or meaning.leaves_open:
            raise complaints.several_results(unit.operator, call.span, has_sets=meaning.has_sets)
        raise complaints.no_result(unit.operator, call.span)

    @contextmanager
    def _inside(self, unit: Unit, call: Call) -> Iterator[None]:
        """Inside the text of an operator that is applied. SpecificationError where that is in its own text."""
        above = [u.key for u, _ in self._applying]
        if unit.key in above:
            circle = [*self._applying[above.index(unit.key) :], (unit, call.span)]
            raise complaints.in_circle([(u.operator, at) for u, at in circle], call.span)
        self._applying.append((unit, call.span))
        try:
            yield
        finally:
            self._applying.pop()
