"""Evaluations to what a person or a program reads: terminal tables, pages and papers, JSON and CSV.

Conventions: nothing is computed here that a reader could take for a result; numbers come from evaluations and words
from advice. JSON is strict: an undefined number is null with its reason, an infinite threshold is "inf" or "-inf".

Holds, for the terminal, a module a command: terminal (verify), searches (identify), classes with class_tables
(classify), modes, compared (compare), development (--dev), discard (--discard), people (--people), groups (--groups),
repeated, planning, calibration, advising and trade_off; all of them are made of tables and interval_notes, with the
numbers and the vocabulary of views. For programs: records with class_records (JSON), exports with class_exports and
band_frames (CSV of curves). For reports: files (the suffix says which kind), page (the HTML page), markdown and latex,
which say what the page says.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
