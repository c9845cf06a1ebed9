"""Masks as other programs write them: NRRD, a channel or a file for each label, names with an ending."""

import json

import numpy as np
import pytest

from scoring.challenges.hecktor2026.patients import scene
from scoring.inputs.sources import FixedSource
from tests.challenges.hecktor2026.three import MASKS, ROWS, TABLE
from tests.support import volumes
from tests.support.archives import archive_of
from tests.support.findings import codes, only, refused
from tests.support.patients import CHALLENGE, mask, submission_folder, truth_folder


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(truth_folder(ROWS, MASKS))


@pytest.fixture(scope="module")
def usual(truth):
    return CHALLENGE.read_predictions(TABLE | submission_folder([], MASKS), truth)


def exchanged(values):
    return np.array([0, 2, 1], np.uint8)[values]


WRITTEN = {
    "Slicer": lambda m: volumes.nrrd(m, ("GTVp", "GTVn")),
    "other order": lambda m: volumes.nrrd(exchanged(m), ("GTVn", "GTVp")),
    "cropped": lambda m: volumes.nrrd(m[1:, :, :], ("GTVp", "GTVn"), (1, 0, 0)),
    "cropped at both ends": lambda m: volumes.nrrd(exchanged(m[:, :, :1]), ("gtv-n", "GTV_P"), (0, 0, 0)),
    "raw RAS": lambda m: volumes.nrrd(m, encoding="raw", space="RAS"),
    "MITK": lambda m: volumes.nrrd(
        exchanged(m),
        type="unsigned short",
        dtype="<u2",
        groups=[{"labels": [{"name": "GTVn", "value": 1}, {"name": "GTVp", "value": 2}]}],
    ),
}


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("pack", [dict, archive_of])
def test_nrrd_is_read_by_the_names_of_its_segments(truth, form, pack):
    """A part is at its place among the voxels of the truth; nothing is resampled."""
    masks = MASKS if "ends" not in form else {p: m * [1, 0] for p, m in MASKS.items()}
    if form == "cropped":
        masks = {p: m * np.reshape([0, 1, 1], (3, 1, 1)) for p, m in MASKS.items()}
    masks = {p: m.astype(np.uint8) for p, m in masks.items()}
    usual = CHALLENGE.read_predictions(TABLE | submission_folder([], masks), truth)
    files = TABLE | {f"masks/{p}.seg.nrrd": WRITTEN[form](m) for p, m in masks.items()}
    found = CHALLENGE.read_predictions(pack(files), truth)
    assert found.masks.states == ("ok",) * 3
    assert (found.fingerprint == usual.fingerprint).all()
    assert (found.masks.tables == usual.masks.tables).all()
    assert "3 masks are NRRD" in "".join(f.message for f in found.read if f.code == "other-format")
    assert not CHALLENGE.score(truth, found, resamples=0).official.same
    shown, wanted = scene(truth, found, 1), scene(truth, usual, 1)
    assert repr(shown) == repr(wanted)


def test_a_test_set_may_be_nrrd(usual):
    files = truth_folder(ROWS) | {f"{p}.seg.nrrd": WRITTEN["other order"](m) for p, m in MASKS.items()}
    found = CHALLENGE.read_predictions(
        TABLE | submission_folder([], MASKS), CHALLENGE.read_truth(files)
    ).masks.tables
    assert (found == usual.masks.tables).all()


