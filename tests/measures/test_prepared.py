"""One prepared table in place of X: the same answers to the last bit, and every search once."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal import evaluation, measures, prototypes, selection
from sepal.exceptions import ParameterError
from sepal.measures import _prepared
from sepal.neighbors import Search
from sepal.report import measure_facts, plain


def tied_rows(seed: int = 0, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers in a small box: ties and copies everywhere."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, 3)).astype(float)
    return X, rng.integers(0, 3, n)


QUESTIONS = {
    "thornton_samples": measures.thornton_samples,
    "thornton_score": measures.thornton_score,
    "thornton_test": measures.thornton_test,
    "expected_accuracy": lambda X, y=None: measures.expected_accuracy(X, y, [0.2, 0.5], return_std=True),
    "expected_accuracy, stratified": lambda X, y=None: measures.expected_accuracy(X, y, 0.5, stratified=True),
    "expected_accuracy_curve": measures.expected_accuracy_curve,
    "hypothesis_margin": measures.hypothesis_margin,
    "suspects": measures.suspects,
    "overlap_regions": measures.overlap_regions,
    "angle_of_separability": measures.angle_of_separability,
    "complexity": measures.complexity,
    "informative_projections": measures.informative_projections,
    "alignment_curve": measures.alignment_curve,
    "alignment_score": measures.alignment_score,
    "leave_one_out_curve": lambda X, y=None: evaluation.leave_one_out_curve(X, y, k_max=7),
    "condense_curve": lambda X, y=None: prototypes.condense_curve(X, y, methods=["hart", "enn"], cv=3),
    "subset_sweep": lambda X, y=None: selection.subset_sweep(X, y).scores,
    "search_subsets": lambda X, y=None: selection.search_subsets(X, y, strategy="forward").scores,
    "rank_features": selection.rank_features,
    "measure_facts": measure_facts,
    **{name: method for name, method in prototypes.METHODS.items() if name != "ib3"},
}


TWO_CLASSES = ("alignment_curve", "alignment_score")


def rows_for(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = tied_rows()
    return X, np.minimum(y, 1) if name in TWO_CLASSES else y


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_prepared_table_answers_as_the_rows_do(name: str) -> None:
    ask, (X, y) = QUESTIONS[name], rows_for(name)
    ready = sepal.prepare(X, y)
    first, again, rows = ask(ready), ask(ready), ask(X, y)
    assert plain(first) == plain(rows)
    assert plain(again) == plain(rows)


@pytest.mark.parametrize("name", ["thornton_test", "suspects", "subset_sweep", "hart", "condense_curve"])
def test_its_settings_are_used(name: str) -> None:
    """Scaling decides about neighbours here: the second column is a hundred times as wide."""
    ask, (X, y) = QUESTIONS[name], rows_for(name)
    X = X * [1.0, 100.0, 1.0] + np.random.default_rng(1).normal(size=X.shape)
    found = plain(ask(sepal.prepare(X, y, scale=None)))
    wanted = {
        "thornton_test": lambda: measures.thornton_test(X, y, scale=None),
        "suspects": lambda: measures.suspects(X, y, scale=None),
        "subset_sweep": lambda: selection.subset_sweep(X, y, scale=None).scores,
        "hart": lambda: prototypes.hart(X, y, scale=None),
        "condense_curve": lambda: prototypes.condense_curve(X, y, methods=["hart", "enn"], cv=3, scale=None),
    }[name]()
    assert found == plain(wanted)
    assert found != plain(ask(X, y))


def test_mixed_rows_with_missing_cells_and_a_sample_that_asks() -> None:
    table = sepal.datasets.load("hepatitis")
    dropped = sepal.prepare(table, missing="drop")
    assert plain(measures.suspects(dropped)) == plain(measures.suspects(table, missing="drop"))
    some = sepal.prepare(table, n_queries=50, random_state=3)
    assert plain(measures.thornton_test(some)) == plain(measures.thornton_test(table, n_queries=50, random_state=3))
    assert plain(measures.suspects(some)) == plain(measures.suspects(table, n_queries=50, random_state=3))
    assert len(some.asking) == 50


@pytest.mark.parametrize("setting", [{"distance": "manhattan"}, {"scale": None}, {"missing": "drop"}, {"n_jobs": 1}])
def test_settings_beside_a_prepared_table_are_refused(setting: dict[str, object]) -> None:
    ready = sepal.prepare(*tied_rows())
    with pytest.raises(ParameterError, match="was settled when the rows were prepared"):
        measures.thornton_test(ready, **setting)
    with pytest.raises(ParameterError, match="y was settled"):
        measures.thornton_score(ready, tied_rows()[1])


@pytest.mark.parametrize("seed", range(40))
def test_a_deep_ranking_cut_short_is_the_ranking_of_a_shallow_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, values = int(rng.integers(2, 40)), int(rng.integers(1, 9))
    table = sepal.data.as_table(rng.integers(0, values, size=(n, int(rng.integers(1, 4)))) * 0.1)
    search = Search.prepare(table, distance="euclidean")
    rows = np.sort(rng.choice(n, size=max(1, n // 2), replace=False))
    for asked in (None, rows):
        deep = search.distinct_ranking(n - 1, rows=asked)
        for k in range(1, n - 1):
            wanted, found = search.distinct_ranking(k, rows=asked), deep.first(k)
            np.testing.assert_array_equal(found.start, wanted.start)
            np.testing.assert_array_equal(found.entries.number, wanted.entries.number)
            np.testing.assert_array_equal(found.distances, wanted.distances)


def test_the_report_searches_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It used to search four times: for Thornton's index, the curve, suspects and overlaps."""
    searches = []
    keep = _prepared.KeptRankings.keep
    monkeypatch.setattr(
        _prepared.KeptRankings, "keep", lambda self, *found: (searches.append(self), keep(self, *found))
    )
    sepal.separability(sepal.datasets.load("sonar"))
    assert len(searches) == 1


def test_suspects_read_what_was_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a suspect is among the neighbours of its neighbours was searched for again, past what was kept."""
    rng = np.random.default_rng(0)
    ready = sepal.prepare(rng.normal(size=(80, 3)), rng.integers(0, 2, 80))
    ready.ranking(7)
    searched = []
    found = Search.distinct_ranking
    monkeypatch.setattr(
        Search, "distinct_ranking", lambda self, *how, **more: (searched.append(self), found(self, *how, **more))[1]
    )
    assert measures.suspects(ready).rows
    assert not [each for each in searched if each is ready.search]


def test_kept_rankings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ready = sepal.prepare(rng.normal(size=(50, 2)), rng.integers(0, 2, 50))
    monkeypatch.setattr(_prepared, "KEPT_BYTES", ready.search.distinct_ranking(3).nbytes)
    for k in (1, 3, 2, 40, 1):
        ready.ranking(k)
    assert ready.kept.searches == 3  # 1, 3 and 40, which is too large to keep; 2 and 1 come from 3
    ready.ranking(2, np.arange(5))
    assert ready.kept.searches == 3
