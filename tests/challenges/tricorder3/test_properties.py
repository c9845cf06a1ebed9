"""What must not change a score, whatever the tables look like; and that nothing but a refusal ever comes out
of a bad one."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from tests.support.archives import archive_of
from tests.support.findings import codes, outcome
from tests.support.lesion_tables import CLASSES, TRUTH_HEADER, prediction_rows, predictions, text, truth
from tests.support.soak import FACTOR, few_examples
from tests.support.subsets import differences

CHALLENGE = scoring.load_challenge("tricorder3")
WORTH_COMPARING = (
    *("score", "metrics", "per_class", "confusion_matrix", "risk_matrix", "points", "n_cases", "n_missing"),
    "intervals",
)
CASES = st.lists(
    st.tuples(
        st.sampled_from(CLASSES),
        st.lists(st.integers(0, 20), min_size=11, max_size=11),
        st.integers(0, 99),
        st.sampled_from(["Arm", "leg", "7", ""]),
        st.sampled_from(["m", "Female", ""]),
    ),
    min_size=2,
    max_size=12,
)


def names(n: int) -> list[str]:
    return [f"images/Case {i}.jpg" for i in range(n)]


def rows(cases) -> tuple[list[list[str]], list[list[str]]]:
    """Rows of the truth and of the predictions; outputs in twentieths, so with ties."""
    ids = names(len(cases))
    return (
        [
            [name, label, str(age), place, gender]
            for name, (label, _, age, place, gender) in zip(ids, cases, strict=True)
        ],
        [
            [name, *(repr(value / 20) for value in outputs)]
            for name, (_, outputs, *_) in zip(ids, cases, strict=True)
        ],
    )


def scored(truth_source, predictions_source, resamples: int = 2) -> dict:
    cases = CHALLENGE.read_truth(truth_source)
    card = CHALLENGE.score(cases, CHALLENGE.read_predictions(predictions_source, cases), resamples=resamples)
    assert 0 <= card.score <= card.more["best_possible_score"] <= 1
    return {key: value for key, value in card.as_dict().items() if key in WORTH_COMPARING}


def plainly(cases, resamples: int = 2) -> dict:
    true, predicted = rows(cases)
    return scored(
        text([TRUTH_HEADER, *true]).encode(), text([("filename", *CLASSES), *predicted]).encode(), resamples
    )


def same(one: dict, two: dict) -> None:
    assert list(differences(one, two, 1e-12)) == []


@few_examples
@given(
    cases=CASES,
    delimiter=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    wrapping=st.sampled_from(["bytes", "folder", "zip", "wrapped zip"]),
)
def test_delimiter_line_end_encoding_and_wrapping_change_nothing(cases, delimiter, end, encoding, wrapping):
    def wrapped(name: str, content: bytes):
        return {
            "bytes": lambda: content,
            "folder": lambda: {name: content},
            "zip": lambda: archive_of({name: content}),
            "wrapped zip": lambda: archive_of({f"a folder/{name}": content, "__MACOSX/a folder/._x": b""}),
        }[wrapping]()

    true, predicted = (
        text([header, *body], delimiter, end).encode(encoding)
        for header, body in zip((TRUTH_HEADER, ("filename", *CLASSES)), rows(cases), strict=True)
    )
    assert scored(wrapped("labels.csv", true), wrapped("predictions.csv", predicted)) == plainly(cases)


@few_examples
@given(cases=CASES, data=st.data())
def test_the_order_of_rows_and_columns_changes_nothing(cases, data):
    true, predicted = rows(cases)
    columns = data.draw(st.permutations(range(12)))
    body = data.draw(st.permutations(predicted))
    shuffled = text([[row[k] for k in columns] for row in (["filename", *CLASSES], *body)]).encode()
    assert scored(text([TRUTH_HEADER, *true]).encode(), shuffled) == plainly(cases)
    # Units are numbered in truth order, so that another order of the truth draws other replicates.
    same(
        scored(text([TRUTH_HEADER, *data.draw(st.permutations(true))]).encode(), shuffled, 0),
        plainly(cases, 0),
    )


@few_examples
@given(cases=CASES, scale=st.sampled_from([2.0, 0.5, 8.0]), shift=st.sampled_from([0.0, 1.0, -4.0]))
def test_a_rising_change_of_all_outputs_changes_no_rank(cases, scale, shift):
    true, predicted = rows(cases)
    moved = [[name, *(repr(scale * float(value) + shift) for value in values)] for name, *values in predicted]
    found, before = (
        scored(text([TRUTH_HEADER, *true]).encode(), text([("case", *CLASSES), *moved]).encode()),
        plainly(cases),
    )
    assert (found["score"], found["confusion_matrix"]) == (before["score"], before["confusion_matrix"])
    assert {c: entry["auc"] for c, entry in found["per_class"].items()} == {
        c: entry["auc"] for c, entry in before["per_class"].items()
    }


@few_examples
@given(cases=CASES, data=st.data())
def test_classes_of_a_risk_group_can_change_places(cases, data):
    # Ties go by class number, so that rows get one clear maximum first.
    cases = [
        (label, [*outputs[:k], 50, *outputs[k + 1 :]], *rest)
        for (label, outputs, *rest), k in zip(
            cases,
            data.draw(st.lists(st.integers(0, 10), min_size=len(cases), max_size=len(cases))),
            strict=True,
        )
    ]
    one, two = data.draw(
        st.sampled_from([("BCC", "MEL"), ("MAL_OTH", "SCCKA"), ("AKIEC", "VASC"), ("NV", "BEN_OTH")])
    )
    swap = {one: two, two: one}
    true, predicted = rows(cases)
    swapped = [[name, swap.get(label, label), *rest] for name, label, *rest in true]
    header = ["filename", *(swap.get(c, c) for c in CLASSES)]
    found, before = (
        scored(text([TRUTH_HEADER, *swapped]).encode(), text([header, *predicted]).encode()),
        plainly(cases),
    )
    assert abs(found["score"] - before["score"]) < 1e-12
    entries = {swap.get(c, c): entry for c, entry in found["per_class"].items()}
    same({c: entries[c]["f1"] for c in CLASSES}, {c: before["per_class"][c]["f1"] for c in CLASSES})


@pytest.mark.slow
def test_damaged_tables_are_refused_or_scored_but_nothing_else():
    dice, good = random.Random(0), (truth(), predictions())
    pieces = [
        *(b",", b";", b"\t", b'"', b"\n", b"\r", b"\0", b"\xff", b"nan", b"inf", b"1e999", b"-", b"NV"),
        *(b"c2.jpg", b"\xef\xbb\xbf", b"0", b"12", b" "),
    ]
    outcomes = set()
    for _ in range(150 if FACTOR == 1 else 400 * FACTOR):
        damaged = []
        for data in good:
            for _ in range(dice.randint(0, 2)):
                at = dice.randrange(len(data) + 1)
                data = data[:at] + dice.choice(pieces) + data[at + dice.randint(0, 3) :]
            damaged.append(data)
        card, problems = outcome(scored, *damaged)
        assert card or problems
        assert all(p.level == "error" and p.where and p.message for p in problems)
        outcomes.update(codes(problems) or ["scored"])
    assert {"scored", "unreadable-file", "row-length", "missing-column", "missing-case"} <= outcomes


def test_what_predict_writes_is_read_to_the_last_bit():
    cases = CHALLENGE.read_truth(truth())
    thirds = [[name, *(repr(float(value) / 3) for value in row)] for name, *row in prediction_rows()]
    found = CHALLENGE.read_predictions(text([("filename", *CLASSES), *thirds]).encode(), cases)
    written = CHALLENGE.prediction_table(cases, found)
    assert written.splitlines()[0] == "filename," + ",".join(CLASSES)
    assert [line.split(",")[0] for line in written.splitlines()[1:]] == list(cases.ids)
    assert CHALLENGE.read_predictions(written.encode(), cases).outputs.tolist() == found.outputs.tolist()
