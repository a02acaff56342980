"""The items of a formal text as formulas, each where it stands: the things that a page can quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Library
from sonnx_verify.language.families import families
from sonnx_verify.language.kinds import INDEX, INT, Kind, Kinds, of_declaration, of_type
from sonnx_verify.pages.render.latex import is_results, latex
from sonnx_verify.pages.render.names import identifier, words


@dataclass(frozen=True, slots=True)
class Item:
    """An item that can be quoted: what it is called, the family that it is for, empty for all, and its formula."""

    name: str
    family: str
    formula: str


@dataclass(slots=True)
class Formal:
    """A formal text with what is known of its names."""

    file: s.File
    scope: Kinds = field(default_factory=Kinds)
    definitions: dict[str, list[s.Definition]] = field(default_factory=dict)
    """The definitions that the text can use, by their names."""

    @classmethod
    def of(cls, file: s.File, library: Library) -> Formal:
        """The text of a file that uses what is in a library."""
        known = {name: list(found) for name, found in library.definitions.items()}
        return cls(file, _kinds(file, known), known)

    @property
    def families(self) -> list[tuple[str, str, list[str]]]:
        """The sections: name, family, element types."""
        return families(self.file)

    def items(self) -> Iterator[Item]:
        """All items that can be quoted, in the order of their kinds."""
        file = self.file
        if file.outputs:
            yield Item("signature", "", self.signature())
        yield from (Item(c.tag, c.family, self.clause(c)) for c in file.clauses)
        yield from (Item(let.name, let.family, self.let(let)) for let in file.lets)
        for rule in file.rules:
            # What is left open has no formula of its own: it is quoted by its tag.
            if not rule.what.leaves_open:
                yield Item(f"{rule.output}.{rule.what}", rule.family, self.rule(rule))
            elif rule.tag:
                yield Item(rule.tag, rule.family, self.rule(rule))
        yield from (Item(d.name, d.family, self.definition(d)) for d in file.definitions)
        yield from (Item(o.name, o.family, self.order(o)) for o in file.orders)
        yield from (Item(t.name, "", self.theorem(t)) for t in file.theorems)

    # ---------------------------------------------------------------------------------------------------- operators

    def signature(self) -> str:
        """The outputs as the operator on its inputs."""
        results = ", ".join(map(self.declared, self.file.outputs))
        given = ", ".join(map(self.declared, self.file.inputs))
        return f"{results} = {words(self.file.name)}({given})"

    def declared(self, declaration: s.Declaration) -> str:
        """A declared name; a family with its first and last member."""
        name = identifier(declaration.name)
        if declaration.low is None or declaration.high is None:
            return name
        first, last = (latex(bound, self.scope) for bound in (declaration.low, declaration.high))
        return rf"{name}_{{{first}}}, \ldots, {name}_{{{last}}}"

    def clause(self, clause: s.Clause) -> str:
        """The condition of a clause; empty where it is outside the model."""
        if clause.body is None:
            return ""
        return latex(clause.body, self.scope)

    def let(self, let: s.Let) -> str:
        """A name with its value."""
        return f"{identifier(let.name)} = {latex(let.body, self.scope)}"

    def rule(self, rule: s.Rule) -> str:
        """The formula of a shape or a value, or the condition under which something is left open."""
        scope = self.scope
        if rule.number:
            scope = scope.having({rule.number: INT})
        if rule.index:
            scope = scope.having({rule.index: INDEX})
        # A value may be a set of results, of which an implementation gives any: then it lies in the set.
        results = rule.what is s.RuleKind.VALUE and is_results(rule.body, scope)
        body = latex(rule.body, scope, results=results)
        output = identifier(rule.output)
        if rule.number:
            output = f"{output}_{{{identifier(rule.number)}}}"
        match rule.what:
            case s.RuleKind.COUNT:
                return rf"\text{{count}}({output}) = {body}"
            case s.RuleKind.SHAPE:
                return rf"\text{{shape}}({output}) = {body}"
            case s.RuleKind.VALUE:
                sign = r"\in" if results else "="
                return rf"{output}[{identifier(rule.index)}] {sign} {body}"
            case _:
                return body

    # -------------------------------------------------------------------------------------------- shared definitions

    def definition(self, definition: s.Definition) -> str:
        """A definition on its parameters."""
        scope = self.scope.having({p.name: of_declaration(p) for p in definition.parameters})
        results = definition.result.name == "set" and is_results(definition.body, scope)
        return f"{self.called(definition)} = {latex(definition.body, scope, results=results)}"

    def called(self, definition: s.Definition) -> str:
        """A definition on its parameters, without what it says."""
        parameters = ", ".join(identifier(parameter.name) for parameter in definition.parameters)
        return f"{identifier(definition.name)}({parameters})"

    def order(self, order: s.OrderDefinition) -> str:
        """The definition of an order: when x comes before y; by classes, their conditions from the greatest on, and the
        order in each."""
        before = rf"{identifier(order.x)} \preceq {identifier(order.y)} \iff {latex(order.body, self.scope)}"
        if not order.classes:
            return before
        # The classes come first: inside of one the order is by the last line.
        classes = (rf"{words(one.name)} & {latex(one.condition, self.scope)}" for one in order.classes)
        inside = rf"{words('within each')} & {before}"
        return "\\begin{array}{ll}\n" + " \\\\\n".join([*classes, inside]) + "\n\\end{array}"

    def theorem(self, theorem: s.Theorem) -> str:
        """The statement of a theorem, under its hypotheses."""
        scope = self.scope.having({d.name: of_declaration(d) for d in theorem.declarations})
        statement: s.Expression = theorem.body
        # Hypotheses stand before the statement, as in an implication.
        if theorem.assuming is not None:
            statement = s.Implies(theorem.span, theorem.assuming, theorem.body)
        return latex(statement, scope)


def _kinds(file: s.File, definitions: Mapping[str, list[s.Definition]]) -> Kinds:
    """The kinds of a file's names: its declarations, and each `let`."""
    # Definitions of one name for several families have results of one kind.
    results = {name: of_type(found[-1].result) for name, found in definitions.items()}
    declared = (*file.inputs, *file.attributes, *file.outputs)
    kinds = Kinds({d.name: of_declaration(d) for d in declared}, results)
    known: dict[str, Kind | None] = {}
    for let in file.lets:
        kind = kinds.of(let.body)
        # Of one that is of another kind in each family nothing is known.
        known[let.name] = kind if known.get(let.name, kind) == kind else None
        kinds = kinds.having({let.name: known[let.name]})
    return kinds


def fenced(formula: str) -> str:
    """A formula as a block of a page. A fence keeps all of its characters, which dollars do not."""
    return f"```math\n{formula}\n```"


def inline(formula: str) -> str:
    """A formula inside of a line, or of a table."""
    # Code hosts take two backslashes for an escaped one there, and a line break ends a cell of a table.
    return "$" + formula.replace(" \\\\\n", r" \cr ").replace("\n", " ") + "$"
