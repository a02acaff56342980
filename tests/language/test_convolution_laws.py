"""Laws of convolutions of any number of axes: what is false next to each is refuted, and the laws are proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_verify.language.project import Project
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import INTEGERS
from sonnx_verify.logic.verdict import VerdictName, refuted
from sonnx_verify.obligations.obligation import Statement
from sonnx_verify.results.concrete import Concrete, ConcreteTensor
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.inputs import interpretation

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LAWS, TWINS = HERE / "convolution_laws.sonnx", HERE / "convolution_twins.sonnx"
BYTE = INTEGERS[0]
Inputs = dict[str, Concrete]


def of(shape: tuple[int, ...], *elements: int) -> ConcreteTensor:
    """A tensor of bytes."""
    return ConcreteTensor(BYTE, shape, elements)


def given(axes: int = 0, **changed: Concrete) -> Inputs:
    """Attributes of so many spatial axes, one group, and what is different."""
    plain: Inputs = {"strides": (1,) * axes, "dilations": (1,) * axes, "pads": (0,) * (2 * axes), "group": 1}
    return {**plain, **changed}


ONE, ZERO, NOTHING = of((1, 1), 1), of((1, 1), 0), of((1,), 0)
WITNESSES: dict[str, Inputs] = {
    "bias_twice": given(X=ZERO, Y=ZERO, W=ZERO, B=of((1,), 1)),
    "both_at_once": given(X=ONE, Y=ZERO, W=ZERO, V=ONE, B=NOTHING),
    "images_twice": given(X=ONE, W=ONE, B=NOTHING, C=NOTHING),
    "zero_without_bias": given(X=ZERO, W=ZERO, B=of((1,), 1)),
    "ones_change_nothing": given(X=of((1, 2), 1, 0), W=of((2, 2), 0, 0, 0, 0)),
    "shift_by_places": given(1, X=of((1, 1, 2), 1, 0), W=of((1, 1, 1), 1), B=NOTHING, strides=(2,), steps=(1,)),
    "shift_within": given(1, X=of((1, 1, 2), 0, 1), W=of((1, 1, 2), 0, 1), B=NOTHING, pads=(0, 1), steps=(1,)),
    "images_in_order": given(X=of((1, 2), 1, 0), W=of((1, 2), 1, 0), B=NOTHING, order=(1, 0), undo=(1, 0)),
    "kernels_across_groups": given(X=of((1, 2), 1, 0), W=of((2, 1), 1, 1), B=of((2,), 0, 0), group=2, order=(1, 0)),
    "depthwise_of_one_group": given(X=of((1, 2), 0, 1), W=of((2, 2), 0, 1, 0, 0), B=of((2,), 0, 0)),
    "product_of_first_image": given(X=of((2, 1), 0, 1), W=ONE, B=NOTHING),
    "padding_by_ones": given(1, X=of((1, 1, 0)), W=of((1, 1, 1), 1), B=NOTHING, pads=(1, 0)),
}
"""For each twin an input on which it is false: none has fewer elements or smaller numbers."""


def statements(path: Path) -> Iterator[tuple[str, Statement]]:
    """The theorems of a text on bytes, by their names."""
    for obligation in collect(Project.of_files(ROOT, [path])):
        if obligation.answer is None and ".int/" in obligation.id:
            statement, _ = Work(obligation).on(BYTE)
            yield obligation.id.split("/")[1], statement


def test_each_twin_is_refuted() -> None:
    """What is false is so on its witness, by the reference evaluator."""
    found = {}
    for name, statement in statements(TWINS):
        facts = interpretation(statement.variables, WITNESSES[name])
        law = statement.claims[-1]
        found[name] = refuted(law.refutation, facts, law.what).name

    assert found == dict.fromkeys(WITNESSES, VerdictName.REFUTED)


# ------------------------------------------------------------------------------------------------------------ the laws

LAW_NAMES = (
    "linear_in_input", "linear_in_weights", "linear_in_bias", "zero", "identity_law", "shift", "order_of_channels",
    "order_of_kernels", "depthwise", "pointwise_is_product", "padding",
)  # fmt: skip
"""The ten laws; that of permutations is two, of the channels that go in and of those that come out."""


def random(shape: tuple[int, ...], seed: int) -> ConcreteTensor:
    """A tensor of bytes whose products wrap."""
    rng = np.random.default_rng([seed, *shape])
    return of(shape, *rng.integers(-128, 128, size=shape).reshape(-1).tolist())


def inputs_of(name: str) -> Inputs:
    """Images of four channels in two groups, with strides, dilations and pads, where the law has them."""
    common = given(2, strides=(2, 1), dilations=(1, 2), pads=(1, 0, 2, 1), group=2, a=3, b=-5)
    common |= {"X": random((2, 4, 4, 3), 1), "Y": random((2, 4, 4, 3), 2), "W": random((4, 2, 3, 2), 3)}
    common |= {"V": random((4, 2, 3, 2), 4), "B": random((4,), 5), "C": random((4,), 6)}
    match name:
        case "identity_law":
            return common | given(2, group=2, K=(4, 2, 1, 1), dilations=(3, 2))
        case "shift":
            return common | {"steps": (1, 2)}
        case "order_of_channels":
            return common | {"order": (1, 0, 2, 3), "undo": (1, 0, 2, 3)}
        case "order_of_kernels":
            return common | {"order": (1, 1, 3, 2)}
        case "depthwise":
            return common | {"group": 4, "W": random((8, 1, 3, 2), 7), "B": random((8,), 8)}
        case "pointwise_is_product":
            return common | given(2, W=random((3, 4, 1, 1), 9), B=random((3,), 10))
        case _:
            return common


def test_each_law_holds_of_an_input() -> None:
    """The reference evaluator finds each hypothesis true, and then the law: what is proved is not proved in vain."""
    found = {}
    for name, statement in statements(LAWS):
        if name in LAW_NAMES:
            facts = interpretation(statement.variables, inputs_of(name))
            law = statement.claims[-1]
            found[name] = [evaluate(c, facts) for c in (*statement.hypotheses, *law.hypotheses, law.goal)]

    assert {name: all(one is True for one in ones) for name, ones in found.items()} == dict.fromkeys(LAW_NAMES, True)


def convolved(one: dict[str, Any]) -> np.ndarray | None:
    """A convolution by its definition, place by place."""
    x, w, axes = one["X"], one["W"], one["X"].ndim - 2
    strides, dilations, pads, group = (one[name] for name in ("strides", "dilations", "pads", "group"))
    padded = np.pad(x.astype(np.int64), [(0, 0), (0, 0), *zip(pads[:axes], pads[axes:], strict=True)])
    spans = [dilations[k] * (w.shape[k + 2] - 1) + 1 for k in range(axes)]
    sizes = [(padded.shape[k + 2] - spans[k]) // strides[k] + 1 for k in range(axes)]
    if x.shape[1] != w.shape[1] * group or w.shape[0] % group or min(sizes, default=1) < 1:
        return None
    result = np.zeros((x.shape[0], w.shape[0], *sizes), dtype=np.int64)
    for n, m, *place in np.ndindex(*result.shape):
        first = m // (w.shape[0] // group) * w.shape[1]
        cut = [slice(p * s, p * s + span, d) for p, s, span, d in zip(place, strides, spans, dilations, strict=True)]
        result[(n, m, *place)] = (padded[(n, slice(first, first + w.shape[1]), *cut)] * w[m]).sum() + one["B"][m]
    return result.astype(np.int8)


def cases() -> Iterator[tuple[dict[str, Any], np.ndarray | None]]:
    """No, one, two and three spatial axes, each with some attributes; a group too many, an image that is too small."""
    rng = np.random.default_rng(1)
    for axes, group, wide in product(range(4), (1, 2, 3), (False, True)):
        one = {
            "X": rng.integers(-9, 9, size=(2, 4, *(4, 3, 2)[:axes])),
            "W": rng.integers(-9, 9, size=(4, 4 // min(group, 2), *(2, 1, 2)[:axes])),
            "B": rng.integers(-9, 9, size=4),
            "strides": (2, 1, 3)[:axes] if wide else (1,) * axes,
            "dilations": (5 if group == 1 else 1, 2, 1)[:axes] if wide else (1,) * axes,
            "pads": (*(1, 0, 2)[:axes], *(0, 1, 1)[:axes]) if wide else (0,) * (2 * axes),
            "group": group,
        }
        yield one, convolved(one)


def test_the_definition_is_a_convolution(operator: Callable[..., Any]) -> None:
    """It gives what numpy does, and nothing where kernels don't fit."""
    expected = list(cases())

    assert {result is None for _, result in expected} == {True, False}
    assert list(operator(HERE / "convolution.sonnx", T="int8").differing(expected)) == []


OPEN = {
    "int": set[str](),
    "real": {"padding", "order_of_channels", "order_of_kernels", "depthwise", "pointwise_is_product"},
}
"""The laws that are not decided: sums of products of reals make more ground assertions than an effort may."""


@pytest.mark.soak
@pytest.mark.parametrize("section", OPEN)
def test_the_laws_are_proved(section: str, records: Callable[[Path, Callable[[str], bool]], list[Record]]) -> None:
    """With all that they use: no theorem of the text is open, but for five laws of reals."""
    found = records(LAWS, lambda identity: f".{section}/" in identity)
    undecided = {
        record.id.split("/")[1]: record.verdict.name for record in found if record.verdict.name != VerdictName.PROVED
    }

    assert undecided == dict.fromkeys(OPEN[section], VerdictName.UNKNOWN)
    assert set(LAW_NAMES) <= {record.id.split("/")[1] for record in found}
