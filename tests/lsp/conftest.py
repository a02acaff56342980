"""A client of the language server, which starts one as a process and speaks with it over its standard streams; and a
desk: a folder with a formal text, the page beside it and a library that it uses."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""How many seconds something may take before it is taken for lost: a machine may have much else to do."""

Message = dict[str, Any]


class Client:
    """A server and what it said. Everything that is waited for is a message."""

    def __init__(self, folder: Path | None, *, prove: bool = False, cache: str | None = None, **options: Any) -> None:
        environment = dict(os.environ)
        # A cache of its own for tests that look at what is decided, not at what is recalled.
        if cache is not None:
            environment["SONNX_VERIFY_CACHE"] = cache
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sonnx_verify", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder if folder is not None and folder.is_dir() else ROOT,
            env=environment,
        )
        self._number = 0
        self._said: queue.Queue[Message | None] = queue.Queue()
        self.errors = b""
        self.heard: list[Message] = []
        self.versions: dict[str, int] = {}
        self.texts: dict[str, str] = {}
        self._readers = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.daemon = True
            reader.start()
        capabilities = {"workspace": {"codeLens": {"refreshSupport": True}}, **options.pop("capabilities", {})}
        answer = self.ask(
            "initialize",
            processId=os.getpid(),
            rootUri=None if folder is None else folder.as_uri(),
            capabilities=capabilities,
            initializationOptions={"prove": prove, **options},
        )
        self.capabilities = answer["capabilities"]
        self.tell("initialized")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert b"Traceback" not in self.errors, self.errors.decode()

    # ----------------------------------------------------------------------------------------------- messages

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        """A notification."""
        self.send({"method": method, "params": params})

    def begin(self, method: str, **params: Any) -> int:
        """A request whose answer is not waited for."""
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int) -> Any:
        """The result of a request."""
        message = self.wait(lambda m: m.get("id") == number and "method" not in m)
        assert "error" not in message, message
        return message["result"]

    def refused(self, method: str, **params: Any) -> str:
        """The reason for which a request is refused."""
        number = self.begin(method, **params)
        message = self.wait(lambda m: m.get("id") == number and "method" not in m)
        return str(message["error"]["message"])

    def ask(self, method: str, **params: Any) -> Any:
        """A request, and its result."""
        return self.answer(self.begin(method, **params))

    def wait(self, wanted: Callable[[Message], Any]) -> Message:
        """The first message, of those that were not waited for yet, that is wanted."""
        for message in self.heard:
            if wanted(message):
                self.heard.remove(message)
                return message
        while True:
            message_or_end = self._said.get(timeout=PATIENCE)
            assert message_or_end is not None, f"the server ended: {self.errors.decode()}"
            if wanted(message_or_end):
                return message_or_end
            self.heard.append(message_or_end)

    def wait_end(self) -> int:
        """The exit status of the server, once it has ended."""
        return self.process.wait(PATIENCE)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = stream.readline()
            message = json.loads(stream.read(length))
            # A request of the server, such as to ask for lenses again: it waits for an answer.
            if "id" in message and "method" in message:
                self.send({"id": message["id"], "result": None})
            self._said.put(message)
        self._said.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    # ---------------------------------------------------------------------------------------------- documents

    def open(self, uri: str, text: str, language: str = "sonnx") -> None:
        self.versions[uri], self.texts[uri] = 1, text
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)

    def change(self, uri: str, text: str) -> int:
        """The whole text, and the number of its version."""
        self.versions[uri], self.texts[uri] = self.versions[uri] + 1, text
        document = {"uri": uri, "version": self.versions[uri]}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])
        return self.versions[uri]

    def diagnostics(self, uri: str, wanted: Callable[[list[Message]], Any] = lambda found: True) -> list[Message]:
        """The diagnostics of the last version of a document, once the wanted ones are among them."""

        def fits(message: Message) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics" or message["params"]["uri"] != uri:
                return False
            if message["params"].get("version") != self.versions[uri]:
                return False
            fitting: bool = wanted(message["params"]["diagnostics"])
            return fitting

        found: list[Message] = self.wait(fits)["params"]["diagnostics"]
        return found

    def place(self, uri: str, what: str, after: int = 0) -> dict[str, int]:
        """The first place of something in a document, so many characters behind its beginning: line and
        character in units of UTF-16, counted from 0."""
        # Counted in another way than by the server: over UTF-16 itself, in which a character is two bytes or four.
        text = self.texts[uri]
        before = text[: text.index(what) + after].replace("\r\n", "\n")
        line = before[before.rfind("\n") + 1 :]
        return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}

    def range(self, uri: str, what: str) -> dict[str, dict[str, int]]:
        """From where to where it stands."""
        return {"start": self.place(uri, what), "end": self.place(uri, what, len(what))}

    def at(self, method: str, uri: str, what: str, after: int = 0) -> Any:
        """The answer to a question about the place of something."""
        return self.ask(f"textDocument/{method}", textDocument={"uri": uri}, position=self.place(uri, what, after))

    def where(self, uri: str, what: str, after: int = 0) -> dict[str, Any]:
        """The parameters of a question about the place of something."""
        return {"textDocument": {"uri": uri}, "position": self.place(uri, what, after)}

    def hover(self, uri: str, what: str, after: int = 0) -> str:
        found = self.at("hover", uri, what, after)
        return "" if found is None else str(found["contents"]["value"])

    def lenses(self, uri: str) -> dict[str, Message]:
        """The code lenses by their titles, each with its line."""
        found = self.ask("textDocument/codeLens", textDocument={"uri": uri})
        return {one["command"]["title"]: {**one["command"], "line": one["range"]["start"]["line"]} for one in found}

    def checked(self, name: str) -> None:
        """Wait until all is known of a file."""
        self.wait(
            lambda m: m.get("method") == "window/logMessage" and m["params"]["message"].startswith(f"checked {name}")
        )

    def logged(self) -> str:
        """The next message in the log."""
        return str(self.wait(lambda m: m.get("method") == "window/logMessage")["params"]["message"])


