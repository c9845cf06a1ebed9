"""Whether a score is the official one: what the official program gives for the same files, and why that is
another number."""

import json

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.common.fixes import InputChanges
from scoring.core.scorecard import Official
from scoring.inputs.sources import FixedSource, open_source
from scoring.presentation.html import html
from scoring.presentation.html.scorecard import views_of
from tests.challenges.hecktor2026 import four
from tests.support import category_tables, lesion_tables, nuclei, patients, risk_tables
from tests.support.command_line import run
from tests.support.workbooks import sheet, workbook

CENTERS = ((15, 15), (60, 60), (120, 120))


def card(challenge_id: str, truth, predictions, *, truth_options=None, **options) -> scoring.ScoreCard:
    challenge = scoring.load_challenge(challenge_id)
    read = challenge.read_truth(truth, **truth_options or {})
    needed = challenge.needed("predictions", options)
    return challenge.score(
        read, challenge.read_predictions(predictions, read, **needed), **{"resamples": 0, **options}
    )


def official(found: scoring.ScoreCard) -> dict:
    """What scorecard.json says of it."""
    said = json.loads(found.to_json())["official"]
    assert said.pop("badge") == found.official.badge()
    return said


def same(found: scoring.ScoreCard) -> dict:
    return {"same": True, "score": found.score, "reason": None}


# TRICORDER-3


def lesions(predictions: bytes = lesion_tables.predictions(), **options) -> scoring.ScoreCard:
    return card("tricorder3", lesion_tables.truth(), predictions, **{"model_size_mib": 10.0, **options})


def test_a_whole_submission_of_known_size_is_official():
    found = lesions()
    assert official(found) == same(found)
    assert found.incomplete == ""


def test_a_missing_prediction_makes_the_official_score_0():
    fewer = lesion_tables.predictions(lesion_tables.IDS[:4], lesion_tables.LABELS[:4])
    found = lesions(fewer, missing="wrong")
    assert found.score > 0
    assert official(found) == {
        "same": False,
        "score": 0.0,
        "reason": "2 of 6 predictions missing, counted as wrong: the validator gives 0 if a prediction is "
        "missing.",
    }
    assert found.incomplete == "2 of 6 predictions missing, counted as wrong"


def test_counting_missing_ones_as_wrong_changes_nothing_where_none_is():
    found = lesions(missing="wrong")
    assert official(found) == same(found)


def test_the_official_score_of_an_unknown_size_is_unknown():
    found = lesions(model_size_mib=None)
    assert official(found) == {
        "same": False,
        "score": None,
        "reason": "The size of the model is unknown: this is the score if the model has 50 MiB or less.",
    }


def test_a_number_that_is_none_is_the_largest_value_there():
    odd = lesion_tables.predictions().replace(b"0.9", b"nan", 1)
    assert official(lesions(odd, missing="wrong")) == {
        "same": False,
        "score": None,
        "reason": "1 of 6 predictions missing, counted as wrong: the validator reads a value that is not a "
        "number as the largest value.",
    }


@pytest.mark.parametrize(
    ("written", "gives", "words"),
    [
        (b"Image", 0.0, "would give every model 0"),
        (b"Diagnosis", None, "would cancel the run"),
    ],
)
def test_a_test_set_that_the_loader_does_not_take(written, gives, words):
    header = {b"Image": b"NewFileName", b"Diagnosis": b"Class"}[written]
    found = card(
        "tricorder3",
        lesion_tables.truth().replace(header, written),
        lesion_tables.predictions(),
        model_size_mib=1.0,
    )
    assert (found.official.same, found.official.score) == (False, gives)
    assert words in found.official.reason


@pytest.mark.parametrize(
    "pictures",
    [
        dict.fromkeys(lesion_tables.IDS[1:], b"picture"),
        {name: b"picture" * (name != lesion_tables.IDS[0]) for name in lesion_tables.IDS},
        {f"pictures/{name}": b"picture" for name in lesion_tables.IDS},
    ],
    ids=["missing", "empty", "in another folder"],
)
def test_an_image_that_the_loader_does_not_find_makes_every_score_0(pictures):
    found = card(
        "tricorder3",
        {"labels.csv": lesion_tables.truth(), **pictures},
        lesion_tables.predictions(),
        model_size_mib=1.0,
    )
    assert found.score > 0
    assert (found.official.same, found.official.score) == (False, 0.0)


