"""An implementation compared with its specification, for all element values, at every shape up to a bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sonnx_verify.arrays.partial.walk import Open
from sonnx_verify.conformance.proofs.claims import Assertions, Claim, Wanted, claims_of, renamed, wanted
from sonnx_verify.conformance.proofs.instances import Bound, Instance, instances
from sonnx_verify.conformance.proofs.paths import explore
from sonnx_verify.conformance.proofs.refuter import Difference, Refuter, filled, simple_values
from sonnx_verify.conformance.proofs.subject import Subject, is_free, real_inputs, spread, state, symbolic
from sonnx_verify.conformance.symbolic.trace import Unsupported
from sonnx_verify.conformance.targets.calls import results_in
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.logic.evaluator_values import Undefined
from sonnx_verify.logic.model_reader import read_value, read_values
from sonnx_verify.logic.smtlib import script, symbol_text
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.terms import Symbol, Term, and_, eq, implies, not_, or_, substitute
from sonnx_verify.logic.verdict import Verdict, VerdictName, all_unsat, proved, refuted, undecided
from sonnx_verify.results.concrete import numel
from sonnx_verify.solving.inputs.inputs import interpretation
from sonnx_verify.solving.solvers import Query, Solvers
from sonnx_verify.timeouts import OutOfTime, ending_after

MOST_RUNS = 4096
"""The number of ways through the code that are followed for one instance."""
_WINDOW = 24
"""The number of instances that are asked about before the answers to the first are waited for."""
_MOST_OPEN = 12
"""The number of instances neither shown nor refuted after which the rest is left."""


@dataclass(slots=True)
class Proof:
    """The result for one implementation and one element type."""

    type: str
    verdict: Verdict
    instances: int = 0
    queries: int = 0
    rules: set[str] = field(default_factory=set)
    difference: Difference | None = None
    open: list[str] = field(default_factory=list)
    """The claims that were not shown, with the inputs they are about."""


@dataclass(slots=True)
class _Asked:
    instance: Instance
    results: Sequence[Wanted]
    claims: Sequence[tuple[Claim, Query]]


class Prover:
    """Proves or refutes that one implementation is equal to one section of a specification."""

    def __init__(self, meaning: Meaning, subject: Subject, solvers: Solvers, bound: Bound) -> None:
        subject = replace(subject, several=meaning.several_outputs)
        self._meaning, self._subject, self._solvers, self._bound = meaning, subject, solvers, bound
        self._refuter = Refuter(meaning, subject)
        self._answers: list[dict[str, Status]] = []
        self._orders: dict[Term, bool] = {}
        self._proof = Proof(meaning.context.element.name, undecided(VerdictName.UNKNOWN, "nothing was asked"))

    def run(self, only: Iterable[Instance] | None = None) -> Proof:
        """The answer for all instances within the bound, or the given ones, in the order of smallness."""
        proof = self._proof
        try:
            todo = list(instances(self._meaning, self._bound) if only is None else only)
            with ending_after(self._solvers.seconds):
                for asked in _ahead(self._asked(i) for i in todo):
                    proof.instances += 1
                    self._decide(asked)
                    if proof.difference is not None or len(proof.open) >= _MOST_OPEN:
                        break
            proof.verdict = self._verdict(todo)
        except (Unsupported, Open, Undefined) as problem:
            proof.verdict = undecided(VerdictName.UNSUPPORTED, str(problem))
        except OutOfTime as problem:
            self._solvers.give_up()
            proof.verdict = undecided(VerdictName.UNKNOWN, str(problem))
        return proof

    def _verdict(self, todo: Sequence[Instance]) -> Verdict:
        proof = self._proof
        if proof.difference is not None:
            facts = interpretation(self._meaning.given, proof.difference.known)
            return refuted([self._meaning.valid], facts, proof.difference.what)
        # Of no inputs everything is true: that is no proof.
        if not todo:
            return undecided(VerdictName.UNKNOWN, "no valid input is within the bound")
        # A claim about all elements is one about no element where every input is empty.
        shapes = [shape for instance in todo for shape in instance.shapes]
        if shapes and not any(map(numel, shapes)):
            return undecided(VerdictName.UNKNOWN, "no input within the bound has an element")
        if proof.open:
            return undecided(VerdictName.UNKNOWN, proof.open[0])
        # A proof needs an input: under hypotheses that nothing meets every claim is unsatisfiable.
        known = filled(todo[0].known, lambda name, sort: simple_values(sort)[0])
        witness = interpretation(self._meaning.given, known)
        return proved(self._answers, [self._meaning.valid], witness)

    def _asked(self, instance: Instance) -> _Asked:
        results = wanted(self._meaning, instance)
        inputs, _ = spread(self._meaning.given, instance.known)
        # Only tensors with free elements are symbolic: a list of axes is a real array, as its value is known.
        free = [n for n, i in enumerate(inputs) if is_free(i)]

        def call(arrays: Sequence[Any]) -> Any:
            # What is known is made anew for each run: what one writes to it, no other is to read.
            attributes = spread(self._meaning.given, instance.known)[1]
            given = real_inputs([None if n in free else i for n, i in enumerate(inputs)])
            before = [state(i) for i in given]
            for n, array in zip(free, arrays, strict=True):
                given[n] = array
            made = self._subject.call(*given, **attributes)
            changed = [n for n, held in enumerate(before) if n not in free and state(given[n]) != held]
            if changed:
                raise ValueError(f"changes its input {changed[0]}")
            return results_in(made, several=self._subject.several)

        explored = explore(call, lambda: [symbolic(inputs[n]) for n in free], self._subject.module, MOST_RUNS)
        claims = [(c, self._submit(c.wider.terms)) for c in claims_of(explored, results, self._is_total)]
        return _Asked(instance, results, claims)

    def _decide(self, asked: _Asked) -> None:
        """Show every claim of the instance to be unsatisfiable; else look for a difference, or note what is open."""
        failed: list[tuple[Claim, dict[str, Status]]] = []
        for claim, query in asked.claims:
            self._proof.queries += 1
            shown, answers = self._answered(claim, query)
            if all_unsat([answers]):
                self._answers.append(answers)
                self._proof.rules |= shown.rules
            else:
                failed.append((claim, answers))
        if failed:
            self._look(asked, *failed[0])
            return
        # Code that tells symbolic arrays from real ones was proved of the symbolic ones alone.
        found = self._refuter.sampled(asked.instance, asked.results)
        if found is not None:
            found = self._refuter.search(asked.instance, asked.results, {}) or found
        self._proof.difference = found

    def _answered(self, claim: Claim, query: Query) -> tuple[Assertions, dict[str, Status]]:
        """The answers to a claim, with the assertions that they are about: the wider ones, which follow from it, or
        where these can be satisfied all of it."""
        answers = _statuses(query)
        if all_unsat([answers]):
            return claim.wider, answers
        whole = claim.whole()
        if whole == claim.wider:
            return whole, answers
        return whole, _statuses(self._submit(whole.terms))

    def _look(self, asked: _Asked, claim: Claim, answers: dict[str, Status]) -> None:
        """Look for a difference where a claim was not shown; note that it is open where there is none."""
        # `sat` of a claim is no refutation: numpy may leave the result open, or a rule may say too little.
        model: dict[str, Any] = {}
        if Status.SAT in answers.values():
            model = self._model(claim)
        self._proof.difference = self._refuter.search(asked.instance, asked.results, model)
        if self._proof.difference is None:
            shapes = ", ".join(str(list(shape)) for shape in asked.instance.shapes)
            self._proof.open.append(f"{_said(answers)} whether {claim.what}, for inputs of the shapes {shapes}")

    def _is_total(self, order: Term, x: Term, y: Term) -> bool:
        """Return whether both solvers find the laws of a total order: by these laws a greatest element is one alone."""
        found = self._orders.get(order)
        if found is None:
            a, b, c = (Symbol(name, (), x.sort)() for name in "abc")

            def before(first: Term, second: Term) -> Term:
                return substitute(order, {x: first, y: second})

            # Any two are in order, two that are so both ways are one, and it is transitive: so an element that all
            # others are before is the only one. `<=` on floats is none, since no NaN is before any number.
            laws = [
                or_(before(a, b), before(b, a)),
                implies(and_(before(a, b), before(b, a)), eq(a, b)),
                implies(and_(before(a, b), before(b, c)), before(a, c)),
            ]
            queries = [self._submit([not_(law)]) for law in laws]
            answers = [_statuses(query) for query in queries]
            found = self._orders[order] = all_unsat(answers)
            # Of another order nothing is assumed, and the proof does not rest on its answers.
            if found:
                self._answers += answers
        return found

    def _submit(self, assertions: Sequence[Term]) -> Query:
        return self._solvers.submit(script(renamed(assertions)[0]))

    def _model(self, claim: Claim) -> dict[str, Any]:
        """Values of the free elements that satisfy a claim, where a solver names them."""
        assertions, names = renamed(claim.whole().terms)
        want = tuple(symbol_text(Symbol(name, (), s.result)) for name, s in names.items())
        # One solver is enough: what it says is run on the real code, and believed only then.
        query = self._solvers.submit(script(assertions), want=want, names=self._solvers.names[:1])
        (answer,) = query.result().values()
        found: dict[str, Any] = {}
        by_text = {symbol_text(Symbol(name, (), s.result)): s for name, s in names.items()}
        if answer.status != Status.SAT:
            return found
        for text, tree in read_values(answer.model):
            symbol = by_text.get(text)
            if symbol is not None:
                found[symbol.name] = read_value(tree, symbol.result)
        return found


def _statuses(query: Query) -> dict[str, Status]:
    return {name: answer.status for name, answer in query.result().items()}


def _said(answers: Mapping[str, Status]) -> str:
    if Status.SAT in answers.values():
        # What the solvers found was run, and was right: numpy may leave open what it did.
        return "it may depend on behaviour that numpy leaves open"
    return f"not decided ({', '.join(f'{name} says {status}' for name, status in answers.items())})"


def _ahead(asked: Iterator[_Asked]) -> Iterator[_Asked]:
    """The same, with some more asked already: solvers work while the next ones are made. An instance that is not
    supported is told when those before it have been looked at: code may have shown by then that it is wrong."""
    waiting: list[_Asked] = []
    refused: Unsupported | Open | Undefined | None = None
    more = True
    while more or waiting:
        while more and len(waiting) < _WINDOW:
            try:
                waiting.append(next(asked))
            except StopIteration:
                more = False
            except (Unsupported, Open, Undefined) as problem:
                refused, more = problem, False
        if waiting:
            yield waiting.pop(0)
    if refused is not None:
        raise refused
