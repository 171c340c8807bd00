"""The screen Separability: verdicts, Thornton's index, the accuracy to expect, pairs, complexity, alignment."""

from __future__ import annotations

from typing import Any, Literal

from sepal.explore._action import Action, ActionSettings, call, field
from sepal.explore._code import asking, source_word, verb_reads, view_words
from sepal.explore._data_actions import PLANE, plane_code, plane_of
from sepal.explore._neighbor_actions import ON_PLANE
from sepal.explore._shelf import Space

PERMUTATIONS = field("n_permutations", "whole", "also shuffle the classes so many times", 0, at_least=0, at_most=10**6)
ODD_K = field("n_neighbors", "whole", "how many rows vote: odd; 1 beyond two classes", 1, at_least=1)
CENTERED = field("centered", "flag", "subtract the mean of the kernel first", True)


def _report(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.report import separability

    return separability(space.table, progress=progress, **space.together("sepal.separability"), **space.view.how)


def _verb(word: str, space: Space, *more: str) -> list[str] | None:
    """An older verb on this view, where it can read it."""
    if not verb_reads(space):
        return None
    return [word, source_word(space), *view_words(space.view), *more, "--json"]


def _measure(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.report import measure_facts

    together = space.together("sepal.report.measure_facts")
    return measure_facts(space.table, progress=progress, **together, **settings, **space.view.how)


def _measure_code(space: Space, settings: ActionSettings) -> str:
    return "import sepal.report\nresult = " + asking(
        space, "sepal.report.measure_facts", "table", **settings, **space.view.how
    )


def _measure_verb(space: Space, settings: ActionSettings) -> list[str] | None:
    more = ["--permutations", str(settings["n_permutations"])] if settings["n_permutations"] else []
    return _verb("measure", space, *more)


def _curve(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.measures import expected_accuracy_curve

    together = space.together("sepal.measures.expected_accuracy_curve")
    return expected_accuracy_curve(space.table, progress=progress, **together, **settings, **space.view.how)


def _pairs(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.measures import angle_of_separability, overlap_regions

    angle = angle_of_separability(space.table, progress=progress, **settings)
    together = space.together("sepal.measures.overlap_regions")
    return {"angle": angle, "overlap": overlap_regions(space.table, progress=progress, **together, **space.view.how)}


def _pairs_code(space: Space, settings: ActionSettings) -> str:
    angle = call("sepal.measures.angle_of_separability", "table", **settings)
    return (
        f'result = {{\n    "angle": {angle},\n'
        f'    "overlap": {asking(space, "sepal.measures.overlap_regions", "table", **space.view.how)},\n}}'
    )


def _complexity(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.measures import MEASURES, VARIANTS, complexity

    profile = complexity(space.table, progress=progress, **space.together("sepal.measures.complexity"), **settings)
    return {"profile": profile, "meaning": (*MEASURES, *VARIANTS)}


def _complexity_code(space: Space, settings: ActionSettings) -> str:
    profile = asking(space, "sepal.measures.complexity", "table", **settings)
    return f'result = {{"profile": {profile}, "meaning": (*sepal.measures.MEASURES, *sepal.measures.VARIANTS)}}'


def _kernel(space: Space) -> Literal["rbf", "mixed"]:
    return "mixed" if "nominal" in space.table.kinds else "rbf"


def _alignment(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.measures import alignment_curve

    flat = settings.get("plane", False)
    rows = plane_of(space, settings).table if flat else space.table
    return alignment_curve(
        rows,
        centered=settings["centered"],
        kernel="rbf" if flat else _kernel(space),
        missing="drop",
        progress=progress,
        **space.view.scaling,
    )


def _alignment_code(space: Space, settings: ActionSettings) -> str:
    flat = settings.get("plane", False)
    named = {
        "centered": settings["centered"],
        "kernel": "rbf" if flat else _kernel(space),
        "missing": "drop",
        **space.view.scaling,
    }
    rows = "plane.table" if flat else "table"
    before = plane_code(space, settings) + "\n" if flat else ""
    return before + "result = " + call("sepal.alignment_curve", rows, **named)


SEPARABILITY_ACTIONS = (
    Action(
        "separability.report",
        "the whole report: verdicts, Thornton's index, a model, pairs of classes, features, suspects, complexity",
        "job",
        (),
        _report,
        lambda space, settings: "result = " + asking(space, "sepal.separability", "table", **space.view.how),
        lambda space, settings: _verb("report", space),
    ),
    Action(
        "separability.measure",
        "Thornton's index with chance and interval per class, the accuracy to expect, the margins",
        "job",
        (PERMUTATIONS,),
        _measure,
        _measure_code,
        _measure_verb,
    ),
    Action(
        "separability.curve",
        "the accuracy to expect of the nearest neighbour, over all splits, by training size",
        "job",
        (ODD_K,),
        _curve,
        lambda space, settings: (
            "result = " + asking(space, "sepal.measures.expected_accuracy_curve", "table", **settings, **space.view.how)
        ),
    ),
    Action(
        "separability.pairs",
        "each pair of classes: angle, Mahalanobis distance, and how far they mix",
        "job",
        (field("n_permutations", "whole", "how often classes are shuffled", 199, at_least=0, at_most=10**5),),
        _pairs,
        _pairs_code,
    ),
    Action(
        "separability.complexity",
        "how hard the classes are to tell apart, by 22 measures",
        "job",
        (field("time_limit", "number", "seconds at most", None, above=0.0, optional=True),),
        _complexity,
        _complexity_code,
    ),
    Action(
        "separability.alignment",
        "how well a kernel of every width agrees with the classes",
        "job",
        (CENTERED,),
        _alignment,
        _alignment_code,
    ),
)
KERNEL_ALIGNMENT = Action(
    "kernels.alignment",
    "how well a kernel of every width agrees with the classes, of all columns or of the plane",
    "job",
    (*PLANE, ON_PLANE, CENTERED),
    _alignment,
    _alignment_code,
)
