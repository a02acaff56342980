"""The things that a text leaves open, as points: outcomes and shapes of inputs, values at indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sonnx_verify.language.files import Unit
from sonnx_verify.language.meaning import LeftOpen, Meaning
from sonnx_verify.language.syntax import Reach
from sonnx_verify.logic.evaluator import compile_term
from sonnx_verify.logic.evaluator_values import Code, Undefined
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import FALSE, placeholder
from sonnx_verify.obligations.gaps import gap_tag


def open_name(unit: Unit, item: LeftOpen) -> str:
    """The name of the point."""
    assert unit.file is not None
    return f"{gap_tag(unit.file, item.rule)} leaves the {item.reach} open"


def value_of(code: Code, facts: Any, env: dict[int, Any] | None = None) -> Any:
    """The value of a compiled term; None where it has none."""
    # Evaluation sets the variables that terms bind in the environment: the caller's must not change.
    try:
        return code(dict(env or {}), facts)
    except (Undefined, KeyError):
        return None


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One thing that a text leaves open, of an output, and at an index where `place` is the number of one. `tag` names
    the sentence of the text, `title`."""

    name: str
    tag: str
    title: str
    reach: Reach
    output: str
    place: int | None
    code: Code

    @classmethod
    def of(cls, unit: Unit, meaning: Meaning, item: LeftOpen) -> OpenPoint:
        """The point of an item. Of an output without a shape no index is known to be left open: all of it is."""
        assert unit.file is not None
        name, output, tag = open_name(unit, item), item.rule.output, gap_tag(unit.file, item.rule)
        title = item.rule.title
        shape = meaning.shapes.get(output)
        if item.reach is not Reach.VALUE or shape is None:
            condition = FALSE if item.reach is Reach.VALUE else item.when(None)
            return cls(name, tag, title, item.reach, output, None, compile_term(condition))
        index = placeholder(INDEX)
        code = compile_term(item.when(index))
        return cls(name, tag, title, item.reach, output, number_of(index), code)

    def when(self, facts: Any, index: tuple[int, ...] = ()) -> bool:
        """Return whether it is left open of an input, at an index where it is asked of one."""
        env: dict[int, Any] = {}
        if self.place is not None:
            env[self.place] = index
        return value_of(self.code, facts, env) is True
