"""History of own submissions that somebody chose to keep: scores over time, and which are the best.

Only what somebody chose to keep is kept, and what is deleted is gone from the disk. `run_log`: `scoring.log`.
"""
