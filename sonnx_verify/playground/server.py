"""The server of the playground, on 127.0.0.1 alone.

`/TOKEN/` is the page, with a few files of its own; `POST /TOKEN/check`, `evaluate` and `shape` take a JSON object with
the `text` and, but for `check`, the `values`. The answer is a JSON object a line, as soon as each is known; who closes
the connection ends the work. Paths are looked up in a table, and never opened as files.
"""

from __future__ import annotations

import json
import secrets
import select
import socket
import threading
import tomllib
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any, cast

from sonnx_verify.background.checks import jobs as usable_jobs
from sonnx_verify.errors import UsageError
from sonnx_verify.language.words import CONTEXTUAL, KEYWORDS, TYPES
from sonnx_verify.playground.guard import HEADERS, Guard, Rate
from sonnx_verify.playground.jobs import Busy, Job, Jobs, Limits
from sonnx_verify.playground.replies import Told
from sonnx_verify.playground.requests import Question, Request

ADDRESS = "127.0.0.1"
MOST_TEXT = 100_000
"""The most bytes of a text."""
MOST_VALUES = 20_000
"""The most bytes of the values that a question is asked with."""
_MOST_BODY = 3 * (MOST_TEXT + MOST_VALUES)
"""JSON writes a line end, a quotation mark and some other characters as two."""
_MOST_DRAINED = 1 << 22
_MOST_CONNECTIONS = 64
_MOST_JOBS = 4
"""The most processes that decide for one request."""
_PAUSE = 0.25
"""Seconds between two looks at whether somebody still waits for an answer."""
_HERE = Path(__file__).parent
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def assets() -> dict[str, tuple[str, bytes]]:
    """The files of the page by their addresses, each with its type; the page itself has the empty one."""
    made: dict[str, tuple[str, bytes]] = {}
    for path in sorted((_HERE / "static").iterdir()):
        if path.suffix in _TYPES:
            made[path.name] = (_TYPES[path.suffix], path.read_bytes())
    made[""] = made.pop("index.html")
    made["facts.json"] = ("application/json", json.dumps(_facts(), ensure_ascii=False).encode())
    return made


def _facts() -> dict[str, Any]:
    """The examples, and the words of the language, which the page colours."""
    listed = tomllib.loads((_HERE / "examples/examples.toml").read_text("utf-8"))["example"]
    for example in listed:
        example["text"] = (_HERE / "examples" / example["file"]).read_text("utf-8")
    words = {"keywords": sorted(KEYWORDS | CONTEXTUAL), "types": sorted(TYPES)}
    return {"examples": listed, "words": words, "most": MOST_TEXT}


