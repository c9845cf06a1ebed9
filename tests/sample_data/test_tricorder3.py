"""The eleven-class sample is clean for the official loader, has masks, and its teams have their
characters."""

import numpy as np
import pytest
from PIL import Image

from sample_data.generator import tricorder3
from sample_data.generator.case import SYMBOLS
from sample_data.generator.demographics import LOCATIONS
from sample_data.generator.testset import entries, stored
from tests.sample_data import committed
from tests.sample_data.committed import ROOT, table

FOLDER = ROOT / "tricorder3"
TEAMS = ("aurora", "borealis", "cygnus", "delphi", "equinox")
LABELS = table(FOLDER / "labels.csv")
TRUTH = np.array([SYMBOLS.index(row[1]) for row in LABELS[1:]])


def team(name: str) -> np.ndarray:
    return committed.team(name, FOLDER)


def calibration_error(outputs: np.ndarray) -> float:
    """Ten equal bins (k/10, (k+1)/10] of the largest output: mean distance of confidence and accuracy,
    weighted by the bins' cases."""
    largest, right = outputs.max(axis=1), outputs.argmax(axis=1) == TRUTH
    total = 0.0
    for low in range(10):
        chosen = (largest > low / 10) & (largest <= (low + 1) / 10)
        if chosen.any():
            total += chosen.sum() / len(TRUTH) * abs(right[chosen].mean() - largest[chosen].mean())
    return total


def test_labels_are_clean_for_the_official_loader():
    assert LABELS[0] == ["NewFileName", "Class", "Age", "Location", "Gender"]
    assert len(LABELS) == 1 + 220
    assert len({row[0] for row in LABELS[1:]}) == 220
    assert np.bincount(TRUTH, minlength=11).tolist() == [20] * 11
    assert (np.diff(TRUTH) < 0).any()
    for _, _, age, location, gender in LABELS[1:]:
        assert 0 < int(age) <= 120
        assert location in LOCATIONS
        assert gender in ("m", "f")


def test_masks_fit_the_images():
    sizes = set()
    for path in sorted((FOLDER / "images").iterdir()):
        with Image.open(path) as image, Image.open(FOLDER / "masks" / f"{path.stem}.png") as mask:
            assert mask.mode == "1"
            assert mask.size == image.size
            assert min(image.size) >= 512
            assert np.asarray(mask).any()
            sizes.add(image.size)
    assert len(sizes) >= 5
    assert sum(path.stat().st_size for path in (FOLDER / "masks").iterdir()) <= 1_000_000


@pytest.mark.parametrize("place", [40, 219])
def test_the_generator_still_draws_the_committed_masks_and_people(place):
    entry = entries(tricorder3.PLAN)[place]
    drawn = entry.draw()
    name, label, age, location, gender = LABELS[1 + place]
    assert (name, label) == (tricorder3.SAMPLE.case.format(entry.name), entry.symbol)
    assert (age, location, gender) == (
        str(drawn.demographics.age),
        drawn.demographics.location,
        drawn.demographics.gender,
    )
    mask = np.asarray(Image.open(FOLDER / "masks" / f"{entry.name}.png"))
    assert (mask != stored(drawn.mask, entry.orientation)).mean() < 0.01


def test_one_team_is_too_large_for_the_full_score():
    assert sum(50 < one.model_size_mib < 150 for one in tricorder3.TEAMS.values()) == 1


def test_team_characters_hold_on_this_test_set():
    accuracy = {name: (team(name).argmax(axis=1) == TRUTH).mean() for name in TEAMS}
    errors = {name: calibration_error(team(name)) for name in TEAMS if name != "cygnus"}
    assert min(errors, key=errors.get) == "aurora"
    assert max(errors, key=errors.get) == "borealis"
    outside = (team("cygnus") < 0).any(axis=1) | (team("cygnus") > 1).any(axis=1)
    assert outside.all()
    melanomas_as_nevi = {
        name: (team(name)[SYMBOLS.index("MEL") == TRUTH].argmax(axis=1) == SYMBOLS.index("NV")).sum()
        for name in TEAMS
    }
    assert max(melanomas_as_nevi, key=melanomas_as_nevi.get) == "delphi"
    assert melanomas_as_nevi["delphi"] >= 10
    assert min(accuracy, key=accuracy.get) == "equinox"
    assert min(value for name, value in accuracy.items() if name != "equinox") > 0.7
    assert max(accuracy.values()) < 0.9
