"""Scorecard of PUMA."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.puma import diagnostics, match_table, nuclei_matching, outline_quality
from scoring.challenges.puma.diagnostics import score_warnings
from scoring.challenges.puma.formula import (
    ID,
    METRICS,
    OPTIONS,
    OUTLINES,
    RULES,
    Tallies,
    basis_of_classes,
    class_values,
    macro_f1,
    perfect,
    quantities,
    sums,
    unit_sums,
)
from scoring.challenges.puma.nuclei_matching import (
    MatchingRule,
    PairedNuclei,
    crowded,
    detections,
    of_card,
    reaching,
)
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.official_program import EVALUATOR, missing_words, official
from scoring.challenges.puma.outline_quality import MeasuredOutlines
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import InputRefused
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.options import check
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import provenance, truth_digest
from scoring.inputs.case_tables import find_units, joined_columns
from scoring.metrics.classification import divide, f_score, mean_of_defined
from scoring.statistics import intervals, permutation_test
from scoring.statistics.interval_basis import Basis, QuantityName
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.replicates import Quantities, Replicates, leave_one_out_weights, replicate


@dataclass(frozen=True)
class CountedNuclei:
    """The matched nuclei of a submission, counted by image and class under each rule.

    Attributes:
        rules: Name of the chosen rule.
        counted: Rule -> counts of nuclei.
        truth_um: Distance in um from each true tumour nucleus to the nearest lymphocyte [n]; NaN if
            undefined.
        predicted_um: Distance in um from each predicted tumour nucleus to the nearest predicted lymphocyte
            [m]; NaN if undefined.
    """

    truth: PumaTruth
    detections: PairedNuclei
    rules: str
    counted: Mapping[str, Tallies]
    truth_um: np.ndarray
    predicted_um: np.ndarray

    @property
    def chosen(self) -> Tallies:
        """The counts of the chosen rule."""
        return self.counted[self.rules]


def metric_values(s: CountedNuclei, point: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the metrics in the order of the scorecard; NaN if undefined."""
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
        "til_share_truth": float(diagnostics.til_share(support)),
        "til_share_predicted": float(diagnostics.til_share(predicted)),
    }


def _best(s: CountedNuclei, rules: str) -> np.ndarray:
    """Return the value of each class [1, 10] for the truth submitted as the prediction."""
    return class_values(rules, sums(perfect(s.chosen), np.ones((1, len(s.truth)))))


def class_rows(s: CountedNuclei, point: Mapping[Any, Any], replicates: Replicates) -> dict[str, Any]:
    """Return a row of measures per class; NaN if undefined."""
    t, area = s.chosen, float(diagnostics.square_millimetres(s.truth.sizes).sum())
    hits, support, predicted = (a.sum(0) for a in (t.true_positive, t.support, t.predicted))
    precision, recall = divide(hits, predicted), divide(hits, support)
    best, pooled = _best(s, s.rules)[0], f_score(hits, support, predicted)
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
        if replicates.values:
            result[name]["f1_interval"] = replicates.intervals["f1", name]
    return result


def image_rows(s: CountedNuclei) -> list[dict[str, Any]]:
    """Return a row of measures per image in truth order; NaN if undefined."""
    t, d = s.chosen, s.detections
    hits, support, predicted = (a.sum(1) for a in (t.true_positive, t.support, t.predicted))
    f1, macro, micro = t.f1, mean_of_defined(t.f1), f_score(hits, support, predicted)
    true, predicted_share = diagnostics.til_share(t.support), diagnostics.til_share(t.predicted)
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
            "til_share_predicted": predicted_share[i],
            "tumor_lymphocyte_um_truth": diagnostics.summary(s.truth_um[slice(*d.truth.first[i : i + 2])]),
            "tumor_lymphocyte_um_predicted": diagnostics.summary(
                s.predicted_um[slice(*d.predicted.first[i : i + 2])]
            ),
        }
        for i, case in enumerate(s.truth.ids)
    ]


def further_entries(s: CountedNuclei, confusion: np.ndarray) -> dict[str, Any]:
    """Return the entries that only this challenge adds to the scorecard. They are: the detection of nuclei
    regardless of class, computed from the confusion matrix [11, 11]; and the distances from tumour nuclei to
    immune cells."""
    paired, support, predicted = confusion[:-1, :-1].sum(), confusion[:-1].sum(), confusion[:, :-1].sum()
    return {
        "detection": {
            "f1": float(f_score(paired, support, predicted)),
            "precision": float(divide(paired, predicted)),
            "recall": float(divide(paired, support)),
        },
        "tumor_lymphocyte_um_truth": diagnostics.summary(s.truth_um),
        "tumor_lymphocyte_um_predicted": diagnostics.summary(s.predicted_um),
    }


