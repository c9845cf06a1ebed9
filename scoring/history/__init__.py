"""History: a person's own saved submissions. Deleted submissions are also removed from the disk.

* save, annotate, rename, delete a run; its test set and rules: `keeping.keep`, `keeping.delete`,
  `keeping.test_set_of`
* scores over time on one test set, differences, best submission: `saved_submissions.series_of`,
  `saved_submissions.best_of`
* runs logged from Python with `scoring.library.log`: `run_log.on_truth`; figure and table: `views.blocks`
"""
