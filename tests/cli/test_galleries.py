"""`bertillon policy` and `bertillon gallery` as a user types them."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from bertillon.core import LANGUAGES

pytest.importorskip("cryptography")

ROOT = Path(__file__).resolve().parents[2]
KEY = ("--key", "door.key")


def loaded(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path) as file:
        return file["embeddings"], file["subject"]


@pytest.fixture
def run(bertillon, tmp_path):
    """Commands in a folder with a gallery of 80 people and both policies."""
    shutil.copy(ROOT / "examples" / "faces.npz", tmp_path)
    vectors, subject = loaded(tmp_path / "faces.npz")
    first = np.unique(subject, return_index=True)[1]
    np.savez(tmp_path / "people.npz", embeddings=vectors[first], subject=subject[first])
    np.savez(tmp_path / "probes.npz", embeddings=vectors[first + 1][:6], subject=subject[first][:6])
    few = ("--matcher", "cosine", "--resamples", "50")
    for command, measures in (("verify", ("FNMR@FMR=0.001",)), ("identify", ("FNIR@FPIR=0.05,k=1", "RR"))):
        asked = [part for measure in measures for part in ("-m", measure)]
        more = ("--leave-out", "0.25") if command == "identify" else ()
        assert bertillon(command, "faces.npz", *few, *more, *asked, "--json", f"{command}.json").code == 0
    ran = bertillon("gallery", "create", "door.gallery", *KEY, "--matcher", "cosine")
    assert ran.code == 0
    assert "New key: door.key" in ran.out
    for command, at in (("verify", "FMR=0.001"), ("identify", "FPIR=0.05")):
        assert bertillon("policy", "--from", f"{command}.json", "--at", at, *KEY, "-o", f"{command}.policy").code == 0
        assert bertillon("gallery", "use", "door.gallery", f"{command}.policy", *KEY).code == 0
    ran = bertillon("gallery", "enrol", "door.gallery", "people.npz", *KEY)
    assert (ran.code, ran.out) == (0, "Enrolled: 80 people.\n")
    return bertillon


def test_people_are_claimed_identified_and_watched_for(run):
    """SPEC G2, T6."""
    claims = json.loads(run("gallery", "claim", "door.gallery", "probes.npz", *KEY, "--json", "-").out)
    assert [answer["person"] for answer in claims["answers"]] == list("012345")
    searches = json.loads(
        run("gallery", "identify", "door.gallery", "probes.npz", *KEY, "--best", "3", "--json", "-").out
    )
    named = [answer["person"] for answer in searches["answers"]]
    assert named == [None, None, "2", None, "4", "5"]
    assert all(len(answer["candidates"]) == 3 for answer in searches["answers"])
    assert searches["warnings"][-1].startswith("80 people are enrolled, but the policy was measured for 60")
    watched = json.loads(
        run("gallery", "watch", "door.gallery", "probes.npz", *KEY, "--list", "alarm", "--json", "-").out
    )
    assert [answer["decision"] for answer in watched["answers"]].count("alarm") == 3
    closed = json.loads(run("gallery", "identify", "door.gallery", "probes.npz", *KEY, "--closed", "--json", "-").out)
    assert [answer["person"] for answer in closed["answers"]] == list("012345")


def test_lines_are_answered_as_they_come(run, monkeypatch, tmp_path):
    vectors, _ = loaded(tmp_path / "probes.npz")
    lines = [f"camera {n}," + ",".join(map(str, vector)) for n, vector in enumerate(vectors[:3])]
    faulty = ["", "camera 3,1,x", "camera 4,1,2", "camera 5" + ",nan" * len(vectors[0])]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*lines[:2], *faulty, lines[2]])))
    ran = run("gallery", "watch", "door.gallery", "-", "--list", "allow", *KEY)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    decisions = [answer.get("decision") for answer in answers]
    assert decisions == ["refused", "refused", None, None, None, "allowed"], "a faulty line ends no watch"
    for answer, problem in zip(
        answers[2:5], ("line 4 of standard input", ": 2 numbers, and", "not finite"), strict=True
    ):
        assert problem in answer["error"]
    assert [answer["probe"] for answer in answers] == [f"camera {n}" for n in (0, 1, 3, 4, 5, 2)]
    assert ran.code == 1
    assert "not answered: 3" in ran.err


def test_people_are_updated_erased_listed_and_exported(run, tmp_path):
    """SPEC G1."""
    assert run("gallery", "update", "door.gallery", "probes.npz", *KEY).out == "Updated: 6 people.\n"
    assert run("gallery", "erase", "door.gallery", "7", "8", *KEY).out.splitlines()[0] == "Erased: 7 (1 template)."
    listed = json.loads(run("gallery", "list", "door.gallery", *KEY, "--json", "-").out)
    assert (len(listed["people"]), listed["templates"], listed["people"]["0"]) == (78, 84, 2)
    assert run("gallery", "export", "door.gallery", "-o", "out.npz", *KEY).code == 0
    assert loaded(tmp_path / "out.npz")[0].shape == (84, 32)
    assert (tmp_path / "out.npz").stat().st_mode & 0o777 == 0o600  # templates in the open
    assert run("gallery", "erase", "door.gallery", "7", *KEY).code == 2


def test_the_log_is_audited_and_everything_checked(run, tmp_path):
    """SPEC G4: a gallery that was changed fails the check with status 1."""
    run("gallery", "identify", "door.gallery", "probes.npz", *KEY)
    audit = run("gallery", "audit", "door.gallery", *KEY)
    assert audit.code == 0
    assert "unbroken" in audit.out or "Mark of the last line" in audit.out
    assert run("gallery", "rotate-key", "door.gallery", *KEY, "--new-key", "new.key").code == 0
    assert run("gallery", "check", "door.gallery", "--key", "new.key").code == 0
    assert run("gallery", "check", "door.gallery", *KEY).code == 2
    import sqlite3

    connection = sqlite3.connect(tmp_path / "door.gallery")
    connection.execute("DELETE FROM template WHERE row = 3")
    connection.commit()
    connection.close()
    checked = run("gallery", "check", "door.gallery", "--key", "new.key")
    assert checked.code == 1
    assert "Row 3 of 2 is missing" in checked.out


@pytest.mark.parametrize("lang", LANGUAGES)
def test_answers_in_every_language(run, lang):
    for arguments in (("identify", "door.gallery", "probes.npz"), ("list", "door.gallery"), ("audit", "door.gallery")):
        assert run("gallery", *arguments, *KEY, "--lang", lang).code == 0


def test_without_a_key_or_a_policy_it_is_said_what_to_do(run, bertillon):
    ran = bertillon("gallery", "list", "door.gallery")
    assert ran.code == 2
    assert "name its file with --key FILE" in ran.err
    assert bertillon("gallery", "create", "new.gallery", *KEY, "--matcher", "cosine").code == 0
    assert bertillon("gallery", "enrol", "new.gallery", "people.npz", *KEY).code == 0
    ran = bertillon("gallery", "identify", "new.gallery", "probes.npz", *KEY)
    assert ran.code == 2
    assert "no decision is taken without one" in ran.err


def test_no_key_is_left_of_a_gallery_that_could_not_be_made(bertillon, tmp_path):
    """One that is there already stays."""
    wrong = ("gallery", "create", "x.gallery", "--matcher", "hamming", "--key")
    assert bertillon(*wrong, "new.key").code == 2
    assert not (tmp_path / "new.key").exists()
    assert bertillon("gallery", "create", "y.gallery", "--matcher", "cosine", "--key", "old.key").code == 0
    held = (tmp_path / "old.key").read_bytes()
    assert bertillon(*wrong, "old.key").code == 2
    assert (tmp_path / "old.key").read_bytes() == held


def test_other_kinds_of_templates_are_refused(run, bertillon, tmp_path):
    np.savez(tmp_path / "codes.npz", codes=np.eye(4, dtype=np.uint8), subject=np.arange(4))
    ran = bertillon("gallery", "enrol", "door.gallery", "codes.npz", *KEY)
    assert ran.code == 2
    ran = bertillon("gallery", "create", "x.gallery", *KEY, "--matcher", "hamming")
    assert ran.code == 2
    assert "a gallery holds vectors" in ran.err
    ran = bertillon("gallery", "create", "x.gallery", *KEY)
    assert ran.code == 2
    assert "a gallery needs a policy, or a matcher" in ran.err


def test_the_demo_shows_measured_beside_observed(bertillon):
    ran = bertillon("demo", "--recogniser", "--folder", "out")
    assert ran.code == 0
    assert "measured before" in ran.out
    assert not list(Path("out").iterdir())