FEW_IMAGES = 100


def score(truth: PumaTruth, predictions: NucleiPredictions, settings: ScoreSettings) -> ScoreCard:
    """Score predictions of the cases of the truth. All three macro F1s are computed, and the option `rules`
    selects the score. The unit of the intervals is the image, unless an option names another. Raises
    InputRefused if options, metadata or unit are refused, or if nuclei are too crowded."""
    if settings.problems:
        raise InputRefused(settings.problems, [*truth.findings, *predictions.findings])
    statistics, metadata, options = settings.statistics, settings.metadata, settings.options
    columns = joined_columns(truth, metadata)
    unit, units = find_units(columns, len(truth), (), truth.id_column, statistics.group)
    rule = MatchingRule(options["rules"], options["radius"], options["min_confidence"])
    digest, measured = truth_digest(truth, predictions), options[OUTLINES.name]
    source = provenance(digest, predictions, options, statistics, metadata, unit, units)
    nuclei = detections(truth, predictions, rule.radius)
    return _card(PumaEvaluation(truth, predictions, nuclei, rule, statistics, units, source, measured))


def rescore(truth: PumaTruth, predictions: NucleiPredictions, card: ScoreCard, **changed: Any) -> ScoreCard:
    """Score the same submission with another value of `rules`, `radius`, `min_confidence` or `resamples`,
    without outline quality. Nuclei and pairs of the scorecard are reused. Raises InputRefused if an option is
    invalid, or if nuclei are too crowded for the radius."""
    source = card.provenance
    used = (
        {name: source["options"][name] for name in ("rules", "radius", "min_confidence")}
        | {"resamples": source["resamples"]}
        | changed
    )
    statistics = StatisticsOptions(
        used.pop("resamples"), source["seed"], source["options"]["group"], source["options"]["interval"]
    )
    wrong_options = [*check(OPTIONS, used), *statistics.problems()]
    if wrong_options:
        raise InputRefused(wrong_options)
    rule = MatchingRule(used["rules"], used["radius"], used["min_confidence"])
    nuclei = reaching(of_card(card), rule.radius)
    if nuclei is None:
        raise InputRefused([crowded(predictions.name, rule.radius)])
    same_kept = rule.min_confidence == source["options"]["min_confidence"]
    known = (card.arrays["um_truth"], card.arrays["um_predicted"]) if same_kept else None
    source = {**source, "options": {**source["options"], **_options(rule)}, "resamples": statistics.resamples}
    units = card.arrays["units"]
    return _card(PumaEvaluation(truth, predictions, nuclei, rule, statistics, units, source), known)


def _options(rule: MatchingRule) -> dict[str, Any]:
    matching_options = {"rules": rule.name, "radius": rule.radius, "min_confidence": rule.min_confidence}
    return matching_options | {OUTLINES.name: False}


@dataclass(frozen=True)
class PumaEvaluation:
    """Truth, predictions and settings from which a scorecard is computed. `source` is the provenance;
    `outlines` says whether outlines are measured too."""

    truth: PumaTruth
    predictions: NucleiPredictions
    detections: PairedNuclei
    rule: MatchingRule
    statistics: StatisticsOptions
    units: Ints
    source: Mapping[str, Any]
    outlines: bool = False