FAULTS = {
    "segments that overlap": (
        lambda m: volumes.nrrd(m, ("GTVp", "GTVn"), layers=True),
        "In 3D Slicer: Segmentations",
    ),
    "layers": (
        lambda m: volumes.nrrd(np.stack([m, m]), lines={"kinds": "list domain domain domain"}),
        "2×3×2×2",
    ),
    "beyond the truth": (lambda m: volumes.nrrd(m, ("GTVp", "GTVn"), (1, 0, 0)), "away from the same corner"),
    "between voxels": (lambda m: volumes.nrrd(m[1:], ("GTVp", "GTVn"), (0.5, 0, 0)), "its grid has"),
    "ASCII": (lambda m: volumes.nrrd(m, encoding="ascii"), "raw or gzip"),
    "block": (lambda m: volumes.nrrd(m, type="block"), "its voxels are block"),
    "two files": (lambda m: volumes.nrrd(m, lines={"data file": "m.raw"}), "in another file"),
    "no place": (lambda m: volumes.nrrd(m, lines={"space origin": None}), "the position of the voxels"),
    "cut off": (lambda m: volumes.nrrd(m)[:-9], ""),
    "no end": (lambda m: b"NRRD0004\n" + b"a:=b\n" * 300_000, "1,048,576 bytes"),
    "a long line": (lambda m: b"NRRD0004\n" + b"a" * 300_000, "cut off"),
    "three axes, four sizes": (
        lambda m: volumes.nrrd(np.stack([m, m]), lines={"dimension": 3}),
        "its header announces 3 axes, but 4 sizes",
    ),
    "1e9 axes": (lambda m: volumes.nrrd(m, lines={"dimension": 10**9}), "1000000000 axes, but 3 sizes"),
    "-3 axes": (lambda m: volumes.nrrd(m, lines={"dimension": -3}), "announces -3 axes, but 3 sizes"),
    "3.0 axes": (lambda m: volumes.nrrd(m, lines={"dimension": "3.0"}), "announces 3.0 axes, but 3 sizes"),
    "a negative size": (lambda m: volumes.nrrd(m, lines={"sizes": "-2 3 4"}), "-2×3×4, which is impossible"),
    "no size": (lambda m: volumes.nrrd(m, lines={"sizes": None}), "announces 3 axes, but 0 sizes"),
    "many sizes": (lambda m: volumes.nrrd(m, lines={"sizes": "9 " * 40_000}), "3 axes, but 40000 sizes"),
    "a vector of two": (lambda m: volumes.nrrd(m, lines={"space origin": "(1,2)"}), "three numbers"),
    "huge": (lambda m: volumes.nrrd(m, lines={"sizes": "99999 99999 99999"}), "at most"),
    "huge part": (lambda m: volumes.nrrd(m, ("GTVp",), lines={"sizes": "1000 1000 1000"}), "voxels"),
    "no numbers": (lambda m: volumes.nrrd(m, lines={"sizes": "a b c"}), "is not a valid number"),
    "digits": (lambda m: volumes.nrrd(m, lines={"sizes": f"{'9' * 5000} 1 1"}), "is not a valid number"),
    "a third label": (lambda m: volumes.nrrd(m * 3, ("GTVp", "GTVn")), "label"),
    "odd names": (lambda m: volumes.nrrd(m * 3, groups=[1]), "label"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_nrrd_that_cannot_be_read_is_said(truth, fault):
    write, said = FAULTS[fault]
    files = TABLE | {f"{p}.nrrd": write(m) for p, m in MASKS.items()}
    (problem,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert problem.code == "no-mask"
    assert said in problem.message


def one_hot(values, first: int = 0, dtype: str = "<f4") -> bytes:
    return volumes.zipped(
        volumes.nifti(np.stack([values == k for k in range(first, 3)], -1).astype(dtype), dtype=dtype)
    )


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("dtype", ["<f4", "<u1"])
def test_a_channel_for_each_label_is_one_label_map(truth, usual, first, dtype):
    """As `AsDiscrete(to_onehot=3)` of MONAI makes it, with and without the background."""
    files = TABLE | {f"{p}/{p}_trans.nii.gz": one_hot(m, first, dtype) for p, m in MASKS.items()}
    found = CHALLENGE.read_predictions(files, truth)
    assert (found.fingerprint == usual.fingerprint).all()
    assert "a channel for each label" in only(found.read, "other-format").message
    other = {p: exchanged(m) for p, m in MASKS.items()}
    told = CHALLENGE.read_predictions(TABLE | {f"{p}.nii.gz": one_hot(m) for p, m in other.items()}, truth)
    fix = only(told.read, "label-order").fixes[0]
    files = TABLE | {f"{p}.nii.gz": one_hot(m) for p, m in other.items()}
    again = CHALLENGE.read_predictions(FixedSource(files, fix.changes), truth)
    assert (again.fingerprint == usual.fingerprint).all()


def test_channels_in_one_mask_among_label_maps_are_a_mistake(truth):
    files = TABLE | submission_folder([], MASKS) | {"masks/P0.nii.gz": one_hot(MASKS["P0"])}
    assert CHALLENGE.read_predictions(files, truth).masks.states == ("malformed", "ok", "ok")


@pytest.mark.parametrize(
    ("channels", "said"),
    [
        (lambda m: (m == 1, m == 1), "overlap"),
        (lambda m: (m == 0, m != 0), "2 channels are not GTVp and GTVn"),
        (lambda m: (m == 1, m == 2, m == 5), "3 channels are not background"),
        (lambda m: (m * 0.4, m * 0.6), "fractional"),
        (lambda m: (m == 0, (m == 1) * 2, (m == 2) * 2), "values other than 0 and 1"),
        (lambda m: (m == 0,) * 4, "not 3D"),
    ],
)
def test_channels_that_are_no_label_map_are_refused(truth, channels, said):
    data = {p: np.stack([np.asarray(c, "f4") for c in channels(m)], -1) for p, m in MASKS.items()}
    files = TABLE | {f"{p}.nii": volumes.nifti(d, dtype="<f4") for p, d in data.items()}
    (problem,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert (problem.code, said in problem.message) == ("no-mask", True)


def numbered(folder: str, order: str = "pn") -> dict[str, bytes]:
    return {
        f"{folder.format(p)}{p}-{number}.nii.gz": mask((m == "pn".index(kind) + 1).astype(np.uint8))
        for p, m in MASKS.items()
        for number, kind in enumerate(order, 1)
    }


@pytest.mark.parametrize("folder", ["{}/", ""])
@pytest.mark.parametrize("order", ["pn", "np"])
def test_masks_that_dcmqi_numbers_are_those_of_its_list(truth, usual, folder, order):
    """As `segimage2itkimage` writes them: a file for each segment, named in `-meta.json`."""
    listing = {"segmentAttributes": [[{"labelID": 1, "SegmentLabel": f"GTV{kind}"}] for kind in order]}
    lists = {f"{folder.format(p)}{p}-meta.json": json.dumps(listing).encode() for p in MASKS}
    found = CHALLENGE.read_predictions(TABLE | numbered(folder, order) | lists, truth)
    assert (found.fingerprint == usual.fingerprint).all()
    assert "ignored-files" not in codes(found.findings)
    without = CHALLENGE.read_predictions(
        TABLE | numbered(folder, order) | lists | {"P0/x-meta.json": b"{"}, truth
    )
    assert "P0/x-meta.json" in only(without.findings, "ignored-files").message


@pytest.mark.parametrize("folder", ["{}/", ""])
@pytest.mark.parametrize("order", ["pn", "np"])
@pytest.mark.parametrize("lists", [b"", b"[" * 9999, b'{"segmentAttributes": 3}'])
def test_numbers_of_masks_that_nothing_explains_are_asked_about(truth, usual, folder, order, lists):
    listed = {f"{folder.format(p)}{p}-meta.json": lists for p in MASKS} if lists else {}
    files = TABLE | numbered(folder, order) | listed
    problem = only(refused(CHALLENGE.read_predictions, files, truth).problems, "separate-structures")
    fix = problem.fixes[["pn", "np"].index(order)]
    assert (
        CHALLENGE.read_predictions(FixedSource(files, fix.changes), truth).fingerprint == usual.fingerprint
    ).all()


@pytest.mark.parametrize(
    "name", ["{}_seg", "{}_pred", "{}__CT_seg", "{}_mask", "{}.label", "{}-segmentation"]
)
def test_usual_endings_of_names_are_read_and_told(truth, usual, name):
    masks = {f"{name.format(p)}.nii.gz": mask(m) for p, m in MASKS.items()}
    found = CHALLENGE.read_predictions(TABLE | masks, truth)
    assert (found.fingerprint == usual.fingerprint).all()
    assert f"reads {name.format('P0')} as P0" in only(found.read, "other-format").message
    both = masks | {f"{p}_label.nii.gz": mask(m) for p, m in MASKS.items()}
    assert codes(refused(CHALLENGE.read_predictions, TABLE | both, truth).problems) == ["unknown-patient"]


BIDS = {
    "one file": lambda p, m: {f"sub-{p}/anat/sub-{p}_desc-GTV_dseg.nii.gz": mask(m)},
    "a session": lambda p, m: {f"out/nnunet/sub-{p}/ses-1/pet/sub-{p}_ses-1_space-pet_dseg.nii.gz": mask(m)},
    "one each": lambda p, m: {
        f"sub-{p}/anat/sub-{p}_label-GTV{kind}_mask.nii.gz": mask((m == number).astype(np.uint8))
        for number, kind in ((1, "p"), (2, "n"))
    },
}


@pytest.mark.parametrize("form", BIDS)
def test_derivatives_of_bids_are_read(truth, usual, form):
    """Images beside them are no masks, and two masks of a patient are refused."""
    masks = {name: data for p, m in MASKS.items() for name, data in BIDS[form](p, m).items()}
    images = {f"sub-{p}/anat/sub-{p}_ct.nii.gz": b"" for p in MASKS}
    found = CHALLENGE.read_predictions(TABLE | masks | images, truth)
    assert (found.fingerprint == usual.fingerprint).all()
    if form == "one file":
        twice = TABLE | masks | {name.replace("GTV", "old"): data for name, data in masks.items()}
        assert {*codes(refused(CHALLENGE.read_predictions, twice, truth).problems)} == {"duplicate-case"}


def test_subjects_of_bids_have_no_marks():
    rows = [{**row, "PatientID": f"HK-{row['PatientID']}"} for row in ROWS]
    truth = CHALLENGE.read_truth(truth_folder(rows, {f"HK-{p}": m for p, m in MASKS.items()}))
    found = CHALLENGE.read_predictions(
        {f"sub-HK{p}/sub-HK{p}_dseg.nii.gz": mask(m) for p, m in MASKS.items()}, truth
    )
    assert found.masks.states == ("ok",) * 3
    assert "reads HKP0 as HK-P0" in "".join(finding.message for finding in found.read)
    rows[1]["PatientID"] = "HKP-0"
    twice = CHALLENGE.read_truth(truth_folder(rows))
    files = {"sub-HKP0/sub-HKP0_dseg.nii.gz": mask(MASKS["P0"])}
    assert codes(refused(CHALLENGE.read_predictions, files, twice).problems) == ["no-common-case"]
