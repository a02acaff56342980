"""The same call over two fillings of memory: a result that varies with them was read from memory that nobody wrote, or
that does not belong to the call.

    a result of np.empty             the byte that fresh memory is filled with
    X[n] behind the last element     the byte that the memory around X is filled with
    a random number                  another one in the second call with the same filling: nothing is said
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from sonnx_verify.conformance.targets.calls import Array, Call, Ending, Response
from sonnx_verify.conformance.targets.target import Runner
from sonnx_verify.results.dtypes import dtype_of

FILLINGS = (0x55, 0xAA)
"""Two bytes that have no bit in common: of whatever type, no element is the same with both."""


def surroundings(filling: int) -> dict[str, str]:
    """The variables of the environment with which the C library fills fresh memory."""
    return {
        "MALLOC_PERTURB_": str(filling),
        # glibc fills no memory that it takes from the cache of a thread, and Python's own allocator fills none.
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
        "PYTHONMALLOC": "malloc",
        # The order of a set is another reason why two processes differ.
        "PYTHONHASHSEED": "0",
    }


class FilledMemory:
    """Runs calls in a process for each filling. They begin when they are needed: most targets need none."""

    def __init__(self, begin: Callable[[Mapping[str, str]], Runner]) -> None:
        self._begin = begin
        self._runners: dict[int, Runner] = {}
        self.deaths = 0
        """The number of calls that ended their process."""

    def compared(self, call: Call, got: Response, *, fresh: bool = False) -> Response:
        """The result of a call, with the elements that vary, which are 0 there; `fresh` uses new processes."""
        if got.kind is not Ending.RESULT:
            return got
        answers = self._answers(call, fresh=fresh)
        kinds = {one.kind for one in answers}
        # A machine may be too busy, or have too little memory: that says nothing of what is read.
        if kinds & {Ending.HUNG, Ending.MEMORY}:
            return got
        # A call that ends its process here alone reads beyond its own memory, too.
        if Ending.CRASHED not in kinds and _said(answers[0]) == _said(answers[1]):
            return got
        # Of a target with a state, or with random numbers, two calls differ whatever memory holds.
        if [*map(_said, answers)] != [*map(_said, self._answers(call, fresh=fresh))]:
            return got
        varies = tuple(tuple(_varying(n, one, answers)) for n, one in enumerate(got.outputs))
        outputs = tuple(_without(one, numbers) for one, numbers in zip(got.outputs, varies, strict=True))
        return replace(got, outputs=outputs, varies=varies)

    def _answers(self, call: Call, *, fresh: bool) -> list[Response]:
        answers = []
        for filling in FILLINGS:
            if filling not in self._runners:
                self._runners[filling] = self._begin(surroundings(filling))
            runner = self._runners[filling]
            filled = replace(call, presentation=replace(call.presentation, filling=filling))
            answers.append(runner.again(filled) if fresh else runner.run(filled))
        self.deaths += sum(one.kind is Ending.CRASHED for one in answers)
        return answers

    def close(self) -> None:
        """End the processes."""
        for runner in self._runners.values():
            runner.close()


def _said(answer: Response) -> tuple[Ending, tuple[Array | None, ...]]:
    # The words of an error may have addresses.
    return answer.kind, answer.outputs


def _varying(n: int, array: Array | None, answers: list[Response]) -> Iterator[int]:
    """The numbers of the elements of an output that vary: all of them where an answer has no such output."""
    if array is None:
        return
    size = dtype_of(array.dtype).itemsize
    others = [one.outputs[n] if n < len(one.outputs) else None for one in answers]
    rows = [
        np.frombuffer(one.data, np.uint8).reshape(-1, size)
        for one in others
        if one is not None and (one.dtype, one.shape) == (array.dtype, array.shape)
    ]
    if len(rows) < len(answers):
        yield from range(len(array.data) // size)
    else:
        yield from np.flatnonzero((rows[0] != rows[1]).any(axis=1)).tolist()


def _without(array: Array | None, numbers: tuple[int, ...]) -> Array | None:
    """The array with 0 for some elements: each run would record other ones."""
    if array is None or not numbers:
        return array
    size = dtype_of(array.dtype).itemsize
    elements = np.frombuffer(array.data, np.uint8).reshape(-1, size).copy()
    elements[list(numbers)] = 0
    return replace(array, data=elements.tobytes())
