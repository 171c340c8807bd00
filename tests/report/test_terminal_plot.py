"""Bars and curves of characters, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.report._terminal_plot import bar, curve_plot


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, ""), (1.0, "████"), (0.5, "██"), (0.03125, "▏"), (0.40625, "█▋"), (1e-9, "▏")]
)
def test_bars_in_eighths(share, text):
    assert bar(share, 4) == text


@pytest.mark.parametrize(("share", "text"), [(0.0, ""), (1.0, "####"), (0.5, "##"), (1e-9, "#")])
def test_bars_in_ascii(share, text):
    assert bar(share, 4, unicode=False) == text


def test_a_rising_line_in_ascii():
    plot = curve_plot([0.1, 0.9], [0.5, 0.9], [0.0, 0.0], width=25, unicode=False)
    # Steps of 10%, two lines each: 90% down to 50% are nine lines, then the axis.
    labels = [line.split("|")[0].strip() for line in plot.lines[:-1]]
    assert labels == ["90%", "", "80%", "", "70%", "", "60%", "", "50%"]
    columns = [line.split("|")[1].find("*") for line in plot.lines[:-1]]
    assert columns == sorted(columns, reverse=True)
    assert columns[-1] == 0
    assert plot.lines[-1].split() == ["10%", "90%"]


def test_the_band_is_as_high_as_the_deviation():
    plot = curve_plot([0.1, 0.9], [0.7, 0.7], [0.1, 0.1], width=30, unicode=False)
    marked = [line for line in plot.lines if "." in line or "*" in line]
    # 80% to 60% at a tenth or less per label: the lines of 80% and 60% are the outermost in the band.
    assert marked[0].startswith("80%")
    assert marked[-1].startswith("60%")
    assert sum("*" in line for line in plot.lines) == 1


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_a_flat_line_stays_between_0_and_1(value):
    plot = curve_plot([0.3, 0.6], [value, value], [0.0, 0.0], width=40)
    labels = [int(line.split("%")[0]) for line in plot.lines[:-1] if "%" in line]
    assert min(labels) >= 0
    assert max(labels) <= 100
    drawn = [line for line in plot.lines if any("\u2801" <= c <= "\u28ff" for c in line)]
    assert len(drawn) == 1
    assert drawn[0].lstrip().startswith(f"{value:.0%}")


def test_the_braille_line_has_no_hole(rng):
    for _ in range(20):
        mean = rng.uniform(0.0, 1.0, size=9)
        plot = curve_plot(np.linspace(0.1, 0.9, 9), mean, np.zeros(9), width=60)
        rows = [line.split("┤")[1].ljust(60) for line in plot.lines[:-1]]
        width = max(len(row.rstrip()) for row in rows)
        for column in range(width):
            assert any("\u2801" <= row[column] <= "\u28ff" for row in rows)


@pytest.mark.parametrize("width", [30, 50, 72])
def test_no_line_is_wider_than_asked(width):
    plot = curve_plot(np.linspace(0.1, 0.9, 9), np.linspace(0.2, 1.0, 9), np.full(9, 0.05), width=width)
    assert max(map(len, plot.lines)) <= width
