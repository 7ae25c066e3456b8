"""Block work: a large job cut into tiles, done by threads or on a cluster, with signs of life and checkpoints.

Holds `Tile`, `tiles` (tiling), `run_job` (jobs), `each_on_its_own` (workers), `Checkpoint` (checkpoint), `Dask`
(on_dask) and `Progress` (progress).
"""
