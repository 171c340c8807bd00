"""The one shell of all estimators: rows in, columns remembered, models saved.

In: anything that is a table. Out: the base class :class:`TableEstimator`, which reads training rows and new rows by one
rule (columns by name where both sides have names, in any order); :class:`AnyTable`, which makes a machine for numbers
fit for tables of any kind; model files; and what the rooms to the right need of all that.

May be imported by prototypes and everything after it on the road.
"""

from __future__ import annotations

from sepal.estimators._any_table import AnyTable
from sepal.estimators._columns import check_number
from sepal.estimators._said_by_us import as_data_errors
from sepal.estimators._saving import load_model, save_model
from sepal.estimators._scoring import TableClassifierMixin, TableRegressorMixin
from sepal.estimators._shell import EXPECTED_FAILED_CHECKS, Diet, TableEstimator, as_numbers, without_rows
from sepal.estimators._views import VIEWS, View, ViewName, fit_view

__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "VIEWS",
    "AnyTable",
    "Diet",
    "TableClassifierMixin",
    "TableEstimator",
    "TableRegressorMixin",
    "View",
    "ViewName",
    "as_data_errors",
    "as_numbers",
    "check_number",
    "fit_view",
    "load_model",
    "save_model",
    "without_rows",
]
