"""What looks at a table takes whatever a table can be made of."""

from __future__ import annotations

import numpy as np
import pytest

import sepal
from sepal.data import plane, row_page, sampled, summarize

IRIS = sepal.datasets.load("iris")
GIVEN = {"frame": lambda: IRIS.frame(), "array": lambda: IRIS.values, "prepared": lambda: sepal.prepare(IRIS)}


@pytest.mark.parametrize("given", GIVEN)
def test_it_is_the_same_table(given):
    """A data frame, or something prepared, ended in an AttributeError."""
    rows = GIVEN[given]()
    assert summarize(rows).n_rows == 150
    assert sampled(rows, 12).n_rows == 12
    np.testing.assert_array_equal(plane(rows, [0, 1]).points, plane(IRIS, [0, 1]).points)
    assert row_page(rows, 3, 2).row.tolist() == [3, 4]
