"""The learner against loops."""

from __future__ import annotations

import random

import pytest

from sepal.exceptions import ParameterError
from sepal.mail import CaseBase, CasePolicy, Costs, Score, judge_stream, read_message, tokens
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
    mail = [(words, spam != (i in (35, 47))) for i, (words, spam) in enumerate(_words(70))]  # two labels are wrong
    for part, parts in (("both", (True, True)), ("cases", (False, True)), ("linear", (True, False))):
        expected, trusts, wrong = oracle.judged(mail, linear_part=parts[0], cases_part=parts[1])
        found = judge_stream(mail, part=part, skip=1)
        assert found.log_odds == pytest.approx(expected, abs=1e-9)
        assert found.spam == tuple(spam for _, spam in mail)
        base = _learned(mail, CaseBase(part=part))
        assert base.wrong == pytest.approx(wrong, abs=1e-12)
        assert [base.trust(case) for case in range(70)] == pytest.approx(trusts, abs=1 / 1023)
        assert min(trusts) < 0.99  # so that doubt has a part in it


def _learned(mail, base: CaseBase, when=lambda case: 0.0) -> CaseBase:
    for case, (words, spam) in enumerate(mail):
        base.learn(words, spam, case, base.score(words), when(case))
    return base


def _in_use(base: CaseBase) -> list[int]:
    return [case for case in range(len(base.flags) // 4) if base.flags[4 * case] & 1]


def test_windows_by_count_age_and_quota():
    mail = _words(60)
    last = [[i for i in range(60) if mail[i][1] == kind][-7:] for kind in (False, True)]
    for policy, expected in (
        (CasePolicy(window=12), list(range(48, 60))),
        (CasePolicy(days=2.5), list(range(49, 60))),  # four a day: ten quarters before the last one
        (CasePolicy(quota=7), sorted(last[0] + last[1])),
        (CasePolicy(window=20, quota=7), sorted(i for i in last[0] + last[1] if i >= 40)),
    ):
        base = _learned(mail, CaseBase(policy=policy), when=lambda case: 21_600.0 * case)
        assert _in_use(base) == expected
        assert base.n_messages == 60
    expected, _, _ = oracle.judged(mail, stays=lambda case, now: case >= now - 12)
    assert judge_stream(mail, policy=CasePolicy(window=12), skip=1).log_odds == pytest.approx(expected, abs=1e-9)


def test_cases_that_are_too_old_go_in_whatever_order_they_came():
    """Of messages that were imported out of their order some stayed for good."""
    draw = random.Random(5)  # noqa: S311
    mail, days = _words(60), [draw.uniform(0.0, 9.0) for _ in range(60)]
    for quota in (None, 8):
        base = CaseBase(policy=CasePolicy(days=2.5, quota=quota))
        kept: list[int] = []
        for case, (words, spam) in enumerate(mail):
            base.learn(words, spam, case, base.score(words), 86_400.0 * days[case])
            kept = [each for each in [*kept, case] if days[each] >= days[case] - 2.5]
            of_kind = {
                kind: [each for each in kept if mail[each][1] == kind][-(quota or 60) :] for kind in (True, False)
            }
            kept = sorted(of_kind[True] + of_kind[False])
            assert _in_use(base) == kept


@pytest.mark.parametrize("editing", ["enn", "redundancy"])
def test_edited_cases_are_those_of_the_loops(editing):
    mail = [(words, spam != (i % 9 == 4)) for i, (words, spam) in enumerate(_words(60))]
    kept: list[int] = []
    for i, (words, spam) in enumerate(mail):
        near = oracle.nearest_labels(words, [mail[j] for j in kept], [w for w, _ in mail[:i]])
        same = sum(each == spam for each in near)
        young = min(sum(s for _, s in mail[:i]), sum(not s for _, s in mail[:i])) < 10
        if young or ((2 * same >= len(near)) if editing == "enn" else (same < 5)):
            kept.append(i)
    assert _in_use(_learned(mail, CaseBase(policy=CasePolicy(editing=editing)))) == kept
    assert 15 < len(kept) < 60


def test_editing_does_not_shut_out_a_kind_that_comes_late():
    """Editing from the first message on shut out the kind that came later."""
    mail = [(words, spam) for words, spam in _words(200) if spam][:80]
    mail += [(words, spam) for words, spam in _words(400) if not spam][:80]
    for editing in ("enn", "redundancy"):
        assert judge_stream(mail, policy=CasePolicy(editing=editing), skip=110).error < 0.2


def test_policies_that_cannot_be():
    for wrong in ({"window": 0}, {"quota": 1.5}, {"days": 0}, {"days": float("nan")}, {"editing": "all"}):
        with pytest.raises(ParameterError):
            CasePolicy(**wrong)
    with pytest.raises(ParameterError, match="days"):
        judge_stream(_words(5), policy=CasePolicy(days=1), skip=1)


def test_a_tenth_of_wrong_labels_is_seen_and_does_little_harm():
    """With one label in ten wrong the filter made more than twice as many errors."""
    draw = random.Random(8)  # noqa: S311
    mail = [(tokens(read_message(raw)), spam) for raw, spam in stream(500)]
    taught = [spam != (draw.random() < 0.1) for _, spam in mail]
    assert judge_stream(mail, taught=taught, skip=100).error < 0.02
    base = _learned([(words, label) for (words, _), label in zip(mail, taught, strict=True)], CaseBase())
    assert 0.05 < base.wrong < 0.2
    wrong = [i for i in range(100, 500) if taught[i] != mail[i][1]]
    doubted = [i for i in range(100, 500) if base.trust(i) < 0.5]
    assert len({*wrong} ^ {*doubted}) < 0.1 * len(wrong) + 5
    assert _learned(mail, CaseBase()).wrong < 0.01


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
    for wrong in ({"ham": 0}, {"spam": -1}, {"unsure": 0}, {"ham": float("nan")}, {"spam": "1"}, {"unsure": "much"}):
        with pytest.raises(ParameterError, match=f"the cost of {next(iter(wrong))} must be"):
            Costs(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"window": 0}, {"window": 1.5}, {"window": "all"}, {"days": 0.0}, {"days": "7"}, {"quota": -1}, {"editing": "no"}],
)
def test_what_is_no_policy_is_named(wrong):
    """Texts ended in a TypeError, and a fraction in an error of Python's."""
    (name, value), *_ = wrong.items()
    with pytest.raises(ParameterError, match=f"^{name} must be .*; got {value!r}$"):
        CasePolicy(**wrong)


def test_nothing_is_said_of_no_words():
    base = CaseBase()
    assert base.score(()).log_odds == 0.0
    base.learn((), True, 0, base.score(()))
    assert base.score(("a",)).cases == 0.0
