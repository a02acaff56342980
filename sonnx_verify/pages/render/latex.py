"""Expressions of the language as LaTeX: one rule for each kind of node.

Only what code hosts and TeX both know is used. Where a text has a backslash before punctuation, as in `\\{`, code hosts
take it away in formulas inside of a line, so `\\lbrace` stands for it.
"""

from __future__ import annotations

import re
from typing import assert_never

from sonnx_verify.language import syntax as s
from sonnx_verify.language.kinds import Kind, Kinds
from sonnx_verify.pages.render import calls, ranging
from sonnx_verify.pages.render.names import enclosed, identifier, lowered, words
from sonnx_verify.pages.render.printer import Printer, Rendered

_RELATIONS = {
    s.Comparison.EQUAL: "=",
    s.Comparison.UNEQUAL: r"\ne",
    s.Comparison.LESS: "<",
    s.Comparison.AT_MOST: r"\le",
    s.Comparison.MORE: ">",
    s.Comparison.AT_LEAST: r"\ge",
}
_CONSTANTS = {"infinity": r"\infty"}


def latex(node: s.Expression, kinds: Kinds = Kinds(), *, results: bool = False) -> str:  # noqa: B008  # it is frozen
    """The formula of an expression. `results` says that it is a set of results."""
    return Printer(kinds, _shown, results).show(node)


def is_results(node: s.Expression, kinds: Kinds) -> bool:
    """Return whether an expression, as a value, is a set of results."""
    match node:
        case s.Group():
            return is_results(node.inner, kinds)
        case s.If():
            return is_results(node.then, kinds) or is_results(node.otherwise, kinds)
        case s.Within() | s.WithinSteps() | s.AnyOf():
            return True
        case s.Call(settings=()) | s.CallOnSet():
            return _is_set(node, kinds)
        case _:
            return False


def _is_set(node: s.Expression, kinds: Kinds) -> bool:
    kind = kinds.of(node)
    return kind is not None and kind.name == "set"


# ------------------------------------------------------------------------------------------------------- conditions


def _if(printer: Printer, node: s.If) -> Rendered:
    """Cases, one for each `if` in a chain."""
    rows = []
    rest: s.Expression = node
    while isinstance(rest, s.If):
        rows.append(rf"{_branch(printer, rest.then)} & \text{{if }} {printer.plain().show(rest.condition)}")
        other = rest.otherwise
        # `else (if ...)` goes on in the same list of cases.
        chained = isinstance(other, s.Group) and isinstance(other.inner, s.If)
        rest = s.bare(other) if chained else other
    rows.append(rf"{_branch(printer, rest)} & \text{{otherwise}}")
    return "\\begin{cases}\n" + " \\\\\n".join(rows) + "\n\\end{cases}", "expression"


def _branch(printer: Printer, node: s.Expression) -> str:
    # A branch of a set of results that is one element is the set of it alone.
    is_set = isinstance(node, s.If) or is_results(node, printer.kinds) or _is_set(node, printer.kinds)
    if printer.results and not is_set:
        return rf"\lbrace {printer.plain().show(node)} \rbrace"
    return printer.show(node)


def _implies(printer: Printer, node: s.Implies) -> Rendered:
    # `a => b => c` is `a => (b => c)`: the right side needs no parentheses.
    left, right = printer.at(node.left, "disjunction"), printer.at(node.right, "expression")
    return rf"{left} \Rightarrow {right}", "implication"


def _iff(printer: Printer, node: s.Iff) -> Rendered:
    left, right = printer.at(node.left, "disjunction"), printer.at(node.right, "disjunction")
    return rf"{left} \Leftrightarrow {right}", "implication"


def _joined(printer: Printer, parts: tuple[s.Expression, ...], sign: str, rule: str) -> Rendered:
    """Conditions side by side. They may be grouped in any way, so parts of the same kind need no parentheses."""
    return f" {sign} ".join(printer.at(p, rule) for p in parts), rule


def _not(printer: Printer, node: s.Not) -> Rendered:
    own = calls.denied(printer, node.inner)
    if own is not None:
        return own
    return rf"\neg {printer.at(node.inner, 'unary')}", "negation"


