"""Templates from files: what a matcher compares, with its owner.

Conventions: a file or a folder is recognised by content. What was understood, the kind of template above all, is said
in the notes of the table; what is not understood raises `InputError`. A new format is one module, named in MODULES.

    .npy                  rows of numbers, with labels beside them
    .npz, HDF5, .mat      an array of templates and arrays of the same length for subject, sample, metadata
    Parquet               a column of lists of numbers, or a column a feature
    CSV, TSV              a column a feature
    Kaldi                 archives (.ark, text and binary) and tables of places in them (.scp), with utt2spk
    a folder              one file per template: series, minutiae as text, ISO/IEC 19794-2 records and cards, .npy
"""

from __future__ import annotations

from importlib import import_module

from bertillon.io.registry import TEMPLATE_FORMATS, TemplateFormat, TemplateRequest, register
from bertillon.io.templates.assemble import Parts, make_templates
from bertillon.io.templates.reading import read_templates, sniff_templates

MODULES = ("tables", "kaldi")

for _module in MODULES:
    import_module(f"bertillon.io.templates.{_module}")

ONLY_TEMPLATES = ("kaldi-ark", "kaldi-scp", "fmr")  # formats that never hold scores

__all__ = ["ONLY_TEMPLATES", "TEMPLATE_FORMATS", "Parts", "TemplateFormat", "TemplateRequest", "make_templates"]
__all__ += ["read_templates", "register", "sniff_templates"]
