"""Every public estimator with every container: equal rows give equal answers, and what cannot be read is named."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor

import sepal
from sepal.data import as_table
from sepal.estimators import TableEstimator
from sepal.exceptions import SepalError
from tests.estimators.every_estimator import EVERY, METHODS, found, frame_and_target, name_of

NAMES = [
    "AnyTable",
    "DANNClassifier",
    "FeatureVectorClassifier",
    "FeatureVectorRegressor",
    "FeatureVectorSelector",
    "FisherDiscriminant",
    "GeneralizedDiscriminant",
    "KNNClassifier",
    "KNNRegressor",
    "KernelAdatronClassifier",
    "MetricClusteringClassifier",
    "PaperChainClassifier",
    "ParzenClassifier",
    "PrototypeSelector",
    "SVMClassifier",
    "SepalClassifier",
    "SepalRegressor",
    "SeparabilitySelector",
    "WindowKNNClassifier",
]
ANSWERING = [each for each in EVERY if any(hasattr(each, method) for method in METHODS)]
CONTAINERS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pl.from_pandas(frame).to_arrow(),
    "Table": as_table,
}


def test_the_estimators_there_are() -> None:
    assert sorted(found()) == NAMES
    assert all(issubclass(each, TableEstimator) for each in found().values())


@cache
def model_of(name: str, container: str) -> Any:
    estimator = next(each for each in EVERY if name_of(each) == name)
    frame, y = frame_and_target(estimator)
    rows = frame.to_numpy() if container == "array" else CONTAINERS[container](frame)
    return clone(estimator).fit(rows, y)


def answers(model: Any, rows: Any) -> dict[str, np.ndarray]:
    said = {}
    for method in METHODS:
        if hasattr(model, method):
            given = getattr(model, method)(rows)
            said[method] = np.asarray(getattr(given, "values", given)) if method == "transform" else given
    return said


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for method, said in one.items():
        np.testing.assert_array_equal(np.asarray(said), np.asarray(other[method]), err_msg=method)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("estimator", ANSWERING, ids=name_of)
def test_containers_answer_alike_in_any_order_of_columns(estimator, container) -> None:
    """Rows were read in eight ways: columns in another order were refused by some and misread by three machines."""
    frame, _ = frame_and_target(estimator)
    array_model = model_of(name_of(estimator), "array")
    model = model_of(name_of(estimator), container)
    wanted = answers(array_model, frame.to_numpy())
    given = CONTAINERS[container]
    assert_same(answers(model, given(frame)), wanted)
    assert_same(answers(model, given(frame[["b", "c", "a"]])), wanted)
    other = CONTAINERS["polars" if container == "Table" else "Table"]
    assert_same(answers(model, other(frame[["a", "b", "c"]])), wanted)


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_a_prepared_table_is_read_as_its_rows_and_labels(estimator) -> None:
    """Regressors and ``score`` said that there is no target, though a prepared table has one."""
    frame, _ = frame_and_target(estimator)
    labels = np.arange(len(frame)) % 2  # classes for some, numbers for others
    model, wanted = clone(estimator).fit(sepal.prepare(frame, labels)), clone(estimator).fit(frame, labels)
    assert_same(answers(model, sepal.prepare(frame[["b", "c", "a"]], labels)), answers(wanted, frame))
    if hasattr(model, "score"):
        assert model.score(sepal.prepare(frame, labels)) == wanted.score(frame, labels)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("estimator", ANSWERING, ids=name_of)
def test_columns_that_are_missing_unknown_or_renamed_are_named(estimator, container) -> None:
    frame, _ = frame_and_target(estimator)
    model, given = model_of(name_of(estimator), "Table"), CONTAINERS[container]
    ask = getattr(model, next(method for method in METHODS if hasattr(model, method)))
    for rows, text in (
        (frame[["c", "b"]], "now missing:\n- a\n"),
        (frame.assign(extra=1.0), "unseen at fit time:\n- extra\n"),
        (frame.rename(columns={"b": "bee"}), "unseen at fit time:\n- bee\n.*now missing:\n- b\n"),
    ):
        with pytest.raises(SepalError, match=text):
            ask(given(rows))


@pytest.mark.parametrize("container", ["pandas", "pyarrow"])  # polars and a Table hold no name twice
@pytest.mark.parametrize("estimator", ANSWERING, ids=name_of)
def test_a_column_that_is_there_twice_is_named(estimator, container) -> None:
    """The error was another library's."""
    frame, _ = frame_and_target(estimator)
    model = model_of(name_of(estimator), container)
    twice = pd.concat([frame, frame[["a"]]], axis=1)
    rows = twice if container == "pandas" else pa.table([*map(pa.array, twice.to_numpy().T)], names=list(twice.columns))
    with pytest.raises(SepalError, match='columns 2 and 4 have the same name "a"'):
        getattr(model, next(method for method in METHODS if hasattr(model, method)))(rows)


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_masked_cells_are_missing_ones(estimator) -> None:
    """Machines for numbers looked behind the mask, without a word."""
    frame, y = frame_and_target(estimator)
    rows, mask = frame.to_numpy(), np.eye(len(frame), 3, dtype=bool)
    masked, holes = np.ma.masked_array(rows, mask), np.where(mask, np.nan, rows)
    model = model_of(name_of(estimator), "array")
    assert_same(answers(model, np.ma.masked_array(rows)), answers(model, rows))
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        assert_same(answers(clone(estimator).fit(masked, y), masked), answers(clone(estimator).fit(holes, y), holes))
    else:
        with pytest.raises(SepalError, match="NaN"):
            clone(estimator).fit(masked, y)
        with pytest.raises(SepalError, match="NaN"):
            answers(model, masked)
    if name_of(estimator) != "FeatureVectorSelector":  # which asks for no target
        with pytest.raises(SepalError, match=r"NaN|unknown"):
            clone(estimator).fit(rows, np.ma.masked_array(y, mask[:, 0]))


