"""`check` with a cache: what is read, what is not believed, and what is told of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sonnx_verify.language import trees
from sonnx_verify.language.reach import Reach
from sonnx_verify.solving.inputs import remembered
from sonnx_verify.solving.solvers import Solvers, pool
from sonnx_verify.stores import answers, basis
from sonnx_verify.stores.records import Records
from sonnx_verify.stores.store import KINDS, Store

Run = Callable[..., Result]


def forge(cache: Path, old: bytes, new: bytes) -> int:
    """Write another thing into entries of the upper level, with the right hash; into how many."""
    store = Store(cache)
    found = 0
    for key in store.keys("records"):
        body = store.read("records", key)
        assert body is not None
        if old in body:
            store.write("records", key, body.replace(old, new))
            found += 1
    return found


def edit(project: Path, name: str, old: str, new: str) -> None:
    path = project / "proofs" / f"{name}.sonnx"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize(
    "arguments", [(), ("-v",), ("--format", "json"), ("proofs.few*",), ("proofs/few.sonnx",)], ids=str
)
def test_the_same_bytes_from_the_cache(project: Path, run: Run, arguments: tuple[str, ...]) -> None:
    """Without a cache, while it is filled, and from it."""
    without = run("check", "--no-cache", *arguments)
    first, second = run("check", *arguments), run("check", *arguments)

    assert without.output == first.output == second.output
    assert without.exit_code == first.exit_code == second.exit_code


def test_nothing_is_kept_without_it(project: Path, no_cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--no-cache` neither reads nor writes, and neither does a run where the environment switches it off."""
    run("check", "--no-cache")
    assert not no_cache.exists()
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")
    run("check")
    assert not Path("off").exists()


def test_a_known_file_is_not_decided_again(project: Path, cache: Path, run: Run) -> None:
    """What the upper level says is told, for a file and for patterns; with `--no-cache` it is not."""
    run("check")
    assert forge(cache, b"no integer is large", b"an integer is large") == 1

    assert "an integer is large" in run("check").output
    assert "an integer is large" in run("check", "proofs.other/large").output
    assert "an integer is large" not in run("check", "--no-cache").output


@pytest.mark.parametrize(("name", "old", "new"), [
    ("other", "k <= 2", "k <= 3"),
    ("other", "theorem large", "-- A comment.\ntheorem large"),
])  # fmt: skip  # a table
def test_another_text_is_decided(project: Path, cache: Path, run: Run, name: str, old: str, new: str) -> None:
    """Whatever changed in a file, even if it is a comment: what was kept of it is not told any more."""
    run("check")
    forge(cache, b"no integer is large", b"an integer is large")
    edit(project, name, old, new)

    assert "an integer is large" not in run("check").output


def test_another_text_elsewhere_is_decided(project: Path, cache: Path, run: Run) -> None:
    """Another definition in a library: what uses it is decided, and of it is not told what was kept; a file that does
    not reach the library is not decided again."""
    run("check")
    assert forge(cache, b"no integer is large", b"an integer is large") == 1
    assert forge(cache, b"one more is not less", b"one more is less") == 1
    edit(project, "amounts", "n + n", "n")
    done = run("check", "--verbose")

    assert "refuted     proofs.few.int/even/theorem" in done.output
    assert "one more is less" not in done.output
    assert "an integer is large" in done.output


def test_a_pattern_finds_what_a_whole_run_kept(project: Path, cache: Path, run: Run) -> None:
    """A pattern of a project that no run knew in part decides only what changed."""
    run("check")
    forge(cache, b"no integer is large", b"an integer is large")
    edit(project, "few", "m : int assuming n < m", "m : int assuming n <= m")

    assert "proofs.few.int/more/theorem" in run("check", "proofs.few*").output
    assert "an integer is large" in run("check", "proofs.other*").output


def test_a_new_file_that_stands_for_another(project: Path, run: Run) -> None:
    """A library beside a file comes before one elsewhere: it counts from when it is there."""
    (project / "spec" / "common").mkdir(parents=True)
    shutil.move(project / "proofs" / "amounts.sonnx", project / "spec" / "common" / "amounts.sonnx")
    assert "refuted proofs.few" not in run("check").output
    nearer = 'library amounts "Of numbers"\n\ndefine twice(n : int) : int = n\n'
    (project / "proofs" / "amounts.sonnx").write_text(nearer, "utf-8")

    assert "refuted proofs.few.int/even/theorem" in run("check").output


