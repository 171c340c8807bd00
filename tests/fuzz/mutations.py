"""Inputs that are nearly right: bytes with a few changes, and models with parts that were exchanged."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Model = tuple[Any, dict[str, NDArray[Any]]]

# What stands at the edges of what readers know.
EVERYWHERE = (
    b"", b",", b";", b"\t", b"|", b" ", b"\n", b"\r\n", b"\r", b'"', b"'", b"\\", b"{", b"}", b"%", b"@", b"?", b"=",
    b"\xef\xbb\xbf", b"\xff", b"\x00", b"\x1c", "\u00a0".encode(), "\u2028".encode(), "\u0663".encode(), b"NaN",
    b"inf", b"-Infinity", b"1e999", b"1e-400", b"-0", b"0x10", b"1_0", b"1,5", b"1.000,5", b"9007199254740993",
    b"9" * 400, b"null", b"NA", b"class", b"@data\n", b"@attribute a date 'yyyy'\n", b"{0 1}", b"{1 x, 0 2}", b", {5}",
    b"@attribute b {x,'y z'}\n", b"@relation r\n", b"PAR1", b"\x1f\x8b", b"True", b"2020-02-30",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 3, 10**30, 0.5, -1e308, "", "text", "rbf", [], {}, {"list": []}, {"tuple": []}, {"dict": []},
    {"float": "nan"}, {"float": "inf"}, {"array": "a0"}, {"array": {"objects": ["a", 1, None], "shape": [3]}},
    {"object": "sepal.learners:KNNClassifier", "fields": {}}, {"kernel": "rbf"},
)  # fmt: skip


# (data, a place, one a little behind it, one anywhere behind it, a word, another input, chance) to changed data, and
# how often that is done in a hundred.
Change = Callable[[bytes, int, int, int, bytes, bytes, Generator], bytes]
CHANGES: tuple[tuple[int, Change], ...] = (
    (20, lambda data, a, near, far, word, other, rng: data[:a] + word + data[a:]),
    (20, lambda data, a, near, far, word, other, rng: data[:a] + word + data[near:]),
    (15, lambda data, a, near, far, word, other, rng: data[:a] + data[near:]),
    (
        15,
        lambda data, a, near, far, word, other, rng: data[:a] + bytes(c ^ 16 for c in data[a : a + 1]) + data[a + 1 :],
    ),
    (10, lambda data, a, near, far, word, other, rng: data[:a] + rng.bytes(near - a) + data[near:]),
    (10, lambda data, a, near, far, word, other, rng: data[:far] + data[a:]),
    (5, lambda data, a, near, far, word, other, rng: data[:a] + other[a:]),
    (5, lambda data, a, near, far, word, other, rng: data[:far]),
)
_SHARES = [share / 100 for share, _ in CHANGES]


def changed_bytes(data: bytes, others: Sequence[bytes], rng: Generator) -> bytes:
    """One to four changes: bits, bytes, words of the format, pieces that are cut, doubled or taken from another."""
    found = data
    for _ in range(int(rng.integers(1, 5))):
        a, far = sorted(int(place) for place in rng.integers(0, len(found) + 1, size=2))
        near = min(far, a + int(rng.integers(1, 9)))
        word = EVERYWHERE[int(rng.integers(len(EVERYWHERE)))]
        other = others[int(rng.integers(len(others)))]
        change = CHANGES[int(rng.choice(len(CHANGES), p=_SHARES))][1]
        found = change(found, a, near, far, word, other, rng)[:20_000]
    return found


def changed_packed(data: bytes, others: Sequence[bytes], rng: Generator) -> bytes:
    """The same, or one to three bytes written over: where lengths and offsets count, most other changes look alike."""
    if rng.random() < 0.5:
        return changed_bytes(data, others, rng)
    found = bytearray(data)
    for place in rng.integers(0, len(found), size=int(rng.integers(1, 4))):
        found[place] = int(rng.choice([0, 1, 127, 128, 255, found[place] ^ (1 << int(rng.integers(8)))]))
    return bytes(found)


def changed_model(model: Model, rng: Generator) -> Model:
    """One or two values of the text, or arrays, replaced by others."""
    content, arrays = copy.deepcopy(model[0]), dict(model[1])
    for _ in range(int(rng.integers(1, 3))):
        if arrays and rng.random() < 0.5:
            name = sorted(arrays)[int(rng.integers(len(arrays)))]
            arrays[name] = _changed_array(arrays[name], list(arrays.values()), rng)
        else:
            _change_value(content, rng)
    return content, arrays


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in the text that can be set: what holds it, and its key there."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(parts):
        yield value, key
        yield from _places(each)


def _change_value(content: Any, rng: Generator) -> None:
    places = list(_places(content))
    held, key = places[int(rng.integers(len(places)))]
    kind = int(rng.integers(4))
    if kind == 0:
        del held[key]
    elif kind == 1:
        other, name = places[int(rng.integers(len(places)))]
        held[key] = copy.deepcopy(other[name])
    elif kind == 2 and isinstance(held[key], (int, float)):
        held[key] = held[key] * int(rng.choice([-1, 2, 1000])) + int(rng.integers(-1, 2))
    else:
        held[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def _changed_array(array: NDArray[Any], others: Sequence[NDArray[Any]], rng: Generator) -> NDArray[Any]:
    flat = array.ravel()
    choices: list[Callable[[], NDArray[Any]]] = [
        lambda: array[:-1] if array.ndim else array[None],
        lambda: array[:0] if array.ndim else array[None],
        lambda: array.T if array.ndim > 1 else array[None],
        lambda: np.concatenate([flat, flat]),
        lambda: np.concatenate([array, array], axis=-1) if array.ndim else array[None],
        lambda: flat[:1],
        lambda: array.astype(str),
        lambda: array.astype(bool),
        lambda: others[int(rng.integers(len(others)))],
    ]
    if array.dtype.kind in "iuf" and array.size:
        few = np.array([0, 1, -1, 2**31 - 1], dtype=np.int64)
        many = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, 5e-324, 1e17])
        with np.errstate(all="ignore"):
            values = (few if array.dtype.kind in "iu" else many).astype(array.dtype, casting="unsafe")
        one = array.copy()
        one.flat[int(rng.integers(array.size))] = values[int(rng.integers(len(values)))]
        choices += [
            lambda: one,
            lambda: np.full_like(array, values[int(rng.integers(len(values)))]),
            lambda: array.astype(np.int8 if array.dtype.kind == "f" else np.float32),
            lambda: array.astype(np.float64 if array.dtype.kind != "f" else np.float16),
        ]
    with np.errstate(all="ignore"):
        return choices[int(rng.integers(len(choices)))]()
