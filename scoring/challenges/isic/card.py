"""The ScoreCard of an ISIC Challenge: every number, the findings of scoring, and what is drawn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.challenge import ScoreSettings
from scoring.challenges.isic import measures
from scoring.challenges.isic.categories import EXCLUDED, UNKNOWN, malignant, preset
from scoring.challenges.isic.measures import MEANS, RANKED_BY, Answers
from scoring.challenges.isic.options import MALIGNANT_CATEGORIES, PAGE_RULES
from scoring.challenges.isic.tables import first_refusal
from scoring.challenges.isic.truth import UNIT_COLUMNS, Cases, subgroups
from scoring.findings import Finding, InputRefused, error, note, warning
from scoring.metrics import calibration, classification, roc
from scoring.metrics import subgroups as shares
from scoring.metrics.calibration import Reliability
from scoring.metrics.subgroups import Share
from scoring.metrics.thresholds import HALF
from scoring.readers.case_tables import joined_columns
from scoring.readers.sources import Source
from scoring.readers.units import find_units
from scoring.scorecard import ScoreCard, plain
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import Replicates, replicate
from scoring.submission import Predictions, provenance, truth_digest

ID = "isic"
UNDECIDED = "undecided"
SMALL_CLASS = 15
SWAP_GAIN = 0.2
MEASURES = (
    "recall",
    "sensitivity",
    "specificity",
    "accuracy",
    "ppv",
    "npv",
    "f1",
    "auc",
    "auc_sens_80",
    "average_precision",
)
WITH_INTERVAL = ("auc", "recall", "f1", "average_precision")


@dataclass(frozen=True)
class Options:
    """metric: what ranks, by its official name; None = balanced accuracy, unasked. malignant: the categories.
    rules: "official" or "milk10k-page"."""

    metric: str | None
    malignant: tuple[str, ...]
    rules: str

    @property
    def ranked_by(self) -> str:
        return self.metric or "balanced_accuracy"

    @property
    def inclusive(self) -> bool:
        """Whether a score of 0.5 itself is positive."""
        return self.rules == PAGE_RULES

    def as_dict(self) -> dict:
        return {"metric": self.ranked_by, "malignant": list(self.malignant), "rules": self.rules}


def score(truth: Cases, predictions: Predictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions [N, K] that lie in 0..1.

    Raises:
        InputRefused: With every fault of the predictions, for options that are not allowed, and for metadata
            or a unit column that cannot be read.
    """
    used = malignant(truth.categories, settings.options["malignant"])
    problems = [*settings.problems, *_unknown_categories(used, truth.categories)]
    if predictions.faults or problems:
        raise InputRefused([*predictions.faults, *problems], [*truth.findings, *predictions.findings])
    options = Options(settings.options["metric"], used, settings.options["rules"])
    return _card(truth, predictions, options, settings.statistics, settings.metadata)


def _unknown_categories(named: Iterable[str], categories: Sequence[str]) -> list[Finding]:
    return [
        error(
            "bad-option",
            MALIGNANT_CATEGORIES.flag,
            f"{name!r} is no category: {', '.join(categories)} are.",
        )
        for name in named
        if name not in categories
    ]


