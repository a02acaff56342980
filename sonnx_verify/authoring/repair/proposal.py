"""What could be pasted into a text to mend it."""

from __future__ import annotations

from dataclasses import dataclass

from sonnx_verify.authoring.repair.wording import closed


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in the language, on what the text speaks of; `title` is its sentence. `inlined` is the same without
    the names that `let` gives. With `family` it is about elements of that family."""

    title: str
    text: str
    inlined: str
    family: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Clauses to add: of the `kind` with a condition; with an error of its own where it is a constraint and `covered`;
    instead of the clauses whose tags are `replaced`, where there are any. `about` are the sentences, broken by
    counterexamples, for which it was made."""

    kind: str
    condition: Condition
    covered: bool = False
    replaced: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


def both(first: Condition, second: Condition) -> Condition:
    """Two conditions at once."""
    text = f"{closed(first.text)} and {closed(second.text)}"
    inlined = f"{closed(first.inlined)} and {closed(second.inlined)}"
    return Condition(f"{first.title}, {second.title}", text, inlined, first.family or second.family)