def test_a_mended_test_set_is_read_as_given_there():
    challenge = scoring.load_challenge("tricorder3")
    given = lesion_tables.truth().replace(b"Class", b"Kind")
    cases = challenge.read_truth(FixedSource(given, InputChanges(columns=(("Kind", "Class"),))))
    found = challenge.score(
        cases, challenge.read_predictions(lesion_tables.predictions(), cases), model_size_mib=1.0, resamples=0
    )
    assert (found.official.same, found.official.score) == (False, None)
    assert "as given" in found.official.reason


# Melanoma


def test_melanoma_is_official_where_every_case_has_a_score():
    found = risk_tables.card(risk_tables.TRUTH, risk_tables.SCORES)
    assert official(found) == same(found)


def test_a_missing_melanoma_score_makes_the_official_one_0():
    found = risk_tables.card(risk_tables.TRUTH, (*risk_tables.SCORES[:-1], None))
    assert found.score > 0
    assert (found.official.same, found.official.score) == (False, 0.0)
    assert found.incomplete == "1 of 8 predictions missing, counted as wrong"


def test_positives_spelled_otherwise_are_negatives_there():
    truth = risk_tables.truth_table(risk_tables.TRUTH).replace(b"True", b"yes")
    found = card("melanoma", truth, risk_tables.score_table(risk_tables.SCORES))
    assert (found.official.same, found.official.score) == (False, None)
    assert "not written True" in found.official.reason


def test_an_undefined_score_is_undefined_there_too():
    found = risk_tables.card((True, True), (0.9, 0.1))
    assert official(found) == {"same": True, "score": None, "reason": None}


# ISIC


def categories(names: tuple[str, ...], **options) -> scoring.ScoreCard:
    ids = tuple(f"ISIC_{i:03d}" for i in range(2 * len(names)))
    labels = (*names, *names)
    called = (labels[1], *labels[1:])
    truth = category_tables.truth(ids, labels, names)
    return card("isic", truth, category_tables.predictions(ids, called, names), **options)


MILK10K = ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC")
OF_2018 = ("MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC")


def test_isic_is_official_by_the_metric_of_its_year():
    for found in (
        categories(OF_2018),
        categories(MILK10K, metric="dice"),
        categories(("A", "B"), metric="ap"),
    ):
        assert official(found) == same(found)


@pytest.mark.parametrize(
    ("names", "metric", "goal"),
    [(MILK10K, None, "macro_f1"), (OF_2018, "auc", "balanced_accuracy")],
)
def test_another_metric_than_that_of_the_year_is_not_official(names, metric, goal):
    found = categories(names, metric=metric)
    assert (found.official.same, found.official.score) == (False, found.metrics[goal])
    assert "is ranked by" in found.official.reason


def test_the_malignant_grouping_changes_no_official_score():
    found = categories(OF_2018, malignant="NV")
    assert official(found) == same(found)


def test_the_page_rule_of_milk10k_is_not_that_of_its_scorer():
    names, half = MILK10K, ("0.5", *["0.0"] * 10)
    ids = tuple(f"L{i}" for i in range(11))
    truth = category_tables.truth(ids, names, names).replace(b"image", b"lesion_id")
    rows = [[case, *np.roll(half, k)] for k, case in enumerate(ids)]
    odd = lesion_tables.table(("lesion_id", *names), *rows)
    found = card("isic", truth, odd, metric="dice", rules="milk10k-page")
    strict = card("isic", truth, odd, metric="dice")
    assert (found.score, found.official.same, found.official.score) == (1.0, False, 0.0)
    assert official(strict) == same(strict)


def test_files_that_the_official_scorer_refuses_have_no_official_score():
    odd = category_tables.predictions().replace(b",", b";")
    found = card("isic", category_tables.truth(), odd)
    assert (found.score, found.official.same, found.official.score) == (1.0, False, None)
    assert "refuses the files" in found.official.reason


def test_the_official_scorer_stops_where_a_category_has_no_case():
    labels = tuple("MEL" if label == "NV" else label for label in category_tables.LABELS)
    found = card("isic", category_tables.truth(labels=labels), category_tables.predictions(labels=labels))
    assert (found.official.same, found.official.score) == (False, None)
    assert "no case of NV" in found.official.reason


