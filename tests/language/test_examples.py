"""Examples in texts: what is decided of them, what is refused, and that they change nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_verify.cli import main
from sonnx_verify.errors import UserError
from sonnx_verify.language.layout import layout
from sonnx_verify.language.project import Project
from sonnx_verify.results.example import example_lines
from sonnx_verify.results.kinds import Kind
from sonnx_verify.solving.check.collect import of_unit
from sonnx_verify.solving.check.hashes import statement_hash
from sonnx_verify.solving.check.mistakes import mistakes_of
from sonnx_verify.solving.check.run import run
from sonnx_verify.solving.check.telling import example_of
from sonnx_verify.solving.check.work import Work
from sonnx_verify.solving.inputs.found import searched
from sonnx_verify.solving.inputs.inputs import Found
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source

ROOT = Path(__file__).resolve().parents[2]
TEXT = """\
use broadcast
use orders

operator Most version 1 user

types int      = int8 int16
types float    = float16 float
types int of I = int32 int64

fact dense of tensor "every element is stored"

input              X[0 .. L] : tensor of T where 0 <= L < 3
optional input     W         : tensor of I
attribute          axis      : int default 1
optional attribute pads      : ints
attribute          alpha     : float default 0.1
attribute          mode      : string default "A"
output             Y         : tensor of T
optional output    Z         : tensor of bool

[R1] restriction "all is stored"              : for all m in 0 .. L : X[m] is dense
[C1] constraint  "the inputs broadcast"       : broadcastable(shapes(X))
[C2] constraint  "an axis of the first input" : 0 <= axis <= rank(X[0])
[E1] error       "they do not broadcast"      : when C1 fails
[E2] error       "no such axis"               : when C2 fails

shape Y    = common_shape(shapes(X))
value Y[i] = maximum { broadcast(X)[m][i] | m in 0 .. L }
shape Z    = X[0].shape
value Z[i] = X[0][i] = X[0][i]

