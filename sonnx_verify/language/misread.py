"""Mistakes in a text that cannot be read, with the text to write instead: also for signs and words of other notations.

Not trusted: that there is a mistake is known before, and all that these functions choose is its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from difflib import get_close_matches

from lark import UnexpectedInput

from sonnx_verify.errors import Cure, Replacement, SpecificationError
from sonnx_verify.language import syntax as s
from sonnx_verify.language.identities import Identity, known_in
from sonnx_verify.sources import Source, Span

# Those that a terminal acts on. A string of the grammar has none of them.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
_NO_DIVISION = "there is no division: `div(a, b)` divides integers"
_OTHER_SIGNS = {
    "==": "=",
    "<>": "!=",
    "≠": "!=",
    "=<": "<=",
    "≤": "<=",
    "≥": ">=",
    "×": "*",
    "·": "*",
    "−": "-",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "&": "and",
    "&&": "and",
    "∧": "and",
    "||": "or",
    "∨": "or",
    "!": "not",
    "¬": "not",
    "∈": "in",
    "⇒": "=>",
    "⇔": "iff",
}
"""Signs of other notations, each with the one of this language that means the same."""
_OTHER_WORDS = {"forall": "for all", "foreach": "for all", "implies": "=>", "elif": "else if", "elsif": "else if"}


def _instead(new: str, old: str) -> Cure:
    return Cure(f"write `{new}`", Replacement(old, new))


_SIGNS = {
    **{old: _instead(new, old) for old, new in _OTHER_SIGNS.items()},
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019", 'put text in double quotes, "..."'),
    "/*": "a comment begins with `--` and ends with its line",
    "#": "a comment begins with `--`",
    "//": "a comment begins with `--`; `div(a, b)` divides integers",
    "/": _NO_DIVISION,
    "÷": _NO_DIVISION,
    "%": "write `mod(a, b)`; a comment begins with `--`",
    "**": "write `2^31`; only a literal can be raised to a power",
    "∀": "write `for all k in 0 .. n : ...`",
    "∃": "write `exists k in 0 .. n : ...`",
    "→": "write `=>`; in a shape, index, list or tensor, `->`",
    "'": 'put text in double quotes, "..."',
    ";": "items follow one another without a separator",
}
_WORDS = {
    **{old: _instead(new, old) for old, new in _OTHER_WORDS.items()},
    "mod": "write `mod(a, b)`",
    "div": "write `div(a, b)`",
    "subset": "write `for all k in ... : k in A`",
}
_NO_SIZES = "`shape (k in 1 .. 0 -> 0)`"
_NO_COORDINATES = "index (k in 1 .. 0 -> 0)"
_NO_PARAMETERS = "a definition has parameters, as in `define f(n : int) : int = n`; a value without any is a `let`"
_BEFORE = (
    (r"\bvalue\s+\w+\s*", "=", "write `value Y[i] = ...`: the element at each index i"),
    (
        r"\bvalue\s+\w+\s*\[\s*\w+\s*",
        ",",
        "one name stands for the whole index, as in `value Y[i]`: its coordinates are `i[0]`, `i[1]`",
    ),
    (r"\bassuming\b[^\n]*\n\s*", "assuming", "write one `assuming`, and join the conditions with `and`"),
    (r"\bdefault\s+", "-", "put it in parentheses, as in `default (-1)`"),
    (r"\btypes\s+\w+(\s+of\s+\w+)?\s*=[\s\w]*", ",", "types are listed without commas"),
    *((r"\bremove\s+", word, _instead("clause", word)) for word in ("restriction", "constraint", "error")),
    (r"\btensor\s*", "(", "write `tensor of T`"),
    (r"\{[^{}|]*", "for", "write `{ e | k in 0 .. n }`, with `|` before the range of k"),
    (r"\bshape\s*\(\s*", ")", f"the shape of a scalar, which has no sizes, is {_NO_SIZES}"),
    (r"[=:(][^\n]*[\w\])]\s*\[\s*(\[\s*)?", "]", f"the element of a scalar A is `A[{_NO_COORDINATES}]`"),
    (
        r"\{[^{}|]*",
        ",",
        "a set has a range, `{ e | k in 0 .. n }`; to choose among two, write `if a < b then a else b`",
    ),
    (r"\w\s*\[[^\]\[.]*", "]", "write both ends, as in `X[0 .. L]`"),
    (r"\bdefine\s+\w+\s*\(\s*", ")", "a definition has parameters; a value without any is a `let`"),
    (r"\bdefine\s+\w+\s*", ":", _NO_PARAMETERS),
    (r"\bdefine\s+\w+\s*", "=", _NO_PARAMETERS),
    (r"\bvalue\s+\w+\s*\[\s*\w+\s*\]\s*", "in", "write a set of results like an element: `value Y[i] = within b of s`"),
    (r":\s*\w+\s*", "of", "the types of collections are `tensor of T`, `list of int`, `set of int`"),
)
# Within one line: a comment may end with such a word. `all` and `any` stand elsewhere too: `for all`, `any NaN`.
_OF_SETS = r"\b(the|greatest|least|max|min|sum|product|count)"
_A_SET = "`{0}` stands before a set: `{0} {{ e | k in 0 .. n }}`"
_BEFORE_ANY = (
    (rf"{_OF_SETS}[ \t]+", r"\w", _A_SET),
    (rf"{_OF_SETS}[ \t]*\([^()\n]*\)[ \t]*", r"\w", _A_SET),
    (rf"{_OF_SETS}[ \t]*\([^()\n]*", ":", _A_SET),
    (r"\b(types\s+\w+)\s*\n\s*", r"\w", "list them, as in `{0} = TYPE TYPE`"),
)
"""Forms of other notations, whatever stands after them: each with the beginning of what may, and the cure."""
_TAGGED = ("restriction", "constraint", "error", "let", "count", "shape", "value", "unspecified")
"""The words that may follow a tag."""
_FEW, _LONGEST = 6, 30
"""The most alternatives, and characters of a token, that a message shows."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_READABLE = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a text in "quotes"',
    "RELATION": "a comparison",
    "SIGN": "+ or -",
    "TAG": "a tag such as [R1]",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "LBRACE": "{",
    "RBRACE": "}",
    "COLON": ":",
    "EQUAL": "=",
    "VBAR": "|",
    "STATUS": "`profile`, `standard`, `draft` or `user`",
    "ARITHMETIC": "`exact` or `wrapping`",
    "GONE": "what is removed, such as `clause` or `let`",
    "$END": "the end of the file",
}


