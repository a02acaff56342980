"""Conditions written from the syntax of a text: in other names, negated, and under what stands around a part.

In: syntax nodes of a text that was read. Out: conditions of the language, on one line. Not trusted: whatever is made
here is read and checked as if an author had pasted it (trial.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Side

Names = Mapping[str, str]
"""The text to write for a name."""

_LOOSE = frozenset(("if_", "for_all", "exists", "within", "implies", "iff", "disjunction", "conjunction", "not_"))
_COMPARED = frozenset(("relation", "member_of"))
_LOOSE_WORDS = re.compile(r"=>|\b(and|or|iff|if|not|for all|exists|within)\b")
_STRING_OR_COMMENT = re.compile(r'("[^"\n]*")|--[^\n]*')
_OPERAND = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\w+\]|\([\w., ]*\))*|\d+|\[[^\[\]]*\]|\([^()]*\)")
_OPPOSITE = {"=": "!=", "!=": "="}


def reworded(node: s.Node, names: Names) -> str:
    """The expression on one line, without comments, with its free names replaced."""
    start = node.span.start
    text = node.span.source.text[start : start + node.span.length]
    free = [n for n in _free(node, frozenset()) if n.text[0] in names]
    # From the end, so that the offsets of what comes before stay right.
    for name in sorted(free, key=lambda n: n.span.start, reverse=True):
        first = name.span.start - start
        text = text[:first] + names[name.text[0]] + text[first + name.span.length :]
    return " ".join(_STRING_OR_COMMENT.sub(lambda m: m[1] or " ", text).split())


def _free(node: s.Node, bound: frozenset[str]) -> Iterator[s.Node]:
    """The names in an expression that it neither binds nor calls."""
    if node.kind == "name":
        if node.text[0] not in bound:
            yield node
        return
    parts = node.parts
    if node.kind in ("call", "call_with") and parts[0].kind == "name":
        parts = parts[1:]
    # A domain does not see the name that ranges over it, but no text uses one name for both.
    inner = bound | frozenset(bound_in(node))
    for part in parts:
        yield from _free(part, inner)


def bound_in(node: s.Node) -> list[str]:
    """The names that an expression binds in its parts."""
    if node.kind == "make":
        return [node.text[1]]
    if node.kind not in ("for_all", "exists", "set"):
        return []
    groups = [part for part in node.parts if part.kind == "binders"]
    return [binder.text[0] for group in groups for binder in group.parts if binder.kind == "binder"]


def operand(text: str) -> str:
    """The text as one operand of arithmetic."""
    return text if _OPERAND.fullmatch(text) else f"({text})"


def closed(text: str) -> str:
    """A condition as an operand of `and`, `or` and `not`."""
    return f"({text})" if _LOOSE_WORDS.search(text) else text


def negated(node: s.Node, names: Names) -> str:
    """The condition that holds exactly where the expression does not.

    `a < b` becomes `not (a < b)` and not `a >= b`: of a NaN neither holds.
    """
    match node.kind:
        case "group":
            return negated(node.parts[0], names)
        case "not_":
            return reworded(_inside(node.parts[0]), names)
        case "relation" if len(node.parts) == 2 and node.text[0] in _OPPOSITE:
            left, right = (reworded(part, names) for part in node.parts)
            return f"{left} {_OPPOSITE[node.text[0]]} {right}"
        case "disjunction":
            return " and ".join(closed(negated(part, names)) for part in node.parts)
        case "conjunction":
            return " or ".join(closed(negated(part, names)) for part in node.parts)
        case "exists" if len(node.parts) == 2:
            inner = _unbound(names, bound_in(node))
            return f"for all {reworded(node.parts[0], inner)} : {negated(node.parts[1], inner)}"
    text = reworded(node, names)
    return f"not ({text})" if node.kind in _LOOSE | _COMPARED else f"not {text}"


def _inside(node: s.Node) -> s.Node:
    return _inside(node.parts[0]) if node.kind == "group" else node


def _unbound(names: Names, bound: list[str]) -> dict[str, str]:
    return {name: text for name, text in names.items() if name not in bound}


def lets_inlined(file: s.File, names: Names | None = None) -> dict[str, str]:
    """The text of each `let` of a file, without names of other `let`s; `names` are rewritten too."""
    made: dict[str, str] = dict(names or {})
    for let in sorted(file.lets, key=lambda x: (x.place, x.body.span.start)):
        made[let.name] = operand(reworded(let.body, made))
    return made


# ------------------------------------------------------------------------------------ a part and what stands around it


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression. `around` has the heads that a condition on it needs, the outermost first: `for all k in
    axes(X) : `, `p => `. `bound` are the names that they bind."""

    node: s.Node
    names: Names
    around: tuple[str, ...] = ()
    bound: frozenset[str] = frozenset()

    def text(self, node: s.Node) -> str:
        """A part of this one as text."""
        return reworded(node, self.names)

    def whole(self, condition: str) -> str:
        """The condition with everything around it."""
        for head in reversed(self.around):
            condition = head + (closed(condition) if head.endswith("or ") else condition)
        return condition

    def ways(self, condition: str) -> list[str]:
        """The condition by itself, where it uses nothing that is bound around it, then the whole."""
        alone = self.around and not self.bound & set(re.findall(r"\w+", condition))
        return [condition, self.whole(condition)] if alone else [self.whole(condition)]

    def at(self, node: s.Node) -> Part:
        """Another part in the same place."""
        return Part(node, self.names, self.around, self.bound)

    def under(self, head: str, node: s.Node) -> Part:
        """Another part, of which only what the head says has to be looked at."""
        return Part(node, self.names, (*self.around, head), self.bound)

    def over(self, head: str, variables: list[str], node: s.Node) -> Part:
        """Another part, for each choice of some variables."""
        return Part(node, _unbound(self.names, variables), (*self.around, head), self.bound | set(variables))


