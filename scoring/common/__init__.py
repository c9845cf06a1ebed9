"""Base of every folder: findings and fixes, limits, foreign text made safe (`text`).

`limits`: settings of the person who runs the server (uploads, results, models). `strict_json`,
`file_opening`, `isolation`: opening of strangers' files.
`toml_text`: lines of keys, text of a tree. `direction_and_range`: whether higher is better.
"""
