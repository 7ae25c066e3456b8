"""The command lines whose numbers are held.

Conventions: a job is one or more command lines run one after the other in a folder of its own; the snapshot holds the
numbers of every file they write there. Placeholders: {examples} is the folder `examples`, {data} that of the real
data, {made} that of the files of `made`. A job that compares templates is `near`: linear algebra may differ in the
last bits between machines. `coded` jobs write tables whose text columns matter too (who is enrolled, whose trial).

Holds `Job` and `JOBS`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

ALL = "--json out.json --csv csv --report page.html"
BRIEF = "--json out.json --resamples 100"


@dataclass(frozen=True, slots=True)
class Job:
    """Command lines with placeholders, and how their numbers are compared."""

    name: str
    lines: tuple[str, ...]
    near: bool = False
    coded: bool = False
    slow: bool = False

    @property
    def real(self) -> bool:
        """Whether the job reads the real data."""
        return any("{data}" in line or "{made}/lfw" in line for line in self.lines)

    def arguments(self, places: Mapping[str, str]) -> list[list[str]]:
        """The arguments of each command line, after the name of the program."""
        return [[part.format_map(places) for part in shlex.split(line)] for line in self.lines]


VERIFY = (
    Job("verify-lists", (f"verify {{examples}}/genuine.txt {{examples}}/impostor.txt -x 0.01 -x 0.05 {ALL}",)),
    Job(
        "verify-lists-nearest",
        (f"verify {{examples}}/genuine.txt {{examples}}/impostor.txt -x 0.003 --nearest --level 0.9 {BRIEF}",),
    ),
    Job(
        "verify-measures",
        (
            "verify {examples}/genuine.txt {examples}/impostor.txt -m TMR@FMR=0.001 -m EER[nearest] -m EER[bob] "
            f"-m AUC -m dprime[sum] -m FMR@t=0.5 -m FNMR@t=0.5 -m ZeroFMR -m ZeroFNMR {BRIEF}",
        ),
    ),
    Job(
        "verify-cost",
        (
            "verify {examples}/new.csv -m EER --cost fa=500,fr=2 --prior impostor=0.01 "
            f"--volume genuine=10000,impostor=100 --resamples 100 {ALL}",
        ),
    ),
    Job("verify-two-systems", (f"verify {{examples}}/old.csv {{examples}}/new.csv --resamples 100 {ALL}",)),
    Job("verify-preset", (f"verify {{examples}}/new.csv --preset consumer -m FNMR@FMR=0.01 {BRIEF}",)),
    Job("verify-dev", (f"verify {{examples}}/new.csv --dev {{examples}}/old.csv {BRIEF} --csv csv",)),
    Job(
        "verify-bands",
        (
            "verify {examples}/border.csv -m EER -m FNMR@FMR=0.01 --bands simultaneous --resamples 100 "
            "--json out.json --csv csv",
        ),
    ),
    Job(
        "verify-people",
        (
            "verify {examples}/border.csv -m EER --discard quality_probe,quality_reference --people "
            f"--resamples 100 {ALL}",
        ),
    ),
    Job(
        "verify-groups",
        (f"verify {{examples}}/border.csv -m EER --groups {{made}}/people.csv --resamples 100 {ALL}",),
    ),
    Job(
        "verify-enrolments",
        (
            "verify {examples}/border.csv --enrolments attempted=82,failed=2 -m GFAR@t=0.5 -m GFRR@t=0.5 "
            f"-m FTE -m FMR@t=0.5 {BRIEF}",
        ),
    ),
    Job("verify-failed-ties", (f"verify {{made}}/ties.csv --failed -1 -x 0.1 --resamples 100 {ALL}",)),
    Job(
        "verify-stream",
        (
            "verify {made}/stream-1.csv {made}/stream-2.csv --stream -m EER -m FNMR@FMR=0.001 -m AUC -m dprime "
            f"-m FMR@t=1 --resamples 100 {ALL}",
        ),
    ),
    Job(
        "verify-stream-passes",
        (
            "verify {made}/large.parquet --stream -m EER -m FNMR@FMR=0.001 -m FNMR@FMR=1e-5 -m AUC -m dprime "
            "-m FMR@t=1 --no-intervals --json out.json --report page.html",
            "count {made}/large.parquet -o all.counts",
            "verify all.counts -m EER -m FNMR@FMR=0.001 -m AUC --no-intervals --json counts.json",
        ),
        slow=True,
    ),
    Job(
        "verify-counts",
        (
            "count {made}/stream-1.csv -o a.counts",
            "count {made}/stream-2.csv -o b.counts",
            f"verify a.counts b.counts -m EER -m FNMR@FMR=0.001 -m AUC {BRIEF} --csv csv",
        ),
    ),
    Job(
        "verify-templates",
        ("verify {examples}/faces.npz -m EER -m FNMR@FMR=0.001 -m FNMR@t=0.5 --resamples 100 --json out.json",),
        near=True,
    ),
    Job(
        "verify-templates-multiple",
        (
            "verify {examples}/faces.npz -m EER --leave-out 0.25 --per-subject 2 --multiple --fusion mean "
            f"--seed 3 {BRIEF}",
        ),
        near=True,
    ),
    Job(
        "verify-templates-tiles",
        (
            "verify {examples}/faces.npz -m EER -m FNMR@FMR=0.01 --checkpoint kept --groups {made}/owners.csv "
            f"{BRIEF}",
        ),
        near=True,
    ),
    Job(
        "verify-templates-sampled",
        (f"verify {{examples}}/faces.npz -m EER -m AUC --sample-nonmated 5000 --seed 2 {BRIEF}",),
        near=True,
    ),
)

IDENTIFY = (
    Job(
        "identify-faces",
        (
            "identify {examples}/faces.npz --leave-out 0.25 -m RR -m DIR@FPIR=0.05,k=1 --rank 3 --fpir 0.1 "
            f"--volume passers=100000,minutes=15 --resamples 100 {ALL}",
        ),
        near=True,
    ),
    Job("identify-all", (f"identify {{examples}}/faces.npz {BRIEF} --csv csv --bands pointwise",), near=True),
    Job(
        "identify-matrix",
        (f"identify {{made}}/matrix.csv --volume passers=1000,minutes=10 --resamples 100 {ALL}",),
    ),
    Job(
        "modes-faces",
        ("modes {examples}/faces.npz --leave-out 0.25 --resamples 50 --json out.json --report page.html",),
        near=True,
    ),
    Job(
        "reliability-faces",
        ("reliability {examples}/faces.npz --leave-out 0.25 --phi density-ratio --json out.json --csv csv",),
        near=True,
    ),
    Job("reliability-matrix", ("reliability {made}/matrix.csv --json out.json --csv csv",)),
    Job(
        "repeat-faces",
        (
            "repeat {examples}/faces.npz --runs 3 --leave-out 0.25 -m RR -m DIR@FPIR=0.05,k=1 --json out.json "
            "--csv runs.csv",
            "repeat {examples}/faces.npz --mode verification --runs 2 --leave-out 0.25 -m EER --json verify.json",
        ),
        near=True,
    ),
)

CLASSIFY = (
    Job("classify-screening", (f"classify {{examples}}/screening.csv --resamples 100 {ALL}",)),
    Job(
        "classify-cost",
        (
            "classify {examples}/screening.csv --cost fn=20,fp=1 -m Recall -m Precision -m AP --groups site "
            f"--resamples 100 {ALL}",
        ),
    ),
    Job(
        "classify-constraint",
        (f"classify {{examples}}/screening.csv --constraint recall>=0.9 -m Precision -m Recall -m FPR {BRIEF}",),
    ),
    Job(
        "classify-calibrate",
        (
            "classify {examples}/screening.csv --calibrate isotonic -m ECE -m LogLoss -m AUC "
            "--prior trained=0.05,used=0.2 --resamples 100 --json out.json --csv csv",
        ),
    ),
    Job(
        "classify-measures",
        (
            "classify {examples}/screening.csv -t 0.2 -m AUC -m Recall@FPR=0.01 -m F1@t=0.2 -m ECE[equal-mass] "
            f"-m Brier -m MCC -m BalancedAccuracy --bands simultaneous {BRIEF} --csv csv",
        ),
    ),
    Job("classify-several", (f"classify {{made}}/classes.csv --resamples 100 {ALL}",)),
    Job("classify-several-calibrated", (f"classify {{made}}/classes.csv --calibrate temperature {BRIEF}",)),
    *(
        Job(
            f"calibrate-{method}",
            (
                f"calibrate fit {{examples}}/screening-dev.csv --method {method} -o cal.json",
                "calibrate apply cal.json {examples}/screening.csv -o calibrated.csv",
                f"classify {{examples}}/screening.csv --calibrate cal.json -m ECE -m LogLoss {BRIEF}",
            ),
        )
        for method in ("platt", "beta", "isotonic")
    ),
)

OTHERS = (
    Job(
        "compare-margin",
        (
            "compare {examples}/old.csv {examples}/new.csv -m EER -m FNMR@FMR=0.01 -m AUC --margin 0.005 "
            f"--resamples 100 {ALL}",
            "compare {examples}/new.csv {examples}/old.csv -m EER --fail-if-worse --resamples 100 --json worse.json",
        ),
    ),
    Job(
        "compare-classes",
        (
            "compare {examples}/screening-dev.csv {examples}/screening.csv --mode classification --unpaired "
            "-m AUC -m Brier --resamples 100 --seed 4 --json out.json --csv csv",
        ),
    ),
    Job(
        "attacks-species",
        (f"attacks {{examples}}/genuine.txt {{examples}}/impostor.txt --attacks {{examples}}/attacks.csv {ALL}",),
    ),
    Job(
        "attacks-pad",
        (
            f"attacks {{examples}}/pad.csv --pad -t 0.6 {ALL}",
            "attacks {examples}/pad.csv --pad --apcer 0.1 --level 0.9 --json apcer.json",
        ),
    ),
    Job(
        "plan",
        (
            "plan --fmr 1e-3 --interval 0.3 --json fmr.json",
            "plan --fnmr 0.02 --samples 3 --simulate 20 --seed 1 --json fnmr.json",
            "plan --fpir 0.01 --level 0.9 --json fpir.json",
        ),
    ),
    Job(
        "convert",
        (
            "convert {examples}/border.csv border.tsv",
            "convert {examples}/border.csv border.parquet",
            "convert border.parquet again.csv",
        ),
        coded=True,
    ),
    Job("inspect", ("inspect {examples}/border.csv --json out.json",)),
    Job("match-cosine", ("match {examples}/faces.npz --matcher cosine -o scores.csv",), near=True, coded=True),
    Job(
        "match-others",
        (
            "match {made}/bits.npz --kind bits -o bits.csv",
            "match {made}/small.npz --matcher euclidean --leave-out 0.2 -o euclidean.csv",
            "match {made}/histograms.npz --kind histogram -o histogram.csv",
        ),
        near=True,
        coded=True,
    ),
    Job(
        "split",
        (
            "split {examples}/faces.npz --leave-out 0.3 --seed 1 --runs 2 -o gallery.csv",
            "split {examples}/faces.npz --train 0.5 --seed 1 -o train.csv",
            "repeat {examples}/faces.npz --partition gallery.csv -m RR --json out.json",
        ),
        near=True,
        coded=True,
    ),
)

REAL = (
    *(
        Job(
            f"bssr1-{name}",
            (f"verify {{data}}/bssr1/{name}.csv.gz -x 0.001 --no-all-against-all --failed -1 {BRIEF} --csv csv",),
            slow=name != "face-C",
        )
        for name in ("face-C", "face-G", "finger-left", "finger-right")
    ),
    Job(
        "bssr1-identify",
        (f"identify {{data}}/bssr1/finger-right.csv.gz --no-all-against-all --resamples 100 {ALL}",),
    ),
    Job(
        "bssr1-compare",
        (
            "compare {data}/bssr1/face-C.csv.gz {data}/bssr1/face-G.csv.gz --failed -1 -m EER -m FNMR@FMR=0.001 "
            "--no-all-against-all --resamples 100 --json out.json --csv csv",
        ),
        slow=True,
    ),
    Job(
        "ru2009",
        (
            "verify {data}/ru2009/ru.2009.table.gz -m EER -m Cllr -m minCllr -m actDCF(p=0.01,cmiss=10,cfa=1) "
            f"-m minDCF(p=0.01,cmiss=10,cfa=1) --resamples 100 {ALL}",
        ),
    ),
    Job(
        "voxsrc2021",
        (
            "verify {data}/voxsrc2021/scores.txt.gz {data}/voxsrc2021/trials.txt.gz -m EER "
            f"-m minDCF(p=0.05,cmiss=1,cfa=1) -m FNMR@FMR=0.001 -m AUC --resamples 100 {ALL}",
        ),
    ),
    Job(
        "lfw-pairs",
        (
            "verify {data}/lfw_dlib/pairs.csv --distance --folds -m EER -m FNMR@FMR=0.001 "
            f"--discard probe_quality,reference_quality --people --resamples 100 {ALL}",
        ),
    ),
    Job(
        "lfw-compare-folds",
        ("compare {data}/lfw_dlib/pairs.csv {made}/lfw-worse.csv --distance --folds -m EER " + BRIEF,),
    ),
    Job(
        "lfw-templates",
        (f"verify {{made}}/lfw.npz -m EER -m FNMR@FMR=0.001 --discard quality --groups gender --people {BRIEF}",),
        near=True,
    ),
    Job("lfw-identify", (f"identify {{made}}/lfw.npz --leave-out 0.3 --strategy best-quality {BRIEF}",), near=True),
    Job(
        "lfw-modes",
        ("modes {data}/lfw_dlib/embeddings.npz --leave-out 0.5 --no-intervals --json out.json",),
        near=True,
        slow=True,
    ),
    Job(
        "lfw-all-tiles",
        (
            "verify {data}/lfw_dlib/embeddings.npz --matcher euclidean -m EER -m FNMR@FMR=0.0001 --groups gender "
            "--resamples 100 --json out.json",
        ),
        near=True,
        slow=True,
    ),
)

JOBS = {job.name: job for job in (*VERIFY, *IDENTIFY, *CLASSIFY, *OTHERS, *REAL)}
