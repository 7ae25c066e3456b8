"""Excel workbooks, made with the standard library: cells by hand, one sheet of several, and what is refused."""

from __future__ import annotations

import io
import math
import zipfile

import numpy as np
import pytest
from fuzz_readers import MAIN, workbook

from bertillon.core import InputError
from bertillon.io import limited, read, sniff

ROWS = [["score", "label", "probe"], [0.5, "genuine", "ann"], [0.25, "impostor", "bob"]]


def sheet(cells: str) -> bytes:
    """A workbook of one sheet whose XML is given."""
    text = f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    return workbook({"Sheet1": []}, **{"xl/worksheets/sheet1.xml": text})


def test_a_header_and_rows_by_hand(put):
    path = put(workbook({"Results": ROWS}), "scores.npz")
    assert sniff(path) == "xlsx"
    table = read(path)
    assert table.frame.rows() == [(0.5, True, "ann"), (0.25, False, "bob")]
    assert table.format == "xlsx"
    assert str(table.notes[0]) == "read sheet 'Results' of a workbook: 3 rows"
    assert read(path, ids=False).frame.columns == ["score", "mated"]
    assert read(path, columns={"score": "score", "label": "label"}).frame.height == 2


def test_an_archive_of_arrays_is_still_npz(tmp_path):
    np.savez(tmp_path / "x.npz", score=np.ones(2), label=np.array([0, 1]))
    assert sniff(tmp_path / "x.npz") == "npz"


def test_every_kind_of_cell_by_hand(put):
    cells = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>score</t></is></c><c r="B1" t="str"><f>X</f><v>label</v></c>'
        '<c r="D1" t="inlineStr"><is><r><t>pro</t></r><r><t>be</t></r></is></c></row>'
        '<row r="2"><c r="A2"><v>0.10000000000000001</v></c><c r="B2" t="b"><v>1</v></c><c r="D2"><v>1001</v></c></row>'
        '<row r="4"><c r="A4" t="e"><v>#N/A</v></c><c r="B4" t="b"><v>0</v></c><c r="C4" s="3"/>'
        '<c r="D4"><v>7</v></c></row>'
        "<row><c><v>1E-3</v></c><c t='b'><v>0</v></c></row>"
    )
    frame = read(put(sheet(cells))).frame
    scores = frame["score"].to_list()
    assert scores[0] == 0.1
    assert math.isnan(scores[1])
    assert scores[2] == 0.001
    assert frame["mated"].to_list() == [True, False, False]
    assert frame["probe"].to_list()[:2] == ["1001", "7"]


def test_a_truth_value_is_no_number(put):
    rows = [["score", "label", "glasses"], [0.5, True, True], [0.25, False, False]]
    assert repr(read(put(workbook({"S": rows}))).frame["glasses"].to_list()) == "[True, False]"


def test_a_matrix_is_read_as_one(put):
    matrix = read(put(workbook({"M": [["", "ann", "bob"], ["ann", 1, 2], ["bob", 3, 4]]})))
    assert matrix.scores.tolist() == [[1, 2], [3, 4]]
    assert matrix.probe_subject.tolist() == ["ann", "bob"]


def test_ids_that_begin_as_comments_do_or_hold_quotes_are_kept(put):
    rows = [["probe", "score", "label"], ["#1", 0.5, 1], ['say "a"', 0.25, 0]]
    assert read(put(workbook({"S": rows}))).frame["probe"].to_list() == ["#1", 'say "a"']


def test_the_only_sheet_with_data_is_read(put):
    assert read(put(workbook({"Empty": [], "Results": ROWS}))).frame.height == 2


def test_several_sheets_are_named(put):
    path = put(workbook({"old": ROWS, "new": [*ROWS, [0.75, "genuine", "cid"]]}))
    with pytest.raises(InputError, match="several sheets hold data: 'old', 'new'; say which with --column sheet=NAME"):
        read(path)
    assert read(path, columns={"sheet": "new"}).frame.height == 3
    assert read(path, columns={"sheet": "new", "score": "score", "label": "label"}).frame.height == 3
    with pytest.raises(InputError, match=r"sheet 'neu' is unknown; did you mean 'new'\?"):
        read(path, columns={"sheet": "neu"})


