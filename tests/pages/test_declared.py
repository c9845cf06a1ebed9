"""Pages of challenges that are files: the gallery, a new one from a truth, and the page of a declared one."""

import io
import tomllib
import zipfile
from urllib.parse import quote

import numpy as np
import pytest

import scoring
from pages.display import downloads
from pages.server import request_guard
from scoring.challenges import samples
from scoring.challenges.declared import draft, library
from scoring.common.file_opening import zipped
from scoring.inputs.truth_contents import read_truth
from tests.challenges.declared import test_model
from tests.support.command_line import run
from tests.support.declared_kinds import KINDS
from tests.support.payloads import PAYLOADS
from tests.support.visits import assert_inert, finished, open_tab, put, words
from tests.support.volumes import nifti

SPACED = np.diag([0.5, 0.8, 3.0, 1.0])
TRUTH = b"image,dx\n" + b"".join(b"i%d,%c\n" % (k, b"abc"[k % 3]) for k in range(30))
PREDICTIONS = b"image,dx\n" + b"".join(
    b"i%d,%c\n" % (k, b"abc"[k % 3] if k % 5 else b"a"[0]) for k in range(30)
)
AGES = b"case,age\n" + b"".join(b"c%d,%d\n" % (k, 40 + k) for k in range(30))
AGES_OFF = b"case,age\n" + b"".join(b"c%d,%d\n" % (k, 43 + k) for k in range(30))
GALLERY = [file for file in library.known() if not file.is_own]


def new(opened, truth: bytes, name: str = "lesions.csv"):
    """Open the page and drop a truth there."""
    return opened("challenges").file_uploader(key="new_truth_file").upload(name, truth).run()


def test_the_gallery_lists_every_file_and_each_has_a_page(opened):
    app = opened("challenges")
    assert not app.exception
    titles = {entry.value.replace("\\", "") for entry in app.subheader}
    assert titles == {library.of_file(file.path).words.title for file in GALLERY}
    assert len(titles) >= 20


@pytest.mark.parametrize("file", GALLERY[::5], ids=lambda file: file.name)
def test_a_page_of_the_gallery_asks_for_a_test_set(opened, file):
    app = opened("declared", challenge=file.name)
    assert not app.exception
    assert app.title[0].value.replace("\\", "") == library.of_file(file.path).words.title
    assert "Drop a test set" in words(app)


def test_a_truth_becomes_a_challenge_with_a_score_and_a_page(opened):
    app = new(opened, TRUTH)
    assert app.selectbox(key=next(box.key for box in app.selectbox if box.key.endswith("_task"))).value == (
        "classification"
    )
    assert [metric.value for metric in app.metric] == ["0.3333"]
    app.file_uploader(key="new_predictions_file").upload("alpha.csv", PREDICTIONS).run()
    assert len(app.metric) == 2
    app.button(key="new_open").click().run()
    assert not app.exception
    challenge_id = app.query_params["challenge"]
    challenge = scoring.load_challenge(challenge_id)
    expected = scoring.score(challenge, truth=TRUTH, predictions=PREDICTIONS).score
    assert app.metric[0].value == f"{expected:.3f}"
    for tab in ("Classes", "Cases", "History"):
        assert not open_tab(app, tab).exception


@pytest.mark.parametrize(
    ("truth", "sent", "column"),
    [
        (AGES, AGES.replace(b"case,age", b"case,my_age"), "my_age"),
        (TRUTH, PREDICTIONS.replace(b"image,dx", b"image,called"), "called"),
        (
            TRUTH.replace(b"c\n", b"a\n"),
            b"image,p\n" + b"".join(b"i%d,.%d\n" % (k, k) for k in range(30)),
            "p",
        ),
    ],
)
def test_predictions_say_what_their_column_is_called(opened, truth, sent, column):
    app = new(opened, truth).file_uploader(key="new_predictions_file").upload("alpha.csv", sent).run()
    assert [box.value for box in app.text_input if box.key.endswith("_sent")] == [column]
    assert len(app.metric) == 2, words(app)


