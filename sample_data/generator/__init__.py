"""Draws the samples: lesions of the skin with masks and demographics, tiles of melanoma (`histology`), heads
and necks on PET/CT (`headneck`); and the predictions of invented teams.

`python -m sample_data.generator` writes them.
"""
