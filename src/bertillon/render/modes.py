"""The same templates in three modes, one under the other."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group

from bertillon.advice.identification import degradation, warnings_of_searches
from bertillon.advice.verdicts import eer_verdict, open_eer_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.advice.warnings import warnings_of
from bertillon.core.messages import Message
from bertillon.evaluation import Evaluation, SearchEvaluation
from bertillon.evaluation.identification import CLOSED_SET_MEASURES
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import answers_table, titled


def modes_text(
    verification: Evaluation,
    searches: SearchEvaluation,
    *,
    protocol: Sequence[Message | str],
    vocabulary: Vocabulary = Vocabulary.BIOMETRIC,
) -> Group:
    """What was done, the answers of each mode, and how they go together."""
    closed = [name for name in searches if name in CLOSED_SET_MEASURES]
    opened = [name for name in searches if name not in CLOSED_SET_MEASURES]
    counted = "{mated:,} mated, {nonmated:,} non-mated comparisons".format(**verification.counts)
    parts = [
        Text("\n".join(map(str, protocol))),
        titled("\nVerification", counted),
        answers_table([verification], list(verification), vocabulary=vocabulary),
    ]
    if opened:
        counted = "{enrolled:,} searches by enrolled people, {nonenrolled:,} by others".format(**searches.counts)
        parts += [titled("Open-set identification", counted), answers_table([searches], opened, vocabulary=vocabulary)]
    parts += [
        titled("Closed-set identification", f"{searches.counts['gallery']:,} people in the gallery"),
        answers_table([searches], closed, vocabulary=vocabulary),
        *interval_lines([verification, searches]),
        _verdicts_and_warnings(verification, searches),
    ]
    return Group(*parts)


def _verdicts_and_warnings(verification: Evaluation, searches: SearchEvaluation) -> Text:
    eer = verification.results["EER"].value
    lines = Text(f"{eer_verdict(eer)}\n", style="bold")
    if "EERopen" in searches.results:
        opened = searches.results["EERopen"].value
        lines.append(f"{open_eer_verdict(opened)}\n{degradation(opened, eer)}\n", style="bold")
    for warning in dict.fromkeys((*warnings_of(verification), *warnings_of_searches(searches))):
        lines.append(f"warning: {warning}\n", style="yellow")
    return lines
