"""Examples of a page, evaluated by the formal text: what each really gives.

In: an example as the page writes it. Out: None where the formal text gives or allows what the page shows, in one of the
readings that the page leaves open, else the difference in words, with what was guessed. An example that cannot be
evaluated raises Unevaluated; it is never taken for right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from sonnx_verify.kernel.variables import VariableRole
from sonnx_verify.logic.sorts import BOOL, ELEMENT_TYPES, FloatSort, IntegerSort, Sort
from sonnx_verify.pages.lint.beside import formal_path
from sonnx_verify.pages.reading.examples import Example, ShownValue, plain_name
from sonnx_verify.pages.reading.families import matches, types_named
from sonnx_verify.pages.reading.page import Page
from sonnx_verify.pages.reading.schemas import schema
from sonnx_verify.pages.reading.signature import based_on, signature_of
from sonnx_verify.pages.reading.values import Written

if TYPE_CHECKING:
    from sonnx_verify.kernel.variables import Variable
    from sonnx_verify.language import syntax as s
    from sonnx_verify.language.context import Context
    from sonnx_verify.language.files import Unit
    from sonnx_verify.language.meaning import Meaning
    from sonnx_verify.language.project import Project
    from sonnx_verify.results.concrete import Concrete, ConcreteTensor

MOST_ELEMENTS = 4096
"""An example with more is not evaluated."""
_MOST_READINGS = 16
_MOST_TYPES = 32
_GIVEN = (VariableRole.INPUT, VariableRole.ATTRIBUTE)
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class Unevaluated(Exception):
    """An example cannot be evaluated, with why in words."""


class NoElement(Unevaluated):
    """An example writes an element that is none of its type."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of an example from the formal text, in words. `guessed` says on what it rests that the page does
    not confirm, empty where nothing is: then no reading of the example is right."""

    text: str
    guessed: str = ""
    is_element: bool = False
    """True if its type does not have this element."""


@dataclass(frozen=True, slots=True)
class Replays:
    """The formal text of a page's operator, ready to evaluate examples. `own` says that it is the one next to the page;
    `guessed` what it is not confirmed to share with the page, as the version."""

    project: Project
    unit: Unit
    file: s.File
    own: bool = True
    guessed: str = ""

    def differs(self, page: Page, example: Example) -> Difference | None:
        """None where the example is right in some reading, else how it differs in the first one. Raises Unevaluated."""
        example, renamed = self._as_here(page, example)
        differences: list[Difference] = []
        unevaluated: list[Unevaluated] = []
        # A page does not say of which of its types an example is: it is wrong if it is so for each.
        for meaning, guessed in self._meanings(page, example):
            for compared in self._readings(meaning, example):
                match compared:
                    case None:
                        return None
                    case Difference():
                        differences.append(replace(compared, guessed=guessed or renamed or compared.guessed))
                    case Unevaluated():
                        unevaluated.append(compared)
        if unevaluated:
            raise unevaluated[0]
        # What is no value of one type is one of another, perhaps, and differs there. What is right but for rounding in
        # one type is so.
        return min(differences, key=lambda one: (not one.guessed, one.is_element))

    def inputs(self, page: Page, example: Example) -> Iterator[tuple[Context, dict[str, Concrete]]]:
        """The input of an example, in each of its types and readings; none where it cannot be evaluated."""
        with suppress(Unevaluated):
            example, _ = self._as_here(page, example)
            for meaning, _ in self._meanings(page, example):
                # A number may be none of one type, and one of the next.
                with suppress(Unevaluated):
                    for given in islice(_readings(meaning, example), _MOST_READINGS):
                        yield meaning.context, _assignment(meaning, given)

    def _as_here(self, page: Page, example: Example) -> tuple[Example, str]:
        """The example with the names of the formal text for those of another page, by their places in its signature;
        and what is guessed so."""
        sections = next(found for found in page.by_family[1:] if found[0] is example.family)
        signature = signature_of(sections)
        if self.own or signature is None or signature.variadic:
            return example, ""
        names: dict[str, str] = {}
        for said, declared in ((signature.inputs, self.file.inputs), (signature.outputs, self.file.outputs)):
            names |= zip(map(plain_name, said), (one.name for one in declared), strict=False)
        # `Constant(value)` has attributes among its inputs.
        own = {one.name for one in (*self.file.inputs, *self.file.outputs, *self.file.attributes)}
        others = {name: meant for name, meant in names.items() if name not in own}
        moved = {name: meant for name, meant in names.items() if name in own and name != meant}
        if set(others.values()) & {*example.given, *example.results} or moved:
            raise Unevaluated("its names are not in the order of the formal text")
        given = {others.get(name, name): shown for name, shown in example.given.items()}
        results = {others.get(name, name): shown for name, shown in example.results.items()}
        guessed = ", ".join(f"{name} is {meant}" for name, meant in others.items())
        return replace(example, given=given, results=results), guessed

    def _meanings(self, page: Page, example: Example) -> Iterator[tuple[Meaning, str]]:
        """The meanings that an example may have, each with what is guessed of it."""
        from sonnx_verify.language.context import Context

        named = types_named(example.types, self.file, own=self.own)
        found = matches(page, self.file, example.family, named)
        if not found:
            raise Unevaluated(f"the formal text has no section for {' and '.join(named) or example.family.title}")
        if sum(len(match.types) for match in found) > _MOST_TYPES:
            raise Unevaluated("it may be of too many types")
        for match in found:
            instance = match.instance
            for name in match.types:
                context = Context(instance.family, ELEMENT_TYPES[name], variables=instance.variables)
                yield self.project.meaning(self.unit, context), match.guessed or self.guessed

    def _readings(self, meaning: Meaning, example: Example) -> Iterator[Difference | Unevaluated | None]:
        """The comparison of an example in each reading of its values: a matrix of one line may be a list."""
        try:
            readings = [*islice(_readings(meaning, example), _MOST_READINGS + 1)]
        except NoElement as problem:
            yield Difference(str(problem), is_element=True)
            return
        except Unevaluated as problem:
            yield problem
            return
        if len(readings) > _MOST_READINGS:
            yield Unevaluated("its values can be read in too many ways")
        for given in readings:
            try:
                found = self._compared(meaning, _assignment(meaning, given), example)
                yield found and replace(found, guessed=self._not_given(meaning, example) or found.guessed)
            except NoElement as problem:
                yield Difference(str(problem), is_element=True)
            except Unevaluated as problem:
                yield problem

    def _not_given(self, meaning: Meaning, example: Example) -> str:
        """The name of something that the example neither gives nor leaves out in words, so that its default is guessed;
        empty where there is none. The page of the text itself relies on defaults."""
        if self.own:
            return ""
        told = {*example.given, *(name.rstrip("0123456789") for name in example.given), *example.absent}
        missing = (v.name for v in meaning.given if v.role in _GIVEN and v.name not in told)
        return next((f"{name} is not given" for name in missing), "")

    def _compared(self, meaning: Meaning, assignment: Mapping[str, Concrete], example: Example) -> Difference | None:
        from sonnx_verify.solving.inputs.replay import replay

        outcome = replay(self.project, self.unit, meaning, assignment, why=False)
        errors = [e.tag for e in outcome.errors]
        # Other pages than its own may call errors otherwise, and restrict the operator less.
        refused = [*errors, *(judged.statement.tag for judged in outcome.broken)]
        if not self.own and (example.error or refused):
            said = f"the formal text, that of another page, refuses it by {refused[0]}" if refused else "it is an error"
            raise Unevaluated(said)
        if example.error:
            # The page promises this error and no other: that a second one applies too is a difference.
            if errors == [example.error]:
                return None
            applies = errors[0] if errors else "no error"
            return Difference(f"{applies} applies, not {example.error}")
        if errors:
            return Difference(f"error {errors[0]} applies")
        if outcome.broken:
            return Difference(f"{outcome.broken[0].statement.tag} does not hold")
        if outcome.left_open:
            raise Unevaluated(f"the formal text leaves the outcome open: {outcome.left_open[0].title}")
        if outcome.undetermined:
            raise Unevaluated(outcome.undetermined)
        for name, shown in example.results.items():
            if name not in outcome.outputs:
                raise Unevaluated(f"the formal text has no output {name}")
            if difference := _result(meaning, assignment, name, shown, outcome.outputs[name]):
                return difference
        return None


def replays_of(page: Page) -> Replays | None:
    """The formal text of a page's operator: that next to the page, else the installed one; None where there is none, or
    it is none of an operator of the profile. UserError where it cannot be read."""
    # Reading a page needs neither the language nor its meaning.
    from sonnx_verify.language.places import installed_library

    beside = formal_path(page)
    if beside is not None:
        replays = replays_of_file(beside)
        if replays is None or page.path is None:
            return None
        named = replays.file.page
        return replace(replays, own=named is not None and named.name == page.path.name)
    if not page.operator:
        return None
    folder = installed_library() / "spec" / "sonnx" / page.operator.lower()
    path = folder / f"{page.operator.lower()}.sonnx"
    replays = replays_of_file(path) if path.is_file() else None
    if replays is None or replays.file.name != page.operator:
        return None
    return _in_force(page, replace(replays, own=False))


def replays_of_file(path: Path) -> Replays | None:
    """The newest version of a formal text of the profile, as `trace` takes it; None for a text of the standard or of a
    user. UserError where it cannot be read."""
    from sonnx_verify.language.project import Project

    project = Project.of_files(_root_of(path), [path])
    # A further text of a version is about nothing that a page says.
    units = [unit for unit in project.units if unit.file is not None and not unit.text]
    of_profile = [Replays(project, unit, unit.file) for unit in units if unit.file and unit.file.kind == "profile"]
    return of_profile[-1] if of_profile else None


def _in_force(page: Page, replays: Replays) -> Replays:
    """The formal text of the version that a page is based on, where there is one; else the same one, with how its
    version differs."""
    based = based_on(page)
    found = None if based is None else schema(replays.file.name, based.version)
    if found is None or found.version == replays.file.version:
        return replays
    unit = replays.project.find(replays.unit.namespace, found.operator, found.version)
    if unit is not None and unit.file is not None:
        return replace(replays, unit=unit, file=unit.file)
    guessed = f"the page is about version {found.version}, the formal text about {replays.file.version}"
    return replace(replays, guessed=guessed)


def _root_of(path: Path) -> Path:
    """The folder of the project that a file is in: the one that holds `spec/`, else its own."""
    folders = path.absolute().parents
    return next((folder for folder in folders if (folder / "spec").is_dir()), folders[0])


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
    # LaTeX has no list: `\begin{bmatrix} 1 & 2 \end{bmatrix}` stands for [1, 2] on some pages, for [[1, 2]] on others,
    # and a matrix of one element for a scalar.
    scalar: list[tuple[int, ...]] = [()] if len(value.elements) == 1 else []
    if value.row:
        return [value.shape, (1, *value.shape), *scalar]
    if value.column:
        return [value.shape, value.shape[:1]]
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
        value = floats.parse(sort, text)
        if floats.is_infinite(sort, value) and "inf" not in text.lower():
            raise ValueError(text)
        return value
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
) -> Difference | None:
    """Describe how a page's result differs from the formal text; None if it does not."""
    from sonnx_verify.results.values import tensor_text

    if shown.shape is not None and shown.shape != actual.shape:
        return Difference(f"{name} has the shape {actual.shape}: {tensor_text(actual)}")
    if shown.value is not None:
        readings = [one for one in _tensors(shown, actual.sort) if one.shape == actual.shape]
        if any(_is_allowed(meaning, assignment, tensor, actual) for tensor in readings):
            return None
        rounded = "its digits are rounded" if readings and _is_rounded(shown.value, actual) else ""
        return Difference(f"{name} is {tensor_text(actual)}", rounded)
    if shown.shape is None and not shown.free:
        raise Unevaluated(f"`{shown.text}` is not a result")
    # `any value`, `one of 0 and 1`: each of them has to be allowed for all elements.
    for value in _named_values(shown, actual.sort):
        elements = tuple(_element(value, actual.sort) for _ in actual.elements)
        tensor = type(actual)(actual.sort, actual.shape, elements)
        if not _conforms(meaning, assignment, tensor):
            return Difference(f"{value} does not conform; {name} may be {tensor_text(actual)}")
    return None


