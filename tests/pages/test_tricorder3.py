"""The page as its visitors use it. What it shows is compared with what the command line says of the same
files."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from scoring.challenges import samples
from scoring.common import text
from tests.inference import builders
from tests.support import lesion_tables, visits
from tests.support.command_line import ROOT, run
from tests.support.payloads import PAYLOADS
from tests.support.thinned import crossed, some
from tests.support.visits import archive, finished, mend, words

SAMPLE = samples.test_sets("tricorder3")["sample"]
TEAMS = {key: s for key, s in SAMPLE.submissions.items() if not s.is_model}
GOLDEN = ROOT / "tests" / "golden" / "tricorder3"
TABS = {
    "Points": "Where were the points lost?",
    "Risk": "Which cancers were called benign?",
    "Classes": "How good is each class?",
    "Curves": "How well is each class told from the rest?",
    "Calibration": "When it says 70%, is it right 70% of the time?",
    "Subgroups": "Which patients does it serve worse?",
    "Cases": "Which pixels did it get?",
    "Preflight": "What would the validator do?",
}
"""Each tab's name and a question that it answers."""
CASES = 30
IDS = tuple(f"images/L{i:04d}.jpg" for i in range(1, CASES + 1))
LABELS = tuple(lesion_tables.CLASSES[i % 11] for i in range(CASES))


@pytest.fixture
def tricorder3(opened):
    return lambda **address: opened("tricorder3", **address)


def command_line(truth, *options: object) -> dict:
    finished = run("score", "tricorder3", "--truth", truth, *options, "--resamples", 0, "--json", "-")
    assert finished.status == 0, finished.err
    return finished.json


def put(
    app: AppTest, submission: tuple[str, bytes] | None = None, test_set: tuple[str, bytes] | None = None
) -> AppTest:
    return visits.put("tricorder3", app, submission, test_set)


def given(path: Path) -> tuple[str, bytes]:
    return path.name, path.read_bytes()


def assert_shows(app: AppTest, card: dict) -> None:
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == f"{100 * card['score']:.2f}"
    visits.assert_exact(app, f"**{card['score']!r}**")


def predictions(count: int = CASES) -> bytes:
    return lesion_tables.predictions(IDS[:count], LABELS[:count])


@pytest.mark.parametrize("team", TEAMS)
def test_a_sample_team_has_the_score_of_the_command_line(tricorder3, team):
    chosen = TEAMS[team]
    card = command_line(
        SAMPLE.path, "--predictions", chosen.path, "--model-size-mib", chosen.options.get("model_size_mib")
    )
    assert_shows(tricorder3(submission=team), card)


def test_it_opens_on_the_first_sample(tricorder3):
    app, (first, *_) = tricorder3(), SAMPLE.submissions
    assert app.selectbox(key="tricorder3_set").value == "sample"
    assert app.selectbox(key="tricorder3_submission").value == first
    assert [tab.label for tab in app.tabs] == [*TABS, "History"]


@pytest.mark.parametrize(
    "address",
    some(
        [
            {"submission": "nobody"},
            {"set": "../../etc"},
            {"tab": "Nowhere"},
            {"case": "none.jpg", "tab": "Cases"},
            {"cells": "<b>", "tab": "Classes"},
            {"gallery": "9999", "tab": "Risk"},
        ],
        3,
    ),
)
def test_an_address_that_was_tampered_with_opens_the_sample(tricorder3, address):
    app = tricorder3(**address)
    assert not app.exception
    assert len(app.metric) == 1


@pytest.mark.parametrize(("team", "tab"), crossed(["aurora", "cygnus"], list(TABS), 2))
def test_every_tab_answers_probabilities_and_logits(tricorder3, tab, team):
    app = tricorder3(submission=team, tab=tab)
    assert not app.exception
    questions = {heading.value for heading in app.header} & {
        text.markdown(question) for question in TABS.values()
    }
    assert questions == ({text.markdown(TABS[tab])} if (team, tab) != ("cygnus", "Calibration") else set())


def test_the_case_and_the_tab_of_an_address_are_shown(tricorder3):
    app = tricorder3(submission="delphi", tab="Cases", case="images/L0042.jpg")
    assert app.selectbox(key="case").value == "images/L0042.jpg"
    assert app.selectbox(key="tricorder3_submission").value == "delphi"


OWN = ["01-public-a", "04-all-nv-labels", "06-ties-sigmoids", "07-loose-tables"]


