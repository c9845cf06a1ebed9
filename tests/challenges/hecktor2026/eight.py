"""Eight patients of two centers, of whom one has no mask, one no submitted mask, one no T stage and one no
score."""

from tests.support import patients
from tests.support.patients import labels

ROWS = [
    {
        "PatientID": f"P{i}",
        "T_stage": f"T{1 + i % 4}",
        "N_stage": f"N{i % 4}",
        "Relapse": int(i < 6),
        "RFS": 10 + i,
        "CenterID": "AB"[i % 2],
    }
    for i in range(8)
]
TRUE = {
    f"P{i}": labels(*found)
    for i, found in enumerate([(1, 1, 2), (1, 2, 2), (), (1, 1), (2, 2), (0, 0, 1), (1, 2)])
}
GUESS = {
    f"P{i}": labels(*found)
    for i, found in enumerate([(1, 2, 2), (1, 2, 2), (), (0, 0, 1), (1, 2), (0, 0, 1)])
}
TOLD = [
    {
        "PatientID": f"P{i}",
        "T_stage": "T2" if i else None,
        "N_stage": f"N{i % 4}",
        "risk": None if i == 3 else i % 5,
    }
    for i in range(8)
]
TRUTH, SUBMISSION = patients.truth_folder(ROWS, TRUE), patients.submission_folder(TOLD, GUESS)
