"""Policies: made of evaluations only, signed, refused where a byte was changed (SPEC G3)."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.gallery import Gallery, Key, Policy, policy_from, read_policy, write_policy
from bertillon.matching import ProbeVersusGallery, split_gallery_probe

MEASURES = {"verification": ["FNMR@FMR=0.01", "EER"], "identification": ["FNIR@FPIR=0.05,k=1", "RR"]}


@pytest.fixture(scope="module")
def templates() -> bt.TemplateTable:
    rng = np.random.default_rng(11)
    centres = rng.normal(size=(60, 24))
    vectors = np.repeat(centres, 4, axis=0) + 0.8 * rng.normal(size=(240, 24))
    return bt.TemplateTable(vectors.astype(np.float32), np.repeat(np.arange(60), 4).astype(str))


def evaluated(templates: bt.TemplateTable, mode: str, **more: object) -> bt.Evaluation:
    if mode == "verification":
        trials = bt.evaluation.verification_trials(bt.Comparing.plan(templates, "cosine"), MEASURES[mode])
    else:
        partition = split_gallery_probe(templates, leave_out=0.3, rng=0)
        plan = bt.Comparing.plan(templates, "cosine", ProbeVersusGallery(), partition=partition)
        trials = bt.evaluation.search_trials(plan)
    return bt.evaluate(trials, MEASURES[mode]).with_intervals(**more)


@pytest.fixture(scope="module")
def claims(templates) -> bt.Evaluation:
    return evaluated(templates, "verification", resamples=100)


@pytest.fixture(scope="module")
def searches(templates) -> bt.Evaluation:
    return evaluated(templates, "identification", resamples=100)


def test_a_policy_holds_the_errors_at_its_threshold(claims):
    """SPEC G3: both rates at exactly this threshold, counted again by hand, each with its interval."""
    policy = policy_from(claims, "FMR=0.01")
    scores, t = claims.trials, policy.threshold
    assert t == claims["FNMR@FMR=0.01"].threshold
    fmr, fnmr = policy.rates["FMR"], policy.rates["FNMR"]
    assert (fmr.errors, fmr.trials) == (int((scores.nonmated >= t).sum()), scores.nonmated.size)
    assert (fnmr.errors, fnmr.trials) == (int((scores.mated < t).sum()), scores.mated.size)
    assert fmr.low <= fmr.value <= fmr.high
    assert fnmr.low < fnmr.value < fnmr.high
    assert (policy.matcher, policy.rule, policy.gallery_size) == ("cosine", "similarity", None)
    assert policy.data == claims.to_dict()["signature"]["data"]


def test_a_policy_for_searches_says_for_how_many_people(searches):
    """SPEC G3: FPIR and FNIR with so many enrolled, and the rate of closed sets."""
    policy = policy_from(searches, "FPIR=0.05")
    sought, t = searches.trials, policy.threshold
    strangers = sought.top_score[~sought.enrolled]
    assert policy.rates["FPIR"].errors == int((strangers >= t).sum())
    assert policy.rates["FNIR"].value == searches["FNIR@FPIR=0.05,k=1"].value
    assert policy.rates["RR"].value == searches["RR"].value
    assert policy.gallery_size == sought.gallery_size == 42


def test_alarms_that_can_be_borne_are_a_rate(searches):
    assert policy_from(searches, "alarms=5, searches=100").threshold == policy_from(searches, "FPIR=0.05").threshold


def test_a_measure_with_a_threshold_is_a_point(claims):
    assert policy_from(claims, "EER").threshold == claims["EER"].threshold


@pytest.mark.parametrize(
    ("at", "what"),
    [
        ("FMR=0.002", "evaluate with -m 'FNMR@FMR=0.002'"),
        ("FPIR=0.01", "FPIR is an error of searches; evaluate with bertillon identify -m 'FNIR@FPIR=0.01,k=1'"),
        ("t=0.123", "evaluate with -m 'FMR@t=0.123'|evaluate with -m 'FNMR@t=0.123'"),
        ("FMR=many", "expected a rate from 0 to 1"),
        ("FMR=-1", "expected a rate from 0 to 1"),
        ("alarms=5,searches=0", "expected a rate from 0 to 1"),
        ("alarms=5,searches=4", "expected a rate from 0 to 1"),
        ("AUC", "is unknown"),
        ("nothing", "nothing"),
    ],
)
def test_what_was_not_evaluated_cannot_be_chosen(claims, at, what):
    with pytest.raises(InputError, match=what):
        policy_from(claims, at)


def test_what_says_no_matcher_or_no_interval_makes_no_policy(templates):
    scores = bt.evaluate(bt.ScoreSet([0.9, 0.8], [0.1, 0.2]), "EER").with_intervals()
    with pytest.raises(InputError, match="an evaluation of templates"):
        policy_from(scores, "EER")
    bare = bt.evaluate(bt.evaluation.verification_trials(bt.Comparing.plan(templates, "cosine")), "EER")
    with pytest.raises(InputError, match="has no interval"):
        policy_from(bare, "EER")
    with pytest.raises(InputError, match="an evaluation of templates"):
        policy_from({"mode": "classification"}, "EER")


def test_a_larger_gallery_needs_measured_sizes(searches):
    """SPEC G3: what was not measured is not promised; between sizes the next larger one counts."""
    assert policy_from(searches, "FPIR=0.05", gallery_size=20).gallery_size == 20
    with pytest.raises(InputError, match="42 people were enrolled, and FPIR was not measured with 500"):
        policy_from(searches, "FPIR=0.05", gallery_size=500)
    t = policy_from(searches, "FPIR=0.05").threshold
    sizes = {
        "threshold": t,
        "sizes": [40, 400, 4000],
        "fpir": [0.05, 0.2, 0.5],
        "low": [0.03, 0.1, 0.4],
        "high": [0.1, 0.3, 0.6],
    }
    policy = policy_from(searches, "FPIR=0.05", gallery_size=500, sizes=sizes)
    assert (policy.rates["FPIR"].value, policy.rates["FPIR"].high) == (0.5, 0.6)
    assert "at this size the measured FPIR is 50 %" in str(policy.outgrown(501))
    assert "expect more false alarms" in str(policy.outgrown(4001))
    assert policy.outgrown(500) is None
    with pytest.raises(InputError, match="was measured at the threshold"):
        policy_from(searches, "FPIR=0.05", sizes={**sizes, "threshold": t + 0.1})
    with pytest.raises(InputError, match="expected an object"):
        policy_from(searches, "FPIR=0.05", sizes={"sizes": [1]})


def test_sizes_that_the_evaluation_measured_are_taken_over(searches):
    """SPEC G3: the curve at the policy's own threshold, and no other."""
    held = searches.to_dict()
    t = policy_from(held, "FPIR=0.05").threshold
    curve = {"threshold": t, "sizes": [10, 40], "fpir": [0.01, 0.04], "low": [0.0, 0.02], "high": [0.03, 0.08]}
    held["findings"] = [
        {"finding": "gallery sizes", "measured": [{**curve, "threshold": t + 0.1}, curve]},
        {"finding": "x"},
    ]
    found = policy_from(held, "FPIR=0.05")
    assert found.sizes is not None
    assert (found.sizes.sizes, found.sizes.at(20)) == ((10, 40), (0.04, 0.02, 0.08))
    held["findings"] = held["findings"][1:]
    assert policy_from(held, "FPIR=0.05").sizes is None