def _card(
    truth: Cases,
    predictions: Predictions,
    options: Options,
    statistics: StatisticsOptions,
    metadata: Source | None,
) -> ScoreCard:
    columns = joined_columns(truth, metadata, repeated=truth.id_column != "image")
    unit, units = find_units(columns, len(truth), UNIT_COLUMNS, truth.id_column, statistics.group)
    answers = measures.answers(
        truth.categories,
        truth.positives,
        truth.labels,
        predictions.outputs,
        predictions.labels,
        options.malignant,
        options.inclusive,
    )
    groups = measures.slices(subgroups(columns), truth.score_weights) if metadata is not None else {}
    counted = _slice_shares(answers, options.malignant)

    def quantities(weights: np.ndarray) -> dict:
        return measures.quantities(answers, weights, options.ranked_by) | shares.quantities(
            groups, counted, weights
        )

    point = quantities(truth.score_weights[None])
    found = replicate(quantities, point, units, statistics, truth.score_weights)
    metrics = {
        name: float(values[0]) for name, values in point.items() if isinstance(name, str) and name != "score"
    }
    metrics["validation_score"] = _validation_score(truth, answers, point, options)
    scored = truth.score_weights > 0
    reliable = _reliability(answers, scored)
    findings = [
        *truth.findings,
        *predictions.findings,
        *_findings(truth, predictions, answers, metrics, options, found),
    ]
    more = {
        "n_scored": int(scored.sum()),
        "preset": preset(truth.categories),
        "malignant": list(options.malignant),
        "scores_at_half": scores_at_half(predictions),
        "official": _official(truth, predictions),
        **_calibration(reliable),
    }
    if groups:
        more["slices"] = shares.rows(groups, counted, point, found.intervals)
    if predictions.model:
        more["model"] = {k: v for k, v in predictions.model.items() if k != "size_mib"}
    shown = {name: value for name, value in found.intervals.items() if isinstance(name, str)}
    return ScoreCard(
        ID,
        plain(float(point["score"][0])),
        plain(metrics),
        plain(_per_class(answers, point, found, scored, options)),
        len(truth),
        _cases(truth, predictions),
        tuple(findings),
        provenance(
            truth_digest(truth, predictions),
            predictions,
            options.as_dict(),
            statistics,
            metadata,
            unit,
            units,
        ),
        _confusion(answers, scored),
        shown,
        plain(more),
        {**_arrays(truth, answers, units, reliable), **found.arrays},
    )


def scores_at_half(predictions: Predictions) -> int:
    """How many scores are exactly 0.5."""
    return int((predictions.outputs == HALF).sum())


def _slice_shares(a: Answers, malignant: Sequence[str]) -> dict[str, Share]:
    places = [k for k, name in enumerate(a.categories) if name in malignant]
    labelled, ill = a.labels >= 0, np.isin(a.labels, places)
    return {
        "accuracy": Share(labelled & (a.labels == a.predicted), labelled),
        "malignant_sensitivity": Share(ill & np.isin(a.predicted, places), ill, "n_malignant"),
    }


def _validation_score(truth: Cases, a: Answers, point: Mapping, options: Options) -> float:
    if not truth.weighted and not truth.validated:
        return float(point["score"][0])
    return measures.ranked_value(a, truth.validation_weights, options.ranked_by)


def _official(truth: Cases, predictions: Predictions) -> dict:
    """Whether the official scorer accepts the files, and the one thing that it says where it does not."""
    words = first_refusal([*truth.findings, *predictions.findings])
    return {"accepted": words is None, "message": words}


def _per_class(a: Answers, point: Mapping, found: Replicates, scored: np.ndarray, options: Options) -> dict:
    ranking = MEANS[RANKED_BY[options.ranked_by]]
    defined = sum(not np.isnan(point[ranking, name][0]) for name in a.categories)
    rows = {}
    for k, name in enumerate(a.categories):
        value = float(point[ranking, name][0])
        worth = np.nan if np.isnan(value) else 1 / defined
        rows[name] = {
            "support": int((a.positives[:, k] & scored).sum()),
            **{m: float(point[m, name][0]) for m in MEASURES},
            "score_worth": worth,
            "score_lost": worth * (1 - value),
        }
        if found.values:
            rows[name] |= {f"{m}_interval": found.intervals[m, name] for m in WITH_INTERVAL}
    return rows


def _confusion(a: Answers, scored: np.ndarray) -> dict:
    k = len(a.categories)
    y, p = (np.where(labels >= 0, labels, k)[scored] for labels in (a.labels, a.predicted))
    counts = classification.confusion_matrix(y, p, k + 1)
    size = k + bool((y == k).any() or (p == k).any())
    return {"labels": [*a.categories, UNDECIDED][:size], "counts": counts[:size, :size].tolist()}


