"""An obligation that uses others is proved only if they are. Obligations are made directly."""

from __future__ import annotations

import pytest

from sonnx_verify.errors import SpecificationError
from sonnx_verify.kernel.variables import Variable, VariableKind
from sonnx_verify.language.context import Context
from sonnx_verify.logic.sorts import INT
from sonnx_verify.logic.terms import Symbol, Term, add, integer, le, lt
from sonnx_verify.logic.verdict import static
from sonnx_verify.obligations.obligation import Claim, Obligation, Statement
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.check.uses import Uses, needed_by
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source, Span

X = Symbol("x", (), INT)()
Y = Symbol("y", (), INT)()
TRUE_LAW = le(X, add(X, integer(1)))
FALSE_LAW = le(X, integer(1))


def law(name: str, *uses: str, goal: Term = TRUE_LAW, assumed: tuple[Term, ...] = ()) -> Obligation:
    """A theorem about the integers x and y."""

    def build(context: Context) -> Statement:
        variables = tuple(Variable(n, VariableKind.INT, INT, None, 0) for n in "xy")
        return Statement(variables, assumed, (Claim(assumed, goal, name),))

    span = Span(Source("laws.sonnx", "\n"), 1, 1)
    made = Obligation(None, None, "", name, Kind.THEOREM, span, "user.laws", family="int", build=build)
    made.uses = tuple(path(u) for u in uses)
    return made


def path(name: str) -> str:
    return f"user.laws/{name}/theorem"


def verdicts(*obligations: Obligation, needed: tuple[Obligation, ...] = ()) -> dict[str, str]:
    """Verdict and, of what is undecided, reason; in the order in which they come."""
    found: dict[str, str] = {}
    with Solvers() as solvers:
        for record in run(obligations, solvers, needed):
            found[record.obligation.tag] = record.verdict.name
            if record.verdict.name == "unknown":
                found[record.obligation.tag] += f": {record.verdict.reason}"
    return found


def test_what_rests_on_proofs_is_proved() -> None:
    """A law may be used by one before it and by one behind it; the order is that of the text."""
    made = verdicts(law("a", "b"), law("b"), law("c", "a", "b"))

    assert list(made.items()) == [("a", "proved"), ("b", "proved"), ("c", "proved")]


def test_what_rests_on_a_falsehood_is_unknown() -> None:
    """Also by way of a third; what does not rest on it is as before."""
    made = verdicts(law("a", "b"), law("b", "c"), law("c", goal=FALSE_LAW), law("d"))

    assert made == {
        "a": f"unknown: depends on {path('b')}, which is unknown",
        "b": f"unknown: depends on {path('c')}, which is refuted",
        "c": "refuted",
        "d": "proved",
    }


def test_a_record_that_is_taken_back_claims_nothing() -> None:
    """Neither scope nor witness is left, and it was a surprise."""
    with Solvers() as solvers:
        first = next(run([law("a", "b", assumed=(lt(Y, X),)), law("b", goal=FALSE_LAW)], solvers))

    assert (first.verdict.name, first.scope, first.witness, result_of(first).status) == ("unknown", "", None, 3)
    assert first.queries


def test_vacuous_on_a_falsehood_is_unknown() -> None:
    """The hypotheses were empty perhaps only because of what was used."""
    empty = law("a", "b", assumed=(lt(X, Y), lt(Y, X)))

    assert verdicts(law("a", assumed=(lt(X, Y), lt(Y, X))))["a"] == "vacuous"
    assert verdicts(empty, law("b", goal=FALSE_LAW))["a"].startswith("unknown: depends on")


def test_a_refutation_stands_by_itself() -> None:
    """A counterexample was replayed: no law that is missing makes it less of one."""
    assert verdicts(law("a", "b", goal=FALSE_LAW), law("b", goal=FALSE_LAW)) == {"a": "refuted", "b": "refuted"}


def test_holds_is_not_enough() -> None:
    """Only what is proved for all may be used."""
    static_one = law("b")
    static_one.build, static_one.answer = None, static("", holds=True)

    assert verdicts(law("a", "b"), static_one)["a"] == f"unknown: depends on {path('b')}, which is holds"


def test_what_is_not_there_is_not_proved() -> None:
    """An obligation that is used and not given takes the proof with it."""
    assert verdicts(law("a", "b"))["a"] == f"unknown: depends on {path('b')}, which is missing"


def test_one_name_twice() -> None:
    """Two of one name, from two files: what uses the name needs both; each keeps its own verdict."""
    with Solvers() as solvers:
        records = list(run([law("b"), law("b", goal=FALSE_LAW), law("a", "b")], solvers))

    assert [r.verdict.name for r in records] == ["proved", "refuted", "unknown"]


