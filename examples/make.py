"""Make the example files again: scores of simulated systems, so that the README's output can be repeated.

Holds genuine.txt and impostor.txt (two plain lists), old.csv and new.csv (label,distance) of two systems, and
faces.npz (embeddings of 80 people with their subject numbers).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bertillon as bt

HERE = Path(__file__).parent


def write_lists(scores: bt.ScoreSet) -> None:
    """Two plain lists of similarities, rounded so that ties occur."""
    for name, values in (("genuine.txt", scores.mated), ("impostor.txt", scores.nonmated)):
        (HERE / name).write_text("".join(f"{value:.3f}\n" for value in values))


def write_table(name: str, scores: bt.ScoreSet) -> None:
    """One table of distances with labels."""
    labels = np.repeat(["same", "different"], [scores.mated.size, scores.nonmated.size])
    values = np.concatenate([scores.mated, scores.nonmated])
    rows = "".join(f"{label},{value:.3f}\n" for label, value in zip(labels, values, strict=True))
    (HERE / name).write_text("label,distance\n" + rows)


def write_embeddings(name: str, rng: np.random.Generator) -> None:
    """Four vectors a person around one centre."""
    subject = np.repeat(np.arange(80), 4)
    vectors = rng.normal(size=(80, 32))[subject] + 0.9 * rng.normal(size=(320, 32))
    np.savez_compressed(HERE / name, embeddings=vectors.astype(np.float32), subject=subject)


if __name__ == "__main__":
    size = {"mated": 1_000, "nonmated": 10_000}
    write_lists(bt.simulate("beta", rng=1, **size).scores)
    write_table("old.csv", bt.simulate("beta", rule="distance", mated_a=6, nonmated_a=3, rng=2, **size).scores)
    write_table("new.csv", bt.simulate("beta", rule="distance", mated_a=7, rng=3, **size).scores)
    write_embeddings("faces.npz", np.random.default_rng(4))
