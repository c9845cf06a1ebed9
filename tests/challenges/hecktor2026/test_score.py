"""The scorecard against plain loops over rows and voxels, under every option, and what it says about
itself."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.challenges.hecktor2026.formula import CHOICES, weighted
from tests.support import patients
from tests.support.findings import codes, only
from tests.support.patients import CHALLENGE, VOXEL_ML, card, labels, submission_folder, truth_folder
from tests.support.soak import FACTOR

GOLDEN = Path(__file__).parents[2] / "golden" / "hecktor2026"
MASKS = st.one_of(st.none(), st.lists(st.integers(0, 2), max_size=4).map(lambda values: labels(*values)))
OPTIONS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})
PATIENTS = st.lists(
    st.fixed_dictionaries(
        {
            "t": st.sampled_from([None, "T0", "T1", "T2", "T4"]),
            "n": st.sampled_from([None, "N0", "N2", "N3"]),
            "event": st.sampled_from([None, 0, 1, 1]),
            "time": st.one_of(st.none(), st.integers(0, 4)),
            "mask": MASKS,
            "guessed_t": st.sampled_from([None, "T0", "T1", "T2", "T7"]),
            "guessed_n": st.sampled_from([None, "N0", "N1", "N2", "2"]),
            "risk": st.one_of(st.none(), st.integers(-2, 2)),
            "guess": MASKS,
            "known": st.sampled_from([True, True, True, False]),
        }
    ),
    min_size=1,
    max_size=7,
)


def tables(drawn: list[dict]):
    """Truth rows and masks, submission rows and masks; a patient that is not known has no truth."""
    names = [f"P{i}" for i in range(len(drawn))]
    truth = [
        {"PatientID": name, "T_stage": p["t"], "N_stage": p["n"], "Relapse": p["event"], "RFS": p["time"]}
        for name, p in zip(names, drawn, strict=True)
        if p["known"]
    ]
    rows = [
        {"PatientID": name, "T_stage": p["guessed_t"], "N_stage": p["guessed_n"], "risk": p["risk"]}
        for name, p in zip(names, drawn, strict=True)
    ]
    masks = {
        name: p["mask"] for name, p in zip(names, drawn, strict=True) if p["known"] and p["mask"] is not None
    }
    guesses = {name: p["guess"] for name, p in zip(names, drawn, strict=True) if p["guess"] is not None}
    return truth, masks, rows, guesses


def assert_equal(found: dict, expected: dict) -> None:
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name] == (None if value is None else pytest.approx(value, abs=1e-12)), name


@pytest.mark.slow
@given(PATIENTS.filter(lambda drawn: any(p["known"] for p in drawn)), OPTIONS)
@settings(max_examples=60 * FACTOR, deadline=None)
def test_every_metric_restated(drawn, options):
    truth, masks, rows, guesses = tables(drawn)
    found = card(truth_folder(truth, masks), submission_folder(rows, guesses), **options)
    expected = patients.metrics(truth, masks, rows, guesses, **options)
    assert_equal(found.metrics, expected)
    assert found.score == found.metrics["weighted_score"]
    json.loads(found.to_json())
    if found.score is None:
        assert "subtask-not-scored" in codes(found.findings)


@given(PATIENTS.filter(lambda drawn: any(p["known"] for p in drawn)), st.randoms())
@settings(max_examples=15 * FACTOR, deadline=None)
def test_the_order_of_rows_changes_nothing_but_their_order(drawn, random):
    truth, masks, rows, guesses = tables(drawn)
    first = card(truth_folder(truth, masks), submission_folder(rows, guesses))
    second = card(
        truth_folder(random.sample(truth, len(truth)), masks),
        submission_folder(random.sample(rows, len(rows)), guesses),
    )
    assert_equal(second.metrics, first.metrics)
    assert second.per_class == first.per_class
    assert sorted(map(str, second.cases)) == sorted(map(str, first.cases))


SIX = [
    {"PatientID": f"P{i}", "CenterID": center, "T_stage": t, "N_stage": n, "Relapse": e, "RFS": d}
    for i, (center, t, n, e, d) in enumerate(
        [
            ("A", "T1", "N0", 1, 100),
            ("A", "T0", "N0", 0, 400),
            ("B", "T1", "N2", 1, 200),
            ("B", "T3", "N2", 0, 300),
            ("B", "T3", "N1", 1, 250),
            ("", "T4", "N3", None, None),
        ]
    )
]
SIX_GUESSED = [
    {"PatientID": f"P{i}", "T_stage": t, "N_stage": n, "risk": r}
    for i, (t, n, r) in enumerate(
        [("T1", "N0", 5), ("T1", "N0", 1), ("T2", "N2", 1), ("T3", "N1", 2), ("", "N1", 3), ("T4", "x", None)]
    )
]
SIX_MASKS = {"P0": labels(1, 1, 2), "P1": labels(0, 2), "P2": labels(), "P3": labels(1)}
SIX_SUBMITTED = {"P0": labels(1, 0, 2), "P1": labels(0, 2, 2), "P3": labels(2)}


@pytest.fixture(scope="module")
def six():
    return card(truth_folder(SIX, SIX_MASKS), submission_folder(SIX_GUESSED, SIX_SUBMITTED))


def test_classes_and_confusion(six):
    assert six.per_class["T0"] == {"support": 1, "predicted": 0, "recall": 0.0}
    assert six.per_class["T1"] == {"support": 2, "predicted": 2, "recall": 0.5}
    assert six.per_class["T2"] == {"support": 0, "predicted": 1, "recall": None}
    assert six.per_class["N3"] == {"support": 1, "predicted": 0, "recall": 0.0}
    assert six.more["confusion_matrices"]["T"] == {
        "labels": ["T0", "T1", "T2", "T3", "T4"],
        "counts": [[0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0] * 5, [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]],
        "missing": [0, 0, 0, 1, 0],
    }
    assert six.more["confusion_matrices"]["N"]["missing"] == [0, 0, 0, 1]
    excluded = card(truth_folder(SIX), submission_folder(SIX_GUESSED), t0="exclude")
    assert excluded.more["confusion_matrices"]["T"]["labels"] == ["T1", "T2", "T3", "T4"]
    assert "T0" not in excluded.per_class
    assert excluded.cases[1]["t_truth"] == "T0"


def test_structures(six):
    assert six.per_class["GTVp"] == {
        "n_patients": 4,
        "n_empty_truth": 2,
        "n_empty_prediction": 3,
        "n_both_empty": 2,
        "mean_dice": pytest.approx((2 / 3 + 1 + 1 + 0) / 4),
        "mean_dice_nonempty_truth": pytest.approx((2 / 3 + 0) / 2),
        "dice_agg": pytest.approx(2 / 4),
    }
    assert six.metrics["dice_from_empty_cases"] == pytest.approx((2 / 4 + 1 / 4) / 2)


def test_cases(six):
    assert [row["mask"] for row in six.cases] == ["ok", "ok", "missing", "ok", "no-truth", "no-truth"]
    first, last = six.cases[0], six.cases[-1]
    assert {
        name: first[name] for name in ("case", "center", "t_truth", "t_prediction", "risk", "time", "event")
    } == {
        "case": "P0",
        "center": "A",
        "t_truth": "T1",
        "t_prediction": "T1",
        "risk": 5,
        "time": 100,
        "event": 1,
    }
    assert first["volume_gtvp_truth_ml"] == pytest.approx(2 * VOXEL_ML)
    assert first["volume_gtvp_prediction_ml"] == pytest.approx(VOXEL_ML)
    assert {name for name, value in last.items() if value is not None} == {
        "case",
        "mask",
        "t_truth",
        "t_prediction",
        "n_truth",
    }
    assert sum(row["comparable_pairs"] or 0 for row in six.cases) == 2 * six.metrics["comparable_pairs"]


def test_centers_are_scored_by_themselves(six):
    assert list(six.more["per_center"]) == ["A", "B"]
    for center, row in six.more["per_center"].items():
        members = [r for r in SIX if r["CenterID"] == center]
        names = {r["PatientID"] for r in members}
        expected = patients.metrics(
            members,
            {p: m for p, m in SIX_MASKS.items() if p in names},
            SIX_GUESSED,
            SIX_SUBMITTED,
        )
        assert row["n_cases"] == len(members)
        assert {name: value for name, value in row.items() if name != "n_cases"} == {
            name: pytest.approx(expected[name]) for name in row if name != "n_cases"
        }
    assert (
        "per_center"
        not in card(
            truth_folder([{**row, "CenterID": None} for row in SIX]), submission_folder(SIX_GUESSED)
        ).more
    )


def test_survival_groups_and_curves(six):
    groups = six.more["survival"]["groups"]
    assert [(g["name"], g["n"], g["events"]) for g in groups] == [
        ("low", 2, 1),
        ("middle", 2, 1),
        ("high", 1, 1),
    ]
    assert six.arrays["survival_middle_time"].tolist() == [250, 300]
    assert six.arrays["survival_middle_probability"].tolist() == [0.5, 0.5]
    assert six.arrays["survival_moments"][0] == 0
    assert [six.arrays[f"survival_{g['name']}_number_at_risk"][0] for g in groups] == [2, 2, 1]


def test_the_published_line_of_one_team():
    staging = (0.461 + 0.564) / 2
    assert float(weighted(0.652, staging, 0.558)) == pytest.approx(0.565575, abs=1e-12)


def test_a_submission_of_the_truth_is_perfect_and_an_empty_one_is_not():
    truth = truth_folder(SIX[2:5], {"P2": labels(1), "P3": labels(2)})
    rows = [
        {
            "PatientID": r["PatientID"],
            "T-stage": r["T_stage"],
            "N Stage": r["N_stage"],
            "RFS (days)": r["RFS"],
        }
        for r in SIX[2:5]
    ]
    perfect = card(
        truth,
        submission_folder(rows, {"P2": labels(1), "P3": labels(2)}),
        resamples=50,
        interval="percentile",
    )
    assert perfect.score == 1
    assert perfect.intervals["segmentation"] == [1, 1]
    nothing = card(truth, submission_folder([{"PatientID": "P2"}]))
    assert nothing.score == pytest.approx(0.25 * 0.5)
    assert codes(nothing.findings).count("subtask-missing") == 4


def test_truth_without_a_subtask_scores_the_others():
    found = card(truth_folder([{"PatientID": "P0", "T_stage": "T1"}]), submission_folder(SIX_GUESSED[:1]))
    assert found.score is None
    assert found.metrics["balanced_accuracy_t"] == 1
    assert [f.where for f in found.findings if f.code == "subtask-not-scored"] == [
        "segmentation",
        "balanced_accuracy_n",
        "c_index",
    ]
    masks_alone = card(truth_folder([], SIX_MASKS), submission_folder([], SIX_MASKS))
    assert (masks_alone.n_cases, masks_alone.metrics["segmentation"], masks_alone.score) == (4, 1, None)


def test_patients_of_no_known_center_are_units_of_their_own():
    rows = [
        {**row, "CenterID": center}
        for row, center in zip(SIX, ["A", "NA", "A ", "null", "", "NA"], strict=True)
    ]
    found = card(truth_folder(rows), submission_folder(SIX_GUESSED), group="CenterID").provenance
    assert (found["unit"], found["n_units"]) == ("centerid", 5)


def test_what_was_left_open_is_said(six):
    assert only(six.findings, "empty-credit").message.startswith("0.3750")
    assert "P1" in only(six.findings, "stage-t0").message
    assert only(six.findings, "few-events").message.startswith("3 events:")
    assert only(
        card(truth_folder(SIX[:1]), submission_folder(SIX_GUESSED)).findings, "few-events"
    ).message.startswith("1 event:")
    assert [f.where for f in six.findings if f.code == "absent-class"] == ["T2"]
    turned = [{**row, "risk": -row["risk"] if row["risk"] is not None else None} for row in SIX_GUESSED]
    suspect = only(card(truth_folder(SIX), submission_folder(turned)).findings, "direction-suspect")
    (fix,) = suspect.fixes
    read_so = card(truth_folder(SIX), submission_folder(turned), **dict(fix.changes.options))
    assert fix.label.endswith(f"{read_so.metrics['c_index']:.4f}")
    assert suspect.level == "warning"
    assert "template writes a risk to rfs.json, but rfs.json is read as a time" in suspect.message
    assert "direction-assumed" in codes(six.findings)
    forced = card(truth_folder(SIX), submission_folder(turned), prognosis_direction="time")
    assert not {"direction-suspect", "direction-assumed"} & set(codes(forced.findings))
    assert forced.metrics["c_index"] == six.metrics["c_index"]


@pytest.mark.parametrize(("lower", "higher", "is_suspect"), [(9, 11, False), (8, 12, True), (8, 8, False)])
def test_a_direction_is_suspect_below_45_percent_if_the_other_is_better(lower, higher, is_suspect):
    truth = [
        {"PatientID": "relapsed", "Relapse": 1, "RFS": 0},
        *({"PatientID": f"P{i}", "Relapse": 0, "RFS": 9} for i in range(20)),
    ]
    risks = [-1] * lower + [1] * higher
    guessed = [
        {"PatientID": "relapsed", "risk": 0},
        *({"PatientID": f"P{i}", "risk": risk} for i, risk in enumerate(risks)),
    ]
    found = card(truth_folder(truth), submission_folder(guessed))
    assert (found.metrics["c_index"], found.metrics["c_index_flipped"]) == (lower / 20, higher / 20)
    assert ("direction-suspect" in codes(found.findings)) is is_suspect


@pytest.mark.parametrize("n", [14, 15, 19, 20])
def test_classes_under_15_and_events_under_20_are_few(n):
    rows = [{"PatientID": f"P{i}", "T_stage": "T1", "Relapse": 1, "RFS": i} for i in range(n)]
    found = codes(card(truth_folder(rows), submission_folder(rows), resamples=2).findings)
    assert ("few-cases-in-class" in found, "few-events" in found) == (n < 15, n < 20)


def test_both_columns_and_the_one_that_is_forced():
    rows = [{"PatientID": "P0", "RFS": 9, "Prediction": 2}, {"PatientID": "P2", "RFS": 8, "Prediction": 1}]
    truth = truth_folder(SIX)
    automatic = card(truth, submission_folder(rows))
    assert [row["risk"] for row in automatic.cases][::2] == [2, 1, None]
    assert "two-prognosis-columns" in codes(automatic.findings)
    timed = card(truth, submission_folder(rows), prognosis_direction="time")
    assert [row["risk"] for row in timed.cases][::2] == [-9, -8, None]
    one = card(truth, submission_folder([{"PatientID": "P0", "risk": 2}]), prognosis_direction="time")
    assert one.cases[0]["risk"] == -2


def test_nodes_are_counted_and_matched():
    truth = truth_folder([], {"P0": labels(2, 0, 2), "P1": labels(2), "P2": labels()})
    found = card(truth, submission_folder([], {"P0": labels(2), "P2": labels(2, 1)}), lesions=True)
    assert [(row["n_gtvn_truth"], row["n_gtvn_prediction"]) for row in found.cases] == [
        (2, 1),
        (1, 0),
        (0, 1),
    ]
    assert found.metrics["gtvn_count_error"] == 1
    assert found.metrics["gtvn_detection_f1"] == pytest.approx(2 * 1 / (3 + 2))
    assert "gtvn_count_error" not in card(truth, submission_folder([], {"P0": labels(2)})).metrics


def test_provenance_names_everything(six):
    source = six.provenance
    assert source["options"] == {
        "empty_masks": "one",
        "missing_risk": "non-concordant",
        "prognosis_direction": "auto",
        "t0": "count",
        "lesions": False,
        "group": None,
        "interval": "auto",
        "metadata_sha256": None,
    }
    assert (source["unit"], source["n_units"]) == ("patient", 6)
    other = card(
        truth_folder(SIX, SIX_MASKS | {"P3": labels(1, 1)}), submission_folder(SIX_GUESSED, SIX_SUBMITTED)
    )
    assert other.provenance["truth_sha256"] != source["truth_sha256"]
    assert other.provenance["predictions_sha256"] == source["predictions_sha256"]


def test_replicates_are_the_score_of_repeated_patients():
    truth = CHALLENGE.read_truth(GOLDEN / "gaps" / "truth")
    submission = CHALLENGE.read_predictions(GOLDEN / "gaps" / "predictions", truth)
    for options in (
        {},
        {"empty_masks": "skip", "missing_risk": "exclude"},
        {"empty_masks": "zero", "missing_risk": "half", "t0": "exclude"},
    ):
        drawn = CHALLENGE.score(truth, submission, resamples=20, seed=4, **options).arrays
        counts = np.random.default_rng(4).multinomial(
            len(truth), np.full(len(truth), 1 / len(truth)), size=20
        )
        for b, row in enumerate(counts):
            again = repeated(truth, submission, np.repeat(np.arange(len(truth)), row), options)
            for name, value in (
                ("score", again.score),
                *((n, again.metrics[n]) for n in ("segmentation", "staging", "c_index")),
            ):
                assert drawn[f"{name}_replicates"][b] == pytest.approx(
                    np.nan if value is None else value, abs=1e-12, nan_ok=True
                ), name


def repeated(truth, submission, places: np.ndarray, options: dict):
    """The scorecard of a test set that holds these patients, some of them several times."""

    def of(values):
        return values if values is None else values[places]

    masks = replace(
        submission.masks,
        tables=submission.masks.tables[places],
        states=tuple(submission.masks.states[i] for i in places),
    )
    scores = {
        kind: replace(s, values=s.values[places], unusable=s.unusable[places])
        for kind, s in submission.scores.items()
    }
    ids = tuple(truth.ids[i] for i in places)
    smaller = replace(
        truth,
        ids=ids,
        stages={kind: of(codes) for kind, codes in truth.stages.items()},
        time=of(truth.time),
        event=of(truth.event),
        center=("",) * len(ids),
        masks=tuple(truth.masks[i] for i in places),
        columns={},
    )
    found = replace(
        submission,
        ids=ids,
        stages={kind: of(codes) for kind, codes in submission.stages.items()},
        scores=scores,
        masks=masks,
    )
    return CHALLENGE.score(smaller, found, resamples=0, **options)
