"""Masks of tumours, read as streams: which voxels of two label maps agree, without ever holding a volume.

Labels are 0 (background), 1 (GTVp) and 2 (GTVn). `headers` says what is read, `blocks` which values are good,
`counting` what is counted.
"""
