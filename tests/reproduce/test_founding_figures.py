"""Figures of the papers and notes: published ones, and those found with independent code.

A: the paper on Thornton's index and kernel alignment (about 2001; plots and few figures). B: Ben-Israel and Levin, The
geometry of linear separability in data sets (2005), its table and simulation. C: lecture notes on k-NN and SVM, with
figures on Ripley's set. D: a lecture on k-NN (Sarkar, IIT Kharagpur; shapes of curves only). What the documents do not
print was found with plain numpy, scipy and scikit-learn's SVC.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from sepal.plots import styled
from sepal.reproduce import EXPERIMENTS

# Small versions that take a moment; the others run in full or quickly as they are.
SMALL = {
    "A1": {"names": ("liver", "sonar"), "n_subsets": 3, "folds": 2},
    "A2": {"n_subsets": 4, "n_widths": 10},
    "A4": {"n_widths": 3, "n_draws": 1},
    "A5": {"names": ("athletes", "weather"), "n_widths": 5},
    "A7": {"n_splits": 300},
    "A8": {"n_repeats": 30},
    "B1": {"n_repeats": 30},
    "B4": {"n_cutoffs": 9},
    "C5": {"n_samples": 20},
    "C9": {"sizes": (10, 1000), "n_test": 2000, "n_repeats": 5},
    "D2": {"n_test": 600},
    "D6": {"counts": (0, 12), "n_repeats": 2},
}


@pytest.fixture(scope="module")
def run():
    """Each experiment once; what it found, by the names of the figures."""
    kept = {}

    def find(key):
        if key not in kept:
            experiment = EXPERIMENTS[key]
            result = experiment.code.run(**{**experiment.parameters(True), **SMALL.get(key, {})})
            kept[key] = result, {fact.name: fact for fact in result.facts}
        return kept[key]

    return find


def ours(found, start):
    (fact,) = [fact for name, fact in found.items() if name.startswith(start)]
    return fact.ours


def test_a1_the_index_goes_with_the_accuracy(run):
    assert all(-1 <= fact.ours <= 1 for fact in run("A1")[1].values())
    assert ours(run("A1")[1], "sonar") > 0.5


def test_a2_each_subset_has_a_peak_inside_the_grid(run):
    data = run("A2")[0].data
    assert np.all((data["peaks"][:, 0] > 0.03) & (data["peaks"][:, 0] < 10))
    assert np.all(data["peaks"][:, 1] >= data["curves"].max(axis=1) - 1e-9)


def test_a3_and_a4_all_subsets(run):
    _, found = run("A3")
    assert found["subsets"].difference == -1
    assert ours(found, "highest index") == pytest.approx(0.9693, abs=5e-5)
    assert "{0, 1, 4, 5, 7}" in found["highest index"].why
    assert ours(found, "highest alignment") == pytest.approx(0.6139, abs=5e-3)  # few widths here
    assert ours(found, "correlation") == pytest.approx(0.890, abs=0.01)
    _, lists = run("A4")
    assert ours(lists, "two random lists") == pytest.approx(400 / 511)
    assert 0 <= ours(lists, "subsets in both") <= 3
    readings = run("A4")[0].tables[0].rows
    assert [row[:2] for row in readings[:2]] == [("plain", "one for all"), ("centred", "one for all")]
    assert all(int(count) <= 5 for row in readings for count in row[3].split(" to "))


def test_a5_numbers_and_names(run):
    result, found = run("A5")
    assert ours(found, "data sets") == 2
    for form in ("plain", "centred"):  # the best of the grid is the best of what was tried, the aligned width included
        assert min(result.data["lost"][form]) >= 0.0
    errors = [row[4:] for row in result.tables[0].rows]
    assert errors[0] == ("5.0 %",) * 3  # one of twenty athletes
    assert set(errors[1]) == {"35.7 %"}  # five of fourteen days: no width is better than the larger class


def test_a7_exact_and_simulated_splits(run):
    result, found = run("A7")
    assert ours(found, "Thornton") == pytest.approx(0.875)
    assert ours(found, "exact mean with all rows but one") == pytest.approx(0.875)
    error = result.data["spread"] / np.sqrt(300)
    assert ours(found, "the same") == pytest.approx(ours(found, "mean over all splits"), abs=4 * error)


def test_a8_one_half_and_zero(run):
    _, found = run("A8")
    assert ours(found, "separated") == 1.0
    assert ours(found, "parity") == 0.0
    assert ours(found, "coinciding centroids, mean") == pytest.approx(199 / 399, abs=0.03)
    assert ours(found, "coinciding centroids, nine") == pytest.approx((360 * 359 + 40 * 39) / (400 * 399), abs=0.03)


def test_b1_means_and_bands_of_samples(run):
    _, found = run("B1")
    for shift, mean, spread in ((0, 4.4, 2.4), (0.5, 14.6, 4.2), (2, 45.3, 3.5), (10, 78.8, 1.1), (50, 87.72, 0.22)):
        assert found[f"mean angle, means {shift:g} apart"].ours == pytest.approx(
            mean, abs=4 * spread / np.sqrt(300) + 0.05
        )


def test_b2_the_table(run):
    _, found = run("B2")
    true = {"Breast Cancer": 42.41, "Liver": 3.85, "Diabetes": 25.21, "Voting": 80.64, "Hepatitis": 65.15}
    for name, degrees in true.items():
        assert found[f"angle of {name}"].ours == pytest.approx(degrees, abs=0.006)
        assert (abs(found[f"angle of {name}"].difference) < 1) is (name != "Diabetes")
    assert ours(found, "angle of Diabetes, pedigree") == pytest.approx(4.58, abs=0.006)
    assert ours(found, "angle of Diabetes without") == pytest.approx(4.44, abs=0.006)
    data = run("B2")[0].data
    assert np.ptp(data["invariant"]) < 1e-6
    assert len({row[2:] for row in run("B2")[0].tables[1].rows}) == 1  # the companions, in all units
    assert data["angle"][0] > 89
    assert data["angle"][-1] == pytest.approx(np.degrees(np.arctan(np.tan(np.radians(80.64)) / 1000)), abs=0.01)


def test_b3_and_b4(run):
    _, found = run("B3")
    assert ours(found, "largest relative") < 1e-9
    assert ours(found, "right with kappa = 1e-05") == 1.0
    assert ours(found, "right with kappa = 1e+06") < 0.8
    assert ours(found, "right with infinite kappa") < 0.8
    curves = run("B4")[0].data["curves"]
    for each in curves.values():
        assert np.all(np.diff(each["false positives"]) <= 0)
        assert np.all(np.diff(each["false negatives"]) >= 0)


def test_c1_another_pair_is_nearest(run):
    found = [fact.ours for fact in run("C1")[0].facts]
    assert found == ["A and C, 1.24 apart", "A and B, 0.63 apart"]


def test_c2_ripley(run):
    result, found = run("C2")
    assert ours(found, "least test error, test rows") == pytest.approx(8.8)
    assert ours(found, "first K") == 33
    assert ours(found, "least test error, standardized") == pytest.approx(9.0)
    assert ours(found, "least test error, columns") == pytest.approx(8.0)
    assert ours(found, "test error of the K") == pytest.approx(9.2)
    assert ours(found, "the same") == pytest.approx(8.5)
    assert list(result.data["chosen"].values())[1:] == [17, 46]
    assert ours(found, "error of Bayes") == pytest.approx(8.0)


def test_c3_to_c5(run):
    _, found = run("C3")
    assert ours(found, "largest difference") < 1e-14
    assert ours(found, "right by a plane") > 0.98 > 0.7 > ours(found, "right by a line")
    _, planes = run("C4")
    assert ours(planes, "margin of the") >= ours(planes, "widest")
    _, toy = run("C5")
    assert ours(toy, "samples with two") + ours(toy, "samples with three") == pytest.approx(100)
    assert ours(toy, "support vectors") == 3


def test_c6_and_c7_machines_on_ripley(run):
    _, cubic = run("C6")
    assert (ours(cubic, "least"), ours(cubic, "C with it"), ours(cubic, "support")) == (pytest.approx(9.4), 2, 93)
    assert ours(cubic, "p-value") == pytest.approx(0.38, abs=0.005)
    assert cubic["p-value, k-NN of the notes against this machine"].why.startswith(
        "19 rows only the machine has wrong, 13"
    )
    radial = EXPERIMENTS["C7"].code.run(beta=(1.41, 1.55, 0.1), C=(1.0, 2.0))
    found = {fact.name: fact for fact in radial.facts}
    assert ours(found, "least") == pytest.approx(9.0)
    assert ours(found, "beta") == pytest.approx(1.51)
    assert ours(found, "test error at beta = 1.41") == pytest.approx(9.1)
    assert ours(found, "p-value") == pytest.approx(0.65, abs=0.005)


def test_c8_and_c9(run):
    _, found = run("C8")
    assert ours(found, "Tanimoto") == pytest.approx(0.5)
    assert ours(found, "largest difference from") < 1e-14
    assert ours(found, "largest difference of the induced") < 1e-6
    _, limit = run("C9")
    assert ours(limit, "Bayes error") == pytest.approx(norm.cdf(-1))
    assert norm.cdf(-1) < ours(limit, "limit") < 2 * norm.cdf(-1) * (1 - norm.cdf(-1))
    assert ours(limit, "error of 1-NN with 1,000") == pytest.approx(ours(limit, "limit"), abs=0.02)


def test_d_shapes_of_the_lecture(run):
    _, maps = run("D2")
    assert ours(maps, "training error of 1-NN") == 0.0
    assert ours(maps, "test error of 15-NN") < ours(maps, "test error of 1-NN")
    _, errors = run("D3")
    assert ours(errors, "training error") == 0.0
    assert ours(errors, "test error of 1-NN") == pytest.approx(0.15)
    _, weights = run("D4")
    assert all(fact.ours < ours(weights, "error of 5-NN, weights: none") for fact in run("D4")[0].facts[1:])
    narrow, middle, wide = (fact.ours for fact in run("D5")[0].facts[:3])
    assert middle < min(narrow, wide)
    _, columns = run("D6")
    assert ours(columns, "1-NN after") > ours(columns, "1-NN, 12") + 0.03


@pytest.mark.parametrize(
    "key", ["A2", "A3", "A4", "A5", "A7", "A8", "B1", "B2", "B3", "B4", "C1", "C2", "C9", "D5", "D6"]
)
def test_pictures_say_what_they_show(run, key):
    result = run(key)[0]
    assert all(fact.reason for fact in result.facts if fact.published is not None)
    figure = styled(EXPERIMENTS[key].draw)(result)
    assert figure.axes
    for ax in figure.axes:
        assert ax.get_xlabel() or ax.get_ylabel() or ax.get_title(loc="left")


def test_all_of_the_list_is_there():
    counts = {"A": 8, "B": 4, "C": 9, "D": 6, "E": 7}
    assert list(EXPERIMENTS) == [f"{letter}{i + 1}" for letter, n in counts.items() for i in range(n)]
