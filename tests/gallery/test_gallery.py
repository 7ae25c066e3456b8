"""People enrolled, updated and erased; claims, searches and watch lists; what answers say: SPEC G1, G2, G4, T5, T6."""

from __future__ import annotations

import numpy as np
import pytest
from gallery.conftest import DIMENSION, again

import bertillon as bt
from bertillon.analysis import response_reliability
from bertillon.core import InputError
from bertillon.gallery import Gallery, Index, Policy, Reliability
from bertillon.matching import match


def test_claims_are_decided_by_the_policy_for_claims(door, faces):
    """SPEC G2, T6: verify a claim; a score equal to the threshold passes."""
    right, wrong = door.claim("person 4", again(faces, 4)), door.claim("person 5", again(faces, 4))
    assert (right.decision, right.accepted, wrong.decision, wrong.accepted) == ("accepted", True, "rejected", False)
    [claims] = [policy for policy in door.policies.values() if policy.mode == "verification"]
    assert right.policy == claims.id
    assert right.margin == pytest.approx(right.score - claims.threshold)
    expected = match(bt.TemplateTable([again(faces, 4)], ["p"]), faces, "cosine").scores[0]
    assert right.score == pytest.approx(expected[4], abs=1e-6)
    assert wrong.score == pytest.approx(expected[5], abs=1e-6)


def test_a_score_at_the_threshold_passes(path, key, policies, faces):
    score = float(match(faces.take(np.array([0])), faces.take(np.array([1])), "euclidean").scores[0, 0])
    with Gallery.create(path, key=key, policies=policies(score, "distance", "euclidean")) as gallery:
        gallery.enrol("b", faces.templates[1])
        assert gallery.claim("b", faces.templates[0]).accepted
    with Gallery.create(f"{path}2", key=key, policies=policies(score * (1 - 1e-6), "distance", "euclidean")) as gallery:
        gallery.enrol("b", faces.templates[1])
        assert not gallery.claim("b", faces.templates[0]).accepted


def test_searches_name_somebody_or_say_not_in_gallery(door, faces):
    """SPEC G2: open set, and a closed set that always names somebody."""
    stranger = np.random.default_rng(99).normal(size=DIMENSION)
    known, unknown = door.identify(again(faces, 7)), door.identify(stranger)
    assert (known.decision, known.person) == ("identified", "person 7")
    assert (unknown.decision, unknown.person) == ("not in gallery", None)
    closed = door.identify(stranger, closed=True)
    assert (closed.decision, closed.person) == ("identified", unknown.candidates[0].person)


def test_watch_lists_allow_or_alarm(door, faces):
    """SPEC G2: white list and black list."""
    stranger = np.random.default_rng(99).normal(size=DIMENSION)
    decisions = [
        door.watch(probe, list=kind).decision for kind in ("allow", "alarm") for probe in (again(faces, 7), stranger)
    ]
    assert decisions == ["allowed", "refused", "alarm", "no alarm"]
    with pytest.raises(InputError, match="expected 'allow'"):
        door.watch(stranger, list="grey")


def test_an_answer_says_candidates_ranks_margins_and_reliability(door, faces):
    """SPEC G4, R1: candidates as all scores sorted say, and the relative distance of the whole list."""
    answer = door.identify(again(faces, 3), best=5)
    scores = match(bt.TemplateTable([again(faces, 3)], ["p"]), faces, "cosine").scores[0]
    order = np.argsort(-scores)[:5]
    assert [one.person for one in answer.candidates] == [f"person {number}" for number in order]
    assert [one.rank for one in answer.candidates] == [1, 2, 3, 4, 5]
    assert [one.score for one in answer.candidates] == pytest.approx(scores[order], abs=1e-6)
    assert [one.passes for one in answer.candidates] == [bool(score >= 0.7) for score in scores[order]]
    assert answer.line == door.records.head().seq
    phi = response_reliability([scores], rule="similarity", threshold=0.5).phi[0]
    assert answer.reliability.phi == pytest.approx(phi, abs=1e-5)
    assert "no threshold of reliability" in str(answer.reliability.reason)


def test_reliability_is_called_by_the_threshold_of_the_policy(path, key, policies, faces):
    """SPEC R1: SRR = (phi - phi0) / S."""
    ready = policies(reliability=Reliability("relative-distance", 0.2))
    with Gallery.create(path, key=key, policies=ready) as gallery:
        gallery.enrol_all(faces)
        sure = gallery.identify(again(faces, 3)).reliability
        assert sure.srr == pytest.approx((sure.phi - 0.2) / 0.8)
        assert sure.reliable is True


@pytest.mark.parametrize(("fusion", "expected"), [("best", 0.0), ("mean", 2.0), ("pooled", 2.0)])
def test_several_templates_of_a_person_are_fused(path, key, policies, fusion, expected):
    """SPEC T5, by hand: distances 0 and 4 to two templates; the best is 0, their mean 2, that to their mean 2."""
    with Gallery.create(path, key=key, policies=policies(3.0, "distance", "euclidean", fusion)) as gallery:
        gallery.enrol("ann", [[1.0, 1.0], [5.0, 1.0]])
        gallery.enrol("bob", [9.0, 9.0])
        assert gallery.claim("ann", [1.0, 1.0]).score == pytest.approx(expected, abs=1e-6)
        answer = gallery.identify([1.0, 1.0])
        assert (answer.person, answer.score) == ("ann", pytest.approx(expected, abs=1e-6))


def test_updating_adds_or_replaces_and_erasing_forgets(door, faces):
    """SPEC G1."""
    door.update("person 2", again(faces, 11))
    assert door.people()["person 2"] == 2
    assert door.claim("person 2", again(faces, 11)).accepted
    door.update("person 2", again(faces, 2), replace=True)
    assert door.people()["person 2"] == 1
    assert not door.claim("person 2", again(faces, 11)).accepted
    assert door.erase("person 2") == 1
    assert "person 2" not in door.people()
    claim = door.claim("person 2", again(faces, 2))
    assert (claim.accepted, claim.known) == (False, False)
    assert door.identify(again(faces, 2)).person is None
    with pytest.raises(InputError, match="nothing to erase"):
        door.erase("person 2")


def test_who_is_enrolled_is_not_enrolled_twice_and_nobody_with_them(door, faces):
    extra = bt.TemplateTable(faces.templates[:2] + 1, np.array(["new", "person 3"]))
    with pytest.raises(InputError, match="'person 3' is enrolled already"):
        door.enrol_all(extra)
    assert "new" not in door.people()
    with pytest.raises(InputError, match="'new' is not enrolled"):
        door.update("new", faces.templates[0])
    two = bt.TemplateTable(faces.templates[:2] + 1, np.array(["person 3", "new"]))
    with pytest.raises(InputError, match=r"'new' is not enrolled.*nothing was changed"):
        door.update_all(two, replace=True)
    assert door.people()["person 3"] == 1
    assert door.update_all(two.take(np.array([0]))) == 1
    assert door.people()["person 3"] == 2


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ([np.nan] * DIMENSION, "not finite"),
        ([np.inf] * DIMENSION, "not finite"),
        ([1e300] * DIMENSION, "not finite"),
        ([0.0] * DIMENSION, "only zeros"),
        ([1e-60] * DIMENSION, "only zeros"),
        ([1e38] * DIMENSION, "too large or too small"),
        ([1e-25] * DIMENSION, "too large or too small"),
        ([1.0] * (DIMENSION - 1), "15 numbers, and"),
        ([], "have shape"),
        ("text", "text: the file is missing"),
        (b"text", "not a picture"),
    ],
)
def test_what_is_no_template_is_refused_everywhere(door, template, what):
    before = door.records.head()
    for refused in (
        lambda: door.enrol("new", template),
        lambda: door.update("person 1", template),
        lambda: door.claim("person 1", template),
        lambda: door.identify(template),
        lambda: door.watch(template),
    ):
        with pytest.raises(InputError, match=what):
            refused()
    assert door.records.head() == before


def test_what_the_matcher_has_no_score_for_is_refused(path, key, policies, faces):
    """To a correlation a template whose numbers are all equal is like nothing; one of them hid everybody."""
    with Gallery.create(path, key=key, policies=policies(matcher="pearson")) as gallery:
        gallery.enrol_all(faces)
        for ask in (
            gallery.identify,
            lambda probe: gallery.claim("person 1", probe),
            lambda probe: gallery.enrol("x", probe),
        ):
            with pytest.raises(InputError, match="1 of 1 templates cannot be compared by the matcher pearson"):
                ask(np.full(DIMENSION, 3.0))
        assert len(gallery) == 30


@pytest.mark.parametrize("fusion", ["pooled", "mean"])
def test_somebody_who_can_be_compared_with_nobody_hides_nobody(path, key, policies, faces, fusion):
    """Templates that cancel out have a mean of length 0, which has no direction."""
    with Gallery.create(path, key=key, policies=policies(fusion=fusion)) as gallery:
        gallery.enrol("nobody", [faces.templates[0], -faces.templates[0]])
        gallery.enrol_all(faces)
        found = gallery.identify_all([again(faces, number) for number in range(30)])
        assert [answer.person for answer in found] == faces.subject.tolist()
        assert gallery.claim("nobody", faces.templates[0]).accepted is False
        assert all(np.isfinite(answer.reliability.phi) for answer in found)


def test_templates_of_another_model_are_refused(path, key, policies, faces):
    """SPEC G1: two models' scores mean nothing."""
    with Gallery.create(path, key=key, policies=policies(model="net-1")) as gallery:
        gallery.enrol("ann", faces.templates[0], model="net-1")
        with pytest.raises(InputError, match="model 'net-1', and these are of 'net-2'"):
            gallery.enrol("bob", faces.templates[1], model="net-2")
        with pytest.raises(InputError, match="and these are of 'not stated'"):
            gallery.enrol("bob", faces.templates[1])
        with pytest.raises(InputError, match="made by the model 'net-2'"):
            gallery.identify(faces.templates[0], model="net-2")
        assert list(gallery.people()) == ["ann"]


def test_the_first_template_settles_the_model_where_nobody_said(path, key, faces):
    with Gallery.create(path, key=key, matcher="cosine") as gallery:
        gallery.enrol("ann", faces.templates[0], model="net-1")
        with pytest.raises(InputError, match="scores of two models"):
            gallery.enrol("bob", faces.templates[1], model="net-2")
    with Gallery.open(path, key=key) as gallery:
        assert gallery.records.settings.model == "net-1"


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 201, 7, "\x1b[31m", "\udce9"])
def test_names_that_cannot_be_shown_are_refused(door, faces, name):
    with pytest.raises(InputError, match="printable"):
        door.enrol(name, faces.templates[0])


def test_names_are_only_names(door, faces):
    """SQL, paths and markup in a name are its letters."""
    for name in ("'; DROP TABLE template; --", "../../etc/passwd", "<script>", "Ünïcödé 名", "?", "%s"):
        door.enrol(name, again(faces, 1, 3.0))
        assert door.claim(name, again(faces, 1, 3.0)).accepted
        assert name in door.people()
        door.erase(name)
    assert len(door) == 30


def test_no_decision_is_taken_without_a_policy(path, key, policies, faces):
    """SPEC G3."""
    with Gallery.create(path, key=key, matcher="cosine") as gallery:
        gallery.enrol("ann", faces.templates[0])
        for decide in (lambda: gallery.claim("ann", faces.templates[0]), lambda: gallery.identify(faces.templates[0])):
            with pytest.raises(InputError, match="no decision is taken without one"):
                decide()
        gallery.use(policies()[0])
        assert gallery.claim("ann", faces.templates[0]).accepted
        with pytest.raises(InputError, match="no policy for searches"):
            gallery.watch(faces.templates[0])


def test_a_policy_for_another_matcher_or_model_is_refused(path, key, policies, faces):
    with Gallery.create(path, key=key, matcher="cosine") as gallery:
        gallery.enrol("ann", faces.templates[0])
        with pytest.raises(InputError, match="measured for matcher 'euclidean'"):
            gallery.use(policies(matcher="euclidean")[0])
        with pytest.raises(InputError, match="measured for model 'net'"):
            gallery.use(policies(model="net")[0])
        with pytest.raises(InputError, match="measured for fusion 'mean'"):
            gallery.use(policies(fusion="mean")[0])


def test_a_gallery_that_outgrew_its_policy_says_so(path, key, policies, faces):
    """SPEC G3."""
    with Gallery.create(path, key=key, policies=policies(size=29)) as gallery:
        gallery.enrol_all(faces.take(np.arange(29)))
        assert gallery.identify(faces.templates[0]).warnings == ()
        gallery.enrol("one more", faces.templates[29])
        [warning] = gallery.identify(faces.templates[0]).warnings
        assert "30 people are enrolled, but the policy was measured for 29" in str(warning)


def test_a_closed_set_needs_its_own_rate(path, key, policies, faces):
    policy = policies()[1]
    bare = Policy.from_dict(
        policy.to_dict()
        | {
            "policy": {
                **policy.to_dict()["policy"],
                "rates": {"FPIR": {"value": 0.1, "low": 0, "high": 0.2, "level": 0.95}},
            }
        }
    )
    with Gallery.create(path, key=key, policies=[bare.signed_by(key)]) as gallery:
        gallery.enrol("ann", faces.templates[0])
        with pytest.raises(InputError, match="evaluate with -m RR"):
            gallery.identify(faces.templates[0], closed=True)


def test_claims_take_the_same_way_for_known_and_unknown_people(door, faces, monkeypatch):
    """The same comparisons, questions to the policy and lines, so that nobody learns by the clock who is enrolled."""
    door.update("person 2", np.stack([again(faces, 2), again(faces, 3), again(faces, 4)]))
    made = []
    block = type(door._index.matcher).block

    def counted(self, probes, gallery):
        made.append((len(probes), len(gallery)))
        return block(self, probes, gallery)

    monkeypatch.setattr(type(door._index.matcher), "block", counted)
    asked, accepts = [], Policy.accepts
    monkeypatch.setattr(Policy, "accepts", lambda policy, score: asked.append(score) or accepts(policy, score))
    seq = [door.records.head().seq]
    for person in ("person 1", "person 2", "nobody", "person 1 "):
        answer = door.claim(person, again(faces, 1))
        assert answer.comparisons == 4
        seq.append(door.records.head().seq)
    assert made == [(1, 4)] * 4
    assert len(asked) == 4
    assert np.diff(seq).tolist() == [1] * 4


@pytest.mark.parametrize("event", ["erase", "enrol", "policy"])
def test_what_others_change_while_a_decision_is_taken_counts(door, path, key, faces, policies, monkeypatch, event):
    """SPEC G4: between the scores and the line in the log somebody is erased or enrolled, or the policy changed."""
    with Gallery.open(path, key=key) as other:
        changes = {
            "erase": lambda: other.erase("person 3"),
            "enrol": lambda: other.enrol("twin", again(faces, 3)),
            "policy": lambda: other.use(policies(0.9999)[1]),
        }
        search, searches = door._index.search, []

        def searched(probes, best):
            searches.append(search(probes, best))
            if len(searches) == 1:
                changes[event]()
            return searches[-1]

        monkeypatch.setattr(door._index, "search", searched)
        answer = door.identify(again(faces, 3))
    assert len(searches) == 2
    assert answer.person == {"erase": None, "enrol": "twin", "policy": None}[event]
    assert [line["event"] for line in door.records.lines()][-2:] == [event, "identify"]


def test_what_was_in_memory_of_somebody_erased_is_overwritten(door):
    """SPEC G5."""
    held = door._index._rows["vectors"]
    kept = held.copy()
    door.erase("person 4")
    assert not held[4].any()
    np.testing.assert_array_equal(np.delete(held, 4, axis=0), np.delete(kept, 4, axis=0))


def test_several_processes_see_what_the_others_did(door, path, key, faces):
    with Gallery.open(path, key=key) as other:
        other.erase("person 3")
        other.enrol("new", again(faces, 3))
        assert door.identify(again(faces, 3)).person == "new"
        assert len(door) == len(other) == 30
        door.update("new", again(faces, 9), replace=True)
        assert other.identify(again(faces, 9)).candidates[0].person in ("new", "person 9")
        assert other.people() == door.people()


def test_a_new_gallery_that_others_enrolled_in_stays(path, key, policies, monkeypatch):
    """Its policies could not be set, but people are in it by now."""

    def use(gallery, policy, *, laboratory=None):
        with Gallery.open(path, key=key) as other:
            other.enrol("ann", np.ones(3))
        raise InputError("the policy cannot be set")

    monkeypatch.setattr(Gallery, "use", use)
    with pytest.raises(InputError, match="cannot be set"):
        Gallery.create(path, key=key, policies=policies())
    with Gallery.open(path, key=key) as other:
        assert other.people() == {"ann": 1}


def test_who_asks_has_a_name(door):
    with pytest.raises(InputError, match="who asks is called ''"):
        door.erase("person 4", by="")


def test_an_empty_gallery_knows_nobody(path, key, policies):
    with Gallery.create(path, key=key, policies=policies()) as gallery:
        assert gallery.identify([1.0, 2.0]).decision == "not in gallery"
        assert gallery.claim("ann", [1.0, 2.0]).decision == "rejected"
        with pytest.raises(InputError, match="nothing to export"):
            gallery.export()


def test_exported_templates_are_those_enrolled(door, faces):
    table = door.export()
    assert np.array_equal(table.templates, faces.templates)
    assert table.subject.tolist() == faces.subject.tolist()


@pytest.mark.parametrize("fusion", ["best", "mean", "pooled"])
def test_templates_far_from_the_origin_are_told_apart(fusion):
    """By hand in double precision: their products in single precision differ by less than they are rounded."""
    from bertillon.matching import matcher

    rng = np.random.default_rng(7)
    vectors, probes = ((rng.normal(size=(n, 128)) + 5000.0).astype(np.float32) for n in (3000, 5))
    index = Index(matcher("euclidean"), fusion)
    index.add(np.arange(3000) + 1, [str(number) for number in range(3000)], vectors)
    for probe, found in zip(probes, index.search(probes, 5), strict=True):
        distances = np.sqrt(((vectors.astype(np.float64) - probe) ** 2).sum(axis=1))
        assert found.people.tolist() == np.argsort(distances)[:5].tolist()
        assert found.scores == pytest.approx(np.sort(distances)[:5], rel=1e-6)


@pytest.mark.parametrize("fusion", ["best", "mean"])
@pytest.mark.parametrize("kind", ["one far outlier", "two tight clusters"])
def test_neither_outliers_nor_clusters_hide_that_products_blur_against_double_precision(kind, fusion):
    from bertillon.matching import matcher

    rng = np.random.default_rng(3)
    vectors = (100.0 + 0.01 * rng.normal(size=(5000, 64))).astype(np.float32)
    if kind == "one far outlier":
        vectors[17] = 1e5
    else:
        vectors[::2] *= -1.0
    probes = vectors[[40, 41]] + (0.001 * rng.normal(size=(2, 64))).astype(np.float32)
    index = Index(matcher("euclidean"), fusion)
    index.add(np.arange(5000) + 1, [str(number) for number in range(5000)], vectors)
    for probe, found in zip(probes, index.search(probes, 5), strict=True):
        distances = np.sqrt(((vectors.astype(np.float64) - probe) ** 2).sum(axis=1))
        assert found.people.tolist() == np.argsort(distances)[:5].tolist()


