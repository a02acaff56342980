"""Theorems that a text does not name: found where they help, told with the verdict, written by `check --fix`. Beside
each a false one, which helps nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import sonnx_verify
from sonnx_verify.authoring.lemmas.calls import Called, Variable, calls_in
from sonnx_verify.authoring.lemmas.search import states_the_same, with_lines
from sonnx_verify.cli import main
from sonnx_verify.language.project import Project
from sonnx_verify.results.result import Result

SHARES = """\
-- Each exponential as a share of the sum along the first axis.
use numbers

operator Shares version 1 user

types float = float16 float

input  X : tensor of T
output Y : tensor of T

[C1] constraint "a list of numbers" : rank(X) = 1 and (for all j in indices(X) : is_number(X[j]))
[E1] error      "anything else"     : when C1 fails

define {total}

shape Y    = X.shape
value Y[i] = T(exp(number(X[i])) / total(i))
"""
TOTALS = {
    "as a sum": 'total(i : index) : real "the sum" = sum { exp(number(X[[k]])) | k in 0 .. X.shape[0] - 1 }',
    "over indices": 'total(i : index) : real "the sum" = sum { exp(number(X[j])) | j in indices(X) }',
    "of another": 'total(i : index) : real "the sum" = sum { exp(number(X[[i]])) | i in 0 .. X.shape[0] - 1 }',
    "without the first": (
        'total(i : index) : real "the sum" = sum { if k = 0 and i[0] = 1 then 0.0 else exp(number(X[[k]]))'
        " | k in 0 .. X.shape[0] - 1 }"
    ),
}
WRONG = {
    "without itself": (
        'total(i : index) : real "the sum" = sum { if k = i[0] then 0.0 else exp(number(X[[k]]))'
        " | k in 0 .. X.shape[0] - 1 }"
    ),
    "of the others": 'total(i : index) : real "the sum" = sum { exp(number(X[[k]])) | k in 0 .. i[0] - 1 }',
    "of both signs": (
        'total(i : index) : real "the sum" = sum { exp(number(X[[k]])) - exp(number(X[i])) | k in 0 .. X.shape[0] - 1 }'
    ),
}
LINE = "using for all i in indices(Y) : exp_positive(number(X[i]))"
STEPS = """\
use mine

operator Steps version 1 user

types int = int8

input     X : tensor of T
attribute n : int where 0 <= n
output    Y : tensor of T

shape Y    = shape (k in 0 .. 0 -> n)
value Y[i] = T(div(5, steps(i[0])))
"""
MINE = """\
library mine "Steps"

define steps(k : int) : int
  "steps, counted from where one stands"
  by recursion on k from 0
  = if k = 0 then {start} else steps(k - 1) + 2
"""
KNOWN = """\
theory known "What is known of steps"

use mine

theorem steps_above "no steps are none"
  for n : int assuming {assumed}
  by induction on m from 0 to n
  : {said}
"""


def written(folder: Path, **texts: str) -> Path:
    """A project of some texts."""
    for name, text in texts.items():
        (folder / f"{name}.sonnx").write_text(text, "utf-8")
    return folder


def checked(folder: Path, *, cached: bool = False) -> dict[str, Result]:
    """The results on the texts of a folder, without the names of operators and sections."""
    return {one.id.partition("/")[2]: one for one in sonnx_verify.check(str(folder), cached=cached)}


@pytest.mark.parametrize("total", TOTALS)
def test_a_bound_of_a_function(total: str, tmp_path: Path) -> None:
    """That exp is above 0 is found on what the divisor adds up, whatever names stand there, and told as an axiom."""
    found = checked(written(tmp_path, shares=SHARES.format(total=TOTALS[total])))

    assert [name for name, one in found.items() if one.verdict not in ("proved", "holds")] == []
    assert found["Y.value/in-bounds"].lemmas == ("use functions", LINE)
    assert [axiom.id for axiom in found["Y.value/in-bounds"].axioms] == ["common.functions/exp_positive/axiom"]
    # No other verdict rests on more than it needs.
    assert [name for name, one in found.items() if one.lemmas or one.axioms] == ["Y.value/in-bounds"]


@pytest.mark.parametrize("total", WRONG)
def test_a_bound_that_is_not_enough(total: str, tmp_path: Path) -> None:
    """A divisor that may be 0 is not proved to be another number, whatever is known of exp."""
    found = checked(written(tmp_path, shares=SHARES.format(total=WRONG[total])))

    assert found["Y.value/in-bounds"].verdict != "proved"
    assert [name for name, one in found.items() if one.lemmas or one.axioms] == []


def test_the_variables_of_a_call(tmp_path: Path) -> None:
    """A call inside a definition has the arguments that stand outside of it, and other names for inner variables."""
    project = Project.open(written(tmp_path, shares=SHARES.format(total=TOTALS["of another"])))
    (unit,) = project.units
    assert unit.file is not None

    found = [call for call in calls_in(unit.file, project.library(unit).definitions) if call.name == "exp"]

    around = Variable("i", "indices(Y)")
    assert found == [
        Called("exp", ("number(X[i])",), (around,)),
        Called("exp", ("number(X[[i2]])",), (around, Variable("i2", "0 .. X.shape[0] - 1"))),
    ]


@pytest.mark.parametrize(
    ("start", "said", "assumed", "expected"),
    [
        ("1", "0 < steps(m)", "0 <= n", "proved"),
        # No such bound is enough, it is of other numbers, or no induction proves it.
        ("1", "0 != steps(m)", "0 <= n", ""),
        ("1", "-1 < steps(m)", "0 <= n", ""),
        ("1", "m >= 10 => 0 < steps(m)", "10 <= n", ""),
        # A theorem that is false helps nobody.
        ("0", "0 < steps(m)", "0 <= n", ""),
    ],
)
def test_theorems_of_ones_own(start: str, said: str, assumed: str, expected: str, tmp_path: Path) -> None:
    """What is proved of a library of one's own is found as what the tool has; what is not proved makes no proof."""
    known = KNOWN.format(said=said, assumed=assumed)

    found = checked(written(tmp_path, steps=STEPS, mine=MINE.format(start=start), known=known))

    divisor = found["Y.value/in-bounds"]
    assert divisor.verdict == (expected or ("refuted" if start == "0" else "candidate"))
    assert divisor.lemmas == (
        ("use known", "using for all i in indices(Y) : steps_above(i[0], i[0])") if expected else ()
    )


