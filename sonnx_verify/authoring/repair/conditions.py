"""Conditions written from the syntax of a text: in other names, negated, and under what stands around a part.

In: syntax nodes of a text that was read. Out: conditions of the language, on one line. Not trusted: whatever is made
here is read and checked as if an author had pasted it (trial.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sonnx_verify.kernel.notes import Lack, Side
from sonnx_verify.language import syntax as s
from sonnx_verify.obligations.section import Section
from sonnx_verify.results.kinds import Kind
from sonnx_verify.sources import Span

Names = Mapping[str, str]
"""The text to write for a name."""

_LOOSE = (s.If, s.ForAll, s.Exists, s.Within, s.WithinSteps, s.Implies, s.Iff, s.Disjunction, s.Conjunction, s.Not)
_COMPARED = (s.Relation, s.MemberOf)
# Everything that binds no tighter than `and` and `or` begins with one of these words or has it in it.
_LOOSE_WORDS = re.compile(r"=>|\b(and|or|iff|if|not|for all|exists|within)\b")
_STRING_OR_COMMENT = re.compile(r'("[^"\n]*")|--[^\n]*')
_OPERAND = re.compile(r"[A-Za-z_]\w*(\.\w+|\[\w+\]|\([\w., ]*\))*|\d+|\[[^\[\]]*\]|\([^()]*\)")
_OPPOSITE = {s.Comparison.EQUAL: s.Comparison.UNEQUAL, s.Comparison.UNEQUAL: s.Comparison.EQUAL}


def reworded(node: s.Part, names: Names) -> str:
    """The expression on one line, without comments, with its free names replaced."""
    # From the source and not from the tree: an author gets the words that are there, brackets and all.
    start = node.span.start
    text = node.span.source.text[start : start + node.span.length]
    free = [n for n in s.free_names(node) if n.name in names]
    # From the end, so that the offsets of what comes before stay right.
    for name in sorted(free, key=lambda n: n.span.start, reverse=True):
        first = name.span.start - start
        text = text[:first] + names[name.name] + text[first + name.span.length :]
    # On one line a comment would swallow everything behind it. A `--` in a string is none.
    return " ".join(_STRING_OR_COMMENT.sub(lambda m: m[1] or " ", text).split())


def operand(text: str) -> str:
    """The text as one operand of arithmetic: `n` for `n`, `(n + 1)` for `n + 1`."""
    return _in_brackets(text, needed=_OPERAND.fullmatch(text) is None)


def closed(text: str) -> str:
    """A condition as an operand of `and`, `or` and `not`. Brackets that are not needed do no harm, so words decide."""
    return _in_brackets(text, needed=_LOOSE_WORDS.search(text) is not None)


def _in_brackets(text: str, *, needed: bool) -> str:
    return f"({text})" if needed else text


def negated(node: s.Expression, names: Names) -> str:
    """The condition that holds exactly where the expression does not.

    `a < b` becomes `not (a < b)` and not `a >= b`: of a NaN neither holds.
    """
    match node:
        case s.Group():
            return negated(node.inner, names)
        case s.Not():
            return reworded(s.bare(node.inner), names)
        # Only of two operands: `a = b = c` fails in more ways than one.
        case s.Relation(operands=(left, right), signs=(sign,)) if sign in _OPPOSITE:
            return f"{reworded(left, names)} {_OPPOSITE[sign]} {reworded(right, names)}"
        case s.Disjunction():
            return " and ".join(closed(negated(part, names)) for part in node.parts)
        case s.Conjunction():
            return " or ".join(closed(negated(part, names)) for part in node.parts)
        # Shorter than `not (exists ...)`, and what an author would write.
        case s.Exists():
            inner = _unbound(names, [binder.name for binder in node.binders.binders])
            return f"for all {reworded(node.binders, names)} : {negated(node.body, inner)}"
        case _:
            text = reworded(node, names)
            return f"not {_in_brackets(text, needed=isinstance(node, (*_LOOSE, *_COMPARED)))}"


def _unbound(names: Names, bound: list[str]) -> dict[str, str]:
    """The names without those that a binder gives another meaning: in `for all k` a k is not the `let k` above."""
    return {name: text for name, text in names.items() if name not in bound}


def lets_inlined(file: s.File, section: Section, names: Names | None = None) -> dict[str, str]:
    """The text of each `let` of a file that a section sees, without names of others; `names` are rewritten too."""
    made: dict[str, str] = dict(names or {})
    # A `let` can only use those above it, so these are written out already.
    for let in sorted(section.seen(file, file.lets), key=lambda x: (x.place, x.body.span.start)):
        made[let.name] = operand(reworded(let.body, made))
    return made


# ------------------------------------------------------------------------------------ a part and what stands around it


@dataclass(frozen=True, slots=True)
class Head:
    """The text in front of a condition: `for all k in axes(X) : `, `p => `, or `p or `, of which it is an operand."""

    text: str
    is_or: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression. `around` has the heads that a condition on it needs, the outermost first; `bound` are
    the names that they bind. In `for all k in axes(X) : p or X.shape[k] > 0` the read has the heads
    `for all k in axes(X) : ` and `p or `: it is only looked at there."""

    node: s.Domain
    names: Names
    around: tuple[Head, ...] = ()
    bound: frozenset[str] = frozenset()

    def text(self, node: s.Part) -> str:
        """A part of this one as text."""
        return reworded(node, self.names)

    def whole(self, condition: str) -> str:
        """The condition with everything around it."""
        for head in reversed(self.around):
            if head.is_or:
                condition = closed(condition)
            condition = head.text + condition
        return condition

    def ways(self, condition: str) -> list[str]:
        """The condition by itself, where it uses nothing that is bound around it, then the whole: the first is stronger
        and shorter, and often meant."""
        ways = [condition, self.whole(condition)]
        if self.bound.isdisjoint(re.findall(r"\w+", condition)):
            return list(dict.fromkeys(ways))
        return ways[1:]

    def at(self, node: s.Domain) -> Part:
        """Another part in the same place."""
        return Part(node, self.names, self.around, self.bound)

    def where(self, condition: str, node: s.Expression) -> Part:
        """Another part, which is only looked at where a condition holds."""
        return self._under(Head(f"{condition} => "), node)

    def unless(self, condition: str, node: s.Expression) -> Part:
        """Another part, which is only looked at where a condition does not hold."""
        return self._under(Head(f"{condition} or ", is_or=True), node)

    def _under(self, head: Head, node: s.Expression) -> Part:
        return Part(node, self.names, (*self.around, head), self.bound)

    def over(self, head: str, variables: list[str], node: s.Domain) -> Part:
        """Another part, for each choice of some variables."""
        names = _unbound(self.names, variables)
        return Part(node, names, (*self.around, Head(f"{head} : ")), self.bound | set(variables))


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
            yield part.where(closed(part.text(node.condition)), node.then)
            yield part.where(closed(negated(node.condition, part.names)), node.otherwise)
        case s.Implies():
            yield part.at(node.left)
            yield part.where(closed(part.text(node.left)), node.right)
        case s.Conjunction():
            # From the left: in `rank(X) > 0 and X.shape[0] = 1` the read is only looked at where there is an axis.
            yield part.at(node.parts[0])
            for before, other in _with_those_before(part, node.parts):
                yield part.where(_in_brackets(" and ".join(before), needed=len(before) > 1), other)
        case s.Disjunction():
            yield part.at(node.parts[0])
            for before, other in _with_those_before(part, node.parts):
                yield part.unless(" or ".join(before), other)
        case s.Call():
            yield from map(part.at, (*node.arguments, *(setting.value for setting in node.settings)))
        # A default is looked at where the set is empty, which no head says: it is asked for everywhere.
        case s.Fold():
            yield part.at(node.over)
            if node.default is not None:
                yield part.at(node.default.value)
        case _:
            yield from (part.at(inner) for inner in s.children(node) if isinstance(inner, s.DOMAINS))