def test_too_few_trials_for_what_was_asked_are_pointed_out(searches):
    [warning] = policy_from(searches, "FPIR=0.05").warnings
    assert "The target was FPIR at most 5 %" in str(warning)


def test_a_reliability_that_the_gallery_does_not_compute_is_refused(claims):
    """SPEC R1: a threshold of the density ratio says nothing of the relative distance."""
    with pytest.raises(InputError, match="--phi relative-distance"):
        policy_from(claims, "FMR=0.01", reliability={"kind": "density-ratio", "threshold": 0.3})


def test_a_policy_survives_its_file(tmp_path, claims, key):
    policy = policy_from(claims, "FMR=0.01", reliability={"kind": "relative-distance", "threshold": 0.3}).signed_by(key)
    write_policy(policy, tmp_path / "p.json")
    again = read_policy(tmp_path / "p.json")
    assert again.to_dict() == policy.to_dict()
    again.require_signature(key)


def test_every_changed_value_of_a_policy_is_noticed(tmp_path, claims, key):
    """SPEC G5: whichever value of the file is another, it is refused."""
    policy = policy_from(claims, "FMR=0.01").signed_by(key)
    whole = policy.to_dict()
    for name, value in whole["policy"].items():
        other = json.loads(json.dumps(whole))
        other["policy"][name] = value * 1.01 if isinstance(value, float) else ["x"] if name == "scores" else "x"
        (tmp_path / "p.json").write_text(json.dumps(other))
        if name != "made":  # which only the signature holds
            with pytest.raises(InputError, match=r"was changed after it was made|with a fault in it|expected"):
                read_policy(tmp_path / "p.json")
        del other["id"]
        try:
            forged = Policy.from_dict(other)
        except InputError:
            continue
        with pytest.raises(InputError, match="was changed after it was signed"):
            forged.require_signature(key)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"bertillon_policy": 1}', '{"bertillon_policy": 2}', "\x00"])
