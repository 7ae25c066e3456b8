"""Sizes at which counting changes its way of working: `LIMITS`, read whenever something is counted.

A test sets one of them to see the other way work on few scores; the numbers that come out are the same. What compiled
loops use stands beside them, since it is compiled in. Each says what unit it counts in.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Memory:
    """Scores in memory."""

    sort_up_to: int = 1_000_000  # scores; up to here the curve to draw has every threshold
    hash_compiled_from: int = 1_000_000  # scores; below, numpy beats loading the compiled kernels
    deal_compiled_from: int = 1_000_000  # scores split by class; from here on the compiled kernels are loaded anyway
    sort_ids_up_to: int = 200_000  # ids; up to here sorting them beats loading anything
    smallest_slice: int = 1 << 17  # scores of a slice that it pays to give a thread of its own
    seeking_slice: int = 1 << 19  # the same where only the bins of scores are found, which is the fastest
    sort_on_cores_from: int = 1_000_000  # values; numpy on one core is faster for fewer,
    cores_to_sort_on: int = 5  # and where there are fewer cores
    block_scores: int = 1 << 20  # scores worked on together whatever the number of cores, also of a stream
    rank_steps: int = 1 << 20  # steps over the range of many scores, to find how many each one beats
    bin_bits: int = 16  # of the keys of scores between two thresholds, that say which bin each is in
    collect_at_most: int = 1 << 16  # scores of neighbouring bins, or a 64th of all of them where that is more


@dataclass(slots=True)
class Times:
    """Nanoseconds that counting takes, by which its way is chosen."""

    sort_ns: float = 5.5  # a score: to sort it and merge both classes
    read_ns: float = 0.5  # a score, for each question read from every threshold
    curve_wins_ns: float = 2.5  # a score, to count the pairs in the right order from every threshold
    seek_ns: float = 2.0  # a score: to find its bin, twice
    wins_ns: float = 4.5  # a score, to count the pairs in the right order without the curve
    start_seeking_ns: float = 150_000  # whatever the number of scores
    ask_ns: float = 8_000  # for each question asked of an outline
    load_ns: float = 400_000_000  # to load the compiled kernels, once in a process


@dataclass(slots=True)
class Classes:
    """Classes."""

    classes_in_numpy_up_to: int = 1_000_000  # scores; up to here numpy beats loading the compiled kernels
    bucket_bits: int = 16  # of the keys of scores that are sorted, that say which bucket each is in
    sweep_rows: int = 1 << 16  # of a piece of the curve of a large set
    confusion_block: int = 1 << 20  # samples counted together
    confusion_cells: int = 1 << 22  # cells of a square table that is cheap to fill


@dataclass(slots=True)
class Streams:
    """Streams."""

    stream_bin_bits: int = 22  # of a key, from the front, that say which bin it is in
    page_bins: int = 1024  # bins marked together as used
    kept_scores: int = 1 << 22  # scores that are kept as they are as long as they are no more
    kept_keys: int = 3 << 19  # distinct keys of both classes
    pending_keys: int = 1 << 19  # keys that wait to be merged
    gathered_keys: int = 1 << 22  # keys gathered in one pass
    finer_bins: int = 1 << 18  # of all spans together that are counted again in one pass


@dataclass(slots=True)
class Tiles:
    """Tiles of comparisons."""

    cell_steps: int = 1 << 13  # steps over the range of the cuts, to find the cell of a score
    group_cells_bytes: int = 512 << 20  # bytes of counts a worker may hold
    drawn_scores: int = 100_000  # non-mated scores that are enough to draw their distribution
    kept_comparisons: int = 1 << 22  # comparisons, up to which all are kept
    tail_share: float = 1e-3  # of the non-mated comparisons are the highest
    tail_comparisons: int = 1 << 20  # of the highest, about
    sampled_comparisons: int = 1 << 18  # from everywhere, about
    tail_sample: int = 1 << 20  # comparisons made to see where the highest begin,
    tail_sample_one_in: int = 512  # or one in so many where that is fewer


@dataclass(slots=True)
class Weights:
    """Weighted counts."""

    weigh_in_numpy_up_to: int = 20_000  # scores; up to here numpy beats loading the compiled kernels
    exact_cuts: int = 4096  # distinct scores, up to which each is a cut
    cut_sample: int = 1 << 18  # scores of a class that are looked at to place the cuts
    cut_tail: int = 2000  # scores of the sample beyond which all scores are looked at


@dataclass(slots=True)
class Limits:
    """All of them, by what is counted."""

    memory: Memory = field(default_factory=Memory)
    times: Times = field(default_factory=Times)
    classes: Classes = field(default_factory=Classes)
    streams: Streams = field(default_factory=Streams)
    tiles: Tiles = field(default_factory=Tiles)
    weights: Weights = field(default_factory=Weights)


LIMITS = Limits()
