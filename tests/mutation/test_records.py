"""The committed records say what comes of our own mutants, and docs/mutants.md explains those that survive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sonnx_verify.authoring.mutation import record_files
from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Fate, Judge, Outcome
from sonnx_verify.authoring.mutation.mutation import Mutation, change_of
from sonnx_verify.authoring.mutation.mutations import mutations_of, mutations_of_unit
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.record_files import MUTANTS, read_mutants
from sonnx_verify.authoring.mutation.records import WHY, TextRecord, record_changes, row, score, text_of
from sonnx_verify.cli import main
from sonnx_verify.cli import mutate as command
from sonnx_verify.errors import UserError
from sonnx_verify.language import places
from sonnx_verify.language.project import Project
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.sources import Source
from sonnx_verify.stores.folder import write_file
from sonnx_verify.stores.killers import Killers
from sonnx_verify.stores.store import OFF, Store
from tests.mutation.mutations import mutation_of

ROOT = Path(__file__).resolve().parents[2]
FILE = MUTANTS.own
SMALL = Path(__file__).with_name("small")
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
SOURCE = Source("a.sonnx", "one two\nthree\n")


def outcome(old: str, verdict: str, killer: str = "", finding: str = "") -> Outcome:
    """What came of a mutation in the text above."""
    return Outcome(mutation_of(SOURCE, old, "x"), Fate(verdict), killer, finding)


@pytest.mark.soak
def test_some_of_our_mutants_end_as_the_records_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few chosen by a hash; another part of the soak has all."""
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, ["mutate", "spec/sonnx/reducemax", "--sample", "4", "--jobs", "1", "--frozen"])

    assert done.exit_code == 0, done.output
    assert "4 mutations" in done.output
    assert "matches the records" in done.output


def test_ninety_five_of_a_hundred_are_killed() -> None:
    counted = Counter[str]()
    for record in read_mutants(ROOT).values():
        counted += record.counted()
    found = score(counted)

    assert found is not None
    assert found >= 95


@pytest.fixture(scope="module")
def ours() -> dict[str, list[Mutation]]:
    """The mutations in each of our texts that has to have a record, or has one."""
    project = Project.open(ROOT)
    known = read_mutants(ROOT)
    kinds = ("library", "profile")
    units = [u for u in project.units if u.file is not None and (u.file.kind in kinds or u.shown in known)]
    made = {unit.shown: mutations_of_unit(project, unit) for unit in {u.place: u for u in units}.values()}
    return {name: mutations for name, mutations in made.items() if mutations}


def test_the_records_are_about_the_texts_as_they_are(ours: dict[str, list[Mutation]]) -> None:
    """Each library, each profile, and each standard with a record has one for all its mutations."""
    records = read_mutants(ROOT)

    assert sorted(records) == sorted(ours)
    for name, mutations in ours.items():
        record = records[name]
        assert record.judges is not None, name
        assert sum(record.counted().values()) == len(mutations), name
        assert record.rows.keys() <= {m.name for m in mutations}, name
        left = [m for m in mutations if m.name not in record.rows]
        by_item = Counter(m.item for m in left)
        assert by_item == {item: one.killed + one.rejected for item, one in record.settled.items()}, name


def test_no_two_mutations_have_one_name(ours: dict[str, list[Mutation]]) -> None:
    names = [mutation.identity for mutations in ours.values() for mutation in mutations]

    assert len(set(names)) == len(names)


def test_every_survivor_is_explained() -> None:
    """In its row, by a sentence."""
    every = [(text, name, row) for text, r in read_mutants(ROOT).items() for name, row in r.alive().items()]

    assert every
    assert [(text, name) for text, name, row in every if not row.get(WHY, "").endswith(".")] == []


@pytest.mark.soak
def test_the_outcomes_do_not_depend_on_the_number_of_processes() -> None:
    with Solvers() as solvers:
        baseline = Baseline(Project.open(SMALL), solvers)
        mutations = mutations_of(Source("cuts.sonnx", (SMALL / "cuts.sonnx").read_text("utf-8")), {})[-12:]
        one, two, three = (
            [(o.mutation, *row(o).items()) for o in judged(baseline, mutations, n, short=True)] for n in (2, 3, 1)
        )

    assert one == two == three
    assert len(one) == 12


