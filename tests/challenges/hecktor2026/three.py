"""Three patients with masks, and a table of predictions."""

from tests.support.patients import labels, submission_folder

ROWS = [
    {"PatientID": f"P{i}", "T_stage": f"T{i + 1}", "N_stage": f"N{i}", "Relapse": 1, "RFS": 100 * i}
    for i in range(3)
]
TABLE = submission_folder(
    [{**{k: row[k] for k in ("PatientID", "T_stage", "N_stage")}, "risk": -row["RFS"]} for row in ROWS]
)
MASKS = {f"P{i}": labels(0, 1, 2, 2, *[1] * i) for i in range(3)}
