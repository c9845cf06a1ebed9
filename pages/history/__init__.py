"""History of kept runs on a page; the store of them is `scoring.history`.

* tab: `history_tab.tab`; keep and open again: `keep_and_restore.keep`;
  kept inputs offered: `kept_inputs.runs`
* recent runs on the overview: `recent_runs.draw`; the run before: `last_run.before`

Cases gained and lost since the last run: `pages.challenge.case_table`.
"""
