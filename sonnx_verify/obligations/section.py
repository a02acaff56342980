"""One family of element types of one specification, and the obligations that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sonnx_verify.errors import Span
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project, Unit
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
        """An obligation of this section."""
        return Obligation(
            None if self.file.version is None else f"{self.unit.namespace}.{self.file.name}",
            self.file.version,
            self.name,
            tag,
            kind,
            span,
            self.unit.operator,
            self.types,
            self.family,
            build,
            title=title,
        )


def sorts(types: list[str]) -> tuple[Sort, ...]:
    """The sorts of some element types."""
    return tuple(ELEMENT_TYPES[t] for t in types)
