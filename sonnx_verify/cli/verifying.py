"""`evidence --verify`: an archive that `evidence` made, checked and made again."""

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

from sonnx_verify.cli.options import print_errors
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import OWN
from sonnx_verify.outputs.evidence.archive import NOT_TO_RELY_ON, Altered, unpacked
from sonnx_verify.results.text import counted_text
from sonnx_verify.stores.tool import digest_of
from sonnx_verify.version import __version__

Answer = tuple[Any, ...]
_COMPARED = ("verdict", "scope", "assumptions", "axioms", "types", "expected", "queries")


def verify_archive(archive: str, *, hashes_only: bool, jobs: int | None) -> int:
    """Check the hashes of an archive, and decide all of it again. Return 1 where it does not match its texts, and 3
    where that is not known."""
    # The archive comes from somebody else, and nothing in it is believed: neither its shape nor its paths.
    try:
        files, manifest = unpacked(Path(archive))
    except Altered as error:
        print_errors([error])
        return 1
    click.echo("all hashes match the manifest")
    if hashes_only:
        return 0
    try:
        before = _obligations(files)
        build, what = (manifest["tool"]["version"], manifest["tool"]["digest"]), [*map(str, manifest["what"])]
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise UsageError(f"{archive} has no answer of `check`", cure=NOT_TO_RELY_ON) from None
    if any(_leads_out(Path(name)) for name in what):
        raise UsageError(f"{archive} names files outside the archive", cure=NOT_TO_RELY_ON)
    again, about = _made_again(files, what, jobs)
    after = _obligations(again)
    lines = list(_differences(before, after))
    # Another solver may prove what this one does not, and another build may ask other queries.
    same = build == (__version__, digest_of()) and manifest.get("solvers") == about["solvers"]
    if same and not lines:
        # What people read was made of the answers: an archive whose answers are right may tell others.
        other = [name for name in sorted(files.keys() | again.keys()) if files.get(name) != again.get(name)]
        lines = [f"{name} does not match its texts" for name in other]
    click.echo("\n".join(lines or [f"{counted_text(len(after), 'obligation')} checked again, same verdicts"]))
    if wrong := json.loads(again["check.json"])["summary"]["surprises"]:
        # That it is as it was filed does not make a finding none.
        listed = "1 of them is a surprise" if wrong == 1 else f"{wrong} of them are surprises"
        click.echo(f"{listed}, listed in CLAIM.md")
    if not same:
        click.echo(
            f"made by another build ({build[0]}) or with other solvers: compared check.json only, not CLAIM.md,"
            " ledger.json and smt/"
        )
    if lines:
        return 1
    # The verdicts are confirmed; that claim, ledger and queries are of these texts is not.
    if not same or None in about["solvers"].values():
        return 3
    return 0


def _leads_out(path: Path) -> bool:
    """True for a path that may leave the folder in which the texts are unpacked."""
    return path.is_absolute() or ".." in path.parts


def _obligations(files: Mapping[str, bytes]) -> dict[str, Answer]:
    """The answers of `check` in an archive. Raises ValueError where it speaks twice of one obligation.

    Texts are not compared, since another build may word a reason otherwise: `_COMPARED` is what a claim rests on.
    """
    listed = json.loads(files["check.json"])["obligations"]
    made = {str(o["id"]): tuple(o.get(part) for part in _COMPARED) for o in listed}
    if len(made) < len(listed):
        raise ValueError("two obligations of one identity")
    return made


def _made_again(
    files: Mapping[str, bytes], what: Sequence[str], jobs: int | None
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The archive that is made of the texts in an archive: its files, and its manifest."""
    with tempfile.TemporaryDirectory(prefix="sonnx-evidence-") as made:
        folder, out = Path(made, "texts"), Path(made, "again.tar.gz")
        folder.mkdir()
        for path, data in files.items():
            if path.startswith("texts/"):
                place = folder / path.removeprefix("texts/")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        # The archive has the texts of one project, but not its configuration.
        (folder / OWN).touch()
        # In a process of its own, from the folder of the texts: what this one has read or cached has no part in it.
        # -P: a `sonnx_verify` among the texts must not be the tool that judges them.
        command = [sys.executable, "-P", "-m", "sonnx_verify", "evidence", "--out", str(out)]
        if jobs is not None:
            command += ["--jobs", str(jobs)]
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run([*command, "--", *what], cwd=folder, env=environment, capture_output=True, text=True)
        if not out.is_file():
            raise UsageError(f"its texts cannot be checked: {done.stderr.strip()}", cure=NOT_TO_RELY_ON)
        return unpacked(out)


def _differences(before: dict[str, Answer], after: dict[str, Answer]) -> Iterator[str]:
    """A line for each obligation that is there once alone, or came out otherwise."""
    # Those that were filed in their order, then the new ones.
    for identity in {**before, **after}:
        if identity not in after:
            yield f"{identity}: missing now"
        elif identity not in before:
            yield f"{identity}: not in the archive"
        elif before[identity][0] != after[identity][0]:
            yield f"{identity}: {before[identity][0]} in the archive, {after[identity][0]} now"
        elif before[identity] != after[identity]:
            yield f"{identity}: another scope, other assumptions or other queries in the archive"
