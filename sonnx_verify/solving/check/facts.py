"""The facts that a proof along a hint rests on: which formulas, and what each of them is instantiated on. Not trusted.

The formulas are cut into their conjuncts, and expanded with the steps of the hint. z3 says which of the assertions it
needs, and each is followed back to the step that made it:

    for all k in 0 .. n : X.size(k) = 1       a fact, with k = 0: the instance that the proof needs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sonnx_verify.interpreter import TooLarge
from sonnx_verify.logic.choices import Choice, Step, digest_of
from sonnx_verify.logic.generalise import generalised
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.smtlib import script
from sonnx_verify.logic.terms import Term, conjuncts, subterms
from sonnx_verify.logic.witness import Expansion
from sonnx_verify.obligations.obligation import Claim
from sonnx_verify.solving.check.hints import ANY_GENERATION, Formulas, Hint
from sonnx_verify.solving.check.readings import read
from sonnx_verify.solving.solvers.z3_core import core

_FOLDS = (Op.FOLD, Op.FOLD_INDEX, Op.RECURSION, Op.STATE)
_LIMIT = 5000
"""The number of assertions up to which a proof is followed."""


class Role(StrEnum):
    """The part that a formula plays in a claim."""

    LEMMA = "lemma"  # a theorem that the proof uses
    HYPOTHESIS = "hypothesis"
    DENIED = "denied"  # a part of what would be so if the claim failed


@dataclass(frozen=True, slots=True)
class Part:
    """A conjunct of a formula of a claim. `term` says it as the claim does, `asked` as the hint has it expanded, where
    parts of it may be free functions."""

    term: Term
    asked: Term
    role: Role
    whole: Term
    """The formula that it is a conjunct of, as it is expanded."""


@dataclass(frozen=True, slots=True)
class Used:
    """A step that a proof takes, on some terms: of an instance the binder, and the name for its variable."""

    step: Step
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """An assertion that no formula makes: what is known of sums, counts and the like, of conversions, of indices."""

    assertion: Term
    folds: tuple[Term, ...]
    """The folds and recursions in it."""


@dataclass(slots=True)
class Fact:
    """A part of a claim, with what it is instantiated on."""

    part: Part
    used: list[Used] = field(default_factory=list)


@dataclass(slots=True)
class Facts:
    """The needs of a proof: facts, other steps, rules, and the constants in them with what they were made for."""

    facts: list[Fact]
    steps: list[Used]
    rules: list[Rule]
    constants: dict[Term, tuple[Term, ...]]
    values: dict[Term, Term]
    """The binder that a constant is the value of: of a quantifier its truth."""
    parts: int
    """The number of parts of the claim."""


@dataclass(slots=True)
class Followed(Choice):
    """Takes the steps of some digests, and the formulas that are cut out of them; notes which step made what."""

    digests: frozenset[str]
    wholes: Mapping[Term, Term] = field(default_factory=dict)
    """The formula that each conjunct is cut out of."""
    steps: list[Used] = field(default_factory=list)
    origins: dict[Term, tuple[Term, ...]] = field(default_factory=dict)
    births: dict[Term, int] = field(default_factory=dict)

    is_narrow = True

    @property
    def number(self) -> int:
        return len(self.steps)

    def takes(self, step: Step, *terms: Term) -> bool:
        said = terms
        if step is Step.FORMULA:
            said = tuple(self.wholes.get(term, term) for term in terms)
        if digest_of(step, said) not in self.digests:
            return False
        self.steps.append(Used(step, terms))
        return True

    def born(self, constant: Term, *origin: Term) -> None:
        self.origins[constant] = origin
        self.births[constant] = len(self.steps)


def facts_of(claim: Claim, asked: Formulas, hint: Hint, budget: int) -> Facts | None:
    """The needs of the proof of a claim along a hint; None where the hint does not fit. Where z3 does not find out
    within the budget, that is all that the hint has."""
    expanded = _expanded(asked, hint)
    if expanded is None:
        return None
    parts = _parts_of(claim, asked, expanded)
    followed = Followed(frozenset(hint.steps), {part.asked: part.whole for part in reversed(parts)})
    made = _Made.of(list(dict.fromkeys(part.asked for part in parts)), asked, hint, followed)
    if made is None:
        return None
    numbers = core(script(made.asserted), budget)
    needed = made.ground
    if numbers is not None:
        needed = [made.ground[n] for n in numbers if n < len(made.ground)]
    return _Facts(parts, followed, made.expansion).of(needed)


@dataclass(frozen=True, slots=True)
class Described:
    """A query along a hint: its text, the step that made each of its assertions, None where none did, and the role of
    each formula that is told."""

    text: str
    steps: tuple[Used | None, ...]
    roles: Mapping[Term, Role]
    formulas: int
    """The number of formulas of the claim."""


def described(claim: Claim, asked: Formulas, hint: Hint) -> Described | None:
    """The query that is asked of a claim along a hint; None where the hint does not fit."""
    expanded = _expanded(asked, hint)
    if expanded is None:
        return None
    followed = Followed(frozenset(hint.steps))
    made = _Made.of(expanded, asked, hint, followed)
    if made is None:
        return None
    numbers = [made.expansion.made.get(assertion, 0) for assertion in made.ground]
    numbers += [0] * (len(made.asserted) - len(made.ground))
    steps = tuple(followed.steps[number - 1] if number else None for number in numbers)
    roles = dict(reversed(list(zip(expanded, _roles(claim), strict=True))))
    return Described(script(made.asserted), steps, roles, len(expanded))


def _expanded(asked: Formulas, hint: Hint) -> Sequence[Term] | None:
    """The formulas of a claim as a hint has them expanded; None where it does not fit."""
    if hint.way.parts is None:
        return asked.formulas
    made = generalised(asked.formulas, hint.way.parts)
    return None if made is None else made.formulas


def _roles(claim: Claim) -> list[Role]:
    """The roles of the formulas of a claim."""
    return [Role.LEMMA] * len(claim.lemmas) + [Role.HYPOTHESIS] * len(claim.hypotheses) + [Role.DENIED]


def _parts_of(claim: Claim, asked: Formulas, expanded: Sequence[Term]) -> list[Part]:
    """The conjuncts of the formulas of a claim."""
    found = []
    for formula, whole, role in zip(asked.formulas, expanded, _roles(claim), strict=True):
        said, told = conjuncts(formula), conjuncts(whole)
        if len(said) != len(told):
            said, told = (formula,), (whole,)
        found += [Part(one, other, role, whole) for one, other in zip(said, told, strict=True)]
    return found


@dataclass(frozen=True, slots=True)
class _Made:
    """Formulas that were expanded: ground assertions, and what is asserted of them."""

    expansion: Expansion
    ground: list[Term]
    asserted: list[Term]

    @classmethod
    def of(cls, formulas: Sequence[Term], asked: Formulas, hint: Hint, followed: Followed) -> _Made | None:
        """Expand formulas along a hint; None where that makes too many assertions."""
        effort = replace(hint.way.effort, generation=ANY_GENERATION, limit=_LIMIT, recurrence=asked.recurrence)
        expansion = Expansion(effort, asked.taken, followed)
        try:
            ground = expansion.run(list(formulas))
        except TooLarge:
            return None
        return cls(expansion, ground, read(ground, hint.way.reading))


class _Facts:
    """Follows assertions back to the parts of a claim."""

    def __init__(self, parts: Sequence[Part], followed: Followed, expansion: Expansion) -> None:
        self._followed, self._made = followed, expansion.made
        self._values = {constant: term for term, constant in expansion.constants.items()}
        self._facts: dict[int, Fact] = {}
        self._parts = {part.asked: part for part in reversed(parts)}
        self._count = len(parts)
        self._last = {number: assertion for assertion, number in self._made.items()}
        self._met: dict[Term, int] = {}
        """The step at which a binder was met first: its constant was made then."""
        for constant, term in self._values.items():
            if constant in followed.births:
                self._met[term] = followed.births[constant]

    def of(self, needed: Sequence[Term]) -> Facts:
        """The origins of the assertions, in the order of the steps."""
        numbers: set[int] = set()
        rules = []
        for assertion in needed:
            number = self._made.get(assertion, 0)
            # What a step says comes last: before it stand the meanings of the constants that it brings up.
            if number and assertion is self._last[number]:
                numbers.add(number)
            elif not self._names(assertion):
                rules.append(Rule(assertion, self._folds(assertion)))
        steps = []
        for number in sorted(numbers):
            used = self._followed.steps[number - 1]
            root = self._root(number)
            if used.step is Step.FORMULA:
                self._fact(number)
            elif used.step is Step.INSTANCE and root:
                self._fact(root).used.append(used)
            else:
                steps.append(used)
        constants = dict(self._constants(needed))
        facts = [self._facts[n] for n in sorted(self._facts)]
        return Facts(facts, steps, rules, constants, self._values, self._count)

    def _names(self, assertion: Term) -> bool:
        """Return whether an assertion only names what breaks a quantifier: "it is true, or this one breaks it"."""
        if assertion.op is not Op.OR:
            return False
        flags = {self._values[part] for part in assertion.args if part in self._values}
        witnesses = (self._followed.origins.get(part, ()) for part in subterms(assertion))
        return any(len(origin) == 1 and origin[0] in flags for origin in witnesses)

    def _folds(self, assertion: Term) -> tuple[Term, ...]:
        """The folds and recursions of which an assertion speaks."""
        values = (self._values.get(part) for part in subterms(assertion))
        return tuple(dict.fromkeys(value for value in values if value is not None and value.op in _FOLDS))

    def _fact(self, number: int) -> Fact:
        """The fact that a step told."""
        (term,) = self._followed.steps[number - 1].terms
        return self._facts.setdefault(number, Fact(self._parts[term]))

    def _root(self, number: int) -> int:
        """The step that told the formula in which the binder of an instance stood, if one did; else 0."""
        seen: set[int] = set()
        while number and number not in seen:
            seen.add(number)
            used = self._followed.steps[number - 1]
            if used.step is Step.FORMULA:
                return number
            if used.step is not Step.INSTANCE:
                return 0
            number = self._met.get(used.terms[0], 0)
        return 0

    def _constants(self, needed: Sequence[Term]) -> Iterator[tuple[Term, tuple[Term, ...]]]:
        """The constants in assertions, and in what they were made for."""
        todo, seen = list(needed), set()
        while todo:
            term = todo.pop()
            if term in seen:
                continue
            seen.add(term)
            todo += term.args
            if term in self._followed.origins:
                yield term, self._followed.origins[term]
                todo += self._followed.origins[term]
