"""Functions for a notebook or another tool: check texts, prove statements, evaluate and compare operators.

Each function works on the project of the current folder, or on the installed library where that has no texts, prints
nothing, and returns a record. Mistakes are raised as `sonnx_verify.errors.UserError`; what is wrong with one of several
texts that are checked is among the errors of the answer. Solvers' answers come from the cache and go there, as in the
commands; `cached=False` decides everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.asking import asking
from sonnx_verify.api.cache import opened, solvers_with
from sonnx_verify.api.decided import Decided
from sonnx_verify.api.differences import decide_difference, recorded_difference
from sonnx_verify.api.select import one
from sonnx_verify.api.statement import mean_in, obligations_of, types_lacking
from sonnx_verify.errors import SpecificationError, UsageError, UserError
from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.language.kept import keep_in
from sonnx_verify.language.named import find_operator, here
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.outputs.console import summary, unchecked
from sonnx_verify.outputs.of_check import folded
from sonnx_verify.results.difference import Difference
from sonnx_verify.results.result import Result
from sonnx_verify.results.shown import Shown
from sonnx_verify.solving.check.needed import Watch, decided_in, unwatched
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.stores.store import store_of_trees, without_cache

if TYPE_CHECKING:
    from sonnx_verify.conformance.judgement.conformance import Conformance


@contextmanager
def _working(*, cached: bool = True) -> Iterator[None]:
    """The settings of Python that making terms needs, and the cache, or none."""
    # The command line does the same before each command; a notebook imports no command.
    allow_deep_calls()
    keep_in(store_of_trees)
    with ExitStack() as settings:
        settings.enter_context(seldom_collected())
        if not cached:
            settings.enter_context(without_cache())
        yield


def _named(value: object, what: str, example: str) -> str:
    """An argument that is a name or a text. Raises UsageError for anything else."""
    if isinstance(value, str):
        return value
    raise UsageError(f"{what} is a text, not {_kind(value)}", cure=f'write it as in "{example}"')


def _number(value: object, what: str) -> None:
    """Raise UsageError if an argument is no integer."""
    # True is an integer of Python, and no number of anything.
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{what} is an integer, not {_kind(value)}")


def _kind(value: object) -> str:
    """The kind of a wrong argument, as Python calls it."""
    return f"`{type(value).__name__}`"


@dataclass(frozen=True, slots=True, repr=False)
class Checked(Shown):
    """The results of a run, in the order of the texts; the mistakes for which texts could not be checked; the version
    of each solver, None where it is not installed; the files of these texts; of each operator without a text of its
    version, which text it uses."""

    results: tuple[Result, ...]
    errors: tuple[UserError, ...]
    solvers: Mapping[str, str | None]
    unchecked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, which: str | int) -> Result:
        """The result of an obligation, by its identity or its place. Raises KeyError or IndexError if there is none."""
        if isinstance(which, int):
            return self.results[which]
        for result in self.results:
            if result.id == which:
                return result
        raise KeyError(which)

    @property
    def surprises(self) -> tuple[Result, ...]:
        """The results whose verdict differs from the expected one."""
        return tuple(result for result in self.results if result.surprising)

    @property
    def ok(self) -> bool:
        """True if something was decided, and came out as expected: no mistake, no surprise, no solver missing."""
        # `if check(...).ok` in a script must not pass because a file is empty or a solver was never installed.
        if not self.results or None in self.solvers.values():
            return False
        return not self.errors and not self.surprises

    def __repr__(self) -> str:
        lines: list[str] = []
        for mistake in folded(self.surprises, None):
            lines += [*mistake.lines, ""]
        for error in self.errors:
            lines += [str(error), ""]
        lines += summary(self.results, dict(self.solvers), len(self.errors))
        return "\n".join([*lines, *unchecked(self.errors, self.unchecked)])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{escape(r.verdict)}</td><td>{escape(r.id)}</td></tr>" for r in self.results)
        return f"{Shown._repr_html_(self)}<table>{rows}</table>"


def check(*what: str | PathLike[str], jobs: int | None = None, cached: bool = True) -> Checked:
    """Decide the obligations of texts: of files, folders and identities (`sonnx.Max-13`, `sonnx.Max-13.int/C1/*`), or
    of the whole project where nothing is named. `jobs` processes decide (default: one per core).

    Raises UsageError for a name that names nothing.
    """
    names = [_named(str(name) if isinstance(name, PathLike) else name, "each name", "sonnx.Max-13") for name in what]
    if jobs is not None:
        _number(jobs, "jobs")
    with _working(cached=cached):
        asked = Asked.of(names)
        versions = Solvers().versions()
        cache = opened(asked.root, asked.further, versions)
        with solvers_with(cache) as solvers:
            decided = Decided(asked, cache, jobs)
            results = tuple(decided.results(solvers))
        if cache is not None:
            cache.close()
    return Checked(results, tuple(decided.errors), versions, tuple(decided.unchecked))


@dataclass(frozen=True, slots=True)
class InForce:
    """The version of an operator that is in force: its name, and the version whose text applies. Where that is another
    one, `note` says so, with what differs."""

    operator: str
    text: str
    note: str


def in_force(name: str, opset: int | None = None) -> InForce:
    """Find the version of an operator, such as `onnx.Equal`, that is in force in an operator set of ONNX, by default in
    the newest. A version of its own, as in `onnx.Equal-13`, has to be the one in force. All functions take the name of
    the answer.

    Raises UsageError for an operator that does not exist, or not in that set, and for a set that ONNX does not have.
    """
    _named(name, "the name of an operator", "onnx.Equal")
    if opset is not None:
        _number(opset, "opset")
    with _working():
        unit = find_operator(here(), name, opset)
        return InForce(unit.operator, unit.text_of, unit.note)


def prove(statement: str, *, opset: int | None = None, cached: bool = True, watch: Watch = unwatched) -> Checked:
    """Prove or refute a statement about operators and definitions, such as `Max(A, B) = Max(B, A)`: one result for each
    type that T can stand for. Names that nothing defines are tensors, for all of which the statement has to hold, of T
    or of the type that their operators ask for; `for A : shape; n : int assuming ... :` before it declares them.
    Operators mean their newest versions, or those in force in the operator set `opset` of ONNX. `watch` hands the
    records on as they are decided.

    Raises UserError for a mistake in the statement, or in a text that it rests on.
    """
    _named(statement, "the statement", "Max(A, B) = Max(B, A)")
    with _working(cached=cached):
        project = here()
        notes = []
        if opset is not None:
            _number(opset, "opset")
            notes = mean_in(project, statement, opset)
        # One obligation for each element type: a statement lists no families, and T stands for whatever the operators
        # in it have in common.
        obligations = obligations_of(project, statement)
        notes += types_lacking(project, statement)
        _state_one(obligations)
        with asking() as solvers:
            versions = solvers.versions()
            results = tuple(map(result_of, decided_in(project, obligations, solvers, watch=watch)))
    return Checked(results, (), versions, notes=tuple(notes))


def _state_one(obligations: Iterable[Obligation]) -> None:
    """State obligations up to the first that has a meaning. SpecificationError where none has one."""
    # At once, not when it is their turn: what the operators presume is decided before, and may take minutes.
    mistakes = []
    for obligation in obligations:
        try:
            Work(obligation).state()
            return
        except SpecificationError as mistake:
            mistakes.append(mistake)
    if mistakes:
        raise mistakes[0]


def counterexample(identity: str, *, cached: bool = True) -> Result:
    """Decide one obligation. Its `counterexample` is the smallest input that breaks it, replayed; where there is none,
    its `witness`, if it has one, is input that its hypotheses admit.

    Raises UsageError where no obligation, or several, have that identity; UserError for a mistake in its text.
    """
    _named(identity, "the identity", "sonnx.Max-13.int/C1/covered")
    with _working(cached=cached):
        selection, obligation = one(identity)
        with asking() as solvers, closing(run([obligation], solvers, selection.needed())) as records:
            record = next(records)
    # A mistake that is met while the obligation is stated is one of the text, as if `load` had met it.
    if record.error is not None:
        raise record.error
    return result_of(record)


def diff(first: str, second: str, *, cached: bool = True) -> Difference:
    """Compare two specifications of one operator: versions or texts of it, or a profile or draft and its standard. Each
    row of the record says of one section whether one of them alone accepts some input, or whether they allow the same
    results, with the smallest input that shows a difference. Where the project has a record of it, and `cached` is not
    False, the record is returned.

    Raises UsageError for an operator that does not exist, and for two that are not about one operator.
    """
    for name in (first, second):
        _named(name, "the name of an operator", "onnx.Max-13")
    with _working(cached=cached):
        project = here()
        units = find_operator(project, first), find_operator(project, second)
        recorded = recorded_difference(project, units) if cached else None
        return decide_difference(project, units) if recorded is None else recorded[0]


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Shown):
    """The result of a specification for an input: the outputs by name, and for each the indices whose element it leaves
    open; `rejected` has a line for each clause that fails, with the reasons; `left_open` has a line for each item that
    leaves the outcome or the shape open. Where one of these has lines there are no outputs."""

    operator: str
    outputs: Mapping[str, Any]
    unspecified: Mapping[str, tuple[tuple[int, ...], ...]]
    rejected: tuple[str, ...]
    left_open: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"{name} = {value!r}" for name, value in self.outputs.items()]
        return "\n".join([*lines, *self.rejected, *self.left_open])


def evaluate(operator: str, *inputs: Any, types: Mapping[str, str] | None = None, **named: Any) -> Evaluation:
    """Evaluate an operator on numpy arrays by the reference evaluator: slower than `load(operator).evaluate`, which
    takes the same arguments, and with the reasons where there is no result. `types` says the type of a type variable
    that no argument says.

    Raises UsageError for an operator that does not exist, and for arguments that are none of its own.
    """
    # Imported here: `import sonnx_verify` in a notebook that only checks needs no evaluator.
    from sonnx_verify.arrays.evaluator.operator import load
    from sonnx_verify.solving.inputs.arguments import to_array
    from sonnx_verify.solving.inputs.outcome_lines import clause_lines, open_line

    with _working():
        loaded = load(operator, types)
        outcome = loaded.replay(*inputs, **named)
    return Evaluation(
        operator=loaded.name,
        outputs={name: to_array(tensor) for name, tensor in outcome.outputs.items()},
        unspecified={name: tuple(places) for name, places in outcome.unspecified.items()},
        rejected=() if outcome.left_open else tuple(clause_lines(outcome, why=False)),
        left_open=tuple(map(open_line, outcome.left_open)),
    )


def conform(
    operator: str,
    against: str | Callable[..., Any],
    *,
    types: Sequence[str] = (),
    level: str = "nan-payload",
    bound: str = "",
    deepen: float = 0.0,
    seed: int = 0,
    random: int = 100,
    seconds: float = 20.0,
    strength: int = 3,
    short: bool = False,
    without: Sequence[str] = (),
    test_only: bool = False,
    accuracy: bool = False,
    vectors: str | PathLike[str] = "",
) -> Conformance:
    """Check an implementation against the specification of an operator.

    `against` is a target as the command `conform` names it: `onnxruntime`, `python:module:function`, ... Or it is
    a function, such as one of a notebook, which is sent to the process that runs it. `types` are element types of T
    (default: all), `level` the agreement that is accepted, `bound` how far a proof goes (`rank=2,dim=2,inputs=2`),
    `deepen` for how many seconds that is raised, `random` and `seconds` how much a test of each type tries, `strength`
    how many classes of inputs are tried together; `short` tries small inputs only. `without` are types that the target
    need not have. `accuracy` measures the errors of results in ulps. `vectors` is a folder of tests whose inputs are
    the only ones.

    Raises UsageError for what is no operator, target, type, level, bound or folder of tests.
    """
    from sonnx_verify.api.conforming import answered
    from sonnx_verify.conformance.oracles.comparison import LEVELS
    from sonnx_verify.conformance.runs.settings import Settings
    from sonnx_verify.conformance.targets.target import Target

    # A string is a sequence too: "int8" would be the types i, n, t and 8.
    if isinstance(types, str):
        raise UsageError("types is a list of names", cure=f'write types=["{types}"]')
    if not isinstance(against, str) and not callable(against):
        raise UsageError("against is neither a target nor a function", cure="name it, as in python:module:function")
    _named(operator, "the name of an operator", "sonnx.Max-13")
    _named(bound, "bound", "rank=2,dim=2")
    for value, what in ((seed, "seed"), (random, "random"), (strength, "strength")):
        _number(value, what)
    if level not in LEVELS:
        raise UsageError(f"unknown level `{level}`", cure=f"use one of {', '.join(LEVELS)}")
    accepted = LEVELS.index(level)
    settings = Settings(
        tuple(types),
        accepted,
        seed,
        random,
        seconds,
        strength,
        short=short,
        test_only=test_only,
        accuracy=accuracy,
        deepen=deepen,
        without=tuple(without),
        vectors=str(vectors),
    )
    with _working():
        project = here()
        unit = find_operator(project, operator)
        target = Target.of(against) if isinstance(against, str) else Target.of_function(against)
        return answered(project, unit, target, settings, bound)