ENDED = """
import json, os, signal
from pathlib import Path
from sonnx_verify.processes.limits import Limits
from sonnx_verify.sources import Source
from sonnx_verify.language import places
from sonnx_verify.language.project import Project
from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.processes import judged
from sonnx_verify.authoring.mutation.mutations import mutations_of
from sonnx_verify.solving.solvers import Solvers

with Solvers() as solvers:
    baseline = Baseline(Project.open(Path.cwd()), solvers)
    mutations = mutations_of(Source("cuts.sonnx", Path("cuts.sonnx").read_text("utf-8")), {})[-12:]
    good = list(judged(baseline, mutations, 2, short=True))
    late = list(judged(baseline, mutations[:4], 2, short=True, limits=Limits(seconds=0.001)))
    outcomes = judged(baseline, mutations, 2, short=True)
    rest = [next(outcomes)]
    for task in Path("/proc/self/task").glob("*/children"):
        for child in task.read_text().split():
            os.kill(int(child), signal.SIGKILL)
    rest += outcomes
print(json.dumps([[[o.verdict, o.killer, o.reason] for o in found] for found in (good, late, rest)]))
"""


@pytest.mark.soak
@linux
def test_a_process_that_hangs_or_is_killed_costs_one_mutant() -> None:
    """What it was at is not shown, with the reason; what it had not begun is judged by another one. In a program of its
    own, as nothing is forked beside threads."""
    place = dict(os.environ)
    done = subprocess.run([sys.executable, "-c", ENDED], cwd=SMALL, env=place, capture_output=True, check=True)
    good, late, rest = json.loads(done.stdout)

    hung = "the process that worked on it had not come to an end after 0.001 seconds"
    assert late == [["not shown", "", hung]] * 4
    killed = [n for n, (_, _, reason) in enumerate(rest) if reason.endswith("ended by SIGKILL")]
    assert 1 <= len(killed) <= 2
    assert [o for n, o in enumerate(rest) if n not in killed] == [o for n, o in enumerate(good) if n not in killed]


def test_the_score_leaves_out_what_is_equivalent_or_rejected() -> None:
    assert score(Counter({"killed": 19, "not shown": 1, "equivalent": 1, "rejected": 1})) == 95
    assert score(Counter({"equivalent": 1})) is None
    assert score(Counter({"killed": 1999, "surviving": 1})) == 99.9


# ------------------------------------------------------------------------------------------------------------- records


def record_of(*outcomes: Outcome, judges: tuple[str, ...] | None = ()) -> TextRecord:
    """The record of a text with these mutants."""
    return TextRecord.of(((o.mutation, row(o)) for o in outcomes), judges)


def test_killed_mutants_are_counted_and_others_have_a_line() -> None:
    made = record_of(
        outcome("three", "killed", "a/b/theorem", "refuted"),
        outcome("two", "rejected", "a.sonnx:1:1"),
        outcome("one", "not shown", "a/c/theorem", "unknown"),
        judges=("onnx.Add",),
    )
    digest = made.settled["item"].sha256

    assert json.loads(text_of({"a.sonnx": made})) == {
        "a.sonnx": {
            "judges": ["onnx.Add"],
            "settled": {"item": {"killed": 1, "rejected": 1, "sha256": digest}},
            "mutants": {"item: one -> x": {"verdict": "not shown", "by": "a/c/theorem", "finding": "unknown"}},
        }
    }
    assert made.counted() == {"killed": 1, "rejected": 1, "not shown": 1}
    assert made.of_item("item") == (1, 2)
    other = record_of(outcome("three", "rejected"), outcome("two", "killed", "other/theorem", "vacuous"))
    assert other.settled["item"].sha256 != digest


def test_the_killer_is_no_part_of_a_record() -> None:
    """Which statement kills a mutant depends on what was known before."""
    one, other = (record_of(outcome("one", "killed", killer, "refuted")) for killer in ("a/b/theorem", "c/d/theorem"))

    assert one == other


