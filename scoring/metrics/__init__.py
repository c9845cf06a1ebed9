"""Metrics: each quantity once, for all replicates at once.

`classification`: accuracy, F1, confusion; `survival`: C-index; `overlap`,
`segmentation`, `surface_distances`: Dice and distances of masks; `detections`, `greedy_matching`: objects. What declared
challenges choose from is in `catalogue.toml`, which `registry` reads.
"""
