"""The service of a gallery: searches, claims and enrolments over HTTP, and a page for the operator.

Holds `serve` (server), `make_app` and `Service` (app), `Tokens` with their roles (tokens).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