def test_fix_writes_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`check` names the lines, `check --fix` writes them where an author would, and with them there is nothing to
    find."""
    monkeypatch.chdir(written(tmp_path, shares=SHARES.format(total=TOTALS["as a sum"])))
    path = tmp_path / "shares.sonnx"
    CliRunner().invoke(main, ["fmt", "shares.sonnx"])
    before = path.read_text("utf-8")

    told = CliRunner().invoke(main, ["check"])
    fixed = CliRunner().invoke(main, ["check", "--fix"])
    after = path.read_text("utf-8")
    again = CliRunner().invoke(main, ["check", "--fix"])

    assert f"  use functions\n  {LINE}\n" in told.stdout
    assert (told.exit_code, fixed.exit_code, again.exit_code) == (0, 0, 0)
    assert "shares.sonnx: 2 lines written" in fixed.stderr
    assert after == before.replace("use numbers\n", "use functions\nuse numbers\n") + f"{LINE}\n"
    assert CliRunner().invoke(main, ["fmt", "--check", "shares.sonnx"]).exit_code == 0
    assert "use functions" not in again.stdout
    assert path.read_text("utf-8") == after


def test_what_stands_for_an_obligation_states_the_same(tmp_path: Path) -> None:
    """Lines that name theorems change no statement; any other line that does is seen."""
    project = Project.open(written(tmp_path, shares=SHARES.format(total=TOTALS["as a sum"])))
    (unit,) = project.units
    name = "user.Shares-1.float/Y.value/in-bounds"
    as_it_is = with_lines(project, unit, ()).obligations[name]

    for lines, same in ((("use functions", LINE), True), (('[R1] restriction "short" : X.shape[0] < 9',), False)):
        assert states_the_same(as_it_is, with_lines(project, unit, lines).obligations[name]) is same


def test_many_files(tmp_path: Path) -> None:
    """What is checked file by file is helped too, and comes out as it would alone."""
    texts = {f"s{n}": SHARES.format(total=TOTALS["as a sum"]).replace("Shares", f"Shares{n}") for n in range(3)}
    others = {f"t{n}": STEPS.replace("Steps", f"Steps{n}").replace("use mine", "use steps") for n in range(6)}
    steps = MINE.format(start="1").replace("library mine", "library steps")

    found = sonnx_verify.check(str(written(tmp_path, steps=steps, **texts, **others)), cached=False)

    assert [one.id for one in found if one.lemmas] == [f"user.Shares{n}-1.float/Y.value/in-bounds" for n in range(3)]


def test_what_is_kept(tmp_path: Path) -> None:
    """A run that recalls its results has the lines with them."""
    folder = written(tmp_path, shares=SHARES.format(total=TOTALS["as a sum"]))

    first, second = checked(folder, cached=True), checked(folder, cached=True)

    assert first["Y.value/in-bounds"].lemmas == second["Y.value/in-bounds"].lemmas == ("use functions", LINE)


def test_what_is_kept_rests_on_theorems_that_no_text_names(tmp_path: Path) -> None:
    """A theory that no text uses may come, change and go: a cached run finds what an uncached one does."""
    known = KNOWN.format(said="0 < steps(m)", assumed="0 <= n")
    weaker = KNOWN.format(said="-1 < steps(m)", assumed="0 <= n")
    folder = written(tmp_path, steps=STEPS, mine=MINE.format(start="1"))
    said = []

    for theory in (None, known, weaker, known, None):
        (folder / "known.sonnx").unlink(missing_ok=True)
        if theory is not None:
            written(folder, known=theory)
        said.append(str(checked(folder, cached=True)["Y.value/in-bounds"].verdict))

    assert said == ["candidate", "proved", "candidate", "proved", "candidate"]


@pytest.mark.parametrize("kind", ["crlf", "mark", "rights", "no end"])
def test_fix_keeps_what_is_the_authors(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line ends, a byte order mark and rights stay, also where the lines are taken back."""
    monkeypatch.chdir(tmp_path)
    text = SHARES.format(total=TOTALS["as a sum"])
    path = tmp_path / "shares.sonnx"
    data = {
        "crlf": text.replace("\n", "\r\n").encode(),
        "mark": text.encode("utf-8-sig"),
        "no end": text.rstrip("\n").encode(),
    }.get(kind, text.encode())
    path.write_bytes(data)
    path.chmod(0o600)

    assert CliRunner().invoke(main, ["check", "--fix"]).exit_code == 0

    after = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert after.startswith(b"\xef\xbb\xbf") is (kind == "mark")
    assert (after.count(b"\r\n") == after.count(b"\n")) is (kind == "crlf")
    lines = after.decode("utf-8-sig").splitlines()
    assert [line for line in lines if line not in ("use functions", LINE)] == text.splitlines()


