"""Measured promises of speed and memory: each case is run against a peer, in the same run, on the same data.

`python -m benchmarks` prints the table and stores it with a description of the machine. Bars are set for full scale;
`--scale 0.1` is a quick look.

Holds `harness` (cases, timing, rows), `machine` (where it was measured), `data` (the scores), `peers` (other
libraries asked the same questions), `verification` (the cases), `startup`, `files` and `growth` (cases of their own
kind), `memory` and `bob_peer` (run as processes of their own), `coverage`
(how often intervals hold the truth) and `sizes` (how often equal systems are said to differ), commands by themselves,
with `worlds` (what they simulate) and `resumed` (how they go on where they stopped).
"""
