"""Rules on examples: what is shown follows from what is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import prod

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import Found, Severity, rule
from sonnx_verify.pages.lint.replays import NoElement, Replays, Unevaluated
from sonnx_verify.pages.reading.examples import Example, Shown, examples_of
from sonnx_verify.pages.reading.page import Page


@rule("example-shape", Severity.ERROR)
def shape(page: Page) -> Found:
    """An example writes a tensor with another number of elements than the shape that it says beside it."""
    for example in examples_of(page):
        for name, shown in _tensors(example):
            if _misshapen(shown) and shown.value is not None and shown.shape is not None:
                count = len(shown.value.elements)
                plural = "" if count == 1 else "s"
                message = f"{name} has {count} element{plural}, and the shape {_shape(shown.shape)}"
                yield shown.span, message, "correct one of them"


@rule("example-differs", Severity.ERROR, slow=True)
def differs(page: Page) -> Found:
    """An example shows another result than the formal text gives, or another error, or another shape; or it writes an
    element that is none of its type."""
    for example, difference in page.once(_replayed):
        if isinstance(difference, str) and difference:
            title = f" ({example.title})" if example.title else ""
            yield example.span, f"the example{title} is wrong: {difference}", "show what the formal text gives"


@rule("example-unread", Severity.NOTE, slow=True)
def unread(page: Page) -> Found:
    """An example cannot be evaluated, so that nothing says whether it is right."""
    for example, difference in page.once(_replayed):
        if isinstance(difference, Unevaluated):
            yield example.span, f"the example is not evaluated: {difference}", "write its values as others do"


def _replayed(page: Page) -> list[tuple[Example, str | Unevaluated]]:
    """The examples of a page whose operator has a formal text, each with how it differs from that."""
    made: list[tuple[Example, str | Unevaluated]] = []
    examples = [e for e in examples_of(page) if not any(_misshapen(shown) for _, shown in _tensors(e))]
    # What is wrong with the formal text, `check` says.
    with suppress(UserError):
        replays = Replays(page) if examples else None
        for example in examples if replays is not None and replays.unit is not None else ():
            assert replays is not None
            try:
                made.append((example, replays.differs(example)))
            except NoElement as problem:
                made.append((example, str(problem)))
            except Unevaluated as problem:
                made.append((example, problem))
    return made


def _misshapen(shown: Shown) -> bool:
    """Whether a tensor has another number of elements than its shape says."""
    return shown.value is not None and shown.shape is not None and prod(shown.shape) != len(shown.value.elements)


def _tensors(example: Example) -> Iterator[tuple[str, Shown]]:
    yield from example.given.items()
    yield from example.results.items()


def _shape(sizes: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, sizes))})"


RULES = (shape, differs, unread)
