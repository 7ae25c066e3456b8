"""Files to tables and back: one module a format, a registry by name, sniffing by content.

Conventions: every format is read plain or gzipped. What a reader understood is said in the table's notes; what it
does not understand raises `InputError`. A new format is one module and one line below.

Holds `read`, `write`, `sniff`, `FORMATS`, `Format` and `register`.
"""

from __future__ import annotations

from bertillon.formats import (
    bee,
    bob,
    bobcsv,
    candidates,
    counted,
    delimited,
    hdf5,
    kaldi,
    lfw,
    matrix,
    nist,
    npy,
    npz,
    parquet,
    pickles,
    plain,
    voxceleb,
)
from bertillon.formats.reading import read, sniff
from bertillon.formats.registry import FORMATS, Format, register
from bertillon.formats.writing import write

__all__ = ["FORMATS", "Format", "read", "register", "sniff", "write"]

register(pickles.PICKLE)
register(counted.COUNTS)
register(parquet.PARQUET)
register(npy.NPY)
register(npz.NPZ)
register(hdf5.HDF5)
register(bee.BEE, bee.BEE_MASK)
register(nist.NIST_1TO1, candidates.CANDIDATES)
register(bobcsv.BOB_CSV)
register(matrix.MATRIX)
register(lfw.LFW_PAIRS)
register(delimited.CSV, delimited.TSV)
register(bob.BOB_2, bob.BOB_4, bob.BOB_5)
register(kaldi.KALDI)
register(voxceleb.TRIALS, voxceleb.SCORES)
register(plain.SCORES, plain.PYEER)
