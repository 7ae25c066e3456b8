"""What the plotting functions take and give, in the sections that numpy's documentation has; said once for all.

Holds `documented`, a decorator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from bertillon.core.arguments import Keywords

P = ParamSpec("P")
R = TypeVar("R")

PARAMETERS = {
    "evaluations": "One evaluation or several, as `bt.evaluate` returns them; several share the axes.",
    "evaluation": "An evaluation, as `bt.evaluate` returns it.",
    "found": "What `bt.fpir_by_gallery` returns.",
    "indexed": "What `bt.evaluation.search_with_index` returns.",
    "curves": "What `bt.analysis.error_discard` returns, once or several times.",
    "zoo": "What `bt.analysis.menagerie` returns.",
    "rates": "What `bt.analysis.group_rates`, `attack_rates` or `pad_rates` returns.",
    "comparison": "What `bt.compare` returns.",
    "measure": "The name of the measure that is shown.",
    "mated": "The quality of each mated comparison, in the order of the scores.",
    "nonmated": "The quality of each non-mated comparison, in the order of the scores.",
    "kind": 'Which error is shown: "FNMR", "FMR", or the FMR "across" groups.',
    "point": "The name of a threshold; the first where none is named.",
    "ax": "The axes to draw on; by default the current ones.",
    "scale": "The scale of the axes.",
    "bins": "The number of bins; chosen from the scores where none is given.",
    "bands": "How sure each curve is, as `evaluation.band` returns it; one for each evaluation.",
    "fmr_band": "The band of the FMR.",
    "fnmr_band": "The band of the FNMR.",
    "costs": 'What errors cost, such as {"fn": 20, "fp": 1}.',
    "labels": "What the systems are called; by default their names.",
    "size": "Width and height in inches of a new figure, such as `bt.plot.figure_size()`.",
}
SCORES = "e = bt.evaluate([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])"
CLASSES = "e = bt.evaluate(y_true=[1, 0, 1, 0], y_prob=[0.9, 0.2, 0.4, 0.6])"
SEARCHES = "e = bt.evaluate(bt.simulate.searches(rng=1)[0])"
PEOPLE = 'scores = bt.simulate.scores("subjects", subjects=20, rng=1).scores'
EXAMPLES = {  # what is drawn, and the arguments
    **dict.fromkeys(("roc", "det", "errors", "distributions"), (SCORES, "e")),
    **dict.fromkeys(("pr", "reliability", "confusion", "cost", "risk_coverage"), (CLASSES, "e")),
    **dict.fromkeys(("cmc", "watch_list"), (SEARCHES, "e")),
    "groups": (SCORES, '[e, e], "EER"'),
    "quality": (SCORES, "e, [1, 2, 3, 4], [1, 2, 3, 4, 5]"),
    "discard": (PEOPLE, "bt.analysis.error_discard(scores, range(1000), threshold=0.5)"),
    "menagerie": (PEOPLE, "bt.analysis.menagerie(scores)"),
    "group_rates": (
        PEOPLE,
        'bt.analysis.group_rates(scores, {str(n): "ab"[n % 2] for n in range(20)}, thresholds={"one": 1.0})',
    ),
    "attacks": (
        SCORES,
        'bt.analysis.attack_rates(e.trials, {"print": [0.5, 0.6]}, threshold=0.55)',
    ),
    "index": (
        "from bertillon.evaluation import Effort, IndexedSearch\ns = bt.SearchSet.from_ranks([1], gallery_size=9)",
        'IndexedSearch(s, "ivf", 4, 9, 50.0, (Effort(4, 900.0, 1.0, 0.9, 0.1, 0.7, 0.1),))',
    ),
    "gallery_size": (
        'faces = bt.TemplateTable([[1, 0], [1, 1], [2, 1], [0, 1]], list("aabc"))',
        'bt.fpir_by_gallery(bt.Comparing.plan(faces, "cosine"), [1, 2], thresholds=[0.8])',
    ),
    "forest": (SCORES, 'bt.compare({"old": e, "new": e})'),
}


def documented(shared: Keywords) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A plotting function takes these keywords; parameters, returns and an example are appended to its words."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        name, made = function.__name__.removeprefix("plot_"), shared(function)
        taken = [f"{each}\n    {PARAMETERS[each]}" for each in inspect.signature(made).parameters]
        parts = [inspect.getdoc(function) or "", _section("Parameters", "\n".join(taken))]
        parts.append(_section("Returns", "matplotlib.axes.Axes\n    The axes drawn on."))
        if name in EXAMPLES:
            before, given = EXAMPLES[name]
            lines = ["import bertillon as bt", "from matplotlib.figure import Figure", *before.splitlines()]
            lines.append(f"ax = bt.plot.{name}({given}, ax=Figure().subplots())")
            parts.append(_section("Examples", "\n".join(f">>> {line}" for line in lines)))
        made.__doc__ = "\n\n".join(parts)
        return made

    return decorate


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}"
