"""Axioms: cited laws of reals, tried by enclosures, and named by whatever rests on them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.answer import NO_FLINT
from sonnx_verify.results.result import exit_status
from sonnx_verify.solving.check.collect import collect
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.solving.check.uses import needed_by
from sonnx_verify.solving.solvers import Solvers

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "spec/common/functions.sonnx"
Check = Callable[[str], dict[str, Record]]


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    """Both solvers."""
    with Solvers() as both:
        yield both


@pytest.fixture
def check(tmp_path: Path, solvers: Solvers) -> Check:
    """The records of a text, by the tag of what is shown."""

    def of(text: str) -> dict[str, Record]:
        path = tmp_path / "t.sonnx"
        path.write_text(text)
        project = Project.of_files(ROOT, [path])
        asked = collect(project, [u for u in project.units if u.path == path])

        def find(identity: str) -> list[Obligation]:
            return [o for unit in project.every_unit() for o in collect(project, [unit]) if o.id == identity]

        needed = [o for o in needed_by(asked, find) if o not in asked]
        return {record.obligation.tag: record for record in run(asked, solvers, needed)}

    return of


WITHOUT_FLINT = """\
library t "laws of reals"

axiom above "exp is above 0" from "DLMF 4.2"
  for x : real
  : 0.0 < exp(x)

theorem commutes "sums commute"
  for x, y : real
  : x + y = y + x
"""


def test_without_flint(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs an enclosure is unknown, and the rest of its file is decided; the run has no good end."""
    monkeypatch.setitem(sys.modules, "flint", None)
    records = check(WITHOUT_FLINT).values()
    verdicts = {record.verdict.name: record.verdict.reason for record in records}

    assert verdicts.keys() == {VerdictName.HOLDS, VerdictName.PROVED, VerdictName.UNKNOWN}
    assert verdicts[VerdictName.UNKNOWN] == NO_FLINT
    expected = [replace(result_of(record), expected=record.verdict.name) for record in records]
    assert exit_status(expected, 0, {}) == 3


WRONG = {
    "exp_positive": ("0.0 < exp(x)", "1.0 <= exp(x)"),
    "exp_grows": ("exp(x) < exp(y)", "exp(y) < exp(x)"),
    "exp_adds": ("exp(x + y) = exp(x) * exp(y)", "exp(x + y) = exp(x) + exp(y)"),
    "exp_above_line": ("1.0 + x <= exp(x)", "1.0 + x < exp(x)"),
    "exp_log": ("exp(log(x)) = x", "exp(log(x)) = 2.0 * x"),
    "log_exp": ("log(exp(x)) = x", "log(exp(x)) = x + x * 0.000000000001"),
    "log_grows": ("log(x) < log(y)", "log(x) < 0.0"),
    "log_adds": ("log(x) + log(y)", "log(x) + log(y) + 0.0000000000000000000001"),
    "tanh_grows": ("tanh(x) < tanh(y)", "tanh(x) + 0.01 < tanh(y)"),
    "tanh_bounded": ("-1.0 < tanh(x)", "-0.999999 < tanh(x)"),
    "tanh_odd": ("= -tanh(x)", "= tanh(x)"),
    "tanh_by_exp": ("exp(2.0 * x) - 1.0", "exp(x) - 1.0"),
    "erf_grows": ("erf(x) < erf(y)", "erf(x) < erf(y) - 0.5"),
    "erf_bounded": ("erf(x) < 1.0", "erf(x) < 0.9999999999"),
    "erf_odd": ("= -erf(x)", "= 1.0 - erf(x)"),
    "sin_odd": ("= -sin(x)", "= sin(x)"),
    "cos_even": ("= cos(x)", "= -cos(x)"),
    "sin_cos": ("= 1.0", "= 1.0 + 0.0 * x * x + 0.000000001"),
    "cos_doubled": ("- 1.0", "- cos(x)"),
    "pow_by_exp": ("exp(y * log(x))", "exp(x * log(y * y + 1.0))"),
    "pow_positive": ("0.0 < pow(x, y)", "0.01 < pow(x, y)"),
    "pow_adds": ("pow(x, y) * pow(x, z)", "pow(x, y) + pow(x, z)"),
    "pow_twice": ("= pow(x, y * z)", "= pow(x, y + z)"),
    "pow_of_product": ("pow(x, z) * pow(y, z)", "pow(x, z) * pow(y, -z)"),
    "pow_grows": ("and 0.0 < z", "and z < 0.0 and 0.0 < x"),
    "pow_grows_with_exponent": ("assuming 1.0 < x", "assuming 1.0 <= x"),
    "pow_even": ("= pow(x, 2.0 * y)", "= pow(x, 2.0 * y + 1.0)"),
    "pow_odd": ("= -pow(x, 2.0 * y + 1.0)", "= pow(x, 2.0 * y + 1.0)"),
}


def test_each_axiom_has_a_wrong_twin() -> None:
    """No axiom of the library is left out below."""
    assert re.findall(r"^axiom (\w+)", LIBRARY.read_text(), re.MULTILINE) == list(WRONG)


