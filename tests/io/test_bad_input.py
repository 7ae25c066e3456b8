"""Whatever is wrong with a file, it is an `InputError` that says where, what, and what to do."""

from __future__ import annotations

import builtins
import gzip
import os

import polars as pl
import pytest

from bertillon.core import InputError
from bertillon.io import read, sniff

GOOD = "label,score\n" + "".join(f"{place % 2},{place / 7:.4f}\n" for place in range(50))


def message(path, **options) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)


def test_missing_file(put, tmp_path):
    put("0.5\n", "scores.txt")
    assert message(tmp_path / "score.txt").endswith("score.txt: no such file; did you mean scores.txt?")
    assert "there is no folder" in message(tmp_path / "nowhere" / "x.csv")
    with pytest.raises(InputError, match="no such file"):
        sniff(tmp_path / "nothing-like-it.csv")


def test_a_folder(tmp_path):
    assert message(tmp_path).endswith("is a folder; a file is expected")


def test_no_permission(put, monkeypatch):
    path = put(GOOD)

    def forbidden(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(builtins, "open", forbidden)
    assert "may not be read (permission denied)" in message(path)


def test_a_loop_of_links(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "loop of symbolic links" in message(tmp_path / "a")


def test_a_name_that_is_none():
    assert "is not a file name" in message("x\0y")


PACKED = gzip.compress(GOOD.encode(), mtime=0)
BAD_CONTENT = {
    "nothing": (b"", "is empty (0 bytes)"),
    "nothing packed": (gzip.compress(b"", mtime=0), "is an empty gzip file"),
    "comments": (b"# only\n#comments\n", "holds no data"),
    "blank lines": (b"\n\n  \n", "holds no data"),
    "byte order mark": (b"\xef\xbb\xbf", "holds no data"),
    "utf-16": ("score,label\n0.5,1\n".encode("utf-16"), "is UTF-16; save it as UTF-8"),
    "utf-16-le": ("score,label\n0.5,1\n".encode("utf-16-le"), "is UTF-16; save it as UTF-8"),
    "utf-16-be": ("score,label\n0.5,1\n".encode("utf-16-be"), "is UTF-16; save it as UTF-8"),
    "latin-1": ("probe,score\nx,1\nJosé,0.5\n".encode("latin-1"), ":3: byte 0xe9 is not UTF-8"),
    "photo": (
        b"\xff\xd8\xff\xe0" + bytes(range(256)),
        "is a picture; make templates of photos first: bertillon extract",
    ),
    "grey photo": (b"P5\n# a comment\n2 2\n255\n\x85\x00\x01\x02", "is a picture"),
    "junk": (bytes(range(256)) * 20, "holds binary data"),
    "junk at the end": (b"label,score\n1,0.5\n" * 99_999 + b"\x00", "holds binary data"),
    "cut gzip": (PACKED[:-12], "the gzip file is cut off"),
    "gzip and garbage": (PACKED + b"garbage", "the gzip file is damaged"),
    "changed gzip": (PACKED[:-8] + b"\x00" + PACKED[-7:], "the gzip file is damaged"),
    "gzip magic": (b"\x1f\x8b", "the gzip file is"),
}


@pytest.mark.parametrize("stated", [None, "csv", "scores", "bob-4", "matrix", "kaldi", "lfw-pairs"])
@pytest.mark.parametrize("kind", BAD_CONTENT)
def test_bad_content(put, kind, stated):
    content, expected = BAD_CONTENT[kind]
    text = message(put(content, "bad.csv"), format=stated)
    assert "bad.csv" in text
    assert expected in text


@pytest.mark.parametrize("content", ["label,score\n", "label,score", "# x\nprobe\tscore\n\n"])
def test_a_header_only(put, content):
    assert "holds a header and no data" in message(put(content))


def test_corrupt_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"score": [0.5] * 1000, "label": [1] * 1000}).write_parquet(path)
    data = path.read_bytes()
    for bad in (
        b"PAR1" + bytes(100),
        data[:-20],
        data[:40] + bytes(40) + data[80:],
        data[:-8] + b"\xff\xff\xff\xff" + data[-4:],
    ):
        path.write_bytes(bad)
        assert "the Parquet file is damaged" in message(path)


def test_text_in_the_score_column(put):
    text = message(put("# head\nlabel,score\n1,0.5\n\n0,oops\n1,0,5\n"))
    assert text.splitlines() == [
        f"{put('', 'x').parent / 'scores.txt'}:5: score 'oops' is not a number; write nan for a failed comparison "
        "(in '0,oops')",
        f"{put('', 'x').parent / 'scores.txt'}:6: 3 fields found, 2 expected (label, score; separated by commas); "
        "write decimals with a point, or separate the columns by semicolons (in '1,0,5')",
    ]


def test_a_decimal_comma_is_named(put):
    assert "write a decimal point, not a comma" in message(put("label;score\n1;1,500\n0;2,250\n"))
    assert "write decimals with a point, or separate the columns" in message(put("label,score\n1,0,5\n0,0,25\n"))
    assert "or a single number with a decimal comma" in message(put("1,5\n0,25\n1,75\n"))


