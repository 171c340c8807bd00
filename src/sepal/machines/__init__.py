"""Kernel expansions: machines that decide by a weighted sum of kernels with some training rows.

Comes in: rows of numbers (arrays, data frames, Tables) or kernel matrices, and classes. Goes out: scikit-learn
classifiers with ``decision_function``, ``predict_proba`` that agrees with ``predict``, support rows, margins and
duality gaps. ``evaluation`` and what lies right of it may import this room; ``learners`` may not, nor it them.
"""

from __future__ import annotations

from sepal.machines._adatron import KernelAdatronClassifier
from sepal.machines._c_search import CSearch
from sepal.machines._surface import ErrorSurface, hyperparameter_surface
from sepal.machines._svm import SVMClassifier

__all__ = ["CSearch", "ErrorSurface", "KernelAdatronClassifier", "SVMClassifier", "hyperparameter_surface"]
