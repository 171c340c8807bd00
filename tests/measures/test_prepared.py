"""One prepared table in place of X: the same answers to the last bit, and every search once."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import sepal
from sepal import evaluation, measures, neighbors, prototypes, selection
from sepal.exceptions import DataError, ParameterError
from sepal.measures import _prepared
from sepal.neighbors import Search
from sepal.report import measure_facts, plain
from sepal.selection import _in_time
from sepal.selection._choose import Procedure


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
    "nested_score": lambda X, y=None, **how: selection.nested_score(X, y, cv=3, **how),
    "selection_test": lambda X, y=None, **how: selection.selection_test(X, y, n_permutations=5, **how),
    "stability": lambda X, y=None, **how: selection.stability(X, y, n_samples=25, **how),
    "select_facts": lambda X, y=None, **how: replace(selection.select_facts(X, y, cv=3, **how), result=None, seconds=0),
    "select_facts in time": lambda X, y=None, **how: replace(
        selection.select_facts(X, y, cv=3, time_limit=500.0, **how), result=None, seconds=0
    ),
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


@pytest.mark.parametrize(
    "name", ["nested_score", "selection_test", "stability", "select_facts", "select_facts in time"]
)
@pytest.mark.parametrize("scale", [None, "standard"])
def test_parts_of_the_rows_are_scaled_as_was_prepared(name: str, scale: str | None) -> None:
    """What selects again from folds, halves or shuffled labels scaled these by ``minmax``, without a word."""
    ask, (X, y) = QUESTIONS[name], rows_for(name)
    X = X * [1.0, 100.0, 1.0] + np.random.default_rng(1).normal(size=X.shape)
    found = plain(ask(sepal.prepare(X, y, scale=scale)))
    assert found == plain(ask(X, y, scale=scale))
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


def rows_with_holes() -> sepal.Table:
    """120 rows of two classes; a cell is missing in four of them."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=120) > 0).astype(int)
    X[[3, 40, 77, 90], [0, 1, 2, 3]] = np.nan
    return sepal.data.as_table(X, y)


DROPPING = {
    "thornton_test": measures.thornton_test,
    "expected_accuracy_curve": measures.expected_accuracy_curve,
    "hypothesis_margin": measures.hypothesis_margin,
    "suspects": measures.suspects,
    "overlap_regions": measures.overlap_regions,
    "angle_of_separability": measures.angle_of_separability,
    "alignment_curve": measures.alignment_curve,
    "align_feature_weights": lambda X, **how: measures.align_feature_weights(X, max_iter=5, **how),
    "subset_sweep": lambda X, **how: (lambda found: [found.scores, found.notes])(selection.subset_sweep(X, **how)),
    "search_subsets": lambda X, **how: (lambda found: [found.scores, found.notes])(
        selection.search_subsets(X, strategy="forward", **how)
    ),
    "condense_curve": lambda X, **how: prototypes.condense_curve(X, methods=["hart", "enn"], cv=3, **how),
    "measure_facts": measure_facts,
    "separability": lambda X, **how: sepal.separability(X, **how).to_dict(),
    "hart": prototypes.hart,
    "enn": prototypes.enn,
}


@pytest.mark.parametrize("name", DROPPING)
def test_rows_that_were_dropped_are_told_of_alike(name: str) -> None:
    """A report of a prepared table knew nothing of the rows it had lost, and four functions kept silent about them."""
    ask, table = DROPPING[name], rows_with_holes()
    found, wanted = plain(ask(sepal.prepare(table, missing="drop"))), plain(ask(table, missing="drop"))
    for each in (found, wanted):
        if isinstance(each, dict):
            each.pop("seconds", None)
    assert found == wanted


@pytest.mark.parametrize("name", ["subset_sweep", "search_subsets", "alignment_curve", "angle_of_separability"])
def test_the_note_of_dropped_rows_is_there(name: str) -> None:
    """These four kept silent about rows that were dropped when the table was prepared."""
    assert "4 of 120 rows with missing cells were dropped" in str(
        plain(DROPPING[name](sepal.prepare(rows_with_holes(), missing="drop")))
    )


def test_the_facts_tell_what_was_asked_for() -> None:
    table = rows_with_holes()
    facts = measure_facts(sepal.prepare(table, distance="manhattan", scale="standard", missing="drop"))
    settings = facts.settings
    assert (settings.missing, settings.n_dropped, facts.table.n_rows, settings.n_rows) == ("drop", 4, 120, 116)
    assert (settings.asked_distance, settings.distance, settings.scale) == ("manhattan", "manhattan", "standard")


def test_groups_go_by_the_rows_that_were_given() -> None:
    table = rows_with_holes()
    ready, groups = sepal.prepare(table, missing="drop"), np.arange(120) // 12
    wanted = measures.thornton_score(table, missing="drop", groups=groups)
    assert wanted != measures.thornton_score(ready)
    assert measures.thornton_score(ready, groups=groups) == wanted
    assert measures.thornton_score(ready, groups=groups[ready.rows]) == wanted
    swept = selection.subset_sweep(table, missing="drop", groups=groups).scores
    np.testing.assert_array_equal(selection.subset_sweep(ready, groups=groups).scores, swept)
    np.testing.assert_array_equal(selection.subset_sweep(ready, groups=groups[ready.rows]).scores, swept)
    with pytest.raises(DataError, match="one label for each of 120 rows"):
        measures.thornton_score(ready, groups=groups[:50])
    with pytest.raises(DataError, match="one label for each of 120 rows"):
        measures.thornton_score(table, missing="drop", groups=groups[ready.rows])


