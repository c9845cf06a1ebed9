"""Reading submissions: layouts, a container's output, what is scored by the missing rules and what is
refused."""

import json

import numpy as np
import pytest

from scoring.common.fixes import InputChanges, written_pairs
from scoring.inputs.sources import FixedSource
from tests.support import volumes
from tests.support.archives import archive_of
from tests.support.findings import codes, only, refused
from tests.support.patients import CHALLENGE, card, labels, mask, submission_folder, table, truth_folder
from tests.support.workbooks import sheet, workbook

TRUTH_ROWS = [
    {"PatientID": f"P{i}", "T_stage": f"T{i + 1}", "N_stage": f"N{i}", "Relapse": 1, "RFS": 100 * i}
    for i in range(3)
]
TRUTH_MASKS = {f"P{i}": labels(1, 2) for i in range(3)}
ROWS = [{"PatientID": f"P{i}", "T_stage": f"T{i + 1}", "N_stage": f"N{i}", "risk": -i} for i in range(3)]


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(truth_folder(TRUTH_ROWS, TRUTH_MASKS))


def container(patient: str, inner: str = "", **answers) -> dict[str, bytes]:
    """A container's output for one patient."""
    files = {
        f"{patient}/{inner}{name.replace('_', '-')}.json": json.dumps(value).encode()
        for name, value in answers.items()
        if name != "mask"
    }
    if "mask" in answers:
        files[f"{patient}/{inner}images/head-neck-tumor-segmentation/anything.mha"] = volumes.metaimage(
            answers["mask"], packed=True
        )
    return files


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ("012", "does 0 mean T1?"),
        ("034", "T0, a stage"),
        (("T0", "T1", "T2"), "1 prediction is T0"),
        ("123", ""),
    ],
)
def test_answers_of_t0_are_told(truth, stages, said):
    rows = [{**row, "T_stage": stage} for row, stage in zip(ROWS, stages, strict=True)]
    found = CHALLENGE.read_predictions(submission_folder(rows, TRUTH_MASKS), truth)
    messages = [finding.message for finding in found.read if finding.code == "t0-answered"]
    assert [said in message for message in messages] == [True] * bool(said)
    assert ("does 0 mean T1?" in "".join(messages)) == (stages == "012")


@pytest.mark.parametrize("delimiter", [";", ","])
def test_points_that_may_part_thousands_are_told(truth, delimiter):
    rows = [
        delimiter.join(("PatientID", "risk")),
        *(delimiter.join((f"P{i}", c)) for i, c in enumerate(("4.001", "834", "7"))),
    ]
    found = CHALLENGE.read_predictions({"predictions.csv": "\n".join(rows).encode()}, truth)
    said = [finding.message for finding in found.read if finding.code == "ambiguous-number"]
    assert ["4.001 or 4001" in message for message in said] == [True] * (delimiter == ";")


def test_a_container_gives_what_the_table_gives(truth):
    files = {}
    for i, row in enumerate(ROWS):
        files |= container(
            row["PatientID"],
            "output/" * (i % 2),
            t_stage=row["T_stage"],
            n_stage=row["N_stage"],
            rfs=float(i),
            mask=labels(1, 2),
        )
    found, expected = (
        CHALLENGE.read_predictions(files, truth),
        CHALLENGE.read_predictions(submission_folder(ROWS, TRUTH_MASKS), truth),
    )
    assert (found.stages["t"].tolist(), found.stages["n"].tolist()) == (
        expected.stages["t"].tolist(),
        expected.stages["n"].tolist(),
    )
    assert found.masks.states == ("ok",) * 3
    assert found.masks.tables.tolist() == expected.masks.tables.tolist()
    assert list(found.scores) == ["time"]
    assert found.scores["time"].values.tolist() == [0, 1, 2]
    enclosed = CHALLENGE.read_predictions({f"team/{member}": data for member, data in files.items()}, truth)
    assert enclosed.fingerprint.tolist() == found.fingerprint.tolist()


@pytest.mark.parametrize("inner", ["", "output/"])
def test_a_container_of_one_patient_keeps_its_folder(truth, inner):
    found = CHALLENGE.read_predictions(container("P1", inner, t_stage="T2", mask=labels(1)), truth)
    assert found.masks.states == ("missing", "ok", "missing")
    assert found.stages["t"].tolist() == [-1, 2, -1]


