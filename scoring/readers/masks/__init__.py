"""Masks of tumours, read as streams: which voxels of two label maps agree, without ever holding a volume.

Labels are 0 (background), 1 (GTVp) and 2 (GTVn). NIfTI and MetaImage; see `headers` for what is read and `counting` for what is counted.
"""

from scoring.readers.masks.blocks import Opener
from scoring.readers.masks.counting import Counts, Mask, count, examine
from scoring.readers.masks.faults import Malformed
from scoring.readers.masks.grid import Grid, Orientation, orientation
from scoring.readers.masks.headers import Header, open_volume

__all__ = ["Counts", "Grid", "Header", "Malformed", "Mask", "Opener", "Orientation", "count", "examine", "open_volume", "orientation"]
