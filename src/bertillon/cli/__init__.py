"""The command line: parse, call, show; no arithmetic.

Conventions: exit code 0 for an answer, 1 for a failed check, 2 for input that cannot be used. Results go to standard
output, everything else to standard error when the result is for a program. No traceback reaches a user.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
