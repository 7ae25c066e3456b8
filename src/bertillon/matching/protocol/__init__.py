"""Who trains, who is enrolled, who probes, and what is compared with what.

Conventions: a protocol never looks at a template, only at who owns it and under which conditions it was taken. It is
a value that can be written down, read back and said in words before anything is compared, and it is repeatable from
one seed. Rows of a matrix are probes, columns the gallery. P_G are the probes of enrolled people, P_N those of people
left out of the gallery; P is both together.

Holds `split_train_test` and `split_gallery_probe` (splits), `Partition`, `subset`, `write_partitions` and
`read_partitions` (partition), `AllAgainstAll`, `ProbeVersusGallery`, `PairCounts` and `fuse_by_person` (pairing),
`PairList` (pair_list), `lfw_folds` and `fold_accuracy` (folds), and `repeat` and `summarise` (repeated).
"""