class Refused(Exception):
    """A request that is not worked on."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Playground(ThreadingHTTPServer):
    """The server, listening; `serve_forever` answers. Raises UsageError where the port cannot be used."""

    daemon_threads = True
    # A thread that waits for a job would keep the server from ending.
    block_on_close = False

    def __init__(self, port: int = 0, limits: Limits | None = None) -> None:
        """One on that port, or on a free one."""
        # First: a server that cannot listen is closed by the library, and its jobs with it.
        self.jobs = Jobs(limits or Limits())
        try:
            super().__init__((ADDRESS, port), Handler)
        except OSError as problem:
            cure = "name another port, or leave out --port for a free one"
            raise UsageError(f"port {port} cannot be used: {problem.strerror}", cure=cure) from None
        self.assets = assets()
        self.guard = Guard(f"{ADDRESS}:{self.server_port}", secrets.token_urlsafe(24))
        self.rate = Rate(burst=20, each_second=4)
        self._connections = threading.Semaphore(_MOST_CONNECTIONS)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{self.guard.host}/{self.guard.token}/"

    def server_bind(self) -> None:
        # That of HTTPServer asks the resolver for the name of this machine, which may reach the network.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, unless there are too many of them."""
        if not self._connections.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser closes connections as it likes."""

    def server_close(self) -> None:
        super().server_close()
        self.jobs.close()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "sonnx-verify", ""
    # Seconds to wait for bytes that do not come, or that nobody takes.
    timeout = 10

    @cached_property
    def _playground(self) -> Playground:
        return cast(Playground, self.server)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the address has the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request as the library does, such as one of an unknown method, with our headers and in JSON."""
        self._refuse(Refused(HTTPStatus(code), message or HTTPStatus(code).phrase))

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    # ------------------------------------------------------------------------------------------------------- the table

    def do_GET(self) -> None:  # noqa: N802  # the library calls it by this name
        """The page and its files."""
        try:
            name = self._admitted()
            if name not in self._playground.assets:
                raise _missing()
        except Refused as refused:
            self._refuse(refused)
            return
        kind, data = self._playground.assets[name]
        self._send(HTTPStatus.OK, kind, data)

    def do_POST(self) -> None:  # noqa: N802  # likewise
        """A question."""
        try:
            name = self._admitted()
            if name not in tuple(Question):
                raise _missing()
            request = self._read(Question(name))
            if not self._playground.rate.allows():
                raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too many requests: wait a second")
            with self._playground.jobs.job(request) as job:
                self._stream(job)
        except Busy:
            self._refuse(Refused(HTTPStatus.SERVICE_UNAVAILABLE, "too many tabs wait for an answer: close one"))
        except Refused as refused:
            self._refuse(refused)

    def _admitted(self) -> str:
        """The address behind the token. Raises Refused where the request may not have it."""
        path = self.path.partition("?")[0]
        rest = path.removeprefix("/").partition("/")[2]
        is_page = self.command == "GET" and not rest
        reason = self._playground.guard.refusal(path, self.headers, is_page=is_page)
        if reason:
            raise Refused(HTTPStatus.FORBIDDEN, reason)
        # Without the slash the page would look for its files in the wrong place.
        if path.count("/") < 2:
            raise _missing()
        return rest

    # -------------------------------------------------------------------------------------------------------- the body

    def _read(self, question: Question) -> Request:
        """The question that the body asks."""
        body = self._body()
        try:
            asked = json.loads(body)
            text, values = asked["text"], asked.get("values", "")
            size, size_of_values = len(text.encode()), len(values.encode())
        # Half of a surrogate pair is no text either, and raises a ValueError.
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "the body is not a JSON object with a text") from None
        if size > MOST_TEXT:
            raise _too_large(f"the text has {size} bytes, more than {MOST_TEXT}")
        if size_of_values > MOST_VALUES:
            raise _too_large(f"the values have {size_of_values} bytes, more than {MOST_VALUES}")
        return Request(question, text, values, min(usable_jobs(), _MOST_JOBS))

    def _body(self) -> bytes:
        # Only a page may send this type without asking first, and it would be refused: see guard.py.
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body is not JSON")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 18:
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing or invalid")
        if int(length) > _MOST_BODY:
            self._drain(int(length))
            raise _too_large(f"the request has {length} bytes, more than {_MOST_BODY}")
        return self.rfile.read(int(length))

    def _drain(self, length: int) -> None:
        """Read a body that is not wanted: who is still sending reads no answer."""
        left = min(length, _MOST_DRAINED)
        while left > 0:
            piece = self.rfile.read(min(left, 1 << 16))
            if not piece:
                return
            left -= len(piece)

    # ------------------------------------------------------------------------------------------------------ the answers

    def _stream(self, job: Job) -> None:
        """Say each thing as it comes, as long as somebody listens."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/x-ndjson; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        told = Told()
        for message in job.messages(_PAUSE):
            if message is not None:
                self.wfile.write(json.dumps(told.hear(message), ensure_ascii=False).encode() + b"\n")
            elif _is_gone(self.connection):
                return

    def _send(self, status: HTTPStatus, kind: str, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _refuse(self, refused: Refused) -> None:
        # Its body was not read, or not all of it: what follows on this connection is no request.
        self.close_connection = True
        said = json.dumps({"error": refused.reason}).encode() + b"\n"
        self._send(refused.status, "application/json", said, {"Connection": "close"})


def _missing() -> Refused:
    return Refused(HTTPStatus.NOT_FOUND, "not found")


def _too_large(reason: str) -> Refused:
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)


def _is_gone(connection: socket.socket) -> bool:
    """True if the other end has closed the connection."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    if not poll.poll(0):
        return False
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True
