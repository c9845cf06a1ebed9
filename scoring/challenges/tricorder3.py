"""Safe-Scan TRICORDER-3: eleven skin-lesion classes from a photograph and demographics.

Source: the challenge's own description (classes, risk groups, formula) and, where that is silent, the public validator code of February 2026.
"""
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.findings import Finding, InputRefused, error, note, ordered, warning
from scoring.metrics import calibration, classification, curves, subgroups
from scoring.metrics.classification import divide, mean_of_defined
from scoring.metrics.subgroups import Share
from scoring.models import pictures, submission
from scoring.models.preflight import Contract, image_size
from scoring.models.preprocessing import Recipe, Seen
from scoring.models.process import ModelFacts
from scoring.predictions import Predictions, grade, largest, provenance
from scoring.predictions import table as predictions_table
from scoring.readers import alignment, lesions, tables
from scoring.readers.lesions import CODES, Cases, LabelColumn, once
from scoring.readers.sources import Source
from scoring.readers.tables import Table
from scoring.scorecard import ScoreCard, plain
from scoring.statistics import resampling
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import Replicates, replicate

ID = "tricorder3"
TITLE = "TRICORDER-3, 11 skin-lesion classes"
FORMULA = "45 × accuracy + 45 × risk-weighted F1 + 10 × efficiency"
ABOUT = "A photograph and age, gender and body site; malignant classes weigh most, small models are rewarded."
WEIGHTS = {"accuracy": ("accuracy", "acc.", 45), "weighted_f1": ("weighted F1", "wF1", 45), "efficiency_score": ("efficiency", "eff.", 10)}
AS_POINTS = True
RULE = """
| part | weight | what it is |
|---|--:|---|
| accuracy | 45 | right cases / all cases, rounded to 6 decimals |
| weighted F1 | 45 | (3 × malignant + 2 × medium + 1 × benign) / 6, each the plain mean of its classes' F1, rounded to 6 decimals |
| efficiency | 10 | 1 up to 50 MiB (the challenge's MB), falling to 0 at 150 MiB, rounded to 6 decimals |

A class without a case in the test set counts 0 in its group's mean, so the ceiling can lie below 100 points.
"""
CLASSES = ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC")
NAMES = ("Actinic keratosis/intraepidermal carcinoma", "Basal cell carcinoma", "Other benign proliferations including collisions",
         "Benign keratinocytic lesion", "Dermatofibroma", "Inflammatory and infectious", "Other malignant proliferations including collisions",
         "Melanoma", "Melanocytic Nevus, any type", "Squamous cell carcinoma/keratoacanthoma", "Vascular lesions and hemorrhage")
RISKS = {"malignant": ("BCC", "MAL_OTH", "MEL", "SCCKA"), "medium": ("AKIEC", "BKL", "VASC"), "benign": ("BEN_OTH", "DF", "INF", "NV")}
RISK = {name: next(risk for risk, members in RISKS.items() if name in members) for name in CLASSES}
RISK_WEIGHTS = {"malignant": 3, "medium": 2, "benign": 1}
GROUPS = {risk: [CLASSES.index(c) for c in members] for risk, members in RISKS.items()}
WORTH = {c: .45 * RISK_WEIGHTS[RISK[c]] / 6 / len(RISKS[RISK[c]]) for c in CLASSES}
FREE_MIB, FULL_MIB = 50, 150
SMALL_CLASS = 15
LABEL_COLUMNS = ("prediction", "predicted", "predicted_class", "pred", "class", "label", "diagnosis")
UNIT_COLUMNS = ("patient_id", "lesion_id")
MISSING = ("refuse", "wrong")
CURVE_REPLICATES = 300
PICTURE_SIDE = 512
LOCATIONS = lesions.LOCATIONS
ARGUMENTS = {"--missing": {"default": "refuse", "metavar": "HOW", "help": "cases without a usable prediction: refuse (default), or count them as wrong"},
             "--model-size-mib": {"type": float, "metavar": "X", "help": "size of the model in MiB, where only predictions are given"}}
