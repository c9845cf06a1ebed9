"""Tumour masks, read as streams: the voxels of two masks are compared without holding a volume.

* file opened (NIfTI, MetaImage, NRRD), size bounded: `nifti_and_metaimage.open_volume`, `nrrd.nrrd_fields`,
  `errors.Fields`; values checked: `blocks.blocks`
* header and voxels in two files, read as one: `detached.attached`
* overlap of truth and prediction counted by label: `counting.count`; grids that differ: `grid.orientation`
* whole volumes of any labels, for declared challenges: `label_maps.read_label_map`
* lesions: `lesions.compared`, by `scoring.metrics.connected_components.components`; a file per structure
  joined: `joined.joined_mask`; other forms of masks: `converted.converted_mask`
* errors: `errors`; example masks: `writing`
* folder with one mask file per case: `label_maps.masks_by_case`
"""
