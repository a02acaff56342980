"""Examples of a page, evaluated by the formal text: what each really gives.

In: an example as the page writes it. Out: empty where the formal text gives or allows what the page shows, else the
difference in words. An example that cannot be evaluated raises Unevaluated; it is never taken for right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, Sort
from sonnx_verify.pages.lint.beside import formal_path
from sonnx_verify.pages.reading.examples import Example, ShownValue
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.values import Written

if TYPE_CHECKING:
    from sonnx_verify.language import syntax as s
    from sonnx_verify.language.families import Instance
    from sonnx_verify.language.files import Unit
    from sonnx_verify.language.meaning import Meaning
    from sonnx_verify.language.project import Project
    from sonnx_verify.language.variables import Variable
    from sonnx_verify.results.concrete import Concrete, ConcreteTensor

MOST_ELEMENTS = 4096
"""An example with more is not evaluated."""
_MOST_READINGS = 8
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class Unevaluated(Exception):
    """An example cannot be evaluated, with why in words."""


class NoElement(Unevaluated):
    """An example writes an element that is none of its type."""


@dataclass(frozen=True, slots=True)
class Replays:
    """The formal text of a page's operator, ready to evaluate examples."""

    project: Project
    unit: Unit
    file: s.File

    def differs(self, example: Example) -> str:
        """Empty, or what the formal text gives where that is not what the page shows. Raises Unevaluated."""
        meaning = self._meaning(example)
        told = ""
        # A matrix of one line may be meant as a list: the example is right if it is so in one reading.
        for given in islice(_readings(meaning, example), _MOST_READINGS):
            difference = self._compared(meaning, _assignment(meaning, given), example)
            if not difference:
                return ""
            told = told or difference
        return told

    def _meaning(self, example: Example) -> Meaning:
        from sonnx_verify.language.context import Context
        from sonnx_verify.language.families import instances

        for instance in instances(self.file):
            if instance.types and _fits(instance, example):
                # An example without a type is one of the family: `Max (int, int)` is evaluated for its first type.
                sort = ELEMENT_TYPES[example.type or instance.types[0]]
                return self.project.meaning(self.unit, Context(instance.family, sort, variables=instance.variables))
        raise Unevaluated(f"the formal text has no section for {example.type or example.family.title}")

    def _compared(self, meaning: Meaning, assignment: Mapping[str, Concrete], example: Example) -> str:
        from sonnx_verify.solving.inputs.replay import replay

        outcome = replay(self.project, self.unit, meaning, assignment, why=False)
        errors = [e.tag for e in outcome.errors]
        if example.error:
            # The page promises this error and no other: that a second one applies too is a difference.
            if errors == [example.error]:
                return ""
            applies = errors[0] if errors else "no error"
            return f"{applies} applies, not {example.error}"
        if errors:
            return f"error {errors[0]} applies"
        if outcome.left_open:
            raise Unevaluated(f"the formal text leaves the outcome open: {outcome.left_open[0].title}")
        if outcome.undetermined:
            raise Unevaluated(outcome.undetermined)
        for name, shown in example.results.items():
            if name not in outcome.outputs:
                return f"there is no output {name}"
            if difference := _result(meaning, assignment, name, shown, outcome.outputs[name]):
                return difference
        return ""


def replays_of(page: Page) -> Replays | None:
    """The formal text of a page's operator: that beside the page, else the installed one; None where there is none, or
    it is none of an operator of the profile. UserError where it cannot be read."""
    # Reading a page needs neither the language nor its meaning.
    from sonnx_verify.language.places import installed_library
    from sonnx_verify.language.project import Project

    beside = formal_path(page)
    if beside is not None:
        return replays_of_file(beside)
    if not page.operator:
        return None
    folder = installed_library() / "spec" / "sonnx" / page.operator.lower()
    project = Project.of_files(installed_library(), sorted(folder.glob("*.sonnx")))
    named = (replays for replays in _of_project(project) if replays.file.name == page.operator)
    return next(named, None)


