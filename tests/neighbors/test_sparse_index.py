"""The inverted index of sparse rows against plain loops: every distance, ties, classes, rows that come and go."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from sepal.data import as_rows
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import SparseIndex, neighbor_ranking, prepare_search
from tests.interrupting import work_after_ctrl_c
from tests.oracles.sparse import nearest, sparse_row

DISTANCES = ["cosine", "euclidean", "tanimoto"]


def documents(rng, n, p=60, words=8.0, signed=False):
    """Counts of words of which few are frequent; some rows are empty, equal, parallel or alone."""
    share = 1.0 / (1.0 + np.arange(p))
    X = rng.poisson(words * share / share.sum(), size=(n, p)).astype(float)
    if signed:
        X *= rng.choice([-1.0, 1.0], size=(n, p)) * rng.uniform(0.3, 3.0, size=(n, 1))
    X[:2] = 0.0
    X[2], X[3] = X[4], 2.0 * X[5]
    return X


def as_sets(X):
    return (X != 0).astype(float)


def split(found):
    start, rows, distances = found
    ends = start[1:-1]
    return [
        list(zip(r.tolist(), d.tolist(), strict=True))
        for r, d in zip(np.split(rows, ends), np.split(distances, ends), strict=True)
    ]


def assert_lists(found, wanted):
    """The same rows in the same order; distances to rounding."""
    for mine, oracle in zip(split(found), wanted, strict=True):
        assert [row for row, _ in mine] == [row for row, _ in oracle]
        np.testing.assert_allclose([d for _, d in mine], [d for _, d in oracle], rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("signed", [False, True])
def test_the_nearest_rows_are_those_of_the_loops(distance, signed, rng):
    """200 rows: frequent words are held by more than 64 of them, and have columns."""
    X, asked = documents(rng, 200, signed=signed), documents(rng, 12, signed=signed)
    if distance == "tanimoto":
        X, asked = as_sets(X), as_sets(asked)
    index = SparseIndex(distance)
    index.add(csr_array(X))
    exact = distance == "euclidean" and not signed
    known = {i: sparse_row(x) for i, x in enumerate(X)}
    for k in (1, 4, 40):
        found = index.nearest(csr_array(asked), k)
        assert_lists(
            found, [nearest(known, sparse_row(q), k, distance, **({"tolerance": 0.0} if exact else {})) for q in asked]
        )


@pytest.mark.parametrize("distance", DISTANCES)
def test_several_slabs_classes_and_threads(distance, rng):
    """2,300 rows stand in three slabs; bits must not depend on threads, nor the classes' lists on each other."""
    X, asked = (
        documents(rng, 2_300, p=300, words=25.0, signed=distance == "cosine"),
        documents(rng, 40, p=300, words=25.0),
    )
    if distance == "tanimoto":
        X, asked = as_sets(X), as_sets(asked)
    classes = rng.integers(0, 3, size=len(X))
    classes[classes == 2] *= rng.uniform(size=(classes == 2).sum()) < 0.02  # few are in the last
    index = SparseIndex(distance, n_classes=3)
    index.add(csr_array(X), classes)
    found = index.nearest(csr_array(asked), 5, n_jobs=1)
    by_class = index.nearest(csr_array(asked), 5, by_class=True, n_jobs=1)
    for threads in (2, 5):
        for one, other in (
            (found, index.nearest(csr_array(asked), 5, n_jobs=threads)),
            (by_class, index.nearest(csr_array(asked), 5, by_class=True, n_jobs=threads)),
        ):
            assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))
    tolerance = {"tolerance": 0.0} if distance == "euclidean" else {}
    few = range(3)
    known = {i: sparse_row(x) for i, x in enumerate(X)}
    assert_lists(
        (found[0][: len(few) + 1], *(each[: found[0][len(few)]] for each in found[1:])),
        [nearest(known, sparse_row(asked[q]), 5, distance, **tolerance) for q in few],
    )
    members = [{i: known[i] for i in np.flatnonzero(classes == c).tolist()} for c in range(3)]
    wanted = [nearest(part, sparse_row(asked[q]), 5, distance, **tolerance) for q in few for part in members]
    n = len(wanted)
    assert_lists((by_class[0][: n + 1], *(each[: by_class[0][n]] for each in by_class[1:])), wanted)


@pytest.mark.parametrize("distance", DISTANCES)
def test_pairs_are_what_every_row_finds_alone(distance, rng):
    X = documents(rng, 1_500, p=200, words=20.0)
    if distance == "tanimoto":
        X = as_sets(X)
    search = prepare_search(as_rows(csr_array(X)), distance=distance, n_jobs=1)
    together = search.distinct_ranking(7)
    alone = search.distinct_ranking(7, rows=np.arange(len(X))).first(7)
    for name in ("start", "distances"):
        assert getattr(together, name).tobytes() == getattr(alone, name).tobytes()
    np.testing.assert_array_equal(together.entries.number, alone.entries.number)
    threaded = prepare_search(as_rows(csr_array(X)), distance=distance, n_jobs=4).distinct_ranking(7)
    assert together.distances.tobytes() == threaded.distances.tobytes()
    np.testing.assert_array_equal(together.entries.number, threaded.entries.number)