_BY_KEY = {**{tables.key(n): i for i, n in enumerate(NAMES)}, **{tables.key(c): i for i, c in enumerate(CLASSES)}}


def read_truth(source: Source, name: str | None = None, images: Source | None = None) -> Cases:
    """Read the test set: a table, or a folder or zip with a table and images; `images` names another place for these.

    Raises InputRefused with every problem; its `salvaged` is what could be read.
    """
    return lesions.read_cases(source, name, _read_labels, images)


def read_images(source: Source, name: str | None = None) -> Cases:
    """Read cases without labels, for `predict`: the rows of the table where there is one, else every image by file name."""
    return lesions.read_pictures(source, name)


def parse_label(cell: str) -> tuple[int, str]:
    """Class number 0..10 (-1: none) and how it was written: "exact", "spelling", "number", "zero", "missing", "bad"."""
    trimmed = cell.strip()
    if cell in CLASSES:
        return CLASSES.index(cell), "exact"
    if tables.key(trimmed) in _BY_KEY:
        return _BY_KEY[tables.key(trimmed)], "spelling"
    if trimmed.lower() in tables.MISSING:
        return -1, "missing"
    number = tables.numbers([trimmed]).values[0]
    if number in range(1, len(CLASSES) + 1):
        return int(number) - 1, "number"
    return -1, "zero" if number == 0 else "bad"


def _label_problem(table: Table, column: int, row: int, how: str) -> Finding:
    cell, what = table.columns[column][row].strip(), f"{lesions.case_words(table, row)}column {table.header[column]!r}"
    if how == "missing":
        return error("missing-value", table.place(row), f"{what} is empty: write one of {', '.join(CLASSES)}.")
    words = "classes are counted from 1" if how == "zero" else f"it is none of {', '.join(CLASSES)} and no number 1 to {len(CLASSES)}"
    return error("bad-label", table.place(row), f"{what}: {cell[:40]!r} is no class; {words}.")


