"""The service of a gallery: searches, claims and enrolments over HTTP, and a page for the operator.

Holds `serve` and `Listening`, where it listens (server); `make_app` (app); `Tokens` with their roles (tokens); `Limits`
of requests (guards); `Desk`, which puts searches that come together into one (desk).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