def replays_of_file(path: Path) -> Replays | None:
    """A formal text of the profile; None for one of the standard or of a user. UserError where it cannot be read."""
    from sonnx_verify.language.project import Project

    project = Project.of_files(_root_of(path), [path])
    of_profile = (replays for replays in _of_project(project) if replays.file.kind == "profile")
    return next(of_profile, None)


def _of_project(project: Project) -> Iterator[Replays]:
    for unit in project.units:
        # Files of definitions have no operator.
        if unit.file is not None:
            yield Replays(project, unit, unit.file)


def _root_of(path: Path) -> Path:
    """The folder of the project that a file is in: the one that holds `spec/`, else its own."""
    folders = path.absolute().parents
    return next((folder for folder in folders if (folder / "spec").is_dir()), folders[0])


def _fits(instance: Instance, example: Example) -> bool:
    """Return whether an example is one of a section of the formal text: by its type, else by its family."""
    if example.type:
        return example.type in instance.types
    family = re.search(r"\(\W*(\w+)", example.family.title)
    return family is None or instance.family == family[1]


def _assignment(meaning: Meaning, given: Mapping[str, Concrete]) -> dict[str, Concrete]:
    from sonnx_verify.solving.inputs.replay import assignment_of

    try:
        return assignment_of(meaning, given)
    except KeyError as problem:
        raise Unevaluated(str(problem.args[0])) from None


def _readings(meaning: Meaning, example: Example) -> Iterator[dict[str, Concrete]]:
    """The given values, once for each reading: a matrix of one line is a list, or has two axes."""
    choices: list[list[tuple[str, Concrete]]] = []
    for name, shown in example.given.items():
        values = _values_of(shown, _variable(meaning, name))
        choices.append([(name, value) for value in values])
    for chosen in product(*choices):
        yield dict(chosen)


def _variable(meaning: Meaning, name: str) -> Variable:
    """The variable of a name, or of a member of a list of inputs: `X0` is one of X."""
    names = (name, name.rstrip("0123456789"))
    variable = next((v for v in meaning.given if v.name in names), None)
    if variable is None:
        raise Unevaluated(f"the formal text has no input {name}")
    return variable


def _values_of(shown: ShownValue, variable: Variable) -> list[Concrete]:
    """The values that what a page shows of a variable may be."""
    if variable.kind == "tensor":
        return [*_tensors(shown, variable.sort)]
    return [_setting(shown)]


def _setting(shown: ShownValue) -> Concrete:
    """The value of an attribute: an integer, or a list of them."""
    if shown.value is not None:
        with suppress(ValueError):
            numbers = tuple(int(e) for e in shown.value.elements)
            if shown.value.shape:
                return numbers
            return numbers[0]
    raise Unevaluated(f"`{shown.text}` is not an attribute value")


def _tensors(shown: ShownValue, sort: Sort) -> list[ConcreteTensor]:
    """The tensors that a written value may be. Where only a shape is said, its elements do not matter."""
    from sonnx_verify.results.concrete import ConcreteTensor

    if shown.value is None:
        if shown.shape is None or prod(shown.shape) > MOST_ELEMENTS:
            raise Unevaluated(f"`{shown.text}` is not a tensor")
        zero = _element("0", sort)
        return [ConcreteTensor(sort, shown.shape, (zero,) * prod(shown.shape))]
    if len(shown.value.elements) > MOST_ELEMENTS:
        raise Unevaluated("it has too many elements")
    shapes = _shapes(shown, shown.value)
    elements = tuple(_element(element, sort) for element in shown.value.elements)
    return [ConcreteTensor(sort, shape, elements) for shape in shapes]


