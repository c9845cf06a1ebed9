"""Four patients: one without a mask and stages, one at T0, one without a score."""

from tests.support.patients import labels, submission_folder, truth_folder

ROWS = [
    {"PatientID": "P0", "T_stage": "T1", "N_stage": "N0", "Relapse": 1, "RFS": 100},
    {"PatientID": "P1", "T_stage": "T0", "N_stage": "N3", "Relapse": 0, "RFS": 400},
    {"PatientID": "P2", "T_stage": "T3", "N_stage": None, "Relapse": 1, "RFS": 200},
    {"PatientID": "P3", "T_stage": None, "N_stage": None, "Relapse": 1, "RFS": 100},
]
GUESSED = [
    {"PatientID": "P0", "T_stage": "T4", "N_stage": "N1", "risk": 1},
    {"PatientID": "P1", "T_stage": "T1", "N_stage": "", "risk": 2},
    {"PatientID": "P2", "T_stage": "T3", "N_stage": "N0", "risk": None},
    {"PatientID": "P3", "T_stage": "T3", "N_stage": "N0", "risk": 3},
]
MASKS = {"P0": labels(1, 2), "P1": labels(), "P2": labels(1, 1)}
SUBMITTED = {"P0": labels(1, 1), "P1": labels(), "P2": labels(0, 1, 2)}
TRUTH, SUBMISSION = truth_folder(ROWS, MASKS), submission_folder(GUESSED, SUBMITTED)
