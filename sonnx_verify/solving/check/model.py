"""The model that a solver has of what is not proved, for the reader of a `candidate`.

Not trusted, and not run: to a solver quantifiers hold of what it was told only, so it may be no input at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sonnx_verify.kernel.variables import SHOWN_BY_OTHERS, Part, Variable, VariableKind
from sonnx_verify.logic.builders import eq, ite, le, lt
from sonnx_verify.logic.effort import LADDER
from sonnx_verify.logic.model_reader import read_value, read_values
from sonnx_verify.logic.polynomials import scale
from sonnx_verify.logic.smtlib import script, symbol_text
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import ZERO, Symbol, Term, apply, integer, subterms
from sonnx_verify.logic.verdict import Verdict, VerdictName
from sonnx_verify.results.values import shape_text
from sonnx_verify.solving.check.forms import Form, Ladder
from sonnx_verify.solving.check.proof import Proof, formulas_of
from sonnx_verify.solving.check.work import Work, parts_of
from sonnx_verify.solving.inputs.inputs import SHAPED
from sonnx_verify.solving.solvers import Solvers

_AXES = 8
"""The axes whose sizes are told."""


def left_open(work: Work, proof: Proof, verdict: Verdict, looked_for: str, solvers: Solvers) -> str:
    """The note on a proof that is not complete: what is not shown, what was looked for, and the model of a solver."""
    notes = [_not_shown(work, proof), looked_for]
    if verdict.name == VerdictName.CANDIDATE and (model := model_text(proof, work.last().variables, solvers)):
        notes.append(f"a solver's model of what is not shown, not evaluated: {model}")
    return "; ".join(note for note in notes if note)


def _not_shown(work: Work, proof: Proof) -> str:
    """The claims that are left, as far as they are those of the last statement that was asked."""
    parts = parts_of(work.last())
    if not parts or not proof.open():
        return ""
    # The claims of several types stand one behind the other in a proof.
    left = dict.fromkeys(parts[n % len(parts)].what for n in proof.open())
    return "not shown: " + "; ".join(left)


def model_text(proof: Proof, variables: Sequence[Variable], solvers: Solvers) -> str:
    """The ranks, sizes and numbers of a solver's model of the first claim that it has one of, as a person writes them;
    "" where it has none of it."""
    for n in proof.open():
        if Status.SAT in proof.last[n].values():
            form = _last_form(proof, n)
            return "" if form is None else ", ".join(_told(form, variables, solvers))
    return ""


def _last_form(proof: Proof, n: int) -> Form | None:
    """The form in which a claim was asked last."""
    asked = formulas_of(proof.claims[n])
    forms = Ladder(asked.formulas, asked.taken).forms(LADDER[-1])
    last, stage = None, 0
    while (form := forms.at(stage)) is not None:
        last, stage = form, stage + 1
    return last


def _told(form: Form, variables: Sequence[Variable], solvers: Solvers) -> Iterator[str]:
    known = {node.payload for node in subterms(*form.assertions)}
    wanted: dict[str, Term] = {}
    for variable in variables:
        # Members of a family, and lists, are too many to be told.
        if variable.count is None and variable.role not in SHOWN_BY_OTHERS:
            wanted |= {name: term for name, term in _parts(variable) if term.payload in known}
    values = _values(form, wanted, solvers)
    for variable in variables:
        if f"{variable.name}.rank" in values:
            rank = values[f"{variable.name}.rank"]
            yield f"rank({variable.name}) = {rank}"
            sizes = [values.get(f"{variable.name}.dim{k}", 0) for k in range(rank)] if rank <= _AXES else []
            if sizes:
                # Axes are counted from the right in the logic.
                yield f"{variable.name}.shape = {shape_text(sizes[::-1])}"
        elif variable.name in values:
            yield f"{variable.name} = {values[variable.name]}"


def _parts(variable: Variable) -> Iterator[tuple[str, Term]]:
    """The description of a variable: names, and terms that are integers."""
    if variable.kind in SHAPED:
        yield f"{variable.name}.rank", apply(variable.symbol(Part.RANK))
        if variable.kind is not VariableKind.INDEX:
            for k in range(_AXES):
                yield f"{variable.name}.dim{k}", apply(variable.symbol(Part.DIM), integer(k))
    elif variable.kind is VariableKind.INT:
        yield variable.name, apply(variable.symbol(Part.ITSELF))


def _values(form: Form, wanted: dict[str, Term], solvers: Solvers) -> dict[str, int]:
    """The values of the terms in the model of one solver, each in turn as near to 0 as can be; empty where it has
    none."""
    if not wanted:
        return {}
    named = {name: Symbol(f"told#{n}", (), INT)() for n, name in enumerate(wanted)}  # names that no text can give
    sizes = {name: Symbol(f"size#{n}", (), INT)() for n, name in enumerate(wanted)}
    same = [eq(named[name], term) for name, term in wanted.items()]
    # Of what is not given nothing is said: a rank below 0 would be no model of anything.
    same += [le(ZERO, term) for name, term in wanted.items() if "." in name]
    same += [eq(sizes[name], ite(lt(term, ZERO), scale(-1, term), term)) for name, term in wanted.items()]
    names = {_name(constant): name for name, constant in named.items()}
    text = script([*form.assertions, *same])
    least = tuple(_name(constant) for constant in sizes.values())
    query = solvers.submit(text, want=tuple(names), names=solvers.names[:1], least=least)
    answer = next(iter(query.result().values()), None)
    if answer is None or answer.status is not Status.SAT:
        return {}
    found: dict[str, int] = {}
    for name, tree in read_values(answer.model):
        value = read_value(tree, INT)
        assert isinstance(value, int)
        found[names[name]] = value
    return found


def _name(constant: Term) -> str:
    assert isinstance(constant.payload, Symbol)
    return symbol_text(constant.payload)
