"""Texts that once made the tool say `proved` of something false. Each folder is a small project.

`expected` says, for every folder, what must come out: `error` where the text is refused, else the verdict of the
obligation that was the false claim.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sonnx_verify.api.functions import prove
from sonnx_verify.api.select import select
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.solvers import Solvers

HERE = Path(__file__).parent
ERROR = "error"
OTHERS = ("__pycache__", "statements")  # the second is asked in test_statements.py
EXPECTED: dict[str, dict[str, str] | str] = {
    "order_of_one_name": ERROR,
    "order_of_one_name_in_refines": ERROR,
    "order_on_another_type": {"user.a2.int/t/theorem": "refuted"},
    "order_of_a_lemma": {"user.Op-1.int/wrong/theorem": "refuted"},
    "order_of_another_family": {"user.d1.float/wrong/theorem": "refuted"},
    "order_that_speaks_of_t": {"user.d2.int/wrong/theorem": "refuted"},
    "family_of_abstract_elements": {
        "user.d3c.float/contra/theorem": "refuted",
        "user.d3c.float/contra2/theorem": "proved",
    },
    "order_without_types_in_library": ERROR,
    "order_without_types": ERROR,
    "induction_on_a_taken_name": ERROR,
    "two_theorems_of_one_name": ERROR,
    "theorem_and_order_of_one_name": ERROR,
    "two_clauses_of_one_tag": ERROR,
    "reserved_tag": ERROR,
    "holds_in_a_circle": {"user.F-1.int/C1/holds": "refuted", "user.F-1.int/C2/holds": "refuted"},
    "input_named_as_an_output": {"user.Renamed-1.int/spec/refines": "refuted"},
    "rank_of_an_output": {"user.Renamed-1.int/spec/refines": "refuted", "user.Other-1.int/spec/refines": "proved"},
    "restriction_in_a_guard": {"user.H-1.int/Y/determined": "vacuous"},
    "arity_of_the_standard": ERROR,
    "types_of_the_standard": ERROR,
    "signature_of_the_standard": ERROR,
    "unspecified_result": {"user.G-1.int/Y/determined": "refuted"},
    "unspecified_in_a_profile": {"sonnx.Foo-1.int/spec/refines": "refuted"},
    "fact_of_a_made_tensor": ERROR,
    "fact_of_an_output": ERROR,
    "fact_of_another_library": ERROR,
    "negative_length": {"user.b13/t/theorem": "refuted", "user.b13/u/theorem": "refuted"},
    "family_of_a_list": {"user.a16.int/t/theorem": "refuted"},
    "vacuous_for_one_type": {"user.a15.int/t/theorem": "proved"},
    "where_relies_on_a_constraint": {"user.F-1.int/Z/in-bounds": "refuted"},
    "let_named_like_a_tag": ERROR,
    "expectation_in_a_theory": ERROR,
    "length_that_is_declared": {"user.a13/t/theorem": "refuted"},
    "let_in_an_error": {"user.F-1.int/n/in-bounds": "refuted"},
    "let_replaced_above_a_clause": {"user.F-2.int/n/in-bounds": "refuted"},
    "clause_replaced_above_a_let": ERROR,
    "restriction_added_below_a_let": {"user.F-1.int/n/in-bounds": "proved", "user.F-2.int/n/in-bounds": "refuted"},
    "unwritten_attribute": {
        "user.laws.int/default/theorem": "refuted",
        "user.laws.int/omitted/theorem": "refuted",
        "user.laws.int/shared/theorem": "refuted",
        "user.laws.int/half/theorem": "refuted",
        "user.laws.int/through/theorem": "refuted",
        "user.laws.int/nobody/theorem": "vacuous",
        "user.laws.int/written/theorem": "proved",
        "user.laws.int/any/theorem": "proved",
        "user.laws.int/text/theorem": "proved",
    },
    "attribute_never_left_out": {
        "user.laws.int/valid/theorem": "refuted",
        "user.laws.int/same/theorem": "refuted",
        "user.laws.int/left/theorem": "refuted",
        "user.laws.int/written/theorem": "proved",
    },
    "optional_input": {
        "user.Bias-1.int/Y.value/in-bounds": "refuted",
        "user.Bias-1.int/C3/in-bounds": "refuted",
        "user.Bias-1.int/C3/holds": "refuted",
        "user.laws.int/ignored/theorem": "refuted",
        "user.laws.int/alone/theorem": "proved",
    },
    "given_of_the_other": {"sonnx.Foo-1.int/spec/refines": "refuted"},
    "default_of_the_standard": {"sonnx.Foo-1.int/spec/refines": "refuted"},
    "optional_here_only": {"sonnx.Foo-1.int/spec/refines": "refuted"},
    "required_here_only": ERROR,
    "attribute_of_the_standard": ERROR,
    "attribute_left_out_in_an_operator": ERROR,
    "fact_called_given": ERROR,
    "definition_of_given": ERROR,
    "default_that_is_not_allowed": ERROR,
    "two_types_of_one_variable": ERROR,
    "lemma_without_restrictions": {"user.laws.int/a/theorem": "proved", "user.laws.int/b/theorem": "refuted"},
    "lemma_of_the_operator": {
        "user.laws/a/theorem": "refuted",
        "user.Same-1.int/Y/determined": "unknown",
        "user.Same-1.int/b/theorem": "refuted",
    },
    "lemma_under_a_restriction": {
        "user.laws.int/lemma/theorem": "proved",
        "user.laws.int/false_law/theorem": "refuted",
    },
    "lemma_of_another_type": ERROR,
    "lemma_of_another_family": {"user.plain/zero/theorem": "proved", "user.laws.float/false_law/theorem": "refuted"},
    "lemma_of_another_variable": ERROR,
    "lemma_of_two_types": ERROR,
    "lemma_of_the_operator_beside_a_theorem": {
        "user.Op-1.int/Y.value/in-bounds": "proved",
        "user.Op-1.int/other/theorem": "refuted",
        "user.Op-1.float/up/theorem": "refuted",
    },
    "list_numbered_from_1": {"user.laws/false_law/theorem": "refuted"},
    "lemma_of_another_folder": {"user.main/false_law/theorem": "unknown"},
    "exact_calls_what_wraps": ERROR,
    "exact_calls_a_number_that_wraps": ERROR,
    "number_beside_an_element_that_wraps": ERROR,
    "exact_hides_an_overflow": {
        "user.G-1.int/Y.value/total": "refuted",
        "user.K-1.int/Y.value/total": "refuted",
        "user.L-1.int/Y.value/total": "refuted",
    },
    "lemma_about_its_own_operator": {
        "user.laws.int/of_f/theorem": "proved",
        "user.F-1.int/Y.value/in-bounds": "proved",
    },
    "holds_for_the_first_type": {"user.Wide-1.int/C1/satisfiable": "violated"},
    "sides_that_one_type_lacks": {"user.a.int/t/theorem": "proved"},
    "exact_applies_an_operator": {"user.Outer-1.int/R2/independent": "violated"},
    "list_of_set": ERROR,
    "list_of_index": ERROR,
    "error_outside_the_model": ERROR,
    "constraint_outside_the_model": ERROR,
    "error_of_the_standard": {"sonnx.Foo-1.int/spec/refines": "refuted"},
    "operator_beyond_its_restrictions": {
        "user.Outer-1.int/Y.value/total": "refuted",
        "user.Narrow-1.int/Y.value/total": "proved",
        "user.Narrow-1.int/Y/determined": "proved",
    },
    "fails_of_what_has_no_meaning": {"user.Junk-1.int/C1/covered": "refuted", "user.Junk-1.int/C2/covered": "proved"},
    "outcome_under_its_own_negation": {"user.Open-1.int/outcome/in-bounds": "refuted"},
    "outcome_outside_validity": {"sonnx.Foo-1.int/spec/refines": "refuted"},
    "meaningless_operator_in_a_theorem": {
        "user.laws.int/t/theorem": "unknown",
        "user.laws.int/u/theorem": "unknown",
        "user.laws.int/v/theorem": "unknown",
        "user.laws.int/refuted/theorem": "refuted",
        "user.Through-1.int/Y/determined": "unknown",
    },
    "meaningless_standard": {
        "onnx.Foo-1.int/C1/in-bounds": "refuted",
        "sonnx.Foo-1.int/spec/refines": "unknown",
        "sonnx.Foo-1.int/spec/narrowing": "unknown",
    },
    "two_operators_of_one_name": ERROR,
    "operator_of_another_type": ERROR,
    "negative_bound": {"user.S-1.float/Y/determined": "refuted"},
    "fold_over_a_set": ERROR,
    "recursion_with_another_argument": ERROR,
    "lemmas_in_a_circle": ERROR,
    "lemma_not_above": ERROR,
    "proof_scripts": {
        "user.recursion/t/theorem": "proved",
        "user.recursion/below/theorem": "refuted",
        "user.recursion/below2/theorem": "refuted",
        "user.recursion/below3/theorem": "refuted",
        "user.induction/bad/theorem": "refuted",
        "user.induction/all_below/theorem": "proved",
        "user.induction/outside/theorem": "refuted",
        "user.induction/empty_range/theorem": "vacuous",
        "user.induction/from_empty/theorem": "refuted",
        "user.names/user/theorem": "unknown",
        "user.names/outside/theorem": "refuted",
        "user.names/outside_index/theorem": "refuted",
        "user.names/div_zero/theorem": "refuted",
        "user.filters/keeps_all/theorem": "refuted",
        "user.filters/none/theorem": "refuted",
        "user.filters/order/theorem": "refuted",
        "user.filters/negative/theorem": "refuted",
        "user.filters/bounds_of_filter/theorem": "refuted",
        "user.filters/true_one/theorem": "proved",
    },
}


def test_every_folder_is_asked() -> None:
    """No attack is forgotten."""
    assert sorted(EXPECTED) == sorted(p.name for p in HERE.iterdir() if p.is_dir() and p.name not in OTHERS)


@pytest.fixture(scope="module")
def solvers() -> object:
    """One pair of solvers for all."""
    with Solvers() as made:
        yield made


@pytest.mark.parametrize("name", EXPECTED)
def test_attack(name: str, solvers: Solvers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A false claim is not proved: it is refuted, or the text is refused."""
    monkeypatch.chdir(HERE / name)
    assert_repelled(name, solvers)


