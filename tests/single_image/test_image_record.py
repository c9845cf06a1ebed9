"""The export says what was asked and answered, and no byte of who or where; nothing is kept anywhere else."""

import base64
import io
import json
import re
from dataclasses import replace
from datetime import date
from html import unescape

import numpy as np
import pytest
from PIL import Image

from scoring import load_challenge
from scoring.challenges import samples
from scoring.common.text import as_json
from scoring.inference import image_cache
from scoring.presentation.html import single_image as html
from scoring.single_image import (
    explanation,
    image_record,
    nuclei,
    occlusion_saliency,
    operating_threshold,
    other_demographics,
    random_mask_saliency,
    wording,
)
from scoring.single_image import quality as chips
from scoring.single_image.abstention import ImageAnswer, least_score, reasons
from scoring.single_image.image_prediction import predict, views
from scoring.single_image.model_card import model_card
from scoring.single_image.model_inputs import vector
from scoring.single_image.photograph import received
from scoring.single_image.reader_study import Impression
from scoring.single_image.similar_cases import alike, class_set, reference
from scoring.single_image.wording import UNFINISHED
from tests.inference import builders
from tests.support.banned_words import banned
from tests.support.command_line import ROOT
from tests.support.photographs import SECRETS, noted_png, phone
from tests.support.single_image import PATIENT, TILE_SUPPORT, lesion, model


@pytest.fixture(scope="module")
def said():
    """Everything that a page shows of a phone's photograph, with the sample's test set and made-up
    outputs."""
    truth = load_challenge("tricorder3").read_truth(samples.test_sets("tricorder3")["sample"].path)
    rows = np.random.default_rng(0).dirichlet(np.ones(11), len(truth)) + np.eye(11)[truth.labels]

    class Outputs:
        outputs, has_outputs = rows / rows.sum(1, keepdims=True), np.ones(len(truth), bool)

    held = image_cache.PICTURES.held_bytes
    with model(builders.classifier(side=(64, 64))) as found:
        photograph = received(phone(lesion(), orientation=6))
        ref = reference(found.task, truth, Outputs(), True)
        one = predict(found, photograph, vector(PATIENT, 50, "f", "arm"), ref)
        seen, members, measured = (
            views(found, one),
            class_set(ref, one.probabilities),
            chips.of_photograph(photograph),
        )
        shown = chips.photograph_chips(measured, 512)
        everything = image_record.Record(
            photograph,
            found,
            one,
            image_record.OnTestSet(
                ref,
                members,
                operating_threshold.operating_point(ref, found.task.malignant, 0.9),
                truth="Melanoma",
                card=model_card(ref, found.task.malignant, truth.columns),
            ),
            image_record.MoreAnswers(
                seen,
                {2: ImageAnswer(one, seen, ())},
                photographs=[photograph],
                maps=explanation.explanation(found, one, 5, 8),
            ),
            image_record.Checks(
                measured, shown, reasons(float(one.probabilities.max()), least_score(ref), seen, shown)
            ),
            impression=Impression(found.task.classes.index("NV"), "high"),
        )
        others = [
            alike(ref, one.probabilities),
            occlusion_saliency.occlusion(found, one, 5),
            random_mask_saliency.masks(found, one, 8),
            other_demographics.sweep(found, one),
        ]
    assert image_cache.PICTURES.held_bytes == held
    return everything, others