def test_no_axiom_is_broken(check: Check) -> None:
    """Every axiom of the library holds where it was tried, and every wrong twin is refuted by values."""
    text = LIBRARY.read_text()
    right = check(text)
    assert {tag: str(record.verdict.name) for tag, record in right.items()} == dict.fromkeys(right, "holds")

    twins = text.replace("library functions", "library twins")
    for name, (said, wrong) in WRONG.items():
        head, axiom, tail = twins.partition(f"axiom {name} ")
        assert said in tail.split("axiom ")[0], name
        twins = head + axiom + tail.replace(said, wrong, 1)
    records = check(twins)

    assert {tag: str(records[tag].verdict.name) for tag in WRONG} == dict.fromkeys(WRONG, "refuted")
    assert all(records[tag].counterexample for tag in WRONG)


USED = """
theory t "t"
use functions
theorem direct "what names an axiom" for x : real using exp_positive(x) : exp(x) > 0.0
theorem through "what rests on it" for x : real using direct(x) : exp(x) + 1.0 > 0.0
theorem without "what names none" for x : real : exp(x) = exp(x + 0.0)
theorem unknown_to_solvers "what does not follow without it" for x : real : exp(x) > 0.0
"""


def test_what_rests_on_an_axiom_says_so(check: Check) -> None:
    """Each verdict that rests on an axiom has it, through others too, and no other verdict has."""
    records = check(USED)
    where = LIBRARY.read_text("utf-8").split("axiom exp_positive")[0].count("\n") + 1
    place = f"spec/common/functions.sonnx:{where}:1"
    line = (f'axiom common.functions/exp_positive holds: exp is above 0 (from "DLMF 4.2"; {place})',)

    assert [str(records[t].verdict.name) for t in ("direct", "through", "without")] == ["proved"] * 3
    assert [result_of(records[t]).assumed for t in ("direct", "through", "without")] == [line, line, ()]
    assert str(records["unknown_to_solvers"].verdict.name) in ("unknown", "candidate")


FALSE = """
theory t "t"
axiom wrong "exp is above 1" from "nowhere" for x : real : 1.0 < exp(x)
theorem rests "what rests on it" for x : real using wrong(x) : 1.0 < exp(x)
"""


def test_nothing_rests_on_a_false_axiom(check: Check) -> None:
    """What uses an axiom that values break is unknown."""
    records = check(FALSE)

    assert str(records["wrong"].verdict.name) == "refuted"
    assert str(records["rests"].verdict.name) == "unknown"
    assert "wrong/axiom, which is refuted" in records["rests"].verdict.reason


UNFOUNDED = """
theory t "t"
use functions

axiom small "reals are small" from "nowhere" for x : real : x < 1000000.0
axiom near "false of a root alone" from "nowhere" for x : real : x * x * 1000003.0 != x * x + 1.0
axiom far "false far out, which enclosures do not decide" from "nowhere"
  for x : real : x < 3.0 or exp(x) * exp(-x) != 1.0

theorem of_a_number "a literal" using small(1000000.0) : 1 = 2
theorem of_a_function "at some real" for x : real using small(exp(x)) : exp(x) < 1000000.0
theorem of_a_root "a value that is not rational" using near(sqrt(1.0 / 1000002.0)) : 1 = 2
theorem general "true of every rational" for x : real using near(x) : x * x * 1000002.0 != 1.0
theorem through "false of a root" using general(sqrt(1.0 / 1000002.0)) : 1 = 2
theorem together "contradicts an axiom that is true" using far(4.0), exp_adds(4.0, -4.0) : 1 = 2
theorem together_of_all "the same of all" for x : real assuming 5.0 < x using far(x), exp_adds(x, -x) : 1 = 2
theorem by_induction "in the step" for k : int assuming 0 <= k
  by induction on n from 0 to k
  using small(1000000.0 + real(n))
  : 1 = 2
"""
UNFOUNDED_TAGS = (
    "of_a_number",
    "of_a_function",
    "of_a_root",
    "through",
    "together",
    "together_of_all",
    "by_induction",
)


def test_a_proof_from_what_is_false_is_vacuous(check: Check) -> None:
    """No value that an axiom is tried on breaks these. What a proof takes from them is false, or contradicts itself."""
    records = check(UNFOUNDED)

    assert {t: str(records[t].verdict.name) for t in UNFOUNDED_TAGS} == dict.fromkeys(UNFOUNDED_TAGS, "vacuous")
    assert records["of_a_number"].verdict.reason == (
        "it rests on user.t/small/axiom, and what it uses of that is false"
    )
    assert exit_status([result_of(records["together"])], 0, {"z3": "5", "cvc5": "1"}) == 1


