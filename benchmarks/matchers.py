"""The cases of the matchers: dynamic time warping, Hamming distance and minutiae, each on one core.

dtaidistance   its C code for a whole matrix of distances, squared local costs, the root of the sum
numpy          bitwise_count of the exclusive or, one row of the matrix after the other
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Case, Measured, Skipped, best_time, contest, faster, require
from bertillon.io.templates import make_templates
from bertillon.matching import matcher

SEED = 20240229
SERIES, POINTS = 20, 300
CODES, CODE_BYTES = 1000, 256  # 2048 bits, as in an iris code
FINGERS, MINUTIAE = 50, 40

Array = NDArray[np.float64]


def dtw_against_dtaidistance(scale: float) -> Measured:
    """Every one of some series against every one of as many others, 300 points each."""
    try:
        from dtaidistance import dtw
    except ImportError as error:
        raise Skipped("dtaidistance is not installed") from error
    rng = np.random.default_rng(SEED)
    n = max(2, round(SERIES * scale))
    walks = [rng.normal(size=POINTS).cumsum() for _ in range(2 * n)]
    chosen = matcher("dtw", cost="squared")
    ours = chosen.prepare(make_templates([walk[:, None] for walk in walks], np.arange(2 * n)))

    def theirs() -> Array:
        block = ((0, n), (n, 2 * n))
        return dtw.distance_matrix_fast(walks, block=block, compact=True, parallel=False)

    times = contest(lambda: chosen.block(ours[:n], ours[n:]), theirs, _agree)
    return faster(times, f"{n * n} pairs of {POINTS} points")


def _agree(ours: Array, theirs: Array) -> None:
    near = np.allclose(ours.ravel(), np.asarray(theirs).ravel(), rtol=1e-9, atol=1e-12)
    require(near, "the distances differ by more than rounding")


def hamming_against_numpy(scale: float) -> Measured:
    """All pairs of iris codes without masks or rotations."""
    rng = np.random.default_rng(SEED)
    codes = rng.integers(0, 256, (max(2, round(CODES * scale)), CODE_BYTES), dtype=np.uint8)
    chosen = matcher("hamming")
    ours = chosen.prepare(make_templates(codes, np.arange(len(codes)), kind="bits"))
    words = codes.view(np.uint64)

    def theirs() -> Array:
        out = np.empty((len(words), len(words)))
        for place, word in enumerate(words):
            out[place] = np.bitwise_count(word ^ words).sum(axis=1)
        return out / (8 * CODE_BYTES)

    times = contest(lambda: chosen.block(ours, ours), theirs, _agree)
    return faster(times, f"{len(codes) ** 2:,} pairs of {8 * CODE_BYTES} bits")


def minutiae_seconds(scale: float) -> Measured:
    """Fingers pressed twice, a quarter of the minutiae replaced, all turned, shifted and shaken."""
    rng = np.random.default_rng(SEED)
    n = max(2, round(FINGERS * scale))
    first = [_minutiae(rng, MINUTIAE) for _ in range(n)]
    chosen = matcher("minutiae")
    gallery = make_templates(first, np.arange(n), kind="minutiae")
    probes = make_templates([_pressed_again(rng, one) for one in first], np.arange(n), kind="minutiae")

    def ours() -> Array:
        return chosen.block(chosen.prepare(probes), chosen.prepare(gallery))

    found = ours()
    require(bool((found.argmax(axis=1) == np.arange(n)).all()), "a finger is more like another than like itself")
    taken = best_time(ours, repeats=2)
    return Measured(taken, taken, note=f"{n * n:,} comparisons of {MINUTIAE} minutiae")


def _minutiae(rng: np.random.Generator, n: int) -> Array:
    return np.column_stack([rng.uniform(0, 300, n), rng.uniform(0, 400, n), rng.uniform(0, 2 * np.pi, n)])


def _pressed_again(rng: np.random.Generator, finger: Array) -> Array:
    turn = rng.uniform(-0.5, 0.5)
    cosine, sine = np.cos(turn), np.sin(turn)
    place = finger[:, :2] @ np.array([[cosine, sine], [-sine, cosine]]) + rng.uniform(-30, 30, 2)
    again = np.column_stack([place + rng.normal(0, 3, place.shape), finger[:, 2] + turn])
    lost = len(again) // 4
    again[:lost] = _minutiae(rng, lost)
    return again


CASES: Sequence[Case] = (
    Case("DTW of 300 points, dtaidistance", 2, dtw_against_dtaidistance),
    Case("Hamming of 2048 bits, numpy.bitwise_count", 2, hamming_against_numpy),
    Case("minutiae, 2,500 comparisons", 10, minutiae_seconds, "at most", "s"),
)
