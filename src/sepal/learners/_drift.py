"""Has the error rate changed? ADWIN and DDM on a stream of errors.

Own and light, so that a drift signal costs no further dependency; river's detectors follow the same papers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import ClassVar

from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, check_parameters


@dataclass
class _Bucket:
    n: int
    total: float
    squares: float  # sum of squared deviations from the bucket's mean


def _joined(a: _Bucket, b: _Bucket) -> _Bucket:
    n = a.n + b.n
    gap = a.total / a.n - b.total / b.n
    return _Bucket(n, a.total + b.total, a.squares + b.squares + gap * gap * a.n * b.n / n)


@dataclass
class ADWIN:
    """Adaptive windowing: the longest recent stretch of a stream without a change of its mean.

    Every ``clock`` values all ways to cut the window into an older and a newer part are tried. If their means differ by
    more than chance explains, the oldest values go, until no cut differs.

    Parameters
    ----------
    delta : float
        How often chance alone may do this.
    clock : int
        How many values pass between two looks.
    max_buckets : int
        Buckets of each size; more are joined two by two, so memory grows with the logarithm of the window.
    min_part : int
        Parts with fewer values are not compared.

    References
    ----------
    A. Bifet, R. Gavaldà, "Learning from time-changing data with adaptive windowing", SDM 2007 (ADWIN2, with the bound
    that uses the variance).

    Examples
    --------
    >>> detector = ADWIN()
    >>> detector.update_many([0] * 500 + [1] * 100)[:1]
    [511]
    """

    parameter_table: ClassVar[tuple[Parameter, ...]] = (
        Parameter("delta", "number", "how often chance alone may cut the window", above=0.0, below=1.0),
        Parameter("clock", "whole", "how many values pass between two looks", at_least=1),
        Parameter("max_buckets", "whole", "buckets of each size", at_least=1),
        Parameter("min_part", "whole", "parts with fewer values are not compared", at_least=1),
    )
    delta: float = 0.002
    clock: int = 32
    max_buckets: int = 5
    min_part: int = 5
    drift: bool = field(default=False, init=False)
    warning: bool = field(default=False, init=False)
    n_drifts: int = field(default=0, init=False)
    _rows: list[list[_Bucket]] = field(default_factory=list, init=False, repr=False)
    _all: _Bucket = field(default_factory=lambda: _Bucket(0, 0.0, 0.0), init=False, repr=False)
    _ticks: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def width(self) -> int:
        """How many of the newest values are in the window."""
        return self._all.n

    @property
    def mean(self) -> float:
        """Their mean; 0 for an empty window."""
        return self._all.total / self._all.n if self._all.n else 0.0

    def update(self, value: float) -> bool:
        """Take in one value; true if the mean has changed."""
        self._add(_Bucket(1, float(value), 0.0))
        self._ticks += 1
        self.drift = self._ticks % self.clock == 0 and self._shrink()
        self.n_drifts += self.drift
        return self.drift

    def update_many(self, values: Iterable[float]) -> list[int]:
        """Take in values in turn; the positions at which the mean was found changed."""
        return [i for i, value in enumerate(values) if self.update(value)]

    def _add(self, bucket: _Bucket) -> None:
        self._all = bucket if self._all.n == 0 else _joined(self._all, bucket)
        size = 0
        while True:
            if size == len(self._rows):
                self._rows.append([])
            row = self._rows[size]
            row.append(bucket)  # oldest first
            if len(row) <= self.max_buckets:
                return
            bucket = _joined(row[0], row[1])
            del row[:2]
            size += 1

    def _shrink(self) -> bool:
        changed = False
        while self._finds_cut():
            changed = True
            self._drop_oldest()
        return changed

    def _finds_cut(self) -> bool:
        """Whether some older part differs from the rest. Buckets are met from the oldest on."""
        n = self._all.n
        if n < 2 * self.min_part:
            return False
        variance = self._all.squares / n
        confidence = log(2.0 * log(n) / self.delta)
        old_n, old_total = 0, 0.0
        for row in reversed(self._rows):
            for bucket in row:
                old_n += bucket.n
                old_total += bucket.total
                new_n = n - old_n
                if new_n < self.min_part:
                    return False
                if old_n < self.min_part:
                    continue
                inverse = 1.0 / old_n + 1.0 / new_n
                bound = sqrt(2.0 * inverse * variance * confidence) + 2.0 / 3.0 * inverse * confidence
                if abs(old_total / old_n - (self._all.total - old_total) / new_n) > bound:
                    return True
        return False

    def _drop_oldest(self) -> None:
        gone = self._rows[-1].pop(0)
        while self._rows and not self._rows[-1]:
            self._rows.pop()
        n = self._all.n - gone.n
        total = self._all.total - gone.total
        gap = gone.total / gone.n - total / n
        squares = max(0.0, self._all.squares - gone.squares - gap * gap * n * gone.n / self._all.n)
        self._all = _Bucket(n, total, squares)


@dataclass
class DDM:
    """Drift detection method: an error rate that rises above its best value.

    With p the share of errors since the last drift and s its standard error, the lowest p + s is remembered. A warning
    is given at ``warn`` times that s above that p, a drift at ``alarm`` times.

    Parameters
    ----------
    warm_up : int
        Values to pass before anything is said.
    warn, alarm : float
        In standard errors.

    Notes
    -----
    Without an error so far s would be 0 and the first error an alarm: s is never taken below that of half an error.

    References
    ----------
    J. Gama, P. Medas, G. Castillo, P. Rodrigues, "Learning with drift detection", SBIA 2004.

    Examples
    --------
    >>> detector = DDM()
    >>> detector.update_many([0, 0, 0, 0, 1] * 40 + [1] * 60)[:1]
    [213]
    """

    parameter_table: ClassVar[tuple[Parameter, ...]] = (
        Parameter("warm_up", "whole", "how many values come before the first look", at_least=1),
        Parameter("warn", "number", "standard errors that are a warning", above=0.0),
        Parameter("alarm", "number", "standard errors that are a drift", above=0.0),
    )
    warm_up: int = 30
    warn: float = 2.0
    alarm: float = 3.0
    drift: bool = field(default=False, init=False)
    warning: bool = field(default=False, init=False)
    n_drifts: int = field(default=0, init=False)
    _n: int = field(default=0, init=False, repr=False)
    _errors: float = field(default=0.0, init=False, repr=False)
    _best: tuple[float, float] = field(default=(inf, 0.0), init=False, repr=False)
    _warned_at: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.warn > self.alarm:
            raise ParameterError(f"warn must be positive and not above alarm; got {self.warn!r} and {self.alarm!r}")

    @property
    def width(self) -> int:
        """At a drift the values since the warning before it; otherwise those since the last drift."""
        return self._n - self._warned_at if self.drift else self._n

    def update(self, error: float) -> bool:
        """Take in one error (1) or right answer (0); true at a drift."""
        if self.drift:
            self._n, self._errors, self._best, self._warned_at = 0, 0.0, (inf, 0.0), 0
        self._n += 1
        self._errors += float(error)
        self.drift = self.warning = False
        if self._n < self.warm_up:
            return False
        p = self._errors / self._n
        s = sqrt(p * (1.0 - p) / self._n)
        if p + s < self._best[0] + self._best[1]:
            floor = 0.5 / self._n
            self._best = (p, max(s, sqrt(floor * (1.0 - floor) / self._n)))
        lowest, spread = self._best
        self.drift = p + s > lowest + self.alarm * spread
        self.warning = not self.drift and p + s > lowest + self.warn * spread
        if not (self.drift or self.warning):
            self._warned_at = self._n
        self.n_drifts += self.drift
        return self.drift

    def update_many(self, errors: Iterable[float]) -> list[int]:
        """Take in errors in turn; the positions of the drifts."""
        return [i for i, error in enumerate(errors) if self.update(error)]


DETECTORS = {"adwin": ADWIN, "ddm": DDM}