def test_a_false_axiom_of_a_reader() -> None:
    """The case that outsiders found: `1 = 2` by an axiom that no value tried breaks."""
    path = ROOT.parent / "shared/cases/answers/axiom_false.sonnx"
    if not path.exists():
        pytest.skip("../shared is not there")
    made = sonnx_verify.check(path, cached=False)

    assert not made.ok
    assert {r.tag: str(r.verdict) for r in made if r.kind == "theorem"} == {"boom": "vacuous", "pos": "vacuous"}


OWN = """\
theory own "a law of one's own"

axiom above "exp of x is above x" from "a course"
  for x : real
  : x < exp(x)

theorem of_three "at 3"
  using above(3.0)
  : 3.0 < exp(3.0)

theorem twice "and twice that"
  using of_three
  : 6.0 < 2.0 * exp(3.0)
"""
NOT_REVIEWED = 'the assumption that axiom user.own/above holds: exp of x is above x (from "a course"; own.sonnx:3:1)'


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What `check` prints of a theory with a true axiom that is not one of the library."""
    (tmp_path / "own.sonnx").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)

    def of(form: str, name: str = "own.sonnx") -> str:
        done = CliRunner().invoke(main, ["check", name, "--format", form], prog_name="sonnx-verify")
        assert done.exit_code == 0, done.output
        return done.stdout

    return of


@pytest.mark.parametrize("form", ["text", "junit", "sarif", "github", "gitlab", "markdown"])
def test_an_axiom_of_ones_own_is_named(form: str, own: Callable[..., str]) -> None:
    """It passes. Whoever reads the answer is told, in every form, with name, source and place."""
    said = own(form).replace("\\", "").replace("&quot;", '"').replace("%3A", ":")
    assert NOT_REVIEWED in said.replace("assuming: ", "the assumption that ")


def test_an_axiom_in_json_and_python(own: Callable[..., str]) -> None:
    """The axiom is an object of its own, counted in the summary, and in the text of a record."""
    made = json.loads(own("json"))
    axioms = {o["tag"]: [a["id"] for a in o["axioms"]] for o in made["obligations"]}
    checked = sonnx_verify.check("own.sonnx")

    assert axioms == {"spec": [], "above": [], "of_three": ["user.own/above/axiom"], "twice": ["user.own/above/axiom"]}
    assert made["summary"]["on_axioms"] == 2
    assert NOT_REVIEWED in repr(checked)
    assert NOT_REVIEWED.removeprefix("the assumption that ") in repr(checked["user.own/twice/theorem"])


FAR_OUT = """
theory t "t"
axiom of_three "false from 3 on" from "nowhere" for x, y, z : real : x * y * z < 9.0
axiom of_two "false far out, of one sign each" from "nowhere" for x, y : real : exp(x) * y > -200000000.0
axiom late "an equation that is false far out" from "nowhere"
  for x : real : exp(x) * exp(-x) = (if x > 15.0 then 2.0 else 1.0)
axiom adds "the same of two" from "nowhere"
  for x, y : real : exp(x + y) = exp(x) * exp(y) + (if x > 50.0 then 1.0 else 0.0)
theorem wrong "what would follow" for x : real using of_three(3.0, 3.0, 3.0) : 0.0 = 1.0
"""


def test_an_axiom_is_tried_far_out(check: Check) -> None:
    """With three variables too, though not every value can be tried with every other one; and equations, of which
    those that are true are never decided."""
    assert {tag: str(record.verdict.name) for tag, record in check(FAR_OUT).items()} == {
        "spec": "holds",
        "of_three": "refuted",
        "of_two": "refuted",
        "late": "refuted",
        "adds": "refuted",
        "wrong": "unknown",
    }


NEVER_MET = """
library t "t"
axiom empty "nothing meets it" from "nowhere" for x : real assuming x < 0.0 and 0.0 < x : exp(x) = 7.0
"""


def test_an_axiom_that_nothing_meets_is_unknown(check: Check) -> None:
    """Of no value it is shown that it is true."""
    assert str(check(NEVER_MET)["empty"].verdict.name) == "unknown"


@pytest.mark.parametrize(("text", "said"), [
    ('axiom a "a" from "b" for X : tensor of T : X = X', "an axiom is about reals alone"),
    ('axiom a "a" from "b" for n : int : n = n', "an axiom is about reals alone"),
    ('axiom a "a" from "b" for X[0 .. 3] : real : 0.0 = 0.0', "an axiom is about reals alone"),
    ('axiom a "a" from "b" : 1.0 = 1.0', "an axiom is about some reals"),
])  # fmt: skip
def test_an_axiom_is_about_reals(text: str, said: str, check: Check) -> None:
    """What could be proved is no axiom."""
    with pytest.raises(UserError, match=said):
        check(f'theory t "t"\ntypes int = int8\n{text}')


@pytest.mark.parametrize("text", ['axiom a "a" for x : real : x = x', 'axiom a from "b" for x : real : x = x'])
def test_an_axiom_is_cited(text: str, check: Check) -> None:
    """Without a source, or a title, it is no axiom."""
    with pytest.raises(UserError):
        check(f'theory t "t"\n{text}')
