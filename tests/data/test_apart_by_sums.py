"""A column that is judged by sums over its parts is judged as its rows are."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.data import ColumnSums, sums_tell_apart, why_apart


@pytest.mark.parametrize("n", [2, 3, 12, 19, 20, 29, 30, 45, 400, 2_500])
@pytest.mark.parametrize("name", ["age", "id"])
def test_sums_say_what_rows_say(n, name):
    rng = np.random.default_rng(n)
    count = np.arange(n, dtype=float)
    columns = {
        "counted": rng.permutation(count),
        "with holes": rng.permutation(np.concatenate([count[:-1], [1.5 * n]])).round(),
        "spread": rng.permutation(3 * count),
        "broken": count + 0.5,
        "twice": np.concatenate([count[:-1], count[:1]]),
        "missing": np.concatenate([count[:-1], [np.nan]]),
        "few": rng.integers(0, 5, n).astype(float),
        "many": rng.integers(0, max(1, n // 2 + 3), n).astype(float),
    }
    for what, values in columns.items():
        present = values[~np.isnan(values)]
        distinct = len(np.unique(present)) == n
        whole = bool(np.array_equal(values, np.floor(values)))
        sums = ColumnSums(n, n - len(present), None, present.min(), present.max(), whole, distinct)
        said = why_apart(name, "numeric", values, None) is not None
        assert sums_tell_apart(name, "numeric", sums) == said, what
        if whole:
            used, codes = np.unique(values, return_inverse=True)
            sums = ColumnSums(n, 0, len(used), 0.0, len(used) - 1.0, False, distinct)
            levels = [f"level {at}" for at in range(len(used))]
            said = why_apart(name, "nominal", codes.astype(float), levels) is not None
            assert sums_tell_apart(name, "nominal", sums) == said, what
    assert not sums_tell_apart(name, "ordinal", ColumnSums(n, 0, n, 0.0, n - 1.0, False, True))
