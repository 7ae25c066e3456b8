"""What every other room builds on: the accept rule, errors, whole files, registries, spelling and words."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
