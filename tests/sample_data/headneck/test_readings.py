"""Readings are the truth, less what a team lacks in skill."""

from dataclasses import replace

import numpy as np
import pytest

from sample_data.generator.headneck.readings import UNKNOWN, Skill, outlined, readings
from sample_data.generator.headneck.tumours import GTVN, GTVP
from tests.sample_data.headneck.heads import GRID, ill

PERFECT = Skill(wobble=0, shift=0, overlooked=0, invented=0, confused=0, t_noise=0, n_noise=0, risk_noise=0)
PATIENT = ill(8, "T3", "N2b")
LABELS = PATIENT.disease.labels
PATIENTS = [
    ill(seed, t, n) for seed, (t, n) in enumerate([("T1", "N0"), ("T4", "N2b"), ("T0", "N1"), ("TX", "N3")])
]


def drawn(seed: int = 0, **lacking) -> np.ndarray:
    return outlined(LABELS, GRID, replace(PERFECT, **lacking), np.random.default_rng(seed))


def dice(first: np.ndarray, second: np.ndarray) -> float:
    return 2 * (first & second).sum() / (first.sum() + second.sum())


def test_perfect_skill_draws_the_truth():
    assert (drawn() == LABELS).all()


def test_outlines_shift_outwards_and_inwards():
    assert ((drawn(shift=5) > 0)[LABELS > 0]).all()
    assert np.count_nonzero(drawn(shift=5)) > np.count_nonzero(LABELS) > np.count_nonzero(drawn(shift=-5))


def test_wobbling_costs_dice_but_is_right_on_average():
    little, much = (
        np.mean([dice(drawn(seed, wobble=wobble) > 0, LABELS > 0) for seed in range(4)]) for wobble in (2, 6)
    )
    assert 1 > little > much + 0.03
    assert np.mean([np.count_nonzero(drawn(seed, wobble=2)) for seed in range(8)]) == pytest.approx(
        np.count_nonzero(LABELS), rel=0.15
    )


def test_small_lesions_are_overlooked_first():
    seen = [drawn(seed, overlooked=2.0) for seed in range(20)]
    primary, nodes = ([dice(one == kind, kind == LABELS) for one in seen] for kind in (GTVP, GTVN))
    assert np.mean(primary) > np.mean(nodes) + 0.2


def test_nodes_are_confused_with_the_primary():
    assert ((drawn(confused=1.0) == GTVP) == (LABELS > 0)).all()


def test_invented_lesions_lie_where_nothing_was_drawn():
    more = drawn(invented=20)
    assert (more[LABELS > 0] == LABELS[LABELS > 0]).all()
    assert np.count_nonzero(more) > np.count_nonzero(LABELS)


def test_perfect_skill_reads_stages_and_ranks_as_the_hazard():
    reading = readings(PATIENTS, {"perfect": PERFECT}, np.random.default_rng(0))["perfect"]
    assert reading.t_stages.tolist() == [1, 4, UNKNOWN, UNKNOWN]
    assert reading.n_stages.tolist() == [0, 2, 1, 3]
    assert reading.risk.argsort().tolist() == np.argsort([patient.hazard for patient in PATIENTS]).tolist()


def test_noise_stays_within_the_stages_and_is_partly_common():
    noisy = replace(PERFECT, t_noise=3, n_noise=3, risk_noise=1)
    found = readings(PATIENTS * 200, {"one": noisy, "other": noisy}, np.random.default_rng(0))
    assert set(found["one"].t_stages) == {1, 2, 3, 4}
    assert set(found["one"].n_stages) == {0, 1, 2, 3}
    same_patient = np.tile(np.arange(len(PATIENTS)), 200) == 1
    assert 0.3 < np.corrcoef(found["one"].risk[same_patient], found["other"].risk[same_patient])[0, 1] < 0.7
