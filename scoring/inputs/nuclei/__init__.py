"""Lists of nuclei: `reader` takes QuPath's GeoJSON and PUMA's forms, `foreign` JSON of other programs,
`via_label_studio_yolo` what annotation tools and YOLO write, `xml_shapes` XML, `point_tables` tables."""
