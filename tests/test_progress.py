"""One callback everywhere: ``progress(text, share)``, in every public function and ``fit`` that has one."""

from __future__ import annotations

import inspect
from importlib import import_module

import numpy as np
import pytest

from sepal import auto, datasets, evaluation, machines, neighbors, report, selection
from sepal.learners import KNNClassifier
from sepal.progress import Progress, silent, stage

ROOMS = ("auto", "evaluation", "learners", "machines", "measures", "neighbors", "prototypes", "report", "selection")
TABLE = datasets.load("athletes")
# What is called otherwise than with a table alone.
CALLS = {
    "SepalClassifier.fit": lambda **how: auto.SepalClassifier(time_limit=5.0).fit(TABLE, **how),
    "SepalRegressor.fit": lambda **how: auto.SepalRegressor(time_limit=5.0).fit(TABLE.values, np.arange(20.0), **how),
    "evaluate": lambda **how: evaluation.evaluate(KNNClassifier(1), TABLE, cv=2, **how),
    "expected_accuracy": lambda **how: import_module("sepal.measures").expected_accuracy(TABLE, train_size=0.5, **how),
    "hyperparameter_surface": lambda **how: machines.hyperparameter_surface(
        machines.SVMClassifier(), TABLE, C=[1.0], width=[0.5], **how
    ),
    "neighbor_ranking": lambda **how: neighbors.neighbor_ranking(TABLE, 2, **how),
    "kneighbors_graph": lambda **how: neighbors.kneighbors_graph(TABLE, 2, **how),
    "condense_curve": lambda **how: import_module("sepal.prototypes").condense_curve(
        TABLE, methods=["hart"], cv=2, **how
    ),
    "nested_score": lambda **how: selection.nested_score(TABLE, cv=2, **how),
    "select_facts": lambda **how: selection.select_facts(TABLE, cv=2, **how),
    "selection_test": lambda **how: selection.selection_test(TABLE, n_permutations=3, **how),
    "stability": lambda **how: selection.stability(TABLE, n_samples=3, **how),
    "separability": lambda **how: report.separability(TABLE, time_limit=0.01, **how),
}
SOON_DONE = {"neighbor_ranking", "kneighbors_graph"}  # a search tells every tenth of a second


def with_progress() -> dict[str, object]:
    """Every public function with the parameter, and every ``fit``."""
    found = {}
    for room in map(import_module, (f"sepal.{name}" for name in ROOMS)):
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isclass(thing) and hasattr(thing, "fit"):
                name, thing = f"{name}.fit", thing.fit
            if inspect.isfunction(thing) and "progress" in inspect.signature(thing).parameters:
                found[name] = thing
    return found


FOUND = with_progress()


def test_nothing_is_called_by_hand_that_is_not_there():
    assert set(CALLS) <= set(FOUND)
    assert len(FOUND) == 39


@pytest.mark.parametrize("name", FOUND)
def test_the_callback_gets_words_and_a_growing_share(name):
    """Callbacks got a share, words and a share, or three numbers; ``subset_sweep`` began at zero again."""
    heard: list[tuple[str, float]] = []

    def listen(text, share):
        heard.append((text, share))

    call = CALLS.get(name) or (lambda **how: FOUND[name](TABLE, **how))
    call(progress=listen)
    assert all(isinstance(text, str) and text and 0.0 <= share <= 1.0 for text, share in heard)
    if name in CALLS and name not in SOON_DONE:
        assert heard


@pytest.mark.parametrize("name", FOUND)
def test_the_parameter_is_typed_and_described_alike(name):
    told = inspect.signature(FOUND[name]).parameters["progress"]
    assert told.default is None
    assert told.annotation in ("Progress | None", Progress | None)  # as it is written, or read already


def test_a_stage_tells_its_part_of_the_whole():
    heard = []
    tell = stage(lambda text, share: heard.append((text, share)), "second", 0.5, 0.75)
    tell(0.0)
    tell(1.0)
    assert heard == [("second", 0.5), ("second", 0.75)]
    assert stage(None, "nobody") is None
    assert stage(silent, "nobody")(1.0) is None
