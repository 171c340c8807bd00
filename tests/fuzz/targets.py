"""What is fuzzed: whole inputs to begin with, how each is changed, and what may come of it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.random import Generator

from sepal.auto import SepalClassifier, SepalRegressor
from sepal.auto._paper_chain import PaperChainClassifier
from sepal.data import as_table
from sepal.data._read import table_from_bytes
from sepal.estimators._model_files import packed, unpacked
from sepal.estimators._saving import FORMAT, VERSION, _pack, rebuilt
from sepal.exceptions import SepalError
from sepal.learners import (
    DANNClassifier,
    KNNClassifier,
    KNNRegressor,
    MetricClusteringClassifier,
    WindowKNNClassifier,
)
from sepal.machines import (
    FeatureVectorClassifier,
    FeatureVectorRegressor,
    FeatureVectorSelector,
    FisherDiscriminant,
    GeneralizedDiscriminant,
    KernelAdatronClassifier,
    ParzenClassifier,
    SVMClassifier,
)
from sepal.prototypes import PrototypeSelector
from sepal.selection import SeparabilitySelector
from tests.fuzz.mutations import Model, changed_bytes, changed_model, changed_packed

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform")
MOST = 1 << 24  # bytes of a model

CSV = (
    b"a,b,class\n1,2.5,x\n-3,1e2,y\n?,4,x\n7,8,y\n",
    b'a;b;class\n1,5;"x;""y";u\n2,5;z;v\n1.000,25;z;u\n',
    b"\xef\xbb\xbfa\tb\tc\r\n1\t\t3\r\n4\t5\t6\r\n",
    b"5.1 3.5  setosa\n4.9 3.0  other\n",
)
ARFF = (
    (b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@attribute class {u,v}\n@data\n"
    b"1.5,x,u\n?,'y z',v\n2,x,u,{3}\n"),
    (b"% words\n@relation r\n@attribute d date 'yyyy-MM-dd'\n@attribute s string\n@attribute class integer\n@data\n"
    b"'2020-01-31','a, b',1\n2021-12-01,\"c\",9007199254740993\n"),
    (b"@relation 'r s'\n@attribute a real\n@attribute b {p,q}\n@attribute class {u,v}\n@data\n"
    b"{0 1.5, 2 v}\n{1 q}\n{}\n{0 2,1 q,2 u}, {2}\n"),
)  # fmt: skip


@cache
def parquet_seeds() -> tuple[bytes, ...]:
    tables = (
        {"a": [1.5, None, 3.0], "b": ["x", "y", None], "class": [1, 2, 1]},
        {"d": pa.array([0, 1, 2], pa.date32()), "t": pa.array([1, 2, 3], pa.timestamp("us")), "class": list("uvu")},
        {"c": pa.array(["p", "q", "p"]).dictionary_encode(), "f": [True, False, True], "class": list("uvv")},
    )
    found = []
    for table in tables:
        for packing in ("none", "snappy", "gzip"):
            place = io.BytesIO()
            pq.write_table(pa.table(table), place, compression=packing)
            found.append(place.getvalue())
    return tuple(found)


def _rows() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    y = np.array(["a", "b"] * 12)
    x = rng.normal(size=(24, 3)) + (y == "b")[:, None]
    cells = [[float(a), "red" if b > 0 else "blue", float(c)] for a, b, c in x]
    cells[3][0] = None  # type: ignore[call-overload]
    return x, y, as_table(cells, y)


ROWS, LABELS, MIXED = _rows()
THREE = np.array(["a", "b", "c"] * 8)
# A model, its training rows and labels, and the rows that it is asked about.
MODELS: dict[str, tuple[Any, Any, Any]] = {
    "knn": (KNNClassifier(3), ROWS, LABELS),
    "knn-mixed": (KNNClassifier(3), MIXED, None),
    "knn-regressor": (KNNRegressor(2), ROWS, ROWS[:, 0]),
    "dann": (DANNClassifier(3), ROWS, LABELS),
    "clusters": (MetricClusteringClassifier(), ROWS, LABELS),
    "window": (WindowKNNClassifier(window=10, n_neighbors=3, edit_neighbors=3), ROWS, LABELS),
    "svm": (SVMClassifier(probability=True), ROWS, LABELS),
    "svm-linear": (SVMClassifier(kernel="linear"), ROWS, THREE),
    "svm-mixed": (SVMClassifier(kernel="mixed"), MIXED, None),
    "adatron": (KernelAdatronClassifier(), ROWS, THREE),
    "vectors": (FeatureVectorClassifier(max_vectors=6), ROWS, LABELS),
    "vectors-logistic": (FeatureVectorClassifier(max_vectors=6, model="logistic"), ROWS, THREE),
    "vectors-regressor": (FeatureVectorRegressor(max_vectors=6), ROWS, ROWS[:, 0]),
    "vector-selector": (FeatureVectorSelector(4), ROWS, None),
    "fisher": (FisherDiscriminant(), ROWS, THREE),
    "gda": (GeneralizedDiscriminant(), ROWS, THREE),
    "parzen": (ParzenClassifier(), ROWS, LABELS),
    "prototypes": (PrototypeSelector("hart"), ROWS, LABELS),
    "selector": (SeparabilitySelector(), ROWS, LABELS),
    "auto": (SepalClassifier(time_limit=None), MIXED, None),
    "auto-regressor": (SepalRegressor(time_limit=None), ROWS, ROWS[:, 0]),
    "paper-chain": (PaperChainClassifier(), ROWS, LABELS),
}


@cache
def model_file(name: str) -> bytes:
    model, x, y = MODELS[name]
    arrays: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        packed_model = _pack(model.fit(x, y), "model", arrays)
    return packed({"format": FORMAT, "version": VERSION, "model": packed_model}, arrays)


@cache
def model_seed(name: str) -> Model:
    return unpacked(model_file(name), Path("m.sepal"), MOST)


def read(data: bytes, name: str) -> bool:
    """Whether there is a table in it; if not, a sentence of ours says why."""
    try:
        table = table_from_bytes(data, name, None, None)
    except SepalError:
        return False
    assert not np.isinf(table.values).any()
    assert table.y is not None
    assert len(table.y) == table.n_rows == len(table.values)
    return True


def ask(model: Model) -> bool:
    """Whether the model answers every question put to it; if not, a sentence of ours says why."""
    mixed = "'blue'" in repr(model[0])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            loaded = rebuilt(*model, Path("m.sepal"))
            if any(name.endswith("_") for name in vars(loaded)):
                rows = MIXED if loaded.n_features_in_ == 3 and mixed else np.resize(ROWS, (24, loaded.n_features_in_))
                answers = {name: getattr(loaded, name)(rows) for name in QUESTIONS if hasattr(loaded, name)}
                assert all(np.shape(answer)[:1] == (24,) for answer in answers.values())
        except SepalError:
            return False
    return True


def ask_file(data: bytes) -> bool:
    """The same of the bytes of a file."""
    try:
        model = unpacked(data, Path("m.sepal"), MOST)
    except SepalError:
        return False
    return ask(model)


@dataclass(frozen=True)
class Target:
    """A kind of input: its ending, whole ones, how one is made from them, what is done with it, and its bytes."""

    ending: str
    seeds: Callable[[], Sequence[Any]]
    change: Callable[[Any, Sequence[Any], Generator], Any]
    run: Callable[[Any], bool]
    as_bytes: Callable[[Any], bytes] = bytes

    def made(self, seed: int) -> Any:
        """The input of one number; the same on every machine."""
        rng = np.random.default_rng(seed)
        seeds = self.seeds()
        return self.change(seeds[int(rng.integers(len(seeds)))], seeds, rng)


TARGETS = {
    "csv": Target("csv", lambda: CSV, changed_bytes, lambda data: read(data, "t.csv")),
    "arff": Target("arff", lambda: ARFF, changed_bytes, lambda data: read(data, "t.arff")),
    "parquet": Target("parquet", parquet_seeds, changed_packed, lambda data: read(data, "t.parquet")),
    "model-files": Target("sepal", lambda: tuple(map(model_file, ("knn", "svm", "gda"))), changed_packed, ask_file),
    **{
        f"model-{name}": Target(
            "sepal",
            lambda name=name: (model_seed(name),),  # type: ignore[misc]
            lambda model, _, rng: changed_model(model, rng),
            ask,
            lambda model: packed(*model),
        )
        for name in MODELS
    },
}
ENDINGS: dict[str, Callable[[bytes], bool]] = {
    "csv": TARGETS["csv"].run,
    "arff": TARGETS["arff"].run,
    "parquet": TARGETS["parquet"].run,
    "sepal": ask_file,
}
