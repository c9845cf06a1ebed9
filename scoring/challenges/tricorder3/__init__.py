"""Safe-Scan TRICORDER-3: eleven skin-lesion classes from a photograph and demographics.

Source: the challenge's own description (classes, risk groups, formula); for questions that it leaves open,
the public validator code of February 2026.

* test set: `scoring.challenges.safe_scan.cases.read_truth`; submission: `tables.read_predictions`
* formula: `formula.final_score`; measures with an interval: `measures.quantities`
* scorecard with points lost by class: `card.score`;
  models that also use age, sex and site: `model.predict`, `model.sweep`
* views: `views.views`; `definition`
"""

from scoring.challenges.tricorder3.definition import CHALLENGE

__all__ = ["CHALLENGE"]
