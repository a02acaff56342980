"""Hypothesis profiles and the fixtures that every folder of tests may use."""

import atexit
import gc
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings

import sonnx_verify
from sonnx_verify.interpreter import SELDOM
from sonnx_verify.language.kept import keep_in
from sonnx_verify.stores.store import store_of_trees

ROOT = Path(__file__).resolve().parent.parent

# ci: the same examples on every machine, few enough for a job of ten minutes. soak: fresh ones on every run, and many.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("soak", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile("soak" if os.environ.get("SONNX_SOAK") == "1" else "ci")

if "PYTEST_XDIST_WORKER" not in os.environ:
    # The cache of the person who runs the tests is not ours, but for a test that needs what `make verify` left there.
    # The processes that xdist starts share this one.
    os.environ["SONNX_VERIFY_OWN_CACHE"] = os.environ.get("SONNX_VERIFY_CACHE", "")
    os.environ["SONNX_VERIFY_CACHE"] = tempfile.mkdtemp(prefix="sonnx-verify-")
    atexit.register(shutil.rmtree, os.environ["SONNX_VERIFY_CACHE"], ignore_errors=True)

# Processes that tests start have the package that these have, the wheel in `make test`.
os.environ["PYTHONPATH"] = str(Path(sonnx_verify.__file__).parents[1])
# The cores are busy with tests already. Those of several processes name how many.
os.environ["SONNX_VERIFY_JOBS"] = "1"

