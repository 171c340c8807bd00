"""Two passes over blocks against the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.auto import _stream
from sepal.auto._kernel_member import gaussian
from sepal.auto._ridge_loo import vector_spectrum
from sepal.data import as_table
from sepal.estimators._views import fit_view
from sepal.kernels import squared_distances


@pytest.fixture
def rng():
    return np.random.RandomState(1)


def test_blocks_give_what_the_matrix_gives(rng, monkeypatch):
    monkeypatch.setattr(_stream, "_BLOCK_ROWS", 7)
    table = as_table(rng.randn(60, 3))
    targets = np.column_stack([table.values[:, 0] ** 2, table.values[:, 1]])
    view = fit_view(table, "standard")
    coordinates = view.coordinates(table)
    vectors = np.arange(0, 60, 5)
    K = gaussian(squared_distances(coordinates, coordinates[vectors]), 1.5)
    spectrum = vector_spectrum(K, K[vectors])
    found = _stream.stream_ridge(view, table, targets, coordinates[vectors], 1.5, 0.01)
    member, left_out = found.member, found.left_out
    np.testing.assert_allclose(left_out, spectrum.left_out(targets, np.array([0.01]))[0], atol=1e-6)
    whole = spectrum.fit(targets, 0.01)
    np.testing.assert_allclose(member.decisions(table), K @ whole.a + whole.b, atol=1e-6)
    np.testing.assert_allclose(found.fit, whole.fit, atol=1e-6)
