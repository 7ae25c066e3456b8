"""How a measure is written: Name[variant](option=1,other=2)@place=0.001,k=5.

Holds `Spelling`, which reads and writes that line and knows nothing of what any name means, and what families ask of
one to build a measure: `reject_extras`, `reject_all_but_name`, `one_of` and `variant_of`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bertillon.core.errors import InputError

_FORM = re.compile(
    r"""^\s*(?P<name>[A-Za-z][\w'-]*)
    (?:\[(?P<variant>[\w-]+)\])?
    (?:\((?P<options>[^()]*)\))?
    (?:@(?P<at>.+))?\s*$""",
    re.VERBOSE,
)
_HELP = "expected Name, Name[variant], Name(option=1) or Name@place=0.001, as in FNMR@FMR=0.001"
_NUMBERS = "numbers are written 0.01, not 1% and not 0,01"
BARE = ""  # the key of a place given without a name, as in CMS@5


@dataclass(frozen=True, slots=True)
class Spelling:
    """The parts of a measure's name."""

    name: str
    variant: str = ""
    options: Mapping[str, float] = field(default_factory=dict)
    at: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Spelling:
        """The parts of a spelling.

        >>> Spelling.read("FNMR@FMR=1e-3").at
        {'FMR': 0.001}
        """
        match = _FORM.match(text)
        if not match:
            raise InputError(f"cannot read the measure {text!r}: {_HELP}")
        return cls(
            match["name"],
            match["variant"] or "",
            _pairs(match["options"], text),
            _pairs(match["at"], text),
        )

    def __str__(self) -> str:
        variant = f"[{self.variant}]" if self.variant else ""
        options = f"({_join(self.options)})" if self.options else ""
        at = f"@{_join(self.at)}" if self.at else ""
        return f"{self.name}{variant}{options}{at}"


def number(value: float) -> str:
    """The shortest decimal that reads back as the same number.

    >>> number(0.001), number(1e-05), number(5.0)
    ('0.001', '1e-5', '5')
    """
    text = repr(float(value)).removesuffix(".0")
    if "e" not in text:
        return text
    return re.sub(r"e([+-])0*(\d)", lambda m: "e" + m[1].replace("+", "") + m[2], text)


def reject_extras(spelling: Spelling, *, options: Sequence[str] = (), at: Sequence[str] = ()) -> None:
    """Options and places the measure does not know are an error, never ignored."""
    for kind, written, known in (("option", spelling.options, options), ("place", spelling.at, at)):
        strange = [key for key in written if key not in known]
        if strange:
            expected = ", ".join(known) if known else "none"
            raise InputError(f"{spelling}: {kind} {strange[0] or 'without a name'!r} is not known; expected {expected}")


def reject_all_but_name(spelling: Spelling) -> None:
    """A measure that is its name alone: a variant, an option or a place is an error."""
    reject_extras(spelling)
    one_of(spelling, ("plain",))


def one_of(spelling: Spelling, variants: Sequence[str]) -> str:
    """The spelling's variant, the first one where none is given."""
    if not spelling.variant:
        return variants[0]
    if spelling.variant.lower() not in variants:
        raise InputError(f"{spelling}: variant {spelling.variant!r} is not known; expected {', '.join(variants)}")
    return spelling.variant.lower()


def variant_of(spelling: Spelling, variants: Sequence[str]) -> str:
    """The spelling's variant, "" for the first (the plain one)."""
    variant = one_of(spelling, variants)
    return "" if variant == variants[0] else variant


def _pairs(text: str | None, whole: str) -> dict[str, float]:
    pairs: dict[str, float] = {}
    for item in text.split(",") if text and text.strip() else ():
        key, _, value = item.rpartition("=")
        if pairs and not key.strip():  # FMR=0,01 would be FMR=0 and a 1 without a name
            raise InputError(f"cannot read {item.strip()!r} in the measure {whole!r}: {_HELP}; {_NUMBERS}")
        if key.strip() in pairs:
            raise InputError(f"{key.strip()!r} is given twice in the measure {whole!r}: {_HELP}")
        try:
            pairs[key.strip()] = float(value)
        except ValueError:
            hint = f"; {_NUMBERS}" if re.search(r"\d\s*%", value) else ""
            raise InputError(f"cannot read {item.strip()!r} in the measure {whole!r}: {_HELP}{hint}") from None
    return pairs


def _join(pairs: Mapping[str, float]) -> str:
    return ",".join(f"{key}={number(value)}" if key else number(value) for key, value in pairs.items())
