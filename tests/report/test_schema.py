"""What `check --format json` and `prove --format json` print keeps to check.schema.json, and to what it can't say."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.logic import floats
from sonnx_verify.logic.sorts import ELEMENT_TYPES, FloatSort
from sonnx_verify.results.answer_json import schema
from sonnx_verify.results.concrete import ConcreteTensor
from sonnx_verify.results.values import tensor_json
from sonnx_verify.results.written import plain

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "sonnx_verify/outputs/check.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
ID = re.compile(
    r"(?P<subject>[a-z]+\.[A-Za-z_]\w*(-\d+)?)(\.(?P<section>[A-Za-z_]\w*))?/(?P<tag>([A-Za-z_]\w*\.)*\w+)/(?P<kind>[a-z-]+)"
)
WRONG = "operator Wrong version 1 user\ntypes int = int8\ninput X : tensor of T\noutput Y : tensor of T\nshape Y = Z\n"


def _tensor(tensor: ConcreteTensor) -> Any:
    return plain(tensor_json(tensor))


def ask(*arguments: str) -> tuple[int, Any]:
    """The exit status and the JSON that a command prints on its standard output."""
    done = CliRunner().invoke(main, [*arguments, "--format", "json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, Any]]:
    """Answers of every sort: a profile operator, drafts with findings, a theory and a text with a mistake."""
    wrong = tmp_path_factory.mktemp("texts") / "wrong.sonnx"
    wrong.write_text(WRONG, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return {
            "texts": ask("check", "sonnx.Max-13*", "drafts.*", "proofs/max_floats.sonnx"),
            "mistake": ask("check", str(wrong)),
            "statement": ask("prove", "Max(A, B) = A"),
            "shapes": ask("prove", "for S : shape; k : int : aligned(S, k) = 1"),
        }


def obligations(answers: dict[str, tuple[int, Any]]) -> Iterator[dict[str, Any]]:
    """The obligations of all answers."""
    for _, answer in answers.values():
        yield from answer["obligations"]


def test_schema_is_one() -> None:
    """The schema is valid under the draft it names, every property has a description, no object is open by accident."""
    VALIDATOR.check_schema(SCHEMA)

    def walk(found: Any, path: str) -> None:
        if isinstance(found, list):
            for n, part in enumerate(found):
                walk(part, f"{path}[{n}]")
        if not isinstance(found, dict):
            return
        if "properties" in found and found.get("type") == "object":
            assert found["additionalProperties"] is False, path
            for name, part in found["properties"].items():
                assert "description" in part or "description" in resolved(part), f"{path}.{name} has no description"
        for key, part in found.items():
            walk(part, f"{path}.{key}")

    def resolved(part: dict[str, Any]) -> dict[str, Any]:
        return SCHEMA["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part

    walk(SCHEMA, "$")


def test_the_schema_is_made_of_the_types() -> None:
    """The committed file is what the types give."""
    assert schema() == SCHEMA


def test_answers_keep_to_the_schema(answers: dict[str, tuple[int, Any]]) -> None:
    """Every answer is valid."""
    problems = [
        f"{name}: {error.json_path}: {error.message}"
        for name, (_, answer) in answers.items()
        for error in VALIDATOR.iter_errors(answer)
    ]

    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["obligations", 0, "verdict"], "maybe"),
        (["obligations", 0, "kind"], "guess"),
        (["obligations", 0, "more"], 1),
        (["obligations", 0, "id"], "sonnx.Max-13/C1"),
        (["obligations", 0, "answers"], {"z3": "timeout"}),
        (["obligations", 0, "source", "line"], 0),
        (["summary", "verdicts"], {"maybe": 1}),
        (["tool"], {}),
        (["solvers"], {}),
    ],
    ids=lambda part: str(part[-1]) if isinstance(part, list) else "",
)
def test_schema_is_strict(answers: dict[str, tuple[int, Any]], path: list[Any], value: Any) -> None:
    """An answer with one thing wrong in it is not valid."""
    wrong = json.loads(json.dumps(answers["texts"][1]))
    place = wrong
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value

    assert not VALIDATOR.is_valid(wrong)


def test_proved_is_more_than_a_word(answers: dict[str, tuple[int, Any]]) -> None:
    """A proved obligation without its scope, or with an answer other than unsat, is not valid."""
    answer = json.loads(json.dumps(answers["texts"][1]))
    one = next(o for o in answer["obligations"] if o["verdict"] == "proved")
    for change in ({"scope": None}, {"answers": {"z3": "unsat"}}, {"answers": {"z3": "unsat", "cvc5": "unknown"}}):
        assert not VALIDATOR.is_valid({**answer, "obligations": [{**one, **change}]}), change


def test_identities(answers: dict[str, tuple[int, Any]]) -> None:
    """Identities are unique in an answer, have their form, and say what the other fields say."""
    for _, answer in answers.values():
        identities = [o["id"] for o in answer["obligations"]]
        assert len(set(identities)) == len(identities)
    for one in obligations(answers):
        parts = ID.fullmatch(one["id"])
        assert parts, one["id"]
        assert (parts["section"], parts["tag"], parts["kind"]) == (one["section"], one["tag"], one["kind"])
        assert (one["operator"] is None) == (one["version"] is None), one["id"]
        if one["operator"] is not None:
            assert parts["subject"] == f"{one['operator']}-{one['version']}"


def test_summary_agrees(answers: dict[str, tuple[int, Any]]) -> None:
    """The summary counts what is listed: verdicts, surprises, errors."""
    for _, answer in answers.values():
        listed = answer["obligations"]
        surprises = [
            o
            for o in listed
            if (o["verdict"] not in ("proved", "holds")) != (o["expected"] is not None)
            or (o["expected"] is not None and o["expected"] != o["verdict"])
        ]
        assert answer["summary"] == {
            "verdicts": dict(Counter(o["verdict"] for o in listed)),
            "surprises": len(surprises),
            "errors": len(answer["errors"]),
            "on_axioms": sum(bool(o["axioms"]) for o in listed),
        }


def test_status(answers: dict[str, tuple[int, Any]]) -> None:
    """The exit status is 0 where all is as expected, 2 for a mistake, 1 for a refuted statement."""
    assert {name: status for name, (status, _) in answers.items()} == {
        "texts": 0,
        "mistake": 2,
        "statement": 1,
        "shapes": 1,
    }


def test_mistake_is_listed(answers: dict[str, tuple[int, Any]]) -> None:
    """A text with a mistake gives no verdict; the error is the one of the console, with line, caret and cure."""
    _, answer = answers["mistake"]

    assert answer["obligations"] == []
    assert len(answer["errors"]) == 1
    assert re.search(r"wrong\.sonnx:5:11: error: .*`Z`.*\n.*shape Y = Z\n +\^\n +to fix: ", answer["errors"][0])


def test_each_query_is_accounted_for(answers: dict[str, tuple[int, Any]]) -> None:
    """Proved rests on queries that both solvers called unsat; each was asked of z3, and of both where z3 said unsat."""
    for one in obligations(answers):
        for given in (q["answers"] for q in one["queries"]):
            assert list(given) == ["z3", "cvc5"][: len(given)], one["id"]
            assert given, one["id"]
            assert len(given) == 2 or given["z3"] != "unsat", one["id"]
        assert len({q["sha256"] for q in one["queries"]}) == len(one["queries"])
        if one["verdict"] == "proved":
            assert any(set(q["answers"].values()) == {"unsat"} for q in one["queries"]), one["id"]


def test_shapes_fit_data(answers: dict[str, tuple[int, Any]]) -> None:
    """Data and bits are nested as the shape says."""
    for one in obligations(answers):
        for shown in (one["witness"], one["counterexample"]):
            for value in [*shown["inputs"].values(), *shown["outputs"].values()] if shown else []:
                for field in ("data", "bits"):
                    if field in value:
                        assert fits(value[field], value["shape"]), (one["id"], value)


def fits(data: Any, shape: list[int]) -> bool:
    """Whether lists are nested as the shape says."""
    if not shape:
        return not isinstance(data, list)
    return isinstance(data, list) and len(data) == shape[0] and all(fits(part, shape[1:]) for part in data)


def value_problems(made: Any) -> list[str]:
    """What the schema has against a value."""
    one = jsonschema.Draft202012Validator({"$ref": "#/$defs/ValueJson", "$defs": SCHEMA["$defs"]})
    return [e.message for e in one.iter_errors(made)]


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float", "double"])
def test_numbers_that_json_lacks(name: str) -> None:
    """NaN, infinities and the negative zero are strings, all others numbers with the same bits; `bits` is there and in
    full width, whatever the shape."""

    sort = ELEMENT_TYPES[name]
    assert isinstance(sort, FloatSort)
    written = ["nan", "inf", "-inf", "-0.0", "0.0", "1.5", "-2"]
    elements = tuple(floats.parse(sort, text) for text in written)
    least = 1
    made = _tensor(ConcreteTensor(sort, (2, 4), (*elements, least)))
    data = [x for row in made["data"] for x in row]

    assert data[:4] == ["nan", "inf", "-inf", "-0.0"]
    assert [float(x) for x in data[4:7]] == [0.0, 1.5, -2.0]
    assert all(isinstance(x, float) for x in data[4:])
    assert floats.from_float(sort, data[7]) == least
    assert [int(b, 16) for row in made["bits"] for b in row] == [*elements, least]
    assert {len(b) for row in made["bits"] for b in row} == {2 + sort.width // 4}
    assert made["dtype"] == name
    assert not value_problems(made)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    for shape, bits in (((), "0x" + "0" * (sort.width // 4)), ((0,), []), ((2, 0), [[], []])):
        tensor = ConcreteTensor(sort, shape, (0,) if shape == () else ())
        assert _tensor(tensor)["bits"] == bits
        assert not value_problems(_tensor(tensor))


@pytest.mark.parametrize("name", ["int64", "uint64"])
def test_integers_that_doubles_lack(name: str) -> None:
    """Integers beyond 2^53 are decimal strings, others numbers."""

    sort = ELEMENT_TYPES[name]
    big = 2**53
    least = -(2**63) if name == "int64" else 0
    elements = (0, big, big + 1, 2**63 - 1, least, -big if least else 0)
    made = _tensor(ConcreteTensor(sort, (6,), elements))

    assert made["data"] == [e if abs(e) <= big else str(e) for e in elements]
    assert "bits" not in made
    assert not value_problems(made)


def test_integers_of_shapes_and_attributes() -> None:
    """Integers beyond 2^53 are strings wherever they stand: in a shape, a number and an attribute too."""
    from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
    from sonnx_verify.logic.sorts import INT
    from sonnx_verify.results.answer_json import example_json
    from sonnx_verify.results.written import plain
    from sonnx_verify.solving.check.record import ConcreteExample
    from sonnx_verify.solving.check.telling import example_of
    from sonnx_verify.solving.inputs.inputs import Found

    big = 2**53 + 1
    variables = (
        Variable("S", VariableKind.SHAPE, INT, None, 0),
        Variable("k", VariableKind.INT, INT, None, 0),
        Variable("axis", VariableKind.INT, INT, None, 0, role=VariableRole.ATTRIBUTE),
    )
    found = Found({"S": (2, big), "k": big, "axis": big}, {}, True)
    made = plain(example_json(example_of(ConcreteExample(variables, found, "a sentence"))))

    assert made is not None
    assert made["inputs"]["k"]["data"] == str(big)
    assert made["inputs"]["S"]["data"] == [2, str(big)]
    assert made["attributes"] == {"axis": str(big)}


def test_attribute_hides_no_input() -> None:
    """An input is listed also where its name begins with that of an attribute."""
    from sonnx_verify.kernel.variables import Variable, VariableKind, VariableRole
    from sonnx_verify.logic.sorts import INT
    from sonnx_verify.logic.terms import integer
    from sonnx_verify.results.answer_json import example_json
    from sonnx_verify.results.written import plain
    from sonnx_verify.solving.check.record import ConcreteExample
    from sonnx_verify.solving.check.telling import example_of
    from sonnx_verify.solving.inputs.inputs import Found

    variables = (
        Variable("axes", VariableKind.INT, INT, integer(1), 0, role=VariableRole.ATTRIBUTE),
        Variable("axes_given", VariableKind.INT, INT, None, 0),
    )
    found = Found({"axes": (0,), "axes_given": 1}, {}, True)
    made = plain(example_json(example_of(ConcreteExample(variables, found, "a sentence"))))

    assert made is not None
    assert set(made["inputs"]) == {"axes_given"}
    assert made["attributes"] == {"axes": [0]}


def test_facts_that_do_not_hold() -> None:
    """Only facts that do not hold are listed, with false."""

    made = _tensor(ConcreteTensor(ELEMENT_TYPES["int8"], (), (1,), frozenset(["typed", "dense"])))

    assert made == {"dtype": "int8", "shape": [], "data": 1, "facts": {"dense": False, "typed": False}}
    assert not value_problems(made)
