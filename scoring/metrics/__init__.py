"""Metrics: each quantity once, for all replicates at once.

`roc`: areas and average precision; `classification`: accuracy, F1, confusion; `survival`: C-index; `overlap`,
`segmentation`, `surfaces`: Dice and distances of masks; `detections`, `matching`: objects. What declared
challenges choose from is in `catalogue.toml`, which `registry` reads.
"""
