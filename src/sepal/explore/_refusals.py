"""What a request gets in place of an answer: a status, a code, one sentence, and a cure where one is known."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from sepal.exceptions import SepalError


class RefusedError(Exception):
    """An error with its place in HTTP."""

    def __init__(self, status: int, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.hint = status, code, message, hint


def error_facts(error: Exception) -> dict[str, Any]:
    """An error as the page shows it; what is not foreseen keeps its details to the terminal."""
    if isinstance(error, RefusedError):
        return {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, SepalError):
        message, _, hint = str(error).partition("\nhint: ")
        return {"code": "wrong", "message": message, "hint": hint or None}
    if isinstance(error, MemoryError):
        return {"code": "wrong", "message": "there is not enough memory for this", "hint": "use fewer rows"}
    return {"code": "broken", "message": f"something went wrong: {type(error).__name__}", "hint": None}


def refused(error: Exception) -> JSONResponse:
    """The answer that says so."""
    if isinstance(error, RefusedError):
        status = error.status
    else:
        status = 400 if isinstance(error, (SepalError, MemoryError)) else 500
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": error_facts(error)}, status_code=status, headers=headers)


async def on_error(request: Request, error: Exception) -> JSONResponse:
    """For Starlette."""
    return refused(error)
