"""What the log tells: days, near misses, drift (SPEC G4)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import pytest
from gallery.conftest import DIMENSION, again, changed, held

import bertillon as bt
from bertillon.gallery import Gallery, Key, Tampered, records


def test_every_step_leaves_a_line(door, faces):
    """SPEC G4: enrolment, update, decision, erasure, policy, export."""
    door.update("person 1", again(faces, 1))
    door.claim("person 1", faces.templates[1], name="front door")
    door.watch(faces.templates[1])
    door.erase("person 2")
    door.export()
    lines = list(door.records.lines())
    events = [line["event"] for line in lines]
    assert events == ["create", "policy", "policy", *["enrol"] * 30, "update", "claim", "watch", "erase", "export"]
    claim = lines[34]
    assert (claim["probe"], claim["person"], claim["decision"]) == ("front door", "person 1", "accepted")
    assert claim["policy"] == door.policies["verification"].id
    [day] = door.audit().days
    assert (day.counts["enrol"], day.counts["accepted"], day.counts["alarm"], day.counts["erase"]) == (30, 1, 1, 1)


def test_what_is_replaced_is_logged_for_each_person_by_itself(door, faces):
    """By hand: ann has the rows 31 and 33, eve 32, and the new ones are 34 and 35."""
    people = bt.TemplateTable(faces.templates[:3] + 5.0, np.array(["ann", "eve", "ann"]))
    door.enrol_all(people)
    door.update_all(bt.TemplateTable(people.templates[:2] + 5.0, people.subject[:2]), replace=True)
    lines = [*door.records.lines()][-2:]
    facts = [(line["event"], line["person"], line["rows"], line["gone"]) for line in lines]
    assert facts == [("update", "ann", [34], [31, 33]), ("update", "eve", [35], [32])]
    assert door.check().problems == ()
    assert door.people()["ann"] == door.people()["eve"] == 1


def test_whose_request_it_was_stands_in_the_line_where_it_is_stated(door, faces):
    door.update("person 1", faces.templates[1], replace=True, by="desk 2")
    door.erase("person 2")
    updated, erased = [*door.records.lines()][-2:]
    assert updated["by"] == "desk 2"
    assert "by" not in erased
    for wrong in ("", "a\nb", 7):
        with pytest.raises(bt.InputError, match="1 to 200 printable characters"):
            door.erase("person 3", by=wrong)
        with pytest.raises(bt.InputError, match="1 to 200 printable characters"):
            door.enrol("new", faces.templates[3], by=wrong)
    assert door.people().keys() >= {"person 3"}
    assert "new" not in door.people()


def test_the_log_is_followed_once_and_a_page_of_it_by_itself(door, key, path, faces, monkeypatch):
    """SPEC G4: reading some lines costs these and the new ones, however long the log has grown."""
    checks, is_marked = [], records.is_marked
    monkeypatch.setattr(records, "is_marked", lambda *of: checks.append(1) or is_marked(*of))

    def cost(after: int, limit: int) -> tuple[int, list[int]]:
        checks.clear()
        lines = door.records.lines_after(after, limit)
        return len(checks), [line["seq"] for line in lines]

    door.identify_all(np.tile(faces.templates, (20, 1)))
    entry = 1  # the head
    assert cost(0, 10) == (633 + 10 + entry, [*range(1, 11)])
    assert cost(300, 10) == (10 + entry, [*range(301, 311)])
    assert cost(630, 10) == (3 + entry, [631, 632, 633])
    assert cost(700, 10) == (entry, [])
    with Gallery.open(path, key=key) as other:
        other.identify_all(faces.templates[:4])
    assert cost(630, 10) == (4 + 7 + entry, [*range(631, 638)])
    door.rotate_key(Key(bytes(32)))
    door.identify(faces.templates[0])
    checks.clear()
    assert [line["event"] for line in door.records.lines_after(636, 9)] == ["identify", "rotate", "identify"]
    assert len(checks) == 2 + 3 + entry
    assert [*door.records.lines()] == door.records.lines_after(0, 1000)


def test_an_old_line_that_is_changed_is_noticed_where_it_is_read_and_by_every_audit(door, path, faces):
    """SPEC G4: also by a process that had followed the chain before, and named."""
    door.identify_all(faces.templates)
    assert len(door.records.lines_after(0, 100)) == 63
    changed(
        path,
        "UPDATE log SET line = ? WHERE seq = 6",
        held(path, "SELECT line FROM log WHERE seq = 6").decode()[:-1] + " }",
    )
    assert len(door.records.lines_after(6, 100)) == 57
    with pytest.raises(Tampered, match="line 6 of the log was changed"):
        door.records.lines_after(0, 10)
    with pytest.raises(Tampered, match="line 6 of the log was changed"):
        door.audit()
    assert "line 6 of the log was changed" in str(door.check().problems)
    changed(path, "DELETE FROM log WHERE seq = 9")
    for after in (7, 8, 9):
        with pytest.raises(Tampered, match="line 9 of the log is missing"):
            door.records.lines_after(after, 10)


def test_a_log_put_back_while_it_is_read_is_noticed(door, path, faces):
    """The file as it was some lines ago is right in itself, and shorter than what was followed."""
    head = [held(path, f"SELECT {what} FROM entry WHERE name = 'head'") for what in ("value", "mark")]
    door.identify_all(faces.templates)
    door.records.verify_new()
    changed(path, "DELETE FROM log WHERE seq > 33")
    changed(path, "UPDATE entry SET value = ?, mark = ? WHERE name = 'head'", *head)
    with pytest.raises(Tampered, match="ends at line 63 of 33"):
        door.records.lines_after(0, 10)


def test_an_audit_reads_the_same_gallery_after_the_process_went_elsewhere(tmp_path, key, monkeypatch):
    """Where there may be another one of that name; it is called what it was opened as."""
    (tmp_path / "elsewhere").mkdir()
    for folder in ("elsewhere", "."):
        monkeypatch.chdir(tmp_path / folder)
        with Gallery.create("door.gallery", key=key, matcher="cosine") as door:
            door.enrol("ann", [1.0, 0.0])
    with Gallery.open("door.gallery", key=key) as door:
        door.enrol("eve", [0.0, 1.0])
        monkeypatch.chdir("elsewhere")
        found = door.audit()
    assert (found.lines, found.gallery) == (3, "door.gallery")


def test_erasing_and_replacing_wait_for_an_audit_and_decisions_do_not(door, faces, monkeypatch):
    """What is erased is nowhere once that is said, and a thread of this process is never called another process."""
    begun, go_on, followed = threading.Event(), threading.Event(), records.Records.lines

    def slowly(self):
        begun.set()
        assert go_on.wait(60)
        yield from followed(self)

    monkeypatch.setattr(records.Records, "lines", slowly)
    with ThreadPoolExecutor() as pool:
        try:
            audit = pool.submit(door.audit)
            assert begun.wait(20)
            waiting = [
                pool.submit(door.erase, "person 3"),
                pool.submit(door.update, "person 4", faces.templates[4], replace=True),
                pool.submit(door.rotate_key, Key(bytes(32))),
            ]
            assert wait(waiting, timeout=0.5).done == set()
            assert pool.submit(door.claim, "person 1", faces.templates[1]).result(10).accepted
            pool.submit(door.update, "person 1", faces.templates[1]).result(10)
        finally:
            go_on.set()
        assert audit.result(20).lines == 33
        assert [done.result(20) for done in waiting] == [1, None, None]


def test_near_misses_are_those_that_failed_by_little(path, key, policies, faces):
    """By hand: threshold .7, median mated .9, so a near miss is from .68 on."""
    ready = policies(scores={"mated": (0.8, 0.9, 1.0), "nonmated": (0.0, 0.1, 0.2)})
    with Gallery.create(path, key=key, policies=ready) as door:
        door.enrol("ann", [1.0, 0.0])
        for cosine in (0.5, 0.679, 0.681, 0.69, 0.71):
            door.claim("ann", [cosine, np.sqrt(1 - cosine**2)], name=str(cosine))
        found = door.audit()
    assert [miss.probe for miss in found.near] == ["0.69", "0.681"]
    assert found.near_count == 2


def test_scores_unlike_those_of_the_test_are_a_drift(path, key, policies):
    """SPEC G4: accepted scores drawn as in the test are steady; all barely above the threshold they are not."""
    rng = np.random.default_rng(1)
    mated = np.linspace(0.5, 1.0, 21)
    ready = policies(scores={"mated": tuple(mated), "nonmated": tuple(np.linspace(-0.5, 0.5, 21))})
    for name, scores, drifted in (("a", rng.uniform(0.7, 1.0, 200), False), ("b", rng.uniform(0.7, 0.75, 200), True)):
        with Gallery.create(f"{path}{name}", key=key, policies=ready) as door:
            door.enrol("ann", [1.0, 0.0])
            for cosine in scores:
                door.claim("ann", [cosine, np.sqrt(1 - cosine**2)])
            [drift] = door.audit().drifts
        assert (drift.passed, drift.decisions, drift.drifted) == (True, 200, drifted)


def test_few_decisions_are_no_drift(door, faces):
    for _ in range(19):
        door.claim("person 1", faces.templates[1])
    assert door.audit().drifts == ()


def test_findings_are_written_and_shown_in_every_language(door, faces, tmp_path):
    from bertillon.gallery import Answers, Enrolled

    answers = (
        door.identify_all(faces.templates[:3]),
        door.identify_all(faces.templates[:5]),
        door.identify_all(faces.templates[:1]),
    )
    stranger = [door.watch(np.random.default_rng(4).normal(size=DIMENSION))]
    claims = [door.claim("person 3", faces.templates[3])]
    found = [Answers("door", 30, tuple(some), door.policies["identification"]) for some in (*answers, stranger)]
    found += [Answers("door", 30, tuple(claims), door.policies["verification"]), door.audit(), door.check()]
    found += [Enrolled("door", door.people(), door.policies), *door.policies.values()]
    for number, finding in enumerate(found):
        for lang in ("en", "it", "es", "zh"):
            for suffix in ("html", "md", "tex", "json"):
                written = finding.report(tmp_path / f"{number}.{lang}.{suffix}", lang=lang)
                assert written.stat().st_size > 20


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "=HYPERLINK(1)"])
def test_names_are_escaped_in_reports(door, faces, tmp_path, name):
    from bertillon.gallery import Answers

    door.enrol(name, again(faces, 5, 2.0))
    answers = [door.identify(again(faces, 5, 2.0), name=name)]
    found = Answers("door", 31, tuple(answers), door.policies["identification"])
    page = found.report(tmp_path / "x.html").read_text()
    assert "<script>alert" not in page
    table = found.report(tmp_path / "x.csv").read_text()
    assert "\n=HYPERLINK" not in table
