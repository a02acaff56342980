"""Two texts of one operator on input that neither accepts: which errors each raises; and on all input, where each
leaves open what happens. With what difference.py asks, that is all that an operator does. Which restrictions and
constraints say so is not compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sonnx_verify.language import syntax as s
from sonnx_verify.language.context import Context
from sonnx_verify.language.meaning import Meaning
from sonnx_verify.language.project import Project
from sonnx_verify.logic.terms import FALSE, Term, and_, not_
from sonnx_verify.obligations.difference import Pair, both, made_of, sections_of
from sonnx_verify.obligations.obligation import Obligation, Statement, Wanted
from sonnx_verify.obligations.refinement import accepts
from sonnx_verify.obligations.section import Section

Said = Callable[[Meaning], Term]
"""Whether a text says something of the input that it is put on."""


def rejections_of(project: Project, pair: Pair) -> Iterator[tuple[str, str, Obligation]]:
    """For each family of types that both have: input of which the new text alone, the base of the pair, says something,
    and input of which the old one alone says it; each with what is different, in words, and its role: base, other."""
    files = tuple(file for unit in (pair.base, pair.other) if (file := unit.file) is not None)
    for section in sections_of(project, pair):
        for tag in dict.fromkeys(c.tag for file in files for c in file.clauses if _is_error(c, section)):
            for role in ("base", "other"):
                what = f"{'newly' if role == 'base' else 'no more'} raises {tag} for"
                build = _said_alone(pair, section, _raises(tag), role, rejected=True)
                yield what, role, made_of(pair, section, f"{tag}.{role}", build)
        if any(rule.what is s.RuleKind.OPEN_OUTCOME for file in files for rule in file.rules):
            for role in ("base", "other"):
                what = f"{'newly' if role == 'base' else 'no more'} leaves the outcome open for"
                build = _said_alone(pair, section, _open, role, rejected=False)
                yield what, role, made_of(pair, section, f"outcome.{role}", build)


def _is_error(clause: s.Clause, section: Section) -> bool:
    return clause.kind == "error" and clause.family in ("", section.family)


def _said_alone(pair: Pair, section: Section, said: Said, role: str, rejected: bool) -> Callable[[Context], Statement]:
    """Input of which one text alone says it; of what both reject, where `rejected` asks that: what one of them accepts
    has another line."""

    def build(context: Context) -> Statement:
        mine, theirs, known = both(pair, section, context)
        one, none = (mine, theirs) if role == "base" else (theirs, mine)
        refused = (not_(accepts(mine)), not_(accepts(theirs))) if rejected else ()
        conditions = (*known, *refused, said(one), not_(said(none)))
        who = pair.names_of_both[0 if role == "base" else 1]
        return Statement(mine.given, wanted=(Wanted(conditions, f"input of {who} alone", "there is none"),))

    return build


def _raises(tag: str) -> Said:
    """The error of a tag, of input that meets the restrictions; where the outcome is open, nothing has to be raised."""

    def said(meaning: Meaning) -> Term:
        term = next((e.term for e in meaning.errors if e.tag == tag and e.term is not None), FALSE)
        declared = and_(*meaning.arity, *(r.known for r in meaning.restrictions))
        return and_(declared, term, not_(_open(meaning)))

    return said


def _open(meaning: Meaning) -> Term:
    return and_(meaning.valid, meaning.unspecified_outcome)
