"""How good the answers are: ours and the peers on the same folds of the same sets.

``python -m benchmarks.quality`` runs what is missing in its results file and prints the summary.
"""
