"""Safe-Scan Melanoma: one risk score per photograph.

Source: the challenge's own description (0.6 F2 + 0.3 accuracy + 0.1 AUC) and, where that is silent, the public validator code until mid 2025.
"""
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.findings import Finding, InputRefused, error, note, ordered, warning
from scoring.metrics import binary, calibration, classification, curves, subgroups
from scoring.metrics.binary import Decisions, OperatingPoint
from scoring.metrics.subgroups import Share
from scoring.models import pictures, submission
from scoring.models.preflight import Contract, image_size
from scoring.models.preprocessing import Recipe, Seen
from scoring.models.process import ModelFacts
from scoring.predictions import Predictions, grade, provenance
from scoring.predictions import table as predictions_table
from scoring.readers import alignment, lesions, tables
from scoring.readers.lesions import CODES, Cases, LabelColumn, once
from scoring.readers.sources import Source
from scoring.readers.tables import Table
from scoring.scorecard import ScoreCard, plain
from scoring.statistics import resampling
from scoring.statistics.intervals import QUANTILES
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import Replicates, replicate

ID = "melanoma"
TITLE = "Melanoma, risk from a photograph"
FORMULA = "60 × F2 + 30 × accuracy + 10 × AUC"
ABOUT = "One number 0 to 1 from a phone photograph; missing a melanoma is worse than a false alarm."
WEIGHTS = {"f2": ("F2", "F2", 60), "accuracy": ("accuracy", "acc.", 30), "auc": ("AUC", "AUC", 10)}
AS_POINTS = True
RULE = """
| part | weight | what it is |
|---|--:|---|
| F2 | 60 | 5 TP / (5 TP + 4 FN + FP) at the threshold: a missed melanoma costs four times a false alarm |
| accuracy | 30 | right cases / all cases at the threshold |
| AUC | 10 | share of (melanoma, other) pairs that the scores put in the right order, ties half |

A case is called melanoma where its score is **strictly greater than 0.5**. Nothing is rounded.
"""
CLASSES = ("negative", "positive")
THRESHOLD = .5
SMALL_CLASS = 15
BETA = 2
POSITIVE = {"true", "t", "yes", "y", "1", "1.0", "positive", "pos", "malignant", "melanoma", "mel"}
OTHER_CLASSES = {"akiec", "bcc", "ben_oth", "bkl", "df", "inf", "mal_oth", "nv", "sccka", "vasc"}
NEGATIVE = {"false", "f", "no", "n", "0", "0.0", "negative", "neg", "benign", "non_melanoma"} | OTHER_CLASSES
SCORE_COLUMNS = ("melanoma", "mel", "malignant", "positive", "pos", "true", "score", "risk", "probability", "prob", "p", "prediction", "predicted", "pred",
                 "output", "target", "1")
UNIT_COLUMNS = ("patient_id", "lesion_id")
MISSING = ("refuse", "wrong")
PICTURE_SIDE = 224
CURVE_REPLICATES = 300
LOCATIONS = lesions.LOCATIONS
ARGUMENTS = {"--missing": {"default": "refuse", "metavar": "HOW", "help": "cases without a usable score: refuse (default), or count them as wrong"}}


def read_truth(source: Source, name: str | None = None, images: Source | None = None) -> Cases:
    """Read the test set: a table, or a folder or zip with a table and images; `images` names another place for these.

    Raises InputRefused with every problem; its `salvaged` is what could be read.
    """
    return lesions.read_cases(source, name, _read_labels, images, demographics=False)


def read_images(source: Source, name: str | None = None) -> Cases:
    """Read cases without labels, for `predict`: the rows of the table where there is one, else every image by file name."""
    return lesions.read_pictures(source, name, demographics=False)


def parse_label(cell: str) -> int | None:
    """1 for melanoma, 0 for another, None where the word is neither."""
    word = tables.key(cell)
    return 1 if word in POSITIVE else 0 if word in NEGATIVE else None


