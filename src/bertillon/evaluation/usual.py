"""Which measures are asked about trials where none are named.

Conventions: of a kind without usual measures, such as one of another package, all measures are asked.

Holds `usual_measures` and the lists it chooses from.
"""

from __future__ import annotations

from typing import Any

from bertillon.measures.registry import measure_set_of

DEFAULT_MEASURES = (
    "EER",
    "FNMR@FMR=0.01",
    "FNMR@FMR=0.001",
    "FNMR@FMR=0.0001",
    "ZeroFMR",
    "ZeroFNMR",
    "AUC",
    "dprime",
    "dprime[sum]",
)
CURVE_MEASURES = ("EER", "EER[nearest]", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR", "ZeroFNMR", "minHTER", "AUC")
CLOSED_SET_MEASURES = ("RR", "CMS@5", "CMS@10", "MeanRank", "nAUC")
OPEN_SET_MEASURES = ("DIR@FPIR=0.01,k=1", "DIR@FPIR=0.001,k=1", "EERopen", "AUCopen")
USUAL_MEASURES = {  # of kinds of which the same is asked whatever the trials hold
    "verification": DEFAULT_MEASURES,
    "curve": CURVE_MEASURES,
    "attacks": ("IAPAR@FMR=0.001", "RIAPAR@FMR=0.001", "APNRR"),
    "attack-detection": ("BPCER10", "BPCER20", "BPCER100", "APNRR", "BPNRR"),
}


def usual_measures(trials: Any) -> tuple[str, ...]:
    """What is asked about trials where no measure is named."""
    if trials.kind in USUAL_MEASURES:
        return USUAL_MEASURES[trials.kind]
    if trials.kind == "identification":
        return (*CLOSED_SET_MEASURES, *OPEN_SET_MEASURES) if trials.n_nonenrolled else CLOSED_SET_MEASURES
    if trials.kind == "classification":
        from bertillon.evaluation.classification import class_measures

        return class_measures(trials)
    return tuple(definition.example for definition in measure_set_of(trials.kind).definitions.values())
