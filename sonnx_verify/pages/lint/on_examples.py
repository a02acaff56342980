"""Rules on examples: what is shown follows from what is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import prod

from sonnx_verify.errors import UserError
from sonnx_verify.pages.lint.finding import Found, Severity, rule, rule_on
from sonnx_verify.pages.lint.replays import Difference, Replays, Unevaluated, replays_of
from sonnx_verify.pages.lint.visits import once
from sonnx_verify.pages.reading.examples import Example, ShownValue, examples_of
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.results.text import counted_text
from sonnx_verify.sources import Span

Replayed = tuple[Example, Difference | Unevaluated | None]
"""An example with how it differs from what the formal text gives, None where it does not, or why nobody knows."""


@rule("example-shape", Severity.ERROR)
def shape(page: Page) -> Found:
    """An example writes a tensor with a different number of elements than its stated shape has."""
    for example in examples_of(page):
        for span, message in _misshapen(example):
            yield span, message, "correct one of them"


def _misshapen(example: Example) -> Iterator[tuple[Span, str]]:
    """The tensors of an example that have another number of elements than their shape says, each with that in words."""
    tensors: list[tuple[str, ShownValue]] = [*example.given.items(), *example.results.items()]
    for name, shown in tensors:
        # Most examples say the value or the shape, and not both.
        if shown.value is None or shown.shape is None:
            continue
        count = len(shown.value.elements)
        if count != prod(shown.shape):
            sizes = ", ".join(map(str, shown.shape))
            yield shown.span, f"{name} has {counted_text(count, 'element')}, and the shape ({sizes})"


def _replayed(page: Page) -> list[Replayed]:
    """The examples of a page whose operator has a formal text, each with how it differs from that."""
    # What `example-shape` complains of is not evaluated: there is no tensor to give to the formal text.
    examples = [example for example in examples_of(page) if not any(_misshapen(example))]
    made: list[Replayed] = []
    # What is wrong with the formal text, `check` says.
    with suppress(UserError):
        # To read the formal text takes longer than the page: not for a page without examples.
        if not examples or (replays := replays_of(page)) is None:
            return []
        for example in examples:
            made.append((example, _difference(replays, page, example)))
    return made


def _difference(replays: Replays, page: Page, example: Example) -> Difference | Unevaluated | None:
    """The difference of an example from what the formal text gives, None for none; or why it is not evaluated."""
    try:
        return replays.differs(page, example)
    except Unevaluated as problem:
        return problem


@rule_on(once(_replayed), "example-differs", Severity.ERROR, slow=True)
def differs(replayed: Replayed) -> Found:
    """An example shows another result than the formal text gives, or another error, or another shape; or it writes an
    element that is not of its type. It does so for each type of its section, where it names none."""
    example, difference = replayed
    if isinstance(difference, Difference) and not difference.guessed:
        fix = "show the result of the formal text"
        yield example.span, f"the example{_title(example)} is wrong: {difference.text}", fix


@rule_on(once(_replayed), "example-guessed", Severity.NOTE, slow=True)
def guessed(replayed: Replayed) -> Found:
    """An example differs from the formal text as far as it is understood: something that it rests on was guessed, such
    as a type, the default of an attribute, or digits that were rounded away."""
    example, difference = replayed
    if isinstance(difference, Difference) and difference.guessed:
        message = f"the example{_title(example)} may differ: {difference.text}; guessed: {difference.guessed}"
        yield example.span, message, "say what is guessed"


@rule_on(once(_replayed), "example-unread", Severity.NOTE, slow=True)
def unread(replayed: Replayed) -> Found:
    """An example cannot be evaluated, so nothing checks it."""
    example, difference = replayed
    if isinstance(difference, Unevaluated):
        yield example.span, f"the example is not evaluated: {difference}", "write its values as others do"


def _title(example: Example) -> str:
    return f" ({example.title})" if example.title else ""


RULES = (shape, differs, guessed, unread)
