"""The JSON of `check` and `prove`: a type for each object, of which the schema is made.

outputs/check.schema.json is `schema()`; tools/answer_schema.py writes it, and a test compares them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from sonnx_verify.logic.sorts import ELEMENT_TYPES, FLOATS, INTEGERS, MINIFLOATS
from sonnx_verify.logic.status import Status
from sonnx_verify.logic.verdict import NAMES
from sonnx_verify.results.axiom import Axiom
from sonnx_verify.results.example import Example, Role
from sonnx_verify.results.place import Place
from sonnx_verify.results.result import Result
from sonnx_verify.results.sentences import KINDS
from sonnx_verify.results.values import AttributeJson, ValueJson, attribute_json, value_json
from sonnx_verify.results.voice import Floats
from sonnx_verify.results.written import OfVersions, one_of, said, schema_of
from sonnx_verify.version import __version__

_SUBJECT = r"(common|onnx|sonnx|drafts|proofs|user|prove)\.[A-Za-z_][A-Za-z0-9_]*(-[0-9]+(@[A-Za-z]\w*([.-]\w+)*)?)?"
_SECTION = r"(\.[A-Za-z_][A-Za-z0-9_-]*)?"
_ID = rf"^{_SUBJECT}{_SECTION}/[A-Za-z_][A-Za-z0-9_.]*/({'|'.join(KINDS)})$"


# --------------------------------------------------------------------------------------------------------- the types

Name = Annotated[str, said("A name.", min_length=1)]
Line = Annotated[str, said("One line.", min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Verdict = Annotated[
    str,
    one_of(
        "The answer to an obligation. proved is only given where two independent voices agree and a witness was "
        "replayed, refuted where a counterexample was replayed; holds and violated are of the text itself or of an "
        "existence.",
        NAMES,
    ),
]
ElementType = Annotated[str, one_of("ONNX's name of the type.", list(ELEMENT_TYPES))]
Answers = dict[str, Annotated[Status, said("The solver's status.")]]


Values = Annotated[
    dict[str, ValueJson], Meta(extra_json_schema={"propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*'?$"}})
]


class ExampleJson(Struct, frozen=True):
    """A concrete input, found and then replayed by the reference evaluator."""

    minimal: Annotated[bool, said("Whether it is the smallest there is in the order of the documentation.")]
    replayed: Annotated[
        bool,
        said(
            "Always true: an input that did not survive its replay is not shown.",
            extra_json_schema={"const": True},
        ),
    ]
    inputs: Annotated[Values, said("The inputs, in the order of the text; those of X[0 .. L] are X0, X1.")]
    outputs: Annotated[Values, said("The outputs; Y' is a second result where two conform.")]
    attributes: Annotated[
        dict[str, AttributeJson],
        said(
            "The attributes that are given, by name; in a theorem OP.N.NAME is one that the Nth "
            "application of OP does not write."
        ),
    ]
    omitted: Annotated[
        list[Name],
        said(
            "The optional inputs and outputs and the attributes that are left out.",
            extra_json_schema={"uniqueItems": True},
        ),
    ]
    broken: Annotated[str, said("The sentence that it violates; for a witness, the sentence that it makes true.")]


class QueryJson(Struct, frozen=True):
    """One question that was asked."""

    sha256: Annotated[str, said("SHA-256 of the text in UTF-8, in hexadecimal.", pattern="^[0-9a-f]{64}$")]
    answers: Annotated[Answers, said("The answer of each solver, by name.")]


class VoiceJson(Struct, frozen=True):
    """A solver that found a claim unsatisfiable when it is denied."""

    solver: Annotated[str, said("Its name; `enumeration` for the evaluator on all values.", min_length=1)]
    floats: Annotated[
        str,
        one_of(
            "How floats are read in what it was told: as bits or rounded reals; `none` without floats.",
            list(Floats),
        ),
    ]


class PlaceJson(Struct, frozen=True):
    """The location."""

    file: Annotated[str, said("The file, from the folder of the project.", min_length=1)]
    line: Annotated[int, said("Counted from 1.", ge=1)]
    column: Annotated[int, said("Counted from 1.", ge=1)]


class AxiomJson(Struct, frozen=True):
    """A cited law of reals, which nothing proves."""

    id: Annotated[str, said("The identity of the axiom.", min_length=1)]
    sentence: Annotated[str, said("The law in words.")]
    cited: Annotated[str, said("The source that it is cited from.")]
    shared: Annotated[bool, said("Whether it is one of the shared definitions, namespace `common`.")]
    source: Annotated[PlaceJson, said("The location.")]


class ObligationJson(Struct, frozen=True):
    """One thing that has to be shown, and what came of it."""

    id: Annotated[
        str,
        Meta(
            pattern=_ID,
            description="namespace.Op-version[.section]/[place.]tag/kind; a library or theory has no version.",
        ),
    ]
    operator: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z]+\.[A-Za-z_][A-Za-z0-9_]*$")] | None,
        said("namespace.Op; null for a library or a theory."),
    ]
    version: Annotated[Count | None, said("The operator's version; null for a library or a theory.")]
    section: Annotated[Name | None, said("The family of types; null if the whole text is concerned.")]
    kind: Annotated[str, one_of("The kind of statement to prove.", list(KINDS))]
    tag: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z_][A-Za-z0-9_.]*$",
            description="The clause, definition or theorem, and before it the place where it occurs.",
        ),
    ]
    types: Annotated[
        list[ElementType],
        said("The element types that the verdict is for.", extra_json_schema={"uniqueItems": True}),
    ]
    variables: Annotated[dict[str, ElementType], said("The types of the type variables other than T, by name.")]
    verdict: Annotated[Verdict, said("The answer.")]
    expected: Annotated[Verdict | None, said("The verdict that the text expects; null for proved or holds.")]
    scope: Annotated[Line | None, said("The inputs that it was proved for; null if nothing was proved for all.")]
    assumptions: Annotated[list[Line], said("The rules taken on trust.")]
    axioms: Annotated[
        list[AxiomJson],
        said("The cited laws that it rests on and that nothing proves, through others too."),
    ]
    uses: Annotated[list[Name], said("The theorems that its proof uses.")]
    lemmas: Annotated[
        list[Line],
        said("The lines that its text lacks and that name theorems: it was decided as if they stood there."),
    ]
    reason: Annotated[str, said("The reason for the verdict; may be empty for proved.")]
    answers: Annotated[
        Answers,
        said("The answer of each solver that was asked everything: the one that counts most against a proof."),
    ]
    voices: Annotated[
        list[list[VoiceJson]],
        said("The independent voices that show its claims: those of each claim, what is the same once."),
    ]
    queries: Annotated[list[QueryJson], said("The queries, by the SHA-256 of their SMT-LIB text.")]
    hinted: Annotated[bool, said("True if each query was asked along a hint of an earlier proof.")]
    source: Annotated[PlaceJson, said("The location.")]
    witness: Annotated[ExampleJson | None, said("An input that meets the hypotheses, or that was sought.")]
    counterexample: Annotated[
        ExampleJson | None, said("The smallest input that violates it; never null if it is refuted.")
    ]


class ToolJson(Struct, frozen=True):
    """The tool that made an answer."""

    name: Annotated[Literal["sonnx-verify"], said("The program.")]
    version: Annotated[str, said("Its version.", min_length=1)]


TOOL = ToolJson("sonnx-verify", __version__)


class SummaryJson(Struct, frozen=True):
    """Counts over the obligations."""

    verdicts: Annotated[
        dict[Verdict, Annotated[int, said("The number.", ge=1)]],
        said(
            "The number of obligations with each verdict that occurs.",
            extra_json_schema={"propertyNames": {"enum": list(NAMES)}},
        ),
    ]
    surprises: Annotated[Count, said("The number of verdicts that are not the expected ones.")]
    errors: Annotated[Count, said("The number of listed errors.")]
    on_axioms: Annotated[Count, said("The number of verdicts that rest on axioms.")]


class ChangedJson(Struct, frozen=True):
    """The obligations that --changed left out, unchanged since that commit."""

    ref: Annotated[str, said("The commit, as named.")]
    files_left_out: Annotated[Count, said("The number of files that depend on nothing that changed.")]
    obligations_left_out: Annotated[Count, said("The number of obligations of other files that are unchanged.")]
    files_gone: Annotated[list[Name], said("The files of that commit that no longer exist, from the project on.")]


class AnswerJson(OfVersions, frozen=True):
    """The answer of `check` and of `prove`: every obligation with its verdict."""

    tool: Annotated[ToolJson, said("The tool that wrote it.")]
    solvers: Annotated[
        dict[str, Annotated[str, Meta(min_length=1)] | None],
        said(
            "The version of each solver; null when it is not installed.",
            extra_json_schema={"minProperties": 1},
        ),
    ]
    obligations: Annotated[list[ObligationJson], said("The obligations, in the order of the texts.")]
    errors: Annotated[list[Line], said("The errors that kept texts from being checked, as the console shows them.")]
    summary: Annotated[SummaryJson, said("Counts over the obligations.")]
    unchecked: Annotated[
        list[Line] | UnsetType, said("With errors: the files that were not checked because of them.")
    ] = UNSET
    changed: Annotated[ChangedJson | UnsetType, said("With --changed: the skipped items.")] = UNSET
    ledger: Annotated[
        list[Line] | UnsetType, said("With --frozen: the differences from the ledger, one line each.")
    ] = UNSET
    cache: Annotated[
        list[Line] | UnsetType,
        said("With --frozen: the differences between fresh verdicts and the cache, one line each."),
    ] = UNSET
    differences: Annotated[
        list[Line] | UnsetType,
        said("With --frozen: the differences of versions without a valid record, one line each, if there are any."),
    ] = UNSET


# ----------------------------------------------------------------------------------------------- from results to them


def answer_json(
    results: Sequence[Result],
    solvers: Mapping[str, str | None],
    errors: Sequence[str],
    unchecked: Sequence[str] = (),
    changed: ChangedJson | UnsetType = UNSET,
    ledger: Sequence[str] | None = None,
    cache: Sequence[str] | None = None,
    differences: Sequence[str] = (),
) -> AnswerJson:
    """The whole answer, as JSON has it."""
    return AnswerJson(
        tool=TOOL,
        solvers=dict(solvers),
        obligations=[obligation_json(result) for result in results],
        errors=list(errors),
        summary=_summary(results, len(errors)),
        unchecked=_lines(unchecked or None),
        changed=changed,
        ledger=_lines(ledger),
        cache=_lines(cache),
        differences=_lines(differences or None),
    )


def _lines(found: Sequence[str] | None) -> list[str] | UnsetType:
    """A field that is absent where it was not asked for: [] says that it was, and that nothing differs."""
    return UNSET if found is None else list(found)


def place_json(place: Place) -> PlaceJson:
    """A place, as JSON has it."""
    return PlaceJson(place.file, place.line, place.column)


def _summary(results: Sequence[Result], errors: int) -> SummaryJson:
    # Only verdicts that occur, in the order of their names: the same bytes for the same results.
    verdicts = Counter(result.verdict for result in results)
    return SummaryJson(
        dict(sorted(verdicts.items())),
        sum(result.surprising for result in results),
        errors,
        sum(bool(result.axioms) for result in results),
    )


def obligation_json(result: Result) -> ObligationJson:
    """One obligation, as JSON has it."""
    return ObligationJson(
        id=result.id,
        operator=result.operator,
        version=result.version,
        section=result.section or None,
        kind=result.kind,
        tag=result.tag,
        types=list(result.types),
        variables=dict(result.variables),
        verdict=result.verdict,
        expected=result.expected or None,
        scope=result.scope or None,
        assumptions=list(result.assumptions),
        axioms=[_axiom(axiom) for axiom in result.axioms],
        uses=list(result.uses),
        lemmas=list(result.lemmas),
        reason=result.reasons,
        answers=dict(result.answers),
        voices=[[VoiceJson(voice.solver, voice.floats) for voice in claim] for claim in result.voices],
        queries=[QueryJson(query.sha256, dict(query.answers)) for query in result.queries],
        hinted=result.hinted,
        source=place_json(result.place),
        witness=example_json(result.witness),
        counterexample=example_json(result.counterexample),
    )


def _axiom(axiom: Axiom) -> AxiomJson:
    return AxiomJson(axiom.id, axiom.sentence, axiom.source, axiom.is_shared, place_json(axiom.place))


def example_json(example: Example | None) -> ExampleJson | None:
    """A witness or counterexample, as JSON has it."""
    if example is None:
        return None
    # Attributes are given by name, so their order is that of names; inputs by position, in the order of the text.
    attributes = sorted((one for one in example.given if one.role is Role.ATTRIBUTE), key=lambda one: one.name)
    inputs = [one for one in example.given if one.role is Role.INPUT]
    return ExampleJson(
        minimal=example.minimal,
        replayed=True,
        inputs={one.name: value_json(one.value) for one in inputs},
        outputs={one.name: value_json(one.value) for one in example.outputs},
        attributes={one.name: attribute_json(one.value) for one in attributes},
        omitted=[*(omitted.name for omitted in example.omitted), *example.unasked],
        broken=example.broken,
    )


# ---------------------------------------------------------------------------------------------------------- the schema


def schema() -> dict[str, Any]:
    """The JSON Schema of an answer: the types above, and which fields go with which, which types cannot say."""
    # A type says which fields there are. That `refuted` has a counterexample, and int8 no bits, are conditions between
    # fields: draft 2020-12 has `if` and `then` for them.
    made = schema_of(AnswerJson, "check")
    definitions = made["$defs"]
    definitions["ValueJson"]["allOf"] = _form_of_types()
    definitions["ObligationJson"]["allOf"] = _form_of_verdicts()
    definitions |= _nested_data()
    return made


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _nested_data() -> dict[str, Any]:
    """Elements of one kind in lists in lists, as deep as a shape says."""
    # Up to 2^53 every integer is a double, in which many readers hold numbers (results/values.py).
    exact = {"type": "integer", "minimum": -(1 << 53), "maximum": 1 << 53}
    beyond = {"type": "string", "pattern": "^-?[1-9][0-9]{15,}$"}
    special = {"enum": ["nan", "inf", "-inf", "-0.0"]}
    items: dict[str, tuple[str, list[dict[str, Any]]]] = {
        "booleans": ("Truth values", [{"type": "boolean"}]),
        "floats": ("Floats: numbers, or strings for what a JSON number cannot hold", [{"type": "number"}, special]),
        "integers": ("Integers: numbers up to 2^53 in magnitude, decimal strings beyond", [exact, beyond]),
    }
    for width in (8, 16, 32, 64):
        pattern = {"type": "string", "pattern": f"^0x[0-9a-f]{{{width // 4}}}$"}
        items[f"bits{width}"] = (f"Patterns of {width} bits in hexadecimal", [pattern])
    return {
        name: {
            "description": f"{description}; nested as the shape says.",
            "anyOf": [*forms, {"type": "array", "items": _reference(name)}],
        }
        for name, (description, forms) in items.items()
    }


def _form_of_types() -> list[dict[str, Any]]:
    """The data and bits that go with an element type."""
    integers = [*(sort.name for sort in INTEGERS), "int", "shape", "index", "set"]
    rules = [
        _rule("dtype", integers, {"properties": {"data": _reference("integers"), "bits": False}}),
        _rule("dtype", ["bool"], {"properties": {"data": _reference("booleans"), "bits": False}}),
    ]
    for sort in (*FLOATS, *MINIFLOATS):
        # Of a single element, as of a law about elements, the number is enough.
        of_a_tensor = {"if": {"properties": {"shape": {"minItems": 1}}}, "then": {"required": ["bits"]}}
        form = {"data": _reference("floats"), "bits": _reference(f"bits{sort.width}")}
        rules.append(_rule("dtype", [sort.name], {"properties": form, **of_a_tensor}))
    return rules


def _form_of_verdicts() -> list[dict[str, Any]]:
    """The constraints of each verdict: a counterexample with `refuted` alone; a scope, and unsat of two voices at
    least, with `proved`; a reason with all that is not shown."""
    shown = {"properties": {"counterexample": _reference("ExampleJson")}}
    none = {"properties": {"counterexample": {"type": "null"}}}
    unsat = {"minProperties": 2, "additionalProperties": {"const": "unsat"}}
    voices = {"minItems": 1, "items": {"minItems": 2}}
    return [
        _rule("verdict", ["refuted"], shown) | {"else": none},
        _rule("verdict", ["proved"], {"properties": {"scope": {"type": "string"}, "answers": unsat, "voices": voices}}),
        {**_rule("verdict", ["proved", "holds"], {}), "else": {"properties": {"reason": {"minLength": 1}}}},
    ]


def _rule(field: str, values: Sequence[str], then: dict[str, Any]) -> dict[str, Any]:
    return {"if": {"properties": {field: {"enum": list(values)}}}, "then": then}
