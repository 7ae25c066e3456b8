"""HDF5 score files under the names of BOSARIS and its descendants.

    what            BOSARIS                      SIDEKIT       PyBOSARIS
    scores          scores                       scores        score_mat
    models          ID/row_ids                   modelset      model_names
    segments        ID/column_ids                segset        test_names
    scored cells    score_mask                   score_mask
    key             trial_mask (1, 0, -1)        trial_mask    tar_mask, non_mask
    older key       target_mask, nontarget_mask

Conventions: rows are models (references), columns segments (probes). A key in the same file says which cells are
mated; cells that are neither scored nor in the key are no comparisons. Each cell that is one becomes a row of the
table, since models and segments are ids and not people. A key alone is a list of trials.

Holds the format `hdf5`, and for other readers `Content` and `table_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Text, say
from bertillon.core.spelling import listed
from bertillon.core.tables import ComparisonTable
from bertillon.io.convert import as_array
from bertillon.io.hdf5_file import datasets, find, opened, require_room_for, values_of
from bertillon.io.head import Head
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source

MAGIC = b"\x89HDF\r\n\x1a\n"
_SCORES = ("scores", "score_mat", "scoremat")
_MODELS = ("ID/row_ids", "modelset", "model_names", "model_set")
_SEGMENTS = ("ID/column_ids", "segset", "segest", "test_names", "seg_set")
_SCORED = ("score_mask", "scoremask")
_TARGET = ("target_mask", "tar_mask", "tar")
_NONTARGET = ("nontarget_mask", "non_mask", "non")
_KEY = ("trial_mask", "trialmask")


@dataclass(frozen=True, slots=True)
class Content:
    """The arrays of a file, models in rows; those it does not have are None."""

    models: NDArray[np.str_]
    segments: NDArray[np.str_]
    scores: NDArray[Any] | None
    scored: NDArray[np.bool_] | None
    mated: NDArray[np.bool_] | None
    nonmated: NDArray[np.bool_] | None


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    del head
    with opened(source) as file:
        content = _content(source, file)
    return table_of(source, request, content, "BOSARIS HDF5")


def table_of(source: Source, request: Request, content: Content, title: Text) -> ComparisonTable:
    """A row for each cell that is a comparison."""
    if content.scores is None and content.mated is None:
        raise source.error("is a list of trials without scores and without a key; one of the two is needed")
    rows, columns = np.nonzero(_comparisons(source, content))
    if rows.size == 0:
        raise source.error("marks no cell as a comparison")
    data: dict[str, Any] = {}
    if content.scores is not None:
        data["score"] = content.scores[rows, columns].astype(np.float64)
    if content.mated is not None:
        data["mated"] = content.mated[rows, columns]
    if request.ids:
        data["probe"] = pl.Series(content.segments.tolist(), dtype=pl.String).gather(columns)
        data["reference"] = pl.Series(content.models.tolist(), dtype=pl.String).gather(rows)
    return ComparisonTable(pl.DataFrame(data), source.name, request.format, notes=_notes(content, rows.size, title))


def _notes(content: Content, count: int, title: Text) -> tuple[Message, ...]:
    models, segments = content.models.size, content.segments.size
    size = say("reading.models", format=title, models=models, segments=segments, n=count)
    return (size, say("reading.key" if content.mated is not None else "reading.no_key"))


def _content(source: Source, file: Any) -> Content:
    ids = {"models": find(source, file, _MODELS), "segments": find(source, file, _SEGMENTS)}
    scores, tar, non = (find(source, file, names) for names in (_SCORES, _TARGET, _NONTARGET))
    key, scored = find(source, file, _KEY), find(source, file, _SCORED)
    if ids["models"] is None or ids["segments"] is None or (scores is None and key is None and tar is None):
        present = listed(datasets(file) or ["nothing"])
        raise source.error(
            "has no datasets under known names; expected scores with ID/row_ids and ID/column_ids (BOSARIS), modelset "
            f"and segset (SIDEKIT) or model_names and test_names (PyBOSARIS). Present: {present}"
        )
    matrices = [dataset for dataset in (scores, scored, key, tar, non) if dataset is not None]
    cells = max(dataset.size or 0 for dataset in matrices)
    require_room_for(source, [ids["models"], ids["segments"], *matrices], beside=8 * cells)
    models, segments = _ids(source, ids["models"]), _ids(source, ids["segments"])
    arrays = {
        name: None if dataset is None else _cells(source, dataset, (models.size, segments.size))
        for name, dataset in {"scores": scores, "scored": scored, "key": key, "tar": tar, "non": non}.items()
    }
    marks = arrays["key"]
    mated = arrays["tar"] if marks is None else marks > 0
    nonmated = arrays["non"] if marks is None else marks < 0
    if nonmated is None or (marks is not None and not nonmated.any()):  # a list of trials (Ndx) has no -1
        mated = nonmated = None
    return Content(models, segments, arrays["scores"], _truth(arrays["scored"]), _truth(mated), _truth(nonmated))


def _truth(array: NDArray[Any] | None) -> NDArray[np.bool_] | None:
    return None if array is None else array != 0


def _ids(source: Source, dataset: Any) -> NDArray[np.str_]:
    values = values_of(source, dataset).reshape(-1)
    texts = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values.tolist()]
    return as_array(texts, source.name)


def _cells(source: Source, dataset: Any, shape: tuple[int, int]) -> NDArray[Any]:
    name = str(dataset.name).lstrip("/")
    if dataset.shape != shape:
        counts = f"{shape[0]} models and {shape[1]} segments"
        raise source.error(f"dataset {name!r} has shape {dataset.shape}, but there are {counts}")
    if dataset.dtype.kind not in "biuf":
        raise source.error(f"dataset {name!r} holds {dataset.dtype}, not numbers")
    return np.asarray(dataset[()])


def _comparisons(source: Source, content: Content) -> NDArray[np.bool_]:
    """The cells that are comparisons."""
    keyed = None
    if content.mated is not None and content.nonmated is not None:
        if (content.mated & content.nonmated).any():
            raise source.error("calls some cells both target and non-target")
        keyed = content.mated | content.nonmated
    marks = [mask for mask in (content.scored, keyed) if mask is not None]
    if not marks:
        return np.ones((content.models.size, content.segments.size), dtype=np.bool_)
    return marks[0] if len(marks) == 1 else marks[0] & marks[1]


def fits(head: Head) -> bool:
    return head.raw.startswith(MAGIC)


register(Format("hdf5", "HDF5 under BOSARIS names", rank=0, fits=fits, reader=read))
