"""Facts about each challenge's page that the page contract (`test_challenge_pages`) asks for."""

import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import scoring
from scoring.challenges import samples
from scoring.challenges.hecktor2026.formula import CHOICES
from tests.challenges.puma.drawn import realistic
from tests.inference import builders
from tests.support import category_tables, lesion_tables, nuclei_lists, patients, risk_tables
from tests.support.archives import archive_of

File = tuple[str, bytes]
Files = tuple[File, File]
"""A submission and its test set, as uploads."""


@dataclass(frozen=True)
class PageFacts:
    """Facts about a challenge's page.

    Attributes:
        tabs: Each tab's name and a question that it answers.
        named: Files in which a text is the name of a case and of whatever else has a name.
        tampered: Addresses that no link of the page has.
        refused: File name -> content that is no submission to the sample.
        refused_truths: File name -> content that is no test set.
        silent: (team of a sample or golden case, tab) that has nothing to answer.
        of_metadata: Tabs that have nothing to answer of tables without metadata.
        choices: Options that the page of the sample offers.
        preflight: Text about a model that can be run; empty where the page has none.
        address: Parameters with which every tab has its question in text.
    """

    tabs: Mapping[str, str]
    named: Callable[[str], Files]
    tampered: Sequence[Mapping[str, str]]
    refused: Mapping[str, bytes]
    refused_truths: Mapping[str, bytes]
    silent: frozenset[tuple[str, str]] = frozenset()
    of_metadata: frozenset[str] = frozenset()
    choices: Sequence[str] = ()
    preflight: str = ""
    address: Mapping[str, str] = field(default_factory=dict)


BYTES = {
    "garbage.csv": bytes(range(256)) * 9,
    "empty.csv": b"",
    "cut.zip": archive_of({"a": b"x" * 999})[:50],
}
"""Files that nobody can read."""


def visible_name(payload: str) -> str:
    """Return a text without the characters that the name of a file or of a case cannot hold."""
    return re.sub(r"[\n,\"/\\\u202e\u200b]", " ", payload).strip()


def _isic_named(payload: str) -> Files:
    name = visible_name(payload)
    labels = tuple(name if label == "MEL" else label for label in category_tables.LABELS)
    names = (name, "NV", "BCC")
    return (
        ("predictions.csv", category_tables.predictions(labels=labels, categories=names)),
        ("truth.csv", category_tables.truth(labels=labels, categories=names)),
    )


def _melanoma_named(payload: str) -> Files:
    ids = [payload.replace("\n", " "), *risk_tables.names(8)[1:]]
    labels = zip(ids, map(str, risk_tables.TRUTH), strict=True)
    risks = zip(ids, (score / 2 for score in risk_tables.SCORES), strict=True)
    return (
        ("predictions.csv", risk_tables.table(("filename", "score"), *map(list, risks))),
        ("truth.csv", risk_tables.table(("filename", "label"), *map(list, labels))),
    )


def _puma_named(payload: str) -> Files:
    images, name = realistic(3, images=2, nuclei=20), visible_name(payload)
    truth, predictions = (
        archive_of(nuclei_lists.files({name: side[0], "other": side[1]})) for side in images
    )
    return ("predictions.zip", predictions), ("truth.zip", truth)


PATIENTS = [
    {
        "PatientID": f"P{i}",
        "T_stage": f"T{1 + i % 4}",
        "N_stage": f"N{i % 4}",
        "Relapse": i % 2,
        "RFS": 100 + i,
        "CenterID": "ABC"[i % 3],
    }
    for i in range(9)
]
PREDICTED_PATIENTS = [
    {"PatientID": row["PatientID"], "T_stage": "T2", "N_stage": row["N_stage"], "risk": 10 - i}
    for i, row in enumerate(PATIENTS)
]
MASKS = {f"P{i}": patients.labels(*[1] * (i % 3), *[2] * (i % 4)) for i in range(9)}


def _hecktor_named(payload: str) -> Files:
    name = visible_name(payload)
    truth = [row | {"PatientID": f"{name} {row['PatientID']}", "CenterID": name} for row in PATIENTS]
    predictions = [row | {"PatientID": f"{name} {row['PatientID']}"} for row in PREDICTED_PATIENTS[:-1]]
    masks = {f"{name} {patient}": labels for patient, labels in MASKS.items()}
    return (
        ("predictions.zip", archive_of(patients.submission_folder(predictions, masks))),
        ("truth.zip", archive_of(patients.truth_folder(truth, masks))),
    )


