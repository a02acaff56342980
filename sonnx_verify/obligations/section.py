"""One family of element types of one specification, and the obligations that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sonnx_verify.errors import Span
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project, Unit
from sonnx_verify.language.proof_scripts import used_ids
from sonnx_verify.logic.sorts import ELEMENT_TYPES, Sort
from sonnx_verify.obligations.obligation import Obligation, Statement


@dataclass(frozen=True, slots=True)
class Section:
    """One family of element types of one operator."""

    project: Project
    unit: Unit
    name: str
    family: str
    types: tuple[Sort, ...]

    @property
    def file(self) -> s.File:
        assert self.unit.file is not None
        return self.unit.file

    def meaning(self, context: Context) -> Meaning:
        """The operator on free inputs."""
        return self.project.meaning(self.unit, context)

    def obligation(
        self, tag: str, kind: str, span: Span, build: Callable[[Context], Statement] | None, title: str = ""
    ) -> Obligation:
        """An obligation of this section. Its proof may use what theorems say that the operator's text names."""
        using = self.file.using if self.file.version is not None else []
        library = self.project.library(self.unit)
        made = Obligation(
            None if self.file.version is None else f"{self.unit.namespace}.{self.file.name}",
            self.file.version,
            self.name,
            tag,
            kind,
            span,
            self.unit.operator,
            self.types,
            self.family,
            self._with_lemmas(build) if using and build is not None else build,
            title=title,
        )
        assert self.file.span is not None
        made.uses = used_ids(using, library, self.family, self.types, self.file.span)
        return made

    def _with_lemmas(self, build: Callable[[Context], Statement]) -> Callable[[Context], Statement]:
        def built(context: Context) -> Statement:
            statement = build(context)
            lemmas = self.meaning(context).lemmas
            claims = (replace(c, lemmas=(*lemmas, *c.lemmas)) for c in statement.claims)
            return replace(statement, claims=tuple(claims))

        return built


def sorts(types: list[str]) -> tuple[Sort, ...]:
    """The sorts of some element types."""
    return tuple(ELEMENT_TYPES[t] for t in types)
