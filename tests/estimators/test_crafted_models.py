"""Model files that somebody made up are refused with a sentence, or answered; native code believes none of them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import random_array
from sklearn.base import clone

import sepal._native as native
from sepal.data import as_table
from sepal.estimators import load_model, save_model
from sepal.estimators._field_types import matches
from sepal.estimators._saving import rebuilt
from sepal.exceptions import DataError, ParameterError
from sepal.learners import DANNClassifier, KNNClassifier, KNNRegressor, MetricClusteringClassifier, WindowKNNClassifier
from sepal.machines import SVMClassifier
from sepal.machines._dual._solvers import NativeKernel
from tests.drawn import drawn


def rows(n=24):
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b"], size=n)
    return rng.normal(size=(n, 3)) + (y == "b")[:, None], y


def mixed(n=24):
    rng = np.random.default_rng(2)
    cells = [[float(rng.normal()), str(rng.choice(["red", "blue", "green"])), float(i % 5)] for i in range(n)]
    cells[3][0] = None
    return as_table(cells, rng.choice(["a", "b"], size=n))


X, Y = rows()
APART = np.abs(np.subtract.outer(X[:, 0], X[:, 0]))
WORDS = drawn(3, lambda rng: random_array((24, 6), density=0.4, random_state=rng, format="csr"))
MODELS = {
    "tiles": (KNNClassifier(3), X, Y),
    "tree": (KNNClassifier(weights="distance"), X[:, :2], Y),
    "minkowski": (KNNClassifier(3, distance="minkowski", distance_params={"p": 3}), X, Y),
    "mahalanobis": (KNNClassifier(3, distance="mahalanobis"), X, Y),
    "cosine": (KNNClassifier(3, distance="cosine", scale=None), X, Y),
    "polynomial": (KNNClassifier(3, distance="kernel", distance_params={"kernel": "polynomial"}), X, Y),
    "heom": (KNNClassifier(3), mixed(), None),
    "hvdm": (KNNClassifier(3, distance="hvdm"), mixed(), None),
    "gower": (KNNClassifier(3, distance="gower"), mixed(), None),
    "sparse": (KNNClassifier(3), WORDS, Y),
    "precomputed": (KNNClassifier(3, distance="precomputed"), APART, Y),
    "regressor": (KNNRegressor(2), X, X[:, 0]),
    "dann": (DANNClassifier(3), X, Y),
    "clusters": (MetricClusteringClassifier(), X, Y),
    "window": (WindowKNNClassifier(window=10, n_neighbors=3, edit_neighbors=3), X, Y),
}


def read(path):
    """The text and the arrays of a saved model."""
    with zipfile.ZipFile(path) as archive, np.load(io.BytesIO(archive.read("arrays.npz"))) as found:
        return archive.read("model.json").decode(), {name: found[name] for name in found.files}


def numbers(value, path=()):
    """Where numbers stand in the text, as paths of keys."""
    if isinstance(value, (bool, int, float)):
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for key, each in parts:
        yield from numbers(each, (*path, key))


def with_number(text, path, value):
    content = json.loads(text)
    at = content
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return content


def changed(array):
    """An array in ways that a careless reader would trust."""
    yield array[:-1]
    yield np.zeros((0, *array.shape[1:]), dtype=array.dtype)
    yield array[None]
    yield np.concatenate([array, array])
    yield array.astype(str)
    if array.dtype.kind in "iuf":
        yield array + array.dtype.type(100)
        yield -array - array.dtype.type(1)
        yield array.astype(np.int8 if array.dtype.kind == "f" else np.float32)
        yield np.full_like(array, np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).max)
        yield np.full_like(array, np.inf if array.dtype.kind == "f" else np.iinfo(array.dtype).min)


def answers(content, arrays, queries):
    """How many answers the model gives; 0 where it is refused in a sentence. Any other error fails the test."""
    try:
        model = rebuilt(content, arrays, Path("m.sepal"))
    except DataError:
        return 0
    try:
        return len(model.predict(queries))
    except ParameterError:  # a window looks at its parameters when it is asked
        return 0


@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.filterwarnings("ignore")
def test_every_number_and_every_array_can_be_wrong(name, tmp_path):
    """What a file said reached native code, which trusted counts, positions and codes."""
    model, queries, y = MODELS[name]
    model = clone(model).fit(queries, y)
    text, arrays = read(save_model(model, tmp_path / "m.sepal"))
    n, found = len(model.predict(queries)), []
    assert answers(json.loads(text), arrays, queries) == n
    wrong = (-1, 0, 7, 10**6, -(2**70), 0.5, True)
    for i, path in enumerate(numbers(json.loads(text)["model"], ("model",))):
        for value in wrong[i % 3 :: 3]:  # every place in some ways, and over the places in all
            if path[-1] == "n_iter" and value == 10**6:
                continue  # a million iterations are allowed, and slow
            found.append(answers(with_number(text, path, value), arrays, queries))
    for i, (place, array) in enumerate(arrays.items()):
        for other in list(changed(array))[i % 3 :: 3]:
            found.append(answers(json.loads(text), {**arrays, place: other}, queries))
    assert set(found) == {0, n}


@pytest.mark.filterwarnings("ignore")
def test_what_a_machine_reads_is_checked_before_native_code_sees_it(tmp_path):
    text, arrays = read(save_model(SVMClassifier().fit(X, Y), tmp_path / "m.sepal"))
    found = [
        answers(json.loads(text), {**arrays, place: other}, X)
        for place, array in arrays.items()
        for other in changed(array)
    ]
    assert set(found) == {0, len(X)}


def test_a_distance_that_counts_more_numbers_than_columns_is_refused(tmp_path):
    path = save_model(KNNClassifier(3).fit(mixed()), tmp_path / "m.sepal")
    text, arrays = read(path)
    content = json.loads(text)
    content["model"]["fields"]["neighborhood_"]["fields"]["search"]["fields"]["fitted"]["fields"]["n_numeric"] = 1000
    with zipfile.ZipFile(path, "w") as archive, io.BytesIO() as packed:
        np.savez(packed, **arrays)
        archive.writestr("model.json", json.dumps(content))
        archive.writestr("arrays.npz", packed.getvalue())
    with pytest.raises(DataError, match="the parts of FittedDistance do not fit together"):
        load_model(path)


def test_fields_of_another_type_and_values_without_end_are_refused(tmp_path):
    text, arrays = read(save_model(KNNClassifier(3).fit(X, Y), tmp_path / "m.sepal"))
    content = json.loads(text)
    content["model"]["fields"]["neighborhood_"]["fields"]["search"]["fields"]["threads"] = "2"
    with pytest.raises(DataError, match="'threads' of Search is of another type"):
        rebuilt(content, arrays, Path("m.sepal"))
    deep = None
    for _ in range(5000):
        deep = {"list": [deep]}
    content["model"]["fields"]["n_jobs"] = deep
    with pytest.raises(DataError, match="inside each other without end"):
        rebuilt(content, arrays, Path("m.sepal"))
    content["model"] = {"object": "sepal.report._geometry_verdict:GeometryCase", "fields": {"report": None}}
    with pytest.raises(DataError, match="GeometryCase"):
        rebuilt(content, arrays, Path("m.sepal"))


@pytest.mark.parametrize(
    ("value", "declared", "fits"),
    [
        (np.zeros(2), "floats", True), (np.zeros(2, dtype=np.float32), "floats", False), (None, "floats", False),
        (None, "maybe", True), (3, "maybe", True), (np.int64(3), "maybe", True), (True, "maybe", False),
        ("3", "maybe", False),
        (("a", "b"), "names", True), (("a", 1), "names", False), (["a"], "names", False),
        ("x", "word", True), ("z", "word", False), ([], "word", False), (1, "real", True), (False, "real", False),
    ],
)  # fmt: skip
def test_declared_types(value, declared, fits):
    types = {
        "floats": NDArray[np.float64], "maybe": int | None, "names": tuple[str, ...], "word": Literal["x", "y"],
        "real": float,
    }  # fmt: skip
    assert matches(value, types[declared]) is fits


def search(
    points=((0.0, 1.0), (1.0, 0.0)),
    queries=None,
    k=1,
    method="direct",
    metric="l2",
    n_numeric=0,
    weights=(1, 1),
    threads=1,
):
    rows = np.array(points, dtype=float).reshape(-1, 2)
    asked = None if queries is None else np.array(queries, dtype=float)
    return native.search(
        points=rows,
        queries=asked,
        k=k,
        limits=None,
        method=method,
        metric=metric,
        p=2.0,
        n_numeric=n_numeric,
        weights=np.array(weights, dtype=float),
        tie=0.0,
        zero=0.0,
        threads=threads,
        progress=None,
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"k": -5}, "k must be at least 1"),
        ({"threads": 0}, "at least one thread"),
        ({"threads": -1}, "at least one thread"),
        ({"weights": (1,)}, "one weight per column"),
        ({"weights": (1, 1, 1)}, "one weight per column"),
        ({"n_numeric": 3, "metric": "mixed"}, "n_numeric must lie between"),
        ({"n_numeric": -1, "metric": "gower"}, "n_numeric must lie between"),
        ({"metric": "unknown"}, "no native metric is called unknown"),
        ({"queries": [[1.0]]}, "queries and points differ in columns"),
        ({"points": ()}, "at least one row"),
        ({"queries": np.zeros((0, 2)), "method": "tiles"}, "at least one row"),
        ({"points": ((np.nan, 1.0), (0.0, 0.0)), "method": "tree"}, "a coordinate is not a number"),
        ({"points": ((np.nan, 1.0),), "method": "tiles"}, "a coordinate is not a number"),
    ],
)
def test_the_native_search_checks_what_it_is_given(wrong, said):
    """Counts, thread numbers and NaN that a loop or a sort trusts were not looked at."""
    assert search()[1].tolist() == [1, 0]
    with pytest.raises(ValueError, match=said):
        search(**wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"start": [0, 3]}, "start must ascend from 0"),
        ({"start": [1, 2]}, "start must ascend from 0"),
        ({"start": []}, "start must hold a number more"),
        ({"terms": [1, 1]}, "the terms of a row must ascend"),
        ({"terms": [-1, 1]}, "the terms of a row must ascend"),
        ({"values": [1.0]}, "one value per term"),
        ({"values": [np.nan, 1.0]}, "a value is not finite"),
        ({"lengths": [-1.0]}, "a length is below 0"),
        ({"lengths": []}, "one length per row"),
        ({"beyond": [np.nan]}, "a length is below 0"),
        ({"ids": [-2]}, "an id or a code is below 0"),
        ({"ids": [0]}, "an id is taken"),
        ({"codes": []}, "one id and one code per row"),
    ],
)
def test_the_native_index_checks_what_it_is_given(wrong, said):
    index = native.SparseIndex(distance="cosine")
    rows = {"start": [0, 2], "terms": [0, 1], "values": [0.6, 0.8], "lengths": [1.0], "beyond": [0.0]}
    kinds = {"start": np.int64, "terms": np.int32, "ids": np.int32, "codes": np.int32}

    def arrays(given):
        return {name: np.array(value, dtype=kinds.get(name, float)) for name, value in given.items()}

    index.add(**arrays(rows | {"ids": [0], "codes": [0]}))
    with pytest.raises(ValueError, match=said):
        index.add(**arrays(rows | {"ids": [1], "codes": [0]} | wrong))
    assert index.n_rows == 1


def test_the_native_window_and_expansion_check_what_they_are_given():
    """A window whose distances are all NaN read an empty list of voters."""
    with pytest.raises(ValueError, match="ascend"):
        native.kernel_expansion(
            support=X,
            start=[0, 30, 10, 24],
            coef=np.ones((1, 24)),
            queries=X,
            **NativeKernel("rbf").arguments,
            threads=1,
            progress=None,
        )
    with pytest.raises(ValueError, match="below 0"):
        native.Condensing(
            points=X,
            codes=np.full(24, -1, dtype=np.int32),
            metric="l2",
            p=2.0,
            n_numeric=0,
            weights=np.ones(3),
            tie=0.0,
            zero=0.0,
            threads=1,
        )
    window = native.Window(
        k=1,
        by_distance=False,
        distances="square",
        metric="l2",
        p=2.0,
        n_numeric=0,
        weights=np.ones(2),
        tie=0.0,
        zero=0.0,
        factors=np.ones(2),
        is_scaled=np.zeros(2, np.uint8),
        most=8,
        max_age=np.inf,
        class_quota=0,
        edit_k=0,
        edit_every=1,
        threads=1,
    )
    with pytest.raises(ValueError, match="outside the classes"):
        window.predict(
            cells=np.zeros((1, 2, 8)),
            codes=np.full(8, 5, np.int32),
            arrival=np.zeros(8, np.int64),
            time=np.zeros(8),
            ranges=np.zeros((2, 2)),
            n=3,
            queries=np.zeros((1, 2)),
            seen=np.ones(2),
        )
