"""A progress bar for a person who waits: on a terminal only, and only after a second."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from sepal.cli._since_start import ended_after
from sepal.progress import Progress, silent

SILENT_SECONDS = 1.0  # seconds without a word


@contextmanager
def watching(first: str, limit: float | None = None) -> Iterator[Progress]:
    """Give a callback for words and the share that is done; shows them on stderr if that is a terminal.

    With a time limit in seconds the command ends soon after it, and says what it was about.
    """
    doing = [first]
    with _shown(first) as show, ended_after(limit, lambda: doing[0]):

        def tell(what: str, done: float) -> None:
            doing[0] = what
            show(what, done)

        yield tell


@contextmanager
def _shown(first: str) -> Iterator[Progress]:
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(first, total=1.0)
    lock, over = Lock(), [False]

    def show() -> None:
        with lock:
            if not over[0]:
                bar.start()

    timer = Timer(SILENT_SECONDS, show)
    timer.daemon = True
    timer.start()
    try:
        yield lambda what, done: bar.update(task, description=what, completed=done)
    finally:
        timer.cancel()
        with lock:
            over[0] = True
            bar.stop()
