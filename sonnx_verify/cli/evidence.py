"""`evidence`: an archive of claim, ledger, queries, texts and hashes; the same bytes for the same texts."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sonnx_verify.api.asked import Asked
from sonnx_verify.api.decided import refuse_shared
from sonnx_verify.api.queried import Queried
from sonnx_verify.cli.options import JOBS, complete_identity, guarded, print_errors, refuse_beside, refuse_without
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import files_of_project, tables
from sonnx_verify.language.project import Project
from sonnx_verify.outputs.evidence.archive import packed, refuse_other_archive
from sonnx_verify.outputs.evidence.claim import claim_of_archive
from sonnx_verify.results.answer_json import answer_json
from sonnx_verify.results.result import exit_status
from sonnx_verify.results.text import counted_text
from sonnx_verify.results.written import json_text
from sonnx_verify.solving.check.telling import result_of
from sonnx_verify.stores.folder import refuse_unwritable, write_bytes
from sonnx_verify.stores.ledger import ledger_of
from sonnx_verify.stores.store import without_trees
from sonnx_verify.stores.tool import digest_of
from sonnx_verify.version import TOOL


@click.command()
@click.argument("what", nargs=-1, shell_complete=complete_identity)
@click.option("--out", metavar="FILE", help="The archive, such as evidence.tar.gz.")
@click.option("--verify", "archive", metavar="FILE", help="Check an archive's hashes and decide its obligations again.")
@click.option("--hashes-only", is_flag=True, help="With --verify: check the hashes only.")
@JOBS
@guarded
def evidence(
    what: tuple[str, ...], *, out: str | None, archive: str | None, hashes_only: bool, jobs: int | None
) -> int:
    """Archive the evidence behind verdicts, or verify an archive.

    WHAT is as in `check`. The archive holds claim, ledger, queries, texts and hashes. The same texts, tool and solvers
    make the same bytes. --verify checks the hashes of an archive and decides its texts again.

    \b
    Examples:
      sonnx-verify evidence proofs.integers --out evidence.tar.gz
      sonnx-verify evidence --verify evidence.tar.gz
    """
    if archive is not None:
        from sonnx_verify.cli.verifying import verify_archive

        refuse_beside("--verify", "hashes_only", "jobs")
        if what:
            raise UsageError("--verify decides what the archive says", cure=f"leave out {what[0]}")
        return verify_archive(archive, hashes_only=hashes_only, jobs=jobs)
    refuse_without("--verify", "hashes_only")
    if out is None:
        raise UsageError("no archive is named", cure="write one with --out FILE, or check one with --verify FILE")
    with without_trees():
        return _archive(what, out, jobs)


def _archive(what: tuple[str, ...], out: str, jobs: int | None) -> int:
    # Before anything is decided: minutes of work would be lost for a folder that nobody can write to.
    path = Path(out)
    refuse_unwritable(path)
    refuse_other_archive(path)
    asked = Asked.of(what)
    if asked.further:
        raise UsageError(
            f"{asked.further[0]} is outside the project and cannot be archived", cure="run the command in its project"
        )
    texts = _texts(asked.root)
    decision = Queried.of(what, jobs)
    if decision.errors:
        print_errors(decision.errors)
        click.echo("nothing is written: there are errors in the texts", err=True)
        return 2
    # The archive claims that these verdicts are of these texts, so they are read before and after.
    if (now := _texts(asked.root)) != texts:
        other = min(name for name in texts.keys() | now.keys() if texts.get(name) != now.get(name))
        raise UsageError(f"{other} changed during the run; nothing was written", cure="run it again")
    listed = [result_of(record) for record in decision.asked]
    # The ledger in the archive has one line for each identity.
    refuse_shared(((asked.root / one.place.file, one.id) for one in listed), asked.root)
    answering = [name for name, version in decision.versions.items() if version is not None]
    made = json_text(answer_json(listed, decision.versions, []))
    digest = digest_of()
    files = {
        "CLAIM.md": claim_of_archive(listed, decision.versions, digest).encode(),
        "check.json": made.encode(),
        "ledger.json": ledger_of(listed, answering, {}).text().encode(),
        **{f"smt/{name}": data for name, data in decision.queries.files().items()},
        **{f"texts/{name}": data for name, data in texts.items()},
    }
    # Neither a date nor a name of a machine: whoever makes the archive again compares bytes.
    about = {
        "tool": {**TOOL, "digest": digest},
        "solvers": decision.versions,
        "what": [_from_root(name, asked.root) for name in what],
    }
    write_bytes(path, packed(files, about))
    click.echo(f"wrote {out}: {counted_text(len(listed), 'obligation')} with their queries and texts")
    return exit_status(listed, 0, decision.versions)


def _from_root(name: str, root: Path) -> str:
    """A path as it is in the archive, where the root is the current folder; a pattern as it is."""
    path = Path(os.path.abspath(name))
    if path.exists() and root in path.parents:
        return path.relative_to(root).as_posix()
    return name


def _texts(root: Path) -> dict[str, bytes]:
    """The texts of a project, the pages beside them and those that they name, and ONNX's signatures, where it has its
    own: the bytes of each, by its path from the root. Raises UsageError for a page elsewhere."""
    found = list(files_of_project(root))
    found += [path.with_suffix(".md") for path in found]
    for unit in Project.open(root).units:
        if unit.file is not None and unit.file.page:
            # `page "../notes/max.md"` leads out of the folder, and may lead out of the project.
            found.append(Path(os.path.normpath(unit.path.parent / unit.file.page.name)))
    if elsewhere := [path for path in found if not path.is_relative_to(root)]:
        raise UsageError(f"{elsewhere[0]} is outside the project and cannot be archived", cure="put the page into it")
    # Those of the installation are part of the tool, whose hash the manifest has.
    found += [table for table in tables(root) if table.is_relative_to(root)]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found if path.is_file()}
