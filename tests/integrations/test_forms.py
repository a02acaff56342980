"""Every form of every record: text, JSON held to its schema, JUnit, SARIF, GitHub, GitLab, Markdown, HTML, evidence and
Python's repr.

In `make test` of a small set that has each kind of obligation with each verdict, and each kind of value; here, in
`make test-integrations`, of the whole library, from the cache that `make verify` left.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt

import sonnx_verify
from sonnx_verify.api.functions import Checked
from sonnx_verify.cli import main
from sonnx_verify.language.syntax import FileKind
from sonnx_verify.logic.sorts import ELEMENT_TYPES
from sonnx_verify.logic.verdict import FINDINGS, GOOD, NAMES, VerdictName
from sonnx_verify.outputs.console import hint_lines, line_of, summary
from sonnx_verify.outputs.evidence.archive import packed, unpacked
from sonnx_verify.outputs.evidence.claim import claim_of_archive
from sonnx_verify.outputs.findings import quoted_finding
from sonnx_verify.outputs.html.facts import Facts, Subject
from sonnx_verify.outputs.html.site import site
from sonnx_verify.outputs.of_check import folded, run_of_check
from sonnx_verify.outputs.paint import PLAIN, Paint
from sonnx_verify.outputs.screen import Screen
from sonnx_verify.outputs.wanted import FORMS, made_of
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.example import Example, Given, Omitted, Role
from sonnx_verify.results.kinds import Kind
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Query, Result
from sonnx_verify.results.sentences import KINDS
from sonnx_verify.results.values import Value, ValueKind
from sonnx_verify.results.voice import Floats, Voice
from sonnx_verify.results.written import json_text, plain
from sonnx_verify.stores.ledger import ledger_of

ROOT = Path(__file__).parents[2]
SOLVERS = {"z3": "5", "cvc5": "1", "bitwuzla": None}


def schema(name: str) -> Any:
    """The schema of a form."""
    folder = ROOT / ("sonnx_verify/outputs" if name == "check" else "tests/outputs")
    return json.loads((folder / f"{name}.schema.json").read_text("utf-8"))


def problems(name: str, made: Any) -> list[str]:
    """What a schema has against a value."""
    found = jsonschema.Draft202012Validator(schema(name)).iter_errors(made)
    return [f"{error.json_path}: {error.message}" for error in found]


# ------------------------------------------------------------------------------------------------------- the forms


def text_of(results: Sequence[Result]) -> str:
    """What `check` prints, with and without colours and --verbose."""
    lines: list[str] = []
    for paint in (PLAIN, Paint(colored=True)):
        for one in results:
            lines += [line_of(one, paint), *quoted_finding(one, ROOT, paint), *hint_lines(one)]
    for verbose in (False, True):
        screen = Screen(ROOT, Paint(colored=True), verbose=verbose)
        for one in results:
            lines += screen.result_lines(one)
        lines += screen.ended(results)
    for mistake in folded(results, ROOT):
        lines += [*mistake.lines, mistake.line]
    return "\n".join([*lines, *summary(results, SOLVERS)])


def as_text(results: Sequence[Result]) -> None:
    made = text_of(results)
    assert not [one.id for one in results if f" {one.id}" not in made]


def as_json(results: Sequence[Result]) -> None:
    """No NaN, which JSON lacks, and nothing that the schema does not have."""
    text = json.dumps(plain(answer_json(results, SOLVERS, [])), allow_nan=False)
    made = json.loads(text)
    assert [one["id"] for one in made["obligations"]] == [one.id for one in results]
    assert problems("check", made) == []


def as_reports(results: Sequence[Result]) -> None:
    """The forms for CI, each as its readers take it."""
    run = run_of_check(results, [], [], [], SOLVERS, summary(results, SOLVERS), ROOT)
    made = {str(form): made_of(run, form) for form in FORMS}
    names = Counter(test.get("name") for test in Xml.fromstring(made["junit"]).iter("testcase"))
    assert not [one.id for one in results if not names[one.id]]
    assert problems("sarif", json.loads(made["sarif"])) == []
    assert problems("gitlab", json.loads(made["gitlab"])) == []
    assert all(line.startswith("::") for line in made["github"].splitlines())
    assert MarkdownIt("js-default").render(made["markdown"])
    wrong = sum(case.outcome != "passed" for case in run.cases)
    assert wrong >= sum(one.surprising for one in results)
    assert bool(made["github"]) == bool(wrong)


def as_html(results: Sequence[Result]) -> None:
    """A page for each text, with each obligation on one."""
    subjects = [
        Subject(name, FileKind.USER, listed[0].place.file, listed)
        for name, listed in ((name, list(own)) for name, own in groupby(results, lambda one: one.subject))
    ]
    made = site(Facts(subjects, SOLVERS, "d" * 64, claim_of_archive(results, SOLVERS, "d" * 64)))
    ids = b"".join(data for name, data in made.items() if name.endswith(".html"))
    assert not [one.id for one in results if f'id="{one.id}"'.encode() not in ids]


def as_evidence(results: Sequence[Result], folder: Path) -> None:
    """An archive that is read again."""
    ledger = ledger_of(results, SOLVERS, {}).text()
    files = {
        "CLAIM.md": claim_of_archive(results, SOLVERS, "d" * 64).encode(),
        "check.json": json_text(answer_json(results, SOLVERS, [])).encode(),
        "ledger.json": ledger.encode(),
    }
    path = folder / "evidence.tar.gz"
    path.write_bytes(packed(files, {"tool": {}}))
    again, _ = unpacked(path)
    assert {name: again[name] for name in files} == files
    assert json.loads(ledger)["obligations"].keys() == {one.id for one in results}


def as_repr(results: Sequence[Result]) -> None:
    for one in results:
        assert repr(one).startswith(f"<{one.verdict} {one.id}")
        for shown in (one.witness, one.counterexample):
            names = () if shown is None else [given.name for given in (*shown.given, *shown.outputs)]
            said = repr(shown)
            assert not [name for name in names if f"{name} = " not in said]
    checked = Checked(tuple(results), (), SOLVERS)
    assert repr(checked)
    assert "<pre>" in checked._repr_html_()


def every_form(results: Sequence[Result], folder: Path) -> None:
    """Make all of them."""
    as_text(results)
    as_json(results)
    as_reports(results)
    as_html(results)
    as_evidence(results, folder)
    as_repr(results)


# --------------------------------------------------------------------------------------------------- the small set


def values() -> Iterator[tuple[Role, Value]]:
    """A value of each kind, of each type and of 0, 1 and several elements, as input, attribute and output."""
    for kind in ValueKind:
        for elements in ((), (0,), (0, 1)):
            shape = (len(elements),)
            match kind:
                case ValueKind.TENSOR:
                    for dtype in ELEMENT_TYPES:
                        plain = tuple(map(bool, elements)) if dtype == "bool" else elements
                        for of_tensor in (shape, (1, *shape), () if len(elements) == 1 else (*shape, 1)):
                            made = Value(kind, dtype, of_tensor, plain, ("dense",) if elements else ())
                            yield from ((role, made) for role in Role)
                case ValueKind.LIST:
                    yield Role.ATTRIBUTE, Value(kind, "int", shape, elements)
                    yield Role.ATTRIBUTE, Value(kind, "float", shape, elements)
                    yield Role.ATTRIBUTE, Value(kind, "string", shape, tuple(map(str, elements)))
                case ValueKind.ELEMENT | ValueKind.NUMBER if len(elements) == 1:
                    for dtype in ("float", "string", "int") if kind is ValueKind.ELEMENT else ("int",):
                        yield Role.ATTRIBUTE, Value(kind, dtype, (), ("s",) if dtype == "string" else elements)
                        yield Role.INPUT, Value(kind, dtype, (), ("s",) if dtype == "string" else elements)
                case ValueKind.SHAPE | ValueKind.INDEX | ValueKind.SET:
                    yield Role.INPUT, Value(kind, "set" if kind is ValueKind.SET else "int", shape, elements)
                case _:
                    pass


def examples() -> Iterator[Example]:
    """One with each value by itself, one with all, one without any."""
    listed = [Given(f"v{n}", role, value) for n, (role, value) in enumerate(values())]
    omitted = (Omitted("plain"), Omitted("axis", Value(ValueKind.NUMBER, "int", (), (1,))))
    for some in ([], listed, *([one] for one in listed)):
        given = tuple(one for one in some if one.role is not Role.OUTPUT)
        outputs = tuple(one for one in some if one.role is Role.OUTPUT)
        yield Example(given, outputs, omitted, ("Z",), bool(some), "Y is X")


def result_of(number: int, kind: Kind, verdict: VerdictName, expected: str, example: Example | None) -> Result:
    """A record that a run could have made."""
    proved = verdict is VerdictName.PROVED
    refuted = verdict is VerdictName.REFUTED
    odd = number % 3
    voices = (Voice("z3", Floats.BITS), Voice("cvc5", Floats.REALS))
    answers: Mapping[str, Any] = {"z3": "unsat", "cvc5": "unsat"}
    return Result(
        id=f"user.One-1.int/C{number}/{kind}",
        subject="user.One-1",
        operator="user.One",
        version=1,
        section="int",
        tag=f"C{number}",
        kind=kind,
        title="a sentence with 100 %, <b>, `marks` and\nlines",
        place=Place("one.sonnx", number + 1),
        types=("int8",),
        declared=("int8", "uint8"),
        variables={"U": "bool"},
        verdict=verdict,
        reason="" if verdict in GOOD else "since it is so",
        note="" if number % 2 else "a note",
        expected=expected,
        expected_reason="a reason" if expected else "",
        scope="every rank" if proved else "",
        assumptions=("sums are exact",) if proved else (),
        axioms=tuple(Axiom(f"{name}.law/A/axiom", "a law", "a book", Place("a")) for name in ("common", "user"))[:odd],
        uses=("proofs.a/b/theorem",),
        statement=f"{number:064x}",
        answers=answers if proved else {},
        queries=(Query(f"{number:064x}", answers),),
        voices=(voices,) if proved else (),
        hinted=proved,
        witness=None if refuted else example,
        counterexample=example if refuted else None,
        mend=verdict in FINDINGS,
    )


def small() -> list[Result]:
    """Each kind of obligation with each verdict, expected or not; and each example."""
    rows: list[tuple[Kind, VerdictName, str, Example | None]] = []
    (plain, *others) = examples()
    for kind in KINDS:
        for verdict in NAMES:
            rows += [(kind, verdict, expected, plain) for expected in ("", verdict, "unknown")]
    for example in others:
        rows += [(Kind.REFINES, verdict, "", example) for verdict in (VerdictName.REFUTED, VerdictName.HOLDS)]
    return [result_of(number, *row) for number, row in enumerate(rows)]


def test_every_form_of_each_kind(tmp_path: Path) -> None:
    """No kind of obligation, verdict or value ends a form."""
    every_form(small(), tmp_path)


def surprises(results: Sequence[Result]) -> list[Result]:
    """The same records as if the texts expected something else: then each is told in full."""
    return [replace(one, expected="refuted" if one.verdict == "proved" else "proved") for one in results]


EMPTY = """operator One version 1 user
types int = int8
attribute value : tensor of T
output Y : tensor of T
[C1] constraint "value has no elements" : rank(value) = 1 and value.shape[0] = 0
[E1] error "value has elements" : when C1 fails
shape Y = value.shape
value Y[i] = value[i]
"""


def test_commands_about_an_attribute_that_is_a_tensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its text to what is printed: the only tensor has no element."""
    (tmp_path / "one.sonnx").write_text(EMPTY, "utf-8")
    monkeypatch.chdir(tmp_path)
    name = "user.One-1.int/spec/satisfiable"

    def said(*args: str) -> str:
        done = CliRunner().invoke(main, [*args, "--quiet"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    made = json.loads(said("check", name, "--format", "json"))
    (one,) = made["obligations"]
    assert problems("check", made) == []
    assert one["witness"]["attributes"] == {"value": {"dtype": "int8", "shape": [0], "data": []}}
    assert json.loads(said("explain", "--counterexample", name, "--format", "json")) == one
    assert "value" in said("explain", "--counterexample", name)
    assert "value = np.array(" in said("explain", "--counterexample", name, "--export", "numpy")
    said("evidence", name, "--out", "evidence.tar.gz")
    files, _ = unpacked(Path("evidence.tar.gz"))
    assert json.loads(files["check.json"])["obligations"] == [one]
    assert name in repr(sonnx_verify.counterexample(name))


# ----------------------------------------------------------------------------------------------------- the library


def of_the_library(monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    """The results of the whole library. They are decided here if no cache has them."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SONNX_VERIFY_JOBS")
    # The cache of whoever runs this: only there `make verify` leaves something.
    if own := os.environ["SONNX_VERIFY_OWN_CACHE"]:
        monkeypatch.setenv("SONNX_VERIFY_CACHE", own)
    else:
        monkeypatch.delenv("SONNX_VERIFY_CACHE")
    return list(sonnx_verify.check())


@pytest.mark.integrations
def test_every_form_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the records are, and as if each were a surprise."""
    results = of_the_library(monkeypatch)

    assert len(results) > 1000
    every_form(results, tmp_path)
    as_text(surprises(results))
    as_reports(surprises(results))
