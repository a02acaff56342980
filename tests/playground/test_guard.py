"""Who is answered: a request with the token, for the host that is served, from the page itself; nobody else."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

import sonnx_verify
from sonnx_verify.playground.guard import Rate


def test_the_page(served: Any) -> None:
    """The page, and each file that it names, with headers that let it load nothing else."""
    page = served.get("")
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for name in ("app.js", "style.css", "icon.svg", "facts.json"):
        answer = served.get(name)
        assert answer.status == 200, name
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not [header for header in answer.headers if header.lower().startswith("access-control")]
    assert b"<script>" not in page.body
    assert b"style=" not in page.body
    assert b"://" not in page.body


@pytest.mark.parametrize("path", ["/", "/index.html", "/x/", "/TOKEN-/", "/TOKE", "/favicon.ico", "/%54OKEN/"])
def test_a_token_that_is_missing_or_wrong(served: Any, path: str) -> None:
    token = served.token
    for method in ("GET", "POST"):
        answer = served.request(method, path.replace("TOKEN", token).replace("TOKE", token[:-1]), b"{}")
        assert answer.status == 403
        assert "token" in answer.error
        assert token.encode() not in answer.body


@pytest.mark.parametrize("host", ["", "localhost", "127.0.0.1", "evil.example:PORT", "localhost:PORT", "127.0.0.1:1"])
def test_another_host(served: Any, host: str) -> None:
    """A name that somebody has resolved to 127.0.0.1 is not the address that is served."""
    answer = served.get("", Host=host.replace("PORT", served.host.partition(":")[2]))
    assert answer.status == 403
    assert answer.error == "unexpected Host header"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://HOST"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site(served: Any, headers: dict[str, str]) -> None:
    sent = {name: value.replace("HOST", served.host) for name, value in headers.items()}
    body = json.dumps({"text": ""}).encode()
    for method, name in (("POST", "check"), ("GET", "facts.json")):
        answer = served.request(method, f"/{served.token}/{name}", body, sent)
        assert answer.status == 403
        assert "another site" in answer.error


def test_the_page_itself_is_answered(served: Any) -> None:
    """With the headers that a browser sends; and a link from elsewhere opens the page."""
    own = {"Origin": f"http://{served.host}", "Sec-Fetch-Site": "same-origin"}
    assert served.get("facts.json", **own).status == 200
    assert served.get("", **{"Sec-Fetch-Site": "cross-site"}).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "../../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "static/../../server.py",
        "index.html/../app.js",
        "/etc/passwd",
        "examples/clamp.sonnx",
        "./app.js",
        "app.js/",
        "\\..\\server.py",
        "app.js%00.png",
    ],
)
def test_no_path_leads_out(served: Any, path: str) -> None:
    assert served.get(path).status == 404
    assert served.request("POST", f"/{served.token}/{path}", b"{}").status == 404


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD", "TRACE", "BREW"])
def test_other_methods(served: Any, method: str) -> None:
    """None is answered: above all no preflight, with which a page of another site would begin."""
    answer = served.request(method, f"/{served.token}/check", b"")
    assert answer.status == 501
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'"text"', b'{"text": 1}', b'{"text": "\\ud800"}', b"[" * 100_000])
def test_a_body_that_is_no_text(served: Any, body: bytes) -> None:
    answer = served.request("POST", f"/{served.token}/check", body)
    assert answer.status == 400
    assert "JSON object" in answer.error


def test_a_form_of_another_site(served: Any) -> None:
    """A form sends without asking first, but not this type."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = served.request("POST", f"/{served.token}/check", b'{"text": ""}', {"Content-Type": kind})
        assert answer.status == 415


def test_a_huge_text(served: Any) -> None:
    """Just too much, and so much that it is not read; a little less is checked."""
    most = json.loads(served.get("facts.json").body)["most"]
    assert served.post("check", "-" * (most + 1)).status == 413
    assert served.post("check", "-" * 10 * most).status == 413
    assert served.post("evaluate", "", values="1" * 20_001).status == 413
    lengths = {"Content-Length": "9" * 19}
    assert served.request("POST", f"/{served.token}/check", b"{}", lengths).status == 411
    nothing = 'library nothing "Nothing"\n-- '
    assert served.check(nothing + "x" * (most - len(nothing)))[-1]["state"] == "good"


def test_it_listens_on_this_machine_alone(served: Any) -> None:
    """The socket is bound to 127.0.0.1: another address of this machine, also a loopback one, refuses."""
    port = int(served.host.partition(":")[2])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=10).close()


def test_a_rate() -> None:
    """So many at once, and no more before time has passed."""
    rate = Rate(burst=3, each_second=0)
    assert [rate.allows() for _ in range(5)] == [True, True, True, False, False]


def test_too_many_requests(limited: Any) -> None:
    """The server refuses what its rate does not allow, and says so."""
    from sonnx_verify.playground.jobs import Limits

    client = limited(Limits(), Rate(burst=2, each_second=0))
    answers = [client.post("evaluate", "", values="[") for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[-1].error == "too many requests: wait a second"


def test_the_page_is_in_the_package() -> None:
    """What is served stands in the package, so that a wheel has it."""
    folder = Path(sonnx_verify.__file__).parent / "playground" / "static"
    assert {path.name for path in folder.iterdir()} == {"app.js", "icon.svg", "index.html", "style.css"}
