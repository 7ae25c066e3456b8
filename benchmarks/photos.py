"""Templates of photos, beside the network called in a bare loop in one process per core."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import Case, Measured, Skipped, require

PHOTOS = 120
DATA = Path(__file__).parents[2] / "shared" / "data" / "orl"
SIZE = (276, 336)
BARE = """
import sys, numpy as np, dlib
from PIL import Image
folder, files = sys.argv[1], sys.argv[2:]
detector = dlib.get_frontal_face_detector()
landmarks = dlib.shape_predictor(folder + "/shape_predictor_5_face_landmarks.dat")
network = dlib.face_recognition_model_v1(folder + "/dlib_face_recognition_resnet_model_v1.dat")
for file in files:
    photo = np.asarray(Image.open(file).convert("RGB").resize((276, 336), Image.BICUBIC))
    boxes, scores, _ = detector.run(photo, 0, -0.5)
    best = boxes[int(np.argmax(scores))]
    vector = network.compute_face_descriptor(photo, landmarks(photo, best))
    print(*vector)
"""


def extraction(scale: float) -> Measured:
    """Photos a second of `extract` with all that it checks, over that of the bare loop; both start their processes."""
    import os

    from bertillon.engine.workers import available_cores
    from bertillon.extraction import extract
    from bertillon.extraction.models import _weights_folder

    data = Path(os.environ.get("BERTILLON_DATA", DATA.parent)) / "orl"
    if not data.is_dir():
        raise Skipped("the photos of the real data are absent")
    files = sorted(data.rglob("*.pgm"))[: max(8, int(PHOTOS * scale))]
    cores, weights = available_cores(), _weights_folder()

    def bare() -> np.ndarray:
        command = [sys.executable, "-c", BARE, str(weights)]
        shares = [files[core::cores] for core in range(cores)]
        ran = [subprocess.Popen([*command, *map(str, share)], stdout=subprocess.PIPE, text=True) for share in shares]
        vectors = np.empty((len(files), 128))
        for core, process in enumerate(ran):
            vectors[core::cores] = np.loadtxt(process.communicate()[0].splitlines(), ndmin=2)
        return vectors

    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "photos.csv"
        lines = [f"{file},{file.parent.name}" for file in files]
        listed.write_text("\n".join(["path,subject", *lines]) + "\n")
        times: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(3):
            started = time.perf_counter()
            ours = np.asarray(extract(listed, "dlib", resize=SIZE).templates.templates)
            middle = time.perf_counter()
            theirs = bare()
            times["ours"].append(middle - started)
            times["bare"].append(time.perf_counter() - middle)
            require(bool(np.allclose(ours, theirs, atol=1e-5)), "the templates differ")
    mine, peer = min(times["ours"]), min(times["bare"])
    return Measured(peer / mine, mine, peer, f"{len(files) / mine:.1f} photos/s on {cores} cores")


CASES = (Case("photos to templates, dlib, beside bare loops", 0.95, extraction),)
