"""Everything that `explain` says of a clause: its exclusions, what implies it, and the proofs that need it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.implied import Excluded, excluded_in, is_about_inputs
from sonnx_verify.authoring.explain.needs import Needs, needs_of
from sonnx_verify.authoring.explain.rested import decided
from sonnx_verify.authoring.explain.target import Target, obligations_in
from sonnx_verify.language import syntax as s
from sonnx_verify.language.families import families
from sonnx_verify.language.project import Project
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.section import Section
from sonnx_verify.pages.reading.sentences import Sentence, sentence_of
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.record import Record


@dataclass(frozen=True, slots=True)
class Explained:
    """A clause: in each section what it excludes, or, of one about outputs, whether these meet it anyway; and which
    proofs need it. `outside` where it is outside the model, so that there is nothing to ask. `sentences` are what the
    page states under the tag, for each of the clauses in each family."""

    target: Target
    generals: dict[str, str]
    excluded: tuple[Excluded, ...]
    outputs: tuple[Record, ...]
    needs: Needs
    outside: bool
    sentences: tuple[tuple[Sentence, ...], ...] = ()

    @property
    def decided(self) -> bool:
        """Every question was answered."""
        found = all(e.decided for e in self.excluded)
        outputs = all(r.verdict.name in (VerdictName.PROVED, VerdictName.REFUTED) for r in self.outputs)
        return found and outputs and all(n.needed is not None for n in self.needs.needs)


def stages(project: Project, target: Target, alone: Alone) -> Iterator[Explained]:
    """The knowledge of a clause, stage by stage: the clause itself, which is there at once; then with the inputs that
    it excludes and the clauses that it follows from; then with the proofs that need it, which takes longest."""
    generals = {name: general.title for name, general in project.library(target.unit).generals.items()}
    sentences = tuple(_sentences(project, target, clause) for clause in target.clauses)
    # A sentence that the model has no words for excludes nothing, and is no hypothesis of any proof.
    outside = all(c.body is None for c in target.clauses)
    made = Explained(target, generals, (), (), Needs(), outside=outside, sentences=sentences)
    yield made
    if outside:
        return
    inside = [x for x in target.sections(project) if _clause(target, x).body is not None]
    about_inputs = [x for x in inside if is_about_inputs(x, target.tag)]
    # Section by section: a constraint may be redundant for integers and not for floats.
    excluded = tuple(excluded_in(section, target.tag, alone) for section in about_inputs)
    # A clause about outputs excludes no input: shape and value have to meet it, which is an obligation of its own.
    names = {x.name for x in inside} - {x.name for x in about_inputs}
    own = [o for o in obligations_in(project, target.unit).values() if o.tag == target.tag]
    holds = [o for o in own if o.kind is Kind.HOLDS and o.section in names]
    about = decided(project, holds, alone)
    made = replace(made, excluded=excluded, outputs=tuple(about.joined(o) for o in holds))
    yield made
    yield replace(made, needs=needs_of(project, target, alone))


def _clause(target: Target, section: Section) -> s.Clause:
    return next(c for c in target.clauses if section.sees(c))


def _sentences(project: Project, target: Target, clause: s.Clause) -> tuple[Sentence, ...]:
    """The sentences of the page under the tag of a clause, in each family that it is for."""
    lines = [line for line, _, _ in families(target.file)]
    if clause.family:
        lines = [clause.family]
    found = (sentence_of(target.file, project.root, line, clause.tag) for line in lines)
    return tuple(sentence for sentence in found if sentence is not None)
