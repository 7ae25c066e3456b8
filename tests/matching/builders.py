"""Small tables of templates for the tests of the protocols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from bertillon.core import ComparisonTable, TemplateTable


def table(subjects: Sequence[str], **metadata: Sequence[Any]) -> TemplateTable:
    """Templates [0], [1], ... called s0, s1, ... with these owners."""
    size = len(subjects)
    return TemplateTable(
        templates=np.arange(size, dtype=float)[:, None],
        subject=np.array(list(subjects), dtype=np.str_),
        sample=np.array([f"s{row}" for row in range(size)], dtype=np.str_),
        metadata=pl.DataFrame(metadata, strict=False) if metadata else None,
        source="faces.csv",
    )


def trials(**columns: Sequence[Any]) -> ComparisonTable:
    return ComparisonTable(pl.DataFrame(columns), source="trials.csv")


owners = st.lists(st.sampled_from("abcde"), min_size=1, max_size=12)
two_or_more_people = owners.filter(lambda subjects: len(set(subjects)) > 1)
some_mates = two_or_more_people.filter(lambda subjects: len(set(subjects)) < len(subjects))
