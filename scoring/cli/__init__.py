"""Command line `benchside`, one module per group of commands.

* start, exit status: `main.main`; arguments and their help: `commands.toml` and, for `board`,
  `board_actions.toml`, which `commands.parser` reads; refusal of invalid arguments: `refusing_parser.Parser`
* `score`, `check`, `predict`: `score_command`; `compare`: `compare_command`; `board`: `boards`, `board_rules`
* `challenge`: `declared`; `metrics`; `history`; `platform`: `platforms`; `doctor`; `app`
* read input files: `input_reading`; print and write results: `output`, `terminal_tables`
* tables of boards: `board_tables`; threads and memory of a command: `main.tune_process`
"""
