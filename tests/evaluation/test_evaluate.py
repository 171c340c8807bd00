from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, cohen_kappa_score, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sepal.datasets
from sepal.data import as_table
from sepal.evaluation import Evaluation, evaluate
from sepal.exceptions import DataError, ParameterError
from sepal.learners import KNNClassifier, KNNRegressor
from tests.oracles.weka_folds import weka_folds


def made_up(matrix, classes):
    """An evaluation with this confusion matrix and hard answers."""
    matrix = np.array(matrix)
    cells = [(i, j) for (i, j), count in np.ndenumerate(matrix) for _ in range(count)]
    actual, predicted = np.array(cells).T
    n, c = len(actual), len(matrix)
    return Evaluation(
        scheme="s", data="d", columns=("x", "class"), task="classification", test_mode="10-fold cross-validation",
        rows=np.arange(n), fold=np.zeros(n, dtype=int), actual=actual, predicted=predicted, share=None,
        prior=np.full((n, c), 1 / c), classes=np.array(classes), fold_sizes=np.array([[n, n]]),
    )  # fmt: skip


def test_the_block_weka_prints_for_diabetes():
    """IBk -K 3 on diabetes, as Weka 3.9.7 prints it; lines that need Weka's own probabilities are left out."""
    text = made_up([[410, 90], [120, 148]], ["tested_negative", "tested_positive"]).summary()
    blocks = """=== Stratified cross-validation ===
=== Summary ===

Correctly Classified Instances         558               72.6563 %
Incorrectly Classified Instances       210               27.3438 %
Kappa statistic                          0.3822
~
Total Number of Instances              768     |

=== Detailed Accuracy By Class ===

                 TP Rate  FP Rate  Precision  Recall   F-Measure  MCC      ROC Area  PRC Area  Class
                 0.820    0.448    0.774      0.820    0.796      0.384    ~
                 0.552    0.180    0.622      0.552    0.585      0.384    ~
Weighted Avg.    0.727    0.354    0.721      0.727    0.722      0.384    ~

=== Confusion Matrix ===

   a   b   <-- classified as
 410  90 |   a = tested_negative
 120 148 |   b = tested_positive
""".replace("768     |", "768     ")
    for part in blocks.split("~"):
        assert part in text


def test_undefined_precision_is_a_question_mark():
    text = made_up([[5, 0], [3, 0]], ["u", "v"]).summary()
    assert "0.000    0.000    ?          0.000    ?          ?" in text
    assert "no better than always answering the largest class" in text


def test_many_classes_get_two_letters():
    text = made_up(np.eye(28, dtype=int), [f"c{i:02d}" for i in range(28)]).summary()
    assert "  a  b  c" in text
    assert " | ab = c27" in text


def test_relative_errors_are_near_those_of_weka():
    """Weka, IBk -K 3 on diabetes: 0.3092, 0.4525, 68.03 %, 94.94 % (with moving ranges)."""
    table = sepal.datasets.load("diabetes")
    errors = evaluate(KNNClassifier(3, smoothing=1 / 691), table, cv=weka_folds(table.y.tolist())).errors
    assert errors["mae"] == pytest.approx(0.3092, abs=0.002)
    assert errors["rmse"] == pytest.approx(0.4525, abs=0.002)
    assert errors["rae"] == pytest.approx(0.6803, abs=0.005)
    assert errors["rrse"] == pytest.approx(0.9494, abs=0.005)


def test_numbers_equal_scikit_learn():
    table = sepal.datasets.load("heart")
    found = evaluate(KNNClassifier(7), table, cv=5)
    actual, predicted, share = found.actual, found.predicted, found.share
    assert found.kappa == pytest.approx(cohen_kappa_score(actual, predicted))
    assert found.by_class["MCC"][0] == pytest.approx(matthews_corrcoef(actual, predicted))
    for c in range(2):
        truth, rounded = actual == c, np.round(share[:, c], 9)
        assert found.by_class["ROC Area"][c] == pytest.approx(roc_auc_score(truth, rounded))
        assert found.by_class["PRC Area"][c] == pytest.approx(average_precision_score(truth, rounded))
    assert found.by_class["ROC Area"][0] == pytest.approx(found.by_class["ROC Area"][1])


