"""ADWIN and DDM against plain loops, and against where river's detectors first fire on the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from sepal.exceptions import ParameterError
from sepal.learners import ADWIN, DDM
from tests.oracles import window as oracle


def bits(seed: int, *shares: float, n: int = 700) -> list[int]:
    rng = np.random.default_rng(seed)
    return [int(b) for share in shares for b in rng.random(n) < share]


@pytest.mark.parametrize("shares", [(0.1, 0.5), (0.5, 0.2), (0.3, 0.3), (0.05, 0.3, 0.05)])
@pytest.mark.parametrize("seed", range(3))
def test_adwin_equals_the_plain_loops(shares, seed):
    stream = bits(seed, *shares)
    detector = ADWIN()
    found = detector.update_many(stream)
    expected, width = oracle.adwin(stream, 0.002, 32, 5, 5)
    assert found == expected
    assert detector.width == width
    assert detector.n_drifts == len(found)
    assert detector.mean == pytest.approx(np.mean(stream[len(stream) - width :]))


def test_adwin_takes_any_numbers():
    rng = np.random.default_rng(1)
    stream = [*rng.normal(size=400).tolist(), *(rng.normal(size=200) + 2).tolist()]
    found = ADWIN(delta=0.01, clock=16, max_buckets=3, min_part=8).update_many(stream)
    assert found == oracle.adwin(stream, 0.01, 16, 3, 8)[0]
    assert found


def test_adwin_keeps_few_buckets():
    detector = ADWIN()
    detector.update_many([0, 1] * 5000)
    assert detector.width == 10000
    assert sum(len(row) for row in detector._rows) <= 5 * 14


@pytest.mark.parametrize("shares", [(0.1, 0.5), (0.5, 0.2), (0.3, 0.3), (0.05, 0.3, 0.6), (0.0, 0.4)])
@pytest.mark.parametrize("seed", range(3))
def test_ddm_equals_the_plain_loops(shares, seed):
    stream = bits(seed, *shares)
    detector = DDM()
    warnings, drifts = [], []
    for i, bit in enumerate(stream):
        if detector.update(bit):
            drifts.append(i)
        elif detector.warning:
            warnings.append(i)
    assert (drifts, warnings) == oracle.ddm(stream, 30, 2.0, 3.0)


def test_ddm_is_not_alarmed_by_the_first_error():
    """By the letter DDM has a least deviation of 0 after a run of right answers, and fires at the first error."""
    detector = DDM()
    assert detector.update_many([0] * 100 + [1]) == []
    assert detector.update_many([1] * 5) != []


def test_ddm_says_since_when():
    stream = bits(4, 0.1, 0.6)
    detector = DDM()
    drifts, warnings = oracle.ddm(stream, 30, 2.0, 3.0)
    detector.update_many(stream[: drifts[0] + 1])
    streak = drifts[0]
    while streak - 1 in warnings:
        streak -= 1
    assert detector.width == drifts[0] - streak + 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ADWIN(delta=0), "delta"),
        (lambda: ADWIN(clock=0), "clock"),
        (lambda: DDM(warm_up=0), "warm_up"),
        (lambda: DDM(warn=4.0), "warn"),
    ],
)
def test_wrong_parameters_are_named(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("shares", "first_adwin", "first_ddm"),
    # Where river 0.26.1 fires first on the same bits: drift.ADWIN() and drift.binary.DDM().
    [((0.1, 0.4), 2047, 2008), ((0.2, 0.2), None, None), ((0.5, 0.2), 2143, None)],
)
def test_first_signal_is_where_river_has_it(shares, first_adwin, first_ddm):
    rng = np.random.default_rng(0)
    streams = {
        pair: np.concatenate([rng.random(2000) < share for share in pair]).astype(int).tolist()
        for pair in [(0.1, 0.4), (0.3, 0.5), (0.05, 0.15), (0.2, 0.2), (0.5, 0.2)]
    }
    assert next(iter(ADWIN().update_many(streams[shares])), None) == first_adwin
    assert next(iter(DDM().update_many(streams[shares])), None) == first_ddm
