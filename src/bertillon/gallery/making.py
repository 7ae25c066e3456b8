"""A policy from what an evaluation of templates found: its threshold at an operating point, and the errors there.

Conventions: the evaluation's JSON names its matcher and holds both errors at the threshold of each measure that was
asked for; anything else is refused with the measure to ask for. A rate that was asked for is one at most.

Holds `policy_from`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bertillon.analysis.response_reliability import RELATIVE_DISTANCE
from bertillon.core.errors import InputError, unknown
from bertillon.gallery.policy import ERRORS, MODES, GallerySizes, MeasuredRate, Policy, Reliability
from bertillon.measures import measure_set_of

USUAL = {"verification": "FNMR@FMR={rate!r}", "identification": "FNIR@FPIR={rate!r},k=1"}
NEEDS = {"FMR": ("claims", "verify"), "FPIR": ("searches", "identify")}
SAME = 1e-6  # thresholds that differ by less are one, written with fewer digits
FUSIONS = ("best", "mean", "pooled")


def policy_from(
    evaluation: Any,
    at: str,
    *,
    gallery_size: int | None = None,
    sizes: Mapping[str, Any] | None = None,
    reliability: Mapping[str, Any] | None = None,
    fusion: str | None = None,
    source: str = "evaluation",
) -> Policy:
    """The policy at an operating point of an evaluation of templates, as an object or as its JSON holds it.

    Parameters
    ----------
    evaluation
        With intervals, of templates; one of verification for claims, of identification for searches.
    at
        "FMR=0.001", "FPIR=0.001" (at most), "t=0.6", a measure of the evaluation that has a threshold, or the alarms
        that can be borne: "alarms=5,searches=10000".
    gallery_size
        For how many people; more than were enrolled in the evaluation need measured `sizes`.
    sizes
        FPIR at the threshold over gallery sizes: threshold, sizes, fpir, low and high.
    reliability
        `kind` and `threshold` of answers that were judged (`bertillon reliability --json`).
    fusion
        "pooled" where the templates of a person were averaged before the test.
    """
    held = evaluation if isinstance(evaluation, Mapping) else evaluation.to_dict()
    mode, points = held.get("mode"), held.get("points")
    if mode not in MODES or points is None or "system" not in held:
        raise InputError(
            f"{source}: does not say which matcher compared at which thresholds; a policy is made of an evaluation of "
            "templates: bertillon identify (or verify) TEMPLATES --matcher NAME -m ... --json evaluation.json"
        )
    asked, target = _budget(at)
    point = _point(mode, points, asked, source)
    _require_known(point, source)
    rates = {row["name"]: MeasuredRate.of(row, source) for row in point["rates"]}
    system = held["system"]
    if "," in system["model"]:
        raise InputError(f"{source}: mixes templates of several models ({system['model']}); evaluate one model")
    tested = held["counts"].get("gallery") if mode == "identification" else None
    policy = Policy(
        mode,
        at,
        point["threshold"],
        held["rule"],
        system["matcher"],
        _fusion(fusion or system["fusion"] or "best", source),
        system["model"],
        rates | _closed_set(held, source),
        tested if gallery_size is None else gallery_size,
        held["signature"]["data"],
        target=target,
        version=held["bertillon"],
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        reliability=None if not reliability else _reliability(reliability),
        scores={name: tuple(values) for name, values in (held.get("scores") or {}).items()},
    )
    return _sized(policy, tested, sizes or _curve_in(held, policy.threshold), source)


def _budget(at: str) -> tuple[str, float | None]:
    """What is asked of the evaluation, and the greatest rate: alarms that can be borne are an FPIR."""
    parts = dict(part.partition("=")[::2] for part in at.replace(" ", "").split(","))
    try:
        if set(parts) == {"alarms", "searches"}:
            name, rate = "FPIR", float(parts["alarms"]) / float(parts["searches"])
        elif set(parts) <= {"FMR", "FPIR"} and len(parts) == 1:
            [(name, value)] = parts.items()
            rate = float(value)
        else:
            return at.replace(" ", ""), None
        if not 0.0 <= rate <= 1.0:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        problem = "expected a rate from 0 to 1, such as FPIR=0.001 or alarms=5,searches=10000"
        raise InputError(f"--at {at!r}: {problem}") from None
    return f"{name}={rate!r}", rate


def _point(mode: str, points: Sequence[Mapping[str, Any]], asked: str, source: str) -> Mapping[str, Any]:
    """The point of the evaluation that was asked for, by its operating point or by its measure."""
    measures = measure_set_of(mode)
    name, sign, value = asked.partition("=")
    if sign and "@" not in asked and "(" not in asked:
        try:
            wanted = float(value)
        except ValueError:
            raise InputError(f"--at {asked!r}: {value!r} is not a number; expected such as FPIR=0.001") from None
        for point in points:
            at = measures.parse(point["at"]).spelling.at
            if isinstance(at, Mapping) and name in at and math.isclose(at[name], wanted, rel_tol=1e-9):
                return point
        other = next(each for each in MODES if each != mode)
        if name == ERRORS[other]:
            what, command = NEEDS[name]
            usual = USUAL[other].format(rate=wanted)
            raise InputError(f"{source}: {name} is an error of {what}; evaluate with bertillon {command} -m {usual!r}")
        usual = USUAL[mode].format(rate=wanted) if name == ERRORS[mode] else f"{_other(mode, name)}@{asked}"
        have = ", ".join(point["at"] for point in points) or "none"
        raise InputError(f"{source}: no threshold was found at {asked}; evaluate with -m {usual!r}; it has: {have}")
    canonical = str(measures.parse(asked))
    found = next((point for point in points if point["at"] == canonical), None)
    if found is None:
        raise InputError(unknown(f"{source}: a measure with a threshold,", asked, [point["at"] for point in points]))
    return found


def _require_known(point: Mapping[str, Any], source: str) -> None:
    """Comparisons that were counted and not kept know both rates only at thresholds that were named beforehand."""
    unknown_rates = all(row["value"] is None and row["name"] in ("FMR", "FNMR") for row in point["rates"])
    if unknown_rates and "@t=" not in point["at"]:
        named = " ".join(f"-m {row['name']}@t={point['threshold']!r}" for row in point["rates"])
        problem = f"{source}: the comparisons were counted, and their rates at this threshold were not kept"
        raise InputError(f"{problem}; evaluate again with {named}, then choose --at t={point['threshold']!r}")


def _other(mode: str, name: str) -> str:
    """A rate of the mode that can be asked for at another."""
    first, second = ("FMR", "FNMR") if mode == "verification" else ("FPIR", "FNIR")
    return second if name in (first, "t") else first


def _fusion(fusion: str, source: str) -> str:
    if fusion not in FUSIONS:
        raise InputError(unknown(f"{source}: fusion", fusion, FUSIONS))
    return fusion


def _closed_set(held: Mapping[str, Any], source: str) -> dict[str, MeasuredRate]:
    rows = [row for row in held["measures"] if row["name"] in ("RR", "CMS@1") and row.get("interval")]
    return {"RR": MeasuredRate.of(rows[0], source)} if rows and held["mode"] == "identification" else {}


def _reliability(found: Mapping[str, Any]) -> Reliability:
    try:
        made = Reliability(str(found["kind"]), float(found["threshold"]))
    except (KeyError, TypeError, ValueError):
        raise InputError("reliability: expected kind and threshold, as 'bertillon reliability --json' writes") from None
    if made.kind != RELATIVE_DISTANCE:
        raise InputError(
            f"reliability: the threshold is for {made.kind}, and a gallery computes {RELATIVE_DISTANCE}; run "
            f"'bertillon reliability' with --phi {RELATIVE_DISTANCE}"
        )
    return made


def _sized(policy: Policy, tested: int | None, sizes: Mapping[str, Any] | None, source: str) -> Policy:
    """The policy for the size asked for, at which FPIR must have been measured."""
    if policy.gallery_size is None or tested is None:
        if sizes or policy.gallery_size is not None:
            raise InputError("the errors of claims do not depend on the gallery's size; leave its size out")
        return policy
    if policy.gallery_size < 1:
        raise InputError(f"--gallery-size is {policy.gallery_size}; expected 1 or more people")
    curve = None if sizes is None else _curve(sizes, policy)
    at_size = None if curve is None else curve.at(policy.gallery_size)
    if policy.gallery_size > tested and at_size is None:
        raise InputError(
            f"{source}: {tested:,} people were enrolled, and FPIR was not measured with {policy.gallery_size:,}; "
            "enrol so many in the evaluation, give FPIR over gallery sizes (--sizes FILE), or ask for no more"
        )
    if policy.gallery_size > tested and at_size is not None:
        value, low, high = at_size
        rate = MeasuredRate(value, low, high, policy.rates["FPIR"].level, method="measured over gallery sizes")
        policy = replace(policy, rates={**policy.rates, "FPIR": rate})
    return replace(policy, sizes=curve)


def _curve_in(held: Mapping[str, Any], threshold: float) -> Mapping[str, Any] | None:
    """FPIR over gallery sizes at the policy's threshold, where the evaluation measured it too (`--at-threshold`)."""
    curves = [curve for finding in held.get("findings", ()) for curve in finding.get("measured") or ()]
    near = (curve for curve in curves if math.isclose(curve["threshold"], threshold, rel_tol=SAME))
    return next(near, None)


def _curve(sizes: Mapping[str, Any], policy: Policy) -> GallerySizes:
    try:
        threshold = float(sizes["threshold"])
        columns = {name: tuple(map(float, sizes[name])) for name in ("fpir", "low", "high")}
        curve = GallerySizes(tuple(map(int, sizes["sizes"])), **columns)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("--sizes: expected an object with threshold, sizes, fpir, low and high") from None
    if not math.isclose(threshold, policy.threshold, rel_tol=SAME):
        problem = f"--sizes: was measured at the threshold {threshold:g}, and the policy has {policy.threshold:g}"
        raise InputError(f"{problem}; measure it at that of the policy")
    return curve
