"""A formal text as a page: the sections of SONNX Markdown, with the formulas and tags of the text."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from sonnx_verify.language import syntax as s
from sonnx_verify.language.library import a_kind
from sonnx_verify.pages.render.formal import Formal, fenced, inline
from sonnx_verify.pages.render.latex import latex
from sonnx_verify.pages.render.names import identifier


def page(formal: Formal) -> str:
    """The page of an operator, of a library or of a theory."""
    parts = _operator(formal) if formal.file.version is not None else _shared(formal)
    return "\n\n".join(parts) + "\n"


def _operator(formal: Formal) -> Iterator[str]:
    file = formal.file
    yield "# Contents"
    yield (
        "\n".join(
            f"- **{file.name}** for the type{'s' * (len(types) > 1)} [{', '.join(types)}](#{name})"
            for name, _, types in formal.families
            if types
        )
        or f"- [{file.name}](#any)"
    )
    for name, family, types in formal.families:
        yield from _family(formal, name or "any", family if types else "", types)


def _family(formal: Formal, name: str, family: str, types: list[str]) -> Iterator[str]:
    file = formal.file
    yield f'<a id="{name}"></a>\n# **{file.name}** ({name}, {_family_out(file, name)})'
    if types and types != [name]:
        yield f"Here $T$, called {name}, is {'one of ' * (len(types) > 1)}{', '.join(types)}."
    elif types:
        yield f"Here $T$ is {name}."
    yield f'<a id="{name}-signature"></a>\n## Signature'
    yield inline(formal.signature())
    yield "where"
    yield "\n".join(
        f"- {inline(formal.declared(d))} {_is_a(d)}{_where(formal, d)}" for d in (*file.inputs, *file.outputs)
    )
    others = {k.partition(" of ")[2]: v for k, v in file.types.items() if " of " in k}
    if others:
        yield "\n".join(f"- ${variable}$ is one of {', '.join(listed)}" for variable, listed in others.items())
    yield f'<a id="{name}-restrictions"></a>\n## Restrictions'
    yield _table("Restriction", formal, name, _clauses(file, "restriction", family))
    yield f'<a id="{name}-function"></a>\n## Function'
    yield from _function(formal, family)
    yield f'<a id="{name}-examples"></a>\n## Examples'
    yield "The formal text has no examples."
    yield f'<a id="{name}-errors"></a>\n## Error conditions'
    yield _table("Error", formal, name, _clauses(file, "error", family))
    yield f'<a id="{name}-attributes"></a>\n## Attributes'
    yield "\n".join(_attribute(formal, d) for d in file.attributes) or f"**{file.name}** has no attribute."
    constraints = _clauses(file, "constraint", family)
    about = {c.tag: _about(c, file) for c in constraints}
    yield f'<a id="{name}-inputs"></a>\n## Inputs'
    yield from _tensors(formal, file.inputs)
    ours = [c for c in constraints if not about[c.tag]]
    if ours:
        yield "### Constraints"
    yield "\n".join(_bullet(formal, name, c) for c in ours) or "There is no constraint."
    yield f'<a id="{name}-outputs"></a>\n## Outputs'
    yield from _tensors(formal, file.outputs)
    theirs = [c for c in constraints if about[c.tag]]
    if theirs:
        yield "### Constraints"
    yield "\n".join(_bullet(formal, name, c) for c in theirs) or "There is no further constraint."


def _function(formal: Formal, family: str) -> Iterator[str]:
    file = formal.file
    if file.lets:
        yield "with"
        yield from (fenced(formal.let(let)) for let in file.lets)
    rules = [r for r in file.rules if r.family in ("", family)]
    for output in file.outputs:
        for what, heading in (("shape", "Shape"), ("value", "Elements")):
            yield f"### {heading} of {inline(identifier(output.name))}"
            found = [r for r in rules if r.what == what and r.output == output.name]
            for rule in found:
                tag = f"`[{rule.tag}]` " if rule.tag else ""
                of = inline(identifier(output.name))
                at = f"At every index {inline(identifier(rule.index))} of {of}:" if rule.index else "The shape is"
                yield f"{tag}{at}\n\n{fenced(formal.rule(rule))}"
            if not found:
                yield f"The formal text gives no {what}."
    used = _used(formal, family)
    if used:
        yield "Definitions that these use:"
        yield "\n".join(f"- {inline(formal.called(d))}: {d.title}" for d in used)
    open_rules = [r for r in rules if r.what.startswith("unspecified")]
    if open_rules:
        yield "### Left open"
        yield "\n".join(_left_open(formal, r) for r in open_rules)


def _used(formal: Formal, family: str) -> list[s.Definition]:
    """The definitions that the clauses of a family name, in the order of their names."""
    file = formal.file
    bodies = [c.body for c in file.clauses if c.family in ("", family) and c.body is not None]
    bodies += [r.body for r in file.rules if r.family in ("", family)] + [let.body for let in file.lets]
    called = {name for body in bodies for name in _called(body)}
    known = (d for name in sorted(called & formal.definitions.keys()) for d in formal.definitions[name])
    return [d for d in known if d.family in ("", family)]


def _called(node: s.Node) -> Iterator[str]:
    if node.kind == "call_set" or (node.kind == "call" and node.parts[0].kind == "name"):
        yield node.text[0] if node.kind == "call_set" else node.parts[0].text[0]
    for part in node.parts:
        yield from _called(part)


def _left_open(formal: Formal, rule: s.Rule) -> str:
    tag = f"`[{rule.tag}]` " if rule.tag else ""
    title = f" ({rule.title})" if rule.title else ""
    of = f" of {inline(identifier(rule.output))}" if rule.output else ""
    return f"- {tag}The {rule.what.split()[-1]}{of} is not specified{title} when {inline(formal.rule(rule))}"


# ---------------------------------------------------------------------------------------------------------- clauses


def _clauses(file: s.File, kind: str, family: str) -> list[s.Clause]:
    return [c for c in file.clauses if c.kind == kind and c.family in ("", family)]


def _about(clause: s.Clause, file: s.File) -> bool:
    """Whether a constraint speaks of an output."""
    outputs = {d.name for d in file.outputs}
    return clause.body is not None and bool(outputs & set(_names(clause.body)))


def _names(node: s.Node) -> Iterator[str]:
    if node.kind == "name":
        yield node.text[0]
    for part in node.parts:
        yield from _names(part)


def _table(what: str, formal: Formal, name: str, clauses: list[s.Clause]) -> str:
    if not clauses:
        return "None."
    rows = [f"| {what} | Statement | Origin |", "|---|---|---|"]
    for clause in clauses:
        origin = clause.origin or "-"
        anchor = f'<a id="{name}-{clause.tag}"></a>'
        rows.append(f"| `[{clause.tags}]` {anchor} | {_statement(formal, name, clause)} | {origin} |")
    return "\n".join(rows)


def _bullet(formal: Formal, name: str, clause: s.Clause) -> str:
    anchor = f'<a id="{name}-{clause.tag}"></a>'
    statement = _condition(formal, name, clause)
    return f"- `[{clause.tags}]` {anchor} {_sentence(clause.title, formal.scope.names)}\n  - Statement: {statement}"


def _statement(formal: Formal, name: str, clause: s.Clause) -> str:
    return f"{_sentence(clause.title, formal.scope.names)}: {_condition(formal, name, clause)}"


def _condition(formal: Formal, name: str, clause: s.Clause) -> str:
    body = clause.body
    if body is None:
        return "outside the formal model"
    if body.kind == "fails":
        return f"[[{body.text[0]}]](#{name}-{body.text[0]}) does not hold"
    return inline(formal.clause(clause))


def _sentence(text: str, names: Container[str] = ()) -> str:
    """A title as a sentence begins, unless it begins with a name of the text."""
    first = re.match(r"\w*", text)
    return text if first and first[0] in names else text[:1].upper() + text[1:]


# ----------------------------------------------------------------------------------------------------- declarations


def _family_out(file: s.File, name: str) -> str:
    """What the first output is of: the family, or a type or variable of its own."""
    kind = file.outputs[0].type.of
    return name if kind is None or kind.name == "T" else kind.name


def _tensors(formal: Formal, declarations: Iterable[s.Declaration]) -> Iterator[str]:
    yield "\n".join(f"- {inline(formal.declared(d))}: {_kind(d)}" for d in declarations) or "None."


def _is_a(declaration: s.Declaration) -> str:
    if declaration.high is not None:
        return f"are each a {_kind(declaration)}"
    return f"is {'an' if declaration.optional else 'a'} {_kind(declaration)}"


def _kind(declaration: s.Declaration) -> str:
    kind = declaration.type
    optional = "optional " if declaration.optional else ""
    return f"{optional}{kind.name}" if kind.of is None else f"{optional}{kind.name} of {_type(kind.of.name)}"


def _type(name: str) -> str:
    return f"${name}$" if name.istitle() or name.isupper() else name


def _where(formal: Formal, declaration: s.Declaration) -> str:
    return "" if declaration.where is None else f", where {inline(latex(declaration.where, formal.scope))}"


def _attribute(formal: Formal, declaration: s.Declaration) -> str:
    default = declaration.default
    given = "" if default is None else f", by default {inline(latex(default, formal.scope))}"
    return f"- {inline(identifier(declaration.name))}: {_kind(declaration)}{given}{_where(formal, declaration)}"


# ----------------------------------------------------------------------------------------------- shared definitions


def _shared(formal: Formal) -> Iterator[str]:
    file = formal.file
    yield f"# {file.name}: {file.title}"
    for name, fact in file.facts.items():
        yield f"- A tensor is {name}: {fact}"
    for name, general in file.generals.items():
        yield f'- `[{name}]` <a id="{name}"></a> {_sentence(general.title)}'
    for definition in file.definitions:
        marked = f" ({definition.family})" if definition.family else ""
        yield f'<a id="{definition.name}"></a>\n## {definition.name}{marked}'
        title = _sentence(definition.title, {p.name for p in definition.parameters})
        yield f"{title}. Of {_listed(definition.parameters)}; {a_kind(str(definition.result))}."
        yield fenced(formal.definition(definition))
    for order in file.orders:
        yield f'<a id="{order.name}"></a>\n## {order.name} ({order.family})'
        yield f"{_sentence(order.title)}."
        yield fenced(formal.order(order))
    for theorem in file.theorems:
        yield f'<a id="{theorem.name}"></a>\n## {theorem.name}'
        about = f", for {_listed(theorem.declarations)}" if theorem.declarations else ""
        yield f"{_sentence(theorem.title)}{about}."
        yield fenced(formal.theorem(theorem))


def _listed(declarations: Iterable[s.Declaration]) -> str:
    return ", ".join(f"{inline(identifier(d.name))} : {d.type}" for d in declarations)
