"""The values that an example gives to the variables of an operator. Trusted.

In: the meaning of an operator, and an example of it. Out: a value for each variable that an input has, and for each
output where the example has outputs. What is not as it is declared is a SpecificationError at its place: a missing
input, a name of nothing, a list where a tensor belongs.
"""

from __future__ import annotations

from fractions import Fraction

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import near
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.written import element_of, list_of, tensor_of
from sonnx_verify.logic import floats
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.evaluator import evaluate
from sonnx_verify.logic.sorts import BOOL, REAL, FloatSort, Sort
from sonnx_verify.logic.terms import Term, subterms
from sonnx_verify.obligations.obligation import Input
from sonnx_verify.results.concrete import LEFT_OUT, Concrete, ConcreteTensor


def values_of(meaning: Meaning, example: s.Example) -> Input:
    """The value of each variable. Raises SpecificationError where the example is none of this operator."""
    return _Values(meaning, example).all()


class _Values:
    def __init__(self, meaning: Meaning, example: s.Example) -> None:
        self._meaning, self._example = meaning, example
        self._left = self._entries()
        """The entries that no variable has taken."""

    def _entries(self) -> dict[str, s.Entry]:
        found: dict[str, s.Entry] = {}
        for entry in self._example.entries:
            if entry.name in found:
                raise SpecificationError(f"`{entry.name}` is given twice", entry.span, "remove one of the two")
            found[entry.name] = entry
        return found

    def all(self) -> Input:
        """Inputs and attributes, the outputs, then what follows from these."""
        made: dict[str, Concrete] = {}
        variables = self._meaning.given
        for variable in variables:
            if variable.role not in (VariableRole.LENGTH, VariableRole.ASKED):
                made[variable.name] = self._value(variable)
        for variable in self._meaning.outputs:
            if variable.count is not None:
                made[variable.name] = self._members_of_output(variable)
                continue
            value = self._output(variable)
            if variable.name in self._meaning.asked:
                made[f"{variable.name}.given"] = value is not None
            elif value is None and self._example.has_outputs:
                raise self._lacking(f"the output `{variable.name}`", f"write `{variable.name} = ...`")
            made[variable.name] = value or ConcreteTensor(variable.sort, (), (_zero(variable.sort),))
        for variable in variables:
            if variable.role is VariableRole.LENGTH:
                made[variable.name] = self._length(variable, made)
        self._refuse_others()
        return tuple(made.items())

    # --------------------------------------------------------------------------------------------------------- values

    def _value(self, variable: Variable) -> Concrete:
        if _is_family(variable):
            return self._members(variable)
        entry = self._left.pop(variable.name, None)
        if entry is None or isinstance(entry.value, s.NotGiven):
            return self._left_out(variable, entry)
        if isinstance(entry.value, s.NotAsked):
            raise SpecificationError(f"`{entry.name}` is not an output", entry.span, "write `not given`")
        if variable.kind is VariableKind.TENSOR:
            return _tensor(variable, entry)
        return _plain(variable, entry)

    def _left_out(self, variable: Variable, entry: s.Entry | None) -> Concrete:
        if not variable.may_be_left_out:
            raise self._lacking(f"the {variable.role} `{variable.name}`", f"write `{variable.name} = ...`", entry)
        written = None
        if entry is not None and isinstance(entry.value, s.NotGiven):
            written = entry.value.default
        if entry is not None and written is not None:
            value = _read(variable, written, entry)
            if variable.default is None or value != variable.default:
                raise SpecificationError(
                    f"that is not the default of `{variable.name}`", entry.span, "write `not given` alone"
                )
        return LEFT_OUT

    def _members(self, variable: Variable) -> Concrete:
        found: list[Concrete] = []
        while (name := f"{variable.name}{len(found) + variable.base}") in self._left:
            found.append(_tensor(variable, self._left.pop(name)))
        if not found:
            raise self._lacking(f"the {variable.role} `{name}`", f"write `{name} = ...`")
        return tuple(found)

    def _members_of_output(self, variable: Variable) -> Concrete:
        if not self._example.has_outputs and f"{variable.name}{variable.base}" not in self._left:
            return (ConcreteTensor(variable.sort, (), (_zero(variable.sort),)),)
        return self._members(variable)

    def _output(self, variable: Variable) -> ConcreteTensor | None:
        """The value of an output; None where it is not asked for."""
        entry = self._left.pop(variable.name, None)
        if entry is None:
            return None
        if isinstance(entry.value, s.NotAsked | s.NotGiven):
            if variable.name in self._meaning.asked or not self._example.has_outputs:
                return None
            raise SpecificationError(f"the output `{entry.name}` is not optional", entry.span, "write its value")
        return _tensor(variable, entry)

    def _length(self, variable: Variable, made: dict[str, Concrete]) -> int:
        """The last number of a family, by the members that there are."""
        symbol, found = variable.symbol(""), dict[str, int]()
        for family in self._meaning.given:
            members = made.get(family.name)
            if family.count is not None and isinstance(members, tuple) and symbol in _symbols(family.count):
                # The count is the length and a number: with a length of 0 it is that number.
                found[family.name] = len(members) - int(evaluate(family.count, {symbol: 0}))
        if len(set(found.values())) > 1:
            raise SpecificationError(
                f"{' and '.join(f'`{name}`' for name in found)} do not have one length `{variable.name}`",
                self._example.span,
                "write as many of each",
            )
        return next(iter(found.values()), 0)

    # ------------------------------------------------------------------------------------------------------- mistakes

    def _lacking(self, what: str, cure: str, entry: s.Entry | None = None) -> SpecificationError:
        span = self._example.span if entry is None else entry.span
        return SpecificationError(f"example `{self._example.name}` does not give {what}", span, cure)

    def _refuse_others(self) -> None:
        for name, entry in self._left.items():
            declared = [v for v in self._meaning.variables if v.role not in (VariableRole.ASKED, VariableRole.LENGTH)]
            known = [f"{v.name}{v.base}" if _is_family(v) else v.name for v in declared]
            found = near(name, known)
            cure = f"did you mean `{found}`?" if found else f"its names: {', '.join(known)}"
            for family in filter(_is_family, declared):
                if name.startswith(family.name) and (name == family.name or name[len(family.name) :].isdigit()):
                    cure = f"write `{family.name}{family.base}`, `{family.name}{family.base + 1}`, without a gap"
            whose = self._meaning.file.name
            raise SpecificationError(f"`{name}` is not an input, attribute or output of {whose}", entry.span, cure)


