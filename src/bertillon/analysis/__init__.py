"""What the rates mean in use: forecasts for a volume of attempts, and costs over a range of assumptions.

Holds `forecast` (forecast) and `cost_sweep` (cost_sweep).
"""
