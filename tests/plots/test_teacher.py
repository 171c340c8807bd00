"""The pictures of a lesson: each is drawn, holds the numbers it should, can be read, and no label lies on another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

import sepal
from sepal import plots
from sepal.measures import (
    angle_of_separability,
    complexity,
    expected_accuracy_curve,
    informative_projections,
    overlap_regions,
)
from sepal.prototypes import hart

TRAIN, TEST = sepal.datasets.load("ripley-train"), sepal.datasets.load("ripley-test")
WINE = sepal.datasets.load("wine")


def over_k(error=True):
    ax = Figure().subplots()
    curve = sepal.leave_one_out_curve(TRAIN, k_max=30, test=TEST, training=True)
    return curve, curve.plot(ax, bayes=0.92, error=error)  # Ripley (1996): Bayes error about 8 %


def test_error_against_k_has_all_four_lines():
    curve, ax = over_k()
    lines = {line.get_label(): np.asarray(line.get_ydata(), dtype=float) for line in ax.lines}
    assert {"leave-one-out", "training", "test", "Bayes", "majority"} <= set(lines)
    assert ax.get_ylabel() == "error"
    assert lines["training"][0] == 0.0  # every row is its own nearest neighbour
    np.testing.assert_allclose(lines["leave-one-out"][0], 1 - sepal.thornton_score(TRAIN))
    np.testing.assert_allclose(lines["Bayes"], 0.08)
    np.testing.assert_allclose(lines["test"], 1 - curve.test)
    _, plain = over_k(error=False)
    assert plain.get_ylabel() == "accuracy"
    np.testing.assert_allclose(plain.lines[0].get_ydata(), curve.score)


def test_a_condensed_set_on_the_plane():
    kept = hart(TRAIN).rows
    ax = plots.draw_prototypes(TRAIN.values, TRAIN.y, kept, xlabel="x", ylabel="y", ax=Figure().subplots())
    drawn = np.concatenate([each.get_offsets() for each in ax.collections])
    assert len(drawn) == TRAIN.n_rows
    assert ax.get_title(loc="left") == f"{len(kept)} of 250 rows are kept"


def test_voronoi_cells_of_one_nearest_neighbour():
    some = TRAIN.take(np.arange(0, 250, 10))
    ax = plots.plot_regions(sepal.KNNClassifier(1).fit(some), some, n_grid=40, ax=Figure().subplots())
    segments = [each for each in ax.collections if hasattr(each, "get_segments")]
    assert sum(len(each.get_segments()) for each in segments) > some.n_rows


def light(color):
    """Relative luminance, as the Web's rules for contrast define it."""
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot([0.2126, 0.7152, 0.0722], parts))


@pytest.mark.parametrize("counts", [[[59, 0, 0], [1, 67, 3], [0, 1, 47]], [[100, 54, 1], [56, 99, 45], [30, 70, 20]]])
def test_every_number_of_a_confusion_matrix_can_be_read(counts):
    """Black on dark blue could not: the ratio of contrast is at least 4.5 for every number."""
    ax = plots.draw_confusion(counts, ["a", "b", "c"], ax=Figure().subplots())
    picture = ax.images[0]
    cells = picture.cmap(picture.norm(np.asarray(counts)))[..., :3].reshape(-1, 3)
    for text, cell in zip(ax.texts, cells, strict=True):
        darker, lighter = sorted((light(text.get_color()), light(cell)))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, text


def on_each_other(ax):
    """Pairs of upright texts whose boxes meet by more than a pixel; ticks outside the axes are not drawn."""
    figure = ax.figure
    figure.draw_without_rendering()
    ticks = {
        label
        for each in figure.axes
        for axis in (each.xaxis, each.yaxis)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text.get_rotation() in (0.0, 90.0) and text not in ticks
    ]
    return [
        (a, b)
        for (a, first), (b, second) in combinations(boxes, 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > 1
        and min(first.y1, second.y1) - max(first.y0, second.y0) > 1
    ]


LONG = [f"a rather long name {i}" for i in range(12)]
PICTURES = {
    "error over k": lambda ax: over_k()[1],
    "prototypes": lambda ax: plots.draw_prototypes(TRAIN.values, TRAIN.y, [0, 9], xlabel="x", ylabel="y", ax=ax),
    "regions": lambda ax: plots.plot_regions(sepal.KNNClassifier(1).fit(TRAIN), TRAIN, n_grid=20, ax=ax),
    "confusion": lambda ax: plots.draw_confusion(np.full((12, 12), 99), LONG, ax),
    "confusion of few": lambda ax: plots.draw_confusion([[1000, 2], [3, 1000]], ["no", "yes"], ax),
    "radar": lambda ax: complexity(WINE).plot(),
    "angles": lambda ax: angle_of_separability(WINE).plot(ax),
    "curve": lambda ax: expected_accuracy_curve(TRAIN).plot(ax),
    "overlaps": lambda ax: overlap_regions(WINE).plot(ax),
    "inclusion": lambda ax: plots.draw_inclusion(LONG, np.linspace(1.0, 0.1, 12), n_subsets=9, ax=ax),
    "planes": lambda ax: informative_projections(WINE, most_columns=4).plot(),
}


@pytest.mark.parametrize("name", PICTURES)
def test_labels_do_not_lie_on_each_other(name):
    """Numbers of a confusion matrix and long names of classes touched each other."""
    found = PICTURES[name](Figure(layout="constrained").subplots())
    axes = [found] if hasattr(found, "figure") and not isinstance(found, Figure) else list(np.ravel(found))
    for ax in axes:
        assert on_each_other(ax) == []