# Of old, polars warns when scikit-learn looks at the types of its columns.
@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_what_is_no_table_in_memory_is_refused_in_the_same_words(estimator) -> None:
    """Machines for numbers said "setting an array element with a sequence"."""
    frame, y = frame_and_target(estimator)
    for rows, text in ((pl.from_pandas(frame).lazy(), "found a LazyFrame"), ({"a": [1.0]}, "found dict")):
        with pytest.raises(SepalError, match=text):
            clone(estimator).fit(rows, y)


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_a_matrix_of_numpy_is_an_array(estimator) -> None:
    """Some took it, others did not."""
    frame, y = frame_and_target(estimator)
    given = frame.to_numpy().view(np.matrix)
    assert_same(
        answers(clone(estimator).fit(given, y), given), answers(model_of(name_of(estimator), "array"), frame.to_numpy())
    )


@pytest.mark.parametrize("estimator", [each for each in EVERY if "class_weight" in each.get_params()], ids=name_of)
def test_the_weight_of_a_class_that_is_not_there(estimator) -> None:
    """A name that was written wrongly changed nothing, without a word; only nearest neighbours refused it."""
    frame, y = frame_and_target(estimator)
    with pytest.raises(SepalError, match="class_weight: there is no class 'yess'"):
        clone(estimator).set_params(class_weight={"yess": 2.0}).fit(frame, y)
    for wrong in ("many", -1.0, float("nan")):
        with pytest.raises(SepalError, match="class_weight must hold finite numbers"):
            clone(estimator).set_params(class_weight={"yes": wrong}).fit(frame, y)
    rare = {"no": 1.0, "yes": 2.0, "rare": 3.0}  # a fold without a rare class
    full, some = (clone(estimator).set_params(class_weight=each) for each in (rare, {"no": 1.0, "yes": 2.0}))
    assert_same(answers(full.fit(frame, y), frame), answers(some.fit(frame, y), frame))


@pytest.mark.parametrize("estimator", [each for each in EVERY if "priors" in each.get_params()], ids=name_of)
def test_priors_that_are_no_numbers_are_refused_by_name(estimator) -> None:
    """The error was numpy's."""
    frame, y = frame_and_target(estimator)
    for wrong in (["a", "b"], [0.5], [[0.5, 0.5]], [0.5, float("nan")]):
        with pytest.raises(SepalError, match=r"^priors must be a list of 2, each a finite number"):
            clone(estimator).set_params(priors=wrong).fit(frame, y)


READING = [each for each in ANSWERING if name_of(each) != "SeparabilitySelector"]  # which hands its columns on


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("estimator", READING, ids=name_of)
def test_a_column_that_holds_texts_now_is_named(estimator, container) -> None:
    frame, _ = frame_and_target(estimator)
    model = model_of(name_of(estimator), container)
    changed = CONTAINERS[container](frame.assign(b="text"))
    with pytest.raises(SepalError, match=r"column \S*b\b"):
        getattr(model, next(method for method in METHODS if hasattr(model, method)))(changed)


