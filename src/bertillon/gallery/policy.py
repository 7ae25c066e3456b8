"""The policy of a gallery: the matcher, the threshold, and the errors that were measured for them. No decision without.

    claims       FMR and FNMR at the threshold, from an evaluation of comparisons (`bertillon verify`)
    searches     FPIR and FNIR at the threshold with so many people enrolled, from one of searches (`bertillon
                 identify`);
                 where it was measured the recognition rate of closed sets, and FPIR over sizes of the gallery

Conventions: a policy is made of what an evaluation of templates wrote as JSON, and of nothing else: a threshold that
was not evaluated there cannot be chosen. It is one JSON object that is signed as a whole, by the gallery's key
(HMAC-SHA256) or by a laboratory's (Ed25519); what is signed is the object written with sorted keys and without
blanks. Beyond the size a policy is for the gallery goes on and says so with every answer; a rate measured for more
people is a bound for fewer.

Holds `GalleryFinding`; `Policy` with its `MeasuredRate`s, `GallerySizes`, `Reliability` and `Signature`; `read_policy`
and `write_policy`. `policy_from` of `making` makes one of an evaluation.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import Finding
from bertillon.gallery import sealing
from bertillon.gallery.sealing import Key
from bertillon.matching import Matcher, matcher

VERSION = 1
MODES = ("verification", "identification")
RATES = ("FMR", "FNMR", "FPIR", "FNIR", "RR")
ERRORS = {"verification": "FMR", "identification": "FPIR"}  # that of strangers
HMAC, ED25519 = "hmac-sha256", "ed25519"


class GalleryFinding(Finding):
    """A finding of this room, which stands above the views: its own view is in `showing`."""

    __slots__ = ()
    shown_in: ClassVar[str] = "bertillon.gallery.showing"


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """A rate of a test, with its interval."""

    value: float
    low: float
    high: float
    level: float
    errors: int | None = None
    trials: int | None = None
    method: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any], where: str) -> Self:
        ends, value = row.get("interval"), row.get("value")
        if value is None or ends is None:
            problem = f"{where}: {row.get('name')} at this threshold has no {'value' if value is None else 'interval'}"
            raise InputError(f"{problem}; a policy needs both: evaluate with intervals, and with trials of both kinds")
        numbers = {name: row.get(name) for name in ("errors", "trials")}
        return cls(float(value), float(ends[0]), float(ends[1]), float(row["level"]), **numbers, method=row["method"])


@dataclass(frozen=True, slots=True)
class GallerySizes:
    """FPIR at the policy's threshold with so many people enrolled, as measured; sizes ascend."""

    sizes: tuple[int, ...]
    fpir: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        lengths = {len(self.sizes), len(self.fpir), len(self.low), len(self.high)}
        if len(lengths) > 1 or not self.sizes or list(self.sizes) != sorted(set(self.sizes)):
            raise InputError(
                "gallery sizes: expected ascending sizes, and for each FPIR with both ends of its interval"
            )

    def at(self, people: int) -> tuple[float, float, float] | None:
        """FPIR and its interval at the least measured size of so many people or more; None beyond the greatest."""
        for size, value, low, high in zip(self.sizes, self.fpir, self.low, self.high, strict=True):
            if size >= people:
                return value, low, high
        return None


@dataclass(frozen=True, slots=True)
class Reliability:
    """Which answers of a search are called reliable.

    Parameters
    ----------
    kind
        How phi is found; a gallery finds it by "relative-distance".
    threshold
        The phi fitted in a test; answers above it are reliable.
    """

    kind: str
    threshold: float


@dataclass(frozen=True, slots=True)
class Signature:
    """Who vouches for a policy.

    Parameters
    ----------
    kind
        "hmac-sha256" of a gallery, or "ed25519" of a laboratory.
    key
        The id of the gallery's key, or the public key of the laboratory.
    value
        The signature itself.
    """

    kind: str
    key: str
    value: str


