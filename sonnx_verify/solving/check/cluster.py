"""A dask cluster decides: each of its workers is sent the texts and a share of the obligations, by their numbers."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sonnx_verify.errors import UsageError, UserError
from sonnx_verify.language.project import Project
from sonnx_verify.obligations.obligation import Obligation
from sonnx_verify.processes.limits import Limits
from sonnx_verify.solving.check import remote
from sonnx_verify.solving.check.record import Record, of_outcome
from sonnx_verify.solving.check.remote import Task, packed, versions
from sonnx_verify.solving.check.shares import portions
from sonnx_verify.solving.check.steps import finished
from sonnx_verify.solving.check.texts import texts_of
from sonnx_verify.solving.solvers import Solvers

if TYPE_CHECKING:
    from distributed import Client, Future

_PORTIONS = 8
"""The number of shares for each thread of the cluster: so many that nobody is idle for long, so few that what asks
the same stays together."""
_LOOK = 0.05
_CLOSING_SECONDS = 5.0
_GONE = (OSError, asyncio.CancelledError, futures.CancelledError)


@dataclass(frozen=True, slots=True)
class Patience:
    """The seconds that a cluster may be silent: `connect` until the scheduler answers, at first and whenever it is
    asked if it is there, `every` so many; and `empty` without a worker."""

    connect: float = 10.0
    every: float = 5.0
    empty: float = 30.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """Decides obligations of a project on the cluster whose scheduler has this address.

    Raises UserError where there is none, where it is lost, and where a worker has other versions than are here.
    """

    address: str
    project: Project
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)

    def __call__(self, obligations: Sequence[Obligation], solvers: Solvers) -> Iterator[tuple[int, Record]]:
        """The records of the obligations with their numbers, each as soon as it is known."""
        # What has its answer is not sent: with nothing else no cluster is needed.
        answered = [(n, o) for n, o in enumerate(obligations) if o.answer is not None]
        yield from finished(iter(answered), solvers)
        if len(answered) == len(obligations):
            return
        task = Task(solvers.names, solvers.budget, solvers.patience, self.limits)
        with _connected(self.address, self.patience) as client:
            run = _Run(client, self.address, self.patience, task)
            yield from run.records(obligations, packed(texts_of(self.project, obligations)))


@contextmanager
def _connected(address: str, patience: Patience) -> Iterator[Client]:
    """A client of the scheduler, whose library says nothing by itself."""
    try:
        from distributed import Client
    except ImportError:
        cure = "pip install 'sonnx-verify[cluster]', in a clone pip install -e '.[cluster]', here and on the workers"
        raise UsageError("--dask needs the package distributed", cure=cure) from None
    _silence()
    # Before there is a client: one that finds no scheduler takes half a minute to give up, and says so in its way.
    try:
        found = asyncio.run(asyncio.wait_for(_kind(address, patience.connect), 2 * patience.connect))
        problem = ""
        if found != "Scheduler":
            problem = f"a {found.lower()} is there"
    except (*_GONE, ValueError, TypeError, RuntimeError, ImportError) as raised:
        problem = _cause(raised)
    if problem:
        raise UsageError(
            f"no dask scheduler answers at {address}: {problem}",
            cure="start `dask scheduler`, and name the address that it prints, such as tcp://host:8786",
        )
    client = Client(address, timeout=patience.connect, set_as_default=False)
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_CLOSING_SECONDS)


async def _kind(address: str, seconds: float) -> str:
    """The kind of process at an address: a scheduler, a worker."""
    from distributed import Security
    from distributed.core import rpc

    async with rpc(address, timeout=seconds, connection_args=Security().get_connection_args("client")) as server:
        found: dict[str, str] = await server.identity()
        return found["type"]


def _cause(problem: BaseException) -> str:
    said = str(problem).split("\n")[0].strip()
    if not said and isinstance(problem, TimeoutError):
        return "it does not answer"
    return said or type(problem).__name__


def _silence() -> None:
    """Keep the library silent, for good: what is wrong is said by us, once, and its background work goes on a while."""
    parts = ("distributed", "tornado", "asyncio")
    for name in [*parts, *(n for n in logging.root.manager.loggerDict if n.split(".")[0] in parts)]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module=r"distributed\b")


class _Run:
    """One run on a cluster."""

    def __init__(self, client: Client, address: str, patience: Patience, task: Task) -> None:
        self._client, self._address, self._patience, self._task = client, address, patience, task
        self._versions = versions(task.solvers)
        self._sent: Future | None = None
        self._asked = self._seen = time.monotonic()

    def records(self, obligations: Sequence[Obligation], texts: bytes) -> Iterator[tuple[int, Record]]:
        """The records of the obligations that have no answer yet."""
        numbers = [n for n, o in enumerate(obligations) if o.answer is None]
        threads = self._first_workers()
        self._refuse()
        # A name of its own for each run: the workers were told that an earlier one of these texts is over.
        name = f"{hashlib.sha256(texts).hexdigest()[:16]}-{uuid4().hex}"
        again: deque[int] = deque()
        waiting: dict[Future, list[int]] = {}
        try:
            for share in portions(obligations, numbers, threads * _PORTIONS):
                waiting[self._given(name, texts, share)] = share
            while waiting or again:
                if not waiting:
                    # Not before nothing else is under way: dask blames a worker's end on all that it was to do.
                    share = [again.popleft()]
                    waiting[self._given(name, texts, share)] = share
                for future in [f for f in waiting if f.done()]:
                    for number, outcome in self._outcomes(future, waiting.pop(future)):
                        if outcome is None:
                            again.append(number)
                        else:
                            yield number, of_outcome(obligations[number], outcome)
                if waiting:
                    time.sleep(_LOOK)
                    self._still_there()
        finally:
            with suppress(Exception):
                # Their processes would wait for more until they give up.
                self._everywhere(remote.end, name, seconds=_CLOSING_SECONDS)

    def _given(self, name: str, texts: bytes, share: list[int]) -> Future:
        """A share on its way, with the texts, which are sent once."""
        # `pure=False`: of a pure task dask would give the outcome it had before, a failure too.
        if self._sent is None or self._sent.status not in ("pending", "finished"):
            self._sent = self._client.submit(remote.handed, texts, pure=False)
        return self._client.submit(remote.decide, self._sent, name, self._task, self._versions, share, pure=False)

    def _outcomes(self, future: Future, share: list[int]) -> list[tuple[int, bytes | str | None]]:
        """The outcomes of a share; of what is begun once more, none yet."""
        from distributed import KilledWorker

        try:
            found = future.result(timeout=self._patience.connect)
        except KilledWorker:
            # As with processes: what was alone is to blame, and the others are begun once more, each alone.
            if len(share) > 1:
                return [(number, None) for number in share]
            return [(share[0], "the dask workers that worked on it ended, one after the other")]
        except (ImportError, AttributeError) as problem:
            raise self._other("a dask worker or the scheduler", _cause(problem)) from None
        except RuntimeError as problem:
            if "deserialization" in str(problem):
                raise self._other("the dask scheduler", "it can't read what it is sent") from None
            raise
        except _GONE as problem:
            raise self._lost(_cause(problem)) from None
        if isinstance(found, remote.Refusal):
            raise self._differs("a dask worker", found.versions)
        if isinstance(found, remote.Defect):
            raise RuntimeError(f"a dask worker failed\n{found.text}")
        return list(found)

    # ---------------------------------------------------------------------------------------------- is anybody there?

    def _first_workers(self) -> int:
        """The number of threads that the workers have, once there are any."""
        while True:
            threads = self._threads()
            if threads:
                return threads
            time.sleep(_LOOK)

    def _threads(self) -> int:
        """The number of threads of all workers. Raises UserError where the scheduler is silent, or has no worker."""
        try:
            found: Mapping[str, int] = self._client.sync(
                self._client.scheduler.ncores, callback_timeout=self._patience.connect
            )
        except (*_GONE, AttributeError, RuntimeError) as problem:
            raise self._lost(_cause(problem)) from None
        self._asked = time.monotonic()
        if found:
            self._seen = self._asked
        elif self._asked - self._seen > self._patience.empty:
            raise UserError(
                f"the dask scheduler at {self._address} has no worker",
                cure=f"start `dask worker {self._address}` on machines with the same sonnx-verify",
            )
        return sum(found.values())

    def _still_there(self) -> None:
        if self._client.status != "running":
            raise self._lost("it closed the connection")
        if time.monotonic() - self._asked > self._patience.every:
            self._threads()

    def _lost(self, cause: str) -> UserError:
        return UserError(
            f"the dask scheduler at {self._address} was lost: {cause}",
            cure="see why it ended, start it again, and repeat the command; or check without --dask",
        )

    # ------------------------------------------------------------------------------------------------------- versions

    def _refuse(self) -> None:
        """Raise UsageError for the first worker, by address, that would decide by other rules."""
        try:
            found = self._everywhere(versions, self._task.solvers, seconds=self._patience.connect)
        except _GONE as problem:
            raise self._lost(_cause(problem)) from None
        for worker, theirs in sorted(found.items()):
            if isinstance(theirs, OSError):
                continue  # it has just ended
            if isinstance(theirs, BaseException):
                raise self._other(f"the dask worker {worker}", _cause(theirs))
            if theirs != self._versions:
                raise self._differs(f"the dask worker {worker}", theirs)

    def _everywhere(self, what: Callable[..., object], *arguments: object, seconds: float) -> dict[str, Any]:
        """The results of a function on each worker, or what it raises there, by the worker's address."""
        client = self._client
        found = client.sync(client.run, what, *arguments, on_error="return", callback_timeout=seconds)
        return dict(found)

    def _differs(self, who: str, theirs: Mapping[str, str]) -> UserError:
        names = [n for n in self._versions if theirs.get(n) != self._versions[n]]
        said = "; ".join(f"{n} {theirs.get(n, 'not known')}, and here {self._versions[n]}" for n in names)
        return UsageError(f"{who} has {said}", cure="install the same versions in both places")

    def _other(self, who: str, cause: str) -> UserError:
        return UsageError(
            f"{who} has no sonnx-verify like this one: {cause}",
            cure=f"install sonnx-verify {self._versions['sonnx-verify']} there, with the extra cluster",
        )
