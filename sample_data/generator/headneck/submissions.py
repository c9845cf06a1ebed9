"""The files that teams send in: flat masks with a table, the container's folders, and what comes from a
hurried afternoon."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.readings import Reading
from sample_data.generator.headneck.volumes import compressed, metaimage, nifti

MEDIAN_DAYS, DAYS_PER_RISK = 1500, 0.55
LETTERS = {"T4": "ab", "N2": "abc"}
# Column, 0 for T and 1 for N, and what stands there instead of a stage.
NOT_A_STAGE = ((0, "TX"), (1, ""), (0, "T7"), (1, "NX"), (0, "n/a"), (1, "2"))
NOT_A_SCORE = ("", "high", "inf")
# In every so many patients of the careless team, from the given one on.
MASK_MISSING, STAGE_MISSING, SCORE_MISSING = (9, 3), (8, 5), (15, 7)
OTHER_GRID, AS_FLOAT, TURNED, PLAIN = 10, 14, 18, 22
NOT_IN_TRUTH = "XYZ-999"


@dataclass(frozen=True)
class Drawn:
    """One patient's mask as a team has drawn it."""

    name: str
    grid: Grid
    labels: np.ndarray


def _table(header: Sequence[str], rows: Sequence[Sequence], separator: str = ",") -> bytes:
    return "".join(separator.join(map(str, row)) + "\n" for row in [header, *rows]).encode()


def probabilities(risk: np.ndarray, decimals: int) -> list[float]:
    """Between 0 and 1, larger is worse."""
    return np.round(1 / (1 + np.exp(-risk)), decimals).tolist()


def expected_days(risk: np.ndarray) -> list[float]:
    """Days until recurrence, larger is better."""
    return np.round(MEDIAN_DAYS * np.exp(-DAYS_PER_RISK * risk), 1).tolist()


def flat(masks: Sequence[Drawn], reading: Reading, decimals: int) -> dict[str, bytes]:
    """One mask per patient and predictions.csv, with a risk."""
    stages = zip(reading.t_stages, reading.n_stages, probabilities(reading.risk, decimals), strict=True)
    rows = [(mask.name, f"T{t}", f"N{n}", risk) for mask, (t, n, risk) in zip(masks, stages, strict=True)]
    table = {"predictions.csv": _table(("PatientID", "T-stage", "N-stage", "Prediction"), rows)}
    return table | {f"{mask.name}.nii.gz": compressed(nifti(mask.labels, mask.grid)) for mask in masks}


def container(masks: Sequence[Drawn], reading: Reading) -> dict[str, bytes]:
    """As the containers write it: one folder per patient, with a time."""
    files = {}
    for mask, t, n, days in zip(
        masks, reading.t_stages, reading.n_stages, expected_days(reading.risk), strict=True
    ):
        files[f"{mask.name}/images/head-neck-tumor-segmentation/{mask.name}.mha"] = metaimage(
            mask.labels, mask.grid
        )
        for name, value in (("t-stage", f"T{t}"), ("n-stage", f"N{n}"), ("rfs", days)):
            files[f"{mask.name}/{name}.json"] = json.dumps(value).encode()
    return files


def careless(masks: Sequence[Drawn], reading: Reading) -> dict[str, bytes]:
    """Below one folder, with a semicolon table, sub-stages, and things missing or odd."""
    percent = (100 * np.array(probabilities(reading.risk, 3))).round(1).tolist()
    rows = []
    for place, (mask, t, n, risk) in enumerate(
        zip(masks, reading.t_stages, reading.n_stages, percent, strict=True)
    ):
        stages = [_with_letter(f"T{t}", place), _with_letter(f"N{n}", place)]
        if chosen(place, STAGE_MISSING):
            column, text = NOT_A_STAGE[place // STAGE_MISSING[0] % len(NOT_A_STAGE)]
            stages[column] = text
        score = (
            NOT_A_SCORE[place // SCORE_MISSING[0] % len(NOT_A_SCORE)]
            if chosen(place, SCORE_MISSING)
            else risk
        )
        rows.append((mask.name, *stages, score))
    rows.append((NOT_IN_TRUTH, "T2", "N1", 50.0))
    files = {"mira/results.csv": _table(("Patient ID", "T stage", "N stage", "risk"), rows, ";")}
    for place, mask in enumerate(masks):
        if not chosen(place, MASK_MISSING):
            name, content = _odd_file(place, mask)
            files[f"mira/masks/{name}"] = content
    return files


def chosen(place: int, rule: tuple[int, int]) -> bool:
    """Every so many patients, from one on."""
    period, first = rule
    return place % period == first


def _with_letter(stage: str, place: int) -> str:
    letters = LETTERS.get(stage, "")
    return stage + letters[place % len(letters)] if letters else stage


def _odd_file(place: int, mask: Drawn) -> tuple[str, bytes]:
    """Name and content of a patient's mask file, some of them unlike the others."""
    if place == OTHER_GRID:
        other = mask.grid.coarser(2)
        return f"{mask.name}.nii.gz", compressed(nifti(mask.labels[::2, ::2, ::2], other))
    if place == AS_FLOAT:
        return f"{mask.name}.nii.gz", compressed(
            nifti(mask.labels.astype(np.float32) * np.float32(0.999), mask.grid)
        )
    if place == TURNED:
        turned = Grid(mask.grid.shape, mask.grid.spacing, tuple(-sign for sign in mask.grid.signs))
        return f"{mask.name}.nii.gz", compressed(nifti(mask.labels[::-1, ::-1, ::-1], turned))
    if place == PLAIN:
        return f"{mask.name}.nii", nifti(mask.labels, mask.grid)
    return f"{mask.name}.nii.gz", compressed(nifti(mask.labels, mask.grid))