def test_what_differs_is_told() -> None:
    record = record_of(outcome("one", "surviving"), outcome("two", "killed", "a/b/theorem", "refuted"))
    now = [outcome("one", "equivalent"), outcome("two", "surviving"), outcome("three", "killed")]
    changes = [
        "a.sonnx item: one -> x: was surviving, is equivalent",
        "a.sonnx item: two -> x: not in the records, now surviving",
    ]

    # Of some mutants a digest says nothing.
    assert record_changes({"a.sonnx": record}, now, []) == changes
    digests = record.settled["item"].sha256, record_of(now[2]).settled["item"].sha256
    others = f"a.sonnx item: 1 killed, 0 rejected as before, but others (digest {digests[0]}, is {digests[1]})"
    assert record_changes({"a.sonnx": record}, now, ["a.sonnx"]) == [*changes, others]
    assert record_changes({"a.sonnx": record}, now[2:], ["a.sonnx"]) == [
        "a.sonnx item: one -> x: in the records, not in the text",
        others,
    ]
    assert record_changes({"a.sonnx": record}, now[:2], ["a.sonnx"]) == [
        *changes,
        "a.sonnx item: was 1 killed, 0 rejected, is 0 killed, 0 rejected",
    ]
    assert record_changes({}, now[1:], ["a.sonnx"]) == ["a.sonnx: not in the records", changes[1]]


# --------------------------------------------------------------------------------------------------------------- files

TEXT = """\
operator {name} version 1 profile
types int = int8
input  X : tensor of T
output Y : tensor of T
shape Y    = X.shape
value Y[i] = X[i] + T(2)
"""
LIBRARY = """\
library twice "Of doubles"
define twice(x : int) : int
  "two times x"
  = 2 * x
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two operators in folders of their own, and a library."""
    texts = {f"spec/sonnx/{name.lower()}/{name.lower()}": TEXT.format(name=name) for name in ("One", "Two")}
    for name, text in {**texts, "spec/common/twice": LIBRARY}.items():
        path = tmp_path / f"{name}.sonnx"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ONE, TWO, SHARED = "spec/sonnx/one/one.sonnx", "spec/sonnx/two/two.sonnx", "spec/common/twice.sonnx"


def mutate(*arguments: str) -> Result:
    """What the command says."""
    return CliRunner().invoke(main, ["mutate", "--jobs", "1", *arguments], catch_exceptions=False)


def test_each_operator_has_its_own_file(project: Path) -> None:
    """The shared definitions have one in `proofs/`. What is written is what is compared with."""
    assert mutate("--update-records").stderr.splitlines() == [
        "wrote spec/sonnx/one/mutants.json",
        "wrote spec/sonnx/two/mutants.json",
        "wrote proofs/mutants.json",
    ]
    files = {p.relative_to(project).as_posix(): list(json.loads(p.read_text("utf-8"))) for p in project.rglob(FILE)}

    assert files == {
        "proofs/mutants.json": [SHARED],
        "spec/sonnx/one/mutants.json": [ONE],
        "spec/sonnx/two/mutants.json": [TWO],
    }
    same = mutate("--frozen")
    assert (same.exit_code, same.stdout.splitlines()[-1]) == (0, "matches the records")
    assert mutate(ONE, "--update-records").stderr == ""


def test_an_edit_elsewhere_renames_no_mutant(project: Path) -> None:
    """A comment, another layout and an item above change nothing of what is known of the others."""
    assert mutate(ONE, "--update-records").exit_code == 1
    text = (project / ONE).read_text("utf-8")
    changed = text.replace("value Y[i] = X[i]", "-- the sum\n\nvalue Y[i]\n  = X[i]   -- and").replace(
        "+ T(2)", "\n+T( 2 )"
    )
    (project / ONE).write_text(changed, "utf-8")

    assert mutate(ONE, "--frozen").stdout.splitlines()[-1] == "matches the records"


