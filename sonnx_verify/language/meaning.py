"""The meaning of a text: that of its section, with the text and the context that it is made in. Trusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sonnx_verify.kernel import sections
from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.families import lets_for

Statement: TypeAlias = sections.Statement[s.Clause]
"""A clause with its meaning."""


LeftOpen: TypeAlias = sections.LeftOpen[s.Rule]
"""A part of the result that a text leaves open."""


@dataclass
class Meaning(sections.Section[s.Clause, s.Rule]):
    """The meaning of the section of a text for the elements of a context."""

    file: s.File = field(kw_only=True)
    context: Context = field(kw_only=True)

    @property
    def lets(self) -> list[s.Let]:
        """The names of its text that its section sees."""
        return lets_for(self.file, self.context.family, self.context.standing_for)


def is_member(family: str, name: str) -> bool:
    """Return whether a name is that of a member of the family: X12 of X."""
    return name.startswith(family) and name[len(family) :].isdigit()


def place_of(file: s.File, rule: s.Rule) -> str:
    """The name of the place of a rule: `Y.shape`, `Y.value` or `outcome`; `shape` where all of several outputs are
    meant."""
    reach = rule.what.reach
    output = rule.output
    if not output and len(file.outputs) == 1:
        output = file.outputs[0].name
    if not output or reach is s.Reach.OUTCOME:
        return reach.value
    return f"{output}.{reach}"
