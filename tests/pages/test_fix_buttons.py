"""Fixes on the challenges' pages: a button fixes a file without a new upload, says so, and is undone."""

import pytest
from streamlit.testing.v1 import AppTest

import scoring
from scoring.challenges import samples
from scoring.common.text import markdown
from tests.support import visits
from tests.support.visits import take_fix, words


def team(challenge_id: str, test_set: str) -> bytes:
    chosen = samples.test_sets(challenge_id)[test_set]
    return next(one for one in chosen.submissions.values() if not one.is_model).path.read_bytes()


def labels(app) -> list[str]:
    return [button.label for button in app.button if (button.key or "").startswith("fix")]


def test_a_refused_file_is_mended_by_one_click_and_that_is_undone_by_one(opened):
    data = team("tricorder3", "sample")
    app = visits.put("tricorder3", opened("tricorder3"), ("mine.csv", data))
    score = app.metric[0].value
    header, _, rows = data.partition(b"\n")
    ids, *classes = header.split(b",")
    bad = b",".join([ids, *(b"prob_" + name for name in classes)]) + b"\n" + rows
    app = visits.put("tricorder3", app, ("theirs.csv", bad))
    assert app.error[0].proto.title == "This cannot be scored: 11 problems"
    assert "11 columns are missing: AKIEC, BCC," in words(app)
    assert "11 errors." in words(app)
    assert labels(app) == ["Read columns without “prob\\_”"]
    app = take_fix(app, "Read columns without")
    assert not app.exception
    assert app.metric[0].value == score
    assert "theirs.csv is fixed: Read columns without “prob_”." in words(app).replace("*", "")
    next(button for button in app.button if button.label == "Undo").click().run()
    assert app.error[0].proto.title == "This cannot be scored: 11 problems"


def test_a_submission_of_another_sample_is_scored_on_that(opened):
    app = visits.put("isic", opened("isic"), ("mine.csv", team("isic", "isic2018")))
    app.selectbox(key="isic_set").set_value("isic2019").run()
    assert labels(app)[0] == "Use the sample as of 2018"
    app = take_fix(app, "Use the sample as of 2018")
    assert not app.exception
    assert not app.error
    assert app.metric
    assert app.selectbox(key="isic_set").value == "isic2018"


@pytest.mark.parametrize(("challenge_id", "n", "left_out"), [("tricorder3", 73, 147), ("isic", 102, 204)])
def test_a_third_of_the_cases_is_scored_alone_by_one_click(opened, challenge_id, n, left_out):
    sets = samples.test_sets(challenge_id)
    data = team(challenge_id, next(iter(sets)))
    part = b"".join(data.splitlines(True)[: n + 1])
    app = visits.put(challenge_id, opened(challenge_id), ("third.csv", part))
    alone = f"Leave out {left_out} missing cases"
    assert any(alone in label for label in labels(app))
    app = take_fix(app, alone)
    challenge = scoring.load_challenge(challenge_id)
    truth = challenge.submitted_part(challenge.read_truth(next(iter(sets.values())).path), part, "third.csv")
    score = challenge.score(truth, challenge.read_predictions(part, truth, "third.csv"), resamples=0).score
    visits.assert_scored(app, challenge_id, score)
    assert f"the {left_out} others were not submitted and are left out" in words(app)
    assert "not an official score" in words(app)
    next(button for button in app.button if button.label == "Undo").click().run()
    assert app.error


def all_golden_findings():
    import json
    from pathlib import Path

    import streamlit as st

    from pages.display import finding_list
    from scoring.common.findings import Finding, InputRefused

    recorded = json.loads(Path("tests/golden/messages.json").read_text(encoding="utf-8"))
    for number, entries in enumerate(recorded.values()):
        found = [Finding(*(e[key] for key in ("level", "code", "where", "message"))) for e in entries]
        finding_list.refusal(InputRefused(found), lambda _fix: None, key=f"fix_{number}")
    st.session_state["counted"] = sum(map(len, recorded.values()))


def test_no_option_of_the_command_line_stands_on_a_page():
    app = AppTest.from_function(all_golden_findings).run()
    assert not app.exception
    said = words(app)
    assert "--" not in said
    assert "“Cases without a prediction: count as wrong”" in said, "an option by its label"
    assert app.session_state["counted"] > 300


def test_a_sample_does_not_warn_that_it_is_small(opened):
    app = opened("puma")
    assert not app.exception
    assert "few\\-units" not in words(app)
    assert "few-units" not in words(app)
    assert "never-predicted" in words(app)


def test_columns_of_a_foreign_table_are_chosen_and_remembered(opened):
    """Full names in a German Excel: the preview shows five rows, its guess and the score that it gives."""
    data = team("tricorder3", "sample")
    app = visits.put("tricorder3", opened("tricorder3"), ("mine.csv", data))
    score = app.metric[0].value
    header, *rows = data.decode().replace(",", ";").replace(".", ",").replace(",jpg", ".jpg").splitlines()
    names = {"MEL": "Melanom", "NV": "Nävus", "BCC": "Basaliom", "SCCKA": "Spinaliom"}
    columns = ["Bild", *(names.get(name, f"p_{name}") for name in header.split(";")[1:])]
    foreign = "\n".join([";".join(columns), *rows]).encode()
    app = visits.put("tricorder3", app, ("theirs.csv", foreign))
    assert "semicolons between cells, decimal commas; the numbers look like probabilities" in words(app)
    assert len(app.dataframe[0].value) == 5
    choices = {box.label: box.value for box in app.selectbox if (box.key or "").startswith("import_")}
    assert [choices["Case"], choices["MEL"], choices["SCCKA"]] == ["Bild", "Melanom", "Spinaliom"]
    (button,) = (button for button in app.button if (button.key or "").startswith("import_take"))
    assert button.label.split()[-1] in score
    next(box for box in app.selectbox if box.label == "MEL").set_value("Nävus").run()
    assert "Choose a different column for each item." in words(app)
    next(box for box in app.selectbox if box.label == "MEL").set_value("Melanom").run()
    app = next(button for button in app.button if (button.key or "").startswith("import_take")).click().run()
    assert not app.exception
    assert app.metric[0].value == score
    again = "\n".join([";".join(columns), *rows[::-1]]).encode()
    app = visits.put("tricorder3", app, ("next.csv", again))
    assert not app.exception
    assert app.metric[0].value == score
    assert "next.csv is fixed" in words(app).replace("*", "")
    next(button for button in app.button if button.label == "Undo").click().run()
    assert app.error[0].proto.title.startswith("This cannot be scored")


def test_two_readings_stand_beside_each_other_with_their_scores(opened):
    data = team("melanoma", next(iter(samples.test_sets("melanoma"))))
    app = visits.put("melanoma", opened("melanoma"), ("mine.csv", data))
    meant = app.metric[0].value.split()[0]
    header, *rows = data.decode().splitlines()
    cells = [row.split(",") for row in rows]
    percent = "\n".join([header, *(f"{case},{100 * float(risk)!r}" for case, risk, *_ in cells)])
    app = visits.put("melanoma", app, ("percent.csv", percent.encode()))
    assert not app.metric
    label = f"Divide the numbers by 100: score {meant}"
    offered = [button.label for button in app.button]
    assert markdown(label) in offered
    (written,) = (other for other in offered if other.startswith("Keep the numbers as they are"))
    assert markdown(meant) not in written
    app = take_fix(app, "Divide the numbers by 100")
    assert app.metric[0].value.split()[0] == meant
