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

_LOOSE = (s.If, s.ForAll, s.Exists, s.Within, s.Implies, s.Iff, s.Disjunction, s.Conjunction, s.Not)
_COMPARED = (s.Relation, s.MemberOf)
_LOOSE_WORDS = re.compile(r"=>|\b(and|or|iff|if|not|for all|exists|within)\b")
_STRING_OR_COMMENT = re.compile(r'("[^"\n]*")|--[^\n]*')
_OPERAND = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\w+\]|\([\w., ]*\))*|\d+|\[[^\[\]]*\]|\([^()]*\)")
_OPPOSITE = {s.Comparison.EQUAL: s.Comparison.UNEQUAL, s.Comparison.UNEQUAL: s.Comparison.EQUAL}


def reworded(node: s.Part, names: Names) -> str:
    """The expression on one line, without comments, with its free names replaced."""
    start = node.span.start
    text = node.span.source.text[start : start + node.span.length]
    free = [n for n in s.free_names(node) if n.name in names]
    # From the end, so that the offsets of what comes before stay right.
    for name in sorted(free, key=lambda n: n.span.start, reverse=True):
        first = name.span.start - start
        text = text[:first] + names[name.name] + text[first + name.span.length :]
    return " ".join(_STRING_OR_COMMENT.sub(lambda m: m[1] or " ", text).split())


def operand(text: str) -> str:
    """The text as one operand of arithmetic."""
    return text if _OPERAND.fullmatch(text) else f"({text})"


def closed(text: str) -> str:
    """A condition as an operand of `and`, `or` and `not`."""
    return f"({text})" if _LOOSE_WORDS.search(text) else text


def negated(node: s.Expression, names: Names) -> str:
    """The condition that holds exactly where the expression does not.

    `a < b` becomes `not (a < b)` and not `a >= b`: of a NaN neither holds.
    """
    match node:
        case s.Group():
            return negated(node.inner, names)
        case s.Not():
            return reworded(s.bare(node.inner), names)
        case s.Relation(operands=(left, right), signs=(sign,)) if sign in _OPPOSITE:
            return f"{reworded(left, names)} {_OPPOSITE[sign]} {reworded(right, names)}"
        case s.Disjunction():
            return " and ".join(closed(negated(part, names)) for part in node.parts)
        case s.Conjunction():
            return " or ".join(closed(negated(part, names)) for part in node.parts)
        case s.Exists():
            inner = _unbound(names, [binder.name for binder in node.binders.binders])
            return f"for all {reworded(node.binders, names)} : {negated(node.body, inner)}"
        case _:
            text = reworded(node, names)
            return f"not ({text})" if isinstance(node, (*_LOOSE, *_COMPARED)) else f"not {text}"


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

    node: s.Domain
    names: Names
    around: tuple[str, ...] = ()
    bound: frozenset[str] = frozenset()

    def text(self, node: s.Part) -> str:
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

    def at(self, node: s.Domain) -> Part:
        """Another part in the same place."""
        return Part(node, self.names, self.around, self.bound)

    def under(self, head: str, node: s.Expression) -> Part:
        """Another part, of which only what the head says has to be looked at."""
        return Part(node, self.names, (*self.around, head), self.bound)

    def over(self, head: str, variables: list[str], node: s.Domain) -> Part:
        """Another part, for each choice of some variables."""
        return Part(node, _unbound(self.names, variables), (*self.around, head), self.bound | set(variables))


def parts_in(part: Part) -> Iterator[Part]:
    """The part itself, then those in it, from the left."""
    yield part
    for inner in _directly_in(part):
        yield from parts_in(inner)


def _directly_in(part: Part) -> Iterator[Part]:
    node = part.node
    match node:
        case s.ForAll() | s.Exists() | s.Comprehension() | s.Make():
            yield from _bound(part, node.binders, node.body)
        case s.If():
            yield part.at(node.condition)
            yield part.under(f"{closed(part.text(node.condition))} => ", node.then)
            yield part.under(f"{closed(negated(node.condition, part.names))} => ", node.otherwise)
        case s.Implies():
            yield part.at(node.left)
            yield part.under(f"{closed(part.text(node.left))} => ", node.right)
        case s.Conjunction():
            yield from _in_order(part, node.parts, " and ", " => ")
        case s.Disjunction():
            yield from _in_order(part, node.parts, " or ", " or ")
        case s.Call():
            yield from map(part.at, (*node.arguments, *(setting.value for setting in node.settings)))
        case s.Fold():
            yield part.at(node.over)
            if node.default is not None:
                yield part.at(node.default.value)
        case _:
            yield from (part.at(inner) for inner in s.children(node) if isinstance(inner, s.DOMAINS))


def _in_order(part: Part, operands: tuple[s.Expression, ...], word: str, end: str) -> Iterator[Part]:
    """The operands of `and`, each where those before it hold; of `or`, where none of them does."""
    first, *others = operands
    yield part.at(first)
    before = [closed(part.text(first))]
    for other in others:
        said = word.join(before)
        grouped = len(before) > 1 and end == " => "
        yield part.under(f"({said}){end}" if grouped else f"{said}{end}", other)
        before.append(closed(part.text(other)))


def _bound(part: Part, binders: s.Binders, body: s.Expression) -> Iterator[Part]:
    """The domains, each under the binders before it, the condition, and the body for each choice."""
    said: list[str] = []
    variables: list[str] = []
    for binder in binders.binders:
        there = part.at(binder.domain)
        if said:
            there = part.over(f"for all {', '.join(said)} : ", variables, binder.domain)
        yield there
        said.append(f"{binder.name} in {there.text(binder.domain)}")
        variables.append(binder.name)
    head = f"for all {', '.join(said)}"
    if binders.where is not None:
        there = part.over(f"{head} : ", variables, binders.where)
        yield there
        head += f" where {there.text(binders.where)}"
    yield part.over(f"{head} : ", variables, body)


# ----------------------------------------------------------------------------------------- the need of a broken part


def needs_of(side: Side, file: s.File, names: Names, family: str) -> Iterator[tuple[str, str]]:
    """A title and a condition for each way to reach the part that lacks a meaning."""
    broken = side.span
    for whole in _expressions(file, side.place.tag, names, family):
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
        shape = next((r for r in file.rules if r.what is s.RuleKind.SHAPE and r.output == rule.output), None)
        if not rule.index:
            yield whole
        elif shape is not None:
            head = f"for all {rule.index} in indices({reworded(shape.body, names)}) : "
            yield whole.over(head, [rule.index], rule.body)


def _need(reason: str, part: Part, file: s.File) -> Iterator[tuple[str, str]]:
    """The condition on the part itself, by what it lacks."""
    node = part.node
    match node:
        case s.Name():
            name = part.text(node)
            yield f"{name} is given", f"given({name})"
        case s.Read():
            yield _read(reason, node, part, file)
        case s.Call(arguments=(_, divisor)) if reason == "a divisor is not 0":
            text = part.text(divisor)
            yield f"{text} is not 0", f"{operand(text)} != 0"
        case s.Make() if "negative" in reason:
            yield "no size is negative", f"for all {part.text(node.binders)} : {part.text(node.body)} >= 0"
        case _:
            pass


def _read(reason: str, node: s.Read, part: Part, file: s.File) -> tuple[str, str]:
    owner, at = part.text(node.owner), part.text(node.at)
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