"""
TWO = "X0 = int8 (2) [1, 2]"
APART = f"{TWO} X1 = int8 (3) [1, 2, 3]"


def collected(folder: Path, text: str) -> dict[str, tuple[str, str]]:
    """The verdict and reason of each example of a text, by its name and section."""
    (folder / "most.sonnx").write_text(text, "utf-8")
    project = Project.open(folder)
    found: dict[str, tuple[str, str]] = {}
    for unit in project.units:
        if unit.error is not None:
            raise unit.error
        for one in of_unit(project, unit):
            if one.kind is Kind.EXAMPLE:
                assert one.answer is not None
                found[one.id.removeprefix("user.").removesuffix("/example")] = one.answer.name, one.answer.reason
    return found


JUDGED = [
    (f"{TWO} Y = int8 (2) [1, 2]", "holds", ""),
    (f"{TWO} Y = int8 [1, 2]", "holds", ""),
    (f"{TWO} X1 = int8 () 2 Y = int8 (2) [2, 2] Z = bool (2) [true, true]", "holds", ""),
    ("X0 = int8 (0, 9) [] axis = 0 Y = int8 (0, 9) [] Z = not asked for", "holds", ""),
    (f'{TWO} W = int64 () 5 pads = [1, -1] alpha = float 0.5 mode = "B" axis = 1 Y = int8 (2) [1, 2]', "holds", ""),
    (f"{TWO} axis = not given, so 1 pads = not given Y = int8 (2) [1, 2]", "holds", ""),
    ("X0 = float (2) [nan, 0] X1 = float () -0.0 Y = float (2) [nan, 0]", "holds", ""),
    ("X0 = float (2) [nan, 0] X1 = float () -0.0 Y = float (2) [nan, -0.0]", "refuted", "Y = float (2) [nan, 0]"),
    ("X0 = float (1) [nan] Y = float (1) [0]", "refuted", "Y = float (1) [nan]"),
    ("X0 = float (1) [0] Y = float (1) [nan]", "refuted", "Y = float (1) [0]"),
    (f"{TWO} Y = int8 (2) [1, 3]", "refuted", "the text gives Y = int8 (2) [1, 2]"),
    (f"{TWO} Y = int8 (1, 2) [[1, 2]]", "refuted", "the text gives Y = int8 (2) [1, 2]"),
    (f"{TWO} Y = int8 [1, 2] Z = bool [true, false]", "refuted", "the text gives Z = bool (2) [true, true]"),
    (f"X0 = int8 {[1] * 99} Y = int8 {[1] * 98 + [0]}", "refuted", "the text gives Y[98] = int8 1"),
    (f"{APART} Y = int8 (3) [1, 2, 3]", "refuted", 'C1, "the inputs broadcast", refuses it'),
    (f"{TWO}, not dense Y = int8 (2) [1, 2]", "refuted", 'R1, "all is stored", refuses it'),
    (
        "X0 = int8 () 1 X1 = int8 () 1 X2 = int8 () 1 X3 = int8 () 1 axis = 0 Y = int8 () 1",
        "refuted",
        "`X` is not as",
    ),
    (f"{APART} axis = 9 refused by C1", "holds", ""),
    (f"{APART} axis = 9 refused by E1", "holds", ""),
    (f"{APART} axis = 9 refused by C2", "refuted", "C1, "),
    (f"{APART} axis = 9 refused by E2", "refuted", "E1, "),
    (f"{TWO} axis = 9 refused by C2", "holds", ""),
    (f"{TWO}, not dense axis = 9 refused by R1", "holds", ""),
    (f"{TWO}, not dense axis = 9 refused by C2", "refuted", "R1, "),
    (f"{TWO}, not dense axis = 9 refused by E2", "refuted", "R1, "),
    (f"{TWO} Y = int8 (2) [1, 3] does not conform", "holds", ""),
    (f"{TWO} Y = int8 (1, 2) [[1, 2]] does not conform", "holds", ""),
    (f"{TWO} Y = int8 [1, 2] Z = bool [true, false] does not conform", "holds", ""),
    (f"{TWO} Y = int8 (2) [1, 2] does not conform", "refuted", "the text allows these outputs"),
    (f"{APART} Y = int8 (3) [1, 2, 4] does not conform", "refuted", 'C1, "the inputs broadcast", refuses it'),
    (f"{TWO} refused by C1", "refuted", "holds of it"),
    (f"{TWO} refused by E1", "refuted", "does not apply"),
    ("X0 = int8 [1, 200] Y = int8 [1, 2]", "refuted", "200 is not a value of type int8"),
    ("X0 = int8 [1, 127] Y = int8 [1, 128]", "refuted", "128 is not a value of type int8"),
    ("X0 = int8 [1, 2.5] Y = int8 [1, 2]", "refuted", "2.5 is not a value of type int8"),
    ("X0 = int8 [1, true] Y = int8 [1, 2]", "refuted", "true is not a value of type int8"),
    ("X0 = float16 [65520] Y = float16 [inf]", "refuted", "65520 is not a value of type float16"),
    ("X0 = float [1] alpha = -1e39 Y = float [1]", "refuted", "-1e39 is not a value of type float"),
    ("X0 = int8 [1, 200] axis = 9 refused by C2", "refuted", "200 is not a value of type int8"),
    ("X0 = int8 [1, 200] Y = int8 (2) [1, 3] does not conform", "refuted", "200 is not a value of type int8"),
    (f"{TWO} axis = {2**63} Y = int8 [1, 2]", "refuted", "is not a value of type int"),
    (f"{TWO} mode = 3 Y = int8 [1, 2]", "refuted", "3 is not a value of type string"),
]

"""The entries of an example, its verdict, and some of the reason."""


def test_the_evaluator_decides(tmp_path: Path) -> None:
    """All in one text: each by itself, whatever the others are."""
    blocks = [f"example of_{n} {entries}\n" for n, (entries, _, _) in enumerate(JUDGED)]
    found = collected(tmp_path, TEXT + "".join(blocks)).values()

    assert [(entries, verdict) for (entries, _, _), (verdict, _) in zip(JUDGED, found, strict=True)] == [
        (entries, verdict) for entries, verdict, _ in JUDGED
    ]
    assert [reason for (_, _, reason), (_, told) in zip(JUDGED, found, strict=True) if reason not in told] == []


def test_a_shape_that_no_tensor_has(tmp_path: Path) -> None:
    """A text that gives a negative size has no output to show."""
    text = TEXT.replace("shape Y    = common_shape(shapes(X))", "shape Y    = shape (k in 0 .. 1 -> k - 1)")
    found = collected(tmp_path, f"{text}example one {TWO} Y = int8 (2) [1, 2]")

    ((verdict, reason),) = found.values()
    assert (verdict, reason.partition(":")[0]) == ("refuted", "the text does not allow these outputs")


@pytest.mark.parametrize(
    ("block", "place", "message"),
    [
        ("example one X0 = int8 (3) [1, 2] Y = int8 [1, 2]", "X0", "the shape is (3), but axis 0 has 2 items"),
        ("example one X0 = int8 (2, 1) [1, 2] Y = int8 [1, 2]", "X0", "axis 1 has a single value"),
        ("example one X0 = int8 (1) [[1]] Y = int8 [1]", "X0", "the lists are nested more deeply"),
        ("example one X0 = int8 [[1], [2, 3]] Y = int8 [1]", "X0", "axis 1 has 2 items"),
        (f"example one X0 = int8 {[1] * 1025} Y = int8 [1]", "X0", "at most 1024 values"),
        (f"example one for float {TWO} Y = int8 [1, 2]", "X0", "no section for float of this text has T = int8"),
        (f"example one for real {TWO} Y = int8 [1, 2]", "one", "there is no line `types real`"),
        (f"example one {TWO} Y = int16 [1, 2]", "Y", "both hold elements of T"),
        ("example one X0 = double [1] Y = double [1]", "X0", "T is never double here"),
        (f"example one {TWO} W = int8 () 1 Y = int8 [1, 2]", "W", "I is never int8 here"),
        (f"example one {TWO} X2 = int8 () 1 Y = int8 [1, 2]", "X2", "`X2` is not an input, attribute or output"),
        (f"example one {TWO} data = int8 () 1 Y = int8 [1, 2]", "data", "`data` is not an input"),
        (f"example one {TWO} L = 0 Y = int8 [1, 2]", "L", "`L` is not an input"),
        (f"example one {TWO} {TWO} Y = int8 [1, 2]", "X0", "`X0` is given twice"),
        (f"example one {TWO} axis = 9 refused by C2 example one {TWO} refused by C1", "one", "is defined twice"),
        (f"example C1 {TWO} Y = int8 [1, 2]", "C1", "`C1` names another part of the text"),
        (f"example Y {TWO} Y = int8 [1, 2]", "Y", "`Y` names another part of the text"),
        ("example one Y = int8 [1, 2]", "one", "does not give the input `X0`"),
        (f"example one {TWO}", "one", "does not give the output `Y`"),
        (f"example one {TWO} Y = not asked for", "Y", "the output `Y` is not optional"),
        (f"example one {TWO} W = not asked for Y = int8 [1, 2]", "W", "`W` is not an output"),
        (f"example one {TWO} axis = not given, so 2 Y = int8 [1, 2]", "axis", "not the default of `axis`"),
        (f"example one {TWO} axis = int8 () 1 Y = int8 [1, 2]", "axis", "is an attribute, not a tensor"),
        (f"example one {TWO} axis = [1] Y = int8 [1, 2]", "axis", "found a list"),
        (f"example one {TWO} pads = 1 Y = int8 [1, 2]", "pads", "expected a list"),
        (f"example one {TWO}, not shaped Y = int8 [1, 2]", "X0", "`shaped` is not a fact about this tensor"),
        (f"example one {TWO} refused by C9", "C9", "no clause `C9` can refuse an input"),
        (f"example one {TWO} Y = int8 [1, 2] refused by C1", "Y", "has the output `Y` and is refused by C1"),
    ],
)
def test_what_fits_no_declaration_is_an_error(block: str, place: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        collected(tmp_path, f"{TEXT}{block}\n")

    assert message in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.text == place
    assert caught.value.cure


def test_what_rounds_to_the_greatest_is_a_value(tmp_path: Path) -> None:
    """An infinity is written as one; a decimal is rounded as long as it does not become one."""
    found = collected(tmp_path, f"{TEXT}example one X0 = float16 [65519, -inf] Y = float16 [65504, -inf]")

    assert [verdict for verdict, _ in found.values()] == ["holds"]


def test_a_mistake_in_an_example_hides_no_other(tmp_path: Path) -> None:
    text = f"{TEXT}example one {TWO} Y = int8 (3) [1, 2]\nexample two X0 = int8 [] axis = 0 refused by C9\n"
    (tmp_path / "most.sonnx").write_text(text, "utf-8")
    project = Project.open(tmp_path)
    with pytest.raises(UserError) as caught:
        of_unit(project, project.units[0])

    messages = [str(mistake) for mistake in mistakes_of(project, project.units[0], caught.value)]
    assert project.units[0].file is not None
    assert [example.name for example in project.units[0].file.examples] == ["one", "two"]
    assert [("(3)" in m, "C9" in m) for m in messages] == [(True, False), (False, True)]


def test_the_finding_shows_the_place_the_cause_and_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f'{TEXT}example one "an output too large"\n  {TWO}\n  Y  = int8 (2) [1, 3]\n'
    (tmp_path / "most.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "--no-cache", "user.Most-1.int-int32/one/example"])

    assert done.exit_code == 1
    assert done.stdout.startswith(
        """\