def _relation(printer: Printer, node: s.Relation) -> Rendered:
    first, *others = (printer.at(operand, "sum") for operand in node.operands)
    rest = (f"{_RELATIONS[sign]} {operand}" for sign, operand in zip(node.signs, others, strict=True))
    return " ".join([first, *rest]), "comparison"


def _member_of(printer: Printer, node: s.MemberOf) -> Rendered:
    member, owner = printer.at(node.member, "sum"), printer.at(node.owner, "sum")
    return rf"{member} \in {owner}", "comparison"


def _is(printer: Printer, node: s.Is) -> Rendered:
    # Facts such as `is dense` are words, and have no sign.
    said = "is not" if node.denied else "is"
    return f"{printer.at(node.owner, 'sum')} {words(f' {said} {node.fact}')}", "comparison"


# --------------------------------------------------------------------------------------------------- numbers, reads


def _sum(printer: Printer, node: s.Sum) -> Rendered:
    first, *others = node.operands
    made = printer.at(first, "sum")
    for sign, operand in zip(node.signs, others, strict=True):
        made += f" {sign} {_signless(printer.at(operand, 'product'))}"
    return made, "sum"


def _product(printer: Printer, node: s.Product) -> Rendered:
    first, *others = (printer.at(operand, "unary") for operand in node.operands)
    made = first
    for sign, operand in zip(node.signs, others, strict=True):
        made += f" {_FACTORS[sign]} {_signless(operand)}"
    return made, "product"


_FACTORS = {s.Factor.TIMES: r"\cdot", s.Factor.OVER: "/"}


def _signless(latex: str) -> str:
    """An operand behind a sign begins with none."""
    if latex.startswith("-"):
        return enclosed(latex)
    return latex


def _read(printer: Printer, node: s.Read) -> Rendered:
    """An item has its number below, as in $S_k$, an element its index behind, as in $X[i]$; the sizes of X are those
    of dX, as pages have it."""
    base = node.owner
    if isinstance(base, s.Member) and base.name == "shape" and (sizes := _sizes(printer, base, node.at)):
        return sizes, "postfix"
    index = node.at
    # X[i, j] is written without the brackets that lists have elsewhere.
    items = index.items if isinstance(index, s.Listed) else (index,)
    shown = ", ".join(map(printer.show, items))
    kind = printer.kinds.of(base)
    if kind is not None and kind.name in ("list", "shape", "index"):
        return f"{_indexed(printer.at(base, 'postfix'))}{lowered(shown)}", "postfix"
    return f"{printer.at(base, 'postfix')}[{shown}]", "postfix"


def _sizes(printer: Printer, base: s.Member, axis: s.Expression) -> str:
    """The size of an axis of a named tensor, or of a member of a named list of tensors; empty of others."""
    tensor, of = base.owner, [printer.show(axis)]
    while isinstance(tensor, s.Read) and _is_list(printer.kinds.of(tensor.owner)):
        of.insert(0, printer.show(tensor.at))
        tensor = tensor.owner
    if not isinstance(tensor, s.Name):
        return ""
    return f"d{identifier(tensor.name)}{lowered(', '.join(of))}"


def _is_list(kind: Kind | None) -> bool:
    return kind is not None and kind.name == "list"


# TeX refuses a second index: `x_1_2`.
def _indexed(base: str) -> str:
    """The formula as one that an index can stand below: one that has an index already is put in braces."""
    if re.search(r"_(\{[^{}]*\}|\w)$", base):
        return f"{{{base}}}"
    return base


def _slice(printer: Printer, node: s.Slice) -> Rendered:
    return f"{_indexed(printer.at(node.owner, 'postfix'))}{lowered(printer.show(node.part))}", "postfix"


def _member(printer: Printer, node: s.Member) -> Rendered:
    if node.name in _CONSTANTS:
        return _CONSTANTS[node.name], "atom"
    return f"{words(node.name)}({printer.show(node.owner)})", "postfix"


# --------------------------------------------------------------------------------------------------- sets of results


def _within(printer: Printer, node: s.Within) -> Rendered:
    plain = printer.plain()
    made = rf"\text{{within }} {plain.at(node.bound, 'sum')} \text{{ of }} {plain.at(node.centre, 'sum')}"
    return made + _cut(plain, node.range), "expression"


def _within_steps(printer: Printer, node: s.WithinSteps) -> Rendered:
    plain = printer.plain()
    count, centre = plain.at(node.count, "sum"), plain.at(node.centre, "sum")
    made = rf"\text{{within }} {count} \text{{ steps of }} {centre}"
    return made + _cut(plain, node.range), "expression"


