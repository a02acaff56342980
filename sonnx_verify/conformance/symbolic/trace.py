"""One run of an implementation on symbolic arrays: its decisions, and the facts about what numpy left open.

A run is deterministic: the same decisions give the same symbols, so that runs with other decisions can be compared.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NoReturn, TypeVar

import numpy as np

from sonnx_verify.conformance.symbolic.long_folds import Fact
from sonnx_verify.logic.sorts import BOOL, Sort
from sonnx_verify.logic.terms import SortError, Symbol, Term, apply, is_literal, not_

_PACKAGE = str(Path(__file__).resolve().parents[2])
_NUMPY = str(Path(np.__file__).parent)
_LIBRARY = contextlib.__file__
"""The file through which blocks are left that note errors."""
_MOST_STEPS = 200_000


class Unsupported(BaseException):
    """Something outside the table of meanings: never a guess. Not an `Exception`, so that no code under test takes it
    for an error of its own."""

    def __init__(self, what: str, place: str) -> None:
        super().__init__(f"{what}, {place}" if place else what)
        self.what, self.place = what, place


class OutsideOfMemory(BaseException):
    """A view of memory that is not its array's. Not an `Exception`, so that no code under test goes on after it."""


@dataclass(slots=True)
class Trace:
    """The record of one run.

    `prefix` are the decisions that the run is to take first; `decisions` those that it took, each a condition and
    whether it was taken to hold. `facts` are what is known of each symbol that stands for something numpy leaves open.
    """

    prefix: Sequence[bool]
    decisions: list[tuple[Term, bool]] = field(default_factory=list)
    facts: dict[Symbol, Fact] = field(default_factory=dict)
    unsupported: Unsupported | None = None
    raised: str = ""
    """The first error that a function here raised in numpy's place, in words."""
    _known: dict[Term, bool] = field(default_factory=dict)
    _made: int = 0
    _steps: int = 0

    def decide(self, condition: Term) -> bool:
        """Return whether a condition on elements holds on this path."""
        if is_literal(condition):
            return bool(condition.payload)
        # Asked again, also the other way round, it is answered as before: both ways cannot be on one path.
        if condition not in self._known:
            # Beyond the prefix every decision is yes first; `paths.explore` sees to the other way.
            rest = self.prefix[len(self.decisions) :]
            known = rest[0] if rest else True
            self.decisions.append((condition, known))
            self._known[condition], self._known[not_(condition)] = known, not known
        return self._known[condition]

    def open(self, what: str, sort: Sort) -> Symbol:
        """A value that nothing is known of, each time another one. Its name says what it is for: facts about symbols of
        one name are about one thing, whichever run they come from."""
        self._made += 1
        return Symbol(f"{what} {self._made}", (), sort)

    def choice(self) -> Term:
        """A truth value that nothing determines."""
        return apply(self.open("open", BOOL))

    def step(self) -> None:
        """Count an operation, so that a run ends."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            refuse("more operations than are followed")


_current: list[Trace] = []


def is_running() -> bool:
    """Return whether a run is going on."""
    return bool(_current)


def trace() -> Trace:
    """The run that is going on. Unsupported where a symbolic array is used outside of one."""
    if not _current:
        raise Unsupported("a symbolic array outside of its run", place())
    return _current[-1]


@contextmanager
def running(run: Trace) -> Iterator[Trace]:
    """While the block runs, symbolic arrays note what happens in `run`."""
    _current.append(run)
    try:
        yield run
    finally:
        _current.pop()


def refuse(what: str) -> NoReturn:
    """Raise Unsupported, and remember it: code that catches everything cannot hide it."""
    # The first one counts: what code does after it was refused rests on a guess.
    problem = Unsupported(what, place())
    if _current and _current[-1].unsupported is None:
        _current[-1].unsupported = problem
    raise problem


def noted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose errors are noted where the code under test gets them: numpy may raise another one, or none,
    and code that catches it would go another way than on real arrays."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except StopIteration:
            raise
        except Exception as problem:
            caller = sys._getframe(1).f_code.co_filename  # noqa: SLF001  # the way to it
            if _current and not _current[-1].raised and not caller.startswith((_PACKAGE, _NUMPY)):
                _current[-1].raised = f"{type(problem).__name__} caught, {place()}"
            raise

    return call


C = TypeVar("C", bound=type)
# What an array has not, numpy's arrays have not either: `hasattr` may be asked.
_EXACT = ("__init__", "__class__", "__getattr__", "__slots__")


def errors_noted(of_code: C) -> C:
    """The class, with the errors of all its methods and properties noted."""
    for name, value in list(vars(of_code).items()):
        if name in _EXACT:
            continue
        if isinstance(value, FunctionType):
            setattr(of_code, name, noted(value))
        elif isinstance(value, property):
            get, put, drop = (None if part is None else noted(part) for part in (value.fget, value.fset, value.fdel))
            setattr(of_code, name, property(get, put, drop))
    return of_code


_watching: list[list[str]] = []


@contextmanager
def memory_watched() -> Iterator[list[str]]:
    """While the block runs, views that reach outside of memory are put into the list, in words."""
    found: list[str] = []
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.pop()


def outside_of_memory(what: str) -> NoReturn:
    """Raise OutsideOfMemory, and remember it: code that catches everything cannot hide it."""
    if _watching:
        _watching[-1].append(what)
    raise OutsideOfMemory(what)


@contextmanager
def own_errors_refused(what: str) -> Iterator[None]:
    """Refuse an error that numpy never would raise: a case that was not thought of, no answer of the code's own."""
    try:
        yield
    except (SortError, AssertionError, AttributeError, KeyError, RecursionError) as problem:
        refuse(f"{what} of these types: {problem}")
    # numpy has arguments that the functions here have not: Python's own words for that are about "an argument".
    except TypeError as problem:
        if "argument" not in str(problem):
            raise
        refuse(f"{what} with these arguments")


def place() -> str:
    """`file.py:12`, the innermost line that is neither ours nor numpy's."""
    frame: FrameType | None = inspect.currentframe()
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_PACKAGE, _NUMPY, _LIBRARY, "<")):
            return f"{Path(name).name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""
