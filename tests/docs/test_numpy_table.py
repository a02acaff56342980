"""docs/symbolic.md lists the functions of numpy that have a meaning. `SONNX_REWRITE_GOLDEN=1` writes the list anew."""

from __future__ import annotations

import os
import re
import textwrap
from pathlib import Path
from types import ModuleType

from sonnx_verify.conformance.symbolic import array, callbacks, ordering, products, replacement
from sonnx_verify.conformance.symbolic.table import ROWS

PAGE = Path(__file__).parents[2] / "docs" / "symbolic.md"
LIST = re.compile(r"(?<=<!-- numpy -->\n).*?(?=<!-- end -->)", re.DOTALL)


def of_module(module: ModuleType) -> set[str]:
    """The functions of numpy whose meaning is in a module."""
    return {name for name, meaning in array._FUNCTIONS.items() if meaning.__module__ == module.__name__}


def listed() -> str:
    """The names, by what is done with them."""
    rows = {
        "Elementwise": ROWS,
        "Reductions": array._REDUCTIONS,
        "Moves": {*array.MOVES, replacement.STRIDED.name},
        "Questions": array.ASKS,
        "In order": of_module(ordering),
        "Sums of products of integers": {*of_module(products), *products.UFUNCS},
        "Of the code's own functions": {*of_module(callbacks), "nditer", "vectorize"},
        "Others": array._FUNCTIONS.keys() - {n for m in (ordering, products, callbacks) for n in of_module(m)},
        "Makers": replacement._replacements().keys() - {*replacement.REFUSED, "nditer"},
    }
    lines = []
    for title, names in rows.items():
        text = f"- **{title}**: " + ", ".join(f"`{name}`" for name in sorted(names))
        lines += textwrap.wrap(text, 150, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def test_the_page_lists_what_has_a_meaning() -> None:
    text = PAGE.read_text("utf-8")
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        text = LIST.sub(lambda _: listed(), text)
        PAGE.write_text(text, "utf-8")

    assert LIST.findall(text) == [listed()]
