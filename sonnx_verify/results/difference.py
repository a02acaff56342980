"""The answer to "do these two texts mean the same", question by question.

In: plain data, made by equivalence/ from what was decided. A row that says SAME was proved, or is of
text that is word for word the same; one that says DIFFERENT has an example, or is of the text itself. Nothing is SAME
as a whole unless every aspect was looked at: see `Difference.answer`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sonnx_verify.logic.sorts import REAL
from sonnx_verify.logic.verdict import VerdictName
from sonnx_verify.results.example import Example, given_texts, masked_input
from sonnx_verify.results.shown import Shown
from sonnx_verify.results.text import framed


class Answer(StrEnum):
    """The answer to one question about two texts, or to all of them."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


def answer_of(verdict: VerdictName, *, wanted: bool) -> Answer:
    """Translate a verdict. With `wanted` the obligation asked for an input that shows a difference; else it claimed
    that there is none."""
    match verdict:
        case VerdictName.VIOLATED if wanted:
            return Answer.SAME
        case VerdictName.HOLDS if wanted:
            return Answer.DIFFERENT
        case VerdictName.PROVED if not wanted:
            return Answer.SAME
        case VerdictName.REFUTED if not wanted:
            return Answer.DIFFERENT
        case _:
            # `vacuous` too: where both accept nothing, nothing was compared.
            return Answer.UNKNOWN


@dataclass(frozen=True, slots=True)
class Sameness:
    """The overall answer with its reason; for DIFFERENT, an example."""

    answer: Answer
    reason: str
    example: Example | None = None


class Aspect(StrEnum):
    """The part of what a text means that is compared."""

    TEXT = "text"
    """Both texts are there, and can be compared at all."""
    TYPES = "types"
    """The element types that each is for."""
    DECLARATIONS = "declarations"
    """Declarations, the `refines` line, and sentences that alone say what something means."""
    ACCEPTANCE = "acceptance"
    """The input that each accepts."""
    RESULTS = "results"
    """The results that each allows where both accept."""
    ERROR = "error"
    """The input for which each raises the error of a tag."""
    OPEN = "open"
    """The input for which each leaves the outcome open."""


class Side(StrEnum):
    """One of the two."""

    BASE = "base"
    OTHER = "other"

    @property
    def opposite(self) -> Side:
        """The other one of the two."""
        return Side.OTHER if self is Side.BASE else Side.BASE


