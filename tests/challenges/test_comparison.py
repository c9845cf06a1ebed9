"""What every challenge tells comparisons of itself, on its sample test set."""

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.comparison.pairs import value_of
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, ValueSample, components
from scoring.statistics.replicates import array_name

RESAMPLES = 30


@pytest.fixture(scope="module", params=scoring.challenge_ids())
def found(request):
    challenge, sample = (
        scoring.load_challenge(request.param),
        next(iter(samples.test_sets(request.param).values())),
    )
    truth = challenge.read_truth(sample.path)
    sent = [s for s in sample.submissions.values() if not str(s.path).endswith(".onnx")][:2]
    teams = {submission.path.stem: challenge.read_predictions(submission.path, truth) for submission in sent}
    return scoring.compare(challenge, truth, teams, resamples=RESAMPLES)


@pytest.mark.parametrize(
    "challenge_id", [c for c in scoring.challenge_ids() if hasattr(scoring.load_challenge(c), "NOT_COMPARED")]
)
def test_what_comparisons_leave_out_changes_no_number(challenge_id):
    challenge, sample = (
        scoring.load_challenge(challenge_id),
        next(iter(samples.test_sets(challenge_id).values())),
    )
    truth = challenge.read_truth(sample.path)
    predictions = challenge.read_predictions(next(iter(sample.submissions.values())).path, truth)
    whole = challenge.score(truth, predictions, resamples=RESAMPLES)
    less = challenge.score(truth, predictions, resamples=RESAMPLES, with_curves=False)
    assert less.to_json() == whole.to_json()
    assert set(less.arrays) < set(whole.arrays)


def test_metrics_are_those_of_the_cards_with_replicates(found):
    for card in found.cards.values():
        for metric in found.spec.metrics:
            assert metric in card.metrics
            assert card.arrays[array_name(metric)].shape == (RESAMPLES,)
            assert not card.arrays[array_name(metric)].flags.writeable


def test_every_class_has_a_measure_with_replicates(found):
    for card in found.cards.values():
        for name, row in card.per_class.items():
            measure = next(m for m in found.spec.class_measures if m in row)
            assert card.arrays[array_name((measure, name))].shape == (RESAMPLES,)


def test_a_sample_gives_the_metric_itself(found):
    measured = {
        f"{measure}/{name}"
        for card in found.cards.values()
        for name, row in card.per_class.items()
        for measure in row
    }
    named = {*next(iter(found.cards.values())).intervals, *measured}
    tested = 0
    for card in found.cards.values():
        for metric in sorted(named):
            sample, value = found.spec.sample(card, metric), value_of(card, metric)
            if sample is None or value is None:
                continue
            if isinstance(sample, BinarySample):
                assert value == pytest.approx(sample.right.mean(), abs=1e-12)
            elif isinstance(sample, ValueSample):
                assert value == pytest.approx(sample.values.mean(), abs=1e-12)
            else:
                assert value == pytest.approx(components(sample.scores, sample.positive)[0].mean(), abs=1e-12)
            tested += 1
    assert tested or found.challenge == "puma"


def test_cases_are_right_by_0_to_1(found):
    for card in found.cards.values():
        right = found.spec.correct(card)
        assert right.shape == (card.n_cases,)
        assert 0 <= np.nanmin(right) <= np.nanmax(right) <= 1


def test_slices_count_what_they_measure(found):
    for card in found.cards.values():
        for groups in found.spec.slices(card).values():
            for row in groups.values():
                for measure, (overall, counted) in found.spec.slice_measures.items():
                    assert measure in row
                    assert overall in card.metrics
                    assert row[counted] >= 0


def test_the_usual_parameters_recombine_to_the_score_in_every_replicate(found):
    change = found.spec.what_if
    if change is None:
        return
    usual = {parameter.name: parameter.usual for parameter in change.parameters}
    assert all(parameter.low <= parameter.usual <= parameter.high for parameter in change.parameters)
    for card in found.cards.values():
        drawn = change.rescore(
            lambda name, card=card: card.arrays.get(array_name(name), np.full(RESAMPLES, card.metrics[name])),
            usual,
        )
        assert drawn == pytest.approx(card.arrays["score_replicates"], abs=1e-12)
