"""Files of others, read and made safe: tables, workbooks, zip archives, images, `masks` (NIfTI, MetaImage),
`nuclei`.

A table: `table_formats` (what is no CSV), `table_text` (encoding; too many lines or cells), `tables` (CSV
cells, columns), `case_tables` (rows by case). A refused one: `fix_suggestions` makes fixes, `table_edits`
applies them, `scoring.core.applied_fixes` writes the changed file. `truth_contents`: a truth of which
nothing is known yet. `archives` unpacks zips within limits;
`sources` reads a path, bytes or a dropped folder. Which challenge a dropped file is for:
`scoring.challenges.recognition`. Pictures and DICOM are read, and freed of personal data, by
`scoring.inference.image_sanitizer`.
"""
