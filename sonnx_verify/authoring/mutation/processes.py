"""Mutants judged in several processes: each takes some, sends their outcomes and ends, with all the terms it made."""

from __future__ import annotations

import os
import pickle
from collections.abc import Generator, Mapping, Sequence
from dataclasses import fields

from sonnx_verify.authoring.mutation.baseline import Baseline
from sonnx_verify.authoring.mutation.judge import Fate, Judge, Outcome
from sonnx_verify.authoring.mutation.mutation import Mutation
from sonnx_verify.processes.channel import Channel
from sonnx_verify.processes.child import Child, can_fork, forked
from sonnx_verify.processes.limits import Limits, ended_after
from sonnx_verify.processes.pool import Line, Pool, Result, given, serve

_AT_ONCE = 6
"""The mutants that a process takes: terms are never garbage, so a process that took all would grow and grow."""
LIMITS = Limits(seconds=3600.0)
"""The time limit for one mutant, by the clock: it waits for solvers most of the time. None of ours takes minutes."""


def judged(
    baseline: Baseline,
    mutations: Sequence[Mutation],
    jobs: int,
    *,
    short: bool = False,
    hints: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
) -> Generator[Outcome, None, None]:
    """The outcome of each mutant, in their order: the same for any number of `jobs`. `hints` name the killer that is
    tried first. Where processes cannot be forked there is one, this one.

    A mutant whose process ends is not shown, with the reason: to begin it once more could take another hour.
    """
    hints = hints or {}
    if jobs > 1 and len(mutations) > 1:
        baseline.prepare_edges({place for mutation in mutations for place in mutation.instead(baseline.project.root)})
    if jobs == 1 or len(mutations) < 2 or not can_fork():
        judge = Judge(baseline, short)
        for mutation in mutations:
            yield judge.judge(mutation, hints.get(mutation.identity, ""))
        return
    parent = os.getpid()

    def start(_: object) -> Child:
        return forked(_judge, parent, baseline, mutations, Judge(baseline, short), hints, limits)

    # Few mutants are dealt out evenly, so that no process has nothing to do.
    share = max(1, min(_AT_ONCE, len(mutations) // jobs))
    # A mutant that used up its hour would use up another one.
    pool = Pool(Line(range(len(mutations))), start, jobs, limits, attempts=1, share=share)
    known: dict[int, Outcome] = {}
    place = 0
    for number, found in pool.outcomes():
        if isinstance(found, str):
            known[number] = Outcome(mutations[number], Fate.NOT_SHOWN, reason=found)
        else:
            known[number] = Outcome(mutations[number], **pickle.loads(found))
        # Whoever is done first, the outcomes come in the order of the mutations.
        while place in known:
            yield known.pop(place)
            place += 1


def _judge(
    channel: Channel,
    parent: int,
    baseline: Baseline,
    mutations: Sequence[Mutation],
    judge: Judge,
    hints: Mapping[str, str],
    limits: Limits,
) -> None:
    """Judge the mutants that a pool gives."""

    def work() -> None:
        for task in given(channel, parent, early=False):
            mutation = mutations[task.number]
            with ended_after(limits.seconds):
                outcome = judge.judge(mutation, hints.get(mutation.identity, ""))
            # All but the mutation, which the parent has: its source is the whole text.
            parts = {f.name: getattr(outcome, f.name) for f in fields(outcome) if f.name != "mutation"}
            channel.send(Result(task.number, pickle.dumps(parts, pickle.HIGHEST_PROTOCOL)))

    with baseline.solvers.again() as baseline.solvers:
        serve(channel, limits, work)