def _is_rounded(value: Written, actual: ConcreteTensor) -> bool:
    """Return whether elements differ only behind their last digit: 0.67 or 0.66 is shown for 2/3, and 1 is not."""
    from sonnx_verify.logic import floats

    sort = actual.sort
    for text, element in zip(value.elements, actual.elements, strict=True):
        if _parsed(text, sort) == element:
            continue
        digits = re.fullmatch(r"[-+]?\d*\.(\d+)(?:e([-+]?\d+))?", text)
        match element:
            case int() if isinstance(sort, FloatSort) and floats.is_finite(sort, element):
                exact = floats.to_fraction(sort, element)
            case Fraction():
                exact = element
            case _:
                return False
        if digits is None:
            return False
        # Rounded to the nearest it is half a unit away at most, and cut off it is nearer to 0.
        away = (exact - Fraction(text)) * 10 ** (len(digits[1]) - int(digits[2] or 0))
        if away == 0:
            return False  # The zero of the other sign.
        if abs(away) > Fraction(1, 2) and not (abs(away) < 1 and away * exact > 0):
            return False
    return True


def _named_values(shown: ShownValue, sort: Sort) -> list[str]:
    """The values that the words of a result name. Of `any value` some are tried, those that differ most."""
    if shown.free != "any":
        return [value.elements[0] for value in shown.values]
    if isinstance(sort, FloatSort):
        return ["nan", "inf", "-inf", "0"]
    return ["0", "1"]