def _cases(truth: Cases, predictions: Predictions) -> tuple[dict, ...]:
    names, labels = (*truth.categories, UNDECIDED), truth.labels  # -1 is the last
    scores = np.where(labels >= 0, predictions.outputs[np.arange(len(labels)), labels], np.nan).tolist()
    rows = [
        {
            "case": case,
            "truth": names[y],
            "predicted": names[p],
            "correct": y == p if y >= 0 else None,
            "truth_score": score if y >= 0 else None,
        }
        for case, y, p, score in zip(
            truth.ids, labels.tolist(), predictions.labels.tolist(), scores, strict=True
        )
    ]
    if truth.weighted:
        for row, weight in zip(rows, truth.score_weights.tolist(), strict=True):
            row["weight"] = weight
    return tuple(rows)


def _reliability(a: Answers, scored: np.ndarray) -> Reliability | None:
    """Ten bins of the largest score, of the cases with a truth label and a weight; None unless every row sums
    to 1."""
    if calibration.output_kind(a.outputs) != "probabilities":
        return None
    kept = scored & (a.labels >= 0)
    return calibration.reliability(a.outputs[kept].max(1), a.labels[kept] == a.predicted[kept])


def _calibration(found: Reliability | None) -> dict:
    if found is None:
        return {}
    bins = [
        {"n": int(n), "mean_score": float(predicted), "accuracy": float(observed)}
        for n, predicted, observed in zip(found.n, found.predicted, found.observed, strict=True)
    ]
    return {"calibration": {"bins": bins, "expected_calibration_error": found.expected_calibration_error}}


def _findings(
    truth: Cases, predictions: Predictions, a: Answers, metrics: Mapping, options: Options, found: Replicates
) -> Iterator[Finding]:
    scored = truth.score_weights > 0
    if EXCLUDED in truth.ids:
        yield note(
            "excluded-image",
            EXCLUDED,
            "this image weighs 0, as in the official scorer, whatever the file says.",
        )
    undecided = int((a.labels < 0).sum())
    if undecided:
        yield warning(
            "undecided-truth",
            truth.name,
            f"{undecided} row{'s have' if undecided > 1 else ' has'} no category or several: they "
            "take part one-vs-rest, but in no recall, "
            "no accuracy and no malignant AUC.",
        )
    yield from _out_of_order(truth, a, options)
    tied = int((a.predicted < 0).sum())
    if tied:
        yield warning(
            "undecided",
            predictions.name,
            f"{tied} of {len(truth)} rows ({tied / len(truth):.1%}) share their largest score "
            "between categories: undecided, hence wrong. "
            "Rounding does this: give more decimals.",
        )
    for k, name in enumerate(a.categories):
        positive, negative = (a.positives[:, k] & scored).any(), (~a.positives[:, k] & scored).any()
        if not positive:
            yield warning(
                "absent-class",
                name,
                f"no case of {name} with a weight: what needs one is undefined and left out of the means. "
                "The official scorer stops with an error here.",
            )
        elif not negative:
            yield warning(
                "no-negatives", name, f"every case is {name}: specificity, npv and the areas are undefined."
            )
    yield from _malignant_findings(a, metrics, options, scored)
    if np.isnan(metrics["validation_score"]) and not (truth.validation_weights > 0).any():
        yield warning(
            "no-validation-weight",
            "validation_score",
            "every validation_weight is 0: there is no validation score.",
        )
    if preset(truth.categories) == "milk10k" and options.metric is None:
        yield note(
            "milk10k-ranked-by-dice",
            "score",
            "MILK10k is ranked by macro F1 on its site: --metric dice gives that score.",
        )
    swap = measures.swapped(a.labels, a.predicted, scored, a.categories, SWAP_GAIN)
    if swap:
        yield warning(
            "columns-may-be-swapped",
            predictions.name,
            f"{', '.join(f'{name} seems to stand in column {column}' for name, column in swap[1])}: "
            f"changing places would raise balanced accuracy by {swap[0]:.3f}. Scored as it stands; "
            "check the order of the columns.",
        )
    if found.values:
        for k, name in enumerate(a.categories):
            support = int((a.positives[:, k] & scored).sum())
            if 0 < support < SMALL_CLASS:
                yield warning(
                    "few-cases-in-class",
                    name,
                    (
                        f"{support} case{'s' * (support > 1)}: intervals of its measures are too narrow "
                        f"below {SMALL_CLASS} cases."
                    ),
                )
    yield from found.findings


