"""What every matcher is: templates in, a block of scores out, its direction declared; and the matchers by name.

Conventions: `prepare` does once what is to be done once a template (normalising, packing), `block` compares every
probe (row) with every gallery template (column). Templates of float32, float16 or int8 give scores of float32, all
others of float64. A comparison that cannot be made is NaN, a failed comparison, and the notes count its causes. Any
Python function of two templates is a matcher too: it is called once for every pair, by one thread at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, TemplateTable
from bertillon.core.arguments import require
from bertillon.core.errors import unknown
from bertillon.core.lazy import Registry
from bertillon.core.messages import Message, Text, say
from bertillon.engine.jobs import digest_of
from bertillon.io.templates.assemble import KINDS, check

Array = NDArray[Any]
Function = Callable[[Array, Array], Any]
MATCHERS: Registry[type[Matcher]] = Registry("matcher", "bertillon.matchers")
_CALL_LOCK = Lock()  # comparisons may be counted on several threads, and a function may know nothing of that


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Templates made ready for one matcher; a slice of it is a slice of the templates."""

    rows: Mapping[str, Array]  # one entry a template along the first axis
    width: int  # how long a template is, or how many axes it has; the same in probes and gallery
    dtype: np.dtype[Any]  # of the scores
    shared: Mapping[str, Any] = field(default_factory=dict)  # what belongs to no single template
    notes: tuple[Text, ...] = ()
    gallery_notes: tuple[Text, ...] = ()  # what is to be said only where these templates are the gallery

    def __len__(self) -> int:
        return len(next(iter(self.rows.values())))

    def __getitem__(self, part: slice | Array) -> Prepared:
        return replace(self, rows={name: values[part] for name, values in self.rows.items()})

    def take(self, rows: Array) -> Prepared:
        return self[rows]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Taken over from another process, at an address that products can work from without a copy each time."""
        for own, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, own.name, value)
        aligned = {name: np.require(values, requirements="A") for name, values in self.rows.items()}
        object.__setattr__(self, "rows", aligned)

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(getattr(self, own.name) for own in fields(self))


class Matcher(ABC):
    """Compares templates; `rule` says whether it answers with a similarity or a distance."""

    name: str
    rule: AcceptRule
    kinds: tuple[str, ...]  # of templates it takes
    width_word: str = "numbers"  # what is counted in the width of a template
    ends: tuple[float, float] | None = None  # of scores, where rounding may carry them a little beyond
    threaded: bool = True  # blocks may run on threads; False where the linear algebra library has threads of its own

    @property
    def words(self) -> str:
        """The name, and the options that are not the usual ones.

        >>> from bertillon.matching import matcher
        >>> matcher("dtw", band=0.1).words, matcher("cosine").words
        ('dtw (band=0.1)', 'cosine')
        """
        if not is_dataclass(self):
            return self.name
        options = [own for own in fields(self) if own.repr and own.name not in ("name", "rule", "kinds")]
        values = [(own.name, getattr(self, own.name), own.default) for own in options]
        unusual = [(name, value) for name, value, usual in values if isinstance(value, np.ndarray) or value != usual]
        shown = ", ".join(f"{name}={_short(value)}" for name, value in unusual)
        return f"{self.name} ({shown})" if shown else self.name

    @property
    def symmetric(self) -> bool:
        """Whether the two templates may change places without changing the score."""
        return True

    def prepare(self, templates: TemplateTable) -> Prepared:
        """The templates made ready, checked on the way."""
        if templates.kind not in self.kinds:
            takes = " or ".join(self.kinds)
            raise InputError(
                f"{templates.source}: {self.name} compares templates of kind {takes}, and these are of kind "
                f"{templates.kind}; choose another matcher, or state what they are with --kind"
            )
        check(templates)
        return self._prepare(templates)

    def block(self, probes: Prepared, gallery: Prepared) -> Array:
        """Scores of every probe (row) against every gallery template (column)."""
        scores = self.raw_block(probes, gallery)
        return scores if self.ends is None else np.asarray(np.clip(scores, *self.ends, out=scores))

    def raw_block(self, probes: Prepared, gallery: Prepared) -> Array:
        """The same before scores beyond the `ends` are put there, for those who do it while they look at each."""
        if probes.width != gallery.width:
            raise InputError(
                f"{self.name}: a probe has {probes.width} and a gallery template {gallery.width} "
                f"{self.width_word}; both must have the same"
            )
        return self._compare(probes, gallery)

    @abstractmethod
    def _prepare(self, templates: TemplateTable) -> Prepared: ...

    @abstractmethod
    def _compare(self, probes: Prepared, gallery: Prepared) -> Array: ...


def _short(value: Any) -> str:
    """An option as it is typed; an array by its shape."""
    if isinstance(value, np.ndarray):
        return f"array of {' by '.join(map(str, value.shape))}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def floats(templates: TemplateTable) -> Array:
    """The templates as a matrix of floats: float32 where that holds them exactly, else float64."""
    values = np.asarray(templates.templates)
    return np.ascontiguousarray(values, dtype=float_type(values))


def float_type(values: Array) -> np.dtype[Any]:
    """The smallest type of scores that holds such templates exactly: float32 or float64."""
    small = values.dtype in (np.float32, np.float16, np.int8)
    return np.dtype(np.float32 if small else np.float64)


def digest_of_sides(probes: Prepared, gallery: Prepared, *owners: Array) -> str:
    """A short name of all templates and their owners, for checkpoints."""
    sides = [probes] if probes is gallery else [probes, gallery]
    parts = [values for side in sides for part in (side.rows, side.shared) for _, values in sorted(part.items())]
    return digest_of([*map(np.asarray, parts), *owners])


def empty_block(probes: Prepared, gallery: Prepared) -> Array:
    return np.empty((len(probes), len(gallery)), dtype=probes.dtype if probes.dtype == gallery.dtype else np.float64)


def counted(count: int, key: str) -> tuple[Message, ...]:
    """A note that so many templates are odd, or none at all."""
    return (say(f"matcher.{key}", n=count),) if count else ()


def register(*matchers: type[Matcher]) -> None:
    for kind in matchers:
        MATCHERS.add(kind.name, kind, kind.__module__)


def matcher(name: str, **options: Any) -> Matcher:
    """The matcher of that name with these options.

    Parameters
    ----------
    name
        Such as "cosine", "euclidean", "hamming", "dtw" or "minutiae".
    **options
        Those of the matcher.

    Returns
    -------
    Matcher
        Compares templates; it says whether it answers with a similarity or a distance.

    Examples
    --------
    >>> matcher("dtw", band=0.1).rule.value, matcher("cosine").rule.value
    ('distance', 'similarity')
    """
    require(name, str, "matcher", "its name, such as 'cosine'; a function becomes one with bt.matching.from_function")
    if name not in MATCHERS:
        raise InputError(unknown("matcher", name, MATCHERS))
    known = matcher_options(name)
    for option in options:
        if option not in known:
            has = unknown(f"matcher {name}: option", option, known) if known else f"matcher {name} has no options"
            raise InputError(has)
    return MATCHERS[name](**options)


def matcher_options(name: str) -> tuple[str, ...]:
    """The names of the options of a matcher.

    >>> matcher_options("hamming")
    ('shifts', 'rows', 'step')
    """
    return tuple(field.name for field in fields(MATCHERS[name]) if field.init)  # type: ignore[arg-type]


@dataclass(frozen=True)
class FromFunction(Matcher):
    """Compares templates by calling a function for each pair."""

    function: Function = field(repr=False)  # its address is another one in every run
    rule: AcceptRule
    name: str = "function"
    kinds: tuple[str, ...] = KINDS

    threaded = False

    @property
    def symmetric(self) -> bool:
        return False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        rows = np.arange(len(templates))
        return Prepared({"row": rows}, 0, np.dtype(np.float64), {"templates": templates.templates})

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        out = empty_block(probes, gallery)
        x, y = probes.shared["templates"], gallery.shared["templates"]
        with _CALL_LOCK:
            for i, probe in enumerate(probes.rows["row"]):
                for j, other in enumerate(gallery.rows["row"]):
                    out[i, j] = self._score(x[probe], y[other])
        return out

    def _score(self, probe: Array, other: Array) -> float:
        score = self.function(probe, other)
        try:
            return float("nan") if score is None else float(score)
        except (TypeError, ValueError) as error:
            raise InputError(f"matcher {self.name}: the function returned {score!r}; a number is expected") from error


def from_function(function: Function, *, rule: AcceptRule | str, name: str | None = None) -> FromFunction:
    """A matcher that calls `function(probe, reference)` for each pair.

    >>> from_function(lambda a, b: abs(a - b).max(), rule="distance", name="chebyshev").name
    'chebyshev'
    """
    return FromFunction(function, AcceptRule.of(rule), name or str(getattr(function, "__name__", "function")))
