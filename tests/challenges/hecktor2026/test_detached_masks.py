"""Masks in two files, a header and its voxels, and masks in a zip beside the table."""

import gzip
import io
import zlib

import nibabel
import numpy as np
import pytest

from scoring.challenges.recognition import recognise
from scoring.inputs.sources import FixedSource
from tests.challenges.hecktor2026.three import MASKS, ROWS, TABLE
from tests.support import volumes
from tests.support.archives import archive_of
from tests.support.findings import codes, refused
from tests.support.patients import CHALLENGE, mask, submission_folder, truth_folder


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(truth_folder(ROWS, MASKS))


@pytest.fixture(scope="module")
def usual(truth):
    return CHALLENGE.read_predictions(TABLE | submission_folder([], MASKS), truth)


def pair(values, kind=nibabel.Nifti1Pair, **fields) -> tuple[bytes, bytes]:
    """Header and voxels, as nibabel writes them."""
    image = kind(values, volumes.AFFINE if kind is not nibabel.AnalyzeImage else None)
    for name, value in fields.items():
        image.header[name] = value
    parts = kind.make_file_map({name: io.BytesIO() for name in ("header", "image")})
    image.to_file_map(parts)
    header, voxels = (parts[name].fileobj.getvalue() for name in ("header", "image"))
    return header, voxels


def big(values) -> tuple[bytes, bytes]:
    header = nibabel.Nifti1Pair.header_class(endianness=">")
    header.set_data_dtype(np.dtype(">i2"))
    image = nibabel.Nifti1Pair(values.astype(">i2"), volumes.AFFINE, header)
    parts = type(image).make_file_map({name: io.BytesIO() for name in ("header", "image")})
    image.to_file_map(parts)
    return parts["header"].fileobj.getvalue(), parts["image"].fileobj.getvalue()


def of_metaimage(values, voxels: str, packed: bool = False, **fields) -> tuple[bytes, bytes]:
    written = volumes.metaimage(values, packed=packed, **fields)
    header, _, data = written.partition(b"ElementDataFile = LOCAL\n")
    return header + f"ElementDataFile = {voxels}\n".encode(), data


def of_nrrd(values, voxels: str, encoding: str) -> tuple[bytes, bytes]:
    header, _, data = volumes.nrrd(values, encoding=encoding).partition(b"\n\n")
    return header + f"\ndata file: {voxels}\n".encode(), data


WRITTEN = {
    "NIfTI": lambda p, m: dict(zip((f"{p}.hdr", f"{p}.img"), pair(m), strict=True)),
    "NIfTI-2": lambda p, m: dict(zip((f"{p}.hdr", f"{p}.img"), pair(m, nibabel.Nifti2Pair), strict=True)),
    "big": lambda p, m: dict(zip((f"{p}.hdr", f"{p}.img"), big(m), strict=True)),
    "gzip": lambda p, m: {f"{p}.hdr": pair(m)[0], f"{p}.img.gz": gzip.compress(pair(m)[1])},
    "raw": lambda p, m: dict(zip((f"{p}.mhd", f"{p}.raw"), of_metaimage(m, f"{p}.raw"), strict=True)),
    "zraw": lambda p, m: dict(
        zip((f"{p}.mhd", f"{p}.zraw"), of_metaimage(m, f"{p}.zraw", True), strict=True)
    ),
    "other name": lambda p, m: dict(
        zip((f"{p}.mhd", f"{p}_a.raw"), of_metaimage(m, f"./{p}_a.raw"), strict=True)
    ),
    "renamed": lambda p, m: dict(zip((f"{p}.mhd", f"{p}.raw"), of_metaimage(m, "result.0.raw"), strict=True)),
    "local": lambda p, m: {f"{p}.mhd": volumes.metaimage(m)},
    "NRRD": lambda p, m: dict(
        zip((f"{p}.nhdr", f"{p}.raw.gz"), of_nrrd(m, f"{p}.raw.gz", "gzip"), strict=True)
    ),
    "raw NRRD": lambda p, m: dict(zip((f"{p}.nhdr", f"{p}.raw"), of_nrrd(m, f"{p}.raw", "raw"), strict=True)),
}


def written(form: str) -> dict[str, bytes]:
    return {f"masks/{name}": data for p, m in MASKS.items() for name, data in WRITTEN[form](p, m).items()}


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("pack", [dict, archive_of])
def test_a_header_and_its_voxels_are_one_mask(truth, usual, form, pack):
    found = CHALLENGE.read_predictions(pack(TABLE | written(form)), truth)
    assert found.masks.states == ("ok",) * 3
    assert (found.fingerprint == usual.fingerprint).all()
    assert "3 masks have header and voxels in" in "".join(
        f.message for f in found.read if f.code == "other-format"
    )
    assert not {"ignored-files", "mask-elsewhere"} & {*codes(found.findings)}


