"""Loops over pairs of vectors, of histograms and of packed bit strings.

Conventions: those of the package. A squared distance taken from a product of matrices loses digits where two vectors
are near each other; there it is summed again from the differences. Bits are packed into words of 64; a probe comes in
every rotation, and the smallest distance over the rotations counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]

NEAR = 1.0 / 16.0  # of the sum of both squared lengths; beyond it a product of matrices keeps all but four bits


@compiled(fastmath={"reassoc", "contract"})
def _squared(x: Array, y: Array) -> float:
    total = 0.0
    for k in range(x.size):
        difference = np.float64(x[k]) - np.float64(y[k])
        total += difference * difference
    return total


@compiled()
def squared_distances(product: Array, x: Array, y: Array, x_squares: Array, y_squares: Array, out: Array) -> None:
    """Squared Euclidean distances from the products of all pairs; `out` may be `product`."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            both = x_squares[i] + y_squares[j]
            value = both - 2.0 * product[i, j]
            out[i, j] = value if value > NEAR * both else _squared(x[i], y[j])


@compiled(fastmath={"reassoc", "contract"})
def absolute_distances(x: Array, y: Array, weights: Array, owner: Array, out: Array) -> None:
    """Sums of absolute differences, each weighted as the owner of the gallery template asks."""
    for j in range(y.shape[0]):
        weight = weights[owner[j]]
        for i in range(x.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += abs(np.float64(x[i, k]) - np.float64(y[j, k])) * weight[k]
            out[i, j] = total


@compiled(fastmath={"reassoc", "contract"})
def chi_square_distances(x: Array, y: Array, out: Array) -> None:
    """Half the sum of (x - y)^2 / (x + y); bins empty in both add nothing."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                a, b = np.float64(x[i, k]), np.float64(y[j, k])
                both = a + b
                total += (a - b) * (a - b) / (both if both > 0.0 else 1.0)
            out[i, j] = 0.5 * total


@compiled(fastmath={"reassoc", "contract"})
def intersections(x: Array, y: Array, out: Array) -> None:
    """The sum of the smaller of each two bins."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                a, b = np.float64(x[i, k]), np.float64(y[j, k])
                total += a if a < b else b
            out[i, j] = total


def _emit_popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set: one instruction of the processor."""
    del typing_context, word

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


_popcount: Any = intrinsic(_emit_popcount)


@compiled()
def bit_distances(probes: Array, gallery: Array, bits: int, out: Array) -> None:
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
def masked_bit_distances(probes: Array, probe_masks: Array, gallery: Array, gallery_masks: Array, out: Array) -> None:
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
