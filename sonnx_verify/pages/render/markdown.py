"""A formal text as a page: the sections of SONNX Markdown, with the formulas and tags of the text.

The pages are the templates `operator.md.jinja` and `shared.md.jinja`; this module finds the parts of a text that stand
in them, and writes the words of a declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from sonnx_verify.language import syntax as s
from sonnx_verify.language.cures import a_kind
from sonnx_verify.language.extents import example_ending, example_values
from sonnx_verify.language.families import other_types
from sonnx_verify.language.sections import belongs
from sonnx_verify.pages.reading.families import ANY
from sonnx_verify.pages.render.formal import Formal, fenced, inline
from sonnx_verify.pages.render.latex import latex
from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.templates import macro, rendered


def page(formal: Formal) -> str:
    """The page of an operator, of a library or of a theory."""
    if formal.file.version is not None:
        return _operator(formal)
    return rendered(
        "shared.md.jinja",
        formal=formal,
        file=formal.file,
        sentence=sentence,
        listed=_listed,
        fenced=fenced,
        a_kind=a_kind,
    )


SECTIONS = (
    "types", "signature", "restrictions", "function", "result", "examples", "errors", "attributes", "inputs", "outputs",
)  # fmt: skip  # a table
"""The sections that a page has of each line of types, in their order: `types` is the heading above them, `function` the
heading of the section whose formulas are the `result`."""


def section(formal: Formal, kind: str, line: str) -> str:
    """A section of the page of an operator, of a line of types or of any type."""
    file = formal.file
    family = "" if line == ANY else line
    types = _types(formal, line)
    own, shared = _used(formal, family)
    return macro(
        "operator.md.jinja",
        f"{kind}_section",
        formal=formal,
        file=file,
        family=family,
        name=line,
        types=types,
        other_types=other_types(file),
        about_outputs=[clause for clause in file.clauses if _is_about_outputs(clause, file)],
        clauses=lambda kind: [c for c in file.clauses if c.kind == kind and _belongs(file, c, family)],
        rules=lambda what, output: [r for r in _rules(file, family) if (r.what, r.output) == (what, output)],
        lets=[let for let in file.lets if _belongs(file, let, family)],
        left_open=[r for r in _rules(file, family) if r.what.leaves_open],
        examples=[e for e in file.examples if _is_shown_in(e, file, family)],
        own=own,
        shared=shared,
        output_of=lambda name: _output_of(file, name),
        condition=lambda name, clause: _condition(formal, name, clause),
        sentence=lambda title: sentence(title, formal.scope.names),
        where=lambda declaration: _where(formal, declaration),
        default=lambda declaration: _default(formal, declaration),
        is_a=_is_a,
        kind=_kind,
        values_of=_values,
        inline=inline,
        fenced=fenced,
        identifier=identifier,
    ).strip("\n")


_TAGGED = {
    "restrictions": s.ClauseKind.RESTRICTION,
    "errors": s.ClauseKind.ERROR,
    "inputs": s.ClauseKind.CONSTRAINT,
    "outputs": s.ClauseKind.CONSTRAINT,
}
"""The kinds of clauses that stand in a section."""


def section_items(formal: Formal, kind: str, line: str) -> Iterator[tuple[str, ...]]:
    """The items of the formal text that a section shows: a name, and the line of types where it is shown for one."""
    file = formal.file
    family = "" if line == ANY else line
    of = (family,) if family else ()
    for clause in file.clauses:
        is_here = kind != "outputs" and kind != "inputs" or _is_about_outputs(clause, file) == (kind == "outputs")
        if clause.kind is _TAGGED.get(kind) and is_here and _belongs(file, clause, family):
            yield clause.tag, *of
    if kind == "result":
        yield from ((f"{rule.output}.{rule.what}", *of) for rule in _rules(file, family) if not rule.what.leaves_open)


def contents(formal: Formal, lines: Iterable[str]) -> str:
    """The list of the sections of a page that has some lines of types."""
    name = formal.file.name
    made = []
    for line in lines:
        types = _types(formal, line)
        several = "s" if len(types) > 1 else ""
        listed = f"**{name}** for the type{several} [{', '.join(types)}](#{line})"
        made.append(f"- {listed}" if types else f"- [{name}](#{line})")
    return "\n".join(made)


def lines_of(formal: Formal) -> list[str]:
    """The lines of types of a text; of one without types, any."""
    return [name for name, _, types in formal.families if types] or [ANY]


def _types(formal: Formal, line: str) -> list[str]:
    return [t for name, _, listed in formal.families if line in (ANY, name) for t in listed]


def _operator(formal: Formal) -> str:
    lines = lines_of(formal)
    made = ["# Contents", contents(formal, lines)]
    for line in lines:
        made += [section(formal, kind, line) for kind in SECTIONS]
    return "\n\n".join(made) + "\n"


def _belongs(file: s.File, item: s.Clause | s.Rule | s.Let | s.Definition, family: str) -> bool:
    """Return whether an item stands in the section of a line of types; in that of all types stands every item."""
    return not family or belongs(file, item, family)


def _rules(file: s.File, family: str) -> list[s.Rule]:
    return [rule for rule in file.rules if _belongs(file, rule, family)]


def _used(formal: Formal, family: str) -> tuple[list[s.Definition], list[s.Definition]]:
    """The definitions of the text that a section uses, and those of others that these and it name."""
    file = formal.file
    bodies: list[s.Expression | None] = [c.body for c in file.clauses if _belongs(file, c, family)]
    bodies += [rule.body for rule in _rules(file, family)]
    bodies += [let.body for let in file.lets if _belongs(file, let, family)]
    own: dict[int, s.Definition] = {}
    called: set[str] = set()
    while bodies:
        body = bodies.pop()
        if body is None:
            continue
        named = set(map(s.called, s.every(body))) - called
        called |= named
        for definition in (d for d in file.definitions if d.name in named and _belongs(file, d, family)):
            own[id(definition)] = definition
            bodies.append(definition.body)
    known = chain.from_iterable(formal.definitions[name] for name in sorted(called & formal.definitions.keys()))
    shared = [d for d in known if id(d) not in own and _belongs(file, d, family)]
    return [d for d in file.definitions if id(d) in own], shared


def _is_shown_in(example: s.Example, file: s.File, family: str) -> bool:
    """Return whether an example is one of a family: its tensors have types of it."""
    values = [entry.value for entry in example.entries if isinstance(entry.value, s.TensorValue)]
    types = file.types.get(family)
    fits = types is None or any(value.type in types for value in values) or not values
    return not family or (example.family in ("", family) and fits)


def _values(example: s.Example) -> str:
    """The values of an example, a line each, and what refuses them."""
    values = example_values(example)
    width = max(map(len, values), default=0)
    lines = [f"{name:<{width}} = {value}" for name, value in values.items()]
    ending = example_ending(example)
    return "\n".join([*lines, *([ending] if ending else [])])


# ---------------------------------------------------------------------------------------------------------- clauses


def _is_about_outputs(clause: s.Clause, file: s.File) -> bool:
    if clause.body is None:
        return False
    outputs = {declaration.name for declaration in file.outputs}
    return not outputs.isdisjoint(name.name for name in s.free_names(clause.body))


def _condition(formal: Formal, name: str, clause: s.Clause) -> str:
    body = clause.body
    if body is None:
        return "outside the formal model"
    # A clause that denies another one names it: the link leads to its row.
    if isinstance(body, s.Fails):
        return f"[[{body.tag}]](#{name}-{body.tag}) does not hold"
    return inline(formal.clause(clause))


def sentence(text: str, names: Iterable[str] = ()) -> str:
    """A title as a sentence begins, unless it begins with a name of the text."""
    word = re.split(r"\W", text, maxsplit=1)[0]
    # `axis is in range`: the name is axis, and Axis would be another.
    if word in names:
        return text
    return text[:1].upper() + text[1:]


# ----------------------------------------------------------------------------------------------------- declarations


def _output_of(file: s.File, name: str) -> str:
    """The element type of the first output: the family, or a type or variable of its own."""
    # A text that is being written may have no output yet.
    kind = file.outputs[0].type.of if file.outputs else None
    if kind is None or kind.name == "T":
        return name
    return kind.name


def _is_a(declaration: s.Declaration) -> str:
    if declaration.high is not None:
        return f"are each a {_kind(declaration)}"
    return f"is {'an' if declaration.optional else 'a'} {_kind(declaration)}"


def _kind(declaration: s.Declaration) -> str:
    kind = declaration.type
    optional = "optional " if declaration.optional else ""
    of = "" if kind.of is None else f" of {_type(kind.of.name)}"
    if kind.is_code and kind.of is not None:
        of = f" {_type(kind.of.name)}"
    return f"{optional}{kind.name}{of}"


def _type(name: str) -> str:
    # Type variables, as T and T2, are formulas; types, as int64, are words.
    if name.istitle() or name.isupper():
        return f"${name}$"
    return name


def _where(formal: Formal, declaration: s.Declaration) -> str:
    if declaration.where is None:
        return ""
    return f", where {inline(latex(declaration.where, formal.scope))}"


def _default(formal: Formal, declaration: s.Declaration) -> str:
    if declaration.default is None:
        return ""
    return f", by default {inline(latex(declaration.default, formal.scope))}"


def _listed(declarations: Iterable[s.Declaration]) -> str:
    return ", ".join(f"{inline(identifier(d.name))} : {d.type}" for d in declarations)
