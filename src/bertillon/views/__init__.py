"""Findings as what is shown of them: a document of sections, tables and charts, coordinates of figures, vocabulary.

Conventions: nothing is drawn here and nothing has words yet; a document holds values with their units and messages.

Holds the document and its blocks (document), which digits a number has (numbers), views by type of finding and how
they come together (assembling), a module for each subject: verification, identification, classification with
class_tables, comparison, groups, samples, attacks and studies; what they share: measures and explorer; and figures.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
