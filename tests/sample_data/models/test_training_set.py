"""Training images go the way that test images go."""

import numpy as np
import pytest

from sample_data.generator.case import SYMBOLS
from sample_data.generator.testset import entries
from sample_data.models import training_set
from sample_data.models.task import TASKS
from sample_data.models.train_kmeans import CENTRE_SPREAD, centre_weights, colour_filters, patches


def test_pooled_pixels_are_means():
    picture = np.random.default_rng(0).integers(0, 256, (512, 512, 3), dtype=np.uint8)
    pooled = training_set.pooled(picture, 4)
    assert pooled.shape == (128, 128, 3)
    assert pooled[5, 7, 2] == round(float(picture[20:24, 28:32, 2].mean()))


@pytest.mark.parametrize("name", TASKS)
def test_training_and_test_images_have_no_seed_in_common(name):
    task = TASKS[name]
    tested = {entry.seed for entry in entries(task.sample)}
    trained = {entry.seed for entry in entries(task.plan(training_set.PER_CLASS, training_set.FIRST_SEED))}
    assert tested.isdisjoint(trained)


def test_training_images_are_taken_as_the_test_images_are():
    for task in TASKS.values():
        plan = task.plan(1, 77)
        assert (plan.view, plan.sizes, plan.quality) == (
            task.sample.view,
            task.sample.sizes,
            task.sample.quality,
        )


def test_only_classes_that_the_challenge_has_are_labelled():
    classes = np.arange(len(SYMBOLS))
    blank = np.zeros((len(SYMBOLS), 2, 2, 3), np.uint8)
    examples = training_set.Examples(blank, blank, classes, classes, np.zeros((len(SYMBOLS), 3), np.float32))
    named = {name: training_set.labelled(examples, task) for name, task in TASKS.items()}
    assert {name: len(labels) for name, (_, labels) in named.items()} == {
        "tricorder3": 11,
        "melanoma": 11,
        "isic2018": 7,
        "isic2019": 11,
    }
    assert [SYMBOLS[index] for index in named["isic2018"][0].classes] == [
        "AKIEC",
        "BCC",
        "BKL",
        "DF",
        "MEL",
        "NV",
        "VASC",
    ]
    assert named["isic2018"][1].tolist() == [3, 2, 4, 5, 0, 1, 6]
    assert named["isic2019"][1].tolist() == [3, 2, 8, 4, 5, 8, 8, 0, 1, 7, 6]
    assert named["melanoma"][1].tolist() == [int(symbol == "MEL") for symbol in SYMBOLS]


def test_a_tenth_is_forgotten_and_the_rest_kept():
    known = np.tile(np.float32([50, 1, 3]), (5000, 1))
    forgotten = training_set.forget_some(known, np.random.default_rng(0))
    unknown = forgotten == np.float32(training_set.UNKNOWN)
    assert unknown.mean(axis=0) == pytest.approx([0.1] * 3, abs=0.02)
    assert (forgotten[~unknown] == known[~unknown]).all()


@pytest.mark.soak
def test_examples_survive_saving_and_joining(tmp_path):
    examples = training_set.draw(TASKS["tricorder3"], 1, 77, workers=1)
    assert sorted(examples.classes) == list(range(len(SYMBOLS)))
    assert examples.small.shape == (11, 160, 160, 3)
    training_set.save(examples, tmp_path / "a.npz")
    twice = training_set.load([str(tmp_path / "a.npz")] * 2)
    assert (twice.pooled[11:] == examples.pooled).all()
    assert (twice.demographics[:11] == examples.demographics).all()


def test_patches_are_centred_and_of_unit_deviation():
    pictures = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3), dtype=np.uint8)
    samples = patches(pictures, np.random.default_rng(0))
    assert samples.mean(axis=1) == pytest.approx(np.zeros(len(samples)), abs=1e-5)
    assert samples.std(axis=1).mean() == pytest.approx(1, abs=0.1)


def test_colour_filters_answer_to_plain_colours_above_their_threshold():
    filters, biases = colour_filters()
    reddish = np.array([0.2, 0.9, 0.7])  # optical densities of red, green and blue
    answers = np.einsum("nchw,c->n", filters, reddish) + biases
    assert answers[2] == pytest.approx(0.9 - 0.5)
    assert answers[1] == pytest.approx(0.2 - 0.9)


def test_centre_weights_have_mean_one_and_fall_off():
    weights = centre_weights(64)
    assert weights.mean() == pytest.approx(1)
    assert weights[32, 32 + CENTRE_SPREAD] / weights[32, 32] == pytest.approx(
        np.exp(-(13.5**2 - 0.5**2) / (2 * 13**2))
    )
