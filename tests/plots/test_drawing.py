"""What is on the axes after drawing: the numbers given, and the words."""

from __future__ import annotations

import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import sepal
from sepal.exceptions import MissingDependencyError, ParameterError
from sepal.measures import expected_accuracy_curve
from sepal.plots import draw_curve, draw_points

WORDS = {"xlabel": "share", "ylabel": "accuracy", "band_label": "one split", "line_label": "mean"}


@pytest.fixture
def ax():
    return Figure().subplots()


def test_the_curve_and_its_band(ax):
    x, mean, std = [0.1, 0.5, 0.9], [0.6, 0.7, 0.8], [0.1, 0.05, 0.1]
    assert draw_curve(x, mean, std, ax=ax, **WORDS) is ax
    (line,) = ax.lines
    assert line.get_xydata().tolist() == [[0.1, 0.6], [0.5, 0.7], [0.9, 0.8]]
    corners = ax.collections[0].get_paths()[0].vertices
    for wanted in ([0.1, 0.5], [0.5, 0.65], [0.9, 0.9]):
        assert np.isclose(corners, wanted).all(axis=1).any()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share", "accuracy")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one split", "mean"]


def test_points_by_class_with_rings(ax):
    points = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    draw_points(points, ["a", "b", "a"], ringed=[1], xlabel="u", ylabel="v", ring_label="odd", ax=ax)
    a, b, rings = ax.collections
    assert a.get_offsets().tolist() == [[0.0, 1.0], [4.0, 5.0]]
    assert b.get_offsets().tolist() == [[2.0, 3.0]]
    assert rings.get_offsets().tolist() == [[2.0, 3.0]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["class a", "class b", "odd"]


def test_a_result_draws_itself(ax):
    curve = expected_accuracy_curve(sepal.datasets.load("athletes"), train_sizes=[5, 10, 19])
    assert curve.plot(ax) is ax
    assert ax.lines[0].get_ydata() == pytest.approx(curve.accuracy)


def test_without_axes_a_new_figure_is_made():
    mpl.use("Agg")
    from matplotlib import pyplot

    ax = draw_curve([0.1, 0.9], [0.5, 0.6], [0.1, 0.1], **WORDS)
    assert ax.figure is pyplot.gcf()
    pyplot.close(ax.figure)


def test_wrong_shapes_are_refused(ax):
    with pytest.raises(ParameterError, match="one length"):
        draw_curve([0.1, 0.9], [0.5], [0.1, 0.1], ax=ax, **WORDS)
    with pytest.raises(ParameterError, match=r"\(n, 2\)"):
        draw_points([[1.0, 2.0, 3.0]], ["a"], xlabel="u", ylabel="v", ax=ax)


def test_a_missing_matplotlib_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"sepal-learn\[app\]"):
        draw_curve([0.1, 0.9], [0.5, 0.6], [0.1, 0.1], **WORDS)


def test_sixty_four_classes_look_different():
    """Beyond eight classes marks came again."""
    from sepal.plots._axes import class_mark

    marks = [tuple(class_mark(i).values()) for i in range(64)]
    assert len(set(marks)) == 64
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in pairwise(marks[:8]))


def test_many_classes_have_their_key_above_the_pictures():
    from sepal.plots._geometry import draw_planes

    x, y = np.arange(52.0), np.arange(52.0) % 7
    labels = np.array(list("abcdefghijklmnopqrstuvwxyz" * 2))
    axes = draw_planes([(x, y, "x", "y", "title")], labels)
    assert axes[0].get_legend() is None
    (key,) = axes[0].figure.legends
    assert [text.get_text() for text in key.get_texts()] == sorted(set(labels))
    few = draw_planes([(x, y, "x", "y", "title")], labels > "m")
    assert len(few[0].get_legend().get_texts()) == 2
