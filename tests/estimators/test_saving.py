from __future__ import annotations

import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import sepal.datasets
from sepal.data import as_table
from sepal.estimators import load_model, save_model
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor, WindowKNNClassifier


def rewritten(path, change, arrays=None):
    """The same file with its JSON changed."""
    with zipfile.ZipFile(path) as archive:
        content, packed = json.loads(archive.read("model.json")), archive.read("arrays.npz")
    content = change(content) or content
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps(content))
        archive.writestr("arrays.npz", packed if arrays is None else arrays)
    return path


@pytest.mark.parametrize("name", ["heart", "sonar", "voting"])
@pytest.mark.parametrize("distance", ["auto", "hvdm"])
def test_a_model_comes_back_as_it_was(tmp_path, name, distance):
    table = sepal.datasets.load(name)
    model = KNNClassifier(weights="distance", distance=distance, class_weight="balanced", k_max=9).fit(table)
    other = load_model(save_model(model, tmp_path / "model.sepal"))
    assert type(other) is KNNClassifier
    np.testing.assert_array_equal(other.predict_proba(table), model.predict_proba(table))
    assert other.predict(table).tolist() == model.predict(table).tolist()
    assert other.get_params() == model.get_params()
    assert other.loo_curve_.best_k == model.loo_curve_.best_k


def test_strings_dictionaries_and_numbers_survive(tmp_path):
    frame = pd.DataFrame({"size": [1.0, np.nan, 3.0, 9.0], "color": ["red", "blue", None, "red"]})
    labels = np.array(["é", "b", "b", "é"], dtype=object)
    model = KNNClassifier(1, feature_weights={"size": 2.0}, priors={"é": 0.25, "b": 0.75}).fit(frame, labels)
    other = load_model(save_model(model, tmp_path / "m.sepal"))
    assert other.predict(frame).tolist() == model.predict(frame).tolist()
    assert other.priors == {"é": 0.25, "b": 0.75}
    regressor = KNNRegressor(2, weights="gaussian", width=0.5).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    again = load_model(save_model(regressor, tmp_path / "r.sepal"))
    assert again.predict([[0.7]]).tolist() == regressor.predict([[0.7]]).tolist()