@dataclass(frozen=True, repr=False)
class Policy(GalleryFinding):
    """A threshold and the errors measured for it.

    Parameters
    ----------
    mode
        "verification" for claims, "identification" for searches.
    at
        What was asked for, such as "FPIR=0.001".
    threshold, rule, matcher
        A score passes if it is on this side of the threshold; the matcher with its options, as it is written.
    fusion
        How the templates of a person become one score: best, mean or pooled.
    model
        The fingerprint of the model that made the templates.
    rates
        By name: FMR and FNMR, or FPIR, FNIR and, where it was measured, RR.
    gallery_size
        Of searches: for how many people enrolled; None of claims, whose errors do not depend on it.

    Examples
    --------
    >>> from bertillon.gallery import Policy, MeasuredRate
    >>> rate = MeasuredRate(0.001, 0.0005, 0.002, 0.95)
    >>> policy = Policy("verification", "FMR=0.001", 0.6, "distance", "euclidean", "best", "", {"FMR": rate}, None, "x")
    >>> policy.accepts(0.6), policy.accepts(0.61)
    (True, False)
    """

    mode: str
    at: str
    threshold: float
    rule: str
    matcher: str
    fusion: str
    model: str
    rates: Mapping[str, MeasuredRate]
    gallery_size: int | None
    data: str  # fingerprint of the test's data
    target: float | None = None  # the greatest rate that was asked for, where one was
    version: str = ""  # of bertillon, that of the evaluation
    made: str = ""
    sizes: GallerySizes | None = None
    reliability: Reliability | None = None
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # quantiles of the test's, by class
    signature: Signature | None = None

    def accepts(self, score: float) -> bool:
        """Does this score pass?"""
        return bool(AcceptRule.of(self.rule).accepts(score, self.threshold))

    @property
    def content(self) -> bytes:
        """What is signed."""
        plain = {name: value for name, value in asdict(self).items() if name != "signature"}
        return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()

    @cached_property
    def id(self) -> str:
        """A short name of it, another one whenever a digit of it is; not of the day it was made on."""
        return hashlib.sha256(replace(self, made="").content).hexdigest()[:12]

    @property
    def ordered_rates(self) -> dict[str, MeasuredRate]:
        """The rates, that of strangers first."""
        return {name: self.rates[name] for name in RATES if name in self.rates}

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What to know before using it."""
        name = ERRORS[self.mode]
        rate = self.rates[name]
        if self.target is not None and rate.high > self.target:
            return (
                say("gallery.policy.unresolved", name=name, target=self.target, high=rate.high, n=rate.trials or 0),
            )
        return ()

    def outgrown(self, people: int) -> Message | None:
        """What is to be said where more people are enrolled than it is for."""
        if self.gallery_size is None or people <= self.gallery_size:
            return None
        known = self.sizes.at(people) if self.sizes else None
        if known is not None:
            value, low, high = known
            return say("gallery.outgrown.known", n=people, size=self.gallery_size, value=value, low=low, high=high)
        return say("gallery.outgrown", n=people, size=self.gallery_size)

    def signed_by(self, key: Key) -> Policy:
        """The policy, vouched for by the gallery's key."""
        value = sealing.mark(key.derive("policy"), self.content).hex()
        return replace(self, signature=Signature(HMAC, key.id, value))

    def signed_by_laboratory(self, private_key: str | os.PathLike[str]) -> Policy:
        """The policy, vouched for by a laboratory's Ed25519 key in a PEM file."""
        value, public = sealing.sign(private_key, self.content)
        return replace(self, signature=Signature(ED25519, public, value))

    def require_signature(self, key: Key, *, laboratory: str | os.PathLike[str] | None = None) -> None:
        """Refuse a policy that nobody trusted vouches for, or of which a byte was changed afterwards."""
        signature = self.signature
        if signature is None:
            raise InputError(
                "the policy is not signed; make it with 'bertillon policy --key FILE' (or --laboratory FILE)"
            )
        if signature.kind == ED25519:
            if laboratory is None:
                who = f"the policy is signed by a laboratory, public key {signature.key}"
                raise InputError(f"{who}; say that it is trusted with its public key: --laboratory FILE.pem")
            if sealing.public_key(laboratory) != signature.key:
                raise InputError(f"the policy is signed by the key {signature.key}, which is not that of {laboratory}")
            right = sealing.is_signed(signature.key, signature.value, self.content)
        else:
            if signature.key != key.id:
                problem = f"the policy is signed by the gallery key {signature.key}, and the key given is {key.id}"
                raise InputError(f"{problem}; sign it with the key of this gallery")
            right = sealing.is_marked(key.derive("policy"), _bytes(signature.value), self.content)
        if not right:
            raise InputError("the policy was changed after it was signed: its signature does not fit; make it again")

    def to_dict(self) -> dict[str, Any]:
        """The policy as its file holds it."""
        held = asdict(self)
        signature = held.pop("signature")
        return {"bertillon_policy": VERSION, "id": self.id, "policy": held, "signature": signature}

    @classmethod
    def from_dict(cls, held: Any, source: str = "policy") -> Policy:
        """The policy of a file; its signature is checked where it is used."""
        if not isinstance(held, dict) or held.get("bertillon_policy") != VERSION:
            raise InputError(f"{source}: is no policy of version {VERSION}; make one with 'bertillon policy'")
        try:
            values = dict(held["policy"])
            values["rates"] = {name: MeasuredRate(**rate) for name, rate in values["rates"].items()}
            values["scores"] = {name: tuple(kept) for name, kept in values["scores"].items()}
            if sizes := values.get("sizes"):
                values["sizes"] = GallerySizes(**{name: tuple(column) for name, column in sizes.items()})
            if values.get("reliability"):
                values["reliability"] = Reliability(**values["reliability"])
            signature = Signature(**held["signature"]) if held["signature"] else None
            policy = cls(**values, signature=signature)
            AcceptRule.of(policy.rule)
            policy.content  # noqa: B018 - what cannot be written again was no policy
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{source}: is a policy with a fault in it ({error}); make it again") from None
        if policy.mode not in MODES or ERRORS[policy.mode] not in policy.rates:
            raise InputError(f"{source}: is a policy with a fault in it (mode {policy.mode!r}); make it again")
        return policy


def _bytes(digits: str) -> bytes:
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


def matcher_of(written: str) -> Matcher:
    """The matcher that is written so, with its options.

    >>> matcher_of("manhattan (scaled=True)"), matcher_of("cosine").name
    (Manhattan(scaled=True), 'cosine')
    """
    name, _, rest = written.partition(" (")
    options: dict[str, Any] = {}
    for item in filter(None, rest.removesuffix(")").split(", ")):
        option, _, value = item.partition("=")
        options[option] = {"True": True, "False": False}.get(value, value)
    return matcher(name, **options)


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """A policy from its file."""
    try:
        held = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{path}: is no policy: it is not JSON ({error})") from None
    policy = Policy.from_dict(held, str(path))
    if held.get("id") != policy.id:
        raise InputError(f"{path}: the policy was changed after it was made: its id does not fit; make it again")
    return policy


def write_policy(policy: Policy, path: str | os.PathLike[str]) -> None:
    """A policy as a file, written whole."""
    text = json.dumps(policy.to_dict(), indent=2, allow_nan=False) + "\n"
    write_whole(path, lambda file: file.write(text.encode()))
