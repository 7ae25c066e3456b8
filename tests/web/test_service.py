"""SPEC G2, G4: what the service answers is what the gallery decides, and nothing of a template comes out."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bertillon as bt
from bertillon.gallery import gallery
from bertillon.web import Desk

ANNA, STRANGER = [201.0, 11.0, 10.0], [120.0, 120.0, 120.0]


def test_G2_a_search_answers_as_the_gallery_does_by_hand(service):
    """G2, G4: distance sqrt(2) is within 20; candidates with rank and margin, threshold, policy, line of the log."""
    answer = service.search(ANNA, name="door 1")
    assert answer.status == 200
    found = answer.json
    assert (found["decision"], found["person"], found["probe"]) == ("identified", "anna", "door 1")
    first = found["candidates"][0]
    assert (first["person"], first["rank"], first["passes"]) == ("anna", 1, True)
    assert first["score"] == pytest.approx(2**0.5, rel=1e-5)
    assert first["margin"] == pytest.approx(20 - 2**0.5, rel=1e-5)
    assert found["threshold"] == 20
    assert found["policy"] == service.gallery.policies["identification"].id
    assert found["reliability"]["phi"] is not None
    assert found["line"] == service.gallery.records.head().seq


def test_G2_a_stranger_is_not_in_the_gallery(service):
    found = service.search(STRANGER).json
    assert (found["decision"], found["person"]) == ("not in gallery", None)
    assert len(found["candidates"]) == 3
    closed = service.search(STRANGER, path="/v1/identify?closed=true&best=1").json
    assert closed["decision"] == "identified"
    assert len(closed["candidates"]) == 1


@pytest.mark.parametrize(
    ("listed", "template", "decision"),
    [
        ("allow", ANNA, "allowed"),
        ("allow", STRANGER, "refused"),
        ("alarm", ANNA, "alarm"),
        ("alarm", STRANGER, "no alarm"),
    ],
)
def test_G2_white_and_black_lists(service, listed, template, decision):
    assert service.search(template, path=f"/v1/watch?list={listed}").json["decision"] == decision


def test_G2_a_claim_tells_nothing_of_who_is_enrolled(service):
    assert service.search(ANNA, path="/v1/claim?person=anna").json["accepted"] is True
    wrong = service.search(ANNA, path="/v1/claim?person=bob").json
    unknown = service.search(ANNA, path="/v1/claim?person=nobody").json
    assert (wrong["decision"], unknown["decision"]) == ("rejected", "rejected")
    assert wrong.keys() == unknown.keys()
    assert {"known", "comparisons"}.isdisjoint(unknown)


def test_a_claim_that_fails_has_no_score(service):
    """A score would tell whether the person is enrolled, and let an attacker climb towards a template."""
    answers = [service.search(ANNA, path=f"/v1/claim?person={person}").json for person in ("bob", "nobody")]
    assert [answer["score"] for answer in answers] == [None, None]
    assert [answer["margin"] for answer in answers] == [None, None]


def test_a_steward_enrols_gives_further_templates_and_erases(service):
    made = service.search([100.0, 100.0, 0.0], role="steward", path="/v1/people?person=carl")
    assert (made.status, made.json) == (201, {"person": "carl"})
    again = service.search([100.0, 100.0, 0.0], role="steward", path="/v1/people?person=carl")
    assert again.status == 400
    assert "is enrolled already" in again.json["error"]
    assert service.search([100.0, 0.0, 100.0], role="steward", path="/v1/people?person=carl&more=true").status == 201
    assert service.ask("GET", "/v1/people", role="steward").json["people"]["carl"] == 2
    assert service.search([100.0, 100.0, 0.0]).json["person"] == "carl"
    assert service.ask("DELETE", "/v1/people?person=carl", role="steward").json == {"person": "carl", "templates": 2}
    assert service.search([100.0, 100.0, 0.0]).json["person"] is None
    assert service.ask("DELETE", "/v1/people?person=carl", role="steward").status == 400


def test_G4_an_auditor_reads_a_log_that_is_whole(service):
    """G4: who asked stands in the log by the id of the token, not by the token."""
    service.search(ANNA, name="door 1")
    lines = service.ask("GET", "/v1/log?after=1&limit=1000", role="auditor").json["lines"]
    assert [line["seq"] for line in lines] == list(range(2, len(lines) + 2))
    last = lines[-1]
    operator = next(token for token in service.tokens.all() if token.role == "operator")
    assert (last["event"], last["probe"], last["decision"]) == ("identify", f"{operator.id}:door 1", "identified")
    assert service.ask("GET", "/v1/audit", role="auditor").json["lines"] == last["seq"]


def test_the_log_names_the_token_that_enrolled_updated_and_erased(service):
    """SPEC G4: by its id, as with searches; who enrolled by hand is not named."""
    service.search([100.0, 100.0, 0.0], role="steward", path="/v1/people?person=carl")
    service.search([100.0, 0.0, 100.0], role="steward", path="/v1/people?person=carl&more=true")
    service.ask("DELETE", "/v1/people?person=carl", role="steward")
    lines = service.ask("GET", "/v1/log?limit=1000", role="auditor").json["lines"]
    steward = next(token for token in service.tokens.all() if token.role == "steward")
    assert [(line["event"], line["by"]) for line in lines[-3:]] == [
        (event, steward.id) for event in ("enrol", "update", "erase")
    ]
    assert not any("by" in line for line in lines[:-3])
    assert service.gallery.check().problems == ()


def test_searches_are_answered_while_the_log_is_verified(service, monkeypatch):
    """SPEC G4: however long it has grown, and also where an erasure waits for its end."""
    begun, go_on, audited = threading.Event(), threading.Event(), gallery.audited
    monkeypatch.setattr(gallery, "audited", lambda records: (begun.set(), go_on.wait(20), audited(records))[2])
    found = []

    def ask(method: str, path: str, role: str) -> threading.Thread:
        asking = threading.Thread(target=lambda: found.append(service.ask(method, path, role=role).status))
        asking.start()
        return asking

    asking = [ask("GET", "/v1/audit", "auditor")]
    assert begun.wait(20)
    asking.append(ask("DELETE", "/v1/people?person=bob", "steward"))
    asking[1].join(0.5)
    assert service.search(ANNA).status == 200
    assert found == []
    go_on.set()
    for thread in asking:
        thread.join()
    assert found == [200, 200]


def test_no_answer_holds_a_template(service):
    """Not of people, not of the probe, not in an error, not in the log; no time has as many digits as these numbers."""
    people = {"eve": [111.2578125, 22.5390625, 93.751953125]}
    service.search(people["eve"], role="steward", path="/v1/people?person=eve")
    answers = [
        service.search([111.2578125, 22.5390625, 94.0234375]),
        service.search([111.2578125, 22.5390625, 94.0234375], path="/v1/claim?person=eve"),
        service.search([111.2578125, 22.5390625, 94.0234375], path="/v1/watch?list=alarm"),
        service.search([111.2578125, 22.5390625, 94.0234375, 1.0]),
        service.search([111.2578125, 22.5390625, 94.0234375], role="steward", path="/v1/people?person=eve"),
        *(service.ask("GET", path, role="auditor") for path in ("/v1/log?limit=1000", "/v1/audit", "/v1/gallery")),
        service.ask("GET", "/v1/people", role="steward"),
    ]
    for answer in answers:
        for number in (b"111.2578125", b"22.5390625", b"93.751953125", b"94.0234375"):
            assert number not in answer.body, answer.body


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        ({"template": []}, 422, "at least 1 item"),
        ({"template": [1.0, 2.0]}, 422, "has 2 numbers"),
        ({"template": [0.0, 0.0, 0.0]}, 422, "not all of them 0"),
        ({"template": ["a", 1, 2]}, 422, "valid number"),
        ({"template": [1e38, 1e38, 1e38]}, 400, "too large or too small"),
        ({"template": [1, 2, 3], "model": "another"}, 409, "made by the model 'another'"),
        ({"template": [1, 2, 3], "file": "/etc/passwd"}, 422, "Extra inputs"),
        ({"template": [1, 2, 3], "name": "a\nb"}, 422, "printable"),
        ([1, 2, 3], 422, ""),
    ],
)
def test_what_is_no_template_is_refused(service, body, status, problem):
    answer = service.ask("POST", "/v1/identify", body, role="operator")
    assert answer.status == status
    assert problem in answer.json["error"]


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "1e999", "-1e400", "[1]", "null", "{", "", "\ud800".encode("utf-8", "surrogatepass")]
)
def test_numbers_that_are_none_are_refused(service, text):
    body = text if isinstance(text, bytes) else f'{{"template": [{text}, 1.0, 1.0]}}'.encode()
    answer = service.ask("POST", "/v1/identify", body, role="operator", headers={"Content-Type": "application/json"})
    assert answer.status == 422
    assert "error" in answer.json


def test_it_describes_itself_and_asks_for_nothing_from_elsewhere(service):
    described = service.ask("GET", "/v1/openapi.json").json
    assert set(described["paths"]) >= {"/v1/identify", "/v1/claim", "/v1/watch", "/v1/people", "/v1/log", "/v1/audit"}
    assert described["security"] == [{"token": []}]
    assert described["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}
    refused = described["paths"]["/v1/identify"]["post"]["responses"]
    assert set(refused) == {"200", "400", "401", "403", "413", "422", "429", "503"}
    assert refused["422"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Problem"}
    assert service.ask("GET", "/docs", role="operator").status == 404
    assert service.ask("GET", "/redoc", role="operator").status == 404


@pytest.mark.parametrize(
    ("lang", "word"), [("en", "enrolled"), ("it", "arruolate"), ("es", "inscritas"), ("zh", "注册")]
)
def test_G3_a_gallery_that_has_outgrown_its_policy_says_so_in_every_language(start, lang, word):
    """G3: three people, and a policy for two."""
    service = start(gallery_size=2)
    warnings = service.search(ANNA, path=f"/v1/identify?lang={lang}").json["warnings"]
    about = service.ask("GET", f"/v1/gallery?lang={lang}", role="auditor").json
    assert len(warnings) == 1
    assert warnings == about["policies"]["identification"]["warnings"]
    assert lang == "en" or warnings != service.search(ANNA).json["warnings"]
    assert word


def test_many_at_a_time_get_each_their_own_answer(service):
    """Searches that wait are answered together; every answer is that of its own probe."""
    rng = np.random.default_rng(1)
    truth = list(rng.choice(["anna", "bob"], 60))
    centre = {"anna": [200.0, 10.0, 10.0], "bob": [10.0, 200.0, 10.0]}
    probes = [np.array(centre[name]) + rng.normal(0, 1, 3) for name in truth]
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda probe: service.search(probe).json["person"], probes))
    assert found == truth
    lines = [line for line in service.gallery.records.lines() if line["event"] == "identify"]
    assert len(lines) == 60


class Slow:
    """A gallery that counts how many probes come together; those of 13 numbers are too many for it."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.go = threading.Event()

    def identify_all(self, probes, *, names, **how):
        self.go.wait()
        self.batches.append(len(probes))
        if (probes[:, 0] == 13).any():
            raise bt.InputError("thirteen")
        return list(names)


def test_the_desk_answers_together_and_one_fault_costs_nobody_else_the_answer():
    import asyncio

    gallery = Slow()
    desk = Desk(gallery)

    async def all_at_once():
        asked = [asyncio.ensure_future(desk.search(np.full(3, n), str(n))) for n in (1, 12, 13, 14)]
        await asyncio.sleep(0.05)
        gallery.go.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    with ThreadPoolExecutor(1) as alone:  # where no other loop runs
        answers = alone.submit(asyncio.run, all_at_once()).result()
    desk.close()
    assert [answers[0], answers[1], answers[3]] == ["1", "12", "14"]
    assert isinstance(answers[2], bt.InputError)
    assert max(gallery.batches) >= 3


def test_an_answer_is_json_even_where_a_number_is_none(start):
    service = start(people={"anna": [1.0, 0.0, 0.0]})
    found = service.search([1.0, 0.0, 0.0])
    assert found.status == 200
    assert json.loads(found.body)["reliability"]["reliable"] is None
