"""Packed bytes out of their packing, and no more of them than a table could need."""

from __future__ import annotations

import gzip
import io
import zlib

from sepal.exceptions import DataError

# Tables of small numbers and repeated texts shrink to a hundredth at best; files below the floor harm nobody.
RATIO, FLOOR = 100, 1 << 29
CHUNK = 1 << 20


def most_unpacked(packed: int) -> int:
    """The bytes that so many packed ones may stand for."""
    return max(FLOOR, RATIO * packed)


def gunzipped(data: bytes, source: str) -> bytes:
    """The content of a gzip file, all members of it; the memory used is bounded by the size of the file."""
    found, limit = bytearray(), most_unpacked(len(data))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while part := file.read(CHUNK):
                found += part
                _refuse_bomb(len(found), limit, len(data), source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{source}: expected a whole gzip file, found one that is cut off or damaged ({error})",
            hint="copy or download it again",
        ) from error
    return bytes(found)


def _refuse_bomb(found: int, limit: int, packed: int, source: str) -> None:
    if found > limit:
        raise DataError(
            f"{source}: {packed:,} packed bytes unpack to more than {limit:,}, which is hardly a table",
            hint="if it is one, unpack it first with gunzip: files that are not packed have no limit",
        )
