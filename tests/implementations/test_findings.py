"""The catalogue of findings: what it is made of, and the lines that reproduce them."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.conformance.inputs.misuse import Fault
from sonnx_verify.conformance.records.ledger import LEDGERS, Ledger
from sonnx_verify.errors import UserError

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> ModuleType:
    """A tool of the project: tools are no package that is installed."""
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


findings = tool("findings")
reproductions = tool("reproductions")


def test_the_catalogue_is_made_of_the_ledgers() -> None:
    """Each divergence is in one finding, and each finding in the list and on the page of its group."""
    ledgers = findings.ledgers()
    found = findings.findings(findings.seen_in(ledgers))
    made = findings.pages()

    assert set(made) == {"findings/index.md", *(f"findings/{group}.md" for group in findings.Group)}
    for one in found:
        assert f"\n## {one.id}\n" in made[f"findings/{one.cause.group}.md"]
        assert f"| [{one.id}]({one.cause.group}.md#{one.id}) |" in made["findings/index.md"]
    listed = [one.id for finding in found for one in finding.seen if one.kind != "invalid-call"]
    assert sorted(listed) == sorted({i for x in ledgers for e in x.operators.values() for i in e["divergences"]})
    assert len({finding.id for finding in found}) == len(found)


def of(text: str = "sonnx.Max-13", **changes: Any) -> list[Any]:
    """The findings on a ledger with one divergence: Max of 0 and -0, changed."""
    tensor = {"dtype": "float", "shape": [2], "data": [0.0, 1.0], "bits": ["0x00000000", "0x3f800000"]}
    one: dict[str, Any] = {"kind": "value", "title": "", "types": ["float"], "inputs": {"X0": tensor}}
    one |= {"attributes": {}, "omitted": [], "presentation": None, "repro": "false"}
    one |= {"expected": result(Y=tensor), "got": result(Y=tensor)} | changes
    entry = {"scope": {}, "unsupported": {}, "divergences": {f"t/{text}/x": one}}
    return list(findings.findings(findings.seen_in([Ledger("t", "1", {text: entry})])))


def result(**outputs: Mapping[str, Any]) -> dict[str, Any]:
    """A result as a ledger has it."""
    return {"outcome": "result", "outputs": outputs}


def floats(*bits: int) -> dict[str, Any]:
    """A tensor of float32."""
    return {"dtype": "float", "shape": [len(bits)], "data": [0.0] * len(bits), "bits": [f"0x{b:08x}" for b in bits]}


def test_groups_and_severities_follow_from_the_kind() -> None:
    """A crash is critical and marked. A value is of IEEE, unless the right elements stand elsewhere."""
    (crash,) = of(kind="crash", got={"outcome": "crashed", "said": "the process was ended by SIGSEGV"})
    (value,) = of(got=result(Y=floats(0, 0x40000000)))
    (moved,) = of(got=result(Y=floats(0x3F800000, 0)))

    assert (crash.cause.group, crash.severity, crash.marks) == ("crash", "critical", ["crash"])
    assert (value.cause.group, value.severity, value.marks) == ("ieee", "high", [])
    assert (moved.cause.group, moved.severity) == ("structural", "high")
    for one in (crash, value, moved):
        assert one.first.standard.words == "gives `float (2) [0.0, 1.0]`"
        assert one.first.judged.profile.rules[0] == "shape Y = common_shape(shapes(X))"


def test_what_the_standard_allows_is_less_severe() -> None:
    """The same kind against a clause of both, and against one of the profile alone."""
    scalar = {"dtype": "int32", "shape": [], "data": 0}
    base: dict[str, Any] = {
        "text": "sonnx.ReduceMax-20",
        "kind": "accepts",
        "types": ["int32"],
        "got": result(reduced=scalar),
    }
    axes = {"dtype": "int64", "shape": [1], "data": [0]}
    given: dict[str, Any] = {
        "attributes": {"keepdims": 1, "noop_with_empty_axes": 0},
        "inputs": {"data": scalar, "axes": axes},
    }
    (both,) = of(**base, **given, expected={"outcome": "rejected", "clauses": ["C2"]})
    given = {"attributes": {"keepdims": 7, "noop_with_empty_axes": 0}, "inputs": {"data": scalar}, "omitted": ["axes"]}
    (own,) = of(**base, **given, expected={"outcome": "rejected", "clauses": ["C4"]})

    assert both.severity == "medium"
    assert (both.first.standard.stance, both.first.standard.tags) == ("rejects the input", ("C1",))
    assert own.severity == "low"
    assert (own.first.standard.stance, own.first.standard.tags) == ("leaves it open", ("U_KEEPDIMS",))
    assert own.first.judged.profile.tags == ("C4", "E4")
    assert [row[0] for row in own.first.judged.decisions] == ["keepdims other than 0 and 1"]


def test_a_call_is_translated_between_one_and_two_type_variables() -> None:
    """The profile has one type for both inputs of Pow, the standard one for each: what both have is in both."""

    def integer(dtype: str, value: int) -> dict[str, Any]:
        return {"dtype": dtype, "shape": [], "data": value}

    wrong = {"got": result(Z=integer("int32", 9)), "expected": result(Z=integer("int32", 2))}
    base = integer("int32", 2)
    (own,) = of("sonnx.Pow-15", types=["int32"], inputs={"X": base, "Y": integer("int32", 1)}, **wrong)
    (same,) = of("onnx.Pow-15", types=["int32-int32"], inputs={"X": base, "Y": integer("int32", 1)}, **wrong)
    (other,) = of("onnx.Pow-15", types=["int32-int64"], inputs={"X": base, "Y": integer("int64", 1)}, **wrong)

    for one in (own, same):
        assert (one.first.standard.stance, one.first.judged.profile.stance) == ("gives a result", "gives a result")
    assert other.first.standard.stance == "gives a result"
    assert other.first.judged.profile.stance == "does not cover this call"


def test_what_no_text_is_about_is_listed() -> None:
    """A divergence of an operator, or of an attribute, that the texts have not is a finding all the same."""
    (gone,) = of("sonnx.Gone-1", got=result(Y=floats(0, 1)))
    (other,) = of(attributes={"gone": 1}, got=result(Y=floats(0, 1)))

    for one in (gone, other):
        assert one.first.standard.stance == "has no formal text for this operator"
        assert "The profile" in "\n".join(findings._section(one))


def test_a_call_outside_of_the_signature_is_one_finding() -> None:
    """It is one with all operators, whatever their inputs are called; no text speaks of it."""
    died = {"kind": "crash", "title": "crash: omitted", "got": {"outcome": "crashed"}}
    rows = {"sonnx.Max-13": Fault("omitted-last", "X"), "onnx.Min-13": Fault("omitted-last", "data_0")}
    rows["onnx.Max-13"] = Fault("ir-0")
    operators = {}
    for text, misuse in rows.items():
        (found,) = of(text, **died, expected={"outcome": "open"}, misuse=msgspec.to_builtins(misuse))
        operators[text] = {"scope": {}, "unsupported": {}, "divergences": {found.first.id: found.first.one}}
    made = findings.findings(findings.seen_in([Ledger("t", "1", operators)]))

    assert [one.id for one in made] == ["t-crash-ir-0", "t-crash-omitted-last"]
    assert [one.operators for one in made] == [["onnx.Max-13"], ["onnx.Min-13", "sonnx.Max-13"]]
    for one in made:
        assert (one.cause.group, one.severity, one.title) == ("crash", "critical", died["title"])
        assert one.first.standard.stance == "does not cover this call"
        text = "\n".join(findings._section(one))
        # They are called with one type: of others nothing is known.
        assert f"- `{one.first.operator}`: called with float only" in text
        assert f"| call | `{one.first.misuse.name}`" in text


def test_one_finding_in_two_versions() -> None:
    """The same divergence in two ledgers is listed once, with both versions."""
    (one,) = of(got=result(Y=floats(0, 1)))
    entry = {"scope": {}, "unsupported": {}, "divergences": {one.first.id: one.first.one}}
    ledgers = [Ledger("t", version, {"sonnx.Max-13": entry}) for version in ("1", "2")]

    (found,) = findings.findings(findings.seen_in(ledgers))
    assert (found.versions, len(found.seen)) == (["1", "2"], 1)


def test_a_proof_is_in_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger of a proof has neither a number of inputs nor levels: its verdict stands there."""
    shutil.copytree(Path(__file__).with_name("project"), tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    words = "conform user.Same-1 --against python:targets:plus_one --short --bound rank=0 --update-ledger"
    assert CliRunner().invoke(main, words.split()).exit_code == 1
    monkeypatch.setattr(findings, "ROOT", tmp_path)
    ledgers = findings.ledgers()
    found = findings.findings(findings.seen_in(ledgers))

    (one,) = found
    assert (one.first.operator, one.cause.kind) == ("user.Same-1", "value")
    row = "| python:targets:plus_one 1.0 | `user.Same-1` | proof | 1 | refuted |  |"
    assert row in findings.pages()["findings/index.md"].splitlines()


def test_refusals_of_the_same_types_are_one_finding() -> None:
    """In whatever words: a runtime that lacks a type says so of each input in another way. Of other types it is another
    finding."""
    said: dict[str, Any] = {"kind": "refuses", "expected": result(Y=floats(0))}
    rows = [("a", ["float"]), ("b", ["float"]), ("c", ["double"]), ("d", ["float"]), ("a", ["float", "double"])]
    divergences = {}
    for n, (words, types) in enumerate(rows):
        (one,) = of(**said, types=types, got={"outcome": "refused", "said": words})
        divergences[f"t/{n}"] = one.first.one
    entry = {"scope": {}, "unsupported": {}, "divergences": divergences}

    found = findings.findings(findings.seen_in([Ledger("t", "1", {"sonnx.Max-13": entry})]))
    assert sorted(sorted(one.id for one in finding.seen) for finding in found) == [
        ["t/0", "t/1", "t/3", "t/4"],
        ["t/2"],
    ]


def test_a_wrong_declaration_is_one_finding_of_low_rank() -> None:
    """The texts are about what the node gives: none of them rejects it for what the model declares."""
    given = {"attributes": {"value_int": 1}, "inputs": {}, "kind": "declared-type", "types": ["int8"]}
    got = result(output={"dtype": "int64", "shape": [], "data": 1})
    (one,) = of("sonnx.Constant-25", **given, got=got, expected={"outcome": "rejected", "clauses": ["C3"]})

    assert (one.id, one.cause.group, one.severity) == ("t-declared-type", "error-handling", "low")
    assert one.first.standard.words == "does not cover this call"
    assert one.title == "gives another element type than the model declares"


def test_a_wrong_value_is_graded() -> None:
    """By the floats beyond the set, and by the share of the inputs that show it."""
    tensor = floats(0x3F800000, 0x3F800000)
    outside = {"output": "Y", "index": [0], "measure": "steps", "off": 9, "allowed": 3, "elements": 1}

    def graded(bits: int, failing: int, **more: Any) -> Any:
        (one,) = of(expected=result(Y=tensor), got=result(Y=floats(bits, bits)), **more)
        scope = {"of_types": {"float": {"inputs": 1000, "failing": {"value": failing}}, "double": {"inputs": 9}}}
        entry = {"scope": scope, "unsupported": {}, "divergences": {one.first.id: one.first.one}}
        (found,) = findings.findings(findings.seen_in([Ledger("t", "1", {"sonnx.Max-13": entry})]))
        return found

    far, rare, near, both = graded(0x40000000, 10), graded(0x40000000, 9), graded(0x3F800010, 10), graded(0x3F800010, 9)
    in_set, infinite = graded(0x3F800013, 9, outside=outside), graded(0x7F800000, 10)

    found = (far, rare, near, both, in_set, infinite)
    assert [one.severity for one in found] == ["high", "medium", "medium", "low", "low", "high"]
    assert [one.beyond for one in found] == [1 << 23, 1 << 23, 16, 16, 16, None]
    text = "\n".join(findings._section(both))
    assert "- At most 16 floats beyond what is allowed; shown by 9 of 1,000 inputs (0.9 %)." in text


def test_accepted_invalid_calls_are_findings_of_low_rank() -> None:
    """Those of one kind are one, with what the target returned; a ledger of an earlier version has names alone."""
    one = {"dtype": "int8", "shape": [], "data": 2}
    base = {"type": "int8", "calls": 2, "refused": 0, "inputs": {"X0": one}, "attributes": {}, "omitted": []}

    def call(kind: str, subject: str | None) -> dict[str, Any]:
        return {"misuse": {"kind": kind, "subject": subject}, "title": "mixed types", "got": result(Y=one)}

    accepted = {"mixed-T": call("mixed", "T"), "ir-0": call("ir-0", None)}
    rows = {"sonnx.Max-13": accepted, "sonnx.Min-13": {"mixed-U": call("mixed", "U")}, "onnx.Max-13": ["ir-0"]}
    operators = {
        name: {"scope": {"misuse": {**base, "accepted": calls}}, "unsupported": {}, "divergences": {}}
        for name, calls in rows.items()
    }
    first, second = findings.findings(findings.seen_in([Ledger("t", "1", operators)]))

    assert (first.id, first.severity, first.operators) == ("t-invalid-call-ir-0", "low", ["sonnx.Max-13"])
    assert (second.id, second.operators) == ("t-invalid-call-mixed", ["sonnx.Max-13", "sonnx.Min-13"])
    assert second.title == "accepts an invalid call: mixed types"
    text = "\n".join(findings._section(second))
    assert "| got | `int8 () 2` |" in text
    assert "Further inputs" not in text
    assert "sonnx-verify conform sonnx.Max-13 --against t --types int8 --short --format json" in text


def test_a_report_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside its finding, and in the list; of a divergence that is none it is an error."""
    (plain,) = of()
    (tmp_path / "spec" / "sonnx" / "max").mkdir(parents=True)
    path = tmp_path / "spec" / "sonnx" / "max" / "reported.json"
    row = {"url": "https://example.org/1", "date": "2026-11-30", "state": "confirmed"}
    path.write_text(json.dumps({plain.first.id: row}))
    monkeypatch.setattr(findings, "ROOT", tmp_path)
    (found,) = of()

    words = "[reported on 2026-11-30](https://example.org/1), confirmed"
    assert f"- {words}" in "\n".join(findings._section(found))
    assert findings._row_of(found)[-1] == words
    assert findings._row_of(plain)[-1] == ""
    path.write_text(json.dumps({"t/sonnx.Max-13/y": row}))
    with pytest.raises(UserError, match="there is no divergence `t/sonnx.Max-13/y`"):
        of()


def test_every_page_that_the_list_names_exists() -> None:
    """Of links and of files in the text."""
    made = findings.pages()
    names = re.findall(r"\]\(([\w./-]+\.md)(?:#[\w-]+)?\)|`([\w/]+\.(?:txt|json|md))`", made["findings/index.md"])
    files = {name for pair in names for name in pair if name}

    assert {"crash.md", "../conform.md"} <= files
    for name in files:
        folder = "docs/findings" if not name.startswith("../") else "docs/x"
        assert f"findings/{name}" in made or (ROOT / folder / name).resolve().is_file(), name


def test_an_identity_stays_when_another_finding_has_it() -> None:
    """Of two findings that the same words describe, the one that was known before keeps its identity."""
    said: dict[str, Any] = {"kind": "refuses", "expected": result(Y=floats(0))}
    (known,) = of(**said, got={"outcome": "refused", "said": "z"})
    (new,) = of(**said, types=["double"], got={"outcome": "refused", "said": "a"})
    assert known.id == new.id
    rows = {"1.9": {"t/1": known.first.one}, "1.10": {"t/1": known.first.one, "t/2": new.first.one}}
    ledgers = []
    for version, divergences in rows.items():
        entry = {"scope": {}, "unsupported": {}, "divergences": divergences}
        ledgers.append(Ledger("t", version, {"sonnx.Max-13": entry}))

    first, second = findings.findings(findings.seen_in(ledgers))
    assert (first.id, first.first.one["got"]["said"], first.versions) == (known.id, "z", ["1.9", "1.10"])
    assert second.id.startswith(f"{known.id}-")


@pytest.mark.parametrize("ledger", LEDGERS.all([ROOT]), ids=lambda ledger: f"{ledger.target}-{ledger.version}")
def test_a_line_shows_its_divergence(ledger: Ledger) -> None:
    """The first line of a ledger that has a result, in a new process and folder; something else would be seen."""
    known = dict(reproductions.of_ledgers())
    rows = [row for entry in ledger.operators.values() for row in entry["divergences"].items()]
    identity = next(i for i, one in rows if one["got"]["outcome"] == "result")
    if identity not in known:
        pytest.skip(f"{ledger.target} {ledger.version} is not installed")
    one = known[identity]
    done = reproductions.run(one["repro"])

    assert reproductions.difference(one, done) == ""
    for got in (
        {"outcome": "result", "outputs": one["expected"].get("outputs", {"Y": floats(1)})},
        {"outcome": "refused", "said": "other words"},
        {"outcome": "crashed"},
        {"outcome": "hung"},
    ):
        assert reproductions.difference({**one, "got": got}, done)


def test_a_line_over_two_fillings_prints_two_results() -> None:
    """What is read from memory that nobody wrote differs; what is not does not, and shows no divergence."""
    program = (
        'for f in 85 170; do export MALLOC_PERTURB_=$f; python -c "import ctypes; m = ctypes.CDLL(None); '
        'm.malloc.restype = ctypes.c_void_p; {}"; done'
    )
    one = {"got": {"outcome": "result", "outputs": {}, "varies": {}}}
    for statement, shown in (
        ("print(ctypes.string_at(m.malloc(9999), 9999))", True),
        ("import os; print(1); os.abort()", True),
        ("print(1)", False),
        ("print(1); exit(1)", False),
    ):
        done = reproductions.run(program.format(statement))
        assert (reproductions.difference(one, done) == "") is shown


def test_foreign_memory_is_critical() -> None:
    """As a finding of its own, and as a wrong value that varies."""
    (own,) = of(kind="foreign-memory", got={**result(Y=floats(0)), "varies": {"Y": [[0]]}})
    (value,) = of(got={**result(Y=floats(0)), "varies": {"Y": [[0]]}})

    for one in (own, value):
        assert (one.cause.group, one.severity) == ("crash", "critical")
        assert one.marks == ["returns foreign memory: the result varies with what memory holds"]
        assert "varies with what memory holds at [0]" in "\n".join(findings._section(one))
        assert not one.first.standard.allows


NEGATION = """operator Identity version 13 standard

types float = bfloat16

input  input  : tensor of T
output output : tensor of T

shape output    = input.shape
value output[i] = -input[i]
"""


def test_a_line_prints_what_numpy_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of bfloat16, of which onnxruntime makes no arrays: the negation of an element is not the element."""
    pytest.importorskip("onnxruntime")
    (tmp_path / "spec" / "onnx").mkdir(parents=True)
    (tmp_path / "spec" / "onnx" / "identity.sonnx").write_text(NEGATION)
    monkeypatch.chdir(tmp_path)
    words = ["conform", "onnx.Identity-13", "--against", "onnxruntime", "--short", "--random", "0", "--format", "json"]
    made = json.loads(CliRunner().invoke(main, words).output)

    for one in made["divergences"]:
        assert one["got"]["outcome"] == "result"
        assert reproductions.difference(one, reproductions.run(one["repro"])) == ""
    assert {one["kind"] for one in made["divergences"]} >= {"value"}
