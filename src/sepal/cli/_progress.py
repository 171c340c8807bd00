"""A progress bar for a person who waits: on a terminal only, and only after a second."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from sepal.progress import Progress, silent

SILENT_SECONDS = 1.0  # seconds without a word


@contextmanager
def watching(first: str) -> Iterator[Progress]:
    """Give a callback for words and the share that is done; shows them on stderr if that is a terminal."""
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
