"""One vocabulary: a parameter of one meaning has one name and one default in every public function and estimator."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from tests.test_exports import SURFACE

# What is said in its place: estimators and functions take n_neighbors, results may hold a k.
OLD_NAMES = {"k": "n_neighbors", "n_folds": "cv", "folds": "cv", "metric": "distance", "time_budget": "time_limit"}
BY_DEFINITION = {"complexity": "gower", "MetricClusteringClassifier": "euclidean"}


def signatures():
    """(name, signature) of every public function, constructor of an estimator, and public method."""
    for module in SURFACE:
        for name in SURFACE[module]:
            thing = getattr(import_module(module), name)
            if inspect.isfunction(thing):
                yield name, inspect.signature(thing)
            elif inspect.isclass(thing):
                if hasattr(thing, "fit"):
                    yield name, inspect.signature(thing)
                for method, each in vars(thing).items():
                    if inspect.isfunction(each) and not method.startswith("_"):
                        yield f"{name}.{method}", inspect.signature(each)


FOUND = [(name, each) for name, signature in signatures() for each in signature.parameters.values()]


def test_there_is_much_to_look_at():
    assert len({name for name, _ in FOUND}) > 250


@pytest.mark.parametrize("old", list(OLD_NAMES))
def test_old_names_are_gone(old):
    assert {name for name, each in FOUND if each.name == old} == set()


def test_nothing_is_left_to_chance_by_default():
    """``random_state`` was None, 0 or 1 by default, so that some answers changed at every call."""
    found = {name: each.default for name, each in FOUND if each.name == "random_state"}
    assert len(found) > 30
    assert set(found.values()) == {0}


def test_rows_of_any_kind_are_compared_by_auto():
    """Some functions began with Euclid's distance, and names or missing cells were an error there."""
    found = {name: each.default for name, each in FOUND if each.name == "distance"}
    others = {name: default for name, default in found.items() if default != "auto"}
    assert others == BY_DEFINITION


def test_progress_and_groups_are_optional_everywhere():
    assert {each.default for _, each in FOUND if each.name in ("progress", "groups", "n_jobs")} == {None}
