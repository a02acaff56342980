"""Things that have to be shown: an identity, a place, and statements built for one way to read the elements. Trusted.

A statement is proved when each of its claims is: that the goal is true of every input that meets the hypotheses. It is
refuted by an input that meets the hypotheses of a claim and breaks its goal. Whoever builds a statement answers for it
saying what docs/design.md says of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
from sonnx_verify.language.context import Context, Library
from sonnx_verify.logic.evaluator_values import Interpretation
from sonnx_verify.logic.operators import Op
from sonnx_verify.logic.sorts import Sort
from sonnx_verify.logic.taken import Taken
from sonnx_verify.logic.terms import Term, not_
from sonnx_verify.logic.verdict import Verdict
from sonnx_verify.results.concrete import Concrete
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span

Input = tuple[tuple[str, Concrete], ...]
"""A value for each variable, by its name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim that the goal follows from the hypotheses. `what` is the sentence that is violated if it does not."""

    hypotheses: tuple[Term, ...]
    goal: Term
    what: str
    replay: Term | None = None
    """The term that a counterexample is replayed on, where that is not the goal itself (an induction, two copies)."""
    lemmas: tuple[Term, ...] = ()
    """The statements of theorems that the proof uses: true of every input, so no witness is asked for them."""
    taken: tuple[Taken, ...] = ()
    """Terms that the proof names."""
    recurrence: bool = False
    """True where counts have their recurrence only."""

    side: bool = False
    """True where it only says that the statement means something."""
    whole: bool = False
    """True where it is asked as it stands: as it is asked elsewhere too, so that one answer serves for both."""
    failing: Callable[[Interpretation], str] | None = field(default=None, compare=False)
    """Says what is read where it fails, on a counterexample."""

    @property
    def refutation(self) -> tuple[Term, ...]:
        """Conditions that are true of an input exactly when it is a counterexample."""
        # The step of an induction may fail where the theorem is true, of a number that base and steps never lead to.
        # An input shows that the theorem is false only if the theorem itself fails on it: `replay`.
        broken = self.goal if self.replay is None else self.replay
        return (*self.hypotheses, not_(broken))

    def parts(self) -> list[Claim]:
        """The claim cut into smaller ones that together say the same: each conjunct follows from the hypotheses and
        the conjuncts before it, an implication from its condition.

        H => A and B is H => A and H, A => B. Only what stands before may be assumed: with H, B => A beside it, two
        falsehoods would prove each other (twin parts_prove_each_other).
        """
        # A law of an order is asked for by whatever uses the order: cut here, it would be another query than there.
        if self.whole:
            return [self]
        made: list[Claim] = []
        todo = [(self.hypotheses, self.goal)]
        while todo:
            hypotheses, goal = todo.pop(0)
            # `C1 and C2` is two parts: C1, and C2 under C1. `a => (B and C)` is written `not a or (B and C)`: its
            # condition goes to the hypotheses, and what follows is taken apart in turn.
            if goal.op == Op.AND:
                todo[:0] = [((*hypotheses, *goal.args[:n]), part) for n, part in enumerate(goal.args)]
            elif goal.op == Op.OR and goal.args[-1].op in (Op.AND, Op.OR):
                todo.insert(0, ((*hypotheses, *(not_(a) for a in goal.args[:-1])), goal.args[-1]))
            else:
                made.append(replace(self, hypotheses=hypotheses, goal=goal))
        return made


@dataclass(frozen=True, slots=True)
class Wanted:
    """The claim that some input meets all conditions; `impossible` is the sentence to report if none does."""

    conditions: tuple[Term, ...]
    what: str
    impossible: str


@dataclass(frozen=True, slots=True)
class Statement:
    """Claims to prove, or witnesses to find, about some variables.

    `hypotheses` have to be satisfiable for the claims to say anything. So has each set of conditions in `inhabited`:
    the hypotheses, and that an induction has a number to speak of.
    """

    variables: tuple[Variable, ...]
    hypotheses: tuple[Term, ...] = ()
    claims: tuple[Claim, ...] = ()
    inhabited: tuple[tuple[Term, ...], ...] = ()
    wanted: tuple[Wanted, ...] = ()
    note: str = ""
    assumptions: tuple[str, ...] = ()


@dataclass(slots=True)
class Obligation:
    """One thing that has to be shown. Either `build` gives its statement, or `answer` is its verdict already."""

    operator: str | None
    version: int | None
    section: str
    tag: str
    kind: Kind
    span: Span
    subject: str
    types: tuple[Sort, ...] = ()
    family: str = ""
    build: Callable[[Context], Statement] | None = None
    answer: Verdict | None = None
    library: Library | None = None
    title: str = ""
    expected: str = ""
    expected_reason: str = ""
    variables: Mapping[str, Sort] = field(default_factory=dict)
    uses: tuple[str, ...] = ()
    """The identities of the obligations that it takes for proved. One that is left out here would be believed without a
    proof (twin lemma_need_not_be_proved)."""
    presumes: tuple[str, ...] = ()
    """The identities of those without which it means nothing: in-bounds and total of the operators that it applies."""

    source: str = ""
    """Of an axiom, the source that it is cited from."""
    rests_on_axioms: bool = False
    """True if it uses an axiom, or a theorem that rests on one."""

    tried: tuple[Input, ...] = ()
    """The examples of the text: they are tried where input is searched for, and replayed as any other."""
    stated: tuple[Obligation, ...] = ()
    """The obligations whose statements have to be made before the answer stands: that the names and types of a text fit
    is not known before its theorems are elaborated (tests/attacks/test_well_formed.py)."""

    @property
    def id(self) -> str:
        """`namespace.Op-version[.section]/tag/kind`."""
        section = f".{self.section}" if self.section else ""
        return f"{self.subject}{section}/{self.tag}/{self.kind}"


def element_variables(names: Sequence[str], sort: Sort) -> tuple[Variable, ...]:
    """Variables for lone elements."""
    return tuple(
        Variable(name, VariableKind.ELEMENT, sort, None, 0, (), VariableRole.ELEMENT, type_variable=True)
        for name in names
    )
