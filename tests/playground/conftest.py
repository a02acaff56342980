"""A playground that is started as a person starts it, and a client that speaks HTTP with it as a page does, or as no
page would."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sonnx_verify.playground.guard import Rate
from sonnx_verify.playground.jobs import Limits
from sonnx_verify.playground.server import Playground

PATIENCE = 120.0
"""How many seconds something may take before it is taken for lost: a machine may have much else to do."""
Message = dict[str, Any]
Start = Callable[[Path], tuple[subprocess.Popen[str], str]]


@dataclass
class Answer:
    """What came back: the status, the headers, the body."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def error(self) -> str:
        """The reason of a refusal."""
        return str(json.loads(self.body)["error"])

    @property
    def messages(self) -> list[Message]:
        """The messages of a stream."""
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass
class Client:
    """Speaks with the playground at an address."""

    host: str
    token: str

    @classmethod
    def of(cls, url: str) -> Client:
        """One for the address that was printed."""
        host, token, rest = url.removeprefix("http://").split("/")
        assert rest == ""
        return cls(host, token)

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """A request with exactly this path, and headers instead of the usual ones."""
        with closing(http.client.HTTPConnection(self.host, timeout=PATIENCE)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            sent = {"Host": self.host, **(headers or {})}
            if body is not None:
                sent.setdefault("Content-Type", "application/json")
                sent.setdefault("Content-Length", str(len(body)))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    def get(self, name: str, **headers: str) -> Answer:
        """A file of the page."""
        return self.request("GET", f"/{self.token}/{name}", headers=headers)

    def post(self, question: str, text: str, values: str = "") -> Answer:
        """A question, answered to its end."""
        body = json.dumps({"text": text, "values": values}).encode()
        return self.request("POST", f"/{self.token}/{question}", body)

    def check(self, text: str) -> list[Message]:
        """The messages about a text."""
        answer = self.post("check", text)
        assert answer.status == 200
        return answer.messages

    def begin(self, text: str) -> http.client.HTTPConnection:
        """Ask for a check whose answer is not read yet."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        body = json.dumps({"text": text})
        connection.request("POST", f"/{self.token}/check", body, {"Content-Type": "application/json"})
        return connection


@pytest.fixture(scope="session")
def many() -> str:
    """A theory that keeps solvers at work for longer than any test runs."""
    theorem = (
        'theorem t{0} "one of many"\n  for a, b, c : int assuming a > 0 and b > 0 and c > {0}\n'
        "  : a * a * a + b * b * b != c * c * c\n"
    )
    return 'theory many "Much to decide"\n\n' + "\n".join(theorem.format(n) for n in range(400))


@pytest.fixture
def client_of() -> Callable[[str], Client]:
    """A function from an address that was printed to a client."""
    return Client.of


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, start_playground: Start) -> Iterator[Client]:
    """The command, in an empty folder, until Ctrl-C: which ends it with 0, and without a traceback."""
    folder = tmp_path_factory.mktemp("served")
    process, url = start_playground(folder)
    yield Client.of(url)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said, errors) == (0, "", "press Ctrl-C to stop\n")
    # It wrote nothing where it was started.
    assert list(folder.iterdir()) == []


@pytest.fixture
def limited() -> Iterator[Callable[..., Client]]:
    """A function that serves a playground with other limits, from a thread of this process."""
    started: list[tuple[Playground, threading.Thread]] = []

    def start(limits: Limits, rate: Rate | None = None) -> Client:
        playground = Playground(limits=limits)
        if rate is not None:
            playground.rate = rate
        thread = threading.Thread(target=playground.serve_forever)
        thread.start()
        started.append((playground, thread))
        return Client.of(playground.url)

    yield start
    for playground, thread in started:
        playground.shutdown()
        playground.server_close()
        thread.join()