def test_the_export_is_complete_and_plain(said):
    text = as_json(image_record.document(said[0]))
    found = json.loads(text)
    assert found["answer"]["outputs"] == said[0].prediction.outputs.tolist()
    assert list(found["answer"]["scores"]) == list(said[0].model.task.classes)
    assert found["model"]["sha256"] == said[0].model.sha256
    assert found["inputs"]["vector"] == [50, 0, 1]
    assert found["inputs"]["described"] == {"age": 50, "gender": "female", "location": "arm"}
    assert found["inputs"]["image_shape"] == [1, 3, 64, 64]
    assert found["test_set"]["n"] == 220
    assert found["class_set"]["built_to_hold"] == pytest.approx(0.9)
    assert found["operating_point"]["sensitivity"]["n"] == 80
    assert found["operating_point"]["cross_validated_in_parts"] == 5
    assert found["model_card"]["right"]["n"] == 220
    assert found["model_card"]["found"]["MEL"]["n"] == 20
    assert found["model_card"]["right_by_skin_tone"] == {}
    assert isinstance(found["cautions"], list)
    turned = found["flips_and_rotations"]
    assert (turned["views"], turned["scores_of_images"]) == (7, 8)
    scores = said[0].more.views.probabilities
    assert list(turned["low"].values()) == scores.min(0).tolist()
    assert len(scores) == 8, "the image as it is counts too"
    assert found["maps"]["class"] == found["answer"]["highest"]
    assert np.shape(found["maps"]["one_part_hidden"]) == (5, 5)
    assert set(found["maps"]["whole_picture"]) >= {"lighter", "grey", "middle hidden"}
    assert found["model"]["says_of_itself"] == {}
    assert (found["impression"], found["impression_confidence"]) == ("NV", "high")
    assert found["image"]["turned_upright"] is True
    assert wording.RESEARCH_USE in text


def test_the_json_has_the_numbers_of_the_printed_record(said):
    found = json.loads(as_json(image_record.document(said[0])))
    assert found["true_class"] == "MEL"
    shares, page = found["right_on_test_set"], words_of(html.html(replace(said[0], scores_shown=True)))
    similar, of_class = shares["similar"], shares["of_predicted_class"]
    assert f"right on {similar['hits']} of {similar['n']} (" in page
    assert f"with any score, it was right on {of_class['hits']} of {of_class['n']} (" in page
    assert (shares["all_images"], shares["lowest_score"] <= shares["highest_score"]) == (False, True)
    own = found["class_set"]["coverage_of_highest_class"]
    assert (
        f"for cases of {said[0].model.task.names[said[0].prediction.top]}: {own['hits']} of {own['n']}"
        in page
    )


def test_what_was_not_asked_for_is_null(said):
    bare = image_record.document(image_record.Record(said[0].photograph, said[0].model, said[0].prediction))
    for name in (
        "true_class",
        "right_on_test_set",
        "test_set",
        "flips_and_rotations",
        "class_set",
        "operating_point",
        "quality",
        "impression",
    ):
        assert bare[name] is None
    assert (bare["chips"], bare["no_answer_because"]) == ([], [])


def test_the_image_is_there_only_if_wanted(said):
    assert "png" not in image_record.document(said[0])["image"]
    inside = image_record.document(said[0], with_image=True)["image"]["png"]
    with Image.open(io.BytesIO(base64.b64decode(inside))) as image:
        assert image.info == {}
        assert np.array_equal(np.asarray(image), said[0].photograph.pixels)


def test_no_byte_of_name_place_or_comment_comes_out(said):
    """Of everything that was computed, in whatever form, and of both exports."""
    assert all(secret in phone(lesion()) for secret in SECRETS)
    everything, others = said
    emitted = [repr(others).encode(), repr(everything).encode()]
    emitted += [
        as_json(image_record.document(everything, with_image)).encode() for with_image in (False, True)
    ]
    png = base64.b64decode(image_record.document(everything, True)["image"]["png"])
    emitted += [png, everything.photograph.pixels.tobytes(), everything.prediction.prepared.tobytes()]
    emitted += [
        array.tobytes()
        for one in (everything.prediction, everything.more.views, *others[1:3])
        for array in vars(one).values()
        if hasattr(array, "tobytes")
    ]
    assert not [(secret, text[:80]) for secret in SECRETS for text in emitted if secret in text]


def test_the_file_cannot_be_found_again_by_its_hash(said):
    one, other = received(noted_png(lesion())), received(phone(lesion(), 1))
    assert image_record.sha256(one.pixels) == image_record.sha256(lesion())
    assert image_record.sha256(one.pixels) != image_record.sha256(other.pixels)
    assert image_record.sha256(np.zeros((2, 3, 3), np.uint8)) != image_record.sha256(
        np.zeros((3, 2, 3), np.uint8)
    )


