"""Workers that have nothing to do, kept for the next pool of this process: to start one takes longer than most queries.

The questions a worker was asked before have no part in its answers: it makes a new solver for each.
"""

from __future__ import annotations

import atexit
import os
import threading

from sonnx_verify.processes.child import before_fork
from sonnx_verify.solving.solvers.lane import Lane

_Key = tuple[str, float, int]
_lock = threading.Lock()
_lanes: dict[_Key, Lane] = {}


def taken(solver: str, patience: float, memory: int) -> Lane:
    """A lane that was left here, or a new one, of this solver, with these limits."""
    with _lock:
        lane = _lanes.pop((solver, patience, memory), None)
    if lane is not None and lane.idle():
        return lane
    if lane is not None:
        lane.close()
    return Lane(solver, patience, memory)


def left(lane: Lane) -> None:
    """Keep a lane that has nothing to do, one of each kind; end any other."""
    if lane.idle():
        with _lock:
            if _lanes.setdefault((lane.solver, lane.patience, lane.memory), lane) is lane:
                return
    lane.close()


def emptied() -> None:
    """End all that are kept here."""
    with _lock:
        lanes = list(_lanes.values())
        _lanes.clear()
    for lane in lanes:
        lane.close()


atexit.register(emptied)
before_fork.append(emptied)  # each has a thread
if hasattr(os, "register_at_fork"):
    # The threads and the channels are those of the process that was forked.
    os.register_at_fork(after_in_child=_lanes.clear)