def _is_family(variable: Variable) -> bool:
    """Return whether a variable is given member by member, as X0 and X1: a list of numbers is one value."""
    return variable.kind is VariableKind.TENSOR and variable.count is not None


def _symbols(term: Term) -> set[object]:
    return {node.payload for node in subterms(term) if node.op == ops.APPLY}


def _tensor(variable: Variable, entry: s.Entry) -> ConcreteTensor:
    if not isinstance(entry.value, s.TensorValue):
        sort = variable.sort.name
        raise SpecificationError(
            f"`{entry.name}` is a tensor", entry.span, f"write `{entry.name} = {sort} (...) [...]`"
        )
    return tensor_of(entry.value, variable.sort, variable.facts, entry.span)


def _plain(variable: Variable, entry: s.Entry) -> Concrete:
    """The value of an attribute. A float is printed with its type: `alpha = float 0.5`."""
    match entry.value:
        case s.PlainValue(data=data):
            return _read(variable, data, entry)
        case s.TensorValue(type=kind, sizes=None, data=data, lacks=()) if kind == variable.sort.name:
            return _read(variable, data, entry)
        case _:
            raise SpecificationError(
                f"`{entry.name}` is an attribute, not a tensor", entry.span, "write a number, a list or a text"
            )


def _read(variable: Variable, data: s.Datum | s.DatumList, entry: s.Entry) -> Concrete:
    if variable.count is not None:
        return list_of(data, variable.sort, entry.span)
    return element_of(data, variable.sort, entry.span)


def _zero(sort: Sort) -> object:
    """An element for an output that nobody asks for: nothing is said of it, and it needs a value all the same."""
    if isinstance(sort, FloatSort):
        return floats.zero(sort)
    if sort == REAL:
        return Fraction(0)
    return False if sort == BOOL else 0
