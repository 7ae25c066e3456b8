"""Words for numbers: verdicts, warnings and presets, each a small function from numbers to a sentence.

Conventions: a verdict quotes the number it judges. A warning says what is doubtful, why, and what to do.

Holds `eer_verdict` (verdicts), `warnings_of` (warnings) with the mistakes of reporting (mistakes), `PRESETS` (presets),
which measures to report (choosing, from situations and domains), and the two vocabularies (vocabulary).
"""
