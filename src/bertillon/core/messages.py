"""Sentences as values: a key with what varies, put into words last.

Conventions: a `Message` is what the library says: a verdict, a warning, a note, a reason. It holds no words, only a key
and named values. The words stand in catalogues, which are data: `catalogues/LANGUAGE/TOPIC.toml`, where the topic is
the key up to its first point; a topic is loaded when one of its keys is first put into words. Each key stands in every
language with the same values in braces. `str(message)` is its English.

A value in braces is shown by its type: whole numbers with thousands set apart, messages in the same language, several
values as a list, text as it is. A fraction needs a format, `{t:.3g}`; `{rate:pct.3g}` is in percent, `{p:p}` is a p
value, `{year:d}` a whole number without separators. A sentence that depends on a number is a table of `one` and
`other`, chosen by the value `n`.

What a person reads on the terminal and in figures is put into words by `spoken`, in English unless it is asked for
within `speaking`. JSON and CSV never ask it.

Other packages bring words of their own (`register_catalogue`, see docs/extend.md).

Ids, labels, names of files and messages about them may hold anything, and a terminal obeys control characters: they
move the cursor, change the title, hide or replace what was printed. Marks of writing direction make a text look like
another. What cannot be seen is written as in JSON by `visible`, `\\u001b`, so that JSON on a terminal stays the same
document; line ends and tabs are kept.

Holds `Message`, `Text`, `say`, `joined`, `chained`, `sentences`, `abridged`, `both_named`, `text_of`,
`record`, `stored` with `restored`, `LANGUAGES`, `Catalogue`, `catalogue`, `speaking`, `spoken`, `visible` and
`register_catalogue`.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from bertillon.core.errors import InputError
from bertillon.core.lazy import Registry

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

LANGUAGES = ("en", "it", "es", "zh")
_OURS = Path(__file__).with_name("catalogues")
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
_DIRECTIONS = [0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]  # and ends of lines
_HIDDEN = {code: f"\\u{code:04x}" for code in (*_CONTROLS, *_DIRECTIONS) if chr(code) not in "\n\t"}
Value = Any  # text, a number, a Message, or a sequence of these
Sentence = str | Mapping[str, str]  # a template, or one for a number of one and one for all others


@dataclass(frozen=True, slots=True)
class Message:
    """One thing to be said: a key of the catalogues, what varies, and which measures or systems it is about."""

    key: str
    items: tuple[tuple[str, Value], ...] = ()
    about: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, Value]:
        """What varies, by name."""
        return dict(self.items)

    def on(self, *about: str) -> Message:
        """The same message about these measures or systems."""
        return replace(self, about=about)

    def __str__(self) -> str:
        return catalogue("en").text(self)


Text = Message | str  # a message, or words of others that are shown as they are


def say(key: str, /, *, about: Sequence[str] = (), **values: Value) -> Message:
    """A message; sequences among its values are kept as tuples, so that messages can be compared and counted.

    >>> str(say("list.and", first=["EER", "AUC"], second="d'"))
    "EER, AUC and d'"
    """
    items = ((name, tuple(v) if isinstance(v, list) else v) for name, v in values.items())
    return Message(key, tuple(items), tuple(about))


def joined(values: Sequence[Value]) -> Value:
    """Several values as one that reads `a, b and c`; a single one as it is.

    >>> str(joined(["a", "b", "c"]))
    'a, b and c'
    """
    if len(values) < 2:
        return values[0] if values else ""
    return say("list.and", first=tuple(values[:-1]), second=values[-1])


def sentences(first: Message, *others: Message) -> Message:
    """Sentences one after the other, as each language sets them apart.

    >>> str(sentences(say("list.one", value="Stop."), say("list.one", value="Go.")))
    'Stop. Go.'
    """
    whole: Message = _in_turn("list.sentences", [first, *others])
    return whole


def abridged(names: Sequence[Value], keep: int = 3) -> Message:
    """Names as a list; of many the first few, and how many more there are.

    >>> str(abridged(["a", "b"])), str(abridged(["a", "b", "c", "d", "e"]))
    ('a, b', 'a, b, c and 2 more')
    """
    if len(names) <= keep:
        return say("list.all", names=tuple(names))
    return say("list.more", names=tuple(names[:keep]), more=len(names) - keep)


def both_named(first: Text, second: Text, keep: int = 3) -> Text:
    """One message for two of a kind, whose `names` are `abridged`: with the names of both.

    >>> few = [say("warning.parts_empty", n=2, parts=9, names=abridged(names)) for names in (["a", "b"], ["c", "d"])]
    >>> str(both_named(*few).values["names"])
    'a, b, c and 1 more'
    """
    assert isinstance(first, Message)
    assert isinstance(second, Message)
    lists = [message.values["names"].values for message in (first, second)]
    names = tuple(name for each in lists for name in each["names"])
    left = len(names[keep:]) + sum(each.get("more", 0) for each in lists)
    listed = say("list.more", names=names[:keep], more=left) if left else say("list.all", names=names)
    return replace(first, items=tuple((key, listed if key == "names" else value) for key, value in first.items))


def chained(values: Sequence[Value]) -> Value:
    """Several phrases as one that reads `a; b; c`; a single one as it is.

    >>> str(chained(["a", "b", "c"]))
    'a; b; c'
    """
    return _in_turn("list.then", values) if values else ""


def _in_turn(key: str, values: Sequence[Value]) -> Value:
    """Each put after all before it, half after half: of many, messages within messages would go too deep."""
    if len(values) == 1:
        return values[0]
    middle = (len(values) + 1) // 2
    return say(key, first=_in_turn(key, values[:middle]), second=_in_turn(key, values[middle:]))


def text_of(text: Text | None) -> str | None:
    """A message in English, for files that are the same in every language; None stays None."""
    return None if text is None else str(text)


def record(value: Value) -> Value:
    """A dataclass as a dict, whatever it holds likewise; messages as English text."""
    if isinstance(value, Message):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: record(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: record(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(record(item) for item in value)
    return value


def stored(value: Value) -> Value:
    """A message, or a value of one, as JSON keeps it, to be said in any language later; `restored` reads it."""
    if isinstance(value, Message):
        return {"key": value.key, "values": {name: stored(item) for name, item in value.items}}
    if isinstance(value, tuple | list):
        return [stored(item) for item in value]
    return value.item() if hasattr(value, "item") else value


def restored(value: Value) -> Value:
    """What `stored` kept; a key that is not known raises `LookupError`.

    >>> restored(stored(say("list.all", names=["a", "b"]))) == say("list.all", names=["a", "b"])
    True
    """
    if isinstance(value, dict):
        message = say(value["key"], **{name: restored(item) for name, item in value["values"].items()})
        str(message)  # refused here where it could not be said
        return message
    return tuple(restored(item) for item in value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The words of one language."""

    lang: str

    def text(self, message: Message | str) -> str:
        """A message in this language; text is given back as it is."""
        return message if isinstance(message, str) else self(message.key, **message.values)

    def __call__(self, key: str, /, **values: Value) -> str:
        """The sentence of this key in this language, with its values filled in."""
        sentence = self.sentence(key)
        if not isinstance(sentence, str):
            sentence = sentence["one" if values.get("n") == 1 else "other"]
        return _Filler(self).vformat(sentence, (), values)

    def has(self, key: str) -> bool:
        """Is there such a key?"""
        return key in _topic(self.lang, key.partition(".")[0])

    def sentence(self, key: str) -> Sentence:
        """What stands in the catalogue, its values still in braces."""
        try:
            return _topic(self.lang, key.partition(".")[0])[key]
        except KeyError:
            raise LookupError(f"message {key!r} is not in the {self.lang!r} catalogue") from None

    def after(self, prefix: str) -> dict[str, str]:
        """All sentences whose keys begin with a prefix, by the rest of the key."""
        topic = _topic(self.lang, prefix.partition(".")[0])
        return {key.removeprefix(prefix): str(sentence) for key, sentence in topic.items() if key.startswith(prefix)}


