"""Pipelines of scikit-learn as model files: read back where their steps are known, else the step is named."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

import sepal
from sepal.estimators import load_model, save_model
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier
from sepal.machines import SVMClassifier


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1]
    y = np.where(X[:, 0] + X[:, 1] / 10 > 0, "up", "down")
    X[3, 1] = X[10, 2] = np.nan
    return X, y


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler])
def test_there_and_back(rows, scaler, tmp_path):
    X, y = rows
    model = make_pipeline(SimpleImputer(strategy="median"), scaler(), SVMClassifier(C=1.0)).fit(X, y)
    again = load_model(save_model(model, tmp_path / "m.sepal"))
    assert isinstance(again, Pipeline)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.classes_.tolist() == ["down", "up"]
    assert again.get_params()["svmclassifier__C"] == 1.0


def test_selector_passthrough_and_names(rows, tmp_path):
    import pandas as pd

    X, y = rows
    frame = pd.DataFrame(np.nan_to_num(X), columns=["a", "b", "c"])
    steps = [("nothing", "passthrough"), ("scale", StandardScaler()), ("knn", KNNClassifier(3))]
    model = Pipeline(steps).fit(frame, y)
    again = load_model(save_model(model, tmp_path / "m.sepal"))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    first = make_pipeline(sepal.SeparabilitySelector(), KNNClassifier(1)).fit(frame, y)
    np.testing.assert_array_equal(
        load_model(save_model(first, tmp_path / "n.sepal")).predict(frame), first.predict(frame)
    )


@pytest.mark.parametrize("step", [PolynomialFeatures(2), PCA(2), FunctionTransformer(np.log1p)])
def test_the_step_that_cannot_be_written_is_named(step, tmp_path):
    model = Pipeline([("fill", SimpleImputer()), ("odd", step), ("knn", KNNClassifier(1))])
    with pytest.raises(ParameterError, match=rf"step 'odd' of the pipeline: a {type(step).__name__}") as error:
        save_model(model, tmp_path / "m.sepal")
    assert "StandardScaler" in error.value.hint
    assert not (tmp_path / "m.sepal").exists()


def test_what_is_no_pipeline_of_ours(tmp_path):
    with pytest.raises(ParameterError, match="got StandardScaler"):
        save_model(StandardScaler(), tmp_path / "m.sepal")
    with pytest.raises(ParameterError, match="memory"):
        save_model(Pipeline([("knn", KNNClassifier(1))], memory=str(tmp_path)), tmp_path / "m.sepal")


def changed(path, change):
    """The same file with other plain values."""
    with zipfile.ZipFile(path) as archive:
        content, arrays = json.loads(archive.read("model.json")), archive.read("arrays.npz")
    change(content["model"])
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("model.json", json.dumps(content))
        archive.writestr("arrays.npz", arrays)
    path.write_bytes(whole.getvalue())


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.update({"scikit-learn": "FunctionTransformer"}),
        lambda model: model.update({"scikit-learn": "os:system"}),
        lambda model: model.update({"scikit-learn": ["Pipeline"]}),
        lambda model: model["fields"].update(steps=3),
        lambda model: model["fields"].update(steps={"list": []}),
        lambda model: model["fields"].update(predict=3),
        lambda model: model["fields"]["steps"]["list"][1]["tuple"][1]["fields"].update(n_features_in_=7),
        lambda model: model["fields"]["steps"]["list"][0]["tuple"][1]["fields"].update(n_features_in_=1 << 40),
        lambda model: model["fields"]["steps"]["list"][0]["tuple"][1]["fields"].pop("mean_"),
        lambda model: model["fields"]["steps"]["list"][0]["tuple"][1]["fields"].update(mean_="x"),
        lambda model: model["fields"]["steps"]["list"][0]["tuple"][1]["fields"].update(fit=1),
    ],
)
def test_damaged_files_are_refused(rows, change, tmp_path):
    X, y = rows
    path = save_model(make_pipeline(StandardScaler(), KNNClassifier(1)).fit(np.nan_to_num(X), y), tmp_path / "m.sepal")
    changed(path, change)
    with pytest.raises(DataError, match=r"m\.sepal"):
        load_model(path)


def test_the_command_predicts_with_a_pipeline(rows, tmp_path):
    import pandas as pd
    from typer.testing import CliRunner

    from sepal.cli._app import app

    X, y = rows
    frame = pd.DataFrame(np.nan_to_num(X), columns=["a", "b", "c"])
    model = make_pipeline(StandardScaler(), KNNClassifier(3)).fit(frame, y)
    save_model(model, tmp_path / "m.sepal")
    frame.to_csv(tmp_path / "new.csv", index=False)
    found = CliRunner().invoke(app, ["predict", str(tmp_path / "m.sepal"), str(tmp_path / "new.csv")])
    assert found.exit_code == 0, found.output
    assert [line.split(",")[1] for line in found.stdout.splitlines()[1:]] == model.predict(frame).tolist()
