"""What a class's votes are multiplied by: class weights and priors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.estimators import number_per_class
from sepal.exceptions import ParameterError
from sepal.parameters import check_numbers


@dataclass(frozen=True, eq=False)
class ClassFactors:
    """Fixed factors, and whether votes are relative to the size of the class.

    Attributes
    ----------
    fixed : (n_classes,) array
        Class weights times priors.
    per_size : int
        How often to divide by the share of the class among the training rows: once for balanced class weights, once
        for priors, which replace that share.
    importance, balanced : (n_classes,) array and bool
        The class weights alone: how much a row of the class counts when answers are judged.
    """

    fixed: NDArray[np.float64]
    per_size: int
    importance: NDArray[np.float64]
    balanced: bool = False

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.fixed)

    def of(self, class_mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """(..., n_classes) factors where the training rows weigh ``class_mass``; 0 for a class without rows."""
        if self.per_size == 0:
            return np.broadcast_to(self.fixed, class_mass.shape)
        with np.errstate(divide="ignore"):
            share = class_mass.sum(axis=-1, keepdims=True) / (self.n_classes * class_mass)
        return np.where(class_mass > 1e-12, self.fixed * share**self.per_size, 0.0)

    def row_importance(self, codes: NDArray[np.int32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much each row counts in a score: its weight times that of its class; adds up to 1."""
        each = weights * self.importance[codes]
        if self.balanced:
            each = each / np.bincount(codes, weights=weights, minlength=self.n_classes)[codes]
        return np.asarray(each / each.sum())


def class_factors(class_weight: Any, priors: Any, classes: NDArray[Any]) -> ClassFactors:
    """Check and combine what the user gave for ``class_weight`` and ``priors``."""
    fixed, per_size, balanced = np.ones(len(classes)), 0, False
    if class_weight == "balanced" and isinstance(class_weight, str):
        per_size, balanced = 1, True
    elif class_weight is not None:
        if not isinstance(class_weight, Mapping):
            raise ParameterError(f"class_weight must be None, 'balanced' or a mapping; got {class_weight!r}")
        fixed = fixed * number_per_class("class_weight", class_weight, classes, 1.0)
    importance = fixed
    if priors is not None:
        per_size += 1
        fixed = fixed * _priors(priors, classes)
    return ClassFactors(fixed, per_size, importance, balanced)


def _priors(priors: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    if isinstance(priors, str):
        if priors != "equal":
            raise ParameterError(f"priors must be None, 'equal', a mapping or one number per class; got {priors!r}")
        return np.full(len(classes), 1.0 / len(classes))
    if isinstance(priors, Mapping):
        numbers = number_per_class("priors", priors, classes, None)
    else:
        numbers = check_numbers("priors", priors, length=len(classes), at_least=0.0)
    if not np.all(np.isfinite(numbers)) or np.any(numbers < 0) or abs(float(numbers.sum()) - 1.0) > 1e-6:
        raise ParameterError(f"priors must be at least 0 and add up to 1; got {numbers.tolist()}")
    return numbers
