"""What happens to a gallery that is killed, full, shared or changed from outside: SPEC G4 and G5."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from gallery.conftest import DIMENSION, again, changed, held

import bertillon as bt
from bertillon.core import InputError
from bertillon.gallery import Gallery, Key, Tampered, check_gallery

SETUP = """
import sys, numpy as np
from bertillon.gallery import Gallery, Key
door = Gallery.open(sys.argv[1], key=Key(bytes(range(32))))
rng = np.random.default_rng(int(sys.argv[2]))
"""
BUSY = (  # enrols, decides and erases for ever, and says what it was told is done
    SETUP
    + """
number = 0
while True:
    number += 1
    name = f"{sys.argv[2]}-{number}"
    door.enrol(name, rng.normal(size=(3, 16)))
    print("enrolled", name, flush=True)
    answer = door.identify(rng.normal(size=16))
    print("decided", answer.line, flush=True)
    if number % 3 == 0:
        door.erase(name)
        print("erased", name, flush=True)
"""
)


def started(path: Path, code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(path), *map(str, arguments)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, text=True, **pipes)


def require_whole(path: Path, key: Key, said: list[list[str]]) -> None:
    """Everything that was acknowledged is there, and whatever is there is whole."""
    assert check_gallery(path, key).problems == ()
    with Gallery.open(path, key=key) as door:
        people, lines = door.people(), list(door.records.lines())
        erased = {name for what, name in said if what == "erased"}
        for what, name in said:
            if what == "enrolled" and name not in erased:
                last = said[-1][1] == name  # killed while it was erased: gone, or still whole
                assert people.get(name) == 3 or (last and name not in people)
            if what == "decided":
                assert lines[int(name) - 1]["event"] == "identify"
        assert erased.isdisjoint(people)
        assert set(people.values()) <= {1, 3}


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_any_moment_nothing_acknowledged_is_lost(door, path, key, kills):
    """SPEC G4: kill -9 while people are enrolled, erased and decided about."""
    door.close()
    chance, said = random.Random(1879), []
    for run in range(kills):
        process = started(path, BUSY, run)
        assert process.stdout is not None
        said.append(process.stdout.readline().split())  # it is at work
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        said += [line.split() for line in process.stdout if line.endswith("\n")]
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
        require_whole(path, key, [line for line in said if len(line) == 2])


def test_what_is_acknowledged_is_on_the_disk(door):
    """A loss of power cannot be tested here; that the database waits for the disk can."""
    [synchronous] = door.records.store._connection.execute("PRAGMA synchronous").fetchone()
    assert synchronous == 2, "FULL"


def test_two_processes_write_at_once(door, path, key):
    """Each waits for the other; the chain of the log stays one."""
    door.close()
    each = "door.enrol(f'{sys.argv[2]}-{n}', rng.normal(size=16)); door.identify(rng.normal(size=16))"
    code = f"{SETUP}\nprint('ready', flush=True)\nsys.stdin.readline()\nfor n in range(20): {each}\n"
    processes = [started(path, code, number) for number in range(2)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:  # both are open before either writes
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, problems = process.communicate(timeout=120)
        assert process.returncode == 0, problems
    assert check_gallery(path, key).problems == ()
    with Gallery.open(path, key=key) as both:
        assert len(both) == 30 + 40


FULL = (
    SETUP
    + """
