"""The answer of `conform` as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict, cast

from msgspec import UNSET, UnsetType

from sonnx_verify.conformance.judgement.conformance import (
    AcceptedCall,
    Accuracy,
    Conclusion,
    Conformance,
    Count,
    Divergence,
    Outside,
    Unsupported,
    Worst,
)
from sonnx_verify.conformance.oracles.comparison import LEVELS
from sonnx_verify.outputs.accuracy import figures, histogram_words, notes, size_words
from sonnx_verify.outputs.paint import PLAIN, Paint, Tone
from sonnx_verify.outputs.tensors import attribute_words, tensor_words
from sonnx_verify.results.answer_json import TOOL, ToolJson
from sonnx_verify.results.text import counted_text, digits_text, framed
from sonnx_verify.results.written import OfVersions, one_of, plain, said, schema_of

_LONGEST = 160
"""The longest line printed: runtimes answer with whole stack traces."""

_NOT_REFUSED = "  not checked: rejection of invalid inputs (use --test-only)"

_TONES = {
    Conclusion.PROVED: Tone.GOOD,
    Conclusion.AGREES: Tone.GOOD,
    Conclusion.REFUTED: Tone.BAD,
    Conclusion.DIVERGES: Tone.BAD,
    Conclusion.UNSUPPORTED: Tone.OPEN,
    Conclusion.UNKNOWN: Tone.OPEN,
}


class Largest(TypedDict):
    """The largest non-empty tensors of valid inputs: their highest rank, the most coordinates on one axis, the most
    elements."""

    rank: Count
    size: Count
    elements: Count


class Misuse(TypedDict):
    """Invalid calls: they violate the signature."""

    type: Annotated[str, said("The types of the input that the calls are made from; empty without one.")]
    calls: Annotated[Count, said("The number of calls.")]
    refused: Annotated[Count, said("The number of those that were refused.")]
    accepted: Annotated[dict[str, AcceptedCall], said("Those that had a result, by name.")]
    inputs: NotRequired[Annotated[dict[str, Any], said("The inputs that the calls are made from, by name.")]]
    attributes: NotRequired[Annotated[dict[str, Any], said("The attributes, by name.")]]
    omitted: NotRequired[Annotated[list[str], said("The names of omitted arguments.")]]
    passed_over: NotRequired[Annotated[int, said("The calls that were left out after crashes.", ge=1)]]


class Scope(TypedDict, total=False):
    """The extent of a test or a proof."""

    method: Required[Literal["proved", "tested"]]
    types: Required[list[str]]
    of_types: Required[dict[str, dict[str, Any]]]
    said: str
    inputs: Count
    rules: Annotated[Count, said("The version of the rules by which inputs are chosen.")]
    seed: int
    random: Count
    accepted: str
    short: bool
    strength: Count
    left_open: list[str]
    largest: Largest
    misuse: Misuse
    examples: Annotated[Count, said("The number of examples of the specification and of its page that were run.")]
    covering: list[dict[str, Any]]
    vectors: Annotated[str, said("The folder of given tests.")]
    too_large: Annotated[Count, said("The number of given tests that are too large for the evaluator.")]
    restricted: Annotated[Count, said("The number of given tests that a restriction excludes.")]
    untested: Annotated[list[str], said("The types without a given test.")]
    excluded: list[str]
    assumptions: list[str]


class ConformanceJson(OfVersions, frozen=True):
    """The agreement of a target with a specification."""

    tool: ToolJson
    operator: Annotated[str, said("The specification.")]
    target: Annotated[str, said("The target as it was named.")]
    target_version: Annotated[str | None, said("The version that it gives itself.")]
    verdict: Annotated[
        str,
        one_of(
            "For a proof: proved, refuted, unsupported, unknown; for tests: agrees, diverges, unsupported, unknown.",
            [*Conclusion],
        ),
    ]
    scope: Scope
    level: Annotated[str | None, one_of("The best level at which all agrees.", [*LEVELS, None])]
    divergences: Annotated[Sequence[Divergence], said("Each once.")]
    unsupported: Sequence[Unsupported]
    crashes: Annotated[Sequence[Divergence], said("Those that end the process, or keep it.")]
    accuracy: Annotated[
        Sequence[Accuracy] | UnsetType,
        said("With --accuracy: the errors of each output of floats, for each type."),
    ] = UNSET
    changes: Annotated[
        Sequence[str] | UnsetType, said("With --frozen: the differences from the ledger, a line each.")
    ] = UNSET


def schema() -> dict[str, Any]:
    """The JSON Schema of an answer."""
    made = schema_of(ConformanceJson, "conform")
    # It is unset before anything is printed.
    del made["$defs"]["Divergence"]["properties"]["signature"]
    return made


def conformance_json(answer: Conformance, changes: Sequence[str] | UnsetType = UNSET) -> dict[str, Any]:
    """The object of docs/json.md."""
    made: dict[str, Any] = plain(
        ConformanceJson(
            TOOL,
            answer.operator,
            answer.target,
            answer.target_version or None,
            answer.verdict,
            cast(Scope, answer.scope),
            answer.level,
            answer.divergences,
            answer.unsupported,
            answer.crashes,
            answer.accuracy,
            changes,
        )
    )
    return made


def conformance_lines(answer: Conformance, paint: Paint = PLAIN) -> Iterator[str]:
    """The answer as a person reads it."""
    scope = answer.scope
    version = framed(" ", answer.target_version)
    up_to = ", up to a bound" if answer.verdict is Conclusion.PROVED else ""
    yield f"{answer.operator} against {answer.target}{version}: {paint(answer.verdict, _TONES[answer.verdict])}{up_to}"
    if scope.get("method") == "tested" or scope["types"]:
        yield f"  {_scope(answer)}"
    yield from _largest(scope)
    yield from _covered(scope)
    if _has_small_inputs_only(answer):
        yield "  not tested: larger inputs: the size of a result depends on elements, and no covering array was made"
    yield from _left_open(scope)
    yield from _misused(scope)
    yield from _not_looked_at(answer)
    if answer.level is not None:
        yield f"  level of agreement: {answer.level}"
    if words := empty_bound_words(scope["of_types"]):
        yield f"  the bound of the result says nothing from about {words} of one sign on"
    yield from _undecided(answer)
    for rule in scope.get("assumptions", ()):
        yield f"  assumes: {rule}"
    for one in answer.unsupported:
        tests = _tests(scope["of_types"].get(one.type, {}))
        yield f"  unsupported: {one.type}: {_cut(one.said)}{tests}"
    for divergence in answer.divergences:
        yield ""
        yield from divergence_lines(divergence, paint)
    if answer.accuracy is not UNSET:
        yield ""
        yield from _accuracy_lines(answer.accuracy)


def empty_bound_words(of_types: Mapping[str, Mapping[str, Any]]) -> str:
    """The numbers of elements from which a set of results says nothing, by type; empty if there are none."""
    rows = {name: row["says_nothing_from"] for name, row in of_types.items() if "says_nothing_from" in row}
    return ", ".join(f"{number:,} elements ({name})" for name, number in rows.items())


def _largest(scope: Mapping[str, Any]) -> Iterator[str]:
    """The sizes beyond which nothing was tested."""
    largest = scope.get("largest")
    if largest is not None and scope["inputs"]:
        words = [
            f"rank {largest['rank']}",
            f"{largest['size']:,} on one axis",
            f"{largest['elements']:,} in all",
        ]
        yield f"  largest tensors: {', '.join(words)}"


def _misused(scope: Mapping[str, Any]) -> Iterator[str]:
    """The answers to calls that violate the signature."""
    made = scope.get("misuse")
    if made is None:
        return
    if not made["type"]:
        yield "  invalid calls: not tried, since no valid call gave the right result"
        return
    words = [f"{made['calls']:,} made", f"{made['refused']:,} refused"]
    if made["accepted"]:
        words.append(f"{len(made['accepted'])} accepted: {', '.join(made['accepted'])}")
    if "passed_over" in made:
        words.append(f"{made['passed_over']} skipped after too many crashes")
    yield _cut(f"  invalid calls: {'; '.join(words)}")


def _not_looked_at(answer: Conformance) -> Iterator[str]:
    """The lines on what a proof that found nothing wrong leaves unchecked."""
    if answer.scope.get("method") != "proved" or answer.verdict is Conclusion.REFUTED:
        return
    # A proof holds for valid inputs up to the bound; the lines below say what that leaves out.
    if answer.scope["types"]:
        of_types = answer.scope["of_types"]
        tests = sum(of_types[name].get("tests", 0) for name in answer.scope["types"])
        if tests:
            yield f"  also tested on {counted_text(tests, 'valid input')}, some beyond the bound: no differences"
            yield _NOT_REFUSED
        elif answer.scope["short"]:
            what = "larger inputs, other memory layouts, rejection of invalid inputs"
            yield f"  not checked: {what}; omit --short to test the first two"
        yield from (f"  not modelled: {one}" for one in answer.scope["excluded"])
    else:
        yield _NOT_REFUSED


def _accuracy_lines(rows: Sequence[Accuracy]) -> Iterator[str]:
    """The errors of each output and type, and the input of the largest one."""
    if not rows:
        yield "accuracy: nothing measured"
    for one in rows:
        row = plain(one)
        yield f"accuracy of {one.output} for {one.type}, in ulps of the exact value"
        if one.worst is None:
            yield "  nothing measured"
        else:
            yield f"  {counted_text(one.measured, 'element')}: worst {one.worst.ulps:g}, mean {one.mean:g}"
            yield f"  {histogram_words(row)}"
            yield from _worst(one.worst)
        if one.not_finite:
            yield f"  NaN or infinite: {one.not_finite} ({one.differ} nonconforming)"
        if one.open:
            yield f"  not measured (any value conforms): {one.open}"
        if one.undecided:
            yield f"  not measured (exact value undecided): {one.undecided}"
        for at in row["sizes"]:
            words = "; ".join([figures(at), *notes(at)])
            yield f"  {size_words(at)} elements read for each: {words}"


def _worst(worst: Worst) -> Iterator[str]:
    yield f"  worst at {list(worst.index)}: exact {worst.exact}, got {worst.got}"
    for name, tensor in worst.inputs.items():
        yield f"    {name} = {_cut(tensor_words(tensor))}"
    for name, value in worst.attributes.items():
        yield f"    {name} = {attribute_words(value)}"


def _undecided(answer: Conformance) -> Iterator[str]:
    """The types without a proof; they may have been tested."""
    if answer.scope.get("method") != "proved":
        return
    for name, one in answer.scope["of_types"].items():
        if one["verdict"] == Conclusion.UNKNOWN:
            yield f"  unknown: {name}: {_cut(one.get('said', ''))}{_tests(one)}"


def _covered(scope: Mapping[str, Any]) -> Iterator[str]:
    """The coverage of combinations of classes, and what was not tested at all."""
    yield from (f"  covered: {covering_words(one)}" for one in scope.get("covering", ()))
    for name, row in scope["of_types"].items():
        for missing in row.get("missing", ()):
            yield f"  not tested: {name}: {missing}"
        for branch in row.get("unreached", ()):
            yield f"  not tested: {name}: {branch} (unreachable with small inputs)"
        for branch in row.get("only_open", ()):
            yield f"  not tested: {name}: {branch} (the specification leaves its result open)"


def _has_small_inputs_only(answer: Conformance) -> bool:
    """Return whether no covering array was run, though one was asked for and some type is supported."""
    scope = answer.scope
    asked = scope.get("method") == "tested" and not scope.get("short") and "vectors" not in scope
    return asked and not scope.get("covering", True) and len(answer.unsupported) < len(scope["of_types"])


def _left_open(scope: Mapping[str, Any]) -> Iterator[str]:
    """The results, and parts of results, that were not compared since the specification allows anything."""
    if scope["left_open"]:
        yield _cut(f"  not compared: results left open by {', '.join(scope['left_open'])}")
    of_types = scope["of_types"].values()
    count = sum(row.get("open", 0) for row in of_types)
    if count:
        yield f"  not compared: {counted_text(count, 'result')} left entirely open"
    count = sum(row.get("signalling", 0) for row in of_types)
    if count:
        others = sum(row.get("signalling_others", 0) for row in of_types)
        more = f", {others:,} of them unlike a quiet NaN" if others else ""
        yield f"  outside the model: elements of {counted_text(count, 'input')} with a signalling NaN{more}"


def covering_words(one: Mapping[str, Any]) -> str:
    """The coverage of combinations of classes by the inputs of some types, from JSON or a ledger."""
    strength = one["strength"]
    # Shapes may be covered more strongly than the rest; earlier ledgers do not say so.
    stronger = one.get("stronger", strength)
    way = f"{strength}-way combinations"
    if stronger > strength:
        way += f" ({stronger}-way for shapes)"
    rows = counted_text(one["rows"], "input")
    return "; ".join([f"{one['covered']:,} of {one['combinations']:,} {way}, by {rows}", *_left(one)])


def _left(covering: Mapping[str, Any]) -> Iterator[str]:
    """The combinations that were not covered, and why."""
    left = covering["left"]
    if left:
        yield f"{left:,} not tried"
    if covering["covered"] + left < covering["combinations"]:
        # Ledgers have the figures alone.
        why = [
            f"{len(covering[name]):,} {words}"
            for name, words in (("rejected", "in rejected inputs only"), ("not_found", "in no input tried"))
            if covering.get(name)
        ]
        yield f"the others occur in no valid input that was tried{framed('; pairs of classes: ', ', '.join(why))}"


def _tests(row: Mapping[str, Any]) -> str:
    """The result of testing a type that could not be proved."""
    count = row.get("tests", 0)
    if not count:
        return ""
    return f"; tested on {counted_text(count, 'valid input')}: no differences"


def _scope(answer: Conformance) -> str:
    scope = answer.scope
    if scope.get("method") != "tested":
        return str(scope.get("said", ""))
    types = ", ".join(scope["types"]) or "no types"
    passed = sum(one.get("passed_over", 0) for one in scope["of_types"].values())
    # Inputs like those that crashed are not run: the user has to know of the gap.
    more = framed("; ", passed or "", " skipped: similar inputs crashed")
    what = "small input" if scope["short"] else "input"
    whence = f"seed {scope['seed']}"
    if "vectors" in scope:
        # Inputs outside a profile are not counted: it says nothing about them.
        what, whence = "input", f"from {scope['vectors']}"
        more += framed("; ", scope["too_large"] or "", " too large for the reference evaluator")
        more += framed("; ", scope["restricted"] or "", " excluded by a restriction")
        without = len(scope["untested"])
        if without:
            more += f"; {without} of {without + len(scope['of_types']) + len(answer.unsupported)} types without a test"
    return f"tested {types} on {counted_text(scope['inputs'], what)} ({whence}){more}"


def divergence_lines(one: Divergence, paint: Paint = PLAIN) -> Iterator[str]:
    """One divergence as a person reads it."""
    yield paint(one.id, Tone.NAME)
    yield f"  {one.title} ({types_words(one.types, is_misuse=one.misuse is not None)})"
    rows = [(name, tensor_words(t)) for name, t in one.inputs.items()]
    rows += [(name, attribute_words(value)) for name, value in one.attributes.items()]
    rows += [(name, "not given") for name in one.omitted]
    if one.examples:
        # The input above may be a part of them: what shows the difference is made as small as it goes.
        named = ", ".join(one.examples)
        rows.append(("shown by", f"example{'s' if len(one.examples) > 1 else ''} {named}, or a part of it"))
    rows += [("expected", outcome_words(one.expected)), ("got", outcome_words(one.got))]
    if one.outside is not None:
        rows.append(("outside", outside_words(one.outside, several=len(one.expected["outputs"]) > 1)))
    elif place := _first_difference(one.expected, one.got):
        rows.append(("differs", place))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        yield f"    {name:<{width}} = {_cut(text)}"
    yield f"    {one.repro}"
    if not one.reproduced:
        yield "    not reproduced: a second run, in a new process, did not show it"


_MANY = 8
"""The number of elements up to which two arrays are compared at a glance."""


def _first_difference(expected: Mapping[str, Any], got: Mapping[str, Any]) -> str:
    """The first element of a long output that differs; empty if there is none to show."""
    wanted, made = expected.get("outputs", {}), got.get("outputs", {})
    for name in wanted.keys() & made.keys():
        ours, theirs = wanted[name], made[name]
        if "data" not in theirs or (ours["dtype"], ours["shape"]) != (theirs["dtype"], theirs["shape"]):
            continue
        free = expected.get("unspecified", {}).get(name, ())
        rows = [
            (place, a, b)
            for (place, a), (_, b) in zip(_elements(ours["data"]), _elements(theirs["data"]), strict=True)
            if a != b and place not in free
        ]
        if rows and prod(ours["shape"]) > _MANY:
            place, a, b = rows[0]
            where = f"{name} at {place}" if len(wanted) > 1 else f"at {place}"
            more = f" (the first of {len(rows)} such elements)" if len(rows) > 1 else ""
            return f"{where}: {_plain(a)} expected, {_plain(b)} given{more}"
    return ""


def _elements(data: Any, place: tuple[int, ...] = ()) -> Iterator[tuple[list[int], Any]]:
    """The elements of nested lists, each with its index."""
    if isinstance(data, list):
        for n, part in enumerate(data):
            yield from _elements(part, (*place, n))
    else:
        yield list(place), data


def _plain(element: Any) -> str:
    """An element as JSON has it, without the quotes of NaN and of infinities."""
    return json.dumps(element).replace('"', "")


def types_words(types: Sequence[str], *, is_misuse: bool) -> str:
    """The types that show a divergence. An invalid call is made with one type only: nothing is known about others."""
    named = ", ".join(types)
    return f"called with {named} only" if is_misuse else named


def outcome_words(outcome: Mapping[str, Any]) -> str:
    """An expected outcome, or one that a target gave."""
    if "outputs" not in outcome:
        more = outcome.get("said") or " and ".join(outcome.get("clauses", ()))
        return f"{outcome['outcome']}{framed(': ', more)}"
    outputs = outcome["outputs"]
    texts = [f"{name} {tensor_words(tensor)}" for name, tensor in outputs.items()]
    # With a single output its name adds nothing.
    if len(outputs) == 1:
        texts = [*map(tensor_words, outputs.values())]
    return "; ".join([*texts, *set_words(outcome), *wrote_words(outcome), *_varies_words(outcome)])


def set_words(outcome: Mapping[str, Any]) -> list[str]:
    """A note that the expected result is one of several; empty if it is the only one."""
    if not outcome.get("representative"):
        return []
    return ["or another member of the set"]


def outside_words(one: Outside, *, several: bool) -> str:
    """The distance of an element from its set: `at [0]: 9 steps off, 3 allowed`. Names the output if there are
    `several`."""
    words = []
    if several:
        words.append(one.output)
    if one.index:
        words.append(f"at {list(one.index)}")
    where = framed("", " ".join(words), ": ")
    made = f"{where}{_distance(one)}"
    if one.elements > 1:
        made += f" (the first of {one.elements} such elements)"
    return made


def _distance(one: Outside) -> str:
    """The distance of an element, and the distance that is allowed."""
    allowed = Fraction(one.allowed)
    is_steps = one.measure == "steps"
    if one.off is None and is_steps:
        return f"NaN; at most {counted_text(int(allowed), 'step')} allowed"
    if one.off is None and not allowed:
        return "not finite; only the exact value is allowed"
    if one.off is None:
        return f"not finite; at most {digits_text(allowed, 3)} from the exact value allowed"
    off = Fraction(one.off)
    made = f"{digits_text(off, 3)} off, {digits_text(allowed, 3)} allowed"
    if is_steps:
        made = f"{counted_text(int(off), 'step')} off, {allowed} allowed"
    if off <= allowed:
        made += ", but out of the set's range"
    return made


def wrote_words(outcome: Mapping[str, Any]) -> list[str]:
    """A note naming the inputs that the target wrote to; empty if it wrote to none."""
    changed = outcome.get("changed")
    if not changed:
        return []
    return [f"wrote to {', '.join(changed)}"]


def _varies_words(outcome: Mapping[str, Any]) -> list[str]:
    """A note naming the elements that depend on memory that nobody wrote; empty if none does."""
    if "varies" not in outcome:
        return []
    of_outputs = {name: ", ".join(map(str, places)) for name, places in outcome["varies"].items() if places}
    if not of_outputs:
        return ["varies with what memory holds"]
    named = [f"{name} {places}" for name, places in of_outputs.items()]
    if len(outcome["outputs"]) == 1:
        named = [*of_outputs.values()]
    return [f"varies with what memory holds at {'; '.join(named)}"]


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 3]}..."
