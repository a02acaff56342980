"""A process that searches for a repair of an obligation, in the texts as an editor has them, seen from inside."""

from __future__ import annotations

import os
from pathlib import Path

from sonnx_verify.api.asking import asking
from sonnx_verify.authoring.explain.alone import Alone
from sonnx_verify.authoring.explain.rested import decided
from sonnx_verify.authoring.explain.target import obligations_in
from sonnx_verify.authoring.repair.repair import repaired
from sonnx_verify.background.child import Say, served
from sonnx_verify.background.messages import Done
from sonnx_verify.errors import UsageError
from sonnx_verify.language.places import files_of_project
from sonnx_verify.language.project import Project
from sonnx_verify.lsp.messages import NotRepaired, Repaired, RepairRequest
from sonnx_verify.paths import resolved
from sonnx_verify.processes.channel import Channel
from sonnx_verify.results.text import counted_text
from sonnx_verify.solving.check.telling import can_be_mended


def _repair(request: RepairRequest, say: Say) -> None:
    os.chdir(request.root)
    root, path = Path(request.root), resolved(Path(request.path))
    instead = {Path(name): text for name, text in request.instead.items()}
    files = files_of_project(root)
    if not any(resolved(file) == path for file in files):
        files.append(path)
    project = Project.of_files(root, files, instead)
    for unit in project.units:
        obligation = None
        if unit.place == path and unit.file is not None:
            obligation = obligations_in(project, unit).get(request.obligation)
        if obligation is None:
            continue
        with asking() as solvers:
            alone = Alone(solvers, request.jobs)
            record = decided(project, [obligation], alone).joined(obligation)
            if not can_be_mended(record):
                say(NotRepaired(f"no repair is tried for the verdict {record.verdict.name}"))
            else:
                found = repaired(project, unit, record, alone)
                if found.repair is None:
                    tried = counted_text(found.tried, "candidate")
                    say(NotRepaired(f"no single clause fixes it ({tried} tried)"))
                else:
                    say(Repaired(found.repair.made.text))
        say(Done())
        return
    raise UsageError(f"{request.obligation} is no longer an obligation of this file")


def serve_repair(channel: Channel, root: str) -> None:
    """Wait for the request, search, end."""
    served(channel, root, _repair)
