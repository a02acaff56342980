"""Examples of a page, evaluated by the formal text: what each really gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, Sort
from sonnx_verify.pages.reading.examples import Example, Shown
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.values import Written

if TYPE_CHECKING:
    from sonnx_verify.language.files import Unit
    from sonnx_verify.language.meaning import Meaning
    from sonnx_verify.language.project import Project
    from sonnx_verify.results.concrete import Concrete, ConcreteTensor

MOST_ELEMENTS = 4096
"""An example with more is not evaluated."""
_MOST_READINGS = 8


class Unevaluated(Exception):
    """An example cannot be evaluated, with why in words."""


class NoElement(Unevaluated):
    """An example writes an element that is none of its type."""


class Replays:
    """The formal text of a page's operator, ready to evaluate examples. UserError where it cannot be read."""

    def __init__(self, page: Page) -> None:
        # Reading a page needs neither the language nor its meaning.
        from sonnx_verify.language.places import installed_library
        from sonnx_verify.language.project import Project

        self.unit: Unit | None = None
        beside = page.path.with_suffix(".sonnx") if page.path is not None else None
        if beside is not None and beside.is_file():
            self.project: Project = Project.of_files(_root_of(beside), [beside])
            self.unit = next((u for u in self.project.units if u.file is not None and u.file.kind == "profile"), None)
        elif page.operator:
            folder = installed_library() / "spec" / "sonnx" / page.operator.lower()
            self.project = Project.of_files(installed_library(), sorted(folder.glob("*.sonnx")))
            named = (u for u in self.project.units if u.file is not None and u.file.name == page.operator)
            self.unit = next(named, None)

    def differs(self, example: Example) -> str:
        """Empty, or what the formal text gives where that is not what the page shows. Raises Unevaluated."""
        from sonnx_verify.solving.inputs.replay import assignment_of

        meaning = self._meaning(example)
        told = ""
        for given in islice(_readings(meaning, example), _MOST_READINGS):
            try:
                assignment = assignment_of(meaning, given)
            except KeyError as problem:
                raise Unevaluated(str(problem.args[0])) from None
            difference = self._compared(meaning, assignment, example)
            if not difference:
                return ""
            told = told or difference
        return told

    def _meaning(self, example: Example) -> Meaning:
        from sonnx_verify.language.context import Context
        from sonnx_verify.language.families import instances

        assert self.unit is not None
        assert self.unit.file is not None
        family = re.search(r"\(\W*(\w+)", example.family.title)
        for instance in instances(self.unit.file):
            named = family is None or instance.family == family[1]
            fits = example.type in instance.types if example.type else named
            if fits and instance.types:
                sort = ELEMENT_TYPES[example.type or instance.types[0]]
                return self.project.meaning(self.unit, Context(instance.family, sort, variables=instance.variables))
        raise Unevaluated(f"the formal text has no section for {example.type or example.family.title}")

    def _compared(self, meaning: Meaning, assignment: Mapping[str, Concrete], example: Example) -> str:
        from sonnx_verify.results.values import tensor_text
        from sonnx_verify.solving.inputs.replay import replay

        assert self.unit is not None
        outcome = replay(self.project, self.unit, meaning, assignment, why=False)
        errors = [e.tag for e in outcome.errors]
        if example.error:
            applies = errors[0] if errors else "no error"
            return "" if errors == [example.error] else f"{applies} applies, not {example.error}"
        if errors:
            return f"error {errors[0]} applies"
        if outcome.undetermined:
            raise Unevaluated(outcome.undetermined)
        for name, shown in example.results.items():
            if name not in outcome.outputs:
                return f"there is no output {name}"
            if difference := _result(meaning, assignment, name, shown, outcome.outputs[name]):
                return difference.replace("GIVEN", tensor_text(outcome.outputs[name]))
        return ""


def _root_of(path: Path) -> Path:
    """The folder of the project that a file is in: the one that holds `spec/`, else its own."""
    return next((p for p in path.absolute().parents if (p / "spec").is_dir()), path.absolute().parent)


