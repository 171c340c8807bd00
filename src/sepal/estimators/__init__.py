"""The one shell of all estimators: rows in, columns remembered, models saved.

In: anything that is a table. Out: the base class :class:`TableEstimator`, which reads training rows and new rows by one
rule (columns by name where both sides have names, in any order); :class:`AnyTable`, which makes a machine for numbers
fit for tables of any kind; model files; and what the rooms to the right need of all that.

May be imported by prototypes and everything after it on the road.
"""

from __future__ import annotations

from sepal.estimators._answering import load_answering as load_answering
from sepal.estimators._any_table import AnyTable
from sepal.estimators._callbacks import CallbackSupportMixin as CallbackSupportMixin
from sepal.estimators._callbacks import tells_callbacks as tells_callbacks
from sepal.estimators._columns import check_column_count as check_column_count
from sepal.estimators._model_names import check_model_name as check_model_name
from sepal.estimators._number_per_class import number_per_class as number_per_class
from sepal.estimators._said_by_us import as_data_errors as as_data_errors
from sepal.estimators._saving import load_model, save_model
from sepal.estimators._scoring import TableClassifierMixin as TableClassifierMixin
from sepal.estimators._scoring import TableRegressorMixin as TableRegressorMixin
from sepal.estimators._shell import EXPECTED_FAILED_CHECKS as EXPECTED_FAILED_CHECKS
from sepal.estimators._shell import Diet as Diet
from sepal.estimators._shell import TableEstimator
from sepal.estimators._shell import as_numbers as as_numbers
from sepal.estimators._shell import refuse_sets as refuse_sets
from sepal.estimators._shell import without_rows as without_rows
from sepal.estimators._views import VIEWS as VIEWS
from sepal.estimators._views import View as View
from sepal.estimators._views import ViewName as ViewName
from sepal.estimators._views import fit_view as fit_view

__all__ = ["AnyTable", "TableEstimator", "load_model", "save_model"]
