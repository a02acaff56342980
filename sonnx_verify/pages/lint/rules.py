"""All rules of lint, and the findings that they have on a page."""

from __future__ import annotations

from types import MappingProxyType

from sonnx_verify.pages.lint import (
    on_equivalence,
    on_examples,
    on_formal,
    on_formulas,
    on_links,
    on_questions,
    on_reference,
    on_schema,
    on_sections,
    on_statements,
    on_tags,
    on_wording,
)
from sonnx_verify.pages.lint.finding import Finding, Severity
from sonnx_verify.pages.reading.page import Page

_ALL = (
    *on_equivalence.RULES,
    *on_examples.RULES,
    *on_formal.RULES,
    *on_formulas.RULES,
    *on_links.RULES,
    *on_questions.RULES,
    *on_reference.RULES,
    *on_schema.RULES,
    *on_sections.RULES,
    *on_statements.RULES,
    *on_tags.RULES,
    *on_wording.RULES,
)
RULES = MappingProxyType({rule.name: rule for rule in _ALL})
"""Each rule under its name."""


def findings_of(page: Page, *, slow: bool = True) -> list[Finding]:
    """The findings of all rules, or of those that are not slow, and what could not be read, in the order of places."""
    applicable = [rule for rule in RULES.values() if page.kind in rule.pages]
    if not slow:
        applicable = [rule for rule in applicable if not rule.slow]
    made = [Finding("unreadable", Severity.ERROR, span, why) for span, why in page.text.problems]
    # Of a file that could not be read at all (binary data, too many lines) no rule can say more than that.
    if page.text.blocks or not made:
        for rule in applicable:
            made += rule.findings(page)
    # A set: two rules that share a helper, or one that visits a cell of two families, may say the same.
    return sorted(set(made), key=lambda finding: finding.key)
