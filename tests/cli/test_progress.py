"""The progress bar: on a terminal, after a while, gone at the end."""

from __future__ import annotations

import io
import sys
import time

import pytest

from sepal.cli import _progress
from sepal.cli._progress import watching


class Terminal(io.StringIO):
    """A place for text that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def written(monkeypatch, stream, seconds: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with watching("reading") as progress:
        progress("counting sheep", 0.5)
        time.sleep(seconds)
    return stream.getvalue()


def test_nothing_in_a_pipe(monkeypatch):
    monkeypatch.setattr(_progress, "SILENT_SECONDS", 0.01)
    assert written(monkeypatch, io.StringIO(), 0.3) == ""


def test_nothing_for_short_work(monkeypatch):
    assert "sheep" not in written(monkeypatch, Terminal(), 0.0)


def test_words_and_share_for_long_work(monkeypatch):
    monkeypatch.setattr(_progress, "SILENT_SECONDS", 0.01)
    seen = written(monkeypatch, Terminal(), 0.5)
    assert "counting sheep" in seen
    assert "50%" in seen


def _interrupted() -> None:
    with watching("reading"):
        time.sleep(0.1)
        raise KeyboardInterrupt


def test_the_bar_ends_with_an_error(monkeypatch):
    monkeypatch.setattr(_progress, "SILENT_SECONDS", 0.01)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(KeyboardInterrupt):
        _interrupted()
    written_then = sys.stderr.getvalue()
    time.sleep(0.3)
    assert sys.stderr.getvalue() == written_then