def _read_labels(table: Table, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    column, twice = tables.find_column(table, lesions.LABEL)
    problems += twice
    if column is None:
        problems.append(tables.missing_column(table, "the label", ("label", "class")))
        return LabelColumn(np.full(len(table), -1))
    if table.keys[column] not in lesions.OFFICIAL_LABEL:
        findings.append(warning("header-alias", table.header_place, f"column {table.header[column]!r} is read as the label; the official loader knows Class and Label only."))
    cells = table.columns[column]
    labels = [parse_label(cell) for cell in cells]
    problems += [_label_problem(table, column, i) for i, label in enumerate(labels) if label is None and i not in table.ragged]
    spelled = [i for i, label in enumerate(labels) if label == 1 and cells[i] != "True"]
    other = [i for i in range(len(cells)) if tables.key(cells[i]) in OTHER_CLASSES]
    findings += once("label-spelling", table, spelled, f"positive labels that are not exactly True: the official code would count these {len(spelled)} cases as negative.")
    if other:
        findings.append(note("label-other-class", table.place(other[0]), f"{lesions.several(table, other)}: another diagnosis, read as negative; the question is melanoma."))
    return LabelColumn(np.array([-1 if label is None else label for label in labels]))


def _label_problem(table: Table, column: int, row: int) -> Finding:
    cell, what = table.columns[column][row].strip(), f"{lesions.case_words(table, row)}column {table.header[column]!r}"
    if cell.lower() in tables.MISSING:
        return error("missing-value", table.place(row), f"{what} is empty: write True or False.")
    return error("bad-label", table.place(row), f"{what}: {cell[:40]!r} is neither melanoma nor another diagnosis: write True or False.")


def read_predictions(source: Source, truth: Cases | None, name: str | None = None, missing: str = "refuse") -> Predictions:
    """Read a table of scores and align it with the truth's cases; without a truth in file order. See `alignment.read_predictions`."""
    return alignment.read_predictions(source, truth, name, missing, _choose_column)


def _choose_column(table: Table, id_column: int | None, problems: list[Finding], findings: list[Finding]) -> alignment.Read | None:
    """The score column: the only one beside the id, else the first with a known name."""
    others = [i for i, header in enumerate(table.header) if i != id_column and header]
    if len(others) == 1:
        return partial(_read_scores, others[0])
    column, twice = tables.find_column(table, [name for name in SCORE_COLUMNS if id_column is None or name != table.keys[id_column]])
    problems += twice
    if column is None:
        problems.append(tables.missing_column(table, "the score", ("score", "melanoma", "risk")))
        return None
    ignored = ", ".join(repr(table.header[i]) for i in others if i != column)
    findings.append(warning("several-score-columns", table.header_place, f"column {table.header[column]!r} is taken as the score; {ignored} ignored. "
                            "The official code would take the first column, whatever it holds."))
    return partial(_read_scores, column)


def _read_scores(column: int, rows: alignment.Rows, problems: list[Finding], findings: list[Finding]) -> alignment.Values:
    cells = rows.table.columns[column]
    # Among numbers "inf" is an infinite one; among words it is the diagnosis INF.
    numeric = any(tables.NUMBER.fullmatch(cell.strip()) for cell in cells)
    worded = tuple(cell if (label := _word(cell)) is None or (numeric and tables.key(cell) == "inf") else str(label) for cell in cells)
    columns = tuple(worded if i == column else c for i, c in enumerate(rows.table.columns))
    outputs, faults = alignment.read_numbers(replace(rows, table=replace(rows.table, columns=columns)), [column], problems, findings)
    scores = outputs[~np.isnan(outputs[:, 0]), 0]
    findings += _score_column_findings(scores, rows.table.name)
    hard = bool(len(scores)) and bool(np.isin(scores, (0, 1)).all())
    if hard:
        findings.append(note("labels-only", rows.table.header_place, "only the values 0 and 1: decisions, not scores. The AUC is that of one operating point."))
    return alignment.Values(outputs, _called(outputs), faults, hard)


def _word(cell: str) -> int | None:
    """What a label in words means as a score; None for numbers and anything else."""
    return None if tables.NUMBER.fullmatch(cell.strip()) else parse_label(cell)


def _called(outputs: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(outputs[:, 0]), -1, (outputs[:, 0] > THRESHOLD).astype(int))


def _score_column_findings(scores: np.ndarray, where: str) -> Iterator[Finding]:
    if len(scores) and not _are_risks(scores):
        yield warning("logits", where, f"scores from {scores.min():.4g} to {scores.max():.4g}: the decision is \"raw value > 0.5\", which for a logit means a probability above 0.62. "
                      "A sigmoid belongs into the model.")
    if len(scores) > 1 and np.ptp(scores) == 0:
        yield warning("constant-output", where, f"every score is {scores[0]:g}: nothing is told apart, the AUC is 0.5.")


def _are_risks(scores: np.ndarray) -> bool:
    return bool(scores.min() >= -calibration.TOLERANCE and scores.max() <= 1 + calibration.TOLERANCE)


def recipe_for(facts: ModelFacts) -> Recipe:
    """Stretch to 224 x 224, or to the size that the model declares, in one bicubic step from the original (a symbolic axis counts as 224)."""
    return recipe_of_size(*image_size(facts))


def recipe_of_size(width: int | None, height: int | None) -> Recipe:
    """The recipe for a model that declares this size; None = symbolic."""
    return Recipe(((width or PICTURE_SIDE, height or PICTURE_SIDE, "bicubic"),))


TASK = submission.Task(Contract(highest_ir_version=10, highest_opset=21, runtime=" (1.19)"), recipe_for)


def size_findings(size_mib: float, name: str) -> list[Finding]:
    """The size of a model; it is not scored here."""
    return [note("model-size", name, f"{size_mib:.2f} MiB; not scored in this challenge.")]


def inspect(model: submission.Model, truth: Cases | None = None, name: str | None = None, timings: bool = False) -> submission.Inspection:
    """The preflight: would the official code run this model, and what comes out? Raises InputRefused with every problem."""
    data, called = submission.model_bytes(model, name)
    return _described(submission.inspect(data, called, TASK, truth, size_findings, timings), called, trial=True)


def _described(found: submission.Inspection, name: str, trial: bool) -> submission.Inspection:
    """The inspection with what this challenge says of shapes and, for a trial, of outputs."""
    shape, more = found.model["inputs"][0]["shape"] or (None,) * 4, []
    if shape[0] == 1:
        more.append(warning("fixed-batch-1", name, "the batch axis is fixed to 1: the rules ask for a dynamic batch; until 2025 blocks of 200 were fed."))
    if any(side not in (None, PICTURE_SIDE) for side in shape[2:]):
        more.append(warning("input-size", name, f"the model takes {shape[3]} x {shape[2]} pixels; the challenge feeds 224 x 224 and it would have failed there. Here it gets the size it declares."))
    first = found.outputs[:, 0] if found.outputs.ndim == 2 and found.outputs.size else np.empty(0)
    first = first[np.isfinite(first)]
    if trial:
        more += _score_column_findings(first, name)
        if found.outputs.ndim == 2 and found.outputs.shape[1] > 1:
            more.append(warning("two-column-output", name, f"{found.outputs.shape[1]} numbers per image: as in the official code the first is scored."))
    model = {**found.model, "output_kind": None if not len(first) else "risks" if _are_risks(first) else "logits"}
    return replace(found, findings=(*found.findings, *more), model=model)


def predict(model: submission.Model, cases: Cases, progress=None, cancelled=None, name: str | None = None) -> Predictions:
    """Inspect a model and run it on every case: CPU, one thread, one image at a time; the first number of the first output is the score.

    progress(done, total) and cancelled() -> bool are called from this thread. Raises InputRefused; `scoring.models.pool.Cancelled`.
    """
    data, called = submission.model_bytes(model, name)
    inspected = _described(submission.inspect(data, called, TASK, submission.with_pictures(cases), size_findings, cancelled=cancelled), called, trial=False)
    run = submission.run(data, called, TASK, cases, None, progress, cancelled)
    outputs = run.outputs[:, :1]
    scores = outputs[~np.isnan(outputs[:, 0]), 0]
    about = [*_score_column_findings(scores, called), *_column_findings(run.outputs, cases, called)]
    findings = ordered([*inspected.findings, *run.findings, *about], CODES)
    return Predictions(called, outputs, _called(outputs), False, tuple(ordered(run.faults, CODES)), tuple(findings), None, inspected.model, run.images)


def _column_findings(outputs: np.ndarray, cases: Cases, name: str) -> Iterator[Finding]:
    """Which column of several is scored, and whether another would be better."""
    if outputs.shape[1] < 2:
        return
    words = f"{outputs.shape[1]} numbers per image: as in the official code the first is scored."
    has = ~np.isnan(outputs).any(1)
    if cases.labels is not None and len(set(cases.labels[has])) == 2:
        areas = [curves.auc(outputs[has, k], cases.labels[has] == 1) for k in range(outputs.shape[1])]
        best = int(np.argmax(areas))
        words += f" AUC by column: {', '.join(f'{a:.4f}' for a in areas)}." + (f" Column {best + 1} is better: make it the first." if areas[best] > areas[0] else "")
    yield warning("two-column-output", name, words)


def prediction_table(cases: Cases, predictions: Predictions) -> str:
    """The prediction file of a model as CSV: filename and score."""
    return predictions_table(cases, predictions, ("score",))


def graded(predictions: Predictions, missing: str) -> tuple[list[Finding], list[Finding]]:
    """The faults of predictions as errors and warnings, as `missing` grades them."""
    return grade(predictions.faults, missing)


def check_options(missing: str = "refuse", has_model: bool = False) -> list[Finding]:
    """`bad-option` for every option of this challenge that cannot be."""
    return [] if missing in MISSING else [error("bad-option", "--missing", f"{missing!r} is not one of {', '.join(MISSING)}.")]


def score(truth: Cases, predictions: Predictions, *, missing: str = "refuse", resamples: int = 1000, seed: int = 0, group: str | None = None,
          interval: str = "percentile", metadata: Source | None = None) -> ScoreCard:
    """Score predictions on a truth.

    missing: "refuse" or "wrong", for cases without a usable score. resamples, seed, group, interval: see `StatisticsOptions`. metadata: a table
    joined by case id, for `group`. Raises InputRefused.
    """
    statistics = StatisticsOptions(resamples, seed, group, interval)
    hard, soft = grade(predictions.faults, missing)
    wrong_options = [*check_options(missing), *statistics.problems()]
    read = [*truth.findings, *ordered([*predictions.findings, *soft], CODES)]
    if hard or wrong_options:
        raise InputRefused([*hard, *wrong_options], read)
    joined = truth if metadata is None else lesions.with_metadata(truth, metadata)
    unit, units = statistics.units(joined.columns, len(truth), UNIT_COLUMNS, truth.id_column)
    quantities = partial(_quantities, truth, predictions)
    point = quantities(np.ones((1, len(truth)), np.float32))
    source = provenance(truth, predictions, {"missing": missing}, statistics, metadata, unit, units)
    return _card(truth, predictions, point, replicate(quantities, point, units, statistics), read, source, units)


def rank_scores(truth: Cases, predictions: Predictions) -> np.ndarray:
    """The scores [N] as they rank: a case without one as wrong as can be, a positive below and a negative above every score."""
    return np.where(predictions.labels < 0, np.where(truth.labels == 1, -np.inf, np.inf), predictions.outputs[:, 0])


def _decided(truth: Cases, predictions: Predictions) -> np.ndarray:
    """Which cases count as called positive, bool [N]: a case without a score as the opposite of its label."""
    return np.where(predictions.labels < 0, truth.labels == 0, predictions.labels == 1)


def combined(d: Decisions, auc: np.ndarray) -> np.ndarray:
    """The score [B] from decisions and AUC; NaN where the AUC is."""
    return .6 * binary.f_beta(d, BETA) + .3 * binary.accuracy(d) + .1 * auc


def _quantities(truth: Cases, predictions: Predictions, weights: np.ndarray) -> dict:
    """Every quantity that has an interval, [B] by name; per class under ("f1", class), per slice under ("slice", column, group, name)."""
    positive, called = truth.labels == 1, _decided(truth, predictions)
    d, ranks = binary.decisions(positive, called, weights), rank_scores(truth, predictions)
    inverse = Decisions(d.true_negative, d.false_negative, d.false_positive, d.true_positive)
    steps = binary.ladder(ranks, positive, weights)
    auc, sensitivity, specificity = curves.resampled_auc(ranks, positive, weights), binary.recall(d), binary.specificity(d)
    found = {"f2": binary.f_beta(d, BETA), "accuracy": binary.accuracy(d), "auc": auc, "precision": binary.precision(d), "recall": sensitivity, "specificity": specificity,
             "balanced_accuracy": (sensitivity + specificity) / 2, "f1": binary.f_beta(d, 1), "average_precision": binary.average_precision(steps),
             "sensitivity_at_90_specificity": binary.sensitivity_at_specificity(steps, .9), "specificity_at_90_sensitivity": binary.specificity_at_sensitivity(steps, .9)}
    found |= _risk_quantities(truth, predictions, weights) | {"score": combined(d, auc)}
    found |= {("f1", "negative"): binary.f_beta(inverse, 1), ("f1", "positive"): found["f1"]}
    return found | subgroups.quantities(_groups(truth), _slice_shares(positive, called), weights)


def _risk_quantities(truth: Cases, predictions: Predictions, weights: np.ndarray) -> dict:
    has, undefined = predictions.has_outputs, np.full(len(weights), np.nan)
    scores, positive, w = predictions.outputs[has, 0], truth.labels[has] == 1, weights[:, has]
    if not has.any() or not _are_risks(scores):
        return {"brier_score": undefined, "log_loss": undefined}
    total = w.sum(1, dtype=float)
    return {"brier_score": classification.divide(w @ (scores - positive) ** 2, total), "log_loss": classification.divide(w @ binary.log_losses(scores, positive), total)}


def _groups(truth: Cases) -> subgroups.Groups:
    """Age, gender and location, those that the truth has a column of."""
    present = {"age": lesions.AGE, "gender": lesions.GENDER, "location": lesions.LOCATION}
    return {column: found for column, found in lesions.subgroups(truth).items() if any(name in truth.columns for name in present[column])}


def _slice_shares(positive: np.ndarray, called: np.ndarray) -> dict[str, Share]:
    return {"accuracy": Share(positive == called, np.ones(len(positive), bool)), "recall": Share(positive & called, positive, "n_positive")}


def _card(truth: Cases, predictions: Predictions, point: Mapping, found: Replicates, read: list[Finding], source: Mapping, units: np.ndarray) -> ScoreCard:
    positive, called = truth.labels == 1, _decided(truth, predictions)
    metrics = {name: float(values[0]) for name, values in point.items() if isinstance(name, str) and name != "score"}
    reached = _reliability(truth, predictions)
    metrics["expected_calibration_error"] = reached.expected_calibration_error if reached else None
    d = binary.decisions(positive, called, np.ones((1, len(truth))))
    counts = [[int(d.true_negative[0]), int(d.false_positive[0])], [int(d.false_negative[0]), int(d.true_positive[0])]]
    more = {"n_missing": int((predictions.labels < 0).sum()), "points": {name: weight / 100 * metrics[name] for name, (_, _, weight) in WEIGHTS.items()},
            "slices": subgroups.rows(_groups(truth), _slice_shares(positive, called), point, found.intervals)}
    if predictions.model:
        more["model"] = dict(predictions.model)
    findings = [*read, *_score_findings(truth, predictions, metrics, counts, found)]
    shown = {name: value for name, value in found.intervals.items() if isinstance(name, str)}
    # In the official order of operations: nothing is rounded.
    number = 0.6 * metrics["f2"] + 0.3 * metrics["accuracy"] + 0.1 * metrics["auc"]
    return ScoreCard(ID, plain(number), plain(metrics), plain(_per_class(counts, point, found)), len(truth), _cases(truth, predictions), tuple(findings), source,
                     {"labels": list(CLASSES), "counts": counts}, shown, plain(more), _arrays(truth, predictions, reached, source, units))


def _per_class(counts: list[list[int]], point: Mapping, found: Replicates) -> dict:
    rows, n = {}, sum(map(sum, counts))
    for k, name in enumerate(CLASSES):
        support, predicted, hits = sum(counts[k]), counts[0][k] + counts[1][k], counts[k][k]
        others = n - support
        rows[name] = {"support": support, "predicted": predicted, "precision": hits / predicted if predicted else None, "recall": hits / support if support else None,
                      "f1": float(point["f1", name][0]), "specificity": (others - predicted + hits) / others if others else None}
        if found.values:
            rows[name]["f1_interval"] = found.intervals["f1", name]
    return rows


def _cases(truth: Cases, predictions: Predictions) -> tuple[dict, ...]:
    rows, about = [], lesions.described(truth)
    for i, (y, p) in enumerate(zip(truth.labels, predictions.labels, strict=True)):
        rows.append({"case": truth.ids[i], "truth": CLASSES[y], "predicted": CLASSES[p] if p >= 0 else None, "correct": bool(y == p),
                     "output": float(predictions.outputs[i, 0]) if p >= 0 else None, **about[i]})
    return tuple(rows)


def _score_findings(truth: Cases, predictions: Predictions, metrics: Mapping, counts: list[list[int]], found: Replicates) -> Iterator[Finding]:
    supports = {"negative": sum(counts[0]), "positive": sum(counts[1])}
    if 0 in supports.values():
        yield warning("one-class-truth", "auc", f"the truth has {'positives' if supports['positive'] else 'negatives'} only: AUC and score are undefined (null); the official code yields NaN.")
    if counts[0][1] + counts[1][1] == 0:
        yield warning("never-predicted", "positive", f"no score is above {THRESHOLD}: no case is called melanoma, the precision is undefined.")
    tied = tied_pairs(predictions.outputs[predictions.has_outputs, 0], truth.labels[predictions.has_outputs] == 1)
    if tied:
        yield note("tied-scores", predictions.name, f"{tied} pairs of a melanoma and another case have the same score; each counts half in the AUC.")
    if found.values:
        for name, support in supports.items():
            if 0 < support < SMALL_CLASS:
                yield warning("few-cases-in-class", name, f"{support} case{'s' * (support > 1)}: interval of F1 too narrow below {SMALL_CLASS} cases.")
    yield from found.findings


def tied_pairs(scores: np.ndarray, positive: np.ndarray) -> int:
    """Number of pairs of a positive and a negative with the same score."""
    values, place = np.unique(scores, return_inverse=True)
    return int(np.dot(np.bincount(place[positive], minlength=len(values)), np.bincount(place[~positive], minlength=len(values))))


def _reliability(truth: Cases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    scores = predictions.outputs[has, 0]
    return calibration.reliability(scores, truth.labels[has] == 1) if has.any() and _are_risks(scores) else None


def _arrays(truth: Cases, predictions: Predictions, reached: calibration.Reliability | None, source: Mapping, units: np.ndarray) -> dict[str, np.ndarray]:
    """What is drawn and too fine for JSON: scores as they rank, labels, units, the reliability bins, ROC and precision-recall curves with bands."""
    ranks, positive = rank_scores(truth, predictions), truth.labels == 1
    arrays = {"outputs": predictions.outputs, "rank_scores": ranks, "truth": truth.labels, "predicted": predictions.labels, "units": units}
    if reached:
        arrays |= {f"reliability_{name}": getattr(reached, name) for name in ("said", "right", "low", "high", "n")}
    if source["resamples"]:
        arrays |= curves.banded_curves(ranks[:, None], np.where(positive, 0, 1), curve_weights(units, source))
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def at_threshold(card: ScoreCard, threshold: float) -> dict[str, tuple[float | None, list | None]]:
    """F2, accuracy, score, recall, specificity and precision when "score > threshold" decides: the number and its interval on the card's replicates.

    It changes no official number. Cases without a score stay wrong.
    """
    ranks, positive = _ranked(card)
    called = ranks > threshold

    def quantities(weights: np.ndarray) -> dict:
        d = binary.decisions(positive, called, weights)
        return {"f2": binary.f_beta(d, BETA), "accuracy": binary.accuracy(d), "score": combined(d, curves.resampled_auc(ranks, positive, weights)),
                "recall": binary.recall(d), "specificity": binary.specificity(d), "precision": binary.precision(d)}

    return _on_replicates(card, quantities)


def _ranked(card: ScoreCard) -> tuple[np.ndarray, np.ndarray]:
    """Scores as they rank, and which cases are melanomas, [N] each."""
    return card.arrays["rank_scores"], card.arrays["truth"] == 1


def _on_replicates(card: ScoreCard, quantities: Callable[[np.ndarray], dict]) -> dict[str, tuple[float | None, list | None]]:
    """Quantities of weights [B, N] -> [B] as numbers with intervals on the card's own replicates."""
    units, source = card.arrays["units"], card.provenance
    point = quantities(np.ones((1, len(units)), np.float32))
    found = replicate(quantities, point, units, StatisticsOptions(source["resamples"], source["seed"], interval=source["interval"]))
    return {name: (plain(float(values[0])), found.intervals.get(name)) for name, values in point.items()}


def counts_at(card: ScoreCard, threshold: float) -> list[list[int]]:
    """The confusion matrix [[TN, FP], [FN, TP]] when "score > threshold" decides."""
    ranks, positive = _ranked(card)
    return [[int((~positive & (ranks <= threshold)).sum()), int((~positive & (ranks > threshold)).sum())],
            [int((positive & (ranks <= threshold)).sum()), int((positive & (ranks > threshold)).sum())]]


def predictive_values(card: ScoreCard, threshold: float, prevalence: float | None = None) -> dict[str, tuple[float | None, list | None]]:
    """What a call is worth where `prevalence` of the people (0..1; default: that of these cases) have a melanoma, each with its interval.

    flagged: share of the people called positive. precision: share of the flagged with a melanoma. missed_among_cleared: share of the others with
    one. Sensitivity and specificity are those of these cases: a change of prevalence alone is assumed to leave them as they are.
    """
    ranks, positive = _ranked(card)
    called, share = ranks > threshold, prevalence if prevalence is not None else float(positive.mean())

    def quantities(weights: np.ndarray) -> dict:
        d = binary.decisions(positive, called, weights)
        sensitivity, specificity = binary.recall(d), binary.specificity(d)
        return {"recall": sensitivity, "specificity": specificity, "flagged": sensitivity * share + (1 - specificity) * (1 - share),
                "precision": binary.precision_at_prevalence(sensitivity, specificity, share),
                "missed_among_cleared": binary.precision_at_prevalence(1 - sensitivity, 1 - specificity, share)}

    return _on_replicates(card, quantities)


def at_sensitivity(card: ScoreCard, wanted: float) -> tuple[OperatingPoint | None, list | None]:
    """The threshold of the highest specificity with at least the wanted sensitivity, and the interval of that specificity.

    Every replicate chooses its own threshold, as in the metric specificity_at_90_sensitivity. None with one class only.
    """
    return _wanted(card, wanted, binary.point_at_sensitivity, binary.specificity_at_sensitivity)


def at_specificity(card: ScoreCard, wanted: float) -> tuple[OperatingPoint | None, list | None]:
    """The threshold of the highest sensitivity with at least the wanted specificity, and the interval of that sensitivity; see `at_sensitivity`."""
    return _wanted(card, wanted, binary.point_at_specificity, binary.sensitivity_at_specificity)


def _wanted(card: ScoreCard, wanted: float, choose: Callable, reached: Callable) -> tuple[OperatingPoint | None, list | None]:
    ranks, positive = _ranked(card)
    found = _on_replicates(card, lambda weights: {"reached": reached(binary.ladder(ranks, positive, weights), wanted)})
    return choose(ranks, positive, wanted), found["reached"][1]


def thresholds(card: ScoreCard, most: int | None = None, included: Sequence[float] = ()) -> dict[str, np.ndarray]:
    """F2, accuracy, score, recall, specificity and precision at every distinct decision "score > t", from high to low t; "threshold" holds t.

    The candidates are 0.5 and the midpoints between successive scores, one above and one below all. most: keep that many of them, evenly spread,
    the first, the last and 0.5 among them. included: more thresholds to stand among them.
    """
    ranks, positive = _ranked(card)
    finite = np.unique(ranks[np.isfinite(ranks)])[::-1]
    candidates = np.unique(np.r_[THRESHOLD, binary.cuts_between(np.r_[np.inf, finite], np.r_[finite, -np.inf])])[::-1]
    if most is not None and len(candidates) > most:
        spread = np.rint(np.linspace(0, len(candidates) - 1, most)).astype(int)
        candidates = candidates[np.unique(np.r_[spread, np.flatnonzero(candidates == THRESHOLD)])]
    candidates = np.unique(np.r_[candidates, included])[::-1]
    d = _decisions_at(ranks, positive, candidates)
    auc = np.nan if card.metrics["auc"] is None else card.metrics["auc"]
    return {"threshold": candidates, "f2": binary.f_beta(d, BETA), "accuracy": binary.accuracy(d), "score": combined(d, auc), "recall": binary.recall(d),
            "specificity": binary.specificity(d), "precision": binary.precision(d)}


def _decisions_at(ranks: np.ndarray, positive: np.ndarray, cuts: np.ndarray) -> Decisions:
    """Counts [T] of "score > t" at each of the cuts [T]."""
    order = np.sort(ranks[positive]), np.sort(ranks[~positive])
    hits, alarms = ((len(values) - np.searchsorted(values, cuts, "right")).astype(float) for values in order)
    return Decisions(hits, alarms, positive.sum() - hits, (~positive).sum() - alarms)


def best_threshold(card: ScoreCard) -> float | None:
    """The threshold with the highest score on these very cases, nearest to 0.5 among equals; None where the score is undefined."""
    found = thresholds(card)
    if np.isnan(found["score"]).all():
        return None
    best = np.flatnonzero(np.round(found["score"], 12) == np.round(np.nanmax(found["score"]), 12))
    return float(found["threshold"][min(best, key=lambda i: abs(found["threshold"][i] - THRESHOLD))])


def threshold_range(card: ScoreCard) -> tuple[float, float]:
    """Where thresholds are worth trying: 0 to 1 for risks, else the whole numbers around the scores and 0.5."""
    finite = card.arrays["rank_scores"][np.isfinite(card.arrays["rank_scores"])]
    if not len(finite) or _are_risks(finite):
        return 0.0, 1.0
    return float(np.floor(min(finite.min(), THRESHOLD))), float(np.ceil(max(finite.max(), THRESHOLD)))


def histogram(card: ScoreCard, bins: int = 40) -> dict[str, np.ndarray]:
    """How many cases of each class have a score in each bin (low, high], the first with its low end: edges [bins + 1] over `threshold_range`.

    For risks 0.5 is an edge, so that each bin lies on one side of the official threshold. Cases without a score are left out.
    """
    edges = np.linspace(*threshold_range(card), bins + 1)
    ranks, positive = _ranked(card)
    counts = {}
    for name, members in zip(CLASSES, (~positive, positive), strict=True):
        places = np.clip(np.searchsorted(edges, ranks[members & np.isfinite(ranks)], "left") - 1, 0, bins - 1)
        counts[name] = np.bincount(places, minlength=bins)
    return {"edges": edges, **counts}


def net_benefit(card: ScoreCard, grid: Sequence[float], prevalence: float | None = None) -> dict[str, np.ndarray]:
    """Net benefit of deciding by "score > t" at each t of an ascending grid in [0, 1), of calling everybody, and of nobody (0).

    prevalence: 0..1, the share of melanomas where the model would be used; default: that of these cases. low, high: pointwise 95 % bounds of the
    model's, on up to 300 of the card's replicates; absent without any. Vickers, Elkin 2006.
    """
    ranks, positive = _ranked(card)
    grid = np.asarray(grid, float)

    def benefit(d: Decisions) -> np.ndarray:
        return binary.net_benefit(d, grid) if prevalence is None else binary.net_benefit_at_prevalence(d, grid, prevalence)

    everybody = np.ones((len(grid), 1)) * [positive.sum(), (~positive).sum(), 0, 0]
    found = {"threshold": grid, "model": benefit(_decisions_at(ranks, positive, grid)), "everybody": benefit(Decisions(*everybody.T)),
             "nobody": np.zeros(len(grid))}
    if not card.provenance["resamples"]:
        return found
    drawn = benefit(binary.decisions_along(ranks, positive, grid, curve_weights(card.arrays["units"], card.provenance)))
    low, high = np.nanquantile(drawn, QUANTILES, axis=0) if not np.isnan(drawn).all() else np.full((2, len(grid)), np.nan)
    return found | {"low": low, "high": high}


def curve_weights(units: np.ndarray, source: Mapping) -> np.ndarray:
    """Replicates [B, N] for bands of curves: the first of the card's own."""
    return np.concatenate(list(resampling.replicate_weights(units, min(source["resamples"], CURVE_REPLICATES), source["seed"])))


def received(truth: Cases, index: int, model: Mapping | None = None) -> tuple[list[pictures.Stage], Seen]:
    """What a model receives of one case: its pixels at 224 x 224, or at the size that the model (`Inspection.model`) declares."""
    return pictures.received(truth, index, recipe_of_size(*submission.declared_size(model)))


def thumbnails(truth: Cases, indices: Sequence[int]) -> list[bytes | None]:
    """JPEG thumbnails of cases, turned upright for the eye; None where there is no readable picture."""
    return pictures.thumbnails(truth, indices)
