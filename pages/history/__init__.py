"""History of saved runs on a page; `scoring.history` stores them.

* tab: `history_tab.tab`; save and reopen: `keep_and_restore.keep`; saved inputs: `kept_inputs.runs`
* recent runs on the overview: `recent_runs.draw`; previous run: `recent_runs.previous_run`

Cases gained and lost since the last run: `pages.challenge.case_table`.
"""
