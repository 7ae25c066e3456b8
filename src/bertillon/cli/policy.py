"""`bertillon policy`: the errors that were measured for a threshold, as a policy that a gallery decides by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import only, option
from bertillon.cli.rooms import galleries
from bertillon.core import InputError, say

KEY = "Key"


def key_option() -> Any:
    """Where the key of a gallery is."""
    return option(help="Key file; by default that of BERTILLON_GALLERY_KEY_FILE, or BERTILLON_GALLERY_KEY.")


@dataclass(frozen=True, slots=True)
class KeyOption:
    """The key of the gallery."""

    PANEL: ClassVar[str] = KEY
    key: Path | None = key_option()


@dataclass(frozen=True, slots=True)
class LaboratoryOption:
    """Whose policies are trusted."""

    PANEL: ClassVar[str] = KEY
    laboratory: Path | None = option(help="Ed25519 key of a laboratory (PEM): private to sign, public to trust.")


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """Which evaluation, and which of its thresholds."""

    evaluation: Path = option("--from", required=True, help="JSON of 'bertillon identify' or 'verify' on templates.")
    at: str = option(
        required=True, metavar="POINT", help="FPIR=0.001, FMR=0.001, t=0.6, a measure, or alarms=5,searches=10000."
    )
    gallery_size: int | None = option(help="Number of people to be enrolled; by default as in the evaluation.")
    sizes: Path | None = option(help="FPIR by gallery size as JSON: threshold, sizes, fpir, low, high.")
    reliability: Path | None = option(help="JSON of 'bertillon reliability', for its threshold.")
    fusion: Literal["best", "mean", "pooled"] | None = option(
        help="How the scores of a person's templates are combined."
    )


def policy(
    wanted: PolicyOptions,
    key: KeyOption,
    laboratory: LaboratoryOption,
    target: options.Target,
    outputs: Annotated[options.OutputOptions, only("json", "report", "lang")],
) -> None:
    """Make a signed policy for a gallery from an evaluation: threshold and measured error rates.

    Example: bertillon policy --from evaluation.json --at FPIR=0.001 --key door.key -o door.policy.json
    """
    outputs.require_report()
    held = _json(wanted.evaluation)
    about = {"sizes": wanted.sizes, "reliability": wanted.reliability}
    made = galleries.policy_from(
        held,
        wanted.at,
        gallery_size=wanted.gallery_size,
        fusion=wanted.fusion,
        source=str(wanted.evaluation),
        **{name: None if path is None else _json(path) for name, path in about.items()},
    )
    if laboratory.laboratory is not None:
        made = made.signed_by_laboratory(laboratory.laboratory)
    else:
        made = made.signed_by(key_of(key))
    galleries.write_policy(made, target.output)
    out.deliver(outputs, made, more=lambda: [say("gallery.policy.written", file=str(target.output))])


def key_of(key: KeyOption) -> galleries.Key:
    """The key of an option, or of the environment."""
    return galleries.Key.read(key.key)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{path}: is not valid JSON ({error}); expected a file that --json has written") from None
