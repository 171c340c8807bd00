"""The public surface, name by name, and an import that does no work."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from importlib import import_module

import pytest

import sepal

SURFACE = {
    "sepal": [
        "KNNClassifier",
        "SVMClassifier",
        "SepalClassifier",
        "SepalRegressor",
        "Table",
        "auto",
        "compare",
        "data",
        "datasets",
        "distances",
        "estimators",
        "evaluate",
        "evaluation",
        "kernels",
        "learners",
        "load_model",
        "machines",
        "measures",
        "neighbors",
        "plots",
        "prepare",
        "prototypes",
        "read_table",
        "save_model",
        "scale",
        "selection",
        "separability",
        "thornton_score",
        "thornton_test",
    ],
    "sepal.auto": ["PaperChainClassifier", "SepalClassifier", "SepalRegressor"],
    "sepal.cli": ["main"],
    "sepal.data": [
        "SCALES",
        "SETS",
        "Apart",
        "BundledSet",
        "Caution",
        "ColumnSummary",
        "Kind",
        "KindsSpec",
        "Plane",
        "RowPage",
        "ScaleName",
        "Table",
        "TableSummary",
        "TextOptions",
        "as_table",
        "group_labels",
        "load",
        "names",
        "plane",
        "read_table",
        "row_page",
        "sampled",
        "summarize",
    ],
    "sepal.datasets": ["load", "names"],
    "sepal.distances": ["DISTANCES", "FittedDistance", "fit_distance"],
    "sepal.estimators": ["AnyTable", "TableEstimator", "load_model", "save_model"],
    "sepal.evaluation": [
        "Comparison",
        "CostCurve",
        "CostThreshold",
        "Evaluation",
        "LeaveOneOutCurve",
        "Reliability",
        "bayes_threshold",
        "best_threshold",
        "compare",
        "cost_curve",
        "cost_matrix",
        "evaluate",
        "expected_costs",
        "least_cost",
        "leave_one_out_curve",
        "matrix_threshold",
        "reliability",
    ],
    "sepal.exceptions": [
        "CellTypeError",
        "ClusterError",
        "DataError",
        "MissingDependencyError",
        "OutOfMemoryError",
        "ParameterError",
        "SepalError",
        "SepalWarning",
    ],
    "sepal.explore": [],
    "sepal.learners": [
        "ADWIN",
        "DDM",
        "DANNClassifier",
        "KNNClassifier",
        "KNNRegressor",
        "LearnedWeights",
        "LeaveOneOutCurve",
        "MetricClusteringClassifier",
        "NeighborExplanation",
        "NumberExplanation",
        "PrequentialResult",
        "WindowKNNClassifier",
        "learn_feature_weights",
    ],
    "sepal.mail": [
        "CasePolicy",
        "Costs",
        "MailExplanation",
        "MailFilter",
        "MailMessage",
        "MailStatus",
        "MailVerdict",
        "Score",
        "SimilarMessage",
        "StreamResult",
        "explain_message",
        "judge_stream",
        "mail_status",
        "read_mail",
        "read_message",
        "tokens",
    ],
    "sepal.kernels": [
        "KERNELS",
        "FittedKernel",
        "center_gram",
        "check_psd",
        "fit_kernel",
        "gamma_from_width",
        "gram",
        "kernel_distance",
        "normalize_gram",
        "width_from_gamma",
    ],
    "sepal.machines": [
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
    ],
    "sepal.measures": [
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
    ],
    "sepal.neighbors": [
        "NeighborRanking",
        "RadiusRanking",
        "VoronoiEdges",
        "kneighbors_graph",
        "neighbor_ranking",
        "radius_neighbors_graph",
        "radius_ranking",
        "voronoi_edges",
    ],
    "sepal.plots": [
        "draw_alignment",
        "draw_bars",
        "draw_confusion",
        "draw_cost_curve",
        "draw_criteria",
        "draw_curve",
        "draw_lines",
        "draw_points",
        "draw_prototypes",
        "draw_regions",
        "draw_reliability",
        "draw_roc",
        "draw_stream",
        "draw_surface",
        "plot_regions",
    ],
    "sepal.parameters": ["Parameter", "parameters"],
    "sepal.progress": ["Progress"],
    "sepal.prototypes": [
        "METHODS",
        "CondenseCurve",
        "PrototypeSelector",
        "PrototypeSet",
        "Round",
        "all_knn",
        "condense_curve",
        "drop3",
        "enn",
        "fcnn",
        "hart",
        "ib3",
        "icf",
        "mss",
        "renn",
        "rnn",
        "rss",
        "tomek_links",
    ],
    "sepal.report": ["MeasureFacts", "SeparabilityReport", "measure_facts", "separability"],
    "sepal.reproduce": [
        "EXPERIMENTS",
        "Experiment",
        "Fact",
        "FactTable",
        "Reproduction",
        "Result",
        "reproduce",
        "wanted",
    ],
    "sepal.scale": [
        "PartAnswers",
        "Partitioned",
        "PartitionsFit",
        "PartitionsMeasure",
        "PassPlan",
        "Plan",
        "SampledTable",
        "angle_partitions",
        "asking_for",
        "evaluate_partitions",
        "fit_partitions",
        "knn_partitions",
        "measure_partitions",
        "partitioned",
        "partitions_loo_curve",
        "predict_partitions",
        "prepare_partitions",
        "sample_table",
        "spread_subsets",
    ],
    "sepal.selection": [
        "CRITERIA",
        "STRATEGIES",
        "Alignment",
        "CenteredAlignment",
        "Criterion",
        "ExpectedAccuracy",
        "FeatureRanking",
        "LooKnn",
        "Mahalanobis",
        "NestedScore",
        "SelectionFacts",
        "SelectionTest",
        "SeparabilitySelector",
        "Stability",
        "Subset",
        "SubsetSearch",
        "SubsetSweep",
        "Thornton",
        "nested_score",
        "nogueira_stability",
        "rank_features",
        "search_subsets",
        "select_facts",
        "selection_test",
        "stability",
        "subset_sweep",
    ],
}

# Packages a user may not have, or must not wait for.
LATE = ["matplotlib", "pandas", "polars", "pyarrow", "rich", "typer", "sklearn", "scipy", "numpy"]

PROBE = """
import json, sys, threading, time
begin = time.process_time()
import sepal
seconds = time.process_time() - begin
with open("/proc/self/status") as status:
    threads = next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
