"""Reads lists of nuclei of any program into arrays.

* any file: `reader.read_nuclei` (QuPath's GeoJSON and PUMA's formats; `fast.listed` reads usual files
  quickly, `strict.listed` all others)
* JSON of other programs: `foreign.native`; VIA, Label Studio, FiftyOne, YOLO: `via_label_studio_yolo`;
  COCO: `coco.cells`; masks as run lengths: `run_lengths.outline`; XML: `xml_shapes.cells_of`; regions of
  ImageJ: `imagej_rois.cells_of`
* tables with a row per nucleus: `point_tables.cells`; JSON of any shape: `nested.cells_of`; files with
  several tiles: `tiles.by_tile`, which reads each by `tile_readers`;
  folders for slides, images and classes: `folders.by_slide`, `folders.by_class`; `rewriting`
* the resulting arrays and findings: `contents.contents`
"""
