"""bob.measure asked for the operating points, run by the Python that has it: SCORES.npz TARGET... prints JSON.

It needs an older numpy, so it lives in an environment of its own and imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
import time


def main(path: str, targets: list[str]) -> None:
    """Print its answers and the best time of five."""
    import numpy
    from bob.measure import eer_threshold, far_threshold, farfrr

    arrays = numpy.load(path)
    mated, nonmated = arrays["mated"], arrays["nonmated"]

    def answer() -> dict[str, float]:
        rates = farfrr(nonmated, mated, eer_threshold(nonmated, mated))
        found = {"EER": (rates[0] + rates[1]) / 2}
        for target in targets:
            threshold = far_threshold(nonmated, mated, float(target))
            found["FNMR@FMR=" + target] = farfrr(nonmated, mated, threshold)[1]
        return found

    best, found = float("inf"), {}
    for _ in range(6):
        start = time.perf_counter()
        found = answer()
        best = min(best, time.perf_counter() - start)
    print(json.dumps({"seconds": best, "answers": {name: float(value) for name, value in found.items()}}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
