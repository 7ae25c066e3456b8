"""Every reader of files, with real files of the kinds it reads.

Conventions: a reader is called with the path of one file and whatever else a caller may say, drawn at random. It
returns something sound or raises an error of ours. The readers of scores and templates are those of the registries: a
format without real files to mangle cannot be looked up, and its test fails.

Holds `READERS`, `Reader` and `COVERED`.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
from hypothesis import strategies as st
from PIL import Image
from scipy.io import savemat

import bertillon as bt
from bertillon.analysis import Isotonic, SavedCalibrator, read_rates
from bertillon.cli import DecisionChoice, read_calibrator
from bertillon.core import ScoreMatrix
from bertillon.engine import Checkpoint
from bertillon.extraction import Unusable, read_photo
from bertillon.gallery import MeasuredRate, Policy, read_policy, write_policy
from bertillon.io import (
    FORMATS,
    KINDS,
    TEMPLATE_FORMATS,
    check,
    make_templates,
    read,
    read_templates,
    sniff,
    sniff_templates,
)
from bertillon.matching import read_groups, read_partitions, split_gallery_probe, write_partitions
from bertillon.render import SafeConsole, print_inspection

EXAMPLES = Path(__file__).parent.parent / "examples"
COVERED = {  # what a user can call with a path, and the readers here that do
    "read_attacks": "attacks",
    "read_counts": "counts",
    "read_curve": "curve",
    "read_groups": "groups",
    "read_rates": "rates",
    "read_mates": "mates",
    "read_pad": "pad",
    "read_columns": "columns",
    "read_predictions": "predictions",
    "read_unlabelled": "unlabelled",
    "read_scores": "scores:",
    "read_systems": "systems",
    "read_templates": "templates:",
    "read_labelled": "templates:",
    "stream_scores": "stream",
    "read": "scores:",
    "read_as": "scores:",
    "sniff": "sniff",
    "sniff_templates": "sniff",
    "open_source": "scores:",
    "open_as": "stream",
    "is_counts": "counts",
    "read_partitions": "partitions",
    "read_folder": "folder",
    "read_calibrator": "calibrator",
    "read_photo": "photo",
    "read_policy": "policy",
}
Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Reader:
    """Real files, and how one is read; `draw` draws what a caller may say beside the path."""

    seeds: Callable[[], list[bytes]]
    read: Callable[[Path, Draw], None]


def made(write: Callable[[Any], Any]) -> bytes:
    """What a writer puts into a file."""
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _hdf5(arrays: dict[str, Any], stream: io.BytesIO) -> None:
    with h5py.File(stream, "w") as file:
        for name, values in arrays.items():
            file[name] = values


def _ark(values: list[bytes]) -> bytes:
    """An archive of Kaldi."""
    return b"".join(f"u{number} ".encode() + value for number, value in enumerate(values, 1))


OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(sheets: dict[str, list[list[Any]]], **parts: str) -> bytes:
    """What Excel writes: texts shared, truth values and numbers in their cells; `parts` replace what it would hold."""
    texts: list[str] = []
    files = {"[Content_Types].xml": "<Types/>"}
    for number, rows in enumerate(sheets.values(), 1):
        lines = "".join(f'<row r="{r}">{_cells(r, row, texts)}</row>' for r, row in enumerate(rows, 1))
        files[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        )
    listed = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
    files["xl/workbook.xml"] = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
    related = "".join(f'<Relationship Id="r{n}" Target="worksheets/sheet{n}.xml"/>' for n in range(1, len(sheets) + 1))
    files["xl/_rels/workbook.xml.rels"] = f"<Relationships>{related}</Relationships>"
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    files["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{shared}</sst>'
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in (files | parts).items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _cells(row: int, values: list[Any], texts: list[str]) -> str:
    cells = []
    for place, value in enumerate(values):
        where = f'r="{chr(ord("A") + place)}{row}"'
        if isinstance(value, bool):
            cells.append(f'<c {where} t="b"><v>{int(value)}</v></c>')
        elif isinstance(value, str) and value:
            texts.append(value)
            cells.append(f'<c {where} t="s"><v>{len(texts) - 1}</v></c>')
        elif value not in ("", None):
            cells.append(f"<c {where}><v>{value!r}</v></c>")
    return "".join(cells)


def mat73(arrays: dict[str, Any], stream: io.BytesIO) -> None:
    """What MATLAB writes with `-v7.3`: arrays turned round, lists of text as cells."""
    inner = io.BytesIO()
    with h5py.File(inner, "w", userblock_size=512) as file:
        for name, values in arrays.items():
            _mat73_item(file, file, name, values)
    stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM" + bytes(384))
    stream.write(inner.getvalue()[512:])


def _mat73_item(file: Any, group: Any, name: str, values: Any) -> None:
    if isinstance(values, dict):
        struct = group.create_group(name)
        struct.attrs["MATLAB_class"] = np.bytes_("struct")
        for field, one in values.items():
            _mat73_item(file, struct, field, one)
        return
    if isinstance(values, str):
        item = group.create_dataset(name, data=np.array([[ord(letter)] for letter in values], np.uint16))
        kind = "char"
    elif isinstance(values, list):
        refs = file.require_group("#refs#")
        item = group.create_dataset(name, (1, len(values)), dtype=h5py.ref_dtype)
        for place, one in enumerate(values):
            key = str(len(refs))
            _mat73_item(file, refs, key, one)
            item[0, place] = refs[key].ref
        kind = "cell"
    else:
        array = np.atleast_2d(values)
        item = group.create_dataset(name, data=array.T.astype(np.uint8 if array.dtype == np.bool_ else array.dtype))
        kind = "logical" if array.dtype == np.bool_ else "double"
    item.attrs["MATLAB_class"] = np.bytes_(kind)


def _example(name: str) -> bytes:
    return (EXAMPLES / name).read_bytes()[:600].rpartition(b"\n")[0]


NAMED = b"score,label,probe,reference\n0.5,1,a,b\n0.25,0,c,d\nnan,0,e,f\n"
FRAME = {"score": [0.5, 0.25], "label": [1, 0], "probe": ["a", "b"]}
SEGMENTS = {"modelset": np.array([b"m"]), "segset": np.array([b"s", b"t"])}
LISTS = {"genuine": np.arange(3.0), "impostor": np.arange(2.0)}
BOSARIS = {"modelset": np.array(["m", None])[:1], "segset": np.array(["s", "t", None])[:2]}
X = np.arange(6.0).reshape(3, 2)
HILL = (0, 1, 3, 6, 12, 19, 31, 40, 44, 51, 49, 52, 45, 38, 33, 21, 24, 11, 8, 4, 3, 1, 0, 1, 0, 0)
SCORES: dict[str, Callable[[], list[bytes]]] = {
    "parquet": lambda: [
        made(pl.DataFrame(FRAME).write_parquet),
        made(partial(pl.DataFrame(FRAME).write_parquet, compression="uncompressed")),
        made(
            partial(
                pl.DataFrame({name: values * 400 for name, values in FRAME.items()}).write_parquet, row_group_size=99
            )
        ),
    ],
    "npy": lambda: [
        made(lambda file: np.save(file, np.arange(9.0).reshape(3, 3))),
        made(lambda file: np.save(file, np.array([[0.5, 1], [0.25, 0]], order="F"))),
        made(lambda file: np.save(file, np.arange(5, dtype=">f4"))),
    ],
    "npz": lambda: [
        made(lambda file: np.savez(file, scores=np.arange(3.0), labels=np.array([0, 1, 1]))),
        made(lambda file: np.savez_compressed(file, **LISTS)),
        made(
            lambda file: np.savez(file, scores=np.ones((2, 2)), probe_subject=["a", "b"], reference_subject=["a", "c"])
        ),
    ],
    "xlsx": lambda: [
        workbook({"Results": [["score", "label", "probe"], [0.5, True, "a"], [0.25, False, "b"]]}),
        workbook({"Notes": [], "Matrix": [["", "ann", "bob"], ["ann", 1, 2], ["bob", 3, 4]]}),
    ],
    "hdf5": lambda: [
        made(partial(_hdf5, SEGMENTS | {"scores": np.ones((1, 2))})),
        made(partial(_hdf5, SEGMENTS | {"scores": np.ones((1, 2)), "trial_mask": np.array([[1, -1]])})),
    ],
    "mat": lambda: [
        made(lambda file: savemat(file, LISTS)),
        made(lambda file: savemat(file, {"score": X[:, 0], "label": np.array([1, 0, 1])}, do_compression=True)),
        made(lambda file: savemat(file, {"key": BOSARIS | {"tar": np.array([[1, 0]]), "non": np.array([[0, 1]])}})),
        made(partial(mat73, {"score": np.arange(3.0), "label": np.array([1.0, 0, 1]), "probe": ["a", "b", "c"]})),
    ],
    "bee": lambda: [
        b"S2\nt\nq\nMF 1 2 \x78\x56\x34\x12\n" + bytes(8),
        b"D2\nt\nq\nMF 2 1 \x12\x34\x56\x78\n" + bytes(8),
    ],
    "nist-1to1": lambda: [b"enrollTempl verifTempl simScore returnCode\na b 0.5 0\nc d -1 3\n"],
    "candidates": lambda: [
        b"searchId candidateRank searchRetCode isAssigned templateId score mate\ns1 1 0 1 a 0.9 a\ns1 2 0 1 b 0.4 a\n",
        b"search,rank,candidate,score,mate\ns1,1,a,0.9,a\ns2,1,b,0.2,\n",
        b"search,candidate,score,mate\ns1,a,0.9,a\ns1,b,0.4,a\n",
    ],
    "asvspoof": lambda: [
        b"LA_0079 LA_T_1138215 - - bonafide\nLA_0039 LA_E_2834763 - A11 spoof\n",
        b"bonafide target 3.5\nbonafide nontarget -3\nA07 spoof 1.25\n",
        b"LA_E_9332881 -0.5\nLA_E_9332882 0.25\n",
    ],
    "asvspoof-tsv": lambda: [
        b"filename\tcm-score\nE_000001\t0.5\nE_000002\t0.25\n",
        b"spk\tfilename\tcm-label\tasv-label\nm\tE_1\tspoof\tspoof\nm\tE_2\tbonafide\ttarget\n",
    ],
    "json": lambda: [
        b'{"a": 0.5, "b": NaN}',
        b'[{"score": 0.5, "label": 1}, {"score": 0.25, "label": 0}]',
        b'{"genuine": [0.9, 0.8], "impostor": [0.1]}',
        b'{"score": 0.5, "label": true}\n{"score": 0.25, "label": false}\n',
    ],
    "histogram": lambda: [
        b"0.25 3\n0.5 2\n0.75 4\n",
        b"score,count\n1,3\n2,0\n",
        b"score,genuine,impostor\n1,0,3\n2,5,1\n",
    ],
    "pyeer-histogram": lambda: [b"".join(b"%d\n" % count for count in HILL)],
    "livdet": lambda: [b"live,93.5,live\nspoof,12.25,gelatine\n", b"1 0.9 live\n0 0.2 latex\n0 0.3 print\n"],
    "csv": lambda: [
        NAMED,
        b'"score","label","probe"\n0.5,1,"a, b"\n0.25,0,c\n',
        _example("old.csv"),
        b"1;0.5\n0;0.25\n",
    ],
    "tsv": lambda: [b"score\tmated\n0.5\ttrue\n0.25\tfalse\n", b"label\tscore\ngenuine\t1\nimpostor\t0\n"],
    "bob-csv": lambda: [
        b"bio_ref_subject_id,probe_subject_id,probe_key,score\na,a,p,0.5\na,b,q,0.25\n",
        b"probe_subject_id,probe_key,bio_ref_subject_id,bio_ref_reference_id,score\na,p,a,r,0.5\nb,q,a,r,0.25\n",
    ],
    "matrix": lambda: [b",ann,bob\nann,1,2\nbob,3,4\n", b"probe\tann\tbob\nann\t1\t2\nbob\t3\t4\n"],
    "bare-matrix": lambda: [b"0.5,0.25,0.1\n0.2,0.9,nan\n0.3,0.7,1.5\n", b"1.5 2.5 0.5\n" * 3],
    "lfw-pairs": lambda: [b"2 1\nAnn 1 2\nAnn 1 Bob 2\nBob 1 2\nAnn 2 Bob 3\n", b"1\nAnn 1 2\nAnn 1 Bob 2\n"],
    "bob-2": lambda: [b"1 0.5\n-1 0.25\n"],
    "bob-4": lambda: [b"a a p 0.5\na b q 0.25\n"],
    "bob-5": lambda: [b"a m a p 0.5\na m b q 0.25\n"],
    "kaldi": lambda: [b"m t 0.5 target\nm u 0.25 nontarget\n", b"m t target\nm u nontarget\n"],
    "voxceleb-trials": lambda: [b"1 id1/a id1/b\n0 id1/a id2/c\n"],
    "voxceleb-scores": lambda: [b"0.5 id1/a id1/b\n0.25 id1/a id2/c\n"],
    "scores": lambda: [b"0.5\n0.25\n# rest\n\n1e-3\n", b"0.1 0.2 0.3 0.4 0.5 0.6\n", _example("genuine.txt")],
    "pyeer": lambda: [b"a b 0.5\na c 0.25\n"],
}
X = np.arange(6.0).reshape(3, 2)
ARCHIVE = _ark([b"\x00BFV \x04\x02\x00\x00\x00" + values.astype("<f4").tobytes() for values in X])
TEMPLATES: dict[str, Callable[[], list[bytes]]] = {
    "npy": lambda: [made(lambda file: np.save(file, X)), made(lambda file: np.save(file, X.astype(np.uint8)))],
    "npz": lambda: [
        made(lambda file: np.savez(file, X=X, y=np.array([1, 1, 2]), quality=np.arange(3.0))),
        made(lambda file: np.savez(file, codes=np.ones((3, 2), np.uint8), mask=np.ones((3, 2), np.uint8), y=[1, 1, 2])),
        made(lambda file: np.savez(file, a_1=X, a_2=X[:2], b_1=X)),
    ],
    "hdf5": lambda: [made(partial(_hdf5, {"embeddings": np.ones((2, 3)), "subject": np.array([b"a", b"b"])}))],
    "mat": lambda: [
        made(lambda file: savemat(file, {"X": X, "y": np.array([1, 1, 2])})),
        made(partial(mat73, {"X": X, "subject": ["a", "a", "b"]})),
    ],
    "parquet": lambda: [
        made(pl.DataFrame({"subject": ["a", "b"], "x": [[1.0, 2.0], [3.0, 4.0]]}).write_parquet),
        made(pl.DataFrame({"subject": ["a", "b"], "x": [[[1.0, 2.0]], [[3.0, 4.0]]]}).write_parquet),
        made(pl.DataFrame({"person": ["a", "b"], "f1": [1.0, 2.0], "f2": [1, 2]}).write_parquet),
    ],
    "csv": lambda: [
        b"subject,sample,a,b\nanna,1,2,3\nbob,2,4,5\n",
        b"person\tf1\tf2\tsession\na\t1\t2\t1\nb\t3\t4\t2\n",
    ],
    "kaldi-ark": lambda: [
        b"u1  [ 1 2 ]\nu2  [ 3 4 ]\nu3  [ 5 6 ]\n",
        b"u1  [\n  1 2\n  3 4 ]\nu2  [\n  5 6 ]\n",
        ARCHIVE,
        _ark([b"\x00BDM \x04\x01\x00\x00\x00\x04\x02\x00\x00\x00" + values.tobytes() for values in X]),
        _ark([b"\x00BCM " + struct.pack("<ffii4H", -1.0, 5.0, 3, 1, 0, 9, 99, 999) + bytes(3)]),
        _ark([b"\x00BCM2 " + struct.pack("<ffii2H", -1.0, 5.0, 2, 1, 0, 999)]),
    ],
    "kaldi-scp": lambda: [b"u1 x.ark:3\nu2 x.ark:24\n"],
}
RECORD = b"FMR\x00 20\x00" + struct.pack(">IHHHHHBB", 42, 0, 300, 400, 197, 197, 1, 0)
RECORD += struct.pack(">BBBB", 1, 0, 80, 2) + 2 * struct.pack(">HHBB", 100, 100, 0, 0) + b"\x00\x00"
ONE_EACH = (b"x,y\n1,2\n3,4\n", b"10 20 90 50\n30 40 180 60\n", b"x y angle\n1 2 3\n", RECORD, b"\x10\x20\x03" * 4)
COLUMNS = (
    None,
    {"score": "1"},
    {"score": "2", "label": "1"},
    {"distance": "score"},
    {"score": "score", "label": "label"},
)


def _read_scores(format: str | None, path: Path, draw: Draw) -> None:
    stated = format if draw(st.booleans()) else None
    table = read(path, format=stated, ids=draw(st.booleans()), columns=draw(st.sampled_from(COLUMNS)))
    if isinstance(table, ScoreMatrix):
        assert table.scores.size > 0
    else:
        assert {"score", "mated"} & set(table.frame.columns)
        assert len(table) > 0
    assert table.notes


def _read_templates(path: Path, draw: Draw) -> None:
    labels = draw(st.sampled_from((None, ["a", "b", "c"], ["a", "b"])))
    columns = draw(st.sampled_from((None, {"subject": "y"}, {"template": "X"}, {"age": "f1"}, {"subject": "1"})))
    (path.parent / "x.ark").write_bytes(ARCHIVE)  # where tables of Kaldi point to
    pattern = "(u)" if sniff_templates(path).startswith("kaldi") and draw(st.booleans()) else None
    kind = draw(st.sampled_from((None, *KINDS)))
    check(read_templates(path, labels=labels, kind=kind, columns=columns, subject_pattern=pattern))


def _read_folder(path: Path, draw: Draw) -> None:
    with tempfile.TemporaryDirectory() as folder:
        suffix = draw(st.sampled_from((".txt", ".xyt", ".fmr", ".npy", ".csv", "")))
        (Path(folder) / f"anna_1{suffix}").write_bytes(path.read_bytes())
        said = {
            "card": draw(st.sampled_from((None, "compact", "normal"))),
            "kind": draw(st.sampled_from((None, *KINDS))),
        }
        time = draw(st.sampled_from((None, {"time": "1"}, {"time": "none"})))
        check(read_templates(folder, angle=draw(st.sampled_from((None, "degrees", "radians"))), columns=time, **said))


def _read_labels(path: Path, draw: Draw) -> None:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", X)
        check(read_templates(Path(folder) / "x.npy", labels=path))


def _read_groups(path: Path, draw: Draw) -> None:
    assert read_groups(path).of(["a"]).size == 1


def _read_rates(path: Path, draw: Draw) -> None:
    found = read_rates(path)
    assert len(found.to_frame()) > 0


def _sniff(path: Path, draw: Draw) -> None:
    assert sniff_templates(path) in TEMPLATE_FORMATS
    assert sniff(path) in FORMATS


def _read_systems(path: Path, draw: Draw) -> None:
    rule = draw(st.sampled_from((None, "similarity", "distance")))
    assert all(isinstance(one, bt.ScoreSet) for one in bt.read_systems([path], rule=rule))


def _read_attacks(path: Path, draw: Draw) -> None:
    attacks = bt.trials.read_attacks(path, species=draw(st.sampled_from((None, "species", "1"))))
    bt.analysis.attack_rates(bt.ScoreSet([0.7, 0.9], [0.1], rule=attacks.rule or "similarity"), attacks, fmr=0.1)


def _photos() -> list[bytes]:
    picture = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
    return [made(partial(picture.save, format=name)) for name in ("PNG", "JPEG", "GIF", "TIFF", "BMP", "PPM", "WEBP")]


def _read_photo(path: Path, draw: Draw) -> None:
    with contextlib.suppress(Unusable):
        assert read_photo(path, resize=draw(st.sampled_from((None, (3, 5))))).dtype == np.uint8


def _write_policy(path: Path) -> None:
    rates = {name: MeasuredRate(0.01, 0.005, 0.02, 0.95) for name in ("FMR", "FNMR")}
    write_policy(Policy("verification", "FMR=0.01", 0.6, "distance", "euclidean", "best", "", rates, None, "x"), path)


def _read_policy(path: Path, draw: Draw) -> None:
    assert read_policy(path).mode == "verification"


def _read_pad(path: Path, draw: Draw) -> None:
    bona_fide, attacks = bt.trials.read_pad(path, columns=draw(st.sampled_from(COLUMNS)))
    assert bona_fide.size > 0
    bt.analysis.pad_rates(bona_fide, attacks, rule=draw(st.sampled_from(("similarity", "distance"))))


def _read_curve(path: Path, draw: Draw) -> None:
    bt.evaluate(bt.counting.read_curve(path), ["EER", "FNMR@FMR=0.1", "AUC", "minHTER", "dprime"])


def _read_mates(path: Path, draw: Draw) -> None:
    assert all(isinstance(mate, str) for mate in bt.trials.read_mates(path).values())


def _read_searches(path: Path, draw: Draw) -> None:
    found = read(path)
    if isinstance(found, ScoreMatrix):
        bt.trials.searches_from_matrix(found, all_against_all=draw(st.booleans()))
    else:
        bt.trials.searches_from_candidates(found)


def _read_predictions(path: Path, draw: Draw) -> None:
    positive = draw(st.sampled_from((None, 1, "cat", "1")))
    columns = draw(st.sampled_from((None, {"truth": "y"}, {"truth": "1", "score": "2"}, {"score": "p"})))
    found = bt.read_predictions(path, positive=positive, columns=columns)
    assert found.size + found.failed > 0


def _read_columns(path: Path, draw: Draw) -> None:
    names = draw(st.sampled_from((["id"], ["years:0,2,5"], ["p", "species"])))
    bt.trials.read_columns(path, names)


def _read_unlabelled(path: Path, draw: Draw) -> None:
    classes, positive = draw(st.sampled_from((((), None), ((0, 1), 1), (("a", "b", "c"), None))))
    found = bt.trials.read_unlabelled(path, classes=classes, positive=positive)
    assert found is None or found.frame.height == found.failed + found.predictions.size


def _read_mask(path: Path, draw: Draw) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scores.mtx").write_bytes(SCORES["bee"]()[0])
        read(Path(folder) / "scores.mtx", mask=path)


def _read_partitions(path: Path, draw: Draw) -> None:
    assert read_partitions(path, _people())


def _read_counts(path: Path, draw: Draw) -> None:
    bt.evaluate(bt.counting.read_counts(path), ["EER"])


def _read_checkpoint(path: Path, draw: Draw) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept = Checkpoint(folder, "tiles", IDENTITY)
        kept.path.write_bytes(path.read_bytes())
        kept.load()


def _read_calibrator(path: Path, draw: Draw) -> None:
    assert read_calibrator(path).kind


def _read_costs(path: Path, draw: Draw) -> None:
    assert DecisionChoice.of(None, None, str(path)).rule is not None


def _stream(path: Path, draw: Draw) -> None:
    format = draw(st.sampled_from((None, None, "csv", "parquet", "npy", "npz", "bob-4")))
    bt.evaluation.count_scores(bt.stream_scores(path, format=format, columns=draw(st.sampled_from(COLUMNS))))


def _inspect(path: Path, draw: Draw) -> None:
    found = bt.inspect(path, columns=draw(st.sampled_from(COLUMNS)), failed=draw(st.sampled_from(((), (-1.0,)))))
    print_inspection(found, SafeConsole(file=io.StringIO()))
    assert found.problem or found.commands


def _join(path: Path, draw: Draw) -> None:
    """Whatever a file of scores holds, it is joined with a key by ids or refused."""
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key.csv"
        key.write_bytes(draw(st.sampled_from(KEYS)))
        assert bt.read_scores(path, key).mated.size <= 2


IDENTITY = {"what": "tiles", "templates": "3"}
KEYS = (b"utt,label\na,1\nb,0\n", b"m1 a target\nm1 b nontarget\n", b"utt,label,species\na,1,\nb,0,mask\n")


@cache
def _people() -> bt.TemplateTable:
    return make_templates(np.arange(12.0).reshape(6, 2), ["a", "a", "b", "b", "c", "c"])


def _files(write: Callable[[Path], None], name: str) -> Callable[[], list[bytes]]:
    """What a writer of ours writes."""

    @cache
    def seeds() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / name)
            return (Path(folder) / name).read_bytes()

    return lambda: [seeds()]


def _write_counts(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "s.csv").write_bytes(NAMED)
        bt.counting.write_counts(bt.evaluation.count_scores(bt.stream_scores(Path(folder) / "s.csv")), path)


def _write_calibrator(path: Path) -> None:
    calibrator = Isotonic().fit([0.1, 0.8, 0.4, 0.7, 0.3, 0.2], [0, 1, 0, 1, 1, 0])
    path.write_text(SavedCalibrator(calibrator, (0, 1), 1, "score", "examples", 6, "0123").to_json())


def _write_partitions(path: Path) -> None:
    write_partitions(path, split_gallery_probe(_people(), rng=0))


def _write_checkpoint(path: Path) -> None:
    Checkpoint(path.parent, path.stem, IDENTITY).save({"done": np.arange(3)})


PREDICTIONS = {"y_true": [0, 1, 1], "p": [0.2, 0.7, 0.4]}
READERS: dict[str, Reader] = {
    **{
        f"scores:{name}": Reader(SCORES[name], partial(_read_scores, name))
        for name, one in FORMATS.items()
        if one.reader
    },
    **{
        f"templates:{name}": Reader(TEMPLATES[name], _read_templates)
        for name, one in TEMPLATE_FORMATS.items()
        if one.reader is not None
    },
    "folder": Reader(lambda: [*ONE_EACH, *TEMPLATES["npy"]()], _read_folder),
    "labels": Reader(
        lambda: [
            b"subject,session\na,1\nb,1\nc,2\n",
            b"Ann Lee\nAnn Lee\nBob\n",
            b"u1 a\nu2 a\nu3 b\n",
            made(lambda file: np.save(file, np.arange(3))),
            made(pl.DataFrame({"subject": ["a", "b", "c"]}).write_parquet),
        ],
        _read_labels,
    ),
    "groups": Reader(
        lambda: [
            b"subject,group\na,F\nb,M\nc,F\n",
            made(pl.DataFrame({"subject": ["a"], "group": ["F"]}).write_parquet),
        ],
        _read_groups,
    ),
    "rates": Reader(
        lambda: [
            b"group,FMR,FNMR\na,0.001,0.01\nb,0.002,0.02\nc,0.004,\n",
            made(pl.DataFrame({"group": ["a", "b"], "fpir": [0.1, 0.2], "fnir": [0.0, 1.0]}).write_parquet),
        ],
        _read_rates,
    ),
    "inspect": Reader(
        lambda: [seed for name in ("csv", "matrix", "npz", "kaldi", "livdet", "json") for seed in SCORES[name]()],
        _inspect,
    ),
    "joined": Reader(lambda: [b"utt,score\nb,0.5\na,0.25\n", b"m1 a 0.5\nm1 b 0.25\n", b"0.5\n0.25\n"], _join),
    "sniff": Reader(
        lambda: [  # archives of Kaldi hold no scores
            seed
            for seeds in (*SCORES.values(), *(made for name, made in TEMPLATES.items() if "kaldi" not in name))
            for seed in seeds()
        ],
        _sniff,
    ),
    "attacks": Reader(
        lambda: [
            b"species,score\nmask,0.5\nprint,\n",
            b"species,subject,score\nmask,a,0.5\nmask,b,1\n",
            b"0.5\n0.25\n",
        ],
        _read_attacks,
    ),
    "pad": Reader(
        lambda: [b"label,species,score\nbonafide,,0.9\nattack,mask,0.5\n", b"species,score\nlive,0.9\nmask,0.5\n"],
        _read_pad,
    ),
    "systems": Reader(lambda: [NAMED, *SCORES["bee"](), *SCORES["npz"](), *SCORES["matrix"]()], _read_systems),
    "searches": Reader(lambda: [*SCORES["candidates"](), *SCORES["matrix"](), SCORES["npz"]()[2]], _read_searches),
    "curve": Reader(
        lambda: [b"threshold,FMR,FNMR\n0.1,0.5,0\n0.2,0.1,0.2\n0.3,0,0.6\n", b"FAR(%) TPR\n50 1\n10 0.5\n"], _read_curve
    ),
    "mates": Reader(lambda: [b"s1 a\ns2 b\n", b"search,mate\ns1,a\ns2,b\n"], _read_mates),
    "predictions": Reader(
        lambda: [
            b"y_true,p\n0,0.2\n1,0.7\n",
            b"label,p_cat,p_dog\ncat,0.5,0.5\ndog,0.1,0.9\n",
            b"y_true;y_pred;weight\na;b;1\nb;b;2\n",
            _example("screening.csv"),
            made(pl.DataFrame(PREDICTIONS).write_parquet),
            made(lambda file: np.savez(file, **PREDICTIONS)),
            made(lambda file: np.savez(file, y=np.array([0, 1]), logits=np.ones((2, 2)), classes=np.array([0, 1]))),
        ],
        _read_predictions,
    ),
    "columns": Reader(
        lambda: [
            b"y_true,p,years\n0,0.2,1\n1,0.7,3\n",
            b"y;id\n1;a\n0;b\n",
            made(pl.DataFrame(PREDICTIONS).write_parquet),
            made(lambda file: np.savez(file, **PREDICTIONS)),
        ],
        _read_columns,
    ),
    "unlabelled": Reader(
        lambda: [b"p,id\n0.5,a\n0.25,b\n,c\n", b"score\n0.5\n-3\n", b"p_a;p_b;p_c\n0,2;0,3;0,5\n", b"logit\n1e3\n"],
        _read_unlabelled,
    ),
    "photo": Reader(_photos, _read_photo),
    "policy": Reader(_files(_write_policy, "door.json"), _read_policy),
    "mask": Reader(lambda: [b"S2\nt\nq\nMB 1 2 \x78\x56\x34\x12\n\xff\x7f"], _read_mask),
    "partitions": Reader(_files(_write_partitions, "p.csv"), _read_partitions),
    "counts": Reader(_files(_write_counts, "s.counts"), _read_counts),
    "checkpoint": Reader(_files(_write_checkpoint, "tiles.npz"), _read_checkpoint),
    "calibrator": Reader(_files(_write_calibrator, "c.json"), _read_calibrator),
    "costs": Reader(lambda: [b"truth,a,b\na,0,1\nb,5,0\n"], _read_costs),
    "stream": Reader(
        lambda: [
            NAMED,
            gzip.compress(NAMED, mtime=0),
            *SCORES["parquet"](),
            *SCORES["npy"]()[1:2],
            *SCORES["npz"]()[:2],
        ],
        _stream,
    ),
}
