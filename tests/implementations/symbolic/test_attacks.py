"""Code that is wrong, or that tells symbolic arrays from real ones, is never called proved."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sonnx_verify.conformance.proofs.instances import Bound
from sonnx_verify.conformance.proofs.prover import Proof, Prover
from sonnx_verify.conformance.proofs.subject import Subject
from sonnx_verify.kernel.core import family_of
from sonnx_verify.language.context import Context
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.solving.solvers import Solvers

SMALL = Bound(rank=1, dim=2, inputs=2)


@pytest.fixture(scope="module")
def prove() -> Any:
    """Proves a function to be sonnx.Max-13 on one type, at shapes up to rank 1."""
    project = here()
    unit = find_operator(project, "sonnx.Max-13")
    with Solvers() as solvers:

        def run(call: Callable[..., Any], type_: str = "int8", bound: Bound = SMALL) -> Proof:
            sort = ELEMENT_TYPES[type_]
            meaning = project.meaning(unit, Context(family_of(sort), sort))
            return Prover(meaning, Subject("test", call, sys.modules[__name__]), solvers, bound).run()

        yield run


def right(*inputs: Any) -> Any:
    """The maximum of integers."""
    made = np.array(np.broadcast_to(inputs[0], np.broadcast_shapes(*(x.shape for x in inputs))))
    for x in inputs[1:]:
        made = np.where(made < x, x, made)
    return made


def wrong(*inputs: Any) -> Any:
    return right(*inputs) + np.ones((), inputs[0].dtype)


def test_right(prove: Any) -> None:
    assert prove(right).verdict.name == "proved"


def wrong_before_unsupported(*inputs: Any) -> Any:
    if inputs[0].ndim and len(inputs) > 1:
        return np.sort(np.stack(np.broadcast_arrays(*inputs)), axis=0)[-1]
    return wrong(*inputs)


def test_what_is_unsupported_hides_no_smaller_difference(prove: Any) -> None:
    """Instances are asked ahead: one that is not supported is told after those before it."""
    assert prove(wrong_before_unsupported).verdict.name == "refuted"


def told_by_type(*inputs: Any) -> Any:
    return wrong(*inputs) if type(inputs[0]) is np.ndarray else right(*inputs)


def told_by_memory(*inputs: Any) -> Any:
    try:
        memoryview(inputs[0])
    except TypeError:
        return right(*inputs)
    return wrong(*inputs)


def told_by_attribute(*inputs: Any) -> Any:
    return wrong(*inputs) if hasattr(inputs[0], "__array_interface__") else right(*inputs)


def told_by_text(*inputs: Any) -> Any:
    return right(*inputs) if "symbolic" in repr(inputs[0]) else wrong(*inputs)


def told_by_text_of_an_element(*inputs: Any) -> Any:
    return right(*inputs) if "symbolic" in f"{inputs[0].max(initial=0)}" else wrong(*inputs)


def hides_what_is_refused(*inputs: Any) -> Any:
    try:
        return np.sort(np.stack(np.broadcast_arrays(*inputs)), axis=0)[-1] + np.ones((), np.int8)
    except BaseException:
        return right(*inputs)


def hides_it_in_a_file(*inputs: Any) -> Any:
    try:
        inputs[0].tofile("nowhere")
    except BaseException:  # noqa: B036 - what is attacked is that it can be caught
        return right(*inputs)
    return wrong(*inputs)


def fails_for_one_value(*inputs: Any) -> Any:
    made = right(*inputs)
    return np.where(made == 77, np.zeros((), made.dtype), made)


def fails_on_one_path(*inputs: Any) -> Any:
    made = right(*inputs)
    if made.size == 2 and made[1] == 101 and made[0] == -3:
        raise OverflowError("rare")
    return made


def writes_and_restores_but_one(*inputs: Any) -> Any:
    made = right(*inputs)
    for x in inputs:
        if x.shape == (2,) and x[0] == 5:
            x[0] = 6
    return made


def reads_what_was_in_memory(*inputs: Any) -> Any:
    made = np.empty(np.broadcast_shapes(*(x.shape for x in inputs)), inputs[0].dtype)
    made[1:] = right(*inputs)[1:]
    return made if made.ndim and made.size == 2 else right(*inputs)


def takes_scalars_for_arrays(*inputs: Any) -> Any:
    made = right(*inputs)
    if made.shape == (2,):
        first = made[0]
        other = first
        other += np.ones((), made.dtype)
        made[0] = other if isinstance(first, np.ndarray) else first + np.ones((), made.dtype)
    return made


def adds_in_place_to_a_copy(*inputs: Any) -> Any:
    made = copy.deepcopy(right(*inputs))
    view = made[...]
    view += np.ones((), made.dtype)
    return made


WRONG = [
    wrong, told_by_type, told_by_memory, told_by_attribute, told_by_text, told_by_text_of_an_element,
    hides_what_is_refused, hides_it_in_a_file, fails_for_one_value, fails_on_one_path, writes_and_restores_but_one,
    reads_what_was_in_memory, takes_scalars_for_arrays, adds_in_place_to_a_copy,
]  # fmt: skip  # a table


@pytest.mark.parametrize("call", WRONG, ids=lambda f: f.__name__)
def test_never_proved(call: Callable[..., Any], prove: Any) -> None:
    """Each is wrong for some input of real arrays: it is refuted, refused, or left undecided."""
    assert prove(call).verdict.name in ("refuted", "unsupported", "unknown")


@pytest.mark.parametrize("call", [fails_for_one_value, fails_on_one_path, writes_and_restores_but_one])
def test_rare_values_are_found(call: Callable[..., Any], prove: Any) -> None:
    """What no list of special values has in it the solvers name, and it is made as small as it can be."""
    proof = prove(call)

    assert proof.verdict.name == "refuted"
    assert any(v in (77, 101, 5) for x in proof.difference.known["X"] for v in x.elements)


def test_errors_of_numpy_are_not_overlooked(prove: Any) -> None:
    """Code that lets numpy raise what it computes with infinities does what its terms do not say."""

    def raises(*inputs: Any) -> Any:
        with np.errstate(all="raise"):
            return right(*inputs) + np.zeros((), inputs[0].dtype)

    assert prove(raises, "float").verdict.name in ("refuted", "unsupported")


def catches_an_error(*inputs: Any) -> Any:
    """numpy finds the least element of a scalar along its axis 0, which it does not have."""
    made = right(*inputs)
    if not made.ndim:
        try:
            np.argmin(made, axis=0)
        except ValueError:
            return made
        return np.where(made == 77, np.zeros_like(made), made)
    return made


def copies_columns(*inputs: Any) -> Any:
    """numpy copies columns as columns: in rows they are another copy, and what is written to it is lost."""
    made = right(*inputs)
    if made.ndim != 2:
        return made
    columns = (made + (made == 77)).T
    copy = np.nan_to_num(columns)
    copy.reshape(-1)[...] = made.T.reshape(-1)
    return copy.T


def test_layouts_of_copies_are_those_of_numpy(prove: Any) -> None:
    verdict = prove(copies_columns, bound=Bound(rank=2, dim=2, inputs=1)).verdict
    assert verdict.name in ("refuted", "unsupported")


def catches_another_error(*inputs: Any) -> Any:
    """numpy converts no int64 to int8 here."""
    made = right(*inputs)
    try:
        np.putmask(made.copy(), made == 77, np.array(5))
    except TypeError:
        return np.where(made == 77, np.zeros_like(made), made)
    return made


@pytest.mark.parametrize("call", [catches_an_error, catches_another_error])
def test_errors_that_the_code_catches_are_not_guessed(call: Callable[..., Any], prove: Any) -> None:
    """Which error an array raises is seen by code that catches it."""
    assert prove(call).verdict.name in ("refuted", "unsupported")


def zero_where_numpy_warns(shown: list[Any], *inputs: Any) -> Any:
    """The greatest elements, but where numpy finds a row of NaN and warns of it."""
    first = inputs[0]
    if first.shape == (2,):
        np.nanmax(first)
    return np.zeros_like(first) if shown else np.maximum.reduce(np.broadcast_arrays(*inputs))


def records_warnings(*inputs: Any) -> Any:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        return zero_where_numpy_warns(shown, *inputs)


def shows_warnings(*inputs: Any) -> Any:
    shown: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *args: shown.append(args)
        return zero_where_numpy_warns(shown, *inputs)


@pytest.mark.parametrize("call", [records_warnings, shows_warnings])
def test_warnings_of_numpy_are_not_overlooked(call: Callable[..., Any], prove: Any) -> None:
    """No symbolic element makes numpy warn: code that looks at warnings does what its terms do not say."""
    assert prove(call, "float").verdict.name in ("refuted", "unsupported")


def test_a_difference_of_the_sign_of_zero(prove: Any) -> None:
    """numpy leaves it open, the profile does not."""
    proof = prove(lambda *inputs: np.max(np.stack(np.broadcast_arrays(*inputs)), axis=0), "float")

    assert proof.verdict.name in ("refuted", "unknown")


def test_a_function_outside_of_the_table(prove: Any) -> None:
    """It is named, with its line."""
    proof = prove(lambda *inputs: np.partition(np.stack(np.broadcast_arrays(*inputs)), -1, axis=0)[-1])

    assert proof.verdict.name == "unsupported"
    assert proof.verdict.reason.startswith("numpy.partition, test_attacks.py:")


def test_a_result_of_the_wrong_size_on_one_path(prove: Any) -> None:
    def sometimes(*inputs: Any) -> Any:
        made = right(*inputs)
        return made[:1] if made.shape == (2,) and made[0] > made[1] else made

    assert prove(sometimes).verdict.name == "refuted"


def test_no_valid_input_is_no_proof(prove: Any) -> None:
    """Nothing was shown of nothing."""
    assert prove(right, bound=Bound(rank=0, dim=0, inputs=0)).verdict.name == "unknown"


def test_results_without_elements_are_proved(prove: Any) -> None:
    """Type and shape are all that there is to show of them; and of another shape they are refuted."""
    empty = Bound(rank=1, dim=0, inputs=2)

    assert prove(right, bound=empty).verdict.name == "proved"
    assert prove(lambda *inputs: right(*inputs)[None], bound=empty).verdict.name == "refuted"


def triangles(*inputs: Any) -> Any:
    made = right(*inputs)
    return np.tril(made) if made.shape == (2, 2) and made[1, 1] == 100 else made


def mask_filled_in_order(*inputs: Any) -> Any:
    made = right(*inputs)
    hundred = made == 100
    if hundred.any():
        made[hundred] = np.broadcast_to(inputs[0], made.shape)
    return made


def view_of_another_layout(*inputs: Any) -> Any:
    made = right(*inputs)
    held = np.zeros_like(made.T)
    held.ravel()[...] = made.T.ravel()
    return np.where(made == 100, held.T, made)


def layout_of_a_gather(*inputs: Any) -> Any:
    made = right(*inputs)
    if made.shape != (2, 2):
        return made
    held = made[:, [0, 1]]
    held.ravel()[...] = 0
    return np.where((made == 100) & (held != 0), 0, made).astype(made.dtype)


def replaced_twice(*inputs: Any) -> Any:
    made = right(*inputs)
    return np.where(np.nan_to_num(made, nan=np.inf) == np.inf, np.zeros((), made.dtype), made)


def numbers_beside_elements(*inputs: Any) -> Any:
    made = right(*inputs)
    if made.shape != (1,):
        return made
    pair = np.array([made[0], 1])
    return np.zeros_like(made) if pair[0] + pair[1] > 127 else made


def wider_than_promoted(*inputs: Any) -> Any:
    made = right(*inputs)
    held = np.zeros((), np.int64)
    np.maximum.reduce(made.astype(np.uint64).ravel(), out=held, initial=0)
    return np.where(held == 100, np.zeros((), made.dtype), made)


def written_where_read_only(*inputs: Any) -> Any:
    made = np.broadcast_to(right(*inputs), right(*inputs).shape)
    if made.shape == (1,) and made[0] == 100:
        made[...] = 0
    return made


def caught_of_its_own(*inputs: Any) -> Any:
    made = right(*inputs)
    try:
        (made.astype(np.uint64) > np.ones((), np.int64)).any()
        divmod(made, made.dtype.type(7))
    except Exception:
        return made
    return np.where(made == 100, np.zeros((), made.dtype), made)


def shaped_anew(*inputs: Any) -> Any:
    made = right(*inputs)
    for x in inputs:
        x.shape = (-1,)
    return made


def counts_its_calls(*inputs: Any) -> Any:
    made = right(*inputs)
    _CALLS.append(0)
    return made + made.dtype.type(1) if made.shape == (1,) and made[0] == 55 and len(_CALLS) % 2 else made


_CALLS: list[int] = []


@pytest.mark.parametrize(
    ("call", "type_"),
    [
        (triangles, "int8"), (mask_filled_in_order, "int8"), (view_of_another_layout, "int8"),
        (layout_of_a_gather, "int8"), (replaced_twice, "float"), (numbers_beside_elements, "int8"),
        (wider_than_promoted, "int8"), (written_where_read_only, "int8"), (caught_of_its_own, "int8"),
        (shaped_anew, "int8"), (counts_its_calls, "int8"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)  # fmt: skip  # a table
def test_never_proved_of_matrices(call: Callable[..., Any], type_: str, prove: Any) -> None:
    """What numpy does with layouts, masks, types and errors is done, or refused."""
    proof = prove(call, type_, Bound(rank=2, dim=2, inputs=1))

    assert proof.verdict.name in ("refuted", "unsupported", "unknown")


def test_bfloat16_is_rounded_as_it_is(prove: Any) -> None:
    """From double it is rounded twice, which has no meaning here."""
    proof = prove(lambda *inputs: right(*inputs).astype(np.float64).astype(inputs[0].dtype), "bfloat16")

    assert proof.verdict.name == "unsupported"
    assert "to bfloat16" in proof.verdict.reason


def at_least_one_axis(*inputs: Any) -> Any:
    """numpy gives a scalar an axis here; the shape hides that from who reads elements only."""
    made = right(*inputs)
    more = np.ascontiguousarray(made).ndim != made.ndim
    return np.where(made == 100, np.zeros((), made.dtype), made) if more else made


def more_axes(*inputs: Any) -> Any:
    made = right(*inputs)
    return np.where(made == 100, np.zeros((), made.dtype), made) if np.array(made, ndmin=2).ndim != made.ndim else made


def columns(*inputs: Any) -> Any:
    made = right(*inputs)
    held = np.zeros(made.shape, made.dtype, order="F")
    held.ravel()[...] = made.ravel()
    return np.where(made == 100, held, made)


def order_of_a_layout(*inputs: Any) -> Any:
    made = right(*inputs)
    if made.shape != (2, 2):
        return made
    turned = (made.T + made.dtype.type(0)).ravel(order="K").reshape(2, 2)
    return np.where((made == 100) & (turned != made.T), np.zeros((), made.dtype), made)


def asks_for_strides(*inputs: Any) -> Any:
    made = right(*inputs)
    held = made.T + made.dtype.type(0)
    inner = held.shape == (2, 2) and held.strides[0] < held.strides[1]
    return np.where(made == 100, np.zeros((), made.dtype), made) if inner else made


@pytest.mark.parametrize(
    "call", [at_least_one_axis, more_axes, columns, order_of_a_layout, asks_for_strides], ids=lambda f: f.__name__
)
def test_never_proved_of_layouts(call: Callable[..., Any], prove: Any) -> None:
    """Each makes 0 of 100 somewhere, by what numpy says of a layout or of axes."""
    assert prove(call, "int8", Bound(rank=2, dim=2, inputs=1)).verdict.name in ("refuted", "unsupported", "unknown")
