"""
The angle between classes
=========================

The angle of separability of two classes grows with the distance of their means, measured in their own spread. The line
is its value for the population, the dots are samples.
"""

from sepal.measures import simulate_angle

simulate_angle([0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24], n_repeats=50).plot()
