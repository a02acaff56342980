"""Parts that the rules of the layout share: documents of parts, and items as rows or paragraphs. Not trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lark import Token, Tree

from sonnx_verify.language.documents import LINE, SPACE, Doc, Joined, Word, group, nest

Child = Token | Tree[Token]
Children = Sequence[Child]
Rule = Callable[["Layouts", Children], Doc]


class Layouts:
    """Documents of the parts of one file."""

    def __init__(self, tokens: Sequence[Token], rules: dict[str, Rule]) -> None:
        self._places = {t.start_pos: n for n, t in enumerate(tokens)}
        self._rules = rules
        self.leading: set[int] = set()
        self.trailing: set[int] = set()

    def place(self, token: Token) -> int:
        """The number of a token among those of the file."""
        return self._places[token.start_pos]

    def of(self, node: Child) -> Doc:
        """The document of a token or of a part."""
        if isinstance(node, Token):
            # A comment before a comma is about what stands before it, and would push the comma to the next line.
            if is_word(node, ",", ";"):
                self.trailing.add(self.place(node))
            return Word(one_tag(node), self.place(node))
        assert node.data in self._rules, f"there is no layout for the rule {node.data}"
        return self._rules[node.data](self, node.children)

    def all(self, nodes: Children) -> list[Doc]:
        """The documents of some nodes."""
        return [self.of(n) for n in nodes]

    def before_line(self, node: Child) -> Doc:
        """The document of a token that begins a line where the line ends before it."""
        assert isinstance(node, Token)
        self.leading.add(self.place(node))
        return self.of(node)

    def listed(self, nodes: Children) -> Doc:
        """Parts with commas or semicolons between them; the line may end behind each of these."""
        parts: list[Doc] = []
        for node in nodes:
            if parts and not is_word(node, ",", ";"):
                parts.append(LINE)
            parts.append(self.of(node))
        return Joined(tuple(parts))

    def spaced(self, nodes: Children) -> Doc:
        """Words with single blanks between them, none inside parentheses and before brackets of a name."""
        parts: list[Doc] = []
        for n, node in enumerate(nodes):
            tight = is_word(node, ",", ";", ")", "]", "[", "(") or (n and is_word(nodes[n - 1], "(", "["))
            if n and not tight:
                parts.append(SPACE)
            parts.append(self.of(node))
        return Joined(tuple(parts))


def one_tag(token: Token) -> str:
    """The token's text; of a list of tags with one blank after each comma: blanks in it are no tokens of their own."""
    if token.type != "TAG":
        return str(token)
    return f"[{', '.join(tag.strip() for tag in token[1:-1].split(','))}]"


def is_word(node: Child, *texts: str) -> bool:
    """Return whether it is a token with one of these texts, and no name: an input may be called `when`."""
    return isinstance(node, Token) and node.type != "NAME" and str(node) in texts


@dataclass(frozen=True, slots=True)
class Item:
    """`cells` are the aligned parts of a row, the last of which is not padded; no cells: always a paragraph. Rows are
    aligned with neighbours of the same `kind`."""

    kind: str
    cells: tuple[Doc | None, ...]
    paragraph: Doc


ItemRule = Callable[[Layouts, Children], Item]


def row(kind: str, cells: list[Doc | None], paragraph: Doc) -> Item:
    """An item that is a row where it fits on a line."""
    return Item(kind, tuple(cells), paragraph)


def with_spaces(parts: Sequence[Doc | None]) -> Doc:
    """Parts with blanks between them, without those that are None."""
    return parted([part for part in parts if part], SPACE)


def parted(parts: Sequence[Doc], between: Doc) -> Joined:
    """Parts with the same between each two of them."""
    found: list[Doc] = []
    for part in parts:
        found += [between, part]
    return Joined(tuple(found[1:]))


def position(children: Children, text: str) -> int:
    """The number of the first such token that is no name."""
    return next(n for n, c in enumerate(children) if is_word(c, text))


def tree(node: Child) -> Tree[Token]:
    """The node, which is a part and no token."""
    assert isinstance(node, Tree)
    return node


def spaced(lay: Layouts, children: Children) -> Doc:
    """Words with blanks between them, which stay on one line."""
    return lay.spaced(children)


def titled_head(lay: Layouts, head: Children) -> Doc:
    """A name, a text and an origin; the line may end before the text."""
    title = next(n for n, c in enumerate(head) if isinstance(c, Token) and c.type == "STRING")
    return group(lay.spaced(head[:title]), nest(LINE, lay.spaced(head[title:])))
