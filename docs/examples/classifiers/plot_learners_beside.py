"""
Learners side by side
=====================

The same folds for all of them; the interval is that of the accuracy.
"""

import matplotlib.pyplot as plt

import sepal
from sepal.machines import FisherDiscriminant

table = sepal.datasets.load("liver")
learners = {
    "no choice": sepal.SepalClassifier(),
    "SVM": sepal.SVMClassifier(),
    "5-NN": sepal.KNNClassifier(5),
    "Fisher": FisherDiscriminant(),
}
found = {name: sepal.evaluate(learner, table, cv=5) for name, learner in learners.items()}
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
for place, evaluation in enumerate(found.values()):
    low, high = evaluation.interval()
    ax.plot([low, high], [place, place], color="C0")
    ax.plot(evaluation.accuracy, place, "o", color="C0")
ax.set_yticks(range(len(found)), list(found))
ax.set_xlabel("accuracy in five folds, 95 % interval")
