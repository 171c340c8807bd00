"""Models as files that hold data and no code.

A model file is a zip archive with ``model.json`` (plain values) and ``arrays.npz`` (numeric and text arrays, read with
pickling off). Loading makes only classes of this package, and a few of scikit-learn that stand in pipelines, by setting
their attributes; nothing in the file is executed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import getattr_static, signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from sepal.data import Table, write_whole
from sepal.estimators._field_types import field_types, matches
from sepal.estimators._model_files import LARGEST, packed, unpacked
from sepal.estimators._model_names import check_model_name
from sepal.estimators._scikit_learn_steps import (
    check_steps,
    dtype_named,
    fits,
    is_pipeline,
    known_class,
    known_name,
    state_of,
)
from sepal.estimators._trial import answers_rows
from sepal.exceptions import DataError, ParameterError
from sepal.kernels import KERNELS, Kernel
from sepal.parameters import check_whole

FORMAT = "sepal model"
VERSION = 1
_OURS = re.compile(r"sepal(\.[A-Za-z_][A-Za-z0-9_]*)+")
NOT_OF_THE_MODEL = ("_sklearn_version", "_skl_callbacks")  # what estimators of scikit-learn hold beside it


def save_model(model: Any, path: str | Path) -> Path:
    """Write a fitted estimator to a file.

    Parameters
    ----------
    model : estimator of Sepal, or scikit-learn Pipeline
        The steps of a pipeline may be estimators of Sepal and scikit-learn's StandardScaler, MinMaxScaler,
        MaxAbsScaler, RobustScaler, SimpleImputer and VarianceThreshold; the error names a step that is none of them.
        Parameters that are functions (a weight function, a prototype method of one's own) cannot be written.
    path : str or Path
        Ending in ``.sepal``, or in nothing that another format ends in. Models that stand there are replaced, other
        files are not.

    Returns
    -------
    Path

    Raises
    ------
    ParameterError
        If the model, or something in it, is not of a type that can be written; the text names the attribute. If the
        file cannot be written: it is written aside and renamed, so that what stood there before stays. If the name
        ends as another format does, or a file of that name holds something else than a model.
    sklearn.exceptions.NotFittedError
        If the model has not been fitted.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sepal.learners import KNNClassifier
    >>> model = make_pipeline(StandardScaler(), KNNClassifier(1)).fit([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_model(save_model(model, Path(folder, "model.sepal"))).predict([[1.4], [8.7]])
    array([0, 1])
    """
    if is_pipeline(model):
        check_steps(model, _is_ours)
    elif not isinstance(model, BaseEstimator) or not _is_ours(type(model)):
        raise ParameterError(
            f"model must be an estimator of Sepal, or a scikit-learn Pipeline of some; got {type(model).__name__}"
        )
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path: expected the name of a file, found a {type(path).__name__}")
    _check_fitted(model)
    check_model_name(path)
    arrays: dict[str, NDArray[Any]] = {}
    content = {"format": FORMAT, "version": VERSION, "model": _pack(model, type(model).__name__, arrays)}
    target = Path(path)
    write_whole(target, packed(content, arrays))
    return target


def load_model(path: str | Path, *, max_bytes: int = LARGEST) -> Any:
    """Read an estimator that :func:`save_model` wrote. A file from a stranger runs no code.

    Parameters
    ----------
    path : str or Path
        The model file.
    max_bytes : int, default=512 MB
        The most that the model may unpack to: a small file must not fill the memory.

    Returns
    -------
    estimator
        Fitted, as it was saved.

    Raises
    ------
    DataError
        If the file is missing, is not a model, is damaged, too large or names a type that is not Sepal's own.

    Examples
    --------
    >>> import pathlib, sepal, tempfile
    >>> from sepal.estimators import load_model, save_model
    >>> model = sepal.KNNClassifier(1).fit(sepal.datasets.load("athletes"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_model(save_model(model, pathlib.Path(folder, "model.sepal")))
    >>> again.n_neighbors_
    1
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path: expected the name of a file, found a {type(path).__name__}")
    check_whole("max_bytes", max_bytes)
    place = Path(path)
    try:
        if not place.is_file():
            raise DataError(f"{place}: there is no such file")
        if place.stat().st_size > max_bytes:
            raise DataError(
                f"{place}: the file has {place.stat().st_size:,} bytes, and {max_bytes:,} are allowed",
                hint="if the model comes from somebody you trust: load_model(path, max_bytes=...)",
            )
        data = place.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{str(place)!r}: the file cannot be read: {error}") from error
    return rebuilt(*unpacked(data, place, int(max_bytes)), place)


def rebuilt(content: Any, arrays: Mapping[str, NDArray[Any]], place: Path) -> Any:
    """The estimator that the values and arrays of a file describe, once they are known to fit together."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{place}: this is not a model of Sepal")
    if content.get("version") != VERSION:
        raise DataError(
            f"{place}: the model is of version {content.get('version')}, this Sepal reads version {VERSION}",
            hint="train it again, or use the Sepal that wrote it",
        )
    try:
        model = _unpack(content.get("model"), arrays, place)
    except RecursionError as error:
        raise DataError(f"{place}: the file is damaged: values stand inside each other without end") from error
    if not isinstance(model, BaseEstimator):
        raise DataError(f"{place}: the file holds a {type(model).__name__}, not an estimator")
    if not answers_rows(model):
        raise DataError(f"{place}: the file is damaged: the parts of {type(model).__name__} do not fit together")
    return model


def _check_fitted(model: Any) -> None:
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise NotFittedError(
            f"model: expected a fitted estimator, found a {type(model).__name__} that has learned nothing yet\n"
            "hint: model.fit(X, y) first"
        ) from error


def _is_ours(kind: type) -> bool:
    return bool(_OURS.fullmatch(kind.__module__)) and (is_dataclass(kind) or issubclass(kind, BaseEstimator))


def _pack(value: Any, where: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """A value as JSON: plain values as they are, everything else as a tagged object."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.generic):
        return {"scalar": _pack_array(np.asarray(value), where, arrays)}
    if isinstance(value, np.ndarray):
        return {"array": _pack_array(value, where, arrays)}
    if isinstance(value, csr_array):
        parts = {name: _pack_array(getattr(value, name), where, arrays) for name in ("data", "indices", "indptr")}
        return {"sparse": {**parts, "shape": list(value.shape)}}
    if isinstance(value, (list, tuple)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_pack(each, f"{where}[{i}]", arrays) for i, each in enumerate(value)]}
    if isinstance(value, Mapping):
        pairs = [[_pack(k, where, arrays), _pack(v, f"{where}[{k!r}]", arrays)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, Kernel) and KERNELS.get(value.name) is value:
        return {"kernel": value.name}  # its formulas are code, and stay in the package
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if (name := known_name(value)) is not None:
        held = state_of(value)
        kept = {each: _pack(held[each], f"{where}.{each}", arrays) for each in sorted(held)}
        return {"scikit-learn": name, "fields": kept}
    if getattr(value, "found_by", None) == "approximate":
        raise ParameterError(
            f"{where}: approximate neighbours cannot be written to a model file", hint="fit it with method='auto'"
        )
    if _is_ours(type(value)):
        if is_dataclass(value):
            state = {field.name: getattr(value, field.name) for field in fields(value)}
        else:  # what a copy of the estimator would need
            state = {name: each for name, each in value.__getstate__().items() if name not in NOT_OF_THE_MODEL}
        kept = {name: _pack(state[name], f"{where}.{name}", arrays) for name in sorted(state)}
        return {"object": f"{type(value).__module__}:{type(value).__qualname__}", "fields": kept}
    raise ParameterError(
        f"{where}: a {type(value).__name__} cannot be written to a model file",
        hint="functions as parameters have names of their own in Sepal; use one of those",
    )


def _pack_array(array: NDArray[Any], where: str, arrays: dict[str, NDArray[Any]]) -> Any:
    if array.dtype.kind == "O":
        return {"objects": [_pack(each, where, arrays) for each in array.ravel().tolist()], "shape": list(array.shape)}
    if array.dtype.kind not in "biufUSmM":
        raise ParameterError(f"{where}: an array of {array.dtype} cannot be written to a model file")
    name = f"a{len(arrays)}"
    arrays[name] = array
    return name


def _unpack(packed: Any, arrays: Mapping[str, NDArray[Any]], place: Path) -> Any:
    if packed is None or isinstance(packed, (bool, int, float, str)):
        return packed
    if not isinstance(packed, dict):
        raise DataError(f"{place}: the file is damaged: found {type(packed).__name__} where a value was expected")
    for tag, make in (("object", _make), ("scikit-learn", _make_known)):
        if tag in packed:
            if not isinstance(packed.get("fields"), dict):
                raise DataError(f"{place}: the file is damaged: {str(packed[tag])[:80]} has no fields")
            return make(packed, arrays, place)
    if len(packed) != 1:
        raise DataError(f"{place}: the file is damaged: found {sorted(packed)[:3]} where a value was expected")
    (tag, content), *_ = packed.items()
    try:
        return _UNPACK[tag](content, arrays, place)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{place}: the file is damaged near {tag!r}") from error


def _unpack_array(content: Any, arrays: Mapping[str, NDArray[Any]], place: Path) -> NDArray[Any]:
    if isinstance(content, str):
        return arrays[content]
    array = np.empty(len(content["objects"]), dtype=object)
    array[:] = [_unpack(each, arrays, place) for each in content["objects"]]
    shape = content["shape"]
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError("no shape")
    return array.reshape(shape)


def _unpack_sparse(content: Any, arrays: Mapping[str, NDArray[Any]], place: Path) -> csr_array:
    parts = [_unpack_array(content[name], arrays, place) for name in ("data", "indices", "indptr")]
    found = csr_array(tuple(parts), shape=tuple(content["shape"]))
    found.check_format(full_check=True)  # an index beyond the shape would read memory that is not ours
    return found


_UNPACK: dict[str, Any] = {
    "float": lambda content, arrays, place: {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}[content],
    "scalar": lambda content, arrays, place: _unpack_array(content, arrays, place)[()],
    "array": _unpack_array,
    "sparse": _unpack_sparse,
    "kernel": lambda content, arrays, place: KERNELS[content],
    "dtype": lambda content, arrays, place: dtype_named(content),
    "list": lambda content, arrays, place: [_unpack(each, arrays, place) for each in content],
    "tuple": lambda content, arrays, place: tuple(_unpack(each, arrays, place) for each in content),
    "dict": lambda content, arrays, place: {
        _unpack(key, arrays, place): _unpack(value, arrays, place) for key, value in content
    },
}


def _make(packed: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], place: Path) -> Any:
    """An object of one of our classes, with its attributes set and no code of the file's choosing run."""
    kind = _class_named(packed["object"], place)
    values = {name: _unpack(value, arrays, place) for name, value in packed["fields"].items()}
    if is_dataclass(kind):
        known = {field.name for field in fields(kind)}
        if set(values) != known:
            strange = sorted(set(values) ^ known)[0]
            raise DataError(
                f"{place}: {packed['object']} does not fit: {strange!r}",
                hint="the model was written by another version of Sepal; train it again",
            )
        try:
            declared = field_types(kind)
        except LookupError as error:
            raise _foreign(packed["object"], place) from error
        for name, value in values.items():
            if not matches(value, declared[name]):
                raise DataError(f"{place}: the file is damaged: {name!r} of {kind.__name__} is of another type")
    else:
        _check_attributes(kind, values, place)
    made: Any = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    _check_parts(made, place)
    return made


def _make_known(packed: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], place: Path) -> Any:
    """A pipeline, or one of the transformers of scikit-learn that may stand in it."""
    name = packed["scikit-learn"]
    kind = known_class(name) if isinstance(name, str) else None
    if kind is None:
        raise _foreign(f"sklearn:{name}", place)
    values = {each: _unpack(value, arrays, place) for each, value in packed["fields"].items()}
    _check_attributes(kind, values, place)
    if not fits(name, values):
        raise DataError(f"{place}: the file is damaged: the parts of {name} do not fit together")
    made: Any = object.__new__(kind)
    for each, value in values.items():
        object.__setattr__(made, each, value)
    return made


def _check_attributes(kind: type, values: Mapping[str, Any], place: Path) -> None:
    """An estimator has its parameters and what it has learned; its methods and its class are not the file's to set."""
    parameters = set(signature(kind).parameters)
    for name in values:
        if not name.isidentifier() or name.startswith("__") or (name not in parameters and _is_fixed(kind, name)):
            raise DataError(f"{place}: the file is damaged: {kind.__name__} has no attribute {name[:80]!r}")
    if not parameters <= set(values):
        raise DataError(
            f"{place}: {kind.__name__} does not fit: {sorted(parameters - set(values))[0]!r}",
            hint="the model was written by another version of Sepal; train it again",
        )


def _is_fixed(kind: type, name: str) -> bool:
    fixed = getattr_static(kind, name, None)
    return callable(fixed) or hasattr(fixed, "__get__")


def _check_parts(made: Any, place: Path) -> None:
    """Whether the parts of an object belong together, so that no later index or native loop leaves an array."""
    try:
        if isinstance(made, Table):
            made.__post_init__()
        fit = getattr(made, "fits_together", None)
        fitting = fit is None or fit()
    except (AttributeError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise DataError(
            f"{place}: the file is damaged: the parts of {type(made).__name__} do not fit together"
        ) from error
    if not fitting:
        raise DataError(f"{place}: the file is damaged: the parts of {type(made).__name__} do not fit together")


def _class_named(name: Any, place: Path) -> type:
    module, _, qualname = str(name).partition(":")
    if _OURS.fullmatch(module) and qualname.isidentifier():
        try:
            kind = getattr(import_module(module), qualname, None)
        except ImportError:
            kind = None
        if isinstance(kind, type) and kind.__module__ == module and _is_ours(kind):
            return kind
    raise _foreign(name, place)


def _foreign(name: Any, place: Path) -> DataError:
    return DataError(f"{place}: the file names the type {str(name)[:80]!r}, which is not one that Sepal saves")
