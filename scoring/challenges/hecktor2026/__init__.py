"""HECKTOR 2026: head-and-neck tumour segmentation, TN staging and prognosis, one number.

Source: the challenge's own description; where it leaves a question open or contradicts itself, the choice is
an option, named in `RULE` and in the JSON.

* test set and submission: `truth.read_truth`, `predictions.read_predictions`;
  masks: `submitted_masks.open_contents`, `mask_counts.count_all`
* Dice, staging, C-index on many test sets: `evaluation.HecktorEvaluation`; weighted sum: `formula.weighted`
* order of teams by weighted ranks: `ranking.rank`; score under other readings of the rules:
  `rescoring.rule_variants`
* scorecard: `card.score`; views: `views.views`; figures: `figures`
* tables of stages and prognosis: `patient_tables.find_table`, `tables`, `stages`; tables of other programs:
  `other_tables`; masks by structure and masks of other programs: `structures`, `foreign_masks`
* single patients, the slice viewer: `patients`; warnings: `findings`; sums, centers, survival: `measures`
* matched submission: `submission`; parts of the sum: `summary`; `formula`, `definition`
"""

from scoring.challenges.hecktor2026.definition import CHALLENGE

__all__ = ["CHALLENGE"]
