"""Run experiments one after the other into a folder; what is done stays done."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from sepal.data import write_whole
from sepal.exceptions import ParameterError
from sepal.progress import Progress, silent
from sepal.reproduce._facts import Experiment
from sepal.reproduce._page import index_page
from sepal.reproduce._registry import EXPERIMENTS, wanted
from sepal.reproduce._store import Stored, is_fresh, keep, stored

INDEX = "index.html"


@dataclass(frozen=True)
class Reproduction:
    """What a run did.

    Attributes
    ----------
    folder : Path
        Where ``index.html`` and the files of the experiments are.
    made, kept : tuple of str
        Experiments that were run now, and those that were there and up to date.
    found : tuple of Stored
        All that the folder holds now, in the order of the list.
    seconds : float

    Examples
    --------
    >>> import tempfile
    >>> from sepal.reproduce import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(reproduce("E1", folder).made, reproduce("E1", folder).kept)
    ('E1',) ('E1',)
    """

    folder: Path
    made: tuple[str, ...]
    kept: tuple[str, ...]
    found: tuple[Stored, ...]
    seconds: float


def reproduce(
    only: str | None = None, folder: str | Path = "reproduce", *, quick: bool = False, progress: Progress | None = None
) -> Reproduction:
    """Make the experiments of the founding documents again, and the page that shows them.

    Parameters
    ----------
    only : str, optional
        Experiments by their ids with commas between, or letters for whole groups: ``"A1,B"``. Without it all.
    folder : str or Path
        Where the files go; made if it is not there. Experiments that it holds already, made by the same code with the
        same parameters, are taken as they are. After Ctrl-C it holds what was done, and the page shows it.
    quick : bool
        Smaller sizes: the same figures, coarser.
    progress : callable, optional
        ``progress(text, share)``.

    Returns
    -------
    Reproduction

    Raises
    ------
    ParameterError
        If there is no such experiment, or the folder cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = reproduce("E1", folder)
    ...     sorted(path.name for path in done.folder.iterdir())
    ['E1.json', 'E1.png', 'E1.svg', 'index.html']
    """
    chosen, target, tell = wanted(only), _folder(folder), progress or silent
    begin, made, kept = time.perf_counter(), [], []
    index_page(target, ())  # what it imports is there before the first experiment: Ctrl-C within an import ends at once
    try:
        for i, experiment in enumerate(chosen):
            tell(f"{experiment.id}: {experiment.title}", i / len(chosen))
            if is_fresh(stored(target, experiment), experiment, quick):
                kept.append(experiment.id)
            else:
                _make(target, experiment, quick)
                made.append(experiment.id)
                _write_page(target)
        tell("the page", 1.0)
    finally:  # Ctrl-C leaves a page, too
        found = _write_page(target)
    return Reproduction(target, tuple(made), tuple(kept), found, time.perf_counter() - begin)


def _write_page(folder: Path) -> tuple[Stored, ...]:
    found = tuple(each for each in (stored(folder, one) for one in EXPERIMENTS.values()) if each is not None)
    write_whole(folder / INDEX, index_page(folder, found))
    return found


def _folder(given: str | Path) -> Path:
    folder = Path(given)
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError as error:
        raise ParameterError(f"{folder}: expected a folder, found a file", hint="choose another name") from error
    except OSError as error:
        hint = None if folder.parent.is_dir() else f"mkdir -p {folder.parent}"
        raise ParameterError(f"{folder}: the folder cannot be made: {error.strerror}", hint=hint) from error
    return folder


def _make(folder: Path, experiment: Experiment, quick: bool) -> None:
    begin = time.perf_counter()
    result = experiment.run(quick)
    keep(folder, experiment, quick, time.perf_counter() - begin, result)
