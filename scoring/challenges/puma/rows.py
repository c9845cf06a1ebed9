"""The numbers of a PUMA scorecard: of the whole, of each class, of each image."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.puma import tissue_statistics
from scoring.challenges.puma.detections import Detections
from scoring.challenges.puma.formula import METRICS, Tallies, class_values, macro_f1, perfect, sums
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.truth import PumaTruth
from scoring.metrics import detection
from scoring.metrics.classification import mean_of_defined
from scoring.statistics.replicates import Replicates


@dataclass(frozen=True)
class CountedNuclei:
    """What was counted. rules: the chosen rule's name. counted: tallies by rule. truth_um [n], predicted_um
    [m]: from tumour nuclei to the nearest lymphocyte, NaN where undefined."""

    truth: PumaTruth
    detections: Detections
    rules: str
    counted: Mapping[str, Tallies]
    truth_um: np.ndarray
    predicted_um: np.ndarray

    @property
    def chosen(self) -> Tallies:
        """The tallies of the chosen rule."""
        return self.counted[self.rules]


def metrics(s: CountedNuclei, point: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the metrics in the order of the contract; NaN where undefined."""
    support, predicted = s.chosen.support.sum(0), s.chosen.predicted.sum(0)
    return {
        **{name: float(point[name][0]) for name in METRICS.values()},
        **{
            f"best_possible_{name}": float(
                macro_f1(rules, _best(s, rules), int(np.count_nonzero(support)))[0]
            )
            for rules, name in METRICS.items()
        },
        **{name: float(point[name][0]) for name in ("micro_f1", "micro_precision", "micro_recall")},
        "n_truth": int(support.sum()),
        "n_predicted": int(predicted.sum()),
        "til_share_truth": float(tissue_statistics.til_share(support)),
        "til_share_predicted": float(tissue_statistics.til_share(predicted)),
    }


def _best(s: CountedNuclei, rules: str) -> np.ndarray:
    """Return the value of each class [1, 10] for the truth submitted as the prediction."""
    return class_values(rules, sums(perfect(s.chosen), np.ones((1, len(s.truth)))))


def per_class(s: CountedNuclei, point: Mapping[Any, Any], found: Replicates) -> dict[str, Any]:
    """Return a row per class, NaN where undefined."""
    t, area = s.chosen, float(tissue_statistics.square_millimetres(s.truth.sizes).sum())
    hits, support, predicted = (a.sum(0) for a in (t.true_positive, t.support, t.predicted))
    precision, recall = detection.precision(hits, predicted), detection.recall(hits, support)
    best, pooled = _best(s, s.rules)[0], detection.f1(hits, support, predicted)
    result: dict[str, Any] = {}
    for k, name in enumerate(CLASSES):
        result[name] = {
            "support": support[k],
            "predicted": predicted[k],
            "tp": hits[k],
            "fp": predicted[k] - hits[k],
            "fn": support[k] - hits[k],
            "precision": precision[k],
            "recall": recall[k],
            "f1": point["f1", name][0],
            "best_possible_f1": best[k],
            "f1_pooled": pooled[k],
            "images_truth": np.count_nonzero(t.support[:, k]),
            "images_predicted": np.count_nonzero(t.predicted[:, k]),
            "per_mm2_truth": support[k] / area,
            "per_mm2_predicted": predicted[k] / area,
        }
        if found.values:
            result[name]["f1_interval"] = found.intervals["f1", name]
    return result


def cases(s: CountedNuclei) -> list[dict[str, Any]]:
    """Return a row per image in truth order, NaN where undefined."""
    t, d = s.chosen, s.detections
    hits, support, predicted = (a.sum(1) for a in (t.true_positive, t.support, t.predicted))
    f1, macro, micro = t.f1, mean_of_defined(t.f1), detection.f1(hits, support, predicted)
    true, found = tissue_statistics.til_share(t.support), tissue_statistics.til_share(t.predicted)
    return [
        {
            "case": case,
            "macro_f1": macro[i],
            "micro_f1": micro[i],
            "n_truth": support[i],
            "n_predicted": predicted[i],
            "tp": hits[i],
            "fp": predicted[i] - hits[i],
            "fn": support[i] - hits[i],
            "missing": d.missing[i],
            "f1": {name: f1[i, k] for k, name in enumerate(CLASSES) if t.occurs[i, k]},
            "width": s.truth.sizes[i, 0],
            "height": s.truth.sizes[i, 1],
            "til_share_truth": true[i],
            "til_share_predicted": found[i],
            "tumor_lymphocyte_um_truth": tissue_statistics.summary(
                s.truth_um[slice(*d.truth.first[i : i + 2])]
            ),
            "tumor_lymphocyte_um_predicted": tissue_statistics.summary(
                s.predicted_um[slice(*d.predicted.first[i : i + 2])]
            ),
        }
        for i, case in enumerate(s.truth.ids)
    ]


def more(s: CountedNuclei, confusion: np.ndarray) -> dict[str, Any]:
    """Return the challenge's own top-level entries: detection whatever the class, from the confusion matrix
    [11, 11], and tumour to immune cells."""
    paired, support, predicted = confusion[:-1, :-1].sum(), confusion[:-1].sum(), confusion[:, :-1].sum()
    return {
        "detection": {
            "f1": float(detection.f1(paired, support, predicted)),
            "precision": float(detection.precision(paired, predicted)),
            "recall": float(detection.recall(paired, support)),
        },
        "tumor_lymphocyte_um_truth": tissue_statistics.summary(s.truth_um),
        "tumor_lymphocyte_um_predicted": tissue_statistics.summary(s.predicted_um),
    }
