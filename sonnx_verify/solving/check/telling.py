"""From what was decided of an obligation, which holds terms, to its result, which is plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

from sonnx_verify.kernel.variables import SHOWN_BY_OTHERS, Variable, VariableKind, VariableRole
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import UNDECIDED, VerdictName, voices
from sonnx_verify.results.concrete import LEFT_OUT, Concrete
from sonnx_verify.results.example import Example, Given, Omitted, Role
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Query, Result
from sonnx_verify.results.values import Value, ValueKind
from sonnx_verify.solving.check.record import ConcreteExample, Record

_KINDS = {
    VariableKind.INDEX: ValueKind.INDEX,
    VariableKind.SHAPE: ValueKind.SHAPE,
    VariableKind.ELEMENT: ValueKind.ELEMENT,
}
MENDED = (Kind.COVERED, Kind.IN_BOUNDS, Kind.TOTAL, Kind.REFINES, Kind.NARROWING)
"""The kinds of obligations that a clause can mend."""
_BEYOND_MENDING = frozenset(
    (VerdictName.PROVED, VerdictName.UNSUPPORTED, VerdictName.INCONSISTENT, VerdictName.VACUOUS)
)


def result_of(record: Record) -> Result:
    """The result of an obligation."""
    obligation = record.obligation
    # A restriction of a draft that rejects too much would have to go: no clause mends that.
    of_a_clause = obligation.kind == Kind.NARROWING and obligation.tag != "spec"
    return Result(
        id=record.id,
        subject=obligation.subject,
        operator=obligation.operator,
        version=obligation.version,
        section=obligation.section,
        tag=obligation.tag,
        kind=obligation.kind,
        title=obligation.title,
        place=Place.of(obligation.span),
        types=record.types,
        declared=tuple(sort.name for sort in obligation.types),
        variables={variable: sort.name for variable, sort in obligation.variables.items()},
        verdict=record.verdict.name,
        reason=record.verdict.reason,
        note=record.note,
        expected=record.expected,
        expected_reason=record.expected_reason,
        scope=record.scope,
        assumptions=record.assumptions,
        axioms=record.axioms,
        uses=obligation.uses,
        statement=record.statement,
        answers=record.answers,
        voices=record.voices,
        queries=tuple(Query(sha256, answers) for sha256, answers in record.queries.items()),
        struck=record.struck,
        hinted=record.hinted,
        witness=example_of(record.witness),
        counterexample=example_of(record.counterexample),
        repeatable=record.repeatable and record.verdict.name in UNDECIDED,
        mend=record.surprising and can_be_mended(record) and not of_a_clause,
    )


def can_be_mended(record: Record) -> bool:
    """Return whether a clause might mend what came of an obligation, so that it is worth looking for one."""
    obligation = record.obligation
    # A clause is an item of an operator: a theorem has none, and what is of no version stands in no operator.
    if obligation.build is None or obligation.version is None or obligation.kind not in MENDED:
        return False
    return record.verdict.name not in _BEYOND_MENDING


def evidence_of(record: Record) -> dict[str, dict[str, Status]]:
    """The queries that a verdict rests on.

    Where it was concluded from queries, those that two voices found unsat, and what one did where two readings show a
    claim; all that were asked, where nothing was. What concrete input shows, or the text itself, rests on none.
    """
    # Of a proof only what two found unsat: a weaker form that was asked before, and got another answer, shows nothing.
    match record.verdict.name:
        case VerdictName.PROVED | VerdictName.VACUOUS | VerdictName.VIOLATED:
            enough = 1 if any(len({voice.floats for voice in claim}) > 1 for claim in record.voices) else 2
            return {
                sha256: answers
                for sha256, answers in record.queries.items()
                if len(voices(answers)) >= enough and Status.SAT not in answers.values()
            }
        case VerdictName.UNKNOWN | VerdictName.CANDIDATE | VerdictName.INCONSISTENT:
            return record.queries
        case _:
            return {}


@overload
def example_of(shown: ConcreteExample) -> Example: ...
@overload
def example_of(shown: None) -> None: ...
def example_of(shown: ConcreteExample | None) -> Example | None:
    """The concrete input that was found, if one was."""
    if shown is None:
        return None
    asked = _asked_for(shown)
    return Example(
        given=tuple(_named(shown, outputs=False)),
        outputs=tuple(_named(shown, outputs=True)),
        omitted=tuple(_omitted(variable) for variable in left_out(shown)),
        unasked=tuple(name for name, is_asked in asked.items() if not is_asked),
        minimal=shown.found.minimal,
        broken=shown.broken,
        read=shown.read,
    )


def named_values(shown: ConcreteExample, *, outputs: bool) -> Iterator[tuple[str, Variable, Concrete]]:
    """The name, variable and value of each input and attribute, or of each output; the members of a variadic input one
    by one, but the list of an attribute as a whole. What is left out has no value."""
    unasked = {name for name, asked in _asked_for(shown).items() if not asked}
    for variable in shown.variables:
        value = shown.found.assignment[variable.name]
        is_output = variable.role is VariableRole.OUTPUT
        if is_output is not outputs or variable.role in SHOWN_BY_OTHERS or value is LEFT_OUT:
            continue
        # Two readings of one text have outputs Y and Y': whether Y is asked for is said once.
        if outputs and variable.name.rstrip("'") in unasked:
            continue
        if variable.count is None or variable.role is VariableRole.ATTRIBUTE:
            yield variable.name, variable, value
            continue
        # As the text counts them: ONNX's names of variadic inputs begin with 0, those of a draft may with 1.
        assert isinstance(value, tuple)
        for n, item in enumerate(value):
            yield f"{variable.name}{n + variable.base}", variable, item


def left_out(shown: ConcreteExample) -> list[Variable]:
    """The inputs and attributes that are not given."""
    # An input that an operator is applied without in the text is no choice of whoever gives the input.
    return [
        v for v in shown.variables if v.role is not VariableRole.ABSENT and shown.found.assignment[v.name] is LEFT_OUT
    ]


def _asked_for(shown: ConcreteExample) -> dict[str, bool]:
    """The optional outputs by name, each with whether it is asked for."""
    asked = [v.name for v in shown.variables if v.role is VariableRole.ASKED]
    return {name.removesuffix(".given"): bool(shown.found.assignment[name]) for name in asked}


def _named(shown: ConcreteExample, *, outputs: bool) -> Iterator[Given]:
    for name, variable, value in named_values(shown, outputs=outputs):
        yield Given(name, _role(variable), value_of(variable, value))


def _role(variable: Variable) -> Role:
    # A variable of a theorem is input too: it is given, and nothing is computed of it.
    match variable.role:
        case VariableRole.ATTRIBUTE:
            return Role.ATTRIBUTE
        case VariableRole.OUTPUT:
            return Role.OUTPUT
        case _:
            return Role.INPUT


def value_of(variable: Variable, value: Concrete) -> Value:
    """The value of a variable as plain data."""
    return Value.of(variable.sort, _kind(variable), value)


def _kind(variable: Variable) -> ValueKind:
    # A list of integers is one attribute of ONNX, `axes = [0, 1]`; a variadic input is as many inputs as it has
    # members.
    if variable.count is not None and variable.role is VariableRole.ATTRIBUTE:
        return ValueKind.LIST
    return _KINDS.get(variable.kind, ValueKind.NUMBER)


def _omitted(variable: Variable) -> Omitted:
    if variable.default is None:
        return Omitted(variable.name)
    kind = ValueKind.NUMBER
    if isinstance(variable.default, tuple):
        kind = ValueKind.LIST
    return Omitted(variable.name, Value.of(variable.sort, kind, variable.default))
