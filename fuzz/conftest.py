"""Where the readers and the ways to spoil a file are found: beside the tests, whose fast twin uses them too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
