"""What is said of a score: changed rules, absent classes, small samples, and where the platform would do
otherwise."""

from tests.challenges.puma.drawn import realistic
from tests.support.findings import codes, only, places
from tests.support.nuclei_lists import CLASSES, card, nucleus, numbered

TUMOR = nucleus("tumor", 5, 5)


def test_the_challenge_rule_is_not_remarked_upon():
    assert "changed-rules" not in codes(card({"a": [TUMOR]}, {"a": [TUMOR]}).findings)


def test_another_radius_or_confidence_is():
    assert (
        "12 px" in only(card({"a": [TUMOR]}, {"a": [TUMOR]}, radius=12.0).findings, "changed-rules").message
    )
    assert (
        "0.3"
        in only(card({"a": [TUMOR]}, {"a": [TUMOR]}, min_confidence=0.3).findings, "changed-rules").message
    )


def test_classes_that_are_absent_or_never_predicted():
    found = card(
        {"a": [TUMOR, nucleus("epithelium", 90, 90)]}, {"a": [TUMOR, nucleus("neutrophils", 40, 40)]}
    ).findings
    absent = [name for name in CLASSES if name not in ("tumor", "epithelium")]
    assert [place for place in places(found) if place[0] == "absent-class"] == [
        ("absent-class", name) for name in absent
    ]
    assert only(found, "never-predicted").where == "epithelium"
    assert "predicted 1 time" in next(f.message for f in found if f.where == "neutrophils")


def test_few_images():
    truth, predictions = map(numbered, realistic(0, images=3))
    assert only(card(truth, predictions, resamples=10).findings, "few-cases-in-class").where == "per_class"
    assert "few-cases-in-class" not in codes(card(truth, predictions).findings)


def test_few_images_of_a_class():
    images = numbered([[TUMOR]] * 14 + [[TUMOR, nucleus("lymphocytes", 90, 90)]])
    found = card(images, images, resamples=10).findings
    assert only(found, "few-cases-in-class").where == "lymphocytes"


def test_where_the_platform_would_do_otherwise():
    truth = {"a": [TUMOR], "b": [TUMOR]}
    submitted = {"a": [nucleus("tumor", 5, 5, probability=0.4)]}
    official = card(truth, submitted, rules="grand-challenge").findings
    assert codes(official).count("differs-from-platform") == 2
    assert "1 nucle" in only(official, "confidence-not-read").message
    assert not {"differs-from-platform", "confidence-not-read"} & set(codes(card(truth, submitted).findings))
