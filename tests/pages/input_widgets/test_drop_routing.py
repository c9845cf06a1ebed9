"""Where dropped files go, and what is said about it."""

import io
import zipfile
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.input_widgets import dropped_files, dropped_photographs
from pages.input_widgets.drop_routing import Drop, Route, route
from pages.server import url_state
from scoring.challenges import load_challenge, samples
from scoring.challenges.recognition import Recognised
from scoring.core.file_contents import LIKELY, POSSIBLE, SURE, Candidate
from scoring.inputs import tables, workbooks
from tests.inference import builders
from tests.support.golden import FOLDER
from tests.support.thinned import some_rows
from tests.support.visits import assert_scored, words
from tests.support.workbooks import sheet, workbook

GOLDEN = FOLDER / "tricorder3" / "01-public-a"


def at_an_input():
    """The inputs of a challenge, as its page has them."""
    import streamlit as st

    from pages.input_widgets import drop_messages, selectors
    from scoring.challenges import samples

    sets = samples.test_sets("tricorder3")
    test_set, panel = selectors.test_set(sets, "tricorder3", "a table", ("png",))
    submission, _ = selectors.submission(sets[panel.sample].submissions, "tricorder3", "a table", False)
    selectors.second(sets[panel.sample].submissions, "tricorder3", False)
    drop_messages.line("tricorder3")
    st.text(f"{test_set.name} | {submission.name}")


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(at_an_input).run()


def give(app: AppTest, panel: str, *paths) -> AppTest:
    uploader = app.file_uploader(key=f"tricorder3_{panel}_files")
    for path in paths:
        uploader = uploader.upload(path.name, path.read_bytes())
    return app.run()


def test_a_file_at_its_input_stays_and_is_named(app):
    give(app, "submission", GOLDEN / "predictions.csv")
    assert app.text[0].value == "tricorder3 | predictions.csv"
    assert "predictions.csv was read as a prediction file for TRICORDER-3: 11 classes, 50 images." in words(
        app
    ).replace("**", "")


def test_a_test_set_at_another_input_replaces_none_before_the_visitor_says_so(app):
    labels, before = FOLDER / "tricorder3" / "10-onnx-160" / "dataset" / "labels.csv", app.text[0].value
    give(app, "submission", labels)
    assert app.text[0].value == before
    assert app.button(key="ask_0_1").label == "A prediction file for TRICORDER-3: labels of 8 images"
    assert "Which kind of file is labels.csv?" in words(app).replace("**", "")
    assert "This file would replace the sample test set." in words(app)
    app.button(key="ask_0_0").click().run()
    assert app.text[0].value.startswith("labels.csv | ")
    give(app, "second", GOLDEN / "truth.csv")
    assert app.text[0].value.startswith("labels.csv | ")
    assert app.button(key="ask_0_1").label.startswith("Second submission: a prediction file")
    assert "This file would replace the test set labels.csv." in words(app).replace("**", "")
    app.button(key="ask_0_0").click().run()
    assert app.text[0].value.startswith("truth.csv | ")
    assert "tricorder3_second_kept" not in app.session_state


def test_a_test_set_and_a_submission_dropped_as_submission_leave_the_test_set(app):
    give(app, "submission", GOLDEN / "predictions.csv", GOLDEN / "truth.csv")
    assert app.text[0].value == "tricorder3 | predictions.csv"
    assert "Which kind of file is truth.csv?" in words(app).replace("**", "")


def test_a_zip_of_a_test_set_at_the_submission_is_asked_about(app):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("labels.csv", (GOLDEN / "truth.csv").read_bytes())
    app.file_uploader(key="tricorder3_submission_files").upload("set.zip", data.getvalue()).run()
    assert app.text[0].value.startswith("tricorder3 | ")
    assert "Which kind of file is set.zip?" in words(app).replace("**", "")