refuted user.Most-1.int-int32/one/example
  most.sonnx:34:3
   34 |   Y  = int8 (2) [1, 3]
          ^
  example: an output too large
  the text gives Y = int8 (2) [1, 2]: correct the example, or the text
"""
    )


def test_an_element_that_its_type_lacks_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands at its place, and the rest of the file is checked, other examples too."""
    text = f"{TEXT}example one\n  {TWO}\n  Y  = int8 (2) [1, 300]\nexample two {TWO} Y = int8 (2) [1, 2]\n"
    (tmp_path / "most.sonnx").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "--no-cache", "user.Most-1.int-int32/*/example"])

    assert (done.exit_code, done.stderr) == (1, "")
    assert "most.sonnx:34:3\n   34 |   Y  = int8 (2) [1, 300]\n" in done.stdout
    assert "\n  300 is not a value of type int8: correct the example, or the text\n" in done.stdout
    assert "2 obligations: 1 holds, 1 refuted\n" in done.stdout


NAMED = """\
operator Named version 1 user

types int = int8

input     example : tensor of T
attribute refused : int default 1
attribute so      : int default 1
output    asked   : tensor of T

shape asked    = example.shape
value asked[i] = again(example[i])

define again(x : T) : T for int = x

example example "a name like any other"
  example = int8 (1) [1]
  refused = 2
  so      = not given
  asked   = int8 (1) [1]

example refused for int
  example = int8 (0) []
  asked   = int8 (0) []
"""


