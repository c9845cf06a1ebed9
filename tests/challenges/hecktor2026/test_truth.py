"""Reading test sets: layouts, tolerant tables, and refusals that name everything."""

import numpy as np
import pytest

from scoring.inference.model_pool import Cancelled
from tests.support import patients, volumes
from tests.support.archives import archive_of
from tests.support.findings import codes, only, places, refused
from tests.support.patients import CHALLENGE, labels, mask, table

ROWS = [
    {"PatientID": "A-1", "CenterID": "CHUM", "T_stage": "T1", "N_stage": "N0", "Relapse": 1, "RFS": 12.5},
    {"PatientID": "B.2", "CenterID": "", "T_stage": "T3", "N_stage": "N2", "Relapse": 0, "RFS": 700},
]
MASK = mask(labels(1, 2, 2))


def read(source, **options):
    return CHALLENGE.read_truth(source, **options)


LAYOUTS = {
    "masks folder": {"clinical.csv": table(ROWS), "masks/A-1.nii.gz": MASK, "masks/B.2.nii.gz": MASK},
    "flat": {"clinical.csv": table(ROWS), "A-1.nii.gz": MASK, "B.2.nii": volumes.nifti(labels(1, 2, 2))},
    "training": {
        "any name.csv": table(ROWS),
        "A-1/A-1.nii.gz": MASK,
        "B.2/B.2.mha": volumes.metaimage(labels(1, 2, 2), packed=True),
    },
    "enclosed": {"set/clinical.csv": table(ROWS), "set/masks/A-1.nii.gz": MASK, "set/masks/B.2.nii.gz": MASK},
    "with litter": {
        "clinical.csv": table(ROWS),
        "__MACOSX/._A-1.nii.gz": b"x",
        ".DS_Store": b"x",
        "readme.md": b"x",
        "sites.csv": table([{"center": 1}]),
        "A-1.nii.gz": MASK,
        "B.2.nii.gz": MASK,
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name, tmp_path):
    for member, data in LAYOUTS[name].items():
        (tmp_path / member).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / member).write_bytes(data)
    for source in (LAYOUTS[name], tmp_path, archive_of(LAYOUTS[name])):
        truth = read(source)
        assert truth.ids == ("A-1", "B.2")
        assert [m.voxels.tolist() for m in truth.masks] == [[9, 1, 2]] * 2
        assert truth.center == ("CHUM", "")


def test_folder_and_dropped_folder_have_one_digest(tmp_path):
    (tmp_path / "masks").mkdir()
    files = {"clinical.csv": table(ROWS), "masks/A-1.nii.gz": MASK}
    for member, data in files.items():
        (tmp_path / member).write_bytes(data)
    (tmp_path / "unread.md").write_text("anything")
    assert read(files).digest == read(tmp_path).digest
    assert read(files | {"masks/A-1.nii.gz": mask(labels(1))}).digest != read(files).digest


def test_images_beside_masks_are_images():
    files = {
        "clinical.csv": table(ROWS),
        "A-1/A-1.nii.gz": MASK,
        "A-1/A-1__CT.nii.gz": b"no mask",
        "A-1/A-1__PT.nii.gz": b"no mask",
    }
    truth = read(files)
    assert truth.contents.layout.images == {"A-1": {"CT": "A-1/A-1__CT.nii.gz", "PT": "A-1/A-1__PT.nii.gz"}}
    assert truth.ids == ("A-1", "B.2")
    assert truth.has_mask.tolist() == [True, False]