@pytest.mark.parametrize(
    ("answer", "risk", "is_said"),
    [
        *(("12.5", 12.5, False), (12, 12, False), (None, np.nan, False), ("high", np.nan, True)),
        *((True, np.nan, True), ([1], np.nan, True), ("inf", np.nan, True)),
    ],
)
def test_a_containers_scores(truth, answer, risk, is_said):
    found = CHALLENGE.read_predictions(container("P0", rfs=answer), truth)
    assert found.scores["time"].values[0] == pytest.approx(risk, nan_ok=True)
    assert ("risk-not-a-number" in codes(found.findings)) is is_said


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe\x00", b"[" * 5000, b" " * 20_000])
def test_a_containers_broken_json_is_no_usable_prediction(truth, data):
    found = CHALLENGE.read_predictions(
        container("P0", n_stage="N0", mask=labels(1)) | {"P0/t-stage.json": data}, truth
    )
    assert found.stages["t"][0] < 0
    assert only(found.findings, "stage-not-recognised").level == "warning"


def test_a_table_comes_before_json(truth):
    found = CHALLENGE.read_predictions(submission_folder(ROWS) | container("P0", t_stage="T4"), truth)
    assert found.stages["t"].tolist() == [1, 2, 3]
    assert "table-over-json" in codes(found.findings)


def test_a_table_alone_is_a_submission_without_masks(truth):
    found = CHALLENGE.read_predictions(table(ROWS), truth, "team.csv")
    assert found.masks.states == ("missing",) * 3
    assert [f.where for f in found.findings if f.code == "subtask-missing"] == ["segmentation"]


@pytest.mark.parametrize(("blanks", "code"), [(9_996, 2), (9_997, -2)])
def test_an_answer_has_at_most_10_000_bytes(truth, blanks, code):
    found = CHALLENGE.read_predictions({"P1/t-stage.json": b" " * blanks + b'"T2"'}, truth)
    assert found.stages["t"].tolist() == [-1, code, -1]
    assert [
        f.message.endswith("P1 '10,001 bytes'.") for f in found.findings if f.code == "stage-not-recognised"
    ] == [True] * (code < 0)


def test_what_is_missing_is_said_by_name(truth):
    rows = [
        {"PatientID": "Q", "T_stage": "T8", "N_stage": "N8", "risk": "low"},
        {"PatientID": "P0", "T_stage": "T9", "N_stage": None, "risk": "high"},
        {"PatientID": "P1", "T_stage": "", "N_stage": "7", "risk": None},
    ]
    found = CHALLENGE.read_predictions(submission_folder(rows, {"P2": labels(1), "Q": labels(1)}), truth)
    said = {f.code + " " + f.where: f.message for f in found.findings}
    assert said["missing-mask masks"].endswith(": P0, P1.")
    assert said["missing-stage T stage"].endswith(": P1, P2.")
    assert said["missing-stage N stage"].endswith(": P0, P2.")
    assert said["missing-risk prognosis"].endswith(": P1, P2.")
    assert "P0 'T9'" in said["stage-not-recognised predictions.csv:3"]
    assert "P1 '7'" in said["stage-not-recognised predictions.csv:4"]
    assert "P0 'high'" in said["risk-not-a-number predictions.csv:3"]
    assert only(found.findings, "unknown-patient").message.endswith("Q.")
    assert found.unknown == ("Q",)


def test_a_table_has_at_most_20_megabytes(truth):
    large = {"predictions.csv": table(ROWS).ljust(20_000_001)}
    found = only(refused(CHALLENGE.read_predictions, large, truth).problems, "unreadable-file")
    assert "at most 20 MB" in found.message


SHIFTED = volumes.AFFINE + np.array([[0, 0, 0, 1.0]] + [[0] * 4] * 3)
FAULTS = [
    ("P0.nii.gz", mask(labels(3)), "label 3"),
    ("P1.nii.gz", volumes.zipped(volumes.nifti(labels(1), SHIFTED)), "away"),
    ("P2.nii", volumes.nifti(labels(1))[:-3], "cut off"),
]


@pytest.mark.parametrize("position", range(3))
def test_a_malformed_mask_counts_as_missing_and_says_why(truth, position):
    name, data, word = FAULTS[position]
    usable = {f"P{i}.nii.gz": mask(labels(1)) for i in range(3) if i != position}
    found = CHALLENGE.read_predictions({name: data} | usable, truth)
    assert found.masks.states == tuple("malformed" if i == position else "ok" for i in range(3))
    assert found.masks.tables[position].tolist() == [[10, 0, 0], [1, 0, 0], [1, 0, 0]]
    said = only(found.findings, "malformed-mask")
    assert said.where == f"P{position}"
    assert word in said.message


def test_masks_of_which_none_can_be_used_are_refused(truth):
    """Not scored as if nothing had been submitted: one-hot channels, as MONAI saves them, and other grids."""
    for files in (
        {name: data for name, data, _ in FAULTS},
        {f"P{i}.nii.gz": mask(np.stack([labels(1) == 1] * 2, -1).astype(np.uint8)) for i in range(3)},
        {f"P{i}.seg.nrrd": b"NRRD0004\n" for i in range(3)},
    ):
        (problem,) = refused(CHALLENGE.read_predictions, files | submission_folder(ROWS, {}), truth).problems
        assert problem.code == "no-mask"
        assert problem.message.startswith(
            "3 masks cannot be used, too many to count as missing. The first is P0"
        )


@pytest.mark.parametrize("ending", [".gipl", ".npy", "/SEG.dcm"])
def test_volumes_of_kinds_that_are_not_read_are_no_missing_masks(truth, ending):
    files = submission_folder(ROWS, {}) | {f"P{i}{ending}": b"NRRD0004" for i in range(3)}
    (problem,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert problem.code == "mask-elsewhere"
    assert f"3 files of other kinds (P0{ending}" in problem.message


@pytest.mark.parametrize(
    "labels_written", [{"background": 0, "GTVn": 1, "GTVp": 2}, {"0": "background", "1": "GTVn", "2": "GTVp"}]
)
def test_labels_that_nnu_net_lists_otherwise_are_refused(truth, labels_written):
    files = submission_folder(ROWS, TRUTH_MASKS)
    listing = {"dataset.json": json.dumps({"labels": labels_written}).encode()}
    problem = only(refused(CHALLENGE.read_predictions, files | listing, truth).problems, "label-order")
    readings = [FixedSource(files | listing, fix.changes) for fix in problem.fixes]
    exchanged, kept = (CHALLENGE.read_predictions(reading, truth).masks.tables for reading in readings)
    assert (exchanged[:, :, [0, 2, 1]] == kept).all()
    assert "Dice of all voxels 0.0000" in problem.fixes[0].label
    assert "1.0000" in problem.fixes[1].label
    right = {"dataset.json": json.dumps({"labels": {"background": 0, "GTVp": 1, "GTVn": 2}}).encode()}
    assert CHALLENGE.read_predictions(files | right, truth).masks.states == ("ok",) * 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "labels.txt",
            '# ITK-SnAP\n 0  0 0 0  0 0 0  "Clear"\n 1  9 0 0  1 1 1  "GTVn"\n 2  0 9 0  1 1 1  "GTVp"\n',
        ),
        ("seg.ctbl", "# Color table\n0 background 0 0 0 0\n1 GTV-N 255 0 0 255\n2 GTV-T+GTVp 0 255 0 255\n"),
        ("dseg.tsv", "index\tname\n1\tGTVn\n2\tGTVp\n"),
        ("labels.yaml", "labels:\n  GTVp: 2\n  GTVn: 1\n"),
    ],
)
def test_lists_of_labels_of_other_tools_are_heeded(truth, name, text):
    files = submission_folder(ROWS, TRUTH_MASKS) | {name: text.encode()}
    problem = only(refused(CHALLENGE.read_predictions, files, truth).problems, "label-order")
    assert "GTVn is 1 and GTVp is 2" in problem.message
    right = {name: text.translate(str.maketrans("12", "21")).encode()}
    read = CHALLENGE.read_predictions(submission_folder(ROWS, TRUTH_MASKS) | right, truth)
    assert read.masks.states == ("ok",) * 3