def test_what_is_needed_is_recalled(project: Path, cache: Path, run: Run) -> None:
    """A theorem that another file's proof uses is not decided again; what is told of the proof is the same."""
    (project / "proofs" / "above.sonnx").write_text(
        'theory above "Of integers"\nuse few\n\ntypes int = int8 int16\n\n'
        'theorem again "twice is above"\n  for n : int assuming n > 1\n  using even(n)\n  : twice(n) > n\n',
        "utf-8",
    )
    fresh = run("check", "--no-cache", "proofs/above.sonnx", "-v")
    assert "proved      proofs.above.int/again/theorem" in fresh.output
    run("check", "proofs/few.sonnx")
    assert run("check", "proofs/above.sonnx", "-v").output == fresh.output
    run("cache", "clear")
    run("check", "proofs/few.sonnx")
    forge(cache, b'"proved"', b'"violated"')

    assert (
        "depends on proofs.few.int/even/theorem, which is violated" in run("check", "proofs/above.sonnx", "-v").output
    )


def test_what_is_needed_is_recalled_for_several_processes(project: Path, run: Run) -> None:
    """What was recalled counts where processes decide, too: no solver said anything to it in this run."""
    theorems = [
        f'theorem again{n} "twice is above"\n  for n : int assuming n > {n}\n  using even(n)\n  : twice(n) > n\n'
        for n in (1, 2, 3)
    ]
    head = 'theory above "Of integers"\nuse few\n\ntypes int = int8 int16\n\n'
    (project / "proofs" / "above.sonnx").write_text(head + "\n".join(theorems), "utf-8")
    fresh = run("check", "--no-cache", "proofs/above.sonnx", "-v")
    assert fresh.output.count("proved      proofs.above.int/again") == 3
    run("check", "proofs/few.sonnx")

    assert run("check", "proofs/above.sonnx", "-v", "--jobs", "2").output == fresh.output


@pytest.mark.parametrize("damage", ["shorter", "moved", "emptied", "no records", "no verdict", "no place", "no text"])
def test_a_damaged_entry_is_not_believed(project: Path, cache: Path, run: Run, damage: str) -> None:
    """The run is as if it were not there, and mends it."""
    before = run("check", "--format", "json").output
    store = Store(cache)
    keys = store.keys("records")
    for key, other in zip(keys, [*keys[1:], keys[0]], strict=True):
        path = cache / "records" / key
        if damage == "moved":
            path.write_bytes((cache / "records" / other).read_bytes())
        elif damage in ("shorter", "emptied"):
            path.write_bytes(path.read_bytes()[: -5 if damage == "shorter" else 0])
        elif damage == "no place":
            body = store.read("records", key)
            assert body is not None
            store.write("records", key, body.replace(b'"place"', b'"places"'))
        elif damage == "no text":
            store.write("records", key, b'[{"id": "\xff"}]')
        else:
            store.write("records", key, b'{"a": 1}' if damage == "no records" else b'[{"id": "x"}]')

    assert run("check", "--format", "json").output == before
    assert run("check", "--format", "json").output == before


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"verdict":"refuted"', b'"verdict":"proved"'), (b'"cvc5":"unsat"', b'"cvc5":"sat"')],
    ids=["verdict", "answers"],
)
def test_a_proof_beside_other_answers_is_not_believed(
    project: Path, cache: Path, run: Run, old: bytes, new: bytes
) -> None:
    """What two solvers did not find unsat is not told as proved: the run is as if nothing were kept, and mends it."""
    before = run("check", "--format", "json").output
    assert forge(cache, old, new) >= 1

    assert run("check", "--format", "json").output == before
    assert forge(cache, old, old) >= 1


def test_a_lie_is_found_out(project: Path, cache: Path, run: Run) -> None:
    """A frozen run decides some of what it read again, without the cache: what was made up is told, and forgotten."""
    run("check", "--update-ledger")
    assert forge(cache, b'"verdict":"refuted"', b'"verdict":"holds"') == 1
    done = run("check", "--frozen")

    assert done.exit_code == 1
    assert "cache: proofs.other/large/theorem: the cache had holds, it is refuted" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("failed: ")
    assert run("check", "--frozen").stdout.splitlines()[-1] == "failed, though nothing differs from the ledger"


