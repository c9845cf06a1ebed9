"""Lists of nuclei: `reader` takes QuPath's GeoJSON and PUMA's forms, `foreign` those of programs for nuclei,
`via_label_studio_yolo` those of annotation tools and YOLO."""
