"""The command line: parse, call, show; no arithmetic.

Conventions: exit code 0 for an answer, 1 for a failed check, 2 for input that cannot be used. Results go to standard
output, everything else to standard error when the result is for a program. No traceback reaches a user.

Holds `app` (the table of commands, and `main`), a module for each command or family of commands, `options` (the groups
of options that commands share) with `declare`, `grammar` and `help` (how they become a command line), and what bodies
of commands share: `inputs`, `templates`, `predictions`, `streams`, `outputs`, `progress` and `rooms`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
