"""Expressions as LaTeX: every kind of node, with as few parentheses as the text needs, and valid for TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latexwalker import LatexWalker

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Library
from sonnx_verify.language.kinds import INDEX, INT, SHAPE, Kind, Kinds
from sonnx_verify.language.parser import EXPRESSION_RULES, parse_expression
from sonnx_verify.language.project import Project
from sonnx_verify.pages.render.formal import Formal
from sonnx_verify.pages.render.latex import latex
from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.render.precedence import chain, levels
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]
T = Kind("T")
SCOPE = Kinds(
    {
        "X": Kind("list", Kind("tensor", T)),
        "Y": Kind("tensor", T),
        "S": SHAPE,
        "i": INDEX,
        "L": Kind("list", INT),
    }
)

SHOWN = {
    "if a < 0 then a + r else a": "\\begin{cases}\na + r & \\text{if } a < 0 \\\\\na & \\text{otherwise}\n\\end{cases}",
    "if p then a else if q then b else c": (
        "\\begin{cases}\na & \\text{if } p \\\\\nb & \\text{if } q \\\\\nc & \\text{otherwise}\n\\end{cases}"
    ),
    "for all k in 0 .. n - 1, m in X where k < m : k != m": (
        r"\forall\ k \in [0, n - 1],\ m \in \text{positions}(X) \text{ with } k < m : k \ne m"
    ),
    "exists k in axes(Y) : Y.shape[k] = 0": r"\exists\ k \in \text{axes}(Y) : dY_k = 0",
    "a = b => not c = d": r"a = b \Rightarrow \neg (c = d)",
    "p iff q": r"p \Leftrightarrow q",
    "(p or q) and r": r"(p \lor q) \land r",
    "p or (q and r)": r"p \lor q \land r",
    "(p and q) and r": r"p \land q \land r",
    "(for all k in axes(Y) : p) and q": r"(\forall\ k \in \text{axes}(Y) : p) \land q",
    "0 <= k < rank(Y)": r"0 \le k < \text{rank}(Y)",
    "k in A": r"k \in A",
    "not k in A": r"k \notin A",
    "X[m] is dense": r"X_m \text{ is dense}",
    "X[m] is not dense": r"X_m \text{ is not dense}",
    "not is_nan(x)": r"x \text{ is not NaN}",
    "is_infinite(x) or is_zero(x)": r"x \text{ is infinite} \lor x \text{ is a zero}",
    "C1 fails": r"\text{C1 does not hold}",
    "a - (b - c)": "a - (b - c)",
    "(a - b) - c": "a - b - c",
    "a + (-b)": "a + (-b)",
    "(a + b) * c": r"(a + b) \cdot c",
    "-(a * b)": r"-(a \cdot b)",
    "2^31 - 1": "2^{31} - 1",
    "0.25": "0.25",
    'mode = "fast_one"': r'\text{mode} = \text{"fast\_one"}',
    "X[m][i]": "X_m[i]",
    "Y[[0, 1]]": "Y[0, 1]",
    "S[k + 1]": "S_{k + 1}",
    "L[0 .. n]": "L_{[0, n]}",
    "X[m].shape[k]": "dX_{m, k}",
    "Y.shape": r"\text{shape}(Y)",
    "-T.infinity": r"-\infty",
    "T.lowest": r"\text{lowest}(T)",
    "count(L)": r"\lvert L \rvert",
    "floor(x) + ceil(x)": r"\left\lfloor x \right\rfloor + \left\lceil x \right\rceil",
    "div(a + 1, 2)": r"\left\lfloor \frac{a + 1}{2} \right\rfloor",
    "div(a, b)": r"\text{div}(a, b)",
    "mod(a + 1, 2)": r"(a + 1) \bmod 2",
    "mod(a, -2)": r"\text{mod}(a, -2)",
    "ieee_equal(x, y)": r"x =_{\text{IEEE}} y",
    "given(axes)": r"\text{axes} \text{ is given}",
    "Flip(A with axis = 0)": r"\text{Flip}(A; \text{axis} = 0)",
    "maximum { X[m][i] | m in 0 .. n }": r"\underset{m \in [0, n]}{\text{maximum}}\ X_m[i]",
    "[a, b]": r"\langle a, b \rangle",
    "any NaN": r"\text{any } \text{NaN}",
    "within a + b of c": r"\text{within } a + b \text{ of } c",
    "within b of c in l .. h": r"\text{within } b \text{ of } c \text{ from } l \text{ to } h",
    "within 2 steps of c in a .. b": (r"\text{within } 2 \text{ steps of } c \text{ from } a \text{ to } b"),
    "{ k * k | k in 0 .. n where k != 1 }": r"\lbrace k \cdot k \mid k \in [0, n] \text{ with } k \ne 1 \rbrace",
    "sum { a + b | k in A }": r"\sum_{k \in A} (a + b)",
    "sum { a | k in A } * b": r"\left( \sum_{k \in A} a \right) \cdot b",
    "max { k | k in A } default 7": r"\max_{k \in A} k\ \text{(of none: }7\text{)}",
    "greatest V by ascending": r"\text{greatest by }\text{ascending}\ V",
    "the { k | k in A }": r"\underset{k \in A}{\text{the}}\ k",
    "count { k | k in A }": r"\text{count}\ \lbrace k \mid k \in A \rbrace",
    "all { k > 0 | k in A }": r"\bigwedge_{k \in A} (k > 0)",
    "shape (k in axes(S) where k != 0 -> S[k])": (
        r"\text{shape}\left( S_k \right)_{k \in \text{axes}(S) \text{ with } k \ne 0}"
    ),
    "tensor (j in S -> Y[j])": r"\text{tensor}\left( Y[j] \right)_{j \in \text{indices}(S)}",
    "(i with [k] = 0)": r"i[k \mapsto 0]",
    "in_range(a_b, T(0))": r"\text{in\_range}(\text{a\_b}, T(0))",
}
"""Expressions and their formulas, with names of the kinds in SCOPE."""


def node(text: str) -> s.Expression:
    return parse_expression(Source("text", text))


@pytest.mark.parametrize("text", SHOWN)
def test_formula(text: str) -> None:
    assert latex(node(text), SCOPE) == SHOWN[text]


def test_every_kind_of_node_has_an_example() -> None:
    """A kind that is added to the language has no formula until somebody writes it: the type checker says so."""
    assert {type(part) for text in SHOWN for part in s.every(node(text))} == set(s.KINDS)


def test_precedence_is_that_of_the_grammar() -> None:
    assert levels() == (
        "expression", "implication", "disjunction", "conjunction", "negation", "comparison",
        "sum", "product", "unary", "power", "postfix", "atom",
    )  # fmt: skip  # a table
    rule_of = {kind: rule for rule, kinds in chain() for kind in kinds}
    parts = {"arguments", "binders", "binder", "range", "setting", "default", "where"}
    assert rule_of.keys() == EXPRESSION_RULES - parts
    assert rule_of["iff"] == "implication"
    assert rule_of["replaced"] == "atom"


def test_a_set_of_results_has_elements_as_sets() -> None:
    text = node("if is_nan(x) then any NaN else if p then x else near(x)")
    shown = latex(text, Kinds({}, {"near": Kind("set", T)}), results=True)

    assert r"\text{any } \text{NaN} &" in shown
    assert r"\lbrace x \rbrace &" in shown
    assert r"\text{near}(x) &" in shown


@pytest.mark.parametrize(("name", "shown"), [("k", "k"), ("a_b", r"\text{a\_b}"), ("X0", r"\text{X0}")])
def test_name(name: str, shown: str) -> None:
    assert identifier(name) == shown


# ---------------------------------------------------------------------------------------------- parentheses, by reading

BACK = {
    r"\Rightarrow": "=>", r"\Leftrightarrow": "iff", r"\lor": "or", r"\land": "and", r"\neg": "not", r"\le": "<=",
    r"\ne": "!=", r"\ge": ">=", r"\cdot": "*",
}  # fmt: skip  # a table
NUMBERS = st.recursive(
    st.sampled_from("abc"),
    lambda x: st.one_of(
        st.tuples(x, st.sampled_from("+-*"), x).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        x.map(lambda t: f"-({t})"),
        x.map(lambda t: f"({t})^2"),
    ),
    max_leaves=6,
)
CONDITIONS = st.recursive(
    st.tuples(NUMBERS, st.sampled_from(["=", "<", ">=", "!="]), NUMBERS).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
    lambda x: st.one_of(
        st.tuples(x, st.sampled_from(["and", "or", "=>", "iff"]), x).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        x.map(lambda t: f"not ({t})"),
    ),
    max_leaves=6,
)


def bare(value: object) -> object:
    """The form without parentheses; `and`, `or`, and what begins a sum or a product, as the parser groups it."""
    if not isinstance(value, tuple):
        return value
    if value[:1] == (s.Group,):
        return bare(value[1])
    form: tuple[Any, ...] = tuple(map(bare, value))
    match form:
        case (s.Conjunction | s.Disjunction as kind, parts):
            flat: list[object] = []
            for part in parts:
                flat += part[1] if isinstance(part, tuple) and part[0] is kind else [part]
            return (kind, tuple(flat))
        case (s.Sum, ((s.Sum, first, signs), *rest), others):
            return (s.Sum, (*first, *rest), (*signs, *others))
        case _:
            return form


def read_back(formula: str) -> str:
    text = formula.replace(r"\left(", "(").replace(r"\right)", ")")
    text = re.sub(r"\^\{(\d+)\}", r"^\1", text)
    return re.sub(r"\\[A-Za-z]+", lambda m: BACK[m[0]], text)


@settings(max_examples=300, deadline=None)
@given(CONDITIONS | NUMBERS)
def test_parentheses_are_enough_and_none_is_too_many(text: str) -> None:
    """The formula, read with the precedence of the grammar, is the expression; without any one pair of its parentheses
    it is another one, but for two that readers are used to: what is denied, and a sign behind a sign."""
    tree = node(text)
    back = read_back(latex(tree))
    assert bare(s.form(node(back))) == bare(s.form(tree))
    for start, end in pairs(back):
        without = f"{back[:start]} {back[start + 1 : end]} {back[end + 1 :]}"
        before = back[:start].rstrip()
        sign = back[start + 1] == "-" and before.endswith(("-", "+", "*"))
        if not (sign or before.endswith("not")):
            assert reading(without) != bare(s.form(tree)), (back, without)


def reading(text: str) -> object:
    from sonnx_verify.errors import UserError

    try:
        return bare(s.form(node(text)))
    except UserError:
        return None


def pairs(text: str) -> Iterator[tuple[int, int]]:
    opened: list[int] = []
    for place, character in enumerate(text):
        if character == "(":
            opened.append(place)
        elif character == ")":
            yield opened.pop(), place


# ------------------------------------------------------------------------------------------------- the whole library


def formals() -> Iterator[tuple[str, Formal]]:
    project = Project.open(ROOT)
    for unit in project.units:
        assert unit.file is not None
        yield unit.operator, Formal.of(unit.file, project.library(unit))


def test_every_text_of_the_library_is_valid_latex() -> None:
    """Parsed strictly, with what TeX wants in pairs in pairs."""
    count = 0
    every: set[str] = set()
    for name, formal in formals():
        for item in formal.items():
            every.add(item.formula)
            assert item.formula.count(r"\left") == item.formula.count(r"\right") + item.formula.count(
                r"\leftrightarrow"
            )
            assert not re.search(r"[|$#%]|\\[,;:!{}]", item.formula), (name, item.formula)
            count += 1
    assert count > 500
    # Many stand in several texts. One that is not valid is an error that shows it.
    for formula in sorted(every):
        LatexWalker(formula, tolerant_parsing=False).get_latex_nodes()


def test_no_library_is_needed() -> None:
    """What is known of names only makes formulas nicer."""
    project = Project.open(ROOT)
    unit = project.find("sonnx", "Max")
    assert unit is not None
    assert unit.file is not None
    items = {i.name: i.formula for i in Formal.of(unit.file, Library()).items()}

    assert items["Y.value"] == r"Y[i] = \underset{m \in [0, L]}{\text{maximum}}\ Z[m][i]"