def test_weights_of_an_unsorted_truth_are_applied_to_other_rows_there():
    rows = category_tables.truth_rows()[::-1]
    weights = ["3", "1", "1", "2", "1", "1"]
    truth = lesion_tables.table(
        ("image", *category_tables.CATEGORIES, "score_weight"),
        *([*row, weight] for row, weight in zip(rows, weights, strict=True)),
    )
    called = ("NV", "NV", "BCC", "NV", "MEL", "MEL")
    found = card("isic", truth, category_tables.predictions(labels=called))
    (printed,) = (f.message for f in found.findings if f.code == "weights-out-of-order")
    assert not found.official.same
    assert f"prints {found.official.score!r} " in printed


# PUMA


def tiles(name: str = "nuclei_tumor", count: int = 2, **more) -> dict[str, bytes]:
    return {
        f"t{i}.json": nuclei.squares([(x + 40 * i, y) for x, y in CENTERS], name) for i in range(count)
    } | more


def test_the_evaluators_rule_is_official():
    found = card("puma", tiles(), tiles(), rules="grand-challenge")
    assert official(found) == same(found)
    assert found.incomplete == ""


@pytest.mark.parametrize("rules", ["description", "pooled"])
def test_other_rules_than_the_evaluators_are_not_official(rules):
    rare = tiles() | {"t9.json": nuclei.squares(CENTERS, "nuclei_stroma")}
    found = card("puma", rare, rare, rules=rules)
    assert found.score != found.metrics["macro_f1_grand_challenge"]
    assert (found.official.same, found.official.score) == (False, found.metrics["macro_f1_grand_challenge"])


def test_a_missing_tile_stops_the_evaluator_and_is_said_beside_the_score():
    found = card("puma", tiles(count=8), tiles(count=1), rules="grand-challenge")
    assert found.incomplete == "7 of 8 tiles missing, counted as empty"
    assert (found.official.same, found.official.score) == (False, None)


def test_names_that_the_evaluator_does_not_know_find_nothing_there():
    found = card("puma", tiles(), tiles("tumor"), rules="grand-challenge")
    assert (found.score, found.official.score) == (1.0, 0.0)
    mixed = card(
        "puma", tiles(), tiles(**{"t1.json": nuclei.squares(CENTERS, "tumor")}), rules="grand-challenge"
    )
    assert (mixed.official.same, mixed.official.score) == (False, None)


def ultralytics(item: dict) -> bytes:
    """A bare list of boxes in the form of `Results.to_json`."""
    (left, top), (right, bottom) = item["path_points"][0], item["path_points"][2]
    box = {"x1": left, "y1": top, "x2": right, "y2": bottom}
    return json.dumps([{"name": item["name"], "class": 0, "confidence": 1.0, "box": box}]).encode()


FOREIGN = {
    "centroids": nuclei.nuclei(nuclei.nucleus("nuclei_tumor")),
    "QuPath": nuclei.features(nuclei.feature()),
    "Ultralytics": ultralytics(nuclei.polygon("nuclei_tumor")),
}


@pytest.mark.parametrize("form", FOREIGN)
def test_forms_that_the_evaluator_does_not_read_are_official_once_they_are_converted(form):
    challenge = scoring.load_challenge("puma")
    truth = challenge.read_truth({"a.json": nuclei.squares([(15, 15)], "nuclei_tumor")})
    sent = {"a.json": FOREIGN[form]}
    read = challenge.read_predictions(sent, truth)
    found = challenge.score(truth, read, resamples=0, rules="grand-challenge")
    assert found.official.badge() == "official after 1 change: download the changed file"
    name, data = challenge.changed_file(truth, read, sent, "sent.zip")
    assert name == "sent-changed.zip"
    again = challenge.score(
        truth, challenge.read_predictions(data, truth, name), resamples=0, rules="grand-challenge"
    )
    assert (again.score, again.official.badge()) == (found.score, "official for this file as it is")


