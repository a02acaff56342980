"""The settings of a test of a target."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from sonnx_verify.conformance.inputs.covering.rows import STRENGTH
from sonnx_verify.conformance.oracles.comparison import PAYLOAD
from sonnx_verify.errors import UsageError

RULES = 3
"""The version of the rules by which inputs are chosen. Who changes the rules raises it: ledgers have it, and the
findings of two versions are not of the same inputs."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The level that counts as agreement, and how much is tried. `types` are those of T, all where it is empty. Raises
    UsageError for no time at all."""

    types: tuple[str, ...] = ()
    accepted: int = PAYLOAD
    seed: int = 0
    random: int = 100
    seconds: float = 20.0
    strength: int = STRENGTH
    """The number of factors of which each combination of classes is tried, of those of shapes one more."""
    short: bool = False
    """Small inputs alone are tried, without a covering array."""
    test_only: bool = False
    """Code that could be proved is tested only."""
    deepen: float = 0.0
    """The seconds for which the bound of a proof is raised."""
    accuracy: bool = False
    """The errors of results are measured as well; code that could be proved is tested only."""
    without: tuple[str, ...] = ()
    """The types that the target need not have."""
    vectors: str = ""
    """A folder of tests whose inputs are the only ones; code that could be proved is tested only."""

    def __post_init__(self) -> None:
        # With no time for a call, or one that no clock reaches, every input would be said to hang: a verdict on the
        # target that is none of its own. NaN is below nothing and above nothing.
        if not 0 < self.seconds < inf:
            raise UsageError(f"{self.seconds} seconds is not a valid time limit", cure="give it seconds, such as 20")
        if not 0 <= self.deepen < inf:
            raise UsageError(
                f"{self.deepen} seconds is not a valid time to deepen a proof", cure="give it seconds, such as 60"
            )
        if self.random < 0:
            raise UsageError(f"{self.random} is not a number of random inputs", cure="give 0 or more")
        if self.strength < 1:
            raise UsageError(f"{self.strength} is not a strength", cure="give 1 or more; --short skips coverage")