def test_what_rests_on_what_is_helped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an operator that applies another one: what follows there with a theorem is known here too, in one run and by
    itself, from nothing and from what an earlier run kept."""
    theory = (
        'theory applied "Steps is applied"\nuse mine\n\ntypes int = int8\n\n'
        'theorem itself "twice the same" for X : tensor of T : Steps(X with n = 3) = Steps(X with n = 3)\n'
    )
    known = KNOWN.format(said="0 < steps(m)", assumed="0 <= n")
    monkeypatch.chdir(written(tmp_path, steps=STEPS, mine=MINE.format(start="1"), known=known, applied=theory))

    for cached in (False, True, True):
        for what in (".", "applied.sonnx", "applied.sonnx"):
            found = {one.tag: str(one.verdict) for one in sonnx_verify.check(what, cached=cached)}
            assert found["itself"] == "proved", (what, cached)


@pytest.mark.parametrize("what", [".", "applied.sonnx"])
def test_what_rests_on_what_is_helped_is_kept_under_all_texts(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that comes before the one that a theorem helps, or is checked without it, forgets with the theorem."""
    theory = (
        'theory applied "Steps is applied"\n\ntypes int = int8\n\n'
        'theorem itself "twice the same" for X : tensor of T : Steps(X with n = 3) = Steps(X with n = 3)\n'
    )
    known = KNOWN.format(said="0 < steps(m)", assumed="0 <= n")
    monkeypatch.chdir(written(tmp_path, steps=STEPS, mine=MINE.format(start="1"), known=known, applied=theory))
    before = {one.tag: str(one.verdict) for one in sonnx_verify.check(what)}
    written(tmp_path, known=KNOWN.format(said="-1 < steps(m)", assumed="0 <= n"))

    after = {one.tag: str(one.verdict) for one in sonnx_verify.check(what)}

    assert (before["itself"], after["itself"]) == ("proved", "unknown")


def test_many_files_that_name_nothing(tmp_path: Path) -> None:
    """Nine files whose proofs rest on a theory that none of them uses."""
    text = SHARES.format(total=TOTALS["as a sum"]).replace("use numbers\n", "")
    text = text.replace("is_number(X[j])", "not is_nan(X[j]) and not is_infinite(X[j])").replace("number(", "real(")
    texts = {f"s{n}": text.replace("Shares", f"Shares{n}") for n in range(9)}

    found = sonnx_verify.check(str(written(tmp_path, **texts)), cached=False)

    assert {str(one.verdict) for one in found} == {"proved", "holds"}
    assert sum(bool(one.lemmas) for one in found) == 9


@pytest.mark.parametrize("kind", ["beside", "shared"])
def test_axioms_of_ones_own_have_to_be_named(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody proves and nobody reviewed is no theorem that a search may find, wherever it stands."""
    axiom = 'axiom steps_above "no steps are none" from "a book" for k : int : 0 < steps(k)\n'
    monkeypatch.chdir(tmp_path)
    folder = tmp_path if kind == "beside" else tmp_path / "spec" / "common"
    texts = tmp_path if kind == "beside" else tmp_path / "spec"
    folder.mkdir(parents=True, exist_ok=True)
    written(folder, mine=MINE.format(start="1"), known=f'theory known "of steps"\nuse mine\n{axiom}')
    written(texts, steps=STEPS)

    found = {one.id.partition("/")[2]: one for one in sonnx_verify.check(cached=False)}

    assert found["Y.value/in-bounds"].verdict == "candidate"
    assert found["Y.value/in-bounds"].lemmas == ()
