"""Files that are dropped or chosen, with their `upload_quota`.

`dropped_files` takes them, `drop_routing` sends each to its place.
"""
