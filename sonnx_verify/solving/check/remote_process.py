"""A process that decides on another machine: `python -m sonnx_verify.solving.check.remote_process PIPE PARENT FOLDER`.

It is told the texts by the process that started it, reads them in the folder, and decides what it is given until the
pipe is closed.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from sonnx_verify.interpreter import allow_deep_calls, seldom_collected
from sonnx_verify.solving.check.limits import Limits
from sonnx_verify.solving.check.process import serve
from sonnx_verify.solving.check.texts import Reread, Texts
from sonnx_verify.solving.solvers import Solvers
from sonnx_verify.solving.solvers.worker import die_with_parent
from sonnx_verify.stores.store import without_trees
from sonnx_verify.stores.tool import digest_of
from sonnx_verify.version import __version__

IDLE = 120.0
"""After how many seconds without work such a process ends by itself: whom it worked for may have been killed."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a process has to know beside the texts: its solvers, and what it may take."""

    solvers: tuple[str, ...]
    budget: int
    patience: float
    limits: Limits


def versions(solvers: tuple[str, ...]) -> dict[str, str]:
    """What has to be the same wherever obligations of one run are decided. The code stands for Python and the libraries
    too, and in a checkout may change while the version stays."""
    with Solvers(solvers) as pool:
        found = {name: version or "not installed" for name, version in pool.versions().items()}
    return {"sonnx-verify": f"{__version__} (code {digest_of()[:12]})", **found}


def packed(texts: Texts) -> bytes:
    """The texts as they are sent."""
    return zlib.compress(pickle.dumps(texts, pickle.HIGHEST_PROTOCOL))


def main(pipe: Connection, parent: int, folder: Path) -> None:
    """Say which versions are here, take a task and texts, and decide."""
    die_with_parent()
    allow_deep_calls()
    try:
        solvers, alone = pipe.recv()
        pipe.send(versions(solvers))
        # Only from here on both ends are known to mean the same by it.
        task: Task = pipe.recv()
        texts: Texts = pickle.loads(zlib.decompress(pipe.recv_bytes()))
    except EOFError:
        return
    # Whoever asks knows nothing of the cache here, and may not want one.
    with seldom_collected(), without_trees():
        project = Reread(texts, folder)
        pool = Solvers(task.solvers, task.budget, patience=task.patience)
        serve(pipe, parent, project, pool, task.limits, alone, IDLE, project.parts)


if __name__ == "__main__":
    main(Connection(int(sys.argv[1])), int(sys.argv[2]), Path(sys.argv[3]))
