"""Every name in a text stands for something: the list of names, which references and renaming rest on, is whole."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from sonnx_verify.language.functions import FUNCTIONS
from sonnx_verify.language.parser import tree_of
from sonnx_verify.language.project import Project
from sonnx_verify.language.words import TYPES, tokens_of
from sonnx_verify.lsp.documents import Desk, Document, root_of
from sonnx_verify.lsp.names import Formal
from sonnx_verify.lsp.occurrences import occurrences
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted(path for folder in ("spec", "proofs", "tests/language") for path in (ROOT / folder).rglob("*.sonnx"))
OF_THE_LANGUAGE = {
    # Type variables, words behind `T is`, conversions.
    *("true", "false"),
    *("T", "Tind", "I", "U", "signed", "unsigned", "floor", "ceil"),
    # Constants of types and of sets of floats, which stand behind a dot or `any`.
    *("lowest", "greatest", "infinity", "NaN", "overflow", "roundoff", "least"),
    *("nan", "positive", "negative", "zero", "plus_zero", "minus_zero", "minus_infinity"),
    # What `is valid` asks of an operator, verdicts behind `expect`, the namespace behind `refines`.
    *("valid", "violated", "refuted", "unsupported", "onnx", "minifloat"),
    # Operators of the texts beside one, with which it is checked.
    *("Add", "Div", "Erf", "Exp", "Mul", "Round", "Sigmoid", "Sqrt", "Tanh"),
    *("CumSum", "RNN", "exclusive", "reverse", "hidden_size"),
    *("Concat", "Split", "axis", "num_outputs"),
    *("Cast", "ConstantOfShape", "EyeLike", "dtype", "k", "to", "value"),
    *("DequantizeLinear", "Gelu", "Pow", "QuantizeLinear", "approximate"),
}
"""The words that the grammar takes for names, and that no text declares."""


class Closed(Desk):
    """A desk without open documents, on which each project is read once: no file changes here."""

    projects: ClassVar[dict[Path, Project]] = {}

    def project(self, root: Path) -> Project:
        assert not self.open
        if root not in self.projects:
            self.projects[root] = super().project(root)
            # All of it: else each name is looked for among the texts of the files that nobody has read yet.
            assert self.projects[root].units
        return self.projects[root]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_name_stands_for_something(path: Path) -> None:
    """Tokens that are names to the parser are in the list, or words of the language; each word in the list is there."""
    desk = Closed()
    formal = Formal.of(desk, Document(path.as_uri(), "sonnx", None, desk.lines(path), root_of(path, []), path))
    assert formal is not None
    found = {one.start: one for one in occurrences(formal)}
    tokens = [t for t in tokens_of(tree_of(Source(path.name, formal.text))) if t.type == "NAME"]

    unknown = {str(token) for token in tokens if token.start_pos not in found}

    assert unknown - OF_THE_LANGUAGE - TYPES - FUNCTIONS == set()
    assert all(formal.text[one.start : one.end] == one.name for one in found.values())
    # A name is declared once, or once for each family of types or version.
    declared = {one.meaning for one in found.values() if one.declares}
    own = {one.meaning for one in found.values() if one.meaning.path == formal.document.path}
    assert own == declared
