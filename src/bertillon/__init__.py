"""Bertillon measures biometric recognition systems and classifiers.

From scores it answers: how often does this system err, at which threshold, how sure are we, which system is better?

>>> import bertillon as bt
>>> scores = bt.ScoreSet(mated=[0.4, 0.6, 0.7, 0.8], nonmated=[0.1, 0.2, 0.3, 0.5, 0.65])
>>> evaluation = bt.evaluate(scores, ["EER", "FNMR@FMR=0.2"])
>>> evaluation["EER"].value
0.25
"""

import lazy_loader as _lazy

from bertillon._version import __version__ as __version__

# The names stand in the stub beside this file and are imported when first used, so that `import bertillon` is quick.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
