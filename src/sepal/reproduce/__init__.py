"""The experiments of the founding documents, made again: our figure, theirs, and a sentence where they differ.

In: which experiments, and a folder. Out: a page, and for each experiment its facts as JSON and its picture as PNG and
SVG. Each experiment is a module of its own: ``run`` finds the facts, ``draw`` draws them, and ``FULL`` and ``QUICK``
are the parameters of ``run``. ``_registry`` lists them.

May be imported by cli.
"""

from __future__ import annotations

from sepal.reproduce._facts import Experiment, Fact, FactTable, Result
from sepal.reproduce._registry import EXPERIMENTS, wanted
from sepal.reproduce._registry import GROUPS as GROUPS
from sepal.reproduce._reproduce import Reproduction, reproduce

__all__ = ["EXPERIMENTS", "Experiment", "Fact", "FactTable", "Reproduction", "Result", "reproduce", "wanted"]
