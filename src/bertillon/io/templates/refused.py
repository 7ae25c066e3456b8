"""What is recognised among templates in order to say why it is not read.

Holds the template formats `pickle` and `fmr`.
"""

from __future__ import annotations

from bertillon.io import pickles
from bertillon.io.head import Head
from bertillon.io.templates import fmr
from bertillon.io.templates.registry import TemplateFormat, register


def fits_record(head: Head) -> bool:
    return head.raw.startswith(fmr.MAGIC)


PICKLE = TemplateFormat(
    "pickle",
    "pickled objects, refused",
    0,
    pickles.fits,
    refusal="is a pickle, which can run code and is refused; save the templates as .npy, .npz or Parquet",
)
RECORD = TemplateFormat(
    "fmr",
    "one ISO/IEC 19794-2 record, read from a folder of them",
    0,
    fits_record,
    refusal="is one minutiae record; give the folder that holds it and the others",
)

register(PICKLE, RECORD)