def test_the_challenges_decision_and_its_warnings_stand_in_both_records(said):
    """Of logits for which the challenge decides otherwise, the record said nothing."""
    first, known = said[0], said[0].test_set
    held = replace(known.reference, official=(known.reference.truth + 1) % 11, warnings=("the scores range",))
    card = model_card(held, first.model.task.malignant)
    answer = replace(first.prediction, official=0, official_caution="the challenge predicts another")
    made = replace(
        first,
        prediction=answer,
        test_set=replace(known, reference=held, card=card),
        checks=image_record.Checks(),
    )
    document, page = image_record.document(made), words_of(html.html(made))
    assert document["answer"]["official"] == first.model.task.classes[0]
    assert document["answer"]["official_rule"] == first.model.task.official.words
    assert document["model_card"]["by_official_rule"]["right"]["hits"] == 0
    assert document["model"]["findings"] == ["the scores range"]
    assert "the challenge predicts another" in document["cautions"]
    assert "but: the challenge predicts another" in page
    assert card.official.line in page
    assert page.count(f"The challenge itself predicts {held.rule}.") == 2
    assert image_record.document(said[0])["model_card"]["by_official_rule"] is None


def test_the_record_says_how_scores_come_from_outputs_that_are_no_probabilities(said):
    """The page did, and the record did not."""
    answer = replace(said[0].prediction, kind="logits")
    second = image_record.SecondModel("Second", "ab" * 32, replace(answer, kind="percent"))
    made = replace(
        said[0], prediction=answer, more=image_record.MoreAnswers(second=second), scores_shown=True
    )
    page = words_of(html.html(made))
    assert f"First model, {made.model_name}: {wording.kind_line('logits')}" in page
    assert f"Second model: {wording.kind_line('percent')}" in page
    assert "outputs are" not in words_of(html.html(replace(said[0], scores_shown=True)))
    document = image_record.document(made)
    assert (document["answer"]["taken_for"], document["second_model"]["taken_for"]) == ("logits", "percent")


def test_a_set_of_all_classes_has_no_coverage_in_the_record_either(said):
    """Page and printed record gave none, and the JSON gave 108 of 120."""
    known = said[0].test_set
    found = replace(known.class_set, members=np.ones(11, bool))
    made = replace(said[0], test_set=replace(known, class_set=found))
    document = image_record.document(made)["class_set"]
    assert (document["coverage"], document["coverage_tried"]) == (None, None)
    assert known.class_set.coverage.overall is not None


def test_an_unknown_age_is_no_newborn(said):
    """The page, the printed record and the JSON said an age of 0."""
    unknown = replace(said[0].prediction, vector=vector(PATIENT, "unknown", "f", "unknown"))
    made = replace(said[0], prediction=unknown, checks=image_record.Checks(age_unknown=True))
    assert "Age unknown (the model received 0) Sex female Body site unknown" in words_of(html.html(made))
    inputs = image_record.document(made)["inputs"]
    assert (inputs["described"]["age"], inputs["unknown"]) == (0, ["age", "location"])
    unknown_words = ["age unknown: the model received 0", "body site unknown: the model received -1"]
    assert image_record.document(made)["cautions"][-2:] == unknown_words
    assert "; ".join(unknown_words) in words_of(html.html(made))
    newborn = replace(made, checks=image_record.Checks())
    assert "Age 0 Sex female" in words_of(html.html(newborn))
    assert image_record.document(newborn)["inputs"]["unknown"] == ["location"]
    assert image_record.document(said[0])["inputs"]["unknown"] == []


def test_records_of_two_images_have_two_names(said):
    """Both were single-image-00385f0d.html."""
    one, other = said[0].photograph, received(noted_png(255 - lesion()))
    assert image_record.stem("tricorder3", one) != image_record.stem("tricorder3", other)
    assert image_record.stem("tricorder3", one) != image_record.stem("melanoma", one)
    assert image_record.stem("puma", one) == image_record.stem("puma", received(phone(lesion(), 6)))


