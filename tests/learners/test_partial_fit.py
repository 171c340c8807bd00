"""Rows added to neighbour learners: answers are those of fit on all rows, bit for bit."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import sepal.neighbors._growing as growing
from sepal import KNNClassifier, KNNRegressor
from sepal.data import as_table
from sepal.estimators import load_model, save_model
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import Extent, SparseIndex
from tests.drawn import drawn, normal

GRID = drawn(3, lambda rng: rng.integers(0, 6, size=(90, 3)).astype(float))  # many ties and copies
PLAIN = normal(4, 90, 3)
LABELS = drawn(5, lambda rng: rng.choice(["no", "yes", "maybe"], 90))
ASKED = drawn(6, lambda rng: rng.integers(0, 28, size=(40, 3)) / 4.0)
NAMES = ["a", "b", "c"]


SMALL = (1, 1, 7, 1, 30, 2)


def batches(n: int, sizes: tuple[int, ...]) -> list[slice]:
    """Slices that cover n rows: a few small ones, then the rest."""
    ends = [end for end in np.cumsum(sizes) if end < n] + [n]
    return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def added(model: Any, X: Any, y: Any, weights: Any = None, sizes: tuple[int, ...] = SMALL) -> Any:
    """The model after all batches."""
    for part in batches(len(y), sizes):
        some = X.take(np.arange(part.start, part.stop)) if hasattr(X, "kinds") else X[part]
        model.partial_fit(some, y[part], sample_weight=None if weights is None else weights[part])
    return model


def assert_alike(one: Any, other: Any, asked: Any) -> None:
    """Every answer about the same rows has the same bits."""
    answers = ["predict", "predict_proba"] if hasattr(one, "predict_proba") else ["predict"]
    for name in answers:
        np.testing.assert_array_equal(getattr(one, name)(asked), getattr(other, name)(asked))
        np.testing.assert_array_equal(getattr(one, name)(None), getattr(other, name)(None))
    for mine, theirs in zip(one.kneighbors(asked, 3), other.kneighbors(asked, 3), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(one.kneighbors(None, 3), other.kneighbors(None, 3), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(one.rows_, other.rows_)
    assert one.n_rows_in_ == other.n_rows_in_
    assert one.n_features_in_ == other.n_features_in_
    assert one.fits_together()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"scale": None},
    {"scale": "standard"},
    {"weights": "distance"},
    {"weights": "similarity"},
    {"weights": "class_similarity"},
    {"ties": "index"},
    {"distance": "manhattan"},
    {"distance": "cosine"},
    {"distance": "mahalanobis"},
    {"distance": "gower"},
    {"distance": "hvdm"},
    {"distance": "minkowski", "distance_params": {"p": 3}},
    {"feature_weights": [2.0, 1.0, 0.5]},
    {"feature_weights": [3.0, 1.0, 0.7], "scale": None},
    {"priors": "equal"},
    {"class_weight": "balanced", "vote_ties": "smallest"},
    {"n_neighbors": "all", "weights": "gaussian", "width": 0.3},
]


@pytest.mark.parametrize("X", [GRID, PLAIN], ids=["grid", "plain"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classifiers_answer_as_if_all_rows_had_been_there(options, X) -> None:
    sizes = (20, 7, 1, 30) if options.get("distance") in ("mahalanobis", "hvdm") else SMALL  # these need several rows
    model = added(KNNClassifier(**{"n_neighbors": 4, **options}), X, LABELS, sizes=sizes)
    whole = KNNClassifier(**{"n_neighbors": 4, **options}).fit(X, LABELS)
    assert_alike(model, whole, ASKED)
    assert model.n_neighbors_ == whole.n_neighbors_
    np.testing.assert_array_equal(model.classes_, whole.classes_)


@pytest.mark.parametrize("aggregate", ["mean", "median", "linear"])
def test_regressors_answer_as_if_all_rows_had_been_there(aggregate) -> None:
    y = GRID.sum(axis=1) + PLAIN[:, 0]
    model = added(KNNRegressor(5, aggregate=aggregate), GRID, y)
    assert_alike(model, KNNRegressor(5, aggregate=aggregate).fit(GRID, y), ASKED)


def test_rows_within_the_ranges_are_put_behind_the_others(monkeypatch) -> None:
    """Nothing is prepared again, and what was handed out before stays."""
    model = KNNClassifier(3).fit(PLAIN, LABELS)
    inside = PLAIN[:40] * 0.5 + PLAIN.mean(axis=0) * 0.5
    before = model.neighborhood_
    points, cells = before.search.points.copy(), before.search.table.values.copy()
    monkeypatch.setattr(KNNClassifier, "_prepared", None)
    for at in range(40):
        model.partial_fit(inside[at : at + 1], LABELS[at : at + 1])
    np.testing.assert_array_equal(before.search.points, points)
    np.testing.assert_array_equal(before.search.table.values, cells)
    monkeypatch.undo()
    whole = KNNClassifier(3).fit(np.concatenate([PLAIN, inside]), np.concatenate([LABELS, LABELS[:40]]))
    assert_alike(model, whole, ASKED)
    monkeypatch.setattr(KNNClassifier, "_prepared", None)
    with pytest.raises(TypeError):  # a number beyond the ranges is learned from all rows
        model.partial_fit(PLAIN[:1] + 100.0, LABELS[:1])


def test_without_scaling_rows_may_lie_anywhere(monkeypatch) -> None:
    model = KNNClassifier(3, scale=None).fit(PLAIN, LABELS)
    with monkeypatch.context() as kept:
        kept.setattr(KNNClassifier, "_prepared", None)
        model.partial_fit(PLAIN + 100.0, LABELS)
    both = np.concatenate([PLAIN, PLAIN + 100.0])
    assert_alike(model, KNNClassifier(3, scale=None).fit(both, np.tile(LABELS, 2)), both + 0.1)


def test_k_is_chosen_when_rows_have_doubled() -> None:
    model, chosen = KNNClassifier(), []
    for part in batches(90, (1, 1, 1, 1, 1, 3, 8, 2, 13, 2, 1, 30)):
        model.partial_fit(GRID[part], LABELS[part])
        if hasattr(model, "loo_curve_"):
            chosen.append((model.loo_curve_.n_rows, part.stop))
            assert part.stop < 2 * model.loo_curve_.n_rows
            whole = KNNClassifier(model.n_neighbors_).fit(GRID[: part.stop], LABELS[: part.stop])
            np.testing.assert_array_equal(model.predict_proba(ASKED), whole.predict_proba(ASKED))
    assert len({n for n, _ in chosen}) < len(chosen)
    straight = KNNClassifier().partial_fit(GRID, LABELS)
    assert straight.n_neighbors_ == KNNClassifier().fit(GRID, LABELS).n_neighbors_


def test_copies_that_are_left_out_together_stay_so() -> None:
    twice = np.repeat(PLAIN[:30], 2, axis=0)
    model = KNNClassifier().fit(twice, LABELS[:60])
    assert model.left_out_ == "copies"
    model.partial_fit(twice[:1], LABELS[:1]).partial_fit(PLAIN[50:51], LABELS[50:51])
    all_rows, labels = np.concatenate([twice, twice[:1], PLAIN[50:51]]), LABELS[[*range(60), 0, 50]]
    whole = KNNClassifier(model.n_neighbors_).fit(all_rows, labels, groups="copies")
    np.testing.assert_array_equal(model.predict_proba(None), whole.predict_proba(None))


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "shares"])
def test_weights(whole) -> None:
    rng = np.random.default_rng(7)
    weights = rng.integers(0, 4, 90).astype(float) if whole else rng.random(90)
    weights[0] = 2.0
    model = added(KNNClassifier(3), GRID, LABELS, weights)
    assert_alike(model, KNNClassifier(3).fit(GRID, LABELS, weights), ASKED)
    late = KNNClassifier(3).partial_fit(GRID[:50], LABELS[:50]).partial_fit(GRID[50:], LABELS[50:], None, weights[50:])
    both = np.concatenate([np.ones(50), weights[50:]])
    assert_alike(late, KNNClassifier(3).fit(GRID, LABELS, both), ASKED)


def test_frames_in_any_order_of_columns() -> None:
    frame = pd.DataFrame(GRID, columns=NAMES)
    model = KNNClassifier(3).partial_fit(frame[:30], LABELS[:30])
    model.partial_fit(frame[30:50][["c", "a", "b"]], LABELS[30:50])
    model.partial_fit(pl.DataFrame(frame[50:70][["b", "c", "a"]]), LABELS[50:70])
    model.partial_fit(as_table(frame[70:], LABELS[70:]).select(["b", "a", "c"]))
    assert_alike(model, KNNClassifier(3).fit(frame, LABELS), pd.DataFrame(ASKED, columns=NAMES))
    assert model.feature_names_in_.tolist() == NAMES
    with pytest.raises(DataError, match="now missing:\n- c\n"):
        model.partial_fit(frame[["a", "b"]], LABELS)
    with pytest.raises(DataError, match="X has 2 features, but KNNClassifier is expecting 3"):
        KNNClassifier(1).fit(GRID, LABELS).partial_fit(GRID[:, :2], LABELS)


def mixed_frame() -> pd.DataFrame:
    """Numbers, names and gaps; the last rows hold a name that none of the first have."""
    rng = np.random.default_rng(8)
    colours = rng.choice(["red", "green", "blue"], 90).astype(object)
    colours[70:] = rng.choice(["amber", "red"], 20)
    numbers = PLAIN[:, 0].copy()
    numbers[40] = np.nan
    return pd.DataFrame({"x": numbers, "colour": colours, "z": GRID[:, 1]})


@pytest.mark.parametrize("distance", ["auto", "gower", "hvdm"])
def test_new_levels_and_first_gaps(distance) -> None:
    frame = mixed_frame()
    model = KNNClassifier(3, distance=distance)
    for part in batches(90, (20, 25)):
        model.partial_fit(frame[part], LABELS[part])
    assert_alike(model, KNNClassifier(3, distance=distance).fit(frame, LABELS), frame[::3])
    assert model.columns_.levels[1] == ("amber", "blue", "green", "red")


def test_the_first_gap_changes_what_auto_measures() -> None:
    gaps = PLAIN.copy()
    gaps[60, 1] = np.nan
    model = added(KNNClassifier(3), gaps, LABELS)
    assert_alike(model, KNNClassifier(3).fit(gaps, LABELS), gaps[55:70])
    euclidean = KNNClassifier(3, distance="euclidean").fit(PLAIN, LABELS)
    with pytest.raises(DataError, match="missing"):
        euclidean.partial_fit(gaps, LABELS)
    assert_alike(euclidean, KNNClassifier(3, distance="euclidean").fit(PLAIN, LABELS), ASKED)


def test_sparse_rows_and_sets() -> None:
    matrix = csr_array(np.where(GRID > 3, GRID, 0.0))
    model = added(KNNClassifier(3), matrix, LABELS)
    assert_alike(model, KNNClassifier(3).fit(matrix, LABELS), csr_array(ASKED))
    rng = np.random.default_rng(9)
    words = [set(rng.choice(list("abcdefgh"[: 2 + at // 12]), 3)) for at in range(90)]
    model = added(KNNClassifier(3), words, LABELS)
    assert_alike(model, KNNClassifier(3).fit(words, LABELS), words[::4])


def test_texts() -> None:
    words = np.random.default_rng(10).choice(["cat", "dog", "fish", "bird", "ant"], (90, 4))
    texts = pd.DataFrame({"text": [" ".join(row) for row in words]})
    table = as_table(texts, LABELS, kinds={"text": "text"})
    model = KNNClassifier(3).partial_fit(table.take(np.arange(30))).partial_fit(table.take(np.arange(30, 90)))
    assert_alike(model, KNNClassifier(3).fit(table), table.take(np.arange(0, 90, 5)))


def test_a_function_as_distance() -> None:
    def apart(a: Any, b: Any) -> float:
        return float(np.abs(a - b).sum())

    model = KNNClassifier(3, distance=apart).partial_fit(GRID[:20], LABELS[:20]).partial_fit(GRID[20:40], LABELS[20:40])
    assert_alike(model, KNNClassifier(3, distance=apart).fit(GRID[:40], LABELS[:40]), ASKED[:5])


def test_several_targets() -> None:
    y = np.stack([LABELS, np.roll(LABELS, 1)], axis=1)
    model, whole = added(KNNClassifier(3), GRID, y), KNNClassifier(3).fit(GRID, y)
    np.testing.assert_array_equal(model.predict(ASKED), whole.predict(ASKED))
    for mine, theirs in zip(model.predict_proba(ASKED), whole.predict_proba(ASKED), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    numbers = GRID[:, :2] * 2.0
    np.testing.assert_array_equal(
        added(KNNRegressor(3), GRID, numbers).predict(ASKED), KNNRegressor(3).fit(GRID, numbers).predict(ASKED)
    )
    for wrong in (LABELS, np.stack([LABELS] * 3, axis=1)):
        with pytest.raises(DataError, match="this model has 2"):
            model.partial_fit(GRID, wrong)


def test_one_row_of_one_class_is_enough_to_begin() -> None:
    model = KNNClassifier(5).partial_fit([[1.0, 2.0]], ["b"])
    assert (model.n_neighbors_, model.predict([[0.0, 0.0]]).tolist()) == (1, ["b"])
    model.partial_fit([[0.0, 0.0]], ["a"], classes=["c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict_proba([[0.0, 0.1]]).round(9), [[0.5, 0.5, 0.0]])
    auto = KNNRegressor().partial_fit([[1.0]], [3.0])
    assert auto.predict([[9.0]]).tolist() == [3.0]


def test_refusals_change_nothing() -> None:
    model = KNNClassifier(3).fit(GRID, LABELS)
    for X, y, text in (
        (GRID[:2], [1, 2], "numbers and texts do not name the same classes"),
        (GRID[:2], ["no"], "X has 2 rows and y has 1 labels"),
        (GRID[:2], None, "requires y"),
        ([[1.0, "word", 2.0]], ["no"], "expected numbers as in training"),
    ):
        with pytest.raises(DataError, match=text):
            model.partial_fit(X, y)
    assert_alike(model, KNNClassifier(3).fit(GRID, LABELS), ASKED)
    for refused, hint in (
        (KNNClassifier(1, prototypes="fcnn"), "prototypes"),
        (KNNClassifier(1, distance="precomputed"), "precomputed"),
        (KNNClassifier(1).fit(GRID, LABELS, groups=np.arange(90) // 3), "groups"),
    ):
        with pytest.raises(ParameterError, match=hint):
            refused.partial_fit(GRID[:3], LABELS[:3])


def pickled(model: Any) -> Any:
    """What pickle makes of it."""
    return pickle.loads(pickle.dumps(model))  # noqa: S301 - made here


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_of_the_model_grows_by_itself(twin) -> None:
    model = KNNClassifier(3).fit(GRID[:60], LABELS[:60]).partial_fit(GRID[60:70], LABELS[60:70])
    other = twin(model)
    model.partial_fit(GRID[70:80], LABELS[70:80])
    other.partial_fit(GRID[80:], LABELS[80:])
    kept = [*range(70), *range(80, 90)]
    assert_alike(model, KNNClassifier(3).fit(GRID[:80], LABELS[:80]), ASKED)
    assert_alike(other, KNNClassifier(3).fit(GRID[kept], LABELS[kept]), ASKED)


def test_a_saved_model_grows(tmp_path) -> None:
    model = added(KNNClassifier(3), GRID, LABELS)
    again = load_model(save_model(model, tmp_path / "model.sepal"))
    assert_alike(again, model, ASKED)
    again.partial_fit(PLAIN, LABELS)
    both = np.concatenate([GRID, PLAIN])
    assert_alike(again, KNNClassifier(3).fit(both, np.tile(LABELS, 2)), ASKED)


@pytest.mark.parametrize("model", [KNNClassifier(1, scale=None), KNNRegressor(1, scale=None)])
def test_copies_of_rows_that_are_there_need_no_room(model) -> None:
    """The rows given first are read-only, and none is written behind them."""
    found = model.fit([[1.0], [2.0], [4.0]], [0, 1, 1]).partial_fit([[1.0], [4.0]], [0, 0])
    wanted = type(model)(1, scale=None).fit([[1.0], [2.0], [4.0], [1.0], [4.0]], [0, 1, 1, 0, 0])
    assert found.predict([[1.0], [2.0], [5.0]]).tolist() == wanted.predict([[1.0], [2.0], [5.0]]).tolist()


def test_rows_that_share_a_number_are_told_apart(monkeypatch) -> None:
    """The rarest of accidents: then all rows are grouped anew, by their cells."""
    monkeypatch.setattr(growing, "row_hash", lambda cells: (cells.sum(axis=1) > 6.0).astype(np.uint64))
    model = added(KNNClassifier(3), GRID, LABELS)
    assert_alike(model, KNNClassifier(3).fit(GRID, LABELS), ASKED)


@pytest.mark.parametrize("saved", [False, True], ids=["pickled", "saved"])
def test_what_a_search_needs_is_kept_or_made_once(saved, tmp_path, monkeypatch) -> None:
    """After loading, the first question looks at all training rows at most once, and the next one not at all."""
    sparse, dense = csr_array(np.where(GRID > 3, GRID, 0.0)), PLAIN
    looked: list[int] = []
    extent, add = Extent.of.__func__, SparseIndex.add_points  # type: ignore[attr-defined]
    for X in (dense, sparse):
        model = KNNClassifier(3).fit(X, LABELS)
        wanted = model.predict(X[:1])
        again = load_model(save_model(model, tmp_path / "model.sepal")) if saved else pickled(model)
        looked.clear()
        with monkeypatch.context() as patch:
            patch.setattr(Extent, "of", classmethod(lambda cls, v: (looked.append(len(v)), extent(cls, v))[1]))
            patch.setattr(SparseIndex, "add_points", lambda self, p: (looked.append(p.rows.shape[0]), add(self, p))[1])
            for times in range(3):
                assert again.predict(X[:1]).tolist() == wanted.tolist()
                assert sum(n > 1 for n in looked) <= 1, times
        assert again.neighborhood_.search.points is not None
