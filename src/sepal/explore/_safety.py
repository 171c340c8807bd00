"""Who may ask: this machine's own page, opened with the link that was printed, and nobody else."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from threading import Lock
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sepal.explore._refusals import RefusedError, refused

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
OWN_HEADER = "x-sepal"
JSON_BYTES = 8 * 2**20
UPLOAD_BYTES = 64 * 2**20


class Keys:
    """The one-time tokens of links, and the bearer that a page gets for one."""

    def __init__(self) -> None:
        self.bearer = secrets.token_urlsafe(32)
        self._tokens: set[str] = set()
        self._lock = Lock()

    def token(self) -> str:
        """A new one."""
        made = secrets.token_urlsafe(32)
        with self._lock:
            self._tokens.add(made)
        return made

    def exchange(self, token: Any) -> str | None:
        """The bearer for a token that was not used before."""
        with self._lock:
            found = next((each for each in self._tokens if _same(each, token)), None)
            if found is None:
                return None
            self._tokens.discard(found)
        return self.bearer

    def knows(self, authorization: str | None) -> bool:
        """Whether a request may ask."""
        return _same(f"Bearer {self.bearer}", authorization)


def _same(known: str, given: Any) -> bool:
    return isinstance(given, str) and secrets.compare_digest(known.encode(), given.encode())


class Guard:
    """Refuses what does not come from the page of this server, before anything else sees it."""

    def __init__(self, app: ASGIApp, keys: Keys, hosts: tuple[str, ...]) -> None:
        self.app, self.keys, self.hosts = app, keys, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on with the headers that every answer has."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self.app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        problem = self.problem(scope)
        await (self.app if problem is None else refused(problem))(scope, receive, sealed)

    def problem(self, scope: Scope) -> RefusedError | None:
        """Why a request is refused; None where it is not."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return RefusedError(421, "wrong_host", "this server answers to its own address only")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return RefusedError(403, "forbidden", "the request comes from a page of another origin")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return RefusedError(403, "forbidden", "the request comes from a page of another site")
        path: str = scope["path"]
        if not path.startswith("/api/"):
            return None
        if OWN_HEADER not in headers:
            return RefusedError(415, "not_json", "requests of the page carry the header X-Sepal")
        if scope["method"] == "POST":
            wanted = "application/octet-stream" if path == "/api/upload" else "application/json"
            if headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
                return RefusedError(415, "not_json", f"expected {wanted}")
        if path != "/api/login" and not self.keys.knows(headers.get("authorization")):
            hint = "open the link that the terminal shows; Enter there prints a new one"
            return RefusedError(401, "unauthorized", "this page does not know the key of the running Explorer", hint)
        return None


async def limited_body(request: Request, most: int) -> bytes:
    """The body of a request, if it is not too large.

    Raises
    ------
    RefusedError
        With status 413, before more than the limit was taken in.
    """
    told = request.headers.get("content-length", "0")
    too_large = RefusedError(
        413, "too_large", f"at most {most // 2**20} MB are taken", "give the file on the command line"
    )
    if told.isdecimal() and int(told) > most:
        raise too_large
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise too_large
        parts.append(part)
    return b"".join(parts)
