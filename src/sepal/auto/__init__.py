"""No choices: estimators that choose for themselves, and say what they chose and why.

In: rows and answers (a Table, arrays or data frames of any kind). Out: fitted estimators with their trace and an
honest leave-one-out score. May be imported by report and everything after it on the road.
"""

from __future__ import annotations

from sepal.auto._by_sums import KernelSums as KernelSums
from sepal.auto._by_sums import RowsOf as RowsOf
from sepal.auto._by_sums import refit_by_sums as refit_by_sums
from sepal.auto._classifier import SepalClassifier
from sepal.auto._explaining import explain_briefly as explain_briefly
from sepal.auto._explanation import Explanation as Explanation
from sepal.auto._paper_chain import PaperChainClassifier
from sepal.auto._regressor import SepalRegressor
from sepal.auto._stream import Whitened as Whitened

__all__ = ["PaperChainClassifier", "SepalClassifier", "SepalRegressor"]
