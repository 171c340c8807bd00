"""Parameters are data: one table for each estimator, one wording, and what it allows is what fit allows."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import clone

import sepal
from sepal.exceptions import ParameterError
from sepal.parameters import Parameter, check_number, check_whole, checked, parameters
from tests.estimators.every_estimator import EVERY, frame_and_target, name_of


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_every_parameter_has_an_entry_that_allows_its_default(estimator) -> None:
    told = parameters(estimator)
    signature = inspect.signature(type(estimator)).parameters
    assert [each.name for each in told] == list(signature)
    assert {each.name for each in type(estimator).parameter_table} == set(signature)
    for each in told:
        assert each.help
        assert "\n" not in each.help
        assert len(each.help) <= 110
        if each.default is not inspect.Parameter.empty:
            assert each.allows(each.default), each


@pytest.mark.parametrize("estimator", EVERY, ids=name_of)
def test_fit_refuses_what_no_parameter_is(estimator) -> None:
    frame, y = frame_and_target(estimator)
    for each in parameters(estimator):
        if each.looked_up or "anything" in each.also:
            continue
        wrong = True if each.kind != "flag" else "yes"
        with pytest.raises(ParameterError, match=f"^{each.name} must be .*; got {wrong!r}"):
            clone(estimator).set_params(**{each.name: wrong}).fit(frame, y)


@pytest.mark.parametrize(
    ("parameter", "right", "wrong", "words"),
    [
        (Parameter("k", "whole", "", at_least=1), [1, np.int64(3)], [0, True, 1.0, "1", None],
         "an integer of at least 1"),
        (
            Parameter("k", "whole", "", at_least=1, words=("auto", "all"), optional=True),
            [None, "auto", 2],
            ["other", -1],
            "None, 'auto', 'all' or an integer of at least 1",
        ),
        (Parameter("C", "number", "", above=0.0), [1, 0.5, np.float32(2)], [0, np.inf, np.nan, False],
         "a finite number above 0"),
        (Parameter("C", "number", "", above=0.0, infinite=True), [np.inf], [np.nan, 0.0, -np.inf], "a number above 0"),
        (Parameter("w", "number", "", above=0.0, below=2.0), [1.5], [0, 2], "a finite number above 0 and below 2"),
        (Parameter("q", "number", "", at_least=0.0, at_most=1.0), [0, 1], [1.1], "a finite number from 0 to 1"),
        (Parameter("b", "flag", ""), [True, np.bool_(False)], [0, 1, "yes", None], "True or False"),
        (Parameter("s", "word", "", words=("a", "b")), ["a"], ["c", None, 1], "'a' or 'b'"),
        (Parameter("f", "other", "", also=("function", "mapping")), [len, {}], [1, "x", []], "a function or a mapping"),
    ],
)  # fmt: skip
def test_what_is_allowed_and_in_which_words(parameter, right, wrong, words) -> None:
    assert parameter.wanted == words
    for value in right:
        assert parameter.check(value) is value
    for value in wrong:
        with pytest.raises(ParameterError) as caught:
            parameter.check(value)
        assert str(caught.value).startswith(f"{parameter.name} must be {words}; got {value!r}")


def test_a_word_that_is_nearly_right() -> None:
    with pytest.raises(ParameterError, match="hint: did you mean 'smallest'"):
        Parameter("prefer", "word", "", words=("best", "smallest")).check("smalest")


def test_for_functions() -> None:
    assert check_whole("k", 4, at_most=4) == 4
    assert check_whole("k", None, optional=True) is None
    assert check_number("width", 0.5, above=0.0) == 0.5
    with pytest.raises(ParameterError, match="k must be an integer from 1 to 4; got 5"):
        check_whole("k", 5, at_most=4)


def _public_functions(*, checked_only: bool = True) -> list[object]:
    return [
        each
        for room in sepal.__all__
        if inspect.ismodule(module := getattr(sepal, room))
        for name in module.__all__
        if inspect.isfunction(each := getattr(module, name)) and (hasattr(each, "parameter_table") or not checked_only)
    ]


def test_the_parameters_of_functions_are_told_in_one_line_too() -> None:
    found = _public_functions()
    assert len(found) >= 40
    for function in found:
        for each in parameters(function):
            assert each.help, f"{function}: {each.name}"
            assert "\n" not in each.help
            assert len(each.help) <= 110
            assert each.allows(each.default) or each.default is inspect.Parameter.empty, f"{function}: {each.name}"


def test_parameters_of_a_function_come_with_their_defaults() -> None:
    told = {each.name: each.default for each in parameters(sepal.thornton_score)}
    assert told["distance"] == "auto"
    assert told["random_state"] == 0
    assert not told.keys() & {"X", "y", "groups"}


def test_keywords_that_are_passed_on_are_spelled_out() -> None:
    """``**how`` saves repeating them in each function, and must not hide them from whoever asks for the signature."""
    found = inspect.signature(sepal.thornton_score)
    assert list(found.parameters)[:4] == ["X", "y", "distance", "distance_params"]
    assert found.parameters["scale"].default == "minmax"
    assert not [each for each in found.parameters.values() if each.kind == each.VAR_KEYWORD]
    with pytest.raises(TypeError, match=r"^thornton_score\(\) got an unexpected keyword argument 'distanse'"):
        sepal.thornton_score([[0.0], [1.0]], ["a", "b"], distanse="auto")
    with pytest.raises(ParameterError, match="n_jobs must be"):
        sepal.thornton_score([[0.0], [1.0]], ["a", "b"], n_jobs=0)


MORE = inspect.Parameter.VAR_KEYWORD
HIDING = ("leave_one_out_curve", "gram", "fit_kernel")  # parameters of whichever learner or kernel is asked for


def test_no_public_function_hides_its_keywords() -> None:
    """A wrong one of ``nested_score`` was said to be one of ``Procedure.__init__()``, which nobody knows."""
    every = {each.__name__: inspect.signature(each) for each in _public_functions(checked_only=False)}
    hiding = {
        name
        for name, found in every.items()
        if any(each.kind == each.VAR_KEYWORD for each in found.parameters.values())
    }
    assert hiding == set(HIDING)
    table = sepal.datasets.load("athletes")
    for name in ("nested_score", "selection_test", "stability", "select_facts", "rank_features"):
        ask = getattr(sepal.selection, name)
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'stratgy'"):
            ask(table, stratgy="sweep")
        with pytest.raises(ParameterError, match=r"^prefer must be 'best' or 'smallest'; got 'fewest'"):
            ask(table, prefer="fewest")
    with pytest.raises(TypeError, match="criterion"):  # it was left alone, without a word
        sepal.selection.rank_features(table, criterion="loo_knn")


def test_unusual_calls_of_checked_functions_are_refused_as_python_refuses_them() -> None:
    @checked(Parameter("k", "whole", "how many", at_least=1), Parameter("share", "number", "how much"))
    def ask(rows, k=1, *, share=0.5, **more):
        return rows, k, share, more

    @checked(Parameter("k", "whole", "how many", at_least=1), Parameter("share", "number", "how much"))
    def plain(rows, k=1, *, share=0.5):
        return rows, k, share

    for function in (ask, plain):
        signature = inspect.signature(function)
        assert function("r", 2, share=1)[:3] == function(share=1, k=2, rows="r")[:3] == ("r", 2, 1)
        for given, named in (
            ((), {}),
            ((), {"k": 2}),
            (("r", 2, 3), {}),
            (("r",), {"rows": "s"}),
            (("r", 2), {"k": 2}),
        ):
            with pytest.raises(TypeError) as told:
                signature.bind(*given, **named)
            with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) {told.value}$"):
                function(*given, **named)
        with pytest.raises(ParameterError, match=r"^k must be"):  # in the order of the signature
            function(share="much", k=0, rows="r")
    assert ask("r", size=3)[3] == {"size": 3}
    with pytest.raises(TypeError, match=r"^plain\(\) got an unexpected keyword argument 'size'$"):
        plain("r", size=3)
