"""Files to tables and back: one module a format, a registry by name, sniffing by content.

Conventions: every format is read plain or gzipped. What a reader understood is said in the table's notes; what it
does not understand raises `InputError`. A new format is one module and its name below.

    registry              `read`: opens, recognises by content, and reads; what a format says of itself
    source, limits        bytes, unpacked where they are packed, and how much memory they may take
    delimited, commas     CSV, TSV and their like; decimal commas
    plain, positional     a number a line; columns known by their place (bob, Kaldi, VoxCeleb, LFW)
    parquet, xlsx, npy, hdf5, mat, matrices, nist, attacks, json_scores   the other formats
    no_scores             files that hold something else, so that the error can say what
    text, convert         fields to numbers, and what is wrong with one that is none
    labels, columns       what a label, and what a column, means
    batches               files of any size, a piece at a time
    templates             the same for templates, in a folder of its own
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
