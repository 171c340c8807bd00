"""Bad input is refused in words that name the parameter; a search can be watched and stopped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import neighbor_ranking, thread_count
from tests.interrupting import work_after_ctrl_c

TRAIN = np.array([[0.0, 1.0], [2.0, 5.0], [4.0, 4.0], [8.0, 1.0]])


@pytest.mark.parametrize("k", [0, -1, True, 1.0, 2.5, "2", None, [1]])
@pytest.mark.parametrize("distance", ["euclidean", "precomputed"])
def test_k_must_be_a_positive_integer(k, distance):
    with pytest.raises(ParameterError, match="n_neighbors must be an integer of at least 1"):
        neighbor_ranking(TRAIN @ TRAIN.T, k, distance=distance)


def test_k_may_be_a_numpy_integer():
    assert neighbor_ranking(TRAIN, np.int64(2)).rows.shape == (4, 2)


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, "two"])
@pytest.mark.parametrize("distance", ["euclidean", "precomputed"])
def test_n_jobs_must_be_an_integer_other_than_zero(n_jobs, distance):
    with pytest.raises(ParameterError, match="n_jobs"):
        neighbor_ranking(TRAIN @ TRAIN.T, 1, distance=distance, n_jobs=n_jobs)


def test_more_threads_than_ever_help_are_as_many_as_can_be():
    assert thread_count(2**40) == thread_count(1024) == 1024
    assert neighbor_ranking(TRAIN, 1, n_jobs=2**40).rows.ravel().tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("n_jobs", [1, 2, 64, -1, -2, -100, np.int32(2), None])
def test_n_jobs_as_in_scikit_learn(n_jobs):
    assert neighbor_ranking(TRAIN, 1, n_jobs=n_jobs).rows.ravel().tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("method", ["kd_tree", None, 1, "Brute"])
@pytest.mark.parametrize("distance", ["euclidean", "precomputed"])
def test_unknown_method(method, distance):
    with pytest.raises(ParameterError, match="method must be"):
        neighbor_ranking(TRAIN @ TRAIN.T, 1, distance=distance, method=method)


@pytest.mark.parametrize("ties", ["jitter", None, "all", 1])
@pytest.mark.parametrize("distance", ["euclidean", "precomputed"])
def test_unknown_ties(ties, distance):
    with pytest.raises(ParameterError, match="ties must be"):
        neighbor_ranking(TRAIN @ TRAIN.T, 1, distance=distance, ties=ties)


@pytest.mark.parametrize("scale", ["robust", 1, True])
def test_unknown_scale(scale):
    with pytest.raises(ParameterError, match="scale"):
        neighbor_ranking(TRAIN, 1, scale=scale)


@pytest.mark.parametrize("distance", ["heom", "nan_euclidean", "precomputed"])
def test_tree_is_refused_where_no_tree_can_search(distance):
    with pytest.raises(ParameterError, match=r"method='tree'.*" + distance):
        neighbor_ranking(TRAIN @ TRAIN.T, 1, distance=distance, method="tree")


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
@pytest.mark.parametrize("distance", ["euclidean", "nan_euclidean", "heom", "cosine"])
def test_infinite_cells_are_located(bad, distance):
    rows = TRAIN.copy()
    rows[2, 1] = bad
    with pytest.raises(DataError, match=r"x2.*inf"):
        neighbor_ranking(rows, 1, distance=distance)
    with pytest.raises(DataError, match=r"x2.*inf"):
        neighbor_ranking(TRAIN, 1, queries=rows, distance=distance)


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "cosine", "mahalanobis"])
def test_missing_cells_need_a_distance_that_defines_them(distance):
    rows = TRAIN.copy()
    rows[2, 1] = np.nan
    with pytest.raises(DataError, match="missing") as caught:
        neighbor_ranking(rows, 1, distance=distance)
    assert caught.value.hint
    with pytest.raises(DataError, match="missing"):
        neighbor_ranking(TRAIN, 1, queries=rows, distance=distance)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (TRAIN * 1j, "[Cc]omplex"),
        (np.zeros((2, 2, 2)), "3D"),
        (np.zeros(4), "1D"),
        (np.zeros((0, 3)), "0 sample"),
        (np.zeros((3, 0)), "0 feature"),
        ([], "X"),
        ([[1.0, 2.0], [3.0]], "row 1"),
        (None, "X"),
        ("iris.csv", "iris.csv"),
        (3.5, "X"),
    ],
)
def test_what_is_no_table_is_refused(rows, said):
    with pytest.raises(DataError, match=said):
        neighbor_ranking(rows, 1)
    if rows is not None:  # no queries at all are the self-join
        with pytest.raises(DataError):
            neighbor_ranking(TRAIN, 1, queries=rows)


def test_queries_of_another_width():
    with pytest.raises(DataError, match=r"2 columns.*3"):
        neighbor_ranking(TRAIN, 1, queries=np.zeros((2, 3)))


def test_queries_of_another_kind():
    with pytest.raises(DataError, match="x2"):
        neighbor_ranking(TRAIN, 1, queries=[[1.0, "a"]])
    with pytest.raises(DataError, match="x2"):
        neighbor_ranking([[1.0, "a"], [2.0, "b"]], 1, queries=[[1.0, 0.0]], distance="heom")


def test_columns_of_queries_are_matched_by_name():
    """Queries whose columns came in another order were compared across columns."""
    train = pd.DataFrame({"length": [0.0, 10.0], "width": [5.0, 90.0]})
    queries = pd.DataFrame({"width": [90.0], "length": [10.0]})
    found = neighbor_ranking(train, 1, queries=queries)
    assert (found.rows.item(), found.distances.item()) == (1, 0.0)


def test_nominal_column_is_named():
    with pytest.raises(DataError, match="colour") as caught:
        neighbor_ranking(as_table([[1.0, "red"], [2.0, "blue"]], names=["size", "colour"]), 1, distance="euclidean")
    assert "heom" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (np.zeros((3, 4)), "square"),
        (np.zeros(3), "matrix"),
        (np.zeros((0, 0)), "matrix"),
        ([[0.0, -1.0], [1.0, 0.0]], "row 0, column 1.*-1"),
        ([[0.0, np.nan], [1.0, 0.0]], "row 0, column 1.*nan"),
        ([["a", "b"], ["c", "d"]], "X"),
        (np.eye(2) * 1j, "X"),
    ],
)
def test_bad_precomputed_distances(matrix, said):
    with pytest.raises(DataError, match=said):
        neighbor_ranking(matrix, 1, distance="precomputed")


def test_precomputed_queries_must_fit():
    with pytest.raises(DataError, match=r"queries.*3.*2"):
        neighbor_ranking(np.zeros((3, 3)), 1, queries=np.zeros((4, 2)), distance="precomputed")


@pytest.mark.parametrize("option", [{"scale": "minmax"}, {"distance_params": {"p": 2}}])
def test_precomputed_takes_no_scale_and_no_parameters(option):
    with pytest.raises(ParameterError, match=next(iter(option))):
        neighbor_ranking(np.zeros((3, 3)), 1, distance="precomputed", **option)


# ---------------------------------------------------------------- watching and stopping

BIG = {
    "brute": {"method": "brute", "p": 200, "n": 20000},
    "tree": {"method": "tree", "p": 16, "n": 20000},
    "direct": {"distance": "minkowski", "distance_params": {"p": 3}, "p": 12, "n": 3000},
}


def big(name: str) -> tuple[np.ndarray, dict[str, object]]:
    call = dict(BIG[name])
    return np.random.default_rng(0).normal(size=(call.pop("n"), call.pop("p"))), call


@pytest.mark.parametrize("name", BIG)
def test_progress_is_reported_as_a_growing_share(name):
    rows, call = big(name)
    seen: list[float] = []
    neighbor_ranking(rows, 1, progress=lambda text, share: seen.append(share), n_jobs=1, **call)
    assert seen, "more than a tenth of a second went by in silence"
    assert all(0.0 <= share <= 1.0 for share in seen)
    assert seen == sorted(seen)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", BIG)
def test_an_error_in_progress_stops_the_search_and_comes_out(name, threads, error):
    rows, call = big(name)
    calls: list[float] = []

    def stop(text: str, share: float) -> None:
        calls.append(share)
        raise error("enough")

    with pytest.raises(error, match="enough"):
        neighbor_ranking(rows, 1, progress=stop, n_jobs=threads, **call)
    assert len(calls) == 1, "asked again after it said stop"
    assert calls[0] < 0.95


LONG_SEARCH = """
import numpy as np
from sepal.neighbors import neighbor_ranking
X = np.random.default_rng(0).normal(size=(60000, 200))
"""


def test_ctrl_c_stops_a_long_search_at_once():
    assert work_after_ctrl_c(LONG_SEARCH, 'neighbor_ranking(X, 10, method="brute")') < 2.0


def test_numbers_beside_names_are_compared_in_their_own_units_and_it_is_said():
    """Rows (1, red) and (4, blue): 3 units and one mismatch are sqrt(9 + 1) apart; scaled, sqrt(1 + 1)."""
    table = as_table([[1.0, "red"], [4.0, "blue"]], names=["size", "colour"])
    found = neighbor_ranking(table, 1)
    assert (found.distance, found.distances[0, 0]) == ("heom", pytest.approx(np.sqrt(10.0), rel=1e-15))
    assert any("own units" in note for note in found.notes)
    scaled = neighbor_ranking(table, 1, scale="minmax")
    assert scaled.distances[0, 0] == pytest.approx(np.sqrt(2.0), rel=1e-15)
    assert not any("own units" in note for note in scaled.notes)
