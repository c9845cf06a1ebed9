"""Test sets and submissions of HECKTOR 2026, built from rows and small label maps, and every metric of the
definition in plain loops."""

import csv
import io
import math
from collections.abc import Mapping, Sequence

import numpy as np

import scoring
from scoring.challenges.hecktor2026.formula import SUBTASKS
from scoring.core.scorecard import Official, ScoreCard
from tests.support import volumes

CHALLENGE = scoring.load_challenge("hecktor2026")
SHAPE = (3, 2, 2)
USUAL = {"empty_masks": "one", "missing_risk": "non-concordant", "prognosis_direction": "auto", "t0": "count"}
VOXEL_ML = 0.98 * 0.98 * 3 / 1000


def table(rows: Sequence[Mapping[str, object]], delimiter: str = ",") -> bytes:
    """Rows as a table; None is an empty cell."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text,
        list(dict.fromkeys(name for row in rows for name in row)),
        delimiter=delimiter,
        lineterminator="\n",
    )
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def mask(labels: np.ndarray) -> bytes:
    return volumes.zipped(volumes.nifti(labels))


def labels(*values: int) -> np.ndarray:
    """A label map whose first voxels have these values, the others 0."""
    flat = np.zeros(math.prod(SHAPE), np.uint8)
    flat[: len(values)] = values
    return flat.reshape(SHAPE, order="F")


def folder(
    name: str, rows: Sequence[Mapping[str, object]], masks: Mapping[str, np.ndarray]
) -> dict[str, bytes]:
    """A dropped folder with a table of that name, where there are rows, and masks by patient."""
    return ({name: table(rows)} if rows else {}) | {
        f"masks/{patient}.nii.gz": mask(found) for patient, found in masks.items()
    }


def truth_folder(rows: Sequence[Mapping], masks: Mapping[str, np.ndarray] | None = None) -> dict[str, bytes]:
    return folder("clinical.csv", rows, masks or {})


def submission_folder(
    rows: Sequence[Mapping], masks: Mapping[str, np.ndarray] | None = None
) -> dict[str, bytes]:
    return folder("predictions.csv", rows, masks or {})


def card(truth_source, submission_source, **options) -> scoring.ScoreCard:
    """The scorecard; without replicates unless they are asked for."""
    truth = CHALLENGE.read_truth(truth_source)
    return CHALLENGE.score(
        truth, CHALLENGE.read_predictions(submission_source, truth), **{"resamples": 0, **options}
    )


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def dice(true: np.ndarray, guess: np.ndarray | None, label: int, rule: str) -> float | None:
    """Dice of a label in two label maps; no mask is an empty one. None leaves the mean."""
    a = {tuple(place) for place in np.argwhere(true == label)}
    b = set() if guess is None else {tuple(place) for place in np.argwhere(guess == label)}
    if not a and not b:
        return {"one": 1.0, "zero": 0.0, "skip": None}[rule]
    return 2 * len(a & b) / (len(a) + len(b))


def balanced_accuracy(true: Sequence[str | None], guess: Sequence[str | None]) -> float | None:
    recalls = []
    for stage in sorted({s for s in true if s}):
        of_stage = [g for t, g in zip(true, guess, strict=True) if t == stage]
        recalls.append(sum(g == stage for g in of_stage) / len(of_stage))
    return mean(recalls)


def concordance(rows: Sequence[tuple[float, int, float | None]], rule: str) -> dict[str, float | int | None]:
    """C-index, the flipped one and the pairs, from (time, event, score) of the patients that have time and
    event."""
    comparable = concordant = discordant = tied = missing = 0
    for i in rows:
        for j in rows:
            if i[1] and (i[0] < j[0] or (i[0] == j[0] and not j[1])):
                comparable += 1
                if i[2] is None or j[2] is None:
                    missing += 1
                else:
                    concordant, tied, discordant = (
                        concordant + (i[2] > j[2]),
                        tied + (i[2] == j[2]),
                        discordant + (i[2] < j[2]),
                    )
    whole = comparable - missing if rule == "exclude" else comparable
    extra = missing / 2 if rule == "half" else 0
    return {
        "c_index": (concordant + tied / 2 + extra) / whole if whole else None,
        "c_index_flipped": (discordant + tied / 2 + extra) / whole if whole else None,
        "comparable_pairs": comparable,
        "concordant_pairs": concordant,
        "tied_risk_pairs": tied,
        "missing_pairs": missing,
    }


def metrics(truth_rows, truth_masks, rows, masks, **chosen) -> dict[str, float | int | None]:
    """`metrics` of tables whose cells are clean: truth PatientID, T_stage, N_stage, Relapse, RFS; submission
    PatientID, T_stage, N_stage, risk."""
    options = USUAL | chosen
    submitted = {row["PatientID"]: row for row in rows}
    stages = {"T": [f"T{k}" for k in range(5)], "N": [f"N{k}" for k in range(4)]}
    found: dict = {}
    for name, label in (("gtvp", 1), ("gtvn", 2)):
        values = [dice(true, masks.get(p), label, options["empty_masks"]) for p, true in truth_masks.items()]
        found[f"dice_{name}"] = mean([v for v in values if v is not None])
        both = sum(
            np.sum((true == label) & (masks[p] == label)) for p, true in truth_masks.items() if p in masks
        )
        either = sum(
            np.sum(true == label) + np.sum(masks.get(p, labels()) == label) for p, true in truth_masks.items()
        )
        empty = {"one": 1.0, "zero": 0.0, "skip": None}[options["empty_masks"]]
        found[f"dice_agg_{name}"] = (2 * both / either if either else empty) if truth_masks else None
        found[f"empty_{name}"] = sum(
            not (true == label).any() and not (masks.get(p, labels()) == label).any()
            for p, true in truth_masks.items()
        )
    credit = (found.pop("empty_gtvp") + found.pop("empty_gtvn")) / 2
    counts_as_one = options["empty_masks"] == "one"
    found["dice_from_empty_cases"] = (
        (credit / len(truth_masks) if counts_as_one else 0.0) if truth_masks else None
    )
    for kind in ("T", "N"):
        taking_part = [
            row
            for row in truth_rows
            if row[f"{kind}_stage"] and not (row[f"{kind}_stage"] == "T0" and options["t0"] == "exclude")
        ]
        guesses = [submitted.get(row["PatientID"], {}).get(f"{kind}_stage") for row in taking_part]
        guesses = [g if g in stages[kind] else None for g in guesses]
        found[f"balanced_accuracy_{kind.lower()}"] = balanced_accuracy(
            [row[f"{kind}_stage"] for row in taking_part], guesses
        )
        found[f"n_missing_{kind.lower()}"] = guesses.count(None)
    sign = -1 if options["prognosis_direction"] == "time" else 1
    known = [row for row in truth_rows if row["RFS"] is not None and row["Relapse"] is not None]
    scores = [submitted.get(row["PatientID"], {}).get("risk") for row in known]
    triples = [
        (row["RFS"], row["Relapse"], None if s is None else sign * s)
        for row, s in zip(known, scores, strict=True)
    ]
    found |= concordance(triples, options["missing_risk"]) | {"n_missing_risk": scores.count(None)}
    found["segmentation"] = average(found["dice_gtvp"], found["dice_gtvn"])
    found["staging"] = average(found["balanced_accuracy_t"], found["balanced_accuracy_n"])
    parts = found["segmentation"], found["staging"], found["c_index"]
    known_parts = None not in parts
    found["weighted_score"] = 0.25 * parts[0] + 0.35 * parts[1] + 0.40 * parts[2] if known_parts else None
    found["unweighted_score"] = sum(parts) / 3 if known_parts else None
    found["consistency"] = abs(found["weighted_score"] - found["unweighted_score"]) if known_parts else None
    patients = {row["PatientID"] for row in truth_rows} | set(truth_masks)
    found["n_missing_masks"] = sum(p not in masks for p in truth_masks)
    found["n_malformed_masks"] = 0
    found["n_unknown_patients"] = len((set(submitted) | set(masks)) - patients)
    return found


def average(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else (first + second) / 2


def subtask_card(parts, replicates=None) -> ScoreCard:
    """A scorecard with nothing but its subtasks and, as [B, 3], their replicates."""
    known = None not in parts
    score = 0.25 * parts[0] + 0.35 * parts[1] + 0.4 * parts[2] if known else None
    metrics = dict(zip(SUBTASKS, parts, strict=True)) | {
        "consistency": abs(score - sum(parts) / 3) if known else None
    }
    arrays = {}
    if replicates is not None:
        arrays = {f"{name}_replicates": replicates[:, k] for k, name in enumerate(SUBTASKS)}
        arrays["score_replicates"] = replicates @ [0.25, 0.35, 0.4]
    provenance = {
        "version": "",
        "truth_sha256": "",
        "options": {},
        "seed": 0,
        "resamples": 0,
        "interval": "",
        "unit": "",
        "n_units": 60,
    }
    provenance |= {"predictions_sha256": "", "model_sha256": None}
    arrays["aligned"] = np.frombuffer(repr(parts).encode().ljust(32)[:32], np.uint8)
    return ScoreCard(
        "hecktor2026",
        score,
        metrics,
        {},
        60,
        (),
        (),
        provenance,
        official=Official(True, score),
        arrays=arrays,
    )


def two_orders(noise: np.ndarray | None = None) -> dict[str, ScoreCard]:
    """Scorecards of three teams: "steady" is first by weighted ranks, "uneven" by score. noise: [B, 3], added
    to their subtasks in the replicates."""
    parts = {"steady": (0.9, 0.2, 0.5), "uneven": (0.1, 0.95, 0.49), "last": (0.05, 0.1, 0.3)}
    return {
        name: subtask_card(of_team, None if noise is None else np.roll(noise, k, axis=0) + of_team)
        for k, (name, of_team) in enumerate(parts.items())
    }
