"""Prototype selection: which rows to keep.

In: labelled rows. Out: a PrototypeSet, which says which rows a method keeps and how well these stand for the rest.
Condensers (``hart``, ``fcnn``, ``rnn``, ``mss``, ``rss``) keep a subset whose nearest neighbours classify every
training row; editors (``enn``, ``renn``, ``all_knn``, ``tomek_links``) take out rows that their neighbours contradict;
``drop3``, ``icf`` and ``ib3`` do both.

May be imported by learners, machines and everything after them on the road.
"""

from __future__ import annotations

from sepal.prototypes._curve import CondenseCurve, condense_curve
from sepal.prototypes._drop3 import drop3
from sepal.prototypes._edited import all_knn, enn, renn, tomek_links
from sepal.prototypes._fcnn import fcnn
from sepal.prototypes._hart import hart, rnn
from sepal.prototypes._ib3 import ib3
from sepal.prototypes._icf import icf
from sepal.prototypes._methods import METHODS
from sepal.prototypes._methods import method_named as method_named
from sepal.prototypes._methods import takes_groups as takes_groups
from sepal.prototypes._prototype_set import PrototypeSet, Round
from sepal.prototypes._selective import mss, rss
from sepal.prototypes._selector import PrototypeSelector

__all__ = [
    "METHODS",
    "CondenseCurve",
    "PrototypeSelector",
    "PrototypeSet",
    "Round",
    "all_knn",
    "condense_curve",
    "drop3",
    "enn",
    "fcnn",
    "hart",
    "ib3",
    "icf",
    "mss",
    "renn",
    "rnn",
    "rss",
    "tomek_links",
]
