"""How the command ends: every way out has a status, one or two lines at most, and no traceback for mendable errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sepal.exceptions import SepalError

MENDABLE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


@contextmanager
def leaving_cleanly() -> Iterator[None]:
    """Turn errors, Ctrl-C and a closed pipe into messages on stderr and exit statuses."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            yield
            sys.stdout.flush()
    except SepalError as error:
        _say(f"error: {error}")
        sys.exit(MENDABLE)
    except MemoryError:
        _say("error: there is not enough memory for this table\nhint: take a sample of its rows first")
        sys.exit(MENDABLE)
    except KeyboardInterrupt:
        _say("\nInterrupted; nothing was written.")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Who read us has left. What is still buffered must go nowhere, or Python complains on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    _say(f"warning: {message}")
