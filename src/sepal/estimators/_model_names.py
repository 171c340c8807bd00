"""Where a model may be written: over no file that holds something else, and under no name of another format."""

from __future__ import annotations

from pathlib import Path

from sepal.exceptions import ParameterError

# The endings of all that Sepal reads or writes, and that are no models.
_OTHERS = frozenset(
    (
        ".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".arff", ".json", ".jsonl", ".ndjson", ".parquet", ".pq",
        ".feather", ".arrow", ".xlsx", ".xlsm", ".xls", ".ods", ".gz", ".html", ".htm", ".md", ".pdf", ".png", ".svg",
        ".eml", ".mbox",
    )
)  # fmt: skip
# A model file is a zip archive with model.json first: its name stands behind the thirty bytes of the member's header.
_ZIP, _NAME_AT, _FIRST = b"PK\x03\x04", 30, b"model.json"


def check_model_name(path: str | Path, place: str | None = None) -> None:
    """Refuse a name of another format, and a file that is there and holds something else than a model.

    Parameters
    ----------
    path : str or Path
        Where the model is to be written. Devices, pipes, directories and names that cannot be looked at are left to
        whoever writes.
    place : str, optional
        How an error names the file.

    Raises
    ------
    ParameterError
    """
    file = Path(path)
    try:
        if file.exists() and not file.is_file():
            return
        holds_other = file.is_file() and not _may_be_replaced(file)
    except (OSError, ValueError):  # a folder that may not be entered, a name that no file can have
        return
    ending = file.suffix.lower()
    other = "choose another name ending in .sepal" + ("" if ending == ".sepal" else f": {file.with_suffix('.sepal')}")
    if holds_other:
        raise ParameterError(
            f"{place or file}: this would overwrite a file that is not a model of Sepal",
            hint=other,
        )
    if ending in _OTHERS:
        raise ParameterError(f"{place or file}: a model is not written as {ending[1:].upper()}", hint=other)


def _may_be_replaced(file: Path) -> bool:
    """Whether a file is empty or begins as a model does, a whole one or a damaged one."""
    with file.open("rb") as opened:
        begin = opened.read(_NAME_AT + len(_FIRST))
    return not begin or (begin.startswith(_ZIP) and begin[_NAME_AT:] == _FIRST)
