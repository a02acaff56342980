"""Formulas as MathML, which browsers set without a script, and readers aloud can speak."""

from __future__ import annotations

import re
from functools import cache

from latex2mathml.converter import convert
from markupsafe import Markup, escape

_TEXT = re.compile(r"(?<=>)([^<]*)(?=<)")
_ESCAPED = re.compile(r"\\([_#%&$])")
_INLINE = re.compile(r"\$([^$\n]+)\$")
_NAME = re.compile(r"\\operatorname\{([^{}]*)\}")


@cache
def formula(latex: str, block: bool = False) -> Markup:
    """A formula; its text as code where it is no LaTeX that can be read. The LaTeX stays with it, for who copies it."""
    if not latex.strip():
        return Markup("")
    try:
        made = convert(_NAME.sub(r"\\text{\1}", latex), display="block" if block else "inline")
    except Exception:  # the converter of the library raises what it meets, of texts that people write
        return Markup("<code>{}</code>").format(latex)
    # The library keeps the escapes that stand in words.
    made = _TEXT.sub(lambda found: _ESCAPED.sub(r"\1", found[1]), made)
    return Markup(made.replace("<math ", f'<math alttext="{escape(latex)}" ', 1))


def sentence(text: str) -> Markup:
    """Words of a page with formulas between dollars."""
    made, place = Markup(""), 0
    for found in _INLINE.finditer(text):
        made += escape(text[place : found.start()]) + formula(found[1])
        place = found.end()
    return made + escape(text[place:])
