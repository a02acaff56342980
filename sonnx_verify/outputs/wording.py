"""Words for places and for the steps of a proof."""

from __future__ import annotations

from sonnx_verify.authoring.explain.sources import Source
from sonnx_verify.logic.choices import Step
from sonnx_verify.outputs.notation import Notation
from sonnx_verify.solving.check.facts import Used

_WIDEST = 140
"""The length of a formula in a line of text."""


def cut(text: str) -> str:
    """A text that is no longer than a line of text may be."""
    if len(text) <= _WIDEST:
        return text
    return f"{text[: _WIDEST - 4]} ..."


def said(source: Source) -> str:
    """A place with its words."""
    parts = [f"{source.file}:{source.line}", source.item, source.sentence and f'"{source.sentence}"']
    return f"{' '.join(filter(None, parts))}: {cut(source.text)}"


def rule_text(used: Used, notation: Notation) -> str:
    """A step that is no formula of a text, and no instance of one, as the rule that it uses."""
    terms = [notation.text(term) for term in used.terms]
    match used.step:
        case Step.INDICES:
            return f"two indices are equal, or differ on an axis: {terms[0]} and {terms[1]}"
        case Step.FOLDS:
            return f"two of a kind are equal unless a member tells them apart: {terms[0]} and {terms[1]}"
        case Step.UNFOLDED:
            return f"one member more, or a recursion one step down: {terms[0]}"
        case Step.TAKEN:
            return f"the proof names a term to try: {terms[0]}"
        case Step.INSTANCE:
            return f"{terms[0]}, at {terms[1]}"
        case Step.FORMULA:
            return terms[0]