@pytest.mark.parametrize("distance", DISTANCES)
def test_rows_come_and_go(distance, rng):
    """After any number of changes the answers are those of the rows that are left."""
    index, known = SparseIndex(distance, n_classes=2), {}
    for step in range(30):
        n = int(rng.integers(1, 25)) if step != 12 else 120
        # Rows get longer, so that scales of columns grow, and new columns appear.
        X = documents(rng, n + 5, p=20 + step, words=4.0 + step)[5:] * (1.0 if distance == "tanimoto" else 1.0 + step)
        if distance == "tanimoto":
            X = as_sets(X)
        numbers = index.add(csr_array(X), rng.integers(0, 2, size=n))
        known.update({number: sparse_row(x) for number, x in zip(numbers.tolist(), X, strict=True)})
        if step % 3 == 2:
            share = 0.9 if step == 20 else 0.4
            going = [number for number in known if rng.uniform() < share]
            index.remove(rng.permutation(going).astype(int))
            known = {number: row for number, row in known.items() if number not in going}
        assert len(index) == len(known)
        if len(known) < 3:
            continue
        query = documents(rng, 7, p=50, words=6.0)[6:]
        if distance == "tanimoto":
            query = as_sets(query)
        tolerance = {"tolerance": 0.0} if distance == "euclidean" else {}
        assert_lists(
            index.nearest(csr_array(query), 3), [nearest(known, sparse_row(query[0]), 3, distance, **tolerance)]
        )


def test_nothing_of_a_removed_row_is_left(rng):
    index = SparseIndex("cosine")
    first = index.add(csr_array(documents(rng, 400)))
    before = index.nbytes
    secret = index.add(csr_array(documents(rng, 4_000, p=5_000, words=40.0)))
    assert index.nbytes > 5 * before
    index.remove(secret)
    assert len(index) == 400
    assert index.nbytes < 3 * before + 200_000  # what stays is a place for each column
    index.remove(first)
    assert len(index) == 0
    assert index.add(csr_array([[1.0, 0.0]])).tolist() == [4_400]  # numbers are not used again


def test_extreme_numbers_do_not_overflow(rng):
    X = documents(rng, 90, signed=True)[6:]
    plain = neighbor_ranking(csr_array(X), 3, distance="euclidean")
    for factor in (2.0**700, 2.0**-700):
        scaled = neighbor_ranking(csr_array(X * factor), 3, distance="euclidean")
        np.testing.assert_array_equal(scaled.rows, plain.rows)
        np.testing.assert_array_equal(scaled.distances, plain.distances * factor)
    X[5] = 0.0
    X[5, 3] = 1e160  # one row whose square is no number: infinitely far, but there
    assert 5 in neighbor_ranking(csr_array(X), len(X) - 1, distance="euclidean").rows[0]


def test_unknown_elements_of_a_set_lengthen_it_under_the_cosine():
    """Elements that no training row has did not lengthen a query, and could put a near row at distance 1."""
    # {a, b, x, y} and {a, b}: cos = 2 / sqrt(4 * 2).
    known, asked = [{"a", "b"}, {"a", "b", "c"}, {"d"}], [{"a", "b", "x", "y"}]
    found = neighbor_ranking(known, 3, queries=asked, distance="cosine")
    assert found.rows.tolist() == [[0, 1, 2]]
    np.testing.assert_allclose(found.distances[0], [1 - 2 / 8**0.5, 1 - 2 / 12**0.5, 1.0])


def test_a_search_that_has_been_asked_can_be_pickled(rng):
    X = csr_array(documents(rng, 50))
    search = prepare_search(as_rows(X), distance="cosine", n_jobs=1)
    before = search.distinct_ranking(3)
    after = pickle.loads(pickle.dumps(search)).distinct_ranking(3)  # noqa: S301
    assert before.distances.tobytes() == after.distances.tobytes()


def test_refusals(rng):
    with pytest.raises(ParameterError, match="distance must be cosine or euclidean or tanimoto; got 'manhattan'"):
        SparseIndex("manhattan")
    index = SparseIndex("tanimoto", n_classes=2)
    with pytest.raises(DataError, match="compares sets"):
        index.add(csr_array([[2.0, 1.0]]))
    with pytest.raises(DataError, match="sparse matrix"):
        index.add([{"a"}])
    with pytest.raises(DataError, match="classes must hold a number from 0 to 1"):
        index.add(csr_array([[1.0, 1.0]]), [2])
    index.add(csr_array([[1.0, 1.0], [0.0, 1.0]]), [0, 1])
    for wrong in ([5], [-1], [0, 0]):
        with pytest.raises(DataError, match="not in the index, or is named twice"):
            index.remove(wrong)
    assert len(index) == 2
    with pytest.raises(ParameterError, match="n_neighbors must be at most 2, the number of rows in the index"):
        index.nearest(csr_array([[1.0, 0.0]]), 3)


def test_ctrl_c_stops_a_search():
    setup = (
        "import numpy as np\n"
        "from scipy.sparse import random_array\n"
        "from sepal.neighbors import neighbor_ranking\n"
        "X = random_array((40_000, 400), density=0.2, format='csr', random_state=np.random.default_rng(0))"
    )
    assert work_after_ctrl_c(setup, "neighbor_ranking(X, 5, n_jobs=1)") < 2.0
