"""What is handed to a gallery, checked before anything is written: names, templates, models and settings.

Conventions: a template is a row of finite numbers, not all zero, in single precision, where its length is finite too.
A name is a text of printable characters. The model that made templates is stated by their column `model`, one
fingerprint for all of them.

Holds `vectors_of`, `model_of`, `require_name`, `requested_by` and `settings_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import as_floats
from bertillon.core.errors import InputError
from bertillon.core.tables import TemplateTable
from bertillon.gallery.making import FUSIONS
from bertillon.gallery.policy import Policy, matcher_of
from bertillon.gallery.search import require_usable

Vectors = NDArray[np.float32]
LONGEST_NAME = 200
LEAST, MOST = 1e-30, 1e30  # sums of squares, far from where scores in single precision overflow or vanish


def settings_of(policies: Sequence[Policy], stated: dict[str, str | None]) -> dict[str, str]:
    """Matcher, fusion and model, from the policies or as stated; what disagrees is refused."""
    settings: dict[str, str] = {}
    for what, default in (("matcher", None), ("fusion", FUSIONS[0]), ("model", "")):
        values = list(dict.fromkeys(getattr(policy, what) for policy in policies))
        values += [stated[what]] if stated[what] not in (None, *values) else []
        if len(values) > 1:
            raise InputError(
                f"{what}: {' and '.join(repr(value) for value in values)} are stated; expected one of them"
            )
        if not values and default is None:
            raise InputError("a gallery needs a policy, or a matcher until there is one (--matcher euclidean)")
        settings[what] = str(values[0] if values else default)
    if settings["fusion"] not in FUSIONS:
        raise InputError(f"fusion is {settings['fusion']!r}; expected {', '.join(FUSIONS)}")
    require_usable(matcher_of(settings["matcher"]))
    return settings


def model_of(templates: TemplateTable) -> str:
    """The model that made the templates, from their column `model`; nothing where none is stated."""
    if templates.model:
        return templates.model
    if templates.metadata is None or "model" not in templates.metadata.columns:
        return ""
    models: Iterable[Any] = templates.metadata["model"].unique().to_list()
    found = sorted({str(model) for model in models})
    if len(found) > 1:
        raise InputError(
            f"{templates.source}: holds templates of {len(found)} models ({', '.join(found)}); expected one"
        )
    return found[0] if found else ""


def require_name(person: object, what: str = "a person") -> None:
    """Refuse what nobody can be called."""
    if not isinstance(person, str) or not person or len(person) > LONGEST_NAME or not person.isprintable():
        problem = f"{what} is called {person!r}"
        raise InputError(f"{problem}; expected a name of 1 to {LONGEST_NAME} printable characters")


def requested_by(by: str | None) -> dict[str, str]:
    """Whose request it is, as a line of the log says it; nothing where nobody is named."""
    if by is None:
        return {}
    require_name(by, "who asks")
    return {"by": by}


def vectors_of(templates: ArrayLike, what: str) -> Vectors:
    """Templates as rows in single precision; what is no template is refused."""
    values = np.atleast_2d(np.asarray(as_floats(templates, f"templates of {what}", "one template, or one per row")))
    if values.ndim != 2 or not values.size:
        raise InputError(f"templates of {what} have shape {values.shape}; expected one template, or one per row")
    with np.errstate(over="ignore"):
        vectors: Vectors = np.ascontiguousarray(values, dtype=np.float32)
        squares = np.einsum("ij,ij->i", vectors, vectors)
    faults = {
        "numbers that are not finite": ~np.isfinite(vectors).all(axis=1),
        "only zeros": ~vectors.any(axis=1),
        "numbers too large or too small to compare": ~((squares >= LEAST) & (squares <= MOST)),
    }
    for fault, rows in faults.items():
        if rows.any():
            place = f" (the first is number {int(np.argmax(rows)) + 1})" if len(vectors) > 1 else ""
            found = f"{int(rows.sum()):,} of {len(vectors):,} templates hold {fault}{place}"
            raise InputError(f"{what}: {found}; take the sample again")
    return vectors