def test_needed_is_decided_and_not_reported() -> None:
    """A theorem that is used and was not asked for takes part."""
    everything = {o.id: o for o in (law("a", "b"), law("b", "c"), law("c", goal=FALSE_LAW), law("d"))}
    asked = [everything[path("a")]]
    needed = needed_by(asked, lambda name: [everything[name]])

    assert [o.tag for o in needed] == ["c", "b"]
    assert verdicts(*asked, needed=tuple(needed)) == {"a": f"unknown: depends on {path('b')}, which is unknown"}


def test_needed_of_another_file() -> None:
    """The theorem that is asked for has the identity of the one that is used, and is another: both take part."""
    asked, used = [law("a", "b"), law("b")], law("b", goal=FALSE_LAW)
    needed = needed_by(asked, lambda name: [asked[1], used])

    assert needed == [used]
    assert verdicts(*asked, needed=tuple(needed))["a"] == f"unknown: depends on {path('b')}, which is refuted"


def test_needed_that_does_not_exist() -> None:
    """A wrong name is an error of the text."""
    with pytest.raises(SpecificationError, match="a/theorem uses user.laws/b/theorem, which does not exist"):
        needed_by([law("a", "b")], lambda name: [])


@pytest.mark.parametrize("circle", [("a",), ("b", "a"), ("b", "c", "a")])
def test_circle(circle: tuple[str, ...]) -> None:
    """It is an error before anything is decided, also when only its beginning was asked for."""
    laws = [law(name, used) for name, used in zip(("a", *circle[:-1]), circle, strict=True)]
    everything = {o.id: o for o in laws}
    said = "circular dependency between obligations: " + " -> ".join(path(n) for n in ("a", *circle))

    with Solvers() as solvers, pytest.raises(SpecificationError, match=said):
        next(run(laws, solvers))
    with pytest.raises(SpecificationError, match="circular dependency"):
        needed_by(laws[:1], lambda name: [everything[name]])


def test_a_circle_that_comes_later() -> None:
    """Of obligations that are known one by one: it is an error as soon as its last part is known."""
    uses = Uses([law("a", "b")])
    uses.add([law("b", "c")])
    with pytest.raises(SpecificationError, match="a/theorem -> user.laws/b/theorem -> user.laws/c/theorem"):
        uses.add([law("c", "a")])


def test_what_is_awaited_is_not_settled() -> None:
    """Directly, or below something that is known."""
    top, middle = law("top", "middle"), law("middle", "bottom")
    uses = Uses([top, middle])
    uses.know(Record(middle, static("", holds=True)))
    assert uses.settled(top)
    assert not uses.settled(top, {path("middle")})
    assert not uses.settled(top, {path("bottom")})


def test_a_diamond_is_no_circle() -> None:
    """A law may be used by two ways, as long as none leads back."""
    made = verdicts(law("a", "b", "c"), law("b", "d"), law("c", "d", "b"), law("d"))

    assert set(made.values()) == {"proved"}


def presuming(made: Obligation, *names: str) -> Obligation:
    """The law, which presumes others."""
    made.presumes = tuple(path(n) for n in names)
    return made


def test_what_is_presumed_may_go_round() -> None:
    """A law about an operator presumes what the operator needs, which uses the law."""
    assert verdicts(presuming(law("a"), "b"), law("b", "a")) == {"a": "proved", "b": "proved"}


def test_what_is_presumed_has_to_be_shown() -> None:
    """Not shown, or not there, it takes the proof with it, also round a circle. The reason is what fails by itself."""
    made = verdicts(presuming(law("a"), "b", "c"), law("b", "a", "c"), law("c", goal=FALSE_LAW))

    assert made["a"] == f"unknown: depends on {path('c')}, which is refuted"
    assert made["b"] == f"unknown: depends on {path('c')}, which is refuted"
    assert verdicts(presuming(law("a"), "b"))["a"] == f"unknown: depends on {path('b')}, which is missing"


def test_what_is_presumed_may_be_vacuous() -> None:
    """Then nothing is needed there. What is used has to be proved."""
    # No x is below a y that is below it.
    empty = (lt(X, Y), lt(Y, X))

    assert verdicts(presuming(law("a"), "b"), law("b", assumed=empty))["a"] == "proved"
    assert verdicts(law("a", "b"), law("b", assumed=empty))["a"] == f"unknown: depends on {path('b')}, which is vacuous"


def test_what_is_presumed_is_decided_too() -> None:
    """A presumed obligation is decided, even if it was not asked for."""
    everything = {o.id: o for o in (presuming(law("a"), "b"), law("b", "a", goal=FALSE_LAW))}

    assert [o.tag for o in needed_by([everything[path("a")]], lambda name: [everything[name]])] == ["b"]
