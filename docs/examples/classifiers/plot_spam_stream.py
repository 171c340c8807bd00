"""
A filter while spam changes
===========================

Made-up mail whose spam gets new words after 400 messages. Each message is judged before it is learned.
"""

import numpy as np

from sepal.mail import judge_stream
from sepal.plots import draw_lines

rng = np.random.default_rng(0)
everyday, work = [f"e{i}" for i in range(80)], [f"w{i}" for i in range(20)]
waves = [[f"a{i}" for i in range(20)], [f"b{i}" for i in range(20)]]
spam = rng.random(800) < 0.5
mail = [
    (tuple({*rng.choice(everyday, 12), *rng.choice(waves[i // 400] if is_spam else work, 2)}), bool(is_spam))
    for i, is_spam in enumerate(spam)
]
lines = {}
for name, part in (("the filter", "both"), ("its cases alone", "cases"), ("its linear model alone", "linear")):
    wrong = (np.array(judge_stream(mail, part=part, skip=50).log_odds) > 0) != spam
    lines[name] = [wrong[at : at + 50].mean() for at in range(50, 751, 10)]
draw_lines(np.arange(75, 776, 10), lines, xlabel="messages so far", ylabel="error among 50 messages")
