"""What is said of a result: every sentence names its test set and says nothing that a research-use label
forbids."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from scoring.inference import image_sanitizer
from scoring.metrics.conformal import Coverage
from scoring.metrics.image_quality import Quality, Tissue
from scoring.single_image import quality, wording
from scoring.single_image.abstention import reasons
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews
from scoring.single_image.model_card import model_card
from scoring.single_image.model_inputs import model_task
from scoring.single_image.side_by_side import models_line
from scoring.single_image.similar_cases import ClassSet, FailedCases, Reference, RightShare, class_set
from scoring.statistics.intervals import Share, counted
from tests.support.banned_words import banned

CLASSES = ("MEL", "NV", "BCC", "DF", "INF", "VASC")


def an_answer(*probabilities: float) -> ImagePrediction:
    row = np.array(probabilities)
    return ImagePrediction(np.zeros((8, 8, 3), np.uint8), None, row, "probabilities", row, None, 1.0)


def a_reference(support=(20,) * 6, generated=True) -> Reference:
    truth = np.repeat(np.arange(len(support)), support)
    rows = np.eye(6)[truth]
    return Reference(
        "t",
        generated,
        CLASSES,
        tuple(map(str, range(len(truth)))),
        np.arange(len(truth)),
        truth,
        rows,
        "probabilities",
        rows,
        truth,
    )


def right(hits, n, every=False) -> RightShare:
    return RightShare(counted(hits, n), 0.66, 0.74, every, counted(18, 25))


UNTRIED = Coverage(None, (None,) * 6)


def a_set(members, always=(0,) * 6, coverage=UNTRIED) -> ClassSet:
    return ClassSet(np.array(members, bool), 0.1, np.array(always, bool), coverage, 9)


STILL, MOVING = (
    TurnedViews(np.tile([0.6, 0.4], (8, 1))),
    TurnedViews(np.array([[0.6, 0.4]] * 2 + [[0.4, 0.6]] * 6)),
)
WIDE = a_set(
    [1, 1, 1, 1, 1, 0],
    [0, 1, 0, 0, 0, 0],
    Coverage(Share(92, 100, 0.84, 0.95), (Share(18, 20, 0.7, 0.97), *[None] * 5)),
)


def every_sentence():
    one = an_answer(0.7, 0.1, 0.1, 0.05, 0.03, 0.02)
    chips = []
    for values in itertools.product((100, 600), (0.1, 0.5, 4), (30, 130, 240), (0.0, 1.0), (0.0, 0.2)):
        side, sharp, light, share, stop = values
        found = Quality(
            side,
            sharp,
            5 * sharp,
            light,
            share,
            share,
            share,
            stop,
            Tissue(share, 1 - share, 0.2),
            1.5 + light / 100,
        )
        chips += [
            *quality.photograph_chips(found, 512),
            *quality.photograph_chips(found, 512, [replace(found, edges=n / 30) for n in range(99)]),
            *quality.tile_chips(found, 900, 900, 0.23, None),
            *quality.tile_chips(found, 900, 900, 0.23, 0.5),
        ]
    yield from (chip.words for chip in chips)
    for support in ((20,) * 6, (3, 20, 20, 20, 20, 20), (0,) * 6):
        for generated in (True, False):
            yield wording.right_line(right(12, 20), a_reference(support, generated), "MEL")
    yield wording.right_line(right(0, 0), a_reference((0,) * 6), "MEL")
    yield wording.right_line(right(1, 1), a_reference((2, 0, 0, 0, 0, 0)), "MEL")
    yield wording.headline(one, CLASSES, wording.cautions(chips, MOVING))
    for found in (WIDE, a_set([1, 0, 0, 0, 0, 0]), a_set([0] * 6)):
        yield wording.set_line(found, CLASSES, 0)
        for views, seen in itertools.product((None, STILL, MOVING), (chips, ())):
            yield from reasons(0.2, 0.3, views, seen, "It gave no number.")
    yield wording.views_line(MOVING)
    yield wording.dropped_line(image_sanitizer.KINDS)
    yield wording.dropped_line(())
    yield wording.dropped_line(image_sanitizer.KINDS, keeps_file=True)
    yield wording.map_line("MEL", 0.7, 0.41)
    yield wording.map_line("MEL", 0.4, 0.7)
    yield wording.map_line("MEL", 0.4, 0.4)
    yield from (
        wording.TURNED,
        wording.MAP,
        wording.ALIKE,
        wording.EXCHANGEABLE,
        wording.UNKNOWN_INPUT,
        wording.PRIVACY,
        wording.CONSENT,
    )
    for challenge in ("tricorder3", "melanoma", "isic"):
        yield from model_task(challenge, ("MEL", "NV", "UNK")).names


def test_images_on_which_the_model_fails_are_named_with_the_test_set():
    failed = FailedCases(np.arange(120, 138), np.zeros(18, int), np.arange(120, 138))
    line = wording.right_line(right(12, 20), replace(a_reference(), failed=failed), "MEL")
    assert "(n = 120, computer-generated, 20 per class; no valid output for 18 more)" in line


def test_no_result_says_what_it_must_not():
    said = list(every_sentence())
    assert len(said) > 100
    assert {text: banned(text) for text in said if banned(text)} == {}
    assert all(text.strip() and "nan" not in text.lower().split() for text in said)


@pytest.mark.parametrize(
    "text",
    [
        "The diagnosis is melanoma",
        "Refer to a specialist",
        "referral advised",
        "a biopsy",
        "URGENT",
        "this is safe",
        "healthy skin",
        "low risk",
        "low-risk lesion",
        "70 % chance of melanoma",
        "you have melanoma",
        "your risk",
        "melanoma is ruled out",
        "Melanoma cannot be ruled out",
        "This rules out melanoma",
        f"{wording.BANNER} Diagnosis: melanoma",
    ],
)
def test_banned_words_are_found(text):
    assert banned(text)


@pytest.mark.parametrize(
    "text",
    [
        wording.BANNER,
        wording.BANNER.replace("**", ""),
        wording.RESEARCH_USE,
        "reference cases",
        "Safe-Scan Melanoma",
        "unsafe path",
    ],
)
def test_labels_and_names_are_allowed(text):
    assert banned(text) == []


def test_numbers_name_their_test_set():
    names = ("Melanoma", "Melanocytic nevus", *CLASSES[2:])
    line = wording.right_line(right(24, 34), a_reference(), names[0])
    assert line == (
        "In this test set (n = 120, computer-generated, 20 per class) the model was right on 24 "
        "of 34 (71%; 54 to 83%) images whose highest score is most similar to this image's (0.66 "
        "to 0.74). When the model predicted Melanoma, with any score, it was right on 18 of 25 "
        "(72%; 52 to 86%). These shares hold only for images like the images of the test set."
    )
    assert "too few to compare high and low scores" in wording.right_line(
        right(24, 34, True), a_reference(), "Melanoma"
    )
    assert "n = 103, 3 to 20 per class" in wording.of_test_set(
        a_reference((3, 20, 20, 20, 20, 20), generated=False)
    )
    # "40 to 80 per class" was said of seven classes, five of them without a case
    assert "n = 120, 40 to 80 per class; no case of 4 of 6 classes)" in wording.of_test_set(
        a_reference((40, 80, 0, 0, 0, 0), generated=False)
    )


@pytest.mark.parametrize(("cases", "words"), [(0, "no other case"), (1, "one other case")])
def test_a_test_set_of_one_case_gets_a_sentence(cases, words):
    line = wording.right_line(right(cases, cases), a_reference((cases, 0, 0, 0, 0, 0)), "MEL")
    assert words in line
    assert "%" not in line


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("Melanoma", "Nevus"), "The model can only answer Melanoma or Nevus; it knows no other disease."),
        (CLASSES, "The model can only answer one of 6 classes; it knows no other disease."),
    ],
)
def test_beside_an_answer_stands_what_else_the_model_cannot_answer(names, said):
    """Beside "Melanoma 0.94" of a basal cell carcinoma nothing said that the model knows no carcinoma."""
    assert wording.only_line(names) == said
    assert banned(said) == []


@pytest.mark.parametrize(
    ("outputs", "kind", "raw"),
    [
        ((0.3, 0.7), "probabilities", ""),
        ((-0.5, 2.314), "logits", ", raw 2.31 (logits)"),
        ((12.0, 87.5), "percent", ", raw 87.5 (percent)"),
        ((40.0, 215.0), "bytes", ", raw 215 (bytes)"),
        ((0.9,), "not-normalised", ", raw 0.9 (not-normalised)"),
    ],
)
def test_outputs_that_are_no_probabilities_stand_beside_the_model(outputs, kind, raw):
    """The score said 0.94, and the raw output was only in a folded table and in the JSON."""
    one = replace(an_answer(0.3, 0.7), outputs=np.array(outputs), kind=kind)
    line = wording.model_line("a.onnx", one, ("Nevus", "Melanoma"))
    assert line == f"Model: a.onnx{raw}. It can only answer Nevus or Melanoma; it knows no other disease."
    other = replace(an_answer(0.7, 0.3), outputs=np.array([-0.85]), kind="logits")
    assert ", raw -0.85 (logits) for Melanoma. It" in wording.model_line("a", other, ("Nevus", "Melanoma"))


def test_sets_say_what_they_are_worth():
    line = wording.set_line(WIDE, CLASSES, 0)
    assert (
        "Benchside also made such a set for each test case of classes with enough cases, without that case "
        "and others of its patient or lesion. It contained the true class for 92 of 100 (92%; 84 to 95%) "
        "cases; " in line
    )
    assert "for cases of MEL: 18 of 20 (90%; 70 to 97%)." in line
    assert "fewer than 9 cases of NV" in line
    assert line.startswith(
        "A class counts as possible if its score reaches a limit that 90% of the test cases of this "
        "class reach. "
    )
    assert "needs 20 or more cases per class" in line
    assert "because it has the highest score" not in line
    added = ClassSet(np.array([True, False]), 0.1, np.array([False, False]), UNTRIED, 9, True)
    assert "Melanoma is added because it has the highest score" in wording.set_line(
        added, ("Melanoma", "Other"), 0
    )
    every = ClassSet(np.array([True, True]), 0.1, np.array([False, False]), UNTRIED, 9)
    assert "The set contains all classes" in wording.set_line(every, ("Melanoma", "Other"), 0)
    assert "With so few cases" in wording.set_line(every, ("Melanoma", "Other"), 0)
    tried = replace(every, coverage=Coverage(counted(104, 104), (counted(60, 60), None)))
    line = wording.set_line(tried, ("Melanoma", "Other"), 0)
    assert "always contain the true class" in line
    assert "of 104" not in line, "a trivial share got an interval"


def test_classes_without_cases_are_called_so_and_are_not_said_to_be_left_in_by_the_model():
    """Five of seven classes had no case: "fewer than 9 cases", and "the model excludes no class"."""
    found = a_reference((40, 80, 0, 0, 3, 0))
    line = wording.set_line(class_set(found, np.full(6, 1 / 6)), CLASSES, 0)
    assert "The test set has fewer than 9 cases of INF and no case of BCC, DF, VASC. Benchside cannot" in line
    none = wording.set_line(class_set(a_reference((40, 80, 0, 0, 0, 0)), np.full(6, 1 / 6)), CLASSES, 0)
    assert "The test set has no case of BCC, DF, INF, VASC. Benchside cannot" in none
    every = np.array([0.5, 0.5, 0, 0, 0, 0])
    held = replace(found, probabilities=np.tile(every, (len(found), 1)))
    line = wording.set_line(class_set(held, every), CLASSES, 0)
    assert "The model does not exclude any of the 2 classes with enough cases." in line
    assert "excludes no class" not in line
    few = wording.set_line(class_set(a_reference((5, 5, 5, 5, 5, 5)), every), CLASSES, 0)
    assert "excludes" not in few


def test_a_badge_with_a_tick_says_that_its_value_is_usual():
    """A tick stood beside "30% in skin colours", as if that were a fault that was excused."""
    found = Quality(600, 4.0, 20.0, 130.0, 0.0, 0.0, 0.3, 0.0, Tissue(0.1, 0.1, 0.2), 2.0)
    several = quality.photograph_chips(found, 512, [found] * 99)
    assert {chip.name: (chip.level, chip.value) for chip in several}["colours"] == (
        quality.GOOD,
        "in the usual range (30% in skin colours)",
    )
    alone = quality.photograph_chips(replace(found, skin=0.9), 512)
    assert next(chip.value for chip in alone if chip.name == "colours") == "enough (90% in skin colours)"


def test_the_slide_s_file_is_said_to_stay_with_what_it_contains():
    """ "stays in memory unchanged with program" was not understood."""
    kept = wording.dropped_line(("program", "date and time"), keeps_file=True)
    assert kept == (
        "The region contains only pixels. The slide's file stays in memory unchanged, with the program's "
        "name, date and time."
    )
    assert wording.dropped_line((), keeps_file=True).endswith("stays in memory unchanged.")
    removed = wording.dropped_line(("program",))
    assert removed == "Removed from the file: the program's name."


def test_a_tie_is_no_highest_class():
    """Eleven equal scores made "Highest score: Actinic keratosis 0.09"."""
    every = wording.headline(an_answer(*[1 / 6] * 6), CLASSES)
    assert every == "All classes have the same score: 0.17"
    two = wording.headline(an_answer(0.4, 0.1, 0.4, 0.1, 0, 0), CLASSES)
    assert two == f"No class has the highest score alone: {CLASSES[0]} and {CLASSES[2]} have 0.40"
    assert not banned(every + two)


def test_a_temperature_at_the_limit_of_the_search_is_not_said_to_fit_best():
    """A model of logits that say nothing got 20.09 = e^3; at 100 the loss is lower."""
    reference = a_reference((20,) * 6)
    flat = np.tile(np.array([0.9, 0.1, 0, 0, 0, 0]), (len(reference), 1))
    worthless = replace(reference, probabilities=flat)
    assert "the limit of the search" in wording.temperature_line(worthless)
    assert wording.temperature_line(worthless).startswith("The column “temperature-scaled” has the scores ")
    fitting = replace(reference, probabilities=0.3 / 6 + 0.7 * np.eye(6)[reference.truth])
    fitting.probabilities[::4] = np.roll(fitting.probabilities[::4], 1, axis=1)
    assert "which gives the smallest log loss on t (n = 120)." in wording.temperature_line(fitting)


def test_percent_is_said_and_is_no_logit():
    """Outputs of 0 to 100 were taken for logits, and every answer was "1.00"."""
    assert "are percent: the scores are the outputs divided by 100" in wording.kind_line("percent")
    assert "up to 255" in wording.kind_line("bytes")
    assert "not probabilities" in wording.kind_line("logits")
    assert wording.kind_line("probabilities") == ""


def test_cautions_stand_in_the_headline():
    one = an_answer(0.74, 0.26, 0, 0, 0, 0)
    chips = [
        quality.QualityBadge("sharpness", quality.CAUTION, "blurred", "x"),
        quality.QualityBadge("likeness", quality.CAUTION, "unlike them", "x"),
        quality.QualityBadge("exposure", quality.GOOD, "usual", "x"),
    ]
    known = model_card(a_reference(), np.arange(6) == 0)
    short = wording.cautions(chips, MOVING, known)
    assert wording.headline(one, CLASSES, short) == (
        "Highest score: MEL 0.74, but: unlike the test images; another class in 6 of 7 turned copies; blurred"
    )
    plain = wording.headline(one, CLASSES, wording.cautions(chips[2:], STILL, known))
    assert plain == "Highest score: MEL 0.74"
    untried = wording.headline(one, CLASSES, wording.cautions(chips[2:], STILL))
    assert untried == "Highest score: MEL 0.74, but: it is not known how good the model is"
    running = wording.headline(one, CLASSES, wording.cautions(chips[2:], STILL, runs=True))
    assert running == (
        "Highest score: MEL 0.74, but: the answer may change or be withdrawn while the model runs on the "
        "test set"
    )


def test_a_headline_names_the_three_gravest_cautions_and_counts_the_others():
    """Five cautions made a headline that nobody read to its end."""
    one, reference = an_answer(0.74, 0.26, 0, 0, 0, 0), a_reference()
    chips = [
        quality.QualityBadge("sharpness", quality.CAUTION, "blurred", "x"),
        quality.QualityBadge("likeness", quality.CAUTION, "unlike them", "x"),
    ]
    rolled = np.roll(reference.probabilities, 1, axis=1)
    wrong = replace(reference, probabilities=rolled, units=np.arange(120))
    found = wording.cautions(
        chips, MOVING, model_card(wrong, np.arange(6) == 0), further=["age unknown: the model received 0"]
    )
    assert found[1:] == [
        "the model misses most malignant test images (20 of 20)",
        "unlike the test images",
        "another class in 6 of 7 turned copies",
        "age unknown: the model received 0",
        "blurred",
        "the model's scores are higher than its accuracy",
    ]
    assert found[0].startswith("on the test set the model is right less often than")
    head = wording.headline(one, CLASSES, found)
    assert head.endswith("; unlike the test images; and 4 more cautions in the model card")
    assert wording.headline(one, CLASSES, found[:4]).endswith("images; and 1 more caution in the model card")
    assert wording.headline(one, CLASSES, found[:3]).endswith("; unlike the test images")
    assert wording.further_line(found) == f"Further cautions: {'; '.join(found[3:])}."
    assert wording.further_line(found[:3]) == ""
    assert banned(head) == []


@pytest.mark.parametrize(
    ("score", "shown"), [(0.999, ">0.99"), (0.9949, "0.99"), (1 - 1e-9, "1.00"), (1.0, "1.00")]
)
def test_a_score_is_1_only_if_it_is_1(score, shown):
    """A score of 0.999 was "1.00" in the headline."""
    assert wording.headline(an_answer(score, 1 - score), CLASSES[:2]) == f"Highest score: MEL {shown}"
    models = models_line(an_answer(score, 1 - score), an_answer(0.002, 0.998), CLASSES[:2], ("a", "b"))
    assert models == f"The models differ: a gives MEL {shown}, b gives NV >0.99."
    alike = wording.right_line(replace(right(18, 30), low=score, high=score), a_reference(), "MEL")
    assert f"most similar to this image's ({shown})." in alike


@pytest.mark.parametrize(
    ("failed", "shown"),
    [
        (0, ""),
        (1, "; 1 without a valid output is left out"),
        (15, "; 15 without a valid output are left out"),
    ],
)
def test_cases_that_are_left_out_of_a_gallery_are_counted(failed, shown):
    """ "n = 105" of a test set of 120 said nothing of the other 15."""
    left = FailedCases(*[np.arange(failed)] * 3)
    assert wording.number_line(replace(a_reference(), failed=left)) == f"n = 120{shown}"
