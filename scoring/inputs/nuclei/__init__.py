"""Lists of nuclei: `reader` takes QuPath's GeoJSON and PUMA's forms, `foreign` those of other programs."""
