"""How separable the classes are.

In: labelled rows (a Table, or X and y). Out: numbers per row (``..._samples``), one number (``..._score``), or a frozen
result that shows itself.

May be imported by prototypes and everything after it on the road.
"""

from __future__ import annotations

from sepal.measures._alignment import kernel_alignment
from sepal.measures._alignment_curve import AlignmentCurve, alignment_curve, alignment_score
from sepal.measures._alignment_weights import FeatureWeights, KernelWeights, align_feature_weights, align_kernels
from sepal.measures._angle import ClassPairAngle, SeparabilityAngle, angle_of_separability
from sepal.measures._angle_simulation import AngleSimulation, simulate_angle
from sepal.measures._complexity import ComplexityProfile, complexity
from sepal.measures._margin import hypothesis_margin
from sepal.measures._mutual_information import mutual_information
from sepal.measures._overlap import OverlapRegion, OverlapRegions, overlap_regions
from sepal.measures._projections import Projection, Projections, informative_projections
from sepal.measures._split_accuracy import SplitAccuracyCurve, expected_accuracy, expected_accuracy_curve
from sepal.measures._suspects import SuspectRow, Suspects, suspects
from sepal.measures._thornton import thornton_samples, thornton_score
from sepal.measures._thornton_interval import wilson_interval
from sepal.measures._thornton_test import ThorntonTest, thornton_test

__all__ = [
    "AlignmentCurve",
    "AngleSimulation",
    "ClassPairAngle",
    "ComplexityProfile",
    "FeatureWeights",
    "KernelWeights",
    "OverlapRegion",
    "OverlapRegions",
    "Projection",
    "Projections",
    "SeparabilityAngle",
    "SplitAccuracyCurve",
    "SuspectRow",
    "Suspects",
    "ThorntonTest",
    "align_feature_weights",
    "align_kernels",
    "alignment_curve",
    "alignment_score",
    "angle_of_separability",
    "complexity",
    "expected_accuracy",
    "expected_accuracy_curve",
    "hypothesis_margin",
    "informative_projections",
    "kernel_alignment",
    "mutual_information",
    "overlap_regions",
    "simulate_angle",
    "suspects",
    "thornton_samples",
    "thornton_score",
    "thornton_test",
    "wilson_interval",
]