def parts_in(part: Part) -> Iterator[Part]:
    """The part itself, then those in it, from the left."""
    yield part
    for inner in _directly_in(part):
        yield from parts_in(inner)


def _directly_in(part: Part) -> Iterator[Part]:
    node = part.node
    match node.kind:
        case "for_all" | "exists":
            yield from _ranging(part, node.parts[0], node.parts[1])
        case "set":
            yield from _ranging(part, node.parts[1], node.parts[0])
        case "make":
            domain, *wheres, body = node.parts
            yield from _bound(part, [(node.text[1], domain)], wheres, body)
        case "if_":
            condition, then, otherwise = node.parts
            yield part.at(condition)
            yield part.under(f"{closed(part.text(condition))} => ", then)
            yield part.under(f"{closed(negated(condition, part.names))} => ", otherwise)
        case "implies":
            first, second = node.parts
            yield part.at(first)
            yield part.under(f"{closed(part.text(first))} => ", second)
        case "conjunction":
            yield from _in_order(part, " and ", " => ")
        case "disjunction":
            yield from _in_order(part, " or ", " or ")
        case "call" | "call_with":
            yield from map(part.at, node.parts[1:])
        case _:
            yield from map(part.at, node.parts)


def _in_order(part: Part, word: str, end: str) -> Iterator[Part]:
    """The operands of `and`, each where those before it hold; of `or`, where none of them does."""
    first, *others = part.node.parts
    yield part.at(first)
    before = [closed(part.text(first))]
    for other in others:
        said = word.join(before)
        grouped = len(before) > 1 and end == " => "
        yield part.under(f"({said}){end}" if grouped else f"{said}{end}", other)
        before.append(closed(part.text(other)))


def _ranging(part: Part, binders: s.Node, body: s.Node) -> Iterator[Part]:
    choices = [(binder.text[0], binder.parts[0]) for binder in binders.parts if binder.kind == "binder"]
    wheres = [where for where in binders.parts if where.kind == "where"]
    yield from _bound(part, choices, wheres, body)


