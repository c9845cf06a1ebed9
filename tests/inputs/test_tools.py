"""Tables as tools of the field write them reach the score of the plain table in two clicks at most."""

import io
import json
import zipfile

import pyarrow
import pyarrow.feather
import pytest

import scoring
from scoring.common.fixes import InputChanges
from scoring.inputs.sources import FixedSource

CLASSES = ("MEL", "NV", "BCC")
ORDER = sorted(CLASSES)
SCORES = {
    "ISIC_1": (0.7, 0.2, 0.1),
    "ISIC_2": (0.15, 0.55, 0.3),
    "ISIC_3": (0.1, 0.25, 0.65),
    "ISIC_4": (0.2, 0.5, 0.3),
}
LABELS = {"ISIC_1": "MEL", "ISIC_2": "NV", "ISIC_3": "BCC", "ISIC_4": "BCC"}


def csv(header, rows, delimiter=",") -> bytes:
    return "".join(delimiter.join(map(str, row)) + "\n" for row in [header, *rows]).encode()


def called(case: str) -> str:
    return max(zip(SCORES[case], CLASSES, strict=True))[1]


def ranked(case: str) -> list[tuple[str, float]]:
    return sorted(zip(CLASSES, SCORES[case], strict=True), key=lambda pair: -pair[1])


TRUTH = csv(
    ("image", *CLASSES), ((case, *(float(name == c) for c in CLASSES)) for case, name in LABELS.items())
)
PLAIN = csv(("image", *CLASSES), ((case, *row) for case, row in SCORES.items()))


def folder_of_lines() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for case in SCORES:
            text = "".join(f"{score:.2f} {name}\n" for name, score in ranked(case)[:2])
            archive.writestr(f"labels/{case}.txt", text)
    return packed.getvalue()


def feather() -> bytes:
    written = io.BytesIO()
    columns = {"image": list(SCORES)} | {
        c: [row[i] for row in SCORES.values()] for i, c in enumerate(CLASSES)
    }
    pyarrow.feather.write_feather(pyarrow.table(columns), written)
    return written.getvalue()


def of_pairs(label: str, score: str, times: float = 1) -> list[dict]:
    return [
        {
            "Image": f"{case}.jpg",
            "found": [{"tagId": f"t{ORDER.index(n)}", label: n, score: s * times} for n, s in ranked(case)],
        }
        for case in SCORES
    ]


