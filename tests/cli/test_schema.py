"""What is written as JSON is what the published schema says, and no key more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from render.cases import FINDINGS

from bertillon.evaluation import SCHEMA
from bertillon.render import WRITERS

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "schema" / f"bertillon-{SCHEMA}.json").read_text())
FEW = ("--resamples", "50")

COMMANDS: dict[str, tuple[str, list[str]]] = {  # what each is by the schema, and how it is asked for
    "verify": ("verification", ["verify", "old.csv", *FEW]),
    "verify, no intervals": (
        "verification",
        ["verify", "old.csv", "--no-intervals", "-m", "ZeroFMR", "-m", "GFAR@t=1"],
    ),
    "verify, in use": ("verification", ["verify", "old.csv", "--volume", "genuine=10,impostor=90", *FEW]),
    "verify, fixed elsewhere": ("verification", ["verify", "old.csv", "--dev", "new.csv", *FEW]),
    "verify, two": ("systems", ["verify", "old.csv", "new.csv", *FEW]),
    "verify, curve": ("curve", ["verify", "curve.csv"]),
    "verify, templates": ("verification", ["verify", "faces.npz", *FEW]),
    "identify": ("identification", ["identify", "faces.npz", "--leave-out", "0.3", "--volume", "passers=1000", *FEW]),
    "identify, closed": ("identification", ["identify", "faces.npz", "--leave-out", "0", "--no-intervals"]),
    "identify, two": ("systems", ["identify", "faces.npz", "faces.npz", "--leave-out", "0.3", "--no-intervals"]),
    "classify": ("classification", ["classify", "screening.csv", "--groups", "site", "--calibrate", "platt", *FEW]),
    "classify, costs": ("classification", ["classify", "screening.csv", "--cost", "fn=20,fp=1", "--no-intervals"]),
    "classify, letters": ("classification", ["classify", "letters.csv", *FEW]),
    "classify, two": ("systems", ["classify", "screening.csv", "screening-dev.csv", "--no-intervals"]),
    "modes": ("modes", ["modes", "faces.npz", *FEW]),
    "compare": ("comparison", ["compare", "old.csv", "new.csv", "--unpaired", *FEW]),
    "compare, rows": ("comparison", ["compare", "old.csv", "old.csv", "--paired-by", "row", "--margin", "0.01", *FEW]),
    "repeat": ("repeated", ["repeat", "faces.npz", "--runs", "2"]),
    "repeat, verification": ("repeated", ["repeat", "faces.npz", "--runs", "2", "--mode", "verification", "-m", "EER"]),
}


def faults(document: object, kind: str) -> list[str]:
    """What is wrong with a document of one kind."""
    schema = {"$defs": PUBLISHED["$defs"], "$ref": f"#/$defs/{kind}"}
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(document)]


@pytest.fixture
def examples(tmp_path, monkeypatch) -> Path:
    for path in (ROOT / "examples").iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    (tmp_path / "curve.csv").write_text("threshold,FMR,FNMR\n0.1,0.5,0\n0.2,0.1,0.2\n0.3,0,0.6\n")
    (tmp_path / "letters.csv").write_text("y_true,y_pred\n" + "a,a\nb,b\nc,a\n" * 20)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(PUBLISHED)
    assert PUBLISHED["$id"] == f"bertillon-{SCHEMA}.json"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_write_what_the_schema_says(name: str, bertillon, examples) -> None:
    kind, arguments = COMMANDS[name]
    ran = bertillon(*arguments, "--json", "out.json")
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert faults(document, kind) == []
    assert document["schema"] == SCHEMA
    assert Draft202012Validator(PUBLISHED).is_valid(document)


@pytest.mark.parametrize("kind", FINDINGS)
def test_reports_write_what_the_schema_says(kind: str) -> None:
    document = json.loads(WRITERS[".json"](FINDINGS[kind], "en"), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []


@pytest.mark.parametrize(
    "spoilt",
    [
        {"schema": 2},
        {"rule": "likeness"},
        {"counts": {"mated": -1, "nonmated": 1, "failed": 0}},
        {"more": 1},
        {"measures": [{"name": "EER", "value": "nan"}]},
        {"mode": "verify"},
    ],
)
def test_a_document_that_is_not_so_is_refused(spoilt: dict) -> None:
    document = json.loads(WRITERS[".json"](FINDINGS["one system"], "en"))
    assert Draft202012Validator(PUBLISHED).is_valid(document)
    assert not Draft202012Validator(PUBLISHED).is_valid(document | spoilt)