def test_log_loss_is_scikit_learns_and_nothing_is_impossible():
    found = evaluate(KNNClassifier(15), sepal.datasets.load("diabetes"), cv=3)
    share = np.clip(found.share, 1e-6, None)
    assert found.log_loss == pytest.approx(-np.log(share[np.arange(found.n_rows), found.actual]).mean())
    sure = evaluate(KNNClassifier(1), sepal.datasets.load("liver"), cv=3)
    wrong = 1.0 - sure.accuracy
    assert sure.log_loss == pytest.approx(wrong * -np.log(1e-6), rel=1e-6)


def test_the_majority_on_the_same_folds():
    liver = sepal.datasets.load("liver")
    found = evaluate(KNNClassifier(3), liver, cv=5).majority
    guess = evaluate(DummyClassifier(strategy="most_frequent"), liver, cv=5)
    np.testing.assert_array_equal(found.predicted, guess.predicted)
    assert found.accuracy == found.majority_rate == 200 / 345
    numbers = evaluate(KNNRegressor(2), liver.values[:, :3], liver.values[:, 3], cv=5)
    for fold in range(5):
        others = liver.values[numbers.rows[numbers.fold != fold], 3]
        np.testing.assert_allclose(numbers.majority.predicted[numbers.fold == fold], others.mean())


def test_areas_do_not_see_rounding():
    found = made_up([[2, 1], [1, 2]], ["u", "v"])
    wobble = np.array([[0.3, 0.7], [0.1 + 0.2, 1 - (0.1 + 0.2)], [0.7, 0.3], [0.3, 0.7], [0.7, 0.3], [0.7, 0.3]])
    object.__setattr__(found, "share", wobble)
    assert found.by_class["ROC Area"][0] == pytest.approx(found.by_class["ROC Area"][1], abs=1e-12)


def test_rows_keep_their_positions_and_everything_is_fitted_inside_the_folds():
    table = sepal.datasets.load("sonar")
    folds = [np.arange(f, 208, 4) for f in range(4)]
    found = evaluate(KNNClassifier(3), table, cv=folds)
    assert found.rows.tolist() == list(range(208))
    for f, rows in enumerate(folds):
        model = KNNClassifier(3).fit(table.take(np.setdiff1d(np.arange(208), rows)))
        assert np.all(found.classes[found.predicted[rows]] == model.predict(table.take(rows)))
        assert np.all(found.fold[rows] == f)
    frame = found.frame()
    assert frame["row"].tolist() == list(range(208))
    assert frame["right"].sum() == found.n_right
    np.testing.assert_allclose(frame["p(M)"] + frame["p(R)"], 1.0)


def test_folds_are_stratified_and_repeatable():
    table = sepal.datasets.load("hepatitis")
    a, b = (evaluate(KNNClassifier(1), table, cv=10, random_state=1) for _ in range(2))
    assert np.array_equal(a.fold, b.fold)
    assert not np.array_equal(a.fold, evaluate(KNNClassifier(1), table, random_state=2).fold)
    per_fold = np.bincount(a.fold, weights=a.actual == 0)
    assert set(per_fold.tolist()) == {3.0, 4.0}


def test_groups_stay_together():
    table = sepal.datasets.load("athletes")
    groups = np.arange(20) // 2
    found = evaluate(KNNClassifier(1), table, cv=4, groups=groups)
    assert all(len(set(found.fold[groups == g])) == 1 for g in range(10))
    assert evaluate(KNNClassifier(1), table, cv=LeaveOneGroupOut(), groups=groups).fold_sizes.shape == (10, 2)