import resource
import bertillon as bt
from bertillon.core import InputError
few, many = (bt.TemplateTable(rng.normal(size=(n, 16)), [f"x{n} {k}" for k in range(n)]) for n in (1, 5000))
before, head, probe = len(door), door.records.head(), rng.normal(size=16)
refused = []
def full(work):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, -1))
    try:
        work()
    except InputError as error:
        refused.append(str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
for room, work in (
    (200_000, lambda: door.enrol_all(many)),
    (0, lambda: door.enrol_all(few)),
    (0, lambda: door.identify(probe)),
    (0, lambda: door.claim("person 1", probe)),
    (0, lambda: door.erase("person 1")),
    (0, lambda: door.update("person 1", probe, replace=True)),
):
    full(work)
print(*refused, sep="\\n")
print(len(refused), before == len(door) == len(door.people()), head == door.records.head())
door.enrol_all(few)
door.identify(probe)
print(len(door))
"""
)


def test_on_a_full_disk_nothing_is_changed(door, path, key):
    """SPEC G5: enrolment, erasure and decisions that cannot be written are refused; with room again it goes on."""
    door.close()
    process = started(path, FULL, 0)
    out, problems = process.communicate(timeout=120)
    assert process.returncode == 0, problems
    *refused, left, after = out.splitlines()
    assert left == "6 True True"
    assert all("nothing was changed" in said for said in refused)
    assert after == "31"
    assert check_gallery(path, key).problems == ()


def flipped(value: bytes) -> bytes:
    middle = len(value) // 2
    return value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :]


def test_a_flipped_byte_in_a_template_is_noticed_and_named(door, path, key):
    """SPEC G5."""
    door.close()
    changed(
        path,
        "UPDATE template SET sealed = ? WHERE row = 5",
        flipped(held(path, "SELECT sealed FROM template WHERE row = 5")),
    )
    with pytest.raises(Tampered, match="row 5 of 'person 4' was changed"):
        Gallery.open(path, key=key)
    assert "row 5 of person 4 was changed" in str(check_gallery(path, key).problems[0])


def test_a_template_put_on_another_person_is_noticed(door, path, key):
    """SPEC G5: it is sealed to its row and its person."""
    door.close()
    changed(path, "UPDATE template SET sealed = (SELECT sealed FROM template WHERE row = 9) WHERE row = 5")
    with pytest.raises(Tampered, match="row 5 of 'person 4' was changed or belongs to another person"):
        Gallery.open(path, key=key)


def test_a_row_given_to_another_person_is_noticed(door, path, key):
    door.close()
    changed(path, "UPDATE template SET person = 'person 8' WHERE row = 5")
    with pytest.raises(Tampered, match="row 5 of 'person 8'"):
        Gallery.open(path, key=key)


def test_two_templates_of_one_person_cannot_change_places(door, path, key, faces):
    """SPEC G5: a template is sealed to its row too, so that one that was replaced cannot take the place of the next."""
    old = held(path, "SELECT sealed FROM template WHERE row = 5")
    door.update("person 4", again(faces, 4), replace=True)
    door.close()
    changed(path, "UPDATE template SET sealed = ? WHERE row = 31", old)
    with pytest.raises(Tampered, match="row 31 of 'person 4' was changed or belongs to another person"):
        Gallery.open(path, key=key)
    assert "row 31 of person 4 was changed" in str(check_gallery(path, key).problems[0])


def test_a_template_taken_out_is_noticed_and_named(door, path, key):
    door.close()
    changed(path, "DELETE FROM template WHERE row = 5")
    with pytest.raises(Tampered, match="29 templates are there, and 30 were enrolled"):
        Gallery.open(path, key=key)
    assert list(map(str, check_gallery(path, key).problems)) == [
        "Row 5 of person 4 is missing: the log says it was enrolled and never erased."
    ]


def test_an_erased_template_put_back_is_named(door, path, key):
    """Its seal is right, and the log knows that it was erased; another is taken out so that the number fits."""
    old = held(path, "SELECT sealed FROM template WHERE row = 5")
    door.erase("person 4")
    door.close()
    changed(path, "DELETE FROM template WHERE row = 7")
    changed(path, "INSERT INTO template VALUES (5, 'person 4', ?)", old)
    problems = str(check_gallery(path, key).problems)
    assert "'gallery.check.missing', items=(('row', 7)" in problems
    assert "'gallery.check.extra', items=(('row', 5)" in problems


def test_the_last_person_put_back_after_everybody_was_erased_is_named(path, key, faces):
    with Gallery.create(path, key=key, matcher="cosine") as small:
        small.enrol("ann", faces.templates[0])
        old = held(path, "SELECT sealed FROM template WHERE row = 1")
        small.erase("ann")
        assert small.check().problems == ()
    changed(path, "INSERT INTO template VALUES (1, 'ann', ?)", old)
    assert "'gallery.check.extra', items=(('row', 1)" in str(check_gallery(path, key).problems)


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("head", "'head'"),
        ("settings", "'settings'"),
        ("keyring", "keyring"),
        ("policy.verification", "'policy.verification'"),
    ],
)
def test_a_flipped_byte_in_an_entry_is_noticed_and_named(door, path, key, entry, named, faces):
    door.close()
    value = flipped(held(path, f"SELECT value FROM entry WHERE name = '{entry}'"))
    changed(path, "UPDATE entry SET value = ? WHERE name = ?", value, entry)
    with pytest.raises(Tampered, match=named), Gallery.open(path, key=key) as again_open:
        again_open.claim("person 1", faces.templates[1])
    assert named in str(check_gallery(path, key).problems)


def test_an_older_policy_put_back_is_noticed(door, path, key, policies, faces):
    old = (
        held(path, "SELECT value FROM entry WHERE name = 'policy.verification'"),
        held(path, "SELECT mark FROM entry WHERE name = 'policy.verification'"),
    )
    door.use(policies(0.9)[0])
    door.close()
    changed(path, "UPDATE entry SET value = ?, mark = ? WHERE name = 'policy.verification'", *old)
    with Gallery.open(path, key=key) as opened, pytest.raises(Tampered, match="policy for verification was changed"):
        opened.claim("person 1", faces.templates[1])


def test_a_changed_line_of_the_log_is_noticed_and_named(door, path, key, faces):
    """SPEC G4."""
    door.identify(faces.templates[3])
    door.close()
    line = held(path, "SELECT line FROM log WHERE seq = 6").decode()
    changed(path, "UPDATE log SET line = ? WHERE seq = 6", line.replace("person", "nobody"))
    with Gallery.open(path, key=key) as opened, pytest.raises(Tampered, match="line 6 of the log was changed"):
        opened.audit()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM log WHERE seq > 20", "its last line is 20, and 33 were written"),
        ("UPDATE log SET mark = zeroblob(32) WHERE seq = 33", "its end is another"),
    ],
)
def test_a_log_cut_short_is_noticed_when_it_is_opened(door, path, key, statement, named):
    door.close()
    changed(path, statement)
    with pytest.raises(Tampered, match=named):
        Gallery.open(path, key=key)


def test_a_line_taken_out_of_the_middle_is_noticed(door, path, key):
    door.close()
    changed(path, "DELETE FROM log WHERE seq = 20")
    assert "line 20 of the log is missing" in str(check_gallery(path, key).problems)


def test_the_wrong_key_opens_nothing(door, path, key):
    door.close()
    with pytest.raises(InputError, match="wrong key"):
        Gallery.open(path, key=Key(bytes(32)))


def test_another_key_seals_everything_anew(door, path, key, faces):
    """SPEC G5: rotation; the old key opens nothing, the log stays one chain."""
    sealed = held(path, "SELECT sealed FROM template WHERE row = 5")
    door.identify(faces.templates[2])
    new = Key(bytes(range(1, 33)))
    door.rotate_key(new)
    assert door.identify(again(faces, 2)).person == "person 2"
    door.rotate_key(key_three := Key(bytes(range(2, 34))))
    door.erase("person 2")
    door.close()
    for old in (key, new):
        with pytest.raises(InputError, match="wrong key"):
            Gallery.open(path, key=old)
    assert check_gallery(path, key_three).problems == ()
    assert sealed not in path.read_bytes()
    with Gallery.open(path, key=key_three) as opened:
        assert opened.claim("person 3", faces.templates[3]).accepted
        assert opened.audit().lines == len(list(opened.records.lines()))


def test_others_notice_that_the_key_was_changed(door, path, key, faces):
    with Gallery.open(path, key=key) as other:
        door.rotate_key(Key(bytes(32)))
        with pytest.raises(InputError, match="its key was changed meanwhile"):
            other.identify(faces.templates[0])


def test_erased_bytes_are_nowhere_in_the_files(door, path, faces):
    """SPEC G5: not in the file, not in its write-ahead log."""
    sealed, other = (held(path, f"SELECT sealed FROM template WHERE row = {row}") for row in (5, 6))
    files = [path, Path(f"{path}-wal")]
    assert any(sealed in file.read_bytes() for file in files)
    door.erase("person 4")
    assert not any(sealed in file.read_bytes() for file in files if file.exists())
    assert any(other in file.read_bytes() for file in files)
    line = list(door.records.lines())[-1]
    assert (line["event"], line["person"], line["rows"]) == ("erase", "person 4", [5])
    assert set(line) == {"seq", "event", "time", "person", "rows"}  # and nothing of the template


def test_a_reader_that_keeps_sealed_bytes_alive_is_named(door, path, faces, monkeypatch):
    """SPEC G5: whether a template is erased or replaced."""
    from bertillon.gallery import store

    monkeypatch.setattr(store, "PATIENCE", 0.1)
    with sqlite3.connect(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM template").fetchone()
        with pytest.raises(InputError, match="'person 4' is erased, but another process still reads"):
            door.erase("person 4")
        with pytest.raises(InputError, match="templates of 1 people are replaced, but another process still reads"):
            door.update("person 5", again(faces, 5), replace=True)
    assert "person 4" not in door.people()


@pytest.mark.parametrize("width", [16, 128, 600])
def test_no_part_of_an_erased_template_is_left_in_a_gallery_that_is_used(path, key, width):
    """SPEC G5: rows are small and large, erased in any order, and others take their room meanwhile."""
    rng = np.random.default_rng(width)
    people = [f"p{number}" for number in range(200)]
    with Gallery.create(path, key=key, matcher="cosine") as crowd:
        crowd.enrol_all(bt.TemplateTable(rng.normal(size=(200, width)).astype(np.float32), np.array(people)))
        with crowd.records.store.snapshot():
            rows = [row for some in crowd.records.store.templates() for row in some]
        sealed = {person: content for _, person, content in rows}
        gone = [str(person) for person in rng.choice(people, 60, replace=False)]
        for number, person in enumerate(gone):
            crowd.erase(person)
            if number % 3 == 0:
                crowd.enrol(f"new {number}", rng.normal(size=width))
        content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    left = {
        person
        for person in people
        if any(sealed[person][cut : cut + 32] in content for cut in range(0, len(sealed[person]) - 32, 32))
    }
    assert left == set(people) - set(gone)


def test_no_template_lies_in_the_open(door, path, faces):
    """SPEC G5: neither in the file nor in its write-ahead log."""
    for file in (path, Path(f"{path}-wal")):
        content = file.read_bytes()
        assert not any(vector.tobytes()[:16] in content for vector in faces.templates)
        assert bytes(range(32)) not in content
    assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\x00" + bytes(200)])
def test_other_files_are_no_galleries(tmp_path, key, content):
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"is no gallery|is damaged"):
        Gallery.open(file, key=key)
    with pytest.raises(InputError, match="cannot be opened"):
        Gallery.open(tmp_path, key=key)
    with pytest.raises(InputError, match="makes one"):
        Gallery.open(tmp_path / "nothing", key=key)


def test_a_gallery_is_never_replaced(door, path, key):
    with pytest.raises(InputError, match="is there already"):
        Gallery.create(path, key=key, matcher="cosine")
    assert len(door) == 30


def test_nothing_is_left_of_a_gallery_that_could_not_be_made(path, key, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("bertillon.gallery.records.Change.finish", lambda change: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Gallery.create(path, key=key, matcher="cosine")
    assert list(path.parent.iterdir()) == []
    Gallery.create(path, key=key, matcher="cosine").close()


def test_nothing_is_left_of_a_gallery_whose_policies_could_not_be_set(path, key, policies, monkeypatch):
    ready = policies()
    with monkeypatch.context() as patch:
        patch.setattr("bertillon.gallery.records.Change.set_policy", lambda change, policy: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Gallery.create(path, key=key, policies=ready)
    assert list(path.parent.iterdir()) == []


def test_nothing_is_left_of_it_where_the_process_went_elsewhere_meanwhile(path, tmp_path, key, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr("bertillon.gallery.records.Change.finish", lambda change: os.chdir("elsewhere") or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Gallery.create(path.name, key=key, matcher="cosine")
    assert [found.name for found in tmp_path.iterdir()] == ["elsewhere"]


def test_a_key_is_never_replaced_and_never_shown(tmp_path):
    file = tmp_path / "key"
    drawn = Key.draw()
    drawn.write(file)
    assert os.stat(file).st_mode & 0o777 == 0o600
    assert Key.read(file) == drawn
    assert drawn.secret.hex() not in repr(drawn)
    with pytest.raises(InputError, match="never overwritten"):
        Key.draw().write(file)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_key_that_others_can_read_is_pointed_out(tmp_path, mode):
    file = tmp_path / "key"
    Key.draw().write(file)
    Key.read(file)
    file.chmod(mode)
    with pytest.warns(UserWarning, match="others than its owner can read or change this key: chmod 600"):
        Key.read(file)


@pytest.mark.parametrize(
    "text", ["", "x", "bertillon gallery key 1", "bertillon gallery key 1\nxyz\n", "bertillon gallery key 1\nabcd\n"]
)
def test_what_is_no_key_is_refused(tmp_path, text):
    file = tmp_path / "key"
    file.write_text(text)
    with pytest.raises(InputError, match="key"):
        Key.read(file)


def test_the_key_may_come_from_the_environment(tmp_path, monkeypatch):
    drawn = Key.draw()
    drawn.write(tmp_path / "key")
    monkeypatch.setenv("BERTILLON_GALLERY_KEY_FILE", str(tmp_path / "key"))
    assert Key.read() == drawn
    monkeypatch.setenv("BERTILLON_GALLERY_KEY", "11" * 32)
    assert Key.read() == Key(b"\x11" * 32)
    monkeypatch.setenv("BERTILLON_GALLERY_KEY", "no digits")
    with pytest.raises(InputError, match="64 hexadecimal"):
        Key.read()
    monkeypatch.delenv("BERTILLON_GALLERY_KEY")
    monkeypatch.delenv("BERTILLON_GALLERY_KEY_FILE")
    with pytest.raises(InputError, match="no key: name its file"):
        Key.read()


def test_without_the_package_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(InputError, match=r"pip install 'bertillon\[gallery\]'"):
        Gallery.create(tmp_path / "x", key=Key(bytes(32)), matcher="cosine")


def test_without_the_package_a_gallery_that_is_there_says_so_too(door, path, key, monkeypatch):
    door.close()
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"pip install 'bertillon\[gallery\]'"):
        Gallery.open(path, key=key)


def test_probes_of_other_length_do_not_disturb(door):
    with pytest.raises(InputError, match="have 16"):
        door.identify(np.ones(DIMENSION + 1))
