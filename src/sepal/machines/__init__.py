"""Kernel and linear expansions: classifiers, regressors and transformers in the manner of scikit-learn.

In: rows and labels (a Table, arrays or data frames), or kernel matrices. Out: fitted estimators with ``predict``,
``decision_function``, ``predict_proba`` or ``transform``, their support rows, margins and duality gaps. Each ``fit``
checks the input, calls one pure ``..._solve`` function, and keeps what comes out as attributes.

May be imported by evaluation and everything after it on the road; learners may not, nor may this room import them.
"""

from __future__ import annotations

from sepal.machines._decision_regions import DecisionRegions, decision_regions
from sepal.machines._decision_regions import lead as lead
from sepal.machines._dual._adatron import KernelAdatronClassifier
from sepal.machines._dual._c_search import CSearch
from sepal.machines._dual._surface import ErrorSurface, hyperparameter_surface
from sepal.machines._dual._svm import SVMClassifier
from sepal.machines._equal_rows import order_keys as order_keys
from sepal.machines._fisher import FisherDiscriminant
from sepal.machines._kernel_rows import checked_labels as checked_labels
from sepal.machines._kernel_rows import class_sample as class_sample
from sepal.machines._parzen import ParzenClassifier
from sepal.machines._vectors._feature_vectors import FeatureVectorClassifier, FeatureVectorRegressor
from sepal.machines._vectors._gda import GeneralizedDiscriminant
from sepal.machines._vectors._map import VectorMap as VectorMap
from sepal.machines._vectors._models import PathRows as PathRows
from sepal.machines._vectors._selector import FeatureVectorSelector
from sepal.plots import plot_regions

__all__ = [
    "CSearch",
    "DecisionRegions",
    "ErrorSurface",
    "FeatureVectorClassifier",
    "FeatureVectorRegressor",
    "FeatureVectorSelector",
    "FisherDiscriminant",
    "GeneralizedDiscriminant",
    "KernelAdatronClassifier",
    "ParzenClassifier",
    "SVMClassifier",
    "decision_regions",
    "hyperparameter_surface",
    "plot_regions",
]
