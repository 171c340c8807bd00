"""What tasks are given: with the task, or where that is more than a partition in pieces, which are sent once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from typing import Any

from sepal.scale._pieces import do_with_pieces, piece_of, pieces_of, too_large

RETRIES = 5  # times a task is done again after its worker was lost
_SMALL = 512  # bytes of what is looked at again for each task
_MOST_HELD = 8  # of what tasks are given in pieces: more are not shared by tasks that are done at a time


class Sending:
    """What the jobs of one run are given: with the task, or where that is too much in pieces, which are sent once."""

    def __init__(self, client: Any, token: str, most: int | None) -> None:
        self._client, self._token, self._most = client, token, most
        self._sizes: dict[int, int] = {}  # by identity: the jobs hold what they are given as long as they are done
        self._sent = OrderedDict[int, tuple[str, list[Any]]]()
        self._n_pieces = 0

    @property
    def futures(self) -> list[Any]:
        """Of the pieces that are held for jobs to come."""
        return [future for _, pieces in self._sent.values() for future in pieces]

    def forget(self) -> None:
        """Hold nothing any more."""
        self._sent.clear()

    def call(self, task: Callable[..., Any], job: tuple[Any, ...]) -> tuple[Any, ...]:
        """The function that does a job, and what it is given."""
        if self._most is None:
            return (task, *job)
        places = too_large([self._size(each) for each in job], self._most)
        if not places:
            return (task, *job)
        apart = [(at, *self._in_pieces(job[at])) for at in places]
        return (do_with_pieces, apart, task, *(None if at in places else each for at, each in enumerate(job)))

    def _size(self, given: Any) -> int:
        found = self._sizes.get(id(given))
        if found is None:
            found = len(_travelling(given))
            if found > _SMALL:
                self._sizes[id(given)] = found
        return found

    def _in_pieces(self, given: Any) -> tuple[str, list[Any]]:
        """What it is called, and its pieces; what several jobs are given is sent for the first of them."""
        if id(given) not in self._sent:
            name, pieces = f"{self._token}-{self._n_pieces}", []
            for piece in pieces_of(_travelling(given), self._most or 0):
                key = f"send-in-pieces-{self._token}-{self._n_pieces}"
                pieces.append(self._client.submit(piece_of, piece, key=key, pure=False, retries=RETRIES))
                self._n_pieces += 1
            self._sent[id(given)] = (name, pieces)
            if len(self._sent) > _MOST_HELD:  # a task under way keeps its pieces where they are
                self._sent.popitem(last=False)
        self._sent.move_to_end(id(given))
        return self._sent[id(given)]


def _travelling(given: Any) -> bytes:
    """Its bytes, as Dask would make them."""
    return bytes(import_module("distributed.protocol.pickle").dumps(given))
