"""A pool loses no task, blames a child for one alone, and hands on what others found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
# In a program of its own, which can fork; it prints what came of it as JSON.
POOL = """
import json, os, signal, sys, time
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import forked
from sonnx_verify.processes.limits import Limits, ended_after
from sonnx_verify.processes.pool import Line, Pool, Result, given, serve

parent = os.getpid()
def worker(channel, alone, effect):
    def work():
        for task in given(channel, parent, early=EARLY):
            with ended_after(0.5):
                said = effect(task)
            said = [os.getpid(), alone, said]
            channel.send(Result(task.number, json.dumps(said).encode(), {str(task.number): {"a": "b"}}))
    serve(channel, Limits(seconds=0.5), work)

def outcomes(count, effect, jobs=2, **options):
    pool = Pool(Line(range(count)), lambda alone: forked(worker, alone, effect), jobs, Limits(seconds=0.5), **options)
    return sorted((n, said if isinstance(said, str) else json.loads(said)) for n, said in pool.outcomes())

def kill(task):
    if task.number == 2: os.kill(os.getpid(), signal.SIGKILL)
def hang(task):
    if task.number == 2: time.sleep(60)
"""


def program(code: str, *, early: bool = False) -> Any:
    """The output of a program without threads, which can fork."""
    command = [sys.executable, "-c", f"EARLY = {early}\n{POOL}{code}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_every_task_is_done_once() -> None:
    found = program("print(json.dumps(outcomes(20, lambda task: task.number)))")

    assert [(n, said[2]) for n, said in found] == [(n, n) for n in range(20)]


def test_a_child_takes_its_share() -> None:
    """Then it ends, and another one takes the next."""
    found = program("print(json.dumps(outcomes(9, lambda task: 0, jobs=1, share=3)))")
    children = [said[0] for _, said in found]

    assert children == [c for c in dict.fromkeys(children) for _ in range(3)]
    assert len(set(children)) == 3


def test_what_is_left_may_be_another_child_s() -> None:
    """No other child is started for it, and its own goes on."""
    found = program(
        "class Own(Line):\n"
        "    def next(self, child):\n"
        "        return super().next(child) if child == 1 else None\n"
        "started = []\n"
        "def start(alone):\n"
        "    started.append(alone)\n"
        "    return forked(worker, alone, lambda task: 0)\n"
        "done = sorted(n for n, _ in Pool(Own(range(9)), start, 3, Limits()).outcomes())\n"
        "print(json.dumps([done, started]))"
    )

    assert found == [[*range(9)], [False]]


def test_what_ends_its_child_is_tried_once_more_alone() -> None:
    """And is blamed for it by itself, also where a child has the next task already."""
    # A child that asks early holds two tasks when it is killed, of which one is innocent: it has a result all the same.
    for early in (False, True):
        found = program("print(json.dumps(outcomes(6, kill)))", early=early)

        assert found.pop(2) == [2, "the process that worked on it ended by SIGKILL"]
        assert [n for n, _ in found] == [0, 1, 3, 4, 5]


def test_what_hangs() -> None:
    found = program("print(json.dumps(outcomes(4, hang, attempts=1)))")

    assert found[2] == [2, "the process that worked on it had not come to an end after 0.5 seconds"]
    assert [said[1] for n, said in found if n != 2] == [False] * 3


def test_news_is_handed_on() -> None:
    """A child is told with a task what was found before, once."""
    found = program("print(json.dumps(outcomes(4, lambda task: sorted(task.news), jobs=1)))")

    # Each task adds one item, and the next one brings that item alone.
    assert [said[2] for _, said in found] == [[], ["0"], ["1"], ["2"]]


def test_a_defect_ends_all() -> None:
    found = program(
        "def bad(task):\n"
        "    if task.number == 1: raise ValueError('a defect')\n"
        "try: outcomes(6, bad)\n"
        "except RuntimeError as problem: print(json.dumps(str(problem)))\n"
    )

    assert found.startswith("a process failed\nTraceback")
    assert "a defect" in found


def test_none_can_be_started() -> None:
    """A system without processes left is no reason to hang, or to decide less without a word."""
    found = program(
        "def refused(alone): raise OSError(11, 'no more')\n"
        "pool = Pool(Line(range(3)), refused, 2, Limits())\n"
        "print(json.dumps(list(pool.outcomes())))"
    )

    assert found == [[n, "no process could be started for it: no more"] for n in range(3)]