@pytest.mark.parametrize(
    "answers",
    [b"{}", b'{"z3":"sat","cvc5":"sat"}', b'{"z3":"unsat"}', b'{"z3":"unsat","cvc5":"unknown"}'],
)
def test_a_proof_without_its_answers_is_not_believed(project: Path, cache: Path, run: Run, answers: bytes) -> None:
    """Whoever wrote `proved` beside other answers than unsat of two solvers was not this tool: it is decided again."""
    before = run("check", "--format", "json").output
    unsat = b'"answers":{"z3":"unsat","cvc5":"unsat"},"queries"'
    assert forge(cache, unsat, b'"answers":' + answers + b',"queries"') == 1

    assert run("check", "--format", "json").output == before


def test_a_lie_is_in_the_reports(project: Path, cache: Path, run: Run) -> None:
    """As what it is: no difference from the ledger. Where the verdict is the same, what else is not."""
    run("check", "--update-ledger")
    assert forge(cache, b'"elements":[3]', b'"elements":[4]') == 1
    done = run("check", "--frozen", "--format", "json", "--report", f"junit={project / 'out.xml'}")

    said = json.loads(done.stdout)
    line = "proofs.other/large/theorem: it is refuted, as the cache had it, and the cache had another counterexample"
    assert done.exit_code == 1
    assert said["cache"] == [line]
    assert said["ledger"] == []
    assert '<testsuite name="cache" tests="1" failures="1"' in (project / "out.xml").read_text("utf-8")


