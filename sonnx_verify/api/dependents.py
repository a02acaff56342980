"""Files with everything that uses them: a hook is told the files of a commit, and an edit of one can break another.

Too many files cost time, one too few hides a mistake: a file counts as a user if its text could reach another one, as
`Reach` has it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.changed import Changed, changed_since, now_and_then
from sonnx_verify.api.files import pages_of
from sonnx_verify.api.history import History, has_commit, is_repository, pages_named
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import files_of_project
from sonnx_verify.language.reach import Reach
from sonnx_verify.paths import resolved

_LAST = "HEAD"
_FROM = "PRE_COMMIT_FROM_REF"
"""The variable in which pre-commit says from which commit on it looks, if it looks at several."""


def with_dependents(what: Sequence[str]) -> tuple[Asked, Changed | None]:
    """The files that are named, and those of the project that use them, or use a file that is gone since the last
    commit: a hook is told of no file that a commit removes. If none is named, the part of the project that differs from
    the last commit.

    Raises UsageError for a pattern of identities, and for a path that names nothing.
    """
    if what:
        asked = Asked.of(what)
        return _with_users(asked, _users(asked) | _users_of_what_is_gone(asked)), None
    here = Path.cwd()
    # A hook runs for commits that have nothing to do with specifications too, also for the very first one.
    if not files_of_project(here):
        nothing = Asked(here)
        return nothing, Changed(_LAST, nothing)
    asked = Asked.of(())
    ref = _before(asked.root)
    if ref is None:
        return asked, None
    changed = changed_since(ref, asked)
    return changed.asked, changed


def _before(root: Path) -> str | None:
    """The commit before the change that a hook runs for; None before the first one. Raises UsageError outside of any
    repository."""
    for ref in (os.environ.get(_FROM), _LAST):
        if ref and has_commit(root, ref):
            return ref
    return None


def _users(asked: Asked) -> set[Path]:
    """The files of the project that are named, or can reach one that is."""
    if asked.patterns:
        raise UsageError("--dependents and a pattern of identities do not go together", cure="name files")
    return _reaching(Reach.of(asked.root, asked.further), asked.root, set(map(resolved, asked.whole)))


def _users_of_what_is_gone(asked: Asked) -> set[Path]:
    """The files of the project that used a text, or name a page, that was there in the last commit and is not now; all
    of them if ONNX's signatures differ. Empty outside of a repository, and before its first commit."""
    if not is_repository(asked.root):
        return set()
    ref = _before(asked.root)
    if ref is None:
        return set()
    history = History.of(ref, asked.root)
    project = files_of_project(asked.root)
    if history.table_differs():
        return set(project)
    gone = history.gone()
    if not gone:
        return set()
    now, then = now_and_then(history, asked)
    pages = {p for p in project if not gone.isdisjoint(pages_named([(p, now.texts.get(resolved(p), ""))]))}
    return pages | _reaching(then, asked.root, gone)


def _reaching(reach: Reach, root: Path, wanted: set[Path]) -> set[Path]:
    return {path for path in files_of_project(root) if not wanted.isdisjoint(reach.of_file(path))}


def _with_users(asked: Asked, users: set[Path]) -> Asked:
    # In the project's order, and what is from elsewhere behind it, as in any other run.
    whole = [path for path in files_of_project(asked.root) if path in users]
    whole += [path for path in asked.whole if path not in users]
    return replace(asked, whole=whole, files=whole)


def pages_with_dependents(names: Sequence[str]) -> list[Path]:
    """The pages that are named or lie below folders that are, and the pages beside formal texts that are named or use
    one that is: a page states what such a text says. Raises UsageError for a name that names nothing."""
    texts = [name for name in names if Path(name).suffix == ".sonnx"]
    pages = dict.fromkeys(pages_of(name for name in names if name not in texts))
    if texts:
        asked = Asked.of(texts)
        for path in _with_users(asked, _users(asked)).whole:
            beside = (path.with_suffix(suffix) for suffix in (".md", ".rst"))
            pages |= dict.fromkeys(_from_here(page) for page in beside if page.is_file())
    return list(pages)


def _from_here(path: Path) -> Path:
    """The path from the current folder on, as a person names it: findings show it, and each page counts once."""
    here = Path.cwd()
    if path.is_relative_to(here):
        return path.relative_to(here)
    return path
