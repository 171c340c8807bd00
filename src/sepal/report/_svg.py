"""Small pictures as SVG text that takes its colors from the page, so that they follow light and dark.

Classes ``c0`` to ``c7`` color the dots of measures, ``s0`` to ``s7`` those of rows, ``small`` and ``grid`` the rest.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_COLORS = 8
# Beyond as many classes as there are colors the form of the mark tells them apart: how its path goes on from a point.
MARKS = {
    "dot": "h0",
    "box": "m-2.2-2.2h4.4v4.4h-4.4z",
    "peak": "m-2.8 2.2h5.6l-2.8-5z",
    "plus": "m-3 0h6m-3-3v6",
    "cross": "m-2.3-2.3l4.6 4.6m0-4.6l-4.6 4.6",
}


def svg_number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def svg_text(x: float, y: float, words: str, style: str = "", anchor: str = "middle") -> str:
    place = f'x="{svg_number(x)}" y="{svg_number(y)}"'
    return f'<text {place} text-anchor="{anchor}" class="{style}">{html.escape(words)}</text>'


def svg_line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    begin, end = f'x1="{svg_number(x1)}" y1="{svg_number(y1)}"', f'x2="{svg_number(x2)}" y2="{svg_number(y2)}"'
    return f'<line {begin} {end} class="{style}"/>'


def whole_svg(width: float, height: float, parts: Sequence[str], words: str) -> str:
    return (
        f'<svg viewBox="0 0 {svg_number(width)} {svg_number(height)}" role="img" aria-label="{html.escape(words)}">'
        f"{''.join(parts)}</svg>"
    )


_FINEST = 1e-300  # finer ticks than this have no round numbers
_FARTHEST = 8e307  # the distance of two numbers farther out would be infinite


def round_ticks(low: float, high: float, n: int = 4) -> list[float]:
    """Round numbers from low to high."""
    rough = (high - low) / n
    if not rough > _FINEST:
        return [low]
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, math.floor(high / step + 1e-9) + 1)]


def curve_svg(
    x: Sequence[float],
    mean: Sequence[float],
    std: Sequence[float],
    reference: float | None = None,
    reference_label: str = "",
    units: str = "rows",
) -> str:
    """Accuracy over training rows, or groups, with a band, and a level line where there is a level to compare with."""
    width, height, left, bottom, top, right = 560.0, 280.0, 62.0, 44.0, 14.0, 16.0
    level = [] if reference is None else [reference]
    low = max(0.0, min(*level, *(m - s for m, s in zip(mean, std, strict=True))) - 0.03)
    high = min(1.0, max(*level, *(m + s for m, s in zip(mean, std, strict=True))) + 0.03)
    span = (max(x) - min(x)) or 1.0

    def across(value: float) -> float:
        return left + (value - min(x)) / span * (width - left - right)

    def up(value: float) -> float:
        return height - bottom - (min(max(value, low), high) - low) / (high - low) * (height - bottom - top)

    parts = []
    for tick in round_ticks(low, high):
        parts += [
            svg_line(left, up(tick), width - right, up(tick), "grid"),
            svg_text(left - 6, up(tick) + 4, f"{tick:.0%}", "small", "end"),
        ]
    for tick in round_ticks(min(x), max(x), 5):
        parts.append(svg_text(across(tick), height - bottom + 18, f"{tick:,.0f}", "small"))
    upper = [f"{svg_number(across(a))},{svg_number(up(m + s))}" for a, m, s in zip(x, mean, std, strict=True)]
    lower = [f"{svg_number(across(a))},{svg_number(up(m - s))}" for a, m, s in zip(x, mean, std, strict=True)]
    parts.append(f'<polygon points="{" ".join(upper + lower[::-1])}" class="band"/>')
    middle = " ".join(f"{svg_number(across(a))},{svg_number(up(m))}" for a, m in zip(x, mean, strict=True))
    parts.append(f'<polyline points="{middle}" class="curve"/>')
    if reference is not None:
        parts.append(svg_line(left, up(reference), width - right, up(reference), "level"))
        parts.append(svg_text(width - right, up(reference) - 5, reference_label, "small", "end"))
    parts.append(svg_text((left + width) / 2, height - 8, f"training {units}", "small"))
    return whole_svg(width, height, parts, f"accuracy over the number of training {units}")


def alignment_svg(widths: Sequence[float], scores: Sequence[float], best_width: float, best_score: float) -> str:
    """Alignment over the width of the kernel, widths by their logarithm, the peak marked."""
    width, height, left, bottom, top, right = 560.0, 240.0, 62.0, 44.0, 16.0, 16.0
    low, high = min(0.0, *scores), max(*scores, best_score) * 1.08 or 1.0
    first, last = math.log(min(widths)), math.log(max(widths))

    def across(value: float) -> float:
        return left + (math.log(value) - first) / (last - first) * (width - left - right)

    def up(value: float) -> float:
        return height - bottom - (value - low) / (high - low) * (height - bottom - top)

    parts = []
    for tick in round_ticks(low, high):
        parts += [
            svg_line(left, up(tick), width - right, up(tick), "grid"),
            svg_text(left - 6, up(tick) + 4, f"{tick:.2g}", "small", "end"),
        ]
    for power in range(math.ceil(first / math.log(10)), math.floor(last / math.log(10)) + 1):
        parts.append(svg_text(across(10.0**power), height - bottom + 18, f"{10.0**power:g}", "small"))
    points = " ".join(f"{svg_number(across(w))},{svg_number(up(s))}" for w, s in zip(widths, scores, strict=True))
    parts.append(f'<polyline points="{points}" class="curve"/>')
    x, y = across(min(max(best_width, min(widths)), max(widths))), up(best_score)
    parts.append(f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="5" class="c0"/>')
    parts.append(svg_text((left + width) / 2, height - 8, "width of the kernel", "small"))
    return whole_svg(width, height, parts, "kernel alignment over the width of the kernel")


def radar_svg(names: Sequence[str], values: Sequence[float], groups: Sequence[str]) -> str:
    """Spokes from 0 in the center to 1 at the rim."""
    size, radius = 420.0, 150.0
    center = size / 2
    colors = {group: i for i, group in enumerate(dict.fromkeys(groups))}

    def at(i: int, share: float) -> tuple[float, float]:
        turn = 2 * math.pi * i / len(names)
        return center + radius * share * math.sin(turn), center - radius * share * math.cos(turn)

    parts = [
        f'<circle cx="{center}" cy="{center}" r="{svg_number(radius * s)}" class="ring"/>' for s in (0.25, 0.5, 0.75, 1)
    ]
    shown = [0.0 if math.isnan(v) else min(max(v, 0.0), 1.0) for v in values]
    outline = " ".join(",".join(map(svg_number, at(i, v))) for i, v in enumerate(shown))
    parts.append(f'<polygon points="{outline}" class="band outline"/>')
    for i, (name, value, group) in enumerate(zip(names, shown, groups, strict=True)):
        x, y = at(i, value)
        parts.append(
            f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="5" class="c{colors[group] % N_COLORS}">'
            f"<title>{html.escape(name)} {value:.3f}</title></circle>"
        )
        x, y = at(i, 1.13)
        parts.append(svg_text(x, y + 4, name, "small"))
    return whole_svg(size, size, parts, "complexity measures, center easy, rim hard")


def class_mark_path(code: int) -> tuple[str, str]:
    """How a point of a class is drawn, and the style classes of the path."""
    form = list(MARKS)[code // N_COLORS % len(MARKS)]
    return MARKS[form], f"{form} s{code % N_COLORS}"


def mark_svg(code: int) -> str:
    """The mark of a class, for the key."""
    path, style = class_mark_path(code)
    return f'<svg viewBox="0 0 8 8" aria-hidden="true"><path d="M4 4{path}" class="{style}"/></svg>'


Levels = Sequence[object] | None
DATES = ("dates",)  # in place of levels: seconds since 1970


def plane_svg(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    codes: NDArray[np.int32],
    axes: tuple[tuple[str, Levels], tuple[str, Levels]],
    labels: Sequence[str] = (),
) -> str:
    """A scatter plot; rows with a missing cell are left out. ``labels`` stand in the middle of their classes.

    ``axes`` are the name and the levels of each column; numbers have none.
    """
    width, height, left, bottom, top = 330.0, 270.0, 84.0, 52.0, 8.0
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = np.clip(x, -_FARTHEST, _FARTHEST), np.clip(y, -_FARTHEST, _FARTHEST)
    parts = [f'<rect x="{left}" y="{top}" width="{width - left - 8}" height="{height - bottom - top}" class="frame"/>']
    (x_name, x_levels), (y_name, y_levels) = axes
    if known.any():
        across = axis_scale(x[known], left + 8, width - 16)
        up = axis_scale(y[known], height - bottom - 8, top + 8)
        parts += _axis_marks(across, up, x_levels, y_levels, (left, height - bottom))
        px, py = across(x[known]), up(y[known])
        for code in np.unique(codes[known]):
            mine = codes[known] == code
            form, style = class_mark_path(int(code))
            marks = "".join(f"M{svg_number(a)} {svg_number(b)}{form}" for a, b in zip(px[mine], py[mine], strict=True))
            parts.append(f'<path d="{marks}" class="{style}"/>')
        for code, label in enumerate(labels):
            mine = codes[known] == code
            if mine.any():
                parts.append(svg_text(float(np.median(px[mine])), float(np.median(py[mine])) + 4, label, "tag"))
    parts.append(svg_text((left + width) / 2, height - 10, x_name[:40], "small"))
    parts.append(
        f'<text transform="translate(12 {svg_number((height - bottom + top) / 2)}) rotate(-90)" text-anchor="middle" '
        f'class="small">{html.escape(y_name[:34])}</text>'
    )
    return whole_svg(width, height, parts, f"{x_name} against {y_name}")


@dataclass(frozen=True)
class AxisScale:
    """From the values of a column to a place in the picture; all are in the middle where they are equal."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, values: Any) -> Any:
        share = (values - self.low) / (self.high - self.low) if self.high > self.low else values * 0.0 + 0.5
        return self.first + share * (self.last - self.first)


