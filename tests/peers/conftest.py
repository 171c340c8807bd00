"""What the test modules of other libraries expect around them."""

from __future__ import annotations

import numpy as np
import pytest


def pytest_configure(config: pytest.Config) -> None:
    """A marker of scikit-learn's, which says nothing here."""
    config.addinivalue_line("markers", "thread_unsafe: of scikit-learn, for runs with many threads")


@pytest.fixture
def global_dtype() -> type:
    """Numbers are float64 here, whatever they came as."""
    return np.float64


@pytest.fixture
def global_random_seed() -> int:
    """scikit-learn's default."""
    return 42
