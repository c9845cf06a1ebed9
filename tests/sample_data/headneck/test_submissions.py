"""Files of teams are laid out as their character says."""

import gzip
import json

import nibabel
import numpy as np
import pytest

from sample_data.generator.headneck import submissions
from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.readings import Reading
from sample_data.generator.headneck.submissions import Drawn, chosen

COUNT = 26
GRID = Grid((6, 4, 2), (2.0, 2.0, 3.0))
RANDOM = np.random.default_rng(0)
MASKS = [
    Drawn(f"P-{number:03d}", GRID, RANDOM.integers(0, 3, GRID.shape).astype(np.uint8))
    for number in range(COUNT)
]
READING = Reading(RANDOM.integers(1, 5, COUNT), RANDOM.integers(0, 4, COUNT), RANDOM.normal(size=COUNT))
FLAT, CONTAINER, CARELESS = (
    submissions.flat(MASKS, READING, 2),
    submissions.container(MASKS, READING),
    submissions.careless(MASKS, READING),
)


def rows(content: bytes, separator: str) -> list[list[str]]:
    return [line.split(separator) for line in content.decode().splitlines()]


def image(content: bytes) -> nibabel.Nifti1Image:
    return nibabel.Nifti1Image.from_bytes(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)


def test_a_flat_submission_has_a_mask_and_a_row_for_everyone():
    header, *lines = rows(FLAT["predictions.csv"], ",")
    assert header == ["PatientID", "T-stage", "N-stage", "Prediction"]
    assert [line[:3] for line in lines] == [
        [mask.name, f"T{t}", f"N{n}"]
        for mask, t, n in zip(MASKS, READING.t_stages, READING.n_stages, strict=True)
    ]
    assert all(len(line[3].split(".")[1]) <= 2 for line in lines)
    assert all(
        (np.asarray(image(FLAT[f"{mask.name}.nii.gz"]).dataobj) == mask.labels).all() for mask in MASKS
    )


def test_a_container_writes_scalars_and_days():
    for mask, t in zip(MASKS, READING.t_stages, strict=True):
        assert json.loads(CONTAINER[f"{mask.name}/t-stage.json"]) == f"T{t}"
        assert f"{mask.name}/images/head-neck-tumor-segmentation/{mask.name}.mha" in CONTAINER
    days = [json.loads(CONTAINER[f"{mask.name}/rfs.json"]) for mask in MASKS]
    assert min(days) > 0
    assert np.argsort(days).tolist() == np.argsort(-READING.risk).tolist()


def test_probabilities_keep_the_order_until_they_are_rounded():
    risk = np.linspace(-3, 3, 50)
    fine, rough = submissions.probabilities(risk, 6), submissions.probabilities(risk, 1)
    assert fine == sorted(fine)
    assert len(set(fine)) == 50 > 11 >= len(set(rough))
    assert 0 < min(fine) < max(fine) < 1


def test_a_careless_table_has_semicolons_sub_stages_odd_labels_and_somebody_unknown():
    header, *lines = rows(CARELESS["mira/results.csv"], ";")
    assert header == ["Patient ID", "T stage", "N stage", "risk"]
    assert [line[0] for line in lines] == [*(mask.name for mask in MASKS), submissions.NOT_IN_TRUTH]
    assert all(line[2][-1] in "abc" for line in lines[:COUNT] if line[2].startswith("N2"))
    assert {"TX", "T7", ""} <= {stage for line in lines for stage in line[1:3]}
    assert "" in [line[3] for line in lines]


def test_careless_masks_are_missing_or_odd_where_it_is_said():
    named = {
        path.split("/")[-1].split(".")[0]: content for path, content in CARELESS.items() if "/masks/" in path
    }
    assert set(named) == {
        mask.name for place, mask in enumerate(MASKS) if not chosen(place, submissions.MASK_MISSING)
    }
    assert image(named[MASKS[submissions.OTHER_GRID].name]).shape == (3, 2, 1)
    floats = image(named[MASKS[submissions.AS_FLOAT].name])
    assert floats.get_data_dtype() == np.float32
    assert floats.get_fdata() == pytest.approx(MASKS[submissions.AS_FLOAT].labels, abs=0.01)
    assert f"mira/masks/{MASKS[submissions.PLAIN].name}.nii" in CARELESS


def test_a_turned_mask_has_the_same_label_at_the_same_place():
    mask = MASKS[submissions.TURNED]
    turned = image(CARELESS[f"mira/masks/{mask.name}.nii.gz"])
    as_meant = nibabel.Nifti1Image(mask.labels, np.diag([*GRID.steps, 1]))
    as_meant.affine[:3, 3] = GRID.origin
    stored, meant = (nibabel.as_closest_canonical(one) for one in (turned, as_meant))
    assert stored.affine == pytest.approx(meant.affine)
    assert (np.asarray(stored.dataobj) == np.asarray(meant.dataobj)).all()
    assert not (np.asarray(turned.dataobj) == mask.labels).all()
