"""The VS Code extension is whole, and its grammar knows the words of the language.

`SONNX_REWRITE_GOLDEN=1 pytest tests/lsp/test_vscode.py` writes the grammar anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify import __version__
from sonnx_verify.language.parser import tree_of
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, RESERVED, TYPES, tokens_of
from sonnx_verify.lsp.lenses import SHOW
from sonnx_verify.lsp.marks import METHOD, LineState
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "editors" / "vscode"
GRAMMAR = HERE / "syntaxes" / "sonnx.tmLanguage.json"
TEXTS = sorted([*(ROOT / "spec").rglob("*.sonnx"), *(ROOT / "proofs").rglob("*.sonnx")])
TAGGED = ("restriction", "constraint", "error", "let", "count", "shape", "value", "unspecified")
ITEMS = (
    ("use", "library", "theory", "operator", "refines", "page", "types", "input", "output", "attribute", "optional")
    + (
        "fact",
        "general",
        "restriction",
        "constraint",
        "error",
        "let",
        "shape",
        "value",
        "unspecified",
        "define",
        "order",
    )
    + ("theorem", "example", "undefined", "reading", "indices", "expect", "version", "add", "replace", "remove")
    + ("move", "using")
    + ("take", "class", "classes", "assuming")
)
# A name that is also a word stands before a sign or a word of expressions, a word of an item before a name or a text.
NAMED = (KEYWORDS | CONTEXTUAL) - RESERVED - {"class", "classes", "model", "the"}
BEHIND_NAMES = (
    r"(?=\s*(?:[^\w\s\"\[({-]|-[^-]|\[(?!.*\]\s*(?:restriction|constraint|error))"
    r"|(?:and|or|in|is|iff|then|else|with|where|otherwise)\b))"
)


def words(listed: Iterable[str]) -> str:
    """A pattern of whole words."""
    return rf"\b(?:{'|'.join(sorted(listed))})\b"


def made() -> dict[str, Any]:
    """The grammar, from the words of the language. What comes first wins: shape and value begin items as well."""
    rest = (KEYWORDS | CONTEXTUAL) - set(ITEMS) - TYPES
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "SONNX specification",
        "scopeName": "source.sonnx",
        "fileTypes": ["sonnx"],
        "patterns": [
            {"name": "comment.line.double-dash.sonnx", "match": "--.*$"},
            {"name": "string.quoted.double.sonnx", "match": '"[^"]*"'},
            {"name": "entity.name.tag.sonnx", "match": rf"\[[A-Za-z_][\w., ]*\](?=\s*{words(TAGGED)})"},
            {"name": "variable.other.sonnx", "match": rf"(?<!\.)(?<!every ){words(NAMED)}{BEHIND_NAMES}"},
            {"name": "keyword.declaration.sonnx", "match": words(ITEMS)},
            {"name": "storage.type.sonnx", "match": words(TYPES - set(ITEMS))},
            {"name": "keyword.control.sonnx", "match": words(rest)},
            {"name": "constant.numeric.sonnx", "match": r"\b\d+(?:\.\d+)?\b"},
            {"name": "entity.name.function.sonnx", "match": r"\b[A-Za-z_]\w*(?=\s*\()"},
            {"name": "variable.other.sonnx", "match": r"\b[A-Za-z_]\w*\b"},
            {"name": "keyword.operator.sonnx", "match": r"=>|<=|>=|!=|\.\.|->|[-+*^=<>|]"},
        ],
    }


def test_grammar_is_that_of_the_language() -> None:
    """The grammar that is shipped is made of the words that the language has today."""
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        GRAMMAR.write_text(json.dumps(made(), indent=2) + "\n", "utf-8")

    assert json.loads(GRAMMAR.read_text("utf-8")) == made()


def coloured(line: str) -> dict[int, tuple[str, str]]:
    """The pieces of a line by their first character, as an editor finds them: at each place the pattern that matches
    first, of several the one that is listed first."""
    patterns = [(p["name"], re.compile(p["match"])) for p in json.loads(GRAMMAR.read_text("utf-8"))["patterns"]]
    found: dict[int, tuple[str, str]] = {}
    place = 0
    while place < len(line):
        matches = [(m.start(), n, name, m) for n, (name, p) in enumerate(patterns) if (m := p.search(line, place))]
        if not matches:
            break
        start, _, name, match = min(matches, key=lambda found: found[:2])
        found[start] = (name, match[0])
        place = max(match.end(), start + 1)
    return found


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_each_word_is_coloured(path: Path) -> None:
    """Each token of each text has a colour that fits what it is to the parser."""
    text = path.read_text("utf-8")
    lines = [coloured(line) for line in text.split("\n")]
    seen = set()
    for token in tokens_of(tree_of(Source(path.name, text))):
        assert token.line is not None
        assert token.column is not None
        name, said = lines[token.line - 1].get(token.column - 1, ("", ""))
        if token.type == "STRING":
            assert (name, said) == ("string.quoted.double.sonnx", str(token))
        elif token.type == "TAG":
            assert name == "entity.name.tag.sonnx"
            assert said.strip() == str(token)
        elif token.type == "INT":
            assert (name, said) == ("constant.numeric.sonnx", str(token))
        elif token.type in ("ENTRY", "REFUSING", "SPECIAL"):
            # `X0 =` and `refused by C1` of an example; `nan`, which is a name elsewhere.
            assert name.startswith(("variable", "keyword")), (path, token)
        elif token.type == "NAME" and token not in KEYWORDS | CONTEXTUAL | TYPES:
            assert name.startswith(("variable", "entity.name.function")), (path, token)
            assert said == str(token), (path, token)
        elif token.type == "NAME" and token in NAMED:
            assert name.startswith(("variable", "entity", "keyword", "storage")), (path, token)
        elif re.fullmatch("[a-z]+", token):
            assert name.startswith(("keyword", "storage")), (path, token, name)
            assert said == str(token), (path, token, name)
        seen.add(token.type)
    assert seen


def test_names_that_are_words_too_are_coloured_as_names() -> None:
    """ONNX calls inputs `input` and `indices`, attributes `to` and `shape`."""
    text = "input indices : tensor of T where rank(input) = to and shape[0] < value"
    found = {place: name for place, (name, _) in coloured(text).items()}
    names = [text.index(f" {word}") + 1 for word in ("indices :", "to", "shape[")] + [text.index("input)")]

    assert found[0] == "keyword.declaration.sonnx"
    assert {found[place] for place in names} == {"variable.other.sonnx"}
    assert coloured("  by induction on n from 0 to N")[27] == ("keyword.control.sonnx", "to")


def test_every_keyword_is_coloured() -> None:
    """Also those that no text of ours has."""
    for word in KEYWORDS | CONTEXTUAL | TYPES:
        assert coloured(f"{word} X")[0][0].startswith(("keyword", "storage")), word


def test_the_extension_is_whole() -> None:
    """All files that its description names are there, and it starts the server as the server wants it."""
    package = json.loads((HERE / "package.json").read_text("utf-8"))
    named = [package["main"], *(g["path"] for g in package["contributes"]["grammars"])]
    named += [language["configuration"] for language in package["contributes"]["languages"]]
    code = (HERE / "extension.js").read_text("utf-8")

    assert all((HERE / name).is_file() for name in named)
    assert package["contributes"]["languages"][0]["extensions"] == [".sonnx"]
    assert package["contributes"]["configuration"]["properties"]["sonnx-verify.command"]["default"][1:] == ["lsp"]
    for option in ("prove", "showsVerdicts", "showsMarks", "inlayHints"):
        assert option in code
        assert option in (ROOT / "sonnx_verify" / "lsp" / "server.py").read_text("utf-8")
    assert METHOD in code
    assert [
        f"{state.name.lower()}.svg"
        for state in LineState
        if not (HERE / "images" / f"{state.name.lower()}.svg").is_file()
    ] == []
    assert SHOW.partition(".")[0] == package["name"]
    json.loads((HERE / "language-configuration.json").read_text("utf-8"))
    assert {p.name for p in HERE.iterdir()} >= {"README.md", "package.json", "extension.js"}


def test_the_extension_is_that_of_this_version() -> None:
    """Version and licence are those of the package, the icon has the size that VS Code asks for, and the lock file does
    not say from which host packages came."""
    made = json.loads((HERE / "package.json").read_text("utf-8"))
    lock = json.loads((HERE / "package-lock.json").read_text("utf-8"))
    icon = (HERE / made["icon"]).read_bytes()

    assert made["version"] == lock["version"] == __version__
    assert (HERE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert icon[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(icon[16:20]), int.from_bytes(icon[20:24])) == (128, 128)
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []
