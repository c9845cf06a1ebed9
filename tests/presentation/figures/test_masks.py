"""Figures of masks: what they draw is what they were given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.presentation.figures import masks
from scoring.presentation.figures.masks import Cloud, Patients
from scoring.presentation.figures.theme import LIGHT
from tests.support.figures import HOSTILE

VOLUMES = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 5000)), max_size=6)


def people(dice, truth, guess, name: str = "P") -> Patients:
    return Patients(
        [f"{name}{i}" for i in range(len(dice))], *(np.array(v, float) for v in (dice, truth, guess))
    )


SOME = people([0.9, 0.4, 0.7], [20.0, 0.4, 3.0], [22.0, 0.2, 0.0])
NONE = people([], [], [])
ZERO = people([0, 0], [0.0, 12.0], [3.0, 0.0], HOSTILE)
CLOUDS = (Cloud("GTVp", SOME, ZERO, 4), Cloud("GTVn", NONE, ZERO, 0))


def every(theme):
    yield masks.raincloud(CLOUDS, theme)
    for number, patients in enumerate((SOME, NONE, ZERO)):
        yield masks.dice_by_volume("GTVp", patients, number, theme)
        yield masks.volumes("GTVn", patients, number, theme)


def test_zeros_and_empty_masks_are_in_no_density_or_box():
    figure = masks.raincloud(CLOUDS, LIGHT)
    for kind in ("violin", "box"):
        drawn = [trace for trace in figure.data if trace.type == kind]
        assert [trace.x.tolist() for trace in drawn] == [[0.9, 0.4, 0.7]]
    zeros = [trace for trace in figure.data if trace.name.endswith("Dice 0")]
    assert [trace.x.tolist() for trace in zeros] == [[0, 0], [0, 0]]
    said = [words.text for words in figure.layout.annotations]
    assert "3 above 0" in said[0]
    assert "<b>2</b> at 0" in said[0]
    assert "4 empty in both" in said[0]


def test_each_point_names_its_patient():
    for figure in (masks.raincloud(CLOUDS[:1], LIGHT), masks.volumes("GTVp", SOME, 0, LIGHT)):
        points = next(trace for trace in figure.data if trace.customdata is not None)
        assert [row[0] for row in points.customdata] == ["P0", "P1", "P2"]
        assert "Dice 0.900" in points.hovertext[0]


@given(truth=VOLUMES, guess=VOLUMES)
@settings(max_examples=40, deadline=None)
def test_every_volume_has_a_place_on_its_axis_and_nothing_one_of_its_own(truth, guess):
    axis = masks.volume_axis(np.array(truth), np.array(guess))
    layout = axis.layout()
    for volume, place in zip([*truth, *guess], axis.places(np.array([*truth, *guess])), strict=True):
        assert layout["range"][0] <= place <= layout["range"][1]
        if volume == 0:
            assert layout["ticktext"][layout["tickvals"].index(place)] == "none"
        elif volume >= masks.LEAST_ML:
            assert 10**place == pytest.approx(volume)
    assert ("none" in layout["ticktext"]) is (0 in [*truth, *guess])
    for place, words in zip(layout["tickvals"], layout["ticktext"], strict=True):
        assert words == "none" or 10**place == pytest.approx(float(words))