def test_a_record_of_a_text_that_is_gone(project: Path) -> None:
    """It is told, and goes with the next update of all, or of its folder; what others say stays, with the reasons that
    somebody wrote, be it in a record whose text has another name now."""
    mutate("--update-records")
    (project / "spec/common/other.sonnx").write_text(LIBRARY.replace("twice", "other"), "utf-8")
    (project / SHARED).unlink()
    one = project / "spec/sonnx/one" / FILE
    explained = one.read_text("utf-8").replace('"surviving"}', '"surviving", "why": "so"}')
    one.write_text(explained, "utf-8")
    gone = f"{SHARED}: in the records, but there is no such text"

    assert gone in mutate("--frozen").stdout.splitlines()
    assert gone not in mutate(ONE, "--frozen").stdout.splitlines()
    mutate("spec/common/other.sonnx", ONE, "--update-records")
    assert list(read_mutants(project)) == [ONE, TWO, "spec/common/other.sonnx", SHARED]
    assert f"removed the record of {SHARED}: there is no such text" in mutate("--update-records").stderr
    assert list(read_mutants(project)) == [ONE, TWO, "spec/common/other.sonnx"]
    assert one.read_text("utf-8") == explained
    assert '"why": "so"' in explained
    (project / ONE).rename(project / ONE.replace("one.sonnx", "first.sonnx"))
    assert f"removed the record of {ONE}" in mutate("spec/sonnx/one", "--update-records").stderr


def test_a_reason_that_is_written_meanwhile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run takes minutes, and reads the records again before it writes them."""
    # With outcomes that are kept the second run would judge nothing.
    monkeypatch.setenv("SONNX_VERIFY_CACHE", OFF)
    mutate(ONE, "--update-records")
    one = project / "spec/sonnx/one" / FILE
    explained = one.read_text("utf-8").replace('"surviving"}', '"surviving", "why": "so"}')

    def and_somebody_writes(*arguments: Any, **options: Any) -> Iterator[Outcome]:
        yield from judged(*arguments, **options)
        one.write_text(explained, "utf-8")

    monkeypatch.setattr(command, "judged", and_somebody_writes)
    mutate(ONE, "--update-records")
    assert one.read_text("utf-8") == explained
    assert '"why": "so"' in explained


def test_records_of_another_project_are_not_written_here(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "own.sonnx").write_text(LIBRARY.replace("twice", "own"), "utf-8")
    monkeypatch.chdir(other)
    done = mutate(str(project / ONE), "--update-records")

    assert done.exit_code == 2
    assert "is not the project of this folder" in done.stderr


def test_a_new_survivor_is_told_by_its_name(project: Path) -> None:
    mutate(ONE, "--update-records")
    (project / ONE).write_text(TEXT.format(name="One").replace("T(2)", "T(2) + T(3)"), "utf-8")
    done = mutate(ONE, "--frozen")

    assert done.exit_code == 1
    assert f"{ONE} value Y: 3 -> 4: not in the records, now surviving" in done.stdout.splitlines()
    assert done.stderr.startswith("the records differ from this run\n  to fix: review the changes, then run")


def test_a_table_of_before_is_compared_and_converted(project: Path) -> None:
    """By line and column, all in one file: an operator's part goes into its folder, and the file as it was goes."""
    mutate("--update-records")
    made = read_mutants(project)
    rows: dict[str, object] = {}
    for unit in Project.open(project).units:
        for mutation in mutations_of_unit(Project.open(project), unit):
            found = made[unit.shown].rows.get(mutation.name, {"verdict": "killed", "by": "a/b", "finding": "refuted"})
            rows[f"{mutation.place} {change_of(mutation.old, mutation.new)}"] = found
    for path in project.rglob(FILE):
        path.unlink()
    (project / "proofs" / FILE).write_text(json.dumps({"summary": {}, "mutants": rows}), "utf-8")
    before = read_mutants(project)

    assert {name: record.rows for name, record in before.items()} == {name: r.rows for name, r in made.items()}
    assert before[ONE].judges is None
    assert before[ONE].settled.keys() == made[ONE].settled.keys()
    assert mutate(ONE, "--update-records").exit_code == 1
    assert read_mutants(project)[ONE] == made[ONE]
    assert sorted(json.loads((project / "proofs" / FILE).read_text("utf-8"))) == [SHARED]
    assert list(json.loads((project / "spec/sonnx/two" / FILE).read_text("utf-8"))) == [TWO]


