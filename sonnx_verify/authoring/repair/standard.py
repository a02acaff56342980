"""What a standard says, in the names of the profile that refines it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sonnx_verify.authoring.repair.proposal import Condition
from sonnx_verify.authoring.repair.sides import lets_inlined
from sonnx_verify.authoring.repair.wording import negated, reworded
from sonnx_verify.language import syntax as s
from sonnx_verify.language.clauses import mentions


def names_here(mine: s.File, theirs: s.File, refines: s.Refines) -> dict[str, str]:
    """What is written in the profile for each name of the standard: inputs, outputs and attributes, the last numbers of
    families, and what `let` names there."""
    names = {standard: own for own, standard in refines.renaming.items()}
    own = {d.name: d for d in mine.inputs}
    for declaration in theirs.inputs:
        other = own.get(names.get(declaration.name, ""))
        if other is not None and (last := _last(declaration, other)) is not None:
            names[last[0]] = last[1]
    for name, text in lets_inlined(theirs, names).items():
        names[name] = text
    return names


def _last(theirs: s.Declaration, mine: s.Declaration) -> tuple[str, str] | None:
    """The name of the last number of a family, and the same number here, where families may begin elsewhere."""
    ends = (theirs.low, theirs.high, mine.low, mine.high)
    if any(end is None for end in ends) or theirs.high is None or theirs.high.kind != "name":
        return None
    assert theirs.low is not None and mine.low is not None and mine.high is not None
    if theirs.low.kind != "integer" or mine.low.kind != "integer":
        return None
    shift = int(theirs.low.text[0]) - int(mine.low.text[0])
    here = reworded(mine.high, {})
    return theirs.high.text[0], here if not shift else f"({here} {'+' if shift > 0 else '-'} {abs(shift)})"


def demands(theirs: s.File, names: Mapping[str, str], family: str) -> Iterator[Condition]:
    """What the standard asks of input: as it is declared, restrictions and constraints, and that no error applies."""
    for declaration in (*theirs.inputs, *theirs.attributes):
        if declaration.where is not None:
            yield _same(f"as the standard declares {declaration.name}", reworded(declaration.where, names), "")
    for clause in theirs.clauses:
        if clause.body is None or clause.family not in ("", family) or _about_outputs(theirs, clause.body):
            continue
        if clause.kind != "error":
            yield _same(clause.title, reworded(clause.body, names), clause.family)
        elif clause.body.kind != "fails":
            yield _same(f"not: {clause.title}", negated(clause.body, names), clause.family)


def specified(mine: s.File, theirs: s.File, names: Mapping[str, str], family: str) -> Iterator[Condition]:
    """That the standard leaves nothing open, item by item; of a value at every index of the output."""
    for rule in theirs.rules:
        if not rule.what.startswith("unspecified") or rule.family not in ("", family):
            continue
        title = f"not: {rule.title}" if rule.title else "what the standard leaves open"
        if not rule.index:
            yield _same(title, negated(rule.body, names), rule.family)
            continue
        output = names.get(rule.output, "")
        shape = next((r for r in mine.rules if r.what == "shape" and r.output == output), None)
        if shape is not None:
            inner = {k: v for k, v in names.items() if k != rule.index}
            where = reworded(shape.body, lets_inlined(mine))
            yield _same(title, f"for all {rule.index} in indices({where}) : {negated(rule.body, inner)}", rule.family)


def _same(title: str, text: str, family: str) -> Condition:
    return Condition(title, text, text, family)


def _about_outputs(file: s.File, body: s.Node) -> bool:
    return mentions(body, {d.name for d in file.outputs})