@pytest.mark.parametrize(("name", "tab"), crossed(OWN, list(TABS), 4))
def test_every_tab_answers_own_tables_without_images(tricorder3, name, tab):
    case, files = json.loads((GOLDEN / name / "case.json").read_text(encoding="utf-8")), GOLDEN / name
    app = put(tricorder3(tab=tab), given(files / "predictions.csv"), given(files / "truth.csv"))
    assert not app.exception
    visits.assert_exact(app, f"**{case['expect']['score']!r}**")


def test_an_own_test_set_asks_for_its_submission(tricorder3):
    app = put(tricorder3(), test_set=("truth.csv", lesion_tables.truth(IDS, LABELS)))
    assert not app.exception
    assert not app.metric
    assert f"{CASES} cases were read" in words(app)


def test_zips_are_read(tricorder3, tmp_path):
    truth, told = (
        archive(**{"labels.csv": lesion_tables.truth(IDS, LABELS)}),
        archive(**{"answers.csv": predictions()}),
    )
    (tmp_path / "truth.zip").write_bytes(truth)
    (tmp_path / "told.zip").write_bytes(told)
    card = command_line(tmp_path / "truth.zip", "--predictions", tmp_path / "told.zip")
    assert_shows(put(tricorder3(), ("told.zip", told), ("truth.zip", truth)), card)


def test_several_files_are_a_test_set(tricorder3):
    app, dataset = tricorder3(), GOLDEN / "10-onnx-160" / "dataset"
    uploader = app.file_uploader(key="tricorder3_set_files")
    for path in sorted(dataset.rglob("*")):
        if path.is_file():
            uploader.upload(path.name, path.read_bytes())
    app.run()
    assert not app.exception
    assert "8 cases were read" in words(app)
    assert "8 images" in words(app)


def test_a_model_on_an_own_test_set(tricorder3):
    folder = GOLDEN / "10-onnx-160"
    card = command_line(folder / "dataset", "--model", folder / "model.onnx")
    paths = [path for path in (folder / "dataset").rglob("*") if path.is_file()]
    files = {path.relative_to(folder / "dataset").as_posix(): path.read_bytes() for path in paths}
    app = put(tricorder3(tab="Preflight"), given(folder / "model.onnx"), ("test_set.zip", archive(**files)))
    assert_shows(app, card)
    assert "run this model" in words(app)


def test_an_own_model_on_the_sample_can_be_cancelled_and_run_again(tricorder3):
    app = put_without_waiting(tricorder3(), ("loop.onnx", builders.endless_loop()))
    cancel = next(button for button in app.button if button.label == "Cancel")
    cancel.click().run()
    finished(app)
    assert "The run was cancelled" in words(app)
    assert not app.exception
    again = next(button for button in app.button if button.label == "Run again")
    again.click().run()
    stop = next(button for button in app.button if button.label == "Cancel")
    stop.click().run()
    finished(app)
    assert "The run was cancelled" in words(app)


def put_without_waiting(app: AppTest, submission: tuple[str, bytes]) -> AppTest:
    app.file_uploader(key="tricorder3_submission_files").upload(*submission)
    return app.run()


def test_no_other_score_is_shown_while_a_model_runs_or_after_it_was_cancelled(tricorder3):
    app = tricorder3(submission="delphi")
    assert app.metric
    put_without_waiting(app, ("loop.onnx", builders.endless_loop()))
    assert not app.metric
    next(button for button in app.button if button.label == "Cancel").click().run()
    finished(app)
    assert "The run was cancelled" in words(app)
    assert not app.metric


def test_the_size_of_an_own_file_changes_the_score_as_the_scorer_says(tricorder3, tmp_path):
    team = TEAMS["delphi"].path
    app = put(tricorder3(), (team.name, team.read_bytes()))
    assert_shows(app, command_line(SAMPLE.path, "--predictions", team))
    assert "this is its score if it has 50 MiB or less" in words(app)
    assert "▲ not official" in words(app)
    app.number_input[0].set_value(120.5).run()
    assert "✓ official" in words(app)
    assert_shows(app, command_line(SAMPLE.path, "--predictions", team, "--model-size-mib", 120.5))


def test_missing_cases_are_refused_or_count_as_wrong(tricorder3, tmp_path):
    truth, told = lesion_tables.truth(IDS, LABELS), predictions(CASES - 7)
    (tmp_path / "truth.csv").write_bytes(truth)
    (tmp_path / "told.csv").write_bytes(told)
    app = put(tricorder3(), ("told.csv", told), ("truth.csv", truth))
    assert app.error
    assert "7 problems" in app.error[0].proto.title
    app = mend(app, "Count the 7 cases without a usable prediction as wrong")
    assert_shows(
        app,
        command_line(tmp_path / "truth.csv", "--predictions", tmp_path / "told.csv", "--missing", "wrong"),
    )
    assert f"{CASES - 7} of {CASES} predictions" in words(app)
    assert "▲ official: 0.00" in words(app)
    assert f"▲ 7 of {CASES} predictions missing, counted as wrong" in words(app)
    assert "Not the official score, which is 0.00." in words(app)
    assert "the official number to the last digit" not in words(app)


