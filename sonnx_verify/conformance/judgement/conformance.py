"""The result of checking a target against a specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Annotated, Any, Literal, Required, TypedDict

from msgspec import UNSET, Meta, UnsetType

from sonnx_verify.conformance.inputs.misuse import Fault
from sonnx_verify.conformance.oracles.comparison import DIES
from sonnx_verify.conformance.targets.calls import Ending
from sonnx_verify.results.shown import Shown
from sonnx_verify.results.written import said


@unique
class Conclusion(StrEnum):
    """The verdicts on a target. JSON and reports have their values."""

    PROVED = "proved"  # of all elements up to the bound
    REFUTED = "refuted"
    AGREES = "agrees"  # tested, without a difference
    DIVERGES = "diverges"
    UNSUPPORTED = "unsupported"
    UNKNOWN = "unknown"

    @property
    def status(self) -> int:
        """The exit status of a command that ends with it."""
        match self:
            case Conclusion.PROVED | Conclusion.AGREES:
                return 0
            case Conclusion.REFUTED | Conclusion.DIVERGES:
                return 1
            # Nothing was found, and nothing was shown either: that must not pass as agreement.
            case Conclusion.UNSUPPORTED | Conclusion.UNKNOWN:
                return 3


def _outcome(description: str, *outcomes: str) -> Meta:
    form = {"required": ["outcome"], "properties": {"outcome": {"enum": outcomes}}}
    return said(description, extra_json_schema=form)


Count = Annotated[int, Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class Outside:
    """The first element of an output that is not in its set. What is less far off than allowed is beyond the range that
    the text cuts the set to."""

    output: Annotated[str, said("The output.")]
    index: Annotated[tuple[int, ...], said("The index of the element.")]
    measure: Annotated[
        Literal["steps", "distance"], said("Floats from the nearest one, or distance from the exact value.")
    ]
    off: Annotated[
        int | str | None,
        said("How far off it is: steps, or a fraction as a text; null of NaN, and of the distance of an infinity."),
    ]
    allowed: Annotated[int | str, said("The most that is allowed.")]
    elements: Annotated[int, said("The number of elements that differ in this way.", ge=1)]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Divergence(Shown):
    """One way in which a target differs from the specification, on the smallest input that was found for it."""

    id: Annotated[str, said("`target/operator/kind/sizes/mark`.")]
    kind: Annotated[str, said("The kind of difference.")]
    title: Annotated[str, said("The difference in words.")]
    types: Annotated[tuple[str, ...], said("The types of T that show it.", min_length=1)]
    inputs: Annotated[Mapping[str, Any], said("The inputs, of the first of the types, by name.")]
    attributes: Annotated[Mapping[str, Any], said("The attributes, by name.")]
    omitted: Annotated[tuple[str, ...], said("The names of omitted arguments.")]
    presentation: Annotated[str | None, said("The memory layout of the arrays, if it matters.")] = None
    misuse: Annotated[
        Fault | None, said("The invalid call that was made from the input; null for the input itself.")
    ] = None
    expected: Annotated[Mapping[str, Any], _outcome("The result of the specification.", "result", "rejected", "open")]
    got: Annotated[Mapping[str, Any], _outcome("What came of it.", *Ending)]
    outside: Annotated[Outside | None, said("The distance from the set that it should be in; null without one.")] = None
    repro: Annotated[str, said("A shell command that shows it.", min_length=1)]
    examples: Annotated[
        tuple[str, ...], said("The examples of the specification and of its page that show it, by name.")
    ] = ()
    reproduced: Annotated[bool, said("Whether a second run, in a new process, showed it too.")] = True
    signature: Any = UNSET
    """The same for two divergences of different types that are one; unset, and not in JSON, once that is known."""

    def __repr__(self) -> str:
        return f"<{self.id}: {self.title} ({', '.join(self.types)}); {self.repro}>"


@dataclass(frozen=True, slots=True)
class AcceptedCall:
    """An invalid call that had a result."""

    misuse: Annotated[Fault, said("The invalid call.")]
    title: Annotated[str, said("The violation in words.")]
    got: Annotated[Mapping[str, Any], _outcome("The result.", *Ending)]


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of elements with an error up to an end, and above that of the bin before."""

    up_to: Annotated[float | None, said("The largest error of the class in ulps; null for the last.")]
    elements: Count


