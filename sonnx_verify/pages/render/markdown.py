"""A formal text as a page: the sections of SONNX Markdown, with the formulas and tags of the text.

The pages are the templates `operator.md.jinja` and `shared.md.jinja`; this module finds the parts of a text that stand
in them, and writes the words of a declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import other_types
from sonnx_verify.language.sections import belongs
from sonnx_verify.language.values import a_kind
from sonnx_verify.pages.render.formal import Formal, fenced, inline
from sonnx_verify.pages.render.latex import latex
from sonnx_verify.pages.render.names import identifier
from sonnx_verify.pages.templates import rendered


def page(formal: Formal) -> str:
    """The page of an operator, of a library or of a theory."""
    if formal.file.version is not None:
        return _operator(formal)
    return rendered(
        "shared.md.jinja",
        formal=formal,
        file=formal.file,
        sentence=_sentence,
        listed=_listed,
        fenced=fenced,
        a_kind=a_kind,
    )


def _operator(formal: Formal) -> str:
    file = formal.file
    return rendered(
        "operator.md.jinja",
        formal=formal,
        file=file,
        other_types=other_types(file),
        about_outputs=[clause for clause in file.clauses if _is_about_outputs(clause, file)],
        clauses=lambda kind, family: [c for c in file.clauses if c.kind == kind and belongs(file, c, family)],
        rules=lambda family, what, output: [r for r in _rules(file, family) if (r.what, r.output) == (what, output)],
        lets=lambda family: [let for let in file.lets if belongs(file, let, family)],
        left_open=lambda family: [r for r in _rules(file, family) if r.what.leaves_open],
        examples=lambda family: [e for e in file.examples if _is_shown_in(e, file, family)],
        used=lambda family: _used(formal, family),
        output_of=lambda name: _output_of(file, name),
        condition=lambda name, clause: _condition(formal, name, clause),
        sentence=lambda title: _sentence(title, formal.scope.names),
        where=lambda declaration: _where(formal, declaration),
        default=lambda declaration: _default(formal, declaration),
        is_a=_is_a,
        kind=_kind,
        inline=inline,
        fenced=fenced,
        identifier=identifier,
    )


def _rules(file: s.File, family: str) -> list[s.Rule]:
    return [rule for rule in file.rules if belongs(file, rule, family)]


def _used(formal: Formal, family: str) -> list[s.Definition]:
    """The definitions that the clauses of a family name, in the order of their names."""
    file = formal.file
    clauses = [clause.body for clause in file.clauses if belongs(file, clause, family)]
    rules = [rule.body for rule in _rules(file, family)]
    lets = [let.body for let in file.lets if belongs(file, let, family)]
    called: set[str] = set()
    bodies: list[s.Expression | None] = [*clauses, *rules, *lets]
    for body in bodies:
        if body is not None:
            called.update(map(s.called, s.every(body)))
    known = chain.from_iterable(formal.definitions[name] for name in sorted(called & formal.definitions.keys()))
    return [definition for definition in known if belongs(file, definition, family)]


def _is_shown_in(example: s.Example, file: s.File, family: str) -> bool:
    """Return whether an example is one of a family: its tensors have types of it."""
    values = [entry.value for entry in example.entries if isinstance(entry.value, s.TensorValue)]
    types = file.types.get(family)
    fits = types is None or any(value.type in types for value in values) or not values
    return example.family in ("", family) and fits


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


def _sentence(text: str, names: Iterable[str] = ()) -> str:
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
