"""How option values are read: lists of name=number, column roles, meanings of labels."""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.core.errors import InputError


def numbers(text: str, option: str, names: Sequence[str]) -> dict[str, float]:
    """Read `fa=500,fr=2` into named numbers; unknown names are an error.

    >>> numbers("fa=500,fr=2", "--cost", ["fa", "fr"])
    {'fa': 500.0, 'fr': 2.0}
    """
    expected = ",".join(f"{name}=NUMBER" for name in names)
    values: dict[str, float] = {}
    for item in text.split(","):
        name, separator, value = (part.strip() for part in item.partition("="))
        if not separator or name not in names:
            raise InputError(f"{option}: cannot read {item!r}; expected {expected}")
        try:
            values[name] = float(value)
        except ValueError:
            raise InputError(f"{option}: {value!r} is not a number; expected {expected}") from None
    return values


def columns(texts: Sequence[str]) -> dict[str, str] | None:
    """Read `score=llr` pairs into roles and column names."""
    pairs: dict[str, str] = {}
    for text in texts:
        role, separator, name = text.partition("=")
        if not separator or not name:
            raise InputError(f"--column: cannot read {text!r}; expected ROLE=NAME, such as score=llr or label=target")
        if pairs.setdefault(role.strip(), name) != name:
            raise InputError(
                f"--column: {role.strip()} is said to be {pairs[role.strip()]!r} and {name!r}; say it once"
            )
    return pairs or None


def label_values(text: str | None) -> dict[str, str] | None:
    """Read `mated=target,attack=spoof` into what each value of a label column means.

    >>> label_values("mated=target,nonmated=nontarget")
    {'target': 'mated', 'nontarget': 'nonmated'}
    """
    from bertillon.io.labels import label_values as meanings

    if text is None:
        return None
    pairs = [item.partition("=") for item in text.split(",")]
    for item, (role, _, value) in zip(text.split(","), pairs, strict=True):
        if not role.strip() or not value.strip():
            raise InputError(
                f"--values: cannot read {item!r}; expected MEANING=VALUE, as in mated=target,nonmated=nontarget"
            )
    return meanings((role.strip(), value.strip()) for role, _, value in pairs)