def of_total_segmentator(labels_written: np.ndarray, *names: str) -> bytes:
    """A mask whose header names its labels, as `totalsegmentator --ml` writes it."""
    lines = "".join(f'<Label Key="{k}" Red="1.0"><![CDATA[{n}]]></Label>' for k, n in enumerate(names, 1))
    return volumes.nifti(labels_written, extension=f"<LabelTable>{lines}</LabelTable>".encode())


def test_masks_whose_header_names_labels_otherwise_are_exchanged(truth):
    table = submission_folder(ROWS)
    files = table | {f"{p}.nii": of_total_segmentator(labels(2, 1), "GTVn", "GTVp") for p in TRUTH_MASKS}
    fixed = FixedSource(files, InputChanges(edits=(("swap_labels", "yes"),)))
    read = CHALLENGE.read_predictions(fixed, truth)
    right = CHALLENGE.read_predictions(submission_folder(ROWS, TRUTH_MASKS), truth)
    assert (read.masks.tables == right.masks.tables).all()
    at_once = CHALLENGE.read_predictions(files, truth)
    assert (at_once.masks.tables == right.masks.tables).all()
    assert "3 masks state in the header that GTVn is 1" in only(at_once.read, "other-format").message
    # Where the header is wrong, Dice tells.
    wrong = table | {f"{p}.nii": of_total_segmentator(labels(1, 2), "GTVn", "GTVp") for p in TRUTH_MASKS}
    told = only(CHALLENGE.read_predictions(wrong, truth).read, "label-order")
    as_is = CHALLENGE.read_predictions(FixedSource(wrong, told.fixes[0].changes), truth)
    assert (as_is.masks.tables == right.masks.tables).all()
    named = table | {f"{p}.nii": of_total_segmentator(labels(1, 2), "GTVp", "GTVn") for p in TRUTH_MASKS}
    assert "label-order" not in codes(CHALLENGE.read_predictions(named, truth).read)
    # What is handed in is a mask that says 1 for GTVp.
    name, data = CHALLENGE.changed_file(truth, read, fixed, "theirs")
    handed_in = CHALLENGE.read_predictions(data, truth, name)
    assert (handed_in.masks.tables == right.masks.tables).all()


