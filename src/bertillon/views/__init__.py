"""Results as what is shown of them: coordinates of figures, sections of the page, vocabulary and number formats."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
