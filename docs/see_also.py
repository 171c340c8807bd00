"""What to look at next: the "See also" of every public name, from who returns what, families, and files."""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib import import_module
from typing import Any

from reference import QUESTIONS, documented

MOST = 6
# Names that people compare, in the order in which they might try them; a name may be in several.
FAMILIES = (
    ("thornton_score", "thornton_test", "thornton_samples", "expected_accuracy", "hypothesis_margin", "separability"),
    ("expected_accuracy", "expected_accuracy_curve", "leave_one_out_curve", "evaluate"),
    ("angle_of_separability", "simulate_angle", "FisherDiscriminant", "overlap_regions"),
    (
        "alignment_curve",
        "alignment_score",
        "kernel_alignment",
        "align_feature_weights",
        "align_kernels",
        "SVMClassifier",
    ),
    ("suspects", "hypothesis_margin", "overlap_regions", "enn", "telling_words"),
    ("subset_sweep", "search_subsets", "rank_features", "nested_score", "selection_test", "stability"),
    ("SeparabilitySelector", "subset_sweep", "nested_score", "PaperChainClassifier"),
    ("learn_feature_weights", "align_feature_weights", "rank_features"),
    ("hart", "fcnn", "rnn", "mss", "rss", "condense_curve"),
    ("enn", "renn", "all_knn", "tomek_links", "drop3", "suspects"),
    ("drop3", "icf", "ib3", "condense_curve", "PrototypeSelector"),
    (
        "KNNClassifier",
        "KNNRegressor",
        "WindowKNNClassifier",
        "DANNClassifier",
        "leave_one_out_curve",
        "SepalClassifier",
    ),
    ("SepalClassifier", "SepalRegressor", "PaperChainClassifier", "evaluate", "save_model"),
    (
        "SVMClassifier",
        "KernelAdatronClassifier",
        "FeatureVectorClassifier",
        "ParzenClassifier",
        "hyperparameter_surface",
    ),
    ("FeatureVectorSelector", "FeatureVectorClassifier", "FeatureVectorRegressor", "GeneralizedDiscriminant"),
    ("neighbor_ranking", "radius_ranking", "kneighbors_graph", "radius_neighbors_graph", "prepare"),
    ("evaluate", "compare", "leave_one_out_curve", "reliability", "cost_curve"),
    ("cost_matrix", "least_cost", "expected_costs", "bayes_threshold", "best_threshold", "cost_curve"),
    ("read_table", "as_table", "load", "Table", "summarize"),
    ("save_model", "load_model"),
    ("ADWIN", "DDM", "WindowKNNClassifier", "PrequentialResult"),
    ("gram", "fit_kernel", "center_gram", "normalize_gram", "kernel_distance", "check_psd"),
    ("plot_regions", "decision_regions", "draw_regions", "voronoi_edges"),
    ("MailFilter", "judge_stream", "read_mail", "explain_message", "mail_status"),
    ("separability", "measure_facts", "thornton_test", "SepalClassifier"),
)


@cache
def public_names() -> dict[str, tuple[str, Any]]:
    """Name to its address in the reference and the object."""
    found: dict[str, tuple[str, Any]] = {}
    for rooms in QUESTIONS.values():
        for room in rooms:
            for name in documented(room):
                found.setdefault(name, (f"sepal.{room}.{name}", getattr(import_module(f"sepal.{room}"), name)))
    return found


def related(name: str) -> list[str]:
    """Names to look at beside this one, nearest first."""
    known = public_names()
    given = [*_returned(name), *_returning(name)]
    given += [other for family in FAMILIES if name in family for other in family]
    given += [other for other in known if known[other][1].__module__ == known[name][1].__module__]
    room = known[name][0].rsplit(".", 1)[0]
    given += [other for other in known if known[other][0].rsplit(".", 1)[0] == room][:3] if len(set(given)) < 2 else []
    return [other for other in dict.fromkeys(given) if other != name and other in known][:MOST]


def _returned(name: str) -> list[str]:
    """The results that a function gives, as its docstring says."""
    told = re.search(r"^Returns\n-+\n(.*?)(?:\n\n|\Z)", _doc(name), re.MULTILINE | re.DOTALL)
    return re.findall(r"[A-Z]\w+", told.group(1).splitlines()[0]) if told else []


@cache
def _returning(name: str) -> list[str]:
    return [other for other in public_names() if name in _returned(other)]


def _doc(name: str) -> str:
    return inspect.getdoc(public_names()[name][1]) or ""


def add_see_also(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """For Sphinx: append the section to the docstring of a public name that has none."""
    short = name.rsplit(".", 1)[-1]
    if short not in public_names() or public_names()[short][0] != name or "See Also" in lines:
        return
    beside = related(short)
    if beside:
        lines += ["", "See Also", "--------"]
        lines += [f"{public_names()[other][0]} : {_doc(other).splitlines()[0]}" for other in beside]
