"""The two members of a model file: plain values and arrays, taken out within bounds that are known beforehand."""

from __future__ import annotations

import io
import json
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.exceptions import DataError

LARGEST = 1 << 29  # bytes that a model unpacks to, unless the caller allows more
# Values take far more room as objects than as text. So much text per byte of the file, and never more than a share.
TEXT_RATIO, TEXT_FLOOR, TEXT_SHARE = 100, 1 << 20, 8
# What the zip, JSON and array readers raise over damaged bytes.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, ValueError, KeyError, OSError, EOFError, NotImplementedError, RuntimeError,
    SyntaxError, TypeError, OverflowError, RecursionError, tokenize.TokenError,
)  # fmt: skip
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def packed(content: Any, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a model file."""
    inner, whole = io.BytesIO(), io.BytesIO()
    np.savez_compressed(inner, **arrays)  # type: ignore[arg-type]
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(content))
        archive.writestr("arrays.npz", inner.getvalue(), zipfile.ZIP_STORED)
    return whole.getvalue()


def unpacked(data: bytes, place: Path, most: int) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The values and arrays of a model file; DataError if they are damaged or would take more than ``most`` bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            text_most = min(max(TEXT_FLOOR, TEXT_RATIO * len(data)), most // TEXT_SHARE)
            text = _member(archive, archive.getinfo("model.json"), text_most, place)
            inner = _member(archive, archive.getinfo("arrays.npz"), most, place)
        with zipfile.ZipFile(io.BytesIO(inner)) as archive:
            members = archive.infolist()
            _check_size(sum(member.file_size for member in members), most, "arrays.npz", place)
            arrays = {
                member.filename.removesuffix(".npy"): _array(_member(archive, member, most, place))
                for member in members
            }
        return json.loads(text), arrays
    except _DAMAGE as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{place}: this is not a model, or the file is damaged ({str(error)[:200] or type(error).__name__})",
            hint="models are written by `sepal train -o` or sepal.save_model",
        ) from error


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, place: Path) -> bytes:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{place}: {member.filename[:80]!r} is packed in a way that model files do not use")
    _check_size(member.file_size, most, member.filename, place)
    with archive.open(member) as file:
        return file.read(member.file_size)


def _check_size(size: int, most: int, name: str, place: Path) -> None:
    if size > most:
        raise DataError(
            f"{place}: {name[:80]!r} would unpack to {size:,} bytes, and {most:,} are allowed",
            hint="if the model comes from somebody you trust: load_model(path, max_bytes=...)",
        )


def _array(data: bytes) -> NDArray[Any]:
    """The array of an .npy file, made only once its header is known to declare exactly the bytes that are there."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    shape, by_column, dtype = _HEADERS[version](file)
    if dtype.hasobject or dtype.kind not in "biufUSmM" or any(not 0 <= n < 1 << 60 for n in shape):
        raise ValueError("an array of another type")
    rest = memoryview(data)[file.tell() :]
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"an array of shape {str(shape)[:60]} in {len(rest)} bytes")
    if dtype.itemsize == 0 or 0 in shape:
        return np.zeros(shape, dtype=dtype)
    flat = np.frombuffer(rest, dtype=dtype).copy()
    return flat.reshape(shape, order="F" if by_column else "C")
