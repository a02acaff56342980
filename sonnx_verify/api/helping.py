"""The obligations of a run that follow with theorems which their texts do not name, and the lines that name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sonnx_verify.authoring.lemmas.search import Helped, Search, with_lines
from sonnx_verify.authoring.repair.proposals import unit_of
from sonnx_verify.language.places import use_folders
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.results.result import Result
from sonnx_verify.solving.check.hints import Hinting
from sonnx_verify.solving.check.needed import Recall, needed_in
from sonnx_verify.solving.solvers import Solvers


@dataclass(slots=True)
class Helping:
    """Looks for theorems with solvers like those of the run: its process may have no threads when it is forked."""

    solvers: Solvers
    hinting: Hinting
    rest_on_all: Callable[[], None] = lambda: None
    """Called once something is found: whatever is decided then may rest on it, in whichever file, and be kept."""
    found: dict[Path, Helped] = field(default_factory=dict)
    """Of each file that is helped: the lines, and what follows with them."""

    def look(self, project: Project, paths: Iterable[Path], listed: Mapping[Path, Sequence[Obligation]] | None) -> None:
        """Look for theorems for files: for all obligations of each, or for those that are `listed`."""
        with self.solvers.again() as mine:
            search = Search(project, mine, self.hinting)
            for path in paths:
                found = search.helped(path, None if listed is None else listed.get(path, []))
                if found is not None:
                    self.found[path] = found
                    self.rest_on_all()

    def among(
        self, project: Project, needed: Sequence[Obligation], asked: Sequence[Path], recall: Recall
    ) -> Sequence[Obligation]:
        """The obligations of files that are not asked for, on which some rest, helped as those that are: else what
        follows with a theorem there would be open here."""
        listed: dict[Path, list[Obligation]] = {}
        for one in needed:
            for unit in project.of_identity(one.id) if one.answer is None else ():
                if unit.path not in asked:
                    listed.setdefault(unit.path, []).append(one)
        helping = Helping(self.solvers, self.hinting, self.rest_on_all)
        helping.look(project, listed, listed)
        found = {name: one for helped in helping.found.values() for name, one in helped.obligations.items()}
        if not found:
            return needed
        known = {one.id for one in needed}
        further = needed_in(project, list(found.values()), recall)
        return [*(one for one in further if one.id not in known), *(found.get(one.id, one) for one in needed)]

    def marked(self, path: Path, result: Result) -> Result:
        """The result with the lines that it was decided with."""
        helped = self.found.get(path)
        if helped is None or result.id not in helped.obligations:
            return result
        return replace(result, lemmas=helped.lines)


def read_again(project: Project, root: Path, path: Path, results: Sequence[Result]) -> None:
    """Read the theorems that results of an earlier run on a file rest on, and that its text does not name."""
    for use in {line for one in results for line in one.lemmas if line.startswith("use ")}:
        files = (folder / f"{use.removeprefix('use ')}.sonnx" for folder in use_folders(path, root))
        theory = next(filter(Path.is_file, files), None)
        if theory is not None:
            project.files.read(theory)


def as_decided(project: Project, obligations: Sequence[Obligation], before: Mapping[str, Result]) -> list[Obligation]:
    """The obligations of a file, those with lines which were decided with some before."""
    made = []
    for one in obligations:
        lines = before[one.id].lemmas
        made.append(with_lines(project, unit_of(project, one), lines).obligations[one.id] if lines else one)
    return made
