"""Pages composed at random of what real ones deviate by, each with the model that a reader has to find in it.

`python tests/pages/generate.py SEED` prints the page of a seed, and the model as comments.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

OPERATORS = ("Clamp", "Fold", "ReduceSpan", "Mix2", "swap")
FAMILIES = (("real", "REAL"), ("float", "FLOAT"), ("int", "INT"), ("uint", "UINT"))
TYPES = {"real": "real", "float": "float16, float", "int": "int8, int16", "uint": "uint8, uint16"}
WORDS = (
    "bounds",
    "shapes",
    "each element",
    "the result",
    "a scalar",
    "no dimension",
    "types",
    "an index",
    "sizes",
    "one axis",
)


@dataclass
class Composed:
    """A page: its lines, and what a reader has to find in them. A tag is its name, kind, style and line; `links` are
    pairs of a line and where the link leads to."""

    operator: str
    lines: list[str] = field(default_factory=list)
    tags: list[tuple[str, str, str, int]] = field(default_factory=list)
    families: list[str] = field(default_factory=list)
    sections: list[tuple[int, str]] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The page."""
        return "\n".join(self.lines) + "\n"

    @property
    def at(self) -> int:
        """The number of the line that comes next."""
        return len(self.lines) + 1


class Composer:
    """Composes a page, of the choices of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.page = Composed(self.one(OPERATORS))
        self.level = self.random.randint(1, 2)
        self.brackets = self.one(("`[{}]`", "[{}]", "`[{}]`:", "**[{}]**", "({})", "`{}`:"))
        self.names: dict[str, int] = {}

    def one(self, choices: tuple[Any, ...]) -> Any:
        return self.random.choice(choices)

    def perhaps(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def add(self, *lines: str) -> None:
        self.page.lines += lines

    def words(self) -> str:
        """Words that state something, with a formula at times."""
        said = " and ".join(self.random.sample(WORDS, 2))
        return f"{said} of $X$ hold, $X_{{{self.random.randint(0, 9)}}} \\ge 0$" if self.perhaps() else f"{said} hold"

    def anchor(self, name: str) -> str:
        self.page.anchors.append(name)
        return f'<a id="{name}"></a>' if self.perhaps(0.8) else f"<a name='{name}'></a>"

    def link(self, text: str, target: str) -> str:
        """A link on the line that comes next."""
        self.page.links.append((self.page.at, target))
        shown = self.one(("{}", "`{}`", "<b><span style=\"font-family: 'Courier New'\">{}</span></b>"))
        return f"[{shown.format(text)}]({target})"

    # -------------------------------------------------------------------------------------------------------- pieces

    def whole(self) -> Composed:
        """The page."""
        families = self.random.sample(FAMILIES, self.random.randint(1, 4))
        if self.perhaps(0.2):
            self.add("")
        if self.perhaps(0.9):
            self.heading("Contents", 1, "contents")
            quote = "> " if self.perhaps(0.2) else ""
            for family, _ in families:
                self.add(f"{quote}- **{self.page.operator}** for {self.link(TYPES[family], f'#{family}')}")
        self.add("", "Based on a standard.", "")
        for family, upper in families:
            self.family(family, upper)
        return self.page

    def heading(self, title: str, level: int, kind: str) -> None:
        self.add("")
        self.page.sections.append((self.page.at, kind))
        self.add(f"{'#' * min(level, 6)} {title}{self.one(('', ' ', ''))}")
        if self.perhaps(0.8):
            self.add("")

    def family(self, family: str, upper: str) -> None:
        """A family, with its sections."""
        new = self.perhaps()
        operator = self.page.operator
        shown = self.one(
            (f"**{operator}**", f"`{operator}`", f"$\\text{{{operator}}}$", operator, f"`{operator}` operator")
        )
        types = self.one((family, f"{family}, {family}", f"{family},{family}"))
        self.add("", self.anchor(family))
        title = f"{shown} ({types})" if self.perhaps(0.8) else f"{shown}  `({types})`"
        self.heading(title, self.level, "family")
        self.page.families.append(f"{operator} operator ({types})" if "operator" in shown else f"{operator} ({types})")
        low = self.level if self.perhaps(0.1) else self.level + 1
        self.heading("Signature", low, "signature")
        self.add(f"$Y = \\text{{{operator}}}(X)$")
        self.heading(self.one(("Restrictions", "SONNX restrictions", "Restriction")), low, "restrictions")
        self.restrictions(family)
        self.heading(self.one(("Function", "Informal specification")), low, "function")
        self.function(upper) if new else self.prose()
        if self.perhaps():
            self.heading(self.one(("Example 1", "Examples", "Example 2 (1D tensors)")), low + 1, "examples")
            self.add("```math", "X = \\begin{bmatrix} 1 & [C1] \\end{bmatrix}", "```")
        self.heading(self.one(("Error conditions", "Error condition", "Errors")), low, "errors")
        self.errors(family)
        self.heading("Attributes", low, "attributes")
        self.add("None.")
        for title, kind, name in (("Inputs", "inputs", "X"), ("Outputs", "outputs", "Y")):
            self.heading(self.one((title, title[:-1])), low, kind)
            if self.perhaps():
                self.heading(
                    self.one((f"$\\text{{{name}}}$: {family} tensor", f"`{name}`", f"${name}$ (INT8)")), low + 1, ""
                )
            if self.perhaps():
                self.heading("Constraints", low + self.one((1, 2)), "constraints")
            self.constraints(upper if new else "", name)
        if self.perhaps(0.3):
            self.heading("Numerical accuracy", low, "")
            self.add("Exact.")

    def prose(self) -> None:
        self.add(self.words(), "")
        self.add(f"- If {self.words()}, as {self.link('C1', '#nowhere')} says", "", "$$", "Y = X", "$$")
        if self.perhaps(0.3):
            self.add("", "<b><span style='x'>[T1]</span></b> " + self.words(), "")
            self.page.tags.append(("T1", "function", "old", self.page.at - 2))

    def function(self, upper: str) -> None:
        """Statements between marks."""
        for number in range(1, self.random.randint(1, 3) + 1):
            name = f"E_{self.page.operator.upper()}_{upper}_FUNC_{number:03}0"
            if self.perhaps(0.7):
                self.add(self.anchor(name))
            self.page.tags.append((name, "function", "new", self.page.at))
            shown = self.one((f"[{name}]", f"`[{name}]`"))
            self.add(f'<span style="background: red;">{shown}</br></span>')
            if self.perhaps():
                self.add("")
            self.add(self.words(), "", "- " + self.words(), "")
            self.add('<span style="background: red;">[END]</br></span>', "")

    def row(self, tag: str, kind: str, family: str, closed: str) -> None:
        self.page.tags.append((tag, kind, "old", self.page.at))
        label = self.one((f"`[{tag}]`", tag, f"[{tag}]", f"**{tag}**", f"`{tag}`"))
        anchor = f" {self.anchor(f'{family}-{tag}')} " if self.perhaps(0.3) else ""
        self.add(f"| {label}{anchor} | {self.words()} | {self.one(('Transient', 'a standard'))} {closed}")

    def restrictions(self, family: str) -> None:
        """In a table, as items, with the tag before or behind, or none."""
        shape = self.one(("table", "items", "behind", "none"))
        if shape == "none":
            self.add("None.")
        if shape == "table":
            self.add("| Restriction | Statement | Origin |", "|---|:--|---")
        for number in range(1, self.random.randint(1, 4) + 1):
            tag = f"R{number}"
            if shape == "table":
                self.row(tag, "restriction", family, self.one(("|", "", " | ")))
            elif shape in ("items", "behind"):
                self.page.tags.append((tag, "restriction", "old", self.page.at))
                self.add(f"- `[{tag}]` {self.words()}" if shape == "items" else f"- {self.words()} `[{tag}]`")

    def errors(self, family: str) -> None:
        if self.perhaps():
            self.add("No error condition.")
            return
        self.add("| Error | Statement | Origin |", "|---|---|---|")
        for number in range(1, self.random.randint(1, 3) + 1):
            self.row(f"E{number}", "error", family, "|")

    def constraints(self, upper: str, name: str) -> None:
        """As items, with what is said of them below."""
        for number in range(1, self.random.randint(1, 4) + 1):
            bullet = self.one(("- ", "* ", "-  ", " - "))
            if upper:
                tag = f"E_{self.page.operator.upper()}_{upper}_CONSTR_{name}_{number:03}0"
                if self.perhaps(0.6):
                    self.add(self.anchor(tag))
                label, anchor = self.one((f"`[{tag}]`", f"[{tag}]", f"`{tag}`")), ""
            else:
                tag = f"C{number}"
                label = self.brackets.format(tag)
                anchor = f" {self.anchor(f'{tag}{name}{len(self.page.lines)}')}" if self.perhaps() else ""
            self.page.tags.append((tag, "constraint", "new" if upper else "old", self.page.at))
            self.add(f"{bullet}{label}{anchor} {self.words()}")
            if self.perhaps():
                if self.perhaps(0.3):
                    self.add("")
                self.add(f"    - Statement: {self.words()}, see {self.link(tag, '#nowhere')}")
                if self.perhaps():
                    self.add(f"    - Rationale: {self.words()}")
            if self.perhaps(0.3):
                self.add("")


def composed(seed: int) -> Composed:
    """The page of a seed."""
    return Composer(seed).whole()


if __name__ == "__main__":
    made = composed(int(sys.argv[1]))
    print(made.text)
    print(*(f"<!-- {tag} -->" for tag in made.tags), sep="\n")
