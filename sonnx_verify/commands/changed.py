"""What a difference touches: the obligations that say something else than they did, and those that rest on them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sonnx_verify.cache.reach import Reach
from sonnx_verify.check.collect import of_unit
from sonnx_verify.commands.asked import Asked
from sonnx_verify.errors import SpecificationError, UsageError, UserError, source_of
from sonnx_verify.language.files import Unit
from sonnx_verify.language.items import Items
from sonnx_verify.language.places import files_of_project, resolved, shown_as
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.report.console import counted_text


@dataclass(slots=True)
class Changed:
    """What of what was asked for a difference touches, and what it does not: whole files, and how many obligations of
    the other ones."""

    ref: str
    asked: Asked
    files: int = 0
    obligations: int = 0
    everything: bool = False
    """Whether something changed that all of it may rest on."""
    gone: tuple[str, ...] = ()
    """The files that are there no more, as messages show them."""

    def lines(self) -> list[str]:
        """What was left out, and why."""
        if self.gone:
            return [f"gone since {self.ref}: {', '.join(self.gone)}", *replace(self, gone=()).lines()]
        if self.everything:
            return [f"left out: nothing; more than the text of specifications changed since {self.ref}"]
        lines = []
        if self.files:
            lines.append(f"left out: {counted_text(self.files, 'file')}, for which nothing changed since {self.ref}")
        if self.obligations:
            what = counted_text(self.obligations, "obligation that says", "obligations that say")
            lines.append(f"left out: {what} the same as in {self.ref}")
        return lines or [f"left out: nothing; all of it changed since {self.ref}"]

    def json(self) -> dict[str, object]:
        """The same in JSON."""
        return {
            "ref": self.ref,
            "files_left_out": self.files,
            "obligations_left_out": self.obligations,
            "files_gone": list(self.gone),
        }


def changed_since(ref: str, asked: Asked) -> Changed:
    """What of `asked` is otherwise than in a commit of the repository that the project is in. Raises UsageError where
    there is no such commit, or no repository."""
    if asked.patterns:
        raise UsageError("--changed and a pattern of identities do not go together", cure="name files, or nothing")
    sha = _commit(ref, asked.root)
    # A file from elsewhere has no history here; what is found through a link may have another one, and so may all that
    # rests on what is no specification.
    now, then = _now_and_then(sha, asked)
    lost = tuple(shown_as(path, asked.root) for path in files_gone(now, then))
    if _has_links(asked.root) or _others_differ(sha, asked.root):
        return Changed(ref, asked, everything=True, gone=lost)
    further = set(asked.further)
    touched = [p for p in asked.whole if p in further or now.digest(p) is None or now.digest(p) != then.digest(p)]
    left = len(asked.whole) - len(touched)
    made = Changed(ref, replace(asked, whole=[], files=touched), files=left, gone=lost)
    if not touched:
        return made
    project = Project.open(asked.root, now.texts)
    project.units.extend(Project.of_files(Path.cwd(), asked.further, now.texts).units)
    every = _obligations(project, touched)
    items_now, items_then = Items.of(now.texts), Items.of(then.texts)

    def differs(path: Path, unit: Unit, obligation: Obligation) -> bool:
        # Each item of an operator's text counts for each of its obligations.
        name = "" if unit.file is None or unit.file.version is not None else obligation.tag
        key = resolved(path)
        return now.item(items_now, key, name) != then.item(items_then, key, name)

    other = {o.id for path, found in every.items() for unit, o in found or () if differs(path, unit, o)}
    listed = [o for found in every.values() for _, o in found or ()]
    while more := {o.id for o in listed if o.id not in other and not other.isdisjoint((*o.uses, *o.presumes))}:
        other |= more
    for path, found in every.items():
        if found is None:
            made.asked.whole.append(path)
        else:
            made.asked.picked[path] = frozenset(o.id for _, o in found if o.id in other)
            made.obligations += sum(o.id not in other for _, o in found)
    return made


def now_and_then(ref: str, asked: Asked) -> tuple[Reach, Reach]:
    """The texts as they are, and as they were in a commit. Raises UsageError where there is no such commit."""
    return _now_and_then(_commit(ref, asked.root), asked)


def files_gone(now: Reach, then: Reach) -> list[Path]:
    """The files of the project that were there in a commit and are not now."""
    return sorted(then.texts.keys() - now.texts.keys())


def _now_and_then(sha: str, asked: Asked) -> tuple[Reach, Reach]:
    before = _texts_in(sha, asked.root)
    now = Reach.of(asked.root, asked.further)
    # What is not in the commit was not there; what is not in the repository is as it always was.
    mine = (p for p in now.texts if p.is_relative_to(resolved(asked.root)))
    instead: dict[Path, str | None] = {**dict.fromkeys(mine), **before}
    return now, now.with_texts(instead)


def _obligations(project: Project, paths: Iterable[Path]) -> dict[Path, list[tuple[Unit, Obligation]] | None]:
    """The obligations of each file; None where there is a mistake in it, which has to be told."""
    named = {resolved(p): p for p in paths}
    found: dict[Path, list[tuple[Unit, Obligation]] | None] = {p: [] for p in named.values()}
    for unit in project.units:
        path = named.get(unit.place)
        listed = None if path is None else found[path]
        if path is not None and listed is not None:
            try:
                if unit.error is not None:
                    raise unit.error
                found[path] = [*listed, *((unit, o) for o in of_unit(project, unit))]
            except UserError:
                found[path] = None
    return found


# ------------------------------------------------------------------------------------------------------------------ git


def _commit(ref: str, root: Path) -> str:
    """The commit that a name stands for in the repository of a project."""
    no_commit = f"name a commit, branch or tag of the repository: `{ref}` is none"
    commit = _git(root, no_commit, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return commit.decode().strip()


def _texts_in(sha: str, root: Path) -> dict[Path, str | None]:
    """What the specifications of a project said in a commit, by their paths without links. What was no text said
    nothing."""
    listed = _git(root, "see to the repository", "ls-tree", "-r", "-z", "--name-only", sha, "--", *_parts(root))
    texts: dict[Path, str | None] = {}
    for name in listed.decode("utf-8", "surrogateescape").split("\0"):
        if name.endswith(".sonnx"):
            data = _git(root, "see to the repository", "cat-file", "blob", f"{sha}:./{name}")
            try:
                texts[resolved(root / name)] = source_of(name, data).text
            except SpecificationError:
                texts[resolved(root / name)] = ""
    return texts


def _parts(root: Path) -> tuple[str, ...]:
    """The folders of a project that specifications are in."""
    return ("spec", "proofs") if (root / "spec").is_dir() else (".",)


def _has_links(root: Path) -> bool:
    """Whether a specification of the project is found through a link."""
    return any(resolved(p) != resolved(root) / p.relative_to(root) for p in files_of_project(root))


def _others_differ(sha: str, root: Path) -> bool:
    """Whether ONNX's signatures are otherwise than in the commit, or a page, or another file, is there in one alone."""
    cure, parts = "see to the repository", _parts(root)
    told = _git(root, cure, "diff", "--relative", "--name-status", "--no-renames", "-z", sha, "--", *parts)
    listed = told.decode("utf-8", "replace")
    fields = listed.split("\0")
    changes = list(zip(fields[::2], fields[1::2], strict=False))
    new = _git(root, cure, "ls-files", "-z", "--others", "--", *parts).decode("utf-8", "replace").split("\0")
    beside = [name for status, name in changes if status != "M" or name.endswith("signatures.json")]
    return any(name and not name.endswith(".sonnx") and Path(name).name != "ledger.json" for name in [*beside, *new])


def _git(root: Path, cure: str, *arguments: str) -> bytes:
    """What git prints in a folder. Raises UsageError where it fails."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    except OSError as problem:
        cure = "install it, or check without --changed"
        raise UsageError(f"git cannot be run: {problem.strerror}", cure=cure) from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # Of a name that is no commit it says nothing.
        raise UsageError(f"git: {said[-1]}" if said else "git finds no such commit", cure=cure)
    return done.stdout
