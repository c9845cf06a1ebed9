"""What is shown of a comparison: whole tables, figures in both themes, and every word of it in the report."""

from dataclasses import replace

import pytest

from scoring.common import rendered_markdown
from scoring.common.findings import error
from scoring.comparison import display, report, views
from scoring.comparison.comparability import Excluded
from scoring.comparison.team_facts import TeamFacts
from scoring.comparison.team_views import containing, headline
from scoring.core.views import Facts, Headline, Section, Table, Text, Views
from scoring.presentation.figures.number_format import decimal, points
from tests.support import blocks
from tests.support.html_reader import read
from tests.support.teams import lesion_teams, risk_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(2, 60, (1, 1.02, 0.1), resamples=100)


def sections(found, chosen: str | None = None) -> Views:
    shown = display.of(found, chosen)
    names = views.section_names(found)
    return Views(headline(shown), [Section(name, views.SECTIONS[name](shown)) for name in names])


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
        assert pressed(rendered_markdown.plain(caption)) in said
    facts = [fact for block in blocks.every(shown) if isinstance(block, Facts) for fact in block.facts]
    for fact in (*facts, shown.headline.score, *shown.headline.facts):
        assert pressed(fact.value) in said
        assert pressed(fact.below) in said


def test_sections_are_those_that_a_challenge_can_answer(found):
    names = ["Ranking", "Lead", "Stability", "Other rules", "Classes", "Cases", "Subgroups"]
    assert views.section_names(found) == [*names, "Teams"]
    sized = {
        name: replace(card, more={**card.more, "model_size_mib": 3.0}) for name, card in found.cards.items()
    }
    assert views.section_names(replace(found, cards=sized)) == [*names, "Size", "Teams"]


def test_all_teams_are_in_the_table_those_without_score_last():
    found = risk_teams(3, 60, [0.3 + 0.01 * k for k in range(17)], resamples=20)
    last = found.scored[-1]
    cards = {**found.cards, last: replace(found.cards[last], score=None)}
    rows = views.team_table(display.of(replace(found, cards=cards))).rows
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
    shown = display.of(found, None if chosen is None else found.scored[chosen])
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


def test_assumed_sizes_stand_in_the_headline(found):
    told = lesion_teams(2, 30, (1, 0.5), resamples=0, facts={"a": TeamFacts(3.0)})
    note = sections(told).headline.notes[0]
    assert note.kind == "caution"
    assert rendered_markdown.plain(note.text).startswith("Efficiency assumed for 1 of 2 teams.")
    assert "--" not in note.text
    both = lesion_teams(2, 30, (1, 0.5), resamples=0, facts={"a": TeamFacts(3.0), "b": TeamFacts(2.0)})
    assert not sections(both).headline.notes


@pytest.mark.slow
def test_tables_hold_all_of_many_teams_and_are_searched():
    many = lesion_teams(4, 40, [0.2 * k for k in range(17)], resamples=20, facts={"c": TeamFacts(2, "Uni C")})
    for name in ("teams_table", "robustness"):
        assert set(table(many, name).rows["team"]) == set(many.cards)
    groups = table(many, "groups").rows
    assert set(groups["team"]) == set(many.cards)
    whole = views.exported(display.of(many))
    assert containing(whole, "").rows == whole.rows
    for wanted in ("uni c", "C "):
        found = containing(whole, wanted)
        assert found.rows["team"] == ["c"]
        assert found.caption.startswith("1 of 17 teams.")
    assert containing(whole, "nobody").rows["team"] == []


def test_the_map_says_what_is_held_fixed_and_names_who_is_first_at_the_ring(found):
    captions = [rendered_markdown.plain(words) for words in blocks.captions(sections(found))]
    words = next(words for words in captions if "Ring:" in words)
    assert f"with {found.scored[0]} first" in words
    assert "The other 55% (accuracy and efficiency) do not change" in words


def test_rules_that_place_nobody_are_left_out_and_named():
    skilled = lesion_teams(8, 70, (3, 4, 5), resamples=0)
    captions = [rendered_markdown.plain(words) for words in blocks.captions(sections(skilled))]
    words = next(words for words in captions if "τ" in words)
    assert "Rules left out, because all teams would share the first place:" in words
    assert "median rank per case" in words


def test_tables_of_teams_say_who_was_refused():
    out = Excluded("late", (error("row-length", "p.csv:3", "it has 4 cells."),))
    told = lesion_teams(2, 30, (1, 0.5), resamples=0, excluded=[out])
    assert table(told, "teams_table").caption.endswith("Refused, so not ranked: late.")
    block = sections(told).section("Teams").blocks[-1]
    assert (block.rows["team"], block.rows["problem"]) == (["late"], ["it has 4 cells."])
