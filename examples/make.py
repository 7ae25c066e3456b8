"""Make the example files again: scores of simulated systems, so that the README's output can be repeated.

Holds genuine.txt and impostor.txt (two plain lists), old.csv and new.csv (label,distance) of two systems, faces.npz
(embeddings of 80 people with their subject numbers), and screening.csv with screening-dev.csv (y_true,p,site): what a
simulated test for a rare illness says, too sure of itself, about the people to judge it on and about others.
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


def write_predictions(name: str, rng: np.random.Generator, *, people: int = 3_000, share: float = 0.05) -> None:
    """True labels of a rare illness, and probabilities whose log-odds are 1.8 times what they should be."""
    ill = rng.random(people) < share
    marker = rng.normal(size=people) + 2.2 * ill
    log_odds = np.log(share / (1 - share)) + 2.2 * (marker - 1.1)
    said = 1 / (1 + np.exp(-1.8 * log_odds))
    site = rng.choice(["east", "north", "west"], people)
    rows = "".join(f"{y:d},{p:.4f},{where}\n" for y, p, where in zip(ill, said.clip(1e-4, 0.9999), site, strict=True))
    (HERE / name).write_text("y_true,p,site\n" + rows)


if __name__ == "__main__":
    size = {"mated": 1_000, "nonmated": 10_000}
    write_lists(bt.simulate("beta", rng=1, **size).scores)
    write_table("old.csv", bt.simulate("beta", rule="distance", mated_a=6, nonmated_a=3, rng=2, **size).scores)
    write_table("new.csv", bt.simulate("beta", rule="distance", mated_a=7, rng=3, **size).scores)
    write_embeddings("faces.npz", np.random.default_rng(4))
    write_predictions("screening-dev.csv", np.random.default_rng(5))
    write_predictions("screening.csv", np.random.default_rng(6))
