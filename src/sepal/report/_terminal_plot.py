"""Small pictures made of characters: bars, and a curve with its band. Plain numbers in, lines of text out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)  # between two labels of the accuracy axis
_LEAST_SPAN = 0.04  # a curve flatter than this is shown flat
_MOST_LINES = 11
# Bits of a braille character's dots, from top to bottom, in its left and right column.
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


class CurvePlot(NamedTuple):
    """The lines of a plot; ``band`` and ``mean`` are the characters to explain in a legend."""

    lines: list[str]
    band: str
    mean: str


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """A bar of ``share`` of ``width`` characters; anything above 0 can be seen."""
    if unicode:
        eighths = max(round(share * width * 8), 1 if share > 0 else 0)
        return _EIGHTHS[8] * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return "#" * max(round(share * width), 1 if share > 0 else 0)


def _axis(low: float, high: float) -> tuple[float, float, float]:
    """The bottom and top of the axis and the step between labels; a line is half a step."""
    if high - low < _LEAST_SPAN:
        low = min(max(0.0, (low + high - _LEAST_SPAN) / 2), 1.0 - _LEAST_SPAN)
        high = low + _LEAST_SPAN
    for step in _STEPS:
        bottom, top = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        if round((top - bottom) / step) * 2 + 1 <= _MOST_LINES:
            break
    return bottom, top, step


def curve_plot(
    x: Sequence[float], mean: Sequence[float], std: Sequence[float], *, width: int, unicode: bool = True
) -> CurvePlot:
    """A curve of shares with a band of one standard deviation, ``width`` characters wide, axis included."""
    low, high = np.subtract(mean, std), np.add(mean, std)
    bottom, top, step = _axis(max(0.0, float(low.min())), min(1.0, float(high.max())))
    n_lines = round((top - bottom) / step) * 2 + 1
    labels = [f"{top - line * step / 2:.0%}" if line % 2 == 0 else "" for line in range(n_lines)]
    margin = max(map(len, labels))
    columns = max(width - margin - 2, len(x))

    def height(values: NDArray[np.float64], per_cell: int) -> NDArray[np.float64]:
        """Lines below the top at each of the fine columns, ``per_cell`` to a character."""
        fine = (np.arange(columns * per_cell) + 0.5) / (columns * per_cell)
        at = np.interp(x[0] + fine * (x[-1] - x[0]), x, values)
        return np.asarray((top - at) / (step / 2) + 0.5)

    cells = _band(height(low, 1), height(high, 1), n_lines, "░" if unicode else ".")
    line = height(np.asarray(mean, dtype=np.float64), 2 if unicode else 1)
    (_draw_dots if unicode else _draw_stars)(cells, line, n_lines)
    tick = "┤" if unicode else "|"
    lines = [f"{label:>{margin}} {tick}{''.join(row)}".rstrip() for label, row in zip(labels, cells, strict=True)]
    return CurvePlot([*lines, _x_axis(x, margin, columns)], "░" if unicode else ".", "⠒" if unicode else "*")


def _band(low: NDArray[np.float64], high: NDArray[np.float64], n_lines: int, character: str) -> list[list[str]]:
    """Characters of the band: those whose middle lies inside."""
    middle = np.arange(n_lines)[:, None] + 0.5
    inside = (middle >= high - 0.5) & (middle <= low + 0.5)
    return [[character if filled else " " for filled in row] for row in inside]


def _draw_dots(cells: list[list[str]], line: NDArray[np.float64], n_lines: int) -> None:
    """The line in braille dots, four to the height and two to the width of a character."""
    dots: dict[tuple[int, int], int] = {}
    fine = np.clip((line * 4).astype(int), 0, n_lines * 4 - 1)
    for i, at in enumerate(fine.tolist()):
        before = int(fine[i - 1]) if i else at
        # Steep parts are filled up from the dot before, so that the line has no holes.
        for dot in range(min(at, before + 1), max(at, before - 1) + 1):
            key = (dot // 4, i // 2)
            dots[key] = dots.get(key, 0) | _BRAILLE[i % 2][dot % 4]
    for (row, column), bits in dots.items():
        cells[row][column] = chr(0x2800 + bits)


def _draw_stars(cells: list[list[str]], line: NDArray[np.float64], n_lines: int) -> None:
    for column, at in enumerate(np.clip(line.astype(int), 0, n_lines - 1).tolist()):
        cells[at][column] = "*"


def _x_axis(x: Sequence[float], margin: int, columns: int) -> str:
    """Shares below the plot, as many as have room."""
    text = [" "] * (columns + 6)
    free = 0
    for share in x:
        label = f"{share:.0%}"
        middle = round((share - x[0]) / ((x[-1] - x[0]) or 1.0) * (columns - 1))
        start = max(0, min(middle - len(label) // 2, columns - len(label)))
        if start >= free:
            text[start : start + len(label)] = label
            free = start + len(label) + 1
    return " " * (margin + 2) + "".join(text).rstrip()