def test_estimators_of_others_get_arrays_or_frames():
    heart, sonar = sepal.datasets.load("heart"), sepal.datasets.load("sonar")
    assert evaluate(make_pipeline(StandardScaler(), LogisticRegression()), sonar, cv=5).accuracy > 0.6
    dummy = evaluate(DummyClassifier(), heart.drop_missing(), cv=5)
    assert dummy.accuracy == pytest.approx(dummy.majority_rate)
    assert dummy.kappa == 0.0


def test_a_class_missing_from_training_gets_no_share():
    found = evaluate(KNNClassifier(1), [[0.0], [1.0], [2.0], [9.0]], ["a", "a", "b", "c"], cv="loo")
    assert found.share[3].tolist() == [0.0, 1.0, 0.0]
    assert found.share.shape == (4, 3)


def test_regression_block():
    X = (10.0 * (np.arange(30) // 2) + np.arange(30) % 2)[:, None]  # pairs
    found = evaluate(KNNRegressor(1), X, X.ravel() * 2.5, cv="loo")
    assert np.all(np.abs(found.predicted - found.actual) == 2.5)
    assert "Mean absolute error                      2.5   \n" in found.summary()
    prior = np.abs(np.array([np.delete(X * 2.5, i).mean() for i in range(30)]) - X.ravel() * 2.5).mean()
    assert found.errors["rae"] == pytest.approx(2.5 / prior)
    assert "Correlation coefficient" in found.summary()
    assert "Confusion" not in found.summary()


def test_facts_are_plain():
    found = evaluate(KNNClassifier(1), sepal.datasets.load("athletes"), cv=4)
    facts = json.loads(json.dumps(found.to_dict()))
    assert facts["n_rows"] == 20
    assert facts["confusion"][0][0] + facts["confusion"][0][1] == 12
    assert isinstance(found.class_frame(), pd.DataFrame)
    assert "<pre>" in found._repr_html_()


@pytest.mark.parametrize(
    ("cv", "text"),
    [(1, "at least 2"), ("ten", "cv must be"), ([[0], [0]], "two folds"), ([[99]], "row 99")],
)
def test_wrong_folds_are_refused(cv, text):
    with pytest.raises(ParameterError, match=text):
        evaluate(KNNClassifier(1), sepal.datasets.load("athletes"), cv=cv)


def test_no_target_is_refused():
    with pytest.raises(DataError, match="no target"):
        evaluate(KNNClassifier(1), np.zeros((4, 1)))


def test_plots_draw():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    found = evaluate(KNNClassifier(1), sepal.datasets.load("athletes"), cv=4)
    assert [text.get_text() for text in found.plot().texts] == [str(v) for v in found.confusion.ravel()]
    plt.close("all")


def test_progress_is_told_after_each_fold() -> None:
    told: list[tuple[str, float]] = []
    table = sepal.datasets.load("athletes")
    evaluate(KNNClassifier(1), table, cv=4, progress=lambda text, share: told.append((text, share)))
    assert told == [(f"fold {fold} of 4", fold / 4) for fold in (1, 2, 3, 4)]


def test_sparse_rows_stay_sparse_and_give_the_answers_of_cosine_on_dense_ones():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b"], size=60)
    X = rng.poisson(0.4, size=(60, 30)) + (np.arange(30) < 4) * (y == "b")[:, None]
    folds = [np.arange(i, 60, 5) for i in range(5)]
    found = evaluate(KNNClassifier(3), csr_matrix(X), y, cv=folds)
    dense = evaluate(KNeighborsClassifier(3, metric="cosine"), X, y, cv=folds)
    np.testing.assert_array_equal(found.actual, dense.actual)
    shares = expected_shares(X, y, folds, 3)
    np.testing.assert_allclose(found.share, shares, atol=1e-9)
    theirs = evaluate(KNeighborsClassifier(3, metric="cosine", algorithm="brute"), csr_matrix(X), y, cv=folds)
    np.testing.assert_array_equal(theirs.predicted, dense.predicted)


def expected_shares(X, y, folds, k):
    """Cosine k-NN by loops; rows tied at the last place share it."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    classes, shares = sorted(set(y)), np.zeros((len(y), 2))
    for rows in folds:
        others = np.setdiff1d(np.arange(len(y)), rows)
        for i in rows:
            distance = 1 - unit[others] @ unit[i]
            last = np.sort(distance)[k - 1]
            nearer, tied = distance < last - 1e-9, abs(distance - last) <= 1e-9
            vote = nearer + tied * (k - nearer.sum()) / tied.sum()
            shares[i] = [vote[y[others] == c].sum() / k for c in classes]
    return shares


def test_sets_are_evaluated_by_tanimoto():
    sets = [{"a", "b"}, {"a", "b", "c"}, {"x", "y"}, {"x", "y", "z"}, {"a", "c"}, {"y", "z"}]
    assert evaluate(KNNClassifier(1), sets, list("aabbab"), cv="loo").n_right == 6


@pytest.mark.parametrize("cv", [5, "loo"])
def test_copies_of_repeated_records_stay_in_one_fold(cv):
    """A copy in the training part answered for the row that was held out."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)).repeat(2, axis=0), rng.integers(0, 2, size=40).repeat(2)
    found = evaluate(KNNClassifier(1), X, y, cv=cv)
    assert all(len(set(found.fold[found.rows // 2 == g])) == 1 for g in range(40))
    assert found.test_mode.endswith(", copies kept together")
    assert found.n_right < 60
    assert evaluate(KNNClassifier(1), X, y, cv="loo", groups="rows").n_right == 80


def test_the_interval_counts_groups_once_and_folds_that_answer_each_other():
    """Rows of different folds were taken for independent, and the variance was 1.4 times too small."""
    # One test set, 8 of 10 right: Wilson's interval is 0.490 to 0.943 (Brown, Cai and DasGupta 2001).
    one_set = made_up([[4, 1], [1, 4]], ["a", "b"])
    assert one_set.interval() == pytest.approx((0.4902, 0.9433), abs=1e-4)
    twice = replace(
        made_up([[8, 2], [2, 8]], ["a", "b"]), groups=np.repeat(np.arange(10), 2)
    )  # cells come in runs of two: each group has one answer
    assert twice.interval() == pytest.approx(one_set.interval(), abs=1e-9)
    folds = replace(one_set, fold_sizes=np.array([[5, 5], [5, 5]]))
    p, n, z = 0.8, 10 / 1.4, 1.959964
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert np.ptp(folds.interval()) == pytest.approx(2 * half, abs=1e-6)


def test_copies_do_not_narrow_the_interval():
    """Every row twice made the interval narrower."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    found = evaluate(KNNClassifier(3), rows.repeat(2, axis=0), labels.repeat(2), cv=5)
    assert found.n_rows == 120
    p, n, z = found.accuracy, 60 / 1.4, 1.959964
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert np.ptp(found.interval()) == pytest.approx(2 * half, rel=0.02)


def test_classes_with_fewer_rows_than_folds_are_in_as_many_folds_as_they_have_rows():
    """A class of fewer rows than folds was an error."""
    table = sepal.datasets.load("athletes")  # 12 and 8 rows
    found = evaluate(KNNClassifier(1), table, cv=13)
    assert sorted(found.rows.tolist()) == list(range(20))
    assert found.test_mode == "13-fold cross-validation, classes of fewer than 13 rows in fewer folds"
    for code in (0, 1):
        folds = found.fold[found.actual == code]
        assert len(set(folds.tolist())) == len(folds)


@pytest.mark.parametrize("cv", ["loo", 4])
def test_missing_cells_that_only_a_held_out_part_has_are_compared_by_heom(cv):
    """distance="auto" took Euclid's distance where all training rows of a fold were complete, and then refused."""
    whole = sepal.datasets.load("athletes")
    values = whole.values.copy()
    values[3, 1] = np.nan
    table = as_table(values, whole.y)
    found = evaluate(KNNClassifier(1), table, cv=cv)
    expected = evaluate(KNNClassifier(1, distance="heom"), table, cv=cv)
    np.testing.assert_array_equal(found.predicted, expected.predicted)
    np.testing.assert_array_equal(found.share, expected.share)