def test_labels_that_score_far_better_exchanged_are_told(truth):
    exchanged = submission_folder(ROWS, dict.fromkeys(TRUTH_MASKS, labels(2, 1)))
    found = only(CHALLENGE.read_predictions(exchanged, truth).read, "label-order")
    assert "Dice of all voxels is 0.0000, or 1.0000" in found.message
    assert len(found.fixes) == 1


def test_masks_of_one_structure_may_say_255(truth):
    files = submission_folder(ROWS)
    for patient in TRUTH_MASKS:
        files[f"{patient}/mask_GTVp.nii.gz"] = mask(labels(255))
        files[f"{patient}/mask_GTVn.nii.gz"] = mask(labels(0, 255))
    right = CHALLENGE.read_predictions(submission_folder(ROWS, TRUTH_MASKS), truth)
    assert (CHALLENGE.read_predictions(files, truth).masks.tables == right.masks.tables).all()


@pytest.mark.parametrize("header", ["lp", "expectation", "median_survival_time"])
def test_a_prognosis_by_its_name_in_lifelines_or_r_is_asked_about(truth, header):
    cells = {"P0": 30, "P1": "inf" if header != "lp" else 2, "P2": 10}
    rows = [{k: v for k, v in row.items() if k != "risk"} | {header: cells[row["PatientID"]]} for row in ROWS]
    folder = submission_folder(rows, TRUTH_MASKS)
    problem = only(refused(CHALLENGE.read_predictions, folder, truth).problems, "missing-column")
    assert repr(header) in problem.message
    first = problem.fixes[0].changes
    assert first.columns == ((header, "Risk" if header == "lp" else "RFS"),)
    if header != "lp":
        told = only(CHALLENGE.read_predictions(FixedSource(folder, first), truth).read, "risk-not-a-number")
        both = FixedSource(folder, first.joined(told.fixes[0].changes))
        assert CHALLENGE.read_predictions(both, truth).scores["time"].values.tolist() == [30, 1_000_000, 10]


def test_names_of_rows_that_r_writes_are_the_patients(truth):
    files = submission_folder(ROWS, TRUTH_MASKS)
    files["predictions.csv"] = files["predictions.csv"].replace(b"PatientID", b'""')
    problem = refused(CHALLENGE.read_predictions, files, truth).problems[0]
    assert [fix.changes.columns for fix in problem.fixes] == [(("", "PatientID"),)]
    assert CHALLENGE.read_predictions(FixedSource(files, problem.fixes[0].changes), truth).ids == truth.ids


def test_masks_in_a_folder_of_each_center_are_read_and_two_of_a_patient_refused(truth):
    for name in ("C{}/P{}.nii.gz", "C{}/P{}/mask.nii.gz"):
        apart = {name.format(i % 2, i): mask(labels(1)) for i in range(3)}
        assert CHALLENGE.read_predictions(apart, truth).masks.states == ("ok",) * 3
    raw = {f"P{i}.nii.gz": mask(labels(1)) for i in range(3)}
    twice = raw | {f"postprocessed/{name}": data for name, data in raw.items()}
    problems = refused(CHALLENGE.read_predictions, twice, truth).problems
    assert codes(problems) == ["duplicate-case"] * 3


def test_json_of_each_patient_that_is_not_read_is_told(truth):
    files = {f"P{i}/mask.nii.gz": mask(labels(1)) for i in range(3)}
    files |= {f"P{i}/prediction.json": b'[["T2", "N1", 0.3]]' for i in range(3)}
    assert only(refused(CHALLENGE.read_predictions, files, truth).problems, "no-table")


def test_two_tables_of_different_columns_are_joined_by_patient(truth):
    """As HECKTOR 2022 had the prognosis in a table of its own."""
    files = {name: data for name, data in submission_folder(ROWS).items() if not name.endswith(".csv")}
    parts = {"task2.csv": ("PatientID", "risk"), "tnm.csv": ("PatientID", "T_stage", "N_stage")}
    files |= {n: table([{key: row[key] for key in keys} for row in ROWS[::-1]]) for n, keys in parts.items()}
    found, usual = (CHALLENGE.read_predictions(f, truth) for f in (files, submission_folder(ROWS)))
    for kind in "tn":
        np.testing.assert_array_equal(found.stages[kind], usual.stages[kind])
    np.testing.assert_array_equal(found.scores["risk"].values, usual.scores["risk"].values)
    assert "other-format" in codes(found.findings)