@pytest.mark.parametrize("short_or_long", ["1\n", "1,0.5,7\n", "1,0.5,\n"])
@pytest.mark.parametrize("ids", [True, False])
def test_wrong_number_of_fields(put, short_or_long, ids):
    text = message(put(GOOD + short_or_long + GOOD.partition("\n")[2]), ids=ids)
    assert ":52: " in text
    assert "2 expected" in text


@pytest.mark.parametrize("ids", [True, False])
def test_short_and_long_lines_do_not_make_up_for_each_other(put, ids):
    text = message(put("a,score,label,b\n1,0.5,1,x\n1,0.5,1\n1,0.5,1,x,y\n"), ids=ids)
    assert ":3: 3 fields found" in text
    assert ":4: 5 fields found" in text


@pytest.mark.parametrize("end", ["0,0.5,", "0,0.5,\n", "0,0.5,7", "0", "0,0.5\n,,"])
def test_a_last_line_of_another_width_is_found_wherever_the_text_ends(put, end):
    assert "2 expected (label, score; separated by commas)" in message(put("label,score\n" + "1,0.9\n" * 1000 + end))


def test_wrong_number_of_fields_beside_quotes(put):
    for ids in (True, False):
        text = message(put('score,label,who\n0.5,1,"a, b"\n0.5,1\n0.2,0,c\n'), ids=ids)
        assert ":3: 2 fields found, 3 expected" in text


def test_wrong_number_of_fields_between_blanks(put):
    text = message(put("a a p1 0.5\na  p1 0.5\nb a p2 0.1\n"))
    assert ":2: 3 fields found, 4 expected (claimed, real, probe, score; separated by blanks)" in text


def test_mixed_separators(put):
    text = message(put("label,score\n1,0.5\n0;0.2\n1,0.7\n"))
    assert ":3: 1 field found, 2 expected" in text
    assert "this line is separated by semicolons: use one separator throughout" in text


@pytest.mark.parametrize("template", ["{}\n", "x y {}\n", "1 {}\n", "c r p {}\n"])
def test_thousands_of_bad_lines_are_counted(put, template):
    good, bad = template.format(0.5) * 6000, template.format("bad") * 5000
    lines = message(put(good + bad)).splitlines()
    assert len(lines) == 6
    assert ":6001: score 'bad' is not a number" in lines[0]
    assert lines[-1].endswith("5,000 faulty lines in all; the first 5 are shown")


def test_bad_lines_in_a_gzip_file(put):
    assert ":52: score 'x' is not a number" in message(put(GOOD + "1,x\n", packed=True))


def test_bad_return_code(put):
    text = message(put("enrollTempl verifTempl simScore returnCode\na b 0.5 0\na c 0.5 bad\n"))
    assert ":3: code 'bad' is not a whole number" in text
    assert "begins with the line" in message(put("0.5\n"), format="nist-1to1")


def test_an_open_quote(put):
    assert ":2: a quote is opened and not closed" in message(put('score,label\n"0.5,1\n0.2,0\n'))


def test_unknown_format(put):
    text = message(put(GOOD), format="parket")
    assert text.startswith("format 'parket' is unknown; did you mean 'parquet'?")
    assert "kaldi" in text


def test_stated_formats_that_do_not_fit(put):
    assert "51 faulty" in message(put(GOOD), format="bob-4")
    assert "damaged" in message(put(GOOD), format="parquet")
    assert "damaged" in message(put(GOOD), format="npz")
    assert "damaged" in message(put(GOOD), format="hdf5")
    assert "the header of the .npy file is damaged" in message(put(GOOD), format="npy")
    assert "no BEE header" in message(put(GOOD), format="bee")
    assert "needs the columns" in message(put(GOOD), format="bob-csv")
    assert "kaldi lines are" in message(put(GOOD), format="kaldi")
    assert "refused" in message(put(GOOD), format="pickle")


def test_a_pipe_is_read(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(GOOD,))
    writer.start()
    assert len(read(pipe)) == 50
    writer.join()


def test_a_name_with_wildcards_is_one_file(put):
    put("score\n9\n", "s1.csv")
    assert len(read(put(GOOD, "s[1]*.csv"))) == 50
    odd = put("", "p[1]*.parquet")
    pl.DataFrame({"score": [0.5], "label": [1]}).write_parquet(odd)
    assert len(read(odd)) == 1


def test_what_does_not_fit_into_memory(put, monkeypatch):
    def exhausted(*args: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(pl, "read_csv", exhausted)
    assert "does not fit into memory" in message(put(GOOD))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5\nbad\n0.7\n", ":2: score 'bad' is not a number"),
        ("1 0.5\n-1 bad\n", ":2: score 'bad' is not a number"),
        ("a a p 0.5\na b q bad\na c r 0.1\n", ":2: score 'bad' is not a number"),
        ("m t 0.5 target\nm u bad nontarget\nm v 1 target\n", ":2: score 'bad' is not a number"),
        ("0.5 a b\nbad a c\n0.25 a d\n", ":2: score 'bad' is not a number"),
        (",ann,bob\nann,1,2\nbob,x,4\ncid,5,6\n", ":3: score 'x' is not a number"),
        ("1 a b\nmaybe a c\n0 a d\n", ":2: column 'label': labels 'maybe' are not understood"),
    ],
)
def test_an_early_bad_line_does_not_hide_the_format(put, text, expected):
    assert expected in message(put(text))
