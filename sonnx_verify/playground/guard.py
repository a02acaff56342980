"""The checks of a request before anything is done for it.

The page is for one person on one machine, and whatever else runs in that person's browser must not reach it. A page of
another site can send requests to 127.0.0.1, and by a name that it resolves to 127.0.0.1 (DNS rebinding) it could even
read the answers. So each request has to carry the token of the address, which no other page knows; its `Host` has to be
the address that is served, which a rebound name is not; and `Origin` and `Sec-Fetch-Site`, which browsers set and no
script can change, have to say that it comes from the page itself.
"""

from __future__ import annotations

import hmac
import threading
import time
from dataclasses import dataclass, field
from email.message import Message

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
"""The Content-Security-Policy: nothing from elsewhere, no script and no style within the page, no frame around it."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The headers of each answer, errors included. There is none of CORS, so that no other page reads an answer."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The address that is served, and its token."""

    host: str
    token: str

    def refusal(self, target: str, headers: Message, *, is_page: bool) -> str:
        """The reason why a request is refused, empty where it is not. `is_page` of a request that opens the page."""
        if headers.get("Host", "") != self.host:
            return "unexpected Host header"
        first = target.removeprefix("/").partition("/")[0]
        # In constant time, so that nobody finds the token letter by letter.
        if not hmac.compare_digest(first.encode("latin-1", "replace"), self.token.encode()):
            return "the address lacks the token that `sonnx-verify serve` printed"
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{self.host}":
            return "the request comes from another site"
        # A link may lead to the page from anywhere; whoever has its token was given it.
        site = headers.get("Sec-Fetch-Site", "none")
        if not is_page and site not in ("none", "same-origin"):
            return "the request comes from another site"
        return ""


@dataclass(slots=True)
class Rate:
    """A limit on how often something is done: so many times at once, and so many a second on and on."""

    burst: float
    each_second: float
    _left: float = field(init=False)
    _at: float = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._left, self._at = self.burst, time.monotonic()

    def allows(self) -> bool:
        """True if it may be done once more now; then it counts."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self.burst, self._left + (now - self._at) * self.each_second)
            self._at = now
            if self._left < 1:
                return False
            self._left -= 1
            return True
