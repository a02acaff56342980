"""Names of ONNX as names of the language: the same ones, unless the language needs the word or ONNX has it twice."""

from __future__ import annotations

import re

from sonnx_verify.language.context import FAMILIES
from sonnx_verify.language.words import RESERVED
from sonnx_verify.logic.sorts import ELEMENT_TYPES

_TAKEN = frozenset((*RESERVED, *ELEMENT_TYPES, *FAMILIES, "T", "ints", "floats", "string", "given", "rank"))
_TAG = re.compile(r"[RCE]\d+")


class Names:
    """The names that are taken. Each is given once."""

    def __init__(self) -> None:
        self._taken = set(_TAKEN)

    def name(self, onnx: str, role: str) -> str:
        """A name for what ONNX calls so, near to that: with its role behind where something else is called so."""
        plain = re.sub(r"\W+", "", onnx) or role
        # A name such as R1 would be read as a tag.
        if plain[0].isdigit() or _TAG.fullmatch(plain):
            plain = f"{role}_{plain}"
        if plain in _TAKEN:
            # A word that is reserved, as `rank`: rank_ is nearer to it than rank_input.
            return self._first([f"{plain}_", f"{plain}_{role}"])
        return self._first([plain, f"{plain}_{role}"])

    def letter(self, letters: str) -> str:
        """The first of some letters that nothing is called by."""
        return self._first(list(letters))

    def _first(self, wanted: list[str]) -> str:
        # ONNX has no operator with a hundred parts of one name.
        numbered = (f"{wanted[-1]}{n}" for n in range(2, 100))
        made = next(name for name in (*wanted, *numbered) if name not in self._taken)
        self._taken.add(made)
        return made
