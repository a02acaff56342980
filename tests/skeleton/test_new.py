"""The command: what it writes where, what it refuses, and that nothing a user wrote is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.language.in_force import Row, Versions
from sonnx_verify.language.parser import parse
from sonnx_verify.language.signatures import Attribute, Option, Parameter, Schema
from sonnx_verify.pages.lint.rules import findings_of
from sonnx_verify.pages.reading.read import page_from, read_page
from sonnx_verify.pages.reading.schemas import schema
from sonnx_verify.pages.skeleton.files import schema_of, write_new
from sonnx_verify.pages.skeleton.formal import formal_text, why_no_text
from sonnx_verify.pages.skeleton.page import page_text
from sonnx_verify.pages.skeleton.signature import signature_of
from sonnx_verify.pages.skeleton.versions import earlier_versions
from sonnx_verify.sources import Source

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_pair_can_be_linted_and_checked(here: Path) -> None:
    """What is open is told by lint; what is not written, as a finding of each section, by check. Nothing is proved of
    what is not there."""
    status, said = run("new", "Softplus")
    assert (status, files(here)) == (0, ["softplus.md", "softplus.sonnx"]), said
    assert "sonnx-verify page lint softplus.md" in said
    assert "sonnx-verify check softplus.sonnx" in said
    status, said = run("page", "lint", "softplus.md")
    assert status == 1
    assert "[question-open]" in said
    assert ": error:" not in said
    status, said = run("check", "softplus.sonnx", "--verbose", "--no-cache")
    assert status == 1
    assert "violated    user.Softplus-22.float/Y/total  (no clause gives the shape and value of `Y`)" in said
    assert {line.split()[1].split("/", 1)[1] for line in said.splitlines() if line.startswith("violated  ")} == {
        "Y/total"
    }
    assert "determined" not in said
    assert "refines" not in said  # ONNX's Softplus has no text that it could refine


def test_written_out_the_pair_holds(here: Path) -> None:
    """From the first text to a checked one, by the lines that the text itself says are missing."""
    run("new", "Relu")
    path = here / "relu.sonnx"
    text = path.read_text("utf-8").replace("-- shape Y = ...", "shape Y = X.shape")
    path.write_text(text.replace("-- value Y[i] = ...", "value Y[i] = if X[i] < T(0) then T(0) else X[i]"), "utf-8")
    status, said = run("check", "relu.sonnx")

    assert status == 0, said
    assert "no surprises" in said, said


def test_in_a_project(here: Path) -> None:
    """Below spec/, with a link to the general restrictions; with `refines` where the standard is known."""
    (here / "spec" / "common").mkdir(parents=True)
    general = (ROOT / "spec" / "common" / "general_restrictions.sonnx").read_bytes()
    (here / "spec" / "common" / "general_restrictions.sonnx").write_bytes(general)
    assert run("new", "ReduceMax")[0] == 0
    page = here / "spec" / "sonnx" / "reducemax" / "reducemax.md"
    assert "[GR1](../../common/general_restrictions.sonnx)" in page.read_text("utf-8")
    assert {f.rule for f in findings_of(read_page(page))} == {"question-open"}
    file = parse(Source("a", page.with_suffix(".sonnx").read_text("utf-8")))
    assert file.refines is not None
    assert (file.refines.operator, file.refines.version) == ("ReduceMax", 20)
    assert run("new", "Relu", "--out", "elsewhere/deep")[0] == 0
    assert (here / "elsewhere/deep/relu.md").is_file()


@pytest.mark.parametrize("there", ["relu.md", "relu.sonnx"])
def test_nothing_is_overwritten(there: str, here: Path) -> None:
    (here / there).write_text("mine", "utf-8")
    status, said = run("new", "Relu")

    assert status == 2
    assert f"{there} already exists" in said
    assert files(here) == [there]
    assert (here / there).read_text("utf-8") == "mine"


def test_a_link_to_nowhere_is_there_too(here: Path) -> None:
    (here / "relu.sonnx").symlink_to("mine.sonnx")

    assert run("new", "Relu")[0] == 2
    assert files(here) == []


def test_what_comes_in_between_is_not_touched(here: Path) -> None:
    """The second file cannot be made, as where a folder has its name: then there is no first one either."""
    with pytest.raises(Exception, match="cannot write"):
        write_new(here, {"a.md": "a", "none/there.sonnx": "b"})

    assert files(here) == []


def test_a_folder_that_cannot_be_written_to(here: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")  # permission is what is tested
    here.chmod(0o500)
    try:
        status, said = run("new", "Relu")
    finally:
        here.chmod(0o700)
    assert status == 2
    assert "nothing can be written" in said
    assert files(here) == []


MISTAKES = {
    ("Rleu",): "did you mean Relu",
    ("relu",): "did you mean Relu",
    ("../x",): "ONNX has no operator `../x`",
    ("",): "an empty name",
    ("x" * 5000,): "x...`",
    ("a\nb",): "ONNX has no operator",
    ("Relu", "--since", "7"): "its versions are 1, 6, 13, 14",
    ("Relu", "--since", "0"): "Invalid value",
    ("Upsample",): "name an earlier version with --since: 1, 7, 9",
    ("Upsample", "--since", "10"): "is deprecated from version 10 on",
    ("Relu", "--out", "file"): "cannot write to file",
    ("Relu", "--out", "file/below"): "cannot write to file/below",
    ("Relu", "--out", "\0"): "cannot contain a NUL character",
    (): "Missing argument",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes(words: tuple[str, ...], here: Path) -> None:
    (here / "file").write_text("mine", "utf-8")
    status, said = run("new", *words)

    assert status == 2, said
    assert MISTAKES[words] in said, said
    assert files(here) == ["file"]


def test_without_a_formal_text(here: Path) -> None:
    """An output that the language has no form for: the page says so, and so does the command."""
    status, said = run("new", "SequenceEmpty")

    assert (status, files(here)) == (0, ["sequenceempty.md"])
    assert "wrote no formal text: the language has no form for its output: output is a sequence" in said
    assert "**Open question** (formal text)" in (here / "sequenceempty.md").read_text("utf-8")


ODD = Schema(
    "Odd", 3, False, {"T1": ("float", "int8"), "T": ("int32", "int64", "string"), "S": ("seq(tensor(float))",)},
    (
        Parameter("input", "T1", Option.SINGLE), Parameter("R1", "T", Option.OPTIONAL),
        Parameter("s", "S", Option.SINGLE),
        Parameter("X", "T1", Option.VARIADIC),
    ),
    (Parameter("input", "T1", Option.SINGLE), Parameter("shape", "T", Option.OPTIONAL)),
    (2, None, 1, 2),
    (
        Attribute("axes", "ints", False, [0, -1]), Attribute("input", "string", True, None),
        Attribute("alpha", "float", False, -1e-05), Attribute("g", "graph", True, None),
    ),
)  # fmt: skip  # a table


def test_a_signature_with_all_that_is_odd() -> None:
    """Words of the language, one name three times, a tag as a name, T as another variable: all by the schema alone."""
    signature = signature_of(ODD)
    text = formal_text(signature, refines=True)
    file = parse(Source("odd", text))

    assert [d.name for d in file.inputs] == ["input", "input_R1", "X"]
    assert [d.name for d in file.attributes] == ["axes", "input_attribute", "alpha"]
    assert [d.name for d in file.outputs] == ["input_output", "shape"]
    assert file.types == {"int": ["int8"], "float": ["float"], "int of T_": ["int32", "int64"]}
    assert "default [0, -1]" in text
    assert "default (-0.00001)" in text
    assert "where -1 <= L < 2^31 - 4" in text
    assert [c.tag for c in file.clauses if c.body is None] == ["R4", "R5"]
    assert why_no_text(signature) == ""
    found = findings_of(page_from("odd.md", page_text(signature, "").encode()))
    assert {f.rule for f in found} == {"question-open", "operator-unknown"}


def test_a_pair_as_it_is_written() -> None:
    """Golden: both texts of an operator with a family of inputs. `SONNX_REWRITE_GOLDEN=1` writes it."""
    found = schema("Concat", 13)
    assert found is not None
    signature = signature_of(found)
    made = page_text(signature, "general.sonnx") + "\n----\n\n" + formal_text(signature, refines=False)
    golden = Path(__file__).with_name("concat.txt")
    if os.environ.get("SONNX_REWRITE_GOLDEN") == "1":
        golden.write_text(made, "utf-8")

    assert made == golden.read_text("utf-8")


def test_the_questions_that_every_page_decides() -> None:
    """Each kind of thing asks what has to be decided of it; nothing is asked of what is not there."""
    text = page_text(signature_of(ODD), "")
    for asked in (
        "size 0", "rank 0", "broadcasting", "NaN", "infinities", "signed zeros", "overflow", "implicit conversion, GR3",
        "default values, GR4", "types", "negative entries of axes", "duplicates in axes", "axes empty", "number of X",
        "attribute g", "input s", "R1 left out", "one result", "errors", "examples", "alpha", "the standard",
    ):  # fmt: skip  # a table
        assert f"**Open question** ({asked})" in text, asked
    one = (Parameter("X", "T", Option.SINGLE),)
    plain = Schema("Plain", 1, False, {"T": ("bool",)}, one, (Parameter("Y", "T", Option.SINGLE),), (1, 1, 1, 1), ())
    text = page_text(signature_of(plain), "")
    for absent in ("NaN", "broadcasting", "GR4", "overflow", "negative entries"):
        assert absent not in text


def test_the_folders_of_an_operator_of_the_profile(here: Path) -> None:
    """With the standard where none is known, and what comes next; nothing that is there is touched."""
    status, said = run("new", "Softplus", "--profile")
    assert status == 0, said
    made = [
        "spec/onnx/softplus/softplus.sonnx",
        "spec/onnx/softplus/versions.toml",
        "spec/sonnx/softplus/softplus.md",
        "spec/sonnx/softplus/softplus.sonnx",
    ]
    assert files(here) == made
    assert "refines onnx Softplus" in Path(made[3]).read_text("utf-8")
    assert said.splitlines()[-1] == "  sonnx-verify record Softplus"
    assert "wrote spec/onnx/softplus/versions.toml: a row for each earlier version, to be decided" in said
    assert run("new", "Softplus", "--profile")[0] == 2

    # The library has its standard.
    assert run("new", "Relu", "--profile")[0] == 0
    assert files(here / "spec" / "onnx") == ["softplus/softplus.sonnx", "softplus/versions.toml"]


def test_versions_that_are_planned_stay(here: Path) -> None:
    """An operator to come may have its table already: which versions get a text is decided there."""
    table = here / "spec" / "onnx" / "softplus" / "versions.toml"
    table.parent.mkdir(parents=True)
    table.write_text("[Softplus]\nplanned = [22, 1]\n", "utf-8")
    status, said = run("new", "Softplus", "--profile")
    assert status == 0, said
    assert table.read_text("utf-8") == "[Softplus]\nplanned = [22, 1]\n"
    assert "versions.toml" not in said


def test_a_page_of_the_profile_quotes_its_text(here: Path) -> None:
    """Nothing of the text is repeated by hand: what the marks ask for stands between them, and is renewed with it."""
    assert run("new", "CumSum", "--profile")[0] == 0
    page, text = (here / "spec" / "sonnx" / "cumsum" / f"cumsum.{ending}" for ending in ("md", "sonnx"))
    assert run("page", "render", page.as_posix(), "--check")[0] == 0
    assert "The formal text gives no value." in page.read_text("utf-8")
    text.write_text(text.read_text("utf-8") + "shape y = x.shape\nvalue y[i] = x[i]\n", "utf-8")
    assert run("page", "render", page.as_posix(), "--check")[0] == 1
    assert run("page", "render", page.as_posix(), "--write")[0] == 0
    assert "y[i] = x[i]" in page.read_text("utf-8")
    assert "gives no value" not in page.read_text("utf-8")


def test_no_row_of_a_version_counts_until_somebody_says_so(here: Path) -> None:
    """Its types are known; that it means the same is for a person to read. Without the marks the row is one."""
    assert run("new", "CumSum", "--profile")[0] == 0
    table = here / "spec" / "onnx" / "cumsum" / "versions.toml"
    assert Versions([table]).rows == {}
    head, row = table.read_text("utf-8").split("\n\n")
    table.write_text(row.replace("# ", ""), "utf-8")
    assert Versions([table]).rows == {("CumSum", 11): Row(14, without={"T": ("bfloat16", "float16")})}

    pad = earlier_versions(schema_of("Pad", 13), [schema_of("Pad", one) for one in (1, 2, 11)])
    assert [line for line in pad.splitlines() if line.startswith("# [")] == ["# [Pad.11]", "# [Pad.2]", "# [Pad.1]"]
    assert '# types.T = ["double", "float", "float16"]\n# there is no input pads there\n' in pad
    assert "# there is an attribute paddings too\n" in pad
    assert earlier_versions(schema_of("Pad", 1), []) == ""


@pytest.mark.parametrize("other", [["--standard"], ["--out", "x"]])
def test_the_profile_has_its_place(here: Path, other: list[str]) -> None:
    status, said = run("new", "Softplus", "--profile", *other)
    assert (status, files(here)) == (2, [])
    assert "--profile" in said