def test_a_new_challenge_is_kept_once_and_stands_among_the_own_ones(opened, tmp_path, monkeypatch):
    monkeypatch.setenv(library.FOLDER, str(tmp_path / "own"))
    app = new(opened, TRUTH).button(key="new_keep").click().run()
    assert not app.exception
    (kept,) = (tmp_path / "own").iterdir()
    assert kept.read_text().strip() == app.code[0].value
    assert "Own challenges" in words(opened("challenges"))
    offered = opened("compare_teams").segmented_control(key="challenge").options
    assert "lesions" in offered
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    assert "Lesions" in opened("board").selectbox(key="board_new_challenge").options
    app.button(key="new_keep").click().run()
    assert "a challenge with this id exists already" in words(app)
    monkeypatch.setattr(request_guard, "is_public", lambda: True)
    assert "new_keep" not in {button.key for button in new(opened, TRUTH).button}


def test_a_loss_is_better_when_it_is_lower(opened):
    app = new(opened, AGES, "ages.csv")
    assert "Mean absolute error, lower is better" in words(app)
    app.file_uploader(key="new_predictions_file").upload("alpha.csv", AGES_OFF).run()
    assert [metric.value for metric in app.metric] == ["7.5", "3"]


def volumes(shift: int) -> list[tuple[str, bytes]]:
    """Masks of three cases: two values, moved along the first axis."""
    place = np.indices((12, 8, 6))[0] + shift
    mask = np.where((place > 3) & (place < 8), 1, 0) + np.where(place == 9, 1, 0)
    return [(f"case_{i}.nii", nifti((mask * (1 + i % 2)).astype(np.uint8), SPACED)) for i in range(3)]


def put_files(app, key: str, files: list[tuple[str, bytes]]):
    for name, data in files:
        app.file_uploader(key=key).upload(name, data)
    return app.run()


def test_masks_become_a_challenge_with_named_regions_a_baseline_and_a_page(opened):
    app = put_files(opened("challenges"), "new_truth_file", volumes(0))
    assert not app.exception
    assert "3 masks; voxels of 0.5 x 0.8 x 3 mm" in words(app)
    assert "New challenge" in {box.value for box in app.text_input}
    assert "For small structures, a single voxel changes the value" in words(app)
    # An empty mask is right where the truth is empty: value 1 lacks in one case of three, value 2 in two.
    assert [metric.value for metric in app.metric] == ["0.5"]
    for value, name in ((1, "organ"), (2, "tumour")):
        next(box for box in app.text_input if box.key.endswith(f"_{value}")).set_value(name)
    put_files(app.run(), "new_predictions_file", volumes(1))
    assert not app.exception
    shown = float(app.metric[1].value)
    app.button(key="new_open").click().run()
    assert not app.exception
    challenge = scoring.load_challenge(app.query_params["challenge"])
    card = scoring.score(challenge, truth=dict(volumes(0)), predictions=dict(volumes(1)))
    assert set(card.per_class) == {"organ", "tumour"}
    assert shown == pytest.approx(card.score, abs=1e-4)
    assert {"dice", "hd95"} <= set(card.metrics)
    assert app.metric[0].value == f"{card.score:.3f}"


def box(widgets, label: str):
    """The widget whose label begins so."""
    return next(widget for widget in widgets if widget.label.startswith(label))


def test_predictions_with_other_columns_for_case_and_number_are_taken_as_they_are(opened):
    """An organizer's fourth team: `case_id,predicted_fev1` beside a truth of `Patient,FEV1 [L]`."""
    truth = b"Patient,FEV1 [L],Scanner\n" + b"".join(
        b"%04d,%.1f,%s\n" % (7 * k + 5, 1.5 + k / 20, [b"GE", b"Siemens"][k % 2]) for k in range(30)
    )
    sent = b"case_id,predicted_fev1\n" + b"".join(
        b"%04d,%.1f\n" % (7 * k + 5, 1.6 + k / 20) for k in range(30)
    )
    app = put_files(new(opened, truth, "fev1.csv"), "new_predictions_file", [("delta.csv", sent)])
    assert not app.exception
    assert box(app.text_input, "Column of the case id in the predictions").value == "case_id"
    assert box(app.text_input, "Column of the number in the predictions").value == "predicted_fev1"
    assert len(app.metric) == 2, words(app)
    assert box(app.multiselect, "Subgroups").value == ["Scanner"]
    box(app.multiselect, "Subgroups").set_value([])
    box(app.selectbox, "A case without a prediction").set_value("ignore").run()
    read = tomllib.loads(app.code[0].value)
    assert read["predictions"] == {"value": "predicted_fev1", "case": "case_id", "missing": "ignore"}
    assert "subgroups" not in read
    fewer = sent.rpartition(b"\n0")[0] + b"\n"
    app = put_files(app, "new_predictions_file", [("fewer.csv", fewer)])
    assert len(app.metric) == 2, words(app)
    assert "worst" not in {*box(app.selectbox, "A case without a prediction").options}


