"""History of kept runs on a page: tab, keeping, restoring; the store of them is `scoring.history`.

Cases gained and lost since the last run: `pages.challenge.case_table`."""
