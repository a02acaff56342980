"""The words of the language, read off its grammar: for whoever completes, colours or explains them."""

from __future__ import annotations

import re
from pathlib import Path

from sonnx_verify.logic.sorts import ELEMENT_TYPES

_GRAMMAR = Path(__file__).with_name("grammar.lark").read_text("utf-8")
_RULES = "".join(line for line in _GRAMMAR.splitlines(keepends=True) if not line.lstrip().startswith("//"))

KEYWORDS = frozenset(re.findall(r'"([a-z]+)"', _RULES)) | {"restriction", "constraint", "error", "outcome", "value"}
"""Words that are no names anywhere."""

_GROUPS = re.findall(r"^[A-Z]+\.\d+: /\(?([a-z]+(?:\|[a-z]+)*)\)?\\b", _RULES, re.MULTILINE)

CONTEXTUAL = frozenset(word for group in _GROUPS for word in group.split("|")) - KEYWORDS
"""Words that mean something in their places, and may be names elsewhere."""

TYPES = frozenset(ELEMENT_TYPES) | {"int", "bool", "shape", "index", "real", "ints", "floats", "string"}
"""The names of types, beside what is made of `tensor of`, `list of` and `set of`."""