def _cut(printer: Printer, cut: s.Range | None) -> str:
    """The range to which a set of results is cut, if there is one."""
    if cut is None:
        return ""
    low, high = printer.at(cut.low, "sum"), printer.at(cut.high, "sum")
    return rf" \text{{ from }} {low} \text{{ to }} {high}"


# ------------------------------------------------------------------------------------------------------- all of them


_Condition = (
    s.If | s.ForAll | s.Exists | s.Implies | s.Iff | s.Disjunction | s.Conjunction | s.Not | s.Relation | s.MemberOf
    | s.Is | s.Fails
)  # fmt: skip  # a table
_Collection = (
    s.Within | s.WithinSteps | s.AnyOf | s.CallOnSet | s.Fold | s.Make | s.Replaced | s.Comprehension | s.Binders
    | s.Binder | s.Range | s.Listed
)  # fmt: skip  # a table
_Atom = s.Integer | s.Decimal | s.Quoted | s.Name


def _shown(printer: Printer, node: s.Part) -> Rendered:
    """The formula of a node, and the rule of the grammar that binds as tightly as it does."""
    if isinstance(node, s.Group):
        # Parentheses stand where the formula needs them, not where the text has them.
        return _shown(printer, node.inner)
    if isinstance(node, _Condition):
        return _condition(printer, node)
    if isinstance(node, _Collection):
        return _collection(printer, node)
    if isinstance(node, _Atom):
        return _atom(node), "atom"
    match node:
        case s.Sum():
            return _sum(printer, node)
        case s.Product():
            return _product(printer, node)
        case s.Negative():
            return f"-{printer.at(node.inner, 'power')}", "unary"
        case s.Power():
            return f"{printer.at(node.base, 'atom')}^{{{node.exponent}}}", "power"
        case s.Read():
            return _read(printer, node)
        case s.Slice():
            return _slice(printer, node)
        case s.Call():
            return calls.call(printer, node)
        case s.Setting():
            return calls.setting(printer, node)
        case s.Member():
            return _member(printer, node)
        case s.Default():
            return printer.show(node.value), "expression"
        case _:
            assert_never(node)


def _atom(node: _Atom) -> str:
    match node:
        case s.Integer() | s.Decimal():
            return node.digits
        case s.Quoted():
            return words(f'"{node.text}"')
        case s.Name():
            return identifier(node.name)
        case _:
            assert_never(node)


def _condition(printer: Printer, node: _Condition) -> Rendered:
    match node:
        case s.If():
            return _if(printer, node)
        case s.ForAll() | s.Exists():
            return ranging.quantified(printer, node)
        case s.Implies():
            return _implies(printer, node)
        case s.Iff():
            return _iff(printer, node)
        case s.Disjunction():
            return _joined(printer, node.parts, r"\lor", "disjunction")
        case s.Conjunction():
            return _joined(printer, node.parts, r"\land", "conjunction")
        case s.Not():
            return _not(printer, node)
        case s.Relation():
            return _relation(printer, node)
        case s.MemberOf():
            return _member_of(printer, node)
        case s.Is():
            return _is(printer, node)
        case s.Fails():
            return words(f"{node.tag} does not hold"), "comparison"
        case _:
            assert_never(node)


def _collection(printer: Printer, node: _Collection) -> Rendered:
    match node:
        case s.Within():
            return _within(printer, node)
        case s.WithinSteps():
            return _within_steps(printer, node)
        case s.AnyOf():
            return rf"\text{{any }} {identifier(node.what)}", "expression"
        case s.CallOnSet():
            return ranging.of_set(printer, node)
        case s.Fold():
            return ranging.fold(printer, node)
        case s.Make():
            return ranging.make(printer, node)
        case s.Replaced():
            return ranging.replaced(printer, node)
        case s.Comprehension():
            return ranging.collection(printer, node)
        case s.Binders():
            return ranging.binders(printer, node)
        case s.Binder():
            return ranging.binder(printer, node)
        case s.Range():
            return ranging.interval(printer, node)
        case s.Listed():
            return rf"\langle {', '.join(map(printer.show, node.items))} \rangle", "atom"
        case _:
            assert_never(node)