def with_truth() -> pd.DataFrame:
    """Scores of Melanoma with decisions and the truth beside them, as a training script writes them."""
    folder = samples.FOLDER / "melanoma"
    scores = pd.read_csv(folder / "teams" / "fornax.csv")
    label, called = pd.read_csv(folder / "labels.csv").label, (scores.score > 0.5).astype(int)
    return pd.DataFrame(
        {"image": scores.filename, "label": label.astype(int), "called": called, "prob": scores.score}
    )


def test_predictions_beside_the_truth_leave_the_sample_test_set(opened):
    app = opened("melanoma")
    app.file_uploader(key="melanoma_submission_files").upload("p.csv", with_truth().to_csv().encode()).run()
    assert "melanoma_set_kept" not in app.session_state
    challenge, folder = load_challenge("melanoma"), samples.FOLDER / "melanoma"
    truth = challenge.read_truth(folder / "labels.csv")
    read = challenge.read_predictions((folder / "teams" / "fornax.csv").read_bytes(), truth)
    assert_scored(app, "melanoma", challenge.score(truth, read, resamples=0).score)


def test_predictions_beside_the_truth_leave_an_own_test_set(opened):
    app, table = opened("melanoma"), with_truth()
    own = table.assign(image="own" + table.image)
    app.file_uploader(key="melanoma_set_files").upload("own.csv", own[["image", "label"]].to_csv().encode())
    app.run()
    for data in (own, table):
        app.file_uploader(key="melanoma_submission_files").upload("p.csv", data.to_csv().encode()).run()
        assert [file.name for file in app.session_state["melanoma_set_kept"][1]] == ["own.csv"]
        assert [file.name for file in app.session_state["melanoma_submission_kept"][1]] == ["p.csv"]


def test_predictions_beside_the_truth_that_are_dropped_anywhere_are_asked_about(opened):
    app = opened("overview")
    app.file_uploader(key="any_files").upload("p.csv", with_truth().to_csv(index=False).encode()).run()
    assert "melanoma_set_kept" not in app.session_state
    assert {app.button(key=f"ask_0_{index}").label for index in (0, 1)} == {
        "A Melanoma test set: labels of 150 images",
        "A prediction file for Melanoma: a score for 150 images",
    }


def test_ones_and_zeros_at_the_submission_are_no_test_set_where_one_has_their_cases(opened):
    sample = samples.test_sets("isic")["isic2018"]
    team = next(team for team in sample.submissions.values() if not team.is_model)
    scores = pd.read_csv(team.path, index_col=0)
    calls = scores.apply(lambda row: (row == row.max()).astype(float), axis=1)
    app = opened("isic", tab="Categories")
    app.file_uploader(key="isic_submission_files").upload("calls.csv", calls.to_csv().encode()).run()
    assert "isic_set_kept" not in app.session_state
    challenge = load_challenge("isic")
    truth = challenge.read_truth(sample.path)
    read = challenge.read_predictions(calls.to_csv().encode(), truth)
    assert_scored(app, "isic", challenge.score(truth, read, resamples=0).score)


def test_a_submission_at_the_second_stays_there_and_one_of_another_challenge_is_asked_about(app):
    before, isic = app.text[0].value, FOLDER / "isic" / "isic2019-unk" / "predictions.csv"
    give(app, "second", GOLDEN / "predictions.csv")
    assert app.text[0].value == before
    assert [file.name for file in app.session_state["tricorder3_second_kept"][1]] == ["predictions.csv"]
    said = words(app).replace("**", "")
    assert "predictions.csv was read as second submission: a prediction file for TRICORDER-3" in said
    app.file_uploader(key="tricorder3_second_files").upload("isic.csv", isic.read_bytes()).run()
    assert [file.name for file in app.session_state["tricorder3_second_kept"][1]] == ["predictions.csv"]
    assert "Which kind of file is isic.csv?" in words(app).replace("**", "")


