"""`evidence` and `verify-evidence`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.decided import refuse_shared
from sonnx_verify.cli.check import exit_status
from sonnx_verify.cli.export_smt import Decision
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import files_of_project, signatures
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.evidence.archive import NOT_TO_RELY_ON, Altered, packed, refuse_other_archive, unpacked
from sonnx_verify.outputs.evidence.claim import of_package
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.stores.folder import refuse_unwritable, write_bytes
from sonnx_verify.stores.ledger import ledger_of
from sonnx_verify.stores.store import without_trees
from sonnx_verify.stores.tool import digest_of
from sonnx_verify.version import __version__

Answer = tuple[Any, ...]
_COMPARED = ("verdict", "scope", "assumptions", "types", "expected", "queries")


@without_trees()
def evidence(out: str, what: Sequence[str], jobs: int | None) -> int:
    """Decide what is named and file what it rests on. Returns the exit status of `check`. What is filed has to be right
    on any machine, so it rests on nothing that an earlier run left on this one."""
    path = Path(out)
    refuse_unwritable(path)
    refuse_other_archive(path)
    asked = Asked.of(what)
    if asked.further:
        raise UsageError("a file from outside of the project cannot be filed", cure="go to its folder")
    texts = _texts(asked.root)
    decision = Decision.of(what, jobs)
    if decision.errors:
        for error in decision.errors:
            click.echo(str(error), err=True)
        click.echo("nothing is written: there are errors in the texts", err=True)
        return 2
    if (now := _texts(asked.root)) != texts:
        other = min(name for name in texts.keys() | now.keys() if texts.get(name) != now.get(name))
        raise UsageError(f"{other} was changed while it was decided, and nothing is written", cure="run it again")
    listed = [result_of(record) for record in decision.asked]
    refuse_shared(((asked.root / one.place.file, one.id) for one in listed), asked.root)
    answering = [name for name, version in decision.versions.items() if version is not None]
    made = json.dumps(answer_json(listed, decision.versions, []), indent=1, ensure_ascii=False) + "\n"
    digest = digest_of()
    files = {
        "CLAIM.md": of_package(listed, decision.versions, digest).encode(),
        "check.json": made.encode(),
        "ledger.json": ledger_of(listed, answering, None).text().encode(),
        **{f"smt/{name}": data for name, data in decision.queries.files().items()},
        **{f"texts/{name}": data for name, data in texts.items()},
    }
    about = {
        "tool": {"name": "sonnx-verify", "version": __version__, "digest": digest},
        "solvers": decision.versions,
        "what": [_from_root(name, asked.root) for name in what],
    }
    write_bytes(path, packed(files, about))
    click.echo(f"{counted_text(len(listed), 'obligation')}, with their queries and texts, in {out}")
    return exit_status(listed, 0, decision.versions)


def verify_evidence(name: str, hashes_only: bool, jobs: int | None) -> int:
    """Check the hashes of a package, decide all of it again, and compare. Returns 1 where anything is otherwise.

    2 where it is no package, or its texts cannot be checked; 3 where a solver is missing, or where this is another
    build, so that not everything can be compared.
    """
    try:
        files, manifest = unpacked(Path(name))
    except Altered as error:
        click.echo(str(error), err=True)
        return 1
    click.echo("the files are as the manifest says")
    if hashes_only:
        return 0
    try:
        before = _obligations(files)
        build, what = (manifest["tool"]["version"], manifest["tool"]["digest"]), [*map(str, manifest["what"])]
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise UsageError(f"{name} has no answer of `check`", cure=NOT_TO_RELY_ON) from None
    if any(".." in Path(name).parts or Path(name).is_absolute() for name in what):
        raise UsageError("it asks for files that are not in it", cure=NOT_TO_RELY_ON)
    again, about = _made_again(files, what, jobs)
    after = _obligations(again)
    lines = list(_differences(before, after))
    same = build == (__version__, digest_of()) and manifest.get("solvers") == about["solvers"]
    if same and not lines:
        # What people read was made of the answers: a package whose answers are right may tell others.
        lines = [f"{f} is not what its texts give" for f in sorted(files.keys() | again.keys())
                 if files.get(f) != again.get(f)]  # fmt: skip  # a table
    click.echo("\n".join(lines or [f"{counted_text(len(after), 'obligation')} decided again, as filed"]))
    if wrong := json.loads(again["check.json"])["summary"]["surprises"]:
        # That it is as it was filed does not make a finding none.
        click.echo(f"{counted_text(wrong, 'surprise')} among them, which CLAIM.md names")
    if not same:
        click.echo(
            f"it was made by another build, {build[0]}, or with other solvers: CLAIM.md, ledger.json and smt/ are not"
            " compared, and check.json is what counts"
        )
    if lines:
        return 1
    return 0 if same and None not in about["solvers"].values() else 3


def _obligations(files: Mapping[str, bytes]) -> dict[str, Answer]:
    """What `check` said in a package. Raises ValueError where it speaks twice of one obligation."""
    listed = json.loads(files["check.json"])["obligations"]
    made = {str(o["id"]): tuple(o[part] for part in _COMPARED) for o in listed}
    if len(made) < len(listed):
        raise ValueError("two obligations of one identity")
    return made


def _made_again(
    files: Mapping[str, bytes], what: Sequence[str], jobs: int | None
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The package that is made of the texts in a package: its files, and its manifest."""
    with tempfile.TemporaryDirectory(prefix="sonnx-evidence-") as made:
        folder, out = Path(made, "texts"), Path(made, "again.tar.gz")
        folder.mkdir()
        for path, data in files.items():
            if path.startswith("texts/"):
                place = folder / path.removeprefix("texts/")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        command = [sys.executable, "-P", "-m", "sonnx_verify", "evidence", "--out", str(out)]
        command += [] if jobs is None else ["--jobs", str(jobs)]
        root = str(Path(__file__).parents[2])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
        done = subprocess.run(
            [*command, "--", *what], cwd=folder, env=environment, capture_output=True, text=True
        )
        if not out.is_file():
            raise UsageError(f"its texts cannot be checked: {done.stderr.strip()}", cure=NOT_TO_RELY_ON)
        return unpacked(out)


