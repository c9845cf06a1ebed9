"""Own submissions that somebody chose to keep: their scores over time, and whether each is better than the
best before it.

Only what somebody chose to keep is kept, and what is deleted is gone from the disk.
"""