def test_no_official_zero_is_told_of_a_form_that_the_evaluator_does_not_read():
    rare = {
        "a.json": nuclei.squares(CENTERS, "nuclei_tumor"),
        "b.json": nuclei.squares(CENTERS, "nuclei_stroma"),
    }
    sent = {
        "a.json": nuclei.nuclei(*(nuclei.nucleus("nuclei_tumor", at) for at in CENTERS)),
        "b.json": nuclei.nuclei(nuclei.nucleus("nuclei_stroma", CENTERS[0])),
    }
    found = card("puma", rare, sent, rules="description")
    converted = found.metrics["macro_f1_grand_challenge"]
    assert found.score != converted
    assert (found.official.same, found.official.score) == (False, converted)
    assert found.official.badge() == f"not the official score, which is {converted} after conversion"
    says = (
        "The official program does not read files in this format. After conversion, the official "
        f"score is {converted}. "
    )
    assert found.official.words("").startswith(says)
    assert official(found)["converted"]
    assert "official, converted" in str(views_of(found).headline.status)


@pytest.mark.parametrize("side", ["truth", "submission"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.replace(b'"name"', b'"class"', 1), "polygons without the key"),
        (lambda data: b"\xef\xbb\xbf" + data, "byte order mark"),
    ],
)
def test_the_evaluator_stops_at_polygons_without_a_name_and_at_a_byte_order_mark(side, change, words):
    files = {"truth": tiles(), "submission": tiles()}
    files[side]["t0.json"] = change(files[side]["t0.json"])
    found = card("puma", files["truth"], files["submission"], rules="grand-challenge")
    assert (found.score, found.official.same, found.official.score) == (1.0, False, None)
    assert words in found.official.reason


def test_names_are_compared_as_written_on_both_sides():
    plain = card("puma", tiles("tumor"), tiles("tumor"), rules="grand-challenge")
    assert official(plain) == same(plain)
    other = card("puma", tiles("tumor"), tiles(), rules="grand-challenge")
    assert (other.score, other.official.same, other.official.score) == (1.0, False, 0.0)


def test_the_evaluator_stops_at_a_prediction_for_a_case_that_the_truth_lacks():
    found = card("puma", tiles(count=1), tiles(count=2), rules="grand-challenge")
    assert (found.score, found.official.same, found.official.score) == (1.0, False, None)


@pytest.mark.parametrize(
    ("shift", "changed"), [(8, {"radius": 3.0}), (25, {"radius": 29.0}), (8, {"min_confidence": 0.6})]
)
def test_another_radius_or_smallest_confidence_is_not_official(shift, changed):
    moved = [(x + shift, y) for x, y in nuclei.SQUARE]
    truth = {"a.json": nuclei.polygons(nuclei.polygon("nuclei_tumor"))}
    sent = {"a.json": nuclei.polygons(nuclei.polygon("nuclei_tumor", moved, score=0.5))}
    usual = card("puma", truth, sent, rules="grand-challenge")
    found = card("puma", truth, sent, rules="grand-challenge", **changed)
    assert official(usual) == same(usual)
    assert found.score != usual.score
    assert (found.official.same, found.official.score) == (False, usual.score)


# HECKTOR 2026


def test_hecktor_is_official_by_the_published_rules():
    found = patients.card(four.TRUTH, four.SUBMISSION)
    assert official(found) == same(found)
    assert (
        found.incomplete == "1 of 2 N stages missing or unusable, counted as wrong; "
        "1 of 4 risk scores missing or unusable, their pairs counted as lost"
    )


@pytest.mark.parametrize(
    "changed",
    [{"empty_masks": "zero"}, {"missing_risk": "half"}, {"t0": "exclude"}],
)
def test_another_reading_is_not_official(changed):
    usual, found = (patients.card(four.TRUTH, four.SUBMISSION, **options) for options in ({}, changed))
    assert found.score != usual.score
    assert (found.official.same, found.official.score) == (False, usual.score)
    assert "The rules differ from the published rules" in found.official.reason


# Everywhere alike


def test_equal_numbers_are_the_same_whatever_the_reason():
    assert Official.compare(0.5, 0.5, "A reason.") == Official(True, 0.5)
    assert Official.compare(float("nan"), 0.5, "A reason.") == Official(False, 0.5, "A reason.")
    assert Official.compare(0.5, None, "One.", "Two.") == Official(False, None, "One. Two.")