def test_no_result_word_is_banned(said):
    assert banned(as_json(image_record.document(said[0]))) == []


def test_tiles():
    tile = received((samples.FOLDER / "puma" / "truth" / "sample_primary_roi_001.tif").read_bytes())
    points = nuclei.listed(TILE_SUPPORT, b'{"nuclei": [{"centroid": [5, 5], "class": "tumor"}]}', tile.size)
    counts = nuclei.overview(TILE_SUPPORT, points, tile.size)
    made = image_record.TileRecord(tile, "mine.json", "", counts, 0.0, (), "today")
    found = image_record.tile_document(made)
    assert json.loads(as_json(found))["counts"]["tumor"] == 1
    assert (found["model"], found["per_mm2"]) == (None, None)
    assert "til_share" not in found, "it is a share of lymphocytes, and no score of TIL"
    assert found["lymphocytes_among_nuclei"]["n"] == 1
    nothing_like = chips.QualityBadge(
        "likeness",
        "stop",
        "",
        "This is nothing like the tiles of the test set.",
    )
    foreign = replace(made, chips=(nothing_like,))
    found = image_record.tile_document(foreign)
    assert (found["counts"], found["no_answer_because"]) == (None, [nothing_like.words])
    page = words_of(html.tile_html(foreign))
    assert "How many nuclei are in the tile? No answer This is nothing like the tiles" in page
    assert "1 nucleus" not in page
    assert "Lymphocytes" not in page
    asked = replace(foreign, counts_shown=True)
    assert image_record.tile_document(asked)["counts"]["tumor"] == 1
    page = words_of(html.tile_html(asked))
    assert "The counts are shown on request, although there is no answer." in page
    assert "scores are shown" not in page


def test_the_record_of_a_tile_is_one_page():
    tile = received((samples.FOLDER / "puma" / "truth" / "sample_primary_roi_001.tif").read_bytes())
    points = nuclei.listed(TILE_SUPPORT, b'{"nuclei": [{"centroid": [5, 5], "class": "tumor"}]}', tile.size)
    counts = nuclei.overview(TILE_SUPPORT, points, tile.size, micrometres=0.23)
    noticed = (chips.QualityBadge("sharpness", "caution", "12", "blurred <b>"),)
    made = image_record.TileRecord(
        tile, "Dense <i>network</i>", "ab" * 32, counts, 0.25, noticed, "22 November 2026"
    )
    page = html.tile_html(made)
    said = words_of(page)
    for words in (
        "1 nucleus",
        "class nuclei per mm²",
        "0.23 µm per px",
        "Lymphocytes among detected nuclei 0 of 1 (0%; 0 to 79%)",
        "Model Dense <i>network</i>",
        "Confidence from 0.25",
        "ab" * 32,
        "blurred <b>",
    ):
        assert words in said
    assert "<i>network" not in page
    region = words_of(html.tile_html(replace(made, photograph=replace(tile, dropped=("x",), of_slide=True))))
    assert "The region contains only pixels." in region
    assert "Removed from the file" not in region, "the slide's file stays in memory"
    assert "data:image/jpeg" in page
    assert banned(said) == []
    without = html.tile_html(replace(made, sha256="", source="mine.json"), with_image=False)
    assert "File of nuclei mine.json" in words_of(without)
    assert "data:image" not in without


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)))


def test_the_record_is_one_page_that_says_all(said):
    everything = replace(
        said[0], model_name="Aurora", date="22 November 2026", checks=image_record.Checks(abstentions=())
    )
    page = html.html(everything)
    found = words_of(page)
    for words in (
        wording.RESEARCH_USE,
        "22 November 2026",
        "Model Aurora",
        everything.model.sha256,
        "Highest score: ",
        "How good is this model? On the test set the model is right on ",
        f"{wording.POSSIBLE}:",
        "Age 50 Sex female Body site arm",
        "Own impression, written before the model's answer Melanocytic Nevus, any type, confidence high",
        "Truth in the test set Melanoma",
        "Which threshold was chosen? Threshold ",
        "for a wanted sensitivity of 90%: this image has ",
        "Further photographs of this lesion photograph 2",
        "Which parts of the image change the score?",
        "Random half of the picture hidden",
        "Removed from the file:",
    ):
        assert words in found
    for name in everything.model.task.names:
        assert name in found
    assert "@media print" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert banned(found) == []


