"""Score tables of melanoma: which column is read, words and numbers, missing cases, and everything that is
refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.melanoma.tables import SCORE_COLUMNS
from scoring.common.fixes import RAW, renaming
from scoring.inputs.sources import FixedSource
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import table
from tests.support.risk_tables import CHALLENGE, SCORES, TRUTH, card, names, score_table, truth_table

CASES = CHALLENGE.read_truth(truth_table(TRUTH), name="t.csv")
NAMES = names(len(TRUTH))
KNOWN = SCORE_COLUMNS


def read(data: bytes | FixedSource, **options):
    return CHALLENGE.read_predictions(data, CASES, name="p.csv", **options)


def as_they_are(data: bytes) -> FixedSource:
    """A table whose numbers may look like percent and are none."""
    return FixedSource(data, RAW.changes)


def with_columns(**columns) -> bytes:
    """A table with the ids and more columns, by name."""
    return table(("image", *columns), *zip(NAMES, *columns.values(), strict=True))


def with_cell(cell: str, row: int = 1, delimiter: str = ",") -> bytes:
    cells = [repr(s) for s in SCORES]
    cells[row] = cell
    return table(("image", "score"), *zip(NAMES, cells, strict=True), delimiter=delimiter)


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("mark", [".", ","])
def test_a_column_of_thousands_or_decimals_is_refused_with_both_readings(delimiter, mark):
    def read_cells(first: str, second: str):
        cells = [first, second, *["7"] * (len(NAMES) - 2)]
        return read(table(("image", "score"), *zip(NAMES, cells, strict=True), delimiter=delimiter))

    problem = only(refused(read_cells, f"4{mark}001", "-834").problems, "ambiguous-number")
    assert "4.001 or 4001" in problem.message
    for first, second in (("4.001", "0.5"), ("0.001", "5"), ("4.001", "7.00")):
        assert read_cells(first, second).outputs[:2, 0].tolist() == [float(first), float(second)]


def scored(found, **options):
    return CHALLENGE.score(CASES, found, resamples=0, **options)


@pytest.mark.parametrize("header", ["score", "anything at all", "Risk %", "10", "notes", "benignity"])
def test_the_only_column_is_the_score_whatever_its_name(header):
    found = read(table(("image", header), *zip(NAMES, SCORES, strict=True)))
    assert (found.outputs[:, 0].tolist(), found.findings, found.faults) == (list(SCORES), (), ())


@pytest.mark.parametrize(
    "header",
    ["benign", "prob_benign", "Nevus", "p_non_mel", "not_melanoma", "melanoma-free", "0", "negative"],
)
def test_an_only_column_of_the_other_class_is_asked_about_with_both_scores(header):
    data = table(("image", header), *zip(NAMES, (1 - score for score in SCORES), strict=True))
    problem = only(refused(read, data).problems, "column-suspect")
    assert f"column {header!r}" in problem.message
    as_other, as_risk = problem.fixes  # the higher score stands first
    assert as_other.label.endswith(f"score {100 * scored(read(score_table(SCORES))).score:.2f}")
    assert read(FixedSource(data, as_risk.changes)).outputs[:, 0] == pytest.approx([1 - s for s in SCORES])
    assert read(FixedSource(data, as_other.changes)).outputs[:, 0] == pytest.approx(SCORES)


@pytest.mark.parametrize("calls", [("benign", "malignant"), ("nevus", "melanoma"), ("0", "1")])
@pytest.mark.parametrize("header", ["score", "probability"])
def test_scores_of_the_class_that_is_called_are_asked_about(calls, header):
    called = [calls[score > 0.5] for score in SCORES]
    top = [max(score, 1 - score) for score in SCORES]
    call = "pred" if calls == ("0", "1") else "label"
    data = table(("image", call, header), *zip(NAMES, called, top, strict=True))
    of_called, as_risk = only(refused(read, data).problems, "column-suspect").fixes
    found = read(FixedSource(data, of_called.changes))
    assert found.outputs[:, 0] == pytest.approx(SCORES)
    assert of_called.label.endswith(f"score {100 * scored(found).score:.2f}")
    assert read(FixedSource(data, as_risk.changes)).outputs[:, 0] == pytest.approx(top)
    renamed = renaming("column", (("of model", "score"),)).changes
    foreign = FixedSource(data.replace(header.encode(), b"of model", 1), renamed)
    again, _ = only(refused(read, foreign).problems, "column-suspect").fixes
    found = read(FixedSource(foreign.source, renamed.joined(again.changes)))
    assert found.outputs[:, 0] == pytest.approx(SCORES)
    agreeing = table(("image", call, header), *zip(NAMES, called, SCORES, strict=True))
    assert "column-suspect" not in codes(read(agreeing).findings)


@pytest.mark.parametrize("header", ["true", "target", "melanoma"])
@pytest.mark.parametrize("beside", ["confidence", "logit", "percent"])
def test_scores_beside_a_truth_of_a_known_name_are_asked_about(header, beside):
    ways = {
        "confidence": lambda score: score,
        "logit": lambda score: 9.5 * score - 4,
        "percent": lambda s: 99.9 * s,
    }
    values = [*map(ways[beside], SCORES)]
    truth = [int(index < 2) for index, _ in enumerate(NAMES)]
    data = table(("image", header, beside), *zip(NAMES, truth, values, strict=True))
    as_score, *_, as_decisions = only(refused(read, data).problems, "column-suspect").fixes
    assert read(FixedSource(data, as_score.changes)).outputs[:, 0] == pytest.approx(
        [value / 100 for value in values] if beside == "percent" else values
    )
    assert read(FixedSource(data, as_decisions.changes)).outputs[:, 0].tolist() == truth


def test_calls_beside_a_truth_are_asked_about():
    calls, truth = ["melanoma", "nevus"] * 2, [1, 0, 0, 1]
    data = table(("image", "target", "called"), *zip(NAMES[:4], truth, calls, strict=True))
    as_called, _ = only(refused(read, data).problems, "column-suspect").fixes
    found = read(FixedSource(data, as_called.changes))
    assert found.outputs[:4, 0].tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("header", ["y_true", "target", "label"])
def test_an_only_column_of_another_name_is_the_score_with_a_warning(header):
    found = read(table(("image", header), *zip(NAMES, SCORES, strict=True)))
    assert found.outputs[:, 0].tolist() == list(SCORES)
    assert (
        f"column {header!r} was read as the risk of melanoma"
        in only(found.findings, "column-suspect").message
    )


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([float(y) for y in TRUTH * 3], ["equal-to-truth"]),
        ([1 - float(y) for y in TRUTH * 3], ["direction-suspect"]),
        ([*([0.25, 0.75] * 12)], []),
        ([float(y) for y in TRUTH * 2], []),
    ],
)
def test_scores_that_are_the_truth_or_its_opposite_are_told(scores, said):
    found = card([TRUTH[i % len(TRUTH)] for i in range(len(scores))], scores, resamples=50).findings
    assert [f.code for f in found if f.code in ("equal-to-truth", "direction-suspect")] == said


@pytest.mark.parametrize("header", KNOWN)
def test_of_several_columns_a_known_name_is_taken(header):
    found = read(with_columns(**{"negative": [0.99] * len(NAMES), header.upper(): SCORES}))
    assert found.outputs[:, 0].tolist() == list(SCORES)
    finding = only(found.findings, "several-score-columns")
    assert finding.level == "warning"
    assert repr(header.upper()) in finding.message
    assert "'negative'" in finding.message


@pytest.mark.parametrize("first", range(len(KNOWN) - 1))
def test_among_known_names_the_first_of_the_list_wins(first):
    found = read(with_columns(**{KNOWN[first + 1]: [0.99] * len(NAMES), KNOWN[first]: SCORES}))
    assert found.outputs[:, 0].tolist() == list(SCORES)


def test_columns_without_a_known_name_are_refused():
    assert codes(refused(read, with_columns(left=SCORES, right=SCORES)).problems) == ["missing-column"]
    assert codes(refused(read, table(("image",), *([name] for name in NAMES))).problems) == ["missing-column"]


@pytest.mark.parametrize(
    ("words", "value"),
    [(("True", "malignant", "MEL", "yes"), 1.0), (("False", "benign", "NV", "non-melanoma"), 0.0)],
)
def test_labels_in_words_are_scores(words, value):
    for word in words:
        assert read(with_cell(word)).outputs[1, 0] == value


def test_inf_is_a_diagnosis_among_words_and_no_score_among_numbers():
    assert read(with_columns(called=["MEL", "INF", *["NV"] * 6])).outputs[:2, 0].tolist() == [1, 0]
    assert codes(refused(scored, read(with_cell("INF"))).problems) == ["not-finite"]


def test_labels_only_are_noted():
    found = read(with_columns(called=["True", "False", "1", "0", "yes", "no", "1.0", "0.0"]))
    assert found.outputs[:, 0].tolist() == [1, 0] * 4
    assert only(found.findings, "labels-only").level == "note"
    assert found.labels_only


def test_a_decimal_comma_is_read_where_the_delimiter_is_none():
    assert read(with_cell("0,25", delimiter=";")).outputs[1, 0] == 0.25
    assert codes(refused(read, with_cell("0,25")).problems) == ["not-a-number"]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("", "missing-value"),
        ("nan", "missing-value"),
        ("inf", "not-finite"),
        ("-inf", "not-finite"),
        ("1e999", "not-finite"),
    ],
)
def test_a_case_without_a_finite_score_is_refused_or_wrong(cell, code):
    refusal = refused(scored, read(with_cell(cell)))
    assert [(p.level, p.code) for p in refusal.problems] == [("error", code)]
    card = scored(read(with_cell(cell)), missing="wrong")
    assert only(card.findings, code).level == "warning"
    assert card.more["n_missing"] == 1
    assert card.cases[1]["predicted"] is None


@pytest.mark.parametrize("cell", ["high", "0.5.5", "50%", "0x1p-1", "1_0"])
def test_other_words_are_refused_always(cell):
    for missing in ("refuse", "wrong"):
        assert codes(refused(read, with_cell(cell), missing=missing).problems) == ["not-a-number"]


def test_missing_rows_are_one_problem_each_and_say_what_the_official_code_does():
    found = read(score_table([None, *SCORES[1:-1], None]))
    problems = refused(scored, found).problems
    assert places(problems) == [("missing-case", NAMES[0]), ("missing-case", NAMES[-1])]
    assert "score 0" in problems[0].message
    card = scored(found, missing="wrong")
    assert [f.code for f in card.findings if f.level == "warning"] == ["missing-case", "missing-case"]


def test_logits_are_told():
    found = read(score_table([4 * s - 2 for s in SCORES]))
    assert only(found.findings, "logits").level == "warning"
    assert scored(found).metrics["brier_score"] is None


@pytest.mark.parametrize(
    ("header", "factor", "words", "edit"),
    [
        ("score", 100, "look like percent", ("divide", "100")),
        ("score", 255, "look like probabilities as whole numbers up to 255", ("divide", "255")),
        ("logit", 9, "look like logits", ("sigmoid", "yes")),
    ],
)
def test_another_scale_than_that_of_probabilities_is_asked_about(header, factor, words, edit):
    numbers = [round(factor * score - (4 if header == "logit" else 0)) for score in SCORES]
    data = table(("image", header), *zip(NAMES, numbers, strict=True))
    asked = only(refused(read, data).problems, "column-suspect")
    as_meant, raw = asked.fixes
    assert (words in asked.message, as_meant.changes.edits) == (True, (edit,))
    assert scored(read(FixedSource(data, as_meant.changes))).official.changes == 1
    taken = read(FixedSource(data, raw.changes))
    assert taken.outputs[:, 0].tolist() == numbers
    assert scored(taken).official.badge() == "official for this file as it is"


@pytest.mark.parametrize("beyond", [-1e-6, 1 + 1e-6])
def test_a_millionth_beyond_is_no_logit(beyond):
    assert read(with_cell(repr(beyond))).findings == ()


@given(st.permutations(range(len(TRUTH))))
def test_the_order_of_rows_changes_nothing(order):
    told = table(("image", "score"), *([NAMES[i], repr(SCORES[i])] for i in order))
    assert np.array_equal(read(told).outputs, read(score_table(SCORES)).outputs)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=len(TRUTH), max_size=len(TRUTH)))
def test_what_predict_would_write_is_read_to_the_last_bit(scores):
    found = read(as_they_are(score_table(scores)))
    written = CHALLENGE.prediction_table(CASES, found)
    assert written.splitlines()[0] == "filename,score"
    assert read(as_they_are(written.encode())).outputs[:, 0].tolist() == scores


@given(st.floats(0.01, 100), st.floats(-50, 50))
def test_a_rising_change_of_all_scores_changes_no_rank(scale, shift):
    before, after = (
        scored(read(as_they_are(score_table(values)))).metrics
        for values in (SCORES, [scale * s + shift for s in SCORES])
    )
    for name in (
        "auc",
        "average_precision",
        "sensitivity_at_90_specificity",
        "specificity_at_90_sensitivity",
    ):
        assert math.isclose(before[name], after[name], abs_tol=1e-12)


def test_scores_of_the_other_class_are_told_without_intervals_and_with_the_reading_that_turns_them():
    # Keras counts classes in alphabetical order: melanoma 0, nevus 1, so its one output is that of a nevus.
    sure = [0.9 - i / 100 if y else 0.1 + i / 100 for i, y in enumerate(TRUTH)]
    of_nevus = table(("filename", "prediction"), *zip(NAMES, [1 - s for s in sure], strict=True))
    told = only(read(of_nevus).findings, "direction-suspect")
    (fix,) = told.fixes
    turned = scored(CHALLENGE.read_predictions(FixedSource(of_nevus, fix.changes), CASES)).score
    assert turned == scored(read(score_table(sure))).score
    assert f"score {100 * turned:.2f}" in fix.label
    assert "direction-suspect" not in codes(read(score_table(sure)).findings)


def of_weka(*columns: str, starred: bool) -> bytes:
    """Weka's list of predictions, with the distribution of both classes or the score of the called one."""
    lines = [f"inst#,actual,predicted,error,{','.join(columns)},filename"]
    for i, (name, score) in enumerate(zip(NAMES, SCORES, strict=True), 1):
        called = "2:True" if score > 0.5 else "1:False"
        marks = ("", "*") if score > 0.5 else ("*", "")
        both = f"{marks[0]}{1 - score:.4f},{marks[1]}{score}"
        lines.append(f"{i},1:?,{called},,{both if starred else f'{max(score, 1 - score):.4f}'},{name}")
    return "\n".join(lines).encode()


