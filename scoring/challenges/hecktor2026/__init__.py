"""HECKTOR 2026: head-and-neck tumour segmentation, TN staging and prognosis, one number.

Source: the challenge's own description; where it is silent or contradicts itself, the choice is an option,
named in `RULE` and in the JSON. `evaluation` computes the Dice of each patient.

`truth.read_truth`, `submitted_masks` and `tables` read, `formula` is the score, `ranking` the order of teams,
`card` makes the scorecard.
"""

from scoring.challenges.hecktor2026.definition import CHALLENGE

__all__ = ["CHALLENGE"]
