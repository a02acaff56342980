"""The named-witness rule: closed formulas with binders to ground formulas that a solver decides. Trusted.

Quantifiers and folds are instantiated on the names that occur in the argument positions in which their variables stand.
Every formula added follows from the meaning of the binders, whatever names are used, so `unsat` is sound at every
generation. `sat` only says that these names did not suffice, or that there is a counterexample to look for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sonnx_verify.logic import conversions
from sonnx_verify.logic import operators as ops
from sonnx_verify.logic.binders import at, substitute
from sonnx_verify.logic.builders import eq, not_, or_
from sonnx_verify.logic.choices import EVERY, Choice, Step
from sonnx_verify.logic.effort import Effort
from sonnx_verify.logic.fold_equality import FoldEquality
from sonnx_verify.logic.fold_rules import FoldRules
from sonnx_verify.logic.grounding import Grounder
from sonnx_verify.logic.instances import bound_variable, instance, written_out
from sonnx_verify.logic.names import NEVER, Context, Place
from sonnx_verify.logic.nodes import ONE, ZERO, Term
from sonnx_verify.logic.polynomials import sub
from sonnx_verify.logic.proposals import Proposals
from sonnx_verify.logic.sorts import INDEX, INT
from sonnx_verify.logic.taken import Taken

_NO_READ = (Place.AXIS, Place.OWNER, Place.SAME)


class Expansion:
    """The ground assertions of some closed formulas, at one effort."""

    def __init__(self, effort: Effort, taken: Sequence[Taken] = (), choice: Choice = EVERY) -> None:
        self._grounder = Grounder(effort, choice)
        self._choice = choice
        self._rules = FoldRules(self._grounder)
        self._folds = FoldEquality(self._grounder, self._rules)
        self._indices = Extensionality(self._grounder)
        self._proposals = Proposals(self._grounder)
        self.effort = effort
        self._taken = taken
        self._tried: set[tuple[int, tuple[Term, ...]]] = set()

    def run(self, formulas: list[Term]) -> list[Term]:
        """The ground assertions. Raises TooLarge."""
        base = Context(0, instantiated=False)
        for formula in formulas:
            if self._choice.takes(Step.FORMULA, formula):
                self._grounder.tell(formula, base)
        # The dear rules wait until the cheap ones have nothing more to say: instances name what is then unfolded, and
        # indices and folds are compared when all of them are known. Any order is sound; this one asserts least.
        changed = True
        while changed:
            taken = self._take()
            changed = self._instantiate() or taken
            if not changed:
                changed = self._rules.unfold()
            if not changed:
                changed = self._equalities()
        made = list(self.made)
        if self._grounder.converts:
            # Facts that name nothing: they wait until all that they can be about is there.
            made += conversions.facts(made)
        return made

    @property
    def made(self) -> Mapping[Term, int]:
        """The ground assertions, each with the number of the step that made it."""
        return self._grounder.assertions.made

    @property
    def constants(self) -> Mapping[Term, Term]:
        """The constant that stands for each binder that was met: a flag, the value of a fold, an index."""
        return self._grounder.constants

    def _take(self) -> bool:
        """Name what a proof takes, for each choice of names for its parameters. A term is no claim: to name one is
        sound, whatever it is."""
        changed = False
        for number, taken in enumerate(self._taken):
            for choice, generation in self._proposals.choices(taken.parameters):
                if (number, choice) in self._tried:
                    continue
                self._tried.add((number, choice))
                if not all(map(_fits, choice, taken.parameters)):
                    continue
                changed = True
                body = substitute(taken.body, dict(zip(taken.parameters, choice, strict=True)))
                if not self._choice.takes(Step.TAKEN, body):
                    continue
                context = Context(generation, bool(choice))
                made = self._grounder.ground(body, context)
                self._grounder.names.add((Place.TAKEN, made.sort), made, generation)
        return changed

    def _instantiate(self) -> bool:
        """Tell the instances of quantifiers, and the rules of folds, for names that are new to them."""
        changed = False
        for quantifier in list(self._grounder.quantifiers):
            for name, generation in self._proposals.names_for(quantifier):
                if generation > self.effort.generation or name in quantifier.done:
                    continue
                quantifier.done.add(name)
                if not _fits(name, bound_variable(quantifier.term)):
                    continue
                if not self._choice.takes(Step.INSTANCE, quantifier.term, name):
                    continue
                changed = True
                context = Context(max(generation, quantifier.generation), instantiated=True)
                if quantifier.term.op in (ops.FOLD, ops.FOLD_INDEX):
                    self._rules.use(quantifier, name, context)
                    continue
                # If the flag is true, so is the quantifier, and so is each instance. Without the flag a quantifier that
                # only stands in a disjunction would be taken for true.
                guarded = or_(not_(quantifier.guard), instance(quantifier.term, name))
                self._grounder.tell(guarded, context)
        return changed

    def _equalities(self) -> bool:
        """Extensionality of indices that are read from the same place, and congruence of folds."""
        asserted = self._grounder.assertions.made
        before = len(asserted)
        if self.effort.equality:
            self._indices.compare()
        if self.effort.compares_folds:
            self._folds.compare()
        return len(asserted) > before


def _fits(name: Term, variable: Term) -> bool:
    """Return whether a name may stand for a variable: it is of its sort, and no variable is free in it.

    What a binder says of all it says of each such name. Whoever proposes names is not trusted for more than that
    (tests/twins/doubted.toml).
    """
    return name.sort == variable.sort and not name.free


class Extensionality:
    """Tells indices apart that are read from the same place, or are compared."""

    def __init__(self, grounder: Grounder) -> None:
        self._grounder, self._effort = grounder, grounder.effort
        self._pairs: set[tuple[Term, Term]] = set()

    def compare(self) -> None:
        """Two indices are equal unless they differ on an axis, which has a name."""
        # A read is a free function of its index: X[i] = X[j] follows if i = j does, so only indices that are read of
        # the same thing have to be told apart. Pairs of other indices would be asserted in vain, by the thousand.
        groups: dict[object, dict[Term, int]] = {}
        last = self._effort.generation + 1
        for position, names in self._grounder.names.positions():
            indices = {n: g for n, g in names.items() if n.sort == INDEX and not n.free and g <= last}
            # Indices that are only compared are told apart in pairs below, not each from every other of any tensor.
            if indices and self._grounder.choice.is_narrow:
                groups.setdefault(None, {}).update(indices)
            elif indices and position[0] not in _NO_READ:
                groups.setdefault(position, {}).update(indices)
        for indices in groups.values():
            listed = list(indices)
            for n, a in enumerate(listed):
                for b in listed[:n]:
                    self._apart(a, b, max(indices[a], indices[b]))
        for a, b in list(self._grounder.compared):
            generation = max(self._grounder.names.generation(x) for x in (a, b))
            if generation <= last:
                self._apart(a, b, generation)

    def _apart(self, a: Term, b: Term, generation: int) -> None:
        """Tell a pair apart, once in either order."""
        if (a, b) not in self._pairs and (b, a) not in self._pairs:
            self._pairs.add((a, b))
            if self._grounder.choice.takes(Step.INDICES, a, b):
                self._extensional(a, b, generation)

    def _extensional(self, a: Term, b: Term, generation: int) -> None:
        """The pair is equal, or differs on a named axis: an index is a function from axes, and no more. The other way
        round is what equality means to a solver. Told of equal ones, that they differ, all would follow (twin
        equal_indices_differ)."""
        if a in self._grounder.literals and b in self._grounder.literals:
            one, other = self._grounder.literals[a], self._grounder.literals[b]
            axes = written_out(ZERO, sub(one.args[1], ONE))
            if one.args[1] is other.args[1] and axes:
                # Where the axes are written out, so are the coordinates: no axis has to be named. Beyond both are 0.
                apart = [not_(eq(_on(one, axis), _on(other, axis))) for axis in axes]
                self._grounder.tell(or_(eq(a, b), *apart), Context(generation, instantiated=False))
                return
        # At the first step of the ladder the axis only tells the pair apart; at the next it is a name to try as well.
        born = generation
        if self._effort.equality == 1:
            born = NEVER
        axis = self._grounder.constant(INT, "a", born, a, b)
        self._grounder.tell(or_(eq(a, b), not_(eq(at(a, axis), at(b, axis)))), Context(generation, instantiated=False))


def _on(literal: Term, axis: Term) -> Term:
    """The coordinate of an index literal on an axis of its rank."""
    variable, _, body = literal.args
    return substitute(body, {variable: axis})
