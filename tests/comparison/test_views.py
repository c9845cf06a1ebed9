"""What is shown of a comparison: whole tables, figures in both themes, and every word of it in the report."""

from dataclasses import replace

import pytest

from scoring import markup
from scoring.comparison import displayed, report, views
from scoring.figures.numerals import decimal, points
from scoring.views import Facts, Headline, Section, Table, Text, Views
from tests.support import blocks
from tests.support.html_reader import read
from tests.support.teams import lesion_teams, risk_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(2, 60, (1, 1.02, 0.1), resamples=100)


def sections(found, chosen: str | None = None) -> Views:
    shown = displayed.of(found, chosen)
    names = views.section_names(found)
    return Views(views.headline(shown), [Section(name, views.SECTIONS[name](shown)) for name in names])


def pressed(text: str) -> str:
    """The text without blanks: where words are bold, those of a document stand apart."""
    return "".join(text.split())


def table(found, name: str) -> Table:
    return next(
        block for block in blocks.every(sections(found)) if isinstance(block, Table) and block.key == name
    )


def test_figures_answer_questions_and_tables_are_whole(found):
    blocks.assert_drawn(sections(found))


def test_every_caption_and_fact_is_in_the_report(found):
    said = pressed(" ".join(read(report.html(found)).words))
    shown = sections(found)
    for caption in blocks.captions(shown):
        assert pressed(markup.plain(caption)) in said
    facts = [fact for block in blocks.every(shown) if isinstance(block, Facts) for fact in block.facts]
    for fact in (*facts, shown.headline.score, *shown.headline.facts):
        assert pressed(fact.value) in said
        assert pressed(fact.below) in said


def test_sections_are_those_that_a_challenge_can_answer(found):
    names = ["Ranking", "Lead", "Stability", "Other rules", "Classes", "Cases", "Subgroups"]
    assert views.section_names(found) == names
    sized = {
        name: replace(card, more={**card.more, "model_size_mib": 3.0}) for name, card in found.cards.items()
    }
    assert views.section_names(replace(found, cards=sized)) == [*names, "Size"]


def test_all_teams_are_in_the_table_those_without_score_last():
    found = risk_teams(3, 60, [0.3 + 0.01 * k for k in range(17)], resamples=20)
    last = found.scored[-1]
    cards = {**found.cards, last: replace(found.cards[last], score=None)}
    rows = views.team_table(displayed.of(replace(found, cards=cards))).rows
    assert rows["team"] == list(found.cards)
    assert rows["score"][:-1] == [100 * cards[name].score for name in found.scored[:-1]]
    assert [rows[column][-1] for column in ("score", "could hold", "won")] == [None] * 3


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (None, "The first 15 of 17 teams are drawn"),
        (-1, "16 of 17 teams are drawn: the first and the chosen"),
    ],
)
def test_captions_say_which_of_many_teams_are_drawn(chosen, words):
    found = risk_teams(3, 60, [0.3 + 0.01 * k for k in range(17)], resamples=20)
    shown = displayed.of(found, None if chosen is None else found.scored[chosen])
    assert words in shown.method


def test_the_headline_has_the_leader_and_its_lead(found):
    head: Headline = sections(found).headline
    assert head.score.value == found.scored[0]
    assert points(found.cards[found.scored[0]].score) in head.score.below
    lead = next(fact for fact in head.facts if fact.name == f"Lead over {found.scored[1]}")
    assert lead.value == decimal(100 * found.result.pairs[0].difference, 2, sign=True)


def test_one_team_is_told_that_it_is_alone():
    shown = sections(lesion_teams(2, 30, (1,), resamples=10)).section("Lead")
    assert isinstance(shown.blocks[0], Text)
    assert len(shown.blocks) == 1


def test_small_groups_have_no_value():
    found = lesion_teams(2, 60, (1, 0.5), resamples=20)
    rows = table(found, "groups").rows
    small = [n < 15 for n in rows["n"]]
    assert any(small)
    for column in ("value", "interval", "to all", "to all interval"):
        values = [value for value, is_small in zip(rows[column], small, strict=True) if is_small]
        assert values == [None] * sum(small)
    assert any(value is not None for value in rows["value"])
