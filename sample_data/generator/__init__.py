"""Draws the samples. Images of skin: `skin_image`, with `lesions`; tiles of melanoma: `histology.tile`;
heads and necks on PET/CT: `headneck.patient`. Predictions of invented teams: `teams`, `detectors`,
`headneck.submissions`.

`python -m sample_data.generator` writes them.
"""
