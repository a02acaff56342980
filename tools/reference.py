"""Writes the generated sections of docs/reference.md: `python tools/reference.py`.

"Grammar" comes from sonnx_verify/language/grammar.lark, rule by rule, with an example of each from docs/examples.toml;
"Libraries and theories" from spec/common and proofs; "Operators of the logic" from the table in
sonnx_verify/logic/operators.py; "Commands" from the helps of the commands.
What stands outside the pairs of `<!-- generated -->` and `<!-- end -->` is written by hand and kept.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sonnx_verify.cli import COMMANDS, main  # noqa: E402
from sonnx_verify.language import syntax as s  # noqa: E402
from sonnx_verify.language.project import Project  # noqa: E402
from sonnx_verify.logic.operators import GROUPS, OPERATORS, Operator  # noqa: E402  # runs without an installation

PAGE = ROOT / "docs" / "reference.md"
EXAMPLES = ROOT / "docs" / "examples.toml"
GRAMMAR = ROOT / "sonnx_verify" / "language" / "grammar.lark"

_SECTION = re.compile(r"(^## ([^\n]+)\n\n<!-- generated -->\n).*?(^<!-- end -->$)", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"\??([A-Za-z]\w*)(?:\.-?\d+)?\s*:\s*(.*)")
_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/|->|\w+|[()|?*+]')
_WIDTH = 100

_GRAMMAR = """\
From `sonnx_verify/language/grammar.lark`. A file is a `start`. `?` is for at most one, `*` for any number, `+` for at
least one, `|` for a choice; words of the language are in quotes, patterns between slashes. A word is one of the
language only where the grammar expects it. Blanks and line ends mean nothing, but for this: a tag before `let`, `shape`
or `value` stands on the line of its word. Below each rule are examples of it.
"""
_OPERATORS = """\
From `sonnx_verify/logic/operators.py`. Terms are made of these and of nothing else. How an operator without a name in
SMT-LIB is printed depends on its sorts, or it is gone before a question is asked. `0 in 3, 4` says that the argument
numbered 0 is a bound variable, and that its scope is the arguments 3 and 4.
"""
_THEORIES = """\
All that `use` can bring into a text: the definitions and orders of `spec/common`, and what is proved in `proofs`. An
axiom is cited, not proved; whatever rests on it names it.
"""
_COMMANDS = """\
What `sonnx-verify help COMMAND` prints. `sonnx-verify help --all` lists old names of commands too.
"""


@dataclass(slots=True)
class Rule:
    """A rule or a terminal. Each alternative has its symbols and the name of the node it makes in the tree."""

    name: str
    alternatives: list[tuple[list[str], str]] = field(default_factory=list)


@dataclass(slots=True)
class Chapter:
    """The rules below a comment `// -- title`; `notes` are the other comments."""

    title: str = ""
    notes: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)


def chapters(text: str) -> list[Chapter]:
    """The grammar, divided by its comments."""
    found = [Chapter()]
    source = ""
    for line in [*text.splitlines(), ""]:
        if line.startswith(" "):
            source += line
            continue
        if source:
            found[-1].rules.append(_rule(source))
            source = ""
        if line.startswith("// -- "):
            found.append(Chapter(line.removeprefix("// -- ")))
        elif line.startswith("//"):
            found[-1].notes.append(line.removeprefix("//").strip())
        elif line and not line.startswith("%"):
            source = line
    return found


def _rule(source: str) -> Rule:
    match = _RULE.fullmatch(source)
    assert match, f"a rule that cannot be read: {source}"
    name, body = match.groups()
    assert not _SYMBOL.sub("", body).strip(), f"a rule with other symbols: {source}"
    rule = Rule(name, [([], name)])
    symbols = _SYMBOL.findall(body)
    depth = 0
    for n, symbol in enumerate(symbols):
        depth += (symbol == "(") - (symbol == ")")
        if symbol == "|" and depth == 0:
            rule.alternatives.append(([], name))
        elif symbol == "->":
            rule.alternatives[-1] = (rule.alternatives[-1][0], symbols[n + 1])
        elif n == 0 or symbols[n - 1] != "->":
            rule.alternatives[-1][0].append(symbol)
    return rule


def _lines(rule: Rule) -> list[str]:
    """A rule, with as many alternatives on a line as fit if all are single symbols, else each on its own line."""
    name = _shown(rule.name)
    single = all(len(symbols) == 1 for symbols, _ in rule.alternatives)
    lines = [f"{name} ::="]
    for n, (symbols, _) in enumerate(rule.alternatives):
        more = f" {'| ' if n else ''}{_sequence(symbols)}"
        if n and not (single and len(lines[-1] + more) <= _WIDTH):
            lines.append(" " * len(name) + "   " + more.removeprefix(" "))
        else:
            lines[-1] += more
    return lines


def _sequence(symbols: Sequence[str]) -> str:
    text = ""
    for n, symbol in enumerate(symbols):
        tight = symbol in "?*+)" or n == 0 or symbols[n - 1] == "("
        text += ("" if tight else " ") + _shown(symbol)
    return text


def _shown(symbol: str) -> str:
    """A symbol for readers: names without the underscore that keeps them apart from words of Python, patterns without
    what they look ahead for."""
    if re.fullmatch(r"[A-Za-z]\w*", symbol):
        return symbol.rstrip("_")
    if not symbol.startswith("/"):
        return symbol
    pattern = _without_lookahead(symbol[1:-1]).replace(r"\b", "").replace("(?:", "(")
    words = re.fullmatch(r"\(?(\w+(?:\|\w+)*)\)?", pattern)
    return " | ".join(f'"{word}"' for word in words[1].split("|")) if words else f"/{pattern}/"


def _without_lookahead(pattern: str) -> str:
    while found := re.search(r"\(\?[=!]", pattern):
        start = found.start()
        depth, end = 0, start
        while end == start or depth:
            if pattern[end] == "\\":
                end += 1
            else:
                depth += (pattern[end] == "(") - (pattern[end] == ")")
            end += 1
        pattern = pattern[:start] + pattern[end:]
    return pattern


def examples() -> dict[str, tuple[str, str]]:
    """By rule: the table of docs/examples.toml that it is in, and the example."""
    tables = tomllib.loads(EXAMPLES.read_text("utf-8"))
    return {rule: (table, text.strip("\n")) for table, rules in tables.items() for rule, text in rules.items()}


def grammar() -> Iterator[str]:
    """The section "Grammar"."""
    yield _GRAMMAR
    shown = examples()
    for chapter in chapters(GRAMMAR.read_text("utf-8")):
        if chapter.title:
            yield f"### {chapter.title[0].upper()}{chapter.title[1:]}\n"
        if chapter.notes:
            yield "\n".join(chapter.notes) + "\n"
        for part in _parts(chapter):
            yield _block("ebnf", [line for rule in part for line in _lines(rule)])
            nodes = dict.fromkeys(node for rule in part for _, node in rule.alternatives)
            found = [shown.pop(node) for node in nodes if node in shown]
            items = [text for table, text in found if table in ("items", "parts")]
            if items:
                yield _block("sonnx", [("\n\n" if any("\n" in i for i in items) else "\n").join(items)])
            other = [text for table, text in found if table not in ("items", "parts")]
            if other:
                yield _block("text", other)


def _parts(chapter: Chapter) -> Iterator[list[Rule]]:
    """A rule alone; the terminals of a chapter together."""
    terminals = [rule for rule in chapter.rules if rule.name.isupper()]
    yield from ([rule] for rule in chapter.rules if not rule.name.isupper())
    if terminals:
        yield terminals


def _block(language: str, lines: Sequence[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```", ""])


def operators() -> Iterator[str]:
    """The section "Operators of the logic"."""
    yield _OPERATORS
    for group, names in GROUPS.items():
        yield f"### {group[0].upper()}{group[1:]}\n"
        rows = [_row(row) for row in OPERATORS.values() if row.name in names]
        yield "\n".join(["| operator | SMT-LIB | binds |", "|---|---|---|", *rows, ""])


def _row(operator: Operator) -> str:
    binds = "; ".join(f"{bound} in {', '.join(map(str, scope))}" for bound, scope in operator.binds)
    cells = [_code(operator.name), _code(operator.smt or ""), binds]
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|") if text else ""


def commands() -> Iterator[str]:
    """The section "Commands"."""
    yield _COMMANDS
    context = click.Context(main, info_name="sonnx-verify", **_HELP)
    for name, entry in COMMANDS.items():
        if entry.group is None:
            continue
        found = main.get_command(context, name)
        assert found is not None
        yield from _help(name, found, context)


_HELP: dict[str, Any] = {"terminal_width": _WIDTH, "max_content_width": _WIDTH, "help_option_names": ["-h", "--help"]}


def _help(name: str, command: click.Command, above: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name.split()[-1], parent=above, **_HELP)
    yield f"### {name}\n"
    yield _block("text", [line.rstrip() for line in command.get_help(context).splitlines()])
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _help(f"{name} {below}", found, context)


def theories() -> Iterator[str]:
    """The section "Libraries and theories"."""
    yield _THEORIES
    project = Project.of_files(ROOT, [*sorted(ROOT.glob("spec/common/*.sonnx")), *sorted(ROOT.glob("proofs/*.sonnx"))])
    for unit in project.units:
        assert unit.file is not None
        yield from _theory(unit.file)


def _theory(file: s.File) -> Iterator[str]:
    """A library or a theory: a row for each definition, order and theorem."""
    rows = []
    for definition in file.definitions:
        parameters = ", ".join(f"{one.name} : {one.type}" for one in definition.parameters)
        of_family = f" for {definition.family}" if definition.family else ""
        signature = f"{definition.name}({parameters}) : {definition.result}{of_family}"
        rows.append(("define", signature, definition.title))
    rows += [("order", order.name, order.title) for order in file.orders]
    for theorem in file.theorems:
        if theorem.cited is None:
            rows.append(("theorem", theorem.name, theorem.title))
        else:
            rows.append(("axiom", theorem.name, f"{theorem.title} ({theorem.cited})"))
    if rows:
        yield f"### {file.name}\n"
        yield f"{file.title}.\n"
        cells = (f"| {kind} | {_code(name)} | {_escaped(title)} |" for kind, name, title in rows)
        yield "\n".join(["| | name | says |", "|---|---|---|", *cells, ""])


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*").replace("<", "&lt;")


GENERATED = {
    "Grammar": grammar,
    "Libraries and theories": theories,
    "Operators of the logic": operators,
    "Commands": commands,
}


def generated(page: str) -> str:
    """The page with its generated sections as they should be."""
    found = [match[2] for match in _SECTION.finditer(page)]
    assert found == list(GENERATED), f"{PAGE.name} has the generated sections {found}, not {list(GENERATED)}"
    return _SECTION.sub(lambda match: f"{match[1]}\n{chr(10).join(GENERATED[match[2]]())}\n{match[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text("utf-8")), "utf-8")
