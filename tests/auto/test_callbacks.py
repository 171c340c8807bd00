"""scikit-learn's callbacks, where its version has them: hundredths of the work are subtasks of the fit."""

from __future__ import annotations

import pytest
import sklearn
from sklearn.base import clone

from sepal import datasets
from sepal.auto import SepalClassifier, SepalRegressor
from sepal.estimators import load_model, save_model

TABLE = datasets.load("athletes")
HAS_CALLBACKS = hasattr(SepalClassifier, "set_callbacks")


class Heard:
    """A callback that writes down what it hears."""

    def __init__(self):
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(("begin", context.parent is None))

    def on_fit_task_end(self, estimator, context):
        self.events.append(("end", context.parent is None))


def test_callbacks_are_there_where_scikit_learn_has_them():
    major, minor = (int(part) for part in sklearn.__version__.split(".")[:2])
    assert ((major, minor) >= (1, 9)) == HAS_CALLBACKS


@pytest.mark.parametrize("model", [SepalClassifier(), SepalRegressor()] if HAS_CALLBACKS else [], ids=repr)
def test_the_fit_is_a_task_with_a_hundred_parts(model, tmp_path):
    heard, shares = Heard(), []
    y = TABLE.y if isinstance(model, SepalClassifier) else TABLE.values[:, 0]
    told = clone(model).set_callbacks(heard)
    told.fit(TABLE.values, y, progress=lambda text, share: shares.append(share))
    assert heard.events[:2] == ["setup", ("begin", True)]
    assert heard.events[-2:] == [("end", True), "teardown"]
    assert heard.events[2:-2] == [("begin", False), ("end", False)] * 100
    assert shares[-1] == 1.0
    assert (told.predict(TABLE.values) == clone(model).set_callbacks().fit(TABLE.values, y).predict(TABLE.values)).all()
    count = len(heard.events)
    told.explain()
    assert len(heard.events) == count, "what explain() fits is nobody's to wait for"
    again = load_model(save_model(told, tmp_path / "model.sepal"))
    assert not hasattr(again, "_skl_callbacks")


@pytest.mark.parametrize("model", [SepalClassifier()] if HAS_CALLBACKS else [], ids=repr)
def test_what_a_callback_raises_ends_the_fit_and_all_is_taken_down(model):
    class Stop(Heard):
        def on_fit_task_end(self, estimator, context):
            raise KeyboardInterrupt

    stop = Stop()
    with pytest.raises(KeyboardInterrupt):
        model.set_callbacks(stop).fit(TABLE)
    assert stop.events[-1] == "teardown"
