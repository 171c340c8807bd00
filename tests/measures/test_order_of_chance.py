"""Chance is dealt to rows by what they hold: neither row nor column order changes what a seed gives, ties or not."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.measures import angle_of_separability, complexity, expected_accuracy


def many(X, y):
    """Enough rows for samples, and still many ties."""
    return np.concatenate([X + 4.0 * (X % 3) * step for step in range(60)]), np.tile(y, 60)


OF_CHANCE = {
    "L3 and N4": lambda X, y: [complexity(X, y, random_state=0)[key] for key in ("L3", "N4")],
    "N1": lambda X, y: complexity(X, y)["N1"],
    "samples of complexity": lambda X, y: [
        complexity(*many(X, y), time_limit=1e-9)[key] for key in ("N1", "N3", "LSC")
    ],
    "one split": lambda X, y: expected_accuracy(X, y, [10, 20, 33], return_std=True)[1],
    "one stratified split": lambda X, y: expected_accuracy(X, y, [9, 20], stratified=True, return_std=True)[1],
    "permutation_p": lambda X, y: [
        pair.permutation_p for pair in angle_of_separability(X, y, n_permutations=99, random_state=0).pairs
    ],
}


@pytest.mark.parametrize("name", OF_CHANCE)
def test_rows_and_columns_in_another_order(name, rng):
    """Random numbers were dealt to rows by place, and another order of rows or columns gave other figures."""
    for _ in range(3):
        X, y = rng.integers(0, 4, size=(40, 3)).astype(float), rng.permutation(np.arange(40) % 2)
        rows, columns = rng.permutation(40), rng.permutation(3)
        wanted, found = OF_CHANCE[name](X, y), OF_CHANCE[name](X[rows][:, columns], y[rows])
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