def _shapes(shown: ShownValue, value: Written) -> list[tuple[int, ...]]:
    """The shapes that a written value may have: the one that the page says, else as it is written."""
    if shown.shape is not None:
        if value.shaped(shown.shape) is None:
            raise Unevaluated(f"`{shown.text}` does not have the shape {shown.shape}")
        return [shown.shape]
    # LaTeX has no list: `\begin{bmatrix} 1 & 2 \end{bmatrix}` stands for [1, 2] on some pages, for [[1, 2]] on others.
    if value.row:
        return [value.shape, (1, *value.shape)]
    return [value.shape]


def _element(text: str, sort: Sort) -> object:
    try:
        return _parsed(text, sort)
    except (ValueError, KeyError):
        raise NoElement(f"{text} is not a value of type {sort.name}") from None


def _parsed(text: str, sort: Sort) -> object:
    """An element as it is written, of a sort. Raises ValueError or KeyError for none of it."""
    from sonnx_verify.logic import floats

    if isinstance(sort, FloatSort):
        return floats.parse(sort, text)
    if sort == BOOL:
        return _TRUTH[text]
    if sort.name == "real":
        return Fraction(text)
    # `int` of Python has no bounds, and the types of ONNX have: 300 is no int8, and does not wrap around.
    if isinstance(sort, IntegerSort) and sort.lowest <= (number := int(text)) <= sort.greatest:
        return number
    raise ValueError(text)


def _result(
    meaning: Meaning, assignment: Mapping[str, Concrete], name: str, shown: ShownValue, actual: ConcreteTensor
) -> str:
    """Empty, or how what is shown differs from what the formal text gives or allows."""
    from sonnx_verify.results.values import tensor_text

    if shown.shape is not None and shown.shape != actual.shape:
        return f"{name} has the shape {actual.shape}: {tensor_text(actual)}"
    if shown.value is not None:
        readings = _tensors(shown, actual.sort)
        if any(_is_allowed(meaning, assignment, name, tensor, actual) for tensor in readings):
            return ""
        return f"{name} is {tensor_text(actual)}"
    if shown.shape is None and not shown.free:
        raise Unevaluated(f"`{shown.text}` is not a result")
    # `any value`, `one of 0 and 1`: each of them has to be allowed for all elements.
    for value in _named_values(shown, actual.sort):
        elements = tuple(_element(value, actual.sort) for _ in actual.elements)
        tensor = type(actual)(actual.sort, actual.shape, elements)
        if not _conforms(meaning, assignment, tensor):
            return f"{value} does not conform; {name} may be {tensor_text(actual)}"
    return ""


def _named_values(shown: ShownValue, sort: Sort) -> list[str]:
    """The values that the words of a result name. Of `any value` some are tried, those that differ most."""
    if shown.free != "any":
        return [value.elements[0] for value in shown.values]
    if isinstance(sort, FloatSort):
        return ["nan", "inf", "-inf", "0"]
    return ["0", "1"]


def _is_allowed(
    meaning: Meaning, assignment: Mapping[str, Concrete], name: str, tensor: ConcreteTensor, actual: ConcreteTensor
) -> bool:
    """Return whether a tensor is the one that the formal text gives, or another one that it allows."""
    # A formal text may leave elements open, as the position of one of two equal greatest elements: `actual` is one way.
    if tensor.shape != actual.shape:
        return False
    return tensor == actual or _conforms(meaning, assignment, tensor)


def _conforms(meaning: Meaning, assignment: Mapping[str, Concrete], output: ConcreteTensor) -> bool:
    """Return whether the formal text allows an output, where it is the only one."""
    from sonnx_verify.logic.evaluator import evaluate
    from sonnx_verify.obligations.outputs import free_outputs
    from sonnx_verify.solving.inputs.inputs import interpretation

    variables, tensors, _ = free_outputs(meaning, "")
    # Of several outputs `conforms` speaks of all at once, and the page shows one: that is left to the exact comparison.
    if meaning.several_outputs:
        return False
    facts = interpretation([*meaning.given, *variables], {**assignment, variables[0].name: output})
    return evaluate(meaning.conforms(tensors), facts) is True