def explained(source: Source, problem: UnexpectedInput, words: Iterable[str], known: dict[str, str]) -> Exception:
    """The mistake for a user. `words` are those of the language, `known` the text of each terminal that is one text."""
    token = getattr(problem, "token", None)
    line, column = problem.line, problem.column
    if token is not None and token.type == "$END" or line is None or line < 1:
        return _at_the_end(source)
    written = ""
    if token is not None:
        # Where no word fits, lark may take the beginning of one for a keyword: `shape` of `shapes`.
        whole = re.match(r"\w*", source.line(line)[column - 1 :])
        written = max(str(token), whole[0] if whole else "", key=len)
        word, length = f"`{_short(written)}`", len(written)
    else:
        text = source.line(line)
        found = text[column - 1 : column]
        end = text.find('"', column)
        control = _CONTROL.search(text, column)
        if found == '"' and control is not None and control.start() < end:
            place = Span(source, line, control.start() + 1)
            return SpecificationError(f"control character {control[0]!a} in a string", place, "leave it out")
        if found == '"':
            return SpecificationError("unterminated string", Span(source, line, column), 'close it with `"`')
        word, length = f"character {found!r}", 1
    if (tagged := _tagged(source, line, column)) is not None:
        return tagged
    expected = set(getattr(problem, "accepts", None) or getattr(problem, "expected", None) or ())
    before = _before(source, line, column)
    cure = _separator(source, line, column)
    if not cure and (sign := _sign(source.line(line), column)) is not None:
        word, column, length = f"`{sign[0]}`", sign[1], len(sign[0])
        cure = _SIGNS[sign[0]]
    cure = cure or _other_word(source.line(line)[column - 1 :], before) or _mistaken(before, written, expected)
    return SpecificationError(
        f"unexpected {word}", Span(source, line, column, length), cure or _cure(written, expected, words, known)
    )


def _at_the_end(source: Source) -> SpecificationError:
    # lark sees the end of the text, the author a bracket that was forgotten a page above: that one is shown.
    unclosed = _unclosed(source)
    if unclosed is not None:
        opening = source.line(unclosed.line)[unclosed.column - 1]
        return SpecificationError(f"`{opening}` is never closed", unclosed, f"close it with `{_CLOSING[opening]}`")
    lines = source.text.split("\n")
    end = Span(source, len(lines), len(lines[-1]) + 1)
    return SpecificationError("unexpected end of file inside an item", end, "complete the item")


def _tagged(source: Source, line: int, column: int) -> Exception | None:
    """The mistake of a tag at a place that has none of the words that a tag stands before."""
    found = re.match(r"\[[\w.,\s]*\]\s*(\w+)", source.line(line)[column - 1 :])
    if found is None or found[1] in _TAGGED or source.line(line)[: column - 1].strip():
        return None
    meant = get_close_matches(found[1], _TAGGED, 1)
    cure = "after a tag, write one of " + ", ".join(_TAGGED)
    if meant:
        cure = Cure(f"did you mean `{meant[0]}`?", Replacement(found[1], meant[0]))
    span = Span(source, line, column + found.start(1), len(found[1]))
    return SpecificationError(f"unexpected `{_short(found[1])}`", span, cure)


