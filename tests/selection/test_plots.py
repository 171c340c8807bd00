from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import sepal.datasets
from sepal.exceptions import ParameterError
from sepal.selection import search_subsets, subset_sweep

mpl.use("Agg")


def test_pictures_show_what_was_found() -> None:
    sweep = subset_sweep(sepal.datasets.load("liver"), criterion=("thornton", "centered_alignment"))
    axes = sweep.plot("size")
    assert axes.get_ylabel() == "thornton"
    assert max(axes.lines[0].get_ydata()) == pytest.approx(sweep.best.score)
    bars = sweep.plot("inclusion").patches
    assert sorted(bar.get_width() for bar in bars) == sorted(sweep.inclusion().values())
    points = sweep.plot("criteria").collections[0].get_offsets()
    assert points.shape == (63, 2)
    search = search_subsets(sepal.datasets.load("liver"), strategy="forward")
    assert search.plot("history").lines[0].get_ydata()[-1] == search.best.score
    assert len(search.plot("size").collections) >= 2
    assert search.plot("inclusion").patches
    assert search.plot().get_ylabel() == sweep.plot().get_ylabel() == "thornton"
    assert set(sweep.plot("history").lines[0].get_ydata()) == {sweep.best.score}
    plt.close("all")


def test_unknown_pictures_are_refused() -> None:
    sweep = subset_sweep(sepal.datasets.load("athletes"))
    with pytest.raises(ParameterError, match="draws two criteria"):
        sweep.plot("criteria")
    with pytest.raises(ParameterError, match="kind must be"):
        sweep.plot("pie")
    with pytest.raises(ParameterError, match="kind must be"):
        search_subsets(sepal.datasets.load("athletes"), strategy="forward").plot("pie")
