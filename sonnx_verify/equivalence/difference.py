"""Two texts of one operator compared, question by question: the engine behind `diff`, `diff REF`, reports and repairs.

In: units that were read, their projects, solvers. Out: records of results/difference.py; nothing is printed. What is
asked stands in obligations/difference.py, what no input can show in declarations.py; here is what an answer means.

A row is SAME only by a verdict of two voices: `violated` where input was wanted that one text alone accepts,
`proved` where results were claimed to be the same. Every other verdict is DIFFERENT, with its input, or UNKNOWN. The
tests of `diff REF` (tests/outputs) change each aspect of a text, and see that a row says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from sonnx_verify.equivalence.declarations import redeclared
from sonnx_verify.equivalence.states import counterpart
from sonnx_verify.errors import UserError
from sonnx_verify.language.families import instances
from sonnx_verify.language.files import Unit
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import GOOD, lasts
from sonnx_verify.obligations import presumed
from sonnx_verify.obligations.difference import Pair, asked, inclusions, pair_of, pair_since, types_alone
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.difference import Answer, Aspect, Difference, Question, Row, Side, answer_of
from sonnx_verify.solving.check.hints import NO_HINTS, Hinting
from sonnx_verify.solving.check.needed import Recall, Watch, decided_in, nothing_recalled, unwatched, used_in
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.solvers import Solvers

Decide = Callable[[Sequence[Obligation]], Iterable[Record]]
"""Decides obligations in their order."""
_USE = (Aspect.ACCEPTANCE, Aspect.RESULTS)
_REFUSAL = (Aspect.ERROR, Aspect.OPEN)


def decide_differences(
    project: Project,
    units: Iterable[tuple[Unit, Unit]],
    solvers: Solvers,
    jobs: int = 1,
    watch: Watch = unwatched,
    recall: Recall = nothing_recalled,
    hinting: Hinting = NO_HINTS,
) -> list[Difference | UserError]:
    """Compare pairs of specifications of one operator of a project: types, what one alone accepts, and results.

    The base of a record is whichever of the two has the inputs that the other can be put on. Errors and declarations
    of two versions differ by design and are not compared, so that the whole is never SAME. All pairs are decided in one
    run: pair by pair, most of several processes would wait for the last answer of each. A pair that cannot be compared
    has its error in place of a difference, UsageError where the two are not about one operator, and takes nothing from
    the others. What `recall` knows of a file is not decided again.
    """
    find = used_in(project, recall)
    begun: list[_Begun | UserError] = []
    for one, another in units:
        # Errors of one pair are found by looking at that pair alone.
        try:
            pair = pair_of(one, another)
            questions = list(asked(project, pair, *_USE))
            needed_by([obligation for _, obligation in questions], find)
            begun.append(_Begun(pair, questions))
        except UserError as problem:
            begun.append(problem)
    obligations: list[Obligation] = []
    for one_begun in begun:
        if isinstance(one_begun, _Begun):
            obligations += [obligation for _, obligation in one_begun.questions]
    # Closed whatever happens, which ends the processes.
    with closing(run(obligations, solvers, needed_by(obligations, find), jobs, hinting=hinting)) as records:
        answers = iter(list(watch(records, len(obligations))))
    return [_ended(one_begun, answers) for one_begun in begun]


@dataclass(frozen=True, slots=True)
class _Begun:
    """Two units that can be compared, with the questions about them and the obligations that answer these."""

    pair: Pair
    questions: Sequence[tuple[Question, Obligation]]


def _ended(begun: _Begun | UserError, answers: Iterator[Record]) -> Difference | UserError:
    """The difference that the next answers make, one for each question; the first error, if one of them has one."""
    if isinstance(begun, UserError):
        return begun
    # All of them are taken, whatever is wrong with one: the next belong to another pair.
    records = list(islice(answers, len(begun.questions)))
    for record in records:
        if record.error is not None:
            return record.error
    rows = [*_types(begun.pair), *_required(begun.pair)]
    for (question, _), record in zip(begun.questions, records, strict=True):
        rows.append(_row(begun.pair, question, record))
    return _difference(begun.pair, rows, {Aspect.TYPES, *_USE})


def answers_all(project: Project, units: tuple[Unit, Unit], found: Difference) -> bool:
    """Return whether a record has an answer to each question about two texts, and to no other."""
    if not found.compared:
        # Of texts that cannot be compared it says that and no more.
        return all(row.what.aspect is Aspect.TEXT and row.answer is Answer.UNKNOWN for row in found.rows)
    try:
        pair = pair_of(*units)
    except UserError:
        return False
    questions = [(question, obligation.section) for question, obligation in asked(project, pair, *_USE)]
    head = [*_types(pair), *_required(pair)]
    made = _difference(pair, (*head, *found.rows[len(head) :]), {Aspect.TYPES, *_USE})
    return found == made and [(row.what, row.section) for row in found.rows[len(head) :]] == questions


def decide_change(after: Project, now: Unit, before: Project, then: Unit, solvers: Solvers) -> Difference:
    """Compare an operator with what it was in another project, in every aspect. What cannot be compared, since a text
    is wrong or meant nothing before, is a row that says why, behind what is known all the same."""
    # Both grow as far as it goes: a mistake found late leaves what was known before it.
    rows: list[Row] = []
    compared: set[Aspect] = set()
    try:
        pair = pair_since(now, then, before)
        rows += _types(pair)
        for line in redeclared(pair, (after.library(now), before.library(then))):
            rows.append(Row(Question(Aspect.DECLARATIONS), Answer.DIFFERENT, reason=line))
        compared |= {Aspect.TYPES, Aspect.DECLARATIONS}
        questions = [*asked(after, pair, *_USE), *asked(after, pair, *_REFUSAL)]
        answers = _answers(after, pair, questions, solvers)
        unfit, axioms = _presumed(before, then, solvers)
        if unfit is not None:
            # A read outside has an arbitrary value: compared with that, anything could be proved. An input that tells
            # the two apart was evaluated, and reads nothing outside.
            rows += [row for row in answers if row.answer is Answer.DIFFERENT]
            return _difference(pair, [*rows, _uncompared(f"{unfit} before")], compared)
        # What the old text presumes was proved in the other project, with the axioms of that. An example needs none.
        for row in answers:
            resting = axioms | set(row.axioms) if row.answer is Answer.SAME else ()
            rows.append(replace(row, axioms=tuple(sorted(resting))))
        compared |= {Aspect.TEXT, *_USE, *_REFUSAL}
        return _difference(pair, rows, compared)
    except UserError as problem:
        return Difference(now.operator, then.operator, (*rows, _uncompared(placed(problem))))


def accepts_all(wide: Project, narrow: Project, unit: Unit, decide: Decide) -> bool:
    """Return whether the text of a unit in one project is proved to accept all input that its text in another project
    accepts, in every section. Types and declarations are not compared. Raises UserError where the two cannot be
    paired."""
    pair = pair_since(counterpart(narrow, unit), counterpart(wide, unit), wide)
    obligations = list(inclusions(narrow, pair))
    answers = (answer_of(record.verdict.name, wanted=False) for record in decide(obligations))
    # Of two texts without a type in common there are no obligations: nothing was compared.
    return bool(obligations) and all(answer is Answer.SAME for answer in answers)


def new(name: str, problem: UserError | None) -> Difference:
    """An operator that was not there, whose text may make no sense."""
    question = Question(Aspect.TEXT, Side.BASE)
    if problem is not None:
        return _only(name, Row(question, Answer.UNKNOWN, reason=placed(problem)))
    return _only(name, Row(question, Answer.DIFFERENT))


def gone(name: str) -> Difference:
    """An operator that is not there any more."""
    return _only(name, Row(Question(Aspect.TEXT, Side.OTHER), Answer.DIFFERENT))


def uncompared_pair(one: str, other: str, problem: UserError) -> Difference:
    """Two texts that cannot be compared; without the place, which moves where the texts stay the same."""
    return Difference(one, other, (_uncompared(problem.message),))


def uncompared(name: str, why: str) -> Difference:
    """An operator, or a file, of which nothing is known."""
    return _only(name, _uncompared(why))


def placed(problem: UserError) -> str:
    """The message of a problem, with its place."""
    if problem.span is None:
        return problem.message
    return f"{problem.span}: {problem.message}"


def _only(name: str, row: Row) -> Difference:
    return Difference(name, name, (row,))


def _uncompared(why: str) -> Row:
    return Row(Question(Aspect.TEXT), Answer.UNKNOWN, reason=why)


def _difference(pair: Pair, rows: Iterable[Row], compared: set[Aspect]) -> Difference:
    base, other = pair.named(Side.BASE), pair.named(Side.OTHER)
    notes = tuple(unit.note for unit in (pair.base, pair.other) if unit.note)
    return Difference(base, other, tuple(rows), frozenset(compared), pair.moved, pair.alone, notes=notes)


def _types(pair: Pair) -> Iterator[Row]:
    """A row for each type variable and side that has types alone."""
    for variable, alone in types_alone(pair).items():
        for side in (Side.OTHER, Side.BASE):
            if alone[side]:
                yield Row(Question(Aspect.TYPES, side, variable), Answer.DIFFERENT, types=alone[side])


def _required(pair: Pair) -> Iterator[Row]:
    """A row for each thing that the other alone lets one leave out: the rows below speak only of input that has it."""
    for name in pair.required:
        said = f"only {pair.other.operator} lets `{name}` be left out; below it is given"
        yield Row(Question(Aspect.DECLARATIONS, Side.OTHER), Answer.DIFFERENT, reason=said)


def _answers(
    project: Project, pair: Pair, questions: Sequence[tuple[Question, Obligation]], solvers: Solvers
) -> list[Row]:
    records = decided_in(project, [obligation for _, obligation in questions], solvers)
    return [_row(pair, question, record) for (question, _), record in zip(questions, records, strict=True)]


def _row(pair: Pair, question: Question, record: Record) -> Row:
    answer = answer_of(record.verdict.name, wanted=question.side is not None)
    refusing = None
    if answer is Answer.DIFFERENT and record.counterexample is not None:
        broken = record.counterexample.broken
        # Two claims are made of results, one for each side: the sentence that is broken says which of them fails.
        refusing = next(side for side in (Side.OTHER, Side.BASE) if pair.allows_what(side) == broken)
    reason = record.verdict.reason
    if answer is Answer.UNKNOWN:
        reason = reason or record.note
    result = result_of(record)
    shown = None
    if answer is Answer.DIFFERENT:
        shown = result.counterexample or result.witness
    is_lasting = lasts(result.verdict, repeatable=record.repeatable)
    axioms = tuple(sorted(axiom.id for axiom in result.axioms)) if answer is Answer.SAME else ()
    section, scope = result.section, result.scope
    return Row(question, answer, section, reason, (), result.verdict, scope, shown, refusing, is_lasting, axioms)


def _presumed(project: Project, unit: Unit, solvers: Solvers) -> tuple[str | None, set[str]]:
    """The first thing that the old text owes and is not shown, without which it means nothing, or None where all is
    well; and the axioms that this rests on."""
    assert unit.file is not None
    names: set[str] = set()
    for instance in instances(unit.file):
        names |= set(presumed.by_refinement(project, unit, instance.family))
    found = used_in(project)
    needed: list[Obligation] = []
    for name in sorted(names):
        needed += found(name)
    axioms: set[str] = set()
    for record in decided_in(project, needed, solvers):
        if record.verdict.name not in GOOD:
            return f"{record.id} was {record.verdict.name}", axioms
        axioms |= {axiom.id for axiom in record.axioms}
    return None, axioms
