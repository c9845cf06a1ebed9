"""Lists of nuclei: `reader` takes QuPath's GeoJSON and PUMA's forms, `foreign` those of programs for nuclei,
`annotation_tools` those of annotation tools and YOLO."""
