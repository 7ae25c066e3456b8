"""What fields that use classifiers usually report, and why.

Conventions: measures are named for two classes; `choosing` turns them into averages where there are several. Where the
classes are unequal, `uneven` replaces `primary`.

Holds `Domain`, the table `DOMAINS` and `domain_reason`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.core.messages import Message, say


@dataclass(frozen=True, slots=True)
class Domain:
    """What a field usually reports."""

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    uneven: tuple[str, ...] = ()


def domain_reason(name: str) -> Message:
    """Why a field reports what it does."""
    return say(f"choosing.domain.{name}")


DOMAINS = {
    "screening": Domain(("Recall", "F(beta=2)"), ("Specificity", "AP")),
    "diagnosis": Domain(
        ("BalancedAccuracy", "MCC", "F1"),
        ("Specificity", "Precision"),
    ),
    "fraud": Domain(
        ("P@100", "AP", "F(beta=1.5)"),
        ("Recall", "AUC"),
    ),
    "spam": Domain(("Precision", "F(beta=0.5)"), ("FPR", "Specificity")),
    "retrieval": Domain(("MAP", "NDCG@10", "P@10"), ("R@10", "F1")),
    "vision": Domain(
        ("Accuracy", "Top@5"),
        ("F1[macro]",),
        uneven=("F1[macro]", "Recall[macro]"),
    ),
    "sentiment": Domain(
        ("F1[macro]", "F1[weighted]"),
        ("Precision[macro]", "Recall[macro]"),
    ),
    "biometrics": Domain(("Recall@FPR=0.001", "AUC"), ("FNR@FPR=0.01",)),
}
