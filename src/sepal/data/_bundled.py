"""The small classic sets that come with Sepal: what they are, and how to load them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np

from sepal.data._columns import Kind
from sepal.data._error_words import shown
from sepal.data._read import table_from_bytes
from sepal.data._table import Table
from sepal.exceptions import DataError

UCI = "CC BY 4.0 (UCI Machine Learning Repository)"


@dataclass(frozen=True)
class BundledSet:
    """A bundled set: its file, its story, and what its columns are where the file cannot say it.

    Attributes
    ----------
    file : str
        Where it is read from; without an ending a function of ``sklearn.datasets``, whose copy is read.
    title : str
        What people call it.
    description, citation, licence : str
        What it is about, whom to cite, and on what terms it may be used.
    cautions : tuple of str
        What is known to be wrong or odd about it.
    kinds : mapping
        For columns whose cells do not tell it: their kind, or their levels in order.
    target : str
        The column that holds the classes.
    size : tuple of int
        Rows, columns and classes, so that a list of the sets need not read them.

    Examples
    --------
    >>> from sepal.data import SETS
    >>> SETS["sonar"].title
    'Sonar, mines vs. rocks'
    """

    file: str
    title: str
    description: str
    citation: str
    licence: str
    cautions: tuple[str, ...] = ()
    kinds: Mapping[str, Kind | Sequence[Any]] = field(default_factory=dict)
    target: str = "class"
    size: tuple[int, int, int] = (0, 0, 0)


def _nominal(text: str) -> dict[str, Kind | Sequence[Any]]:
    return dict.fromkeys(text.split(), "nominal")


SETS: Mapping[str, BundledSet] = {
    "breast-cancer": BundledSet(
        file="breast_cancer_wisconsin.csv",
        title="Breast cancer (Wisconsin, original)",
        size=(699, 9, 2),
        description="Nine properties of cells from fine needle aspirates, each graded 1 to 10; "
        "is the tumour benign or malignant?",
        citation="W. H. Wolberg and O. L. Mangasarian (1990). Multisurface method of pattern separation for "
        "medical diagnosis applied to breast cytology. PNAS 87, 9193-9196.",
        licence=UCI,
        cautions=("grades are whole numbers from 1 to 10, so distances tie often: many rows are alike",),
    ),
    "liver": BundledSet(
        file="liver_bupa.csv",
        title="Liver disorders (BUPA)",
        size=(345, 6, 2),
        description="Five blood tests thought to react to alcohol, and drinks per day, of 345 men.",
        citation="R. S. Forsyth (1990), BUPA Medical Research. J. McDermott and R. S. Forsyth (2016). "
        "Diagnosing a disorder in a classification benchmark. Pattern Recognition Letters 73, 41-43.",
        licence=UCI,
        cautions=(
            "the class is not a diagnosis: it only says which rows were once for training and which for testing",
            "use it to reproduce papers only; a valid target is drinks >= 3 (McDermott & Forsyth 2016)",
        ),
    ),
    "sonar": BundledSet(
        file="sonar.csv",
        title="Sonar, mines vs. rocks",
        size=(208, 60, 2),
        description="Energy of sonar echoes in 60 frequency bands; from a metal cylinder (M) or a rock (R)?",
        citation="R. P. Gorman and T. J. Sejnowski (1988). Analysis of hidden units in a layered network "
        "trained to classify sonar targets. Neural Networks 1, 75-89.",
        licence=UCI,
    ),
    "heart": BundledSet(
        file="heart_cleveland.csv",
        title="Heart disease (Cleveland)",
        size=(303, 13, 2),
        description="Findings of 303 patients before coronary angiography; is a vessel half closed?",
        citation="R. Detrano et al. (1989). International application of a new probability algorithm for the "
        "diagnosis of coronary artery disease. American Journal of Cardiology 64, 304-310.",
        licence=UCI,
        kinds={
            **_nominal("sex chest_pain fasting_sugar_high rest_ecg exercise_angina thal"),
            "st_slope": ("upsloping", "flat", "downsloping"),
        },
    ),
    "diabetes": BundledSet(
        file="diabetes_pima.csv",
        title="Diabetes (Pima)",
        size=(768, 8, 2),
        description="Eight measurements of 768 women of Pima heritage; diabetes within five years?",
        citation="J. W. Smith et al. (1988). Using the ADAP learning algorithm to forecast the onset of "
        "diabetes mellitus. Proceedings of the Symposium on Computer Applications and Medical Care, 261-265.",
        licence="none stated; taken from the R package mlbench 2.1",
        cautions=("zeros in glucose, pressure, triceps, insulin and mass mean missing; they are left as zeros here",),
    ),
    "voting": BundledSet(
        file="voting_1984.csv",
        title="Congressional voting 1984",
        size=(435, 16, 2),
        description="Votes of 435 members of the U.S. House of Representatives on 16 matters; which party?",
        citation="J. C. Schlimmer (1987). Concept acquisition through representational adjustment. "
        "Doctoral dissertation, University of California, Irvine.",
        licence=UCI,
        cautions=("a missing vote is a position that was not made known, not a lost record",),
    ),
    "hepatitis": BundledSet(
        file="hepatitis.csv",
        title="Hepatitis",
        size=(155, 19, 2),
        description="Age, sex, symptoms and blood values of 155 patients; do they live or die?",
        citation="P. Diaconis and B. Efron (1983). Computer-intensive methods in statistics. "
        "Scientific American 248(5), 116-130.",
        licence=UCI,
        cautions=("yes-or-no columns are coded 1 = no, 2 = yes; sex 1 = male, 2 = female",),
        kinds=_nominal(
            "sex steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable spiders "
            "ascites varices histology"
        ),
    ),
    "ripley-train": BundledSet(
        file="ripley_train.csv",
        title="Ripley's synthetic two-class data, training part",
        size=(250, 2, 2),
        description="250 points in the plane; each class is a mixture of two normal distributions.",
        citation="B. D. Ripley (1996). Pattern Recognition and Neural Networks. Cambridge University Press.",
        licence="none stated; taken from the Python package pydataset 0.2.0 (synth.tr)",
        cautions=("the Bayes error of the population is 8.9 %",),
    ),
    "ripley-test": BundledSet(
        file="ripley_test.csv",
        title="Ripley's synthetic two-class data, test part",
        size=(1000, 2, 2),
        description="1000 further points from the distribution of ripley-train.",
        citation="B. D. Ripley (1996). Pattern Recognition and Neural Networks. Cambridge University Press.",
        licence="none stated; taken from the Python package pydataset 0.2.0 (synth.te)",
        cautions=("the Bayes error of the population is 8.9 %, that of the Bayes rule on these rows 8.0 %",),
    ),
    "athletes": BundledSet(
        file="athletes.csv",
        title="College athletes",
        size=(20, 2, 2),
        description="Speed and agility of 20 athletes; were they drafted? The exercise asks about an athlete with "
        "speed 3 and agility 8.",
        citation="D. Greene (2015). Slides on nearest-neighbour classifiers, COMP30120, University College Dublin.",
        licence="none stated; a teaching example",
    ),
    "weather": BundledSet(
        file="weather.csv",
        title="Weather",
        size=(14, 4, 2),
        description="Fourteen Saturday mornings, made up to explain decision trees; is it a day to play outside?",
        citation="J. R. Quinlan (1986). Induction of decision trees. Machine Learning 1, 81-106.",
        licence="none stated; a teaching example",
        target="play",
    ),
    "iris": BundledSet(
        file="load_iris",
        title="Iris",
        size=(150, 4, 3),
        description="Length and width of the sepals and petals of 150 irises; which of three species?",
        citation="R. A. Fisher (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, "
        "179-188.",
        licence=f"{UCI}; the copy of scikit-learn, which follows Fisher's paper",
    ),
    "wine": BundledSet(
        file="load_wine",
        title="Wine",
        size=(178, 13, 3),
        description="Thirteen chemical measurements of 178 Italian wines; from which of three cultivars?",
        citation="M. Forina et al. (1988). PARVUS: an extendable package for data exploration, classification and "
        "correlation. Institute of Pharmaceutical and Food Analysis and Technologies, Genoa.",
        licence=f"{UCI}; the copy of scikit-learn",
    ),
}


def names() -> list[str]:
    """The names of the bundled sets.

    Returns
    -------
    list of str
        In the order in which they are listed.

    Examples
    --------
    >>> "sonar" in names()
    True
    """
    return list(SETS)


def load(name: str) -> Table:
    """Load a bundled set.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    Table
        With kinds, description, citation, licence, and its cautions among ``notes``.

    Raises
    ------
    DataError
        If there is no such set; the hint names the nearest ones.

    Examples
    --------
    >>> load("heart").kinds.count("nominal")
    6
    """
    if not isinstance(name, str) or name not in SETS:
        near = difflib.get_close_matches(str(name), SETS, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(map(shown, near))}?" if near else f"there are {', '.join(SETS)}"
        raise DataError(f"name: there is no bundled set {shown(name)}", hint=hint)
    entry = SETS[name]
    story: dict[str, Any] = {
        "name": name,
        "description": f"{entry.title}. {entry.description}",
        "citation": entry.citation,
        "licence": entry.licence,
    }
    if "." not in entry.file:
        return _from_scikit_learn(entry, story)
    return table_from_bytes(
        files("sepal.data").joinpath("bundled", entry.file).read_bytes(),
        entry.file,
        target=entry.target,
        kinds=entry.kinds,
        cautions=entry.cautions,
        **story,
    )


def _from_scikit_learn(entry: BundledSet, story: Mapping[str, Any]) -> Table:
    from sklearn import datasets

    found = getattr(datasets, entry.file)()
    names = tuple(name.removesuffix(" (cm)").replace(" ", "_") for name in found.feature_names)
    numeric: Kind = "numeric"
    return Table(
        np.asarray(found.data, dtype=np.float64),
        names,
        (numeric,) * len(names),
        (None,) * len(names),
        y=np.asarray(found.target_names)[found.target],
        target=entry.target,
        notes=entry.cautions,
        **story,
    )