def _malignant_findings(
    a: Answers, metrics: Mapping, options: Options, scored: np.ndarray
) -> Iterator[Finding]:
    left_out = int((a.malignancy.left_out & scored).sum())
    if left_out:
        yield note(
            "unknown-left-out",
            UNKNOWN,
            f"{left_out} case{'s' * (left_out > 1)} of {UNKNOWN} take no part in the malignant AUC: "
            "none of the above is no benign diagnosis.",
        )
    if np.isnan(metrics["malignant_auc"]):
        reason = (
            f"needs malignant cases ({', '.join(options.malignant)}) and others"
            if options.malignant
            else "needs malignant categories: name them, --malignant"
        )
        yield warning("malignant-undefined", "malignant_auc", f"malignant against benign {reason}.")


def _out_of_order(truth: Cases, a: Answers, options: Options) -> Iterator[Finding]:
    varying = any(np.ptp(w) > 0 for w in (truth.score_weights, truth.validation_weights))
    if not varying or all(x <= y for x, y in zip(truth.ids, truth.ids[1:], strict=False)):
        return
    order = np.array(sorted(range(len(truth)), key=truth.ids.__getitem__))
    figures = [
        measures.by_position(a, w, order, options.ranked_by)
        for w in (truth.score_weights, truth.validation_weights)
    ]
    said = [f"{figure!r}" if np.isfinite(figure) else "no number" for figure in figures]
    yield warning(
        "weights-out-of-order",
        truth.name,
        "the weights belong to their rows here; the official scorer applies them in file order to "
        f"rows sorted by id and prints {said[0]} "
        f"(validation {said[1]}) for this file. Sort the truth by id and both agree.",
    )


def _arrays(
    truth: Cases, a: Answers, units: np.ndarray, reliable: Reliability | None
) -> dict[str, np.ndarray]:
    """What is drawn and too fine for JSON, read-only: scores, positives, labels, weights, units, and the
    curves of `roc.polyline` padded with NaN.

    roc_x, roc_y, roc_threshold, pr_precision [K, points] (recall is roc_y); malignant_x, malignant_y,
    malignant_threshold [points]. reliability_predicted, _observed, _low, _high, _n [10], where there is a
    calibration.
    """
    weights = truth.score_weights[None]
    lines, precisions = [], []
    for levels in a.levels:
        c = roc.curve(levels, weights)
        lines.append(roc.polyline(levels, c))
        precisions.append(
            roc.precisions(lines[-1][0], lines[-1][1], float(c.positives[0]), float(c.negatives[0]))
        )
    malignant = roc.polyline(
        a.malignancy.levels, roc.curve(a.malignancy.levels, weights[:, a.malignancy.members])
    )
    arrays = {
        "outputs": a.outputs,
        "positives": a.positives,
        "truth": a.labels,
        "predicted": a.predicted,
        "score_weights": truth.score_weights,
        "units": units,
        "pr_precision": _padded(precisions),
        **{
            f"roc_{name}": _padded([line[i] for line in lines])
            for i, name in enumerate(("x", "y", "threshold"))
        },
        **{f"malignant_{name}": line for name, line in zip(("x", "y", "threshold"), malignant, strict=True)},
        **({f"reliability_{name}": value for name, value in vars(reliable).items()} if reliable else {}),
    }
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def malignant_curve(scored: ScoreCard, malignant: Sequence[str]) -> dict:
    """Malignant against benign by another grouping of a card's categories: "auc" (None where undefined), and
    "x", "y", "threshold" of its curve."""
    m = measures.malignancy(
        tuple(scored.per_class), scored.arrays["truth"], scored.arrays["outputs"], malignant
    )
    c = roc.curve(m.levels, scored.arrays["score_weights"][None, m.members])
    return {
        "auc": plain(float(roc.auc(c)[0])),
        **dict(zip(("x", "y", "threshold"), roc.polyline(m.levels, c), strict=True)),
    }


def _padded(lines: Sequence[np.ndarray]) -> np.ndarray:
    width = max(len(line) for line in lines)
    return np.array([np.r_[line, np.full(width - len(line), np.nan)] for line in lines])