@pytest.mark.parametrize(
    "header",
    [
        "PatientID,T_stage,N_stage,Relapse,RFS",
        "patient id;T-stage;N stage;RELAPSE;RFS (days)",
        "\ufeffPATIENT_ID\tT Stage\tnStage\trelapse\trfs_days",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_columns_are_found_however_they_are_written(header, line_end):
    delimiter = next(d for d in ",;\t" if d in header)
    lines = [
        header,
        delimiter.join(["P0", " t2 ", "n1", "1.0", "30"]),
        delimiter.join([" P1 ", "TX", "NA", "False", "0"]),
    ]
    truth = read(line_end.join(lines).encode(), name="clinical.csv")
    assert truth.ids == ("P0", "P1")
    assert (truth.stages["t"].tolist(), truth.stages["n"].tolist()) == ([2, -1], [1, -1])
    assert (truth.time.tolist(), truth.event.tolist()) == ([30, 0], [1, 0])


def test_decimal_commas_are_read_where_they_separate_nothing():
    truth = read(b"PatientID;RFS;Relapse\nP0;12,5;1\n", name="clinical.csv")
    assert truth.time.tolist() == [12.5]
    assert "decimal-comma" in codes(truth.findings)


@pytest.mark.parametrize(
    ("written", "code"),
    [("t4b", 4), ("cT2", 2), ("pT1a", 1), (" T3 ", 3), ("TX", -1), ("cTx", -1), ("", -1), ("n/a", -1)],
)
def test_stages_of_the_truth(written, code):
    assert read(table([{"PatientID": "P", "T_stage": written}]), name="t.csv").stages["t"].tolist() == [code]


def test_folded_stages_are_counted():
    truth = read(
        table([{"PatientID": f"P{i}", "T_stage": t} for i, t in enumerate(("T4a", "cT1", "T2"))]),
        name="t.csv",
    )
    assert "2" in only(truth.findings, "stage-folded").message


def test_masks_alone_are_a_test_set():
    assert read({"masks/B.nii.gz": MASK, "masks/A.nii.gz": MASK}).ids == ("A", "B")
    assert read(
        {"clinical.csv": table([{"PatientID": "Z"}]), "masks/B.nii.gz": MASK, "masks/A.nii.gz": MASK}
    ).ids == ("Z", "A", "B")


def test_time_without_event_leaves_prognosis():
    truth = read(
        table([{"PatientID": "P0", "RFS": 3, "Relapse": None}, {"PatientID": "P1", "RFS": 3, "Relapse": 1}]),
        name="t.csv",
    )
    assert truth.has_survival.tolist() == [False, True]
    assert "P0" in only(truth.findings, "truth-incomplete").message


def test_every_fault_is_listed_at_once():
    bad = [
        {"PatientID": "P0", "T_stage": "T5", "N_stage": "N4", "Relapse": "yes", "RFS": "-1"},
        {"PatientID": "P1", "T_stage": "T1", "N_stage": "N1", "Relapse": 1, "RFS": "inf"},
        {"PatientID": "P1", "T_stage": "T1", "N_stage": "N1", "Relapse": 1, "RFS": "9"},
        {"PatientID": "", "T_stage": "T1", "N_stage": "N1", "Relapse": 1, "RFS": "9"},
        {"PatientID": "P2", "T_stage": "T1", "N_stage": "N1", "Relapse": 1, "RFS": "soon"},
    ]
    masks = {
        "masks/P0.nii.gz": mask(labels(3)),
        "masks/P2.nii.gz": MASK,
        "P2.nii": MASK,
        "masks/P3.nii": b"nothing",
    }
    problems = refused(read, {"clinical.csv": table(bad)} | masks).problems
    assert sorted(places(problems)) == sorted(
        [
            ("duplicate-case", "masks/P2.nii.gz"),
            ("bad-label", "masks/P0.nii.gz"),
            ("unreadable-file", "masks/P3.nii"),
            ("bad-label", "clinical.csv:2"),
            ("out-of-range", "clinical.csv:2"),
            ("not-finite", "clinical.csv:3"),
            ("duplicate-case", "clinical.csv:4"),
            ("missing-value", "clinical.csv:5"),
            ("not-a-number", "clinical.csv:6"),
        ]
    )
    assert all(
        word
        in only(
            (p for p in problems if p.where == "clinical.csv:2" and p.code == "bad-label"), "bad-label"
        ).message
        for word in ("T5", "N4", "yes")
    )


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.csv": table(ROWS), "b.csv": table(ROWS)}, "ambiguous-table"),
        ({"other.csv": b"name,T_stage\nA,T1\n"}, "missing-column"),
        ({"clinical.csv": b"PatientID,T_stage,T-stage\nA,T1,T1\n"}, "duplicate-column"),
        ({"clinical.csv": b"PatientID\n\x81\n"}, "unreadable-file"),
        ({"clinical.csv": b"PatientID\n" + b"A" * 20_000_001}, "unreadable-file"),
        ({"readme.md": b"nothing"}, "no-table"),
        ({}, "no-table"),
        ({"masks/A.nii.gz": mask(np.zeros((2, 2, 2, 2)))}, "wrong-grid"),
    ],
)
def test_what_cannot_be_a_test_set(files, code):
    assert code in codes(refused(read, files).problems)


def test_a_single_file_that_is_no_table(tmp_path):
    path = tmp_path / "mask.nii.gz"
    path.write_bytes(MASK)
    assert codes(refused(read, path).problems) == ["unreadable-file"]
    assert codes(refused(read, tmp_path / "nowhere").problems) == ["unreadable-file"]
    assert codes(refused(read, table(ROWS), name="t.csv", images=tmp_path).problems) == ["bad-option"]


def test_several_tables_and_one_with_the_standard_name():
    assert read({"a.csv": table(ROWS), "Clinical.csv": table(ROWS[:1])}).ids == ("A-1",)


def test_progress_is_told_and_reading_can_be_stopped():
    told = []
    read(LAYOUTS["flat"], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
    with pytest.raises(Cancelled):
        read(LAYOUTS["flat"], cancelled=lambda: True)


def test_metadata_names_the_unit():
    truth = patients.truth_folder([{**row, "Household": "x"} for row in ROWS])
    rows = [{"PatientID": row["PatientID"], "risk": 1} for row in ROWS]
    found = patients.card(truth, patients.submission_folder(rows), group="household")
    assert (found.provenance["unit"], found.provenance["n_units"]) == ("household", 1)
    joined = patients.card(
        patients.truth_folder(ROWS),
        patients.submission_folder(rows),
        group="ward",
        metadata=table([{"PatientID": "B.2", "Ward": "w"}]),
    )
    assert joined.provenance["n_units"] == 2
