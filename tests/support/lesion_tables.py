"""Small tables of skin lesions: a truth and predictions that are right, to be spoiled by the tests."""

import csv
import io
from collections.abc import Iterable, Sequence

CLASSES = ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC")
FULL_NAMES = (
    "Actinic keratosis/intraepidermal carcinoma",
    "Basal cell carcinoma",
    "Other benign proliferations including collisions",
    "Benign keratinocytic lesion",
    "Dermatofibroma",
    "Inflammatory and infectious",
    "Other malignant proliferations including collisions",
    "Melanoma",
    "Melanocytic Nevus, any type",
    "Squamous cell carcinoma/keratoacanthoma",
    "Vascular lesions and hemorrhage",
)
RISKS = {
    "malignant": ("BCC", "MAL_OTH", "MEL", "SCCKA"),
    "medium": ("AKIEC", "BKL", "VASC"),
    "benign": ("BEN_OTH", "DF", "INF", "NV"),
}
TRUTH_HEADER = ("NewFileName", "Class", "Age", "Location", "Gender")
IDS = tuple(f"c{i}.jpg" for i in range(1, 7))
LABELS = ("BCC", "NV", "MEL", "BKL", "DF", "NV")


def text(rows: Iterable[Sequence[object]], delimiter: str = ",", end: str = "\n") -> str:
    """Rows as CSV, cells quoted where they need it."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue()


def table(*rows: Sequence[object], delimiter: str = ",", end: str = "\n", encoding: str = "utf-8") -> bytes:
    return text(rows, delimiter, end).encode(encoding)


def truth_rows(ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS) -> list[list[str]]:
    """Rows that the official loader reads without a word."""
    return [[name, label, "42", "Arm", "m"] for name, label in zip(ids, labels, strict=True)]


def truth(ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS) -> bytes:
    return table(TRUTH_HEADER, *truth_rows(ids, labels))


def outputs_row(label: str) -> list[str]:
    """Probabilities with their maximum at `label`."""
    return ["0.9" if name == label else "0.01" for name in CLASSES]


def prediction_rows(ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS) -> list[list[str]]:
    return [[name, *outputs_row(label)] for name, label in zip(ids, labels, strict=True)]


def predictions(ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS) -> bytes:
    return table(("filename", *CLASSES), *prediction_rows(ids, labels))
