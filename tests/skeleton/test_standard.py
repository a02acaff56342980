"""A text of the standard for every operator of ONNX: it begins with the signature that `transcription` compares."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.language.layout import layout
from sonnx_verify.language.project import Project
from sonnx_verify.language.signatures import Schema
from sonnx_verify.pages.reading.schemas import operators, schema
from sonnx_verify.pages.skeleton.formal import standard_text, why_no_standard
from sonnx_verify.pages.skeleton.signature import signature_of
from sonnx_verify.paths import resolved
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.sources import Source

SOAK = os.environ.get("SONNX_SOAK") == "1"
"""Every text is elaborated, for each choice of types: a job has time for some."""
IMPOSSIBLE = {
    "BatchNormalization", "ConcatFromSequence", "If", "Loop", "Optional", "OptionalGetElement",
    "OptionalHasElement", "RegexFullMatch", "Scan", "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase",
    "SequenceInsert", "SequenceLength", "SequenceMap", "Split", "SplitToSequence", "StringConcat", "StringNormalizer",
    "StringSplit",
}  # fmt: skip  # a table
"""The operators of which some version has a part that a node needs and the language lacks, or one name twice."""


def schemas() -> Iterator[Schema]:
    for operator, versions in operators().items():
        for version in versions:
            found = schema(operator, version)
            assert found is not None
            if not found.deprecated:
                yield found


def begun() -> dict[str, str]:
    """The text of each version that can have one, by the name of the operator and the version."""
    signatures = [signature_of(one, most_sections=None) for one in schemas()]
    return {f"{s.operator}-{s.version}": standard_text(s) for s in signatures if not why_no_standard(s)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def write_out(path: Path, *rules: tuple[str, str]) -> None:
    """Write what the text says is missing."""
    text = path.read_text("utf-8")
    for missing, written in rules:
        assert text.count(missing) == 1, missing
        text = text.replace(missing, written)
    path.write_text(text, "utf-8")


def test_every_text_is_well_formed_and_that_of_onnx(tmp_path: Path) -> None:
    """Names, types and arities fit for every choice of types; types, attributes and arity are those of ONNX, but for
    what the text says is outside the model."""
    texts = begun()
    assert len(texts) > 560
    for number, (name, text) in enumerate(texts.items()):
        if not SOAK and number % 12:
            continue
        path = tmp_path / f"{name}.sonnx"
        project = Project.of_files(tmp_path, [path], {resolved(path): text})
        (unit,) = project.units
        assert unit.error is None, unit.error
        answers = {o.id: o.answer for o in of_unit(project, unit)}
        for kind in ("well-formed", "transcription"):
            identity = f"user.{name}/spec/{kind}"
            answer = answers[identity]
            assert answer is not None
            assert answer.name == "holds", (identity, answer)
        assert layout(Source(name, text)) == text


def test_a_text_that_was_changed_is_another_one(tmp_path: Path) -> None:
    """The test above would see it: each text is compared with its own version."""
    one = schema("Relu", 14)
    assert one is not None
    text = standard_text(signature_of(one))
    assert text.count("int8 ") == 1
    path = tmp_path / "relu.sonnx"
    project = Project.of_files(tmp_path, [path], {resolved(path): text.replace("int8 ", "")})
    (found,) = [o for o in of_unit(project, project.units[0]) if o.id == "user.Relu-14/spec/transcription"]

    assert found.answer is not None
    assert found.answer.name == "violated"
    assert "in ONNX also int8" in found.answer.reason


def test_what_can_have_no_text() -> None:
    """The others have a part that no node can do without, or two of one name."""
    whys = {(one.operator, one.version): why_no_standard(signature_of(one)) for one in schemas()}
    refused = {key: why for key, why in whys.items() if why}

    assert {operator for operator, _ in refused} == IMPOSSIBLE
    assert refused["BatchNormalization", 9] == "ONNX gives one name to two parts: mean, var"
    # The first Split has an input and an attribute of one name; from then on its outputs are a family.
    assert [version for operator, version in refused if operator == "Split"] == [1]
    assert refused["If", 25].endswith("the attribute else_branch is a graph; the attribute then_branch is a graph")
    assert ("Constant", 1) not in refused
    assert ("Constant", 12) not in refused


def test_begun_and_written_out(here: Path) -> None:
    """From the first texts of the standard and the profile to a proof that the one allows the other, beside types that
    the language lacks."""
    (here / "spec").mkdir()
    status, said = run("new", "Identity", "--since", "13", "--standard")
    standard = here / "spec" / "onnx" / "identity" / "identity.sonnx"
    assert status == 0, said
    assert "sonnx-verify check spec/onnx/identity/identity.sonnx" in said
    status, said = run("check", "spec/onnx/identity/identity.sonnx", "--verbose", "--no-cache")
    assert status == 1
    assert "holds       onnx.Identity-13/spec/transcription" in said
    assert {line.split()[1] for line in said.splitlines() if line.startswith("violated  ")} == {
        f"onnx.Identity-13.{family}/output/total" for family in ("int", "float", "bool")
    }
    write_out(
        standard,
        ("-- shape output = ...", "shape output = input.shape"),
        ("-- value output[i] = ...", "value output[i] = input[i]"),
    )
    assert run("new", "Identity", "--since", "13")[0] == 0
    write_out(
        here / "spec" / "sonnx" / "identity" / "identity.sonnx",
        ("-- shape output = ...", "shape output = input.shape"),
        ("-- value output[i] = ...", "value output[i] = input[i]"),
    )
    status, said = run("check", "spec", "--verbose", "--no-cache")

    assert status == 0, said
    assert "proved      sonnx.Identity-13.float/spec/refines" in said
    assert "unsupported onnx.Identity-13.int/R1/satisfiable" in said


def test_a_folder_and_a_version(here: Path) -> None:
    assert run("new", "Clip", "--standard", "--since", "6", "--out", "texts")[0] == 0
    text = (here / "texts" / "clip.sonnx").read_text("utf-8")
    assert "operator Clip version 6 standard" in text
    assert text.count("attribute ") == 2
    assert ": float default (-340282" in text
    assert not list(here.rglob("*.md"))


MISTAKES = {
    ("If",): "If version 25 can have no formal text of the standard: the language has no form for all of it: the",
    ("Relu", "--since", "7"): "its versions are 1, 6, 13, 14",
    ("Upsample",): "is deprecated from version 10 on",
    ("Relu",): "relu.sonnx already exists",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes(words: tuple[str, ...], here: Path) -> None:
    (here / "relu.sonnx").write_text("mine", "utf-8")
    status, said = run("new", "--standard", *words)

    assert status == 2, said
    assert MISTAKES[words] in said, said
    assert [path.name for path in here.iterdir()] == ["relu.sonnx"]
    assert (here / "relu.sonnx").read_text("utf-8") == "mine"


def test_attributes_that_exclude_each_other(here: Path) -> None:
    """Every attribute of Constant has to be explicit, and a node has one of them: a profile that asks for more than one
    asks for what no node can meet."""
    assert run("new", "Constant")[0] == 0
    general = ("check", "user.Constant-25.long/GR4/general", "--no-cache", "--verbose")
    status, said = run(*general, "constant.sonnx")
    assert "proved      user.Constant-25.long/GR4/general" in said, said
    path = here / "constant.sonnx"
    text = path.read_text("utf-8")
    path.write_text(re.sub(r"\)\s+or given\(", ") and given(", text), "utf-8")
    status, said = run(*general, "constant.sonnx")

    assert status == 1
    assert "refuted     user.Constant-25.long/GR4/general" in said, said
    assert (
        "violated: where every attribute is given, of value, value_float, value_floats, value_int, value_ints, "
        "value_string, value_strings exactly one, the restrictions from GR4 hold"
    ) in said
    page = (here / "constant.md").read_text("utf-8")
    assert "**Open question** (exactly one of sparse_value, value, value_float" in page


def test_exactly_one_is_as_good_as_one(here: Path) -> None:
    """ONNX takes no second one: whether the restriction says so too makes no difference."""
    assert run("new", "Constant")[0] == 0
    names = ("value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings")
    write_out(
        here / "constant.sonnx",
        (
            "\n    or ".join(f"given({name})" for name in names),
            " + ".join(f"(if given({name}) then 1 else 0)" for name in names) + " = 1",
        ),
    )
    said = run("check", "user.Constant-25.long/GR4/general", "--no-cache", "--verbose", "constant.sonnx")[1]

    assert "proved      user.Constant-25.long/GR4/general" in said, said


def test_attributes_of_other_names_exclude_each_other(here: Path) -> None:
    """By the names that the `refines` line says they have in ONNX, at the version that it names."""
    (here / "spec").mkdir()
    assert run("new", "Constant", "--standard", "--since", "13")[0] == 0
    assert run("new", "Constant", "--since", "13")[0] == 0
    path = here / "spec" / "sonnx" / "constant" / "constant.sonnx"
    write_out(
        path,
        ("operator Constant version 13 profile", "operator Number version 1 profile"),
        ("attribute value_int ", "attribute number "),
        ("value_int = value_int", "number = value_int"),
        ("given(value_int)", "given(number)"),
        ('  page "constant.md"\n', ""),
    )
    general = ("check", "sonnx.Number-1.int/GR4/general", "--no-cache", "--verbose")
    assert "proved      sonnx.Number-1.int/GR4/general" in run(*general)[1]
    path.write_text(re.sub(r"\)\s+or given\(", ") and given(", path.read_text("utf-8")), "utf-8")
    said = run(*general)[1]

    assert "refuted     sonnx.Number-1.int/GR4/general" in said
    assert "of value, value_float, value_floats, number, value_ints, value_string, value_strings exactly one" in said


def test_the_standard_says_that_attributes_exclude_each_other(here: Path) -> None:
    """As a constraint, which counts those that are given."""
    assert run("new", "Constant", "--standard")[0] == 0
    write_out(
        here / "constant.sonnx",
        ("-- shape output = ...", "shape output = shape (k in 0 .. -1 -> 0)"),
        ("-- value output[i] = ...", "value output[i] = T(0)"),
        ("types bool      = bool\n", ""),
    )
    given = {"value_int": "value_int=1", "value_float": "value_float=1.0"}
    for names, valid in ((["value_int"], True), (["value_float"], True), ([], False), (list(given), False)):
        words = [word for name in names for word in ("--attr", given[name])]
        said = run("eval", "user.Constant-25", *words, "--why")[1]
        assert ("[C1] fails" not in said) == valid, said