def assert_repelled(name: str, solvers: Solvers) -> None:
    """Decide the folder of that name, which is the current one, and hold it against what is expected."""
    selection = select(())
    records = {record.id: record for record in run(selection.obligations, solvers)}
    errors = [*selection.errors, *(r.error for r in records.values() if r.error is not None)]
    expected = EXPECTED[name]
    if isinstance(expected, str):
        assert errors
        assert all(e.span is not None and e.cure for e in errors)
        return

    assert {identity: records[identity].verdict.name for identity in expected} == expected


@pytest.mark.parametrize("asked", [("x/main.sonnx", "y/laws.sonnx"), ("x/main.sonnx",)])
def test_lemma_of_another_folder(asked: tuple[str, ...], solvers: Solvers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lemma that is used is decided, not the one of its name that was asked for and is true."""
    monkeypatch.chdir(HERE / "lemma_of_another_folder")
    selection = select(asked)
    records = {r.id: r for r in run(selection.obligations, solvers, selection.needed())}

    assert records["user.main/false_law/theorem"].verdict.name == "unknown"


def test_what_a_theorem_presumes_is_decided(solvers: Solvers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where only the theorem is asked for; the reason names what has no meaning."""
    monkeypatch.chdir(HERE / "meaningless_operator_in_a_theorem")
    selection = select(("user.laws.int/v/theorem",))
    (record,) = run(selection.obligations, solvers, selection.needed())

    assert record.verdict.name == "unknown"
    assert record.verdict.reason == "depends on user.Bad-1.int/Y.shape/total, which is refuted"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        # One result is a scalar, and the other empty: no element is read.
        ("Plus(A, B) = Plus(B, A)", "refuted"),
        ("Plus(A, B) = Plus(A, B)", "unknown"),
        # False only where the value beyond B is some other one: that is no counterexample.
        (
            "for A, B : tensor of T assuming rank(A) = 0 and rank(B) = 1 and B.shape[0] = 0 : Plus(A, B) = A",
            "candidate",
        ),
    ],
)
def test_what_is_refuted_waits_for_nothing(
    statement: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an operator without a meaning nothing is proved; what is refuted of it was replayed, without such a read."""
    text = """\
operator Plus version 1 user
types int = int8
input  A : tensor of T
input  B : tensor of T
output Y : tensor of T
shape Y    = A.shape
value Y[i] = A[i] + B[i]
"""
    (tmp_path / "plus.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)

    assert {r.verdict for r in prove(statement, cached=False).results} == {verdict}