class Tensor(TypedDict, total=False):
    """A tensor; one that follows from a seed has the way its elements are made of it."""

    dtype: Required[str]
    shape: Required[list[int]]
    data: Any
    bits: Any
    facts: dict[str, bool]
    elements: str
    seed: int


@dataclass(frozen=True, slots=True)
class Worst:
    """The element with the largest error, and the input that it comes of."""

    ulps: Annotated[float, said("Its error.")]
    inputs: Annotated[Mapping[str, Tensor], said("The inputs, by name.")]
    attributes: Annotated[
        Mapping[str, bool | float | str | list[Any] | dict[str, Any]], said("The attributes, by name.")
    ]
    index: Annotated[tuple[int, ...], said("Its index in the output.")]
    exact: Annotated[str, said("The first digits of the exact value.")]
    got: Annotated[float | str, said("The target's element.")]


@dataclass(frozen=True)
class Named:
    """The floats that errors are of: one output for one choice of types."""

    type: Annotated[str, said("The element types, as in scope.")]
    output: Annotated[str, said("The output.")]


@dataclass(frozen=True)
class Sized:
    """The sizes of inputs: how many elements they have for each element of the output."""

    least: Annotated[int, said("The least number of elements.", ge=0)]
    most: Annotated[int, said("The greatest number of elements.", ge=1)]


@dataclass(frozen=True)
class Errors:
    """Errors in ulps."""

    measured: Annotated[Count, said("The number of elements that were measured.")]
    nearest: Annotated[Count, said("The number of them that are correctly rounded.")]
    mean: Annotated[float, said("Their mean error in ulps.")]
    worst: Annotated[Worst | None, said("The element with the largest error; null if none was measured.")]
    histogram: Annotated[tuple[Bin, ...], said("The elements by their error.")]
    not_finite: Annotated[Count, said("The elements that are NaN or infinite, in the specification or the result.")]
    differ: Annotated[Count, said("The number of them that are not the same value.")]
    open: Annotated[Count, said("The elements for which any value conforms.")]
    undecided: Annotated[Count, said("The elements whose exact value is not decided.")]


@dataclass(frozen=True)
class AtSize(Errors, Sized):
    """The errors on inputs with `least` to `most` elements for each element of the output."""


@dataclass(frozen=True)
class Accuracy(Errors, Named):
    """The errors of the floats of one output for one choice of types, in ulps."""

    sizes: Annotated[tuple[AtSize, ...], said("The same on random inputs of each class of sizes.")] = ()


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A type without any result: the version of the operator, and what the target said."""

    type: str
    version: int | None
    said: str


@dataclass(frozen=True, slots=True, repr=False)
class Conformance(Shown):
    """The answer of `conform`: see docs/json.md."""

    operator: str
    target: str
    target_version: str
    verdict: Conclusion
    scope: Mapping[str, Any]
    level: str | None
    divergences: tuple[Divergence, ...] = ()
    unsupported: tuple[Unsupported, ...] = ()
    accuracy: tuple[Accuracy, ...] | UnsetType = UNSET
    """The errors, where they were asked for."""
    lacking: tuple[str, ...] = ()
    """The types that a tested target does not have, though nobody said that it need not."""

    @property
    def status(self) -> int:
        """The exit status of a command that ends with it."""
        if self.verdict is Conclusion.AGREES and self.lacking:
            return 1
        return self.verdict.status

    def __repr__(self) -> str:
        target = " ".join(filter(None, (self.target, self.target_version)))
        details = [one.id for one in self.divergences]
        details += [f"{row.type}: {row.said}" for row in self.unsupported]
        said = ": ".join(filter(None, (self.verdict, ", ".join(details))))
        return f"<{self.operator} against {target}: {said}>"

    @property
    def crashes(self) -> list[Divergence]:
        """The divergences that end, or keep, the process."""
        return [d for d in self.divergences if d.kind in DIES.values()]
