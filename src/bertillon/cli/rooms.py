"""The rooms that commands use, each imported when a name of it is first used, so that `--help` loads no numbers.

Three have another name here: `formats` is the room `io`, `evaluating` the room `evaluation`, `galleries` `gallery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertillon.core.lazy import LazyPackage

__all__ = ["advice", "analysis", "core", "counting", "engine", "evaluating", "extraction", "formats", "galleries"]
__all__ += ["matching", "measures", "render", "stats", "trials", "views", "web"]

if TYPE_CHECKING:
    from bertillon import (
        advice,
        analysis,
        core,
        counting,
        engine,
        extraction,
        matching,
        measures,
        render,
        stats,
        trials,
        views,
        web,
    )
    from bertillon import evaluation as evaluating
    from bertillon import gallery as galleries
    from bertillon import io as formats
else:
    _NAMES = {"evaluating": "evaluation", "galleries": "gallery", "formats": "io"}
    globals().update({name: LazyPackage(f"bertillon.{_NAMES.get(name, name)}") for name in __all__})
