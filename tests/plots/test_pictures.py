"""The public pictures: what their artists hold, and that they never touch the screen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import sepal
from sepal import plots
from sepal.exceptions import DataError, ParameterError
from sepal.measures import informative_projections
from sepal.selection import select_facts


@pytest.fixture
def ax():
    return Figure().subplots()


def legend(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_numbers_on_dark_cells_are_white(ax):
    plots.draw_confusion([[50, 1], [30, 4]], ["a", "b"], ax)
    assert [text.get_text() for text in ax.texts] == ["50", "1", "30", "4"]
    assert [to_hex(text.get_color()) == "#ffffff" for text in ax.texts] == [True, False, False, False]
    with pytest.raises(ParameterError, match="each of 2 classes"):
        plots.draw_confusion([[1]], ["a", "b"], ax)


def test_pictures_of_several_panels_take_axes():
    table = sepal.datasets.load("athletes")
    drawn = {
        "planes": informative_projections(table),
        "report": sepal.separability(table),
        "curve": replace(sepal.separability(table), projections=None),
        "selection": select_facts(table, honest=False),
    }
    for name, result in drawn.items():
        matrix = Figure().subplots(2, 2)
        given = result.plot(axes=matrix)
        assert all(ax in matrix.ravel() for ax in given), name
        assert matrix[0, 0].get_xlabel(), name
        assert len({id(ax.figure) for ax in result.plot()}) == 1, name
        with pytest.raises(ParameterError, match="axes must hold matplotlib axes, at least"):
            result.plot(axes=[])
        with pytest.raises(ParameterError, match="axes must hold matplotlib axes"):
            result.plot(axes=["left", "right"])
    with pytest.raises(ParameterError, match="at least 2"):
        drawn["selection"].plot(axes=Figure().subplots())
    assert drawn["curve"].plot(axes=Figure().subplots())[0].get_ylabel() == "accuracy of the nearest neighbour"
    pyplot.close("all")


def test_roc_area_is_that_of_scikit_learn_with_ties(ax, rng):
    truth = rng.integers(0, 2, 80)
    scores = np.round(truth + rng.normal(size=80), 1)  # many ties
    plots.draw_roc(truth, {"m": scores}, ax)
    assert legend(ax) == [f"m: area {roc_auc_score(truth, scores):.3f}"]
    curve = ax.lines[-1].get_xydata()
    assert curve[0].tolist() == [0, 0]
    assert curve[-1].tolist() == [1, 1]
    with pytest.raises(ParameterError, match="both classes"):
        plots.draw_roc(np.ones(3), {"m": [1, 2, 3]}, ax)
    with pytest.raises(ParameterError, match="one length"):
        plots.draw_roc([0, 1], {"m": [1, 2, 3]}, ax)


def test_a_cost_curve(ax):
    plots.draw_cost_curve([0.0, 0.5, 1.0], [0.0, 0.2, 0.0], [0.0, 0.5, 0.0], ax)
    assert ax.lines[1].get_xydata().tolist() == [[0.0, 0.0], [0.5, 0.2], [1.0, 0.0]]
    assert legend(ax) == ["without a classifier", "best threshold"]


def test_lines_bands_levels_and_marks(ax):
    plots.draw_lines(
        [1, 2, 4],
        {"a": [3, 2, 1], "b": [1, np.nan, 2]},
        xlabel="k",
        ylabel="error",
        bands={"a": ([2, 1, 0], [4, 3, 2])},
        levels={"Bayes": 0.5},
        marked={"best": (4, 1)},
        log=True,
        ax=ax,
    )
    assert legend(ax) == ["a", "b", "Bayes", "best"]
    assert ax.lines[0].get_ydata().tolist() == [3, 2, 1]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert ax.get_xscale() == "log"
    with pytest.raises(ParameterError, match="the curve a has 2 values for 3 places"):
        plots.draw_lines([1, 2, 3], {"a": [1, 2]}, xlabel="x", ylabel="y", ax=ax)


def test_a_surface_marks_its_least_error(ax):
    plots.draw_surface([1, 2, 16], [1, 2], [[3, 2], [1, 2], [4, 9]], xlabel="width", ylabel="C", ax=ax)
    assert ax.lines[0].get_xydata().tolist() == [[2, 1]]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    with pytest.raises(ParameterError, match="shape"):
        plots.draw_surface([1, 2], [1], [[1, 2]], xlabel="width", ylabel="C", ax=ax)


def test_prototypes_in_full_and_the_others_behind(ax):
    points = np.arange(8.0).reshape(4, 2)
    plots.draw_prototypes(points, ["a", "b", "a", "b"], [0, 3], xlabel="x", ylabel="y", ax=ax)
    faint, full = ax.collections[0].get_offsets(), ax.collections[1].get_offsets()
    assert faint.tolist() == [[4, 5]]
    assert full.tolist() == [[0, 1]]
    assert ax.get_title(loc="left") == "2 of 4 rows are kept"


def test_regions_ring_support_vectors_and_dash_margins(ax):
    table = sepal.datasets.load("athletes")
    model = SVC(kernel="linear", C=1000).fit(table.values, table.y)
    assert plots.plot_regions(model, table.values, table.y, n_grid=30, ax=ax) is ax
    rings = next(each for each in ax.collections if each.get_label() == "support vectors")
    np.testing.assert_allclose(rings.get_offsets(), table.values[model.support_])
    (dashed,) = [each for each in ax.collections if len(getattr(each, "levels", ())) == 2]
    for level, path in zip((-1.0, 1.0), dashed.get_paths(), strict=True):
        assert len(path.vertices) > 5
        np.testing.assert_allclose(model.decision_function(path.vertices), level, atol=1e-6)


def test_probability_makes_the_color_strong(ax):
    table = sepal.datasets.load("ripley-train")
    model = LogisticRegression().fit(table.values, table.y)
    plots.plot_regions(model, table, n_grid=25, ax=ax)
    (image,) = ax.images
    left, right, bottom, top = image.get_extent()
    shades = np.asarray(image.get_array())
    step = (right - left) / 25, (top - bottom) / 25
    x, y = left + step[0] * (np.arange(25) + 0.5), bottom + step[1] * (np.arange(25) + 0.5)
    sure = model.predict_proba(np.c_[np.tile(x, 25), np.repeat(y, 25)]).max(axis=1)
    paleness = shades.min(axis=-1).ravel()
    for answer in (0, 1):  # within a class the paler, the less sure
        of = model.predict(np.c_[np.tile(x, 25), np.repeat(y, 25)]) == model.classes_[answer]
        assert np.corrcoef(sure[of], paleness[of])[0, 1] < -0.99


@pytest.mark.parametrize("make", [lambda: sepal.KNNClassifier(1, scale=None), lambda: KNeighborsClassifier(1)])
def test_voronoi_edges_lie_between_the_two_nearest_rows(make, ax):
    table = sepal.datasets.load("athletes")
    plots.plot_regions(make().fit(table.values, table.y), table.values, table.y, n_grid=60, ax=ax)
    (edges,) = [each for each in ax.collections if type(each).__name__ == "LineCollection"]
    middle = np.array([segment.mean(axis=0) for segment in edges.get_segments()])
    away = np.sort(np.linalg.norm(middle[:, None] - table.values, axis=2), axis=1)
    step = np.ptp(table.values, axis=0).max() * 1.12 / 59
    assert (away[:, 1] - away[:, 0]).max() < 2 * step  # the two nearest are equally far, but for the grid
    for k in (2, 3):
        other = Figure().subplots()
        plots.plot_regions(sepal.KNNClassifier(k).fit(table), table, n_grid=10, ax=other)
        assert not [each for each in other.collections if type(each).__name__ == "LineCollection"]


def test_a_pipeline_or_a_search_shows_what_its_last_step_knows(ax):
    """Support vectors and Voronoi cells of a classifier in a pipeline were not drawn."""
    table = sepal.datasets.load("athletes")
    model = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1.0, 10.0]}, cv=2)
    plots.plot_regions(model.fit(table.values, table.y), table.values, table.y, n_grid=20, ax=ax)
    rings = next(each for each in ax.collections if each.get_label() == "support vectors")
    np.testing.assert_allclose(rings.get_offsets(), table.values[model.best_estimator_[-1].support_])
    other = Figure().subplots()
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(1)).fit(table.values, table.y)
    plots.plot_regions(model, table.values, table.y, n_grid=60, ax=other)
    (edges,) = [each for each in other.collections if type(each).__name__ == "LineCollection"]
    middle = model[0].transform([segment.mean(axis=0) for segment in edges.get_segments()])
    away = np.sort(np.linalg.norm(middle[:, None] - model[0].transform(table.values), axis=2), axis=1)
    assert (away[:, 1] - away[:, 0]).max() < 0.2  # equally far in the units of the pipeline, but for the grid


class Backwards(LogisticRegression):
    """Its classes are in falling order."""

    def fit(self, X, y):
        super().fit(X, y)
        self.first_ = self.classes_
        self.classes_ = self.classes_[::-1]
        return self

    def predict(self, X):
        return self.first_[(X @ self.coef_[0] + self.intercept_[0] > 0).astype(int)]

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)

    def decision_function(self, X):
        return -(X @ self.coef_[0] + self.intercept_[0])


def test_classes_need_not_be_sorted(ax):
    """Codes came from `searchsorted`, which colored regions and rows wrongly where classes are not sorted."""
    table = sepal.datasets.load("athletes")
    plots.plot_regions(Backwards().fit(table.values, table.y), table.values, table.y, n_grid=20, ax=ax)
    assert legend(ax) == ["yes", "no"]
    first = next(each for each in ax.collections if each.get_label() == "yes")
    np.testing.assert_allclose(first.get_offsets(), table.values[table.y == "yes"])


def test_many_columns_are_shown_on_their_principal_axes(ax):
    table = sepal.datasets.load("sonar")
    plots.plot_regions(sepal.KNNClassifier(5).fit(table), table, n_grid=15, ax=ax)
    rows = (table.values - table.values.mean(axis=0)) / table.values.std(axis=0)
    values, vectors = np.linalg.eigh(rows.T @ rows)
    share = values[::-1] / values.sum()
    assert ax.get_xlabel() == f"first principal axis ({share[0]:.0%})"
    drawn = np.concatenate([each.get_offsets() for each in ax.collections if each.get_label() in ("M", "R")])
    expected = np.concatenate([rows[table.y == c] @ vectors[:, [-1, -2]] for c in ("M", "R")])
    np.testing.assert_allclose(np.abs(drawn), np.abs(expected), atol=1e-8)


def test_two_of_many_columns_of_a_mixed_table(ax):
    table = sepal.datasets.load("heart")
    model = sepal.KNNClassifier(7).fit(table)
    plots.plot_regions(model, table, columns=("age", "max_heart_rate"), n_grid=12, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "max_heart_rate")
    with pytest.raises(DataError, match="principal axes need numbers"):
        plots.plot_regions(model, table, ax=ax)
    with pytest.raises(ParameterError, match="two names or positions; got 1"):
        plots.plot_regions(model, table, columns=["age"], ax=ax)
    with pytest.raises(ParameterError, match="age twice"):
        plots.plot_regions(model, table, columns=["age", 0], ax=ax)


def test_a_model_fitted_on_named_columns_is_asked_by_name(ax):
    table = sepal.datasets.load("ripley-train")
    frame = table.frame("pandas")
    model = LogisticRegression().fit(frame[["xs", "ys"]], table.y)
    plots.plot_regions(model, frame[["xs", "ys"]], table.y, n_grid=10, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("xs", "ys")


def test_a_regressor_has_no_regions(ax):
    table = sepal.datasets.load("athletes")
    model = sepal.KNNRegressor(1).fit(table.values, np.arange(20.0))
    with pytest.raises(ParameterError, match="KNNRegressor has no classes"):
        plots.plot_regions(model, table, ax=ax)


def test_the_style_is_ours_and_leaves_no_trace(ax):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    plots.draw_lines([1, 2], {"a": [1, 2]}, xlabel="x", ylabel="y", ax=ax)
    assert ax.get_legend().get_frame().get_alpha() == 0.8
    assert {text.get_fontsize() for text in ax.get_legend().get_texts()} == {9.0}
    assert dict(mpl.rcParams) == before


def test_bars_of_many_parts_have_seven_and_the_others(ax):
    """Among many columns colors came again, and the legend lay over the bars."""
    lengths = np.array([[1.0, 2, 0, 4, 5, 6, 7, 8, 9, 0.5], [1.0, 1, 1, 1, 1, 1, 1, 1, 1, 0.5]])
    plots.draw_split_bars(lengths, ["near", "far"], list("abcdefghij"), xlabel="distance", ax=ax)
    assert legend(ax) == [*"bdefghi", "other columns"]  # a and j, the smallest, and c are together
    ends = [max(patch.get_x() + patch.get_width() for patch in bars) for bars in ax.containers]
    assert ends[-1] == pytest.approx(lengths.sum(axis=1).max())
    assert len({(patch[0].get_facecolor(), patch[0].get_hatch()) for patch in ax.containers}) == 8


def test_bars_with_an_alarm(ax):
    plots.draw_bars(["a", "b"], [3.0, 1.0], xlabel="rows", marked=[1], ax=ax)
    assert [patch.get_width() for patch in ax.patches] == [3.0, 1.0]
    assert ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
    assert ax.patches[0].get_y() > ax.patches[1].get_y()  # the first on top