@pytest.mark.parametrize(("name", "first"), [("squared-euclidean", "even"), ("euclidean", "uneven 29")])
def test_means_of_squares_are_no_means_of_roots_by_hand(name, first):
    """Two templates at 3 and 3: mean 3, of squares 9. At 0 and 4.3: mean 2.15, of squares 9.245."""
    from bertillon.matching import matcher

    people, vectors = [], []
    for number in range(30):
        people += [f"uneven {number}"] * 2
        vectors += [[0.0, 0.0], [4.5 - 0.008 * number, 0.0]]
    people += ["even", "even"]
    vectors += [[3.0, 0.0], [-3.0, 0.0]]
    index = Index(matcher(name), "mean")
    index.add(np.arange(62) + 1, people, np.array(vectors, np.float32))
    [found] = index.search(np.zeros((1, 2), np.float32), 1)
    assert found.names == (first,)


def test_equal_scores_are_listed_in_the_order_of_enrolment(monkeypatch):
    """Whichever thread searched the first people."""
    from bertillon.gallery import search
    from bertillon.matching import matcher

    def divided(work, pieces, made):
        found = [made(), made()]
        for piece in range(pieces):
            work(found[piece < pieces // 2], piece)
        return found

    monkeypatch.setattr(search, "run_workers", divided)
    monkeypatch.setattr(search, "available_cores", lambda: 2)
    index = Index(matcher("cosine"), "best")
    index.add(np.arange(60_000) + 1, [str(number) for number in range(60_000)], np.ones((60_000, 2), np.float32))
    for found in index.search(np.ones((64, 2), np.float32), 5):  # so many are searched for in several pieces
        assert found.people.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("matcher", ["euclidean", "squared-euclidean", "cosine", "pearson", "manhattan"])
@pytest.mark.parametrize("fusion", ["best", "mean", "pooled"])
def test_candidates_against_all_scores_sorted(matcher, fusion):
    """The pass over everybody finds whom sorting all scores finds, with ties, several templates and many people."""
    rng = np.random.default_rng(5)
    owners = np.sort(rng.integers(0, 300, 900)).astype(str)
    vectors = rng.integers(-2, 3, (900, 6)).astype(np.float32)
    vectors[~vectors.any(axis=1), 0] = 1
    vectors[:, 5] += np.float32(0.37)  # none is constant
    from bertillon.matching import matcher as named

    index, chosen = Index(named(matcher), fusion), named(matcher)
    for part in np.array_split(rng.permutation(900), 3):
        index.add(part + 1, owners[part].tolist(), vectors[part])
    index.remove((np.arange(0, 900, 7) + 1).tolist())
    kept = np.setdiff1d(np.arange(900), np.arange(0, 900, 7))
    probes = rng.normal(size=(4, 6)).astype(np.float32)
    people = {person: vectors[kept][owners[kept] == person] for person in np.unique(owners[kept])}
    sign = chosen.rule.factor
    for probe, found in zip(probes, index.search(probes, 10), strict=True):
        expected = {}
        for person, own in people.items():
            rows = own.mean(axis=0, keepdims=True) if fusion == "pooled" else own
            table = bt.TemplateTable(np.vstack([rows, vectors[:2]]), ["x"] * (len(rows) + 2))
            scores = (
                sign * match(bt.TemplateTable([probe, probes[0]], ["p", "q"]), table, chosen).scores[0, : len(rows)]
            )
            expected[person] = scores.mean() if fusion == "mean" else scores.max()
        best = sorted(expected.values(), reverse=True)[:10]
        assert sign * found.scores == pytest.approx(best, abs=2e-5)
        assert [expected[index.people[number]] for number in found.people] == pytest.approx(best, abs=2e-5)
        assert sign * found.worst == pytest.approx(min(expected.values()), abs=2e-5)