def test_what_is_read_otherwise_than_it_is_written_is_told_beside_the_score(opened):
    sent = b"case;age\n" + b"".join(b"c%d;%d,5\n" % (k, 40 + k) for k in range(30))
    app = put_files(new(opened, AGES, "ages.csv"), "new_predictions_file", [("bravo.csv", sent)])
    assert [metric.value for metric in app.metric] == ["7.5", "0.5"]
    assert "30 numbers have a decimal comma, which is read as a decimal point" in words(app)


def test_a_region_has_several_values_and_teams_are_ordered_by_mean_rank(opened):
    app = put_files(opened("challenges"), "new_truth_file", volumes(0))
    box(app.text_input, "Name of mask value 1").set_value("organ")
    box(app.text_input, "Name of mask value 2").set_value("tumour").run()
    box(app.multiselect, "Mask values that belong to organ").set_value([1, 2])
    box(app.selectbox, "A case without a prediction").set_value("worst")
    box(app.selectbox, "Teams are ordered by").set_value("mean_rank").run()
    assert not app.exception
    read = tomllib.loads(app.code[0].value)
    assert read["regions"] == {"organ": [1, 2], "tumour": [2]}
    assert (read["predictions"], read["ranking"]) == ({"missing": "worst"}, {"by": "mean_rank"})
    assert "Teams are ordered by the mean of their ranks in" in words(app)
    assert "field for the challenge file above" in words(app)
    box(app.multiselect, "Further metrics").set_value(["hd95", "nsd"]).run()
    box(app.number_input, "tolerance in mm").set_value(2.0).run()
    assert tomllib.loads(app.code[0].value)["report"] == [
        {"metric": "hd95"},
        {"metric": "nsd", "tolerance_mm": 2.0},
    ]
    assert "HD95 (mm), NSD at 2 mm" in words(app)
    box(app.multiselect, "Further metrics").set_value([]).run()
    assert not app.exception
    assert "ranking" not in tomllib.loads(app.code[0].value)


def test_a_metric_beside_the_score_of_several_classes_is_a_mean_over_them(opened):
    app = new(opened, TRUTH)
    box(app.multiselect, "Further metrics").set_value(["f1"]).run()
    assert not app.exception
    assert tomllib.loads(app.code[0].value)["report"] == [{"metric": "f1", "average": "macro"}]
    assert "The challenge is not complete" not in words(app)


def test_a_truth_dropped_as_the_challenge_file_is_told_where_it_belongs(opened):
    app = (
        opened("challenges").file_uploader(key="new_file_file").upload("truth.xlsx", b"PK\x03\x04\xff").run()
    )
    assert not app.exception
    assert "give it as the truth instead" in words(app)


