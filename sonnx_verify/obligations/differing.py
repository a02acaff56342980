"""The words for outputs that an example shows and a text does not give. Not trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from sonnx_verify.kernel.sections import member_name
from sonnx_verify.kernel.values import Items, Tensor
from sonnx_verify.kernel.variables import Variable
from sonnx_verify.language import syntax as s
from sonnx_verify.language.meaning import Meaning, is_member
from sonnx_verify.logic.evaluator import compile_term, evaluate
from sonnx_verify.logic.evaluator_values import Interpretation, Undefined, indices_of, stripped
from sonnx_verify.logic.nodes import number_of
from sonnx_verify.logic.sorts import INDEX
from sonnx_verify.logic.terms import TRUE, integer, placeholder
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.values import element_text, shape_text, tensor_text
from sonnx_verify.sources import Span

_FEW = 64
"""The elements of an output that are written out where it is another one."""
Cause = Callable[[Interpretation], tuple[str, Span]]
"""The mistake of an example, and its place in it, on its values."""


def outputs_differ(meaning: Meaning, example: s.Example, outputs: Mapping[str, Tensor | Items]) -> Cause:
    """The outputs that the text gives, where these are others; worked out for a reader alone."""

    def cause(facts: Interpretation) -> tuple[str, Span]:
        given: list[str] = []
        places: list[Span] = []
        for variable in meaning.outputs:
            if variable.count is not None:
                with suppress(Undefined, KeyError):
                    given += _members_differ(variable, meaning, outputs[variable.name], facts)
                places += [e.span for e in example.entries if is_member(variable.name, e.name)]
                continue
            with suppress(Undefined, KeyError):
                given_output = outputs[variable.name]
                assert isinstance(given_output, Tensor)
                made = _output(variable, meaning.result(variable.name), facts)
                shown = _output(variable, given_output, facts)
                asked = evaluate(meaning.asked.get(variable.name, TRUE), facts) is True
                if asked and made is not None and shown is not None and made != shown:
                    given.append(_difference(variable.name, made, shown))
                    places += [e.span for e in example.entries if e.name == variable.name]
        if not given:
            return "the text does not allow these outputs", example.span
        return f"the text gives {', '.join(given)}", next(iter(places), example.span)

    return cause


def _members_differ(
    variable: Variable, meaning: Meaning, shown: Tensor | Items, facts: Interpretation
) -> Iterator[str]:
    """The members that the text gives for a family of outputs where others are shown. Raises Undefined."""
    made = meaning.results(variable.name)
    assert isinstance(shown, Items)
    if not isinstance(made, Items):
        return
    count, there = evaluate(made.count, facts), evaluate(shown.count, facts)
    if count != there:
        yield f"{count} of `{variable.name}`"
    for m in range(min(count, there)):
        ours, theirs = made.item(integer(m)), shown.item(integer(m))
        assert isinstance(ours, Tensor)
        assert isinstance(theirs, Tensor)
        one, other = _output(variable, ours, facts), _output(variable, theirs, facts)
        if one is not None and other is not None and one != other:
            yield _difference(member_name(variable, m), one, other)


def _difference(name: str, made: ConcreteTensor, shown: ConcreteTensor) -> str:
    """The output that a text gives; of a large one the first element that differs."""
    if len(made.elements) <= _FEW:
        return f"{name} = {tensor_text(made)}"
    if made.shape != shown.shape:
        return f"{name} of shape {shape_text(made.shape)}"
    place = next(n for n, pair in enumerate(zip(made.elements, shown.elements, strict=True)) if len(set(pair)) > 1)
    index = []
    for size in reversed(made.shape):
        place, coordinate = divmod(place, size)
        index.append(coordinate)
    dtype, element = made.sort.name, made.read(stripped(index))
    return f"{name}{index[::-1]} = {dtype} {element_text(dtype, element)}"


def _output(variable: Variable, result: Tensor | None, facts: Interpretation) -> ConcreteTensor | None:
    if result is None:
        return None
    rank = evaluate(result.shape.rank, facts)
    sizes = [evaluate(result.shape.dim(integer(axis)), facts) for axis in range(rank)]
    # A wrong text may give a shape that no tensor has.
    if any(size < 0 for size in sizes):
        return None
    index = placeholder(INDEX)
    element = compile_term(result.read(index))
    elements = [element({number_of(index): at}, facts) for at in indices_of(sizes)]
    return ConcreteTensor(variable.sort, tuple(reversed(sizes)), tuple(elements))
