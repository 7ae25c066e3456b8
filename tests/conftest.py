"""What all tests share: where helper modules are found, and how far Hypothesis looks.

`--hypothesis-profile=wide` looks further, and elsewhere each time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # `import brute_force`, `from measures.table import ...`

_calm = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", max_examples=60, derandomize=True, **_calm)
settings.register_profile("wide", max_examples=2000, **_calm)
settings.load_profile("steady")
