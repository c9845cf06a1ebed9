"""Own submissions that somebody chose to keep: their scores over time, and whether each is better than the
best before it.

Nothing is kept that was not asked to be kept, and what is deleted is gone from the disk.
"""
