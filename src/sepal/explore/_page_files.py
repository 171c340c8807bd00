"""The files of the page: read from the package when the server starts, and served by exact names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@dataclass(frozen=True)
class PageFile:
    """One file with its type and a mark that changes when it does."""

    content: bytes
    type: str
    mark: str


def page_files() -> dict[str, PageFile]:
    """Path below the folder of the page to file."""
    found: dict[str, PageFile] = {}
    _gather(files("sepal.explore").joinpath("page"), "", found)
    return found


def _gather(folder: Traversable, path: str, found: dict[str, PageFile]) -> None:
    if not folder.is_dir():
        return
    for item in folder.iterdir():
        below = f"{path}{item.name}"
        if item.is_dir():
            _gather(item, f"{below}/", found)
        elif (kind := TYPES.get("." + item.name.rpartition(".")[2])) is not None:
            content = item.read_bytes()
            found[below] = PageFile(content, kind, f'"{hashlib.sha256(content).hexdigest()[:20]}"')
