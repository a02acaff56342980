"""Formulas of pages as tokens: the lexical part of LaTeX alone, each token with its place in the formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sonnx_verify.pages.reading.kinds import TokenKind

# In this order: words in upright letters; environments, comments and line ends, which are no tokens; macros. `x1` is
# one name, `1x` is a number and a name.
_TOKEN = re.compile(
    r"(?P<written>\\(?:text|mathrm|operatorname|textbf|textit|mathbf|textrm|mbox|texttt)\s*\{)"
    r"|\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\{[lcr|\s]*\})?|%[^\n]*|\\\\\[[^\[\]]*\]"
    r"|\\(?P<macro>[A-Za-z]+|.)|(?P<name>[A-Za-z]+\d*)|(?P<number>\d+(?:\.\d+)?)|(?P<open>\{)|(?P<close>\})"
    r"|\s+|(?P<mark>.)",
    re.DOTALL,
)
# Macros about size, space, color and labels: they change nothing that a formula says.
_SKIPPED = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "quad", "qquad", "displaystyle", "textstyle", "limits",
    "nolimits", "hspace", "vspace", "color", "label", "tag", ",", ";", ":", "!", " ",
})  # fmt: skip  # a table
GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
    "mu", "nu", "xi", "rho", "sigma", "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta",
    "Theta", "Lambda", "Xi", "Sigma", "Phi", "Psi", "Omega",
})  # fmt: skip  # a table
MOST_CHARACTERS = 20_000
"""A formula that has more is not read: nobody would."""


_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a formula; `place` is where it begins in the formula."""

    kind: TokenKind
    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Formula:
    """The tokens of a formula, and what could not be read, in words."""

    tokens: tuple[Token, ...]
    problem: str = ""


@lru_cache(maxsize=1 << 16)
def formula(text: str) -> Formula:
    """The tokens of LaTeX without its dollars. What is not LaTeX is read as far as it goes, and told."""
    if len(text) > MOST_CHARACTERS:
        return Formula((), f"it has more than {MOST_CHARACTERS} characters")
    return Formula(tuple(_tokens(text)), _unbalanced(text))


_STYLES = re.compile(r"\\(?:bf|it|rm|bfseries|itshape)\b\s*|\\(?:text|math)[a-z]{2}\s*\{([^{}]*)\}")
"""Styles within a text: both \\textit{\\bf u} and \\textit{\\textbf{u}} are the symbol u."""


def _tokens(text: str) -> Iterator[Token]:
    place = 0
    while found := _TOKEN.match(text, place):
        start, place = place, found.end()
        shown = found[0]
        match found.lastgroup:
            case "written":
                place = _closed(text, place)
                words = _STYLES.sub(lambda style: style[1] or "", text[found.end() : place - 1]).strip()
                # \mathrm{W} and \text{A1} are symbols in upright letters; longer ones are words.
                is_symbol = re.fullmatch(r"[A-Za-z]\d*", words)
                yield Token(TokenKind.NAME if is_symbol else TokenKind.WORD, words, start)
            case "macro":
                yield from _of_macro(found["macro"], start)
            case None:
                # Blanks, comments and environments say nothing; the end of a line with the space below it, as
                # `\\[1ex]`, is one like that without.
                if shown.startswith("\\\\"):
                    yield Token(TokenKind.MACRO, "\\", start)
            case group:
                yield Token(TokenKind(group), shown, start)


def _of_macro(name: str, start: int) -> Iterator[Token]:
    if name in GREEK:
        yield Token(TokenKind.NAME, name, start)
    elif name not in _SKIPPED:
        yield Token(TokenKind.MACRO, name, start)


def _depths(text: str, place: int, depth: int) -> Iterator[tuple[int, int]]:
    """Behind each brace from a place on: the place, and how many are open. Those after a backslash do not count."""
    for found in _BRACE.finditer(text, place):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        yield found.end(), depth


def _closed(text: str, place: int) -> int:
    """The place after the brace that closes the one before a place; the end if none does."""
    return next((end for end, depth in _depths(text, place, 1) if depth == 0), len(text) + 1)


def _unbalanced(text: str) -> str:
    """The bracket that is opened and not closed, or the other way round."""
    depth = 0
    for _, depth in _depths(text, 0, 0):
        if depth < 0:
            return "a brace is closed that was not opened"
    if depth:
        return "a brace is opened and not closed"
    # Environments nest like braces, but each has to be closed by its own name.
    opened: list[str] = []
    for environment in _ENVIRONMENT.finditer(text):
        if environment[1] == "begin":
            opened.append(environment[2])
        elif not opened or opened.pop() != environment[2]:
            return f"\\end{{{environment[2]}}} does not close what was opened last"
    if opened:
        return f"\\begin{{{opened[-1]}}} is not closed"
    return ""
