"""Pictures of kernels: what is drawn, not how it looks."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

mpl.use("Agg")
import matplotlib.pyplot as plt

from sepal import datasets
from sepal.exceptions import DataError
from sepal.machines import FeatureVectorClassifier, ParzenClassifier, plot_regions
from sepal.measures import alignment_curve
from sepal.plots._kernels import draw_alignment


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_alignment_of_several_subsets() -> None:
    table = datasets.load("breast-cancer").drop_missing()
    curves = []
    for columns in ([0, 1], [1, 2, 5]):
        curve = alignment_curve(table.select(columns))
        curves.append((str(columns), curve.widths, curve.scores, curve.best_width, curve.best_score))
    ax = draw_alignment(curves)
    assert ax.get_xscale() == "log"
    assert [text.get_text().split(":")[0] for text in ax.get_legend().get_texts()] == ["[0, 1]", "[1, 2, 5]"]
    peak = ax.lines[1]
    assert peak.get_xdata()[0] == curves[0][3]


def test_a_single_curve_draws_itself() -> None:
    ax = alignment_curve(datasets.load("athletes")).plot()
    assert ax.get_legend() is None
    assert " at " in ax.texts[0].get_text()


def test_curves_with_labels_share_a_picture() -> None:
    table = datasets.load("athletes")
    ax = alignment_curve(table).plot(label="all")
    assert alignment_curve(table.select([0])).plot(ax, label="first") is ax
    assert [text.get_text().split(":")[0] for text in ax.get_legend().get_texts()] == ["all", "first"]
    assert ax.lines[0].get_color() != ax.lines[2].get_color()
    assert len(ax.texts) == 0


def test_regions() -> None:
    table = datasets.load("ripley-train")
    machine = FeatureVectorClassifier(10).fit(table)
    ax = plot_regions(machine, table, n_grid=30)
    rings = ax.collections[-1].get_offsets()
    np.testing.assert_allclose(np.asarray(rings), table.values[machine.vector_rows_])
    assert ax.get_xlabel() == "xs"
    three = ParzenClassifier().fit(table.values, np.arange(250) % 3)
    assert len(plot_regions(three, table.values, np.arange(250) % 3, n_grid=20).get_legend().get_texts()) == 3
    with pytest.raises(DataError, match="fitted on 2 columns; these rows have 6"):
        plot_regions(machine, datasets.load("liver"))
    with pytest.raises(DataError, match="no y"):
        plot_regions(machine, table.values)
    with pytest.raises(DataError, match="row 1: the model knows no class 7"):
        plot_regions(three, table.values, np.where(np.arange(250) == 1, 7, np.arange(250) % 3))
    with pytest.raises(NotFittedError):
        plot_regions(ParzenClassifier(), table)
