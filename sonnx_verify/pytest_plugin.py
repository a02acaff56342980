"""`pytest --sonnx spec/`: each obligation of specifications as a test.

pytest loads this module in every project that has the package, used or not: so it imports the rest of the package only
where the option is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sonnx_verify.api.asked import Asked
    from sonnx_verify.results.result import Result


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--sonnx`, as often as wanted."""
    group = parser.getgroup("sonnx", "specifications of SONNX operators")
    group.addoption(
        "--sonnx", action="append", default=[], metavar="WHAT",
        help="Check specifications: a file, a folder, or a pattern of identities such as 'sonnx.Max-13*'.",
    )  # fmt: skip  # a table


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the obligations to the tests. Raises pytest.UsageError for what names nothing."""
    if what := config.getoption("--sonnx"):
        items += Specifications.from_parent(session, name="sonnx", what=what).collect()


class Specifications(pytest.Collector):
    """The specifications that `--sonnx` names. They are decided when the first of their tests runs."""

    def __init__(self, what: list[str], **rest: Any) -> None:
        super().__init__(**rest)
        self.what = what
        self._results: dict[tuple[str, str], Result] | None = None
        self.errors: list[str] = []
        """The errors of the texts when they were decided."""

    def collect(self) -> list[pytest.Item]:
        """A test for each obligation, and one for each text that cannot be read."""
        from sonnx_verify.api.select import selected
        from sonnx_verify.errors import UserError
        from sonnx_verify.interpreter import seldom_collected
        from sonnx_verify.language.kept import keep_in
        from sonnx_verify.stores.store import store_of_trees

        keep_in(store_of_trees)
        try:
            asked = self._asked()
            with seldom_collected():
                chosen = selected(asked)
            if not chosen.errors:
                asked.refuse_unmatched(obligation.id for obligation in chosen.obligations)
        except UserError as error:
            raise pytest.UsageError(str(error)) from error
        made: list[pytest.Item] = []
        # A text with a mistake has no tests: without this one a run would pass for want of them.
        for mistake in chosen.errors:
            name = "texts"
            if mistake.span is not None:
                name = mistake.span.source.name
            made.append(Unreadable.from_parent(self, name=name, why=str(mistake)))
        for obligation in chosen.obligations:
            file = obligation.span.source.name
            place = (asked.root / file, obligation.span.line)
            made.append(ObligationTest.from_parent(self, name=obligation.id, file=file, place=place))
        return made

    def result_of(self, file: str, identity: str) -> Result | None:
        """The result of an obligation of a file. Two files may have one of the same identity."""
        if self._results is None:
            from sonnx_verify.interpreter import seldom_collected

            # All at once, as they share answers and witnesses. Other tests may have gone to another folder.
            with chdir(self.config.invocation_params.dir), seldom_collected():
                self._results = {(one.place.file, one.id): one for one in self._decided()}
        return self._results.get((file, identity))

    def _asked(self) -> Asked:
        from sonnx_verify.api.asked import Asked

        return Asked.of(self.what)

    def _decided(self) -> Iterator[Result]:
        from sonnx_verify.api.cache import opened, solvers_with
        from sonnx_verify.api.decided import Decided
        from sonnx_verify.solving.solvers import Solvers

        asked = self._asked()
        cache = opened(asked.root, asked.further, Solvers().versions())
        with solvers_with(cache) as solvers:
            # One process: pytest-xdist runs several of these, and has threads, beside which no process is forked.
            decided = Decided(asked, cache, 1)
            yield from decided.results(solvers)
        self.errors = [str(error) for error in decided.errors]
        if cache is not None:
            cache.close()


class NotAsItShouldBe(Exception):
    """An obligation with another verdict than it should have; its text is what `check` tells."""


class ObligationTest(pytest.Item):
    """A test that passes where the verdict is as it should be. What is undecided fails."""

    parent: Specifications

    def __init__(self, file: str, place: tuple[Path, int], **rest: Any) -> None:
        super().__init__(**rest)
        self._file, self._place = file, place

    def runtest(self) -> None:
        """Decide it with all the others, once, and look."""
        from sonnx_verify.outputs.console import finding_lines, hint_lines

        one = self.parent.result_of(self._file, self.name)
        # Collected, and not decided: the text was changed in between, perhaps by another test.
        if one is None:
            why = self.parent.errors or ["its text changed, or cannot be read"]
            raise NotAsItShouldBe("\n".join([f"{self.name} could not be decided:", *why]))
        if one.surprising:
            raise NotAsItShouldBe("\n".join([*finding_lines(one), *hint_lines(one)]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The finding alone, as `check` prints it."""
        if isinstance(excinfo.value, NotAsItShouldBe):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The clause."""
        return self._place[0], self._place[1] - 1, self.name


class Unreadable(pytest.Item):
    """A text that cannot be read: a test that fails."""

    def __init__(self, why: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.why = why

    def runtest(self) -> None:
        """Fail."""
        raise NotAsItShouldBe(self.why)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The mistake alone."""
        return str(excinfo.value)
