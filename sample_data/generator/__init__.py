"""Draws dermoscopy-like lesions with masks and demographics, and the predictions of invented teams.

`python -m sample_data.generator` writes the test set.
"""
