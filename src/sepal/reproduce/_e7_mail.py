"""E7: the spam filter on a stream whose spam changes: on-line error over time, beside its parts and others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.learners import WindowKNNClassifier
from sepal.mail import CaseBase, Part, judge_stream
from sepal.plots import draw_lines, legend_below, new_panels
from sepal.reproduce._facts import Fact, FactTable, Result

FULL: dict[str, Any] = {"n_messages": 3000, "n_campaigns": 3, "window": 500, "seed": 0}
QUICK = {**FULL, "n_messages": 900, "window": 150}
_COMMON, _TOPIC, _CAMPAIGN = 400, 40, 20  # words of everybody, of good mail, and of one wave of spam
_LENGTHS = (15, 40)
_FIRST = 0.1  # this share of the stream does not count: nobody knows anything yet


def _word_shares(n_campaigns: int) -> NDArray[np.float64]:
    """How often each word is drawn, for good mail (first row) and for the spam of each campaign."""
    common = 1.0 / np.arange(1, _COMMON + 1)
    shares = np.zeros((1 + n_campaigns, _COMMON + _TOPIC + n_campaigns * _CAMPAIGN))
    shares[:, :_COMMON] = 0.75 * common / common.sum()
    topic, waves = shares[:, _COMMON : _COMMON + _TOPIC], shares[:, _COMMON + _TOPIC :]
    topic[0], waves[0] = 0.20 / _TOPIC, 0.05 / (n_campaigns * _CAMPAIGN)
    topic[1:] = 0.05 / _TOPIC
    for i in range(n_campaigns):
        waves[1 + i, i * _CAMPAIGN : (i + 1) * _CAMPAIGN] = 0.20 / _CAMPAIGN
    return shares


def _stream(n_messages: int, n_campaigns: int, seed: int) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[Any]]:
    """Counts of words, labels, and the log-odds that the law of the stream itself gives."""
    rng, shares = np.random.default_rng(seed), _word_shares(n_campaigns)
    spam = rng.random(n_messages) < 0.5
    campaign = np.arange(n_messages) * n_campaigns // n_messages
    lengths = rng.integers(*_LENGTHS, n_messages)
    kind = np.where(spam, 1 + campaign, 0)
    counts = np.array([rng.multinomial(length, shares[k]) for length, k in zip(lengths, kind, strict=True)])
    tiny = np.log(np.maximum(shares, 1e-12))
    odds = np.einsum("ij,ij->i", counts, tiny[1 + campaign] - tiny[0])
    return counts, spam, odds


def _stopped(mail: list[tuple[tuple[str, ...], bool]], until: int) -> NDArray[np.bool_]:
    """Answers of a filter that learns no message from there on."""
    base, said = CaseBase(), []
    for case, (words, spam) in enumerate(mail):
        now = base.score(words)
        said.append(now.log_odds > 0.0)
        if case < until:
            base.learn(words, spam, case, now)
    return np.array(said)


def run(n_messages: int, n_campaigns: int, window: int, seed: int) -> Result:
    """Each message is answered before its label is known, then learned."""
    counts, spam, odds = _stream(n_messages, n_campaigns, seed)
    mail = [(tuple(f"w{j}" for j in np.flatnonzero(row)), bool(label)) for row, label in zip(counts, spam, strict=True)]
    first, third = round(_FIRST * n_messages), n_messages // n_campaigns
    parts: dict[str, Part] = {
        "the filter": "both",
        "its cases alone": "cases",
        "its linear model alone": "linear",
    }
    said: dict[str, NDArray[np.bool_]] = {
        name: np.asarray(judge_stream(mail, part=part, skip=first).log_odds, dtype=np.float64) > 0.0
        for name, part in parts.items()
    }
    for name, kept in (("k-NN, all messages", None), (f"k-NN, the last {window:,}", window)):
        learner = WindowKNNClassifier(window=kept, n_neighbors=15, distance="cosine", scale=None)
        learner.partial_fit(counts[:2] + 1e-9, [False, True])  # two rows that are like nothing
        stream = learner.prequential((counts > 0).astype(float), spam)
        right = np.ones(n_messages, dtype=bool)
        right[np.asarray(stream.rows)] = stream.correct
        said[name] = spam == right
    said["the filter, stopped after the first wave"] = _stopped(mail, third)
    said["best possible"] = odds > 0.0
    wrong = {name: (answers != spam) for name, answers in said.items()}
    errors = {name: 100 * float(each[first:].mean()) for name, each in wrong.items()}
    standard = 100 * float(np.sqrt(np.mean(wrong["the filter"][first:]) / (n_messages - first)))
    facts = (
        Fact("error of the filter", errors["the filter"], unit="per cent", why=f"Standard error {standard:.1f}."),
        Fact("its cases alone", errors["its cases alone"], unit="per cent", why="The slides' lazy learner."),
        Fact("its linear model alone", errors["its linear model alone"], unit="per cent"),
        Fact(
            "stopped after the first wave",
            errors["the filter, stopped after the first wave"],
            unit="per cent",
            why="What drift does to a filter that does not learn: the slides' '2015 spam does not look like spam from "
            "2006'.",
        ),
        Fact("k-NN with all messages", errors["k-NN, all messages"], unit="per cent"),
        Fact(
            f"k-NN with the last {window:,}",
            errors[f"k-NN, the last {window:,}"],
            unit="per cent",
            why="'Add recent examples, remove old ones': adding counts most, and removing helps plain k-NN, since "
            "words of old spam speak for good mail today. The filter learns that from its errors.",
        ),
        Fact(
            "best possible",
            errors["best possible"],
            unit="per cent",
            why="The stream is made by chance from known shares of words, so that nobody can do better than this.",
        ),
    )
    thirds = [slice(max(first, i * third), (i + 1) * third) for i in range(n_campaigns)]
    by_wave = FactTable(
        "Error in each wave of spam, per cent",
        ("answers of", *(f"wave {i + 1}" for i in range(n_campaigns))),
        tuple((name, *(f"{100 * each[part].mean():.1f}" for part in thirds)) for name, each in wrong.items()),
    )
    span = max(50, n_messages // 15)
    places = np.arange(first, n_messages - span + 1, max(1, span // 10))
    over_time = {name: [100 * each[at : at + span].mean() for at in places] for name, each in wrong.items()}
    data = {"places": places + span / 2, "over_time": over_time, "span": span, "waves": [third * i for i in (1, 2)]}
    return Result(
        "A filter that goes on learning recovers from each new wave of spam; one that stopped is no better than chance "
        "from then on. The slides give no figures, and this package holds no mail: the stream is generated, its "
        "words have no meaning, and how filters rank here says little about real mail, on which "
        "benchmarks/quality/mail.py judges them (its table is among the benchmarks).",
        facts,
        data,
        (by_wave,),
    )


def draw(result: Result) -> Any:
    """Error among the messages around each place, and where the spam changes."""
    data = result.data
    figure, axes = new_panels(1, 2, (5.6, 4.2))
    groups = (
        ("the filter", "its cases alone", "its linear model alone", "best possible"),
        ("the filter", *(name for name in data["over_time"] if "k-NN" in name or "stopped" in name)),
    )
    top = 1.05 * max(max(each) for each in data["over_time"].values())
    for ax, names, title in zip(axes[0], groups, ("the filter and its parts", "and others"), strict=True):
        lines = {name: data["over_time"][name] for name in names}
        label = f"error among {data['span']} messages, per cent"
        draw_lines(data["places"], lines, xlabel="messages so far", ylabel=label, ax=ax)
        for at in data["waves"]:
            ax.axvline(at, color="#6b7480", linewidth=0.8)
        ax.set(title=title, ylim=(0, top))
        ax.annotate(
            "new spam", (data["waves"][0], top), (4, -10), textcoords="offset points", fontsize=8, color="#6b7480"
        )
        legend_below(ax, 1)
    return figure
