"""
Which words tell the classes apart?
===================================

Bars show how much of the class of a message, in bits, it tells whether a word is in it.
"""

import numpy as np

import sepal
from sepal.measures import telling_words
from sepal.plots import draw_bars

rng = np.random.default_rng(0)
spam, ham = ["win", "free", "prize", "claim", "cash"], ["meeting", "home", "late", "bread", "minutes"]
both = ["today", "you", "the", "now", "see", "please"]
y = np.repeat(["spam", "ham"], 60)
bodies = [" ".join(rng.choice([*both, *(spam if label == "spam" else ham), "now", "home"], 8)) for label in y]
table = sepal.data.as_table([[body] for body in bodies], y, kinds=["text"], names=["body"])
found = telling_words(table, n_words=10)
draw_bars([each.word for each in found], [each.bits for each in found], xlabel="bits about the class")
