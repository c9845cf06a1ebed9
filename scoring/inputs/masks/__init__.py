"""Tumour masks, read as streams: the voxels in which two agree are counted without ever holding a volume.

Labels are 0 (background), 1 (GTVp) and 2 (GTVn). `nifti_and_metaimage` opens the files, `blocks` checks the
values, `counting` counts; `label_maps` reads whole volumes of any labels, and
`mask_folders` finds the masks of a folder, a file per case.
"""