@cache
def catalogue(lang: str) -> Catalogue:
    """The words of a language."""
    if lang not in LANGUAGES:
        raise InputError(f"language {lang!r} is not known; expected one of {', '.join(LANGUAGES)}")
    return Catalogue(lang)


_LANGUAGE: ContextVar[str] = ContextVar("language", default=LANGUAGES[0])


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Within it, the terminal and figures speak this language.

    >>> with speaking("it"):
    ...     spoken(say("page.threshold"))
    'soglia'
    """
    token = _LANGUAGE.set(catalogue(lang).lang)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def spoken(text: Text) -> str:
    """A message in the language that is spoken; words of others as they are."""
    return catalogue(_LANGUAGE.get()).text(text)


def visible(text: str) -> str:
    r"""The text, with what would act on a terminal written out.

    >>> visible("a\x1b[2Jb"), visible("Zoë\n")
    ('a\\u001b[2Jb', 'Zoë\n')
    """
    return text.translate(_HIDDEN)


def rounded_share(share: float, digits: int = 2) -> float:
    """A share to so many digits of itself, or of what it leaves of the whole: 99.67 % is never shown as all.

    >>> rounded_share(0.03456), rounded_share(0.9967), rounded_share(1.0)
    (0.035, 0.9967, 1.0)
    """
    nearest = min(share, 1.0 - share)
    return round(share, digits - 1 - math.floor(math.log10(nearest))) if nearest > 0.0 else share


@cache
def topics() -> tuple[str, ...]:
    """The topics of the catalogues."""
    return tuple(sorted(file.stem for file in (_OURS / "en").glob("*.toml")))


CATALOGUES: Registry[Traversable] = Registry("catalogue", "bertillon.catalogues")


def register_catalogue(topic: str, folder: Traversable) -> None:
    """Make the words of another package known: `folder/LANGUAGE/TOPIC.toml`, for keys that begin with the topic.

    A language that the package does not speak is answered in its English.
    """
    if topic in topics():
        raise ValueError(f"the topic {topic!r} of messages is one of bertillon's own; choose another")
    CATALOGUES.add(topic, folder, topic)
    _topic.cache_clear()


@cache
def _topic(lang: str, topic: str) -> Mapping[str, Sentence]:
    file: Traversable = _OURS / lang / f"{topic}.toml"
    if topic not in topics():
        if topic not in CATALOGUES:
            return {}
        spoken_there = [CATALOGUES[topic] / each / f"{topic}.toml" for each in (lang, LANGUAGES[0])]
        file = next((there for there in spoken_there if there.is_file()), spoken_there[0])
    return {f"{topic}.{key}": sentence for key, sentence in tomllib.loads(file.read_text(encoding="utf-8")).items()}


class _Filler(Formatter):
    """Puts values into a sentence as one language writes them."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def format_field(self, value: Value, spec: str) -> str:
        if isinstance(value, Message):
            return self._catalogue.text(value)
        if isinstance(value, tuple | list):
            return self._catalogue("list.separator").join(self.format_field(item, spec) for item in value)
        if isinstance(value, str):
            return value
        return self._number(value, spec)

    def _number(self, value: float, spec: str) -> str:
        if spec == "d":
            return f"{value:d}"
        if spec == "p":
            return f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}".replace("e-0", "e-")
        if spec.startswith("pct"):
            spec = spec.removeprefix("pct")
            if 0.0 < value < 1.0 and float(format(value * 100.0, spec)) in (0.0, 100.0):
                value, spec = rounded_share(value), ".15g"
            value *= 100.0
        return format(value, spec or ",").replace(",", self._catalogue("list.thousands"))
