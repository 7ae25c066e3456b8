"""JSON as every command writes it: strict, indented, letters as they are but for those that act on a terminal.

Holds `strict_json`.
"""

from __future__ import annotations

import json
from typing import Any

from bertillon.core.escaping import visible


def strict_json(whole: Any) -> str:
    """The text of a document; a number that JSON does not have is a fault of whoever made it."""
    return visible(json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False)) + "\n"
