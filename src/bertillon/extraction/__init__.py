"""Photos to templates: what is in a photo, which network made the template, and which photos gave none.

Holds `list_photos`, `read_photo` and `decode_photo` (photos), `face_model` (models), `extract` and `Extraction`
(extracting), and `Workers`, processes that have a model loaded (workers).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
