"""One image and one model: its output, uncertainty, saliency and performance on similar cases, no diagnosis.

Heat maps: `occlusion_saliency`, `random_mask_saliency`, both in `explanation`. Possible classes (prediction
sets): `similar_cases`, by `scoring.metrics.conformal`. Reasons for no answer: `abstention`, by `quality` and
`out_of_distribution`. Nothing is kept: pixels belong to whoever calls.
"""
