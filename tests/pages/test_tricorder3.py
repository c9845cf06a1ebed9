"""The page as its visitors use it. What it shows is compared with what the command line says of the same
files."""

from functools import partial

import pytest

from scoring.challenges import samples
from tests.inference import builders
from tests.pages.page_facts import FACTS, LESION_LABELS, LESIONS
from tests.support import golden, lesion_tables, visits
from tests.support.visits import finished, open_tab, take_fix, words

SAMPLE = samples.test_sets("tricorder3")["sample"]


put = partial(visits.put, "tricorder3")
command_line = partial(golden.scored, "tricorder3")


@pytest.fixture
def tricorder3(opened):
    return lambda **address: opened("tricorder3", **address)


def test_the_case_and_the_tab_of_an_address_are_shown(tricorder3):
    app = tricorder3(submission="delphi", tab="Cases", case="images/L0042.jpg")
    assert app.selectbox(key="case").value == "images/L0042.jpg"
    assert app.selectbox(key="tricorder3_submission").value == "delphi"


def test_a_dotted_line_is_the_age_that_the_model_receives(tricorder3):
    files = golden.uploads(golden.FOLDER / "tricorder3" / "10-onnx-160")
    app = finished(put(tricorder3(tab="Cases", what_if="true"), *files))
    assert "Dotted: the age that the model receives; for an unknown age, the model receives 0." in words(app)


def test_an_own_test_set_asks_for_its_submission(tricorder3):
    app = put(tricorder3(), test_set=("truth.csv", lesion_tables.truth(LESIONS, LESION_LABELS)))
    assert not app.exception
    assert not app.metric
    assert "30 cases were read" in words(app)


def test_several_files_are_a_test_set(tricorder3):
    app, dataset = tricorder3(), golden.FOLDER / "tricorder3" / "10-onnx-160" / "dataset"
    uploader = app.file_uploader(key="tricorder3_set_files")
    for path in sorted(dataset.rglob("*")):
        if path.is_file():
            uploader.upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    assert "8 cases were read" in words(app)
    assert "8 images" in words(app)


def test_an_own_model_is_cancelled_and_run_again_and_no_other_score_is_shown_meanwhile(tricorder3):
    app = tricorder3(submission="delphi")
    assert app.metric
    app.file_uploader(key="tricorder3_submission_files").upload("loop.onnx", builders.endless_loop()).run()
    assert not app.metric
    cancel = next(button for button in app.button if button.label == "Cancel")
    cancel.click().run()
    finished(app)
    assert "The run was cancelled" in words(app)
    assert not app.metric
    assert not app.exception
    again = next(button for button in app.button if button.label == "Run again")
    again.click().run()
    stop = next(button for button in app.button if button.label == "Cancel")
    stop.click().run()
    finished(app)
    assert "The run was cancelled" in words(app)


def test_the_size_of_an_own_file_changes_the_score_as_the_scorer_says(tricorder3, tmp_path):
    team = SAMPLE.submissions["delphi"].path
    app = put(tricorder3(), (team.name, team.read_bytes()))
    visits.assert_scored(app, "tricorder3", command_line(SAMPLE.path, "--predictions", team)["score"])
    assert "this is the score if the model has 50 MiB or less" in words(app)
    assert "▲ not an official score" in words(app)
    app.number_input[0].set_value(120.5).run()
    assert "✓ official for this file as it is" in words(app)
    visits.assert_scored(
        app,
        "tricorder3",
        command_line(SAMPLE.path, "--predictions", team, "--model-size-mib", 120.5)["score"],
    )


def test_missing_cases_are_refused_or_count_as_wrong(tricorder3, tmp_path):
    truth, told = (
        lesion_tables.truth(LESIONS, LESION_LABELS),
        lesion_tables.predictions(LESIONS[:23], LESION_LABELS[:23]),
    )
    (tmp_path / "truth.csv").write_bytes(truth)
    (tmp_path / "told.csv").write_bytes(told)
    app = put(tricorder3(), ("told.csv", told), ("truth.csv", truth))
    assert app.error
    assert "7 problems" in app.error[0].proto.title
    app = take_fix(app, "Count 7 cases as wrong")
    visits.assert_scored(
        app,
        "tricorder3",
        golden.scored(
            "tricorder3", tmp_path / "truth.csv", "--predictions", tmp_path / "told.csv", "--missing", "wrong"
        )["score"],
    )
    assert "23 of 30 predictions" in words(app)
    assert "▲ not the official score, which is 0.00" in words(app)
    assert "▲ 7 of 30 predictions missing, counted as wrong" in words(app)
    assert "Not the official score, which is 0.00." in words(app)
    assert "equal to the official number in every digit" not in words(app)


def test_all_cases_of_one_class(tricorder3):
    app = put(
        tricorder3(),
        ("told.csv", lesion_tables.predictions(LESIONS, LESION_LABELS)),
        ("truth.csv", lesion_tables.truth(LESIONS, ("NV",) * 30)),
    )
    for tab in FACTS["tricorder3"].tabs:
        open_tab(app, tab)
        assert not app.exception
        assert "10 classes without a case" in words(app)


@pytest.mark.parametrize("called", ["benign", "medium"])
def test_malignant_lesions_that_were_called_less_lead_to_their_cases(tricorder3, called):
    app, card = tricorder3(submission="delphi", tab="Risk"), visits.sample_card("tricorder3", "delphi")
    risks = ("malignant", called)
    missed = {c["case"] for c in card.cases if (c["truth_risk"], c["predicted_risk"]) == risks}
    app.button(key=f"lead_malignant predicted as {called}").click().run()
    assert not app.exception
    assert f"Which cases? {len(missed)} of {card.n_cases}" in words(app)
    assert len(visits.shown_table(app, "case")) == len(missed) > 0
