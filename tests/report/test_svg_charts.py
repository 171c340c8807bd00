"""Pictures as text: well formed, and what is drawn stands where the numbers say."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from sepal.report import Line, bars_svg, dots_svg, histogram_svg, lines_svg, map_svg, shades_svg


def parsed(svg):
    return ElementTree.fromstring(svg)  # noqa: S314 - our own text


def places(path):
    """The points where the marks of a path begin."""
    return [tuple(map(float, each)) for each in re.findall(r"M(-?[\d.]+) (-?[\d.]+)", path)]


def test_lines_keep_the_order_and_proportions_of_their_values():
    svg = parsed(lines_svg([Line("a", [1, 2, 4], [0.0, 0.5, 1.0]), Line("b", [1, 4], [1.0, None])], ("k", "v"), "x"))
    first = next(each for each in svg.iter("polyline") if "s0" in each.get("class"))
    points = [tuple(map(float, pair.split(","))) for pair in first.get("points").split()]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert (x1 - x0) / (x2 - x0) == pytest.approx(1 / 3, abs=0.01)
    assert (y0 - y1) / (y0 - y2) == pytest.approx(1 / 2, abs=0.01)
    assert [each.text for each in svg.iter("text")].count("b") == 1
    second = next(each for each in svg.iter("polyline") if "s1" in each.get("class"))
    assert len(second.get("points").split()) == 1  # what is not known is left out


def test_a_logarithmic_axis_spaces_powers_alike():
    svg = parsed(lines_svg([Line("a", [0.1, 1, 100], [1, 2, 3])], ("w", "v"), "x", log=True))
    xs = [float(pair.split(",")[0]) for pair in next(svg.iter("polyline")).get("points").split()]
    assert (xs[1] - xs[0]) / (xs[2] - xs[0]) == pytest.approx(1 / 3, abs=0.01)


def test_bars_begin_at_nought_and_carry_interval_and_level():
    svg = parsed(bars_svg(["a", "<b>"], [0.5, 1.0], "x", intervals=[(0.4, 0.7), (0.9, 1.0)], levels=[0.25, 0.25]))
    widths = [float(each.get("width")) for each in svg.iter("rect")]
    assert widths[0] / widths[1] == pytest.approx(0.5, abs=0.01)
    assert {each.text for each in svg.iter("text")} == {"a", "<b>", "0.5", "1"}
    whiskers = [each.get("d") for each in svg.iter("path") if each.get("class") == "whisker"]
    begin, end = (float(each) for each in re.match(r"M([\d.]+) [\d.]+H([\d.]+)", whiskers[0]).groups())
    left = float(next(svg.iter("rect")).get("x"))
    assert [(each - left) / widths[1] for each in (begin, end)] == pytest.approx([0.4, 0.7], abs=0.01)


def test_only_so_many_bars_are_drawn():
    assert len(list(parsed(bars_svg([str(i) for i in range(90)], range(90), "x")).iter("rect"))) == 30


def test_dots_in_one_place_are_drawn_once_and_names_do_not_overlap():
    svg = parsed(dots_svg([0, 0, 1], [0, 0, 1], ("a", "b"), "x", ["first", "second", "third"]))
    assert len(places(next(svg.iter("path")).get("d"))) == 2
    named = [each for each in svg.iter("text") if each.text in ("first", "second", "third")]
    assert len({(each.get("x"), each.get("y")) for each in named}) == len(named) == 3


def test_shades_follow_the_values_and_few_cells_hold_them():
    svg = parsed(shades_svg(np.array([[0.0, 10.0], [5.0, np.nan]]), "ab", "cd", ("down", "across"), "x"))
    shades = [float(each.get("fill-opacity")) for each in svg.iter("rect")]
    assert len(shades) == 3
    assert shades[0] < shades[2] < shades[1]
    assert {"0", "10", "5"} <= {each.text for each in svg.iter("text")}
    many = parsed(shades_svg(np.eye(40), [str(i) for i in range(40)], [str(i) for i in range(40)], ("d", "a"), "x"))
    assert len(list(many.iter("text"))) < 90


def test_a_map_colours_every_cell_once_and_marks_every_row():
    codes = np.array([[0, 0, 1], [2, 1, 1]])
    points = np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 0.5]])
    edges = np.array([[0.0, 0.0, 2.0, 1.0]])
    svg = parsed(
        map_svg(
            np.arange(3.0), np.arange(2.0), codes, (points, np.array([0, 1, 9])), ("<x>", "y"), ringed=[1], edges=edges
        )
    )
    area = {}
    for each in svg.iter("path"):
        if "region" in each.get("class"):
            boxes = re.findall(r"h([\d.]+)v([\d.]+)h-", each.get("d"))
            area[each.get("class").split()[0]] = sum(float(a) * float(b) for a, b in boxes)
    assert area["c1"] / area["c0"] == pytest.approx(3 / 2, rel=0.02)
    assert area["c0"] / area["c2"] == pytest.approx(2, rel=0.02)
    marks = [
        each for each in svg.iter("path") if re.search(r"\bs\d", each.get("class")) and "line" not in each.get("class")
    ]
    assert len(marks) == 3
    assert marks[2].get("class") == "box s1"  # beyond the colors the form tells the class
    assert len(list(svg.iter("circle"))) == 1
    assert "<x>" in [each.text for each in svg.iter("text")]


def test_a_histogram_stacks_the_classes_of_each_bin():
    svg = parsed(histogram_svg([[1, 3], [0, 2]], "x"))
    tall = [float(each.get("height")) for each in svg.iter("rect")]
    assert len(tall) == 3
    assert tall[1] / tall[0] == pytest.approx(3, rel=0.01)
    assert tall[2] / tall[0] == pytest.approx(2, rel=0.01)