@dataclass(frozen=True, slots=True)
class Question:
    """A question about two texts. With `side`: what only that side says; without: what either says and the other does
    not. `subject` is the tag of the error, or the type variable."""

    aspect: Aspect
    side: Side | None = None
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The answer to one question in one section.

    `reason` says why it is not known; of texts and declarations, what is different. `types` are those that the side
    alone is for. `verdict` is the one behind the answer, with its scope, None where the text itself decides. `example`
    is the smallest input that shows the difference, and `refusing` the side that does not allow its outputs.
    `lasting` is false where a clock, a crash or a lack of memory left it open: another run may decide it. `axioms` are
    the identities of the cited laws that a proof rests on.
    """

    what: Question
    answer: Answer
    section: str = ""
    reason: str = ""
    types: tuple[str, ...] = ()
    verdict: VerdictName | None = None
    scope: str = ""
    example: Example | None = None
    refusing: Side | None = None
    lasting: bool = True
    axioms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Shown):
    """Two texts of one operator, compared on the inputs of the base.

    `base` and `other` is what the two are called. `moved` are inputs of the base that are attributes of the other,
    `alone` what the base alone has, which is at its default or left out in every row. `compared` are the aspects that
    were looked at in full, whatever came of it.
    """

    base: str
    other: str
    rows: tuple[Row, ...]
    compared: frozenset[Aspect] = frozenset()
    moved: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    """The shared definitions that differ between the two projects, with their places."""
    notes: tuple[str, ...] = ()
    """For a version without a text of its own: the text that it uses, and what that says of it."""

    @property
    def answer(self) -> Answer:
        """The answer as a whole.

        SAME only where every aspect was compared, something was asked, and every answer is SAME: two texts that accept
        the same input and allow the same results may still raise other errors, or declare another default.
        """
        # One difference is enough, whatever stayed open beside it.
        answers = {row.answer for row in self.rows}
        if Answer.DIFFERENT in answers:
            return Answer.DIFFERENT
        # An empty set of answers is not SAME either: nothing was asked.
        if answers == {Answer.SAME} and self.compared == frozenset(Aspect):
            return Answer.SAME
        return Answer.UNKNOWN

    @property
    def decided(self) -> bool:
        """True where something was asked, and all that was has an answer."""
        return bool(self.rows) and all(row.answer is not Answer.UNKNOWN for row in self.rows)

    def named(self, side: Side) -> str:
        """The name of a side."""
        match side:
            case Side.BASE:
                return self.base
            case Side.OTHER:
                return self.other

    def __repr__(self) -> str:
        return "\n".join([*self.notes, f"{self.base} and {self.other}", *difference_lines(self)])


def types_alone(found: Difference) -> dict[str, list[str]]:
    """The types that each is for alone, by the name of the text; those of another variable than T with its name."""
    made: dict[str, list[str]] = {found.base: [], found.other: []}
    for row in found.rows:
        if row.what.side is None:
            continue
        of = f"{row.what.subject} = "
        if row.what.subject == "T":
            of = ""
        made[found.named(row.what.side)] += [f"{of}{name}" for name in row.types]
    return made


def difference_lines(found: Difference) -> list[str]:
    """A line for each way in which the two differ, or are proved not to."""
    lines = []
    for name, types in types_alone(found).items():
        # No input of ONNX has reals as elements.
        tensors = [one for one in types if one != REAL.name]
        if tensors:
            lines.append(f"  types of {name} only: {' '.join(tensors)}")
        if REAL.name in types:
            lines.append(f"  only {name} has a section on reals, which is not compared")
    for name in found.moved:
        lines.append(f"  `{name}` is an input of {found.base} and an attribute of {found.other}")
    for name in found.alone:
        lines.append(f"  only {found.base} has `{name}`; below it has its default or is left out")
    # Declarations first: they say on which inputs the rows below compare the two.
    for sections, row in folded(found.rows):
        if row.verdict is not None:
            lines.append(f"  {sections}{_answered(found, row)}")
        elif row.what.aspect is not Aspect.TYPES:
            lines.append(f"  {line_since(found, row)}")
    return lines


def folded(rows: Iterable[Row]) -> list[tuple[str, Row]]:
    """Group the rows that say the same of several sections: the first row of each group, with the beginning of a line
    that names the sections. Its example stands for the others, whose input differs in the element type alone."""
    alike: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        # A reason may name an obligation, with its section.
        reason = row.reason.replace(f".{row.section}/", "/")
        shown = masked_input(row.example)
        key = (row.what, row.answer, row.types, row.refusing, row.verdict, reason, row.axioms, shown)
        alike.setdefault(key, []).append(row)
    # A text without types has one section, which has no name.
    return [
        (framed("", ", ".join(row.section for row in same if row.section), ": "), same[0]) for same in alike.values()
    ]


def _answered(found: Difference, row: Row) -> str:
    what = _said_alone(found, row.what)
    # Results are compared only on input that both accept.
    match row.answer:
        case Answer.SAME if row.what.aspect is Aspect.RESULTS:
            return f"where both accept, they allow the same results: {proved_with(row.axioms)}"
        case Answer.SAME:
            return f"no input is {what}: {proved_with(row.axioms)}"
        case Answer.DIFFERENT:
            return f"{what}: {_example(found, row)}"
        case Answer.UNKNOWN:
            return f"{what}? {_undecided(row)}"


def proved_with(axioms: Iterable[str]) -> str:
    """The word for a proof, with the axioms that it rests on."""
    names = [name.removesuffix("/axiom") for name in axioms]
    if not names:
        return "proved"
    return f"proved, assuming {'axiom' if len(names) == 1 else 'axioms'} {', '.join(names)}"


def axioms_of(found: Difference) -> list[str]:
    """The identities of the axioms that any of its proofs rests on."""
    return sorted({name for row in found.rows for name in row.axioms})


def _said_alone(found: Difference, question: Question) -> str:
    if question.side is None:
        return "allow different results"
    who = found.named(question.side)
    match question.aspect:
        case Aspect.ERROR:
            return f"rejected with {question.subject} by {who} only"
        case Aspect.OPEN:
            return f"left open by {who} only"
        case _:
            return f"accepted by {who} only"


def change(found: Difference, row: Row) -> tuple[str, str]:
    """The change from the other, as the text was, to the base, as it is: in words, and what shows it."""
    what = _changed(row)
    if row.verdict is None:
        shown = " ".join(row.types)
        if row.what.subject not in ("", "T"):
            shown = f"{row.what.subject} = {shown}"
        # Of a declaration the reason is what changed, which `what` says already.
        if not shown and row.what.aspect is not Aspect.DECLARATIONS:
            shown = row.reason
        return what, shown
    if row.answer is Answer.UNKNOWN:
        return f"{what} some input?", _undecided(row)
    return what, _example(found, row)


def changed_rows(found: Difference) -> list[Row]:
    """The rows that are not proved to be the same."""
    return [row for row in found.rows if row.answer is not Answer.SAME]


def line_since(found: Difference, row: Row) -> str:
    """A change, on one line."""
    return " ".join(change(found, row)).rstrip()


_NEWLY = {
    Aspect.TEXT: "is new",
    Aspect.TYPES: "now covers",
    Aspect.ACCEPTANCE: "newly accepts",
    Aspect.ERROR: "newly raises",
    Aspect.OPEN: "newly leaves the outcome open for",
}
"""The verbs for a thing that the new text alone says."""
_NO_MORE = {
    Aspect.TEXT: "was removed",
    Aspect.TYPES: "no longer covers",
    Aspect.ACCEPTANCE: "newly rejects",
    Aspect.ERROR: "no longer raises",
    Aspect.OPEN: "no longer leaves the outcome open for",
}
"""The verbs for a thing that the old text alone said."""


def _changed(row: Row) -> str:
    aspect = row.what.aspect
    newly = row.what.side is Side.BASE
    match aspect:
        case Aspect.TEXT if row.answer is Answer.UNKNOWN:
            return "is new, but cannot be read:" if newly else "is not compared:"
        case Aspect.DECLARATIONS:
            return row.reason
        case Aspect.RESULTS:
            return "gives a different result for"
    # The base is the text as it is now.
    verb = (_NEWLY if newly else _NO_MORE)[aspect]
    if aspect is Aspect.ERROR:
        return f"{verb} {row.what.subject} for"
    return verb


def _example(found: Difference, row: Row) -> str:
    """The input that shows a difference, and the outputs that one of the two does not allow, on one line."""
    # Outputs are shown only if one text rejects them.
    example = row.example
    assert example is not None
    given = ", ".join(given_texts(example.given))
    if row.refusing is None:
        return given
    return f"{given}: {', '.join(given_texts(example.outputs))}, which {found.named(row.refusing)} does not allow"


def _undecided(row: Row) -> str:
    assert row.verdict is not None
    return f"{row.verdict}: {row.reason}"
