"""Safe-Scan Melanoma: one risk score per photograph.

Source: the challenge's own description (0.6 F2 + 0.3 accuracy + 0.1 AUC). For questions that it leaves open,
the validator code that was public until mid 2025.

* test set: `scoring.challenges.safe_scan.cases.read_truth`; submission: `tables.read_predictions`
* formula: `formula.combined`; every quantity with an interval: `measures.quantities`
* scorecard: `card.score`; other thresholds, net benefit: `threshold.thresholds`, `threshold.net_benefit`
* ONNX models: `model.predict`; views: `views.views`, `threshold_views`; `definition`
"""

from scoring.challenges.melanoma.definition import CHALLENGE

__all__ = ["CHALLENGE"]
