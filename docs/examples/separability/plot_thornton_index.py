"""
Thornton's index and its chance level
=====================================

The share of rows whose nearest neighbour is of their class, for every bundled two-class set of numbers, beside what
random labels would give. The bar is a 95 % interval for 1-NN's accuracy on further rows.
"""

import matplotlib.pyplot as plt

import sepal

names = ["ripley-train", "liver", "sonar", "diabetes", "wine", "iris"]
tests = [sepal.thornton_test(sepal.datasets.load(name)) for name in names]
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for place, test in enumerate(tests):
    low, high = test.interval
    ax.plot([low, high], [place, place], color="C0")
    ax.plot(test.score, place, "o", color="C0", label="index, 95 % interval" if place == 0 else None)
    ax.plot(test.chance, place, "|", color="C3", markersize=14, label="chance" if place == 0 else None)
ax.set_yticks(range(len(names)), names)
ax.set_xlim(0, 1)
ax.set_xlabel("share of rows whose nearest neighbour is of their class")
ax.legend(frameon=False, loc="lower left")
