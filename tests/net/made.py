"""Files that the command lines read beside the examples and the real data, the same in every run.

Conventions: random numbers are rounded before they are written, so that the files do not depend on the last bits.

Holds `make_files`, `make_large_files` and `make_real_files`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

LARGE = 4_600_000  # scores; more than a stream keeps in memory
LFW_SUBJECTS = 400  # people with the most images
PEOPLE, IMAGES = 40, 3


def make_files(folder: Path) -> None:
    """Write the files that need no real data."""
    rng = np.random.default_rng(20)
    _write_people(folder / "people.csv", "t{:02}")
    _write_people(folder / "owners.csv", "{}")
    _write_ties(folder / "ties.csv", rng)
    for number in (1, 2):
        _write_stream(folder / f"stream-{number}.csv", rng)
    _write_matrix(folder / "matrix.csv", rng)
    _write_classes(folder / "classes.csv", rng)
    _write_templates(folder, rng)


def make_large_files(folder: Path) -> None:
    """Write more scores than a stream keeps."""
    rng = np.random.default_rng(22)
    marks = np.arange(LARGE) % 10 == 0
    scores = np.round(rng.normal(0, 1, LARGE) + 3 * marks, 6)
    pl.DataFrame({"label": marks.astype(np.int8), "score": scores}).write_parquet(folder / "large.parquet")


def make_real_files(folder: Path, data: Path) -> None:
    """Write the subsets of the real data."""
    whole = np.load(data / "lfw_dlib" / "embeddings.npz")
    subjects, sizes = np.unique(whole["subject"], return_counts=True)
    most = subjects[np.argsort(-sizes, kind="stable")[:LFW_SUBJECTS]]
    rows = np.flatnonzero(np.isin(whole["subject"], most))
    rows = rows[_place_within(whole["subject"][rows]) < 4]
    np.savez(folder / "lfw.npz", **{name: whole[name][rows] for name in whole.files})
    _write_worse(folder / "lfw-worse.csv", data / "lfw_dlib" / "pairs.csv")


def _place_within(owners: np.ndarray) -> np.ndarray:
    """The how-manieth image of its owner each is, from 0."""
    seen: dict[int, int] = {}
    places = []
    for owner in owners.tolist():
        places.append(seen.get(owner, 0))
        seen[owner] = places[-1] + 1
    return np.array(places)


def _write_worse(path: Path, pairs: Path) -> None:
    """The LFW pairs with some noise on the distances."""
    head, *lines = pairs.read_text().splitlines()
    place = head.split(",").index("distance")
    noise = np.random.default_rng(21).normal(0, 0.05, len(lines))
    rows = [line.split(",") for line in lines]
    for row, shift in zip(rows, noise.tolist(), strict=True):
        row[place] = f"{max(0.0, float(row[place]) + shift):.6f}"
    path.write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n")


def _write_people(path: Path, name: str) -> None:
    """Groups of the people of border.csv or faces.npz, as each spells them."""
    path.write_text("subject,group\n" + "".join(f"{name.format(n)},{'abc'[n % 3]}\n" for n in range(100)))


def _write_ties(path: Path, rng: np.random.Generator) -> None:
    """Scores with few distinct values, and some of -1 that mean failures."""
    marks = np.arange(3000) % 5 == 0
    scores = np.clip(np.round(rng.normal(4, 2, marks.size) + 5 * marks), 0, 12).astype(int)
    scores[rng.integers(0, marks.size, 30)] = -1
    _write_labelled(path, marks, [str(score) for score in scores])


def _write_stream(path: Path, rng: np.random.Generator) -> None:
    marks = np.arange(20_000) % 10 == 0
    scores = np.round(rng.normal(0, 1, marks.size) + 3 * marks, 6)
    _write_labelled(path, marks, [f"{score:.6f}" for score in scores])


def _write_labelled(path: Path, marks: np.ndarray, scores: list[str]) -> None:
    rows = (f"{int(mark)},{score}\n" for mark, score in zip(marks, scores, strict=True))
    path.write_text("label,score\n" + "".join(rows))


def _write_matrix(path: Path, rng: np.random.Generator) -> None:
    """Similarities of 90 probes, those of 30 people not enrolled, with 60 people."""
    scores = rng.normal(0, 1, (90, 60))
    scores[np.arange(60), np.arange(60)] += 3
    scores = np.round(1 / (1 + np.exp(-scores / 2)), 4)
    head = "," + ",".join(f"p{n}" for n in range(60))
    lines = [f"p{n}," + ",".join(f"{score:.4f}" for score in row) for n, row in enumerate(scores)]
    path.write_text("\n".join([head, *lines]) + "\n")


def _write_classes(path: Path, rng: np.random.Generator) -> None:
    """Probabilities of four classes."""
    truth = rng.integers(0, 4, 1500)
    logits = rng.normal(0, 1, (truth.size, 4)) + 2 * np.eye(4)[truth]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    first = np.round(shares[:, :3], 4)
    shares = np.column_stack([first, 1 - first.sum(axis=1)])
    lines = [f"{true}," + ",".join(f"{max(p, 0):.4f}" for p in row) for true, row in zip(truth, shares, strict=True)]
    path.write_text("\n".join(["y_true,p_0,p_1,p_2,p_3", *lines]) + "\n")


def _write_templates(folder: Path, rng: np.random.Generator) -> None:
    """Vectors, bits and histograms of the same people."""
    subject = np.repeat(np.arange(PEOPLE), IMAGES)
    centres = rng.normal(0, 1, (PEOPLE, 16))[subject]
    vectors = np.round(centres + rng.normal(0, 0.7, centres.shape), 5)
    np.savez(folder / "small.npz", embeddings=vectors.astype(np.float32), subject=subject)
    bits = (rng.random((PEOPLE, 256)) < 0.5)[subject] ^ (rng.random((subject.size, 256)) < 0.25)
    np.savez(folder / "bits.npz", embeddings=np.packbits(bits, axis=1), subject=subject)
    histograms = rng.poisson(np.exp(centres * 0.5 + 2)).astype(np.float64)
    np.savez(folder / "histograms.npz", embeddings=histograms, subject=subject)
