"""True values beside the published ones, each found once by independent code (plain numpy, scikit-learn's SVC).

What the experiments themselves show is checked in ``test_founding_figures`` and ``test_slides``; here stand the other
readings of the sources, which the pages mention or leave out.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sepal import datasets
from sepal.machines import SVMClassifier
from sepal.measures import alignment_curve, angle_of_separability
from sepal.reproduce import EXPERIMENTS
from sepal.selection import subset_sweep


def angle(X, y):
    return angle_of_separability(X, y, n_permutations=0)


@pytest.mark.parametrize(
    ("filled", "degrees", "cosine"),
    [("left out", 43.71, 0.723), ("mean", 43.01, None), (5.0, 42.41, 0.738)],
)
def test_angle_of_breast_cancer_by_what_is_done_with_missing_cells(filled, degrees, cosine):
    table = datasets.load("breast-cancer")
    if filled == "left out":
        table = table.drop_missing()
    fill = np.nanmean(table.values, axis=0) if filled == "mean" else 5.0
    found = angle(np.where(np.isnan(table.values), fill, table.values), table.y)
    assert found.degrees == pytest.approx(degrees, abs=0.006)
    if cosine is not None:
        assert found.cos == pytest.approx(cosine, abs=0.0006)


@pytest.mark.parametrize(("name", "cosine"), [("liver", 0.998), ("diabetes", 0.905)])
def test_cosines_in_raw_units(name, cosine):
    assert angle(datasets.load(name), None).cos == pytest.approx(cosine, abs=0.0006)


@pytest.mark.parametrize(("no", "missing", "degrees"), [(-1.0, 0.0, 80.64), (-1.0, 0.5, 80.02), (0.0, 0.5, 85.3)])
def test_angle_of_voting_by_its_coding(no, missing, degrees):
    table = datasets.load("voting")
    yes = np.array([levels.index("y") for levels in table.levels])
    X = np.where(np.isnan(table.values), missing, np.where(table.values == yes, 1.0, no))
    found = angle(X, table.y)
    assert found.degrees == pytest.approx(degrees, abs=0.06 if degrees == 85.3 else 0.006)
    if degrees == 80.64:
        assert found.cos == pytest.approx(0.163, abs=0.0006)


def test_errors_of_all_k_on_ripley_s_data():
    errors = EXPERIMENTS["C2"].run(quick=True).data["errors"]
    own, by_training, raw = (np.round(100 * errors[name], 6) for name in errors)
    assert (np.flatnonzero(own == own.min()) + 1).tolist() == [33, 44, 45]
    assert own.min() == 8.8
    assert int(np.argmin(by_training)) + 1 == 18
    assert by_training[32] == 9.6
    assert (np.flatnonzero(raw == raw.min()) + 1).tolist() == [57, 84]


def test_the_cubic_machine_on_standardized_rows():
    train, test = datasets.load("ripley-train"), datasets.load("ripley-test")
    mean, sd = train.values.mean(axis=0), train.values.std(axis=0, ddof=1)
    errors = []
    for C in range(1, 21):
        machine = SVMClassifier(kernel="poly", degree=3, gamma=1.0, coef0=1.0, C=float(C), scale=None)
        machine.fit((train.values - mean) / sd, train.y)
        errors.append(100 * np.mean(machine.predict((test.values - mean) / sd) != test.y))
    assert min(errors) == pytest.approx(9.5)


def test_support_vectors_of_the_toy():
    """Two of 25 + 25 points far apart carry the margin in 65 of 200 samples, else three: 32.5 % with 3.3 of error."""
    found = {fact.name: fact.ours for fact in EXPERIMENTS["C5"].run(quick=False).facts}
    (share,) = [ours for name, ours in found.items() if name.startswith("samples with two")]
    assert share == pytest.approx(32.5, abs=4 * 100 * np.sqrt(2 * 0.325 * 0.675 / 200))


@pytest.mark.parametrize(("columns", "alignment"), [((1, 2, 5), 0.6139), ((1, 5), 0.6107)])
def test_highest_alignments_of_breast_cancer(columns, alignment):
    table = datasets.load("breast-cancer").drop_missing().select(list(columns))
    assert alignment_curve(table, centered=False, scale=None).best_score == pytest.approx(alignment, abs=5e-5)


def test_index_and_accuracy_over_all_subsets_of_liver():
    """The first founding paper calls the index remarkably good; other machines correlate with it by 0.83."""
    table = datasets.load("liver")
    sweep = subset_sweep(table)
    machine = make_pipeline(StandardScaler(), SVC(C=10.0))
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    columns = [[j for j in range(6) if mask >> j & 1] for mask in range(1, 64)]
    accuracy = [cross_val_score(machine, table.values[:, each], table.y, cv=folds).mean() for each in columns]
    assert np.corrcoef(sweep.scores[1:], accuracy)[0, 1] == pytest.approx(0.83, abs=0.1)
    assert columns[int(np.argmax(accuracy))] == [0, 2, 3, 4, 5] == columns[int(np.argmax(sweep.scores[1:]))]