def test_the_words_of_an_example_are_names_elsewhere(tmp_path: Path) -> None:
    text = NAMED.replace("again", "example")
    assert layout(Source("named.sonnx", text)) == text

    assert [verdict for verdict, _ in collected(tmp_path, text).values()] == ["holds", "holds"]


def test_an_example_keeps_its_comments_and_has_one_layout() -> None:
    ragged = (
        f"{TEXT}-- above\nexample one for int 'title' X0=int8(2)[1,2],not dense -- behind\n -- between\n"
        "  axis = not given,so 1  Z = not asked for  refused   by  R1\n"
    ).replace("'", '"')

    assert layout(Source("most.sonnx", ragged)).partition("-- above\n")[2] == (
        'example one for int "title"\n'
        "  X0   = int8 (2) [1, 2], not dense  -- behind\n"
        "  -- between\n"
        "  axis = not given, so 1\n"
        "  Z    = not asked for\n"
        "  refused by R1\n"
    )


def test_an_example_is_in_no_other_statement(tmp_path: Path) -> None:
    """Hashes of all other obligations are the same with an example, with another one, and with none."""
    made = []
    for block in ("", f"example one {TWO} Y = int8 [1, 2]\n", f"example two {TWO} axis = 9 refused by C2\n"):
        (tmp_path / "most.sonnx").write_text(TEXT + block, "utf-8")
        project = Project.open(tmp_path)
        obligations = of_unit(project, project.units[0])
        made.append({o.id: statement_hash(Work(o)) for o in obligations if o.answer is None})
    first, *others = made

    assert len(first) > 20
    assert others == [first, first]


