"""The cases of classification: ten million predictions of two classes, and a million of a hundred classes.

Ours is timed from plain arrays to the complete report, the checks of the input included; scikit-learn is asked for the
same numbers one call each. `python -m benchmarks.classification N` prints the memory a report of N predictions takes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Case, Measured, agree, contest, faster, require
from benchmarks.memory import forget_peak, peak
from bertillon.evaluation import evaluate, usual_measures
from bertillon.trials.predictions import Predictions

SEED = 20240229
BINARY, PREVALENCE = 10_000_000, 0.2
ROWS, CLASSES = 1_000_000, 100
WARM_UP = 2_000_000
ROOT = Path(__file__).parents[1]

Labelled = tuple[NDArray[np.int64], NDArray[np.float64]]


def draw(size: int) -> Labelled:
    """True labels and probabilities of a fair classifier of two classes."""
    rng = np.random.default_rng(SEED)
    truth = (rng.random(size) < PREVALENCE).astype(np.int64)
    return truth, 1.0 / (1.0 + np.exp(1.0 - rng.normal(1.5 * truth, 1.0)))


def draw_several(size: int) -> Labelled:
    """True labels and a matrix of probabilities."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, CLASSES, size)
    matrix = np.empty((size, CLASSES))
    for at in range(0, size, 1 << 16):
        own = truth[at : at + (1 << 16)]
        powers = np.exp(rng.normal(3.0 * (np.arange(CLASSES) == own[:, None]), 1.0))
        matrix[at : at + own.size] = powers / powers.sum(axis=1, keepdims=True)
    return truth, matrix


def answers(data: Labelled) -> dict[str, float]:
    """Our complete report."""
    predictions = Predictions.from_probabilities(*data)
    evaluation = evaluate(predictions, usual_measures(predictions))
    return {name: result.value for name, result in evaluation.results.items()}


def sklearn_answers(truth: NDArray[np.int64], p: NDArray[np.float64]) -> dict[str, float]:
    """The same from scikit-learn, one call each."""
    from sklearn import metrics as sk
    from sklearn.calibration import calibration_curve

    called = (p >= 0.5).astype(np.int64)
    (tn, fp), (fn, _) = sk.confusion_matrix(truth, called)
    precision, recall, f1, _ = sk.precision_recall_fscore_support(truth, called, average="binary")
    calibration_curve(truth, p, n_bins=10)
    return {
        "Accuracy": sk.accuracy_score(truth, called),
        "BalancedAccuracy": sk.balanced_accuracy_score(truth, called),
        "Precision": precision,
        "Recall": recall,
        "F1": f1,
        "Specificity": tn / (tn + fp),
        "NPV": tn / (tn + fn),
        "MCC": sk.matthews_corrcoef(truth, called),
        "Kappa": sk.cohen_kappa_score(truth, called),
        "AUC": sk.roc_auc_score(truth, p),
        "AP": sk.average_precision_score(truth, p),
        "LogLoss": sk.log_loss(truth, p),
        "Brier": sk.brier_score_loss(truth, p),
    }


def report_against_sklearn(scale: float) -> Measured:
    """The complete report of two classes."""
    data = draw(round(BINARY * scale))
    times = contest(
        lambda: answers(data),
        lambda: sklearn_answers(*data),
        lambda ours, theirs: agree(ours, theirs, 1e-10),
        repeats=2,
    )
    return faster(times, f"{data[0].size:,} predictions, {len(answers(data))} measures")


def several_against_sklearn(scale: float) -> Measured:
    """The complete report of a hundred classes against classification_report, log_loss and the one-vs-rest AUC."""
    from sklearn import metrics as sk

    truth, matrix = draw_several(round(ROWS * scale))

    def theirs() -> dict[str, float]:
        report = sk.classification_report(truth, matrix.argmax(axis=1), output_dict=True)
        return {
            "Accuracy": report["accuracy"],
            "Precision[macro]": report["macro avg"]["precision"],
            "F1[macro]": report["macro avg"]["f1-score"],
            "F1[weighted]": report["weighted avg"]["f1-score"],
            "LogLoss": sk.log_loss(truth, matrix),
            "AUC[ovr]": sk.roc_auc_score(truth, matrix, multi_class="ovr"),
        }

    times = contest(lambda: answers((truth, matrix)), theirs, lambda a, b: agree(a, b, 1e-10), repeats=1)
    return faster(times, f"{truth.size:,} x {CLASSES}")


def extra_memory(scale: float) -> Measured:
    """Peak memory above the input, as a share of it, in a process that was warmed up on small data."""
    command = [sys.executable, "-m", "benchmarks.classification", str(round(BINARY * scale))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"the child process failed: {done.stderr.strip()[-300:]}")
    found = json.loads(done.stdout)
    note = f"{found['extra'] / 2**20:,.0f} MiB on top of {found['input'] / 2**20:,.0f} MiB"
    return Measured(found["extra"] / found["input"], note=note)


def measure_memory(size: int) -> None:
    """Print the bytes of the input and of the peak above it."""
    answers(draw(WARM_UP))
    data = draw(size)
    forget_peak()
    before = peak()
    answers(data)
    print(json.dumps({"input": sum(column.nbytes for column in data), "extra": peak() - before}))


CASES: Sequence[Case] = (
    Case("complete report of 2 classes, scikit-learn", 10, report_against_sklearn),
    Case("complete report of 100 classes, scikit-learn", 3, several_against_sklearn),
    Case("report of 2 classes, extra memory", 1.0, extra_memory, "at most"),
)


if __name__ == "__main__":
    measure_memory(int(sys.argv[1]))
