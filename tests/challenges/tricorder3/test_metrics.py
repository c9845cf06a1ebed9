"""Every number of the scorecard against plain loops and scikit-learn, on random test sets and on the worked
examples of the definition."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import scoring
from scoring.challenges.tricorder3.formula import efficiency, final_score
from scoring.challenges.tricorder3.formula import weighted_f1 as tricorder3_weighted_f1
from tests.support import restated
from tests.support.lesion_tables import CLASSES, RISKS, TRUTH_HEADER, table, truth
from tests.support.subsets import differences

CHALLENGE = scoring.load_challenge("tricorder3")
LABELS = st.sampled_from(CLASSES)


def ids(n: int) -> list[str]:
    return [f"case {i}.jpg" for i in range(n)]


def score_labels(true, predicted, **options):
    cases = CHALLENGE.read_truth(truth(ids(len(true)), true))
    rows = [[name, p] for name, p in zip(ids(len(true)), predicted, strict=True) if p is not None]
    found = CHALLENGE.read_predictions(table(("case", "prediction"), *rows), cases)
    return CHALLENGE.score(cases, found, resamples=0, **options)


def score_outputs(true, outputs, **options):
    cases = CHALLENGE.read_truth(truth(ids(len(true)), true))
    rows = [[name, *map(repr, row)] for name, row in zip(ids(len(true)), outputs.tolist(), strict=True)]
    found = CHALLENGE.read_predictions(
        table(("case", *CLASSES), *rows), cases, missing=options.get("missing", "refuse")
    )
    return CHALLENGE.score(cases, found, resamples=0, **options)


def drawn(seed: int, n: int = 120, classes: int = 11, decimals: int = 2) -> tuple[list[str], np.ndarray]:
    """A random test set with outputs that favour the truth; few decimals make ties."""
    dice = np.random.default_rng(seed)
    true = dice.integers(0, classes, n)
    outputs = dice.dirichlet(np.ones(11), n) + np.eye(11)[true] * dice.random((n, 1))
    return [CLASSES[k] for k in true], np.round(outputs / outputs.sum(1, keepdims=True), decimals)


# The truth of the public result: 50 cases, none of BEN_OTH, MAL_OTH and VASC.
SUPPORT = {"AKIEC": 1, "BCC": 2, "BKL": 3, "DF": 1, "INF": 2, "MEL": 2, "NV": 38, "SCCKA": 1}
PUBLIC = [name for name, n in SUPPORT.items() for _ in range(n)]


def test_worked_example_everything_right_although_three_classes_have_no_case():
    card = score_labels(PUBLIC, PUBLIC)
    assert [f.where for f in card.findings if f.code == "absent-class"] == ["BEN_OTH", "MAL_OTH", "VASC"]
    assert card.metrics["weighted_f1"] == pytest.approx(0.722222, abs=1e-6)
    assert card.score == pytest.approx(0.8749999, abs=1e-12)
    assert card.more["best_possible_score"] == card.score


def test_worked_example_always_the_commonest_class():
    card = score_labels(PUBLIC, ["NV"] * 50)
    assert card.metrics["f1_benign"] == 2 * 38 / (38 + 50) / 4
    assert card.score == pytest.approx(0.45819325, abs=1e-12)
    assert {f.where for f in card.findings if f.code == "never-predicted"} == set(PUBLIC) - {"NV"}


def test_worked_example_of_the_public_result():
    f1 = dict.fromkeys(CLASSES, 0.0) | {"BCC": 0.8, "BKL": 0.25, "DF": 1.0, "MEL": 0.5, "NV": 72 / 77}
    groups = restated.group_f1(f1)
    assert groups == pytest.approx({"malignant": 0.325, "medium": 0.083333, "benign": 0.483766}, abs=1e-6)
    w = float(tricorder3_weighted_f1(np.array([f1[c] for c in CLASSES])))
    assert w == pytest.approx(restated.weighted_f1(groups), abs=1e-15)
    assert round(w, 6) == 0.270905
    assert final_score(41 / 50, w, 1.0) == 0.59090725


def test_worth_of_the_classes():
    card = score_labels(PUBLIC, PUBLIC)
    worth = {c: card.per_class[c]["score_worth"] for c in CLASSES}
    assert worth == pytest.approx(
        {
            c: {"malignant": 0.05625, "medium": 0.05, "benign": 0.01875}[risk]
            for risk, members in RISKS.items()
            for c in members
        }
    )
    assert sum(worth.values()) == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        *((0, 1), (50, 1), (50.000001, 0.99999999), (73.456789, 0.76543211), (100, 0.5), (149.999999, 1e-8)),
        *((150, 0), (1e6, 0)),
    ],
)
def test_efficiency(size, expected):
    card = score_labels(PUBLIC, PUBLIC, model_size_mib=size)
    assert card.metrics["efficiency_score"] == pytest.approx(expected, abs=1e-12)
    assert card.more["model_size_mib"] == size
    assert ("size-score-zero" in [f.code for f in card.findings]) == (size >= 150)
    assert "model-size-unknown" not in [f.code for f in card.findings]


def test_an_unknown_size_counts_as_small_and_says_so():
    card = score_labels(PUBLIC, PUBLIC)
    assert (card.metrics["efficiency_score"], card.more["model_size_mib"]) == (1.0, None)
    assert "model-size-unknown" in [f.code for f in card.findings]


@given(accuracy=st.floats(0, 1), f1=st.floats(0, 1), size=st.floats(0, 200))
def test_the_final_score_is_rounded_in_the_official_places_only(accuracy, f1, size):
    e = efficiency(size)
    assert e == restated.efficiency(size)
    assert final_score(accuracy, f1, e) == 0.9 * (
        0.5 * round(accuracy, 6) + 0.5 * round(f1, 6)
    ) + 0.1 * round(e, 6)
    assert 0 <= final_score(accuracy, f1, e) <= 1


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40), st.floats(0, 200))
def test_labels_restated(pairs, size):
    true, predicted = [y for y, _ in pairs], [p for _, p in pairs]
    card = score_labels(true, predicted, model_size_mib=size)
    assert list(differences(restated.label_metrics(true, predicted, size), dict(card.metrics), 1e-12)) == []
    assert card.score == pytest.approx(restated.score(true, predicted, size), abs=1e-15)
    assert 0 <= card.score <= card.more["best_possible_score"] <= 1
    assert card.more["best_possible_score"] == pytest.approx(restated.score(true, true, size), abs=1e-15)
    assert sum(card.more["points"].values()) == pytest.approx(card.score, abs=1e-12)


@given(st.lists(st.tuples(LABELS, st.one_of(LABELS, st.none())), min_size=1, max_size=30))
def test_missing_cases_count_as_wrong(pairs):
    true, predicted = [y for y, _ in pairs], [p for _, p in pairs]
    assume(any(predicted))
    card = score_labels(true, predicted, missing="wrong")
    assert list(differences(restated.label_metrics(true, predicted), dict(card.metrics), 1e-12)) == []
    assert card.more["n_missing"] == predicted.count(None)
    assert [case["predicted"] for case in card.cases] == predicted
    assert sum(map(sum, card.confusion_matrix["counts"])) == len(pairs) - predicted.count(None)


@pytest.mark.parametrize("seed", range(6))
def test_outputs_restated(seed):
    true, outputs = drawn(
        seed, n=(120, 40, 12)[seed % 3], classes=(11, 7, 2)[seed % 3], decimals=(2, 9)[seed % 2]
    )
    predicted = [CLASSES[k] for k in outputs.argmax(1)]
    card = score_outputs(true, outputs)
    expected = restated.label_metrics(true, predicted) | restated.output_metrics(true, predicted, outputs)
    assert set(card.metrics) == set(expected)
    assert list(differences(expected, dict(card.metrics), 1e-12)) == []


@pytest.mark.parametrize("seed", range(3))
def test_classes_restated(seed):
    true, outputs = drawn(seed, n=60, classes=9)
    predicted = [CLASSES[k] for k in outputs.argmax(1)]
    found = score_outputs(true, outputs).per_class
    f1 = restated.f1_scores(true, predicted)
    for name, (support, called, hits) in restated.counts(true, predicted).items():
        others = len(true) - support
        expected = {
            "risk": next(r for r, members in RISKS.items() if name in members),
            "support": support,
            "predicted": called,
            "precision": restated.ratio(hits, called),
            "recall": restated.ratio(hits, support),
            "f1": f1[name],
            "specificity": restated.ratio(others - called + hits, others),
            "auc": restated.area_under_curve(true, outputs, name),
            "average_precision": restated.average_precision(true, outputs, name),
        }
        assert list(differences(expected, found[name], 1e-12)) == []
        assert found[name]["score_lost"] == pytest.approx(
            found[name]["score_worth"] * (1 - f1[name]), abs=1e-15
        )


def test_matrices_restated():
    true, outputs = drawn(5, n=80)
    card = score_outputs(true, outputs)
    predicted = [CLASSES[k] for k in outputs.argmax(1)]
    pairs = list(zip(true, predicted, strict=True))
    assert card.confusion_matrix == {
        "labels": list(CLASSES),
        "counts": [[pairs.count((y, p)) for p in CLASSES] for y in CLASSES],
    }
    assert card.more["risk_matrix"] == {
        "labels": list(RISKS),
        "counts": [[sum(y in RISKS[r] and p in RISKS[c] for y, p in pairs) for c in RISKS] for r in RISKS],
    }


@pytest.mark.parametrize("shift", [lambda x: 4 * x - 1, lambda x: x / 2])
def test_outputs_that_are_no_probabilities_have_no_calibration_and_the_same_score(shift):
    true, outputs = drawn(6)
    plain, other = score_outputs(true, outputs), score_outputs(true, shift(outputs))
    assert other.score == plain.score
    assert other.metrics["macro_auc"] == plain.metrics["macro_auc"]
    assert [other.metrics[name] for name in ("log_loss", "brier_score", "expected_calibration_error")] == [
        None
    ] * 3


def test_cases_without_outputs_are_left_out_of_curves_and_calibration_only():
    true, outputs = drawn(7, n=50)
    outputs[[3, 11, 30]] = np.nan
    card = score_outputs(true, outputs, missing="wrong")
    kept = [i for i in range(50) if i not in (3, 11, 30)]
    predicted = [CLASSES[outputs[i].argmax()] if i in kept else None for i in range(50)]
    expected = restated.label_metrics(true, predicted) | restated.output_metrics(
        [true[i] for i in kept], [predicted[i] for i in kept], outputs[kept]
    )
    assert list(differences(expected, dict(card.metrics), 1e-12)) == []
    assert card.more["n_missing"] == 3
    assert (card.cases[3]["outputs"], card.cases[3]["truth_score"], card.cases[3]["correct"]) == (
        None,
        None,
        False,
    )


def test_one_class_only_leaves_undefined_what_is_undefined():
    card = score_outputs(["MEL"] * 5, np.eye(11)[[7] * 5])
    written = card.as_dict()
    assert written["metrics"]["macro_auc"] is None
    assert written["metrics"]["macro_average_precision"] is None
    assert written["metrics"]["malignant_specificity"] is None
    assert written["per_class"]["MEL"]["specificity"] is None
    assert written["per_class"]["NV"]["recall"] is None
    assert written["per_class"]["NV"]["precision"] is None
    assert written["metrics"]["accuracy"] == 1.0


def test_cases_say_what_was_known_and_what_the_model_receives():
    rows = [
        ["a.jpg", "MEL", "42", "Arm", "m"],
        ["b.jpg", "NV", "7.5", "9", "x"],
        ["c.jpg", "BKL", "", "7", "F"],
    ]
    cases = CHALLENGE.read_truth(table(TRUTH_HEADER, *rows))
    outputs = [[name, *["0"] * 7, "0.75", "0.25", "0", "0"] for name in ("c", "b", "a")]
    card = CHALLENGE.score(
        cases, CHALLENGE.read_predictions(table(("case", *CLASSES), *outputs), cases), resamples=0
    )
    shown = (
        *("case", "truth", "predicted", "correct", "truth_risk", "predicted_risk", "age", "gender"),
        *("location", "encoded", "truth_score"),
    )
    assert [tuple(case[name] for name in shown) for case in card.as_dict()["cases"]] == [
        ("a.jpg", "MEL", "MEL", True, "malignant", "malignant", 42, "male", "arm", [42, 1, 1], 0.75),
        ("b.jpg", "NV", "MEL", False, "benign", "malignant", 7.5, None, None, [7.5, -1, -1], 0.25),
        ("c.jpg", "BKL", "MEL", False, "medium", "malignant", None, "female", "torso", [0, 0, 7], 0.0),
    ]
    assert card.cases[0]["outputs"] == [0] * 7 + [0.75, 0.25, 0, 0]


def test_slices_restated():
    ages = ["-1", "0", "29", "29.9", "30", "49", "50", "69", "70", "130", "", "x"]
    bands = [
        *("unknown", "0-29", "0-29", "0-29", "30-49", "30-49", "50-69", "50-69", "70+", "70+", "unknown"),
        "unknown",
    ]
    labels, guesses = ["MEL", "NV", "BCC"] * 4, ["MEL", "NV", "NV", "NV"] * 3
    cases = CHALLENGE.read_truth(
        table(
            TRUTH_HEADER,
            *(
                [f"c{i}", label, age, "Leg", "f"]
                for i, (label, age) in enumerate(zip(labels, ages, strict=True))
            ),
        )
    )
    found = CHALLENGE.read_predictions(
        table(("case", "pred"), *([f"c{i}", guess] for i, guess in enumerate(guesses))), cases
    )
    slices = CHALLENGE.score(cases, found, resamples=0).more["slices"]
    expected = {}
    for band in sorted(set(bands)):
        members = [(y, p) for y, p, b in zip(labels, guesses, bands, strict=True) if b == band]
        ill = [p in RISKS["malignant"] for y, p in members if y in RISKS["malignant"]]
        expected[band] = {
            "n": len(members),
            "n_malignant": len(ill),
            "accuracy": sum(y == p for y, p in members) / len(members),
            "malignant_sensitivity": restated.mean(ill),
        }
    assert slices["age"] == expected
    assert {column: list(groups) for column, groups in slices.items() if column != "age"} == {
        "gender": ["female"],
        "location": ["leg"],
    }