def test_no_reason_is_lost_on_the_way(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is ended while a record moves to its folder leaves it in the shared file, with what somebody wrote."""
    own, shared = project / "spec/sonnx/one" / FILE, project / "proofs" / FILE
    explained = {**GOOD, "mutants": {"a: 1 -> 2": {"verdict": "surviving", "why": "so"}}}
    write_file(shared, json.dumps({ONE: explained, SHARED: GOOD}))

    def ends_at_the_second(path: Path, text: str) -> None:
        written.append(path)
        if len(written) > 1:
            raise KeyboardInterrupt
        write_file(path, text)

    written: list[Path] = []
    monkeypatch.setattr(record_files, "write_file", ends_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        record_files.write_mutants(project, {})
    assert written == [own, shared]
    assert '"why": "so"' in own.read_text("utf-8")
    assert '"why": "so"' in shared.read_text("utf-8")


def test_nothing_is_written_into_an_installed_library(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run elsewhere writes all into `proofs/` of the current folder, and is compared with that too."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(places, "_stand_ins", [project])

    assert mutate("sonnx.One", "--update-records").stderr == "wrote proofs/mutants.json\n"
    assert mutate("sonnx.Two", "--update-records").stderr == "wrote proofs/mutants.json\n"
    assert sorted(json.loads((elsewhere / "proofs" / FILE).read_text("utf-8"))) == [ONE, TWO]
    assert not [*project.rglob(FILE)]
    assert mutate("sonnx.Two", "--frozen").exit_code == 0


GOOD = {
    "settled": {"a": {"killed": 1, "rejected": 0, "sha256": 16 * "0"}},
    "mutants": {"a: 1 -> 2": {"verdict": "surviving"}},
}


def with_part(*keys: str, value: object) -> dict[str, Any]:
    """The record above with another value somewhere."""
    made: dict[str, Any] = json.loads(json.dumps(GOOD))
    place = made
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return made


@pytest.mark.parametrize(
    ("record", "line"),
    [
        ([], 2),
        ({"settled": {}}, 2),
        (with_part("more", value=1), 2),
        (with_part("judges", value="onnx.Add"), 2),
        (with_part("settled", "b", value={"killed": -1, "rejected": 0, "sha256": 16 * "0"}), 9),
        (with_part("settled", "b", value={"killed": 1, "rejected": 0, "sha256": "0"}), 9),
        (with_part("settled", "b", value={"killed": 1}), 9),
        (with_part("mutants", "b: 1 -> 2", value={"verdict": "killed"}), 14),
        (with_part("mutants", "b: 1 -> 2", value={"verdict": "dead"}), 14),
        (with_part("mutants", "b: 1 -> 2", value={"verdict": "not shown", "by": "a"}), 14),
        (with_part("mutants", "b: 1 -> 2", value="surviving"), 14),
    ],
)
def test_a_damaged_record_is_told_with_its_line(project: Path, record: object, line: int) -> None:
    path = project / "spec/sonnx/one" / FILE
    path.write_text(json.dumps({ONE: record}, indent=1), "utf-8")
    done = mutate("spec/sonnx/two", "--frozen")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "this is not a record of mutants" in done.stderr
    assert f"spec/sonnx/one/mutants.json:{line}:" in done.stderr
    assert "to fix: restore it from version control" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "this is not JSON"),
        ("[]", "this is not a file of records of mutants"),
        ('{"mutants": []}', "this is not a table of mutants"),
        ('{"mutants": {"x": {"verdict": "killed"}}}', "this is not a row of a table of mutants"),
        ('{"mutants": {"a.sonnx:1:1 < -> >": {"verdict": "killed", "by": "a"}}}', "this is not a row"),
        ('{"mutants": {"a.sonnx:1:1 < -> >": {"verdict": 1}}}', "this is not a row"),
        ('{"mutants": {"a:1:1 b": {"verdict": "killed"}, "a:1:1 b": {"verdict": "surviving"}}}', "`a:1:1 b` is there"),
        ('{"a": {"settled": {}, "mutants": {}}, "a": {"settled": {}, "mutants": {}}}', "`a` is there twice"),
    ],
)
def test_what_is_no_file_of_records_is_told(project: Path, text: str, said: str) -> None:
    (project / "proofs").mkdir()
    (project / "proofs" / FILE).write_text(text, "utf-8")

    with pytest.raises(UserError, match=said) as raised:
        read_mutants(project)
    assert str(raised.value.span).startswith("proofs/mutants.json:1:")
    assert raised.value.cure


def test_what_is_no_file_is_told(project: Path) -> None:
    """A folder of that name is not taken for a missing record."""
    (project / "spec/sonnx/one" / FILE).mkdir()
    done = mutate(ONE, "--frozen")

    assert done.exit_code == 2
    assert "spec/sonnx/one/mutants.json is not a file" in done.stderr


def test_a_record_in_a_foreign_folder_is_told(project: Path) -> None:
    """Also where the folder is that of the standard of the same operator."""
    (project / "spec/sonnx/one" / FILE).write_text(json.dumps({TWO: GOOD}, indent=1), "utf-8")
    done = mutate(TWO, "--frozen")

    assert done.exit_code == 2
    assert f"{TWO} is not a text of the folder spec/sonnx/one" in done.stderr
    assert "spec/sonnx/one/mutants.json:2:2" in done.stderr
    assert "to fix: move the record to spec/sonnx/two/mutants.json, or remove it" in done.stderr


def test_a_record_in_two_files_is_told(project: Path) -> None:
    (project / "proofs").mkdir()
    for path in ("proofs", "spec/sonnx/one"):
        (project / path / FILE).write_text(json.dumps({ONE: GOOD}, indent=1), "utf-8")
    done = mutate(ONE, "--update-records")

    assert done.exit_code == 2
    assert f"{ONE} has a record in spec/sonnx/one/mutants.json:2:2 too" in done.stderr
    assert "proofs/mutants.json:2:2" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--update-records", "--frozen"], "exclude each other"),
        (["--update-records", "--sample", "2"], "a record has all mutants of a text"),
        (["--update-records", f"{ONE}:6"], "a record has all mutants of a text"),
        (["--update-records", "--short"], "a short look does not show that a mutant survives"),
        (["--frozen", "--short"], "a short look does not show that a mutant survives"),
    ],
)
def test_options_that_do_not_go_together(project: Path, arguments: list[str], said: str) -> None:
    done = mutate(*arguments)

    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


# -------------------------------------------------------------------------------------------------------------- judges

USER = """\
use twice
operator Three version 1 profile
types int = int8
input  X : tensor of T
output Y : tensor of T
shape Y    = X.shape
value Y[i] = X[i]
example three "two times 2 axes"
  X = int8 (1) [1]
  Y = int8 (1) [1]
[C1] constraint "twice its rank is 2" : twice(rank(X)) = 2
[E1] error "it is not" : when C1 fails
"""


def test_only_judges_are_asked(project: Path) -> None:
    """The first run names the operators that noticed something; another operator changes nothing from then on."""
    (project / "spec/sonnx/three").mkdir()
    (project / "spec/sonnx/three/three.sonnx").write_text(USER, "utf-8")
    assert mutate(SHARED, "--update-records").exit_code in (0, 1)
    record = read_mutants(project)[SHARED]
    assert record.judges == ("sonnx.Three",)
    assert record.counted()["killed"] == 3

    path = project / "proofs" / FILE
    path.write_text(path.read_text("utf-8").replace('["sonnx.Three"]', "[]"), "utf-8")
    done = mutate(SHARED, "--frozen")
    assert done.exit_code == 1
    assert f"{SHARED} define twice: 2 -> 3: not in the records, now surviving" in done.stdout


def test_a_judge_that_is_no_operator(project: Path) -> None:
    (project / "proofs").mkdir()
    (project / "proofs" / FILE).write_text(json.dumps({SHARED: {**GOOD, "judges": ["sonnx.Gone"]}}, indent=1), "utf-8")
    done = mutate(SHARED, "--frozen")

    assert done.exit_code == 2
    assert "`judges` names sonnx.Gone, which is no operator of this project" in done.stderr
    assert "proofs/mutants.json:15:" in done.stderr


# ------------------------------------------------------------------------------------------------------------- killers


def test_a_kept_killer_is_tried_first_and_decided_again(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands in the cache, the verdicts are the same."""
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(tmp_path_factory.mktemp("cache")))
    mutate(ONE, "--update-records")
    tried: list[str] = []
    judge = Judge.judge

    def spy(self: Judge, mutation: Mutation, hint: str = "") -> Outcome:
        tried.append(hint)
        return judge(self, mutation, hint)

    monkeypatch.setattr(Judge, "judge", spy)
    assert mutate(ONE, "--frozen").exit_code == 0
    killers = set(Killers.opened().find(ONE).values())
    assert killers
    assert killers == set(tried) - {""}
    with Killers.opened() as kept:
        for mutation in mutations_of_unit(Project.open(project), Project.open(project).units[1]):
            kept.keep(ONE, mutation.name, "sonnx.One-1.int/Y.shape/covered")
    assert mutate(ONE, "--frozen").stdout.splitlines()[-1] == "matches the records"


