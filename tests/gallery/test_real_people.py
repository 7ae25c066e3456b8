"""Decisions over real faces reproduce the measured rates (STANDARDS 10)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.gallery import Gallery


@pytest.mark.realdata
def test_false_alarms_by_gallery_size_of_real_faces(path, key, policies, real_data):
    """SPEC G2, STANDARDS 10 (D1): FPIR at .6 and .5 with 10, 100, 1,000 and 4,280 others enrolled."""
    held = np.load(real_data / "lfw_dlib" / "embeddings.npz")
    vectors, subject = held["embedding"], held["subject"]
    order = np.argsort(subject, kind="stable")
    people, first, count = np.unique(subject[order], return_index=True, return_counts=True)
    gallery, probes = order[first], order[first[count > 1] + 1]
    owners = people[count > 1].astype(str).tolist()
    assert (len(gallery), len(probes)) == (4281, 1559)
    [_, loose] = policies(0.6, "distance", "euclidean", size=4280)
    strict = replace(loose, threshold=0.5, signature=None).signed_by(key)
    found = {}
    for size in (10, 100, 1000, 4280):
        with Gallery.create(f"{path}{size}", key=key, policies=[loose]) as door:
            chosen = gallery[: size + 1]  # one more, for those who are among them and are left out of their own search
            door.enrol_all(bt.TemplateTable(vectors[chosen], subject[chosen].astype(str)))
            enrolled = subject[chosen].astype(str).tolist()
            for policy in (loose, strict) if size >= 1000 else (loose,):
                door.use(policy)
                answers = door.identify_all(vectors[probes], names=owners, best=2)  # only one of them may not count
                spare = {owner: owner if owner in enrolled else enrolled[-1] for owner in owners}
                alarms = sum(
                    any(one.passes and one.person != spare[answer.probe] for one in answer.candidates)
                    for answer in answers
                )
                found[policy.threshold, size] = round(alarms / len(answers), 4)
    assert found == {
        (0.6, 10): 0.0372,
        (0.6, 100): 0.3149,
        (0.6, 1000): 0.8582,
        (0.5, 1000): 0.0815,
        (0.6, 4280): 0.9814,
        (0.5, 4280): 0.1873,
    }
