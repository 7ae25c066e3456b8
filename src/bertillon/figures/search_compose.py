"""Whole figures of the 1:N searches of one or several systems.

Conventions: CMC and watch list show all systems on the same axes; DIR by rank gives each system a panel, those without
non-enrolled searches none. The systems' order decides their colours.

Holds `SEARCH_KINDS` (the names of the figures), `search_kinds` (those there is something to draw in) and
`make_search_figure`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bertillon.figures.bands import banded
from bertillon.figures.compose import finished, panels, single
from bertillon.figures.search_data import Searches, cmc_data, dir_ranks_data, watch_list_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def search_kinds(systems: Sequence[Searches]) -> tuple[str, ...]:
    """The figures of these systems: the CMC only, where there are no non-enrolled searches."""
    there = {"watch-list": any(s.open_set for s in systems), "dir-ranks": any(s.has_levels for s in systems)}
    return tuple(kind for kind in SEARCH_KINDS if there.get(kind, True))


def make_search_figure(kind: str, systems: Sequence[Searches]) -> Figure:
    """The figure of that name (one of `SEARCH_KINDS`), laid out and ready for `save.render`."""
    return finished(kind, systems, SEARCH_KINDS)


def _cmc(systems: Sequence[Searches]) -> Figure:
    from bertillon.figures.search_draw import draw_cmc

    figure, ax = single(len(systems))
    draw_cmc(ax, cmc_data(systems, [system.cmc_band for system in systems]))
    return figure


def _watch_list(systems: Sequence[Searches]) -> Figure:
    from bertillon.figures.search_draw import draw_watch_list

    figure, ax = single(len(systems))
    draw_watch_list(ax, [banded(watch_list_data(system), system.watch_list_band) for system in systems])
    return figure


def _dir_ranks(systems: Sequence[Searches]) -> Figure:
    from bertillon.figures.search_draw import draw_dir_ranks

    shown = [system for system in systems if system.has_levels] or systems[:1]
    without = len(systems) - len(shown)
    words = f"not shown: {without} system{'s' if without > 1 else ''} without non-enrolled searches" if without else ""
    figure, axes = panels(len(shown), words)
    for ax, system in zip(axes, shown, strict=False):
        draw_dir_ranks(ax, dir_ranks_data(system))
    return figure


SEARCH_KINDS: dict[str, Callable[[Sequence[Searches]], Figure]] = {
    "cmc": _cmc,
    "watch-list": _watch_list,
    "dir-ranks": _dir_ranks,
}
