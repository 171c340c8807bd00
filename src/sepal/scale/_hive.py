"""Columns that the names of folders say: ``sales/year=2024/region=north/part-0.parquet``, as Spark and Dask write."""

from __future__ import annotations

import glob
import re
from collections.abc import Collection, Sequence
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from sepal.data import FolderColumn

_NONE = ("__HIVE_DEFAULT_PARTITION__", "")  # what stands for a missing value
_WHOLE = re.compile(r"-?[0-9]{1,15}", re.ASCII)  # so many digits are exact in float64


def folder_columns(files: Sequence[Path], source: str) -> list[tuple[FolderColumn, ...]]:
    """Of each file what the folders say that lie between it and the folder, or the fixed part of the pattern, given.

    Values are texts, or whole numbers where all values of a name are.

    >>> files = [Path("sales/year=2024/shop=a%20b/0.csv"), Path("sales/year=2025/shop=c/0.csv")]
    >>> folder_columns(files, "sales/*/*/*.csv")
    [(('year', 2024), ('shop', 'a b')), (('year', 2025), ('shop', 'c'))]
    """
    base = Path(source)
    if not base.is_dir():
        base = Path(*takewhile(lambda step: not glob.has_magic(step), base.parts))
    said = [_said(file.relative_to(base).parts[:-1]) for file in files]
    texts = {name for each in said for name, value in each.items() if value is not None and not _WHOLE.fullmatch(value)}
    return [
        tuple((name, value if value is None or name in texts else int(value)) for name, value in each.items())
        for each in said
    ]


def folder_texts(path: str, folders: tuple[FolderColumn, ...], names: Collection[str]) -> tuple[FolderColumn, ...]:
    """The columns of a file's folders, some as they are written though all values are whole numbers.

    >>> folder_texts("sales/shop=01/year=2024/0.csv", (("shop", 1), ("year", 2024)), ["shop"])
    (('shop', '01'), ('year', 2024))
    """
    written = _said(Path(path).parts[:-1])
    return tuple((name, written[name] if name in names else value) for name, value in folders)


def _said(folders: Sequence[str]) -> dict[str, str | None]:
    pairs = (folder.partition("=") for folder in folders if not folder.startswith("=") and "=" in folder)
    return {unquote(name): None if value in _NONE else unquote(value) for name, _, value in pairs}
