"""History of own submissions that somebody chose to keep: `keeping.keep` and `delete`, scores over time and
the best (`saved_submissions`, `views`), `scoring.log` (`run_log`).

Only what somebody chose to keep is kept, and what is deleted is gone from the disk.
"""
