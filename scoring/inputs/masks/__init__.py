"""Read tumour masks as streams, and count the voxels in which two agree, without ever holding a volume.

Labels are 0 (background), 1 (GTVp) and 2 (GTVn). `headers` reads NIfTI and MetaImage, `blocks` checks the
values, `counting` counts.
"""