def test_points_become_a_challenge_whose_radius_is_chosen(opened):
    truth = b"image,x,y\n" + b"".join(b"i%d,%d,%d\n" % (k // 2, 40 * k, 7) for k in range(20))
    sent = b"image,x,y,score\n" + b"".join(b"i%d,%d,%d,.5\n" % (k // 2, 40 * k + k, 7) for k in range(20))
    app = put_files(new(opened, truth, "nuclei.csv"), "new_predictions_file", [("a.csv", sent)])
    assert not app.exception
    assert [box.value for box in app.selectbox if box.key.endswith("_task")] == ["points"]
    assert "The value depends on the radius" in words(app)
    assert app.metric[1].value == "0.55"  # 0 to 10 of 20 are within 10
    next(box for box in app.number_input if box.key.endswith("_radius")).set_value(5.0).run()
    assert not app.exception
    assert app.metric[1].value == "0.3"


def test_boxes_become_a_challenge_whose_corners_can_be_sizes(opened):
    sizes = b"image,x,y,width,height,kind\n" + b"".join(
        b"i%d,%d,7,20,10,%c\n" % (k // 2, 40 * (k % 2), b"ab"[k % 2]) for k in range(20)
    )
    sent = sizes.replace(b"kind\n", b"kind,score\n").replace(b",a\n", b",a,.9\n").replace(b",b\n", b",a,.8\n")
    app = put_files(new(opened, sizes, "cells.csv"), "new_predictions_file", [("a.csv", sent)])
    assert not app.exception
    chosen = {box.key.rpartition("_")[2]: box.value for box in app.selectbox}
    assert (chosen["task"], chosen["boxes"], chosen["label"]) == ("boxes", "size", "kind")
    # All of a are found, before the false alarms where a box of b is called a; none of b is.
    assert app.metric[1].value == "0.5"
    next(box for box in app.selectbox if box.key.endswith("_boxes")).set_value("").run()
    assert not app.exception
    assert "the second corner must be to the right of and below the first corner" in words(app)
    next(box for box in app.selectbox if box.key.endswith("_boxes")).set_value("size").run()
    app.button(key="new_open").click().run()
    assert not app.exception
    assert app.metric[0].value == "0.500"


def test_what_is_not_complete_says_what_is_missing(opened):
    app = new(opened, AGES, "ages.csv")
    box = next(box for box in app.selectbox if box.key.endswith("_task"))
    box.set_value("survival").run()
    assert not app.exception
    assert "Change your choice above" in words(app)
    assert "neither 1 (seen) nor 0" in words(app)


@pytest.mark.parametrize("data", [b"", b"\x00\x01", b"case,label\n", b"a;b;c\n1;2\n"])
def test_a_truth_that_cannot_be_read_is_refused(opened, data):
    app = new(opened, data)
    assert not app.exception
    assert app.error
    assert not app.metric


def test_a_file_is_refused_with_every_problem(opened):
    text = b'id = "X"\ntitel = "t"\ntask = "classifcation"\n'
    app = opened("challenges").file_uploader(key="new_file_file").upload("x.toml", text).run()
    assert not app.exception
    assert "x.toml:2" in words(app)
    assert "classification" in words(app)


def test_teams_of_a_declared_challenge_are_compared(opened):
    app = new(opened, TRUTH)
    app.file_uploader(key="new_predictions_file").upload("alpha.csv", PREDICTIONS).run()
    app.button(key="new_open").click().run()
    challenge_id = app.query_params["challenge"]
    app.switch_page("../declared.py")
    app.query_params["challenge"] = challenge_id
    app.run().button(key="add_to_comparison").click().run()
    put(challenge_id, app, submission=("beta.csv", TRUTH))
    app.button(key="add_to_comparison").click().run()
    assert not app.exception
    app.switch_page("../compare_teams.py")
    app.query_params["challenge"] = challenge_id
    app.run()
    assert not app.exception
    assert "Lesions" in words(app)
    assert "beta" in words(app)


@pytest.mark.parametrize("payload", PAYLOADS[::8])
def test_names_of_others_stay_text(opened, payload):
    text = payload.replace('"', "'").replace("\n", " ")
    truth = f'case,"{text}"\n' + "".join(f"c{k},{k % 2}\n" for k in range(30))
    assert_inert(new(opened, truth.encode(), "truth.csv"))


def test_masks_have_a_viewer_that_opens_on_the_worst_case(opened):
    kind = KINDS["masks"]
    made = {share: kind.made(np.random.default_rng(3), share) for share in (0.0, 0.9)}
    app = opened("declared", challenge=kind.challenge.id)
    put(kind.challenge.id, app, test_set=("truth.zip", made[0.0]), submission=("sent.zip", made[0.9]))
    assert not app.exception
    for tab in ("Classes", "Cases", "Viewer"):
        open_tab(app, tab)
        assert not app.exception
        assert not app.error
    cases = kind.challenge.read_truth(made[0.0], "truth.zip")
    sent = kind.challenge.read_predictions(made[0.9], cases, "sent.zip")
    dice = {row["case"]: row["dice"] for row in kind.challenge.score(cases, sent, resamples=0).cases}
    assert dice[app.query_params["case"]] == min(dice.values()) < 1
    assert f"Dice {min(dice.values()):.3f}" in words(app)


@pytest.mark.parametrize("name", ["points", "boxes"])
def test_points_and_boxes_are_marked_in_their_pictures(opened, name):
    kind = KINDS[name]
    truth, sent = (kind.made(np.random.default_rng(s), w).encode() for s, w in ((0, 0.0), (1, 0.5)))
    files = [("truth.csv", truth), *((f"i{k}.png", test_model.picture(k, (120, 100))) for k in range(3))]
    app = opened("declared", challenge=kind.challenge.id)
    put(kind.challenge.id, app, test_set=("set.zip", zipped(iter(files))), submission=("p.csv", sent))
    assert "3 with a picture" in words(app)
    for case in ("i0", "i39"):
        app.query_params["case"] = case
        open_tab(app, "Viewer")
        assert not app.exception
        assert "objects 2.000" in words(app)


def test_pictures_of_cases_stand_worst_first_and_a_model_is_scored(opened):
    challenge = library.of_text(test_model.text_of("scores"), "m.toml")
    app = opened("declared", challenge=challenge.id)
    files = [("truth.csv", test_model.truth("scores")), *test_model.FILES.items()]
    data = zipped((name, content) for name, content in files)
    put(challenge.id, app, test_set=("set.zip", data), submission=("m.onnx", test_model.model(3)))
    finished(app)
    assert not app.exception
    assert "12 cases, 12 with a picture" in words(app)
    open_tab(app, "Cases")
    assert "Which cases? 12 of 12" in words(app)
    assert not open_tab(app, "Model").exception
    assert "Which inputs and outputs does the model have?" in words(app)


def test_an_unknown_challenge_is_named_as_unknown(opened):
    app = opened("declared", challenge="../../etc/passwd")
    assert not app.exception
    assert "has no challenge with that name" in words(app)


def test_a_dropped_file_that_no_challenge_takes_becomes_one(opened):
    app = opened("overview").file_uploader(key="any_files").upload("ages.csv", AGES).run()
    assert "was not accepted" in words(app)
    app.button(key="new_truth_kept_0").click().run()
    assert not app.exception
    assert "Mean absolute error, lower is better" in words(app)


def test_a_dropped_declaration_opens_as_a_challenge(opened):
    text = (library.GALLERY / "camelyon17.toml").read_bytes()
    app = opened("overview").file_uploader(key="any_files").upload("mine.toml", text).run()
    assert "declares a challenge: open it" in words(app)
    app.button(key="new_file_kept_0").click().run()
    assert not app.exception
    assert "CAMELYON17" in words(app)


def test_files_stay_where_a_declared_challenge_is_open(opened):
    isic = (samples.FOLDER / "isic2018" / "ISIC_2018_Sample_GroundTruth.csv").read_bytes()
    key = library.find("isic2018").id
    app = put(key, opened("declared", challenge="isic2018"), test_set=("truth.csv", isic))
    assert not app.exception
    assert "What is" not in words(app)


@pytest.mark.parametrize("slot", ["truth", "submission"])
def test_a_dropped_table_is_offered_to_the_declared_challenge_that_has_its_columns(opened, slot):
    grades = b"id_code,diagnosis\n" + b"".join(b"e%d,%d\n" % (k, k % 5) for k in range(30))
    app = opened("overview").file_uploader(key="any_files").upload("grades.csv", grades).run()
    label = {"truth": "Test set of APTOS 2019", "submission": "Submission of APTOS 2019"}[slot]
    button = next(button for button in app.button if button.label.replace("\\", "").startswith(label))
    button.click().run()
    assert not app.exception
    assert app.query_params["challenge"] == library.find("aptos2019").id
    assert ("30 cases" in words(app)) == (slot == "truth")


@pytest.mark.parametrize("slot", ["test set", "submission"])
def test_a_dropped_table_can_be_taken_for_an_opened_declared_challenge(opened, slot):
    """An organizer's table fits a challenge that is built in as well: "Use the file as" left it out."""
    app = new(opened, TRUTH)
    app.button(key="new_open").click().run()
    challenge_id = app.query_params["challenge"]
    app.switch_page("../overview.py").run()
    app.file_uploader(key="any_files").upload("some.csv", TRUTH).run()
    (choice,) = [choice for choice in app.selectbox if choice.label == "Use the file as"]
    choice.select(f"Lesions: {slot}").run()
    assert not app.exception
    assert app.query_params["challenge"] == challenge_id
    assert f"some.csv was read as Lesions: {slot}" in words(app).replace("*", "")
    app.switch_page("../isic.py").run()
    assert not app.exception
    (way,) = [link.proto for link in app.get("page_link") if link.proto.label == "Open Lesions"]
    assert (way.page, way.query_string) == ("declared", f"challenge={quote(challenge_id)}")


def test_an_exported_board_of_a_challenge_that_is_a_file_is_taken_to_its_comparison(
    opened, tmp_path, monkeypatch
):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv(library.FOLDER, str(tmp_path / "own"))
    for name, data in {"t.csv": AGES, "alpha.csv": AGES_OFF, "beta.csv": AGES}.items():
        (tmp_path / name).write_bytes(data)
    file = tmp_path / "ages.toml"
    file.write_text(draft.toml(draft.suggest(read_truth(AGES, "ages.csv"), "ages")))
    made = ("--id", "ages", "--title", "Ages", "--truth", tmp_path / "t.csv", "--resamples", 20)
    assert run("board", "create", file, *made).status == 0
    for team in ("alpha", "beta"):
        sent = ("--team", team, "--predictions", tmp_path / f"{team}.csv")
        assert run("board", "submit", "ages", *sent).status == 0
    assert run("board", "export", "ages", tmp_path / "ages.zip", "--with-truth").status == 0
    file.unlink()
    library._read.clear()
    data = (tmp_path / "ages.zip").read_bytes()
    app = opened("overview").file_uploader(key="any_files").upload("ages.zip", data).run()
    assert not app.exception
    assert "was not accepted" not in words(app)
    assert app.query_params["challenge"].startswith("ages@")
    assert "from the test set of the dropped board" in words(app)


@pytest.mark.parametrize(("platform", "image"), [("Grand Challenge", ""), ("Codabench", "lab/ages:1")])
def test_a_page_makes_the_bundle_of_a_platform_that_the_command_makes(
    opened, tmp_path, monkeypatch, platform, image
):
    """An organizer found a bundle only in the documentation of the command line."""
    contents: dict = {}
    monkeypatch.setattr(
        downloads, "button", lambda label, content, *_, **_more: contents.update({label: content})
    )
    app = put_files(new(opened, AGES, "ages.csv"), "new_predictions_file", [("alpha.csv", AGES_OFF)])
    (tmp_path / "ages.toml").write_text(app.code[0].value)
    (tmp_path / "ages.csv").write_bytes(AGES)
    app.button(key="new_open").click().run()
    app.switch_page("../declared.py").run()
    app.selectbox(key="bundle_platform").select(platform).run()
    if image:
        app.button(key="bundle_make").click().run()
        assert "write ACCOUNT/NAME" in words(app)
        app.text_input(key="bundle_image").input(image).run()
    app.text_input(key="bundle_title").input("Ages 2026").run()
    app.button(key="bundle_make").click().run()
    assert not app.exception
    kind = platform.lower().replace(" ", "-")
    made = run("platform", "bundle", tmp_path / "ages.toml", "--platform", kind, "--title", "Ages 2026",
               "--truth", tmp_path / "ages.csv", "--output", tmp_path / "made",
               *(("--image", image) if image else ()))  # fmt: skip
    assert made.status == 0, made.err
    assert all(step.partition(" ")[2] in words(app) for step in made.out.splitlines()[1:])
    with zipfile.ZipFile(io.BytesIO(contents["Bundle (zip)"]())) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert inside.pop("next-steps.md").decode().count("\n") == len(made.out.splitlines()) - 1
    folder = tmp_path / "made"
    written = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert set(inside) == set(written)
    same = [name for name, path in written.items() if path.read_bytes() == inside[name]]
    assert set(written) - set(same) <= {"competition.zip"}, "it holds the day on which it was made"


def test_predictions_of_the_earlier_challenge_leave_with_its_truth(opened):
    app = new(opened, TRUTH).file_uploader(key="new_predictions_file").upload("alpha.csv", PREDICTIONS).run()
    assert len(app.metric) == 2
    put_files(app, "new_truth_file", [("ages.csv", AGES)])
    assert "Drop predictions to see their score here." in words(app)
    assert "alpha.csv" not in words(app)