def test_a_fault_names_the_row_of_the_sheet(put):
    with pytest.raises(InputError, match=r"x\.xlsx:3: score 'oops' is not a number"):
        read(put(workbook({"S": [["score", "label"], [0.5, 1], ["oops", 0]]}), "x.xlsx"))


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'
REFUSED = {
    "entities": (workbook({"S": []}, **{"xl/worksheets/sheet1.xml": BOMB}), "declares XML entities"),
    "utf-16 entities": (
        workbook({"S": []}, **{"xl/worksheets/sheet1.xml": BOMB.encode("utf-16")}),
        "declares XML entities",
    ),
    "empty": (workbook({"S": []}), "sheet 'S' is empty"),
    "no sheets": (workbook({}), "is a workbook without sheets"),
    "no such text": (sheet('<row r="1"><c r="A1" t="s"><v>9</v></c></row>'), "row 1 names the shared text '9'"),
    "beyond": (sheet('<row r="1"><c r="ZZZ1"><v>9</v></c></row>'), "beyond any sheet"),
    "row 0": (sheet('<row r="0"><c r="A0"><v>9</v></c></row>'), "beyond any sheet"),
    "broken": (sheet('<row r="1">'), "the workbook is damaged"),
    "no part": (
        workbook({"S": []}, **{"xl/_rels/workbook.xml.rels": '<R><Relationship Id="r1" Target="x"/></R>'}),
        "damaged",
    ),
    "nothing known": (workbook({"S": [["a", "b"], ["c", "d"]]}), "matches no known format"),
    "cut off": (workbook({"S": ROWS})[:-30], "the workbook is damaged"),
    "old": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), r"is an old \(\.xls\) or a password-protected"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(put, name):
    content, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        read(put(content))


def test_a_part_larger_than_its_limit_is_not_unpacked_further(put):
    stream = io.BytesIO(workbook({"S": []}, **{"xl/worksheets/sheet1.xml": "<worksheet>" + " " * (1 << 24)}))
    assert len(stream.getvalue()) < 1 << 16
    assert zipfile.is_zipfile(stream)
    with limited("1M"), pytest.raises(InputError, match=r"sheet1.xml' is larger when unpacked, and at most 1.0 MiB"):
        read(put(stream.getvalue()))


def test_a_long_text_that_cells_share_counts_for_each(put):
    shared = f'<sst xmlns="{MAIN}"><si><t>{"a" * 20_000}</t></si></sst>'
    cells = "<row><c t='s'><v>0</v></c></row>" * 100
    text = f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    parts = {"xl/sharedStrings.xml": shared, "xl/worksheets/sheet1.xml": text}
    with limited("4M"), pytest.raises(InputError, match="a cell of 20,000 letters in row 35 needs"):
        read(put(workbook({"Sheet1": []}, **parts)))


def test_cells_that_stand_far_apart_make_no_large_table(put):
    cells = "".join(f'<row r="{n}">{"<c/>" * (n - 1)}<c><v>{n}</v></c></row>' for n in range(1, 1001))
    with limited("4M"), pytest.raises(InputError, match="a table of 1,000 rows by 1,000 columns needs"):
        read(put(sheet(cells)))


def test_texts_without_their_phonetic_reading(put):
    shared = (
        f'<sst xmlns="{MAIN}"><si><t>score</t></si><si><t>label</t></si>'
        "<si><r><t>geno</t></r><r><t>ine</t></r><rPh><t>zzz</t></rPh></si><si><t>probe</t></si></sst>"
    )
    data = workbook({"S": [["score", "label", "probe"], [1, 1, "x"]]}, **{"xl/sharedStrings.xml": shared})
    names = read(put(data)).frame
    assert names.columns == ["score", "mated", "genoine"]
