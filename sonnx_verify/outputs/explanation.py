"""The answer of `explain` about a clause, as text and as JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec import Struct

from sonnx_verify.authoring.explain.clause import Explained
from sonnx_verify.authoring.explain.implied import Excluded, Implied
from sonnx_verify.authoring.explain.needs import Need
from sonnx_verify.authoring.repair.repair import Repaired
from sonnx_verify.language import syntax as s
from sonnx_verify.language.extents import clause_text
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.pages.reading.sentences import Sentence
from sonnx_verify.results.answer_json import ExampleJson, ObligationJson, PlaceJson, example_json, place_json
from sonnx_verify.results.example import example_line, example_lines
from sonnx_verify.results.place import Place
from sonnx_verify.results.text import counted_text, framed
from sonnx_verify.results.written import OfVersions
from sonnx_verify.results.written import said as described
from sonnx_verify.solving.check.record import Record
from sonnx_verify.solving.check.telling import example_of

WIDTH = 120


def clause_lines(made: Explained) -> list[str]:
    """The clause, with the sentences of the page, and its place."""
    target = made.target
    lines = []
    for clause, sentences in zip(target.clauses, made.sentences, strict=True):
        lines.append(f"{target.id}, {clause.kind}{framed(' for ', clause.family)}: {clause.title}")
        if clause.origin:
            said = framed(": ", made.generals.get(clause.origin, ""))
            lines.append(f"  from {clause.origin}{said}")
        for sentence in sentences:
            lines += _sentence(sentence)
        lines.append(f"  {clause.span.source.name}:{clause.span.line}")
        indent = clause.span.column - 1
        lines += [f"    {_outdented(line, indent)}" for line in clause_text(clause).splitlines()]
    # A clause in words alone is in no formula, and so in no proof.
    if made.outside:
        lines.append("outside the model: nothing is claimed about it, and no proof can need it")
    return lines


def excluded_lines(made: Explained) -> list[str]:
    """The inputs that the clause excludes, or the outputs that it rejects."""
    lines = []
    for group in _alike(made.excluded):
        lines += _excluded(made.target.clauses[0], group, len(made.excluded))
    for record in made.outputs:
        lines += _outputs(record)
    return lines


def _sentence(sentence: Sentence) -> list[str]:
    return textwrap.wrap(
        f"{sentence.file}:{sentence.line} {sentence.text}",
        WIDTH,
        initial_indent="  page: ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _outdented(line: str, most: int) -> str:
    """A line without the indent of its clause, as far as it has that: the first begins at the tag."""
    own = len(line) - len(line.lstrip())
    return line[min(most, own) :]


def _alike(listed: Iterable[Excluded]) -> list[list[Excluded]]:
    """Sections that say the same, up to the names of their types."""
    groups: dict[object, list[Excluded]] = {}
    for one in listed:
        groups.setdefault((one.record.verdict.name, one.implied, _masked(one.record)), []).append(one)
    return list(groups.values())


def _masked(record: Record) -> str:
    example = example_of(record.witness)
    if example is None:
        return ""
    text = "\n".join(example_lines(example))
    for element_type in record.obligation.types[:1]:
        # Witnesses that differ in the name of the type alone show the same.
        text = re.sub(rf"\b{element_type.name}\b", "T", text)
    return text


def _excluded(clause: s.Clause, group: list[Excluded], sections: int) -> list[str]:
    first = group[0]
    where = "" if len(group) == sections else _sections(e.section for e in group)
    name, shown = first.record.verdict.name, example_of(first.record.witness)
    if name == "holds" and shown is not None:
        does = "calls an error" if clause.kind is s.ClauseKind.ERROR else "rejects"
        size = "the smallest input" if shown.minimal else "an input"
        head = f"excludes{where}: {size} that it alone {does}, replayed"
        return [head, *(f"    {line}" for line in example_lines(shown)), "  so it follows from nothing else"]
    if first.implied is not None:
        by = ", ".join(first.implied.clauses) or "what the declarations say"
        most = "the smallest set that implies it" if first.implied.smallest else "the smallest set that was found"
        only = ""
        if len(first.record.types) < len(first.record.obligation.types):
            only = f" for {', '.join(first.record.types)}"
        return [
            f"excludes nothing{where}{only}: it is redundant, by both solvers",
            f"  it follows from {by}: {most}",
        ]
    return [f"excludes{where}: not known ({name}: {first.record.verdict.reason})"]


def _outputs(record: Record) -> list[str]:
    where = _sections([record.obligation.section])
    if record.verdict.name == "proved":
        return [f"about outputs{where}: it follows from shape and value, proved"]
    counterexample = example_of(record.counterexample)
    if counterexample is not None:
        head = f"about outputs{where}: shape and value allow what it rejects; the smallest case, replayed"
        return [head, *(f"    {line}" for line in example_lines(counterexample))]
    return [f"about outputs{where}: not known ({record.verdict.name}: {record.verdict.reason})"]


def _sections(names: Iterable[str]) -> str:
    return framed(" [", ", ".join(filter(None, names)), "]")


def needs_lines(made: Explained) -> list[str]:
    """The proofs that need the clause, those that do not, and those of which it is not known."""
    needs, places = made.needs.needs, _Places(made)
    asked = len(needs) + len(made.needs.silent)
    needed = [n for n in needs if n.needed]
    lines = [f"needed by none of {asked} proofs"]
    if needed:
        lines = [f"needed by {len(needed)} of {asked} proofs:"]
    lines += _shown(needed, places)
    for through, resting in _by_ground(needed, places).items():
        lines += [f"  {line}" for line in _filled(f"{through}: {', '.join(resting)}")]
    unknown = [n for n in needs if n.needed is None]
    if unknown:
        lines.append(f"not known of {len(unknown)}:")
        for what, group in places.grouped(unknown):
            record = group[0].without
            assert record is not None
            lines.append(f"  {what}: {record.verdict.name} without it: {record.verdict.reason}")
    spare = [n for n in needs if n.needed is False]
    if spare:
        listed = ", ".join(what for what, _ in places.grouped(spare))
        lines += _filled(f"not needed by {len(spare)}, proved without it: {listed}")
    if made.needs.silent:
        lines.append(f"stated alike with it and without it: {counted_text(len(made.needs.silent), 'other')}")
    if unproved := made.needs.unproved:
        lines += _filled(f"not asked of {len(unproved)} that are not proved: {', '.join(unproved)}")
    return lines


def _shown(needed: list[Need], places: _Places) -> Iterator[str]:
    """The proofs that an input breaks once the clause is gone. One that rests on another of them has no input of its
    own."""
    before = ""
    for what, group in places.grouped(need for need in needed if not need.through):
        record = group[0].without
        assert record is not None
        assert group[0].shown is not None
        text = example_line(group[0].shown)
        yield f"  {what}: violated without it: {record.verdict.reason}"
        shown = text
        if text == before:
            shown = "by the same input"
        yield f"    {shown}"
        before = text


class _Places:
    """The names of proofs in the text: `tag/kind`, of other texts behind the name of the text; sections together, and
    named if they are not all of them."""

    def __init__(self, made: Explained) -> None:
        self._own = made.target.unit.operator
        self._sections = {x.name for x in made.target.instances()}

    def name(self, subject: str, tag: str, kind: str) -> str:
        """The name of a proof, whatever its section is."""
        if subject == self._own:
            return f"{tag}/{kind}"
        return f"{subject}/{tag}/{kind}"

    def of(self, obligation: Obligation) -> str:
        """The same of an obligation."""
        return self.name(obligation.subject, obligation.tag, obligation.kind)

    def grouped(self, needs: Iterable[Need]) -> list[tuple[str, list[Need]]]:
        """Proofs of one name, for one reason."""
        groups: dict[tuple[str, str], list[Need]] = {}
        for need in needs:
            reason = ""
            if need.without is not None and need.needed is not False:
                reason = need.without.verdict.reason
            groups.setdefault((self.of(need.obligation), reason), []).append(need)
        return [(f"{name}{self._which(group)}", group) for (name, _), group in groups.items()]

    def _which(self, group: list[Need]) -> str:
        names = [n.obligation.section for n in group]
        if self._sections <= set(names):
            return ""
        return _sections(names)


def _by_ground(needed: list[Need], places: _Places) -> dict[str, list[str]]:
    """The proofs that rest on others that need the clause, by these."""
    found: dict[str, list[Need]] = {}
    # A proof that uses another one is told under that, which has the input.
    known = {n.obligation.id: n.obligation for n in needed}
    for need in needed:
        if need.through:
            found.setdefault(f"resting on {places.of(known[need.through])}", []).append(need)
    return {ground: [what for what, _ in places.grouped(group)] for ground, group in found.items()}


def _filled(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


# ----------------------------------------------------------------------------------------------------------------- JSON


class SentenceJson(Struct, frozen=True):
    """A sentence of the page, under the tag of the clause."""

    file: str
    line: int
    sentence: str


class ClauseJson(Struct, frozen=True):
    """The clause in a family."""

    kind: s.ClauseKind
    family: str | None
    sentence: str
    page: list[SentenceJson]
    origin: str | None
    general: Annotated[str | None, described("The sentence of the general restriction that it comes from.")]
    text: str
    source: PlaceJson


class ExcludedJson(Struct, frozen=True):
    """The input of a section that the clause excludes."""

    section: str | None
    types: tuple[str, ...]
    redundant: Annotated[bool | None, described("Whether it alone excludes none; null if that is not known.")]
    reason: str
    witness: ExampleJson | None
    follows_from: Implied | None


class OutputsJson(Struct, frozen=True):
    """The outputs of a section, of a clause about them."""

    section: str | None
    follows_from_shape_and_value: bool | None
    reason: str | None
    counterexample: ExampleJson | None


class NeedJson(Struct, frozen=True):
    """A proof that speaks of the clause."""

    id: str
    needs: Annotated[bool | None, described("Whether it fails without the clause; null if that is not known.")]
    rests_on: str | None
    without: Annotated[str | None, described("The verdict without the clause.")]
    reason: str | None
    counterexample: ExampleJson | None


class ExplanationJson(OfVersions, frozen=True):
    """The whole answer about a clause."""

    id: str
    operator: str
    tag: str
    clauses: list[ClauseJson]
    outside_the_model: bool
    excludes: list[ExcludedJson]
    outputs: list[OutputsJson]
    proofs: list[NeedJson]
    silent: Annotated[list[str], described("The proofs that do not speak of it.")]
    not_proved: list[str]


class ClauseNeedJson(Struct, frozen=True):
    """The need of a proof for a clause of its operator."""

    tag: str
    needed: Annotated[bool | None, described("Null if unknown.")]
    rests_on: Annotated[str | None, described("The proof through which it needs the clause.")]
    without: Annotated[VerdictName | None, described("The verdict without the clause; null if not decided.")]
    counterexample: ExampleJson | None


class RepairingJson(Struct, frozen=True):
    """A clause that repairs a text, or several."""

    kind: s.ClauseKind
    text: str
    file: str
    below: Annotated[int, described("The line after which it goes.")]
    others: Annotated[int, described("The number of other repairs that it was compared with.")]
    weakest: Annotated[bool, described("Whether it is proved to accept all input that they accept.")]


class RepairJson(Struct, frozen=True):
    """The search for a repair."""

    tried: Annotated[int, described("The number of texts that were tried.")]
    decided: Annotated[bool, described("False if none is found and some text was not decided.")]
    clause: RepairingJson | None


class ExplainedObligationJson(OfVersions, frozen=True):
    """An obligation, the clauses that its proof needs, and a clause that repairs its text."""

    obligation: ObligationJson
    clauses: list[ClauseNeedJson]
    repair: RepairJson | None


def repair_json(file: str, found: Repaired | None) -> RepairJson | None:
    """The record of a search in a file; None if there was none."""
    if found is None:
        return None
    repair, clause = found.repair, None
    if repair is not None:
        text = "\n".join(repair.made.lines)
        clause = RepairingJson(repair.kind, text, file, repair.made.below, repair.others, repair.weakest)
    return RepairJson(found.tried, found.decided, clause)


def clause_need_json(tag: str, need: Need) -> ClauseNeedJson:
    """The record of the need for a clause."""
    without = None if need.without is None else need.without.verdict.name
    return ClauseNeedJson(tag, need.needed, need.through or None, without, example_json(need.shown))


def explanation_json(made: Explained) -> ExplanationJson:
    """The record of an explanation."""
    target = made.target
    return ExplanationJson(
        target.id,
        target.unit.operator,
        target.tag,
        [
            _clause_json(clause, made.generals, sentences)
            for clause, sentences in zip(target.clauses, made.sentences, strict=True)
        ],
        made.outside,
        [_excluded_json(one) for one in made.excluded],
        [
            OutputsJson(
                r.obligation.section or None,
                {"proved": True, "refuted": False}.get(r.verdict.name),
                r.verdict.reason or None,
                example_json(example_of(r.counterexample)),
            )
            for r in made.outputs
        ],
        [_need_json(need) for need in made.needs.needs],
        made.needs.silent,
        made.needs.unproved,
    )


def _clause_json(clause: s.Clause, generals: dict[str, str], sentences: Iterable[Sentence]) -> ClauseJson:
    return ClauseJson(
        clause.kind,
        clause.family or None,
        clause.title,
        [SentenceJson(found.file, found.line, found.text) for found in sentences],
        clause.origin or None,
        generals.get(clause.origin),
        clause_text(clause),
        place_json(Place.of(clause.span)),
    )


def _excluded_json(one: Excluded) -> ExcludedJson:
    record = one.record
    return ExcludedJson(
        one.section or None,
        record.types,
        # `holds` says that an input was found that it alone excludes, `violated` that there is none.
        {"holds": False, "violated": True}.get(record.verdict.name),
        record.verdict.reason,
        example_json(example_of(record.witness)),
        one.implied,
    )


def _need_json(need: Need) -> NeedJson:
    verdict = None if need.without is None else need.without.verdict
    return NeedJson(
        need.obligation.id,
        need.needed,
        need.through or None,
        None if verdict is None else verdict.name,
        None if verdict is None else verdict.reason or None,
        example_json(need.shown),
    )
