"""Small tables of melanoma and other spots with a risk score, and every metric of them once more in plain
loops."""

import math
from collections.abc import Sequence

import scoring
from scoring.common.fixes import RAW
from scoring.inputs.sources import FixedSource
from tests.support.lesion_tables import table

CHALLENGE = scoring.load_challenge("melanoma")
TRUTH = (True, False, True, False, False, True, False, False)
SCORES = (0.9, 0.1, 0.4, 0.6, 0.2, 0.7, 0.3, 0.4)


def names(count: int) -> list[str]:
    return [f"c{i}.jpg" for i in range(count)]


def truth_table(positive: Sequence[bool]) -> bytes:
    return table(
        ("filename", "label"),
        *([name, str(bool(y))] for name, y in zip(names(len(positive)), positive, strict=True)),
    )


def score_table(scores: Sequence[float | None]) -> bytes:
    """Cases whose score is None have no row."""
    return table(
        ("image", "score"),
        *(
            [name, repr(float(s))]
            for name, s in zip(names(len(scores)), scores, strict=True)
            if s is not None
        ),
    )


def card(positive: Sequence[bool], scores: Sequence[float | None], **options):
    """The scorecard of scores as they are; cases without a score count as wrong."""
    cases = CHALLENGE.read_truth(truth_table(positive), name="t.csv")
    table = score_table(scores)
    raw = any(score is not None and score > 1 for score in scores)
    found = CHALLENGE.read_predictions(FixedSource(table, RAW.changes) if raw else table, cases, name="p.csv")
    return CHALLENGE.score(cases, found, missing="wrong", **({"resamples": 0} | options))


def ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None


def ranks(positive: Sequence[bool], scores: Sequence[float | None]) -> list[float]:
    """A missing positive ranks below every score, a missing negative above."""
    return [
        s if s is not None else -math.inf if y else math.inf for y, s in zip(positive, scores, strict=True)
    ]


def counts(positive: Sequence[bool], called: Sequence[bool]) -> tuple[int, int, int, int]:
    """TP, FP, FN, TN."""
    pairs = list(zip(positive, called, strict=True))
    return (
        pairs.count((True, True)),
        pairs.count((False, True)),
        pairs.count((True, False)),
        pairs.count((False, False)),
    )


def f_beta(tp: int, fp: int, fn: int, beta: float) -> float:
    denominator = (1 + beta**2) * tp + beta**2 * fn + fp
    return (1 + beta**2) * tp / denominator if denominator else 0.0


def ordered_pairs(positive: Sequence[bool], ranked: Sequence[float]) -> float | None:
    """Share of the pairs of a positive and a negative in the right order, ties half."""
    ill, well = ([s for s, y in zip(ranked, positive, strict=True) if y is kind] for kind in (True, False))
    return ratio(
        sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in ill for b in well), len(ill) * len(well)
    )


def average_precision(positive: Sequence[bool], ranked: Sequence[float]) -> float | None:
    if all(positive) or not any(positive):
        return None
    total, before = 0.0, 0.0
    for threshold in sorted(set(ranked), reverse=True):
        above = [y for y, s in zip(positive, ranked, strict=True) if s >= threshold]
        reached = sum(above) / sum(positive)
        total += (reached - before) * sum(above) / len(above)
        before = reached
    return total


def at_90(positive: Sequence[bool], ranked: Sequence[float]) -> tuple[float | None, float | None]:
    """Largest recall with 10 FP <= negatives, largest specificity with 10 TP >= 9 positives."""
    n_ill, n_well = sum(positive), len(positive) - sum(positive)
    if not n_ill or not n_well:
        return None, None
    sensitive, specific = [0.0], []
    for threshold in sorted(set(ranked)):
        called = [s >= threshold for s in ranked]
        tp, fp, _, tn = counts(positive, called)
        sensitive += [tp / n_ill] if 10 * fp <= n_well else []
        specific += [tn / n_well] if 10 * tp >= 9 * n_ill else []
    return max(sensitive), max(specific)


def calibration(
    positive: Sequence[bool], scores: Sequence[float | None]
) -> tuple[float | None, float | None, float | None]:
    """Brier score, log loss and calibration error of the cases that have a score."""
    told = [(y, s) for y, s in zip(positive, scores, strict=True) if s is not None]
    if not told or any(not -1e-6 <= s <= 1 + 1e-6 for _, s in told):
        return None, None, None
    clipped = [(y, min(max(s, 1e-15), 1 - 1e-15)) for y, s in told]
    bins: dict[int, list[tuple[bool, float]]] = {}
    for y, s in told:
        bins.setdefault(min(max(math.ceil(10 * s) - 1, 0), 9), []).append((y, s))
    gaps = [
        abs(sum(y for y, _ in b) / len(b) - sum(s for _, s in b) / len(b)) * len(b) for b in bins.values()
    ]
    losses = [-math.log(q) if y else -math.log(1 - q) for y, q in clipped]
    return sum((s - y) ** 2 for y, s in told) / len(told), sum(losses) / len(told), sum(gaps) / len(told)


def metrics(positive: Sequence[bool], scores: Sequence[float | None]) -> dict[str, float | None]:
    """Every metric of the scorecard, as its definition reads."""
    ranked = ranks(positive, scores)
    tp, fp, fn, tn = counts(positive, [s > 0.5 for s in ranked])
    recall, specificity = ratio(tp, tp + fn), ratio(tn, tn + fp)
    sensitive, specific = at_90(positive, ranked)
    brier, loss, gap = calibration(positive, scores)
    return {
        "f2": f_beta(tp, fp, fn, 2),
        "accuracy": (tp + tn) / len(positive),
        "auc": ordered_pairs(positive, ranked),
        "precision": ratio(tp, tp + fp),
        "recall": recall,
        "specificity": specificity,
        "balanced_accuracy": None if recall is None or specificity is None else (recall + specificity) / 2,
        "f1": f_beta(tp, fp, fn, 1),
        "average_precision": average_precision(positive, ranked),
        "sensitivity_at_90_specificity": sensitive,
        "specificity_at_90_sensitivity": specific,
        "brier_score": brier,
        "log_loss": loss,
        "expected_calibration_error": gap,
    }


def score(found: dict[str, float | None]) -> float | None:
    return None if found["auc"] is None else 0.6 * found["f2"] + 0.3 * found["accuracy"] + 0.1 * found["auc"]
