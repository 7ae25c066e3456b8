"""Label, score and species without a header: read where there is one way to understand it."""

from __future__ import annotations

from itertools import permutations

import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.io import read, sniff

EXPECTED = {"score": [93.5, 12.25, 40.0], "mated": [True, False, False], "attack": [None, "gelatine", "latex"]}


def rows(labels, species, order=(0, 1, 2), separator=","):
    lines = zip(labels, ("93.5", "12.25", "40"), species, strict=True)
    return "".join(separator.join(line[place] for place in order) + "\n" for line in lines)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_three_columns_in_any_order_by_hand(put, order, separator):
    path = put(rows(("live", "spoof", "spoof"), ("live", "gelatine", "latex"), order, separator))
    assert sniff(path) == "livdet"
    assert read(path).frame.to_dict(as_series=False) == EXPECTED
    assert read(path, ids=False).frame.columns == ["score", "mated", "attack"]


@pytest.mark.parametrize(
    ("labels", "live"),
    [
        (("bonafide", "attack", "attack"), "none"),
        (("Bona-Fide", "Attack", "Attack"), "-"),
        (("real", "fake", "fake"), "real"),
        (("1", "0", "0"), "live"),
        (("0", "1", "1"), "live"),
        (("1", "-1", "-1"), "bonafide"),
    ],
)
def test_words_and_digits_by_hand(put, labels, live):
    """Digits follow the species: the rows that it calls live are bona fide."""
    frame = read(put(rows(labels, (live, "gelatine", "latex")))).frame
    assert frame.to_dict(as_series=False) == EXPECTED


def test_a_species_that_is_always_the_same_for_bona_fide_rows(put):
    text = "live,0.9,finger\nlive,0.8,finger\nlive,0.7,finger\nspoof,0.2,latex\n"
    assert read(put(text)).frame["attack"].to_list() == [None, None, None, "latex"]


def test_attack_detection_reads_it(put):
    bona_fide, attacks = bt.trials.read_pad(put(rows(("live", "spoof", "spoof"), ("live", "gelatine", "latex"))))
    assert bona_fide.scores.tolist() == [93.5]
    assert [one.name for one in attacks.species] == ["gelatine", "latex"]


@pytest.mark.parametrize(
    "text",
    [
        "1,0.9,a\n0,0.2,b\n0,0.3,c\n",  # nothing says which digit is bona fide
        "live,0.9,x1\nlive,0.8,x2\nspoof,0.2,x3\n",  # ids
        "a.wav,live,0.9\nb.wav,spoof,0.2\n",  # ids, one a row
        "live,0.9,live\nspoof,0.2,\n",  # an attack of no species
        "live,0.9,thumb\nlive,0.8,thumb\nlive,0.7,thumb\nspoof,0.2,thumb\n",  # fingers
    ],
)
def test_what_is_not_plain_is_refused(put, text):
    with pytest.raises(InputError, match=r"matches no known format for certain.*--column"):
        read(put(text))


def test_the_way_out_is_named(put):
    with pytest.raises(InputError, match="--column label=1 --column score=2 --column attack=3"):
        read(put("live,0.9,x1\nlive,0.8,x2\nspoof,0.2,x3\n"))
    with pytest.raises(InputError, match="not clear which column is the label"):
        read(put("a b c\n"), format="livdet")


@pytest.mark.parametrize(
    ("late", "message"),
    [
        ("lve,0.5,live\n", "row 1,002 has the label 'lve'"),
        ("spoof,0.5,\n", "row 1,002 is an attack and names no species"),
    ],
)
def test_a_fault_beyond_the_first_lines(put, late, message):
    text = "live,0.9,live\n" * 1000 + "spoof,0.1,latex\n"
    with pytest.raises(InputError, match=message):
        read(put("spoof,0.1,latex\n" + text[: -len("spoof,0.1,latex\n")] + late))


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("1 12 34\n0 12 35\n", None),
        ("1 id1/a id1/b\n0 id1/a id2/c\n", "voxceleb-trials"),
        ("m t1 0.5\nm t2 0.25\n", "kaldi"),
        ("label,score,species\nlive,0.9,live\nspoof,0.2,latex\n", "csv"),
        ("a.wav bonafide 0.5\nb.wav spoof 0.25\n", "asvspoof"),
    ],
)
def test_other_files_of_three_columns_stay_what_they_are(put, text, format):
    if format is None:
        with pytest.raises(InputError, match="fits several formats"):
            sniff(put(text))
    else:
        assert sniff(put(text)) == format
