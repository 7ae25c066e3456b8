"""Charts as pictures for papers and reports.

Conventions: what a chart shows is made in `views.figures`, which needs no drawing library; here it is drawn, and
nothing is computed. Nothing global is changed and no input is modified.

Holds `draw` (any panel on given axes), `labels` (texts that find their room), `style` (the look) and `figure` (whole
charts, axes to draw on, and files); for users `plots`, one function a figure.
"""