OPEN = """\
operator Open version 1 user

types real = real

input     X[1 .. N] : tensor of T where N >= 1
attribute k         : int default 0
output    Y         : tensor of T

unspecified outcome when k = 1
unspecified value Y[i] when X[N][i] < T(0)

shape Y    = X[N].shape
value Y[i] = X[N][i]

"""


@pytest.mark.parametrize(
    ("entries", "verdict"),
    [
        ("X1 = real [0] X2 = real (2) [-1, 1/3] Y = real (2) [77, 1/3]", "holds"),
        ("X1 = real [0] X2 = real (2) [-1, 1/3] Y = real (2) [77, 0.3333333333]", "refuted"),
        ("X1 = real [0] X2 = real (2) [-1, 1/3] Y = real (1) [77]", "refuted"),
        ("X1 = real (2) [-1, 1/3] k = 1 Y = real (1) [5]", "holds"),
    ],
)
def test_what_a_text_leaves_open_may_be_anything(entries: str, verdict: str, tmp_path: Path) -> None:
    assert collected(tmp_path, f"{OPEN}example one {entries}\n")["Open-1.real/one"][0] == verdict


VERSIONS = """\
operator Pick version 1 user

types int = int8 int16

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]

example same
  X = int8 (1) [3]
  Y = int8 (1) [3]

version 2
replace value Y[i] = X[i] + X[i]
"""


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        ("", {"Pick-1.int/same": "holds", "Pick-2.int/same": "refuted"}),
        ("remove example same\n", {"Pick-1.int/same": "holds"}),
        (
            "replace example same X = int8 (1) [3] Y = int8 (1) [6]\n",
            {"Pick-1.int/same": "holds", "Pick-2.int/same": "holds"},
        ),
        (
            "remove example same\nadd example wraps X = int8 (1) [127] Y = int8 (1) [-2]\n",
            {"Pick-1.int/same": "holds", "Pick-2.int/wraps": "holds"},
        ),
    ],
)
def test_a_version_has_the_examples_of_the_one_before(change: str, verdicts: dict[str, str], tmp_path: Path) -> None:
    found = collected(tmp_path, VERSIONS + change)

    assert {name: verdict for name, (verdict, _) in found.items()} == verdicts


def test_an_example_of_types_that_are_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"in version 2: T is never int8 here"):
        collected(tmp_path, VERSIONS + "remove types int = int8\n")


def test_what_is_printed_can_be_pasted(tmp_path: Path) -> None:
    """A witness that a clause of ReduceMax alone rejects is an example that this clause refuses."""
    project = Project.open(ROOT)
    (unit,) = (u for u in project.units if u.path.name == "reducemax.sonnx" and u.namespace == "sonnx")
    asked = [o for o in of_unit(project, unit) if o.kind is Kind.INDEPENDENT and o.section == "int"]
    with Solvers() as solvers:
        records = list(run(asked, solvers))
    blocks = []
    for record in records:
        shown = example_of(record.witness)
        assert shown is not None
        lines = example_lines(shown)
        blocks.append(
            "\n  ".join([f"example by_{record.obligation.tag}", *lines, f"refused by {record.obligation.tag}"])
        )
    text = (unit.path).read_text("utf-8").partition("\nexample ")[0]
    (tmp_path / "reducemax.md").touch()
    pasted = collected(tmp_path, "\n\n".join([text, *blocks]) + "\n")

    assert len(pasted) > 6
    assert {verdict for verdict, _ in pasted.values()} == {"holds"}


