"""The command line: parse, call, show; no arithmetic.

Conventions: exit code 0 for an answer, 1 for a failed check, 2 for input that cannot be used. Results go to standard
output, everything else to standard error when the result is for a program. No traceback reaches a user.

    app, declare, grammar, help   finds the command, makes its options of its function, parses, explains
    options, in_use               groups of options that commands share: of files, of use (volumes, gallery sizes)
    sources, inputs, files        from words on the line to files, and from files to trials
    outputs                       what is written and printed, gates, progress
    verify, identify, compare, ...   one command a file, its own groups beside it
    gallery, probes, policy, serve, token   the commands of the recogniser
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
