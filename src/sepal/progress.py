"""How far the work is: one callback for all of Sepal, ``progress(text, share)``.

Functions that may take long have a parameter ``progress``. It is called now and then with a few words
and the share of the work that is done; an error raised in it ends the work and comes out.

>>> import sepal
>>> heard = []
>>> _ = sepal.thornton_test(sepal.datasets.load("athletes"), progress=lambda text, share: heard.append((text, share)))
>>> heard[-1]
('searching for neighbours', 1.0)
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import overload

__all__ = ["Progress"]

Progress = Callable[[str, float], object]
SEARCHING = "searching for neighbours"  # the text that many share
Share = Callable[[float], object]  # what loops inside, and native code, tell: the share alone


def importing(frame: FrameType | None) -> bool:
    """Whether a signal arrived inside an import, which may swallow the exception that is to end the work."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def silent(text: str, share: float) -> None:
    """The callback that does nothing."""


@overload
def stage(progress: Progress, text: str, begin: float = ..., end: float = ...) -> Share: ...
@overload
def stage(progress: Progress | None, text: str, begin: float = ..., end: float = ...) -> Share | None: ...
def stage(progress: Progress | None, text: str, begin: float = 0.0, end: float = 1.0) -> Share | None:
    """The callback of one stage of the work: it gets the share of the stage, and tells that of the whole.

    Examples
    --------
    >>> tell = stage(print, "second half", 0.5, 1.0)
    >>> tell(0.5)
    second half 0.75
    """
    if progress is None:
        return None
    listener = progress
    return lambda share: listener(text, begin + (end - begin) * share)


def part(progress: Share | None, begin: float, end: float) -> Share | None:
    """The callback of a part of a stage: it gets the share of the part, and tells that of the stage.

    Examples
    --------
    >>> tell = part(print, 0.25, 0.5)
    >>> tell(1.0)
    0.5
    """
    if progress is None:
        return None
    listener = progress
    return lambda share: listener(begin + (end - begin) * share)
