"""Ask SLURM for dask workers, write the address of their scheduler to a file, and keep them until this is ended."""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=4, help="SLURM jobs to ask for")
    parser.add_argument("--cores", type=int, default=32, help="cores of each")
    parser.add_argument("--processes", type=int, default=4, help="of each; every process holds the templates once")
    parser.add_argument("--memory", default="64GB", help="of each")
    parser.add_argument("--walltime", default="24:00:00")
    parser.add_argument("--write", type=Path, required=True, help="file for the address of the scheduler")
    asked = parser.parse_args()

    from dask_jobqueue import SLURMCluster

    one_thread = [f"export {name}=1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")]
    with SLURMCluster(
        cores=asked.cores,
        processes=asked.processes,  # with a thread for each of their share of the cores
        memory=asked.memory,
        walltime=asked.walltime,
        job_script_prologue=one_thread,
    ) as cluster:
        cluster.scale(jobs=asked.jobs)
        part = asked.write.with_name(asked.write.name + ".part")
        part.write_text(cluster.scheduler_address)
        os.replace(part, asked.write)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main()