def test_two_submissions_at_the_second_are_not_mixed(app):
    teams = samples.FOLDER / "tricorder3" / "teams"
    give(app, "second", teams / "delphi.csv", teams / "aurora.csv")
    assert [file.name for file in app.session_state["tricorder3_second_kept"][1]] == ["delphi.csv"]
    assert "tricorder3_submission_kept" not in app.session_state
    assert "Which kind of file is aurora.csv?" in words(app).replace("**", "")
    assert app.button(key="ask_0_0").label.startswith("Second submission: a prediction file")


def test_two_files_at_one_input_part(app):
    give(app, "set", GOLDEN / "predictions.csv", GOLDEN / "truth.csv")
    assert app.text[0].value == "truth.csv | predictions.csv"


def test_two_submissions_at_one_input_are_compared_and_a_third_is_asked_about(app):
    teams = samples.FOLDER / "tricorder3" / "teams"
    give(app, "submission", *(teams / f"{name}.csv" for name in ("delphi", "aurora", "cygnus")))
    assert app.text[0].value == "tricorder3 | delphi.csv"
    assert [file.name for file in app.session_state["tricorder3_second_kept"][1]] == ["aurora.csv"]
    assert "Which kind of file is cygnus.csv?" in words(app).replace("**", "")


def test_a_file_of_another_challenge_is_asked_about_and_not_taken(app):
    before = app.text[0].value
    give(
        app,
        "submission",
        FOLDER / "isic" / "isic2019-unk" / "predictions.csv",
    )
    assert app.text[0].value == before
    assert "Which kind of file is predictions.csv?" in words(app).replace("**", "")
    assert "A prediction file for ISIC 2019" in app.button(key="ask_0_0").label


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("few.csv", b"filename,NV\nimages/L0001.jpg,1\n"),
        ("wide.onnx", builders.classifier(width=10)),
    ],
    ids=["a table that could hold melanoma scores", "a model that could have ISIC's own categories"],
)
def test_a_faulty_file_that_hardly_looks_like_another_challenge_stays_to_be_refused(app, name, data):
    app.file_uploader(key="tricorder3_submission_files").upload(name, data).run()
    assert app.text[0].value == f"tricorder3 | {name}"
    assert "Which kind of file is" not in words(app)


def test_a_photograph_is_for_the_page_of_single_images(app):
    photograph = samples.FOLDER / "tricorder3" / "images" / "L0001.jpg"
    before = app.text[0].value
    give(app, "submission", photograph)
    assert app.text[0].value == before
    assert "What does L0001.jpg show?" in words(app).replace("**", "")
    app.session_state[url_state.PAGE] = dropped_photographs.SINGLE_IMAGE
    give(app, "set", photograph)
    assert app.text[0].value == before
    assert [file.name for file in app.session_state[dropped_photographs.WAITING]] == ["L0001.jpg"]


def test_what_was_taken_wrongly_can_be_changed(app):
    give(app, "submission", GOLDEN / "predictions.csv")
    choice = app.selectbox(key="change_0")
    choice.select_index(choice.options.index("TRICORDER-3: test set")).run()
    assert app.text[0].value.startswith("predictions.csv | ")
    assert "tricorder3_submission_kept" not in app.session_state


