"""Block work: a large job cut into tiles, done by threads or on a cluster, with signs of life and checkpoints.

Holds `tiles`, `run_job`, `Progress` and `Checkpoint` (jobs), `run_workers` (workers) and `Dask` (on_dask).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
