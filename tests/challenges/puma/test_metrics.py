"""Every number of a PUMA scorecard against plain loops."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.challenges.puma.drawn import RULES, SETS, realistic
from tests.support import nuclei_lists as plain
from tests.support.findings import codes, refused
from tests.support.nuclei_lists import CLASSES, card, f1, nucleus, numbered, tallies

RADII = st.sampled_from((6.0, 15.0, 20.0))
LEAST = st.sampled_from((None, 0.0, 0.5))
NEAR = 1e-12


def scored(images, **options):
    truth, predictions = images
    return card(numbered(truth), numbered(predictions), **options)


def counted(images, rules: str, radius: float = 15, least: float | None = None) -> list[dict]:
    return [tallies(t, p, rules, radius, least) for t, p in zip(*images, strict=True)]


def summed(counts: list[dict], name: str) -> tuple[int, ...]:
    return tuple(sum(image[name][k] for image in counts) for k in range(3))


@settings(max_examples=60)
@given(SETS, RULES, RADII, LEAST)
def test_three_scores_restated(images, rules, radius, least):
    found = scored(images, rules=rules, radius=radius, min_confidence=least)
    expected = {name: plain.score(*images, name, radius, least) for name in plain.RULES}
    assert found.metrics["macro_f1"] == pytest.approx(expected["description"], abs=NEAR)
    assert found.metrics["macro_f1_grand_challenge"] == pytest.approx(expected["grand-challenge"], abs=NEAR)
    assert found.metrics["macro_f1_pooled"] == pytest.approx(expected["pooled"], abs=NEAR)
    assert found.score == pytest.approx(expected[rules], abs=NEAR)


@pytest.mark.slow
@given(SETS, RULES, LEAST)
def test_other_metrics_restated(images, rules, least):
    metrics, counts = (
        scored(images, rules=rules, min_confidence=least).metrics,
        counted(images, "description", 15, least),
    )
    hits, support, predicted = (sum(summed(counts, name)[k] for name in CLASSES) for k in range(3))
    assert metrics["micro_f1"] == pytest.approx(f1(hits, support, predicted))
    assert metrics["micro_precision"] == (pytest.approx(hits / predicted) if predicted else None)
    assert metrics["micro_recall"] == pytest.approx(hits / support)
    assert (metrics["n_truth"], metrics["n_predicted"]) == (support, predicted)
    lymphocytes = summed(counts, "lymphocytes")
    assert metrics["til_share_truth"] == pytest.approx(lymphocytes[1] / support)
    assert metrics["til_share_predicted"] == (
        pytest.approx(lymphocytes[2] / predicted) if predicted else None
    )


@given(SETS, RULES)
def test_classes_restated(images, rules):
    found, counts = scored(images, rules=rules).per_class, counted(images, rules)
    assert list(found) == list(CLASSES)
    area = len(counts) * (1024 * 0.23 / 1000) ** 2
    for name, row in found.items():
        hits, support, predicted = summed(counts, name)
        perfect = [(image[name][1],) * 3 for image in counts]
        assert row == {
            "support": support,
            "predicted": predicted,
            "tp": hits,
            "fp": predicted - hits,
            "fn": support - hits,
            "precision": pytest.approx(hits / predicted) if predicted else None,
            "recall": pytest.approx(hits / support) if support else None,
            "f1": pytest.approx(plain.class_value(rules, [image[name] for image in counts]), abs=NEAR)
            if support + predicted
            else None,
            "best_possible_f1": pytest.approx(plain.class_value(rules, perfect)) if support else None,
            "f1_pooled": pytest.approx(f1(hits, support, predicted)) if support + predicted else None,
            "images_truth": sum(image[name][1] > 0 for image in counts),
            "images_predicted": sum(image[name][2] > 0 for image in counts),
            "per_mm2_truth": pytest.approx(support / area),
            "per_mm2_predicted": pytest.approx(predicted / area),
        }


@given(SETS, RULES)
def test_cases_restated(images, rules):
    found, counts = scored(images, rules=rules).cases, counted(images, rules)
    for row, image, case in zip(found, counts, numbered(images[0]), strict=True):
        values = {name: f1(*image[name]) for name in CLASSES if f1(*image[name]) is not None}
        hits, support, predicted = (sum(image[name][k] for name in CLASSES) for k in range(3))
        assert row["case"] == case
        assert row["f1"] == pytest.approx(values)
        assert row["macro_f1"] == (pytest.approx(sum(values.values()) / len(values)) if values else None)
        assert row["micro_f1"] == (pytest.approx(f1(hits, support, predicted)) if values else None)
        assert [row[k] for k in ("n_truth", "n_predicted", "tp", "fp", "fn")] == [
            support,
            predicted,
            hits,
            predicted - hits,
            support - hits,
        ]
        assert (row["width"], row["height"], row["missing"]) == (1024, 1024, False)


def confusion(images, rules: str, least: float) -> list[list[int]]:
    """The cross-class matrix: matches first, then the nearest of what is left over, whatever its class."""
    counts = [[0] * 11 for _ in range(11)]
    for truth, predictions in zip(*images, strict=True):
        pairs = [(i, j) for i, j, _ in plain.matched(truth, predictions, rules, 15, least)]
        left = (
            [i for i in range(len(truth)) if i not in {i for i, _ in pairs}],
            [j for j in plain.left(predictions, least) if j not in {j for _, j in pairs}],
        )
        near = sorted(
            (math.dist(truth[i]["centroid"], predictions[j]["centroid"]), i, j)
            for i in left[0]
            for j in left[1]
        )
        for distance, i, j in near:
            if (
                i in left[0]
                and j in left[1]
                and (distance < 15 or (distance == 15 and rules != "grand-challenge"))
            ):
                pairs.append((i, j))
                left[0].remove(i)
                left[1].remove(j)
        for i, j in pairs + [(i, None) for i in left[0]] + [(None, j) for j in left[1]]:
            row, column = (
                10 if i is None else CLASSES.index(truth[i]["class"]),
                10 if j is None else CLASSES.index(predictions[j]["class"]),
            )
            counts[row][column] += 1
    return counts


@given(SETS, RULES, LEAST)
def test_confusion_restated(images, rules, least):
    found = scored(images, rules=rules, min_confidence=least)
    expected = confusion(images, rules, least)
    assert found.confusion_matrix == {"labels": [*CLASSES, "none"], "counts": expected}
    paired, n_truth, n_predicted = (
        sum(map(sum, (row[:10] for row in expected[:10]))),
        found.metrics["n_truth"],
        found.metrics["n_predicted"],
    )
    assert found.more["detection"] == {
        "f1": pytest.approx(2 * paired / (n_truth + n_predicted)),
        "precision": pytest.approx(paired / n_predicted) if n_predicted else None,
        "recall": pytest.approx(paired / n_truth),
    }


@pytest.mark.parametrize("key", ["score", "confidence", "probability"])
def test_a_confidence_below_zero_leaves_out_nothing(key):
    """As on the platform, which scores 1.0 here."""
    truth = [nucleus("tumor", 50 * i, 50) for i in range(4)]
    predicted = [
        {**entry, key: confidence} for entry, confidence in zip(truth, (-0.2, 0.3, -5.0, 1.2), strict=True)
    ]
    for rules in plain.RULES:
        found = scored(([truth], [predicted]), rules=rules)
        assert found.metrics["micro_f1"] == 1
        assert (found.metrics["n_predicted"], found.per_class["tumor"]["fp"]) == (4, 0)
        assert found.per_class["tumor"]["f1"] == 1
        assert (found.provenance["options"]["min_confidence"], "changed-rules" in codes(found.findings)) == (
            None,
            False,
        )
    assert scored(([truth], [predicted]), min_confidence=0.0).metrics["n_predicted"] == 2


@pytest.mark.parametrize("rules", plain.RULES)
def test_the_truth_itself_reaches_the_ceilings(rules):
    truth, _ = realistic(3)
    found = scored((truth, truth), rules=rules)
    classes = {entry["class"] for image in truth for entry in image}
    shares = [sum(any(e["class"] == name for e in image) for image in truth) / len(truth) for name in classes]
    best = {"description": len(classes) / 10, "grand-challenge": sum(shares) / len(shares), "pooled": 1.0}
    for name, key in (
        ("description", "macro_f1"),
        ("grand-challenge", "macro_f1_grand_challenge"),
        ("pooled", "macro_f1_pooled"),
    ):
        assert found.metrics[f"best_possible_{key}"] == pytest.approx(best[name])
        assert found.metrics[key] == pytest.approx(best[name])
    assert found.score == pytest.approx(best[rules])
    assert found.metrics["micro_f1"] == 1
    assert all(row["f1"] == row["best_possible_f1"] for row in found.per_class.values())


def test_a_missing_case_is_all_missed():
    truth = numbered([[nucleus("tumor", 5, 5)], [nucleus("tumor", 5, 5), nucleus("tumor", 50, 50)]])
    found = card(truth, {"roi_000": [nucleus("tumor", 5, 5)]})
    assert found.metrics["macro_f1"] == pytest.approx(0.5 / 10)
    assert [row["missing"] for row in found.cases] == [False, True]
    assert [row["fn"] for row in found.cases] == [0, 2]
    assert "missing-case" in codes(found.findings)


def test_an_empty_submission_has_no_precision():
    found = card({"a": [nucleus("tumor", 5, 5)]}, {"a": []})
    assert (found.score, found.metrics["micro_precision"], found.metrics["til_share_predicted"]) == (
        0,
        None,
        None,
    )
    assert "no-predictions" in codes(found.findings)


def test_an_image_empty_on_both_sides():
    images = [[nucleus("tumor", 5, 5)], []], [[nucleus("tumor", 5, 5)], []]
    found = scored(images)
    assert (found.cases[1]["macro_f1"], found.cases[1]["micro_f1"], found.cases[1]["til_share_truth"]) == (
        None,
        None,
        None,
    )
    assert found.metrics["macro_f1"] == pytest.approx(0.1)
    assert found.metrics["macro_f1_grand_challenge"] == pytest.approx(0.5)


def test_a_radius_of_nothing_is_refused():
    refusal = refused(scored, ([[nucleus("tumor", 5, 5)]], [[nucleus("tumor", 5, 5)]]), radius=0)
    assert [(p.code, p.where) for p in refusal.problems] == [("bad-option", "--radius")]


def test_the_refusal_of_a_rule_lists_the_rules():
    refusal = refused(scored, ([[nucleus("tumor", 5, 5)]], [[nucleus("tumor", 5, 5)]]), rules="seed")
    (problem,) = refusal.problems
    assert [name for name in plain.RULES if name not in problem.message] == []


def test_predictions_read_against_another_truth_are_no_submission():
    cases = plain.CHALLENGE.read_truth(plain.files({"a": [nucleus("tumor", 5, 5)]}))
    other = plain.CHALLENGE.read_truth(plain.files({"b": [nucleus("tumor", 5, 5)]}))
    found = plain.CHALLENGE.read_predictions(plain.files({"b": []}), other)
    with pytest.raises(ValueError, match="read against"):
        plain.CHALLENGE.score(cases, found)


def test_a_crowd_is_refused_and_not_matched(monkeypatch):
    monkeypatch.setattr("scoring.challenges.puma.nuclei_matching.MOST_PAIRS", 20)
    pile = [nucleus("tumor", k, 0) for k in range(5)]
    refusal = refused(scored, ([pile], [pile]))
    assert [(p.code, p.where) for p in refusal.problems] == [("too-large", "submission")]
    assert scored(([pile], [pile]), radius=1).score == pytest.approx(0.1)