SECRET = """\
operator Secret version 1 user

types int   = int8 int16
types float = float16 float

input  X : tensor of T
output Y : tensor of T

shape Y    = X.shape
value Y[i] = X[i]

example one
  X = float (9) [1, 2, 3, 1, 2, 3, 1, 2, 3]
  Y = float (9) [1, 2, 3, 1, 2, 3, 1, 2, 3]
"""


@pytest.mark.parametrize(
    ("section", "condition", "found"),
    [
        ("float", "rank(X) = 1 and X.shape[0] = 9 and X[[5]] = T(3)", True),
        ("int", "rank(X) = 1 and X.shape[0] = 9 and X[[5]] = T(3)", True),
        ("int", "rank(X) = 1 and X.shape[0] = 9 and X[[5]] = T(4)", False),
    ],
)
def test_an_example_is_tried_and_replayed(section: str, condition: str, found: bool, tmp_path: Path) -> None:
    """Where the search finds nothing; also in another section, where the elements are the same numbers. An example that
    breaks a condition is no input that meets it."""
    text = SECRET.replace("shape Y ", f'[C1] constraint "a secret" : {condition}\n\nshape Y ', 1)
    if not found:
        text = text.replace("  Y = float (9) [1, 2, 3, 1, 2, 3, 1, 2, 3]", "  refused by C1")
    (tmp_path / "secret.sonnx").write_text(text, "utf-8")
    project = Project.open(tmp_path)
    (one,) = (o for o in of_unit(project, project.units[0]) if o.id == f"user.Secret-1.{section}/spec/satisfiable")
    statement, _ = Work(one).on(one.types[0])
    (wanted,) = statement.wanted

    assert not isinstance(searched(statement.variables, wanted.conditions, 20), Found)
    assert isinstance(searched(statement.variables, wanted.conditions, 20, examples=one.tried), Found) is found


def test_a_mutant_has_the_examples_that_fit_it(tmp_path: Path) -> None:
    """One that a clause refused which is gone is refuted if nothing else refuses it; one that does not fit is none."""
    text = TEXT.replace('[C1] constraint  "the inputs broadcast"       : broadcastable(shapes(X))\n', "")
    text = text.replace('[E1] error       "they do not broadcast"      : when C1 fails\n', "")
    text += f"example gone {APART} refused by C1\nexample kept {TWO} axis = 9 refused by C2\n"
    text += f"example other {TWO} axis = 9 refused by C7\nexample unfit Y = int8 (1) [1]\n"
    (tmp_path / "most.sonnx").write_text(text, "utf-8")
    project = Project.open(tmp_path)
    project.lenient = True

    shown = [o for o in of_unit(project, project.units[0]) if o.kind is Kind.EXAMPLE]

    assert [(o.tag, o.answer and o.answer.name) for o in shown] == [
        ("gone", "refuted"),
        ("kept", "holds"),
        ("other", "holds"),
    ]


