"""The words of the language, read off its grammar: for whoever completes, colours or explains them. Trusted, since a
name that is a keyword is refused."""

from __future__ import annotations

import re
from pathlib import Path

from sonnx_verify.language.syntax import TypeWord
from sonnx_verify.logic.sorts import ELEMENT_TYPES

_GRAMMAR = Path(__file__).with_name("grammar.lark").read_text("utf-8")
# Read off, so that a word that is added to the grammar cannot be forgotten here and be a name in half of the texts.
_RULES = "".join(line for line in _GRAMMAR.splitlines(keepends=True) if not line.lstrip().startswith("//"))

KEYWORDS = frozenset(re.findall(r'"([a-z]+)"', _RULES)) | {"restriction", "constraint", "error", "outcome", "value"}
"""Words that are no names anywhere."""

_GROUPS = re.findall(r"^[A-Z]+\.\d+: /\(?([a-z]+(?:\|[a-z]+)*)\)?\\b", _RULES, re.MULTILINE)

CONTEXTUAL = frozenset(word for group in _GROUPS for word in group.split("|")) - KEYWORDS
"""Words that mean something in their places, and may be names elsewhere."""

TYPES = frozenset((*ELEMENT_TYPES, *TypeWord)) - {TypeWord.T, TypeWord.TENSOR, TypeWord.LIST, TypeWord.SET}
"""The names of types, beside what is made of `tensor of`, `list of` and `set of`."""