def test_a_table_in_json_beside_masks_is_read(truth):
    rows = [{k.replace("_", "-"): value for k, value in row.items()} for row in ROWS]
    found = CHALLENGE.read_predictions(
        submission_folder(rows) | {"predictions.json": json.dumps(rows).encode()}, truth
    )
    without = {name: data for name, data in submission_folder(rows).items() if not name.endswith(".csv")}
    alone = CHALLENGE.read_predictions(without | {"predictions.json": json.dumps(rows).encode()}, truth)
    for kind in "tn":
        np.testing.assert_array_equal(alone.stages[kind], found.stages[kind])


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (("T", "N", "partial_hazard"), "T=T-stage,N=N-stage,partial_hazard=Risk"),
        (("cT", "cN", "predicted_median_survival"), "cT=T-stage,cN=N-stage,predicted_median_survival=RFS"),
        (("T_pred", "N_pred", "surv_prob_730d"), "T_pred=T-stage,N_pred=N-stage,surv_prob_730d=RFS"),
        (("T_stage", "n_stage", "risk_score"), "risk_score=Risk"),
        (
            ("tumor category", "nodal category", "risk_score"),
            "tumor category=T-stage,nodal category=N-stage,risk_score=Risk",
        ),
    ],
)
def test_columns_that_may_be_of_a_part_are_asked_about(truth, names, first):
    """As lifelines, scikit-survival, registries and classifiers name them: no part of the score is lost."""
    renamed = dict(zip(("T_stage", "N_stage", "risk"), names, strict=True))
    rows = [{renamed.get(name, name): value for name, value in row.items()} for row in ROWS]
    problems = refused(CHALLENGE.read_predictions, submission_folder(rows), truth).problems
    assert {problem.code for problem in problems} == {"missing-column"}
    changes = problems[0].fixes[0].changes
    assert written_pairs(changes.columns) == first
    found = CHALLENGE.read_predictions(FixedSource(submission_folder(rows), changes), truth)
    usual = CHALLENGE.read_predictions(submission_folder(ROWS), truth)
    for kind in "tn":
        np.testing.assert_array_equal(found.stages[kind], usual.stages[kind])
    assert [*found.scores] == ["time" if first.endswith("RFS") else "risk"]
    left_out = problems[-1].fixes[-1].changes
    assert "" in dict(left_out.columns).values()


def test_words_in_place_of_every_risk_are_refused():
    rows = [
        {"PatientID": f"P{i}", "T_stage": "T1", "N_stage": "N0", "Relapse": 1, "RFS": i} for i in range(12)
    ]
    truth = CHALLENGE.read_truth(truth_folder(rows, {row["PatientID"]: labels(1) for row in rows}))
    said = [{**row, "risk": "low"} for row in rows]
    for row in said:
        del row["Relapse"], row["RFS"]
    assert only(
        refused(CHALLENGE.read_predictions, submission_folder(said), truth).problems, "risk-not-a-number"
    )
    said[3]["risk"] = "0.5"
    assert only(CHALLENGE.read_predictions(submission_folder(said), truth).findings, "risk-not-a-number")


def test_a_typing_error_in_one_stage_is_no_reason_to_refuse_where_the_other_was_not_submitted():
    rows = [
        {"PatientID": f"P{i}", "T_stage": "T1", "N_stage": "N0", "Relapse": 1, "RFS": i} for i in range(12)
    ]
    truth = CHALLENGE.read_truth(truth_folder(rows, {row["PatientID"]: labels(1) for row in rows}))
    said = [{"PatientID": f"P{i}", "T_stage": "", "N_stage": "N1", "risk": i} for i in range(12)]
    said[4]["N_stage"] = "N9"
    found = CHALLENGE.read_predictions(submission_folder(said), truth)
    assert only(found.findings, "stage-not-recognised").level == "warning"
    for row in said:
        row["T_stage"] = "high"
    problems = refused(CHALLENGE.read_predictions, submission_folder(said), truth).problems
    assert [(p.code, p.message[:8]) for p in problems] == [("stage-not-recognised", "T stages")]


def test_further_columns_are_no_reason_to_refuse_a_table_with_every_part(truth):
    rows = [{**row, "notes": "T3N0", "output": 0.3, "TNM": "T1N0", "age": 50} for row in ROWS]
    found = CHALLENGE.read_predictions(submission_folder(rows), truth)
    usual = CHALLENGE.read_predictions(submission_folder(ROWS), truth)
    assert (found.fingerprint == usual.fingerprint).all()


def test_a_table_in_a_folder_is_no_missing_table(truth):
    files = submission_folder(ROWS, {f"P{i}": labels(1) for i in range(3)})
    data = files.pop("predictions.csv")
    moved = CHALLENGE.read_predictions(files | {"tables/predictions.csv": data}, truth)
    usual = CHALLENGE.read_predictions(files | {"predictions.csv": data}, truth)
    assert (moved.fingerprint == usual.fingerprint).all()
    many = {f"P{i}/out/predictions.csv": data for i in range(9)}
    assert only(refused(CHALLENGE.read_predictions, files | many, truth).problems, "no-table")


