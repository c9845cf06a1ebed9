"""Tumour masks, read as streams: the voxels in which two agree are counted without ever holding a volume.

Labels are 0 (background), 1 (GTVp) and 2 (GTVn). `headers` reads NIfTI and MetaImage, `blocks` checks the
values, `counting` counts.
"""