def test_groups_of_a_sample_are_those_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time limit took groups of all rows by the places of the rows that take part."""
    monkeypatch.setattr(_in_time, "_FEWEST_ROWS", 40)
    table, groups = rows_with_holes(), np.arange(120) // 3
    ready, how = sepal.prepare(table, missing="drop"), Procedure()
    some, of_them, note = _in_time.rows_for_the_time(
        ready, None, how.prepare(ready, groups=groups), groups, how, 1e-9, random_state=0
    )
    assert (some.n_rows, note) == (40, "the time limit allows 40 of 116 rows: a random sample of them was searched")
    place = {row.tobytes(): at for at, row in enumerate(table.values)}
    assert of_them.tolist() == [groups[place[row.tobytes()]] for row in some.values]
    told = selection.select_facts(ready, groups=groups, cv=3, time_limit=500.0)
    assert plain(told.nested) == plain(selection.nested_score(table, missing="drop", groups=groups, cv=3))


def test_rows_are_numbered_as_they_were_given_where_texts_are_written_out() -> None:
    cells = [["rain falls", 1.0], ["sun shines", np.nan], ["rain again", 2.0], ["sun and wind", 3.0], ["sun", 5.0]]
    table = sepal.data.as_table(cells, ["a", "b", "a", "b", "b"], kinds=["text", "numeric"])
    found, wanted = prototypes.hart(sepal.prepare(table, missing="drop")), prototypes.hart(table, missing="drop")
    assert plain(found) == plain(wanted)
    assert 1 not in found.rows
    assert max(found.rows) > 1


NEIGHBORS = {
    "neighbor_ranking": lambda X, **how: neighbors.neighbor_ranking(X, 2, **how),
    "radius_ranking": lambda X, **how: neighbors.radius_ranking(X, 1.0, **how),
    "kneighbors_graph": lambda X, **how: neighbors.kneighbors_graph(X, 2, mode="distance", **how).toarray(),
    "kneighbors_graph, itself": lambda X, **how: neighbors.kneighbors_graph(
        X, 2, mode="distance", include_self=True, **how
    ).toarray(),
    "radius_neighbors_graph": lambda X, **how: neighbors.radius_neighbors_graph(
        X, 1.0, mode="distance", **how
    ).toarray(),
}


@pytest.mark.parametrize("name", NEIGHBORS)
def test_rankings_and_graphs_search_as_was_prepared(name: str) -> None:
    """They read the rows alone, and answered by Euclid's distance of unscaled columns without a word."""
    ask = NEIGHBORS[name]
    X = np.random.default_rng(2).normal(size=(40, 3)) * [1.0, 10.0, 100.0]
    y, how = np.arange(40) % 2, {"distance": "manhattan", "scale": "standard"}
    found = plain(ask(sepal.prepare(X, y, **how)))
    assert found == plain(ask(X, **how))
    assert found != plain(ask(X))


def test_a_ranking_of_other_queries_searches_as_was_prepared() -> None:
    """It read the rows alone, and answered by Euclid's distance of unscaled columns."""
    X, asked = np.random.default_rng(3).normal(size=(30, 2)) * [1.0, 50.0], [[0.0, 0.0], [1.0, 20.0]]
    ready = sepal.prepare(X, np.arange(30) % 2, scale="standard")
    found = neighbors.neighbor_ranking(ready, 3, queries=asked)
    assert plain(found) == plain(neighbors.neighbor_ranking(X, 3, queries=asked, scale="standard"))


SETTINGS = [
    {"distance": "manhattan"},
    {"distance": "precomputed"},
    {"distance_params": {"p": 3}},
    {"scale": "minmax"},
    {"method": "brute"},
    {"n_jobs": 1},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: "=".join(str(part) for part in next(iter(each.items()))))
@pytest.mark.parametrize("name", NEIGHBORS)
def test_rankings_take_no_settings_beside_a_prepared_table(name: str, setting: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(setting))} was settled when the rows were prepared"):
        NEIGHBORS[name](sepal.prepare(*tied_rows()), **setting)


def test_rankings_refuse_a_table_of_which_a_sample_asks() -> None:
    with pytest.raises(DataError, match="only 10 of 60 rows ask in this prepared table"):
        neighbors.neighbor_ranking(sepal.prepare(*tied_rows(), n_queries=10), 2)


@pytest.mark.parametrize("name", ["separability", "subset_sweep", "leave_one_out_curve", "condense_curve"])
def test_another_setting_than_the_prepared_one_is_refused(name: str) -> None:
    """A default cannot be told from nothing; whatever else is said beside a prepared table is refused."""
    ask = {
        "separability": sepal.separability,
        "subset_sweep": selection.subset_sweep,
        "leave_one_out_curve": evaluation.leave_one_out_curve,
        "condense_curve": prototypes.condense_curve,
    }[name]
    with pytest.raises(ParameterError, match="scale was settled"):
        ask(sepal.prepare(*tied_rows(), scale="standard"), scale=None)


def test_nobody_can_write_into_a_prepared_table() -> None:
    """Another class written into it changed what was asked next, though it is called frozen."""
    ready = sepal.prepare(*tied_rows())
    before = measures.thornton_score(ready)
    for again in (ready, pickle.loads(pickle.dumps(ready)), copy.deepcopy(ready)):  # noqa: S301 - our own bytes
        found = again.ranking(3)
        held = (again.codes, again.classes, again.rows, again.asking, again.search.points, again.given.values)
        for array in (*held, found.start, found.entries.number, found.distances):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[1]
        assert measures.thornton_score(again) == before
    with pytest.raises(FrozenInstanceError):
        ready.scale = None
