"""Properties that are computed once."""

from __future__ import annotations

import threading

from sepal._lazy import cached_property


class Slow:
    def __init__(self, wait=None):
        self.wait, self.count = wait, 0

    @cached_property
    def value(self):
        """What takes a while."""
        self.count += 1
        if self.wait is not None:
            self.wait.wait(30.0)
        return object()


def test_it_is_computed_once_and_forgotten_when_deleted():
    slow = Slow()
    first = slow.value
    assert (slow.value, slow.count) == (first, 1)
    del slow.value
    assert slow.value is not first
    assert slow.count == 2
    assert Slow.value.__doc__ == "What takes a while."


def test_nobody_waits_for_what_is_computed_for_another():
    """Python 3.11 holds one lock for all: a child forked meanwhile would wait for it for ever."""
    go = threading.Event()
    busy = threading.Thread(target=lambda: Slow(go).value)
    busy.start()
    other = threading.Thread(target=lambda: Slow().value)
    other.start()
    other.join(20.0)
    waited = other.is_alive()
    go.set()
    busy.join()
    other.join()
    assert not waited