def _is_allowed(
    meaning: Meaning, assignment: Mapping[str, Concrete], tensor: ConcreteTensor, actual: ConcreteTensor
) -> bool:
    """Return whether a tensor is the one that the formal text gives, or another one that it allows."""
    # A formal text may leave elements open, as the position of one of two equal greatest elements: `actual` is one way.
    return tensor == actual or _conforms(meaning, assignment, tensor)


def _conforms(meaning: Meaning, assignment: Mapping[str, Concrete], output: ConcreteTensor) -> bool:
    """Return whether the formal text allows an output. Raises Unevaluated where it has several, and the page may show
    one of them alone."""
    from sonnx_verify.logic.evaluator import evaluate
    from sonnx_verify.logic.evaluator_values import Undefined
    from sonnx_verify.obligations.outputs import free_outputs
    from sonnx_verify.solving.inputs.inputs import interpretation

    variables, tensors, _ = free_outputs(meaning, "")
    # Of several outputs `conforms` speaks of all at once.
    if meaning.several_outputs:
        raise Unevaluated("it differs, and the formal text may allow that of one of several outputs")
    facts = interpretation([*meaning.given, *variables], {**assignment, variables[0].name: output})
    try:
        return evaluate(meaning.conforms(tensors), facts) is True
    except Undefined as problem:
        raise Unevaluated(str(problem)) from None