def _readings(meaning: Meaning, example: Example) -> Iterator[dict[str, Concrete]]:
    """The given values, once for each reading: a matrix of one line is a list, or has two axes."""
    choices: list[list[tuple[str, Concrete]]] = []
    for name, shown in example.given.items():
        variable = next((v for v in meaning.given if v.name in (name, name.rstrip("0123456789"))), None)
        if variable is None:
            raise Unevaluated(f"the formal text has no input {name}")
        if variable.kind == "tensor":
            choices.append([(name, t) for t in _tensors(shown, variable.sort)])
        else:
            choices.append([(name, _setting(shown))])
    for chosen in product(*choices):
        yield dict(chosen)


def _setting(shown: Shown) -> Concrete:
    if shown.value is None:
        raise Unevaluated(f"`{shown.text}` is no value of an attribute")
    with suppress(ValueError):
        numbers = tuple(int(e) for e in shown.value.elements)
        return numbers if shown.value.shape else numbers[0]
    raise Unevaluated(f"`{shown.text}` is no value of an attribute")


def _tensors(shown: Shown, sort: Sort) -> list[ConcreteTensor]:
    """The tensors that a written value may be. Where only a shape is said, its elements do not matter."""
    from sonnx_verify.results.concrete import ConcreteTensor

    if shown.value is None:
        if shown.shape is None or prod(shown.shape) > MOST_ELEMENTS:
            raise Unevaluated(f"`{shown.text}` is no tensor")
        zero = _element("0", sort)
        return [ConcreteTensor(sort, shown.shape, (zero,) * prod(shown.shape))]
    if len(shown.value.elements) > MOST_ELEMENTS:
        raise Unevaluated("it has too many elements")
    made = [w for w in _shapes(shown.value, shown.shape) if w is not None]
    if not made:
        raise Unevaluated(f"`{shown.text}` does not have the shape {shown.shape}")
    return [ConcreteTensor(sort, w.shape, tuple(_element(e, sort) for e in w.elements)) for w in made]


def _shapes(value: Written, shape: tuple[int, ...] | None) -> Sequence[Written | None]:
    if shape is not None:
        return [value.shaped(shape)]
    return [value, value.shaped((1, *value.shape))] if value.row else [value]


def _element(text: str, sort: Sort) -> object:
    from sonnx_verify.logic import floats

    try:
        if isinstance(sort, FloatSort):
            return floats.parse(sort, text)
        if isinstance(sort, IntegerSort) and sort.lowest <= (number := int(text)) <= sort.greatest:
            return number
        if sort == BOOL:
            return {"true": True, "1": True, "false": False, "0": False}[text]
        if sort.name == "real":
            return Fraction(text)
    except (ValueError, KeyError):
        pass
    raise NoElement(f"{text} is no {sort.name}")


def _result(
    meaning: Meaning, assignment: Mapping[str, Concrete], name: str, shown: Shown, actual: ConcreteTensor
) -> str:
    """Empty, or how what is shown differs from what the formal text gives or allows."""
    if shown.shape is not None and shown.shape != actual.shape:
        return f"{name} has the shape {actual.shape}: GIVEN"
    if shown.value is not None:
        sort = actual.sort
        for tensor in _tensors(Shown(shown.text, shown.span, shown.value, shown.shape), sort):
            if tensor.shape == actual.shape and (tensor == actual or _conforms(meaning, assignment, name, tensor)):
                return ""
        return f"{name} is GIVEN"
    if shown.shape is None and not shown.free:
        raise Unevaluated(f"`{shown.text}` is no result")
    values = [value.elements[0] for value in shown.values]
    if shown.free == "any":
        values = ["nan", "inf", "-inf", "0"] if isinstance(actual.sort, FloatSort) else ["0", "1"]
    for value in values:
        elements = tuple(_element(value, actual.sort) for _ in actual.elements)
        tensor = type(actual)(actual.sort, actual.shape, elements)
        if not _conforms(meaning, assignment, name, tensor):
            return f"{value} does not conform; {name} may be GIVEN"
    return ""


def _conforms(meaning: Meaning, assignment: Mapping[str, Concrete], name: str, output: ConcreteTensor) -> bool:
    """Whether the formal text allows an output, where it is the only one."""
    from sonnx_verify.logic.evaluator import evaluate
    from sonnx_verify.obligations.outputs import free_outputs
    from sonnx_verify.solving.inputs.inputs import interpretation

    variables, tensors, _ = free_outputs(meaning, "")
    if len(variables) != 1:
        return False
    facts = interpretation([*meaning.given, *variables], {**assignment, variables[0].name: output})
    return evaluate(meaning.conforms(tensors), facts) is True
