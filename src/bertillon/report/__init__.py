"""Evaluations to what a person or a program reads: terminal tables, JSON, CSV.

Conventions: nothing is computed here that a reader could take for a result; numbers come from evaluations and words
from advice. JSON is strict: an undefined number is null with its reason, an infinite threshold is "inf" or "-inf".

Holds `number_text` and friends (numbers), `verification_text` (terminal), `json_text` and `write_csv` (exports).
"""
