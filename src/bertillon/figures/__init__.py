"""Curves and scores as pictures for papers and reports.

Conventions: coordinates are worked out first (`data`, which needs no drawing library), then drawn on axes that are
handed in. Nothing global is changed and no input is modified. A rate of zero is drawn, half a trial above nothing,
beside a faint line at 1/N, the smallest rate the trials could have shown.

Holds `data` (`System` and the coordinates of every figure), `axis` (rates on linear, log and normal-deviate axes),
`ranges` (which scores an axis shows), `draw` and `panels` (one function a figure), `labels` (names beside curves),
`style` (the look), `compose` (whole figures) and `save` (files). `search_data`, `search_draw` and `search_compose` are
the same for 1:N searches (`Searches`), those that begin with `class` for classifiers, `group` and `quality` for groups
and scores by quality. `bands` draws how sure a curve is. `plots` holds the functions for users, one a figure, with
`canvas` (the axes they draw on), `systems` (what of an evaluation is drawn) and `sizes` (columns of a paper).
"""