# The first line has a character of two units in UTF-16: places behind it tell counting by characters from that.
ROW = """\
-- 𝔸 comment above the text.
use rows

operator Row version 1 user
  page "row.md"

types int = int8 int16

input  X : tensor of T
output Y : tensor of T

[C1] constraint "X is a list"     : is_list(X)
[E1] error      "X is not a list" : when C1 fails

let n = rank(X)

shape Y    = X.shape
value Y[i] = same(X[i])
"""
LIBRARY = """\
library rows "What rows are"

define is_list(X : tensor of T) : bool
  "it has one axis"
  = rank(X) = 1

define same(x : T) : T
  "the element itself"
  = x
"""
PAGE = r"""
# Contents

- **Row** for the types [int8, int16](#int)

<a id="int"></a>
# **Row** (int, int)

## Signature

$Y = \text{Row}(X)$

## Restrictions

None.

## Function

Y is X.

## Error conditions

| Error | Statement | Origin |
|---|---|---|
| `[E1]` <a id="int-E1"></a> | The input is not a list: C1 does not hold. | none |

## Inputs

### $X$: tensor of $T$

- `[C1]` <a id="int-C1"></a> The input has one axis
  - Statement: the rank of $X$ is $1$.

## Outputs

### $Y$: tensor of $T$

The same.
""".lstrip()


class Desk:
    """A folder whose name has a blank, with its files and their URIs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "my desk"
        self.folder.mkdir()
        self.row_text, self.page_text, self.library_text = ROW, PAGE, LIBRARY
        self.row, self.page, self.library = (self.folder / n for n in ("row.sonnx", "row.md", "rows.sonnx"))
        self.row.write_text(ROW, "utf-8")
        self.page.write_text(PAGE, "utf-8")
        self.library.write_text(LIBRARY, "utf-8")
        self.row_uri, self.page_uri, self.library_uri = (p.as_uri() for p in (self.row, self.page, self.library))

    def uri(self, name: str) -> str:
        """The URI of a file, which need not be there."""
        return (self.folder / name).as_uri()


def applied(text: str, edits: list[Any]) -> str:
    """A text of characters of the basic plane after edits."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(position: Any) -> int:
        line, character = int(position["line"]), int(position["character"])
        return starts[line] + character

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = (offset(edit["range"][name]) for name in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


@pytest.fixture
def apply() -> Callable[[str, list[Any]], str]:
    return applied


@pytest.fixture
def start() -> Iterator[Callable[..., Client]]:
    """Starts servers, with the arguments of a client; all of them end with the test."""
    started: list[Client] = []

    def begin(*arguments: Any, **options: Any) -> Client:
        started.append(Client(*arguments, **options))
        return started[-1]

    yield begin
    for client in started:
        client.__exit__()


@pytest.fixture(scope="session")
def server() -> type[Client]:
    """Starts a server that lives longer than a test; whoever starts it ends it."""
    return Client


@pytest.fixture(scope="session")
def make_desk() -> type[Desk]:
    """Makes a desk in a folder."""
    return Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Desk]]:
    """A server that proves nothing, for all tests that need no more, and a desk that none of them writes to."""
    shared = Desk(tmp_path_factory.mktemp("quiet"))
    with Client(shared.folder) as client:
        yield client, shared
