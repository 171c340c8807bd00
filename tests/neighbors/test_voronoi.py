"""Voronoi edges: on each of them two rows are nearest and equally far, and every change of the nearest is on one."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.exceptions import DataError
from sepal.neighbors import voronoi_edges

LOW, HIGH = np.array([-0.2, -3.0]), np.array([1.2, 13.0])


def squares(points, at, unit):
    return [sum(((p - q) / u) ** 2 for p, q, u in zip(point, at, unit, strict=True)) for point in points]


@pytest.mark.parametrize("scale", ["minmax", None])
def test_edges_lie_between_their_two_points(rng, scale):
    points = rng.random((40, 2)) * [1.0, 10.0]
    points[7] = points[3]
    y = rng.choice(["a", "b"], 40)
    found = voronoi_edges(points, y, low=LOW, high=HIGH, scale=scale)
    unit = np.ptp(points, axis=0) if scale else np.ones(2)
    for line, (a, b), between in zip(found.lines, found.pairs, found.between, strict=True):
        for share in (0.001, 0.5, 0.999):
            at = line[:2] + share * (line[2:] - line[:2])
            far = squares(points, at, unit)
            assert far[a] == pytest.approx(far[b], rel=1e-6)
            assert far[a] <= min(far) * (1 + 1e-6)
            assert np.all(at >= LOW - 1e-9)
            assert np.all(at <= HIGH + 1e-9)
        labels = {y[i] for i in range(40) if tuple(points[i]) in (tuple(points[a]), tuple(points[b]))}
        assert between == (len(labels) > 1)
    pairs = {tuple(pair) for pair in found.pairs.tolist()}
    for _ in range(300):  # two places side by side with other nearest rows: the pair has an edge
        at = LOW + rng.random(2) * (HIGH - LOW)
        near = [int(np.argmin(squares(points, each, unit))) for each in (at, at + 1e-7)]
        assert near[0] == near[1] or tuple(sorted(near)) in pairs


def test_few_and_wrong_points():
    assert len(voronoi_edges([[0.0, 0.0]], low=[-1, -1], high=[1, 1]).lines) == 0
    assert len(voronoi_edges([[0.0, 0.0]] * 3, low=[-1, -1], high=[1, 1]).lines) == 0
    line = voronoi_edges([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], low=[-1, -1], high=[3, 1], scale=None)
    np.testing.assert_allclose(np.sort(line.lines[:, [0, 2]], axis=1), [[0.5, 0.5], [1.5, 1.5]])
    for wrong in ([[1.0]], [1.0, 2.0], [[np.nan, 1.0]]):
        with pytest.raises(DataError, match="points"):
            voronoi_edges(wrong, low=[0, 0], high=[1, 1])
