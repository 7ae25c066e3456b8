import re

from bertillon.core import ComparisonTable, Fault, faults_error
from bertillon.io import Format, register

LINE = re.compile(r"score=(\S+) mated=(yes|no)")


def fits(head) -> bool:
    return bool(head.lines) and head.lines[0].startswith("score=")


def read(source, head, request) -> ComparisonTable:
    import polars as pl

    rows, faults = [], []
    for number, line in enumerate(source.data().decode().splitlines(), start=1):
        try:
            score, mated = LINE.fullmatch(line).groups()
            rows.append({"score": float(score), "mated": mated == "yes"})
        except (ValueError, AttributeError):
            faults.append(Fault(number, line, "expected score=NUMBER mated=yes or no"))
    if faults:
        raise faults_error(source.name, faults)
    return ComparisonTable(pl.DataFrame(rows), source.name, request.format, notes=("read as a matcher's log",))


register(Format("log", "score=NUMBER mated=yes|no a line", rank=1, fits=fits, reader=read))
