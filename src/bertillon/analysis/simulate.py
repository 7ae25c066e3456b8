"""Trials drawn from a known truth, by short names: `bt.simulate.scores` and `bt.simulate.searches`.

Holds `scores` and `searches`.
"""

from bertillon.trials.simulate import simulate as scores
from bertillon.trials.simulate_searches import simulate_searches as searches

__all__ = ["scores", "searches"]