LESIONS = tuple(f"images/L{i:04d}.jpg" for i in range(1, 31))
LESION_LABELS = tuple(lesion_tables.CLASSES[i % 11] for i in range(30))


def _tricorder3_named(payload: str) -> Files:
    ids = (payload.replace("\n", " "), *LESIONS[1:])
    return (
        ("predictions.csv", lesion_tables.predictions(ids, LESION_LABELS)),
        ("truth.csv", lesion_tables.truth(ids, LESION_LABELS)),
    )


CLIMBING = archive_of(
    {
        "submission.csv": b"case_id,predicted_nuclei_path\nsample_primary_roi_001,../../etc/passwd\n",
        "../out.json": b"{}",
    }
)
PUMA_REFUSED = {
    "garbage.json": BYTES["garbage.csv"],
    "deep.json": b"[" * 100_000,
    "empty.zip": archive_of({}),
    "no-case.zip": archive_of({"nobody.json": b'{"nuclei": []}'}),
    "numbers.zip": archive_of(
        {"sample_primary_roi_001.json": b'{"nuclei": [{"centroid": [1e999, NaN], "class": "tumor"}]}'}
    ),
    "classes.zip": archive_of(
        {
            "sample_primary_roi_001.json": (
                b'{"nuclei": [{"centroid": [1, 2], "class": "<img src=x onerror=alert(1)>"}]}'
            )
        }
    ),
    "climbing.zip": CLIMBING,
    "cut.zip": CLIMBING[:90],
    "table.csv": b"case_id,predicted_nuclei_path\nsample_primary_roi_001,/etc/passwd\n",
}

