"""What is larger than a partition travels in pieces: what a task is given, and what it answers.

What it is given is cut into tasks of their own, each of which gives its piece to whoever needs it: Dask brings these
to the workers, and does them again where one is lost. For every piece of an answer the task is done, unless its answer
is still there.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any

from sepal.exceptions import ClusterError

_AROUND = 512  # bytes of a piece beside its own
_WAITING = 64 * 2**20  # bytes of answers of a process that wait to be fetched
_KEPT = 3  # of what tasks are given in pieces, in each process: tasks that share it come one after the other


def piece_bytes(most: int) -> int:
    """How many bytes a piece has, where a task may carry or give so many."""
    return max(_AROUND, most - _AROUND)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some bytes of an answer that is too large, how many such pieces there are, and a digest of all of it."""

    data: bytes
    n_pieces: int
    digest: bytes


class _Answers:
    """Answers of this process that were too large, until their last piece is fetched; the oldest go where many wait.

    Whoever asks for a piece, asks for the others soon, but other tasks may be done in between.
    """

    def __init__(self) -> None:
        self._lock, self._held = Lock(), OrderedDict[str, bytes]()

    def data(self, key: str) -> bytes | None:
        """The bytes of one that is still there."""
        with self._lock:
            return self._held.get(key)

    def keep(self, key: str, data: bytes) -> None:
        """Hold one, and let go of the oldest where all take too much."""
        with self._lock:
            self._held[key] = data
            while len(self._held) > 1 and sum(map(len, self._held.values())) > _WAITING:
                self._held.popitem(last=False)

    def forget(self, key: str) -> None:
        """It has been fetched."""
        with self._lock:
            self._held.pop(key, None)


_ANSWERS = _Answers()


def answer_in_pieces(key: str, at: int, most: int, task: Callable[..., Any], *job: Any) -> Any:
    """The answer of a task; where it takes more than ``most`` bytes, the piece of it at a place."""
    data, size = _ANSWERS.data(key), piece_bytes(most)
    if data is None:
        answer = task(*job)
        data = pickle.dumps(answer, protocol=5)
        if at == 0 and len(data) <= most:
            return answer
        _ANSWERS.keep(key, data)
    digest = blake2b(data, digest_size=16).digest()
    found = Piece(data[at * size : (at + 1) * size], -(-len(data) // size), digest)
    if at == found.n_pieces - 1:
        _ANSWERS.forget(key)
    return found


def put_together(first: Piece, fetch: Callable[[int], Piece], name: str) -> Any:
    """The answer, from its first piece and those that are fetched by their places."""
    data = bytearray(first.data)
    for at in range(1, first.n_pieces):
        piece = fetch(at)
        if piece.digest != first.digest:
            raise ClusterError(
                f"{name}: two workers gave different answers to one question", hint="are they of one version?"
            )
        data += piece.data
    return pickle.loads(bytes(data))  # noqa: S301 - it comes from our own workers, as every answer does


def too_large(sizes: Sequence[int], most: int) -> list[int]:
    """The places of what does not travel with a task: the largest, so that the rest has no more than ``most`` bytes.

    >>> too_large([10, 7_000, 20, 9_000], 8_000), too_large([10, 20], 8_000)
    ([3], [])
    """
    found, left = [], sum(sizes) + _AROUND
    for at in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
        if left <= most or sizes[at] <= _AROUND:
            break
        found.append(at)
        left -= sizes[at]
    return sorted(found)


def piece_of(data: bytes) -> bytes:
    """A piece of what tasks are given."""
    return data


def pieces_of(data: bytes, most: int) -> Iterator[bytes]:
    """One after the other."""
    size = piece_bytes(most)
    return (data[at : at + size] for at in range(0, len(data), size))


class _Given:
    """What the last tasks of this process were given in pieces, put together."""

    def __init__(self) -> None:
        self._lock, self._held = Lock(), OrderedDict[str, Any]()

    def whole(self, name: str, pieces: Sequence[bytes]) -> Any:
        """What has this name, from its pieces unless it is still there."""
        with self._lock:
            if name not in self._held:
                self._held[name] = pickle.loads(b"".join(pieces))  # noqa: S301 - it comes from our own client
            self._held.move_to_end(name)
            found = self._held[name]
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)
            return found


_GIVEN = _Given()


def do_with_pieces(apart: Sequence[tuple[int, str, Sequence[bytes]]], task: Callable[..., Any], *job: Any) -> Any:
    """Do a task some of whose arguments came in pieces: their places, names and pieces."""
    whole = list(job)
    for at, name, pieces in apart:
        whole[at] = _GIVEN.whole(name, pieces)
    return task(*whole)
