"""Every quantity of a PUMA scorecard that has an interval, from counts per image and class."""

from collections.abc import Mapping

from scoring.challenges.puma.formula import METRICS, Tallies, class_values, macro_f1, sums
from scoring.challenges.puma.names import CLASSES
from scoring.common.arrays import Floats
from scoring.metrics import detection
from scoring.statistics.replicates import QuantityName


def quantities(rules: str, counted: Mapping[str, Tallies], weights: Floats) -> dict[QuantityName, Floats]:
    """Return every quantity of the rows of weights [B, N], [B] by name; F1 of a class by the chosen rules
    under ("f1", class).

    counted: the tallies of every rule, description and pooled alike. NaN where undefined.
    """
    added = {name: sums(tallies, weights) for name, tallies in counted.items() if name != "pooled"}
    added["pooled"] = added["description"]
    values = {name: class_values(name, added[name]) for name in METRICS}
    found: dict[QuantityName, Floats] = {
        METRICS[name]: macro_f1(name, values[name], int(counted[name].occurs.any(0).sum()))
        for name in METRICS
    }
    total = added["description"]
    hits, support, predicted = (a.sum(1) for a in (total.true_positive, total.support, total.predicted))
    found |= {
        "micro_f1": detection.f1(hits, support, predicted),
        "micro_precision": detection.precision(hits, predicted),
        "micro_recall": detection.recall(hits, support),
        "score": found[METRICS[rules]],
    }
    return found | {("f1", name): values[rules][:, k] for k, name in enumerate(CLASSES)}
