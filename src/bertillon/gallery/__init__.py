"""The recogniser: people enrolled in one encrypted file, and decisions by a policy whose errors were measured.

Conventions: no decision without a policy, no template in the open on the disk, no step without its line in the log.

    policy, making   the threshold and the errors measured for it, from an evaluation; signed
    gallery          `Gallery`: enrol, update, erase, claim, identify, watch
    search           everybody in memory: scores at the speed of a product of matrices
    deciding         scores to decisions; answers: what is answered
    records          sealed templates, marked entries, the log with its chain
    store            the file they stand in; postgres: a database in its place
    sealing          keys, and what is done with them
    audit            whether everything stands as it was written, and what the log tells
    inputs           what is handed in, checked
    demonstration    measured errors beside observed ones, on simulated people
    showing          the views of answers and reports
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
