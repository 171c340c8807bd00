"""Results as plain values and arrays, and these as JSON or as binary: nothing is computed here."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINARY = "application/x-sepal"
FEWEST_BINARY = 16  # numbers from which on an array is binary
# Results of which other attributes are shown than their fields, or more; class name -> attributes.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "AlignmentCurve": (
        *("widths", "scores", "best_width", "best_score", "best_gamma", "at_edge", "kernel", "centered", "n_rows"),
        "notes",
    ),
    "ClassPairAngle": (
        *("classes", "class_rows", "theta", "degrees", "mahalanobis", "plug_in_error", "hotelling", "adjusted_p"),
        "permutation_p",
    ),
    "LeaveOneOutCurve": (
        *("k", "score", "standard_error", "difference_error", "training", "test", "best_k", "one_se_k", "baseline"),
        *("measure", "n_rows", "notes"),
    ),
    "ErrorSurface": ("width", "C", "error", "n_support", "standard_error", "method", "best"),
    "Plane": (
        *("names", "points", "rows", "codes", "classes", "levels", "low", "high", "group", "group_size", "shares"),
        "notes",
    ),
    "PrototypeSet": (
        *("method", "rows", "n_kept", "reduction", "consistency", "is_consistent", "n_rows", "conflicting_rows"),
        *("history", "distance", "notes"),
    ),
    "Projections": ("planes", "single", "n_rows", "notes"),
    "Round": ("n_kept",),
    "Subset": ("mask", "features", "size", "score", "difference", "standard_error"),
    "SubsetSweep": ("names", "sizes", "all_scores", "best", "notes"),
}


def facts(value: Any) -> Any:
    """The value in dicts, lists, texts, numbers, None and numeric arrays."""
    shown = SHOWN.get(type(value).__name__)
    if shown is not None:
        return {name: facts(getattr(value, name)) for name in shown}
    if hasattr(value, "to_dict") and not isinstance(value, type):
        return facts(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: facts(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): facts(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "biuf" else facts(value.tolist())
    if isinstance(value, (list, tuple)):
        return [facts(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, (int, str, type(None))) else str(value)


def as_lists(value: Any) -> Any:
    """Facts with arrays as nested lists, for JSON."""
    if isinstance(value, np.ndarray):
        return _listed(value.tolist())
    if isinstance(value, dict):
        return {key: as_lists(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_lists(entry) for entry in value]
    return value


def _listed(value: Any) -> Any:
    if isinstance(value, list):
        return [_listed(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_json(value: Any) -> bytes:
    """Facts as JSON."""
    return json.dumps(as_lists(value), allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()


def as_binary(answer: Mapping[str, Any]) -> bytes:
    """Facts as JSON with the larger arrays behind it; see docs/design/0006-explorer.md."""
    arrays: list[NDArray[Any]] = []
    plain = _without_arrays(answer, arrays)
    table, offset = [], 0
    for each in arrays:
        table.append({"dtype": each.dtype.str[1:], "shape": list(each.shape), "offset": offset, "bytes": each.nbytes})
        offset += -(-each.nbytes // 8) * 8
    head = json.dumps({**plain, "arrays": table}, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-(4 + len(head)) % 8)
    parts = [struct.pack("<I", len(head)), head]
    for each in arrays:
        parts += [each.tobytes(), b"\0" * (-each.nbytes % 8)]
    return b"".join(parts)


def _without_arrays(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, np.ndarray):
        if value.size < FEWEST_BINARY:
            return _listed(value.tolist())
        arrays.append(_portable(value))
        return {"$array": len(arrays) - 1}
    if isinstance(value, dict):
        return {key: _without_arrays(entry, arrays) for key, entry in value.items()}
    if isinstance(value, list):
        if len(value) >= FEWEST_BINARY and all(type(each) is float for each in value):
            return _without_arrays(np.array(value), arrays)
        return [_without_arrays(entry, arrays) for entry in value]
    return value


def _portable(array: NDArray[Any]) -> NDArray[Any]:
    """One of three types, little-endian: f8, i4 or u1; whole numbers beyond i4 become f8."""
    kind = array.dtype.kind
    if kind == "f":
        return np.ascontiguousarray(array, dtype="<f8")
    if kind == "b" or (array.min() >= 0 and array.max() < 256):
        return np.ascontiguousarray(array, dtype="u1")
    fits = array.min() >= -(2**31) and array.max() < 2**31
    return np.ascontiguousarray(array, dtype="<i4" if fits else "<f8")