@pytest.mark.parametrize("form", ["{t}{n}M0", "c{t}b p{n} M0", "{t},{n}", "{t}/{n}"])
def test_stages_in_one_cell_are_read_as_one_of_each(truth, form):
    rows = [
        {
            "PatientID": row["PatientID"],
            "TNM": form.format(t=row["T_stage"], n=row["N_stage"]),
            "risk": row["risk"],
        }
        for row in ROWS
    ]
    usual = CHALLENGE.read_predictions(submission_folder(ROWS), truth)
    found = CHALLENGE.read_predictions(submission_folder(rows), truth)
    assert {kind: codes.tolist() for kind, codes in found.stages.items()} == {
        kind: codes.tolist() for kind, codes in usual.stages.items()
    }
    assert "T and N stages in one cell" in "".join(f.message for f in found.read if f.code == "other-format")
    for other in ("pTNM", "T_stage"):
        more = [{**row, other: row["TNM"] if other == "pTNM" else "T1"} for row in rows]
        (problem,) = refused(CHALLENGE.read_predictions, submission_folder(more), truth).problems
        assert "write a column for T and one for N" in problem.message


def test_a_table_without_headings_beside_another_is_refused(truth):
    """Before, one patient less was read, and the fix that was offered gave another score."""
    stages = [{k: row[k] for k in ("PatientID", "T_stage", "N_stage")} for row in ROWS]
    lines = "".join(f"{row['PatientID']},{row['risk']}\n" for row in ROWS)
    files = submission_folder(stages) | {"risks.csv": lines.encode()}
    (problem,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert "its first line is patient" in problem.message


def test_odd_but_usable_masks_are_noted(truth):
    turned = labels(1, 2)[::-1]
    affine = volumes.AFFINE @ np.array(
        [[-1, 0, 0, turned.shape[0] - 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]
    )
    files = {
        "masks/P0.nii": volumes.nifti(turned, affine),
        "masks/P1.nii": volumes.nifti(labels(1, 2) * 1.005, dtype="<f4"),
    }
    found = CHALLENGE.read_predictions(files, truth)
    assert found.masks.states == ("ok", "ok", "missing")
    assert found.masks.tables[0].tolist() == found.masks.tables[1].tolist() == np.diag([10, 1, 1]).tolist()
    assert "P0" in only(found.findings, "reoriented-mask").message
    assert "P1" in only(found.findings, "float-mask").message


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"masks/P0.nii.gz": mask(labels(1)), "P0.mha": volumes.metaimage(labels(1))}, "duplicate-case"),
        ({"predictions.csv": table([{"PatientID": "p0", "T_stage": "T1"}])}, "no-common-case"),
        ({"masks/other.nii.gz": mask(labels(1))}, "no-common-case"),
        ({"predictions.csv": b"PatientID,risk,Prediction\nP0,1,2\n"}, "duplicate-column"),
        ({"a.csv": table(ROWS), "b.csv": table(ROWS)}, "ambiguous-table"),
        ({"notes.md": b""}, "no-table"),
    ],
)
def test_what_is_refused(truth, files, code):
    assert code in codes(refused(CHALLENGE.read_predictions, files, truth).problems)


def as_workbook(rows) -> bytes:
    return workbook({"Sheet1": sheet([list(rows[0]), *(list(row.values()) for row in rows)])})


@pytest.mark.parametrize("name", ["predictions.xlsx", "Predictions.XLSX", "results.xlsx", "predictions.tsv"])
@pytest.mark.parametrize("pack", [dict, archive_of])
def test_the_table_beside_masks_may_be_a_workbook(name, pack):
    truth_files = truth_folder(TRUTH_ROWS, TRUTH_MASKS)
    written = as_workbook(ROWS) if name.lower().endswith("xlsx") else table(ROWS, "\t")
    masks = submission_folder([], TRUTH_MASKS)
    read = card(truth_files, pack(masks | {name: written}))
    as_csv = card(truth_files, masks | {"predictions.csv": table(ROWS)})
    assert (read.score, read.metrics) == (as_csv.score, as_csv.metrics)
    assert "ignored-files" not in codes(read.findings)


def test_the_table_of_a_test_set_may_be_a_workbook_beside_its_masks():
    masks = {name: data for name, data in truth_folder(TRUTH_ROWS, TRUTH_MASKS).items() if "masks" in name}
    read = CHALLENGE.read_truth(masks | {"clinical.xlsx": as_workbook(TRUTH_ROWS)})
    usual = CHALLENGE.read_truth(truth_folder(TRUTH_ROWS, TRUTH_MASKS))
    assert read.stages["t"].tolist() == usual.stages["t"].tolist()
    assert read.time.tolist() == usual.time.tolist()


def test_what_nothing_reads_is_named(truth):
    others = {
        "notes.txt": b"PatientID",
        "predictions.xlsx": b"no workbook",
        "deep/er/P0.nii.gz": b"",
        "P0/P0__CT.nii.gz": b"",
    }
    files = submission_folder(ROWS, TRUTH_MASKS) | others
    message = only(CHALLENGE.read_predictions(files, truth).findings, "ignored-files").message
    assert message.startswith("4 other files not read: ")
    assert all(name in message for name in others)


