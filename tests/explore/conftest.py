"""A server as the page sees it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sepal.explore import Server

with warnings.catch_warnings():  # older starlettes ask anyio for names that have moved
    warnings.simplefilter("ignore", DeprecationWarning)
    from starlette.testclient import TestClient

HOST = "127.0.0.1:8765"


@dataclass
class Page:
    """What the page does: every request with its bearer and header."""

    server: Server
    client: TestClient
    bearer: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.bearer}", "X-Sepal": "1"}

    def get(self, path: str, **more: Any) -> Any:
        return self.client.get(path, headers=self.headers | more)

    def post(self, path: str, body: Any, **more: str) -> Any:
        return self.client.post(path, json=body, headers=self.headers | more)

    def delete(self, path: str) -> Any:
        return self.client.delete(path, headers=self.headers)

    def do(self, action: str, view: dict[str, Any], **parameters: Any) -> Any:
        return self.post(f"/api/do/{action}", {"view": view, "parameters": parameters})

    def upload(self, name: str, content: bytes) -> Any:
        headers = self.headers | {"Content-Type": "application/octet-stream"}
        return self.client.post("/api/upload", params={"name": name}, content=content, headers=headers)

    def job(self, action: str, view: dict[str, Any], **parameters: Any) -> dict[str, Any]:
        """Start, wait, and give the answer."""
        started = self.post("/api/jobs", {"action": action, "view": view, "parameters": parameters})
        assert started.status_code == 202, started.text
        name = started.json()["job"]
        while (state := self.get(f"/api/jobs/{name}?wait=5").json())["state"] in ("waiting", "running"):
            pass
        assert state["state"] == "done", state
        return dict(self.get(f"/api/jobs/{name}/answer").json())


def opened(server: Server) -> Page:
    """The page of a server, logged in with the token of its link."""
    client = TestClient(server.app((HOST,)), base_url=f"http://{HOST}", raise_server_exceptions=False)
    token = server.keys.token()
    bearer = client.post("/api/login", json={"token": token}, headers={"X-Sepal": "1"}).json()["bearer"]
    return Page(server, client, bearer)


@pytest.fixture
def page() -> Iterator[Page]:
    server = Server()
    yield opened(server)
    server.workers.close()


@pytest.fixture
def open_page() -> Iterator[Any]:
    """Open a server with other settings."""
    servers = []

    def opening(**settings: Any) -> Page:
        servers.append(Server(**settings))
        return opened(servers[-1])

    yield opening
    for server in servers:
        server.workers.close()
