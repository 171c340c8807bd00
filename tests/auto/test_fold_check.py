from __future__ import annotations

import numpy as np
import pytest

from benchmarks.statistics._no_choice import DESIGNS, one_sample
from sepal import SepalClassifier
from sepal.auto._fold_check import fold_answers
from sepal.estimators import load_model, save_model


def test_the_interval_covers_the_accuracy_on_further_rows():
    # 95 % are promised. Of twelve fewer than nine would be chance once in a thousand; the plain error covers 8 in 10.
    covered = [one_sample(name, 40, repeat)[2] for name in DESIGNS for repeat in range(4)]
    assert np.sum(covered) >= 9


def test_no_row_takes_part_in_choosing_for_itself():
    # Every row twice with the same label, noise otherwise: alone each finds its copy, in its group none.
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(30, 2)), 2, axis=0), np.repeat(np.arange(30) % 2, 2)
    grouped = SepalClassifier(n_jobs=1).fit(X, y, groups=np.arange(60) // 2)
    alone = SepalClassifier(n_jobs=1).fit(X, y, groups="rows")
    assert grouped.leave_one_out_interval_[1] < 0.85 < alone.leave_one_out_interval_[1]
    # Thirty trials and not sixty.
    assert np.ptp(grouped.leave_one_out_interval_) > 1.2 * np.ptp(alone.leave_one_out_interval_)


def test_the_interval_depends_neither_on_the_order_of_rows_nor_on_files(tmp_path):
    rng = np.random.default_rng(1)
    X, y = DESIGNS["waves"](rng, 40)
    model = SepalClassifier(n_jobs=1).fit(X, y)
    save_model(model, tmp_path / "before.sepal")
    order = rng.permutation(40)
    low, high = model.leave_one_out_interval_
    assert 0.0 <= low < high <= 1.0
    assert SepalClassifier(n_jobs=1).fit(X[order], y[order]).leave_one_out_interval_ == pytest.approx((low, high))
    save_model(model, tmp_path / "after.sepal")
    for name in ("before", "after"):
        assert load_model(tmp_path / f"{name}.sepal").leave_one_out_interval_ == pytest.approx((low, high))


def test_a_class_of_one_row_is_wrong_when_it_is_put_aside():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(21, 2)), np.array(["a", "b"] * 10 + ["c"])
    model = SepalClassifier(n_jobs=1).fit(X, y)
    codes = np.searchsorted(model.classes_, np.asarray(model.sample_.y)).astype(np.int32)
    assert fold_answers(model, codes)[codes == 2].tolist() == [0.0]
