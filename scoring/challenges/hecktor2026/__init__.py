"""HECKTOR 2026: segmentation of head-and-neck tumours, TN staging and prognosis, combined to one score.

Source: the challenge's own description. If it leaves a question open or contradicts itself, an option
decides; `RULE` and the JSON name these options.

* test set and submission: `truth.read_truth`, `predictions.read_predictions`;
  masks: `submitted_masks.open_contents`, `mask_counts.count_all`
* Dice, staging and C-index on many replicates: `evaluation.HecktorEvaluation`; weighted sum:
  `formula.weighted`
* order of teams by weighted ranks: `ranking.rank`; score under other interpretations of the rules:
  `rescoring.rule_variants`
* scorecard: `card.score`; views: `views.views`; figures: `figures`
* tables of stages and prognosis: `patient_tables.find_table`, `tables`, `stages`; tables of other programs:
  `other_tables`; masks by structure and masks of other programs: `structures`, `foreign_masks`
* single patients, the slice viewer: `patients`; warnings: `findings`; sums, centers, survival: `measures`
* submission matched to the patients: `submission`; parts of the weighted sum: `summary`; `formula`,
  `definition`
"""

from scoring.challenges.hecktor2026.definition import CHALLENGE

__all__ = ["CHALLENGE"]
