"""Files of others, read and made safe: tables, workbooks, zip archives, images, masks, nuclei.

* a path, bytes, a folder or a zip, opened by name: `sources.open_source`; zip limits: `archives.open_archive`
* other formats than text (Excel, Parquet, JSON, gzip) as CSV: `table_formats.as_text`, `workbooks.as_csv`
* bytes to lines (encoding, limits): `table_text.read_lines`; cells and columns: `tables.read_table`
* cells as numbers, decimal comma: `number_parsing.parse_numbers`;
  percent or logits: `probability_scales.scale_of`
* rows aligned with the cases of a truth: `case_tables.align`; ids as written: `case_ids.match`
* fixes offered for a refused table: `fix_suggestions.fixes_of`;
  applied: `table_edits.fixed_table`, `reshaping.edited`
* missing column, "did you mean": `tables.missing_column`; its fix: `fix_suggestions.renamings`
* guess of foreign columns: `column_guess.guess`, read as `column_readings.readings_of` says;
  long tables: `long_tables.widened`
* a file or folder per team: `team_entries.of_teams`; names that look alike: `look_alike_names.name_skeleton`
* masks: `masks`; lists of nuclei: `nuclei`; volumes for the viewer: `volumes`, `scenes.read_scene`
* images of cases by name: `case_images`; cut images: `truncated_images.is_whole`
* Weka, Orange, Markdown: `text_layouts`; Parquet: `parquet`; Grand Challenge jobs: `grand_challenge_jobs`
* tables of several files or other shapes: `joined_tables`, `foreign_table_shapes`, `survival_curves`
* cells as bytes: `text_columns`; gzip while reading: `inflate`
* a truth of which nothing is known yet: `truth_contents.read_truth`;
  columns that a challenge's file names: `named_columns.ColumnReader`

Which challenge a dropped file is for: `scoring.challenges.recognition.recognise`. Pictures and
DICOM are decoded, and freed of personal data, by `scoring.inference.image_sanitizer`.
"""
