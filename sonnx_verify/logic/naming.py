"""Names of constants that are made for terms. Trusted: no text has such a name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sonnx_verify.logic.nodes import Term

_LENGTH = 6
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def named_for(stem: str, origin: Iterable[Term]) -> str:
    """The name of a constant that is made for some terms."""
    return f"{stem}!{letters_of(stem, origin)}"


def letters_of(head: str, terms: Iterable[Term]) -> str:
    """Six letters for a word and terms in any order: 36 bits of a digest."""
    said = f"{head} {sorted(term.digest for term in terms)}"
    digest = int.from_bytes(hashlib.blake2b(said.encode(), digest_size=8).digest(), "big")
    return "".join(_LETTERS[digest >> 6 * n & 63] for n in range(_LENGTH))
