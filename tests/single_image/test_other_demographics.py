"""Another age, gender or place: every answer is one of its own, and a sentence says where the highest class
becomes another."""

import numpy as np
import pytest

from scoring.inference.model_pool import Cancelled
from scoring.single_image.image_prediction import predict
from scoring.single_image.model_inputs import model_task, vector
from scoring.single_image.other_demographics import DemographicSweep, changes, sweep
from tests.inference import builders
from tests.support.single_image import PATIENT, lesion, model, of_quadrant, photograph


def test_each_row_is_an_answer_of_its_own():
    shown = photograph(lesion(64))
    with model(builders.classifier()) as found:
        one = predict(found, shown, vector(PATIENT, 50, "m", "torso"))
        said = []
        swept = sweep(found, one, lambda done, total: said.append((done, total)))
        assert {field: len(rows) for field, rows in swept.probabilities.items()} == {
            "age": 19,
            "gender": 3,
            "location": 8,
        }
        assert said == [(done, 30) for done in range(31)]
        for field, rows in swept.probabilities.items():
            for given, row in zip(swept.vectors[field], rows, strict=True):
                assert predict(found, shown, given).probabilities.tolist() == row.tolist()
    assert swept.values("age") == [float(age) for age in range(0, 95, 5)]
    assert swept.values("gender") == ["male", "female", "unknown"]
    assert swept.values("location")[-2:] == ["torso", "unknown"]
    assert any(row.tolist() == one.probabilities.tolist() for row in swept.probabilities["age"])


def test_sentences():
    vectors = {
        "age": np.array([[10, 1, 2], [70, 1, 2]], np.float32),
        "gender": np.array([[50, 1, 2], [50, 0, 2]], np.float32),
    }
    same, other = [0.6, 0.4], [0.3, 0.7]
    with model(of_quadrant(), model_task("melanoma")) as found:
        one = predict(found, photograph(np.zeros((64, 64, 3), np.uint8)))
    assert one.top == 0
    moved = DemographicSweep(
        PATIENT, vectors, {"age": np.array([same, other]), "gender": np.array([same, same])}
    )
    assert changes(moved, one, ("A", "B")) == ("With another age the highest class is no longer A: B at 70.",)
    other_site = DemographicSweep(
        PATIENT, {"location": vectors["age"] * 0 + [50, 1, 2]}, {"location": np.array([same, other])}
    )
    (words,) = changes(other_site, one, ("A", "B"))
    assert words.startswith("With another body site")
    still = DemographicSweep(
        PATIENT, vectors, {"age": np.array([same, same]), "gender": np.array([same, same])}
    )
    assert changes(still, one, ("A", "B")) == ("The highest class stays A at every age, sex and body site.",)


def test_models_of_the_image_alone_have_nothing_to_sweep():
    with model(of_quadrant(), model_task("melanoma")) as found, pytest.raises(ValueError, match="image only"):
        sweep(found, predict(found, photograph(lesion(64))))


def test_cancel():
    with model(builders.classifier()) as found:
        one = predict(found, photograph(lesion(64)), vector(PATIENT, 50, "m", "torso"))
        with pytest.raises(Cancelled):
            sweep(found, one, cancelled=lambda: True)


def test_vectors_in_words():
    assert PATIENT.described(vector(PATIENT, 33, "f", "hand")) == {
        "age": 33.0,
        "gender": "female",
        "location": "hand",
    }
    assert PATIENT.described(vector(PATIENT, 33, "unknown", "unknown")) == {
        "age": 33.0,
        "gender": "unknown",
        "location": "unknown",
    }
