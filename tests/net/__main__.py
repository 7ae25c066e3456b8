"""Write the snapshots anew: `python -m tests.net [--to FOLDER] [NAME...]`.

Without names all jobs are run; with --to the snapshots go elsewhere, to be compared with `diff -r`. Jobs on real data
need the data (BERTILLON_DATA or ../shared/data). Refresh a snapshot only where a number is meant to change.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

TESTS = Path(__file__).resolve().parents[1]


def main() -> None:
    sys.path.insert(0, str(TESTS))  # as tests/conftest.py does
    from net.commands import JOBS
    from net.snapshots import FOLDER

    parser = argparse.ArgumentParser(prog="python -m tests.net", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="jobs; all unless given")
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="FOLDER")
    asked = parser.parse_args()
    _refresh([JOBS[name] for name in asked.names or JOBS], asked.to.resolve())


def _refresh(jobs: list, target: Path) -> None:
    from net.made import make_files, make_large_files, make_real_files
    from net.running import EXAMPLES, snapshot_of
    from net.snapshots import save

    failed: list[str] = []
    data = Path(os.environ.get("BERTILLON_DATA", TESTS.parents[1] / "shared" / "data"))
    with TemporaryDirectory() as made:
        make_files(Path(made))
        make_large_files(Path(made))
        if data.is_dir():
            make_real_files(Path(made), data)
        places = {"examples": str(EXAMPLES), "data": str(data), "made": made}
        for job in jobs:
            start = perf_counter()
            with TemporaryDirectory() as folder:
                try:
                    save(job.name, snapshot_of(job, places, Path(folder)), target)
                except RuntimeError as error:
                    failed.append(str(error))
            print(f"{job.name:30} {perf_counter() - start:6.2f} s", flush=True)
    if failed:
        sys.exit("\n\n".join(failed))


if __name__ == "__main__":
    main()
