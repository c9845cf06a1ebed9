"""Inputs: files of others, read and made safe: tables, workbooks, archives, `masks`, `nuclei`.

`fix_suggestions` makes the fixes of a refused table, `table_edits` applies them; `look_alike_names` and
`team_entries` compare names of teams; `sources` reads what a person names.
"""
