"""How files are spoiled: random bytes, random lines, and real files that were cut, flipped, doubled and recoded.

Conventions: a strategy draws the whole content of one file. Nothing here knows what a file is for.

Holds `spoiled`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

LETTERS = '0123456789-+.,;|:\t \n\r"#=abeinstuxy_{}[]\ufeffé\u2028'
GARBAGE = (b"\x00", b"\xff" * 8, b"\r", b"\n\n", b'"', b"nan", b"1e999", b"-", b"\xef\xbb\xbf", b"\x80\x04", b"," * 40)

Change = Callable[[bytes, st.DataObject], bytes]


def _place(content: bytes, data: st.DataObject) -> int:
    return data.draw(st.integers(0, len(content)))


def _flip(content: bytes, data: st.DataObject) -> bytes:
    if not content:
        return content
    changed, place = bytearray(content), data.draw(st.integers(0, len(content) - 1))
    changed[place] ^= 1 << data.draw(st.integers(0, 7))
    return bytes(changed)


def _replace(content: bytes, data: st.DataObject) -> bytes:
    place = _place(content, data)
    new = data.draw(st.binary(min_size=1, max_size=8))
    return content[:place] + new + content[place + len(new) :]


def _cut(content: bytes, data: st.DataObject) -> bytes:
    place = _place(content, data)
    return content[:place] + content[place + data.draw(st.integers(1, 30)) :]


def _truncate(content: bytes, data: st.DataObject) -> bytes:
    return content[: _place(content, data)]


def _double(content: bytes, data: st.DataObject) -> bytes:
    place = _place(content, data)
    return content[:place] + content[place : place + data.draw(st.integers(1, 60))] + content[place:]


def _swap(content: bytes, data: st.DataObject) -> bytes:
    first, second, third = sorted(_place(content, data) for _ in range(3))
    return content[:first] + content[second:third] + content[first:second] + content[third:]


def _insert(content: bytes, data: st.DataObject) -> bytes:
    place = _place(content, data)
    return content[:place] + data.draw(st.sampled_from(GARBAGE) | st.binary(max_size=8)) + content[place:]


def _recode(content: bytes, data: st.DataObject) -> bytes:
    try:
        return content.decode().encode(data.draw(st.sampled_from(("utf-16", "utf-32", "utf-8-sig", "cp037"))))
    except UnicodeError:
        return content[::-1]


CHANGES: tuple[Change, ...] = (_flip, _replace, _cut, _truncate, _double, _swap, _insert, _recode)


@st.composite
def mangled(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """A real file after one to four changes."""
    data, content = draw(st.data()), draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 4))):
        content = draw(st.sampled_from(CHANGES))(content, data)
    return content


def spoiled(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """What a reader may meet: real files mangled, a real beginning and a random rest, random lines, bytes; gzipped."""
    begun = st.builds(
        lambda seed, size, rest: seed[:size] + rest, st.sampled_from(seeds), st.integers(1, 64), st.binary()
    )
    lines = st.text(st.sampled_from(LETTERS), max_size=120).map(str.encode)
    plain = mangled(seeds) | mangled(seeds) | begun | lines | st.binary(max_size=300)
    packed = plain.map(lambda content: gzip.compress(content, 1, mtime=0))
    return st.one_of(plain, plain, plain, packed, packed.flatmap(lambda content: mangled([content])))