print(json.dumps({
    "seconds": seconds,
    "threads": threads,
    "python_threads": threading.active_count(),
    "modules": sorted({name.split(".")[0] for name in sys.modules}),
}))
"""


@pytest.mark.parametrize("name", list(SURFACE))
def test_the_public_names_are_exactly_these(name):
    module = import_module(name)
    assert list(module.__all__) == SURFACE[name]
    for public in module.__all__:
        assert getattr(module, public) is not None


def test_every_public_module_is_pinned():
    import pkgutil

    found = {f"sepal.{entry.name}" for entry in pkgutil.iter_modules(sepal.__path__) if not entry.name.startswith("_")}
    assert found | {"sepal"} == set(SURFACE)


def test_the_package_lists_its_names_and_refuses_others():
    assert dir(sepal) == sorted([*SURFACE["sepal"], "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'thorntn_score'"):
        _ = sepal.thorntn_score


def test_import_does_no_work():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=60)
    seen = json.loads(done.stdout)
    assert not set(LATE) & set(seen["modules"])
    assert (seen["threads"], seen["python_threads"]) == (1, 1)
    assert seen["seconds"] < 0.3


def test_using_the_measures_imports_no_optional_package():
    code = (
        "import sys, sepal; assert sepal.thornton_score(sepal.datasets.load('athletes')) == 1.0; "
        "print(sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    optional = ["matplotlib", "pandas", "polars", "pyarrow", "rich", "typer"]
    assert not [name for name in optional if f"'{name}'" in done.stdout]


def _without_example(module):
    """Public functions and classes whose docstring shows no use of them."""
    things = {name: getattr(module, name) for name in module.__all__}
    return [
        name
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and ">>>" not in (inspect.getdoc(thing) or "")
    ]


@pytest.mark.parametrize("name", [name for name in SURFACE if name != "sepal"])
def test_every_public_function_and_class_shows_an_example(name):
    """``pytest --doctest-modules`` runs them."""
    assert _without_example(import_module(name)) == []


def _told(doc):
    """The names in the sections of parameters and attributes of a numpydoc docstring."""
    found = set()
    for _, text in re.findall(r"^(Parameters|Attributes)\n-+\n(.*?)(?=^[A-Z][\w ]*\n-{3,}$|\Z)", doc, re.M | re.S):
        for line in re.findall(r"^([*\w][\w, *]*?)(?: :.*)?$", text, re.M):
            found |= {name.strip(" *") for name in line.split(",")}
    return found


@pytest.mark.parametrize("name", [name for name in SURFACE if name not in ("sepal", "sepal.exceptions")])
def test_every_parameter_and_field_of_a_public_name_is_told(name):
    """Some results had fields, and two functions arguments, of which their docstring said nothing."""
    module = import_module(name)
    things = {each: getattr(module, each) for each in module.__all__}
    silent = {}
    for each, thing in things.items():
        if inspect.isclass(thing) or inspect.isfunction(thing):
            given = [p.name for p in inspect.signature(thing).parameters.values() if p.kind != p.VAR_POSITIONAL]
            silent[each] = sorted({*given} - {"self", "kwargs"} - _told(inspect.getdoc(thing) or ""))
    assert {each: names for each, names in silent.items() if names} == {}