@pytest.mark.parametrize("body", [b"", b"[]", b'{"a": 1}', b"\xff"])
def test_a_damaged_entry_of_killers_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(tmp_path))
    with Killers.opened() as kept:
        kept.keep("a.sonnx", "a", "b")
    store = Store(tmp_path)
    (key,) = store.keys("killers")
    store.write("killers", key, body)

    assert Killers.opened().find("a.sonnx") == {}


# ------------------------------------------------------------------------------------------------------- interruptions


class Judged:
    """The mutants that are judged; at the one with a number somebody interrupts."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        self.ends_at = 0
        judge = Judge.judge

        def spy(one: Judge, mutation: Mutation, hint: str = "") -> Outcome:
            self.names.append(mutation.name)
            if len(self.names) == self.ends_at:
                raise KeyboardInterrupt
            return judge(one, mutation, hint)

        patch.setattr(Judge, "judge", spy)


@pytest.fixture
def judging(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Judged:
    monkeypatch.setenv("SONNX_VERIFY_CACHE", str(tmp_path_factory.mktemp("cache")))
    return Judged(monkeypatch)


def test_an_interrupted_run_goes_on(project: Path, judging: Judged) -> None:
    """What was judged is not judged again, and the record is that of a run without a break."""
    file = project / "spec/sonnx/one" / FILE
    judging.ends_at = 4
    mutate(ONE, "--update-records")
    assert not file.exists()
    begun, judging.names, judging.ends_at = judging.names, [], 0
    done = mutate(ONE, "--update-records")
    made = file.read_bytes()

    assert done.exit_code in (0, 1)
    assert not set(begun[:3]) & set(judging.names)
    assert begun[3] in judging.names
    file.unlink()
    store = Store(Path(os.environ["SONNX_VERIFY_CACHE"]))
    for key in store.keys("mutants"):
        store.remove("mutants", key)
    mutate(ONE, "--update-records")
    assert file.read_bytes() == made


def test_another_text_is_judged_anew(project: Path, judging: Judged) -> None:
    """Whatever text of the project changed, also by a comment."""
    mutate(ONE, "--update-records")
    (project / "spec/sonnx/one" / FILE).unlink()
    every, judging.names = judging.names, []
    mutate(ONE, "--update-records")
    assert judging.names == []
    (project / "spec/sonnx/one" / FILE).unlink()
    (project / ONE).write_text("-- Edited.\n" + (project / ONE).read_text("utf-8"), "utf-8")
    mutate(ONE, "--update-records")
    assert judging.names == every


@pytest.mark.parametrize("option", ["--frozen", "--verbose"])
def test_comparing_and_showing_judge_all(option: str, project: Path, judging: Judged) -> None:
    """A comparison trusts no cache, and an outcome that is kept lacks the input that shows it."""
    mutate(ONE, "--update-records")
    every, judging.names = judging.names, []
    mutate(ONE, option)
    assert judging.names == every


def test_a_library_outside_the_project_counts(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The installed library is no text of the project, and an operator may use it."""
    outside = tmp_path_factory.mktemp("installed") / "more.sonnx"
    outside.write_text("library more\n", "utf-8")
    with Solvers() as solvers:
        baseline = Baseline(Project.open(project), solvers)
        before = baseline.digest()
        of = baseline.reach.of
        monkeypatch.setattr(baseline.reach, "of", lambda unit: of(unit) | {outside})
        made = baseline.digest()
        outside.write_text("library more -- Edited.\n", "utf-8")

        assert len({before, made, baseline.digest()}) == 3
