"""No model is handed out that answers otherwise than its solver says.

Leave-one-out figures are those of the solver. A fitted member is therefore asked about training rows, as any new row
would be, and has to repeat the solver's fit; where it does not, rounding has won, and a larger ridge is taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sepal.auto._kernel_member import MemberFit
from sepal.data import Table
from sepal.exceptions import DataError

_LEAST_RIDGES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
_MOST_APART = 1e-3  # targets are classes as 0 and 1, or numbers of variance 1
_ASKED_ROWS = 512


def stable_fit(fit: Callable[[float], MemberFit], table: Table) -> tuple[MemberFit, float]:
    """The fit by the smallest of the least ridges at which the member repeats the solver's answers, and that ridge.

    Parameters
    ----------
    fit : callable
        From a least ridge (0: none) to the member on the training rows.
    table : Table
        These rows.

    Raises
    ------
    DataError
        If no ridge helps.
    """
    rows = np.unique(np.linspace(0, table.n_rows - 1, _ASKED_ROWS).astype(np.intp))
    asked = table.take(rows)
    for ridge in _LEAST_RIDGES:
        try:
            found = fit(ridge)
        except np.linalg.LinAlgError:  # not positive definite, to the digits there are
            continue
        if np.abs(found.member.decisions(asked) - found.fit[rows]).max() <= _MOST_APART:
            return found, ridge
    raise DataError(
        f"the kernel's equations for these {table.n_rows} rows cannot be solved to three digits at any ridge",
        hint="look for columns with a few cells many orders of magnitude beyond the others",
    )
