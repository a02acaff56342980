"""Expressions of the language as LaTeX: one rule for each kind of node.

Only what code hosts and TeX both know is used. Where a text has a backslash before punctuation, as in `\\{`, code hosts
take it away in formulas inside of a line, so `\\lbrace` stands for it.
"""

from __future__ import annotations

import re

from sonnx_verify.language import syntax as s
from sonnx_verify.pages.render import calls, ranging
from sonnx_verify.pages.render.kinds import Scope
from sonnx_verify.pages.render.names import enclosed, identifier, lowered, words
from sonnx_verify.pages.render.printer import Printer, Rule, Shown

_RELATIONS = {"=": "=", "!=": r"\ne", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}
_CONSTANTS = {"infinity": r"\infty"}


def latex(node: s.Node, scope: Scope = Scope(), results: bool = False) -> str:  # noqa: B008  # it is frozen
    """The formula of an expression. `results` says that it is a set of results."""
    return Printer(scope, RULES, results).show(node)


def is_results(node: s.Node, scope: Scope) -> bool:
    """Whether an expression, as a value, is a set of results."""
    match node.kind:
        case "group":
            return is_results(node.parts[0], scope)
        case "if_":
            return any(is_results(p, scope) for p in node.parts[1:])
        case "within" | "any_":
            return True
        case _:
            return scope.kind(node).startswith("set of ") and node.kind in ("call", "call_set")


# ------------------------------------------------------------------------------------------------------- conditions


def _if(printer: Printer, node: s.Node) -> Shown:
    """Cases, one for each `if` in a chain."""
    rows = []
    rest = node
    while rest.kind == "if_":
        condition, then, other = rest.parts
        rows.append(rf"{_branch(printer, then)} & \text{{if }} {printer.plain().show(condition)}")
        rest = other.parts[0] if other.kind == "group" and other.parts[0].kind == "if_" else other
    rows.append(rf"{_branch(printer, rest)} & \text{{otherwise}}")
    return "\\begin{cases}\n" + " \\\\\n".join(rows) + "\n\\end{cases}", "expression"


def _branch(printer: Printer, node: s.Node) -> str:
    is_set = node.kind == "if_" or is_results(node, printer.scope) or printer.scope.kind(node).startswith("set of ")
    if printer.results and not is_set:
        return rf"\lbrace {printer.plain().show(node)} \rbrace"
    return printer.show(node)


def _implies(printer: Printer, node: s.Node) -> Shown:
    left, right = node.parts
    return rf"{printer.at(left, 'disjunction')} \Rightarrow {printer.at(right, 'expression')}", "implication"


def _iff(printer: Printer, node: s.Node) -> Shown:
    left, right = (printer.at(p, "disjunction") for p in node.parts)
    return rf"{left} \Leftrightarrow {right}", "implication"


def _joined(sign: str, rule: str) -> Rule:
    """Conditions side by side. They may be grouped in any way, so parts of the same kind need no parentheses."""

    def shown(printer: Printer, node: s.Node) -> Shown:
        return f" {sign} ".join(printer.at(p, rule) for p in node.parts), rule

    return shown


def _not(printer: Printer, node: s.Node) -> Shown:
    own = calls.denied(printer, node.parts[0])
    return own or (rf"\neg {printer.at(node.parts[0], 'unary')}", "negation")


def _relation(printer: Printer, node: s.Node) -> Shown:
    first, *others = (printer.at(p, "sum") for p in node.parts)
    rest = (f"{_RELATIONS[sign]} {operand}" for sign, operand in zip(node.text, others, strict=True))
    return " ".join([first, *rest]), "comparison"


def _member_of(printer: Printer, node: s.Node) -> Shown:
    left, right = (printer.at(p, "sum") for p in node.parts)
    return rf"{left} \in {right}", "comparison"


def _is(printer: Printer, node: s.Node) -> Shown:
    said = "is not" if node.kind == "is_not" else "is"
    return f"{printer.at(node.parts[0], 'sum')} {words(f' {said} {node.text[0]}')}", "comparison"


def _fails(printer: Printer, node: s.Node) -> Shown:
    return words(f"{node.text[0]} does not hold"), "comparison"


# --------------------------------------------------------------------------------------------------- numbers, reads


def _sum(printer: Printer, node: s.Node) -> Shown:
    first, *others = node.parts
    made = printer.at(first, "sum")
    for sign, operand in zip(node.text, others, strict=True):
        made += f" {sign} {_signless(printer.at(operand, 'product'))}"
    return made, "sum"


def _product(printer: Printer, node: s.Node) -> Shown:
    first, *others = (printer.at(p, "unary") for p in node.parts)
    return r" \cdot ".join([first, *map(_signless, others)]), "product"


