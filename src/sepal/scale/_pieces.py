"""Answers that are larger than a partition travel in pieces: the task is done for each, or its answer still there."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any

from sepal.exceptions import ClusterError

_AROUND = 512  # bytes of a piece beside those of the answer


@dataclass(frozen=True, eq=False)
class Piece:
    """Some bytes of an answer that is too large, how many such pieces there are, and a digest of all of it."""

    data: bytes
    n_pieces: int
    digest: bytes


class _Last:
    """The last answer of this process that was too large: whoever asks for a piece, asks for the others soon."""

    def __init__(self) -> None:
        self._lock, self._key, self._data = Lock(), "", b""

    def data(self, key: str) -> bytes | None:
        """Its bytes."""
        with self._lock:
            return self._data if key == self._key else None

    def keep(self, key: str, data: bytes) -> None:
        """Hold it in place of the one before."""
        with self._lock:
            self._key, self._data = key, data


_LAST = _Last()


def answer_in_pieces(key: str, at: int, most: int, task: Callable[..., Any], *job: Any) -> Any:
    """The answer of a task; where it takes more than ``most`` bytes, the piece of it at a place."""
    data, size = _LAST.data(key), max(1, most - _AROUND)
    if data is None:
        answer = task(*job)
        data = pickle.dumps(answer, protocol=5)
        if at == 0 and len(data) <= most:
            return answer
        _LAST.keep(key, data)
    digest = blake2b(data, digest_size=16).digest()
    found = Piece(data[at * size : (at + 1) * size], -(-len(data) // size), digest)
    if at == found.n_pieces - 1:
        _LAST.keep("", b"")
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
