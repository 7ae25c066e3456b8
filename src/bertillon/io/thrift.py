"""Records in the compact protocol of Thrift, in which Parquet files describe themselves.

Conventions: a record is a mapping from the numbers of its fields to their values; whole numbers, texts as bytes, lists,
and records within it. Maps and floating-point numbers are passed over. Whatever is malformed raises `ValueError`.

Holds `read_record`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 32  # records within records
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _RECORD = range(1, 13)

Record = Mapping[int, Any]


def read_record(content: bytes, start: int = 0) -> tuple[Record, int]:
    """The record that begins at a place, and where it ends."""
    reader = _Reader(content, start)
    try:
        return reader.record(0), reader.place
    except IndexError as error:
        raise ValueError("it is cut off") from error


class _Reader:
    def __init__(self, content: bytes, place: int) -> None:
        self.content, self.place = content, place

    def record(self, depth: int) -> Record:
        if depth > DEEPEST:
            raise ValueError("records stand too deep within each other")
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self.signed()
            fields[number] = self.value(kind, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind in (_I16, _I32, _I64):  # by far the most
            number = self.varint()
            return (number >> 1) ^ -(number & 1)
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self.byte()
        if kind == _DOUBLE:
            return self.bytes(8)
        if kind == _BINARY:
            return self.bytes(self.varint())
        if kind in (_LIST, _SET):
            return self.items(depth)
        if kind == _RECORD:
            return self.record(depth + 1)
        raise ValueError(f"a field of kind {kind} is not expected")

    def items(self, depth: int) -> list[Any]:
        head = self.byte()
        size, kind = head >> 4, head & 15
        size = self.varint() if size == 15 else size
        if size > len(self.content):
            raise ValueError(f"a list of {size:,} does not fit into it")
        if kind in (_TRUE, _FALSE):
            return list(self.bytes(size))
        return [self.value(kind, depth) for _ in range(size)]

    def byte(self) -> int:
        found = self.content[self.place]
        self.place += 1
        return found

    def bytes(self, size: int) -> bytes:
        found = self.content[self.place : self.place + size]
        if len(found) < size:
            raise IndexError
        self.place += size
        return found

    def varint(self) -> int:
        content, place = self.content, self.place
        number = content[place]
        place += 1
        if number > 127:
            number, shift, part = number & 127, 7, 128
            while part > 127:
                if shift > 63:
                    raise ValueError("a number is too long")
                part = content[place]
                place += 1
                number |= (part & 127) << shift
                shift += 7
        self.place = place
        return number

    def signed(self) -> int:
        number = self.varint()
        return (number >> 1) ^ -(number & 1)
