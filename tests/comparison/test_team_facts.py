"""Facts about teams: what a table or a page may say of them, and where a size counts."""

import json

import pytest

import scoring
from scoring.comparison import summary_text
from scoring.comparison.team_facts import LONGEST, TeamFacts, parse, read_facts
from tests.support import schemas
from tests.support.findings import refused
from tests.support.teams import lesion_teams, risk_teams


def table(*rows: str) -> bytes:
    return "\n".join(("team,size_mib,institution,method,licence", *rows)).encode()


def test_a_table_is_read_whatever_it_calls_its_columns():
    facts, noticed = read_facts(table("a,43.7,Uni A,CNN,MIT", "b,,,,"), ["a", "b"])
    assert facts == {"a": TeamFacts(43.7, "Uni A", "CNN", "MIT"), "b": TeamFacts()}
    assert noticed == []
    facts, noticed = read_facts("Team;Size (MiB);License;Ärger\na;1,5;CC BY 4.0;x\n".encode(), ["a"])
    assert facts == {"a": TeamFacts(1.5, licence="CC BY 4.0")}
    assert [f.code for f in noticed] == ["unknown-column"]


def test_rows_of_other_teams_are_left_out_and_said():
    facts, noticed = read_facts(table("a,1,,,", "z,2,,,"), ["a"], "facts.csv")
    assert list(facts) == ["a"]
    assert [(f.level, f.code, f.where) for f in noticed] == [("note", "unknown-team", "facts.csv:3")]


@pytest.mark.parametrize(
    ("fact", "text", "words"),
    [
        ("size_mib", "-1", "-1 is not a size: give the MiB (bytes / 1048576), 0 or more."),
        ("size_mib", "big", "'big' is not a number"),
        ("size_mib", "nan", "'nan' is not a number"),
        ("size_mib", "1e999", "is not a number"),
        ("institution", "<b>Uni</b>", "It looks like markup"),
        ("method", "[here](http://x)", "It looks like markup"),
        ("licence", "x" * (LONGEST + 1), f"It has {LONGEST + 1} characters: shorten it to {LONGEST}."),
        ("method", "a\u202eb", "It has control or hidden characters"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(fact, text, words):
    facts, problems = parse("a", {"institution": "Uni", fact: text})
    assert getattr(facts, fact) is None
    assert [problem.code for problem in problems] == ["bad-team-fact"]
    assert problems[0].where.startswith("a, ")
    assert words in problems[0].message


def test_all_that_is_wrong_with_a_table_comes_at_once():
    problems = refused(
        lambda: read_facts(table("a,-1,<i>,,", "a,1,,,", f"b,,,{'x' * 121},"), ["a", "b"], "f.csv")
    ).problems
    assert [(p.code, p.where) for p in problems] == [
        ("bad-team-fact", "f.csv:2, size (MiB)"),
        ("bad-team-fact", "f.csv:2, institution"),
        ("duplicate-team", "f.csv:3"),
        ("bad-team-fact", "f.csv:4, method"),
    ]


@pytest.mark.parametrize("content", [b"name,method\na,x\n", b"team,colour\na,x\n"])
def test_a_table_without_teams_or_facts_is_refused(content):
    assert {p.code for p in refused(lambda: read_facts(content, ["a"])).problems} == {"missing-column"}


def test_a_size_counts_where_the_challenge_scores_sizes():
    plain = lesion_teams(2, 40, (1, 0.5), resamples=0)
    facts = {"a": TeamFacts(100.0, "Uni A")}
    told = lesion_teams(2, 40, (1, 0.5), resamples=0, facts=facts)
    assert plain.cards["a"].score - told.cards["a"].score == pytest.approx(0.05)
    by_option = lesion_teams(2, 40, (1, 0.5), resamples=0, options={"a": {"model_size_mib": 100.0}})
    assert by_option.cards["a"].score == told.cards["a"].score
    assert by_option.facts["a"] == TeamFacts(100.0)
    assert (plain.size_assumed, told.size_assumed) == (tuple(plain.cards), ("b",))
    assert summary_text.assumed(told) == "efficiency assumed for 1 of 2 teams"
    assert "50 MiB or less" in summary_text.assumption(told)
    elsewhere = risk_teams(3, 40, (0.2, 0.4), resamples=0, facts=facts)
    assert (elsewhere.size_assumed, summary_text.assumed(elsewhere)) == ((), "")


def test_a_size_that_differs_is_no_option_of_the_comparison():
    options = {"a": {"model_size_mib": 100.0}, "b": {"model_size_mib": 3.0}}
    found = lesion_teams(2, 40, (1, 0.5), resamples=0, options=options).provenance
    assert found["options"]["model_size_mib"] is None
    assert {name: found["teams"][name]["options"]["model_size_mib"] for name in "ab"} == {"a": 100, "b": 3}
    same = lesion_teams(2, 40, (1, 0.5), resamples=0, options=dict.fromkeys("ab", options["a"]))
    assert same.provenance["options"]["model_size_mib"] == 100


def test_facts_stand_in_the_json():
    found = lesion_teams(2, 40, (1, 0.5), resamples=20, facts={"a": TeamFacts(3, "Uni A", "CNN", "MIT")})
    written = json.loads(found.to_json())
    facts = {team["team"]: team["facts"] for team in written["teams"]}
    assert facts["a"] == {"size_mib": 3, "institution": "Uni A", "method": "CNN", "licence": "MIT"}
    assert set(facts["b"].values()) == {None}
    assert written["size_assumed"] == ["b"]
    assert schemas.problems("comparison", found.to_json()) == []


@pytest.mark.parametrize("told", [5.0, 3.011])
def test_a_size_given_twice_has_to_be_the_same(told):
    def compared() -> scoring.Comparison:
        return lesion_teams(
            2,
            30,
            (1,),
            resamples=0,
            options={"a": {"model_size_mib": 3.0}},
            facts={"a": TeamFacts(told)},
        )

    problems = refused(compared).problems
    assert [(p.code, p.where) for p in problems] == [("bad-team-fact", "a, size (MiB)")]
    assert "given twice" in problems[0].message