TAKE_LEVELS = {
    *("AnyTable", "KNNClassifier", "KNNRegressor", "PaperChainClassifier", "PrototypeSelector", "SepalClassifier"),
    *("SepalRegressor", "SeparabilitySelector", "WindowKNNClassifier"),
}
TAKE_SPARSE = {
    *("KNNClassifier", "KNNRegressor", "KernelAdatronClassifier", "PaperChainClassifier", "PrototypeSelector"),
    *("SVMClassifier", "SepalClassifier", "SepalRegressor"),
}


def these(names: set[str], *, among: list[Any] = EVERY, others: bool = False) -> Any:
    """The estimators of these names, or the others, one test for each."""
    chosen = [each for each in among if (name_of(each) in names) is not others]
    return pytest.mark.parametrize("estimator", chosen, ids=name_of)


def test_tags_say_what_is_taken() -> None:
    tags = {name_of(each): each.__sklearn_tags__().input_tags for each in EVERY}
    assert {name for name, each in tags.items() if each.string} == TAKE_LEVELS
    assert {name for name, each in tags.items() if each.sparse} == TAKE_SPARSE


def with_levels(estimator: Any) -> tuple[pd.DataFrame, np.ndarray]:
    frame, y = frame_and_target(estimator)
    return frame.assign(b=np.where(np.arange(len(frame)) % 3 == 0, "one", "two")), y


@these(TAKE_LEVELS, others=True)
def test_levels_that_are_not_taken_are_named(estimator) -> None:
    frame, y = with_levels(estimator)
    for given in CONTAINERS.values():
        with pytest.raises(SepalError, match='column "b" is nominal'):
            clone(estimator).fit(given(frame), y)


@these(TAKE_LEVELS, among=ANSWERING)
def test_levels_are_compared_by_name_and_an_unseen_one_gets_an_answer(estimator) -> None:
    frame, y = with_levels(estimator)
    model = clone(estimator).fit(frame, y)
    one, other = answers(model, frame), answers(model, as_table(frame).select(["a", "c", "b"]))
    assert_same(
        {m: a for m, a in one.items() if m != "transform"}, {m: a for m, a in other.items() if m != "transform"}
    )
    said = answers(model, frame.assign(b="three"))
    assert all(len(each) == len(frame) for each in said.values())


@these(TAKE_SPARSE, others=True)
def test_sparse_rows_that_are_not_taken_are_refused(estimator) -> None:
    frame, y = frame_and_target(estimator)
    with pytest.raises(SepalError, match=r"[Ss]parse"):
        clone(estimator).fit(csr_array(np.abs(frame.to_numpy())), y)


@these(TAKE_SPARSE, among=ANSWERING)
def test_sparse_rows_are_answered_as_the_same_rows_written_out(estimator) -> None:
    frame, y = frame_and_target(estimator)
    rows = csr_array(np.abs(frame.to_numpy()))
    model = clone(estimator).fit(rows, y)
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows.toarray()))


def test_rows_to_keep_are_the_same_of_sparse_rows() -> None:
    (selector,) = (each for each in EVERY if name_of(each) == "PrototypeSelector")
    frame, y = frame_and_target(selector)
    rows = np.abs(frame.to_numpy())
    plain = clone(selector).set_params(distance="euclidean", scale=None)  # for sparse rows "auto" is the cosine
    kept = [clone(plain).fit(given, y).sample_indices_ for given in (csr_array(rows), rows)]
    np.testing.assert_array_equal(*kept)


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_read_only_rows_are_read_and_left_alone(estimator) -> None:
    frame, y = frame_and_target(estimator)
    rows, labels = frame.to_numpy().copy(), y.copy()
    for array in (rows, labels):
        array.flags.writeable = False
    model = clone(estimator).fit(rows, labels)
    assert_same(answers(model, rows), answers(model_of(name_of(estimator), "array"), frame.to_numpy()))
    np.testing.assert_array_equal(rows, frame.to_numpy())


WEIGHING = [each for each in ANSWERING if "sample_weight" in inspect.signature(each.fit).parameters]
WITHOUT_WEIGHTS = [
    "AnyTable",
    "PaperChainClassifier",
    "PrototypeSelector",
    "SeparabilitySelector",
    "WindowKNNClassifier",
]
WITH_TREES = {"SepalClassifier", "SepalRegressor"}  # trees draw other rows from copies; see tests/auto/test_weights.py


def test_the_estimators_that_take_weights() -> None:
    assert [name_of(each) for each in EVERY if each not in WEIGHING] == WITHOUT_WEIGHTS