FORMS = {
    "timm, top k in columns": csv(
        ("filename", *(f"label_{k}" for k in range(3)), *(f"prob_{k}" for k in range(3))),
        ((f"{case}.jpg", *(n for n, _ in ranked(case)), *(s for _, s in ranked(case))) for case in SCORES),
    ),
    "timm, top k in JSON": json.dumps(
        {
            f"{case}.jpg": {"label": [n for n, _ in ranked(case)], "prob": [s for _, s in ranked(case)]}
            for case in SCORES
        }
    ).encode(),
    "transformers' pipeline": json.dumps(
        {f"{case}.jpg": [{"label": n, "score": s} for n, s in ranked(case)] for case in SCORES}
    ).encode(),
    "PaddleClas, the best two": json.dumps(
        [
            {
                "class_ids": [CLASSES.index(n) for n, _ in ranked(case)[:2]],
                "scores": [s for _, s in ranked(case)[:2]],
                "file_name": f"dataset/{case}.jpg",
                "label_names": [n for n, _ in ranked(case)[:2]],
            }
            for case in SCORES
        ]
    ).encode(),
    "Vertex AI": b"".join(
        json.dumps(
            {
                "instance": {"content": f"gs://b/{case}.jpg", "mimeType": "image/jpeg"},
                "prediction": {
                    "ids": [str(1000 + ORDER.index(n)) for n, _ in ranked(case)],
                    "displayNames": [n for n, _ in ranked(case)],
                    "confidences": [s for _, s in ranked(case)],
                },
            }
        ).encode()
        + b"\n"
        for case in SCORES
    ),
    "Custom Vision": json.dumps(of_pairs("tagName", "probability")).encode(),
    "Rekognition, percent": json.dumps(of_pairs("Name", "Confidence", 100)).encode(),
    "YOLO, a text for each image": folder_of_lines(),
    "Feather": feather(),
    "R, ids as names of rows": csv(("", *CLASSES), ((case, *row) for case, row in SCORES.items())),
    "tidymodels": csv(
        ("image", ".pred_class", *(f".pred_{c}" for c in CLASSES)),
        ((case, called(case), *row) for case, row in SCORES.items()),
    ),
    "RapidMiner": csv(
        ("image", "prediction(dx)", *(f"confidence({c})" for c in CLASSES)),
        ((case, called(case), *row) for case, row in SCORES.items()),
        ";",
    ),
    "SAS": csv(
        ("image", "_FROM_", "_INTO_", *(f"IP_{c}" for c in CLASSES)),
        ((case, "", called(case), *row) for case, row in SCORES.items()),
    ),
    "Weka": csv(
        ("inst#", "actual", "predicted", "error", "prediction", "image"),
        (
            (i, "1:?", f"{ORDER.index(called(case)) + 1}:{called(case)}", "", 0.5, case)
            for i, case in enumerate(SCORES, 1)
        ),
    ),
    "Orange": csv(
        ("image", *(f"Logistic Regression ({c})" for c in CLASSES), "Logistic Regression"),
        [
            ("string", *["continuous"] * 3, " ".join(ORDER)),
            ["meta"] * 5,
            *((case, *row, called(case)) for case, row in SCORES.items()),
        ],
        "\t",
    ),
    "MONAI, no header": csv(
        *(lambda rows: (rows[0], rows[1:]))([(f"/d/{c}.jpg", *row) for c, row in SCORES.items()])
    ),
}


def clicks(read, challenge, data: bytes, wanted: float, left: int = 2) -> int | None:
    """How many fixes reach the score; None where none does in so many."""
    changes = [(InputChanges(), 0)]
    for given, depth in changes:
        try:
            card = challenge.score(
                read, challenge.read_predictions(FixedSource(data, given), read, "p"), resamples=0
            )
        except scoring.InputRefused as refused:
            fixes = [fix for problem in refused.problems for fix in problem.fixes]
            changes += [(given.joined(fix.changes), depth + 1) for fix in fixes] if depth < left else []
        else:
            if card.score == pytest.approx(wanted, abs=1e-12):
                return depth
    return None


@pytest.mark.parametrize("tool", FORMS)
def test_a_table_of_a_tool_reaches_its_score_in_two_clicks(tool):
    challenge = scoring.load_challenge("isic")
    truth = challenge.read_truth(TRUTH)
    plain = challenge.score(truth, challenge.read_predictions(PLAIN, truth), resamples=0)
    assert 0.5 < plain.score < 1
    assert clicks(truth, challenge, FORMS[tool], plain.score) is not None


def test_no_fix_of_a_table_of_ranks_reads_the_ranks_as_classes():
    challenge = scoring.load_challenge("isic")
    truth = challenge.read_truth(TRUTH)
    with pytest.raises(scoring.InputRefused) as refused:
        challenge.read_predictions(FORMS["timm, top k in columns"], truth)
    for fix in (fix for problem in refused.value.problems for fix in problem.fixes):
        read = challenge.read_predictions(FixedSource(FORMS["timm, top k in columns"], fix.changes), truth)
        assert read.outputs[0].tolist() == list(SCORES["ISIC_1"])


def test_two_values_of_one_name_in_nested_json_are_named_in_full_and_none_is_scored():
    challenge = scoring.load_challenge("isic")
    document = [{"image": case, "a": {"MEL": 0.9}, "b": {"MEL": 0.1}} for case in SCORES]
    with pytest.raises(scoring.InputRefused, match=r"'a\.MEL'.*'b\.MEL'"):
        challenge.read_predictions(json.dumps(document).encode(), challenge.read_truth(TRUTH))
