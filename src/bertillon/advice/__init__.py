"""Words for numbers: verdicts, warnings and advice, each a small function from numbers to a sentence.

Conventions: a verdict quotes the number it judges. A warning says what is doubtful, why, and what to do.

Holds what a number is called, the targets for kinds of use, the plan of a test and what intervals rest on (verdicts);
what to doubt in each mode, with the mistakes of reporting (warnings, attacks); systems beside each other (paired);
conditions that fail (gates); and which measures to report (choosing).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
