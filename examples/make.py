"""Make the example files again: scores of simulated systems, so that the README's output can be repeated.

Holds genuine.txt and impostor.txt (two plain lists), old.csv and new.csv (label,distance) of two systems, faces.npz
(embeddings of 80 people with their subject numbers), of these people.npz and visitors.npz (who is enrolled at a door,
and who comes), border.csv (similarities of 60 travellers, some hard to recognise
and easy to imitate, with the quality of both pictures), screening.csv with screening-dev.csv (y_true,p,site): what a
simulated test for a rare illness says, too sure of itself, about the people to judge it on and about others;
attacks.csv (species,subject,score): attacks on the system of the two plain lists; and pad.csv (label,species,score):
what an attack detector makes of bona fide presentations and of attacks; gate.csv (probe_subject,reference_subject,
transaction,attempt,score): thirty people who try a gate up to three times, as themselves and as each other.
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


def write_door() -> None:
    """Of faces.npz the first template of 50 people, who are enrolled, and later ones of two and of a stranger."""
    with np.load(HERE / "faces.npz") as faces:
        for name, rows in (("people.npz", np.arange(0, 200, 4)), ("visitors.npz", np.array([9, 17, 301]))):
            np.savez_compressed(HERE / name, embeddings=faces["embeddings"][rows], subject=faces["subject"][rows])


def write_predictions(name: str, rng: np.random.Generator, *, people: int = 3_000, share: float = 0.05) -> None:
    """True labels of a rare illness, and probabilities whose log-odds are 1.8 times what they should be."""
    ill = rng.random(people) < share
    marker = rng.normal(size=people) + 2.2 * ill
    log_odds = np.log(share / (1 - share)) + 2.2 * (marker - 1.1)
    said = 1 / (1 + np.exp(-1.8 * log_odds))
    site = rng.choice(["east", "north", "west"], people)
    rows = "".join(f"{y:d},{p:.4f},{where}\n" for y, p, where in zip(ill, said.clip(1e-4, 0.9999), site, strict=True))
    (HERE / name).write_text("y_true,p,site\n" + rows)


def write_travellers(name: str, rng: np.random.Generator, *, people: int = 60) -> None:
    """Everybody ten times with oneself and once with each other; poor pictures are less alike than good ones."""
    odd = rng.normal(size=people)  # such people are less like themselves and more like others
    lamb, wolf = 0.8 * odd + 0.6 * rng.normal(size=people), rng.normal(size=people)
    everyone = np.arange(people)
    probe = np.concatenate([np.repeat(everyone, 10), np.repeat(everyone, people - 1)])
    others = [everyone[everyone != one] for one in everyone]
    reference = np.concatenate([np.repeat(everyone, 10), *others])
    quality = np.rint(100 * rng.beta(5, 2, size=(probe.size, 2))).astype(int)
    poor = 1 - quality.min(axis=1) / 100
    own = 0.75 - 0.05 * odd[probe] - 0.5 * poor**2
    score = np.where(probe == reference, own, 0.3 + 0.03 * lamb[reference] + 0.02 * wolf[probe])
    score += 0.08 * rng.normal(size=score.size)
    rows = zip(probe, reference, score, *quality.T, strict=True)
    lines = (f"t{one:02d},t{other:02d},{value:.3f},{first},{second}\n" for one, other, value, first, second in rows)
    heading = "probe_subject,reference_subject,score,quality_probe,quality_reference\n"
    (HERE / name).write_text(heading + "".join(lines))


def write_attacks(name: str, rng: np.random.Generator) -> None:
    """Five attacks on each of forty people with every species; masks come close to the person they show."""
    rows = []
    for species, middle in (("print", 0.40), ("replay", 0.52), ("mask", 0.57)):
        for subject, shift in enumerate(rng.normal(0, 0.05, 40)):
            rows += [
                f"{species},s{subject:02},{score:.3f}\n" for score in rng.normal(middle + shift, 0.07, 5).clip(0, 1)
            ]
    (HERE / name).write_text("species,subject,score\n" + "".join(rows))


def write_detector(name: str, rng: np.random.Generator) -> None:
    """Bona fide presentations score high; to some presentations the detector gives no response."""
    rows = []
    for label, species, middle, size in (
        ("bonafide", "", 0.8, 500),
        ("attack", "print", 0.3, 150),
        ("attack", "replay", 0.4, 150),
        ("attack", "mask", 0.52, 120),
    ):
        scores = rng.normal(middle, 0.11, size).clip(0, 1)
        said = ["" if silent else f"{score:.3f}" for score, silent in zip(scores, rng.random(size) < 0.01, strict=True)]
        rows += [f"{label},{species},{one}\n" for one in said]
    (HERE / name).write_text("label,species,score\n" + "".join(rows))


def write_gate(name: str, rng: np.random.Generator, *, people: int = 30) -> None:
    """Five transactions of everybody as oneself, one as each other; the attempts of one transaction are alike, and one
    attempt in fifty fails."""
    lamb, wolf = rng.normal(size=people), rng.normal(size=people)
    rows = []
    for one in range(people):
        for other in range(people):
            for transaction in range(1, 6 if one == other else 2):
                day = 0.05 * rng.normal()
                middle = 0.68 - 0.03 * lamb[one] if one == other else 0.30 + 0.05 * (lamb[other] + wolf[one])
                for attempt, noise in enumerate(0.07 * rng.normal(size=3), 1):
                    score = "" if rng.random() < 0.02 else f"{middle + day + noise:.3f}"
                    rows.append(f"g{one:02d},g{other:02d},{transaction},{attempt},{score}\n")
    heading = "probe_subject,reference_subject,transaction,attempt,score\n"
    (HERE / name).write_text(heading + "".join(rows))


if __name__ == "__main__":
    size = {"mated": 1_000, "nonmated": 10_000}
    write_lists(bt.simulate.scores("beta", rng=1, **size).scores)
    write_table("old.csv", bt.simulate.scores("beta", rule="distance", mated_a=6, nonmated_a=3, rng=2, **size).scores)
    write_table("new.csv", bt.simulate.scores("beta", rule="distance", mated_a=7, rng=3, **size).scores)
    write_embeddings("faces.npz", np.random.default_rng(4))
    write_door()
    write_predictions("screening-dev.csv", np.random.default_rng(5))
    write_predictions("screening.csv", np.random.default_rng(6))
    write_travellers("border.csv", np.random.default_rng(8))
    write_attacks("attacks.csv", np.random.default_rng(7))
    write_detector("pad.csv", np.random.default_rng(8))
    write_gate("gate.csv", np.random.default_rng(9))