# What is printed depends on these, and a CI server sets some of them. Tests that mean them set them.
for name in ("CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
    os.environ.pop(name, None)
os.environ["TERM"] = "xterm"

# What a shell runs in the background ignores the keyboard, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

NIGHTLY: Sequence[Mapping[str, Any]] = tomllib.loads((ROOT / "tests" / "nightly.toml").read_text("utf-8"))["nightly"]
"""The groups of tests that run nightly in place of here, or some of their cases."""
LEFT_TO_THE_SOAK = pytest.StashKey[dict[str, int]]()
"""How many cases of each test are left to the soak."""

keep_in(store_of_trees)

CACHE = Path(os.environ["SONNX_VERIFY_CACHE"])


@pytest.fixture(scope="session")
def tables_in() -> Callable[[Path], Path]:
    """Makes a folder a cache that knows nothing but how to parse: to find that out takes longer than most tests, and is
    the same for every text."""

    def made(folder: Path) -> Path:
        if not (CACHE / "tables").is_dir():
            environment = {**os.environ, "SONNX_VERIFY_CACHE": str(CACHE)}
            # It reads one text, by every parser that there is.
            command = [sys.executable, "-m", "sonnx_verify", "fmt", "--check", "spec/common/general_restrictions.sonnx"]
            subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        shutil.copytree(CACHE / "tables", folder / "tables")
        folder.chmod(0o700)
        return folder

    return made


# All tests make terms, which are never garbage.
gc.set_threshold(*SELDOM)


def tests_of(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test, by its name."""
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return found


def leave_to_the_night(group: Mapping[str, Any], name: str, cases: Mapping[str, pytest.Item]) -> None:
    """Mark the cases of a test that its group leaves to the night. A case is named by how it begins."""
    keep, leave = (group.get(way, {}).get(name) for way in ("keep", "leave"))
    named = tuple(keep or leave or ())
    if unknown := [one for one in named if not any(case.startswith(one) for case in cases)]:
        raise pytest.UsageError(f"tests/nightly.toml: {name} has no case {', '.join(unknown)}")
    for case, item in cases.items():
        if not named and "one_in" in group:
            item.add_marker(pytest.mark.thinned(group["one_in"]), append=False)
        elif not named or case.startswith(named) is (leave is not None):
            item.add_marker(pytest.mark.soak)


def thin(cases: Sequence[pytest.Item]) -> None:
    """Leave some cases of a test that is `thinned` to the night; one of them stays at least."""
    met: set[tuple[str, str]] = set()
    numbers = {item: crc32(item.name.encode()) for item in cases}
    for item in cases:
        mark = item.get_closest_marker("thinned")
        assert mark is not None
        values = {(name, repr(value)) for name, value in item.callspec.params.items()}  # type: ignore[attr-defined]
        # By its name: another case before it changes nothing.
        rests = {n % mark.args[0] for n in numbers.values()} if mark.args else set()
        if numbers[item] % mark.args[0] == min(rests) if rests else not values <= met:
            met |= values
        else:
            item.add_marker(pytest.mark.soak)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests of the list, and some cases of those that are `thinned`, to the night; none where a case is asked for
    by its name. Keep of the soak the share that it asks for."""
    left = config.stash.setdefault(LEFT_TO_THE_SOAK, {})
    if not any("[" in argument for argument in config.args):
        of_tests = tests_of(items)
        for group in NIGHTLY:
            for name in {*group.get("tests", ()), *group.get("keep", ()), *group.get("leave", ())} & of_tests.keys():
                cases = {item.name.partition("[")[2].removesuffix("]"): item for item in of_tests[name]}
                leave_to_the_night(group, name, cases)
        thinned = (i for i in items if i.get_closest_marker("thinned") and not i.get_closest_marker("soak"))
        for of_one in tests_of(thinned).values():
            thin(of_one)
    # Which cases are left depends on all of them: the share comes last.
    if share := os.environ.get("SONNX_SOAK_SHARE"):
        turn, of = map(int, share.split("/"))
        others = [item for item in items if crc32(item.nodeid.encode()) % of != turn]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if crc32(item.nodeid.encode()) % of == turn]
    for item in items:
        if item.get_closest_marker("soak"):
            name = item.nodeid.partition("[")[0]
            left[name] = left.get(name, 0) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which cases were left to the soak."""
    left = config.stash.get(LEFT_TO_THE_SOAK, {})
    if not left or "not soak" not in config.getoption("markexpr", ""):
        return
    terminalreporter.write_line(f"{sum(left.values())} cases of {len(left)} tests run nightly, or in `make soak`")
    if terminalreporter.verbosity >= 0:  # of itself it is less
        for name, count in sorted(left.items()):
            terminalreporter.write_line(f"  {count:>5} of {name}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave the heap alone from here on: pytest collects garbage several times before it ends, and terms are many."""
    gc.collect()
    gc.freeze()
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left"] = session.config.stash.get(LEFT_TO_THE_SOAK, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a process of xdist what it left to the soak: each of them collects all tests."""
    node.config.stash[LEFT_TO_THE_SOAK] = getattr(node, "workeroutput", {}).get("left", {})


@pytest.fixture(scope="session")
def children_of() -> Callable[[int], list[int]]:
    """A function from a process to those that it started and that still run, where the system tells."""

    def found(pid: int) -> list[int]:
        children: list[int] = []
        # Each thread lists those that it started.
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                children += map(int, task.read_text().split())
        return children

    return found


@pytest.fixture(scope="session")
def wait_gone() -> Callable[[int], None]:
    """A function that waits until a process has ended, which need not be a child of ours: `waitpid` waits for children
    alone."""

    def wait(pid: int) -> None:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        assert select.select([handle], [], [], 60)[0], f"{pid} is still there"
        os.close(handle)

    return wait


@pytest.fixture(scope="session")
def start_playground() -> Callable[[Path], tuple[subprocess.Popen[str], str]]:
    """A function that starts `serve` in a folder, as a person does. It gives the process, and the address of the page.
    Whoever starts one ends it."""

    def start(folder: Path) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "sonnx_verify", "serve"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        word, url = process.stdout.readline().split()
        assert word == "playground:"
        return process, url

    return start


@pytest.fixture(scope="session")
def git() -> Callable[..., None]:
    """A function that runs git in a folder, as somebody of no account at a fixed second."""
    who = {f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    when = {f"GIT_{role}_DATE": "2024-02-29T12:00:00+00:00" for role in ("AUTHOR", "COMMITTER")}

    def run(folder: Path, *arguments: str) -> None:
        command = ["git", "-c", "commit.gpgsign=false", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, env={**os.environ, **who, **when})

    return run


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache: for what compares runs, which have to be runs."""
    monkeypatch.setenv("SONNX_VERIFY_CACHE", "off")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout. Without it the test is skipped, and the run says so."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("there is no folder `shared` beside the checkout")
    return path