def test_no_answer_is_the_headline_and_scores_are_there_only_if_they_were_shown(said):
    without = replace(said[0], checks=image_record.Checks(abstentions=("The model's answer is not stable.",)))
    page = words_of(html.html(without))
    assert "What did the model answer? No answer The model's answer is not stable." in page
    assert "Highest score" not in page
    assert "Scores" not in page.replace("Scores of all", "")
    shown = words_of(html.html(replace(without, scores_shown=True)))
    assert "The scores are shown on request, although the model gave no answer." in shown
    other = replace(without.prediction, official_caution="the challenge predicts no class (rule)")
    differing = replace(without, prediction=other, scores_shown=True)
    assert "The challenge predicts no class (rule)." in words_of(html.html(differing))
    assert "The challenge predicts" not in words_of(html.html(replace(differing, scores_shown=False)))
    answer = image_record.document(differing)["answer"]
    assert answer["official_caution"] == "the challenge predicts no class (rule)"


def test_the_record_holds_pixels_and_nothing_else_of_the_file(said):
    page = html.html(said[0])
    sources = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)
    assert len(sources) in (2, 4)  # the photograph, the further one and, beside scores, both maps
    for source in sources:
        with Image.open(io.BytesIO(base64.b64decode(source))) as image:
            assert max(image.size) <= 900
            assert not image.getexif()
            assert "comment" not in image.info
        page = page.replace(source, "")
    emitted = (*map(base64.b64decode, sources), page.encode())
    assert not [secret for secret in SECRETS for text in emitted if secret in text]
    assert "<img" not in html.html(said[0], with_image=False)


def test_names_from_files_are_no_markup_in_the_record(said):
    page = html.html(replace(said[0], model_name="<script>alert(1)</script>"))
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_several_photographs_stand_in_the_record_with_their_mean(said):
    page = words_of(
        html.html(
            replace(
                said[0],
                more=image_record.MoreAnswers(others={2: ImageAnswer(said[0].prediction, None, ())}),
                checks=image_record.Checks(),
            )
        )
    )
    assert "class score mean" in page
    assert "Both photographs get" in page
    refused = {2: ImageAnswer(said[0].prediction, None, ("This is nothing like them.",))}
    made = replace(said[0], more=image_record.MoreAnswers(others=refused), checks=image_record.Checks())
    page = words_of(html.html(made))
    assert re.search(r"Highest score: [^:]+, but: photograph 2 gets no answer", page)
    assert "class score mean" not in page
    document = image_record.document(made)
    assert "photograph 2 gets no answer" in document["cautions"]
    assert document["other_photographs_no_answer_because"] == [["This is nothing like them."]]
    framed = replace(said[0].photograph, framed="Changed by hand: turned by 90 degrees to the right.")
    assert "Changed by hand: turned by 90 degrees" in words_of(html.html(replace(said[0], photograph=framed)))


def test_dates_of_photographs_stand_in_the_record_in_their_order(said):
    """The page had them, and the record did not."""
    answer = ImageAnswer(said[0].prediction, None, ())
    dates = {1: date(2026, 9, 1), 3: date(2026, 3, 2)}
    more = image_record.MoreAnswers(others={2: answer, 3: answer}, dates=dates)
    made = replace(said[0], more=more, checks=image_record.Checks())
    over_time = image_record.document(made)["over_time"]
    assert over_time["dates"] == [
        {"photograph": 3, "date": "2026-03-02"},
        {"photograph": 1, "date": "2026-09-01"},
        {"photograph": 2, "date": None},
    ]
    assert over_time["changes"]
    assert all("photograph 3, 02 March 2026; " in sentence for sentence in over_time["changes"])
    page = words_of(html.html(made))
    assert "Dates as entered: photograph 3, 02 March 2026; photograph 1, 01 September 2026." in page
    assert all(sentence in page for sentence in over_time["changes"])
    assert image_record.document(said[0])["over_time"] is None
    assert "Dates as entered" not in words_of(html.html(said[0]))