def _with_those_before(part: Part, operands: tuple[s.Expression, ...]) -> Iterator[tuple[list[str], s.Expression]]:
    """Each operand but the first, with the texts of those before it."""
    texts = [closed(part.text(operand)) for operand in operands]
    for number, other in enumerate(operands[1:], 1):
        yield texts[:number], other


def _bound(part: Part, binders: s.Binders, body: s.Expression) -> Iterator[Part]:
    """The domains, each under the binders before it, the condition, and the body for each choice."""
    # `{ X.shape[k] | k in axes(X), j in L[k] }`: L[k] is read for each k, and X.shape[k] for each k and j.
    said: list[str] = []
    variables: list[str] = []
    for binder in binders.binders:
        there = part.at(binder.domain)
        if said:
            there = part.over(f"for all {', '.join(said)}", variables, binder.domain)
        yield there
        said.append(f"{binder.name} in {there.text(binder.domain)}")
        variables.append(binder.name)
    head = f"for all {', '.join(said)}"
    if binders.where is not None:
        there = part.over(head, variables, binders.where)
        yield there
        head += f" where {there.text(binders.where)}"
    yield part.over(head, variables, body)


# ----------------------------------------------------------------------------------------- the need of a broken part


def needs_of(side: Side, file: s.File, names: Names, section: Section) -> Iterator[tuple[str, str]]:
    """A title and a condition for each way to reach the part that lacks a meaning."""
    for whole in _expressions(file, side.place.tag, names, section):
        for part in parts_in(whole):
            need = _need(side, part, file) if _is_same(part.node.span, side.span) else None
            if need is None:
                continue
            title, condition = need
            for way in part.ways(condition):
                yield title, way


