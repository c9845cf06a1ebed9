"""The report of a comparison: whole, self-contained, and with the numbers of the comparison."""

from dataclasses import replace

import pytest

from scoring.common.findings import error
from scoring.comparison import report, summary_text
from scoring.comparison.comparability import Excluded
from scoring.comparison.team_facts import TeamFacts
from scoring.presentation.figures.number_format import points
from tests.support.html_reader import read
from tests.support.payloads import PAYLOADS
from tests.support.teams import lesion_teams, risk_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(2, 60, (1, 1.02, 0.1), resamples=100)


@pytest.fixture(scope="module")
def text(found):
    return report.html(found)


def test_it_is_whole_and_asks_nothing_of_any_network(text):
    reader = read(text)
    assert reader.balanced
    assert not reader.open
    assert not [
        value
        for _, attributes in reader.elements
        for key, value in attributes.items()
        if key in ("src", "href", "srcset")
    ]
    assert "default-src 'none'" in text


def test_every_figure_has_a_place_and_a_drawing(text):
    places = [
        attributes["id"]
        for tag, attributes in read(text).elements
        if attributes.get("id", "").startswith("figure-")
    ]
    assert places == [f"figure-{k}" for k in range(len(places))]
    assert text.count("<svg") == len(places)
    assert len(text.encode()) < 1_000_000


def test_scores_ranks_and_words_are_those_of_the_comparison(found, text):
    said = " ".join(read(text).words)
    assert summary_text.leaders(found) in said
    for name, card in found.cards.items():
        assert points(card.score) in said, name
    for pair in found.result.pairs:
        assert points(pair.difference) in said


def test_the_same_comparison_gives_the_same_bytes(found, text):
    assert report.html(found) == text


def test_names_of_strangers_are_text(found):
    names = dict(zip(found.cards, PAYLOADS[5:8], strict=True))
    renamed = {names[name]: card for name, card in found.cards.items()}
    hostile = replace(
        found,
        cards=renamed,
        ranks={names[name]: rank for name, rank in found.ranks.items()},
        alike={},
    )
    reader = read(report.html(hostile))
    assert reader.balanced
    assert not {"img", "a", "iframe"} & {tag for tag, _ in reader.elements}
    assert "script" not in {tag for tag, _ in reader.elements}


@pytest.mark.parametrize("teams", [1, 2, 15, 16])
def test_few_and_many_teams(teams):
    found = risk_teams(3, 60, [0.3 + 0.01 * k for k in range(teams)], resamples=20)
    said = " ".join(read(report.html(found)).words)
    assert "teams are drawn" not in said.partition("Other rules")[0]
    assert bool(report.appendix(found)) is (teams == 16)


def test_nothing_resampled():
    said = " ".join(read(report.html(lesion_teams(2, 30, (1, 0.5), resamples=0))).words)
    assert "The cases were not resampled, so chance cannot be assessed." in said
    assert "How stable is the ranking?" not in said


def test_findings_are_one_list():
    some = lesion_teams(5, 30, (1, 0.5), resamples=20)
    said = " ".join(read(report.html(some)).words)
    assert some.findings == ()
    assert len(some.noticed) > 5
    assert "No finding about" not in said
    assert said.count("What was noticed") == 1


def test_refused_submissions_and_facts_are_in_the_report():
    out = Excluded("Late <team>", (error("row-length", "p.csv:3", "it has 4 cells."),))
    some = lesion_teams(5, 30, (1, 0.5), resamples=20, facts={"a": TeamFacts(7.5, "Uni A")}, excluded=[out])
    said = " ".join(read(report.html(some)).words)
    for words in ("Which submissions were refused?", "Late <team>", "it has 4 cells.", "Uni A", "7.50"):
        assert words in said
    assert "Efficiency assumed for 1 of 2 teams" in said


@pytest.mark.slow
def test_tables_hold_the_teams_that_are_not_drawn():
    some = risk_teams(3, 40, [0.3 + 0.02 * k for k in range(17)], resamples=20)
    text = report.html(some)
    table = text[text.index("How are the scores composed?</h3>") :].partition("</table>")[0]
    assert all(f">{name}<" in table for name in some.cards)
