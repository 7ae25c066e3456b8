"""The log of a NIST FRTE 1:1 run: `enrollTempl verifTempl simScore returnCode`.

Conventions: a return code other than 0 is a failed comparison, whose score (-1 by custom) becomes NaN. The enrolment
template is the reference. Sniffing: that header line.

Holds the format `nist-1to1`.
"""

from __future__ import annotations

from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.spelling import listed
from bertillon.core.tables import ComparisonTable
from bertillon.io.assemble import assemble
from bertillon.io.head import Head
from bertillon.io.names import Roles
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_HEADER = ("enrollTempl", "verifTempl", "simScore", "returnCode")
_ROLES = Roles({"reference": "enrollTempl", "probe": "verifTempl", "score": "simScore"})
_KINDS = {"enrollTempl": "text", "verifTempl": "text", "simScore": "score", "returnCode": "code"}


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    if not fits(head):
        heading = listed(head.rows[0]) if head.rows else "nothing"
        raise source.error(f"a nist-1to1 log begins with the line {' '.join(_HEADER)!r}; found: {heading}", 1)
    kinds = _KINDS if request.ids else {name: _KINDS[name] for name in ("simScore", "returnCode")}
    frame = parse(source, head, Layout(_HEADER, head.separator, header=len(_HEADER)), kinds)
    failed = int((frame["returnCode"] != 0).sum())
    notes = [say("reading.format_columns", format="NIST 1:1", columns=_HEADER)]
    if failed:
        notes.append(say("reading.failed_by_code", n=failed))
    return assemble(source.name, _without_failed(frame), _ROLES, request, notes)


def _without_failed(frame: pl.DataFrame) -> pl.DataFrame:
    score = pl.when(pl.col("returnCode") == 0).then(pl.col("simScore")).otherwise(float("nan"))
    return frame.with_columns(score.alias("simScore"))


def fits(head: Head) -> bool:
    return bool(head.rows) and tuple(head.rows[0]) == _HEADER


NIST_1TO1 = Format("nist-1to1", "NIST FRTE 1:1 log", rank=1, fits=fits, reader=read)

register(NIST_1TO1)
