"""`bertillon extract`: templates of photos."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option
from bertillon.cli.outputs import Bar
from bertillon.cli.rooms import extraction
from bertillon.core import InputError, say


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which network makes templates, and of which photos."""

    model: str = option(
        default="dlib",
        metavar="NAME",
        help="dlib (the extra face), or package.module:function: takes a photo, returns a vector or None.",
    )
    resize: str | None = option(metavar="WIDTHxHEIGHT", help="Resize photos to this size first (bicubic).")


def extract(
    photos: Annotated[Path, argument("PHOTOS", "A folder person/photo, or a table with columns path and subject.")],
    target: Annotated[options.Target, options.reworded(output="Archive of templates to write (.npz).")],
    network: ModelOptions,
    templates: Annotated[options.TemplateInput, only("labels", "subject_pattern")],
    job: Annotated[options.JobOptions, only("checkpoint")],
    outputs: Annotated[options.OutputOptions, only("json", "report", "lang")],
) -> None:
    """Extract templates from photos; report photos that failed, and the quality of the others.

    Example: bertillon extract photos -o faces.npz
    """
    outputs.require_report()
    if target.output.suffix.lower() != ".npz":
        raise InputError(f"--output {target.output}: templates are written as .npz; name a file such as faces.npz")
    how: dict[str, Any] = {
        "labels": templates.labels,
        "subject_pattern": templates.subject_pattern,
        "resize": network.resize,
    }
    with Bar() as bar:
        found = extraction.extract(photos, network.model, checkpoint=job.checkpoint, progress=bar, **how)
    found.write(target.output)
    matcher = " --matcher euclidean" if network.model == "dlib" else ""
    test = f"bertillon identify {shlex.quote(str(target.output))}{matcher} --leave-out 0.25"
    out.deliver(outputs, found, more=lambda: [say("terminal.written", file=str(target.output))], further=(test,))
