"""Mends on the challenges' pages: a button mends a file without a new upload, says so, and is undone."""

from scoring import samples
from tests.support import visits
from tests.support.visits import mend, words


def team(challenge_id: str, test_set: str) -> bytes:
    chosen = samples.test_sets(challenge_id)[test_set]
    return next(one for one in chosen.submissions.values() if not one.is_model).path.read_bytes()


def labels(app) -> list[str]:
    return [button.label for button in app.button if (button.key or "").startswith("mend")]


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
    app = mend(app, "Read columns without")
    assert not app.exception
    assert app.metric[0].value == score
    assert "theirs.csv is mended: Read columns without “prob_”." in words(app).replace("*", "")
    next(button for button in app.button if button.label == "Undo").click().run()
    assert app.error[0].proto.title == "This cannot be scored: 11 problems"


def test_a_submission_of_another_sample_is_scored_on_that(opened):
    app = visits.put("isic", opened("isic"), ("mine.csv", team("isic", "isic2018")))
    app.selectbox(key="isic_set").set_value("isic2019").run()
    assert labels(app)[0] == "Use the sample as of 2018"
    app = mend(app, "Use the sample as of 2018")
    assert not app.exception
    assert not app.error
    assert app.metric
    assert app.selectbox(key="isic_set").value == "isic2018"