def test_they_are_recognised_without_a_table():
    (found,) = recognise(written("raw"))
    assert {reading.challenge for reading in found.readings} == {"hecktor2026"}


def test_each_of_both_files_changes_the_digest(truth):
    files = TABLE | written("raw")
    digests = {CHALLENGE.read_predictions(files, truth).contents.digest}
    digests.add(CHALLENGE.read_predictions(files | {"masks/P0.raw": bytes(12)}, truth).contents.digest)
    header = files["masks/P0.mhd"].replace(b"CenterOfRotation = 0 0 0", b"CenterOfRotation = 0 0 1")
    digests.add(CHALLENGE.read_predictions(files | {"masks/P0.mhd": header}, truth).contents.digest)
    assert len(digests) == 3


def test_a_truth_may_be_in_two_files(truth, usual):
    again = CHALLENGE.read_truth(truth_folder(ROWS) | written("NIfTI"))
    found = CHALLENGE.read_predictions(TABLE | submission_folder([], MASKS), again)
    assert (found.masks.tables == usual.masks.tables).all()


def test_their_names_are_mended_as_those_of_other_masks(truth, usual):
    files = TABLE | {
        name.replace("P", "HN_P"): data.replace(b"ElementDataFile = P", b"ElementDataFile = HN_P")
        for name, data in written("raw").items()
    }
    (fix,) = refused(CHALLENGE.read_predictions, files, truth).problems[0].fixes
    found = CHALLENGE.read_predictions(FixedSource(files, fix.changes), truth)
    assert (found.fingerprint == usual.fingerprint).all()


FAULTS = {
    "Analyze": (lambda m: {"hdr": pair(m.astype("i2"), nibabel.AnalyzeImage)[0], "img": b""}, "Analyze 7.5"),
    "cut header": (lambda m: {"hdr": pair(m)[0][:200], "img": pair(m)[1]}, "not a NIfTI header"),
    "cut voxels": (lambda m: {"hdr": pair(m)[0], "img": pair(m)[1][:-1]}, "cut off"),
    "cut zraw": (
        lambda m: {"mhd": of_metaimage(m, "x", True)[0], "zraw": zlib.compress(b"a")},
        "9 bytes follow",
    ),
    "no zraw": (lambda m: {"mhd": of_metaimage(m, "x", True)[0], "zraw": b"abc"}, "damaged"),
    "lying zraw": (
        lambda m: dict(zip(("mhd", "zraw"), of_metaimage(m, "x", True, CompressedDataSize=7), strict=True)),
        "its CompressedDataSize is 7, but ",
    ),
    "no voxels": (lambda m: {"mhd": of_metaimage(m, "../../etc/passwd")[0]}, "missing (../../etc/passwd)"),
    "no image": (lambda m: {"hdr": pair(m)[0]}, "missing (a .img file with the same name)"),
    "several": (lambda m: {"mhd": of_metaimage(m, "LIST")[0]}, "missing (LIST)"),
    "a header in the voxels": (
        lambda m: {"mhd": b"HeaderSize = 9\n" + of_metaimage(m, "x")[0], "raw": of_metaimage(m, "x")[1]},
        "do not begin at the start of",
    ),
    "far": (lambda m: {"hdr": pair(m, vox_offset=1e9)[0], "img": pair(m)[1]}, "begin at byte"),
    "huge": (
        lambda m: {"hdr": pair(m)[0][:40] + b"\3\0" + b"\xff\x7f" * 7 + pair(m)[0][56:], "img": pair(m)[1]},
        "at most",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_read_in_two_files_is_said(truth, fault):
    write, said = FAULTS[fault]
    files = TABLE | {f"{p}.{ending}": data for p, m in MASKS.items() for ending, data in write(m).items()}
    (problem,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert problem.code == "no-mask"
    assert said in problem.message


@pytest.mark.parametrize("folder", ["", "masks/", "vega/"])
def test_masks_in_a_zip_beside_the_table_are_read(truth, usual, folder):
    """Before, they were left out, and each mask counted as empty."""
    inner = {f"{folder}{p}.nii.gz": mask(m) for p, m in MASKS.items()}
    found = CHALLENGE.read_predictions(TABLE | {"all.zip": archive_of(inner)}, truth)
    assert (found.fingerprint == usual.fingerprint).all()
    packed = archive_of(TABLE | {"all.zip": archive_of(inner)})
    assert (CHALLENGE.read_predictions(packed, truth).fingerprint == usual.fingerprint).all()
    broken = refused(CHALLENGE.read_predictions, TABLE | {"all.zip": b"PK\3\4"}, truth)
    assert codes(broken.problems) == ["bad-zip"]
    twice = TABLE | {"all.zip": archive_of({"a/P0.nii.gz": b""}), "all/P0.nii.gz": b""}
    assert "occurs twice" in refused(CHALLENGE.read_predictions, twice, truth).problems[0].message
