"""Arrays, labels, tables and embeddings, straight to answers: by hand, and against trials that were built."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bertillon as bt

GENUINE, IMPOSTOR = [0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]
LABELS, SCORES = [1] * 4 + [0] * 5, GENUINE + IMPOSTOR


class Tensor:
    """What a torch tensor on a device is to those who do not know torch: numpy refuses it until it is on the CPU."""

    def __init__(self, values, device="cuda:0", attached=True):
        self.values, self.device, self.attached = np.asarray(values), device, attached

    def detach(self):
        return Tensor(self.values, self.device, attached=False)

    def cpu(self):
        return Tensor(self.values, "cpu", self.attached)

    def numpy(self):
        if self.attached or self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        return self.values

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    def __len__(self):
        return len(self.values)


WAYS = {
    "lists": lambda: bt.evaluate(GENUINE, IMPOSTOR),
    "tuples": lambda: bt.evaluate(tuple(GENUINE), tuple(IMPOSTOR)),
    "arrays": lambda: bt.evaluate(np.array(GENUINE), np.array(IMPOSTOR)),
    "pandas": lambda: bt.evaluate(pd.Series(GENUINE, index=[7, 8, 9, 10]), pd.Series(IMPOSTOR)),
    "polars": lambda: bt.evaluate(pl.Series(GENUINE), pl.Series(IMPOSTOR)),
    "tensors": lambda: bt.evaluate(Tensor(GENUINE), Tensor(IMPOSTOR)),
    "labels": lambda: bt.evaluate(y_true=LABELS, y_score=SCORES),
    "booleans": lambda: bt.evaluate(y_true=np.array(LABELS) == 1, y_score=np.array(SCORES)),
    "words": lambda: bt.evaluate(y_true=["genuine" if one else "impostor" for one in LABELS], y_score=SCORES),
    "signs": lambda: bt.evaluate(y_true=np.where(LABELS, 1.0, -1.0), y_score=Tensor(SCORES)),
    "pandas frame": lambda: bt.evaluate(pd.DataFrame({"s": SCORES, "l": LABELS}), score="s", label="l"),
    "polars frame": lambda: bt.evaluate(pl.DataFrame({"s": SCORES, "l": LABELS}), score="s", label="l"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_gives_what_built_trials_give(way):
    found, built = WAYS[way](), bt.evaluate(bt.ScoreSet(GENUINE, IMPOSTOR))
    assert found.to_dict()["measures"] == built.to_dict()["measures"]


def test_numbers_alone_by_hand():
    assert str(bt.eer(GENUINE, IMPOSTOR)) == "EER 25 % (threshold 0.575)"
    assert float(bt.eer(GENUINE, IMPOSTOR)) == 0.25
    assert float(bt.auc(GENUINE, IMPOSTOR)) == 17 / 20


def test_distances_are_turned_round():
    turned = bt.evaluate([-s for s in GENUINE], [-s for s in IMPOSTOR], distance=True)
    assert turned["EER"].value == 0.25
    assert turned["EER"].threshold == pytest.approx(-0.575)
    assert float(bt.eer([-s for s in GENUINE], [-s for s in IMPOSTOR], distance=True)) == 0.25


def test_names_measures_and_ids_are_taken():
    frame = pd.DataFrame(
        {"s": SCORES, "l": LABELS, "probe_subject": list("aabbaabba"), "reference_subject": list("aabbcdcdb")}
    )
    found = bt.evaluate(frame, score="s", label="l", measures=["EER"], name="ours")
    assert (found.name, list(found)) == ("ours", ["EER"])
    assert found.trials.mated_ids.probe_subject.tolist() == list("aabb")
    assert found["FRR@FAR=0.2"].value == found["FNMR@FMR=0.2"].value == 0.25


def test_probabilities_and_predicted_labels_are_a_classifier():
    assert bt.evaluate(y_true=[1, 0, 1], y_prob=[0.9, 0.2, 0.4]).kind == "classification"
    found = bt.evaluate(y_true=["a", "b"], y_pred=["a", "a"], measures="Accuracy", name="ours")
    assert (found["Accuracy"].value, found.name) == (0.5, "ours")


@pytest.mark.parametrize(
    "values",
    [[[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]], Tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])],
)
def test_embeddings_by_hand(values):
    people = ["anna", "anna", "bob", "bob"]
    verified, searched = bt.evaluate_embeddings(values, people, name="ours", mode="all")
    assert (verified.counts["mated"], verified.counts["nonmated"], verified.name) == (4, 8, "ours")
    assert verified["EER"].value == bt.evaluate_embeddings(values, people)["EER"].value == 0.0
    assert (
        searched["RR"].value
        == bt.evaluate_embeddings(values, people, mode="identify", matcher="euclidean")["RR"].value
        == 1.0
    )


def test_compare_says_which_is_better():
    rng = np.random.default_rng(1)
    genuine, impostor = rng.normal(3, 1, 400), rng.normal(0, 1, 2000)
    found = bt.compare({"old": (genuine - rng.exponential(1.5, 400), impostor), "new": (genuine, impostor)}, "AUC")
    assert found.verdicts == {("old", "new", "AUC"): "better"}
    assert "new against old: better" in repr(found)
    assert found.to_pandas().loc[0, "difference"] > 0.0
    assert "better than old" in found._repr_html_()
    assert found.to_dict()["differences"][0]["verdict"] == "better"
