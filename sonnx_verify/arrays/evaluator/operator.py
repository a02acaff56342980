"""The public face: an operator specification that is evaluated on numpy arrays.

The first call with arguments of some types, shapes and attributes makes a plan, which takes far longer than running it;
plans are kept, so that what such a call costs later is what numpy costs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sonnx_verify.arrays.evaluator.arguments import Signature
from sonnx_verify.arrays.evaluator.known import ArrayTensor
from sonnx_verify.arrays.evaluator.loops import NoProgram
from sonnx_verify.arrays.evaluator.plan import Plan, Rejected, arrays_of, make_plan
from sonnx_verify.arrays.evaluator.results import Result
from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.errors import ClauseViolated, LeftUnspecified, NoResult, UsageError
from sonnx_verify.kernel.variables import VariableKind
from sonnx_verify.language.files import Unit
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.language.project import Project
from sonnx_verify.language.syntax import ClauseKind
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.results.concrete import Assignment, ConcreteTensor
from sonnx_verify.solving.inputs.outcome_lines import clause_lines, open_line
from sonnx_verify.solving.inputs.replay import Outcome, assignment_of, clauses_of, look_for_gaps, on_input, replay
from sonnx_verify.solving.inputs.section import check_type, named_sorts, section_of, sections_of
from sonnx_verify.stores.store import store_of_trees


def no_result(project: Project, unit: Unit, meaning: Meaning, assignment: Assignment, problem: str) -> NoResult:
    """The exception for an input that has no result, or none that is determined: where no clause says so, because of
    the problem."""
    # A plan only finds out that some condition fails. The reference evaluator says which, so that both name one clause.
    outcome = clauses_of(project, unit, meaning, assignment, why=True)
    if not (outcome.undeclared or outcome.broken or outcome.errors):
        look_for_gaps(meaning, assignment, outcome)
    lines = tuple(clause_lines(outcome, why=False))
    if outcome.undeclared:
        name = next(iter(outcome.undeclared))
        return ClauseViolated(f"{unit.operator}: `{name}` does not match its declaration", name, "", lines)
    broken = [c[0] for c in outcome.broken] or outcome.errors
    if broken:
        clause = broken[0].clause
        says = "is violated"
        if clause.kind is ClauseKind.ERROR:
            says = "applies"
        text = f"{unit.operator}: [{clause.tag}] {says}: {clause.title}"
        return ClauseViolated(text, clause.tag, clause.title, lines)
    if outcome.left_open:
        rule = outcome.left_open[0]
        return LeftUnspecified(f"{unit.operator}: {open_line(rule)}", rule.tag, rule.title)
    return NoResult(f"{unit.operator} has no result here: {problem or 'it is not determined'}")


# A loop over a data set meets few shapes; a fuzzer meets a new one each time, and must not fill the memory.
_MOST_PLANS = 256


@dataclass(slots=True)
class _Kept:
    """The plans for arguments of some types, shapes and attributes, by the elements of the arrays that they rest on.

    `sources` says of each array of a plan which of the given ones it is, `control` are the places of those whose
    elements matter."""

    sources: list[int]
    control: tuple[int, ...]
    plans: OrderedDict[tuple[bytes, ...], Plan] = field(default_factory=OrderedDict)


class Operator:
    """An operator specification, ready to be evaluated on numpy arrays."""

    def __init__(
        self, project: Project, unit: Unit, types: Mapping[str, Sort] | None = None, *, explains: bool = True
    ) -> None:
        """Unless it `explains`, an exception for an input without a result is a bare NoResult: to say which clause
        rejects it takes the reference evaluator, and far longer than all else."""
        if unit.file is None:
            raise unit.error or UsageError(f"{unit.path} cannot be read", cure="see `sonnx-verify check`")
        self.project, self.unit, self.types = project, unit, dict(types or {})
        self.name, self._explains = unit.operator, explains
        self.signature = Signature(self.name, unit.file)
        self._families = frozenset(self.signature.families)
        self._kept: OrderedDict[tuple[Any, ...], _Kept] = OrderedDict()

    def __repr__(self) -> str:
        return f"sonnx_verify.load({self.name!r})"

    def evaluate(self, *inputs: Any, **named: Any) -> Any:
        """The output, or a tuple of the outputs; the members of a family of outputs stand in it one by one.

        Inputs are given by position, a family of them spread out, or by name; attributes by name. What is optional may
        be left out or None. The arrays have the types that the specification lists, bfloat16 from ml_dtypes. Where the
        specification gives a set of results the output is one of them, where it leaves elements open it has some value
        there: see `results`.

        Raises ClauseViolated where a clause rejects the input, LeftUnspecified where it leaves open whether there is a
        result, or of which shape, NoResult where there is none that memory could hold, UsageError for arguments that
        are none of the operator's.
        """
        try:
            return self._evaluated(inputs, named)
        except MemoryError:
            raise NoResult(f"{self.name}: there is not enough memory for the result") from None

    def _evaluated(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> Any:
        key, names, arrays, attributes = self._taken(inputs, named)
        kept = self._kept.get(key)
        if kept is None:
            return self._first_time(key, names, arrays, attributes)
        used = [arrays[n] for n in kept.sources]
        rested = tuple([used[n].tobytes() for n in kept.control])
        plan = kept.plans.get(rested)
        if plan is None:
            return self._first_time(key, names, arrays, attributes)
        _used(self._kept, key)
        _used(kept.plans, rested)
        try:
            return _run(plan, used)
        except (Rejected, Undefined):
            # A plan does not say why. Planning again does: it asks the reference evaluator.
            return self._first_time(key, names, arrays, attributes)

    def _taken(
        self, inputs: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], list[str], list[Any], dict[str, Any]]:
        """Return the key of a plan for the arguments (all but their elements), the names of the arrays, the arrays, and
        the attributes. Raises UsageError."""
        signature = self.signature
        if not self._families.isdisjoint(named):
            named = signature.spread(named)
        names: list[str] = []
        arrays: list[Any] = []
        attributes: dict[str, Any] = {}
        key: list[Any] = []
        taken = signature.names_of(len(inputs), tuple(named))
        for (name, is_attribute), value in zip(taken, (*inputs, *named.values()), strict=True):
            if value is None:
                continue
            if is_attribute:
                if isinstance(value, np.ndarray | np.generic):
                    value = value.tolist()
                attributes[name] = value
                # The type belongs to it: 1 and True are equal, and have to be told apart by what checks them.
                key += name, type(value), value if type(value) is int else repr(value)
                continue
            # Most arrays need nothing done to them: two tests here save a call for each.
            if type(value) is not np.ndarray or not value.dtype.isnative:
                value = signature.array(name, value)
            key += name, value.dtype, value.shape
            names.append(name)
            arrays.append(value)
        return tuple(key), names, arrays, attributes

    def results(self, *inputs: Any, **named: Any) -> Any:
        """The same as `evaluate`, with what else conforms: a Result, or a tuple of them, one for each output."""
        made = self.evaluate(*inputs, **named)
        several = isinstance(made, tuple)
        if not several:
            made = (made,)
        _, names, arrays, attributes = self._taken(inputs, named)
        # A result answers later: by then the caller may have written into the arrays.
        meaning, assignment, _ = self._assigned(names, [array.copy() for array in arrays], attributes)
        meaning = on_input(meaning, assignment)
        found = [Result(v.name, array, meaning, assignment) for v, array in zip(meaning.outputs, made, strict=True)]
        return _one_or_all(found, several=several)

    def replay(self, *inputs: Any, **named: Any) -> Outcome:
        """Return the answer of the reference evaluator to the same arguments: each clause with the reasons why it
        fails, and the outputs where there are any. Raises UsageError."""
        _, names, arrays, attributes = self._taken(inputs, named)
        meaning, assignment, _ = self._assigned(names, arrays, attributes)
        return replay(self.project, self.unit, meaning, assignment, why=True)

    def _first_time(
        self, key: tuple[Any, ...], names: Sequence[str], arrays: Sequence[Any], attributes: Mapping[str, Any]
    ) -> Any:
        meaning, assignment, is_typed = self._assigned(names, arrays, attributes)
        plan, control, made = self._planned(meaning, assignment)
        # Where clauses chose the section, other elements may choose another one.
        if not is_typed:
            return made
        planned = arrays_of(assignment)
        places = {self.signature.planned(name): n for n, name in enumerate(names)}
        wanted = tuple(n for n, argument in enumerate(planned) if argument.name in control)
        kept = self._kept.get(key)
        # Other elements can make more of them matter, as where `keepdims` decides whether `axes` is looked at.
        if kept is None or kept.control != wanted:
            kept = self._kept[key] = _Kept([places[argument] for argument in planned], wanted)
            _bounded(self._kept)
        # By their bytes: a plan holds for these elements alone, as for `axes = [0, 2]`.
        used = list(planned.values())
        kept.plans[tuple([used[n].tobytes() for n in wanted])] = plan
        _bounded(kept.plans)
        return made

    def _planned(self, meaning: Meaning, assignment: Mapping[str, Any]) -> tuple[Plan, frozenset[str], Any]:
        """The plan for such input, what it rests on, and what it gives. Raises NoResult."""
        try:
            plan, control = make_plan(meaning, assignment)
            return plan, control, _run(plan, list(arrays_of(assignment).values()))
        except (Rejected, Undefined) as problem:
            if not self._explains:
                raise NoResult(str(problem)) from None
            raise no_result(self.project, self.unit, meaning, assignment, str(problem)) from None
        except (NoProgram, Open) as problem:
            raise NoResult(f"{self.name} cannot be computed on arrays: {problem}") from None

    def _assigned(
        self, names: Sequence[str], arrays: Sequence[Any], attributes: Mapping[str, Any]
    ) -> tuple[Meaning, dict[str, Any], bool]:
        """The meaning for the types of the arguments, the values of the names in it, and whether types alone say which
        section it is. Raises UsageError."""
        signature = self.signature
        given = {name: signature.array(name, array) for name, array in zip(names, arrays, strict=True)}
        settings = {name: signature.attribute(name, value) for name, value in attributes.items()}
        signature.check_types(given)
        tensors = {name: ArrayTensor.of(array) for name, array in given.items()}
        said = {**tensors, **settings}
        context = section_of(self.project, self.unit, said, self.types, SAY_TYPE)
        meaning = self.project.meaning(self.unit, context)
        # A caller who does not want an optional output drops it.
        asked = {f"{name}.given": True for name in meaning.asked}
        try:
            assignment = assignment_of(meaning, {**tensors, **settings, **asked})
        except KeyError as problem:
            raise UsageError(
                f"{self.name}: {problem.args[0]}", cure=f"see `sonnx-verify explain {self.name}`"
            ) from None
        for variable in meaning.given:
            value = assignment[variable.name]
            if variable.kind is VariableKind.TENSOR and isinstance(value, tuple | ConcreteTensor):
                check_type(variable.name, variable.sort.name, value)
        return meaning, assignment, len(sections_of(self.unit, said, self.types)) == 1


def _used(kept: OrderedDict[Any, Any], key: object) -> None:
    """Note that an entry was used last, unless another thread gave it up meanwhile."""
    try:  # noqa: SIM105 - on the way of every call: contextlib takes five times as long
        kept.move_to_end(key)
    except KeyError:
        pass


def _bounded(kept: OrderedDict[Any, Any]) -> None:
    """Give up what was used longest ago."""
    while len(kept) > _MOST_PLANS:
        kept.popitem(last=False)


# Overflow and NaN are results that the specification asks for, and arrays are computed at places that a guard drops
# afterwards: nothing of this is worth a warning. As a decorator this takes half the time.
@np.errstate(all="ignore")
def _run(plan: Plan, arrays: Sequence[Any]) -> Any:
    return _one_or_all(plan.run(arrays), several=plan.several)


def _one_or_all(made: Sequence[Any], *, several: bool) -> Any:
    """A single output by itself; several, and the members of a family, as a tuple."""
    if several:
        return tuple(made)
    return made[0]


SAY_TYPE = 'load it with types={{"{}": "{}"}}'
"""The cure of a type that no argument says."""


def load(name: str, types: Mapping[str, str] | None = None) -> Operator:
    """The operator of that name: of the project in the current folder, else of the installed library. `types` are the
    element types of type variables that no argument says, as in `load("onnx.Constant", types={"T": "int8"})`.

    Raises UsageError if there is no such operator or type.
    """
    if not isinstance(name, str):
        raise UsageError(f"{name!r} is not the name of an operator", cure='give a text, as in "sonnx.Max-13"')
    keep_in(store_of_trees)
    project = here()
    return Operator(project, find_operator(project, name), named_sorts(types or {}))
