"""How separable the classes are.

In: labelled rows (a Table, or X and y). Out: numbers per row (``..._samples``), one number (``..._score``), or a frozen
result that shows itself.

May be imported by prototypes and everything after it on the road.
"""

from __future__ import annotations

from sepal.measures._alignment import kernel_alignment
from sepal.measures._alignment import row_weights as row_weights
from sepal.measures._alignment_curve import AlignmentCurve, alignment_curve, alignment_score
from sepal.measures._alignment_curve import labelled_pairs as labelled_pairs
from sepal.measures._alignment_weights import FeatureWeights, KernelWeights, align_feature_weights, align_kernels
from sepal.measures._alignment_weights import align_solve as align_solve
from sepal.measures._angle import ANGLE_PARAMETERS as ANGLE_PARAMETERS
from sepal.measures._angle import angle_of_scatters as angle_of_scatters
from sepal.measures._angle import angle_of_separability
from sepal.measures._angle_result import ClassPairAngle, SeparabilityAngle
from sepal.measures._angle_simulation import AngleSimulation, simulate_angle
from sepal.measures._class_pairs import MOST_CLASS_PAIRS as MOST_CLASS_PAIRS
from sepal.measures._complexity import MEASURES as MEASURES
from sepal.measures._complexity import VARIANTS as VARIANTS
from sepal.measures._complexity import ComplexityProfile, complexity
from sepal.measures._margin import hypothesis_margin
from sepal.measures._margin import margin_solve as margin_solve
from sepal.measures._margin import nearest_hit_and_miss as nearest_hit_and_miss
from sepal.measures._mutual_information import mutual_information as mutual_information
from sepal.measures._neighborhood import hit_and_miss_of as hit_and_miss_of
from sepal.measures._overlap import OverlapRegion, OverlapRegions, overlap_regions
from sepal.measures._prepared import PREPARING as PREPARING
from sepal.measures._prepared import Prepared, prepare
from sepal.measures._prepared import Preparing as Preparing
from sepal.measures._prepared import groups_taken as groups_taken
from sepal.measures._prepared import rows_taken as rows_taken
from sepal.measures._prepared import sample_rows as sample_rows
from sepal.measures._prepared import settled as settled
from sepal.measures._projections import Projection, Projections, informative_projections
from sepal.measures._projections import jittered as jittered
from sepal.measures._split_accuracy import expected_accuracy, expected_accuracy_curve
from sepal.measures._split_curve import SplitAccuracyCurve
from sepal.measures._split_groups import share_of_groups_samples as share_of_groups_samples
from sepal.measures._suspects import NEAR as NEAR
from sepal.measures._suspects import ROUNDING as ROUNDING
from sepal.measures._suspects import NearDuplicate as NearDuplicate
from sepal.measures._suspects import SuspectRow, Suspects, suspects
from sepal.measures._table_numbers import numbers_of as numbers_of
from sepal.measures._telling_words import TellingWord, telling_words
from sepal.measures._thornton import thornton_samples, thornton_score
from sepal.measures._thornton_groups import chance_between_groups as chance_between_groups
from sepal.measures._thornton_groups import groups_of as groups_of
from sepal.measures._thornton_groups import nearest_of_other_groups as nearest_of_other_groups
from sepal.measures._thornton_interval import independent_trials as independent_trials
from sepal.measures._thornton_interval import sampled_trials as sampled_trials
from sepal.measures._thornton_interval import wilson_interval as wilson_interval
from sepal.measures._thornton_result import ThorntonTest
from sepal.measures._thornton_test import thornton_test
from sepal.measures._within import ClassScatter as ClassScatter
from sepal.measures._within import Within as Within
from sepal.measures._within import check_spread as check_spread
from sepal.measures._within import length as length
from sepal.measures._within import within_classes as within_classes
from sepal.measures._within import within_scatters as within_scatters

__all__ = [
    "AlignmentCurve",
    "AngleSimulation",
    "ClassPairAngle",
    "ComplexityProfile",
    "FeatureWeights",
    "KernelWeights",
    "OverlapRegion",
    "OverlapRegions",
    "Prepared",
    "Projection",
    "Projections",
    "SeparabilityAngle",
    "SplitAccuracyCurve",
    "SuspectRow",
    "Suspects",
    "TellingWord",
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
    "overlap_regions",
    "prepare",
    "simulate_angle",
    "suspects",
    "telling_words",
    "thornton_samples",
    "thornton_score",
    "thornton_test",
]
