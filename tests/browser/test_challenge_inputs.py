"""Own files dropped on every challenge's page: golden files are scored, bad ones are answered."""

import pytest
from playwright.sync_api import expect

from scoring.challenges import samples
from tests.browser import driver
from tests.support import golden, visits
from tests.support.archives import archive_of, archive_of_folder
from tests.support.command_line import run

FOLDER = golden.FOLDER
PICKLE = b"\x80\x04\x95\x17\x00\x00cos\nsystem\n(S'true'\ntR."


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("isic/isic2019-unk", marks=pytest.mark.soak),
        pytest.param("isic/model", marks=pytest.mark.soak),
        pytest.param("melanoma/01-plain-300", marks=pytest.mark.soak),
        pytest.param("melanoma/09-onnx-zip", marks=pytest.mark.soak),
        pytest.param("puma/basic-description", marks=pytest.mark.soak),
        "tricorder3/10-onnx-160",
    ],
)
def test_dropped_files_have_the_score_of_the_command_line(visitor, server, name):
    folder, challenge_id = FOLDER / name, name.split("/")[0]
    submission, test_set = golden.uploads(folder)
    page = driver.visit(visitor(), f"{server.address}/{challenge_id}")
    driver.give(page, "set", *test_set)
    expect(page.get_by_text("cases were read").first).to_be_visible(timeout=driver.PATIENCE)
    driver.give(page, "submission", *submission)
    score = golden.answered(folder).json["score"]
    driver.shows(page, score, lambda value: visits.headline(challenge_id, value))
    if "--model" in golden.options(folder):
        driver.tab(page, "Cases")
        expect(page.get_by_alt_text("Pixels that the model receives of").first).to_be_visible(
            timeout=driver.PATIENCE
        )


GARBAGE = bytes(range(256)) * 9
BAD = {
    "isic": {
        "garbage.csv": GARBAGE,
        "wrong rows.csv": (FOLDER / "isic/refused-predictions/predictions.csv").read_bytes(),
        "climbing.zip": archive_of({"../../predictions.csv": b"image,MEL\n"}),
        "truncated.zip": archive_of_folder(FOLDER / "isic/by-hand")[:-400],
        "pickle.onnx": PICKLE,
        "cut.onnx": (FOLDER / "isic/model/model.onnx").read_bytes()[:900],
    },
    "melanoma": {
        "garbage.csv": GARBAGE,
        "wrong rows.csv": (FOLDER / "melanoma/07-refused/predictions.csv").read_bytes(),
        "truncated.zip": (FOLDER / "melanoma/09-onnx-zip/dataset.zip").read_bytes()[:-900],
        "pickle.onnx": PICKLE,
        "cut.onnx": (FOLDER / "melanoma/09-onnx-zip/model.onnx").read_bytes()[:9000],
    },
    "puma": {
        "garbage.json": GARBAGE,
        "climbing.zip": archive_of(
            {"submission.csv": b"case_id,predicted_nuclei_path\nsample_primary_roi_001,../../../etc/passwd\n"}
        ),
        "outside.zip": archive_of({"../../sample_primary_roi_001.json": b'{"nuclei": []}'}),
        "truncated.zip": archive_of_folder(FOLDER / "puma/basic-description/submission")[:-400],
        "deep.json": b'{"nuclei": ' + b"[" * 50_000,
        "strange.zip": archive_of(
            {
                "sample_primary_roi_001.json": (
                    b'{"nuclei": [{"centroid": [1, 2], "class": "<script>alert(1)</script>"}]}'
                )
            }
        ),
    },
    "hecktor2026": {
        "garbage.csv": GARBAGE,
        "climbing.zip": archive_of({"../../predictions.csv": b"PatientID,risk\nALD-001,1\n"}),
        "truncated.zip": archive_of_folder(FOLDER / "hecktor2026/basics/predictions")[:-400],
        "others.csv": b"PatientID,risk\nnobody,0.5\n",
    },
    "tricorder3": {
        "garbage.csv": GARBAGE,
        "wrong rows.csv": (FOLDER / "tricorder3/08-refused/predictions.csv").read_bytes(),
        "climbing.zip": archive_of({"../../predictions.csv": b"filename,NV\n"}),
        "truncated.zip": archive_of_folder(FOLDER / "tricorder3/01-public-a")[:-400],
        "pickle.onnx": PICKLE,
        "cut.onnx": (FOLDER / "tricorder3/10-onnx-160/model.onnx").read_bytes()[:9000],
    },
}
OWN_TRUTHS = {"melanoma": "melanoma/07-refused", "tricorder3": "tricorder3/08-refused"}
"""Challenge -> golden case whose test set the bad files are given to; the others have the sample."""


@pytest.mark.soak
@pytest.mark.parametrize("challenge_id", BAD)
def test_bad_files_are_answered_and_nothing_else_is_lost(visitor, server, tmp_path, challenge_id):
    """One visitor, one bad file after another: each is answered with every problem; the test set stays, and
    then a good file is scored."""
    sample = next(iter(samples.test_sets(challenge_id).values()))
    team = next(team.path for team in sample.submissions.values() if not team.is_model)
    page, truth, own = driver.visit(visitor(), f"{server.address}/{challenge_id}"), sample.path, ""
    if challenge_id in OWN_TRUTHS:
        truth, own = FOLDER / OWN_TRUTHS[challenge_id] / "truth.csv", "own truth.csv"
        driver.give(page, "set", own, truth.read_bytes())
    for name, content in BAD[challenge_id].items():
        path = tmp_path / name
        path.write_bytes(content)
        kind = "--model" if name.endswith(".onnx") else "--predictions"
        refused = run("score", challenge_id, "--truth", truth, kind, path, "--json", "-").json["problems"]
        driver.give(page, "submission", name, content)
        expect(page.get_by_text(f"This cannot be scored: {len(refused)} problem").first).to_be_visible(
            timeout=driver.PATIENCE
        )
        for code in {problem["code"] for problem in refused}:
            expect(page.get_by_text(code, exact=True).first).to_be_visible(timeout=driver.PATIENCE)
        if own:
            expect(page.get_by_text(own).first).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0
    if own:
        page.keyboard.press("Escape")
        page.locator("[class*='_set_back'] button").click()
        driver.settled(page)
    driver.give(page, "submission", team.name, team.read_bytes())
    score = golden.scored(challenge_id, sample.path, "--predictions", team)["score"]
    driver.shows(page, score, lambda value: visits.headline(challenge_id, value))
