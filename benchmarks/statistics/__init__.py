"""Do p-values and intervals keep their promises? Simulations, and the tables they give.

python -m benchmarks.statistics            everything, some minutes; writes results/*.md
python -m benchmarks.statistics null       p-values under random labels
python -m benchmarks.statistics coverage   how often intervals cover what they are intervals of
python -m benchmarks.statistics no-choice  the same for the classifier without choices
"""
