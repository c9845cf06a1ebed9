"""Base package for all others: findings and fixes, limits, safe display of text from files.

* finding; refusal with every problem: `findings.Finding`, `findings.InputRefused`; groups:
  `findings.grouped`
* fix that a refusal offers: `fixes.SuggestedFix`
* limits set by the server's operator (upload bytes, memory, models): `limits.uploads`, `limits.memory`
* safe names and texts for page, Markdown, CSV, file names: `text`; "did you mean": `text.did_you_mean`
* reading of untrusted files: `file_opening.read_file`; JSON: `strict_json.strict_loads`; readers in another
  process, and the values between them: `transport`
* whether higher is better, and range: `direction_and_range.Quantity`; zips with reproducible bytes:
  `file_opening.zipped`
* Markdown as HTML: `rendered_markdown`; `citation`; array types: `arrays`
* untrusted TOML with the line of each key: `toml_text.read_toml`; TOML text from data: `toml_text.toml_of`
"""