def test_what_is_no_policy_is_refused(tmp_path, text):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(InputError, match=r"no policy|with a fault"):
        read_policy(tmp_path / "p.json")


def test_who_signs_must_be_trusted(tmp_path, claims, key):
    """SPEC G3: the gallery's own key, or a laboratory whose public key is named."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    for name in ("lab", "other"):
        private = Ed25519PrivateKey.generate()
        pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (tmp_path / f"{name}.pem").write_bytes(pem)
        public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (tmp_path / f"{name}.pub").write_bytes(public)
    policy = policy_from(claims, "FMR=0.01")
    with pytest.raises(InputError, match="is not signed"):
        policy.require_signature(key)
    with pytest.raises(InputError, match="and the key given is"):
        policy.signed_by(Key.draw()).require_signature(key)
    signed = policy.signed_by_laboratory(tmp_path / "lab.pem")
    with pytest.raises(InputError, match="say that it is trusted"):
        signed.require_signature(key)
    with pytest.raises(InputError, match="which is not that of"):
        signed.require_signature(key, laboratory=tmp_path / "other.pub")
    signed.require_signature(key, laboratory=tmp_path / "lab.pub")
    with Gallery.create(tmp_path / "g", key=key, policies=[signed], laboratory=tmp_path / "lab.pub") as gallery:
        assert gallery.policies["verification"].id == policy.id
        for untrusted in (policy, policy.signed_by(Key.draw()), signed):
            with pytest.raises(InputError, match=r"is not signed|and the key given is|say that it is trusted"):
                gallery.use(untrusted)
            with pytest.raises(InputError, match=r"is not signed|and the key given is|say that it is trusted"):
                Gallery.create(tmp_path / "other", key=key, policies=[untrusted])
        assert len([*gallery.records.lines()]) == 2
    with pytest.raises(InputError, match="no private key can be read"):
        policy.signed_by_laboratory(tmp_path / "lab.pub")
    assert signed.signature is not None
    other = policy.signed_by_laboratory(tmp_path / "other.pem").signature
    assert other is not None
    for forged in (
        replace(signed, threshold=0.0),
        replace(signed, signature=replace(signed.signature, value="00" * 64)),
        replace(signed, signature=replace(signed.signature, value="no digits")),
        replace(signed, signature=replace(other, key=signed.signature.key)),
    ):
        with pytest.raises(InputError, match="was changed after it was signed"):
            forged.require_signature(key, laboratory=tmp_path / "lab.pub")


def test_templates_of_several_models_make_no_policy(templates):
    import polars as pl

    mixed = bt.TemplateTable(templates.templates, templates.subject, metadata=pl.DataFrame({"model": ["a", "b"] * 120}))
    held = evaluated(mixed, "verification", resamples=20).to_dict()
    with pytest.raises(InputError, match=r"several models \(a, b\)"):
        policy_from(held, "EER")
    one = bt.TemplateTable(templates.templates, templates.subject, metadata=pl.DataFrame({"model": ["a"] * 240}))
    assert policy_from(evaluated(one, "verification", resamples=20), "EER").model == "a"


def test_counted_comparisons_make_a_policy_too(templates, claims, monkeypatch):
    """Where scores are not kept the rates are the same; there are no quantiles."""
    monkeypatch.setattr(bt.evaluation.templates.LIMITS, "kept_comparisons", 0)
    kept = policy_from(claims, "FMR=0.01")
    with pytest.raises(InputError, match=r"evaluate again with -m FMR@t=0\.\d+ -m FNMR@t=0\.\d+"):
        policy_from(evaluated(templates, "verification", resamples=20), "FMR=0.01")
    at = f"t={kept.threshold!r}"
    monkeypatch.setitem(MEASURES, "verification", [f"FMR@{at}", f"FNMR@{at}"])
    found = policy_from(evaluated(templates, "verification", resamples=20), at)
    assert math.isclose(found.threshold, kept.threshold, rel_tol=1e-6)
    assert found.rates["FMR"].errors == kept.rates["FMR"].errors
    assert found.scores == {}
