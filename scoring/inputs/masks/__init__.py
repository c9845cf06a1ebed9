"""Tumour masks. Two masks are compared while they are read, so that no whole volume is in memory.

* open a file (NIfTI, MetaImage, NRRD) within limits of size: `nifti_and_metaimage.open_volume`,
  `nrrd.nrrd_fields`, `errors.Fields`; check its values: `blocks.blocks`
* read a header and voxels in two files as one file: `detached.attached`
* count the overlap of truth and prediction by label: `counting.count`; compare their grids:
  `grid.orientation`
* read whole volumes with any labels, for declared challenges: `label_maps.read_label_map`
* count lesions: `lesions.compared`, with `scoring.metrics.connected_components.components`; join masks of
  single structures: `joined.joined_mask`; convert cropped or multi-channel masks: `converted.converted_mask`
* errors: `errors`; write example masks: `writing`
* folder with one mask file per case: `label_maps.masks_by_case`
"""
