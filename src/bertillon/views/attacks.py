"""Attacks on a system, and the errors of an attack detector, as plain values and in the order they are shown in.

Holds `Rates` (of attacks or of a detector), `attack_object` and `worst_first`.
"""

from __future__ import annotations

import math
from typing import Any

from bertillon._version import __version__
from bertillon.advice.attacks import attack_verdicts, attack_warnings
from bertillon.analysis.attack_detection import PadRates
from bertillon.analysis.attacks import AttackRates, SpeciesRate

Rates = AttackRates | PadRates


def attack_object(rates: Rates) -> dict[str, Any]:
    """Rates, verdicts and warnings as plain values."""
    mode = "attacks" if isinstance(rates, AttackRates) else "attack-detection"
    whole = {"bertillon": __version__, "mode": mode, "level": rates.level} | rates.to_dict()
    messages_by_kind = {
        "verdicts": attack_verdicts(rates),
        "warnings": attack_warnings(rates),
        "notes": rates.attacks.notes,
    }
    return whole | {key: [str(message) for message in messages] for key, messages in messages_by_kind.items()}


def worst_first(rates: Rates) -> list[SpeciesRate]:
    """Species by their rates; those without one last."""
    return sorted(
        rates.species, key=lambda species: math.inf if math.isnan(species.rate.value) else -species.rate.value
    )