@pytest.mark.parametrize(
    ("path", "page", "kept"),
    some_rows(
        [
            ("isic2018/teams/nova.csv", "isic", "isic_submission_kept"),
            ("melanoma/labels.csv", "melanoma", "melanoma_set_kept"),
            ("hecktor2026/teams/vega.zip", "hecktor2026", "hecktor2026_submission_kept"),
            ("puma/teams/sirius.zip", "puma", "puma_submission_kept"),
            ("tricorder3/models/palette.onnx", "tricorder3", "tricorder3_submission_kept"),
        ],
        2,
    ),
)
def test_the_overview_leads_to_the_page_of_a_file(opened, path, page, kept):
    app = opened("overview")
    file = samples.FOLDER / path
    app.file_uploader(key="any_files").upload(file.name, file.read_bytes()).run()
    assert [held.name for held in app.session_state[kept][1]] == [file.name]
    assert app.title[0].value == load_challenge(page).words.title
    assert f"{file.name} was read as" in words(app).replace("**", "")


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_dropped_table_is_parsed_once_on_its_way_to_the_score(opened, monkeypatch, ending):
    rows = [line.split(",") for line in (GOLDEN / "predictions.csv").read_text().splitlines()]
    data = workbook({"S": sheet(rows)}) if ending == "xlsx" else (GOLDEN / "predictions.csv").read_bytes()
    app, name, parsed = opened("tricorder3"), f"once.{ending}", Counter()
    app = give(app, "set", GOLDEN / "truth.csv")
    read_table, as_csv = tables.read_table, workbooks.as_csv
    monkeypatch.setattr(tables, "read_table", lambda *file: (parsed.update([file[1]]), read_table(*file))[1])
    monkeypatch.setattr(workbooks, "as_csv", lambda *file: (parsed.update([ending]), as_csv(*file))[1])
    app.file_uploader(key="tricorder3_submission_files").upload(name, data).run()
    assert "50 images" in words(app)
    assert not app.error
    assert parsed == ({name: 1, "xlsx": 1} if ending == "xlsx" else {name: 1})
    assert app.session_state[dropped_files.PARSED] == {}


def test_parsed_tables_are_kept_for_their_reader_up_to_a_size(app, monkeypatch):
    give(app, "submission", GOLDEN / "predictions.csv")
    assert [name for _, name in app.session_state[dropped_files.PARSED]] == ["predictions.csv"]
    monkeypatch.setattr(dropped_files, "PARSED_BYTES", 10)
    app.file_uploader(key="tricorder3_set_files").upload("t.csv", (GOLDEN / "truth.csv").read_bytes()).run()
    assert app.session_state[dropped_files.PARSED] == {}


def test_files_of_two_challenges_are_both_placed_and_the_way_to_the_other_is_shown(opened):
    app, uploader = opened("overview"), None
    for path in ("tricorder3/teams/delphi.csv", "melanoma/teams/iris.csv"):
        file = samples.FOLDER / path
        uploader = (uploader or app.file_uploader(key="any_files")).upload(file.name, file.read_bytes())
    uploader.run()
    assert app.title[0].value == load_challenge("tricorder3").words.title
    said = words(app).replace("**", "")
    assert "iris.csv was read as a prediction file for Melanoma" in said
    assert "Open Melanoma" in str([link.proto.label for link in app.get("page_link")])


def test_while_it_is_asked_what_files_are_nothing_is_refused(opened):
    app, case = opened("puma"), FOLDER / "puma" / "centroids-zip-pooled"
    uploader = app.file_uploader(key="puma_submission_files")
    uploader.upload("truth.zip", (case / "truth.zip").read_bytes()).run()
    answers = [b.label for b in app.button if b.key and b.key.startswith("ask_0")]
    assert answers == [
        "A PUMA test set: 3 files of nuclei",
        "A submission to PUMA: 3 files of nuclei",
        "None of these",
    ]
    app.button(key="ask_0_1").click().run()
    assert "This cannot be scored" in app.error[0].proto.title
    app.session_state["_asked"] = list(app.session_state["_placed"])
    app.run()
    assert not app.error
    assert "The file can be" in words(app)
    app.button(key="ask_0_none").click().run()
    assert "This cannot be scored" in app.error[0].proto.title


