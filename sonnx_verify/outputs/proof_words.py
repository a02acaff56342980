"""The support of a proof, in the words of texts: for each claim the facts that it needs, and what they are tried on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from sonnx_verify.authoring.explain.binders import Binders
from sonnx_verify.authoring.explain.proof import Followed, OnType
from sonnx_verify.authoring.explain.sources import Places, Source, Sources
from sonnx_verify.language.project import Project
from sonnx_verify.logic.choices import Step
from sonnx_verify.logic.nodes import FoldKind
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.terms import FALSE, Term
from sonnx_verify.outputs.notation import Notation
from sonnx_verify.outputs.wording import rule_text
from sonnx_verify.results.voice import Voices
from sonnx_verify.solving.check.facts import Fact, Facts, Role, Rule, Used

_FOLDS = (Op.FOLD, Op.FOLD_INDEX)


@dataclass(frozen=True, slots=True)
class Instance:
    """A binder of a fact, and the term that the proof puts for its variable. `source` is where the binder stands, if
    that is known."""

    variable: str
    term: str
    binder: str
    source: Source | None


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact in words. `sources` are the places that say it, or, where it `denies`, the opposite; several may say the
    same."""

    role: Role
    formula: str
    denies: bool
    sources: tuple[Source, ...]
    instances: tuple[Instance, ...]


@dataclass(frozen=True, slots=True)
class ToldClaim:
    """A claim in words: the voices that proved it, and the facts, the rules and the names that its proof needs; None
    of what nothing is known."""

    what: str
    voices: Voices
    hint: bool
    by_form: bool
    """True where the claim is true as its terms are built."""
    parts: int
    facts: tuple[ToldFact, ...] | None
    rules: tuple[str, ...]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ToldProof:
    """A proof on some types, and the orders that have to be total for it."""

    types: tuple[str, ...]
    orders: tuple[str, ...]
    claims: tuple[ToldClaim, ...]


class Teller:
    """Tells proofs in the words of texts."""

    def __init__(self, project: Project, places: Places) -> None:
        self._sources, self._texts = Sources.of_project(project, places), Binders.of_texts(places)

    def proofs(self, made: Sequence[OnType], file: str) -> list[ToldProof]:
        """The proofs of a statement of a file on some types, those together that say the same."""
        found: dict[bytes, ToldProof] = {}
        for one in made:
            sources = self._sources.for_statement(file, one.places)
            claims = tuple(self._claim(one, followed, sources) for followed in one.claims)
            told = ToldProof(tuple(sort.name for sort in one.types), one.orders, claims)
            key = msgspec.json.encode(claims)
            same = found.get(key)
            if same is not None:
                told = replace(told, types=(*same.types, *told.types))
            found[key] = told
        return list(found.values())

    def _claim(self, on: OnType, followed: Followed, sources: Sources) -> ToldClaim:
        claim, facts, voices = followed.claim, followed.facts, followed.voices
        if facts is None:
            return ToldClaim(claim.what, voices, followed.kept, by_form=False, parts=0, facts=None, rules=(), names={})
        return _Claim(sources, self._binders(facts), on, facts).told(claim.what, voices, kept=followed.kept)

    def _binders(self, facts: Facts) -> Binders:
        tried = [(used.terms[0], used.terms[1]) for used in _instances(facts)]
        tried += [(origin[0], constant) for constant, origin in facts.constants.items() if len(origin) == 1]
        return self._texts.with_instances(tried)


class _Claim:
    """Tells one claim."""

    def __init__(self, sources: Sources, binders: Binders, on: OnType, facts: Facts) -> None:
        self._sources, self._binders, self._facts = sources, binders, facts
        self._notation = Notation(on.statement.variables, self._name, facts.values, facts.constants)

    def _name(self, term: Term) -> str | None:
        binder = self._binders.of(term)
        return None if binder is None else binder.name

    def told(self, what: str, voices: Voices, *, kept: bool) -> ToldClaim:
        """The claim in words."""
        facts = self._facts
        by_form = any(fact.part.term is FALSE for fact in facts.facts)
        told = tuple(self._fact(fact) for fact in facts.facts if not by_form)
        rules = [self._rule(rule) for rule in facts.rules] + [rule_text(used, self._notation) for used in facts.steps]
        return ToldClaim(
            what, voices, kept, by_form, facts.parts, told, tuple(dict.fromkeys(rules)), dict(self._names())
        )

    def _fact(self, fact: Fact) -> ToldFact:
        term, sources = fact.part.term, []
        if fact.part.role is not Role.DENIED:
            sources = self._sources.of(term)
        denies = not sources
        if denies:
            sources = self._sources.of_denied(term)
        instances = tuple(self._instance(used) for used in fact.used)
        return ToldFact(fact.part.role, self._notation.text(term), denies, tuple(sources), instances)

    def _instance(self, used: Used) -> Instance:
        binder, name = used.terms
        known = self._binders.of(binder)
        text = self._notation.text(binder)
        if known is None:
            return Instance(self._notation.variable(binder), self._notation.text(name), text, None)
        return Instance(known.name, self._notation.text(name), text, self._sources.at(known.place))

    def _rule(self, rule: Rule) -> str:
        """The facts of the constants of a query, by the kinds of the folds in it."""
        kinds = dict.fromkeys(_kind(fold) for fold in rule.folds)
        about = f"of {' and '.join(kinds)}: " if kinds else ""
        return f"{about}{self._notation.text(rule.assertion)}"

    def _names(self) -> Iterator[tuple[str, str]]:
        """The names that were made up, each with what it is a name for."""
        told: set[Term] = set()
        # To say what a name is for may need others.
        while rest := [constant for constant in self._notation.made if constant not in told]:
            for constant in rest:
                told.add(constant)
                origin = self._facts.constants[constant]
                yield self._notation.made[constant], self._meaning(constant, origin)

    def _meaning(self, constant: Term, origin: tuple[Term, ...]) -> str:
        first, *others = (self._notation.text(term) for term in origin)
        if others:
            return f"where these differ: {first} and {', '.join(others)}"
        known = self._binders.of(origin[0])
        if known is not None:
            source = self._sources.at(known.place)
            first = f"{source.text} ({source.file}:{source.line})"
        if origin[0].op in _FOLDS and constant.sort.name == "bool":
            return f"whether there is a member of {first}"
        if origin[0].op in _FOLDS:
            return f"a member of {first}"
        return f"one that breaks {first}"


def _kind(fold: Term) -> str:
    """The word for a fold or a recursion."""
    if isinstance(fold.payload, FoldKind):
        return str(fold.payload.name)
    return str(fold.op)


def _instances(facts: Facts) -> Iterator[Used]:
    for fact in facts.facts:
        yield from fact.used
    for used in facts.steps:
        if used.step is Step.INSTANCE:
            yield used