def test_wekas_lists_of_predictions_give_the_score_of_melanoma():
    wanted = scored(read(score_table(SCORES))).score
    assert scored(read(of_weka("distribution", "", starred=True))).score == wanted
    of_called = of_weka("prediction", starred=False)
    fixes = only(refused(read, of_called).problems, "column-suspect").fixes
    assert f"score {100 * wanted:.2f}" in fixes[0].label
    assert scored(read(FixedSource(of_called, fixes[0].changes))).score == wanted


def test_answers_of_roboflow_for_each_image_are_read():
    def answer(score: float) -> bytes:
        pairs = [("melanoma", score), ("nevus", 1 - score)]
        listed = [{"class": kind, "class_id": k, "confidence": s} for k, (kind, s) in enumerate(pairs)]
        return json.dumps({"time": 0.1, "predictions": listed, "top": "nevus"}).encode()

    cases = zip(NAMES, SCORES, strict=True)
    files = {f"{name.rpartition('/')[2].rpartition('.')[0] or name}.json": answer(s) for name, s in cases}
    assert read(files).outputs[:, 0].tolist() == list(SCORES)


def test_the_mean_of_folds_is_offered_first_though_a_fold_scores_better():
    folds = {f"fold_{k}": SCORES for k in range(5)}
    data = with_columns(**folds, mean=SCORES[::-1])
    fixes = only(refused(read, data).problems, "missing-column").fixes
    assert fixes[0].changes.columns == (("mean", "score"),)
    assert len(fixes) == 4