@pytest.mark.parametrize("estimator", WEIGHING, ids=name_of)
def test_weights_are_checked_and_of_one_change_nothing(estimator) -> None:
    frame, y = frame_and_target(estimator)
    one = clone(estimator).fit(frame, y, sample_weight=np.ones(len(frame)))
    assert_same(answers(one, frame), answers(model_of(name_of(estimator), "pandas"), frame))
    for wrong in (np.ones(len(frame) - 1), np.full(len(frame), np.nan), ["a"] * len(frame)):
        with pytest.raises(SepalError, match="sample_weight"):
            clone(estimator).fit(frame, y, sample_weight=wrong)


@pytest.mark.parametrize("estimator", [each for each in WEIGHING if name_of(each) not in WITH_TREES], ids=name_of)
def test_a_weight_is_so_many_copies(estimator) -> None:
    frame, y = frame_and_target(estimator)
    weight = np.arange(len(frame)) % 3 + 1
    weighed = clone(estimator).fit(frame, y, sample_weight=weight)
    copied = clone(estimator).fit(frame.loc[np.repeat(frame.index, weight)], np.repeat(y, weight))
    one, other = answers(weighed, frame), answers(copied, frame)
    for method, said in one.items():
        if said.dtype.kind == "f":
            np.testing.assert_allclose(said, other[method], rtol=1e-6, atol=1e-9, err_msg=method)
        else:
            np.testing.assert_array_equal(said, other[method])


def test_a_stream_goes_by_name() -> None:
    from sepal.learners import WindowKNNClassifier

    frame, y = frame_and_target(WindowKNNClassifier())
    straight, turned = WindowKNNClassifier(), WindowKNNClassifier()
    for part in (slice(0, 12), slice(12, 24)):
        straight.partial_fit(frame[part], y[part])
        turned.partial_fit(frame[part] if part.start == 0 else as_table(frame[part]).select(["a", "b", "c"]), y[part])
    np.testing.assert_array_equal(straight.predict_proba(frame), turned.predict_proba(frame))
    with pytest.raises(SepalError, match="now missing:\n- a\n"):
        straight.partial_fit(frame[["b", "c"]], y)


@pytest.mark.parametrize("name", ["SeparabilitySelector", "FeatureVectorRegressor", "KNNRegressor", "SVMClassifier"])
def test_a_table_brings_its_own_target(name) -> None:
    """The first wanted a y all the same, the second looked at None."""
    estimator = next(each for each in EVERY if name_of(each) == name)
    frame, y = frame_and_target(estimator)
    model = clone(estimator).fit(as_table(frame, y))
    assert_same(answers(model, as_table(frame)), answers(model_of(name, "Table"), as_table(frame)))


SCORING = [each for each in EVERY if hasattr(each, "score")]


def test_the_estimators_that_score() -> None:
    assert [name_of(each) for each in EVERY if not hasattr(each, "score")] == [
        "FeatureVectorSelector",
        "PrototypeSelector",
        "SeparabilitySelector",
    ]


@pytest.mark.parametrize("estimator", SCORING, ids=name_of)
def test_the_score_of_a_table_is_by_its_own_target(estimator) -> None:
    """``score(table)`` wanted a y although the Table has one."""
    frame, y = frame_and_target(estimator)
    model = model_of(name_of(estimator), "Table")
    turned = y[::-1]  # some answers are wrong, so that a score of 1 for anything shows
    answer = model.predict(frame)
    wanted = (
        1 - ((answer - turned) ** 2).sum() / ((turned - turned.mean()) ** 2).sum()
        if is_regressor(estimator)
        else np.mean(answer == turned)
    )
    assert wanted < 1
    assert model.score(as_table(frame, turned)) == pytest.approx(wanted)
    assert model.score(as_table(frame, y), turned) == pytest.approx(wanted)  # a y that is given counts
    for rows in (frame, as_table(frame)):
        with pytest.raises(SepalError, match="score: there is no target"):
            model.score(rows)


def test_frames_keep_their_container_through_a_selector() -> None:
    model = model_of("SeparabilitySelector", "pandas")
    frame, _ = frame_and_target(model)
    assert isinstance(model.transform(as_table(frame)), type(as_table(frame)))
    assert isinstance(
        clone(model).set_output(transform="pandas").fit(*frame_and_target(model)).transform(frame), pd.DataFrame
    )


@pytest.mark.parametrize("container", CONTAINERS)
def test_what_a_selector_left_out_comes_back_as_zeros(container) -> None:
    """``inverse_transform`` did not take the Table that ``transform`` gave."""
    model = model_of("SeparabilitySelector", container)
    frame, _ = frame_and_target(model)
    rows = frame.to_numpy().copy()
    rows[:, ~model.support_] = 0.0
    np.testing.assert_array_equal(model.inverse_transform(model.transform(CONTAINERS[container](frame))), rows)
