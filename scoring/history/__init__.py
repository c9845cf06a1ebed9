"""History of own submissions that somebody chose to keep; what is deleted is gone from the disk.

* keep, note, delete a run; which test set and rules it belongs to: `keeping.keep`, `keeping.delete`,
  `keeping.test_set_of`
* scores over time on one test set, steps, the best: `saved_submissions.series_of`,
  `saved_submissions.best_of`
* runs logged from Python, by `scoring.library.log`: `run_log.on_truth`; figure and table: `views.blocks`
"""
