"""The complexity measures as data: the survey's identifier, a name that means something, what it says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ComplexityMeasure:
    """One measure. Larger means harder, and all but T2 and T3 with few rows lie between 0 and 1."""

    id: str
    name: str
    group: str
    summary: str


MEASURES: tuple[ComplexityMeasure, ...] = tuple(
    ComplexityMeasure(*entry)
    for entry in (
        ("F1", "fisher_ratio", "features", "1 - share of the spread in the best column that class means explain"),
        ("F1v", "directional_fisher_ratio", "features", "how little the class means are apart in the best direction"),
        ("F2", "overlap_volume", "features", "share of the space of both classes in which their ranges overlap"),
        ("F3", "feature_efficiency", "features", "share of rows the best single column leaves in the overlap"),
        ("F4", "collective_efficiency", "features", "share of rows all columns, one after the other, leave there"),
        ("L1", "linear_error_distance", "linearity", "how far rows are on the wrong side of a linear machine"),
        ("L2", "linear_error", "linearity", "error of a linear machine on the rows it was fitted to"),
        ("L3", "linear_interpolated_error", "linearity", "its error on made-up rows between two of a class"),
        ("N1", "borderline_rows", "neighborhood", "share of rows joined to another class in the spanning tree"),
        ("N2", "intra_extra_ratio", "neighborhood", "distance to the own class, as a share of that and to the others"),
        ("N3", "nearest_neighbor_error", "neighborhood", "leave-one-out 1-NN error: 1 - Thornton's index"),
        ("N4", "interpolated_neighbor_error", "neighborhood", "1-NN error on made-up rows between two of a class"),
        ("T1", "sphere_share", "neighborhood", "spheres needed to cover the rows class by class, per row"),
        ("LSC", "local_set_cardinality", "neighborhood", "1 - share of rows nearer to a row than its nearest enemy"),
        ("Density", "graph_sparsity", "network", "1 - share of pairs that are near and of one class"),
        ("ClsCoef", "graph_openness", "network", "1 - how often two near rows of a row are near each other"),
        ("Hubs", "graph_hublessness", "network", "1 - mean hub score in that graph"),
        ("T2", "columns_per_row", "size", "columns per row"),
        ("T3", "components_per_row", "size", "principal components for 95 % of the variance, per row"),
        ("T4", "components_per_column", "size", "principal components for 95 % of the variance, per column"),
        ("C1", "entropy_deficit", "balance", "1 - entropy of the class shares over its maximum"),
        ("C2", "imbalance", "balance", "1 - 1 / imbalance ratio"),
    )
)

# Where ECoL, the program of the survey's authors, computes something else than the formula in their text.
VARIANTS: tuple[ComplexityMeasure, ...] = tuple(
    ComplexityMeasure(*entry)
    for entry in (
        ("L1e", "linear_error_depth", "linearity", "as L1, but rows on the right side count nothing"),
        ("N2m", "intra_extra_mean_ratio", "neighborhood", "as N2, but the mean of the ratios of the rows"),
        ("ClsCoefG", "graph_intransitivity", "network", "as ClsCoef, but of the whole graph: 1 - its transitivity"),
    )
)

EVERY = {measure.id: measure for measure in (*MEASURES, *VARIANTS)}
EVERY_NAME = {measure.name: measure for measure in EVERY.values()}
