"""The score under other readings, and what is shown of them."""

import pytest

from scoring.challenges.hecktor2026 import rescoring
from scoring.challenges.hecktor2026.formula import CHOICES
from scoring.presentation.figures.theme import DARK, LIGHT
from tests.challenges.hecktor2026.four import GUESSED
from tests.support.patients import CHALLENGE, submission_folder


@pytest.mark.parametrize(
    "chosen",
    [{}, {"empty_masks": "skip", "t0": "exclude", "missing_risk": "half", "prognosis_direction": "time"}],
)
def test_a_reading_is_the_score_under_that_option(four_read, chosen):
    truth, submission = four_read
    card = CHALLENGE.score(truth, submission, resamples=0, **chosen)
    found = rescoring.rule_variants(truth, submission, card)
    used = {name: card.provenance["options"][name] for name in CHOICES}
    assert {(r.option, r.value) for r in found} == {
        (name, v) for name, values in CHOICES.items() for v in values if v != used[name]
    }
    for reading in found:
        other = CHALLENGE.score(truth, submission, resamples=0, **{**used, reading.option: reading.value})
        assert reading.score == other.score
        assert reading.difference == other.score - card.score
        assert reading.parts == {part: other.metrics[part] for part in reading.parts}


def test_an_undefined_reading_has_no_difference(four_read):
    truth, _ = four_read
    nothing = CHALLENGE.read_predictions(submission_folder([{**row, "risk": None} for row in GUESSED]), truth)
    found = {
        (r.option, r.value): r
        for r in rescoring.rule_variants(truth, nothing, CHALLENGE.score(truth, nothing, resamples=0))
    }
    excluded = found["missing_risk", "exclude"]
    assert (excluded.score, excluded.difference, excluded.parts["c_index"]) == (None, None, None)
    assert found["missing_risk", "half"].parts["c_index"] == 0.5


def test_every_reading_is_a_row_of_figure_and_table(four_read, four_card):
    found = rescoring.rule_variants(*four_read, four_card)
    (figure,), (table,) = rescoring.variants_view(four_card, found).columns
    assert table.rows["reading"] == ["current rules", *(reading.name for reading in found)]
    assert table.rows["score"] == [four_card.score, *(reading.score for reading in found)]
    assert table.rows["difference"] == [None, *(reading.difference for reading in found)]
    for part in ("segmentation", "staging", "c_index"):
        assert table.rows[part] == [four_card.metrics[part], *(reading.parts[part] for reading in found)]
    for theme in (LIGHT, DARK):
        labels = [label.replace("<br>", " ") for label in figure.build(theme).layout.yaxis.ticktext]
        assert labels == [reading.name for reading in found]
