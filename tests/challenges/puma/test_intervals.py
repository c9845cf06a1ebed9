"""Replicates: every quantity equals the scorer's own on the repeated images, and the intervals are quantiles
of them."""

from functools import partial

import numpy as np
import pytest

from scoring.challenges.puma import nuclei_matching
from scoring.challenges.puma.formula import METRICS, quantities
from scoring.challenges.puma.nuclei_matching import MatchingRule, detections
from scoring.statistics.replicates import replicate_weights
from tests.challenges.puma.drawn import realistic
from tests.support import nuclei_lists as plain
from tests.support.findings import codes, only, refused
from tests.support.nuclei_lists import CHALLENGE, CLASSES, card, nucleus, numbered
from tests.support.thinned import crossed

REPLICATES, NEAR = 20, 1e-12


def evaluator(images, rules: str):
    """The challenge's quantities of weights [B, N], after matching once."""
    truth = CHALLENGE.read_truth(plain.files(numbered(images[0])))
    found = detections(truth, CHALLENGE.read_predictions(plain.files(numbered(images[1])), truth))
    counted = {
        name: nuclei_matching.tallies(found, nuclei_matching.match(found, MatchingRule(name)))
        for name in plain.RULES
    }
    return partial(quantities, rules, counted)


def expected(images, rows, in_data: int) -> dict[str, float | None]:
    """The metrics of the images `rows`, an image as often as it stands there."""
    counts = {name: [plain.tallies(t, p, name) for t, p in zip(*images, strict=True)] for name in plain.RULES}
    drawn = {name: [counts[name][i] for i in rows] for name in plain.RULES}
    found = {METRICS[name]: plain.macro_f1(name, drawn[name], in_data) for name in plain.RULES}
    hits, support, predicted = (
        sum(image[name][k] for image in drawn["description"] for name in CLASSES) for k in range(3)
    )
    found |= {
        "micro_f1": plain.f1(hits, support, predicted),
        "micro_precision": hits / predicted,
        "micro_recall": hits / support,
    }
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rules"), crossed(range(3), plain.RULES, 3))
def test_replicates_are_the_scorer_on_the_repeated_images(seed, rules):
    images = realistic(seed, images=6, nuclei=25)
    n = len(images[0])
    in_data = len({entry["class"] for side in images for image in side for entry in image})
    weights = np.concatenate(list(replicate_weights(np.arange(n), REPLICATES, seed)))
    found = evaluator(images, rules)(weights)
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=REPLICATES)
    assert any((count == 0).any() for count in counts)
    for b, count in enumerate(counts):
        rows = np.repeat(np.arange(n), count)
        wanted = expected(images, rows, in_data)
        assert {name: found[name][b] for name in wanted} == pytest.approx(wanted, abs=NEAR)
        assert found["score"][b] == found[METRICS[rules]][b]
        for name in CLASSES:
            value = plain.class_value(
                rules, [plain.tallies(images[0][i], images[1][i], rules)[name] for i in rows]
            )
            assert found["f1", name][b] == pytest.approx(
                np.nan if value is None else value, abs=NEAR, nan_ok=True
            )


@pytest.mark.parametrize("rules", plain.RULES)
def test_intervals_are_percentiles(rules):
    images = realistic(5)
    scored = card(*map(numbered, images), rules=rules, resamples=200, seed=4, interval="percentile")
    found = evaluator(images, rules)(np.concatenate(list(replicate_weights(np.arange(8), 200, 4))))
    for name in ("score", *METRICS.values(), "micro_f1", "micro_precision", "micro_recall"):
        assert scored.intervals[name] == pytest.approx(np.quantile(found[name], [0.025, 0.975]).tolist())
    assert scored.per_class["tumor"]["f1_interval"] == pytest.approx(
        np.quantile(found["f1", "tumor"], [0.025, 0.975]).tolist()
    )
    assert np.array_equal(scored.arrays["score_replicates"], found["score"])


def test_one_image_has_no_interval():
    scored = card({"a": [nucleus("tumor", 0, 0)]}, {"a": [nucleus("tumor", 1, 0)]}, resamples=50)
    assert set(scored.intervals.values()) == {None}
    assert scored.per_class["tumor"]["f1_interval"] is None
    assert "few-units" in codes(scored.findings)


def test_without_replicates_there_is_nothing():
    scored = card({"a": [nucleus("tumor", 0, 0)]}, {"a": []})
    assert scored.intervals == {}
    assert "f1_interval" not in scored.per_class["tumor"]
    assert "few-units" not in codes(scored.findings)


@pytest.mark.parametrize(
    ("interval", "method"), [("jackknife", "jackknife"), ("bca", "bca"), ("auto", "wilson t")]
)
def test_other_kinds_of_interval(interval, method):
    scored = card(*map(numbered, realistic(6)), resamples=100, interval=interval)
    low, high = scored.intervals["score"]
    assert low < scored.score < high
    assert scored.provenance["interval"] == method


def test_below_six_images_there_is_no_interval():
    scored = card(*map(numbered, realistic(6, images=5)), resamples=100)
    assert set(scored.intervals.values()) == {None}
    assert (scored.provenance["interval"], scored.provenance["options"]["interval"]) == (None, "auto")
    assert only(scored.findings, "few-units").message == (
        "With only 5 units to resample, no interval is computed: 6 are needed. Telling teams apart needs 20."
    )


def test_below_a_hundred_images_the_jackknife_stands_beside():
    truth, predictions = map(numbered, realistic(6))
    beside = card(truth, predictions, resamples=10).more["score_jackknife_interval"]
    assert beside == card(truth, predictions, resamples=10, interval="jackknife").intervals["score"]
    assert "score_jackknife_interval" not in card(truth, predictions).more
    assert card({"a": truth["roi_000"]}, {"a": []}, resamples=10).more["score_jackknife_interval"] is None
    many = numbered([[nucleus("tumor", 0, 0)]] * 100)
    assert "score_jackknife_interval" not in card(many, many, resamples=10).more


def test_images_of_one_patient_are_drawn_together():
    images = realistic(7, images=4)
    table = b"case_id,patient\nroi_000,a\nroi_001,a\nroi_002,b\nroi_003,b\n"
    scored = card(*map(numbered, images), resamples=30, metadata=table, group="patient")
    assert (scored.provenance["unit"], scored.provenance["n_units"]) == ("patient", 2)
    assert scored.arrays["units"].tolist() == [0, 0, 1, 1]
    drawn = np.concatenate(list(replicate_weights(np.array([0, 0, 1, 1]), 30, 0)))
    assert np.array_equal(scored.arrays["score_replicates"], evaluator(images, "description")(drawn)["score"])


def test_metadata_alone_changes_no_unit():
    scored = card(
        *map(numbered, realistic(7, images=2)),
        resamples=10,
        metadata=b"case_id,patient_id\nroi_000,a\nroi_001,a\n",
    )
    assert (scored.provenance["unit"], scored.provenance["n_units"]) == ("case", 2)


def test_metadata_of_no_case():
    truth, predictions = map(numbered, realistic(7, images=2))
    refusal = refused(card, truth, predictions, metadata=b"case_id,patient\nother,a\n", group="patient")
    assert codes(refusal.problems) == ["no-common-case"]