def test_masks_in_the_wrong_place_are_pointed_at(truth):
    files = submission_folder(ROWS) | {"of/run/P0/segmentation.nii.gz": mask(labels(1))}
    found = only(refused(CHALLENGE.read_predictions, files, truth).problems, "mask-elsewhere")
    assert found.where == "of/run/P0/segmentation.nii.gz"
    some_found = CHALLENGE.read_predictions(files | {"masks/P0.nii.gz": mask(labels(1))}, truth)
    assert "mask-elsewhere" not in codes(some_found.findings)
    assert only(CHALLENGE.read_truth(files).findings, "mask-elsewhere")


def test_a_folder_per_patient_is_read_as_masks_at_the_top(truth):
    usual = submission_folder(ROWS, TRUTH_MASKS)
    folders = submission_folder(ROWS) | {f"{p}/seg.nii.gz": mask(m) for p, m in TRUTH_MASKS.items()}
    found = CHALLENGE.read_predictions(folders, truth)
    assert found.masks.states == ("ok",) * 3
    assert (found.fingerprint == CHALLENGE.read_predictions(usual, truth).fingerprint).all()


@pytest.mark.parametrize(
    ("masks", "ids", "label"),
    [
        ("{0}__CT/{0}__CT_trans", "{0}", ""),
        ("{0}__CT/{0}__CT_seg", "{0}", ""),
        ("out/{0}__CT/{0}__CT_ensemble", "{0}", ""),
        ("{0}__CT_seg", "{0}", ""),
        ("{0}__CT_unet", "{0}", "“__CT_unet”"),
        ("{0}__CT", "{0}", "“__CT”"),
        ("{0}", "imagesTs/{0}__CT.nii.gz", "“__CT”"),
        ("{0}", "{0}_0000.nii.gz", "“_0000”"),
        ("{0}", "/data/imagesTs/{0}.nii.gz", ""),
        ("labelsTs/{0}", "{0}", ""),
        ("out/{0}/{0}_seg", "{0}", ""),
    ],
)
@pytest.mark.parametrize("pack", [dict, archive_of])
def test_names_of_monai_and_nnu_net_are_read_or_mended(truth, masks, ids, label, pack):
    """MONAI at 023516d4, monai/data/folder_layout.py: `output_dir/[subject/]subject[_postfix][ext]`, the
    subject being the image that was read; nnU-Net (MIC-DKFZ/nnUNet at 2e392451): `case_0000.nii.gz` are
    images of a case in `imagesTs`, and `case.nii.gz` in a folder is its prediction."""
    usual = CHALLENGE.read_predictions(submission_folder(ROWS, TRUTH_MASKS), truth)
    files = submission_folder([{**row, "PatientID": ids.format(row["PatientID"])} for row in ROWS])
    files |= {f"{masks.format(patient)}.nii.gz": mask(m) for patient, m in TRUTH_MASKS.items()}
    source = pack(files)
    if label:
        (problem,) = refused(CHALLENGE.read_predictions, source, truth).problems
        (fix,) = problem.fixes
        assert fix.label == f"Read cases without {label}"
        source = FixedSource(source, fix.changes)
    found = CHALLENGE.read_predictions(source, truth)
    assert (found.fingerprint == usual.fingerprint).all()
    assert not found.unknown


