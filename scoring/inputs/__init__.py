"""Safe reading of untrusted files: tables, workbooks, zip archives, images, masks, nuclei.

* open a path, bytes, a folder or a zip: `sources.open_source`; zip limits: `archives.open_archive`
* convert other formats (Excel, Parquet, JSON, gzip) to CSV: `table_formats.as_text`, `workbooks.as_csv`
* decode bytes to lines, within limits: `table_text.read_lines`; split them into cells and columns:
  `tables.read_table`
* cells as numbers, decimal comma, separators of thousands: `number_parsing.parse_numbers`;
  whether numbers are percent or logits: `number_parsing.scale_of`
* matching of rows to a truth's cases: `case_tables.align`; ids: `case_ids.match`
* suggested fixes for a refused table: `fix_suggestions.fixes_of`; applying them: `table_edits.fixed_table`,
  `reshaping.edited`
* missing column, "did you mean": `tables.missing_column`; its fix: `fix_suggestions.renamings`
* guess of unknown columns: `column_guess.guess`, used by `column_guess.readings_of`; long tables:
  `long_tables.widened`
* one file or folder per team: `team_entries.of_teams`; look-alike names: `team_entries.name_problems`
* masks: `masks`; lists of nuclei: `nuclei`; volumes for the viewer: `volumes`, `scenes.read_scene`
* images of cases by name: `case_images`; truncated images: `truncated_images.is_whole`
* Parquet: `parquet`; Grand Challenge jobs: `grand_challenge_jobs`
* text that other programs export (SQL dumps, title lines): `exported_text`; JSON in a cell: `long_tables`
* tables of several files or other shapes: `foreign_table_shapes`
* cells stored as bytes: `text_columns`; decompression of gzip while reading: `inflate`
* a truth without a challenge file: `truth_contents.read_truth`; columns named in a challenge file:
  `named_columns.ColumnReader`

To find the challenge of a dropped file, use `scoring.challenges.recognition.recognise`.
`scoring.inference.image_sanitizer` decodes pictures and DICOM and removes personal data.
"""
