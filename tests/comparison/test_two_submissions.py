"""Two submissions: the difference is that of the comparison, turned to who is asked about."""

import numpy as np
import pytest

from scoring.comparison import case_list, display, two_submissions
from scoring.core.views import Fact, Figure, Headline, Section, SideBySide, Table, Views
from tests.support import blocks
from tests.support.teams import lesion_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(2, 60, (1, 0.1), resamples=100)


def test_the_difference_is_that_of_the_pair_whoever_asks(found):
    best, other = found.scored
    (pair,) = found.result.pairs
    there, back = two_submissions.change(found, best, other), two_submissions.change(found, other, best)
    assert (there.value, there.apart) == (pair.difference, pair.separated)
    assert there.interval == pair.simultaneous_interval
    assert (back.value, back.apart) == (-there.value, there.apart)
    assert back.interval == [-there.interval[1], -there.interval[0]]
    accuracy = two_submissions.change(found, best, other, "accuracy")
    values = [found.cards[name].metrics["accuracy"] for name in (best, other)]
    assert accuracy.value == pytest.approx(values[0] - values[1])


def test_the_answer_says_who_is_better_and_whether_that_is_chance(found):
    best, other = found.scored
    shown = display.of(found)
    assert "more than" in two_submissions.summary(shown, best, other)
    assert "less than" in two_submissions.summary(shown, other, best)
    assert ("not told apart" in two_submissions.summary(shown, best, other)) is not two_submissions.change(
        found, best, other
    ).apart


def test_every_case_in_which_they_differ_is_listed_on_one_side(found):
    best, other = found.scored
    right = case_list.correctness(found)
    better, worse = two_submissions.differing(right, best, other)
    a, b = (right.values[:, right.teams.index(name)] for name in (best, other))
    assert set(better) == set(np.flatnonzero(a > b))
    assert set(worse) == set(np.flatnonzero(a < b))
    made = two_submissions.blocks(display.of(found), best, other)
    (table,) = [one for one in made if isinstance(one, Table)]
    assert set(table.rows["case"]) == {right.cases[k] for k in (*better, *worse)}
    (sides,) = [one for one in made if isinstance(one, SideBySide)]
    figures = [block for column in sides.columns for block in column if isinstance(block, Figure)]
    assert list(figures[0].data["of"][:1]) == ["score"]
    differences = list(figures[1].data["difference"])
    assert differences == sorted(differences, reverse=True)
    blocks.assert_drawn(Views(Headline(Fact("", "")), (Section("Difference", made),)))
