"""Labels of a column that is read in batches, understood as the whole column would be.

Holds `BatchLabels`.
"""

from __future__ import annotations

from bertillon.core.lazy import pl
from bertillon.io.labels import LabelError, to_labels


class BatchLabels:
    """Remembers how non-mated comparisons were marked: 0 in one batch and -1 in another is not understood."""

    def __init__(self) -> None:
        self._zero = self._minus = False

    def to_labels(self, labels: pl.Series) -> pl.Series:
        """Labels of any kind under the same name, as `labels.to_labels` gives them; raises `LabelError`."""
        understood = to_labels(labels)
        if labels.dtype == pl.String:
            marks = labels.str.strip_chars()
            zero, minus = marks.is_in(["0", "0.0"]).any(), marks.is_in(["-1", "-1.0"]).any()
        elif labels.dtype.is_numeric():
            zero, minus = (labels == 0).any(), (labels < 0).any()
        else:
            return understood
        self._zero, self._minus = self._zero or zero, self._minus or minus
        if self._zero and self._minus:
            raise LabelError(
                "labels 0 and -1 both stand in the column, so -1 does not simply mean non-mated; use 1 and 0"
            )
        return understood
