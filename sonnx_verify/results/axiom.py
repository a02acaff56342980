"""A cited law of reals, as results name it."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.results.place import Place


@dataclass(frozen=True, slots=True)
class Axiom:
    """A cited law of reals that a verdict rests on, and that nothing proves: its identity, its sentence, the source
    that it is cited from, and its place."""

    id: str
    sentence: str
    source: str
    place: Place

    @property
    def is_shared(self) -> bool:
        """Return whether it is one of the shared library, which reviewers of this project have read."""
        return self.id.startswith("common.")

    def __str__(self) -> str:
        return f'axiom {self.id.removesuffix("/axiom")} holds: {self.sentence} (from "{self.source}"; {self.place})'