def test_several_submissions_to_one_challenge_are_teams_that_are_compared(opened):
    app, folder = opened("compare_teams"), samples.FOLDER / "melanoma" / "teams"
    uploader = app.file_uploader(key="tricorder3_teams_files")
    for name in ("fornax", "gemini"):
        uploader = uploader.upload(f"{name}-2.csv", (folder / f"{name}.csv").read_bytes())
    uploader.run()
    said = words(app).replace("**", "")
    assert "fornax-2.csv and 1 more were read as 2 submissions to Melanoma." in said
    assert "150 cases were read" in said
    assert not app.error
    app = opened("overview")
    uploader = app.file_uploader(key="any_files")
    for name in ("fornax", "gemini", "helios"):
        uploader = uploader.upload(f"{name}.csv", (folder / f"{name}.csv").read_bytes())
    uploader.run()
    assert app.title[0].value == "Compare teams"
    placed = [file.name for file in app.session_state["melanoma_teams_files_kept"][1]]
    assert placed == ["fornax.csv", "gemini.csv", "helios.csv"]


def test_what_fits_two_inputs_is_asked_and_what_fits_none_is_said(opened):
    app = opened("overview")
    masks = sorted((samples.FOLDER / "hecktor2026" / "masks").iterdir())[:2]
    uploader = app.file_uploader(key="any_files")
    for mask in masks:
        uploader = uploader.upload(mask.name, mask.read_bytes())
    uploader.upload("paper.pdf", b"%PDF-1.7").run()
    assert [b.label for b in app.button if b.key and b.key.startswith("ask_0")] == [
        "A submission to HECKTOR 2026: 2 masks",
        "A HECKTOR 2026 test set: 2 masks",
        "None of these",
    ]
    assert "It is a PDF" in app.info[0].value


PREDICTIONS = Candidate("isic", "submission", "predictions", SURE)
LABELS = Candidate("isic", "truth", "labels", SURE)
UNLIKELY = Candidate("puma", "truth", "nuclei", POSSIBLE)
CASES = {
    "anywhere, plain": ((PREDICTIONS,), {}, Route("place", PREDICTIONS, opens_page=True)),
    "anywhere, ambiguous": ((PREDICTIONS, LABELS), {}, Route("ask")),
    "anywhere, nothing takes it": ((), {}, Route("ask")),
    "anywhere, a photograph": ((), {"are_photographs": True}, Route("photograph")),
    "its own input": ((PREDICTIONS,), {"slot": "submission"}, Route("stay", PREDICTIONS)),
    "an input that the drop filled": (
        (PREDICTIONS,),
        {"slot": "submission", "filled": frozenset({"isic_submission_kept"})},
        Route("place", replace(PREDICTIONS, place="second", words="second submission: predictions")),
    ),
    "both inputs filled": (
        (PREDICTIONS,),
        {"slot": "submission", "filled": frozenset({"isic_submission_kept", "isic_second_kept"})},
        Route("ask"),
    ),
    "a test set at another input": ((LABELS,), {"slot": "submission"}, Route("ask")),
    "another input of the challenge": ((PREDICTIONS,), {"slot": "truth"}, Route("place", PREDICTIONS)),
    "a board": (
        (Candidate("puma", "board", "a board", SURE),),
        {"slot": "submission"},
        Route("place", Candidate("puma", "board", "a board", SURE), opens_page=True),
    ),
    "another challenge": ((replace(LABELS, challenge="puma"),), {"slot": "truth"}, Route("ask")),
    "hardly another challenge": ((UNLIKELY,), {"slot": "truth"}, Route("stay")),
    "nothing takes it": ((), {"slot": "truth"}, Route("stay")),
    "a photograph at an input": ((), {"slot": "truth", "are_photographs": True}, Route("photograph")),
    "a photograph beside own files": (
        (),
        {"slot": "truth", "are_photographs": True, "own": frozenset({"isic_set_kept"})},
        Route("stay"),
    ),
    "some table at the metadata": ((replace(LABELS, certainty=LIKELY),), {"slot": "metadata"}, Route("stay")),
}


@pytest.mark.parametrize("case", CASES)
def test_the_routing_table(case):
    readings, where, expected = CASES[case]
    challenge_id = "isic" if "slot" in where else None
    assert route(Drop(Recognised(("a.csv",), readings), challenge_id, **where)) == expected