FACTS = {
    "isic": PageFacts(
        tabs={
            "Categories": "How well is each category predicted?",
            "Points": "Where were the points lost?",
            "Confusion": "Which classes are confused?",
            "Curves": "How well is each category separated from the rest?",
            "Thresholds": "Would tuned thresholds help on new cases?",
            "Calibration": "When the model gives 70%, is it right 70% of the time?",
            "Subgroups": "For which patients are the results worse?",
            "Cases": "Which pixels did the model receive?",
            "Preflight": "Would the official scorer accept these files?",
        },
        named=_isic_named,
        tampered=[
            {"metric": "<b>"},
            {"rules": "none", "submission": "kepler"},
            {"tab": "Cases", "of_truth": "XXX", "of_called": "99"},
            {"tab": "Curves", "malignant": "XXX"},
            {"tab": "Thresholds", "cut_MEL": "9e99", "swept": "XXX"},
            {"tab": "Cases", "case": "none"},
        ],
        refused=BYTES
        | {
            "few.csv": b"image,MEL\nISIC_1,1.0\n",
            "pickle.onnx": b"\x80\x04\x95cos\nsystem\n.",
        },
        refused_truths=BYTES,
        silent=frozenset(
            (name, "Calibration")
            for name in (
                "kepler",
                "meridian",
                "orion",
                "quasar",
                "isic2018-one-decimal",
                "milk10k-dice",
                "milk10k-page-rule",
                "tolerated-file",
            )
        ),
        of_metadata=frozenset({"Subgroups"}),
        choices=("metric",),
        preflight="Which inputs and outputs does the model have?",
    ),
    "melanoma": PageFacts(
        tabs={
            "Threshold": "What would the score be?",
            "Missed": "What does a positive prediction mean?",
            "Classes": "How well is each class predicted?",
            "Calibration": "When the model gives 70%, do 70% have a melanoma?",
            "Net benefit": "Is the model more useful than treating everybody as positive?",
            "Subgroups": "In which patients does the model miss melanomas?",
            "Cases": "Which pixels did the model receive?",
            "Preflight": "What would the official code report?",
        },
        named=_melanoma_named,
        tampered=[
            {"threshold": "7"},
            {"threshold": "nan"},
            {"threshold": "<b>"},
            {"wanted_sensitivity": "2"},
            {"prevalence": "99%", "tab": "Missed"},
            {"case": "none.jpg", "tab": "Cases"},
            {"missed": "9999", "tab": "Missed"},
        ],
        refused=BYTES | {"pickle.onnx": b"\x80\x04\x95cos\nsystem\n."},
        refused_truths=BYTES,
        silent=frozenset({("06-logits-loose", "Calibration"), ("06-logits-loose", "Net benefit")}),
        of_metadata=frozenset({"Subgroups"}),
        preflight="run this model",
    ),
    "puma": PageFacts(
        tabs={
            "Classes": "How well is each class predicted?",
            "Images": "Which classes fail in which images?",
            "Viewer": "How was each nucleus scored?",
            "Radius": "How does the score change with the radius?",
            "Tissue": "Is the share of lymphocytes (TIL) correct?",
        },
        named=_puma_named,
        tampered=[
            {"rules": "<b>"},
            {"tab": "Viewer", "case": "../../etc", "list": "everything", "nucleus": "truth-99999999999"},
            {"tab": "Viewer", "nucleus": "prediction-7777777"},
            {"tab": "Viewer", "radius": "nan", "least": "1e999"},
            {"tab": "Radius", "radius": "-4", "least": "9"},
            {"tab": "Images", "images_page": "77"},
        ],
        refused=PUMA_REFUSED,
        refused_truths={
            name: PUMA_REFUSED[name] for name in ("garbage.json", "empty.zip", "cut.zip", "numbers.zip")
        },
        choices=("rules",),
        address={"table": "true"},
    ),
    "hecktor2026": PageFacts(
        tabs={
            "Segmentation": "How well does each patient's mask fit?",
            "Staging": "Which T stages are confused?",
            "Prognosis": "Do patients with a higher predicted risk relapse earlier?",
            "Centers": "Are the results similar in all groups?",
            "Readings": "What would the score be under another rule?",
            "Patients": "Which patients have the lowest Dice?",
            "Viewer": "How were the patient's voxels classified?",
        },
        named=_hecktor_named,
        tampered=[
            {"empty_masks": "two"},
            {"prognosis_direction": "<b>", "lesions": "perhaps"},
            {"tab": "Viewer", "patient": "nobody"},
            {"tab": "Viewer", "place": "axial-9999999999-2-3"},
            {"tab": "Viewer", "place": "oblique-1-2-3"},
            {"tab": "Viewer", "place": "axial-1-2"},
            {"tab": "Viewer", "place": "axial-²-1-2"},
            {"tab": "Centers", "center_quantity": "luck"},
        ],
        refused=BYTES
        | {
            "no-patients.csv": b"image,T_stage\nA,T1\n",
            "others.csv": b"PatientID,risk\nnobody,0.5\n",
            "twice.csv": b"PatientID,risk\nALD-001,0.5\nALD-001,0.6\n",
            "climbing.zip": archive_of({"../../predictions.csv": b"PatientID,risk\nALD-001,1\n"}),
            "nothing.zip": archive_of({"readme.md": b"hello"}),
            "lonely.nii.gz": gzip.compress(b"\0" * 400),
        },
        refused_truths=BYTES,
        choices=tuple(CHOICES),
    ),
    "tricorder3": PageFacts(
        tabs={
            "Points": "Where were the points lost?",
            "Risk": "Which cancers were predicted as benign?",
            "Classes": "How well is each class predicted?",
            "Curves": "How well is each class separated from the rest?",
            "Calibration": "When the model gives 70%, is it right 70% of the time?",
            "Subgroups": "For which patients are the results worse?",
            "Cases": "Which pixels did the model receive?",
            "Preflight": "What would the official validator report?",
        },
        named=_tricorder3_named,
        tampered=[
            {"case": "none.jpg", "tab": "Cases"},
            {"cells": "<b>", "tab": "Classes"},
            {"of_groups": "9999", "tab": "Cases"},
        ],
        refused=BYTES
        | {
            "few.csv": b"filename,NV\nimages/L0001.jpg,1\n",
            "up.zip": archive_of({"../told.csv": lesion_tables.predictions(LESIONS, LESION_LABELS)}),
            "broken.onnx": builders.classifier()[:60],
            "pickle.onnx": b"\x80\x04\x95cos\nsystem\n.",
            "wide.onnx": builders.classifier(width=10),
            "outside.onnx": builders.external_initializer("labels.csv"),
        },
        refused_truths=BYTES | {"labels.csv": b"NewFileName,Class\na.jpg,NOTHING\nb.jpg,NV\nb.jpg,MEL\n"},
        silent=frozenset(
            {
                ("cygnus", "Calibration"),
                ("04-all-nv-labels", "Curves"),
                ("04-all-nv-labels", "Calibration"),
                ("06-ties-sigmoids", "Calibration"),
            }
        ),
        preflight="run this model",
    ),
}
ANYWHERE = ({"submission": "nobody"}, {"set": "../../etc"}, {"tab": "Nowhere"})
"""Addresses that no page has a link to."""
SAMPLES = {
    name: [
        (key, team)
        for key, sample in samples.test_sets(name).items()
        for team, submission in sample.submissions.items()
        if not submission.is_model
    ]
    for name in scoring.challenge_ids()
}
"""Challenge -> (sample test set, team) of prediction files."""
