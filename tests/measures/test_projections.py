from __future__ import annotations

import numpy as np
import pytest

from sepal import datasets
from sepal.exceptions import DataError, ParameterError
from sepal.measures import informative_projections, thornton_score


def test_every_plane_has_its_thornton_index():
    table = datasets.load("liver")
    found = informative_projections(table)
    assert len(found.planes) == 15
    for plane in found.planes:
        assert plane.score == pytest.approx(thornton_score(table.select([plane.first, plane.second])))
    for name, score in found.single.items():
        assert score == pytest.approx(thornton_score(table.select([name])))
    scores = [plane.score for plane in found.planes]
    assert scores == sorted(scores, reverse=True)


def test_the_two_columns_that_matter_are_found():
    rng = np.random.default_rng(0)
    X = rng.random(size=(200, 6))
    y = (X[:, 1] > 0.5) ^ (X[:, 4] > 0.5)  # neither column alone says anything
    best = informative_projections(X, y).planes[0]
    assert (best.first, best.second) == ("x2", "x5")


def test_mixed_kinds_and_missing_cells():
    found = informative_projections(datasets.load("heart"))
    assert len(found.planes) == 13 * 12 // 2


def test_many_columns_and_many_rows_are_told():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 8)), rng.integers(0, 2, 300)
    found = informative_projections(X, y, most_columns=3, most_rows=100)
    assert len(found.planes) == 3
    assert (found.table.n_rows, found.n_rows) == (100, 300)
    assert len(found.notes) == 2


def test_too_few_columns_and_wrong_parameters():
    with pytest.raises(DataError, match="two columns"):
        informative_projections([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ParameterError, match="most_rows"):
        informative_projections(datasets.load("liver"), most_rows=1)


def test_picture_shows_the_best_planes():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = informative_projections(datasets.load("breast-cancer"))
    axes = found.plot(most=4)
    assert axes[0].get_xlabel() == found.planes[0].first
    assert f"{found.planes[0].score:.3f}" in axes[0].get_title(loc="left")
    assert axes[4].get_visible() is False
    pyplot.close("all")
    assert "<table" in found._repr_html_()


def test_levels_stand_along_the_axes():
    """Axes of nominal columns had codes in place of the names of levels."""
    import matplotlib
    import pandas as pd

    matplotlib.use("Agg")
    frame = pd.DataFrame({"colour": ["red", "blue"] * 10, "x": range(20), "z": [1.0, 4.0, 2.0, 8.0] * 5})
    axes = informative_projections(frame, ["a", "b"] * 10).plot()
    named = {}
    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            named.setdefault(axis.get_label().get_text(), [label.get_text() for label in axis.get_ticklabels()])
    assert named["colour"] == ["blue", "red"]
    assert "blue" not in named["x"]
    matplotlib.pyplot.close("all")
