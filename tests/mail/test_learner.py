"""The learner against loops."""

from __future__ import annotations

import random

import pytest

from sepal.exceptions import ParameterError
from sepal.mail import CaseBase, Costs, Score, judge_stream, read_message, tokens
from tests.mail.made import stream
from tests.oracles import mail as oracle


def _words(n: int) -> list[tuple[tuple[str, ...], bool]]:
    draw = random.Random(3)  # noqa: S311
    found = []
    for _ in range(n):
        spam = draw.random() < 0.5
        letters = "abcdefgh" if spam else "efghijkl"
        found.append((tuple(sorted(set(draw.choices(letters, k=5)))), spam))
    return found


def test_every_score_is_that_of_the_loops():
    mail = _words(60)
    labels = [spam for _, spam in mail]
    near = [oracle.cases_log_odds(words, mail[:i]) for i, (words, _) in enumerate(mail)]
    linear = oracle.linear_log_odds(mail)
    for part, expected in (
        ("both", oracle.joined(linear, near, labels)),
        ("cases", oracle.joined([0.0] * 60, near, labels)),
        ("linear", oracle.joined(linear, [0.0] * 60, labels)),
    ):
        found = judge_stream(mail, part=part, skip=1)
        assert found.log_odds == pytest.approx([max(-30, min(30, each)) for each in expected], abs=1e-9)
        assert found.spam == tuple(labels)


def test_area_and_errors_as_loops():
    draw = random.Random(0)  # noqa: S311
    from sepal.mail import StreamResult

    scores = [draw.randint(-3, 3) + 0.0 for _ in range(50)]
    spam = [draw.random() < 0.4 for _ in range(50)]
    found = StreamResult(tuple(scores), tuple(spam), 10)
    pairs = [
        (a < b) + 0.5 * (a == b)
        for a, s in zip(scores[10:], spam[10:], strict=True)
        if s
        for b, h in zip(scores[10:], spam[10:], strict=True)
        if not h
    ]
    assert found.area_above == pytest.approx(sum(pairs) / len(pairs))
    assert found.error == sum((a > 0) != s for a, s in zip(scores[10:], spam[10:], strict=True)) / 40


def test_late_labels_are_learned_late():
    mail = _words(30)
    late = judge_stream(mail, delay=29, skip=1)
    assert late.log_odds == (0.0,) * 30  # nobody has told it anything yet


def test_wrong_labels_are_learned_but_true_ones_counted():
    mail = _words(40)
    taught = [not spam for _, spam in mail]
    assert judge_stream(mail, taught=taught, skip=20).error > 0.5


def test_made_mail_is_told_apart():
    mail = [(tokens(read_message(raw)), spam) for raw, spam in stream(120)]
    assert judge_stream(mail, skip=40).error == 0.0


def test_the_cheapest_answer():
    costs = Costs(ham=9, spam=1, unsure=0.3)
    for odds in (-9.0, -2.0, 0.0, 1.0, 3.0, 5.0):
        score = Score(0.0, 0.0, odds)
        p = score.probability
        cheapest = min(((1 - p) * 9, "spam"), (p * 1, "ham"), (0.3, "unsure"))[1]
        assert costs.verdict(score, 50, 50).label == cheapest
    assert costs.verdict(Score(0.0, 0.0, 20.0), 9, 500).label == "unsure"
    assert Costs(9, 1, None).verdict(Score(0.0, 0.0, 2.3), 50, 50).label == "spam"  # log 9 is 2.197
    assert Costs(9, 1, None).verdict(Score(0.0, 0.0, 2.1), 50, 50).label == "ham"
    for wrong in ({"ham": 0}, {"spam": -1}, {"unsure": 0}, {"ham": float("nan")}):
        with pytest.raises(ParameterError):
            Costs(**wrong)


def test_nothing_is_said_of_no_words():
    base = CaseBase()
    assert base.score(()).log_odds == 0.0
    base.learn((), True, 0, base.score(()))
    assert base.score(("a",)).cases == 0.0
