"""Curves and scores as pictures for papers and reports.

Conventions: coordinates are worked out first (`*data`, which need no drawing library), then drawn on axes that are
handed in (`*draw`, `panels`), then put together to whole figures (`*compose`). Nothing global is changed and no input
is modified. A rate of zero is drawn, half a trial above nothing, beside a faint line at 1/N, the smallest rate the
trials could have shown.

Holds, for all figures: `shapes` (points, lines, bands), `axis` (rates on linear, log and normal-deviate axes), `ranges`
(which scores an axis shows), `bands` (how sure a curve is), `labels` (names beside curves), `style` and `fonts` (the
look), `systems` (what of an evaluation is drawn), `save` (files).
Of comparisons: `data`, `draw`, `panels`, `compose`. Of 1:N searches: `search_data`, `search_draw`, `search_compose`.
Of classifiers: `class_choice` (where they decide), curves in `class_data` and `class_draw`, matrices and reliability in
`class_table_data` and `class_table_draw`, what moves with the threshold in `class_threshold_data` and
`class_threshold_draw`, all in `class_compose`. Of groups, scores by quality and an index: `group_*`, `quality_*` and
`index_*`. Of discarded quality and of people: `discard_*` and `menagerie_*`.
For users: `plots` and `sample_plots`, one function a figure, with `canvas` (the axes they draw on) and `sizes` (columns
of a paper).
"""