def test_cautions_that_the_headline_does_not_name_stand_below_it(said):
    badges = [
        chips.QualityBadge(name, chips.CAUTION, "x", "y")
        for name in ("size", "lesion", "exposure", "likeness")
    ]
    made = replace(said[0], checks=image_record.Checks(chips=badges))
    *named, last = [words for words in made.cautions if words not in made.test_set.card.cautions]
    page = words_of(html.html(made))
    assert re.search(r"Highest score: .*; and \d+ more cautions? below", page)
    assert named[0] == "unlike the test images"
    assert re.search(
        f"On the test set the model is right on .* Further cautions: [^.]*{re.escape(last)}", page
    )
    withheld = words_of(html.html(replace(made, checks=image_record.Checks(chips=badges, abstentions=["z"]))))
    assert "Further cautions" not in withheld


def test_the_record_fits_where_little_is_known(said):
    bare = image_record.Record(said[0].photograph, said[0].model, said[0].prediction)
    assert "was not compared with cases whose class is known" in words_of(html.html(bare))


def test_the_record_names_a_test_set_that_the_model_could_not_be_run_on(said):
    because = "The model could not be run on the test set: It crashed."
    unused = image_record.UnusedTestSet("mine.zip", because)
    made = replace(said[0], test_set=image_record.OnTestSet(unused=unused), checks=image_record.Checks())
    found = image_record.document(made)
    assert found["test_set"] is None
    assert found["test_set_not_compared"] == {"name": "mine.zip", "because": because, "running": False}
    assert image_record.document(said[0])["test_set_not_compared"] is None
    page = words_of(html.html(made))
    assert "Test set mine.zip, not compared" in page
    assert f"The model was not compared with cases whose class is known. {because}" in page
    running = replace(made, test_set=image_record.OnTestSet(unused=replace(unused, running=True)))
    assert UNFINISHED in image_record.document(running)["cautions"]
    assert UNFINISHED in words_of(html.html(running))
    described = (ROOT / "docs" / "single-image.md").read_text()
    assert {"test_set_not_compared", "cross_validated_in_parts"} <= set(re.findall(r"`([\w.]+)`", described))


def test_a_second_model_stands_in_the_record_beside_the_first(said):
    other = replace(said[0].prediction, probabilities=said[0].prediction.probabilities[::-1].copy())
    second = image_record.SecondModel("<b>Second</b>", "ab" * 32, other)
    whole = replace(
        said[0], model_name="First", more=image_record.MoreAnswers(second=second), scores_shown=True
    )
    page = words_of(html.html(whole))
    assert "class First <b>Second</b> difference" in page
    assert f"Its SHA-256: {'ab' * 32}" in page
    assert "Second model" not in words_of(html.html(replace(whole, more=image_record.MoreAnswers())))
    found = image_record.document(whole)["second_model"]
    assert list(found["scores"].values()) == other.probabilities.tolist()
    assert (found["name"], found["sha256"]) == ("<b>Second</b>", "ab" * 32)
    assert (found["model_card"], found["cautions"]) == (None, ["it is not known how good the model is"])
    known = replace(second, card=said[0].test_set.card)
    with_card = replace(whole, more=image_record.MoreAnswers(second=known))
    found = image_record.document(with_card)["second_model"]
    assert found["model_card"] == image_record.document(whole)["model_card"]
    assert words_of(html.html(with_card)).count("On the test set the model is right on ") == 2
    same = replace(with_card, model_name="<b>Second</b>")
    assert "<b>Second</b> (first model)" in words_of(html.html(same))
