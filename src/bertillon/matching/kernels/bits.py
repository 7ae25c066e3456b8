"""Loops over pairs of packed bit strings.

Conventions: those of the package. Bits are packed into words of 64; a probe comes in every rotation, and the smallest
distance over the rotations counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]


def _emit_popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set: one instruction of the processor."""
    del typing_context, word

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


_popcount: Any = intrinsic(_emit_popcount)


@compiled()
def distances(probes: Array, gallery: Array, bits: int, out: Array) -> None:
    """Share of differing bits; probes are (probe, rotation, word)."""
    for i in range(probes.shape[0]):
        for j in range(gallery.shape[0]):
            fewest = np.uint64(bits)
            for r in range(probes.shape[1]):
                differing = np.uint64(0)
                for w in range(gallery.shape[1]):
                    differing += _popcount(probes[i, r, w] ^ gallery[j, w])
                fewest = min(fewest, differing)
            out[i, j] = fewest / bits


@compiled()
def masked_distances(probes: Array, probe_masks: Array, gallery: Array, gallery_masks: Array, out: Array) -> None:
    """Share of differing bits among those valid in both; NaN where no rotation leaves a valid bit."""
    for i in range(probes.shape[0]):
        for j in range(gallery.shape[0]):
            best = np.nan
            for r in range(probes.shape[1]):
                differing, valid = np.uint64(0), np.uint64(0)
                for w in range(gallery.shape[1]):
                    both = probe_masks[i, r, w] & gallery_masks[j, w]
                    differing += _popcount((probes[i, r, w] ^ gallery[j, w]) & both)
                    valid += _popcount(both)
                if valid > 0:
                    share = differing / valid
                    best = share if not best <= share else best
            out[i, j] = best
