"""The pictures of a session's page: from the facts of an answer to SVG, a line of the table for each action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Plane
from sepal.exceptions import SepalError
from sepal.explore._action import ActionSettings
from sepal.explore._data_actions import plane_of
from sepal.explore._shelf import Space
from sepal.report import (
    Line,
    alignment_svg,
    bars_svg,
    curve_svg,
    dots_svg,
    histogram_svg,
    lines_svg,
    map_svg,
    radar_svg,
    shades_svg,
)

ROWS_DRAWN = 2_000  # rows that are drawn; more are a sample, which the caption says
HISTOGRAMS_DRAWN = 12
AnswerFacts = Mapping[str, Any]


@dataclass(frozen=True)
class Picture:
    """A drawing, what stands below it, and whether the key of the classes belongs to it."""

    svg: str
    caption: str
    classes: bool = False


Draw = Callable[[Space, ActionSettings, AnswerFacts], list[Picture]]


def pictures(space: Space, action: str, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    """What can be drawn of an answer; nothing where there is nothing to see, or no plane."""
    try:
        return DRAWN_ACTIONS[action](space, settings, result) if action in DRAWN_ACTIONS else []
    except SepalError as error:  # texts alone have no plane; the tables still tell the answer
        return [Picture("", f"No picture: {str(error).partition(chr(10))[0]}.")]


def _on_plane(
    space: Space,
    settings: ActionSettings,
    caption: str,
    *,
    grid: AnswerFacts | None = None,
    ringed: Sequence[int] = (),
    edges: Any = None,
) -> list[Picture]:
    """The rows on their plane; ``ringed`` and ``edges`` count the rows of the table and places of the plane."""
    flat: Plane = plane_of(space, {"x": None, "y": None, **settings})
    wanted = [flat.place[row] for row in ringed if row in flat.place]
    shown = _some(len(flat.rows), wanted)
    place = {int(at): i for i, at in enumerate(shown)}
    xs = np.array([flat.low[0], flat.high[0]]) if grid is None else np.asarray(grid["xs"])
    ys = np.array([flat.low[1], flat.high[1]]) if grid is None else np.asarray(grid["ys"])
    svg = map_svg(
        xs,
        ys,
        None if grid is None else _answers_of(flat, grid),
        (flat.points[shown], flat.codes[shown]),
        (flat.table.names[0], flat.table.names[1]),
        ringed=[place[at] for at in wanted],
        edges=edges,
    )
    if len(shown) < len(flat.rows):
        caption += f" {len(shown):,} of {len(flat.rows):,} rows are drawn, chosen at random."
    return [Picture(svg, caption, classes=True)]


def _answers_of(flat: Plane, grid: AnswerFacts) -> NDArray[np.intp]:
    """The classes of a map by their places among those of the plane, whatever their order in the map."""
    there = [str(each) for each in flat.classes or ()]
    places = np.array([there.index(str(each)) for each in grid["classes"]], dtype=np.intp)
    return places[np.asarray(grid["codes"], dtype=np.intp)]


def _some(n_rows: int, wanted: Sequence[int]) -> NDArray[np.intp]:
    if n_rows <= ROWS_DRAWN:
        return np.arange(n_rows)
    drawn = np.random.default_rng(0).choice(n_rows, ROWS_DRAWN, replace=False)
    return np.unique(np.concatenate([drawn, np.asarray(wanted, dtype=np.intp)]))


def _histograms(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    return [
        Picture(histogram_svg(each["counts"], each["name"]), each["name"], classes=True)
        for each in result["columns"][:HISTOGRAMS_DRAWN]
    ]


def _class_scores(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    classes = [each for each in result["classes"] if each["score"] is not None]
    if not classes:
        return []
    svg = bars_svg(
        [str(each["label"]) for each in classes],
        [each["score"] for each in classes],
        "Thornton's index of each class",
        intervals=[tuple(each["interval"]) for each in classes],
        levels=[each["chance"] for each in classes],
    )
    caption = "Thornton's index of each class; the line is its interval for further rows, the mark is chance."
    return [Picture(svg, caption)]


def _report(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    found = _class_scores(space, settings, result)
    points = result["curve"]["points"]
    if len(points) > 1:
        unit = "groups" if result["curve"]["n_groups"] is not None else "rows"
        sizes = [each[f"train_{unit}"] for each in points]
        found += _expected(
            sizes,
            [each["accuracy"] for each in points],
            [each["split_std"] for each in points],
            unit,
            result["majority"]["share"],
        )
    if result["alignment"] is not None:
        found += _alignment(space, settings, result["alignment"])
    if result["complexity"] is not None:
        found += _radar(result["complexity"]["values"])
    return found


def _expected(sizes: Any, mean: Any, std: Any, unit: str, level: float | None = None) -> list[Picture]:
    svg = curve_svg(sizes, mean, std, level, "largest class", unit)
    return [
        Picture(svg, f"Accuracy to expect over the training {unit}; the band is one split, one standard deviation.")
    ]


def _curve(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    unit = "rows" if result["n_groups"] is None else "groups"
    if len(result["train_sizes"]) < 2:
        return []
    return _expected(result["train_sizes"], result["accuracy"], result["split_std"], unit)


def _alignment(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    if len(result["widths"]) < 2:
        return []
    svg = alignment_svg(result["widths"], result["scores"], result["best_width"], result["best_score"])
    return [Picture(svg, f"Kernel alignment over width; best at {result['best_width']:.4g}.")]


def _radar(values: AnswerFacts) -> list[Picture]:
    from sepal.measures import MEASURES

    names = [each.id for each in MEASURES if values.get(each.id) is not None]
    groups = [each.group for each in MEASURES if each.id in names]
    return [Picture(radar_svg(names, [values[name] for name in names], groups), "Complexity: center easy, rim hard.")]


def _pairs(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    regions = sorted(result["overlap"]["regions"], key=lambda each: -each["mixing"])
    names = [" – ".join(map(str, each["classes"])) for each in regions]
    if not names:
        return []
    svg = bars_svg(names, [each["mixing"] for each in regions], "mixing of pairs of classes")
    return [Picture(svg, "How far each pair of classes mixes.")]


def _named_bars(values: Mapping[str, Any], caption: str) -> list[Picture]:
    ranked = sorted(((name, value) for name, value in values.items() if value is not None), key=lambda pair: -pair[1])
    if not ranked:
        return []
    return [Picture(bars_svg([name for name, _ in ranked], [value for _, value in ranked], caption), caption)]


def _rank(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    alone = dict(zip(result["names"], result["columns"]["thornton"], strict=True))
    return _named_bars(alone, "Thornton's index of each column alone.")


def _sweep(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    scores = result["sweep"]["all_scores"]
    pairs = [
        (a, b) for a, b in zip(scores["thornton"], scores["alignment"], strict=True) if a is not None and b is not None
    ]
    titles = ("Thornton's index", "kernel alignment")
    svg = dots_svg([a for a, _ in pairs], [b for _, b in pairs], titles, "every subset of the columns")
    caption = "Every subset of the columns is a dot; dots in one place are drawn once."
    return [
        Picture(svg, caption),
        *_named_bars(result["inclusion"], "Share of the near-best subsets that hold a column."),
    ]


def _planes(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    found = []
    for each in result["planes"][:4]:
        caption = f"{each['first']} and {each['second']}: neighbours agree on {100 * each['score']:.1f} %."
        found += _on_plane(space, {"x": each["first"], "y": each["second"]}, caption)
    return found


def _error_over_k(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    lines = [Line("leave-one-out", result["k"], result["score"])]
    lines += [
        Line(name, result["k"], result[name], dashed=True) for name in ("training", "test") if result[name] is not None
    ]
    svg = lines_svg(lines, ("k", str(result["measure"])), f"{result['measure']} over k")
    return [Picture(svg, f"Best at k = {result['best_k']}.")]


def _near(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    flat: Plane = plane_of(space, settings)
    near = result["rows"]["row"] if settings["row"] is None else result["rows"]["row"][1:]
    at = settings["point"] if settings["row"] is None else None
    if settings["row"] in flat.place:
        at = flat.points[flat.place[settings["row"]]].tolist()
    edges = [[*at, *flat.points[flat.place[row]].tolist()] for row in near if at is not None and row in flat.place]
    ringed = near if settings["row"] is None else [settings["row"], *near]
    return _on_plane(space, settings, "The row and its neighbours are ringed.", ringed=ringed, edges=edges or None)


def _voronoi(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    return _on_plane(space, settings, "Where the nearest row changes.", edges=result["lines"] or None)


def _suspects(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    rows = [each["row"] if isinstance(each, Mapping) else each for each in result["rows"]]
    return _on_plane(space, {}, "Rows whose neighbours contradict their class are ringed.", ringed=rows)


def _prototypes(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    caption = f"The {result['n_kept']:,} rows that {result['method']} keeps are ringed."
    return _on_plane(space, {}, caption, ringed=result["rows"])


def _methods(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    titles = ("share of rows kept", "accuracy on rows held out")
    svg = dots_svg(result["kept_share"], result["accuracy"], titles, "size against accuracy", result["methods"])
    return [Picture(svg, f"Size against accuracy; all rows: {100 * result['full_accuracy']:.1f} %.")]


def _machine(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    flat: Plane = plane_of(space, settings)
    ringed = [int(flat.rows[at]) for at in result["regions"]["ringed_rows"]]
    caption = f"What {settings['machine']} answers; support or feature vectors are ringed."
    return _on_plane(space, settings, caption, grid=result["regions"], ringed=ringed)


def _surface(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    cells = np.array(result["error"], dtype=np.float64)
    down, along = result["width"], result["C"]
    if cells.shape != (len(down), len(along)):
        cells = cells.T
    names = [f"{each:.3g}" for each in down], [f"{each:.3g}" for each in along]
    svg = shades_svg(cells, *names, ("width", "C"), "error over width and C")
    return [Picture(svg, "Error over width and C: the darker the worse.")]


def _confusion(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    if not result.get("confusion"):
        return []
    names = [str(each) for each in result["classes"]]
    cells = np.array(result["confusion"], dtype=np.float64)
    svg = shades_svg(cells, names, names, ("class", "answered"), "confusion matrix")
    return [Picture(svg, "Rows of each class (down) by the answer (across).")]


def _threshold(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    roc, cost = result["roc"], result["cost_curve"]
    guess = Line("guessing", [0.0, 1.0], [0.0, 1.0], dashed=True)
    curves = [Line("ROC", roc["false_positive_rate"], roc["true_positive_rate"]), guess]
    costs = [
        Line("best threshold", cost["weight"], cost["cost"]),
        Line("one answer", cost["weight"], cost["trivial"], dashed=True),
    ]
    return [
        Picture(lines_svg(curves, ("false alarms", "found"), "ROC"), f"ROC, area {result['roc_area']:.4f}."),
        Picture(lines_svg(costs, ("weight of the class", "cost of a row"), "cost curve"), "Cost curve."),
    ]


def _compare(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    svg = bars_svg(result["names"], result["scores"], str(result["measure"]))
    return [Picture(svg, f"{result['measure']} of each run.")]


def _probabilities(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    if result["probabilities"] is None:
        return []
    return _named_bars(
        dict(zip(map(str, result["classes"]), result["probabilities"][0], strict=True)), "Probability of each class."
    )


def _answers(space: Space, settings: ActionSettings, result: AnswerFacts) -> list[Picture]:
    if result["classes"] is None:
        return []
    told = [str(each) for each in result["predicted"]]
    return _named_bars(
        {str(each): told.count(str(each)) for each in result["classes"]}, "Rows answered with each class."
    )


DRAWN_ACTIONS: dict[str, Draw] = {
    "data.summary": _histograms,
    "data.plane": lambda space, settings, result: _on_plane(space, settings, "Where the rows lie."),
    "separability.report": _report,
    "separability.measure": _class_scores,
    "separability.curve": _curve,
    "separability.pairs": _pairs,
    "separability.complexity": lambda space, settings, result: _radar(result["profile"]["values"]),
    "separability.alignment": _alignment,
    "features.rank": _rank,
    "features.sweep": _sweep,
    "features.search": lambda space, settings, result: _named_bars(
        result["inclusion"], "Share of the near-best subsets that hold a column."
    ),
    "features.planes": _planes,
    "neighbors.map": lambda space, settings, result: _on_plane(
        space, settings, f"What the {settings['k']} nearest rows vote for at every point.", grid=result
    ),
    "neighbors.curve": _error_over_k,
    "neighbors.of": _near,
    "neighbors.voronoi": _voronoi,
    "rows.suspects": _suspects,
    "rows.prototypes": _prototypes,
    "rows.methods": _methods,
    "kernels.alignment": _alignment,
    "kernels.map": _machine,
    "kernels.surface": _surface,
    "classify.run": _confusion,
    "classify.threshold": _threshold,
    "classify.costs": _confusion,
    "classify.compare": _compare,
    "predict.row": _probabilities,
    "predict.file": _answers,
}
