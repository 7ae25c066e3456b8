"""Whole figures of the 1:N searches of one or several systems.

Conventions: CMC and watch list show all systems on the same axes; DIR by rank gives each system a panel, those without
non-enrolled searches none. The systems' order decides their colours.

Holds `search_figures` (all there is something to draw in), `search_kinds` (their names), `make_search_figure` (one) and
`SEARCH_KINDS` (how each is made, by its name).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from bertillon.render.figures.compose import finished, in_panels, single, those_with, together
from bertillon.render.figures.search_draw import draw_cmc, draw_dir_ranks, draw_watch_list
from bertillon.views.figures.search_data import Searches, cmc_data, dir_ranks_data, watch_list_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def search_figures(systems: Sequence[Searches]) -> dict[str, Callable[[], Figure]]:
    """Every figure these systems have something to draw in, each made when it is called for."""
    return {kind: partial(make_search_figure, kind, systems) for kind in search_kinds(systems)}


def search_kinds(systems: Sequence[Searches]) -> tuple[str, ...]:
    """The figures of these systems: the CMC only, where there are no non-enrolled searches."""
    there = {"watch-list": any(s.open_set for s in systems), "dir-ranks": any(s.has_levels for s in systems)}
    return tuple(kind for kind in SEARCH_KINDS if there.get(kind, True))


def make_search_figure(kind: str, systems: Sequence[Searches]) -> Figure:
    """The figure of that name (one of `SEARCH_KINDS`), laid out and ready for `save.render`."""
    return finished(kind, systems, kinds=SEARCH_KINDS)


def _cmc(systems: Sequence[Searches]) -> Figure:
    """All systems share one pair of axes, which depend on all of them."""
    figure, ax = single(len(systems))
    draw_cmc(ax, cmc_data(systems))
    return figure


def _dir_ranks(systems: Sequence[Searches]) -> Figure:
    """Of systems that all lack it, the first says so."""
    shown, note = those_with(systems, lambda system: system.has_levels, needed="nonenrolled")
    if not shown:
        shown, note = list(systems[:1]), ""
    return in_panels(shown, data=dir_ranks_data, draw=draw_dir_ranks, note=note)


SEARCH_KINDS: dict[str, Callable[[Sequence[Searches]], Figure]] = {
    "cmc": _cmc,
    "watch-list": partial(together, data=watch_list_data, draw=draw_watch_list),
    "dir-ranks": _dir_ranks,
}
