"""What fields that use classifiers usually report, and why.

Conventions: measures are named for two classes; `choosing` turns them into averages where there are several. Where the
classes are unequal, `uneven` replaces `primary`.

Holds `Domain` and the table `DOMAINS`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Domain:
    """What a field usually reports."""

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    reason: str
    uneven: tuple[str, ...] = ()


DOMAINS = {
    "screening": Domain(
        ("Recall", "F(beta=2)"), ("Specificity", "AP"), "a missed case is critical, a false alarm is checked again"
    ),
    "diagnosis": Domain(
        ("BalancedAccuracy", "MCC", "F1"),
        ("Specificity", "Precision"),
        "needless treatment and missed cases both count",
    ),
    "fraud": Domain(
        ("P@100", "AP", "F(beta=1.5)"),
        ("Recall", "AUC"),
        "missed fraud costs money, and alarms need people to check them",
    ),
    "spam": Domain(
        ("Precision", "F(beta=0.5)"), ("FPR", "Specificity"), "a legitimate message lost is worse than spam let through"
    ),
    "retrieval": Domain(
        ("MAP", "NDCG@10", "P@10"), ("R@10", "F1"), "only the top of the list is read, and its order counts"
    ),
    "vision": Domain(
        ("Accuracy", "Top@5"),
        ("F1[macro]",),
        "many classes: the first guesses count, and each class",
        uneven=("F1[macro]", "Recall[macro]"),
    ),
    "sentiment": Domain(
        ("F1[macro]", "F1[weighted]"),
        ("Precision[macro]", "Recall[macro]"),
        "classes are unequal and all of them count",
    ),
    "biometrics": Domain(
        ("Recall@FPR=0.001", "AUC"), ("FNR@FPR=0.01",), "the false accept rate is fixed first, and rejections follow"
    ),
}
