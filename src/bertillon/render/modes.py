"""The same templates in three modes, one under the other."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group

from bertillon.advice.verdicts import degradation, eer_verdict, open_eer_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.advice.warnings import warnings_of, warnings_of_searches
from bertillon.core.messages import Message, Value, say, spoken
from bertillon.evaluation import CLOSED_SET_MEASURES, ScoreEvaluation, SearchEvaluation
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import answers_table, titled, warned


def modes_text(
    verification: ScoreEvaluation,
    searches: SearchEvaluation,
    *,
    protocol: Sequence[Message | str],
    vocabulary: Vocabulary = Vocabulary.BIOMETRIC,
) -> Group:
    """What was done, the answers of each mode, and how they go together."""
    closed = [name for name in searches if name in CLOSED_SET_MEASURES]
    opened = [name for name in searches if name not in CLOSED_SET_MEASURES]
    compared: dict[str, Value] = dict(verification.counts)
    searched: dict[str, Value] = dict(searches.counts)
    parts = [
        Text("\n".join(map(spoken, protocol)) + "\n"),
        titled(say("page.section.verification"), say("terminal.modes.compared", **compared)),
        answers_table([verification], list(verification), vocabulary=vocabulary),
    ]
    if opened:
        counted = say("terminal.modes.searched", **searched)
        title = titled(say("terminal.modes.open"), counted)
        parts += [title, answers_table([searches], opened, vocabulary=vocabulary)]
    parts += [
        titled(say("terminal.modes.closed"), say("terminal.modes.gallery", n=searches.counts["gallery"])),
        answers_table([searches], closed, vocabulary=vocabulary),
        *interval_lines([verification, searches]),
        _verdicts_and_warnings(verification, searches),
    ]
    return Group(*parts)


def _verdicts_and_warnings(verification: ScoreEvaluation, searches: SearchEvaluation) -> Text:
    eer = verification.results["EER"].value
    verdicts = [eer_verdict(eer, verification.intervals.get("EER"))]
    if "EERopen" in searches.results:
        opened = searches.results["EERopen"].value
        verdicts += [open_eer_verdict(opened, searches.intervals.get("EERopen")), degradation(opened, eer)]
    lines = Text("".join(f"{spoken(verdict)}\n" for verdict in verdicts), style="bold")
    for warning in dict.fromkeys((*warnings_of(verification), *warnings_of_searches(searches))):
        lines.append(f"{spoken(warned(warning))}\n", style="not bold yellow")
    return lines