def test_a_loaded_model_refuses_other_columns_by_name(tmp_path):
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]})
    model = load_model(save_model(KNNClassifier(1).fit(frame, ["a", "b", "a"]), tmp_path / "m.sepal"))
    with pytest.raises(DataError, match='column "size": expected numbers as in training, found "big"'):
        model.predict(pd.DataFrame({"size": ["big"], "color": ["red"]}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame({"size": [1.0], "shade": ["red"]}))
    with pytest.raises(DataError, match=r"unseen at fit time:\n- mass\n.*now missing:\n- size\n"):
        model.predict(as_table([[1.0, "red"]], names=["mass", "color"]))


def fitted(tmp_path):
    return save_model(KNNClassifier(1).fit([[0.0], [1.0]], ["a", "b"]), tmp_path / "m.sepal")


def test_missing_and_foreign_files(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_model(tmp_path / "nowhere.sepal")
    text = tmp_path / "text.sepal"
    text.write_text("not a model")
    with pytest.raises(DataError, match="not a model"):
        load_model(text)
    with zipfile.ZipFile(tmp_path / "zip.sepal", "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(DataError, match="not a model"):
        load_model(tmp_path / "zip.sepal")
    with pytest.raises(DataError, match="not a model of Sepal"):
        load_model(rewritten(fitted(tmp_path), lambda content: {"format": "other"}))


def test_every_truncation_is_a_clear_error(tmp_path):
    path = fitted(tmp_path)
    whole = path.read_bytes()
    for length in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match=r"m\.sepal"):
            load_model(path)


def test_damaged_bytes_never_escape_as_another_error(tmp_path):
    path = fitted(tmp_path)
    whole = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for at in rng.integers(0, len(whole), size=150):
        damaged = whole.copy()
        damaged[at] ^= 0xFF
        path.write_bytes(bytes(damaged))
        try:
            load_model(path)
        except DataError:
            continue


def test_another_version_is_refused(tmp_path):
    with pytest.raises(DataError, match="version 99"):
        load_model(rewritten(fitted(tmp_path), lambda content: content.update(version=99)))


@pytest.mark.parametrize(
    "name",
    ["os:system", "builtins:eval", "sepal.data._read:os", "sepal.estimators._saving:Path", "subprocess:Popen",
     "sepal.exceptions:DataError", "sepal.nowhere:Thing", "sepal.estimators._saving:load_model", "sklearn.svm:SVC"],
)  # fmt: skip
def test_types_that_are_not_ours_are_refused(tmp_path, name):
    def change(content):
        content["model"]["object"] = name

    with pytest.raises(DataError, match="not one that Sepal saves"):
        load_model(rewritten(fitted(tmp_path), change))


def test_pickled_arrays_are_refused(tmp_path):
    class Trap:
        def __reduce__(self):
            return (print, ("code from the file was run",))

    packed = io.BytesIO()
    np.savez(packed, a0=np.array([Trap()], dtype=object))
    with pytest.raises(DataError, match="not a model, or the file is damaged"):
        load_model(rewritten(fitted(tmp_path), lambda content: None, packed.getvalue()))


def test_fields_that_do_not_fit_are_refused(tmp_path):
    def change(content):
        content["model"]["fields"]["table_"]["fields"].pop("kinds")

    with pytest.raises(DataError, match="'kinds'"):
        load_model(rewritten(fitted(tmp_path), change))


def test_what_cannot_be_written_is_named(tmp_path):
    model = KNNClassifier(1, weights=lambda d: 1 / (1 + d)).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ParameterError, match=r"KNNClassifier\.weights: a function cannot be written"):
        save_model(model, tmp_path / "m.sepal")
    assert not (tmp_path / "m.sepal").exists()
    with pytest.raises(ParameterError, match="estimator of Sepal"):
        save_model(KNeighborsClassifier(), tmp_path / "m.sepal")


@pytest.mark.parametrize("drift", [None, "adwin", "ddm"])
def test_a_window_goes_on_where_it_was_saved(tmp_path, drift):
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b"], size=300)
    frame = pd.DataFrame({"x": rng.normal(size=300) + (y == "b"), "c": rng.choice(["red", "blue", None], size=300)})
    learner = WindowKNNClassifier(window=50, class_quota=30, drift=drift).partial_fit(frame[:150], y[:150])
    other = load_model(save_model(learner, tmp_path / "w.sepal"))
    for each in (learner, other):
        each.partial_fit(frame[150:250], np.where(y[150:250] == "a", "a", "new"))
    np.testing.assert_array_equal(other.predict_proba(frame[250:]), learner.predict_proba(frame[250:]))
    assert other.classes_.tolist() == ["a", "b", "new"]
    assert other.window_rows()[0].tolist() == learner.window_rows()[0].tolist()
    if drift is not None:
        assert other.prequential_score_ == learner.prequential_score_


@pytest.mark.parametrize("name", ["counters", "codes", "cells", "ranges"])
def test_a_window_that_does_not_fit_together_is_refused(tmp_path, name):
    rows, labels = np.arange(60.0)[:, None], np.resize(["a", "b", "a"], 60)
    learner = WindowKNNClassifier(window=60).partial_fit(rows, labels)
    path = save_model(learner, tmp_path / "w.sepal")
    with zipfile.ZipFile(path) as archive:
        place = json.loads(archive.read("model.json"))["model"]["fields"]["_rows_"]["fields"][name]["array"]
        with np.load(io.BytesIO(archive.read("arrays.npz"))) as found:
            arrays = {key: found[key] for key in found.files}
    arrays[place] = arrays[place][:1] if name in ("cells", "ranges") else arrays[place] + 10**6
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    with pytest.raises(DataError, match="do not fit together"):
        load_model(rewritten(path, lambda content: None, packed.getvalue()))


def test_what_one_question_needs_of_all_rows_is_looked_for_once_after_loading(tmp_path, monkeypatch):
    """A service asks row by row: no question may pay for all rows again."""
    import sepal.neighbors._rounding as rounding

    looked: list[int] = []
    ranges = rounding.ranges_and_gaps

    def counted(values):
        looked.append(len(values))
        return ranges(values)

    X = np.random.default_rng(0).random((300, 4))
    model = KNNClassifier(3).fit(X, np.where(X[:, 0] > 0.5, "yes", "no"))
    loaded = load_model(save_model(model, tmp_path / "m.sepal"))
    monkeypatch.setattr(rounding, "ranges_and_gaps", counted)
    pickled = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    for asked, times in ((model, 0), (pickled, 1), (loaded, 1)):
        looked.clear()
        for row in X[:5]:
            asked.predict(row[None])
        assert looked.count(300) <= times
        assert looked.count(1) == 5
