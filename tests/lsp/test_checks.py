"""Processes that check in the background: what is heard of one that ends without a word."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial
from pathlib import Path

from sonnx_verify.background.checks import Checks, Serve
from sonnx_verify.background.child import served
from sonnx_verify.background.messages import Done, Failed


class Deadly:
    """A request that ends the process which reads it."""

    root = ""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (3,)


def heard(serve: Serve) -> list[Done | Failed]:
    """The messages about one file, as far as they came until the first one was heard."""
    said: list[Done | Failed] = []

    async def run() -> None:
        first = asyncio.Event()

        def hear(path: Path, message: Done | Failed) -> None:
            said.append(message)
            first.set()

        checks: Checks[Deadly, Done | Failed] = Checks(lambda path: Deadly(), hear, serve)
        task = asyncio.create_task(checks.serve())
        checks.ask(Path("file"), pause=0)
        await asyncio.wait_for(first.wait(), 120)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
    return said


def test_a_process_that_ends_at_its_work() -> None:
    """It is begun once more, since it may have been killed while it waited, and then given up."""
    (message,) = heard(partial(served, work=print))
    assert isinstance(message, Failed)
    assert message.reason == "the process that checks it ended with status 3"
