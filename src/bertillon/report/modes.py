"""The same templates in three modes, one under the other."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from bertillon._version import __version__
from bertillon.advice.identification import degradation, open_eer_verdict, search_warnings
from bertillon.advice.verdicts import eer_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.advice.warnings import warnings_of
from bertillon.evaluation import Evaluation, SearchEvaluation
from bertillon.evaluation.answers import SCHEMA
from bertillon.evaluation.identification import CLOSED_SET_MEASURES
from bertillon.report.sureness import interval_lines
from bertillon.report.tables import answers_table


def modes_text(
    verification: Evaluation,
    searches: SearchEvaluation,
    words: Sequence[str],
    vocabulary: Vocabulary = Vocabulary.BIOMETRIC,
) -> Group:
    """What was done, the answers of each mode, and how they go together."""
    closed = [name for name in searches if name in CLOSED_SET_MEASURES]
    opened = [name for name in searches if name not in CLOSED_SET_MEASURES]
    counted = "{mated:,} mated, {nonmated:,} non-mated comparisons".format(**verification.counts)
    parts = [
        Text("\n".join(words)),
        _title("\nVerification", counted),
        answers_table([verification], list(verification), vocabulary),
    ]
    if opened:
        counted = "{enrolled:,} searches by enrolled people, {nonenrolled:,} by others".format(**searches.counts)
        parts += [_title("Open-set identification", counted), answers_table([searches], opened, vocabulary)]
    parts += [
        _title("Closed-set identification", f"{searches.counts['gallery']:,} people in the gallery"),
        answers_table([searches], closed, vocabulary),
        *interval_lines([verification, searches]),
        _words(verification, searches),
    ]
    return Group(*parts)


def modes_json(verification: Evaluation, searches: SearchEvaluation) -> str:
    """Both evaluations in one object."""
    whole = {
        "bertillon": __version__,
        "schema": SCHEMA,
        "mode": "modes",
        "verification": verification.to_dict() | {"warnings": warnings_of(verification)},
        "identification": searches.to_dict() | {"warnings": search_warnings(searches)},
    }
    return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _title(name: str, counts: str) -> Text:
    return Text(name, style="bold").append(f"  {counts}", style="not bold dim")


def _words(verification: Evaluation, searches: SearchEvaluation) -> Text:
    eer = verification.results["EER"].value
    lines = Text(f"{eer_verdict(eer)}\n", style="bold")
    if "EERopen" in searches.results:
        opened = searches.results["EERopen"].value
        lines.append(f"{open_eer_verdict(opened)}\n{degradation(opened, eer)}\n", style="bold")
    for warning in dict.fromkeys((*warnings_of(verification), *search_warnings(searches))):
        lines.append(f"warning: {warning}\n", style="yellow")
    return lines
