"""Formulas of pages as tokens: LaTeX as pylatexenc reads it, each token with its place in the formula."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"(?P<name>[A-Za-z]+\d*)|(?P<number>\d+(?:\.\d+)?)|(?P<blank>\s+)|(?P<mark>.)", re.DOTALL)
_WRITTEN = frozenset({"text", "mathrm", "operatorname", "textbf", "textit", "mathbf", "textrm", "mbox", "texttt"})
"""What is written in words. A single letter in bold or upright is a symbol all the same."""
_SKIPPED = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "quad", "qquad", "displaystyle", "textstyle", "limits",
    "nolimits", "hspace", "vspace", "color", "label", "tag", ",", ";", ":", "!", " ",
})  # fmt: skip
GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
    "mu", "nu", "xi", "rho", "sigma", "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta",
    "Theta", "Lambda", "Xi", "Sigma", "Phi", "Psi", "Omega",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a formula. `kind` is name, number, word (in upright letters), macro (by its name without backslash),
    mark (a character), open or close (of a group); `place` is where it begins in the formula."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Formula:
    """The tokens of a formula, and what could not be read, in words."""

    tokens: tuple[Token, ...]
    problem: str = ""


@lru_cache(maxsize=4096)
def formula(text: str) -> Formula:
    """The tokens of LaTeX without its dollars. What is not LaTeX is read as far as it goes, and told."""
    try:
        tokens = tuple(_tokens(_nodes(text)))
    except RecursionError:
        return Formula((), "it is nested too deep to be read")
    return Formula(tokens, _unbalanced(text))


def _nodes(text: str) -> Sequence[Any]:
    # Reading formulas is the only use of the package, and most commands read none.
    import logging

    from pylatexenc.latexwalker import LatexWalker

    # What is wrong is told as a finding, not on standard error.
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    nodes: Sequence[Any] = LatexWalker(text, tolerant_parsing=True).get_latex_nodes()[0]
    return nodes


def _tokens(nodes: Sequence[Any]) -> Iterator[Token]:
    for node in nodes:
        if node is None:
            continue
        match type(node).__name__:
            case "LatexCharsNode":
                yield from _characters(node.chars, node.pos)
            case "LatexGroupNode":
                if node.delimiters[0] == "{":
                    yield Token("open", "{", node.pos)
                    yield from _tokens(node.nodelist)
                    yield Token("close", "}", node.pos + node.len - 1)
                else:
                    yield Token("mark", node.delimiters[0], node.pos)
                    yield from _tokens(node.nodelist)
                    yield Token("mark", node.delimiters[1], node.pos + node.len - 1)
            case "LatexMacroNode":
                yield from _macro(node)
            case "LatexEnvironmentNode" | "LatexMathNode":
                yield from _tokens(node.nodelist)
            case "LatexSpecialsNode":
                yield Token("mark", node.specials_chars, node.pos)


def _macro(node: Any) -> Iterator[Token]:
    name = node.macroname
    arguments = node.nodeargd.argnlist if node.nodeargd is not None else []
    if name in _WRITTEN:
        words = "".join(a.latex_verbatim() for a in arguments if a is not None).strip("{}")
        kind = "name" if re.fullmatch(r"[A-Za-z]\d*", words) else "word"
        yield Token(kind, words, node.pos)
    elif name in GREEK:
        yield Token("name", name, node.pos)
    elif name not in _SKIPPED:
        yield Token("macro", name, node.pos)
        for argument in arguments:
            if argument is not None and name != "\\":
                yield from _tokens([argument])


def _characters(text: str, start: int) -> Iterator[Token]:
    for found in _WORD.finditer(text):
        kind = found.lastgroup
        if kind != "blank":
            yield Token(str(kind), found[0], start + found.start())


_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")


def _unbalanced(text: str) -> str:
    """What is opened and not closed, or the other way round."""
    depth = 0
    for found in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth < 0:
            return "a brace is closed that was not opened"
    if depth:
        return "a brace is opened and not closed"
    opened: list[str] = []
    for environment in _ENVIRONMENT.finditer(text):
        if environment[1] == "begin":
            opened.append(environment[2])
        elif not opened or opened.pop() != environment[2]:
            return f"\\end{{{environment[2]}}} does not close what was opened last"
    return f"\\begin{{{opened[-1]}}} is not closed" if opened else ""