def _is_same(a: Span, b: Span) -> bool:
    """Two spans are one place of a text; the line and column that they may have besides follow from it."""
    return (a.source, a.start, a.length) == (b.source, b.start, b.length)


def _expressions(file: s.File, place: str, names: Names, section: Section) -> Iterator[Part]:
    """The expressions of a place: a clause, a `let`, a shape, or a value at each index of its output."""
    for clause in section.seen(file, file.clauses):
        if clause.tag == place and clause.body is not None:
            yield Part(clause.body, names)
    for let in section.seen(file, file.lets):
        if let.name == place:
            yield Part(let.body, names)
    rules = section.seen(file, file.rules)
    for rule in rules:
        if f"{rule.output}.{rule.what}" != place:
            continue
        # No condition that could be proposed is known to have a name for the number of a member of a family.
        if rule.number:
            continue
        if not rule.index:
            yield Part(rule.body, names)
            continue
        # `value Y[i] = ...` is asked at each index of Y, which the input knows by the shape that the text gives Y.
        shapes = (r for r in rules if r.what is s.RuleKind.SHAPE and r.output == rule.output)
        shape = next(shapes, None)
        if shape is not None:
            head = f"for all {rule.index} in indices({reworded(shape.body, names)})"
            yield Part(rule.body, names).over(head, [rule.index], rule.body)


def _need(side: Side, part: Part, file: s.File) -> tuple[str, str] | None:
    """A title and the condition on the part itself, by what it lacks."""
    node = part.node
    match node:
        case s.Name():
            name = part.text(node)
            return f"{name} is given", f"given({name})"
        case s.Read():
            return _read(side.lack, node, part, file)
        case s.Call(name="div" | "mod", arguments=(_, divisor)):
            text = part.text(divisor)
            return f"{text} is not 0", f"{operand(text)} != 0"
        case s.Make() if side.kind is Kind.TOTAL:
            return "every size is at least 0", f"for all {part.text(node.binders)} : {part.text(node.body)} >= 0"
        case _:
            return None


def _read(lack: Lack | None, node: s.Read, part: Part, file: s.File) -> tuple[str, str]:
    owner, at = part.text(node.owner), part.text(node.at)
    match lack:
        case Lack.AXIS:
            tensor = owner.removesuffix(".shape")
            return f"{tensor} has axis {at}", _below(at, f"rank({tensor})")
        case Lack.ITEM:
            declared = next((d for d in (*file.inputs, *file.attributes) if d.name == owner), None)
            # The members of a family X[1..n] have these numbers; the positions of any other list begin with 0.
            if declared is not None and declared.low is not None and declared.high is not None:
                low, high = part.text(declared.low), part.text(declared.high)
                return f"{owner} has member {at}", f"{low} <= {at} <= {high}"
            return f"{owner} has position {at}", _below(at, f"count({owner})")
        case None:
            return f"{owner} has index {at}", f"{at} in indices({owner})"


def _below(at: str, end: str) -> str:
    """A position is one of those below an end: of a number it goes without saying that it is not negative."""
    if at.isdigit():
        return f"{end} > {at}"
    return f"0 <= {at} < {end}"
