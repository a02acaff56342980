"""One family of element types of one specification, and the obligations that belong to it. Trusted.

Every obligation of an operator is made by `Section.obligation`: what it uses and presumes is noted in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sonnx_verify.errors import SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import is_for, lines_named
from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.language.proof_scripts import rests_on_axioms, used_ids
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.obligation import Obligation, Statement
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span

Marked = TypeVar("Marked", s.Clause, s.Rule, s.Let, s.Definition, s.Used)
"""An item that may be marked for a family or a line of types."""


@dataclass(frozen=True, slots=True)
class Section:
    """One family of element types of one operator, with one type for each other type variable."""

    project: Project
    unit: Unit
    name: str
    family: str
    types: tuple[Sort, ...]
    variables: Mapping[str, Sort] = field(default_factory=dict)

    @property
    def file(self) -> s.File:
        assert self.unit.file is not None
        return self.unit.file

    @property
    def is_operator(self) -> bool:
        """True of the text of an operator, false of a theory: versions are for operators alone."""
        return self.file.version is not None

    def sees(self, item: Marked) -> bool:
        """Return whether an item of the file belongs to this section."""
        return bool(self.seen(self.file, [item]))

    def seen(self, file: s.File, items: Iterable[Marked]) -> list[Marked]:
        """The items of a file, this one or another, that belong to elements of this section's types."""
        lines, types = lines_named(file), [t.name for t in self.types]
        return [item for item in items if is_for(lines, item.family, self.family, types, item.span)]

    def context(self, element: Sort) -> Context:
        """An elaboration of this section, T standing for the given sort."""
        return Context(self.family, element, variables=self.variables, types=self.types)

    def meaning(self, context: Context) -> Meaning:
        """The operator on free inputs."""
        return self.project.meaning(self.unit, context)

    def obligation(
        self,
        tag: str,
        kind: Kind,
        span: Span,
        build: Callable[[Context], Statement] | None,
        title: str = "",
        *,
        own_names: bool = False,
    ) -> Obligation:
        """An obligation of this section. Whoever builds it chooses T; the other type variables are the section's. Its
        proof may use what theorems say that the operator's text names; not where it has names of its own, as theorems
        and orders do, which would be taken for the operator's."""
        using: list[s.Used] = []
        if self.is_operator and not own_names:
            using = self.seen(self.file, self.file.using)
        library = self.project.library(self.unit)
        operator = f"{self.unit.namespace}.{self.file.name}" if self.is_operator else None

        def built(context: Context) -> Statement:
            assert build is not None
            context.variables = self.variables
            statement = build(context)
            # Only now is it known which operators were applied. One that has a meaning for floats alone says nothing of
            # integers, whatever its terms would prove.
            self.fits(context)
            return self._with_lemmas(statement, context) if using else statement

        made = Obligation(
            operator,
            self.file.version,
            self.name,
            tag,
            kind,
            span,
            self.unit.operator,
            self.types,
            self.family,
            built if build is not None else None,
            title=title,
            variables=self.variables,
        )
        assert self.file.span is not None
        # The lemmas are put before each claim in `built`: what proves them has to be proved itself.
        made.uses = used_ids(using, library, self.family, self.types, self.variables, self.file.span)
        made.rests_on_axioms = rests_on_axioms(using, library)
        # A theorem presumes the operators that it names itself (theorem.py), which this text does not know.
        if self.is_operator:
            made.presumes = presumed.by_operator(self.project, self.unit, self.family)
        return made

    def fits(self, context: Context) -> None:
        """Raise SpecificationError unless the operators that were applied have the element types of this section."""
        for name, (types, span) in context.applications.items():
            foreign = [t.name for t in self.types if t.name not in types]
            cure = f"let the `types` here be some of {', '.join(types)}"
            if not self.types:
                raise SpecificationError(f"`{name}` has types for T, but this text lists none", span, cure)
            if foreign:
                raise SpecificationError(f"`{name}` is not specified for {foreign[0]}", span, cure)

    def _with_lemmas(self, statement: Statement, context: Context) -> Statement:
        """The statement with what the theorems say that the text uses: beside the hypotheses, not among them, since a
        witness of the hypotheses need not be asked for what is true of every input."""
        lemmas = self.meaning(context).lemmas
        claims = tuple(replace(claim, lemmas=(*lemmas, *claim.lemmas)) for claim in statement.claims)
        return replace(statement, claims=claims)


def sorts(types: list[str]) -> tuple[Sort, ...]:
    """The sorts of some element types."""
    return tuple(ELEMENT_TYPES[t] for t in types)
