"""Counts and curves to numbers; a measure is a value with one spelling.

Conventions: `FNMR@FMR=0.001` is at once the command-line argument, the JSON key and the table heading, and
`parse(str(m)) == m`. Names follow ISO/IEC 19795-1: FMR and FNMR for comparisons, FAR and FRR once failures to acquire
are counted in; everyday names are understood. "at FMR = x" means at most x unless the variant says otherwise. A number
that cannot be had is NaN with a reason.

Holds the language (`spelling`, `registry`), the base class `Measure` with its `Result` (base), where on the curve a
measure is read (`operating_point`), and one file a family: rates, eer, zero, area, separation, cost, llr, failures.
Another measure takes one file here and its name in FAMILIES.
"""

from __future__ import annotations

from importlib import import_module

from bertillon.measures.base import Measure, Result
from bertillon.measures.registry import MEASURES, Definition, parse, parse_all

FAMILIES = ("rates", "eer", "zero", "area", "separation", "cost", "llr", "failures")

for _family in FAMILIES:
    import_module(f"bertillon.measures.{_family}")

__all__ = ["MEASURES", "Definition", "Measure", "Result", "parse", "parse_all"]