def _bound(part: Part, choices: list[tuple[str, s.Node]], wheres: list[s.Node], body: s.Node) -> Iterator[Part]:
    """The domains, each under the binders before it, the condition, and the body for each choice."""
    said: list[str] = []
    variables: list[str] = []
    for variable, domain in choices:
        there = part.over(f"for all {', '.join(said)} : ", variables, domain) if said else part.at(domain)
        yield there
        said.append(f"{variable} in {there.text(domain)}")
        variables.append(variable)
    head = f"for all {', '.join(said)}"
    for where in wheres:
        there = part.over(f"{head} : ", variables, where.parts[0])
        yield there
        head += f" where {there.text(where.parts[0])}"
    yield part.over(f"{head} : ", variables, body)


# ----------------------------------------------------------------------------------------- the need of a broken part


def needs_of(side: Side, file: s.File, names: Names, family: str) -> Iterator[tuple[str, str]]:
    """A title and a condition for each way to reach the part that lacks a meaning."""
    broken = side.span
    for whole in _expressions(file, side.place, names, family):
        for part in parts_in(whole):
            span = part.node.span
            if (span.source, span.start, span.length) == (broken.source, broken.start, broken.length):
                for title, condition in _need(side.reason, part, file):
                    yield from ((title, way) for way in part.ways(condition))


def _expressions(file: s.File, place: str, names: Names, family: str) -> Iterator[Part]:
    """The expressions of a place: a clause, a `let`, a shape, or a value at each index of its output."""
    for clause in file.clauses:
        if clause.tag == place and clause.body is not None and clause.family in ("", family):
            yield Part(clause.body, names)
    for let in file.lets:
        if let.name == place:
            yield Part(let.body, names)
    for rule in file.rules:
        if rule.family not in ("", family) or f"{rule.output}.{rule.what}" != place:
            continue
        whole = Part(rule.body, names)
        shape = next((r for r in file.rules if r.what == "shape" and r.output == rule.output), None)
        if not rule.index:
            yield whole
        elif shape is not None:
            head = f"for all {rule.index} in indices({reworded(shape.body, names)}) : "
            yield whole.over(head, [rule.index], rule.body)


def _need(reason: str, part: Part, file: s.File) -> Iterator[tuple[str, str]]:
    """The condition on the part itself, by what it lacks."""
    node = part.node
    match node.kind:
        case "name":
            name = part.text(node)
            yield f"{name} is given", f"given({name})"
        case "read":
            yield _read(reason, part, file)
        case "call" if reason == "a divisor is not 0":
            divisor = part.text(node.parts[1].parts[1])
            yield f"{divisor} is not 0", f"{operand(divisor)} != 0"
        case "make" if "negative" in reason:
            domain, *wheres, body = node.parts
            where = f" where {part.text(wheres[0].parts[0])}" if wheres else ""
            each = f"for all {node.text[1]} in {part.text(domain)}{where}"
            yield "no size is negative", f"{each} : {part.text(body)} >= 0"


def _read(reason: str, part: Part, file: s.File) -> tuple[str, str]:
    owner, at = (part.text(node) for node in part.node.parts)
    if reason.startswith("the list has no item"):
        family = next((d for d in (*file.inputs, *file.attributes) if d.name == owner), None)
        if family is not None and family.low is not None and family.high is not None:
            return f"{owner} has the member {at}", f"{part.text(family.low)} <= {at} <= {part.text(family.high)}"
        return f"{owner} has the position {at}", _below(at, f"count({owner})")
    if reason.startswith(("the shape has no such axis", "the index has no such axis")):
        tensor = owner.removesuffix(".shape")
        return f"{tensor} has the axis {at}", _below(at, f"rank({tensor})")
    return f"{owner} has the index {at}", f"{at} in indices({owner})"


def _below(at: str, end: str) -> str:
    return f"{end} > {at}" if at.isdigit() else f"0 <= {at} < {end}"
