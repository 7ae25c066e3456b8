"""Documents and findings to what a person or a program reads: terminal, pages and papers, figures, JSON and CSV.

Conventions: nothing is computed here that a reader could take for a result. What people read is rendered from a
document of views, the same wherever it is read: terminal, page (HTML) and papers (Markdown and LaTeX). What programs
read is written from findings: records (JSON, one table as CSV). `reports` writes all of these, of which the suffix says
the kind, `files` CSV of every curve; `console` also prints how files are understood; figures draw.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
