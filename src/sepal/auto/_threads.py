"""Linear algebra on one thread per task: small problems are faster so, and no sum depends on the number of cores."""

from __future__ import annotations

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """A context in which BLAS does not start threads of its own."""
    return _controller().limit(limits=1, user_api="blas")