@pytest.mark.parametrize("written", ["{}_GTV{}", "masks/{}-gtv{}", "{}/{}/GTV{}", "{}/GTV{}", "{}/x_GTV_{}"])
@pytest.mark.parametrize("structures", ["p", "n"])
def test_masks_of_one_structure_are_never_read_as_both(truth, written, structures):
    names = (written.replace("{}/{}/", "{}/s/").format(p, k) for p in TRUTH_MASKS for k in structures)
    files = submission_folder(ROWS) | {f"{name}.nii.gz": mask(labels(1)) for name in names}
    (found,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert (found.code, found.fixes) == ("separate-structures", ())
    assert "GTVp is 1 and GTVn is 2" in found.message


@pytest.mark.parametrize(
    "written",
    ["{}_GTV{}", "masks/{}-gtv{}", "{}/s/GTV{}", "{}/GTV{}", "{}/x_GTV_{}", "team/{}/GTV{}", "GTV{1}/{0}"],
)
def test_masks_of_gtvp_and_gtvn_apart_are_those_of_one_label_map(truth, written):
    usual = CHALLENGE.read_predictions(submission_folder(ROWS, TRUTH_MASKS), truth)
    apart = {
        f"{written.format(p, kind)}.nii.gz": mask((m == label).astype(m.dtype) * (3 - label))
        for p, m in TRUTH_MASKS.items()
        for kind, label in (("p", 1), ("n", 2))
        if kind == "p" or (m == label).any()
    }
    table = submission_folder(ROWS)
    inside = "team/" * written.startswith("team/")
    found = CHALLENGE.read_predictions({f"{inside}{n}": d for n, d in table.items()} | apart, truth)
    assert found.masks.states == ("ok",) * 3
    assert (found.masks.tables == usual.masks.tables).all()
    assert (found.fingerprint == usual.fingerprint).all()
    assert "one label map" in only(found.read, "other-format").message


def test_masks_apart_that_lie_on_other_grids_are_malformed(truth):
    files = submission_folder(ROWS) | {f"{p}_GTVp.nii.gz": mask(labels(1)) for p in TRUTH_MASKS}
    files |= {f"{p}_GTVn.nii.gz": mask(labels(1)[:-1]) for p in TRUTH_MASKS}
    files |= {"P0_GTVn.nii.gz": mask(labels(1))}
    found = CHALLENGE.read_predictions(files, truth)
    assert found.masks.states == ("ok", *("malformed",) * 2)
    said = [finding.message for finding in found.read if finding.code == "malformed-mask"]
    assert len(said) == 2
    assert all("its two structures do not match: its grid has" in message for message in said)


def test_a_stage_is_read_as_its_number(truth):
    bare = [
        {**row, **{k: row[k][1:] for k in row if k.endswith("stage") and row[k][:1] in "TN"}} for row in ROWS
    ]
    assert bare != ROWS
    usual = CHALLENGE.read_predictions(submission_folder(ROWS), truth)
    found = CHALLENGE.read_predictions(submission_folder(bare), truth)
    assert all((found.stages[kind] == usual.stages[kind]).all() for kind in ("t", "n"))
    assert not CHALLENGE.score(truth, found, resamples=0).official.same
    mixed = [{**ROWS[0], "T_stage": "1"}, *ROWS[1:]]
    assert CHALLENGE.read_predictions(submission_folder(mixed), truth).stages["t"].tolist() == [-2, 2, 3]


def test_masks_or_rows_of_which_most_are_of_nobody_are_refused(truth):
    masks = {f"{p}_run7": m for p, m in TRUTH_MASKS.items()}
    problem = only(
        refused(CHALLENGE.read_predictions, submission_folder(ROWS, masks), truth).problems, "unknown-patient"
    )
    assert "3 of 3 masks" in problem.message
    assert [fix.changes.cases for fix in problem.fixes] == [(("*_run7", "*"),)]
    rows = [{**ROWS[0], "PatientID": f"center{i}"} for i in range(10)]
    problem = only(
        refused(CHALLENGE.read_predictions, submission_folder(rows, TRUTH_MASKS), truth).problems,
        "unknown-patient",
    )
    assert "10 of 10 rows" in problem.message


def test_rows_that_hold_nothing_are_no_rows(truth):
    assert CHALLENGE.read_predictions({"predictions.csv": table(ROWS) + b",,,\n,,,\n"}, truth).stages[
        "t"
    ].tolist() == [
        1,
        2,
        3,
    ]


def test_without_a_truth_structure_and_labels_are_checked():
    files = submission_folder([{"PatientID": "A", "T_stage": "T8", "risk": "x"}]) | {
        "masks/A.nii.gz": mask(labels(4))
    }
    found = CHALLENGE.read_predictions(files)
    assert set(codes(found.findings)) == {
        "stage-not-recognised",
        "risk-not-a-number",
        "malformed-mask",
        "direction-assumed",
    }


def test_fingerprints_tell_submissions_apart(truth):
    def fingerprint(rows, masks):
        return CHALLENGE.read_predictions(submission_folder(rows, masks), truth).fingerprint.tobytes()

    usual = fingerprint(ROWS, TRUTH_MASKS)
    timed = [{"RFS" if name == "risk" else name: value for name, value in row.items()} for row in ROWS]
    assert fingerprint(timed, TRUTH_MASKS) != usual
    assert usual == fingerprint(ROWS[::-1], TRUTH_MASKS)
    assert (
        len(
            {
                usual,
                fingerprint(ROWS[:2], TRUTH_MASKS),
                fingerprint(ROWS, {"P0": labels(1)}),
                fingerprint([{**ROWS[0], "risk": 3}], TRUTH_MASKS),
            }
        )
        == 4
    )


def test_nodes_are_read_when_asked_for_or_later(truth):
    source = submission_folder(ROWS, TRUTH_MASKS)
    early, late = (
        CHALLENGE.read_predictions(source, truth, lesions=True),
        CHALLENGE.read_predictions(source, truth),
    )
    assert early.masks.nodes.tolist() == [[1, 1, 1]] * 3
    assert late.masks.nodes is None
    assert (
        CHALLENGE.score(truth, early, lesions=True, resamples=0).to_json()
        == CHALLENGE.score(truth, late, lesions=True, resamples=0).to_json()
    )
