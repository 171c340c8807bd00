"""scikit-learn's own tests of its support vector classifier, from the installed package, run with ours in its place."""

from __future__ import annotations

import importlib.util
import inspect
import re
import warnings
from dataclasses import replace
from itertools import product
from types import ModuleType
from typing import Any

import pytest
import sklearn.svm
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from sepal.exceptions import SepalWarning
from sepal.machines import SVMClassifier

SEED = 42

# Where both refuse for the same reason and only the words differ: ours, and what the tests look for.
WORDS = {
    "Sample weights must contain at least one non-zero number": (
        "Invalid input - all samples have zero or negative weights."
    ),
    "expected at least two classes with rows of positive weight, found 0 class": (
        "Invalid input - all samples have zero or negative weights."
    ),
    "expected at least two classes with rows of positive weight, found 1 class": (
        "Invalid input - all samples with positive weights belong to the same class"
    ),
}

_REFUSES = "asks that something be refused which is answered here, and rightly: "
_TIES = "there is no break_ties: ties of votes are always broken by decision values, as theirs do when asked to"

NOT_APPLICABLE = {
    "test_bad_input": _REFUSES + "sparse rows by a machine that was fitted on dense ones",
    "test_sparse_precomputed": _REFUSES + "a sparse kernel matrix",
    "test_svc_nonfinite_params": _REFUSES + "values near the largest float",
    "test_svc_invalid_break_ties_param": _TIES,
    "test_svc_ovr_tie_breaking": _TIES,
    "test_svc_raises_error_internal_representation": "writes nonsense into a private attribute that ours has not",
    "test_probability_raises_futurewarning": "about a parameter that goes away there and stays here",
    "test_svc_nusvc_probA_probB_deprecated": "about attributes that go away there and were never here",
}
FAILS = {
    "test_libsvm_convergence_warnings": "ours has solved the six rows before the second step, so nothing is cut short",
}
FAILS_SPARSE = {
    "test_timeout": "ours has solved the six rows before the first step is over, so nothing is cut short",
    "test_unsorted_indices": "asks for 12 digits between dense and sparse rows; kernel values come by another sum",
}


class SVC(SVMClassifier):
    """Ours behind the other's parameters: columns as they are, the same defaults, attributes sparse where they are."""

    scale, width, time_limit, n_jobs = None, "aligned", None, 1

    def __init__(
        self,
        *,
        C: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = False,
        tol: float = 1e-8,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: Any = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        for name, value in locals().copy().items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SVC:
        """Train; errors and warnings in the other's words."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", SepalWarning)
            try:
                super().fit(X, y, sample_weight)
            except ValueError as error:
                for ours, theirs in WORDS.items():
                    if ours in str(error):
                        raise ValueError(theirs) from error
                raise
        if any("used up max_iter" in str(each.message) for each in told):
            text = f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
            warnings.warn(text + "StandardScaler or MinMaxScaler.", ConvergenceWarning, stacklevel=2)
        if self._got_sparse:
            self.dual_coef_ = csr_array(self.dual_coef_)
        return self

    @property
    def coef_(self) -> Any:
        """Sparse where the training rows were."""
        found = SVMClassifier.coef_.fget(self)
        return csr_array(found) if self._got_sparse else found

    @property
    def _gamma(self) -> float:
        return self.gamma_

    @property
    def _dual_coef_(self) -> Any:
        """For two classes, as they keep it: the earlier class is the positive one."""
        return -self._machines.coef

    @_dual_coef_.setter
    def _dual_coef_(self, value: Any) -> None:
        self._machines = replace(self._machines, coef=-value)


def _loaded(name: str) -> ModuleType:
    """A test module of the installed package, read anew while ours stands in for theirs."""
    spec = importlib.util.find_spec(f"sklearn.svm.tests.{name}")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sklearn.svm, "SVC", SVC)
        spec.loader.exec_module(module)
    return module


def _cases(module: ModuleType) -> dict[str, tuple[Any, dict[str, Any]]]:
    """All tests of a module that name the classifier, with every combination of their parameters that is about it."""
    cases = {}
    for name, test in inspect.getmembers(module, inspect.isfunction):
        if not name.startswith("test_"):
            continue
        marks = [m for m in getattr(test, "pytestmark", []) if m.name == "parametrize"]
        about = re.search(r"\bsvm\.SVC\b", inspect.getsource(test)) is not None
        for picked in product(*(m.args[1] for m in marks)):
            given: dict[str, Any] = {}
            for mark, values in zip(marks, picked, strict=True):
                names = [n.strip() for n in mark.args[0].split(",")] if isinstance(mark.args[0], str) else mark.args[0]
                given.update(zip(names, values if len(names) > 1 else [values], strict=True))
            others = [v for v in given.values() if _is_estimator(v) and not _is_ours(v)]
            if others or not (about or any(_is_ours(v) for v in given.values())):
                continue
            if "global_random_seed" in inspect.signature(test).parameters:
                given["global_random_seed"] = SEED
            number = sum(1 for key in cases if key.split("-")[0] == name)
            cases[f"{name}-{number}"] = (test, given)
    return cases


def _is_estimator(value: Any) -> bool:
    return isinstance(value, BaseEstimator) or (inspect.isclass(value) and issubclass(value, BaseEstimator))


def _is_slow(given: dict[str, Any]) -> bool:
    """Old containers beside the new ones, and ten classes with probabilities: a second each, and nothing new."""
    old = any(inspect.isclass(value) and value.__name__.endswith("_matrix") for value in given.values())
    return old or len(set(given.get("y_train", ()))) > 5


def _is_ours(value: Any) -> bool:
    return isinstance(value, SVC) or value is SVC


DENSE = _cases(_loaded("test_svm"))
SPARSE = {name: case for name, case in _cases(_loaded("test_sparse")).items() if not _is_slow(case[1])}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", sorted(name for name in DENSE if name.split("-")[0] not in {**NOT_APPLICABLE, **FAILS})
)
def test_theirs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sklearn.svm, "SVC", SVC)
    test, given = DENSE[name]
    test(**given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(name for name in SPARSE if name.split("-")[0] not in FAILS_SPARSE))
def test_theirs_on_sparse_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sklearn.svm, "SVC", SVC)
    test, given = SPARSE[name]
    test(**given)


def test_how_many_there_are_and_which_are_left_out() -> None:
    """Another release of the package may have other tests: then these counts are looked at anew."""
    names, names_sparse = ({name.split("-")[0] for name in cases} for cases in (DENSE, SPARSE))
    assert not set(NOT_APPLICABLE) & set(FAILS)
    assert set(FAILS_SPARSE) <= names_sparse
    applicable = names - set(NOT_APPLICABLE)
    passing = applicable - set(FAILS)
    if sklearn.__version__.startswith("1.7."):
        assert (len(passing), len(applicable)) == (28, 29)
    else:
        assert set(NOT_APPLICABLE) | set(FAILS) <= names
        assert (len(passing), len(applicable)) == (27, 28)
    assert (len(names_sparse - set(FAILS_SPARSE)), len(names_sparse)) == (10, 12)
