"""Further small pictures as SVG text in the style of the page: lines, bars, tables of shades, dots, maps of answers."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.report._svg import (
    N_COLORS,
    axis_scale,
    class_mark_path,
    cut_name,
    round_ticks,
    short_number,
    svg_line,
    svg_number,
    svg_text,
    whole_svg,
)

BARS_DRAWN = 30
MOST_WRITTEN = 12  # cells on a side that hold their number
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 560.0, 280.0, 66.0, 16.0, 30.0, 44.0
Place = Callable[[float], float]


@dataclass(frozen=True)
class Line:
    """One line of a picture; what is not finite is left out."""

    name: str
    x: Sequence[Any]
    y: Sequence[Any]
    dashed: bool = False

    @property
    def points(self) -> list[tuple[float, float]]:
        """Those that are known."""
        pairs = zip(self.x, self.y, strict=True)
        return [(float(a), float(b)) for a, b in pairs if b is not None and math.isfinite(b)]


def _axes(points: Sequence[tuple[float, float]], titles: tuple[str, str], log: bool) -> tuple[Place, Place, list[str]]:
    """Where values stand, and ticks with their words."""
    xs = [math.log10(a) if log else a for a, _ in points]
    ys = [b for _, b in points]
    along, up = (
        axis_scale(np.array([min(xs), max(xs)]), _LEFT, _WIDTH - _RIGHT),
        axis_scale(np.array([min(ys), max(ys)]), _HEIGHT - _BOTTOM, _TOP),
    )
    parts = []
    for tick in round_ticks(min(ys), max(ys)):
        parts += [
            svg_line(_LEFT, up(tick), _WIDTH - _RIGHT, up(tick), "grid"),
            svg_text(_LEFT - 6, up(tick) + 4, short_number(tick), "small", "end"),
        ]
    ticks = range(math.ceil(min(xs)), math.floor(max(xs)) + 1) if log else round_ticks(min(xs), max(xs), 5)
    for tick in ticks:
        words = short_number(10.0**tick if log else tick)
        parts.append(svg_text(along(tick), _HEIGHT - _BOTTOM + 18, words, "small"))
    parts.append(svg_text((_LEFT + _WIDTH) / 2, _HEIGHT - 8, titles[0], "small"))
    parts.append(svg_text(4, 14, titles[1], "small", "start"))
    return (lambda value: along(math.log10(value)) if log else along(value)), up, parts


def lines_svg(lines: Sequence[Line], titles: tuple[str, str], words: str, log: bool = False) -> str:
    """Lines over a common axis, each with its name."""
    across, up, parts = _axes([point for line in lines for point in line.points], titles, log)
    at = _WIDTH - _RIGHT
    for code, line in reversed([*enumerate(lines)]):
        style = f"line s{code % N_COLORS}" + (" dashed" if line.dashed else "")
        places = " ".join(f"{svg_number(across(a))},{svg_number(up(b))}" for a, b in line.points)
        parts.append(f'<polyline points="{places}" class="{style}"/>')
        if len(lines) > 1:
            parts.append(svg_text(at, 14, line.name, "small", "end"))
            at -= 6.4 * len(line.name) + 6
            parts.append(f'<path d="M{svg_number(at - 18)} 10h16" class="{style}"/>')
            at -= 32
    return whole_svg(_WIDTH, _HEIGHT, parts, words)


def dots_svg(x: Sequence[Any], y: Sequence[Any], titles: tuple[str, str], words: str, names: Sequence[str] = ()) -> str:
    """Dots, with their names where these are given; dots in one place are drawn once."""
    line = Line("", x, y)
    across, up, parts = _axes(line.points, titles, False)
    places = dict.fromkeys(f"M{svg_number(across(a))} {svg_number(up(b))}h0" for a, b in line.points)
    parts.append(f'<path d="{"".join(places)}" class="dot s0"/>')
    taken: list[tuple[float, float, float]] = []
    for name, (a, b) in zip(names, line.points, strict=False):
        parts += _free_label(name, across(a), up(b), taken)
    return whole_svg(_WIDTH, _HEIGHT, parts, words)


def _free_label(name: str, x: float, y: float, taken: list[tuple[float, float, float]]) -> list[str]:
    """A name beside its dot where no other name stands; none where there is no room."""
    wide = 6.6 * len(name)
    for down in (4.0, -8.0, 16.0, -20.0, 28.0, -32.0, 40.0):
        for begin in (x + 7, x - 7 - wide):
            fits = begin >= _LEFT and begin + wide <= _WIDTH and 24 <= y + down <= _HEIGHT - _BOTTOM
            if fits and all(abs(y + down - row) > 11 or begin > b or begin + wide < a for a, b, row in taken):
                taken.append((begin, begin + wide, y + down))
                return [svg_text(begin, y + down, name, "small", "start")]
    return []


def bars_svg(
    names: Sequence[str],
    values: Sequence[Any],
    words: str,
    *,
    intervals: Sequence[tuple[float, float]] | None = None,
    levels: Sequence[float] | None = None,
) -> str:
    """A bar for each name, from 0; an interval and a level mark on it where these are given."""
    names, known = list(names[:BARS_DRAWN]), [float(v or 0.0) for v in values[:BARS_DRAWN]]
    ends = [high for _, high in intervals or ()][:BARS_DRAWN]
    left, step = 150.0, 22.0
    low, high = min(0.0, *known), max(*known, *ends, *(levels or ())[:BARS_DRAWN], 1e-9)
    across = axis_scale(np.array([low, high]), left, _WIDTH - 70)
    parts = []
    for i, (name, value) in enumerate(zip(names, known, strict=True)):
        top = 4 + i * step
        begin, end = sorted((float(across(0.0)), float(across(value))))
        parts.append(svg_text(left - 8, top + 13, cut_name(name, 22), "small", "end"))
        parts.append(
            f'<rect x="{svg_number(begin)}" y="{svg_number(top + 3)}" width="{svg_number(end - begin)}" '
            f'height="12" class="c0 shade"/>'
        )
        last = end
        if intervals is not None:
            first, last = (float(across(v)) for v in intervals[i])
            parts.append(f'<path d="M{svg_number(first)} {svg_number(top + 9)}H{svg_number(last)}" class="whisker"/>')
        if levels is not None:
            at = float(across(levels[i]))
            parts.append(f'<path d="M{svg_number(at)} {svg_number(top)}v18" class="line s5"/>')
        parts.append(svg_text(max(last, end) + 6, top + 13, f"{value:.4g}", "small", "start"))
    return whole_svg(_WIDTH, 8 + len(names) * step, parts, words)


def shades_svg(
    cells: NDArray[np.float64], down: Sequence[str], along: Sequence[str], titles: tuple[str, str], words: str
) -> str:
    """A table of cells, the larger the darker; few cells hold their number."""
    rows, columns = cells.shape
    left, top, size = 130.0, 40.0, min(80.0, (_WIDTH - 150.0) / max(columns, 1))
    tall = min(size, 34.0)
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    parts = [svg_text(left, 14, titles[1], "small", "start"), svg_text(4, 32, titles[0], "small", "start")]
    every = max(1, math.ceil(columns / max(1, int((_WIDTH - left) // 48))))
    for j in range(0, columns, every):
        parts.append(svg_text(left + (j + 0.5) * size, 32, cut_name(along[j], 11 if size > 75 else 8), "small"))
    for i in range(rows):
        if i % max(1, math.ceil(rows * 12.0 / max(rows * tall, 1.0))) == 0:
            parts.append(svg_text(left - 8, top + (i + 0.5) * tall + 4, cut_name(down[i], 18), "small", "end"))
        for j in range(columns):
            value = float(cells[i, j])
            if math.isnan(value):
                continue
            share = (value - low) / (high - low) if high > low else 0.0
            parts.append(
                f'<rect x="{svg_number(left + j * size)}" y="{svg_number(top + i * tall)}" '
                f'width="{svg_number(size)}" height="{svg_number(tall)}" class="c0" '
                f'fill-opacity="{0.05 + 0.6 * share:.2f}"/>'
            )
            if max(rows, columns) <= MOST_WRITTEN:
                parts.append(svg_text(left + (j + 0.5) * size, top + (i + 0.5) * tall + 4, short_number(value)))
    return whole_svg(_WIDTH, top + rows * tall + 8, parts, words)


def map_svg(
    xs: NDArray[np.float64],
    ys: NDArray[np.float64],
    codes: NDArray[Any] | None,
    points: tuple[NDArray[np.float64], NDArray[Any]],
    names: tuple[str, str],
    *,
    ringed: Sequence[int] = (),
    edges: NDArray[np.float64] | None = None,
) -> str:
    """Which class is answered at every point of a plane, the rows on it, and lines between them.

    Parameters
    ----------
    xs, ys : arrays
        Where the columns and rows of the grid are, or the two ends of each axis.
    codes : array or None
        The class at each point of the grid, a row for each of ``ys``.
    points : pair of arrays
        Places and classes of the rows.
    names : pair of str
        Of the axes.
    ringed : sequence of int
        Positions of the rows with a ring around them.
    edges : (n, 4) array, optional
        Lines from x, y to x, y.
    """
    left, top, right, bottom = _LEFT, 8.0, _WIDTH - _RIGHT, 372.0
    across, up = axis_scale(np.asarray(xs, float), left, right), axis_scale(np.asarray(ys, float), bottom, top)
    parts = [] if codes is None else _regions(codes, left, right, top, bottom)
    parts.append(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" class="edge"/>')
    for tick in round_ticks(float(np.min(xs)), float(np.max(xs)), 5):
        parts.append(svg_text(across(tick), bottom + 16, short_number(tick), "small"))
    for tick in round_ticks(float(np.min(ys)), float(np.max(ys))):
        parts.append(svg_text(left - 6, up(tick) + 4, short_number(tick), "small", "end"))
    if edges is not None:
        path = "".join(
            f"M{svg_number(across(a))} {svg_number(up(b))}L{svg_number(across(c))} {svg_number(up(d))}"
            for a, b, c, d in np.asarray(edges).tolist()
        )
        parts.append(f'<path d="{path}" class="{"whisker" if ringed else "grid"}"/>')
    places, classes = points
    px, py = across(places[:, 0]), up(places[:, 1])
    for code in np.unique(classes):
        mine = classes == code
        form, style = class_mark_path(int(code))
        path = "".join(f"M{svg_number(a)} {svg_number(b)}{form}" for a, b in zip(px[mine], py[mine], strict=True))
        parts.append(f'<path d="{path}" class="{style}"/>')
    rings = "".join(f'<circle cx="{svg_number(px[i])}" cy="{svg_number(py[i])}" r="6"/>' for i in ringed)
    parts.append(f'<g class="ringed">{rings}</g>' if rings else "")
    parts.append(svg_text((left + right) / 2, bottom + 34, cut_name(names[0], 40), "small"))
    parts.append(
        f'<text transform="translate(14 {svg_number((top + bottom) / 2)}) rotate(-90)" text-anchor="middle" '
        f'class="small">{html.escape(cut_name(names[1], 34))}</text>'
    )
    return whole_svg(_WIDTH, bottom + 42, parts, f"{names[0]} against {names[1]}")


def _regions(codes: NDArray[Any], left: float, right: float, top: float, bottom: float) -> list[str]:
    """One path for each class; cells beside each other are one rectangle, a little larger so that no seam shows."""
    rows, columns = codes.shape
    wide, tall = (right - left) / columns, (bottom - top) / rows
    paths: dict[int, list[str]] = {}
    for i, line in enumerate(codes):
        begins = np.flatnonzero(np.concatenate([[True], line[1:] != line[:-1]]))
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), columns], strict=True):
            place = f"M{svg_number(left + begin * wide)} {svg_number(bottom - (i + 1) * tall)}"
            across, down = svg_number((end - begin) * wide), svg_number(tall + (0.5 if i else 0.0))
            paths.setdefault(int(line[begin]), []).append(f"{place}h{across}v{down}h-{across}z")
    return [f'<path d="{"".join(path)}" class="c{code % N_COLORS} region"/>' for code, path in sorted(paths.items())]


def histogram_svg(counts: Sequence[Sequence[float]], words: str) -> str:
    """Bins beside each other, the classes of each stacked; ``counts`` has a line for each bin."""
    width, height = 240.0, 110.0
    highest = max((sum(line) for line in counts), default=0) or 1.0
    step = width / max(1, len(counts))
    parts = []
    for i, line in enumerate(counts):
        foot = height - 2
        for code, many in enumerate(line):
            tall = (height - 8) * many / highest
            if many:
                parts.append(
                    f'<rect x="{svg_number(i * step + 0.5)}" y="{svg_number(foot - tall)}" '
                    f'width="{svg_number(max(step - 1, 0.5))}" height="{svg_number(tall)}" class="c{code % N_COLORS}"/>'
                )
            foot -= tall
    parts.append(svg_line(0, height - 1.5, width, height - 1.5, "grid"))
    return whole_svg(width, height, parts, words)