def _from_root(name: str, root: Path) -> str:
    """A path as it is in the package, where the root is the current folder; a pattern as it is."""
    path = Path(os.path.abspath(name))
    return path.relative_to(root).as_posix() if path.is_absolute() and path.exists() and root in path.parents else name


def _texts(root: Path) -> dict[str, bytes]:
    """The texts of a project, the pages beside them and those that they name, and ONNX's signatures, where it has its
    own: the bytes of each, by its path from the root. Raises UsageError for a page elsewhere."""
    paths = files_of_project(root)
    pages = [u.path.parent / u.file.page.name for u in Project.open(root).units if u.file is not None and u.file.page]
    found = [*paths, *(path.with_suffix(".md") for path in paths), *(Path(os.path.normpath(page)) for page in pages)]
    if elsewhere := [path for path in found if not path.is_relative_to(root)]:
        raise UsageError(f"{elsewhere[0]} is not in the project, and cannot be filed", cure="put the page into it")
    table = [path for path in [signatures(root)] if path.is_relative_to(root)]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in (*found, *table) if path.is_file()}


def _differences(before: dict[str, Answer], after: dict[str, Answer]) -> Iterator[str]:
    """A line for each obligation that is there once alone, or came out otherwise."""
    for identity in [*before, *(i for i in after if i not in before)]:
        if identity not in after:
            yield f"{identity}: it was filed, and is not there"
        elif identity not in before:
            yield f"{identity}: it is there, and was not filed"
        elif before[identity][0] != after[identity][0]:
            yield f"{identity}: {before[identity][0]} was filed, it is {after[identity][0]}"
        elif before[identity] != after[identity]:
            yield f"{identity}: it was filed with another scope, other assumptions or other queries"
