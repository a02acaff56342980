"""The operators that a text applies: the outcome of each of them there. Trusted.

`Op(X)` means the text of Op, elaborated on X: no more is known of it than what its clauses give. A circle of operators
would have no meaning, or several, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel import applications, sections
from sonnx_verify.kernel.values import Outcome
from sonnx_verify.language import syntax as s
from sonnx_verify.language.applications import supplied
from sonnx_verify.language.clauses import meaning_of
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
                raise SpecificationError(
                    f"`{call.name}` is applied in its own specification, {file.path}",
                    call.span,
                    f"define its result without `{call.name}`; state theorems about it in a theory",
                )
            return applications.on_results(
                context, call.values, lambda values: self._applied(unit, replace(call, values=values), context)
            )

        return apply

    def _applied(self, unit: Unit, call: Call, context: Context) -> Outcome:
        assert unit.file is not None
        if types := tuple(t for _, _, listed in families(unit.file) for t in listed):
            context.applications.setdefault(unit.operator, (types, call.span))

        def text() -> Meaning:
            assert unit.file is not None
            given = supplied(unit.file, call, context)
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
            raise SpecificationError(
                f"`{unit.operator}` has several outputs", call.span, "use an operator with one output"
            )
        if meaning.has_sets or meaning.leaves_open:
            what = "is a set" if meaning.has_sets else "is left open for some inputs"
            raise SpecificationError(
                f"the result of `{unit.operator}` {what}, and a statement needs one result",
                call.span,
                "state it of an operator, or of types, that have one result",
            )
        raise SpecificationError(
            f"`{unit.operator}` does not determine its result", call.span, "use an operator with shape and value"
        )

    @contextmanager
    def _inside(self, unit: Unit, call: Call) -> Iterator[None]:
        """Inside the text of an operator that is applied. SpecificationError where that is in its own text."""
        above = [u.key for u, _ in self._applying]
        if unit.key in above:
            circle = [*self._applying[above.index(unit.key) :], (unit, call.span)]
            ways = " -> ".join(u.operator for u, _ in circle)
            places = ", ".join(f"`{u.operator}` at {span}" for u, span in circle[1:-1])
            raise SpecificationError(
                f"operators apply each other in a cycle: {ways}; {places}",
                call.span,
                "define the result of one of them without the others",
            )
        self._applying.append((unit, call.span))
        try:
            yield
        finally:
            self._applying.pop()
