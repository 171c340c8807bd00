"""The screen Neighbours: the decision map for every k, the error over k, and who is near a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from sepal.data import Plane, Table, row_page
from sepal.exceptions import DataError, ParameterError
from sepal.explore._action import Action, ActionSettings, call, field, taken
from sepal.explore._code import other_code
from sepal.explore._data_actions import PLANE, plane_code, plane_of
from sepal.explore._shelf import Space

GRID_NEIGHBORS = 50  # neighbours of the grid that are looked for at first; more when a larger k is asked for


def _knn_table() -> Any:
    from sepal.learners import KNNClassifier
    from sepal.parameters import parameters

    return parameters(KNNClassifier)


K = field("k", "whole", "how many rows vote", 5, at_least=1)
N_GRID = field("n_grid", "whole", "points per side of the map", 100, at_least=2, at_most=400)
WEIGHTS = taken(_knn_table(), "weights", "uniform", looked_up=False)
ON_PLANE = field("plane", "flag", "by the two columns of the plane instead of all columns", False)


def _knn_code(space: Space, settings: ActionSettings, k: Any) -> str:
    return call("sepal.KNNClassifier", repr(k), weights=settings["weights"], **space.view.how)


def _kept_votes(space: Space, settings: ActionSettings, flat: Plane) -> Any:
    """The neighbours of the grid, looked for once for every k and every weight."""
    from sepal.learners import KeptVotes, KNNClassifier

    key = ("votes", settings["x"], settings["y"], settings["n_grid"], settings["prototypes"])
    k = settings["k"]
    if k > flat.table.n_rows:
        raise ParameterError(f"k is {k}, but there are only {flat.table.n_rows} rows")

    def made(k_max: int) -> Any:
        model = KNNClassifier(1, prototypes=settings["prototypes"], **space.view.how).fit(flat.table)
        return KeptVotes(model, flat.grid(settings["n_grid"])[2], k_max)

    kept = space.keep(key, lambda: made(max(GRID_NEIGHBORS, k)))
    if k > kept.k_max and kept.k_max < kept.model.neighborhood_.total_mass:
        space.forget(key)
        kept = space.keep(key, lambda: made(2 * k))
    return kept


def _map(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.machines import DecisionRegions, lead

    flat = plane_of(space, settings)
    kept = _kept_votes(space, settings, flat)
    n = settings["n_grid"]
    xs, ys, _ = flat.grid(n)
    shares, codes = kept.answers(settings["k"], settings["weights"])
    return DecisionRegions(
        xs,
        ys,
        codes.reshape(n, n),
        lead(shares).reshape(n, n),
        None,
        np.zeros(0, dtype=np.intp),
        tuple(kept.model.classes_.tolist()),
        flat.table.names,
    )


def _map_code(space: Space, settings: ActionSettings) -> str:
    named = {"prototypes": settings["prototypes"]} if settings["prototypes"] else {}
    model = call("sepal.KNNClassifier", repr(settings["k"]), weights=settings["weights"], **named, **space.view.how)
    grid = call("sepal.machines.decision_regions", "model", "plane", n_grid=settings["n_grid"])
    return f"{plane_code(space, settings)}\nmodel = {model}.fit(plane.table)\nresult = {grid}"


def _curve(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.evaluation import leave_one_out_curve

    table = _rows_of(space, settings)
    test = None if settings["test"] is None else space.other(settings["test"])
    if test is not None and settings["plane"]:
        test = _on_columns(test, settings)
    return leave_one_out_curve(
        table,
        k_max=settings["k_max"],
        weights=settings["weights"],
        test=test,
        training=settings["training"],
        **_together(space, settings),
        **space.view.how,
    )


def _together(space: Space, settings: ActionSettings) -> dict[str, Any]:
    """The groups of the rows of the curve; rows without a cell have no place on the plane."""
    found = space.together("sepal.leave_one_out_curve")
    return {"groups": found["groups"][plane_of(space, settings).rows]} if found and settings["plane"] else found


def _rows_of(space: Space, settings: ActionSettings) -> Table:
    return plane_of(space, settings).table if settings["plane"] else space.table


def _on_columns(test: Table, settings: ActionSettings) -> Table:
    if settings["x"] is None:
        raise ParameterError("test: other rows have no place on principal axes; choose two columns")
    return test.select([settings["x"], settings["y"]])


def _curve_code(space: Space, settings: ActionSettings) -> str:
    lines = []
    named: dict[str, Any] = {}
    rows = "table"
    if settings["plane"]:
        lines.append(plane_code(space, settings))
        rows = "plane.table"
    test = ""
    if settings["test"] is not None:
        lines.append(other_code(space, settings["test"]))
        test = ", test=test" if not settings["plane"] else f", test=test.select({[settings['x'], settings['y']]!r})"
    named = {"k_max": settings["k_max"], "weights": settings["weights"], "training": settings["training"]}
    if space.groups is not None:
        test += ", groups=groups[plane.rows]" if settings["plane"] else ", groups=groups"
    text = call("sepal.leave_one_out_curve", rows, **named, **space.view.how)
    return "\n".join([*lines, f"result = {text[:-1]}{test})"])


def _asked(space: Space, settings: ActionSettings) -> tuple[Table, Any, Plane | None, int | None]:
    """Among which rows, about which one, on which plane, and where the row itself is among them."""
    row, point = settings["row"], settings["point"]
    if (row is None) == (point is None):
        raise ParameterError("row and point: give one of them")
    if point is not None:
        flat = plane_of(space, settings)
        if len(point) != 2 or not all(isinstance(each, (int, float)) for each in point):
            raise ParameterError(f"point: expected two numbers; got {point!r}")
        return flat.table, flat.at(*point), flat, None
    if not row < space.table.n_rows:
        raise ParameterError(f"row: expected a row from 0 to {space.table.n_rows - 1}; got {row}")
    if not settings["plane"]:
        return space.table, space.table.take([row]), None, row
    flat = plane_of(space, settings)
    if row not in flat.place:
        raise DataError(f"row {row} has no cell in one of the columns of the plane")
    at = flat.place[row]
    return flat.table, flat.table.take([at]), flat, at


def _left_out(space: Space, flat: Plane | None, at: int) -> Any:
    """The row itself, and those of its group."""
    if space.groups is None:
        return at
    groups = space.groups if flat is None else space.groups[flat.rows]
    return groups == groups[at]


def _of(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.learners import KNNClassifier

    table, asked, flat, at = _asked(space, settings)
    weight = np.ones(table.n_rows)
    if at is not None:
        weight[_left_out(space, flat, at)] = 0.0
    model = KNNClassifier(settings["k"], weights=settings["weights"], **space.view.how)
    found = model.fit(table, sample_weight=weight).explain(asked)
    near = (found.rows if flat is None else flat.rows[found.rows]).tolist()
    shown = near if settings["row"] is None else [settings["row"], *near]
    return {"explanation": found, "rows": row_page(space.table, 0, 10_000, rows=shown)}


def _of_code(space: Space, settings: ActionSettings) -> str:
    row, flat = settings["row"], settings["plane"] or settings["row"] is None
    rows = "plane.table" if flat else "table"
    lines = ["import numpy as np", *([plane_code(space, settings)] if flat else []), f"weight = np.ones({rows}.n_rows)"]
    if row is None:
        asked = f"plane.at(*{settings['point']!r})"
    else:
        lines.append(f"at = plane.place[{row}]" if flat else f"at = {row}")
        if space.groups is None:
            lines.append("weight[at] = 0  # the row itself is left out")
        else:
            groups = "groups[plane.rows]" if flat else "groups"
            lines += [f"among = {groups}", "weight[among == among[at]] = 0  # its group is left out"]
        asked = f"{rows}.take([at])"
    near = "plane.rows[found.rows]" if flat else "found.rows"
    first = "" if row is None else f"{row}, "
    page = f"sepal.data.row_page(table, 0, 10_000, rows=[{first}*{near}.tolist()])"
    return "\n".join(
        [
            *lines,
            f"model = {_knn_code(space, settings, settings['k'])}.fit({rows}, sample_weight=weight)",
            f"found = model.explain({asked})",
            f'result = {{"explanation": found, "rows": {page}}}',
        ]
    )


def _voronoi(space: Space, settings: ActionSettings, progress: Any) -> Any:
    from sepal.neighbors import voronoi_edges

    flat = plane_of(space, settings)
    return voronoi_edges(flat.points, flat.table.y, low=flat.low, high=flat.high, **space.view.scaling)


def _voronoi_code(space: Space, settings: ActionSettings) -> str:
    made = f"plane.points, plane.table.y, low=plane.low, high=plane.high, scale={space.view.scaling['scale']!r}"
    return f"{plane_code(space, settings)}\nresult = sepal.neighbors.voronoi_edges({made})"


NEIGHBOR_ACTIONS = (
    Action(
        "neighbors.map",
        "which class the neighbours of every point of a plane vote for",
        "cheap",
        (*PLANE, K, WEIGHTS, N_GRID, taken(_knn_table(), "prototypes", None, looked_up=False)),
        _map,
        _map_code,
    ),
    Action(
        "neighbors.curve",
        "how good every k is: on rows left out, on the training rows themselves, and on other rows",
        "job",
        (
            *PLANE,
            ON_PLANE,
            taken(_knn_table(), "k_max", None),
            WEIGHTS,
            field("training", "flag", "also on the training rows themselves", True),
            field("test", "word", "other rows", None, "data", optional=True, looked_up=True),
        ),
        _curve,
        _curve_code,
    ),
    Action(
        "neighbors.of",
        "the neighbours of a row or a point, and how much every column puts between them",
        "cheap",
        (
            field("row", "whole", "the row; it is left out itself", None, "row", at_least=0, optional=True),
            field("point", "other", "or a point of the plane", None, "point", optional=True, also=("sequence",)),
            *PLANE,
            ON_PLANE,
            K,
            WEIGHTS,
        ),
        _of,
        _of_code,
    ),
    Action(
        "neighbors.voronoi",
        "the borders of the cells of all points: where the nearest row changes",
        "cheap",
        PLANE,
        _voronoi,
        _voronoi_code,
    ),
)