@pytest.mark.parametrize("tab", some(list(TABS), 3))
def test_every_tab_answers_missing_cases(tricorder3, tab):
    files = GOLDEN / "09-missing-wrong"
    app = put(tricorder3(tab=tab), given(files / "predictions.csv"), given(files / "truth.csv"))
    app = mend(app, "without a usable prediction as wrong")
    app.number_input[0].set_value(100.0).run()
    assert_shows(app, json.loads((files / "case.json").read_text(encoding="utf-8"))["expect"])


BROKEN_MODEL = builders.classifier()[:60]
REFUSED = {
    "garbage.csv": b"\x00\x01\x02 no table",
    "empty.csv": b"",
    "few.csv": b"filename,NV\nimages/L0001.jpg,1\n",
    "cut.zip": archive(a=b"x" * 999)[:50],
    "up.zip": archive(**{"../told.csv": predictions()}),
    "broken.onnx": BROKEN_MODEL,
    "pickle.onnx": b"\x80\x04\x95cos\nsystem\n.",
    "wide.onnx": builders.classifier(width=10),
    "outside.onnx": builders.external_initializer("labels.csv"),
}


@pytest.mark.parametrize("name", some(list(REFUSED), 2))
def test_a_refused_submission_shows_every_problem_and_keeps_the_rest(tricorder3, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(REFUSED[name])
    what = "--model" if name.endswith(".onnx") else "--predictions"
    problems = run("score", "tricorder3", "--truth", SAMPLE.path, what, path, "--json", "-").json["problems"]
    app = put(tricorder3(), (name, REFUSED[name]))
    visits.assert_refused(app, problems)
    team = TEAMS["delphi"].path
    app = put(app, (team.name, team.read_bytes()))
    assert_shows(app, command_line(SAMPLE.path, "--predictions", team))


def test_a_refused_test_set_says_so_and_the_sample_is_one_click_away(tricorder3):
    app = put(
        tricorder3(), test_set=("truth.csv", b"NewFileName,Class\na.jpg,NOTHING\nb.jpg,NV\nb.jpg,MEL\n")
    )
    assert not app.exception
    assert "bad-label" in words(app)
    assert "duplicate-case" in words(app)
    app.button(key="tricorder3_set_back").click().run()
    assert not app.error
    assert app.metric


def test_back_to_sample(tricorder3):
    app = tricorder3()
    score = app.metric[0].value
    put(app, ("told.csv", TEAMS["equinox"].path.read_bytes()))
    assert app.metric[0].value != score
    app.button(key="tricorder3_submission_back").click().run()
    assert app.metric[0].value == score
    assert not [button for button in app.button if button.label == "Back to sample"]


@pytest.mark.parametrize("payload", some(PAYLOADS, 5, 2))
def test_foreign_text_is_shown_as_it_was_typed(tricorder3, payload):
    """As a file name and as the name of a case, in a refusal and in a result. The browser tests look for its
    effects."""
    case = payload.replace("\n", " ")
    truth, names = lesion_tables.truth((case, *IDS[1:]), LABELS), {"wrong": IDS, "right": (case, *IDS[1:])}
    for key, ids in names.items():
        told = (f"{key} {payload.replace('/', '_')}.csv", lesion_tables.predictions(ids, LABELS))
        app = put(tricorder3(tab="Cases"), told, ("truth.csv", truth))
        assert not app.exception
        assert len(app.metric) == (key == "right")
        said = [
            str(element.value)
            for kind in (app.markdown, app.caption, app.error, app.info)
            for element in kind
        ]
        bare = [re.sub(r"\\[!-/:-@\[-`{-~]", "", line) for line in said]
        for mark in (
            "](http",
            "://",
            "<script",
            "<img",
            "<iframe",
            "<style",
            "<a href",
            ":red[colour",
            "www.",
            "**bold**",
        ):
            assert [line for line in bare if mark in line] == []


def test_all_cases_of_one_class(tricorder3):
    for tab in TABS:
        app = put(
            tricorder3(tab=tab),
            ("told.csv", predictions()),
            ("truth.csv", lesion_tables.truth(IDS, ("NV",) * CASES)),
        )
        assert not app.exception
        assert "10 classes without a case" in words(app)
