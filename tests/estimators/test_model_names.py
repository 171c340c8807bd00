"""Models are written over models only, and under no name of another format."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sepal
from sepal.exceptions import ParameterError
from sepal.learners import KNNClassifier
from sepal.machines import FeatureVectorSelector


def fitted(k=1):
    return KNNClassifier(k).fit([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])


@pytest.mark.parametrize("name", ["data.csv", "notes.txt", "m.sepal", "plain", "m.model", "other.zip"])
def test_a_file_that_is_no_model_is_never_replaced(tmp_path, name):
    """A zipped model stood where the data had been."""
    file = tmp_path / name
    before = b"PK\x03\x04" + bytes(26) + b"letter.txt" if name == "other.zip" else b"a,b\n1,2\n"
    file.write_bytes(before)
    with pytest.raises(ParameterError, match="would overwrite a file that is not a model") as error:
        sepal.save_model(fitted(), file)
    assert name in str(error.value)
    assert "choose another name ending in .sepal" in error.value.hint
    assert file.read_bytes() == before


def test_a_link_to_data_is_not_followed_to_replace_it(tmp_path):
    (tmp_path / "data").write_text("a,b\n1,2\n")
    (tmp_path / "m.sepal").symlink_to(tmp_path / "data")
    with pytest.raises(ParameterError, match="not a model"):
        sepal.save_model(fitted(), tmp_path / "m.sepal")
    assert (tmp_path / "data").read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize("name", ["m.sepal", "plain", "m.model", "v1.2"])
def test_a_model_replaces_a_model_a_damaged_one_and_an_empty_file(tmp_path, name):
    file = tmp_path / name
    file.touch()
    whole = sepal.save_model(fitted(1), file).read_bytes()
    sepal.save_model(fitted(2), file)
    assert sepal.load_model(file).n_neighbors == 2
    file.write_bytes(whole[:100])
    sepal.save_model(fitted(3), file)
    assert sepal.load_model(file).n_neighbors == 3


@pytest.mark.parametrize("ending", ["csv", "CSV", "json", "html", "txt", "arff", "parquet", "xlsx", "tsv", "csv.gz"])
def test_a_name_of_another_format_is_refused(tmp_path, ending):
    with pytest.raises(ParameterError, match="a model is not written as") as error:
        sepal.save_model(fitted(), tmp_path / f"m.{ending}")
    assert ".sepal" in error.value.hint
    assert not list(tmp_path.iterdir())


def test_a_pipe_may_be_called_anything(tmp_path):
    pipe, read = tmp_path / "m.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    sepal.save_model(fitted(), pipe)
    reader.join(timeout=60)
    assert read[0].startswith(b"PK")


@pytest.mark.parametrize(
    "model", [KNNClassifier(1), sepal.SepalClassifier(), make_pipeline(StandardScaler(), KNNClassifier(1))]
)
def test_what_has_learned_nothing_is_not_written(tmp_path, model):
    """The file was written, and only ``sepal predict`` said that it cannot answer."""
    with pytest.raises(NotFittedError, match=r"found a \w+ that has learned nothing yet\nhint: model.fit"):
        sepal.save_model(model, tmp_path / "m.sepal")
    assert not list(tmp_path.iterdir())


def test_a_fitted_transformer_is_written(tmp_path):
    X = np.random.default_rng(0).random((12, 3))
    model = FeatureVectorSelector(4).fit(X)
    file = sepal.save_model(model, tmp_path / "m")
    assert sepal.load_model(file).transform(X).tolist() == model.transform(X).tolist()