LEAVES_OPEN = """\
operator Leaves version 1 user

types int   = int8 int16
types float = float16 float

input     X    : tensor of T
attribute open : int default 0
output    Y    : tensor of T

[C1] constraint "open is not below 0" : open >= 0

shape Y    = X.shape
value Y[i] = X[i]

[U_OUTCOME] unspecified outcome "open is 1" when open = 1
[U_SHAPE] unspecified shape "open is 2" when open = 2
[U_BELOW] unspecified value Y[i] "a value below 0" when X[i] < T(0)
[U_NAN] unspecified value Y[i] "NaN" for float when is_nan(X[i])
[U_INFINITY] unspecified value Y[i] "an infinity" for float when is_infinite(X[i])

"""
LEFT_OPEN = [
    ("X = int8 [-1, -2] open", "holds", ""),
    ("X = int8 [-1, -2] open by U_BELOW", "holds", ""),
    ("X = int8 [-1, 0] open", "refuted", "nothing leaves it open"),
    ("X = int8 [-1, 0] open by U_BELOW", "refuted", "it is not U_BELOW alone that leaves every element open"),
    ("X = int8 [] open", "refuted", "nothing leaves it open"),
    ("X = int8 [] open = 1 open", "holds", ""),
    ("X = int8 [] open = 1 open by U_OUTCOME", "holds", ""),
    ("X = int8 [] open = 1 open by U_SHAPE", "refuted", "it is not U_SHAPE alone that leaves it open"),
    ("X = int8 [1] open = 2 open by U_SHAPE", "holds", ""),
    ("X = int8 [1] open = 2 open by U_OUTCOME", "refuted", "it is not U_OUTCOME alone that leaves it open"),
    ("X = int8 [-1] open = 2 open by U_BELOW", "refuted", "it is not U_BELOW alone that leaves every element open"),
    ("X = float [-inf] open by U_BELOW", "refuted", "it is not U_BELOW alone that leaves every element open"),
    ("X = float [-inf] open", "holds", ""),
    ("X = int8 [1] open = -1 open", "refuted", 'C1, "open is not below 0", refuses it'),
    ("X = float [nan, -1] open", "holds", ""),
    ("X = float [nan, -1] open by U_NAN", "refuted", "it is not U_NAN alone that leaves every element open"),
    ("X = int8 [0, 1] Y = int8 [0, 1] pinned", "holds", ""),
    ("X = int8 [0, 1] Y = int8 [0, 2] pinned", "refuted", "the text gives Y = int8 (2) [0, 1]"),
    ("X = int8 [] Y = int8 [] pinned", "holds", ""),
    ("X = int8 [0, -1] Y = int8 [0, -1] pinned", "refuted", 'U_BELOW, "a value below 0", leaves it open'),
    ("X = int8 [0] open = 1 Y = int8 [0] pinned", "refuted", 'U_OUTCOME, "open is 1", leaves it open'),
    ("X = int8 [0] open = 2 Y = int8 [0] pinned", "refuted", 'U_SHAPE, "open is 2", leaves it open'),
    ("X = float [nan] Y = float [nan] pinned", "refuted", 'U_NAN, "NaN", leaves it open'),
    ("X = int8 [0, -1] Y = int8 [0, 5]", "holds", ""),
]
"""The entries of an example that says whether the text leaves its result open."""


def test_an_example_says_that_an_input_is_open_or_pinned(tmp_path: Path) -> None:
    blocks = [f"example of_{n} {entries}\n" for n, (entries, _, _) in enumerate(LEFT_OPEN)]
    found = collected(tmp_path, LEAVES_OPEN + "".join(blocks)).values()

    assert [(entries, verdict) for (entries, _, _), (verdict, _) in zip(LEFT_OPEN, found, strict=True)] == [
        (entries, verdict) for entries, verdict, _ in LEFT_OPEN
    ]
    assert [reason for (_, _, reason), (_, told) in zip(LEFT_OPEN, found, strict=True) if reason not in told] == []


@pytest.mark.parametrize(
    ("entries", "place", "message"),
    [
        ("X = int8 [-1] open by U_NONE", "U_NONE", "no item `U_NONE` can leave anything open here"),
        ("X = int8 [-1] open by U_NAN", "U_NAN", "no item `U_NAN` can leave anything open here"),
        ("X = int8 [-1] open by C1", "C1", "no item `C1` can leave anything open here"),
        ("X = int8 [-1] Y = int8 [-1] open", "Y", "has the output `Y` and is open"),
        ("X = int8 [1] pinned", "one", "does not give the output `Y`"),
    ],
)
def test_what_is_open_has_no_output(entries: str, place: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        collected(tmp_path, f"{LEAVES_OPEN}example one {entries}\n")

    assert message in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.text == place


def test_open_and_pinned_have_one_layout() -> None:
    ragged = (
        "example one X=int8[-1] open   by U_BELOW\n\n"
        "example two X=int8[-1] open\n\nexample end X=int8[1] Y=int8[1] pinned\n"
    )
    text = layout(Source("leaves.sonnx", LEAVES_OPEN + ragged))

    assert text[text.index("example one") :] == (
        "example one\n  X = int8 [-1]\n  open by U_BELOW\n\n"
        "example two\n  X = int8 [-1]\n  open\n\n"
        "example end\n  X = int8 [1]\n  Y = int8 [1]\n  pinned\n"
    )