def _unclosed(source: Source) -> Span | None:
    """The innermost bracket that is never closed; none where brackets fit each other, or where one closes too much."""
    opened: list[tuple[str, int]] = []
    for found in re.finditer(r'"[^"\n]*"|--[^\n]*|[()\[\]{}]', source.text):
        sign = found[0]
        if sign in _CLOSING:
            opened.append((sign, found.start()))
        elif sign in _CLOSING.values() and (not opened or _CLOSING[opened.pop()[0]] != sign):
            return None
    if not opened:
        return None
    before = source.text[: opened[-1][1]]
    return Span(source, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def _before(source: Source, line: int, column: int) -> str:
    """The last two lines of the text in front of a place."""
    return "\n".join((source.line(line - 1), source.line(line)[: column - 1]))


def _separator(source: Source, line: int, column: int) -> str:
    """The cure for a semicolon inside of parentheses."""
    text = source.line(line)
    before = re.sub(r'"[^"]*"', "", text[: column - 1])
    if text[column - 1 :].startswith(";") and before.count("(") > before.count(")"):
        return _instead(",", ";")
    return ""


def _sign(text: str, column: int) -> tuple[str, int] | None:
    """The sign of another notation that stands, or ends, at a column, with the column where it begins."""
    # The longest first, as `==` begins with `=`. lark may stop at the second sign of a pair: the pair is the mistake,
    # as of `==` the second one alone is a sign of this language.
    for sign in sorted(_SIGNS, key=len, reverse=True):
        for begin in range(column, max(0, column - len(sign)), -1):
            if text.startswith(sign, begin - 1):
                return sign, begin
    return None


def _other_word(here: str, before: str) -> str:
    """The cure for a word of another notation that stands, or ends, here."""
    words = re.findall(r"^\w+", here) + re.findall(r"(\w+)\s*$", before)
    return next((_WORDS[word] for word in words if word in _WORDS), "")


def _mistaken(before: str, token: str, expected: set[str]) -> str:
    """The cure where the text before the place is another notation of a form of the language."""
    if token in ("restriction", "constraint", "error") and "TAG" in expected:
        return f"write its tag before it, as in `[C1] {token}`"
    for sign, other, terminal in (("=", ":", "COLON"), (":", "=", "EQUAL")):
        if token == sign and terminal in expected:
            return Cure(f"write `{other}` instead of `{sign}`", Replacement(sign, other))
    if token in ("mod", "div"):
        return f"write `{token}(a, b)`"
    for pattern, found, cure in _BEFORE:
        if token == found and re.search(rf"{pattern}$", before):
            return cure
    digits = re.search(r"\d+(\.\d+)?$", before)
    if digits and re.fullmatch(r"[eE][-+]?\d{1,2}", token):
        return f"numbers have no exponent: write `{Decimal(digits[0] + token):f}`"
    for pattern, beginning, cure in _BEFORE_ANY:
        if re.match(beginning, token) and (form := re.search(rf"{pattern}$", before)):
            return cure.format(form[1])
    return ""


def _cure(token: str, expected: set[str], words: Iterable[str], known: dict[str, str]) -> str:
    if token in words and "NAME" in expected:
        return f"`{token}` is a keyword: choose another name"
    # `Operator`, `inptu`: near to a word that could stand here.
    meant = get_close_matches(token.lower(), [known[name] for name in expected if name in known], 1, 0.75)
    if meant and meant[0].isalpha():
        return Cure(f"did you mean `{meant[0]}`?", Replacement(token, meant[0]))
    if "COMMA" in expected and re.match(r'[\w"]', token) and token not in known.values():
        return "put a comma before it"
    common = sorted(_READABLE[name] for name in expected if name in _READABLE)
    wanted = common + sorted(known.get(name) or name.lower() for name in expected if name not in _READABLE)
    if not wanted:
        return "see the language reference"
    # Of many only the signs: where an item may begin, thirty words could stand.
    few = wanted
    if len(wanted) > _FEW:
        few = [w for w in wanted if not w.isalpha()][:_FEW]
    if len(few) == 1:
        return f"expected: {few[0]}"
    return "expected one of: " + ", ".join(few)


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST - 3] + "..."


def missing(file: s.File, identity: Identity, span: Span, message: str, instead: str) -> SpecificationError:
    """An error that names what is nearest to what is missing, else what there is of its kind."""
    known = known_in(file)
    alike = [k for k in known if k[0] == identity[0]]
    same = [k for k in known if k[1] == identity[1] and k != identity]
    close = get_close_matches(identity[1], [k[1] for k in alike], 3)
    near = [k for k in alike if k[1] in close] or same or alike
    cures = []
    if near:
        cures.append("there is " + ", ".join(dict.fromkeys(called(k) for k in near[:6])))
    if instead:
        cures.append(f"write `{instead}` if it is new")
    return SpecificationError(message, span, "; ".join(cures) or "remove it")


def called(identity: Identity) -> str:
    """The identity in words."""
    kind, name, family = identity
    words: list[str] = [kind]
    if name:
        words.append(f"`{name}`")
    if family:
        words.append(f"for {family}")
    return " ".join(words)
