"""How separable the classes are.

In: labelled rows (a Table, or X and y). Out: numbers per row (``..._samples``), one number (``..._score``), or a frozen
result that shows itself.

May be imported by prototypes and everything after it on the road.
"""

from __future__ import annotations

from sepal.measures._alignment import kernel_alignment
from sepal.measures._alignment_curve import AlignmentCurve, alignment_curve, alignment_score
from sepal.measures._alignment_weights import FeatureWeights, KernelWeights, align_feature_weights, align_kernels
from sepal.measures._margin import hypothesis_margin
from sepal.measures._split_accuracy import SplitAccuracyCurve, expected_accuracy, expected_accuracy_curve
from sepal.measures._thornton import thornton_samples, thornton_score
from sepal.measures._thornton_test import ThorntonTest, thornton_test

__all__ = [
    "AlignmentCurve",
    "FeatureWeights",
    "KernelWeights",
    "SplitAccuracyCurve",
    "ThorntonTest",
    "align_feature_weights",
    "align_kernels",
    "alignment_curve",
    "alignment_score",
    "expected_accuracy",
    "expected_accuracy_curve",
    "hypothesis_margin",
    "kernel_alignment",
    "thornton_samples",
    "thornton_score",
    "thornton_test",
]
