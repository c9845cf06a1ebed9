"""Scoring: every number restated, every finding, every option."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import load_challenge
from scoring.challenges.isic.card import malignant_curve
from tests.challenges.isic import restated
from tests.support import category_tables
from tests.support.category_tables import CATEGORIES, IDS, random_pair
from tests.support.findings import codes, only, refused
from tests.support.lesion_tables import table

isic = load_challenge("isic")
NAMES = ("MEL", "NV", "BCC", "UNK")


def scored(truth: bytes, predictions: bytes, group: str | None = None, **options):
    answers = isic.read_truth(truth, "truth.csv", group=group)
    options = {"resamples": 0, **options}
    return isic.score(
        answers, isic.read_predictions(predictions, answers, "predictions.csv"), group=group, **options
    )


def files(labels, scores, weights=None, names=NAMES, ids=None) -> tuple[bytes, bytes]:
    """Truth and predictions as files; a label may be a set of categories."""
    ids = ids or [f"i{i:03d}" for i in range(len(labels))]
    sets = [label if isinstance(label, (set, frozenset)) else {label} for label in labels]
    header = ("image", *names, *(["score_weight"] if weights else []))
    truth = table(
        header,
        *(
            [i, *(int(n in s) for n in names), *([weights[j]] if weights else [])]
            for j, (i, s) in enumerate(zip(ids, sets, strict=True))
        ),
    )
    return truth, table(
        ("image", *names), *([i, *map(repr, map(float, row))] for i, row in zip(ids, scores, strict=True))
    )


@pytest.mark.parametrize("changed", [(), (1,)])
def test_predictions_that_are_the_truth_are_told(changed):
    labels = [NAMES[i % 4] for i in range(20)]
    scores = [
        [float(n == label) * (0.9 if i in changed else 1) for n in NAMES] for i, label in enumerate(labels)
    ]
    assert ("equal-to-truth" in codes(scored(*files(labels, scores)).findings)) == (not changed)


CASE = st.tuples(
    st.frozensets(st.sampled_from(NAMES), min_size=0, max_size=2),
    st.lists(st.integers(0, 6), min_size=4, max_size=4),
    st.sampled_from([0, 1, 1, 2, 0.5, 1.7]),
)


@pytest.mark.slow
@given(st.lists(CASE, min_size=3, max_size=25), st.booleans())
def test_every_number_restated(cases, inclusive):
    labels, sixths, weights = zip(
        *[({"MEL"}, [3, 1, 1, 1], 1), ({"NV"}, [1, 3, 2, 0], 1), *cases], strict=True
    )
    outputs = np.array(sixths) / 6
    card = scored(*files(labels, outputs, list(weights)), rules="milk10k-page" if inclusive else "official")
    positives = np.array([[name in label for name in NAMES] for label in labels])
    metrics, rows = restated.metrics(
        NAMES, ("MEL", "BCC"), positives, outputs, np.array(weights, float), inclusive
    )
    for name, row in rows.items():
        assert {measure: card.per_class[name][measure] for measure in row} == pytest.approx(row, abs=1e-12)
    assert {name: card.metrics[name] for name in metrics} == pytest.approx(metrics, abs=1e-12)
    assert card.score == card.metrics["balanced_accuracy"]
    json.loads(card.to_json())


@pytest.mark.parametrize(
    ("metric", "name", "measure"),
    [
        (None, "balanced_accuracy", "recall"),
        ("balanced_accuracy", "balanced_accuracy", "recall"),
        ("auc", "macro_auc", "auc"),
        ("ap", "macro_average_precision", "average_precision"),
        ("dice", "macro_f1", "f1"),
    ],
)
def test_the_metric_that_ranks(metric, name, measure):
    pair = random_pair(3, weights=True)
    card, usual = scored(*pair, metric=metric), scored(*pair)
    assert card.score == card.metrics[name]
    assert {k: v for k, v in card.metrics.items() if k != "validation_score"} == {
        k: v for k, v in usual.metrics.items() if k != "validation_score"
    }
    for row in card.per_class.values():
        assert row["score_worth"] == 1 / 4
        assert row["score_lost"] == pytest.approx((1 - row[measure]) / 4)
    assert sum(row["score_lost"] for row in card.per_class.values()) == pytest.approx(1 - card.score)
    heavy = isic.read_truth(pair[0]).weights.validation
    validation = table(
        ("image", "C0", "C1", "C2", "C3", "score_weight"),
        *(
            [*line.split(",")[:5], w]
            for line, w in zip(pair[0].decode().splitlines()[1:], heavy, strict=True)
        ),
    )
    assert card.metrics["validation_score"] == pytest.approx(
        scored(validation, pair[1], metric=metric).score, abs=1e-12
    )


def test_labels_are_decided_by_the_largest_score_and_sums_of_tenths_tie():
    card = scored(
        *files(
            ["MEL", "NV", "BCC", "NV"],
            [[0.1, 0.0, 0.2, 0], [0.3, 0, 0, 0], [0.4, 0.4, 0.2, 0], [0.1, 0.7, 0.1, 0]],
        )
    )
    assert [case["predicted"] for case in card.cases] == ["BCC", "MEL", "undecided", "NV"]
    assert card.metrics["malignant_auc"] == pytest.approx((0.5 + 1 + 1 + 1) / 4)  # 0.1 + 0.2 ties with 0.3
    assert card.confusion_matrix["labels"] == [*NAMES, "undecided"]
    assert card.confusion_matrix["counts"][2][4] == 1


def test_confusion_counts_cases_of_weight_and_knows_undecided_only_where_there_is_one():
    card = scored(
        *files(["MEL", "NV", "BCC"], [[0.9, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 0.9, 0, 0]], [1, 0, 0.25])
    )
    assert card.confusion_matrix == {
        "labels": list(NAMES),
        "counts": [[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
    }
    assert (card.more["n_scored"], card.n_cases) == (2, 3)


def test_undecided_truth_takes_part_one_vs_rest_only():
    card = scored(
        *files(
            [{"MEL"}, {"NV"}, set(), {"MEL", "NV"}],
            [[0.9, 0, 0, 0], [0, 0.9, 0, 0], [0.9, 0, 0, 0], [0.9, 0.8, 0, 0]],
        )
    )
    assert (card.score, card.metrics["accuracy"]) == (1, 1)
    assert card.per_class["MEL"]["support"] == 2
    assert card.per_class["MEL"]["ppv"] == 2 / 3
    assert [(case["truth"], case["correct"], case["truth_score"]) for case in card.cases][2:] == [
        ("undecided", None, None)
    ] * 2
    assert only(card.findings, "undecided-truth").message.startswith("2 rows have")


def test_the_excluded_image_weighs_nothing_whatever_the_file_says():
    ids = ["ISIC_0035068", "ISIC_1", "ISIC_2"]
    card = scored(*files(["NV", "MEL", "NV"], [[0.9, 0, 0, 0]] * 2 + [[0, 0.9, 0, 0]], [5, 1, 1], ids=ids))
    assert (card.score, card.more["n_scored"], card.cases[0]["weight"]) == (1, 2, 0)
    found = only(card.findings, "excluded-image")
    assert (found.level, found.where) == ("note", "ISIC_0035068")


def test_absent_categories_are_left_out_and_named():
    card = scored(*files(["MEL", "NV"], [[0.9, 0.1, 0, 0], [0, 0, 0, 0.9]]))
    assert [f.where for f in card.findings if f.code == "absent-class"] == ["BCC", "UNK"]
    nothing = {name for name, value in card.per_class["UNK"].items() if value is None}
    assert nothing == {
        *("recall", "sensitivity", "auc", "auc_sens_80", "average_precision", "f1", "ppv", "score_worth"),
        "score_lost",
    }
    assert card.score == 0.5
    assert card.per_class["MEL"]["score_worth"] == 0.5


def test_nothing_but_one_category():
    card = scored(*files(["NV", "NV"], [[0.9, 0.1, 0, 0], [0, 0.8, 0, 0]]))
    assert [f.where for f in card.findings if f.code == "no-negatives"] == ["NV"]
    assert {name for name, value in card.per_class["NV"].items() if value is None} == {
        "specificity",
        "npv",
        "auc",
        "auc_sens_80",
    }
    assert only(card.findings, "malignant-undefined").where == "malignant_auc"
    assert card.metrics["malignant_auc"] is None


def test_unknown_is_left_out_unless_it_is_named():
    pair = files(
        ["MEL", "NV", "UNK", "UNK"], [[0.9, 0, 0, 0], [0.1, 0.9, 0, 0], [0.95, 0, 0, 0], [0.8, 0, 0, 0.1]]
    )
    card = scored(*pair)
    assert card.metrics["malignant_auc"] == 1
    found = only(card.findings, "unknown-left-out")
    assert (found.level, found.where, "2 cases of UNK" in found.message) == ("note", "UNK", True)
    named = scored(*pair, malignant="UNK,MEL")
    assert named.more["malignant"] == ["MEL", "UNK"]
    assert named.metrics["malignant_auc"] == 1
    assert "unknown-left-out" not in codes(named.findings)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"), ("2018", ["MEL", "BCC", "AKIEC"])),
        (
            ("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC", "UNK"),
            ("2019", ["MEL", "BCC", "AK", "SCC"]),
        ),
        (("SCC", "NV", "BCC", "AK", "BKL", "DF", "VASC", "MEL"), ("2019", ["SCC", "BCC", "AK", "MEL"])),
        (
            ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC"),
            ("milk10k", ["AKIEC", "BCC", "MAL_OTH", "MEL", "SCCKA"]),
        ),
        (("A", "B"), (None, [])),
    ],
)
def test_presets_and_their_malignant_categories(names, expected):
    labels = [names[i % len(names)] for i in range(2 * len(names))]
    card = scored(*files(labels, np.eye(len(names))[[names.index(label) for label in labels]], names=names))
    assert (card.more["preset"], card.more["malignant"]) == expected
    assert ("milk10k-ranked-by-dice" in codes(card.findings)) == (expected[0] == "milk10k")
    assert card.provenance["options"] == {
        "metric": "balanced_accuracy",
        "malignant": expected[1],
        "rules": "official",
        "group": None,
        "interval": "auto",
        "metadata_sha256": None,
    }


def test_weights_belong_to_their_rows():
    truth, predictions = random_pair(5, cases=40, weights=True, shuffled=True)
    header, *lines = truth.splitlines()
    by_id = b"\n".join([header, *sorted(lines)]) + b"\n"
    card, in_order = scored(truth, predictions), scored(by_id, predictions)
    assert dict(card.metrics) == pytest.approx(dict(in_order.metrics), abs=1e-12)
    assert "weights-out-of-order" in codes(card.findings)
    assert "weights-out-of-order" not in codes(in_order.findings)
    assert "weights-out-of-order" not in codes(scored(*random_pair(5, cases=40, shuffled=True)).findings)


def test_no_validation_weight():
    truth, predictions = files(["MEL", "NV"], [[0.9, 0, 0, 0], [0, 0.9, 0, 0]])
    lines = truth.decode().splitlines()
    none = "\n".join([lines[0] + ",validation_weight", *(line + ",0" for line in lines[1:]), ""]).encode()
    card = scored(none, predictions)
    assert card.metrics["validation_score"] is None
    assert only(card.findings, "no-validation-weight").where == "validation_score"
    assert scored(truth, predictions).metrics["validation_score"] == 1


def test_columns_that_changed_places():
    labels = ["MEL", "NV", "BCC"] * 6
    swapped = [np.eye(4)[{"MEL": 1, "NV": 0, "BCC": 2}[label]] for label in labels]
    found = only(scored(*files(labels, swapped)).findings, "columns-may-be-swapped")
    assert (found.level, found.where) == ("warning", "predictions.csv")
    assert "MEL seems to stand in column NV, NV seems to stand in column MEL" in found.message
    assert "BCC seems" not in found.message
    slightly = [
        np.eye(4)[{"MEL": 1, "NV": 0, "BCC": 2}[label] if i < 6 else NAMES.index(label)]
        for i, label in enumerate(labels)
    ]
    assert "columns-may-be-swapped" not in codes(scored(*files(labels, slightly)).findings)


def test_calibration_where_rows_sum_to_one():
    card = scored(
        *files(
            ["MEL", "NV", "BCC", "MEL"],
            [[0.8, 0.1, 0.05, 0.05], [0.75, 0.15, 0.05, 0.05], [0.1, 0.1, 0.8, 0], [0.35, 0.3, 0.25, 0.1]],
        )
    )
    bins = card.more["calibration"]["bins"]
    assert [b["n"] for b in bins] == [0, 0, 0, 1, 0, 0, 0, 3, 0, 0]
    assert bins[7] == pytest.approx({"n": 3, "mean_score": (0.8 + 0.75 + 0.8) / 3, "accuracy": 2 / 3})
    assert bins[0] == {"n": 0, "mean_score": None, "accuracy": None}
    assert card.more["calibration"]["expected_calibration_error"] == pytest.approx(
        0.75 * abs(2 / 3 - 2.35 / 3) + 0.25 * 0.65
    )
    assert (
        "calibration" not in scored(*files(["MEL", "NV"], [[0.8, 0.1, 0, 0], [0.75, 0.15, 0.05, 0.05]])).more
    )


def test_scores_of_exactly_a_half_are_counted():
    pair = files(["MEL", "NV"], [[0.5, 0.1, 0.4, 0], [0.25, 0.5, 0.25, 0]])
    official, page = scored(*pair), scored(*pair, rules="milk10k-page")
    assert official.more["scores_at_half"] == 2
    assert (official.metrics["macro_f1"], page.metrics["macro_f1"]) == (0, 1)


@pytest.mark.parametrize("named", ["MEL,XYZ", ["xyz"]])
def test_malignant_categories_that_the_truth_lacks(named):
    files = category_tables.truth(), category_tables.predictions()
    assert only(refused(scored, *files, malignant=named).problems, "bad-option").where == "--malignant"


def test_no_malignant_category_named():
    card = scored(category_tables.truth(), category_tables.predictions(), malignant="")
    assert card.metrics["malignant_auc"] is None
    assert "--malignant" in only(card.findings, "malignant-undefined").message


def with_column(name: str, cells) -> bytes:
    lines = category_tables.truth().decode().splitlines()
    return "\n".join(
        [f"{lines[0]},{name}", *(f"{line},{cell}" for line, cell in zip(lines[1:], cells, strict=True)), ""]
    ).encode()


@pytest.mark.parametrize(
    ("column", "group", "unit", "n_units"),
    [
        ("patient_id", None, "patient_id", 3),
        ("Patient_ID", None, "patient_id", 3),
        ("lesion_id", None, "lesion_id", 3),
        ("hospital", "Hospital", "hospital", 3),
        ("patient_id", "none", "case", 6),
    ],
)
def test_unit_columns(column, group, unit, n_units):
    card = scored(
        with_column(column, ("p1", "p1", "p2", "p3", "p2", "p1")),
        category_tables.predictions(),
        group=group,
        resamples=50,
    )
    assert (card.provenance["unit"], card.provenance["n_units"]) == (unit, n_units)
    found = only(card.findings, "unit-column")
    assert (found.level, found.where) == ("note", "truth.csv")
    assert list(card.per_class) == list(CATEGORIES)


def test_a_lesion_id_that_is_the_row_is_no_unit():
    truth, predictions = (
        data.replace(b"image", b"lesion_id")
        for data in (category_tables.truth(), category_tables.predictions())
    )
    card = scored(truth, predictions, resamples=50)
    assert (card.provenance["unit"], card.provenance["n_units"]) == ("case", 6)


METADATA = table(
    ("isic_id", "age_approx", "sex", "anatom_site_general", "patient_id", "lesion_id"),
    *zip(
        reversed(IDS),
        ("70", "45", "", "29.0", "30", "-1"),
        ("male", "F", "", "female", "male", "m"),
        ("torso", "torso", "lower extremity", "", "torso", "head/neck"),
        ("p", "p", "q", "q", "r", ""),
        IDS,
        strict=True,
    ),
)


def test_slices_and_unit_from_the_archive_s_own_metadata():
    card = scored(
        category_tables.truth(),
        category_tables.predictions(labels=("MEL", "NV", "BCC", "NV", "NV", "NV")),
        metadata=METADATA,
        resamples=50,
    )
    assert (card.provenance["unit"], card.provenance["n_units"]) == ("patient_id", 4)
    slices = card.more["slices"]
    assert {column: list(groups) for column, groups in slices.items()} == {
        "age": ["0-29", "30-49", "70+", "unknown"],
        "sex": ["female", "male", "unknown"],
        "site": ["head/neck", "lower extremity", "torso", "unknown"],
    }
    torso = slices["site"]["torso"]
    assert (torso["n"], torso["accuracy"], torso["malignant_sensitivity"], torso["n_malignant"]) == (
        3,
        1 / 3,
        0,
        2,
    )
    assert "accuracy_interval" in torso
    assert "slices" not in scored(category_tables.truth(), category_tables.predictions()).more


def test_slices_leave_out_what_weighs_nothing():
    truth = with_column("score_weight", (0, 1, 2, 1, 1, 1))
    card = scored(
        truth, category_tables.predictions(labels=("NV", "NV", "NV", "NV", "MEL", "BCC")), metadata=METADATA
    )
    assert {name: group["n"] for name, group in card.more["slices"]["age"].items()} == {
        "0-29": 1,
        "30-49": 2,
        "70+": 1,
        "unknown": 1,
    }
    male = card.more["slices"]["sex"]["male"]  # ISIC_2 is right, ISIC_6 is; ISIC_1 weighs nothing
    assert (male["n"], male["accuracy"], male["n_malignant"], male["malignant_sensitivity"]) == (2, 1, 1, 1)


def test_a_lesion_s_metadata_may_have_a_row_per_image():
    truth, predictions = (
        data.replace(b"image", b"lesion_id")
        for data in (category_tables.truth(), category_tables.predictions())
    )
    rows = table(
        ("lesion_id", "isic_id", "sex"), *((name, f"{name}-{i}", "male") for name in IDS for i in range(2))
    )
    assert scored(truth, predictions, metadata=rows).more["slices"]["sex"]["male"]["n"] == 6


def test_curves_are_for_drawing_only_and_read_only():
    card = scored(*random_pair(1, cases=120))
    k, positives = 1, card.arrays["positives"][:, 1]
    x, y = card.arrays["roc_x"][k], card.arrays["roc_y"][k]
    drawn = ~np.isnan(x)
    assert np.trapezoid(y[drawn], x[drawn]) == pytest.approx(card.per_class["C1"]["auc"])
    for i in np.flatnonzero(drawn)[1::9]:
        called = card.arrays["outputs"][:, k] >= card.arrays["roc_threshold"][k, i]
        assert (called & positives).sum() / positives.sum() >= y[i]
    assert all(not array.flags.writeable for array in card.arrays.values())
    assert all(name not in card.to_json() for name in ("roc_x", "malignant_x"))


def test_another_grouping_moves_the_malignant_curve_only():
    card = scored(
        *files([NAMES[i % 3] for i in range(30)], np.random.default_rng(0).dirichlet(np.ones(4), 30))
    )
    other = malignant_curve(card, ["NV"])
    assert other["auc"] == pytest.approx(
        scored(*files([NAMES[i % 3] for i in range(30)], card.arrays["outputs"]), malignant="NV").metrics[
            "malignant_auc"
        ]
    )
    assert (other["x"][-1], other["y"][-1]) == (1, 1)
    assert malignant_curve(card, [])["auc"] is None


def test_what_the_official_scorer_says_of_a_file_that_was_read():
    card = scored(category_tables.truth(), category_tables.predictions())
    assert card.more["official_check"] == {"accepted": True, "message": None}
    odd = category_tables.predictions().replace(b"ISIC_2,", b"ISIC_2.png,").replace(b",", b";")
    assert scored(category_tables.truth(), odd).more["official_check"] == {
        "accepted": False,
        "message": 'Missing column in CSV: "image" or "lesion_id".',
    }


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_order_of_rows_and_columns_changes_no_number(seed, order):
    truth, predictions = random_pair(seed, cases=25, weights=True)
    random = np.random.default_rng(order)
    header, *lines = predictions.splitlines()
    shuffled = b"\n".join([header, *(lines[i] for i in random.permutation(len(lines)))]) + b"\n"
    assert scored(truth, shuffled).metrics == scored(truth, predictions).metrics
    columns = list(zip(*(line.split(b",") for line in truth.splitlines()), strict=True))
    moved = (
        b"\n".join(
            b",".join(row)
            for row in zip(
                columns[0], *(columns[1:5][k] for k in random.permutation(4)), *columns[5:], strict=True
            )
        )
        + b"\n"
    )
    assert dict(scored(moved, predictions).metrics) == pytest.approx(
        dict(scored(truth, predictions).metrics), abs=1e-12
    )


def test_small_categories_are_named_with_intervals_only():
    assert "few-cases-in-class" not in codes(
        scored(category_tables.truth(), category_tables.predictions()).findings
    )
    card = scored(category_tables.truth(), category_tables.predictions(), resamples=20)
    few = [f.where for f in card.findings if f.code == "few-cases-in-class"]
    assert few == [*CATEGORIES, "macro_auc_sens_80"]


@pytest.mark.parametrize(("metric", "printed"), [("dice", 0.5), ("ap", 0.5)])
def test_a_category_that_moved_weights_leave_empty_counts_in_what_the_official_scorer_prints(metric, printed):
    """Its `ap` is 0 there, and its `dice` 0 with a false alarm: as isic-challenge-scoring 5.8.0 prints."""
    header = ("image", "MEL", "NV", "validation_weight")
    rows = (
        ["b", "0.0", "1.0", "0"],
        ["a", "1.0", "0.0", "1"],
        ["c", "0.0", "1.0", "1"],
        ["d", "1.0", "0.0", "0"],
    )
    scores = ["a", "0.9", "0.1"], ["b", "0.6", "0.8"], ["c", "0.2", "0.8"], ["d", "0.9", "0.1"]
    truth, predictions = table(header, *rows), table(header[:3], *scores)
    found = only(scored(truth, predictions, metric=metric).findings, "weights-out-of-order")
    assert f"(validation {printed})" in found.message


ONE, NEXT = 0.3081364575891442, 0.30813645758914426
"""Neighbouring numbers, which pandas 2 reads as one."""


@pytest.mark.parametrize(
    ("scores", "named"),
    [
        ([[ONE, NEXT], [0.1, 0.9], [0.9, 0.1]], "1 case (i000) decided differently"),
        (
            [[0.9, ONE], [0.1, NEXT], [0.9, 0.1]],
            "1 pair of cases tied or separated differently in an AUC",
        ),
        ([[0.9, ONE], [0.1, ONE], [0.9, 0.1]], None),
        ([[0.9, 0.30813645758914], [0.1, 0.30813645758915], [0.9, 0.1]], None),
    ],
)
def test_decisions_that_hang_on_the_last_digit(scores, named):
    pair = files(["NV", "NV", "MEL"], scores, names=("MEL", "NV"))
    said = [f for f in scored(*pair).findings if f.code == "official-rounding"]
    assert [(f.level, f.where) for f in said] == ([("note", "predictions.csv")] if named else [])
    assert all(named in f.message for f in said)
    assert scored(*pair).official.same == (named is None)
