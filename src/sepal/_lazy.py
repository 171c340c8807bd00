"""Properties that are computed when they are first asked for.

This is ``functools.cached_property`` without the lock that Python 3.11 holds while one is computed: all instances share
it, so that a child that another thread forks in that moment would wait for it for ever. Two threads that ask at once
may both compute, with the same result.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:
    import functools

    class cached_property(functools.cached_property):  # noqa: N801
        """As the one of Python 3.12."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """What was computed before, or is now."""
            if instance is None:
                return self
            kept = vars(instance)
            if self.attrname not in kept:
                kept[self.attrname] = self.func(instance)
            return kept[self.attrname]
