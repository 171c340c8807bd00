"""The routes: parameters in, answers out. Nothing is decided here."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sepal.data import shown
from sepal.exceptions import ParameterError, SepalError
from sepal.explore._actions import ACTIONS, SCREENS, action_named
from sepal.explore._answering import answer, kept_answer
from sepal.explore._code import python_code, shell_code
from sepal.explore._facts import BINARY, as_binary, as_json
from sepal.explore._feature_actions import MOST_SWEPT
from sepal.explore._forms import forms
from sepal.explore._offered import Offered, bundled_sets
from sepal.explore._page_files import page_files
from sepal.explore._refusals import RefusedError, error_facts, on_error, refused
from sepal.explore._safety import JSON_BYTES, UPLOAD_BYTES, Guard, Keys, limited_body
from sepal.explore._session import Session
from sepal.explore._session_page import session_page
from sepal.explore._shelf import Shelf
from sepal.explore._view import DISTANCE_WORDS, SCALE_NAMES, TableView
from sepal.explore._work import BusyError, Work, Workers

LONGEST_WAIT = 5.0
LONGEST_NAME = 200
_JOB_NAME = re.compile("[0-9a-f]{8,32}")


class Server:
    """What the routes share: the shelf, the workers, the keys, and what was given on the command line."""

    def __init__(self, shelf: Shelf | None = None, *, view: TableView | None = None, session: Session | None = None,
                 read_only: bool = False, upload_bytes: int = UPLOAD_BYTES) -> None:  # fmt: skip
        self.shelf = shelf or Shelf()
        self.offered = Offered(self.shelf)
        self.view, self.session, self.read_only, self.upload_bytes = view, session, read_only, upload_bytes
        self.keys, self.workers, self.files = Keys(), Workers(), page_files()

    async def page(self, request: Request) -> Response:
        """A file of the page; a screen is its first file."""
        name = request.path_params.get("file", "index.html")
        found = self.files.get(name)
        if found is None:
            raise RefusedError(404, "unknown", f"there is no page file {name!r}")
        headers = {"ETag": found.mark, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == found.mark:
            return Response(status_code=304, headers=headers)
        return Response(found.content, media_type=found.type, headers=headers)

    async def login(self, request: Request) -> Response:
        """The bearer for the token of a link."""
        given = await self._json(request)
        bearer = self.keys.exchange(given.get("token"))
        if bearer is None:
            hint = "Enter in the terminal prints a new link"
            raise RefusedError(401, "unauthorized", "this link was used before, or is of another run", hint)
        return JSONResponse({"bearer": bearer, "start": await run_in_threadpool(self._start_facts)})

    async def start(self, request: Request) -> Response:
        """All that the page needs at first, where it has its bearer already."""
        return JSONResponse(await run_in_threadpool(self._start_facts))

    def _start_facts(self) -> dict[str, Any]:
        from sepal import __version__

        return {
            "version": __version__,
            "read_only": self.read_only,
            "view": None if self.view is None else self.view.to_dict(),
            "session": None if self.session is None else self.session.to_dict(),
            "actions": [] if self.session is None else list(self.session.actions),
            "screens": list(SCREENS),
            "bundled": bundled_sets(),
            "files": [self.offered.file(file) for file in self.shelf.given()],
            "limits": {"upload_bytes": self.upload_bytes, "swept_columns": MOST_SWEPT},
            "distances": list(DISTANCE_WORDS),
            "scales": list(SCALE_NAMES),
        }

    async def parameters(self, request: Request) -> Response:
        """What forms are made from."""
        return JSONResponse(await run_in_threadpool(forms))

    async def upload(self, request: Request) -> Response:
        """A file from the browser: its bytes, and the name it is called by."""
        self._may_write()
        name = request.query_params.get("name", "")
        name = name.replace("\\", "/").rpartition("/")[2].strip()[:LONGEST_NAME]
        if not name or not name.isprintable():
            raise ParameterError("name: expected the name of the file", hint="/api/upload?name=rows.csv")
        content = await limited_body(request, self.upload_bytes)
        return JSONResponse(await run_in_threadpool(self.offered.upload, name, content))

    async def do(self, request: Request) -> Response:
        """A question that is answered at once; a costly one only if it was answered before."""
        given = await self._json(request)
        name, view, settings = request.path_params["action"], given.get("view"), given.get("parameters")
        if name not in ACTIONS:
            raise RefusedError(404, "unknown", f"there is no action {name!r}")
        kept = await run_in_threadpool(kept_answer, self.shelf, name, view, settings)
        if kept is not None:
            return _told(request, kept)
        if given.get("only_kept") is True:
            return JSONResponse({"kept": False})
        if ACTIONS[name].cost == "job":
            raise RefusedError(400, "wrong", f"{name} takes long and was not asked before", "start it as a job")
        work, future = self.workers.ask(
            name, _channel(given), lambda progress: answer(self.shelf, name, view, settings, progress)
        )
        await asyncio.wrap_future(future)
        if work.state == "cancelled":
            raise RefusedError(499, "cancelled", "a newer question took the place of this one")
        if work.error is not None:
            raise work.error
        return _told(request, work.answer)

    async def start_job(self, request: Request) -> Response:
        """A costly question."""
        given = await self._json(request)
        name, view, settings = given.get("action"), given.get("view"), given.get("parameters")
        if name not in ACTIONS:
            raise RefusedError(404, "unknown", f"there is no action {name!r}")
        TableView.of(view)
        ACTIONS[name].settings(settings)  # mistakes are told at once
        try:
            work = self.workers.start(
                name,
                _channel(given),
                lambda progress: answer(self.shelf, name, view, settings, progress),
                _job_name(given),
            )
        except BusyError:
            hint = "wait for one of them, or cancel it"
            raise RefusedError(409, "busy", "one job runs and two wait already", hint) from None
        return JSONResponse(_work_facts(work), status_code=202)

    async def jobs(self, request: Request) -> Response:
        """The latest jobs, newest first."""
        return JSONResponse({"jobs": [_work_facts(work) for work in reversed(self.workers.jobs.values())]})

    async def job(self, request: Request) -> Response:
        """How far a job is; waits for a change of its state if asked to."""
        work = self._work(request)
        try:
            wait = float(request.query_params.get("wait", "0"))
        except ValueError:
            raise ParameterError("wait: expected a number of seconds") from None
        loop, before = asyncio.get_running_loop(), (work.state, work.text)
        end = loop.time() + min(max(wait, 0.0), LONGEST_WAIT)
        while loop.time() < end and (work.state, work.text) == before and not work.finished.is_set():
            await asyncio.sleep(0.03)
        return JSONResponse(_work_facts(work))

    async def cancel(self, request: Request) -> Response:
        """End a job."""
        work = self._work(request)
        work.cancel()
        return JSONResponse(_work_facts(work))

    async def job_answer(self, request: Request) -> Response:
        """The answer of a job that is done."""
        work = self._work(request)
        if work.state == "cancelled":
            raise RefusedError(499, "cancelled", "this job was cancelled")
        if work.error is not None:
            raise work.error
        if work.state != "done":
            raise RefusedError(409, "busy", "this job is not done yet")
        return _told(request, work.answer)

    def _work(self, request: Request) -> Work:
        found = self.workers.jobs.get(request.path_params["job"])
        if found is None:
            raise RefusedError(404, "unknown", f"there is no job {request.path_params['job']!r}")
        return found

    async def code(self, request: Request) -> Response:
        """Several actions as one program."""
        given = await self._json(request)

        def made() -> dict[str, str]:
            space = self.shelf.space(TableView.of(given.get("view")))
            asked = [(entry, entry.settings(each.get("parameters"))) for each, entry in _listed(given.get("actions"))]
            return {"shell": shell_code(space, asked), "python": python_code(space, asked)}

        return JSONResponse(await run_in_threadpool(made))

    async def save(self, request: Request) -> Response:
        """A session to keep."""
        self._may_write()
        given = await self._json(request)
        made = await run_in_threadpool(Session.made, self.shelf, TableView.of(given.get("view")), _plain_list(given))
        return JSONResponse(made.to_dict())

    async def open(self, request: Request) -> Response:
        """A session that was kept: its view and actions, if its data are here."""
        given = await self._json(request)
        session = Session.of(given)
        view, actions = await run_in_threadpool(session.placed, self.shelf)
        return JSONResponse({"view": view.to_dict(), "actions": actions})

    async def report(self, request: Request) -> Response:
        """Actions as one HTML page, from the answers that are here."""
        given = await self._json(request)
        view = TableView.of(given.get("view"))
        actions = _plain_list(given)

        def made() -> str:
            answers = [
                (each, kept_answer(self.shelf, each["action"], view.to_dict(), each["parameters"])) for each in actions
            ]
            return session_page(self.shelf, view, answers)

        text = await run_in_threadpool(made)
        return Response(text, media_type="text/html; charset=utf-8", headers={"Content-Disposition": "attachment"})

    def _may_write(self) -> None:
        if self.read_only:
            hint = "start without --read-only"
            raise RefusedError(403, "read_only", "this Explorer takes no files and saves none", hint)

    async def _json(self, request: Request) -> dict[str, Any]:
        body = await limited_body(request, JSON_BYTES)
        try:
            given = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ParameterError(f"the body is no JSON: {error}") from None
        if not isinstance(given, dict):
            raise ParameterError("the body must be a JSON object")
        return given

    def app(self, hosts: tuple[str, ...]) -> Guard:
        """The application for these hosts, port included."""

        def post(path: str, function: Callable[[Request], Awaitable[Response]]) -> Route:
            return Route(path, function, methods=["POST"])

        routes = [
            Route("/", self.page),
            *(Route(f"/{screen}", self.page) for screen in SCREENS),
            Route("/page/{file:path}", self.page),
            post("/api/login", self.login),
            Route("/api/start", self.start),
            Route("/api/parameters", self.parameters),
            post("/api/upload", self.upload),
            post("/api/do/{action}", self.do),
            Route("/api/jobs", self.jobs, methods=["GET"]),
            post("/api/jobs", self.start_job),
            Route("/api/jobs/{job}", self.job, methods=["GET"]),
            Route("/api/jobs/{job}", self.cancel, methods=["DELETE"]),
            Route("/api/jobs/{job}/answer", self.job_answer),
            post("/api/code", self.code),
            post("/api/session", self.save),
            post("/api/session/open", self.open),
            post("/api/page", self.report),
        ]
        handlers: dict[Any, Any] = {
            HTTPException: _on_http,
            RefusedError: on_error,
            SepalError: on_error,
            Exception: on_error,
        }
        return Guard(Starlette(routes=routes, exception_handlers=handlers), self.keys, hosts)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


async def _on_http(request: Request, error: HTTPException) -> Response:
    code = {404: "unknown", 405: "wrong_method"}.get(error.status_code, "wrong")
    return refused(RefusedError(error.status_code, code, f"{request.method} {request.url.path}: {error.detail}"))


def _channel(given: dict[str, Any]) -> str:
    return str(given.get("channel", ""))[:LONGEST_NAME]


def _job_name(given: dict[str, Any]) -> str | None:
    """What the page calls a job, which it then finds again even if it was left before the answer came."""
    name = given.get("name")
    if name is not None and not (isinstance(name, str) and _JOB_NAME.fullmatch(name)):
        raise ParameterError(f"name: expected 8 to 32 hexadecimal digits, got {shown(name)}")
    return name


def _plain_list(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"action": entry.name, "parameters": entry.settings(each.get("parameters"))}
        for each, entry in _listed(given.get("actions"))
    ]


def _listed(actions: Any) -> list[tuple[dict[str, Any], Any]]:
    if not isinstance(actions, list) or not all(isinstance(each, dict) for each in actions):
        raise ParameterError("actions: expected a list of objects with action and parameters")
    return [(each, action_named(each.get("action"))) for each in actions]


def _told(request: Request, found: dict[str, Any]) -> Response:
    if BINARY in request.headers.get("accept", ""):
        return Response(as_binary(found), media_type=BINARY)
    return Response(as_json(found), media_type="application/json")


def _work_facts(work: Work) -> dict[str, Any]:
    return {
        "job": work.name,
        "action": work.action,
        "state": work.state,
        "text": work.text,
        "share": work.share,
        "elapsed": work.elapsed,
        "left": work.left,
        "error": None if work.error is None else error_facts(work.error),
    }
