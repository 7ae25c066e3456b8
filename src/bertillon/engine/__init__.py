"""Block work: a large job cut into tiles, done one after the other, with signs of life.

Holds `Tile`, `tiles` (tiling), `each_on_its_own` (workers) and `Progress` (progress).
"""
