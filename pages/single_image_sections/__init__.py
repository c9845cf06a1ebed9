"""Sections of the page of single images; what they show is computed in `scoring.single_image`.

Nothing of an own image outlives the session (`session_state`).
"""