def _signless(latex: str) -> str:
    """An operand behind a sign begins with none."""
    return enclosed(latex) if latex.startswith("-") else latex


def _negative(printer: Printer, node: s.Node) -> Shown:
    return f"-{printer.at(node.parts[0], 'power')}", "unary"


def _power(printer: Printer, node: s.Node) -> Shown:
    return f"{printer.at(node.parts[0], 'atom')}^{{{node.text[0]}}}", "power"


def _read(printer: Printer, node: s.Node) -> Shown:
    """An item has its number below, as in $S_k$, an element its index behind, as in $X[i]$; the sizes of X are those
    of dX, as pages have it."""
    base, index = node.parts
    if _is_sizes(base):
        tensor, of = base.parts[0], [printer.show(index)]
        while tensor.kind == "read" and printer.scope.kind(tensor.parts[0]).startswith("list of "):
            of.insert(0, printer.show(tensor.parts[1]))
            tensor = tensor.parts[0]
        if tensor.kind == "name":
            return f"d{identifier(tensor.text[0])}{lowered(', '.join(of))}", "postfix"
    shown = ", ".join(map(printer.show, index.parts[0].parts)) if index.kind == "listed" else printer.show(index)
    kind = printer.scope.kind(base)
    if kind.startswith("list of ") or kind in ("shape", "index", "ints", "floats"):
        return f"{_indexed(printer.at(base, 'postfix'))}{lowered(shown)}", "postfix"
    return f"{printer.at(base, 'postfix')}[{shown}]", "postfix"


def _is_sizes(node: s.Node) -> bool:
    return node.kind == "member" and node.text[0] == "shape"


def _indexed(base: str) -> str:
    """The formula as one that an index can stand below: one that has an index already is put in braces."""
    return f"{{{base}}}" if re.search(r"_(\{[^{}]*\}|\w)$", base) else base


def _slice(printer: Printer, node: s.Node) -> Shown:
    base, part = node.parts
    return f"{_indexed(printer.at(base, 'postfix'))}{lowered(printer.show(part))}", "postfix"


def _member(printer: Printer, node: s.Node) -> Shown:
    base, what = node.parts[0], node.text[0]
    if what in _CONSTANTS:
        return _CONSTANTS[what], "atom"
    return f"{words(what)}({printer.show(base)})", "postfix"


def _literal(printer: Printer, node: s.Node) -> Shown:
    return node.text[0], "atom"


def _text(printer: Printer, node: s.Node) -> Shown:
    return words(node.text[0]), "atom"


def _name(printer: Printer, node: s.Node) -> Shown:
    return identifier(node.text[0]), "atom"


def _group(printer: Printer, node: s.Node) -> Shown:
    """Parentheses stand where the formula needs them, not where the text has them."""
    return printer.rules[node.parts[0].kind](printer, node.parts[0])


def _listed(printer: Printer, node: s.Node) -> Shown:
    return rf"\langle {printer.show(node.parts[0])} \rangle", "atom"


# --------------------------------------------------------------------------------------------------- sets of results


def _within(printer: Printer, node: s.Node) -> Shown:
    bound, of = (printer.plain().at(p, "sum") for p in node.parts)
    return rf"\text{{within }} {bound} \text{{ of }} {of}", "expression"


def _any(printer: Printer, node: s.Node) -> Shown:
    return rf"\text{{any }} {identifier(node.text[0])}", "expression"


RULES: dict[str, Rule] = {
    "if_": _if,
    "for_all": ranging.quantified,
    "exists": ranging.quantified,
    "within": _within,
    "implies": _implies,
    "iff": _iff,
    "disjunction": _joined(r"\lor", "disjunction"),
    "conjunction": _joined(r"\land", "conjunction"),
    "not_": _not,
    "relation": _relation,
    "member_of": _member_of,
    "is_": _is,
    "is_not": _is,
    "fails": _fails,
    "sum": _sum,
    "product": _product,
    "negative": _negative,
    "power": _power,
    "read": _read,
    "slice": _slice,
    "call": calls.call,
    "call_with": calls.call_with,
    "call_set": ranging.of_set,
    "member": _member,
    "setting": calls.setting,
    "integer": _literal,
    "decimal": _literal,
    "text_value": _text,
    "name": _name,
    "group": _group,
    "listed": _listed,
    "any_": _any,
    "fold": ranging.fold,
    "make": ranging.make,
    "replaced": ranging.replaced,
    "set": ranging.collection,
    "default": ranging.default,
    "arguments": calls.arguments,
    "binders": ranging.binders,
    "binder": ranging.binder,
    "range": ranging.interval,
    "where": ranging.where,
}
