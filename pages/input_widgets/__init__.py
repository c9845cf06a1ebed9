"""Uploads and choices of a page: samples, own files, options, upload quota.

A dropped file: `drop_target` takes it, `drop_routing` sends it to its input by what it was recognised as
(`scoring.challenges.recognition`), `dropped_files` holds it, `drop_messages` tells of it.
"""
