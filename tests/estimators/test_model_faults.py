"""Model files as bombs and as wrecks, and folders that take none: a sentence, quickly and in little memory."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_classifier

from sepal.auto import SepalClassifier
from sepal.data import load
from sepal.estimators import load_model, save_model
from sepal.estimators._model_files import packed, unpacked
from sepal.estimators._saving import rebuilt
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from sepal.machines import (
    FeatureVectorClassifier,
    FeatureVectorRegressor,
    FisherDiscriminant,
    GeneralizedDiscriminant,
    KernelAdatronClassifier,
    ParzenClassifier,
    SVMClassifier,
)
from sepal.selection import SeparabilitySelector
from tests.drawn import normal

Y = np.array(["a", "b"] * 15)
X = normal(5, 30, 3) + (Y == "b")[:, None]


@pytest.fixture
def path(tmp_path):
    return save_model(KNNClassifier(1).fit(X, Y), tmp_path / "m.sepal")


def archive(members, kind=zipfile.ZIP_DEFLATED):
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", kind) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return found.getvalue()


def npy(header, data=b""):
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def test_bombs_are_refused_before_they_unpack(path):
    """A small file could unpack to 16 GB."""
    zeros = archive(
        {"a0.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4000000,), }", bytes(32_000_000))}
    )
    twice = archive({"model.json": "{}", "arrays.npz": zeros})
    assert len(twice) < 40_000
    path.write_bytes(twice)
    with pytest.raises(
        DataError, match=r"would unpack to 32,\d+,\d+ bytes, and 20,000,000 are allowed\nhint: .*max_bytes"
    ):
        load_model(path, max_bytes=20_000_000)
    path.write_bytes(archive({"model.json": " " * 10_000_000 + "{}", "arrays.npz": archive({})}))
    with pytest.raises(DataError, match=r"'model\.json' would unpack to 10,000,002 bytes"):
        load_model(path)
    with pytest.raises(DataError, match=r"the file has [\d,]+ bytes, and 10 are allowed"):
        load_model(path, max_bytes=10)
    for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path.write_bytes(archive({"model.json": "{}", "arrays.npz": archive({})}, kind))
        with pytest.raises(DataError, match="packed in a way that model files do not use"):
            load_model(path)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000000000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1, }",
        "{'descr': 'x8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8'",
        "((((((((",
        "",
    ],
)
def test_headers_of_arrays_that_lie(path, header):
    """Arrays were made as large as their header says, whatever bytes there were."""
    path.write_bytes(archive({"model.json": "{}", "arrays.npz": archive({"a0.npy": npy(header, bytes(8))})}))
    with pytest.raises(DataError, match="not a model, or the file is damaged"):
        load_model(path)


@pytest.mark.parametrize("name", ["__class__", "__dict__", "__init__", "predict", "fits_together", "a b", ""])
def test_attributes_that_are_not_the_files_to_set(path, name):
    """A file could set attributes that are no part of an estimator."""
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    content["model"]["fields"][name] = {"dict": []}
    with pytest.raises(DataError, match="has no attribute"):
        rebuilt(content, arrays, path)


def test_shapes_without_bounds(path):
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    for shape in ([10**30], [-1], ["x"], None, [10**30, 0]):
        content["model"]["fields"]["classes_"] = {"array": {"objects": ["a", "b"], "shape": shape}}
        with pytest.raises(DataError, match="damaged"):
            rebuilt(content, arrays, path)


def wrecks(content, arrays):
    """Every fitted attribute replaced by something else, and every array by another."""
    text = json.dumps(content)
    for name in content["model"]["fields"]:
        for other in (None, 3, "text", {"list": []}):
            found = json.loads(text)
            if name.endswith("_") and found["model"]["fields"][name] != other:
                found["model"]["fields"][name] = other
                yield found, arrays
    for name, array in arrays.items():
        for other in (array[:0], array.ravel()[:1], array.astype(str), np.concatenate([array.ravel()] * 2)):
            yield content, {**arrays, name: other}


MACHINES = [
    SVMClassifier(probability=True),
    KernelAdatronClassifier(),
    FeatureVectorClassifier(max_vectors=5),
    FeatureVectorRegressor(max_vectors=5),
    FisherDiscriminant(),
    GeneralizedDiscriminant(),
    ParzenClassifier(),
]


@pytest.mark.parametrize("model", MACHINES, ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore")
def test_a_machine_that_loads_can_answer(model, tmp_path):
    """Parts that do not fit together were found when a model was asked, and not when it was loaded."""
    path = save_model(model.fit(X, Y if is_classifier(model) else X[:, 0]), tmp_path / "m.sepal")
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    assert rebuilt(content, arrays, path).predict(X).tolist() == model.predict(X).tolist()
    refused = 0
    for wreck in wrecks(content, arrays):
        try:
            loaded = rebuilt(*wreck, Path("m.sepal"))
        except DataError:
            refused += 1
            continue
        try:
            assert loaded.predict(X).shape == Y.shape  # what loads answers all rows, or refuses in words of ours
        except DataError:
            refused += 1
    assert refused > 0


@pytest.mark.parametrize(
    "model", [FeatureVectorClassifier(max_vectors=5), FisherDiscriminant()], ids=["vectors", "fisher"]
)
def test_classes_that_were_cut_are_refused_when_the_model_is_loaded(model, tmp_path):
    """A model with fewer classes than its answers have was loaded."""
    three = np.array(["a", "b", "c"] * 10)
    path = save_model(model.fit(X, three), tmp_path / "m.sepal")
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    (name,) = [name for name, array in arrays.items() if array.tolist() == ["a", "b", "c"]]
    for n in (1, 2):
        with pytest.raises(DataError, match="do not fit together"):
            rebuilt(content, {**arrays, name: arrays[name][:n]}, path)


@pytest.mark.filterwarnings("ignore")
def test_a_model_without_choices_that_loads_can_answer(tmp_path):
    table = load("heart").take(np.arange(60))
    path = save_model(SepalClassifier().fit(table), tmp_path / "m.sepal")
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    for name, other in (("columns_", None), ("classes_", None), ("n_features_in_", 5)):
        wreck = json.loads(json.dumps(content))
        assert name in wreck["model"]["fields"]
        wreck["model"]["fields"][name] = other
        with pytest.raises(DataError, match="do not fit together"):
            rebuilt(wreck, arrays, path)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("n_features_in_", -3),
        ("n_features_in_", None),
        ("n_features_in_", 2),
        ("columns_", 3),
        ("feature_names_in_", 3),
    ],
)
def test_columns_that_a_model_does_not_have(path, name, other):
    """A model that does not know its columns was loaded."""
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    content["model"]["fields"][name] = other
    with pytest.raises(DataError, match="do not fit together"):
        rebuilt(content, arrays, path)


def test_a_selector_comes_back_and_its_columns_are_checked(tmp_path):
    """A saved ``SeparabilitySelector`` could not be loaded."""
    model = SeparabilitySelector().fit(X, Y)
    path = save_model(model, tmp_path / "m.sepal")
    assert load_model(path).transform(X).tolist() == model.transform(X).tolist()
    content, arrays = unpacked(path.read_bytes(), path, 1 << 29)
    name = content["model"]["fields"]["support_"]["array"]
    for other in (arrays[name][:2], arrays[name][None], arrays[name].astype(int), np.array([0, 16])):
        with pytest.raises(DataError, match="do not fit together"):
            rebuilt(content, {**arrays, name: other}, path)


def test_folders_and_paths_that_take_no_model(tmp_path):
    model = KNNClassifier(1).fit(X, Y)
    with pytest.raises(ParameterError, match=r"cannot be written: No such file or directory\nhint: make the folder"):
        save_model(model, tmp_path / "no" / "where.sepal")
    with pytest.raises(ParameterError, match="Is a directory"):
        save_model(model, tmp_path)
    for wrong in (3, None, b"m.sepal"):
        with pytest.raises(ParameterError, match="path: expected the name of a file"):
            save_model(model, wrong)
        with pytest.raises(ParameterError, match="path: expected the name of a file"):
            load_model(wrong)
    for wrong in (0, -1, "1", True, None):
        with pytest.raises(ParameterError, match="max_bytes must be an integer of at least 1"):
            load_model(tmp_path / "m.sepal", max_bytes=wrong)


def test_the_old_model_stays_where_the_new_one_cannot_be_written(path, monkeypatch):
    """``save_model`` wrote into the old file, which was lost where the disk was full."""
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ParameterError, match="No space left on device"):
        save_model(KNNClassifier(3).fit(X, Y), path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["m.sepal"]


def test_packing_is_undone_by_unpacking():
    arrays = {"a": np.asfortranarray(X), "t": Y, "e": np.zeros((0, 3)), "s": np.array(2.5)}
    content, found = unpacked(packed({"x": 1}, arrays), Path("m"), 1 << 29)
    assert content == {"x": 1}
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
