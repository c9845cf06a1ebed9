"""Base of every folder: findings and fixes, limits, foreign text made safe.

* finding, refusal with every problem: `findings.Finding`, `findings.InputRefused`;
  repeats folded: `finding_groups.grouped`
* fix that a refusal offers: `fixes.SuggestedFix`
* limits of the person who runs the server (upload bytes, memory, models): `limits.uploads`, `limits.memory`
* names and texts made safe for page, Markdown, CSV, file names: `text`; "did you mean": `text.did_you_mean`
* opening of strangers' files: `file_opening.read_file`; JSON: `strict_json.strict_loads`;
  in another process: `isolation`
* whether higher is better, and range: `direction_and_range.Quantity`;
  zips with the same bytes: `reproducible_zip.zipped`
* Markdown as HTML: `rendered_markdown`; values between processes: `transport`; `citation`;
  array types: `arrays`
* TOML of strangers with the line of each key: `toml_text.read_toml`; the text of a tree: `toml_text.toml_of`
"""
