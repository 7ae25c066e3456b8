"""Words for numbers: verdicts, warnings and advice, each a small function from numbers to a sentence.

Conventions: a verdict quotes the number it judges. A warning says what is doubtful, why, and what to do.

Holds what a number is called (verdicts); what to doubt in each mode (warnings, identification, classification) with
the mistakes of reporting (mistakes); targets for kinds of use (presets); systems over all rates (comparing) and tested
against each other (paired); what intervals rest on (intervals); the plan of a test (planning); which measures to report
(choosing, from situations and domains); and the two vocabularies (vocabulary).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