def axis_scale(values: NDArray[np.float64], first: float, last: float) -> AxisScale:
    return AxisScale(float(values.min()), float(values.max()), first, last)


def _axis_marks(
    across: AxisScale, up: AxisScale, x_levels: Levels, y_levels: Levels, corner: tuple[float, float]
) -> list[str]:
    """Ticks with numbers or names of levels, below and to the left of the frame."""
    left, bottom = corner
    parts = []
    for value, name in _marks(across, x_levels, 4, 8):
        parts += [svg_line(across(value), bottom, across(value), bottom + 4, "grid")]
        parts.append(svg_text(across(value), bottom + 16, name, "small"))
    for value, name in _marks(up, y_levels, 4, 11):
        parts += [svg_line(left - 4, up(value), left, up(value), "grid")]
        parts.append(svg_text(left - 6, up(value) + 4, name, "small", "end"))
    return parts


def _marks(scale: AxisScale, levels: Levels, most: int, letters: int) -> list[tuple[float, str]]:
    """Where ticks stand and what they say: every level, some of many, or round numbers."""
    if levels is DATES:
        return [(value, _short_date(value, scale.high - scale.low)) for value in _spread(scale)]
    if levels is None:
        return [(value, short_number(value)) for value in round_ticks(scale.low, scale.high, most - 1)]
    inside = [i for i in range(len(levels)) if scale.low - 0.5 <= i <= scale.high + 0.5]
    step = -(-len(inside) // (2 * most))  # names are short, and twice as many fit
    return [(min(max(float(i), scale.low), scale.high), cut_name(str(levels[i]), letters)) for i in inside[::step]]


def cut_name(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _spread(scale: AxisScale) -> list[float]:
    """Three places that leave room for a date on both sides."""
    return [scale.low + share * (scale.high - scale.low) for share in (1 / 6, 1 / 2, 5 / 6)]


def _short_date(seconds: float, span: float) -> str:
    """The month, the day or the hour, as fits what is shown."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m" if span > 200 * 86400 else "%m-%d" if span > 2 * 86400 else "%H:%M")


def short_number(value: float) -> str:
    """Seven characters at most: 1200, 40000, 0.25, 1.5e+09."""
    text = f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.4g}"
    return text if len(text) <= 7 else f"{value:.2g}"