def _read_labels(table: Table, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    column, twice = tables.find_column(table, lesions.LABEL)
    problems += twice
    if column is None:
        return _read_one_hot(table, problems, findings)
    if table.keys[column] not in lesions.OFFICIAL_LABEL:
        findings.append(warning("header-alias", table.header_place, f"column {table.header[column]!r} is read as the label; the official loader knows Class and Label only."))
    parsed = [parse_label(cell) for cell in table.columns[column]]
    problems += [_label_problem(table, column, i, how)
                 for i, (_, how) in enumerate(parsed) if how in ("missing", "zero", "bad") and i not in table.ragged]
    numbered = [i for i, (_, how) in enumerate(parsed) if how == "number"]
    spelled = [i for i, (_, how) in enumerate(parsed) if how == "spelling"]
    findings += once("label-number", table, numbered, "the label is a number of the challenge's list (1 = AKIEC); the official loader knows the symbols only.")
    findings += once("label-spelling", table, spelled, "the label is not written as the exact symbol.")
    return LabelColumn(np.array([label for label, _ in parsed]), tuple(table.place(i) for i in sorted(numbered + spelled)))


def _read_one_hot(table: Table, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    found = {c: tables.find_column(table, (tables.key(c),)) for c in CLASSES}
    if any(column is None for column, _ in found.values()):
        problems.append(tables.missing_column(table, "the label", ("Class", "Label")))
        return LabelColumn(np.full(len(table), -1))
    problems += [p for _, twice in found.values() for p in twice]
    values = np.column_stack([tables.numbers(table.cells(column)).values for column, _ in found.values()])
    good = (np.isin(values, (0, 1)).all(1)) & (values.sum(1) == 1)
    problems += [error("bad-label", table.place(i), f"{lesions.case_words(table, i)}the eleven class columns must hold one 1 and ten 0.") for i in np.flatnonzero(~good) if i not in table.ragged]
    findings += once("label-one-hot", table, range(len(table)), "the label stands in eleven one-hot columns; the official loader needs one column Class.")
    return LabelColumn(np.where(good, np.nan_to_num(values).argmax(1), -1))


def read_predictions(source: Source, truth: Cases | None, name: str | None = None, missing: str = "refuse") -> Predictions:
    """Read a prediction table and align it with the truth's cases; without a truth in file order. See `alignment.read_predictions`."""
    return alignment.read_predictions(source, truth, name, missing, _choose_columns)


def _choose_columns(table: Table, id_column: int | None, problems: list[Finding], findings: list[Finding]) -> alignment.Read | None:
    """The eleven class columns, or a label column where these are not complete."""
    found = {c: tables.find_column(table, (tables.key(c),)) for c in CLASSES}
    label, label_twice = tables.find_column(table, [k for k in LABEL_COLUMNS if id_column is None or k != table.keys[id_column]])
    absent = [c for c, (column, _) in found.items() if column is None]
    if absent and label is not None:
        problems += label_twice
        findings.append(note("labels-only", table.header_place, f"only labels (column {table.header[label]!r}): no curves, no calibration; accuracy and F1 are complete."))
        return partial(_read_predicted_labels, label)
    problems += [p for _, twice in found.values() for p in twice]
    problems += [tables.missing_column(table, f"class {c}", (c,)) for c in absent]
    if absent:
        return None
    if label is not None:
        findings.append(note("label-column-ignored", table.header_place, f"column {table.header[label]!r} is ignored: the eleven class columns decide."))
    return partial(_read_outputs, [column for column, _ in found.values()])


def _read_outputs(columns: list[int], rows: alignment.Rows, problems: list[Finding], findings: list[Finding]) -> alignment.Values:
    outputs, faults = alignment.read_numbers(rows, columns, problems, findings)
    labels = largest(outputs)
    findings += _output_findings(outputs[labels >= 0], rows.table.name)
    return alignment.Values(outputs, labels, faults)


def _read_predicted_labels(column: int, rows: alignment.Rows, problems: list[Finding], _findings: list[Finding]) -> alignment.Values:
    labels, faults = np.full(rows.n, -1), []
    for i in rows.rows:
        label, how = parse_label(rows.table.columns[column][i])
        labels[rows.case_of[i]] = label
        if label < 0:
            (faults if how == "missing" else problems).append(_label_problem(rows.table, column, i, how))
    return alignment.Values(np.full((rows.n, len(CLASSES)), np.nan), labels, faults, labels_only=True)


def _output_findings(outputs: np.ndarray, where: str) -> Iterator[Finding]:
    """What the outputs [rows, 11] look like; nothing is normalised before the score."""
    kind = calibration.output_kind(outputs)
    if kind == "logits":
        yield warning("logits", where, f"values from {outputs.min():.4g} to {outputs.max():.4g}: logits, not probabilities. The score is the same; calibration is not defined. "
                      "The challenge demands a softmax.")
    elif kind == "not-normalised":
        sums = outputs.sum(1)
        yield warning("not-normalised", where, f"row sums from {sums.min():.4g} to {sums.max():.4g}, not 1: sigmoids, or rounding. The score is the same; calibration is not defined.")
    if len(outputs):
        tied = int(((outputs == outputs.max(1, keepdims=True)).sum(1) > 1).sum())
        if tied:
            yield note("tied-maximum", where, f"{tied} row{'s have' if tied > 1 else ' has'} several largest values: the first class in the challenge's order is taken, as in the official code.")


def efficiency(size_mib: float | None) -> float:
    """1 up to 50 MiB, falling to 0 at 150 MiB; 1 where the size is unknown."""
    if size_mib is None or size_mib <= FREE_MIB:
        return 1.0
    return 0.0 if size_mib >= FULL_MIB else 1 - (size_mib - FREE_MIB) / (FULL_MIB - FREE_MIB)


def final_score(accuracy: float, weighted_f1: float, efficiency_score: float) -> float:
    """The official number: the three parts rounded to 6 decimals, in the official order of operations."""
    a, w, e = round(accuracy, 6), round(weighted_f1, 6), round(efficiency_score, 6)
    return 0.9 * (0.5 * a + 0.5 * w) + 0.1 * e


def weighted_f1(f1: np.ndarray) -> np.ndarray:
    """(3 malignant + 2 medium + benign) / 6 of F1 [..., 11], each the plain mean of its classes, absent ones counted."""
    return sum(RISK_WEIGHTS[r] * f1[..., members].mean(-1) for r, members in GROUPS.items()) / sum(RISK_WEIGHTS.values())


def recipe_for(facts: ModelFacts) -> Recipe:
    """Stretch to 512 x 512 by LANCZOS; then, where the model declares another size, from those pixels to it (a symbolic axis counts as 512)."""
    return recipe_of_size(*image_size(facts))


def recipe_of_size(width: int | None, height: int | None) -> Recipe:
    """The recipe for a model that declares this size; None = symbolic."""
    width, height = width or PICTURE_SIDE, height or PICTURE_SIDE
    own = ((width, height, "lanczos"),) if (width, height) != (PICTURE_SIDE, PICTURE_SIDE) else ()
    return Recipe(((PICTURE_SIDE, PICTURE_SIDE, "lanczos"), *own))


def _vector(age: float, gender: float, location: float) -> np.ndarray:
    return np.array([age, gender, location], np.float32)


TASK = submission.Task(Contract(vector=3, outputs=len(CLASSES), highest_ir_version=10, highest_opset=21, runtime=" (1.19)"), recipe_for, _vector(50, 1, 7),
                       {"age": [_vector(20, 1, 7), _vector(80, 1, 7)], "gender": [_vector(50, 0, 7)], "location": [_vector(50, 1, k) for k in range(1, 7)]}, PICTURE_SIDE)


def size_findings(size_mib: float, name: str) -> list[Finding]:
    """What the size of a model means for the score."""
    if size_mib >= FULL_MIB:
        return [warning("size-score-zero", name, f"{size_mib:.2f} MiB: from {FULL_MIB} MiB on efficiency is 0 and 10 points are lost.")]
    cost = f"{size_mib - FREE_MIB:.2f} MiB above {FREE_MIB} cost {.1 * (size_mib - FREE_MIB):.2f} points of 100" if size_mib > FREE_MIB else f"{FREE_MIB - size_mib:.2f} MiB below {FREE_MIB}: no cost"
    return [note("model-size", name, f"{size_mib:.2f} MiB (the challenge's MB); {cost}; {FULL_MIB - size_mib:.2f} MiB below {FULL_MIB}. Each MiB above {FREE_MIB} costs 0.001 of the score.")]


def inspect(model: submission.Model, truth: Cases | None = None, name: str | None = None, timings: bool = False) -> submission.Inspection:
    """The preflight: would the validator run this model, and what does it do with the demographics? Raises InputRefused with every problem."""
    data, called = submission.model_bytes(model, name)
    found = submission.inspect(data, called, TASK, truth, size_findings, timings)
    kind = found.model["output_kind"]
    return replace(found, findings=(*found.findings, *(_kind_findings(kind, called) if kind else ())))


def _kind_findings(kind: str, where: str) -> list[Finding]:
    return {"probabilities": [note("probabilities", where, "every trial output is a probability vector.")],
            "logits": [warning("logits", where, "the outputs are logits, not probabilities: the score is the same, but the challenge demands a softmax.")],
            "not-normalised": [warning("not-normalised", where, "the outputs do not sum to 1: the score is the same, but the challenge demands a softmax.")]}[kind]


def predict(model: submission.Model, cases: Cases, progress=None, cancelled=None, name: str | None = None) -> Predictions:
    """Inspect a model and run it on every case as the validator does: CPU, one thread, one image at a time, no softmax.

    progress(done, total) and cancelled() -> bool are called from this thread. Raises InputRefused; `scoring.models.pool.Cancelled`.
    """
    data, called = submission.model_bytes(model, name)
    inspected = submission.inspect(data, called, TASK, submission.with_pictures(cases), size_findings, cancelled=cancelled)
    run = submission.run(data, called, TASK, cases, len(CLASSES), progress, cancelled)
    labels = largest(run.outputs)
    has = labels >= 0
    about_outputs = list(_output_findings(run.outputs[has], called))
    if has.any() and calibration.output_kind(run.outputs[has]) == "probabilities":
        about_outputs.insert(0, note("probabilities", called, "every output is a probability vector."))
    findings = ordered([*inspected.findings, *run.findings, *about_outputs], CODES)
    return Predictions(called, run.outputs, labels, False, tuple(ordered(run.faults, CODES)), tuple(findings), None, inspected.model, run.images)


def prediction_table(cases: Cases, predictions: Predictions) -> str:
    """The prediction file of a model as CSV: filename and the eleven symbols."""
    return predictions_table(cases, predictions, CLASSES)


def graded(predictions: Predictions, missing: str) -> tuple[list[Finding], list[Finding]]:
    """The faults of predictions as errors and warnings, as `missing` grades them."""
    return grade(predictions.faults, missing)


def check_options(missing: str = "refuse", model_size_mib: float | None = None, has_model: bool = False) -> list[Finding]:
    """`bad-option` for every option of this challenge that cannot be."""
    problems = []
    if missing not in MISSING:
        problems.append(error("bad-option", "--missing", f"{missing!r} is not one of {', '.join(MISSING)}."))
    if model_size_mib is not None and not (np.isfinite(model_size_mib) and model_size_mib >= 0):
        problems.append(error("bad-option", "--model-size-mib", f"{model_size_mib} is not a size: give the MiB (bytes / 1048576), 0 or more."))
    if model_size_mib is not None and has_model:
        problems.append(error("bad-option", "--model-size-mib", "a model brings its own size: leave the option out, or score predictions."))
    return problems


def score(truth: Cases, predictions: Predictions, *, missing: str = "refuse", model_size_mib: float | None = None, resamples: int = 1000, seed: int = 0,
          group: str | None = None, interval: str = "percentile", metadata: Source | None = None) -> ScoreCard:
    """Score predictions on a truth.

    missing: "refuse" or "wrong", for cases without a usable prediction. model_size_mib: where only predictions are given. resamples, seed, group, interval:
    see `StatisticsOptions`. metadata: a table joined by case id, for `group`. Raises InputRefused.
    """
    statistics = StatisticsOptions(resamples, seed, group, interval)
    size = predictions.model["size_mib"] if predictions.model else model_size_mib
    hard, soft = grade(predictions.faults, missing)
    wrong_options = [*check_options(missing, model_size_mib, predictions.model is not None), *statistics.problems()]
    read = [*truth.findings, *ordered([*predictions.findings, *soft], CODES)]
    if hard or wrong_options:
        raise InputRefused([*hard, *wrong_options], read)
    joined = truth if metadata is None else lesions.with_metadata(truth, metadata)
    unit, units = statistics.units(joined.columns, len(truth), UNIT_COLUMNS, truth.id_column)

    def quantities(weights: np.ndarray) -> dict:
        return _quantities(truth, predictions, weights, efficiency(size))

    point = quantities(np.ones((1, len(truth)), np.float32))
    found = replicate(quantities, point | _published(point, efficiency(size)), units, statistics)
    source = provenance(truth, predictions, {"missing": missing, "model_size_mib": model_size_mib}, statistics, metadata, unit, units)
    return _card(truth, predictions, size, point, found, read, source, units)


def _published(point: Mapping, efficiency_score: float) -> dict[str, np.ndarray]:
    """The point values [1] of what is published from rounded parts: intervals that stand around a point stand around these."""
    accuracy, f1 = float(point["accuracy"][0]), float(point["weighted_f1"][0])
    return {"score": np.array([final_score(accuracy, f1, efficiency_score)]), "prediction_score": np.array([.5 * round(accuracy, 6) + .5 * round(f1, 6)])}


def _quantities(truth: Cases, predictions: Predictions, weights: np.ndarray, efficiency_score: float) -> dict:
    """Every quantity that has an interval, [B] by name; per class under ("f1", class), per slice under ("slice", column, group, name)."""
    y, p = truth.labels, predictions.labels
    c = classification.counts(y, p, weights, len(CLASSES))
    f1, recall, precision = classification.f1(c), classification.recall(c), classification.precision(c)
    found = {"accuracy": classification.accuracy(c), "weighted_f1": weighted_f1(f1)}
    found |= {f"f1_{risk}": f1[:, members].mean(1) for risk, members in GROUPS.items()}
    found["prediction_score"] = .5 * found["accuracy"] + .5 * found["weighted_f1"]
    found["score"] = .9 * found["prediction_score"] + .1 * efficiency_score
    found |= {"precision_weighted": classification.support_weighted(precision, c), "recall_weighted": classification.support_weighted(recall, c),
              "f1_support_weighted": classification.support_weighted(f1, c), "balanced_accuracy": mean_of_defined(recall),
              "macro_f1_present": classification.mean_over_present(f1, c), "weighted_f1_present": _weighted_f1_present(f1, c)}
    found |= _risk_quantities(y, p, weights) | _probability_quantities(truth, predictions, weights)
    found |= {("f1", name): f1[:, k] for k, name in enumerate(CLASSES)} | {("recall", name): recall[:, k] for k, name in enumerate(CLASSES)}
    return found | subgroups.quantities(lesions.subgroups(truth), _slice_shares(truth, p), weights)


def _weighted_f1_present(f1: np.ndarray, c: classification.Counts) -> np.ndarray:
    present = np.where(c.support > 0, f1, np.nan)
    means = np.column_stack([mean_of_defined(present[:, members]) for members in GROUPS.values()])
    shares = np.where(np.isnan(means), 0, [RISK_WEIGHTS[r] for r in GROUPS])
    return divide((np.nan_to_num(means) * shares).sum(1), shares.sum(1))


def _malignant(labels: np.ndarray) -> np.ndarray:
    return np.isin(labels, GROUPS["malignant"])


def _risk_quantities(y: np.ndarray, p: np.ndarray, weights: np.ndarray) -> dict:
    ill, called = _malignant(y), _malignant(p)
    sums = (weights @ np.column_stack([ill, ill & called, ~ill, ~ill & ~called]).astype(weights.dtype)).astype(float)
    return {"malignant_sensitivity": divide(sums[:, 1], sums[:, 0]), "malignant_specificity": divide(sums[:, 3], sums[:, 2])}


def _probability_quantities(truth: Cases, predictions: Predictions, weights: np.ndarray) -> dict:
    """AUC per class and its mean; log loss and Brier score where the outputs are probabilities. Cases without outputs are left out."""
    has, b = predictions.has_outputs, len(weights)
    undefined = np.full(b, np.nan)
    outputs, y, w = predictions.outputs[has], truth.labels[has], weights[:, has]
    areas = np.column_stack([curves.resampled_auc(outputs[:, k], y == k, w) if has.any() else undefined for k in range(len(CLASSES))])
    found = {"macro_auc": mean_of_defined(areas)} | {("auc", name): areas[:, k] for k, name in enumerate(CLASSES)}
    if has.any() and calibration.output_kind(outputs) == "probabilities":
        total = w.sum(1, dtype=float)
        return found | {"log_loss": divide(w @ calibration.log_losses(outputs, y), total), "brier_score": divide(w @ calibration.brier_scores(outputs, y), total)}
    return found | {"log_loss": undefined, "brier_score": undefined}


def _slice_shares(truth: Cases, p: np.ndarray) -> dict[str, Share]:
    ill = _malignant(truth.labels)
    return {"accuracy": Share(truth.labels == p, np.ones(len(truth), bool)), "malignant_sensitivity": Share(ill & _malignant(p), ill, "n_malignant")}


def _card(truth: Cases, predictions: Predictions, size: float | None, point: Mapping, found: Replicates, read: list[Finding], source: Mapping,
          units: np.ndarray) -> ScoreCard:
    y, p = truth.labels, predictions.labels
    matrix = classification.confusion_matrix(y, p, len(CLASSES))
    support, predicted = np.bincount(y, minlength=len(CLASSES)), np.bincount(p[p >= 0], minlength=len(CLASSES))
    e = efficiency(size)
    metrics = {name: float(values[0]) for name, values in point.items() if isinstance(name, str) and name != "score"}
    a, w = round(metrics["accuracy"], 6), round(metrics["weighted_f1"], 6)
    metrics |= {"efficiency_score": e, "prediction_score": .5 * a + .5 * w, **_rank_metrics(truth, predictions)}
    reached = _reliability(truth, predictions)
    metrics["expected_calibration_error"] = reached.expected_calibration_error if reached else None
    best = final_score(1.0, float(weighted_f1((support > 0).astype(float))), e)
    more = {"n_missing": int((p < 0).sum()), "model_size_mib": size, "best_possible_score": best,
            "points": {"accuracy": .45 * a, "weighted_f1": .45 * w, "efficiency_score": .1 * round(e, 6)},
            "risk_matrix": {"labels": list(RISKS), "counts": [[int(matrix[np.ix_(rows, columns)].sum()) for columns in GROUPS.values()] for rows in GROUPS.values()]},
            "slices": subgroups.rows(lesions.subgroups(truth), _slice_shares(truth, p), point, found.intervals)}
    if predictions.model:
        more["model"] = {k: v for k, v in predictions.model.items() if k != "size_mib"}
    findings = [*read, *_score_findings(support, predicted, predictions, size, found)]
    shown = {name: value for name, value in found.intervals.items() if isinstance(name, str)}
    per_class = _per_class(truth, predictions, matrix, support, predicted, point, found)
    return ScoreCard(ID, final_score(metrics["accuracy"], metrics["weighted_f1"], e), plain(metrics), plain(per_class), len(truth),
                     _cases(truth, predictions), tuple(findings), source, {"labels": list(CLASSES), "counts": matrix.tolist()}, shown, plain(more),
                     _arrays(truth, predictions, reached, source, units))


def _rank_metrics(truth: Cases, predictions: Predictions) -> dict:
    values = np.array(list(_average_precisions(truth, predictions).values()))
    return {"macro_average_precision": float(mean_of_defined(values))}


def _average_precisions(truth: Cases, predictions: Predictions) -> dict[str, float]:
    has = predictions.has_outputs
    return {name: curves.average_precision(predictions.outputs[has, k], truth.labels[has] == k) for k, name in enumerate(CLASSES)}


def _per_class(truth, predictions, matrix, support, predicted, point, found: Replicates) -> dict:
    n, average_precision = len(truth), _average_precisions(truth, predictions)
    rows = {}
    for k, name in enumerate(CLASSES):
        hits, f1 = int(matrix[k, k]), float(point["f1", name][0])
        others = n - int(support[k])
        rows[name] = {"risk": RISK[name], "support": int(support[k]), "predicted": int(predicted[k]), "precision": hits / predicted[k] if predicted[k] else None,
                      "recall": hits / support[k] if support[k] else None, "f1": f1, "specificity": (others - int(predicted[k]) + hits) / others if others else None,
                      "auc": float(point["auc", name][0]), "average_precision": average_precision[name], "score_worth": WORTH[name], "score_lost": WORTH[name] * (1 - f1)}
        if found.values:
            rows[name] |= {f"{what}_interval": found.intervals.get((what, name)) for what in ("f1", "recall", "auc")}
    return rows


def _cases(truth: Cases, predictions: Predictions) -> tuple[dict, ...]:
    encoded, about, rows = truth.demographics.encoded.tolist(), lesions.described(truth), []
    for i, (y, p) in enumerate(zip(truth.labels, predictions.labels, strict=True)):
        outputs = None if np.isnan(predictions.outputs[i]).any() else predictions.outputs[i].tolist()
        rows.append({"case": truth.ids[i], "truth": CLASSES[y], "predicted": CLASSES[p] if p >= 0 else None, "correct": bool(y == p), "truth_risk": RISK[CLASSES[y]],
                     "predicted_risk": RISK[CLASSES[p]] if p >= 0 else None, **about[i], "encoded": encoded[i], "outputs": outputs,
                     "truth_score": outputs[y] if outputs else None})
    return tuple(rows)


def _score_findings(support: np.ndarray, predicted: np.ndarray, predictions: Predictions, size: float | None, found: Replicates) -> Iterator[Finding]:
    for k, name in enumerate(CLASSES):
        if support[k] == 0:
            yield warning("absent-class", name, f"no case of {name} in this test set: its F1 counts 0 and {100 * WORTH[name]:.3f} points of 100 cannot be won, as in the official code.")
        elif predicted[k] == 0:
            yield warning("never-predicted", name, f"no case is predicted as {name}; the truth has {support[k]}. Its F1 is 0.")
    if size is None:
        yield warning("model-size-unknown", predictions.name, "the model's size is unknown: efficiency counts 1.0. Give --model-size-mib.")
    elif predictions.model is None and size >= FULL_MIB:
        yield warning("size-score-zero", predictions.name, f"{size:g} MiB: from {FULL_MIB} MiB on efficiency is 0 and 10 points are lost.")
    if found.values:
        for k, name in enumerate(CLASSES):
            if 0 < support[k] < SMALL_CLASS:
                yield warning("few-cases-in-class", name, f"{support[k]} case{'s' * int(support[k] > 1)}: interval of F1 too narrow below {SMALL_CLASS} cases.")
    yield from found.findings


def _reliability(truth: Cases, predictions: Predictions) -> calibration.Reliability | None:
    has = predictions.has_outputs
    outputs = predictions.outputs[has]
    if not has.any() or calibration.output_kind(outputs) != "probabilities":
        return None
    return calibration.reliability(outputs.max(1), truth.labels[has] == predictions.labels[has])


def _arrays(truth: Cases, predictions: Predictions, reached: calibration.Reliability | None, source: Mapping, units: np.ndarray) -> dict[str, np.ndarray]:
    """What is drawn and too fine for JSON: outputs, labels, the reliability bins, ROC and precision-recall curves with bands."""
    arrays = {"outputs": predictions.outputs, "truth": truth.labels, "predicted": predictions.labels}
    if reached:
        arrays |= {f"reliability_{name}": getattr(reached, name) for name in ("said", "right", "low", "high", "n")}
    has = predictions.has_outputs
    if has.any() and source["resamples"]:
        weights = np.concatenate(list(resampling.replicate_weights(units, min(source["resamples"], CURVE_REPLICATES), source["seed"])))
        arrays |= curves.banded_curves(predictions.outputs[has], truth.labels[has], weights[:, has])
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


SWEEP_AGES = tuple(range(0, 95, 5))


def received(truth: Cases, index: int, model: Mapping | None = None) -> tuple[list[pictures.Stage], Seen]:
    """What a model receives of one case: the 512 x 512 pixels, and those of the size that the model (`Inspection.model`) declares.

    Raises ImageUnreadable, InputRefused.
    """
    return pictures.received(truth, index, recipe_of_size(*submission.declared_size(model)))


def sweep(model: submission.Model, truth: Cases, index: int) -> dict:
    """A model's outputs for one case when one of age, gender and location changes and the others stay as they are.

    "age": outputs [19, 11] at SWEEP_AGES; "gender": [3, 11] at male, female, unknown; "location": [8, 11] at the seven sites and unknown.
    Raises `ModelFailed`, ImageUnreadable.
    """
    data, _ = submission.model_bytes(model)
    age, gender, location = truth.demographics.encoded[index]
    vectors = {"age": np.array([_vector(a, gender, location) for a in SWEEP_AGES]), "gender": np.array([_vector(age, g, location) for g in (1, 0, lesions.UNKNOWN)]),
               "location": np.array([_vector(age, gender, k) for k in (*range(1, 8), lesions.UNKNOWN)])}
    return pictures.sweep(data, truth, index, recipe_for, vectors)


def thumbnails(truth: Cases, indices: Sequence[int]) -> list[bytes | None]:
    """JPEG thumbnails of cases, turned upright for the eye; None where there is no readable picture."""
    return pictures.thumbnails(truth, indices)
