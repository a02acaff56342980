"""Formulas as MathML, which browsers set without a script, and readers aloud can speak."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup, escape

_WORDS = re.compile(r"\\text\{[^{}]*\}")
_SET = re.compile(r"(?<=>)([^<]*)(?=<)")
_ESCAPED = re.compile(r"\\([_#%&$])")
_INLINE = re.compile(r"\$([^$\n]+)\$")
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"\\operatorname\{([^{}]*)\}")
_LESS, _GREATER = "\ue000", "\ue001"
"""Stand for the signs in words while these are converted: nobody writes them, and the library does not escape words."""
_ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot "
        "mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover",
    )
)
_ATTRIBUTES = frozenset(
    re.findall(
        r"\w+",
        "alttext accent columnalign columnlines columnspacing depth display displaystyle fence form height "
        "linethickness lspace mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing "
        "rspace scriptlevel separator stretchy voffset width xmlns",
    )
)


@cache
def formula(latex: str, *, block: bool = False) -> Markup:
    """A formula; its text as code where it is no LaTeX that can be read, or would be more than a formula: a link, a
    style. The LaTeX stays with it, for who copies it."""
    if not latex.strip():
        return Markup("")
    plain = _NAME.sub(r"\\text{\1}", latex)
    plain = _WORDS.sub(lambda found: found[0].replace("<", _LESS).replace(">", _GREATER), plain)
    try:
        # What is left of them is a relation: nothing that a page says can open an element.
        made = convert(plain.replace("<", r"\lt ").replace(">", r"\gt "), display="block" if block else "inline")
        made = made.replace(_LESS, "&lt;").replace(_GREATER, "&gt;")
        # The library keeps the escapes that stand in words.
        made = _SET.sub(lambda found: _ESCAPED.sub(r"\1", found[1]), made)
        if not _is_formula(ElementTree.fromstring(made)):
            return Markup("<code>{}</code>").format(latex)
    except Exception:  # the converter of the library raises what it meets, of texts that people write
        return Markup("<code>{}</code>").format(latex)
    return Markup(made.replace("<math ", f'<math alttext="{escape(latex)}" ', 1))


def _is_formula(element: ElementTree.Element) -> bool:
    """Return whether there is nothing in it but what sets formulas."""
    return all(one.tag.rpartition("}")[2] in _ELEMENTS and one.attrib.keys() <= _ATTRIBUTES for one in element.iter())


def sentence(text: str) -> Markup:
    """Words of a page with formulas between dollars."""
    made, place = Markup(""), 0
    for found in _INLINE.finditer(text):
        made += escape(text[place : found.start()]) + formula(found[1])
        place = found.end()
    return made + escape(text[place:])


def coded(text: str) -> Markup:
    """Words with code between backticks."""
    made, place = Markup(""), 0
    for found in _CODE.finditer(text):
        made += escape(text[place : found.start()]) + Markup("<code>{}</code>").format(found[1])
        place = found.end()
    return made + escape(text[place:])
