"""The road from a table and its answers to an average of members: what classifier and regressor share."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.auto._clock import Clock
from sepal.auto._judging import Judge
from sepal.auto._kernel_member import WIDTHS, Found, KernelMember, search_kernel
from sepal.auto._trace import MemberLine, Trace, Trial
from sepal.auto._views import VIEWS, fit_view
from sepal.data import Table

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_WHOLE_ROWS = 1000  # up to here every row carries a coefficient
_VECTORS = 700


@dataclass(frozen=True, eq=False)
class Solution:
    """Members with their weights; the average's decisions for the training rows, each made without the row."""

    members: tuple[KernelMember, ...]
    weights: Array
    left_out: Array
    trace: Trace

    def decisions(self, table: Table) -> Array:
        """The weighted mean of the members' decisions for new rows."""
        parts = [weight * member.decisions(table) for weight, member in zip(self.weights, self.members, strict=True)]
        return np.asarray(np.sum(parts, axis=0))


def solve(table: Table, targets: Array, judge: Judge, order: Rows, clock: Clock) -> Solution:
    """Fit the members and average them.

    Parameters
    ----------
    table : Table
        Training rows in canonical order.
    targets : ndarray, shape (n, outputs)
        Indicators of the classes, or a standardised number.
    judge : Judge
        Of these rows.
    order : ndarray of int
        A random order of the rows: samples are its beginnings.
    clock : Clock
        Asked between members; the first member is always fitted.
    """
    found: list[Found] = []
    lines: list[MemberLine] = []
    notes: list[str] = []
    trials: list[Trial] = []
    vectors = None if table.n_rows <= _WHOLE_ROWS else np.sort(order[:_VECTORS])
    longest = 0.0
    for how in VIEWS:
        if found and not clock.allows(longest):
            notes.append(f"time_limit: the view {how} was left out after {clock.elapsed:.1f} s")
            continue
        begin = time.monotonic()
        one = search_kernel(fit_view(table, how), table, targets, judge, WIDTHS, vectors)
        seconds = time.monotonic() - begin
        longest = max(longest, seconds)
        score, standard_error = judge.scores(one.left_out[None])[0].tolist()
        lines.append(MemberLine(one.member.name, 0.0, score, standard_error, seconds))
        trials.extend(one.trials)
        found.append(one)
    weights = np.full(len(found), 1.0 / len(found))
    left_out = np.asarray(np.sum([w * one.left_out for w, one in zip(weights, found, strict=True)], axis=0))
    score, standard_error = judge.scores(left_out[None])[0].tolist()
    members = tuple(
        MemberLine(line.name, float(w), line.score, line.standard_error, line.seconds)
        for w, line in zip(weights, lines, strict=True)
    )
    trace = Trace(tuple(trials), members, score, standard_error, tuple(notes), clock.elapsed)
    return Solution(tuple(one.member for one in found), weights, left_out, trace)
