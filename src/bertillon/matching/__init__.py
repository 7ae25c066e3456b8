"""Templates against templates: every matcher declares whether it answers with a similarity or a distance.

Conventions: rows are probes, columns gallery templates. What can be done once a template is done once (`prepare`), the
rest a block at a time. A comparison that cannot be made is NaN, and the notes say why. A new matcher is one class with
its registration, and the name of its file among those of `core/lazy.py`, which are loaded when a matcher is wanted.

    vectors       euclidean, squared-euclidean, manhattan (plain or scaled), mahalanobis, cosine, pearson
                  of histograms: bhattacharyya, chi-square, intersection
    structured    bits: hamming (masks, rotations); series: dtw (band, several axes);
                  minutiae: minutiae (alignment and one-to-one pairs)
    anything      from_function
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