def _card(e: PumaEvaluation, known: tuple[Floats, Floats] | None = None) -> ScoreCard:
    """known: `um_truth` and `um_predicted` of a card with the same predictions kept."""
    d, name = e.detections, e.rule.name
    matched = nuclei_matching.match_all(d, e.rule)
    m = matched[name]
    counted = {rule: nuclei_matching.tallies(d, matched[rule]) for rule in RULES}
    measured = outline_quality.measure(e.truth.nuclei, e.predictions.nuclei, d, m) if e.outlines else None
    evaluate = partial(_quantities, name, counted, measured)
    point = evaluate(np.ones((1, len(e.truth))))
    basis = partial(_basis, counted[name], measured)
    replicates = replicate(evaluate, point, e.units, e.statistics, basis=basis)
    if e.units.max() == 0:  # one image says nothing about others: no interval
        replicates = replace(replicates, intervals=dict.fromkeys(replicates.intervals))
    sides = (d.truth, np.ones(len(d.truth.classes), bool)), (d.predicted, m.confident)
    truth_um, predicted_um = known or (
        diagnostics.tumor_to_lymphocyte(side.classes, side.points, side.first, counting)
        for side, counting in sides
    )
    scored = CountedNuclei(e.truth, d, name, counted, truth_um, predicted_um)
    confusion, metrics = nuclei_matching.confusion(d, m), metric_values(scored, point)
    warnings = [*score_warnings(d, e.predictions, e.rule, counted[name], metrics, replicates)]
    card = ScoreCard(
        ID,
        plain(float(point["score"][0])),
        plain(metrics),
        plain(class_rows(scored, point, replicates)),
        len(e.truth),
        tuple(plain(image_rows(scored))),
        (*e.truth.findings, *e.predictions.findings, *warnings, *replicates.findings),
        e.source,
        {"labels": [*CLASSES, "none"], "counts": confusion.tolist()},
        {name: value for name, value in replicates.intervals.items() if isinstance(name, str)},
        plain(
            further_entries(scored, confusion)
            | _jackknife(evaluate, point, e.units, e.statistics)
            | ({"model": dict(e.predictions.model)} if e.predictions.model else {})
        ),
        {
            **d.arrays,
            **_arrays(scored, e.units),
            **replicates.arrays,
            **permutation_test.card_arrays(
                bool(replicates.values), e.units, lambda: unit_sums(name, counted[name], e.units)
            ),
        },
        match_table.table(d, m, e.truth.ids, e.rule.confidences(d), measured.iou if measured else None),
        official=official(e.truth, e.predictions, d, e.rule, counted[EVALUATOR], float(point["score"][0])),
        incomplete=missing_words(d),
    )
    return card if measured is None else _with_outlines(card, e, measured, point, replicates)


def _basis(tallies: Tallies, measured: MeasuredOutlines | None, units: Ints) -> Basis:
    """Return the basis of the quantities."""
    of = basis_of_classes(tallies, units)
    return (
        of
        if measured is None
        else replace(of, units={**of.units, **outline_quality.basis(measured.tallies, units)})
    )


def _quantities(
    name: str, counted: Mapping[str, Tallies], measured: MeasuredOutlines | None, weights: Floats
) -> dict[QuantityName, Floats]:
    """Return every quantity of the rows of weights, of outlines too where they are measured."""
    values = quantities(name, counted, weights)
    return values if measured is None else values | outline_quality.quantities(measured.tallies, weights)


def _with_outlines(
    card: ScoreCard, e: PumaEvaluation, measured: MeasuredOutlines, point: Quantities, replicates: Replicates
) -> ScoreCard:
    """Return the same card with the quality of outlines."""
    of_class, of_case = outline_quality.per_class(point, replicates), outline_quality.cases(measured)
    noticed = outline_quality.findings(
        measured, e.truth.ids, e.detections, (e.truth.name, e.predictions.name)
    )
    return replace(
        card,
        metrics={**card.metrics, **{name: plain(float(point[name][0])) for name in outline_quality.METRICS}},
        per_class={name: {**row, **plain(of_class[name])} for name, row in card.per_class.items()},
        cases=tuple(
            {**row, **plain(outline_row)} for row, outline_row in zip(card.cases, of_case, strict=True)
        ),
        findings=(*card.findings, *noticed),
        more={**card.more, "outlines": outline_quality.summary(measured)},
        arrays={**card.arrays, **outline_quality.arrays(measured)},
    )


def _jackknife(
    evaluate: Callable[[Floats], Quantities], point: Quantities, units: Ints, statistics: StatisticsOptions
) -> dict[str, Any]:
    """Return the score's jackknife interval beside the percentile one, which is too narrow for a macro F1 of
    few images: measured coverage with 41 is 91 % against 94 %."""
    if not statistics.resamples or units.max() + 1 >= FEW_IMAGES:
        return {}
    left_out = np.concatenate([evaluate(weights)["score"] for weights in leave_one_out_weights(units)])
    return {"score_jackknife_interval": intervals.jackknife(float(point["score"][0]), left_out)}


def _arrays(s: CountedNuclei, units: np.ndarray) -> dict[str, np.ndarray]:
    """Return the data for figures and comparisons besides the detections, read-only.

    units [N]. f1: of each image and class [N, 10], NaN if the class does not occur. um_truth [n],
    um_predicted [m]: from tumour nuclei to the nearest lymphocyte, NaN if undefined. aligned: uint8 [32],
    the SHA-256 of what was submitted for the truth's cases.
    """
    d = s.detections
    submitted = (d.predicted.first, d.predicted.classes, d.predicted.points, d.confidence, d.score, d.missing)
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in submitted)).digest()
    arrays = {
        "units": units,
        "f1": s.chosen.f1,
        "um_truth": s.truth_um,
        "um_predicted": s.predicted_um,
        "aligned": np.frombuffer(digest, np.uint8),
    }
    for array in arrays.values():
        array.setflags(write=False)
    return arrays