def test_a_witness_that_hints_gave_is_no_lie(
    project: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not called smallest, and one that is searched for is: the cache had neither from anybody else."""
    monkeypatch.setattr(remembered, "MANY", 0)
    run("check", "--no-cache", "--update-hints", "--update-ledger")
    kept = {o["id"]: o["witness"] for o in json.loads(run("check", "--format", "json").output)["obligations"]}
    assert any(witness and not witness["minimal"] for witness in kept.values())

    assert "cache had" not in run("check", "--frozen").stderr


@pytest.fixture
def hard(project: Path) -> Path:
    """The project with a theorem that stays undecided within the work that is allowed."""
    (project / "proofs" / "hard.sonnx").write_text(
        'theory hard "Of integers"\n\n'
        'theorem far "not so, at one place"\n  for k : int\n  : 2 * k != 2000000000000000002\n',
        "utf-8",
    )
    return project


def test_what_a_budget_left_open_is_kept(hard: Path, cache: Path, run: Run) -> None:
    """Undecided within the work that is allowed: the next run reads that, and says the same."""
    first = run("check")
    assert "candidate proofs.hard/far/theorem" in first.output
    assert forge(cache, b"not so, at one place", b"not so, at two places") == 1

    again = run("check")
    assert again.exit_code == first.exit_code
    assert again.output == first.output.replace("not so, at one place", "not so, at two places")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_clock_ended_is_not_kept(
    hard: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    """The same theorem where a clock ended a solver: another run may learn more."""
    monkeypatch.setattr(pool, "REPEATABLE", ())  # as if a clock had ended each answer
    assert "candidate proofs.hard/far/theorem" in run("check", "--jobs", jobs).output

    assert forge(cache, b"no integer is large", b"an integer is large") == 1
    assert forge(cache, b"not so, at one place", b"not so, at two places") == 0


def test_what_rests_on_a_clock_is_not_kept(hard: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What uses a theorem that a clock left open is open for no longer than that; else it is kept too."""
    (hard / "proofs" / "above.sonnx").write_text(
        'theory above "Of integers"\nuse hard\n\n'
        'theorem again "again, it is not so"\n  for k : int\n  using far(k)\n  : 4 * k != 4000000000000000004\n',
        "utf-8",
    )
    with monkeypatch.context() as slow:
        slow.setattr(pool, "REPEATABLE", ())
        assert "unknown proofs.above/again/theorem" in run("check").output
    assert forge(cache, b"again, it is not so", b"it is not so") == 0
    assert "unknown proofs.above/again/theorem" in run("check").output

    assert forge(cache, b"again, it is not so", b"it is not so") == 1


def test_a_missing_solver_reads_nothing(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What two solvers said is not told where one of them is missing."""
    from sonnx_verify.solving.solvers import registry

    proved = run("check", "proofs/few.sonnx", "-v").output
    monkeypatch.delitem(registry.ADAPTERS, "cvc5")
    done = run("check", "proofs/few.sonnx", "-v")

    assert "proved      proofs.few.int/more/theorem" in proved
    assert "unknown     proofs.few.int/more/theorem" in done.output
    assert done.exit_code == 3


def test_answers_are_kept_by_text_and_solver(project: Path, cache: Path, run: Run) -> None:
    """The lower level answers where the upper one does not, and not for another budget, solver or version."""
    run("check", "proofs/few.sonnx")
    store = Store(cache)
    for key in store.keys("records"):
        store.remove("records", key)
    obligations = json.loads(run("check", "--format", "json").output)["obligations"]
    hashes = [q["sha256"] for o in obligations for q in o["queries"]]
    from sonnx_verify.solving.solvers import DEFAULT_BUDGET, Solvers

    versions = Solvers().versions()
    kept = answers.Answers(store, versions)
    found = {sha256: a for sha256 in hashes if (a := kept.find("z3", sha256, DEFAULT_BUDGET)) is not None}
    sha256 = next(iter(found))

    assert found[sha256].status in ("sat", "unsat")
    assert kept.find("z3", sha256, DEFAULT_BUDGET + 1) is None
    assert kept.find("z4", sha256, DEFAULT_BUDGET) is None
    assert answers.Answers(store, {**versions, "z3": "0"}).find("z3", sha256, DEFAULT_BUDGET) is None


def test_another_tool_reads_nothing(project: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with another line of code is another tool."""
    run("check")
    forge(cache, b"no integer is large", b"an integer is large")
    monkeypatch.setattr(basis, "digest_from", lambda root: "another")

    assert "an integer is large" not in run("check").output


def test_a_tool_that_prints_something_else(
    project: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of code that decides nothing leaves verdicts as they are; what a report concludes besides is made anew."""
    run("check")
    forge(cache, b"no integer is large", b"an integer is large")
    versions = Solvers().versions()
    before = basis.Basis(Reach.of(project, []), versions).key("gaps")
    monkeypatch.setattr(basis, "digest_of", lambda: "another")
    after = basis.Basis(Reach.of(project, []), versions).key("gaps")

    assert "an integer is large" in run("check").output
    assert before is not None
    assert before != after


def test_commands(project: Path, no_cache: Path, run: Run) -> None:
    """`stats` counts, `clear` empties."""
    run("check")
    full = json.loads(run("cache", "stats", "--format", "json").output)
    cleared = run("cache", "clear").output
    empty = json.loads(run("cache", "stats", "--format", "json").output)

    assert full["records"]["files"] == 3
    assert full["answers"]["files"] >= 1
    kept = sum(found["files"] for found in full.values() if isinstance(found, dict))
    assert cleared == f"{kept} files removed from {no_cache}\n"
    assert {kind: empty[kind] for kind in ("records", "answers")} == {
        "records": {"files": 0, "bytes": 0}, "answers": {"files": 0, "bytes": 0},
    }  # fmt: skip  # a table


def test_a_cache_that_cannot_be_written(project: Path, no_cache: Path, run: Run) -> None:
    """It is told, and the run goes on: the same answer, the same status."""
    no_cache.parent.mkdir(exist_ok=True)
    no_cache.write_text("mine", "utf-8")
    done, without = run("check"), run("check", "--no-cache")

    assert (done.exit_code, done.stdout) == (without.exit_code, without.stdout)
    assert done.stderr == f"the cache {no_cache} cannot be written: File exists; continuing without the cache\n"


def test_the_size_is_bounded(project: Path, cache: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more stays than the environment allows, also of a command that keeps nothing but trees; what is no number is
    an error."""
    for size in ("1", "0"):
        monkeypatch.setenv("SONNX_VERIFY_CACHE_MIB", size)
        for command in ("check", "list"):
            trees.parsed.cache_clear()
            run(command)
            left = [p for p in cache.rglob("*") if p.is_file()]
            assert (left == []) is (size == "0")
    monkeypatch.setenv("SONNX_VERIFY_CACHE_MIB", "much")
    done = run("check")
    assert done.exit_code == 2
    assert "to fix: write a number of MiB" in done.stderr


def test_a_text_that_changes_while_it_is_checked(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept under a text was concluded of that text, not of what was written over it meanwhile."""
    from sonnx_verify.api import decided

    path = project / "proofs" / "other.sonnx"
    before = path.read_text("utf-8")
    really = decided.Decided.__post_init__

    def later(self: decided.Decided) -> None:
        path.write_text(before.replace("k <= 2", "k < k + 1"), "utf-8")
        really(self)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(decided.Decided, "__post_init__", later)
        first = run("check", "proofs/other.sonnx")

    assert "refuted proofs.other/large/theorem" in first.output
    assert "proved      proofs.other/large/theorem" in run("check", "proofs/other.sonnx", "-v").output


FALSE_LATER = [
    ("a comment that ends with use", "-- what these theorems use\nuse amounts\n"),
    ("a comment between", "use -- which\n  amounts\n"),
]


@pytest.mark.parametrize(("what", "uses"), FALSE_LATER, ids=[what for what, _ in FALSE_LATER])
def test_however_it_is_used(project: Path, run: Run, what: str, uses: str) -> None:
    """A library counts in whatever way a text is written that uses it."""
    edit(project, "few", "use amounts\n", uses)
    assert "proved      proofs.few.int/even/theorem" in run("check", "-v").output
    edit(project, "amounts", "n + n", "0 - n")

    assert "refuted     proofs.few.int/even/theorem" in run("check", "-v").output


def test_links_count(project: Path, run: Run) -> None:
    """A library that is a link to a file of another name, and one beside a link that is named."""
    (project / "laws").mkdir()
    (project / "proofs" / "amounts.sonnx").rename(project / "laws" / "first.sonnx")
    (project / "proofs" / "amounts.sonnx").symlink_to("../laws/first.sonnx")
    assert "proved      proofs.few.int/even/theorem" in run("check", "-v").output
    path = project / "laws" / "first.sonnx"
    path.write_text(path.read_text("utf-8").replace("n + n", "0 - n"), "utf-8")

    assert "refuted     proofs.few.int/even/theorem" in run("check", "-v").output


def test_where_a_text_stands_counts(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same texts in a folder of another namespace are others."""
    law = 'theory laws "Laws"\n\ntheorem one "one" : 1 = 1\n'
    for folder in ("first", "second/spec/sonnx"):
        (project / folder).mkdir(parents=True)
        (project / folder / "laws.sonnx").write_text(law, "utf-8")
    said = []
    for folder in ("first", "second"):
        monkeypatch.chdir(project / folder)
        said.append(run("check", "-v").output)

    assert "user.laws/one/theorem" in said[0]
    assert "sonnx.laws/one/theorem" in said[1]


def test_files_of_others_stay(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but entries is removed from the folder, also where it is somebody's own."""
    monkeypatch.setenv("SONNX_VERIFY_CACHE", ".")
    for kind in KINDS:
        (project / kind).mkdir()
        (project / kind / "mine.txt").write_text("mine", "utf-8")
    run("check")
    run("check")
    run("cache", "clear")

    for kind in KINDS:
        assert (project / kind / "mine.txt").read_text("utf-8") == "mine"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_has_no_time_is_neither_kept_nor_in_a_ledger(hard: Path, cache: Path, run: Run, jobs: str) -> None:
    """`--timeout` leaves an obligation undecided, and nobody takes that for what other runs would find."""
    done = run("check", "--timeout", "1e-9", "--jobs", jobs, "-v")

    assert "unknown     proofs.hard/far/theorem" in done.output
    assert "not decided in time (--timeout)" in done.output
    assert done.exit_code == 3
    assert forge(cache, b"no integer is large", b"an integer is large") == 0
    assert "candidate proofs.hard/far/theorem" in run("check", "--timeout", "60", "--jobs", jobs).output
    for option in ("--frozen", "--update-ledger", "--update-hints"):
        refused = run("check", option, "--timeout", "60")
        assert refused.exit_code == 2
        assert f"{option} does not go with --timeout" in refused.output


def test_a_ledger_has_nothing_that_a_clock_ended(hard: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left out and named; the rest is written."""
    monkeypatch.setattr(pool, "REPEATABLE", ())
    done = run("check", "--update-ledger")
    assert (
        "note: left out 1 obligation that a clock, a crash or a lack of memory ended: proofs.hard/far/theorem"
        in done.output
    )
    entries = json.loads((hard / "proofs" / "ledger.json").read_text("utf-8"))["obligations"]
    assert "proofs.hard/far/theorem" not in entries
    assert entries["proofs.other/large/theorem"]["verdict"] == "refuted"


@pytest.mark.parametrize("changed", [False, True])
def test_what_changed_before_it_is_written_is_not_kept(changed: bool, project: Path, cache: Path) -> None:
    """Records are written some files at a time: none is, once something that they may rest on is another."""
    path = min(project.rglob("*.sonnx"))
    records = Records(Store(cache), basis.Basis(Reach.of(project, []), Solvers().versions()))
    records.keep(path, [])
    before = Store(cache).keys("records")
    if changed:
        path.write_text(path.read_text("utf-8") + "\n-- more\n", "utf-8")
    records.flush()

    assert before == []
    assert bool(Store(cache).keys("records")) is not changed
