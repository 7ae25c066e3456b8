"""Files to tables and back: one module a format, a registry by name, sniffing by content.

Conventions: every format is read plain or gzipped. What a reader understood is said in the table's notes; what it
does not understand raises `InputError`. A new format is one module and its name below.
"""

from __future__ import annotations

from importlib import import_module

import lazy_loader as _lazy

MODULES = (
    *("no_scores", "parquet", "xlsx", "npy", "hdf5", "mat", "matrices"),
    *("nist", "attacks", "json_scores", "delimited", "positional", "plain"),
)

for _module in MODULES:
    import_module(f"bertillon.io.{_module}")

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