def test_report_and_terminal_say_what_the_json_says(tmp_path):
    fewer = lesion_tables.predictions(lesion_tables.IDS[:4], lesion_tables.LABELS[:4])
    for name, content in (("truth.csv", lesion_tables.truth()), ("p.csv", fewer)):
        (tmp_path / name).write_bytes(content)
    given = "score", "tricorder3", "--truth", tmp_path / "truth.csv", "--predictions", tmp_path / "p.csv"
    options = "--missing", "wrong", "--model-size-mib", 1, "--resamples", 0
    shown = run(*given, *options).out
    found = run(*given, *options, "--json", "-", "--html", tmp_path / "r.html").json
    page = (tmp_path / "r.html").read_text()
    assert f"Not the official score, which is 0.0. {found['official']['reason']}" in shown
    assert f"Not the official score, which is 0.00. {found['official']['reason']}" in page
    assert "not the official score, which is 0.00</title>" in page
    badge = found["official"]["badge"]
    assert badge == "not the official score, which is 0.0"
    assert f"\n{badge.capitalize()}.\n" in shown
    assert f"Incomplete: {found['incomplete']}." in shown
    assert "Incomplete: 2 of 6 predictions missing, counted as wrong." in page
    assert "equal to the official number in every digit" not in page


def given_wrongly(challenge_id: str):
    """Truth and right predictions of a challenge, and the same predictions in a file that needs a change,
    with that change."""
    sample = next(iter(samples.test_sets(challenge_id).values()))
    team = next(team for team in sample.submissions.values() if not team.is_model).path
    challenge = scoring.load_challenge(challenge_id)
    truth = challenge.read_truth(sample.path)
    if team.suffix == ".zip":
        files = open_source(team)
        folder = {member: files.read(member) for member in files.members}
        wrong = {f"mine_{name}" if not name.endswith(".csv") else name: folder[name] for name in folder}
        return challenge, truth, folder, FixedSource(wrong, InputChanges(cases=(("mine_*", "*"),)))
    first, _, rest = team.read_bytes().partition(b"\n")
    head = first.decode().strip().split(",")
    wrong = ",".join([head[0], *(f"prob_{name}" for name in head[1:])]).encode() + b"\n" + rest
    fixed = FixedSource(wrong, InputChanges(columns=(("prob_*", "*"),)))
    return challenge, truth, first + b"\n" + rest, fixed


@pytest.mark.parametrize("challenge_id", ["tricorder3", "melanoma", "isic", "puma", "hecktor2026"])
def test_the_changed_file_is_official_as_it_is(challenge_id):
    challenge, truth, right, wrong = given_wrongly(challenge_id)
    needed = {"tricorder3": {"model_size_mib": 10.0}, "puma": {"rules": "grand-challenge"}}
    options = needed.get(challenge_id, {})

    def scored(source, name):
        read = challenge.read_predictions(source, truth, name)
        return read, challenge.score(truth, read, resamples=0, **options)

    _, meant = scored(right, "p.csv")
    read, mended = scored(wrong, "p.csv")
    assert mended.official.badge().endswith("after 1 change: download the changed file")
    name, data = challenge.changed_file(truth, read, wrong, "p.csv")
    _, again = scored(data, name)
    assert again.score == meant.score == mended.score
    assert again.official == meant.official
    as_it_is = "by our interpretation; no official program is public"
    assert again.official.badge() == (
        as_it_is if challenge_id == "hecktor2026" else "official for this file as it is"
    )


def test_a_workbook_is_official_after_it_was_saved_as_a_table():
    challenge, truth, right, _ = given_wrongly("melanoma")
    rows = [line.split(",") for line in right.decode().split()]
    written = workbook({"p": sheet([rows[0], *([case, float(score)] for case, score in rows[1:])])})
    read = challenge.read_predictions(written, truth, "p.xlsx")
    card = challenge.score(truth, read, resamples=0)
    assert card.official.badge() == "official after 1 change: download the changed file"
    assert card.provenance["mended"] == [{"one_table": True}]
    name, data = challenge.changed_file(truth, read, written, "p.xlsx")
    assert name == "p-changed.csv"
    assert challenge.score(truth, challenge.read_predictions(data, truth, name), resamples=0).official.same


def test_report_and_terminal_name_an_official_score():
    found = lesions()
    page = html(found)
    assert "Official score, as the validator computes it." in page
    assert "equal to the official number in every digit" in page
    assert "not the official" not in page
