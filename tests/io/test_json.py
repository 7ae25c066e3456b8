"""JSON: each shape by hand, and what is refused."""

from __future__ import annotations

import json
import math

import pytest

from bertillon.core import InputError
from bertillon.io import limited, read, sniff

SHAPES = {
    "scores by id": ('{"a": 0.5, "b": 0.25}', {"score": [0.5, 0.25], "probe": ["a", "b"]}),
    "records by id": (
        '{"a": {"score": 0.5, "label": 1}, "b": {"score": 0.25, "label": 0}}',
        {"score": [0.5, 0.25], "mated": [True, False], "probe": ["a", "b"]},
    ),
    "records": (
        '[{"score": 0.5, "label": "genuine", "age": 7}, {"label": "impostor", "score": 1}]',
        {"score": [0.5, 1.0], "mated": [True, False], "age": [7, None]},
    ),
    "lines": (
        '{"score": 0.5, "label": true}\n{"score": 0.25, "label": false}\n',
        {"score": [0.5, 0.25], "mated": [True, False]},
    ),
    "columns": ('{"score": [0.5, 0.25], "label": [1, 0]}', {"score": [0.5, 0.25], "mated": [True, False]}),
    "two lists": (
        '\ufeff\n {"genuine": [0.9, 0.8], "impostor": [0.1]}',
        {"score": [0.9, 0.8, 0.1], "mated": [True, True, False]},
    ),
    "list": ("[0.5,\n 0.25]", {"score": [0.5, 0.25]}),
    "distances": ('[{"distance": 0.5, "label": 1}]', {"score": [0.5], "mated": [True]}),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("packed", [False, True])
def test_each_shape_by_hand(put, name, packed):
    text, expected = SHAPES[name]
    path = put(text, packed=packed)
    assert sniff(path) == "json"
    table = read(path)
    assert table.frame.to_dict(as_series=False) == expected
    assert str(table.notes[0]).startswith("read as JSON: ")
    assert set(read(path, ids=False).frame.columns) == set(expected) & {"score", "mated"}


def test_a_record_that_names_its_probe_keeps_it(put):
    frame = read(put('{"x": {"score": 1, "probe": "a"}}')).frame
    assert frame.to_dict(as_series=False) == {"score": [1.0], "probe": ["a"]}


def test_failed_comparisons_are_nan(put):
    scores = read(put('{"a": NaN, "b": null, "c": Infinity, "d": 0.5}')).frame["score"].to_list()
    assert [math.isnan(one) for one in scores] == [True, True, False, False]
    assert scores[2:] == [math.inf, 0.5]


def test_columns_can_be_named(put):
    table = read(put('[{"llr": 0.5, "y": 1, "score": 7}]'), columns={"score": "llr"})
    assert table.format == "json"
    assert table.frame["score"].to_list() == [0.5]


def test_ids_of_many_digits_stay_what_they_are(put):
    frame = read(put('[{"score": 1, "probe": 123456789012345678901}, {"score": 2, "probe": 5}]')).frame
    assert frame["probe"].to_list() == ["123456789012345678901", "5"]


REFUSED = {
    "a name twice": ('{"a": 0.5, "a": 0.25}', "'a' occurs twice in one JSON object"),
    "a name twice within": ('[{"score": 1, "score": 2}]', "'score' occurs twice"),
    "cut off": ('[{"score": 0.5},\n {"score"', r":2: is not valid JSON: Expecting ':' delimiter at column"),
    "a bad line": ('{"score": 1}\n{"score": 2\n', ":2: is not valid JSON"),
    "nesting": ("[" * 100_000 + "]" * 100_000, "is nested too deeply"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "digits"),
    "empty object": ("{}", "an empty object.*expected a map of ids to scores"),
    "empty list": ("[]", "an empty list"),
    "words": ('{"a": "x", "b": 1}', "'a' holds \"x\", which is neither a score nor a record"),
    "truth values": ('{"a": true}', "'a' holds true"),
    "lists of lists": ("[[1, 2], [3, 4]]", "without scores"),
    "lists in records": ('[{"score": [1, 2]}]', r"record 1 holds 'score': \[1, 2\], not one value"),
    "lengths": ('{"score": [1, 2], "label": [1]}', "lists of one length above 0.*score 2, label 1"),
    "text as score": ('[{"score": "x", "label": 1}]', "column 'score' holds values that are not numbers"),
    "no label": ('[{"score": 1, "label": 1}, {"score": 2}]', "1 label is missing"),
    "no score": ('[{"a": 1}]', "no column is known as a score"),
    "a third list": ('{"genuine": [1], "impostor": [2], "age": [3]}', "it holds 'age'; leave those out"),
    "null only": ('{"genuine": [], "impostor": []}', "lists of one length above 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(put, name):
    text, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        read(put(text))


@pytest.mark.parametrize("text", ["[score],[label]\n0.5,1\n0.25,0\n", "{score},label\n0.5,1\n0.2,0\n"])
def test_a_header_in_brackets_is_no_json(put, text):
    assert sniff(put(text)) == "csv"


def test_records_of_many_different_names_are_no_large_table(put):
    records = [{"score": 0.5, "label": number % 2, f"k{number}": 1} for number in range(2000)]
    with limited("4M"), pytest.raises(InputError, match=r"2,000 records by the 2,002 names .* needs 30\.5 MiB"):
        read(put(json.dumps(records), "x.json"))


HALF = r"\ud800"
DIGITS = "1" * 400


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f'[{{"score": 0.5, "label": 1}}, {{"score": {DIGITS}, "label": 0}}]',
            "'score' holds a whole number of 400 digits",
        ),
        (f'{{"a": 0.5, "b": -{DIGITS}}}', "a whole number of 400 digits"),
        (
            f'[{{"score": 0.5, "label": 1, "probe": "{HALF}"}}]',
            r"'probe': the text '.ud800' holds one half of a letter",
        ),
        (f'{{"{HALF}": 0.5, "b": 1}}', r"the name '.ud800' holds one half of a letter"),
        (f'{{"a": {DIGITS * 20}, "b": 2}}', "x.json: holds a whole number of thousands of digits"),
        (
            f'{{"score": 1, "label": 1}}\n{{"score": {DIGITS * 20}, "label": 1}}\n',
            "x.json:2: .* of thousands of digits",
        ),
    ],
)
def test_numbers_and_letters_that_cannot_be_are_refused_in_words(put, text, words):
    with pytest.raises(InputError, match=words) as caught:
        read(put(text, "x.json"))
    assert "sys." not in str(caught.value)
    str(caught.value).encode()
