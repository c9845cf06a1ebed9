"""Package that all others use: findings and fixes, limits, safe display of text from files.

* finding; refusal with every problem: `findings.Finding`, `findings.InputRefused`; groups:
  `findings.grouped`
* fix that a refusal offers: `fixes.SuggestedFix`
* limits set by the server's operator (upload bytes, memory, models): `limits.uploads`, `limits.memory`
* safe names and texts for page, Markdown, CSV, file names: `text`; "did you mean": `text.did_you_mean`
* read untrusted files: `file_opening.read_file`; untrusted JSON: `strict_json.strict_loads`; readers that run
  in another process: `transport`
* direction and range of a number: `direction_and_range.Quantity`; zips with reproducible bytes:
  `file_opening.zipped`
* convert Markdown to HTML: `rendered_markdown`; citations: `citation`; array types: `arrays`
* untrusted TOML with the line of each key: `toml_text.read_toml`; TOML text from data: `toml_text.toml_of`
"""
